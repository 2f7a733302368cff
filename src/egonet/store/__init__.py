"""Encodings in folders: counted in bounded memory or on a Spark cluster, resumed, updated, verified.

>>> import tempfile, egonet
>>> folder = tempfile.mkdtemp() + "/out"
>>> egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)["b"]
{(0, 2): 1, (1, 1): 2}
>>> egonet.store.update(folder, added=[("c", "a")])["b"]
{(0, 2): 1, (1, 2): 2}
>>> egonet.store.open(folder)["c"]
{(0, 2): 1, (1, 2): 2}
"""

from egonet.store.csr import read_csr, write_csr
from egonet.store.encode import encode
from egonet.store.encoding import open_store as open  # noqa: A004
from egonet.store.spark_driver import spark
from egonet.store.update import update
from egonet.store.verify import verify

__all__ = ["encode", "open", "read_csr", "spark", "update", "verify", "write_csr"]

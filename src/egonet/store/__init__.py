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

from egonet.store.encode_store import encode
from egonet.store.spark_driver import spark
from egonet.store.stored_encoding import open_store as open  # noqa: A004
from egonet.store.update_store import update
from egonet.store.verify_store import verify

__all__ = ["encode", "open", "spark", "update", "verify"]

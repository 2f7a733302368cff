"""Small files that unpack to far more raise in little memory; plausible ones are read."""

import gzip
import io
import re
import subprocess
import sys

import numpy as np
import pytest

from egonet import read_graph
from egonet.errors import FileError
from egonet.io import limits
from egonet.io.limits import reject_implausible, reject_long

BOMBS = """
import gzip, sys, zipfile
from pathlib import Path
import numpy as np, pyarrow as pa, pyarrow.parquet
def pack(name, *parts):
    with gzip.open(name, "wb") as file:
        for part, times in parts:
            for _ in range(64):
                file.write(part * (times // 64))
pack("a.txt.gz", (b"1 2\\n", 25 * 10**6))
pack("a.csv.gz", (b"a", 10**8))
pack("a.g6.gz", (b"?\\n", 5 * 10**7))
pack("a.mtx.gz", (b"%%MatrixMarket matrix coordinate pattern general\\n", 2 * 10**6))
pack("a.graphml.gz", (b'<node id="1"/>', 7 * 10**6))
pack("a.gml.gz", (b"node [ id 1 ] ", 7 * 10**6))
np.savez_compressed("a.npz", edges=np.zeros((30_000_000, 2), dtype=np.int64))
long = pa.array(["x" * 1000]).take(pa.array(np.zeros(400_000, dtype=np.int32)))
pa.parquet.write_table(pa.table({"u": long, "v": long}), "a.parquet", compression="zstd")
many = np.zeros(20_000_000, dtype=np.int64)
pa.parquet.write_table(pa.table({"u": many, "v": many}), "b.parquet", compression="zstd")
"""


READ = """
import resource, sys, time
import egonet, networkx, pyarrow.parquet, scipy.io
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    start = time.process_time()
    try:
        egonet.read_graphs(path)
    except egonet.EgonetError as error:
        print(error)
    assert time.process_time() - start < 10, path
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_table_may_be_four_times_as_long_as_its_bytes(monkeypatch):
    monkeypatch.setattr(limits, "PLAUSIBLE_ROWS", 10)

    reject_long(400, io.BytesIO(b"x" * 100), "a.parquet")
    reject_long(10, io.BytesIO(b"x"), "a.parquet")
    with pytest.raises(FileError, match=r"^a\.parquet claims 401 rows in 100 bytes\."):
        reject_long(401, io.BytesIO(b"x" * 100), "a.parquet")


def test_a_claim_is_plausible_up_to_64_nodes_a_byte(monkeypatch):
    monkeypatch.setattr(limits, "PLAUSIBLE_NODES", 100)

    reject_implausible(100, 1, "a.npz")
    reject_implausible(128, 2, "a.npz")
    with pytest.raises(FileError, match=r"^a\.npz claims 129 nodes in 2 bytes"):
        reject_implausible(129, 2, "a.npz")


@pytest.mark.long
def test_small_files_that_unpack_to_far_more_raise_in_little_memory(tmp_path):
    subprocess.run([sys.executable, "-c", BOMBS], cwd=tmp_path, check=True)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert all((tmp_path / name).stat().st_size < 10**6 for name in names)

    paths = [str(tmp_path / name) for name in names]
    done = subprocess.run([sys.executable, "-c", READ, *paths], check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    *said, megabytes = done.stdout.splitlines()
    for name, message in zip(names, said, strict=True):
        assert re.match(rf"{name} (unpacks|is not an npz file|claims)", message), message
    assert int(megabytes) < 1000


def test_a_packed_file_that_is_honest_is_read(tmp_path):
    pairs = np.random.default_rng(1).integers(0, 10**6, (60_000, 2)).tolist()
    text = "".join(f"{u} {v}\n" for u, v in pairs).encode()

    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(text))

    assert read_graph(tmp_path / "a.txt.gz").num_edges > 59_000

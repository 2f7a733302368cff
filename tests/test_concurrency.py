"""Many encodes at once, in threads, processes and the workers of data loaders: always the same bytes."""

import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import egonet
from egonet import Graph

pytestmark = pytest.mark.long

NUM_AT_ONCE = 8


def graph():
    return Graph.from_edges(np.random.default_rng(4).integers(0, 3_000, (15_000, 2)), 3_000)


def digest(_number=0, threads=2):
    """Return the digest of an encoding's arrays."""
    matrix = egonet.encode(graph(), 2, threads=threads).matrix
    return hashlib.sha256(b"".join((matrix.indptr, matrix.indices, matrix.data))).hexdigest()


def test_eight_threads_that_encode_at_once_get_the_same_bytes():
    with ThreadPoolExecutor(NUM_AT_ONCE) as pool:
        found = list(pool.map(digest, range(2 * NUM_AT_ONCE)))

    assert set(found) == {digest(threads=1)}


def use_together(graph, encoding, columns, number):
    """Return what one of several threads gets that use the same objects at the same moment."""
    edges = [tuple(edge) for edge in graph.edges()[20 * number : 20 * number + 5].tolist()]
    changed = encoding.update(removed=edges, threads=1)
    other = egonet.encode(graph, vocabulary=columns, unseen="ignore")
    return (
        encoding.classes.tolist(),
        encoding.feature_names,
        graph.degrees.tolist(),
        egonet.wl_colors(graph).tolist(),
        (other.matrix.toarray()[:50]).tolist(),
        changed.update(added=edges, threads=1).matrix.nnz,
    )


def test_threads_that_start_together_share_a_graph_an_encoding_and_columns():
    # Whatever is computed on first use is asked for by all threads at once. Without the global interpreter lock they
    # really run at the same time; it must not have come back.
    def objects():
        made = Graph.from_edges(np.random.default_rng(5).integers(0, 400, (1_600, 2)), 400)
        encoding = egonet.encode(made, (1, 2), threads=1)
        return made, encoding, egonet.encode(made, (1, 2), max_degree=6).vocabulary

    expected = use_together(*objects(), 0)
    for _ in range(3):
        shared, together = objects(), threading.Barrier(NUM_AT_ONCE)

        def wait_and_use(number, shared=shared, together=together):
            together.wait(60)
            return use_together(*shared, number)

        with ThreadPoolExecutor(NUM_AT_ONCE) as pool:
            found = list(pool.map(wait_and_use, range(NUM_AT_ONCE)))
        assert all(one == expected for one in found)
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled()


STREAM = """
import threading
import numpy as np
import egonet

SIZE, DAYS = 2_000, 20
pairs = np.random.default_rng(6).integers(0, SIZE, (DAYS, 4_000, 2))
batches = [[(source, target, day) for source, target in ends] for day, ends in enumerate(pairs.tolist())]
done = threading.Event()

def made():
    return egonet.Stream(2, window=3, threads=1)

def add(stream):
    for batch in batches:
        stream.add(batch)

def use(stream, number):
    while not done.is_set():
        stream.features(range(SIZE)).matrix
        stream.features([number, 7]).matrix  # a few rows are read by a reader that is used again
        stream.num_edges, stream.num_nodes

shared, alone = made(), made()
users = [threading.Thread(target=use, args=(shared, number)) for number in range(3)]
for user in users:
    user.start()
add(shared)
done.set()
for user in users:
    user.join()
add(alone)
rows = [stream.features(range(SIZE), time=DAYS).matrix.toarray().tolist() for stream in (shared, alone)]
print(rows[0] == rows[1], shared.num_edges == alone.num_edges)
"""


def test_threads_share_a_stream_that_events_are_added_to(tmp_path):
    # In another process: without a lock the kernel reads the graph while another thread changes it, and crashes.
    assert run_script(tmp_path, STREAM) == "True True"


def test_threads_that_start_together_share_a_store_and_batches(tmp_path):
    made = Graph.from_edges(np.random.default_rng(5).integers(0, 400, (1_600, 2)), 400)
    labeled = egonet.as_graph(made, labels=[node % 3 for node in range(400)])
    egonet.store.encode(labeled, tmp_path / "store", 1, memory=10_000)
    whole = egonet.encode(labeled, 1)
    has_arrow = importlib.util.find_spec("pyarrow") is not None

    def use(stored, batches, number):
        nodes = range(50 * number, 50 * number + 50)
        assert [stored[node] for node in nodes] == [whole[node] for node in nodes]
        assert (stored.matrix != whole.matrix).nnz == 0
        assert stored.graph == labeled
        if has_arrow:
            assert batches(nodes).column("node").to_pylist() == list(nodes)
        return True

    for _ in range(3):
        together = threading.Barrier(NUM_AT_ONCE)
        stored = egonet.store.open(tmp_path / "store")
        batches = egonet.distributed.RowBatches(tmp_path / "store", whole) if has_arrow else None

        def wait_and_use(number, stored=stored, batches=batches, together=together):
            together.wait(60)
            return use(stored, batches, number)

        with ThreadPoolExecutor(NUM_AT_ONCE) as pool:
            assert all(pool.map(wait_and_use, range(NUM_AT_ONCE)))


POOL = """
import hashlib, multiprocessing, sys
import numpy as np
import egonet
from concurrent.futures import ProcessPoolExecutor

def digest(_number):
    graph = egonet.Graph.from_edges(np.random.default_rng(4).integers(0, 3_000, (15_000, 2)), 3_000)
    matrix = egonet.encode(graph, 2, threads=2).matrix
    return hashlib.sha256(b"".join((matrix.indptr, matrix.indices, matrix.data))).hexdigest()

if __name__ == "__main__":
    expected = digest(0)  # threads of the kernel have come and gone before the fork
    with ProcessPoolExecutor(8, multiprocessing.get_context(sys.argv[1])) as pool:
        print(set(pool.map(digest, range(8))) == {expected})
"""


def run_script(folder, program, *arguments):
    """Return what a program prints. A fork of the process that tests would copy the locks of all its threads."""
    (folder / "script.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "script.py", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(egonet.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_eight_processes_that_encode_at_once_get_the_same_bytes(tmp_path, method):
    assert run_script(tmp_path, POOL, method) == "True"


LOADER = """
import hashlib, sys, torch
from torch.utils.data import DataLoader, Dataset
from torch_geometric.data import Data

class Graphs(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, number):
        from egonet.pyg import AddEgoEncoding

        edges = torch.randint(0, 50, (2, 120), generator=torch.Generator().manual_seed(number))
        return AddEgoEncoding(radius=2, max_degree=10)(Data(edge_index=edges, num_nodes=50))

def first(items):
    return items[0]

def total(workers, method):
    loader = DataLoader(Graphs(), num_workers=workers, multiprocessing_context=method, collate_fn=first)
    seen = hashlib.sha256()
    for data in loader:
        for key in sorted(data.keys()):
            seen.update(data[key].numpy().tobytes() if isinstance(data[key], torch.Tensor) else b"")
    return seen.hexdigest()

if __name__ == "__main__":
    if sys.argv[2] == "before":
        import egonet
        egonet.encode(egonet.named.grid(40, 40), 2)
    print(total(0, None) == total(2, sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("method", "used"), [("fork", "before"), ("fork", "in the worker only"), ("spawn", "in the worker only")]
)
def test_a_pyg_transform_runs_in_the_workers_of_a_data_loader(tmp_path, need, method, used):
    need("torch_geometric", "'egonet[pyg]'")

    assert run_script(tmp_path, LOADER, method, used) == "True"


STORE = """
import collections, random, sys, time
import egonet
from egonet.errors import EgonetError, FileError

LINKS = [(0, 10), (3, 17), (5, 14)]

def edges(number):
    return [(i, (i + 1) % 20) for i in range(20)] + [e for place, e in enumerate(LINKS) if number >> place & 1]

def rows(encoding):
    return tuple(tuple(sorted(encoding[node].items())) for node in range(20))

def write(folder, seen):
    link = [random.choice(LINKS)]
    removes = random.random() < 0.5
    try:
        egonet.store.update(folder, removed=link if removes else (), added=() if removes else link)
        seen["updated"] += 1
    except EgonetError as error:
        said = str(error)
        seen["told" if "another process is writing" in said or "is not in the graph" in said else said] += 1

def read(folder, seen):
    try:
        encoding = egonet.store.open(folder)
        time.sleep(random.random() / 50)
        seen["whole" if rows(encoding) in STATES else "torn"] += 1
    except FileError as error:
        seen["told" if "Open it again" in str(error) else str(error)] += 1

STATES = {rows(egonet.encode(edges(number), 2, nodes=range(20))) for number in range(2 ** len(LINKS))}
seen, end = collections.Counter(), time.monotonic() + 4
while time.monotonic() < end or not seen["updated"] + seen["whole"]:
    (write if sys.argv[2] == "write" else read)(sys.argv[1], seen)
print(sorted(seen))
"""


def test_two_processes_that_update_a_store_and_two_that_read_it_see_whole_rows(tmp_path):
    ring = [(number, (number + 1) % 20) for number in range(20)]
    egonet.store.encode(egonet.as_graph(ring, nodes=range(20)), tmp_path / "out", 2)

    with ThreadPoolExecutor(4) as pool:
        kinds = ["write", "write", "read", "read"]
        folders = [tmp_path / f"process{number}" for number in range(4)]
        for folder in folders:
            folder.mkdir()
        seen = list(
            pool.map(
                lambda folder, kind: run_script(folder, STORE, str(tmp_path / "out"), kind), folders, kinds
            )
        )

    assert all(set(each.strip("[]").split(", ")) <= {"'told'", "'updated'"} for each in seen[:2]), seen
    assert all(set(each.strip("[]").split(", ")) <= {"'told'", "'whole'"} for each in seen[2:]), seen
    assert egonet.store.verify(tmp_path / "out").damaged == ()

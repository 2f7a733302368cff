"""Helpers of the tests of stores: damage, interruption, comparison."""

import hashlib
import os
import signal

import numpy as np

from egonet import Graph
from egonet.store.manifest import checksum, read_manifest, write_manifest


def random_pairs(num_nodes, num_edges, seed=0):
    return np.random.default_rng(seed).integers(0, num_nodes, (num_edges, 2))


def assert_same(stored, expected):
    for name in ("indptr", "indices", "data"):
        ours, theirs = getattr(stored.matrix, name), getattr(expected.matrix, name)
        assert ours.dtype == theirs.dtype, name
        assert ours.tobytes() == theirs.tobytes(), name
    assert stored.vocabulary.keys.tolist() == expected.vocabulary.keys.tolist()
    assert stored.nodes.tolist() == expected.nodes.tolist()


def content(folder):
    """Return the digest of every file of a store by its name."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def run_until_write(call, number):
    """Run a call in a child that kills itself at its n-th rename; return whether it was killed."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] != 0
    count = 0

    def dying(original):
        def rename(*arguments):
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments)

        return rename

    os.rename, os.replace = dying(os.rename), dying(os.replace)
    try:
        call()
        os._exit(0)
    except BaseException:  # noqa: BLE001
        os._exit(3)


def kill_everywhere(call):
    """Kill a call at its first rename, the next at its second, ...; return the number of kills."""
    killed = 0
    while run_until_write(call, killed + 1):
        killed += 1
        assert killed < 100, "the call makes no progress"
    return killed


def change_manifest(folder, **fields):
    """Change fields of a manifest and its checksum, as an attacker would."""
    write_manifest(folder, read_manifest(folder, "a folder") | fields)


def change_array(folder, name, array):
    """Write another array and its checksum into a folder."""
    np.save(folder / f"{name}.npy", array)
    files = read_manifest(folder, "a folder")["files"]
    change_manifest(folder, files=files | {f"{name}.npy": checksum(folder / f"{name}.npy")})


def files_of(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"]


def answer(stored):
    matrix = stored.matrix
    return (
        matrix.toarray().tolist(),
        stored.nodes.tolist(),
        stored.columns,
        stored.graph.indptr.tolist(),
        stored.graph.indices.tolist(),
    )


#: Names similar to those that egonet writes.
LOOK_ALIKES = (
    *("block-diagram.svg", "notes.part.csv", "graph-plots/a.png", ".edges-backup", ".edges-3/a.parquet"),
    *(
        ".supports-2",
        "graph-0001.txt",
        "vocabulary-0001.bak/keys.npy",
        "supports-old",
        "choices-.json",
        ".check/x",
    ),
    *(".graph-0000.0123456789abcdef.part/indptr.npy", ".graph-0000.7.part", "block-000009-0000/keys.npy"),
    *(
        ".whole-graph-0000.part/a",
        "block-000000-0000.json",
        "block-000000-0000/notes.txt",
        "graph-0000/notes.txt",
    ),
)


def put(folder, names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"mine: {name}")


def assert_there(folder, names):
    assert [name for name in names if (folder / name).read_text() != f"mine: {name}"] == []


def skewed_graph(num_edges=3_000):
    """Return a graph with hubs, triangles and isolated nodes."""
    rng = np.random.default_rng(5)
    near = rng.integers(0, 300, num_edges)
    far = (near + rng.zipf(1.5, num_edges)) % 300
    return Graph.from_edges(np.column_stack([near, far]), 310)

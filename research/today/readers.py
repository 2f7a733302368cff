"""Reading the current benchmarks: graphs, targets and splits as arrays."""

import csv
import gzip
import io
import zipfile
from collections.abc import Iterable
from typing import Any

import numpy as np

from egonet.typing import Int64s
from research.datasets.readers import read_tu
from research.today.sources import GraphList, join_graphs, source_path

Array = np.ndarray[Any, Any]
TU_TEXT = {"mutag": "MUTAG", "enzymes": "ENZYMES", "proteins": "PROTEINS"}
GIN_FILES = {
    "nci1": "NCI1",
    "imdb-b": "IMDBBINARY",
    "imdb-m": "IMDBMULTI",
    "collab": "COLLAB",
    "reddit-b": "REDDIT-BINARY",
}
MOLECULE_FILES = ("bbbp", "bace", "tox21", "esol", "freesolv", "lipo")


def read_paper_set(name: str) -> tuple[GraphList, Int64s]:
    """Return one of the paper's four sets: graphs and classes. PTC is the paper's file, the others TU's text files."""
    if name == "ptc":
        found = read_tu(name)
        ends = np.array([(u, v) for u, v in found.union.edges()], dtype=np.int64)
        labels = found.node_labels
        assert labels is not None
        return GraphList(found.node_ptr, ends, labels, np.ones(len(ends), dtype=np.int64)), found.targets
    folder = TU_TEXT[name]

    def numbers(kind: str) -> Int64s:
        text = source_path(f"tu/{folder}/{folder}_{kind}.txt").read_text()
        return np.array(text.replace(",", " ").split(), dtype=np.int64)

    owner = numbers("graph_indicator") - 1
    arcs = numbers("A").reshape(-1, 2) - 1
    ends = np.unique(np.sort(arcs, axis=1), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    start = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    classes = np.unique(numbers("graph_labels"), return_inverse=True)[1]
    return GraphList(start, ends, numbers("node_labels"), np.ones(len(ends), dtype=np.int64)), classes


def read_mutag_bonds(graphs: GraphList) -> Int64s:
    """Return the kind of every bond of MUTAG, in the order of its edges."""
    numbers = [
        np.array(
            source_path(f"tu/MUTAG/MUTAG_{kind}.txt").read_text().replace(",", " ").split(), dtype=np.int64
        )
        for kind in ("A", "edge_labels")
    ]
    arcs = np.sort(numbers[0].reshape(-1, 2) - 1, axis=1)
    ends, first = np.unique(arcs, axis=0, return_index=True)
    assert np.array_equal(ends, graphs.edges)
    return numbers[1][first] + 1


def read_gin_set(name: str, limit: int | None = None) -> tuple[GraphList, Int64s, Array]:
    """Return a set with the folds of the GIN paper: graphs, classes, and parts (10, graphs): 0 train, 2 test.

    With `limit` only the first graphs are read.
    """
    stem = GIN_FILES[name]
    with zipfile.ZipFile(source_path(f"tu_gin/{stem}.zip")) as archive:
        lines = io.TextIOWrapper(archive.open(f"{stem}/{stem}.txt"))
        graphs, classes, total = _gin_graphs(lines, limit)
        parts = np.full((10, total), -1, dtype=np.int8)
        for fold in range(10):
            for kind, value in (("train", 0), ("test", 2)):
                text = archive.read(f"{stem}/10fold_idx/{kind}_idx-{fold + 1}.txt").decode()
                parts[fold, np.array(text.split(), dtype=np.int64)] = value
    return graphs, np.unique(classes, return_inverse=True)[1], parts[:, : len(classes)]


def _gin_graphs(lines: Iterable[str], limit: int | None) -> tuple[GraphList, list[int], int]:
    """Return graphs, classes and the number of graphs of GIN's text: per node label, count of neighbors, neighbors."""
    stream = iter(lines)
    parts, classes = [], []
    total = int(next(stream))
    for _ in range(min(total, limit or total)):
        size, kind = map(int, next(stream).split()[:2])
        classes.append(kind)
        edges: list[tuple[int, int]] = []
        labels = np.zeros(size, dtype=np.int64)
        for node in range(size):
            label, count, *near = map(int, next(stream).split())
            labels[node] = label
            edges += [(node, other) for other in near[:count] if other > node]
        ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
        parts.append((size, ends, labels, np.ones(len(ends), dtype=np.int64)))
    return join_graphs(parts), classes, total


def read_csl() -> tuple[GraphList, Int64s]:
    """Return CSL: 150 graphs of 41 nodes and their classes; self-loops are dropped."""
    with np.load(source_path("csl/csl.npz"), allow_pickle=False) as found:
        edges, classes = found["edges"], found["y"]
    parts = [(41, ends.T, np.zeros(41), np.ones(ends.shape[1])) for ends in edges]
    return join_graphs(parts), classes


def read_node_set(name: str) -> tuple[GraphList, Array, Int64s, Array]:
    """Return a node classification set: graph, features, classes, and parts (10, nodes)."""
    stem = name if name in ("tolokers", "minesweeper", "actor") else f"{name}_filtered"
    with np.load(source_path(f"heterophilous/{stem}.npz"), allow_pickle=False) as found:
        arrays = {key: found[key] for key in found.files}
    parts = np.full(arrays["train_masks"].shape, -1, dtype=np.int8)
    for number, kind in enumerate(("train", "val", "test")):
        parts[arrays[f"{kind}_masks"]] = number
    features, classes = arrays["node_features"], arrays["node_labels"]
    return _one_graph(len(classes), arrays["edges"]), features, classes, parts


def read_twitch(country: str) -> tuple[GraphList, Int64s]:
    """Return one network of Twitch users, and who is marked as mature; a user listed twice is one node."""
    with gzip.open(source_path(f"twitch/{country}/target.csv.gz"), "rt") as stream:
        rows = list(csv.DictReader(stream))
    number = "new_id" if "new_id" in rows[0] else "id"
    marked = {int(row[number]): row["mature"] == "True" for row in rows}
    mature = np.array([marked[user] for user in range(len(marked))], dtype=np.int64)
    with gzip.open(source_path(f"twitch/{country}/edges.csv.gz"), "rt") as stream:
        next(stream)
        ends = np.array([line.strip().split(",") for line in stream], dtype=np.int64)
    return _one_graph(len(mature), ends), mature


def read_airports(name: str) -> tuple[GraphList, Int64s]:
    """Return a network of airports and the activity class of each."""
    text = source_path(f"airports/labels-{name}-airports.txt").read_text().split("\n")[1:]
    pairs = np.array([line.split() for line in text if line.strip()], dtype=np.int64)
    order = {node: at for at, node in enumerate(pairs[:, 0].tolist())}
    ends = np.loadtxt(source_path(f"airports/{name}-airports.edgelist"), dtype=np.int64)
    numbered = np.array([[order[node] for node in pair] for pair in ends.tolist()])
    return _one_graph(len(pairs), numbered), pairs[:, 1]


def _one_graph(size: int, ends: Array) -> GraphList:
    """Return one graph without labels."""
    return join_graphs([(size, ends, np.zeros(size), np.ones(len(ends)))])


def read_molecule_table(name: str) -> tuple[list[str], Array]:
    """Return the SMILES and targets of a MoleculeNet set, NaN where nothing was measured."""
    path = "molhiv/HIV.csv.gz" if name == "molhiv" else f"moleculenet/{name}.csv.gz"
    with gzip.open(source_path(path), "rt") as stream:
        _, *rows = [row for row in csv.reader(stream) if row]
    first = 2 if name == "molhiv" else 1
    values = [[float(cell) if cell else np.nan for cell in row[first:]] for row in rows]
    return [row[0] for row in rows], np.array(values)


def read_molhiv_split(count: int) -> Array:
    """Return the parts of molhiv (1, molecules)."""
    parts = np.full((1, count), -1, dtype=np.int8)
    for number, name in enumerate(("train_idx.txt.gz", "val_idx.txt", "test_idx.txt")):
        content = source_path(f"molhiv/{name}").read_bytes()
        text = gzip.decompress(content) if name.endswith(".gz") else content
        parts[0, np.array(text.split(), dtype=np.int64)] = number
    return parts

"""The files of PPI as GraphSAGE or PyG publish them: graphs, features and labels of three splits."""

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet import Graph
from egonet.errors import FileError
from egonet.typing import Int64s
from research.datasets.fetch import folders

SPLITS = ("train", "valid", "test")
#: What is read, per publisher; either is enough.
GRAPHSAGE_FILES = ("ppi-G.json", "ppi-feats.npy", "ppi-id_map.json", "ppi-class_map.json")
#: What NumPy raises for damaged files.
_DAMAGED = (ValueError, TypeError, OverflowError, MemoryError, EOFError, SyntaxError, TokenError)
PYG_FILES = tuple(f"{split}_{what}" for split in SPLITS for what in ("graph.json", "feats.npy", "labels.npy"))


@dataclass(frozen=True, eq=False)
class ProteinPart:
    """The graphs of one split as one disjoint union.

    Attributes
    ----------
    graph
        Their union, without self-loops.
    loops
        bool (num_nodes,): whether the files list an edge from a node to itself.
    features
        float32 (num_nodes, num_features).
    labels
        float32 (num_nodes, num_labels), 0 or 1.
    """

    graph: Graph
    loops: NDArray[np.bool_]
    features: NDArray[np.float32]
    labels: NDArray[np.float32]

    def __post_init__(self) -> None:
        """Check that every node has a row."""
        sizes = {self.graph.num_nodes, len(self.loops), len(self.features), len(self.labels)}
        if len(sizes) > 1:
            raise FileError(
                f"graph, features and labels of a split must have equally many nodes, got {sizes}."
            )


def read_proteins(folder: Path | None = None) -> dict[str, ProteinPart]:
    """Return the training, validation and test graphs from a folder, or from `ppi` in the data folders.

    Raises
    ------
    FileError
        If features and labels are in no folder; it names the files.
    """
    places = [folder] if folder is not None else [place / "ppi" for place in folders()]
    for place in places:
        if all((place / name).is_file() for name in GRAPHSAGE_FILES):
            return read_graphsage(place)
        if all((place / name).is_file() for name in PYG_FILES):
            return read_pyg(place)
    raise FileError(
        f"the features and labels of PPI are not in {' or '.join(map(str, places))}. Put there either GraphSAGE's "
        f"{', '.join(GRAPHSAGE_FILES)} or PyG's {', '.join(PYG_FILES[:3])} and so on for valid and test."
    )


def read_pyg(folder: Path) -> dict[str, ProteinPart]:
    """Return the splits from PyG's files: a graph, features and labels for each."""
    parts = {}
    for split in SPLITS:
        features, labels = (_array(folder / f"{split}_{what}.npy") for what in ("feats", "labels"))
        _, edges = _node_link(folder / f"{split}_graph.json")
        parts[split] = _part(edges, features, labels)
    return parts


def read_graphsage(folder: Path) -> dict[str, ProteinPart]:
    """Return the splits from GraphSAGE's files: one graph whose nodes say which split they are in."""
    nodes, edges = _node_link(folder / "ppi-G.json")
    rows = _json(folder / "ppi-id_map.json")
    classes = _json(folder / "ppi-class_map.json")
    names = [str(node["id"]) for node in nodes]
    try:
        features = _array(folder / "ppi-feats.npy")[[int(rows[name]) for name in names]]
        labels = np.array([classes[name] for name in names], dtype=np.float32)
    except (KeyError, IndexError) as error:
        raise FileError(f"{folder}: node {error} has no features or no labels.") from error
    split_of = np.array([2 if node.get("test") else 1 if node.get("val") else 0 for node in nodes])
    if (split_of[edges[:, 0]] != split_of[edges[:, 1]]).any():
        raise FileError(f"{folder / 'ppi-G.json'}: some edges lead from one split to another.")
    parts = {}
    for number, split in enumerate(SPLITS):
        chosen = np.flatnonzero(split_of == number)
        place = np.full(len(nodes), -1)
        place[chosen] = np.arange(len(chosen))
        inside = place[edges[split_of[edges[:, 0]] == number]]
        parts[split] = _part(inside, features[chosen], labels[chosen])
    return parts


def _part(edges: Int64s, features: NDArray[Any], labels: NDArray[Any]) -> ProteinPart:
    """Return one split from its arrays."""
    if len(edges) and edges.max() >= len(features):
        raise FileError(f"an edge names node {edges.max()}, but there are features of {len(features)} only.")
    loops = np.zeros(len(features), dtype=bool)
    loops[edges[edges[:, 0] == edges[:, 1], 0]] = True
    graph = Graph.from_indices(edges[:, 0], edges[:, 1], len(features))
    return ProteinPart(graph, loops, features.astype(np.float32), labels.astype(np.float32))


def _node_link(path: Path) -> tuple[list[dict[str, Any]], Int64s]:
    """Return the nodes and the edges (by position) of a graph in networkx's node-link form."""
    content = _json(path)
    try:
        nodes = content["nodes"]
        pairs = [(link["source"], link["target"]) for link in content["links"]]
        return nodes, np.array(pairs, dtype=np.int64).reshape(-1, 2)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileError(f"{path} is not a graph in node-link form.") from error


def _json(path: Path) -> Any:
    """Return the content of a JSON file."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not JSON: {str(error).encode('unicode_escape').decode()}.") from error


def _array(path: Path) -> NDArray[Any]:
    """Return the array of a .npy file; objects are an error."""
    try:
        with path.open("rb") as stream, warnings.catch_warnings(action="error"):
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    except (*_DAMAGED, UserWarning, RuntimeWarning) as error:
        raise FileError(f"{path} is not an array of numbers.") from error
    if array.dtype.kind not in "biuf":
        raise FileError(f"{path} is not an array of numbers.")
    return array

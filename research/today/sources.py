"""The files of the current benchmarks, and graph sets as arrays."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from egonet import Graph
from egonet.errors import FileError
from egonet.typing import Int64s
from research.datasets.fetch import folders

Array: TypeAlias = np.ndarray[Any, Any]


def source_path(name: str) -> Path:
    """Return the path of a file of a current benchmark; the error names the folders that were searched."""
    found = next((folder / name for folder in folders() if (folder / name).exists()), None)
    if found is None:
        raise FileError(
            f"{name} is not in {' or '.join(map(str, folders()))}. Set EGONET_DATA to the folder that has it."
        )
    return found


@dataclass(frozen=True)
class GraphList:
    """Many graphs as one, a block of nodes each.

    Attributes
    ----------
    start
        int64 (num_graphs + 1,): the first node of every graph.
    edges
        int64 (num_edges, 2): the ends of every undirected edge, once, numbered over all graphs.
    label
        int64 (num_nodes,): the label of every node; zeros if there are none.
    bond
        int64 (num_edges,): the kind of every edge; ones if there are none.
    """

    start: Int64s
    edges: Int64s
    label: Int64s
    bond: Int64s

    @property
    def num_nodes(self) -> int:
        """Return the nodes of all graphs."""
        return int(self.start[-1])

    @property
    def num_graphs(self) -> int:
        """Return the number of graphs."""
        return len(self.start) - 1

    @property
    def graph_of(self) -> Int64s:
        """Return the graph of every node."""
        return np.repeat(np.arange(self.num_graphs), np.diff(self.start))

    def as_graph(self) -> Graph:
        """Return all graphs as one, their disjoint union."""
        return Graph.from_indices(self.edges[:, 0].copy(), self.edges[:, 1].copy(), self.num_nodes)

    def part(self, graphs: Int64s) -> "GraphList":
        """Return some of the graphs, in the order given."""
        sizes = np.diff(self.start)[graphs]
        start = np.concatenate([[0], np.cumsum(sizes)])
        number = np.full(self.num_nodes, -1)
        old = np.concatenate([np.arange(self.start[g], self.start[g + 1]) for g in graphs.tolist()])
        number[old] = np.arange(len(old))
        chosen = number[self.edges[:, 0]] >= 0
        return GraphList(start, number[self.edges[chosen]], self.label[old], self.bond[chosen])


def join_graphs(parts: list[tuple[int, Array, Array, Array]]) -> GraphList:
    """Return graphs given as (num_nodes, edges, labels, bonds), edges numbered within each graph.

    Self-loops are dropped, and an edge listed twice counts once.
    """
    sizes = np.array([part[0] for part in parts], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)])
    edges = np.concatenate(
        [
            np.asarray(part[1], dtype=np.int64).reshape(-1, 2) + at
            for part, at in zip(parts, start, strict=False)
        ]
    )
    bonds = np.concatenate([np.asarray(part[3], dtype=np.int64) for part in parts])
    kept = edges[:, 0] != edges[:, 1]
    ends = np.sort(edges[kept], axis=1)
    edges, first = np.unique(ends, axis=0, return_index=True)
    labels = np.concatenate([np.asarray(part[2], dtype=np.int64) for part in parts])
    return GraphList(start, edges, labels, bonds[kept][first])


def some_rows(target: Any, count: int | None) -> Int64s:
    """Return `count` positions spread over all rows, or all of them: every class and split has some."""
    return np.unique(np.linspace(0, len(target) - 1, min(count or len(target), len(target))).astype(np.int64))


def read_zinc() -> tuple[GraphList, Array, Int64s]:
    """Return ZINC-12k: its graphs, targets and split (0 train, 1 validation, 2 test)."""
    parts, targets, split = [], [], []
    for number, name in enumerate(("train", "val", "test")):
        with np.load(source_path(f"zinc12k/zinc12k_{name}.npz"), allow_pickle=False) as found:
            arrays = {key: found[key] for key in found.files}
        nodes, edges = arrays["node_ptr"], arrays["edge_ptr"]
        for at in range(len(nodes) - 1):
            own = slice(edges[at], edges[at + 1])
            atoms = arrays["atom"][nodes[at] : nodes[at + 1]]
            parts.append((len(atoms), arrays["edge"][own], atoms, arrays["bond"][own]))
        targets.append(arrays["y"])
        split.append(np.full(len(arrays["y"]), number))
    return join_graphs(parts), np.concatenate(targets), np.concatenate(split)

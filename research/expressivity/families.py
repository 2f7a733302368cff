"""Families of graphs that try an encoding: all small graphs, all small trees, and pairs of two benchmarks."""

import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import InputError, MissingFileError
from egonet.graph.graph import Graph
from egonet.io.read import read_graphs
from experiments.expressivity.bits import ONE, Bits, by_degree, canonical_rows, extended, from_bits

MAX_SMALL, MAX_TREE = 10, 16


@dataclass(frozen=True)
class Pairs:
    """Pairs of non-isomorphic graphs: graphs 2p and 2p + 1 are pair p.

    Attributes
    ----------
    graphs
        The graphs of all pairs, one pair after the other.
    categories
        Name to (first pair, last pair + 1); every pair is in one category.
    """

    graphs: tuple[Graph, ...]
    categories: dict[str, tuple[int, int]]

    @property
    def num_pairs(self) -> int:
        """Return the number of pairs."""
        return len(self.graphs) // 2


def small_graphs(num_nodes: int, *, connected: bool = False) -> list[Graph]:
    """Return every graph with `num_nodes` nodes, one of each isomorphism class, in a fixed order.

    Examples
    --------
    >>> [len(small_graphs(size)) for size in range(6)]
    [1, 1, 2, 4, 11, 34]
    >>> [len(small_graphs(size, connected=True)) for size in range(1, 6)]
    [1, 1, 2, 6, 21]

    Notes
    -----
    Each graph of one node less is extended by a node with every neighborhood (every non-empty one, if
    connected graphs are asked for: some node can always be removed), and one graph per canonical form is kept.
    """
    if not 0 <= num_nodes <= MAX_SMALL:
        raise InputError(f"small graphs have 0 to {MAX_SMALL} nodes, got {num_nodes!r}.")
    rows = np.zeros((1, min(num_nodes, 1)), dtype=np.uint64)
    for size in range(1, num_nodes):
        neighborhoods = np.arange(int(connected), 2**size, dtype=np.uint64)
        rows = _distinct(extended(rows, neighborhoods))
    return from_bits(rows)


@cache
def graph8c() -> list[Graph]:
    """Return the 11,117 connected graphs of 8 nodes, a common benchmark, in a fixed order.

    Examples
    --------
    >>> len(graph8c())
    11117
    """
    return small_graphs(8, connected=True)


def trees(num_nodes: int) -> list[Graph]:
    """Return every tree with `num_nodes` nodes, one of each isomorphism class.

    Examples
    --------
    >>> [len(trees(size)) for size in range(1, 11)]
    [1, 1, 1, 2, 3, 6, 11, 23, 47, 106]
    """
    if not 1 <= num_nodes <= MAX_TREE:
        raise InputError(f"trees have 1 to {MAX_TREE} nodes here, got {num_nodes!r}.")
    rows = np.zeros((1, 1), dtype=np.uint64)
    for size in range(1, num_nodes):
        leaf = ONE << np.arange(size, dtype=np.uint64)
        rows = _distinct(extended(rows, leaf))
    return from_bits(rows)


def exp(folder: str | Path | None = None) -> Pairs:
    """Return EXP, 600 pairs that 1-WL cannot distinguish, from `exp/exp.g6` in the data folder.

    References
    ----------
    Abboud, Ceylan, Grohe, Lukasiewicz, "The Surprising Power of Graph Neural Networks with Random Node
    Initialization", IJCAI 2021.
    """
    graphs = tuple(read_graphs(_data_file("exp/exp.g6", folder)))
    return Pairs(graphs, {"EXP": (0, len(graphs) // 2)})


def brec(folder: str | Path | None = None) -> Pairs:
    """Return BREC, 400 pairs that 1-WL cannot distinguish, from `brec/` in the data folder.

    References
    ----------
    Wang, Zhang, "An Empirical Study of Realized GNN Expressiveness", ICML 2024.
    """
    graphs = tuple(read_graphs(_data_file("brec/brec_pairs.g6", folder)))
    ranges = json.loads(_data_file("brec/categories.json", folder).read_text())
    names = {key: entry["name"] for key, entry in brec_categories().items()}
    return Pairs(graphs, {name: (ranges[key][0], ranges[key][1]) for key, name in names.items()})


@cache
def brec_categories() -> dict[str, dict[str, Any]]:
    """Return the categories of BREC by their key in the data: name and number of pairs."""
    text = files("experiments.expressivity").joinpath("brec_categories.json").read_text("utf-8")
    return dict(json.loads(text))


def _distinct(rows: Bits) -> Bits:
    """Return one graph of each isomorphism class, in rising order."""
    return np.unique(canonical_rows(np.unique(by_degree(rows), axis=0)), axis=0)


def _data_file(name: str, folder: str | Path | None) -> Path:
    """Return a file of the data folder, or say how to name one."""
    given = folder if folder is not None else os.environ.get("EGONET_DATA")
    if not given:
        raise MissingFileError(
            f"{name} is read from a data folder. Set EGONET_DATA to the folder that has it."
        )
    path = Path(given) / name
    if not path.is_file():
        raise MissingFileError(f"there is no {name} in the data folder {str(given)!r}.")
    return path

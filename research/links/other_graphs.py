"""Graphs on which a recipe for transfer is chosen: neither Facebook nor CA-AstroPh is among them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from egonet import Graph
from egonet.errors import InputError, MissingFileError
from egonet.typing import Int64s
from research.datasets.fetch import folders


def data_file(path: str) -> Path:
    """Return a file of the data folder."""
    found = [folder / path for folder in folders() if (folder / path).is_file()]
    if not found:
        raise MissingFileError(f"{path} is read from a data folder. Set EGONET_DATA.")
    return found[0]


def _table(path: str, separator: str = ",", header: int | None = None) -> Int64s:
    frame = pd.read_csv(data_file(path), sep=separator, header=header, comment="#")
    ends: Int64s = frame.iloc[:, :2].to_numpy(dtype=np.int64)
    return ends


def _squirrel() -> Int64s:
    with np.load(data_file("heterophilous/squirrel_filtered.npz"), allow_pickle=False) as arrays:
        edges: Int64s = arrays["edges"].astype(np.int64)
    return edges


#: Name to its edges as pairs of numbers.
GRAPHS: dict[str, Callable[[], Int64s]] = {
    "twitch-ENGB": lambda: _table("twitch/ENGB/edges.csv.gz", header=0),
    "bitcoin-otc": lambda: _table("bitcoin/soc-sign-bitcoinotc.csv.gz", header=0),
    "ppi": lambda: _table("ppi/ppi-test.edgelist.gz", r"\s+"),
    "usa-airports": lambda: _table("airports/usa-airports.edgelist", " "),
    "CollegeMsg": lambda: _table("temporal/CollegeMsg.txt.gz", " "),
    "squirrel": _squirrel,
}


def other_graph(name: str) -> Graph:
    """Return one of the graphs, undirected."""
    if name not in GRAPHS:
        raise InputError(f"there is no graph {name!r}. There are {', '.join(GRAPHS)}.")
    ends = GRAPHS[name]()
    ends = ends[ends[:, 0] != ends[:, 1]]
    known, numbers = np.unique(ends, return_inverse=True)
    edges = np.unique(np.sort(numbers.reshape(-1, 2), axis=1), axis=0)
    return Graph.from_indices(edges[:, 0], edges[:, 1], len(known))

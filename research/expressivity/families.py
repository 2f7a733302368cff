"""Benchmarks that try an encoding: all connected graphs of eight nodes, and the pairs of EXP and BREC."""

import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from egonet import Graph, named, read_graphs
from egonet.errors import MissingFileError


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


@cache
def graph8c() -> list[Graph]:
    """Return the 11,117 connected graphs of 8 nodes, a common benchmark, in a fixed order.

    Examples
    --------
    >>> len(graph8c())
    11117
    """
    return named.small_graphs(8, connected=True)


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
    text = files("research.expressivity").joinpath("brec_categories.json").read_text("utf-8")
    return dict(json.loads(text))


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

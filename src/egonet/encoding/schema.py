"""`Schema`: what the keys of an encoding consist of: the settings asked, and the names and limits learned from data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.checks import as_argument
from egonet.encoding.settings import Learned, Settings
from egonet.errors import InputError, option, show_value
from egonet.graph.columns import Names
from egonet.typing import Int32s


@dataclass(frozen=True)
class Schema:
    """Settings, and what was learned from data besides the keys.

    Attributes
    ----------
    settings
        What was asked.
    labels
        The names of the node labels that keys end with, by number; None without labels.
    edge_labels
        The names of the edge types that keys end with, by number; None without types. Distances then count half steps:
        an edge of type t is a node labeled t between its ends.
    limits
        The limits between bins, learned from quantiles of numbers of edges; None if they were asked for.
    directed
        The direction of the graph: None (undirected), "out", "in" or "any" (unknown).

    Examples
    --------
    >>> schema = Schema(Settings(2), edge_labels=("double", "single"))
    >>> schema.field_names, schema.steps
    (('distance', 'deg', 'label'), 2)
    """

    settings: Settings
    labels: Names | None = None
    edge_labels: Names | None = None
    limits: tuple[float, ...] | None = None
    directed: Learned = "any"

    def __post_init__(self) -> None:
        """Raise for settings that exclude labels or edge types."""
        if self.directed not in ("any", None, "out", "in"):
            raise InputError(f"directed must be None, 'out', 'in' or 'any', got {show_value(self.directed)}.")
        if not self.has_labels:
            return
        settings = self.settings
        if settings.layout == "paper":
            raise InputError(
                f"{option('layout', 'paper')} numbers columns by distance and total degree alone. "
                f"Use {option('layout', 'observed')} with other degrees, {as_argument('degree_bins')} or labels."
            )
        if settings.count == "edges":
            raise InputError(
                f"{option('count', 'edges')} takes no labels and no edge types. "
                "Leave labels, edge_labels and weights out."
            )
        if self.edge_labels is not None and settings.degree_bins == "quantile":
            raise InputError(
                f"{option('degree_bins', 'quantile')} takes no edge types, whose nodes have one or two neighbors. "
                f"Leave edge_labels and weights out, or use {option('degree_bins', 'log')}."
            )
        if self.edge_labels is not None and settings.is_nested:
            raise InputError("common and rooted take no edge types. Leave edge_labels and weights out.")

    @property
    def has_labels(self) -> bool:
        """Return whether keys end with a label: of a node, or the type of an edge."""
        return self.labels is not None or self.edge_labels is not None

    @property
    def steps(self) -> int:
        """Return how far apart neighbors are: 2 if there is an edge node between them."""
        return 1 if self.edge_labels is None else 2

    @property
    def radii_in_steps(self) -> list[int]:
        """Return the radii in steps from neighbor to neighbor of the graph that is searched."""
        return [radius * self.steps for radius in self.settings.radius]

    def add_unlabeled(self, labels: Int32s | None, number: int) -> Int32s | None:
        """Return the labels of nodes and of a number of others without a label, which no column has.

        >>> Schema(Settings(1), labels=("C", "O")).add_unlabeled(np.array([1, 0], dtype=np.int32), 1).tolist()
        [1, 0, 2]
        """
        if labels is None:
            return None
        return np.append(labels, np.full(number, len(self.labels or ()), dtype=np.int32))

    @property
    def pair_options(self) -> dict[str, Any]:
        """Return what the kernels of pairs count, as their keywords; the settings must be those of pairs."""
        names = ("degrees", "follow", "without_edge", "max_degree", "degree_bins")
        return {name: getattr(self.settings, name) for name in names} | {"ordered": self.is_ordered}

    @property
    def is_ordered(self) -> bool:
        """Return whether rows (u, v) and (v, u) of pairs may differ: if asked for, and in directed graphs."""
        return bool(getattr(self.settings, "ordered", False)) or self.directed in ("out", "in")

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius."""
        return (*self.settings.field_names, *(("label",) if self.has_labels else ()))

"""The types of a stream's events: an event of a type is a node between its ends, whose label is the type."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.encoding.schema import Schema
from egonet.graph.columns import Categories, Names, sort_names
from egonet.temporal.as_of import read_types
from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, slots=True)
class TypedEdge:
    """The node between two ends, by their ids; it equals no id of a node."""

    first: Hashable
    second: Hashable
    kind: Hashable


class EventTypes:
    """The names of types, sorted, and the number of the type of every row.

    Attributes
    ----------
    names
        The names of the types so far; those of a vocabulary come first and do not change, and are followed by types
        that it does not have.
    labels
        int32: a number per row, 0 for nodes; longer than there are rows.
    is_edge
        bool: whether a row is a typed edge.

    Examples
    --------
    >>> from egonet.encoding.settings import Settings
    >>> types = EventTypes(Schema(Settings(1)))
    >>> types.set_labels([2], types.add(types.read(["single"])))
    >>> types.set_labels([3], types.add(types.read(["double"])))
    >>> types.names, types.labels[:4].tolist()
    (('double', 'single'), [0, 0, 1, 0])
    """

    def __init__(self, schema: Schema) -> None:
        names = schema.edge_labels
        self.names: Names = names or ()
        self.labels: Int32s = np.zeros(64, dtype=np.int32)
        self.is_edge = np.zeros(64, dtype=bool)
        self._is_fixed = names is not None
        self._schema = schema

    def read(self, values: list[Any]) -> Categories:
        """Return the types of some events; raise for one that is missing, or known as text and given as a number."""
        column = read_types(values, self._schema)
        column.join_names(self.names, "edge label")
        return column

    def add(self, column: Categories) -> Int32s:
        """Return the number of the type of every event; new names are sorted in, unless names are fixed."""
        if not self._is_fixed and not set(column.names) <= set(self.names):
            names = sort_names([*self.names, *column.names])
            moved = np.array([names.index(name) for name in self.names], dtype=np.int32)
            edges = np.flatnonzero(self.is_edge)
            self.labels[edges] = moved[self.labels[edges]]
            self.names = names
        self.names = column.join_names(self.names, "edge label")
        return column.numbers_in(self.names)

    def reserve(self, num_rows: int) -> None:
        """Allocate a label for every row, doubling the capacity if necessary."""
        more = max(num_rows, 2 * len(self.labels)) - len(self.labels)
        if num_rows > len(self.labels):
            self.labels = np.append(self.labels, np.zeros(more, dtype=np.int32))
            self.is_edge = np.append(self.is_edge, np.zeros(more, dtype=bool))

    def set_labels(self, rows: list[int], numbers: Int32s) -> None:
        """Set the numbers of the types of some edges, given by their rows."""
        self.reserve(max(rows, default=-1) + 1)
        self.labels[rows], self.is_edge[rows] = numbers, True

    def keep(self, rows: Int64s) -> None:
        """Keep the labels of some rows, which are numbered from 0 on."""
        for array in (self.labels, self.is_edge):
            values = array[rows]
            array[:] = 0
            array[: len(values)] = values

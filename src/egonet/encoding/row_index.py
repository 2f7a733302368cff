"""`RowIndex`: what names each row of an encoding: a node, two ends, or these and a time."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet.checks import is_iterable
from egonet.errors import InputError, show_value
from egonet.graph.columns import as_objects
from egonet.graph.index import is_id, whole_float
from egonet.tables.times import as_times
from egonet.typing import Array

#: What a row belongs to.
RowKind: TypeAlias = Literal["node", "edge", "pair", "event"]
NODE, ENDS, TIME = ("node",), ("source", "target"), "time"


@dataclass(frozen=True, eq=False)
class RowIndex:
    """The names of the rows of an encoding, in row order.

    Attributes
    ----------
    names
        The names of the columns: ("node",), ("source", "target"), ("source", "target", "time") or ("node", "time").
    columns
        An array (num_rows,) for each name: ids of nodes, or times.
    kind
        What a row belongs to: a "node", an "edge", a "pair" or an "event".
    ordered
        Whether the rows of (u, v) and (v, u) are different.

    Examples
    --------
    >>> index = RowIndex.of_pairs(np.array([["a", "b"], ["c", "b"]]), ordered=False)
    >>> list(index), index.find(("b", "c")), index.find(("a", "c"))
    ([('a', 'b'), ('c', 'b')], 1, None)
    """

    names: tuple[str, ...]
    columns: tuple[Array, ...]
    kind: RowKind = "node"
    ordered: bool = True

    @classmethod
    def of_nodes(cls, nodes: Array, times: Array | None = None) -> "RowIndex":
        """Return the index of rows of nodes, as of a time each if there are `times`."""
        return cls(NODE, (nodes,)) if times is None else cls((*NODE, TIME), (nodes, times))

    @classmethod
    def of_pairs(
        cls, pairs: Array, *, ordered: bool, kind: RowKind = "pair", times: Array | None = None
    ) -> "RowIndex":
        """Return the index of rows of pairs, an array (num_rows, 2), as of a time each if there are `times`."""
        ends = (pairs[:, 0], pairs[:, 1])
        names, columns = (ENDS, ends) if times is None else ((*ENDS, TIME), (*ends, times))
        return cls(names, columns, kind, ordered)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the names of the rows: ids, or tuples."""
        listed = [_as_list(column) for column in self.columns]
        return iter(listed[0]) if len(listed) == 1 else zip(*listed, strict=True)

    def part(self, first: int, last: int) -> "RowIndex":
        """Return the index of consecutive rows."""
        columns = tuple(column[first:last] for column in self.columns)
        return RowIndex(self.names, columns, self.kind, self.ordered)

    @property
    def ids(self) -> Array:
        """Return the ids of the rows without their times: (num_rows,) of nodes, (num_rows, 2) of pairs."""
        columns = self.columns[: self._num_ids]
        if len(columns) == 1:
            return columns[0]
        if len({column.dtype.kind for column in columns}) == 1:
            return np.stack(columns, axis=1)
        return np.stack([as_objects(column.tolist()) for column in columns], axis=1)

    @property
    def pairs(self) -> Array:
        """Return the ids of both ends of every row, (num_rows, 2)."""
        if self.names[:2] != ENDS:
            raise InputError("the rows of this encoding are nodes, not pairs. Use encoding.nodes.")
        return self.ids

    def name(self, row: int) -> Hashable:
        """Return the name of one row: an id, or a tuple."""
        values = tuple(_as_list(column[row : row + 1])[0] for column in self.columns)
        return values[0] if len(values) == 1 else values

    def find(self, name: Any) -> int | None:
        """Return the first row of a name with several parts, or None if there is none."""
        is_several = isinstance(name, tuple | list | np.ndarray) and is_iterable(name)
        if not is_several or len(name) != len(self.names):
            example = ", ".join(self.names)
            raise InputError(
                f"an encoding of {self.kind}s is indexed by ({example}), as in encoding[({example})], got "
                f"{show_value(name)}."
            )
        parts = [whole_float(part) for part in name[: self._num_ids]]
        if not all(isinstance(part, Hashable) and is_id(part) for part in parts):
            return None
        numbers = [self._number_of.get(part) for part in parts]
        if None in numbers:
            return None
        if not self.ordered and self._num_ids == 2:
            numbers.sort()
        return self._row_of.get((*numbers, *map(self._plain_time, name[self._num_ids :])))

    def _plain_time(self, value: Any) -> int | float:
        """Return a time as the index has it: a number, or the nanoseconds of a date (in UTC if it has a time zone)."""
        kind = "dates" if self.columns[-1].dtype.kind == "M" else "numbers"
        times = as_times([value], "row")
        if not times.kind.startswith(kind):
            raise InputError(f"the times of these rows are {kind}, got {show_value(value)}.")
        plain: int | float = times.values[0].item()
        return plain

    @property
    def _num_ids(self) -> int:
        return sum(name != TIME for name in self.names)

    @cached_property
    def _number_of(self) -> dict[Hashable, int]:
        """Return a number for every id, so that ends of several types can be sorted."""
        ids = [each for column in self.columns[: self._num_ids] for each in column.tolist()]
        return {each: number for number, each in enumerate(dict.fromkeys(ids))}

    @cached_property
    def _row_of(self) -> dict[tuple[Any, ...], int]:
        """Return the first row of every name, as numbers of ids in order, and the time."""
        rows: dict[tuple[Any, ...], int] = {}
        for row, name in enumerate(self):
            numbers = [self._number_of[part] for part in name[: self._num_ids]]
            ends = numbers if self.ordered else sorted(numbers)
            rows.setdefault((*ends, *(_plain(part) for part in name[self._num_ids :])), row)
        return rows


def as_index(rows: Any) -> RowIndex:
    """Return an index as it is, or that of the ids of nodes."""
    return rows if isinstance(rows, RowIndex) else RowIndex.of_nodes(rows)


def _as_list(column: Array) -> list[Any]:
    """Return the values of a column; dates stay NumPy values, because a list has them as whole numbers."""
    return list(column) if column.dtype.kind == "M" else column.tolist()


def _plain(value: Any) -> Any:
    """Return a NumPy value as a Python value, and a date as its nanoseconds.

    >>> _plain(np.int64(3)), _plain(np.datetime64("1970-01-02"))
    (3, 86400000000000)
    """
    if isinstance(value, np.datetime64):
        return int(value.astype("datetime64[ns]").astype(np.int64))
    return value.item() if isinstance(value, np.generic) else value

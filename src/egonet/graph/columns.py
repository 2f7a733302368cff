"""Columns of nodes and edges: labels as numbers with names, and the edges as given with the attributes kept."""

import re
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np

from egonet.checks import is_iterable
from egonet.errors import FileError, InputError, did_you_mean, in_python, option, show_value
from egonet.graph.index import from_arrow, other_type
from egonet.typing import Array, Floats, Int32s

#: The option `keep`: the names of the attributes to keep, or one name.
Keep: TypeAlias = Sequence[str] | str | None
#: Whole numbers, by the rule for ids of a graph file: 007 is not 7, and int() raises for longer ones.
WHOLE = re.compile("0|-?[1-9][0-9]{0,4299}")
#: Digits that are a code unless they are a whole number: with leading zeros, or too many.
DIGITS = re.compile("-?[0-9]+")


#: One label per node: in row order (a list, an array, a tensor), by id (a mapping, a pandas Series, a table), or the
#: name of an attribute of the nodes.
Labels: TypeAlias = Collection[Any]
#: One value per edge: the name of a kept attribute, a sequence in the order of the edges, or a mapping of pairs.
EdgeValues: TypeAlias = str | Collection[Any]
#: The names of labels, by number.
Names: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of labels.

    Attributes
    ----------
    numbers
        int32 (size,): the number of every entry's label.
    names
        The label of every number; numbers come before text, each in order.

    Examples
    --------
    >>> bonds = Categories(np.array([1, 0, 1], dtype=np.int32), ("double", "single"))
    >>> len(bonds), bonds.values()
    (3, ['single', 'double', 'single'])
    """

    numbers: Int32s
    names: Names

    def __len__(self) -> int:
        return len(self.numbers)

    def values(self) -> list[Hashable]:
        """Return the label of every entry."""
        return [self.names[number] for number in self.numbers.tolist()]

    def numbers_in(self, names: Names) -> Int32s:
        """Return the number of every label among other names, which have all labels of this column.

        >>> Categories(np.array([0, 1], dtype=np.int32), ("a", "b")).numbers_in(("b", "c", "a")).tolist()
        [2, 0]
        """
        if names == self.names:
            return self.numbers
        position = {name: number for number, name in enumerate(names)}
        table = np.array([position[name] for name in self.names], dtype=np.int32)
        return table[self.numbers]

    def join_names(self, names: Names, what: str) -> Names:
        """Return the names of a vocabulary, then the labels of this column that it does not have, in order.

        A label that is unknown only because it is a number here and text there is an error.

        >>> Categories(np.array([0, 1], dtype=np.int32), ("a", "b")).join_names(("b", "c"), "label")
        ('b', 'c', 'a')
        """
        check_mixed([*self.names, *names])
        name_set = set(names)
        unknown = [name for name in self.names if name not in name_set]
        for name in unknown:
            twin = None if isinstance(name, bool) else other_type(name)
            if twin in name_set:
                raise InputError(
                    f"{what} {show_value(name)} is {type(name).__name__} here, but the vocabulary has "
                    f"{show_value(twin)}. Give both with one type."
                )
        return (*names, *unknown)


#: A column of a graph: labels, or finite numbers (float64).
Column: TypeAlias = Categories | Floats


def list_values(column: Column) -> list[Any]:
    """Return the values of a column: labels, or numbers.

    >>> list_values(np.array([1.0, 2.5]))
    [1.0, 2.5]
    """
    return column.values() if isinstance(column, Categories) else column.tolist()


@dataclass(frozen=True)
class ColumnRole:
    """What a keyword of `as_graph` attaches: to nodes or to edges, labels or numbers.

    `bins` is the field of `Settings` that says how numbers become types of edges; None for labels.
    """

    item: Literal["node", "edge"]
    bins: str | None = None

    @property
    def is_number(self) -> bool:
        """Return whether values are numbers."""
        return self.bins is not None


#: The keywords of `as_graph` that attach a column to the graph.
ROLES: dict[str, ColumnRole] = {
    "labels": ColumnRole("node"),
    "edge_labels": ColumnRole("edge"),
    "weights": ColumnRole("edge", bins="weight_bins"),
}
#: Those of edges; a graph that is encoded has at most one of them.
EDGE_ROLES = {name: role for name, role in ROLES.items() if role.item == "edge"}


class EdgeOptions(TypedDict, total=False):
    """The keywords of `EDGE_ROLES`, which every function that counts typed edges takes."""

    edge_labels: EdgeValues | None
    weights: EdgeValues | None


def take_entries(column: Column, rows: Array) -> Column:
    """Return some entries of a column, by position or as flags.

    >>> take_entries(np.array([0.5, 2.0]), np.array([1])).tolist()
    [2.0]
    """
    if isinstance(column, Categories):
        return Categories(column.numbers[rows], column.names)
    return column[rows]


def concatenate_columns(columns: Sequence[Column]) -> Column:
    """Return columns of one kind one after the other; the names of labels are joined.

    >>> one, two = (Categories(np.zeros(1, dtype=np.int32), (name,)) for name in "ba")
    >>> concatenate_columns([one, two]).values()
    ['b', 'a']
    """
    labels = [column for column in columns if isinstance(column, Categories)]
    if len(labels) < len(columns):
        return np.concatenate([column for column in columns if not isinstance(column, Categories)])
    names = labels[0].names
    if any(column.names != names for column in labels):
        check_mixed([name for column in labels for name in column.names])
        names = sort_names(name for column in labels for name in column.names)
        reject_drift([set(column.names) for column in labels], names)
    return Categories(np.concatenate([column.numbers_in(names) for column in labels]), names)


def reject_drift(parts: list[set[Hashable]], names: Names) -> None:
    """Raise if graphs have a label as a number in one and as text in another, and none has both.

    >>> reject_drift([{7}, {"7"}], (7, "7"))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the label 7 of one graph is '7' in another. Give both with one type.
    """
    name_set = set(names)
    for name in names:
        twin = None if isinstance(name, bool) else other_type(name)
        if twin in name_set and not any(name in part and twin in part for part in parts):
            raise InputError(
                f"the label {show_value(name)} of one graph is {show_value(twin)} in another. Give both with one type."
            )


def sort_names(names: Iterable[Hashable]) -> Names:
    """Return the distinct names in order: numbers, then text.

    >>> sort_names(["b", 2, "a", 2])
    (2, 'a', 'b')
    """
    return tuple(sorted(set(names), key=lambda name: (isinstance(name, str), name)))


def check_mixed(names: Iterable[Hashable], what: str = "labels") -> None:
    """Raise if some labels are booleans and others numbers: in Python True equals 1."""
    kinds = {bool: None, int: None} | {type(name): name for name in names}
    if kinds[bool] is not None and kinds[int] is not None:
        raise InputError(
            f"{what} must not mix booleans and numbers, got {kinds[bool]!r} and {kinds[int]!r}, since True equals 1. "
            "Make all of them numbers or all of them booleans."
        )


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The edges in the order in which they were given: loops, repeats and both directions included.

    Attributes
    ----------
    source, target
        int32 (num_given,): the rows of the two ends.
    columns
        Name → one value per edge, for the attributes that were kept.

    Examples
    --------
    >>> table = EdgeTable(np.array([0, 1]), np.array([1, 2]), {"bond": np.array(["single", "double"])})
    >>> len(table), table.column("bond").tolist()
    (2, ['single', 'double'])
    """

    source: Int32s
    target: Int32s
    columns: dict[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.source)

    def column(self, name: str) -> Array:
        """Return the values of an attribute; raise if it was not kept."""
        if name not in self.columns:
            raise unknown_attribute(name, self.columns, "the graph")
        return self.columns[name]


def is_from(package: str, data: Any) -> bool:
    """Return whether a package defines the class of an object or one of its base classes.

    >>> is_from("numpy", np.zeros(2)), is_from("networkx", [])
    (True, False)
    """
    return any(cls.__module__.partition(".")[0] == package for cls in type(data).__mro__)


def as_numpy(data: Any) -> Any:
    """Return a tensor as an array, and a masked array as one with None for what is masked.

    What an unknown package gives as Arrow becomes a column or a table of pyarrow; anything else is unchanged.

    >>> as_numpy([1, 2]), as_numpy(np.ma.array([1, 2], mask=[False, True])).tolist()
    ([1, 2], [1, None])
    """
    if is_from("torch", data) and hasattr(data, "detach"):
        try:
            return np.asarray(data.detach().cpu())
        except (TypeError, RuntimeError) as error:  # sparse, quantized, bfloat16, without data
            raise InputError(
                f"a tensor must be dense and have numbers of a type that NumPy has, got {show_value(data)}. Call "
                "its to_dense() or float() first."
            ) from error
    if isinstance(data, np.ma.MaskedArray):
        return (
            np.array(data.tolist(), dtype=object) if np.ma.is_masked(data) else data.data
        )  # None where masked
    return from_arrow(data)


def as_keep(keep: Keep) -> tuple[str, ...] | None:
    """Return the names of the edge attributes to keep; None if no edge table is kept.

    >>> as_keep("bond"), as_keep(["bond", "weight"]), as_keep(None)
    (('bond',), ('bond', 'weight'), None)
    """
    if keep is None:
        return None
    names: tuple[Any, ...] = tuple(keep) if is_iterable(keep) else (keep,)
    for name in names:
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise InputError(
                f"keep must be the name of an edge attribute, or several, got {show_value(name)}."
            )
    return names


def make_table(
    source: Array, target: Array, names: tuple[str, ...] | None, column: Callable[[str], Any]
) -> EdgeTable | None:
    """Return the table of some edges; `column` returns the values of an attribute. None if nothing is kept."""
    if names is None:
        return None
    first, second = (np.ascontiguousarray(end, dtype=np.int32) for end in (source, target))
    return EdgeTable(first, second, {name: as_column(column(name), len(source), name) for name in names})


def as_column(data: Any, size: int, name: str) -> Array:
    """Return one value per edge as an array of numbers or objects; a one-hot row becomes the position of its one.

    >>> as_column([[0, 1], [1, 0]], 2, "bond").tolist(), as_column(["a", 1], 2, "kind").tolist()
    ([1, 0], ['a', 1])
    """
    data = as_numpy(data)
    as_list = getattr(data, "to_list", None) or getattr(data, "to_pylist", None)  # of pyarrow
    if not is_iterable(data) or is_from("scipy", data):
        raise InputError(
            f"{show_value(name)} must have one value per edge as given: {size:,}, got {show_value(data)}."
        )
    values: Array
    if isinstance(data, np.ndarray):
        values = data
    elif as_list is None and hasattr(data, "__array__"):  # such as an encoding
        values = np.asarray(data)
    else:
        listed = list(data) if as_list is None else as_list()
        listed = [None if value is np.ma.masked else value for value in listed]  # its item() is 0.0
        listed = [value.item() if getattr(value, "shape", None) == () else value for value in listed]
        kinds = set(map(type, listed))
        is_uniform = kinds <= {int} or kinds <= {int, float} or kinds <= {str}
        is_uniform |= kinds <= {list} and len(set(map(len, listed))) == 1
        values = np.array(listed) if is_uniform and listed else as_objects(listed)
        # NumPy makes floats of whole numbers on both sides of 2**63.
        if values.dtype.kind == "f" and (kinds == {int} or (int in kinds and any(map(is_rounded, listed)))):
            values = as_objects(listed)
    values = flat_values(values)
    if values.ndim != 1 or len(values) != size:
        raise InputError(
            f"{show_value(name)} must have one value per edge as given: {size:,}, got shape {values.shape}."
        )
    return values


def flat_values(values: Array) -> Array:
    """Return an array of one column, or of one-hot rows, with one dimension; any other array unchanged."""
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    is_wide = values.ndim == 2 and values.shape[1] > 0
    if is_wide and ((values == 0) | (values == 1)).all() and (values.sum(axis=1) == 1).all():
        values = values.argmax(axis=1)
    return values


def exact_number(text: str) -> int | float | Decimal:
    """Return the number that a text spells: a float, unless this would round digits beyond 2**53.

    Digits with an exponent are those of a float.

    >>> exact_number("3"), exact_number("9007199254740993"), exact_number("1.2345678901234567e+30")
    (3.0, 9007199254740993, 1.2345678901234567e+30)
    >>> exact_number("9007199254740993.5")
    Decimal('9007199254740993.5')
    """
    number = float(text)
    if abs(number) < 2**53 or "e" in text.lower():
        return number
    exact = int(text) if WHOLE.fullmatch(text) else Decimal(text)
    return number if exact == number else exact


def is_rounded(value: Any) -> bool:
    """Return whether a value is a number beyond 2**53 that no float equals.

    >>> is_rounded(2**53 + 1), is_rounded(2**60), is_rounded(0.1), is_rounded(Decimal("9007199254740993.5"))
    (True, False, False, True)
    """
    if isinstance(value, Decimal):
        return abs(float(value)) >= 2**53 and Decimal(float(value)) != value
    return (
        isinstance(value, int | np.integer)
        and abs(int(value)) > 2**53
        and (abs(int(value)) >= 2**1023 or int(float(value)) != value)
    )


def as_objects(listed: list[Any]) -> Array:
    """Return a list as an array of objects."""
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def unknown_attribute(name: Any, attributes: Iterable[str], kind: str) -> InputError:
    """Return the error for an attribute that the input does not have.

    >>> print(unknown_attribute("bnd", ["bond", "weight"], "a networkx graph"))
    a networkx graph has no edge attribute 'bnd'. Did you mean 'bond'? It has 'bond', 'weight'.
    """
    names = [str(each) for each in attributes]
    hint = did_you_mean(name, names)
    has = f" It has {', '.join(map(show_value, names[:9]))}."
    if not names:
        has = " It has none" + in_python(": give keep= to keep some.", ". Give the file of the graph.")
    return InputError(f"{kind} has no edge attribute {show_value(name)}.{hint}{has}")


def from_fields(fields: Sequence[dict[str, Any]], kind: str) -> Callable[[str], Any]:
    """Return a function that lists one attribute of all edges, given a dictionary of attributes per edge."""

    def column(name: str) -> list[Any]:
        missing = [position for position, each in enumerate(fields) if name not in each]
        if fields and len(missing) == len(fields):
            raise unknown_attribute(name, dict.fromkeys(key for each in fields[:1000] for key in each), kind)
        if missing:
            raise InputError(
                f"every edge must have the attribute {show_value(name)}: {len(missing):,} of {len(fields):,} have "
                f"none, first edge {missing[0]} (counted from 0)."
            )
        return [each[name] for each in fields]

    return column


class CountedColumn(str):
    """A column as the command line takes it: its name, or its position counted from 1.

    >>> CountedColumn("3").position, CountedColumn("amount").position
    (2, None)
    """

    @property
    def position(self) -> int | None:
        """Return the position counted from 0 if the text is a number, else None."""
        return int(self) - 1 if self.isascii() and self.isdigit() and len(self) < 10 else None


def column_position(column: str | int, names: list[Any], width: int, kind: str) -> int:
    """Return where a column is, counted from 0; `names` is empty if the file has no header.

    A number is a position counted from 0, the text of a number on the command line one counted from 1.

    >>> column_position("w", ["u", "v", "w"], 3, "a.csv"), column_position(CountedColumn("3"), [], 3, "a.csv")
    (2, 2)
    """
    position = (
        column.position if isinstance(column, CountedColumn) else column if isinstance(column, int) else None
    )
    named = names.index(column) if column in names else None
    if names.count(column) > 1:
        raise InputError(
            f"{kind}: {names.count(column)} columns are named {show_value(column)}. Rename all but one."
        )
    if named is not None and position is not None and named != position:
        raise InputError(f"{kind}: {column} may be a column's name or its position. Rename the column.")
    index = position if named is None else named
    if index is not None and 0 <= index < width:
        return index
    if names:
        raise unknown_attribute(column, names, kind)
    first = int(isinstance(column, CountedColumn))
    span = f"{first} to {width - 1 + first}" if width else "none"
    raise InputError(
        f"{kind} has no column {show_value(column)}: it has no header, so columns are given by position ({span})."
    )


def reject_empty(values: list[str], column: str | int, name: str, missing: Container[str]) -> list[str]:
    """Return the fields of a column; raise if some are `missing` values, such as "" and NULL.

    >>> reject_empty(["1.5", ""], "w", "a.csv", ("", "NULL"))
    Traceback (most recent call last):
        ...
    egonet.errors.FileError: a.csv: every edge must have a value in column 'w': 1 of 2 have none, first edge 1 \
(counted from 0). Fill it in, or set missing="drop" to leave such lines out.
    """
    empty = [position for position, value in enumerate(values) if value in missing]
    if empty:
        raise FileError(
            f"{name}: every edge must have a value in column {show_value(column)}: {len(empty):,} of {len(values):,} "
            f"have none, first edge {empty[0]} (counted from 0). Fill it in, or set {option('missing', 'drop')} to "
            "leave such lines out."
        )
    return values


def named_columns(columns: tuple[Any, ...], names: list[str]) -> dict[Any, str]:
    """Return the names of some columns of a table, by what was given: the name or the position.

    >>> named_columns(("w", 3), ["u", "v", "w", "x"])
    {'w': 'w', 3: 'x'}
    """
    return {column: names[column_position(column, names, len(names), "the table")] for column in columns}


def is_number(text: str) -> bool:
    """Return whether a text spells a finite number; digits with leading zeros are a code.

    >>> is_number("17"), is_number("-2.5e3"), is_number("007"), is_number("nan"), is_number("1_0")
    (True, True, False, False, False)
    """
    if "_" in text or (DIGITS.fullmatch(text) and not WHOLE.fullmatch(text)):
        return False
    try:
        return isfinite(float(text))
    except ValueError:
        return False

"""The edges of a graph as they were given, with the attributes that reading kept."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from egonet.errors import FileError, InputError, did_you_mean
from egonet.graph.ids import show
from egonet.typing import Array, Int32s

#: The option `keep`: the names of the attributes to keep, or one name.
Keep: TypeAlias = Sequence[str] | str | None
#: Texts that Python takes for numbers, though two of them may be one number: leading zeros, _ and other digits.
_CODE = re.compile(r"[+-]?0[0-9]|.*[^\x00-\x7f]|.*_")

#: Whole numbers, by the rule for ids of a graph file: 007 is not 7, and int() raises for longer ones.
WHOLE = re.compile("0|-?[1-9][0-9]{0,4299}")
#: Digits that are a code unless they are a whole number: with leading zeros, or too many.
DIGITS = re.compile("-?[0-9]+")


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


def as_keep(keep: Keep) -> tuple[str, ...] | None:
    """Return the names of the edge attributes to keep; None if no edge table is kept.

    >>> as_keep("bond"), as_keep(["bond", "weight"]), as_keep(None)
    (('bond',), ('bond', 'weight'), None)
    """
    if keep is None:
        return None
    names = (keep,) if isinstance(keep, str) else tuple(keep) if isinstance(keep, Iterable) else (keep,)
    for name in names:
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise InputError(f"keep must be the name of an edge attribute, or several, got {show(name)}.")
    return names


def make_table(
    source: Array, target: Array, names: tuple[str, ...] | None, column: Callable[[str], Any]
) -> EdgeTable | None:
    """Return the table of some edges; `column` returns the values of an attribute. None if nothing is kept."""
    if names is None:
        return None
    first, second = (np.ascontiguousarray(end, dtype=np.int32) for end in (source, target))
    return EdgeTable(first, second, {name: as_column(column(name), len(source), name) for name in names})


def as_column(given: Any, size: int, name: str) -> Array:
    """Return one value per edge as an array of numbers or objects; a one-hot row becomes the position of its one.

    >>> as_column([[0, 1], [1, 0]], 2, "bond").tolist(), as_column(["a", 1], 2, "kind").tolist()
    ([1, 0], ['a', 1])
    """
    given = np.asarray(given.detach().cpu()) if hasattr(given, "detach") else given
    values: Array
    if isinstance(given, np.ndarray):
        values = given
    else:
        listed = given.to_list() if hasattr(given, "to_list") else list(given)
        kinds = set(map(type, listed))
        whole = kinds <= {int} or kinds <= {int, float} or kinds <= {str} or kinds <= {list}
        values = np.array(listed) if whole and listed else as_objects(listed)
    values = flat_values(values)
    if values.ndim != 1 or len(values) != size:
        raise InputError(
            f"{show(name)} must have one value per edge as given: {size:,}, got shape {values.shape}."
        )
    return values


def flat_values(values: Array) -> Array:
    """Return an array of one column, or of one-hot rows, with one dimension; any other array unchanged."""
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim == 2 and ((values == 0) | (values == 1)).all() and (values.sum(axis=1) == 1).all():
        values = values.argmax(axis=1)
    return values


def typed_values(texts: list[str]) -> list[Any]:
    """Return texts as whole numbers if all of them are, else as numbers if all are, else unchanged.

    "01" and "1_0" are codes, as in ids: as numbers they would be the same as "1" and "10".

    >>> typed_values(["1", "2"]), typed_values(["1", "2.5"]), typed_values(["1", "x"]), typed_values(["1", "01"])
    ([1, 2], [1.0, 2.5], ['1', 'x'], ['1', '01'])
    """
    if any(isinstance(text, str) and _CODE.match(text) for text in texts):
        return texts
    kinds: tuple[type, ...] = (int, float)
    for kind in kinds:
        try:
            return [kind(text) for text in texts]
        except (TypeError, ValueError):
            continue
    return texts


def as_objects(listed: list[Any]) -> Array:
    """Return a list as an array of objects."""
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def unknown_attribute(name: Any, known: Iterable[str], kind: str) -> InputError:
    """Return the error for an attribute that the input does not have.

    >>> print(unknown_attribute("bnd", ["bond", "weight"], "a networkx graph"))
    a networkx graph has no edge attribute 'bnd'. Did you mean 'bond'? It has 'bond', 'weight'.
    """
    names = [str(each) for each in known]
    hint = did_you_mean(name, names)
    has = f" It has {', '.join(map(show, names[:9]))}." if names else " It has none: give keep= to keep some."
    return InputError(f"{kind} has no edge attribute {show(name)}.{hint}{has}")


def from_fields(fields: Sequence[dict[str, Any]], kind: str) -> Callable[[str], Any]:
    """Return a function that lists one attribute of all edges, given a dictionary of attributes per edge."""

    def column(name: str) -> list[Any]:
        missing = [position for position, each in enumerate(fields) if name not in each]
        if fields and len(missing) == len(fields):
            raise unknown_attribute(name, dict.fromkeys(key for each in fields[:1000] for key in each), kind)
        if missing:
            raise InputError(
                f"every edge must have the attribute {show(name)}: {len(missing):,} of {len(fields):,} have "
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
    given = (
        column.position if isinstance(column, CountedColumn) else column if isinstance(column, int) else None
    )
    named = names.index(column) if column in names else None
    if names.count(column) > 1:
        raise InputError(
            f"{kind}: {names.count(column)} columns are named {show(column)}. Rename all but one."
        )
    if named is not None and given is not None and named != given:
        raise InputError(f"{kind}: {column} may be a column's name or its position. Rename the column.")
    found = given if named is None else named
    if found is not None and 0 <= found < width:
        return found
    if names:
        raise unknown_attribute(column, names, kind)
    first = int(isinstance(column, CountedColumn))
    span = f"{first} to {width - 1 + first}" if width else "none"
    raise InputError(
        f"{kind} has no column {show(column)}: it has no header, so columns are given by position ({span})."
    )


def reject_empty(values: list[str], column: str | int, name: str) -> list[str]:
    """Return the fields of a column; raise if some are empty.

    >>> reject_empty(["1.5", ""], "w", "a.csv")
    Traceback (most recent call last):
        ...
    egonet.errors.FileError: a.csv: every edge must have a value in column 'w': 1 of 2 have none, first edge 1 \
(counted from 0). Drop the line or fill it in.
    """
    empty = [position for position, value in enumerate(values) if value == ""]
    if empty:
        raise FileError(
            f"{name}: every edge must have a value in column {show(column)}: {len(empty):,} of {len(values):,} have "
            f"none, first edge {empty[0]} (counted from 0). Drop the line or fill it in."
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

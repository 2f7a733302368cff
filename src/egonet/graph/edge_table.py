"""The edges of a graph as they were given, with the attributes that reading kept."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from egonet.errors import InputError, did_you_mean
from egonet.graph.ids import show
from egonet.typing import Array, Int32s

#: The option `keep`: the names of the attributes to keep, or one name.
Keep: TypeAlias = Sequence[str] | str | None
#: Texts that Python takes for numbers, though two of them may be one number: leading zeros, _ and other digits.
_CODE = re.compile(r"[+-]?0[0-9]|.*[^\x00-\x7f]|.*_")


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

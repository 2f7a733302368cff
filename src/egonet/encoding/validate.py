"""What must hold of settings and arrays that come from a file; ValueError where it does not."""

from dataclasses import fields
from typing import Any

import numpy as np

from egonet.encoding.settings import Settings
from egonet.graph.ids import is_id
from egonet.kernel.rows import Rows
from egonet.typing import Int64s

Array = np.ndarray[Any, Any]


def sound_array(array: Array, dtype: Any, ndim: int = 1) -> Array:
    """Return an array if it has a type and a number of dimensions.

    Examples
    --------
    >>> sound_array(np.arange(2), np.int32)
    Traceback (most recent call last):
        ...
    ValueError: expected int32 in 1 dimensions, got int64 in 1
    """
    if array.dtype != dtype or array.ndim != ndim:
        expected = f"{np.dtype(dtype)} in {ndim} dimensions"
        raise ValueError(f"expected {expected}, got {array.dtype} in {array.ndim}")
    return array


def sound_pointers(indptr: Array, size: int) -> Int64s:
    """Return where rows begin and end if that rises from 0 to `size`."""
    pointers = sound_array(indptr, np.int64)
    if not len(pointers) or pointers[0] != 0 or pointers[-1] != size or (np.diff(pointers) < 0).any():
        raise ValueError("rows do not begin where the one before ends")
    return pointers


def sound_rows(rows: Rows) -> Rows:
    """Return rows if every part has its type, and columns and counts are within what they may be."""
    sound_pointers(rows.indptr, len(rows.columns))
    sound_array(rows.keys, np.int64, 2)
    sound_entries(rows.columns, rows.counts, len(rows.keys))
    return rows


def sound_entries(columns: Array, counts: Array, num_columns: int) -> None:
    """Raise unless every entry is at least 1 and in a column that there is."""
    sound_array(columns, np.int32)
    sound_array(counts, np.int32)
    if len(columns) != len(counts):
        raise ValueError("columns and counts differ in length")
    if len(columns) and not 0 <= columns.min() <= columns.max() < num_columns:
        raise ValueError("an entry has no column")
    if len(counts) and counts.min() < 1:
        raise ValueError("a count is below 1")


def sound_numbers(array: Array, dtype: Any, size: int, limit: int) -> None:
    """Raise unless there are `size` numbers of a type, each at least 0 and below `limit`."""
    sound_array(array, dtype)
    if len(array) != size or (size and not 0 <= array.min() <= array.max() < limit):
        raise ValueError(f"expected {size} numbers from 0 up to {limit}")


def sound_keys(keys: Array, settings: Settings) -> Int64s:
    """Return keys if they are as wide as the settings say, with radii of theirs and nothing below 0."""
    sound_array(keys, np.int64, 2)
    if keys.shape[1] != 1 + len(settings.field_names) or (keys < 0).any():
        raise ValueError("the keys of the columns are not those of the settings")
    if not set(np.unique(keys[:, 0]).tolist()) <= set(settings.radius):
        raise ValueError("a column has a radius that is not among the settings")
    return keys


def sound_settings(words: dict[str, Any]) -> Settings:
    """Return the settings that a file holds, every word checked."""
    strange = sorted(set(words) - {field.name for field in fields(Settings)})
    if strange:
        raise ValueError(f"there is no setting {strange[0]!r}")
    for word in ("frontier_edges", "common"):
        if not isinstance(words.get(word, True), bool):
            raise ValueError(f"{word} is neither true nor false")
    labels = words.get("labels")
    if labels is not None and not all(isinstance(label, int | str) for label in labels):
        raise ValueError("a label is neither a string nor a whole number")
    return Settings(**words | {"radius": list(words["radius"])})


def sound_nodes(nodes: Array) -> Array:
    """Return the ids of rows if all of them are ids."""
    if nodes.ndim != 1:
        raise ValueError("ids must be in one line")
    if np.issubdtype(nodes.dtype, np.integer):
        if len(nodes) and nodes.min() < 0:
            raise ValueError("an id is below 0")
    elif nodes.dtype != object or not all(is_id(node) for node in nodes.tolist()):
        raise ValueError("an id is neither a string nor a whole number")
    return nodes

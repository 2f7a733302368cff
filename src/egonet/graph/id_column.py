"""A column of node ids as other packages hold it: a list, a series, or an array or frame of one column."""

from typing import Any

import numpy as np

from egonet.errors import InputError


def id_column(ids: Any, taker: str) -> list[Any]:
    """Return the ids as plain values; `taker` is who asks for them, for the messages.

    Examples
    --------
    >>> id_column(np.array([[3], [5]]), "NodeEncoder")
    [3, 5]
    >>> id_column("ab", "NodeEncoder")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: NodeEncoder takes a column of node ids, got 'ab'.
    """
    if hasattr(ids, "columns") and hasattr(ids, "shape"):
        if ids.shape[1] != 1:
            raise InputError(
                f"{taker} takes one column of node ids, got a frame with {ids.shape[1]} columns."
            )
        ids = ids[next(iter(ids.columns))]
    if isinstance(ids, str | bytes) or not hasattr(ids, "__len__"):
        raise InputError(f"{taker} takes a column of node ids, got {ids!r}.")
    if isinstance(ids, list | tuple):
        return [row[0] if isinstance(row, list) and len(row) == 1 else row for row in ids]
    array = np.asarray(ids)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{taker} takes one column of node ids, got an array of shape {array.shape}.")
    return list(array.tolist())

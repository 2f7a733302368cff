"""What PyG's `Data`, or one node type of `HeteroData`, says of its vertices: their number and their labels."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from egonet.errors import InputError


def node_count(store: Any, kind: str | None = None) -> int:
    """Return the number of vertices of a graph or a node type."""
    size = store.num_nodes
    if size is None:
        raise InputError(f"the number of vertices of {kind or 'the graph'!r} is not known. Set num_nodes.")
    return int(size)


def labels_of_all(graphs: Iterable[Any], name: str | None) -> list[np.ndarray[Any, Any]] | None:
    """Return the labels of each of some graphs, or None if there are none."""
    return None if name is None else [labels_of(data, name) for data in graphs]


def labels_of(store: Any, name: str) -> np.ndarray[Any, Any]:
    """Return the vertex labels of a graph: whole numbers, one-hot rows as the position of their one.

    Examples
    --------
    >>> labels_of({"atom": [[0, 1], [1, 0]]}, "atom").tolist()
    [1, 0]
    """
    if name not in store:
        raise InputError(f"labels names the attribute {name!r}, which {store!r} does not have.")
    values = store[name]
    array: np.ndarray[Any, Any] = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    elif array.ndim == 2:
        if not ((array == 0) | (array == 1)).all() or (array.sum(axis=1) != 1).any():
            raise InputError(f"labels must be whole numbers or one-hot rows, but {name!r} is neither.")
        array = array.argmax(axis=1)
    return array

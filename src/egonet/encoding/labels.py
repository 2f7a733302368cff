"""Vertex labels as numbers: in row order or by id, known names only once a vocabulary is learned."""

from collections.abc import Collection, Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np

from egonet.errors import InputError
from egonet.graph.ids import show
from egonet.types import Int32s, Int64s

Names: TypeAlias = tuple[Hashable, ...]
#: One label per vertex: a list, an array, a tensor, a series, or a mapping from vertex id to label.
Labels: TypeAlias = Collection[Any]


def as_labels(
    labels: Labels | None, nodes: np.ndarray[Any, Any], graph_ptr: Int64s, known: Names | None
) -> tuple[Int32s | None, Names | None]:
    """Return a number per vertex and the names the numbers stand for.

    Several graphs take one sequence (or mapping) per graph, or one flat sequence over all. Names are sorted, so
    that the numbers do not depend on the order of the vertices. A label that `known` does not have gets the
    number after the last, which no column holds.

    Examples
    --------
    >>> nodes, one_graph = np.array(["x", "y", "z"]), np.array([0, 3])
    >>> numbers, names = as_labels(["N", "C", "C"], nodes, one_graph, None)
    >>> numbers.tolist(), names
    ([1, 0, 0], ('C', 'N'))
    >>> as_labels({"x": "O", "y": "C", "z": "N"}, nodes, one_graph, names)[0].tolist()
    [2, 0, 1]
    >>> as_labels([["C"], {"z": "O", "y": "N"}], nodes, np.array([0, 1, 3]), names)[0].tolist()
    [0, 1, 2]
    """
    if labels is None:
        if known is not None:
            raise InputError("the vocabulary was learned with vertex labels. Give labels= here too.")
        return None, None
    found, places = _distinct(labels, nodes, graph_ptr)
    names = known if known is not None else tuple(sorted(set(found), key=_sort_key))
    number = {name: position for position, name in enumerate(names)}
    table = np.array([number.get(name, len(names)) for name in found], dtype=np.int32)
    return table[places], names


def _distinct(
    labels: Labels, nodes: np.ndarray[Any, Any], graph_ptr: Int64s
) -> tuple[list[Hashable], Int64s]:
    """Return the distinct labels, plain Python values, and for every vertex the place of its own."""
    if not _is_per_graph(labels, len(graph_ptr) - 1):
        return _factorize(_in_row_order(labels, nodes, ""))
    parts = [
        _factorize(_in_row_order(part, nodes[first:last], f" (graph {index})"))
        for index, (part, first, last) in enumerate(zip(labels, graph_ptr[:-1], graph_ptr[1:], strict=True))
    ]
    place: dict[Hashable, int] = {}
    numbers = [
        np.array([place.setdefault(name, len(place)) for name in found], dtype=np.int64) for found, _ in parts
    ]
    places = [table[inverse] for table, (_, inverse) in zip(numbers, parts, strict=True)]
    return list(place), np.concatenate([np.empty(0, dtype=np.int64), *places])


def _is_per_graph(labels: Labels, num_graphs: int) -> bool:
    """Return whether there is a sequence or mapping of labels for each of several graphs."""
    if not isinstance(labels, list | tuple) or not labels:
        return False
    nested = [_is_nested(part) for part in labels]
    if not any(nested):
        return False
    if not all(nested) or len(labels) != num_graphs:
        raise InputError(
            f"labels must be one sequence or mapping per graph ({num_graphs:,}), or one flat sequence, "
            f"got {len(labels):,} entries, {sum(nested):,} of them sequences."
        )
    return True


def _is_nested(part: Any) -> bool:
    """Return whether an entry of a list of labels holds labels itself: no text, and not a single value."""
    return isinstance(part, list | tuple | Mapping) or len(getattr(part, "shape", ())) > 0


def _in_row_order(labels: Labels, nodes: np.ndarray[Any, Any], where: str) -> Any:
    """Return one label per vertex as an array or a list, or say which is missing."""
    if isinstance(labels, Mapping):
        ids = nodes.tolist()
        missing = [node for node in ids if node not in labels]
        if missing:
            raise InputError(
                f"labels must name every vertex{where}: {len(missing):,} of {len(ids):,} are missing, "
                f"first {', '.join(map(show, missing[:3]))}."
            )
        return [labels[node] for node in ids]
    listed = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    if isinstance(listed, np.ndarray) and listed.ndim != 1:
        raise InputError(
            f"labels must be one entry per vertex, got an array of shape {np.shape(listed)}{where}."
        )
    if len(listed) != len(nodes):
        raise InputError(
            f"labels must have one entry per vertex{where}: {len(nodes):,}, got {len(listed):,}."
        )
    return listed


def _factorize(listed: Any) -> tuple[list[Hashable], Int64s]:
    """Return the distinct labels and the place of each entry among them, in C loops."""
    if isinstance(listed, np.ndarray) and listed.dtype.kind in "iubUf":
        distinct, places = np.unique(listed, return_inverse=True)
        return [_plain(label) for label in distinct.tolist()], places.astype(np.int64, copy=False)
    try:
        place = {label: position for position, label in enumerate(dict.fromkeys(listed))}
    except TypeError:
        strange = next(label for label in listed if not isinstance(label, Hashable))
        raise InputError(f"labels must be whole numbers or strings, got {strange!r}.") from None
    places = np.fromiter(map(place.__getitem__, listed), dtype=np.int64, count=len(listed))
    return [_plain(label) for label in place], places


def _plain(label: Any) -> Hashable:
    """Return a label as a plain Python value; floats are not labels."""
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, int | str):
        raise InputError(f"labels must be whole numbers or strings, got {plain!r}.")
    return plain


def _sort_key(label: Hashable) -> tuple[str, Any]:
    """Return a key that puts numbers in numeric and strings in text order, kinds apart."""
    return ("number", label) if isinstance(label, int) else ("text", str(label))

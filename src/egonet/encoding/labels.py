"""Vertex labels as numbers: in row order or by id, known names only once a vocabulary is learned."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.types import Int32s

Names = tuple[Hashable, ...]


def as_labels(
    labels: Mapping[Hashable, Hashable] | Sequence[Hashable] | None, graph: Graph, known: Names | None
) -> tuple[Int32s | None, Names | None]:
    """Return a number per vertex and the names the numbers stand for.

    Names are sorted, so that the numbers do not depend on the order of the vertices. A label that `known` does
    not have gets the number after the last, which no column holds.

    Examples
    --------
    >>> graph = Graph.from_edges([("x", "y"), ("y", "z")])
    >>> numbers, names = as_labels(["N", "C", "C"], graph, None)
    >>> numbers.tolist(), names
    ([1, 0, 0], ('C', 'N'))
    >>> as_labels({"x": "O", "y": "C", "z": "N"}, graph, names)[0].tolist()
    [2, 0, 1]
    """
    if labels is None:
        if known is not None:
            raise InputError("the vocabulary was learned with vertex labels. Give labels= here too.")
        return None, None
    listed = _in_row_order(labels, graph)
    names = known if known is not None else tuple(sorted(set(listed), key=_sort_key))
    number = {name: position for position, name in enumerate(names)}
    return np.array([number.get(label, len(names)) for label in listed], dtype=np.int32), names


def _in_row_order(labels: Mapping[Hashable, Hashable] | Sequence[Hashable], graph: Graph) -> list[Hashable]:
    """Return one label per vertex, plain Python values, or say which is missing."""
    if isinstance(labels, Mapping):
        ids = graph.node_ids.tolist()
        missing = [node for node in ids if node not in labels]
        if missing:
            raise InputError(
                f"labels must name every vertex: {len(missing):,} of {len(ids):,} are missing, "
                f"first {', '.join(map(show, missing[:3]))}."
            )
        return [_plain(labels[node]) for node in ids]
    listed = [_plain(label) for label in labels]
    if len(listed) != graph.num_nodes:
        raise InputError(f"labels must have one entry per vertex: {graph.num_nodes:,}, got {len(listed):,}.")
    return listed


def _plain(label: Any) -> Hashable:
    """Return a label as a plain Python value; floats are not labels."""
    plain = label.item() if hasattr(label, "item") else label
    if isinstance(plain, float) or plain is None or not isinstance(plain, Hashable):
        raise InputError(f"labels must be whole numbers or strings, got {plain!r}.")
    return plain


def _sort_key(label: Hashable) -> tuple[str, Any]:
    """Return a key that puts numbers in numeric and strings in text order, kinds apart."""
    return ("number", label) if isinstance(label, int) else ("text", str(label))

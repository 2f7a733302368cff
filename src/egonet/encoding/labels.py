"""Node labels: aligned with the rows of the graph, checked, and numbered."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from egonet.attributes.edge_types import align_by_id, is_nested
from egonet.attributes.ring_statistics import ID_COLUMNS, as_node_table
from egonet.errors import InputError
from egonet.graph.convert import is_from
from egonet.graph.ids import is_encodable, show
from egonet.typing import Array, Int32s, Int64s

__all__ = ["ID_COLUMNS", "Labels", "Names", "as_labels", "by_id", "check_mixed", "label_name"]

Names: TypeAlias = tuple[Hashable, ...]
#: One label per node: in row order (a list, an array, a tensor), or by id (a mapping, a pandas Series, a table).
Labels: TypeAlias = Collection[Any]


def as_labels(
    labels: Labels | None, nodes: Array, graph_ptr: Int64s, known: Names | None, what: str = "labels"
) -> tuple[Int32s | None, Names | None]:
    """Return a number per node and the names of the numbers; `what` is the argument in messages.

    Several graphs take one sequence (or mapping) per graph, or one flat sequence over all. A mapping, a pandas
    Series and a table with an id column are aligned by id. Names are sorted: the numbers do not depend on the order of
    the nodes. A label that is not `known` gets the number after the last, which has no column.

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
            raise InputError("the vocabulary was learned with node labels. Give labels= here too.")
        return None, None
    found, positions = _distinct(labels, nodes, graph_ptr, what)
    check_mixed([*found, *(known or ())], what)
    names = (
        known
        if known is not None
        else tuple(sorted(set(found), key=lambda label: (isinstance(label, str), label)))
    )
    number = {name: position for position, name in enumerate(names)}
    table = np.array([number.get(name, len(names)) for name in found], dtype=np.int32)
    return table[positions], names


def label_name(label: Hashable) -> str:
    """Return a label as it appears in a column name; text that reads like a number or a boolean is quoted.

    >>> label_name(1), label_name("1"), label_name("C")
    ('1', "'1'", 'C')
    """
    text = str(label)
    digits = text.removeprefix("-").isdecimal()
    unclear = digits or text in ("True", "False") or text.startswith(("'", '"'))
    return repr(label) if isinstance(label, str) and unclear else text


def check_mixed(names: Iterable[Hashable], what: str = "labels") -> None:
    """Raise if some labels are booleans and others numbers: in Python True equals 1."""
    kinds = {bool: None, int: None} | {type(name): name for name in names}
    if kinds[bool] is not None and kinds[int] is not None:
        raise InputError(
            f"{what} must not mix booleans and numbers, got {kinds[bool]!r} and {kinds[int]!r}, since True equals 1. "
            "Make all of them numbers or all of them booleans."
        )


def _distinct(labels: Labels, nodes: Array, graph_ptr: Int64s, what: str) -> tuple[list[Hashable], Int64s]:
    """Return the distinct labels, plain Python values, and for every node the position of its label."""
    labels = _as_collection(labels)
    if not _is_per_graph(labels, len(graph_ptr) - 1):
        if len(graph_ptr) > 2 and by_id(labels) is not None:
            raise InputError(
                "labels by id name the nodes of one graph, got one mapping or table for "
                f"{len(graph_ptr) - 1:,} graphs. Give a list with one per graph."
            )
        return _factorize(_in_row_order(labels, nodes, ""), what)
    flat = _flat_numbers(labels, np.diff(graph_ptr))
    if flat is not None:
        return _factorize(flat, what)
    parts = [
        _factorize(_in_row_order(part, nodes[first:last], f" (graph {index})"), what)
        for index, (part, first, last) in enumerate(zip(labels, graph_ptr[:-1], graph_ptr[1:], strict=True))
    ]
    position: dict[Hashable, int] = {}
    numbers = [
        np.array([position.setdefault(name, len(position)) for name in found], dtype=np.int64)
        for found, _ in parts
    ]
    positions = [table[inverse] for table, (_, inverse) in zip(numbers, parts, strict=True)]
    return list(position), np.concatenate([np.empty(0, dtype=np.int64), *positions])


def _flat_numbers(parts: Any, sizes: Int64s) -> Array | None:
    """Return arrays of whole numbers, one per graph and of the right sizes, as one array; None for other labels."""
    if any(type(part) is not np.ndarray or part.ndim != 1 or part.dtype.kind not in "iu" for part in parts):
        return None
    if list(map(len, parts)) != sizes.tolist() or len({part.dtype for part in parts}) != 1:
        return None
    return np.concatenate(parts)


def _is_per_graph(labels: Labels, num_graphs: int) -> bool:
    """Return whether there is a sequence or mapping of labels for each of several graphs."""
    if not isinstance(labels, list | tuple) or set(map(type, labels)) <= {int, str, float, bool}:
        return False
    nested = [is_nested(part) for part in labels]
    if not any(nested):
        return False
    if not all(nested) or len(labels) != num_graphs:
        raise InputError(
            f"labels must be one sequence or mapping per graph ({num_graphs:,}), or one flat sequence, "
            f"got {len(labels):,} entries, {sum(nested):,} of them sequences."
        )
    return True


def _as_collection(labels: Any) -> Any:
    """Return labels that can be read twice: iterators and views become lists, tensors become arrays."""
    labels = _as_mapping(labels)
    if isinstance(labels, list | tuple | Mapping | np.ndarray):
        return labels
    if hasattr(labels, "detach"):
        return np.asarray(labels.detach().cpu())
    if hasattr(labels, "shape"):
        return labels
    if isinstance(labels, str | bytes | set | frozenset) or not isinstance(labels, Iterable):
        hint = " For an attribute of a networkx graph give networkx.get_node_attributes(graph, name)."
        raise InputError(
            f"labels must be a sequence, a mapping or a Series, got {show(labels)}."
            f"{hint if isinstance(labels, str) else ''}"
        )
    return list(labels)


def _as_mapping(labels: Any) -> Any:
    """Return a view of networkx nodes, such as `graph.nodes(data="kind")`, as a mapping; anything else unchanged."""
    if not is_from("networkx", labels):
        return labels
    named = dict(labels.items() if isinstance(labels, Mapping) else labels)
    if any(isinstance(value, dict) for value in named.values()):
        raise InputError(
            'labels must be one attribute of the nodes, got all of them. Name it: graph.nodes(data="kind").'
        )
    return named


def by_id(labels: Any) -> Mapping[Any, Any] | None:
    """Return labels as a mapping from id to label if they name their nodes, or None if they are in row order."""
    labels = _as_mapping(labels)
    if isinstance(labels, Mapping | list | tuple | np.ndarray):
        return labels if isinstance(labels, Mapping) else None
    table = as_node_table(labels, "labels")
    if table is None:
        return None
    ids, columns = table
    if len(columns) != 1:
        raise InputError(
            "a table of labels must have a column 'node' or 'id' and one column of labels, got the columns "
            f"{', '.join(map(show, list(labels.columns)[:9]))}. Give a mapping, as in dict(zip(ids, labels))."
        )
    (values,) = columns.values()
    return dict(zip(ids, values, strict=True))


def _in_row_order(labels: Any, nodes: Array, where: str) -> Any:
    """Return one label per node as an array or a list, or raise an error that names a missing or unknown one."""
    labels = _as_collection(labels)
    named = by_id(labels)
    if named is not None:
        return align_by_id(named, nodes.tolist(), "labels", where)
    listed = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    if isinstance(listed, np.ndarray) and listed.ndim != 1:
        raise InputError(
            f"labels must be one entry per node, got an array of shape {np.shape(listed)}{where}."
        )
    if len(listed) != len(nodes):
        raise InputError(f"labels must have one entry per node{where}: {len(nodes):,}, got {len(listed):,}.")
    return listed


def _factorize(listed: Any, what: str) -> tuple[list[Any], Int64s]:
    """Return the distinct labels and the position of each entry among them, in C loops."""
    if isinstance(listed, np.ndarray) and listed.dtype.kind in "iu" and len(listed):
        low, high = int(listed.min()), int(listed.max())
        if high - low < len(listed) + 1000:  # a table over the range is faster than sorting
            shifted = (listed - listed.dtype.type(low)).astype(np.int64)
            used = np.bincount(shifted, minlength=high - low + 1) > 0
            return [number + low for number in np.flatnonzero(used).tolist()], (np.cumsum(used) - 1)[shifted]
    if isinstance(listed, np.ndarray) and listed.dtype.kind in "iubUf":
        distinct, positions = np.unique(listed, return_inverse=True)
        return [_plain(label, what) for label in distinct.tolist()], positions.astype(np.int64, copy=False)
    if {bool, np.bool_} & set(map(type, listed)):
        check_mixed([_plain(label, what) for label in listed], what)
    try:
        position = {label: position for position, label in enumerate(dict.fromkeys(listed))}
    except TypeError:
        strange = next(label for label in listed if not isinstance(label, Hashable))
        raise InputError(f"{what} must be whole numbers or strings, got {show(strange)}.") from None
    positions = np.fromiter(map(position.__getitem__, listed), dtype=np.int64, count=len(listed))
    return [_plain(label, what) for label in position], positions


def _plain(label: Any, what: str) -> Hashable:
    """Return a label as a plain Python value; floats are not labels."""
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, int | str):
        raise InputError(f"{what} must be whole numbers or strings, got {show(plain)}.")
    if isinstance(plain, str) and not is_encodable(plain):
        raise InputError(
            f"{what} must be text that UTF-8 can encode, got {show(plain)}."
            ' Decode the input again, with errors="replace".'
        )
    return plain

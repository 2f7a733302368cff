"""Attributes of nodes for link prediction: read, aligned with a graph, and compared around both ends of pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from egonet.errors import InputError, show_value
from egonet.graph.adapters import adapter_of
from egonet.graph.align import align_by_id, as_numbers, reject_unordered
from egonet.graph.columns import as_column, as_numpy, is_from
from egonet.graph.graph import Graph
from egonet.links.around import Columns, has_edge
from egonet.tables.nodes import as_node_table
from egonet.typing import Floats, Int64s

#: Matrices with more cells than this are reduced to some columns by a singular value decomposition.
MOST_CELLS, MOST_COLUMNS = 16_000_000, 256
#: Cells of the rows that are compared at once: as many as fit a cache.
_BLOCK = 2**18
#: Directions that are found in addition, and passes over the matrix: both make the largest ones exact.
_MORE, _PASSES = 64, 4
#: Lengths below this are rounding errors: rows have unit length.
_SMALL = 1e-9
#: Levels of the two ends that are compared both ways.
_CROSSED = ((0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class NodeAttributes:
    """Attributes of the nodes of a graph and their means over neighbors.

    Attributes
    ----------
    directions
        float64 (num_nodes + 2, 3, num_columns): of every node its own row, the mean over its neighbors, and the mean
        over the neighbors of those means, each with unit length, or 0 where there is nothing. The last two nodes are
        unknown ones.
    lengths
        float64 (num_nodes + 2, 3): the lengths of the three before they were made one.
    """

    directions: Floats
    lengths: Floats

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return int(self.directions.shape[2])


def read_attributes(attributes: Any, graph: Graph) -> NodeAttributes:
    """Return the attributes of every node of a graph.

    Parameters
    ----------
    attributes
        An array or a sparse matrix with a row per node in row order; a pandas data frame whose index has the node ids;
        another data frame with a column "node"; or a mapping from id to row. A cell of a table may be a row of numbers.
        Columns that are 0 for most nodes have larger weights, log(1 + num_nodes / number of nodes where they are not
        0), as the words of texts have. More than 16 million cells are reduced to 256 columns.

    Raises
    ------
    InputError
        If a node has no row, or a value is missing or not a number.

    Examples
    --------
    >>> found = read_attributes([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], Graph.from_edges([(0, 1), (1, 2)]))
    >>> found.directions[:3, 0].tolist(), found.directions[:3, 1].tolist()
    ([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    """
    own, _ = _unit(_reduce_columns(_weight_columns(_matrix(attributes, graph))))
    adjacency = graph.to_scipy().astype(np.float64)
    degrees = np.maximum(graph.degrees, 1)[:, None]
    one = adjacency @ own / degrees
    levels = np.zeros((graph.num_nodes + 2, 3, own.shape[1]))
    for level, part in enumerate((own, one, adjacency @ one / degrees)):
        levels[: graph.num_nodes, level] = part
    return NodeAttributes(*_unit(levels))


def _weight_columns(values: Any) -> Any:
    """Return columns times their weights, scaled so that no cell is larger than 1."""
    size, width = values.shape
    is_sparse = bool(issparse(values))
    cells = values.data if is_sparse else values
    counts = (
        np.bincount(values.indices[cells != 0], minlength=width) if is_sparse else (values != 0).sum(axis=0)
    )
    largest = float(np.abs(cells).max(initial=0.0)) or 1.0
    weights = np.log1p(size / np.maximum(counts, 1)) / np.log1p(size)
    scaled = values / largest * weights  # 1 / largest may be infinite
    return csr_array(scaled) if is_sparse else scaled


def check_order(attributes: Any, graph: Graph, data: Any, reading: Mapping[str, Any]) -> None:
    """Raise for attributes in row order if the data that a graph was read from have no order of nodes.

    >>> edges = [("b", "a")]
    >>> check_order({"b": [1.0], "a": [2.0]}, Graph.from_edges(edges), edges, {})
    >>> check_order([[1.0], [2.0]], Graph.from_edges(edges), edges, {})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: attributes in row order need ids 0 ... n - 1 or an object with its own order of nodes, \
got a sequence for ids such as 'b', 'a'. Give a mapping from id to attribute, a pandas Series or a table with a \
column "node".
    """
    is_ordered = data is graph or reading.get("nodes") is not None or adapter_of(data).has_order
    if attributes is None or is_ordered or isinstance(attributes, Mapping):
        return
    if issparse(attributes) or as_node_table(attributes, "attributes") is None:
        reject_unordered((), graph.node_ids, what="attributes")


def _matrix(attributes: Any, graph: Graph) -> Any:
    """Return the attributes in row order as an array or a sparse matrix."""
    values: Any = _as_scipy(attributes)
    is_sparse = bool(issparse(values))
    if is_sparse:
        if values.dtype.kind not in "iufb":
            raise InputError(f"attributes must be a matrix of real numbers, got one of {values.dtype}.")
        values = csr_array(values, dtype=np.float64)
        _check_numbers(values.data)
        return _check_shape(values, graph)
    table = as_node_table(attributes, "attributes")
    if table is not None:
        return _from_table(*table, graph)
    if isinstance(attributes, Mapping):
        attributes = align_by_id(attributes, graph.node_ids.tolist(), "attributes")
    try:
        values = np.asarray(as_numpy(attributes))
        values = values.astype(np.float64, casting="unsafe" if values.dtype.kind in "OUST" else "same_kind")
    except (TypeError, ValueError):
        raise InputError(
            f"attributes must be a matrix of numbers or a data frame, got {show_value(attributes)}."
        ) from None
    _check_numbers(_check_shape(values, graph))
    return values


def _as_scipy(attributes: Any) -> Any:
    """Return a sparse tensor as a sparse matrix, and anything else as it is."""
    if not is_from("torch", attributes) or "sparse" not in str(getattr(attributes, "layout", "")):
        return attributes
    entries = attributes.detach().cpu().to_sparse_coo().coalesce()
    return coo_array((entries.values().numpy(), tuple(entries.indices().numpy())), shape=tuple(entries.shape))


def _check_shape(values: Any, graph: Graph) -> Any:
    if values.ndim != 2 or values.shape[0] != graph.num_nodes or not values.shape[1]:
        raise InputError(
            f"attributes must have one row of numbers per node, {graph.num_nodes:,}, got shape {values.shape}. "
            "A data frame with the node ids as its index is matched by id."
        )
    return values


def _from_table(ids: list[Any], columns: dict[str, list[Any]], graph: Graph) -> Floats:
    """Return the rows of a table in the order of the graph, found by id."""
    if not columns:
        raise InputError("attributes must have at least one column, got a table without any.")
    rows = align_by_id({node: row for row, node in enumerate(ids)}, graph.node_ids.tolist(), "attributes")
    parts = [_numbers_of([column[row] for row in rows], name) for name, column in columns.items()]
    return np.hstack(parts)


def _numbers_of(cells: list[Any], name: str) -> Floats:
    """Return the cells of a column as float64 (num_nodes, num_numbers): one number each, or as many as a cell has."""
    if not any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        return as_numbers(as_column(cells, len(cells), name), f"attributes in column {name!r}", "node")[
            :, None
        ]
    rows = [np.asarray(cell, dtype=object) for cell in cells]
    shapes = {row.shape for row in rows}
    if len(shapes) > 1 or rows[0].ndim != 1 or not len(rows[0]):
        raise InputError(
            f"attributes in column {name!r} must be a number, or a row of as many numbers, for every node, got "
            f"{show_value(cells[0])} for the first one. Give rows of one length."
        )
    columns = [as_column(column.tolist(), len(cells), name) for column in np.stack(rows).T]
    return np.stack([as_numbers(each, f"attributes in column {name!r}", "node") for each in columns], axis=1)


def _check_numbers(values: Floats) -> None:
    wrong = int((~np.isfinite(values)).sum())
    if wrong:
        raise InputError(
            f"attributes must be finite numbers, got {wrong:,} missing or infinite ones. Fill them in."
        )


def _reduce_columns(values: Any) -> Floats:
    """Return a dense matrix; more than `MOST_CELLS` are reduced to `MOST_COLUMNS` by the largest singular values."""
    if values.shape[0] * values.shape[1] <= MOST_CELLS or min(values.shape) <= MOST_COLUMNS:
        dense: Floats = values if isinstance(values, np.ndarray) else values.toarray()
        return dense
    length = np.sqrt((values * values).sum(axis=1))
    scale = 1 / np.maximum(np.asarray(length).ravel(), _SMALL)
    scaled = values * scale[:, None]
    if not isinstance(values, np.ndarray):
        scaled = csr_array(scaled)
    return _largest_directions(scaled)


def _largest_directions(values: Any) -> Floats:
    """Return the rows of a matrix in the directions of its largest singular values, (num_rows, MOST_COLUMNS).

    The directions are found by products with a random matrix (Halko, Martinsson and Tropp 2011); the same in every run.
    """
    rng = np.random.default_rng(0)
    basis = values @ rng.normal(size=(values.shape[1], MOST_COLUMNS + _MORE))
    for _ in range(_PASSES):
        basis = values @ (values.T @ np.linalg.qr(basis)[0])
    basis = np.linalg.qr(basis)[0]
    left, singular, _ = np.linalg.svd(np.asarray(values.T @ basis).T, full_matrices=False)
    directions: Floats = basis @ (left[:, :MOST_COLUMNS] * singular[:MOST_COLUMNS])
    return directions


def compare_attributes(
    graph: Graph, attributes: NodeAttributes, rows: Int64s, *, without_edge: bool = True
) -> Columns:
    """Return cosines between both ends: of their attributes and of means over one and two hops around them.

    The means are those without the pair's own edge, exactly: removing uv changes the neighbors of u and v only.

    Examples
    --------
    The ends of a path of three differ, and what is next to them is the same.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> found = read_attributes([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], path)
    >>> compare_attributes(path, found, np.array([[0, 2]])).values[0, :2].round(12).tolist()
    [0.0, 1.0]
    """
    names = [f"attributes_{hops}{hops}" for hops in range(3)]
    names += [f"attributes_{i}{j}_{name}" for i, j in _CROSSED for name in ("mean", "high")]
    step = max(_BLOCK // (3 * max(attributes.width, 1)), 1)
    gone = has_edge(graph, rows).astype(bool) & without_edge
    degrees = graph.degrees
    cosines = np.empty((len(rows), 3, 3))
    for begin in range(0, len(rows), step):
        part = slice(begin, begin + step)
        first, second = (attributes.directions[rows[part, end]] for end in range(2))
        for place in np.flatnonzero(gone[part]):
            u, v = rows[begin + place]
            first[place] = _without(attributes, u, v, int(degrees[u]))
            second[place] = _without(attributes, v, u, int(degrees[v]))
        cosines[part] = first @ second.transpose(0, 2, 1)
    values = [cosines[:, hops, hops] for hops in range(3)]
    for i, j in _CROSSED:
        sides = cosines[:, i, j], cosines[:, j, i]
        values += [(sides[0] + sides[1]) / 2, np.maximum(*sides)]
    return Columns(names, np.column_stack(values))


def _without(attributes: NodeAttributes, here: int, other: int, degree: int) -> Floats:
    """Return the directions of a node without its edge to another, (3, num_columns)."""
    rows = attributes.directions[here] * attributes.lengths[here][:, None]
    if degree == 1:  # nothing is left, not even a rounding error
        rows[1:] = 0
    else:
        lost = attributes.directions[other] * attributes.lengths[other][:, None]
        rows[1:] = (degree * rows[1:] - lost[:2]) / (degree - 1)
    return _unit(rows)[0]


def _unit(values: Floats) -> tuple[Floats, Floats]:
    """Return vectors with unit length, or 0 for the shortest, and their lengths."""
    lengths = np.linalg.norm(values, axis=-1)
    lengths = np.where(lengths > _SMALL, lengths, 0)
    return values / np.where(lengths > 0, lengths, 1)[..., None] * (lengths > 0)[..., None], lengths

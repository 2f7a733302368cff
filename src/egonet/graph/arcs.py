"""Graphs from lists of arcs (edge_index, sparse matrices): both directions of an edge count as one edge."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from egonet import _native
from egonet.checks import as_whole
from egonet.errors import InputError, show_value
from egonet.graph.columns import as_numpy, make_table, unknown_attribute
from egonet.graph.graph import Graph, GraphInfo, adjacency
from egonet.graph.input_options import warn
from egonet.typing import Array, Direction

#: An edge_index may have this many nodes without num_nodes; more nodes need at least one byte per 64 of them.
PLAUSIBLE_NODES = 10**7


def from_arcs(
    source: Array, target: Array, num_nodes: int, *, directed: Direction | None, weights_ignored: bool = False
) -> Graph:
    """Return the graph of arcs source → target.

    If every arc has its opposite, the input is an undirected graph and opposites are not counted as repeats.
    Otherwise arcs are read as edges, and `info` records it.

    >>> from_arcs(np.array([0, 1]), np.array([1, 0]), 2, directed=None).info.read_as_undirected
    False
    >>> from_arcs(np.array([0]), np.array([1]), 2, directed=None).info.read_as_undirected
    True
    """
    if directed is None:
        indptr, indices, loops = adjacency(source, target, num_nodes, both_directions=False)
        if _native.is_undirected(indptr, indices):
            info = GraphInfo(loops, len(source) - loops - len(indices), weights_ignored)
            return Graph.from_checked(indptr, indices, info=info)
    return Graph.from_indices(
        source, target, num_nodes, directed=directed, weights_ignored=weights_ignored, read_as_undirected=True
    )


def as_undirected(graph: Graph) -> Graph:
    """Return a graph with every arc as an undirected edge.

    >>> as_undirected(Graph.from_edges([("a", "b"), ("b", "a")], directed="out"))
    Graph(num_nodes=2, num_edges=1)
    """
    if graph.directed is None:
        return graph
    rows = np.repeat(np.arange(len(graph)), graph.degrees)
    indptr, indices, _ = adjacency(rows, graph.indices, len(graph), both_directions=True)
    return Graph.from_checked(indptr, indices, graph.nodes, None, graph.info)


def no_attributes(kind: str, *names: str) -> Callable[[str], Any]:
    """Return a function that raises an error: this kind of input has only the `known` edge attributes, or none."""

    def column(name: str) -> Any:
        way_out = "Give the values themselves: an array in the order of the edges."
        has = f" but {', '.join(map(repr, names))}" if names else ""
        raise InputError(f"{kind} has no edge attributes{has}, got {show_value(name)}. {way_out}")

    return column


def from_edge_index(
    index: Any,
    *,
    num_nodes: int | None,
    directed: Direction | None,
    keep: tuple[str, ...] | None = None,
    column: Callable[[str], Any] = no_attributes("an edge_index"),  # noqa: B008
    **notes: bool,
) -> Graph:
    """Return the graph of arcs index[0] → index[1] between the nodes 0 ... num_nodes - 1.

    `column` returns the values of an attribute named in `keep`.

    >>> from_edge_index(np.array([[0, 1], [1, 0]]), num_nodes=None, directed=None).info.duplicates_merged
    0
    """
    index = as_edge_index(index, *(() if num_nodes is None else (num_nodes,)))
    size = num_nodes if num_nodes is not None else int(index.max()) + 1 if index.size else 0
    if num_nodes is None and size > max(PLAUSIBLE_NODES, 64 * index.nbytes):
        raise InputError(
            f"an edge_index of {index.shape[1]:,} edges has node {size - 1:,}, and every number below it would be a "
            "node. Give num_nodes if that is intended, or pass the ids as pairs to egonet.Graph.from_edges."
        )
    graph = from_arcs(index[0], index[1], size, directed=directed, **notes)
    return graph if keep is None else graph.with_table(make_table(index[0], index[1], keep, column))


def edge_index_of(data: Any) -> Any:
    """Return the edge_index of a PyG `Data`, or the arcs of its transposed adjacency `adj_t`; raise if it has neither.

    >>> from torch import tensor
    >>> from torch_geometric.data import Data
    >>> edge_index_of(Data(adj_t=tensor([[0, 0], [1, 0]]).to_sparse())).tolist()  # row 1, column 0
    [[0], [1]]
    """
    index, adjacency = getattr(data, "edge_index", None), getattr(data, "adj_t", None)
    if index is None and adjacency is None:
        raise InputError(
            f"a PyG Data must have an edge_index or adj_t, got {show_value(data)}. A graph without edges has "
            "edge_index=torch.empty((2, 0), dtype=torch.long) and num_nodes."
        )
    return adjacency_index(adjacency).flip(0) if index is None else index


def adjacency_index(adjacency: Any) -> Any:
    """Return rows and columns of the entries of a sparse torch tensor or a `torch_sparse.SparseTensor`, as (2, n).

    >>> import torch
    >>> adjacency_index(torch.tensor([[0, 5], [0, 0]]).to_sparse()).tolist()
    [[0], [1]]
    """
    if hasattr(adjacency, "coo"):
        import torch

        row, column, _ = adjacency.coo()
        return torch.stack([row, column])
    if "sparse" not in str(getattr(adjacency, "layout", "")) or adjacency.dim() != 2:
        raise InputError(
            f"adj_t must be a sparse matrix, got {type(adjacency).__name__} of shape {tuple(adjacency.shape)}. "
            "Use edge_index, or adj_t.to_sparse_csr()."
        )
    return adjacency.detach().to_sparse_coo().coalesce().indices()


def num_nodes_of(data: Any) -> int | None:
    """Return the number of nodes of a PyG `Data`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyG warns if it infers the size from the largest index, as we do
        size: int | None = data.num_nodes
    return size


def has_weights(field: Callable[[str], Any]) -> bool:
    """Return whether a PyG `Data` has one weight per edge; `field` returns its attribute of a name."""
    attributes = field("edge_attr")
    single = hasattr(attributes, "is_floating_point") and (
        attributes.ndim == 1 or attributes.shape[1:] == (1,)
    )
    # Whole numbers are types of edges, such as the bonds of a molecule.
    return bool(single and attributes.is_floating_point()) or field("edge_weight") is not None


def field_of(data: Any, name: str) -> Any:
    """Return an attribute of a PyG `Data`, or raise an error that names those it has."""
    if name not in data:
        raise unknown_attribute(name, [key for key in data.keys() if key != "edge_index"], "the Data")  # noqa: SIM118
    return data[name]


def as_edge_index(index: Any, *num_nodes: Any) -> Array:
    """Return an edge_index, array or tensor, as a validated array of shape (2, num_edges).

    `num_nodes` is the number of nodes: one number, or one for the sources and one for the targets.

    >>> as_edge_index(np.array([[0, 1], [1, 2], [2, 3]]))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: edge_index must have shape (2, num_edges), got shape (3, 2) of int64. Transpose it.
    """
    for size in num_nodes:
        as_whole("num_nodes", size)
    if not hasattr(index, "dtype"):
        try:
            index = np.asarray(index)
        except ValueError:
            raise InputError(
                "edge_index must have two rows of one length, got rows of different lengths."
            ) from None
    if getattr(index, "is_meta", False) or getattr(index, "is_nested", False):
        raise InputError("edge_index must be a plain tensor of numbers, got a meta or a nested tensor.")
    shape, dtype = tuple(index.shape), str(index.dtype).removeprefix("torch.")
    got = f"shape {shape} of {dtype}"
    if len(shape) != 2 or shape[0] != 2:
        way_out = "Transpose it." if shape[1:] == (2,) else "List all sources, then all targets."
        raise InputError(f"edge_index must have shape (2, num_edges), got {got}. {way_out}")
    if not dtype.startswith(("int", "uint")):
        raise InputError(
            f"edge_index must hold whole numbers, got {got}. Convert it, as edge_index.long() does."
        )
    if "sparse" in str(getattr(index, "layout", "")):
        raise InputError(f"edge_index must be dense, got a sparse tensor of {got}. Use index.to_dense().")
    array = np.asarray(as_numpy(index))
    if array.size and array.min() < 0:
        column = int(np.argmax((array < 0).any(axis=0)))
        raise InputError(
            f"edge_index must hold node numbers >= 0, got edge {tuple(array[:, column].tolist())} "
            f"in column {column} ({got}). Drop the edge."
        )
    for ends, size in zip(array, num_nodes * (2 // max(len(num_nodes), 1)), strict=False):
        if ends.size and ends.max() >= size:
            column = int(np.argmax(ends >= size))
            span = f"0 to {size - 1:,}" if size else "none"
            raise InputError(
                f"edge {tuple(array[:, column].tolist())} in column {column} of the edge_index ({got}) points at node "
                f"{ends[column]}, but the graph has {size:,} nodes ({span}). Raise num_nodes or drop the edge."
            )
    return array


def from_matrix(matrix: Any, *, directed: Direction | None, keep: tuple[str, ...] | None = None) -> Graph:
    """Return the graph of a square sparse matrix: an arc row → column for every stored entry that is not zero.

    The entries are the edge attribute "weight". Repeated entries are repeated arcs and are merged; their sum does not
    matter. Stored zeros are not arcs; a warning gives their number.

    >>> from scipy.sparse import csr_array
    >>> print(from_matrix(csr_array([[0, 2], [2, 0]]), directed=None).info)
    edge weights ignored
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"the matrix of a graph must be square, got shape {matrix.shape}."
            " For an edge list use egonet.Graph.from_edges."
        )
    check_sparse(matrix)
    source, target, values = stored_entries(matrix)
    reject_nan(values)
    if matrix.format in ("csr", "csc") and directed is None and keep is None and np.all(values):
        # The usual matrix is sorted and symmetric, without zeros and loops: its arrays are the graph's.
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices[: len(values)].astype(np.int32)
        if _native.is_undirected(indptr, indices):
            info = GraphInfo(weights_ignored=bool(np.any(values != 1)))
            return Graph.from_checked(indptr, indices, info=info)
    is_stored = values != 0
    zeros = len(is_stored) - int(np.count_nonzero(is_stored))
    if zeros and matrix.format != "bsr":  # bsr pads its blocks with zeros
        warn(
            f"{zeros:,} stored entries of the matrix are zero and are not edges. Drop them with eliminate_zeros()."
        )
    weighted = bool(np.any(values[is_stored] != 1)) and "weight" not in (keep or ())
    ends = source[is_stored], target[is_stored]
    graph = from_arcs(*ends, matrix.shape[0], directed=directed, weights_ignored=weighted)
    if keep is None:
        return graph
    other = no_attributes("a sparse matrix", "weight")
    column: Callable[[str], Any] = lambda name: values[is_stored] if name == "weight" else other(name)  # noqa: E731
    return graph.with_table(make_table(*ends, keep, column))


def stored_entries(matrix: Any) -> tuple[Array, Array, Array]:
    """Return rows, columns and values of a sparse matrix as stored, without summing repeats.

    >>> from scipy.sparse import csr_array
    >>> rows, columns, values = stored_entries(csr_array([[0, 2], [3, 0]]))
    >>> rows.tolist(), columns.tolist(), values.tolist()
    ([0, 1], [1, 0], [2, 3])
    """
    if matrix.format not in ("csr", "csc"):
        entries = matrix.tocoo()
        return entries.coords[0], entries.coords[1], entries.data
    count = int(matrix.indptr[-1])
    across, values = matrix.indices[:count], matrix.data[:count]
    along = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return (along, across, values) if matrix.format == "csr" else (across, along, values)


def reject_nan(values: Array) -> None:
    """Raise if an entry is NaN, which may mean an edge or a missing value."""
    if values.dtype.kind in "fc" and np.isnan(values).any():
        count = int(np.isnan(values).sum())
        raise InputError(
            f"an entry of a matrix must not be NaN, got {count:,} of them. Set them to 0 for no edge or 1 for an edge."
        )


def check_sparse(matrix: Any) -> None:
    """Raise if the arrays of a sparse matrix are inconsistent: scipy would read past their ends.

    >>> from scipy.sparse import csr_array
    >>> check_sparse(csr_array((np.ones(2), np.array([0, 1]), np.array([0, 2, 0])), shape=(2, 2)))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the arrays of the matrix are inconsistent: indptr falls after position 1. Build it again.
    """
    if matrix.format not in ("csr", "csc", "bsr"):
        return
    falls = np.flatnonzero(np.diff(matrix.indptr) < 0)
    if len(falls):
        what = f"indptr falls after position {falls[0]}"
    elif len(matrix.indptr) == 0 or matrix.indptr[0] != 0:
        what = "indptr must begin with 0"
    elif matrix.indptr[-1] > len(matrix.indices):
        what = f"indptr ends at {matrix.indptr[-1]}, but there are {len(matrix.indices)} indices"
    elif len(matrix.data) != len(matrix.indices):
        what = f"there are {len(matrix.indices)} indices, but {len(matrix.data)} values"
    elif len(matrix.indices) and not 0 <= matrix.indices.min() <= matrix.indices.max() < matrix.shape[0]:
        what = f"indices must be from 0 to {matrix.shape[0] - 1}"
    else:
        return
    raise InputError(f"the arrays of the matrix are inconsistent: {what}. Build it again.")

"""One door for graphs: `as_graph` turns other packages' objects into the record, without importing them."""

import os
import warnings
from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from egonet.errors import InputError
from egonet.graph.arcs import as_edge_index, from_arcs, from_matrix
from egonet.graph.dataframes import as_frame, from_frame
from egonet.graph.graph import Graph
from egonet.graph.ids import Array, checked, id_array, show
from egonet.graph.ignored import as_direction, warn_ignored
from egonet.typing import Directed, Direction

#: A graph this large may come from any input; a larger one must have at least a byte for 64 nodes.
PLAUSIBLE_NODES = 10**7
ACCEPTED = (
    "a networkx or igraph graph, a scipy sparse matrix, an edge_index of shape (2, num_edges), a PyG Data, "
    "a DataFrame, an RDKit molecule, or pairs of node ids"
)


def as_graph(
    data: Any,
    *,
    source: str | None = None,
    target: str | None = None,
    num_nodes: int | None = None,
    nodes: Iterable[Hashable] | None = None,
    directed: Directed = None,
) -> Graph:
    """Return a graph as the record; a `Graph` is returned as it is.

    Parameters
    ----------
    data
        A networkx or igraph graph, a scipy sparse matrix or array (row → column, explicit zeros are no
        edges), a square NumPy matrix, an edge_index of shape (2, num_edges) as array or tensor, a PyG `Data`,
        a DataFrame (pandas, polars, pyarrow, duckdb), an RDKit molecule, or pairs of node ids.
    source, target
        Columns of a DataFrame; if left out, source/target, src/dst, from/to or u/v. Other columns play no part.
    num_nodes
        For pairs, tables and an edge_index: ids are the whole numbers 0 ... num_nodes - 1.
    nodes
        For pairs and tables: ids that come first, in this order, whether they have edges or not.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges and warns; False does so
        without a warning.

    Raises
    ------
    InputError
        If the input is not one of these, or something in it is no node id or no edge.

    Warns
    -----
    IgnoredInputWarning
        Once per call, if the input has arcs or weights that are not used.

    Examples
    --------
    >>> as_graph([("a", "b"), ("b", "c")])
    Graph(num_nodes=3, num_edges=2)
    >>> as_graph(np.array([[0, 1, 2], [1, 2, 3]]), num_nodes=5, directed=False)
    Graph(num_nodes=5, num_edges=3)

    Notes
    -----
    One rule for ids: any hashable value that is not missing; a number must be whole and >= 0. So strings, tuples and
    dates are ids, and 2.0, True, None and NaN are not: 2.0 and True would be the same node as 2 and 1. Ids are compared
    as they are: 1 and "1" are two nodes, and so are "a" and "a ".
    """
    options = {"source": source, "target": target, "num_nodes": num_nodes, "nodes": nodes}
    graph = to_graph(data, options, as_direction(directed))
    if graph is not data:
        # Of what has no converter, only a table can have more than its edges, and only a matrix is an array.
        is_table = not isinstance(data, np.ndarray) and not any(
            is_from(package, data) for package in CONVERTERS
        )
        warn_ignored(graph.info, directed=directed, source=source, is_table=is_table)
    return graph


def to_graph(data: Any, given: dict[str, Any], directed: Direction | None) -> Graph:
    """Return what `as_graph` returns, without a warning; `given` holds source, target, num_nodes and nodes.

    Examples
    --------
    >>> to_graph(np.array([[0, 1, 2], [1, 2, 3]]), {}, None).info.read_as_undirected
    True
    """
    if isinstance(data, Graph):
        return _as_is(data, directed, given)
    if isinstance(data, str | bytes | os.PathLike):
        raise InputError(f"as_graph takes data, got {show(data)}. To read a file use egonet.read_graph.")
    for package, (name, convert) in CONVERTERS.items():
        if is_from(package, data):
            _refuse_options(name, given, allowed=OPTIONS.get(package, ()))
            return convert(data, num_nodes=given.get("num_nodes"), directed=directed)
    if isinstance(data, np.ndarray):
        return from_array(data, given, directed)
    frame = as_frame(data)
    if frame is not None:
        return from_frame(frame, directed=directed, **given)
    if not isinstance(data, Iterable) or isinstance(data, dict):
        raise InputError(f"as_graph takes {ACCEPTED}, got {type(data).__name__}: {show(data)}.")
    _refuse_options("pairs of node ids", given, allowed=("num_nodes", "nodes"))
    return Graph.from_edges(data, given.get("num_nodes"), nodes=given.get("nodes"), directed=directed)


def is_from(package: str, data: Any) -> bool:
    """Return whether the class of an object, or a class it derives from, is defined in a package.

    Examples
    --------
    >>> is_from("scipy", csr_array((2, 2))), is_from("networkx", [])
    (True, False)
    """
    return any(cls.__module__.partition(".")[0] == package for cls in type(data).__mro__)


def from_array(array: Array, given: dict[str, Any], directed: Direction | None) -> Graph:
    """Return the graph of an edge_index, an array of pairs or a square matrix, told apart by the shape.

    Examples
    --------
    >>> from_array(np.array([["a", "b"], ["b", "c"], ["c", "a"]]), {}, None)
    Graph(num_nodes=3, num_edges=3)
    """
    shape, num_nodes = array.shape, given.get("num_nodes")
    if shape == (2, 2):
        raise InputError(
            "an array of shape (2, 2) may be two edges, an edge_index or a matrix."
            " Use Graph.from_edges(array) for edges, Graph.from_edges(array.T) for an edge_index,"
            " scipy.sparse.csr_array(array) for a matrix."
        )
    if array.ndim == 2 and shape[0] == 2 and array.dtype.kind in "iub":
        _refuse_options("an edge_index", given, allowed=("num_nodes",))
        return from_edge_index(array, num_nodes=num_nodes, directed=directed)
    if array.ndim == 2 and shape[0] == shape[1] and array.dtype.kind in "iufb":
        _refuse_options("a square matrix", given)
        return from_matrix(csr_array(array), directed=directed)
    if shape == (0,) or (array.ndim == 2 and shape[1] == 2):
        _refuse_options("an array of pairs", given, allowed=("num_nodes", "nodes"))
        return Graph.from_edges(array, num_nodes, nodes=given.get("nodes"), directed=directed)
    raise InputError(
        "an array must be an edge_index (2, num_edges), pairs (num_edges, 2) or a square matrix,"
        f" got shape {shape} of {array.dtype}."
    )


def from_edge_index(index: Any, *, num_nodes: int | None, directed: Direction | None, **notes: bool) -> Graph:
    """Return the graph of arcs index[0] → index[1] between the nodes 0 ... num_nodes - 1.

    Examples
    --------
    >>> from_edge_index(np.array([[0, 1], [1, 0]]), num_nodes=None, directed=None).info.duplicates_merged
    0
    """
    index = as_edge_index(index, *(() if num_nodes is None else (num_nodes,)))
    size = num_nodes if num_nodes is not None else int(np.max(index, initial=-1)) + 1
    if num_nodes is None and size > max(PLAUSIBLE_NODES, 64 * index.nbytes):
        raise InputError(
            f"an edge_index of {index.shape[1]:,} edges names node {size - 1:,}, and all below would be nodes."
            " Give num_nodes if that is meant, or the ids as pairs to egonet.Graph.from_edges."
        )
    return from_arcs(index[0], index[1], size, directed=directed, **notes)


def from_networkx(graph: Any, *, num_nodes: int | None, directed: Direction | None) -> Graph:
    """Return a networkx graph of any of its four classes; the ids are its nodes, in its order."""
    del num_nodes
    _refuse_direction("an undirected networkx graph", directed, has_arcs=graph.is_directed())
    ids = checked(list(graph), _in_nodes)
    row = {node: position for position, node in enumerate(graph)}
    flat = np.fromiter(map(row.__getitem__, chain.from_iterable(graph.edges())), dtype=np.int32)
    weighted = any("weight" in attributes for *_, attributes in graph.edges(data=True))
    return _labeled(ids, flat, directed, has_arcs=graph.is_directed(), weighted=weighted)


def from_igraph(graph: Any, *, num_nodes: int | None, directed: Direction | None) -> Graph:
    """Return an igraph graph; the ids are the vertex attribute "name" if there is one."""
    del num_nodes
    _refuse_direction("an undirected igraph graph", directed, has_arcs=graph.is_directed())
    named = "name" in graph.vs.attributes()
    ids = checked(list(graph.vs["name"]), _in_nodes) if named else list(range(graph.vcount()))
    if named and len(set(ids)) < len(ids):
        raise InputError('the node attribute "name" must not repeat an id. Rename the nodes or drop "name".')
    flat = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1)
    weighted = "weight" in graph.es.attributes()
    return _labeled(ids, flat, directed, has_arcs=graph.is_directed(), weighted=weighted)


def from_scipy(matrix: Any, *, num_nodes: int | None, directed: Direction | None) -> Graph:
    """Return the graph of a scipy sparse matrix or array of any format."""
    del num_nodes
    if not issparse(matrix):
        raise InputError(f"as_graph takes {ACCEPTED}, got {type(matrix).__name__}: {show(matrix)}.")
    return from_matrix(matrix, directed=directed)


def from_tensor(tensor: Any, *, num_nodes: int | None, directed: Direction | None) -> Graph:
    """Return the graph of an edge_index tensor."""
    return from_edge_index(tensor, num_nodes=num_nodes, directed=directed)


def from_pyg(data: Any, *, num_nodes: int | None, directed: Direction | None) -> Graph:
    """Return the graph of a PyG `Data` (or `Batch`); isolated nodes stay."""
    if type(data).__name__ in ("HeteroData", "HeteroDataBatch"):
        raise InputError("HeteroData has several kinds of nodes and edges. Use data.to_homogeneous().")
    index = getattr(data, "edge_index", None)
    if index is None:
        raise InputError(f"a PyG Data must have an edge_index, got {show(data)}.")
    size = num_nodes_of(data) if num_nodes is None else num_nodes
    weighted = has_weights(lambda name: getattr(data, name, None))
    return from_edge_index(index, num_nodes=size, directed=directed, weights_ignored=weighted)


def num_nodes_of(data: Any) -> int | None:
    """Return the number of nodes of a PyG `Data`, however it knows it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyG warns where it takes the largest index for the size, as we do
        size: int | None = data.num_nodes
    return size


def has_weights(field: Callable[[str], Any]) -> bool:
    """Return whether the fields of a PyG `Data`, asked by name, hold one weight per edge."""
    attributes = field("edge_attr")
    single = attributes is not None and (attributes.ndim == 1 or attributes.shape[1:] == (1,))
    # Whole numbers are kinds of edges, such as the bonds of a molecule.
    return bool(single and attributes.is_floating_point()) or field("edge_weight") is not None


def from_rdkit(molecule: Any, *, num_nodes: int | None, directed: Direction | None) -> Graph:
    """Return the graph of an RDKit molecule: its atoms in their order, its bonds."""
    del num_nodes
    _refuse_direction("a molecule", directed, has_arcs=False)
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
    return Graph.from_edges(ends, molecule.GetNumAtoms())


#: Package → what its objects are called in messages, and how they are read.
CONVERTERS: dict[str, tuple[str, Callable[..., Graph]]] = {
    "networkx": ("a networkx graph", from_networkx),
    "igraph": ("an igraph graph", from_igraph),
    "scipy": ("a sparse matrix", from_scipy),
    "torch_geometric": ("a PyG Data", from_pyg),
    "torch": ("a tensor", from_tensor),
    "rdkit": ("a molecule", from_rdkit),
}
OPTIONS = {"torch_geometric": ("num_nodes",), "torch": ("num_nodes",)}


def _as_is(graph: Graph, directed: Direction | None, given: dict[str, Any]) -> Graph:
    """Return the graph itself, unless an option asks for another one."""
    _refuse_options("a Graph", given)
    if directed is not None and directed != graph.directed:
        was = "undirected" if graph.directed is None else f'directed="{graph.directed}"'
        raise InputError(f"the graph was read as {was}, got directed={directed!r}. Say so where it is read.")
    return graph


def _refuse_options(kind: str, given: dict[str, Any], *, allowed: Iterable[str] = ()) -> None:
    for name, value in given.items():
        if value is not None and name not in allowed:
            raise InputError(f"{name} has no meaning for {kind}, got {show(value)}. Leave it out.")


def _refuse_direction(kind: str, directed: Direction | None, *, has_arcs: bool) -> None:
    if directed is not None and not has_arcs:
        raise InputError(f"{kind} has no arcs to follow, got directed={directed!r}. Leave it out.")


def _in_nodes(position: int) -> str:
    return f"at node {position} (counted from 0)"


def _labeled(ids: Any, flat: Array, directed: Direction | None, *, has_arcs: bool, weighted: bool) -> Graph:
    """Return the graph of rows side by side, without ids where they are the rows anyway."""
    labels = id_array(list(ids))
    plain = labels.dtype.kind == "i" and bool(np.array_equal(labels, np.arange(len(labels))))
    return Graph.from_indices(
        flat[0::2],
        flat[1::2],
        len(labels),
        nodes=None if plain else labels,
        directed=directed,
        weights_ignored=weighted,
        read_as_undirected=has_arcs,
    )

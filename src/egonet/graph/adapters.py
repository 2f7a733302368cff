"""`as_graph`: one registry of adapters converts objects of other packages to a `Graph` without importing them."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from egonet.errors import InputError, option, show_value
from egonet.graph.align import attach_columns, names_to_keep, reject_unordered
from egonet.graph.arcs import (
    edge_index_of,
    field_of,
    from_edge_index,
    from_matrix,
    has_weights,
    no_attributes,
    num_nodes_of,
)
from egonet.graph.columns import (
    EdgeValues,
    Keep,
    Labels,
    from_fields,
    is_from,
    make_table,
    unknown_attribute,
)
from egonet.graph.graph import NOTHING_CHANGED, Graph
from egonet.graph.index import (
    as_text_ids,
    check_ids,
    drop_missing,
    factorize,
    flatten,
    id_array,
    in_nodes,
    reject_masked,
    reject_twins,
)
from egonet.graph.input_options import (
    Ids,
    InputOptions,
    Missing,
    as_direction,
    check_simplify,
    note_attributes,
    reject_arcs,
    warn_ignored,
)
from egonet.graph.molecules import BOND_TYPE, read_molecules
from egonet.tables.edges import from_table
from egonet.tables.table import as_table
from egonet.typing import Array, Directed, Int64s

ACCEPTED = (
    "a networkx or igraph graph, a scipy sparse matrix, an edge_index of shape (2, num_edges), a PyG Data, "
    "a DataFrame, an RDKit molecule, or pairs of node ids"
)

#: The packages whose objects are graphs.
PACKAGES = frozenset(
    ("networkx", "igraph", "scipy", "torch_geometric", "torch", "rdkit", "pandas", "polars", "pyarrow")
)


def as_graph(
    data: Any,
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    num_nodes: int | None = None,
    nodes: Iterable[Hashable] | None = None,
    directed: Directed = None,
    keep: Keep = None,
    labels: Labels | None = None,
    edge_labels: EdgeValues | None = None,
    weights: EdgeValues | None = None,
    missing: Missing = None,
    ids: Ids = None,
    simplify: bool | None = None,
) -> Graph:
    """Return the graph of an object of another package, with the columns given; a `Graph` is returned as it is.

    Parameters
    ----------
    data
        A networkx or igraph graph, a scipy sparse matrix or array (row → column, explicit zeros are not
        edges), a square NumPy matrix, an edge_index of shape (2, num_edges) as array or tensor, a PyG `Data`,
        a DataFrame (pandas, polars, pyarrow, duckdb), an RDKit molecule, or pairs of node ids.
    source, target
        Columns of a DataFrame; by default source/target, src/dst, from/to, u/v, id_1/id_2 or node_1/node_2.
        Other columns are ignored.
    num_nodes
        For pairs, tables and an edge_index: ids are the whole numbers 0 ... num_nodes - 1.
    nodes
        For pairs and tables: ids that come first, in this order, whether they have edges or not.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges and warns; False does so
        without a warning.
    keep
        The edge attributes to keep for `encode(..., edge_labels=...)`, by name: columns of a table, attributes of
        networkx and igraph edges and of PyG's `Data`, "weight" of a matrix, "bond_type" of a molecule.
    labels
        A label per node, a whole number or a string: by id (a mapping, a pandas Series by its index, a table with a
        column "node" or "id"), in row order (a list, array or tensor; for pairs and tables only if ids are 0 ... n - 1
        or `nodes` is given), or the name of a node attribute of a networkx or igraph graph or a PyG `Data`, "symbol" of
        a molecule.
    edge_labels
        A type per edge, a whole number or a string: the name of a column or attribute, a sequence in the order of the
        edges as given (of `Graph.edges()` for a `Graph` without `keep=`), or a mapping of pairs. A pandas Series is
        aligned with a pandas table of edges by the index.
    weights
        A number per edge, given like `edge_labels`.
    missing
        "drop" leaves out rows of a table and pairs with a missing id (or attribute to keep), counted in `Graph.info`
        and in a warning. By default they are an error.
    ids
        "text" reads all ids as text, so that 2 and "2" are one node. By default they keep their types.
    simplify
        True: columns and weights that are not used, merged repeats and dropped loops are intended; there is no warning.

    Raises
    ------
    InputError
        If the input is not one of these, or contains an invalid node id or edge.

    Warns
    -----
    IgnoredInputWarning
        Once per call, if the input has arcs, columns or weights that are not used, with the numbers of repeats and
        loops.

    Examples
    --------
    >>> as_graph([("a", "b"), ("b", "c")])
    Graph(num_nodes=3, num_edges=2)
    >>> as_graph(np.array([[0, 1, 2], [1, 2, 3]]), num_nodes=5, directed=False)
    Graph(num_nodes=5, num_edges=3)
    >>> graph = as_graph([("a", "b"), ("b", "c")], labels={"a": "C", "b": "O", "c": "C"}, weights=[0.5, 2])
    >>> graph.node_columns["labels"].values(), graph.edge_columns["weights"].tolist()
    (['C', 'O', 'C'], [0.5, 2.0])

    Notes
    -----
    Columns belong to the graph: `encode(as_graph(data, labels=labels))` is `encode(data, labels=labels)`. A column that
    is given for a `Graph` replaces its own. `induced` and lists of graphs keep columns, and graphs with different
    columns are not equal.

    Ids are strings, whole numbers of 64 bits, tuples and other hashable values. A whole float such as 2.0, which a
    column with gaps has, is that whole number; True, None and NaN are no ids. 1 and "1" in one graph are an error; "a"
    and "a " are two nodes. Rows: ids that are the whole numbers 0 ... n - 1 are rows; other ids have the order in which
    they first appear.
    """
    check_simplify(simplify)
    columns = {"labels": labels, "edge_labels": edge_labels, "weights": weights}
    names = names_to_keep(keep, columns)
    graph = to_graph(
        data, InputOptions(source, target, num_nodes, nodes, as_direction(directed), names, missing, ids)
    )
    if directed is False:
        reject_arcs(graph.directed)
    if graph is not data and graph.info != NOTHING_CHANGED:
        is_table = adapter_of(data).is_table
        warn_ignored(graph.info, directed=directed, source=source, simplify=simplify, is_table=is_table)
    if all(values is None for values in columns.values()):
        return graph
    if isinstance(labels, str):
        columns["labels"] = node_attribute(data, labels)
    elif nodes is None and not adapter_of(data).has_order:
        reject_unordered(labels, graph.node_ids)
    return attach_columns(graph, np.array([0, graph.num_nodes], dtype=np.int64), columns)


def node_attribute(data: Any, name: str) -> Any:
    """Return an attribute of the nodes of an object, in row order; raise if it has none of this name.

    >>> node_attribute([("a", "b")], "kind")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: labels names the node attribute 'kind', but pairs of node ids have none. Give a mapping \
from id to label, or one label per node.
    """
    adapter = adapter_of(data)
    if adapter.node_values is None:
        have = "have" if adapter.kind.startswith("pairs") else "has"
        raise InputError(
            f"labels names the node attribute {show_value(name)}, but {adapter.kind} {have} none. Give a mapping from "
            "id to label, or one label per node."
        )
    values = list(adapter.node_values(data, name))
    missing = [row for row, value in enumerate(values) if value is None]
    if missing:
        raise InputError(
            f"labels names the node attribute {show_value(name)}: {len(missing):,} of {len(values):,} nodes of "
            f"{adapter.kind} have none, first node {missing[0]} (counted from 0)."
        )
    return values


def to_graph(data: Any, options: InputOptions) -> Graph:
    """Return what `as_graph` returns, without a warning.

    >>> to_graph(np.array([[0, 1, 2], [1, 2, 3]]), InputOptions()).info.read_as_undirected
    True
    """
    adapter = adapter_of(data)
    if adapter.takes is not None:
        options.allow(adapter.kind, adapter.takes)
    graph = adapter.convert(data, options)
    if options.ids == "text" and graph.node_ids.dtype.kind != "U":
        texts = as_text_ids(graph.node_ids)
        graph = replace(graph, nodes=texts if isinstance(texts, np.ndarray) else id_array(texts))
    return graph


@dataclass(frozen=True)
class Adapter:
    """How objects of one type become a `Graph`.

    Attributes
    ----------
    kind
        What such an object is called in messages.
    convert
        The converter.
    takes
        The options that apply besides `directed`; None if the converter checks them.
    is_table
        Whether ignored input is called columns rather than weights in the warning.
    node_values
        Returns an attribute of the nodes by name, in row order, None where a node has none; None for no attributes.
    has_order
        Whether the object has an order of nodes, so that labels may be given in row order for any ids.
    """

    kind: str
    convert: Callable[[Any, InputOptions], Graph]
    takes: tuple[str, ...] | None = ()
    is_table: bool = False
    node_values: Callable[[Any, str], Iterable[Any]] | None = None
    has_order: bool = True


def adapter_of(data: Any) -> Adapter:
    """Return the adapter of an object's class or of the nearest base class that has one."""
    for cls in type(data).__mro__:
        package = cls.__module__.partition(".")[0]
        adapter = ADAPTERS.get(f"{package}.{cls.__name__}") or ADAPTERS.get(package)
        if adapter is not None:
            return adapter
    return OTHER


def as_list(data: Any) -> Any:
    """Return an iterator, a pandas Series and an array of objects as a list; anything else unchanged.

    >>> as_list(pair for pair in [(0, 1), (1, 2)])
    [(0, 1), (1, 2)]
    """
    if isinstance(data, list | tuple | Graph):
        return data
    series = is_from("pandas", data) and getattr(data, "ndim", 0) == 1
    objects = isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype == object
    once = isinstance(data, Iterator) and not is_from("pyarrow", data)
    if once:  # list() asks for the length first, and then suppliers of RDKit are at their end
        return [entry for entry in data]  # noqa: C416
    return list(data) if series or objects else data


def is_many(data: Any) -> bool:
    """Return whether the input is several graphs; a list of pairs is one graph, and so is an empty list.

    >>> is_many([("a", "b"), ("b", "c")]), is_many([Graph.from_edges([("a", "b")])])
    (False, True)
    """
    if not isinstance(data, list | tuple):
        return is_dataset(data)
    kinds = set(map(type, data))
    if kinds <= {list, tuple}:
        return False
    return any(map(_is_graph, kinds)) or (isinstance(data[0], np.ndarray) and data[0].ndim == 2)


def is_dataset(data: Any) -> bool:
    """Return whether an object is a PyG data set (a `Data` or `Batch` is one object, see `batch_pointers`)."""
    return is_from("torch_geometric", data) and hasattr(data, "indices") and hasattr(data, "get")


def batch_pointers(data: Any) -> Int64s | None:
    """Return where each graph of a PyG `Batch` begins in it, and its number of nodes; None for anything else.

    >>> batch_pointers([("a", "b")]) is None
    True
    """
    pointers = getattr(data, "ptr", None) if hasattr(type(data), "to_data_list") else None
    if pointers is None:
        return None
    pointers_array: Int64s = np.asarray(pointers.detach().cpu(), dtype=np.int64)
    return pointers_array if pointers_array[-1:].tolist() == [num_nodes_of(data)] else None


def _is_graph(kind: type) -> bool:
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    return issubclass(kind, Graph) or not PACKAGES.isdisjoint(packages)


def _reject_direction(kind: str, options: InputOptions, *, has_arcs: bool) -> None:
    if options.directed is not None and not has_arcs:
        raise InputError(
            f"{kind} has no arcs to follow, got {option('directed', options.directed)}. Leave it out, and "
            f"{option('degrees', 'in_out')} too."
        )


def from_graph(graph: Graph, options: InputOptions) -> Graph:
    """Return the graph itself; raise if it was read with another direction."""
    if options.directed not in (None, graph.directed):
        was = "undirected" if graph.directed is None else option("directed", graph.directed)
        raise InputError(
            f"the graph was read as {was}, got {option('directed', options.directed)}. Give "
            f"{option('directed')} where it is read."
        )
    for name in options.keep or ():
        if graph.edge_table is None or name not in graph.edge_table.columns:
            columns = () if graph.edge_table is None else graph.edge_table.columns
            raise unknown_attribute(name, columns, "the graph")
    return graph


def from_path(path: Any, _options: InputOptions) -> Graph:
    """Raise: a path is not a graph."""
    text = str(path)
    is_graph6 = isinstance(path, str) and text != "" and all("?" <= letter <= "~" for letter in text)
    graph6 = f" For graph6 text use egonet.named.from_graph6({show_value(path)})." if is_graph6 else ""
    raise InputError(
        f"as_graph takes data, got {show_value(path)}. To read a file use egonet.read_graph.{graph6}"
    )


def from_unsupported(data: Any, _options: InputOptions) -> Graph:
    """Raise: an object of this type is not a graph."""
    if hasattr(data, "vocabulary"):
        raise InputError(f"a graph is expected, got {type(data).__name__}. Give its graph: encoding.graph.")
    hint = " Give neighbors by node as networkx.Graph(data)." if isinstance(data, dict) else ""
    for links in (key for key in ("links", "edges") if hint and key in data):
        hint = f' Give its list of edges as a table: pandas.DataFrame(data["{links}"]).'
    raise InputError(f"as_graph takes {ACCEPTED}, got {type(data).__name__}: {show_value(data)}.{hint}")


def from_pairs(pairs: Any, options: InputOptions) -> Graph:
    """Return the graph of pairs of ids."""
    if is_many(pairs):
        raise InputError(
            f"as_graph returns one graph, got {len(pairs):,}. Give one of them, or all to egonet.encode."
        )
    flat, num_dropped = flatten(pairs), 0
    if options.ids == "text":
        flat = as_text_ids(flat)
    if options.missing == "drop":
        flat, present = drop_missing(flat)
        num_dropped = int(np.count_nonzero(~present))
    source, target, ids = factorize(flat, num_nodes=options.num_nodes, nodes=options.nodes)
    size = int(options.num_nodes or 0) if ids is None else len(ids)
    graph = Graph.from_indices(source, target, size, nodes=ids, directed=options.directed)
    if num_dropped:
        graph = replace(graph, info=replace(graph.info, missing_dropped=num_dropped))
    if options.keep is None:
        return graph
    return graph.with_table(make_table(source, target, options.keep, no_attributes("a list of pairs")))


def from_table_or_pairs(data: Any, options: InputOptions) -> Graph:
    """Return the graph of a table of any package that narwhals supports, or of any other iterable of pairs."""
    table = as_table(data)
    if table is not None:
        return from_table(table, options)
    if not isinstance(data, Iterable) or (isinstance(data, Mapping) and not isinstance(data, Set)):
        return from_unsupported(data, options)  # the edges of a networkx graph are a mapping and a set
    options.allow("pairs of node ids", ("num_nodes", "nodes"))
    return from_pairs(data, options)


def from_array(array: Array, options: InputOptions) -> Graph:
    """Return the graph of an edge_index, an array of pairs or a square matrix; the shape says which.

    >>> from_array(np.array([["a", "b"], ["b", "c"], ["c", "a"]]), InputOptions())
    Graph(num_nodes=3, num_edges=3)
    """
    reject_masked(array)
    shape = array.shape
    if shape == (2, 2):
        raise InputError(
            "an array of shape (2, 2) may be two edges, an edge_index or a matrix."
            " Use Graph.from_edges(array) for edges, Graph.from_edges(array.T) for an edge_index,"
            " scipy.sparse.csr_array(array) for a matrix."
        )
    if array.ndim == 2 and shape[0] == 2 and array.dtype.kind in "iub":
        options.allow("an edge_index", ("num_nodes",))
        return from_tensor(array, options)
    if array.ndim == 2 and shape[0] == shape[1] and array.dtype.kind in "iufb":
        options.allow("a square matrix")
        matrix = csr_array(array.astype(np.float32) if array.dtype == np.float16 else array)
        return from_matrix(matrix, directed=options.directed, keep=options.keep)
    if shape == (0,) or (array.ndim == 2 and shape[1] == 2):
        options.allow("an array of pairs", ("num_nodes", "nodes"))
        return from_pairs(array, options)
    raise InputError(
        "an array must be an edge_index (2, num_edges), pairs (num_edges, 2) or a square matrix,"
        f" got shape {shape} of {array.dtype}."
    )


def from_networkx(graph: Any, options: InputOptions) -> Graph:
    """Return a networkx graph of any of its four classes; ids and their order are those of its nodes."""
    _reject_direction("an undirected networkx graph", options, has_arcs=graph.is_directed())
    ids = check_ids(list(graph), in_nodes)
    row = {node: position for position, node in enumerate(graph)}
    flat = np.fromiter(map(row.__getitem__, chain.from_iterable(graph.edges())), dtype=np.int32)
    fields = [attributes for *_, attributes in graph.edges(data=True)]
    attributes = set().union(*fields)
    labeled = _name_rows(ids, flat, options, has_arcs=graph.is_directed(), attributes=attributes)
    column = from_fields(fields, "a networkx graph")
    return labeled.with_table(make_table(flat[0::2], flat[1::2], options.keep, column))


def from_igraph(graph: Any, options: InputOptions) -> Graph:
    """Return an igraph graph; the ids are the node attribute "name" if there is one."""
    _reject_direction("an undirected igraph graph", options, has_arcs=graph.is_directed())
    named = "name" in graph.vs.attributes()
    ids = check_ids(list(graph.vs["name"]), in_nodes) if named else list(range(graph.vcount()))
    if named and len(set(ids)) < len(ids):
        raise InputError('the node attribute "name" must not repeat an id. Rename the nodes or drop "name".')
    flat = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1)
    attributes = graph.es.attributes()
    labeled = _name_rows(ids, flat, options, has_arcs=graph.is_directed(), attributes=set(attributes))

    def column(name: str) -> Any:
        if name not in attributes:
            raise unknown_attribute(name, attributes, "an igraph graph")
        return graph.es[name]

    return labeled.with_table(make_table(flat[0::2], flat[1::2], options.keep, column))


def _name_rows(
    ids: Any, flat: Array, options: InputOptions, *, has_arcs: bool, attributes: Set[str]
) -> Graph:
    """Return the graph of alternating source and target rows, without ids if they equal the rows."""
    labels = ids if isinstance(ids, np.ndarray) and ids.dtype.kind in "iU" else id_array(list(ids))
    if options.ids is None:
        reject_twins(labels, "the graph has")
    plain = labels.dtype.kind == "i" and bool(np.array_equal(labels, np.arange(len(labels))))
    graph = Graph.from_indices(
        flat[0::2],
        flat[1::2],
        len(labels),
        nodes=None if plain else labels,
        directed=options.directed,
        read_as_undirected=has_arcs,
    )
    return note_attributes(graph, attributes, options.keep)


def from_scipy(matrix: Any, options: InputOptions) -> Graph:
    """Return the graph of a scipy sparse matrix or array of any format."""
    if not issparse(matrix):
        return from_unsupported(matrix, options)
    return from_matrix(matrix, directed=options.directed, keep=options.keep)


def from_tensor(index: Any, options: InputOptions) -> Graph:
    """Return the graph of an edge_index array or tensor, or of a sparse adjacency tensor."""
    if "sparse" in str(getattr(index, "layout", "")) and index.shape[:1] == index.shape[1:]:
        options.allow("a sparse tensor")
        entries = index.detach().cpu().to_sparse_coo().coalesce()
        values = entries.values()
        # scipy does not support all floats of 16 bits.
        halves = values.is_floating_point() and values.element_size() == 2
        numbers = (values.float() if halves else values).numpy()
        matrix = coo_array((numbers, tuple(entries.indices().numpy())), shape=tuple(index.shape))
        return from_matrix(matrix, directed=options.directed)
    return from_edge_index(index, num_nodes=options.num_nodes, directed=options.directed, keep=options.keep)


def from_pyg(data: Any, options: InputOptions) -> Graph:
    """Return the graph of a PyG `Data` (or `Batch`), isolated nodes included."""
    if type(data).__name__ in ("HeteroData", "HeteroDataBatch"):
        raise InputError("HeteroData has several types of nodes and edges. Use data.to_homogeneous().")
    size = num_nodes_of(data) if options.num_nodes is None else options.num_nodes
    keep = options.keep
    weighted = has_weights(lambda name: None if name in (keep or ()) else getattr(data, name, None))
    keywords: Any = {"directed": options.directed, "keep": keep, "weights_ignored": weighted}
    column = partial(field_of, data)
    return from_edge_index(edge_index_of(data), num_nodes=size, column=column, **keywords)


def from_rdkit(molecule: Any, options: InputOptions) -> Graph:
    """Return the graph of an RDKit molecule: its atoms and its bonds in their order."""
    _reject_direction("a molecule", options, has_arcs=False)
    read = read_molecules([molecule], in_order=True)

    def column(name: str) -> Any:
        if name != BOND_TYPE:
            raise unknown_attribute(name, [BOND_TYPE], "a molecule")
        return read.bond_types

    return read.to_graph().with_table(make_table(read.source, read.target, options.keep, column))


def _networkx_values(graph: Any, name: str) -> Iterable[Any]:
    return (value for _, value in graph.nodes(data=name))


def _igraph_values(graph: Any, name: str) -> Any:
    return graph.vs[name] if name in graph.vs.attributes() else [None] * graph.vcount()


def _pyg_values(data: Any, name: str) -> Any:
    from egonet.graph.pyg_data import labels_of  # needs PyG

    return labels_of(data, name)


def _rdkit_values(molecule: Any, name: str) -> Any:
    if name != "symbol":
        raise unknown_attribute(name, ["symbol"], "a molecule")
    return [atom.GetSymbol() for atom in molecule.GetAtoms()]


PAIRS = Adapter("pairs of node ids", from_pairs, ("num_nodes", "nodes"), has_order=False)
TENSOR = Adapter("a tensor", from_tensor, ("num_nodes",))
PATH = Adapter("a path", from_path, None)
OTHER = Adapter("a table", from_table_or_pairs, None, is_table=True, has_order=False)
#: "package.Class", or a package for all of its classes → adapter. Classes without an entry have the adapter OTHER.
ADAPTERS = {
    "egonet.Graph": Adapter("a Graph", from_graph),
    "egonet.Encoding": Adapter("an encoding", from_unsupported, None),
    **dict.fromkeys(("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset"), PAIRS),
    **dict.fromkeys(("builtins.str", "builtins.bytes", "pathlib"), PATH),
    "builtins.dict": Adapter("a dict", from_unsupported, None),
    "numpy.ndarray": Adapter("an array", from_array, None, has_order=False),
    "scipy": Adapter("a sparse matrix", from_scipy),
    "networkx.Graph": Adapter("a networkx graph", from_networkx, node_values=_networkx_values),
    "igraph.Graph": Adapter("an igraph graph", from_igraph, node_values=_igraph_values),
    "torch_geometric.EdgeIndex": TENSOR,
    "torch_geometric": Adapter("a PyG Data", from_pyg, ("num_nodes",), node_values=_pyg_values),
    "torch": TENSOR,
    "rdkit.Mol": Adapter("a molecule", from_rdkit, node_values=_rdkit_values),
}

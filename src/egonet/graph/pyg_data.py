"""Nodes, labels and arcs of PyG's `Data` and `HeteroData`, and shallow copies."""

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from typing import Any
from weakref import ref

import numpy as np
from torch import Tensor, cat, equal, from_numpy, int64, promote_types, sparse_coo_tensor, split, strided
from torch_geometric.data import Data, HeteroData, InMemoryDataset
from torch_geometric.data.data import BaseData
from torch_geometric.utils import narrow

from egonet.checks import as_whole, is_iterable
from egonet.errors import InputError, show_value
from egonet.graph.arcs import as_edge_index, edge_index_of, from_arcs, num_nodes_of
from egonet.graph.columns import EDGE_ROLES, as_numpy, flat_values, make_table
from egonet.graph.graph import Graph
from egonet.graph.input_options import warn_ignored
from egonet.typing import Array, Directed

#: Parts of a name by which PyG decides how to batch an attribute: it would shift or lay out the values wrongly.
BREAKS_BATCHING = ("index", "batch", "adj", "edge")


def graphs_and_labels(graphs: Any, labels: str | None, directed: Directed) -> tuple[Any, list[Any] | None]:
    """Return a data set or list that `encode` takes, and the labels of every graph; `HeteroData` become graphs."""
    if not any(isinstance(data, HeteroData) for data in (graphs if isinstance(graphs, list) else graphs[:1])):
        return graphs, labels_of_all(graphs, labels)
    names = None if labels is None else [hetero_labels(data, labels) for data in graphs]
    return [hetero_graph(data, directed)[0] for data in graphs], names


def hetero_labels(data: HeteroData, name: str) -> Array:
    """Return the labels of the nodes of all types, one type after the other."""
    return np.concatenate([labels_of(data[kind], name) for kind in data.node_types])


def node_count(store: Any, kind: str | None = None) -> int:
    """Return the number of nodes of a graph or a node type."""
    size: Any = num_nodes_of(store)
    if size is None:
        what = "the graph" if kind is None else f"node type {kind!r}"
        raise InputError(
            f"the number of nodes of {what} is not known: it has no x, and no edge_index shows it. Set num_nodes."
        )
    return as_whole("num_nodes", size.item() if getattr(size, "shape", None) == () else size)


def labels_of_all(graphs: Iterable[Any], name: str | None) -> list[Array] | None:
    """Return the labels of every graph, or None if no attribute is named."""
    return None if name is None else [labels_of(data, name) for data in graphs]


def as_graphs(graphs: Any) -> Any:
    """Return an in-memory data set unchanged, one graph as a list of one, and other iterables as a list.

    >>> len(as_graphs(Data(num_nodes=2))), as_graphs(Data(num_nodes=size) for size in (1, 2))[1].num_nodes
    (1, 2)
    """
    if isinstance(graphs, InMemoryDataset):
        return graphs
    if isinstance(graphs, BaseData):
        return [graphs]
    if not is_iterable(graphs) or isinstance(graphs, Tensor):
        raise InputError(f"dataset must be a PyG data set or a list of Data, got {show_value(graphs)}.")
    listed = list(graphs)
    for position, data in enumerate(listed):
        if not isinstance(data, BaseData):
            raise InputError(f"graph {position} (counted from 0) must be a PyG Data, got {show_value(data)}.")
    return listed


def labels_of(store: Any, name: str) -> Array:
    """Return the node labels of a graph: whole numbers, one-hot rows as the position of their one.

    >>> labels_of({"atom": [[0, 1], [1, 0]]}, "atom").tolist()
    [1, 0]
    """
    if not isinstance(name, str):
        raise InputError(f"labels must be the name of an attribute, got {show_value(name)}.")
    if name not in store:
        raise InputError(f"labels names the attribute {show_value(name)}, which {store!r} does not have.")
    values = store[name]
    array = flat_values(np.asarray(as_numpy(values)))
    if array.ndim != 1:
        raise InputError(f"labels must be whole numbers or one-hot rows, but {show_value(name)} is neither.")
    return array


def copy_of(data: Any) -> Any:
    """Return a shallow copy of a graph; that of a plain `Data` takes a third of the time of `copy.copy`.

    >>> from torch_geometric.data import Data
    >>> one = Data(num_nodes=2)
    >>> other = copy_of(one)
    >>> other.num_nodes = 3
    >>> one.num_nodes, other.num_nodes
    (2, 3)
    """
    if not isinstance(data, BaseData):
        raise InputError(f"a transform takes a PyG Data, got {show_value(data)}.")
    if type(data) is not Data:
        return copy(data)
    store = data._store
    made, inner = object.__new__(type(data)), object.__new__(type(store))
    fields = {**store.__dict__, "_mapping": dict(store._mapping), "_parent": ref(made)}
    fields.pop("_cached_attr", None)
    object.__setattr__(inner, "__dict__", fields)
    object.__setattr__(made, "__dict__", {**data.__dict__, "_store": inner})
    return made


def arc_addresses(index: Any) -> tuple[int, int, int] | None:
    """Return the memory addresses of the sources and targets of an edge_index tensor, and their number.

    None unless they are contiguous int64 values in CPU memory.

    >>> import torch
    >>> sources, targets, count = arc_addresses(torch.tensor([[0, 1], [1, 0]]))
    >>> targets - sources, count
    (16, 2)
    """
    if type(index) is not Tensor or index.dtype is not int64 or not index.is_cpu:
        return None
    if index.layout is not strided or index.dim() != 2:
        return None
    (rows, count), (between, step) = index.shape, index.stride()
    if rows != 2 or (step != 1 and count > 1):
        return None
    address = index.data_ptr()
    return address, address + 8 * between, count


def plain_tensor(index: Any) -> Any:
    """Return an edge_index as a plain contiguous tensor in CPU memory; anything else unchanged.

    >>> import torch
    >>> plain_tensor(torch.tensor([[0, 1], [1, 0]]).t()).is_contiguous(), plain_tensor("text")
    (True, 'text')
    """
    if not isinstance(index, Tensor) or index.layout is not strided:
        return index
    return index.detach().as_subclass(Tensor).cpu().contiguous()


def put(data: Any, name: str, rows: Tensor) -> None:
    """Set an attribute of a graph or a node type; for a plain `Data` without PyG's overhead.

    >>> from torch_geometric.data import Data
    >>> graph = Data()
    >>> put(graph, "x", Tensor([1]))
    >>> graph.x
    tensor([1.])
    """
    if type(data) is Data and "_cached_attr" not in data._store.__dict__:
        data._store._mapping[name] = rows
    else:
        data[name] = rows


def hetero_index(data: HeteroData, kind: tuple[str, str, str], size_of: dict[str, int]) -> Array:
    """Return the validated edge_index of one edge type."""
    for end in (kind[0], kind[2]):
        if end not in size_of:
            raise InputError(
                f"edge type {kind} contains the node type {end!r}, which has no nodes. Set its num_nodes."
            )
    try:
        return as_edge_index(edge_index_of(data[kind]), size_of[kind[0]], size_of[kind[2]])
    except InputError as error:
        raise InputError(f"edge type {kind}: {error.marked}") from None


def joined_arcs(arcs: list[tuple[Array, int, int]]) -> tuple[Array, Array]:
    """Return the sources and targets of edge_index arrays, each given with the row offsets of its node types."""
    empty = np.empty(0, dtype=np.int64)
    sources = np.concatenate([empty, *(index[0] + start for index, start, _ in arcs)])
    return sources, np.concatenate([empty, *(index[1] + start for index, _, start in arcs)])


def graph_of_arcs(sources: Array, targets: Array, num_nodes: int, directed: Directed) -> Graph:
    """Return the graph of arcs; a warning says if they are read as undirected edges."""
    if directed is False:
        return Graph.from_indices(sources, targets, num_nodes)
    graph = from_arcs(sources, targets, num_nodes, directed=directed)
    warn_ignored(graph.info, directed=directed)
    return graph


def hetero_graph(data: HeteroData, directed: Directed) -> tuple[Graph, list[int], list[str]]:
    """Return the union of all edge types, where each node type begins and ends, and the type of every node.

    The type of an edge is kept as the attribute "edge_type", such as "author__writes__paper".
    """
    if not data.node_types:
        raise InputError(
            f"AddEgoEncoding needs node types, got {show_value(data)}. Set num_nodes of every node type."
        )
    sizes = [node_count(data[kind], kind) for kind in data.node_types]
    ends = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    start = dict(zip(data.node_types, ends[:-1], strict=True))
    size_of = dict(zip(data.node_types, sizes, strict=True))
    arcs = [(hetero_index(data, kind, size_of), start[kind[0]], start[kind[2]]) for kind in data.edge_types]
    source, target = joined_arcs(arcs)
    graph = graph_of_arcs(source, target, ends[-1], directed)
    names = ["__".join(kind) for kind in data.edge_types]
    counts = [index.shape[1] for index, _, _ in arcs]
    types = np.repeat(np.array(names or [""]), counts or [0])
    kinds = np.repeat(np.array(data.node_types), sizes).tolist()
    return graph.with_table(make_table(source, target, ("edge_type",), lambda _: types)), ends, kinds


def split_rows(rows: Tensor, ptr: Array) -> Sequence[Tensor]:
    """Return consecutive row ranges of a tensor, with the offsets `ptr`."""
    if not rows.is_sparse:
        return split(rows, np.diff(ptr).tolist())
    return [
        narrow(rows, 0, first, last - first)
        for first, last in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)
    ]


def typed_graphs(graphs: Any, directed: Directed) -> tuple[list[Graph], list[list[str]]]:
    """Return the graphs of `HeteroData` with their edge types, and the types of their nodes."""
    for data in graphs:
        if not isinstance(data, HeteroData):
            raise InputError(f"types=True takes the types of HeteroData, got {show_value(data)}.")
    typed = [hetero_graph(data, directed) for data in graphs]
    return [graph for graph, _, _ in typed], [kinds for _, _, kinds in typed]


def check_attributes(transform: Any, vocabulary: Any, learner: str, carried: Collection[str] = ()) -> None:
    """Raise unless a transform names attributes of labels and edge types if and only if its vocabulary has them.

    `carried` are the columns of its own graph, and `learner` is the method that learns a vocabulary.
    """
    for names, what, learned in (
        (("labels",), "labels", vocabulary.labels),
        (tuple(EDGE_ROLES), "edge types", vocabulary.edge_labels),
    ):
        has_names = any(getattr(transform, name) is not None or name in carried for name in names)
        if has_names != (learned is not None):
            raise InputError(
                f"{' or '.join(names)} must name an attribute if and only if the vocabulary was learned with {what}. "
                f"Use {type(transform).__name__}.{learner.replace('...', names[0] + '=...')}."
            )


def check_types(*, types: bool, **given: str | None) -> None:
    """Raise if attributes are named in addition to types=True, which takes all types from `HeteroData`."""
    for name in (name for name, value in given.items() if types and value is not None):
        raise InputError(
            f"types=True takes the types of HeteroData for nodes and edges, got {name}={show_value(given[name])} too. "
            f"Leave out {name}, or types."
        )


def as_attr_name(name: str, *, edges: bool = False, own: str | None = None) -> str:
    """Return a name under which PyG batches rows of nodes as such, or raise an error that says why not.

    Rows of edges may have a name with "edge". `own` is a name of PyG's own that is allowed, too.

    >>> as_attr_name("my_index")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: attr_name must not contain 'index': PyG would batch 'my_index' wrongly. Rename it.
    """
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
        raise InputError(f"attr_name must be a name such as 'ego_encoding', got {show_value(name)}.")
    if name == own:
        return name
    for part in BREAKS_BATCHING:
        if part in name and not (edges and part == "edge"):
            raise InputError(
                f"attr_name must not contain {part!r}: PyG would batch {show_value(name)} wrongly. Rename it."
            )
    if name == "x":
        raise InputError("attr_name must not be 'x', which would be lost. Use attr_name=None to append to x.")
    if hasattr(Data, name) or hasattr(HeteroData, name) or name in ("ptr", "time"):
        raise InputError(
            f"attr_name must not be {show_value(name)}, which PyG uses itself. Choose another name."
        )
    return name


def append_columns(before: Any, added: Tensor, name: str) -> Tensor:
    """Return columns with those that an attribute has already in front of them, in a dtype that holds both.

    Raises for whole numbers that this dtype would round.

    >>> import torch
    >>> append_columns(torch.tensor([7, 8]), torch.ones(2, 1), "edge_attr").tolist()
    [[7.0, 1.0], [8.0, 1.0]]
    """
    if before is None:
        return added
    if (
        not isinstance(before, Tensor)
        or before.dim() == 0
        or len(before) != len(added)
        or before.is_complex()
    ):
        shape = (
            f"shape {tuple(before.shape)} of {before.dtype}"
            if isinstance(before, Tensor)
            else show_value(before)
        )
        raise InputError(
            f"{name} must be a tensor of real numbers with {len(added):,} rows, got {shape}. "
            "Mend it, or choose another name for the new columns."
        )
    flat = before.unsqueeze(1) if before.dim() == 1 else before.flatten(1)
    dtype = promote_types(flat.dtype, added.dtype)
    old = flat.to(added.device, dtype)
    if not flat.is_floating_point() and not equal(old.to(flat.dtype), flat.to(added.device)):
        raise InputError(
            f"{name} has whole numbers that {dtype} would round, such as {flat.abs().max().item():,}. "
            "Convert it with .double(), or choose another name for the new columns."
        )
    return cat([old, added.to(dtype)], dim=1)


def as_tensor(matrix: Any, *, sparse: bool) -> Tensor:
    """Return a sparse matrix as a float32 tensor, dense or COO.

    >>> from scipy.sparse import csr_array
    >>> as_tensor(csr_array([[0, 2]]), sparse=False)
    tensor([[0., 2.]])
    """
    matrix = matrix.astype(np.float32)
    if not sparse:
        return from_numpy(matrix.toarray())
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    positions = from_numpy(np.stack([rows, matrix.indices]).astype(np.int64))
    # Rows are sorted and columns are sorted within them: the tensor is already coalesced.
    values = from_numpy(matrix.data)
    return sparse_coo_tensor(positions, values, matrix.shape, is_coalesced=True, check_invariants=False)

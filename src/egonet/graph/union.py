"""The disjoint union of many graphs, built with array operations instead of a loop over graphs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from egonet import _native
from egonet.checks import is_iterable
from egonet.errors import InputError, option, show_value
from egonet.graph.adapters import is_dataset, to_graph
from egonet.graph.arcs import (
    as_edge_index,
    field_of,
    from_arcs,
    from_matrix,
    has_weights,
    num_nodes_of,
    reject_nan,
)
from egonet.graph.columns import (
    Column,
    EdgeTable,
    Keep,
    as_column,
    as_keep,
    as_objects,
    concatenate_columns,
    is_from,
)
from egonet.graph.graph import MAX_NODES, NOTHING_CHANGED, Graph, GraphInfo, sum_infos
from egonet.graph.index import id_array
from egonet.graph.input_options import InputOptions, as_direction, check_simplify, reject_arcs, warn_ignored
from egonet.tables.edges import indexes_of, with_indexes
from egonet.typing import Array, Directed, Direction, Int64s


def disjoint_union(
    graphs: Any,
    *,
    directed: Directed = None,
    keep: Keep = None,
    simplify: bool | None = None,
) -> tuple[Graph, Int64s]:
    """Return the disjoint union of graphs, and the first row of each of them (and the total).

    `graphs` is a sequence of anything `as_graph` accepts, or a PyG data set. The ids of the union are the concatenated
    ids of the graphs; several graphs may share an id. `keep` names the edge attributes to keep in the edge table of the
    union; None for no table. `directed` and `simplify` are as in `as_graph`. Lists of `Graph`, of scipy CSR matrices
    and of PyG `Data`, and PyG's in-memory data sets, cost a few microseconds per graph; other objects are converted
    one by one.

    Examples
    --------
    >>> edge, path = Graph.from_edges([("a", "b")]), Graph.from_edges([("a", "b"), ("b", "c")])
    >>> union, ptr = disjoint_union([edge, path])
    >>> union, ptr.tolist(), union.node_ids.tolist()
    (Graph(num_nodes=5, num_edges=3), [0, 2, 5], ['a', 'b', 'a', 'b', 'c'])
    """
    check_simplify(simplify)
    if not is_iterable(graphs):
        raise InputError(f"disjoint_union takes a list of graphs, got {show_value(graphs)}.")
    union, ptr, is_new = _join(graphs, as_direction(directed), as_keep(keep))
    if directed is False:
        reject_arcs(union.directed)
    if is_new:  # the warning for a `Graph` was given when it was read
        warn_ignored(union.info, directed=directed, simplify=simplify)
    return union, ptr


def _join(
    graphs: Any, directed: Direction | None, keep: tuple[str, ...] | None
) -> tuple[Graph, Int64s, bool]:
    """Return what `disjoint_union` returns, and whether a graph was converted."""
    if keep is not None:
        return _join_tables(graphs, directed, keep)
    arcs = arcs_of(graphs) if is_dataset(graphs) else None
    if arcs is not None:
        return *_union_of_arcs(arcs, directed), True
    union, items = None, list(graphs)
    kinds = set(map(type, items))
    if kinds and all(issubclass(kind, csr_array | csr_matrix) for kind in kinds):
        union = _union_of_rows(items, directed)
    elif kinds == {Graph} and directed is None:
        union = _union_of_graphs(items)
    elif (arcs := arcs_of(items)) is not None:
        union = _union_of_arcs(arcs, directed)
    if union is None:
        union = _union_of_graphs([as_one(item, position, directed) for position, item in enumerate(items)])
    return *union, kinds != {Graph}


def _join_tables(
    graphs: Any, directed: Direction | None, keep: tuple[str, ...]
) -> tuple[Graph, Int64s, bool]:
    """Return what `_join` returns, with an edge table of all graphs."""
    items = [graphs[index] for index in range(len(graphs))] if is_dataset(graphs) else list(graphs)
    is_new = set(map(type, items)) != {Graph}
    arcs = arcs_of(graphs) if is_new else None
    if arcs is None:
        tables = [] if is_new or directed is not None else [item.edge_table for item in items]
        if (
            not tables
            or None in tables
            or any(name not in table.columns for name in keep for table in tables)
        ):
            items = [as_one(item, position, directed, keep=keep) for position, item in enumerate(items)]
            tables = [each.edge_table for each in items]
        union, ptr = _union_of_graphs(items)
        if all(table is None for table in tables):  # the edges are in row order
            return union, ptr, is_new
        tables = [each.given_edges() for each in items]
        return union.with_table(_stack_tables(tables, ptr, keep)), ptr, is_new
    union, ptr = _union_of_arcs(arcs, directed)
    shift = np.repeat(ptr[:-1], arcs.counts)
    fields = [data._store._mapping for data in items]
    columns = {}
    for name in keep:
        parts = [
            field_of(data, name) if name not in each else each[name]
            for data, each in zip(items, fields, strict=True)
        ]
        columns[name] = as_column(_stack_values(parts), arcs.index.shape[1], name)
    union = Graph.from_checked(
        union.indptr,
        union.indices,
        union.nodes,
        union.directed,
        replace(union.info, weights_ignored=False) if keep else union.info,
    )
    ends = (arcs.index + shift).astype(np.int32)
    return union.with_table(EdgeTable(ends[0], ends[1], columns)), ptr, True


def _stack_values(parts: list[Any]) -> Any:
    """Return the values of all graphs one after the other."""
    if parts and all(is_from("torch", part) for part in parts):
        import torch

        return torch.cat(parts)
    return [value for part in parts for value in part]


def _stack_tables(tables: list[Any], ptr: Int64s, keep: tuple[str, ...]) -> EdgeTable:
    """Return the tables of all graphs one after the other."""
    sources, targets = [table.source for table in tables], [table.target for table in tables]
    sizes = np.fromiter(map(len, sources), dtype=np.int64, count=len(sources))
    shift = np.repeat(ptr[:-1].astype(np.int32), sizes)
    none = np.empty(0, dtype=np.int32)
    source, target = (np.concatenate(ends or [none]) + shift for ends in (sources, targets))
    columns = {}
    for name in keep:
        parts = [table.columns[name] for table in tables]
        same = len(set(map(attrgetter("dtype"), parts))) == 1
        columns[name] = np.concatenate(parts) if same else as_objects([v for p in parts for v in p.tolist()])
    indexes = [indexes_of(table, 1)[0] for table in tables]
    return with_indexes(EdgeTable(source, target, columns), indexes)


def as_one(
    item: Any,
    position: int,
    directed: Direction | None,
    *,
    keep: tuple[str, ...] | None = None,
    **reading: Any,
) -> Graph:
    """Return one graph of a list; an error names its position."""
    is_asked = directed is not None or bool(keep) or any(value is not None for value in reading.values())
    if isinstance(item, Graph) and not is_asked:
        return item
    try:
        return to_graph(item, InputOptions(directed=directed, keep=keep, **reading))
    except InputError as error:
        raise InputError(f"graph {position} (counted from 0): {error.marked}") from error


def _union_of_graphs(graphs: list[Graph]) -> tuple[Graph, Int64s]:
    plain = all(graph.directed is None and graph.info is NOTHING_CHANGED for graph in graphs)
    directions = {None} if plain else set(map(attrgetter("directed"), graphs))
    if len(directions) > 1:
        raise InputError(
            "graphs of one call must all be directed the same way, got a mixture. Read them with the same "
            f"{option('directed')}."
        )
    joined = _native.join_rows(graphs, has_values=False)
    if joined is None:
        raise InputError(
            f"graphs of one call must have at most {MAX_NODES:,} nodes together and indices within their rows. "
            "Encode fewer of them, and build them by Graph.from_edges."
        )
    indptr, indices, ptr, _ = joined
    direction = directions.pop() if directions else None
    info = NOTHING_CHANGED if plain else sum_infos(graphs)
    union = Graph.from_checked(indptr, indices, _join_ids(graphs, ptr), direction, info)
    if any(graph.node_columns or graph.edge_columns for graph in graphs):
        union = _carry_columns(union, graphs, ptr)
    return union, ptr


def _carry_columns(union: Graph, graphs: list[Graph], ptr: Int64s) -> Graph:
    """Return the union with the columns that every graph has; raise if only some have one."""
    nodes = _concatenate_columns([(graph.num_nodes, graph.node_columns) for graph in graphs])
    if any(graph.edge_table is not None for graph in graphs):
        union = union.with_table(_stack_tables([graph.given_edges() for graph in graphs], ptr, ()))
    sizes = [len(graph.given_edges()) if graph.edge_table else graph.num_edges for graph in graphs]
    edges = _concatenate_columns(
        [(size, graph.edge_columns) for size, graph in zip(sizes, graphs, strict=True)]
    )
    return union.with_columns(nodes, edges)


def _concatenate_columns(parts: list[tuple[int, Mapping[str, Column]]]) -> dict[str, Column]:
    """Return the columns of all graphs, given sizes and columns; a graph without entries needs no column."""
    names = dict.fromkeys(name for _, columns in parts for name in columns)
    for name in names:
        for position, (size, columns) in enumerate(parts):
            if size and name not in columns:
                raise InputError(
                    f"graphs of one call must all have {name} or none, but graph {position} (counted from 0) has none. "
                    f"Read all of them with {option(name)}."
                )
    return {
        name: concatenate_columns([columns[name] for _, columns in parts if name in columns])
        for name in names
    }


def _join_ids(graphs: list[Graph], ptr: Int64s) -> Array:
    """Return the concatenated ids of all graphs."""
    if all(graph.nodes is None for graph in graphs):
        return local_rows(ptr)
    ids = [graph.node_ids for graph in graphs]
    if {each.dtype.kind for each in ids} in ({"i"}, {"U"}):
        return np.concatenate(ids)
    return id_array(list(chain.from_iterable(each.tolist() for each in ids)))


def local_rows(ptr: Int64s) -> Int64s:
    """Return 0, 1, ... for the rows of every graph, concatenated.

    >>> local_rows(np.array([0, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(ptr[-1]) - np.repeat(ptr[:-1], np.diff(ptr))


def pointers(sizes: Any) -> Int64s:
    """Return the offsets of consecutive blocks of some sizes, and the total.

    >>> pointers([2, 3]).tolist()
    [0, 2, 5]
    """
    ptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=ptr[1:])
    return ptr


def _union_of_rows(matrices: list[Any], directed: Direction | None) -> tuple[Graph, Int64s] | None:
    """Return the union of CSR matrices; None if they must be converted one by one."""
    joined = _native.join_rows(matrices, has_values=True) if directed is None else None
    if joined is None:
        return _union_of_odd_rows(matrices, directed)
    indptr, indices, ptr, weighted = joined
    if weighted:
        reject_nan(np.concatenate([matrix.data for matrix in matrices]))
    info = GraphInfo(weights_ignored=weighted)
    return Graph.from_checked(indptr, indices, local_rows(ptr), info=info), ptr


def _union_of_odd_rows(matrices: list[Any], directed: Direction | None) -> tuple[Graph, Int64s] | None:
    """Return the union of CSR matrices with arcs, loops, zeros or unsorted rows, checked as one matrix."""
    shapes = [matrix.shape for matrix in matrices]
    if any(len(shape) != 2 or shape[0] != shape[1] for shape in set(shapes)):
        return None
    ptr = pointers([shape[0] for shape in shapes])
    columns = [matrix.indices for matrix in matrices]
    arcs = np.fromiter(map(len, columns), dtype=np.int64, count=len(columns))
    every, targets = np.concatenate([matrix.indptr for matrix in matrices]), np.concatenate(columns)
    values = [matrix.data for matrix in matrices]
    if len(every) != ptr[-1] + len(matrices) or list(map(len, values)) != arcs.tolist():
        return None
    if len({value.dtype for value in values}) > 1:  # concatenating bool and numbers would change the values
        return None
    closing = ptr[1:] + np.arange(len(matrices))  # positions of the last entry of each indptr
    in_range = np.all((targets >= 0) & (targets < np.repeat(np.diff(ptr), arcs)))
    if np.any(every[closing] != arcs) or np.any(every[closing - np.diff(ptr)] != 0) or not in_range:
        return None
    if np.any(np.delete(np.diff(every), closing[:-1]) < 0):
        return None
    arc_ptr = pointers(arcs)
    # All entries of each indptr but the last, shifted by the number of arcs before it.
    rows = np.delete(every, closing) + np.repeat(arc_ptr[:-1], np.diff(ptr))
    targets = targets + np.repeat(ptr[:-1], arcs)
    blocks = csr_array(
        (np.concatenate(values), targets, np.append(rows, arc_ptr[-1])), shape=(ptr[-1], ptr[-1])
    )
    return _with_ids(from_matrix(blocks, directed=directed), ptr), ptr


@dataclass(frozen=True, eq=False)
class Arcs:
    """The concatenated arcs of many graphs; the nodes of every graph are counted from 0.

    Attributes
    ----------
    index
        (2, num_arcs): the arcs, graph by graph.
    sizes, counts
        The numbers of nodes and arcs of each graph.
    weighted
        Whether there are edge weights, which are not used.
    """

    index: Array
    sizes: Array
    counts: Array
    weighted: bool


def arcs_of(graphs: Any) -> Arcs | None:
    """Return the arcs of a PyG data set or of a list of `Data`; None if they must be converted one by one.

    >>> arcs_of([Graph.from_edges([("a", "b")])]) is None
    True
    """
    if is_dataset(graphs):
        return _arcs_of_dataset(graphs)
    kinds = set(map(type, graphs))
    if not kinds or any(kind.__module__ != "torch_geometric.data.data" for kind in kinds):
        return None
    fields = [data._store._mapping for data in graphs]
    gathered = _gather_tensors([mapping.get("edge_index") for mapping in fields])
    sizes = _sizes(graphs, fields)
    if gathered is None or not all(type(size) is int and size >= 0 for size in sizes):
        return None
    weighted = any(has_weights(mapping.get) for mapping in fields)
    return Arcs(gathered[0], np.array(sizes), gathered[1], weighted)


def _gather_tensors(tensors: list[Any]) -> tuple[Array, Int64s] | None:
    """Return edge_index tensors as one array (2, num_arcs), and their numbers of arcs; None if one is invalid.

    PyTorch needs 3 microseconds per tensor to concatenate them, or to return a NumPy view.
    """
    from egonet.graph.pyg_data import arc_addresses, plain_tensor

    addresses = list(map(arc_addresses, tensors))
    if None in addresses:
        tensors = list(map(plain_tensor, tensors))
        addresses = list(map(arc_addresses, tensors))
    readable = [address for address in addresses if address is not None]
    if len(readable) < len(addresses):
        return None
    flat = np.fromiter(chain.from_iterable(readable), dtype=np.int64, count=3 * len(readable))
    sources, targets, counts = np.ascontiguousarray(flat.reshape(-1, 3).T)
    return _native.gather_arcs(sources, targets, counts), counts


def _sizes(items: list[Any], fields: list[Any]) -> list[int | None]:
    """Return the number of nodes of every `Data`; common cases skip PyG's search through all fields."""
    from torch import Tensor

    rows = [mapping.get("x") for mapping in fields]
    if all(isinstance(x, Tensor) and x.shape for x in rows) and not any("num_nodes" in it for it in fields):
        return [x.shape[0] for x in rows]
    sizes = [mapping.get("num_nodes") for mapping in fields]
    return [num_nodes_of(data) if size is None else size for data, size in zip(items, sizes, strict=True)]


def _arcs_of_dataset(dataset: Any) -> Arcs | None:
    """Return the arcs of a data set in memory from its collated arrays; None if its items may differ from them."""
    data, slices = getattr(dataset, "_data", None), getattr(dataset, "slices", None)
    if data is None or not slices or dataset._indices is not None or dataset.transform is not None:
        return None
    index = getattr(data, "edge_index", None)
    if index is None or "edge_index" not in slices or index.dim() != 2 or index.shape[0] != 2:
        return None
    if index.is_floating_point() or index.is_complex():
        return None
    sizes = getattr(data._store, "_num_nodes", None)
    if sizes is None:
        key = next((key for key in ("x", "pos", "node_type") if key in slices), None)
        if key is None:
            return None
        sizes = np.diff(slices[key].numpy())
    counts = np.diff(slices["edge_index"].numpy())
    weighted = has_weights(lambda name: getattr(data, name, None))
    return Arcs(index.cpu().numpy(), np.array(sizes), counts, weighted)


def _union_of_arcs(arcs: Arcs, directed: Direction | None) -> tuple[Graph, Int64s]:
    """Return the union of graphs from their concatenated arcs."""
    index, sizes, counts, weighted = arcs.index, arcs.sizes, arcs.counts, arcs.weighted
    ptr = pointers(sizes)
    joined = None
    if directed is None and index.dtype == np.int64:
        joined = _native.join_arcs(np.ascontiguousarray(index), np.diff(ptr), counts)
    if joined is not None:
        return _with_ids(Graph.from_checked(*joined, info=GraphInfo(weights_ignored=weighted)), ptr), ptr
    limit = np.repeat(sizes, counts)
    bad = np.flatnonzero(((index < 0) | (index >= limit)).any(axis=0))
    if len(bad):
        graph = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
        last = int(np.cumsum(counts)[graph])
        try:
            as_edge_index(index[:, last - int(counts[graph]) : last], int(sizes[graph]))
        except InputError as error:
            raise InputError(f"graph {graph} (counted from 0): {error.marked}") from None
    shift = np.repeat(ptr[:-1], counts)
    source, target = index + shift
    union = from_arcs(source, target, int(ptr[-1]), directed=directed, weights_ignored=weighted)
    return _with_ids(union, ptr), ptr


def _with_ids(graph: Graph, ptr: Int64s) -> Graph:
    return Graph.from_checked(graph.indptr, graph.indices, local_rows(ptr), graph.directed, graph.info)

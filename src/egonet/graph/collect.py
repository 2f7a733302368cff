"""`collect_graphs`: one graph or several, with every keyword that says something about data, as one graph."""

from typing import Any, Unpack

import numpy as np

from egonet.errors import InputError
from egonet.graph.adapters import (
    adapter_of,
    as_graph,
    as_list,
    batch_pointers,
    is_dataset,
    is_many,
    node_attribute,
    to_graph,
)
from egonet.graph.align import attach_columns, is_nested, kept_names, reject_unordered
from egonet.graph.columns import EDGE_ROLES, ROLES, EdgeOptions, Labels, as_keep
from egonet.graph.graph import Graph, sum_infos
from egonet.graph.input_options import (
    InputOptions,
    ReadOptions,
    as_direction,
    check_simplify,
    reading_of,
    reject_arcs,
    warn_ignored,
)
from egonet.graph.union import as_one, disjoint_union
from egonet.typing import Array, Int64s


class DataOptions(ReadOptions, EdgeOptions, total=False):
    """The keywords of `as_graph` that say how data is read and what its nodes and edges carry."""

    labels: Labels | None


def collect_graphs(
    data: Any, *, keep_arcs: bool = False, **options: Unpack[DataOptions]
) -> tuple[Graph, Int64s]:
    """Return one graph, the disjoint union of several, and where each of them begins in it.

    A PyG `Batch` is the union of its graphs; its nodes are numbered through.
    `options` are keywords of `as_graph`; those with a value per node or edge take one per graph, or one over all
    graphs. With `keep_arcs` the direction of arcs is kept unless `directed` says which way they are followed.

    >>> union, graph_ptr = collect_graphs([Graph.from_edges([("a", "b")])] * 2, labels=[["C", "O"], ["N", "C"]])
    >>> union, graph_ptr.tolist(), union.node_columns["labels"].values()
    (Graph(num_nodes=4, num_edges=2, columns='labels'), [0, 2, 4], ['C', 'O', 'N', 'C'])
    """
    if isinstance(data, Graph) and not any(value is not None for value in options.values()):
        return data, _one_graph(data)
    data = data if isinstance(data, list | Graph) else as_list(data)
    values: dict[str, Any] = {name: options[name] for name in ROLES if name in options}  # type: ignore[literal-required]
    reading: Any = {name: value for name, value in options.items() if name not in ROLES}
    if keep_arcs:
        reading["directed"] = kept_direction(data, reading.get("directed"))
    if isinstance(data, Graph) or not is_many(data):
        graph = as_graph(data, **reading, **values)
        graph_ptr = batch_pointers(data)
        return graph, _one_graph(graph) if graph_ptr is None else graph_ptr
    for name in ("num_nodes", "nodes"):
        if reading.get(name) is not None:
            raise InputError(f"{name} is for one graph, got {len(data):,}. Leave it out.")
    _reject_batches(data)
    directed, keep = reading.get("directed"), kept_names(*(values.get(name) for name in EDGE_ROLES))
    graphs, ends = data, {name: reading.get(name) for name in ("source", "target", "missing", "ids")}
    if any(end is not None for end in ends.values()):
        keywords: Any = {"directed": as_direction(directed), "keep": keep, **ends}
        graphs = [as_one(item, index, **keywords) for index, item in enumerate(data)]
        converted = [graph for graph, item in zip(graphs, data, strict=True) if graph is not item]
        told: Any = {name: reading.get(name) for name in ("source", "simplify")}
        warn_ignored(sum_infos(converted), directed=directed, is_table=True, **told)
    union, graph_ptr = disjoint_union(graphs, directed=directed, keep=keep, simplify=reading.get("simplify"))
    if isinstance(values.get("labels"), str):
        values["labels"] = [node_attribute(item, values["labels"]) for item in data]
    elif values.get("labels") is not None and not is_dataset(data):
        reject_unordered_items(data, np.split(union.node_ids, graph_ptr[1:-1]), values["labels"])
    return attach_columns(union, graph_ptr, values), graph_ptr


def take_columns(options: dict[str, Any], **named: Any) -> dict[str, Any]:
    """Remove the keywords of columns from some options; return them with those that a function names itself.

    >>> options = {"directed": "out", "weights": "amount"}
    >>> take_columns(options, labels=None), options
    ({'labels': None, 'weights': 'amount'}, {'directed': 'out'})
    """
    return named | {name: options.pop(name) for name in ROLES if name in options}


def as_graphs(data: list[Any], labels: Any, **reading: Any) -> list[Graph]:
    """Return some graphs, read alike, with one warning about what is not used.

    Raises if `labels`, one per graph, are in row order where ids have no order.

    >>> as_graphs([[("a", "b")], Graph.from_edges([("a", "b")])], [{"a": "C", "b": "O"}, ["C", "O"]])
    [Graph(num_nodes=2, num_edges=1), Graph(num_nodes=2, num_edges=1)]
    """
    told: Any = {name: reading.get(name) for name in ("directed", "source")}
    simplify, directed = check_simplify(reading.pop("simplify", None)), reading.pop("directed", None)
    options = InputOptions(
        **reading | {"directed": as_direction(directed), "keep": as_keep(reading.get("keep"))}
    )
    graphs = [to_graph(each, options) for each in data]
    if directed is False:
        for graph in graphs:
            reject_arcs(graph.directed)
    converted = [graph for graph, each in zip(graphs, data, strict=True) if graph is not each]
    is_table = any(adapter_of(each).is_table for each in data)
    warn_ignored(sum_infos(converted), simplify=simplify, is_table=is_table, **told)
    if labels is not None and not isinstance(labels, str):
        reject_unordered_items(data, [graph.node_ids for graph in graphs], labels)
    return graphs


def reject_unordered_items(data: Any, ids: list[Array], labels: Any, what: str = "labels") -> None:
    """Raise for labels in row order for a graph of a list whose object has no order of nodes.

    >>> reject_unordered_items([Graph.from_edges([("b", "a")])], [np.array(["b", "a"])], [["x", "y"]])
    """
    kinds = {type(item): item for item in data}
    unordered = {kind for kind, item in kinds.items() if not adapter_of(item).has_order}
    per_graph = isinstance(labels, list | tuple) and len(labels) == len(data)
    for index, item in enumerate(data if unordered else ()):
        if type(item) in unordered:
            part = labels[index] if per_graph and is_nested(labels[index]) else labels
            reject_unordered(part, ids[index], f" (graph {index})", what)


def _reject_batches(data: Any) -> None:
    """Raise for a list with a `Batch` of several graphs, which could be read as one graph or as several."""
    if is_dataset(data) or not any(hasattr(kind, "to_data_list") for kind in set(map(type, data))):
        return
    for index, item in enumerate(data):
        if (pointers := batch_pointers(item)) is not None and len(pointers) != 2:
            raise InputError(
                f"graph {index} (counted from 0) is a Batch of {len(pointers) - 1:,} graphs. Give the graphs, as in "
                "batch.to_data_list(), or egonet.as_graph(batch) for one graph."
            )


def _one_graph(graph: Graph) -> Int64s:
    return np.array([0, len(graph.indptr) - 1], dtype=np.int64)


def kept_direction(data: Any, directed: Any) -> Any:
    """Return how arcs are followed if they are counted: a `Graph` has its direction, others are read as "out"."""
    graphs = data if isinstance(data, list | tuple) and len(data) else [data]
    is_read = directed is None and all(isinstance(each, Graph) for each in graphs)
    return None if is_read else reading_of(directed, "in_out")

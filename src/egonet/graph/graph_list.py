"""Lists of graphs as estimators take them: one graph is an error, and each may come with its labels."""

from typing import Any

from egonet.errors import InputError
from egonet.graph.convert import is_dataset, is_many, listed
from egonet.graph.ids import show

_ONE_GRAPH = (
    "GraphEncoder takes a list of graphs, got one graph ({kind}). "
    "Write [graph] for a single one, or use NodeEncoder for a row per node."
)


def unzip(graphs: Any, *, labeled: bool) -> tuple[Any, list[Any] | None]:
    """Return the graphs, and their labels if they come with them; raise for a single graph.

    Examples
    --------
    >>> unzip([("graph", [1, 2])], labeled=True)
    (['graph'], [[1, 2]])
    """
    if not labeled and is_dataset(graphs):
        return graphs, None
    items = _as_list(graphs)
    if not labeled:
        if items and not is_many(items):
            for position, item in enumerate(items):
                if item is None or isinstance(item, str | int | float):
                    raise InputError(f"graph {position} (counted from 0) must be a graph, got {show(item)}.")
            raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
        return items, None
    for position, pair in enumerate(items):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(
                "labeled=True takes a list of pairs (graph, labels of its nodes), "
                f"got {show(pair)} at position {position}."
            )
    return [graph for graph, _ in items], [labels for _, labels in items]


def _as_list(graphs: Any) -> list[Any]:
    """Return the graphs as a list; raise for a single graph."""
    graphs = listed(graphs)
    if isinstance(graphs, list | tuple):
        return list(graphs)
    if graphs is None or isinstance(graphs, str | bytes | int | float | dict | set | frozenset):
        raise InputError(f"GraphEncoder takes a list of graphs, got {show(graphs)}.")
    if not hasattr(graphs, "__len__") or not hasattr(graphs, "__getitem__") or _is_one_graph(graphs):
        raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
    return [graphs[index] for index in range(len(graphs))]


def _is_one_graph(data: Any) -> bool:
    """Return whether an indexable thing is a graph itself: an array, a sparse matrix, a frame, a Data."""
    kind = type(data).__module__.split(".")[0]
    return hasattr(data, "shape") or hasattr(data, "edge_index") or kind in ("networkx", "igraph")

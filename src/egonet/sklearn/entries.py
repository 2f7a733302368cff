"""A column of graphs, molecules or SMILES as a list of graphs, missing entries by rule."""

from typing import Any

import numpy as np

from egonet.errors import InputError, MissingExtraError
from egonet.graph.convert import is_from, is_many, listed
from egonet.graph.edge_table import make_table
from egonet.graph.graph import Graph
from egonet.graph.ids import is_encodable, show
from egonet.typing import Direction

_ONE_GRAPH = (
    "GraphEncoder takes a list of graphs, got one graph ({kind}). "
    "Write [graph] for a single one, or use NodeEncoder for a row per node."
)


def graph_entries(
    graphs: Any, *, labeled: bool, empty: Graph | None = None
) -> tuple[list[Any], list[Any] | None]:
    """Return the graphs of a list or a column, and their labels if `labeled`; raise for a single graph.

    Text is read as SMILES by RDKit. A molecule has its atoms as labels; any other graph comes as the pair (graph,
    labels). An entry that is missing, or SMILES that RDKit cannot read, is the graph `empty`, if it is given.

    Examples
    --------
    >>> import egonet
    >>> graphs, labels = graph_entries(["CO", None], labeled=True, empty=empty_graph(None, ()))
    >>> [egonet.as_graph(graph) for graph in graphs], labels
    ([Graph(num_nodes=2, num_edges=1), Graph(num_nodes=0, num_edges=0)], [['C', 'O'], []])
    """
    items = _as_list(graphs)
    if not labeled and set(map(type, items)) == {Graph}:
        return list(items), None
    read = [_read(item, position, empty) for position, item in enumerate(items)]
    if not labeled:
        if items and not is_many(read):
            for position, item in enumerate(read):
                if isinstance(item, int | float):
                    raise InputError(f"graph {position} (counted from 0) must be a graph, got {show(item)}.")
            raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
        return read, None
    pairs = [_with_labels(item, position, empty) for position, item in enumerate(read)]
    return [graph for graph, _ in pairs], [labels for _, labels in pairs]


def _read(item: Any, position: int, empty: Graph | None) -> Any:
    """Return an entry with SMILES as a molecule; a missing one as the empty graph, or raise."""
    if isinstance(item, str):
        molecule = _molecule(item)
        if molecule is not None:
            return molecule
        problem = f"is no SMILES that RDKit can read: {show(item)}"
    elif _is_missing(item):
        problem = f"must be a graph, got {item!r}"
    else:
        return item
    if empty is not None:
        return empty
    raise InputError(
        f"graph {position} (counted from 0) {problem}. "
        'Drop the entry, or set handle_unknown="zero" for a row of zeros.'
    )


def _is_missing(item: Any) -> bool:
    """Return whether a value is None, NaN, `pandas.NA` or `pandas.NaT`."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, float | np.floating) and item != item


def _molecule(smiles: str) -> Any:
    """Return the RDKit molecule of SMILES, or None if there is none."""
    try:
        from rdkit import Chem, rdBase
    except ImportError as error:
        raise MissingExtraError(
            f"reading SMILES ({show(smiles)}) needs an extra package: pip install rdkit."
        ) from error
    if not is_encodable(smiles):
        return None
    with rdBase.BlockLogs():  # the error has the text; RDKit would print lines of its own
        return Chem.MolFromSmiles(smiles)


def _with_labels(item: Any, position: int, empty: Graph | None) -> tuple[Any, Any]:
    """Return a graph and the labels of its nodes."""
    if item is empty:
        return empty, []
    if is_from("rdkit", item):
        return item, [atom.GetSymbol() for atom in item.GetAtoms()]
    if isinstance(item, tuple | list) and len(item) == 2:
        return item[0], item[1]
    raise InputError(
        f"labeled=True takes a list of pairs (graph, labels of its nodes), got {show(item)} at position {position}."
    )


def _as_list(graphs: Any) -> list[Any]:
    """Return a list, a series, or a frame or array of one column as a list; raise for a single graph."""
    if hasattr(graphs, "columns") and getattr(graphs, "shape", (0, 0))[1:] == (1,):
        graphs = graphs[next(iter(graphs.columns))]
    elif isinstance(graphs, np.ndarray) and graphs.ndim == 2 and graphs.shape[1] == 1:
        graphs = graphs[:, 0]
    if isinstance(graphs, np.ndarray) and graphs.ndim == 1 and graphs.dtype.kind in "UT":
        graphs = graphs.tolist()
    elif is_from("polars", graphs) and not hasattr(graphs, "columns"):
        graphs = graphs.to_list()
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


def empty_graph(directed: Direction | None, keep: tuple[str, ...] | None) -> Graph:
    """Return a graph without nodes, read as the graphs next to it: with their direction and edge attributes.

    Examples
    --------
    >>> empty_graph("out", ("bond",)).directed, empty_graph(None, ("bond",)).edge_table.column("bond").tolist()
    ('out', [])
    """
    graph = Graph.from_edges([], num_nodes=0, directed=directed)
    return graph.with_table(make_table(graph.indices, graph.indices, keep, lambda _name: []))

"""Graphs from tables: two columns have the ends of the edges, others are kept by name."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

from egonet.errors import InputError, option
from egonet.graph.columns import EdgeTable, make_table, named_columns, unknown_attribute
from egonet.graph.graph import Graph
from egonet.graph.index import factorize, renumber
from egonet.graph.input_options import InputOptions, choose_columns, named_ends
from egonet.tables.arrow import arrow_columns, checked_frame
from egonet.tables.frames import code_strings
from egonet.tables.table import Table, as_table
from egonet.typing import Array

if TYPE_CHECKING:
    import narwhals as nw


@dataclass(frozen=True, eq=False)
class FrameEdges(EdgeTable):
    """The edges of pandas tables: `indexes` has the index of the table of every graph, None for other graphs.

    >>> import numpy as np
    >>> import pandas as pd
    >>> FrameEdges(np.array([0]), np.array([1]), indexes=(pd.Index(["first"]),)).indexes[0].to_list()
    ['first']
    """

    indexes: tuple[Any, ...] = ()


def with_indexes(table: EdgeTable, indexes: "list[Any]") -> EdgeTable:
    """Return an edge table with the index of every graph's table, or unchanged if no graph comes from pandas."""
    if all(index is None for index in indexes):
        return table
    return FrameEdges(table.source, table.target, table.columns, tuple(indexes))


def indexes_of(table: EdgeTable, num_graphs: int) -> "list[Any]":
    """Return the index of every graph's table, None for those that do not come from pandas."""
    indexes = table.indexes if isinstance(table, FrameEdges) else ()
    return list(indexes) if len(indexes) == num_graphs else [None] * num_graphs


def from_table(table: Table, options: InputOptions, *, weights_ignored: bool | None = None) -> Graph:
    """Return the graph whose edges are the rows of a table.

    >>> import pandas as pd
    >>> table = as_table(pd.DataFrame({"src": ["a", "b"], "dst": ["b", "c"], "weight": [0.5, 2.0]}))
    >>> from_table(table, InputOptions()).info.weights_ignored
    True
    """
    columns = table.names
    if options.source is None and len(columns) != 2:
        _reject_matrix(table.index, columns)
    ends = choose_columns(columns, options.source, options.target)
    if columns == [0, 1] and options.source is None and len(table) == 2 and _is_number(table.columns[0]):
        raise InputError(
            "a table of two rows and two columns without names may be two edges or a matrix."
            f" Give {option('source', 0)} and {option('target', 1)} for edges, or "
            "scipy.sparse.csr_array(table) for a matrix."
        )
    num_read = len(table)
    if options.missing == "drop":
        table = table.without([*ends, *(name for name in options.keep or () if name in columns)])
    coded = None
    if options.num_nodes is None and table.text is None:
        coded = code_strings([table.columns[end] for end in ends])
    ids: Array | None
    if coded is not None:
        flat, ids = renumber(*coded, options.nodes)
        rows, others = flat[0::2], flat[1::2]
    else:
        values = replace(table, id_kind=options.ids).flat_ids(*ends)
        where = table.places(*ends, can_drop=True)
        rows, others, ids = factorize(values, num_nodes=options.num_nodes, nodes=options.nodes, where=where)
    graph = Graph.from_indices(
        rows,
        others,
        int(options.num_nodes or 0) if ids is None else len(ids),
        nodes=ids,
        directed=options.directed,
        weights_ignored=len({*columns, *ends} - {*ends, *(options.keep or ())}) > 0
        if weights_ignored is None
        else weights_ignored,
    )
    if len(table) < num_read:
        graph = replace(graph, info=replace(graph.info, missing_dropped=num_read - len(table)))
    if options.keep is None:
        return graph

    def column(name: Any) -> Any:
        if name not in columns:
            raise unknown_attribute(name, [each for each in columns if each not in ends], "the table")
        return table.columns[name]

    edges = make_table(rows, others, options.keep, column)
    return graph.with_table(None if edges is None else with_indexes(edges, [table.index]))


def _is_number(column: "nw.Series[Any]") -> bool:
    return bool(column.dtype.is_numeric())


def _reject_matrix(index: Any, columns: list[Any]) -> None:
    """Raise for a pandas table with edges in its index, or whose rows and columns have the same names: a matrix."""
    if getattr(index, "nlevels", 1) > 1 and len(columns) < 2:
        raise InputError(
            "the ends of edges must be columns, got an index of several levels. Give table.reset_index()."
        )
    if (
        len(columns) > 2
        and hasattr(index, "tolist")
        and len(index) == len(columns)
        and index.tolist() == columns
    ):
        raise InputError(
            "a table of edges has a row per edge, got one whose rows and columns have the same names, like an "
            "adjacency matrix. Give networkx.from_pandas_adjacency(table)."
        )


def read_table_graph(kind: str, stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of two columns of a Parquet or Arrow file; other columns are not read."""
    with arrow_columns(stream, name, kind) as (columns, select):
        ends = choose_columns(columns, *named_ends(columns, options.source, options.target))
        named_by = named_columns(options.keep or (), columns)
        table = as_table(checked_frame(select(list(dict.fromkeys([*ends, *named_by.values()])))))
        assert table is not None
        keep = None if options.keep is None else tuple(named_by.values())
        named = replace(options, source=ends[0], target=ends[1], keep=keep)
        graph = from_table(table, named, weights_ignored=len(columns) > len({*ends, *named_by.values()}))
        edges = graph.edge_table
        if edges is None:
            return graph
        values = {role: edges.columns[name] for role, name in named_by.items()}
        return graph.with_table(replace(edges, columns=values))

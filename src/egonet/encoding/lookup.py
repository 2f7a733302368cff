"""Rows of an encoding by node: the most similar rows, and rows joined to a data frame."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from scipy.sparse import csr_array, vstack

from egonet.checks import as_whole, one_of
from egonet.encoding.export import SHOWN_ROWS, CountTable
from egonet.encoding.matrix import Counts, Weighting, weight
from egonet.encoding.ranks import quarter_of_isolated
from egonet.encoding.schema import Schema
from egonet.encoding.unknown import MOST_UNSEEN, HandleUnknown
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, UnknownNodeError, UnseenWarning, option, require_extra, show_value
from egonet.graph.columns import is_from
from egonet.graph.graph import Graph
from egonet.graph.index import Places, as_listed, reject_missing, reject_other_types, type_hint, whole_float
from egonet.graph.input_options import require_column, warn
from egonet.kernel import native
from egonet.tables.frames import as_frame, as_ids, index_labels
from egonet.typing import Array, Int64s

if TYPE_CHECKING:
    from egonet.encoding.count import RowSource

#: An encoding with more columns is not joined to a table.
JOIN_COLUMNS = 4_096
#: Rows compared at a time, to keep intermediate arrays small.
_BLOCK = 1 << 16


class RowLookup(CountTable):
    """The methods of `Encoding` that look rows up."""

    if TYPE_CHECKING:
        source: RowSource

        def rows(self, first: int, last: int) -> Counts: ...
        def _row_of(self, node: Hashable) -> int: ...

    def similar(
        self, node: Hashable, k: int = 10, *, weighting: Weighting = "count"
    ) -> list[tuple[Any, float]]:
        """Return the k nodes whose rows are nearest to the row of a node, as (node, distance), nearest first.

        The distance is the sum over all columns of the absolute difference (the L1 or Manhattan distance). With
        counts it is the number of nodes in either ego-network that have no counterpart in the other. Distance 0
        means equal rows. The result is exact; equal distances are in row order; the node itself is left out.

        Parameters
        ----------
        node
            The id of a root.
        k
            How many nodes.
        weighting
            "count", or "log", "paper" or "rank" as for `weighted`, so that large numbers count less.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode(egonet.named.path("abcd"), radius=1).similar("a", k=2)
        [('d', 0), ('b', 3)]

        Notes
        -----
        Cost: reads every row once. A million rows of eight entries take 0.2 seconds on one core.
        """
        row, wanted = self._row_of(node), as_whole("k", k)
        one_of("weighting", weighting, get_args(Weighting))
        distances = row_distances(self.source if weighting == "count" else self, row, weighting)
        distances[row] = np.inf if distances.dtype.kind == "f" else np.iinfo(np.int64).max
        nearest = smallest(distances, min(wanted, len(self) - 1))
        names = [self.index.name(row_near) for row_near in nearest.tolist()]
        return list(zip(names, distances[nearest].tolist(), strict=True))

    def join(
        self,
        table: Any,
        on: Any = None,
        *,
        weighting: Weighting = "count",
        handle_unknown: HandleUnknown = "error",
    ) -> Any:
        """Return a data frame (pandas, polars, pyarrow) with a column per feature added to each of its rows.

        Parameters
        ----------
        table
            The data frame; its rows keep their order, and ids may repeat.
        on
            The column with the node ids; for pandas the index if not given.
        weighting
            As for `weighted`.
        handle_unknown
            What happens to ids without a row: "error"; "zero" and "warn" give them the row of an isolated node;
            "warn" warns, "zero" does so if they are more than half. A missing id is always an error.

        Examples
        --------
        >>> import egonet, pandas
        >>> people = pandas.DataFrame({"who": ["b", "a"], "age": [30, 40]})
        >>> egonet.encode([("a", "b"), ("b", "c")], radius=0).join(people, on="who")
          who  age  r0_d0_deg1  r0_d0_deg2
        0   b   30           0           1
        1   a   40           1           0
        """
        return join_rows(self, table, on, weighting, handle_unknown)

    def _repr_html_(self) -> str:
        return self._first_rows(self.rows(0, min(len(self), SHOWN_ROWS)))


def row_distances(table: "RowSource | RowLookup", row: int, weighting: Weighting) -> Array:
    """Return the L1 distance of every row from one of them: int64 for counts, float64 if weighted."""
    if weighting == "count":
        return _count_distances(table, row)
    assert isinstance(table, RowLookup)
    wanted = table._weighted_rows(row, row + 1, weighting)
    query = np.zeros(wanted.shape[1])
    query[wanted.indices] = wanted.data
    distances = np.empty(len(table))
    for first in range(0, len(table), _BLOCK):
        block = table._weighted_rows(first, min(first + _BLOCK, len(table)), weighting)
        gaps = np.abs(block.data - query[block.indices]) - query[block.indices]
        entries = csr_array((gaps, block.indices, block.indptr), shape=block.shape)
        distances[first : first + _BLOCK] = np.maximum(entries.sum(axis=1) + query.sum(), 0)
    return distances


def _count_distances(source: Any, row: int) -> Array:
    """Return the L1 distance of every row of counts from one of them."""
    wanted = source.rows(row, row + 1)
    query = np.zeros(wanted.shape[1], dtype=np.int64)
    query[wanted.indices] = wanted.data
    distances = np.empty(source.num_rows, dtype=np.int64)
    for first in range(0, source.num_rows, _BLOCK):
        block = source.rows(first, min(first + _BLOCK, source.num_rows))
        columns = block.indices.astype(np.int32, copy=False)
        distances[first : first + _BLOCK] = native.row_distances(
            block.indptr.astype(np.int64), columns, block.data, query
        )
    return distances


def smallest(values: Array, k: int) -> Int64s:
    """Return the positions of the k smallest values in order; equal values keep their order.

    >>> smallest(np.array([3, 1, 2, 1, 2]), 3).tolist()
    [1, 3, 2]
    """
    if k <= 0:
        return np.empty(0, dtype=np.int64)
    limit = np.partition(values, k - 1)[k - 1]
    below, equal = np.flatnonzero(values < limit), np.flatnonzero(values == limit)
    below = below[np.argsort(values[below], kind="stable")]
    return np.concatenate([below, equal[: k - len(below)]])


def isolated_row(vocabulary: Vocabulary, graph: Graph | None = None) -> Counts:
    """Return the row of a node without neighbors and without a label.

    Its quarter of the degrees of `graph` depends on how many nodes without neighbors that has.

    >>> import egonet
    >>> vocabulary = egonet.encode([("a", "b")], radius=1).vocabulary
    >>> isolated_row(vocabulary).toarray()
    array([[0, 0]], dtype=int32)
    >>> isolated_row(egonet.encode(egonet.as_graph([(0, 1)], num_nodes=3), radius=1).vocabulary).toarray()
    array([[1, 0, 0]], dtype=int32)
    """
    settings = vocabulary.settings
    columns = []
    if settings.rooted == "refined" and vocabulary.labels is None:
        # The coloring of one node: a single entry, whose numbers are zero but for the radius.
        several = len(settings.radius) > 1
        for index, (_, entries) in enumerate(vocabulary.columns):
            if len(entries) == 1 and not any(entries[0][0][several:]):
                columns.append(index)
    else:
        keys = isolated_keys(vocabulary.schema, graph)
        columns = [vocabulary.column_of[key] for key in keys if key in vocabulary.column_of]
    ones = np.ones(len(columns), dtype=np.int32)
    return csr_array((ones, columns, [0, len(columns)]), shape=(1, len(vocabulary)))


def isolated_keys(schema: Schema, graph: Graph | None) -> list[tuple[int, ...]]:
    """Return the keys that a node without neighbors and without a label counts: the radius, then the fields.

    >>> from egonet import Settings
    >>> isolated_keys(Schema(Settings((1, 2))), None)
    [(1, 0, 0), (2, 0, 0)]
    """
    settings, lowest = schema.settings, 0
    if schema.labels is not None or settings.count != "nodes":  # no edges around an isolated node
        return []
    if settings.degree_bins == "quantile":
        if graph is None:
            raise InputError(
                f"{option('degree_bins', 'quantile')} compares a node without a row with the degrees of the "
                "graph, which a loaded encoding does not have. Encode the graph again."
            )
        lowest = quarter_of_isolated(graph.degrees)
    fields = settings.num_fields + (schema.edge_labels is not None)
    return [(radius, 0, *[lowest] * fields) for radius in settings.radius]


def chosen_rows(matrix: Counts, vocabulary: Vocabulary, rows: Int64s, graph: Graph | None) -> Counts:
    """Return some rows of a matrix in this order; -1 stands for the row of an isolated node of the graph."""
    if (rows >= 0).all():
        return matrix[rows]
    return csr_array(vstack([matrix, isolated_row(vocabulary, graph)]))[rows]


def ranked_rows(ranks: Counts, vocabulary: Vocabulary, rows: Int64s, graph: Graph | None) -> Counts:
    """Return some rows of the ranks of one graph's nodes in this order; -1 stands for a node without neighbors.

    >>> import egonet
    >>> encoding = egonet.encode(egonet.as_graph([(0, 1)], num_nodes=4), radius=1)
    >>> ranked_rows(encoding.weighted("rank"), encoding.vocabulary, np.array([0, -1]), None).toarray()
    array([[0.  , 0.75, 0.75],
           [0.75, 0.  , 0.  ]])
    """
    if (rows >= 0).all():
        return ranks[rows]
    isolated = isolated_row(vocabulary, graph).astype(np.float64)
    # Its counts are 1, and no count in these columns is higher.
    equal = np.bincount(ranks.indices, minlength=ranks.shape[1])[isolated.indices]
    isolated.data[:] = 1 - equal / (2 * max(ranks.shape[0], 1))
    return csr_array(vstack([ranks, isolated]))[rows]


def join_rows(
    encoding: RowLookup, table: Any, on: Any, weighting: Weighting, handle_unknown: HandleUnknown
) -> Any:
    """Return a table with the features of its nodes; see `Encoding.join`."""
    one_of("handle_unknown", handle_unknown, get_args(HandleUnknown))
    num_columns = len(encoding.vocabulary)
    if num_columns > JOIN_COLUMNS:
        raise InputError(
            f"join adds a column per feature, at most {JOIN_COLUMNS:,}, got {num_columns:,}. "
            f"Use {option('degree_bins', 'log')}, max_degree or {option('degrees', 'total')}, or the sparse "
            "encoding.matrix."
        )
    ids, names = _ids(table, on)
    for name in encoding.feature_names:
        if name in names:
            raise InputError(f"the table has a column {name!r} already. Rename or drop it.")
    rows = _find_rows(encoding, ids, handle_unknown)
    if weighting == "rank":
        values = ranked_rows(encoding.weighted("rank"), encoding.vocabulary, rows, encoding.graph).toarray()
    else:
        chosen = chosen_rows(encoding.matrix, encoding.vocabulary, rows, encoding.graph)
        values = weight(chosen, weighting).toarray()
    if is_from("pandas", table):
        pandas = require_extra("pandas", extra=None)
        features = pandas.DataFrame(values, index=table.index, columns=encoding.feature_names)
        return pandas.concat([table, features], axis=1)
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True)
    columns = {name: values[:, index] for index, name in enumerate(encoding.feature_names)}
    features = nw.from_dict(columns, backend=frame.implementation)
    return nw.concat([frame, features], how="horizontal").to_native()


def _ids(table: Any, on: Any) -> tuple[list[Any], list[Any]]:
    """Return the ids of a table's rows, and the names of its columns."""
    frame = None if hasattr(table, "collect") else as_frame(table)  # rows are added to a table in memory
    if frame is None:
        raise InputError(f"join takes a data frame of pandas, polars or pyarrow, got {type(table).__name__}.")
    names: list[Any] = list(frame.columns)
    if on is None:
        if not is_from("pandas", table):
            raise InputError("which column has the node ids? Give on=.")
        return index_labels(table.index), names
    return as_listed(as_ids(frame.get_column(require_column(names, on, "on")))), names


def _find_rows(encoding: RowLookup, ids: list[Any], handle_unknown: HandleUnknown) -> Int64s:
    """Return the row of every id, -1 for those without one."""
    reject_missing(ids, Places("row", 1))
    rows = np.empty(len(ids), dtype=np.int64)
    for position, node in enumerate(map(whole_float, ids)):
        row = encoding.source.find(node)
        if row is not None and row < 0:
            raise InputError(
                f"node {show_value(node)} has several rows. Join one graph, as in part(0).join(...)."
            )
        if row is None and handle_unknown == "error":
            raise UnknownNodeError(
                f"no row belongs to node {show_value(node)} (position {position}, counted from 0)."
                f'{type_hint(node, encoding.index.ids)} handle_unknown="zero" gives it the row of an isolated node.'
            )
        rows[position] = -1 if row is None else row
    unknown = np.flatnonzero(rows < 0).tolist()
    reject_other_types([ids[place] for place in unknown], encoding.source.find)
    if unknown and (handle_unknown == "warn" or len(unknown) > MOST_UNSEEN * len(ids)):
        warn(
            f"{len(unknown):,} of {len(ids):,} nodes have no row, first {show_value(ids[unknown[0]])} (position "
            f"{unknown[0]}, counted from 0). They get the row of an isolated node. Is this the right table?",
            UnseenWarning,
        )
    return rows

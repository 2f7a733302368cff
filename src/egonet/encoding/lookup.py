"""Rows of an encoding by node: the most similar rows, and rows joined to a data frame."""

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array, vstack

from egonet.encoding.export import SHOWN_ROWS, CountTable
from egonet.encoding.matrix import Counts, Weighting, weight
from egonet.encoding.settings import as_whole, one_of
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, UnknownNodeError, did_you_mean, require_extra
from egonet.graph.convert import is_from
from egonet.graph.ids import near_match, show
from egonet.kernel import native
from egonet.typing import Array, Int64s

if TYPE_CHECKING:
    from egonet.encoding.count import RowSource

UnknownIds: TypeAlias = Literal["error", "zero"]
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
            "count", or "log" or "paper" as for `weighted`, so that large numbers count less.

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
        distances = row_distances(self.source, row, weighting)
        distances[row] = np.inf if distances.dtype.kind == "f" else np.iinfo(np.int64).max
        nearest = smallest(distances, min(wanted, len(self) - 1))
        return list(zip(self.nodes[nearest].tolist(), distances[nearest].tolist(), strict=True))

    def join(
        self,
        table: Any,
        on: Any = None,
        *,
        weighting: Weighting = "count",
        handle_unknown: UnknownIds = "error",
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
            What happens to ids without a row: "error", or "zero" for the row of an isolated node.

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
        return self._first_rows("nodes", self.rows(0, min(len(self), SHOWN_ROWS)))


def row_distances(source: "RowSource", row: int, weighting: Weighting) -> Array:
    """Return the L1 distance of every row from one of them: int64 for counts, float64 if weighted."""
    one_of("weighting", weighting, get_args(Weighting))
    wanted = weight(source.rows(row, row + 1), weighting)
    query = np.zeros(wanted.shape[1], dtype=np.int64 if weighting == "count" else np.float64)
    query[wanted.indices] = wanted.data
    counts = query.astype(np.int64, copy=False)
    distances = np.empty(source.num_rows, dtype=query.dtype)
    for first in range(0, source.num_rows, _BLOCK):
        block = source.rows(first, min(first + _BLOCK, source.num_rows))
        part = distances[first : first + _BLOCK]
        if weighting == "count":
            columns = block.indices.astype(np.int32, copy=False)
            part[:] = native.row_distances(block.indptr.astype(np.int64), columns, block.data, counts)
        else:
            weighted = weight(block, weighting)
            gaps = np.abs(weighted.data - query[weighted.indices]) - query[weighted.indices]
            entries = csr_array((gaps, weighted.indices, weighted.indptr), shape=weighted.shape)
            part[:] = np.maximum(entries.sum(axis=1) + query.sum(), 0)
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


def isolated_row(vocabulary: Vocabulary) -> Counts:
    """Return the row of a node without neighbors and without a label.

    >>> import egonet
    >>> vocabulary = egonet.encode([("a", "b")], radius=1).vocabulary
    >>> isolated_row(vocabulary).toarray()
    array([[0, 0]], dtype=int32)
    >>> isolated_row(egonet.encode(egonet.as_graph([(0, 1)], num_nodes=3), radius=1).vocabulary).toarray()
    array([[1, 0, 0]], dtype=int32)
    """
    settings = vocabulary.settings
    found = []
    if settings.rooted == "refined" and settings.labels is None:
        # The coloring of one node: a single entry, whose numbers are zero but for the radius.
        several = len(settings.radius) > 1
        for index, (_, entries) in enumerate(vocabulary.columns):
            if len(entries) == 1 and not any(entries[0][0][several:]):
                found.append(index)
    elif settings.labels is None:
        fields = settings.num_fields + (settings.edge_labels is not None)
        keys = [(radius, 0, *[0] * fields) for radius in settings.radius]
        found = [vocabulary.column_of[key] for key in keys if key in vocabulary.column_of]
    ones = np.ones(len(found), dtype=np.int32)
    return csr_array((ones, found, [0, len(found)]), shape=(1, len(vocabulary)))


def chosen_rows(matrix: Counts, vocabulary: Vocabulary, rows: Int64s) -> Counts:
    """Return some rows of a matrix in this order; -1 stands for the row of an isolated node."""
    if (rows >= 0).all():
        return matrix[rows]
    return csr_array(vstack([matrix, isolated_row(vocabulary)]))[rows]


def join_rows(
    encoding: RowLookup, table: Any, on: Any, weighting: Weighting, handle_unknown: UnknownIds
) -> Any:
    """Return a table with the features of its nodes; see `Encoding.join`."""
    one_of("handle_unknown", handle_unknown, ("error", "zero"))
    num_columns = len(encoding.vocabulary)
    if num_columns > JOIN_COLUMNS:
        raise InputError(
            f"join adds a column per feature, at most {JOIN_COLUMNS:,}, got {num_columns:,}. "
            'Use degree_bins="log", max_degree or degrees="total", or the sparse encoding.matrix.'
        )
    ids, names = _ids(table, on)
    for name in encoding.feature_names:
        if name in names:
            raise InputError(f"the table has a column {name!r} already. Rename or drop it.")
    rows = _find_rows(encoding, ids, handle_unknown)
    matrix = chosen_rows(encoding.matrix, encoding.vocabulary, rows)
    values = weight(matrix, weighting).toarray()
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
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputError(f"join takes a data frame of pandas, polars or pyarrow, got {type(table).__name__}.")
    names: list[Any] = list(frame.columns)
    if on is None:
        if not is_from("pandas", table):
            raise InputError("which column has the node ids? Give on=.")
        return table.index.tolist(), names
    if on not in names:
        raise InputError(f"there is no column {show(on)}.{did_you_mean(on, names)}")
    return frame.get_column(on).to_list(), names


def check_float_ids(ids: Iterable[Any], find: Callable[[Any], object]) -> None:
    """Raise for whole numbers that became floats, as in a pandas column with a missing id: no row would be found."""
    for node in ids:
        if (
            isinstance(node, float)
            and node.is_integer()
            and find(node) is None
            and find(int(node)) is not None
        ):
            raise InputError(
                f"ids must be whole numbers, got {node!r}, but the graph has the node {int(node)}. "
                'Convert them with astype(int), or with astype("Int64") if some are missing.'
            )


def _find_rows(encoding: RowLookup, ids: list[Any], handle_unknown: UnknownIds) -> Int64s:
    """Return the row of every id, -1 for those without one."""
    rows = np.empty(len(ids), dtype=np.int64)
    check_float_ids(ids, encoding.source.find)
    for position, node in enumerate(ids):
        row = encoding.source.find(node)
        if row is not None and row < 0:
            raise InputError(f"node {show(node)} has several rows. Join one graph, as in part(0).join(...).")
        if row is None and handle_unknown == "error":
            raise UnknownNodeError(
                f"no row belongs to node {show(node)} (position {position}, counted from 0)."
                f'{near_match(node, encoding.nodes)} handle_unknown="zero" gives it the row of an isolated node.'
            )
        rows[position] = -1 if row is None else row
    return rows

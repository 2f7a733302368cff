"""The kernel for small graphs: counts in known columns, written to a dense table, for one graph or a batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet import _native
from egonet.kernel.native import MOST_HOPS
from egonet.typing import Degrees, Int32s, Int64s


class DenseColumns:
    """The columns of an encoding in the form the dense kernel reads; the same for every graph.

    Parameters
    ----------
    keys
        int64 (num_columns, width): radius, distance and degree fields of every column.
    radii, degrees, frontier_edges, max_degree
        What is counted.
    binned
        Degrees are rounded down to a power of two.
    both_ways
        Return no counts for arcs without their opposites, instead of reading them as undirected edges.

    Examples
    --------
    >>> columns = DenseColumns(np.array([[1, 0, 1], [1, 0, 2], [1, 1, 1]]), [1])
    >>> columns.of_arcs(np.array([[0, 1], [1, 2]]), 3).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]

    Notes
    -----
    Searches root by root, on one thread: a few microseconds for a molecule, slow where ego-networks are large.
    """

    def __init__(
        self,
        keys: Int64s,
        radii: Sequence[int],
        *,
        degrees: Degrees = "total",
        frontier_edges: bool = True,
        max_degree: int | None = None,
        binned: bool = False,
        both_ways: bool = False,
    ) -> None:
        limit = -1 if max_degree is None else min(max_degree, MOST_HOPS)
        hops = [min(radius, MOST_HOPS) for radius in radii]
        self._arguments = (keys, hops, degrees, frontier_edges, limit, binned)
        self._columns = _native.KnownColumns(*self._arguments)
        self.both_ways = self._columns.both_ways = both_ways
        self.num_columns = len(keys)
        #: count_at(sources, targets, num_arcs, num_nodes, table): counts through the addresses of int64 arcs and of a
        #: float32 table, which the caller keeps alive; returns whether every key has a column.
        self.count_at = self._columns.count_at

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments that rebuild the object: the native object is not pickled."""
        keys, hops, degrees, frontier_edges, limit, binned = self._arguments
        options: dict[str, Any] = {"degrees": degrees, "frontier_edges": frontier_edges, "binned": binned}
        options |= {"max_degree": None if limit < 0 else limit, "both_ways": self.both_ways}
        return _rebuild, (keys, hops, options)

    def of_arcs(self, index: Int64s, num_nodes: int) -> NDArray[np.float32] | None:
        """Return the counts of every node of a graph, whose arcs (2, num_arcs) are read as undirected edges.

        Return None if an arc points outside the graph or a key has no column.
        """
        table = np.zeros((num_nodes, len(self._arguments[0])), dtype=np.float32)
        return table if self._columns.count_arcs(np.ascontiguousarray(index), table) else None

    def of_many(
        self, index: Int64s, graph_ptr: Int64s, arc_ptr: Int64s, *, local: bool
    ) -> NDArray[np.float32] | None:
        """Return the counts of a batch of graphs: graph i has the nodes from `graph_ptr[i]` on.

        Parameters
        ----------
        index
            int64 (2, num_arcs): the arcs of graph i from `arc_ptr[i]` on.
        graph_ptr, arc_ptr
            int64 (num_graphs + 1,): the first node and arc of each graph, and the end of the last.
        local
            Whether node numbers start at 0 in every graph, instead of continuing through the batch.

        Examples
        --------
        >>> columns, ptr = DenseColumns(np.array([[0, 0, 0], [0, 0, 1]]), [0]), np.array([0, 2, 4])
        >>> columns.of_many(np.array([[0, 1], [1, 0]]), ptr, np.array([0, 2, 2]), local=True).tolist()
        [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
        """
        table = np.zeros((int(graph_ptr[-1]), len(self._arguments[0])), dtype=np.float32)
        complete = self._columns.count_many(np.ascontiguousarray(index), graph_ptr, arc_ptr, local, table)
        return table if complete else None

    def of_rows(self, indptr: Int64s, indices: Int32s) -> NDArray[np.float32] | None:
        """Return the counts of every node of an undirected graph in CSR form, sorted and without loops."""
        table = np.zeros((len(indptr) - 1, len(self._arguments[0])), dtype=np.float32)
        return table if self._columns.count_rows(indptr, indices, table) else None


def _rebuild(keys: Int64s, radii: list[int], options: dict[str, Any]) -> DenseColumns:
    return DenseColumns(keys, radii, **options)


def fill_table(
    indptr: Int64s, columns: Int32s, counts: Int32s, positions: Int64s, table: NDArray[np.float32]
) -> None:
    """Add the counts of sparse rows to a table, column c at position `positions[c]`.

    Examples
    --------
    >>> table = np.zeros((1, 3), dtype=np.float32)
    >>> columns, counts = np.array([0, 1], dtype=np.int32), np.array([5, 7], dtype=np.int32)
    >>> fill_table(np.array([0, 2]), columns, counts, np.array([2, 0]), table)
    >>> table.tolist()
    [[7.0, 0.0, 5.0]]
    """
    _native.fill_table(indptr, columns, counts, positions, table)

"""Dense counts in the columns of a vocabulary, without a sparse matrix on the way."""

import numpy as np
from numpy.typing import NDArray

from egonet.encoding.vocabulary import Vocabulary, bin_degrees
from egonet.graph.graph import Graph
from egonet.kernel import native
from egonet.kernel.dense_rows import DenseColumns, fill_table

#: A graph with fewer arcs is small: which algorithm is fastest is not worth asking, and neither are threads.
FEW_ARCS = 2_000


def dense_columns(vocabulary: Vocabulary) -> DenseColumns | None:
    """Return the columns of a vocabulary for small graphs, or None if they are more than counts around nodes.

    Examples
    --------
    >>> import egonet
    >>> columns = dense_columns(egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary)
    >>> columns.of_arcs(np.array([[0], [1]]), 2).tolist()
    [[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]
    """
    settings = vocabulary.settings
    if settings.is_nested or settings.cap is not None or settings.labels is not None:
        return None
    return DenseColumns(
        vocabulary.keys,
        settings.radius,
        degrees=settings.degrees,
        frontier_edges=settings.frontier_edges,
        max_degree=settings.max_degree,
        binned=settings.degree_bins is not None,
    )


def encode_dense(graph: Graph, vocabulary: Vocabulary, *, threads: int = 1) -> NDArray[np.float32] | None:
    """Return the counts of every node as a dense array, or None if some key has no column or is a histogram.

    The same numbers as `encode(graph, vocabulary=vocabulary).to_dense()` without labels, for graphs of any size.

    Examples
    --------
    >>> import egonet
    >>> path = egonet.encode([("a", "b"), ("b", "c")], radius=1)
    >>> encode_dense(path.graph, path.vocabulary).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]
    >>> encode_dense(egonet.as_graph([(0, 1), (1, 2), (2, 0)]), path.vocabulary) is None
    True
    """
    settings = vocabulary.settings
    if settings.is_nested or settings.cap is not None:
        return None
    table = np.zeros((graph.num_nodes, len(vocabulary)), dtype=np.float32)
    for radius in settings.radius:
        rows = native.encode_rows(
            graph.indptr,
            graph.indices,
            None,
            radius,
            degrees=settings.degrees,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            threads=threads,
        )
        keys = rows.keys if settings.degree_bins is None else bin_degrees(rows.keys, settings)
        places = [vocabulary.column_of.get((radius, *key)) for key in keys.tolist()]
        if None in places:
            return None
        fill_table(rows.indptr, rows.columns, rows.counts, np.array(places, dtype=np.int64), table)
    return table

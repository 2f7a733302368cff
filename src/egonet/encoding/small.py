"""One small graph in known columns, dense, straight from the kernel: for callers that come graph by graph."""

import numpy as np
from numpy.typing import NDArray

from egonet.encoding.vocabulary import Vocabulary, bin_degrees
from egonet.graph.graph import Graph
from egonet.kernel import native

#: Below this, predicting which algorithm is fastest takes longer than the search itself.
FEW_ARCS = 2_000


def encode_small(graph: Graph, vocabulary: Vocabulary, *, threads: int = 1) -> NDArray[np.float32] | None:
    """Return the counts of every vertex as a dense array, or None if some key has no column or is a histogram.

    The same numbers as `encode(graph, vocabulary=vocabulary).to_dense()` without labels, at about a third of the
    fixed cost of a call, which is what counts where thousands of small graphs come one at a time.

    Examples
    --------
    >>> import egonet
    >>> path = egonet.encode([("a", "b"), ("b", "c")], radius=1)
    >>> encode_small(path.graph, path.vocabulary).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]
    >>> encode_small(egonet.as_graph([(0, 1), (1, 2), (2, 0)]), path.vocabulary) is None
    True
    """
    settings, width = vocabulary.settings, len(vocabulary)
    if settings.is_nested:
        return None
    cells, counts = [], []
    for radius in settings.radii:
        rows = native.encode_rows(
            graph.indptr,
            graph.indices,
            None,
            radius,
            degrees=settings.degrees,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            threads=threads,
            algorithm="source" if len(graph.indices) < FEW_ARCS else "auto",
        )
        keys = rows.keys if settings.degree_bins is None else bin_degrees(rows.keys, settings)
        places = [vocabulary.column_of.get((radius, *key)) for key in keys.tolist()]
        if None in places:
            return None
        first_cell = np.repeat(np.arange(graph.num_nodes) * width, np.diff(rows.indptr))
        cells.append(first_cell + np.array(places, dtype=np.int64)[rows.columns])
        counts.append(rows.counts)
    cell, count = (
        (cells[0], counts[0]) if len(cells) == 1 else (np.concatenate(cells), np.concatenate(counts))
    )
    dense = np.zeros(graph.num_nodes * width, dtype=np.float32)
    if settings.degree_bins is None:
        dense[cell] = count
    else:  # several keys may share a column
        dense += np.bincount(cell, weights=count, minlength=len(dense)).astype(np.float32)
    return dense.reshape(graph.num_nodes, width)

"""Bags of neighborhoods: how many nodes of each graph have each whole row."""

import numpy as np
from scipy.sparse import csr_array, vstack

from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Counts
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.errors import InputError
from egonet.graph.ids import show
from egonet.kernel import native


def class_counts(known_rows: Counts, encoding: Encoding, handle_unknown: UnseenPolicy) -> Counts:
    """Return how many nodes of each graph have each class, a class being a row of `known_rows`."""
    num_known = known_rows.shape[0]
    stacked = vstack([known_rows, encoding.matrix], format="csr")
    # Known rows come first and all differ, so that they get the numbers 0 ... num_known - 1.
    columns = stacked.indices.astype(np.int32, copy=False)
    classes = native.row_classes(stacked.indptr.astype(np.int64), columns, stacked.data)[num_known:]
    strange = classes >= num_known
    if handle_unknown == "ignore":
        strange[encoding.unseen.rows] = True
    if handle_unknown == "error" and strange.any():
        row = int(np.argmax(strange))
        raise InputError(
            f"{int(strange.sum()):,} of {len(encoding):,} nodes have encodings that fit() never saw, first at "
            f'node {show(encoding.nodes[row])}. Fit on more graphs, or set handle_unknown="clip" or "ignore".'
        )
    graph_of = np.repeat(np.arange(encoding.num_graphs), np.diff(encoding.graph_ptr))[~strange]
    ones = np.ones(len(graph_of), dtype=np.int64)
    counts = csr_array((ones, (graph_of, classes[~strange])), shape=(encoding.num_graphs, num_known))
    counts.sum_duplicates()
    return counts

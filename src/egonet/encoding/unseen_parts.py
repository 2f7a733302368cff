"""The unseen keys of each of several graphs that were encoded together."""

from itertools import pairwise

import numpy as np

from egonet.encoding.matrix import Counts
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary, locate_columns
from egonet.typing import Array, Int64s


def unseen_of_graphs(
    matrix: Counts,
    found: Vocabulary,
    vocabulary: Vocabulary,
    unseen: UnseenPolicy,
    nodes: Array,
    graph_ptr: Int64s,
) -> dict[int, Unseen]:
    """Return the number of a graph → its record, for the graphs with keys that the vocabulary has no column for.

    The matrix has the columns of `found`, before they are those of the vocabulary.
    """
    positions, exact = locate_columns(vocabulary, found, unseen)
    entries = np.flatnonzero(~exact[matrix.indices])
    columns, amounts = matrix.indices[entries], matrix.data[entries].astype(np.int64)
    lost = np.where(positions[columns] < 0, amounts, 0)
    rows = np.searchsorted(matrix.indptr, entries, side="right") - 1
    owner = np.searchsorted(graph_ptr, rows, side="right") - 1
    starts = np.flatnonzero(np.diff(owner, prepend=-1)).tolist()  # rows rise, and so do their graphs
    records = {}
    for first, last in pairwise([*starts, len(entries)]):
        graph, dropped = int(owner[first]), int(lost[first:last].sum())
        own = np.unique(rows[first:last])
        example = (nodes[own[:1]].tolist()[0], found.column(int(columns[first])))
        clipped = int(amounts[first:last].sum()) - dropped
        records[graph] = Unseen(clipped, dropped, len(own), example, own - graph_ptr[graph])
    return records

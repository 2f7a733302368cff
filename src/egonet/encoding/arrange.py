"""Counts in the columns of a vocabulary: its own, the paper's grid, or those learned on another graph."""

from typing import Any

import numpy as np

from egonet.encoding.matrix import Counts, renumber_columns
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import (
    Unseen,
    UnseenPolicy,
    Vocabulary,
    locate_columns,
    paper_keys,
    paper_places,
)
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.typing import Int64s


def largest_degree(settings: Settings, graph: Graph) -> int:
    """Return the last degree of the paper's layout."""
    return int(graph.degrees.max(initial=0)) if settings.max_degree is None else settings.max_degree


def lay_out(matrix: Counts, found: Vocabulary, graph: Graph) -> tuple[Counts, Vocabulary]:
    """Return the columns of a new encoding: the keys seen, or the paper's grid of all keys."""
    settings = found.settings
    if settings.layout == "observed":
        return matrix, found
    largest = largest_degree(settings, graph)
    vocabulary = Vocabulary(settings, paper_keys(settings, largest))
    return renumber_columns(matrix, paper_places(found.keys, settings, largest), len(vocabulary)), vocabulary


def arrange(
    matrix: Counts,
    found: Vocabulary,
    vocabulary: Vocabulary,
    unseen: UnseenPolicy,
    nodes: np.ndarray[Any, Any],
) -> tuple[Counts, Unseen]:
    """Return the counts in the vocabulary's columns, and what did not fit."""
    places, exact = locate_columns(vocabulary, found, unseen)
    met = _unseen(matrix, places, exact, found, nodes)
    if unseen == "error" and met.num_rows:
        node, key = met.example or (None, ())
        raise InputError(
            f"{met.num_rows:,} of {len(nodes):,} nodes have keys that the vocabulary never saw, first at node "
            f'{node!r}: {key}. Learn it on more graphs, or set unseen="clip" or "ignore".'
        )
    return renumber_columns(matrix, places, len(vocabulary)), met


def _unseen(
    matrix: Counts,
    places: Int64s,
    exact: np.ndarray[Any, np.dtype[np.bool_]],
    found: Vocabulary,
    nodes: np.ndarray[Any, Any],
) -> Unseen:
    """Return how many nodes had no column of their own, and the first row where that happened."""
    if exact.all():
        return Unseen()
    strange = ~exact[matrix.indices]
    if not strange.any():
        return Unseen()
    entries = np.flatnonzero(strange)
    rows = np.searchsorted(matrix.indptr, entries, side="right") - 1
    dropped = int(matrix.data[entries[places[matrix.indices[entries]] < 0]].sum(dtype=np.int64))
    total = int(matrix.data[entries].sum(dtype=np.int64))
    node = nodes[rows[0]]
    shown = found.column(int(matrix.indices[entries[0]]))
    example = (node.item() if isinstance(node, np.generic) else node, shown)
    distinct = np.unique(rows)
    return Unseen(total - dropped, dropped, len(distinct), example, distinct)

"""Graphs and results larger than the device: chunks of the roots, each with the subgraph that its rows need."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from egonet.errors import DeviceMemoryError
from egonet.kernel.reference import Rows
from egonet.typing import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some roots and a subgraph in which their rows are the same as in the whole graph.

    Attributes
    ----------
    indptr, indices, labels
        The subgraph induced by all nodes within the radius of a root (one hop at least).
    roots
        int64: the roots as node numbers of the subgraph.
    """

    indptr: Int64s
    indices: Int32s
    labels: Int32s | None
    roots: Int64s


def reach(indptr: Int64s, indices: Int32s, roots: Int64s, hops: int) -> Int64s:
    """Return the nodes within some hops of any root, in increasing order.

    On the path 0-1-2-3:

    >>> indptr, indices = np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2], dtype=np.int32)
    >>> reach(indptr, indices, np.array([0]), 2).tolist()
    [0, 1, 2]
    """
    inside = np.zeros(len(indptr) - 1, dtype=bool)
    ring = np.unique(roots)
    inside[ring] = True
    for _ in range(hops):
        heads = indices[arcs_of(indptr, ring)]
        ring = np.unique(heads[~inside[heads]]).astype(np.int64)
        if not len(ring):
            break
        inside[ring] = True
    return np.flatnonzero(inside)


def arcs_of(indptr: Int64s, nodes: Int64s) -> Int64s:
    """Return the positions of all arcs that leave some nodes, in their order."""
    lengths = indptr[nodes + 1] - indptr[nodes]
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0)
    arcs: Int64s = within + np.repeat(indptr[nodes] - ends + lengths, lengths)
    return arcs


def cut_chunk(indptr: Int64s, indices: Int32s, labels: Int32s | None, roots: Int64s, radius: int) -> Chunk:
    """Return the subgraph that the rows of some roots depend on.

    A node nearer than the radius has all its neighbors in the subgraph. Of a node at the radius only the neighbors
    inside the root's ball count, and these are in the subgraph too.
    """
    nodes = reach(indptr, indices, roots, max(radius, 1))
    arcs = arcs_of(indptr, nodes)
    number = np.full(len(indptr) - 1, -1, dtype=np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    heads = number[indices[arcs]]
    tails = np.repeat(np.arange(len(nodes)), indptr[nodes + 1] - indptr[nodes])[heads >= 0]
    rows = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=len(nodes)))]).astype(np.int64)
    return Chunk(
        rows, heads[heads >= 0], None if labels is None else labels[nodes], number[roots].astype(np.int64)
    )


def encode_chunks(
    roots: Int64s, encode: Callable[[Int64s], Rows], report: Callable[[int], None], *, num_chunks: int
) -> Rows:
    """Return the rows of all roots, encoded in chunks; a chunk that does not fit is halved, down to a single root."""
    todo = [chunk for chunk in np.array_split(roots, num_chunks) if len(chunk)][::-1]
    rows, done = [], 0
    while todo:
        chunk = todo.pop()
        try:
            rows.append(encode(chunk))
        except DeviceMemoryError:
            if len(chunk) == 1:
                raise
            todo += [chunk[len(chunk) // 2 :], chunk[: len(chunk) // 2]]
            continue
        done += len(chunk)
        report(done)
    return join_rows(rows)


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts in order, with common columns.

    >>> one = Rows(np.array([0, 1]), np.array([0], np.int32), np.array([1], np.int32), np.array([[0, 2]]))
    >>> two = Rows(np.array([0, 1]), np.array([0], np.int32), np.array([3], np.int32), np.array([[0, 1]]))
    >>> both = join_rows([one, two])
    >>> both.indptr.tolist(), both.columns.tolist(), both.keys.tolist()
    ([0, 1, 2], [1, 0], [[0, 1], [0, 2]])
    """
    if len(parts) == 1:
        return parts[0]
    keys, inverse = np.unique(np.concatenate([part.keys for part in parts]), axis=0, return_inverse=True)
    columns, first = [], 0
    for part in parts:
        columns.append(inverse.ravel()[first : first + len(part.keys)].astype(np.int32)[part.columns])
        first += len(part.keys)
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Rows(indptr, np.concatenate(columns), np.concatenate([part.counts for part in parts]), keys)

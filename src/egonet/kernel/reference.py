"""The definition of the encoding in plain Python: slow, obvious, and the oracle of every other kernel."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence

import numpy as np

from egonet.kernel.rows import Rows
from egonet.typing import DEGREE_FIELDS, Degrees, Int32s, Int64s

Key = tuple[int, ...]


def encode_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s,
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
) -> Rows:
    """Return the rows of `roots` at `radius`, computed from the definition.

    Examples
    --------
    A triangle 0-1-2 with a tail 2-3, seen from node 2:

    >>> indptr = np.array([0, 2, 4, 7, 8])
    >>> indices = np.array([1, 2, 0, 2, 0, 1, 3, 2], dtype=np.int32)
    >>> rows = encode_rows(indptr, indices, np.array([2]), 1)
    >>> rows.keys.tolist(), rows.counts.tolist()
    ([[0, 3], [1, 1], [1, 2]], [1, 1, 2])
    """
    neighbors = [indices[indptr[v] : indptr[v + 1]].tolist() for v in range(len(indptr) - 1)]
    histograms = []
    for root in roots.tolist():
        keys = ego_keys(neighbors, root, radius, degrees=degrees, frontier_edges=frontier_edges)
        if max_degree is not None:
            keys = {u: (key[0], *(min(field, max_degree) for field in key[1:])) for u, key in keys.items()}
        if labels is not None:
            keys = {u: (*key, int(labels[u])) for u, key in keys.items()}
        histograms.append(Counter(keys.values()))
    return pack_rows(histograms, width=1 + DEGREE_FIELDS[degrees] + (labels is not None))


def ego_keys(
    neighbors: list[list[int]], root: int, radius: int, *, degrees: Degrees, frontier_edges: bool
) -> dict[int, Key]:
    """Return the key of every node of the root's ego-network: its distance, then its degrees inside."""
    distance = distances(neighbors, root, radius)
    keys: dict[int, Key] = {}
    for u, here in distance.items():
        closer = same = farther = 0
        for w in neighbors[u]:
            if w not in distance:
                farther += radius == 0  # by definition the lone root of radius 0 keeps its degree
                continue
            closer += distance[w] < here
            same += distance[w] == here and (frontier_edges or here < radius)
            farther += distance[w] > here
        if degrees == "total":
            keys[u] = (here, closer + same + farther)
        elif degrees == "layered":
            keys[u] = (here, same, farther)
        else:
            keys[u] = (here, closer, same, farther)
    return keys


def distances(neighbors: list[list[int]], root: int, radius: int) -> dict[int, int]:
    """Return the distance from the root of every node within `radius` hops (breadth-first search)."""
    distance = {root: 0}
    queue = deque([root])
    while queue:
        u = queue.popleft()
        if distance[u] == radius:
            break
        for w in neighbors[u]:
            if w not in distance:
                distance[w] = distance[u] + 1
                queue.append(w)
    return distance


def pack_rows(histograms: Sequence[Mapping[Key, int]], width: int) -> Rows:
    """Return histograms as the arrays every kernel returns, columns in lexicographic order of the keys.

    Examples
    --------
    >>> rows = pack_rows([{(0, 1): 1, (1, 1): 1}, {(0, 2): 1, (1, 1): 2}], width=2)
    >>> rows.columns.tolist(), rows.keys.tolist()
    ([0, 2, 1, 2], [[0, 1], [0, 2], [1, 1]])
    """
    keys = sorted(set().union(*histograms)) if histograms else []
    column = {key: position for position, key in enumerate(keys)}
    entries = [sorted((column[key], count) for key, count in row.items()) for row in histograms]
    return Rows(
        indptr=np.cumsum([0, *map(len, entries)], dtype=np.int64),
        columns=np.array([c for row in entries for c, _ in row], dtype=np.int32),
        counts=np.array([k for row in entries for _, k in row], dtype=np.int32),
        keys=np.array(keys, dtype=np.int64).reshape(len(keys), width),
    )

"""What the nodes of an explorer page are colored by besides their class: similarity, degree and columns of a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from egonet.encoding.encode import encode
from egonet.encoding.settings import Settings
from egonet.graph.graph import Graph
from egonet.typing import Floats, Int64s

#: Groups of similar nodes, one color each.
NUM_GROUPS = 6
#: A text column shows its most frequent values; all others share one color.
MAX_CATEGORIES = 7
#: Above this many nodes radius 1 is compared, and fewer similar nodes are listed.
MANY_NODES = 20_000


def similarity_rows(graphs: list[Graph], shown: Int64s, radius: int) -> tuple[Floats, int]:
    """Return one row of coordinates per shown node, and the radius they describe.

    Coordinates are log(1 + count) of the keys with log-binned degrees. The distance of two nodes is the Euclidean
    distance of their rows.

    Examples
    --------
    >>> rows, radius = similarity_rows([Graph.from_edges([("a", "b"), ("b", "c")])], np.arange(3), 1)
    >>> rows.shape, radius, bool((rows[0] == rows[2]).all())
    ((3, 3), 1, True)
    """
    radius = min(radius, 2) if sum(graph.num_nodes for graph in graphs) <= MANY_NODES else min(radius, 1)
    counts = encode(
        graphs if len(graphs) > 1 else graphs[0], Settings(radius=radius, degree_bins="log")
    ).matrix[shown]
    return np.log1p(counts.toarray().astype(np.float64)), radius


def similar_groups(rows: Floats, num_groups: int = NUM_GROUPS) -> Int64s:
    """Return a group number per row: k-means with a fixed start, so that equal input gives equal groups.

    Examples
    --------
    >>> similar_groups(np.array([[0.0], [0.1], [9.0], [9.1]]), 2).tolist()
    [0, 0, 1, 1]
    """
    points, inverse, weights = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    centers = points[[int(np.argmax(weights))]]
    while len(centers) < min(num_groups, len(points)):
        farthest = _squared_distances(points, centers).min(axis=1) * np.sqrt(weights)
        centers = np.vstack([centers, points[[int(np.argmax(farthest))]]])
    nearest = _squared_distances(points, centers).argmin(axis=1)
    for _ in range(30):
        total = np.zeros((len(centers), points.shape[1]))
        np.add.at(total, nearest, points * weights[:, None])
        size = np.bincount(nearest, weights, len(centers))[:, None]
        centers = np.where(size > 0, total / np.maximum(size, 1), centers)
        before, nearest = nearest, _squared_distances(points, centers).argmin(axis=1)
        if np.array_equal(before, nearest):
            break
    groups = nearest[inverse.ravel()]
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def most_similar(rows: Floats, count: int) -> Int64s:
    """Return the `count` nearest other rows of every row, nearest first, as an array (num_rows, count).

    Examples
    --------
    >>> most_similar(np.array([[0.0], [1.0], [3.0]]), 1).ravel().tolist()
    [1, 0, 1]
    """
    count = min(count, len(rows) - 1)
    if count < 1:
        return np.zeros((len(rows), 0), dtype=np.int64)
    points, inverse, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(inverse.ravel(), kind="stable"), np.cumsum(sizes)[:-1])
    lonely = np.flatnonzero(sizes <= count)  # the others have enough equal rows
    near = [np.array([point]) for point in range(len(points))]
    if len(lonely):
        from scipy.spatial import cKDTree  # takes longer to import than all of egonet

        _, found = cKDTree(points).query(points[lonely], k=min(count + 1, len(points)), workers=-1)
        for point, around in zip(lonely, found.reshape(len(lonely), -1), strict=True):
            near[point] = np.concatenate([[point], around[around != point]])
    similar = np.empty((len(rows), count), dtype=np.int64)
    for own, nearest in zip(members, near, strict=True):
        pool = np.concatenate([members[other][: count + 1] for other in nearest])
        for node in own:
            similar[node] = pool[pool != node][:count]
    return similar


def group_names(groups: Int64s, degrees: Int64s, sizes: Floats, radius: int) -> list[str]:
    """Return a name per group: the middle degree and the middle size of the ego-network."""
    hops = "1 hop" if radius == 1 else f"{radius} hops"
    return [
        f"degree {np.median(degrees[groups == group]):,.0f}, {np.median(sizes[groups == group]):,.0f} within {hops}"
        for group in range(int(groups.max(initial=-1)) + 1)
    ]


def category(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return a coloring by the most frequent values of a column; the rest is "other".

    Examples
    --------
    >>> category("team", ["red", "blue", "red"])["names"]
    ['red', 'blue']
    """
    texts = ["" if value is None or value != value else str(value) for value in values]
    found, counts = np.unique(np.array(texts, dtype=object).astype(str), return_counts=True)
    order = found[np.lexsort((found, -counts))].tolist()
    names = order[:MAX_CATEGORIES]
    number = {text: min(place, len(names)) for place, text in enumerate(order)}
    shown = [text or "(missing)" for text in names] + ["other"] * (len(order) > len(names))
    return {"name": name, "names": shown, "values": [number[text] for text in texts]}


def column_coloring(name: str, values: Any) -> dict[str, Any]:
    """Return the coloring of a column: a color scale for numbers, one color per value for text.

    Examples
    --------
    >>> column_coloring("score", [0.5, 1.0])
    {'name': 'score', 'names': None, 'values': [0.5, 1.0]}
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf":
        return category(name, list(values))
    return {"name": name, "names": None, "values": numbers.astype(np.float64).tolist()}


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    """Return the squared distance of every point from every center."""
    cross = points @ centers.T
    squared: Floats = (points**2).sum(axis=1)[:, None] - 2 * cross + (centers**2).sum(axis=1)
    return np.maximum(squared, 0)

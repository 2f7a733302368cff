"""Roles: groups of nodes whose ego-networks are similar, described in words."""

from collections.abc import Callable

import numpy as np

from egonet.checks import format_count
from egonet.encoding.encode import encode
from egonet.encoding.settings import Settings
from egonet.graph.graph import Graph
from egonet.typing import Floats, Int64s

#: How many groups of similar nodes there are without another number.
NUM_GROUPS = 6


def find_roles(
    rows: Floats,
    degrees: Int64s,
    radius: int,
    num_groups: int = NUM_GROUPS,
    *,
    count_edges: Callable[[], Floats] | None = None,
) -> tuple[Int64s, list[str]]:
    """Return the role of every node, numbered by rising median degree, and what the roles are called.

    `count_edges` returns the edges of every ego-network. It is called if two roles would have one name.

    >>> star = Graph.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> rows = similarity_rows([star], np.arange(4), 1)
    >>> roles, names = find_roles(rows, star.degrees, radius=1)
    >>> roles.tolist(), names
    ([1, 0, 0, 0], ['degree 1, 1 within 1 hop', 'degree 3, 3 within 1 hop'])
    """
    groups = similar_groups(rows, num_groups)
    numbers = range(int(groups.max(initial=-1)) + 1)
    order = np.argsort([np.median(degrees[groups == group]) for group in numbers], kind="stable")
    roles = np.argsort(order)[groups]
    names = group_names(roles, degrees, np.expm1(rows).sum(axis=1), radius)
    if len(set(names)) < len(names):
        names = tell_apart(names, roles, None if count_edges is None else count_edges())
    return roles, names


def ego_edges(graphs: list[Graph], shown: Int64s, radius: int) -> Floats:
    """Return the number of edges in the ego-network of every shown node.

    >>> ego_edges([Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])], np.arange(4), 1)
    array([3., 3., 4., 1.])
    """
    encoding = encode(graphs if len(graphs) > 1 else graphs[0], Settings(radius))
    degrees: Floats = encoding.matrix @ encoding.vocabulary.keys[:, -1].astype(np.float64)
    return degrees[shown] / (2 if graphs[0].directed is None else 1)


def tell_apart(names: list[str], groups: Int64s, edges: Floats | None) -> list[str]:
    """Return names of groups of which no two are equal: with the middle number of edges, then with a number.

    >>> tell_apart(["degree 1", "degree 2", "degree 2"], np.array([0, 1, 2]), np.array([1.0, 2.0, 5.0]))
    ['degree 1', 'degree 2, 2 edges', 'degree 2, 5 edges']
    >>> tell_apart(["degree 2", "degree 2"], np.array([0, 1]), None)
    ['degree 2', 'degree 2 (2)']
    """
    repeated = {name for name in names if names.count(name) > 1}
    if edges is not None:
        middle = [round(float(np.median(edges[groups == group]))) for group in range(len(names))]
        names = [
            f"{name}, {format_count(count, 'edge')}" if name in repeated else name
            for name, count in zip(names, middle, strict=True)
        ]
    places = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({place + 1})" if place else name for name, place in zip(names, places, strict=True)]


def similarity_rows(graphs: list[Graph], shown: Int64s, radius: int) -> Floats:
    """Return one row of coordinates per shown node.

    Coordinates are log(1 + count) of the keys with log-binned degrees. The distance of two nodes is the Euclidean
    distance of their rows.

    >>> rows = similarity_rows([Graph.from_edges([("a", "b"), ("b", "c")])], np.arange(3), 1)
    >>> rows.shape, bool((rows[0] == rows[2]).all())
    ((3, 3), True)
    """
    settings = Settings(radius=radius, degree_bins="log")
    counts = encode(graphs if len(graphs) > 1 else graphs[0], settings).matrix[shown]
    rows: Floats = np.log1p(counts.toarray().astype(np.float64))
    return rows


def similar_groups(rows: Floats, num_groups: int = NUM_GROUPS) -> Int64s:
    """Return a group number per row: k-means with a fixed start, so that equal input gives equal groups.

    >>> similar_groups(np.array([[0.0], [0.1], [9.0], [9.1]]), 2).tolist()
    [0, 0, 1, 1]
    """
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
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


def group_names(groups: Int64s, degrees: Int64s, sizes: Floats, radius: int) -> list[str]:
    """Return a name per group: the middle degree, and the middle number of other nodes in the ego-network."""
    hops = "1 hop" if radius == 1 else f"{radius} hops"
    names = []
    for group in range(int(groups.max(initial=-1)) + 1):
        degree, size = (np.median(values[groups == group]) for values in (degrees, sizes))
        within = f", {round(size - 1):,} within {hops}" if radius else ""
        names.append(f"degree {degree:,.0f}{within}")
    return names


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    """Return the squared distance of every point from every center."""
    cross = points @ centers.T
    squared: Floats = (points**2).sum(axis=1)[:, None] - 2 * cross + (centers**2).sum(axis=1)
    return np.maximum(squared, 0)

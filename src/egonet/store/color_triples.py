"""Radius 1 without the whole graph in one place: edges go to groups of three colors, and each counts its triangles."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import bin_degrees
from egonet.graph.graph import adjacency
from egonet.kernel.triangle_counts import edge_supports
from egonet.store.blocks import Block, compact_rows
from egonet.typing import Int32s, Int64s


def color_of(nodes: Any, colors: int) -> Int32s:
    """Return the color of every node: a fixed hash of its number, 0 ... colors - 1.

    Examples
    --------
    >>> color_of(np.arange(4), 3).tolist() == color_of(np.arange(4), 3).tolist()
    True
    """
    mixed = np.asarray(nodes).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(colors)).astype(np.int32)


def groups_of(colors: int) -> list[tuple[int, int, int]]:
    """Return the groups: every three colors, repeats allowed, rising.

    Examples
    --------
    >>> groups_of(2)
    [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
    """
    return list(combinations_with_replacement(range(colors), 3))


def num_groups(colors: int) -> int:
    """Return the number of groups."""
    return colors * (colors + 1) * (colors + 2) // 6


def deal_edges(
    indptr: Int64s, indices: Int32s, first: int, last: int, colors: int
) -> tuple[Int32s, Int32s, Int32s]:
    """Return group, u and v for every copy of the edges u < v whose u is in a range; each edge has ρ copies.

    An edge of colors a, b goes to the groups {a, b, c} for every c, so that every triangle meets in exactly the
    group of its three colors.
    """
    arcs = slice(int(indptr[first]), int(indptr[last]))
    u = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
    v = indices[arcs].astype(np.int64)
    once = u < v
    u, v = u[once], v[once]
    ends = np.stack([color_of(u, colors), color_of(v, colors)], axis=1)
    every = np.repeat(np.arange(colors, dtype=np.int32), len(u))
    three = np.sort(np.column_stack([np.tile(ends, (colors, 1)), every]), axis=1)
    return (
        group_number(three, colors),
        np.tile(u, colors).astype(np.int32),
        np.tile(v, colors).astype(np.int32),
    )


def group_number(three: Int32s, colors: int) -> Int32s:
    """Return the place in `groups_of` of rows of three rising colors.

    Examples
    --------
    >>> group_number(np.array(groups_of(4)), 4).tolist() == list(range(20))
    True
    """
    a, b, c = three.astype(np.int64).T
    rest = colors - a
    before_a = num_groups(colors) - rest * (rest + 1) * (rest + 2) // 6
    # Pairs (b, c) with a <= b <= c < ρ, in order.
    before_b = (b - a) * (2 * colors - a - b + 1) // 2
    return np.asarray(before_a + before_b + (c - b), dtype=np.int32)


def count_group(
    u: Int32s, v: Int32s, group: tuple[int, int, int], colors: int
) -> tuple[Int32s, Int32s, Int32s]:
    """Return root, other end and triangles, both ways, for the edges that are in triangles of the group."""
    nodes, places = np.unique(np.concatenate([u, v]), return_inverse=True)
    ends = places.reshape(2, -1).astype(np.int32)
    indptr, indices = adjacency(ends[0], ends[1], len(nodes), both_directions=True)
    supports = edge_supports(indptr, indices, color_of(nodes, colors), group)
    counted = np.flatnonzero(supports)
    rows = np.searchsorted(indptr, counted, side="right") - 1
    a, b, found = nodes[rows], nodes[indices[counted]], supports[counted]
    return np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([found, found])


def block_of_supports(
    indptr: Int64s,
    indices: Int32s,
    span: tuple[int, int],
    supports: tuple[Int32s, Int32s, Int32s],
    settings: Settings,
) -> Block:
    """Return the rows of a range of roots from the triangles of their edges (root, other end, triangles).

    At radius 1 a neighbor's degree is one more than the triangles of its edge; the root keeps its own degree.
    """
    first, last = span
    degrees = np.diff(indptr[first : last + 1])
    begin = int(indptr[first])
    others = indices[begin : int(indptr[last])].astype(np.int64)
    owners = np.repeat(np.arange(last - first), degrees)
    triangles = np.zeros(len(others), dtype=np.int64)
    size = np.int64(len(indptr))
    order = owners * size + others
    places = np.searchsorted(order, (supports[0].astype(np.int64) - first) * size + supports[1])
    np.add.at(triangles, places, supports[2])
    roots = np.arange(last - first)
    rows, keys = [], []
    for radius in settings.radius:
        rows.append(roots)
        keys.append(_keys(radius, 0, degrees, settings))
        if radius == 1:
            rows.append(owners)
            keys.append(_keys(radius, 1, triangles if settings.frontier_edges else triangles * 0, settings))
    return compact_rows(np.concatenate(rows), np.concatenate(keys), last - first, settings)


def _keys(radius: int, distance: int, values: Int64s, settings: Settings) -> Int64s:
    """Return the keys of roots (`values`: degrees) or of their neighbors (`values`: triangles)."""
    nothing, one = np.zeros_like(values), np.ones_like(values)
    closer, same, farther = (nothing, nothing, values) if distance == 0 else (one, values, nothing)
    fields = {
        "total": [closer + same + farther],
        "layered": [same, farther],
        "full": [closer, same, farther],
    }[settings.degrees]
    if settings.max_degree is not None:
        fields = [np.minimum(field, settings.max_degree) for field in fields]
    keys = np.stack([np.full_like(values, distance), *fields], axis=1)
    return np.insert(bin_degrees(keys, settings), 0, radius, axis=1)

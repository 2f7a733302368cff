"""Extreme shapes, whose answers are known by formula: a star of a million, a clique of 3,000, a path of a million."""

import numpy as np
import pytest

import egonet
from egonet.graph.graph import Graph
from egonet.kernel import native


def graph_of(degrees, indices):
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    return Graph(indptr, np.asarray(indices, dtype=np.int32))


def star(leaves):
    return graph_of(
        [leaves] + [1] * leaves, np.concatenate([np.arange(1, leaves + 1), np.zeros(leaves, dtype=int)])
    )


def clique(size):
    everyone = np.broadcast_to(np.arange(size), (size, size))
    return graph_of([size - 1] * size, everyone[~np.eye(size, dtype=bool)])


def path(size):
    degrees = np.full(size, 2)
    degrees[[0, -1]] = 1
    both = np.stack([np.arange(size) - 1, np.arange(size) + 1], axis=1).reshape(-1)
    return graph_of(degrees, both[1:-1])


def bipartite(left, right):
    rows = [np.arange(left, left + right)] * left + [np.arange(left)] * right
    return graph_of([right] * left + [left] * right, np.concatenate(rows))


def cliques(times):
    """Return cliques of 1, 2, 3 and 4 nodes as a disjoint union, repeated `times` times."""
    rows = [[], [2], [1], [4, 5], [3, 5], [3, 4], [7, 8, 9], [6, 8, 9], [6, 7, 9], [6, 7, 8]]
    one = np.concatenate(rows).astype(np.int32)
    indices = (one + 10 * np.arange(times, dtype=np.int32)[:, None]).reshape(-1)
    return graph_of(list(map(len, rows)) * times, indices)


def rows_of(graph, radius, algorithm, roots=None):
    """Return the histogram of every root, by its position among the roots."""
    found = native.encode_rows(graph.indptr, graph.indices, roots, radius, algorithm=algorithm, threads=2)
    keys = [tuple(key) for key in found.keys.tolist()]
    bounds, columns, counts = found.indptr, found.columns, found.counts
    return lambda position: {
        keys[columns[entry]]: int(counts[entry]) for entry in range(bounds[position], bounds[position + 1])
    }


LEAVES = 10**6


@pytest.mark.parametrize(
    "algorithm", ["auto", "triangle", "source", pytest.param("bitwise", marks=pytest.mark.slow)]
)
def test_star_of_a_million_at_radius_1(algorithm):
    graph = star(LEAVES)
    found = native.encode_rows(graph.indptr, graph.indices, None, 1, algorithm=algorithm, threads=2)

    assert found.keys.tolist() == [[0, 1], [0, LEAVES], [1, 1]]
    assert found.counts[:2].tolist() == [1, LEAVES]
    assert found.columns.tolist() == [1, 2] + [0, 2] * LEAVES
    assert (found.counts[2:] == 1).all()


@pytest.mark.parametrize("algorithm", ["auto", "source", "bitwise"])
def test_star_of_a_million_at_radius_2(algorithm):
    row = rows_of(star(LEAVES), 2, algorithm, roots=np.array([0, 1, LEAVES]))

    assert row(0) == {(0, LEAVES): 1, (1, 1): LEAVES}
    assert row(1) == row(2) == {(0, 1): 1, (1, LEAVES): 1, (2, 1): LEAVES - 1}


@pytest.mark.parametrize(
    ("algorithm", "radius", "num_roots"),
    [("auto", 2, 3000), ("bitwise", 1, 3000), ("bitwise", 2, 3000), ("source", 1, 2), ("source", 2, 2)],
)
def test_clique_of_3000(algorithm, radius, num_roots):
    graph, roots = clique(3000), np.arange(3000 - num_roots, 3000)
    found = native.encode_rows(graph.indptr, graph.indices, roots, radius, algorithm=algorithm, threads=2)

    assert found.keys.tolist() == [[0, 2999], [1, 2999]]
    assert found.counts.tolist() == [1, 2999] * num_roots


@pytest.mark.slow
def test_every_triangle_of_a_clique_of_3000_is_found():
    graph = clique(3000)
    found = native.encode_rows(graph.indptr, graph.indices, None, 1, algorithm="triangle", threads=2)

    assert found.keys.tolist() == [[0, 2999], [1, 2999]]
    assert found.counts.tolist() == [1, 2999] * 3000


def path_row(position, size, radius):
    """Return the histogram of a node of a path: by formula, without a search."""
    row = {}
    for distance in range(radius + 1):
        for other in {position - distance, position + distance}:
            if 0 <= other < size:
                ends = (other > 0) + (other < size - 1)  # its neighbors in the whole path
                outside = (
                    distance == radius > 0
                    and not (other == 0 and position > 0)
                    and not (other == size - 1 and position < size - 1)
                )
                key = (distance, ends - outside)
                row[key] = row.get(key, 0) + 1
    return row


@pytest.mark.parametrize(
    ("algorithm", "radius"), [("triangle", 1), ("source", 2), ("bitwise", 3), ("auto", 5)]
)
def test_path_of_a_million(algorithm, radius):
    size = 10**6
    graph = path(size)
    found = native.encode_rows(graph.indptr, graph.indices, None, radius, algorithm=algorithm, threads=2)
    row = rows_of(graph, radius, "source", roots=np.array([*range(8), size // 2, *range(size - 8, size)]))
    classes = native.row_classes(found.indptr, found.columns, found.counts)

    for position, node in enumerate([*range(8), size // 2, *range(size - 8, size)]):
        assert row(position) == path_row(node, size, radius), node
    # Only how near the next end is tells nodes apart: 0, 1, ..., and "farther than that".
    near = np.minimum(np.minimum(np.arange(size), np.arange(size)[::-1]), radius + 1 if radius > 0 else 1)
    different = {tuple(sorted(path_row(node, size, radius).items())) for node in range(radius + 2)}
    assert len(np.unique(classes)) == len(different)
    assert (classes == classes[near]).all()


def test_path_of_a_million_from_end_to_end():
    size = 10**6
    found = native.encode_rows(*(path(size).indptr, path(size).indices), np.array([0]), 10**9)

    assert found.keys[0].tolist() == [0, 1]
    assert found.keys[-1].tolist() == [size - 1, 1]
    assert (found.keys[1:-1, 1] == 2).all()
    assert (found.counts == 1).all()
    assert len(found.counts) == size


@pytest.mark.parametrize("algorithm", ["auto", "source", "bitwise"])
def test_complete_bipartite_graph(algorithm):
    left, right = 300, 2000
    graph = bipartite(left, right)
    ends = np.array([0, left - 1, left, left + right - 1])

    row = rows_of(graph, 1, algorithm, roots=ends)
    assert row(0) == row(1) == {(0, right): 1, (1, 1): right}
    assert row(2) == row(3) == {(0, left): 1, (1, 1): left}

    row = rows_of(graph, 2, algorithm, roots=ends)
    assert row(0) == row(1) == {(0, right): 1, (1, left): right, (2, right): left - 1}
    assert row(2) == row(3) == {(0, left): 1, (1, right): left, (2, left): right - 1}


def test_complete_bipartite_graph_has_two_kinds_of_nodes():
    encoding = egonet.encode(bipartite(300, 2000), (1, 2), degrees="full")

    assert encoding.classes.tolist() == [0] * 300 + [1] * 2000
    assert encoding[0] == {
        (1, 0, 0, 0, 2000): 1,
        (1, 1, 1, 0, 0): 2000,
        (2, 0, 0, 0, 2000): 1,
        (2, 1, 1, 0, 299): 2000,
        (2, 2, 2000, 0, 0): 299,
    }


@pytest.mark.parametrize("radius", [0, 1, 2, 7])
def test_a_hundred_thousand_components(radius):
    graph = cliques(25_000)
    encoding = egonet.encode(graph, radius)

    assert encoding.classes.tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3] * 25_000
    assert egonet.wl_colors(graph).tolist() == encoding.classes.tolist()
    for node, size in zip((0, 1, 3, 6), (1, 2, 3, 4), strict=True):
        ring = {(1, size - 1): size - 1} if radius and size > 1 else {}
        assert encoding[node] == {(0, size - 1): 1} | ring

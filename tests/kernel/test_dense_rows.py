"""The dense kernel: the same counts as the encoding, for graphs around every multiple of 64 nodes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.encoding.dense import dense_columns
from egonet.graph.graph import Graph
from egonet.kernel.native import DenseColumns

#: Numbers of nodes around those that need one more 64-bit block, and above the limit of the bit sets.
SIZES = [1, 2, 63, 64, 65, 128, 129, 256, 257]

SETTINGS = [
    {"radius": 0},
    {"radius": 1},
    {"radius": 2},
    {"radius": 2, "frontier_edges": False},
    {"radius": 1, "frontier_edges": False},
    {"radius": 3, "max_degree": 2},
    {"radius": 2, "degree_bins": "log"},
    {"radius": (0, 2, 5)},
    {"radius": 17},
    {"radius": 300},
    {"radius": 2, "degrees": "layered"},
]


def random_arcs(seed, size, density=2.0):
    """Return arcs in no order, with loops, repeats and some opposites missing."""
    return np.random.default_rng(seed).integers(size, size=(2, int(density * size) + 1))


def expected(arcs, size, options):
    graph = Graph.from_indices(*arcs, size)
    encoding = egonet.encode(graph, **options)
    return encoding.vocabulary, encoding.to_dense().astype(np.float32)


def of_arcs(columns, arcs, size):
    """Return the counts of one graph."""
    return columns.of_many(arcs, np.array([0, size]), np.array([0, arcs.shape[1]]), local=True)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_counts_equal_the_encoding(size, options):
    arcs = random_arcs(size, size)
    vocabulary, counts = expected(arcs, size, options)

    assert of_arcs(dense_columns(vocabulary), arcs, size).tolist() == counts.tolist()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.floats(0, 4), st.sampled_from(SETTINGS))
def test_counts_of_any_small_graph_equal_the_encoding(seed, size, density, options):
    arcs = random_arcs(seed, size, density)
    vocabulary, counts = expected(arcs, size, options)

    assert of_arcs(dense_columns(vocabulary), arcs, size).tolist() == counts.tolist()


@pytest.mark.parametrize("local", [True, False])
def test_many_graphs_are_counted_as_each_alone(local):
    sizes = [3, 0, 70, 1, 300, 5]
    alone = [random_arcs(seed, size) if size else np.empty((2, 0), int) for seed, size in enumerate(sizes)]
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    union = np.concatenate([arcs + start for arcs, start in zip(alone, ptr, strict=False)], axis=1)
    vocabulary, counts = expected(union, int(ptr[-1]), {"radius": 2})
    arc_ptr = np.concatenate([[0], np.cumsum([arcs.shape[1] for arcs in alone])])
    index = np.concatenate(alone, axis=1) if local else union

    assert dense_columns(vocabulary).of_many(index, ptr, arc_ptr, local=local).tolist() == counts.tolist()


ONE = DenseColumns(np.array([[1, 0, 1], [1, 1, 1]]), [1])
EDGE = np.array([[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("index", "graph_ptr", "arc_ptr"),
    [
        ([[0, 1], [1, 0]], [0, 2], [0, 1]),  # arcs that belong to no graph
        ([[0, 1], [1, 0]], [1, 2], [0, 2]),  # nodes that do not
        ([[0, 1], [1, 0]], [0, 2, 1, 2], [0, 2, 2, 2]),
        ([[0, 1], [1, 0]], [0, 2, 2, 2], [0, 2, 1, 2]),
        ([[0, 1], [1, 0]], [0, 2], [0, 2, 2]),
        ([[0, 2], [1, 0]], [0, 2], [0, 2]),  # an arc that points outside
        ([[0, 1], [1, -1]], [0, 2], [0, 2]),
        ([[0, 1], [1, -(2**63)]], [0, 2], [0, 2]),
        ([[0, 2], [1, 0]], [0, 2, 4], [0, 1, 2]),
    ],
)
@pytest.mark.parametrize("local", [True, False])
def test_graphs_that_do_not_fit_their_arrays_are_not_counted(index, graph_ptr, arc_ptr, local):
    arrays = (np.array(part) for part in (index, graph_ptr, arc_ptr))

    assert ONE.of_many(*arrays, local=local) is None


@pytest.mark.parametrize("size", [2, 300])
@pytest.mark.parametrize("stray", [-1, 300, 2**40, -(2**63)])
def test_an_arc_outside_is_not_counted(size, stray):
    assert of_arcs(ONE, np.array([[0, 1], [1, stray]]), size) is None


def test_a_key_without_a_column_is_reported():
    assert of_arcs(ONE, np.array([[0, 1], [1, 2]]), 3) is None
    assert of_arcs(ONE, EDGE, 2).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_counting_by_address_overwrites_what_was_there():
    index, table = np.ascontiguousarray(EDGE), np.full((2, 2), 7, dtype=np.float32)

    assert ONE.count_at(index.ctypes.data, index.ctypes.data + 16, 2, 2, table.ctypes.data)
    assert table.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_columns_count_the_same_after_pickling():
    again = pickle.loads(pickle.dumps(ONE))

    assert of_arcs(again, EDGE, 2).tolist() == [[1.0, 1.0], [1.0, 1.0]]

"""The definition of individualization and refinement, worked out by hand on small graphs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from egonet import Graph, named
from egonet.kernel import native
from egonet.kernel.search_tree import (
    as_lists,
    determines,
    is_complete,
    leaves,
    outcome,
    refine_cells,
    refined_rows,
    rooted_cells,
    search,
    search_classes,
)


def spider():
    """Return a star of three whose last leg is longer."""
    return Graph.from_edges([(0, 1), (0, 2), (0, 3), (3, 4)])


def lists(graph, **labels):
    return as_lists(graph.indptr, graph.indices, **labels)


def rooted(graph, root, radius=None):
    return refine_cells(graph, rooted_cells(graph, root, radius))


def test_cells_begin_in_the_order_of_distance_and_label():
    path = lists(named.path(4), labels=np.array([0, 1, 0, 0], dtype=np.int32))

    assert rooted_cells(path, 1, None) == [[1], [0, 2], [3]]
    assert rooted_cells(path, 1, 0) == [[1]]


def test_parts_of_a_cell_follow_in_increasing_order_of_their_neighbors():
    # Nodes without a neighbor in cell 2 come before the one that has it.
    graph = lists(spider())

    assert rooted(graph, 0) == [[0], [1, 2], [3], [4]]


def test_the_outcome_has_sizes_labels_and_neighbors_per_cell():
    graph = lists(spider())

    assert outcome(graph, rooted(graph, 0)) == (
        (1, 0, ((1, 0, 2), (2, 0, 1))),
        (2, 0, ((0, 0, 1),)),
        (1, 0, ((0, 0, 1), (3, 0, 1))),
        (1, 0, ((2, 0, 1),)),
    )


def test_an_outcome_determines_the_graph_if_cells_are_joined_completely_or_not_at_all():
    star, cycle = lists(named.star(4)), lists(named.cycle(6))

    assert determines(outcome(star, rooted(star, 0)))
    assert not determines(outcome(cycle, rooted(cycle, 0)))


def test_a_search_marks_the_first_largest_cell_and_keeps_the_classes_of_all_children():
    cycle = lists(named.cycle(6))
    cells = rooted(cycle, 0)
    found = search(cycle, cells, 1, "largest")

    assert [len(cell) for cell in cells] == [1, 2, 2, 1]
    assert len(found[1]) == 2
    assert found[1][0] == found[1][1]
    assert is_complete(found)
    assert len(search(cycle, cells, 1, "all")[1]) == 4


def test_leaves_are_the_outcomes_of_all_sequences_of_marks():
    cycle = lists(named.cycle(6))
    ends = list(leaves(cycle, rooted(cycle, 0), 1, "largest"))

    assert len(ends) == 2
    assert all(len(end) == 6 for end in ends)


def test_edge_labels_split_cells():
    path = named.path(3)
    plain, mixed = lists(path), lists(path, arc_labels=np.array([0, 0, 1, 1], dtype=np.int32))

    assert search_classes(plain, 1)[0] == [0, 1, 0]
    assert search_classes(mixed, 1)[0] == [0, 1, 2]


def test_a_row_counts_the_outcomes_of_a_root():
    graph = spider()
    rows = refined_rows(graph.indptr, graph.indices, np.array([4, 1]), 1, depth=1)

    # Both ends have one neighbor, whose other neighbors are out of reach.
    assert rows.indptr.tolist() == [0, 1, 2]
    assert rows.columns.tolist() == [0, 0]
    assert rows.histograms.keys.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_a_root_alone_has_one_key_without_neighbors():
    graph = spider()
    rows = refined_rows(graph.indptr, graph.indices, np.array([0]), 0, depth=1)

    assert rows.histograms.keys.tolist() == [[0, 0, 0]]


@settings(max_examples=80)
@given(st.integers(1, 10), st.integers(0, 3), st.integers(1, 3), st.booleans(), st.integers(1, 3), st.data())
def test_native_rows_equal_the_definition_byte_for_byte(size, radius, depth, labeled, threads, data):
    pairs = [(u, v) for u in range(size) for v in range(u)]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = Graph.from_edges(edges, size)
    names = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    labels = np.array(names, dtype=np.int32) if labeled else None
    roots = np.array(data.draw(st.lists(st.integers(0, size - 1))), dtype=np.int64)
    arrays = graph.indptr, graph.indices, roots, radius

    expected = refined_rows(*arrays, depth=depth, labels=labels)
    found = native.refined_rows(*arrays, depth=depth, labels=labels, threads=threads)

    for name in ("indptr", "columns", "counts"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
    for name in ("indptr", "columns", "counts", "keys"):
        assert getattr(found.histograms, name).tobytes() == getattr(expected.histograms, name).tobytes()

"""Rival encodings equal what their definitions give on graphs small enough to check, dense or sparse."""

import numpy as np
import pytest

from research.today import columns, rivals
from research.today.sources import join_graphs


def graphs(*edge_lists, sizes):
    parts = [
        (size, np.array(edges).reshape(-1, 2), np.zeros(size), np.ones(len(edges)))
        for edges, size in zip(edge_lists, sizes, strict=True)
    ]
    return join_graphs(parts)


TAILED = [(0, 1), (1, 2), (0, 2), (2, 3)]


def test_walks_return_as_powers_of_the_transition_matrix_say():
    both = graphs(TAILED, [(0, 1)], sizes=(4, 3))
    matrix = rivals.adjacency(both).toarray()
    step = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)

    found = rivals.walk_returns(both, 5)

    for number in range(5):
        expected = np.linalg.matrix_power(step, number + 1).diagonal()
        np.testing.assert_allclose(found[:, number], expected, atol=1e-6)


def test_large_graphs_give_the_walks_of_small_ones(monkeypatch):
    both = graphs(TAILED, [(0, 1)], sizes=(4, 3))
    expected = rivals.walk_returns(both, 7)
    monkeypatch.setattr(rivals, "DENSE", 0)

    np.testing.assert_allclose(rivals.walk_returns(both, 7), expected, atol=1e-6)


def test_eigenvectors_belong_to_the_smallest_eigenvalues_after_the_first():
    one = graphs(TAILED, sizes=(4,))
    laplacian = np.eye(4) - rivals.normal_adjacency(one).toarray()
    values = np.linalg.eigvalsh(laplacian)

    found = rivals.eigenvectors(one, 3)

    for column in range(3):
        np.testing.assert_allclose(
            laplacian @ found[:, column], values[column + 1] * found[:, column], atol=1e-6
        )


def test_degree_profiles_of_isolated_nodes_are_zero():
    assert rivals.degree_profiles(graphs([(0, 1)], sizes=(3,)))[2].tolist() == [0] * 5


def test_colors_after_a_round_tell_ends_from_middles():
    path = graphs([(0, 1), (1, 2), (2, 3)], sizes=(4,))
    start, first, second = rivals.subtree_colors(path, 2)

    assert len(set(start.tolist())) == 1
    assert first[0] == first[3] != first[1] == first[2]
    assert len(set(second.tolist())) == 2


def test_self_loops_and_repeated_edges_are_dropped_when_graphs_are_joined():
    one = graphs([(0, 1), (1, 0), (1, 1), (1, 2)], sizes=(3,))

    assert one.edges.tolist() == [[0, 1], [1, 2]]


def test_a_part_keeps_labels_and_bonds():
    both = join_graphs([(2, np.array([[0, 1]]), [5, 6], [1]), (3, np.array([[0, 2]]), [7, 8, 9], [2])])

    part = both.part(np.array([1]))

    assert part.edges.tolist() == [[0, 2]]
    assert (part.label.tolist(), part.bond.tolist()) == ([7, 8, 9], [2])


@pytest.mark.parametrize("name", ["zinc12k/nothing.npz"])
def test_a_missing_file_is_named(name):
    from egonet.errors import FileError
    from research.today.sources import source_path

    with pytest.raises(FileError, match=r"nothing\.npz is not in"):
        source_path(name)


def test_training_graphs_alone_decide_which_columns_of_counts_are_kept():
    triples = graphs([(0, 1)], [(0, 1)], TAILED, TAILED, sizes=(2, 2, 4, 4))

    every = columns.pooled_counts(triples, columns.degree_counts(triples), fewest=2)
    learned = columns.pooled_counts(
        triples, columns.degree_counts(triples), fewest=2, training=np.array([0, 1])
    )

    assert every.toarray().tolist() == [[2, 0, 0], [2, 0, 0], [1, 2, 1], [1, 2, 1]]  # degrees 1, 2 and 3
    assert learned.toarray().tolist() == [[2], [2], [1], [1]]

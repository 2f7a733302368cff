"""Subtree counts: colors of the Weisfeiler-Leman test as hashes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet import Graph, named, wl_colors
from egonet.graph.edge_types import subdivide
from egonet.wl.subtrees import subtree_hashes

GOLDEN = 0x9E3779B97F4A7C15


def mixed(value):
    value = value * GOLDEN % 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def test_colors_are_those_of_the_docstring():
    start = mixed(1)
    end, middle = (mixed((GOLDEN * mixed(start) + count * mixed(start)) % 2**64) for count in (1, 2))

    assert subtree_hashes(named.path("abc"), 1).tolist() == [[start, end], [start, middle], [start, end]]
    assert mixed((GOLDEN * mixed(end) + mixed(middle)) % 2**64) == subtree_hashes(named.path("abc"), 2)[0, 2]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_enough_rounds_give_the_stable_colors(edges):
    graph = Graph.from_edges(edges, num_nodes=10)
    colors = subtree_hashes(graph, 10, threads=2)[:, -1]
    stable = wl_colors(graph)

    assert (
        len(np.unique(colors))
        == len(np.unique(stable))
        == len(np.unique(np.column_stack([colors, stable]), axis=0))
    )


@pytest.mark.parametrize("num_leaves", range(1, 9))
def test_a_node_with_leaves_differs_from_a_leaf_label_with_such_nodes(num_leaves):
    # Nitrogen with three carbons around it, and carbon with three nitrogens: an amine, and guanidine.
    star = Graph.from_edges([(0, leaf) for leaf in range(1, num_leaves + 1)])
    labels = [np.array([center] + [1 - center] * num_leaves, dtype=np.uint64) for center in (0, 1)]
    first, second = (subtree_hashes(star, 1, labels=one)[0, 1] for one in labels)

    assert first != second


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30),
    st.lists(st.integers(0, 2), min_size=10, max_size=10),
)
def test_enough_rounds_from_labels_give_the_stable_colors(edges, labels):
    graph = Graph.from_edges(edges, num_nodes=10)
    colors = subtree_hashes(graph, 10, labels=np.array(labels, dtype=np.uint64))[:, -1]

    assert len(np.unique(np.column_stack([colors, wl_colors(graph, labels)]), axis=0)) == len(
        np.unique(colors)
    )
    assert len(np.unique(colors)) == len(np.unique(wl_colors(graph, labels)))


def test_labels_and_types_are_part_of_colors():
    path = named.path("abc")
    labels = np.array([5, 5, 6], dtype=np.uint64)
    types = np.array([0, 1], dtype=np.int32)
    divided = subdivide(path, types)

    assert len(set(subtree_hashes(path, 0, labels=labels).ravel().tolist())) == 2
    typed = subtree_hashes(path, 1, subdivision=divided, types=types.astype(np.uint64))
    assert len(set(typed[:, 1].tolist())) == 3
    same = subtree_hashes(path, 1, subdivision=divided, types=np.zeros(2, dtype=np.uint64))
    assert len(set(same[:, 1].tolist())) == 2


@pytest.mark.parametrize("rounds", [0, 3])
def test_colors_are_the_same_in_every_graph(rounds):
    both = Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5)])

    assert subtree_hashes(both, rounds)[:3].tolist() == subtree_hashes(named.path("abc"), rounds).tolist()

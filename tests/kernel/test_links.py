"""Sums and walks around pairs equal their definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.kernel import native_links, reference_links


@st.composite
def cases(draw):
    size = draw(st.integers(2, 14))
    pairs = [(u, v) for u in range(size) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=40, unique=True))
    asked = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=8))
    return egonet.as_graph(edges, num_nodes=size), np.array(asked, dtype=np.int64)


@settings(deadline=None, max_examples=150)
@given(cases(), st.integers(1, 4), st.integers(1, 6), st.booleans(), st.booleans(), st.integers(0, 99))
def test_the_kernel_equals_the_reference(case, radius, num_weights, without_edge, walks, seed):
    graph, pairs = case
    weights = np.random.default_rng(seed).integers(-5, 10**9, (len(graph), num_weights))
    arguments = (graph.indptr, graph.indices, pairs, radius, weights)
    options = {"without_edge": without_edge, "walks": walks}

    expected = reference_links.sum_links(*arguments, **options)
    for threads in (1, 3):
        sums, walked = native_links.sum_links(*arguments, **options, threads=threads)
        assert sums.tobytes() == expected[0].tobytes()
        assert walked.tobytes() == expected[1].tobytes()


def test_walks_equal_powers_of_the_transition_matrix():
    graph = egonet.named.karate_club()
    pairs = np.array([[0, 33], [4, 16], [9, 12]])
    _, walked = native_links.sum_links(
        graph.indptr, graph.indices, pairs, 3, np.ones((34, 1), dtype=np.int64), walks=True
    )
    step = graph.to_scipy().toarray() / graph.degrees[:, None]
    for place, steps in enumerate(range(2, 7)):
        power = np.linalg.matrix_power(step, steps) / graph.degrees
        assert walked[:, place] == pytest.approx(power[pairs[:, 0], pairs[:, 1]])


def test_the_reference_adds_in_order_whatever_sum_does(monkeypatch):
    """From Python 3.12 on, `sum` of floats is compensated; the kernel adds one after the other."""
    monkeypatch.setattr(reference_links, "sum", math.fsum, raising=False)
    graph = egonet.named.karate_club()
    pairs = np.array([(u, v) for u in range(34) for v in range(u)])
    arguments = (graph.indptr, graph.indices, pairs, 3, np.ones((34, 1), dtype=np.int64))

    expected = reference_links.sum_links(*arguments, walks=True)[1]

    assert native_links.sum_links(*arguments, walks=True)[1].tobytes() == expected.tobytes()

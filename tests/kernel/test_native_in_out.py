"""In- and out-degrees: the C++ kernel returns the reference's bytes, whichever way arcs are followed and stored."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.kernel import assert_same_bytes, graph_case
from egonet.errors import InputError
from egonet.kernel import native
from egonet.kernel.reference import encode_rows


@st.composite
def directed_cases(draw):
    num_nodes = draw(st.integers(0, 12))
    ends = st.integers(0, max(num_nodes - 1, 0))
    arcs = draw(st.lists(st.tuples(ends, ends), max_size=40)) if num_nodes else []
    return graph_case(num_nodes, arcs, symmetric=False), arcs


@given(
    directed_cases(),
    st.integers(0, 4),
    st.sampled_from(["any", "out", "in"]),
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    st.sampled_from([1, 3]),
)
def test_random_graphs_have_the_rows_of_the_reference(
    drawn, radius, follow, frontier, limit, labeled, threads
):
    case, arcs = drawn
    labels = (np.arange(case.num_nodes) % 3).astype(np.int32) if labeled else None
    options = {"follow": follow, "frontier_edges": frontier, "max_degree": limit, "labels": labels}

    found = native.in_out_rows(case.indptr, case.indices, None, radius, threads=threads, **options)

    roots = np.arange(case.num_nodes)
    expected = encode_rows(case.indptr, case.indices, roots, radius, degrees="in_out", **options)
    assert_same_bytes(found, expected)
    reverse = graph_case(case.num_nodes, [(v, u) for u, v in arcs], symmetric=False)
    by_target = native.in_out_rows(
        reverse.indptr, reverse.indices, None, radius, by_target=True, threads=threads, **options
    )
    assert_same_bytes(by_target, expected)


def test_many_threads_return_the_bytes_of_one():
    rng = np.random.default_rng(0)
    case = graph_case(400, rng.integers(0, 400, (4000, 2)).tolist(), symmetric=False)

    one = native.in_out_rows(case.indptr, case.indices, None, 2, threads=1)
    many = native.in_out_rows(case.indptr, case.indices, None, 2, threads=4)

    assert_same_bytes(many, one)


def test_roots_may_be_chosen_and_repeated():
    case = graph_case(3, [(0, 1), (2, 0)], symmetric=False)
    roots = np.array([2, 0, 2])

    found = native.in_out_rows(case.indptr, case.indices, roots, 1, follow="out")

    assert_same_bytes(found, encode_rows(case.indptr, case.indices, roots, 1, degrees="in_out", follow="out"))


def test_keys_that_need_too_many_bits_are_an_error():
    case = graph_case(3001, [(0, leaf) for leaf in range(1, 3001)], symmetric=False)
    labels = np.full(3001, 2**31 - 1, dtype=np.int32)

    with pytest.raises(InputError, match="keys must fit 63 bits"):
        native.in_out_rows(case.indptr, case.indices, np.array([0]), 3000, labels=labels)

"""Chunks of roots: rows in a subgraph, halving what does not fit, and joining."""

import numpy as np
import pytest

from contracts.kernel import assert_same_bytes, graph_case
from egonet.errors import DeviceMemoryError
from egonet.kernel import reference
from egonet.kernel.cuda.chunks import cut_chunk, encode_chunks, join_rows


def test_rows_of_a_chunk_equal_those_of_the_whole_graph():
    rng = np.random.default_rng(1)
    for symmetric in (True, False):
        case = graph_case(80, rng.integers(80, size=(120, 2)).tolist(), symmetric=symmetric)
        for radius in (0, 1, 2, 3):
            roots = rng.integers(80, size=6)
            chunk = cut_chunk(case.indptr, case.indices, None, roots, radius)
            for options in ({"degrees": "full"}, {"frontier_edges": False}):
                expected = reference.encode_rows(case.indptr, case.indices, roots, radius, **options)
                actual = reference.encode_rows(chunk.indptr, chunk.indices, chunk.roots, radius, **options)
                assert_same_bytes(actual, expected, (symmetric, radius, options))


def test_chunk_keeps_the_labels_of_its_nodes():
    case = graph_case(4, [(0, 1), (2, 3)])
    chunk = cut_chunk(case.indptr, case.indices, np.array([7, 8, 9, 6], dtype=np.int32), np.array([3]), 1)
    assert chunk.labels.tolist() == [9, 6]
    assert chunk.roots.tolist() == [1]
    assert chunk.indices.tolist() == [1, 0]


def test_chunks_that_do_not_fit_are_halved_and_joined_in_order():
    case = graph_case(20, [(u, (u * 7 + 1) % 20) for u in range(20)])
    sizes, done = [], []

    def encode(roots):
        sizes.append(len(roots))
        if len(roots) > 3:
            raise DeviceMemoryError("too large")
        return reference.encode_rows(case.indptr, case.indices, roots, 2)

    rows = encode_chunks(np.arange(20), encode, done.append, num_chunks=2)
    assert_same_bytes(rows, reference.encode_rows(case.indptr, case.indices, np.arange(20), 2))
    assert max(sizes) == 10
    assert done == sorted(done)
    assert done[-1] == 20


def test_single_root_that_does_not_fit_raises():
    def encode(roots):
        raise DeviceMemoryError("too large for this")

    with pytest.raises(DeviceMemoryError, match="too large for this"):
        encode_chunks(np.arange(5), encode, lambda done: None, num_chunks=1)


def test_joined_rows_share_columns_in_the_order_of_the_keys():
    case = graph_case(6, [(0, 1), (1, 2), (2, 0), (3, 4)])
    parts = [reference.encode_rows(case.indptr, case.indices, np.array([v]), 1) for v in range(6)]
    assert_same_bytes(join_rows(parts), reference.encode_rows(case.indptr, case.indices, np.arange(6), 1))

"""The union of random lists of matrices, valid or damaged, equals the union of separate graphs or raises the same."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from egonet import _native
from egonet.errors import InputError
from egonet.graph import named
from egonet.graph.graph import Graph
from egonet.graph.union import as_one, disjoint_union

INDEX = st.sampled_from([np.int32, np.int64])
VALUE = st.sampled_from([bool, np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64])


@st.composite
def matrices(draw):
    """Return a small CSR matrix: mostly an undirected graph, sometimes with loops, arcs, zeros or weights."""
    size = draw(st.integers(0, 6))
    cells = st.tuples(st.integers(0, max(size - 1, 0)), st.integers(0, max(size - 1, 0)))
    pairs = draw(st.lists(cells, max_size=12)) if size else []
    dense = np.zeros((size, size), dtype=np.int64)
    both = draw(st.integers(0, 5)) > 0
    loops = draw(st.integers(0, 5)) == 0
    for u, v in pairs:
        if u != v or loops:
            dense[u, v] = 1
            dense[v, u] |= both
    made = draw(st.sampled_from([sp.csr_array, sp.csr_matrix]))(dense.astype(draw(VALUE)))
    made.indptr, made.indices = made.indptr.astype(draw(INDEX)), made.indices.astype(draw(INDEX))
    if draw(st.integers(0, 5)) == 0:
        made.data[: len(made.data) // 2] = draw(st.sampled_from([0, 3]))
    return made


def reverse_rows(matrix):
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        matrix.indices[start:end] = matrix.indices[start:end][::-1].copy()
    matrix.has_sorted_indices = False


def repeat_a_neighbor(matrix):
    if len(matrix.indices) > 1:
        matrix.indices[1] = matrix.indices[0]
    matrix.has_canonical_format = False


def point_outside(matrix):
    matrix.indices[-1:] = matrix.shape[0]


def point_below(matrix):
    matrix.indices[:1] = -1


def let_starts_fall(matrix):
    matrix.indptr[1:-1] = matrix.indptr[1:-1][::-1].copy()


def start_late(matrix):
    matrix.indptr[:1] = min(1, len(matrix.indices))


def stop_early(matrix):
    matrix.indptr[-1:] = max(0, len(matrix.indices) - 1)


def lose_a_value(matrix):
    matrix.data = matrix.data[1:]


def leave_gaps(matrix):
    matrix.indices = np.repeat(matrix.indices, 2)[::2]


def write_other_values(matrix):
    matrix.indices = matrix.indices.astype(np.longlong)


def wrap(matrix):
    class Wrapped(np.ndarray):
        pass

    matrix.data = matrix.data.view(Wrapped)


DAMAGE = [
    reverse_rows,
    repeat_a_neighbor,
    point_outside,
    point_below,
    let_starts_fall,
    start_late,
    stop_early,
    lose_a_value,
    leave_gaps,
    write_other_values,
    wrap,
]


def outcome(join):
    try:
        union, ptr = join()
    except InputError as error:
        return str(error)
    info = union.info
    if info.read_as_undirected:  # an edge among arcs counts as a repeat if they are read as one
        info = replace(info, duplicates_merged=0)
    return [array.tolist() for array in (union.indptr, union.indices, union.node_ids, ptr)], info


@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
@settings(max_examples=500, deadline=None)
@given(
    st.lists(matrices(), min_size=1, max_size=5),
    st.lists(st.sampled_from(DAMAGE), max_size=2),
    st.integers(0, 4),
)
def test_matrices_joined_are_what_each_of_them_is_alone(items, damage, place):
    for harm in damage:
        harm(items[place % len(items)])

    together = outcome(lambda: disjoint_union(items))

    assert together == outcome(
        lambda: disjoint_union([as_one(item, at, None) for at, item in enumerate(items)])
    )


@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
@settings(max_examples=300, deadline=None)
@given(st.lists(matrices(), min_size=1, max_size=5), st.booleans(), st.integers(0, 2**32 - 1))
def test_arcs_joined_are_what_each_of_them_is_alone(items, shuffle, seed):
    data = []
    for item in items:
        rows = np.repeat(np.arange(item.shape[0]), np.diff(item.indptr))
        index = torch.from_numpy(np.stack([rows, item.indices]).astype(np.int64))
        if shuffle:
            index = index[:, np.random.default_rng(seed).permutation(index.shape[1])]
        data.append(Data(edge_index=index, num_nodes=item.shape[0]))

    together = outcome(lambda: disjoint_union(data))

    assert together == outcome(
        lambda: disjoint_union([as_one(item, at, None) for at, item in enumerate(data)])
    )


@pytest.mark.parametrize("graph", [named.star(30), named.complete(65)], ids=["long row", "many arcs"])
def test_an_arc_without_its_opposite_is_found_in_long_rows(graph):
    valid = sp.csr_array(
        (np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2
    )
    cells = valid.toarray()
    cells[0, 20] = 0

    joined = _native.join_rows([valid, valid], has_values=True)

    assert joined[1].tolist() == [*graph.indices, *(graph.indices + graph.num_nodes)]
    assert _native.join_rows([valid, sp.csr_array(cells)], has_values=True) is None


class Fleeting:
    """A matrix whose arrays are made when asked for and belong to nobody."""

    shape = (2, 2)
    indptr = property(lambda self: np.array([0, 1, 2]))
    indices = property(lambda self: np.array([1, 0], dtype=np.int32))
    data = property(lambda self: np.ones(2))


def test_arrays_that_nobody_else_keeps_are_kept():
    joined = _native.join_rows([Fleeting()] * 100, has_values=True)

    assert joined[0].tolist() == list(range(201))
    assert joined[1].tolist() == [place ^ 1 for place in range(200)]


def test_a_list_that_is_cut_while_it_is_read_needs_a_closer_look():
    class Cutting(Fleeting):
        @property
        def indptr(self):
            graphs.clear()
            return np.array([0, 1, 2])

    graphs = [Cutting(), Cutting()]

    assert _native.join_rows(graphs, has_values=True) is None


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2,), (2, 2, 2), [2, 2], (2.0, 2.0), (2, 2**70), None])
def test_a_matrix_that_is_not_square_needs_a_closer_look(shape):
    odd = Fleeting()
    odd.shape = shape

    assert _native.join_rows([Fleeting(), odd], has_values=True) is None


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([[5, 3], [3, 4]], [5, 3, 3, 4]),
        ([["a", "b"], ["bc", "d"]], ["a", "b", "bc", "d"]),
        ([[5, 3], None], [5, 3, 0, 1]),
        ([None, [5, 3]], [0, 1, 5, 3]),
        ([[5, 3], ["a", "b"]], [5, 3, "a", "b"]),
    ],
)
def test_ids_of_any_kind_follow_one_another(ids, expected):
    rows = (np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32))
    graphs = [Graph(*rows, None if own is None else np.array(own)) for own in ids]

    assert disjoint_union(graphs)[0].node_ids.tolist() == expected

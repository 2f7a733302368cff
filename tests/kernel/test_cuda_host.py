"""What the host does for a GPU in the compiled core: exact, and what Python would have done."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet.kernel.cuda import host


@given(st.lists(st.integers(0, 2**15), max_size=600))
def test_narrow_rows_have_the_same_positions_and_the_facts_of_their_degrees(degrees):
    indptr, positions = np.cumsum([0, *degrees]), np.full(len(degrees) + 2, -1, dtype=np.int32)

    facts = host.narrow_rows(indptr, positions)

    assert facts == (max(degrees, default=0), sum(degree**2 for degree in degrees), degrees.count(0))
    assert positions.tolist() == [*indptr.tolist(), -1]


def test_narrow_rows_are_exact_for_the_densest_graph_that_they_are_made_of():
    # Every one of 32,767 vertices next to all others.
    num_nodes = 2**15 - 1
    indptr, positions = np.arange(num_nodes + 1) * (num_nodes - 1), np.empty(num_nodes + 1, dtype=np.int32)

    facts = host.narrow_rows(indptr, positions)

    assert facts == (num_nodes - 1, num_nodes * (num_nodes - 1) ** 2, 0)
    assert np.array_equal(positions, indptr)


@pytest.mark.parametrize(("num_rows", "room"), [(0, 4), (5, 4)])
def test_rows_that_have_no_room_are_not_written(num_rows, room):
    positions = np.full(room, -1, dtype=np.int32)

    with pytest.raises(ValueError, match=r"^positions have no room for the rows\.$"):
        host.narrow_rows(np.arange(num_rows), positions)

    assert positions.tolist() == [-1] * room


def test_arguments_of_a_kernel_are_numbers_nothing_and_where_arrays_begin():
    room = np.full(8, 7)
    on_device = SimpleNamespace(data=SimpleNamespace(ptr=2**46 + 256))

    host.lay_out((-1, 2**40, None, True, np.int32(-5), np.uint64(9), on_device), host.address(room))

    assert room.tolist() == [-1, 2**40, 0, 1, -5, 9, 2**46 + 256, 7]


def test_an_argument_of_more_than_64_bits_is_refused():
    with pytest.raises(OverflowError, match="int too big to convert"):
        host.lay_out((2**64,), host.address(np.zeros(1, dtype=np.int64)))


def test_an_array_that_may_not_be_written_to_has_an_address():
    array = np.frombuffer(b"12345678", dtype=np.int32)

    assert host.address(array) == array.ctypes.data


def test_arrays_are_placed_one_behind_another_beside_those_that_were():
    places = {"before": 3}

    end = host.place_arrays(places, {"none": 0, "long": 300, "last": 1}, 2**40 + 1, 256)

    assert places == {"before": 3, "none": 2**40 + 256, "long": 2**40 + 256, "last": 2**40 + 768}
    assert end == 2**40 + 769

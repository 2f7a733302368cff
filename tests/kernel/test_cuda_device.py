"""`CudaDevice` on a stand-in for CuPy: the reference's bytes, nothing read before it is there, few calls of CUDA."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from contracts.gpu import NAMED, check_algorithms, random_case, run
from contracts.kernel import assert_same_bytes, expected_rows, graph_case, radii_of, settings_of
from contracts.parts import need_emulation
from egonet.kernel.cuda import arena, assemble
from egonet.kernel.cuda import device as device_module
from egonet.kernel.cuda.device import CudaDevice
from egonet.kernel.cuda.kept import rounded_up
from emulation.standin import Event, StandIn

need_emulation()
SMALL = graph_case(40, [(u, (u * u + 3) % 40) for u in range(40)])


@pytest.fixture(scope="module")
def device(compiled_kernels):
    return CudaDevice(StandIn(compiled_kernels))


@pytest.mark.parametrize("name", NAMED)
def test_named_graphs_equal_the_reference(device, name):
    for radius in list(radii_of(NAMED[name]))[:3]:
        for case in settings_of(replace(NAMED[name], radius=radius)):
            check_algorithms(case, device=device)


def test_random_graphs_equal_the_reference(device, monkeypatch):
    monkeypatch.setattr(device_module, "SLICED_ITEMS", 16)
    rng = np.random.default_rng(3)
    for _ in range(12):
        check_algorithms(random_case(rng, 50), device=device)


def test_slices_that_lag_behind_are_waited_for(device, monkeypatch):
    monkeypatch.setattr(device_module, "SLICED_ITEMS", 2048)
    rng = np.random.default_rng(7)
    case = graph_case(900, rng.integers(900, size=(6000, 2)).tolist())
    for radius, algorithm in ((1, "triangle"), (2, "link"), (2, "block"), (2, "warp"), (2, "bitwise")):
        rows = run(replace(case, radius=radius), algorithm=algorithm, device=device)
        assert_same_bytes(rows, expected_rows(replace(case, radius=radius)), algorithm)


def asked_for(device, case, algorithm):
    """Return what the second call on a graph asks for that costs time on the host."""
    for _ in range(2):
        device.cupy.asked.clear()
        run(case, algorithm=algorithm, device=device)
    return list(device.cupy.asked)


@pytest.mark.parametrize(
    ("radius", "algorithm", "launches", "allocations"),
    [
        # Orient, list owners, count, bin, sum, number, write; rows, arcs, scratch, and two for the result.
        (1, "triangle", 7, 5),
        # Search, sum, number, place; rows, arcs, scratch with queues, and two for the result.
        (2, "block", 4, 5),
        # The same, and queues, a list of outward arcs, its ends, and the state of its sums.
        (2, "link", 5, 9),
    ],
)
def test_a_call_on_a_small_graph_asks_the_driver_for_little(device, radius, algorithm, launches, allocations):
    case = replace(SMALL, radius=radius)

    asked = Counter(asked_for(device, case, algorithm))

    assert (asked["launch"], asked["allocate"]) == (launches, allocations)
    # Rows and arcs go there; the number of entries comes back, the codes, and rows, columns and counts. Before the room
    # of the rows is written to again, what was there must have gone.
    assert (asked["upload"], asked["download"], asked["page-lock"], asked["synchronize"]) == (2, 5, 3, 4)
    assert asked["memset"] == 1 + (algorithm == "link")


def test_the_number_of_entries_comes_before_rows_are_placed_and_nothing_is_asked_after_the_last_wait(device):
    before = ["allocate", "synchronize", "upload", "record", "allocate", "upload", "allocate", "memset"]
    number, listing = ["page-lock", "download", "record"], ["page-lock", "download", "record"]
    rows = ["page-lock", *["download"] * 3, "record"]

    asked = asked_for(device, replace(SMALL, radius=2), "block")

    # Sum, number, place.
    placed = ["allocate", "allocate", *["launch"] * 3]
    waits = ["synchronize", "synchronize"]
    assert asked == [*before, "launch", *number, *placed, *listing, "synchronize", *rows, *waits]


def test_rows_of_one_graph_do_not_overwrite_those_of_another_on_their_way(device, monkeypatch):
    monkeypatch.setattr(device.cupy.main, "lags", True)
    everything = Event(device.cupy)

    (first, _), (second, _) = device.upload_rows(np.array([0, 1, 2])), device.upload_rows(np.array([0, 5, 7]))
    everything.record()
    everything.reach()

    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [0, 5, 7])


def test_what_is_on_the_device_is_let_go_of_before_rows_are_waited_for(device, monkeypatch):
    alive = []

    class Watched(Event):
        def synchronize(self):
            super().synchronize()
            alive.append(device.cupy.num_arrays())

    monkeypatch.setattr(device, "_events", [Watched(device.cupy) for _ in range(3)])

    run(replace(SMALL, radius=2), algorithm="block", device=device)

    # The number of entries: all five arrays. The codes: the scratch they are in. The rows: none.
    assert alive == [5, 1, 0]


def test_rows_are_on_their_way_before_codes_are_waited_for_if_their_number_is_known(device, monkeypatch):
    monkeypatch.setattr(arena, "MOST_UNSIZED", 0)
    case = replace(SMALL, radius=2)

    run(case, algorithm="block", device=device)

    asked = [name for name in device.cupy.asked if name in ("download", "synchronize")]
    # The number of entries; the codes; rows, columns and counts; then both are waited for.
    assert asked[-7:] == ["synchronize", *["download"] * 4, "synchronize", "synchronize"]


@pytest.mark.parametrize(("radius", "algorithm"), [(1, "triangle"), (2, "block")])
def test_codes_beyond_the_first_few_are_asked_for_when_their_number_is_known(
    device, monkeypatch, radius, algorithm
):
    monkeypatch.setattr(assemble, "FEW_CODES", 2)
    case = replace(SMALL, radius=radius)

    asked = Counter(asked_for(device, case, algorithm))

    assert asked["download"] == 6
    assert_same_bytes(run(case, algorithm=algorithm, device=device), expected_rows(case))


def test_page_locked_memory_is_of_few_sizes():
    sizes = {rounded_up(size) for size in range(1, 2**16)}

    assert len(sizes) < 130
    assert all(size <= rounded_up(size) <= size * 9 / 8 for size in range(8, 2**16))

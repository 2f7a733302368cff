"""`CudaDevice` on a stand-in for CuPy: the reference's bytes, nothing read before it is there."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from contracts.gpu import NAMED, check_algorithms, random_case, run
from contracts.kernel import assert_same_bytes, expected_rows, graph_case, radii_of, settings_of
from contracts.parts import need_emulation
from egonet.kernel.cuda import assemble
from egonet.kernel.cuda import device as device_module
from egonet.kernel.cuda.device import CudaDevice, rounded_up
from emulation.standin import StandIn

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
    for radius, algorithm in ((1, "triangle"), (2, "block"), (2, "warp"), (2, "bitwise")):
        rows = run(replace(case, radius=radius), algorithm=algorithm, device=device)
        assert_same_bytes(rows, expected_rows(replace(case, radius=radius)), algorithm)


def asked_for(device, case, algorithm):
    """Return what the second call on a graph asks for that costs time on the host."""
    for _ in range(2):
        device.cupy.asked.clear()
        run(case, algorithm=algorithm, device=device)
    return list(device.cupy.asked)


@pytest.mark.parametrize(("radius", "algorithm", "downloads"), [(1, "triangle", 6), (2, "block", 7)])
def test_codes_beyond_the_first_few_are_asked_for_when_their_number_is_known(
    device, monkeypatch, radius, algorithm, downloads
):
    monkeypatch.setattr(assemble, "FEW_CODES", 2)
    case = replace(SMALL, radius=radius)

    asked = Counter(asked_for(device, case, algorithm))

    assert asked["download"] == downloads
    assert_same_bytes(run(case, algorithm=algorithm, device=device), expected_rows(case))


def test_page_locked_memory_is_of_few_sizes():
    sizes = {rounded_up(size) for size in range(1, 2**16)}

    assert len(sizes) < 130
    assert all(size <= rounded_up(size) <= size * 9 / 8 for size in range(8, 2**16))

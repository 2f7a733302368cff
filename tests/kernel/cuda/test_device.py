"""`CudaDevice` on a stand-in for CuPy: the reference's bytes, nothing read before it has arrived; and its errors."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from contracts.gpu import NAMED, check_algorithms, random_case, run
from contracts.kernel import assert_same_bytes, expected_rows, graph_case, radii_of, settings_of
from contracts.parts import need_emulation
from egonet.errors import DeviceError, DeviceMemoryError, MissingExtraError
from egonet.kernel.cuda import device as device_module
from egonet.kernel.cuda import device_rows
from egonet.kernel.cuda.device import CudaDevice, rounded_up
from emulation.standin import StandIn

SMALL = graph_case(40, [(u, (u * u + 3) % 40) for u in range(40)])


@pytest.fixture(scope="module")
def device(compiled_kernels):
    need_emulation()
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


def test_searches_wait_for_late_slices(device, monkeypatch):
    monkeypatch.setattr(device_module, "SLICED_ITEMS", 2048)
    rng = np.random.default_rng(7)
    case = graph_case(900, rng.integers(900, size=(6000, 2)).tolist())
    for radius, algorithm in ((1, "triangle"), (2, "block"), (2, "warp"), (2, "bitwise")):
        rows = run(replace(case, radius=radius), algorithm=algorithm, device=device)
        assert_same_bytes(rows, expected_rows(replace(case, radius=radius)), algorithm)


def requests_of(device, case, algorithm):
    """Return the requests of the second call on a graph that cost time on the host."""
    for _ in range(2):
        device.cupy.requests.clear()
        run(case, algorithm=algorithm, device=device)
    return list(device.cupy.requests)


@pytest.mark.parametrize(("radius", "algorithm", "downloads"), [(1, "triangle", 6), (2, "block", 7)])
def test_codes_past_the_first_few_are_copied_when_their_number_is_known(
    device, monkeypatch, radius, algorithm, downloads
):
    monkeypatch.setattr(device_rows, "FEW_CODES", 2)
    case = replace(SMALL, radius=radius)

    requests = Counter(requests_of(device, case, algorithm))

    assert requests["download"] == downloads
    assert_same_bytes(run(case, algorithm=algorithm, device=device), expected_rows(case))


def test_page_locked_memory_has_few_sizes():
    sizes = {rounded_up(size) for size in range(1, 2**16)}

    assert len(sizes) < 130
    assert all(size <= rounded_up(size) <= size * 9 / 8 for size in range(8, 2**16))


def test_without_cupy_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(
        MissingExtraError, match=r'needs CuPy: pip install "egonet\[cuda\]".*Use device="cpu"'
    ):
        device_module.open_device()


def raised(name, text):
    return type(name, (Exception,), {})(text)


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (
            raised("CUDARuntimeError", "cudaErrorInsufficientDriver: no driver"),
            DeviceError,
            r"CUDA says: cudaErrorIns",
        ),
        (
            raised("CUDARuntimeError", "cudaErrorMemoryAllocation: out"),
            DeviceMemoryError,
            r"too little free memory",
        ),
        (raised("OutOfMemoryError", "8 bytes"), DeviceMemoryError, r"too little free memory"),
        (
            raised("CompileException", "line 1\nline 2"),
            DeviceError,
            r"its compiler says: line 1 line 2\. Install the",
        ),
    ],
)
def test_errors_of_cuda_are_one_sentence_with_the_way_out(error, kind, sentence):
    with pytest.raises(kind, match=sentence + r'.*Use device="cpu"\.'), device_module.plain_errors():
        raise error


def test_other_errors_pass_unchanged():
    with pytest.raises(KeyError, match="mine"), device_module.plain_errors():
        raise KeyError("mine")


def test_importing_the_backend_does_not_import_cupy():
    code = "import sys, egonet.kernel.cuda.backend; sys.exit('cupy' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""The encoder on a real GPU: every algorithm gives the reference's bytes, large graphs those of the CPU kernel."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.gpu import NAMED, check_algorithms, random_case, run
from contracts.kernel import Case, assert_same_bytes, expected_rows, radii_of, settings_of
from contracts.parts import need, need_gpu
from egonet.kernel import native
from egonet.kernel.cuda import choose
from egonet.kernel.cuda.backend import encode_on_device
from egonet.kernel.cuda.device import open_device

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def _gpu():
    need_gpu()


def random_graph(seed, num_nodes, num_edges, hubs=()):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(num_nodes, size=(num_edges, 2))
    for hub, degree in enumerate(hubs):
        leaves = rng.choice(num_nodes, size=degree, replace=False)
        pairs = np.concatenate([pairs, np.stack([np.full(degree, hub), leaves], axis=1)])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    codes = np.unique(np.concatenate([pairs @ [num_nodes, 1], pairs @ [1, num_nodes]]))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(codes // num_nodes, minlength=num_nodes))])
    return Case(indptr.astype(np.int64), (codes % num_nodes).astype(np.int32))


@pytest.mark.parametrize("name", NAMED)
def test_named_graphs_equal_the_reference(name):
    for radius in radii_of(NAMED[name]):
        for case in settings_of(replace(NAMED[name], radius=radius)):
            check_algorithms(case)


@pytest.mark.parametrize("seed", range(6))
def test_random_graphs_equal_the_reference(seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        check_algorithms(random_case(rng, 60 if seed else 900))


def test_balls_are_counted_if_the_search_is_long(monkeypatch):
    monkeypatch.setattr(choose, "COUNTED_FROM", 0)
    for radius, degrees in ((2, "total"), (2, "full"), (3, "total")):
        case = replace(random_graph(1, 3_000, 9_000, [900]), radius=radius, degrees=degrees)
        expected = native.encode_rows(case.indptr, case.indices, None, radius, degrees=degrees)
        assert_same_bytes(run(case), expected, (radius, degrees))


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"max_degree": 20}, {"frontier_edges": False}, {"degrees": "layered"}]
)
@pytest.mark.parametrize("hubs", [(), (9000, 6000, 3000, 1000, 700, 500)])
def test_larger_graphs_equal_the_cpu_kernel(radius, options, hubs):
    num_nodes = 10_000 if hubs and "degrees" in options else 20_000
    graph = random_graph(radius, num_nodes, 3 * num_nodes, hubs)
    case = replace(graph, radius=radius, roots=np.arange(0, num_nodes, 1 + 9 * (radius == 3)), **options)
    assert_same_bytes(
        run(case), native.encode_rows(case.indptr, case.indices, case.roots, radius, **options), options
    )


def test_static_and_dynamic_shared_memory_together_pass_48_kib():
    case = replace(random_graph(2, 100_000, 300_000, (3700, 2000)), radius=2, roots=np.arange(500))
    expected = native.encode_rows(case.indptr, case.indices, case.roots, 2)
    assert_same_bytes(run(case, algorithm="block"), expected)


@pytest.mark.parametrize("algorithm", ["warp", "block", "bitwise"])
def test_every_algorithm_equals_the_cpu_kernel_on_hubs(algorithm):
    case = replace(random_graph(7, 20_000, 60_000, (9000, 6000, 3000, 1000, 700, 500)), radius=2)
    expected = native.encode_rows(case.indptr, case.indices, None, 2)
    assert_same_bytes(run(case, algorithm=algorithm), expected, algorithm)


def test_out_lists_beyond_shared_memory_equal_the_cpu_kernel():
    rng = np.random.default_rng(3)
    pairs = rng.integers(2200, size=(1_700_000, 2))
    codes = np.unique(np.concatenate([pairs[pairs[:, 0] != pairs[:, 1]] @ [2200, 1]]))
    codes = np.unique(np.concatenate([codes, codes % 2200 * 2200 + codes // 2200]))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(codes // 2200, minlength=2200))]).astype(np.int64)
    case = Case(indptr, (codes % 2200).astype(np.int32), radius=1)
    assert_same_bytes(run(case), native.encode_rows(case.indptr, case.indices, None, 1))


def test_the_result_is_the_same_every_time():
    case = replace(random_graph(5, 20_000, 100_000, (5000,)), radius=2)
    first = run(case)
    for _ in range(5):
        assert_same_bytes(run(case), first)


def test_rows_stay_on_the_device_for_torch():
    torch = need("torch")
    case = replace(NAMED["star"], radius=1)
    rows = encode_on_device(case.indptr, case.indices, None, 1)
    matrix = rows.to_torch()
    assert matrix.device.type == "cuda"
    assert matrix.to_dense().cpu().sum(1).tolist() == [9, *[2] * 8]
    assert torch.from_dlpack(rows.counts).data_ptr() == rows.counts.data.ptr


def test_graphs_on_the_device_are_not_copied():
    case = replace(NAMED["clique"], radius=2)
    device = open_device()
    rows = encode_on_device(device.upload(case.indptr), device.upload(case.indices), None, 2)
    assert_same_bytes(rows.to_host(), expected_rows(case))


def test_small_memory_pool_encodes_in_chunks():
    case = replace(random_graph(1, 20_000, 40_000), radius=2)
    pool = open_device().cupy.get_default_memory_pool()
    expected = run(case)
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + 6 * 2**20)
    try:
        assert_same_bytes(run(case), expected)
    finally:
        pool.set_limit(size=0)

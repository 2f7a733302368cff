"""The CUDA sources compiled for the processor: every kernel and limit gives the reference's bytes, without a GPU."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import egonet
from contracts.gpu import NAMED, check_algorithms, random_case, run
from contracts.kernel import assert_same_bytes, expected_rows, graph_case, radii_of, settings_of
from contracts.parts import need_emulation
from egonet.errors import DeviceMemoryError, InputError
from egonet.kernel.cuda import backend, bitwise, buffers, choose, per_root, triangles
from egonet.kernel.cuda.backend import counted_ball, encode_on_device
from egonet.kernel.cuda.device import FAMILIES, source_of
from emulation.device import EmulatedDevice

need_emulation()


@pytest.fixture(scope="module")
def device(compiled_kernels):
    return EmulatedDevice(compiled_kernels)


def hub_case(rng, num_nodes, num_edges, hub_degrees):
    edges = rng.integers(num_nodes, size=(num_edges, 2)).tolist()
    for hub, degree in enumerate(hub_degrees):
        edges += [(hub, int(leaf)) for leaf in rng.choice(num_nodes, size=degree, replace=False)]
    return graph_case(num_nodes, edges)


@pytest.mark.parametrize("name", NAMED)
def test_named_graphs_equal_the_reference(device, name):
    for radius in list(radii_of(NAMED[name]))[:4]:
        for case in settings_of(replace(NAMED[name], radius=radius)):
            check_algorithms(case, device=device)


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs_equal_the_reference(device, seed):
    rng = np.random.default_rng(seed)
    for _ in range(8):
        check_algorithms(random_case(rng, 50), device=device)


def test_bitwise_search_counts_rows_of_every_size(device, monkeypatch):
    monkeypatch.setattr(bitwise, "HUB_DEGREE", 12)
    monkeypatch.setattr(bitwise, "GIANT_DEGREE", 24)
    rng = np.random.default_rng(2)
    device.launched.clear()
    for radius, frontier_edges, max_degree, most_far in [
        (2, True, None, 2),
        (2, False, None, 256),
        (3, True, None, 8),
        (2, True, 14, 2),
        (4, False, 5, 8),
    ]:
        monkeypatch.setattr(bitwise, "MOST_FAR", most_far)
        graph = hub_case(rng, 90, 220, [70, 40, 30, 20])
        case = replace(graph, radius=radius, frontier_edges=frontier_edges, max_degree=max_degree)
        assert_same_bytes(run(case, algorithm="bitwise", device=device), expected_rows(case), case)
    names = (
        "seed_sets",
        "widen_low",
        "widen_hubs",
        "widen_giants",
        "count_low",
        "count_hubs",
        "count_giants",
    )
    for name in (*names, "count_inner", "fill_unused"):
        assert name in device.launched, name
    assert {"sort_far", "write_far"} <= set(device.launched)


def test_bitwise_search_takes_several_groups_and_batches(device, monkeypatch):
    monkeypatch.setattr(bitwise, "BATCH_ROOTS", 512)
    case = replace(hub_case(np.random.default_rng(5), 700, 900, [60]), radius=2)
    device.launched.clear()
    assert_same_bytes(run(case, algorithm="bitwise", device=device), expected_rows(case))
    assert device.launched.count("seed_sets") == 2


@pytest.mark.parametrize(
    "limits", [(1024, 8192, 256), (1024, 8192, 69), (1024, 8192, 17), (34, 8192, 4), (34, 64, 4)]
)
def test_triangles_are_found_with_tables_of_every_size(device, monkeypatch, limits):
    monkeypatch.setattr(triangles, "MEDIUM", limits[0])
    monkeypatch.setattr(triangles, "LARGE", limits[1])
    monkeypatch.setattr(triangles, "HEAVY", limits[2])
    clique = [(u, v) for u in range(80) for v in range(u) if (u + v) % 7]
    case = replace(graph_case(100, [*clique, *[(u, 80 + u % 20) for u in range(80)]]), radius=1)
    for variant in settings_of(case):
        if variant.labels is None:
            rows = run(variant, algorithm="triangle", device=device)
            assert_same_bytes(rows, expected_rows(variant), variant)


def test_balls_too_large_for_a_warp_go_to_a_block(device):
    rng = np.random.default_rng(9)
    case = replace(hub_case(rng, 600, 500, [450, 300]), radius=2, roots=np.array([0, 5, 599, 5, 17]))
    for algorithm_after, variant in [
        ("block_total", case),
        ("ball", replace(case, frontier_edges=False)),
        ("block_total", replace(case, symmetric=False)),
        ("ball", replace(case, degrees="full")),
    ]:
        device.launched.clear()
        assert_same_bytes(run(variant, algorithm="warp", device=device), expected_rows(variant), variant)
        assert algorithm_after in device.launched


def test_many_large_nodes_overflow_the_list_of_a_block(device):
    left, right = range(1100), range(1100, 1170)
    case = replace(
        graph_case(1170, [(u, v) for u in left for v in right]), radius=2, roots=np.array([1100, 3])
    )
    rows = run(case, algorithm="block", device=device)
    assert rows.keys.tolist() == [[0, 70], [0, 1100], [1, 70], [1, 1100], [2, 70], [2, 1100]]
    assert rows.counts.tolist() == [1, 1100, 69, 1, 70, 1099]


def test_long_codes_need_64_bits(device):
    labels = np.full(12, 2**31 - 1, dtype=np.int32)
    case = replace(graph_case(12, [(0, leaf) for leaf in range(1, 12)]), radius=2, labels=labels)
    for degrees in ("total", "full"):
        check_algorithms(replace(case, degrees=degrees), device=device)


def test_codes_above_63_bits_raise_with_the_way_out(device):
    hub = 100_000
    case = graph_case(hub + 1, [(0, leaf) for leaf in range(1, hub + 1)])
    labels = np.full(hub + 1, 2**31 - 1, dtype=np.int32)
    with pytest.raises(InputError, match=r"keys must fit 63 bits.*Set max_degree"):
        run(replace(case, degrees="full", labels=labels, roots=np.array([0])), device=device)


def test_search_runs_again_if_the_capacity_was_too_small(device, monkeypatch):
    monkeypatch.setattr(per_root, "LONG_ROW", 1)
    case = replace(hub_case(np.random.default_rng(2), 60, 150, [30]), radius=2)
    for algorithm in ("warp", "block", "ball"):
        device.launched.clear()
        assert_same_bytes(run(case, algorithm=algorithm, device=device), expected_rows(case), algorithm)
        assert len([name for name in device.launched if name.startswith(("warp", "block", "ball"))]) >= 2


def test_small_device_encodes_in_chunks(compiled_kernels):
    case = replace(hub_case(np.random.default_rng(4), 300, 330, []), radius=2)
    size = choose.BYTES_PER_ARC * len(case.indices) + choose.BYTES_PER_NODE * case.num_nodes
    small = EmulatedDevice(compiled_kernels, memory=size // 2)
    done = []
    rows = run(case, device=small, algorithm="warp", progress=lambda *now: done.append(now))
    assert_same_bytes(rows, expected_rows(case))
    assert len(done) > 1
    assert done[-1] == (300, 300)


def test_tiny_device_raises(compiled_kernels):
    case = replace(hub_case(np.random.default_rng(4), 30, 60, []), radius=2)
    tiny = EmulatedDevice(compiled_kernels, memory=1000)
    with pytest.raises(DeviceMemoryError, match=r"too little free memory for even one root.*device=\"cpu\""):
        run(case, device=tiny)


@pytest.mark.parametrize(("algorithm", "radius"), [("triangle", 2), ("bitwise", 1)])
def test_unsupported_algorithm_raises(device, algorithm, radius):
    with pytest.raises(InputError, match=rf"algorithm='{algorithm}' does not support.*Use \"auto\""):
        run(replace(NAMED["path"], radius=radius), algorithm=algorithm, device=device)


def test_rows_on_the_device_equal_the_reference(device):
    case = replace(NAMED["path"], radius=1)
    rows = encode_on_device(case.indptr, case.indices, None, 1, device=device)
    assert rows.counts.tolist() == expected_rows(case).counts.tolist()
    assert_same_bytes(rows.to_host(), expected_rows(case))


def test_rows_on_the_device_free_their_scratch(device, monkeypatch):
    case = replace(hub_case(np.random.default_rng(6), 400, 500, [50]), radius=2)
    rows = encode_on_device(case.indptr, case.indices, None, 2, algorithm="block", device=device)
    base = rows.columns.base
    assert base is None or base.nbytes <= 2 * (rows.columns.nbytes + rows.counts.nbytes)
    assert_same_bytes(rows.to_host(), expected_rows(case))
    monkeypatch.setattr(buffers, "MOST_UNSIZED", 0)
    sized = encode_on_device(case.indptr, case.indices, None, 2, algorithm="block", device=device)
    assert_same_bytes(sized.to_host(), expected_rows(case))


def test_balls_are_counted_if_the_search_is_long(device, monkeypatch):
    monkeypatch.setattr(choose, "COUNTED_FROM", 0)
    for radius, degrees in ((2, "total"), (2, "layered"), (3, "total")):
        case = replace(hub_case(np.random.default_rng(5), 90, 200, [50]), radius=radius, degrees=degrees)
        assert_same_bytes(run(case, device=device), expected_rows(case), case)


@pytest.mark.parametrize("radius", [1, 2, 3, 9])
def test_counted_balls_have_the_nodes_and_arcs_that_can_be_reached(radius):
    # On a path every ball but those near the ends has 2 * radius + 1 nodes, of two arcs each.
    case = graph_case(10_000, [(u, u + 1) for u in range(9_999)])

    ball = counted_ball(case.indptr, case.indices, np.arange(20, 9_980), radius)

    assert ball == (2 * radius + 1, 2 * (2 * radius + 1))


def test_balls_of_a_graph_on_the_device_are_not_counted(device):
    case = NAMED["star"]

    assert counted_ball(device.upload(case.indptr).tolist(), case.indices, None, 2) is None


def test_no_roots_give_no_rows(device):
    rows = run(replace(NAMED["path"], roots=np.empty(0, dtype=np.int64), degrees="full"), device=device)
    assert rows.indptr.tolist() == [0]
    assert rows.keys.shape == (0, 4)


def test_every_family_describes_its_layout_and_invariant():
    for family in FAMILIES:
        assert "// Layout" in source_of(family), family
        assert "// Invariant" in source_of(family), family


def test_the_suite_for_the_sanitizer_hides_no_package():
    folder = Path(__file__).parents[2] / "contracts"
    assert not {"cuda", "cupy", "numpy"} & {path.stem for path in folder.glob("*.py")}


def test_edge_types_and_labels_are_counted_on_the_device_and_arcs_both_ways_raise(device, monkeypatch):
    monkeypatch.setattr(backend, "open_device", lambda: device)
    arcs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (0, 1)]
    options = {"labels": list("CNCON"), "edge_labels": list("xyxyxz"), "radius": 1}

    on_device = egonet.encode(arcs, device="cuda", **options)

    on_cpu = egonet.encode(arcs, **options)
    assert on_device.feature_names == on_cpu.feature_names
    assert (on_device.matrix != on_cpu.matrix).nnz == 0
    with pytest.raises(
        InputError, match=r'does not support degrees="in_out"\. Leave it out, or leave device="cuda" out\.'
    ):
        egonet.encode(arcs, 1, degrees="in_out", device="cuda")

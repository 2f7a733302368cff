"""The C++ kernel keeps the kernel contract: the reference's bytes for every algorithm and thread count."""

import os
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.kernel import (
    Case,
    assert_same_bytes,
    check_everywhere,
    expected_rows,
    graph_case,
    radii_of,
    settings_of,
)
from contracts.parts import need
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.kernel import native
from egonet.kernel.reference import Rows

#: Random graphs a test; fewer under sanitizers, which are slow.
EXAMPLES = int(os.environ.get("EGONET_EXAMPLES", "500"))  # `make fuzz` tries many more


def run(case: Case, **options: object) -> Rows:
    return native.encode_rows(
        case.indptr,
        case.indices,
        case.roots,
        case.radius,
        degrees=case.degrees,
        frontier_edges=case.frontier_edges,
        max_degree=case.max_degree,
        labels=case.labels,
        symmetric=case.symmetric,
        **options,
    )


def algorithms_for(case: Case) -> list[str]:
    return ["auto", "source", "bitwise"] + ["triangle"] * (case.radius == 1 and case.symmetric)


def run_all(case: Case) -> Rows:
    """Return the rows of one algorithm after checking that all supported algorithms agree."""
    first = run(case)
    for algorithm in algorithms_for(case)[1:]:
        assert_same_bytes(run(case, algorithm=algorithm), first, algorithm)
    return first


NAMED = {
    "no nodes": graph_case(0, []),
    "one node": graph_case(1, []),
    "isolated nodes": graph_case(5, []),
    "one edge": graph_case(2, [(0, 1)]),
    "star": graph_case(9, [(0, leaf) for leaf in range(1, 9)]),
    "clique": graph_case(7, [(u, v) for u in range(7) for v in range(u)]),
    "path": graph_case(9, [(u, u + 1) for u in range(8)]),
    "cycle": graph_case(8, [(u, (u + 1) % 8) for u in range(8)]),
    "grid": graph_case(
        12,
        [(4 * i + j, 4 * i + j + 1) for i in range(3) for j in range(3)]
        + [(4 * i + j, 4 * i + j + 4) for i in range(2) for j in range(4)],
    ),
    "two parts": graph_case(8, [(0, 1), (1, 2), (2, 0), (4, 5), (5, 6)]),
    "bipartite": graph_case(8, [(u, v) for u in range(3) for v in range(3, 8)]),
}
DIRECTED = {
    "arc": graph_case(2, [(0, 1)], symmetric=False),
    "cycle": graph_case(5, [(u, (u + 1) % 5) for u in range(5)], symmetric=False),
    "shortcuts": graph_case(
        6, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4), (4, 1), (5, 0)], symmetric=False
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_graphs_equal_the_reference(name):
    check_everywhere(run_all, NAMED[name])


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_graphs_equal_the_reference(name):
    check_everywhere(run_all, DIRECTED[name])


@pytest.mark.parametrize("num_nodes", range(1, 7))
def test_every_graph_of_up_to_six_nodes_equals_the_reference(num_nodes):
    networkx = need("networkx")
    graphs = [g for g in networkx.graph_atlas_g() if g.number_of_nodes() == num_nodes]
    assert len(graphs) == {1: 1, 2: 2, 3: 4, 4: 11, 5: 34, 6: 156}[num_nodes]
    for graph in graphs:
        check_everywhere(run_all, graph_case(num_nodes, graph.edges))


@st.composite
def cases(draw, *, symmetric):
    """Random graphs, sparse to dense, some with a hub, with roots and labels in any order."""
    num_nodes = draw(st.integers(1, 40))
    node = st.integers(0, num_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=draw(st.sampled_from([10, 60, 200]))))
    if draw(st.booleans()):
        edges += [(0, leaf) for leaf in range(1, num_nodes)]
    roots = draw(st.none() | st.lists(node, max_size=20).map(lambda r: np.array(r, dtype=np.int64)))
    labels = draw(st.none() | st.lists(st.integers(0, 4), min_size=num_nodes, max_size=num_nodes))
    return replace(
        graph_case(num_nodes, edges, symmetric=symmetric),
        radius=draw(st.integers(0, 6) | st.just(10**6)),
        degrees=draw(st.sampled_from(["total", "layered", "full"])),
        frontier_edges=draw(st.booleans()),
        max_degree=draw(st.none() | st.integers(0, 8)),
        labels=None if labels is None else np.array(labels, dtype=np.int32),
        roots=roots,
    )


@given(cases(symmetric=True))
@settings(max_examples=EXAMPLES, deadline=None)
def test_random_graphs_equal_the_reference(case):
    assert_same_bytes(run_all(case), expected_rows(case), case)


@given(cases(symmetric=False))
@settings(max_examples=EXAMPLES // 2, deadline=None)
def test_random_directed_graphs_equal_the_reference(case):
    assert_same_bytes(run_all(case), expected_rows(case), case)


def random_case(num_nodes: int, num_edges: int, *, hub: int = 0) -> Case:
    rng = np.random.default_rng(7)
    edges = rng.integers(num_nodes, size=(num_edges, 2)).tolist()
    return graph_case(num_nodes, edges + [(0, leaf) for leaf in range(1, hub + 1)])


@pytest.mark.parametrize("algorithm", ["triangle", "source", "bitwise"])
def test_any_number_of_threads_gives_the_same_bytes(algorithm):
    case = random_case(1000, 4000, hub=200)
    for radius in (1,) if algorithm == "triangle" else (1, 2, 3):
        for variant in settings_of(replace(case, radius=radius)):
            one = run(variant, algorithm=algorithm, threads=1)
            for threads in (2, 7):
                assert_same_bytes(run(variant, algorithm=algorithm, threads=threads), one, variant)


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_an_edge_in_3000_triangles_is_counted_by_any_number_of_threads(threads):
    """Nodes 0 and 1 are joined, to 3000 others and 0 to 500 more: workers count up to 255 triangles by themselves."""
    pages, leaves = range(2, 3002), range(3002, 3502)
    edges = [(0, 1), *((hub, page) for hub in (0, 1) for page in pages), *((0, leaf) for leaf in leaves)]
    rows = run(graph_case(3502, edges), algorithm="triangle", threads=threads)

    assert rows.keys.tolist() == [[0, 1], [0, 2], [0, 3001], [0, 3501], [1, 1], [1, 2], [1, 3001]]
    assert rows.columns[: rows.indptr[3]].tolist() == [3, 4, 5, 6, 2, 5, 6, 1, 5]
    assert rows.counts[: rows.indptr[3]].tolist() == [1, 500, 3000, 1, 1, 3000, 1, 1, 2]


def test_every_number_of_threads_gives_the_same_counts_of_hubs():
    """Degrees beyond 1024 are ranked by another way than those below."""
    rng = np.random.default_rng(3)
    edges = [
        (hub, int(leaf))
        for hub in range(12)
        for leaf in rng.permutation(6000)[: 300 * hub + 10]
        if leaf > hub
    ]
    case = graph_case(6000, edges)
    one = run(case, algorithm="triangle", threads=1)

    assert_same_bytes(run(case, algorithm="source"), one, case)
    for threads in range(2, 17):
        assert_same_bytes(run(case, algorithm="triangle", threads=threads), one, threads)


@pytest.mark.parametrize("threads", [1, 2, 16])
@pytest.mark.parametrize("step", [1, 64])
def test_columns_of_several_threads_are_ordered_by_key(step, threads):
    """A path with a label per node has two keys per node; where labels have gaps, the workers list their keys."""
    num_nodes = 60_000
    path = graph_case(num_nodes, [(node, node + 1) for node in range(num_nodes - 1)])
    labels = (step * np.random.default_rng(2).permutation(num_nodes)).astype(np.int32)
    rows = run(replace(path, radius=1, labels=labels), algorithm="source", threads=threads)

    ends, inner = np.sort(labels[[0, -1]]), np.sort(labels[1:-1])
    blocks = [(0, 1, ends), (0, 2, inner), (1, 1, np.sort(labels))]
    expected = [np.column_stack([np.full((len(part), 2), key), part]) for *key, part in blocks]
    assert np.array_equal(rows.keys, np.concatenate(expected))
    around = rows.keys[rows.columns[rows.indptr[7] : rows.indptr[8]]].tolist()
    assert around == [[0, 2, labels[7]], *sorted([1, 1, labels[node]] for node in (6, 8))]


LEVELS = ("baseline", "avx2", "avx512")


def levels_here() -> tuple[str, ...]:
    return LEVELS[: LEVELS.index(native.simd_level()) + 1]


@pytest.mark.parametrize("simd", LEVELS)
def test_every_instruction_set_gives_the_same_bytes(simd):
    if simd not in levels_here():
        pytest.skip(f"this processor has no {simd}")
    # Hubs make many different degrees, so that the counters exceed their first capacity; 1100 roots are three passes,
    # with 2 and 9 threads more of them, of 320 and 64 roots.
    rng = np.random.default_rng(3)
    ends = (1100 * rng.random((7000, 2)) ** 3).astype(int)
    case = graph_case(1100, ends.tolist())
    for radius in (2, 4):
        for variant in settings_of(replace(case, radius=radius)):
            slow = run(variant, algorithm="source")
            for threads in (1, 2, 9):
                fast = run(variant, algorithm="bitwise", simd=simd, threads=threads)
                assert_same_bytes(fast, slow, variant)


def test_an_instruction_set_the_processor_lacks_is_refused():
    lacking = [level for level in LEVELS if level not in levels_here()]
    if not lacking:
        pytest.skip("this processor has them all")
    with pytest.raises(ValueError, match="this processor or build has no"):
        run(NAMED["path"], algorithm="bitwise", simd=lacking[0])


@given(cases(symmetric=True), st.sampled_from(LEVELS))
@settings(max_examples=EXAMPLES // 2, deadline=None)
def test_random_graphs_equal_the_reference_at_every_instruction_set(case, simd):
    level = simd if simd in levels_here() else "baseline"
    assert_same_bytes(run(case, algorithm="bitwise", simd=level), expected_rows(case), case)


def test_a_pass_with_too_many_keys_is_done_root_by_root():
    # One label a node makes every key different: more keys in a pass than there may be counters.
    num_nodes = 140_000
    rng = np.random.default_rng(5)
    hub = np.stack([np.zeros(num_nodes, dtype=int), np.arange(num_nodes)], axis=1)
    case = graph_case(num_nodes, np.concatenate([hub, rng.integers(num_nodes, size=(9000, 2))]).tolist())
    case = replace(case, radius=2, labels=np.arange(num_nodes, dtype=np.int32), roots=np.arange(3))
    rows = run(case, algorithm="bitwise", threads=2)
    assert_same_bytes(rows, run(case, algorithm="source"))
    assert len(rows.keys) >= num_nodes


@pytest.mark.parametrize("threads", [1, 2])
def test_passes_after_one_with_too_many_keys_are_skipped_and_tried_again(threads):
    # 512 stars of 150 leaves, each leaf with another label, have more keys than counters; 512 edges have few.
    stars, leaves, edges = 4 * 512, 150, 4 * 512
    hubs = np.arange(stars) * (leaves + 1)
    spokes = np.stack([np.repeat(hubs, leaves), np.delete(np.arange(stars * (leaves + 1)), hubs)], axis=1)
    ends = stars * (leaves + 1) + np.arange(2 * edges).reshape(-1, 2)
    num_nodes = stars * (leaves + 1) + 2 * edges
    case = graph_case(num_nodes, np.concatenate([spokes, ends]).tolist())
    labels = np.where(np.arange(num_nodes) < ends[0, 0], np.arange(num_nodes), 0).astype(np.int32)
    case = replace(case, radius=2, labels=labels, roots=np.concatenate([hubs, ends[:, 0]]))
    rows = run(case, algorithm="bitwise", threads=threads)
    assert_same_bytes(rows, run(case, algorithm="source"))
    assert len(rows.columns) == stars * (leaves + 1) + 2 * edges


def test_larger_random_graph_equals_the_reference_on_some_roots():
    case = replace(random_case(3000, 9000, hub=400), roots=np.array([5, 2999, 5, 0, 17]))
    for radius in (1, 2, 3):
        for variant in settings_of(replace(case, radius=radius)):
            assert_same_bytes(run_all(variant), expected_rows(variant), variant)


def test_hub_of_degree_100000_has_one_row_of_two_keys():
    leaves = 100_000
    case = graph_case(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])
    for algorithm in ("triangle", "source", "bitwise"):
        rows = run(case, algorithm=algorithm)
        assert rows.keys.tolist() == [[0, 1], [0, leaves], [1, 1]]
        assert rows.counts[:2].tolist() == [1, leaves]
        assert rows.columns[: rows.indptr[2]].tolist() == [1, 2, 0, 2]
    full = run(replace(case, radius=2, degrees="full", roots=np.array([0, 9])))
    assert full.keys.tolist() == [
        [0, 0, 0, 1],
        [0, 0, 0, leaves],
        [1, 1, 0, 0],
        [1, 1, 0, leaves - 1],
        [2, 1, 0, 0],
    ]


def test_long_path_at_endless_radius_reaches_its_other_end():
    length = 20_000
    case = replace(
        graph_case(length, [(u, u + 1) for u in range(length - 1)]), radius=10**30, roots=np.array([0])
    )
    rows = run(case)
    assert rows.keys[-1].tolist() == [length - 1, 1]
    assert len(rows.counts) == length


def test_keys_beyond_63_bits_raise_with_the_way_out():
    hub = 100_000
    case = graph_case(hub + 1, [(0, leaf) for leaf in range(1, hub + 1)])
    labels = np.full(hub + 1, 2**31 - 1, dtype=np.int32)
    with pytest.raises(InputError, match=r"keys must fit 63 bits.*Set max_degree"):
        run(replace(case, degrees="full", labels=labels))
    clipped = run(replace(case, degrees="full", labels=labels, max_degree=3, roots=np.array([0])))
    assert clipped.keys.tolist() == [[0, 0, 0, 3, 2**31 - 1], [1, 1, 0, 0, 2**31 - 1]]


def test_more_nodes_than_32_bits_are_refused():
    indptr = np.broadcast_to(np.int64(0), 2**31 + 1)  # takes no memory
    with pytest.raises(InputError, match="a graph may have at most 2147483647 nodes, got 2147483648"):
        native.encode_rows(indptr, np.empty(0, dtype=np.int32), None, 1)


@pytest.mark.parametrize(("radius", "symmetric"), [(2, True), (1, False)])
def test_triangle_refuses_what_it_cannot_serve(radius, symmetric):
    case = replace(NAMED["path"], radius=radius, symmetric=symmetric)
    with pytest.raises(
        InputError, match=r"supports radius 1 on undirected graphs only.*Use algorithm='auto'"
    ):
        run(case, algorithm="triangle")


def test_progress_ends_with_all_roots_done():
    calls: list[tuple[int, int]] = []
    run(random_case(3000, 15000), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (3000, 3000)
    assert calls == sorted(calls)


def test_what_progress_raises_stops_the_kernel():
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    case = replace(random_case(20000, 200000), radius=4)
    with pytest.raises(KeyboardInterrupt):
        run(case, algorithm="source", progress=stop)


def test_calls_from_several_threads_do_not_disturb_each_other():
    from concurrent.futures import ThreadPoolExecutor

    case = replace(random_case(3000, 15000, hub=700), radius=2)
    expected = run(case, threads=1)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: run(case, threads=2), range(8)):
            assert_same_bytes(rows, expected)


def test_row_classes_number_rows_by_first_appearance():
    indptr = np.array([0, 2, 2, 4, 5, 7, 7], dtype=np.int64)
    columns = np.array([0, 3, 0, 3, 0, 0, 3], dtype=np.int32)
    values = np.array([1, 2, 1, 2, 1, 1, 3], dtype=np.int32)
    assert native.row_classes(indptr, columns, values).tolist() == [0, 1, 0, 2, 3, 1]


@given(st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=30))
def test_row_classes_are_equal_exactly_for_equal_rows(lists):
    indptr = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    values = np.array([value for row in lists for value in row], dtype=np.int32)
    classes = native.row_classes(indptr, np.arange(len(values), dtype=np.int32) * 0, values)
    first = {tuple(row): None for row in lists}
    assert classes.tolist() == [list(first).index(tuple(row)) for row in lists]


def test_simd_level_is_one_of_those_compiled():
    assert native.simd_level() in ("avx512", "avx2", "baseline")


def test_contract_helpers_find_the_diameter():
    assert radii_of(NAMED["path"]) == range(10)
    assert list(map(len, map(list, [settings_of(NAMED["path"])]))) == [18]


@pytest.mark.parametrize("radius", [1, 2])
def test_a_few_roots_of_a_large_graph_take_the_time_of_their_searches(radius):
    path = np.arange(600_000)
    graph = Graph.from_indices(path[:-1], path[1:], 600_000)
    roots = np.arange(0, 600_000, 3_000)

    def seconds(algorithm):
        times = []
        for _ in range(5):
            start = time.process_time()
            native.encode_rows(graph.indptr, graph.indices, roots, radius, algorithm=algorithm, threads=1)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds("auto") < 4 * seconds("source") + 0.005

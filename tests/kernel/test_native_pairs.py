"""The C++ kernel of pairs returns the reference's bytes for every setting and thread count."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.kernel import assert_same_bytes, graph_case
from egonet.kernel import native_pairs, reference_pairs
from egonet.kernel.native_pairs import PairQueries


@st.composite
def graphs(draw):
    """Return a random graph, often with hubs or with many equal degrees, and the direction of its rows."""
    num_nodes = draw(st.integers(2, 12))
    nodes = st.integers(0, num_nodes - 1)
    direction = draw(st.sampled_from([None, "out", "in"]))
    kind = draw(st.sampled_from(["any", "hub", "ring"]))
    edges = draw(st.lists(st.tuples(nodes, nodes), max_size=40))
    if kind == "hub":
        edges += [(0, v) for v in range(1, num_nodes)]
    if kind == "ring":
        edges = [(v, (v + 1) % num_nodes) for v in range(num_nodes)] + edges[:3]
    return graph_case(num_nodes, edges, symmetric=direction is None), direction


@st.composite
def calls(draw):
    """Return a random graph, pairs of its nodes, radii and settings."""
    case, direction = draw(graphs())
    nodes = st.integers(0, case.num_nodes - 1)
    two = st.tuples(nodes, nodes).filter(lambda pair: pair[0] != pair[1])
    pairs = np.array(draw(st.lists(two, max_size=12)), dtype=np.int64).reshape(-1, 2)
    degrees = draw(st.sampled_from(["total", "layered", "full", *(["in_out"] if direction else [])]))
    options = {
        "degrees": degrees,
        "follow": draw(st.sampled_from(["any", "out", "in"])) if degrees == "in_out" else "any",
        "without_edge": draw(st.booleans()),
        "ordered": draw(st.booleans()),
        "max_degree": draw(st.sampled_from([None, 0, 1, 3])),
        "degree_bins": draw(st.sampled_from([None, "log"])),
        "direction": direction,
        "labels": draw(st.sampled_from([None, np.arange(case.num_nodes, dtype=np.int32) % 3])),
    }
    radii = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True))
    return case, pairs, radii, options


@settings(max_examples=500, deadline=None)
@given(calls())
def test_native_rows_are_the_bytes_of_the_reference(call):
    case, pairs, radii, options = call

    expected = reference_pairs.encode_pair_rows(case.indptr, case.indices, pairs, radii, **options)

    for threads in (1, 3):
        found = native_pairs.encode_pair_rows(
            case.indptr, case.indices, pairs, radii, threads=threads, **options
        )
        assert_same_bytes(found, expected, call)


@settings(max_examples=500, deadline=None)
@given(calls(), st.lists(st.integers(0, 2), min_size=40, max_size=40))
def test_edges_as_nodes_are_left_out_as_the_reference_does(call, types):
    case, pairs, radii, options = call
    num_nodes = len(case.indptr) - 1
    rows, direction = np.repeat(np.arange(num_nodes), np.diff(case.indptr)), options["direction"]
    edges = [
        (u, v) for u, v in zip(rows.tolist(), case.indices.tolist(), strict=True) if direction or u < v
    ] * 2
    halves = [
        half
        for place, (u, v) in enumerate(edges)
        for half in ((u, num_nodes + place), (num_nodes + place, v))
    ]
    made = graph_case(num_nodes + len(edges), halves, symmetric=direction is None)
    labels = np.array([0] * num_nodes + [types[place % 40] for place in range(len(edges))], dtype=np.int32)
    given_options = options | {"labels": labels, "divided": True}
    twice = [2 * radius for radius in radii]

    expected = reference_pairs.encode_pair_rows(made.indptr, made.indices, pairs, twice, **given_options)

    found = native_pairs.encode_pair_rows(made.indptr, made.indices, pairs, twice, **given_options)
    assert_same_bytes(found, expected, call)


@settings(max_examples=300, deadline=None)
@given(calls(), st.data())
def test_replayed_pairs_are_those_of_the_reference(call, data):
    case, pairs, radii, options = call
    rows = np.repeat(np.arange(case.num_nodes), np.diff(case.indptr)).tolist()
    arcs = list(zip(rows, case.indices.tolist(), strict=True))
    events = data.draw(st.lists(st.sampled_from(arcs), max_size=30)) if arcs else []
    number = st.integers(0, len(events))
    size = len(pairs)
    last = sorted(data.draw(st.lists(number, min_size=size, max_size=size)))
    first = [
        min(bounds)
        for bounds in zip(
            sorted(data.draw(st.lists(number, min_size=size, max_size=size))), last, strict=True
        )
    ]
    shuffled = data.draw(st.permutations(range(size)))
    bounds = np.array([(first[i], last[i]) for i in shuffled], dtype=np.int64).reshape(-1, 2)
    order = np.argsort(np.array(shuffled, dtype=np.int64), kind="stable")
    queries = PairQueries(pairs, bounds[:, 0].copy(), bounds[:, 1].copy(), order)
    asked = np.column_stack([pairs, bounds]).tolist()
    both = np.array(events, dtype=np.int32).reshape(-1, 2)
    ends = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])

    expected = reference_pairs.window_pair_rows(events, case.num_nodes, asked, radii, **options)

    for threads in (1, 3):
        found = native_pairs.replay_pair_rows(
            ends, case.num_nodes, case.num_nodes, queries, radii, threads=threads, **options
        )
        assert_same_bytes(found, expected, (call, events, asked))


@settings(max_examples=400, deadline=None)
@given(graphs(), st.integers(0, 8), st.booleans())
def test_ends_are_as_far_apart_as_in_the_reference(drawn, longest, edges_only):
    case, direction = drawn
    rows = np.repeat(np.arange(case.num_nodes), np.diff(case.indptr))
    pairs = np.column_stack([rows, case.indices]).astype(np.int64)
    if direction == "in":
        pairs = pairs[:, ::-1].copy()
    if not edges_only:
        pairs = np.array([(u, v) for u in range(case.num_nodes) for v in range(case.num_nodes) if u != v])
    options = {"direction": direction}

    expected = reference_pairs.end_distances(case.indptr, case.indices, pairs, longest, **options)

    for threads in (1, 3):
        found = native_pairs.end_distances(
            case.indptr, case.indices, pairs, longest, threads=threads, **options
        )
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()


def test_the_edge_of_a_pair_is_left_out_only_if_asked():
    triangle = graph_case(3, [(0, 1), (1, 2), (2, 0)])
    pair = np.array([[0, 1]])

    without = native_pairs.encode_pair_rows(triangle.indptr, triangle.indices, pair, [1])
    with_edge = native_pairs.encode_pair_rows(
        triangle.indptr, triangle.indices, pair, [1], without_edge=False
    )

    assert without.keys.tolist() == [[1, 0, 2, 1], [1, 1, 1, 2]]
    assert with_edge.keys.tolist() == [[1, 0, 1, 2], [1, 1, 1, 2]]


def test_a_radius_beyond_every_path_keeps_its_number():
    path = graph_case(4, [(0, 1), (2, 3)])

    rows = native_pairs.encode_pair_rows(path.indptr, path.indices, np.array([[0, 2]]), [10**9])

    assert rows.keys.tolist() == [[10**9, 0, 10**9 + 1, 1], [10**9, 1, 10**9 + 1, 1]]
    assert rows.counts.tolist() == [2, 2]


def test_many_threads_write_the_bytes_of_one():
    rng = np.random.default_rng(0)
    case = graph_case(300, rng.integers(0, 300, (3000, 2)).tolist())
    pairs = rng.integers(0, 300, (5000, 2))
    pairs = np.ascontiguousarray(pairs[pairs[:, 0] != pairs[:, 1]])
    one = native_pairs.encode_pair_rows(case.indptr, case.indices, pairs, [2], threads=1)

    for threads in (2, 5):
        assert_same_bytes(
            native_pairs.encode_pair_rows(case.indptr, case.indices, pairs, [2], threads=threads),
            one,
            threads,
        )


def test_progress_counts_pairs_and_its_exception_stops_the_kernel():
    case = graph_case(3, [(0, 1), (1, 2)])
    seen = []

    native_pairs.encode_pair_rows(
        case.indptr, case.indices, np.array([[0, 1], [0, 2]]), [1], progress=lambda *n: seen.append(n)
    )

    assert seen[-1] == (2, 2)

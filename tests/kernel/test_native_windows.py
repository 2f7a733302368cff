"""The kernels of graphs that change with time return the reference's bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.kernel import assert_same_bytes
from egonet.kernel import reference_pairs
from egonet.kernel.native_pairs import LiveGraph, WindowQueries, WindowSettings, replay_rows

NODES = st.integers(0, 7)
EVENTS = st.lists(st.tuples(NODES, NODES).filter(lambda pair: pair[0] != pair[1]), max_size=40)
COUNTED = st.sampled_from(["nodes", "events"])
PLAIN = st.builds(
    WindowSettings,
    st.integers(0, 3),
    st.sampled_from(["total", "layered", "full"]),
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    count=COUNTED,
)
IN_OUT = st.builds(
    WindowSettings,
    st.integers(0, 3),
    st.just("in_out"),
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.just(False),
    st.sampled_from(["any", "out", "in"]),
    COUNTED,
)
SETTINGS = st.one_of(PLAIN, IN_OUT)
LABELS = st.sampled_from([None, np.arange(8, dtype=np.int32) % 3])


def ends_of(events):
    both = np.array(events, dtype=np.int32).reshape(-1, 2)
    return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


@settings(max_examples=400, deadline=None)
@given(EVENTS, SETTINGS, st.data())
def test_replayed_rows_are_those_of_the_reference(events, counted, data):
    number = st.integers(0, len(events))
    bounds = sorted(data.draw(st.lists(number, max_size=15)))
    lengths = sorted(data.draw(st.lists(number, min_size=len(bounds), max_size=len(bounds))))
    firsts = [min(first, last) for first, last in zip(lengths, bounds, strict=True)]
    nodes = data.draw(st.lists(NODES, min_size=len(bounds), max_size=len(bounds)))
    shuffled = data.draw(st.permutations(range(len(bounds))))
    asked = [(nodes[i], firsts[i], bounds[i]) for i in shuffled]
    order = np.argsort(np.array(shuffled, dtype=np.int64), kind="stable")
    columns = np.array(asked, dtype=np.int64).reshape(-1, 3)
    queries = WindowQueries(columns[:, 0].astype(np.int32), columns[:, 1].copy(), columns[:, 2].copy(), order)

    labels = data.draw(LABELS)

    expected = reference_pairs.window_rows(events, 8, asked, **vars(counted), labels=labels)

    for threads in (1, 3):
        found = replay_rows(ends_of(events), 8, 40, queries, counted, labels=labels, threads=threads)
        assert_same_bytes(found, expected, (events, counted, asked))


def test_many_threads_write_the_bytes_of_one():
    rng = np.random.default_rng(0)
    events = rng.integers(0, 200, (20_000, 2)).astype(np.int32)
    events = events[events[:, 0] != events[:, 1]]
    last = np.sort(rng.integers(0, len(events), 5000))
    first = np.maximum(last - 700, 0)
    nodes = rng.integers(0, 200, 5000).astype(np.int32)
    queries = WindowQueries(nodes, first, last, np.arange(5000))
    ends = (events[:, 0].copy(), events[:, 1].copy())
    one = replay_rows(ends, 200, 199, queries, WindowSettings(2), threads=1)

    assert_same_bytes(replay_rows(ends, 200, 199, queries, WindowSettings(2), threads=4), one)


@settings(max_examples=200, deadline=None)
@given(EVENTS, SETTINGS, st.data())
def test_a_live_graph_has_the_rows_of_what_is_left(events, counted, data):
    graph = LiveGraph(symmetric=counted.symmetric, both=counted.degrees == "in_out")
    labels = data.draw(LABELS)
    graph.reserve(8)
    first = data.draw(st.integers(0, len(events)))
    sources, targets = ends_of(events)

    graph.add(sources, targets)
    order = data.draw(st.permutations(range(first)))
    graph.remove(sources[list(order)], targets[list(order)])

    asked = [(node, first, len(events)) for node in range(8)]
    expected = reference_pairs.window_rows(events, 8, asked, **vars(counted), labels=labels)
    assert_same_bytes(graph.rows(np.arange(8), counted, labels=labels), expected)
    few = graph.few_rows(list(range(8)), counted, labels=labels, largest_label=2)
    assert_same_bytes(few, expected)
    assert graph.num_arcs == len(
        {pair for u, v in events[first:] for pair in [(u, v), (v, u)][: 2 if counted.symmetric else 1]}
    )


@pytest.mark.parametrize("count", ["nodes", "events"])
@pytest.mark.parametrize("degrees", ["total", "layered", "full", "in_out"])
def test_a_few_rows_stay_right_while_the_graph_outgrows_the_scratch(degrees, count):
    rng, is_directed = np.random.default_rng(3), degrees == "in_out"
    graph = LiveGraph(symmetric=not is_directed, both=is_directed)
    counted = WindowSettings(2, degrees, symmetric=not is_directed, count=count)
    for size in (4, 40, 41, 900):  # the hub's degree passes powers of two, and what a dense table counts
        graph.reserve(size)
        ends = np.stack([np.zeros(size - 1, np.int32), np.arange(1, size, dtype=np.int32)])
        more = rng.integers(1, size, (2, size)).astype(np.int32)
        more = more[:, more[0] != more[1]]
        graph.add(*np.concatenate([ends, more], axis=1))
        roots = rng.integers(0, size, 5)

        assert_same_bytes(graph.few_rows(roots.tolist(), counted), graph.rows(roots, counted))


def test_the_memory_of_a_live_graph_is_bounded_by_its_window():
    rng = np.random.default_rng(1)
    graph = LiveGraph(symmetric=True)
    graph.reserve(1000)
    sizes = []
    window = []
    for _ in range(200):
        batch = rng.integers(0, 1000, (500, 2)).astype(np.int32)
        batch = batch[batch[:, 0] != batch[:, 1]]
        graph.add(batch[:, 0].copy(), batch[:, 1].copy())
        window.append(batch)
        if len(window) > 10:
            old = window.pop(0)
            graph.remove(old[:, 0].copy(), old[:, 1].copy())
        sizes.append(graph._graph.pool_size)

    assert sizes[-1] <= 1.5 * sizes[20]

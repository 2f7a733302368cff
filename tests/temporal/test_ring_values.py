"""Statistics of the numbers of events around a node as of a time, against sums over lists."""

import math
from random import Random

import numpy as np
import pytest

import egonet
from egonet.errors import FileError, InputError, UnknownNodeError, UnseenWarning

PAYMENTS = [("a", "b", 1), ("a", "b", 2), ("b", "c", 3), ("c", "c", 4), ("d", "a", 5)]
AMOUNTS = [5, 7, 9, 100, 2]


def by_hand(events, amounts, node, now, *, radius, window, closed, directed):
    """Return event name → numbers of the events at each distance, by breadth-first search over a list."""
    since = -math.inf if window is None else now - window

    def is_known(time):
        return since <= time < now if closed == "left" else since < time <= now

    known = [(event, x) for event, x in zip(events, amounts, strict=True) if is_known(event[2])]
    known = [(e, x) for e, x in known if e[0] != e[1]]
    steps = [(source, target) for (source, target, _), _ in known]
    if directed == "in":
        steps = [step[::-1] for step in steps]
    elif directed is None:
        steps += [step[::-1] for step in steps]
    distance, ring = {node: 0}, [node]
    while ring:
        ring = [
            v
            for u, v in dict.fromkeys(steps)
            if u in ring and v not in distance and not distance.update({v: distance[u] + 1})
        ]
    found = {d: [] for d in range(radius)}
    for (source, target, _), amount in known:
        ends = {"out": [source], "in": [target], None: [source, target]}[directed]
        nearer = min(distance.get(end, math.inf) for end in ends)
        if nearer < radius:
            found[nearer].append(amount)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_rings_of_events_equal_sums_over_lists(seed):
    random = Random(seed)
    size = random.randrange(1, 25)
    events = [
        (random.randrange(6), random.randrange(6), time) for time in sorted(random.choices(range(15), k=size))
    ]
    amounts = [random.choice([-3, 0.5, 2, 7]) for _ in events]
    options = {
        "radius": random.choice([1, 2, 3]),
        "window": random.choice([None, 2, 6]),
        "closed": random.choice(["left", "right"]),
        "directed": random.choice([None, "out", "in"]),
    }
    encoder = egonet.TemporalEncoder(events, weights=amounts, **options)
    known = sorted({end for event in events for end in event[:2]})
    asked = [(random.choice(known), random.randrange(17)) for _ in range(8)]

    table = encoder.ring_statistics(asked, ["sum", "mean", "min", "max", "count"])

    assert table.values.shape == (8, 5 * options["radius"])
    for row, query in enumerate(asked):
        expected = []
        for numbers in by_hand(events, amounts, *query, **options).values():
            total = math.fsum(numbers)
            some = [total / len(numbers), min(numbers), max(numbers)] if numbers else [math.nan] * 3
            expected += [total, *some, len(numbers)]
        np.testing.assert_array_equal(table.values[row], expected)


def test_rows_are_named_by_node_and_time_and_columns_by_the_amount():
    frame = need_pandas().DataFrame(PAYMENTS, columns=["source", "target", "time"]).assign(amount=AMOUNTS)
    encoder = egonet.TemporalEncoder(frame, radius=2, weights="amount")

    table = encoder.ring_statistics([("b", 3), ("c", 9)], ["sum", "count"])

    assert table["c", 9] == {
        "event_d0_amount_sum": 9.0,
        "event_d0_amount_count": 1.0,
        "event_d1_amount_sum": 12.0,
        "event_d1_amount_count": 2.0,
    }
    assert table.to_pandas().loc[("b", 3), "event_d0_amount_sum"] == 12.0
    with pytest.raises(
        UnknownNodeError, match=r"no row belongs to \('z', 9\). Rows are named \(node, time\)"
    ):
        table["z", 9]


@pytest.mark.parametrize(
    ("options", "sums"),
    [
        ({"follow": "any"}, [11, 1100]),
        ({"follow": "any", "directed": "in"}, [11, 1100]),
        ({"follow": "out"}, [1, 100]),
        ({"follow": "in"}, [10, 1000]),
    ],
)
def test_distances_are_those_of_the_rows_with_degrees_in_and_out(options, sums):
    events = [("a", "b", 1), ("c", "a", 2), ("b", "d", 3), ("e", "c", 4)]
    encoder = egonet.TemporalEncoder(events, 2, degrees="in_out", weights=[1, 10, 100, 1000], **options)

    assert encoder.ring_statistics([("a", 9)], ["sum"]).values.tolist() == [sums]


def need_pandas():
    import pandas

    return pandas


def test_a_node_without_events_has_empty_rings_and_is_counted():
    encoder = egonet.TemporalEncoder(PAYMENTS, radius=1, weights=AMOUNTS)

    with pytest.warns(UnseenWarning, match="1 of 1 nodes"):
        assert encoder.ring_statistics([("z", 9)], ["sum", "count"])["z", 9] == {
            "event_d0_sum": 0.0,
            "event_d0_count": 0.0,
        }
    with pytest.raises(UnknownNodeError, match="'z'"):
        encoder.set_params(handle_unknown="error").ring_statistics([("z", 9)])


def test_events_of_partial_fit_count_and_no_queries_have_no_rows():
    frame = need_pandas().DataFrame(PAYMENTS, columns=["source", "target", "time"]).assign(amount=AMOUNTS)
    encoder = egonet.TemporalEncoder(frame[:2], radius=1, weights="amount").partial_fit(frame[2:])

    assert encoder.ring_statistics([("b", 9)], ["sum"])["b", 9] == {"event_d0_amount_sum": 21.0}
    assert encoder.ring_statistics([], ["sum"]).values.shape == (0, 1)
    with pytest.raises(InputError, match="weights must be"):
        encoder.partial_fit(frame[4:].assign(time=6, amount="x"))
    assert encoder.ring_statistics([("b", 9)], ["sum"])["b", 9] == {"event_d0_amount_sum": 21.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"need a number per event. Give weights="),
        ({"edge_labels": ["x"] * 5}, r"need a number per event. Give weights="),
        ({"weights": AMOUNTS, "node": ("u", "v")}, "queries about pairs"),
        ({"weights": [1, 2, None, 4, 5]}, "weights"),
        ({"weights": [1, 2, float("nan"), 4, 5]}, "weights"),
        ({"weights": [2**53 - 1, 2**53 - 2, 1, 1, 1]}, r"at distance 0 of node 'a'"),
    ],
)
def test_what_has_no_numbers_raises(options, message):
    encoder = egonet.TemporalEncoder(PAYMENTS, radius=1, **options)

    with pytest.raises(InputError, match=message):
        encoder.ring_statistics([("a", 4)])
    with pytest.raises(InputError, match="statistics must be a list"):
        egonet.TemporalEncoder(PAYMENTS, radius=1, weights=AMOUNTS).ring_statistics([("a", 4)], "sum")


@pytest.mark.filterwarnings(
    "ignore::egonet.errors.UnseenWarning"
)  # the encoder warns, a stream forgets nodes
@pytest.mark.parametrize("seed", range(40))
def test_a_stream_has_the_rings_of_the_encoder_with_late_events_and_restarts(seed, tmp_path):
    random = Random(seed)
    moments = sorted(random.choices(range(20), k=40))
    events = [
        (random.randrange(6), random.randrange(6), time, random.choice([-3, 0.5, 7])) for time in moments
    ]
    for place in random.sample(range(1, 40), k=6):  # late ones, by at most one place
        events[place - 1 : place + 1] = events[place - 1 : place + 1][::-1]
    options = {
        "window": random.choice([None, 2, 6]),
        "closed": random.choice(["left", "right"]),
        "radius": random.choice([1, 3]),
        "weight_bins": [1],
        "directed": random.choice([None, "out", "in"]),
    }
    if random.random() < 0.3:
        options |= {"degrees": "in_out", "follow": random.choice(["any", "out", "in"])}
    stream = egonet.Stream(late="merge", weights="amount", **options)
    statistics = ["sum", "mean", "min", "max", "count"]

    added = 0
    while added < len(events):
        size = random.choice([1, 5])
        stream.add(events[added : added + size])
        added += size
        if random.random() < 0.2:
            stream.save(tmp_path / "stream.npz")
            stream = egonet.Stream.open(tmp_path / "stream.npz")
        now = stream.now + random.choice([0, 0, 1])
        asked = [random.randrange(6) for _ in range(4)] + [99]
        rings = stream.ring_statistics(asked, statistics, time=now)

        known = sorted(events[:added], key=lambda event: event[2])
        encoder = egonet.TemporalEncoder(
            [event[:3] for event in known], weights=[e[3] for e in known], **options
        )
        expected = encoder.ring_statistics([(node, now) for node in asked], statistics)
        assert rings.feature_names[0] == "event_d0_amount_sum"
        np.testing.assert_array_equal(rings.values, expected.values)
        assert len(stream.features(asked)) == 5  # the graph is as before


def test_a_stream_without_weights_has_no_rings_and_a_failed_call_changes_nothing():
    with pytest.raises(InputError, match=r"need a number per event. Give weights="):
        egonet.Stream(1).ring_statistics(["a"])

    stream = egonet.Stream(1, window=5, weights="amount", weight_bins=[10], closed="right")
    stream.add([("a", "b", 1, 2**53 - 1), ("a", "b", 2, 2)])
    with pytest.raises(InputError, match=r"got 9,007,199,254,740,993 at distance 0 of node 'a'"):
        stream.ring_statistics(["a"], time=5)
    with pytest.raises(InputError, match="statistics must be a list"):
        stream.ring_statistics(["a"], "sum")
    assert stream.now == 2
    assert stream.ring_statistics(["a"], ["sum"], time=6)["a"] == {"event_d0_amount_sum": 2.0}


def test_a_saved_stream_without_its_amounts_is_damaged(tmp_path):
    stream = egonet.Stream(1, weights="amount", weight_bins=[10])
    stream.add([("a", "b", 1, 5)])
    stream.save(tmp_path / "stream.npz")
    with np.load(tmp_path / "stream.npz") as file:
        arrays = dict(file)

    for amounts in ([5.0, 6.0], [math.nan], ["5"], None):
        changed = (
            arrays | {"amounts": np.array(amounts)}
            if amounts
            else {k: arrays[k] for k in arrays if k != "amounts"}
        )
        np.savez(tmp_path / "changed.npz", **changed)
        with pytest.raises(FileError, match="is not a stream that egonet saved, or is damaged"):
            egonet.Stream.open(tmp_path / "changed.npz")

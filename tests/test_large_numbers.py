"""Whole numbers beyond 2**53 are never rounded: they are compared exactly, or refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet import Settings, Stream
from egonet.errors import EgonetError, InputError
from egonet.sklearn.events import EventEncoder
from egonet.sklearn.temporal import TemporalEncoder
from egonet.tables.times import as_times, same_numbers, window_bounds

LARGE = 2**53
NOW = 1_700_000_000_000_000_000  # nanoseconds; floats near it are 256 apart


def test_an_event_after_a_float_query_is_not_counted():
    encoder = TemporalEncoder([("a", "b", NOW + 40)], 1, unseen="ignore").fit([("a", NOW + 100)])

    rows = encoder.transform([("a", float(NOW)), ("a", NOW + 40), ("a", NOW + 41)])

    assert rows.tolist() == [[0, 0], [0, 0], [1, 1]]


def test_a_column_of_whole_numbers_and_floats_stays_exact():
    assert as_times([NOW + 40, float(NOW)], "event").values.tolist() == [NOW + 40, NOW]
    assert as_times(np.array([NOW + 40, float(NOW)], dtype=object), "event").values.tolist() == [
        NOW + 40,
        NOW,
    ]
    with pytest.raises(InputError, match=r"beyond 2\*\*53 and fractions .* 1700000000000000040 and 0.5"):
        as_times([NOW + 40, 0.5], "event")


def test_whole_numbers_and_fractions_are_compared_exactly_or_refused():
    first, second = same_numbers(np.array([NOW + 40]), np.array([float(NOW)]))

    assert first.tolist() == [NOW + 40]
    assert second.tolist() == [NOW]
    with pytest.raises(InputError, match="cannot be compared exactly"):
        same_numbers(np.array([0.5]), np.array([LARGE + 1]))


@pytest.mark.parametrize(("closed", "expected"), [("left", [1, 2]), ("right", [1, 3])])
def test_a_window_with_a_fraction_is_exact_for_large_times(closed, expected):
    # t - 1.5 is between LARGE + 1 and LARGE + 2, which no float distinguishes from their neighbors.
    times = np.array([LARGE + 1, LARGE + 2, LARGE + 3])

    first, last = window_bounds(times, np.array([LARGE + 3]), 1.5, closed)

    assert [first[0], last[0]] == expected


def test_partial_fit_compares_large_times_exactly():
    encoder = TemporalEncoder([("a", "b", NOW + 40)], 1).fit([("a", NOW + 100)])

    with pytest.raises(InputError, match="order of time"):
        encoder.partial_fit([("a", "c", float(NOW))])


def test_a_stream_compares_large_times_exactly():
    stream = Stream(1, window=100)
    stream.add([("a", "b", NOW + 40)])

    with pytest.raises(InputError, match="in order of time"):
        stream.features(["a"], time=float(NOW))
    assert stream.features(["a"], time=float(NOW + 256))["a"] == {(0, 0): 1}
    assert stream.now == NOW + 256
    assert isinstance(stream.now, int)
    with pytest.raises(InputError, match="late"):
        stream.add([("a", "b", NOW + 255)])


def test_a_stream_refuses_fractions_next_to_large_times():
    stream = Stream(1, late="merge")
    stream.add([("a", "b", 0.5)])
    with pytest.raises(InputError, match="cannot be compared exactly"):
        stream.add([("a", "c", LARGE + 1)])
    assert stream.num_events == 1

    short = Stream(1, window=0.5)
    with pytest.raises(InputError, match=r"a window that is a whole number, got 0\.5"):
        short.add([("a", "b", LARGE + 1)])


@pytest.mark.parametrize("values", [[1, LARGE + 1], np.array([1, LARGE + 1]), [0.5, LARGE + 1]])
def test_values_and_weights_that_a_float_would_round_are_refused(values):
    match = r"beyond 2\*\*53 must be exact as floats: 1 of 2 would be rounded, first 9007199254740993"
    with pytest.raises(InputError, match=f"values {match} at node 1"):
        egonet.ring_statistics([(0, 1)], values, 1)
    with pytest.raises(InputError, match=f"weights {match} at edge 1"):
        egonet.encode([(0, 1), (1, 2)], radius=1, weights=values, weight_bins=[10])


def test_large_numbers_that_floats_hold_are_values():
    found = egonet.ring_statistics([(0, 1)], [1, 2**60], 1, ["max"])

    assert found[0] == {"d0_max": 1.0, "d1_max": 2.0**60}


@pytest.mark.parametrize("limit", [LARGE + 1, np.int64(LARGE + 1), 10**400])
def test_limits_of_bins_that_a_float_would_round_are_refused(limit):
    with pytest.raises(InputError, match=r"weight_bins beyond 2\*\*53 must be exact"):
        Settings(1, weight_bins=[10, limit])


def test_large_weights_of_a_text_file_are_refused_next_to_fractions(tmp_path):
    path = tmp_path / "paid.csv"
    path.write_text(f"source,target,amount\na,b,0.5\nb,c,{LARGE + 1}\n")

    with pytest.raises(InputError, match="would be rounded, first 9007199254740993"):
        egonet.encode(egonet.read_graph(path, keep="amount"), radius=1, weights="amount", weight_bins=[10])


@pytest.mark.parametrize("amount", [LARGE + 1, str(LARGE + 1)])
def test_an_amount_of_an_event_beyond_the_limit_is_refused(amount):
    encoder = EventEncoder(amount="amount")

    with pytest.raises(InputError, match=r"between -2\*\*53 and 2\*\*53"):
        encoder.fit_transform([("a", "b", 1, amount)])


@pytest.mark.parametrize("kind", ["nodes", "edges"])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_whole_numbers_in_a_ring_are_exact_or_an_error(kind, sign):
    star = [(0, 1), (0, 2), (0, 3)]
    exact, rounded = [LARGE, 1, 1], [LARGE, 1, 2]
    first = [0] if kind == "nodes" else []
    name = "d1_sum" if kind == "nodes" else "edge_d0_sum"

    found = egonet.ring_statistics(star, [*first, *(sign * each for each in exact)], 1, ["sum"], on=kind)
    assert found[0][name] == sign * (LARGE + 2)
    with pytest.raises(
        InputError, match=r"sums of whole numbers .*9,007,199,254,740,995 at distance . of node 0"
    ):
        egonet.ring_statistics(star, [*first, *(sign * each for each in rounded)], 1, ["sum"], on=kind)


def test_sums_of_fractions_are_rounded_once_as_floats_are():
    found = egonet.ring_statistics([(0, 1), (0, 2)], [0.5, float(LARGE), 0.25], 1, ["sum"])

    assert found[0]["d1_sum"] == LARGE


def test_sums_of_amounts_of_a_node_that_would_be_rounded_are_refused():
    encoder = EventEncoder(amount="amount", windows=(None,), groups=("ends",))
    encoder.fit([("a", "b", 1, LARGE), ("a", "c", 2, 1)])

    with pytest.raises(InputError, match=r"sums of amounts must stay below 2\*\*53"):
        encoder.transform_nodes([("a", 3)])
    names = encoder.node_feature_names_out().tolist()
    assert encoder.transform_nodes([("c", 3)])[0, names.index("in_sum_all")] == 1


@pytest.mark.parametrize("text", [f"{LARGE + 1}.5", f"-{LARGE + 1}.5", f"{LARGE - 1}.7"])
def test_fractions_in_text_that_a_float_would_round_beyond_the_limit_are_refused(tmp_path, text):
    path = tmp_path / "paid.csv"
    path.write_text(f"source,target,time,amount\na,b,{text},{text}\n")

    with pytest.raises(InputError, match="would be rounded"):
        egonet.read_graph(path, weights="amount")
    with pytest.raises(InputError, match=r"between -2\*\*53 and 2\*\*53"):
        EventEncoder(amount="amount", windows=(None,)).fit([("a", "b", 1, text)])
    with pytest.raises(InputError, match=rf"times beyond 2\*\*53 must be whole numbers, got {text}"):
        EventEncoder(windows=(None,)).fit(path)


def test_decimals_are_times_if_they_are_exact():
    assert as_times([Decimal(NOW + 1), Decimal(NOW + 3)], "event").values.tolist() == [NOW + 1, NOW + 3]
    assert as_times([Decimal("1.5"), 2], "event").values.tolist() == [1.5, 2.0]


def test_floats_written_with_an_exponent_stay_floats(tmp_path):
    path = tmp_path / "paid.csv"
    path.write_text("source,target,amount\na,b,1.2345678901234567e+30\n")

    assert egonet.read_graph(path, weights="amount").edge_columns["weights"].tolist() == [
        1.2345678901234567e30
    ]


def since(encoder, rows):
    """Return the column of the time since the last event of the source."""
    return np.asarray(rows)[:, encoder.get_feature_names_out().tolist().index("source_out_since")]


@pytest.mark.parametrize("group", ["ends", "pair", "cycles"])
def test_a_time_since_the_last_event_that_a_float_would_round_is_refused_and_changes_nothing(group):
    first, late = [("a", "b", 5), ("b", "a", 6)], ("a", "b", 6 + LARGE + 1)
    encoder = EventEncoder(windows=(None,), groups=(group,)).fit(first)
    match = (
        r"times since an event must stay below 2\*\*53, so that they are exact, got about 9\.007e\+15 as \w+ in "
        r"row 0 .*Give dates, .* larger unit, or a longest window of at most 2\*\*53"
    )

    for call in (encoder.partial_fit_transform, encoder.transform):
        for batch in ([late], [late, ("x", "y", late[2])]):
            with pytest.raises(InputError, match=match):
                call(batch)
    assert (encoder.history_.num_events, encoder.history_.num_nodes, encoder.history_.clock) == (2, 2, 6)
    with pytest.raises(InputError, match="must stay below"):
        EventEncoder(windows=(None,), groups=(group,)).fit_transform([*first, late])
    exact = encoder.partial_fit_transform([("a", "b", 4 + LARGE)])
    assert exact[0].tolist().count(LARGE - 1) or exact[0].tolist().count(LARGE - 2)


def test_a_longest_window_bounds_the_time_since_the_last_event():
    events = [("a", "b", 0), ("a", "b", LARGE), ("a", "b", 2 * LARGE + 1)]
    encoder = EventEncoder(windows=(5, LARGE), groups=("ends",))

    np.testing.assert_array_equal(since(encoder, encoder.fit_transform(events)), [np.nan] * 3)
    wider = EventEncoder(windows=(5, LARGE + 2), groups=("ends",)).fit(events[:2])
    with pytest.raises(InputError, match="must stay below"):
        wider.transform(events[2:])
    # Other nodes, and events that have no time since another, are far apart without harm.
    assert wider.transform([("x", "y", 2**62)]).shape[0] == 1
    assert EventEncoder(windows=(None,), groups=("ego",)).fit_transform(events).shape[0] == 3


def test_a_time_since_of_a_node_that_a_float_would_round_is_refused():
    encoder = EventEncoder(windows=(None,), groups=("ends",)).fit([("a", "b", 0), ("c", "b", LARGE + 9)])

    with pytest.raises(InputError, match=r"times since an event must stay below 2\*\*53"):
        encoder.transform_nodes([("a", LARGE + 10)])
    assert encoder.transform_nodes([("c", LARGE + 10)]).shape[0] == 1


@pytest.mark.parametrize("gap", [LARGE + 1, 10**9 * 86_400 * 365 * 200 + 1, 10**9 * (2**33 + 1), 2**62 + 3])
def test_times_since_are_the_floats_nearest_to_the_seconds_between_dates(gap):
    """Whole seconds are exact; dates are never refused, however far apart they are."""
    begin = pd.Timestamp("1700-01-01").value
    events = pd.DataFrame({"source": "a", "target": "b", "time": pd.to_datetime([begin, begin + gap])})
    encoder = EventEncoder(windows=(None,), groups=("ends", "pair")).fit(events[:1])

    expected = float(Fraction(gap, 10**9))
    assert since(encoder, encoder.transform(events[1:])).tolist() == [expected]
    names = encoder.node_feature_names_out().tolist()
    assert encoder.transform_nodes([("a", events.time[1])])[0, names.index("out_since")] == expected
    assert since(encoder, encoder.partial_fit_transform(events[1:])).tolist() == [expected]


@pytest.mark.parametrize(
    "source",
    [
        [float(LARGE + 1), 1.0],
        np.array([LARGE + 1, 1], dtype=float),
        pd.Series([LARGE + 1, None, 1]).dropna().tolist(),
        np.array([2**24 + 1, 1], dtype=np.float32),
    ],
    ids=["list", "array", "series", "float32"],
)
def test_a_float_that_may_be_a_rounded_id_is_refused(source):
    """2**53 + 1 as a float is 2**53, the id of another node."""
    with pytest.raises(InputError, match="text"):
        egonet.encode(pd.DataFrame({"source": source, "target": [2, 3]}), radius=1)


def test_a_float_in_a_pair_that_may_be_a_rounded_id_is_refused():
    with pytest.raises(InputError, match="text"):
        egonet.encode([(float(LARGE + 1), 2)], radius=1)
    assert egonet.encode([(float(LARGE - 1), 2)], radius=1)[LARGE - 1]


#: 2**24 as a float of 32 bits and 2**53 as one of 64 bits may be the next whole number, rounded; both are ids here.
ROUNDED = [np.float32(2**24), np.float64(LARGE)]
ASK = {
    "roots": lambda graph, id_: egonet.encode(graph, 1, roots=[id_]),
    "roots in an array": lambda graph, id_: egonet.encode(graph, 1, roots=np.array([id_])),
    "Encoding[row]": lambda graph, id_: egonet.encode(graph, 1)[id_],
    "Encoding.similar": lambda graph, id_: egonet.encode(graph, 1).similar(id_),
    "Encoding.update": lambda graph, id_: egonet.encode(graph, 1).update(removed=[(id_, 1)]),
    "Encoding.join": lambda graph, id_: egonet.encode(graph, 1).join(
        pd.DataFrame({"x": [1], "id": np.array([id_])}), "id"
    ),
    "Encoding of pairs": lambda graph, id_: egonet.encode_pairs(graph, [(int(id_), 1)], 1)[id_, 1],
    "pairs": lambda graph, id_: egonet.encode_pairs(graph, [(id_, 1)], 1),
    "labels": lambda graph, id_: egonet.encode(graph, 1, labels={id_: "x", int(id_) + 1: "y", 1: "x"}),
    "labels of a Series": lambda graph, id_: egonet.encode(
        graph[1:], 1, labels=pd.Series(["x", "y"], index=np.array([id_, 1], dtype=id_.dtype))
    ),
    "edge labels": lambda graph, id_: egonet.encode(graph[1:], 1, edge_labels={(id_, 1): "x"}),
    "values": lambda graph, id_: egonet.ring_statistics(
        graph[1:], pd.DataFrame({"node": np.array([id_, 1], dtype=id_.dtype), "age": [1, 2]}), 1
    ),
    "attributes": lambda graph, id_: egonet.links.link_columns(
        graph[1:], [(int(id_), 1)], radius=1, attributes={id_: [1.0], 1: [2.0]}
    ),
    "columns": lambda graph, id_: egonet.explore(graph[1:], radius=1, columns={"age": {id_: 1, 1: 2}}),
    "labels of events": lambda graph, id_: TemporalEncoder(
        [(int(id_), 1, 1)], 1, labels={id_: "x", 1: "y"}
    ).fit([(1, 2)]),
    "explain": lambda graph, id_: egonet.explain(graph, id_, 1),
    "NodeEncoder": lambda graph, id_: egonet.NodeEncoder(graph, 1).fit([1]).transform(np.array([id_])),
    "NodeEncoder, a frame": lambda graph, id_: (
        egonet.NodeEncoder(graph, 1).fit([1]).transform(pd.DataFrame({"id": np.array([id_])}))
    ),
    "recommend": lambda graph, id_: egonet.links.recommend(graph, id_, k=1),
    "RowBatches": lambda graph, id_: egonet.distributed.RowBatches(graph, radius=1)(
        pd.DataFrame({"node": np.array([id_])})
    ),
    'ids="text"': lambda graph, id_: egonet.encode(
        pd.DataFrame({"source": np.array([id_]), "target": [1]}), 1, ids="text"
    ),
    'missing="drop"': lambda graph, id_: egonet.encode(
        pd.DataFrame({"source": np.array([id_, np.nan], dtype=id_.dtype), "target": [1, 1]}),
        1,
        missing="drop",
    ),
}


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
@pytest.mark.parametrize("id_", ROUNDED, ids=lambda id_: id_.dtype.name)
@pytest.mark.filterwarnings("ignore")
def test_a_float_that_may_be_another_id_rounded_is_refused(ask, id_):
    graph = [(int(id_), int(id_) + 1), (int(id_), 1)]

    with pytest.raises(EgonetError, match=r"1\.?6777216|9007199254740992"):
        ask(graph, id_)

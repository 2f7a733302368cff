"""The kernel of events returns the bytes of its definition, and no row depends on a later event."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from egonet.kernel.native_events import EventArrays, EventKernel
from egonet.kernel.reference_events import Event, EventSettings, event_names, event_rows

NODES = st.integers(0, 6)
AMOUNTS = st.one_of(
    st.integers(-3, 9).map(float), st.floats(-1e6, 1e6, allow_nan=False).map(lambda amount: amount + 0.0)
)
STEPS = st.sampled_from([0, 0, 0, 1, 1, 2, 5])
EVENTS = st.lists(st.tuples(NODES, NODES, STEPS, AMOUNTS, st.integers(-1, 1)), max_size=40)
SETTINGS = st.builds(
    lambda windows, radius, order, own, groups, amounts, types, cycle, unit: EventSettings(
        tuple(windows),
        tuple(map(str, windows)),
        radius,
        order,
        own,
        tuple(groups),
        amounts,
        ("x", "y") if types else (),
        cycle,
        unit,
    ),
    st.lists(st.sampled_from([1, 3, 7, 20, None]), min_size=1, max_size=3, unique=True),
    st.integers(1, 3),
    st.sampled_from(["row", "time"]),
    st.booleans(),
    st.lists(st.sampled_from(["ends", "pair", "ego", "cycles"]), min_size=1, unique=True),
    st.booleans(),
    st.booleans(),
    st.integers(2, 6),
    st.sampled_from([1, 10**9]),
)


def events_of(drawn, counted, *, scale=1):
    """Return events whose times rise by the drawn steps, without amounts and types if the settings have none."""
    times = np.cumsum([step for _, _, step, _, _ in drawn]) * scale
    return [
        Event(
            source,
            target,
            time.item(),
            amount if counted.has_amounts else 0.0,
            type_ if counted.type_names else -1,
        )
        for (source, target, _, amount, type_), time in zip(drawn, times, strict=True)
    ]


def arrays_of(events):
    columns = list(zip(*(event[:5] for event in events), strict=True)) or [()] * 5
    whole = not any(isinstance(time, float) for time in columns[2])
    kinds = (np.int32, np.int32, np.int64 if whole else np.float64, np.float64, np.int32)
    return EventArrays(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


def assert_same(found, expected, counted):
    if found.tobytes() != expected.tobytes():
        row, column = np.argwhere(~((found == expected) | (np.isnan(found) & np.isnan(expected))))[0]
        pytest.fail(
            f"{event_names(counted)[column]} of event {row}: {found[row, column]}, not {expected[row, column]}"
        )


@settings(max_examples=400, deadline=None)
@given(EVENTS, SETTINGS, st.data())
def test_rows_are_those_of_the_definition(drawn, counted, data):
    events = events_of(drawn, counted, scale=data.draw(st.sampled_from([1, 1, 2**53 + 1, 10**16 + 3])))
    kept = data.draw(st.none() | st.lists(st.booleans(), min_size=len(events), max_size=len(events)))
    if kept is not None:
        events = [event._replace(kept=is_kept) for event, is_kept in zip(events, kept, strict=True)]

    flags = None if kept is None else np.array(kept, dtype=bool)
    found = EventKernel(counted, has_whole_times=True).process(arrays_of(events), 7, flags)

    assert_same(found, event_rows(events, counted), counted)


@settings(max_examples=100, deadline=None)
@given(EVENTS, SETTINGS)
def test_times_that_are_fractions_have_the_rows_of_the_definition(drawn, counted):
    events = events_of(drawn, counted, scale=0.1)

    found = EventKernel(counted, has_whole_times=False).process(arrays_of(events), 7) if events else None

    if events:
        assert_same(found, event_rows(events, counted), counted)


@settings(max_examples=150, deadline=None)
@given(EVENTS, SETTINGS, st.data())
def test_any_split_and_a_restart_give_the_rows_of_one_batch(drawn, counted, data):
    events = arrays_of(events_of(drawn, counted))
    expected = EventKernel(counted, has_whole_times=True).process(events, 7)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=4)))

    kernel, parts = EventKernel(counted, has_whole_times=True), []
    for begin, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        parts.append(kernel.process(events[begin:end], 7))
        if data.draw(st.booleans()):
            restarted = EventKernel(counted, has_whole_times=True)
            restarted.add(kernel.log(), 7)
            kernel = restarted

    assert_same(np.concatenate(parts), expected, counted)


@settings(max_examples=150, deadline=None)
@given(EVENTS, EVENTS, SETTINGS, st.data())
def test_no_row_depends_on_a_later_event(drawn, others, counted, data):
    cut = data.draw(st.integers(0, len(drawn)))
    events = arrays_of(events_of(drawn, counted))
    changed = arrays_of(events_of([*drawn[:cut], *others], counted))

    first = EventKernel(counted, has_whole_times=True).process(events, 7)
    second = EventKernel(counted, has_whole_times=True).process(changed, 7)

    assert first[:cut].tobytes() == second[:cut].tobytes()


@settings(max_examples=100, deadline=None)
@given(EVENTS, SETTINGS, st.data())
def test_in_order_of_time_the_order_of_one_moment_does_not_matter(drawn, counted, data):
    counted = EventSettings(**(vars(counted) | {"order": "time", "groups": ("ends", "pair", "ego")}))
    events = events_of(drawn, counted)
    shuffled = sorted(data.draw(st.permutations(events)), key=lambda event: event.time)
    names = event_names(counted)
    same = [
        place for place, name in enumerate(names) if not name.endswith("_last")
    ]  # of several, one is the last

    def rows(listed):
        found = EventKernel(counted, has_whole_times=True).process(arrays_of(listed), 7)[:, same]
        return sorted(
            zip(map(repr, listed), [np.nan_to_num(row, nan=-1).tolist() for row in found], strict=True)
        )

    assert rows(events) == rows(shuffled)


@settings(max_examples=100, deadline=None)
@given(EVENTS, SETTINGS)
def test_a_copy_does_not_change_the_original(drawn, counted):
    events = arrays_of(events_of(drawn, counted))
    half = len(events) // 2
    kernel = EventKernel(counted, has_whole_times=True)
    kernel.add(events[:half], 7)

    first = kernel.copy().process(events[half:], 7)
    second = kernel.process(events[half:], 7)

    assert first.tobytes() == second.tobytes()


def rows_by_name(events, counted):
    rows = EventKernel(counted, has_whole_times=True).process(arrays_of(events), 9)
    return dict(zip(event_names(counted), rows.T.tolist(), strict=True))


def test_ends_count_events_partners_and_amounts_by_hand():
    counted = EventSettings((10, None), ("10", "all"), groups=("ends",), has_amounts=True)
    events = [Event(0, 1, 1, 5.0), Event(0, 1, 2, 7.0), Event(0, 2, 3, 1.0), Event(3, 0, 12, 4.0)]

    found = rows_by_name(events, counted)

    assert found["source_out_events_10"] == [1, 2, 3, 1]
    assert found["source_out_partners_10"] == [1, 1, 2, 1]
    assert found["source_out_repeated_10"] == [0, 1, 0.5, 0]
    assert found["source_out_sum_10"] == [5, 12, 13, 4]
    assert found["source_out_min_10"] == [5, 5, 1, 4]
    assert found["target_out_events_10"] == [0, 0, 0, 1]  # at 12 the events at 1 and 2 are too old
    assert found["target_out_events_all"] == [0, 0, 0, 3]
    assert found["target_out_max_all"][3] == 7
    assert found["source_out_since"][:3] == [pytest.approx(float("nan"), nan_ok=True), 1, 1]
    assert found["target_out_last"][3] == 1


def test_the_pair_has_earlier_events_and_the_reverse_by_hand():
    counted = EventSettings((None,), ("all",), groups=("pair",), has_amounts=True)
    events = [
        Event(0, 1, 1, 5.0),
        Event(1, 0, 2, 7.0),
        Event(0, 2, 3, 1.0),
        Event(2, 1, 4, 1.0),
        Event(0, 1, 9, 2.0),
    ]

    found = rows_by_name(events, counted)

    assert found["pair_events_all"] == [0, 0, 0, 0, 1]
    assert found["reverse_events_all"] == [0, 1, 0, 0, 1]
    assert found["reverse_sum_all"] == [0, 5, 0, 0, 7]
    assert found["common_partners_all"] == [0, 0, 0, 1, 1]
    assert found["pair_is_new"] == [1, 1, 1, 1, 0]
    assert found["pair_since"][4] == 8
    assert found["reverse_last"][4] == 7


def test_a_transfer_back_closes_a_cycle_and_a_split_is_gathered():
    counted = EventSettings((None,), ("all",), groups=("cycles",), cycle_length=4)
    events = [Event(0, 1, 1), Event(0, 2, 2), Event(1, 3, 3), Event(2, 3, 5), Event(3, 0, 9)]

    found = rows_by_name(events, counted)

    assert found["cycles_of_3_all"] == [0, 0, 0, 0, 2]  # 0-1-3 and 0-2-3
    assert found["cycle_span"][4] == 7  # 0-2 at 2 is the later of the two first transfers
    assert found["scatter_gather_all"] == [0, 0, 1, 2, 1]  # at 5, 0 has sent to 3 through 1 and 2
    assert found["scatter_gather_origins_all"][3] == 1


def test_a_cycle_must_be_in_order_of_events():
    counted = EventSettings((None,), ("all",), groups=("cycles",))
    events = [Event(1, 2, 1), Event(0, 1, 2), Event(2, 0, 3)]

    assert rows_by_name(events, counted)["cycles_of_3_all"] == [0, 0, 0]


def test_sums_come_back_to_zero_exactly_when_events_expire():
    counted = EventSettings((5,), ("5",), groups=("ends",), has_amounts=True, own=False)
    events = [Event(0, 1, 1, 0.1), Event(0, 1, 2, 1e15), Event(0, 1, 3, 0.7), Event(0, 1, 50, 3.0)]

    assert rows_by_name(events, counted)["source_out_sum_5"][3] == 0.0


def test_times_at_the_limits_of_64_bits_are_exact():
    counted = EventSettings((5, None), ("5", "all"), groups=("ends",))
    low, high = -(2**63), 2**63 - 1
    events = [Event(0, 1, low), Event(0, 1, low + 1), Event(0, 1, high)]

    found = rows_by_name(events, counted)

    assert found["source_out_events_5"] == [1, 2, 1]
    assert found["source_out_since"][2] == float(high - low - 1)

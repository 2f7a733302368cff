"""`EventEncoder`: a row per event as of that event, from tables, files and tuples, over months and restarts."""

import json
import pickle
import threading
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import egonet
from egonet.errors import FileError, IgnoredInputWarning, InputError
from egonet.kernel.reference_events import Event, EventSettings, event_names, event_rows

NAMES = {"source": "payer", "target": "payee", "time": "when", "amount": "amount"}
GROUPS = ("ends", "pair", "ego", "cycles")


def payments(count=120, seed=0, first=0):
    rng = np.random.default_rng(seed)
    days = np.sort(rng.integers(first, first + 40, count))
    return pd.DataFrame(
        {
            "payer": [f"a{node}" for node in rng.integers(0, 12, count)],
            "payee": [f"a{node}" for node in rng.integers(0, 12, count)],
            "when": pd.to_datetime("2024-01-01") + pd.to_timedelta(days, unit="D"),
            "amount": rng.integers(1, 500, count) / 4,
            "means": rng.choice(["card", "cash"], count),
        }
    )


def encoder_of(**options):
    return egonet.EventEncoder(**NAMES | {"groups": GROUPS} | options)


def expected_rows(table, windows, names, types=()):
    """Return the rows of the definition: days as seconds, so that times since are in seconds."""
    nodes = {
        node: number for number, node in enumerate(pd.unique(table[["payer", "payee"]].to_numpy().ravel()))
    }
    seconds = (table.when - pd.Timestamp("1970-01-01")) // pd.Timedelta(seconds=1)
    counted = EventSettings(windows, names, groups=GROUPS, has_amounts=True, type_names=types)
    events = [
        Event(nodes[payer], nodes[payee], second, amount, types.index(means) if types else -1)
        for payer, payee, second, amount, means in zip(
            table.payer, table.payee, seconds, table.amount, table.means, strict=True
        )
    ]
    return event_rows(events, counted), event_names(counted)


def test_rows_of_a_table_of_dates_are_those_of_the_definition():
    table, day = payments(), 86_400

    encoder = encoder_of(types="means")
    found = encoder.fit_transform(table)

    expected, names = expected_rows(
        table, (day, 7 * day, 30 * day, None), ("1d", "7d", "30d", "all"), ("card", "cash")
    )
    assert encoder.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(found, expected)


def test_the_second_month_knows_the_first_and_what_came_before_in_the_second():
    table = payments()
    whole = encoder_of().fit_transform(table)
    encoder = encoder_of().fit(table[:70])

    first, second = encoder.transform(table[70:]), encoder.transform(table[70:])

    np.testing.assert_array_equal(first, whole[70:])
    np.testing.assert_array_equal(second, whole[70:])
    encoder.partial_fit(table[70:100])
    np.testing.assert_array_equal(encoder.transform(table[100:]), whole[100:])


def test_every_kind_of_table_and_file_gives_the_same_rows(tmp_path):
    table = payments()
    expected = encoder_of().fit_transform(table)
    table.to_csv(tmp_path / "p.csv", index=False)
    table.to_csv(tmp_path / "p.csv.gz", index=False)
    table.to_parquet(tmp_path / "p.parquet")
    arrow = pyarrow.Table.from_pandas(table, preserve_index=False)

    for data in (
        pl.from_pandas(table),
        pl.from_pandas(table).lazy(),
        arrow,
        tmp_path / "p.csv",
        str(tmp_path / "p.csv.gz"),
        tmp_path / "p.parquet",
        list(table[["payer", "payee", "when", "amount"]].itertuples(index=False, name=None)),
    ):
        np.testing.assert_array_equal(encoder_of().fit_transform(data), expected)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(0, 120), max_size=4),
    st.booleans(),
    st.sampled_from(["row", "time"]),
)
def test_any_split_pickle_and_one_event_at_a_time_give_the_rows_of_one_call(seed, cuts, one_by_one, order):
    table = payments(seed=seed)
    expected = encoder_of(order=order).fit_transform(table)
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < 120}), 120]

    encoder, parts = encoder_of(order=order), []
    for begin, end in pairwise(bounds):
        part = table[begin:end]
        rows = list(part[["payer", "payee", "when", "amount"]].itertuples(index=False, name=None))
        calls = [[row] for row in rows] if one_by_one else [rows]
        parts += [encoder.partial_fit_transform(call) for call in calls]
        encoder = pickle.loads(pickle.dumps(encoder))

    np.testing.assert_array_equal(np.concatenate(parts), expected)
    assert encoder.history_.num_events == 120


def test_a_saved_encoder_continues_where_it_was(tmp_path):
    table = payments()
    whole = encoder_of(types="means", windows=("7d", timedelta(days=20))).fit_transform(table)
    encoder = encoder_of(types="means", windows=("7d", timedelta(days=20))).fit(table[:60])

    encoder.save(tmp_path / "state.npz")
    opened = egonet.EventEncoder.open(tmp_path / "state.npz")

    np.testing.assert_array_equal(opened.transform(table[60:]), whole[60:])
    assert opened.history_.num_events == 60
    assert opened.get_params()["source"] == "payer"
    with pytest.raises(InputError, match=r"saved as \.npz"):
        encoder.save(tmp_path / "state.json")


def test_a_damaged_file_is_an_error_that_names_it(tmp_path):
    encoder_of().fit(payments()).save(tmp_path / "state.npz")
    data = (tmp_path / "state.npz").read_bytes()
    (tmp_path / "state.npz").write_bytes(data[: len(data) // 2])

    with pytest.raises(FileError, match=r"state\.npz is not an event history"):
        egonet.EventEncoder.open(tmp_path / "state.npz")


def test_without_data_the_columns_stay_and_nothing_is_known():
    table = payments()
    encoder = encoder_of(types="means").fit(table)

    bare = encoder.without_data()

    assert bare.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    assert bare.history_.num_nodes == 0
    np.testing.assert_array_equal(bare.transform(table), encoder_of(types="means").fit_transform(table))


def test_a_second_history_forgets_the_first():
    table = payments()
    encoder = encoder_of().fit(table)

    np.testing.assert_array_equal(encoder.fit_transform(table), encoder_of().fit_transform(table))


def test_no_row_of_any_group_depends_on_a_later_row():
    table = payments()
    rng = np.random.default_rng(1)
    for order in ("row", "time"):
        whole = encoder_of(order=order, types="means").fit_transform(table)
        for cut in (30, 70, 110):
            other = table.copy()
            later = np.arange(cut, len(table))
            for column in ("payer", "payee", "amount", "means"):
                other.loc[later, column] = table[column].to_numpy()[rng.permutation(later)]
            changed = encoder_of(order=order, types="means").fit_transform(other)

            np.testing.assert_array_equal(changed[:cut], whole[:cut])
            assert not np.array_equal(changed[cut:], whole[cut:], equal_nan=True)


def test_frames_come_out_with_names_and_the_index_of_the_table():
    table = payments().set_index(np.arange(500, 620))
    encoder = encoder_of().set_output(transform="pandas")

    frame = encoder.fit_transform(table)

    assert list(frame.columns) == encoder.get_feature_names_out().tolist()
    assert frame.index.tolist() == table.index.tolist()
    assert (
        encoder_of().set_output(transform="polars").fit_transform(pl.from_pandas(table)).width
        == frame.shape[1]
    )


def test_a_pipeline_and_a_clone_work():
    table = payments()
    model = make_pipeline(encoder_of(), HistGradientBoostingClassifier(max_iter=5))

    assert model.fit(table[:80], table.amount[:80] > 60).predict(table[80:]).shape == (40,)
    twin = clone(model.steps[0][1])
    assert twin.get_params() == encoder_of().get_params()
    with pytest.raises(NotFittedError):
        twin.transform(table)
    with pytest.raises(NotFittedError):
        twin.get_feature_names_out()


def test_new_accounts_loops_and_repeated_rows_are_ordinary():
    encoder = egonet.EventEncoder(windows=(None,), groups=("ends", "pair"))
    rows = encoder.set_output(transform="pandas").fit_transform([("a", "a", 1), ("a", "a", 1), ("b", "c", 2)])

    assert rows.source_out_events_all.tolist() == [1, 2, 1]
    assert rows.source_in_partners_all.tolist() == [1, 1, 0]
    assert rows.pair_events_all.tolist() == [0, 1, 0]
    assert encoder.history_.num_loops == 2


def test_a_decimal_comma_in_a_file_is_an_error_that_says_how_to_read_it(tmp_path):
    path = tmp_path / "payments.csv"
    path.write_text('payer,payee,when,amount\na,b,2024-01-31,"1,50"\n')

    with pytest.raises(InputError, match=r"got '1,50' in row 0 .*read_csv\(path, decimal=','\)\.$"):
        encoder_of().fit(path)


def test_missing_values_are_counted_or_dropped():
    table = payments()
    table.loc[[4, 9, 11, 12], "amount"] = np.nan
    table.loc[20, "payer"] = None
    gone = table.index.isin([4, 9, 11, 12, 20])

    with pytest.raises(InputError, match=r"1 of 120 have none, first in row 20 .*missing=\"drop\""):
        encoder_of().fit(table)
    with pytest.raises(InputError, match=r"have an amount, 4 of 119 have none, first in rows 4, 9, 11 "):
        encoder_of().fit(table.drop(20))
    encoder = encoder_of(missing="drop")
    with pytest.warns(IgnoredInputWarning, match="^5 rows with a missing value are left out"):
        rows = encoder.fit_transform(table)

    assert np.isnan(rows[gone]).all()
    np.testing.assert_array_equal(rows[~gone], encoder_of().fit_transform(table[~gone]))
    assert encoder.history_.num_dropped == 5


def test_numbers_that_a_gap_made_floats_are_numbers_again():
    table = pd.DataFrame({"source": [1, 2, None], "target": [2, 3, 4], "time": [1, 2, 3]})

    with pytest.warns(IgnoredInputWarning, match="^1 row with a missing value is left out"):
        encoder = egonet.EventEncoder(windows=(5,), missing="drop").fit(table)

    assert encoder.history_.id_kind == "numbers"


def test_unsorted_times_are_sorted_with_a_warning_or_an_error():
    table = payments()
    shuffled = table.sample(frac=1, random_state=0)
    ordered = shuffled.sort_values("when", kind="stable")

    with pytest.warns(IgnoredInputWarning, match="earlier than the one before them"):
        rows = encoder_of().set_output(transform="pandas").fit_transform(shuffled)

    expected = encoder_of().set_output(transform="pandas").fit_transform(ordered)
    pd.testing.assert_frame_equal(rows.loc[ordered.index], expected)
    with pytest.raises(InputError, match=r"events must be in order of time, got .* Sort the table"):
        encoder_of(late="error").fit(shuffled)


def test_events_before_the_history_are_an_error_or_count_on_arrival():
    encoder = egonet.EventEncoder(windows=(5,), groups=("ends",)).fit([("a", "b", 10)])

    with pytest.raises(
        InputError, match=r"1 of 2 events are earlier than the last event of the history, which is at 10"
    ):
        encoder.partial_fit([("a", "b", 9), ("a", "b", 11)])
    assert encoder.history_.num_events == 1
    arrival = egonet.EventEncoder(windows=(5,), groups=("ends",), late="arrival").fit([("a", "b", 10)])
    row = arrival.partial_fit_transform([("a", "b", 2)])
    assert row[0, 0] == 2
    assert arrival.history_.num_late == 1
    assert arrival.history_.clock == 10


def test_a_refused_batch_changes_nothing():
    table = payments()
    encoder = encoder_of().fit(table[:60])
    expected = encoder.transform(table[60:])
    bad = table[60:].copy()
    bad.loc[100, "amount"] = np.inf

    for use in (encoder.partial_fit, encoder.partial_fit_transform, encoder.transform, encoder.fit):
        with pytest.raises(InputError, match=r"an amount must be a finite number .* got inf in row 40"):
            use(bad)
    np.testing.assert_array_equal(encoder.transform(table[60:]), expected)


def test_ids_of_another_type_than_the_history_are_an_error():
    encoder = egonet.EventEncoder(windows=(5,)).fit([(1, 2, 1)])

    with pytest.raises(InputError, match=r"ids must be numbers, as in the history, got text, first '1'"):
        encoder.transform([("1", "2", 2)])
    mixed = egonet.EventEncoder(windows=(5,)).fit([("x", 2, 1)])
    with pytest.raises(InputError, match=r"the events so far have node 2, the new ones have '2'"):
        mixed.transform([("2", "x", 2)])
    with pytest.raises(InputError, match="two nodes"):
        egonet.EventEncoder(windows=(5,)).fit([(1, "1", 1)])


@pytest.mark.parametrize("call", ["transform", "partial_fit", "partial_fit_transform"])
def test_an_id_that_is_text_in_a_mixed_history_is_no_number_later(call):
    encoder = egonet.EventEncoder(windows=(None,), groups=("pair",)).fit([("5", "b", 1), (7, "c", 2)])

    with pytest.raises(InputError, match=r"the events so far have node '5', the new ones have 5"):
        getattr(encoder, call)([(5, "b", 3)])
    with pytest.raises(InputError, match=r"the events so far have node 7, the new ones have '7'"):
        getattr(encoder, call)([((1, 2), "7", 3)])
    assert encoder.history_.num_events == 2


def test_ids_of_a_text_file_have_the_type_of_the_history(tmp_path):
    (tmp_path / "p.csv").write_text("source,target,time\n1,2,5\n")
    text = egonet.EventEncoder(windows=(9,), groups=("pair",)).fit([("1", "2", 1), ("1", "x", 2)])
    numbers = egonet.EventEncoder(windows=(9,), groups=("pair",)).fit([(1, 2, 1)])

    assert text.transform(tmp_path / "p.csv")[0, 0] == numbers.transform(tmp_path / "p.csv")[0, 0] == 1


def test_types_of_another_type_than_the_history_are_an_error_and_new_ones_are_ordinary():
    encoder = egonet.EventEncoder(types="types", windows=(5,), groups=("ends",)).fit([("a", "b", 1, 7)])

    assert "source_out_events_7_5" in encoder.get_feature_names_out().tolist()
    with pytest.raises(InputError, match=r"types have 7 in the history and '7' in the new events"):
        encoder.transform([("a", "b", 1, "7")])
    row = encoder.set_output(transform="pandas").transform([("a", "b", 2, 8)])
    assert row.source_out_events_5.item() == 2
    assert row.source_out_events_7_5.item() == 1


def test_times_of_mixed_kinds_and_zones_are_errors():
    encoder = encoder_of().fit(payments())

    with pytest.raises(
        InputError, match="times of new events must be dates, as those of the events, got numbers"
    ):
        encoder.transform([("a", "b", 5, 1.0)])
    zones = [
        ("a", "b", datetime(2024, 1, 1, tzinfo=zone), 1.0) for zone in (UTC, timezone(timedelta(hours=2)))
    ]
    with pytest.raises(InputError, match="one time zone"):
        encoder_of().fit(zones)
    with pytest.raises(InputError, match="times are numbers, so windows must be numbers"):
        egonet.EventEncoder().fit([("a", "b", 1)])


def test_dates_in_the_future_are_warned_about():
    with pytest.warns(IgnoredInputWarning, match=r"1 of 2 events are in the future, the last at 2200-01-01"):
        encoder_of().fit([("a", "b", datetime(2024, 1, 1), 1.0), ("a", "b", datetime(2200, 1, 1), 1.0)])


def test_a_column_that_is_not_there_is_named_with_a_near_match():
    with pytest.raises(InputError, match=r"there is no column 'amout'. Did you mean 'amount'\?"):
        encoder_of(amount="amout").fit(payments())
    with pytest.raises(InputError, match="payr"):
        encoder_of(source="payr").fit(payments())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": ()}, "windows must be one or more lengths"),
        ({"windows": (5, 5)}, "windows must differ"),
        ({"radius": 0}, "radius must be at least 1"),
        ({"order": "rows"}, "Did you mean 'row'"),
        ({"groups": ("end",)}, "Did you mean 'ends'"),
        ({"groups": ()}, "groups must be some of"),
        ({"own": "no"}, "own must be True or False"),
        ({"cycle_length": 1}, "cycle_length must be at least 2"),
        ({"late": "merge"}, "late must be one of"),
        ({"missing": "keep"}, "missing must be one of"),
        ({"amount": ["x"]}, "must be the name of a column"),
    ],
)
def test_wrong_parameters_are_errors_when_fitting(options, message):
    with pytest.raises(InputError, match=message):
        egonet.EventEncoder(**{"windows": (5,)} | options).fit([("a", "b", 1)])


def test_whole_times_and_fractions_are_compared_exactly():
    encoder = egonet.EventEncoder(windows=(2,), groups=("ends",)).fit([("a", "b", 1)])

    rows = encoder.partial_fit_transform([("a", "b", 2.5), ("a", "b", 3.0), ("a", "b", 5)])

    assert rows[:, 0].tolist() == [2, 2, 1]
    assert encoder.history_.clock == 5.0
    with pytest.raises(InputError, match=r"beyond 2\*\*53"):
        encoder.transform([("a", "b", 2**60)])


def test_memory_is_bounded_by_the_window_and_rows_stay_exact():
    events = [(f"n{number}", f"n{number + 1}", number, 1.0) for number in range(20_000)]
    encoder = egonet.EventEncoder(amount="amount", windows=(10,), groups=("ends", "pair"))

    for begin in range(0, len(events), 1000):
        rows = encoder.partial_fit_transform(events[begin : begin + 1000])

    assert encoder.history_.num_kept <= 11
    assert encoder.history_.num_nodes < 10_000
    whole = egonet.EventEncoder(amount="amount", windows=(10,), groups=("ends", "pair")).fit_transform(events)
    np.testing.assert_array_equal(rows, whole[-1000:])


def test_two_threads_get_rows_of_one_history():
    encoder = egonet.EventEncoder(windows=(None,), groups=("pair",)).fit([("a", "b", 1)])
    found = []

    def ask():
        for _ in range(2000):
            found.append(encoder.partial_fit_transform([("a", "b", 1)])[0, 0])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == list(range(1, 4001))


def test_no_events_are_an_error_to_begin_with_and_no_rows_later():
    encoder = egonet.EventEncoder(windows=(5,))
    with pytest.raises(InputError, match="needs at least one event"):
        encoder.fit([])
    encoder.fit([("a", "b", 1)])
    assert encoder.transform([]).shape == (0, len(encoder.get_feature_names_out()))


@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_month_without_events_has_no_types_and_is_ordinary(kind, rows):
    encoder = encoder_of(types="kind", keep="ok", missing="drop", groups=("ends", "pair"))
    january = payments(20, seed=0).assign(kind="card", ok=True)
    encoder.fit(january)
    columns = {name: [None] * rows for name in january}
    makers = {"pandas": partial(pd.DataFrame, dtype=object), "polars": pl.DataFrame, "pyarrow": pyarrow.table}
    february = makers[kind](columns)

    assert encoder.transform(february).shape == (rows, len(encoder.get_feature_names_out()))
    assert encoder.partial_fit_transform(february).shape[0] == rows
    assert encoder.history_.num_dropped == rows
    assert len(encoder.transform_nodes([("a", "2030-01-01")], events=february)) == 1
    with pytest.raises(InputError, match="needs at least one event"):
        encoder.fit(february)


def test_amounts_too_large_to_add_exactly_are_an_error():
    with pytest.raises(InputError, match=r"between -2\*\*53 and 2\*\*53"):
        egonet.EventEncoder(amount="amount", windows=(5,)).fit([("a", "b", 1, 1e17)])
    with pytest.raises(InputError, match=r"add up to less than 2\*\*62"):
        egonet.EventEncoder(amount="amount", windows=(5,)).fit([("a", "b", 1, 2.0**53)] * 513)


def test_an_error_about_amounts_in_text_names_the_column_and_the_first_one():
    table = pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", "a"], "time": [1, 2], "paid": ["9,50", "3,00"]}
    )

    with pytest.raises(
        InputError, match=r"got '9,50' in row 0 \(counted from 0\) of column 'paid'\. Convert it"
    ):
        egonet.EventEncoder(amount="paid", windows=(5,)).fit(table)


def test_events_that_are_not_kept_get_the_rows_of_the_history_without_them():
    table = payments(200, seed=3)
    table["approved"] = np.random.default_rng(0).random(200) < 0.6
    options = {"windows": ("5d", None), "own": False}
    encoder = encoder_of(keep="approved", **options)
    rows = encoder.fit_transform(table)

    kept = table[table.approved]
    alone = encoder_of(**options)

    np.testing.assert_array_equal(rows[table.approved], alone.fit_transform(kept))
    assert encoder.history_.num_events == len(kept) == encoder.history_.num_kept
    assert encoder.history_.num_nodes == alone.history_.num_nodes
    for row in (0, 57, 199):
        known, asked = table[:row][table.approved[:row]], table[row : row + 1]
        if len(known):
            expected = encoder_of(**options).fit(known).transform(asked)
            np.testing.assert_array_equal(rows[row : row + 1], expected)


def test_an_account_that_is_only_asked_about_is_not_remembered(tmp_path):
    encoder = egonet.EventEncoder(keep="keep", windows=(None,), groups=("pair",))
    encoder.fit([("a", "b", 1, True), ("x", "y", 1, False), ("b", "c", 2, True), ("a", "z", 2, False)])

    assert encoder.history_.num_nodes == 3
    encoder.save(tmp_path / "events.npz")
    again = egonet.EventEncoder.open(tmp_path / "events.npz")
    assert again.keep == "keep"
    late = [("b", "a", 3, True), ("x", "y", 4, True), ("y", "x", 5, True)]
    np.testing.assert_array_equal(again.transform(late), encoder.partial_fit_transform(late))
    assert encoder.history_.num_nodes == 5


def test_a_batch_of_which_no_event_is_kept_moves_the_clock_alone():
    encoder = egonet.EventEncoder(keep="keep", windows=(5,), groups=("pair",)).fit([("a", "b", 1, True)])

    rows = encoder.partial_fit_transform([("a", "b", 2, False), ("a", "b", 9, False)])

    assert rows[:, 0].tolist() == [1, 0]
    assert (encoder.history_.num_events, encoder.history_.clock) == (1, 9)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("maybe", "keep must be true or false, got 'maybe' in row 1"),
        (2, "got 2 in row 1"),
        (None, "a value of keep"),
    ],
)
def test_what_is_neither_true_nor_false_is_an_error(value, message):
    encoder = egonet.EventEncoder(keep="keep", windows=(None,), groups=("pair",))

    with pytest.raises(InputError, match=message):
        encoder.fit([("a", "b", 1, True), ("a", "b", 2, value)])


def test_keep_is_read_from_every_kind_of_table(tmp_path):
    rows = [("a", "b", 1, True), ("a", "b", 2, False), ("a", "b", 3, True)]
    frame = pd.DataFrame(rows, columns=["source", "target", "time", "keep"])
    frame.to_csv(tmp_path / "events.csv", index=False)
    frame.to_parquet(tmp_path / "events.parquet")
    tables = [rows, frame, frame.assign(keep=frame.keep.astype(int)), pl.from_pandas(frame)]
    tables += [pyarrow.Table.from_pandas(frame), tmp_path / "events.csv", tmp_path / "events.parquet"]

    for table in tables:
        encoder = egonet.EventEncoder(keep="keep", windows=(None,), groups=("pair",))
        assert encoder.fit_transform(table)[:, 0].tolist() == [0, 1, 1]


@pytest.mark.parametrize("order", ["row", "time"])
def test_rows_of_nodes_are_those_of_the_source_of_an_event_that_does_not_count(order):
    table = payments(150, seed=5)
    options = {"windows": ("5d", None), "types": "means", "order": order, "radius": 2}
    encoder = encoder_of(**options).fit(table)
    times = table.when.max() + pd.to_timedelta([0, 1, 4, 30], unit="D")
    asked = pd.DataFrame({"node": ["a1", "a7", "new", "a1"], "when": times})[::-1]

    rows = pd.DataFrame(encoder.transform_nodes(asked), columns=encoder.node_feature_names_out())

    plain = encoder_of(**options, own=False).fit(table).set_output(transform="pandas")
    for place, (node, when) in enumerate(asked.itertuples(index=False, name=None)):
        event = pd.DataFrame([(node, "nobody", when, 1.0, "card")], columns=list(table.columns))
        expected = plain.transform(event).filter(regex="^source_").iloc[0]
        np.testing.assert_array_equal(rows.iloc[place].to_numpy(), expected.to_numpy())
        assert [f"source_{name}" for name in rows.columns] == expected.index.tolist()
    assert encoder.history_.num_events == 150


@pytest.mark.parametrize("order", ["row", "time"])
def test_rows_of_nodes_know_later_events_until_their_time(order):
    table = payments(160, seed=6).assign(approved=np.random.default_rng(0).random(160) < 0.8)
    options = {"windows": ("5d", None), "types": "means", "order": order, "keep": "approved"}
    january, february = table[:60], table[60:]
    encoder = encoder_of(**options).fit(january)
    times = january.when.max() + pd.to_timedelta([0, 2, 2, 9, 60], unit="D")
    asked = pd.DataFrame({"node": ["a1", "a7", "new", "a1", "a2"], "when": times})[::-1]

    rows = encoder.transform_nodes(asked, events=february)

    for place, (node, when) in enumerate(asked.itertuples(index=False, name=None)):
        twin = encoder_of(**options).fit(january).partial_fit(february[february.when <= when])
        np.testing.assert_array_equal(rows[place], twin.transform_nodes([(node, when)])[0])
    assert encoder.history_.num_events == january.approved.sum()
    np.testing.assert_array_equal(
        encoder_of(**options).fit(table).without_data().transform_nodes(asked, events=table), rows
    )


def test_events_of_rows_of_nodes_obey_the_rules_of_events():
    encoder = egonet.EventEncoder(amount="amount", windows=(5,), groups=("ends",)).fit([(1, 2, 5, 1.0)])
    names = encoder.node_feature_names_out().tolist()

    plain = encoder.transform_nodes([(1, 6)])
    np.testing.assert_array_equal(encoder.transform_nodes([(1, 6)], events=[]), plain)
    assert encoder.transform_nodes([], events=[(1, 2, 6, 1.0)]).shape == (0, len(names))
    halves = encoder.transform_nodes([(1, 7)], events=[(1, 2, 5.5, 1.0), (1, 2, 7.5, 1.0)])
    assert halves[0, names.index("out_events_5")] == 2
    with pytest.raises(InputError, match="are earlier than the last event of the history"):
        encoder.transform_nodes([(1, 6)], events=[(1, 2, 4, 1.0)])
    with pytest.raises(InputError, match="ids must be numbers"):
        encoder.transform_nodes([(1, 6)], events=[("1", "2", 6, 1.0)])
    with pytest.raises(InputError, match="ids of queries and of events must both be numbers or both be text"):
        encoder.without_data().transform_nodes([("1", 6)], events=[(1, 2, 6, 1.0)])
    with pytest.raises(InputError, match="amounts must add up"):
        encoder.transform_nodes([(1, 6)], events=[(1, 2, 6, 2.0**53)] * 600)


def test_ids_of_queries_are_text_where_those_of_events_are():
    encoder = egonet.EventEncoder(windows=(None,), groups=("ends",), ids="text").fit([(1, 2, 5), (1, 3, 6)])

    assert encoder.transform_nodes([(1, 6)])[0, 0] == 2


def test_wrong_queries_about_nodes_are_one_sentence():
    encoder = egonet.EventEncoder(windows=(None,), groups=("ends",)).fit([(1, 2, 5)])

    with pytest.raises(
        InputError, match="must not be earlier than the last event of the history, which is at 5, got 4"
    ):
        encoder.transform_nodes([(1, 4)])
    with pytest.raises(InputError, match="ids must be numbers"):
        encoder.transform_nodes([("1", 6)])
    with pytest.raises(InputError, match="Add one of them"):
        egonet.EventEncoder(windows=(None,), groups=("pair",)).fit([(1, 2, 5)]).transform_nodes([(1, 6)])
    assert encoder.transform_nodes([(1, 6)]).shape == (1, len(encoder.node_feature_names_out()))


def test_ids_beyond_63_bits_are_those_of_tuples():
    large = 2**63 + 1
    rows = [(large, 1, 1), (large, 1, 2), (-(2**63) + 1, 1, 3)]
    frame = pd.DataFrame(rows[:2], columns=["source", "target", "time"]).astype({"source": np.uint64})

    encoder = egonet.EventEncoder(windows=(None,), groups=("pair",)).fit(frame)

    assert encoder.transform(rows[2:])[0, 0] == 0
    assert encoder.transform([(large, 1, 3)])[0, 0] == 2


def test_options_may_be_numpy_numbers(tmp_path):
    events = [("a", "b", 1), ("b", "c", 2), ("c", "a", 3)]
    plain = egonet.EventEncoder(windows=(5,), radius=2, own=False, cycle_length=3, groups=GROUPS)
    options = {"radius": np.int64(2), "own": np.bool_(False), "cycle_length": np.int32(3)}
    encoder = egonet.EventEncoder(windows=(np.int64(5),), groups=GROUPS, **options)

    rows = encoder.fit_transform(events)
    encoder.save(tmp_path / "events.npz")

    assert np.array_equal(rows, plain.fit_transform(events), equal_nan=True)
    assert egonet.EventEncoder.open(tmp_path / "events.npz").get_params() == plain.get_params()


def test_a_window_that_is_a_timedelta_has_a_readable_name():
    encoder = egonet.EventEncoder(windows=(timedelta(days=7), np.timedelta64(90, "m")), groups=("pair",))

    names = encoder.fit([("a", "b", "2024-01-01")]).get_feature_names_out()

    assert names[[0, 3]].tolist() == ["pair_events_7d", "pair_events_90min"]


def test_a_single_event_has_ids_of_64_bits_like_a_table():
    encoder = egonet.EventEncoder(windows=(5,), groups=("pair",)).fit([(1, 2, 1)])

    with pytest.raises(InputError, match="64 bits"):
        encoder.partial_fit_transform([(2**70, 2, 3)])
    encoder.partial_fit_transform([(2**63, 2, 3)])

    assert encoder.history_.num_nodes == 3


@pytest.mark.parametrize("row", ["1;2;2024-01-31;5", "1;2;2024-01-31;5,50"])
@pytest.mark.parametrize("names", [NAMES, {}])
def test_a_file_with_semicolons_is_an_error_that_says_how_to_read_it(names, row, tmp_path):
    path = tmp_path / "payments.csv"
    path.write_text(f"payer;payee;when;amount\n{row}\n")

    hint = r"Are its fields separated by ';'\? Read it with delimiter=\";\"\.$"
    with pytest.raises(InputError, match=hint):
        egonet.EventEncoder(**names).fit_transform(path)
    with pytest.raises(InputError, match=hint):
        egonet.read_graph(path, source="payer", target="payee")
    rows = egonet.EventEncoder(**NAMES).fit_transform(pd.read_csv(path, delimiter=";", decimal=","))
    assert len(rows) == 1


@pytest.mark.parametrize("kinds", [[1.5, 2.0], [2.0, 3.0], [b"x", b"y"], [(1,), (2,)]], ids=str)
def test_types_that_are_no_labels_are_refused(kinds):
    table = pd.DataFrame(
        {"source": list("ab"), "target": list("bc"), "time": [1, 2], "kind": pd.Series(kinds)}
    )
    encoder = egonet.EventEncoder(types="kind", windows=(None,), groups=("ends",))

    with pytest.raises(
        InputError, match=r"types must be whole numbers or strings, 2 of 2 are not, first .* in row 0"
    ):
        encoder.fit(table)
    encoder.fit(table.assign(kind=["x", "y"], time=0))
    for call in (encoder.transform, encoder.partial_fit):
        with pytest.raises(InputError, match="types must be whole numbers or strings"):
            call(table)
    assert encoder.history_.num_events == 2


def test_a_saved_history_with_a_strange_column_is_damaged(tmp_path):
    path = tmp_path / "state.npz"
    egonet.EventEncoder(windows=(None,)).fit([("a", "b", 1)]).save(path)
    with np.load(path) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    header = json.loads(kept["header"].tobytes())
    header["columns"]["strange"] = "x"
    kept["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **kept)

    with pytest.raises(FileError, match=r"state\.npz is not an event history"):
        egonet.EventEncoder.open(path)

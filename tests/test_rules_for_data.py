"""The rules for data hold at every public entry point: one test per rule, run through all of them."""

import warnings
from datetime import date
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.entry_points import ENTRY_POINTS, OTHER_COMMANDS, PYG_ENTRY_POINTS, TAKE_NO_DATA, EntryPoint
from egonet.cli.commands import EXAMPLES
from egonet.errors import EgonetError, IgnoredInputWarning, InputError, UnseenWarning

EVERY = pytest.mark.parametrize("entry", ENTRY_POINTS, ids=lambda entry: entry.name)
#: Edges of a path, in the wrong order for rows by first appearance.
PATH = [(3, 2), (2, 1), (1, 0)]
CONTAINERS = ["pairs", "array", "pandas", "polars", "arrow"]


def contained(kind, tmp_path, pairs=PATH, **columns):
    """Return edges in another container; columns are further columns of a table."""
    source, target = ([pair[end] for pair in pairs] for end in (0, 1))
    if kind == "pairs":
        return list(pairs)
    if kind == "array":
        return np.array(pairs)
    frame = pd.DataFrame({"source": source, "target": target, **columns})
    if kind == "pandas":
        return frame
    if kind == "polars":
        import polars as pl

        return pl.DataFrame({"source": source, "target": target, **columns})
    if kind == "arrow":
        import pyarrow as pa

        return pa.table({"source": source, "target": target, **columns})
    path = tmp_path / "edges.csv"
    frame.to_csv(path, index=False)
    return str(path) if kind == "text" else path


def quiet(entry: EntryPoint, data, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        warnings.simplefilter("ignore", UnseenWarning)
        return entry.call(data, **keywords)


def need(entry, *keywords):
    if not entry.takes(*keywords):
        pytest.skip(f"{entry.name} has no {' and '.join(keywords)}")


def test_every_public_name_is_an_entry_point_or_takes_no_data():
    packages = ("links", "store")
    public = set(egonet.__all__) - {*packages, *MODULES}
    public |= {f"{package}.{name}" for package in packages for name in getattr(egonet, package).__all__}
    for name in MODULES:
        module = import_module(f"egonet.{name}")
        made_here = [each for each, value in vars(module).items() if is_made_in(value, module)]
        public |= {f"{name}.{each}" for each in made_here if not each.startswith("_")}
    public |= {f"cli.{command}" for command in EXAMPLES}

    listed = {entry.name for entry in (*ENTRY_POINTS, *PYG_ENTRY_POINTS)}
    assert listed | set(TAKE_NO_DATA) | {f"cli.{command}" for command in OTHER_COMMANDS} == public


#: Modules that are public as a whole: what they define without an underscore.
MODULES = ("accessors", "distributed", "duckdb", "nn")
#: Modules whose public names are those of `egonet` itself, of `egonet.links`, of `egonet.store` or of commands.
BEHIND = {
    *("checks", "cli", "embeddings", "encoding", "errors", "events", "explanation", "graph", "io", "kernel"),
    *("links", "notebook", "pairs", "progress", "pyg", "sklearn", "store", "tables", "temporal", "typing"),
    *("version", "viz", "wl"),
}


def test_every_module_is_public_or_behind_public_names():
    modules = {each.name for each in iter_modules(egonet.__path__) if not each.name.startswith("_")}

    assert modules == {*MODULES, *BEHIND}


def is_made_in(value, module):
    return isinstance(value, type | FunctionType) and value.__module__ == module.__name__


@pytest.mark.parametrize("kind", CONTAINERS)
@EVERY
def test_rows_of_whole_numbers_from_0_are_in_the_order_of_ids(entry, kind, tmp_path):
    found = quiet(entry, contained(kind, tmp_path))

    if entry.has_rows:
        assert list(found) == [0, 1, 2, 3]
    same = (
        PATH if entry.name == "EventEncoder" else [(0, 1), (1, 2), (2, 3)]
    )  # its rows are those of the events
    assert found == quiet(entry, same)


@EVERY
def test_rows_of_other_ids_are_in_the_order_of_first_appearance(entry, tmp_path):
    if not entry.has_rows:
        pytest.skip("has no rows of nodes")
    for kind in CONTAINERS[2:]:
        assert list(quiet(entry, contained(kind, tmp_path, [("b", "z"), ("z", "a")]))) == ["b", "z", "a"]


@EVERY
def test_a_sequence_of_labels_follows_whole_numbers_from_0(entry):
    need(entry, "labels")

    found = quiet(entry, PATH, labels=["zero", "one", "two", "three"])

    assert found == quiet(entry, PATH, labels={0: "zero", 1: "one", 2: "two", 3: "three"})


@EVERY
def test_a_sequence_of_labels_is_refused_where_no_order_is_defined(entry):
    need(entry, "labels")
    if entry.name == "cli.encode":
        pytest.skip("labels are a table with ids")

    with pytest.raises(InputError, match="mapping"):
        quiet(entry, [("b", "z"), ("z", "a")], labels=["x", "y", "z"])


@pytest.mark.parametrize(
    "call",
    [
        lambda data, values: egonet.ring_statistics(data, values, 1)["b"],
        lambda data, values: egonet.ring_statistics(data, np.array([values, values]).T, 1)["b"],
        lambda data, values: egonet.wl_colors(data, start=values).tolist(),
        lambda data, values: egonet.explore(data, radius=1, columns={"age": values}).html,
        lambda data, values: egonet.explore(data, radius=1, positions=[(x, x) for x in values]).html,
    ],
    ids=["ring_statistics", "two columns", "wl_colors", "columns", "positions"],
)
def test_a_sequence_of_values_is_refused_where_no_order_is_defined(call):
    pairs, values = [("b", "z"), ("z", "a")], [1, 2, 3]

    with pytest.raises(InputError, match="mapping"):
        call(pairs, values)
    assert call(egonet.as_graph(pairs), values)


@EVERY
def test_negative_whole_numbers_are_ids(entry):
    found = quiet(entry, [(-7, 2**62), (2**62, 5)])

    if entry.has_rows:
        assert list(found) == [-7, 2**62, 5]


@EVERY
def test_whole_floats_of_a_column_are_whole_numbers(entry):
    whole = pd.DataFrame({"source": [2, 1], "target": [1, 0]})

    assert quiet(entry, whole.astype(float)) == quiet(entry, whole)


@EVERY
def test_a_number_and_a_text_of_the_same_digits_are_refused_in_one_graph(entry):
    if entry.reads_files:
        pytest.skip("the digits in a text are one or the other")
    with pytest.raises(InputError, match=r'(?s)2.*"2"|\'2\'.*2|2.*\'2\''):
        quiet(entry, [(2, 1), ("2", 3)])


@EVERY
def test_missing_ids_are_counted_and_can_be_dropped(entry):
    frame = pd.DataFrame({"source": ["a", None, "b"], "target": ["b", "c", "c"]})

    # A text is read up to the first line that is wrong.
    with pytest.raises(InputError, match=r"line 3: .* missing=" if entry.reads_files else r"1 of 3"):
        quiet(entry, frame)
    assert quiet(entry, frame, missing="drop") == quiet(entry, frame.dropna())


@EVERY
def test_ids_can_be_read_as_text(entry):
    found = quiet(entry, pd.DataFrame({"source": [2, 1], "target": [1, 0]}), ids="text")

    if entry.has_rows:
        assert list(found) == ["2", "1", "0"]


@EVERY
def test_repeats_and_loops_are_counted_in_one_warning_whatever_the_columns_are_called(entry):
    if entry.has_times:
        pytest.skip("every event counts; its attributes count the loops")
    frame = pd.DataFrame(
        {"payer": ["a", "a", "b", "b"], "payee": ["b", "b", "c", "b"], "sum": [1.5, 2.5, 3.5, 4.5]}
    )

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        entry.call(frame, source="payer", target="payee")

    texts = [str(each.message) for each in caught if issubclass(each.category, IgnoredInputWarning)]
    graphs = 2 if entry.takes_two else 1
    shown = (
        f"{graphs} self-loop{'s' * (graphs > 1)} dropped, {graphs} repeated edge{'s' * (graphs > 1)} merged"
    )
    assert [shown in text for text in texts if "self-loop" in text] == [True]


@EVERY
def test_what_the_graph_carries_counts_like_what_is_given_with_the_call(entry):
    need(entry, "labels", "edge_labels")
    if entry.reads_files or entry.has_times:
        pytest.skip("takes no Graph")
    labels, types = {"a": "x", "b": "y", "c": "x"}, ["s", "t"]
    pairs = [("a", "b"), ("b", "c")]

    carried = quiet(entry, egonet.as_graph(pairs, labels=labels, edge_labels=types))

    assert carried == quiet(entry, pairs, labels=labels, edge_labels=types)
    assert carried != quiet(entry, pairs) or isinstance(carried, bool | str)


@EVERY
def test_types_from_a_text_file_stay_text(entry, tmp_path):
    need(entry, "edge_labels")
    if entry.reads_files or entry.has_times:
        pytest.skip("takes no Graph")
    path = tmp_path / "edges.csv"
    path.write_text("source,target,kind\n0,1,007\n1,2,7\n")
    expected = [(0, 1), (1, 2)]

    found = quiet(entry, egonet.read_graph(path, edge_labels="kind"))

    assert found == quiet(entry, expected, edge_labels=["007", "7"])


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "nonsense",
        b"\x00",
        [],
        {},
        object(),
        np.nan,
        [[1, 2, 3]],
        [("a",)],
        [(1, 2), (3,)],
        [(None, 1)],
        [(1.5, 2)],
    ],
    ids=lambda value: "an object" if type(value) is object else repr(value),
)
@EVERY
def test_bad_input_is_an_error_of_egonet(entry, value):
    if entry.reads_files:
        pytest.skip("tests/io reads damaged files")
    if entry.has_times and isinstance(value, list) and value == [[1, 2, 3]]:
        pytest.skip("is an event")
    try:
        quiet(entry, value)
    except EgonetError as error:
        message = str(error)
    else:
        assert value == [], f"{value!r} was accepted"
        return
    assert message.endswith((".", "?"))


@EVERY
def test_a_column_that_is_not_there_is_named(entry):
    frame = pd.DataFrame({"payer": ["a"], "payee": ["b"], "amount": [3]})

    with pytest.raises(InputError, match=r"'payr'.*'payer'"):
        quiet(entry, frame, source="payr", target="payee")


@EVERY
def test_tuples_are_ids(entry):
    if entry.reads_files:
        pytest.skip("a text has no tuples")
    pairs = [((0, 1), (0, 2)), ((0, 2), (1, 2))]

    if entry.name in ("GraphEncoder", "TemporalEncoder", "Stream", "EventEncoder"):
        pytest.skip("called with a table, which has columns of numbers or text")
    found = quiet(entry, pairs)

    if entry.has_rows:
        assert list(found) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("keyword", "values", "message"),
    [
        ("labels", {"a": "x", "b": None, "c": "y"}, r"1 of 3|must name every node"),
        ("labels", {"a": "x", "b": "y"}, r"1 of 3"),
        ("edge_labels", ["x", None], r"1 of 2|2 of 4"),
        ("weights", [1.5, np.nan], r"1 of 2|2 of 4"),
        ("weights", [1.5, np.inf], r"1 of 2|2 of 4"),
        ("weights", [1.5, 2**53 + 1], r"9007199254740993|2\*\*53"),
        ("weights", [1.5, "much"], r"1 of 2|numbers"),
    ],
)
@EVERY
def test_a_value_that_is_missing_or_no_value_is_counted(entry, keyword, values, message):
    need(entry, keyword)
    if entry.has_times and keyword != "labels":
        pytest.skip("the values of events are a column; tests/temporal has their rules")

    with pytest.raises(InputError, match=message):
        quiet(entry, [("a", "b"), ("b", "c")], **{keyword: values})


@pytest.mark.parametrize("keyword", ["edge_labels", "weights"])
@EVERY
def test_rows_without_a_value_can_be_dropped(entry, keyword):
    need(entry, keyword)
    values = ["x", None, "y"] if keyword == "edge_labels" else [1.5, None, 3.5]
    frame = pd.DataFrame({"source": list("aab"), "target": list("bcc"), "value": values})

    with pytest.raises(InputError, match=r"1 of 3|2 of 6|line 3|have none"):
        quiet(entry, frame, **{keyword: "value"})
    dropped = quiet(entry, frame, **{keyword: "value"}, missing="drop")
    assert dropped == quiet(entry, frame.dropna(), **{keyword: "value"})


@EVERY
def test_types_of_a_column_are_those_of_a_sequence(entry):
    need(entry, "edge_labels")
    if entry.has_times:
        pytest.skip("the types of events are a column")
    frame = pd.DataFrame({"source": list("ab"), "target": list("bc"), "kind": ["s", "t"]})

    assert quiet(entry, frame, edge_labels="kind") == quiet(
        entry, frame, source="source", target="target", edge_labels=["s", "t"]
    )


@EVERY
def test_two_pairs_of_columns_are_refused_with_both_readings(entry):
    frame = pd.DataFrame({"source": list("ab"), "target": list("bc"), "src": list("ac"), "dst": list("cb")})

    with pytest.raises(InputError, match=r"(?s)source.*src|src.*source"):
        quiet(entry, frame)
    named = quiet(entry, frame, source="src", target="dst")
    assert named == quiet(entry, frame[["src", "dst"]])


@EVERY
def test_what_is_not_used_is_silent_if_this_is_said(entry):
    if entry.has_times:
        pytest.skip("every event counts")
    frame = pd.DataFrame({"payer": list("aabb"), "payee": list("bbcb"), "sum": [1.5, 2.5, 3.5, 4.5]})
    told = egonet.as_graph(frame, source="payer", target="payee", simplify=True)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        entry.call(frame, source="payer", target="payee", simplify=True)
        if not entry.reads_files:
            entry.call(told)
    assert not [each for each in caught if "self-loop" in str(each.message)]


def test_a_list_of_graphs_is_silent_if_this_is_said():
    """Three edges are one, and nothing is said about the other two."""
    frame = pd.DataFrame({"source": list("aba"), "target": list("bab"), "sum": [1.5, 2.5, 3.5]})

    with pytest.warns(IgnoredInputWarning, match="4 repeated edges merged"):
        egonet.encode([frame, frame], 1)
    assert egonet.encode([frame, frame], 1, simplify=True).matrix.sum() == 8
    assert egonet.disjoint_union([frame], simplify=True)[0].num_edges == 1


@EVERY
def test_a_failed_call_does_not_change_the_next_one(entry):
    before = quiet(entry, PATH)

    with pytest.raises(EgonetError):
        quiet(entry, [(3, 2), (None, 1)])
    assert quiet(entry, PATH) == before


@pytest.mark.parametrize(
    ("keyword", "value"),
    [("directed", "both"), ("directed", 2), ("missing", "zero"), ("ids", "number"), ("simplify", "yes")],
)
@EVERY
def test_a_keyword_has_the_same_values_everywhere(entry, keyword, value):
    need(entry, keyword)
    if entry.name == "cli.encode" and keyword == "simplify":
        pytest.skip("a switch has no value")

    with pytest.raises(InputError, match=keyword):
        quiet(entry, PATH, **{keyword: value})


TIMED = pytest.mark.parametrize(
    "entry", [entry for entry in ENTRY_POINTS if entry.has_times], ids=lambda entry: entry.name
)
DAYS = ["2024-01-01", "2024-01-02", "2024-01-04"]


def timed(times):
    """Return a path of three events."""
    return pd.DataFrame({"source": list("abc"), "target": list("bcd"), "time": times})


@pytest.mark.parametrize(
    ("times", "later", "keywords"),
    [
        (DAYS, "2024-02-01", {}),
        ([f"{day}T00:00:00.0" for day in DAYS], pd.Timestamp("2024-02-01"), {}),
        ([date.fromisoformat(day) for day in DAYS], date(2024, 2, 1), {}),
        (np.array(DAYS, dtype="datetime64[s]"), np.datetime64("2024-02-01"), {}),
        (["01.01.2024", "02.01.2024", "04.01.2024"], "01.02.2024", {"time_format": "%d.%m.%Y"}),
    ],
    ids=["text", "text with a time", "dates", "NumPy", "time_format"],
)
@TIMED
def test_a_moment_is_the_same_in_every_form(entry, times, later, keywords):
    if entry.name == "Stream" and keywords:
        later = date(2024, 2, 1)  # the format is that of the table

    assert entry.as_of(timed(times), later, **keywords) == entry.as_of(
        timed(pd.to_datetime(DAYS)), pd.Timestamp("2024-02-01")
    )


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1, "2024-01-02", 3], "numbers or dates, got '2024-01-02'"),
        (["1", "2024-01-02", "3"], "all be numbers or all be dates"),
        ([1.0, np.inf, 3.0], "finite"),
        ([2**53 + 1, 0.5, 3], r"2\*\*53"),
        ([True, False, True], "numbers or dates"),
        (["01/02/2024"] * 3, "time_format="),
    ],
    ids=str,
)
@TIMED
def test_times_that_could_be_compared_wrongly_are_refused(entry, times, message):
    frame = timed([1, 2, 3]).assign(time=pd.Series(times, dtype=object))

    with pytest.raises(InputError, match=message):
        entry.as_of(frame, 10)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "parquet"])
@TIMED
def test_dates_with_a_time_zone_are_never_compared_with_dates_without(entry, kind, tmp_path):
    frame = timed(pd.to_datetime(DAYS).tz_localize("Asia/Kolkata"))
    data = contained(kind, tmp_path, list(zip(frame.source, frame.target, strict=True)), time=frame.time)
    if kind == "parquet":
        frame.to_parquet(tmp_path / "events.parquet")
        data = str(tmp_path / "events.parquet")

    later = entry.as_of(data, pd.Timestamp("2024-02-01", tz="Asia/Kolkata"))

    assert later == entry.as_of(timed(pd.to_datetime(DAYS)), pd.Timestamp("2024-02-01"))
    if entry.name == "EventEncoder":
        return  # has no queries here
    with pytest.raises(InputError, match="time zone"):
        entry.as_of(data, pd.Timestamp("2024-02-01"))


@TIMED
def test_a_missing_time_is_counted_and_can_be_dropped(entry):
    frame = timed([1.0, np.nan, 3.0])

    with pytest.raises(InputError, match=r"a time, 1 of 3 have none, first in row 1"):
        entry.as_of(frame, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        dropped = [
            row for row in entry.as_of(frame, 10, missing="drop") if row == row[:] and row[0] == row[0]
        ]
    assert dropped == entry.as_of(frame.dropna(), 10)


@TIMED
def test_whole_times_beyond_the_exact_floats_keep_their_order(entry):
    large = 2**60

    later = entry.as_of(timed([large, large + 1, large + 2]), large + 3)

    assert later == entry.as_of(timed([0, 1, 2]), 3)
    with pytest.raises(InputError, match=r"64-bit|64 bits"):
        entry.as_of(timed(pd.Series([0, 1, 2**64], dtype=object)), 2**65)


@TIMED
def test_a_file_of_events_is_read_like_a_table(entry, tmp_path):
    timed(DAYS).to_csv(tmp_path / "events.csv", index=False)

    read = entry.as_of(str(tmp_path / "events.csv"), pd.Timestamp("2024-02-01"))

    assert read == entry.as_of(timed(DAYS), pd.Timestamp("2024-02-01"))


WRITERS = {
    "npz": lambda made, path: made.save(path / "rows.npz") or path / "rows.npz",
    "vocabulary": lambda made, path: made.vocabulary.save(path / "columns.json") or path / "columns.json",
    "parquet": lambda made, path: made.write(path / "rows.parquet") or path / "rows.parquet",
    "arrow": lambda made, path: made.write(path / "rows.arrow") or path / "rows.arrow",
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRY_POINTS if entry.learn is not None], ids=lambda entry: entry.name
)
def test_every_file_we_wrote_gives_its_columns(entry, kind, tmp_path):
    learned = entry.learn([("a", "b"), ("b", "c"), ("c", "a")])
    path = WRITERS[kind](learned, tmp_path)
    data = [("x", "y"), ("y", "z"), ("z", "x")]

    again = entry.learn(data, vocabulary=path)

    assert again.feature_names == learned.feature_names
    assert np.asarray(again).tolist() == np.asarray(entry.learn(data, vocabulary=learned)).tolist()


@pytest.mark.parametrize("kind", WRITERS)
def test_overwriting_a_file_keeps_its_mode(kind, tmp_path):
    learned = egonet.encode(PATH, 1)
    path = WRITERS[kind](learned, tmp_path)
    path.chmod(0o640)

    WRITERS[kind](learned, tmp_path)

    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("text", [b"", b"nonsense", b"{}", b"\x00" * 100])
def test_a_damaged_file_is_no_vocabulary(kind, text, tmp_path):
    path = WRITERS[kind](egonet.encode(PATH, 1), tmp_path)
    path.write_bytes(text)

    with pytest.raises(EgonetError):
        egonet.encode(PATH, vocabulary=path)

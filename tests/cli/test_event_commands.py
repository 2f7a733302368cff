"""`egonet temporal`: tables of events and queries in, features as of a time out."""

import gzip
import json

import pandas as pd
import pytest

import egonet

EVENTS = [
    ("a", "b", "2024-01-01"),
    ("b", "c", "2024-01-02"),
    ("a", "c", "2024-01-02"),
    ("c", "d", "2024-01-09"),
]
QUERIES = [("a", "2024-01-02"), ("a", "2024-01-03T12:00"), ("c", "2024-01-10")]


@pytest.fixture
def files(tmp_path):
    """Write the events out of order, in CSV, and the queries."""
    rows = "".join(f"{','.join(event)}\n" for event in reversed(EVENTS))
    (tmp_path / "events.csv").write_text(f"source,target,time\n{rows}")
    with gzip.open(tmp_path / "events.csv.gz", "wt") as stream:
        stream.write(f"source,target,time\n{rows}")
    (tmp_path / "queries.csv").write_text("node,time\n" + "".join(f"{u},{t}\n" for u, t in QUERIES))
    return tmp_path


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_temporal_writes_the_rows_of_the_encoder(files, run, ending):
    events, output = files / f"events{ending}", files / "out.parquet"
    run("temporal", events, "--queries", files / "queries.csv", "--window", "5d", "-r", "1", "-o", output)

    encoder = egonet.TemporalEncoder(EVENTS, 1, window="5d", sparse_output=False)
    expected = encoder.fit_transform(QUERIES)
    table = pd.read_parquet(output)
    assert table.columns.tolist() == ["node", "time", *encoder.get_feature_names_out()]
    assert table.node.tolist() == ["a", "a", "c"]
    assert table.time.tolist() == [time for _, time in QUERIES]
    assert table.iloc[:, 2:].to_numpy().tolist() == expected.tolist()


def test_temporal_uses_columns_that_were_saved(files, run, error_of):
    (files / "later.csv").write_text("node,time\nd,2024-01-20\n")
    events, columns = files / "events.csv", files / "columns.json"
    run("temporal", events, "--queries", files / "queries.csv", "-r", "1", "--save-vocabulary", columns, "-q")
    run("temporal", events, "--queries", files / "later.csv", "--vocabulary", columns, "-o", files / "b.csv")

    table = pd.read_csv(files / "b.csv")
    assert table.columns.tolist()[2:] == egonet.Vocabulary.load(columns).feature_names
    assert table.iloc[0, 2:].sum() == 2
    assert "has its own settings" in error_of(
        "temporal", events, "--queries", files / "later.csv", "--vocabulary", columns, "-r", "2"
    )


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_rows_as_of_a_time_have_their_columns_for_later_calls(files, run, error_of, ending):
    events, january = files / "events.csv", files / f"january{ending}"
    run("temporal", events, "--queries", files / "queries.csv", "-r", "1", "-o", january)

    run(
        "temporal", events, "--queries", files / "queries.csv", "--vocabulary", january, "-o", files / "a.csv"
    )

    names = pd.read_csv(files / "a.csv").columns.tolist()[2:]
    assert egonet.encode([("a", "b")], vocabulary=january).feature_names == names
    run("events", events, "--windows", "all", "-o", january)
    message = error_of("temporal", events, "--queries", files / "queries.csv", "--vocabulary", january)
    assert "has no columns that egonet wrote. Give a .npz" in message


def test_times_and_ids_may_be_numbers(tmp_path, run):
    (tmp_path / "events.tsv").write_text("from\tto\tday\n1\t2\t3\n2\t3\t4\n")
    (tmp_path / "asked.csv").write_text("id,day\n2,5\n2,9\n")

    done = run(
        "temporal", tmp_path / "events.tsv", "--queries", tmp_path / "asked.csv", "--time", "day",
        "--source", "from", "--target", "to", "--window", "2", "-r", "1", "-o", "-", "-q",
    )  # fmt: skip

    assert done.stdout.split() == ["node,day,r1_d0_deg0,r1_d0_deg2,r1_d1_deg1", "2,5,0,1,2", "2,9,1,0,0"]


def test_temporal_shows_the_first_rows_and_prints_json(files, run):
    arguments = ("temporal", files / "events.csv", "--queries", files / "queries.csv", "-r", "1")

    shown = run(*arguments)
    facts = json.loads(run(*arguments, "--json").stdout)

    assert "2×(1, 2)" in shown.stdout
    assert "3 rows" in shown.stderr
    assert (facts["num_events"], facts["num_rows"]) == (4, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--window", "5 moons"], "--window must be a duration such as '7d'"),
        (["--time", "when"], "has no column 'when'. Set --time; there are source, target, time."),
        (["--node", "who"], "has no column 'who'. Set --node; there are node, time."),
        (["-o", "out.npz"], "the rows are written as .parquet, .arrow, .csv, got 'out.npz'."),
        (["--closed", "both"], "must be one of 'left', 'right', got 'both'"),
        (["-r", "x"], "radius must be a whole number"),
        (["-r", ""], "radius must be a whole number >= 0, or several as in 1,2, got ''."),
    ],
)
def test_bad_options_are_one_sentence(files, error_of, arguments, message):
    found = error_of("temporal", files / "events.csv", "--queries", files / "queries.csv", *arguments)

    assert message in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with the names of its columns"),
        ("node," + "x" * 5000 + ",node\n", "xxx..."),
        ("node,time\na\n", "record 2: expected 2 fields, got 1"),
        ("node,time\na,01/02/2024\n", "a time in text must be a date such as"),
        ("node,time\na,5\n", "the times of queries must be dates"),
        ("who,time\na,2024-01-03\n", "which column of"),
        ("node,time\na,\n", "column 'time' must have a time in every row, 1 of 1 have none, first in row 1"),
    ],
)
def test_bad_queries_are_one_sentence(files, error_of, text, message):
    (files / "wrong.csv").write_text(text)

    assert message in error_of("temporal", files / "events.csv", "--queries", files / "wrong.csv")


def test_labels_types_and_amounts_of_events(tmp_path, run, error_of):
    (tmp_path / "paid.csv").write_text("source,target,time,kind,amount\na,b,1,x,5\nb,c,3,y,20\na,c,2,x,700\n")
    (tmp_path / "kinds.csv").write_text("node,label\na,C\nb,N\nc,C\n")
    (tmp_path / "queries.csv").write_text("node,time\na,4\n")
    ends = ("--source", "source", "--target", "target", "-r", "1")
    call = ("temporal", tmp_path / "paid.csv", "--queries", tmp_path / "queries.csv")
    columns = tmp_path / "columns.json"

    typed = ("--labels", tmp_path / "kinds.csv", "--edge-labels", "kind")
    printed = run(
        *call, *ends, *typed, "--degree-bins", "log", "--save-vocabulary", columns, "-o", "-"
    ).stdout
    again = run(*call, *ends[:4], *typed, "--vocabulary", columns, "-o", "-").stdout
    binned = run(*call, *ends, "--weights", "amount", "--weight-bins", "10,100", "-o", "-").stdout

    assert printed.splitlines()[0] == (
        "node,time,r1_d0_deg2to3_labelC,r1_d1_x_deg2to3,r1_d2_deg1_labelC,r1_d2_deg1_labelN"
    )
    assert printed.splitlines()[1] == "a,4,1,2,1,1"
    assert again == printed
    assert "r1_d1_100plus_deg2,r1_d1_below10_deg2" in binned
    unlabeled = error_of(*call, *ends[:4], *typed[2:], "--vocabulary", columns)
    assert unlabeled == "the vocabulary was learned with node labels. Give --labels here too."
    untyped = error_of(*call, *ends[:4], *typed[:2], "--vocabulary", columns, "-o", "-")
    assert untyped == "the vocabulary was learned with edge labels. Give --edge-labels here too."


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-8"), ("\t", "utf-8"), (",", "utf-8-sig")])
def test_events_or_queries_come_from_stdin(files, run, piped, delimiter, encoding):
    call = ("temporal", files / "events.csv", "--queries", files / "queries.csv", "-r", "1", "-o", "-")
    expected = run(*call).stdout

    for place, name in ((1, "events.csv"), (3, "queries.csv")):
        piped((files / name).read_text().replace(",", delimiter).encode(encoding))
        changed = [*call]
        changed[place] = "-"
        assert run(*changed).stdout == expected


def test_utf16_on_stdin_is_one_sentence(files, error_of, piped):
    piped((files / "events.csv").read_text().encode("utf-16"))

    message = error_of("temporal", "-", "--queries", files / "queries.csv")

    assert message == "stdin is UTF-16, but text must be UTF-8. Save it as UTF-8."


def test_both_ends_of_events_have_one_type(tmp_path, run):
    """Node 2 is the target of one event and the source of another."""
    (tmp_path / "events.csv").write_text("source,target,time\n1,2,1\n2,x,2\n")
    (tmp_path / "queries.csv").write_text("node,time\n2,5\n")

    call = ("temporal", tmp_path / "events.csv", "--queries", tmp_path / "queries.csv", "-r", "1", "-o", "-")

    assert run(*call).stdout.split() == ["node,time,r1_d0_deg2,r1_d1_deg1", "2,5,1,2"]


def test_queries_and_labels_have_the_type_of_the_events(tmp_path, run):
    (tmp_path / "events.csv").write_text("source,target,time\nu1, 10,1\n")
    (tmp_path / "queries.csv").write_text("node,time\n10,5\n")
    (tmp_path / "kinds.csv").write_text("node,kind\nu1,A\n10,B\n")

    done = run(
        "temporal", tmp_path / "events.csv", "--queries", tmp_path / "queries.csv", "-r", "1", "-o", "-",
        "--labels", tmp_path / "kinds.csv",
    )  # fmt: skip

    assert done.stdout.split() == ["node,time,r1_d0_deg1_labelB,r1_d1_deg1_labelA", "10,5,1,1"]
    assert "blanks around 1 ids are removed, first in line 2." in done.stderr


def test_an_unbalanced_quote_loses_no_event(tmp_path, files, error_of):
    rows = 'a,b,1,"12 inch\nb,c,2,ok\nc,d,3,ok\nd,a,4,"9 inch\na,c,5,ok\n'
    (tmp_path / "noted.csv").write_text(f"source,target,time,note\n{rows}")

    message = error_of("temporal", tmp_path / "noted.csv", "--queries", files / "queries.csv")

    assert "noted.csv, line 2: text follows a closing quote" in message


@pytest.mark.parametrize("name", ["queries.csv", "events.csv", "out.csv", "kinds.csv"])
def test_the_vocabulary_overwrites_no_other_file(files, error_of, name):
    (files / "kinds.csv").write_text("node,kind\na,x\nb,x\nc,y\nd,y\n")
    before = {path.name: path.read_bytes() for path in files.iterdir()}

    message = error_of(
        "temporal", files / "events.csv", "--queries", files / "queries.csv", "--labels", files / "kinds.csv",
        "-o", files / "out.csv", "--save-vocabulary", files / name,
    )  # fmt: skip

    assert "would be overwritten: it is the same file as" in message
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_an_empty_weight_is_named_by_its_row(tmp_path, files, error_of):
    (tmp_path / "paid.csv").write_text("source,target,time,amount\na,b,1,5\nb,c,2,\nc,a,3,7\n")

    message = error_of(
        "temporal", tmp_path / "paid.csv", "--queries", files / "queries.csv", "--weights", "amount"
    )

    assert (
        "column 'amount' must have a finite number in every row, 1 of 3 have none, first '' in row 2"
        in message
    )


PAYMENTS = [
    ("ann", "bob", "2024-01-01", 5.0),
    ("bob", "cid", "2024-01-02", 4.0),
    ("ann", "bob", "2024-01-20", 7.5),
    ("cid", "ann", "2024-02-01", 1.0),
]


@pytest.fixture
def months(tmp_path):
    """Write payments of two months, and of both."""
    header = "payer,payee,when,amount\n"
    lines = [",".join(map(str, row)) + "\n" for row in PAYMENTS]
    for name, rows in (("january", lines[:3]), ("february", lines[3:]), ("both", lines)):
        (tmp_path / f"{name}.csv").write_text(header + "".join(rows))
    return tmp_path


COLUMNS = ("--source", "payer", "--target", "payee", "--time", "when", "--amount", "amount")


def test_events_writes_the_rows_of_the_encoder_and_continues_next_month(months, run):
    options = (*COLUMNS, "--windows", "7d,30d,all", "--groups", "ends,pair,cycles")
    run(
        "events",
        months / "january.csv",
        *options,
        "-o",
        months / "1.parquet",
        "--save-state",
        months / "state",
    )
    run("events", months / "february.csv", "--state", months / "state", "-o", months / "2.parquet")
    run("events", months / "both.csv", *options, "-o", months / "both.parquet")

    encoder = egonet.EventEncoder(
        amount="amount", windows=("7d", "30d", None), groups=("ends", "pair", "cycles")
    )
    expected = encoder.fit_transform(PAYMENTS)
    whole = pd.read_parquet(months / "both.parquet")
    assert whole.columns.tolist() == ["payer", "payee", "when", *encoder.get_feature_names_out()]
    pd.testing.assert_frame_equal(
        whole.iloc[:, 3:], pd.DataFrame(expected, columns=encoder.get_feature_names_out())
    )
    parts = pd.concat([pd.read_parquet(months / f"{month}.parquet") for month in (1, 2)], ignore_index=True)
    pd.testing.assert_frame_equal(parts, whole)
    assert whole["cycles_of_3_all"].tolist() == [0, 0, 0, 1]


def test_a_folder_with_a_state_takes_the_state_of_every_month(months, run):
    state = months / "state"
    run("events", months / "january.csv", *COLUMNS, "--windows", "7d", "--save-state", state)

    run(
        "events", months / "february.csv", "--state", state, "--save-state", state, "-o", months / "2.parquet"
    )

    assert egonet.EventEncoder.open(state / "events.npz").history_.num_events == len(PAYMENTS)


@pytest.mark.parametrize("days", [("2024-03-01", "2024-03-01"), ("2024-03-01", "2024-03-02")])
@pytest.mark.parametrize("rules", [(), ("--late", "arrival"), ("--windows", "1d")], ids=" ".join)
def test_a_command_that_runs_again_does_not_count_its_events_twice(tmp_path, run, error_of, days, rules):
    state = tmp_path / "state.npz"
    header = "source,target,time,amount\n"
    (tmp_path / "1.csv").write_text(f"{header}a,b,2024-01-01,5\nb,a,2024-01-02,6\n")
    (tmp_path / "2.csv").write_text(f"{header}a,b,{days[0]},5\nb,c,{days[1]},-6.5\n")
    run("events", tmp_path / "1.csv", "--amount", "amount", *rules, "--save-state", state)
    late = rules if rules[:1] == ("--late",) else ()
    again = ("events", tmp_path / "2.csv", "--state", state, *late, "--save-state", state)
    run(*again)
    before = state.read_bytes()

    said = error_of(*again)
    shown = error_of(*again[:4], *late, "-o", "-")

    assert "2 of 2 events are already the last ones of --state." in said
    assert "If they happened again, set --repeated." in said
    assert shown == said
    assert state.read_bytes() == before
    if days[0] == days[1] or late:
        run(*again, "--repeated")
        assert egonet.EventEncoder.open(state).history_.num_events == 6
        assert "already the last ones" in error_of(*again)


def test_other_events_of_the_last_moment_are_added(tmp_path, run):
    state = tmp_path / "state.npz"
    for number, row in enumerate(
        ["a,b,5,x,1", "a,b,5,x,2", "a,b,5,y,2", "a,c,5,y,2", "b,c,5,y,2", "b,c,6,y,2"]
    ):
        (tmp_path / "rows.csv").write_text(f"source,target,time,kind,amount\n{row}\n")
        options = (
            ("--state", state) if number else ("--types", "kind", "--amount", "amount", "--windows", "all")
        )
        run("events", tmp_path / "rows.csv", *options, "--save-state", state)

    assert egonet.EventEncoder.open(state).history_.num_events == 6


def test_messages_about_windows_of_events_name_the_option(months, error_of):
    command = ("events", months / "january.csv", *COLUMNS, "--windows")

    assert "so --windows must be a duration such as '7d'" in error_of(*command, "7,30")
    assert "--windows must be above 0 and finite, got '0d'. Use all for no limit." in error_of(*command, "0d")


def test_events_shows_rows_takes_positions_and_keeps_the_state_without_being_asked(months, run, error_of):
    state = months / "state.npz"
    shown = run("events", months / "january.csv", "--source", "1", "--target", "2", "--time", "3")
    made = run("events", months / "january.csv", *COLUMNS, "--windows", "5d", "--save-state", state, "--json")
    before = state.read_bytes()
    run("events", months / "february.csv", *COLUMNS, "--state", state, "-o", "-")

    assert "ann" in shown.stdout
    assert json.loads(made.stdout)["num_rows"] == 3
    assert state.read_bytes() == before
    assert "has its own features" in error_of(
        "events", months / "february.csv", *COLUMNS, "--state", state, "--windows", "7d"
    )
    plain = months / "plain.npz"
    run("events", months / "january.csv", *COLUMNS[:-2], "--save-state", plain)
    assert "the state has no amount" in error_of(
        "events", months / "february.csv", *COLUMNS, "--state", plain
    )
    assert "no column 'payr'" in error_of("events", months / "january.csv", "--source", "payr", *COLUMNS[4:])


def test_events_shows_counts_and_times_whole(tmp_path, run):
    rows = "".join(f"a,b,2024-01-{day:02d}\n" for day in range(1, 11))
    (tmp_path / "events.csv").write_text(f"source,target,time\n{rows}")

    counts = run("events", tmp_path / "events.csv", "--groups", "ends", "--windows", "all")
    times = run("events", tmp_path / "events.csv", "--groups", "cycles")

    assert counts.stdout.splitlines()[-1].split("│")[-1].strip() == "10"
    assert times.stdout.splitlines()[-1].split("│")[-1].strip() == "2024-01-10"


def test_a_state_reads_a_table_with_other_names_and_says_which_column_is_not_there(months, run, error_of):
    text = (months / "february.csv").read_text()
    (months / "renamed.csv").write_text(text.replace("amount", "value"))
    run("events", months / "january.csv", *COLUMNS, "--save-state", months / "state")

    same = run("events", months / "february.csv", "--state", months / "state", "-o", "-").stdout
    renamed = run(
        "events", months / "renamed.csv", "--amount", "value", "--state", months / "state", "-o", "-"
    ).stdout

    assert renamed == same
    assert "has no column 'amount'. Set --amount" in error_of(
        "events", months / "renamed.csv", "--state", months / "state"
    )


def test_events_that_are_not_kept_get_a_row_and_leave_no_trace(tmp_path, run):
    (tmp_path / "events.csv").write_text("source,target,time,approved\na,b,1,false\na,b,2,true\na,b,3,true\n")

    shown = run(
        *("events", tmp_path / "events.csv", "--keep", "approved"),
        *("--windows", "all", "--groups", "pair", "-o", "-"),
    ).stdout.splitlines()

    place = shown[0].split(",").index("pair_events_all")
    assert [line.split(",")[place] for line in shown[1:]] == ["0.0", "0.0", "1.0"]


def test_temporal_counts_events_and_directions(tmp_path, run):
    (tmp_path / "events.csv").write_text("source,target,time\na,b,1\na,b,2\nb,a,3\n")
    (tmp_path / "asked.csv").write_text("node,time\na,4\n")
    call = ("temporal", tmp_path / "events.csv", "--queries", tmp_path / "asked.csv", "-r", "1", "-o", "-")

    assert run(*call, "--count", "events").stdout.splitlines()[0] == "node,time,r1_d0_events3,r1_d1_events3"
    both = run(*call, "--count", "events", "--degrees", "in_out").stdout.splitlines()[0]
    assert both == "node,time,r1_d0_in1_out2,r1_d1_in2_out1"


def test_times_have_the_format_that_is_given(tmp_path, run):
    (tmp_path / "events.csv").write_text("source,target,time\na,b,20240105\na,c,20240103\n")
    (tmp_path / "asked.csv").write_text("node,time\na,20240104\na,20240106\n")
    call = (
        "temporal",
        tmp_path / "events.csv",
        "--queries",
        tmp_path / "asked.csv",
        "-r",
        "1",
        "-o",
        "-",
        "-q",
    )

    done = run(*call, "--time-format", "%Y%m%d", "--window", "30d")
    paid = run("events", tmp_path / "events.csv", "--time-format", "%Y%m%d", "--late", "arrival", "--json")

    assert done.stdout.split() == [
        "node,time,r1_d0_deg1,r1_d0_deg2,r1_d1_deg1",
        "a,20240104,1,0,1",
        "a,20240106,0,1,2",
    ]
    assert json.loads(paid.stdout)["num_events"] == 2


def rows_at(run, folder, events, queries, *options):
    (folder / "events.csv").write_text(events)
    (folder / "asked.csv").write_text(queries)
    call = ("temporal", folder / "events.csv", "--queries", folder / "asked.csv", "-r", "1", "-o", "-", "-q")
    return [line.partition(",")[2].partition(",")[2] for line in run(*call, *options).stdout.split()]


def test_rows_of_a_table_without_a_header_are_counted_from_its_first_line(tmp_path, error_of):
    (tmp_path / "events.csv").write_text("a,b,1\na,c,3\n")
    (tmp_path / "asked.csv").write_text("a,x\na,4\n")

    message = error_of(
        "temporal", tmp_path / "events.csv", "--queries", tmp_path / "asked.csv", "--no-header"
    )

    assert "first 'x' in row 1. Drop" in message


def test_tables_without_a_header_and_columns_by_position_give_the_same_rows(tmp_path, run):
    expected = ["r1_d0_deg1,r1_d0_deg2,r1_d1_deg1", "1,0,1", "0,1,2"]
    events, queries = "a,b,1\na,c,3\n", "a,2\na,4\n"

    assert rows_at(run, tmp_path, "source,target,time\n" + events, "node,time\n" + queries) == expected
    assert rows_at(run, tmp_path, "SOURCE,TARGET,TIME\n" + events, "ID,TIME\n" + queries) == expected
    assert rows_at(run, tmp_path, events, queries, "--no-header") == expected
    turned = "1,b,a\n3,c,a\n"
    ends = ("--source", "3", "--target", "2")
    assert rows_at(run, tmp_path, turned, queries, "--no-header", "--time", "1", *ends) == expected
    named = "time,payee,payer\n" + turned
    assert rows_at(run, tmp_path, named, "node,time\n" + queries, *ends) == expected


def test_queries_without_a_header_have_two_columns(tmp_path, error_of):
    (tmp_path / "events.csv").write_text("a,b,1\n")
    (tmp_path / "asked.csv").write_text("a,2,x\n")

    found = error_of("temporal", tmp_path / "events.csv", "--queries", tmp_path / "asked.csv", "--no-header")

    assert "must have two columns, a node and a time, if there is no header, got 3. Add a header" in found


def test_events_without_a_header_and_columns_by_position_give_the_same_rows(tmp_path, run):
    def rows(text, *options):
        (tmp_path / "events.csv").write_text(text)
        done = run(
            "events", tmp_path / "events.csv", "--windows", "all", "--groups", "pair", "-o", "-", *options
        )
        return [line.split(",")[3:] for line in done.stdout.split()]

    events = "a,b,1,5\na,b,3,6\n"
    expected = rows("source,target,time,amount\n" + events, "--amount", "amount")

    assert rows(events, "--no-header", "--amount", "4") == expected
    moved = ("--source", "3", "--target", "2", "--time", "1", "--amount", "4")
    assert rows("1,b,a,5\n3,b,a,6\n", "--no-header", *moved) == expected


def test_types_and_labels_of_tables_stay_text_from_one_month_to_the_next(tmp_path, run):
    def rows(kind, label, *options):
        (tmp_path / "events.csv").write_text(f"source,target,time,mcc\na,b,1,5411\nb,c,2,{kind}\n")
        (tmp_path / "asked.csv").write_text("node,time\na,9\n")
        (tmp_path / "labels.csv").write_text(f"node,label\na,1\nb,1\nc,{label}\n")
        files = (tmp_path / "events.csv", "--queries", tmp_path / "asked.csv")
        typed = ("--edge-labels", "mcc", "--labels", tmp_path / "labels.csv")
        return run("temporal", *files, *typed, "-o", "-", "-q", *options).stdout.split()

    columns = tmp_path / "columns.json"
    january = rows("5412", "2", "-r", "1", "--save-vocabulary", columns)

    assert january[0].split(",")[2:] == ["r1_d0_deg1_label1", "r1_d1_5411_deg2", "r1_d2_deg1_label1"]
    assert rows("7A", "x", "--vocabulary", columns) == january


def test_columns_of_pairs_are_no_columns_of_nodes_as_of_a_time(files, error_of):
    egonet.encode_pairs([("a", "b"), ("b", "c")], [("a", "c")], 1).save(files / "pairs.npz")

    found = error_of(
        "temporal",
        files / "events.csv",
        "--queries",
        files / "queries.csv",
        "--vocabulary",
        files / "pairs.npz",
    )

    assert "vocabulary must be that of an encoding of nodes, got one of pairs" in found


@pytest.fixture
def gaps(tmp_path):
    (tmp_path / "events.csv").write_text(
        "source;target;time;kind\n1;2;1;x\n;3;2;x\n2;3;3;y\n2;4;NULL;y\n2;4;4;NULL\n"
    )
    (tmp_path / "whole.csv").write_text("source,target,time,kind\n1,2,1,x\n2,3,3,y\n")
    (tmp_path / "queries.csv").write_text("node;time\n2;5\n;6\n")
    (tmp_path / "asked.csv").write_text("node,time\n2,5\n")
    return tmp_path


def test_temporal_drops_and_counts_rows_with_a_missing_value(gaps, run, error_of):
    call = ("temporal", gaps / "events.csv", "--queries", gaps / "queries.csv", "-r", "1", "-o", "-")
    named = ("--edge-labels", "kind", "--delimiter", ";")

    assert "--missing drop" in error_of(*call, *named)
    dropped = run(*call, *named, "--missing", "drop")

    whole = run(
        "temporal",
        gaps / "whole.csv",
        "--queries",
        gaps / "asked.csv",
        "-r",
        "1",
        "--edge-labels",
        "kind",
        "-o",
        "-",
    )
    assert dropped.stdout == whole.stdout
    assert "3 rows with a missing value are left out." in dropped.stderr
    assert "1 row with a missing value is left out." in dropped.stderr


def test_a_type_that_is_missing_is_no_type(gaps, error_of):
    (gaps / "null.csv").write_text("source,target,time,kind\na,b,1,x\nb,c,2,NULL\n")
    call = (
        "temporal",
        gaps / "null.csv",
        "--queries",
        gaps / "asked.csv",
        "--edge-labels",
        "kind",
        "-o",
        "-",
    )

    assert "must have a label in every row, 1 of 2 have none, first in row 2" in error_of(*call)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_ids_are_read_as_text_and_the_delimiter_is_given(tmp_path, run, error_of, ending):
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "time": [1, 3]})
    asked = pd.DataFrame({"node": [2], "time": [5]})
    events, queries = tmp_path / f"events{ending}", tmp_path / f"asked{ending}"
    for table, path in ((frame, events), (asked, queries)):
        table.to_csv(path, index=False, sep=";") if ending == ".csv" else table.to_parquet(path)
    delimiter = ("--delimiter", ";") if ending == ".csv" else ()
    temporal = ("temporal", events, "--queries", queries, "-r", "1", "-o", tmp_path / "rows.parquet")

    run(*temporal, *delimiter, "--ids", "text")
    assert pd.read_parquet(tmp_path / "rows.parquet")["node"].tolist() == ["2"]
    run(
        "events",
        events,
        *delimiter,
        "--ids",
        "text",
        "--windows",
        "all",
        "--save-state",
        tmp_path / "state.npz",
    )
    assert egonet.EventEncoder.open(tmp_path / "state.npz").history_.id_kind == "text"
    if ending == ".parquet":
        assert "which is no text" in error_of(*temporal, "--delimiter", ";")
    else:
        assert "must be one character" in error_of(*temporal, "--delimiter", "ab")


@pytest.mark.parametrize("command", ["temporal", "events"])
def test_dates_in_another_form_name_the_option(tmp_path, error_of, command):
    (tmp_path / "events.csv").write_text("source,target,time\na,b,31/01/2024\n")
    (tmp_path / "asked.csv").write_text("node,time\na,2024-02-01\n")
    queries = ("--queries", tmp_path / "asked.csv") if command == "temporal" else ("--windows", "1d")

    assert "--time-format" in error_of(command, tmp_path / "events.csv", *queries, "-o", "-")


def test_a_window_beyond_2_to_53_is_exact_or_an_error(tmp_path, run, error_of):
    large = 2**53
    (tmp_path / "events.csv").write_text(f"source,target,time\na,b,{large}\na,c,{large + 2}\n")
    (tmp_path / "asked.csv").write_text(f"node,time\na,{2 * large + 2}\n")
    call = ("temporal", tmp_path / "events.csv", "--queries", tmp_path / "asked.csv", "-r", "1", "-o", "-")

    assert run(*call, "--window", f"{large + 1}").stdout.splitlines()[0] == "node,time,r1_d0_deg1,r1_d1_deg1"
    assert "must be a whole number" in error_of(*call, "--window", f"{large + 1}.5")


def test_save_state_says_that_a_file_is_no_folder_and_a_failure_leaves_no_folder(months, run, error_of):
    (months / "notes.txt").write_text("mine")

    said = error_of("events", months / "january.csv", *COLUMNS, "--save-state", months / "notes.txt")

    assert "notes.txt is a file. Give --save-state a folder or a path that ends in .npz." in said
    assert (months / "notes.txt").read_text() == "mine"
    error_of("events", months / "january.csv", "--source", "payr", "--save-state", months / "new")
    assert not (months / "new").exists()


@pytest.mark.parametrize("command", ["encode", "temporal", "events"])
def test_one_column_given_twice_is_named_as_it_was_given(tmp_path, command, error_of):
    path = tmp_path / "numbers.csv"
    path.write_text("x,y,z\n0,1,2\n")
    more = {"encode": (), "temporal": ("--queries", path, "--time", "3"), "events": ("--time", "3")}[command]

    message = error_of(command, path, *more, "--source", "1", "--target", "1")

    assert "--source" in message
    assert "got 0" not in message


def test_a_time_since_an_event_of_2_to_53_or_more_is_an_error_of_numbers_and_seconds_of_dates(
    tmp_path, run, error_of
):
    begin, gap = 1_500_000_000_000_000_000, 2**53 + 1  # nanoseconds
    for name, times in (("numbers", [begin, begin + gap]), ("dates", pd.to_datetime([begin, begin + gap]))):
        pd.DataFrame({"source": "a", "target": "b", "time": times}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    rows, state = tmp_path / "rows.csv", tmp_path / "state.npz"

    message = error_of(
        "events", tmp_path / "numbers.csv", "--windows", "all", "-o", rows, "--save-state", state
    )

    assert "times since an event must stay below 2**53" in message
    assert not rows.exists()
    assert not state.exists()
    run("events", tmp_path / "dates.csv", "--windows", "all", "-o", rows)
    assert pd.read_csv(rows).source_out_since[1] == gap / 10**9


@pytest.mark.parametrize("first", ["1", "2024-01-01", "01.02.2024"])
def test_a_first_line_with_a_time_is_an_event_if_columns_are_given_by_position(tmp_path, run, first):
    form = ("--time-format", "%d.%m.%Y") if "." in first else ()
    later = first[:-1] + "9" if "." not in first else "09.02.2024"
    data = f"{first},b,a,5\n{later},b,a,6\n"
    (tmp_path / "plain.csv").write_text(data)
    (tmp_path / "named.csv").write_text("when,payee,payer,amount\n" + data)
    (tmp_path / "asked.csv").write_text(f"a,{later}\n")
    (tmp_path / "asked_named.csv").write_text(f"node,time\na,{later}\n")
    columns = ("--source", "3", "--target", "2", "--time", "1", *form)

    def rows(command, name, *options):
        done = run(command, tmp_path / name, *columns, *options, "-o", "-")
        return [line.split(",") for line in done.stdout.split()][1:]

    events = ("--groups", "pair", "--windows", "all", "--amount", "4")
    assert rows("events", "plain.csv", *events) == rows("events", "named.csv", *events)
    assert len(rows("events", "plain.csv", *events)) == 2
    queries = ("--queries", tmp_path / "asked.csv", "--no-header")
    asked = rows("temporal", "plain.csv", *queries, "-r", "1")
    assert asked == rows("temporal", "plain.csv", "--queries", tmp_path / "asked.csv", "-r", "1")
    assert asked[0][2:] == ["1", "1"] if len(asked[0]) == 4 else asked


def test_a_column_whose_name_is_another_position_is_an_error(tmp_path, error_of):
    (tmp_path / "events.csv").write_text("0,1,2\na,b,5\n")

    call = ("events", tmp_path / "events.csv", "--source", "1", "--target", "2", "--time", "3")

    assert "(0, 1, 2) may number the columns or be data. Set --header or --no-header." in error_of(*call)
    assert "may be a column's name or its position. Rename the column." in error_of(*call, "--header")


def test_a_table_whose_names_are_data_names_the_option(tmp_path, error_of):
    (tmp_path / "events.csv").write_text("a,b,2024-01-01\nb,c,2024-01-02\n")

    assert "--no-header" in error_of("events", tmp_path / "events.csv")
    assert "--no-header" in error_of(
        "temporal", tmp_path / "events.csv", "--queries", tmp_path / "events.csv"
    )


def test_queries_may_have_another_header_time_and_delimiter_than_the_events(tmp_path, run, error_of):
    (tmp_path / "events.csv").write_text("a,b,1\nb,c,2\n")
    (tmp_path / "asked.csv").write_text("node;when\na;3\n")
    start = ("temporal", tmp_path / "events.csv", "--queries", tmp_path / "asked.csv", "--time", "3", "-r", 1)

    rows = run(*start, "--queries-time", "when", "--queries-delimiter", ";", "-o", "-").stdout

    assert rows.splitlines() == ["node,3,r1_d0_deg1,r1_d1_deg1", "a,3,1,1"]
    (tmp_path / "named.csv").write_text("source,target,time\na,b,1\n")
    (tmp_path / "asked.csv").write_text("a,3\n")
    both = ("temporal", tmp_path / "named.csv", "--queries", tmp_path / "asked.csv", "-r", 1)
    assert "add --no-queries-header." in error_of(*both)
    assert run(*both, "--no-queries-header", "-o", "-").stdout.splitlines()[1] == "a,3,1,1"


def test_an_error_about_one_window_names_the_option_of_events(tmp_path, error_of):
    (tmp_path / "events.csv").write_text("source,target,time\na,b,2024-05-01\n")

    assert "so --windows must be a duration" in error_of(
        "events", tmp_path / "events.csv", "--windows", "long"
    )


def test_a_vocabulary_is_saved_as_json_and_the_time_of_queries_is_named(files, error_of):
    start = ["temporal", files / "events.csv", "--queries", files / "queries.csv"]
    (files / "asked.csv").write_text("node,when\na,2024-01-02\n")

    assert error_of(*start, "--save-vocabulary", files / "columns.txt").endswith("got 'columns.txt'.")
    assert "Set --queries-time; there are node, when." in error_of(*start[:3], files / "asked.csv")
    assert "--weighting is about a table" in error_of(*start, "--weighting", "log")

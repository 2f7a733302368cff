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
        (["--window", "5 moons"], "window must be a duration such as '7d'"),
        (["--time", "when"], "has no column 'when'. Say --time; there are source, target, time."),
        (["--node", "who"], "has no column 'who'. Say --node; there are node, time."),
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
        ("node,time\nzoe,2024-01-03\n", "names node 'zoe', which has no event at any time"),
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
    assert "types of events" in error_of(*call, *ends[:4], *typed[:2], "--vocabulary", columns, "-o", "-")


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

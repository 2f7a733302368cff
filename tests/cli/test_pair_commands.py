"""`egonet pairs`: tables in, tables out."""

import json

import pandas as pd
import pytest

import egonet


@pytest.fixture
def files(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,d\nd,a\nd,e\n")
    pd.DataFrame({"source": ["a", "e"], "target": ["c", "b"]}).to_parquet(tmp_path / "train.parquet")
    (tmp_path / "test.csv").write_text("source,target\nb,d\n")
    return tmp_path


def test_pairs_writes_the_features_of_encode_pairs(files, run):
    run("pairs", files / "edges.csv", files / "train.parquet", "-r", "1,2", "-o", files / "out.parquet")

    expected = egonet.encode_pairs(egonet.read_graph(files / "edges.csv"), [("a", "c"), ("e", "b")], (1, 2))
    table = pd.read_parquet(files / "out.parquet")
    assert table.columns.tolist()[2:] == expected.feature_names
    assert table.iloc[:, 2:].to_numpy().tolist() == expected.matrix.toarray().tolist()


def test_two_pairs_of_numbers_are_rows(tmp_path, run):
    (tmp_path / "edges.csv").write_text("0,1\n1,2\n2,3\n")
    (tmp_path / "pairs.csv").write_text("0,1\n2,3\n")

    out = run("pairs", tmp_path / "edges.csv", tmp_path / "pairs.csv", "-o", "-").stdout

    assert [line.split(",")[:2] for line in out.splitlines()] == [
        ["source", "target"],
        ["0", "1"],
        ["2", "3"],
    ]


def test_columns_of_pairs_are_given_by_position(files, run):
    (files / "pairs.csv").write_text("yes,a,c\nno,c,a\n")

    out = run(
        "pairs", files / "edges.csv", files / "pairs.csv", "--first", "2", "--second", "3", "-o", "-"
    ).stdout

    assert [line[:4] for line in out.splitlines()[1:]] == ["a,c,", "c,a,"]


def test_a_header_of_the_graph_is_no_header_of_the_pairs(files, run):
    (files / "pairs.csv").write_text("a,b\nc,d\n")
    arguments = ("pairs", files / "edges.csv", files / "pairs.csv", "-o", "-")

    failed = run(*arguments, status=2).stderr
    assert "may name columns or be data. Set --pairs-header or --no-pairs-header." in failed
    assert len(run(*arguments, "--no-pairs-header").stdout.splitlines()) == 3
    assert len(run(*arguments, "--pairs-header").stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (),
            "which two columns have the node ids? Set --first and --second; the first row is 'a', 'b', 'yes'.",
        ),
        (("--first", "1"), "give both --first and --second, or neither."),
        (
            ("--first", "0", "--second", "1"),
            "--first must be the name of a column or its position from 1, got 0.",
        ),
    ],
)
def test_errors_about_pairs_name_the_options_of_pairs(files, error_of, arguments, message):
    (files / "pairs.csv").write_text("a,b,yes\nb,a,no\n")

    assert message in error_of("pairs", files / "edges.csv", files / "pairs.csv", *arguments)


def test_pairs_uses_the_columns_of_an_earlier_table(files, run):
    run(
        "pairs",
        files / "edges.csv",
        files / "train.parquet",
        "--degree-bins",
        "log",
        "-o",
        files / "a.parquet",
    )
    run(
        "pairs",
        files / "edges.csv",
        files / "test.csv",
        "--vocabulary",
        files / "a.parquet",
        "-o",
        files / "b.parquet",
    )

    first, second = (pd.read_parquet(files / name) for name in ("a.parquet", "b.parquet"))
    assert first.columns.tolist() == second.columns.tolist()
    assert len(second) == 1


def test_pairs_prints_csv_json_or_a_table(files, run):
    printed = run("pairs", files / "edges.csv", files / "test.csv", "-o", "-").stdout
    assert printed.splitlines()[1].startswith("b,d,")

    facts = json.loads(run("pairs", files / "edges.csv", files / "test.csv", "--json").stdout)
    assert facts["encoding"]["num_pairs"] == 1

    assert "2×(1, 1, 2)" in run("pairs", files / "edges.csv", files / "test.csv").stdout


def test_numbers_name_nodes_whose_ids_are_text(tmp_path, run):
    (tmp_path / "edges.csv").write_text("source,target\n1,b\nb,2\n")
    (tmp_path / "pairs.csv").write_text("source,target\n1,2\n")

    assert "1,2,2,1" in run("pairs", tmp_path / "edges.csv", tmp_path / "pairs.csv", "-o", "-").stdout


def test_wrong_pairs_are_one_sentence(files, run):
    (files / "bad.csv").write_text("source,target\na,x\n")

    failed = run("pairs", files / "edges.csv", files / "bad.csv", status=2)
    assert "a pair must name nodes of the graph, got 'x' in pair 0" in failed.stderr
    assert "Traceback" not in failed.stderr
    failed = run("pairs", files / "edges.csv", files / "test.csv", "-o", files / "a.txt", status=2)
    assert "an encoding is written as .parquet" in failed.stderr


def test_new_nodes_and_loops_are_rows_by_option(files, run):
    (files / "new.csv").write_text("source,target\na,x\nb,b\na,c\n")

    done = run(
        "pairs",
        files / "edges.csv",
        files / "new.csv",
        "-o",
        "-",
        "--handle-unknown",
        "zero",
        "--self-pairs",
        "zero",
    )

    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["a", "x"], ["b", "b"], ["a", "c"]]
    assert set(rows[2][2:]) == {"0"}
    assert "1 of 3 rows have a node that is not in the graph" in done.stderr


def test_labels_and_edge_types_are_those_of_encode_pairs(files, run):
    (files / "bonds.csv").write_text("source,target,kind\na,b,x\nb,c,y\nc,d,x\n")
    (files / "atoms.csv").write_text("node,label\na,C\nb,O\nc,C\nd,N\n")
    labels, out = {"a": "C", "b": "O", "c": "C", "d": "N"}, files / "out.parquet"

    run(
        *("pairs", files / "bonds.csv", files / "test.csv", "--labels", files / "atoms.csv"),
        *("--edge-labels", "kind", "--degree-bins", "log", "-o", out),
    )
    again = run(
        *("pairs", files / "bonds.csv", files / "test.csv", "--labels", files / "atoms.csv"),
        *("--edge-labels", "kind", "--vocabulary", out, "-o", "-"),
    )

    expected = egonet.encode_pairs(
        [("a", "b"), ("b", "c"), ("c", "d")],
        [("b", "d")],
        labels=labels,
        edge_labels=["x", "y", "x"],
        degree_bins="log",
    )
    table = pd.read_parquet(out)
    assert table.columns.tolist()[2:] == expected.feature_names
    assert table.iloc[0, 2:].tolist() == expected.matrix.toarray()[0].tolist()
    assert again.stdout.splitlines()[1].split(",")[2:] == list(map(str, table.iloc[0, 2:]))


def test_weights_become_edge_types_by_bins(files, run):
    (files / "paid.csv").write_text("source,target,amount\na,b,5\nb,c,700\n")
    (files / "one.csv").write_text("source,target\na,c\n")

    printed = run(
        *("pairs", files / "paid.csv", files / "one.csv", "--weights", "amount", "--weight-bins", "10,100"),
        *("-o", "-"),
    ).stdout

    assert printed.splitlines()[0].split(",")[3:5] == ["r1_d1_d3_100plus_deg2", "r1_d1_d3_below10_deg2"]


def test_pairs_are_read_from_stdin_with_a_note(files, run, piped):
    piped(b"source,target\nb,d\na,c\n")

    done = run("pairs", files / "edges.csv", "-", "--json")

    assert json.loads(done.stdout)["encoding"]["num_pairs"] == 2
    assert (
        "stdin is read as csv, by its first line. Set --pairs-format csv if this is intended" in done.stderr
    )


def test_pairs_have_a_delimiter_and_a_format(files, run, error_of):
    (files / "odd.dat").write_text("u;v\nb;d\n")
    options = ("--pairs-header", "--pairs-format", "csv")

    done = run("pairs", files / "edges.csv", files / "odd.dat", *options, "--pairs-delimiter", ";", "-o", "-")

    assert done.stdout.splitlines()[1].startswith("b,d,")
    assert "Should it be read with --pairs-delimiter ';'?" in error_of(
        "pairs", files / "edges.csv", files / "odd.dat", *options
    )


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_pairs_without_an_id_are_left_out_and_counted(files, run, error_of, ending):
    table = pd.DataFrame({"source": ["a", "e", None], "target": ["c", None, "b"]})
    path = files / f"gaps.{ending}"
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)

    done = run("pairs", files / "edges.csv", path, "--missing", "drop", "-o", "-")

    assert [line[:4] for line in done.stdout.splitlines()[1:]] == ["a,c,"]
    assert "2 rows with a missing value are left out" in done.stderr
    assert "missing" in error_of("pairs", files / "edges.csv", path)

"""`egonet rings`: values of edges or nodes in, statistics of every distance out."""

import json

import pandas as pd
import pytest

import egonet


@pytest.fixture
def files(tmp_path):
    (tmp_path / "payments.csv").write_text(
        "source,target,amount,fee\nann,bob,5,1\nbob,cid,80,2\ndan,bob,700,3\n"
    )
    (tmp_path / "people.csv").write_text("node,age,income\nann,30,1.5\nbob,40,2.5\ncid,50,0\ndan,60,4\n")
    return tmp_path


def test_rings_writes_the_statistics_of_edges(files, run):
    run(
        "rings",
        files / "payments.csv",
        "--directed",
        "no",
        "--edge-values",
        "amount",
        "-o",
        files / "out.parquet",
    )

    graph = egonet.read_graph(files / "payments.csv", directed=False, keep="amount")
    expected = egonet.ring_statistics(graph, "amount", 2, on="edges").to_pandas()
    table = pd.read_parquet(files / "out.parquet").set_index("node")
    pd.testing.assert_frame_equal(table, expected, check_index_type=False)


def test_rings_reads_several_columns_of_nodes(files, run):
    done = run(
        "rings", files / "payments.csv", "--directed", "no", "--node-values", files / "people.csv",
        "-r", "1", "--statistics", "sum,count", "-o", "-", "-q",
    )  # fmt: skip

    lines = done.stdout.split()
    assert lines[0].startswith("node,d0_age_sum,d0_age_count,d1_age_sum,d1_age_count,d0_income_sum")
    assert lines[2] == "bob,40.0,1.0,140.0,3.0,2.5,1.0,5.5,3.0"


def test_a_ring_without_values_is_an_empty_field(files, run):
    done = run(
        "rings", files / "payments.csv", "--directed", "out", "--edge-values", "amount",
        "-r", "1", "--statistics", "max", "-o", "-", "-q",
    )  # fmt: skip

    assert dict(line.split(",") for line in done.stdout.split()[1:])["cid"] == ""


def test_rings_shows_the_first_nodes_and_prints_json(files, run):
    arguments = ("rings", files / "payments.csv", "--directed", "no", "--edge-values", "amount,fee")

    assert "edge_d0" in run(*arguments).stdout
    assert json.loads(run(*arguments, "--json").stdout)["num_nodes"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say which values: --edge-values COLUMN or --node-values FILE"),
        (["--edge-values", "amount", "--node-values", "people.csv"], "one of the two"),
        (["--edge-values", "amuont"], "amuont"),
        (["--edge-values", "amount", "--statistics", "summ"], "Did you mean 'sum'?"),
        (["--edge-values", "amount", "-r", "-1"], "radius must be a whole number >= 0"),
        (["--edge-values", "amount", "-o", "out.npz"], "the rows are written as"),
        (
            ["--source", "source", "--target", "target", "--node-values", "payments.csv"],
            "must have a column 'node' or 'id'",
        ),
    ],
)
def test_bad_options_are_one_sentence(files, error_of, monkeypatch, arguments, message):
    monkeypatch.chdir(files)

    assert message in error_of("rings", "payments.csv", "--directed", "no", *arguments)

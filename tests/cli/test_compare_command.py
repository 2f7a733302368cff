"""`egonet compare`: its verdict, its tests, and what they look at."""

import json

import pytest

from egonet.errors import InputError


def test_compare_prints_a_line_per_test(call, molecules):
    done = call("compare", *molecules)

    verdict, sizes, first, *_ = done.stdout.splitlines()
    assert done.exit_code == 0
    assert verdict == "Radius 2 separates the graphs; 1-WL does not."
    assert sizes == "10 nodes, 11 edges against 10 nodes, 11 edges"
    assert first.split(maxsplit=2) == ["1-WL", "equal", "colors of neighbors, repeated"]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("total r=2  ")]
    assert " ".join(line.split()) == "total r=2 different degrees around every node 2 (0, 5) against 0"


def test_compare_exits_with_one_if_the_graphs_differ(call, molecules):
    assert call("compare", *molecules, "--exit-code").exit_code == 1
    assert call("compare", molecules[0], molecules[0], "--exit-code").exit_code == 0


def test_compare_takes_one_file_of_two_graphs_and_prints_json(call, tmp_path):
    both = tmp_path / "pair.g6"
    both.write_text("EQjO\nEEj_\n")

    found = json.loads(call("compare", both, "--json", "-r", "1").stdout)

    verdicts = {verdict["test"]: verdict["equal"] for verdict in found["verdicts"]}
    assert found["isomorphic"] is False
    assert verdicts["1-WL"] is True
    assert verdicts["total r=1"] is False


def test_compare_raises_for_one_graph(call, molecules):
    with pytest.raises(InputError, match="compare takes two graphs, got 1 in"):
        call("compare", molecules[0])


def test_compare_begins_with_its_verdict(run, molecules):
    same = run("compare", molecules[0], molecules[0]).stdout.splitlines()
    facts = json.loads(run("compare", *molecules, "--json").stdout)

    assert same[0] == "The graphs are isomorphic."
    assert facts["verdict"] == "Radius 2 separates the graphs; 1-WL does not."


def test_compare_adds_a_test_with_degree_bins(call, molecules):
    plain, binned = (
        json.loads(call("compare", *molecules, "--json", *more).stdout)["verdicts"]
        for more in ([], ["--degree-bins", "log"])
    )

    added = {each["test"] for each in binned} - {each["test"] for each in plain}
    assert len(added) == 1
    assert "log" in added.pop()


@pytest.fixture
def bonds(tmp_path):
    """Return two files with the same paths, whose labels and types differ."""
    paths = []
    for name, kinds in (("a.csv", "sds"), ("b.csv", "dss")):
        lines = [f"{i},{i + 1},{kind}" for i, kind in enumerate(kinds)]
        paths.append(tmp_path / name)
        paths[-1].write_text("\n".join(["source,target,kind", *lines]) + "\n")
    return paths


def test_types_of_edges_are_part_of_the_tests(call, bonds):
    plain = json.loads(call("compare", *bonds, "--source", "source", "--target", "target", "--json").stdout)
    typed = json.loads(call("compare", *bonds, "--edge-labels", "kind", "--json").stdout)
    found = {verdict["test"]: verdict["equal"] for verdict in typed["verdicts"]}

    assert plain["isomorphic"] is True
    assert typed["isomorphic"] is False
    assert found["1-WL"] is False
    assert found["total r=1"] is False
    assert found["R5(2)"] is False
    assert found["R1"] is None


def test_labels_of_one_table_or_of_two_are_part_of_the_tests(call, error_of, bonds, tmp_path):
    for name, labels in (("same.csv", "xyyx"), ("one.csv", "xyyy"), ("more.csv", "xyyxx")):
        rows = [f"{i},{label}" for i, label in enumerate(labels)]
        (tmp_path / name).write_text("\n".join(["node,kind", *rows]) + "\n")
    ends = ["--source", "source", "--target", "target", "--json"]

    def verdict(*names):
        tables = [part for name in names for part in ("--labels", tmp_path / name)]
        return json.loads(call("compare", *bonds, *tables, *ends).stdout)["isomorphic"]

    assert verdict("same.csv") is True
    assert verdict("same.csv", "same.csv") is True
    assert verdict("same.csv", "one.csv") is False
    assert "more.csv names 4, which neither graph has" in error_of(
        "compare", *bonds, "--labels", tmp_path / "more.csv", *ends
    )
    assert "--labels takes a table per graph: 2, got 3" in error_of(
        "compare", *bonds, *["--labels", tmp_path / "same.csv"] * 3, *ends
    )


@pytest.fixture
def two_tables(tmp_path):
    """Return the same triangle in two tables with other names of columns, and as GraphML."""
    first, second, third = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.graphml"
    first.write_text("payer,payee,amount\na,b,1\nb,c,1\nc,a,1\n")
    second.write_text("amount;from_account;to_account\n1;x;y\n1;y;z\n1;z;x\n")
    nodes = "".join(f'<node id="{node}"/>' for node in "uvw")
    edges = "".join(f'<edge source="{u}" target="{v}"/>' for u, v in ("uv", "vw", "wu"))
    third.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    )
    return first, second, third


ENDS = ("--source", "payer", "--target", "payee", "--simplify")


def test_the_second_table_has_columns_and_a_delimiter_of_its_own(run, two_tables):
    first, second, _ = two_tables
    other = ("--other-source", "2", "--other-target", "3", "--other-header", "--other-delimiter", ";")

    found = json.loads(run("compare", first, second, *ENDS, *other, "--json").stdout)

    assert found["isomorphic"] is True


def test_a_table_is_compared_with_another_format(run, two_tables):
    first, _, third = two_tables

    assert json.loads(run("compare", first, third, *ENDS, "--json").stdout)["isomorphic"] is True


def test_errors_of_the_second_table_name_its_options(run, two_tables):
    first, second, _ = two_tables

    said = run("compare", first, second, *ENDS, "--other-delimiter", ";", status=2).stderr
    assert "there is no column 'payer'" in said
    assert said.endswith("If its columns have other names, add --other-source and --other-target.\n")
    names = ("--other-source", "frm", "--other-target", "to_account")
    said = run("compare", first, second, *ENDS, "--other-delimiter", ";", *names, status=2).stderr
    assert "there is no column 'frm'" in said
    assert "other names" not in said
    said = run(
        "compare", first, second, *ENDS, "--other-source", "1", "--other-target", "to", status=2
    ).stderr
    assert "got --other-source 1 and --other-target to" in said


def test_graph6_text_is_no_file_and_the_error_says_how_to_give_it(error_of):
    assert error_of("compare", "EQzO", "EEz_") == (
        "there is no file 'EQzO'. Write graph6 text to a file that ends in .g6."
    )

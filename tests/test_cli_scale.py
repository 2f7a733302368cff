"""The commands on folders and on changed graphs, run as a user runs them."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet import Graph, encode, named

need("typer")


def run(*words):
    command = [sys.executable, "-m", "egonet", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def triangle(tmp_path):
    (tmp_path / "edges.txt").write_text("a b\nb c\nc a\nc d\n")
    return tmp_path / "edges.txt"


def test_an_output_that_ends_with_a_slash_is_a_folder(tmp_path, triangle):
    first = run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/", "--memory", "1GB", "--json")
    again = run("encode", triangle, "-r", 1, "-o", tmp_path / "out")

    assert json.loads(first.stdout)["num_entries"] == 9
    assert again.returncode == 0
    assert json.loads(first.stdout)["graph"] == {"num_nodes": 4, "num_edges": 4, "changes": "nothing changed"}
    assert "Nothing left to do in " in again.stderr
    assert "4 rows, 5 columns, 9 entries in 1 block," in again.stderr
    assert egonet.load(tmp_path / "out")["c"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}


def test_a_folder_says_what_was_changed_and_what_was_there(tmp_path):
    side = 300  # enough nodes for two blocks
    cells = range(side * side - side)
    loops = "".join(f"{i} {i + side}\n{i} {i + 1}\n" for i in cells) + "0 0\n0 1\n"
    (tmp_path / "grid.txt").write_text(loops)
    words = ["encode", tmp_path / "grid.txt", "-r", 1, "-o", f"{tmp_path}/out/"]

    first = run(*words)
    shutil.rmtree(tmp_path / "out" / "block-000001-0000")
    again = run(*words)

    assert (
        "90,000 nodes, 179,400 edges; 1 self-loops dropped, 1 repeated edges merged.\nWrote" in first.stderr
    )
    assert " entries in 2 blocks, in " in first.stderr
    assert " entries in 2 blocks (1 of them were there), in " in again.stderr


@pytest.mark.parametrize("name", ["out/", "out.npz"])
def test_what_was_saved_is_shown_and_written_elsewhere(tmp_path, triangle, name):
    run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/{name}")
    where = tmp_path / name

    facts = json.loads(run("show", where, "--json").stdout)
    row = run("show", where, "c")
    written = run("show", where, "-o", tmp_path / "all.csv")

    assert (facts["num_rows"], facts["num_columns"], facts["num_entries"], facts["radius"]) == (4, 5, 9, [1])
    assert "num_entries  9" in run("show", where).stdout.splitlines()
    assert row.stdout == "c\tr1_d0_deg3\t1\nc\tr1_d1_deg1\t1\nc\tr1_d1_deg2\t2\n"
    assert json.loads(run("show", where, "d", "--json").stdout) == {"d": {"r1_d0_deg1": 1, "r1_d1_deg1": 1}}
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "all.csv").read_text().splitlines()[-1] == "d,1,0,0,1,0"
    assert run("show", where, "e").stderr.startswith("egonet: ")
    assert run("show", where, "c", "-o", tmp_path / "c.csv").stderr == (
        "egonet: --output writes every node. Leave it or the nodes out.\n"
    )


def test_the_graph_of_a_folder_is_read_as_it_was(tmp_path, triangle):
    (tmp_path / "numbers.txt").write_text("7 8\n8 9\n")
    run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")
    run("encode", tmp_path / "numbers.txt", "-r", 1, "-o", f"{tmp_path}/numbers/")

    found = run("explain", tmp_path / "out", "c", "-r", 1)
    refused = run("explain", tmp_path / "out", "c", "--source", "a")

    assert found.stdout == run("explain", triangle, "c", "-r", 1).stdout
    assert run("compare", tmp_path / "out", triangle, "--exit-code").returncode == 0
    assert run("show", tmp_path / "numbers", "8").stdout == "8\tr1_d0_deg2\t1\n8\tr1_d1_deg1\t2\n"
    assert refused.stderr == "egonet: a folder has its graph as it was read. Leave --source out.\n"


def test_another_radius_in_the_same_folder_is_refused_in_one_sentence(tmp_path, triangle):
    run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")

    refused = run("encode", triangle, "-r", 2, "-o", f"{tmp_path}/out/")

    assert refused.returncode == 2
    assert "holds an encoding with radius [1], not [2]. Choose another folder." in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_a_folder_cannot_hold_is_refused(tmp_path, triangle):
    refused = run("encode", triangle, "-o", f"{tmp_path}/out/", "--weighting", "log")

    assert refused.returncode == 2
    assert "--weighting is not possible" in refused.stderr
    said = run("encode", triangle, "-o", f"{tmp_path}/out/", "--no-header").stderr
    assert "--header is not possible with a folder of counts: name the columns with --source" in said


def test_a_folder_is_updated_in_place(tmp_path, triangle):
    run("encode", triangle, "-r", 2, "-o", f"{tmp_path}/out/")
    (tmp_path / "come.txt").write_text("d e\n")
    (tmp_path / "go.txt").write_text("a b\n")

    updated = run(
        "update", tmp_path / "out", "--added", tmp_path / "come.txt", "--removed", tmp_path / "go.txt"
    )

    assert updated.returncode == 0, updated.stderr
    after = egonet.load(tmp_path / "out")
    expected = encode(
        Graph.from_edges([("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")], nodes=list("abcde")), 2
    )
    assert after.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert after.nodes.tolist() == list("abcde")


def test_a_file_is_updated_with_its_graph(tmp_path):
    np.savetxt(tmp_path / "edges.txt", [(0, 1), (1, 2), (2, 3)], fmt="%d")
    (tmp_path / "come.txt").write_text("3 0\n")
    run("encode", tmp_path / "edges.txt", "-r", 1, "-o", tmp_path / "before.npz")

    words = [
        "--graph",
        tmp_path / "edges.txt",
        "--added",
        tmp_path / "come.txt",
        "-o",
        tmp_path / "after.npz",
    ]
    updated = run("update", tmp_path / "before.npz", *words)

    assert updated.returncode == 0, updated.stderr
    expected = encode(named.cycle(4), 1)
    assert egonet.load(tmp_path / "after.npz").matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    only = run("update", tmp_path / "before.npz", "--added", tmp_path / "come.txt")
    assert "is written to another file. Give --output" in only.stderr


def test_an_update_without_edges_is_refused(tmp_path, triangle):
    run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")

    refused = run("update", tmp_path / "out")

    assert refused.returncode == 2
    assert refused.stderr == (
        "egonet: there is nothing to bring up to date. Give --added, --removed or both.\n"
    )


def test_edges_to_add_are_read_by_the_columns_named(tmp_path, triangle):
    run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")
    (tmp_path / "come.data").write_text("day;who;whom\nmon;d;a\n")

    words = ["--delimiter", ";", "--format", "csv", "--source", "who", "--target", "whom"]
    updated = run("update", tmp_path / "out", "--added", tmp_path / "come.data", *words)

    assert updated.returncode == 0, updated.stderr
    assert egonet.load(tmp_path / "out")["d"] == {(0, 2): 1, (1, 2): 2}


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow", "f.csv", "f.mtx"])
def test_a_table_that_encode_wrote_is_shown(tmp_path, triangle, name, need):
    need("pyarrow", "'egonet[io]'")
    run("encode", triangle, "-r", "1", "-o", tmp_path / name)

    facts = json.loads(run("show", tmp_path / name, "--json").stdout)
    row = run("show", tmp_path / name, "d")

    assert (facts["num_rows"], facts["num_columns"]) == (4, 5)
    assert facts["columns"][:2] == ["r1_d0_deg1", "r1_d0_deg2"]
    assert facts["rows"]["c"] == {"r1_d0_deg3": 1, "r1_d1_deg1": 1, "r1_d1_deg2": 2}
    assert row.stdout == "d\tr1_d0_deg1\t1\nd\tr1_d1_deg1\t1\n"


def test_a_graph_file_is_not_shown_as_a_table(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")

    done = run("show", tmp_path / "edges.csv")

    assert done.returncode == 2
    assert (
        "is no table of features that egonet wrote: its first column is 'source', not 'node'." in done.stderr
    )


def test_a_short_run_is_not_predicted(monkeypatch, capsys):
    from egonet.cli import output as show

    monkeypatch.setattr(show, "predict", None)

    show.print_plan(named.grid(30, 30), (1, 2), "total")

    assert capsys.readouterr().err == ""
    assert show.may_take_long(named.star(40_000), 2)

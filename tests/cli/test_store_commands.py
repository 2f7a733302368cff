"""Encodings into folders, `egonet update` and `egonet verify`."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import egonet
from egonet import Graph, encode, named
from egonet.errors import InputError


def write(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def assert_same(path, edges, **arguments):
    found, expected = egonet.load(path), egonet.encode(egonet.read_graph(edges, **arguments), 2)
    assert found.nodes.tolist() == expected.nodes.tolist()
    assert found.columns == expected.columns
    assert (found.matrix != expected.matrix).nnz == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "dask"], "--engine must be one of 'memory', 'spark', got 'dask'."),
        (["--master", "local[2]"], "--master is for Spark. Add --engine spark."),
        (["--engine", "spark", "-o", "a.csv"], "Spark writes to a folder. Give --output folder/."),
    ],
)
def test_engines_and_their_options_belong_together(error_of, edges, arguments, message):
    assert error_of("encode", edges, *arguments) == message


def test_update_of_a_folder_prints_its_size(run, error_of, edges, tmp_path):
    folder, added = tmp_path / "out", tmp_path / "added.csv"
    added.write_text("a,d\n")
    facts = json.loads(run("encode", edges, "-r", "1", "-o", f"{folder}/", "--json").stdout)
    assert facts["num_rows"] == 4

    assert error_of("update", folder, "--added", added, "--graph", edges) == (
        "a folder contains its graph and is changed in place. Leave --graph and --output out."
    )
    facts = json.loads(run("update", folder, "--added", added, "--json").stdout)

    assert (facts["output"], facts["num_rows"]) == (str(folder), 4)


@pytest.mark.parametrize("memory", ["2", "999kB", "lots"])
def test_memory_without_a_unit_is_error_of(error_of, edges, tmp_path, memory):
    message = error_of("encode", edges, "-o", f"{tmp_path}/out/", "--memory", memory)

    assert message == f"--memory must be 1MB or more, with its unit, as in 2GB, got {memory!r}."


def test_added_edges_are_not_taken_for_a_header(run, tmp_path):
    path, added = tmp_path / "edges.txt", tmp_path / "added.txt"
    path.write_text("a b\nb c\n")
    added.write_text("u v\n")
    run("encode", path, "-r", 1, "-o", f"{tmp_path}/out/")

    message = run("update", tmp_path / "out", "--added", added, status=2).stderr

    assert message.endswith(
        "the first row ('u', 'v') may name columns or be data. Set --header or --no-header.\n"
    )
    assert "5 rows" in run("update", tmp_path / "out", "--added", added, "--no-header").stderr


@pytest.mark.parametrize("directed", [None, "out", "in"])
def test_updates_in_a_chain_equal_encoding_from_scratch(call, tmp_path, directed):
    edges = ["1 2", "2 3", "3 1", "3 4"]
    steps = [["4 9", "7 9", "7 8", "1 7"], ["10 11", "11 1"], ["2 4", "12 12"]]
    write(tmp_path / "e.txt", *edges)
    way = [] if directed is None else ["--directed", directed]
    call("encode", "e.txt", *way, "--save-graph", "-o", "x0.npz")
    call("encode", "e.txt", *way, "-o", "y0.npz")

    for number, added in enumerate(steps):
        write(tmp_path / "added.txt", *added)
        call("update", f"x{number}.npz", "--added", "added.txt", "-o", f"x{number + 1}.npz")
        files = ("--graph", "e.txt", "--added", "added.txt")
        call("update", f"y{number}.npz", *files, "-o", f"y{number + 1}.npz")
        edges += added
        write(tmp_path / "e.txt", *edges)
        for letter in "xy":
            assert_same(tmp_path / f"{letter}{number + 1}.npz", tmp_path / "e.txt", directed=directed)

    with pytest.raises(InputError, match="the graph given is not the one that was encoded"):
        call("update", "y1.npz", "--graph", "e.txt", "--added", "added.txt", "-o", "z.npz")
    with pytest.raises(InputError, match=r"does not contain its graph\. Give --graph"):
        call("update", "y1.npz", "--added", "added.txt", "-o", "z.npz")


def test_a_name_added_to_whole_numbers_is_an_error(call, tmp_path):
    write(tmp_path / "e.txt", "5 6", "6 7")
    write(tmp_path / "added.txt", "5 newguy")
    call("encode", "e.txt", "--save-graph", "-o", "x.npz")

    with pytest.raises(
        InputError, match=r"ids of the encoding are whole numbers, got 'newguy'\. Give new nodes"
    ):
        call("update", "x.npz", "--added", "added.txt", "-o", "y.npz")


def test_numbers_added_to_names_become_names(call, tmp_path):
    write(tmp_path / "e.txt", "5 ann", "ann bob")
    write(tmp_path / "added.txt", "5 77")
    call("encode", "e.txt", "--save-graph", "-o", "x.npz")

    call("update", "x.npz", "--added", "added.txt", "-o", "y.npz")

    assert egonet.load(tmp_path / "y.npz").nodes.tolist() == ["5", "ann", "bob", "77"]


@pytest.mark.parametrize("kinds", [(int, str), (str, int)])
def test_ids_of_another_type_in_a_typed_file_are_refused(call, tmp_path, kinds):
    stored, new = (pa.table({"u": [kind(7)], "v": [kind(8)]}) for kind in kinds)
    parquet.write_table(stored, tmp_path / "e.parquet")
    parquet.write_table(new, tmp_path / "added.parquet")
    call("encode", "e.parquet", "--source", "u", "--target", "v", "--save-graph", "-o", "x.npz")

    with pytest.raises(InputError, match=r"'?7'?, but it has '?7'?"):
        call("update", "x.npz", "--source", "u", "--target", "v", "--added", "added.parquet", "-o", "y.npz")


def test_an_output_that_ends_with_a_slash_is_a_folder(attempt, tmp_path, triangle):
    first = attempt("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/", "--memory", "1GB", "--json")
    again = attempt("encode", triangle, "-r", 1, "-o", tmp_path / "out")

    assert json.loads(first.stdout)["num_entries"] == 9
    assert again.returncode == 0
    assert json.loads(first.stdout)["graph"] == {"num_nodes": 4, "num_edges": 4, "changes": "nothing changed"}
    assert "Nothing left to do in " in again.stderr
    assert "4 rows, 5 columns, 9 entries in 1 block," in again.stderr
    assert egonet.load(tmp_path / "out")["c"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}


def test_encode_counts_changes_and_existing_blocks(attempt, tmp_path):
    side = 300  # enough nodes for two blocks
    cells = range(side * side - side)
    loops = "".join(f"{i} {i + side}\n{i} {i + 1}\n" for i in cells) + "0 0\n0 1\n"
    (tmp_path / "grid.txt").write_text(loops)
    arguments = ["encode", tmp_path / "grid.txt", "-r", 1, "-o", f"{tmp_path}/out/"]

    first = attempt(*arguments)
    shutil.rmtree(tmp_path / "out" / "block-000001-0000")
    again = attempt(*arguments)

    assert "90,000 nodes, 179,400 edges; 1 self-loop dropped, 1 repeated edge merged.\nWrote" in first.stderr
    assert " entries in 2 blocks, in " in first.stderr
    assert " entries in 2 blocks (1 were there before), in " in again.stderr


def test_another_radius_in_the_same_folder_raises_in_one_sentence(attempt, tmp_path, triangle):
    attempt("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")

    failed = attempt("encode", triangle, "-r", 2, "-o", f"{tmp_path}/out/")

    assert failed.returncode == 2
    assert "has an encoding with --radius 1, not --radius 2. Choose another folder." in failed.stderr
    assert "Traceback" not in failed.stderr


def test_options_without_meaning_for_a_folder_are_errors(attempt, tmp_path, triangle):
    failed = attempt("encode", triangle, "-o", f"{tmp_path}/out/", "--weighting", "log")

    assert failed.returncode == 2
    assert "--weighting is not possible" in failed.stderr
    message = attempt("encode", triangle, "-o", f"{tmp_path}/out/", "--delimiter", " ").stderr
    assert (
        "--delimiter is not possible with a folder of counts: name the file .csv or .tsv, or convert it to Parquet."
        in message
    )


def test_verify_wants_the_graph_that_is_given_to_exist(run, error_of, tmp_path, triangle):
    run("encode", triangle, "-o", f"{tmp_path}/out/")

    assert "there is no file 'none.csv'." in error_of("verify", tmp_path / "out", "--graph", "none.csv")


def test_a_folder_is_updated_in_place(attempt, tmp_path, triangle):
    attempt("encode", triangle, "-r", 2, "-o", f"{tmp_path}/out/")
    (tmp_path / "come.txt").write_text("d e\n")
    (tmp_path / "go.txt").write_text("a b\n")

    updated = attempt(
        "update", tmp_path / "out", "--added", tmp_path / "come.txt", "--removed", tmp_path / "go.txt"
    )

    assert updated.returncode == 0, updated.stderr
    after = egonet.load(tmp_path / "out")
    expected = encode(
        Graph.from_edges([("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")], nodes=list("abcde")), 2
    )
    assert after.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert after.nodes.tolist() == list("abcde")


def test_a_file_is_updated_with_its_graph(attempt, tmp_path):
    np.savetxt(tmp_path / "edges.txt", [(0, 1), (1, 2), (2, 3)], fmt="%d")
    (tmp_path / "come.txt").write_text("3 0\n")
    attempt("encode", tmp_path / "edges.txt", "-r", 1, "-o", tmp_path / "before.npz")

    arguments = [
        "--graph",
        tmp_path / "edges.txt",
        "--added",
        tmp_path / "come.txt",
        "-o",
        tmp_path / "after.npz",
    ]
    updated = attempt("update", tmp_path / "before.npz", *arguments)

    assert updated.returncode == 0, updated.stderr
    expected = encode(named.cycle(4), 1)
    assert egonet.load(tmp_path / "after.npz").matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    only = attempt("update", tmp_path / "before.npz", "--added", tmp_path / "come.txt")
    assert "is written to another file. Give --output" in only.stderr


def test_another_graph_is_an_error_that_names_the_option(attempt, tmp_path, triangle):
    (tmp_path / "other.csv").write_text("source,target\na,b\n")
    attempt("encode", triangle, "-o", tmp_path / "a.npz")

    done = attempt(
        "update",
        tmp_path / "a.npz",
        "--added",
        triangle,
        "--graph",
        tmp_path / "other.csv",
        "-o",
        tmp_path / "b.npz",
    )

    assert done.returncode == 2
    assert done.stderr.endswith("or keep it in the file: encode with --save-graph.\n")


def test_an_update_without_edges_raises(attempt, tmp_path, triangle):
    attempt("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")

    failed = attempt("update", tmp_path / "out")

    assert failed.returncode == 2
    assert failed.stderr == ("egonet: there is nothing to update. Give --added, --removed or both.\n")


def test_edges_to_add_are_read_by_the_columns_named(attempt, tmp_path, triangle):
    attempt("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")
    (tmp_path / "come.data").write_text("day;who;whom\nmon;d;a\n")

    arguments = ["--delimiter", ";", "--format", "csv", "--source", "who", "--target", "whom"]
    updated = attempt("update", tmp_path / "out", "--added", tmp_path / "come.data", *arguments)

    assert updated.returncode == 0, updated.stderr
    assert egonet.load(tmp_path / "out")["d"] == {(0, 2): 1, (1, 2): 2}


def test_a_folder_takes_no_stdin(error_of, tmp_path):
    assert "takes no stdin. Save it to a file first." in error_of("encode", "-", "-o", f"{tmp_path}/out/")


@pytest.mark.parametrize("output", ["out/", "out.npz"])
def test_a_new_node_without_a_label_is_one_sentence(run, error_of, tmp_path, triangle, output):
    (tmp_path / "kinds.csv").write_text("node,kind\na,x\nb,x\nc,y\nd,y\n")
    (tmp_path / "come.csv").write_text("d,e\n")
    graph = [] if output == "out/" else ["--save-graph"]
    run("encode", triangle, "-r", 1, "--labels", tmp_path / "kinds.csv", *graph, "-o", f"{tmp_path}/{output}")

    after = [] if output == "out/" else ["-o", tmp_path / "after.npz"]
    message = error_of("update", tmp_path / output, "--added", tmp_path / "come.csv", *after)

    assert message == "1 new nodes have no labels, first 'e'. Encode again with --labels."


@pytest.mark.parametrize("option", [("--missing", "drop"), ("--ids", "text")])
def test_a_folder_does_not_ignore_how_ids_are_read(run, tmp_path, option):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n,c\nb,c\n")

    said = run("encode", path, *option, "-o", f"{tmp_path}/out/", status=2).stderr

    assert option[0] in said
    assert not (tmp_path / "out").exists()


def test_edges_to_add_may_come_from_stdin(run, piped, triangle, tmp_path):
    run("encode", triangle, "-r", 1, "-o", f"{tmp_path}/out/")
    piped(b"d,e\n")

    assert "5 rows" in run("update", tmp_path / "out", "--added", "-", "--format", "csv").stderr

"""Tables of labels and features in files."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from egonet.cli import table_files
from egonet.errors import FileError


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow", "f.csv", "f.mtx"])
def test_a_table_that_encode_wrote_is_shown(attempt, tmp_path, triangle, name, need):
    need("pyarrow", "'egonet[io]'")
    attempt("encode", triangle, "-r", "1", "-o", tmp_path / name)

    facts = json.loads(attempt("show", tmp_path / name, "--json").stdout)
    row = attempt("show", tmp_path / name, "d")

    assert (facts["num_rows"], facts["num_columns"]) == (4, 5)
    assert facts["columns"][:2] == ["r1_d0_deg1", "r1_d0_deg2"]
    assert facts["rows"]["c"] == {"r1_d0_deg3": 1, "r1_d1_deg1": 1, "r1_d1_deg2": 2}
    assert row.stdout == "d\tr1_d0_deg1\t1\nd\tr1_d1_deg1\t1\n"


def test_a_graph_file_is_not_shown_as_a_table(attempt, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")

    done = attempt("show", tmp_path / "edges.csv")

    assert done.returncode == 2
    assert (
        "is not a table of features with a row per node: its first column is 'source', not 'node'."
        in done.stderr
    )


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "must begin with the names of its columns, each once, got []."),
        (
            b"node\na\n",
            "must have a column 'node' or 'id' and a column of labels, got the columns 'node'.",
        ),
        (b"who,kind\na,x\n", "got the columns 'who', 'kind'."),
        (b"node,kind\na\n", "record 2: expected 2 fields, got 1."),
        (b"node,kind\na,x\na,y\n", "must name every node once, got 'a' more than once. Drop the repeats."),
        (b"node,kind,more\na,x,y\n", "must have one column of labels, got the columns 'kind', 'more'."),
        (b"node,kind\n\xff,x\n", "kinds.csv, line 2: text must be UTF-8"),
        (b"node,kind\na,\xff\n", "kinds.csv, line 2: text must be UTF-8"),
        (b"node,kind\n,x\n", "kinds.csv, line 2: an id must not be missing"),
        (b"node,kind\na,x\0\n", "text must not hold NUL bytes"),
        (b"PAR1", "kinds.csv is not text. Give a file that ends in .parquet."),
    ],
)
def test_a_damaged_table_of_labels_is_an_error(error_of, edges, tmp_path, content, error):
    (tmp_path / "kinds.csv").write_bytes(content)

    assert error in error_of("encode", edges, "--labels", tmp_path / "kinds.csv")


def test_ids_of_a_table_are_numbers_only_if_all_are_and_labels_stay_text(tmp_path):
    (tmp_path / "kinds.tsv").write_text("kind\tnode\n1\t7\n2\t08\n")

    assert table_files.read_labels(tmp_path / "kinds.tsv") == {"7": "1", "08": "2"}


@pytest.mark.parametrize("name", ["kinds.csv.gz", "kinds.tsv.gz", "kinds.txt"])
def test_labels_are_read_from_compressed_and_plain_text(tmp_path, name):
    blank = "\t" if ".tsv" in name else ","
    text = f"node{blank}kind\na{blank}x\nb{blank}1.5\n"
    content = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    (tmp_path / name).write_bytes(content)

    assert table_files.read_labels(tmp_path / name) == {"a": "x", "b": "1.5"}


def test_labels_that_look_like_floats_stay_text(tmp_path):
    (tmp_path / "kinds.csv").write_text("id,kind\n1,0.5\n2,1\n")

    assert table_files.read_labels(tmp_path / "kinds.csv") == {1: "0.5", 2: "1"}


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_ids_of_several_types_are_written_as_text(tmp_path, suffix, need):
    need("pyarrow", "'egonet[io]'")
    path = tmp_path / f"table{suffix}"

    table_files.write_columns({"node": np.array([1, "b"], dtype=object), "x": np.array([0.5, 2.0])}, path)

    table = table_files.read_columns(path)
    assert {name: table.fields(name) for name in table.names} == {"node": ["1", "b"], "x": [0.5, 2.0]}


def test_an_npy_file_has_every_column_but_the_first(tmp_path):
    table_files.write_columns({"node": ["a", "b"], "x": [1, 2], "y": [3, 4]}, tmp_path / "table.npy")

    assert np.load(tmp_path / "table.npy").tolist() == [[1, 3], [2, 4]]


def test_labels_have_the_type_of_the_ids_of_the_graph(error_of, tmp_path):
    """The name x does not turn the other ids into names."""
    (tmp_path / "edges.csv").write_text("1,2\n2,3\n")
    (tmp_path / "kinds.csv").write_text("node,kind\n1,a\n2,b\nx,c\n")

    message = error_of("encode", tmp_path / "edges.csv", "--labels", tmp_path / "kinds.csv")

    assert (
        message
        == "labels must name every node: 1 of 3 are missing, first 3. The ids of labels are 1, 2, 'x' ..."
    )


def test_nodes_of_nineteen_digits_are_found(run, tmp_path):
    """They are equal as floats."""
    first, second = "1234567890123456789", "1234567890123456788"
    edges, kinds, page = tmp_path / "edges.csv", tmp_path / "kinds.csv", tmp_path / "page.html"
    edges.write_text(f"{first},{second}\n")
    kinds.write_text(f"node,x\n{first},1\n{second},2\n")

    assert second in run("explain", edges, second, "-q", "--labels", kinds).stdout
    assert run("encode", edges, "--root", second, "-r", "0", "-o", "-").stdout.split()[1] == f"{second},1"
    run("encode", edges, "-o", tmp_path / "rows.npz")
    assert second in run("show", tmp_path / "rows.npz", second).stdout
    run("explore", edges, "--around", second, "-o", page)
    rows = run("rings", edges, "--node-values", kinds, "--statistics", "sum", "-r", "1", "-o", "-").stdout
    assert rows.split()[1:] == [f"{first},1.0,2.0", f"{second},2.0,1.0"]


def test_a_row_without_a_label_is_an_error(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("node,kind\na,x\nb,\nc,y\n")

    with pytest.raises(FileError, match="a label in every row, 1 of 3 have none, first at node 'b'"):
        table_files.read_labels(path)


def test_carriage_returns_in_ids_are_quoted(tmp_path):
    path = tmp_path / "rows.csv"
    table_files.write_columns({"node": ["a\r", "b"], "d0_sum": np.array([1.0, 2.0])}, path)

    assert path.read_bytes() == b'node,d0_sum\n"a\r",1.0\nb,2.0\n'


def test_columns_of_numbers_above_2_to_63_are_written_as_numbers(tmp_path):
    table_files.write_columns({"node": [2**63 + 5, 7], "time": [1, 2]}, tmp_path / "rows.parquet")

    assert pd.read_parquet(tmp_path / "rows.parquet").node.tolist() == [2**63 + 5, 7]


@pytest.fixture
def path_of_three(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\nb,c\n")
    return path


#: Tables of the same labels: their text, and the options that read them.
LABELS = {
    "named": ("node,kind\na,x\nb,y\nc,x\n", ()),
    "columns by name": (
        "who,age,kind\na,1,x\nb,2,y\nc,3,x\n",
        ("--node-column", "who", "--label-column", "kind"),
    ),
    "columns by position": (
        "age,kind,who\n1,x,a\n2,y,b\n3,x,c\n",
        ("--node-column", "3", "--label-column", "2"),
    ),
    "positions without a header": ("1,x,a\n2,y,b\n3,x,c\n", ("--node-column", "3", "--label-column", "2")),
    "no header": ("a,x\nb,y\nc,x\n", ("--no-nodes-header",)),
    "one of several labels": ("node,age,kind\na,1,x\nb,2,y\nc,3,x\n", ("--label-column", "kind")),
    "semicolons": ("node;kind\na;x\nb;y\nc;x\n", ("--nodes-delimiter", ";")),
}


@pytest.mark.parametrize(("text", "options"), LABELS.values(), ids=LABELS)
def test_a_table_of_labels_takes_names_positions_and_a_header(run, path_of_three, tmp_path, text, options):
    (tmp_path / "kinds.csv").write_text(text)
    labels = ("--labels", tmp_path / "kinds.csv", *options)

    rows = run("encode", path_of_three, "-r", "0", *labels, "-o", "-").stdout

    assert rows == "node,r0_d0_deg1_labelx,r0_d0_deg2_labely\na,1,0\nb,0,1\nc,1,0\n"
    assert "label y" in run("explain", path_of_three, "b", *labels).stdout
    assert run("similar", path_of_three, "a", "-k", "1", *labels, "--json").stdout.count('"c"') == 1
    assert run("compare", path_of_three, path_of_three, *labels).stdout
    assert run("explore", path_of_three, *labels, "-o", "-").stdout.startswith("<!doctype html>")
    assert run("embed", path_of_three, *labels, "-o", tmp_path / "v.csv", "--dim", "2")
    (tmp_path / "pairs.csv").write_text("source,target\na,c\n")
    assert "labely" in run("pairs", path_of_three, tmp_path / "pairs.csv", *labels, "-o", "-").stdout
    (tmp_path / "events.csv").write_text("source,target,time\na,b,1\nb,c,2\n")
    (tmp_path / "asked.csv").write_text("node,time\nb,3\n")
    temporal = ("temporal", tmp_path / "events.csv", "--queries", tmp_path / "asked.csv")
    assert "labelx" in run(*temporal, *labels, "-o", "-").stdout


def test_a_folder_asks_whether_a_first_line_has_names(run, error_of, path_of_three, tmp_path):
    (tmp_path / "kinds.csv").write_text("a,x\nb,y\nc,x\n")
    call = ("encode", path_of_three, "-r", "1", "--labels", tmp_path / "kinds.csv", "--node-column", "1")

    assert "may name columns or be data. Set --nodes-header" in error_of(*call, "-o", f"{tmp_path}/out/")
    run(*call, "--no-nodes-header", "-o", f"{tmp_path}/out/")
    assert "label" in run("show", f"{tmp_path}/out/", "b").stdout


def test_columns_and_values_of_nodes_take_names_positions_and_a_header(run, path_of_three, tmp_path):
    (tmp_path / "people.csv").write_text("10,a,Bern\n20,b,Rome\n30,c,Oslo\n")
    people = ("--node-column", "2", "--no-nodes-header")

    page = run("explore", path_of_three, "--columns", tmp_path / "people.csv", *people, "-o", "-").stdout
    values = (
        "--node-values",
        tmp_path / "people.csv",
        "--value-columns",
        "1",
        "--statistics",
        "sum",
        "-r",
        "1",
    )

    assert "Bern" in page
    assert run("rings", path_of_three, *values, *people, "-o", "-").stdout == (
        "node,d0_1_sum,d1_1_sum\na,10.0,20.0\nb,20.0,40.0\nc,30.0,20.0\n"
    )


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("a,x\nb,y\nc,x\n", (), "If the first line has no names, add --no-nodes-header."),
        ("who,kind\na,x\nb,y\nc,x\n", (), "Set --node-column."),
        ("who,kind\na,x\n", ("--node-column", "wo"), "has no column 'wo'. Did you mean 'who'?"),
        ("who,kind\na,x\n", ("--node-column", "9"), "has no column '9'."),
        ("node,age,kind\na,1,x\n", (), "Set --label-column."),
        ("node,kind\na,x\n", ("--label-column", "node"), "the ids and the labels must be two columns"),
        ("node;kind\na;x\n", (), "add --nodes-delimiter ';'."),
        ("2,1\na,x\n", ("--node-column", "1"), "may be a column's name or its position"),
    ],
)
def test_a_table_of_labels_that_is_not_understood_names_the_option(
    error_of, path_of_three, tmp_path, text, options, error
):
    (tmp_path / "kinds.csv").write_text(text)

    assert error in error_of("encode", path_of_three, "--labels", tmp_path / "kinds.csv", *options)


@pytest.mark.parametrize(
    "option", ["--node-column", "--label-column", "--nodes-delimiter", "--no-nodes-header"]
)
def test_an_option_of_a_table_of_nodes_without_one_is_an_error(error_of, path_of_three, option):
    value = () if option == "--no-nodes-header" else ("1",)

    assert "is about a table of nodes, and there is none. Leave it out." in error_of(
        "encode", path_of_three, option, *value
    )


def test_a_tab_may_be_written_as_the_shell_leaves_it(run, tmp_path):
    (tmp_path / "edges.txt").write_text("a\tb\nb\tc\n")

    assert "3 nodes, 2 edges" in run("encode", tmp_path / "edges.txt", "--delimiter", "\\t").stderr


def test_stdin_with_a_delimiter_is_csv(run, piped):
    piped(b"a;b\nb;c\n")

    done = run("encode", "-", "--delimiter", ";", "--no-header", "-q", "-o", "-", "-r", "0")

    assert done.stdout == "node,r0_d0_deg1,r0_d0_deg2\na,1,0\nb,0,1\nc,1,0\n"

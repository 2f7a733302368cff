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
        "is not a table of features that egonet wrote: its first column is 'source', not 'node'."
        in done.stderr
    )


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "must begin with the names of its columns, each once, got []."),
        (
            b"node\na\n",
            "must have a column 'node' or 'id' and a column of labels, got the columns ['node'].",
        ),
        (b"who,kind\na,x\n", "got the columns ['who', 'kind']."),
        (b"node,kind\na\n", "record 2: expected 2 fields, got 1."),
        (b"node,kind\na,x\na,y\n", "must name every node once, got 1 repeated ids."),
        (b"node,kind,more\na,x,y\n", "must have one column of labels, got the columns ['kind', 'more']."),
        (b"node,kind\n\xff,x\n", "kinds.csv, line 2: text must be UTF-8"),
        (b"node,kind\na,\xff\n", "kinds.csv, line 2: text must be UTF-8"),
        (b"node,kind\n,x\n", "kinds.csv, line 2: an id must be hashable and not missing"),
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

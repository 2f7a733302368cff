"""`egonet encode` and `egonet embed`: what they read, write and show."""

import json

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet.errors import InputError, OutputError

SHORT = ("--radius", "1", "--dim", "4", "--epochs", "2", "--length", "10", "--window", "2")


def write(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def test_encode_writes_what_the_library_computes(run, edges, tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")

    done = run("encode", edges, "-r", "1", "-o", tmp_path / "features.parquet")

    assert done.stdout == ""
    assert "4 nodes, 4 edges; nothing changed." in done.stderr
    assert "features.parquet: 4 rows, 5 columns, 9 entries" in done.stderr
    table = parquet.read_table(tmp_path / "features.parquet")
    assert table["r1_d1_deg2"].to_pylist() == [2, 2, 2, 0]


def test_encode_writes_columns_for_another_graph_and_counts_them(run, edges, tmp_path):
    ranks = ("--weighting", "rank", "--degree-rank")
    known, here, there = tmp_path / "known.npz", tmp_path / "here.csv", tmp_path / "there.csv"
    write(tmp_path / "star.csv", "src,dst", *(f"hub,leaf{i}" for i in range(5)))

    done = run("encode", edges, "-r", "1", "--degree-bins", "quantile", *ranks, "-o", here)
    run("encode", edges, "-r", "1", "--degree-bins", "quantile", "-o", known)
    run("encode", tmp_path / "star.csv", "--vocabulary", known, *ranks, "-o", there)

    # A triangle with a tail: two of four nodes have degree 2, whose middle rank is in the third quarter.
    rows = pd.read_csv(here).set_index("node")
    assert rows.columns[:2].tolist() == ["degree_rank", "r1_d0_degq1"]
    assert rows["degree_rank"].tolist() == [0.5, 0.5, 0.875, 0.125]
    assert rows["r1_d0_degq3"].tolist() == [0.75, 0.75, 0, 0]
    assert "here.csv: 4 rows, 6 columns, 13 entries" in done.stderr
    # Five of six nodes of the star have degree 1, whose middle rank, 5/12, is in the second quarter.
    star = pd.read_csv(there).set_index("node")
    assert star.columns.tolist() == rows.columns.tolist()
    assert star["degree_rank"].tolist() == pytest.approx([11 / 12] + [5 / 12] * 5)


def test_encode_prints_csv_to_stdout(run, edges):
    done = run("encode", edges, "-r", "1", "-o", "-")

    assert done.stdout.splitlines()[0] == "node,r1_d0_deg1,r1_d0_deg2,r1_d0_deg3,r1_d1_deg1,r1_d1_deg2"
    assert done.stdout.splitlines()[3] == "c,0,0,1,1,2"


def test_encode_without_output_shows_the_first_nodes(run, edges):
    done = run("encode", edges, "-r", "1")

    assert "1×1  2×2" in done.stdout
    assert "Add -o features.parquet to write them." in done.stderr


def test_encode_prints_one_json_object(run, edges):
    message = json.loads(run("encode", edges, "-r", "1,2", "--json").stdout)

    assert message["graph"] == {"num_nodes": 4, "num_edges": 4, "changes": "nothing changed"}
    assert message["encoding"]["num_rows"] == 4
    assert message["encoding"]["num_classes"] == 3
    assert message["encoding"]["radius"] == [1, 2]


def test_encode_takes_the_columns_of_an_earlier_encoding(run, edges, tmp_path):
    run("encode", edges, "-r", "1", "-o", tmp_path / "known.npz")
    (tmp_path / "star.csv").write_text("src,dst\n" + "".join(f"hub,leaf{i}\n" for i in range(5)))

    done = run(
        "encode", tmp_path / "star.csv", "--vocabulary", tmp_path / "known.npz", "-o", tmp_path / "star.npz"
    )

    assert (
        "1 row has keys without a column, first at node 'hub': (0, 5); 1 node clipped, 0 dropped"
        in done.stderr
    )
    assert egonet.load(tmp_path / "star.npz")["hub"] == {(0, 3): 1, (1, 1): 5}


def test_encode_takes_the_rungs(call, molecules, tmp_path):
    out = tmp_path / "edges.csv"

    done = call("encode", molecules[0], "--rooted", "edge", "-o", out)

    assert done.exit_code == 0
    assert out.read_text().startswith("node,r2_edge_")


@pytest.mark.parametrize(
    "arguments",
    [
        ("encode", "e.csv", "-o", "e.csv"),
        ("encode", "e.csv", "-o", "link.csv"),
        ("encode", "e.csv", "--vocabulary", "x.npz", "-o", "x.npz"),
        ("explore", "e.csv", "-o", "e.csv"),
        ("explore", "f.csv", "e.csv", "-o", "e.csv"),
        ("embed", "e.csv", "-o", "e.csv"),
        ("embed", "e.csv", "-o", "v.npy", "--save", "v.npy"),
        ("show", "x.npz", "-o", "x.npz"),
        ("update", "x.npz", "--added", "f.csv", "-o", "x.npz"),
        ("update", "x.npz", "--added", "f.csv", "-o", "f.csv"),
        ("update", "x.npz", "--graph", "e.csv", "--added", "f.csv", "-o", "e.csv"),
    ],
)
def test_a_command_that_would_overwrite_its_input_raises(call, tmp_path, arguments):
    write(tmp_path / "e.csv", "a,b", "b,c")
    write(tmp_path / "f.csv", "a,c")
    (tmp_path / "link.csv").symlink_to("e.csv")
    egonet.encode(egonet.read_graph(tmp_path / "e.csv"), 2).save(tmp_path / "x.npz", graph=True)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    with pytest.raises(
        OutputError, match=r"would be overwritten: it is the same file as .*Choose another name\."
    ):
        call(*arguments)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_save_graph_needs_an_npz_file(call, tmp_path):
    write(tmp_path / "e.txt", "5 6")

    with pytest.raises(InputError, match=r"--save-graph needs an \.npz file to write, got 'x\.csv'\."):
        call("encode", "e.txt", "--save-graph", "-o", "x.csv")


def test_an_output_without_an_ending_offers_a_folder(error_of, edges):
    assert error_of("encode", edges, "-o", "out") == (
        "--output must be .parquet .arrow .csv .npz .mtx, or a folder such as out/, got 'out'."
    )


def test_embed_writes_vectors_and_applies_them_to_another_graph(attempt, tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text("src,dst\na,b\nb,c\nc,a\nc,d\n")
    second.write_text("src,dst\nx,y\ny,z\nz,x\nz,w\n")

    done = attempt("embed", first, "-o", tmp_path / "a.parquet", "--save", tmp_path / "model.npz", *SHORT)
    facts = json.loads(
        attempt("embed", second, "-o", tmp_path / "b.csv", "--model", tmp_path / "model.npz", "--json").stdout
    )

    table = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["node"] == ["a", "b", "c", "d"]
    assert "4 vectors of 4" in done.stderr
    assert (facts["num_rows"], facts["dim"], len(facts["losses"])) == (4, 4, 2)
    lines = (tmp_path / "b.csv").read_text().splitlines()
    assert lines[0] == "node,ego0,ego1,ego2,ego3"
    # The second graph is the first with other names, so it has the same vectors.
    values = np.array([line.split(",")[1:] for line in lines[1:]], dtype=np.float32)
    expected = np.column_stack([table[f"ego{number}"] for number in range(4)])
    assert np.allclose(values, expected, atol=1e-6)
    assert egonet.Embedding.load(tmp_path / "model.npz").dim == 4


def test_a_format_that_cannot_be_written_raises_before_the_work(attempt, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\na,b\n")

    done = attempt("embed", path, "-o", tmp_path / "vectors.xlsx")

    assert done.returncode == 2
    assert "vectors are written as .parquet, .arrow, .csv, .npy, got 'vectors.xlsx'" in done.stderr


def test_embed_learns_with_labels_and_edge_types(tmp_path, run, error_of):
    (tmp_path / "bonds.csv").write_text("source,target,kind\na,b,x\nb,c,y\nc,d,x\n")
    (tmp_path / "atoms.csv").write_text("node,label\na,C\nb,O\nc,C\nd,N\n")
    vectors, model = tmp_path / "vectors.csv", tmp_path / "model.npz"
    call = ("embed", tmp_path / "bonds.csv", "-o", vectors, "--edge-labels", "kind")
    labels = ("--labels", tmp_path / "atoms.csv")

    run(*call, *labels, "-r", "1", "--dim", "2", "--epochs", "1", "--save", model)
    learned = vectors.read_text()
    run(*call, *labels, "--model", model)

    assert vectors.read_text() == learned
    assert "r1_d1_x_deg2" in egonet.Embedding.load(model).vocabulary.feature_names
    assert "learned with edge labels" in error_of(*call[:4], *labels, "--quiet", "--model", model)


def test_columns_of_edges_are_given_by_position_as_source_is(tmp_path, run, error_of):
    write(tmp_path / "plain.csv", "a,b,5,x", "b,c,50,y")
    write(tmp_path / "named.csv", "source,target,amount,kind", "a,b,5,x", "b,c,50,y")
    ends = ("--source", "1", "--target", "2", "-r", "1", "-o", "-")
    binned = ("--weight-bins", "10,")

    for file in ("plain.csv", "named.csv"):
        weighted = run("encode", tmp_path / file, *ends, "--weights", "3", *binned).stdout
        assert weighted == run("encode", tmp_path / "named.csv", *ends, "--weights", "amount", *binned).stdout
        typed = run("encode", tmp_path / file, *ends, "--edge-labels", "4").stdout
        assert typed == run("encode", tmp_path / "named.csv", *ends, "--edge-labels", "kind").stdout
    said = "plain.csv has no column '5': it has no header, so columns are given by position (1 to 4)."
    assert said in error_of("encode", tmp_path / "plain.csv", *ends, "--weights", "5", *binned)


def test_a_column_of_parquet_is_given_by_position(tmp_path, run, error_of):
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "1": ["x", "y"]})
    table.to_parquet(tmp_path / "t.parquet")

    header = run("encode", tmp_path / "t.parquet", "-r", "1", "--edge-labels", "3", "-o", "-").stdout
    assert "r1_d1_x_deg2,r1_d1_y_deg2" in header
    said = "1 may be a column's name or its position. Rename the column."
    assert said in error_of("encode", tmp_path / "t.parquet", "--edge-labels", "1")


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


@pytest.mark.parametrize("column", ["node", "Node"])
def test_rings_reads_several_columns_of_nodes(files, run, column):
    people = files / "people.csv"
    people.write_text(people.read_text().replace("node", column))

    done = run(
        "rings", files / "payments.csv", "--directed", "no", "--node-values", people,
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
        ([], "give either --edge-values COLUMN or --node-values FILE"),
        (
            ["--edge-values", "amount", "--node-values", "people.csv"],
            "give either --edge-values COLUMN or --node-values FILE.",
        ),
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


def test_edge_values_are_given_by_position_as_source_is(files, run):
    (files / "plain.csv").write_text("ann,bob,5,1\nbob,cid,80,2\ndan,bob,700,3\n")
    shown = ("--directed", "no", "-o", "-", "-q")

    by_name = run("rings", files / "payments.csv", "--edge-values", "amount,fee", *shown).stdout
    by_position = run(
        *("rings", files / "plain.csv", "--source", "1", "--target", "2", "--edge-values", "3,4", *shown)
    ).stdout

    assert by_position.splitlines()[1:] == by_name.splitlines()[1:]


def test_an_empty_cell_is_counted_and_located(files, error_of):
    (files / "gap.csv").write_text("source,target,w\na,b,1.5\nb,c,\n")

    said = "gap.csv: every edge must have a value in column 'w': 1 of 2 have none, first edge 1 (counted from 0)."
    assert said in error_of("rings", files / "gap.csv", "--directed", "no", "--edge-values", "w")


def test_rings_says_which_payments_are_merged_or_dropped(files, run):
    (files / "back.csv").write_text("source,target,amount\na,b,50\nb,a,50\na,a,7\n")

    said = run("rings", files / "back.csv", "--edge-values", "amount", "--directed", "no", "-o", "-").stderr

    assert "Note: 1 of 3 edges join a node to itself and are dropped. 1 of 3 edges repeat another" in said
    assert said.count("Note:") == 1

"""`egonet encode`: what it reads, writes and shows."""

import json

import pytest

import egonet
from egonet.errors import InputError, OutputError


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
        "1 rows met keys without a column, first at node 'hub': (0, 5); 1 nodes clipped, 0 dropped"
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
def test_a_command_that_would_overwrite_its_input_is_refused(call, tmp_path, arguments):
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

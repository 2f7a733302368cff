"""`egonet embed`: vectors of a file, and of another file by a saved model."""

import json

import numpy as np

import egonet

SHORT = ("--radius", "1", "--dim", "4", "--epochs", "2", "--length", "10", "--window", "2")


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


def test_a_format_that_cannot_be_written_is_refused_before_the_work(attempt, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\na,b\n")

    done = attempt("embed", path, "-o", tmp_path / "vectors.xlsx")

    assert done.returncode == 2
    assert "vectors are written as .parquet, .arrow, .csv, .npy, got 'vectors.xlsx'" in done.stderr

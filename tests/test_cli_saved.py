"""Commands on saved files: no input is overwritten, updates in a chain equal encoding from scratch."""

import pytest
from typer.testing import CliRunner

import egonet
from egonet.cli import app
from egonet.errors import InputError, OutputError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run_(*words):
        result = CliRunner().invoke(app, list(words), catch_exceptions=True)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result

    return run_


def write(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def assert_same(path, edges, **words):
    found, expected = egonet.load(path), egonet.encode(egonet.read_graph(edges, **words), 2)
    assert found.nodes.tolist() == expected.nodes.tolist()
    assert found.columns == expected.columns
    assert (found.matrix != expected.matrix).nnz == 0


@pytest.mark.parametrize(
    "words",
    [
        ("encode", "e.csv", "-o", "e.csv"),
        ("encode", "e.csv", "-o", "link.csv"),
        ("encode", "e.csv", "--vocabulary", "x.npz", "-o", "x.npz"),
        ("explore", "e.csv", "-o", "e.csv"),
        ("explore", "f.csv", "e.csv", "-o", "e.csv"),
        ("embed", "e.csv", "-o", "e.csv"),
        ("embed", "e.csv", "-o", "v.npy", "--save", "v.npy"),
        ("report", ".", "-o", "results.jsonl"),
        ("show", "x.npz", "-o", "x.npz"),
        ("update", "x.npz", "--added", "f.csv", "-o", "x.npz"),
        ("update", "x.npz", "--added", "f.csv", "-o", "f.csv"),
        ("update", "x.npz", "--graph", "e.csv", "--added", "f.csv", "-o", "e.csv"),
    ],
)
def test_a_command_that_would_overwrite_its_input_is_refused(run, tmp_path, words):
    write(tmp_path / "e.csv", "a,b", "b,c")
    write(tmp_path / "f.csv", "a,c")
    write(tmp_path / "results.jsonl", "{}")
    (tmp_path / "link.csv").symlink_to("e.csv")
    egonet.encode(egonet.read_graph(tmp_path / "e.csv"), 2).save(tmp_path / "x.npz", graph=True)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    with pytest.raises(
        OutputError, match=r"would be overwritten: it is the same file as .*Choose another name\."
    ):
        run(*words)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("directed", [None, "out", "in"])
def test_updates_in_a_chain_equal_encoding_from_scratch(run, tmp_path, directed):
    edges = ["1 2", "2 3", "3 1", "3 4"]
    steps = [["4 9", "7 9", "7 8", "1 7"], ["10 11", "11 1"], ["2 4", "12 12"]]
    write(tmp_path / "e.txt", *edges)
    way = [] if directed is None else ["--directed", directed]
    run("encode", "e.txt", *way, "--save-graph", "-o", "x0.npz")
    run("encode", "e.txt", *way, "-o", "y0.npz")

    for number, added in enumerate(steps):
        write(tmp_path / "added.txt", *added)
        run("update", f"x{number}.npz", "--added", "added.txt", "-o", f"x{number + 1}.npz")
        files = ("--graph", "e.txt", "--added", "added.txt")
        run("update", f"y{number}.npz", *files, "-o", f"y{number + 1}.npz")
        edges += added
        write(tmp_path / "e.txt", *edges)
        for letter in "xy":
            assert_same(tmp_path / f"{letter}{number + 1}.npz", tmp_path / "e.txt", directed=directed)

    with pytest.raises(InputError, match="the graph given is not the one that was encoded"):
        run("update", "y1.npz", "--graph", "e.txt", "--added", "added.txt", "-o", "z.npz")
    with pytest.raises(InputError, match=r"does not keep its graph\. Give --graph"):
        run("update", "y1.npz", "--added", "added.txt", "-o", "z.npz")


def test_a_name_added_to_whole_numbers_is_an_error(run, tmp_path):
    write(tmp_path / "e.txt", "5 6", "6 7")
    write(tmp_path / "added.txt", "5 newguy")
    run("encode", "e.txt", "--save-graph", "-o", "x.npz")

    with pytest.raises(
        InputError, match=r"ids of the encoding are whole numbers, got 'newguy'\. Give new nodes"
    ):
        run("update", "x.npz", "--added", "added.txt", "-o", "y.npz")


def test_numbers_added_to_names_become_names(run, tmp_path):
    write(tmp_path / "e.txt", "5 ann", "ann bob")
    write(tmp_path / "added.txt", "5 77")
    run("encode", "e.txt", "--save-graph", "-o", "x.npz")

    run("update", "x.npz", "--added", "added.txt", "-o", "y.npz")

    assert egonet.load(tmp_path / "y.npz").nodes.tolist() == ["5", "ann", "bob", "77"]


def test_save_graph_needs_an_npz_file(run, tmp_path):
    write(tmp_path / "e.txt", "5 6")

    with pytest.raises(InputError, match=r"--save-graph needs an \.npz file to write, got 'x\.csv'\."):
        run("encode", "e.txt", "--save-graph", "-o", "x.csv")

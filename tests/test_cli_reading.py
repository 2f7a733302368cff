"""How commands read graphs: columns and headers are never guessed, what is ignored is one line, ids do no harm."""

import json
import warnings

import networkx as nx
import pytest

from egonet.__main__ import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Return what runs `egonet ...` in this process: all of it but the handling of signals."""
    monkeypatch.setattr("egonet.__main__.signal.signal", lambda *_: None)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words, code=0):
        monkeypatch.setattr("sys.argv", ["egonet", *map(str, words)])
        with warnings.catch_warnings(), pytest.raises(SystemExit) as done:
            warnings.simplefilter("always")
            main()
        printed = capsys.readouterr()
        assert done.value.code == code, printed.err
        return printed

    return run


@pytest.fixture
def payments(tmp_path):
    path = tmp_path / "payments.csv"
    path.write_text("when,payer,payee\n2024-01-01,ann,bob\n2024-01-02,bob,cid\n")
    return path


@pytest.mark.parametrize(
    "command",
    [["encode"], ["explain", "ann"], ["explore"], ["compare", "payments.csv"], ["embed", "-o", "v.csv"]],
)
def test_every_command_asks_for_the_columns(run, payments, tmp_path, command):
    name, *rest = command
    rest = [tmp_path / word if "." in word else word for word in rest]

    said = run(name, payments, *rest, code=2).err

    assert said == (
        "egonet: payments.csv: which columns hold the edges? Say --source and --target; the columns are 'when',"
        " 'payer', 'payee'. By position the first two are --source 1, --target 2.\n"
    )


@pytest.mark.parametrize("folder", [False, True])
def test_columns_are_given_by_name_or_by_position_from_one(run, payments, tmp_path, folder):
    choices = (["--source", "payer", "--target", "payee"], ["--source", 2, "--target", 3, "--header"])
    for number, words in enumerate(choices):
        output = tmp_path / (f"out{number}/" if folder else f"out{number}.csv")
        done = run("encode", payments, *words, "-r", 1, "-o", f"{output}/" if folder else output)

        assert "3 nodes, 2 edges" in done.err
        assert "Note:" not in done.err


def test_position_zero_is_an_error(run, payments):
    said = run("encode", payments, "--source", 0, "--target", 1, code=2).err

    assert said == "egonet: --source counts columns from 1, got 0.\n"


@pytest.mark.parametrize("folder", [False, True])
def test_a_doubtful_header_offers_both_options(run, tmp_path, folder):
    path = tmp_path / "a.csv"
    path.write_text("payer,payee\nc1,c2\nc2,c3\n")
    for option, count in ((None, None), ("--header", 2), ("--no-header", 3)):
        output = ["-o", f"{tmp_path}/{option}/"] if folder else []
        words = ["encode", path, "-r", 1, *output]
        if option is None:
            said = run(*words, code=2).err
            assert said.endswith("may name columns or be an edge. Say --header or --no-header.\n")
        else:
            assert f"{count} edges" in run(*words, option).err


def test_another_choice_of_columns_is_another_graph_of_a_folder(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,z\n1,2,3\n2,3,3\n")
    run("encode", path, "--source", "x", "--target", "y", "-r", 1, "-o", f"{tmp_path}/out/")

    said = run(
        "encode", path, "--source", "x", "--target", "z", "-r", 1, "-o", f"{tmp_path}/out/", code=2
    ).err

    assert "holds the encoding of another graph" in said


def test_added_edges_are_not_taken_for_a_header(run, tmp_path):
    path, added = tmp_path / "edges.txt", tmp_path / "added.txt"
    path.write_text("a b\nb c\n")
    added.write_text("u v\n")
    run("encode", path, "-r", 1, "-o", f"{tmp_path}/out/")

    said = run("update", tmp_path / "out", "--added", added, code=2).err

    assert said.endswith(
        "the first row ('u', 'v') may name columns or be an edge. Say --header or --no-header.\n"
    )
    assert "5 rows" in run("update", tmp_path / "out", "--added", added, "--no-header").err


def test_unused_arcs_and_columns_are_one_line(run, tmp_path):
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "c")]), tmp_path / "a.graphml")
    (tmp_path / "a.csv").write_text("source,target,weight\na,b,3\nb,c,2\n")

    arcs = run("encode", tmp_path / "a.graphml", "-r", 1).err.splitlines()
    columns = run("encode", tmp_path / "a.csv", "-r", 1).err.splitlines()

    assert arcs[0] == (
        'Note: Arcs are read as undirected edges. Say --directed "out" or --directed "in" to follow them,'
        " --directed no if undirected is meant."
    )
    assert columns[0] == (
        "Note: Columns besides the two ends of an edge (weights, times) play no part and are ignored."
        " Say --source and --target if this is meant."
    )
    quiet = [("a.graphml", "--directed", "no"), ("a.csv", "--source", "source", "--target", "target")]
    for name, *words in quiet:
        assert "Note:" not in run("encode", tmp_path / name, "-r", 1, *words).err


@pytest.mark.parametrize("escape", ["\x1b[31m", "\x9b31m", "\x07", "\u202e"])
def test_ids_never_control_the_terminal(run, tmp_path, escape):
    path = tmp_path / "edges.csv"
    path.write_text(f"a{escape},b\nb,c\n", encoding="utf-8")
    words = ["--no-header"]
    printed = [
        run("encode", path, "-r", 1, *words),
        run("explain", path, f"a{escape}", "-r", 1, *words),
        run("explain", path, f"a{escape}", "b", "-r", 1, *words),
        run("explain", path, f"a{escape}", "-r", 1, "--json", *words),
        run("explain", path, f"a{escape}z", "-r", 1, *words, code=2),
        run("compare", path, path, *words),
    ]

    for done in printed:
        assert all(c.isprintable() or c == "\n" for c in done.out + done.err)
    assert json.loads(printed[3].out)["node"] == f"a{escape}"

"""Options: how commands read graphs, labels and settings."""

import subprocess
import sys

import networkx as nx
import pytest

import egonet
from egonet.cli.commands import EXAMPLES
from egonet.cli.options import Reading
from egonet.errors import InputError


@pytest.fixture
def payments(tmp_path):
    path = tmp_path / "payments.csv"
    path.write_text("when,payer,payee\n2024-01-01,ann,bob\n2024-01-02,bob,cid\n")
    return path


@pytest.mark.parametrize(
    "command",
    [["encode", "-o", "-"], ["explain"], ["compare"], ["explore"], ["embed", "-o", "v.csv"], ["benchmark"]],
)
def test_every_command_takes_the_reading_options(attempt, tmp_path, command):
    """An ending that says nothing, an odd delimiter, comments, and names above names."""
    path = tmp_path / "edges.data"
    path.write_text("!made up\nwho;whom\nann;bob\nbob;cid\n")
    name, *arguments = command
    files = [path, path] if name == "compare" else [path, "ann"] if name == "explain" else [path]
    arguments += ["--epochs", "1", "--walks", "1"] if name == "embed" else []
    arguments += ["--format", "csv", "--delimiter", ";", "--comment", "!"]

    done = attempt(name, *files, *arguments, "--header", "--source", "who", "--target", "whom", cwd=tmp_path)
    bare = attempt(name, *files, *arguments, "--no-header", cwd=tmp_path)

    assert done.returncode == bare.returncode == 0, done.stderr + bare.stderr
    if name == "encode":
        assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["node", "ann", "bob", "cid"]
        assert "who" in bare.stdout


@pytest.mark.parametrize(
    "command",
    [["encode"], ["explain", "ann"], ["explore"], ["compare", "payments.csv"], ["embed", "-o", "v.csv"]],
)
def test_every_command_requires_ambiguous_columns_to_be_named(run, payments, tmp_path, command):
    name, *rest = command
    rest = [tmp_path / word if "." in word else word for word in rest]

    message = run(name, payments, *rest, status=2).stderr

    assert message == (
        "egonet: payments.csv: which two columns have the node ids? Set --source and --target; the first row is 'when',"
        " 'payer', 'payee'. By position the first two columns are --source 1, --target 2.\n"
    )


@pytest.mark.parametrize("folder", [False, True])
def test_columns_are_given_by_name_or_by_position_from_one(run, payments, tmp_path, folder):
    choices = (["--source", "payer", "--target", "payee"], ["--source", 2, "--target", 3, "--header"])
    for number, arguments in enumerate(choices):
        output = tmp_path / (f"out{number}/" if folder else f"out{number}.csv")
        done = run("encode", payments, *arguments, "-r", 1, "-o", f"{output}/" if folder else output)

        assert "3 nodes, 2 edges" in done.stderr
        assert "Note:" not in done.stderr


def test_position_zero_is_an_error(run, payments):
    message = run("encode", payments, "--source", 0, "--target", 1, status=2).stderr

    assert message == "egonet: --source must be the name of a column or its position from 1, got 0.\n"


@pytest.mark.parametrize("folder", [False, True])
def test_an_ambiguous_header_offers_both_options(run, tmp_path, folder):
    path = tmp_path / "a.csv"
    path.write_text("payer,payee\nc1,c2\nc2,c3\n")
    for option, count in ((None, None), ("--header", 2), ("--no-header", 3)):
        output = ["-o", f"{tmp_path}/{option}/"] if folder else []
        arguments = ["encode", path, "-r", 1, *output]
        if option is None:
            message = run(*arguments, status=2).stderr
            assert message.endswith("may name columns or be data. Set --header or --no-header.\n")
        else:
            assert f"{count} edges" in run(*arguments, option).stderr


def test_another_choice_of_columns_is_another_graph_of_a_folder(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,z\n1,2,3\n2,3,3\n")
    run("encode", path, "--source", "x", "--target", "y", "-r", 1, "-o", f"{tmp_path}/out/")

    message = run(
        "encode", path, "--source", "x", "--target", "z", "-r", 1, "-o", f"{tmp_path}/out/", status=2
    ).stderr

    assert "has a.csv read with target 'y', not 'z'. Choose another folder." in message


def test_unused_arcs_and_columns_are_one_line(run, tmp_path):
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "c")]), tmp_path / "a.graphml")
    (tmp_path / "a.csv").write_text("source,target,weight\na,b,3\nb,c,2\n")

    arcs = run("encode", tmp_path / "a.graphml", "-r", 1).stderr.splitlines()
    columns = run("encode", tmp_path / "a.csv", "-r", 1).stderr.splitlines()

    assert arcs[0] == (
        "Note: Arcs are read as undirected edges. Set --directed out or --directed in to follow them,"
        " --directed no if undirected is intended."
    )
    assert columns[0] == (
        "Note: Columns other than the two ends of an edge (weights, times) are ignored."
        " Set --simplify if this is intended."
    )
    quiet = [
        ("a.graphml", "--directed", "no"),
        ("a.csv", "--source", "source", "--target", "target"),
        ("a.csv", "--simplify"),
    ]
    for name, *arguments in quiet:
        assert "Note:" not in run("encode", tmp_path / name, "-r", 1, *arguments).stderr


@pytest.mark.parametrize("command", ["encode", "explain", "embed"])
def test_every_command_with_settings_shows_them_in_panels(run, command):
    shown = run(command, "--help").stdout

    assert "─ Input ─" in shown
    assert "─ Features ─" in shown
    assert "[total|layered|full|in_out]" in shown
    for name in ("--degree-bins", "--labels", "--directed", "--radius", "--source"):
        assert name in shown


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_command_has_quiet_and_examples(run, command):
    shown = run(command, "--help").stdout

    assert "--quiet" in shown
    assert f"egonet {command} " in shown


@pytest.mark.parametrize(
    ("typed", "completed"), [("encode --degrees l", "layered"), ("explain --directed o", "out")]
)
def test_values_of_choices_are_completed(run_process, typed, completed):
    done = run_process(
        _EGONET_COMPLETE="complete_bash", COMP_WORDS=f"egonet {typed}", COMP_CWORD="3", check=False
    )

    assert done.stdout.split() == [completed]


@pytest.mark.parametrize("column", ["node", "Node", "ID"])
def test_labels_of_a_table_are_part_of_the_features(run, edges, tmp_path, column):
    (tmp_path / "kinds.csv").write_text(f"{column},kind\nd,y\nc,y\nb,x\na,x\n")

    shown = run("encode", edges, "-r", "0", "--labels", tmp_path / "kinds.csv", "-o", "-").stdout

    assert shown.splitlines()[0] == "node,r0_d0_deg1_labely,r0_d0_deg2_labelx,r0_d0_deg3_labely"
    assert shown.splitlines()[1::3] == ["a,0,1,0", "d,1,0,0"]


def test_labels_of_a_folder_equal_those_of_a_file(run, tmp_path):
    (tmp_path / "edges.txt").write_text("1 2\n2 3\n")
    (tmp_path / "kinds.csv").write_text("id,kind\n1,7\n2,8\n3,7\n")
    labels = ["--labels", tmp_path / "kinds.csv", "-r", "1"]

    run("encode", tmp_path / "edges.txt", *labels, "-o", f"{tmp_path}/out/")
    run("encode", tmp_path / "edges.txt", *labels, "-o", tmp_path / "out.npz")

    assert egonet.load(tmp_path / "out")[2] == egonet.load(tmp_path / "out.npz")[2]


def test_quiet_prints_results_only(run, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,weight\na,b,3\nb,c,2\n")

    assert run("encode", path, "-o", "-", "--quiet").stderr == ""
    assert run("encode", path, "-o", "-", "--quiet").stdout.startswith("node,")
    assert "Note:" in run("encode", path, "-o", "-").stderr


def test_a_dash_is_stdin(run_process, edges):
    done = subprocess.run(
        [sys.executable, "-m", "egonet", "encode", "-", "--format", "csv", "-r", "1", "-o", "-"],
        input=edges.read_text(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == run_process("encode", edges, "-r", "1", "-o", "-").stdout


def test_stdin_needs_no_format(run_process, edges):
    """The first line decides, a note on stderr says how, and --quiet leaves it out."""
    expected = run_process("encode", edges, "-r", "1", "-o", "-").stdout
    for more, note in ([], True), (["--quiet"], False):
        done = subprocess.run(
            [sys.executable, "-m", "egonet", "encode", "-", "-r", "1", "-o", "-", *more],
            input=edges.read_text(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stdout == expected
        assert ("stdin is read as csv, by its first line. Set --format" in done.stderr) == note


def test_a_position_that_no_table_has_is_an_error(error_of, edges):
    assert error_of("encode", edges, "--source", "9" * 30, "--target", "1") == (
        f"--source must be the name of a column or its position from 1, got {'9' * 30}."
    )


@pytest.mark.parametrize("command", EXAMPLES)
def test_an_option_that_turns_something_off_shows_no_default(call, command):
    assert "default: True" not in call(command, "--help").output


@pytest.mark.parametrize("command", [["encode"], ["explain", "a"], ["explore"], ["embed", "-o", "v.csv"]])
def test_an_empty_radius_is_an_error(attempt, edges, tmp_path, command):
    name, *more = command

    done = attempt(name, edges, *more, "-r", "", cwd=tmp_path)

    assert done.returncode == 2
    assert "radius must be a whole number >= 0, or several as in 1,2, got ''." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["compare", "-", "-"], "first and second"),
        (["compare", "-", "/dev/stdin"], "first and second"),
        (["explore", "-", "-", "-o", "-"], "graph and other"),
        (["encode", "-", "--labels", "-"], "graph and labels"),
        (["rings", "-", "--node-values", "-"], "graph and node-values"),
        (["temporal", "-", "--queries", "-"], "events and queries"),
        (["compare", "a.csv", "b.csv", "--labels", "-", "--labels", "-"], "labels and labels"),
    ],
)
def test_stdin_is_read_once(error_of, arguments, names):
    assert error_of(*arguments) == (
        f"stdin can be read once, but - is given for {names}. Save one of them to a file."
    )


def test_an_empty_delimiter_is_refused():
    with pytest.raises(InputError, match=r"delimiter= must be one character, got ''\. Write ' ' for blanks"):
        Reading(delimiter="").keywords()


def test_columns_of_a_sparser_graph_are_noted_with_the_switches_for_another_graph(run, tmp_path):
    for name, hops in (("ring", [1]), ("dense", range(1, 8))):
        rows = "\n".join(f"n{node},n{(node + hop) % 120}" for node in range(120) for hop in hops)
        (tmp_path / f"{name}.csv").write_text(f"source,target\n{rows}\n")
    ring, dense, columns = tmp_path / "ring.csv", tmp_path / "dense.csv", tmp_path / "ring.parquet"
    run("encode", ring, "-r", 1, "-o", columns)

    said = run("encode", dense, "--vocabulary", columns, "-o", "-").stderr

    assert (
        "Note: the columns were learned where nodes have 2.0 neighbors on average, and here they have 14.0"
        in said
    )
    assert (
        "For another graph use --degree-rank, and learn the columns with --degree-bins quantile --weighting rank."
        in said
    )
    assert "Warning" not in said
    assert run("encode", dense, "--vocabulary", columns, "-o", "-", "--quiet").stderr == ""
    run("encode", ring, "-r", 1, "--degree-bins", "quantile", "-o", columns)
    assert "Note: the columns" not in run("encode", dense, "--vocabulary", columns, "-o", "-").stderr

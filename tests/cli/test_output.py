"""What commands print: tables, JSON, progress."""

import json
import re
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import egonet
from egonet import Settings, named
from egonet.cli import output, table_files
from egonet.errors import printable


def test_histograms_are_shown_in_a_separate_column(run, edges):
    shown = run("encode", edges, "-r", "1", "--common").stdout

    assert "common neighbors" in shown
    assert "common_none" in shown


def test_rings_beyond_the_graph_are_not_shown(run, edges):
    head = run("encode", edges, "-r", "50").stdout.splitlines()[0]

    assert [word for word in head.split() if word.isdecimal()] == ["0", "1", "2"]


@pytest.mark.parametrize("escape", ["\x1b[31m", "\x9b31m", "\x07", "\u202e"])
def test_ids_never_control_the_terminal(run, tmp_path, escape):
    path = tmp_path / "edges.csv"
    path.write_text(f"a{escape},b\nb,c\n", encoding="utf-8")
    arguments = ["--no-header"]
    printed = [
        run("encode", path, "-r", 1, *arguments),
        run("explain", path, f"a{escape}", "-r", 1, *arguments),
        run("explain", path, f"a{escape}", "b", "-r", 1, *arguments),
        run("explain", path, f"a{escape}", "-r", 1, "--json", *arguments),
        run("explain", path, f"a{escape}z", "-r", 1, *arguments, status=2),
        run("compare", path, path, *arguments),
    ]

    for done in printed:
        assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)
    assert json.loads(printed[3].stdout)["node"] == f"a{escape}"


@pytest.mark.parametrize("text", ["\x1b[31mred", "\x9b31m", "\u202e", "[red]", "[/red]", "[link=x]y[/link]"])
def test_labels_types_and_column_names_are_shown_as_they_are(run, tmp_path, text):
    edges, labels, queries, events = (
        tmp_path / name for name in ("edges.csv", "labels.csv", "queries.csv", "events.csv")
    )
    edges.write_text(f"source,target,kind\na,b,{text}\nb,c,{text}\n", "utf-8")
    labels.write_text(f"node,label\na,{text}\nb,{text}\nc,x\n", "utf-8")
    queries.write_text("source,target\na,c\n", "utf-8")
    events.write_text(f"{text},{text}2,time\na,b,1\nb,c,2\n", "utf-8")
    ends = ("--source", text, "--target", f"{text}2")
    printed = [
        run("encode", edges, "-r", 1, "--labels", labels, "--simplify"),
        run("encode", edges, "-r", 1, "--edge-labels", "kind"),
        run("pairs", edges, queries, "--labels", labels, "--simplify"),
        run("events", events, *ends, "--windows", "5"),
    ]

    for done in printed:
        assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)
        assert printable(text) in "".join(done.stdout.split("\n"))


def test_the_last_number_of_a_row_is_one_word(capsys):
    output.print_first_rows(("node", "events"), 1, lambda row: ("a", "1200"))

    assert capsys.readouterr().out.split()[-1] == "1200"


def test_a_short_run_is_not_predicted(monkeypatch, capsys):
    from egonet.cli import output as show

    monkeypatch.setattr(show, "predict", None)

    show.print_plan(named.grid(30, 30), Settings((1, 2)), show.Printing())

    assert capsys.readouterr().err == ""
    assert show.may_take_long(named.star(40_000), 2)


def test_a_long_phase_is_a_line_with_rate_and_time_left(monkeypatch, capsys):
    monkeypatch.setattr(output, "QUIET_SECONDS", 0.05)

    with output.Printing().progress("encoding") as report:
        report(10, 100)
        time.sleep(0.3)

    assert re.match(r"encoding: 10 of 100 nodes, [\d,]+/s, \d+ s left\n", capsys.readouterr().err)


def test_a_long_reading_shows_the_bytes_of_the_file(monkeypatch, capsys, edges):
    monkeypatch.setattr(output, "QUIET_SECONDS", 0.05)

    with output.Printing().progress("reading", path=edges), edges.open("rb", buffering=0) as stream:
        stream.read(10)
        time.sleep(0.3)

    assert capsys.readouterr().err.startswith("reading edges.csv: 10 of 24 bytes")


@pytest.mark.parametrize(
    "arguments",
    [
        ["encode", "EVENTS", "--simplify", "-r", "1"],
        ["rings", "EVENTS", "--edge-values", "amount"],
        ["roles", "EVENTS", "--simplify"],
        ["events", "EVENTS", "--groups", "ends", "--windows", "all"],
        ["temporal", "EVENTS", "--queries", "QUERIES"],
        ["embed", "EVENTS", "--simplify", "--dim", "2", "--epochs", "1"],
        ["pairs", "EVENTS", "EVENTS", "--simplify", "--first", "source", "--second", "target"],
    ],
)
@pytest.mark.parametrize("output", ["out.csv", "-"])
def test_writing_a_table_is_a_phase_with_progress(monkeypatch, run, tmp_path, arguments, output):
    phases = []

    @contextmanager
    def progress(self, what, **_):
        phases.append(what)
        yield lambda *_: None

    monkeypatch.setattr("egonet.cli.output.Printing.progress", progress)
    (tmp_path / "events.csv").write_text("source,target,time,amount\na,b,1,5\nb,c,2,6\n")
    (tmp_path / "queries.csv").write_text("node,time\nb,3\n")
    names = {"EVENTS": "events.csv", "QUERIES": "queries.csv"}

    run(*(names.get(word, word) for word in arguments), "-o", output, cwd=tmp_path)

    assert phases[-1] == ("writing" if output == "-" else "writing out.csv")


def test_quiet_shows_no_progress(monkeypatch, capsys):
    monkeypatch.setattr(output, "QUIET_SECONDS", 0.01)

    with output.Printing(quiet=True).progress("encoding"):
        time.sleep(0.1)

    assert capsys.readouterr().err == ""


def test_a_huge_radius_is_shown_quickly(run, edges):
    assert "distance 2" in run("encode", edges, "-r", "1000000000").stdout


def test_a_stopped_run_that_can_be_resumed_says_how():
    with pytest.raises(KeyboardInterrupt) as stop, output.resumable():
        raise KeyboardInterrupt

    assert stop.value.__notes__ == ["Run the same command again to resume."]


def test_a_line_names_the_step_that_runs(monkeypatch, capsys):
    monkeypatch.setattr(output, "QUIET_SECONDS", 0.05)

    def number_ids():
        time.sleep(0.3)

    with output.Printing().progress("reading"):
        number_ids()

    assert re.fullmatch(r"reading, numbering the nodes: \d+ s\n", capsys.readouterr().err)


def test_steps_are_functions_of_the_package():
    """A renamed function would leave its phase without a name."""
    folder = Path(egonet.__file__).parent
    source = "".join(path.read_text() for path in folder.rglob("*.py"))

    assert [name for name in output.STEPS if f"def {name}(" not in source] == []


def test_no_rate_is_shown_once_all_bytes_are_read():
    assert output.progress_text(70, 99, "bytes", 10.0, 6.0) == "70 of 99 bytes, 10/s, 3 s left"
    assert output.progress_text(99, 99, "bytes", 10.0, 6.0) == "6 s"
    assert output.progress_text(0, 99, "nodes", 0.0, 6.0) == "6 s"


@pytest.mark.parametrize(
    "arguments",
    [
        ("encode", "edges.csv"),
        ("rings", "edges.csv", "--edge-values", "3"),
        ("pairs", "edges.csv", "edges.csv"),
        ("temporal", "edges.csv", "--queries", "edges.csv"),
        ("explore", "edges.csv"),
        ("show", "features.npz"),
    ],
)
def test_rows_and_json_do_not_share_stdout(run, arguments):
    done = run(*arguments, "--json", "-o", "-", status=2)

    assert done.stdout == ""
    assert "--json and --output - both print to stdout. Give --output a file" in done.stderr


def test_control_characters_in_ids_are_escaped_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.reconfigure", lambda **_: None, raising=False)

    output.print_csv(egonet.encode([("a\x1b[31m", "b")], radius=0), "count")

    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert printed.splitlines()[2] == "b,1"


def test_control_characters_in_columns_are_escaped_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.reconfigure", lambda **_: None, raising=False)

    table_files.write_columns({"node": ["a\x1b[31m", "b"], "time": [1, 2]}, None)

    assert capsys.readouterr().out.splitlines() == ["node,time", "a\\x1b[31m,1", "b,2"]

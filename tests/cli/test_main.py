"""The entry point: exit codes, errors in one sentence, signals, and streams."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import egonet
from egonet.cli import commands
from egonet.cli import main as module
from egonet.errors import InputError


class ShownError(Exception):
    exit_code = 2

    def show(self):
        sys.stderr.write("Usage: egonet\n")


class Abort(Exception):  # noqa: N818 — the name that typer gives it
    pass


def end_with(monkeypatch, capsys, outcome):
    """Return the status and the message if the command line ends with `outcome`, raised or returned."""

    def app(standalone_mode, prog_name):
        assert (standalone_mode, prog_name) == (False, "egonet")
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(commands, "app", app)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as caught:
        module.main()
    return caught.value.code, capsys.readouterr().err


UNEXPECTED = "Set EGONET_DEBUG=1 to see where.\n"


@pytest.mark.parametrize("name", ["x" * 5000, b"x" * 5000])
def test_a_file_that_the_system_refuses_is_named(monkeypatch, capsys, name):
    error = OSError(36, "File name too long", name)

    status, said = end_with(monkeypatch, capsys, error)

    assert (status, said[-42:]) == (2, "xxxx... cannot be used: File name too long.\n"[-42:])
    assert len(said) < 120


def test_a_message_about_many_arguments_is_short(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["egonet", "encode", *["x"] * 5000])

    with pytest.raises(SystemExit):
        module.main()

    said = capsys.readouterr().err
    assert "See egonet encode --help." in said
    assert len(said) < 600


def test_a_message_never_turns_the_direction_of_text(monkeypatch, capsys):
    _, said = end_with(monkeypatch, capsys, InputError("there is no file \u202eabc."))

    assert said == "egonet: there is no file \\u202eabc.\n"


TABLES = {
    "SEMICOLONS": "node;label\na;X\n",
    "TIMES": "source,target,time\na,b,1\n",
    "WEIGHTED": "source,target,w\na,b,1\n",
    "MIXED": "source,target,time\na,b,1\na,b,x\n",
    "KEPT": "source,target,time,kept\na,b,1,maybe\n",
    "MISSING": "source,target\na,b\n,c\n",
    "FRACTIONS": "source,target\n1.5,2\n2,3\n",
    "DAYS": "source,target,time\na,b,31/01/2024\n",
}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["encode", "EDGES", "-r", "2.5"],
            "--radius must be a whole number >= 0, or several as in 1,2, got '2.5'.",
        ),
        (["encode", "EDGES", "-r", "-1"], "radius must be a whole number >= 0, got -1."),
        (
            ["encode", "EDGES", "-o", "FOLDER/none/f.csv"],
            "f.csv could not be written: the folder does not exist; create it first.",
        ),
        (
            ["encode", "EDGES", "-o", "f.xls"],
            "an encoding is written as .parquet, .arrow, .csv, .npz, .mtx, got 'f.xls'.",
        ),
        (
            ["encode", "EDGES", "--degrees", "ful"],
            "--degrees must be one of 'total', 'layered', 'full', 'in_out', got 'ful'. Did you mean 'full'?",
        ),
        (["encode", "EDGES", "--source", "sr", "--target", "dst"], "Did you mean 'src'?"),
        (["encode", "FOLDER/edgs.csv"], "edges.csv'?"),
        (["encode", "RAGGED"], "line 3"),
        (["encode", "TRUNCATED"], "truncated.txt.gz"),
        (["encode", "PARQUET"], "false.parquet"),
        (["explain", "EDGES", "e"], "the graph has no node 'e'."),
        (
            ["similar", "EDGES", "a", "-k", "x"],
            "-k must be a whole number, got 'x'. See egonet similar --help.",
        ),
        (["similar", "EDGES", "a", "-k", "0"], "-k must be at least 1, got 0."),
        (["links", "evaluate", "EDGES", "--test", "x"], "--test must be a number, got 'x'."),
        (["embed", "EDGES", "-o", "v.csv", "--seed", "-1"], "--seed must be at least 0, got '-1'."),
        (["encode", "EDGES", "--max-degree", "-3"], "--max-degree must be a whole number >= 0, got -3."),
        (["encode", "EDGES", "--delimiter", ";;"], "--delimiter must be one character other than a quote"),
        (["explore", "EDGES", "--pair", "a"], "See egonet explore --help."),
        (["update", "FOLDER/none", "--added", "EDGES"], "there is no file or folder"),
        (["verify", "FOLDER/none"], "does not exist. Give a folder that egonet encode wrote."),
        (["verify", "EDGES"], "is a file. Give a folder that egonet encode wrote."),
        (["demo", "-o", "EDGES"], "--output must be a folder, and "),
        (["encode", "EDGES", "--labels", "SEMICOLONS"], "Its fields are separated by ';'"),
        (
            ["events", "TIMES"],
            "--windows must be numbers in the same unit, got '1d'. Set --windows 10,all or other",
        ),
        (["encode", "TWO"], "has 2 graphs, not one. Give a file of one graph; egonet compare takes two."),
        (["encode", "TWO", "--source", "a"], "--source has no meaning for graph6. Leave it out."),
        (["encode", "EDGES", "--partitions", "0"], "--partitions is for Spark. Add --engine spark."),
        (["encode", "WEIGHTED", "--edge-labels", "w", "--weights", "w"], "give --edge-labels or --weights"),
        (["encode", "EDGES", "-r", "1,1"], "--radius must not repeat a value, got 1,1."),
        (["recommend", "EDGES", "a", "-k", "0"], "egonet: -k must be a whole number >= 1, got 0."),
        (["recommend", "EDGES", "a", "--directed", "out"], "got --directed out. Read it with --directed no,"),
        (
            ["links", "evaluate", "EDGES", "--threads", "0", "--test", "0.5"],
            "--threads must be at least 1, got 0. Leave it out for one per core.",
        ),
        (["explain", "EDGES", "a", "--count", "edges"], "Name another node, to compare the two."),
        (["embed", "EDGES", "-o", "v.csv", "--walks", "0"], "--walks must be at least 1, got 0."),
        (["embed", "EDGES", "-o", "v.csv", "--save", "m.txt"], "--save writes an .npz file, got 'm.txt'."),
        (["embed", "EDGES", "-o", "v.csv", "--model", "m.npz", "--dim", "3"], "Leave --dim out."),
        (
            ["update", "TIMES", "--added", "EDGES", "-o", "n.npz"],
            "is a folder or an .npz file, got 'times.csv'.",
        ),
        (["rings", "EDGES", "--edge-values", "dst,dst"], "the columns of values must differ"),
        (
            ["explore", "EDGES", "--time-format", "%Y"],
            "--time-format is the form of --edge-times. Give both.",
        ),
        (["explore", "EDGES", "--max-nodes", "0"], "--max-nodes must be at least 1, got '0'."),
        (["explore", "EDGES", "--degrees", "in_out"], "Use egonet explain."),
        (
            ["events", "TIMES", "--groups", "cycles", "--cycle-length", "1"],
            "--cycle-length must be at least 2, got 1.",
        ),
        (["events", "TIMES", "--delimiter", ";"], "Its fields are separated by ',': add --delimiter ','."),
        (["events", "TIMES", "--cycle-length", "3"], "Add it: --groups ends,pair,ego,cycles."),
        (["events", "TIMES", "--groups", "ends", "--radius", "2"], "Add it: --groups ends,ego."),
        (["events", "TIMES", "--groups", "ends,ends"], "--groups must be some of"),
        (["events", "TIMES", "--windows", "5,5"], "--windows must differ, got 5,5."),
        (
            ["events", "TIMES", "--source", "source", "--target", "target", "--time", "source"],
            "--source and --time must be two columns, got 'source' for both.",
        ),
        (["events", "KEPT", "--keep", "kept"], "--keep must be true or false, got 'maybe'"),
        (["rings", "EDGES", "--edge-values", "dst", "--statistics", "x"], "--statistics must be one of"),
        (["roles", "EDGES", "-r", "1,2"], "one radius at a time, got 1,2."),
        (["links", "rank", "EDGES"], "ACTION of egonet links must be one of 'evaluate'"),
        (["recommend", "EDGES", "a", "--threads", "-1"], "--threads must be a whole number >= 1, got -1."),
        (["explore", "EDGES", "--pair", "a", "a"], "--pair must be two different nodes, got 'a' 'a'."),
        (["explore", "EDGES", "-o", "page.txt"], "a page is written as .html, got 'page.txt'."),
        (["encode", "EDGES", "--form", "wide"], "--form is about a table that is written."),
        (["encode", "EDGES", "--weighting", "log"], "--weighting is about a table that is written."),
        (["encode", "EDGES", "--form", "sparse", "-o", "-"], "CSV has no lists."),
        (["encode", "EDGES", "--unseen", "error"], "--unseen is about --vocabulary."),
        (["pairs", "EDGES", "EDGES", "--unseen", "error"], "--unseen is about --vocabulary."),
        (["encode", "TIMES", "--source", "", "--target", "x"], "a column must be given by its name, got ''."),
        (["compare", "EDGES", "EDGES", "--other-delimiter", ""], "--other-delimiter must be one character"),
        (["encode", "MISSING"], "an id must not be missing, and a number must be whole and of 64 bits"),
        (["encode", "FRACTIONS"], "--ids text reads all ids as text."),
        (["events", "MIXED"], "got '1' at row 0 and 'x' at row 1 (counted from 0)"),
        (["events", "DAYS"], "For another form set --time-format to it"),
        (
            ["pairs", "EDGES", "EDGES", "--ends-distance", "0"],
            "egonet: --ends-distance must be at least 1, got 0.",
        ),
        (["embed", "EDGES", "-o", "v.csv", "--walks", "9" * 20], "--walks must be at most 2,147,483,647"),
        (["embed", "EDGES", "-o", "v.csv", "--length", "9" * 20], "--length must be at most 2,147,483,647"),
        (["embed", "EDGES", "-o", "v.csv", "--window", "9" * 20], "--window must be at most 2,147,483,647"),
        (["embed", "EDGES", "-o", "v.csv", "--negatives", "9" * 20], "--negatives must be at most 2,147"),
        (["embed", "EDGES", "-o", "v.csv", "--epochs", "9" * 20], "--epochs must be at most 2,147,483,647"),
        (["encode", "JSON"], "Save its list of edges as csv, with a column for each end.\n"),
        (["encode", "GEXF"], "Convert it to GraphML, or save its edges as csv.\n"),
        (["encode", "ARRAY"], "Save its edges as csv, or the array in an archive.\n"),
        (["encode", "~/edges.csv"], "For your home folder write ~ without quotes.\n"),
        (["events", "TIMES", "--radius", "0"], "egonet: --radius must be at least 1, got 0."),
        (["events", "TIMES", "--windows", ","], "egonet: --windows must"),
    ],
)
def test_errors_are_one_sentence_and_exit_two(attempt, edges, tmp_path, arguments, sentence):
    (tmp_path / "ragged.csv").write_text("src,dst\na,b\nc\n")
    (tmp_path / "truncated.txt.gz").write_bytes(gzip.compress(b"1 2\n3 4\n" * 1000)[:-10])
    (tmp_path / "false.parquet").write_text("not parquet")
    names = {
        "EDGES": edges,
        "RAGGED": tmp_path / "ragged.csv",
        "TRUNCATED": tmp_path / "truncated.txt.gz",
        "PARQUET": tmp_path / "false.parquet",
        "TWO": tmp_path / "two.g6",
        "JSON": tmp_path / "edges.json",
        "GEXF": tmp_path / "edges.gexf",
        "ARRAY": tmp_path / "array.npz",
    }
    names["JSON"].write_text("{}")
    names["GEXF"].write_text("<gexf/>")
    names["ARRAY"].write_bytes(b"\x93NUMPY")
    names["TWO"].write_text("Cr\nCl\n")
    for name, content in TABLES.items():
        names[name] = tmp_path / f"{name.lower()}.csv"
        names[name].write_text(content)

    done = attempt(*[names.get(word, word.replace("FOLDER", str(tmp_path))) for word in arguments])

    assert done.returncode == 2
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.startswith("egonet: ")
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_missing_argument_is_explained_and_exits_two(attempt):
    done = attempt("encode")

    assert done.returncode == 2
    assert "Missing argument" in done.stderr


def test_debug_mode_shows_a_traceback(run_process, edges):
    assert "Traceback" in run_process("explain", edges, "e", check=False, EGONET_DEBUG="1").stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_leaves_nothing_behind(tmp_path, number, status):
    side = 700
    rows = (
        f"{x * side + y} {x * side + y + step}\n"
        for x in range(side - 1)
        for y in range(side - 1)
        for step in (1, side)
    )
    (tmp_path / "grid.txt").write_text("".join(rows))
    running = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "egonet",
            "encode",
            tmp_path / "grid.txt",
            "-r",
            "600",
            "-o",
            tmp_path / "out.npz",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr.readline()  # progress, which a step of more than two seconds prints
    running.send_signal(number)
    _, message = running.communicate(timeout=60)

    assert running.returncode == status
    assert "Traceback" not in message
    assert [path.name for path in tmp_path.iterdir()] == ["grid.txt"]


def test_head_ends_the_command_without_an_error(tmp_path):
    (tmp_path / "path.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(20_000)))
    shell = (
        f"{sys.executable} -m egonet encode {tmp_path}/path.txt -r 1 -o - | head -1; echo ${{PIPESTATUS[@]}}"
    )

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)

    assert done.stdout.startswith("node,")
    assert done.stdout.endswith("0 0\n")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_version_prints_the_version(run):
    assert run("--version").stdout == f"egonet {egonet.__version__}\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;b\nb;c\n", "Should it be read with --delimiter ';'?"),
        ("day,who,whom\n1,2,3\n", "By position the first two columns are --source 1, --target 2."),
        ("#a,b\n", "Set --comment '#' to skip such lines, --comment '' to read them."),
    ],
)
def test_errors_name_options_of_the_command(attempt, tmp_path, content, message):
    (tmp_path / "edges.csv").write_text(content)

    done = attempt("explain", tmp_path / "edges.csv", "a")

    assert done.returncode == 2
    assert done.stderr.endswith(f"{message}\n")


def test_an_id_that_looks_like_an_option_is_shown_as_given(attempt, edges):
    done = attempt("explain", edges, "x directed=out")

    assert done.returncode == 2
    assert done.stderr.startswith("egonet: the graph has no node 'x directed=out'.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", "2"], "--depth must be 1 unless --rooted refined, got 2."),
        (["--vocabulary", "LABELED"], "the vocabulary was learned with node labels. Give --labels here too."),
        (["--layout", "paper", "--degree-bins", "log"], "with other degrees, --degree-bins or labels."),
        (["--follow", "out"], "--follow is for --degrees in_out"),
        (["--rooted", "edge", "--common"], "Leave --common out."),
        (["--rooted", "edge", "--max-degree", "3"], "Leave --max-degree, --degree-bins and --layout out."),
        (["--weight-bins", "log"], "--weight-bins is for --weights. Give --weights too."),
        (["--memory-limit", "x"], "--memory-limit must be a number of bytes"),
        (["--count", "events"], "--count must be one of 'nodes', 'edges', got 'events'."),
    ],
)
def test_errors_name_options_of_features(run, error_of, edges, tmp_path, arguments, message):
    (tmp_path / "kinds.csv").write_text("node,kind\na,x\nb,x\nc,y\nd,y\n")
    labeled = tmp_path / "labeled.npz"
    run("encode", edges, "--labels", tmp_path / "kinds.csv", "-o", labeled)

    assert message in error_of(
        "encode", edges, *(labeled if each == "LABELED" else each for each in arguments)
    )


@pytest.mark.parametrize(
    "arguments",
    [["encode", "EDGES"], ["encode", "EDGES", "-o", "-"], ["explain", "EDGES", "a"], ["doctor"], ["--help"]],
)
def test_a_closed_pipe_is_not_an_error(edges, arguments):
    command = [str(edges) if word == "EDGES" else word for word in arguments]
    reader, writer = os.pipe()
    os.close(reader)

    done = subprocess.run(
        [sys.executable, "-m", "egonet", *command],
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["encode", "EDGES", "-o", "-"], ["doctor"]])
def test_a_full_disk_is_one_sentence(edges, arguments):
    command = [str(edges) if word == "EDGES" else word for word in arguments]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "egonet", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )

    assert done.returncode == 2
    assert b"No space left on device" in done.stderr.splitlines()[-1]
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_closed_streams_are_not_an_error(edges):
    shell = f"{sys.executable} -m egonet encode {edges} -o - >&- 2>&-; echo $?"

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)

    assert (done.stdout, done.stderr) == ("0\n", "")


def test_characters_that_the_terminal_does_not_have_are_escaped(run_process, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n\u00e4,\u65e5\n", encoding="utf-8")

    shown = run_process("explain", path, "\u65e5", PYTHONIOENCODING="cp1252")
    facts = run_process("explain", path, "\u00e4", "--json", PYTHONIOENCODING="ascii")
    unknown = run_process("explain", path, "\u00fc", check=False, PYTHONIOENCODING="ascii")

    assert "\\u65e5" in shown.stdout
    assert json.loads(facts.stdout)["node"] == "\u00e4"
    assert unknown.returncode == 2
    assert "'\\xfc'" in unknown.stderr


def test_the_table_on_stdout_has_the_bytes_of_the_file(run_process, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n\u00e4,b\n", encoding="utf-8")
    run_process("encode", path, "-o", tmp_path / "features.csv")

    done = subprocess.run(
        [sys.executable, "-m", "egonet", "encode", path, "-o", "-"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == (tmp_path / "features.csv").read_bytes()


def test_escape_sequences_in_ids_do_not_reach_the_terminal(run_process, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na\x1b[31m,b\n")

    shown = run_process("encode", path).stdout + run_process("explain", path, "a\x1b[31m").stdout

    assert "\x1b" not in shown
    assert "a\\x1b[31m" in shown


@pytest.mark.parametrize("ending", ["npz", "parquet", "arrow"])
def test_a_file_name_that_is_not_utf8_is_read_and_shown(run_process, tmp_path, ending):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(b"source,target\na,b\n")

    page = run_process("explore", os.fsdecode(path), "-o", tmp_path / "page.html")
    facts = run_process("encode", os.fsdecode(path), "-o", os.fsdecode(path)[:-3] + ending, "--json")

    assert page.returncode == 0
    assert json.loads(facts.stdout)["output"].endswith(ending)


def test_a_wrong_option_is_one_sentence_with_the_command_that_helps(run_process):
    done = run_process("encode", "a.csv", "--radios", "2", check=False)

    assert done.returncode == 2
    assert done.stderr.startswith("egonet: No such option: --radios")
    assert done.stderr.endswith("egonet encode --help.\n")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("outcome", "status", "message"),
    [
        (None, 0, ""),
        (1, 1, ""),
        (KeyboardInterrupt(), 130, "egonet: stopped.\n"),
        (Abort(), 130, "egonet: stopped.\n"),
        (InputError("radius must be 1."), 2, "egonet: radius must be 1.\n"),
        (ShownError(), 2, "Usage: egonet\n"),
        (
            ModuleNotFoundError("no pyarrow", name="pyarrow"),
            2,
            'egonet: this needs an extra package: pip install "egonet[io]".\n',
        ),
        (
            MemoryError(),
            2,
            "egonet: memory ran out. Use a smaller radius, --max-degree, --degree-bins log, or a machine with "
            "more memory. " + UNEXPECTED,
        ),
        (
            OSError(13, "Permission denied", "a.csv"),
            2,
            "egonet: 'a.csv' cannot be used: Permission denied.\n",
        ),
        (OSError(5, "I/O error"), 2, f"egonet: the system reported: I/O error. {UNEXPECTED}"),
        (
            ZeroDivisionError("division by zero"),
            2,
            f"egonet: an unexpected error occurred (ZeroDivisionError: division by zero). {UNEXPECTED}",
        ),
    ],
)
def test_every_outcome_is_a_status_and_at_most_one_sentence(monkeypatch, capsys, outcome, status, message):
    monkeypatch.delenv("EGONET_DEBUG", raising=False)

    assert end_with(monkeypatch, capsys, outcome) == (status, message)


@pytest.mark.parametrize("error", [InputError("radius must be 1."), ZeroDivisionError("division by zero")])
def test_debug_mode_raises_the_error(monkeypatch, capsys, error):
    monkeypatch.setenv("EGONET_DEBUG", "1")

    with pytest.raises(type(error), match=str(error)):
        end_with(monkeypatch, capsys, error)


def test_a_missing_typer_is_an_error_with_the_install_command(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "egonet.cli.commands", None)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)

    def missing(name, *arguments, **more):
        raise ModuleNotFoundError("No module named 'typer'", name="typer")

    monkeypatch.setattr("builtins.__import__", missing)
    with pytest.raises(SystemExit) as caught:
        module.main()
    monkeypatch.undo()

    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        'egonet: the command line needs an extra package: pip install "egonet[cli]".\n'
    )


def test_a_signal_exits_with_its_status():
    with pytest.raises(SystemExit) as caught:
        module._stop(signal.SIGTERM, None)

    assert caught.value.code == 143

"""The streams of the command line: readers that leave, full disks, closed streams, other encodings."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(*words, check=True, **environment):
    """Run `egonet ...` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "egonet", *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **environment},
        timeout=120,
        check=False,
    )
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\na,b\nb,c\nc,a\nc,d\n")
    return path


@pytest.mark.parametrize(
    "words",
    [["encode", "EDGES"], ["encode", "EDGES", "-o", "-"], ["explain", "EDGES", "a"], ["doctor"], ["--help"]],
)
def test_a_reader_that_has_gone_is_no_error(edges, words):
    command = [str(edges) if word == "EDGES" else word for word in words]
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
@pytest.mark.parametrize("words", [["encode", "EDGES", "-o", "-"], ["doctor"]])
def test_a_full_disk_is_one_sentence(edges, words):
    command = [str(edges) if word == "EDGES" else word for word in words]
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


def test_closed_streams_are_no_error(edges):
    shell = f"{sys.executable} -m egonet encode {edges} -o - >&- 2>&-; echo $?"

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)

    assert (done.stdout, done.stderr) == ("0\n", "")


def test_characters_that_the_terminal_does_not_have_are_escaped(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n\u00e4,\u65e5\n", encoding="utf-8")

    told = run("explain", path, "\u65e5", PYTHONIOENCODING="cp1252")
    facts = run("explain", path, "\u00e4", "--json", PYTHONIOENCODING="ascii")
    unknown = run("explain", path, "\u00fc", check=False, PYTHONIOENCODING="ascii")

    assert "\\u65e5" in told.stdout
    assert json.loads(facts.stdout)["node"] == "\u00e4"
    assert unknown.returncode == 2
    assert "'\\xfc'" in unknown.stderr


def test_the_table_on_stdout_has_the_bytes_of_the_file(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n\u00e4,b\n", encoding="utf-8")
    run("encode", path, "-o", tmp_path / "features.csv")

    done = subprocess.run(
        [sys.executable, "-m", "egonet", "encode", path, "-o", "-"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == (tmp_path / "features.csv").read_bytes()


def test_escape_sequences_in_ids_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na\x1b[31m,b\n")

    shown = run("encode", path).stdout + run("explain", path, "a\x1b[31m").stdout

    assert "\x1b" not in shown
    assert "a\\x1b[31m" in shown


def test_a_file_name_that_is_no_utf8_is_read_and_shown(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(b"source,target\na,b\n")

    page = run("explore", os.fsdecode(path), "-o", tmp_path / "page.html")
    facts = run("encode", os.fsdecode(path), "-o", os.fsdecode(path)[:-3] + "npz", "--json")

    assert page.returncode == 0
    assert json.loads(facts.stdout)["output"].endswith("npz")


def test_a_wrong_option_is_one_sentence_with_the_command_that_helps():
    done = run("encode", "a.csv", "--radios", "2", check=False)

    assert done.returncode == 2
    assert done.stderr.startswith("egonet: No such option: --radios")
    assert done.stderr.endswith("egonet encode --help.\n")
    assert len(done.stderr.splitlines()) == 1

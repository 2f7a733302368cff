"""Commands that print what the library knows: timings, pages and plans, each in this very process."""

import json
import re
import webbrowser

import pytest
from typer.testing import CliRunner

from egonet.cli import app
from egonet.errors import InputError


def call(*words, status=0):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == status, done.output
    return done


def refused(*words):
    """Return the sentence of the error that a command ends with."""
    done = CliRunner().invoke(app, list(map(str, words)))
    assert isinstance(done.exception, InputError), done.output
    return str(done.exception)


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\na,b\nb,c\nc,a\nc,d\n")
    return path


def test_timings_are_ratios_to_the_automatic_choice(edges):
    head, *rows = call("benchmark", edges, "-r", "1", "--repeats", "1").stdout.splitlines()

    assert head.split() == ["algorithm", "CPU,", "ms", "wall,", "ms", "wall", "/", "auto"]
    assert {row.split()[0]: row.split()[-1] for row in rows}["auto"] == "1.00"
    timings = json.loads(call("benchmark", edges, "-r", "1", "--repeats", "1", "--json").stdout)
    assert set(timings) == {row.rsplit(maxsplit=3)[0] for row in rows}
    assert refused("benchmark", edges, "-r", "1,2") == "benchmark takes one radius, got '1,2'."


def test_a_page_is_written_and_opened_if_asked(edges, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    page = tmp_path / "page.html"

    done = call("explore", edges, "-o", page, "--around", "c", "--open")

    assert re.fullmatch(rf"Wrote {re.escape(str(page))} \([\d,]+ kB\).\n", done.stderr)
    assert opened == [page.as_uri()]
    assert "edges.csv" in page.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--engine", "dask"], "--engine must be memory or spark, got 'dask'."),
        (["--master", "local[2]"], "--master is for Spark. Add --engine spark."),
        (["--engine", "spark", "-o", "a.csv"], "Spark writes to a folder. Give --output folder/."),
    ],
)
def test_engines_and_their_options_belong_together(edges, words, said):
    assert refused("encode", edges, *words) == said


def test_an_updated_folder_says_what_it_holds(edges, tmp_path):
    folder, added = tmp_path / "out", tmp_path / "added.csv"
    added.write_text("a,d\n")
    facts = json.loads(call("encode", edges, "-r", "1", "-o", f"{folder}/", "--json").stdout)
    assert facts["num_rows"] == 4

    assert refused("update", folder, "--added", added, "--graph", edges) == (
        "a folder has its own graph and is changed in place. Leave --graph and --output out."
    )
    facts = json.loads(call("update", folder, "--added", added, "--json").stdout)

    assert (facts["output"], facts["num_rows"]) == (str(folder), 4)


def test_histograms_are_shown_in_a_column_of_their_own(edges):
    shown = call("encode", edges, "-r", "1", "--common").stdout

    assert "common neighbors" in shown
    assert "common_none" in shown


def test_rings_beyond_the_graph_are_not_shown(edges):
    head = call("encode", edges, "-r", "50").stdout.splitlines()[0]

    assert [word for word in head.split() if word.isdecimal()] == ["0", "1", "2"]


@pytest.mark.parametrize("memory", ["2", "999kB", "lots"])
def test_memory_without_a_unit_is_refused(edges, tmp_path, memory):
    said = refused("encode", edges, "-o", f"{tmp_path}/out/", "--memory", memory)

    assert said == f"--memory must be 1MB or more, with its unit, as in 2GB, got {memory!r}."


@pytest.mark.parametrize(
    "words", [["reproduce", "run", "table1", "--quick"], ["datasets", "list"], ["report", "--help"]]
)
def test_commands_that_left_say_where_they_went(words):
    said = refused(*words)

    assert said == (
        f"`egonet {words[0]}` is not part of the package. The experiments run from a clone of the repository: "
        "python -m experiments --help."
    )


def test_commands_that_left_are_not_listed():
    listed = call("--help").stdout

    assert "reproduce" not in listed
    assert "datasets" not in listed

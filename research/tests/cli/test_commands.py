"""The commands of `python -m research`, each in this very process."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import research.cli.datasets_command as datasets_module
from contracts.parts import need
from egonet.errors import InputError
from research.cli import app
from research.datasets import fetch as fetch_module
from research.datasets.registry import DataFile, DataSet

ROOT = Path(__file__).parents[3]
CONTENT = b"0 1\n1 2\n"


def call(*options, status=0):
    done = CliRunner().invoke(app, list(map(str, options)))
    assert done.exit_code == status, done.output
    return done


def error_of(*options):
    """Return the sentence of the error that a command ends with."""
    done = CliRunner().invoke(app, list(map(str, options)))
    assert isinstance(done.exception, InputError), done.output
    return str(done.exception)


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Two data sets: one of two files, one of which is here; one that is nowhere."""
    digest = hashlib.sha256(CONTENT).hexdigest()
    files = tuple(DataFile(f"toy/{name}.txt", digest, len(CONTENT), f"{name}.txt") for name in "ab")
    toy = DataSet("toy", "A toy", "none", 1, 3, 2, files, bases=("https://nowhere.invalid/",), archive="")
    gone = DataSet("gone", "Not here", "none", 2, 9, 8, files[1:], bases=(), archive="", note="made up")
    known = {"toy": toy, "gone": gone}
    for module in (datasets_module, fetch_module):
        monkeypatch.setattr(module, "data_set", known.__getitem__)
    monkeypatch.setattr(datasets_module, "registry", lambda: known)
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "a.txt").write_bytes(CONTENT)
    return tmp_path


def test_data_sets_are_listed_with_what_is_here(toys):
    assert json.loads(call("datasets", "list", "--json").stdout) == {"toy": "partial", "gone": "missing"}
    first, second = call("datasets", "list").stdout.splitlines()
    assert re.fullmatch(r"toy +1 graphs +3 nodes  partial  A toy", first)
    assert re.fullmatch(r"gone +2 graphs +9 nodes  missing  Not here", second)


def test_a_data_set_says_where_it_comes_from(toys):
    facts = json.loads(call("datasets", "info", "toy", "--json").stdout)

    assert (facts["nodes"], facts["edges"], facts["bytes"]) == (3, 2, 16)
    assert facts["sources"] == ["https://nowhere.invalid/"]
    assert "note      made up" in call("datasets", "info", "gone").stdout.splitlines()


def test_files_that_are_here_are_named_and_others_asked_for(toys):
    done = call("datasets", "path", "toy", status=1)

    assert done.stdout.split() == [str(toys / "toy" / "a.txt")]
    assert re.search(
        r"^1 of the 2 files of 'toy' are not in .*Run: python -m research datasets fetch toy$",
        str(done.exception),
    )


def test_all_files_that_are_here_are_no_error(toys):
    (toys / "toy" / "b.txt").write_bytes(b"b")

    assert len(call("datasets", "path", "toy").stdout.split()) == 2


def test_damaged_files_end_in_a_negative_answer(toys):
    assert call("datasets", "verify").stdout.split("\n")[0] == "toy          1 good, 1 missing"
    (toys / "toy" / "b.txt").write_bytes(b"something else")

    done = call("datasets", "verify", "toy", status=1)

    assert done.stdout == "toy          1 good, 1 damaged\n"


def test_files_that_are_here_are_not_fetched(toys):
    (toys / "toy" / "b.txt").write_bytes(CONTENT)

    done = call("datasets", "fetch", "all")

    assert done.stdout.splitlines() == [f"toy: 2 files in {toys}/toy.", f"gone: 1 file in {toys}/toy."]
    assert done.stderr == ""


def test_jobs_of_a_table_are_listed_without_running(tmp_path):
    options = ["run", "table1", "--results", tmp_path]
    names = call(*options, "--dry-run").stdout.splitlines()

    assert len(names) == len(set(names)) > 1
    assert error_of(*options, "--protocol", "loose") == "protocol must be paper or honest, got 'loose'."


def test_a_dry_run_counts_finished_lines():
    """The committed results have all lines of this cell."""
    options = ["--data", "mutag", "--model", "gin", "--dry-run", "--results", ROOT / "results"]

    assert call("run", "table1", *options).stdout == "mutag/gin: control, encoding@1, 20 lines, 20 finished\n"


def test_a_dry_run_of_node_tasks_counts_finished_lines():
    options = ["--data", "usa", "--model", "degree", "--dry-run", "--results", ROOT / "results"]

    assert call("run", "nodeclassification", *options).stdout == "usa: degree, 5 lines, 5 finished\n"


def test_jobs_raise_where_seeds_run_one_after_the_other(tmp_path):
    said = error_of("run", "linkprediction", "--jobs", 2, "--results", tmp_path)

    assert said == "--jobs is for tables; linkprediction runs one seed after the other. Leave it out."


def test_node_tasks_are_listed_without_running(tmp_path):
    options = ["run", "--results", tmp_path, "--dry-run"]

    links = call(*options, "linkprediction", "--model", "egonet", "--model", "transfer").stdout
    nodes = call(*options, "nodeclassification", "--data", "usa", "--quick").stdout

    assert links == "facebook: egonet, transfer, 10 lines\nca-astroph: egonet, transfer, 10 lines\n"
    assert nodes == "usa: encoding, embedding, degree, degree-rank, node2vec, 5 lines\n"
    assert list(tmp_path.iterdir()) == []


def test_models_that_can_be_run_are_those_that_are_listed():
    listed = call("list").stdout.splitlines()
    first = listed[listed.index(next(line for line in listed if line.startswith("table1"))) + 1]

    assert first.split() == ["mutag", "mlp", "gcn", "gat", "gin", "chebnet", "gnnml3"]
    for model in first.split()[1:]:
        call("run", "table1", "--data", "mutag", "--model", model, "--dry-run")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["linkpredicton"], "there is no 'linkpredicton' to run. Did you mean 'linkprediction'?"),
        (["table2"], "table2 is quoted from the paper; there is nothing to run."),
        (
            ["table1", "--seed", 11],
            "the table has no seed 11. There are: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.",
        ),
        (
            ["linkprediction", "--form", "full@1", "--form", "full@2"],
            "linkprediction takes one --form at a time, got 2.",
        ),
        (
            ["nodeclassification", "--model", "degre"],
            "node classification has no method 'degre'. There are: encoding, embedding, degree, degree-rank, node2vec, "
            "encoding-local, embedding-local",
        ),
        (["peers", "--seed", 3], "peers has no --seed; it is for the paper's tables. Leave it out."),
        (["today", "--dry-run"], "today has no --dry-run; it is for the paper's tables. Leave it out."),
        (["table1", "--form", "ful@2"], "there is no encoding 'ful'. There are: encoding, embedding-5"),
    ],
)
def test_impossible_runs_raise(tmp_path, options, said):
    assert error_of("run", *options, "--results", tmp_path).startswith(said)


@pytest.mark.parametrize("task", ["linkprediction", "nodeclassification"])
def test_a_gpu_that_is_not_there_raises_in_every_task(tmp_path, task, monkeypatch):
    torch = need("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    said = error_of("run", task, "--device", "cuda", "--results", tmp_path)

    assert said == "device='cuda' needs a GPU that torch can use, and there is none. Use 'cpu'."


def test_expressivity_writes_the_table(tmp_path, monkeypatch):
    from research.expressivity import comparison

    score = comparison.Score("1-WL", "yardstick", 312, 0, None, None, 0.1)

    def one_row(*, report):
        report(score)
        return [score]

    monkeypatch.setattr(comparison, "run", one_row)
    done = call("expressivity", "-o", tmp_path / "table")

    assert "1-WL" in done.stdout
    assert json.loads((tmp_path / "table" / "expressivity.json").read_text())["scores"][0]["graph8c"] == 312
    assert (tmp_path / "table" / "expressivity.md").read_text().startswith("# What each test distinguishes")
    assert (tmp_path / "table" / "expressivity.html").exists()

"""Commands that print what the library knows: data sets, timings, pages and plans, each in this very process."""

import hashlib
import json
import re
import webbrowser

import pytest
from typer.testing import CliRunner

import egonet.cli.datasets as datasets_module
from egonet.cli import app
from egonet.errors import InputError
from experiments.datasets import fetch as fetch_module
from experiments.datasets.registry import DataFile, DataSet

CONTENT = b"0 1\n1 2\n"


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
    assert json.loads(call("datasets", "list", "--json").stdout) == {"toy": "partly", "gone": "not here"}
    first, second = call("datasets", "list").stdout.splitlines()
    assert re.fullmatch(r"toy +1 graphs +3 vertices  partly   A toy", first)
    assert re.fullmatch(r"gone +2 graphs +9 vertices  not here Not here", second)


def test_a_data_set_says_where_it_comes_from(toys):
    facts = json.loads(call("datasets", "info", "toy", "--json").stdout)

    assert (facts["vertices"], facts["edges"], facts["bytes"]) == (3, 2, 16)
    assert facts["sources"] == ["https://nowhere.invalid/"]
    assert "note      made up" in call("datasets", "info", "gone").stdout.splitlines()


def test_files_that_are_here_are_named_and_others_asked_for(toys):
    done = call("datasets", "path", "toy", status=1)

    assert done.stdout.split() == [str(toys / "toy" / "a.txt")]
    assert re.search(
        r"^of the 2 files of 'toy' 1 are not in .*Run: egonet datasets fetch toy$", str(done.exception)
    )


def test_all_files_that_are_here_are_no_error(toys):
    (toys / "toy" / "b.txt").write_bytes(b"b")

    assert len(call("datasets", "path", "toy").stdout.split()) == 2


def test_a_report_of_no_folder_says_what_to_run(tmp_path):
    said = refused("reproduce", "report", "--results", tmp_path / "none")

    assert said.endswith("/none'. Run `egonet reproduce run` first, or name another by --results.")


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

    assert "common neighbours" in shown
    assert "common_none" in shown


def test_rings_beyond_the_graph_are_not_shown(edges):
    head = call("encode", edges, "-r", "50").stdout.splitlines()[0]

    assert [word for word in head.split() if word.isdecimal()] == ["0", "1", "2"]


@pytest.mark.parametrize("memory", ["2", "999kB", "lots"])
def test_memory_without_a_unit_is_refused(edges, tmp_path, memory):
    said = refused("encode", edges, "-o", f"{tmp_path}/out/", "--memory", memory)

    assert said == f"--memory must be 1MB or more, with its unit, as in 2GB, got {memory!r}."


def test_jobs_of_a_table_are_listed_without_running(tmp_path):
    words = ["reproduce", "run", "table1", "--results", tmp_path]
    names = call(*words, "--dry-run").stdout.splitlines()

    assert len(names) == len(set(names)) > 1
    assert refused(*words, "--protocol", "loose") == "protocol must be paper or honest, got 'loose'."


def test_jobs_are_refused_where_seeds_run_one_after_the_other(tmp_path):
    said = refused("reproduce", "run", "linkprediction", "--jobs", 2, "--results", tmp_path)

    assert said == "--jobs is for tables; linkprediction runs one seed after the other. Leave it out."


def test_tasks_about_vertices_are_listed_without_running(tmp_path):
    words = ["reproduce", "run", "--results", tmp_path, "--dry-run"]

    links = call(*words, "linkprediction", "--model", "egonet", "--model", "transfer").stdout
    nodes = call(*words, "nodeclassification", "--data", "usa", "--quick").stdout

    assert links == "facebook: egonet, transfer, 10 lines\nca-astroph: egonet, transfer, 10 lines\n"
    assert nodes == "usa: encoding, embedding, degree, degree-rank, node2vec, 5 lines\n"
    assert list(tmp_path.iterdir()) == []


def test_models_that_can_be_run_are_those_that_are_listed():
    listed = call("reproduce", "list").stdout.splitlines()
    first = listed[listed.index(next(line for line in listed if line.startswith("table1"))) + 1]

    assert first.split() == ["mutag", "mlp", "gcn", "gat", "gin", "chebnet", "gnnml3"]
    for model in first.split()[1:]:
        call("reproduce", "run", "table1", "--data", "mutag", "--model", model, "--dry-run")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["linkpredicton"], "there is no 'linkpredicton' to reproduce. Did you mean 'linkprediction'?"),
        (["table2"], "table2 is quoted from the paper; there is nothing to run."),
        (
            ["table1", "--seed", 1],
            "--seed is for the tasks about vertices; a table trains all its seeds. Leave it out.",
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
        (["table1", "--form", "ful@2"], "there is no encoding 'ful'. There are: encoding, embedding-5"),
    ],
)
def test_what_reproduce_would_not_do_is_refused(tmp_path, words, said):
    assert refused("reproduce", "run", *words, "--results", tmp_path).startswith(said)


@pytest.mark.parametrize("task", ["linkprediction", "nodeclassification"])
def test_a_gpu_that_is_not_there_is_refused_by_every_task(tmp_path, task, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    said = refused("reproduce", "run", task, "--device", "cuda", "--results", tmp_path)

    assert said == "device='cuda' needs a GPU that torch can use, and there is none. Use 'cpu'."

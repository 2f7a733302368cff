"""Lines of results: whole or not there, whatever happened to the file before."""

from dataclasses import replace
from pathlib import Path

import pytest

from egonet.errors import OutputError
from research.paper import results
from research.paper.nodes.link_prediction import METHODS
from research.paper.results import Line, append_lines, environment, lock_results, old_names, read_lines
from research.paper.spec import BEYOND

RESULTS = Path(__file__).parents[3] / "results"


def line(seed):
    return Line("table1", "toy", "mlp", "", "none", 0, seed, "paper", True, 0.5, {}, 1.0, {})


def seeds(path):
    return [one.seed for one in read_lines(path)]


def test_a_line_that_was_cut_off_is_removed(tmp_path):
    path = tmp_path / "lines.jsonl"
    append_lines(path, [line(1), line(2)])
    path.write_bytes(path.read_bytes()[:-30])

    append_lines(path, [line(3)])

    assert seeds(path) == [1, 3]
    assert len(path.read_text().splitlines()) == 2


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path):
    path = tmp_path / "lines.jsonl"
    append_lines(path, [line(1), line(2)])
    path.write_bytes(path.read_bytes()[:-1])

    append_lines(path, [line(3)])

    assert seeds(path) == [1, 2, 3]


def test_lines_that_do_not_fit_leave_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "lines.jsonl"
    append_lines(path, [line(1)])

    def half(file, data):
        file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(results, "_write_all", half)
    before = path.read_bytes()

    with pytest.raises(OutputError, match=r"lines\.jsonl could not be written: no space is left"):
        append_lines(path, [line(2)])
    assert path.read_bytes() == before


def test_two_runs_do_not_share_a_file_of_lines(tmp_path):
    with (
        lock_results(tmp_path, "table1", "paper"),
        pytest.raises(OutputError, match=r"another process is writing to .*table1\.paper\.jsonl"),
        lock_results(tmp_path, "table1", "paper"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_commit_that_is_said_goes_before_the_repositorys(monkeypatch):
    environment.cache_clear()
    monkeypatch.setenv("EGONET_COMMIT", "0123456789abcdef")

    assert environment("cpu")["commit"] == "0123456789ab"
    assert all(environment("cpu")[field] for field in ("device_name", "versions", "date"))

    environment.cache_clear()


def test_names_of_older_lines_are_read_as_todays(tmp_path):
    old = old_names()
    lines = [replace(line(1), form=form) for form in old["form"]]
    lines += [replace(line(2), model=model) for model in old["model"]]
    append_lines(tmp_path / "lines.jsonl", lines)

    found = list(read_lines(tmp_path / "lines.jsonl"))

    assert [line.form for line in found[:1]] == list(old["form"].values())
    assert [line.model for line in found[1:]] == list(old["model"].values())


def test_every_committed_line_is_read():
    paths = sorted({*RESULTS.glob("*.honest.jsonl"), *RESULTS.glob("*.paper.jsonl")})

    assert len(paths) == 7
    for path in paths:
        assert len(list(read_lines(path))) == len(path.read_text().splitlines())


def test_the_forms_and_models_of_committed_lines_are_known():
    forms = {line.form for line in read_lines(RESULTS / "table1.paper.jsonl")}
    methods = {line.model for line in read_lines(RESULTS / "linkprediction.honest.jsonl")}

    assert forms <= {"none", "encoding", "embedding-5", "embedding-10", *BEYOND}
    assert methods <= set(METHODS)

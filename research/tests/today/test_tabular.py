"""Models on columns: tasks survive a file, jobs resume, columns are chosen without the test part."""

import json

import numpy as np
import pytest
import scipy.sparse as sparse

from contracts.parts import need

need("sklearn")

from research.today.tabular import jobs as job_module  # noqa: E402
from research.today.tabular.fits import choose_columns, fit_score  # noqa: E402
from research.today.tabular.jobs import plan, run_jobs, split_of  # noqa: E402
from research.today.tabular.task import Task, read_task, write_task  # noqa: E402


def drawn_task(metric="accuracy", split="partitions", rows=60):
    """Return a task whose block "good" has the target, and "noise" nothing."""
    rng = np.random.default_rng(0)
    target = np.arange(rows) % 2
    good = sparse.csr_array((target[:, None] * 3).astype(np.int32))
    parts = np.array([[0] * (rows - 20) + [1] * 10 + [2] * 10], dtype=np.int8)
    values = target.astype(float) if metric in ("mae", "rmse") else target
    return Task(
        "drawn",
        metric,
        split,
        values,
        parts,
        {"good": good, "noise": rng.normal(size=(rows, 2))},
        {"good": 0.5},
    )


def test_a_task_survives_its_file(tmp_path):
    task = drawn_task()
    write_task(task, tmp_path / "task.npz")

    found = read_task(tmp_path / "task.npz")

    assert (found.name, found.metric, found.split, found.seconds) == (
        "drawn",
        "accuracy",
        "partitions",
        {"good": 0.5},
    )
    np.testing.assert_allclose(found.columns("good+noise"), task.columns("good+noise"))
    assert found.columns("none").shape == (60, 1)


@pytest.mark.parametrize(
    ("metric", "model"),
    [
        ("accuracy", "forest"),
        ("auc", "boosting"),
        ("mae", "ridge"),
        ("rmse", "boosting"),
        ("mae", "ridge-unscaled"),
    ],
)
def test_columns_with_the_target_score_better_than_noise(metric, model):
    task = drawn_task(metric, "fixed")
    parts = split_of(task, 0, 0)
    good, noise = (fit_score(task, model, task.columns(name), parts, 0)["test"] for name in ("good", "noise"))

    assert good < noise if metric in ("mae", "rmse") else good > noise


def test_a_task_that_was_not_measured_is_left_out():
    task = drawn_task("auc", "fixed")
    target = np.column_stack([task.target, np.full(60, np.nan)])
    target[:30, 1], target[-10:, 1] = 1, 1
    both = Task("two", "auc", "fixed", target, task.parts, task.blocks, {})

    score = fit_score(both, "forest", task.columns("good"), split_of(both, 0, 0), 0)

    assert score["test"] == 1.0


def test_a_forest_without_validation_rows_is_validated_on_rows_that_trees_have_not_seen():
    task = drawn_task("auc", "fixed", rows=120)
    parts = np.where(np.arange(120) < 80, 0, 2)[None].astype(np.int8)
    task = Task("drawn", "auc", "fixed", task.target, parts, task.blocks, {})
    good, noise = (
        fit_score(task, "forest-100", task.columns(name), split_of(task, 0, 0), 0)
        for name in ("good", "noise")
    )

    assert good["validation"] == 1.0
    assert 0.3 < noise["validation"] < 0.7  # trees that have seen a row would predict it


def test_every_fold_is_run_with_all_columns_before_the_next(tmp_path):
    task = drawn_task()

    jobs = list(plan(tmp_path, task, [("forest", "good"), ("forest", "noise")], 1))

    assert [(job.fold, job.columns) for job in jobs[:3]] == [(0, "good"), (0, "noise"), (1, "good")]


@pytest.mark.parametrize("model", ["forest", "boosting"])
def test_columns_are_chosen_on_the_training_rows(model):
    task = drawn_task(rows=120)
    train = np.arange(100)
    choices = [task.columns("noise"), task.columns("good")]

    assert choose_columns(task, model, choices, train, 0) == 1
    task.target[100:] = 0  # what is not in training does not matter
    assert choose_columns(task, model, choices, train, 0) == 1


def test_a_choice_sees_no_columns_that_training_rows_do_not_have(tmp_path, monkeypatch):
    task, widths = drawn_task(split="fixed"), []
    train = split_of(task, 0, 0)[0]
    only_test = np.ones((len(task.target), 1), dtype=np.float32)
    only_test[train] = 0
    blocks = task.blocks | {"good": np.hstack([task.columns("good"), only_test])}
    path = tmp_path / "task.npz"
    write_task(Task("drawn", task.metric, "fixed", task.target, task.parts, blocks, {}), path)

    def widest(task, model, choices, train, seed):
        widths.extend(columns.shape[1] for columns in choices)
        return 0

    monkeypatch.setattr("research.today.tabular.fits.choose_columns", widest)
    job_module.run_job(job_module.Job(str(path), "drawn", "forest", "good|noise", 0, 0))

    assert widths == [task.columns("good").shape[1], task.columns("noise").shape[1]]


def test_folds_of_a_partition_are_disjoint_and_differ_between_seeds():
    task = drawn_task()
    tests = [split_of(task, 0, fold)[2] for fold in range(10)]

    assert sorted(np.concatenate(tests).tolist()) == list(range(60))
    assert split_of(task, 1, 0)[2].tolist() != tests[0].tolist()


def test_finished_jobs_are_not_run_again(tmp_path, monkeypatch):
    path, output = tmp_path / "task.npz", tmp_path / "lines.jsonl"
    write_task(drawn_task(split="fixed"), path)
    jobs = list(plan(path, read_task(path), [("forest", "good"), ("forest", "noise|good")], 2))

    assert run_jobs(jobs, output, workers=1, seconds=60, origin={"commit": "abc"}) == 0
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["columns"] for line in lines].count("good") == 2
    assert {line.get("chosen") for line in lines} == {None, "good"}
    assert all(line["commit"] == "abc" for line in lines)
    monkeypatch.setattr(job_module, "run_job", None)
    assert run_jobs(jobs, output, workers=1, seconds=60, origin={}) == 0


def test_no_job_starts_after_the_seconds(tmp_path):
    path, output = tmp_path / "task.npz", tmp_path / "lines.jsonl"
    write_task(drawn_task(), path)
    jobs = list(plan(path, read_task(path), [("forest", "good")], 2))

    left = run_jobs(jobs, output, workers=1, seconds=0, origin={})

    assert 0 < left < len(jobs)

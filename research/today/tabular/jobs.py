"""The jobs of a task: every model, columns and seed or fold; run in several processes, a line of JSON each."""

import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from research.today.tabular.lines import read_lines
from research.today.tabular.task import Task, read_task


@dataclass(frozen=True)
class Job:
    """One fit: a task's file, a model, columns, the seed, and the number of the fold or mask."""

    path: str
    task: str
    model: str
    columns: str
    seed: int
    fold: int

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what tells a job from others in a results file."""
        return self.task, self.model, self.columns, self.seed, self.fold


def plan(path: Path, task: Task, rows: Sequence[tuple[str, str]], repeats: int) -> Iterator[Job]:
    """Yield the jobs of a task for some (model, columns): a fold with all columns, then the next."""
    folds = {"partitions": 10, "fixed": 1}.get(task.split, len(task.parts))
    for seed in range(repeats):
        for fold in range(folds):
            for model, columns in rows:
                yield Job(str(path), task.name, model, columns, seed, fold)


def read_plan(folder: Path, entries: list[Any]) -> Iterator[Job]:
    """Yield the jobs of entries (set, [[model, columns], ...], repeats) whose task is in a folder."""
    for name, rows, repeats in entries:
        path = folder / f"{name}.npz"
        if path.is_file():
            yield from plan(path, read_task(path), [tuple(row) for row in rows], repeats)


def run_job(job: Job) -> dict[str, Any]:
    """Return the line of one job."""
    from research.today.tabular.fits import choose_columns, fit_score

    task = _task(job.path)
    parts = split_of(task, job.seed, job.fold)
    choices = job.columns.split("|")
    chosen = choices[0]
    if len(choices) > 1:
        blocks = [learned_columns(task.columns(name), parts[0]) for name in choices]
        chosen = choices[choose_columns(task, job.model, blocks, parts[0], job.seed)]
    columns = learned_columns(_columns(job.path, chosen), parts[0])
    scores = fit_score(task, job.model, columns, parts, job.seed)
    return (
        {
            "set": job.task,
            "model": job.model,
            "columns": job.columns,
            "seed": job.seed,
            "fold": job.fold,
            "metric": task.metric,
            "split": task.split,
            "train_rows": len(parts[0]),
            "test_rows": len(parts[2]),
            "num_columns": 0 if chosen == "none" else int(columns.shape[1]),
            "column_seconds": task.seconds_of(chosen),
        }
        | ({"chosen": chosen} if len(choices) > 1 else {})
        | scores
    )


#: Columns that differ from zero in fewer training rows are dropped: no model can learn from them.
FEWEST = 3


def learned_columns(columns: Any, train: Any) -> Any:
    """Return the columns that training rows decide to keep; what is only in other rows has no column.

    Examples
    --------
    >>> rows = np.array([[1, 0, 2], [1, 0, 2], [3, 0, 2], [0, 5, 0], [0, 5, 0], [0, 5, 0]])
    >>> learned_columns(rows, np.array([0, 1, 2, 3])).tolist()[0]
    [1, 2]
    """
    used = (columns[train] != 0).sum(axis=0) >= min(FEWEST, len(train))
    return columns[:, used] if used.any() else columns[:, :1]


_TASKS: dict[str, Task] = {}
_COLUMNS: dict[tuple[str, str], Any] = {}


def _task(path: str) -> Task:
    """Return a task, read once per process."""
    if path not in _TASKS:
        _TASKS.clear()
        _TASKS[path] = read_task(Path(path))
    return _TASKS[path]


def _columns(path: str, names: str) -> Any:
    """Return columns, made once per process as long as jobs ask for the same ones."""
    if (path, names) not in _COLUMNS:
        _COLUMNS.clear()
        _COLUMNS[path, names] = _task(path).columns(names)
    return _COLUMNS[path, names]


def split_of(task: Task, seed: int, fold: int) -> tuple[Any, Any, Any]:
    """Return the rows of train, validation and test of one job."""
    if task.split != "partitions":
        part = task.parts[fold]
        return tuple(np.flatnonzero(part == number) for number in range(3))  # type: ignore[return-value]
    from sklearn.model_selection import StratifiedKFold

    drawn = StratifiedKFold(10, shuffle=True, random_state=seed).split(task.target, task.target)
    train, test = list(drawn)[fold]
    return train, np.empty(0, dtype=np.int64), test


def run_jobs(jobs: list[Job], output: Path, *, workers: int, seconds: float, origin: dict[str, Any]) -> int:
    """Run what is missing in a file of lines, in order, until the seconds are over; return how many jobs are left."""
    done = done_keys(output)
    left = [job for job in dict.fromkeys(jobs) if job.key not in done]
    started = time.time()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    pending: dict[Any, Job] = {}
    finished, waiting = 0, iter(left)
    spawn = multiprocessing.get_context("spawn")  # a fork would copy the locks of threads of OpenMP
    with ProcessPoolExecutor(workers, spawn) as pool, output.open("a") as stream:
        for job in waiting:
            pending[pool.submit(run_job, job)] = job
            if len(pending) >= 2 * workers:
                finished += _collect(pending, stream, origin)
            if time.time() - started > seconds:
                break
        while pending:
            finished += _collect(pending, stream, origin)
    return len(left) - finished


def _collect(pending: dict[Any, Job], stream: Any, origin: dict[str, Any]) -> int:
    """Write the line of the next job that ends."""
    ended = next(as_completed(pending))
    job = pending.pop(ended)
    failed = ended.exception()
    if (
        failed is not None
    ):  # one failed fit must not end a run of hours; it has no line, so that it is run again
        sys.stderr.write(f"{job.key} failed: {failed!r}\n")
        return 0
    stream.write(json.dumps(ended.result() | origin, sort_keys=True) + "\n")
    stream.flush()
    return 1


def done_keys(output: Path) -> set[tuple[Any, ...]]:
    """Return the keys of the fits of a file."""
    return {
        tuple(line[name] for name in ("set", "model", "columns", "seed", "fold"))
        for line in read_lines(output)
    }

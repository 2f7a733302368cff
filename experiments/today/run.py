"""Run the current benchmarks: prepare the columns of a set, then fit what is missing of its rows."""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from egonet.errors import InputError
from experiments.today.tabular.__main__ import origin
from experiments.today.tabular.jobs import plan, run_jobs
from experiments.today.tabular.task import write_task
from experiments.today.tasks import column_spec, make_task, rows_of

#: The results of models on columns, and of networks on ZINC.
COLUMN_FILE, NETWORK_FILE = "today/columns.jsonl", "today/networks.jsonl"


@dataclass(frozen=True)
class TodayChoice:
    """What is run: sets (none: all), a quick run, the folder of the results, seconds, and processes."""

    data: tuple[str, ...] = ()
    quick: bool = False
    folder: Path = Path("results")
    seconds: float | None = None
    jobs: int = 1

    def __post_init__(self) -> None:
        """Check the names of the sets."""
        known = column_spec()["sets"]
        unknown = [name for name in self.data if name not in known]
        if unknown:
            raise InputError(f"there is no current benchmark {unknown[0]!r}. There are: {', '.join(known)}.")


def run_today(choice: TodayChoice, report: Callable[[str], None]) -> int:
    """Run what is missing of the chosen sets, and return how many fits are left for another run.

    A quick run writes to `quick.jsonl`: its scores mean nothing.
    """
    sets = column_spec()["sets"]
    output = choice.folder / (COLUMN_FILE.replace("columns", "quick") if choice.quick else COLUMN_FILE)
    output.parent.mkdir(parents=True, exist_ok=True)
    left = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in choice.data or tuple(sets):
            path = Path(folder) / f"{name}.npz"
            task = make_task(name, quick=choice.quick)
            write_task(task, path)
            rows = rows_of(name)
            if choice.quick:
                rows = [rows[0], next(row for row in rows if row[1].endswith("ego"))]
            jobs = list(plan(path, task, rows, 1 if choice.quick else sets[name]["repeats"]))
            jobs = jobs[:: max(1, len(jobs) // 4)] if choice.quick else jobs
            seconds = choice.seconds if choice.seconds is not None else 10**9
            missing = run_jobs(
                jobs, output, workers=choice.jobs, seconds=seconds, origin=origin(current_commit())
            )
            report(f"{name}: {len(jobs) - missing} of {len(jobs)} fits done")
            left += missing
    return left


def current_commit() -> str:
    """Return the commit the code is at, or an empty text outside a repository."""
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return found.stdout.strip() if found.returncode == 0 else ""

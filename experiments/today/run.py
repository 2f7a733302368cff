"""Run the current benchmarks: prepare the columns of a set, then fit what is missing of its rows."""

import json
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from egonet.errors import InputError
from experiments.paper.results import current_commit
from experiments.today.tabular.__main__ import origin
from experiments.today.tabular.jobs import plan, run_jobs
from experiments.today.tabular.task import write_task
from experiments.today.tasks import QUICK, column_spec, make_task, rows_of

#: The results of models on columns, and of networks on ZINC.
COLUMN_FILE, NETWORK_FILE = "today/columns.jsonl", "today/networks.jsonl"


@dataclass(frozen=True)
class TodayChoice:
    """What is run: sets (none: all), a quick run, the folder of the results, seconds, processes, and networks.

    With the names of networks, those are trained on ZINC-12k, and no models on columns.
    """

    data: tuple[str, ...] = ()
    quick: bool = False
    folder: Path = Path("results")
    seconds: float | None = None
    jobs: int = 1
    networks: tuple[str, ...] = ()

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


@cache
def network_spec() -> dict[str, Any]:
    """Return the networks on ZINC-12k, with published figures."""
    return tomllib.loads(files("experiments.today").joinpath("specs", "networks.toml").read_text("utf-8"))


def network_plans(names: tuple[str, ...], *, quick: bool, captured: bool) -> list[dict[str, Any]]:
    """Return the plans of some networks; a quick one trains two replicas on a few molecules.

    Examples
    --------
    >>> network_plans(("gine-100k",), quick=True, captured=False)[0]["encodings"]
    {'rwse20': [0], 'egofull123': [0]}
    """
    plans, known = [], network_spec()["plans"]
    for name in names:
        if name not in known:
            raise InputError(f"there is no network {name!r}. There are: {', '.join(known)}.")
        entry = dict(known[name]) | {"name": name, "compiled": captured, "captured": captured}
        entry["encodings"] = {key: list(range(seeds)) for key, seeds in entry["encodings"].items()}
        if quick:
            entry |= {"epochs": 2, "batch": 8, "shape": [entry["shape"][0], 2, 16]}
            entry["encodings"] = {"rwse20": [0], "egofull123": [0]}
        plans.append(entry)
    return plans


def run_networks(choice: TodayChoice) -> None:
    """Train what is missing of the networks on ZINC-12k, on a GPU if there is one."""
    import torch

    from experiments.today.molecules.__main__ import main
    from experiments.today.prepare import prepare_zinc

    plans = network_plans(choice.networks, quick=choice.quick, captured=torch.cuda.is_available())
    output = choice.folder / (NETWORK_FILE.replace("networks", "quick") if choice.quick else NETWORK_FILE)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data, planned = Path(folder) / "zinc.npz", Path(folder) / "plans.json"
        prepare_zinc(data, QUICK if choice.quick else None)
        planned.write_text(json.dumps(plans))
        main([str(data), str(planned), str(output), current_commit()])

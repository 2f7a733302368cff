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
from research.paper.results import current_commit
from research.today.tabular.__main__ import origin
from research.today.tabular.jobs import plan, run_jobs
from research.today.tabular.lines import join_file
from research.today.tabular.task import write_task
from research.today.tasks import QUICK, column_spec, make_task, rows_of

#: The results of models on columns, of networks on molecules in batches, and of networks on whole sets.
COLUMN_FILE, NETWORK_FILE, WHOLE_FILE = "today/columns.jsonl", "today/networks.jsonl", "today/fullbatch.jsonl"


def results_file(name: str, choice: "TodayChoice") -> Path:
    """Return the path of a results file; quick runs have files of the same names in a folder `quick`."""
    path = choice.folder / (name.replace("today/", "today/quick/") if choice.quick else name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@dataclass(frozen=True)
class TodayChoice:
    """What is run: sets (none: all), a quick run, the folder of the results, seconds, processes, and networks.

    With the names of networks, those are trained, and no models on columns.
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

    A quick run writes to the folder `today/quick`: its scores mean nothing.
    """
    sets = column_spec()["sets"]
    output = results_file(COLUMN_FILE, choice)
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
    join_file(output)
    return left


@cache
def network_spec(name: str = "networks") -> dict[str, Any]:
    """Return a specification of networks: "networks" on molecules in batches, "fullbatch" on whole sets."""
    return tomllib.loads(files("research.today").joinpath("specs", f"{name}.toml").read_text("utf-8"))


def network_plans(names: tuple[str, ...], *, quick: bool, captured: bool) -> list[dict[str, Any]]:
    """Return the plans of some networks on molecules; a quick one trains two replicas on a few molecules.

    Examples
    --------
    >>> network_plans(("gine-100k",), quick=True, captured=False)[0]["encodings"]
    {'rwse20': [0], 'egofull123': [0]}
    """
    plans, known = [], network_spec()["plans"]
    for name in names:
        entry = {"set": "zinc"} | known[name] | {"name": name, "compiled": captured, "captured": captured}
        entry["encodings"] = {key: list(range(seeds)) for key, seeds in entry["encodings"].items()}
        if quick:
            entry |= {"epochs": 2, "batch": 8, "shape": [entry["shape"][0], 2, 16]}
            entry["encodings"] = {"rwse20": [0], "egofull123": [0]}
        plans.append(entry)
    return plans


def whole_plans(names: tuple[str, ...], *, quick: bool) -> list[dict[str, Any]]:
    """Return the plans of some networks on whole sets; a quick one is small and trains a few steps.

    Examples
    --------
    >>> whole_plans(("csl-gin",), quick=True)[0]["encodings"]
    ['none', 'ego']
    """
    spec = network_spec("fullbatch")
    plans = []
    for name in names:
        kind = name.rsplit("-", 1)[1]
        entry = dict(spec["designs"][kind]) | spec["plans"][name]
        entry["encodings"] = spec["encodings"][entry["encodings"]]
        if quick:
            entry |= {"design": [kind, 2, 8, 0.0], "steps": 3, "every": 3, "seeds": 1}
            entry["encodings"] = [key for key in entry["encodings"] if key in ("none", "ego", "egofull")]
        plans.append(entry)
    return plans


def run_networks(choice: TodayChoice) -> None:
    """Train what is missing of some networks, on a GPU if there is one."""
    known = (*network_spec()["plans"], *network_spec("fullbatch")["plans"])
    for name in choice.networks:
        if name not in known:
            raise InputError(f"there is no network {name!r}. There are: {', '.join(known)}.")
    whole = tuple(name for name in choice.networks if name in network_spec("fullbatch")["plans"])
    others = tuple(name for name in choice.networks if name not in whole)
    with tempfile.TemporaryDirectory() as folder:
        if others:
            _run_in_batches(others, choice, Path(folder))
        if whole:
            _run_on_whole_sets(whole, choice, Path(folder))


def _run_in_batches(names: tuple[str, ...], choice: TodayChoice, folder: Path) -> None:
    """Train networks on molecules."""
    import torch

    from research.today.molecules.__main__ import main
    from research.today.prepare import prepare_molecule_set, prepare_zinc

    plans = network_plans(names, quick=choice.quick, captured=torch.cuda.is_available())
    output = results_file(NETWORK_FILE, choice)
    for name in {entry["set"] for entry in plans}:
        path, limit = folder / f"{name}.npz", QUICK if choice.quick else None
        if name == "zinc":
            prepare_zinc(path, limit)
        else:
            prepare_molecule_set(name, path, limit)
    (folder / "plans.json").write_text(json.dumps(plans))
    main([str(folder), str(folder / "plans.json"), str(output), current_commit()])
    join_file(output)


def _run_on_whole_sets(names: tuple[str, ...], choice: TodayChoice, folder: Path) -> None:
    """Train networks on graph and node sets, all rows at once."""
    from research.today.fullbatch.__main__ import main
    from research.today.prepare_shared import prepare_shared

    plans = whole_plans(names, quick=choice.quick)
    output = results_file(WHOLE_FILE, choice)
    for name in {entry["set"] for entry in plans}:
        prepare_shared(name, folder / f"{name}.npz", 40 if choice.quick else None)
    (folder / "plans.json").write_text(json.dumps(plans))
    main([str(folder), str(folder / "plans.json"), str(output), current_commit()])
    join_file(output)

"""Running a table: cells become jobs, finished work is skipped, every seed adds a line."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from egonet.errors import InputError
from research.datasets.graph_set import GraphSet
from research.datasets.readers import read_dataset
from research.nets.shape import Network
from research.paper.features import Request
from research.paper.isomorphism import run_isomorphism
from research.paper.memory import split_units, with_memory
from research.paper.nodes.fit import as_device
from research.paper.results import Line, append_lines, environment, key_of, read_lines, results_path
from research.paper.settings import Outcome, Settings, Unit
from research.paper.spec import BEYOND, Cell, DataSpec, TableSpec, table_spec
from research.paper.tasks import run_early, run_folds

CONTROL = Request("none")
_QUICK_SEEDS = 2


@dataclass(frozen=True)
class Job:
    """Units that train together: one data set, one model."""

    table: str
    data: str
    model: str
    units: tuple[Unit, ...]

    @property
    def name(self) -> str:
        """Return a description of the job."""
        forms = dict.fromkeys(
            f"{u.request.form}@{u.request.radius}" for u in self.units if u.request != CONTROL
        )
        control = ["control"] if any(unit.request == CONTROL for unit in self.units) else []
        return f"{self.data}/{self.model}: {', '.join([*control, *forms])}, {len(self.units)} lines"


@dataclass(frozen=True)
class Choice:
    """Which part of a table is run, and how.

    Attributes
    ----------
    data, models
        Names to run; all if empty.
    forms
        Encodings other than the paper's, such as "full@2"; the paper's encodings if empty.
    settings
        Protocol, device and further options.
    folder
        The folder with the results files.
    seconds
        No job starts after this many seconds.
    seeds
        Seeds to train; all of the table if empty. Networks that are not trained have one line for all seeds.
    """

    data: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    folder: Path = Path("results")
    seconds: float | None = None
    seeds: tuple[int, ...] = ()


def plan_jobs(table: TableSpec, choice: Choice) -> list[Job]:
    """Return the jobs of a table, including finished ones."""
    _check(choice.data, list(table.data), "data set")
    _check(choice.models, sorted({cell.model for cell in table.cells}), "model")
    cells = [
        cell
        for cell in table.cells
        if (not choice.data or cell.data in choice.data)
        and (not choice.models or cell.model in choice.models)
    ]
    _check(choice.seeds, table.seeds, "seed")
    seeds = choice.seeds or (table.seeds[:_QUICK_SEEDS] if choice.settings.quick else table.seeds)
    groups: dict[tuple[str, str, Request | None], list[Unit]] = {}
    for cell in cells:
        isomorphism = table.data[cell.data].task == "isomorphism"
        for request in requests_of(table, cell, choice):
            # GNNML3 has as many supports as its encoding has columns, so each encoding trains by itself.
            alone = request if cell.model == "gnnml3" or isomorphism else None
            units = groups.setdefault((cell.data, cell.model, alone), [])
            units += [
                Unit(request, seed, target_of(table, cell)) for seed in ((0,) if isomorphism else seeds)
            ]
    return [
        Job(table.name, data, model, tuple(dict.fromkeys(units)))
        for (data, model, _), units in groups.items()
    ]


def requests_of(table: TableSpec, cell: Cell, choice: Choice) -> list[Request]:
    """Return the encodings a cell needs: control and the paper's, control and both radii, or the forms asked for."""
    if choice.forms:
        return [parse_form(form) for form in choice.forms]
    if choice.settings.protocol == "honest" and table.data[cell.data].task == "folds":
        return [CONTROL, Request("encoding", 1), Request("encoding", 2)]
    return [CONTROL, Request(cell.form, cell.radius)]


def parse_form(text: str) -> Request:
    """Return "full@2" as a request.

    Examples
    --------
    >>> parse_form("encoding@1")
    Request(form='encoding', radius=1)
    """
    form, _, radius = text.partition("@")
    if form == "none":
        return CONTROL
    if not radius.isdecimal():
        raise InputError(f"an encoding is written as form@radius, e.g. full@2, got {text!r}.")
    known = ("encoding", "embedding-5", "embedding-10", *BEYOND)
    if form not in known and not re.fullmatch(r"embedding-[1-9][0-9]*", form):
        raise InputError(f"there is no encoding {form!r}. There are: {', '.join(known)}.")
    return Request(form, int(radius))


def target_of(table: TableSpec, cell: Cell) -> int:
    """Return the number of a cell's target among those of its table."""
    names = list(dict.fromkeys(other.target for other in table.cells if other.data == cell.data))
    return names.index(cell.target)


def run_table(name: str, choice: Choice, say: Callable[[str], None] = lambda _: None) -> list[Line]:
    """Run what is missing of a table and return the new lines."""
    as_device(choice.settings.device)
    table = table_spec(name)
    path = results_path(choice.folder, name, choice.settings.protocol)
    jobs = []
    for job, left in _missing_units(table, choice):
        if len(left) < len(job.units):
            say(
                f"{job.data}/{job.model}: {len(job.units) - len(left)} of {len(job.units)} lines are finished, skipped"
            )
        if left:
            jobs.append(replace(job, units=left))
    fresh: list[Line] = []
    for lines in _all_lines(table, jobs, choice, say):
        append_lines(path, lines)
        fresh += lines
    return fresh


def describe_jobs(name: str, choice: Choice) -> list[str]:
    """Return a sentence for every job of a table, with the number of its finished lines."""
    return [
        f"{job.name}, {len(job.units) - len(left)} finished" if len(left) < len(job.units) else job.name
        for job, left in _missing_units(table_spec(name), choice)
    ]


def _missing_units(table: TableSpec, choice: Choice) -> list[tuple[Job, tuple[Unit, ...]]]:
    """Return the jobs of a table, each with the units that have no line in the results folder."""
    path = results_path(choice.folder, table.name, choice.settings.protocol)
    done = {line.key for line in read_lines(path)}
    return [
        (job, tuple(unit for unit in job.units if _key(table, job, unit, choice.settings) not in done))
        for job in plan_jobs(table, choice)
    ]


def _all_lines(
    table: TableSpec, jobs: Sequence[Job], choice: Choice, say: Callable[[str], None]
) -> Iterable[list[Line]]:
    """Yield the lines of all jobs, one job after the other or several in parallel."""
    if choice.settings.jobs > 1:
        from research.paper.parallel import run_parallel

        yield from run_parallel(table, jobs, choice, say)
        return
    began = time.monotonic()
    data: GraphSet | None = None
    for job in jobs:
        if choice.seconds is not None and time.monotonic() - began > choice.seconds:
            say(f"{job.name}: not started, {choice.seconds:.0f} s have passed")
            continue
        if data is None or data.name != job.data:
            data = read_dataset(job.data)
        yield from run_job(table, job, data, choice.settings, say)


def run_job(
    table: TableSpec, job: Job, data: GraphSet, settings: Settings, say: Callable[[str], None]
) -> Iterable[list[Line]]:
    """Yield the lines of a job, in several parts if it does not fit into memory at once."""
    spec = table.data[job.data]
    network = spec.networks[job.model]
    settings = with_memory(settings)
    for units in split_units(data, spec, network, job.units, settings):
        say(replace(job, units=tuple(units)).name)
        _prepare(settings, exact=spec.is_exact(network))
        start = time.monotonic()
        outcomes = _outcomes(data, spec, network, units, settings)
        seconds = time.monotonic() - start
        lines = [_line(table, job, outcome, settings, seconds / len(units)) for outcome in outcomes]
        say(f"  {seconds:.1f} s; " + _summary(outcomes))
        yield lines


def _outcomes(
    data: GraphSet, spec: DataSpec, network: Network, units: Sequence[Unit], settings: Settings
) -> list[Outcome]:
    """Return the outcomes of some units by the data set's kind of task."""
    if spec.task == "isomorphism":
        return [run_isomorphism(data, spec, network, unit.request, settings) for unit in units]
    runner = run_folds if spec.task == "folds" else run_early
    return runner(data, spec, network, units, settings)


def _prepare(settings: Settings, *, exact: bool) -> None:
    """Set the global state of torch: the seed of dropout and the precision of matrix products."""
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("highest" if exact else "high")
    if settings.device.startswith("cuda"):
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def _line(table: TableSpec, job: Job, outcome: Outcome, settings: Settings, seconds: float) -> Line:
    """Return an outcome as a line."""
    unit = outcome.unit
    where = dict(environment(settings.device))
    if settings.device.startswith("cuda"):
        where["peak_bytes"] = torch.cuda.max_memory_allocated()
    if settings.jobs > 1:
        where["jobs"] = settings.jobs
    return Line(
        table=table.name,
        data=job.data,
        model=job.model,
        target=target_name(table, job.data, unit.target),
        form=unit.request.form,
        radius=unit.request.radius,
        seed=unit.seed,
        protocol=settings.protocol,
        quick=settings.quick,
        score=outcome.score,
        details=outcome.details,
        seconds=round(seconds, 4),
        environment=where,
    )


def target_name(table: TableSpec, data: str, target: int) -> str:
    """Return the name of a target by its number."""
    return list(dict.fromkeys(cell.target for cell in table.cells if cell.data == data))[target]


def _key(table: TableSpec, job: Job, unit: Unit, settings: Settings) -> tuple[object, ...]:
    """Return the identity of a unit's line."""
    return key_of(
        {
            "table": table.name,
            "data": job.data,
            "model": job.model,
            "target": target_name(table, job.data, unit.target),
            "form": unit.request.form,
            "radius": unit.request.radius,
            "seed": unit.seed,
            "protocol": settings.protocol,
            "quick": settings.quick,
        }
    )


def _summary(outcomes: Sequence[Outcome]) -> str:
    """Return the mean score of each encoding and target."""
    scores: dict[tuple[str, int, int], list[float]] = {}
    for outcome in outcomes:
        unit = outcome.unit
        scores.setdefault((unit.request.form, unit.request.radius, unit.target), []).append(outcome.score)
    return ", ".join(
        f"{form}@{radius}#{target} {sum(v) / len(v):.5g}" for (form, radius, target), v in scores.items()
    )


def _check(names: Iterable[object], known: Sequence[object], what: str) -> None:
    """Raise if the table does not have a name or number."""
    for name in names:
        if name not in known:
            raise InputError(f"the table has no {what} {name!r}. There are: {', '.join(map(str, known))}.")

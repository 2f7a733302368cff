"""What a whole table would take: three epochs of every job, times its epochs; python -m benchmarks.epochs table1.

The epochs of jobs that stop early are those of the lines in results/, where there are any.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from experiments.datasets.readers import read_dataset
from experiments.nets import train
from experiments.paper import run, tasks
from experiments.paper.memory import split_units, with_memory
from experiments.paper.results import read_lines, results_path
from experiments.paper.settings import Settings
from experiments.paper.spec import table_spec


class EnoughError(Exception):
    """Ends a job after its first epochs."""


def first_epochs(times: list[float]):
    """Return a stand-in for `train` that notes when it begins, after one epoch and after two more, and its epochs."""

    def stand_in(trainer, plan, _report=None):
        active = train._Active(trainer, plan, np.arange(len(trainer.task.replicas)))
        times.append(time.monotonic())
        for epoch in range(3):
            active.run(epoch)
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            times.append(time.monotonic())
        times.append(plan.epochs)
        raise EnoughError

    return stand_in


def recorded(name: str, folder: Path) -> dict[tuple[str, str, str, int], int]:
    """Return how many epochs the runs of each cell and form took."""
    found: dict[tuple[str, str, str, int], int] = {}
    for line in read_lines(results_path(folder, name, "paper")):
        key = (line.data, line.model, line.form, line.radius)
        found[key] = max(found.get(key, 0), line.details.get("epochs", 0))
    return found


def main() -> None:
    """Print the seconds of every job, and of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--data", nargs="*", default=[])
    parser.add_argument("--model", nargs="*", default=[])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--results", type=Path, default=Path("results"))
    given = parser.parse_args()
    table, used, total = table_spec(given.table), recorded(given.table, given.results), 0.0
    settings = with_memory(Settings(device=given.device))
    choice = run.Choice(data=tuple(given.data), models=tuple(given.model), settings=settings)
    for job in run.plan_jobs(table, choice):
        spec = table.data[job.data]
        if spec.task == "isomorphism":
            continue
        data, network = read_dataset(job.data), spec.networks[job.model]
        groups = split_units(data, spec, network, job.units, settings)
        run._prepare(settings, exact=spec.is_exact(network))
        times = [time.monotonic()]
        tasks.train = first_epochs(times)
        try:
            run._outcomes(data, spec, network, groups[0], settings)
        except EnoughError:
            began, _, first, second, third, most = times
        forms = [(job.data, job.model, unit.request.form, unit.request.radius) for unit in job.units]
        epochs = max(used.get(form, 0) for form in forms) or int(most)
        each = min(second - first, third - second)
        seconds = len(groups) * (first - began + (epochs - 1) * each)
        total += seconds
        print(
            f"{job.name}: {len(groups)} x {epochs} epochs of {1e3 * each:.1f} ms, {seconds:.1f} s", flush=True
        )
    print(f"{given.table}: {total:.0f} s")


if __name__ == "__main__":
    main()

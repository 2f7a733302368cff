"""Train the peers on prepared sets, several jobs side by side; no egonet needed where the sets are prepared.

`python -m research.nets.peers.queue_runner DATA OUTPUT`: DATA is a folder with files of `write_set`; a set that has
none is prepared and written there. Every finished job adds its lines to OUTPUT; a job whose lines are there is skipped.
With `--jobs FILE`, a line of the file is a job: set, method, the seconds it may take, and "whole" if a run that was
stopped early is to be repeated.
"""

import argparse
import json
import multiprocessing
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from research.nets.peers.sets import PeerSet

Job: TypeAlias = tuple[str, str, float]

QUICK_GRAPHS = 40
#: The share of its epochs from which on a run is whole.
WHOLE = 0.8


def main(arguments: list[str]) -> None:
    """Run all jobs that are missing."""
    parser = argparse.ArgumentParser(prog="python -m research.nets.peers.queue_runner")
    parser.add_argument("data", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--jobs", type=Path, default=None)
    parser.add_argument("--sets", default="")
    parser.add_argument("--methods", default="")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--job-seconds", type=float, default=1e9)
    parser.add_argument("--least-seconds", type=float, default=0.0, help="start no job with less time left")
    parser.add_argument("--memory", type=float, default=6e9)
    parser.add_argument("--commit", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--costs", action="store_true")
    parser.add_argument("--plain", action="store_true", help="PyTorch's own kernels on a GPU")
    chosen = parser.parse_args(arguments)
    from research.nets.peers.spec import jobs_of, peer_spec

    done = finished(chosen.output)
    if chosen.jobs:
        jobs = listed_jobs(chosen.jobs.read_text("utf-8"), done, finished(chosen.output, whole=True))
        start(jobs, done, chosen)
        return
    sets = tuple(chosen.sets.split(",")) if chosen.sets else tuple(peer_spec()["sets"])
    methods = tuple(chosen.methods.split(",")) if chosen.methods else ()
    jobs = [(*job, chosen.job_seconds) for job in jobs_of(sets, methods) if job not in done]
    start(jobs, done, chosen)


def start(jobs: list[Job], done: set[tuple[str, str]], chosen: argparse.Namespace) -> None:
    """Run jobs with the chosen number of workers."""
    say(f"{len(jobs)} jobs, {len(done)} done before")
    settings = vars(chosen) | {"until": time.time() + chosen.seconds}
    context = multiprocessing.get_context("spawn")
    counter, lock = context.Value("i", 0), context.Lock()
    if chosen.workers == 1:
        work(jobs, counter, lock, settings)
        return
    workers = [
        context.Process(target=work, args=(jobs, counter, lock, settings)) for _ in range(chosen.workers)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def listed_jobs(text: str, done: set[tuple[str, str]], whole: set[tuple[str, str]]) -> list[Job]:
    """Return the jobs of a list that are missing.

    Examples
    --------
    >>> listed_jobs("exp gin 30\\nexp nested 60 whole\\n", {("exp", "gin"), ("exp", "nested")}, {("exp", "gin")})
    [('exp', 'nested', 60.0)]
    """
    found = []
    for name, method, seconds, *rest in (line.split() for line in text.splitlines() if line.strip()):
        if (name, method) not in (whole if rest else done):
            found.append((name, method, float(seconds)))
    return found


def finished(output: Path, *, whole: bool = False) -> set[tuple[str, str]]:
    """Return the jobs whose lines are in a file; with `whole`, only those that had most of their epochs."""
    if not output.is_file():
        return set()
    lines = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    return {
        (line["set"], line["method"])
        for line in lines
        if not whole or line.get("epochs", 1) >= WHOLE * line.get("planned_epochs", 1)
    }


def work(jobs: list[Job], counter: Any, lock: Any, settings: dict[str, Any]) -> None:
    """Take one job after the other until none is left or the time is up."""
    import torch

    from research.nets.peers.costs import measure_cost
    from research.nets.peers.jobs import Limits, run_job
    from research.nets.peers.passes import Pass
    from research.nets.peers.spec import set_plan

    Pass.has_kernels = not settings["plain"]

    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = None
    while True:
        with lock:
            number = counter.value
            counter.value += 1
        left = settings["until"] - time.time()
        if number >= len(jobs) or left <= settings["least_seconds"]:
            return
        name, method, most = jobs[number]
        seconds = min(most, left)
        limits = Limits(device, seconds, settings["memory"], settings["quick"])
        try:
            if data is None or data.name != name:
                data = prepared_set(settings["data"], name)
                data = data.first(QUICK_GRAPHS) if settings["quick"] else data
            runner = measure_cost if settings["costs"] else run_job
            lines = runner(data, method, set_plan(name), limits)
        except Exception as error:  # noqa: BLE001 - one broken job must not end the others
            say(f"FAILED {name} {method}: {error!r}"[:600] + "\n" + traceback.format_exc()[-900:])
        else:
            origin = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "commit": settings["commit"]}
            with lock:
                append(settings["output"], [line | origin for line in lines])
            say(summary(lines))
        if device == "cuda":
            torch.cuda.empty_cache()


def prepared_set(folder: Path, name: str) -> "PeerSet":
    """Return a set from its file in `folder`; without a file, prepare the set and write it first."""
    from research.nets.peers.sets import read_set, write_set

    path = folder / f"{name}.npz"
    if not path.is_file():
        from research.nets.peers.prepare import prepare  # needs egonet

        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        write_set(prepare(name), unfinished)
        unfinished.replace(path)
    return read_set(path)


def append(output: Path, lines: list[dict[str, Any]]) -> None:
    """Add lines to a file."""
    with output.open("a", encoding="utf-8") as stream:
        stream.write("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines))


def summary(lines: list[dict[str, Any]]) -> str:
    """Return a job in one sentence."""
    first = lines[0]
    scores = " ".join(f"{line['score']:.4g}" for line in lines[:15] if "score" in line)
    also = f" validated {first['validated']:.4g}" if "validated" in first else ""
    peak = (first["peak_bytes"] or 0) / 1e9
    took = f"{first.get('epochs', '-')} epochs, {first['milliseconds']:.0f} ms, {first['seconds']:.0f} s"
    size = f"{peak:.1f} GB, {first['rows_per_node']:.1f} rows, prepared in {first['prepare_seconds']:.1f} s"
    return f"{first['set']} {first['method']}: {scores}{also}; {took}, {size}"


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])

"""Jobs of a table in parallel, one process each, on one device."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from multiprocessing.connection import wait
from tempfile import TemporaryDirectory

import joblib

from egonet.errors import InputError
from research.datasets.readers import read_dataset
from research.paper.memory import split_units, with_memory
from research.paper.results import Line
from research.paper.run import Choice, Job, run_job
from research.paper.settings import Settings, silent
from research.paper.spec import TableSpec, table_spec

_CONTROL = "nvidia-cuda-mps-control"
#: Thread counts of the linear algebra libraries, which read them when they are loaded.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: What a unit's epoch costs by the kind of network, roughly, as measured on Enzymes.
_COST = {"linear": 1, "mlp": 3, "gcn": 4, "gin": 5, "chebnet": 5, "gat": 6, "gnnml1": 6, "gnnml3": 14}
#: What learning the vectors of one split costs in the same measure, as on Proteins.
_LEARNED_COST = 140


def run_parallel(
    table: TableSpec, jobs: Sequence[Job], choice: Choice, say: Callable[[str], None]
) -> Iterator[list[Line]]:
    """Yield the lines of each part of a job when it ends, `settings.jobs` parts at a time, the longest first.

    Parts are independent: except for the seconds, a line is the same as if its part ran alone.
    """
    if not jobs:
        return
    spawn = multiprocessing.get_context("spawn")
    settings = replace(choice.settings, report=silent)
    end = None if choice.seconds is None else time.time() + choice.seconds
    others = multiprocessing.active_children()
    with (
        shared_device(settings.device, say),
        shared_cores(settings.jobs),
        ProcessPoolExecutor(settings.jobs, mp_context=spawn, initializer=_begin) as pool,
    ):
        try:
            # A process of the pool queries the device, because this process must not initialize CUDA.
            ready = pool.submit(with_memory, settings)
            for name in dict.fromkeys(job.data for job in jobs):
                _dataset(name)
            ordered = longest_first(table, jobs, ready.result())
            futures = [pool.submit(_run, table.name, part, settings, end) for part in ordered]
            for future in as_completed(futures):
                lines, messages = future.result()
                say("\n".join(messages))
                if lines:
                    yield lines
        except BaseException as error:
            for process in multiprocessing.active_children():
                if process not in others:
                    process.kill()
            if isinstance(error, BrokenProcessPool):
                raise InputError(
                    "a job ended without a result, perhaps because memory ran out. Finished lines are saved; "
                    "run it again with fewer --jobs."
                ) from error
            raise


def longest_first(table: TableSpec, jobs: Sequence[Job], settings: Settings) -> list[Job]:
    """Return jobs in parts that fit into the memory of one process, those that should take longest first.

    Networks that are not trained have no epochs and come last.
    """
    found = []
    for job in jobs:
        spec, data = table.data[job.data], _dataset(job.data)
        network = spec.networks[job.model]
        for units in split_units(data, spec, network, job.units, settings):
            trained = len(units) * _COST[network.kind] * spec.epochs
            learned = sum(unit.request.is_embedding for unit in units) * _LEARNED_COST * len(data.splits)
            found.append(((trained + learned) * data.union.num_nodes, replace(job, units=tuple(units))))
    return [part for _, part in sorted(found, key=lambda pair: -pair[0])]


@contextmanager
def shared_device(device: str, say: Callable[[str], None]) -> Iterator[None]:
    """Start NVIDIA's MPS service, if it is installed, so that processes use the GPU at the same time."""
    control = shutil.which(_CONTROL)
    if not device.startswith("cuda") or "CUDA_MPS_PIPE_DIRECTORY" in os.environ:
        yield
        return
    if control is None:
        say(f"{_CONTROL} is not installed: jobs alternate on the GPU, which is slower.")
        yield
        return
    with TemporaryDirectory(prefix="egonet-") as folder:
        variables = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        daemon = [control, "-d"]
        started = subprocess.run(daemon, env=os.environ | variables, capture_output=True, check=False)  # noqa: S603
        os.environ.update(variables if started.returncode == 0 else {})
        try:
            yield
        finally:
            if started.returncode == 0:
                subprocess.run([control], input=b"quit\n", capture_output=True, check=False)  # noqa: S603
            for name in variables:
                os.environ.pop(name, None)


@contextmanager
def shared_cores(count: int) -> Iterator[None]:
    """Give each of `count` processes that are started inside the block its share of the cores.

    Variables that the user has set are not changed. If each process used all cores, waiting threads would block
    the working ones: the spectra of Proteins take one process of sixteen threads a second, and took four such
    processes more than a minute.
    """
    share = str(max(1, joblib.cpu_count() // count))
    variables = {name: share for name in _THREADS if name not in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)


def _begin() -> None:
    """Ignore Ctrl-C, which the parent process handles, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process at once when its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run(name: str, job: Job, settings: Settings, end: float | None) -> tuple[list[Line], list[str]]:
    """Return the lines of a job and its messages; nothing is started after the end."""
    messages: list[str] = []
    if end is not None and time.time() > end:
        return [], [f"{job.name}: not started, the time has passed"]
    found = run_job(table_spec(name), job, _dataset(job.data), settings, messages.append)
    return [line for lines in found for line in lines], messages


_dataset = lru_cache(maxsize=4)(read_dataset)

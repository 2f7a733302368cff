"""Jobs of a table side by side, each in a process of its own, on one device."""

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

from egonet.errors import InputError
from egonet.experiments.datasets import read_dataset
from egonet.experiments.results import Line
from egonet.experiments.run import Choice, Job, parts, run_job, with_memory
from egonet.experiments.settings import Settings, silent
from egonet.experiments.spec import TableSpec, table_spec
from egonet.kernel.threads import available_cores

_CONTROL = "nvidia-cuda-mps-control"
#: How many threads the libraries that multiply matrices take; they read it when they are loaded.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: What a unit's epoch costs by the kind of network, roughly, as measured on Enzymes.
_COST = {"linear": 1, "mlp": 3, "gcn": 4, "gin": 5, "chebnet": 5, "gat": 6, "gnnml1": 6, "gnnml3": 14}
#: What learning the vectors of one split costs in the same measure, as on Proteins.
_LEARNED_COST = 140


def run_beside(
    table: TableSpec, jobs: Sequence[Job], choice: Choice, say: Callable[[str], None]
) -> Iterator[list[Line]]:
    """Yield the lines of each piece when it ends, `settings.beside` pieces at a time, the longest first.

    Pieces do not know of each other: a line is what it would be if its piece ran alone, but for the seconds.
    """
    if not jobs:
        return
    spawn = multiprocessing.get_context("spawn")
    settings = replace(choice.settings, report=silent)
    end = None if choice.seconds is None else time.time() + choice.seconds
    others = multiprocessing.active_children()
    with (
        shared_device(settings.device, say),
        shared_cores(settings.beside),
        ProcessPoolExecutor(settings.beside, mp_context=spawn, initializer=_begin) as pool,
    ):
        try:
            # A process of the pool looks at the device, since this one is to leave it alone.
            ready = pool.submit(with_memory, settings)
            for name in dict.fromkeys(job.data for job in jobs):
                _dataset(name)
            pieces = longest_first(table, jobs, ready.result())
            futures = [pool.submit(_run, table.name, piece, settings, end) for piece in pieces]
            for future in as_completed(futures):
                lines, words = future.result()
                say("\n".join(words))
                if lines:
                    yield lines
        except BaseException as error:
            for process in multiprocessing.active_children():
                if process not in others:
                    process.kill()
            if isinstance(error, BrokenProcessPool):
                raise InputError(
                    "a job ended without an answer, perhaps for want of memory. What is finished is kept; "
                    "run it again with fewer --jobs."
                ) from error
            raise


def longest_first(table: TableSpec, jobs: Sequence[Job], settings: Settings) -> list[Job]:
    """Return jobs in pieces that fit into the memory of one process, those that should take longest first.

    Each piece leaves its lines when it ends. Networks that are not trained have no epochs and come last.
    """
    found = []
    for job in jobs:
        spec, data = table.data[job.data], _dataset(job.data)
        network = spec.networks[job.model]
        for units in parts(data, spec, network, job.units, settings):
            trained = len(units) * _COST[network.kind] * spec.epochs
            learned = sum(unit.request.is_embedding for unit in units) * _LEARNED_COST * len(data.splits)
            found.append(((trained + learned) * data.union.num_nodes, replace(job, units=tuple(units))))
    return [piece for _, piece in sorted(found, key=lambda pair: -pair[0])]


@contextmanager
def shared_device(device: str, say: Callable[[str], None]) -> Iterator[None]:
    """Let processes use a GPU at the same time rather than in turns, if NVIDIA's service for that is installed."""
    control = shutil.which(_CONTROL)
    if not device.startswith("cuda") or "CUDA_MPS_PIPE_DIRECTORY" in os.environ:
        yield
        return
    if control is None:
        say(f"{_CONTROL} is not installed: jobs take turns on the GPU, which is slower.")
        yield
        return
    with TemporaryDirectory(prefix="egonet-") as folder:
        words = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        daemon = [control, "-d"]
        started = subprocess.run(daemon, env=os.environ | words, capture_output=True, check=False)  # noqa: S603
        os.environ.update(words if started.returncode == 0 else {})
        try:
            yield
        finally:
            if started.returncode == 0:
                subprocess.run([control], input=b"quit\n", capture_output=True, check=False)  # noqa: S603
            for word in words:
                os.environ.pop(word, None)


@contextmanager
def shared_cores(count: int) -> Iterator[None]:
    """Let each of so many processes started meanwhile use its share of the cores, unless the user has set how many.

    If each took them all, threads that wait would keep those from working that they wait for: the spectra of Proteins
    take a process of sixteen threads a second, and took four such processes more than a minute.
    """
    share = str(max(1, available_cores() // count))
    words = {word: share for word in _THREADS if word not in os.environ}
    os.environ.update(words)
    try:
        yield
    finally:
        for word in words:
            os.environ.pop(word, None)


def _begin() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process at once when the one that started it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run(name: str, job: Job, settings: Settings, end: float | None) -> tuple[list[Line], list[str]]:
    """Return the lines of a job and what it says; nothing is started after the end."""
    words: list[str] = []
    if end is not None and time.time() > end:
        return [], [f"{job.name}: not started, the time is over"]
    found = run_job(table_spec(name), job, _dataset(job.data), settings, words.append)
    return [line for lines in found for line in lines], words


_dataset = lru_cache(maxsize=4)(read_dataset)

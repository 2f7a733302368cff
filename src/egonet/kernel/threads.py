"""The default number of threads: the cores that this process may use."""

import os
import sys
from functools import cache
from pathlib import Path

from egonet.errors import InputError

#: The control groups of the system, and those of this process.
GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def as_count(threads: int) -> int:
    """Return a number of threads, where 0 stands for `available_cores`."""
    return threads or available_cores()


def available_cores() -> int:
    """Return the default number of threads: the cores that this process may use.

    The environment variable EGONET_THREADS takes precedence if it is set. Otherwise a worker process of a pool or of
    a torch DataLoader uses one thread, since its siblings use the other cores. Otherwise the number is the minimum of
    the cores in the process's affinity, the quota of its control group, and OMP_NUM_THREADS, which joblib, Dask and
    Spark set in their workers.

    Raises
    ------
    InputError
        If EGONET_THREADS is not a whole number >= 1.
    """
    chosen = os.environ.get("EGONET_THREADS", "").strip()
    if chosen:
        if not chosen.isdecimal() or int(chosen) == 0:
            raise InputError(
                f"EGONET_THREADS must be a whole number >= 1, got {chosen!r}. Change or unset it."
            )
        return int(chosen)
    if _is_pool_worker():
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A list such as "4,2" is for nested regions; the first number is for the outermost.
    openmp = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    limit = int(openmp) if openmp.isdecimal() and int(openmp) > 0 else cores
    return max(1, min(cores, limit, _quota_of_process() or cores))


def _is_pool_worker() -> bool:
    """Return whether this is a daemonic process, as in multiprocessing.Pool and torch's DataLoader."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and bool(process.current_process().daemon)


@cache
def _quota_of_process() -> int | None:
    """Return the cores that the control group of this process may use, or None without a limit."""
    try:
        own = OWN_GROUPS.read_text()
    except OSError:
        return None
    return group_quota(own, GROUPS)


def group_quota(own_groups: str, groups: Path) -> int | None:
    """Return the smallest quota of a process's control groups and their parents, in whole cores, or None.

    `own_groups` is the text of /proc/self/cgroup: lines "number:controllers:path", without controllers in version 2.
    """
    found = []
    for line in own_groups.splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = groups / controllers if controllers else groups
        folders = [top.joinpath(*path.split("/")[1:depth]) for depth in range(1, path.count("/") + 2)]
        found += [quota for folder in folders if (quota := _read_quota(folder)) is not None]
    return min(found, default=None)


def _read_quota(folder: Path) -> int | None:
    """Return the cores that one control group may use, rounded up, or None without a limit."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota, period = ((folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return -(-int(quota) // int(period)) if int(quota) > 0 else None
    except (OSError, ValueError):  # no such files, or "max"
        return None

"""Damaged files and unusual objects for every reader: workers under limits, and a report."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fuzz.entry_points import ENTRY_POINTS
from fuzz.objects import OBJECTS
from fuzz.targets import BY_NAME

#: Weights of targets; our own readers are chosen more often than those of other packages.
SHARES = {
    "csv": 6,
    "as_graph": 1,
    "tsv": 3,
    "text": 6,
    "csv.gz": 2,
    "graph6": 8,
    "mtx": 6,
    "npz": 4,
    "encoding": 3,
    "gml": 2,
}


def run(
    folder: Path, seconds: float, cases: int, seed: int, targets: list[str], report: Callable[[str], None]
) -> Counter[str]:
    """Return the counts of a run; failing files are kept in `folder`/failures, each with its message."""
    names = [
        name
        for name in targets or [*BY_NAME, OBJECTS, *ENTRY_POINTS]
        for _ in range(SHARES.get(name, 1 if name in ENTRY_POINTS else 2))
    ]
    total: Counter[str] = Counter()
    end, turn = time.monotonic() + seconds, 0
    while (left := end - time.monotonic()) > 0 and num_cases(total) < cases:
        job = {"folder": str(folder), "seed": seed + turn, "names": names, "seconds": min(left, 600)}
        job["cases"] = min(cases - num_cases(total), 10**9)
        (folder / "counts.json").unlink(missing_ok=True)
        ended = subprocess.run([sys.executable, "-m", "fuzz.worker", json.dumps(job)], check=False)
        if (folder / "counts.json").exists():
            counts = Counter(json.loads((folder / "counts.json").read_text()))
            slowest = max(total.pop("slowest ms", 0), counts.pop("slowest ms", 0))
            total += counts
            total["slowest ms"] = slowest
        if ended.returncode not in (0, 3):
            keep_case(folder, ended.returncode, report)
            total["died"] += 1
            if total["died"] > 50:
                break
        turn += 1
        report(f"{num_cases(total):,} cases, {num_failed(folder)} kinds of failure")
    return total


def keep_case(folder: Path, status: int, report: Callable[[str], None]) -> None:
    """Keep the file that a worker was reading when it died."""
    files = {target.file: name for name, target in BY_NAME.items()}
    recent = sorted((folder / "case").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    name = next((files[path.name] for path in reversed(recent) if path.name in files), OBJECTS)
    why = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    kept = folder / "failures" / name
    kept.mkdir(parents=True, exist_ok=True)
    if name in BY_NAME:
        data = (folder / "case" / BY_NAME[name].file).read_bytes()
        number = len(list(kept.iterdir()))
        (kept / f"died-{number}").write_bytes(data)
        (kept / f"died-{number}.txt").write_text(why)
    report(f"a worker died of {why} while reading {name}")


def num_cases(counts: Counter[str]) -> int:
    """Return the number of files and objects read."""
    return sum(count for name, count in counts.items() if name.endswith(("accepted", "rejected", "failed")))


def num_failed(folder: Path) -> int:
    """Return the number of different failures."""
    return len(list(folder.glob("failures/*/*.txt")))


def new_folder() -> Path:
    """Return a temporary folder, in memory if possible."""
    shared = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="egonet-fuzz-", dir=shared if shared.is_dir() else None))

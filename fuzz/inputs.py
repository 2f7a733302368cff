"""Damaged files and odd objects for every door: workers under limits, and a report of what they did."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fuzz.objects import OBJECTS
from fuzz.targets import BY_NAME

#: How often a door is chosen; readers of our own more often than those of other packages.
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
    folder: Path, seconds: float, cases: int, seed: int, doors: list[str], report: Callable[[str], None]
) -> Counter[str]:
    """Return the counts of a run; failures are files in `folder`/failures with what was said beside them."""
    names = [name for name in doors or [*BY_NAME, OBJECTS] for _ in range(SHARES.get(name, 2))]
    total: Counter[str] = Counter()
    end, turn = time.monotonic() + seconds, 0
    while (left := end - time.monotonic()) > 0 and num_cases(total) < cases:
        words = {"folder": str(folder), "seed": seed + turn, "names": names, "seconds": min(left, 600)}
        words["cases"] = min(cases - num_cases(total), 10**9)
        (folder / "counts.json").unlink(missing_ok=True)
        ended = subprocess.run([sys.executable, "-m", "fuzz.worker", json.dumps(words)], check=False)
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
    place = folder / "failures" / name
    place.mkdir(parents=True, exist_ok=True)
    if name in BY_NAME:
        data = (folder / "case" / BY_NAME[name].file).read_bytes()
        number = len(list(place.iterdir()))
        (place / f"died-{number}").write_bytes(data)
        (place / f"died-{number}.txt").write_text(why)
    report(f"a worker died of {why} while reading {name}")


def num_cases(counts: Counter[str]) -> int:
    """Return how many files and objects were read."""
    return sum(count for name, count in counts.items() if name.endswith(("accepted", "refused", "failed")))


def num_failed(folder: Path) -> int:
    """Return how many kinds of failure were kept."""
    return len(list(folder.glob("failures/*/*.txt")))


def new_folder() -> Path:
    """Return a folder in memory where there is one."""
    shared = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="egonet-fuzz-", dir=shared if shared.is_dir() else None))

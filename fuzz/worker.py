"""One process that reads damaged files under limits of time and memory, and keeps failing files."""

import hashlib
import json
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from egonet.errors import EgonetError, IgnoredInputWarning, UnseenWarning
from fuzz.corpus import read_corpus
from fuzz.entry_points import ENTRY_POINTS, check_entry_point
from fuzz.mutate import mutate
from fuzz.objects import OBJECTS, check_objects
from fuzz.targets import BY_NAME, Target

MEMORY = 10**9
CPU_SECONDS, WALL_SECONDS = 10, 600
#: Memory is measured once per this many files, because measuring takes as long as reading one.
EVERY = 16
MOST_KEPT = 400


def limit_memory() -> int:
    """Limit this process to 3 GB more than it uses; return its peak so far in bytes."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 3 * MEMORY, size + 3 * MEMORY))
    return peak()


def peak() -> int:
    """Return the peak memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def outcome(target: Target, path: Path) -> tuple[str, str]:
    """Return "accepted", "rejected" or "failed", and the message; SIGPROF ends a process that does not return."""
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        target.read(path)
    except EgonetError as error:
        said = str(error)
        sentence = said.isprintable() and said.rstrip().endswith((".", "?")) and 5 < len(said) < 1500
        return ("rejected" if sentence else "failed"), said if sentence else f"not one sentence: {said!r}"
    except Exception:  # noqa: BLE001 — any other exception is a finding
        return "failed", traceback.format_exc()
    return "accepted", ""


def signature(kind: str, said: str) -> str:
    """Return a message without its values: files with equal signatures had the same outcome.

    Examples
    --------
    >>> signature("rejected", "a.csv, line 12: got 'x'.")
    "rejected a.csv, line 0: got ''."
    """
    last = said.strip().splitlines()[-1] if said.strip() else ""
    return f"{kind} " + re.sub(r"\d[\d,]*", "0", re.sub(r"'[^']*'|\"[^\"]*\"", "''", last))[:160]


class Worker:
    """A pool of files per target, which are damaged and read in turn."""

    def __init__(self, folder: Path, seed: int, names: list[str]) -> None:
        self.folder, self.names, self.rng = folder, names, Random(seed)
        self.pool: dict[str, list[bytes]] = {name: [] for name in names}
        for name, data in read_corpus():
            if name in self.pool:
                self.pool[name].append(data)
        for path in sorted(folder.glob("pool/*/*")):
            if path.parent.name in self.pool:
                self.pool[path.parent.name].append(path.read_bytes())
        self.seen = set((folder / "seen").read_text().splitlines()) if (folder / "seen").exists() else set()
        self.counts: Counter[str] = Counter()
        self.recent: list[tuple[str, bytes]] = []
        self.num_read = 0
        self.base = limit_memory()

    def run(self, seconds: float, cases: int) -> None:
        """Read damaged files until the seconds or the number of cases is reached."""
        end, said, done = time.monotonic() + seconds, time.monotonic(), 0
        while time.monotonic() < end and done < cases:
            done += self.step()
            if time.monotonic() - said > 1:
                said = time.monotonic()
                self.save_counts()
        self.save_counts()

    def step(self) -> int:
        """Read one damaged file, or twenty objects; keep a file with a new outcome. Return the number of cases."""
        name = self.rng.choice(self.names)
        if name == OBJECTS or name in ENTRY_POINTS:
            signal.setitimer(signal.ITIMER_PROF, 20 * CPU_SECONDS)
            number = self.rng.randrange(2**32)
            failures = (
                check_objects(number, 20, self.counts)
                if name == OBJECTS
                else check_entry_point(name, number, 20, self.counts)
            )
            for failure in failures:
                self.keep("failures", name, failure.encode(), failure)
            if peak() - self.base > MEMORY:
                self.keep("failures", name, b"memory", f"memory: {peak() - self.base:,} bytes, seed {number}")
                self.save_counts()
                sys.exit(3)
            return 20
        target = BY_NAME[name]
        data = self.damaged(target)
        path = self.folder / "case" / target.file
        path.write_bytes(data)
        start = time.process_time()
        kind, said = outcome(target, path)
        self.recent = [*self.recent[1 - EVERY :], (name, data)]
        self.num_read += 1
        if self.num_read % EVERY == 0:
            self.check_memory()
        self.counts[f"{name} {kind}"] += 1
        self.counts["slowest ms"] = max(self.counts["slowest ms"], int(1000 * (time.process_time() - start)))
        outcome_of = f"{name} {signature(kind, said)}"
        if outcome_of not in self.seen:
            self.seen.add(outcome_of)
            with (self.folder / "seen").open("a") as file:
                file.write(outcome_of.replace("\n", " ") + "\n")
            if len(self.pool[name]) < MOST_KEPT:
                self.pool[name].append(data)
                self.keep("pool", name, data, "")
            if kind == "failed":
                self.keep("failures", name, data, said)
        return 1

    def check_memory(self) -> None:
        """Keep the last files and end if the memory has grown too much because of one of them."""
        signal.alarm(WALL_SECONDS)
        grown = peak() - self.base
        if grown > MEMORY:
            for name, data in self.recent:
                self.keep("failures", name, data, f"memory: {grown:,} bytes more by one of {EVERY} files")
            self.save_counts()
            sys.exit(3)

    def damaged(self, target: Target) -> bytes:
        """Return a file of the pool, damaged outside or inside its container."""
        pool = self.pool[target.name]
        data = self.rng.choice(pool)
        tokens = target.tokens or (b"\0", b"\xff", b"0")
        if target.rebuild is not None and self.rng.random() < 0.7:
            data = target.rebuild(self.rng, data, tokens)
            if self.rng.random() < 0.9:
                return data
        return mutate(self.rng, data, tokens, pool)

    def keep(self, where: str, name: str, data: bytes, said: str) -> None:
        """Write a file and its message."""
        digest = hashlib.blake2b(data, digest_size=8).hexdigest()
        kept = self.folder / where / name
        kept.mkdir(parents=True, exist_ok=True)
        (kept / digest).write_bytes(data)
        if said:
            (kept / f"{digest}.txt").write_text(said)

    def save_counts(self) -> None:
        """Write the counts for the parent process."""
        (self.folder / "counts.json").write_text(json.dumps(self.counts))


def main() -> None:
    """Run one worker; the command line is a JSON object."""
    job: dict[str, Any] = json.loads(sys.argv[1])
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", IgnoredInputWarning)
    warnings.simplefilter("ignore", UnseenWarning)  # damaged columns fit few keys
    folder = Path(job["folder"])
    (folder / "case").mkdir(parents=True, exist_ok=True)
    Worker(folder, job["seed"], job["names"]).run(job["seconds"], job["cases"])


if __name__ == "__main__":
    main()

"""kill -9 at random moments of every command that writes, then the same command again: python -m faults.kill.

Half of the moments are uniform over the duration of a run. The others follow a random change in the output folder by
up to five milliseconds. The run after the kill must end with the bytes of an undisturbed run, keep finished parts, and
leave no other files. `--moments` is the number of kills, `--only` selects commands, `--json` names a result file.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from faults import cases, server
from faults.cases import Case, command, content, environment, finished, run

CASES = (
    cases.ENCODE_FILES[".npz"],
    cases.ENCODE_FILES[".parquet"],
    cases.ENCODE_FILES[".mtx"],
    cases.ENCODE_FOLDER,
    cases.UPDATE,
    cases.UPDATE_FILE,
    cases.UPDATE_KEPT,
    cases.EMBED,
    cases.RUN,
    cases.EXPLORE,
    cases.STREAM,
    cases.EVENTS,
    cases.COMPRESSED_ROWS,
    cases.FETCH,
    cases.SPARK,
)
_LONGEST_DELAY = 0.005


@dataclass
class Tally:
    """The result of one command.

    Attributes
    ----------
    killed, by_change
        Kills of a running process, and those of them that followed a change in its folder.
    finished, kept
        Parts (blocks, graphs, lines, files) that were finished at the kill, and those not written again after it.
    parts
        Parts of an undisturbed run.
    different, leftovers
        Reruns with other bytes, and files that only they have.
    """

    name: str
    seconds: float
    killed: int = 0
    by_change: int = 0
    finished: int = 0
    kept: int = 0
    parts: int = 0
    different: int = 0
    leftovers: int = 0

    @property
    def is_clean(self) -> bool:
        """Return whether every rerun gave the same bytes, kept finished parts and left no other files."""
        return not self.different and not self.leftovers and self.kept == self.finished


def torture(
    case: Case, moments: int, seed: int = 0, report: Callable[[Tally], object] = lambda tally: None
) -> Tally:
    """Kill a command `moments` times, run it again after each kill, and return the result."""
    rng = random.Random(f"{case.name} {seed}")
    with tempfile.TemporaryDirectory() as name:
        template, whole = Path(name, "template"), Path(name, "whole")
        template.mkdir()
        case.prepare(template)
        shutil.copytree(template, whole)
        began = time.monotonic()
        done = run(case, whole)
        if done.returncode:
            raise SystemExit(f"{case.name}: {done.stderr}")
        parts = set(finished(whole)) - set(finished(template))
        tally = Tally(case.name, time.monotonic() - began, parts=len(parts))
        shutil.copytree(template, Path(name, "steps"))
        steps = count_changes(case, Path(name, "steps"))
        while tally.killed < moments:
            shutil.copytree(template, Path(name, "work"))
            once(case, Path(name, "work"), whole, tally, rng, (steps, parts))
            shutil.rmtree(Path(name, "work"))
            report(tally)
    return tally


def once(
    case: Case, folder: Path, whole: Path, tally: Tally, rng: random.Random, known: tuple[int, set[str]]
) -> None:
    """Kill one run, run again, compare; `known` has the changes and the parts of an undisturbed run."""
    steps, parts = known
    by_change = bool(tally.killed % 2)
    step = rng.randrange(1, steps + 1) if by_change else 0
    delay = rng.uniform(0, _LONGEST_DELAY if by_change else tally.seconds)
    if not start_and_kill(case, folder, step, delay, whole_group=rng.random() < 0.5):
        return
    # Older generations are not kept, and inputs are not results of the command.
    before = {part: mark for part, mark in finished(folder).items() if part in parts}
    done = run(case, folder)
    if done.returncode:
        raise SystemExit(f"{case.name}, run again: {done.stderr}")
    after, expected, found = finished(folder), content(whole), content(folder)
    tally.killed += 1
    tally.by_change += by_change
    tally.finished += len(before)
    tally.kept += sum(after.get(part) == mark for part, mark in before.items())
    tally.different += any(found.get(path) != digest for path, digest in expected.items())
    tally.leftovers += len(set(found) - set(expected))
    if found != expected:
        odd = [path for path in set(found) | set(expected) if found.get(path) != expected.get(path)]
        print(f"{case.name}, step {step} of {steps}, {delay:.4f} s: {odd}", file=sys.stderr)


def start_and_kill(case: Case, folder: Path, step: int, delay: float, *, whole_group: bool) -> bool:
    """Kill a run some time after its n-th change (0: after its start); return whether it was still running."""
    process, pipe = started(case, folder)
    try:
        changes = 0
        while changes < step and (found := os.read(pipe, 1)):
            changes += len(found)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(delay)
            return False
        # A Spark driver has workers: half of the time they are killed too.
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGKILL)
        return process.wait() == -signal.SIGKILL
    finally:
        os.close(pipe)


def started(case: Case, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start a case that announces its changes; return it and the end of the pipe to read them from."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        command(case),
        cwd=folder,
        env=environment(case, FAULTS_PIPE=str(writing)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[writing],
        start_new_session=True,
    )
    os.close(writing)
    return process, reading


def count_changes(case: Case, folder: Path) -> int:
    """Return how many changes an undisturbed run announces."""
    process, pipe = started(case, folder)
    count = 0
    while found := os.read(pipe, 4096):
        count += len(found)
    os.close(pipe)
    process.wait()
    return count


def table(tallies: list[Tally]) -> str:
    """Return the results as a Markdown table."""
    lines = [
        "| command | seconds | kills | at a change | finished parts kept | other bytes | left behind |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in tallies:
        kept = f"{one.kept:,} of {one.finished:,}" if one.parts else "has none"
        lines.append(
            f"| {one.name} | {one.seconds:.1f} | {one.killed} | {one.by_change} | {kept} | {one.different} "
            f"| {one.leftovers} |"
        )
    return "\n".join(lines)


def show(one: Tally, moments: int) -> None:
    """Print a line per kill, so that the output of a run that is cut off says how far it came."""
    kept = f"{one.kept} of {one.finished} finished parts kept" if one.parts else "no parts to keep"
    print(
        f"{time.strftime('%H:%M:%S')} {one.name}: {one.killed} of {moments} kills, {kept}, "
        f"{one.different} with other bytes, {one.leftovers} left behind",
        file=sys.stderr,
        flush=True,
    )


def keep(path: Path | None, tallies: list[Tally]) -> None:
    """Write interim results to a file, if there is one."""
    if path:
        path.write_text(json.dumps([asdict(one) for one in tallies], indent=1) + "\n")


def main() -> None:
    """Kill every command, print the table, exit 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--only", action="append", help="a part of the command's name; may be repeated")
    parser.add_argument("--json", type=Path, help="a file for the results")
    arguments = parser.parse_args()
    running, tallies = server.start(), []
    os.environ["FAULTS_SERVER"] = running.base

    def report(one: Tally) -> None:
        show(one, arguments.moments)
        keep(arguments.json, [*tallies, one])

    for case in CASES:
        if not arguments.only or any(name in case.name for name in arguments.only):
            tallies.append(torture(case, arguments.moments, report=report))
            print(table(tallies[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    print(table(tallies))
    keep(arguments.json, tallies)
    running.shutdown()
    sys.exit(not all(one.is_clean for one in tallies))


if __name__ == "__main__":
    main()

"""Which tests run which lines of the three rooms, and how many seconds each takes."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from fuzz.child import TESTS, Loop, in_child, run_pytest
from fuzz.mutants import ROOMS, SOURCE, Mutant

LONGEST_TEST = 5.0


@dataclass(frozen=True)
class Lines:
    """What one run of all tests has shown.

    Attributes
    ----------
    seconds
        Processor time of every test that passed.
    failing
        Tests that failed or could not be run; they judge no mutant.
    tests
        File below `src/egonet` → line → tests.
    """

    seconds: dict[str, float]
    failing: list[str]
    tests: dict[str, dict[str, list[str]]]

    def choose(self, mutant: Mutant, budget: float) -> list[str]:
        """Return the quickest tests that run a mutant's line, or its module if the line runs at import only."""
        lines = self.tests.get(mutant.file, {})
        found = lines.get(str(mutant.line), []) if mutant.function else []
        found = found or list(chain(*lines.values()))
        chosen: list[str] = []
        for test in sorted(set(found) & set(self.seconds), key=lambda test: (self.seconds[test], test)):
            budget -= self.seconds[test]
            if chosen and (budget < 0 or self.seconds[test] > LONGEST_TEST):
                break
            chosen.append(test)
        return chosen


def read_lines(path: Path) -> Lines:
    """Return what is in a file, after a run that writes it if there is none."""
    if not path.exists():
        in_child(lambda: run_pytest(TESTS, Loop(lambda session: measure(session, path))), quiet=False)
    return Lines(**json.loads(path.read_text()))


def measure(session: pytest.Session, path: Path) -> None:
    """Run every test with coverage and write a file."""
    import coverage

    watch = coverage.Coverage(None, config_file=False, include=[f"{SOURCE / room}/*" for room in ROOMS])
    seconds: dict[str, float] = {}
    watch.start()
    for item, after in pairs(session.items):
        watch.switch_context(item.nodeid)
        failed, before = session.testsfailed, sum(os.times()[:4])
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed == failed:
            seconds[item.nodeid] = round(sum(os.times()[:4]) - before, 3)
    watch.stop()
    data = watch.get_data()
    tests = {
        str(Path(file).relative_to(SOURCE)): data.contexts_by_lineno(file) for file in data.measured_files()
    }
    failing = [item.nodeid for item in session.items if item.nodeid not in seconds]
    path.write_text(json.dumps({"seconds": seconds, "failing": failing, "tests": tests}))


def pairs(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each test with the one after it."""
    return zip(items, [*items[1:], None], strict=True)

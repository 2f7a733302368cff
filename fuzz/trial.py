"""Tests of the tests: one mutant after the other, and whether a test notices.

A mutant gets the tests that run its line, the quickest first, until one fails or the seconds for it are spent. Its
function is exchanged in a child that has every test loaded. Who survives that is tried again in a child that imports
egonet and the tests anew, because some functions are called only then.
"""

import gc
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Any

import pytest

from fuzz.child import KILLED, TESTS, Loop, Steady, arm, in_child, run_pytest
from fuzz.lines import Lines, pairs, read_lines
from fuzz.mutants import SOURCE, Mutant, compiled, files, mutants_of

HEAVY = (
    "networkx",
    "pandas",
    "polars",
    "pyarrow.parquet",
    "scipy.io",
    "sklearn",
    "torch_geometric",
    "hypothesis",
)
SURVIVED = 0
NAMES = {SURVIVED: "survived", KILLED: "killed", -signal.SIGPROF: "too slow", -signal.SIGALRM: "too slow"}
EQUIVALENT = Path(__file__).with_name("equivalent.jsonl")

Report = Callable[[str], None]
Key = tuple[str, str, str, int]


def run(log: Path, budget: float, only: list[str], control: bool, report: Report) -> None:
    """Try every mutant that `log` does not answer yet, and add one line of JSON for each to it.

    A survivor is tried again where `budget`, the seconds of tests for one mutant, is larger than it was. With
    `control` nothing is changed: every mutant must survive.
    """
    for name in HEAVY:
        importlib.import_module(name)
    sys.path.insert(0, str(SOURCE.parent))
    os.chdir(SOURCE.parent.parent)
    lines = read_lines(log.with_suffix(".lines.json"))
    report(f"{len(lines.seconds):,} tests; not used, because they fail as it is: {lines.failing or 'none'}")
    every = [mutant for path in files(only) for mutant in mutants_of(path)]
    same = equivalent()
    every = [mutant for mutant in every if mutant.key not in same]
    Random(0).shuffle(every)  # so that a run that is stopped has tried a fair sample

    def attempt(mutant: Mutant, trial: Callable[[Mutant | None, list[str]], int], *, last: bool) -> None:
        began, tests = time.monotonic(), lines.choose(mutant, budget)
        status = in_child(lambda: trial(None if control else mutant, tests)) if tests else SURVIVED
        result = NAMES.get(status, "killed") if tests else "no test"
        if result == "survived" and not last:
            return
        note(log, mutant, result, budget, len(tests), time.monotonic() - began)
        if result in ("survived", "no test"):
            report(f"{result}: {mutant.file}:{mutant.line} {mutant.change}")

    def exchange_each(session: pytest.Session) -> None:
        live = live_functions()
        for mutant in unanswered(every, log, budget):
            if mutant.function:
                attempt(mutant, lambda one, tests: try_loaded(session, lines, live, one, tests), last=False)

    in_child(lambda: run_pytest(TESTS, Loop(exchange_each)), quiet=False)
    for mutant in unanswered(every, log, budget):
        attempt(mutant, lambda one, tests: try_anew(lines, one, tests), last=True)
    report(summary(log, every))


def try_loaded(
    session: pytest.Session, lines: Lines, live: list[FunctionType], mutant: Mutant | None, tests: list[str]
) -> int:
    """Run tests against a mutant of a function, in a child that has everything loaded."""
    try:
        if mutant:
            exchange(mutant, live)
    except ValueError:  # a function with other free variables than it was made with
        return SURVIVED
    items = {item.nodeid: item for item in session.items}
    for item, after in pairs([items[test] for test in tests]):
        arm(lines.seconds[item.nodeid])
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed:
            return KILLED
    return SURVIVED


def try_anew(lines: Lines, mutant: Mutant | None, tests: list[str]) -> int:
    """Run tests against a mutant, in a child that has not imported egonet yet."""
    arm(5 + sum(lines.seconds[test] for test in tests))
    if mutant:
        finder = Finder(mutant)
        sys.meta_path.insert(0, finder)
        importlib.import_module(finder.name)  # before pytest, which loads files with doctests in its own way
    return min(run_pytest(tests, Steady()), KILLED)


def live_functions() -> list[FunctionType]:
    """Return every function of egonet that there is in this process."""
    gc.unfreeze()
    found = [
        one
        for one in gc.get_objects()
        if type(one) is FunctionType and one.__code__.co_filename.startswith(str(SOURCE))
    ]
    gc.freeze()
    return found


def exchange(mutant: Mutant, live: list[FunctionType]) -> None:
    """Give the function that a mutant changes its new code, and what it has returned already as well."""
    codes = {(code.co_qualname, code.co_firstlineno): code for code in codes_in(compiled(mutant))}
    for one in live:
        old = one.__code__
        if old.co_filename == str(SOURCE / mutant.file) and is_in(old.co_qualname, mutant.function):
            one.__code__ = codes[old.co_qualname, old.co_firstlineno]


def is_in(name: str, function: str) -> bool:
    """Return whether a qualified name is that of a function or of one inside it."""
    return name == function or name.startswith(f"{function}.<locals>.")


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all inside it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from codes_in(one)


class Finder(MetaPathFinder):
    """Finds one module as a mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = f"egonet.{mutant.file[:-3].replace('/', '.')}"

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        """Return a spec for that module alone."""
        if fullname != self.name:
            return None
        place = SOURCE / self.mutant.file
        loader = Changed(fullname, str(place))
        loader.code = compiled(self.mutant)
        return spec_from_file_location(fullname, place, loader=loader)


class Changed(SourceFileLoader):
    """Loads a module from a code object."""

    code: CodeType

    def get_code(self, _fullname: str) -> CodeType:
        """Return the code of the mutant."""
        return self.code


def equivalent() -> dict[Key, str]:
    """Return the mutants that no test is expected to notice, each with the reason."""
    lines = map(json.loads, EQUIVALENT.read_text().splitlines())
    return {(one["file"], one["function"], one["change"], one["twin"]): one["why"] for one in lines}


def answers(log: Path) -> dict[Key, dict[str, Any]]:
    """Return the last line of each mutant in a log."""
    found = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return {(one["file"], one["function"], one["change"], one["twin"]): one for one in found}


def unanswered(every: list[Mutant], log: Path, budget: float) -> list[Mutant]:
    """Return the mutants that no line of a log answers, then those that survived a smaller budget."""
    known = answers(log)
    done = {
        key
        for key, one in known.items()
        if one["result"] in ("killed", "too slow") or one["budget"] >= budget
    }
    return sorted(
        (mutant for mutant in every if mutant.key not in done), key=lambda mutant: mutant.key in known
    )


def note(log: Path, mutant: Mutant, result: str, budget: float, num_tests: int, seconds: float) -> None:
    """Add a line to a log."""
    names = ("file", "function", "change", "twin")
    line = dict(zip(names, mutant.key, strict=True)) | {
        "line": mutant.line,
        "result": result,
        "budget": budget,
    }
    with log.open("a") as out:
        more = {"tests": num_tests, "seconds": round(seconds, 2)}
        out.write(json.dumps(line | more, ensure_ascii=False) + "\n")


def summary(log: Path, every: list[Mutant]) -> str:
    """Return how many mutants came to which end."""
    known = answers(log)
    results = [known[mutant.key]["result"] for mutant in every if mutant.key in known]
    counts = ", ".join(
        f"{results.count(name):,} {name}" for name in dict.fromkeys([*NAMES.values(), "no test"])
    )
    return f"{len(results):,} of {len(every):,} mutants tried: {counts}"

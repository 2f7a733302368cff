"""Random small changes of modules by cosmic-ray, and the tests that must notice them: python -m faults.mutants.

`--count N` changes random places of some packages and runs the tests that mirror the module, then those of its package
(not with `--mirror`). `--packages` chooses the packages, `--modules` some of their modules, `--only` a file with
changes that survived before, and `--also` tests that run after those of the module, such as Spark's for its tasks.
`--tests N` chooses random tests instead: each must fail after at least one of some changes of lines it runs. With
`--each 2`, two lines of the module that the test mirrors are changed, those that few other tests of its file run, and
every change counts: the test must notice it, or its file.
Changes are made in a copy of the package, never in place. It needs cosmic-ray and coverage.
"""

import argparse
import ast
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
PRELOADED = (
    "numpy",
    "scipy.sparse",
    "pandas",
    "pyarrow.parquet",
    "polars",
    "networkx",
    "hypothesis",
    "pytest",
    "coverage",
)
RELOADED = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is there before pytest
PACKAGES = ("encoding", "graph", "io", "store")
#: The change that replaces a call by `pass`, which cosmic-ray does not know.
DROPPED = "dropped call"
#: Python runs this in every process that a test starts.
SITE = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
"""


@cache
def places(path: Path) -> list[tuple[str, int, int]]:
    """Return operator, occurrence and line of every change that cosmic-ray knows for a module."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    tree, found = get_ast(path.read_text()), []
    for name in operator_names():
        if "Operator_BitOr" in name or "Variable" in name:
            continue  # almost all of the former are in annotations, where any import notices them
        operator, count = get_operator(name)(), 0
        for node in ast_nodes(tree):
            for start, _ in operator.mutation_positions(node):
                found.append((name, count, start[0]))
                count += 1
    return found


def changed(source: str, name: str, occurrence: int) -> str | None:
    """Return a module with one change."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    return mutate_code(source, get_operator(name)(), occurrence)


def outcome(
    folder: Path, tests: list[str], seconds: int, cover: Path | None = None, *, by_test: bool = False
) -> int | None:
    """Return the exit status of pytest in a child process that has the packages loaded; None if it does not end.

    `seconds` are those of a processor, so that a busy machine ends no test; in an endless wait they are ten times that.
    """
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.chdir(folder)
        with open(os.devnull, "w") as null:
            os.dup2(null.fileno(), 1)
            os.dup2(null.fileno(), 2)
        sys.dont_write_bytecode = True
        # An editable installation finds the unchanged package first, here and in processes that a test starts (SITE).
        sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
        sys.path[:0] = folders = [str(folder / "src"), str(folder), str(folder / "tests")]
        os.environ |= {"PYTHONPATH": os.pathsep.join(folders), "PYTHONDONTWRITEBYTECODE": "1"}
        status = 70
        try:
            status = _run(folder, tests, cover, by_test=by_test)
        finally:
            os._exit(status)
    end = time.monotonic() + 10 * seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            found = os.waitstatus_to_exitcode(status)
            return None if found == -signal.SIGKILL else found
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run(folder: Path, tests: list[str], cover: Path | None, *, by_test: bool) -> int:
    import coverage
    import pytest

    import egonet

    if not Path(egonet.__file__).is_relative_to(folder):
        return 71
    watch = (
        coverage.Coverage(data_file=None, config_file=False, source=[str(folder / "src")]) if cover else None
    )
    if watch and by_test:
        watch.set_option("run:dynamic_context", "test_function")
    if watch:
        watch.start()
    options = ["-q", "-p", "no:cacheprovider", "-W", RELOADED] + ([] if by_test else ["-x"])
    status = int(pytest.main([*options, *tests]))
    if watch and cover:
        watch.stop()
        data = watch.get_data()
        if by_test:
            found: dict[str, dict[str, list[int]]] = {}
            for name in data.measured_files():
                for line, contexts in data.contexts_by_lineno(name).items():
                    for context in contexts:
                        test = found.setdefault(context.rpartition(".")[2], {})
                        test.setdefault(name, []).append(line)
            cover.write_text(json.dumps(found))
        else:
            cover.write_text(json.dumps({name: data.lines(name) for name in data.measured_files()}))
    return status


def tests_of(folder: Path, module: str) -> list[str]:
    """Return the tests of a module such as "encoding/count": its own, and the examples of its docstrings."""
    package, stem = module.split("/")
    own = sorted((folder / "tests" / package).glob(f"test_{stem}*.py"))
    # The tests come first: they import the module the usual way, and pytest then takes it for the examples.
    return [*(str(path.relative_to(folder)) for path in own), f"src/egonet/{module}.py"]


def survivors(folder: Path, rng: random.Random, given: argparse.Namespace) -> dict[str, Any]:
    """Change random places; return how many changes were noticed by which tests, and those that were not."""
    modules = [
        path for name in given.packages for path in sorted((folder / "src/egonet" / name).glob("*.py"))
    ]
    known = [(path, place) for path in modules if path.stem != "__init__" for place in places(path)]
    if given.modules:
        known = [(path, place) for path, place in known if path.stem in given.modules]
    if given.only:
        wanted = {tuple(change[:4]) for change in json.loads(given.only.read_text())}
        known = [
            (path, (name, occurrence, line))
            for path, (name, occurrence, line) in known
            if (f"{path.parent.name}/{path.stem}", line, name, occurrence) in wanted
        ]
    tally: dict[str, Any] = {
        "places": len(known),
        "tried": 0,
        "mirror": 0,
        "endless": 0,
        "also": 0,
        "package": 0,
        "survived": [],
    }
    passing: dict[str, bool] = {}
    end = time.monotonic() + given.seconds
    for path, (name, occurrence, line) in rng.sample(known, len(known)):
        if tally["tried"] >= given.count or time.monotonic() > end:
            break
        module = f"{path.parent.name}/{path.stem}"
        own = tests_of(folder, module)
        also = [test for test in given.also if test not in own]
        if module not in passing:
            passing[module] = outcome(folder, [*own, *also], 300) == 0
        if not passing[module]:
            tally["fail unchanged"] = sorted(name for name, passes in passing.items() if not passes)
            continue
        source = path.read_text()
        other = changed(source, name, occurrence)
        if other is None or other == source:
            continue
        path.write_text(other)
        try:
            tally["tried"] += 1
            found = outcome(folder, own, given.limit)
            tally["endless"] += found is None
            if found != 0:
                tally["mirror"] += 1
            elif also and outcome(folder, also, given.limit) != 0:
                tally["also"] += 1
            elif not given.mirror and outcome(folder, [f"tests/{path.parent.name}"], 400) != 0:
                tally["package"] += 1
            else:
                tally["survived"].append(
                    [module, line, name, occurrence, source.splitlines()[line - 1].strip()]
                )
                print(*tally["survived"][-1], flush=True)
        finally:
            path.write_text(source)
        if tally["tried"] % 10 == 0:
            print({key: value for key, value in tally.items() if key != "survived"}, flush=True)
    return tally


def proofs(folder: Path, rng: random.Random, names: list[str], given: argparse.Namespace) -> dict[str, Any]:
    """Break lines that a test runs until it fails; return the tests that never did."""
    most, end = given.most, time.monotonic() + given.seconds
    tally: dict[str, Any] = {"failed": 0, "changes": 0, "never": []}
    cover = folder / "lines.json"
    for test in names:
        if time.monotonic() > end:
            break
        if outcome(folder, [test], 120, cover) != 0:
            tally["never"].append([test, "does not pass as it is"])
            continue
        lines = {Path(name): set(found) for name, found in json.loads(cover.read_text()).items()}
        stem = Path(test.partition("::")[0]).stem.removeprefix("test_")
        called = {path: lines_inside(path) & found for path, found in lines.items()}
        # The module that the test mirrors first, then those of which it runs most lines.
        ordered = sorted(called, key=lambda path: (not stem.startswith(path.stem), -len(called[path])))
        known = []
        for path in ordered[:5]:
            found = [place for place in places(path) if place[2] in called[path]]
            known += [(path, place) for place in rng.sample(found, min(most // 2, len(found)))]
        for path, (name, occurrence, _) in known[: 2 * most]:
            source = path.read_text()
            other = changed(source, name, occurrence)
            if other is None:
                continue
            path.write_text(other)
            try:
                tally["changes"] += 1
                if outcome(folder, [test], 120) != 0:
                    tally["failed"] += 1
                    break
            finally:
                path.write_text(source)
        else:
            tally["never"].append([test, f"passed after {len(known[: 2 * most])} changes"])
            print(*tally["never"][-1], flush=True)
        if (tally["failed"] + len(tally["never"])) % 10 == 0:
            print(tally["failed"], "of", tally["failed"] + len(tally["never"]), flush=True)
    return tally


def dropped_calls(path: Path) -> list[tuple[str, int, int]]:
    """Return the calls whose result is not used as changes, in the form of `places`; the count is the column."""
    return [
        (DROPPED, node.col_offset, node.lineno)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ]


def without_call(source: str, line: int) -> str:
    """Return a module with `pass` instead of the call that begins in a line."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and node.lineno == line and isinstance(node.value, ast.Call):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            return "".join([*lines[:first], " " * node.col_offset + "pass\n", *lines[last:]])
    return source


def lines_by_test(folder: Path, file: str) -> dict[str, dict[Path, set[int]]] | None:
    """Return the lines of the package that every test function of a file runs; None if it does not end.

    Tests of a file may fail here: watching takes time, which some of them limit.
    """
    cover = folder / "lines.json"
    cover.unlink(missing_ok=True)
    outcome(folder, [file], 600, cover, by_test=True)
    if not cover.exists():
        return None
    found = json.loads(cover.read_text())
    return {
        test: {Path(name): set(lines) for name, lines in of_test.items()} for test, of_test in found.items()
    }


def claimed_modules(folder: Path, file: str, lines: dict[Path, set[int]]) -> list[Path]:
    """Return the module that a test file mirrors, else those of its package, else those with most lines inside."""
    inside = {path: lines_inside(path) & own for path, own in lines.items()}
    called = sorted((path for path in inside if inside[path]), key=lambda path: (-len(inside[path]), path))
    package, stem = Path(file).parent.name, Path(file).stem.removeprefix("test_")
    in_package = [path for path in called if path.parent == folder / "src/egonet" / package]
    mirrored = [path for path in in_package if stem.startswith(path.stem)]
    return mirrored or in_package or called[:5]


def judged(folder: Path, rng: random.Random, names: list[str], given: argparse.Namespace) -> dict[str, Any]:
    """Change some lines per test that few others of its file run; return what noticed the changes."""
    tally: dict[str, Any] = {"tests": 0, "changes": 0, "test": 0, "file": 0, "unusable": [], "survived": []}
    known: dict[str, Any] = {}
    passing: dict[str, bool] = {}
    end = time.monotonic() + given.seconds
    for test in sorted(names):
        if time.monotonic() > end:
            break
        file, _, function = test.partition("::")
        if file not in known:
            known[file] = lines_by_test(folder, file)
        own = (known[file] or {}).get(function.rpartition("::")[2])
        if not own or outcome(folder, [test], given.limit) != 0:
            tally["unusable"].append(test)
            continue
        if file not in passing:
            passing[file] = outcome(folder, [file], 5 * given.limit) == 0
        tally["tests"] += 1
        others = [lines for name, lines in known[file].items() if lines is not own]
        candidates = []
        for path in claimed_modules(folder, file, own):
            inside = lines_inside(path) & own[path]
            for place in [*places(path), *dropped_calls(path)]:
                if place[2] in inside:
                    shared = sum(place[2] in lines.get(path, ()) for lines in others)
                    candidates.append((shared, rng.random(), path, place))
        candidates.sort(key=lambda each: each[:2])
        used: set[tuple[Path, int]] = set()
        for _, _, path, (name, occurrence, line) in candidates:
            source = path.read_text()
            other = without_call(source, line) if name == DROPPED else changed(source, name, occurrence)
            if len(used) == given.each or (path, line) in used or other is None or other == source:
                continue
            used.add((path, line))
            path.write_text(other)
            try:
                tally["changes"] += 1
                if outcome(folder, [test], given.limit) != 0:
                    tally["test"] += 1
                elif passing[file] and outcome(folder, [file], 5 * given.limit) != 0:
                    tally["file"] += 1
                else:
                    module = str(path.relative_to(folder / "src"))
                    text = source.splitlines()[line - 1].strip()
                    tally["survived"].append([test, module, line, name, occurrence, text])
                    print(*tally["survived"][-1], flush=True)
            finally:
                path.write_text(source)
        if tally["tests"] % 10 == 0:
            print({key: value for key, value in tally.items() if key != "survived"}, flush=True)
    return tally


def lines_inside(path: Path) -> set[int]:
    """Return the lines inside functions, whose changes only a test that calls them can notice."""
    spans = [
        range(node.body[0].lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    ]
    return {line for span in spans for line in span}


def main() -> None:
    """Copy the package, change it, print the result as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--tests", type=int, default=0)
    parser.add_argument("--most", type=int, default=10, help="changes of a module that a test may miss")
    parser.add_argument("--each", type=int, default=0, help="changes per drawn test, all of which count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--mirror", action="store_true", help="run only the tests that mirror the module")
    parser.add_argument("--packages", nargs="+", default=PACKAGES)
    parser.add_argument("--modules", nargs="+", default=[], help="names of modules of the packages")
    parser.add_argument("--also", nargs="+", default=[], help="tests that run if those of the module pass")
    parser.add_argument("--limit", type=int, default=60, help="seconds of a processor for one run of tests")
    parser.add_argument(
        "--only", type=Path, help="a JSON list of changes, as in a result: only these are tried"
    )
    given = parser.parse_args()
    for name in PRELOADED:
        with contextlib.suppress(ImportError):  # tests that need it are skipped
            __import__(name)
    # Only the children import the package, each the changed copy.
    binary = next(file for path in sys.path for file in Path(path).glob("egonet/_native*.so"))
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("src", "tests", "research", "benchmarks", "docs", "fuzz"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("pyproject.toml", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / part, folder)
        shutil.copy(binary, folder / "src/egonet")
        (folder / "src" / "sitecustomize.py").write_text(SITE)
        if given.tests:
            names = [line.strip() for line in sys.stdin if "::" in line]
            if given.each:  # a function with all its parameters is one test
                names = sorted({name.partition("[")[0] for name in names})
            judge = judged if given.each else proofs
            print(json.dumps(judge(folder, rng, rng.sample(names, given.tests), given), indent=1))
        else:
            print(json.dumps(survivors(folder, rng, given), indent=1))


if __name__ == "__main__":
    main()

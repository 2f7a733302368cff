"""Tests of the tests: one small change to the source at a time, and whether some test notices."""

import ast
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
ROOMS = ("graph", "encoding", "wl")
CPU_SECONDS, WALL_SECONDS = 300, 1500
#: What a module is tested by besides the folder of its room; the nearest comes first.
NEAR = {
    "graph/graph6.py": ["tests/graph/test_graph6.py", "tests/graph/test_files.py"],
    "graph/text.py": ["tests/graph/test_text.py", "tests/graph/test_hostile.py"],
    "graph/stream.py": ["tests/scale/test_store.py", "tests/graph/test_hostile.py"],
    "graph/files.py": ["tests/graph/test_files.py", "tests/graph/test_hostile.py"],
    "graph/formats.py": ["tests/graph/test_files.py", "tests/graph/test_hostile.py"],
    "graph/column.py": ["tests/test_estimator.py"],
    "graph/cap.py": ["tests/graph/test_cap.py"],
    "graph/union.py": ["tests/graph/test_union.py"],
    "graph/convert.py": ["tests/graph/test_convert.py"],
    "graph/frames.py": ["tests/graph/test_convert.py", "tests/test_dataframes.py"],
    "graph/ids.py": ["tests/graph/test_ids.py"],
    "graph/graph.py": ["tests/graph/test_policy.py"],
    "encoding/storage.py": ["tests/encoding/test_damaged.py", "tests/encoding/test_encoding.py"],
    "encoding/sound.py": ["tests/encoding/test_damaged.py", "tests/scale/test_damaged.py"],
    "encoding/update.py": ["tests/encoding/test_update.py"],
    "encoding/changes.py": ["tests/encoding/test_update.py"],
    "encoding/aggregate.py": ["tests/test_estimator.py"],
    "encoding/words.py": ["tests/test_contrast.py"],
    "encoding/small.py": ["tests/test_transform.py"],
}
COMPARES: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SUMS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: a file, the line, what it is, and the text of the file after it."""

    file: str
    line: int
    change: str
    text: str


def changes_of(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what may be changed at a node, each with a function that does it."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARES:
        yield "comparison", lambda: node.ops.__setitem__(0, COMPARES[type(node.ops[0])]())
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SUMS:
        yield "arithmetic", lambda: setattr(node, "op", SUMS[type(node.op)]())
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and/or", lambda: setattr(node, "op", other)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "number", lambda: setattr(node, "value", node.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "truth", lambda: setattr(node, "value", not node.value)
    if isinstance(node, ast.Return) and node.value is not None:
        yield "return", lambda: setattr(node, "value", ast.Constant(None))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call left out", lambda: setattr(node, "value", ast.Constant(None))


def mutants_of(path: Path, name: str) -> Iterator[Mutant]:
    """Yield every change of one file; annotations, docstrings and blocks for type checkers are left alone."""
    source = path.read_text()
    count = sum(len(list(changes_of(node))) for node in ast.walk(bare(ast.parse(source))))
    for wanted in range(count):
        tree = bare(ast.parse(source))
        found = ((node, change) for node in ast.walk(tree) for change in changes_of(node))
        node, (what, apply) = next(pair for place, pair in enumerate(found) if place == wanted)
        before = ast.unparse(node).splitlines()[0]
        apply()
        after = ast.unparse(node).splitlines()[0]
        if before != after:
            yield Mutant(name, getattr(node, "lineno", 0), f"{what}: {before}  →  {after}", ast.unparse(tree))


def bare(tree: ast.Module) -> ast.Module:
    """Return the tree without annotations, which are not run."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in [*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]:
                if argument is not None:
                    argument.annotation = None
    return tree


def tests_of(name: str) -> list[str]:
    """Return the tests of a module, the nearest first."""
    room = name.split("/")[0]
    return list(dict.fromkeys([f"src/egonet/{name}", *NEAR.get(name, []), f"tests/{room}"]))


def is_killed(copy: Path, tests: list[str]) -> bool:
    """Return whether a test fails, in a child of this process, which has the heavy packages loaded already."""
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.alarm(WALL_SECONDS)
        os.chdir(copy)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        import pytest

        sys.path.insert(0, str(copy / "src"))
        code = pytest.main(
            ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0", *tests]
        )
        os._exit(int(code))
    _, status = os.waitpid(child, 0)
    return status != 0


def run(share: float, seed: int, only: list[str], log: Path, report: Callable[[str], None]) -> None:
    """Try a random share of all mutants, and write one line of JSON for each to `log`."""
    import networkx  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pytest  # noqa: F401
    import scipy.io  # noqa: F401

    copy = Path(os.environ.get("TMPDIR", "/tmp")) / f"egonet-mutants-{os.getpid()}"
    for folder in ("src", "tests", "docs"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    os.environ["PYTHONPATH"], os.environ["PYTHONDONTWRITEBYTECODE"] = str(copy / "src"), "1"
    sys.dont_write_bytecode = True
    files = [path for room in ROOMS for path in sorted((ROOT / "src/egonet" / room).glob("*.py"))]
    names = [str(path.relative_to(ROOT / "src/egonet")) for path in files]
    every = [
        m
        for path, name in zip(files, names, strict=True)
        if not only or name in only
        for m in mutants_of(path, name)
    ]
    chosen = [
        mutant
        for mutant in every
        if Random(f"{seed}{mutant.file}{mutant.change}{mutant.line}").random() < share
    ]
    Random(seed).shuffle(chosen)
    report(f"{len(every):,} mutants, {len(chosen):,} tried")
    for name in sorted({mutant.file for mutant in chosen}):
        if is_killed(copy, tests_of(name)):
            raise SystemExit(f"the tests of {name} fail without any change.")
    killed = 0
    for number, mutant in enumerate(chosen, start=1):
        place = copy / "src/egonet" / mutant.file
        whole = place.read_text()
        place.write_text(mutant.text)
        start = time.monotonic()
        dead = is_killed(copy, tests_of(mutant.file))
        place.write_text(whole)
        killed += dead
        line = {"file": mutant.file, "line": mutant.line, "change": mutant.change, "killed": dead}
        with log.open("a") as out:
            out.write(
                json.dumps(line | {"seconds": round(time.monotonic() - start, 1)}, ensure_ascii=False) + "\n"
            )
        if not dead:
            report(f"survived: {mutant.file}:{mutant.line} {mutant.change}")
        if number % 20 == 0:
            report(f"{killed} of {number} killed")
    shutil.rmtree(copy)
    report(f"{killed} of {len(chosen)} killed")

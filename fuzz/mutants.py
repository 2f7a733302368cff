"""Mutants: every copy of a module that differs from it in one small place."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import CodeType

SOURCE = Path(__file__).parent.parent / "src/egonet"
ROOMS = ("graph", "encoding", "wl")
COMPARES: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SUMS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
#: Words of calls that change what a call costs or checks, never what comes of it.
COSTS = ("copy", "strict")


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes
    ----------
    file, line
        Where, below `src/egonet`.
    function
        The outermost function around it, by its qualified name; empty for what runs when the module is imported.
    change
        What was there and what is there now.
    twin
        How many equal changes the same function has above it.
    number
        How many changes its file has above it.
    """

    file: str
    line: int
    function: str
    change: str
    twin: int
    number: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return what names this mutant even after lines were added above it."""
        return self.file, self.function, self.change, self.twin


def changes_of(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what may be changed at a node, each with a function that does it."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARES:
        yield "comparison", lambda: setattr(node, "ops", [COMPARES[type(node.ops[0])](), *node.ops[1:]])
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SUMS:
        yield "arithmetic", lambda: setattr(node, "op", SUMS[type(node.op)]())
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and/or", lambda: setattr(node, "op", other)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.Constant) and isinstance(value := node.value, bool):
        yield "truth", lambda: setattr(node, "value", not value)
    elif isinstance(node, ast.Constant) and isinstance(value := node.value, int):
        yield "number", lambda: setattr(node, "value", value + 1)
    if isinstance(node, ast.Return) and node.value is not None and not is_false(node.value):
        yield "return", lambda: setattr(node, "value", ast.Constant(None))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call left out", lambda: setattr(node, "value", ast.Constant(None))


def is_false(node: ast.AST) -> bool:
    """Return whether a node says False, which None means as well to whoever asks yes or no."""
    return isinstance(node, ast.Constant) and node.value is False


def places(node: ast.AST, function: str = "", scope: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes that run, each with its outermost function: no annotations, nothing for type checkers."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.keyword) and node.arg in COSTS:
        return
    yield node, function
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        scope += f"{node.name}."
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        inside = function
        if isinstance(node, ast.FunctionDef) and name == "body":
            inside = function or scope.rstrip(".")
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from places(child, inside, scope)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of one file."""
    seen: Counter[tuple[str, str]] = Counter()
    number = -1
    for node, function in places(ast.parse(path.read_text())):
        for what, _ in changes_of(node):
            number += 1
            before = ast.unparse(sketch(node)).splitlines()[0]
            changed = sketch(node)
            dict(changes_of(changed))[what]()
            after = ast.unparse(changed).splitlines()[0]
            if before == after:  # None is returned already
                continue
            change = f"{what}: {before}  →  {after}"
            name, line = str(path.relative_to(SOURCE)), getattr(node, "lineno", 0)
            yield Mutant(name, line, function, change, seen[function, change], number)
            seen[function, change] += 1


def sketch(node: ast.AST) -> ast.AST:
    """Return a copy of a node that shares its parts, without the statements below its first line."""
    other = copy(node)
    if isinstance(other, ast.If | ast.While):
        other.body, other.orelse = [ast.Pass()], []
    return other


def compiled(mutant: Mutant) -> CodeType:
    """Return the code of the whole module with the change."""
    path = SOURCE / mutant.file
    tree = ast.parse(path.read_text())
    found = (apply for node, _ in places(tree) for _, apply in changes_of(node))
    next(islice(found, mutant.number, None))()
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


def files(only: list[str]) -> list[Path]:
    """Return the files of the three rooms, or those of them that are named."""
    every = [path for room in ROOMS for path in sorted((SOURCE / room).glob("*.py"))]
    return [path for path in every if not only or str(path.relative_to(SOURCE)) in only]

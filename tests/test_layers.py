"""The floor plan, held by tests: imports go down the road only, and `import egonet` stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "egonet"

#: Rooms from the ground up; a module imports from its own room and from floors below, never from a sibling.
FLOORS = [
    {"errors", "types"},
    {"atomic", "arrays"},
    {"graph", "kernel"},
    {"encoding"},
    {"plot"},
    {"explain", "contrast", "estimator", "transform", "wl", "embeddings", "scale", "nets", "benchmark"},
    {"experiments"},
    {"explorer"},
    {"__init__"},
    {"doctor"},
    {"cli"},
    {"__main__"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
NATIVE_ROOMS = {"graph", "kernel", "wl"}


def modules():
    return sorted(path for path in SOURCE.rglob("*.py"))


def room_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imports_of(path):
    """Yield (room, line) for every import of egonet at the top of a module, not inside functions."""
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "egonet":
            parts = node.module.split(".")[1:]
            for name in [parts[0]] if parts else [alias.name for alias in node.names]:
                yield name if name in FLOOR or name == "_native" else "__init__", node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "egonet":
                    parts = alias.name.split(".")[1:]
                    yield parts[0] if parts else "__init__", node.lineno


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_the_road_only(path):
    room = room_of(path)
    assert room in FLOOR, f"{path.name} belongs to no room: add it to the floor plan"

    for imported, line in imports_of(path):
        if imported == "_native":
            assert room in NATIVE_ROOMS, f"line {line}: only {NATIVE_ROOMS} speak to the C++ core"
        elif imported != room:
            assert FLOOR[imported] < FLOOR[room], f"line {line}: {room} must not import {imported}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_in_one_sentence_what_it_is(path):
    docstring = ast.get_docstring(ast.parse(path.read_text()))

    assert docstring, f"{path} has no docstring"
    assert docstring.splitlines()[0].endswith(".")


def test_importing_egonet_loads_nothing_heavier_than_scipy():
    heavy = "torch pandas polars pyarrow networkx igraph sklearn matplotlib typer rich pyspark cupy torch_geometric"
    program = f"import egonet, sys; print([name for name in {heavy.split()!r} if name in sys.modules])"

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.strip() == "[]"

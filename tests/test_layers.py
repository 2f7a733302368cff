"""The floor plan, held by tests: imports go down the road only, and `import egonet` stays light."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "egonet"

#: Rooms from the ground up; a module imports from its own room and from floors below, never from a sibling.
FLOORS = [
    {"errors", "typing"},
    {"graph", "kernel", "io"},
    {"encoding"},
    {"explain", "contrast", "sklearn", "pyg", "wl", "embeddings", "store"},
    {"viz"},
    {"__init__"},
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


def test_the_package_knows_nothing_of_the_experiments():
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
            assert all(name.split(".")[0] != "experiments" for name in names), f"{path} imports experiments"


def test_the_package_trains_nothing_with_torch():
    training = ("torch.optim", "torch.autograd", ".backward(", "import triton")

    found = [(path.name, word) for path in modules() for word in training if word in path.read_text()]

    assert found == []


def test_the_wheel_is_made_of_the_package_alone():
    project = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text())

    assert project["tool"]["scikit-build"]["wheel"]["packages"] == ["src/egonet"]
    assert not any((SOURCE / name).exists() for name in ("experiments", "nets"))


def test_importing_egonet_loads_nothing_heavier_than_scipy():
    heavy = "torch pandas polars pyarrow networkx igraph sklearn matplotlib typer rich pyspark cupy torch_geometric"
    program = f"import egonet, sys; print([name for name in {heavy.split()!r} if name in sys.modules])"

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.strip() == "[]"

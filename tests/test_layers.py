"""The layout of the package: no import cycles, one sentence per module, a light import. Layers: `lint-imports`."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "egonet"

#: Methods that draw: `encoding.plot()`, `encoding.explore()` and `explanation.plot()` import the drawing code on use.
DRAWING_METHODS = {("encoding.encoding", "viz"), ("explanation.explain", "viz")}


def modules():
    return sorted(SOURCE.rglob("*.py"))


def name_of(path):
    """Return the dotted name of a module inside the package, such as "encoding.update"."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1]) or "__init__" if parts[-1] == "__init__" else ".".join(parts)


NAMES = {name_of(path): path for path in modules()}


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_of(path):
    """Return {imported module: line} for every import of egonet, also inside functions, but not for type checkers."""
    found = {}
    tree = tree_of(path)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in node.body
        for inner in ast.walk(part)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "egonet":
            package = node.module.removeprefix("egonet").removeprefix(".")
            for alias in node.names:
                inner = f"{package}.{alias.name}".removeprefix(".")
                found[inner if inner in NAMES or inner == "_native" else package or "__init__"] = node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "egonet":
                    found[alias.name.removeprefix("egonet").removeprefix(".") or "__init__"] = node.lineno
    return found


IMPORTS = {name: imports_of(path) for name, path in NAMES.items()}


def test_no_import_cycle_between_files():
    graph = {
        name: [
            other for other in found if other in NAMES and (name, other.split(".")[0]) not in DRAWING_METHODS
        ]
        for name, found in IMPORTS.items()
    }
    done = set()

    def visit(name, path):
        assert name not in path, f"import cycle: {' → '.join([*path[path.index(name) :], name])}"
        if name not in done:
            for other in graph[name]:
                visit(other, [*path, name])
            done.add(name)

    for name in graph:
        visit(name, [])


def test_the_page_about_the_architecture_lists_every_package_from_the_lowest_layer():
    project = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text())
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    depth = {name: -number for number, line in enumerate(layers) for name in re.findall(r"\w+", line)}
    page = (SOURCE.parent.parent / "docs" / "research" / "architecture.md").read_text("utf-8")
    table = re.search(r"\| package \|.*?\n\n", page, re.S)[0]
    listed = [
        name for cell in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(\w+)", cell)
    ]
    found = {
        path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }

    assert set(listed) == set(depth) == found - {"__init__", "__main__"}
    assert [depth[name] for name in listed] == sorted(depth[name] for name in listed)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_in_one_sentence_what_it_is(path):
    docstring = ast.get_docstring(tree_of(path))

    assert docstring, f"{path} has no docstring"
    assert docstring.splitlines()[0].endswith(".")


def test_the_package_does_not_import_research():
    for path in modules():
        for node in ast.walk(tree_of(path)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
            assert all(name.split(".")[0] != "research" for name in names), f"{path} imports research"


def test_the_package_trains_nothing_with_torch():
    training = ("torch.optim", "torch.autograd", ".backward(", "import triton")

    found = [(path.name, word) for path in modules() for word in training if word in path.read_text()]

    assert found == []


def test_the_wheel_is_made_of_the_package_alone():
    project = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text())

    assert project["tool"]["scikit-build"]["wheel"]["packages"] == ["src/egonet"]
    assert not any((SOURCE / name).exists() for name in ("research", "nets"))


def test_importing_egonet_loads_nothing_heavier_than_scipy():
    heavy = "torch pandas polars pyarrow networkx igraph sklearn matplotlib typer rich pyspark cupy torch_geometric "
    heavy += "scipy.spatial"
    program = f"import egonet, sys; print([name for name in {heavy.split()!r} if name in sys.modules])"

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.strip() == "[]"


def test_no_public_name_of_the_core_loads_torch():
    names = "Stream TemporalEncoder EventEncoder encode encode_pairs encode_edges"
    look = f"[getattr(egonet, name) for name in {names.split()!r}]"
    program = f"import egonet, sys; {look}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"

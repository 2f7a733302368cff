"""research/ imports only public names of egonet, and depends only on what its pyproject.toml lists."""

import ast
import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

RESEARCH = Path(__file__).parents[1]
#: The public modules; the names of each are those of its `__all__`, or without one those that have no underscore.
PUBLIC = (
    "egonet",
    "egonet.duckdb",
    "egonet.embeddings",
    "egonet.errors",
    "egonet.io",
    "egonet.links",
    "egonet.nn",
    "egonet.pyg",
    "egonet.sklearn",
    "egonet.store",
    "egonet.typing",
    "egonet.wl",
)
#: Modules whose package has another name.
PACKAGES = {
    "sklearn": "scikit-learn",
    "torch_geometric": "torch-geometric",
    "PIL": "pillow",
    "joblib": "scikit-learn",
    "skfp": "scikit-fingerprints",
}
#: What comes with egonet itself.
OF_EGONET = {"numpy", "scipy", "narwhals"}


def modules():
    return sorted(RESEARCH.rglob("*.py"))


def imports_of(path):
    """Yield (module, name or None, line) for every import of a file, also inside functions and docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    examples = re.findall(r"^\s*>>> ((?:from|import) .*)$", path.read_text("utf-8"), re.M)
    for node in [*ast.walk(tree), *(ast.parse(example).body[0] for example in examples)]:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None, node.lineno) for alias in node.names)


def is_public(module, name):
    """Return whether a name of a module is one that users rely on."""
    if module not in PUBLIC:
        return False
    known = importlib.import_module(module)
    if name is None or f"{module}.{name}" in PUBLIC:
        return True
    return name in getattr(known, "__all__", ()) or (
        not hasattr(known, "__all__") and not name.startswith("_")
    )


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(RESEARCH)))
def test_a_module_imports_public_names_only(path):
    internal = [
        f"line {line}: {module}.{name or ''}"
        for module, name, line in imports_of(path)
        if module.split(".")[0] == "egonet" and name != "__version__" and not is_public(module, name)
    ]

    assert internal == []


def test_an_internal_import_would_be_found():
    assert is_public("egonet", "encode")
    assert is_public("egonet", "wl")
    assert not is_public("egonet", "_native")
    assert not is_public("egonet.kernel.native", "add_pairs")
    assert not is_public("egonet.wl", "folklore_colors")


def test_attributes_of_egonet_are_public_too():
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "egonet"
            ):
                name = node.attr
                assert name == "__version__" or is_public("egonet", name), (
                    f"{path}:{node.lineno}: egonet.{name}"
                )


def requirements():
    """Return the packages of every dependency group."""
    groups = tomllib.loads((RESEARCH / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return {
        re.split(r"[>;= ]", entry)[0]
        for group in groups.values()
        for entry in group
        if isinstance(entry, str)
    }


def test_every_package_that_is_imported_is_a_dependency():
    used = {module.split(".")[0] for path in modules() for module, _, _ in imports_of(path) if module}
    others = (
        used - {"egonet", "research", "contracts", "benchmarks"} - OF_EGONET - set(sys.stdlib_module_names)
    )

    assert {PACKAGES.get(name, name) for name in others} <= requirements()


def test_every_dependency_has_one_version_that_agrees_with_the_tests_of_the_library():
    pins, of_library = (
        dict(line.lower().split("==") for line in path.read_text("utf-8").splitlines() if "==" in line)
        for path in (RESEARCH / "constraints.txt", RESEARCH.parent / "constraints.txt")
    )

    assert requirements() <= set(pins)
    assert {name: pins[name] for name in pins.keys() & of_library.keys()} == {
        name: of_library[name] for name in pins.keys() & of_library.keys()
    }

"""The wheels that cibuildwheel builds are those that the page on releases lists, each with checks that fit it."""

import ast
import re
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
BUILDS = [pattern.removesuffix("-*") for pattern in SETTINGS["cibuildwheel"]["build"]]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("system", ["manylinux_x86_64", "manylinux_aarch64", "musllinux_x86_64"])
def test_only_the_wheel_with_the_stable_abi_is_given_to_abi3audit(build, system):
    command = SETTINGS["cibuildwheel"]["linux"].get("repair-wheel-command", ["auditwheel repair"])
    for override in SETTINGS["cibuildwheel"]["overrides"]:
        if fnmatch(f"{build}-{system}", override["select"]):
            command = override["repair-wheel-command"]

    assert command[0].startswith("auditwheel repair")
    assert any("abi3audit" in step for step in command) == (
        build == SETTINGS["scikit-build"]["wheel"]["py-api"]
    )


def test_the_page_on_releases_lists_every_wheel():
    page = (ROOT / "docs" / "releases.md").read_text("utf-8")

    rows = re.findall(r"^\| (`cp.*?) \|", page, re.M)
    assert re.findall(r"`(cp\d+t?)(?:-abi3)?`", " ".join(rows)) == ["cp312", "cp311", "cp314t", "cp315t"]
    assert BUILDS == ["cp311", "cp312", "cp314t", "cp315t"]


def test_the_tests_of_a_wheel_import_what_is_installed_with_it():
    """A wheel is tested in an environment with its own dependencies and those of `test-requires` only."""
    given = SETTINGS["cibuildwheel"]
    paths = [ROOT / path for path in re.findall(r"{project}/(tests\S*)", given["test-command"])]
    files = [ROOT / "conftest.py", *(file for path in paths for file in sorted(path.rglob("*.py")))]
    files += [path for path in paths if path.is_file()]
    known = {"egonet", "numpy", "scipy", "narwhals", "contracts", "emulation", *given["test-requires"]}
    known |= sys.stdlib_module_names - {"resource", "fcntl", "pwd"}  # not on Windows

    wrong = []
    for file in files:
        for node in ast.parse(file.read_text("utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            wrong += [f"{file.name}: {name}" for name in names if name.partition(".")[0] not in known]

    assert len(files) > 10
    assert wrong == []

"""`.ci/install-matrix` knows every extra, and what it tries works where all extras are installed."""

import importlib.util
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from contracts.parts import need

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / ".ci" / "install-matrix"
if not SCRIPT.exists():
    pytest.skip("The sdist has no scripts of CI.", allow_module_level=True)
LOADER = SourceFileLoader("install_matrix", str(SCRIPT))
MATRIX = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(MATRIX)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
#: Extra → the modules that its code imports.
MODULES = {"cli": ["typer"], "io": ["pyarrow", "networkx"], "iso": ["igraph"], "plot": ["matplotlib"]}
MODULES |= {"pyg": ["torch_geometric"], "spark": ["pyspark"], "duckdb": ["duckdb"]}


def test_every_extra_for_users_is_tried():
    extras = PROJECT["optional-dependencies"].keys() - {"test", "docs", "check"}

    assert MATRIX.EXTRAS.keys() == extras - {"cuda", "cuda12"}
    assert MATRIX.HINTS.keys() == extras - {"cuda12"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("extra", MATRIX.EXTRAS)
def test_the_code_for_an_extra_works(extra, monkeypatch):
    for module in MODULES.get(extra, [extra]):
        need(module)
    monkeypatch.setenv("MPLBACKEND", "agg")

    exec(MATRIX.ENCODE + MATRIX.EXTRAS[extra], {})  # its assertions are the test

"""What every test may use: the data folder, the slow mark, and parts that may be missing."""

import importlib
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine must not fail a test: how long an example takes says nothing about whether it is right.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")

# Without a GPU its kernels are interpreted; Triton asks when it is imported, whoever does that first.
if shutil.which("nvidia-smi") is None:
    os.environ["TRITON_INTERPRET"] = "1"

REQUIRE_ALL = os.environ.get("EGONET_REQUIRE") == "all"


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with --slow"))


def missing(reason):
    """Skip for want of an optional part, or fail where every part is required."""
    if REQUIRE_ALL:
        pytest.fail(f"EGONET_REQUIRE=all, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def need():
    """Return a function that imports an optional package, or skips with the command that installs it."""

    def load(module, package=None):
        try:
            return importlib.import_module(module)
        except ImportError:
            return missing(f"{module} is not installed: pip install {package or module}")

    return load


@pytest.fixture(scope="session")
def need_program():
    """Return a function that finds a program, or skips with the command that installs it."""

    def find(name, install):
        return shutil.which(name) or missing(f"{name} is not installed: {install}")

    return find


@pytest.fixture(scope="session")
def data_folder():
    """Return the folder of the real data sets, or skip."""
    folder = os.environ.get("EGONET_DATA")
    if not folder or not Path(folder).is_dir():
        missing("EGONET_DATA does not name a folder of data sets")
    return Path(folder)

"""What every test may use: the data folder, the slow mark, and parts that may be missing."""

import os
import shutil
from pathlib import Path

# Several workers test at once. Threads of OpenMP that wait must sleep: by default they keep a core busy, which took
# half of the time of tests with scikit-learn and torch. Both are read when the first such package is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from contracts import parts

# A busy machine must not fail a test: how long an example takes says nothing about whether it is right.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")

# Without a GPU its kernels are interpreted; Triton asks when it is imported, whoever does that first.
if shutil.which("nvidia-smi") is None:
    os.environ["TRITON_INTERPRET"] = "1"


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with --slow"))


@pytest.fixture(scope="session")
def need():
    """Return a function that imports an optional package, or skips with the command that installs it."""
    return parts.need


@pytest.fixture(scope="session")
def compiled_kernels(tmp_path_factory):
    """Return the folder where the CUDA sources are compiled for the processor, each at most once."""
    return tmp_path_factory.mktemp("compiled_kernels")


@pytest.fixture(scope="session")
def data_folder():
    """Return the folder of the real data sets, or skip."""
    folder = os.environ.get("EGONET_DATA")
    if not folder or not Path(folder).is_dir():
        parts.missing(
            "EGONET_DATA names no folder of data sets: python -m research datasets fetch all --folder DATA; "
            "export EGONET_DATA=DATA"
        )
    return Path(folder)

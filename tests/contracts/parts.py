"""Parts that a machine may lack: a test that needs one skips with the command that installs it.

With EGONET_REQUIRE=all a missing part is a failure instead. Hardware is exempt, since no command installs it.
"""

import contextlib
import importlib.util
import os
import platform
import shutil

import pytest

#: Modules whose package has another name.
PACKAGES = {"sklearn": "scikit-learn", "torch_geometric": "torch-geometric"}


def missing(reason):
    """Skip the test or module that needs a missing part; fail where every part is required."""
    if os.environ.get("EGONET_REQUIRE") == "all":
        pytest.fail(f"EGONET_REQUIRE=all, but {reason}", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def need(module, package=None):
    """Return an optional module. A folder of tests may have its name; without a file it is not the package."""
    with contextlib.suppress(ImportError):
        found = importlib.import_module(module)
        if getattr(found, "__file__", None) is not None:
            return found
    name = module.split(".")[0]
    return missing(f"{module} is not installed: pip install {package or PACKAGES.get(name, name)}")


def need_engine(module):
    """Check that an engine is installed that needs other versions of pyarrow or PySpark than the other tests."""
    if importlib.util.find_spec(module) is None:
        reason = f"{module} is not installed; `.ci/run engines` has an environment with it"
        if os.environ.get("EGONET_REQUIRE") == "engines":
            pytest.fail(f"EGONET_REQUIRE=engines, but {reason}", pytrace=False)
        pytest.skip(reason)


def need_program(name, install):
    """Return the path of a program."""
    return shutil.which(name) or missing(f"{name} is not installed: {install}")


def need_java():
    """Return the path of Java, which Spark runs on."""
    need("pyspark", "'egonet[spark]'")
    return need_program("java", "apt-get install openjdk-17-jre-headless")


def need_emulation():
    """Check that the CUDA sources can be compiled for this processor."""
    if platform.machine() != "x86_64":
        pytest.skip("the emulation of a GPU needs an x86-64 processor", allow_module_level=True)
    need_program("g++", "apt-get install g++")


def need_gpu():
    """Check that there is a GPU and that CuPy can use it."""
    from egonet.errors import DeviceError, MissingExtraError
    from egonet.kernel.cuda.device import open_device

    if shutil.which("nvidia-smi") is None:
        pytest.skip("this machine has no NVIDIA GPU")
    try:
        open_device()
    except (DeviceError, MissingExtraError) as error:
        missing(str(error))

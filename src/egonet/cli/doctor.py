"""What this installation has: versions, the kernel of this processor, the GPU, Java, and the optional parts."""

import os
import platform
import shutil
import subprocess
from contextlib import suppress
from importlib import metadata

import egonet
from egonet.kernel import native
from egonet.kernel.threads import available_cores
from egonet.store.spark_driver import INSTALL_JAVA, LEAST_JAVA, java_version, major_version

#: Package to the extra of egonet that installs it, and what it is for.
OPTIONAL = {
    "typer": ("cli", "the command line"),
    "pyarrow": ("io", "Parquet and Arrow files"),
    "networkx": ("io", "GraphML and GML files"),
    "pandas": (None, "DataFrames"),
    "polars": (None, "DataFrames"),
    "scikit-learn": ("sklearn", "estimators"),
    "torch": ("torch", "tensors"),
    "torch-geometric": ("pyg", "PyG transforms"),
    "igraph": ("iso", "exact isomorphism"),
    "matplotlib": ("plot", "pictures"),
    "pyspark": ("spark", "clusters"),
    "cupy": ("cuda", "GPUs"),
}
#: CuPy is distributed under a name for each version of CUDA.
CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy")
INSTALL_CUPY = 'pip install "egonet[cuda]"'
INSTALL_DRIVER = "apt-get install nvidia-driver (Ubuntu: ubuntu-drivers install)"


def examine() -> dict[str, dict[str, str]]:
    """Return what is installed, as sections of named lines.

    Examples
    --------
    >>> sorted(examine())
    ['egonet', 'machine', 'optional parts']
    """
    return {
        "egonet": {
            "version": egonet.__version__,
            "kernel": native.simd_level(),
            "numpy": metadata.version("numpy"),
            "scipy": metadata.version("scipy"),
        },
        "machine": {
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "cores": str(available_cores()),
            "GPU": gpu_state(),
            "Java": java_state(),
            "EGONET_DATA": os.environ.get("EGONET_DATA", "not set"),
        },
        "optional parts": {name: _state(name) for name in OPTIONAL},
    }


def gpu_state() -> str:
    """Return name, memory and driver of the first GPU, and whether device="cuda" can use it; or why there is none."""
    if shutil.which("nvidia-smi") is None:
        return f"no NVIDIA driver (there is no nvidia-smi); for GPUs: {INSTALL_DRIVER}"
    query = ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        return f"not usable: nvidia-smi does not run ({type(error).__name__})"
    lines = (said.stdout.strip() or said.stderr.strip()).splitlines() or ["nvidia-smi says nothing"]
    fields = [field.strip() for field in lines[0].split(",")]
    if said.returncode or len(fields) != 3:
        return f"not usable: {lines[0].strip()}"
    name, memory, driver = fields
    more = f" (first of {len(lines)})" if len(lines) > 1 else ""
    return f"{name}{more}, {memory}, driver {driver}; {_cupy_state()}"


def _cupy_state() -> str:
    """Return whether CuPy reaches the GPU, or why not."""
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        cupy.zeros(1)
    except ImportError:
        return f"not usable without CuPy: {INSTALL_CUPY}"
    except (RuntimeError, OSError, ValueError) as error:
        reason = str(error).splitlines() or [type(error).__name__]
        return f"not usable: {reason[0]}"
    return "usable"


def java_state() -> str:
    """Return the version of Java, and whether Spark can run on it; or how to install it."""
    version = java_version()
    if version is None:
        return f"not installed; for Spark, {LEAST_JAVA} or later: {INSTALL_JAVA}"
    if major_version(version) < LEAST_JAVA:
        return f"{version}, too old for Spark, which needs {LEAST_JAVA} or later: {INSTALL_JAVA}"
    return f"{version}, new enough for Spark ({LEAST_JAVA} or later)"


def _state(package: str) -> str:
    """Return a package's version, or how to install it and what it would bring."""
    extra, purpose = OPTIONAL[package]
    for name in CUPY if package == "cupy" else (package,):
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    install = f'"egonet[{extra}]"' if extra else package
    return f"not installed; for {purpose}: pip install {install}"

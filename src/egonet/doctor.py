"""What this installation has: versions, the kernel of this processor, and the optional parts."""

import os
import platform
from importlib import metadata

import egonet
from egonet.kernel import native
from egonet.kernel.threads import available_cores

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
    "requests": ("datasets", "fetching data sets"),
    "pyspark": ("spark", "clusters"),
}


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
            "EGONET_DATA": os.environ.get("EGONET_DATA", "not set"),
        },
        "optional parts": {name: _state(name) for name in OPTIONAL},
    }


def _state(package: str) -> str:
    """Return a package's version, or how to install it and what it would bring."""
    extra, purpose = OPTIONAL[package]
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        install = f'"egonet[{extra}]"' if extra else package
        return f"not installed; for {purpose}: pip install {install}"

"""Commands about the installation: `egonet doctor`, `demo` and `benchmark`."""

import os
import platform
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import egonet
from egonet.cli.options import (
    FEATURES,
    OUTPUT,
    SCALE,
    GraphPath,
    Quiet,
    Reading,
    command,
    option,
    parse_radius,
)
from egonet.cli.output import Printing, print_json, print_rows
from egonet.encoding.export import write_encoding
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.io.files import writing
from egonet.kernel import native
from egonet.kernel.native import available_cores
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
    "rdkit": (None, "molecules"),
    "duckdb": ("duckdb", "SQL"),
    "igraph": ("iso", "exact isomorphism"),
    "matplotlib": ("plot", "pictures"),
    "pyspark": ("spark", "clusters"),
    "cupy": ("cuda", "GPUs"),
}
#: CuPy is distributed under a name for each version of CUDA.
CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy")
INSTALL_CUPY = 'pip install "egonet[cuda]"'
INSTALL_DRIVER = "apt-get install nvidia-driver (Ubuntu: ubuntu-drivers install)"


@command("egonet doctor --json")
def doctor(printing: Printing) -> None:
    """Show versions, the processor's kernel, the GPU, Java, and which optional packages are installed."""
    report = examine()
    if printing.as_json:
        print_json(report)
        return
    for section, lines in report.items():
        typer.echo(f"{section}")
        for name, value in lines.items():
            typer.echo(f"  {name:<18}{value}")


def examine() -> dict[str, dict[str, str]]:
    """Return what is installed, as sections of named lines.

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
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        return f"not usable: nvidia-smi does not run ({type(error).__name__})"
    lines = (answer.stdout.strip() or answer.stderr.strip()).splitlines() or ["nvidia-smi prints nothing"]
    fields = [field.strip() for field in lines[0].split(",")]
    if answer.returncode or len(fields) != 3:
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
    """Return a package's version, or what it is for and how to install it."""
    extra, purpose = OPTIONAL[package]
    for name in CUPY if package == "cupy" else (package,):
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    install = f'"egonet[{extra}]"' if extra else package
    return f"not installed; for {purpose}: pip install {install}"


@command("egonet demo -o karate/")
def demo(
    output: Annotated[Path, option(OUTPUT, "The folder to write to.", "--output", "-o")] = Path(
        "egonet-demo"
    ),
    *,
    quiet: Quiet = False,
) -> None:
    """Encode Zachary's karate club, show some nodes, and write the features and a page."""
    club = egonet.named.karate_club()
    encoding = egonet.encode(club, radius=2)
    if output.exists() and not output.is_dir():
        raise InputError(f"--output must be a folder, and {output} is a file. Choose another name.")
    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
    path = output / "karate.parquet"
    write_encoding(encoding, path)
    page = egonet.explore(club, names=["Zachary's karate club"]).write(output / "karate.html")
    if quiet:
        return
    typer.echo(f"Zachary's karate club: {club.num_nodes} members, {club.num_edges} friendships.\n")
    print_rows(encoding, [club.index_of(node) for node in (0, 33, 2, 11, 14, 16)])
    num_classes = len(set(encoding.classes.tolist()))
    typer.echo(
        f"\nAt radius 2 the {len(encoding)} members fall into {num_classes} classes. One member in detail:\n"
    )
    typer.echo(str(egonet.explain(club, 16, radius=2)))
    size = f"{len(encoding)} rows, {len(encoding.vocabulary)} columns"
    typer.echo(f"\nFeatures of every member: {path} ({size}).\nA page for the browser: {page}")


@command("egonet benchmark edges.csv -r 2")
def benchmark(
    graph: GraphPath,
    *,
    reading: Reading,
    radius: Annotated[str, option(FEATURES, "Hops around each node.", "--radius", "-r")] = "2",
    repeats: Annotated[int, option(SCALE, "Runs of each algorithm.", min=1)] = 5,
    printing: Printing,
) -> None:
    """Time every algorithm of the kernel on GRAPH: interleaved runs, medians, ratios to the automatic choice."""
    (hops, *more) = egonet.Settings(radius=parse_radius(radius)).radius
    if more:
        raise InputError(f"benchmark takes one radius, got {radius!r}.")
    with printing.progress("reading", path=graph):
        read = reading.read(graph)
    with printing.progress("timing"):
        timings = benchmark_graph(read, radius=hops, repeats=repeats)
    if printing.as_json:
        print_json({timing.name: {"cpu": timing.cpu, "wall": timing.wall} for timing in timings})
        return
    chosen = next(timing for timing in timings if timing.name == "auto")
    typer.echo(f"{'algorithm':<20}{'CPU, ms':>12}{'wall, ms':>12}{'wall / auto':>14}")
    for timing in timings:
        ratio = timing.wall / chosen.wall
        typer.echo(f"{timing.name:<20}{1e3 * timing.cpu:>12.2f}{1e3 * timing.wall:>12.2f}{ratio:>14.2f}")


@dataclass(frozen=True)
class Timing:
    """The median seconds of one function, times `scale`: the factor from a sample of roots to a whole run."""

    name: str
    cpu: float
    wall: float
    scale: float = 1.0


def interleave(
    contenders: Mapping[str, Callable[[], object]],
    *,
    repeats: int = 5,
    scales: Mapping[str, float] | None = None,
) -> list[Timing]:
    """Return the times of functions that take turns, so that a busy machine slows all of them alike.

    The order differs in every round, because a function that runs after a long one finds cold caches.

    >>> [timing.name for timing in interleave({"nothing": lambda: None, "little": lambda: sum(range(9))})]
    ['nothing', 'little']
    """
    cpu: dict[str, list[float]] = {name: [] for name in contenders}
    wall: dict[str, list[float]] = {name: [] for name in contenders}
    rng, names = np.random.default_rng(0), list(contenders)
    for _ in range(repeats):
        for position in rng.permutation(len(names)):
            name, call = names[position], contenders[names[position]]
            began = time.process_time(), time.perf_counter()
            call()
            cpu[name].append(time.process_time() - began[0])
            wall[name].append(time.perf_counter() - began[1])
    scale = {name: (scales or {}).get(name, 1.0) for name in contenders}
    return [
        Timing(
            name,
            float(np.median(cpu[name])) * scale[name],
            float(np.median(wall[name])) * scale[name],
            scale[name],
        )
        for name in contenders
    ]


def benchmark_graph(
    graph: Graph, *, radius: int = 2, repeats: int = 5, threads: Sequence[int] = (1, 0)
) -> list[Timing]:
    """Return the times of every algorithm that supports the graph, and of the automatic choice on several `threads`.

    The graph is encoded whole, with total degrees; 0 threads is one per core.

    >>> import egonet
    >>> timings = benchmark_graph(egonet.as_graph([(0, 1), (1, 2)]), radius=1, repeats=1)
    >>> [timing.name for timing in timings]
    ['triangle', 'source', 'bitwise', 'auto', 'auto, all cores']
    """
    symmetric = graph.directed is None

    def call(algorithm: native.Algorithm, count: int) -> Callable[[], object]:
        return lambda: native.encode_rows(
            graph.indptr, graph.indices, None, radius, symmetric=symmetric, threads=count, algorithm=algorithm
        )

    contenders: dict[str, Callable[[], object]] = {}
    if radius == 1 and symmetric:
        contenders["triangle"] = call("triangle", 1)
    contenders["source"] = call("source", 1)
    contenders["bitwise"] = call("bitwise", 1)
    for count in threads:
        name = {0: "auto, all cores", 1: "auto"}.get(count, f"auto, {count} threads")
        contenders[name] = call("auto", count)
    return interleave(contenders, repeats=repeats)

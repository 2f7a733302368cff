"""Encoding on a Spark cluster: Spark hands out ranges of roots and moves edges, the native kernel counts."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from egonet.encoding.settings import Settings
from egonet.errors import EgonetError, MissingExtraError
from egonet.graph.graph import Graph
from egonet.io.read import existing
from egonet.kernel.cost import as_bytes
from egonet.store import spark_tasks as tasks
from egonet.store.cluster_plan import BYTES_PER_ROW, Plan, Strategy, bounds_of, make_plan
from egonet.store.color_triples import num_groups
from egonet.store.encode_store import (
    DEFAULT_MEMORY,
    Report,
    Task,
    check_settings,
    finish,
    hold_graph,
    prepare,
    remove_leftovers,
    unfinished_blocks,
)
from egonet.store.lock import claim, locked
from egonet.store.manifest import write_manifest
from egonet.store.shards import SUFFIX
from egonet.store.stored_encoding import StoredEncoding, open_store
from egonet.store.stored_graph import open_graph
from egonet.typing import Directed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_MASTER = "local[2,4]"
#: The oldest Java that Spark 4 runs on.
LEAST_JAVA = 17
INSTALL_JAVA = "apt-get install openjdk-17-jre-headless"


class ClusterError(EgonetError, RuntimeError):
    """The cluster cannot be used as it is; the message says why."""


def encode_with_spark(
    graph: str | Path | Graph,
    folder: str | Path,
    radius: int | Sequence[int] = 2,
    *,
    master: str | None = None,
    spark: "SparkSession | None" = None,
    memory_per_task: int | str = DEFAULT_MEMORY,
    partitions: int | None = None,
    strategy: Strategy | None = None,
    colors: int | None = None,
    dry_run: bool = False,
    memory: int | str = DEFAULT_MEMORY,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    directed: Directed = None,
    progress: Report | None = None,
    **words: Any,
) -> "StoredEncoding | Plan":
    """Return the encoding of a graph, counted by a Spark cluster into a folder of Parquet shards.

    The result is the same as `encode`'s, whatever the strategy, the partitions and ρ. The folder must be at the
    same path on every machine. Finished shards are kept: the same call goes on after any failure.

    Parameters
    ----------
    graph
        The path of an edge list, or a graph; the driver sorts it into the folder first.
    folder
        Where to, on storage that all machines share.
    radius
        One radius or several; 2 if not given.
    master
        Spark's master, such as "local[2,4]" (two cores, four attempts) or "spark://host:7077".
    spark
        A session to use instead.
    memory_per_task
        What one task may use; decides the strategy, see `make_plan`.
    partitions
        Ranges of roots; four per core of the cluster if not given.
    strategy, colors
        To overrule the plan.
    dry_run
        Return the `Plan` and start nothing on the cluster.
    memory, source, target, header, directed
        As in `encode_to_store`, for the driver.
    progress
        Called as progress(done, total) with numbers of roots at the end.
    words
        degrees, frontier_edges, max_degree, degree_bins, layout: as in `encode`.
    """
    task = Task(Settings(radius=radius, **words), source, target, directed, as_bytes(memory), header=header)
    check_settings(task.settings)
    path = Path(folder).absolute()
    if not isinstance(graph, Graph):
        existing(graph)
    session = spark if spark is not None or dry_run else start_session(master)
    cores = session.sparkContext.defaultParallelism if session is not None else 2
    with locked(path):
        held = hold_graph(path, graph, task)
        wanted = partitions or max(1, min(4 * cores, held.num_nodes))
        options = {"strategy": strategy, "colors": colors, "partitions": wanted}
        plan = make_plan(held, task.settings, memory_per_task=as_bytes(memory_per_task), **options)  # type: ignore[arg-type]
        if dry_run:
            return plan
        assert session is not None
        bounds = bounds_of(held.num_nodes, wanted)
        block_rows = max(bounds[1], 1) if len(bounds) > 1 else 1
        manifest = prepare(path, graph, task, block_rows=block_rows, ending=SUFFIX, held=held)
        check_versions(session)
        counted = run_plan(session, path, manifest, task.settings, plan)
        write_counted(path, plan, counted)
        remove_leftovers(path, finish(path, manifest))
        if progress is not None:
            progress(manifest["num_rows"], manifest["num_rows"])
    return open_store(path)


def start_session(master: str | None = None) -> "SparkSession":
    """Return a Spark session for a master; local ones stay on this machine."""
    try:
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtraError(
            'The Spark engine needs an extra package: pip install "egonet[spark]".'
        ) from error
    version = java_version()
    if version is None or major_version(version) < LEAST_JAVA:
        found = "none was found" if version is None else f"this is {version}"
        raise MissingExtraError(f"The Spark engine needs Java {LEAST_JAVA}, {found}: {INSTALL_JAVA}.")
    chosen = master or DEFAULT_MASTER
    builder = SparkSession.builder.master(chosen).appName("egonet").config("spark.ui.enabled", "false")
    if chosen.startswith("local") or "127.0.0.1" in chosen:
        builder = builder.config("spark.driver.host", "127.0.0.1").config(
            "spark.driver.bindAddress", "127.0.0.1"
        )
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else Spark takes the first python3 it finds
    builder = builder.config("spark.sql.shuffle.partitions", "8").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    return builder.getOrCreate()


def java_version() -> str | None:
    """Return the version of the Java that Spark would run, or None if there is none that runs."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    try:
        said = subprocess.run(  # noqa: S603
            [java or "", "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "([^"]+)"', said.stderr)
    return found.group(1) if found else None


def major_version(version: str) -> int:
    """Return the number by which a version of Java is known.

    Examples
    --------
    >>> major_version("17.0.12"), major_version("1.8.0_392"), major_version("22-ea")
    (17, 8, 22)
    """
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def check_versions(spark: "SparkSession") -> None:
    """Refuse a cluster whose workers have another Python, pyarrow, numpy, egonet or kernel than the driver."""

    def report(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for _ in tasks.numbers_in(batches):
            yield pa.record_batch([pa.array([json.dumps(tasks.versions())])], names=["versions"])

    spread = 2 * spark.sparkContext.defaultParallelism
    from pyspark.errors import PythonException

    try:
        rows = _numbered(spark, spread).mapInArrow(report, "versions string").distinct().collect()
    except PythonException as error:
        raise missing_package(str(error)) or error from error
    compare_versions(tasks.versions(), [json.loads(row.versions) for row in rows])


def missing_package(trace: str) -> ClusterError | None:
    """Return what to say of a worker's traceback that ends with a package it does not have, or None.

    Examples
    --------
    >>> print(missing_package("Traceback ...\\nModuleNotFoundError: No module named 'pyarrow'"))
    a worker's Python has no 'pyarrow'. Install the same on every machine, or point PYSPARK_PYTHON at one that has it.
    """
    found = re.search(r"No module named '([\w.]+)'", trace)
    if found is None:
        return None
    return ClusterError(
        f"a worker's Python has no {found.group(1)!r}. Install the same on every machine, "
        "or point PYSPARK_PYTHON at one that has it."
    )


def compare_versions(ours: dict[str, str], theirs: list[dict[str, str]]) -> None:
    """Raise for the first thing that a worker has in another version.

    Examples
    --------
    >>> compare_versions({"numpy": "2.1"}, [{"numpy": "2.1"}, {"numpy": "2.0"}])
    Traceback (most recent call last):
        ...
    egonet.store.spark.ClusterError: a worker has numpy 2.0, the driver 2.1. Install the same on every machine.
    """
    for worker in theirs:
        for name, version in ours.items():
            if worker.get(name) != version:
                raise ClusterError(
                    f"a worker has {name} {worker.get(name)}, the driver {version}. Install the same on every machine."
                )


def run_plan(
    spark: "SparkSession", folder: Path, manifest: dict[str, Any], settings: Settings, plan: Plan
) -> dict[str, int]:
    """Do what the plan says, for the blocks that are missing, and return what was counted on the way."""
    job = tasks.Job(
        str(folder),
        manifest["graph"],
        open_graph(folder / manifest["graph"]).digest,
        tuple(manifest["blocks"]),
        manifest["block_rows"],
        settings,
        plan.strategy,
        plan.colors,
    )
    missing = [manifest["blocks"].index(name) for name, _, _ in unfinished_blocks(folder, manifest)]
    counted = {"tasks": len(missing), "rows_moved": 0, "bytes_moved": 0, "num_entries": 0}
    if not missing:
        return counted
    if plan.strategy == "triples":
        claim(job.barrier(".edges"), job.barrier(".supports"))
        edges = _through_barrier(spark, job.barrier(".edges"), "group", len(job.blocks), _edge_batches(job))
        supports = _through_barrier(
            spark, job.barrier(".supports"), "part", num_groups(job.colors), _support_batches(job)
        )
        counted["tasks"] += num_groups(job.colors)
        counted["rows_moved"] = edges + supports
        counted["bytes_moved"] = edges * BYTES_PER_ROW["edges"] + supports * BYTES_PER_ROW["supports"]
    rows = (
        _numbered(spark, len(missing))
        .mapInArrow(_range_batches(job, missing), "entries long, read long")
        .collect()
    )
    counted["num_entries"] = sum(row.entries for row in rows)
    counted["bytes_moved"] += sum(row.read for row in rows)
    return counted


def write_counted(folder: Path, plan: Plan, counted: dict[str, int]) -> None:
    """Keep the prediction beside what the run counted, for whoever wants to compare them."""
    place = folder / ".run"
    place.mkdir(exist_ok=True)
    write_manifest(place, {"plan": vars(plan), "counted": counted})


def _numbered(spark: "SparkSession", count: int) -> "DataFrame":
    """Return a column "id" of task numbers, each in a partition of its own."""
    return spark.range(0, count, 1, numPartitions=max(count, 1))


def _range_batches(job: tasks.Job, missing: list[int]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for number in tasks.numbers_in(batches):
            entries, read = tasks.count_range(job, missing[number])
            yield pa.record_batch([pa.array([entries]), pa.array([read])], names=["entries", "read"])

    return run


def _edge_batches(job: tasks.Job) -> tuple[Callable[[Iterator[Any]], Iterator[Any]], str]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for number in tasks.numbers_in(batches):
            yield tasks.edge_copies(job, number)

    return run, "group int, u int, v int"


def _support_batches(job: tasks.Job) -> tuple[Callable[[Iterator[Any]], Iterator[Any]], str]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for number in tasks.numbers_in(batches):
            yield tasks.group_supports(job, number)

    return run, "part int, root int, other int, support int"


def _through_barrier(
    spark: "SparkSession",
    folder: Path,
    key: str,
    count: int,
    work: tuple[Callable[[Iterator[Any]], Iterator[Any]], str],
) -> int:
    """Run tasks, bring their rows together by `key` in Parquet files, and return how many there are.

    The files are the barrier: what comes after reads them, and a lost worker never takes finished rows with it.
    """
    function, schema = work
    if not (folder / "_SUCCESS").exists():
        rows = _numbered(spark, count).mapInArrow(function, schema)
        rows.repartition(key).write.mode("overwrite").partitionBy(key).parquet(str(folder))
    return spark.read.parquet(str(folder)).count() if any(folder.glob(f"{key}=*")) else 0

"""Encoding on a Spark cluster: Spark distributes ranges of roots and moves edges, the native kernel counts."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from egonet.checks import as_flag
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings
from egonet.encoding.signature import list_options
from egonet.errors import EgonetError, MissingExtraError, require_extra
from egonet.io.paths import as_path
from egonet.kernel.cost import as_bytes
from egonet.progress import as_progress
from egonet.store import spark_tasks as tasks
from egonet.store.blocks import SUFFIX
from egonet.store.encode import (
    DEFAULT_MEMORY,
    Report,
    StoreJob,
    StoreOptions,
    finish,
    make_job,
    prepare,
    remove_leftovers,
    store_job_graph,
    unfinished_blocks,
)
from egonet.store.encoding import open_store
from egonet.store.graph import open_graph
from egonet.store.manifest import claim, lock_folder, write_manifest
from egonet.store.spark_plan import BYTES_PER_ROW, SparkLimits, SparkPlan, Strategy, bounds_of, make_plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_MASTER = "local[2,4]"
#: The oldest Java that Spark 4 runs on.
LEAST_JAVA = 17
INSTALL_JAVA = "apt-get install openjdk-17-jre-headless"


class ClusterError(EgonetError, RuntimeError):
    """The cluster cannot be used; the message says why."""


@list_options
def spark(
    graph: Any,
    folder: str | PathLike[str],
    settings: Settings | Radius | None = None,
    *,
    master: str | None = None,
    session: "SparkSession | None" = None,
    memory_per_task: int | str = DEFAULT_MEMORY,
    partitions: int | None = None,
    strategy: Strategy | None = None,
    colors: int | None = None,
    dry_run: bool = False,
    memory: int | str = DEFAULT_MEMORY,
    progress: Report | bool | None = None,
    **options: Unpack[StoreOptions],
) -> Encoding | SparkPlan:
    """Return the encoding of a graph, counted by a Spark cluster into a folder of Parquet files.

    The result equals that of `egonet.encode` for every strategy and any number of partitions. The folder must be at
    the same path on all machines. Finished files are kept: the same call continues after any failure.

    Parameters
    ----------
    graph
        The path of an edge list of any size, or anything `as_graph` accepts; the driver stores it in the folder.
    folder
        A folder on storage that all machines share.
    settings
        A `Settings` record, or one radius or several; 2 if not given.
    master
        Spark's master, such as "local[2,4]" (two cores, four attempts) or "spark://host:7077".
    session
        A running session, instead of a master.
    memory_per_task
        The memory of one task; it decides the strategy, see `make_plan`.
    partitions
        The number of ranges of roots; four per core of the cluster if not given.
    strategy, colors
        Replace the choice of the plan.
    dry_run
        True returns the `SparkPlan` and runs nothing on the cluster.
    memory
        As in `egonet.store.encode`, for the driver.
    progress
        True shows a progress bar; a function is called as progress(done, total) at the end.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.store.encode`.
    rooted, common, cap, depth, follow, weight_bins, count
        As for `egonet.store.encode`.
    edge_labels, weights
        A cluster does not support types of edges: these raise.
    source, target, header, directed, missing, ids, simplify
        How the edge list is read, as for `egonet.store.encode`.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = tempfile.mkdtemp() + "/out"
    >>> print(egonet.store.spark(egonet.named.cycle(100), folder, radius=1, dry_run=True))
    ranges of roots: 8 tasks, 4.0 kB per task, 200 entries
    """
    job = make_job(graph, settings, options, memory=as_bytes(memory), engine="spark")
    limits = SparkLimits(as_bytes(memory_per_task), partitions, strategy, colors)
    path = as_path("folder", folder).absolute()
    if as_flag("dry_run", dry_run):
        with lock_folder(path):
            stored = store_job_graph(path, job)
            return make_plan(stored, job.settings, limits.with_partitions(stored.num_nodes, cores=2))
    with as_progress(progress) as report:
        return run_job(job, path, limits, session or start_session(master), report)


def run_job(
    job: StoreJob, folder: Path, limits: SparkLimits, session: "SparkSession", report: Report | None
) -> Encoding:
    """Run the plan of a job on a cluster and return the encoding."""
    cores = session.sparkContext.defaultParallelism
    with lock_folder(folder):
        stored = store_job_graph(folder, job)
        limits = limits.with_partitions(stored.num_nodes, cores=cores)
        plan = make_plan(stored, job.settings, limits)
        bounds = bounds_of(stored.num_nodes, limits.partitions or 1)
        block_rows = max(bounds[1], 1) if len(bounds) > 1 else 1
        manifest = prepare(folder, job, block_rows=block_rows, suffix=SUFFIX, stored=stored)
        check_versions(session)
        counted = run_plan(session, folder, manifest, job.settings, plan)
        (folder / ".run").mkdir(exist_ok=True)
        write_manifest(folder / ".run", {"plan": vars(plan), "counted": counted})
        remove_leftovers(folder, finish(folder, manifest))
        if report is not None:
            report(manifest["num_rows"], manifest["num_rows"])
    return open_store(folder)


def start_session(master: str | None = None) -> "SparkSession":
    """Return a Spark session for a master; a local one binds to 127.0.0.1 only."""
    require_extra("pyarrow", "The Spark engine", extra="spark")
    spark_sql = require_extra("pyspark.sql", "The Spark engine", extra="spark")
    version = java_version()
    if version is None or major_version(version) < LEAST_JAVA:
        version_text = "none was found" if version is None else f"this is {version}"
        raise MissingExtraError(f"The Spark engine needs Java {LEAST_JAVA}, {version_text}: {INSTALL_JAVA}.")
    chosen = master or DEFAULT_MASTER
    builder = (
        spark_sql.SparkSession.builder.master(chosen).appName("egonet").config("spark.ui.enabled", "false")
    )
    if chosen.startswith("local") or "127.0.0.1" in chosen:
        builder = builder.config("spark.driver.host", "127.0.0.1").config(
            "spark.driver.bindAddress", "127.0.0.1"
        )
        # Otherwise Spark uses the first python3 on PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = builder.config("spark.sql.shuffle.partitions", "8").config("spark.log.level", "ERROR")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session: SparkSession = builder.getOrCreate()
    return session


def java_version() -> str | None:
    """Return the version of the Java that Spark would run, or None without a working Java."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    try:
        result = subprocess.run(  # noqa: S603
            [java or "", "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "([^"]+)"', result.stderr)
    return match.group(1) if match else None


def major_version(version: str) -> int:
    """Return the major version of a Java version.

    >>> major_version("17.0.12"), major_version("1.8.0_392"), major_version("22-ea")
    (17, 8, 22)
    """
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def check_versions(spark: "SparkSession") -> None:
    """Raise if a worker has another Python, pyarrow, numpy, egonet or native module than the driver."""

    from pyspark.errors import PythonException

    def report(_number: int) -> Any:
        import pyarrow as pa

        return pa.record_batch([pa.array([json.dumps(tasks.versions())])], names=["versions"])

    spread = 2 * spark.sparkContext.defaultParallelism
    try:
        rows = _run_tasks(spark, spread, report, "versions string").distinct().collect()
    except PythonException as error:
        raise missing_package(str(error)) or error from error
    compare_versions(tasks.versions(), [json.loads(row.versions) for row in rows])


def missing_package(trace: str) -> ClusterError | None:
    """Return the error for a worker's traceback about a missing package, or None.

    >>> print(missing_package("Traceback ...\\nModuleNotFoundError: No module named 'pyarrow'"))
    a worker's Python has no 'pyarrow'. Install the same on every machine, or point PYSPARK_PYTHON at one that has it.
    """
    match = re.search(r"No module named '([\w.]+)'", trace)
    if match is None:
        return None
    return ClusterError(
        f"a worker's Python has no {match.group(1)!r}. Install the same on every machine, "
        "or point PYSPARK_PYTHON at one that has it."
    )


def compare_versions(ours: dict[str, str], theirs: list[dict[str, str]]) -> None:
    """Raise for the first version of a worker that differs.

    >>> compare_versions({"numpy": "2.1"}, [{"numpy": "2.1"}, {"numpy": "2.0"}])
    Traceback (most recent call last):
        ...
    egonet.store.spark_driver.ClusterError: a worker has numpy 2.0, the driver 2.1. Install the same on every machine.
    """
    for worker in theirs:
        for name, version in ours.items():
            if worker.get(name) != version:
                raise ClusterError(
                    f"a worker has {name} {worker.get(name)}, the driver {version}. Install the same on every machine."
                )


def run_plan(
    spark: "SparkSession", folder: Path, manifest: dict[str, Any], settings: Settings, plan: SparkPlan
) -> dict[str, int]:
    """Run the plan for the missing blocks and return counters of tasks, rows and bytes."""
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
        num_groups = tasks.num_groups(job.colors)
        copies = partial(tasks.edge_copies, job), "group int, u int, v int"
        edges = _exchange(spark, job.barrier(".edges"), "group", len(job.blocks), copies)
        group_job = partial(tasks.group_supports, job), "part int, root int, other int, support int"
        supports = _exchange(spark, job.barrier(".supports"), "part", num_groups, group_job)
        counted["tasks"] += num_groups
        counted["rows_moved"] = edges + supports
        counted["bytes_moved"] = edges * BYTES_PER_ROW["edges"] + supports * BYTES_PER_ROW["supports"]

    def count(number: int) -> Any:
        import pyarrow as pa

        entries, read = tasks.count_range(job, missing[number])
        return pa.record_batch([pa.array([entries]), pa.array([read])], names=["entries", "read"])

    rows = _run_tasks(spark, len(missing), count, "entries long, read long").collect()
    counted["num_entries"] = sum(row.entries for row in rows)
    counted["bytes_moved"] += sum(row.read for row in rows)
    return counted


def _run_tasks(spark: "SparkSession", count: int, work: Callable[[int], Any], schema: str) -> "DataFrame":
    """Return the rows of `count` tasks, one per partition: `work` returns the Arrow batch of a task number."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for number in tasks.numbers_in(batches):
            yield work(number)

    return spark.range(0, count, 1, numPartitions=max(count, 1)).mapInArrow(run, schema)


def _exchange(
    spark: "SparkSession",
    folder: Path,
    key: str,
    count: int,
    work: tuple[Callable[[int], Any], str],
) -> int:
    """Run tasks, write their rows to Parquet files partitioned by `key`, and return the number of rows.

    The next stage reads the files, so that a lost worker loses no finished rows.
    """
    if not (folder / "_SUCCESS").exists():
        rows = _run_tasks(spark, count, *work)
        rows.repartition(key).write.mode("overwrite").partitionBy(key).parquet(str(folder))
    return spark.read.parquet(str(folder)).count() if any(folder.glob(f"{key}=*")) else 0

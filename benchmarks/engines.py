"""One graph on every engine with two local workers: python -m benchmarks.engines [--scale 14] [--out FILE].

The rows of all nodes of an R-MAT graph at radius 2 (log bins, 8 edges per node), as `RowBatches` gives them from
compressed rows on disk: in this process on one thread, in Ray Data, Daft, Spark, and Sail behind Spark's client. Every
engine is a process by itself and is told to use two workers. The times are those until a first batch of 64 nodes is
there (imports, start of the engine and of its workers) and of all nodes after that; CPU seconds are of the process
and all its descendants. A digest of the rows in the order of the nodes must be the same for all.

Sail 0.7 supports clients up to PySpark 4.1: SAIL_CLIENT may name a folder with such a `pyspark-client`.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import about, rmat, version_of
from egonet.distributed import RowBatches

SAMPLE = 64
BATCH = 512
PACKAGES = {"ray": "ray", "daft": "daft", "spark": "pyspark", "sail": "pysail"}
#: Nodes in, an Arrow table of their rows out; the engine keeps running between calls.
Call = Callable[[np.ndarray], Any]


def alone(rows: RowBatches) -> Call:
    """Return a call in this process."""
    import pyarrow

    def call(nodes: np.ndarray) -> Any:
        parts = np.array_split(nodes, max(len(nodes) // BATCH, 1))
        return pyarrow.concat_tables([rows(part.tolist()) for part in parts])

    return call


def ray(rows: RowBatches) -> Call:
    """Return a call in Ray Data."""
    import pyarrow
    import ray as engine

    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    engine.data.DataContext.get_current().enable_progress_bars = False

    def call(nodes: np.ndarray) -> Any:
        data = engine.data.from_arrow(pyarrow.table({"node": nodes})).repartition(4)
        found = data.map_batches(rows, batch_size=BATCH, batch_format="pyarrow")
        return pyarrow.concat_tables(engine.get(found.to_arrow_refs()))

    return call


def daft(rows: RowBatches) -> Call:
    """Return a call in Daft."""
    import daft as engine
    import pyarrow

    kind = engine.DataType.from_arrow_type(pyarrow.struct(list(rows.schema)))
    encode = engine.func.batch(return_dtype=kind, batch_size=BATCH)(lambda nodes: rows(nodes))

    def call(nodes: np.ndarray) -> Any:
        frame = engine.from_arrow(pyarrow.table({"node": nodes})).into_partitions(4)
        found = frame.select(encode(engine.col("node")).alias("row")).to_arrow()
        return pyarrow.Table.from_struct_array(found.column("row").combine_chunks())

    return call


def in_spark(session: Any, rows: RowBatches) -> Call:
    """Return a call in a session of Spark's client."""
    import pyarrow
    from pyspark.sql.pandas.types import from_arrow_schema

    def call(nodes: np.ndarray) -> Any:
        frame = session.createDataFrame([(int(node),) for node in nodes], "node long").repartition(4)
        return pyarrow.Table.from_pandas(
            frame.mapInArrow(rows, from_arrow_schema(rows.schema)).toPandas(), preserve_index=False
        )

    return call


def spark(rows: RowBatches) -> Call:
    """Return a call in local Spark."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    }
    return in_spark(SparkSession.builder.master("local[2]").config(map=settings).getOrCreate(), rows)


def sail(rows: RowBatches) -> Call:
    """Return a call in Sail, which is a server for Spark's client."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start(background=True)
    port = server.listening_address[1]
    call = in_spark(SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate(), rows)
    call.server = server  # type: ignore[attr-defined]  # it stops when it is collected
    return call


ENGINES: dict[str, Callable[[RowBatches], Call]] = {
    "one process": alone,
    "ray": ray,
    "daft": daft,
    "spark": spark,
    "sail": sail,
}


def descendants(first: int) -> Iterator[int]:
    """Yield a process and those that it started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = {first}
    while more := {number for number, parent in parents.items() if parent in found} - found:
        found |= more
    yield from found


def cpu_seconds() -> float:
    """Return the CPU time of this process and its descendants, those that ended and were waited for included."""
    total = 0
    for number in descendants(os.getpid()):
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def measure(name: str, folder: Path) -> None:
    """Print the times of one engine as a line of JSON."""
    began = time.perf_counter()
    rows = RowBatches(folder, folder / "columns.npz")
    nodes = rows.graph.node_ids
    call = ENGINES[name](rows)
    call(nodes[:SAMPLE])
    started, used = time.perf_counter(), cpu_seconds()
    table = call(nodes)
    ended, after = time.perf_counter(), cpu_seconds()
    table = table.sort_by("node")
    digest = hashlib.blake2b(digest_size=8)
    for column in table.columns:
        digest.update(column.to_numpy().astype(np.int64).tobytes())
    line = {"start": started - began, "start_cpu": used, "rows": ended - started, "rows_cpu": after - used}
    line = {field: round(value, 2) for field, value in line.items()}
    print(json.dumps(line | {"num_rows": len(table), "digest": digest.hexdigest()}), flush=True)


def run(name: str, folder: Path, limit: float) -> dict[str, Any]:
    """Return the line of an engine in a process by itself, which is ended with all it started."""
    command = [sys.executable, "-m", "benchmarks.engines", "--engine", name, "--folder", str(folder)]
    # Daemons inherit the output: a pipe would stay open as long as one of them lives.
    environment = dict(os.environ)
    if name == "sail":
        paths = [os.environ.get("SAIL_CLIENT"), os.environ.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment, start_new_session=True)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            return {"error": f"not done within {limit:.0f} seconds"}
        finally:
            left = list(descendants(process.pid))
            for number in [process.pid, *left]:
                try:
                    os.killpg(number, signal.SIGKILL) if number == process.pid else os.kill(
                        number, signal.SIGKILL
                    )
                except ProcessLookupError:
                    continue
            process.wait()
    lines = (folder / "out").read_text().splitlines()
    return (
        json.loads(lines[-1]) if process.returncode == 0 else {"error": (folder / "err").read_text()[-500:]}
    )


def main() -> None:
    """Measure every engine that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=14)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--engine", choices=ENGINES, help="internal: one engine")
    parser.add_argument("--folder", type=Path, help="internal: the graph")
    given = parser.parse_args()
    if given.engine:
        measure(given.engine, given.folder)
        return
    made = rmat(given.scale, 8)
    graph = egonet.Graph(made.indptr, made.indices)
    results: dict[str, Any] = {"graph": made.name, "nodes": graph.num_nodes, "edges": graph.num_edges}
    results |= {"radius": 2, "workers": 2, "about": about(), "engines": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = egonet.store.write_csr(graph, name)
        egonet.encode(graph, 2, degree_bins="log").save(folder / "columns.npz")
        for engine in ENGINES:
            if engine in PACKAGES and version_of(PACKAGES[engine]) is None:
                continue
            version = version_of(PACKAGES.get(engine, "egonet"))
            results["engines"][engine] = run(engine, folder, given.limit) | {"version": version}
            print(engine, results["engines"][engine], flush=True)
    found = {line["digest"] for line in results["engines"].values() if "digest" in line}
    results["same_rows"] = len(found) == 1
    if given.out:
        given.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

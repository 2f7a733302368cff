"""Spark on real local clusters: the same bytes as one machine, after any loss of a process."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import egonet
from contracts.parts import need_java
from contracts.stores import assert_same, skewed_graph
from egonet import encode, store
from egonet.errors import FileError, MissingExtraError
from egonet.store.graph import store_graph

pytestmark = pytest.mark.long

SOURCE = str(Path(egonet.__file__).parent.parent)
#: Short runs start faster without the second compiler and parallel garbage collection.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def spark():
    need_java()
    from egonet.store.spark_driver import start_session

    os.environ["PYTHONPATH"] = os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("JDK_JAVA_OPTIONS", QUICK_JAVA)
        session = start_session("local[2,4]")
        yield session
        session.stop()


RUNS = [
    (1, {"strategy": "ranges", "partitions": 3}, {}),
    (1, {"strategy": "triples", "colors": 1, "partitions": 2}, {}),
    ((1, 0), {"strategy": "triples", "colors": 3, "partitions": 3}, {"degrees": "full", "max_degree": 9}),
    (2, {"strategy": "halo", "partitions": 3}, {"degrees": "layered"}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("radius", "options", "settings"), RUNS, ids=lambda value: str(value))
def test_every_strategy_gives_the_bytes_of_encode(spark, tmp_path, radius, options, settings):

    graph = skewed_graph()

    store.spark(graph, tmp_path / "out", radius, session=spark, **options, **settings)

    assert_same(egonet.load(tmp_path / "out"), encode(graph, radius, **settings))
    run = json.loads((tmp_path / "out" / ".run" / "manifest.json").read_text())
    for name, counted in run["counted"].items():
        assert run["plan"][name] == pytest.approx(counted, rel=0.2), name


@pytest.mark.filterwarnings("ignore")
def test_a_repeated_run_counts_only_damaged_shards(spark, tmp_path):
    (tmp_path / "edges.txt").write_text("a b\nb c\nc a\nc d\n")
    first = store.spark(tmp_path / "edges.txt", tmp_path / "out", 1)
    shard = tmp_path / "out" / first.manifest["blocks"][1]
    shard.write_bytes(b"damaged")

    again = store.spark(tmp_path / "edges.txt", tmp_path / "out", 1)

    assert again["c"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}
    counted = json.loads((tmp_path / "out" / ".run" / "manifest.json").read_text())["counted"]
    assert counted["tasks"] == 1
    with pytest.raises(FileError, match=r"has an encoding with radius \[1\], not \[2\]"):
        store.spark(tmp_path / "edges.txt", tmp_path / "out", 2)


@pytest.mark.filterwarnings("ignore")
def test_workers_notice_another_graph_at_the_same_path(spark, tmp_path):

    for graph in (egonet.named.cycle(6), egonet.named.path(9)):
        store.spark(graph, tmp_path / "out", 1, session=spark, partitions=2)

        assert_same(egonet.load(tmp_path / "out"), encode(graph, 1))
        shutil.rmtree(tmp_path / "out")


def children_of(process):
    """Return the ids of a process's children."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return found


def descendants(process):
    found = children_of(process)
    return found + [below for child in found for below in descendants(child)]


def command_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@pytest.mark.filterwarnings("ignore")
def test_a_killed_python_worker_is_replaced(spark, tmp_path):

    graph, out = skewed_graph(20_000), tmp_path / "out"
    killed = []

    def kill_one():
        while len(list(out.glob("block-*.parquet"))) < 3:
            time.sleep(0.005)
        java = spark.sparkContext._gateway.proc.pid
        workers = [p for p in descendants(java) if "pyspark" in command_of(p) and not children_of(p)]
        os.kill(workers[-1], signal.SIGKILL)
        killed.append(workers[-1])

    thread = threading.Thread(target=kill_one)
    thread.start()
    store.spark(graph, out, 2, session=spark, partitions=30)
    thread.join()

    assert len(killed) == 1
    assert_same(egonet.load(out), encode(graph, 2))


DRIVER = """
import sys
from egonet import store
from egonet.store.spark_driver import start_session
master, edges, out = sys.argv[1:]
session = start_session(master)
store.spark(edges, out, 2, session=session, partitions=24)
session.stop()
"""


class Cluster:
    """A standalone master and two workers on this machine."""

    def __init__(self, folder):
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self.folder, self.port = folder, 17_000 + os.getpid() % 10_000
        self.environment = os.environ | {
            "PYTHONPATH": SOURCE,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(folder / "work"),
            "JDK_JAVA_OPTIONS": QUICK_JAVA,
        }
        self.master = f"spark://127.0.0.1:{self.port}"
        deploy = "org.apache.spark.deploy"
        web = ["--webui-port", str(self.port + 1)]
        self.processes = [
            self.java(f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(self.port), *web)
        ]
        for number in (2, 3):
            arguments = [
                "--cores",
                "1",
                "--memory",
                "1g",
                "--host",
                "127.0.0.1",
                "--webui-port",
                str(self.port + number),
            ]
            self.processes.append(self.java(f"{deploy}.worker.Worker", *arguments, self.master))

        self.wait_for_master()

    def wait_for_master(self):
        """Wait until the master accepts connections; a driver gives up after a minute."""
        for _ in range(1_200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.1)
        pytest.fail(f"the master did not start: {(self.folder / 'log-0').read_text()[-2000:]}")

    def java(self, *arguments):
        command = [str(self.home / "bin" / "spark-class"), *arguments]
        environment = self.environment | {"SPARK_HOME": str(self.home), "SPARK_DAEMON_MEMORY": "512m"}
        with (self.folder / f"log-{len(list(self.folder.glob('log-*')))}").open("w") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=self.folder)

    def drive(self, *arguments):
        command = [sys.executable, "-c", DRIVER, self.master, *map(str, arguments)]
        with (self.folder / "driver.log").open("a") as log:
            return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def executors(self):
        below = [p for process in self.processes[1:] for p in descendants(process.pid)]
        return [p for p in below if "CoarseGrainedExecutorBackend" in command_of(p)]

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    need_java()
    started = Cluster(tmp_path)
    yield started
    started.stop()


def wait_for(condition, process, seconds=300):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.01)
    return condition()


def test_a_cluster_survives_the_loss_of_an_executor_and_of_the_driver(cluster, tmp_path):
    rng = np.random.default_rng(1)
    np.savetxt(tmp_path / "edges.txt", rng.integers(0, 3_000, (30_000, 2)), fmt="%d")
    out = tmp_path / "out"

    def shards():
        return len(list(out.glob("block-*.parquet")))

    first = cluster.drive(tmp_path / "edges.txt", out)
    assert wait_for(lambda: shards() >= 2 and cluster.executors(), first), (
        tmp_path / "driver.log"
    ).read_text()[-3000:]
    first.kill()
    assert first.wait() == -signal.SIGKILL
    with pytest.raises(FileError, match="is not finished"):
        egonet.load(out)
    kept = shards()
    second = cluster.drive(tmp_path / "edges.txt", out)
    assert wait_for(lambda: shards() >= kept + 2 and cluster.executors(), second)
    os.kill(cluster.executors()[-1], signal.SIGKILL)

    assert second.wait(timeout=300) == 0, (tmp_path / "driver.log").read_text()[-3000:]
    assert_same(egonet.load(out), encode(egonet.read_graph(tmp_path / "edges.txt"), 2))


@pytest.mark.filterwarnings("ignore")
def test_another_version_of_the_driver_raises(spark, monkeypatch):
    from egonet.store.spark_driver import ClusterError, check_versions

    here = egonet.__version__
    monkeypatch.setattr("egonet.store.spark_tasks.__version__", "9.9.9")

    with pytest.raises(ClusterError, match=rf"a worker has egonet {here}, the driver 9\.9\.9\."):
        check_versions(spark)


def test_another_version_of_a_worker_raises(need, tmp_path):
    need("pyspark", "'egonet[spark]'")
    from egonet.store.spark_driver import ClusterError, compare_versions
    from egonet.store.spark_tasks import versions

    ours = versions()

    compare_versions(ours, [ours, dict(ours)])
    with pytest.raises(
        ClusterError, match=r"a worker has kernel 0123, the driver [0-9a-f]{12}\. Install the same"
    ):
        compare_versions(ours, [ours, ours | {"kernel": "0123"}])


def fake_java(folder, version):
    """Put a Java that only tells its version into a folder; return the folder as JAVA_HOME."""
    path = folder / "bin" / "java"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    path.chmod(0o755)
    return str(folder)


def test_the_java_of_java_home_must_be_new_enough(need, tmp_path, monkeypatch):
    need("pyspark", "'egonet[spark]'")
    from egonet.store.spark_driver import java_version, start_session

    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path, "11.0.2"))

    assert java_version() == "11.0.2"
    with pytest.raises(MissingExtraError, match=r"needs Java 17, this is 11\.0\.2: "):
        start_session()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(MissingExtraError, match="needs Java 17, none was found: "):
        start_session()


def test_arguments_of_spark_can_be_named(tmp_path):
    plan = store.spark(graph=egonet.named.cycle(6), folder=tmp_path / "out", settings=1, dry_run=True)

    assert plan.num_entries == 12
    with pytest.raises(TypeError, match="positional argument"):
        store.spark(egonet.named.cycle(6), tmp_path / "out", 1, "local[2]")


def test_a_dry_run_without_a_radius_plans_radius_two(tmp_path):

    plan = store.spark(egonet.named.path(5), tmp_path / "out", dry_run=True)

    assert plan.num_entries == encode(egonet.named.path(5), 2).matrix.nnz
    assert plan.num_entries != encode(egonet.named.path(5), 1).matrix.nnz


def test_the_driver_stores_the_graph_once(tmp_path, monkeypatch):
    from types import SimpleNamespace

    from egonet.store import spark_driver

    stored = []

    def store_and_count(graph, folder):
        stored.append(folder.name)
        return store_graph(graph, folder)

    def stop(*_arguments):
        raise InterruptedError("the graph is there")

    monkeypatch.setattr(import_module("egonet.store.encode"), "store_graph", store_and_count)
    monkeypatch.setattr(spark_driver, "check_versions", stop)
    session = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2))

    with pytest.raises(InterruptedError, match="the graph is there"):
        store.spark(egonet.named.path(5), tmp_path / "out", session=session)

    assert stored == ["graph-0000"]

"""The Spark engine on real local clusters: the same bytes as one machine, whatever is killed."""

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
from pathlib import Path

import numpy as np
import pytest

import egonet
from contracts.parts import need_java
from egonet import Graph, encode
from egonet.encoding.settings import Settings
from egonet.errors import FileError, InputError, MemoryLimitError
from egonet.store.cluster_plan import make_plan
from egonet.store.color_triples import color_of, count_group, deal_edges, groups_of
from egonet.store.spark_tasks import Job
from egonet.store.stored_graph import store_graph

SOURCE = str(Path(egonet.__file__).parent.parent)
#: Java machines that live for seconds are not worth the second compiler and several threads of rubbish collection.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def skewed_graph(num_edges=3_000):
    """Return a graph with hubs, triangles and isolated nodes."""
    rng = np.random.default_rng(5)
    near = rng.integers(0, 300, num_edges)
    far = (near + rng.zipf(1.5, num_edges)) % 300
    return Graph.from_edges(np.column_stack([near, far]), 310)


def assert_same(stored, expected):
    for name in ("indptr", "indices", "data"):
        ours, theirs = getattr(stored.matrix, name), getattr(expected.matrix, name)
        assert ours.dtype == theirs.dtype, name
        assert ours.tobytes() == theirs.tobytes(), name
    assert stored.vocabulary.keys.tolist() == expected.vocabulary.keys.tolist()
    assert stored.nodes.tolist() == expected.nodes.tolist()


def test_every_triangle_meets_in_exactly_one_group():
    graph = skewed_graph()
    for colors in (1, 2, 5):
        group, u, v = deal_edges(graph.indptr, graph.indices, 0, graph.num_nodes, colors)
        found = np.zeros((graph.num_nodes, graph.num_nodes), dtype=int)
        for number, three in enumerate(groups_of(colors)):
            root, other, triangles = count_group(u[group == number], v[group == number], three, colors)
            np.add.at(found, (root, other), triangles)

        assert len(u) == colors * graph.num_edges
        dense = np.zeros_like(found)
        dense[np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices] = 1
        assert found.tolist() == (dense @ dense * dense).tolist()


def test_colors_are_fixed_and_even():
    colors = color_of(np.arange(30_000), 3)

    assert colors[:6].tolist() == color_of(np.arange(6), 3).tolist()
    assert np.bincount(colors).min() > 9_700


def test_the_plan_follows_the_memory_of_a_task(tmp_path):
    held = store_graph(skewed_graph(), tmp_path / "graph")

    assert make_plan(held, Settings((1,)), memory_per_task=10**8, partitions=4).strategy == "ranges"
    small = make_plan(held, Settings((1,)), memory_per_task=20_000, partitions=4)
    # The least ρ for which 6 m / ρ² edges of 48 bytes fit 20 kB, with m = 1,777.
    assert (small.strategy, small.colors) == ("triples", 6)
    assert small.rows_moved > 6 * len(held.indices) // 2
    with pytest.raises(MemoryLimitError, match=r"at radius 2 a task of 78 roots sees about .* cap="):
        make_plan(held, Settings((2,)), memory_per_task=10_000, partitions=4)
    with pytest.raises(InputError, match="triples serve radius 0 and 1"):
        make_plan(held, Settings((2,)), memory_per_task=10**8, partitions=4, strategy="triples")


def test_a_road_network_at_radius_two_fits_by_halos(tmp_path):
    held = store_graph(egonet.named.grid(200, 200), tmp_path / "graph")

    plan = make_plan(held, Settings((2,)), memory_per_task=10**6, partitions=40)

    assert plan.strategy == "halo"
    assert plan.bytes_per_task < 10**6


@pytest.fixture(scope="module")
def spark():
    need_java()
    from egonet.store.spark import start_session

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
@pytest.mark.parametrize(("radius", "options", "words"), RUNS, ids=lambda value: str(value))
def test_every_strategy_gives_the_bytes_of_one_machine(spark, tmp_path, radius, options, words):
    from egonet.store.spark import encode_with_spark

    graph = skewed_graph()

    encode_with_spark(graph, tmp_path / "out", radius, spark=spark, **options, **words)

    assert_same(egonet.load(tmp_path / "out"), encode(graph, radius, **words))
    run = json.loads((tmp_path / "out" / ".run" / "manifest.json").read_text())
    for name, counted in run["counted"].items():
        assert run["plan"][name] == pytest.approx(counted, rel=0.2), name


@pytest.mark.filterwarnings("ignore")
def test_encode_takes_spark_as_an_engine_and_goes_on_from_finished_shards(spark, tmp_path):
    (tmp_path / "edges.txt").write_text("a b\nb c\nc a\nc d\n")
    first = encode(tmp_path / "edges.txt", 1, engine="spark", store=tmp_path / "out")
    shard = tmp_path / "out" / first.manifest["blocks"][1]
    shard.write_bytes(b"damaged")

    again = encode(tmp_path / "edges.txt", 1, engine="spark", store=tmp_path / "out")

    assert again["c"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}
    counted = json.loads((tmp_path / "out" / ".run" / "manifest.json").read_text())["counted"]
    assert counted["tasks"] == 1
    with pytest.raises(FileError, match=r"holds an encoding with radius \[1\], not \[2\]"):
        encode(tmp_path / "edges.txt", 2, engine="spark", store=tmp_path / "out")


@pytest.mark.filterwarnings("ignore")
def test_another_graph_in_a_folder_used_before_is_not_mistaken_for_the_first(spark, tmp_path):
    from egonet.store.spark import encode_with_spark

    for graph in (egonet.named.cycle(6), egonet.named.path(9)):
        encode_with_spark(graph, tmp_path / "out", 1, spark=spark, partitions=2)

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
    from egonet.store.spark import encode_with_spark

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
    encode_with_spark(graph, out, 2, spark=spark, partitions=30)
    thread.join()

    assert len(killed) == 1
    assert_same(egonet.load(out), encode(graph, 2))


DRIVER = """
import sys
from egonet.store.spark import encode_with_spark, start_session
master, edges, out = sys.argv[1:]
session = start_session(master)
encode_with_spark(edges, out, 2, spark=session, partitions=24)
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
            words = [
                "--cores",
                "1",
                "--memory",
                "1g",
                "--host",
                "127.0.0.1",
                "--webui-port",
                str(self.port + number),
            ]
            self.processes.append(self.java(f"{deploy}.worker.Worker", *words, self.master))

        self.wait_for_master()

    def wait_for_master(self):
        """Return once the master takes connections: a driver gives up after a minute."""
        for _ in range(1_200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.1)
        pytest.fail(f"the master did not start: {(self.folder / 'log-0').read_text()[-2000:]}")

    def java(self, *words):
        command = [str(self.home / "bin" / "spark-class"), *words]
        environment = self.environment | {"SPARK_HOME": str(self.home), "SPARK_DAEMON_MEMORY": "512m"}
        with (self.folder / f"log-{len(list(self.folder.glob('log-*')))}").open("w") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=self.folder)

    def drive(self, *words):
        command = [sys.executable, "-c", DRIVER, self.master, *map(str, words)]
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
def test_a_driver_of_another_version_is_told_so_by_the_workers(spark, monkeypatch):
    from egonet.store.spark import ClusterError, check_versions

    here = egonet.__version__
    monkeypatch.setattr(egonet, "__version__", "9.9.9")

    with pytest.raises(ClusterError, match=rf"a worker has egonet {here}, the driver 9\.9\.9\."):
        check_versions(spark)


def test_workers_with_another_version_are_refused(need, tmp_path):
    need("pyspark", "'egonet[spark]'")
    from egonet.store.spark import ClusterError, compare_versions
    from egonet.store.spark_tasks import versions

    ours = versions()

    compare_versions(ours, [ours, dict(ours)])
    with pytest.raises(
        ClusterError, match=r"a worker has kernel 0123, the driver [0-9a-f]{12}\. Install the same"
    ):
        compare_versions(ours, [ours, ours | {"kernel": "0123"}])


def test_what_tasks_hand_on_is_kept_apart_by_the_number_of_colors():
    jobs = [
        Job("out", "graph-0000", "digest", ("block",), 10, Settings((1,)), "triples", colors)
        for colors in (3, 4)
    ]

    assert [str(job.barrier(".edges")) for job in jobs] == ["out/.edges-3", "out/.edges-4"]


def test_spark_counts_at_radius_two_if_none_is_given(tmp_path, monkeypatch):
    radii = []

    def counted(graph, folder, radius, **_options):
        radii.append(radius)
        return encode(graph, radius)

    monkeypatch.setattr("egonet.store.spark.encode_with_spark", counted)

    encode([("a", "b"), ("b", "c")], engine="spark", store=tmp_path / "out")

    assert radii == [2]


def test_a_dry_run_without_a_radius_plans_radius_two(tmp_path):
    from egonet.store.spark import encode_with_spark

    plan = encode_with_spark(egonet.named.path(5), tmp_path / "out", dry_run=True)

    assert plan.num_entries == encode(egonet.named.path(5), 2).matrix.nnz
    assert plan.num_entries != encode(egonet.named.path(5), 1).matrix.nnz


def test_the_keys_of_a_shard_are_read_without_its_rows(need, tmp_path, monkeypatch):
    from egonet.store.block_files import keys_of, write_block
    from egonet.store.encode_store import encode_to_store

    need("pyarrow", "'egonet[io]'")
    block, _ = encode_to_store(egonet.named.path(5), tmp_path / "out", 1)._block(0)
    shard = tmp_path / "block.parquet"
    write_block(shard, block, {"first": 0, "last": 5})
    monkeypatch.setattr("egonet.store.block_files.read_shard", None)

    assert keys_of(shard).tolist() == block.keys.tolist()
    shard.write_bytes(b"damaged")
    with pytest.raises(FileError, match=r"block\.parquet is missing or damaged"):
        keys_of(shard)


def test_the_driver_stores_the_graph_once(tmp_path, monkeypatch):
    from types import SimpleNamespace

    from egonet.store import spark as engine

    stored = []

    def store_and_count(graph, folder):
        stored.append(folder.name)
        return store_graph(graph, folder)

    def stop(*_words):
        raise InterruptedError("the graph is there")

    monkeypatch.setattr("egonet.store.encode_store.store_graph", store_and_count)
    monkeypatch.setattr(engine, "check_versions", stop)
    session = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2))

    with pytest.raises(InterruptedError, match="the graph is there"):
        engine.encode_with_spark(egonet.named.path(5), tmp_path / "out", spark=session)

    assert stored == ["graph-0000"]

"""`RowBatches`: the rows of a batch are those of the whole, in this process and in real engines."""

import json
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

import egonet
from contracts.parts import need, need_engine, need_java
from egonet import named
from egonet.distributed import RowBatches
from egonet.errors import FileError, InputError, UnknownNodeError

CLUB = named.karate_club()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the karate club as compressed rows, which every process can open."""
    need("pyarrow")
    return egonet.store.write_csr(CLUB, tmp_path_factory.mktemp("club"))


@pytest.fixture(scope="module")
def columns():
    return egonet.encode(CLUB, radius=(1, 2), degrees="full")


@pytest.fixture(scope="module")
def expected(columns):
    need("pyarrow")
    return columns.to_arrow().replace_schema_metadata(None)


@pytest.mark.parametrize("kind", ["list", "mapping", "pandas", "polars", "arrow"])
def test_a_batch_gives_the_rows_of_the_whole_as_what_it_is(folder, columns, expected, kind):
    nodes = [33, 0, 7, 7]
    arrow = need("pyarrow").table({"node": nodes})
    batch = {
        "list": lambda: nodes,
        "mapping": lambda: {"node": np.array(nodes)},
        "pandas": arrow.to_pandas,
        "polars": lambda: need("polars").from_arrow(arrow),
        "arrow": lambda: arrow,
    }[kind]()

    found = RowBatches(folder, columns)(batch)

    assert type(found) is (type(arrow) if kind == "list" else type(batch))
    wanted = expected.take(nodes)
    if kind == "mapping":
        assert {name: values.tolist() for name, values in found.items()} == wanted.to_pydict()
    else:
        table = need("pyarrow").table(found) if kind != "pandas" else need("pyarrow").Table.from_pandas(found)
        assert table.to_pydict() == wanted.to_pydict()


def test_rows_without_columns_are_lists_of_features(folder):
    table = RowBatches(folder, radius=1)([5, 6])
    whole = egonet.encode(CLUB, radius=1)
    names = dict(zip(whole.columns, whole.feature_names, strict=True))

    for row, node in zip(table.to_pylist(), [5, 6], strict=True):
        assert dict(zip(row["feature"], row["count"], strict=True)) == {
            names[key]: count for key, count in whole[node].items()
        }


def test_pairs_have_rows_too(folder):
    whole = egonet.encode_pairs(CLUB, [(0, 33), (1, 2)], radius=(1, 2))

    found = RowBatches(folder, whole, pairs=True)({"source": [1, 0], "target": [2, 33]})

    assert np.column_stack(list(found.values())[2:]).tolist() == whole.matrix.toarray()[[1, 0]].tolist()


def test_a_store_is_opened_where_it_is(tmp_path, columns, expected):
    egonet.store.encode(CLUB, tmp_path / "out", radius=1)

    assert RowBatches(tmp_path / "out", columns)([3]).to_pydict() == expected.take([3]).to_pydict()


@pytest.mark.parametrize(
    "write", [egonet.store.write_csr, lambda *args: egonet.store.encode(*args, radius=1)]
)
def test_a_folder_has_its_labels(tmp_path, write):
    graph = egonet.as_graph([("a", "b"), ("b", "c")], labels={"a": "x", "b": "y", "c": "x"})
    write(graph, tmp_path / "out")

    for options in ({}, {"pairs": True}):
        batch = [("a", "c")] if options else ["a", "b"]
        expected = RowBatches(graph, radius=1, **options)(batch)
        assert RowBatches(tmp_path / "out", radius=1, **options)(batch).to_pydict() == expected.to_pydict()


@pytest.mark.parametrize(
    ("directed", "options"),
    [(None, {}), (None, {"pairs": True}), (None, {"cap": 2}), ("out", {}), ("out", {"pairs": True})],
)
@pytest.mark.parametrize("has_columns", [False, True])
def test_a_store_has_the_types_of_its_edges(tmp_path, directed, options, has_columns):
    need("pyarrow")
    star = [(0, each) for each in range(1, 9)]
    graph = egonet.as_graph(star, edge_labels=["x", "y"] * 4, directed=directed)
    settings = {"radius": 1} | {name: value for name, value in options.items() if name != "pairs"}
    egonet.store.encode(graph, tmp_path / "typed", **settings)
    batch = [(0, 3), (1, 0)] if "pairs" in options else [0, 3]
    columns = None
    if has_columns:
        columns = (
            egonet.encode_pairs(graph, batch, 1) if "pairs" in options else egonet.encode(graph, **settings)
        )
        settings = {}

    expected = RowBatches(graph, columns, pairs="pairs" in options, **settings)(batch)
    found = RowBatches(tmp_path / "typed", columns, pairs="pairs" in options, **settings)(batch)

    assert found.to_pydict() == expected.to_pydict()


def test_a_store_that_has_other_edges_is_an_error(tmp_path):
    star = [(0, each) for each in range(1, 9)]
    amounts = egonet.as_graph(star, weights=[1, 50] * 4)
    stored = egonet.store.encode(amounts, tmp_path / "bins", radius=1, weight_bins=(10,))
    capped = egonet.store.encode(star, tmp_path / "capped", radius=1, cap=2)

    for rows in (
        RowBatches(tmp_path / "bins", stored),
        RowBatches(tmp_path / "bins", radius=1, weight_bins=(10,)),
    ):
        with pytest.raises(InputError, match="a store with bins of weights"):
            rows([0])
    with pytest.raises(InputError, match="with a cap of 2, got cap None"):
        RowBatches(tmp_path / "capped", radius=1)([0])
    found = RowBatches(tmp_path / "capped", capped)([0]).drop_columns("node")
    assert list(found.to_pylist()[0].values()) == capped.matrix.toarray()[0].tolist()


def test_a_folder_travels_as_its_path(folder, columns):
    rows = RowBatches(folder, columns)
    size = len(pickle.dumps(rows))
    rows([0])

    assert len(pickle.dumps(rows)) == size
    again = pickle.loads(pickle.dumps(rows))
    assert again([0]).to_pydict() == rows([0]).to_pydict()


def test_another_version_on_a_worker_is_one_sentence(folder, columns):
    state = RowBatches(folder, columns).__getstate__() | {"version": "0.0.1"}

    with pytest.raises(
        InputError, match=r"asked for with egonet 0\.0\.1, but this worker has .*\. Install one version"
    ):
        object.__new__(RowBatches).__setstate__(state)


def test_a_folder_that_a_worker_does_not_see_is_one_sentence(tmp_path, columns):
    with pytest.raises(FileError, match=r"there is no folder .*gone' here\. Every worker must see it"):
        RowBatches(tmp_path / "gone", columns)([0])


def test_bad_batches_are_one_sentence(folder, columns):
    rows = RowBatches(folder, columns)

    with pytest.raises(UnknownNodeError, match="1 of 2 nodes are not in the graph, first 99"):
        rows([0, 99])
    with pytest.raises(InputError, match=r"a batch must have the columns \['node'\], got \['id'\]"):
        rows({"id": [1]})
    with pytest.raises(InputError, match=r"the vocabulary has the settings\. Leave radius out"):
        RowBatches(folder, columns, radius=1)
    with pytest.raises(InputError, match="radius"):
        RowBatches(folder, radius=-1)


@pytest.mark.parametrize("nodes", [["a", "b", "c"], [1, 2, 3], [1, "b", "c"], [1, 2, 2**64 - 1], [-5, 7, 9]])
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("has_columns", [False, True])
def test_every_batch_has_the_same_columns(nodes, pairs, has_columns):
    need("pyarrow")
    graph = egonet.as_graph([(nodes[0], nodes[1]), (nodes[1], nodes[2])])
    encode = egonet.encode_pairs if pairs else egonet.encode
    arguments = ([(nodes[0], nodes[2])],) if pairs else ()
    columns = encode(graph, *arguments, radius=1) if has_columns else None
    rows = RowBatches(graph, columns, pairs=pairs, **({} if has_columns else {"radius": 1}))

    batches = [[], *([(one, two)] if pairs else [one] for one in nodes for two in nodes if one != two)]

    assert {str(rows(batch).schema) for batch in batches} == {str(rows.schema)}


@pytest.mark.parametrize("handle_unknown", ["zero", "error"])
def test_an_empty_batch_has_the_columns_of_the_others(handle_unknown):
    need("pyarrow")
    rows = RowBatches([("a", "b")], radius=1, handle_unknown=handle_unknown)

    assert rows([]).schema == rows(["a"]).schema == rows.schema


TRIANGLE = [("a", "b"), ("b", "c"), ("c", "a")]
GRAPHS = {
    "plain": ({}, {}),
    "radii": ({}, {"radius": (1, 2)}),
    "labels": ({"labels": {"a": "x", "b": "y", "c": "x"}}, {}),
    "types": ({"edge_labels": ["x", "y", "x"]}, {}),
    "weights": ({"weights": [1, 5, 20]}, {"weight_bins": (3, 10)}),
    "directed": ({"directed": "out"}, {}),
    "arcs": ({"directed": "out"}, {"degrees": "in_out"}),
    "directed types": ({"directed": "in", "edge_labels": ["x", "y", "x"]}, {}),
    "quantile": ({}, {"degree_bins": "quantile"}),
    "refined": ({}, {"rooted": "refined"}),
    "edges": ({}, {"count": "edges"}),
    "cap": ({}, {"cap": 1}),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("has_columns", [False, True])
def test_an_unknown_node_has_the_row_of_an_isolated_node_of_the_graph(name, has_columns):
    need("pyarrow")
    columns, options = GRAPHS[name]
    settings = {"radius": 1} | options
    graph = egonet.as_graph(TRIANGLE, nodes=["a", "b", "c", "d", "e"], **_with_label(columns))
    # The isolated nodes of the graph have the row that an unknown node should have; a label is one more fact.
    expected = egonet.encode(graph, **settings)
    rows = RowBatches(
        graph, expected if has_columns else None, handle_unknown="zero", **({} if has_columns else settings)
    )

    batch = rows(["b", "unknown", "a"])

    assert batch.column("node").to_pylist() == ["b", "unknown", "a"]
    found, of_isolated = batch.drop_columns("node").to_pylist(), rows(["d"]).drop_columns("node").to_pylist()
    assert [found[0], found[2]] == rows(["b", "a"]).drop_columns("node").to_pylist()
    if name == "labels":
        assert not any(found[1].values())
    else:
        assert found[1:2] == of_isolated
    assert rows(["unknown", "a"]).drop_columns("node").to_pylist() == found[1:]


def _with_label(columns):
    return columns | ({"labels": columns["labels"] | {"d": "x", "e": "y"}} if "labels" in columns else {})


@pytest.mark.filterwarnings("ignore::egonet.errors.UnseenWarning")
def test_a_batch_of_unknown_nodes_has_rows():
    need("pyarrow")
    rows = RowBatches(TRIANGLE, radius=1, handle_unknown="zero")

    assert rows(["x", "y"]).to_pydict() == {
        "node": ["x", "y"],
        "feature": [["r1_d0_deg0"]] * 2,
        "count": [[1]] * 2,
    }


@pytest.mark.parametrize("batch", [["ab"], [5], ["a", "b"], [("a",)], [("a", "b", "c")]])
def test_what_is_no_pair_is_one_sentence(batch):
    need("pyarrow")

    with pytest.raises(InputError, match="pair"):
        RowBatches([("a", "b"), ("b", "c")], radius=1, pairs=True)(batch)


def test_a_path_without_a_graph_is_one_sentence(tmp_path):
    need("pyarrow")
    (tmp_path / "edges.csv").write_text("a,b\n")

    with pytest.raises(FileError, match=r"edges\.csv' is a file; workers open a folder\. Write one with"):
        RowBatches(tmp_path / "edges.csv", radius=1)(["a"])
    with pytest.raises(FileError, match=r"has neither a store nor compressed rows\. Write one with"):
        RowBatches(tmp_path, radius=1)(["a"])


#: A batch as each engine calls it: nodes in, rows out as JSON lines on stdout.
RAY = """
import json, sys, ray
from egonet.distributed import RowBatches
rows = RowBatches(sys.argv[1], sys.argv[2])
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
data = ray.data.from_items([{"node": node} for node in range(34)]).repartition(4)
print(json.dumps(data.map_batches(rows, batch_size=9).take_all(), default=int))
ray.shutdown()
"""
DAFT = """
import json, sys, daft
from egonet.distributed import RowBatches
rows = RowBatches(sys.argv[1], sys.argv[2])
kind = daft.DataType.from_arrow_type(__import__("pyarrow").struct(list(rows.schema)))
encode = daft.func.batch(return_dtype=kind)(lambda nodes: rows(nodes))
frame = daft.from_pydict({"node": list(range(34))}).into_partitions(3).with_column("row", encode(daft.col("node")))
print(json.dumps(frame.to_pydict()["row"]))
"""
SPARK = """
import json, sys
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from egonet.distributed import RowBatches
rows = RowBatches(sys.argv[1], sys.argv[2])
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
nodes = spark.range(34).withColumnRenamed("id", "node").repartition(3)
found = nodes.mapInArrow(rows, from_arrow_schema(rows.schema)).collect()
print(json.dumps([row.asDict() for row in found]))
"""

SAIL = """
import json, sys
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from egonet.distributed import RowBatches
rows = RowBatches(sys.argv[1], sys.argv[2])
server = SparkConnectServer()
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
nodes = spark.range(34).withColumnRenamed("id", "node").repartition(3)
found = nodes.mapInArrow(rows, from_arrow_schema(rows.schema)).collect()
print(json.dumps([row.asDict() for row in found]))
"""


def run_engine(command, folder):
    """Return exit status, stdout and stderr of an engine; one that does not end within four minutes is started again.

    Its daemons inherit stdout. A pipe would stay open as long as one of them lives, so files take the output.
    """
    for _ in range(2):
        with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
            environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
            process = subprocess.Popen(
                command, stdout=out, stderr=err, env=environment, start_new_session=True
            )
            try:
                status = process.wait(timeout=240)
                break
            except subprocess.TimeoutExpired:
                status = None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return status, (folder / "out").read_text(), (folder / "err").read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("engine", "script"), [("ray", RAY), ("daft", DAFT), ("pyspark", SPARK), ("pysail", SAIL)]
)
def test_real_engines_give_the_bytes_of_memory(folder, columns, expected, tmp_path, engine, script):
    if engine in ("daft", "pysail"):
        need_engine(engine)
    else:
        need_java() if engine == "pyspark" else need(engine)
    path = tmp_path / "columns.npz"
    columns.save(path)

    status, out, err = run_engine([sys.executable, "-c", script, str(folder), str(path)], tmp_path)

    assert status == 0, err[-2000:]
    rows = json.loads(out.splitlines()[-1])
    rows.sort(key=lambda row: row["node"])
    assert rows == expected.to_pylist()


@pytest.mark.parametrize("threads", [0, -1, 1.5, "x", True])
def test_bad_numbers_of_threads_are_errors_before_a_worker_starts(threads):
    with pytest.raises(egonet.EgonetError, match="threads must be"):
        egonet.distributed.RowBatches([("a", "b")], radius=1, threads=threads)


@pytest.mark.parametrize("batch", [None, 5, "a", b"a"])
def test_what_is_no_batch_is_one_sentence(folder, columns, batch):
    with pytest.raises(InputError, match="a batch must be a table or a sequence of nodes, got"):
        RowBatches(folder, columns)(batch)


@pytest.mark.parametrize(
    "columns", [None, egonet.encode([(1, 2), (2, 3)], radius=1)], ids=["lists", "columns"]
)
@pytest.mark.parametrize("unknown", ["x", (1, 2), b"a", 2**63 + 5], ids=repr)
def test_an_unknown_node_that_is_no_number_has_no_place_among_numbers(columns, unknown):
    need("pyarrow")
    options = {"radius": 1} if columns is None else {}
    rows = RowBatches([(1, 2), (2, 3)], columns, handle_unknown="zero", **options)

    assert rows([1, 7]).column("node").to_pylist() == [1, 7]
    with pytest.raises(InputError, match="ids of the graph are int64"):
        rows([1, unknown])


@pytest.mark.parametrize("vocabulary", [5, ["r1_d0_deg1"], {"columns": 1}, True])
def test_what_is_no_vocabulary_is_an_error_before_a_worker_starts(vocabulary):
    need("pyarrow")

    with pytest.raises(
        InputError, match="vocabulary must be a Vocabulary, an Encoding or the path of a file"
    ):
        RowBatches([("a", "b")], vocabulary)


def test_columns_of_nodes_are_none_of_pairs(columns):
    with pytest.raises(InputError, match="vocabulary must be that of an encoding of pairs, got one of nodes"):
        RowBatches(CLUB, columns, pairs=True)


def test_columns_of_unequal_length_are_one_sentence():
    need("pyarrow")
    rows = RowBatches([("a", "b"), ("b", "c")], radius=1, pairs=True)

    with pytest.raises(InputError, match="source and target must have one value per pair, got 1 and 2"):
        rows({"source": ["a"], "target": ["b", "c"]})


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("nodes", [[], ["a"], ["a", "b"]])
def test_a_small_graph_has_a_schema(nodes, pairs):
    need("pyarrow")
    graph = egonet.as_graph([], nodes=nodes)

    names = RowBatches(graph, radius=1, pairs=pairs).schema.names

    assert names == [*(("source", "target") if pairs else ("node",)), "feature", "count"]

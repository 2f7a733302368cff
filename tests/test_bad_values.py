"""Every keyword of every public entry point refuses a value that it can never have, with an error of egonet."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import egonet
from contracts.entry_points import ENTRY_POINTS, PYG_ENTRY_POINTS
from contracts.methods import EDGES, GRAPH, METHODS, call_with_option, options_of
from egonet.errors import EgonetError

#: No option has one of these values.
NEVER = {
    "an object": object(),
    "bytes": b"\x00",
    "a square": np.array([[1, 2], [3, 4]]),
    "a function": lambda value: value,
    "complex": 1j,
    "a path": Path("/nonexistent/x"),
}
#: Some options take it, others have a limit.
HUGE = 10**30
#: The command line gives text to every option.
CALLED = [entry for entry in (*ENTRY_POINTS, *PYG_ENTRY_POINTS) if entry.name != "cli.encode"]
EVERY = pytest.mark.parametrize("entry", CALLED, ids=lambda entry: entry.name)


def set_by_call(error):
    return "multiple values for keyword argument" in str(error) or "multiple values for argument" in str(
        error
    )


@pytest.mark.parametrize("kind", NEVER)
@EVERY
def test_no_option_takes_what_is_no_value(entry, kind):
    wrong = []
    for name in options_of(entry):
        if name == "progress" and kind == "a function":
            continue
        try:
            call_with_option(entry, **{name: NEVER[kind]})
        except EgonetError as error:
            if not str(error).endswith((".", "?", ")")):
                wrong.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001 - any other error is what this test looks for
            if not set_by_call(error):
                wrong.append(f"{name}: {error!r}")
        else:
            wrong.append(f"{name}: accepted")

    assert wrong == []


@EVERY
def test_a_huge_number_is_taken_or_refused(entry):
    wrong = []
    for name in options_of(entry):
        try:
            call_with_option(entry, **{name: HUGE})
        except EgonetError:
            continue
        except Exception as error:  # noqa: BLE001 - any other error is what this test looks for
            if not set_by_call(error):
                wrong.append(f"{name}: {error!r}")

    assert wrong == []


#: Methods and the values above that they take: pairs as an array, a default, a name.
TAKEN = {
    ("Encoding.update", "a square"),
    ("PairEncoder.transform", "a square"),
    ("Encoding.plot", "None"),
    ("Graph.with_columns", "None"),
    ("Graph.with_columns of edges", "None"),
    ("Graph.from_indices nodes", "None"),
    ("Encoding.explore", "text with a null"),
    ("store.write_csr", "a path"),
}


VALUES = NEVER | {
    "None": None,
    "text with a null": "a\0",
    "a number": 1.5,
    "no dimension": np.array(1.5),
    "a sparse matrix": csr_array(np.eye(2)),
}


@pytest.mark.parametrize("name", METHODS)
def test_no_method_takes_what_is_no_value(name):
    wrong = []
    for kind, value in VALUES.items():
        if (name, kind) in TAKEN:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                METHODS[name](value)
        except EgonetError as error:
            if not str(error).endswith((".", "?", ")")):
                wrong.append(f"{kind}: {error}")
        except Exception as error:  # noqa: BLE001 - any other error is what this test looks for
            wrong.append(f"{kind}: {error!r}")
        else:
            wrong.append(f"{kind}: accepted")

    assert wrong == []


MASKED = np.ma.array([1, 2, 3, 4], mask=[False, True, False, False])


@pytest.mark.parametrize(
    "call",
    [
        lambda: egonet.as_graph(EDGES, edge_labels=MASKED),
        lambda: egonet.as_graph(EDGES, weights=MASKED),
        lambda: egonet.as_graph(GRAPH, labels=MASKED),
        lambda: egonet.as_graph(EDGES, nodes=MASKED),
        lambda: egonet.encode([(1, 2), (3, 4)], 1, roots=MASKED),
        lambda: egonet.encode_pairs([(1, 2), (3, 4)], MASKED.reshape(2, 2)),
        lambda: egonet.ring_statistics(GRAPH, MASKED, 1),
        lambda: egonet.NodeEncoder([(1, 2), (3, 4)], 1).fit(MASKED),
        lambda: egonet.NodeEncoder([(1, 2), (3, 4)], 1, handle_unknown="zero").fit([1]).transform(MASKED),
        lambda: egonet.NodeEncoder([(1, 2), (3, 4)], 1).fit(MASKED.reshape(4, 1)),
        lambda: egonet.EgoEmbedding(EDGES, 1, dim=2).fit().transform(MASKED),
        lambda: egonet.distributed.RowBatches([(1, 2), (3, 4)], radius=1)({"node": MASKED}),
        lambda: egonet.TemporalEncoder([(1, 2, 3)], 1).fit(np.ma.stack([MASKED, MASKED], axis=1)),
        lambda: egonet.EventEncoder(windows=(None,)).fit(np.ma.stack([MASKED, MASKED + 4, MASKED], axis=1)),
        lambda: egonet.Stream(1).add(np.ma.stack([MASKED, MASKED + 4, MASKED], axis=1)),
        lambda: egonet.Stream(1).features(MASKED),
        lambda: egonet.links.predict([(1, 2), (3, 4)], MASKED.reshape(2, 2)),
        lambda: egonet.links.recommend([(1, 2), (3, 4)], MASKED),
    ],
)
def test_a_masked_value_is_missing(call):
    with pytest.raises(EgonetError, match=r"1 of [24]"):
        call()


@pytest.mark.parametrize("nodes", [set("ab"), pd.DataFrame({"node": ["a", "b"]})], ids=["a set", "a table"])
@pytest.mark.parametrize(
    "call",
    [
        lambda nodes: egonet.as_graph(EDGES, nodes=nodes),
        lambda nodes: egonet.encode(EDGES, 1, roots=nodes),
        lambda nodes: egonet.Stream(1).features(nodes),
        lambda nodes: GRAPH.induced(nodes),
    ],
    ids=["nodes", "roots", "Stream.features", "Graph.induced"],
)
def test_ids_have_an_order_and_are_no_columns(call, nodes):
    with pytest.raises(EgonetError, match=r"must be a sequence of node ids, got a (set|table)"):
        call(nodes)


@pytest.mark.parametrize(
    "call",
    [
        lambda: egonet.explore(EDGES, max_nodes=np.int64(3)).html,
        lambda: egonet.links.link_columns(EDGES, [("a", "b")], without_edge=np.True_)[0].tolist(),
    ],
    ids=["explore max_nodes", "link_columns without_edge"],
)
def test_a_number_or_flag_may_be_a_scalar_of_numpy(call):
    assert call()


NO_KEYWORD = {"zero": 0, "no text": "", "an empty list": [], "no": False, "an array": np.zeros((2, 2))}


@pytest.mark.parametrize("value", NO_KEYWORD.values(), ids=NO_KEYWORD)
@pytest.mark.parametrize("name", ["source", "target", "missing", "ids"])
def test_no_keyword_of_reading_is_left_out_for_graphs_in_a_list(name, value):
    with pytest.raises(EgonetError, match=name):
        egonet.encode([GRAPH, GRAPH], 1, **{name: value})


@pytest.mark.parametrize("value", NO_KEYWORD.values(), ids=NO_KEYWORD)
def test_a_name_of_compressed_rows_is_text(value, tmp_path):
    egonet.store.write_csr(GRAPH, tmp_path)

    with pytest.raises(EgonetError, match="name must be the text"):
        egonet.store.read_csr(tmp_path, value)


@pytest.mark.parametrize(
    "value", [np.array(1), csr_array((2, 2)), 7], ids=["no dimension", "sparse", "a number"]
)
@pytest.mark.parametrize("name", ["edge_labels", "weights", "labels"])
def test_values_of_events_are_one_per_event_or_node(name, value):
    events = [("a", "b", 1), ("b", "c", 2)]
    bins = {"weight_bins": [2]} if name == "weights" else {}

    with pytest.raises(EgonetError, match=f"{name} must (be|have)"):
        egonet.TemporalEncoder(events, 1, **{name: value}, **bins).fit([("a", 3)])


@pytest.mark.parametrize("bins", [{10: "low", 100: "high"}, {10, 100}], ids=["a mapping", "a set"])
def test_limits_of_bins_have_an_order_and_no_names(bins):
    with pytest.raises(EgonetError, match="weight_bins must be"):
        egonet.Settings(1, weight_bins=bins)


@pytest.mark.parametrize("make", [egonet.AddEdgeEncoding, egonet.AddPairEncoding])
def test_columns_of_every_graph_have_degrees_that_a_graph_can_have(make):
    with pytest.raises(EgonetError, match="max_degree must be at most"):
        make(1, max_degree=2**63)


@pytest.mark.parametrize("name", ["dim", "radius", "max_degree", "edge_dim"])
def test_sizes_of_a_layer_have_a_limit(name):
    with pytest.raises(EgonetError, match=f"{name} must be at most"):
        egonet.nn.EleneConv(**{"dim": 2, "radius": 1} | {name: 2**63})


def test_bins_without_weights_are_refused_by_a_transform():
    with pytest.raises(EgonetError, match="limits of weights are part of a vocabulary"):
        egonet.AddEgoEncoding(1, weight_bins=[3])


def test_keywords_of_reading_need_a_graph_to_read():
    with pytest.raises(EgonetError, match="directed= is for a graph"):
        egonet.links.LinkPredictor.pretrained(directed=False)


def test_a_matrix_is_no_list_of_pairs():
    with pytest.raises(EgonetError, match=r"egonet\.as_graph"):
        egonet.Graph.from_edges(csr_array(np.array([[0, 1], [1, 0]])))


@pytest.mark.parametrize("table", [7, np.ones(3), [[1.0], ["x"]]], ids=["a number", "a vector", "text"])
def test_training_starts_from_a_table_of_numbers(table):
    with pytest.raises(EgonetError, match="table must be an array of numbers"):
        egonet.Start(table)


def test_training_starts_from_a_line():
    with pytest.raises(EgonetError, match="line must be two finite numbers"):
        egonet.Start(np.ones((2, 2)), (1.0, float("nan")))


def test_a_graph_has_edges_as_given_or_none():
    with pytest.raises(EgonetError, match="edge_table must be"):
        GRAPH.with_table(7)


def test_text_that_no_encoder_of_characters_takes_is_refused(tmp_path, need):
    path = tmp_path / "edges.csv"
    path.write_text("a,b\n")

    with pytest.raises(EgonetError, match="comment must be"):
        egonet.read_graph(path, comment="\ud800")
    duckdb = need("duckdb")
    with duckdb.connect() as connection, pytest.raises(EgonetError, match="table must be"):
        egonet.duckdb.features(connection, "\ud800", radius=1)


def test_a_path_that_is_too_long_is_no_folder_of_batches():
    batches = egonet.distributed.RowBatches("x" * 5000, radius=1)

    with pytest.raises(EgonetError, match="there is no folder"):
        batches(["a"])


@pytest.mark.parametrize("text", [7, None, "{}", "x", b"\xff"], ids=repr)
def test_a_vocabulary_is_read_from_its_text_alone(text):
    with pytest.raises(EgonetError, match="not the text of a vocabulary"):
        egonet.Vocabulary.from_text(text)


def test_a_column_of_a_graph_has_one_value_per_node_or_edge_and_a_known_name():
    labels = egonet.as_graph(EDGES, labels=dict.fromkeys("abcd", "x")).node_columns["labels"]

    with pytest.raises(EgonetError, match="labels must have one value per node: 2, got 4"):
        egonet.named.path("ab").with_columns({"labels": labels})
    with pytest.raises(EgonetError, match=r"'lables'.*Did you mean 'labels'"):
        GRAPH.with_columns({"lables": labels})
    with pytest.raises(EgonetError, match="weights must have one value per edge: 4, got 3"):
        GRAPH.with_columns(edge_columns={"weights": np.ones(3)})


def test_a_graph_of_rows_has_ends_of_one_length_and_an_id_per_node():
    one, two = np.array([0]), np.array([0, 1])

    with pytest.raises(EgonetError, match="source and target must have the same length, got 1 and 2"):
        egonet.Graph.from_indices(one, two, 3)
    with pytest.raises(EgonetError, match="num_nodes must be a whole number >= 0, got -1"):
        egonet.Graph.from_indices(one, one, -1)
    with pytest.raises(EgonetError, match="nodes must be an array with one id per node: 2"):
        egonet.Graph.from_indices(one, one, 2, nodes=np.array(["a"]))


def test_values_that_are_an_encoding_are_its_counts():
    encoding = egonet.encode(GRAPH, 1)

    assert (
        egonet.ring_statistics(GRAPH, encoding, 1)["a"]
        == egonet.ring_statistics(GRAPH, np.asarray(encoding), 1)["a"]
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda values: egonet.encode([(0, 1), (1, 2), (2, 3)], 1, weights=values, weight_bins=[2]),
        lambda values: egonet.encode([(0, 1), (1, 2), (2, 3)], 1, edge_labels=values),
        lambda values: egonet.encode([(0, 1), (1, 2)], 1, labels=values),
        lambda values: egonet.ring_statistics([(0, 1), (1, 2)], values, 1),
        lambda values: egonet.encode(list(zip(values, [5, 6, 7], strict=True)), 1),
        lambda values: egonet.encode([(0, 1), (1, 2), (2, 3)], 1, roots=values),
        lambda values: egonet.encode_pairs([(0, 1), (1, 2)], [(value, 9) for value in values], 1),
    ],
    ids=["weights", "edge_labels", "labels", "values", "ids", "roots", "pairs"],
)
def test_a_masked_value_in_a_list_is_missing_and_not_0(call):
    with pytest.raises(EgonetError):
        call([1, np.ma.masked, 3])


def deep_list():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep


#: Values whose repr has many lines or characters, or none at all.
LARGE = {
    "more than 4300 digits": 10**5000,
    "nested lists": deep_list(),
    "long text": "x" * 100_000,
    "a table": pd.DataFrame({"a": range(100), "b": range(100)}),
    "a masked array": MASKED,
}


@pytest.mark.parametrize("kind", LARGE)
@pytest.mark.parametrize(
    "call",
    [
        lambda value: egonet.encode(EDGES, value),
        lambda value: egonet.encode(EDGES, 1, max_degree=value),
        lambda value: egonet.encode(EDGES, 1, common=value),
        lambda value: egonet.encode(EDGES, 1, degrees=value),
        lambda value: egonet.encode(EDGES, 1, directed=value),
        lambda value: egonet.encode(EDGES, 1, num_nodes=value),
        lambda value: egonet.encode(EDGES, 1, depth=value),
        lambda value: egonet.encode(EDGES, 1, cap=value),
        lambda value: egonet.links.split(EDGES, test=value),
        lambda value: egonet.equivalent(EDGES, EDGES, test=value),
    ],
    ids=[
        "radius",
        "max_degree",
        "common",
        "degrees",
        "directed",
        "num_nodes",
        "depth",
        "cap",
        "share",
        "test",
    ],
)
def test_a_message_shows_a_value_in_one_line_of_some_characters(call, kind):
    with pytest.raises(EgonetError) as caught:
        call(LARGE[kind])

    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "call",
    [
        lambda value: egonet.encode(EDGES, value),
        lambda value: egonet.encode(EDGES, 1, threads=value),
        lambda value: egonet.encode([(0, 1)], 1, num_nodes=value),
        lambda value: egonet.encode(EDGES, 1, memory_limit=value),
        lambda value: egonet.encode(EDGES, 1, weights=[1, 2, 3, 4], weight_bins=value),
        lambda value: egonet.fit_embeddings(EDGES, 1, 2, rng=value),
        lambda value: egonet.encode([EDGES, EDGES], 1).part(value),
        lambda value: egonet.encode(EDGES, 1).vocabulary.column(value),
        lambda value: egonet.NodeEncoder(EDGES, 1, n_jobs=value).fit(["a"]),
        lambda value: egonet.as_graph(pd.DataFrame(EDGES), source=value, target=1),
    ],
    ids=[
        "radius",
        "threads",
        "num_nodes",
        "memory_limit",
        "weight_bins",
        "rng",
        "part",
        "column",
        "n_jobs",
        "source",
    ],
)
def test_a_duration_of_numpy_is_no_whole_number(call):
    with pytest.raises(EgonetError):
        call(np.timedelta64(2, "h"))


def test_a_size_with_many_digits_is_a_size(tmp_path):
    assert egonet.encode(EDGES, 1, memory_limit="9" * 400).shape[0] == 4
    assert egonet.store.encode(EDGES, tmp_path / "store", 1, memory=10**400).shape[0] == 4


def test_limits_of_bins_have_numbers(need):
    limits = need("torch").ones(4, device="meta")

    with pytest.raises(EgonetError, match="weight_bins must be"):
        egonet.Settings(1, weight_bins=limits)


@pytest.mark.parametrize("kind", ["sparse", "meta", "bfloat16"])
def test_a_tensor_that_numpy_does_not_have_is_refused(kind, need):
    torch = need("torch")
    tensor = {
        "sparse": lambda: torch.eye(4).to_sparse(),
        "meta": lambda: torch.ones(4, device="meta"),
        "bfloat16": lambda: torch.ones(4, dtype=torch.bfloat16),
    }[kind]()

    for name in ("labels", "edge_labels", "weights"):
        with pytest.raises(EgonetError, match=r"to_dense\(\) or float\(\)"):
            egonet.as_graph(EDGES, **{name: tensor})


def test_a_graph_of_networkx_is_no_label(need):
    graph = need("networkx").path_graph(4)

    with pytest.raises(EgonetError, match="labels must be one attribute of the nodes"):
        egonet.encode(EDGES, 1, labels=graph)


@pytest.mark.parametrize("read", [egonet.read_graph, egonet.read_graphs, egonet.load, egonet.Vocabulary.load])
def test_a_device_is_no_file(read):
    with pytest.raises(EgonetError, match="'/dev/zero' is a device"):
        read("/dev/zero")


def test_a_sparse_series_is_no_table():
    with pytest.raises(EgonetError):
        egonet.as_graph(pd.Series(pd.arrays.SparseArray([0, 0, 1, 0])))


@pytest.mark.parametrize("name", ["edge_labels", "weights"])
def test_a_sparse_matrix_is_no_value_per_edge(name):
    values = csr_array(np.eye(4))

    with pytest.raises(EgonetError, match=f"{name} .graph 0.' must have one value per edge"):
        egonet.compare(EDGES, EDGES, radius=1, **{name: [values, values]})
    with pytest.raises(EgonetError, match="sparse_output must be"):
        egonet.NodeEncoder(EDGES, 1, sparse_output=10**5000).fit(["a"])


def test_rows_of_different_lengths_explain_no_model():
    with pytest.raises(EgonetError, match="X must be rows of numbers"):
        METHODS["explain_model X"]([[1, 2], [3]])

"""Every keyword of every public entry point refuses a value that it can never have, with an error of egonet."""

import inspect
import warnings
from functools import reduce
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import egonet
from contracts.entry_points import ENTRY_POINTS, PYG_ENTRY_POINTS
from egonet.errors import EgonetError

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
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
#: Arguments that are the data or the rows asked for, which have their own rules; or what a call above sets itself.
NOT_OPTIONS = {
    "graph",
    "graphs",
    "first",
    "second",
    "other",
    "data",
    "pairs",
    "node",
    "nodes",
    "values",
    "events",
}


def options_of(entry):
    """Return the names of the options in the signature of an entry point."""
    names = entry.name.split(".")
    module = import_module(f"egonet.{names[0]}") if names[0] == "accessors" else getattr(egonet, names[0])
    function = reduce(getattr, names[1:], module)
    if hasattr(function, "from_dataset"):
        function = function.from_dataset
    elif hasattr(function, "from_data"):
        function = function.from_data
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.kind in kinds and each.name not in NOT_OPTIONS]


def call(entry, **keywords):
    """Call an entry point; an option that the call sets itself is no keyword of it."""
    data = EDGES
    if entry in PYG_ENTRY_POINTS:
        import torch
        from torch_geometric.data import Data

        index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        data = Data(edge_index=index, num_nodes=3, edge_label_index=index[:, :1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entry.call(data, **keywords)


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
            call(entry, **{name: NEVER[kind]})
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
            call(entry, **{name: HUGE})
        except EgonetError:
            continue
        except Exception as error:  # noqa: BLE001 - any other error is what this test looks for
            if not set_by_call(error):
                wrong.append(f"{name}: {error!r}")

    assert wrong == []


GRAPH = egonet.as_graph(EDGES)


def encoding():
    return egonet.encode(GRAPH, 1)


#: Methods of results, records and estimators, and functions that read no edges: each is called with one value.
METHODS = {
    "load": egonet.load,
    "store.open": egonet.store.open,
    "store.read_csr": egonet.store.read_csr,
    "store.update": lambda value: egonet.store.update(value, [("a", "d")]),
    "store.verify": egonet.store.verify,
    "disjoint_union": egonet.disjoint_union,
    "Encoding": egonet.Encoding,
    "Encoding[]": lambda value: encoding()[value],
    "Encoding[] of pairs": lambda value: egonet.encode_pairs(GRAPH, [("a", "b")], 1)[value],
    "Encoding.with_graph": lambda value: encoding().with_graph(value),
    "Encoding.update": lambda value: encoding().update(value),
    "Encoding.update labels": lambda value: egonet.encode(GRAPH, 1, labels=dict.fromkeys("abcd", "x")).update(
        [("a", "e")], labels=value
    ),
    "Encoding.join": lambda value: encoding().join(value),
    "Encoding.part": lambda value: encoding().part(value),
    "Encoding.plot": lambda value: encoding().plot(value),
    "Encoding.explore": lambda value: encoding().explore(value),
    "Encoding.to_arrow": lambda value: encoding().to_arrow(value),
    "Encoding.to_arrow form": lambda value: encoding().to_arrow(form=value),
    "Encoding.similar k": lambda value: encoding().similar("a", value),
    "Vocabulary.column": lambda value: encoding().vocabulary.column(value),
    "Vocabulary.name": lambda value: encoding().vocabulary.name(value),
    "Vocabulary.warn_shift": lambda value: encoding().vocabulary.warn_shift(value),
    "Embedding": lambda value: egonet.Embedding(encoding().vocabulary, value),
    "Graph.induced": GRAPH.induced,
    "Graph.with_columns": GRAPH.with_columns,
    "Graph.with_columns of edges": lambda value: GRAPH.with_columns(None, value),
    "Graph.with_columns labels": lambda value: GRAPH.with_columns({"labels": value}),
    "Graph.from_indices": lambda value: egonet.Graph.from_indices(value, value, 4),
    "Graph.from_indices num_nodes": lambda value: egonet.Graph.from_indices(
        np.array([0]), np.array([1]), value
    ),
    "Graph.from_indices nodes": lambda value: egonet.Graph.from_indices(
        np.array([0]), np.array([1]), 2, nodes=value
    ),
    "named.triangular": egonet.named.triangular,
    "named.complement": egonet.named.complement,
    "named.cfi_pair": egonet.named.cfi_pair,
    "named.from_graph6": egonet.named.from_graph6,
    "named.small_graphs": egonet.named.small_graphs,
    "named.trees": egonet.named.trees,
    "NodeEncoder.transform": lambda value: egonet.NodeEncoder(GRAPH, 1).fit(["a"]).transform(value),
    "PairEncoder.transform": lambda value: egonet.PairEncoder(GRAPH, 1).fit([("a", "b")]).transform(value),
    "GraphEncoder.counts": lambda value: egonet.GraphEncoder(1).fit([GRAPH]).counts(value),
    "GraphEncoder.counted_nodes": lambda value: (
        egonet.GraphEncoder(1, aggregate="bag").fit([GRAPH]).counted_nodes([GRAPH], value)
    ),
    "LinkPredictor.fit y": lambda value: egonet.links.LinkPredictor(1).fit(GRAPH, [("a", "b")], value),
    "LinkPredictor.explain": lambda value: egonet.links.LinkPredictor.pretrained(GRAPH).explain(value),
    "LinkPredictor.recommend hops": lambda value: egonet.links.LinkPredictor.pretrained(GRAPH).recommend(
        "a", hops=value
    ),
    "LinkPredictor.recommend": lambda value: egonet.links.LinkPredictor.pretrained(GRAPH).recommend(value),
    "Stream.add time": lambda value: egonet.Stream(1).add(EVENTS, time=value),
    "EventEncoder time": lambda value: egonet.EventEncoder(time=value).fit(EVENTS),
    "EgoInput.fit": lambda value: egonet.EgoInput(encoding(), 2).fit(value),
    "EleneConv": lambda value: egonet.nn.EleneConv(2, 1)(value, networks()),
    "ring_statistics": lambda value: egonet.ring_statistics(GRAPH, value, 1),
    "store.write_csr": lambda value: egonet.store.write_csr(GRAPH, value),
    "links.hits_at": lambda value: egonet.links.hits_at(1, value, [0.5]),
    "links.mean_reciprocal_rank": lambda value: egonet.links.mean_reciprocal_rank([0.5], value),
    "explain_model top": lambda value: egonet.explain_model(linear_model(), encoding(), top=value),
    "explain_model X": lambda value: egonet.explain_model(
        linear_model(), encoding(), X=value, y=[0, 0, 1, 1], method="permutation"
    ),
    "AddEgoEncoding": lambda value: egonet.AddEgoEncoding(1, layout="paper", max_degree=3)(value),
    "AddEgoEncoding.load": lambda value: egonet.AddEgoEncoding.load(value),
    "AddPairEncoding": lambda value: egonet.AddPairEncoding(1, max_degree=3)(value),
    "AddPairEncoding.save": lambda value: egonet.AddPairEncoding(1, max_degree=3).save(value),
    "duckdb.register": egonet.duckdb.register,
    "duckdb.features": lambda value: egonet.duckdb.features(value, "edges", 1),
}
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


EVENTS = pd.DataFrame({"source": ["a"], "target": ["b"], "time": [1]})


def networks():
    import torch

    return egonet.nn.EgoNetworks.from_edge_index(torch.tensor([[0, 1], [1, 0]]), 2, 1)


def linear_model():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(encoding().to_dense(), [0, 0, 1, 1])


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

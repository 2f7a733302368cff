"""Every public entry point called with one option, and every other method and function called with one value."""

import inspect
import warnings
from collections.abc import Callable
from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

import egonet
from contracts.entry_points import PYG_ENTRY_POINTS

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
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


def options_of(entry: Any) -> list[str]:
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


def call_with_option(entry: Any, **keywords: Any) -> Any:
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


GRAPH = egonet.as_graph(EDGES)


def encoding() -> Any:
    """Return rows of the nodes."""
    return egonet.encode(GRAPH, 1)


EVENTS = pd.DataFrame({"source": ["a"], "target": ["b"], "time": [1]})


def networks() -> Any:
    """Return the ego-networks of one edge."""
    import torch

    return egonet.nn.EgoNetworks.from_edge_index(torch.tensor([[0, 1], [1, 0]]), 2, 1)


def linear_model() -> Any:
    """Return a fitted classifier of the rows."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(encoding().to_dense(), [0, 0, 1, 1])


#: Methods of results, records and estimators, and functions that read no edges: each is called with one value.
METHODS: dict[str, Callable[[Any], Any]] = {
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

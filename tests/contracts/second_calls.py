"""Public objects that are used again with other data: one way to make each, and one to give it more data.

`tests/test_rules_between_calls.py` runs each of them through the rules from call to call. `NODES` have ids as whole
numbers, `again` is called with the same ids or with their digits as text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd

import egonet
from egonet.distributed import RowBatches

#: A path of four, as edges and as events.
EDGES = [(5, 6), (6, 7), (7, 8)]
LABELS = {5: "x", 6: "y", 7: "x", 8: "y"}


def events_of(edges: Any, start: int = 0) -> pd.DataFrame:
    """Return edges as events, one per unit of time."""
    source, target = ([edge[end] for edge in edges] for end in (0, 1))
    return pd.DataFrame({"source": source, "target": target, "time": np.arange(len(edges)) + start})


@dataclass(frozen=True)
class SecondCall:
    """A public object that is used again.

    Attributes
    ----------
    name
        The class or function, and its method.
    first
        Returns the object, made from `EDGES`.
    again
        Called as again(object, ids) with ids of nodes that it knows, or with other ids.
    state
        Returns what the object knows, to see that a refused call changed nothing; None for what never changes.
    takes_unknown
        Whether an id that is nowhere is allowed, and its row is that of an isolated node.
    """

    name: str
    first: Callable[[], Any]
    again: Callable[[Any, list[Any]], Any]
    state: Callable[[Any], Any] | None = None
    takes_unknown: bool = False


def pair_up(ids: list[Any]) -> list[tuple[Any, Any]]:
    """Return neighbors in a list of ids as pairs."""
    return list(pairwise(ids))


def make_stream() -> Any:
    stream = egonet.Stream(1)
    stream.add(events_of(EDGES))
    return stream


def stream_of_amounts() -> Any:
    stream = egonet.Stream(1, weights="amount", weight_bins=[3])
    stream.add(events_of(EDGES).assign(amount=[1, 2, 4]))
    return stream


def make_store() -> Any:
    folder = Path(mkdtemp()) / "store"
    egonet.store.encode(EDGES, folder, 1)
    return folder


def make_temporal() -> Any:
    encoder = egonet.TemporalEncoder(events_of(EDGES), radius=1)
    encoder.fit([(5, 9), (6, 9)])
    return encoder


def make_events() -> Any:
    encoder = egonet.EventEncoder(windows=(None,))
    encoder.fit(events_of(EDGES))
    return encoder


def node_encoder() -> Any:
    return egonet.NodeEncoder(EDGES, 1).fit(np.array([5, 6, 7]))


def pair_encoder() -> Any:
    return egonet.PairEncoder(EDGES, 1, handle_unknown="error").fit([(5, 6), (5, 7)])


def ego_embedding() -> Any:
    training, walks = egonet.Training(epochs=1), egonet.Walks(length=4)
    return egonet.EgoEmbedding(EDGES, 1, dim=2, training=training, walks=walks, random_state=0).fit()


def link_predictor() -> Any:
    return egonet.links.LinkPredictor.pretrained(EDGES)


def similar_to_each(encoding: Any, ids: list[Any]) -> list[Any]:
    return [encoding.similar(node) for node in ids]


def asked_at(ids: list[Any], time: int = 9) -> list[tuple[Any, int]]:
    return [(node, time) for node in ids]


SECOND_CALLS = [
    SecondCall("encode roots", lambda: EDGES, lambda edges, ids: egonet.encode(edges, 1, roots=ids)),
    SecondCall(
        "Encoding[row]", lambda: egonet.encode(EDGES, 1), lambda made, ids: [made[node] for node in ids]
    ),
    SecondCall(
        "Encoding.update",
        lambda: egonet.encode(EDGES, 1),
        lambda made, ids: made.update(removed=pair_up(ids)),
    ),
    SecondCall("encode_pairs", lambda: EDGES, lambda edges, ids: egonet.encode_pairs(edges, pair_up(ids), 1)),
    SecondCall("explain", lambda: EDGES, lambda edges, ids: [egonet.explain(edges, node, 1) for node in ids]),
    SecondCall(
        "links.predict", lambda: EDGES, lambda edges, ids: egonet.links.predict(edges, [(ids[0], ids[-1])])
    ),
    SecondCall(
        "links.recommend", lambda: EDGES, lambda edges, ids: egonet.links.recommend(edges, ids[0], k=1)
    ),
    SecondCall("NodeEncoder.transform", node_encoder, lambda made, ids: made.transform(pd.Series(ids))),
    SecondCall("PairEncoder.transform", pair_encoder, lambda made, ids: made.transform(pair_up(ids))),
    SecondCall(
        "TemporalEncoder.transform",
        make_temporal,
        lambda made, ids: made.transform(asked_at(ids)),
        takes_unknown=True,
    ),
    SecondCall(
        "TemporalEncoder.partial_fit",
        make_temporal,
        lambda made, ids: made.partial_fit(events_of(pair_up(ids), start=5)),
        state=lambda made: (len(made.history_.sources), made.transform([(5, 9)]).tolist()),
        takes_unknown=True,
    ),
    SecondCall(
        "Stream.add",
        make_stream,
        lambda made, ids: made.add(events_of(pair_up(ids), start=5)),
        state=lambda made: (made.num_events, made.num_added, made.num_nodes, made.now),
        takes_unknown=True,
    ),
    SecondCall(
        "Stream.features",
        make_stream,
        lambda made, ids: made.features(ids, time=9),
        state=lambda made: (made.num_events, made.now),
        takes_unknown=True,
    ),
    SecondCall(
        "EventEncoder.transform",
        make_events,
        lambda made, ids: made.transform(events_of(pair_up(ids), start=5)),
        takes_unknown=True,
    ),
    SecondCall(
        "EventEncoder.partial_fit",
        make_events,
        lambda made, ids: made.partial_fit(events_of(pair_up(ids), start=5)),
        state=lambda made: np.nan_to_num(made.transform([(6, 7, 9)]), nan=-1.0).tolist(),
        takes_unknown=True,
    ),
    SecondCall(
        "store.update",
        make_store,
        lambda folder, ids: egonet.store.update(folder, removed=pair_up(ids)),
        state=lambda folder: {node: egonet.load(folder)[node] for node in (5, 6, 7, 8)},
    ),
    SecondCall(
        "EventEncoder.partial_fit_transform",
        make_events,
        lambda made, ids: made.partial_fit_transform(events_of(pair_up(ids), start=5)),
        state=lambda made: np.nan_to_num(made.transform([(6, 7, 9)]), nan=-1.0).tolist(),
        takes_unknown=True,
    ),
    SecondCall(
        "EventEncoder.transform_nodes",
        make_events,
        lambda made, ids: made.transform_nodes(asked_at(ids)),
        takes_unknown=True,
    ),
    SecondCall(
        "TemporalEncoder.encode",
        make_temporal,
        lambda made, ids: np.asarray(made.encode(asked_at(ids))),
        takes_unknown=True,
    ),
    SecondCall(
        "TemporalEncoder.count_unseen",
        make_temporal,
        lambda made, ids: str(made.count_unseen(asked_at(ids))),
        takes_unknown=True,
    ),
    SecondCall(
        "TemporalEncoder.ring_statistics",
        lambda: egonet.TemporalEncoder(events_of(EDGES), radius=1, weights=[1, 2, 4]),
        lambda made, ids: made.ring_statistics(asked_at(ids)).values,
        takes_unknown=True,
    ),
    SecondCall(
        "Stream.ring_statistics",
        stream_of_amounts,
        lambda made, ids: made.ring_statistics(ids, time=9).values,
        state=lambda made: (made.num_events, made.now),
        takes_unknown=True,
    ),
    SecondCall("NodeEncoder.count_unseen", node_encoder, lambda made, ids: str(made.count_unseen(ids))),
    SecondCall(
        "PairEncoder.count_unseen", pair_encoder, lambda made, ids: str(made.count_unseen(pair_up(ids)))
    ),
    SecondCall("Encoding.similar", lambda: egonet.encode(EDGES, 1), similar_to_each),
    SecondCall(
        "Encoding.join",
        lambda: egonet.encode(EDGES, 1),
        lambda made, ids: made.join(pd.DataFrame({"node": ids}), on="node").iloc[:, 1:].to_numpy(),
    ),
    SecondCall(
        "Graph.index_of",
        lambda: egonet.as_graph(EDGES),
        lambda made, ids: [made.index_of(node) for node in ids],
    ),
    SecondCall(
        "Graph.neighbors",
        lambda: egonet.as_graph(EDGES),
        lambda made, ids: [made.neighbors(node) for node in ids],
    ),
    SecondCall("Graph.induced", lambda: egonet.as_graph(EDGES), lambda made, ids: made.induced(ids).edges()),
    SecondCall("LinkPredictor.predict", link_predictor, lambda made, ids: made.predict(pair_up(ids))),
    SecondCall(
        "LinkPredictor.predict_proba", link_predictor, lambda made, ids: made.predict_proba(pair_up(ids))
    ),
    SecondCall("LinkPredictor.recommend", link_predictor, lambda made, ids: made.recommend(ids[0], k=1)),
    SecondCall("LinkPredictor.explain", link_predictor, lambda made, ids: made.explain(tuple(ids))),
    SecondCall(
        "RowBatches.__call__",
        lambda: RowBatches(EDGES, radius=1),
        lambda made, ids: made(pd.DataFrame({"node": ids})).astype(str).to_numpy(),
    ),
    SecondCall("EgoEmbedding.transform", ego_embedding, lambda made, ids: made.transform(pd.Series(ids))),
    SecondCall(
        "store.encode[row]", make_store, lambda folder, ids: [egonet.load(folder)[node] for node in ids]
    ),
]
#: Parameters of methods that are ids, or data that has ids.
IDS = {"X", "added", "batch", "events", "node", "nodes", "pair", "pairs", "table"}
#: Methods with such a parameter whose ids are not those that the object knows.
OTHER_IDS = {
    "EdgeEncoder.count_unseen": "its X is the graph, or the pairs of PairEncoder",
    "EdgeEncoder.transform": "its X is the graph, or the pairs of PairEncoder",
    "Graph.find": "answers whether there is such a node",
    "Graph.to_arrow": "its nodes says whether a row is a node or an edge",
    "GraphEncoder.count_unseen": "takes graphs",
    "GraphEncoder.read": "takes graphs",
    "GraphEncoder.transform": "takes graphs",
    "MoleculeEncoder.draw": "takes molecules",
    "MoleculeEncoder.explain": "takes molecules",
    "MoleculeEncoder.transform": "takes molecules",
}

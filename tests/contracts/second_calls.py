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
    SecondCall("EgoEmbedding.transform", ego_embedding, lambda made, ids: made.transform(pd.Series(ids))),
    SecondCall(
        "store.encode[row]", make_store, lambda folder, ids: [egonet.load(folder)[node] for node in ids]
    ),
]
#: Methods that take more data, in the sense of these rules.
METHODS = ("transform", "partial_fit", "add", "update", "features")
#: Those that take graphs or pairs of a graph whose ids the object does not know.
OTHER_IDS = {
    "EdgeEncoder.transform": "its X is the graph, or the pairs of PairEncoder",
    "Embedding.transform": "takes a graph",
    "GraphEncoder.transform": "takes graphs",
    "MoleculeEncoder.transform": "takes molecules",
}

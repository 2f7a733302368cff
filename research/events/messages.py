"""CollegeMsg: who writes to whom next week? Encodings of pairs, with and without direction and time."""

from typing import Any

import numpy as np
import pandas as pd

from egonet import Graph, Vocabulary, encode_pairs
from egonet.typing import Floats, Int64s
from research.datasets.fetch import data_path
from research.events.evaluate import Question

WEEK = 7 * 86400


def questions(spec: dict[str, Any]) -> list[Question]:
    """Return one question: pairs that exchange a message in a week, and as many that do not, as of the week's start.

    Both users have written or been written to before. Without time, every week is asked about the graph of the
    training weeks before the first.
    """
    path = data_path("collegemsg", "temporal/CollegeMsg.txt.gz")
    messages = pd.read_csv(path, sep=" ", names=["source", "target", "time"])
    week = ((messages.time - messages.time.min()) // WEEK).to_numpy()
    ends = messages[["source", "target"]].to_numpy() - 1
    num_nodes = int(ends.max()) + 1
    rng = np.random.default_rng(spec["seed"])
    weeks = [number for number in range(spec["first_week"], int(week.max()) + 1) if (week == number).any()]
    last_train = weeks[int(len(weeks) * spec["train_part"])]
    asked = [
        draw_pairs(ends[week == number], np.unique(ends[week < number]), num_nodes, rng) for number in weeks
    ]
    is_training = [number <= last_train for number in weeks]
    columns = {}
    for name, (start, length, directed) in _FORMS.items():
        graphs = []
        for number in weeks:
            now = number if start is None else spec["first_week"]
            known = (week < now) & (week >= (0 if length is None else now - length))
            source, target = ends[known].T
            graphs.append(Graph.from_indices(source, target, num_nodes, directed="out" if directed else None))
        columns[name] = pair_columns(graphs, [pairs for pairs, _ in asked], is_training, directed=directed)
    is_test = [np.full(len(pairs), not train) for (pairs, _), train in zip(asked, is_training, strict=True)]
    labels = np.concatenate([wanted for _, wanted in asked])
    return [Question("messages next week", columns, labels, np.concatenate(is_test))]


#: Form to (which week the graph ends at: None for the week asked about, how many weeks it covers, direction).
_FORMS: dict[str, tuple[int | None, int | None, bool]] = {
    "plain graph": (0, None, False),
    "+ time": (None, None, False),
    "+ time, window of 4 weeks": (None, 4, False),
    "+ time + direction": (None, None, True),
}


def draw_pairs(
    sent: Int64s, known: Int64s, num_nodes: int, rng: np.random.Generator
) -> tuple[Int64s, np.ndarray[Any, Any]]:
    """Return the distinct pairs of known users who exchange a message, as many others, and which are which.

    A pair (v, u) is no negative if u wrote to v in that week.
    """
    sent = sent[np.isin(sent, known).all(axis=1)]
    codes = np.unique(sent @ np.array([num_nodes, 1]))
    drawn = rng.choice(known, (3 * len(codes) + 10, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    either_way = [np.isin(drawn @ np.array(weights), codes) for weights in ([num_nodes, 1], [1, num_nodes])]
    others = drawn[~(either_way[0] | either_way[1])][: len(codes)]
    pairs = np.concatenate([np.column_stack(np.divmod(codes, num_nodes)), others])
    return np.ascontiguousarray(pairs, dtype=np.int64), np.arange(len(pairs)) < len(codes)


def pair_columns(
    graphs: list[Graph], pairs: list[Int64s], is_training: list[bool], *, directed: bool
) -> Floats:
    """Return rows of pairs, one graph after the other, in columns that the training graphs have.

    The edge of a pair is counted: a reply is no secret. With direction, arcs are followed both ways.
    """
    plain = _learned_columns(graphs, pairs, is_training)
    if not directed:
        return plain
    reverse = [
        Graph.from_indices(
            graph.indices, np.repeat(np.arange(len(graph)), graph.degrees), len(graph), directed="out"
        )
        for graph in graphs
    ]
    return np.hstack([plain, _learned_columns(reverse, pairs, is_training)])


def _learned_columns(graphs: list[Graph], pairs: list[Int64s], is_training: list[bool]) -> Floats:
    """Return rows of pairs in the columns of all training graphs; other keys are clipped to a lower degree."""
    options: dict[str, Any] = {
        "degree_bins": "log",
        "max_degree": 255,
        "without_edge": False,
        "ordered": True,
    }
    every = list(zip(graphs, (each.tolist() for each in pairs), is_training, strict=True))
    known = [encode_pairs(graph, each, 1, **options).vocabulary for graph, each, train in every if train]
    keys = np.unique(np.concatenate([vocabulary.keys for vocabulary in known]), axis=0)
    vocabulary = Vocabulary(known[0].schema, keys)
    rows = [encode_pairs(graph, each, vocabulary=vocabulary).matrix.toarray() for graph, each, _ in every]
    return np.concatenate(rows).astype(np.float64)

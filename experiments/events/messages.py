"""CollegeMsg: who writes to whom next week? Encodings of pairs, with and without direction and time."""

from typing import Any

import numpy as np
import pandas as pd

from egonet.encoding.vocabulary import Vocabulary
from egonet.graph.graph import Graph
from egonet.pairs.encode_pairs import encode_pairs
from egonet.pairs.pair_encoding import PairSettings, grid_keys
from egonet.pairs.pair_list import rows_as_pairs
from egonet.typing import Floats, Int64s
from experiments.datasets.fetch import data_path
from experiments.events.evaluate import Question

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
    parts: dict[str, list[Floats]] = {name: [] for name in _FORMS}
    labels, is_test = [], []
    for number in weeks:
        pairs, wanted = draw_pairs(ends[week == number], np.unique(ends[week < number]), num_nodes, rng)
        for name, (start, length, directed) in _FORMS.items():
            now = number if start is None else spec["first_week"]
            known = (week < now) & (week >= (0 if length is None else now - length))
            source, target = ends[known].T
            graph = Graph.from_indices(source, target, num_nodes, directed="out" if directed else None)
            parts[name].append(pair_columns(graph, pairs, directed=directed))
        labels.append(wanted)
        is_test.append(np.full(len(pairs), number > last_train))
    columns = {name: np.concatenate(rows) for name, rows in parts.items()}
    return [Question("messages next week", columns, np.concatenate(labels), np.concatenate(is_test))]


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
    """Return the distinct pairs of known users who exchange a message, as many others, and which are which."""
    sent = sent[np.isin(sent, known).all(axis=1)]
    codes = np.unique(sent @ np.array([num_nodes, 1]))
    drawn = rng.choice(known, (3 * len(codes) + 10, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    others = drawn[~np.isin(drawn @ np.array([num_nodes, 1]), codes)][: len(codes)]
    pairs = np.concatenate([np.column_stack(np.divmod(codes, num_nodes)), others])
    return np.ascontiguousarray(pairs, dtype=np.int64), np.arange(len(pairs)) < len(codes)


def pair_columns(graph: Graph, pairs: Int64s, *, directed: bool) -> Floats:
    """Return rows of pairs in columns that no data decide, their edge counted: a reply is no secret."""
    settings = PairSettings(
        1, degree_bins="log", max_degree=255, without_edge=False, ordered=True, directed=graph.directed
    )
    vocabulary = Vocabulary(settings, grid_keys(settings))
    plain = encode_pairs(graph, rows_as_pairs(pairs), vocabulary=vocabulary).matrix.toarray()
    if not directed:
        return np.asarray(plain, dtype=np.float64)
    reverse = Graph.from_indices(
        graph.indices, np.repeat(np.arange(len(graph)), graph.degrees), len(graph), directed="out"
    )
    turned = encode_pairs(reverse, rows_as_pairs(pairs), vocabulary=vocabulary).matrix.toarray()
    return np.hstack([plain, turned]).astype(np.float64)

"""bitcoin-otc: is the next rating negative? With and without direction, amounts and time."""

from typing import Any

import numpy as np
import pandas as pd

from egonet import Settings, TemporalEncoder
from egonet.typing import Floats
from research.datasets.fetch import data_path
from research.events.evaluate import Question, together


def questions(spec: dict[str, Any]) -> list[Question]:
    """Return one question: a row per rating, with the features of both ends as of its time.

    Without time, every row is about the graph of all training ratings, its own edge included: what a feature store
    that is filled once would return.
    """
    ratings = pd.read_csv(data_path("bitcoin-otc", "bitcoin/soc-sign-bitcoinotc.csv.gz"))
    ratings.columns = ["source", "target", "rating", "time"]
    ratings = ratings.sort_values("time", kind="stable").reset_index(drop=True)
    first_test = int(len(ratings) * spec["train_part"])
    is_test = np.arange(len(ratings)) >= first_test
    ends = ("source", "target")
    later = [pd.DataFrame({"node": ratings[end], "time": ratings.time}) for end in ends]
    cut = float(ratings.time[first_test])
    fixed = [query.assign(time=cut) for query in later]
    good, bad = ratings[ratings.rating > 0], ratings[ratings.rating < 0]

    def encoded(events: pd.DataFrame, asked: list[pd.DataFrame], directions: tuple[Any, ...]) -> Floats:
        settings = Settings(spec["radius"], degree_bins="log")
        known = []
        for query in asked:
            for directed in directions:
                encoder = TemporalEncoder(
                    _with_all_nodes(events, ratings), settings, directed=directed, n_jobs=2
                )
                encoder.fit(query[~is_test])  # columns are learned on training rows
                known.append(encoder.transform(query))
        return together(*known)

    both = ("out", "in")
    columns = {
        "plain graph": encoded(ratings, fixed, (None,)),
        "+ time": encoded(ratings, later, (None,)),
        "+ time + direction": encoded(ratings, later, both),
        "+ time + direction + sign of amounts": together(
            encoded(good, later, both), encoded(bad, later, both)
        ),
    }
    return [Question("negative ratings", columns, (ratings.rating < 0).to_numpy(), is_test)]


def _with_all_nodes(events: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Return events after a loop at every node long before the first: loops count nothing, and name the node."""
    nodes = np.union1d(ratings.source, ratings.target)
    before = pd.DataFrame({"source": nodes, "target": nodes, "time": float(ratings.time.min()) - 1.0})
    return pd.concat([before, events[["source", "target", "time"]]], ignore_index=True)

"""Learn the zero-shot link predictor: `python -m research.links.zero_shot` writes `src/egonet/links/zero_shot.json`.

Clone the repositories of `zero_shot_graphs.py` into one folder as OWNER+NAME, and set EGONET_CHECKOUTS to it and
EGONET_DATA to the data sets. With names of families as arguments, those are left out and the model is written to
results/links instead: co-authors airports brains proteins water generated are relatives of SEAL's five sets.
"""

import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from egonet import Graph
from egonet.links import split, zero_shot_columns
from egonet.typing import Floats
from research.links.zero_shot_graphs import GRAPHS, sources

VERSION = 1
#: Columns are cut off at this many standard deviations; ranks are spread to a standard deviation of about 1.
CUT, SPREAD = 5.0, 3.4
TARGET = Path("src/egonet/links/zero_shot.json")
WITHOUT = Path("results/links/zero_shot_without.json")
#: Links removed from each graph at most, and as many non-links.
MOST_LINKS = 800
#: Hops that a model searches, arcs that a search may read and log n / log d at least for it to be used, and C.
MODELS = ((5, 25_000, 5.0, 0.003), (3, 50_000, 0.0, 0.03), (2, 0, 0.0, 0.03))
#: Small graphs are split three times.
SMALL = 8_000


@dataclass(frozen=True, eq=False)
class Rows:
    """Pairs of all graphs: columns, ranks, whether each is a link, and weights with the same sum for every graph."""

    values: Floats
    ranks: Floats
    labels: Floats
    weights: Floats
    names: list[str]


def graph_rows(graph: Graph, radius: int, seed: int) -> tuple[Floats, Floats, Floats, list[str]]:
    """Return the columns, ranks and labels of a tenth of a graph's edges, removed, and of as many non-edges."""
    parts = split(graph, test=max(0.1, 5 / graph.num_edges), seed=seed)
    part = parts.test
    links = part.links[:MOST_LINKS]
    pairs = np.concatenate([links, part.non_links[: len(links)]])
    values, ranked, names = zero_shot_columns(parts.graph, pairs, radius)
    return values, ranked, (np.arange(len(pairs)) < len(links)).astype(np.float64), names


def reads_of(graph: Graph, radius: int) -> float:
    """Return about how many arcs a search of some hops reads from a node, on average.

    >>> from egonet import named
    >>> reads_of(named.complete(4), 2)
    12.0
    """
    degrees, most = graph.degrees.astype(np.float64), float(len(graph.indices))
    adjacency, reads = graph.to_scipy(), degrees
    for _ in range(radius):
        reads = np.minimum(degrees + adjacency @ reads, most)
    return float(reads.mean())


def all_rows(radius: int, most_reads: int, without: Iterable[str]) -> Rows:
    """Return the pairs of all graphs that are affordable, without some families."""
    found: list[tuple[Floats, Floats, Floats]] = []
    weights: list[Floats] = []
    names: list[str] = []
    for each in GRAPHS:
        if each.family in set(without):
            continue
        graph = each.graph()
        if radius > 3 and reads_of(graph, radius) > most_reads:
            continue
        seeds = (0, 1, 2) if graph.num_edges < SMALL else (0,)
        for seed in seeds:
            values, ranked, labels, names = graph_rows(graph, radius, seed)
            found.append((values, ranked, labels))
            weights.append(np.full(len(labels), 1 / len(labels) / len(seeds)))
        print(radius, each.name, flush=True)  # noqa: T201
    values, ranked, labels = (np.concatenate(part) for part in zip(*found, strict=True))
    weight = np.concatenate(weights)
    return Rows(values, ranked, labels, weight / weight.mean(), names)


def learn(
    radius: int, most_reads: int, least_reach: float, strength: float, without: Iterable[str] = ()
) -> dict[str, Any]:
    """Return one model: logistic regression of columns and ranks, every graph with the same weight."""
    rows = all_rows(radius, most_reads, without)
    mean, deviation = rows.values.mean(axis=0), np.maximum(rows.values.std(axis=0), 1e-3)
    raw = np.clip((rows.values - mean) / deviation, -CUT, CUT)
    table = np.hstack([raw, (rows.ranks - 0.5) * SPREAD])
    model = LogisticRegression(C=strength, max_iter=1000, tol=1e-3)
    model.fit(table, rows.labels, sample_weight=rows.weights)
    coefficients, width = model.coef_[0], len(rows.names)
    return {
        "radius": radius,
        "most_reads": most_reads,
        "least_reach": least_reach,
        "names": rows.names,
        "mean": rounded(mean),
        "deviation": rounded(deviation),
        "values": rounded(coefficients[:width]),
        "ranks": rounded(coefficients[width:]),
        "intercept": float(f"{model.intercept_[0]:.5g}"),
        "cut": CUT,
        "spread": SPREAD,
    }


def rounded(values: Floats) -> list[float]:
    """Return five digits of every number.

    >>> rounded(np.array([1.23456789]))
    [1.2346]
    """
    return [float(f"{value:.5g}") for value in values]


def main(without: list[str]) -> None:
    """Learn all models and write them, with where the graphs are from."""
    models = [learn(*each, without) for each in MODELS]
    chosen = [each for each in GRAPHS if each.family not in without]
    content = {
        "version": VERSION,
        "graphs": len(chosen),
        "families": len({each.family for each in chosen}),
        "without": without,
        "sources": sources(),
        "sha256": hashlib.sha256(json.dumps(models, separators=(",", ":")).encode()).hexdigest(),
        "models": models,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
    (WITHOUT if without else TARGET).write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

"""The commands `egonet recommend` and `egonet links`: new links of a node, and how well links are predicted."""

import time
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from egonet import links as link_tools
from egonet.checks import one_of
from egonet.cli.options import (
    FEATURES,
    GraphPath,
    Reading,
    Threads,
    choice,
    command,
    option,
    parse_node,
)
from egonet.cli.output import Printing, escape_text, print_json
from egonet.errors import InputError, require_extra
from egonet.links.split import LabeledPairs, LinkSplit, Negatives
from egonet.typing import Floats

ACTIONS = ("evaluate",)


@dataclass(frozen=True)
class Recommending:
    """How many nodes are recommended, and how they are found."""

    k: Annotated[int, option(FEATURES, "How many nodes to recommend.", "-k", "--count")] = 10
    trained: Annotated[
        bool, option(FEATURES, "Learn from the edges of the graph first.", "--train/--no-train")
    ] = False
    explain: Annotated[bool, option(FEATURES, "Say why, for each.", "--explain")] = False
    threads: Threads = None


@command("egonet recommend edges.csv alice -k 10", "egonet recommend edges.csv alice --train --explain")
def recommend(
    graph: GraphPath,
    node: Annotated[str, typer.Argument(help="The id of a node.", show_default=False)],
    *,
    reading: Reading,
    recommending: Recommending,
    printing: Printing,
) -> None:
    """Show the nodes that NODE is most likely to be linked with next."""
    require_extra("sklearn", "Recommending links", extra="sklearn")
    with printing.progress("reading", path=graph):
        read = reading.read(graph)
    root = parse_node(read, node)
    model = None if recommending.trained else "zero-shot"
    with printing.progress("scoring"):
        predictor = link_tools.LinkPredictor(model=model, n_jobs=recommending.threads).fit(read)
        best = predictor.recommend(root, recommending.k)
        reasons = [predictor.explain((root, other)) for other, _ in best] if recommending.explain else []
    if printing.as_json:
        rows: list[dict[str, Any]] = [{"node": other, "score": round(score, 4)} for other, score in best]
        for row, reason in zip(rows, reasons, strict=False):
            row["explanation"] = reason
        print_json({"node": root, "recommended": rows})
        return
    if not best:
        printing.say("No node is within three hops, except neighbors.")
    table = Table("node", "score", *(["why"] if reasons else []), show_edge=False, pad_edge=False)
    for position, (other, score) in enumerate(best):
        why = [Text(escape_text(reasons[position]))] if reasons else []
        table.add_row(Text(escape_text(str(other))), f"{score:.3f}", *why)
    Console().print(table)


@dataclass(frozen=True)
class Evaluation:
    """How a graph is split."""

    test: Annotated[float, option(FEATURES, "The share of edges to hold out.", "--test")] = 0.1
    negatives: Annotated[
        str, choice(FEATURES, "--negatives", get_args(Negatives), "Which non-edges links are told from.")
    ] = "uniform"
    seed: Annotated[int, option(FEATURES, "The seed of the split.", "--seed")] = 0
    threads: Threads = None


@command("egonet links evaluate edges.csv", "egonet links evaluate edges.csv --negatives near --json")
def links(
    action: Annotated[
        str, typer.Argument(help="evaluate: hold out edges and predict them.", show_default=False)
    ],
    graph: GraphPath,
    *,
    reading: Reading,
    evaluation: Evaluation,
    printing: Printing,
) -> None:
    """Measure how well links of GRAPH are predicted: without training, trained, and by common neighbors."""
    one_of("ACTION of egonet links", action, ACTIONS)
    require_extra("sklearn", "Evaluating links", extra="sklearn")
    with printing.progress("reading", path=graph):
        read = reading.read(graph)
    negatives: Any = evaluation.negatives
    with printing.progress("splitting"):
        parts = link_tools.split(read, test=evaluation.test, negatives=negatives, seed=evaluation.seed)
    if not len(parts.test):
        raise InputError(f"--test {evaluation.test} of {read.num_edges:,} edges is no edge. Hold out more.")
    lines: list[dict[str, Any]] = []
    for method in ("zero-shot", "trained", "resource allocation"):
        with printing.progress(method):
            began = time.perf_counter()
            scores = _scores(method, parts, evaluation)
            lines.append({"method": method} | measures(parts.test, scores))
            lines[-1]["seconds"] = round(time.perf_counter() - began, 2)
    if printing.as_json:
        facts = {"num_nodes": read.num_nodes, "num_edges": read.num_edges}
        print_json(facts | {"negatives": evaluation.negatives, "methods": lines})
        return
    table = Table("method", "AUC", "MRR", "hits at 10", "seconds", show_edge=False, pad_edge=False)
    for line in lines:
        table.add_row(
            line["method"],
            *(f"{line[name]:.3f}" for name in ("auc", "mrr", "hits_at_10")),
            str(line["seconds"]),
        )
    Console().print(table)
    held = len(parts.test.links)
    were = "was" if held == 1 else "were"
    printing.say(f"{held:,} of {read.num_edges:,} edges {were} held out; negatives: {evaluation.negatives}.")


def _scores(method: str, parts: LinkSplit, evaluation: Evaluation) -> Floats:
    """Return the score of every test pair; a trained model learns from pairs of the kind it is tested on."""
    pairs, threads = parts.test.pairs.tolist(), evaluation.threads
    if method == "resource allocation":
        values, names = link_tools.link_columns(parts.graph, pairs, ["overlap"], threads=threads)
        column: Floats = values[:, names.index(method.replace(" ", "_"))]
        return column
    if method == "trained":
        near: Any = "near" if evaluation.negatives == "near" else "uniform"
        predictor = link_tools.LinkPredictor(negatives=near, n_jobs=threads)
    else:
        predictor = link_tools.LinkPredictor(model=method, n_jobs=threads)
    scores: Floats = predictor.fit(parts.graph).predict_proba(pairs)[:, 1]
    return scores


def measures(part: LabeledPairs, scores: Floats) -> dict[str, float]:
    """Return the area under the curve, the mean reciprocal rank and the hits at 10 of scores.

    Links are ranked among all non-links, or among their own ones where there are several for each.

    >>> pairs = LabeledPairs(np.zeros((3, 2)), np.array([True, False, False]), np.array([0, 0, 1]))
    >>> measures(pairs, np.array([2.0, 1.0, 3.0]))
    {'auc': 0.5, 'mrr': 0.5, 'hits_at_10': 1.0}
    """
    positive, negative = scores[part.labels], scores[~part.labels]
    rank = np.array([(negative < score).mean() + (negative == score).mean() / 2 for score in positive])
    own = part.groups[~part.labels]
    each = len(negative) // max(len(positive), 1)
    if each > 1 and len(negative) == each * len(positive):
        negative = negative[np.argsort(own, kind="stable")].reshape(len(positive), each)
    return {
        "auc": round(float(rank.mean()), 4),
        "mrr": round(link_tools.mean_reciprocal_rank(positive, negative), 4),
        "hits_at_10": round(link_tools.hits_at(10, positive, negative), 4),
    }

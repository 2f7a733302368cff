"""Node classification: airports within and across graphs, and the protein networks of the paper."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet import Graph, encode
from egonet.errors import InputError
from egonet.typing import Floats, Int64s
from research.datasets.fetch import data_path
from research.paper.nodes.choice import (
    NodeChoice,
    blank_line,
    check_names,
    fit_options,
    node_spec,
    save_lines,
)
from research.paper.nodes.fit import as_device, fit_embedding
from research.paper.nodes.node2vec import node2vec
from research.paper.results import Line, environment

TABLE = "nodeclassification"
METHODS = ("encoding", "embedding", "degree", "degree-rank", "node2vec")
#: Across graphs; "local" is radius 1 with columns standardized within each graph, because counts grow with graphs.
ACROSS = ("encoding", "encoding-local", "embedding", "embedding-local", "degree", "degree-rank")


@dataclass(frozen=True, eq=False)
class LabeledGraph:
    """A graph and the class of every node, int64 (num_nodes,)."""

    graph: Graph
    classes: Int64s


def read_airports(name: str) -> LabeledGraph:
    """Return the airports of brazil, europe or usa: flights between them, and four classes of activity."""
    edges = np.loadtxt(data_path("airports", f"airports/{name}-airports.edgelist"), dtype=np.int64)
    table = np.loadtxt(
        data_path("airports", f"airports/labels-{name}-airports.txt"), dtype=np.int64, skiprows=1
    )
    return LabeledGraph(Graph.from_edges(edges, nodes=table[:, 0].tolist()), table[:, 1])


def run_nodes(choice: NodeChoice, say: Callable[[str], None] = lambda _: None) -> list[Line]:
    """Run what is missing of node classification, append a line per method and seed, and return the new lines."""
    plan, began = plan_nodes(choice), time.monotonic()
    as_device(choice.device)
    fresh = []
    for blanks in plan:
        if choice.seconds is not None and time.monotonic() - began > choice.seconds:
            say(f"{blanks[0].data}, seed {blanks[0].seed}: not started, {choice.seconds:.0f} s have passed")
            continue
        fresh += save_lines(TABLE, blanks, choice, say, partial(_fill, choice=choice))
    return fresh


def plan_nodes(choice: NodeChoice) -> list[list[Line]]:
    """Return the lines that a choice asks for, without scores: a list for every data set and seed."""
    spec = node_spec(TABLE)
    check_names(choice.data, [*spec["data"], "ppi"], "node classification has no data set")
    check_names(
        choice.methods, [*METHODS, *ACROSS, *spec["ppi"]["runs"]], "node classification has no method"
    )
    plan = []
    for name in choice.data or tuple(spec["data"]):
        methods = tuple(spec["ppi"]["runs"]) if name == "ppi" else METHODS
        if len(spec["data"].get(name, ())) > 1:
            methods = ACROSS
        chosen = [method for method in methods if method in (choice.methods or methods)]
        for seed in choice.seeds or spec["seeds"][: 1 if choice.quick else None]:
            plan.append([_blank(name, method, seed, choice) for method in chosen])
    return [blanks for blanks in plan if blanks]


def _blank(name: str, method: str, seed: int, choice: NodeChoice) -> Line:
    """Return the line of one method and seed, without a score."""
    spec = node_spec(TABLE)
    radius = spec["ppi"]["runs"][method]["radius"] if name == "ppi" else 0
    if method.startswith(("encoding", "embedding")):
        radius = 1 if method.endswith("-local") else max(spec["encode"]["radius"])
    return blank_line(TABLE, name, method, seed, choice, radius)


def _fill(blanks: Sequence[Line], choice: NodeChoice) -> Iterator[Line]:
    """Yield lines with their scores; all of them are about one seed of one data set."""
    name, seed = blanks[0].data, blanks[0].seed
    graphs = [read_airports(part) for part in node_spec(TABLE)["data"].get(name, ())]
    for line in blanks:
        start = time.monotonic()
        details: dict[str, Any] = {}
        if name == "ppi":
            from research.paper.nodes.proteins import run_proteins

            score = run_proteins(line.model, seed, choice, details)
        elif len(graphs) > 1:
            score = _across(line.model, graphs[0], graphs[1], seed, choice)
        else:
            columns = features(line.model, graphs[0].graph, (), seed, choice)[0]
            score = fold_accuracy(columns, graphs[0].classes, seed, details)
        yield replace(
            line,
            score=score,
            details=details,
            seconds=round(time.monotonic() - start, 3),
            environment=environment(choice.device),
        )


def features(
    method: str, graph: Graph, others: Sequence[Graph], seed: int, choice: NodeChoice
) -> list[Floats]:
    """Return the columns of a graph's nodes, and of other graphs' in the same terms.

    Parameters
    ----------
    method
        "encoding", "embedding", "degree", "degree-rank" or "node2vec".
    graph
        Columns and vectors are learned here.
    others
        Graphs that nothing is learned from; node2vec must have none.
    seed, choice
        Randomness, device and size.
    """
    spec = node_spec(TABLE)
    settings = spec["encode"] | choice.encoding
    every = [graph, *others]
    if method == "degree":
        return [np.log1p(one.degrees)[:, None] for one in every]
    if method == "degree-rank":
        return [_ranks(one.degrees)[:, None] for one in every]
    if method == "encoding":
        first = encode(graph, **settings)
        rest = [encode(one, vocabulary=first.vocabulary) for one in others]
        return [one.weighted("log").toarray() for one in (first, *rest)]
    if method == "embedding":
        options = fit_options(spec["embedding"], choice)
        learned = fit_embedding(encode(graph, **settings), seed=seed, device=choice.device, **options)
        return [learned.transform(one).astype(np.float64) for one in every]
    if method != "node2vec" or others:
        raise InputError(f"no method {method!r} on {len(every)} graphs. There are: {', '.join(METHODS)}.")
    vectors = node2vec(graph, **fit_options(spec["node2vec"], choice), seed=seed, device=choice.device)
    return [vectors.double().cpu().numpy()]


def fold_accuracy(
    columns: Floats, classes: Int64s, seed: int, details: dict[str, Any] | None = None
) -> float:
    """Return the mean accuracy over the folds of one partition of the nodes, in per cent."""
    from sklearn.model_selection import StratifiedKFold

    spec = node_spec(TABLE)
    found = []
    for train, test in StratifiedKFold(spec["folds"], shuffle=True, random_state=seed).split(
        columns, classes
    ):
        model = _classifier(seed).fit(columns[train], classes[train])
        found.append(100.0 * float((model.predict(columns[test]) == classes[test]).mean()))
    if details is not None:
        details["folds"] = [round(value, 3) for value in found]
    return float(np.mean(found))


def _across(method: str, source: LabeledGraph, target: LabeledGraph, seed: int, choice: NodeChoice) -> float:
    """Return the accuracy on every node of one graph by what was learned on another, in per cent."""
    if method.endswith("-local"):
        near = replace(choice, encoding=choice.encoding | {"radius": 1})
        found = features(method.removesuffix("-local"), source.graph, [target.graph], seed, near)
        known, unknown = map(_standardized, found)
    else:
        known, unknown = features(method, source.graph, [target.graph], seed, choice)
    model = _classifier(seed).fit(known, source.classes)
    return 100.0 * float((model.predict(unknown) == target.classes).mean())


def _classifier(seed: int) -> Any:
    """Return a linear classifier on standardized columns that chooses its penalty by three inner folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    grid = {"logisticregression__C": node_spec(TABLE)["penalties"]}
    return GridSearchCV(model, grid, cv=StratifiedKFold(3, shuffle=True, random_state=seed))


def _standardized(columns: Floats) -> Floats:
    """Return columns with mean 0 and deviation 1 over the nodes of one graph.

    Examples
    --------
    >>> _standardized(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _ranks(values: NDArray[np.int64]) -> Floats:
    """Return the share of nodes with a lower value, ties in the middle.

    Examples
    --------
    >>> _ranks(np.array([5, 1, 1, 9])).tolist()
    [0.625, 0.25, 0.25, 0.875]
    """
    from scipy.stats import rankdata

    return np.asarray((rankdata(values) - 0.5) / len(values))

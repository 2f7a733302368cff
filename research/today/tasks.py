"""The tasks on columns: what is read and which columns are made, for every current benchmark."""

import tomllib
from functools import cache, partial
from importlib.resources import files
from typing import Any

import numpy as np

from egonet.errors import InputError
from egonet.typing import Int64s
from research.today import columns, rivals
from research.today.chemistry import (
    draw_parts,
    molecule_graphs,
    morgan,
    read_smiles,
    scaffold_groups,
    scaffold_split,
)
from research.today.readers import (
    read_airports,
    read_gin_set,
    read_molecule_table,
    read_molhiv_split,
    read_node_set,
    read_paper_set,
    read_twitch,
)
from research.today.sources import GraphList, join_graphs, read_zinc, some_rows
from research.today.tabular.task import Task

NONE = np.empty((0, 0), dtype=np.int8)
LOG: dict[str, Any] = {"radius": (1, 2), "degree_bins": "log"}
PLAIN: dict[str, Any] = {"radius": (1, 2)}
MOLECULE: dict[str, Any] = {"radius": (1, 2, 3), "degrees": "full"}
#: Node features beyond this number are replaced by as many singular vectors: boosting on 2,000 columns takes long.
WIDE = 100
#: Graphs or nodes of a quick run.
QUICK = 200
#: Scaffold splits of a MoleculeNet set for models on columns.
SCAFFOLD_SPLITS = 20


def _labeled(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings with the labels as part of the keys."""
    return settings | {"labeled": True}


@cache
def column_spec() -> dict[str, Any]:
    """Return the specification of all sets: rows, repeats, titles, published figures."""
    return tomllib.loads(files("research.today").joinpath("specs", "columns.toml").read_text("utf-8"))


def rows_of(name: str) -> list[tuple[str, str]]:
    """Return the (model, columns) of a set.

    Examples
    --------
    >>> rows_of("brazil")[1]
    ('forest', 'degree')
    """
    spec = column_spec()
    return [tuple(row) for row in spec["groups"][spec["sets"][name]["rows"]]]


def make_task(name: str, *, quick: bool = False) -> Task:
    """Return the task of a set; `quick` takes a small part of it, whose scores mean nothing."""
    spec = column_spec()["sets"]
    if name not in spec:
        raise InputError(f"there is no current benchmark {name!r}. There are: {', '.join(spec)}.")
    makers = {
        "paper": paper_task,
        "gin": gin_task,
        "molecule": molecule_task,
        "zinc": zinc_task,
        "node": node_task,
        "airport": airport_task,
        "twitch": twitch_task,
    }
    return makers[spec[name]["kind"]](name, QUICK if quick else None)


def first_nodes(graph: GraphList, count: int | None) -> tuple[GraphList, Int64s]:
    """Return the graph on some of its nodes, and their numbers."""
    nodes = some_rows(range(graph.num_nodes), count)
    number = np.full(graph.num_nodes, -1)
    number[nodes] = np.arange(len(nodes))
    ends = number[graph.edges]
    ends = ends[(ends >= 0).all(axis=1)]
    return join_graphs([(len(nodes), ends, np.zeros(len(nodes)), np.ones(len(ends)))]), nodes


def paper_task(name: str, limit: int | None = None) -> Task:
    """Return one of the paper's four sets, on newly drawn partitions."""
    graphs, classes = read_paper_set(name)
    rows = some_rows(classes, limit)
    graphs, classes = graphs.part(rows), classes[rows]
    ego: dict[str, dict[str, Any]] = {"ego1": {"radius": 1}, "ego": PLAIN, "ego3": {"radius": (1, 2, 3)}}
    ego |= {name.replace("ego", "egolabel"): _labeled(settings) for name, settings in ego.items()}
    blocks, seconds = columns.graph_columns(graphs, ego)
    return Task(name, "accuracy", "partitions", classes, NONE, blocks, seconds)


def gin_task(name: str, limit: int | None = None) -> Task:
    """Return a set with the folds of the GIN paper."""
    graphs, classes, parts = read_gin_set(name, limit)
    labeled = name == "nci1"
    ego = (
        {"ego": PLAIN, "egolabel": _labeled(PLAIN)} if labeled else {"ego": LOG, "ego1": LOG | {"radius": 1}}
    )
    leave_out: tuple[str, ...] = () if labeled else ("labels",)
    if name in ("collab", "reddit-b"):
        leave_out = ("labels", "cycles", "wl")
    steps = 10 if name == "reddit-b" else 20
    blocks, seconds = columns.graph_columns(graphs, ego, leave_out, steps=steps)
    return Task(name, "accuracy", "folds", classes, parts, blocks, seconds)


def molecule_set(name: str, limit: int | None = None) -> tuple[GraphList, Any, Any, str]:
    """Return the graphs, targets (molecules, targets), parts and metric of a MoleculeNet set or molhiv."""
    molecules, targets, parts = read_molecules_of(name, limit)
    return molecule_graphs(molecules), targets, parts, metric_of(name)


def metric_of(name: str) -> str:
    """Return the metric of a set of molecules."""
    return "rmse" if name in ("esol", "freesolv", "lipo") else "auc"


def read_molecules_of(name: str, limit: int | None) -> tuple[list[Any], Any, Any]:
    """Return molecules, targets and parts: the scaffold split of a MoleculeNet set, OGB's split of molhiv."""
    smiles, targets = read_molecule_table(name)
    first = np.nan_to_num(targets[:, 0])
    halves = [np.flatnonzero(first > np.median(first)), np.flatnonzero(first <= np.median(first))]
    chosen = some_rows(smiles, None)
    if limit is not None:  # both classes in every part, although one may be rare
        chosen = np.concatenate([half[some_rows(half, limit // 2)] for half in halves])
    molecules, rows = read_smiles([smiles[row] for row in chosen], tolerant=name == "molhiv")
    rows = chosen[rows]
    targets = targets[rows]
    parts = read_molhiv_split(len(smiles))[:, rows] if name == "molhiv" else scaffold_split(molecules)
    if limit is not None:
        targets = targets[:, :2]
        parts = (np.arange(len(rows))[None] % 5 - 2).clip(0).astype(np.int8)
    return molecules, targets, parts


def molecule_task(name: str, limit: int | None = None) -> Task:
    """Return a MoleculeNet set with 20 splits drawn by scaffold, or molhiv with OGB's split."""
    molecules, targets, parts = read_molecules_of(name, limit)
    graphs = molecule_graphs(molecules)
    ego = {"ego": MOLECULE, "egolabel": _labeled(MOLECULE)}
    split, fewest, training = "fixed", columns.FEWEST, None
    leave_out: tuple[str, ...] = ("cycles", "size")
    if name == "molhiv":
        leave_out, fewest, training = ("wl", "cycles", "size"), 20, np.flatnonzero(parts[0] == 0)
    elif limit is None:
        split, groups = "scaffolds", scaffold_groups(molecules)
        drawn = [draw_parts(groups, np.random.default_rng(number)) for number in range(SCAFFOLD_SPLITS)]
        parts = np.array(drawn, dtype=np.int8)
    blocks, seconds = columns.graph_columns(graphs, ego, leave_out, fewest=fewest, training=training)
    fingerprints, took = columns.timed({"morgan": lambda: morgan(molecules)})
    target = targets[:, 0] if targets.shape[1] == 1 else targets
    return Task(name, metric_of(name), split, target, parts, blocks | fingerprints, seconds | took)


def zinc_task(name: str = "zinc", limit: int | None = None) -> Task:
    """Return ZINC-12k with pooled columns."""
    graphs, targets, split = read_zinc()
    rows = some_rows(targets, limit)
    graphs, targets, split = graphs.part(rows), targets[rows], split[rows]
    ego = {"ego": MOLECULE, "egolabel": _labeled(MOLECULE)}
    ego |= {"egolabel2": _labeled(MOLECULE | {"radius": (1, 2)})}
    ego |= {"egolabel4": _labeled(MOLECULE | {"radius": (1, 2, 3, 4)})}
    ego |= {"egolabel5": _labeled(MOLECULE | {"radius": (1, 2, 3, 4, 5)})}
    blocks, seconds = columns.graph_columns(graphs, ego, ("cycles",))
    for radius in (1, 2):
        bags, took = columns.timed({f"bag{radius}": partial(_bag, graphs, radius)})
        blocks, seconds = blocks | bags, seconds | took
    blocks["bonds"] = columns.pooled_counts(_of_edges(graphs), columns.one_hot(graphs.bond))
    return Task(
        name, "mae", "fixed", targets.astype(np.float64), split[None].astype(np.int8), blocks, seconds
    )


def _bag(graphs: GraphList, radius: int) -> Any:
    """Return how often every labeled encoding as a whole occurs in a graph, if it does in five graphs."""
    return columns.pooled_counts(
        graphs, columns.class_counts(graphs, radius=radius, degrees="full"), fewest=5
    )


def _of_edges(graphs: GraphList) -> GraphList:
    """Return a list whose nodes are the edges, to count kinds of edges per graph; edges must be in order of graphs."""
    counts = np.bincount(graphs.graph_of[graphs.edges[:, 0]], minlength=graphs.num_graphs)
    start = np.concatenate([[0], np.cumsum(counts)])
    return GraphList(start, np.empty((0, 2), dtype=np.int64), graphs.bond, np.empty(0, dtype=np.int64))


def node_task(name: str, limit: int | None = None) -> Task:
    """Return a node classification set with its ten masks."""
    graph, features, classes, parts = read_node_set(name)
    graph, rows = first_nodes(graph, limit)
    features, classes, parts = features[rows], classes[rows], parts[:, rows]
    features = features if limit is None else features[:, :50]
    ego = {"ego": LOG, "ego1": LOG | {"radius": 1}}
    blocks, seconds = columns.node_columns(graph, ego, steps=6 if name == "tolokers" else 20)
    metric = "auc" if name in ("tolokers", "minesweeper") else "accuracy"
    if features.shape[1] > WIDE:
        features = columns.singular_vectors(features, WIDE)
    elif features.shape[1] < WIDE:  # few features: their means over the neighbors are features of a node too
        near = rivals.adjacency(graph) @ features / np.maximum(rivals.degrees(graph), 1)
        features = np.concatenate([features, near.astype(np.float32)], axis=1)
    return Task(name, metric, "masks", classes, parts, {"features": features} | blocks, seconds)


def airport_task(name: str, limit: int | None = None) -> Task:
    """Return a network of airports, on newly drawn partitions."""
    graph, classes = read_airports(name)
    graph, rows = first_nodes(graph, limit)
    classes = classes[rows]
    blocks, seconds = columns.node_columns(graph, {"ego": LOG, "ego1": LOG | {"radius": 1}})
    return Task(name, "accuracy", "partitions", classes, NONE, blocks, seconds)


def twitch_task(country: str, limit: int | None = None) -> Task:
    """Return the users of the German network (training) and of another one (test); columns are those of training."""
    import egonet

    whole = [read_twitch(name) for name in ("DE", country.removeprefix("twitch-").upper())]
    cut = [(first_nodes(graph, limit), mature) for graph, mature in whole]
    first, second = ((graph, mature[rows]) for (graph, rows), mature in cut)
    both = join_graphs(
        [
            (graph.num_nodes, graph.edges, np.zeros(graph.num_nodes), np.ones(len(graph.edges)))
            for graph, _ in (first, second)
        ]
    )
    blocks, seconds = columns.node_columns(both, {}, steps=10)
    blocks["lappe"] = np.abs(blocks["lappe"])  # the sign of an eigenvector means nothing on another graph
    for name, settings in {"ego": LOG, "ego1": LOG | {"radius": 1}}.items():
        learned = egonet.encode(first[0].as_graph(), **settings)
        encode = partial(egonet.encode, both.as_graph(), vocabulary=learned.vocabulary)
        made, took = columns.timed({name: encode})
        made = {name: encoding.matrix for name, encoding in made.items()}
        blocks, seconds = blocks | made, seconds | took
    parts = np.array([[0] * first[0].num_nodes + [2] * second[0].num_nodes], dtype=np.int8)
    target = np.concatenate([first[1], second[1]])
    return Task(country, "auc", "fixed", target, parts, blocks, seconds)

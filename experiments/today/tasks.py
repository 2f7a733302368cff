"""The tasks on columns: what is read, which columns are made, which models are fitted, for every current benchmark."""

from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.today import columns, rivals
from experiments.today.chemistry import molecule_graphs, morgan, read_smiles, scaffold_split
from experiments.today.readers import (
    read_airports,
    read_gin_set,
    read_molecule_table,
    read_molhiv_split,
    read_node_set,
    read_paper_set,
    read_twitch,
)
from experiments.today.sources import GraphList, join_graphs, read_zinc
from experiments.today.tabular.task import Task

NONE = np.empty((0, 0), dtype=np.int8)
LOG = {"radius": (1, 2), "degree_bins": "log"}
PLAIN = {"radius": (1, 2)}
MOLECULE = {"radius": (1, 2, 3), "degrees": "full"}


def _labeled(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings with the labels as part of the keys."""
    return settings | {"labeled": True}


def paper_task(name: str) -> Task:
    """Return one of the paper's four sets, on partitions drawn anew."""
    graphs, classes = read_paper_set(name)
    ego = {"ego": PLAIN, "egolabel": _labeled(PLAIN)}
    ego |= {"egolabel1": _labeled({"radius": 1}), "egolabel3": _labeled({"radius": (1, 2, 3)})}
    blocks, seconds = columns.graph_columns(graphs, ego)
    return Task(name, "accuracy", "partitions", classes, NONE, blocks, seconds)


def gin_task(name: str) -> Task:
    """Return a set with the folds of the GIN paper."""
    graphs, classes, parts = read_gin_set(name)
    labeled = name == "nci1"
    ego = {"ego": PLAIN, "egolabel": _labeled(PLAIN)} if labeled else {"ego": LOG, "ego1": LOG | {"radius": 1}}
    leave_out = () if labeled else ("labels",)
    if name in ("collab", "reddit-b"):
        leave_out = ("labels", "cycles", "wl")
    if name == "reddit-b":
        leave_out += ("rwse", "lappe")
    blocks, seconds = columns.graph_columns(graphs, ego, leave_out)
    return Task(name, "accuracy", "folds", classes, parts, blocks, seconds)


def molecule_task(name: str) -> Task:
    """Return a MoleculeNet set with the scaffold split, or molhiv with OGB's."""
    smiles, targets = read_molecule_table(name)
    molecules, rows = read_smiles(smiles, tolerant=name == "molhiv")
    targets = targets[rows]
    parts = read_molhiv_split(len(smiles))[:, rows] if name == "molhiv" else scaffold_split(molecules)
    graphs = molecule_graphs(molecules)
    leave_out = ("wl", "cycles", "size") + (("lappe",) if name == "molhiv" else ())
    ego = {"ego": MOLECULE, "egolabel": _labeled(MOLECULE)}
    blocks, seconds = columns.graph_columns(graphs, ego, leave_out, fewest=20 if name == "molhiv" else columns.FEWEST)
    fingerprints, took = columns.timed({"morgan": lambda: morgan(molecules)})
    metric = "rmse" if name in ("esol", "freesolv", "lipo") else "auc"
    target = targets[:, 0] if targets.shape[1] == 1 else targets
    return Task(name, metric, "fixed", target, parts, blocks | fingerprints, seconds | took)


def zinc_task() -> Task:
    """Return ZINC-12k with pooled columns."""
    graphs, targets, split = read_zinc()
    ego = {"ego": MOLECULE, "egolabel": _labeled(MOLECULE)}
    ego |= {"egolabel2": _labeled(MOLECULE | {"radius": (1, 2)})}
    ego |= {"egolabel4": _labeled(MOLECULE | {"radius": (1, 2, 3, 4)})}
    ego |= {"egolabel5": _labeled(MOLECULE | {"radius": (1, 2, 3, 4, 5)})}
    blocks, seconds = columns.graph_columns(graphs, ego, ("cycles",))
    for radius in (1, 2):
        bags, took = columns.timed(
            {
                f"bag{radius}": lambda radius=radius: columns.pooled_counts(
                    graphs, columns.class_counts(graphs, radius=radius, degrees="full"), fewest=5
                )
            }
        )
        blocks, seconds = blocks | bags, seconds | took
    blocks["bonds"] = columns.pooled_counts(_of_edges(graphs), columns.one_hot(graphs.bond))
    return Task("zinc", "mae", "fixed", targets.astype(np.float64), split[None].astype(np.int8), blocks, seconds)


def _of_edges(graphs: GraphList) -> GraphList:
    """Return a list whose nodes are the edges, to count kinds of edges per graph; edges must be in order of graphs."""
    counts = np.bincount(graphs.graph_of[graphs.edges[:, 0]], minlength=graphs.num_graphs)
    start = np.concatenate([[0], np.cumsum(counts)])
    return GraphList(start, np.empty((0, 2), dtype=np.int64), graphs.bond, np.empty(0, dtype=np.int64))


def node_task(name: str) -> Task:
    """Return a node classification set with its ten masks."""
    graph, features, classes, parts = read_node_set(name)
    ego = {"ego": LOG, "ego1": LOG | {"radius": 1}}
    blocks, seconds = columns.node_columns(graph, ego, steps=6 if name == "tolokers" else 20)
    metric = "auc" if name in ("tolokers", "minesweeper") else "accuracy"
    if features.shape[1] < 100:  # few features: their means over the neighbors are features of a node too
        near = rivals.adjacency(graph) @ features / np.maximum(rivals.degrees(graph), 1)
        features = np.concatenate([features, near.astype(np.float32)], axis=1)
    return Task(name, metric, "masks", classes, parts, {"features": features} | blocks, seconds)


def airport_task(name: str) -> Task:
    """Return a network of airports, on partitions drawn anew."""
    graph, classes = read_airports(name)
    blocks, seconds = columns.node_columns(graph, {"ego": LOG, "ego1": LOG | {"radius": 1}})
    return Task(name, "accuracy", "partitions", classes, NONE, blocks, seconds)


def twitch_task(country: str) -> Task:
    """Return the users of the German network (training) and of another one (test); columns are those of training."""
    import egonet

    first, second = read_twitch("DE"), read_twitch(country.removeprefix("twitch-").upper())
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
        made, took = columns.timed(
            {
                name: lambda learned=learned: egonet.encode(both.as_graph(), vocabulary=learned.vocabulary).matrix
            }
        )
        blocks, seconds = blocks | made, seconds | took
    parts = np.array([[0] * first[0].num_nodes + [2] * second[0].num_nodes], dtype=np.int8)
    target = np.concatenate([first[1], second[1]])
    return Task(country, "auc", "fixed", target, parts, blocks, seconds)


NODES = ("degree", "ldp", "rwse", "lappe", "ego1", "ego")
_ON_LABELS = ("degree", "ldp", "cycles", "rwse", "lappe", "ego")


def _rows(model: str, names: list[str]) -> list[tuple[str, str]]:
    """Return (model, columns) for some columns."""
    return [(model, name) for name in names]


_PAPER = [
    *_rows("forest", ["labels+size", *(f"labels+size+{name}" for name in _ON_LABELS)]),
    *_rows("forest", ["labels+size+egolabel", "labels+size+wl"]),
    ("forest", "labels+size+egolabel1|labels+size+egolabel|labels+size+egolabel3"),
]
_PLAIN = _rows("forest", ["size", *(f"size+{name}" for name in ("degree", "ldp", "cycles", "rwse", "lappe", "ego1", "ego", "wl"))])
_LARGE = _rows("forest", ["size", *(f"size+{name}" for name in ("degree", "ldp", "rwse", "lappe", "ego1", "ego"))])
_MOLECULES = _rows(
    "forest",
    ["labels", *(f"labels+{name}" for name in ("degree", "ldp", "rwse", "lappe", "ego", "egolabel"))]
    + ["morgan", "morgan+egolabel"],
)
_ON_NODES = _rows("boosting", ["features", *(f"features+{name}" for name in NODES)])
_ZINC = _rows(
    "ridge",
    ["labels+bonds", *(f"labels+bonds+{name}" for name in ("degree", "ldp", "rwse", "lappe", "wl", "ego"))]
    + [f"labels+bonds+{name}" for name in ("egolabel2", "egolabel", "egolabel4", "egolabel5")],
)
_BAGS = [
    (model, f"labels+bonds+egolabel4+{name}")
    for name in ("bag1", "bag1+bag2")
    for model in ("ridge", "ridge-unscaled")
]

#: Per set: how its task is made, the (model, columns) to fit, and how many seeds.
TASKS: dict[str, tuple[Callable[[], Task], list[tuple[str, str]], int]] = {
    **{name: (lambda name=name: airport_task(name), _rows("forest", ["none", *NODES]), 5) for name in ("brazil", "europe", "usa")},
    **{name: (lambda name=name: paper_task(name), _PAPER, 5) for name in ("mutag", "ptc", "enzymes", "proteins")},
    **{name: (lambda name=name: gin_task(name), _PLAIN, 1) for name in ("imdb-b", "imdb-m")},
    "nci1": (lambda: gin_task("nci1"), _PAPER[:-1], 1),
    "collab": (lambda: gin_task("collab"), _LARGE, 1),
    **{
        name: (lambda name=name: molecule_task(name), _MOLECULES, 5)
        for name in ("bbbp", "bace", "esol", "freesolv", "lipo", "tox21")
    },
    "molhiv": (lambda: molecule_task("molhiv"), [row for row in _MOLECULES if "lappe" not in row[1]], 3),
    "zinc": (zinc_task, [*_ZINC, *_BAGS, *(("boosting", row[1]) for row in _ZINC if "egolabel" not in row[1] and "wl" not in row[1]), ("boosting", "labels+bonds+egolabel")], 1),
    **{name: (lambda name=name: node_task(name), _ON_NODES, 1) for name in ("chameleon", "squirrel", "actor", "minesweeper", "tolokers")},
    **{f"twitch-{name}": (lambda name=name: twitch_task(f"twitch-{name}"), _rows("forest", list(NODES)), 5) for name in ("engb", "fr", "ru")},
}

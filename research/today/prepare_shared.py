"""Prepare graph and node sets for networks on a machine without egonet: graphs, folds and encodings in one npz file."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.io import atomic_path
from research.today import rivals
from research.today.prepare import ego_matrix
from research.today.readers import (
    read_airports,
    read_csl,
    read_gin_set,
    read_mutag_bonds,
    read_node_set,
    read_paper_set,
    read_twitch,
)
from research.today.sources import GraphList, join_graphs, some_rows
from research.today.tasks import first_nodes

Array = np.ndarray[Any, Any]
LOG: dict[str, Any] = {"degree_bins": "log"}
PAPER_EGO = {
    "ego1": {"radius": 1},
    "ego": {"radius": (1, 2)},
    "ego3": {"radius": (1, 2, 3)},
    "egolabel": {"radius": (1, 2), "labeled": True},
}
MUTAG_EGO = PAPER_EGO | {
    "egofull": {"radius": (1, 2, 3), "degrees": "full"},
    "refined": {"radius": (1, 2, 3), "rooted": "refined", "depth": 1},
}
SOCIAL_EGO = {"ego1": LOG | {"radius": 1}, "ego": LOG | {"radius": (1, 2)}}
#: Columns that differ from zero in fewer nodes are dropped: no training part can have more of them.
FEWEST = 20
#: Partitions of the paper's four sets and of the airports.
PARTITIONS = 3
COUNTRIES = ("ENGB", "FR", "RU")


def rival_jobs(graphs: GraphList, steps: int = 20) -> dict[str, Callable[[], Array]]:
    """Return the functions that compute the rival encodings; random walks have `steps`."""
    return {
        "degree": lambda: rivals.degrees(graphs).astype(np.int32),
        "ldp": lambda: np.log1p(rivals.degree_profiles(graphs)).astype(np.float16),
        "cycles": lambda: rivals.cycles(graphs).astype(np.float16),
        "rwse": lambda: rivals.walk_returns(graphs, steps).astype(np.float16),
        "lappe": lambda: rivals.eigenvectors(graphs).astype(np.float16),
    }


def ego_columns(graphs: GraphList, settings: dict[str, Any]) -> Array:
    """Return the counts of ego-networks without rare columns, as small whole numbers."""
    matrix = ego_matrix(graphs, **settings).tocsr()
    used = np.bincount(matrix.indices, minlength=matrix.shape[1]) >= FEWEST
    return np.asarray(matrix[:, np.flatnonzero(used)].toarray(), dtype=np.uint16)


def with_validation(parts: Array, classes: Array) -> Array:
    """Return folds in which a tenth of the training rows of every class is for validation."""
    found = parts.copy()
    for fold, row in enumerate(found):
        rng = np.random.default_rng(fold)
        for kind in np.unique(classes):
            own = rng.permutation(np.flatnonzero((row == 0) & (classes == kind)))
            row[own[: max(1, round(len(own) / 10))]] = 1
    return found


def drawn_folds(classes: Array, folds: int, partitions: int) -> Array:
    """Return parts (folds * partitions, rows) of newly drawn partitions, 2 for the rows of test."""
    from sklearn.model_selection import StratifiedKFold

    found = np.zeros((folds * partitions, len(classes)), dtype=np.int8)
    for seed in range(partitions):
        splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(classes, classes)
        for fold, (_, test) in enumerate(splits):
            found[seed * folds + fold, test] = 2
    return found


def write_shared(
    path: Path, about: list[Any], graphs: GraphList, arrays: dict[str, Any], jobs: dict[str, Any]
) -> dict[str, float]:
    """Write a set with its encodings, and return the seconds each took.

    `about` has name, metric, split, whether a row is a graph, and whether graphs are means over nodes.
    """
    seconds, encodings = {}, {}
    for name, job in jobs.items():
        started = time.perf_counter()
        encodings[f"encoding_{name}"] = job()
        seconds[name] = round(time.perf_counter() - started, 3)
    ends = np.sort(graphs.edges, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends = ends[order]
    local = ends[:, 1] - graphs.start[graphs.graph_of[ends[:, 0]]]
    whole = {
        "about": np.array([str(value) for value in about]),
        "sizes": np.diff(graphs.start).astype(np.int32),
        "larger": np.bincount(ends[:, 0], minlength=graphs.num_nodes).astype(np.uint16),
        "neighbor": local.astype(np.uint16 if local.max(initial=0) < 2**16 else np.int32),
        "label": np.unique(graphs.label, return_inverse=True)[1].astype(np.uint8),
        "seconds": np.array([f"{name} {value}" for name, value in seconds.items()]),
    }
    if len(np.unique(graphs.bond)) > 1:
        whole["bond"] = graphs.bond[order].astype(np.uint8)
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **(whole | arrays | encodings))
    return seconds


def prepare_graphs(name: str, path: Path, limit: int | None = None) -> dict[str, float]:
    """Write one of the paper's four sets, a set with the folds of the GIN paper, or CSL."""
    labeled, mean, steps = True, False, 20
    if name == "csl":
        graphs, classes = read_csl()
        parts, split = drawn_folds(classes, 5, 1), "partitions"
        ego: dict[str, Any] = {"ego": {"radius": (1, 2, 3, 4)}}
    elif name in ("mutag", "ptc", "enzymes", "proteins"):
        graphs, classes = read_paper_set(name)
        if name == "mutag":
            graphs = GraphList(graphs.start, graphs.edges, graphs.label, read_mutag_bonds(graphs))
        parts, split = drawn_folds(classes, 10, PARTITIONS), "partitions"
        ego = MUTAG_EGO if name == "mutag" else PAPER_EGO
    else:
        graphs, classes, parts = read_gin_set(name, limit)
        labeled, mean, split = name == "nci1", name != "nci1", "folds"
        ego = PAPER_EGO if labeled else SOCIAL_EGO
        steps = 10 if name == "reddit-b" else 20
    rows = some_rows(classes, limit)
    graphs, classes, parts = graphs.part(rows), classes[rows], parts[:, rows]
    if not labeled:
        graphs = GraphList(
            graphs.start, graphs.edges, np.zeros(graphs.num_nodes, dtype=np.int64), graphs.bond
        )
    arrays = {
        "target": classes.astype(np.uint8),
        "parts": with_validation(parts, classes),
        "tests": np.array([name]),
    }
    jobs = rival_jobs(graphs, steps) | {key: partial(ego_columns, graphs, each) for key, each in ego.items()}
    for left_out in {"collab": ("cycles",), "reddit-b": ("cycles", "lappe")}.get(name, ()):
        jobs.pop(left_out)
    return write_shared(path, [name, "accuracy", split, True, mean], graphs, arrays, jobs)


def prepare_nodes(name: str, path: Path, limit: int | None = None) -> dict[str, float]:
    """Write a node classification set with its ten masks."""
    graph, features, classes, parts = read_node_set(name)
    graph, rows = first_nodes(graph, limit)
    features, classes, parts = features[rows], classes[rows], parts[:, rows]
    arrays = {
        "target": classes.astype(np.uint8),
        "parts": parts.astype(np.int8),
        "tests": np.array([name]),
        "features": features.astype(np.float16),
    }
    metric = "auc" if name in ("tolokers", "minesweeper") else "accuracy"
    jobs = rival_jobs(graph, 6 if name == "tolokers" else 20)
    jobs.pop("cycles")
    jobs |= {key: partial(ego_columns, graph, each) for key, each in SOCIAL_EGO.items()}
    return write_shared(path, [name, metric, "masks", False, False], graph, arrays, jobs)


def prepare_airports(name: str, path: Path, limit: int | None = None) -> dict[str, float]:
    """Write a network of airports, or twice `limit` of them, with partitions drawn anew."""
    graph, classes = read_airports(name)
    graph, rows = first_nodes(graph, limit and 2 * limit)  # ten folds need ten airports of every class
    classes = classes[rows]
    arrays = {
        "target": classes.astype(np.uint8),
        "parts": with_validation(drawn_folds(classes, 10, PARTITIONS), classes),
        "tests": np.array([name]),
    }
    jobs = rival_jobs(graph)
    jobs.pop("cycles")
    jobs |= {key: partial(ego_columns, graph, each) for key, each in SOCIAL_EGO.items()}
    return write_shared(path, [name, "accuracy", "partitions", False, False], graph, arrays, jobs)


def prepare_twitch(path: Path, limit: int | None = None) -> dict[str, float]:
    """Write the German network of Twitch users for training, a tenth of it for validation, and three for testing."""
    found = []
    for country in ("DE", *COUNTRIES):
        graph, mature = read_twitch(country)
        graph, rows = first_nodes(graph, limit)
        found.append((graph, mature[rows]))
    both = join_graphs(
        [
            (graph.num_nodes, graph.edges, np.zeros(graph.num_nodes), np.ones(len(graph.edges)))
            for graph, _ in found
        ]
    )
    target = np.concatenate([mature for _, mature in found])
    parts = np.repeat([0, 2, 3, 4], [graph.num_nodes for graph, _ in found]).astype(np.int8)
    arrays = {
        "target": target.astype(np.uint8),
        "parts": with_validation(parts[None], target),
        "tests": np.array([f"twitch-{country.lower()}" for country in COUNTRIES]),
    }
    jobs = rival_jobs(both, 10)
    jobs.pop("cycles")
    for name, settings in SOCIAL_EGO.items():
        jobs[name] = partial(_learned_columns, found[0][0], both, settings)
    return write_shared(path, ["twitch", "auc", "fixed", False, False], both, arrays, jobs)


def _learned_columns(first: GraphList, both: GraphList, settings: dict[str, Any]) -> Array:
    """Return the counts of all nodes in the columns that the first network has."""
    learned = egonet.encode(first.as_graph(), **settings)
    matrix = egonet.encode(both.as_graph(), vocabulary=learned.vocabulary).matrix.tocsr()
    used = np.bincount(matrix[: first.num_nodes].indices, minlength=matrix.shape[1]) >= FEWEST
    return matrix[:, np.flatnonzero(used)].toarray().astype(np.uint16)


def prepare_shared(name: str, path: Path, limit: int | None = None) -> dict[str, float]:
    """Write one set for networks; return the seconds of every encoding."""
    if name == "twitch":
        return prepare_twitch(path, limit)
    if name in ("brazil", "europe", "usa"):
        return prepare_airports(name, path, limit)
    if name in ("chameleon", "squirrel", "actor", "minesweeper", "tolokers"):
        return prepare_nodes(name, path, limit)
    return prepare_graphs(name, path, limit)

"""Columns of graphs and nodes: encodings of ego-networks and their rivals, pooled where a row is a graph."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sparse

import egonet
from research.today import rivals
from research.today.sources import GraphList

Array = np.ndarray[Any, Any]
#: Columns that differ from zero in fewer rows are dropped: no model can learn from them.
FEWEST = 3


def ego_counts(graphs: GraphList, *, labeled: bool = False, **settings: Any) -> Any:
    """Return the counts of every node's ego-networks, sparse."""
    labels = graphs.label if labeled else None
    return egonet.encode(graphs.as_graph(), labels=labels, **settings).matrix


def class_counts(graphs: GraphList, *, labeled: bool = True, **settings: Any) -> Any:
    """Return a one in the column of every node's encoding as a whole: nodes with equal encodings share a column."""
    labels = graphs.label if labeled else None
    return one_hot(egonet.encode(graphs.as_graph(), labels=labels, **settings).classes)


def label_counts(graphs: GraphList) -> Any:
    """Return a one in the column of every node's label."""
    labels = np.unique(graphs.label, return_inverse=True)[1]
    return one_hot(labels)


def one_hot(numbers: Array) -> Any:
    """Return a sparse one in the column of every number."""
    size = len(numbers)
    return sparse.csr_array(
        (np.ones(size, dtype=np.int32), (np.arange(size), numbers)),
        shape=(size, int(numbers.max(initial=0)) + 1),
    )


def degree_counts(graphs: GraphList) -> Any:
    """Return a one in the column of every node's degree; degrees above 20 share columns by powers of two."""
    found = rivals.degrees(graphs)[:, 0].astype(np.int64)
    bins = np.where(found > 20, 16 + np.log2(np.maximum(found, 1)).astype(np.int64), found)
    return one_hot(bins)


def subtree_counts(graphs: GraphList, rounds: int = 2) -> Any:
    """Return a one in the columns of every node's WL colors, of the start and of each round."""
    return sparse.hstack([one_hot(colors) for colors in rivals.subtree_colors(graphs, rounds)], format="csr")


def pooled_counts(
    graphs: GraphList, counts: Any, *, fewest: int = FEWEST, training: Array | None = None
) -> Any:
    """Return the sums over the nodes of every graph, without columns that few training graphs have (none: all)."""
    size = graphs.num_nodes
    owner = sparse.csr_array(
        (np.ones(size, dtype=np.int32), (graphs.graph_of, np.arange(size))), shape=(graphs.num_graphs, size)
    )
    sums = sparse.csr_array(owner @ counts)
    seen = sums if training is None else sums[training]
    return sums[:, np.flatnonzero(seen.count_nonzero(axis=0) >= fewest)]


def pooled_values(graphs: GraphList, values: Array) -> Array:
    """Return the mean, spread, least and largest value of every column over the nodes of every graph."""
    starts, sizes = graphs.start[:-1], np.diff(graphs.start)[:, None]
    values = values.astype(np.float64)
    mean = np.add.reduceat(values, starts) / sizes
    spread = np.sqrt(np.maximum(np.add.reduceat(values**2, starts) / sizes - mean**2, 0))
    least, largest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.concatenate([mean, spread, least, largest], axis=1).astype(np.float32)


def graph_sizes(graphs: GraphList) -> Array:
    """Return the nodes and edges of every graph."""
    edges = np.bincount(graphs.graph_of[graphs.edges[:, 0]], minlength=graphs.num_graphs)
    return np.stack([np.diff(graphs.start), edges], axis=1).astype(np.float32)


def graph_columns(
    graphs: GraphList,
    ego: dict[str, dict[str, Any]],
    leave_out: tuple[str, ...] = (),
    *,
    fewest: int = FEWEST,
    training: Array | None = None,
    steps: int = 20,
) -> Any:
    """Return the blocks of columns of a set of graphs, and the seconds each took.

    Parameters
    ----------
    ego
        The settings of every block of ego-networks by name, as for `ego_counts`.
    leave_out
        Blocks that take too long for the set.
    fewest
        Columns of counts that fewer graphs have are dropped.
    training
        Rows of the graphs that decide it, where there is one split; all graphs by default, for sets whose folds each
        drop columns by their training part.
    steps
        The length of random walks.
    """
    jobs: dict[str, Callable[[], Any]] = {
        "labels": lambda: pooled_counts(graphs, label_counts(graphs), training=training),
        "size": lambda: graph_sizes(graphs),
        "degree": lambda: pooled_counts(graphs, degree_counts(graphs), training=training),
        "ldp": lambda: pooled_values(graphs, rivals.degree_profiles(graphs)),
        "cycles": lambda: pooled_values(graphs, rivals.cycles(graphs)),
        "rwse": lambda: pooled_values(graphs, rivals.walk_returns(graphs, steps)),
        "lappe": lambda: pooled_values(graphs, np.abs(rivals.eigenvectors(graphs))),
        "wl": lambda: pooled_counts(graphs, subtree_counts(graphs), training=training),
    }
    for name, settings in ego.items():
        jobs[name] = partial(_pooled_ego, graphs, settings, fewest, training)
    return timed({name: job for name, job in jobs.items() if name not in leave_out})


def _pooled_ego(graphs: GraphList, settings: dict[str, Any], fewest: int, training: Array | None) -> Any:
    """Return the counts of ego-networks summed over every graph."""
    return pooled_counts(graphs, ego_counts(graphs, **settings), fewest=fewest, training=training)


def singular_vectors(features: Array, count: int) -> Array:
    """Return the first left singular vectors of a matrix of features, times their singular values; no target is used.

    Examples
    --------
    >>> singular_vectors(np.array([[3.0, 4.0], [6.0, 8.0]]), 1).round(6).tolist()
    [[5.0], [10.0]]
    """
    from sklearn.utils.extmath import randomized_svd

    left, values, _ = randomized_svd(features.astype(np.float64), count, random_state=0)
    scores = left * values
    return np.asarray(scores * np.where(scores.sum(axis=0) < 0, -1, 1), dtype=np.float32)


def node_columns(graphs: GraphList, ego: dict[str, dict[str, Any]], *, steps: int = 20) -> Any:
    """Return the blocks of columns of the nodes of a graph, and the seconds each took; random walks have `steps`."""
    jobs: dict[str, Callable[[], Any]] = {
        "degree": lambda: rivals.degrees(graphs),
        "ldp": lambda: rivals.degree_profiles(graphs),
        "rwse": lambda: rivals.walk_returns(graphs, steps),
        "lappe": lambda: rivals.eigenvectors(graphs),
    }
    for name, settings in ego.items():
        jobs[name] = partial(ego_counts, graphs, **settings)
    return timed(jobs)


def timed(jobs: dict[str, Callable[[], Any]]) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the results of some functions, and the seconds each took."""
    found, seconds = {}, {}
    for name, job in jobs.items():
        started = time.perf_counter()
        found[name] = job()
        seconds[name] = time.perf_counter() - started
    return found, seconds

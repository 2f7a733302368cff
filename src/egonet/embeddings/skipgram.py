"""Random walks, and skip-gram on them: nodes that meet get a large product, random pairs a small one."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import as_argument, as_flag, as_whole
from egonet.encoding.matrix import Counts
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, in_python, show_value
from egonet.graph.graph import Graph
from egonet.kernel.native import add_pairs, available_cores, multiply_sparse
from egonet.typing import Float32s, Floats, Int32s, Int64s

#: Fills a walk after its end at a node without neighbors.
NOWHERE = -1
#: The largest number of walks, steps and epochs: nodes are numbered in 32 bits.
MOST = 2**31 - 1


@dataclass(frozen=True)
class Walks:
    """How walks are drawn, and which of their nodes form pairs.

    Attributes
    ----------
    per_node
        Walks that start at every node, per epoch.
    length
        The number of nodes of a walk, the first included.
    window
        Two nodes of a walk at most `window` steps apart are a pair.
    lazy
        True lets a walk stay at its node with probability 1 / (degree + 1), as if every node had a self-loop.

    Examples
    --------
    >>> Walks(length=4, window=2).num_pairs
    10
    """

    per_node: int = 1
    length: int = 80
    window: int = 5
    lazy: bool = False

    def __post_init__(self) -> None:
        for name, least in (("per_node", 1), ("length", 2), ("window", 1)):
            shown = in_python(name, "--walks") if name == "per_node" else as_argument(name)
            if as_whole(shown, getattr(self, name), most=MOST) < least:
                raise InputError(f"{shown} must be at least {least}, got {getattr(self, name)}.")
        as_flag("lazy", self.lazy)

    @property
    def num_pairs(self) -> int:
        """Return the number of ordered pairs of a complete walk.

        Examples
        --------
        >>> Walks(length=3, window=1).num_pairs
        4
        """
        return 2 * sum(max(self.length - gap, 0) for gap in range(1, min(self.window, self.length) + 1))


def random_walks(graph: Graph, walks: Walks, rng: np.random.Generator) -> Int32s:
    """Return walks from every node, int32 (per_node * num_nodes, length), of node numbers.

    Every step goes to a uniformly random neighbor; in a directed graph, along an arc. After a node without neighbors a
    walk is filled with `NOWHERE` (-1). Each step is one array operation for all walks.

    >>> graph = Graph.from_edges([(0, 1)], num_nodes=3)
    >>> random_walks(graph, Walks(length=4), np.random.default_rng(1)).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0], [2, -1, -1, -1]]
    """
    indptr, degrees = graph.indptr, graph.degrees
    # One extra entry: nodes without neighbors index it before they are masked.
    indices = np.append(graph.indices, np.int32(NOWHERE))
    paths = np.empty((walks.per_node * graph.num_nodes, walks.length), dtype=np.int32)
    here = np.tile(np.arange(graph.num_nodes, dtype=np.int32), walks.per_node)
    paths[:, 0] = here
    for step in range(1, walks.length):
        slot = (rng.random(len(here)) * (degrees[here] + walks.lazy)).astype(np.int64)
        stays = slot >= degrees[here]
        ahead = indices[np.where(stays, len(graph.indices), indptr[here] + slot)]
        if walks.lazy:
            ahead = np.where(stays, here, ahead)
        ahead = np.where(paths[:, step - 1] == NOWHERE, np.int32(NOWHERE), ahead)
        paths[:, step] = ahead
        here = np.where(ahead == NOWHERE, paths[:, 0], ahead)
    return paths


Progress = Callable[[int, int], None]

#: The number of consecutive segments that share their negatives.
SHARING = 8
#: Steps per epoch on small graphs, unless the batch size is given.
_LEAST_STEPS = 20
#: Adam's decay rates and epsilon.
_BETAS, _EPSILON = (0.9, 0.999), 1e-8


@dataclass(frozen=True)
class Training:
    """The settings of training.

    Attributes
    ----------
    negatives
        The number of random nodes per pair of a walk.
    epochs
        The number of passes over the graph, each with new walks.
    rate
        Adam's learning rate.
    batch_pairs
        Pairs per step, negatives included. None uses as many source nodes as the graph has nodes, so that
        computing all node vectors costs no more than the step itself.
    decay
        True decreases the learning rate linearly to zero.
    patience
        Stop after this many epochs without a loss lower by 0.1 %; None never stops early.

    Examples
    --------
    >>> Training(epochs=3).negatives
    5
    """

    negatives: int = 5
    epochs: int = 10
    rate: float = 0.05
    batch_pairs: int | None = None
    decay: bool = True
    patience: int | None = None

    def __post_init__(self) -> None:
        for name in ("negatives", "batch_pairs", "patience"):
            value = getattr(self, name)
            if (value is not None or name == "negatives") and as_whole(name, value, most=MOST) == 0:
                way_out = "" if name == "negatives" else " Leave it out for the default."
                raise InputError(f"{as_argument(name)} must be at least 1, got 0.{way_out}")
        as_whole("epochs", self.epochs, most=MOST)
        is_number = isinstance(self.rate, int | float | np.number) and not isinstance(self.rate, bool)
        if not (is_number and 0 < self.rate < np.inf):
            raise InputError(
                f"{as_argument('rate')} must be a finite number above 0, got {show_value(self.rate)}."
            )
        as_flag("decay", self.decay)


@dataclass(frozen=True, eq=False)
class Start:
    """The state that training starts from.

    Attributes
    ----------
    table
        (num_columns, dim): the vector of every column, in the order of the encoding's columns.
    line
        a and b of the logit a⟨e_u, e_v⟩ + b, which are trained too.

    Examples
    --------
    Continue from trained vectors:

    >>> import egonet
    >>> encoding = egonet.encode(egonet.named.karate_club(), radius=1)
    >>> once = egonet.fit_embeddings(encoding, dim=2, rng=1)
    >>> start = Start(once.table, (once.history.scale, once.history.shift))
    >>> twice = egonet.fit_embeddings(encoding, dim=2, start=start, rng=2)
    >>> twice.history.losses[0] < once.history.losses[0]
    True
    """

    table: Floats
    line: tuple[float, float] = (1.0, 0.0)

    def __post_init__(self) -> None:
        table = self.table
        if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "fiu":
            raise InputError(
                f"table must be an array of numbers (num_columns, dim), got {show_value(table)}."
            )
        line = self.line if isinstance(self.line, tuple | list) else ()
        if len(line) != 2 or not all(isinstance(each, int | float) and math.isfinite(each) for each in line):
            raise InputError(f"line must be two finite numbers, got {show_value(self.line)}.")


@dataclass(frozen=True)
class History:
    """How an embedding was trained.

    Attributes
    ----------
    losses
        The mean loss of every epoch.
    num_pairs
        The number of training pairs, negatives included.
    scale, shift
        a and b of the logit a⟨e_u, e_v⟩ + b that two nodes meet in a walk.
    seconds
        The duration of training.
    settings
        The settings of walks and training, and the seed.
    """

    losses: tuple[float, ...] = ()
    num_pairs: int = 0
    scale: float = 1.0
    shift: float = 0.0
    seconds: float = 0.0
    settings: dict[str, Any] | None = None


class WeightedSums:
    """The product of a fixed sparse matrix of weights with a table; nodes with equal weights share a row.

    Attributes
    ----------
    row_of
        int64 (num_nodes,): the row of each node among the distinct ones.
    """

    def __init__(self, weights: Counts, classes: Int64s) -> None:
        distinct = np.unique(classes, return_index=True)[1]
        rows = csr_array(weights[distinct]).astype(np.float32)
        self.row_of = np.asarray(classes, dtype=np.int64)
        self._rows, self._columns = _arrays(rows), _arrays(csr_array(rows.T))

    def vectors(self, table: Float32s, threads: int) -> Float32s:
        """Return the vectors of the distinct nodes, (num_rows, dim)."""
        return multiply_sparse(*self._rows, table, threads)

    def gradient(self, by_vectors: Float32s, threads: int) -> Float32s:
        """Return the gradient by the table, given the gradient by the vectors."""
        return multiply_sparse(*self._columns, by_vectors, threads)


def train(
    graph: Graph,
    sums: WeightedSums,
    start: Start,
    walks: Walks,
    training: Training,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> tuple[Float32s, History]:
    """Return a table such that a⟨e_u, e_v⟩ + b distinguishes pairs of walks from random pairs, and the history.

    e_v is the weighted sum of the table's rows for node v; a and b are trained too. `progress` is called as
    progress(done, total) with the number of nodes that walks started from.
    """
    table, line = start.table.astype(np.float32), np.array(start.line, dtype=np.float32)
    optimizers = Adam(table), Adam(line)
    batches = Batches(graph.num_nodes, walks, training)
    total, losses, num_pairs = training.epochs * graph.num_nodes, list[float](), 0.0
    for epoch in range(training.epochs):
        summed = np.zeros(2)
        for step, (segments, others) in enumerate(batches.epoch(random_walks(graph, walks, rng), rng)):
            share = (epoch + step / batches.num_steps) / training.epochs
            rate = training.rate * (max(1.0 - share, 1e-3) if training.decay else 1.0)
            threads = min(available_cores(), len(others))
            vectors = sums.vectors(table, threads)
            scale_and_shift = (float(line[0]), float(line[1]))
            loss, weight, *slopes, by_vectors, _ = add_pairs(
                (vectors, vectors), sums.row_of, segments, others, walks.window, scale_and_shift, threads
            )
            each = np.float32(1.0 / max(weight, 1.0))
            optimizers[0].step(sums.gradient(by_vectors, threads) * each, rate)
            optimizers[1].step(np.array(slopes, dtype=np.float32) * each, rate)
            summed += loss, weight
            _report(progress, share, total)
        losses.append(float(summed[0] / max(summed[1], 1.0)))
        num_pairs += summed[1]
        if _has_stalled(losses, training.patience):
            break
    _report(progress, 1.0, total)
    return table, History(tuple(losses), round(num_pairs), float(line[0]), float(line[1]))


class Batches:
    """Divides walks into segments of `window` source nodes and batches them in random order."""

    def __init__(self, num_nodes: int, walks: Walks, training: Training) -> None:
        self.num_nodes, self.walks = num_nodes, walks
        per_source = 2 * walks.window * (1 + training.negatives)
        every = num_nodes * walks.per_node * walks.length * per_source
        usual = min(max(100_000, num_nodes * per_source), every // _LEAST_STEPS)
        pairs = training.batch_pairs or usual
        self.num_groups = max(1, round(pairs / (per_source * walks.window * SHARING)))
        self.num_others = 2 * walks.window * training.negatives
        self.per_walk = -(-walks.length // walks.window)
        self.size = self.num_groups * SHARING
        self.num_segments = num_nodes * walks.per_node * self.per_walk
        self.num_steps = -(-self.num_segments // self.size)

    def epoch(self, paths: Int32s, rng: np.random.Generator) -> Iterator[tuple[Int64s, Int64s]]:
        """Yield the segments of every step, (size, 3 * window), and the negatives, (num_groups, count).

        Every node of every walk is a source exactly once. The middle third of a segment are its sources, -1
        marks no node, and empty segments fill the last batch.
        """
        window, length = self.walks.window, paths.shape[1]
        padded = np.full((len(paths) + 1, (self.per_walk + 2) * window), NOWHERE, dtype=np.int32)
        padded[:-1, window : window + length] = paths
        order = np.full(self.num_steps * self.size, self.num_segments)
        order[: self.num_segments] = rng.permutation(self.num_segments)
        along = np.arange(3 * window)
        for chosen in order.reshape(self.num_steps, self.size):
            walk, segment = np.divmod(chosen, self.per_walk)
            segments = padded[walk[:, None], segment[:, None] * window + along].astype(np.int64)
            yield segments, rng.integers(self.num_nodes, size=(self.num_groups, self.num_others))


class Adam:
    """Adam with PyTorch's default settings, on one float32 array that is updated in place.

    The first step has the length of the learning rate.

    >>> values = np.array([1.0, 2.0], dtype=np.float32)
    >>> Adam(values).step(np.array([0.5, -3.0], dtype=np.float32), rate=0.1)
    >>> [round(float(value), 5) for value in values]
    [0.9, 2.1]
    """

    def __init__(self, values: Float32s) -> None:
        self.values = values.reshape(-1)
        self.mean, self.square = np.zeros_like(self.values), np.zeros_like(self.values)
        self.steps = 0

    def step(self, gradient: Float32s, rate: float) -> None:
        self.steps += 1
        one, two = (1.0 - beta**self.steps for beta in _BETAS)
        slope = gradient.reshape(-1)
        self.mean += np.float32(1.0 - _BETAS[0]) * (slope - self.mean)
        self.square *= np.float32(_BETAS[1])
        self.square += np.float32(1.0 - _BETAS[1]) * slope * slope
        root = np.sqrt(self.square) / np.float32(two**0.5) + np.float32(_EPSILON)
        self.values -= np.float32(rate / one) * self.mean / root


def _arrays(matrix: Counts) -> tuple[Int64s, Int32s, Float32s]:
    """Return the arrays of a sparse matrix in the types of the kernel."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float32)


def _report(progress: Progress | None, share: float, total: int) -> None:
    if progress is not None:
        progress(int(share * total), total)


def _has_stalled(losses: list[float], patience: int | None) -> bool:
    """Return whether the last epochs did not lower the loss by a thousandth."""
    if patience is None or len(losses) <= patience:
        return False
    return min(losses[-patience:]) > min(losses[:-patience]) * 0.999


def first_table(vocabulary: Vocabulary, dim: int, rng: np.random.Generator) -> Floats:
    """Return random initial vectors, (num_columns, dim), each dimension standardized.

    Uniform in ±0.5 / √dim, times e^distance / ln(degree + 1); degree 0 gives 0. A key with several degrees uses
    their sum. Columns of histograms are not scaled.

    >>> import egonet
    >>> vocabulary = egonet.encode(egonet.named.path("abcd"), radius=1).vocabulary
    >>> first_table(vocabulary, 2, np.random.default_rng(1)).std(axis=0, ddof=1).round(6)
    array([1., 1.])
    """
    keys, fields = vocabulary.keys, vocabulary.settings.num_fields
    first = 1 + vocabulary.settings.num_distances
    uniform = rng.random((len(vocabulary), dim))
    plain = len(uniform) - len(keys)
    # Distance 0 and degree e - 1 scale a histogram column by one.
    distances = np.append(keys[:, 1], np.zeros(plain))
    degrees = np.append(keys[:, first : first + fields].sum(axis=1), np.full(plain, math.e - 1.0))
    return standardize(uniform, distances, degrees)


def standardize(uniform: Floats, distances: np.ndarray[Any, Any], degrees: np.ndarray[Any, Any]) -> Floats:
    """Return uniform numbers shifted to ±0.5 / √dim, scaled by distance and degree, then standardized.

    >>> found = standardize(np.array([[0.2], [0.9], [0.4]]), np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> found.mean(axis=0).round(12) + 0.0
    array([0.])
    """
    vectors = (uniform - 0.5) / math.sqrt(uniform.shape[1])
    logs = np.log(degrees + 1.0)
    vectors *= np.divide(np.exp(distances), logs, out=np.zeros(len(logs)), where=degrees > 0)[:, None]
    if len(vectors) < 2:
        return vectors
    deviation = vectors.std(axis=0, ddof=1)
    centered: Floats = vectors - vectors.mean(axis=0)
    return np.asarray(centered / np.where(deviation > 0, deviation, 1.0))

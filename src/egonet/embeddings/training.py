"""Where vectors start, and how long and how fast they learn."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from egonet.encoding.settings import as_whole
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError
from egonet.typing import Floats


@dataclass(frozen=True)
class Training:
    """How long and how fast vectors learn.

    Attributes
    ----------
    negatives
        Random nodes against every pair of a walk.
    epochs
        Passes over the graph, each with new walks.
    rate
        Adam's learning rate.
    batch_pairs
        Pairs per step, negatives included. If None, as many sources as the graph has nodes: then the product
        that gives all node vectors costs no more than what is done with them.
    decay
        True lets the learning rate fall to zero along the way.
    patience
        Stop after so many epochs without a loss lower by a thousandth; None never stops early.

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
        """Check that there is something to learn from."""
        if as_whole("negatives", self.negatives) == 0:
            raise InputError("negatives must be at least 1, got 0.")
        as_whole("epochs", self.epochs)
        if not self.rate > 0:
            raise InputError(f"rate must be above 0, got {self.rate!r}.")


@dataclass(frozen=True, eq=False)
class Start:
    """What learning starts from.

    Attributes
    ----------
    table
        (num_columns, dim): the vector of every column, in the order of the encoding's columns.
    line
        a and b of the logit a⟨e_u, e_v⟩ + b, which learn along.

    Examples
    --------
    Going on from vectors that were learned before:

    >>> import egonet
    >>> encoding = egonet.encode(egonet.named.karate_club(), radius=1)
    >>> once = egonet.fit_embeddings(encoding, dim=2, rng=1)
    >>> start = Start(once.table, (once.lesson.scale, once.lesson.shift))
    >>> twice = egonet.fit_embeddings(encoding, dim=2, start=start, rng=2)
    >>> twice.lesson.losses[0] < once.lesson.losses[0]
    True
    """

    table: Floats
    line: tuple[float, float] = (1.0, 0.0)


def first_table(vocabulary: Vocabulary, dim: int, rng: np.random.Generator) -> Floats:
    """Return the vectors that learning starts from, (num_columns, dim), each dimension standardized.

    Uniform in ±0.5 / √dim, times e^distance / ln(degree + 1): far and rare columns weigh more, degree 0 nothing.
    Where a key has several degrees their sum counts; columns that stand for histograms are not scaled.

    Examples
    --------
    >>> import egonet
    >>> vocabulary = egonet.encode(egonet.named.path("abcd"), radius=1).vocabulary
    >>> first_table(vocabulary, 2, np.random.default_rng(1)).std(axis=0, ddof=1).round(6)
    array([1., 1.])
    """
    keys, fields = vocabulary.keys, vocabulary.settings.num_fields
    uniform = rng.random((len(vocabulary), dim))
    plain = len(uniform) - len(keys)
    # A column that stands for a histogram is scaled as distance 0 and degree e - 1 would be: by one.
    distances = np.append(keys[:, 1], np.zeros(plain))
    degrees = np.append(keys[:, 2 : 2 + fields].sum(axis=1), np.full(plain, math.e - 1.0))
    return standardized(uniform, distances, degrees)


def standardized(uniform: Floats, distances: np.ndarray[Any, Any], degrees: np.ndarray[Any, Any]) -> Floats:
    """Return numbers in [0, 1) as first vectors: moved to ±0.5 / √dim, scaled by distance and degree, standardized.

    Examples
    --------
    >>> found = standardized(np.array([[0.2], [0.9], [0.4]]), np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> found.mean(axis=0).round(12) + 0.0
    array([0.])
    """
    vectors = (uniform - 0.5) / math.sqrt(uniform.shape[1])
    logs = np.log(degrees + 1.0)
    vectors *= np.divide(np.exp(distances), logs, out=np.zeros(len(logs)), where=degrees > 0)[:, None]
    if len(vectors) < 2:
        return vectors
    deviation = vectors.std(axis=0, ddof=1)
    centerd: Floats = vectors - vectors.mean(axis=0)
    return np.asarray(centerd / np.where(deviation > 0, deviation, 1.0))

"""Where vectors start, and how long and how fast they learn, in words; needs no torch."""

from dataclasses import dataclass

from egonet.encoding.settings import as_whole
from egonet.errors import InputError
from egonet.types import Floats


@dataclass(frozen=True)
class Training:
    """How long and how fast vectors learn.

    Attributes
    ----------
    negatives
        Random vertices against every pair of a walk.
    epochs
        Passes over the graph, each with new walks.
    rate
        Adam's learning rate.
    batch_pairs
        Pairs per step, negatives included. If None, as many sources as the graph has vertices: then the product
        that gives all vertex vectors costs no more than what is done with them.
    decay
        True lets the learning rate fall to zero along the way.
    separate
        True deals every pair on its own, with negatives of its own, as the paper's code does: less noise in a
        step, but slower. False keeps windows of walks together and lets them share negatives.
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
    separate: bool = False
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
    >>> once = egonet.fit_embeddings(encoding, dim=2, rng=1, device="cpu")
    >>> start = Start(once.table, (once.lesson.scale, once.lesson.shift))
    >>> twice = egonet.fit_embeddings(encoding, dim=2, start=start, rng=2, device="cpu")
    >>> twice.lesson.losses[0] < once.lesson.losses[0]
    True
    """

    table: Floats
    line: tuple[float, float] = (1.0, 0.0)

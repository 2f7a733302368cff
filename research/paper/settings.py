"""A unit of work, its outcome, and how jobs are run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from egonet.errors import InputError
from research.paper.features import Request
from research.paper.spec import DataSpec

QUICK_EPOCHS, QUICK_FOLDS, QUICK_GRAPHS, QUICK_REPEATS = 5, 2, 60, 3


@dataclass(frozen=True)
class Unit:
    """One line of results: one encoding, one seed, and one target where a data set has several."""

    request: Request
    seed: int
    target: int = 0


@dataclass(frozen=True)
class Outcome:
    """The score of a unit, and further measurements."""

    unit: Unit
    score: float
    details: dict[str, Any] = field(default_factory=dict)


def silent(_: str) -> None:
    """Ignore a message."""


@dataclass(frozen=True)
class Settings:
    """How a job is run.

    Attributes
    ----------
    protocol
        "paper" or "honest".
    device
        "cpu" or "cuda".
    quick
        True runs a small part of the work, as a smoke test: two folds, few epochs, few graphs, random
        embeddings. Its scores mean nothing.
    capture
        Whether steps are recorded as CUDA graphs; None records them on a GPU.
    memory
        Bytes that the activations may use.
    report
        Called with messages about progress.
    jobs
        The number of jobs that share the device.
    """

    protocol: str = "paper"
    device: str = "cpu"
    quick: bool = False
    capture: bool | None = None
    memory: float = 4e9
    report: Callable[[str], None] = silent
    jobs: int = 1

    def __post_init__(self) -> None:
        """Validate the protocol."""
        if self.protocol not in ("paper", "honest"):
            raise InputError(f"protocol must be paper or honest, got {self.protocol!r}.")

    def epochs(self, spec: DataSpec) -> int:
        """Return the largest number of epochs."""
        return min(spec.epochs, QUICK_EPOCHS) if self.quick else spec.epochs

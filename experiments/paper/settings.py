"""A unit of work, its outcome, and how jobs are run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from experiments.paper.features import Request
from experiments.paper.spec import DataSpec

QUICK_EPOCHS, QUICK_FOLDS, QUICK_GRAPHS, QUICK_REPEATS = 5, 2, 60, 3


@dataclass(frozen=True)
class Unit:
    """What becomes one line of results: one encoding, one seed, and one target where there are several."""

    request: Request
    seed: int
    target: int = 0


@dataclass(frozen=True)
class Outcome:
    """The score of a unit, and what else is worth keeping."""

    unit: Unit
    score: float
    details: dict[str, Any] = field(default_factory=dict)


def silent(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Settings:
    """How a job is run.

    Attributes
    ----------
    protocol
        "paper" or "honest".
    device
        Where it runs.
    quick
        A small piece of the work, to see that everything fits together: two folds, few epochs, few graphs,
        embeddings left random. Its scores mean nothing.
    capture
        Whether steps become CUDA graphs; if the device is a GPU, unless said otherwise.
    memory
        Bytes the activations may take.
    report
        Told about progress.
    beside
        How many jobs share the device.
    """

    protocol: str = "paper"
    device: str = "cpu"
    quick: bool = False
    capture: bool | None = None
    memory: float = 4e9
    report: Callable[[str], None] = silent
    beside: int = 1

    def epochs(self, spec: DataSpec) -> int:
        """Return the largest number of epochs."""
        return min(spec.epochs, QUICK_EPOCHS) if self.quick else spec.epochs

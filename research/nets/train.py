"""Training all replicas of a network at once: epochs, early stopping of each by itself, and what is recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from egonet.errors import InputError
from egonet.typing import Int64s
from research.nets.network import Replica
from research.nets.trainer import Measured, Trainer, views

_ROUND = 32
#: Capacity beyond the largest batch of an epoch, so that later epochs seldom need another capture.
_SPARE = 1.06


@dataclass(frozen=True, eq=False)
class Plan:
    """How long and on what each replica trains.

    Attributes
    ----------
    train
        Graph numbers per replica.
    measured
        Name → graph numbers per replica, measured after every epoch.
    batch_size, epochs
        Graphs per step; the largest number of passes.
    patience
        If given, a replica stops after this many epochs without a lower loss on "validation".
    orders
        Per replica, a permutation of its training graphs for every epoch; drawn by its seed if not given.
    """

    train: Sequence[Int64s]
    measured: Mapping[str, Sequence[Int64s]]
    batch_size: int
    epochs: int
    patience: int | None = None
    orders: Sequence[Sequence[Int64s]] | None = None


@dataclass(eq=False)
class History:
    """What training recorded: name → (epochs, M) losses (means over graphs) and right answers (counts).

    With patience, `best_epoch` is per replica the epoch of the lowest validation loss and `best` the
    parameters of that epoch.
    """

    losses: dict[str, list[Tensor]] = field(default_factory=dict)
    right: dict[str, list[Tensor]] = field(default_factory=dict)
    best_epoch: Tensor | None = None
    best: Tensor | None = None
    num_epochs: int = 0

    def table(
        self, which: Literal["losses", "right"], name: str
    ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Return one record as an array (epochs, M)."""
        return torch.stack(getattr(self, which)[name]).double().cpu().numpy()


def train(trainer: Trainer, plan: Plan, report: Callable[[int], None] = lambda _: None) -> History:
    """Return the history of training every replica on its own graphs, in its own order.

    Replicas that are done drop out once they are a quarter of those still training; what they recorded
    afterwards is NaN. The trainer itself is then left with the parameters of the moment when the first dropped out.
    """
    history = History({name: [] for name in plan.measured}, {name: [] for name in plan.measured})
    stop = None if plan.patience is None else _Stop(trainer, plan.patience)
    active = _Active(trainer, plan, np.arange(len(trainer.task.replicas)))
    for epoch in range(plan.epochs):
        for name, (loss, right) in active.run(epoch).items():
            history.losses[name].append(active.spread(loss))
            history.right[name].append(active.spread(right))
        history.num_epochs = epoch + 1
        report(epoch)
        if stop is not None:
            stop.update(active, history.losses["validation"][-1], epoch)
            left = active.lines[~stop.done.cpu().numpy()[active.lines]]
            if not len(left):
                break
            if len(left) <= 3 * len(active.lines) // 4:
                active = active.keep(left)
    if stop is not None:
        history.best_epoch, history.best = stop.epoch, stop.flat
    return history


class _Active:
    """The replicas that still train: their trainer and their graphs."""

    def __init__(self, trainer: Trainer, plan: Plan, lines: Int64s) -> None:
        self.trainer, self.plan, self.lines = trainer, plan, lines
        self.total = len(plan.train)
        store = trainer.task.store
        self.device = store.sizes.device
        self.sizes = store.sizes.cpu().numpy()
        self.rows = 0
        self.fixed = {}
        for name, graphs in plan.measured.items():
            chosen = _same_length([graphs[line] for line in lines], store.num_graphs)
            self.fixed[name] = (torch.from_numpy(chosen).to(self.device), _rows(self.sizes[chosen]))

    def run(self, epoch: int) -> dict[str, Measured]:
        """Train for an epoch and return what is measured after it: mean losses and right answers."""
        none = self.trainer.task.store.num_graphs
        graphs = [self.plan.train[line] for line in self.lines]
        drawn = None if self.plan.orders is None else [self.plan.orders[line][epoch] for line in self.lines]
        order = schedule(self.trainer.task.replicas, graphs, epoch, self.plan.batch_size, none, drawn)
        if _rows(self.sizes[order]) > self.rows:
            self.rows = _rows(self.sizes[order], spare=_SPARE)
        on_device = torch.from_numpy(order).to(self.device, non_blocking=True)
        for step in range(order.shape[0]):
            self.trainer.step(on_device[step], self.rows)
        found = {}
        for name, (chosen, num_rows) in self.fixed.items():
            loss, right = self.trainer.measure(chosen, num_rows)
            found[name] = (loss / (chosen != none).sum(1), right)
        return found

    def spread(self, values: Tensor) -> Tensor:
        """Return one value per replica of all, NaN for those that no longer train."""
        if len(self.lines) == self.total:
            return values
        found = torch.full((self.total,), float("nan"), dtype=values.dtype, device=values.device)
        found[torch.from_numpy(self.lines).to(values.device)] = values
        return found

    def keep(self, lines: Int64s) -> "_Active":
        """Return the same training for fewer replicas."""
        self.trainer.release()
        return _Active(self.trainer.keep(np.flatnonzero(np.isin(self.lines, lines))), self.plan, lines)


class _Stop:
    """Early stopping of each replica by itself; one that is done keeps its best parameters."""

    def __init__(self, trainer: Trainer, patience: int) -> None:
        replicas = len(trainer.task.replicas)
        device = trainer.flat.device
        self.patience = patience
        self.lowest = torch.full((replicas,), float("inf"), dtype=trainer.flat.dtype, device=device)
        self.epoch = torch.zeros(replicas, dtype=torch.int64, device=device)
        self.done = torch.zeros(replicas, dtype=torch.bool, device=device)
        self.flat = trainer.flat.clone()
        self.best = views(self.flat, trainer.values)

    @torch.no_grad()
    def update(self, active: _Active, loss: Tensor, epoch: int) -> None:
        """Take in the validation loss of an epoch, NaN for replicas that no longer train."""
        better = (loss < self.lowest) & ~self.done
        self.lowest = torch.where(better, loss, self.lowest)
        self.epoch = torch.where(better, epoch, self.epoch)
        lines = torch.from_numpy(active.lines).to(loss.device)
        for name, value in active.trainer.values.items():
            mask = better[lines].view(-1, *[1] * (value.dim() - 1))
            self.best[name][lines] = torch.where(mask, value, self.best[name][lines])
        self.done |= epoch - self.epoch >= self.patience


def schedule(
    replicas: Sequence[Replica],
    train_graphs: Sequence[Int64s],
    epoch: int,
    batch_size: int,
    none: int,
    orders: Sequence[Int64s] | None = None,
) -> Int64s:
    """Return the graphs of every step of an epoch, int64 (steps, M, batch_size), `none` where they run out.

    Unless it is given, the order depends on a replica's seed and fold and on the epoch alone, so replicas that
    differ in their inputs see the same batches.
    """
    counts = {-(-len(graphs) // batch_size) for graphs in train_graphs}
    if len(counts) != 1:
        raise InputError(
            f"replicas trained together must take equally many steps an epoch, got {sorted(counts)}."
        )
    steps = counts.pop()
    found = np.full((len(replicas), steps * batch_size), none, dtype=np.int64)
    drawn = orders or _orders(replicas, [len(graphs) for graphs in train_graphs], epoch)
    for line, (order, graphs) in enumerate(zip(drawn, train_graphs, strict=True)):
        found[line, : len(graphs)] = graphs[order]
    return np.ascontiguousarray(found.reshape(len(replicas), steps, batch_size).transpose(1, 0, 2))


def _orders(replicas: Sequence[Replica], counts: Sequence[int], epoch: int) -> list[Int64s]:
    """Return a permutation of each replica's graphs; those with the same seed, fold and count share theirs."""
    keys = [(replica.seed, replica.fold, count) for replica, count in zip(replicas, counts, strict=True)]
    drawn = {
        key: np.random.default_rng([*key[:2], epoch]).permutation(key[2]).astype(np.int64)
        for key in dict.fromkeys(keys)
    }
    return [drawn[key] for key in keys]


def _rows(sizes: Int64s, spare: float = 1.0) -> int:
    """Return enough rows for any batch (last axis), one of them for padding, times a reserve."""
    largest = int(sizes.sum(axis=-1).max())
    return -(-int(largest * spare + 1) // _ROUND) * _ROUND


def _same_length(graphs: Sequence[Int64s], none: int) -> Int64s:
    """Return lists of graph numbers as one array, filled up with `none`."""
    found = np.full((len(graphs), max(len(numbers) for numbers in graphs)), none, dtype=np.int64)
    for line, numbers in enumerate(graphs):
        found[line, : len(numbers)] = numbers
    return found

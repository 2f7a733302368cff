"""Training all replicas of one network at once, and what is recorded of every epoch."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from research.nets.peers.layout import Layout, as_array
from research.nets.peers.networks import Net, forward
from research.nets.peers.passes import Pass, Weights
from research.nets.peers.records import Capacity, PeerBatch

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Replica:
    """One network: its seed, its graphs, and the column of the targets that it learns.

    Attributes
    ----------
    seed, fold
        They decide first weights and the order of batches.
    train, measured
        Graph numbers; `measured` by name, such as "validation" and "test".
    target
        Column of the targets.
    """

    seed: int
    fold: int
    train: Array
    measured: dict[str, Array]
    target: int = 0


@dataclass(frozen=True)
class Schedule:
    """How long and how fast all replicas train.

    Attributes
    ----------
    epochs, batch_size, rate
        Adam's learning rate falls from `rate` to zero along half a cosine.
    loss
        "classes" (cross-entropy), "squared" or "absolute".
    measure_every
        Epochs between two measurements; the last epoch is always measured.
    eval_size
        Graphs of a replica that are measured at once.
    seconds
        Training ends earlier where all epochs would take longer; the schedule is shortened after the third.
    at_best
        What is measured only once, with each replica's weights of its lowest validation loss.
    """

    epochs: int
    batch_size: int
    rate: float
    loss: str = "classes"
    measure_every: int = 1
    eval_size: int = 256
    seconds: float = math.inf
    at_best: tuple[str, ...] = ()


@dataclass(eq=False)
class Curves:
    """What was measured: epochs, and per name (measurements, M) mean losses and shares of right answers.

    What was measured once has one measurement.
    """

    epochs: list[int] = field(default_factory=list)
    losses: dict[str, list[Array]] = field(default_factory=dict)
    right: dict[str, list[Array]] = field(default_factory=dict)
    planned: int = 0
    milliseconds: float = 0.0
    weights: int = 0


class PeerTrainer:
    """The weights of all replicas and the steps that change or measure them, recorded as CUDA graphs on a GPU."""

    def __init__(
        self, net: Net, layout: Layout, targets: Array, replicas: Sequence[Replica], loss: str
    ) -> None:
        self.net, self.layout, self.replicas, self.loss = net, layout, replicas, loss
        dtype = torch.int64 if loss == "classes" else layout.dtype
        empty = np.zeros((len(targets), 1), dtype=targets.dtype)
        self.targets = torch.from_numpy(np.concatenate([targets, empty], axis=1)).to(layout.device, dtype)
        self.column = torch.tensor([[replica.target] for replica in replicas], device=layout.device)
        self.weights = Weights([(each.seed, each.fold) for each in replicas], layout.device, layout.dtype)
        self.kept: dict[str, list[tuple[PeerBatch, Tensor]]] = {}
        with torch.no_grad():  # the first pass makes the weights
            few = as_array([each.train[:2] for each in replicas], layout.none)
            self._outputs(layout.exact(few), training=False)
        self.flat = self.weights.flatten()
        self.moments = torch.zeros_like(self.flat), torch.zeros_like(self.flat)
        self.rate, self.steps = (torch.zeros((), dtype=torch.float64, device=layout.device) for _ in range(2))
        self.space: Capacity | None = None
        self.chosen = self.shift = torch.empty(0)
        self.captures = layout.device.startswith("cuda")
        self.recorded: Any = None
        self.best: tuple[Tensor, list[Tensor]] | None = None
        self.measures: dict[str, tuple[Any, tuple[Tensor, Tensor]]] = {}

    def _outputs(self, batch: PeerBatch, *, training: bool) -> Tensor:
        run = Pass(self.weights, training=training, norm=self.net.norm, dropout=self.net.dropout)
        found = forward(self.net, batch, run)
        run.keep_moments()
        return found

    def losses(self, outputs: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss of every graph and whether it was answered right, zero for no graph: (M, B) each."""
        wanted = self.targets[self.column, chosen]
        real = (chosen != self.layout.none).to(outputs.dtype)
        if self.loss == "classes":
            found = F.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
            return found.view(chosen.shape) * real, (outputs.argmax(2) == wanted) * real
        gap = outputs.squeeze(2) - wanted
        found = gap.abs() if self.loss == "absolute" else gap.square()
        return found * real, gap.abs() * real

    def reserve(self, orders: Sequence[Array], shifts: Sequence[Array]) -> None:
        """Make sure that the recorded step has space for all of some batches, or forget it."""
        need = self.space
        for chosen, shift in zip(orders, shifts, strict=True):
            own = self.layout.capacity(chosen, shift)
            if need is None:
                need = own
            elif not need.holds(own):
                need = need.enlarged(own, 1.02)
        if need is not self.space:
            self.space, self.recorded = need, None

    def step(self, chosen: Array, shift: Array, rate: float) -> None:
        """Take one step of Adam on (M, B) graphs; `reserve` must have seen them."""
        if not len(self.chosen):
            self.chosen, self.shift = self.layout.on_device(chosen), self.layout.on_device(shift)
        self.chosen.copy_(torch.from_numpy(chosen))
        self.shift.copy_(torch.from_numpy(shift))
        self.rate.fill_(rate)
        if not self.captures:
            self._step()
            return
        if self.recorded is None:
            self.recorded = self._record(self._step)
        self.recorded.replay()

    def _step(self) -> None:
        """Change the weights by the graphs in `chosen`, at the rate in `rate`."""
        assert self.space is not None
        batch = self.layout.batch(self.chosen, self.space, self.shift)
        loss, _ = self.losses(self._outputs(batch, training=True), self.chosen)
        many = (self.chosen != self.layout.none).sum(1).clamp(min=1)
        values = list(self.weights.values.values())
        grads = torch.autograd.grad((loss.sum(1) / many).sum(), values, allow_unused=True)
        grad = torch.cat(
            [
                torch.zeros_like(value).reshape(-1) if part is None else part.reshape(-1)
                for part, value in zip(grads, values, strict=True)
            ]
        )
        with torch.no_grad():
            self.steps += 1
            mean, square = self.moments
            mean.lerp_(grad, 0.1)
            square.mul_(0.999).addcmul_(grad, grad, value=0.001)
            first, second = 1 - 0.9**self.steps, 1 - 0.999**self.steps
            root = (square / second.to(square.dtype)).sqrt_().add_(1e-8)
            self.flat.sub_(mean * (self.rate / first).to(mean.dtype) / root)

    def _record(self, work: Callable[[], Any]) -> Any:
        """Return some work as a CUDA graph; what the trial runs changed is restored."""
        state = [self.flat, *self.moments, self.steps, *self.weights.running.values()]
        saved = [part.detach().clone() for part in state]
        stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            work()
        torch.cuda.current_stream().wait_stream(stream)
        recorded = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recorded):
            work()
        with torch.no_grad():
            for part, old in zip(state, saved, strict=True):
                part.copy_(old)
        return recorded

    @torch.no_grad()
    def measure(self, name: str, size: int) -> tuple[Tensor, Tensor]:
        """Return the mean loss and the share of right answers (or mean absolute error) of every replica."""
        layout = self.layout
        if name not in self.kept:
            lists = as_array([replica.measured[name] for replica in self.replicas], layout.none)
            parts = [
                np.ascontiguousarray(lists[:, begin : begin + size])
                for begin in range(0, lists.shape[1], size)
            ]
            self.kept[name] = [(layout.exact(part), layout.on_device(part)) for part in parts]
        if not self.captures:
            return self._measure(name)
        if name not in self.measures:
            outputs = self._measure(name)
            stored = outputs[0].clone(), outputs[1].clone()

            def work() -> None:
                for place, value in zip(stored, self._measure(name), strict=True):
                    place.copy_(value)

            self.measures[name] = self._record(work), stored
        recorded, stored = self.measures[name]
        recorded.replay()
        return stored[0].clone(), stored[1].clone()

    @torch.no_grad()
    def keep_best(self, found: Tensor) -> None:
        """Keep the weights of the replicas whose loss is lower than ever before."""
        if self.best is None:
            self.best = torch.full_like(found, math.inf), [part.detach().clone() for part in self._parts()]
        lowest, kept = self.best
        better = found < lowest
        lowest.copy_(torch.minimum(lowest, found))
        for old, new in zip(kept, self._parts(), strict=True):
            old.copy_(torch.where(better.view(-1, *[1] * (new.dim() - 1)), new, old))

    @torch.no_grad()
    def measure_best(self, name: str, size: int) -> tuple[Tensor, Tensor]:
        """Return what `measure` does, with the weights that were kept; training ends with it."""
        assert self.best is not None
        for part, kept in zip(self._parts(), self.best[1], strict=True):
            part.data.copy_(kept)
        self.captures = False
        return self.measure(name, size)

    def _parts(self) -> list[Tensor]:
        """Return weights and running moments, the first axis of each the replicas."""
        return [*self.weights.values.values(), *self.weights.running.values()]

    def _measure(self, name: str) -> tuple[Tensor, Tensor]:
        layout = self.layout
        losses = rights = torch.zeros(len(self.replicas), dtype=layout.dtype, device=layout.device)
        many = torch.zeros_like(losses)
        for batch, on in self.kept[name]:
            loss, right = self.losses(self._outputs(batch, training=False), on)
            losses, rights = losses + loss.sum(1), rights + right.sum(1)
            many = many + (on != layout.none).sum(1)
        return losses / many.clamp(min=1), rights / many.clamp(min=1)


def train(trainer: PeerTrainer, plan: Schedule, say: Callable[[str], None] = lambda _: None) -> Curves:
    """Return the curves of training every replica; replicas with equal seed and fold see equal batches."""
    names = [name for name in trainer.replicas[0].measured if name not in plan.at_best]
    found = Curves(
        losses={name: [] for name in trainer.replicas[0].measured},
        right={name: [] for name in trainer.replicas[0].measured},
        planned=plan.epochs,
    )
    found.weights = trainer.weights.per_replica
    pending: list[tuple[str, Tensor, Tensor]] = []
    rng = np.random.default_rng(7)
    epochs, epoch, spent = plan.epochs, 0, 0.0
    began = first = time.perf_counter()
    while epoch < epochs:
        started = time.perf_counter()
        order = epoch_order(trainer, epoch, plan.batch_size)
        shifts = [trainer.layout.shifts(chosen, rng) for chosen in order]
        if not epoch and trainer.captures:  # later epochs are of about the same size
            ahead = [chosen for later in (1, 2) for chosen in epoch_order(trainer, later, plan.batch_size)]
            trainer.reserve(ahead, [trainer.layout.shifts(chosen, rng) for chosen in ahead])
        trainer.reserve(order, shifts)
        for number, (chosen, shift) in enumerate(zip(order, shifts, strict=True)):
            done = (epoch * len(order) + number) / (epochs * len(order))
            trainer.step(chosen, shift, plan.rate * 0.5 * (1 + math.cos(math.pi * done)))
        epoch += 1
        _wait(trainer)
        spent += time.perf_counter() - started
        if epoch % plan.measure_every == 0 or epoch == epochs:
            found.epochs.append(epoch)
            for name in names:
                pending.append((name, *trainer.measure(name, plan.eval_size)))
            if plan.at_best:
                trainer.keep_best(pending[-1][1])
        if epoch in (1, 3) and plan.seconds < math.inf:
            _wait(trainer)
            if epoch == 1:  # the first epoch is slow: kernels are compiled and recorded
                first = time.perf_counter()
                continue
            each = (time.perf_counter() - first) / 2
            left = plan.seconds - (time.perf_counter() - began)
            epochs = min(epochs, max(4, 3 + int(left / each)))
        if epoch % 20 == 0:
            say(f"epoch {epoch} of {epochs}")
    _wait(trainer)
    found.milliseconds = 1000 * spent / max(epoch, 1)
    pending += [(name, *trainer.measure_best(name, plan.eval_size)) for name in plan.at_best]
    for name, loss, right in pending:
        found.losses[name].append(loss.double().cpu().numpy())
        found.right[name].append(right.double().cpu().numpy())
    return found


def epoch_order(trainer: PeerTrainer, epoch: int, size: int) -> list[Array]:
    """Return the graphs of every step of an epoch, (M, size) each, filled up with the empty graph."""
    lists = []
    drawn: dict[tuple[int, int, int], Array] = {}
    for each in trainer.replicas:
        key = (each.seed, each.fold, len(each.train))
        if key not in drawn:
            drawn[key] = np.random.default_rng([*key, epoch]).permutation(key[2])
        lists.append(each.train[drawn[key]])
    steps = max(-(-len(part) // size) for part in lists)
    whole = np.full((len(lists), steps * size), trainer.layout.none, dtype=np.int64)
    for line, part in enumerate(lists):
        # Every replica spreads its graphs over all steps, so that none of them is empty.
        places = np.concatenate(
            [np.arange(len(cut)) + step * size for step, cut in enumerate(np.array_split(part, steps))]
        )
        whole[line, places] = part
    return [np.ascontiguousarray(whole[:, step * size : (step + 1) * size]) for step in range(steps)]


def _wait(trainer: PeerTrainer) -> None:
    """Wait for the device, so that times are true."""
    if trainer.layout.device.startswith("cuda"):
        torch.cuda.synchronize()

"""Training all replicas of a network at once, with one captured CUDA graph per kind of step on a GPU."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet.errors import InputError
from egonet.nets.layers import forward, start_running
from egonet.nets.network import Parameters, Replica, Sizes, start
from egonet.nets.operations import adam_step
from egonet.nets.shape import Network
from egonet.nets.store import Store, pack
from egonet.types import Int64s

Loss: TypeAlias = Literal["binary", "classes", "squared"]
Measured: TypeAlias = tuple[Tensor, Tensor]

_ROUND = 32
_WARM_UPS = 2
#: Room beyond the largest batch of an epoch, so that later epochs seldom need another capture.
_SPARE = 1.06


@dataclass(frozen=True, eq=False)
class Task:
    """What is trained: one network, many replicas, one set of graphs.

    Attributes
    ----------
    network, sizes
        The shape of the network and of its inputs.
    store
        The graphs, on the device.
    replicas
        The networks that train together; they never interact.
    targets
        (num_targets, num_graphs + 1): what is learned per graph; the last entry belongs to the empty graph.
    loss
        "binary": cross-entropy of one logit, "classes": of several, "squared": squared error; each summed
        over the batch.
    rate
        Adam's learning rate.
    """

    network: Network
    sizes: Sizes
    store: Store
    replicas: Sequence[Replica]
    targets: Tensor
    loss: Loss
    rate: float = 1e-3


class Trainer:
    """The parameters of all replicas and the steps that change or measure them.

    Parameters live in one flat buffer, so that Adam is one pass over it; `values` are views into it.
    """

    def __init__(self, task: Task, *, values: Parameters | None = None, capture: bool | None = None) -> None:
        self.task = task
        device, dtype = task.store.inputs.device, task.store.inputs.dtype
        first = values if values is not None else start(task.network, task.sizes, task.replicas, dtype)
        self.flat = torch.cat([value.reshape(-1) for value in first.values()]).to(device, dtype)
        self.values = _views(self.flat, first)
        self.running = start_running(self.values)
        self.variants = torch.tensor([replica.variant for replica in task.replicas], device=device)
        self.chosen = torch.tensor([[replica.target] for replica in task.replicas], device=device)
        self.moments = [torch.zeros_like(self.flat), torch.zeros_like(self.flat)]
        self.steps = torch.zeros((), dtype=torch.float32, device=device)
        self.capture = device.type == "cuda" if capture is None else capture
        self._captured: dict[tuple[object, ...], _Captured] = {}

    @property
    def state(self) -> list[Tensor]:
        """Return every tensor that training changes."""
        return [self.flat, *self.running.values(), *self.moments, self.steps]

    def step(self, graphs: Tensor, num_rows: int) -> None:
        """Take one step of Adam on the graphs of each replica, int64 (M, B)."""
        self._run("step", lambda chosen: self._step(chosen, num_rows), graphs, num_rows)

    def measure(self, graphs: Tensor, num_rows: int) -> Measured:
        """Return the summed loss and the number of right answers of each replica, (M,) and (M,)."""
        loss, right = self._run("measure", lambda chosen: self._measure(chosen, num_rows), graphs, num_rows)
        return loss.clone(), right.clone()

    def outputs(self, graphs: Tensor, num_rows: int) -> Tensor:
        """Return the outputs for every graph, (M, B, outputs), without training."""
        with torch.no_grad():
            return self._forward(graphs, num_rows, training=False)

    def keep(self, lines: Int64s) -> "Trainer":
        """Return a trainer of some of the replicas that goes on where this one is."""
        chosen = torch.from_numpy(lines).to(self.flat.device)
        task = replace(self.task, replicas=[self.task.replicas[line] for line in lines.tolist()])
        values = {name: value.detach()[chosen] for name, value in self.values.items()}
        kept = Trainer(task, values=values, capture=self.capture)
        for mine, theirs in zip(self.moments, kept.moments, strict=True):
            parts = [part.detach()[chosen].reshape(-1) for part in _views(mine, self.values).values()]
            theirs.copy_(torch.cat(parts))
        kept.steps.copy_(self.steps)
        kept.running = {name: value[chosen] for name, value in self.running.items()}
        return kept

    def release(self) -> None:
        """Forget captured graphs, and with them their memory."""
        self._captured.clear()

    def _forward(self, graphs: Tensor, num_rows: int, *, training: bool) -> Tensor:
        batch = pack(self.task.store, graphs, self.variants, num_rows)
        return forward(self.task.network, batch, self.values, self.running, training=training)

    def _step(self, graphs: Tensor, num_rows: int) -> Measured:
        outputs = self._forward(graphs, num_rows, training=True)
        losses = self._losses(outputs, graphs)
        names = list(self.values)
        grads = torch.autograd.grad(losses.sum(), [self.values[name] for name in names], allow_unused=True)
        known = [
            torch.zeros_like(self.values[name]) if grad is None else grad
            for name, grad in zip(names, grads, strict=True)
        ]
        slope = torch.cat([grad.reshape(-1) for grad in known])
        adam_step(self.flat, slope, self.moments, self.steps, self.task.rate)
        return losses.detach().sum(1), losses.new_zeros(len(losses))

    @torch.no_grad()
    def _measure(self, graphs: Tensor, num_rows: int) -> Measured:
        outputs = self._forward(graphs, num_rows, training=False)
        return self._losses(outputs, graphs).sum(1), self._right(outputs, graphs).sum(1)

    def _losses(self, outputs: Tensor, graphs: Tensor) -> Tensor:
        """Return the loss of each graph, zero where there is no graph."""
        y = self.task.targets[self.chosen, graphs]
        if self.task.loss == "classes":
            losses = -torch.log_softmax(outputs, dim=2).gather(2, y.long().unsqueeze(2)).squeeze(2)
        elif self.task.loss == "binary":
            losses = F.binary_cross_entropy_with_logits(
                outputs[..., 0], y.to(outputs.dtype), reduction="none"
            )
        else:
            losses = (outputs[..., 0] - y) ** 2
        return losses * (graphs != self.task.store.num_graphs)

    def _right(self, outputs: Tensor, graphs: Tensor) -> Tensor:
        """Return one for each graph whose class is found, zero otherwise."""
        y = self.task.targets[self.chosen, graphs]
        if self.task.loss == "squared":
            return torch.zeros_like(outputs[..., 0])
        found = outputs.argmax(2) if self.task.loss == "classes" else outputs[..., 0] > 0
        return ((found == y.to(found.dtype)) & (graphs != self.task.store.num_graphs)).to(outputs.dtype)

    def _run(
        self, name: str, function: Callable[[Tensor], Measured], graphs: Tensor, num_rows: int
    ) -> Measured:
        """Run a function of the graphs, through a captured CUDA graph if there is to be one."""
        if not self.capture:
            return function(graphs)
        key = (name, graphs.shape, num_rows)
        if key not in self._captured:
            for old in [other for other in self._captured if other[0] == name]:
                del self._captured[old]
            self._captured[key] = _Captured(function, graphs, self.state)
        return self._captured[key](graphs)


class _Captured:
    """A function of one tensor of graph numbers, recorded once and replayed on the GPU."""

    def __init__(self, function: Callable[[Tensor], Measured], graphs: Tensor, state: list[Tensor]) -> None:
        self.graphs = graphs.clone()
        saved = [tensor.detach().clone() for tensor in state]
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UPS):
                function(self.graphs)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function(self.graphs)
        with torch.no_grad():
            for tensor, value in zip(state, saved, strict=True):
                tensor.copy_(value)

    def __call__(self, graphs: Tensor) -> Measured:
        self.graphs.copy_(graphs)
        self.graph.replay()
        return self.result


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
        If given, a replica is done after so many epochs without a lower loss on "validation".
    """

    train: Sequence[Int64s]
    measured: Mapping[str, Sequence[Int64s]]
    batch_size: int
    epochs: int
    patience: int | None = None


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

    Replicas that are done drop out once they are half of those still training; what they recorded afterwards
    is NaN. The trainer itself is then left with the parameters of the moment when the first dropped out.
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
            if len(left) <= len(active.lines) // 2:
                active = active.keep(left)
    if stop is not None:
        history.best_epoch, history.best = stop.epoch, stop.flat
    return history


class _Active:
    """The replicas that still train: a trainer of their own, and their graphs."""

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
        order = schedule(self.trainer.task.replicas, graphs, epoch, self.plan.batch_size, none)
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
        self.best = _views(self.flat, trainer.values)

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
    replicas: Sequence[Replica], train_graphs: Sequence[Int64s], epoch: int, batch_size: int, none: int
) -> Int64s:
    """Return the graphs of every step of an epoch, int64 (steps, M, batch_size), `none` where they run out.

    The order depends on a replica's seed and fold and on the epoch alone, so replicas that differ in their
    inputs see the same batches.
    """
    counts = {-(-len(graphs) // batch_size) for graphs in train_graphs}
    if len(counts) != 1:
        raise InputError(
            f"replicas trained together must take equally many steps an epoch, got {sorted(counts)}."
        )
    steps = counts.pop()
    order = np.full((len(replicas), steps * batch_size), none, dtype=np.int64)
    drawn: dict[tuple[int, int, int], Int64s] = {}
    for line, (replica, graphs) in enumerate(zip(replicas, train_graphs, strict=True)):
        key = (replica.seed, replica.fold, len(graphs))
        if key not in drawn:
            drawn[key] = np.random.default_rng([*key[:2], epoch]).permutation(len(graphs))
        order[line, : len(graphs)] = graphs[drawn[key]]
    return np.ascontiguousarray(order.reshape(len(replicas), steps, batch_size).transpose(1, 0, 2))


def _views(flat: Tensor, like: Parameters) -> Parameters:
    """Return views into a flat buffer with the names and shapes of `like`, each a leaf of the gradient."""
    found, begin = {}, 0
    for name, value in like.items():
        part = flat[begin : begin + value.numel()].view(value.shape)
        found[name] = part.detach().requires_grad_()
        begin += value.numel()
    return found


def _rows(sizes: Int64s, spare: float = 1.0) -> int:
    """Return enough rows for any batch (last axis), one of them for padding, with room to spare."""
    largest = int(sizes.sum(axis=-1).max())
    return -(-int(largest * spare + 1) // _ROUND) * _ROUND


def _same_length(graphs: Sequence[Int64s], none: int) -> Int64s:
    """Return lists of graph numbers as one array, filled up with `none`."""
    found = np.full((len(graphs), max(len(numbers) for numbers in graphs)), none, dtype=np.int64)
    for line, numbers in enumerate(graphs):
        found[line, : len(numbers)] = numbers
    return found

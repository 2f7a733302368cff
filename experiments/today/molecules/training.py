"""Train many replicas of a network on molecules at once; every step is one replay of a recorded CUDA graph."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from experiments.today.molecules.padded import Molecules, make_batch, most_nodes
from experiments.today.molecules.stacked import (
    LAYERS,
    Shape,
    Weights,
    count_weights,
    forward,
    weight_shapes,
)

MOMENTUM = 0.03
EVALUATED_AT_ONCE = 125


@dataclass(frozen=True)
class Plan:
    """What is trained.

    Attributes
    ----------
    shape
        The network.
    replicas
        (encoding, seed) of every replica.
    epochs
        The most epochs; fewer if `seconds` end before. The learning rate falls to zero in either case.
    seconds
        How long everything may take, from the start of `train`.
    """

    shape: Shape
    replicas: tuple[tuple[str, int], ...]
    epochs: int
    seconds: float = math.inf
    batch: int = 32
    rate: float = 1e-3
    decay: float = 1e-5
    warm_up: float = 0.03
    evaluate_every: int = 3
    low_precision: bool = False
    compiled: bool = False
    captured: bool = False
    train_graphs: int = 10_000


class Trainer:
    """The state of a run: weights, moments, running statistics, and the arrays a recorded step reads and writes."""

    def __init__(self, plan: Plan, data: Molecules) -> None:
        device = str(data.atom.device)
        self.plan, self.data = plan, data
        self.seeds = [seed for _, seed in plan.replicas]
        self.kinds = torch.tensor([data.names.index(name) for name, _ in plan.replicas], device=device)
        widths = torch.tensor(data.widths, device=device)
        self.has_encoding = (widths[self.kinds] > 0).float()
        eigenvectors = [float(name.startswith("lappe")) for name, _ in plan.replicas]
        self.flip = torch.tensor(eigenvectors, device=device) if any(eigenvectors) else None
        self.weights = Weights(weight_shapes(plan.shape, data), self.seeds, device)
        self.moments = torch.zeros_like(self.weights.flat), torch.zeros_like(self.weights.flat)
        self.nodes = most_nodes(data, plan.batch)
        self.chosen = torch.zeros(len(plan.replicas), plan.batch, dtype=torch.long, device=device)
        self.rate = torch.zeros((), device=device)
        self.steps = torch.zeros((), device=device)
        self.losses = torch.zeros(len(plan.replicas), device=device)
        self.running: list[Any] | None = None
        self.dtype = torch.bfloat16 if plan.low_precision else torch.float32
        layer = LAYERS[plan.shape.kind][1]
        backend = "inductor" if data.atom.is_cuda else "aot_eager"  # tracing only, where there is no GPU
        self.layer = torch.compile(layer, dynamic=False, backend=backend) if plan.compiled else layer
        self.update = torch.compile(adam, dynamic=False, backend=backend) if plan.compiled else adam
        self.draws = torch.Generator(device=device).manual_seed(1)

    def step(self) -> None:
        """Train on the molecules in `chosen`, at the learning rate in `rate`."""
        batch = make_batch(self.data, self.chosen, self.nodes, self.kinds, self.flip)
        found, statistics = forward(
            self.plan.shape,
            self.weights.parts,
            batch,
            self.has_encoding,
            dtype=self.dtype,
            layer_function=self.layer,
        )
        loss = (found - batch.target).abs().mean(dim=1)
        gradients = torch.autograd.grad(
            loss.sum(), list(self.weights.parts.values()), allow_unused=True, materialize_grads=True
        )
        with torch.no_grad():
            torch._foreach_copy_(self.weights.gradients, gradients)
            self._keep_statistics(statistics)
            self.losses += loss.detach()
            self.steps += 1
            self.update(
                self.weights.flat,
                self.weights.gradient,
                *self.moments,
                self.rate,
                self.steps,
                self.plan.decay,
            )

    def _keep_statistics(self, statistics: list[Any]) -> None:
        """Move the running statistics towards those of the batch."""
        if self.running is None:
            self.running = [
                [[torch.zeros_like(mean), torch.ones_like(variance)] for mean, variance in layer]
                for layer in statistics
            ]
        old = [part for layer in self.running for pair in layer for part in pair]
        new = [part.detach() for layer in statistics for pair in layer for part in pair]
        torch._foreach_lerp_(old, new, MOMENTUM)

    def record(self) -> Callable[[], None]:
        """Return a step: recorded as a CUDA graph where the plan says so. Weights are restored after the trial."""
        saved = self.weights.flat.detach().clone()
        self.chosen.copy_(self._order()[:, : self.plan.batch])
        if not self.plan.captured:
            self.step()
            play: Callable[[], None] = self.step
        else:
            stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.step()
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.step()
            play = graph.replay
        with torch.no_grad():
            self.weights.flat.copy_(saved)
            for moment in (*self.moments, self.steps, self.losses):
                moment.zero_()
            for layer in self.running or []:
                for mean, variance in layer:
                    mean.zero_()
                    variance.fill_(1)
        return play

    def _order(self) -> Tensor:
        """Return a new order of the training molecules per seed, the same for replicas with the same seed."""
        train = torch.nonzero(self.data.split == 0).flatten()[: self.plan.train_graphs]
        distinct = sorted(set(self.seeds))
        drawn = torch.rand(len(distinct), len(train), device=train.device, generator=self.draws).argsort(
            dim=1
        )
        rows = torch.tensor([distinct.index(seed) for seed in self.seeds], device=train.device)
        return train[drawn][rows]

    def epoch(self, play: Callable[[], None], rates: list[float]) -> Tensor:
        """Train one epoch and return the mean training error of every replica."""
        self.losses.zero_()
        order, size = self._order(), self.plan.batch
        for number, rate in enumerate(rates):
            self.chosen.copy_(order[:, number * size : (number + 1) * size])
            self.rate.fill_(rate)
            play()
        return self.losses / len(rates)

    @property
    def num_steps(self) -> int:
        """Return the steps of an epoch."""
        graphs = min(int((self.data.split == 0).sum()), self.plan.train_graphs)
        return graphs // self.plan.batch

    @torch.no_grad()
    def evaluate(self, part: int) -> Tensor:
        """Return the mean absolute error of every replica on a part of the data."""
        graphs = torch.nonzero(self.data.split == part).flatten()
        total = torch.zeros(len(self.seeds), device=graphs.device)
        for chunk in torch.split(graphs, EVALUATED_AT_ONCE):
            nodes = int(self.data.sizes[chunk].sum())
            chosen = chunk.expand(len(self.seeds), -1).contiguous()
            batch = make_batch(self.data, chosen, nodes, self.kinds)
            found, _ = forward(
                self.plan.shape, self.weights.parts, batch, self.has_encoding, running=self.running
            )
            total += (found - batch.target).abs().sum(dim=1)
        return total / len(graphs)


def adam(
    weights: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    rate: Tensor,
    steps: Tensor,
    decay: float,
) -> None:
    """Update the weights by AdamW, the gradient of every replica clipped to norm 1."""
    norm = gradient.square().sum(dim=1, keepdim=True).sqrt()
    clipped = gradient * (1 / (norm + 1e-6)).clamp(max=1)
    mean.lerp_(clipped, 0.1)
    square.lerp_(clipped * clipped, 0.001)
    first, second = 1 - 0.9**steps, 1 - 0.999**steps
    change = (mean / first) / ((square / second).sqrt() + 1e-8)
    weights.sub_(rate * (change + decay * weights))


def schedule(plan: Plan, epochs: int, epoch: int, steps: int) -> list[float]:
    """Return the learning rate of every step of an epoch: a linear rise, then half a cosine to zero."""
    rise = max(plan.warm_up * epochs * steps, 1)
    whole = epochs * steps
    rates = []
    for step in range(epoch * steps, (epoch + 1) * steps):
        fall = 0.5 * (1 + math.cos(math.pi * min(1.0, step / whole)))
        rates.append(plan.rate * min(1.0, (step + 1) / rise) * fall)
    return rates


def train(plan: Plan, data: Molecules, write: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """Train every replica and return a line per replica; `write` gets the errors on the way.

    The test error of a replica is that of the epoch with its lowest validation error.
    """
    started = time.time()
    trainer = Trainer(plan, data)
    play = trainer.record()
    _wait(data)
    ready = time.time() - started
    best = [(math.inf, math.inf, 0)] * len(plan.replicas)
    epochs, epoch, curve = plan.epochs, 0, []
    lap = time.time()
    while epoch < epochs:
        training = trainer.epoch(play, schedule(plan, epochs, epoch, trainer.num_steps))
        epoch += 1
        _wait(data)
        if epoch == 2 and plan.seconds < math.inf:
            epochs = _affordable(plan, (time.time() - lap) / 2 * 1.08, time.time() - started)
        if epoch % plan.evaluate_every and epoch < epochs:
            continue
        errors = [trainer.evaluate(part).tolist() for part in (1, 2)]
        best = [
            min(old, (validation, test, epoch), key=lambda each: each[0])
            for old, validation, test in zip(best, *errors, strict=True)
        ]
        curve = [_rounded(training.tolist()), *map(_rounded, errors)]
        write(
            {"epoch": epoch, "of": epochs, "seconds": round(time.time() - started, 1)}
            | dict(zip(("train", "validation", "test"), curve, strict=True))
        )
        if time.time() - started > plan.seconds:
            break
    seconds = time.time() - started
    return [
        {
            "encoding": name,
            "seed": seed,
            "network": plan.shape.kind,
            "weights": count_weights(plan.shape, data, data.names.index(name)),
            "columns": data.widths[data.names.index(name)],
            "validation": found[0],
            "test": found[1],
            "best_epoch": found[2],
            "epochs": epoch,
            "planned_epochs": epochs,
            "seconds": round(seconds / len(plan.replicas), 2),
            "seconds_all": round(seconds, 1),
            "seconds_ready": round(ready, 1),
        }
        for (name, seed), found in zip(plan.replicas, best, strict=True)
    ]


def _affordable(plan: Plan, per_epoch: float, used: float) -> int:
    """Return how many epochs fit into the seconds."""
    return max(3, min(plan.epochs, int((plan.seconds - used) / per_epoch) + 1))


def _wait(data: Molecules) -> None:
    """Wait for the device, so that times are true."""
    if data.atom.is_cuda:
        torch.cuda.synchronize()


def _rounded(values: list[float]) -> list[float]:
    """Return numbers short enough for a log."""
    return [round(value, 5) for value in values]

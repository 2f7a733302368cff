"""Train many replicas of a network on molecules at once; every step is one replay of a recorded CUDA graph."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from research.today.molecules.metrics import is_lower_better, measure, sum_of_losses
from research.today.molecules.padded import Molecules, make_batch, most_nodes
from research.today.molecules.stacked import (
    LAYERS,
    Shape,
    Weights,
    count_weights,
    forward,
    weight_shapes,
)

MOMENTUM = 0.03
EVALUATED_AT_ONCE = 250
SAVED_EVERY = 60.0
#: The recipe of a replica: its learning rate and weight decay, and the share of values that dropout sets to zero.
PLAIN = {"rate": 1e-3, "decay": 1e-5, "dropout": 0.0}


@dataclass(frozen=True)
class Plan:
    """What is trained.

    Attributes
    ----------
    shape
        The network.
    replicas
        (encoding, seed, recipe) of every replica.
    epochs
        The most epochs; fewer if `seconds` end before. The learning rate falls to zero in either case.
    recipes
        The recipes by name, each with what differs from `PLAIN`.
    seconds
        How long everything may take, from the start of `train`.
    """

    shape: Shape
    replicas: tuple[tuple[str, int, str], ...]
    epochs: int
    recipes: dict[str, dict[str, float]] = field(default_factory=lambda: {"plain": {}})
    seconds: float = math.inf
    batch: int = 32
    warm_up: float = 0.03
    evaluate_every: int = 3
    low_precision: bool = False
    compiled: bool = False
    captured: bool = False

    def values(self, name: str) -> list[float]:
        """Return one number of the recipe of every replica."""
        return [(PLAIN | self.recipes[recipe])[name] for _, _, recipe in self.replicas]


class Trainer:
    """The state of a run: weights, moments, running statistics, and the arrays a recorded step reads and writes."""

    def __init__(self, plan: Plan, data: Molecules) -> None:
        device = str(data.atom.device)
        self.plan, self.data = plan, data
        self.seeds = [seed for _, seed, _ in plan.replicas]
        self.kinds = torch.tensor([data.names.index(name) for name, *_ in plan.replicas], device=device)
        widths = torch.tensor(data.widths, device=device)
        self.has_encoding = (widths[self.kinds] > 0).float()
        eigenvectors = [float(name.startswith("lappe")) for name, *_ in plan.replicas]
        self.flip = torch.tensor(eigenvectors, device=device) if any(eigenvectors) else None
        shapes = weight_shapes(plan.shape, data)
        self.weights = Weights(shapes, self.seeds, device)
        self.decay = (
            self.weights.is_matrix(shapes) * torch.tensor(plan.values("decay"), device=device)[:, None]
        )
        self.factor = torch.tensor(plan.values("rate"), device=device)[:, None]
        self.keep: Tensor | None = None
        if any(plan.values("dropout")):
            self.keep = 1 - torch.tensor(plan.values("dropout"), device=device)[:, None, None]
        train = data.target[data.split == 0]
        self.center = train.nanmean(dim=0) if data.metric != "auc" else torch.zeros((), device=device)
        self.spread = 1.0 if data.metric != "rmse" else float(train.std())
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
            keep=self.keep,
        )
        loss = sum_of_losses(self.data.metric, found, (batch.target - self.center) / self.spread)
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
                self.rate * self.factor,
                self.steps,
                self.decay,
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
        train = torch.nonzero(self.data.split == 0).flatten()
        distinct = sorted(set(self.seeds))
        drawn = torch.rand(len(distinct), len(train), device=train.device, generator=self.draws).argsort(
            dim=1
        )
        rows = torch.tensor([distinct.index(seed) for seed in self.seeds], device=train.device)
        return train[drawn][rows]

    def epoch(self, play: Callable[[], None], rates: list[float]) -> Tensor:
        """Train one epoch and return the mean training loss of every replica."""
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
        return int((self.data.split == 0).sum()) // self.plan.batch

    @torch.no_grad()
    def evaluate(self, part: int) -> list[float]:
        """Return the metric of every replica on a part of the data."""
        graphs = torch.nonzero(self.data.split == part).flatten()
        predicted = []
        for chunk in torch.split(graphs, EVALUATED_AT_ONCE):
            nodes = int(self.data.sizes[chunk].sum())
            chosen = chunk.expand(len(self.seeds), -1).contiguous()
            batch = make_batch(self.data, chosen, nodes, self.kinds)
            found, _ = forward(
                self.plan.shape, self.weights.parts, batch, self.has_encoding, running=self.running
            )
            predicted.append(found * self.spread + self.center)
        return measure(self.data.metric, torch.cat(predicted, dim=1), self.data.target[graphs])

    def state(self) -> dict[str, Any]:
        """Return what a later run needs to go on."""
        return {
            "weights": self.weights.flat.detach(),
            "moments": self.moments,
            "running": self.running,
            "steps": self.steps,
            "draws": self.draws.get_state(),
        }

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier run, in place: a recorded step has the addresses of the arrays."""
        self.weights.flat.copy_(state["weights"])
        for own, old in zip(self.moments, state["moments"], strict=True):
            own.copy_(old)
        for layer, saved in zip(self.running or [], state["running"], strict=True):
            for pair, old_pair in zip(layer, saved, strict=True):
                for own, old in zip(pair, old_pair, strict=True):
                    own.copy_(old)
        self.steps.copy_(state["steps"])
        self.draws.set_state(state["draws"].cpu())


def adam(
    weights: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    rate: Tensor,
    steps: Tensor,
    decay: Tensor,
) -> None:
    """Update the weights by AdamW, the gradient of every replica clipped to norm 1."""
    norm = gradient.square().sum(dim=1, keepdim=True).sqrt()
    clipped = gradient * (1 / (norm + 1e-6)).clamp(max=1)
    mean.lerp_(clipped, 0.1)
    square.lerp_(clipped * clipped, 0.001)
    first, second = 1 - 0.9**steps, 1 - 0.999**steps
    change = (mean / first) / ((square / second).sqrt() + 1e-8)
    weights.sub_(rate * (change + decay * weights))


def schedule(plan: Plan, first: float, last: float, steps: int) -> list[float]:
    """Return the learning rate of every step, as a share of the recipe's, between two shares of all the training.

    It rises linearly, and then falls to zero as half a cosine.

    Examples
    --------
    >>> plan = Plan(Shape("gin", 1, 8), (), epochs=2, warm_up=0.25)
    >>> [round(rate, 3) for rate in schedule(plan, 0.0, 1.0, 4)]
    [0.481, 0.691, 0.309, 0.038]
    """
    rates = []
    for step in range(steps):
        share = first + (last - first) * (step + 0.5) / steps
        rise = min(1.0, share / plan.warm_up) if plan.warm_up else 1.0
        rates.append(rise * 0.5 * (1 + math.cos(math.pi * min(1.0, share))))
    return rates


@dataclass
class Progress:
    """How far a training is: epochs done, the share of all the training, seconds of earlier runs, best scores."""

    epoch: int
    share: float
    used: float
    best: list[tuple[float, float, int]]


def train(
    plan: Plan, data: Molecules, write: Callable[[dict[str, Any]], None], saved: Path | None = None
) -> list[dict[str, Any]]:
    """Train every replica and return a line per replica; `write` gets the scores on the way.

    The test score of a replica is that of the epoch with its best validation score. With `saved`, the state is written
    to that file about once a minute, and a later call goes on from there.
    """
    started = time.time()
    trainer = Trainer(plan, data)
    play = trainer.record()
    _wait(data)
    ready = time.time() - started
    worst = math.inf if is_lower_better(data.metric) else -math.inf
    at = Progress(0, 0.0, 0.0, [(worst, worst, 0)] * len(plan.replicas))
    if saved is not None and saved.is_file():
        state = torch.load(saved, map_location=data.atom.device, weights_only=True)
        trainer.restore(state)
        at = Progress(*state["progress"])
    written = time.time()
    while at.share < 1:
        last = _next_share(plan, at, at.used + time.time() - started - ready, ready)
        losses = trainer.epoch(play, schedule(plan, at.share, last, trainer.num_steps))
        _wait(data)
        at.epoch, at.share = at.epoch + 1, last
        if at.epoch % plan.evaluate_every and at.share < 1:
            continue
        scores = [trainer.evaluate(part) for part in (1, 2)]
        at.best = [
            _better(data.metric, old, (validation, test, at.epoch))
            for old, validation, test in zip(at.best, *scores, strict=True)
        ]
        shown = [_rounded(values) for values in (losses.tolist(), *scores)]
        seconds = {"epoch": at.epoch, "share": round(at.share, 4), "seconds": round(time.time() - started, 1)}
        write(seconds | dict(zip(("train", "validation", "test"), shown, strict=True)))
        if saved is not None and time.time() - written > SAVED_EVERY:
            progress = (at.epoch, at.share, at.used + time.time() - started, at.best)
            torch.save(trainer.state() | {"progress": progress}, saved)
            written = time.time()
    if saved is not None:
        saved.unlink(missing_ok=True)
    seconds_all = at.used + time.time() - started
    return [
        _line(plan, data, replica, found, at.epoch, seconds_all) | {"seconds_ready": round(ready, 1)}
        for replica, found in zip(plan.replicas, at.best, strict=True)
    ]


def _line(
    plan: Plan, data: Molecules, replica: tuple[str, int, str], found: Any, epochs: int, seconds: float
) -> dict[str, Any]:
    """Return the line of one replica."""
    name, seed, recipe = replica
    return {
        "encoding": name,
        "seed": seed,
        "recipe": recipe,
        "network": plan.shape.kind,
        "weights": count_weights(plan.shape, data, data.names.index(name)),
        "columns": data.widths[data.names.index(name)],
        "metric": data.metric,
        "validation": found[0],
        "test": found[1],
        "best_epoch": found[2],
        "epochs": epochs,
        "planned_epochs": plan.epochs,
        "seconds": round(seconds / len(plan.replicas), 2),
        "seconds_all": round(seconds, 1),
    }


def _next_share(plan: Plan, at: Progress, used: float, ready: float) -> float:
    """Return the share of all the training after the next epoch: by epochs or by the clock, whichever is ahead."""
    share = at.share + 1 / plan.epochs
    if at.epoch >= 2 and plan.seconds < math.inf:
        share = max(share, used * (1 + 1 / at.epoch) / max(plan.seconds - ready, 1e-3))
    return 1.0 if share > 1 - 0.5 / plan.epochs else share


def _better(metric: str, old: tuple[float, float, int], new: tuple[float, float, int]) -> Any:
    """Return the one with the better validation score, the earlier of equals."""
    lower = is_lower_better(metric)
    return new if (new[0] < old[0] if lower else new[0] > old[0]) else old


def _wait(data: Molecules) -> None:
    """Wait for the device, so that times are true."""
    if data.atom.is_cuda:
        torch.cuda.synchronize()


def _rounded(values: list[float]) -> list[float]:
    """Return numbers short enough for a log."""
    return [round(value, 5) for value in values]

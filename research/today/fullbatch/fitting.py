"""Train replicas of a network on a shared set, all rows at once, and score each at its best validation step."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from research.today.fullbatch.networks import Design, Group, Network, weight_shapes
from research.today.fullbatch.shared import SharedSet
from research.today.molecules.metrics import area_under_curve

#: Columns that differ from zero in fewer training nodes are not used.
FEWEST = 20


@dataclass(frozen=True)
class Schedule:
    """How long and how fast: steps, learning rate, weight decay, steps between scores, and the numbers in memory.

    With `compiled`, what lies between the matrix products of GIN and GINE is one compiled function.
    """

    steps: int = 300
    rate: float = 0.01
    decay: float = 1e-4
    every: int = 3
    numbers: float = 6e9
    compiled: bool = False


def groups(data: SharedSet, design: Design, names: list[str], seeds: int, numbers: float) -> Iterator[Any]:
    """Yield replicas (encoding, fold, seed), as many at once as the memory has space for, all encodings together."""
    layers = 16 * (design.layers + 1)
    most = max(len(names), int(numbers / (data.num_nodes * design.width * layers)))
    units = [(fold, seed) for seed in range(seeds) for fold in range(len(data.parts))]
    size = max(1, most // len(names))
    for at in range(0, len(units), size):
        yield tuple((name, *unit) for name in names for unit in units[at : at + size])


def make_group(data: SharedSet, replicas: tuple[tuple[str, int, int], ...]) -> Group:
    """Return replicas with the nodes they train on, and the means and spreads of their encodings there.

    The training nodes also decide which columns are used: all others are zero.
    """
    folds = torch.tensor([fold for _, fold, _ in replicas], device=data.label.device)
    parts = data.parts[folds]
    known = (parts == 0)[:, data.graph] if data.pooled else _nodes_seen(data, parts)
    training = known.float()
    scales = {}
    for name in dict.fromkeys(key for key, *_ in replicas if key != "none"):
        rows = [number for number, (key, *_) in enumerate(replicas) if key == name]
        weight = training[rows[0] : rows[-1] + 1].double()
        weight = weight / weight.sum(dim=1, keepdim=True)
        columns = data.encodings[name].double()
        mean = weight @ columns
        spread = (weight @ columns.square() - mean.square()).clamp(min=0).sqrt()
        is_used = (training[rows[0] : rows[-1] + 1] @ (columns != 0).float() >= FEWEST) & (spread > 1e-4)
        inverse = torch.where(is_used, 1 / spread, 0.0)
        scales[name] = mean.float().unsqueeze(1), inverse.float().unsqueeze(1)
    return Group(replicas, training, scales)


def _nodes_seen(data: SharedSet, parts: Tensor) -> Tensor:
    """Return which nodes a replica sees in training: all nodes of graphs with a training node."""
    graphs = int(data.graph[-1]) + 1
    seen = torch.zeros(len(parts), graphs, dtype=torch.bool, device=parts.device)
    row, node = torch.nonzero(parts == 0, as_tuple=True)
    seen[row, data.graph[node]] = True
    return seen[:, data.graph]


def draw_weights(shapes: dict[str, tuple[int, ...]], seeds: list[int], device: Any) -> dict[str, Tensor]:
    """Return the first weights of every replica; equal seeds have equal weights."""
    found: dict[str, list[Tensor]] = {name: [] for name in shapes}
    drawn: dict[int, dict[str, Tensor]] = {}
    for seed in seeds:
        if seed not in drawn:
            generator = torch.Generator().manual_seed(seed)
            drawn[seed] = {name: _first(name, shape, generator) for name, shape in shapes.items()}
        for name in shapes:
            found[name].append(drawn[seed][name])
    return {name: torch.stack(parts).to(device).requires_grad_() for name, parts in found.items()}


def _first(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Return the first values of one weight."""
    kind = name.rsplit(".", 1)[-1]
    if kind == "scale":
        return torch.ones(shape)
    if kind == "bias":
        return torch.zeros(shape)
    drawn = torch.rand(shape, generator=generator) * 2 - 1
    return drawn if kind == "table" else drawn * (3 / shape[0]) ** 0.5 / 3**0.5


def fit_group(
    data: SharedSet, design: Design, schedule: Schedule, replicas: Any, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Train some replicas and return a line for each, and each test part."""
    started = time.time()
    group, network = make_group(data, replicas), Network(design, data, compiled=schedule.compiled)
    columns = {name: 0 if name == "none" else data.encodings[name].shape[1] for name, *_ in replicas}
    seeds = [1000 * seed + fold for _, fold, seed in replicas]
    torch.manual_seed(seeds[0])
    weights = draw_weights(weight_shapes(design, data, columns), seeds, data.label.device)
    optimizer = torch.optim.AdamW(list(weights.values()), lr=schedule.rate, weight_decay=schedule.decay)
    parts = data.parts[[fold for _, fold, _ in replicas]]
    masks = [(parts == number).float() for number in range(2 + len(data.tests))]
    best = [[-math.inf] * (2 + len(data.tests)) for _ in replicas]
    for step in range(schedule.steps):
        for entry in optimizer.param_groups:
            entry["lr"] = schedule.rate * 0.5 * (1 + math.cos(math.pi * step / schedule.steps))
        loss = losses(network.output(weights, group, training=True), data.target, masks[0]).sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if (step + 1) % schedule.every == 0:
            with torch.no_grad():
                found = network.output(weights, group, training=False)
            _keep_best(data, found, parts, masks, best, step + 1)
    say(f"{data.name} {design.kind}: {len(replicas)} replicas in {time.time() - started:.1f} s")
    return _lines(data, design, replicas, columns, parts, best, time.time() - started)


def losses(found: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Return the mean cross-entropy of every replica over the rows of a mask."""
    each = functional.cross_entropy(found.transpose(1, 2), target.expand(len(found), -1), reduction="none")
    return (each * mask).sum(dim=1) / mask.sum(dim=1)


def _keep_best(data: SharedSet, found: Tensor, parts: Tensor, masks: Any, best: Any, step: int) -> None:
    """Replace the scores of replicas whose validation score rose; of equal scores the lower loss counts."""
    scores = [scores_of(data, found, parts, number) for number in range(1, 2 + len(data.tests))]
    tie = (1e-6 * losses(found, data.target, masks[1]).clamp(max=100)).tolist()
    table = torch.stack(scores).T.tolist()
    for number, row in enumerate(table):
        if row[0] - tie[number] > best[number][0]:
            best[number] = [row[0] - tie[number], *row[1:], step]


def scores_of(data: SharedSet, found: Tensor, parts: Tensor, part: int) -> Tensor:
    """Return the accuracy or the area under the ROC curve of every replica on one part."""
    mask = parts == part
    if data.metric == "accuracy":
        right = (found.argmax(dim=2) == data.target) & mask
        return right.sum(dim=1).double() / mask.sum(dim=1)
    difference = found[:, :, 1] - found[:, :, 0]
    areas = [
        area_under_curve(difference[row : row + 1, mask[row]], data.target[mask[row]] == 1)
        for row in range(len(found))
    ]
    return torch.cat(areas)


def _lines(
    data: SharedSet, design: Design, replicas: Any, columns: Any, parts: Tensor, best: Any, seconds: float
) -> list[dict[str, Any]]:
    """Return a line per replica and test part."""
    found = []
    for (name, fold, seed), part, scores in zip(replicas, parts, best, strict=True):
        for number, test in enumerate(data.tests):
            found.append(
                {
                    "set": test,
                    "model": design.kind,
                    "columns": name,
                    "seed": seed,
                    "fold": fold,
                    "metric": data.metric,
                    "split": data.split,
                    "train_rows": int((part == 0).sum()),
                    "test_rows": int((part == number + 2).sum()),
                    "num_columns": columns[name],
                    "column_seconds": data.seconds.get(name, 0.0),
                    "validation": scores[0],
                    "test": scores[1 + number],
                    "best_step": scores[-1],
                    "seconds": round(seconds / len(replicas), 3),
                }
            )
    return found

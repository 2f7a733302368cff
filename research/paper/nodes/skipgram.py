"""Skip-gram with negative samples in torch, for CPU and GPU."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet import Graph, Training, Walks
from egonet.embeddings import NOWHERE, random_walks
from research.paper.nodes.batches import Cutter, PairCutter, Stepper, cutter_for
from research.paper.nodes.native_losses import native_pair_losses
from research.paper.nodes.weighted_sums import gather

#: Vectors of the distinct sources and of the distinct contexts; the same tensor if there is one table.
Vectors = Callable[[], tuple[Tensor, Tensor]]


@dataclass(frozen=True, eq=False)
class Course:
    """The mean loss of every epoch, the number of pairs, and the line from product to logit."""

    losses: tuple[float, ...]
    num_pairs: int
    scale: float
    shift: float


@dataclass(frozen=True, eq=False)
class Model:
    """What is learned: a⟨source, context⟩ + b is the logit of a pair.

    Attributes
    ----------
    vectors
        Called at every step: source and context vectors of the distinct nodes.
    row_of
        int64 (num_nodes,): the distinct node of each node.
    parameters
        What is learned; `vectors` is a function of them.
    line
        The initial a and b, which are learned too.
    """

    vectors: Vectors
    row_of: Tensor
    parameters: list[Tensor]
    line: tuple[float, float] = (1.0, 0.0)


def train(
    graph: Graph,
    model: Model,
    walks: Walks,
    training: Training,
    rng: np.random.Generator,
    *,
    draw: Callable[[], Tensor] | None = None,
) -> Course:
    """Learn the parameters of a model so that it distinguishes pairs of walks from random ones.

    `draw` returns the walks of one epoch; the default is random walks.
    """
    device = model.row_of.device
    random = torch.Generator(device=device).manual_seed(int(rng.integers(2**62)))
    walker = draw or Walker(graph, walks, rng, random, device)
    scale_and_shift = torch.tensor(model.line, device=device, requires_grad=True)
    cutter = cutter_for(training, graph.num_nodes, walks, random)
    descent = Descent(model, scale_and_shift, cutter, training)
    losses: list[float] = []
    num_pairs = 0.0
    for epoch in range(training.epochs):
        loss, weight = descent.epoch(walker(), epoch)
        losses.append(loss / max(weight, 1.0))
        num_pairs += weight
        if _has_stalled(losses, training.patience):
            break
    scale, shift = scale_and_shift.detach().tolist()
    return Course(tuple(losses), round(num_pairs), scale, shift)


class Descent:
    """Adam on the losses of batches of pairs, epoch by epoch."""

    def __init__(self, model: Model, line: Tensor, cutter: Cutter | PairCutter, training: Training) -> None:
        self.vectors, self.row_of, self.line = model.vectors, model.row_of, line
        self.cutter, self.training = cutter, training
        row_of = model.row_of
        on_gpu = row_of.device.type == "cuda"
        self.rate = torch.tensor(training.rate, device=row_of.device) if on_gpu else training.rate
        options = {"fused": True, "capturable": True} if on_gpu else {"foreach": True}
        self.adam = torch.optim.Adam([*model.parameters, line], lr=self.rate, **options)  # type: ignore[arg-type]
        self.sums = torch.zeros(2, dtype=torch.float64, device=row_of.device)
        self.step = Stepper(self._step, row_of.device)

    def epoch(self, paths: Tensor, epoch: int) -> tuple[float, float]:
        """Take the steps of one epoch and return the sum of losses and the number of pairs."""
        self.sums.zero_()
        self.cutter.begin(paths)
        for step in range(self.cutter.num_steps):
            share = (epoch + step / self.cutter.num_steps) / self.training.epochs
            if self.training.decay:
                self._set_rate(self.training.rate * max(1.0 - share, 1e-3))
            self.cutter.draw(step)
            self.step()
        loss, weight = self.sums.tolist()
        return loss, weight

    def _set_rate(self, rate: float) -> None:
        """Set Adam's rate: in place where a recorded step reads it."""
        if isinstance(self.rate, Tensor):
            self.rate.fill_(rate)
        else:
            self.adam.param_groups[0]["lr"] = rate

    def _step(self) -> None:
        """Take one step and add the sum of its losses and the number of its pairs."""
        batch = self.cutter.take()
        # Gradients that are not there are written, not added to: a recorded step needs no zeros.
        self.adam.zero_grad(set_to_none=True)
        found, on_cpu = (self.vectors(), self.row_of, self.line, *batch), self.row_of.device.type == "cpu"
        if isinstance(self.cutter, PairCutter):
            loss, weight = self.cutter.losses(*found)
        else:
            window = self.cutter.walks.window
            loss, weight = native_pair_losses(*found, window) if on_cpu else pair_losses(*found, window)
        (loss / weight.clamp(min=1.0)).backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        self.sums += torch.stack([loss.detach(), weight]).double()


def pair_losses(
    vectors: tuple[Tensor, Tensor],
    row_of: Tensor,
    line: Tensor,
    segments: Tensor,
    others: Tensor,
    window: int,
) -> tuple[Tensor, Tensor]:
    """Return the summed loss of all pairs of some segments of walks, and how many pairs there are.

    Parameters
    ----------
    vectors
        Source and context vectors, (num_rows, dim) each.
    row_of, line
        The row of every node; a and b.
    segments
        int64 (num_segments, 3 * window): the middle third are sources, all may be contexts; -1 is nothing.
    others
        int64 (num_groups, count): negatives, shared by num_segments / num_groups segments each.
    window
        How far apart the nodes of a pair may be.
    """
    sources, contexts = vectors
    there = segments >= 0
    around = gather(contexts, row_of[segments.clamp(min=0)])
    middle = segments[:, window : 2 * window]
    center = (
        around[:, window : 2 * window]
        if sources is contexts
        else gather(sources, row_of[middle.clamp(min=0)])
    )
    far = ~(band(window, segments.device) & there[:, None, :] & there[:, window : 2 * window, None])
    scaled = center * line[0]
    real = torch.baddbmm(line[1].expand(1, 1, 1), scaled, around.transpose(1, 2))
    loss = F.softplus(-real).masked_fill(far, 0.0).sum()
    num_near = (3 * window - far.sum(2)).to(real.dtype)
    # Every source has negatives in proportion to its pairs; those that are the source itself count nothing.
    groups = len(others)
    same = middle.reshape(groups, -1, 1) == others[:, None, :]
    wide = scaled.reshape(groups, same.shape[1], -1)
    false = torch.baddbmm(line[1].expand(1, 1, 1), wide, gather(contexts, row_of[others]).transpose(1, 2))
    share = num_near.reshape(groups, -1) / (2.0 * window)
    loss = loss + (F.softplus(false).masked_fill(same, 0.0).sum(2) * share).sum()
    weight = num_near.sum() + ((same.shape[2] - same.sum(2)) * share).sum()
    return loss, weight


def band(window: int, device: torch.device) -> Tensor:
    """Return which contexts of a segment belong to which source: bool (window, 3 * window).

    Examples
    --------
    >>> band(2, torch.device("cpu")).int().tolist()
    [[1, 1, 0, 1, 1, 0], [0, 1, 1, 0, 1, 1]]
    """
    source = torch.arange(window, device=device)[:, None] + window
    gap = (torch.arange(3 * window, device=device)[None] - source).abs()
    return (gap > 0) & (gap <= window)


class Walker:
    """Draws the walks of one epoch: NumPy on the CPU, torch on a GPU."""

    def __init__(
        self,
        graph: Graph,
        walks: Walks,
        rng: np.random.Generator,
        random: torch.Generator,
        device: torch.device,
    ) -> None:
        self.graph, self.walks, self.rng, self.random = graph, walks, rng, random
        self.on_cpu = device.type == "cpu"
        if not self.on_cpu:
            self.indptr = torch.from_numpy(graph.indptr.copy()).to(device)
            self.indices = torch.from_numpy(np.append(graph.indices, np.int32(0))).to(device)

    def __call__(self) -> Tensor:
        """Return walks, int32 (num_walks, length)."""
        if self.on_cpu:
            return torch.from_numpy(random_walks(self.graph, self.walks, self.rng))
        return device_walks(self.indptr, self.indices, self.walks, self.random)


def device_walks(indptr: Tensor, indices: Tensor, walks: Walks, random: torch.Generator) -> Tensor:
    """Return walks like `random_walks`, drawn where the graph's arrays are; `indices` has one entry to spare."""
    device, degrees = indptr.device, indptr.diff()
    here = torch.arange(len(degrees), device=device).repeat(walks.per_node)
    path = [here.int()]
    over = torch.zeros(len(here), dtype=torch.bool, device=device)
    for _ in range(1, walks.length):
        choices = degrees[here] + int(walks.lazy)
        chance = torch.rand(len(here), generator=random, device=device, dtype=torch.float64)
        slot = torch.minimum((chance * choices).long(), choices - 1)
        stays = slot >= degrees[here] if walks.lazy else torch.zeros_like(over)
        over = over | (choices == 0)
        ahead = indices[torch.where(stays | over, len(indices) - 1, indptr[here] + slot)].long()
        here = torch.where(stays | over, here, ahead)
        path.append(torch.where(over, NOWHERE, here).int())
    return torch.stack(path, dim=1)


def _has_stalled(losses: list[float], patience: int | None) -> bool:
    """Return whether the last epochs brought nothing."""
    if patience is None or len(losses) <= patience:
        return False
    return min(losses[-patience:]) > min(losses[:-patience]) * 0.999

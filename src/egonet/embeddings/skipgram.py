"""Skip-gram with negative samples: vertices that meet in walks are pulled together, random ones pushed apart."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet.embeddings.model import gather
from egonet.embeddings.native_steps import native_pair_losses
from egonet.embeddings.training import Training
from egonet.embeddings.walks import NOWHERE, Walks, random_walks
from egonet.graph.graph import Graph

#: Vectors of the distinct sources and of the distinct contexts; the same tensor if there is one table.
Vectors = Callable[[], tuple[Tensor, Tensor]]
Progress = Callable[[int, int], None]

#: So many consecutive windows of sources share their negatives, which turns most of the work into products.
_SHARING = 8
#: Steps per epoch on small graphs, unless the size of a batch is given.
_LEAST_STEPS = 20


@dataclass(frozen=True, eq=False)
class Course:
    """What learning did: the mean loss of every epoch, the pairs seen, and the line from product to logit."""

    losses: tuple[float, ...]
    num_pairs: int
    scale: float
    shift: float


def train(
    graph: Graph,
    vectors: Vectors,
    row_of: Tensor,
    parameters: list[Tensor],
    walks: Walks,
    training: Training,
    rng: np.random.Generator,
    *,
    draw: Callable[[], Tensor] | None = None,
    progress: Progress | None = None,
) -> Course:
    """Learn parameters so that a⟨source, context⟩ + b tells pairs of walks from random ones; a and b learn along.

    Parameters
    ----------
    graph
        Where walks go.
    vectors
        Called at every step: source and context vectors of the distinct vertices.
    row_of
        The distinct vertex that each vertex is.
    parameters
        What learns; `vectors` is a function of them.
    walks, training, rng
        How pairs are drawn, how long to learn, and where randomness comes from.
    draw
        Returns the walks of one epoch; random walks if not given.
    progress
        Called as progress(done, total) with numbers of vertices that walks started from.
    """
    device = row_of.device
    random = torch.Generator(device=device).manual_seed(int(rng.integers(2**62)))
    walker = draw or Walker(graph, walks, rng, random, device)
    line = torch.tensor([1.0, 0.0], device=device, requires_grad=True)
    adam = torch.optim.Adam([*parameters, line], lr=training.rate, foreach=True)
    cutter = Cutter(graph.num_nodes, walks, training, random)
    total = training.epochs * graph.num_nodes
    losses: list[float] = []
    num_pairs = 0.0
    for epoch in range(training.epochs):
        sums = torch.zeros(2, dtype=torch.float64, device=device)
        num_steps, batches = cutter.batches(walker())
        for step, segments in enumerate(batches):
            share = (epoch + step / num_steps) / training.epochs
            if training.decay:
                adam.param_groups[0]["lr"] = training.rate * max(1.0 - share, 1e-3)
            sums += descend(adam, vectors, row_of, line, segments, cutter)
            if progress is not None:
                progress(int(share * total), total)
        loss, weight = sums.tolist()
        losses.append(loss / max(weight, 1.0))
        num_pairs += weight
        if _has_stalled(losses, training.patience):
            break
    if progress is not None:
        progress(total, total)
    scale, shift = line.detach().tolist()
    return Course(tuple(losses), round(num_pairs), scale, shift)


def descend(
    adam: torch.optim.Adam, vectors: Vectors, row_of: Tensor, line: Tensor, segments: Tensor, cutter: "Cutter"
) -> Tensor:
    """Take one step and return the sum of losses and the number of pairs."""
    others = cutter.negatives(len(segments))
    if row_of.device.type == "cpu":
        loss, weight = native_pair_losses(vectors(), row_of, line, segments, others, cutter.walks.window)
    else:
        loss, weight = pair_losses(vectors(), row_of, line, segments, others, cutter.walks)
    adam.zero_grad(set_to_none=True)
    (loss / weight.clamp(min=1.0)).backward()  # type: ignore[no-untyped-call]
    adam.step()
    return torch.stack([loss.detach(), weight]).double()


def pair_losses(
    vectors: tuple[Tensor, Tensor],
    row_of: Tensor,
    line: Tensor,
    segments: Tensor,
    others: Tensor,
    walks: Walks,
) -> tuple[Tensor, Tensor]:
    """Return the summed loss of all pairs of some pieces of walks, and how many pairs there are.

    Parameters
    ----------
    vectors
        Source and context vectors, (num_rows, dim) each.
    row_of, line
        The row of every vertex; a and b.
    segments
        int64 (num_segments, 3 * window): the middle third are sources, all may be contexts; -1 is nothing.
    others
        int64 (num_groups, count): negatives, shared by num_segments / num_groups segments each.
    walks
        For the window.
    """
    window = walks.window
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


class Cutter:
    """Cuts walks into segments of as many sources as the window is wide, in random order, so many a step."""

    def __init__(self, num_nodes: int, walks: Walks, training: Training, random: torch.Generator) -> None:
        self.num_nodes, self.walks, self.random = num_nodes, walks, random
        per_source = 2 * walks.window * (1 + training.negatives)
        per_group = per_source * walks.window * _SHARING
        every = num_nodes * walks.per_node * walks.length * per_source
        usual = min(max(100_000, num_nodes * per_source), every // _LEAST_STEPS)
        self.num_groups = max(1, round((training.batch_pairs or usual) / per_group))
        self.num_negatives = 2 * walks.window * training.negatives

    def negatives(self, num_segments: int) -> Tensor:
        """Return vertices drawn uniformly, a row per group of segments."""
        shape = (num_segments // _SHARING, self.num_negatives)
        return torch.randint(self.num_nodes, shape, generator=self.random, device=self.random.device)

    def batches(self, paths: Tensor) -> tuple[int, Iterator[Tensor]]:
        """Return the number of steps and the segments of each, int64 (num_groups * sharing, 3 * window).

        Every vertex of every walk is a source exactly once; the last step is filled up with nothing.
        """
        window, length = self.walks.window, paths.shape[1]
        num_pieces = -(-length // window)
        padded = F.pad(paths, (window, (num_pieces + 1) * window - length), value=NOWHERE)
        padded = F.pad(padded, (0, 0, 0, 1), value=NOWHERE)
        num_segments, size = len(paths) * num_pieces, self.num_groups * _SHARING
        num_steps = -(-num_segments // size)
        order = torch.randperm(num_segments, generator=self.random, device=self.random.device)
        order = F.pad(order, (0, num_steps * size - num_segments), value=num_segments)
        along = torch.arange(3 * window, device=paths.device)

        def cut() -> Iterator[Tensor]:
            for chosen in torch.split(order, size):
                walk, piece = chosen // num_pieces, chosen % num_pieces
                yield padded[walk[:, None], piece[:, None] * window + along].long()

        return num_steps, cut()


def _has_stalled(losses: list[float], patience: int | None) -> bool:
    """Return whether the last epochs brought nothing."""
    if patience is None or len(losses) <= patience:
        return False
    return min(losses[-patience:]) > min(losses[:-patience]) * 0.999

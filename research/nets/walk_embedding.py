"""Frozen embeddings: a short vector per encoding column, random or learned from walks, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet.typing import Int64s


@dataclass(frozen=True)
class Walks:
    """How pairs of nodes are drawn, and how long the vectors learn from them.

    Attributes
    ----------
    length
        Nodes per walk; every training node starts one walk an epoch, staying put with 1 / (degree + 1).
    window
        Nodes at most this many steps apart in a walk are a pair.
    negatives
        Random nodes paired with the first of each pair.
    epochs, batch_size, rate
        Passes over all pairs, examples per step, Adam's learning rate.
    """

    length: int = 15
    window: int = 3
    negatives: int = 10
    epochs: int = 2
    batch_size: int = 10_000
    rate: float = 0.1

    def steps(self, num_walks: int) -> int:
        """Return the number of steps of one epoch."""
        pairs = sum(2 * (self.length - gap) for gap in range(1, self.window + 1))
        return max(1, num_walks * pairs * (1 + self.negatives) // self.batch_size)


@dataclass(frozen=True, eq=False)
class Layouts:
    """The encodings that M embeddings read.

    Attributes
    ----------
    weights
        (layouts, num_classes, num_columns): the distinct encodings of nodes, rows summing to one.
    classes
        int64 (layouts, num_nodes): the encoding of each node.
    which
        int64 (M,): the layout that each embedding reads.
    """

    weights: Tensor
    classes: Tensor
    which: Tensor


def learn_vectors(
    layouts: Layouts,
    neighbors: Tensor,
    training: Sequence[Int64s],
    start: tuple[Tensor, Tensor],
    walks: Walks,
    seed: int,
) -> Tensor:
    """Return vectors (M, num_columns, length) learned from random walks, all M at once.

    Nodes that meet in a walk get a high a⟨e_u, e_v⟩ + b, random ones a low one; e_v is the weighted mean
    of the vectors of v's columns, a and b are learned too.

    Parameters
    ----------
    layouts
        The encodings of the nodes.
    neighbors
        int64 (num_nodes, slots): the node itself, then its neighbors; -1 where there is none.
    training
        The nodes walks start from, per embedding.
    start
        The initial vectors, (M, num_columns, length), and the initial a and b, (M, 2).
    walks, seed
        How pairs are drawn.
    """
    (vectors, lines), weights = start, layouts.weights
    device = vectors.device
    random = torch.Generator(device=device).manual_seed(seed)
    slots = (neighbors >= 0).sum(1)
    # Equal numbers of walks for all: where a fold has fewer nodes, the first ones start a second walk.
    count = max(len(nodes) for nodes in training)
    pool = torch.stack([torch.from_numpy(np.resize(nodes, count)) for nodes in training]).to(device)
    table = vectors.clone().requires_grad_()
    line = lines.clone().requires_grad_()
    adam = torch.optim.Adam([table, line], lr=walks.rate)
    pairs = _pairs(walks).to(device)
    rows = weights.flatten(0, 1)
    layout = torch.arange(len(weights), device=device).unsqueeze(1)
    number = (layouts.classes + layout * weights.shape[1])[layouts.which]
    for _ in range(walks.epochs):
        paths = _walk(pool, neighbors, slots, walks.length, random)
        for _ in range(walks.steps(count)):
            first, second, label = _examples(paths, pairs, pool, walks, random)
            # The rows of encodings are gathered, not the vectors: their gradient is then one matrix product.
            one, other = (torch.bmm(rows[number.gather(1, nodes)], table) for nodes in (first, second))
            logits = line[:, :1] * (one * other).sum(2) + line[:, 1:]
            loss = (
                F.binary_cross_entropy_with_logits(logits, label.expand_as(logits), reduction="none")
                .mean(1)
                .sum()
            )
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
    return table.detach()


def _walk(pool: Tensor, neighbors: Tensor, slots: Tensor, length: int, random: torch.Generator) -> Tensor:
    """Return (M, num_walks, length): lazy random walks from every node of `pool`."""
    path = [pool]
    for _ in range(length - 1):
        here = path[-1]
        chance = torch.rand(here.shape, generator=random, device=here.device)
        slot = (chance * slots[here]).long().clamp(max=neighbors.shape[1] - 1)
        path.append(neighbors[here, slot])
    return torch.stack(path, dim=2)


def _pairs(walks: Walks) -> Tensor:
    """Return every (place, place) of a walk that is at most a window apart."""
    found = [
        (i, j) for i in range(walks.length) for j in range(walks.length) if 0 < abs(i - j) <= walks.window
    ]
    return torch.tensor(found)


def _examples(
    paths: Tensor, pairs: Tensor, pool: Tensor, walks: Walks, random: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Return both nodes of a batch of pairs, (M, batch_size), and which are real."""
    replicas, num_walks = pool.shape
    real = max(1, walks.batch_size // (1 + walks.negatives))
    device = pool.device

    def draw(high: int, width: int) -> Tensor:
        return torch.randint(high, (replicas, width), generator=random, device=device)

    place = pairs[draw(len(pairs), real)]
    walk = draw(num_walks, real)
    line = torch.arange(replicas, device=device).unsqueeze(1)
    first, second = paths[line, walk, place[..., 0]], paths[line, walk, place[..., 1]]
    source = first.repeat(1, walks.negatives)
    other = pool.gather(1, draw(num_walks - 1, source.shape[1]))
    # Drawn from all but the last node; whoever hits the source takes the last one instead.
    other = torch.where(other == source, pool[:, -1:], other)
    label = torch.zeros(1, real + source.shape[1], device=device, dtype=torch.get_default_dtype())
    label[:, :real] = 1.0
    return torch.cat([first, source], 1), torch.cat([second, other], 1), label

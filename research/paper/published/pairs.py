"""Pairs in the order of the published code: single pairs, distributed over 777 buffers in turn."""

from dataclasses import dataclass

import torch
from torch import Tensor

from egonet import Training, Walks
from egonet.embeddings import NOWHERE
from research.paper.nodes.batches import PairCutter, cutter_for
from research.paper.nodes.native_losses import native_single_losses
from research.paper.nodes.separate_losses import single_losses

#: The number of buffers that pairs are distributed over in turn.
BUFFERS = 777
#: The number of batches whose negatives are drawn at once.
_DRAWN = 64


@dataclass(frozen=True)
class PublishedTraining(Training):
    """Training with the batches of the published code; `batch_pairs` must be given."""


class BufferCutter(PairCutter):
    """Batches the pairs of an epoch from buffers; used like `PairCutter`.

    Walk by walk every pair is followed by its negatives. All of these go to the buffers in turn, pair and negatives
    to different ones. A full buffer is a batch; the rest is concatenated at the end, buffer by buffer, and divided. A
    batch therefore holds pairs and negatives of every part of the walks, and a negative has another source than the
    pairs in its batch: far less noise than if pairs and their negatives are drawn together.
    """

    def __init__(self, num_nodes: int, walks: Walks, training: Training, random: torch.Generator) -> None:
        assert training.batch_pairs is not None
        self.num_nodes, self.walks, self.random = num_nodes, walks, random
        self.size, self.per_pair = training.batch_pairs, 1 + training.negatives
        self.num_pairs = num_nodes * walks.per_node * walks.num_pairs * self.per_pair
        self.num_steps = -(-self.num_pairs // self.size)
        device = random.device
        self.at = torch.zeros(1, dtype=torch.int64, device=device)
        self._along = torch.arange(self.size, device=device)
        place = torch.arange(walks.length, device=device)
        gap = (place[:, None] - place).abs()
        self._ends = torch.nonzero((gap > 0) & (gap <= walks.window))
        self._paths = torch.empty(
            (num_nodes * walks.per_node, walks.length), dtype=torch.int32, device=device
        )
        self._others = torch.empty((_DRAWN, self.size), dtype=torch.int64, device=device)

    def begin(self, paths: Tensor) -> None:
        """Take the walks of an epoch, int32 (num_walks, length), in random order."""
        order = torch.randperm(len(paths), generator=self.random, device=self.random.device)
        self._paths.copy_(paths[order])
        self.at.zero_()

    def draw(self, step: int) -> None:
        """Make the next negatives ready if they are not; to be called before every step."""
        if step % _DRAWN == 0:
            self._others.random_(max(self.num_nodes - 1, 1), generator=self.random)

    def take(self) -> tuple[Tensor, Tensor]:
        """Return pairs, int64 (size, 2), -1 where there is none, and whether each met in a walk; and go on."""
        turn = self.at * self.size + self._along
        others = self._others.index_select(0, self.at % _DRAWN).squeeze(0)
        self.at += 1
        place = in_stream(turn.clamp(max=self.num_pairs - 1), self.num_pairs, self.size)
        pair, met = place // self.per_pair, place % self.per_pair == 0
        ends = self._ends[pair % len(self._ends)]
        pairs = self._paths[(pair // len(self._ends))[:, None], ends].long()
        there = (pairs >= 0).all(dim=1) & (turn < self.num_pairs)
        source, context = pairs.T
        context = torch.where(met, context, others + (others >= source))
        return torch.stack([source, context], dim=1).masked_fill(~there[:, None], NOWHERE), met

    def losses(
        self, vectors: tuple[Tensor, Tensor], row_of: Tensor, line: Tensor, pairs: Tensor, others: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the summed loss of what was taken, and how many pairs that is."""
        find = native_single_losses if row_of.device.type == "cpu" else single_losses
        return find(vectors, row_of, line, pairs, others)


@cutter_for.register
def _(training: PublishedTraining, num_nodes: int, walks: Walks, random: torch.Generator) -> BufferCutter:
    return BufferCutter(num_nodes, walks, training, random)


def in_stream(turn: Tensor, count: int, size: int) -> Tensor:
    """Return the place in the stream of `count` items of each item of a batch, for buffers of `size` items.

    Examples
    --------
    With 1,554 items and buffers of three no buffer is full: the first has 0 and 777, the second 1 and 778.

    >>> in_stream(torch.arange(5), 1554, 3).tolist()
    [0, 777, 1, 778, 2]
    """
    block = BUFFERS * size
    first = turn // block * block
    left = (count - first).clamp(max=block)
    low, over = left // BUFFERS, left % BUFFERS
    within = turn - first
    # The first buffers have one item more than the others.
    high = over * (low + 1)
    after, least = within - high, low.clamp(min=1)
    buffer = torch.where(within < high, within // (low + 1), over + after // least)
    depth = torch.where(within < high, within % (low + 1), after % least)
    return first + buffer + BUFFERS * depth

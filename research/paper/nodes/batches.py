"""Steps of learning: batches cut out of walks where they lie, and a descent for each, recorded once on a GPU."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet import Training, Walks
from egonet.embeddings import NOWHERE
from research.paper.nodes.native_losses import native_separate_losses
from research.paper.nodes.separate_losses import separate_losses

#: This many consecutive windows of sources share their negatives, which turns most of the work into products.
SHARING = 8
#: Steps per epoch on small graphs, unless the size of a batch is given.
_LEAST_STEPS = 20
#: The number of batches drawn at once.
_DRAWN = 64
#: Steps taken one by one before a step is recorded.
_WARM_STEPS = 3


class Cutter:
    """Cuts walks into segments of as many sources as the window is wide, in random order, `size` a step.

    Everything a step reads stays at the same place in memory, and which step it is stands there too: a recorded
    step can be replayed.

    Attributes
    ----------
    at
        int64 (1,): which of the batches drawn at once is next.
    """

    def __init__(self, num_nodes: int, walks: Walks, training: Training, random: torch.Generator) -> None:
        self.num_nodes, self.walks, self.random = num_nodes, walks, random
        per_source = 2 * walks.window * (1 + training.negatives)
        per_group = per_source * walks.window * SHARING
        every = num_nodes * walks.per_node * walks.length * per_source
        usual = min(max(100_000, num_nodes * per_source), every // _LEAST_STEPS)
        self.num_groups = max(1, round((training.batch_pairs or usual) / per_group))
        self.num_pieces = -(-walks.length // walks.window)
        self.num_segments = num_nodes * walks.per_node * self.num_pieces
        self.size = self.num_groups * SHARING
        self.num_steps = -(-self.num_segments // self.size)
        device, width = random.device, (self.num_pieces + 2) * walks.window
        self.at = torch.zeros(1, dtype=torch.int64, device=device)
        self._walks = torch.full(
            (num_nodes * walks.per_node + 1, width), NOWHERE, dtype=torch.int32, device=device
        )
        self._chosen = torch.empty((_DRAWN, self.size), dtype=torch.int64, device=device)
        shape = (_DRAWN, self.num_groups, 2 * walks.window * training.negatives)
        self._others = torch.empty(shape, dtype=torch.int64, device=device)
        self._along = torch.arange(3 * walks.window, device=device)

    def begin(self, paths: Tensor) -> None:
        """Take the walks of an epoch, int32 (num_walks, length), and shuffle their segments.

        Every node of every walk is a source exactly once; the last step is filled up with nothing.
        """
        window = self.walks.window
        self._walks[:-1, window : window + paths.shape[1]] = paths
        order = torch.randperm(self.num_segments, generator=self.random, device=self.random.device)
        order = F.pad(order, (0, self.num_steps * self.size - self.num_segments), value=self.num_segments)
        self._order = order.reshape(self.num_steps, self.size)

    def draw(self, step: int) -> None:
        """Make the next batches ready if they are not; to be called before every step."""
        if step % _DRAWN == 0:
            rows = self._order[step : step + _DRAWN]
            self._chosen[: len(rows)] = rows
            self._others.random_(self.num_nodes, generator=self.random)
            self.at.zero_()

    def take(self) -> tuple[Tensor, Tensor]:
        """Return segments, int64 (num_groups * sharing, 3 * window), and negatives, a row per group; and go on."""
        chosen = self._chosen.index_select(0, self.at).squeeze(0)
        others = self._others.index_select(0, self.at).squeeze(0)
        self.at += 1
        walk, piece = chosen // self.num_pieces, chosen % self.num_pieces
        places = piece[:, None] * self.walks.window + self._along
        return self._walks[walk[:, None], places].long(), others


class PairCutter:
    """Batches all pairs of all walks in random order, each with its own negatives; used like `Cutter`."""

    def __init__(self, num_nodes: int, walks: Walks, training: Training, random: torch.Generator) -> None:
        self.num_nodes, self.walks, self.random = num_nodes, walks, random
        self.num_pairs = num_nodes * walks.per_node * walks.num_pairs
        per_pair = 1 + training.negatives
        usual = max(100_000, num_nodes * 2 * walks.window * per_pair)
        usual = min(usual, self.num_pairs * per_pair // _LEAST_STEPS)
        self.size = max(1, round((training.batch_pairs or usual) / per_pair))
        self.num_steps = -(-self.num_pairs // self.size)
        device = random.device
        self.at = torch.zeros(1, dtype=torch.int64, device=device)
        # The last entry is no pair; it fills up the last step.
        self._pairs = torch.full((self.num_pairs + 1, 2), NOWHERE, dtype=torch.int32, device=device)
        self._chosen = torch.empty((_DRAWN, self.size), dtype=torch.int64, device=device)
        shape = (_DRAWN, self.size, training.negatives)
        self._others = torch.empty(shape, dtype=torch.int64, device=device)

    def begin(self, paths: Tensor) -> None:
        """Take the walks of an epoch, int32 (num_walks, length), and shuffle their pairs."""
        first = 0
        for gap in range(1, min(self.walks.window, paths.shape[1] - 1) + 1):
            early, late = paths[:, :-gap].reshape(-1), paths[:, gap:].reshape(-1)
            for source, context in ((early, late), (late, early)):
                place = self._pairs[first : first + len(source)]
                place[:, 0], place[:, 1] = source, context
                first += len(source)
        order = torch.randperm(self.num_pairs, generator=self.random, device=self.random.device)
        order = F.pad(order, (0, self.num_steps * self.size - self.num_pairs), value=self.num_pairs)
        self._order = order.reshape(self.num_steps, self.size)

    def draw(self, step: int) -> None:
        """Make the next batches ready if they are not; to be called before every step."""
        if step % _DRAWN == 0:
            rows = self._order[step : step + _DRAWN]
            self._chosen[: len(rows)] = rows
            self._others.random_(max(self.num_nodes - 1, 1), generator=self.random)
            self.at.zero_()

    def take(self) -> tuple[Tensor, Tensor]:
        """Return pairs, int64 (size, 2), and negatives, a row per pair, none of them its source; and go on."""
        pairs = self._pairs[self._chosen.index_select(0, self.at).squeeze(0)].long()
        others = self._others.index_select(0, self.at).squeeze(0)
        self.at += 1
        return pairs, others + (others >= pairs[:, :1])

    def losses(
        self, vectors: tuple[Tensor, Tensor], row_of: Tensor, line: Tensor, pairs: Tensor, others: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the summed loss of what was taken, and how many pairs that is."""
        find = native_separate_losses if row_of.device.type == "cpu" else separate_losses
        return find(vectors, row_of, line, pairs, others)


@dataclass(frozen=True)
class SeparateTraining(Training):
    """Training in which every pair has its own negatives, as in the paper's code; slower, with less noise."""


@singledispatch
def cutter_for(
    training: Training, num_nodes: int, walks: Walks, random: torch.Generator
) -> Cutter | PairCutter:
    """Return what makes the batches of an epoch; other kinds of training register their own."""
    return Cutter(num_nodes, walks, training, random)


@cutter_for.register
def _(training: SeparateTraining, num_nodes: int, walks: Walks, random: torch.Generator) -> PairCutter:
    return PairCutter(num_nodes, walks, training, random)


class Stepper:
    """Calls a step again and again; on a GPU it is recorded as a CUDA graph and replayed, without Python."""

    def __init__(self, step: Callable[[], None], device: torch.device) -> None:
        self._step, self._left = step, _WARM_STEPS if device.type == "cuda" else -1
        self._stream = torch.cuda.Stream() if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        """Take one step."""
        if self._stream is None:
            self._step()
            return
        if self._graph is None and self._left == 0:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._step()
        if self._graph is not None:
            self._graph.replay()
            return
        self._left -= 1
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self._step()
        torch.cuda.current_stream().wait_stream(self._stream)

"""node2vec, the method to compare with: a vector per node of one graph, learned from biased walks."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from egonet import Graph, Training, Walks
from egonet.embeddings import NOWHERE
from research.paper.nodes.skipgram import Model, train

#: The number of proposals for a step, before any neighbor is taken.
_MAX_PROPOSALS = 64


def node2vec(
    graph: Graph,
    dim: int,
    walks: Walks,
    training: Training,
    *,
    seed: int,
    bias: tuple[float, float] = (1.0, 1.0),
    device: str = "cpu",
) -> Tensor:
    """Return a vector per node, float32 (num_nodes, dim); a source and a context vector of each learn together.

    Parameters
    ----------
    graph
        The graph; nodes that are not in it have no vector.
    dim, walks, training, seed, device
        As for `egonet.fit_embeddings`.
    bias
        p and q: a step back to where the walk came from has weight 1 / p, to a common neighbor 1, elsewhere 1 / q.
        With (1, 1) this is DeepWalk.
    """
    rng = np.random.default_rng(seed)
    start = (rng.random((graph.num_nodes, dim), dtype=np.float32) - 0.5) / dim
    source = torch.from_numpy(start).to(device).requires_grad_()
    context = torch.zeros_like(source).requires_grad_()
    rows = torch.arange(graph.num_nodes, device=device)
    draw = None if bias == (1.0, 1.0) else BiasedWalker(graph, walks, bias, int(rng.integers(2**62)), device)
    model = Model(lambda: (source, context), rows, [source, context])
    train(graph, model, walks, training, rng, draw=draw)
    return source.detach()


class BiasedWalker:
    """Draws second-order walks by rejection: a uniform neighbor is proposed and kept by its weight."""

    def __init__(
        self, graph: Graph, walks: Walks, bias: tuple[float, float], seed: int, device: torch.device | str
    ) -> None:
        self.walks, self.num_nodes = walks, graph.num_nodes
        self.back, self.away = 1.0 / bias[0], 1.0 / bias[1]
        self.random = torch.Generator(device=device).manual_seed(seed)
        self.indptr = torch.from_numpy(graph.indptr.copy()).to(device)
        self.indices = torch.from_numpy(np.append(graph.indices, np.int32(0))).to(device).long()
        owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        # Rising, because rows are and every row is.
        self.codes = torch.from_numpy(owner * graph.num_nodes + graph.indices).to(device)

    def __call__(self) -> Tensor:
        """Return walks, int32 (num_walks, length)."""
        device, degrees = self.indptr.device, self.indptr.diff()
        here = torch.arange(self.num_nodes, device=device).repeat(self.walks.per_node)
        before = here
        path = [here]
        for _ in range(1, self.walks.length):
            ahead = self._step(before, here, degrees)
            before, here = here, ahead
            path.append(ahead)
        paths = torch.stack(path, dim=1)
        paths[degrees[paths[:, 0]] == 0, 1:] = NOWHERE
        return paths.int()

    def _step(self, before: Tensor, here: Tensor, degrees: Tensor) -> Tensor:
        """Return the next node of every walk."""
        ahead = self._propose(here, degrees)
        # On the first step there is no node before, and every neighbor is as good.
        left = torch.nonzero(before != here).squeeze(1)
        most = max(self.back, self.away, 1.0)
        for _ in range(_MAX_PROPOSALS):
            if not len(left):
                break
            weight = self._weight(before[left], ahead[left])
            chance = torch.rand(len(left), generator=self.random, device=here.device)
            left = left[chance * most >= weight]
            ahead[left] = self._propose(here[left], degrees)
        return ahead

    def _propose(self, here: Tensor, degrees: Tensor) -> Tensor:
        """Return a neighbor of every node, each equally likely; a node without any stays."""
        chance = torch.rand(len(here), generator=self.random, device=here.device, dtype=torch.float64)
        slot = (chance * degrees[here]).long()
        return torch.where(degrees[here] > 0, self.indices[self.indptr[here] + slot], here)

    def _weight(self, before: Tensor, ahead: Tensor) -> Tensor:
        """Return 1 / p for a step back, 1 for one to a neighbor of the node before, else 1 / q."""
        code = before * self.num_nodes + ahead
        place = torch.searchsorted(self.codes, code).clamp(max=len(self.codes) - 1)
        weight = torch.where(self.codes[place] == code, 1.0, self.away)
        return torch.where(ahead == before, self.back, weight)


def best_bias(
    score: Callable[[tuple[float, float]], float], grid: list[tuple[float, float]]
) -> tuple[float, float]:
    """Return the (p, q) of a grid with the highest score; the first of equals.

    Examples
    --------
    >>> best_bias(lambda bias: -abs(bias[1] - 2.0), [(1.0, 0.5), (1.0, 2.0)])
    (1.0, 2.0)
    """
    return max(grid, key=score) if len(grid) > 1 else grid[0]

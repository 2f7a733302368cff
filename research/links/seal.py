"""SEAL, a rival for link prediction: a network on the subgraph around each pair (Zhang and Chen, NeurIPS 2018).

Written from the paper with PyG's layers; the authors' program is not used. Every pair has the nodes within 1 or 2 hops
of its ends, without its own edge, labeled by their distances from both; a DGCNN (four layers of messages, the nodes
sorted, two convolutions, a dense layer) learns from these labels alone. Batches of 50, 50 epochs and a rate of 0.0001
are those of the authors; hops and epoch are chosen on a tenth of the pairs to learn from. It runs on a GPU if there is
one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torch_geometric.nn import GCNConv
from torch_geometric.nn.aggr import SortAggregation

from egonet import Graph
from egonet.links import link_columns
from egonet.typing import Floats, Int64s
from research.links.networks import pairs_to_learn

EPOCHS, BATCH, RATE, WIDTH = 50, 50, 1e-4, 32
#: Pairs that are scored at once.
_SCORED = 500


@dataclass(frozen=True, eq=False)
class Subgraphs:
    """The subgraphs around some pairs, one after the other; all on one device.

    Attributes
    ----------
    labels
        int64 (num_nodes,): the label of every node; those of subgraph i are nodes[i] ... nodes[i + 1].
    arcs
        int64 (2, num_arcs): positions in the subgraph; those of subgraph i are arc_starts[i] ... arc_starts[i + 1].
    weights
        float32 (num_arcs,): 1 / sqrt(product of both degrees), where a node is a neighbor of itself too.
    starts, arc_starts
        int64 (num_pairs + 1,).
    """

    labels: Tensor
    arcs: Tensor
    weights: Tensor
    starts: Tensor
    arc_starts: Tensor

    def batch(self, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the labels, arcs, weights and subgraphs of the nodes of some pairs."""
        nodes, owner = ranges(self.starts, chosen)
        arcs, arc_owner = ranges(self.arc_starts, chosen)
        sizes = (self.starts[1:] - self.starts[:-1])[chosen]
        shift = (sizes.cumsum(0) - sizes)[arc_owner]
        return self.labels[nodes], self.arcs[:, arcs] + shift, self.weights[arcs], owner


def ranges(starts: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Return the positions starts[i] ... starts[i + 1] - 1 of every chosen i, and which of the chosen each belongs to.

    >>> [each.tolist() for each in ranges(torch.tensor([0, 2, 3, 6]), torch.tensor([2, 0]))]
    [[3, 4, 5, 0, 1], [0, 0, 0, 1, 1]]
    """
    sizes = starts[chosen + 1] - starts[chosen]
    owner = torch.repeat_interleave(torch.arange(len(chosen), device=starts.device), sizes)
    first = sizes.cumsum(0) - sizes
    return torch.arange(len(owner), device=starts.device) + (starts[chosen] - first)[owner], owner


def label_nodes(first: Floats, second: Floats) -> Int64s:
    """Return SEAL's labels of nodes by their distances from both ends; 0 where one of them is not reached.

    >>> label_nodes(np.array([1.0, 1.0, 2.0, np.inf]), np.array([1.0, 2.0, 2.0, 1.0])).tolist()
    [2, 3, 5, 0]
    """
    reached = np.isfinite(first + second)
    one, other = (np.where(reached, side, 0).astype(np.int64) for side in (first, second))
    half, odd = np.divmod(one + other, 2)
    return np.where(reached, 1 + np.minimum(one, other) + half * (half + odd - 1), 0)


def subgraph_around(adjacency: csr_array, u: int, v: int, hops: int) -> tuple[Int64s, Int64s]:
    """Return the labels of the nodes within some hops of u or v, both ends first, and the arcs between them.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)]).to_scipy()
    >>> [each.tolist() for each in subgraph_around(path, 0, 2, 1)]
    [[1, 1, 2, 0], [[0, 1, 1, 2, 2, 3], [2, 2, 3, 0, 1, 1]]]
    """
    inside = np.array([u, v])
    for _ in range(hops):
        inside = np.union1d(inside, adjacency[inside].indices)
    nodes = np.r_[u, v, inside[(inside != u) & (inside != v)]]
    block = csr_array(adjacency[nodes][:, nodes]).tocoo()
    kept = block.row + block.col != 1  # the arcs between rows 0 and 1 are the edge of the pair
    rows, columns = block.row[kept].astype(np.int64), block.col[kept].astype(np.int64)
    distances = []
    for removed in (1, 0):  # from u without v, from v without u
        stays = (rows != removed) & (columns != removed)
        shape = (len(nodes), len(nodes))
        rest = csr_array((np.ones(int(stays.sum())), (rows[stays], columns[stays])), shape=shape)
        distances.append(dijkstra(rest, indices=np.array(1 - removed), unweighted=True))
    labels = label_nodes(*distances)
    labels[:2] = 1
    order = np.lexsort((columns, rows))
    return labels, np.stack([rows[order], columns[order]])


def subgraphs_of(graph: Graph, pairs: Int64s, hops: int, device: str) -> Subgraphs:
    """Return the subgraphs around some pairs of rows."""
    adjacency = csr_array(graph.to_scipy())
    labels, arcs, weights = [], [], []
    for u, v in pairs.tolist():
        own, ends = subgraph_around(adjacency, u, v, hops)
        ends = np.hstack([ends, np.tile(np.arange(len(own)), (2, 1))])  # a node sends messages to itself
        degrees = np.bincount(ends[0], minlength=len(own))
        labels.append(own)
        arcs.append(ends)
        weights.append(1 / np.sqrt(degrees[ends].prod(axis=0)))
    starts, arc_starts = (
        torch.from_numpy(np.cumsum([0, *map(len, each)])).to(device) for each in (labels, weights)
    )
    return Subgraphs(
        torch.from_numpy(np.concatenate(labels)).to(device),
        torch.from_numpy(np.hstack(arcs)).to(device),
        torch.from_numpy(np.concatenate(weights)).float().to(device),
        *(starts, arc_starts),
    )


class SortedNodes(nn.Module):
    """DGCNN: four layers of messages, the nodes sorted by the last one, convolutions over the first `num_sorted`."""

    def __init__(self, num_labels: int, num_sorted: int) -> None:
        super().__init__()
        self.start = nn.Embedding(num_labels, WIDTH)
        widths = (WIDTH, WIDTH, WIDTH, WIDTH, 1)
        self.layers = nn.ModuleList(
            GCNConv(one, other, normalize=False, add_self_loops=False) for one, other in pairwise(widths)
        )
        total = sum(widths[1:])
        self.sort = SortAggregation(num_sorted)
        self.first = nn.Conv1d(1, 16, total, total)
        self.pool = nn.MaxPool1d(2, 2)
        self.second = nn.Conv1d(16, 32, 5, 1)
        self.dense = nn.Sequential(
            nn.Linear(32 * (num_sorted // 2 - 4), 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 1)
        )

    def forward(self, labels: Tensor, arcs: Tensor, weights: Tensor, owner: Tensor) -> Tensor:
        """Return the logit of every subgraph."""
        values, layers = self.start(labels), []
        for layer in self.layers:
            values = torch.tanh(layer(values, arcs, weights))
            layers.append(values)
        ordered = self.sort(torch.cat(layers, dim=1), owner).unsqueeze(1)
        convolved = self.second(self.pool(self.first(ordered).relu())).relu()
        logits: Tensor = self.dense(convolved.flatten(1)).squeeze(1)
        return logits


def seal(problem: Any, seed: int) -> Callable[[Int64s], Floats]:
    """Return a method: SEAL, learned from labeled pairs of a problem."""
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rng = np.random.default_rng(seed)
    pairs, labels = pairs_to_learn(problem, seed)
    order = rng.permutation(len(labels))
    held, learned = np.split(order, [len(order) // 10])
    hops = choose_hops(problem.graph, pairs[held], labels[held])
    graphs = subgraphs_of(problem.graph, pairs, hops, device)
    sizes = np.sort((graphs.starts[1:] - graphs.starts[:-1]).cpu().numpy())
    num_sorted = max(int(sizes[int(0.6 * len(sizes))]), 10)  # 60 % of the subgraphs have fewer nodes
    most = int(graphs.labels.max())
    model = SortedNodes(most + 1, num_sorted).to(device)
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    target, shuffled = torch.from_numpy(labels).float().to(device), torch.from_numpy(learned).to(device)
    best, state = -1.0, model.state_dict()
    for _ in range(EPOCHS):
        model.train()
        shuffled = shuffled[torch.randperm(len(shuffled), device=device)]
        for chosen in torch.split(shuffled, BATCH):
            loss = binary_cross_entropy_with_logits(model(*graphs.batch(chosen)), target[chosen])
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
        area = float(roc_auc_score(labels[held], predict(model, graphs, torch.from_numpy(held).to(device))))
        if area > best:
            best, state = area, {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(state)

    def score(asked: Int64s) -> Floats:
        tested = subgraphs_of(problem.graph, asked, hops, device)
        tested.labels[tested.labels > most] = 0  # a distance that no pair to learn from has
        return predict(model, tested, torch.arange(len(asked), device=device))

    return score


def choose_hops(graph: Graph, pairs: Int64s, labels: Any) -> int:
    """Return 2 if Adamic–Adar is better than common neighbors on some pairs, else 1: the authors' rule."""
    values, names = link_columns(graph, graph.node_ids[pairs], ["overlap"], threads=1)
    areas = {
        name: roc_auc_score(labels, values[:, names.index(name)])
        for name in ("adamic_adar", "common_neighbors")
    }
    return 2 if areas["adamic_adar"] > areas["common_neighbors"] else 1


def predict(model: SortedNodes, graphs: Subgraphs, chosen: Tensor) -> Floats:
    """Return the logits of some subgraphs."""
    model.eval()
    with torch.no_grad():
        parts = [model(*graphs.batch(part)) for part in torch.split(chosen, _SCORED)]
    scores: Floats = torch.cat(parts).double().cpu().numpy()
    return scores

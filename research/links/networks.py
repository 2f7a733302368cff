"""Trained rivals for link prediction on a CPU: GCN and GraphSAGE with a decoder (PyG), and node2vec with boosting.

Each is chosen on a tenth of the links to learn from, held out with as many non-links: the learning rate and the epoch
of the networks, p and q of node2vec.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torch_geometric.nn import GCNConv, SAGEConv

from egonet import Graph, Training, Walks
from egonet.typing import Floats, Int64s
from research.paper.nodes.node2vec import node2vec

#: Width of vectors and layers, epochs, learning rates, and the share of links that every epoch predicts.
WIDTH, EPOCHS, RATES, PREDICTED = 128, 200, (0.01, 0.003), 0.2
#: p and q.
BIASES = ((1.0, 1.0), (1.0, 0.5))
#: Edges that are learned from where no pairs are labeled.
MOST_LINKS = 20_000
#: Epochs between two looks at the held-out links.
_EVERY = 10


@dataclass(frozen=True, eq=False)
class Links:
    """Links and non-links to learn from, and those that a method is chosen on; (num_pairs, 2) each."""

    num_nodes: int
    links: Int64s
    validation: Int64s
    validation_labels: Any


def divide_links(graph: Graph, pairs: Int64s | None, labels: Any, rng: np.random.Generator) -> Links:
    """Return the links of a graph, a tenth of them with as many non-links to choose by.

    >>> path = Graph.from_edges([(node, node + 1) for node in range(20)])
    >>> found = divide_links(path, None, None, np.random.default_rng(0))
    >>> len(found.links), len(found.validation)
    (18, 4)
    """
    edges = np.stack(graph.edge_rows(), axis=1).astype(np.int64)
    edges = edges[rng.permutation(len(edges))]
    count = max(len(edges) // 10, 1)
    if pairs is None:
        others = random_pairs(graph, count, rng)
    else:
        free = pairs[~np.asarray(labels, dtype=bool)]
        others = free[rng.permutation(len(free))[:count]]
    validation = np.concatenate([edges[:count], others])
    return Links(graph.num_nodes, edges[count:], validation, np.arange(len(validation)) < count)


def random_pairs(graph: Graph, count: int, rng: np.random.Generator) -> Int64s:
    """Return random pairs of different nodes that are not edges.

    >>> pairs = random_pairs(Graph.from_edges([(0, 1), (1, 2)]), 3, np.random.default_rng(0))
    >>> sorted(set(map(tuple, np.sort(pairs, axis=1).tolist())))
    [(0, 2)]
    """
    size = graph.num_nodes
    source, target = (ends.astype(np.int64) for ends in graph.edge_rows())
    known = np.unique(np.minimum(source, target) * size + np.maximum(source, target))
    found = np.zeros((0, 2), dtype=np.int64)
    while len(found) < count:
        drawn = rng.integers(0, size, (2 * count + 8, 2))
        codes = drawn.min(axis=1) * size + drawn.max(axis=1)
        free = (drawn[:, 0] != drawn[:, 1]) & ~np.isin(codes, known)
        found = np.concatenate([found, drawn[free]])
    return found[:count]


def pairs_to_learn(problem: Any, seed: int) -> tuple[Int64s, Any]:
    """Return the labeled pairs of a problem; without any, at most 20,000 of its edges and as many random pairs."""
    if problem.pairs is not None:
        return problem.pairs, np.asarray(problem.labels, dtype=bool)
    rng = np.random.default_rng(seed)
    links = rng.permutation(np.stack(problem.graph.edge_rows(), axis=1).astype(np.int64))[:MOST_LINKS]
    pairs = np.concatenate([links, random_pairs(problem.graph, len(links), rng)])
    return pairs, np.arange(len(pairs)) < len(links)


class LinkNetwork(nn.Module):
    """Two layers of messages over the known links, then a decoder of the product of both ends."""

    def __init__(self, kind: str, num_nodes: int, attributes: Tensor | None) -> None:
        super().__init__()
        layer = {"GCN": GCNConv, "GraphSAGE": SAGEConv}[kind]
        self.attributes = attributes
        self.start = nn.Embedding(num_nodes, WIDTH) if attributes is None else None
        width = WIDTH if attributes is None else attributes.shape[1]
        self.layers = nn.ModuleList([layer(width, WIDTH), layer(WIDTH, WIDTH)])
        self.decoder = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))

    def forward(self, arcs: Tensor, pairs: Tensor) -> Tensor:
        """Return the logit of every pair, given the arcs of known links (2, num_arcs)."""
        values = self.start.weight if self.start is not None else self.attributes
        values = self.layers[0](values, arcs).relu()
        values = nn.functional.dropout(values, 0.3, self.training)
        values = self.layers[1](values, arcs)
        logits: Tensor = self.decoder(values[pairs[:, 0]] * values[pairs[:, 1]]).squeeze(1)
        return logits


def network(kind: str) -> Callable[[Any, int], Callable[[Int64s], Floats]]:
    """Return a method: a network whose learning rate and epoch are chosen on held-out links."""

    def fit(problem: Any, seed: int) -> Callable[[Int64s], Floats]:
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        links = divide_links(problem.graph, problem.pairs, problem.labels, rng)
        attributes = None
        if problem.attributes is not None:
            rows = problem.attributes.toarray()
            rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
            attributes = torch.from_numpy(rows).float()
        tries = [learn_network(kind, problem.graph, links, attributes, rate, rng) for rate in RATES]
        _, model = max(tries, key=lambda each: each[0])
        arcs = arcs_of(np.stack(problem.graph.edge_rows(), axis=1))
        return lambda pairs: predict(model, arcs, pairs)

    return fit


def learn_network(
    kind: str, graph: Graph, links: Links, attributes: Tensor | None, rate: float, rng: np.random.Generator
) -> tuple[float, LinkNetwork]:
    """Return the area on the held-out links and the network at its best epoch."""
    model = LinkNetwork(kind, links.num_nodes, attributes)
    adam = torch.optim.Adam(model.parameters(), lr=rate)
    known, best, state = arcs_of(links.links), -1.0, model.state_dict()
    for epoch in range(1, EPOCHS + 1):
        model.train()
        order = rng.permutation(len(links.links))
        count = max(int(PREDICTED * len(order)), 1)
        predicted, others = links.links[order[:count]], random_pairs(graph, count, rng)
        arcs = arcs_of(links.links[order[count:]])  # the links to predict send no messages
        logits = model(arcs, torch.from_numpy(np.concatenate([predicted, others])))
        loss = binary_cross_entropy_with_logits(logits, (torch.arange(2 * count) < count).float())
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        if epoch % _EVERY:
            continue
        area = float(roc_auc_score(links.validation_labels, predict(model, known, links.validation)))
        if area > best:
            best, state = area, {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    return best, model


def arcs_of(links: Int64s) -> Tensor:
    """Return both directions of links, (2, num_arcs).

    >>> arcs_of(np.array([[0, 1]])).tolist()
    [[0, 1], [1, 0]]
    """
    ends = torch.from_numpy(np.ascontiguousarray(links.T.astype(np.int64)))
    return torch.cat([ends, ends.flip(0)], dim=1)


def predict(model: LinkNetwork, arcs: Tensor, pairs: Int64s) -> Floats:
    """Return the logits of some pairs."""
    model.eval()
    with torch.no_grad():
        found: Floats = model(arcs, torch.from_numpy(np.ascontiguousarray(pairs))).double().numpy()
    return found


def node2vec_boosting(problem: Any, seed: int) -> Callable[[Int64s], Floats]:
    """Return a method: gradient boosting on products of node2vec vectors; p and q are chosen on held-out links."""
    rng = np.random.default_rng(seed)
    links = divide_links(problem.graph, problem.pairs, problem.labels, rng)
    inner = Graph.from_indices(links.links[:, 0], links.links[:, 1], links.num_nodes)
    chosen = max(
        BIASES,
        key=lambda bias: roc_auc_score(
            links.validation_labels, boost(inner, bias, links.links, seed, rng)(links.validation)
        ),
    )
    every = np.stack(problem.graph.edge_rows(), axis=1).astype(np.int64)
    return boost(problem.graph, chosen, every, seed, rng)


def boost(
    graph: Graph, bias: tuple[float, float], links: Int64s, seed: int, rng: np.random.Generator
) -> Callable[[Int64s], Floats]:
    """Return scores by boosting on products of vectors, learned from links and as many random pairs."""
    vectors = node2vec(graph, WIDTH, Walks(), Training(), seed=seed, bias=bias).numpy()
    pairs = np.concatenate([links, random_pairs(graph, len(links), rng)])
    model = HistGradientBoostingClassifier(
        max_iter=200, learning_rate=0.05, max_leaf_nodes=15, early_stopping=False, random_state=seed
    )
    model.fit(vectors[pairs[:, 0]] * vectors[pairs[:, 1]], np.arange(len(pairs)) < len(links))

    def score(asked: Int64s) -> Floats:
        found: Floats = model.predict_proba(vectors[asked[:, 0]] * vectors[asked[:, 1]])[:, 1]
        return found

    return score

"""Scores of node pairs: classifiers on vectors or degrees, and the classical indices of link prediction."""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import rankdata

from egonet import Graph
from egonet.errors import InputError
from egonet.typing import Floats, Int64s
from research.paper.nodes.link_split import LinkSplit

_BLOCK = 20_000


def area_under_curve(labels: NDArray[np.bool_], scores: NDArray[np.floating]) -> float:
    """Return the chance that a positive scores above a negative, ties counted half (ROC-AUC).

    Examples
    --------
    >>> area_under_curve(np.array([True, True, False]), np.array([3.0, 1.0, 1.0]))
    0.75
    """
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if not positives or not negatives:
        raise InputError("an area under the curve needs positives and negatives.")
    ranks = float(rankdata(scores)[labels].sum())
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)


def hadamard_scores(
    split: LinkSplit, vectors: torch.Tensor, *, seed: int, weights: torch.Tensor | None = None
) -> Floats:
    """Return test scores of a linear classifier on products of the vectors of both ends, learned unless given."""
    if weights is None:
        weights = learn_classifier(split, vectors, seed=seed)
    asked = torch.from_numpy(split.test_pairs).to(vectors.device)
    with torch.no_grad():
        found = torch.cat([_linear(vectors, pairs, weights) for pairs in torch.split(asked, _BLOCK)])
    return found.double().cpu().numpy()


def learn_classifier(
    split: LinkSplit,
    vectors: torch.Tensor,
    *,
    seed: int,
    start: torch.Tensor | None = None,
    epochs: int = 30,
) -> torch.Tensor:
    """Return the weights of a linear classifier, the bias last: Adam at 0.05, 2,048 pairs a step in fixed order.

    They start from `start`, or are drawn uniformly with the seed.
    """
    ends = torch.from_numpy(split.train_pairs).to(vectors.device)
    labels = torch.from_numpy(split.train_labels).to(vectors.device, torch.float32)
    products = vectors[ends[:, 0]] * vectors[ends[:, 1]]
    products = torch.cat([products, torch.ones_like(products[:, :1])], dim=1)
    if start is None:
        random = torch.Generator().manual_seed(seed)
        start = (torch.rand(vectors.shape[1] + 1, generator=random) * 2 - 1) * vectors.shape[1] ** -0.5
    weights = start.to(vectors.device).requires_grad_()
    adam = torch.optim.Adam([weights], lr=0.05, fused=True)
    for _ in range(epochs):
        for inputs, wanted in zip(torch.split(products, 2048), torch.split(labels, 2048), strict=True):
            # The gradient of the mean cross-entropy, by hand: autograd would cost more than the step itself.
            with torch.no_grad():
                errors = torch.sigmoid(torch.mv(inputs, weights)) - wanted
                weights.grad = torch.mv(inputs.T, errors) / len(wanted)
            adam.step()
    learned: torch.Tensor = weights.detach()
    return learned


def _linear(vectors: torch.Tensor, pairs: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the logit of every pair."""
    product: torch.Tensor = vectors[pairs[:, 0]] * vectors[pairs[:, 1]]
    logits: torch.Tensor = torch.mv(product, weights[:-1]) + weights[-1]
    return logits


def common_neighbors(graph: Graph, pairs: Int64s) -> Floats:
    """Return how many neighbors both ends of each pair share.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> common_neighbors(path, np.array([[0, 2], [0, 1]])).tolist()
    [1.0, 0.0]
    """
    return _shared(graph, pairs, np.ones(graph.num_nodes))


def adamic_adar(graph: Graph, pairs: Int64s) -> Floats:
    """Return the sum over shared neighbors of 1 / ln(degree).

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> adamic_adar(path, np.array([[0, 2]])).round(4).tolist()
    [1.4427]
    """
    degrees = graph.degrees
    # A shared neighbor has at least two neighbors, so nothing is lost where the logarithm is 0 or undefined.
    return _shared(graph, pairs, 1.0 / np.log(np.maximum(degrees, 2)))


def preferential_attachment(graph: Graph, pairs: Int64s) -> Floats:
    """Return the product of the degrees of both ends.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> preferential_attachment(path, np.array([[0, 2], [0, 1]])).tolist()
    [1.0, 2.0]
    """
    first, second = graph.degrees[pairs].T
    return np.asarray(first * second, dtype=np.float64)


def degree_scores(split: LinkSplit, *, seed: int) -> Floats:
    """Return test scores of the same classifier on functions of the degree alone."""
    degrees = np.log1p(split.graph.degrees)
    columns = np.column_stack([np.ones_like(degrees), degrees, degrees**2, 1.0 / (1.0 + degrees)])
    spread = columns.std(axis=0)
    columns = columns / np.where(spread > 0, spread, 1.0)
    return hadamard_scores(split, torch.from_numpy(columns).float(), seed=seed)


def _shared(graph: Graph, pairs: Int64s, value: Floats) -> Floats:
    """Return the summed value of the neighbors that both ends of each pair have."""
    ones = np.ones(len(graph.indices))
    adjacency = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    weighted = csr_array((value[graph.indices], graph.indices, graph.indptr), shape=adjacency.shape)
    blocks = [pairs[first : first + _BLOCK] for first in range(0, len(pairs), _BLOCK)]
    sums: list[Floats] = [
        adjacency[block[:, 0]].multiply(weighted[block[:, 1]]).sum(axis=1) for block in blocks
    ]
    return np.concatenate([np.zeros(0), *sums])

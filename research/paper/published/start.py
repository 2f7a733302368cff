"""Where the published code starts for a seed: a table, the line from product to logit, and a classifier."""

import numpy as np
import torch

from egonet import Start
from egonet.embeddings import standardize
from egonet.typing import Int64s


def published_start(
    distances: Int64s, degrees: Int64s, shape: tuple[int, int], length: int, seed: int
) -> Start:
    """Return what the published code draws first once its generator is seeded, for some of its columns.

    It draws a table for all columns distance * stride + degree, then a linear layer from one number to one, which
    are a and b: both uniform in ±1. With a negative a, the vectors of nodes that meet first point away
    from each other, and other vectors are learned.

    Parameters
    ----------
    distances, degrees
        int64 (num_columns,): the columns wanted.
    shape
        Distances, from zero, and columns per distance.
    length
        Of a vector.
    seed
        What the generator is seeded with.

    Examples
    --------
    >>> found = published_start(np.array([0, 1]), np.array([2, 1]), (2, 4), 3, seed=1)
    >>> found.table.shape, [round(number, 3) for number in found.line]
    ((2, 3), [-0.32, 0.048])
    """
    stride = shape[1]
    every = np.arange(shape[0] * stride)
    uniform, layer, _ = _draws(shape, length, seed)
    table = standardize(uniform.double().numpy(), every // stride, every % stride)
    return Start(table[distances * stride + degrees], (layer[0].item(), layer[1].item()))


def published_classifier(shape: tuple[int, int], length: int, seed: int) -> torch.Tensor:
    """Return what the published code draws next: the weights of a linear classifier of vectors, its bias last.

    Examples
    --------
    >>> [round(number, 3) for number in published_classifier((2, 4), 3, seed=1).tolist()]
    [0.344, 0.314, -0.564, 0.358]
    """
    return _draws(shape, length, seed)[2]


def _draws(shape: tuple[int, int], length: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the numbers of the table, the line and the classifier, which are drawn in that order."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        uniform = torch.rand(shape[0] * shape[1], length)
        layers = torch.nn.Linear(1, 1), torch.nn.Linear(length, 1)
    line, classifier = (torch.cat([layer.weight[0], layer.bias]).detach() for layer in layers)
    return uniform, line, classifier

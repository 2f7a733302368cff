"""Where the vectors of the published code start for a seed: a table, and the line from product to logit."""

import numpy as np
import torch

from egonet.embeddings.model import standardised
from egonet.embeddings.training import Start
from egonet.types import Int64s


def published_start(
    distances: Int64s, degrees: Int64s, shape: tuple[int, int], length: int, seed: int
) -> Start:
    """Return what the published code draws first once its generator is seeded, for some of its columns.

    It draws a table for all columns distance * stride + degree, then a linear layer from one number to one, which
    are a and b: both uniform in ±1. A negative a is a start of its own, vertices that meet must first point away
    from each other, and vectors learned from there serve otherwise.

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
    num_distances, stride = shape
    every = np.arange(num_distances * stride)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        uniform = torch.rand(len(every), length).double().numpy()
        layer = torch.nn.Linear(1, 1)
    table = standardised(uniform, every // stride, every % stride)
    line = (float(layer.weight.detach()), float(layer.bias.detach()))
    return Start(table[distances * stride + degrees], line)

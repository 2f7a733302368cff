"""Random walks drawn by torch: they follow edges, end where there is nowhere to go, and choose neighbors evenly."""

import numpy as np
import pytest

from contracts.parts import need
from contracts.walks import CHECKS

torch = need("torch")
from research.paper.nodes.skipgram import device_walks  # noqa: E402


def draw(graph, walks, seed=1):
    indices = torch.from_numpy(np.append(graph.indices, np.int32(0)))
    random = torch.Generator().manual_seed(seed)
    return device_walks(torch.from_numpy(graph.indptr.copy()), indices, walks, random).numpy()


@pytest.mark.parametrize("check", CHECKS)
def test_walks_keep_the_contract(check):
    check(draw)

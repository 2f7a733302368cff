"""The GPU's own kernels give what the plain operations give, forward and backward; without a GPU, interpreted."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from egonet.graph.graph import Graph
from egonet.nets import fused, operations
from egonet.nets.store import Store, pack
from egonet.nets.tables import neighbour_table

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def a_batch():
    """A star of six, a path of three and a lone vertex, twice over in another order, with rows to spare."""
    source = np.array([0, 0, 0, 0, 0, 6, 7])
    target = np.array([1, 2, 3, 4, 5, 7, 8])
    union = Graph.from_indices(source, target, 10)
    node_ptr = np.array([0, 6, 9, 10])
    table, reverse = neighbour_table(union, node_ptr)
    store = Store(
        node_ptr=torch.from_numpy(np.append(node_ptr[:-1], 0)),
        sizes=torch.tensor([6, 3, 1, 0]),
        neighbours=torch.from_numpy(table),
        reverse=torch.from_numpy(reverse),
        inputs=torch.zeros(11, 0),
        extra=torch.zeros(1, 11, 0),
    ).to(DEVICE, torch.float64)
    graphs = torch.tensor([[0, 1, 2], [2, 3, 1]], device=DEVICE)
    return pack(store, graphs, torch.zeros(2, dtype=torch.int64, device=DEVICE), 13)


def random(*shape, seed=0):
    values = torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (2 * values - 1).to(DEVICE).requires_grad_()


def same(ours, theirs, inputs):
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-12)
    weights = random(*ours.shape, seed=9).detach()
    grads = [torch.autograd.grad((y * weights).sum(), inputs, retain_graph=True) for y in (ours, theirs)]
    for mine, expected in zip(*grads, strict=True):
        torch.testing.assert_close(mine, expected, atol=1e-12, rtol=1e-12)


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr(operations, "_is_fused", lambda _: False)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("heads", "width"), [(1, 1), (2, 3), (8, 16)])
def test_attention_equals_the_plain_operations(heads, width):
    batch = a_batch()
    inputs = random(26, heads * width, seed=1), random(26, heads, seed=2), random(26, heads, seed=3)

    ours = fused.attention(*inputs, batch.table, 0.2)

    assert ours.shape == (26, heads * width)
    assert (ours[10] == 0).all()
    assert (ours[-1] == 0).all()
    same(ours, operations.attention(*inputs, batch, 0.2), inputs)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("supports", "width"), [(1, 1), (3, 5), (40, 16)])
def test_support_sums_equal_the_plain_operations(supports, width):
    batch = a_batch()
    ends = random(26, supports, seed=4)
    x = random(26, width, seed=5)
    table = batch.table.long()
    none = (batch.table == batch.padding).unsqueeze(2)
    symmetric = (ends[table] * ends.unsqueeze(1)).masked_fill(none, 0.0)

    ours = fused.support_sums(x, symmetric, batch.table)

    assert ours.shape == (26, supports, width)
    assert torch.equal(ours[9, 0], (symmetric[9, 0, 0] * x[9]))
    same(ours, operations.support_sums(x, symmetric, batch), (x, ends))


@pytest.mark.parametrize("weighted", [False, True])
def test_propagation_equals_the_plain_operations(monkeypatch, weighted):
    batch = a_batch()
    ends = random(26, seed=6).detach()
    if weighted:
        batch = replace(batch, weights=ends[batch.table.long()] * ends.unsqueeze(1))
    x = random(2, 13, 5, seed=7)
    found = []
    for fuse in (True, False):
        monkeypatch.setattr(operations, "_is_fused", lambda _, fuse=fuse: fuse)
        found.append(operations.propagate(x, batch))

    same(*found, (x,))

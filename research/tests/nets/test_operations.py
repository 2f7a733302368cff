"""The Triton kernels equal the plain operations, and those equal loops; without a GPU in Triton's interpreter."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from egonet import Graph
from research.nets import fused, operations
from research.nets.edges import Edges
from research.nets.neighbor_tables import edge_table, neighbor_table
from research.nets.peers.passes import Pass, Weights, _Norm
from research.nets.peers.records import Arcs
from research.nets.store import Store, pack

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def a_batch():
    """A star of six, a path of three and a lone node, twice over in another order, with rows to spare."""
    source = np.array([0, 0, 0, 0, 0, 6, 7])
    target = np.array([1, 2, 3, 4, 5, 7, 8])
    union = Graph.from_indices(source, target, 10)
    node_ptr = np.array([0, 6, 9, 10])
    table, reverse = neighbor_table(union, node_ptr)
    counts, ends, of_slot = edge_table(union, node_ptr)
    edges = Edges(
        first=torch.from_numpy(np.append(np.cumsum(counts) - counts, 0)),
        counts=torch.from_numpy(np.append(counts, 0)),
        ends=torch.from_numpy(np.concatenate([ends, [[0, 0]]]).astype(np.int32)),
        of_slot=torch.from_numpy(of_slot),
        supports=torch.zeros(len(ends) + 1, 0),
        per_node=11 / 6,
    )
    store = Store(
        node_ptr=torch.from_numpy(np.append(node_ptr[:-1], 0)),
        sizes=torch.tensor([6, 3, 1, 0]),
        neighbors=torch.from_numpy(table),
        reverse=torch.from_numpy(reverse),
        inputs=torch.zeros(11, 0),
        extra=torch.zeros(1, 11, 0),
        edges=edges,
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

    ours = fused.attention(*inputs, batch.table, batch.used, 0.2)

    assert ours.shape == (26, heads * width)
    assert (ours[10] == 0).all()
    assert (ours[-1] == 0).all()
    same(ours, operations.attention(*inputs, batch, 0.2), inputs)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("supports", "width"), [(1, 1), (3, 5), (40, 16)])
def test_support_sums_equal_the_plain_operations(supports, width):
    batch = a_batch()
    given = random(len(batch.edges.ends), supports, seed=4)
    weights = given * (batch.edges.ends[:, :1] != batch.padding)
    x = random(26, width, seed=5)
    where = (batch.table, batch.edges.of_slot, batch.used)

    ours = fused.support_sums(x, weights, batch.edges.ends, *where)

    assert ours.shape == (26, supports, width)
    lone = batch.edges.of_slot[9, 0]
    assert batch.edges.ends[lone].tolist() == [9, 9]
    assert torch.equal(ours[9, 0], weights[lone, 0] * x[9])
    same(ours, operations.support_sums(x, weights, batch.edges, batch), (x, given))


def test_edges_lead_to_the_rows_that_list_them():
    batch = a_batch()
    table, of_slot, ends = batch.table.tolist(), batch.edges.of_slot.tolist(), batch.edges.ends.tolist()
    none = len(ends) - 1

    for row in range(26):
        for other, edge in zip(table[row], of_slot[row], strict=True):
            assert (other == batch.padding) == (edge == none)
            assert edge == none or sorted(ends[edge]) == sorted([row, other])
    used = {edge for row in of_slot for edge in row} - {none}
    assert len(used) == (11 + 5 + 1) + (1 + 5)
    assert all(end == [25, 25] for edge, end in enumerate(ends) if edge not in used)


@pytest.mark.parametrize("weighted", [False, True])
def test_propagation_equals_a_dense_product(weighted):
    batch = a_batch()
    ends = random(26, seed=6).detach()
    weights = ends[batch.table.long()] * ends.unsqueeze(1)
    if weighted:
        batch = replace(batch, weights=weights)
    dense = torch.zeros(26, 26, dtype=torch.float64, device=DEVICE)
    for row, slots in enumerate(batch.table.tolist()):
        for slot, other in enumerate(slots):
            if other != batch.padding:
                dense[row, other] += weights[row, slot] if weighted else 1.0
    x = random(2, 13, 5, seed=7)
    flat = x.view(26, 5)
    terms = [flat, dense @ flat]
    for _ in range(3):
        terms.append(2.0 * dense @ terms[-1] - terms[-2])

    same(operations.propagate(x, batch).view(26, 5), terms[1], (x,))
    same(operations.chebyshev(x, batch, 5).view(26, -1), torch.cat(terms, dim=1), (x,))


@pytest.mark.parametrize("rows", [13, 300])
def test_batch_norm_equals_that_of_pytorch_on_the_real_rows(rows):
    x, weight, bias = random(2, rows, 40, seed=9), random(2, 40, seed=10), random(2, 40, seed=11)
    count = torch.tensor([rows - 3, 2], device=DEVICE, dtype=torch.float64).view(2, 1, 1)
    mask = (torch.arange(rows, device=DEVICE).view(1, rows, 1) < count).double()
    running = torch.zeros(2, 40, device=DEVICE).double(), torch.ones(2, 40, device=DEVICE).double()
    plain = [(torch.zeros(40, device=DEVICE).double(), torch.ones(40, device=DEVICE).double()) for _ in "ab"]

    ours = operations.batch_norm(100 + x, mask, count, (weight, bias), running, training=True) * mask
    theirs = torch.zeros_like(ours)
    for line, real in enumerate((rows - 3, 2)):
        theirs[line, :real] = torch.nn.functional.batch_norm(
            100 + x[line, :real], *plain[line], weight[line], bias[line], training=True
        )

    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=1e-9)
    weights = mask * random(*ours.shape, seed=9).detach()
    grads = [
        torch.autograd.grad((y * weights).sum(), (x, weight, bias), retain_graph=True) for y in (ours, theirs)
    ]
    for mine, expected in zip(*grads, strict=True):
        torch.testing.assert_close(mine, expected, atol=1e-8, rtol=1e-8)
    for line in range(2):
        torch.testing.assert_close((running[0][line], running[1][line]), plain[line], atol=1e-9, rtol=1e-9)


def test_adam_takes_the_steps_of_pytorch():
    theirs = torch.nn.Parameter(random(1500, seed=15).detach().clone())
    ours, moments = theirs.detach().clone(), [torch.zeros_like(theirs.detach()) for _ in range(2)]
    steps = torch.zeros((), dtype=torch.float32, device=DEVICE)
    adam = torch.optim.Adam([theirs], lr=0.01)

    for seed in range(3):
        theirs.grad = random(1500, seed=16 + seed).detach()
        adam.step()
        operations.adam_step(ours, theirs.grad, moments, steps, 0.01)

    assert steps == 3
    torch.testing.assert_close(ours, theirs.detach(), atol=1e-14, rtol=0)


@pytest.mark.parametrize("kinds", [("sum",), ("max",), ("mean", "max"), ("sum", "max")])
def test_pooling_equals_a_loop_over_graphs(kinds):
    batch = a_batch()
    x = random(2, 13, 70, seed=12)
    tied = torch.where(torch.arange(13, device=DEVICE).view(1, 13, 1) < 4, x[:, :1], x)
    sizes, functions = [[6, 3, 1], [1, 0, 3]], {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}
    expected = torch.zeros(2, 3, 70 * len(kinds), dtype=torch.float64, device=DEVICE)
    for line, counts in enumerate(sizes):
        begin = 0
        for graph, count in enumerate(counts):
            rows = tied[line, begin : begin + count]
            if count:
                expected[line, graph] = torch.cat([functions[kind](rows, dim=0) for kind in kinds])
            begin += count

    same(operations.pool(tied, batch, kinds), expected, (x,))


def two_replicas():
    """Two replicas of 64 rows: a triangle, an edge and lone nodes, three types that are equal in both directions."""
    pairs = {(0, 1): 0, (1, 2): 1, (0, 2): 2, (4, 5): 1}
    both = sorted([*pairs.items(), *(((v, u), kind) for (u, v), kind in pairs.items())])
    target, source, types = (
        torch.tensor(part) for part in zip(*((u, v, k) for (u, v), k in both), strict=True)
    )
    target, source, types = (
        torch.cat([part, part + step, torch.tensor([filler])])
        for part, step, filler in ((target, 64, 127), (source, 64, 127), (types, 3, 0))
    )
    offsets = torch.searchsorted(target[:-1].contiguous(), torch.arange(129))
    return Arcs(*(part.to(DEVICE) for part in (source, target, offsets, types)))


@pytest.mark.parametrize("width", [1, 5, 40])
def test_messages_equal_the_plain_operations(width):
    arcs, run = two_replicas(), Pass(Weights([(0,), (1,)], DEVICE, torch.float64), training=True)
    inputs = x, table, own = random(2, 64, width, seed=1), random(6, width, seed=2), random(2, 1, seed=3)

    ours = fused.messages(x, table, own, arcs.source, arcs.types, arcs.offsets)

    first = own[0, 0] * x[0, 0] + torch.relu(x[0, 1] + table[0]) + torch.relu(x[0, 2] + table[2])
    torch.testing.assert_close(ours[0, 0], first)
    theirs = own.unsqueeze(2) * x + run.messages(x, arcs, table=table)
    real = torch.arange(128, device=DEVICE).view(2, 64, 1) < 120  # the arc that fills up ends at the last row
    same(ours * real, theirs * real, inputs)


@pytest.mark.parametrize(("rows", "width"), [(64, 1), (192, 70), (64, 300)])
def test_batch_norm_with_relu_equals_the_plain_operations(rows, width):
    x, scale, shift = random(2, rows, width, seed=1), random(2, 1, width, seed=2), random(2, 1, width, seed=3)
    mask = (torch.rand(2, rows, 1, generator=torch.Generator().manual_seed(4)) < 0.7).to(
        DEVICE, torch.float64
    )
    count = mask.sum(1, keepdim=True)

    ours, *moments = fused.normal_relu(x, mask, count, scale, shift, 1e-5)

    theirs, *expected = _Norm.apply(x, mask, count, scale, shift)
    torch.testing.assert_close(moments, expected, atol=1e-12, rtol=1e-12)
    assert not ours[mask.expand_as(x) == 0].any()
    same(ours, torch.relu(theirs) * mask, (x, scale, shift))

"""Pairs distributed in turn over buffers, compared with plain lists."""

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
import egonet  # noqa: E402
from egonet import Walks  # noqa: E402
from egonet.embeddings import NOWHERE  # noqa: E402
from research.paper.nodes.batches import SeparateTraining  # noqa: E402
from research.paper.nodes.fit import fit_embedding  # noqa: E402
from research.paper.nodes.native_losses import native_single_losses  # noqa: E402
from research.paper.nodes.separate_losses import single_losses  # noqa: E402
from research.paper.published.pairs import BUFFERS, BufferCutter, PublishedTraining, in_stream  # noqa: E402


def deal(count, size):
    """Return batches of 0, 1, ...: a full buffer at once, the rest buffer by buffer at the end."""
    buffers, batches, rest = [[] for _ in range(BUFFERS)], [], []
    for thing in range(count):
        buffer = buffers[thing % BUFFERS]
        buffer.append(thing)
        if len(buffer) == size:
            batches.append(list(buffer))
            buffer.clear()
    for buffer in buffers:
        rest += buffer
        if len(rest) >= size:
            batches.append(rest[:size])
            rest = rest[size:]
    return [*batches, rest] if rest else batches


@pytest.mark.parametrize("count", [1, 776, 777, 5000, 3 * 777, 4 * 777 - 5, 4 * 777, 4 * 777 + 3, 20_011])
def test_pairs_are_distributed_as_over_a_list_of_buffers(count):
    found = in_stream(torch.arange(count), count, 4)

    assert found.tolist() == [thing for batch in deal(count, 4) for thing in batch]


def cutter_of(walks, size, num_nodes):
    training = PublishedTraining(negatives=2, batch_pairs=size)
    return BufferCutter(num_nodes, walks, training, torch.Generator().manual_seed(1))


def take_all(cutter, paths):
    cutter.begin(paths)
    taken = []
    for step in range(cutter.num_steps):
        cutter.draw(step)
        taken.append(cutter.take())
    return taken


def test_every_pair_is_dealt_once_and_each_has_two_negatives():
    walks = Walks(length=4, window=2)
    paths = torch.tensor([[0, 1, 2, 3], [1, 0, 1, 2], [2, 3, 2, 1], [3, 2, 1, 0]], dtype=torch.int32)
    cutter = cutter_of(walks, 50, 4)

    taken = take_all(cutter, paths)

    pairs, met = torch.cat([pairs for pairs, _ in taken]), torch.cat([met for _, met in taken])
    real = (pairs >= 0).all(dim=1)
    expected = [
        (path[i], path[j])
        for path in paths.tolist()
        for i in range(4)
        for j in range(4)
        if 0 < abs(i - j) <= 2
    ]
    assert sorted(map(tuple, pairs[real & met].tolist())) == sorted(expected)
    assert pairs[~real].unique().tolist() == [NOWHERE]
    false = pairs[real & ~met]
    sources = sorted(source for source, _ in expected for _ in range(2))
    assert sorted(false[:, 0].tolist()) == sources
    assert (false[:, 0] != false[:, 1]).all()
    assert set(false[:, 1].tolist()) == {0, 1, 2, 3}
    # 40 pairs and their negatives are three batches, the last of 20.
    assert [int((pairs >= 0).all(dim=1).sum()) for pairs, _ in taken] == [50, 50, 20]


def test_a_walk_that_ends_early_has_neither_pairs_nor_negatives_after_its_end():
    walks = Walks(length=3, window=1)
    paths = torch.tensor([[0, 1, 0], [1, 0, 1], [2, -1, -1]], dtype=torch.int32)

    taken = take_all(cutter_of(walks, 100, 3), paths)

    pairs, met = taken[0]
    assert sorted(map(tuple, pairs[met & (pairs[:, 0] >= 0)].tolist())) == 4 * [(0, 1)] + 4 * [(1, 0)]
    assert int((pairs[:, 0] >= 0).sum()) == 24


def test_losses_of_single_pairs_and_their_gradients_equal_those_of_autograd():
    random = torch.Generator().manual_seed(1)
    vectors = torch.randn(9, 5, generator=random, requires_grad=True)
    line, row_of = torch.tensor([-0.7, 0.3], requires_grad=True), torch.randperm(9, generator=random)
    pairs = torch.randint(-1, 9, (40, 2), generator=random)
    met = torch.rand(40, generator=random) < 0.3
    real = (pairs >= 0).all(dim=1)

    ends = vectors[row_of[pairs[real]]]
    logits = (ends[:, 0] * ends[:, 1]).sum(1) * line[0] + line[1]
    plain = torch.nn.functional.binary_cross_entropy_with_logits(logits, met[real].float(), reduction="sum")
    expected = torch.autograd.grad(plain, [vectors, line])

    for losses in (single_losses, native_single_losses):
        loss, weight = losses((vectors, vectors), row_of, line, pairs, met)
        assert float(weight) == int(real.sum())
        assert float(loss.detach()) == pytest.approx(float(plain.detach()), rel=1e-5)
        for ours, theirs in zip(torch.autograd.grad(loss, [vectors, line]), expected, strict=True):
            assert torch.allclose(ours, theirs, atol=1e-4)


def test_the_published_training_learns_from_heaps():
    graph = egonet.named.karate_club()
    options = {"negatives": 2, "epochs": 3, "rate": 0.05, "batch_pairs": 500, "decay": False}

    buffers, pairs = (
        fit_embedding(egonet.encode(graph, 1), 4, Walks(2, 10, 2), training, seed=1)
        for training in (PublishedTraining(**options), SeparateTraining(**options))
    )

    assert buffers.history.num_pairs == pairs.history.num_pairs == 3 * 68 * 34 * 3
    assert buffers.history.losses[-1] < buffers.history.losses[0]
    assert buffers.history.losses[-1] == pytest.approx(pairs.history.losses[-1], rel=0.1)
    assert not np.array_equal(buffers.table, pairs.table)

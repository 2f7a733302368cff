"""Pairs and negatives: what the products compute equals a sum over pairs one by one."""

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet import Training, Walks
from egonet.embeddings import NOWHERE
from egonet.errors import InputError

torch = need("torch")
from egonet.embeddings import first_table  # noqa: E402
from research.paper.nodes.batches import Cutter, PairCutter, SeparateTraining  # noqa: E402
from research.paper.nodes.fit import fit_embedding  # noqa: E402
from research.paper.nodes.separate_losses import separate_losses  # noqa: E402
from research.paper.nodes.skipgram import pair_losses  # noqa: E402
from research.paper.nodes.weighted_sums import WeightedSums  # noqa: E402


def test_losses_equal_a_sum_over_pairs_one_by_one():
    window, count = 2, 3
    source, context = torch.randn(7, 4, dtype=torch.float64), torch.randn(7, 4, dtype=torch.float64)
    row_of = torch.tensor([0, 1, 2, 3, 4, 5, 6])
    line = torch.tensor([0.7, -0.3], dtype=torch.float64)
    segments = torch.tensor([[NOWHERE, NOWHERE, 0, 1, 2, 3], [4, 5, 6, 5, NOWHERE, NOWHERE]])
    others = torch.tensor([[3, 0, 6]])

    loss, weight = pair_losses((source, context), row_of, line, segments, others, window)

    expected, pairs = 0.0, 0.0
    for segment in segments.tolist():
        for place in (2, 3):
            u = segment[place]
            near = [
                segment[place + gap]
                for gap in (-2, -1, 1, 2)
                if 0 <= place + gap < 6 and segment[place + gap] >= 0
            ]
            for v in near:
                expected += np.log1p(np.exp(-(0.7 * float(source[u] @ context[v]) - 0.3)))
            # Each source shares the negatives; together they weigh count / (2 * window) per pair.
            for v in [v for v in others[0].tolist() if v != u]:
                share = len(near) / (2 * window)
                expected += share * np.log1p(np.exp(0.7 * float(source[u] @ context[v]) - 0.3))
                pairs += share
            pairs += len(near)
    assert count == len(others[0])
    assert float(loss) == pytest.approx(expected)
    assert float(weight) == pytest.approx(pairs)


def test_every_place_of_every_walk_is_a_source_once():
    walks = Walks(length=7, window=3)
    paths = torch.arange(21, dtype=torch.int32).reshape(3, 7)
    cutter = Cutter(3, walks, Training(batch_pairs=1), torch.Generator().manual_seed(1))

    cutter.begin(paths)
    taken = []
    for step in range(cutter.num_steps):
        cutter.draw(step)
        taken.append(cutter.take())
    segments = torch.cat([segments for segments, _ in taken])

    sources = segments[:, 3:6].flatten()
    assert cutter.num_steps == 2
    assert all(others.shape == (1, 30) and 0 <= others.min() <= others.max() < 3 for _, others in taken)
    assert sorted(sources[sources >= 0].tolist()) == list(range(21))
    # Around every source lie the positions of its walk, in order.
    for segment in segments.tolist():
        there = [node for node in segment if node >= 0]
        assert there == list(range(there[0], there[0] + len(there))) if there else True
        assert len({node // 7 for node in there}) <= 1


def test_every_pair_of_every_walk_is_batched_once_with_its_own_negatives():
    walks = Walks(length=4, window=2)
    paths = torch.tensor(
        [[0, 1, 2, 3], [2, 1, 0, 1], [2, NOWHERE, NOWHERE, NOWHERE], [3, 2, 1, 2]], dtype=torch.int32
    )
    cutter = PairCutter(4, walks, Training(negatives=3, batch_pairs=28), torch.Generator().manual_seed(1))

    cutter.begin(paths)
    taken = []
    for step in range(cutter.num_steps):
        cutter.draw(step)
        taken.append(cutter.take())
    pairs, others = (torch.cat(parts) for parts in zip(*taken, strict=True))

    expected = [
        (path[i], path[j])
        for path in paths.tolist()
        for i in range(4)
        for j in range(4)
        if 0 < abs(i - j) <= 2 and path[i] >= 0 and path[j] >= 0
    ]
    real = (pairs >= 0).all(dim=1)
    assert sorted(map(tuple, pairs[real].tolist())) == sorted(expected)
    assert [len(first) for first, _ in taken] == [7] * 6
    # Any node but the source, and each of them now and then.
    assert not (others == pairs[:, :1])[real].any()
    assert set(others[real].flatten().tolist()) == {0, 1, 2, 3}


def test_separate_losses_by_hand():
    source = torch.tensor([[1.0], [2.0], [3.0]])
    context = torch.tensor([[0.5], [-1.0], [0.25]])
    pairs, others = torch.tensor([[0, 1], [2, -1], [2, 0]]), torch.tensor([[2], [1], [1]])

    loss, weight = separate_losses(
        (source, context), torch.tensor([0, 1, 2]), torch.tensor([2.0, 0.5]), pairs, others
    )

    # Logits 2uv + 0.5: pairs (0, 1) and (2, 0), negatives (0, 2) and (2, 1); the second pair is none.
    by_hand = sum(
        np.log1p(np.exp(x)) for x in (-(2 * -1.0 + 0.5), 2 * 0.25 + 0.5, -(2 * 1.5 + 0.5), 2 * -3.0 + 0.5)
    )
    assert float(loss) == pytest.approx(by_hand, rel=1e-6)
    assert float(weight) == 4.0


@pytest.mark.parametrize("two_tables", [False, True])
def test_gradients_of_separate_pairs_equal_those_of_autograd(two_tables):
    random = torch.Generator().manual_seed(1)
    source = torch.randn(9, 5, generator=random, requires_grad=True)
    context = torch.randn(9, 5, generator=random, requires_grad=True) if two_tables else source
    line, row_of = torch.tensor([0.7, -0.3], requires_grad=True), torch.randperm(9, generator=random)
    pairs = torch.randint(-1, 9, (40, 2), generator=random)
    others = torch.randint(9, (40, 3), generator=random)
    learned = [source, context, line] if two_tables else [source, line]

    loss, _ = separate_losses((source, context), row_of, line, pairs, others)
    found = torch.autograd.grad(loss, learned)

    real = pairs[(pairs >= 0).all(dim=1)]
    left = others[(pairs >= 0).all(dim=1)]
    logits = (source[row_of[real[:, 0]]] * context[row_of[real[:, 1]]]).sum(1) * line[0] + line[1]
    false = (source[row_of[real[:, 0]], None] * context[row_of[left]]).sum(2) * line[0] + line[1]
    plain = torch.log1p(torch.exp(-logits)).sum() + torch.log1p(torch.exp(false)).sum()
    assert float(loss.detach()) == pytest.approx(float(plain.detach()), rel=1e-5)
    for ours, expected in zip(found, torch.autograd.grad(plain, learned), strict=True):
        assert torch.allclose(ours, expected, atol=1e-4)


def test_both_ways_to_deal_pairs_learn_two_cliques():
    cliques = [
        (f"{side}{i}", f"{side}{j}") for side in "lr" for i in range(5 + (side == "r")) for j in range(i)
    ]
    graph = egonet.Graph.from_edges([*cliques, ("l0", "r0")])

    losses = [
        fit_embedding(egonet.encode(graph, 1), 4, Walks(5, 10, 2), training, seed=1).history.losses[-1]
        for training in (Training(), SeparateTraining())
    ]

    assert losses[1] == pytest.approx(losses[0], rel=0.1)


def test_torch_and_the_native_trainer_learn_two_cliques_alike():
    cliques = [
        (f"{side}{i}", f"{side}{j}") for side in "lr" for i in range(5 + (side == "r")) for j in range(i)
    ]
    encoding = egonet.encode(egonet.Graph.from_edges([*cliques, ("l0", "r0")]), 1)
    plan = {"walks": Walks(5, 10, 2), "training": Training()}

    ours = egonet.fit_embeddings(encoding, dim=4, rng=1, **plan).history
    theirs = fit_embedding(encoding, 4, seed=1, **plan).history

    assert ours.num_pairs == pytest.approx(theirs.num_pairs, rel=0.01)
    assert ours.losses[0] == pytest.approx(theirs.losses[0], rel=0.1)
    assert ours.losses[-1] == pytest.approx(theirs.losses[-1], rel=0.05)


def test_sparse_and_dense_products_and_their_gradients_agree():
    encoding = egonet.encode(egonet.named.karate_club(), radius=2)
    dense = WeightedSums(encoding.weighted("paper"), encoding.classes, "cpu")
    sparse = WeightedSums(encoding.weighted("paper"), encoding.classes, "cpu")
    sparse._use_sparse()
    start = first_table(encoding.vocabulary, 3, np.random.default_rng(1)).astype(np.float32)
    tables = [torch.from_numpy(start.copy()).requires_grad_() for _ in range(2)]

    found = [sums(table) for sums, table in zip((dense, sparse), tables, strict=True)]
    for vectors in found:
        (vectors**2).sum().backward()

    assert torch.allclose(found[0], found[1], atol=1e-6)
    assert torch.allclose(tables[0].grad, tables[1].grad, atol=1e-5)
    weights = encoding.weighted("paper").toarray()
    assert np.allclose(found[1].detach()[sparse.row_of].numpy(), weights @ start, atol=1e-5)


def test_first_vectors_grow_with_distance_and_vanish_at_degree_zero():
    graph = egonet.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4)
    vocabulary = egonet.encode(graph, radius=1).vocabulary
    assert vocabulary.columns == [(0, 0), (0, 1), (0, 2), (1, 1)]

    raw = (np.random.default_rng(5).random((4, 2)) - 0.5) / np.sqrt(2)
    raw *= np.array([0.0, 1 / np.log(2), 1 / np.log(3), np.e / np.log(2)])[:, None]
    expected = (raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1)

    assert first_table(vocabulary, 2, np.random.default_rng(5)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"negatives": 0}, "negatives must be at least 1, got 0"),
        ({"epochs": -1}, "epochs must be a whole number >= 0, got -1"),
        ({"rate": 0.0}, "rate must be a finite number above 0, got 0.0"),
    ],
)
def test_training_that_cannot_learn_raises(options, message):
    with pytest.raises(InputError, match=message):
        Training(**options)

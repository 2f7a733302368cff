"""The native steps on the CPU: equal to the same sums in torch, for every instruction set and number of threads."""

import numpy as np
import pytest
from scipy.sparse import random_array

from contracts.parts import need
from egonet.embeddings import add_pairs, add_separate, multiply_sparse

torch = need("torch")
from research.paper.nodes.native_losses import SparseRows, native_pair_losses  # noqa: E402
from research.paper.nodes.separate_losses import separate_losses  # noqa: E402
from research.paper.nodes.skipgram import pair_losses  # noqa: E402

LEVELS = (0, 1, 2)


def batch(window, num_nodes, num_others, seed):
    """Three groups of eight segments, holes included, and negatives that sometimes are the source itself."""
    random = torch.Generator().manual_seed(seed)
    segments = torch.randint(-1, num_nodes, (24, 3 * window), generator=random)
    others = torch.randint(num_nodes, (3, num_others), generator=random)
    return torch.randperm(num_nodes, generator=random), segments, others


@pytest.mark.parametrize(
    ("dim", "window", "num_others", "two_tables"),
    [(1, 1, 1, False), (16, 2, 20, True), (37, 3, 7, True), (128, 5, 50, False), (256, 8, 144, False)],
)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("level", LEVELS)
def test_losses_and_gradients_equal_those_of_torch(dim, window, num_others, two_tables, threads, level):
    row_of, segments, others = batch(window, 40, num_others, dim)
    random = torch.Generator().manual_seed(1)
    sources = torch.randn(40, dim, generator=random, dtype=torch.float64, requires_grad=True)
    contexts = torch.randn(40, dim, generator=random, dtype=torch.float64) if two_tables else sources
    contexts.requires_grad_()
    line = torch.tensor([0.75, -0.25], dtype=torch.float64, requires_grad=True)

    loss, weight = pair_losses((sources, contexts), row_of, line, segments, others, window)
    loss.backward()
    first = sources.detach().float().numpy()
    second = contexts.detach().float().numpy() if two_tables else first
    places = (row_of.numpy(), segments.numpy(), others.numpy())
    found = add_pairs((first, second), *places, window, (0.75, -0.25), threads, level=level)

    assert found[0] == pytest.approx(float(loss.detach()), rel=1e-5)
    assert found[1] == pytest.approx(float(weight), rel=1e-6)
    assert found[2:4] == pytest.approx(line.grad.tolist(), rel=1e-4)
    scale = float(sources.grad.abs().max())
    assert np.abs(found[4] - sources.grad.numpy()).max() < 2e-6 * scale
    assert np.abs(found[5] - contexts.grad.numpy()).max() < 2e-6 * float(contexts.grad.abs().max())


@pytest.mark.parametrize(("dim", "count"), [(1, 1), (37, 3), (128, 9), (16, 700)])
@pytest.mark.parametrize("two_tables", [False, True])
@pytest.mark.parametrize("level", LEVELS)
def test_separate_pairs_equal_those_of_torch(dim, count, two_tables, level):
    random = torch.Generator().manual_seed(dim)
    sources = torch.randn(30, dim, generator=random, dtype=torch.float64, requires_grad=True)
    contexts = torch.randn(30, dim, generator=random, dtype=torch.float64) if two_tables else sources
    contexts.requires_grad_()
    line = torch.tensor([0.75, -0.25], dtype=torch.float64, requires_grad=True)
    pairs = torch.randint(-1, 30, (25, 2), generator=random)
    others = torch.randint(30, (25, count), generator=random)

    loss, weight = separate_losses((sources, contexts), torch.arange(30), line, pairs, others)
    loss.backward()
    first = sources.detach().float().numpy()
    second = contexts.detach().float().numpy() if two_tables else first
    ours = torch.where((pairs >= 0).all(dim=1), pairs[:, 0], -1)
    theirs = torch.cat([pairs[:, 1:].clamp(min=0), others], dim=1)
    found = add_separate((first, second), ours.numpy(), theirs.numpy(), (0.75, -0.25), 2, level=level)

    assert found[:2] == pytest.approx((float(loss.detach()), float(weight)), rel=1e-5)
    assert found[2:4] == pytest.approx(line.grad.tolist(), rel=1e-4)
    # Up to 17,500 terms in float32.
    assert np.abs(found[4] - sources.grad.numpy()).max() < 1e-5 * float(sources.grad.abs().max())
    assert np.abs(found[5] - contexts.grad.numpy()).max() < 1e-5 * float(contexts.grad.abs().max())


@pytest.mark.parametrize("size", [0.0, 60.0, 5000.0])
@pytest.mark.parametrize("level", LEVELS)
def test_large_products_lose_nothing(size, level):
    """One source, one context, one negative: losses softplus(-x) and softplus(x) of x = size, gradients by hand."""
    vectors = np.array([[1.0], [size], [size]], dtype=np.float32)
    segments = np.full((8, 3), -1)
    segments[0] = [-1, 0, 1]
    loss, weight, by_scale, by_shift, gradient, _ = add_pairs(
        (vectors, vectors), np.arange(3), segments, np.array([[2]]), 1, (1.0, 0.0), 1, level=level
    )

    # The source has one of two neighbors, so its negative counts a half.
    chance = 1.0 / (1.0 + np.exp(-size))
    slopes = (chance - 1.0, 0.5 * chance)
    # Far beyond what float32 tells from 0, e^-87 stands for e^-size.
    assert loss == pytest.approx(np.logaddexp(0.0, -size) + 0.5 * np.logaddexp(0.0, size), abs=1e-6)
    assert weight == 1.5
    assert (by_scale, by_shift) == pytest.approx((size * sum(slopes), sum(slopes)), rel=1e-5, abs=1e-6)
    assert gradient.ravel() == pytest.approx([size * sum(slopes), slopes[0], slopes[1]], rel=1e-5, abs=1e-6)


def test_as_many_threads_give_the_same_bytes():
    row_of, segments, others = batch(4, 60, 40, 1)
    vectors = np.random.default_rng(1).normal(size=(60, 24)).astype(np.float32)
    options = ((vectors, vectors), row_of.numpy(), segments.numpy(), others.numpy(), 4, (1.0, 0.0), 2)

    first, again = add_pairs(*options), add_pairs(*options)

    assert first[:4] == again[:4]
    assert first[4].tobytes() == again[4].tobytes()


@pytest.mark.parametrize("dim", [1, 5, 16, 37, 128, 300])
@pytest.mark.parametrize("level", LEVELS)
def test_sparse_products_equal_dense_ones(dim, level):
    matrix = random_array(
        (150, 70), density=0.3, format="csr", rng=np.random.default_rng(1), dtype=np.float64
    )
    table = np.random.default_rng(2).normal(size=(70, dim)).astype(np.float32)
    rows = SparseRows(matrix)

    found = multiply_sparse(rows.indptr, rows.indices, rows.values, table, 2, level=level)

    assert np.abs(found - matrix.toarray() @ table).max() < 2e-6 * np.abs(found).max()


def test_autograd_sees_the_native_losses():
    row_of, segments, others = batch(2, 30, 10, 3)
    vectors = torch.randn(30, 8, generator=torch.Generator().manual_seed(2), requires_grad=True)
    line = torch.tensor([1.0, 0.5], requires_grad=True)

    gradients = []
    for find in (pair_losses, native_pair_losses):
        loss, weight = find((vectors, vectors), row_of, line, segments, others, 2)
        gradients.append(torch.autograd.grad(loss / weight, [vectors, line]))

    for ours, theirs in zip(*gradients, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)

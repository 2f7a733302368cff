"""The published code's first draws: a line of random sign, which orders the published areas of CA-AstroPh."""

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
import egonet  # noqa: E402
from egonet.errors import InputError  # noqa: E402
from research.paper.nodes.choice import node_spec  # noqa: E402
from research.paper.published.start import published_classifier, published_start  # noqa: E402


def test_the_line_is_what_torch_draws_after_a_table_for_all_columns():
    torch.manual_seed(3)
    uniform = torch.rand(2 * 5, 4)
    layer = torch.nn.Linear(1, 1)

    found = published_start(np.array([0, 1]), np.array([1, 4]), (2, 5), 4, seed=3)

    assert found.line == (layer.weight.item(), layer.bias.item())
    degrees, distances = np.tile(np.arange(5), 2), np.repeat([0, 1], 5)
    scale = [0.0 if d == 0 else np.exp(s) / np.log(d + 1) for s, d in zip(distances, degrees, strict=True)]
    raw = (uniform.double().numpy() - 0.5) / 2.0 * np.array(scale)[:, None]
    expected = (raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1)
    assert found.table == pytest.approx(expected[[1, 9]])


def test_the_classifier_is_what_torch_draws_after_table_and_line():
    torch.manual_seed(3)
    torch.rand(2 * 5, 4)
    torch.nn.Linear(1, 1)
    layer = torch.nn.Linear(4, 1)

    found = published_classifier((2, 5), 4, seed=3)

    assert found.tolist() == [*layer.weight[0].tolist(), layer.bias.item()]


def test_a_start_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)

    torch.manual_seed(1)
    published_start(np.array([0]), np.array([1]), (1, 2), 2, seed=7)

    assert torch.equal(torch.rand(3), expected)


def test_the_sign_of_the_line_orders_the_published_areas_of_astroph():
    # The largest degree is 504 and the radius 2: three times 505 columns of length 256.
    areas = np.array(node_spec("linkprediction")["data"]["ca-astroph"]["authors"])
    slopes = [
        published_start(np.array([0]), np.array([1]), (3, 505), 256, seed).line[0] for seed in range(1, 6)
    ]

    negative = np.array(slopes) < 0

    assert negative.tolist() == [False, True, False, True, True]
    assert areas[negative].min() > 0.986
    assert areas[~negative].max() < 0.982


def test_vectors_that_learn_nothing_stay_where_they_start():
    encoding = egonet.encode(egonet.named.path("abcd"), radius=1)
    start = egonet.Start(np.arange(6.0).reshape(3, 2), (-1.0, 0.5))

    found = egonet.fit_embeddings(encoding, dim=2, start=start, training=egonet.Training(epochs=0))

    assert found.table.tolist() == start.table.tolist()
    assert (found.history.scale, found.history.shift) == start.line


def test_a_start_of_another_shape_raises():
    start = egonet.Start(np.zeros((4, 2)))
    encoding = egonet.encode(egonet.named.path("abcd"), radius=1)

    with pytest.raises(
        InputError, match=r"start has a table of shape \(4, 2\), but there are 3 columns of dim 2"
    ):
        egonet.fit_embeddings(encoding, dim=2, start=start)

"""The dtype of what the PyG transform writes: that of x, where it holds every count."""

import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.data import Data  # noqa: E402

from contracts.pyg import tailed_triangle  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402


@pytest.mark.parametrize(
    ("dtype", "weighting", "expected"),
    [
        (torch.float64, "count", torch.float64),
        (torch.float16, "log", torch.float16),
        (torch.int64, "count", torch.int64),
        (torch.int64, "log", torch.float32),
    ],
)
def test_x_keeps_its_dtype(dtype, weighting, expected):
    transform = AddEgoEncoding(1, None, max_degree=2, weighting=weighting)

    assert transform(tailed_triangle(x=torch.zeros(4, 1, dtype=dtype))).x.dtype == expected


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (torch.bool, torch.int32),
        (torch.uint8, torch.int32),
        (torch.int16, torch.int32),
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
    ],
)
def test_an_x_that_cannot_hold_a_count_gets_a_dtype_that_can(dtype, expected):
    leaves = torch.arange(1, 5000)
    star = Data(edge_index=torch.stack([torch.zeros_like(leaves), leaves]), num_nodes=5000)
    star.x = torch.ones(5000, 1).to(dtype)
    transform = AddEgoEncoding.from_dataset([star], radius=1, attr_name=None, directed=False)

    x = transform(star).x

    assert x.dtype == expected
    assert x[0].max() == 4999
    assert (x[:, 0] == 1).all()


def test_an_attribute_next_to_half_precision_keeps_its_counts():
    leaves = torch.arange(1, 5000)
    star = Data(edge_index=torch.stack([torch.zeros_like(leaves), leaves]), num_nodes=5000)
    star.x = torch.ones(5000, 1, dtype=torch.bfloat16)

    out = AddEgoEncoding.from_dataset([star], radius=1, directed=False)(star)

    assert out.ego_encoding.dtype == torch.float32
    assert out.ego_encoding[0].max() == 4999
    assert out.x.dtype == torch.bfloat16


def test_an_attribute_takes_the_dtype_of_a_float_x():
    out = AddEgoEncoding(1, max_degree=2)(tailed_triangle(x=torch.zeros(4, 1, dtype=torch.float64)))

    assert out.ego_encoding.dtype == torch.float64

"""`memory_limit` covers every form of columns: predictions are at least what the arrays of the result take."""

import numpy as np
import pytest

import egonet
from egonet import encode, named
from egonet.errors import InputError, MemoryLimitError

RNG = np.random.default_rng(0)
DENSE = egonet.Graph.from_indices(RNG.integers(0, 200, 3000), RNG.integers(0, 200, 3000), 200)


def test_memory_limit_counts_the_columns_of_the_papers_layout():
    path = egonet.named.path(5)

    with pytest.raises(MemoryLimitError, match=r"would take about 9.6 MB, above the memory_limit of 1.0 MB"):
        egonet.encode(path, 100_000, layout="paper", memory_limit="1MB")
    assert egonet.encode(path, 100, layout="paper", memory_limit="1MB").matrix.shape == (5, 303)


def test_papers_layout_has_at_most_as_many_columns_as_int32_can_count():
    with pytest.raises(InputError, match=r"at most 10,000,000, got 3,000,000,003. Use a smaller radius"):
        egonet.encode(egonet.named.path(5), 10**9, layout="paper")


@pytest.mark.parametrize(
    "options",
    [
        {"radius": 1, "common": True},
        {"radius": 1, "rooted": "edge"},
        {"radius": (1, 2), "rooted": "edge"},
        {"radius": 2, "rooted": "pair"},
        {"radius": 1, "common": True, "labels": RNG.integers(0, 9, 200)},
    ],
    ids=str,
)
def test_memory_limit_covers_nested_columns(options):
    encoding = egonet.encode(DENSE, **options)
    histograms = encoding.vocabulary.histograms
    arrays = [*vars(histograms).values(), encoding.matrix.data, encoding.matrix.indices]
    size = sum(array.nbytes for array in arrays)

    with pytest.raises(MemoryLimitError, match="above the memory_limit"):
        egonet.encode(DENSE, memory_limit=2 * size, **options)
    egonet.encode(DENSE, memory_limit="1GB", **options)


def test_memory_limit_counts_the_hub_of_a_star():
    hub = np.concatenate([np.zeros(999, dtype=int), np.arange(1, 999)])
    wheel = egonet.Graph.from_indices(hub, np.concatenate([np.arange(1, 1000), np.arange(2, 1000)]), 1000)

    with pytest.raises(MemoryLimitError, match="above the memory_limit"):
        egonet.encode(wheel, 2, rooted="pair", memory_limit="100kB")


PATH = named.path("abc")


def test_no_roots_need_memory_for_row_bounds_only():
    assert encode(PATH, 1, rooted="edge", roots=[], memory_limit=136).matrix.shape == (0, 0)

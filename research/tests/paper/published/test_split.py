"""What the published areas of link prediction say about the sets they were measured on, and where vectors start."""

import random

import numpy as np
import pytest

from contracts.parts import need
from research.paper.nodes.link_split import edge_list

torch = need("torch")
from research.paper.nodes.link_prediction import read_links  # noqa: E402
from research.paper.published.split import published_negatives, published_removal, published_split  # noqa: E402
from research.paper.published.start import published_start  # noqa: E402

#: Published areas of Facebook, seeds 1 to 5, and the sizes of test set and of its positives that they fit.
AREAS = (0.9771099754055381, 0.9751618116814618, 0.9762827948810963, 0.9744504036033359, 0.9769853316211831)
SIZES = ((58271, 29144), (58370, 29188), (57439, 28772), (57953, 28970), (57844, 28986))


def misfit(area, size, positives):
    """Return how far an area is from a whole number of half pairs; ties count half."""
    pairs = 2 * np.longdouble(area) * positives * (size - positives)
    return abs(pairs - np.round(pairs))


def test_published_areas_fit_sets_with_kept_edges_and_none_without():
    for area, (size, positives) in zip(AREAS, SIZES, strict=True):
        assert misfit(area, size, positives) < 1e-6
        # Half of 88,234 edges removed, as many non-edges, half of both tested; 600 is seven standard deviations.
        assert misfit(area, 44117, np.arange(44117 // 2 - 600, 44117 // 2 + 601)).min() > 1e-5


def test_removal_stops_where_no_edge_is_left_to_try():
    assert published_removal(np.array([[0, 1], [1, 2], [2, 3]]), 4, seed=5).tolist() == []


@pytest.fixture(scope="module")
def splits(data_folder):
    graph = read_links("facebook")
    return [published_split(graph, seed) for seed in range(1, 6)]


@pytest.mark.long
def test_published_seeds_give_the_sizes_that_their_areas_fit(splits):
    # Both numbers: which half is tested is known as well.
    assert [(len(split.test_pairs), split.test_labels.sum()) for split in splits] == list(SIZES)


def test_negatives_are_drawn_by_the_published_generator_until_one_is_free():
    draws = random.Random(5)
    expected = []
    while len(expected) < 4:
        pair = [(30, 10, 20)[draws.randrange(3)], (30, 10, 20)[draws.randrange(3)]]
        if pair not in ([10, 20], [30, 30]):
            expected.append(pair)

    found = published_negatives(np.array([30, 10, 20]), np.array([[10, 20], [30, 30]]), 4, seed=5)

    assert found.tolist() == expected


def test_half_of_the_edges_go_and_kept_ones_are_taken_for_removed(splits):
    for split in splits:
        edges = {tuple(edge) for edge in edge_list(split.graph).tolist()}
        pairs = np.concatenate([split.train_pairs, split.test_pairs])
        labels = np.concatenate([split.train_labels, split.test_labels])
        removed = [tuple(sorted(pair)) not in edges for pair in pairs[labels].tolist()]
        assert (sum(removed), len(edges), 2 * labels.sum()) == (44117, 44117, len(labels))


def test_the_sign_of_the_line_orders_the_published_areas(splits):
    widths = [int(split.graph.degrees.max()) + 1 for split in splits]
    column = np.array([0]), np.array([1])
    lines = [published_start(*column, (3, width), 256, seed).line for seed, width in enumerate(widths, 1)]

    negative = np.array([slope < 0 for slope, _ in lines])

    assert negative.tolist() == [True, False, True, False, True]
    assert min(np.array(AREAS)[negative]) > 0.976 > max(np.array(AREAS)[~negative])

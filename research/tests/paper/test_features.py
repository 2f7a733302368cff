"""The encodings replicas read: weights, widths and clipping as the published code had them."""

import numpy as np
import pytest
import torch

from egonet.errors import InputError
from research.datasets.graph_set import from_arcs
from research.datasets.readers import read_dataset
from research.nets.walk_embedding import Layouts, Walks, learn_vectors
from research.paper.features import Request, count_columns, make_extra

CONTROL = Request("none")


def star_and_path():
    """A path of three (training) and a star of four (test)."""
    arcs = np.array([[0, 1], [1, 2], [3, 4], [3, 5], [3, 6]])
    return from_arcs("toy", np.array([3, 4]), arcs, targets=np.array([0, 1]))


def test_weights_are_logs_that_sum_to_one_and_large_degrees_are_clipped():
    request = Request("encoding", 1)
    extra = make_extra(star_and_path(), [request], [np.array([0])], [1])

    # The path's end sees itself (0, 1) and its neighbor, which has degree 1 in the ego-network: (1, 1).
    np.testing.assert_allclose(extra.columns[0, 0], [0.5, 0.0, 0.5])
    # The star's center has degree 3, counted as 2; its three leaves weigh log2(4) = 2 against log2(2) = 1.
    np.testing.assert_allclose(extra.columns[0, 3], [0.0, 1 / 3, 2 / 3])
    assert extra.width_of[request, 0] == 2 * (2 * 2 + 3)


def test_the_control_reads_nothing():
    extra = make_extra(star_and_path(), [CONTROL, Request("encoding", 1)], [np.array([0])], [1])

    assert not extra.columns[extra.variant_of[CONTROL, 0, 1]].any()
    assert extra.width_of[CONTROL, 0] == 0


def test_folds_with_other_largest_degrees_have_their_own_columns():
    request = Request("encoding", 1)
    extra = make_extra(star_and_path(), [request], [np.array([0]), np.array([1]), np.array([0])], [1])

    variants = [extra.variant_of[request, fold, 1] for fold in range(3)]
    assert variants[0] == variants[2] != variants[1]
    assert [extra.width_of[request, fold] for fold in range(3)] == [14, 18, 14]


@pytest.mark.parametrize(
    ("name", "radius", "width"),
    [
        ("mutag", 1, 22),
        ("mutag", 2, 33),
        ("ptc", 2, 33),
        ("enzymes", 1, 42),
        ("enzymes", 2, 63),
        ("proteins", 2, 159),
    ],
)
def test_published_widths(data_folder, name, radius, width):
    data = read_dataset(name)
    request = Request("encoding", radius)

    extra = make_extra(data, [request], [split[0] for split in data.splits], [1])

    assert max(extra.width_of.values()) == width
    narrow = {("mutag", 1): 7 - 1, ("proteins", 2): 3 - 1}.get((name, radius))
    if narrow is not None:  # the fold whose training graphs lack the largest degrees
        assert extra.width_of[request, narrow] == (radius + 1) * (2 * {"mutag": 3, "proteins": 12}[name] + 3)


def test_embeddings_differ_by_seed_and_are_means_of_vectors():
    request = Request("embedding-5", 1)
    extra = make_extra(star_and_path(), [request], [np.array([0, 1])], [1, 2], learn=False)

    assert extra.columns.shape == (2, 7, 5)
    assert not np.allclose(extra.columns[0], extra.columns[1])
    np.testing.assert_allclose(extra.columns[0, 4], extra.columns[0, 5])  # leaves of the star are alike


def test_walks_teach_vectors_which_nodes_meet():
    # Two triangles that never meet: a node sees class 0 or 1 only, so the two vectors must part.
    table = torch.tensor([[0, 1, 2], [1, 0, 2], [2, 0, 1], [3, 4, 5], [4, 3, 5], [5, 3, 4]])
    weights = torch.eye(2)[None]
    classes = torch.tensor([[0, 0, 0, 1, 1, 1]])
    first = torch.tensor([[[0.3, 0.1], [0.2, 0.3]]])
    walks = Walks(length=8, window=2, negatives=3, epochs=40, batch_size=200)
    lines = torch.tensor([[1.0, 0.0]])

    layouts = Layouts(weights, classes, torch.tensor([0]))

    found = learn_vectors(layouts, table, [np.arange(6)], (first, lines), walks, seed=3)[0]

    assert (found[0] * found[1]).sum() < 0.5 * min((found[0] ** 2).sum(), (found[1] ** 2).sum())


@pytest.mark.parametrize("form", ["full", "full-common", "labeled"])
def test_encodings_beyond_the_paper_leave_out_what_training_graphs_never_show(form):
    request = Request(form, 1)
    extra = make_extra(star_and_path(), [request], [np.array([0])], [1])

    seen = extra.columns[0, :3].any(axis=0)
    assert extra.width_of[request, 0] == seen.sum()
    assert not extra.columns[0][:, ~seen].any()


def test_folds_that_show_the_same_columns_share_them():
    request = Request("full", 1)
    folds = [np.array([0]), np.array([1]), np.array([0])]
    extra = make_extra(star_and_path(), [request], folds, [1])

    variants = [extra.variant_of[request, fold, 1] for fold in range(3)]
    assert variants[0] == variants[2] != variants[1]
    assert len(extra.columns) == 2


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("none", 0),
        ("embedding-10", 10),
        ("encoding", 4),  # (0, 1), (0, 2), (0, 3) for the root, (1, 1) for all neighbors
        ("own-ends", 4),
        ("labeled", 4),
        ("full", 4),  # 1, 2 or 3 neighbors farther than the root, one closer than its neighbors
    ],
)
def test_columns_are_counted_as_they_are_stored(form, expected):
    assert count_columns(star_and_path(), Request(form, 1)) == expected


@pytest.mark.parametrize(
    ("name", "form", "width"),
    [
        ("mutag", "full-common", 11),
        ("mutag", "labeled", 36),
        ("ptc", "labeled", 81),
        ("enzymes", "full-common", 110),
        ("proteins", "full-common", 167),
        ("randomgraph", "full-common", 61),
    ],
)
def test_encodings_beyond_the_paper_stay_narrow(data_folder, name, form, width):
    assert count_columns(read_dataset(name), Request(form, 2)) == width


def test_without_node_labels_a_labeled_encoding_is_the_plain_one(data_folder):
    data = read_dataset("randomgraph")
    plain, labeled = (
        make_extra(data, [Request(form, 2)], [data.splits[0][0]], [1]).columns
        for form in ("encoding", "labeled")
    )

    np.testing.assert_allclose(labeled, plain, atol=1e-15)


def test_an_unknown_form_raises():
    with pytest.raises(InputError, match="form must be none, encoding, embedding-N"):
        make_extra(star_and_path(), [Request("wavelet", 1)], [np.array([0])], [1])


def test_encodings_beyond_the_paper_are_not_published():
    forms = [CONTROL, Request("encoding", 1)], [Request("full", 1)]

    found = [make_extra(star_and_path(), form, [np.array([0])], [1]).is_published for form in forms]

    assert found == [True, False]


def test_own_ends_are_the_papers_encoding_and_not_published():
    found = [
        make_extra(star_and_path(), [Request(form, 1)], [np.array([0])], [1])
        for form in ("encoding", "own-ends")
    ]

    assert [extra.is_published for extra in found] == [True, False]
    np.testing.assert_array_equal(found[0].columns, found[1].columns)

"""Bags of neighborhoods: whole rows counted per radius, with a minimum, or hashed to a fixed width."""

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import need
from egonet.encoding.bags import row_hashes
from egonet.errors import InputError

need("sklearn")
PATH, TRIANGLE = egonet.named.path("abc"), egonet.named.cycle(3)


def encoder(**options):
    return egonet.GraphEncoder(aggregate="bag", sparse_output=False, **options)


def test_rows_of_each_radius_are_counted_apart():
    bag = encoder(radius=(0, 1))

    rows = bag.fit_transform([PATH, TRIANGLE])

    # Degrees 1 and 2 at radius 0; ends, middles and corners at radius 1.
    assert rows.tolist() == [[2, 1, 2, 1, 0], [0, 3, 0, 0, 3]]
    assert bag.get_feature_names_out().tolist() == [
        *("r0_class0", "r0_class1", "r1_class0", "r1_class1", "r1_class2"),
    ]
    assert bag.transform([PATH, TRIANGLE]).tolist() == rows.tolist()


def test_one_radius_is_what_classes_count():
    graphs = [PATH, TRIANGLE, egonet.named.karate_club()]
    classes = egonet.GraphEncoder(2, aggregate="classes", sparse_output=False)

    assert encoder(radius=2).fit_transform(graphs).tolist() == classes.fit_transform(graphs).tolist()


def test_rare_rows_get_no_column_and_are_not_unknown():
    bag = encoder(radius=1, min_count=3, handle_unknown="error")

    assert bag.fit_transform([PATH, TRIANGLE]).tolist() == [[0], [3]]
    assert bag.transform([PATH]).tolist() == [[0]]
    with pytest.raises(InputError, match=r"never saw"):
        bag.transform([egonet.named.star(5)])


def test_unknown_rows_are_left_out():
    bag = encoder(radius=1, handle_unknown="ignore").fit([PATH])

    # A leaf looks like the end of a path at radius 1; the center has five neighbors.
    assert bag.transform([egonet.named.star(5)]).tolist() == [[5, 0]]


def test_hashed_rows_need_no_fit_and_have_one_width():
    first = encoder(radius=(1, 2), num_hashed=8).fit([PATH])
    other = encoder(radius=(1, 2), num_hashed=8).fit([egonet.named.karate_club(), TRIANGLE])
    club = egonet.named.karate_club()

    rows = first.transform([club, PATH])

    assert rows.shape == (2, 8)
    assert rows.sum(axis=1).tolist() == [68, 6]
    assert rows.tolist() == other.transform([club, PATH]).tolist()
    assert first.get_feature_names_out().tolist() == [f"hashed{number}" for number in range(8)]


def test_the_hash_of_a_row_never_changes():
    hashes = row_hashes(egonet.encode(PATH, radius=1)).tolist()
    labeled = row_hashes(egonet.encode(PATH, radius=1, labels=["C", "N", "C"])).tolist()
    more = row_hashes(egonet.encode([PATH, TRIANGLE], radius=1)).tolist()

    assert hashes == [4877246714296920713, 625114247630398112, 4877246714296920713]
    assert more[:3] == hashes
    assert labeled[0] != hashes[0]


def test_edge_types_and_labels_are_part_of_rows():
    table = pd.DataFrame({"source": [0, 1], "target": [1, 2], "bond": ["single", "double"]})
    graph = egonet.as_graph(table, keep="bond")
    pairs = [(graph, ["C", "C", "O"]), (graph, ["C", "C", "C"])]

    bag = encoder(radius=1, edge_labels="bond", labeled=True)

    assert bag.fit_transform(pairs).tolist() == [[1, 1, 1, 0, 0], [1, 0, 0, 1, 1]]
    hashed = encoder(radius=1, edge_labels="bond", labeled=True, num_hashed=64).fit(pairs)
    assert not np.array_equal(*hashed.transform(pairs))


def test_hashed_weights_keep_the_limits_learned():
    table = pd.DataFrame({"source": [0, 1], "target": [1, 2], "w": [1.0, 9.0]})
    graph = egonet.as_graph(table, keep="w")
    bag = encoder(radius=1, weights="w", weight_bins=2, num_hashed=256).fit([graph])
    light = egonet.as_graph(table.assign(w=[1.0, 2.0]), keep="w")

    assert bag.bags_[0].vocabulary.settings.weight_bins == (9.0,)
    assert (
        bag.transform([light]).tolist()
        == encoder(radius=1, weights="w", weight_bins=[9.0], num_hashed=256).fit_transform([light]).tolist()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "min_count must be at least 1, got 0"),
        ({"min_count": 1.5}, "min_count must be a whole number >= 0, got 1.5"),
        ({"num_hashed": 0}, "num_hashed must be at least 1, got 0"),
        ({"num_hashed": 8, "min_count": 2}, "Give min_count or num_hashed, not both"),
        ({"weighting": "log"}, 'aggregate="bag" counts nodes, so weighting must be "count"'),
    ],
)
def test_options_that_contradict_each_other_raise(options, message):
    with pytest.raises(InputError, match=message):
        encoder(radius=1, **options).fit([PATH])


def test_options_of_bags_need_bags():
    with pytest.raises(InputError, match="min_count and num_hashed are for aggregate=\"bag\", got 'sum'"):
        egonet.GraphEncoder(1, num_hashed=4).fit([PATH])
    with pytest.raises(InputError, match='aggregate="bag" has whole rows'):
        encoder(radius=1).fit([PATH]).unseen([PATH])
    with pytest.raises(InputError, match="needs at least one graph to learn columns from, got none"):
        encoder(radius=1).fit([])

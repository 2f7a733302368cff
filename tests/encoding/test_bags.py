"""Bags of neighborhoods: whole rows counted per radius, with a minimum, or hashed to a fixed width."""

from hashlib import blake2b

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import need
from egonet.encoding.bags import label_hashes, row_hashes
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
    bag = encoder(radius=1, min_count=3, unseen="error")

    assert bag.fit_transform([PATH, TRIANGLE]).tolist() == [[0], [3]]
    assert bag.transform([PATH]).tolist() == [[0]]
    with pytest.raises(InputError, match=r"never saw"):
        bag.transform([egonet.named.star(5)])


def test_unknown_rows_are_left_out():
    bag = encoder(radius=1, unseen="ignore").fit([PATH])

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


def mixed(value):
    """Return m(value) of the docstring of `row_hashes`, in Python's whole numbers."""
    value = value * 0x9E3779B97F4A7C15 % 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def hash_of_row(row, radius):
    """Return the hash of key → count by the docstring of `row_hashes`; text in a key is a label."""
    total = 0
    for key, count in row.items():
        state = 0
        for number in (radius, *key):
            label = isinstance(number, str) and blake2b(f"s{number}".encode(), digest_size=8).digest()
            state = mixed(state + (int.from_bytes(label, "little") if label else number + 1))
        total += mixed(state + count * 0x9E3779B97F4A7C15)
    return mixed(total % 2**64)


def test_the_hash_of_a_row_never_changes():
    hashes = row_hashes(egonet.encode(PATH, radius=1)).ravel().tolist()
    labeled = row_hashes(egonet.encode(PATH, radius=1, labels=["C", "N", "C"])).ravel().tolist()
    more = row_hashes(egonet.encode([PATH, TRIANGLE], radius=1)).ravel().tolist()

    assert hashes == [12471570537052611648, 9975934863422145906, 12471570537052611648]
    assert labeled == [3630327343588827294, 12887621713751401286, 3630327343588827294]
    assert more[:3] == hashes


@pytest.mark.parametrize("options", [{}, {"labels": ["C", "N", "C"]}, {"degrees": "full"}])
def test_hashes_are_those_of_the_docstring(options):
    encoding = egonet.encode(PATH, radius=(0, 2), **options)
    expected = [
        [hash_of_row(egonet.encode(PATH, radius=radius, **options)[node], radius) for radius in (0, 2)]
        for node in "abc"
    ]

    assert row_hashes(encoding).tolist() == expected
    assert row_hashes(encoding, threads=2).tolist() == expected


def test_hashes_of_labels_are_those_of_the_docstring():
    texts = ("sC", "sé", "int -1", f"int {2**63}", "bool True")
    digests = [int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") for text in texts]

    hashes = label_hashes(("C", "é", -1, 2**63, True, 0, 2**63 - 1)).tolist()

    assert hashes == [*digests, mixed(1), mixed(2**63)]
    assert hashes[:2] == [13365168099191852923, 17581330670247589818]


def test_hashes_of_edge_types_are_those_of_the_docstring():
    encoding = egonet.encode(PATH, radius=1, labels=["C", "N", "C"], edge_labels=["single", "double"])

    assert row_hashes(encoding).ravel().tolist() == [hash_of_row(encoding[node], 1) for node in "abc"]


@pytest.mark.parametrize("options", [{"common": True}, {"rooted": "edge"}])
def test_bags_of_histograms_are_those_of_each_radius(options):
    graphs = [PATH, TRIANGLE, egonet.named.karate_club()]
    both = encoder(radius=(1, 2), **options)
    rows = both.fit_transform(graphs)
    apart = [encoder(radius=radius, **options).fit_transform(graphs) for radius in (1, 2)]

    assert rows.tolist() == np.hstack(apart).tolist()
    assert both.transform(graphs).tolist() == rows.tolist()


def test_edge_types_and_labels_are_part_of_rows():
    table = pd.DataFrame({"source": [0, 1], "target": [1, 2], "bond": ["single", "double"]})
    graph = egonet.as_graph(table, keep="bond")
    pairs = [(graph, ["C", "C", "O"]), (graph, ["C", "C", "C"])]

    bag = encoder(radius=1, edge_labels="bond", labeled=True)

    assert bag.fit_transform(pairs).tolist() == [[1, 1, 1, 0, 0], [1, 0, 0, 1, 1]]
    hashed = encoder(radius=1, edge_labels="bond", labeled=True, num_hashed=64).fit(pairs)
    assert not np.array_equal(*hashed.transform(pairs))


@pytest.mark.parametrize("fit", ["fit", "fit_transform"])
@pytest.mark.parametrize(
    ("first", "later", "message"),
    [
        ([7, 7, 8], ["7", "7", "8"], "label '7' is str here, but the vocabulary has 7"),
        ([7, 7, 8], ["9", "C", "C"], "labels are text here, first '9', and numbers in fit, first 7"),
        (["C", "C", "N"], [6, 6, 7], "labels are numbers here, first 6, and text in fit, first 'C'"),
        ([True, True, False], ["C", "C", "N"], "labels are text here, first 'C', and booleans in fit"),
    ],
)
def test_hashed_columns_notice_labels_of_another_type(fit, first, later, message):
    hashed = encoder(radius=1, labeled=True, num_hashed=8)
    getattr(hashed, fit)([(PATH, first), (TRIANGLE, first)])

    with pytest.raises(InputError, match=message):
        hashed.transform([(PATH, later)])
    assert hashed.transform([(PATH, [type(first[0])(9)] * 3)]).sum() == 3


def test_hashed_columns_notice_other_columns_and_directions_of_graphs():
    arcs = [(0, 1), (1, 2)]
    plain, directed = egonet.as_graph(arcs), egonet.as_graph(arcs, directed="out")
    numbered, named = (egonet.as_graph(arcs, edge_labels=types) for types in ([1, 2], ["1", "x"]))
    for first, later, message in (
        (numbered, named, "edge label '1' is str here"),
        (numbered, plain, "was learned with edge labels"),
        (plain, numbered, "was learned without edge_labels"),
        (plain, directed, "was learned on a graph read with directed=None"),
    ):
        with pytest.raises(InputError, match=message):
            encoder(radius=1, num_hashed=8).fit([first]).transform([later])


def test_hashed_weights_keep_the_limits_learned():
    table = pd.DataFrame({"source": [0, 1], "target": [1, 2], "w": [1.0, 9.0]})
    graph = egonet.as_graph(table, keep="w")
    bag = encoder(radius=1, weights="w", weight_bins=2, num_hashed=256).fit([graph])
    light = egonet.as_graph(table.assign(w=[1.0, 2.0]), keep="w")

    assert bag.settings_.weight_bins == (9.0,)
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
        encoder(radius=1).fit([PATH]).count_unseen([PATH])
    with pytest.raises(InputError, match="needs at least one graph to learn columns from, got none"):
        encoder(radius=1).fit([])


def test_colors_of_the_weisfeiler_leman_test_are_columns_after_the_others():
    graphs = [PATH, TRIANGLE]
    plain = egonet.GraphEncoder(1)
    both = egonet.GraphEncoder(1, wl=1)

    rows = both.fit_transform(graphs)

    # After no round all nodes are alike; after one they differ by degree: ends (1), middle and corners (2).
    assert rows.tolist() == np.hstack([plain.fit_transform(graphs), [[3, 2, 1], [3, 0, 3]]]).tolist()
    assert both.get_feature_names_out().tolist()[-3:] == ["wl0_class0", "wl1_class0", "wl1_class1"]
    assert both.transform([TRIANGLE]).tolist() == rows[1:].tolist()


def test_colors_follow_labels_and_edge_types():
    table = pd.DataFrame({"source": [0, 1], "target": [1, 2], "bond": ["single", "double"]})
    graph = egonet.as_graph(table, keep="bond")
    pairs = [(graph, ["C", "C", "O"]), (graph, ["C", "C", "C"])]
    options = {"radius": 0, "wl": 1, "labeled": True, "min_count": 1, "aggregate": "bag"}

    typed = encoder_of(options | {"edge_labels": "bond"}).fit_transform(pairs)[:, 3:]
    plain = encoder_of(options).fit_transform([(PATH, labels) for _, labels in pairs])[:, 3:]

    # Elements C and O; then C-C, C-C=O, O=C, and in the second C-C (as before), C-C=C and C=C.
    assert typed.tolist() == [[2, 1, 1, 1, 1, 0, 0], [3, 0, 1, 0, 0, 1, 1]]
    # Without types both ends of the second path are C-C.
    assert plain.tolist() == [[2, 1, 1, 1, 1, 0], [3, 0, 2, 0, 0, 1]]


def encoder_of(options):
    return egonet.GraphEncoder(sparse_output=False, **options)


def test_hashed_colors_have_columns_of_their_own():
    hashed = encoder(radius=(0, 1), num_hashed=8, wl=2).fit([PATH])

    rows = hashed.transform([PATH, TRIANGLE])

    assert rows.shape == (2, 16)
    assert rows[:, 8:].sum(axis=1).tolist() == [9, 9]
    assert hashed.get_feature_names_out().tolist()[8] == "wl_hashed0"


def test_colors_need_undirected_graphs():
    with pytest.raises(InputError, match="wl must be a whole number"):
        egonet.GraphEncoder(1, wl=-1).fit([PATH])
    with pytest.raises(InputError, match="wl counts colors of undirected graphs"):
        egonet.GraphEncoder(1, wl=1, directed="out").fit([PATH])

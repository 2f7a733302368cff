"""Columns learned on one graph and used on another: clipped, ignored or an error, always counted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, encode, named
from egonet.encoding.histograms import (
    column_key,
)
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import (
    Unseen,
    Vocabulary,
    bin_degrees,
    degree_name,
    distinct_keys,
    fixed_columns,
    locate,
    locate_columns,
)
from egonet.errors import InputError, UnseenWarning, option, render
from egonet.kernel.reference import pack_rows


@pytest.fixture
def learned():
    """Columns of a path of four at radius 1: (0,1) (0,2) (1,1)."""
    return encode(named.path("abcd"), 1).vocabulary


def test_a_seen_graph_needs_no_clipping(learned):
    encoding = encode(named.path("abc"), vocabulary=learned)

    assert encoding.vocabulary is learned
    assert encoding["b"] == {(0, 2): 1, (1, 1): 2}
    assert str(encoding.unseen) == "every key has a column"


def test_larger_degrees_are_clipped_to_the_nearest_below_and_counted(learned):
    encoding = encode(named.star(4), vocabulary=learned)

    assert encoding[0] == {(0, 2): 1, (1, 1): 4}
    assert encoding[1] == {(0, 1): 1, (1, 1): 1}
    assert (encoding.unseen.clipped, encoding.unseen.dropped, encoding.unseen.num_rows) == (1, 0, 1)
    assert encoding.unseen.example == (0, (0, 4))


def test_a_degree_below_all_seen_is_clipped_to_the_lowest(learned):
    encoding = encode(Graph.from_edges([], num_nodes=1), vocabulary=learned)

    assert encoding[0] == {(0, 1): 1}
    assert encoding.unseen.clipped == 1


def test_a_distance_without_columns_is_dropped():
    only_roots = encode(Graph.from_edges([], num_nodes=2), 1).vocabulary

    with pytest.warns(UnseenWarning, match="more than half of what was counted has no column"):
        encoding = encode(named.path("abc"), vocabulary=only_roots)

    assert encoding["b"] == {(0, 0): 1}
    assert (encoding.unseen.clipped, encoding.unseen.dropped, encoding.unseen.num_rows) == (3, 4, 3)


def test_unseen_keys_can_be_ignored(learned):
    encoding = encode(named.star(4), vocabulary=learned, unseen="ignore")

    assert encoding[0] == {(1, 1): 4}
    assert (encoding.unseen.clipped, encoding.unseen.dropped, encoding.unseen.num_rows) == (0, 1, 1)
    assert str(encoding.unseen) == (
        "1 row has keys without a column, first at node 0: (0, 4); 0 nodes clipped, 1 dropped"
    )


def test_unseen_keys_can_raise(learned):
    message = (
        r"1 of 5 nodes have keys that the vocabulary never saw, first at node 0: \(0, 4\)\. Learn it on more"
    )
    with pytest.raises(InputError, match=message):
        encode(named.star(4), vocabulary=learned, unseen="error")


def test_an_unknown_policy_raises(learned):
    with pytest.raises(InputError, match=r"unseen must be one of 'clip', 'ignore', 'error', got 'drop'\."):
        encode(named.star(4), vocabulary=learned, unseen="drop")


def test_a_vocabulary_brings_its_settings():
    learned = encode(named.star(9), 1, degrees="full", degree_bins="log").vocabulary

    encoding = encode(named.star(12), vocabulary=learned)

    assert encoding[0] == {(0, 0, 0, 8): 1, (1, 1, 0, 0): 12}
    assert encoding.unseen.num_rows == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": 2}, r"the vocabulary was learned with radius=\(1,\), got \(2,\)\. Leave radius out\."),
        (
            {"degrees": "full"},
            r"the vocabulary was learned with degrees='total', got 'full'\. Leave degrees out\.",
        ),
        (
            {"max_degree": 3},
            r"the vocabulary was learned with max_degree=None, got 3\. Leave max_degree out\.",
        ),
    ],
)
def test_settings_that_contradict_the_vocabulary_raise(learned, options, message):
    with pytest.raises(InputError, match=message):
        encode(named.path("ab"), vocabulary=learned, **options)


def test_labels_unknown_to_the_vocabulary_are_dropped():
    learned = encode(named.path("ab"), 1, labels=["C", "C"]).vocabulary

    encoding = encode(named.path("ab"), vocabulary=learned, labels=["C", "O"])

    assert encoding["a"] == {(0, 1, "C"): 1}
    assert encoding.unseen.dropped == 2


def test_a_labeled_vocabulary_needs_labels():
    learned = encode(named.path("ab"), 1, labels=["C", "C"]).vocabulary

    with pytest.raises(
        InputError, match=r"the vocabulary was learned with node labels\. Give labels= here too\."
    ):
        encode(named.path("ab"), vocabulary=learned)


keys = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(0, 6)), max_size=12)


def as_keys(drawn):
    listed = sorted({(2, *key) for key in drawn})
    return np.array(listed, dtype=np.int64).reshape(len(listed), 4)


@settings(max_examples=300, deadline=None)
@given(keys, keys)
def test_clipping_finds_the_last_column_before_within_the_distance(known, wanted):
    known, wanted = as_keys(known), as_keys(wanted)
    vocabulary = Vocabulary(Schema(Settings((2,), degrees="layered")), known)

    positions, exact = locate(vocabulary, wanted, "clip")

    listed = list(map(tuple, known.tolist()))
    for key, place, is_exact in zip(map(tuple, wanted.tolist()), positions, exact, strict=True):
        group = [other for other in listed if other[:2] == key[:2]]
        before = [other for other in group if other <= key]
        expected = before[-1] if before else (group[0] if group else None)
        assert (None if place < 0 else listed[place]) == expected
        assert is_exact == (key in listed)


@settings(max_examples=200, deadline=None)
@given(keys)
def test_distinct_keys_are_sorted_and_found_again(drawn):
    drawn = np.array(drawn, dtype=np.int64).reshape(len(drawn), 3)

    distinct, positions = distinct_keys(drawn)

    assert [tuple(key) for key in distinct.tolist()] == sorted({tuple(key) for key in drawn.tolist()})
    assert np.array_equal(distinct[positions], drawn)


@given(st.integers(0, 2**40))
def test_a_bin_starts_at_the_power_of_two_below(degree):
    binned = int(bin_degrees(np.array([[1, degree]]), Settings((1,), degree_bins="log"))[0, 1])

    assert binned == (0 if degree == 0 else 1 << (degree.bit_length() - 1))


def test_a_label_without_a_name_is_its_number():
    schema = Schema(Settings((2,), common=True), labels=("x", "y"))
    histograms = pack_rows([{(1, 0, 1): 1, (1, 0, 2): 3, (1, 2, 0): 1}], width=3)

    assert column_key(histograms, 0, schema) == ("common", (((0, "y"), 1), ((0, 2), 3), ((2, "x"), 1)))


def test_no_columns_means_no_column_for_any_key():
    empty = encode(egonet.Graph.from_edges([]), 1).vocabulary
    keys = np.array([[1, 0, 1], [1, 1, 1]])

    columns, exact = locate(empty, keys, "clip")

    assert columns.tolist() == [-1, -1]
    assert exact.tolist() == [False, False]


PATH = named.path("abc")


def test_a_vocabulary_shows_its_size():
    vocabulary = encode(PATH, (1, 2), degrees="full").vocabulary

    assert repr(vocabulary) == "Vocabulary(num_columns=8, radius=(1, 2), degrees='full')"


def test_keys_without_bins_stay_as_they_are():
    keys = np.array([[0, 9]])

    assert bin_degrees(keys, Settings((1,))) is keys


def test_nothing_is_unseen_if_the_roots_have_nothing_new():
    vocabulary = encode(named.cycle(5), 1).vocabulary
    lollipop = egonet.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 6)])

    assert encode(lollipop, vocabulary=vocabulary, roots=[0]).unseen.num_rows == 0
    assert encode(lollipop, vocabulary=vocabulary).unseen.num_rows == 2


CYCLE = named.cycle(3)


def test_vocabulary_may_be_an_encoding():
    learned = egonet.encode(PATH, 1)

    again = egonet.encode(CYCLE, vocabulary=learned)

    assert again.vocabulary is learned.vocabulary
    with pytest.raises(
        InputError, match="vocabulary must be a Vocabulary, an Encoding or the path of a file with one, got 3"
    ):
        egonet.encode(CYCLE, vocabulary=3)


def test_unseen_is_checked_without_a_vocabulary():
    with pytest.raises(InputError, match="unseen must be one of 'clip', 'ignore', 'error', got 'warn'"):
        egonet.encode(PATH, unseen="warn")


@pytest.mark.parametrize(("learned", "given"), [("out", None), (None, "out"), ("out", "in")])
def test_columns_of_a_graph_that_was_read_another_way_are_an_error(tmp_path, learned, given):
    arcs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    encoding = egonet.encode(arcs, radius=1, directed=learned)
    encoding.vocabulary.save(tmp_path / "columns.json")
    encoding.save(tmp_path / "encoding.npz")
    egonet.store.encode(egonet.as_graph(arcs, directed=learned), tmp_path / "folder", radius=1)
    saved = egonet.load(tmp_path / "encoding.npz"), egonet.load(tmp_path / "folder")

    for vocabulary in (encoding, Vocabulary.load(tmp_path / "columns.json"), *saved):
        same = egonet.encode(arcs, vocabulary=vocabulary, directed=learned)
        assert (same.matrix != encoding.matrix).nnz == 0
        was, now = (render(option("directed", value)) for value in (learned, given))
        with pytest.raises(InputError, match=rf"read with {was}, got {now}\. Read both"):
            egonet.encode(arcs, vocabulary=vocabulary, directed=given)


def test_in_and_out_degrees_do_not_depend_on_how_arcs_were_read():
    arcs = [("a", "b"), ("b", "c")]
    learned = egonet.encode(arcs, radius=1, degrees="in_out", directed="out")

    found = egonet.encode(arcs, vocabulary=learned, directed="in")

    assert (found.matrix != learned.matrix).nnz == 0


def test_an_updated_encoding_keeps_the_direction_of_its_columns():
    encoding = egonet.encode([("a", "b"), ("b", "c")], radius=1, directed="out")

    changed = encoding.update(added=[("c", "a")])

    assert changed.vocabulary.directed == "out"
    with pytest.raises(InputError, match='read with directed="out"'):
        egonet.encode([("a", "b")], vocabulary=changed)


def test_bins_that_reach_beyond_the_largest_degree_are_named_plus():
    names = [degree_name(value, Settings((1,), degree_bins="log", max_degree=9)) for value in (2, 4, 8)]

    assert names == ["2to3", "4to7", "8plus"]


@pytest.mark.parametrize(("clipped", "text"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes")])
def test_one_clipped_node_is_no_plural(clipped, text):
    assert f"; {text} clipped, 0 dropped" in str(Unseen(clipped, 0, 1, ("a", (1, 9))))


def test_an_unseen_histogram_has_no_column_and_a_seen_one_keeps_its_own():
    known = encode(named.path("abcd"), 1, common=True).vocabulary
    star = encode(named.star(3), 1, common=True)
    columns, exact = locate_columns(known, star.vocabulary, "ignore")

    for key, column, is_known in zip(star.feature_names, columns.tolist(), exact.tolist(), strict=True):
        assert is_known == (key in known.feature_names)
        assert column == (known.feature_names.index(key) if is_known else -1)
    again, same = locate_columns(known, known, "ignore")
    assert again.tolist() == list(range(len(known)))
    assert same.all()


def test_fixed_columns_of_log_bins_are_17_per_distance():
    names = fixed_columns(Settings((1,), degree_bins="log")).feature_names

    assert len(names) == 2 * 17
    assert names[-1] == "r1_d1_deg32768plus"


def test_a_vocabulary_without_columns_for_most_of_a_graph_is_warned_about():
    learned = egonet.encode([("a", "b")], radius=1, labels={"a": "p", "b": "p"})

    with pytest.warns(UnseenWarning, match=r"more than half of what was counted has no column: 2 rows .*'q'"):
        egonet.encode([("a", "b")], vocabulary=learned, labels={"a": "q", "b": "r"})
    egonet.encode([("a", "b")], vocabulary=learned, labels={"a": "q", "b": "r"}, unseen="ignore")

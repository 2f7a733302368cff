"""Borders of encodings: the smallest limit that is enough, the largest radius, one neighbor instead of several."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import egonet
from egonet import encode, named
from egonet.encoding.export import write_encoding
from egonet.encoding.histogram_columns import (
    column_key,
    count_nested,
    histogram_words,
    predict_nested,
)
from egonet.encoding.matrix import renumber_columns
from egonet.encoding.saved import _unpack_unseen, to_json
from egonet.encoding.settings import Settings
from egonet.encoding.validate import sound_rows
from egonet.encoding.vocabulary import locate
from egonet.errors import InputError
from egonet.kernel.reference import pack_rows

TRIANGLE, COMMON = named.cycle(3), Settings((2,), common=True)


def test_columns_that_meet_are_one_entry_in_rising_order():
    matrix = csr_array(np.array([[1, 2, 3, 4]], dtype=np.int32))

    moved = renumber_columns(matrix, np.array([2, 0, 2, -1]), num_columns=3)

    assert moved.indices.tolist() == [0, 2]
    assert moved.data.tolist() == [2, 4]


def test_the_predicted_result_of_a_nested_encoding_is_its_size():
    # Three entries and four row bounds, one histogram of one entry and two bounds, 8 bytes each; one key of 8 bytes.
    size = (3 + 4 + 1 + 2) * 8 + 8

    matrix, _ = count_nested(TRIANGLE, None, COMMON)

    assert matrix.toarray().tolist() == [[2], [2], [2]]
    assert predict_nested(TRIANGLE, None, COMMON, None)[1] == size


def test_pairs_are_counted_up_to_radius_4096():
    assert len(encode(TRIANGLE, 4096, rooted="edge")) == 3
    with pytest.raises(InputError, match=r"^radius must be at most 4096 here, got 4097\.$"):
        encode(TRIANGLE, 4097, rooted="edge")


def test_keys_of_several_radii_begin_with_the_radius():
    several = encode(named.path("ab"), [1, 2], rooted="edge").vocabulary
    single = encode(named.path("ab"), 2, rooted="edge").vocabulary

    # The only edge, seen from one end: itself at (0, 1), the other at (1, 0); each has one neighbor, the other.
    assert [several.column(index)[1][0][0][:3] for index in range(2)] == [(1, 0, 1), (2, 0, 1)]
    assert single.column(0)[1][0][0][:2] == (0, 1)
    assert len(several.column(0)[1][0][0]) == len(single.column(0)[1][0][0]) + 1


def test_words_for_several_radii_count_the_same_nodes():
    single = encode(TRIANGLE, 1, rooted="edge").vocabulary
    several = encode(TRIANGLE, [1, 2], rooted="edge").vocabulary

    said = "with a neighbor: 3 nodes and 3 edges near both, 1 adjacent to both"
    assert histogram_words(single.column(0), single.settings) == said
    assert histogram_words(several.column(0), several.settings) == said


def test_labels_are_no_edges_in_words():
    vocabulary = encode(TRIANGLE, 1, rooted="edge", labels=[5, 5, 5]).vocabulary

    said = histogram_words(vocabulary.column(0), vocabulary.settings)

    assert said == "with a neighbor: 3 nodes and 3 edges near both, 1 adjacent to both"


def test_one_common_neighbor_is_not_several():
    key = ("common", (((0,), 1),))

    assert histogram_words(key, COMMON) == "1 common neighbor: 1 with 0 links among them"


def test_a_label_without_a_name_is_its_number():
    settings = Settings((2,), common=True, labels=("x", "y"))
    histograms = pack_rows([{(1, 0, 1): 1, (1, 0, 2): 3, (1, 2, 0): 1}], width=3)

    assert column_key(histograms, 0, settings) == ("common", (((0, "y"), 1), ((0, 2), 3), ((2, "x"), 1)))


def test_no_columns_means_no_column_for_any_key():
    empty = encode(egonet.Graph.from_edges([]), 1).vocabulary
    keys = np.array([[1, 0, 1], [1, 1, 1]])

    columns, exact = locate(empty, keys, "clip")

    assert columns.tolist() == [-1, -1]
    assert exact.tolist() == [False, False]


def test_a_new_node_brings_a_label_that_is_known():
    before = encode(named.path("ab"), 1, labels=["x", "y"])

    after = before.update(added=[("b", "c")], labels={"c": "x"})

    fresh = encode(named.path("abc"), 1, labels=["x", "y", "x"])
    assert {node: after[node] for node in "abc"} == {node: fresh[node] for node in "abc"}
    # The end c sees itself, labeled x with one neighbor, and b, labeled y with one inside the ego-network.
    assert after["c"] == {(0, 1, "x"): 1, (1, 1, "y"): 1}


def test_only_a_whole_graph_is_drawn(need):
    need("matplotlib")

    with pytest.raises(InputError, match="plot draws a whole graph"):
        encode(named.path("abc"), 1, roots=["a"]).plot()


def test_a_frame_is_sparse_only_if_asked(need):
    pandas = need("pandas")
    encoding = encode(named.path("abc"), 1)

    sparse, dense = encoding.to_pandas(sparse=True), encoding.to_pandas()

    assert all(isinstance(kind, pandas.SparseDtype) for kind in sparse.dtypes)
    assert not any(isinstance(kind, pandas.SparseDtype) for kind in dense.dtypes)
    assert sparse.to_numpy().tolist() == dense.to_numpy().tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 1]]


@pytest.mark.parametrize(("weighting", "field"), [("count", "integer"), ("log", "real")])
def test_a_matrix_market_file_says_whether_it_holds_counts(tmp_path, weighting, field):
    write_encoding(encode(named.path("abc"), 1), tmp_path / "a.mtx", weighting=weighting)

    head = (tmp_path / "a.mtx").read_text().splitlines()[0]
    assert head == f"%%MatrixMarket matrix coordinate {field} general"


def test_nodes_that_came_before_are_found_again():
    first = encode(named.path("ab"), 1).update(added=[("b", "c"), ("c", "d")])

    second = first.update(added=[("d", "b")])

    # b, c and d are a triangle, and a hangs on b.
    fresh = encode([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")], 1)
    assert {node: second[node] for node in "abcd"} == {node: fresh[node] for node in "abcd"}


def test_a_new_node_is_no_root_where_roots_were_chosen():
    after = encode(named.path("ab"), 1, roots=["a"]).update(added=[("b", "c")])

    assert after["a"] == {(0, 1): 1, (1, 1): 1}
    with pytest.raises(KeyError, match="c"):
        after["c"]


@pytest.mark.parametrize("example", [("a", (1,), "c"), "ab"])
def test_an_example_of_what_was_unseen_is_a_pair(example):
    words = {"clipped": 1, "dropped": 0, "num_rows": 1, "example": to_json(example)}

    with pytest.raises(ValueError, match="the example of what was unseen is no pair"):
        _unpack_unseen(words)


def test_keys_of_saved_rows_are_whole_numbers():
    rows = pack_rows([{(1, 0): 2}], width=2)

    assert sound_rows(rows) is rows
    with pytest.raises(ValueError, match="int64"):
        sound_rows(replace(rows, keys=rows.keys.astype(np.float64)))


def test_a_node_two_hops_away_is_said_to_be():
    vocabulary = encode(named.path("abc"), 2, rooted="pair").vocabulary

    said = {
        histogram_words(vocabulary.column(index), vocabulary.settings) for index in range(len(vocabulary))
    }

    # The ends are two hops apart; all three nodes and both edges are near both, and b is adjacent to both.
    assert "with a node 2 hops away: 3 nodes and 2 edges near both, 1 adjacent to both" in said


@pytest.mark.parametrize("directed", ["out", "in"])
def test_arcs_that_go_are_those_that_were_named(directed):
    arcs = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]
    before = encode(egonet.Graph.from_edges(arcs, directed=directed), 1)

    after = before.update(added=[("a", "c")], removed=[("b", "a"), ("b", "c")])

    fresh = encode(egonet.Graph.from_edges([("a", "b"), ("c", "a"), ("a", "c")], directed=directed), 1)
    assert {node: after[node] for node in "abc"} == {node: fresh[node] for node in "abc"}


def test_edges_that_go_are_those_that_were_named_where_all_is_counted_anew():
    before = encode(named.complete(4), 1, rooted="edge")

    after = before.update(removed=[(0, 2), (1, 3)])

    # What is left of the complete graph is the square 0-1-2-3.
    fresh = encode(named.cycle(4), 1, rooted="edge")
    assert {node: after[node] for node in range(4)} == {node: fresh[node] for node in range(4)}


def test_what_updates_merge_is_added_up():
    first = encode(named.path("abc"), 1).update(added=[("a", "c"), ("a", "c")])

    second = first.update(added=[("c", "d"), ("d", "c"), ("c", "d")])

    assert (first.graph.info.duplicates_merged, second.graph.info.duplicates_merged) == (1, 3)


def test_a_part_is_one_graph():
    part = encode([named.path("ab"), named.path("abc")], 1).part(1)

    assert part.graph_ptr.tolist() == [0, 3]

"""The corners of encodings: what does not fit, what is too large, packages that are missing, ids of every kind."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import egonet
from egonet import encode, named
from egonet.encoding.count import origin_of
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import node_array
from egonet.encoding.histogram_columns import histogram_words
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import bin_degrees
from egonet.errors import InputError, MemoryLimitError, MissingExtraError

PATH = named.path("abc")


def test_rows_without_ids_are_refused():
    encoding = encode(PATH, 1)

    with pytest.raises(
        InputError, match=r"^the matrix has shape \(3, 3\), but there are 2 nodes and 3 columns.$"
    ):
        replace(encoding, nodes=np.array(["a", "b"]))


@pytest.mark.parametrize("index", [2, -3])
def test_a_graph_that_is_not_there_is_refused(index):
    with pytest.raises(InputError, match=rf"^there are 2 graphs \(0 to 1\), got {index}.$"):
        encode([PATH, PATH], 1).part(index)


def test_parts_are_counted_from_the_end_too():
    both = encode([PATH, named.cycle(3)], 1)

    assert both.part(-1).nodes.tolist() == [0, 1, 2]
    assert both.part(-2).nodes.tolist() == ["a", "b", "c"]


def test_a_dense_matrix_that_does_not_fit_is_told_with_the_way_out(monkeypatch):
    class Huge:
        def toarray(self):
            raise MemoryError

    monkeypatch.setattr(Encoding, "weighted", lambda self, weighting: Huge())

    with pytest.raises(
        MemoryLimitError, match=r"^a dense array of 3 x 3 does not fit in memory. Use the sparse"
    ):
        encode(PATH, 1).to_dense()


@pytest.mark.parametrize(
    ("method", "package", "install"),
    [
        ("to_torch", "torch", r'"egonet\[torch\]"'),
        ("to_polars", "polars", "polars"),
        ("to_pandas", "pandas", "pandas"),
        ("to_arrow", "pyarrow", r'"egonet\[io\]"'),
    ],
)
def test_a_missing_package_is_told_with_the_command(monkeypatch, method, package, install):
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtraError, match=rf"^this needs an extra package: pip install {install}.$"):
        getattr(encode(PATH, 1), method)()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (np.array([3, 5]), [3, 5]),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (np.array(["a", 7], dtype=object), ["a", "7"]),
    ],
)
def test_ids_of_a_table_are_numbers_or_text(ids, expected):
    assert node_array(ids).to_pylist() == expected


def test_an_encoding_with_labels_is_not_given_a_graph_again():
    encoding = encode(PATH, 1, labels=["x", "y", "x"])
    loaded = replace(encoding, graph=None, labels=None, origin=origin_of(encoding))

    with pytest.raises(
        InputError, match=r"^this file does not keep the labels of the nodes\. Encode the graph"
    ):
        loaded.with_graph(PATH)


def test_an_encoding_of_some_roots_finds_them_in_the_graph_again():
    encoding = encode(PATH, 1, roots=["c", "a"])
    loaded = replace(encoding, graph=None, roots=None, origin=origin_of(encoding))

    updated = loaded.with_graph(PATH).update(added=[("a", "c")])

    assert updated["c"] == updated["a"] == {(0, 2): 1, (1, 2): 2}


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


def test_no_roots_need_memory_for_row_bounds_only():
    assert encode(PATH, 1, rooted="edge", roots=[], memory_limit=136).matrix.shape == (0, 0)


def test_an_edge_without_common_neighbors_says_so():
    settings = Settings((2,), common=True)

    assert histogram_words(("common", ()), settings) == "no common neighbors"

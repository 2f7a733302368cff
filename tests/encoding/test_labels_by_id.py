"""Labels that name their nodes are aligned by id, in every front end; labels of several types stay apart."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet.errors import InputError
from egonet.sklearn import NodeEncoder

PATH = egonet.named.path("abc")
EXPECTED = egonet.encode(PATH, 1, labels=["x", "y", "z"])["a"]


@pytest.mark.parametrize(
    "labels",
    [
        {"c": "z", "b": "y", "a": "x"},
        pd.Series(["z", "y", "x"], index=["c", "b", "a"]),
        pd.Series(["z", "y", "x"], index=["c", "b", "a"], dtype="category"),
        pd.DataFrame({"kind": ["z", "y", "x"]}, index=["c", "b", "a"]),
        pd.DataFrame({"id": ["c", "b", "a"], "kind": ["z", "y", "x"]}),
        pl.DataFrame({"kind": ["z", "y", "x"], "node": ["c", "b", "a"]}),
        pa.table({"node": ["c", "b", "a"], "kind": ["z", "y", "x"]}),
    ],
    ids=["dict", "series", "category", "indexed frame", "pandas", "polars", "arrow"],
)
def test_labels_are_aligned_by_id(labels):
    assert egonet.encode(PATH, 1, labels=labels)["a"] == EXPECTED


@pytest.mark.parametrize(
    "labels",
    [iter("xyz"), {0: "x", 1: "y", 2: "z"}.values(), pl.Series(["x", "y", "z"])],
    ids=["iterator", "values", "polars series"],
)
def test_labels_without_ids_are_in_row_order(labels):
    assert egonet.encode(PATH, 1, labels=labels)["a"] == EXPECTED


def test_labels_must_name_every_node_and_no_other():
    with pytest.raises(InputError, match="1 of 3 are missing, first 'c'"):
        egonet.encode(PATH, 1, labels=pd.Series(["x", "y"], index=["a", "b"]))
    with pytest.raises(InputError, match="1 of 4 ids are not in it, first 'd'"):
        egonet.encode(PATH, 1, labels=pd.Series(list("xyzw"), index=list("abcd")))
    with pytest.raises(InputError, match=r"3 of 3 are missing.*The ids of labels are 0, 1, 2"):
        egonet.encode(PATH, 1, labels=pd.Series(list("xyz")))
    with pytest.raises(InputError, match="name every node once, got 'a' twice"):
        egonet.encode(PATH, 1, labels=pd.Series(list("xyz"), index=list("aab")))
    with pytest.raises(InputError, match="must have a column 'node' or 'id' and one column of labels"):
        egonet.encode(PATH, 1, labels=pd.DataFrame({"who": list("abc"), "kind": list("xyz")}))


def test_lists_of_graphs_take_labels_by_id_per_graph():
    parts = [pd.Series(list("zyx"), index=list("cba")), {"a": "x", "b": "y", "c": "z"}]

    both = egonet.encode([PATH, PATH], 1, labels=parts)

    assert both.part(0)["a"] == both.part(1)["a"] == EXPECTED
    with pytest.raises(InputError, match="got one mapping or table for 2 graphs"):
        egonet.encode([PATH, PATH], 1, labels=parts[0])


def test_roots_and_node_encoder_align_labels_by_id():
    labels = pd.Series(list("zyx"), index=list("cba"))
    encoder = NodeEncoder(PATH, 1, labels=labels)

    assert egonet.encode(PATH, 1, roots=["a"], labels=labels)["a"] == EXPECTED
    assert encoder.fit_transform(["a"]).sum() == 2
    assert "r1_d0_deg1_labelx" in encoder.get_feature_names_out()
    with pytest.raises(InputError, match="ids are not in it, first 'd'"):
        NodeEncoder(PATH, 1, labels=pd.Series(list("zyxw"), index=list("cbad"))).fit(["a"])


def test_node_encoder_reads_an_iterator_of_labels_once():
    encoder = NodeEncoder(PATH, 1, labels=iter("xyz"))

    assert encoder.fit(["a"]).transform(["a"]).sum() == 2


def test_number_and_text_labels_have_different_names():
    names = egonet.encode([(0, 1)], 0, labels=[1, "1"]).feature_names

    assert names == ["r0_d0_deg1_label1", "r0_d0_deg1_label'1'"]


@pytest.mark.parametrize("labels", [[True, 1, 0], [1, np.True_, 2]])
def test_labels_must_not_mix_booleans_and_numbers(labels):
    with pytest.raises(InputError, match="must not mix booleans and numbers, got True and"):
        egonet.encode(PATH, 1, labels=labels)


def test_boolean_labels_do_not_fit_a_vocabulary_of_numbers():
    learned = egonet.encode(PATH, 0, labels=[0, 1, 1])

    with pytest.raises(InputError, match="must not mix booleans and numbers"):
        egonet.encode(PATH, vocabulary=learned, labels=[False, True, True])
    with pytest.raises(InputError, match="must not mix booleans and numbers"):
        learned.update(added=[("a", "d")], labels={"d": True})


def test_boolean_labels_keep_their_name():
    names = egonet.encode(PATH, 0, labels=np.array([True, False, True])).feature_names

    assert names == ["r0_d0_deg1_labelTrue", "r0_d0_deg2_labelFalse"]

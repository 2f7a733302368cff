"""Most similar nodes, features joined to tables, and encodings in notebooks."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from egonet import encode, named
from egonet.encoding import lookup
from egonet.errors import EgonetError, InputError, UnknownNodeError, UnseenWarning

CLUB = encode(named.karate_club(), radius=2)


def by_hand(encoding, node, k, weighting="count"):
    """Return what `similar` promises, from the dense matrix."""
    rows = encoding.to_dense(weighting).astype(float)
    row = encoding.nodes.tolist().index(node)
    distances = np.abs(rows - rows[row]).sum(axis=1)
    order = [other for other in np.argsort(distances, kind="stable").tolist() if other != row]
    return [(encoding.nodes[other].item(), distances[other]) for other in order[:k]]


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
@given(node=st.integers(0, 33), k=st.integers(0, 40))
def test_similar_is_exact(block, node, k):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "_BLOCK", block)
        assert CLUB.similar(node, k) == by_hand(CLUB, node, k)


@pytest.mark.parametrize("weighting", ["log", "paper"])
def test_similar_with_weighted_rows(weighting):
    found = CLUB.similar(0, 33, weighting=weighting)
    distances = dict(by_hand(CLUB, 0, 33, weighting))

    assert [distance for _, distance in found] == pytest.approx(sorted(distances.values()))
    assert all(distance == pytest.approx(distances[node]) for node, distance in found)


def test_similar_finds_rows_without_entries():
    """A vocabulary of radius 1 of an edge has no columns for labels that it never saw."""
    known = encode([("a", "b")], 0, labels={"a": "x", "b": "y"})
    other = encode(named.path("abc"), vocabulary=known, labels=["x", "new", "new"], unseen="ignore")

    assert other.similar("b") == [("c", 0), ("a", 1)]


def test_similar_reads_a_store_and_an_update(tmp_path):
    stored = egonet.store.encode(named.karate_club(), tmp_path / "store", 2)

    assert stored.similar(5, 4) == CLUB.similar(5, 4)
    changed = CLUB.update(added=[(5, 9)])
    assert changed.similar(5, 4) == encode(changed.graph, 2).similar(5, 4)


def test_similar_names_what_is_wrong():
    with pytest.raises(UnknownNodeError, match="no row belongs to node 99"):
        CLUB.similar(99)
    with pytest.raises(InputError, match="k must be a whole number >= 0, got -1"):
        CLUB.similar(0, -1)
    with pytest.raises(InputError, match="weighting must be one of"):
        CLUB.similar(0, weighting="cosine")


PEOPLE = {"who": ["c", "a", "c"], "age": [1, 2, 3]}
PATH = encode(named.path("abc"), radius=1)


@pytest.mark.parametrize(
    "table",
    [pd.DataFrame(PEOPLE, index=[7, 8, 9]), pl.DataFrame(PEOPLE), pa.table(PEOPLE)],
    ids=["pandas", "polars", "pyarrow"],
)
def test_features_are_joined_by_id(table):
    joined = PATH.join(table, on="who")

    assert type(joined) is type(table)
    plain = (
        joined.to_pydict()
        if hasattr(joined, "to_pydict")
        else {name: list(joined[name]) for name in joined.columns}
    )
    assert plain == PEOPLE | {"r1_d0_deg1": [1, 1, 1], "r1_d0_deg2": [0, 0, 0], "r1_d1_deg1": [1, 1, 1]}


def test_the_index_of_pandas_may_have_the_ids():
    table = pd.DataFrame({"age": [1, 2]}, index=["b", "a"])

    joined = PATH.join(table, weighting="log")

    assert joined.index.tolist() == ["b", "a"]
    assert joined["r1_d1_deg1"].tolist() == pytest.approx([np.log2(3), 1])


def test_unknown_ids_follow_the_rule():
    table = pd.DataFrame({"who": ["a", "z"]})

    with pytest.raises(UnknownNodeError, match=r"no row belongs to node 'z' \(position 1, counted from 0\)"):
        PATH.join(table, on="who")
    assert PATH.join(table, on="who", handle_unknown="zero").iloc[1, 1:].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("table", "on", "message"),
    [
        (pd.DataFrame(PEOPLE), "whom", "there is no column 'whom'. Did you mean 'who'?"),
        (pl.DataFrame(PEOPLE), None, "which column has the node ids"),
        ([1, 2], "who", "join takes a data frame of pandas, polars or pyarrow, got list"),
        (pd.DataFrame({"who": ["a"], "r1_d0_deg1": [0]}), "who", "has a column 'r1_d0_deg1' already"),
    ],
)
def test_tables_that_cannot_be_joined(table, on, message):
    with pytest.raises(InputError, match=message):
        PATH.join(table, on=on)


def test_wide_encodings_are_not_joined(monkeypatch):
    monkeypatch.setattr(lookup, "JOIN_COLUMNS", 2)

    with pytest.raises(InputError, match=r'at most 2, got 3\. Use degree_bins="log"'):
        PATH.join(pd.DataFrame(PEOPLE), on="who")


def test_ids_of_several_graphs_are_not_joined():
    both = encode([named.path("ab"), named.path("abc")], 1)

    with pytest.raises(InputError, match="node 'a' has several rows"):
        both.join(pd.DataFrame({"who": ["a"]}), on="who")


def test_html_is_small_and_escaped():
    html = encode([("<b>", "x"), ("x", "y")], 1)._repr_html_()

    assert "Encoding of 3 nodes in 3 columns" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert len(CLUB._repr_html_()) < 8_000
    assert encode(egonet.Graph.from_edges([], num_nodes=0), 1)._repr_html_()


@pytest.mark.parametrize(
    "options",
    [
        {"radius": 1},
        {"radius": (1, 2), "degrees": "full"},
        {"radius": 1, "edge_labels": ["x", "y"]},
        {"radius": 2, "rooted": "refined"},
        {"radius": 2, "degrees": "full", "common": True},
    ],
)
def test_an_unknown_id_has_the_row_of_an_isolated_node(options):
    graph = egonet.as_graph([("a", "b"), ("b", "c")], nodes=["a", "b", "c", "alone"])
    table = pd.DataFrame({"id": ["alone", "nobody"]})

    joined = (
        encode(graph, **options).join(table, on="id", handle_unknown="zero").drop(columns="id").to_numpy()
    )

    assert joined[0].sum() > 0
    assert joined[1].tolist() == joined[0].tolist()


def test_whole_numbers_that_became_floats_are_not_unknown():
    encoding = encode([(0, 1), (1, 2)], 1)
    table = pd.DataFrame({"id": [0.0, 9.0, 2.0]})

    for ids in (table, table.astype("Int64")):
        joined = encoding.join(ids, on="id", handle_unknown="zero")
        assert (joined.iloc[:, 1:].sum(axis=1) > 0).tolist() == [True, False, True]


def test_a_whole_float_of_a_column_with_gaps_finds_its_row():
    encoding = egonet.encode([(101159, 2), (2, 7)], radius=0)
    pairs = egonet.encode_pairs([(101159, 2), (2, 7)], [(101159, 7)], 1)

    assert encoding[101159.0] == encoding[np.float64(101159)] == {(0, 1): 1}
    assert 101159.0 in encoding
    assert 101159.5 not in encoding
    assert pairs[(101159.0, np.float32(7))] == pairs[(101159, 7)]


def test_an_unknown_id_of_a_table_is_not_answered_with_the_id_of_another_customer():
    graph = [("acct-1", "acct-2"), ("acct-2", "acct-4")]
    encoding = egonet.encode(graph, radius=0)
    calls = [
        lambda ids: encoding.join(pd.DataFrame({"who": ids}), on="who"),
        lambda ids: egonet.encode_pairs(graph, [(node, "acct-1") for node in ids]),
        lambda ids: egonet.NodeEncoder(graph).fit(["acct-1"]).transform(ids),
        lambda ids: egonet.NodeEncoder(graph).fit(ids),
    ]

    for call in calls:
        with pytest.raises(EgonetError, match="'acct-3'") as caught:
            call(["acct-3"])
        assert "acct-2" not in str(caught.value)
        assert "acct-4" not in str(caught.value)


@pytest.mark.parametrize("on", [None, "k", "x"])
def test_join_refuses_two_columns_of_one_name(on):
    table = pd.DataFrame([["a", "b", 1]], columns=["k", "k", "x"], index=["a"])

    with pytest.raises(EgonetError, match="2 columns are named 'k'"):
        egonet.encode([("a", "b")], radius=1).join(table, on)


def test_unknown_ids_of_a_table_are_warned_about_if_asked_or_if_they_are_many():
    few, many = pd.DataFrame({"who": ["a", "x", "b"]}), pd.DataFrame({"who": ["a", "x", "y"]})

    zero = PATH.join(few, on="who", handle_unknown="zero")  # warnings are errors
    with pytest.warns(UnseenWarning, match=r"^1 of 3 nodes have no row, first 'x' \(position 1, counted"):
        assert PATH.join(few, on="who", handle_unknown="warn").equals(zero)
    with pytest.warns(UnseenWarning, match=r"^2 of 3 nodes have no row"):
        PATH.join(many, on="who", handle_unknown="zero")
    with pytest.raises(InputError, match="handle_unknown must be one of 'error', 'zero', 'warn'"):
        PATH.join(few, on="who", handle_unknown="ignore")

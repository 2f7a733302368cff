"""Updates that cannot be: each raises one sentence that names the edge or what is missing."""

import pandas as pd
import polars as pl
import pytest

import egonet
from egonet import encode, named
from egonet.errors import EgonetError, InputError, UnknownNodeError


@pytest.mark.parametrize("node", [-1, 3, 2**70, True, 1.5])
def test_numbers_that_are_no_nodes_have_no_row(node):
    path = encode(named.path(3), 1)

    for encoding in (path, path.update(added=[(0, 2)])):
        with pytest.raises(UnknownNodeError, match="no row belongs to node"):
            encoding[node]


@pytest.mark.parametrize("end", [-1, 2**31, 2**70, True, 1.5, "1"])
def test_what_is_no_node_has_no_edge_to_remove(end):
    with pytest.raises(EgonetError, match=r"the graph has no node|an id must be"):
        encode(named.path(3), 1).update(removed=[(0, end)])


@pytest.mark.parametrize(
    ("added", "removed", "message"),
    [
        ([], [("a", "c")], r"removed edge \('a', 'c'\) is not in the graph\. Leave it out\."),
        ([("a", "b")], [("b", "a")], r"edge \('a', 'b'\) is both added and removed\. Name it once\."),
        (
            [("a", None)],
            [],
            r"an id must be hashable and not missing, a number whole and of 64 bits, got None\.",
        ),
        ([("a", "b", 2)], [], r"edge 0 \(counted from 0\) must be a pair of node ids"),
    ],
)
def test_changes_that_cannot_be_raise(added, removed, message):
    with pytest.raises(InputError, match=message):
        encode(named.path("abc"), 1).update(added, removed)


def test_an_unknown_node_of_a_removed_edge_is_named():
    with pytest.raises(UnknownNodeError, match=r"removed edge \('a', 'bb'\): the graph has no node 'bb'"):
        encode(named.path("abc"), 1).update(removed=[("a", "bb")])


def test_encodings_without_what_an_update_needs_raise(tmp_path):
    path = encode(named.path("abc"), 1)
    path.save(tmp_path / "path.npz")

    with pytest.raises(InputError, match="update needs the graph"):
        egonet.load(tmp_path / "path.npz").update([("a", "c")])
    with pytest.raises(InputError, match="update changes one graph, got several"):
        encode([named.path(2), named.path(3)], 1).update([(0, 2)])
    with pytest.raises(InputError, match="these were given by a vocabulary"):
        encode(named.path("ab"), vocabulary=path.vocabulary).update([("a", "c")])
    with pytest.raises(InputError, match=r"new nodes need labels here: give labels=\{'c'"):
        encode(named.path("ab"), 1, labels=["x", "y"]).update([("b", "c")])
    with pytest.raises(InputError, match="this encoding has none"):
        path.update([("b", "d")], labels={"d": 1})


@pytest.mark.parametrize("changes", ["ab", 5, b"ab"])
def test_changes_must_be_pairs_or_a_table(changes):
    with pytest.raises(
        InputError, match=r"^added must be pairs of node ids, or a table of two columns, got "
    ):
        encode(named.path("abc"), 1).update(added=changes)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_table_that_is_no_list_of_changes_raises(make):
    path = encode(named.path("abc"), 1)

    with pytest.raises(InputError, match=r"^which two columns have the node ids"):
        path.update(added=make({"node": ["a"], "label": ["c"]}))
    with pytest.raises(InputError, match=r"got 1\.5 in row 0 of column 'target' \(counted from 0\)"):
        path.update(added=make({"source": ["a"], "target": [1.5]}))


def test_a_label_of_the_other_type_is_refused():
    encoding = egonet.encode([("a", "b")], radius=1, labels={"a": "1", "b": "2"})

    with pytest.raises(InputError, match="label 1 is int here, but the vocabulary has '1'"):
        encoding.update(added=[("b", "c")], labels={"c": 1})
    assert encoding.update(added=[("b", "c")], labels={"c": "3"})["c"] == {(0, 1, "3"): 1, (1, 1, "2"): 1}


@pytest.mark.parametrize("labels", [{"c": "x", "a": "x"}, {"a": "z", "c": "x"}, {"c": "x", "q": "x"}])
def test_labels_of_an_update_are_those_of_new_nodes(labels):
    """A new label of a known node was ignored."""
    encoding = egonet.encode([("a", "b")], 1, labels={"a": "x", "b": "y"})

    with pytest.raises(
        InputError, match=r"labels are those of new nodes: 1 of 2 ids are not new, first '[aq]'"
    ):
        encoding.update(added=[("b", "c")], labels=labels)
    with pytest.raises(InputError, match="first 'a'"):
        encoding.update(removed=[("a", "b")], labels={"a": "z"})
    table = pd.DataFrame({"node": ["c"], "label": ["x"]})
    assert encoding.update(added=[("b", "c")], labels=table)["c"] == {(0, 1, "x"): 1, (1, 1, "y"): 1}

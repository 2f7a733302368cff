"""Updating equals encoding the changed graph from scratch, byte for byte, and costs a fraction of it."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, encode, named
from egonet.encoding import update as update_module
from egonet.encoding.count import origin_of
from egonet.errors import IgnoredInputWarning, InputError, UnknownNodeError

RADII = [0, 1, 2, 3, (1, 2), (2, 1), (3, 0, 1)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_changes_may_be_tables(make):
    path = encode([("a", "b"), ("b", "c"), ("c", "d")], 1)
    added, removed = make({"src": ["a", "d"], "dst": ["c", "e"]}), make({"source": ["b"], "target": ["c"]})

    updated = path.update(added, removed)

    assert_same(updated, path.update([("a", "c"), ("d", "e")], [("b", "c")]))
    with pytest.warns(IgnoredInputWarning, match="^added: columns other than 'u' and 'v' are ignored"):
        path.update(make({"u": ["a"], "v": ["c"], "when": [1]}))


def assert_same(updated, expected):
    for name in ("indptr", "indices", "data"):
        ours, theirs = getattr(updated.matrix, name), getattr(expected.matrix, name)
        assert ours.dtype == theirs.dtype, name
        assert ours.tobytes() == theirs.tobytes(), name
    assert updated.matrix.shape == expected.matrix.shape
    assert updated.vocabulary.keys.tolist() == expected.vocabulary.keys.tolist()
    assert updated.vocabulary.settings == expected.vocabulary.settings
    assert updated.nodes.tolist() == expected.nodes.tolist()
    assert updated.graph.indptr.tobytes() == expected.graph.indptr.tobytes()
    assert updated.graph.indices.tobytes() == expected.graph.indices.tobytes()


def edges_within(num_nodes, max_size):
    node = st.integers(0, num_nodes - 1)
    pairs = st.tuples(node, node).filter(lambda pair: pair[0] != pair[1])
    return st.sets(pairs.map(lambda pair: tuple(sorted(pair))), max_size=max_size)


@st.composite
def histories(draw):
    """A graph on up to 12 nodes as a set of edges, then batches (added, removed) that may add nodes."""
    num_nodes = draw(st.integers(2, 12))
    edges = draw(edges_within(num_nodes, 20))
    batches, now = [], set(edges)
    for _ in range(draw(st.integers(1, 3))):
        removed = {edge for edge in sorted(now) if draw(st.booleans())} if draw(st.booleans()) else set()
        added = draw(edges_within(num_nodes + 2, 5)) - removed
        batches.append((sorted(added), sorted(removed)))
        now = (now - removed) | added
    return num_nodes, edges, batches


@settings(max_examples=250, deadline=None)
@given(
    histories(),
    st.sampled_from(RADII),
    st.sampled_from(["total", "layered", "full"]),
    st.booleans(),
    st.sampled_from([{}, {"max_degree": 2}, {"degree_bins": "log"}, {"labels": True}]),
)
def test_any_history_of_batches_equals_encoding_the_last_graph(
    history, radius, degrees, frontier_edges, options
):
    num_nodes, edges, batches = history
    labeled = options.pop("labels", False) if (options := dict(options)) else False
    options |= {"degrees": degrees, "frontier_edges": frontier_edges}
    ids, now = list(range(num_nodes)), set(edges)

    def label(node):
        return node % 3 if num_nodes > 2 else 0

    def from_scratch():
        graph = Graph.from_edges(sorted(now), nodes=ids)
        return encode(graph, radius, labels=[label(node) for node in ids] if labeled else None, **options)

    updated = from_scratch()
    for added, removed in batches:
        fresh = list(dict.fromkeys(node for edge in added for node in edge if node not in ids))
        updated = updated.update(added, removed, labels={n: label(n) for n in fresh} if labeled else None)
        ids += fresh
        now = (now - set(removed)) | set(added)

    expected = from_scratch()
    assert [updated[node] for node in ids] == [expected[node] for node in ids]
    assert_same(updated, expected)


@pytest.mark.parametrize("degrees", ["total", "layered", "full"])
@pytest.mark.parametrize("options", [{}, {"frontier_edges": False, "degree_bins": "log"}, {"max_degree": 3}])
def test_an_edge_that_many_distances_hang_on_is_updated_exactly(degrees, options):
    # Without the edge 0-1 between two stars, each of the 82 nodes sees 41 fewer.
    stars = [(hub, leaf) for hub in (0, 1) for leaf in range(2 + 40 * hub, 42 + 40 * hub)]
    labels = [node % 3 for node in range(82)]
    joined = encode(Graph.from_edges([(0, 1), *stars], 82), (2, 3), degrees=degrees, labels=labels, **options)

    apart = joined.update(removed=[(0, 1)])

    assert_same(apart, encode(Graph.from_edges(stars, 82), (2, 3), degrees=degrees, labels=labels, **options))
    assert_same(apart.update(added=[(0, 1)]), joined)


@pytest.mark.parametrize("limit", [None, 1])
def test_the_papers_columns_follow_the_largest_degree(limit):
    start = encode(named.path(4), 1, layout="paper", max_degree=limit)

    grown = start.update(added=[(0, 2), (0, 3)])
    shrunk = grown.update(removed=[(0, 2), (0, 3), (1, 2)])
    emptied = shrunk.update(removed=[(0, 1), (2, 3)])

    complete_but_one = Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 2), (0, 3)], 4)
    assert_same(grown, encode(complete_but_one, 1, layout="paper", max_degree=limit))
    assert_same(shrunk, encode(Graph.from_edges([(0, 1), (2, 3)], 4), 1, layout="paper", max_degree=limit))
    assert_same(emptied, encode(Graph.from_edges([], 4), 1, layout="paper", max_degree=limit))


def test_closing_a_path_makes_a_triangle():
    before = encode(named.path("abc"), 1)

    after = before.update(added=[("c", "a")])

    assert after["a"] == after["b"] == after["c"] == {(0, 2): 1, (1, 2): 2}
    assert after.columns == [(0, 2), (1, 2)]
    assert before["a"] == {(0, 1): 1, (1, 1): 1}


def test_new_nodes_get_rows_in_order_of_appearance():
    after = encode(named.path("abc"), 1).update(added=[("c", "x"), ("y", "a"), ("z", "z")])

    assert after.nodes.tolist() == ["a", "b", "c", "x", "y", "z"]
    assert after["x"] == {(0, 1): 1, (1, 1): 1}
    assert after["z"] == {(0, 0): 1}
    assert after.graph.info.loops_dropped == 1
    assert len(after) == 6


def test_numbers_that_continue_the_rows_stay_the_rows():
    after = encode(named.path(3), 1).update(added=[(2, 3), (3, 4)])

    assert after.graph.nodes is None
    assert_same(after, encode(named.path(5), 1))


def test_only_chosen_roots_keep_rows():
    chosen = encode(named.cycle(6), 2, roots=[4, 0, 4])

    updated = chosen.update(added=[(0, 3), (3, 9)], removed=[(4, 5)])

    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (0, 3), (3, 9)]
    expected = encode(Graph.from_edges(edges, nodes=[0, 1, 2, 3, 4, 5, 9]), 2, roots=[4, 0, 4])
    assert_same(updated, expected)


def test_directed_graphs_are_encoded_again():
    arcs = [("a", "b"), ("b", "c"), ("c", "a")]
    for directed in ("out", "in"):
        updated = encode(arcs, 2, directed=directed).update(added=[("a", "c")], removed=[("c", "a")])

        expected = encode([("a", "b"), ("b", "c"), ("a", "c")], 2, directed=directed)
        assert_same(updated, expected)


ARCS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25)


@settings(max_examples=200, deadline=None)
@given(
    ARCS,
    ARCS,
    st.sampled_from(["out", "in"]),
    st.sampled_from(
        [
            egonet.Settings(1),
            egonet.Settings((2, 1), degrees="full"),
            egonet.Settings(1, degrees="in_out"),
            egonet.Settings(2, degrees="in_out", follow="out", degree_bins="log"),
            egonet.Settings(1, degrees="in_out", follow="in", max_degree=1),
        ]
    ),
    st.booleans(),
    st.data(),
)
def test_rows_near_changed_arcs_are_those_of_the_changed_graph(arcs, added, directed, counted, labeled, data):
    """Most of the 30 nodes are far from every change, so that rows are taken over."""
    arcs = {arc for arc in arcs if arc[0] != arc[1]} | {(20 + i, 21 + i) for i in range(8)}
    removed = data.draw(st.lists(st.sampled_from(sorted(arcs)), unique=True, max_size=3))
    added = [arc for arc in added if arc not in removed][:3]
    labels = [node % 2 for node in range(30)] if labeled else None
    before = encode(
        Graph.from_edges(sorted(arcs), nodes=range(30), directed=directed), counted, labels=labels
    )

    after = before.update(added=added, removed=removed)

    left = [arc for arc in sorted(arcs) if arc not in removed] + added
    changed = Graph.from_edges(left, nodes=range(30), directed=directed)
    assert_same(after, encode(changed, counted, labels=labels))
    again = after.update(added=[(29, 0), (0, 40)], labels={40: 1} if labeled else None)
    more = Graph.from_edges([*left, (29, 0), (0, 40)], nodes=[*range(30), 40], directed=directed)
    assert_same(again, encode(more, counted, labels=None if labels is None else [*labels, 1]))


def test_chosen_roots_of_a_directed_graph_keep_their_rows():
    arcs = [(node, node + 1) for node in range(40)]
    before = encode(Graph.from_edges(arcs, directed="out"), 2, roots=[7, 30, 7, 3])

    after = before.update(added=[(8, 3)], removed=[(30, 31)])

    left = [arc for arc in arcs if arc != (30, 31)] + [(8, 3)]
    changed = Graph.from_edges(left, nodes=range(41), directed="out")
    assert_same(after, encode(changed, 2, roots=[7, 30, 7, 3]))


def test_a_label_never_seen_before_is_taken_in():
    updated = encode(named.path("ab"), 1, labels=["N", "O"]).update([("b", "c")], labels={"c": "C"})

    assert_same(updated, encode(named.path("abc"), 1, labels=["N", "O", "C"]))
    assert updated["c"] == {(0, 1, "C"): 1, (1, 1, "O"): 1}


def test_a_batch_that_is_too_large_is_encoded_again(monkeypatch):
    monkeypatch.setattr(update_module, "MIN_LOOKS", 3)

    updated = encode(named.cycle(8), 2).update(added=[(0, 4)])

    assert type(updated) is egonet.Encoding
    assert_same(updated, encode(Graph.from_edges([*((v, (v + 1) % 8) for v in range(8)), (0, 4)], 8), 2))


def test_many_updates_in_a_row_are_merged_now_and_then(monkeypatch):
    monkeypatch.setattr(update_module, "MIN_PATCH", 20)
    updated = encode(Graph.from_edges([], 30), 2)

    for v in range(29):
        updated = updated.update(added=[(v, v + 1)])

    assert_same(updated, encode(named.path(30), 2))


def test_everything_an_encoding_can_do_works_after_an_update():
    updated = encode(named.path("abc"), 1).update(added=[("c", "a")])

    assert repr(updated) == "Encoding(num_rows=3, num_columns=2, radius=1, degrees='total')"
    assert updated.classes.tolist() == [0, 0, 0]
    assert updated.part(0).nodes.tolist() == ["a", "b", "c"]
    assert updated.to_dense().tolist() == [[1, 2]] * 3
    with pytest.raises(UnknownNodeError, match="no row belongs to node 'd'"):
        updated["d"]


@pytest.mark.parametrize("again", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy])
def test_copies_and_pickles_can_be_updated_further(again):
    start = encode(named.path("abc"), 1)
    updated = start.update(added=[("c", "a")])

    assert_same(again(updated), updated)
    assert again(updated).update(removed=[("c", "a")])["b"] == {(0, 2): 1, (1, 1): 2}
    assert again(start).update(added=[("c", "a")])["b"] == {(0, 2): 1, (1, 2): 2}


@pytest.mark.parametrize(
    ("added", "removed"),
    [
        ([(0, 2), (2, 0)], [(1, 2), (2, 1)]),
        (((0, 2), [0, 2]), ((1, 2),)),
        (iter([(0, 2)]), iter([(2, 1)])),
        (np.array([[0, 2]]), np.array([[1, 2]])),
        ([(np.int64(0), np.int32(2)), (1, 1), (0, 1)], [(np.int64(2), 1)]),
        ({(0, 2): "weight"}, {(1, 2)}),
    ],
)
def test_edges_may_come_twice_and_in_any_container(added, removed):
    updated = encode(named.path(4), 2).update(added, removed)

    assert_same(updated, encode(Graph.from_edges([(0, 1), (2, 3), (0, 2)], 4), 2))


def test_an_edge_between_new_nodes_is_added_and_removed():
    grown = encode(named.path("ab"), 2).update(added=[("b", "c"), ("c", "d")])

    shrunk = grown.update(removed=[("d", "c")])

    assert shrunk["a"] == {(0, 1): 1, (1, 2): 1, (2, 1): 1}
    assert shrunk["d"] == {(0, 0): 1}
    assert_same(shrunk.update(added=[("c", "d")]), grown)


def test_one_edge_of_facebook_gives_what_the_whole_graph_gives(data_folder):
    pairs = np.loadtxt(data_folder / "facebook" / "Facebook.edgelist", dtype=np.int64, usecols=(0, 1))
    graph = Graph.from_edges(pairs, num_nodes=int(pairs.max()) + 1)
    edge = pairs[31_415]

    updated = encode(graph, 2).update(removed=[edge.tolist()])

    kept = pairs[(pairs != edge).any(axis=1)]
    assert_same(updated, encode(Graph.from_edges(kept, graph.num_nodes), 2))


def test_a_new_node_brings_a_label_that_is_known():
    before = encode(named.path("ab"), 1, labels=["x", "y"])

    after = before.update(added=[("b", "c")], labels={"c": "x"})

    fresh = encode(named.path("abc"), 1, labels=["x", "y", "x"])
    assert {node: after[node] for node in "abc"} == {node: fresh[node] for node in "abc"}
    # The end c sees itself, labeled x with one neighbor, and b, labeled y with one inside the ego-network.
    assert after["c"] == {(0, 1, "x"): 1, (1, 1, "y"): 1}


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


@pytest.mark.parametrize("directed", ["out", "in"])
def test_arcs_that_go_are_those_that_were_named(directed):
    arcs = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]
    before = encode(egonet.Graph.from_edges(arcs, directed=directed), 1)

    after = before.update(added=[("a", "c")], removed=[("b", "a"), ("b", "c")])

    fresh = encode(egonet.Graph.from_edges([("a", "b"), ("c", "a"), ("a", "c")], directed=directed), 1)
    assert {node: after[node] for node in "abc"} == {node: fresh[node] for node in "abc"}


def test_removed_edges_are_the_named_ones_if_all_rows_are_counted_again():
    before = encode(named.complete(4), 1, rooted="edge")

    after = before.update(removed=[(0, 2), (1, 3)])

    # What is left of the complete graph is the square 0-1-2-3.
    fresh = encode(named.cycle(4), 1, rooted="edge")
    assert {node: after[node] for node in range(4)} == {node: fresh[node] for node in range(4)}


def test_what_updates_merge_is_added_up():
    first = encode(named.path("abc"), 1).update(added=[("a", "c"), ("a", "c")])

    second = first.update(added=[("c", "d"), ("d", "c"), ("c", "d")])

    assert (first.graph.info.duplicates_merged, second.graph.info.duplicates_merged) == (1, 3)


PATH = named.path("abc")


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

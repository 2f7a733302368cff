"""degrees="in_out" in every front end: keys by in- and out-degree, on a graph read with its direction."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet.errors import InputError
from egonet.graph.graph import Graph

#: a pays b, b pays c, d pays b.
PAYMENTS = [("a", "b"), ("b", "c"), ("d", "b")]


def test_keys_have_both_degrees_and_balls_follow_arcs_either_way():
    encoding = egonet.encode(PAYMENTS, radius=1, degrees="in_out")

    assert encoding["b"] == {(0, 2, 1): 1, (1, 0, 1): 2, (1, 1, 0): 1}
    assert encoding["c"] == {(0, 1, 0): 1, (1, 0, 1): 1}
    assert encoding.feature_names[0] == "r1_d0_in0_out1"


def test_follow_says_which_arcs_distances_go_along():
    out = egonet.encode(PAYMENTS, radius=1, degrees="in_out", follow="out")
    into = egonet.encode(PAYMENTS, radius=1, degrees="in_out", follow="in")

    assert out["b"] == {(0, 0, 1): 1, (1, 1, 0): 1}
    assert into["b"] == {(0, 2, 0): 1, (1, 0, 1): 2}


@pytest.mark.parametrize("directed", ["out", "in"])
def test_how_the_graph_stores_its_arcs_does_not_matter(directed):
    stored = Graph.from_edges(PAYMENTS, directed=directed)

    encoding = egonet.encode(stored, radius=2, degrees="in_out", follow="out")

    expected = egonet.encode(PAYMENTS, radius=2, degrees="in_out", follow="out")
    assert (encoding.matrix != expected.matrix).nnz == 0
    assert encoding.columns == expected.columns


def test_inputs_of_every_kind_keep_their_arcs_without_a_warning():
    index = np.array([[0, 1, 3], [1, 2, 1]])

    for given_ in (index, nx.DiGraph(PAYMENTS), [index, index]):
        assert egonet.encode(given_, 1, degrees="in_out").settings.degrees == "in_out"


def test_an_undirected_graph_has_no_in_and_out():
    with pytest.raises(
        InputError, match=r'^degrees="in_out" counts arcs, but the graph was read as undirected'
    ):
        egonet.encode(Graph.from_edges(PAYMENTS), 1, degrees="in_out")
    with pytest.raises(InputError, match="an undirected networkx graph has no arcs"):
        egonet.encode(nx.Graph(PAYMENTS), 1, degrees="in_out")
    with pytest.raises(InputError, match=r"counts arcs\. Leave directed=False out"):
        egonet.encode(PAYMENTS, 1, degrees="in_out", directed=False)


def test_follow_needs_in_out():
    with pytest.raises(InputError, match='follow is for degrees="in_out", got follow="out" with degrees='):
        egonet.Settings(1, follow="out")


def test_histograms_need_undirected_graphs():
    with pytest.raises(InputError, match="need an undirected graph"):
        egonet.Settings(1, degrees="in_out", common=True)


def test_the_gpu_and_stores_raise_with_a_sentence(tmp_path):
    with pytest.raises(
        InputError,
        match=r'^a GPU does not support degrees="in_out"\. Leave it out, or leave device="cuda" out\.$',
    ):
        egonet.encode(PAYMENTS, 1, degrees="in_out", device="cuda")
    with pytest.raises(InputError, match=r'^a store does not support degrees="in_out"\.'):
        egonet.store.encode(PAYMENTS, tmp_path / "store", radius=1, degrees="in_out", directed="out")


def test_a_memory_limit_is_predicted():
    with pytest.raises(egonet.errors.MemoryLimitError, match="above the memory_limit"):
        egonet.encode(PAYMENTS, 1, degrees="in_out", memory_limit=10)


def test_an_encoding_is_saved_and_used_as_a_vocabulary(tmp_path):
    encoding = egonet.encode(PAYMENTS, radius=1, degrees="in_out", follow="out")
    encoding.save(tmp_path / "payments.npz", graph=True)

    loaded = egonet.load(tmp_path / "payments.npz")
    again = egonet.encode([("x", "y")], vocabulary=loaded)

    assert loaded["b"] == encoding["b"]
    assert again.settings.follow == "out"
    assert again["x"] == {(0, 0, 1): 1, (1, 1, 0): 1}


def test_explain_names_both_degrees():
    text = str(egonet.explain(PAYMENTS, "b", radius=1, degrees="in_out"))

    assert "in 2, out 1" in text
    with pytest.raises(InputError, match="drawings show degrees"):
        egonet.explain(PAYMENTS, "b", radius=1, degrees="in_out").plot()


arcs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=25)


@given(arcs, arcs, st.sampled_from(["any", "out", "in"]), st.sampled_from(["out", "in"]), st.integers(0, 3))
@settings(max_examples=60)
def test_updates_equal_encoding_the_changed_graph(before, added, follow, directed, radius):
    nodes = list(range(8))
    graph = Graph.from_edges(before, nodes=nodes, directed=directed)
    removed = [arc for arc in dict.fromkeys(before) if arc[0] != arc[1] and arc not in added][:3]
    how = {"radius": radius, "degrees": "in_out", "follow": follow}

    updated = egonet.encode(graph, **how).update(added=added, removed=removed)

    kept = [arc for arc in before if arc not in removed]
    expected = egonet.encode(Graph.from_edges(kept + added, nodes=nodes, directed=directed), **how)
    assert updated.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert updated.columns == expected.columns


def test_a_cap_keeps_some_arcs_each_way():
    rng = np.random.default_rng(1)
    graph = Graph.from_indices(*rng.integers(0, 30, (2, 400)), 30, directed="out")

    encoding = egonet.encode(graph, radius=1, degrees="in_out", cap=3)

    largest = encoding.vocabulary.keys[:, 2:].max(axis=0)
    assert largest.tolist() == [3, 3]
    assert encoding.feature_names[0].startswith("cap3_r1_d0_in")


def test_a_cap_chooses_the_same_arcs_however_they_are_stored():
    pairs = np.random.default_rng(2).integers(0, 20, (150, 2))
    one, other = (Graph.from_edges(pairs, 20, directed=way) for way in ("out", "in"))

    first, second = (egonet.encode(graph, 1, degrees="in_out", cap=2) for graph in (one, other))

    assert (first.matrix != second.matrix).nnz == 0


@pytest.mark.parametrize("many", [False, True])
def test_a_graph_with_arcs_is_not_silently_kept_directed(many):
    arcs = egonet.as_graph([(0, 1), (1, 2)], directed="out")

    with pytest.raises(InputError, match='was read as directed="out", got directed=False'):
        egonet.encode([arcs, arcs] if many else arcs, 1, directed=False)

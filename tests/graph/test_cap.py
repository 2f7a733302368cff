"""A capped graph: few edges a node, the same ones whatever computes it."""

import numpy as np
import pytest

import egonet
from egonet import Graph, encode, named, store
from egonet.errors import InputError
from egonet.graph import sparsify as cap_module
from egonet.graph.sparsify import capped


def hubs():
    rng = np.random.default_rng(3)
    return Graph.from_edges(rng.zipf(1.6, (4_000, 2)) % 400, 400)


def test_no_node_has_more_edges_and_both_ends_agree():
    graph = hubs()

    small = capped(graph, 5)

    assert graph.degrees.max() > 50
    assert small.degrees.max() == 5
    arcs = set(zip(np.repeat(np.arange(400), small.degrees).tolist(), small.indices.tolist(), strict=True))
    assert all((v, u) in arcs for u, v in arcs)
    assert all(v in graph.neighbors(u) for u, v in arcs)


def test_the_choice_does_not_depend_on_how_the_graph_is_cut(monkeypatch):
    whole = capped(hubs(), 5)
    monkeypatch.setattr(cap_module, "STRETCH", 100)

    assert capped(hubs(), 5).indices.tobytes() == whole.indices.tobytes()


def test_a_cap_above_every_degree_changes_nothing_but_the_names():
    exact, same = encode(named.karate_club(), 2), encode(named.karate_club(), 2, cap=17)

    assert same.matrix.toarray().tolist() == exact.matrix.toarray().tolist()
    assert same.feature_names[0] == "cap17_" + exact.feature_names[0]
    assert same.vocabulary.settings != exact.vocabulary.settings


def test_it_is_the_encoding_of_the_capped_graph_in_memory_and_on_disk(tmp_path):
    expected = encode(capped(hubs(), 5), 2)

    assert encode(hubs(), 2, cap=5).matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    stored = store.encode(hubs(), tmp_path / "out", 2, cap=5)
    assert stored.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert stored.manifest["settings"]["cap"] == 5
    assert [path.name for path in (tmp_path / "out").glob(".*") if path.name != ".lock"] == []


def test_what_a_cap_cannot_do_is_refused():
    with pytest.raises(InputError, match="cap must be at least 1, got 0"):
        encode(hubs(), 2, cap=0)
    with pytest.raises(InputError, match="this graph is directed"):
        encode([("a", "b")], 1, cap=3, directed="out")
    with pytest.raises(InputError, match="with cap a new edge may drive out others"):
        egonet.encode(hubs(), 1, cap=3).update([(0, 399)])

"""A cap on the edges of a node, chosen by a hash."""

import numpy as np
import pytest

import egonet
from egonet import Graph, encode, named, store
from egonet.errors import InputError
from egonet.graph import cap as sparsify
from egonet.graph.cap import cap_edges


def splitmix(low, high):
    """The hash of an edge, in whole numbers of Python: the SplitMix64 finaliser of both ends in 64 bits."""
    mixed, mask = (low << 32 | high) + 0x9E3779B97F4A7C15, 2**64 - 1
    mixed = ((mixed & mask) ^ ((mixed & mask) >> 30)) * 0xBF58476D1CE4E5B9 & mask
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & mask
    return mixed ^ (mixed >> 31)


def hubs():
    rng = np.random.default_rng(3)
    return Graph.from_edges(rng.zipf(1.6, (4_000, 2)) % 400, 400)


def test_a_hub_keeps_the_edges_with_the_smallest_hashes():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 40)], 40)

    kept = sorted(sorted(range(1, 40), key=lambda leaf: splitmix(0, leaf))[:7])

    assert cap_edges(star, 7).neighbors(0) == kept


def test_a_complete_graph_is_capped_from_both_ends():
    graph = named.complete(12)

    def chosen(v):
        return sorted((u for u in range(12) if u != v), key=lambda u: splitmix(min(u, v), max(u, v)))[:4]

    found = cap_edges(graph, 4)
    for v in range(12):
        assert found.neighbors(v) == [u for u in range(12) if u in chosen(v) and v in chosen(u)]


def test_the_hash_of_an_edge_is_that_of_splitmix():
    graph = named.cycle(5)

    rows, hashes = sparsify._hashes(graph.indptr, graph.indices, 0, 5)

    arcs = list(zip(rows.tolist(), graph.indices.tolist(), strict=True))
    assert hashes.tolist() == [splitmix(min(arc), max(arc)) for arc in arcs]


def test_a_cap_beyond_every_whole_number_keeps_everything():
    star = egonet.Graph.from_edges([(0, leaf) for leaf in range(1, 5)], 5)

    assert (egonet.encode(star, 1, cap=10**30).matrix != egonet.encode(star, 1, cap=9).matrix).nnz == 0


def test_no_node_has_more_edges_and_both_ends_agree():
    graph = hubs()

    small = cap_edges(graph, 5)

    assert graph.degrees.max() > 50
    assert small.degrees.max() == 5
    arcs = set(zip(np.repeat(np.arange(400), small.degrees).tolist(), small.indices.tolist(), strict=True))
    assert all((v, u) in arcs for u, v in arcs)
    assert all(v in graph.neighbors(u) for u, v in arcs)


def test_the_choice_does_not_depend_on_how_the_graph_is_cut(monkeypatch):
    whole = cap_edges(hubs(), 5)
    monkeypatch.setattr(sparsify, "CHUNK_ARCS", 100)

    assert cap_edges(hubs(), 5).indices.tobytes() == whole.indices.tobytes()


def test_a_cap_above_every_degree_changes_nothing_but_the_names():
    exact, same = encode(named.karate_club(), 2), encode(named.karate_club(), 2, cap=17)

    assert same.matrix.toarray().tolist() == exact.matrix.toarray().tolist()
    assert same.feature_names[0] == "cap17_" + exact.feature_names[0]
    assert same.vocabulary.settings != exact.vocabulary.settings


def test_it_is_the_encoding_of_the_capped_graph_in_memory_and_on_disk(tmp_path):
    expected = encode(cap_edges(hubs(), 5), 2)

    assert encode(hubs(), 2, cap=5).matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    stored = store.encode(hubs(), tmp_path / "out", 2, cap=5)
    assert stored.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert stored.manifest["settings"]["cap"] == 5
    assert [path.name for path in (tmp_path / "out").glob(".*") if path.name != ".lock"] == []


def test_what_a_cap_cannot_do_raises():
    with pytest.raises(InputError, match="cap must be at least 1, got 0"):
        encode(hubs(), 2, cap=0)
    with pytest.raises(InputError, match="with cap a new edge may displace others"):
        egonet.encode(hubs(), 1, cap=3).update([(0, 399)])

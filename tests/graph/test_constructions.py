"""Families have as many graphs as are known, all different, and files give what they hold."""

import networkx as nx
import numpy as np
import pytest

from egonet import Graph, named
from egonet.errors import InputError, MissingFileError
from experiments.expressivity.bits import canonical_bits, from_bits, to_bits
from experiments.expressivity.constructions import cfi_pair, complement, cone, cone_pair, sr25, triangular
from experiments.expressivity.families import brec, exp, graph8c, small_graphs, trees


@pytest.mark.parametrize(("size", "count"), list(enumerate([1, 1, 2, 4, 11, 34, 156, 1044])))
def test_all_graphs_up_to_seven_nodes(size, count):
    assert len(small_graphs(size)) == count


@pytest.mark.parametrize(("size", "count"), list(enumerate([1, 1, 2, 6, 21, 112, 853], start=1)))
def test_all_connected_graphs(size, count):
    assert len(small_graphs(size, connected=True)) == count


def test_graph8c_is_the_published_family(data_folder):
    ours = canonical_bits(graph8c())
    published = [named.from_graph6(line) for line in (data_folder / "graph8c/graph8c.g6").read_text().split()]

    assert len(ours) == 11_117
    assert {row.tobytes() for row in ours} == {row.tobytes() for row in canonical_bits(published)}


@pytest.mark.parametrize(
    ("size", "count"), list(enumerate([1, 1, 1, 2, 3, 6, 11, 23, 47, 106, 235, 551], start=1))
)
def test_all_trees(size, count):
    assert len(trees(size)) == count


def test_sr25_is_the_published_family(data_folder):
    ours = canonical_bits(sr25())
    published = [named.from_graph6(line) for line in (data_folder / "sr25/sr251256.g6").read_text().split()]

    assert {row.tobytes() for row in ours} == {row.tobytes() for row in canonical_bits(published)}


def parameters(graph):
    """Return (n, d, common neighbors of neighbors, of others) of a strongly regular graph."""
    adjacent = np.zeros((graph.num_nodes, graph.num_nodes), dtype=int)
    adjacent[np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices] = 1
    shared = adjacent @ adjacent
    others = (1 - adjacent) * (1 - np.eye(graph.num_nodes, dtype=int))
    found = [set(shared[mask.astype(bool)].tolist()) for mask in (adjacent, others)]
    degrees = set(graph.degrees.tolist())
    assert all(len(values) == 1 for values in (*found, degrees))
    return (graph.num_nodes, degrees.pop(), found[0].pop(), found[1].pop())


def test_strongly_regular_graphs_have_their_parameters():
    assert {parameters(graph) for graph in sr25()} == {(25, 12, 5, 6)}
    assert parameters(triangular(7)) == (21, 10, 5, 4)
    assert parameters(complement(triangular(7))) == (21, 10, 3, 6)


def test_figure_2_is_regular_and_cospectral():
    spectra = []
    for graph in named.figure2():
        assert set(graph.degrees.tolist()) == {4}
        matrix = np.zeros((10, 10))
        matrix[np.repeat(np.arange(10), 4), graph.indices] = 1
        spectra.append(np.linalg.eigvalsh(matrix))

    assert np.allclose(*spectra)
    assert (canonical_bits([named.figure2()[0]]) != canonical_bits([named.figure2()[1]])).any()


def test_a_cone_has_an_apex():
    assert cone(named.cycle(4)).degrees.tolist() == [3, 3, 3, 3, 4]
    with pytest.raises(InputError, match="need 8 nodes or more, got 7"):
        cone_pair(7)


def test_cfi_graphs_of_a_cycle_are_one_and_two_rings():
    plain, twisted = (nx.Graph(list(_edges(graph))) for graph in cfi_pair(named.cycle(3)))

    assert sorted(map(len, nx.connected_components(plain))) == [9, 9]
    assert sorted(map(len, nx.connected_components(twisted))) == [18]


def _edges(graph):
    return (
        (v, u)
        for v in range(graph.num_nodes)
        for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
    )


@pytest.mark.parametrize("size", [5, 9, 20, 40])
def test_renamed_copies_have_one_canonical_form_and_others_another(size):
    rng = np.random.default_rng(size)
    pairs = np.argwhere(np.triu(rng.random((size, size)) < 0.3, 1))
    order = rng.permutation(size)
    first, second = Graph.from_edges(pairs, size), Graph.from_edges(order[pairs], size)
    other = Graph.from_edges(pairs[1:], size)

    forms = canonical_bits([first, second, other])

    assert (forms[0] == forms[1]).all()
    assert (forms[0] != forms[2]).any()
    assert nx.is_isomorphic(nx.Graph(list(_edges(from_bits(forms[:1])[0]))), nx.Graph(list(_edges(first))))


def test_bits_and_graphs_are_the_same_thing():
    graph = named.petersen()

    back = from_bits(to_bits([graph]))[0]

    assert back.indptr.tolist() == graph.indptr.tolist()
    assert back.indices.tolist() == graph.indices.tolist()


def test_benchmarks_hold_as_many_pairs_as_published(data_folder):
    assert exp(data_folder).num_pairs == 600
    pairs = brec(data_folder)
    assert pairs.num_pairs == 400
    assert sum(last - first for first, last in pairs.categories.values()) == 400


def test_without_a_data_folder_the_message_names_the_file(monkeypatch, tmp_path):
    monkeypatch.delenv("EGONET_DATA", raising=False)

    with pytest.raises(MissingFileError, match=r"exp/exp\.g6 is read from a data folder\. Set EGONET_DATA"):
        exp()
    with pytest.raises(MissingFileError, match=r"there is no brec/brec_pairs\.g6 in the data folder"):
        brec(tmp_path)


def test_sizes_beyond_the_families_raise():
    with pytest.raises(InputError, match="small graphs have 0 to 10 nodes, got 11"):
        small_graphs(11)
    with pytest.raises(InputError, match="trees have 1 to 16 nodes here, got 0"):
        trees(0)

"""Families have as many graphs as are known, all different."""

import networkx as nx
import numpy as np
import pytest

from egonet import named
from egonet.errors import InputError
from egonet.graph.bits import canonical_bits
from egonet.graph.constructions import (
    cfi_pair,
    complement,
    cone,
    cone_pair,
    small_graphs,
    sr25,
    trees,
    triangular,
)


@pytest.mark.parametrize(("size", "count"), list(enumerate([1, 1, 2, 4, 11, 34, 156, 1044])))
def test_all_graphs_up_to_seven_nodes(size, count):
    assert len(small_graphs(size)) == count


@pytest.mark.parametrize(("size", "count"), list(enumerate([1, 1, 2, 6, 21, 112, 853], start=1)))
def test_all_connected_graphs(size, count):
    assert len(small_graphs(size, connected=True)) == count


@pytest.mark.parametrize(
    ("size", "count"), list(enumerate([1, 1, 1, 2, 3, 6, 11, 23, 47, 106, 235, 551], start=1))
)
def test_all_trees(size, count):
    assert len(trees(size)) == count


def test_connected_graphs_of_eight_nodes_are_the_published_family(data_folder):
    ours = canonical_bits(small_graphs(8, connected=True))
    published = [named.from_graph6(line) for line in (data_folder / "graph8c/graph8c.g6").read_text().split()]

    assert len(ours) == 11_117
    assert {row.tobytes() for row in ours} == {row.tobytes() for row in canonical_bits(published)}


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


def test_sizes_beyond_the_families_raise():
    with pytest.raises(InputError, match="num_nodes must be at most 10, got 11"):
        small_graphs(11)
    with pytest.raises(InputError, match="num_nodes must be a whole number >= 1, got 0"):
        trees(0)


def _edges(graph):
    return (
        (v, u)
        for v in range(graph.num_nodes)
        for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
    )

"""Canonical forms are equal if and only if graphs are isomorphic."""

import networkx as nx
import numpy as np
import pytest

from egonet import Graph, named
from egonet.graph.bits import canonical_bits, from_bits, to_bits


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


def _edges(graph):
    return (
        (v, u)
        for v in range(graph.num_nodes)
        for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
    )

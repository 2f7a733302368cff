"""Exact isomorphism by igraph and by networkx, with labels of nodes and types of edges."""

import builtins
import importlib
import sys

import networkx as nx
import numpy as np
import pytest

from egonet import Graph, as_graph, named
from egonet.wl import isomorphism as module
from egonet.wl.compare import equivalent
from egonet.wl.isomorphism import isomorphic

CYCLE, ARCS = named.cycle(4), Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], directed="out")
HEXAGON = named.cycle(6)
TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


@pytest.mark.parametrize(("first", "second"), [(CYCLE, ARCS), (ARCS, CYCLE)])
def test_a_directed_graph_is_never_an_undirected_one(first, second):
    both = Graph.from_edges([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)], directed="out")

    assert not isomorphic(CYCLE, both)
    assert not isomorphic(both, CYCLE)
    assert isomorphic(ARCS, ARCS)
    assert not isomorphic(first, second)


@pytest.fixture(params=["igraph", "networkx"])
def package(request, need, monkeypatch):
    need(request.param)
    if request.param == "networkx":
        monkeypatch.setitem(sys.modules, "igraph", None)
    return request.param


@pytest.mark.usefixtures("package")
def test_a_hexagon_is_a_hexagon_and_not_two_triangles():
    assert isomorphic(HEXAGON, Graph.from_edges([("f", "a"), *zip("abcde", "bcdef", strict=True)]))
    assert not isomorphic(HEXAGON, TRIANGLES)


@pytest.mark.usefixtures("package")
def test_nodes_without_edges_are_compared():
    one, two = Graph.from_edges([(0, 1)], 3), Graph.from_edges([(1, 2)], 3)

    assert isomorphic(one, two)
    assert isomorphic(Graph.from_edges([], 2), Graph.from_edges([], 2))
    assert not isomorphic(one, Graph.from_edges([(0, 1)], 4))


@pytest.mark.usefixtures("package")
def test_arcs_are_compared_with_their_direction():
    around = Graph.from_edges([(0, 1), (1, 2), (2, 0)], directed="out")
    other_way = Graph.from_edges([(1, 0), (2, 1), (0, 2)], directed="out")
    # Out-degrees 1, 1, 1 as well, but two of the arcs are one edge there and back.
    back = Graph.from_edges([(0, 1), (1, 0), (2, 0)], directed="out")

    assert isomorphic(around, other_way)
    assert not isomorphic(around, back)


@pytest.mark.parametrize("directed", [None, "out"])
@pytest.mark.parametrize("package", ["igraph", "networkx"])
def test_both_packages_decide_isomorphism(package, directed, need, monkeypatch):
    need(package)
    real = importlib.import_module
    monkeypatch.setattr(
        module.importlib,
        "import_module",
        lambda name: real(name) if name == package else builtins.__import__("no such package"),
    )
    first, second, other = (
        Graph.from_edges(edges, 4, directed=directed)
        for edges in ([(0, 1), (1, 2), (2, 3)], [(3, 0), (0, 2), (2, 1)], [(0, 1), (0, 2), (0, 3)])
    )

    assert isomorphic(first, second)
    assert not isomorphic(first, other)


def random_labeled(rng, num_nodes=6):
    """Return edges, node labels and edge types of a small random graph."""
    edges = [(u, v) for u in range(num_nodes) for v in range(u) if rng.random() < 0.4]
    return edges, rng.integers(2, size=num_nodes).tolist(), rng.integers(2, size=len(edges)).tolist()


def by_networkx(first, second, *, directed):
    """Return whether networkx matches two graphs with labels."""
    made = []
    for edges, labels, types in (first, second):
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from((node, {"label": label}) for node, label in enumerate(labels))
        graph.add_edges_from((u, v, {"type": kind}) for (u, v), kind in zip(edges, types, strict=True))
        made.append(graph)
    return nx.is_isomorphic(*made, node_match=dict.__eq__, edge_match=dict.__eq__)


@pytest.mark.parametrize("directed", [None, "out", "in"])
@pytest.mark.usefixtures("package")
def test_labels_and_types_are_matched_as_by_networkx(directed):
    """Copies with one label or type changed, or moved: both answers occur."""
    rng, answers = np.random.default_rng(3), set()
    for _ in range(60):
        edges, labels, types = random_labeled(rng)
        if not edges:
            continue
        order = rng.permutation(len(labels))
        moved = [(int(order[u]), int(order[v])) for u, v in edges]
        other = [labels[i] for i in np.argsort(order)], [*types]
        if rng.random() < 0.5:
            rng.shuffle(other[int(rng.integers(2))])
        graphs = [
            as_graph(each, num_nodes=len(labels), directed=directed, keep=()) for each in (edges, moved)
        ]
        found = equivalent(*graphs, test="exact", labels=[labels, other[0]], edge_labels=[types, other[1]])
        expected = by_networkx((edges, labels, types), (moved, *other), directed=directed is not None)
        assert found == expected
        answers.add(found)

    assert answers == {True, False}

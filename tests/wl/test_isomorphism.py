"""Exact isomorphism by igraph and by networkx."""

import builtins
import importlib
import sys

import pytest

from egonet import Graph, named
from egonet.errors import MissingExtraError
from egonet.wl import isomorphism
from egonet.wl.compare import compare, equivalent
from egonet.wl.isomorphism import isomorphic

CYCLE, ARCS = named.cycle(4), Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], directed="out")


CYCLE, ARCS = named.cycle(4), Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], directed="out")


@pytest.mark.parametrize(("first", "second"), [(CYCLE, ARCS), (ARCS, CYCLE)])
def test_a_directed_graph_is_never_an_undirected_one(first, second):
    both = Graph.from_edges([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)], directed="out")

    assert not isomorphic(CYCLE, both)
    assert not isomorphic(both, CYCLE)
    assert isomorphic(ARCS, ARCS)
    assert not isomorphic(first, second)


HEXAGON = named.cycle(6)


TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


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
        isomorphism.importlib,
        "import_module",
        lambda name: real(name) if name == package else builtins.__import__("no such package"),
    )
    first, second, other = (
        Graph.from_edges(edges, 4, directed=directed)
        for edges in ([(0, 1), (1, 2), (2, 3)], [(3, 0), (0, 2), (2, 1)], [(0, 1), (0, 2), (0, 3)])
    )

    assert isomorphism.isomorphic(first, second)
    assert not isomorphism.isomorphic(first, other)


def test_the_error_without_both_packages_names_the_command(monkeypatch):
    monkeypatch.setattr(isomorphism, "_optional", lambda _: None)

    with pytest.raises(MissingExtraError, match=r'pip install "egonet\[iso\]"'):
        equivalent(named.cycle(3), named.cycle(3), test="exact")
    assert compare(named.cycle(3), named.cycle(3), radius=1).isomorphic is None

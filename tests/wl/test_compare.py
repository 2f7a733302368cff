"""Two graphs compared by every test, with the nodes that make the difference."""

import builtins
import importlib

import pytest

import egonet
from egonet import Graph, named
from egonet.errors import InputError, MissingExtraError
from egonet.wl import isomorphism
from egonet.wl.compare import Witness, compare, equivalent
from experiments.expressivity.constructions import cfi_pair, complement, cone_pair, triangular


def graph6(text):
    return named.from_graph6(text)


def test_decalin_and_bicyclopentyl_differ_from_radius_2_on():
    found = compare(named.decalin(), named.bicyclopentyl())

    assert found["1-WL"].equal
    assert found["total r=1"].equal
    assert found["total r=2"].equal is False
    assert found["total r=2"].witnesses[0] == Witness((2, 0), (0, 5), ())
    assert found.isomorphic is False
    assert found.differ


def test_a_graph_and_its_renamed_copy_are_equal_to_every_test():
    first = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    second = Graph.from_edges([(3, 1), (1, 7), (7, 9), (9, 1)])
    found = compare(first, second, radius=(1, 2))

    assert all(verdict.equal for verdict in found.verdicts)
    assert not found.differ
    assert "different" not in str(found)


def test_the_table_says_which_nodes_differ():
    table = str(compare(named.star(3), named.path(4), radius=1)).splitlines()

    assert table[0] == "4 nodes, 3 edges against 4 nodes, 3 edges"
    assert table[1].split() == ["1-WL", "different", "1", "(0)", "against", "0"]


def test_shrikhande_and_the_rooks_graph_are_first_told_apart_by_r1():
    pair = named.shrikhande(), named.rook_4x4()

    assert equivalent(*pair, test="2-fwl")
    assert all(
        equivalent(*pair, test=kind, radius=(1, 2), refine=True) for kind in ("total", "layered", "full")
    )
    assert not equivalent(*pair, test="R1")
    assert not equivalent(*pair, test="exact")


def test_cfi_graphs_defeat_the_whole_ladder():
    pair = cfi_pair(named.complete(4))

    assert all(equivalent(*pair, test=test) for test in ("1-wl", "2-fwl", "R0", "R1", "R2", "R3"))
    assert not equivalent(*pair, test="exact")


def test_cfi_graphs_of_a_cycle_are_told_apart_by_2fwl():
    plain, twisted = cfi_pair(named.cycle(5))

    assert equivalent(plain, twisted)
    assert not equivalent(plain, twisted, test="2-fwl")


def test_t7_and_its_complement_differ_at_radius_1():
    pair = triangular(7), complement(triangular(7))

    assert equivalent(*pair)
    assert not equivalent(*pair, test="total", radius=1)


def test_figure_2_shows_four_kinds_of_nodes():
    pair = named.figure2()

    assert equivalent(*pair)
    assert not equivalent(*pair, test="total", radius=1)
    assert len(set(egonet.encode(list(pair), radius=1).classes.tolist())) == 4


def test_a_test_without_a_name_is_refused():
    with pytest.raises(InputError, match=r"test must be one of '1-wl'.*got 'gin'"):
        equivalent(named.path(2), named.path(2), test="gin")


def test_1wl_has_no_radius():
    with pytest.raises(InputError, match="test '1-wl' has no radius of its own, got 2"):
        equivalent(named.path(2), named.path(2), radius=2)


def test_exact_isomorphism_takes_neither_radius_nor_refine():
    with pytest.raises(InputError, match="takes neither radius nor refine"):
        equivalent(named.path(2), named.path(2), test="exact", refine=True)


def test_a_verdict_that_is_not_there_is_refused_with_the_names():
    with pytest.raises(InputError, match="no test is called 'wl'; there are 1-WL, 2-FWL"):
        compare(named.path(2), named.path(2), radius=1)["wl"]


def test_directed_graphs_leave_the_rungs_out():
    arcs = Graph.from_edges([(0, 1), (1, 2)], directed="out")

    found = compare(arcs, arcs, radius=1)

    assert found["R1 r=1"].equal is None
    assert found["R1 r=1"].note == "needs undirected graphs"
    assert found.isomorphic


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


def test_without_either_package_the_message_has_the_command(monkeypatch):
    monkeypatch.setattr(isomorphism, "_optional", lambda _: None)

    with pytest.raises(MissingExtraError, match=r'pip install "egonet\[iso\]"'):
        equivalent(named.cycle(3), named.cycle(3), test="exact")
    assert compare(named.cycle(3), named.cycle(3), radius=1).isomorphic is None


@pytest.mark.parametrize("length", [8, 9, 12])
def test_cones_over_paths_split_1wl_from_the_encoding(length):
    pair = cone_pair(length)

    assert not equivalent(*pair)
    assert equivalent(*pair, test="total", radius=tuple(range(1, length)))
    assert not equivalent(*pair, test="total", radius=1, refine=True)

"""The numbers of the expressivity table that are known, computed again."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import egonet
from egonet import disjoint_union, named
from egonet.wl import graph_classes, named_criterion
from research.expressivity.comparison import Contender, distinguished_pairs, equal_pairs
from research.expressivity.families import Pairs, brec, exp, graph8c
from research.expressivity.peers import float_classes

RUNGS = ("R0", "R1", "R2", "R3")


@pytest.fixture(scope="module")
def all_graph8c():
    return disjoint_union(graph8c())


def equal(family, criterion):
    return equal_pairs(graph_classes(criterion.classes(*family), family[1]))


@pytest.mark.parametrize(
    ("test", "radius", "alone", "refined"),
    [
        ("1-wl", None, 312, 312),
        ("total", 1, 3_484, 5),
        ("total", 2, 1_487, 180),
        ("total", 3, 1_586, 186),
        ("total", (1, 2), 0, 0),
        ("layered", 2, 0, 0),
        ("full", 2, 0, 0),
        *((rung, None, 0, 0) for rung in RUNGS),
    ],
)
def test_pairs_of_graph8c_that_stay_equal(all_graph8c, test, radius, alone, refined):
    criterion = named_criterion(test, radius)

    assert equal(all_graph8c, criterion) == alone
    assert equal(all_graph8c, criterion.with_refinement()) == refined


def test_2fwl_leaves_no_pair_of_graph8c_equal(all_graph8c):
    assert equal(all_graph8c, named_criterion("2-fwl")) == 0


def test_pairs_of_graph8c_with_equal_degrees(all_graph8c):
    graph, ptr = all_graph8c

    assert equal_pairs(graph_classes(graph.degrees, ptr)) == 293_364


def test_pairs_of_graph8c_with_equally_many_edges(all_graph8c):
    graph, ptr = all_graph8c

    assert equal_pairs(np.diff(graph.indptr[ptr]) // 2) == 6_242_094


def test_sums_of_features_distinguish_fewer_pairs_of_graph8c_than_multisets(all_graph8c):
    graph, ptr = all_graph8c
    encoding = egonet.encode(graph, 2)
    owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    collect = csr_array((np.ones(len(owner)), (owner, np.arange(len(owner)))))

    sums = {kind: (collect @ encoding.weighted(kind)).toarray() for kind in ("count", "paper")}

    # The paper's Linear row: a linear network sees the sum over nodes of weighted features.
    assert equal_pairs(float_classes(sums["count"])) == 70_846
    assert equal_pairs(float_classes(sums["paper"])) == 1_571


@pytest.mark.parametrize(
    ("test", "radius", "apart"),
    [("total", (1, 2), 0), ("layered", (1, 2), 0), ("full", (1, 2), 0), ("2-fwl", None, 0)]
    + [(rung, None, 105) for rung in RUNGS[1:]],
)
def test_pairs_of_sr25_that_are_distinguished(test, radius, apart):
    assert 105 - equal(disjoint_union(named.sr25()), named_criterion(test, radius)) == apart


@pytest.mark.parametrize(
    ("test", "radius", "apart"), [("1-wl", None, 0), ("total", 1, 0), ("total", 2, 600), ("R1", None, 600)]
)
def test_pairs_of_exp_that_are_distinguished(data_folder, test, radius, apart):
    pairs = exp(data_folder)

    assert distinguished_pairs(Contender("", named_criterion(test, radius)), pairs).sum() == apart


@pytest.mark.parametrize(
    ("test", "radius", "by_category"),
    [
        ("1-wl", None, (0, 0, 0, 0, 0, 0, 0)),
        ("total", 1, (59, 47, 0, 0, 0, 51, 0)),
        ("total", 2, (19, 13, 0, 0, 0, 43, 0)),
        ("full", 2, (60, 49, 0, 0, 0, 90, 0)),
        ("R0", None, (60, 49, 0, 0, 0, 82, 0)),
        ("R1", None, (60, 50, 50, 20, 0, 92, 0)),
        ("R2", None, (60, 50, 50, 20, 0, 96, 0)),
        ("R3", None, (60, 50, 50, 20, 16, 99, 0)),
    ],
)
def test_pairs_of_brec_that_are_distinguished_by_category(data_folder, test, radius, by_category):
    pairs = brec(data_folder)

    apart = distinguished_pairs(Contender("", named_criterion(test, radius)), pairs)

    assert tuple(apart[first:last].sum() for first, last in pairs.categories.values()) == by_category


def test_2fwl_on_the_small_pairs_of_brec(data_folder):
    pairs = brec(data_folder)
    first = Pairs(pairs.graphs[:220], {"Basic and simple regular": (0, 110)})

    assert distinguished_pairs(Contender("", named_criterion("2-fwl"), 1), first).sum() == 110


@pytest.mark.slow
def test_2fwl_distinguishes_270_pairs_of_brec(data_folder):
    assert distinguished_pairs(Contender("", named_criterion("2-fwl"), 1), brec(data_folder)).sum() == 270


@pytest.mark.parametrize(
    ("test", "by_category"),
    [
        ("R4(1, marks=2)", (59, 48, 50, 20, 0, 67, 0)),
        ("R5(1)", (60, 50, 0, 0, 0, 100, 41)),
        ("R5(2)", (60, 50, 50, 20, 18, 100, 80)),
        pytest.param("R4(2, marks=3)", (60, 50, 50, 20, 18, 100, 0), marks=pytest.mark.slow),
        pytest.param("R4(3, marks=3)", (60, 50, 50, 20, 20, 100, 0), marks=pytest.mark.slow),
        pytest.param("R5(3)", (60, 50, 50, 20, 20, 100, 98), marks=pytest.mark.slow),
        pytest.param("R5(4)", (60, 50, 50, 20, 20, 100, 100), marks=pytest.mark.slow),
    ],
)
def test_pairs_of_brec_that_marked_nodes_distinguish(data_folder, test, by_category):
    pairs = brec(data_folder)

    apart = distinguished_pairs(Contender("", named_criterion(test), 1), pairs)

    assert tuple(apart[first:last].sum() for first, last in pairs.categories.values()) == by_category

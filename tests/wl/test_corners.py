"""Tests that are too large to ask, graphs without nodes, and graphs of different kinds."""

import numpy as np
import pytest

from egonet import Graph, named
from egonet.wl import compare as module
from egonet.wl.compare import compare
from egonet.wl.descriptors import graph_classes
from egonet.wl.isomorphism import isomorphic

CYCLE, ARCS = named.cycle(4), Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], directed="out")


def verdicts(first, second):
    return {verdict.test: verdict for verdict in compare(first, second, radius=2).verdicts}


def test_tests_of_too_many_pairs_are_not_asked(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 31)
    monkeypatch.setattr(module, "_MAX_PAIR_ROOTED", 7)

    found = verdicts(CYCLE, CYCLE)

    unasked = {test for test, verdict in found.items() if verdict.note == "too many pairs of nodes"}
    assert "2-FWL" in unasked
    assert any(test.startswith("R3") for test in unasked)
    assert all(found[test].equal is None for test in unasked)


def test_tests_of_as_many_pairs_as_allowed_are_asked(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 32)
    monkeypatch.setattr(module, "_MAX_PAIR_ROOTED", 8)

    assert all(verdict.equal is True for verdict in verdicts(CYCLE, CYCLE).values())


def test_no_nodes_make_graphs_of_one_class():
    assert graph_classes(np.array([], dtype=np.int64), np.array([0, 0, 0])).tolist() == [0, 0]


@pytest.mark.parametrize(("first", "second"), [(CYCLE, ARCS), (ARCS, CYCLE)])
def test_a_directed_graph_is_never_an_undirected_one(first, second):
    both = Graph.from_edges([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)], directed="out")

    assert not isomorphic(CYCLE, both)
    assert not isomorphic(both, CYCLE)
    assert isomorphic(ARCS, ARCS)
    assert not isomorphic(first, second)

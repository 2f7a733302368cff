"""Classes do not depend on the numbering of nodes: the committed figures, and small checks run again."""

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from egonet import named
from egonet.errors import InputError
from egonet.wl import Criterion, isomorphic, named_criterion
from research.expressivity import invariance
from research.expressivity.families import Pairs
from research.expressivity.invariance import (
    BLOCKS,
    Extent,
    all_cells,
    changes,
    different_copies,
    random_graphs,
    read_checks,
    relabeled,
    to_markdown,
)

RESULTS = Path(__file__).parents[3] / "results" / "invariance"


def test_no_committed_check_found_a_class_that_changed():
    lines = read_checks(RESULTS / invariance.FILE)
    drawn = Counter(line["test"] for line in lines if line["graphs"] == "random")

    assert {(line["graphs_changed"], line["nodes_changed"]) for line in lines} == {(0, 0)}
    assert not any(line.get("pairs_apart") for line in lines)
    for test in ("1-WL", "total r=1,2", "R1", "R2", "R3", "R5(2)"):
        known = [line for line in lines if line["test"] == test and line["graphs"] == "BREC"]
        assert len(invariance.relabellings(known)) == drawn[test] == BLOCKS
    for test in ("R5(4)", "R4(2, marks=3)"):
        known = [line for line in lines if line["test"] == test and line["graphs"] == "BREC"]
        assert invariance.relabellings(known) == {block: set(range(20)) for block in range(BLOCKS)}


def test_copies_are_isomorphic_and_numbered_differently():
    graph, rng = named.karate_club(), np.random.default_rng(0)
    copy, order = relabeled(graph, rng)

    assert copy != graph
    assert isomorphic(copy, graph)
    assert copy.degrees[order].tolist() == graph.degrees.tolist()


def test_no_two_copies_have_the_same_edges():
    copies = different_copies(named.path(3), 3, np.random.default_rng(0))

    assert len({graph.indices.tobytes() for graph, _ in copies}) == 3
    with pytest.raises(InputError, match="fewer than 4 different relabellings"):
        different_copies(named.path(3), 4, np.random.default_rng(0))


def test_copies_of_hard_graphs_keep_the_classes_of_graphs_and_nodes():
    graphs = [*named.sr25()[:3], *named.cfi_pair(named.complete(4)), *random_graphs(20, seed=3)]
    rng = np.random.default_rng(0)
    groups = [
        [(graph, np.arange(graph.num_nodes)), *(relabeled(graph, rng) for _ in range(4))] for graph in graphs
    ]

    for criterion in (named_criterion("R5(2)"), named_criterion("R4(2, marks=3)"), all_cells(2, None)):
        assert changes(criterion, groups) == [[0] * 4] * len(graphs)


def test_classes_that_depend_on_the_numbering_are_counted():
    by_number = Criterion("number", lambda graph, *_: np.arange(graph.num_nodes))
    # The first node of every path has class 1: the graphs agree, and two nodes of a reversed path do not.
    first = Criterion(
        "first", lambda graph, ptr, _: np.isin(np.arange(graph.num_nodes), ptr).astype(np.int64)
    )
    path, order = named.path(3), np.arange(3)

    assert changes(by_number, [[(path, order), (path, order)]]) == [[-1]]
    assert changes(first, [[(path, order), (path, order[::-1])], [(path, order), (path, order)]]) == [
        [2],
        [0],
    ]


def test_batches_cover_the_same_relabellings(tmp_path, monkeypatch):
    monkeypatch.setattr(invariance, "brec", lambda: Pairs((named.path(5), named.cycle(5)) * BLOCKS, {}))
    searched = {}
    for batch in (64, 2):
        found = searched[batch] = set()

        def classify(graph, ptr, _, found=found):
            for first, last in itertools.pairwise(ptr.tolist()):
                found.add(
                    (first - last, (graph.indices[slice(*graph.indptr[[first, last]])] - first).tobytes())
                )
            return np.zeros(graph.num_nodes, dtype=np.int64)

        tests = {"all": Criterion("all", classify)}
        monkeypatch.setattr(invariance, "checked_tests", lambda tests=tests: tests)
        folder = tmp_path / str(batch)
        folder.mkdir()
        invariance.run(folder, ["all"], Extent(3, 6, 8, batch), lambda _: None)

    lines = [line for line in read_checks(folder / invariance.FILE) if line["graphs"] == "BREC"]
    assert searched[64] == searched[2]
    assert {line["first"] for line in lines} == {0, 2, 4}
    assert invariance.relabellings(lines) == {block: set(range(5)) for block in range(BLOCKS)}
    assert "| all | 800 | 3 | 0 | 0 | 400 | 6 | 0 | – |" in to_markdown(lines)


def test_a_later_run_goes_on_where_the_first_ended():
    lines = [
        {"graphs": "BREC", "test": "R3", "block": block, "first": 0, "batch": 1}
        for block in range(BLOCKS - 1)
    ]
    found = invariance.tasks(["R3"], Extent(5, 2, 8, 3), lines)

    # The last block has none yet, and goes first; then each block from its own relabelling on.
    assert [task[2:] for task in found if task[0] == "BREC"] == [
        (BLOCKS - 1, 0),
        *((block, 1) for block in range(BLOCKS - 1)),
        (BLOCKS - 1, 3),
        *((block, 4) for block in range(BLOCKS - 1)),
    ]


def test_gaps_between_batches_are_run_and_not_counted():
    lines = [
        {"graphs": "BREC", "test": "R3", "block": block, "first": first, "batch": 2, "copies": 8}
        | {"reliability": 9, "graphs_changed": 0, "nodes_changed": 0, "pairs_apart": [], "seconds": 1.0}
        for block in range(BLOCKS)
        for first in (2, 5)
    ]
    found = invariance.tasks(["R3"], Extent(8, 9, 8, 2), lines)

    assert [task[3] for task in found if task[:3] == ("BREC", "R3", 0)] == [0, 4, 7]
    assert "| R3 | 800 | 4 | 0 | 0 | 400 | 5 | 0 | – |" in to_markdown(lines)


def test_finished_checks_are_not_run_again(tmp_path, monkeypatch):
    graphs = (named.path(5), named.cycle(5)) * BLOCKS
    monkeypatch.setattr(invariance, "brec", lambda: Pairs(graphs, {}))
    shown = []

    for _ in range(2):
        invariance.run(tmp_path, ["1-WL"], Extent(2, 4, 80), shown.append)

    lines = read_checks(tmp_path / invariance.FILE)
    assert len(shown) == len(lines) == 2 * BLOCKS
    assert {line["searched"] for line in lines if line["graphs"] == "BREC"} == {3 + 4}
    assert "| 1-WL | 800 | 2 | 0 | 0 | 400 | 4 | 0 | 80 | 0 | 0 |" in to_markdown(lines)
    with pytest.raises(InputError, match="there is no test 'R9'"):
        invariance.run(tmp_path, ["R9"], Extent(), shown.append)

"""Classes do not depend on the numbering of nodes: the committed figures, and small checks run again."""

import json
from pathlib import Path

import numpy as np

from egonet import named
from egonet.wl.compare import isomorphic
from experiments.expressivity import invariance
from experiments.expressivity.constructions import cfi_pair, sr25
from experiments.expressivity.invariance import changed_copies, random_graphs, relabeled

RESULTS = Path(__file__).parents[3] / "results"


def test_no_committed_check_found_a_class_that_changed():
    found = json.loads((RESULTS / "invariance.json").read_text())
    checks = {
        (check["graphs"], check["marks"], check["radius"]): check["changed"] for check in found["checks"]
    }

    assert set(checks.values()) == {0}
    assert (found["copies"], found["random_pairs"]) == (20, 100_000)
    assert {("BREC", 1, None), ("BREC", 2, None), ("random", 2, None)} <= checks.keys()


def test_copies_are_isomorphic_and_numbered_differently():
    graph, rng = named.karate_club(), np.random.default_rng(0)
    copy = relabeled(graph, rng)

    assert copy != graph
    assert isomorphic(copy, graph)


def test_copies_of_hard_graphs_keep_their_classes():
    graphs = [*sr25()[:3], *cfi_pair(named.complete(4)), *random_graphs(20, seed=3)]

    for depth, radius in ((2, None), (3, 2)):
        assert changed_copies(graphs, 4, depth, radius, "largest") == 0


def test_classes_that_depend_on_the_numbering_are_counted(monkeypatch):
    class ByNumber:
        graphs = np.arange(6)

    monkeypatch.setattr(invariance, "individualize", lambda *_, **__: ByNumber)

    assert changed_copies([named.path(3), named.path(4)], 2, 1, None, "largest") == 4


def test_finished_checks_are_not_run_again(tmp_path, capsys):
    target = tmp_path / "invariance.json"
    done = [
        {"graphs": graphs, "marks": marks, "radius": radius, "cell": cell, "changed": 0}
        for graphs, marks, radius, cell in invariance.CHECKS
    ]
    target.write_text(json.dumps({"checks": done}))

    invariance.main(str(target))

    assert f"{len(done)} checks of {target} are kept" in capsys.readouterr().err

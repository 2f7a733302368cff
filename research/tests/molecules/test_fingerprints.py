"""The experiments on fingerprints: splits by scaffold, lines that are skipped, and choices without the test part."""

import json
from pathlib import Path

import numpy as np
import pytest

from contracts.parts import need

need("sklearn")
need("rdkit")
from scipy.sparse import csr_array  # noqa: E402

from research.molecules import colors, fingerprints, linear  # noqa: E402

ROOT = Path(__file__).parents[3]


def test_a_scaffold_is_in_one_part_only():
    scaffolds = [f"s{number // 3}" for number in range(60)]

    train, validation, test = fingerprints.scaffold_split(scaffolds, seed=1)

    parts = [{scaffolds[row] for row in part} for part in (train, validation, test)]
    assert sorted(np.concatenate([train, validation, test]).tolist()) == list(range(60))
    assert (len(train), len(validation), len(test)) == (48, 6, 6)
    assert sum(map(len, parts)) == len(set().union(*parts))


def test_finished_lines_are_those_of_the_same_labels(tmp_path, monkeypatch):
    target = tmp_path / "lines.jsonl"
    lines = [{"set": "esol", "split": 0, "features": kind} for kind in fingerprints.KINDS]
    target.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(fingerprints, "RESULTS", target)

    assert list(fingerprints.run(tmp_path, "esol", 1, labels="invariant")) == []
    assert list(fingerprints.run(tmp_path, "esol", 1, ["Morgan", "ECFP"], "element")) == []
    with pytest.raises(
        FileNotFoundError
    ):  # the other kinds have no line with elements, so that data are read
        list(fingerprints.run(tmp_path, "esol", 1, labels="element"))


def test_the_linear_model_is_chosen_without_the_test_part():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (40, 5))
    targets = rows @ np.arange(5.0)
    features = {2: csr_array(rng.integers(0, 3, (40, 5)).astype(float)), 3: csr_array(rows.astype(float))}
    train, validation = np.arange(20), np.arange(20, 30)

    chosen = linear.fit_and_choose(features, targets, train, validation)
    targets[30:] = np.nan

    assert (chosen["radius"], chosen["values"]) == (3, "count")
    assert linear.fit_and_choose(features, targets, train, validation) == chosen


def test_graphs_of_a_union_keep_their_edges_and_labels():
    pairs = colors.split_union(np.array([0, 3, 5]), np.array([[3, 4], [1, 2], [0, 1]]), np.arange(5))

    assert [graph.edges().tolist() for graph, _ in pairs] == [[[0, 1], [1, 2]], [[0, 1]]]
    assert [labels for _, labels in pairs] == [[0, 1, 2], [3, 4]]


def test_the_pages_have_the_tables_of_the_lines(monkeypatch):
    monkeypatch.setattr(fingerprints, "RESULTS", ROOT / fingerprints.RESULTS)
    docs = ROOT / fingerprints.DOCS

    assert fingerprints.page() in (docs / "molecules.md").read_text(encoding="utf-8")
    assert fingerprints.cost_page() in (docs / "research/performance.md").read_text(encoding="utf-8")


def test_seconds_are_means_over_the_splits_that_have_every_kind(tmp_path, monkeypatch):
    target = tmp_path / "lines.jsonl"
    lines = [
        {
            "set": name,
            "split": split,
            "features": kind,
            "atom_labels": "element",
            "test": 0.5 + 0.25 * (kind == "both"),
            "seconds_features": 1.0 + 2 * split,
            "seconds_models": 10.0 + 2 * split,
        }
        for name in fingerprints.SHOWN
        for split, kind in [(0, "Morgan"), (0, "both"), (1, "Morgan"), (1, "both"), (2, "Morgan")]
    ]
    target.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(fingerprints, "RESULTS", target)

    # The means of seconds of splits 0 and 1 are 2 and 11; split 2 lacks a kind.
    assert "| ESOL |  | 0.500: 2.00 + 11.0 |  |  | 0.750: 2.00 + 11.0 |" in fingerprints.cost_page()

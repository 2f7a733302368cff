"""Colorings as features: columns that only training molecules choose, and the committed figures."""

import json
from pathlib import Path

import numpy as np

from egonet import disjoint_union, named
from research.expressivity.refined_features import Molecules, encoded, evaluate, with_bonds, zinc

RESULTS = Path(__file__).parents[3] / "results"


def rings(sizes):
    union, ptr = disjoint_union([named.cycle(size) for size in sizes])
    parts = (np.arange(8), np.arange(8, 10), np.arange(10, 12))
    targets = np.array(sizes, dtype=np.float64)
    bonds = np.zeros(union.num_edges, dtype=np.int64)
    return Molecules(union, ptr, np.zeros(union.num_nodes, dtype=np.int64), bonds, targets, (parts,))


def test_columns_are_those_of_training_molecules():
    data = rings([3, 4, 5, 3, 4, 5, 3, 4, 5, 5, 6, 7])
    features = encoded(radius=3, rooted="refined")(data)
    found = evaluate(data, features, classify=False)

    assert features.shape == (12, 5)
    assert found["columns"] == 3
    assert found["train"] < 0.5 < found["test"]


def test_equal_bonds_add_nothing():
    data = rings([3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 6])
    plain = encoded(radius=(0, 1, 2), rooted="refined")(data)

    assert np.array_equal(np.sort(plain.toarray()), np.sort(with_bonds((0, 1, 2))(data).toarray()))


def test_zinc_has_its_published_split(data_folder):
    data = zinc(data_folder)

    assert [len(part) for part in data.parts[0]] == [10_000, 1_000, 1_000]
    assert data.graph.num_edges == len(data.bonds) == 298_985
    assert np.allclose(data.targets[:3], [0.8350, -2.1934, 1.8421], atol=1e-4)


def test_committed_figures_have_columns_and_both_errors():
    found = json.loads((RESULTS / "refined_features.json").read_text())

    assert {row["data"] for row in found["rows"]} == {"MUTAG", "ZINC-12k"}
    assert all(row["columns"] > 0 and row["test"] >= 0 and row["train"] >= 0 for row in found["rows"])
    assert found["speed"]["processor"] <= 2

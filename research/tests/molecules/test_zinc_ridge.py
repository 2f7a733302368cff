"""The experiment on molecules reads graphs with their bonds, and chooses without the test part."""

import json

import numpy as np
import pytest

from contracts.parts import need

need("sklearn")
from research.molecules import zinc_ridge  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    """Three parts of paths with three atoms each; the target is the number of double bonds."""
    (tmp_path / "zinc12k").mkdir()
    rng = np.random.default_rng(0)
    for part, count in (("train", 40), ("val", 10), ("test", 10)):
        bonds = rng.integers(1, 3, 2 * count)
        np.savez(
            tmp_path / f"zinc12k/zinc12k_{part}.npz",
            node_ptr=np.arange(count + 1) * 3,
            edge_ptr=np.arange(count + 1) * 2,
            atom=np.tile([0, 1, 0], count),
            edge=np.tile([[0, 1], [1, 2]], (count, 1)).astype(np.uint8),
            bond=bonds,
            y=(bonds.reshape(-1, 2) == 2).sum(axis=1),
        )
    return tmp_path


def test_molecules_have_their_bonds(folder):
    molecules, targets = zinc_ridge.read_part(folder, "val")

    graph, atoms = molecules[0]
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert (graph.edge_table.column("bond") == 2).sum() == targets[0]
    assert atoms.tolist() == [0, 1, 0]


def test_bonds_explain_what_atoms_cannot(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_DATA", str(folder))

    zinc_ridge.main(str(tmp_path / "found.json"))

    found = json.loads((tmp_path / "found.json").read_text())
    errors = {row["features"]: row["validation"] for row in found["rows"]}
    assert errors["atoms"] > 0.3
    assert errors["sums, atoms and bonds"] < 0.1
    robust = [row["validation"] for row in found["robust"]]
    assert found["chosen"]["validation"] == min(*errors.values(), *robust)
    assert found["chosen"]["test"] < 0.1
    assert all(found[field] for field in ("versions", "hardware", "date", "commit"))

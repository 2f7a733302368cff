"""Rings of bonds as columns of linear models."""

import numpy as np
import pandas as pd

from contracts.parts import need

need("sklearn")
import egonet  # noqa: E402
from research.molecules import zinc_rings  # noqa: E402


def molecule(edges, bonds, atoms):
    table = pd.DataFrame(edges, columns=["source", "target"]).assign(bond=bonds)
    return egonet.as_graph(table, num_nodes=len(atoms), keep="bond"), np.array(atoms)


def test_bonds_are_counted_by_ring_type_and_atoms():
    triangle = molecule([(0, 1), (1, 2), (2, 0), (2, 3)], [1, 1, 2, 1], [6, 6, 8, 7])
    chain = molecule([(1, 0)], [1], [7, 8])
    train, test = zinc_rings.ring_columns([[triangle, chain], [chain]])

    # (3,) three times and (0,), then (3, single) twice, (3, double), (0, single), then atoms 6-6, 6-8 twice, 7-8.
    assert train.toarray().tolist() == [[3, 1, 2, 1, 1, 1, 2, 1], [0, 1, 0, 0, 1, 0, 0, 1]]
    assert test.toarray().tolist() == [[0, 1, 0, 0, 1, 0, 0, 1]]


def test_the_interval_has_the_mean():
    errors = np.random.default_rng(1).random(500)
    low, high = zinc_rings.interval(errors)

    assert low < errors.mean() < high

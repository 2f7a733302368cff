"""The PyG transform of molecules: walks of atoms and rings of bonds."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric import data
from torch_geometric.loader import DataLoader
from torch_geometric.transforms import AddRandomWalkPE

import egonet
from contracts.pyg import path, tailed_triangle, undirected
from egonet.errors import InputError

#: Two rings of five and six that share a bond, with a chain of two atoms.
FUSED = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (4, 5), (5, 6), (6, 7), (7, 8), (8, 3), (6, 9), (9, 10)]


def test_a_bond_has_the_column_of_its_shortest_ring():
    transform = egonet.AddMoleculeEncoding()
    found = transform(undirected(FUSED, num_nodes=11)).bond_encoding
    names = [transform.bond_columns[column] for column in found.argmax(dim=1).tolist()]

    assert found.sum(dim=1).tolist() == [1.0] * 24
    assert names[:12] == ["ring5"] * 5 + ["ring6"] * 5 + ["ring0"] * 2
    assert names[:12] == names[12:]


@pytest.mark.parametrize(("size", "name"), [(3, "ring3"), (8, "ring8"), (9, "ring9plus"), (40, "ring9plus")])
def test_long_rings_share_the_last_column(size, name):
    transform = egonet.AddMoleculeEncoding(walk_length=0)
    ring = transform(undirected([(i, (i + 1) % size) for i in range(size)], num_nodes=size))

    assert {transform.bond_columns[column] for column in ring.bond_encoding.argmax(dim=1).tolist()} == {name}
    assert "atom_encoding" not in ring


def test_walks_are_those_of_pyg():
    rng = np.random.default_rng(0)
    for _ in range(20):
        size = int(rng.integers(2, 12))
        graph = nx.gnp_random_graph(size, 0.4, seed=int(rng.integers(1000)))
        molecule = undirected(list(graph.edges()) or [(0, 1)], num_nodes=size)
        expected = AddRandomWalkPE(6, "walks")(molecule.clone()).walks

        assert torch.allclose(egonet.AddMoleculeEncoding(6)(molecule).atom_encoding, expected, atol=1e-6)


def test_a_batch_has_the_rows_of_its_molecules():
    molecules = [tailed_triangle(), path(5), undirected(FUSED, num_nodes=11)]
    transform = egonet.AddMoleculeEncoding(4, 6)
    alone = [transform(molecule) for molecule in molecules]
    batch = transform(next(iter(DataLoader(molecules, batch_size=3))))

    for name in ("atom_encoding", "bond_encoding"):
        assert torch.equal(batch[name], torch.cat([molecule[name] for molecule in alone]))
        for each, other in zip(batch.to_data_list(), alone, strict=True):
            assert torch.equal(each[name], other[name])


def test_relabeling_atoms_renames_rows_and_arcs_may_have_any_order():
    transform = egonet.AddMoleculeEncoding()
    molecule = transform(undirected(FUSED, num_nodes=11))
    for _ in range(20):
        order, arcs = torch.randperm(11), torch.randperm(24)
        other = transform(data.Data(edge_index=order[molecule.edge_index][:, arcs], num_nodes=11))
        assert torch.allclose(other.atom_encoding[order], molecule.atom_encoding, atol=1e-6)
        assert torch.equal(other.bond_encoding, molecule.bond_encoding[arcs])


def test_columns_are_appended_to_what_the_graph_has():
    molecule = tailed_triangle(x=torch.arange(4), edge_attr=torch.arange(8))
    found = egonet.AddMoleculeEncoding(2, 3, atom_attr="x", bond_attr="edge_attr")(molecule)

    assert found.x.shape == (4, 3)
    assert found.edge_attr[:, 0].tolist() == list(range(8))
    assert found.edge_attr.shape == (8, 4)
    assert molecule.x.tolist() == [0, 1, 2, 3]


def test_loops_and_atoms_without_bonds_have_zeros_and_no_ring():
    molecule = data.Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 1]]), num_nodes=3)
    found = egonet.AddMoleculeEncoding(2, 3)(molecule)

    assert found.bond_encoding.tolist() == [[1.0, 0.0, 0.0]] * 3
    assert found.atom_encoding[2].tolist() == [0.0, 0.0]


def test_one_atom_keeps_the_width_of_what_it_has():
    atom = data.Data(
        x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.long), edge_attr=torch.ones(0, 3)
    )
    transform = egonet.AddMoleculeEncoding(2, 3, atom_attr="x", bond_attr="edge_attr")

    assert transform(atom).x.tolist() == [[1.0, 1.0, 0.0, 0.0]]
    assert transform(atom).edge_attr.shape == (0, 6)
    wrong = tailed_triangle(x=torch.ones(2, 4))
    with pytest.raises(
        InputError, match=r"x must be a tensor of real numbers with 4 rows, got shape \(2, 4\)"
    ):
        transform(wrong)


def test_what_is_unsupported_is_one_sentence():
    with pytest.raises(InputError, match="at least 3, the shortest ring"):
        egonet.AddMoleculeEncoding(longest=2)
    with pytest.raises(InputError, match="no columns"):
        egonet.AddMoleculeEncoding(0, 0)
    with pytest.raises(InputError, match="got HeteroData"):
        egonet.AddMoleculeEncoding()(data.HeteroData())


def test_graphs_too_large_for_walks_are_an_error(monkeypatch):
    monkeypatch.setattr("egonet.pyg.molecules.MOST_PAIRS", 30)
    with pytest.raises(InputError, match="the graph is no molecule"):
        egonet.AddMoleculeEncoding()(path(20))

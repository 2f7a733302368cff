"""The PyG transform of edges: rows that fit edge_index."""

import numpy as np
import pytest
import torch
from torch_geometric import data

import egonet
from egonet.errors import InputError

INDEX = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3, 3], [1, 0, 2, 1, 0, 2, 3, 2, 3]])


def graph(**fields):
    return data.Data(edge_index=INDEX, num_nodes=4, **fields)


def test_rows_are_those_of_encode_edges_for_both_directions_and_loops():
    learned = egonet.encode_edges(INDEX, 1, directed=False)
    found = egonet.AddEdgeEncoding(vocabulary=learned)(graph()).edge_encoding

    assert found.tolist() == np.asarray(learned).tolist()
    assert found[0].tolist() == found[1].tolist()
    assert found[8].sum() == 0


def test_columns_are_appended_to_edge_attr():
    kinds = torch.arange(9.0)
    found = egonet.AddEdgeEncoding(1, "edge_attr")(graph(edge_attr=kinds)).edge_attr

    assert found[:, 0].tolist() == kinds.tolist()
    assert found[:, 1:].tolist() == egonet.AddEdgeEncoding(1)(graph()).edge_encoding.tolist()


def test_a_batch_has_the_rows_of_its_graphs():
    transform = egonet.AddEdgeEncoding(radius=(1, 2))
    batch = transform(data.Batch.from_data_list([graph(), graph()]))
    alone = transform(graph()).edge_encoding.tolist()

    assert batch.edge_encoding.tolist() == alone + alone
    assert [each.edge_encoding.tolist() for each in batch.to_data_list()] == [alone, alone]


def hetero():
    """Two authors, three papers, and a citation: the edges a0-p0, a1-p0, a1-p1, a1-p2, p0-p1 and its opposite."""
    made = data.HeteroData()
    made["author"].x, made["paper"].x = torch.zeros(2, 1), torch.zeros(3, 1)
    made["author", "writes", "paper"].edge_index = torch.tensor([[0, 1, 1, 1], [0, 0, 1, 2]])
    made["paper", "cites", "paper"].edge_index = torch.tensor([[0, 1], [1, 0]])
    return made


def test_edge_types_of_hetero_data_get_the_rows_of_their_edges():
    edges = [("a0", "p0"), ("a1", "p0"), ("a1", "p1"), ("a1", "p2"), ("p0", "p1"), ("p1", "p0")]
    expected = egonet.encode_edges(edges, 1, directed=False, ends_distance=5)
    transform = egonet.AddEdgeEncoding(vocabulary=expected)
    found = transform(hetero())

    rows = np.asarray(expected).tolist()
    assert found["author", "writes", "paper"].edge_encoding.tolist() == rows[:4]
    assert found["paper", "cites", "paper"].edge_encoding.tolist() == rows[4:]
    batch = transform(data.Batch.from_data_list([hetero(), hetero()]))
    assert batch["paper", "cites", "paper"].edge_encoding.tolist() == rows[4:] + rows[4:]
    assert batch.to_data_list()[1]["author", "writes", "paper"].edge_encoding.tolist() == rows[:4]


def test_types_of_hetero_data_become_labels_and_edge_types():
    transform = egonet.AddEdgeEncoding.from_dataset([hetero()], 1, types=True)
    names = transform.vocabulary.feature_names

    assert any("author__writes__paper" in name for name in names)
    assert any(name.endswith("labelauthor") for name in names)
    assert transform(hetero())["paper", "cites", "paper"].edge_encoding.sum() > 0
    again = egonet.AddEdgeEncoding(vocabulary=transform.vocabulary, types=True)
    kind = ("author", "writes", "paper")
    assert torch.equal(again(hetero())[kind].edge_encoding, transform(hetero())[kind].edge_encoding)
    with pytest.raises(InputError, match="takes the types of HeteroData"):
        transform(graph())
    with pytest.raises(InputError, match="needs a vocabulary of node types"):
        egonet.AddEdgeEncoding(1, types=True)


def test_columns_are_learned_from_a_data_set_with_labels_types_and_full_degrees(tmp_path):
    graphs = [
        graph(atom=torch.tensor([0, 1, 0, 1]), bond=torch.tensor([0, 0, 1, 1, 0, 0, 1, 1, 0])) for _ in "ab"
    ]
    options = {"labels": "atom", "edge_labels": "bond", "degrees": "full", "ordered": True}
    transform = egonet.AddEdgeEncoding.from_dataset(graphs, (1, 2), **options)
    expected = egonet.encode_edges(
        graphs[0], (1, 2), labels="atom", edge_labels="bond", degrees="full", ordered=True, directed=False
    )

    assert transform.vocabulary.columns == expected.columns
    assert transform(graphs[0]).edge_encoding.tolist() == np.asarray(expected).tolist()
    transform.vocabulary.save(tmp_path / "columns.json")
    again = egonet.AddEdgeEncoding(vocabulary=tmp_path / "columns.json", labels="atom", edge_labels="bond")
    assert torch.equal(again(graphs[1]).edge_encoding, transform(graphs[1]).edge_encoding)
    with pytest.raises(InputError, match="if and only if the vocabulary was learned with labels"):
        egonet.AddEdgeEncoding(vocabulary=tmp_path / "columns.json")


class Molecules(data.InMemoryDataset):
    def __init__(self, graphs):
        super().__init__()
        self.data, self.slices = self.collate(graphs)


@pytest.mark.parametrize("name", ["edge_encoding", "edge_attr"])
def test_a_data_set_is_encoded_in_one_call(name):
    graphs = [
        graph(edge_attr=torch.arange(9)),
        graph(edge_attr=torch.arange(9)),
        graph(edge_attr=torch.zeros(9)),
    ]
    graphs[1].edge_index = INDEX.flip(0)
    transform = egonet.AddEdgeEncoding.from_dataset(graphs, 1, name, ends_distance=4)
    expected = [transform(each)[name].tolist() for each in graphs]

    assert [each[name].tolist() for each in transform.add_to(graphs)] == expected
    stored = transform.add_to(Molecules(graphs)[1:])
    assert [each[name].tolist() for each in stored] == expected[1:]
    assert graphs[0].edge_attr.tolist() == list(range(9))


def test_a_graph_without_edges_has_no_rows_and_the_same_columns():
    whole = graph()
    whole.edge_attr = torch.ones(whole.num_edges, 3)
    transform = egonet.AddEdgeEncoding.from_dataset([whole], 1, "edge_attr")
    atom = data.Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=1, edge_attr=torch.ones(0, 3))
    width = 3 + len(transform.vocabulary)

    assert transform(atom).edge_attr.shape == (0, width)
    rows = data.Batch.from_data_list(transform.add_to([whole, atom])).edge_attr
    assert rows.shape == (whole.num_edges, width)


@pytest.mark.parametrize(
    "attr", [torch.ones(2, 6), torch.ones(3), torch.tensor(1.0), [1, 2], torch.ones(9, dtype=torch.cfloat)]
)
def test_an_edge_attr_of_other_edges_is_an_error(attr):
    other = graph()
    other.edge_attr = attr

    with pytest.raises(InputError, match=r"edge_attr must be a tensor of real numbers with \d+ rows, got"):
        egonet.AddEdgeEncoding(1, "edge_attr")(other)


def test_what_is_unsupported_is_one_sentence():
    for name in ("x", "ptr", "num_nodes"):
        with pytest.raises(InputError, match=f"attr_name must not be '{name}'"):
            egonet.AddEdgeEncoding(1, name)
    with pytest.raises(InputError, match="distance of the ends are at most 1,000,000"):
        egonet.AddEdgeEncoding(1, ends_distance=2**40)
    with pytest.raises(InputError, match=r"Use AddEdgeEncoding\.from_data"):
        egonet.AddEdgeEncoding(1, labels="atom")
    with pytest.raises(InputError, match="got HeteroData"):
        egonet.AddEdgeEncoding()(data.HeteroData())
    for name in ("edge_index", "my_batch"):
        with pytest.raises(InputError, match="PyG would batch"):
            egonet.AddEdgeEncoding(1, name)
    with pytest.raises(InputError, match="Leave graph out"):
        egonet.AddEdgeEncoding(graph=graph())
    with pytest.raises(InputError, match="learns the columns"):
        egonet.AddEdgeEncoding.from_dataset([graph()], vocabulary=egonet.AddEdgeEncoding(1).vocabulary)
    with pytest.raises(InputError, match="at least one graph"):
        egonet.AddEdgeEncoding.from_dataset([])
    with pytest.raises(InputError, match="count total degrees"):
        egonet.AddEdgeEncoding(1, vocabulary=None, degrees="full")


@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.bool, torch.bfloat16])
def test_what_edge_attr_and_x_have_is_not_rounded(dtype):
    value = 0.1 if dtype is torch.float64 else 1
    bond = data.Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    bond.x = bond.edge_attr = torch.full((2,), value, dtype=dtype)
    edges = egonet.AddEdgeEncoding(1, "edge_attr", max_degree=1)
    both = egonet.AddMoleculeEncoding(1, 3, atom_attr="x", bond_attr="edge_attr")
    expected = torch.float64 if dtype is torch.float64 else torch.float32

    for made in (edges(bond).edge_attr, both(bond).edge_attr, both(bond).x):
        assert made.dtype == expected
        assert made[:, 0].tolist() == [value, value]
        assert made.shape[1] > 1


def test_whole_numbers_that_would_be_rounded_are_an_error():
    bond = data.Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    bond.edge_attr = torch.tensor([1_600_000_001, 3])

    with pytest.raises(
        InputError, match=r"edge_attr has whole numbers that torch.float32 would round, such as 1,600,"
    ):
        egonet.AddEdgeEncoding(1, "edge_attr", max_degree=1)(bond)
    bond.edge_attr = bond.edge_attr.double()
    assert egonet.AddEdgeEncoding(1, "edge_attr", max_degree=1)(bond).edge_attr[0, 0] == 1_600_000_001

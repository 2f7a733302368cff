"""PyG graphs with sparse adjacency, several node types, fixed bins, and loaders."""

import numpy as np
import pytest

from contracts.parts import need

need("torch_geometric")
import torch  # noqa: E402
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset  # noqa: E402
from torch_geometric.loader import RandomNodeLoader  # noqa: E402

import egonet  # noqa: E402
from egonet import named  # noqa: E402
from egonet.errors import InputError  # noqa: E402
from egonet.graph.pyg_data import hetero_graph  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparse (CSR|CSC) tensor support:UserWarning", "ignore:Sparse invariant checks:UserWarning"
)
#: A triangle 0 1 2 with a tail 3 at 2.
INDEX = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
PLAIN = Data(edge_index=INDEX, num_nodes=4)
DENSE = torch.zeros(4, 4).index_put((INDEX[0], INDEX[1]), torch.ones(8))


def with_adjacency(layout):
    return Data(adj_t=DENSE.t().to_sparse(layout=layout), num_nodes=4)


LAYOUTS = [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_adj_t_stands_for_edge_index(layout):
    transform = AddEgoEncoding.from_dataset([with_adjacency(layout)], radius=1)
    expected = egonet.encode(PLAIN, 1).to_dense()

    np.testing.assert_array_equal(transform(with_adjacency(layout)).ego_encoding.numpy(), expected)
    np.testing.assert_array_equal(
        transform.add_to([with_adjacency(layout)])[0].ego_encoding.numpy(), expected
    )
    np.testing.assert_array_equal(egonet.encode(with_adjacency(layout), 1).to_dense(), expected)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_sparse_tensors_are_adjacency_matrices(layout):
    graph = egonet.as_graph(DENSE.to_sparse(layout=layout))

    assert graph.num_edges == 4
    assert graph == egonet.as_graph(PLAIN)


def test_adj_t_is_transposed():
    arc = Data(adj_t=torch.tensor([[0.0, 0.0], [1.0, 0.0]]).to_sparse(), num_nodes=2)  # 0 → 1

    assert egonet.as_graph(arc, directed="out").neighbors(0) == [1]


def test_sparse_tensor_of_torch_sparse_is_read_by_its_coordinates():
    class SparseTensor:
        def coo(self):
            return INDEX[1], INDEX[0], None

    data = Data(adj_t=SparseTensor(), num_nodes=4)

    assert AddEgoEncoding(0, max_degree=3)(data).ego_encoding.argmax(dim=1).tolist() == [2, 2, 3, 1]


def test_batches_with_adj_t():
    batch = Batch.from_data_list([with_adjacency(torch.sparse_csr)] * 2)

    rows = AddEgoEncoding(0, max_degree=3)(batch).ego_encoding

    assert rows.argmax(dim=1).tolist() == [2, 2, 3, 1] * 2


def test_dense_adj_t_raises():
    with pytest.raises(InputError, match=r"adj_t must be a sparse matrix, got Tensor of shape \(4, 4\)"):
        AddEgoEncoding(1, max_degree=2)(Data(adj_t=DENSE, num_nodes=4))


def bipartite(edges, num_shops=3, layout=None):
    data = HeteroData()
    data["buyer"].num_nodes = 2
    data["shop"].num_nodes = num_shops
    data["buyer"].kind, data["shop"].kind = (
        torch.zeros(2, dtype=torch.long),
        torch.ones(num_shops, dtype=torch.long),
    )
    data["buyer", "buys", "shop"].edge_index = torch.tensor(edges).t()
    return data


HETERO = [bipartite([(0, 0), (0, 1), (1, 1)]), bipartite([(0, 0), (1, 0)], 1)]


def test_columns_are_learned_from_hetero_graphs():
    """The unions are a path of four with a node alone, and a path of three."""
    transform = AddEgoEncoding.from_dataset(HETERO, radius=0, directed=False)

    assert transform.vocabulary.columns == [(0, 0), (0, 1), (0, 2)]
    assert transform(HETERO[1])["shop"].ego_encoding.tolist() == [[0, 0, 1]]
    assert [data["buyer"].ego_encoding.tolist() for data in transform.add_to(HETERO)] == [
        [[0, 0, 1], [0, 1, 0]], [[0, 1, 0], [0, 1, 0]],
    ]  # fmt: skip
    assert transform.count_unseen(HETERO).num_rows == 0


def test_columns_are_learned_from_hetero_graphs_with_labels():
    transform = AddEgoEncoding.from_dataset(HETERO, radius=0, labels="kind", directed=False)

    assert transform.vocabulary.columns == [(0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 2, 0), (0, 2, 1)]
    assert transform(HETERO[1])["shop"].ego_encoding.tolist() == [[0, 0, 0, 0, 1]]


def test_the_types_of_edges_are_kept_with_the_numbers_of_both_ends():
    graph, ends, kinds = hetero_graph(bipartite([(0, 0), (0, 1), (1, 2)]), directed=False)
    table = graph.edge_table

    assert (ends, kinds) == ([0, 2, 5], ["buyer"] * 2 + ["shop"] * 3)
    assert (table.source.tolist(), table.target.tolist()) == ([0, 0, 1], [2, 3, 4])


class InMemory(InMemoryDataset):
    def __init__(self, graphs):
        super().__init__()
        self.data, self.slices = self.collate(graphs)


def test_hetero_and_sparse_data_sets_in_memory():
    transform = AddEgoEncoding.from_dataset(InMemory(HETERO), radius=0, directed=False)

    assert transform.add_to(InMemory(HETERO))[1]["shop"].ego_encoding.tolist() == [[0, 0, 1]]
    sparse = InMemory([with_adjacency(torch.sparse_csr)] * 2)
    learned = AddEgoEncoding.from_dataset(sparse, radius=0)
    assert learned.add_to(sparse)[1].ego_encoding.argmax(dim=1).tolist() == [1, 1, 2, 0]


def test_log_bins_are_fixed_without_a_data_set():
    transform = AddEgoEncoding(radius=1, degree_bins="log")
    star = Data(
        edge_index=torch.tensor([[0] * 9 + list(range(1, 10)), list(range(1, 10)) + [0] * 9]), num_nodes=10
    )

    rows = transform(star).ego_encoding

    names = transform.vocabulary.feature_names
    assert rows.shape == (10, 34)
    assert (names[0], names[16], names[17]) == ("r1_d0_deg0", "r1_d0_deg32768plus", "r1_d1_deg0")
    assert {names[column]: rows[0, column].item() for column in rows[0].nonzero().ravel()} == {
        "r1_d0_deg8to15": 1.0, "r1_d1_deg1": 9.0,
    }  # fmt: skip
    other = egonet.encode(named.star(100_000), 0, vocabulary=AddEgoEncoding(0, degree_bins="log").vocabulary)
    assert other[0] == {(0, 32768): 1}
    assert other.unseen.num_rows == 0


def test_log_bins_end_at_max_degree():
    names = AddEgoEncoding(radius=0, degree_bins="log", max_degree=9).vocabulary.feature_names

    assert names == ["r0_d0_deg0", "r0_d0_deg1", "r0_d0_deg2to3", "r0_d0_deg4to7", "r0_d0_deg8plus"]


def test_a_graph_without_anything_names_edge_index_and_num_nodes():
    with pytest.raises(
        InputError, match=r"must have an edge_index or adj_t, got Data\(\)\. .* and num_nodes\."
    ):
        AddEgoEncoding(1, max_degree=2)(Data(edge_index=None, adj_t=None))


def test_rows_of_the_whole_graph_travel_with_samples():
    """Encode once, sample later: a batch has the rows of the whole graph, not those of its subgraph."""
    whole = AddEgoEncoding(radius=1, degree_bins="log")(
        Data(edge_index=INDEX, num_nodes=4, id=torch.arange(4))
    )

    for batch in RandomNodeLoader(whole, num_parts=2):
        assert torch.equal(batch.ego_encoding, whole.ego_encoding[batch.id])

"""The PyG transform for another graph: ranks by graph, quarters, the rank of the degree, and the warning."""

import networkx as nx
import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import from_networkx

import egonet
from egonet.errors import InputError
from egonet.pyg import AddEgoEncoding


def data(num_nodes, num_edges, seed):
    return from_networkx(nx.gnm_random_graph(num_nodes, num_edges, seed=seed))


SPARSE, DENSE, PATH = data(200, 400, 0), data(300, 6000, 1), from_networkx(nx.path_graph(4))
GRAPHS = [SPARSE, PATH, DENSE]


@pytest.mark.parametrize(
    "options",
    [
        {"max_degree": 5, "weighting": "rank"},
        {"degree_bins": "quantile"},
        {"degree_bins": "quantile", "weighting": "rank", "degree_rank": True},
        {"max_degree": 5, "degree_rank": True},
    ],
)
def test_every_graph_of_a_batch_is_ranked_by_itself(options):
    transform = AddEgoEncoding(1, **options)
    each = [transform(graph).ego_encoding for graph in GRAPHS]

    batch = transform(Batch.from_data_list(GRAPHS))

    assert torch.equal(batch.ego_encoding, torch.cat(each))
    assert all(map(torch.equal, [part.ego_encoding for part in batch.to_data_list()], each))
    assert all(map(torch.equal, [part.ego_encoding for part in transform.add_to(GRAPHS)], each))


def test_quarters_have_the_same_columns_for_every_graph_without_a_data_set():
    transform = AddEgoEncoding((0, 1), degree_bins="quantile")

    assert transform(PATH).ego_encoding.tolist()[0] == [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]
    assert transform.vocabulary.feature_names[:4] == [f"r0_d0_degq{number}" for number in (1, 2, 3, 4)]


def test_the_rank_of_the_degree_alone_needs_no_settings():
    transform = AddEgoEncoding(degree_rank="only")

    assert transform(PATH).ego_encoding.tolist() == [[0.25], [0.75], [0.75], [0.25]]
    with pytest.raises(InputError, match="Leave the vocabulary and all settings out"):
        AddEgoEncoding(1, max_degree=3, degree_rank="only")


def test_ranks_equal_those_of_encode():
    transform = AddEgoEncoding.from_dataset([SPARSE], radius=1, weighting="rank")

    expected = egonet.encode(SPARSE, radius=1).weighted("rank").toarray()

    assert torch.allclose(transform(SPARSE).ego_encoding, torch.from_numpy(expected).float())


def test_other_degrees_are_warned_about_once():
    transform = AddEgoEncoding.from_dataset([SPARSE], radius=1)
    transform(SPARSE)
    transform(PATH)

    with pytest.warns(UserWarning, match=r'weighting="rank" with degree_bins="quantile"'):
        transform(DENSE)
    transform(DENSE)
    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        AddEgoEncoding.from_dataset([SPARSE], radius=1).add_to([PATH, DENSE])


def test_arcs_given_one_way_have_the_degrees_of_the_graph_that_was_read():
    once = Data(edge_index=SPARSE.edge_index[:, SPARSE.edge_index[0] < SPARSE.edge_index[1]], num_nodes=200)

    AddEgoEncoding.from_dataset([SPARSE], radius=1, directed=False)(once)  # a warning would be an error


def test_a_batch_without_slices_is_refused():
    batch = Batch(edge_index=PATH.edge_index, num_nodes=4, ptr=torch.tensor([0, 4]))

    with pytest.raises(InputError, match="this Batch does not say which they are"):
        AddEgoEncoding(degree_rank="only")(batch)


def test_pairs_have_no_ranks():
    with pytest.raises(InputError, match="weighting must be one of 'count', 'log', 'paper', got 'rank'"):
        egonet.AddPairEncoding(weighting="rank")

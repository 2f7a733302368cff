"""The PyG transform for another graph: ranks by graph, quarters, the rank of the degree, and the warning."""

from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import pytest
import torch
from torch_geometric.data import Batch, Data, InMemoryDataset
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


@pytest.mark.parametrize("options", [{}, {"degree_bins": "quantile"}])
def test_encode_and_degree_rank_take_every_graph_of_a_batch_by_itself(options):
    batch, expected = Batch.from_data_list(GRAPHS), egonet.encode(GRAPHS, radius=1, **options)

    encoding = egonet.encode(batch, radius=1, **options)

    assert encoding.num_graphs == 3
    assert encoding[203] == expected.part(1)[3]  # the nodes of a batch are numbered through
    assert (encoding.matrix != expected.matrix).nnz == 0
    assert (encoding.weighted("rank") != expected.weighted("rank")).nnz == 0
    assert egonet.degree_rank(batch).tolist() == egonet.degree_rank(GRAPHS).tolist()


def test_a_list_of_batches_could_mean_two_things():
    batch = Batch.from_data_list([PATH, PATH])

    with pytest.raises(InputError, match=r"graph 1 \(counted from 0\) is a Batch of 2 graphs"):
        egonet.degree_rank([PATH, batch])
    assert egonet.degree_rank([PATH, Batch.from_data_list([PATH])]).tolist() == [0.25, 0.75, 0.75, 0.25] * 2


def test_columns_are_learned_from_the_graphs_of_batches():
    batch, options = Batch.from_data_list([PATH, SPARSE]), {"radius": 1, "degree_bins": "quantile"}

    learned = AddEgoEncoding.from_dataset([batch], **options)

    assert repr(learned) == repr(AddEgoEncoding.from_dataset([PATH, SPARSE], **options))
    (added,) = learned.add_to([batch])
    assert torch.equal(added.ego_encoding[:4], learned(PATH).ego_encoding)


def test_node_encoder_does_not_compare_the_graphs_of_a_batch():
    batch = Batch.from_data_list([PATH, PATH])

    for options in ({"weighting": "rank"}, {"degree_bins": "quantile"}, {"degree_rank": "only"}):
        with pytest.raises(InputError, match="compare the nodes of one graph, got a Batch of 2"):
            egonet.NodeEncoder(batch, radius=1, **options).fit([0])
    assert egonet.NodeEncoder(batch, radius=1).fit([0]).transform([4]).tolist() == [[1, 1]]


def test_quarters_have_the_same_columns_for_every_graph_without_a_data_set():
    transform = AddEgoEncoding((0, 1), degree_bins="quantile")

    assert transform(PATH).ego_encoding.tolist()[0] == [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]
    assert transform.vocabulary.feature_names[:4] == [f"r0_d0_degq{number}" for number in (1, 2, 3, 4)]


def test_the_rank_of_the_degree_alone_needs_no_settings():
    transform = AddEgoEncoding(degree_rank="only")

    assert transform(PATH).ego_encoding.tolist() == [[0.25], [0.75], [0.75], [0.25]]
    with pytest.raises(InputError, match="Leave the vocabulary and all settings out"):
        AddEgoEncoding(1, max_degree=3, degree_rank="only")


@pytest.mark.parametrize("options", [{}, {"attr_name": None}, {"directed": "out"}])
def test_the_rank_of_the_degree_alone_can_be_saved(options):
    transform = AddEgoEncoding(degree_rank="only", **options)

    loaded = reload(transform)

    assert repr(loaded) == repr(transform)
    assert loaded(SPARSE)[options.get("attr_name", "ego_encoding") or "x"].shape == (200, 1)
    assert str(loaded(SPARSE).to_dict()) == str(transform(SPARSE).to_dict())


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


class InMemory(InMemoryDataset):
    def __init__(self, graphs):
        super().__init__(None)
        self.data, self.slices = self.collate(graphs)


WAYS = {
    "one": lambda transform: transform(DENSE),
    "list": lambda transform: transform.add_to([SPARSE, DENSE]),
    "batch": lambda transform: transform(Batch.from_data_list([SPARSE, DENSE])),
    "data set": lambda transform: transform.add_to(InMemory([SPARSE, DENSE])),
    "loaded": lambda transform: reload(transform)(DENSE),
}


def reload(transform):
    with TemporaryDirectory() as folder:
        transform.save(f"{folder}/transform.json")
        return AddEgoEncoding.load(f"{folder}/transform.json")


def test_a_transform_that_has_warned_is_saved_with_its_degrees():
    transform = AddEgoEncoding.from_dataset([SPARSE], radius=1)
    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        transform(DENSE)

    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        reload(reload(transform))(DENSE)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", [{}, {"weighting": "rank"}, {"degree_rank": True}, {"sparse": True}])
def test_other_degrees_are_warned_about_however_graphs_come(way, options):
    transform = AddEgoEncoding.from_dataset([SPARSE], radius=1, **options)
    quarters = AddEgoEncoding.from_dataset([SPARSE], radius=1, degree_bins="quantile", **options)

    with pytest.warns(UserWarning, match="degrees differ by 1.00") as caught:
        WAYS[way](transform)

    assert [Path(each.filename).name for each in caught] == ["test_nodes_ranks.py"]
    WAYS[way](quarters)  # a warning would be an error


def test_columns_of_an_encoding_know_the_degrees_they_were_learned_on():
    transform = AddEgoEncoding(vocabulary=egonet.encode(SPARSE, radius=1))

    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        transform(DENSE)
    with pytest.warns(UserWarning, match="degrees differ by 1.00"):
        AddEgoEncoding(vocabulary=egonet.encode(SPARSE, radius=1).vocabulary)(DENSE)


def test_graphs_that_differ_no_more_than_those_learned_on_are_not_warned_about():
    transform = AddEgoEncoding.from_dataset([SPARSE, DENSE], radius=1)

    transform.add_to([SPARSE, DENSE])
    reload(transform)(DENSE)


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

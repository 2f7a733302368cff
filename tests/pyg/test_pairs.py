"""`AddPairEncoding`: the rows of `edge_label_index`, in the training graph, for splits and for loaders."""

import pickle

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkLoader
from torch_geometric.sampler import BaseSampler, SamplerOutput
from torch_geometric.transforms import Compose, RandomLinkSplit

import egonet
from egonet.errors import InputError


@pytest.fixture
def club():
    graph = egonet.named.karate_club()
    ends = np.array([[graph.index_of(u), graph.index_of(v)] for u, v in graph.edges().tolist()])
    both = np.concatenate([ends, ends[:, ::-1]]).T
    return Data(edge_index=torch.from_numpy(np.ascontiguousarray(both)), num_nodes=graph.num_nodes)


def split(data):
    torch.manual_seed(0)
    return RandomLinkSplit(num_val=0.1, num_test=0.2, is_undirected=True)(data)


def test_rows_are_those_of_encode_pairs_in_the_training_graph(club):
    train, _, test = split(club)
    transform = egonet.AddPairEncoding(radius=1)

    for part in (train, test):
        found = transform(part)
        graph = egonet.Graph.from_edges(part.edge_index.T.numpy(), num_nodes=34)
        known = egonet.encode_pairs(graph, part.edge_label_index.T, vocabulary=transform.vocabulary)
        assert found.pair_encoding.tolist() == known.matrix.toarray().tolist()
        assert found.pair_encoding.shape == (part.edge_label_index.shape[1], len(transform.vocabulary))
        assert not hasattr(part, "pair_encoding")


def test_two_pairs_are_the_columns_of_edge_label_index(club):
    club.edge_label_index = torch.tensor([[0, 1], [2, 3]])
    transform = egonet.AddPairEncoding.from_data(club, radius=1)

    known = egonet.encode_pairs(club, [(0, 2), (1, 3)], vocabulary=transform.vocabulary)
    assert transform(club).pair_encoding.tolist() == known.matrix.toarray().tolist()


def test_a_training_edge_does_not_show_in_its_own_row(club):
    train, _, _ = split(club)
    pair = train.edge_index[:, :1]
    keep = ~((train.edge_index == pair).all(0) | (train.edge_index == pair.flip(0)).all(0))
    with_edge, without = train.clone(), train.clone()
    with_edge.edge_label_index = without.edge_label_index = pair
    without.edge_index = train.edge_index[:, keep]

    transform = egonet.AddPairEncoding(radius=2)

    assert transform(with_edge).pair_encoding.equal(transform(without).pair_encoding)


class FirstNeighbors(BaseSampler):
    """A neighbor sampler without the compiled packages: the ends of the pairs and the edges among them."""

    def __init__(self, data):
        self.data = data

    def sample_from_nodes(self, index):
        raise NotImplementedError

    def sample_from_edges(self, index, neg_sampling=None):
        pairs = torch.stack([index.row, index.col])
        nodes, local = pairs.unique(return_inverse=True)
        none = torch.empty(0, dtype=torch.long)
        return SamplerOutput(
            node=nodes, row=none, col=none, edge=none, metadata=(index.input_id, local, index.label, None)
        )


def test_batches_of_a_link_loader_are_encoded_in_the_graph_given(club):
    train, _, _ = split(club)
    transform = egonet.AddPairEncoding(radius=1, graph=train)
    loader = LinkLoader(
        train,
        link_sampler=FirstNeighbors(train),
        edge_label_index=train.edge_label_index,
        edge_label=train.edge_label,
        batch_size=16,
        transform=transform,
    )

    batches = list(loader)
    whole = transform(train).pair_encoding

    assert torch.cat([batch.pair_encoding for batch in batches]).equal(whole)


def test_a_sampled_batch_without_the_graph_is_an_error(club):
    club.edge_label_index, club.n_id = club.edge_index[:, :3], torch.arange(34)

    with pytest.raises(
        InputError, match=r"is a sample, with wrong distances .* AddPairEncoding\(graph=train_data\)"
    ):
        egonet.AddPairEncoding(radius=1)(club)


def test_columns_can_be_learned(club):
    train, _, test = split(club)
    transform = egonet.AddPairEncoding.from_data(train, radius=2)

    assert transform(test).pair_encoding.shape[1] == len(transform.vocabulary) < 100
    assert pickle.loads(pickle.dumps(transform))(test).pair_encoding.equal(transform(test).pair_encoding)
    assert Compose([transform])(test).pair_encoding.any()


def test_every_key_of_any_graph_has_a_column(club):
    train, _, _ = split(club)
    transform = egonet.AddPairEncoding(radius=(1, 2), unseen="error")

    assert transform(train).pair_encoding.any()
    assert egonet.AddPairEncoding(1, ordered=True, unseen="error")(train).pair_encoding.any()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), "needs an edge_label_index of shape"),
        (HeteroData(), "one kind of nodes, got HeteroData"),
    ],
)
def test_data_without_pairs_is_one_sentence(data, message):
    with pytest.raises(InputError, match=message):
        egonet.AddPairEncoding(radius=1)(data)


def test_wrong_arguments_are_one_sentence():
    learned = egonet.encode_pairs([(0, 1), (1, 2)], [(0, 2)])

    with pytest.raises(InputError, match="a vocabulary has its own settings"):
        egonet.AddPairEncoding(radius=2, vocabulary=learned)
    with pytest.raises(
        InputError, match=r"learned with without_edge=True, got False\. Leave without_edge out\."
    ):
        egonet.AddPairEncoding(vocabulary=learned, without_edge=False)
    binned = egonet.AddPairEncoding(1).vocabulary
    with pytest.raises(
        InputError, match=r"learned with degree_bins='log', got None\. Leave degree_bins out\."
    ):
        egonet.AddPairEncoding(vocabulary=binned, degree_bins=None)
    assert egonet.AddPairEncoding(vocabulary=learned, degree_bins=None).vocabulary is learned.vocabulary
    with pytest.raises(InputError, match=r"from_data learns the columns, got a vocabulary\. Leave it out"):
        egonet.AddPairEncoding.from_data(Data(), vocabulary=learned)
    with pytest.raises(InputError, match="attr_name must not contain 'edge'"):
        egonet.AddPairEncoding(attr_name="edge_rows")
    with pytest.raises(InputError, match="columns for every distance and degree are at most"):
        egonet.AddPairEncoding(radius=2, degree_bins=None, max_degree=10**6)


def test_columns_with_labels_raise_before_any_graph_is_seen():
    path, pair = [(0, 1), (1, 2)], [(0, 2)]
    learned = egonet.encode_pairs(path, pair, labels=[1, 2, 1])

    with pytest.raises(
        InputError, match=r"labels must name an attribute if and only if .*from_data\(data, labels="
    ):
        egonet.AddPairEncoding(vocabulary=learned)
    with pytest.raises(InputError, match="labels must name an attribute if and only if"):
        egonet.AddPairEncoding(1, labels="kind")
    typed = egonet.encode_pairs(path, pair, edge_labels=["x", "y"])
    with pytest.raises(InputError, match="edge_labels or weights must name an attribute"):
        egonet.AddPairEncoding(vocabulary=typed)
    with pytest.raises(InputError, match=r"limits of weights are part of a vocabulary\. Use .*from_data"):
        egonet.AddPairEncoding(1, weights="amount", weight_bins=[10])


def labeled(data):
    """Return the club with a label per node, and a type and an amount per edge, the same in both directions."""
    source, target = data.edge_index
    data.kind = torch.arange(34) % 3
    data.bond = (source + target) % 2
    data.amount = (source * target).float()
    data.edge_label_index = torch.tensor([[0, 1, 5, 33, 0], [2, 3, 6, 9, 33]])
    return data


@pytest.mark.parametrize(
    "options",
    [
        {"labels": "kind"},
        {"edge_labels": "bond"},
        {"labels": "kind", "edge_labels": "bond"},
        {"weights": "amount", "weight_bins": [10, 100]},
        {"labels": "kind", "weights": "amount", "weight_bins": 3},
    ],
)
def test_rows_with_labels_and_edge_types_are_those_of_encode_pairs(club, options):
    data = labeled(club)
    source, target = data.edge_index.numpy()
    once = source < target
    values = {name: getattr(data, options[name]).numpy() for name in options if name != "weight_bins"}
    values = {name: value if name == "labels" else value[once] for name, value in values.items()}
    bins = {name: value for name, value in options.items() if name == "weight_bins" and value != 3}
    pairs = data.edge_label_index.T.tolist()

    transform = egonet.AddPairEncoding.from_data(data, (1, 2), **options)
    found = transform(data)

    if options.get("weight_bins") == 3:  # quantiles of the arcs, which list every weight twice
        bins = {"weight_bins": transform.vocabulary.settings.weight_bins}
    edges = list(zip(source[once].tolist(), target[once].tolist(), strict=True))
    graph = egonet.as_graph(edges, num_nodes=34, **values)
    known = egonet.encode_pairs(graph, pairs, (1, 2), degree_bins="log", **bins)
    assert transform.vocabulary.feature_names == known.feature_names
    assert found.pair_encoding.tolist() == known.matrix.toarray().tolist()
    assert pickle.loads(pickle.dumps(transform))(data).pair_encoding.equal(found.pair_encoding)
    attributes = {name: value for name, value in options.items() if name != "weight_bins"}
    again = egonet.AddPairEncoding(vocabulary=transform.vocabulary, graph=data, **attributes)
    assert again(data).pair_encoding.equal(found.pair_encoding)
    assert all(f"{name}={value!r}" in repr(again) for name, value in attributes.items())


def test_types_of_the_whole_graph_count_for_batches(club):
    whole = labeled(club)
    transform = egonet.AddPairEncoding.from_data(whole, graph=whole, labels="kind", edge_labels="bond")
    batch = Data(edge_label_index=torch.tensor([[0], [1]]), n_id=torch.tensor([33, 9]), num_nodes=2)

    assert transform(batch).pair_encoding[0].equal(transform(whole).pair_encoding[3])


def test_a_graph_that_carries_labels_needs_no_attribute():
    graph = egonet.as_graph([(0, 1), (1, 2)], labels=["C", "O", "N"], edge_labels=["x", "y"])
    data = Data(edge_label_index=torch.tensor([[0], [2]]), n_id=torch.arange(3), num_nodes=3)

    transform = egonet.AddPairEncoding.from_data(data, graph=graph, degree_bins=None)

    known = egonet.encode_pairs(graph, [(0, 2)])
    assert transform.vocabulary.feature_names == known.feature_names
    assert transform(data).pair_encoding.tolist() == known.matrix.toarray().tolist()
    assert egonet.AddPairEncoding(vocabulary=known, graph=graph)(data).pair_encoding.tolist() == (
        known.matrix.toarray().tolist()
    )

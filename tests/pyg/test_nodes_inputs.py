"""A wrong edge_index gives the same sentence in `encode`, in lists of graphs and in the transform."""

import pytest

from contracts.parts import need

need("torch_geometric")
import torch  # noqa: E402
from torch_geometric.data import Batch, Data, HeteroData  # noqa: E402

import egonet  # noqa: E402
from egonet.errors import IgnoredInputWarning, InputError  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402

WRONG = {
    "transposed": (
        torch.tensor([[0, 1], [1, 2], [2, 3]]),
        r"shape \(2, num_edges\), got shape \(3, 2\) of int64. Transpose",
    ),
    "float": (
        torch.tensor([[0.0, 1.0], [1.0, 2.0]]),
        r"whole numbers, got shape \(2, 2\) of float32. Convert it",
    ),
    "half": (torch.zeros((2, 2), dtype=torch.bfloat16), "whole numbers, got .* of bfloat16"),
    "negative": (
        torch.tensor([[0, -1], [1, 2]]),
        r"edge_index must hold node numbers >= 0, got edge \(-1, 2\)",
    ),
    "too large": (
        torch.tensor([[0, 1], [1, 9]]),
        r"\(shape \(2, 2\) of int64\) points at node 9, but the graph has 4 nodes",
    ),
    "flat": (torch.tensor([0, 1, 2]), r"shape \(2, num_edges\), got shape \(3,\) of int64"),
}


@pytest.fixture(params=WRONG, ids=list(WRONG))
def wrong(request):
    index, message = WRONG[request.param]
    return Data(edge_index=index, x=torch.zeros(4, 1)), message


def test_encode_names_what_is_wrong_with_an_edge_index(wrong):
    with pytest.raises(InputError, match=wrong[1]):
        egonet.encode(wrong[0])


def test_lists_of_graphs_name_what_is_wrong_with_an_edge_index(wrong):
    good = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)

    with pytest.raises(InputError, match="graph 1 .*" + wrong[1]):
        egonet.encode([good, wrong[0]])


def test_transform_names_what_is_wrong_with_an_edge_index(wrong):
    transform = AddEgoEncoding(1, max_degree=3)

    with pytest.raises(InputError, match=wrong[1]):
        transform(wrong[0])
    with pytest.raises(InputError, match=wrong[1]):
        transform.add_to([wrong[0]])
    with pytest.raises(InputError, match=wrong[1]):
        AddEgoEncoding.from_dataset([wrong[0]])


def test_a_square_edge_index_holds_two_edges():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)

    assert egonet.encode(data, 1, directed=False)[1] == {(0, 2): 1, (1, 1): 2}


PATH = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3, kind=torch.tensor([0, 1, 0]))


def test_from_dataset_takes_one_data_as_a_data_set_of_one_graph():
    one, listed = (AddEgoEncoding.from_dataset(it, radius=1) for it in (PATH, [PATH]))

    assert one.vocabulary.feature_names == listed.vocabulary.feature_names
    assert len(one.vocabulary) == 3


def test_from_dataset_reads_a_generator_once():
    transform = AddEgoEncoding.from_dataset((data for data in [PATH, PATH]), radius=1, labels="kind")

    assert transform(PATH).ego_encoding.sum(dim=1).tolist() == [2, 3, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unseen": "warn"}, "unseen must be one of 'clip', 'ignore', 'error', got 'warn'"),
        ({"weighting": "tfidf"}, "weighting must be one of 'count', 'log', 'paper', 'rank', got 'tfidf'"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"attr_name": "my_index"}, "must not contain 'index'"),
    ],
)
def test_transform_raises_for_wrong_options_before_it_reads_the_data(options, message):
    def unread():
        raise AssertionError("the data was read")
        yield

    with pytest.raises(InputError, match=message):
        AddEgoEncoding.from_dataset(unread(), **options)
    with pytest.raises(InputError, match=message):
        AddEgoEncoding(1, max_degree=2, **options)


def test_transform_takes_the_vocabulary_of_an_encoding():
    encoding = egonet.encode(PATH, 1)

    assert torch.equal(AddEgoEncoding(vocabulary=encoding)(PATH).ego_encoding, encoding.to_torch())


def test_transform_raises_for_hetero_data_without_nodes():
    transform = AddEgoEncoding(1, max_degree=3)
    edges_only = HeteroData()
    edges_only["a", "to", "b"].edge_index = torch.tensor([[0], [1]])
    half = HeteroData()
    half["a"].num_nodes = 2
    half["a", "to", "b"].edge_index = torch.tensor([[0], [1]])

    for data in (HeteroData(), edges_only):
        with pytest.raises(InputError, match="needs node types"):
            transform(data)
    with pytest.raises(
        InputError, match=r"\('a', 'to', 'b'\) contains the node type 'b', which has no nodes"
    ):
        transform(half)


def test_transform_raises_for_hetero_edges_beyond_their_node_type():
    data = HeteroData()
    data["a"].num_nodes = 2
    data["b"].num_nodes = 2
    data["a", "to", "b"].edge_index = torch.tensor([[2], [0]])

    with pytest.raises(
        InputError, match=r"\('a', 'to', 'b'\): edge \(2, 0\) .*node 2, but the graph has 2 nodes"
    ):
        AddEgoEncoding(1, max_degree=3)(data)


@pytest.mark.parametrize("item", [None, (0, 1), {}], ids=["None", "pair", "dict"])
def test_data_set_with_something_else_than_data_raises(item):
    said = r"^graph 1 \(counted from 0\) must be a PyG Data, got "
    transform = AddEgoEncoding(1, max_degree=3)

    with pytest.raises(InputError, match=said):
        AddEgoEncoding.from_dataset([PATH, item], radius=1)
    with pytest.raises(InputError, match=said):
        transform.add_to([PATH, item])
    with pytest.raises(InputError, match=said):
        transform.count_unseen([PATH, item])


def test_transform_reads_an_edge_index_of_lists():
    listed = Data(edge_index=[[0, 1, 1, 2], [1, 0, 2, 1]], num_nodes=3)
    transform = AddEgoEncoding(1, max_degree=3)

    assert transform(listed).ego_encoding.equal(transform(PATH).ego_encoding)
    assert transform.add_to([listed])[0].ego_encoding.equal(transform(PATH).ego_encoding)


def test_arcs_without_opposites_are_read_as_edges_with_a_warning_only():
    arcs = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)

    with pytest.warns(IgnoredInputWarning, match="Arcs are read as undirected edges"):
        warned = AddEgoEncoding(1, max_degree=2)(arcs)

    told = AddEgoEncoding(1, max_degree=2, directed=False)(arcs)
    assert torch.equal(warned.ego_encoding, told.ego_encoding)


def test_repeated_arcs_with_their_opposites_are_no_arcs():
    both = Data(edge_index=torch.tensor([[0, 0, 1], [1, 1, 0]]), num_nodes=2)

    assert AddEgoEncoding(1, max_degree=1)(both).ego_encoding.tolist() == [[0, 1, 0, 1]] * 2


def test_a_list_and_a_batch_of_arcs_are_warned_about():
    arcs = [
        Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2),
        Data(edge_index=torch.tensor([[1], [0]]), num_nodes=2),
    ]
    transform = AddEgoEncoding(1, max_degree=1)

    with pytest.warns(IgnoredInputWarning, match="Arcs are read as undirected"):
        transform.add_to(arcs)
    with pytest.warns(IgnoredInputWarning, match="Arcs are read as undirected"):
        transform(Batch.from_data_list(arcs))


def test_the_transform_follows_arcs_and_counts_them():
    arcs = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)

    followed = AddEgoEncoding(1, max_degree=1, directed="out")(arcs).ego_encoding
    counted = AddEgoEncoding.from_dataset([arcs], 1, degrees="in_out", follow="out")

    assert followed.tolist() == [[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 0]]
    assert counted.vocabulary.feature_names == ["r1_d0_in0_out0", "r1_d0_in0_out1", "r1_d1_in1_out0"]
    assert counted(arcs).ego_encoding.tolist() == [[0, 1, 1], [0, 1, 1], [1, 0, 0]]
    assert "directed='out'" in repr(counted)


@pytest.mark.parametrize("options", [{"degrees": "in_out"}, {"degrees": "layered"}, {"degrees": "full"}])
@pytest.mark.parametrize("bins", [{"degree_bins": "log", "max_degree": 9}, {"max_degree": 3}])
def test_columns_of_all_degrees_are_fixed_without_a_data_set(options, bins):
    arcs = torch.tensor([[0, 1, 2, 2, 0], [1, 2, 0, 3, 2]])
    directed = "out" if options["degrees"] == "in_out" else False
    data = Data(edge_index=arcs, num_nodes=4)

    rows = AddEgoEncoding(radius=1, directed=directed, **options, **bins)(data).ego_encoding

    learned = AddEgoEncoding.from_dataset([data], radius=1, directed=directed, **options, **bins)
    assert rows.sum(dim=1).tolist() == learned(data).ego_encoding.sum(dim=1).tolist()
    assert sorted(rows[rows > 0].tolist()) == sorted(
        learned(data).ego_encoding[learned(data).ego_encoding > 0].tolist()
    )


def test_too_many_fixed_columns_are_one_sentence():
    with pytest.raises(
        InputError, match=r'degrees="full" are at most 100,000, got .* Use a smaller max_degree'
    ):
        AddEgoEncoding(radius=2, degrees="full", max_degree=100)

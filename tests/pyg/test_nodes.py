"""The PyG transform: what it writes on a `Data`, a `Batch` and `HeteroData`."""

import copy
import pickle
import re

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.data import Batch, Data, HeteroData  # noqa: E402
from torch_geometric.data.datapipes import DatasetAdapter  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402
from torch_geometric.transforms import Compose, ToUndirected  # noqa: E402

import egonet  # noqa: E402
from contracts.pyg import path, tailed_triangle, undirected  # noqa: E402
from egonet.errors import InputError  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402

TRIANGLE_ROWS = [[0, 1, 0, 0, 2], [0, 1, 0, 0, 2], [0, 0, 1, 1, 2], [1, 0, 0, 1, 0]]


def test_the_columns_of_a_data_set_are_those_seen_in_it():
    transform = AddEgoEncoding.from_dataset([tailed_triangle()], radius=1)

    assert transform(tailed_triangle()).ego_encoding.tolist() == TRIANGLE_ROWS
    assert transform(path(2)).ego_encoding.tolist() == [[1, 0, 0, 1, 0]] * 2


def test_without_a_data_set_columns_are_the_papers_up_to_a_degree():
    rows = AddEgoEncoding(radius=1, max_degree=2)(tailed_triangle()).ego_encoding

    assert rows.tolist()[2] == [0, 0, 1, 0, 1, 2]
    assert rows.dtype == torch.float32


def test_the_graph_given_stays_as_it_is():
    data = tailed_triangle()

    AddEgoEncoding(radius=1, max_degree=2)(data)

    assert "ego_encoding" not in data


def test_the_transform_has_a_functional_name():
    pipe = DatasetAdapter([path(2), path(3)]).add_ego_encoding(0, max_degree=2)

    assert [data.ego_encoding.shape[0] for data in pipe] == [2, 3]


@pytest.mark.parametrize("x", [None, torch.ones(4, 2), torch.ones(4)], ids=["none", "columns", "one column"])
def test_the_encoding_is_appended_to_x(x):
    transform = AddEgoEncoding.from_dataset([tailed_triangle()], 1, None)

    out = transform(tailed_triangle(x=x))

    given = 0 if x is None else x.reshape(4, -1).shape[1]
    assert out.x[:, given:].tolist() == TRIANGLE_ROWS
    assert out.x[:, :given].tolist() == [[1.0] * given] * 4


def test_the_result_is_on_the_device_of_the_graph():
    """The meta device stands for one that is not the processor: values cannot be read there, positions can."""
    if torch.cuda.is_available():
        out = AddEgoEncoding(1, max_degree=2)(tailed_triangle().to("cuda"))
        assert out.ego_encoding.is_cuda
    store = {}
    transform = AddEgoEncoding(1, max_degree=2)

    transform._write(store, torch.zeros(2, 6), torch.device("meta"))

    assert store["ego_encoding"].device.type == "meta"


def test_isolated_nodes_keep_their_rows():
    lonely = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3)

    assert AddEgoEncoding(0, max_degree=1, directed=False)(lonely).ego_encoding.tolist() == [
        [0, 1],
        [0, 1],
        [1, 0],
    ]


@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled")  # by PyG
def test_sparse_encodings_are_coalesced_coo_and_can_be_batched():
    transform = AddEgoEncoding.from_dataset([tailed_triangle()], 1, sparse=True)

    out = transform(tailed_triangle()).ego_encoding
    batch = Batch.from_data_list([transform(tailed_triangle()), transform(path(2))])

    assert out.layout == torch.sparse_coo
    assert out.is_coalesced()
    assert out.to_dense().tolist() == TRIANGLE_ROWS
    assert batch.ego_encoding.to_dense().tolist() == [*TRIANGLE_ROWS, *[[1, 0, 0, 1, 0]] * 2]


def test_a_batch_is_encoded_as_the_disjoint_union_and_comes_apart_again():
    graphs = [tailed_triangle(), path(2), path(3)]
    transform = AddEgoEncoding.from_dataset(graphs, 2)

    batch = transform(Batch.from_data_list(graphs))

    one_by_one = Batch.from_data_list([transform(data) for data in graphs])
    assert batch.ego_encoding.tolist() == one_by_one.ego_encoding.tolist()
    assert [data.ego_encoding.tolist() for data in batch.to_data_list()] == [
        transform(data).ego_encoding.tolist() for data in graphs
    ]


def test_loaders_batch_the_attribute():
    graphs = [tailed_triangle(), path(2), path(3), path(5)]
    transform = AddEgoEncoding.from_dataset(graphs, 1)

    batches = list(DataLoader([transform(data) for data in graphs], batch_size=2))

    assert [tuple(batch.ego_encoding.shape) for batch in batches] == [(6, 5), (8, 5)]
    assert batches[0].ego_encoding.tolist()[:4] == TRIANGLE_ROWS


def hetero():
    """Return buyers 0, 1 and shops 0, 1, 2: buyer 0 at shops 0 and 1, buyer 1 at shop 1; shop 2 is new."""
    data = HeteroData()
    data["buyer"].num_nodes = 2
    data["shop"].x = torch.zeros(3, 1)
    data["buyer", "buys", "shop"].edge_index = torch.tensor([[0, 0, 1], [0, 1, 1]])
    return data


def test_node_types_are_encoded_on_the_union_and_get_their_rows():
    """The union is the path buyer 1, shop 1, buyer 0, shop 0, and shop 2 alone."""
    out = AddEgoEncoding(0, max_degree=2, directed=False)(hetero())

    assert out["buyer"].ego_encoding.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert out["shop"].ego_encoding.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_labels_of_node_types_are_joined():
    data = hetero()
    data["buyer"].kind = torch.tensor([7, 7])
    data["shop"].kind = torch.tensor([8, 8, 8])
    union = egonet.Graph.from_edges([(0, 2), (0, 3), (1, 3)], num_nodes=5)
    vocabulary = egonet.encode(union, 0, labels=[7, 7, 8, 8, 8]).vocabulary

    out = AddEgoEncoding(vocabulary=vocabulary, labels="kind", directed=False)(data)

    assert vocabulary.columns == [(0, 0, 8), (0, 1, 7), (0, 1, 8), (0, 2, 7), (0, 2, 8)]
    assert out["buyer"].ego_encoding.tolist() == [[0, 0, 0, 1, 0], [0, 1, 0, 0, 0]]


def test_batches_of_node_types_come_apart_again():
    transform = AddEgoEncoding(1, max_degree=2, directed=False)

    batch = transform(Batch.from_data_list([hetero(), hetero()]))

    assert [data["shop"].ego_encoding.tolist() for data in batch.to_data_list()] == [
        transform(hetero())["shop"].ego_encoding.tolist()
    ] * 2


@pytest.mark.parametrize("labels", [torch.tensor([6, 6, 7, 6]), torch.tensor([[6], [6], [7], [6]])])
def test_labels_become_part_of_the_columns(labels):
    data = tailed_triangle(z=labels)

    transform = AddEgoEncoding.from_dataset([data], 0, labels="z")

    assert transform.vocabulary.columns == [(0, 1, 6), (0, 2, 6), (0, 3, 7)]
    assert transform(data).ego_encoding.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_one_hot_rows_are_labels_too():
    one_hot = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])

    transform = AddEgoEncoding.from_dataset([tailed_triangle(x=one_hot)], 0, labels="x")

    assert transform.vocabulary.columns == [(0, 1, 0), (0, 2, 0), (0, 3, 1)]
    with pytest.raises(InputError, match="labels must be whole numbers or one-hot rows, but 'x' is neither"):
        transform(tailed_triangle(x=torch.full((4, 2), 0.5)))


def test_unseen_keys_are_clipped_or_ignored_or_raise_and_are_counted():
    star = undirected([(0, leaf) for leaf in range(1, 5)], num_nodes=5)
    learn = [path(3)]

    assert AddEgoEncoding.from_dataset(learn, 1)(star).ego_encoding.tolist()[0] == [0, 1, 4]
    assert AddEgoEncoding.from_dataset(learn, 1, unseen="ignore")(star).ego_encoding.tolist()[0] == [0, 0, 4]
    assert AddEgoEncoding.from_dataset(learn, 1).count_unseen([star]).clipped == 1
    with pytest.raises(InputError, match="never saw"):
        AddEgoEncoding.from_dataset(learn, 1, unseen="error")(star)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my_index", r"attr_name must not contain 'index': PyG would batch 'my_index' wrongly\."),
        ("batch_of", "attr_name must not contain 'batch'"),
        ("adjacent", "attr_name must not contain 'adj'"),
        ("edge_counts", "attr_name must not contain 'edge'"),
        ("x", r"attr_name must not be 'x', which would be lost\. Use attr_name=None"),
        ("y", "attr_name must not be 'y', which PyG uses itself"),
        ("face", "attr_name must not be 'face', which PyG uses itself"),
        ("ptr", "attr_name must not be 'ptr', which PyG uses itself"),
        ("num_nodes", "attr_name must not be 'num_nodes', which PyG uses itself"),
        ("keys", "attr_name must not be 'keys', which PyG uses itself"),
        ("_hidden", "attr_name must be a name such as 'ego_encoding', got '_hidden'"),
        ("two options", "attr_name must be a name such as 'ego_encoding', got 'two options'"),
    ],
)
def test_names_that_break_batching_raise(name, message):
    with pytest.raises(InputError, match=message):
        AddEgoEncoding(1, name, max_degree=2)


def test_a_forbidden_name_breaks_batching():
    """Why the refusal: PyG lays attributes with "index" in their name side by side and shifts their values."""
    graphs = [path(2, my_index=torch.ones(2, 3)), path(2, my_index=torch.ones(2, 3))]

    assert Batch.from_data_list(graphs).my_index.tolist() == [[1, 1, 1, 3, 3, 3]] * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"degrees": "full"},
            r'every graph must get the same columns: give max_degree, degree_bins="log" or a vocabulary',
        ),
        ({"max_degree": 2, "labels": "z"}, "labels must name an attribute if and only if"),
        (
            {"max_degree": 2, "attr_name": None, "sparse": True},
            "x is dense: give attr_name for a sparse encoding",
        ),
        ({"radius": 2.5, "max_degree": 2}, r"radius must be a whole number >= 0, got 2\.5"),
    ],
)
def test_options_that_break_a_rule_raise(options, message):
    with pytest.raises(InputError, match=message):
        AddEgoEncoding(**options)


def test_a_vocabulary_has_its_own_settings():
    vocabulary = egonet.encode([(0, 1)], 1).vocabulary

    with pytest.raises(InputError, match="a vocabulary has its own settings"):
        AddEgoEncoding(2, vocabulary=vocabulary)


def test_a_graph_without_edges_given_raises():
    with pytest.raises(
        InputError, match=r"a PyG Data must have an edge_index or adj_t, got Data.* and num_nodes\."
    ):
        AddEgoEncoding(1, max_degree=2)(Data(x=torch.zeros(2, 1)))


def test_the_description_has_every_setting_that_changes_the_result():
    transform = AddEgoEncoding(1, max_degree=2)
    others = [
        AddEgoEncoding(2, max_degree=2),
        AddEgoEncoding(1, max_degree=3),
        AddEgoEncoding(1, "other", max_degree=2),
        AddEgoEncoding(1, None, max_degree=2),
        AddEgoEncoding(1, max_degree=2, frontier_edges=False),
        AddEgoEncoding(1, max_degree=2, weighting="log"),
        AddEgoEncoding(1, max_degree=2, unseen="ignore"),
        AddEgoEncoding(1, max_degree=2, sparse=True),
        AddEgoEncoding(1, max_degree=2, directed=False),
        AddEgoEncoding(1, max_degree=2, directed="out"),
        AddEgoEncoding.from_dataset([path(3)], 1),
        AddEgoEncoding.from_dataset([path(4)], 1, degrees="full"),
        AddEgoEncoding.from_dataset([path(9)], 2),
        AddEgoEncoding.from_dataset([tailed_triangle()], 2),
        AddEgoEncoding.from_dataset([tailed_triangle()], 1, common=True),
        AddEgoEncoding.from_dataset([tailed_triangle()], 1, rooted="edge"),
        AddEgoEncoding.from_dataset([path(3)], 1, rooted="edge"),
    ]

    assert len({repr(one) for one in [transform, *others]}) == 18
    assert repr(AddEgoEncoding(1, max_degree=2, threads=2)) == repr(transform)
    assert re.fullmatch(
        r"AddEgoEncoding\(radius=1, max_degree=2, layout='paper', columns=6, digest='[0-9a-f]{12}'\)",
        repr(transform),
    )
    assert max(len(repr(one)) for one in others) < 130


def test_the_cap_of_a_vocabulary_is_heeded():
    star = Data(edge_index=torch.tensor([[0, 0, 0], [1, 2, 3]]), num_nodes=4)
    learned = egonet.encode(egonet.as_graph(star, directed=False), radius=1, cap=1)

    np.testing.assert_array_equal(
        AddEgoEncoding(vocabulary=learned.vocabulary, directed=False)(star).ego_encoding.numpy(),
        learned.to_dense(),
    )


@pytest.mark.parametrize("again", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy])
def test_a_copy_of_the_transform_gives_the_same(again):
    transform = AddEgoEncoding(1, max_degree=2)
    path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)

    assert repr(again(transform)) == repr(transform)
    assert again(transform)(path).ego_encoding.tolist() == transform(path).ego_encoding.tolist()


@pytest.mark.parametrize("options", [{"common": True}, {"rooted": "edge"}, {"rooted": "pair"}])
def test_stronger_encodings_are_the_same_by_every_road(options):
    graphs = [tailed_triangle(), path(3)]
    transform = AddEgoEncoding.from_dataset(graphs, 1, **options)

    expected = egonet.encode(graphs, 1, **options)

    assert [transform(data).ego_encoding.tolist() for data in graphs] == [
        expected.part(index).to_dense().tolist() for index in range(2)
    ]
    assert transform.add_to(graphs)[0].ego_encoding.tolist() == expected.part(0).to_dense().tolist()


def test_transforms_can_be_composed():
    arcs = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)

    out = Compose([ToUndirected(), AddEgoEncoding(0, max_degree=2)])(arcs)

    assert out.ego_encoding.tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_edge_types_become_part_of_the_columns():
    data = path(3)
    data.bond = (data.edge_index.sum(dim=0) > 1).long()

    transform = AddEgoEncoding.from_dataset([data], 1, edge_labels="bond")

    assert transform.vocabulary.feature_names == [
        *("r1_d0_deg1", "r1_d0_deg2", "r1_d1_0_deg2", "r1_d1_1_deg2", "r1_d2_deg1"),
    ]
    assert transform(data).ego_encoding.tolist() == [[1, 0, 1, 0, 1], [0, 1, 1, 1, 2], [1, 0, 0, 1, 1]]
    assert transform.add_to([data])[0].ego_encoding.tolist() == transform(data).ego_encoding.tolist()
    batch = transform(Batch.from_data_list([data, data]))
    assert batch.ego_encoding.tolist() == transform(data).ego_encoding.tolist() * 2
    with pytest.raises(InputError, match="edge_labels or weights must name an attribute if and only if"):
        AddEgoEncoding(vocabulary=transform.vocabulary)


def test_node_types_and_edge_types_of_hetero_data_are_labels():
    transform = AddEgoEncoding.from_dataset([hetero()], 1, types=True, directed=False)

    out = transform(hetero())

    names = transform.vocabulary.feature_names
    assert any(name.endswith("_labelbuyer") for name in names)
    assert any("buyer__" in name and name.startswith("r1_d1_") for name in names)
    assert out["buyer"].ego_encoding.shape == (2, len(names))
    assert out["shop"].ego_encoding[2].sum() == 1
    with pytest.raises(InputError, match="types=True takes the types of HeteroData"):
        AddEgoEncoding.from_dataset([path(3)], 1, types=True)
    assert transform.count_unseen([hetero()]).num_rows == 0
    other = hetero()
    other["buyer"].num_nodes = 3
    assert transform.count_unseen([hetero(), other]).num_rows == 1


@pytest.mark.parametrize("name", ["labels", "edge_labels", "weights"])
def test_attributes_in_addition_to_types_raise(name):
    learned = AddEgoEncoding.from_dataset([hetero()], 1, types=True, directed=False).vocabulary
    message = f"types=True takes the types of HeteroData for nodes and edges, got {name}='kind' too. Leave out {name}"

    with pytest.raises(InputError, match=message):
        AddEgoEncoding.from_dataset([hetero()], 1, types=True, directed=False, **{name: "kind"})
    with pytest.raises(InputError, match=message):
        AddEgoEncoding(vocabulary=learned, types=True, **{name: "kind"})

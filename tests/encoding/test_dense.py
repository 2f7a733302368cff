"""The fast path of the transform for small graphs: the same graph, copy and rows as through PyG."""

import copy

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.data import Batch, Data  # noqa: E402

import egonet  # noqa: E402
from egonet.encoding.dense import count_data, dense_columns  # noqa: E402
from egonet.graph.pyg_data import copy_of  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
#: The counts of a path of three at radius 1: degrees 0 to 2 at distance 0, then at distance 1.
ROWS = [[0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 2, 0], [0, 1, 0, 0, 1, 0]]
TRANSFORM = AddEgoEncoding(1, max_degree=2)


@pytest.fixture
def fast_paths(monkeypatch):
    """Return a list that gets an entry for every graph counted by the fast path."""
    taken = []

    def noted(columns, data):
        counts = count_data(columns, data)
        taken.extend([] if counts is None else [data])
        return counts

    monkeypatch.setattr("egonet.pyg.nodes.count_data", noted)
    return taken


class OwnTensor(torch.Tensor):
    """A tensor of somebody else's."""


@pytest.mark.parametrize(
    ("index", "is_short"),
    [
        (PATH, True),
        (PATH.repeat(1, 3)[:, 4:8], True),  # a part of a larger one, as data sets hand out
        (PATH[:, [3, 0, 2, 1]], True),
        (PATH.repeat_interleave(2, dim=1)[:, ::2], False),  # gaps between the arcs
        (PATH.t().contiguous().t(), False),
        (PATH.int(), False),
        (PATH.as_subclass(OwnTensor), False),
    ],
)
def test_arcs_are_read_for_every_memory_layout(fast_paths, index, is_short):
    data = Data(edge_index=index, num_nodes=3)

    assert TRANSFORM(data).ego_encoding.tolist() == ROWS
    assert len(fast_paths) == is_short


@pytest.mark.parametrize("size", [torch.tensor(3), "x", "pos", "edge_index"])
def test_the_number_of_nodes_is_what_pyg_says(size):
    data = Data(edge_index=PATH)
    if isinstance(size, torch.Tensor):
        data.num_nodes = size
    elif size == "edge_index":
        with pytest.warns(UserWarning, match="Unable to accurately infer 'num_nodes'"):
            assert TRANSFORM(data).ego_encoding.tolist() == ROWS
        return
    else:
        data[size] = torch.zeros(3, 2)

    assert TRANSFORM(data).ego_encoding.tolist() == ROWS


def test_a_copy_shares_values_but_not_the_fields():
    data = Data(edge_index=PATH, x=torch.zeros(3, 1), note="kept")

    made, other = copy_of(data), copy.copy(data)
    made.x = None

    assert sorted(other.keys()) == sorted(data.keys()) == ["edge_index", "note", "x"]
    assert made.edge_index is data.edge_index
    assert sorted(made.keys()) == ["edge_index", "note"]
    assert (type(made), made._store._parent() is made) == (Data, True)
    assert made.__dict__.keys() == other.__dict__.keys()
    assert made._store.__dict__.keys() == other._store.__dict__.keys()


def test_what_pyg_remembers_of_attributes_is_not_copied():
    data = Data(edge_index=PATH, x=torch.zeros(3, 1))
    assert data.node_attrs() == ["x"]

    made = TRANSFORM(data)

    assert sorted(made.node_attrs()) == ["ego_encoding", "x"]
    assert data.node_attrs() == ["x"]


def test_what_pyg_remembers_is_forgotten_if_a_graph_itself_is_encoded():
    data = Data(edge_index=PATH, x=torch.zeros(3, 1), ego_encoding=torch.zeros(1, 1))
    assert data.node_attrs() == ["x"]

    assert TRANSFORM.forward(data) is data
    assert sorted(data.node_attrs()) == ["ego_encoding", "x"]


def test_subclasses_of_data_stay_what_they_are(fast_paths):
    class Molecule(Data):
        pass

    made = TRANSFORM(Molecule(edge_index=PATH, num_nodes=3))

    assert (type(made), made.ego_encoding.tolist(), fast_paths) == (Molecule, ROWS, [])


def test_another_default_device_changes_nothing():
    data = Data(edge_index=PATH, num_nodes=3)

    with torch.device("meta"):
        made = TRANSFORM(data)

    assert made.ego_encoding.tolist() == ROWS


def test_another_default_dtype_is_the_dtype_of_the_encoding():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        made = TRANSFORM(Data(edge_index=PATH, num_nodes=3)).ego_encoding
    finally:
        torch.set_default_dtype(before)

    assert (made.dtype, made.tolist()) == (torch.float64, ROWS)


@pytest.mark.parametrize("shift", [0, 1])
def test_a_batch_with_changed_edges_is_encoded_with_these_edges(shift):
    batch = Batch.from_data_list([Data(edge_index=PATH, num_nodes=3) for _ in range(2)])
    batch.edge_index = torch.cat([PATH, PATH + 3], dim=1).roll(shift, dims=1)  # now across the graphs

    assert TRANSFORM(batch).ego_encoding.tolist() == ROWS * 2
    batch.edge_index = PATH
    assert TRANSFORM(batch).ego_encoding.tolist() == ROWS + [[1, 0, 0, 0, 0, 0]] * 3


def test_an_edge_between_the_graphs_of_a_batch_is_an_edge():
    batch = Batch.from_data_list([Data(edge_index=PATH[:, :2], num_nodes=2) for _ in range(2)])
    batch.edge_index = torch.tensor([[0, 1, 2, 1, 2, 3], [1, 2, 3, 0, 1, 2]])

    assert TRANSFORM(batch).ego_encoding.tolist() == [ROWS[0], ROWS[1], ROWS[1], ROWS[0]]


def of_arcs(columns, arcs, size):
    """Return the counts of one graph."""
    return columns.of_many(arcs, np.array([0, size]), np.array([0, arcs.shape[1]]), local=True)


@pytest.mark.parametrize(
    "options",
    [{}, {"degree_bins": "log"}, {"degrees": "full"}, {"radius": (0, 1, 3)}, {"frontier_edges": False}],
)
def test_the_fast_path_for_small_graphs_gives_the_same_numbers(options):
    club = egonet.named.karate_club()
    encoding = egonet.encode(club, **options)

    rows = np.repeat(np.arange(club.num_nodes), club.degrees)
    index = np.stack([rows, club.indices]).astype(np.int64)
    columns = dense_columns(encoding.vocabulary)

    for arcs in (index, index[:, ::-1].copy(), index[:, index[0] < index[1]], np.repeat(index, 2, axis=1)):
        np.testing.assert_array_equal(of_arcs(columns, arcs, 34), encoding.to_dense())
    np.testing.assert_array_equal(columns.of_rows(club.indptr, club.indices), encoding.to_dense())


def test_the_fast_path_returns_none_for_unsupported_input():
    vocabulary = egonet.encode(egonet.named.path(3), radius=1).vocabulary
    columns = dense_columns(vocabulary)

    assert of_arcs(columns, np.array([[0, 1, 2], [1, 2, 0]]), 3) is None  # a key without a column
    assert of_arcs(columns, np.array([[0, 1], [1, 3]]), 3) is None  # an arc that points outside
    assert of_arcs(columns, np.array([[0, -1], [1, 0]]), 3) is None
    assert dense_columns(egonet.encode(egonet.named.path(3), 1, cap=1).vocabulary) is None
    assert dense_columns(egonet.encode(egonet.named.path(3), 1, labels=[0, 1, 0]).vocabulary) is None

"""The PyG transform on whole data sets: the same rows as graph by graph, in one call of the kernel."""

import shutil

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.data import InMemoryDataset  # noqa: E402
from torch_geometric.datasets import TUDataset  # noqa: E402
from torch_geometric.transforms import ToUndirected  # noqa: E402

import egonet  # noqa: E402
from contracts.pyg import path, tailed_triangle  # noqa: E402
from egonet.kernel import native  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402


class InMemory(InMemoryDataset):
    """Some graphs as a data set, without files."""

    def __init__(self, graphs, transform=None):
        super().__init__(None, transform)
        self.data, self.slices = self.collate(graphs)


def test_a_stale_cache_is_noticed(tmp_path):
    """PyG compares the description of pre_transform with that of the files it finds."""

    class Files(InMemoryDataset):
        processed_file_names = "data.pt"

        def __init__(self, pre_transform):
            super().__init__(str(tmp_path), pre_transform=pre_transform)
            self.load(self.processed_paths[0])

        def process(self):
            self.save([self.pre_transform(path(3))], self.processed_paths[0])

    first = Files(AddEgoEncoding(1, max_degree=2))
    assert first[0].ego_encoding.shape == (3, 6)
    assert Files(AddEgoEncoding(1, max_degree=2))[0].ego_encoding.shape == (3, 6)
    with pytest.warns(UserWarning, match="`pre_transform` argument differs"):
        Files(AddEgoEncoding(2, max_degree=2))


@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled")  # by PyG
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("attr_name", ["ego_encoding", None])
def test_a_data_set_in_one_call_is_what_graph_by_graph_gives(attr_name, sparse):
    if sparse and attr_name is None:
        attr_name = "other"
    graphs = [tailed_triangle(x=torch.ones(4, 1)), path(2, x=torch.ones(2, 1)), path(5, x=torch.ones(5, 1))]
    transform = AddEgoEncoding.from_dataset(graphs, (1, 2), attr_name, sparse=sparse)
    name = attr_name or "x"
    expected = [transform(data)[name].to_dense().tolist() for data in graphs]

    whole = transform.add_to(InMemory(graphs))
    part = transform.add_to(InMemory(graphs)[1:])
    listed = transform.add_to(graphs)

    assert [data[name].to_dense().tolist() for data in whole] == expected
    assert [data[name].to_dense().tolist() for data in part] == expected[1:]
    assert [data[name].to_dense().tolist() for data in listed] == expected
    assert transform.add_to([]) == []


def test_a_data_set_is_one_call_of_the_kernel(monkeypatch):
    calls = []
    kernel = native.encode_rows
    monkeypatch.setattr(
        native, "encode_rows", lambda *args, **options: calls.append(1) or kernel(*args, **options)
    )
    graphs = [path(n) for n in range(1001, 1021)]  # not small, and many

    AddEgoEncoding(2, max_degree=2).add_to(InMemory(graphs))
    AddEgoEncoding(2, max_degree=2).add_to(graphs)

    assert len(calls) == 2


def test_adding_to_a_data_set_leaves_it_alone_and_keeps_its_transform():
    dataset = InMemory([path(3)], transform=ToUndirected())

    out = AddEgoEncoding(1, max_degree=2).add_to(dataset)

    assert "ego_encoding" not in dataset[0]
    assert out.transform is dataset.transform
    assert out[0].ego_encoding.shape == (3, 6)


TU = ["MUTAG", "PTC_MR", "ENZYMES", "PROTEINS"]


def tu_dataset(data_folder, folder, name, pre_transform=None):
    """Return a TU set built from its text files by PyG itself."""
    shutil.copytree(data_folder / "tu" / name, folder / name / "raw")
    return TUDataset(str(folder), name, pre_transform=pre_transform)


@pytest.mark.parametrize(("name", "num_graphs"), [("MUTAG", 188), ("PTC_MR", 344)])
def test_real_sets_have_the_same_rows_by_every_road(data_folder, tmp_path, name, num_graphs):
    plain = tu_dataset(data_folder, tmp_path / "plain", name)
    transform = AddEgoEncoding.from_dataset(plain, 2)

    before = tu_dataset(data_folder, tmp_path / "before", name, pre_transform=transform)
    after = transform.add_to(plain)
    expected = egonet.encode([egonet.as_graph(data) for data in plain], 2)

    assert len(before) == num_graphs
    np.testing.assert_array_equal(before._data.ego_encoding.numpy(), expected.to_dense())
    np.testing.assert_array_equal(after._data.ego_encoding.numpy(), expected.to_dense())

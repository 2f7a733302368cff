"""The data sets as read: sizes, splits and inputs, and a pickle that is read without running anything."""

import os
import pickle

import numpy as np
import pytest

from egonet.errors import FileError, InputError
from research.datasets.readers import exp_arrays, read_dataset
from research.datasets.registry import data_set
from research.datasets.torch_pickle import read_torch_pickle

pytestmark = pytest.mark.usefixtures("data_folder")


@pytest.mark.parametrize(
    ("name", "width", "largest", "degree"),
    [
        ("mutag", 8, 28, 4),
        ("ptc", 20, 109, 4),
        ("enzymes", 4, 126, 9),
        ("proteins", 4, 620, 25),
        ("exp", 2, 64, 6),
        ("graph8c", 2, 8, 7),
        ("sr25", 2, 25, 12),
        ("randomgraph", 2, 30, 6),
    ],
)
def test_a_set_has_the_size_the_protocol_states(name, width, largest, degree):
    data = read_dataset(name)
    entry = data_set(name)

    assert (data.num_graphs, data.union.num_nodes, data.union.num_edges) == (
        entry.num_graphs,
        entry.num_nodes,
        entry.num_edges,
    )
    assert data.inputs.shape[1] == width
    assert data.sizes.max() == largest
    assert data.union.degrees.max() == degree


@pytest.mark.parametrize(
    ("name", "train", "test"), [("mutag", 170, 18), ("ptc", 310, 34), ("proteins", 1002, 111)]
)
def test_folds_are_disjoint_and_cover_the_set(name, train, test):
    data = read_dataset(name)

    for training, testing in data.splits:
        assert (len(training), len(testing)) == (train, test)
        assert sorted([*training, *testing]) == list(range(data.num_graphs))


def test_mutag_starts_with_a_nitro_compound():
    data = read_dataset("mutag")

    assert data.sizes[0] == 17
    assert data.inputs[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 2]  # a carbon with two bonds
    assert np.bincount(data.targets).tolist() == [63, 125]


def test_counting_targets_have_unit_deviation():
    data = read_dataset("randomgraph")

    assert data.target_names == ("star", "triangle", "tailed-triangle", "4-cycle", "custom")
    np.testing.assert_allclose(data.targets.std(axis=0, ddof=1), 1.0)
    assert data.inputs[:, 1].max() == 1.0


def test_the_exp_pickle_holds_what_the_neutral_copy_holds(data_folder):
    sizes, kinds, edges, owner, y = exp_arrays(data_folder / "exp/GRAPHSAT.pkl")

    with np.load(data_folder / "exp/exp.npz", allow_pickle=False) as stored:
        assert np.array_equal(sizes, stored["n"])
        assert np.array_equal(kinds, stored["node_label"])
        assert np.array_equal(edges, stored["edge_index"])
        assert np.array_equal(np.bincount(owner), np.diff(stored["edge_ptr"]))
        assert np.array_equal(y, stored["y"])


def test_exp_is_read_from_its_pickle_where_the_neutral_copy_is_missing(data_folder, tmp_path, monkeypatch):
    expected = read_dataset("exp")
    (tmp_path / "exp").mkdir()
    os.symlink(data_folder / "exp/GRAPHSAT.pkl", tmp_path / "exp/GRAPHSAT.pkl")
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    found = read_dataset("exp")

    assert np.array_equal(found.union.indices, expected.union.indices)
    assert np.array_equal(found.inputs, expected.inputs)


class Evil:
    """Runs a command when it is unpickled by the ordinary reader."""

    def __reduce__(self):
        return os.system, ("touch pwned",)


def test_a_pickle_that_would_run_something_raises_and_nothing_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evil.pkl"
    path.write_bytes(pickle.dumps([Evil()]))

    with pytest.raises(FileError, match=r"asks for posix\.system, which is not part of a list of graphs"):
        read_torch_pickle(path)

    assert not (tmp_path / "pwned").exists()


def test_a_pickle_that_marks_beyond_its_length_takes_no_memory(tmp_path):
    path = tmp_path / "marks.pkl"
    path.write_bytes(b"\x80\x02]r" + (57_749_601).to_bytes(4, "little") + b".")

    with pytest.raises(FileError, match=r"marks an object with 57,749,601, more than it has bytes\."):
        read_torch_pickle(path)


def test_a_pickle_that_is_cut_short_raises(data_folder, tmp_path):
    path = tmp_path / "short.pkl"
    path.write_bytes((data_folder / "exp/GRAPHSAT.pkl").read_bytes()[:50_000])

    with pytest.raises(FileError, match="is not a pickled list of graphs"):
        read_torch_pickle(path)


def test_a_data_set_of_no_table_raises():
    with pytest.raises(InputError, match="'karate' is in no table"):
        read_dataset("karate")

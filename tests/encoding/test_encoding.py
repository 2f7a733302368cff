"""The result record: lookups, conversions, weighting, and the file it is saved in."""

import copy
import pickle
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import egonet
from egonet import Graph, encode, named
from egonet.encoding.matrix import renumber_columns, weight
from egonet.errors import (
    FileError,
    InputError,
    MemoryLimitError,
    MissingExtraError,
    OutputError,
    UnknownNodeError,
)


@pytest.fixture
def encoding():
    return encode([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], 1)


DENSE = [[0, 1, 0, 0, 2], [0, 1, 0, 0, 2], [0, 0, 1, 1, 2], [1, 0, 0, 1, 0]]
NAMES = ["r1_d0_deg1", "r1_d0_deg2", "r1_d0_deg3", "r1_d1_deg1", "r1_d1_deg2"]


def test_it_introduces_itself(encoding):
    assert repr(encoding) == "Encoding(num_rows=4, num_columns=5, radius=1, degrees='total')"
    assert len(encoding) == 4
    assert encoding.feature_names == NAMES


def test_an_unknown_node_is_named_with_a_near_match():
    encoding = encode([("ann", "bob"), ("bob", "cid")], 1)

    with pytest.raises(UnknownNodeError, match=r"no row belongs to node 'bbo'\. Did you mean 'bob'\?"):
        encoding["bbo"]


def test_numpy_numbers_are_ids_too():
    assert encode([(5, 7)], 1)[np.int64(7)] == {(0, 1): 1, (1, 1): 1}


def test_truth_is_not_an_id():
    with pytest.raises(UnknownNodeError, match="no row belongs to node True"):
        encode([(0, 1)], 1)[True]


def test_log_weights_are_log2_of_one_plus_the_count(encoding):
    assert encoding.weighted("log").toarray()[0].tolist() == [0, 1, 0, 0, np.log2(3)]


def test_paper_weights_sum_to_one_per_row(encoding):
    weighted = encoding.weighted("paper").toarray()

    assert np.allclose(weighted.sum(axis=1), 1)
    assert weighted[0, 1] == pytest.approx(1 / (1 + np.log2(3)))


def test_an_unknown_weighting_raises(encoding):
    with pytest.raises(
        InputError, match=r"weighting must be one of 'count', 'log', 'paper', 'rank', got 'tfidf'\."
    ):
        encoding.weighted("tfidf")


def test_renumbering_adds_columns_that_meet_and_leaves_the_original_alone(encoding):
    merged = renumber_columns(encoding.matrix, np.array([0, 0, 0, 1, -1]), 2)

    assert merged.toarray().tolist() == [[1, 0], [1, 0], [1, 1], [1, 1]]
    assert encoding.matrix.toarray().tolist() == DENSE


def test_weighting_leaves_the_counts_alone(encoding):
    weight(encoding.matrix, "paper")

    assert encoding.matrix.toarray().tolist() == DENSE


def test_to_dense(encoding):
    assert encoding.to_dense().tolist() == DENSE


def test_to_pandas(encoding, need):
    need("pandas")
    frame = encoding.to_pandas()

    assert frame.index.tolist() == ["a", "b", "c", "d"]
    assert frame.loc["c", "r1_d1_deg2"] == 2
    assert frame.to_numpy().tolist() == DENSE
    assert encoding.to_pandas(sparse=True).to_numpy().tolist() == DENSE


def test_to_polars(encoding, need):
    need("polars")
    frame = encoding.to_polars()

    assert frame.columns == ["node", *NAMES]
    assert frame["node"].to_list() == ["a", "b", "c", "d"]
    assert frame.drop("node").to_numpy().tolist() == DENSE


def test_to_arrow_wide_and_sparse(encoding, need):
    need("pyarrow")
    assert encoding.to_arrow()["r1_d1_deg2"].to_pylist() == [2, 2, 2, 0]
    sparse = encoding.to_arrow(form="sparse")
    assert sparse.to_pylist()[2] == {"node": "c", "column": [2, 3, 4], "value": [1, 1, 2]}
    with pytest.raises(InputError, match=r"form must be one of 'wide', 'sparse', got 'long'\."):
        encoding.to_arrow(form="long")


def test_to_torch_dense_and_sparse(encoding, need):
    torch = need("torch")
    assert encoding.to_torch().dtype == torch.float32
    assert encoding.to_torch().tolist() == DENSE
    assert encoding.to_torch(dense=False).is_sparse
    assert encoding.to_torch(dense=False).to_dense().tolist() == DENSE


@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([("a", "b"), ("b", "c")]),
        Graph.from_edges([(2**40, 7), (7, 9)]),
        Graph.from_edges([("a", 1), (1, "b")]),
        Graph.from_edges([(0, 1)], num_nodes=3),
        Graph.from_edges([], num_nodes=0),
    ],
    ids=["strings", "large numbers", "mixed", "isolated", "empty"],
)
def test_saved_encodings_come_back_as_they_were(tmp_path, graph):
    encoding = encode(graph, (1, 2), degrees="full")

    encoding.save(tmp_path / "encoding.npz")
    loaded = egonet.load(tmp_path / "encoding.npz")

    assert loaded.nodes.tolist() == encoding.nodes.tolist()
    assert loaded.vocabulary.settings == encoding.vocabulary.settings
    assert loaded.columns == encoding.columns
    assert (loaded.matrix != encoding.matrix).nnz == 0
    assert [path.name for path in tmp_path.iterdir()] == ["encoding.npz"]


def test_labels_and_unseen_keys_survive_saving(tmp_path):
    learned = encode(named.path("ab"), 1, labels=["C", "C"]).vocabulary
    encoding = encode(named.path("ab"), vocabulary=learned, labels=["C", "O"])

    encoding.save(tmp_path / "e.npz")

    assert egonet.load(tmp_path / "e.npz").unseen == encoding.unseen
    assert egonet.load(tmp_path / "e.npz")["a"] == {(0, 1, "C"): 1}


def test_the_same_encoding_is_saved_as_the_same_bytes(tmp_path, encoding):
    encoding.save(tmp_path / "one.npz")
    encoding.save(tmp_path / "two.npz")

    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_a_file_that_is_none_of_ours_raises(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", a=np.arange(3))

    for name in ("text.npz", "other.npz"):
        with pytest.raises(FileError, match=rf"{name} is not an encoding that egonet saved, or is damaged\."):
            egonet.load(tmp_path / name)
    with pytest.raises(FileError, match=r"^there is no file '.*none\.npz'\.$"):
        egonet.load(tmp_path / "none.npz")


def test_a_file_cut_short_raises(tmp_path, encoding):
    encoding.save(tmp_path / "whole.npz")
    whole = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])

    with pytest.raises(FileError, match=r"cut\.npz is not an encoding that egonet saved, or is damaged"):
        egonet.load(tmp_path / "cut.npz")


def test_nothing_is_pickled(tmp_path, encoding):
    encoding.save(tmp_path / "e.npz")

    with zipfile.ZipFile(tmp_path / "e.npz") as archive:
        for name in archive.namelist():
            assert b"'O'" not in archive.read(name)[:128]


def test_saving_needs_the_right_suffix_and_an_existing_folder(tmp_path, encoding):
    with pytest.raises(InputError, match=r"an encoding is saved as \.npz, got 'e\.pkl'\."):
        encoding.save("e.pkl")
    with pytest.raises(OutputError, match="could not be written: the folder does not exist; create it first"):
        encoding.save(tmp_path / "missing" / "e.npz")


def test_ids_that_json_cannot_hold_raise_by_name(tmp_path):
    encoding = encode(Graph.from_edges([(frozenset("a"), frozenset("b"))]), 1)

    with pytest.raises(InputError, match="ids of type frozenset cannot be saved"):
        encoding.save(tmp_path / "e.npz")
    assert list(tmp_path.iterdir()) == []


def test_only_a_whole_graph_is_drawn(need):
    need("matplotlib")

    with pytest.raises(InputError, match="plot draws a whole graph"):
        encode(named.path("abc"), 1, roots=["a"]).plot()


def test_a_frame_is_sparse_only_on_request(need):
    pandas = need("pandas")
    encoding = encode(named.path("abc"), 1)

    sparse, dense = encoding.to_pandas(sparse=True), encoding.to_pandas()

    assert all(isinstance(kind, pandas.SparseDtype) for kind in sparse.dtypes)
    assert not any(isinstance(kind, pandas.SparseDtype) for kind in dense.dtypes)
    assert sparse.to_numpy().tolist() == dense.to_numpy().tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 1]]


def test_a_part_is_one_graph():
    part = encode([named.path("ab"), named.path("abc")], 1).part(1)

    assert part.graph_ptr.tolist() == [0, 3]


PATH = named.path("abc")


def test_rows_without_ids_raise():
    encoding = encode(PATH, 1)

    with pytest.raises(
        InputError, match=r"^the matrix has shape \(3, 3\), but there are 2 nodes and 3 columns.$"
    ):
        replace(encoding, index=np.array(["a", "b"]))


@pytest.mark.parametrize("index", [2, -3])
def test_a_graph_that_is_not_there_raises(index):
    with pytest.raises(InputError, match=rf"^there are 2 graphs \(0 to 1\), got {index}.$"):
        encode([PATH, PATH], 1).part(index)


def test_parts_are_counted_from_the_end_too():
    both = encode([PATH, named.cycle(3)], 1)

    assert both.part(-1).nodes.tolist() == [0, 1, 2]
    assert both.part(-2).nodes.tolist() == ["a", "b", "c"]


def test_a_dense_matrix_that_does_not_fit_is_reported_with_the_way_out(monkeypatch):
    def too_large(*_):
        raise MemoryError

    monkeypatch.setattr("egonet.encoding.encoding.dense_counts", too_large)

    with pytest.raises(
        MemoryLimitError, match=r"^a dense array of 3 x 3 does not fit in memory. Use the sparse"
    ):
        encode(PATH, 1).to_dense()


@pytest.mark.parametrize(
    ("method", "package", "install"),
    [
        ("to_torch", "torch", r'"egonet\[torch\]"'),
        ("to_polars", "polars", "polars"),
        ("to_pandas", "pandas", "pandas"),
        ("to_arrow", "pyarrow", r'"egonet\[io\]"'),
    ],
)
def test_a_missing_package_is_reported_with_the_command(monkeypatch, method, package, install):
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtraError, match=rf"^this needs an extra package: pip install {install}.$"):
        getattr(encode(PATH, 1), method)()


@pytest.fixture(params=["plain", "updated", "stored"])
def any_encoding(request, tmp_path):
    if request.param == "stored":
        return egonet.store.encode(PATH, tmp_path / "out", 1)
    plain = egonet.encode(PATH, 1)
    return (
        plain if request.param == "plain" else plain.update(removed=[("a", "b")]).update(added=[("a", "b")])
    )


def test_encoding_is_read_like_a_mapping(any_encoding):
    assert list(any_encoding) == ["a", "b", "c"]
    assert len(any_encoding) == 3
    assert "a" in any_encoding
    assert "z" not in any_encoding
    assert [] not in any_encoding
    assert {node: any_encoding[node] for node in any_encoding}["b"] == {(0, 2): 1, (1, 1): 2}


@pytest.mark.parametrize("key", [slice(5), ["a", "b"], np.array([0, 1])], ids=str)
def test_encoding_raises_for_several_rows_at_once(any_encoding, key):
    with pytest.raises(InputError, match=r"indexed by one node id, got .* use encoding.matrix"):
        any_encoding[key]


def test_replace_makes_a_plain_encoding(any_encoding):
    changed = replace(any_encoding, learned=False)

    assert type(changed) is egonet.Encoding
    assert not changed.learned
    assert changed["b"] == {(0, 2): 1, (1, 1): 2}


def test_shape_and_settings_describe_the_encoding(any_encoding):
    assert any_encoding.shape == (3, 3)
    assert any_encoding.settings == egonet.Settings(1)
    assert any_encoding.rows(1, 3).toarray().tolist() == [[0, 1, 2], [1, 0, 1]]


def test_encodings_are_copied_and_pickled(any_encoding):
    for twin in (
        copy.copy(any_encoding),
        copy.deepcopy(any_encoding),
        pickle.loads(pickle.dumps(any_encoding)),
    ):
        assert twin["b"] == {(0, 2): 1, (1, 1): 2}
        assert twin.matrix.toarray().tolist() == any_encoding.matrix.toarray().tolist()
        assert twin.update(added=[("c", "a")])["b"] == {(0, 2): 1, (1, 2): 2}


def test_in_memory_reads_everything(any_encoding):
    read = any_encoding.in_memory()

    assert type(read.source).__name__ == "MemoryRows"
    assert read["b"] == any_encoding["b"]


def test_opening_a_folder_reads_the_manifest_only(tmp_path):
    egonet.store.encode(PATH, tmp_path / "out", 1)

    opened = egonet.load(tmp_path / "out")

    assert len(opened) == 3
    assert opened.settings == egonet.Settings(1)
    assert opened.folder == tmp_path / "out"
    assert not {"graph", "vocabulary", "matrix"} & set(vars(opened.source))


def test_an_attribute_that_does_not_exist_raises():
    with pytest.raises(AttributeError, match="no attribute 'matrx'"):
        _ = encode(PATH, 1).matrx


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".mtx"])
def test_write_chooses_the_format_by_the_suffix(tmp_path, suffix):
    encode(PATH, 1).write(tmp_path / f"features{suffix}")

    assert (tmp_path / f"features{suffix}").stat().st_size > 0
    if suffix == ".npz":
        assert egonet.load(tmp_path / "features.npz")["b"] == {(0, 2): 1, (1, 1): 2}


@pytest.mark.parametrize("unseen", ["clip", "ignore"])
def test_a_part_has_the_unseen_keys_of_its_own_rows(tmp_path, unseen):
    graphs = [named.path(3), named.star(4), Graph.from_edges([], num_nodes=0), named.star(5)]
    learned = encode(named.path(3), radius=1).vocabulary

    both = encode(graphs, vocabulary=learned, unseen=unseen)

    both.save(tmp_path / "both.npz")
    for whole in (both, egonet.load(tmp_path / "both.npz")):
        parts = [whole.part(index).unseen for index in range(4)]
        assert parts == [encode(graph, vocabulary=learned, unseen=unseen).unseen for graph in graphs]
        assert sum(part.num_rows for part in parts) == whole.unseen.num_rows > 0
    assert both.part(-1).unseen.rows.tolist() == encode(graphs[3], vocabulary=learned).unseen.rows.tolist()

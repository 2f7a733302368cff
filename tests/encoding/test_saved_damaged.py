"""Saved encodings and embeddings that are damaged: what is accepted can be used, all else is one sentence."""

import io
import json
import re

import numpy as np
import pytest

import egonet
from egonet.embeddings.embedding import Embedding
from egonet.errors import FileError

PATH = egonet.named.path("abc")


def saved(folder, **options):
    egonet.encode(PATH, 1, **options).save(folder / "a.npz")
    with np.load(folder / "a.npz") as arrays:
        return dict(arrays)


def with_header(arrays, change):
    header = json.loads(arrays["header"].tobytes())
    change(header)
    return arrays | {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}


def assert_error(folder, arrays):
    np.savez(folder / "b.npz", **arrays)
    text = f"{folder / 'b.npz'} is not an encoding that egonet saved, or is damaged."
    with pytest.raises(FileError, match=f"^{re.escape(text)}$"):
        egonet.load(folder / "b.npz")


def test_a_file_of_an_earlier_development_version_is_named(tmp_path):
    np.savez(
        tmp_path / "b.npz", **with_header(saved(tmp_path), lambda h: h.update(format="egonet encoding 1"))
    )

    with pytest.raises(
        FileError, match=r"has the format 'egonet encoding 1' of an earlier development version\. Encode"
    ):
        egonet.load(tmp_path / "b.npz")


@pytest.mark.parametrize(
    "change",
    [
        {"keys": np.zeros((3, 2), dtype=np.int64)},
        {"keys": np.zeros(3, dtype=np.int64)},
        {"keys": np.array([[1, 0, 1], [1, 0, 2], [1, 1, 1]], dtype=np.int32)},
        {"keys": np.array([[1, 0, -1], [1, 0, 2], [1, 1, 1]])},
        {"keys": np.array([[7, 0, 1], [7, 0, 2], [7, 1, 1]])},  # a radius that was not asked for
        {"data": np.array([0.5] * 6)},
        {"data": np.array([1, 1, 0, 2, 1, 1], dtype=np.int32)},
        {"data": np.array([1, 1, -1, 2, 1, 1], dtype=np.int32)},
        {"data": np.ones(5, dtype=np.int32)},
        {"indices": np.array([0, 2, 1, 2, 0, 9], dtype=np.int32)},
        {"indices": np.array([0, 2, 1, 2, 0, -1], dtype=np.int32)},
        {"indptr": np.array([0, 4, 2, 6], dtype=np.int32)},
        {"indptr": np.array([0, 2, 4, 6, 6], dtype=np.int32)},
        {"indptr": np.array([], dtype=np.int32)},
        {"graph_ptr": np.array([0, 2])},
        {"graph_ptr": np.array([0.0, 3.0])},
        {"nodes": np.array([0.0, 1.0, 2.0])},
        {"nodes": np.array([[0, 1, 2]])},
        {"nodes": np.array(["a", "b", "c"])},
    ],
)
def test_arrays_that_do_not_fit_raise(tmp_path, change):
    assert_error(tmp_path, saved(tmp_path) | change)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["settings"].update(radius=[1.5]),
        lambda header: header["settings"].update(radius=[]),
        lambda header: header["settings"].update(radius=None),
        lambda header: header["settings"].update(frontier_edges="no"),
        lambda header: header["settings"].update(common=1),
        lambda header: header["settings"].update(labels=[None]),
        lambda header: header["settings"].update(degrees="none"),
        lambda header: header["settings"].update(surprise=1),
        lambda header: header["settings"].update(common=True),
        lambda header: header.update(settings=[]),
        lambda header: header["unseen"].update(clipped=-1),
        lambda header: header["unseen"].update(example=[1]),
        lambda header: header["unseen"].pop("num_rows"),
        lambda header: header.clear(),
    ],
)
def test_headers_that_are_none_raise(tmp_path, change):
    assert_error(tmp_path, with_header(saved(tmp_path), change))


@pytest.mark.parametrize(
    "change",
    [
        {"histogram_keys": np.zeros((1, 5), dtype=np.int64)},
        {"histogram_keys": np.full((4, 12), -1)},
        {"histogram_columns": np.array([0.0, 1.0])},
        {"histogram_columns": np.array([0, 99], dtype=np.int32)},
        {"histogram_indptr": np.array([0, 9])},
        {"histogram_indptr": np.array([0, 0, 2])},  # the histogram of an edge has at least its ends
    ],
)
def test_histograms_that_are_none_raise(tmp_path, change):
    arrays = saved(tmp_path, rooted="edge")
    assert set(change) <= set(arrays)
    assert_error(tmp_path, arrays | change)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(weighting="surprise"),
        lambda header: header["history"].update(losses=["x"]),
        lambda header: header["history"].update(losses=7),
        lambda header: header["history"].update(surprise=7),
    ],
)
def test_embeddings_that_are_none_raise(tmp_path, change):
    vocabulary = egonet.encode(PATH, 1).vocabulary
    Embedding(vocabulary, np.eye(3, dtype=np.float32)).save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as arrays:
        np.savez(tmp_path / "b.npz", **with_header(dict(arrays), change))

    with pytest.raises(FileError, match=r"b.npz is not an embedding that egonet saved, or is damaged.$"):
        Embedding.load(tmp_path / "b.npz")


def test_every_cut_of_a_saved_encoding_raises(tmp_path):
    sink = io.BytesIO()
    np.savez(sink, **saved(tmp_path))
    whole = sink.getvalue()
    for size in range(0, len(whole) - 1, 37):
        (tmp_path / "b.npz").write_bytes(whole[:size])
        with pytest.raises(FileError, match=r"is not an encoding that egonet saved, or is damaged.$"):
            egonet.load(tmp_path / "b.npz")


def test_negative_ids_are_read_back(tmp_path):
    encoding = egonet.encode([(-2, 5), (5, 7)], 1)
    encoding.save(tmp_path / "a.npz")

    assert list(egonet.load(tmp_path / "a.npz").nodes) == [-2, 5, 7]

"""Stores whose files are damaged: what is asked of them is answered, or refused in one sentence."""

import re

import numpy as np
import pytest

import egonet
from egonet.errors import FileError
from egonet.store.encode_store import encode_to_store
from egonet.store.manifest import checksum, read_manifest, write_manifest
from egonet.store.shards import read_shard


@pytest.fixture
def folder(tmp_path):
    encode_to_store(egonet.named.path("abc"), tmp_path / "store", 1)
    return tmp_path / "store"


def change_manifest(folder, **words):
    """Write other facts into a manifest, with a checksum that is right: no accident, but a hostile hand."""
    write_manifest(folder, read_manifest(folder, "a folder") | words)


def change_array(folder, name, array):
    """Write another array into a folder, with a checksum that is right."""
    np.save(folder / f"{name}.npy", array)
    files = read_manifest(folder, "a folder")["files"]
    change_manifest(folder, files=files | {f"{name}.npy": checksum(folder / f"{name}.npy")})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_rows", "3"),
        ("num_rows", -1),
        ("num_rows", True),
        ("block_rows", 0),
        ("block_rows", None),
        ("blocks", "block"),
        ("blocks", []),
        ("blocks", ["../store/block-000000-0000"]),
        ("blocks", [7]),
        ("blocks", ["bl\x7fck"]),
        ("graph", "../../graph"),
        ("vocabulary", "/etc"),
        ("settings", []),
        ("settings", {}),
        ("generation", "0"),
        ("chosen", ["surprise"]),
        ("choices", ".."),
        ("change", 3),
    ],
)
def test_a_manifest_of_other_hands_is_refused_with_its_file_and_field(folder, field, value):
    change_manifest(folder, **{field: value})

    said = f"{folder / 'manifest.json'} is damaged: its field {field!r} is {value!r}. Encode again."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        egonet.load(folder)


@pytest.mark.parametrize("field", ["num_rows", "blocks", "graph", "graph_digest", "settings", "version"])
def test_a_field_that_is_missing_is_named(folder, field):
    manifest = read_manifest(folder, "a store")
    del manifest[field]
    write_manifest(folder, manifest)

    said = f"{folder / 'manifest.json'} is damaged: its field {field!r} is missing. Encode again."
    for call in (egonet.load, lambda out: encode_to_store(egonet.named.path("abc"), out, 1)):
        with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
            call(folder)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_nodes", "x"),
        ("directed", "up"),
        ("ids", "other"),
        ("info", None),
        ("files", [1]),
        ("format", "?"),
    ],
)
def test_a_field_of_a_graph_that_is_damaged_is_named(folder, field, value):
    change_manifest(folder / "graph-0000", **{field: value})

    with pytest.raises(FileError, match=f"graph-0000/manifest.json is damaged: its field {field!r} is "):
        _ = egonet.load(folder).graph


def test_a_manifest_without_end_is_refused(folder):
    (folder / "manifest.json").write_text("[" * 100_000)

    with pytest.raises(FileError, match=r"its manifest.json cannot be read.$"):
        egonet.load(folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"radius": ["x"]}, "radius must be a whole number >= 0, got 'x'"),
        ({"frontier_edges": 7}, "frontier_edges is neither true nor false"),
        ({"surprise": 1}, "there is no setting 'surprise'"),
        ({"ma\x7f_degree": 3}, r"there is no setting 'ma\x7f_degree'"),
        ({"radius": [2]}, "a column has a radius that is not among the settings"),
        ({"degrees": "full"}, "the keys of the columns are not those of the settings"),
    ],
)
def test_settings_that_do_not_fit_are_refused(folder, words, said):
    change_manifest(folder, settings=read_manifest(folder, "a store")["settings"] | words)

    with pytest.raises(FileError, match=f"^{re.escape(str(folder))} is damaged: {re.escape(said)}"):
        _ = egonet.load(folder).matrix


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("columns", np.array([0, 2, 1, 2, 0, 99], np.int32), "an entry has no column"),
        (
            "columns",
            np.array([[0, 2, 1, 2, 0, 2]], np.int32),
            "expected int32 in 1 dimensions, got int32 in 2",
        ),
        ("counts", np.array([1, 1, 1, 2, 1, 0], np.int32), "a count is below 1"),
        ("counts", np.array([1.0] * 6), "expected int32 in 1 dimensions, got float64 in 1"),
        ("indptr", np.array([0, 2, 1, 6]), "rows do not begin where the one before ends"),
        ("indptr", np.array([0, 2, 4]), "block 0 has 2 rows"),
        ("keys", np.array([[1, 0, 1]]), "an entry has no column"),
        ("keys", np.array([[1, 0, 9], [1, 0, 2], [1, 1, 1]]), "block 0 has keys without a column"),
    ],
)
def test_a_block_that_does_not_fit_is_refused(folder, name, array, said):
    change_array(folder / "block-000000-0000", name, array)

    with pytest.raises(FileError, match=f"^{re.escape(str(folder))} is damaged: {re.escape(said)}"):
        _ = egonet.load(folder).matrix


@pytest.mark.parametrize(
    "name", ["graph-0000/indptr.npy", "block-000000-0000/counts.npy", "vocabulary-0000/keys.npy"]
)
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00\x06\x00{'a': ", b"x" * 200])
def test_an_array_that_is_none_is_refused(folder, name, content):
    (folder / name).write_bytes(content)
    stored = egonet.load(folder)

    said = f"{folder / name} is missing or damaged. Run the same command again to mend it."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        _ = stored["b"]


@pytest.mark.parametrize(
    ("words", "arrays"),
    [
        ({"info": {"surprise": 1}}, {}),
        ({}, {"indptr": np.array([[0, 1], [3, 4]])}),
        ({}, {"indptr": np.array([0, 9])}),
        ({}, {"indptr": np.array([0, 3, 1, 4])}),
        ({}, {"indices": np.array([1, 0, 7, 1], np.int32)}),
        ({}, {"indices": np.array([1, 0, -2, 1], np.int32)}),
        ({}, {"indices": np.array([1, 2, 0, 1], np.int32)}),
        ({}, {"indices": np.array([0, 0, 2, 1], np.int32)}),
        ({}, {"indices": np.array([2, 0, 2, 1], np.int32)}),
        ({"num_nodes": 4}, {}),
        ({"num_arcs": 2}, {}),
        ({"ids": "names"}, {"offsets": np.array([], np.int64), "names": np.array([], np.uint8)}),
        ({"ids": "names"}, {"offsets": np.array([0, 1, 2, 3]), "names": np.full(3, 255, np.uint8)}),
    ],
)
def test_a_graph_whose_parts_do_not_fit_is_refused(folder, words, arrays):
    change_manifest(folder / "graph-0000", **words)
    for name, array in arrays.items():
        change_array(folder / "graph-0000", name, array)

    said = f"{folder / 'graph-0000'} is damaged: its parts do not fit together."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        _ = egonet.load(folder).graph


@pytest.mark.parametrize(
    "metadata", [None, {"egonet": "["}, {"egonet": "{}"}, {"egonet": '{"keys": [1e400], "width": 1}'}]
)
def test_a_shard_of_other_hands_is_refused(tmp_path, metadata):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"row": [0]}).replace_schema_metadata(metadata), tmp_path / "a.parquet")

    with pytest.raises(FileError, match=r"a.parquet is no block that egonet wrote, or is damaged.$"):
        read_shard(tmp_path / "a.parquet")

"""Opening a store: invalid content raises one sentence, and nothing is read before it is used."""

import re
import shutil
import time

import numpy as np
import pytest

import egonet
from contracts.stores import answer, change_array, change_manifest, files_of
from egonet import named, store
from egonet.errors import FileError, InputError
from egonet.store.manifest import checksum, read_manifest, write_manifest


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
def test_an_invalid_field_of_a_manifest_is_named(folder, field, value):
    change_manifest(folder, **{field: value})

    said = f"{folder / 'manifest.json'} is damaged: its field {field!r} is {value!r}. Encode again."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        egonet.load(folder)


@pytest.mark.parametrize("field", ["num_rows", "blocks", "graph", "graph_digest", "settings", "version"])
def test_a_missing_field_of_a_manifest_is_named(folder, field):
    manifest = read_manifest(folder, "a store")
    del manifest[field]
    write_manifest(folder, manifest)

    said = f"{folder / 'manifest.json'} is damaged: its field {field!r} is missing. Encode again."
    for call in (egonet.load, lambda out: store.encode(egonet.named.path("abc"), out, 1)):
        with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
            call(folder)


def test_deeply_nested_json_raises(folder):
    (folder / "manifest.json").write_text("[" * 100_000)

    with pytest.raises(FileError, match=r"its manifest.json cannot be read. Choose another folder"):
        egonet.load(folder)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"radius": ["x"]}, "radius must be a whole number >= 0, got 'x'"),
        ({"frontier_edges": 7}, "frontier_edges is neither true nor false"),
        ({"surprise": 1}, "there is no setting 'surprise'"),
        ({"ma\x7f_degree": 3}, r"there is no setting 'ma\x7f_degree'"),
        ({"radius": [2]}, "a column has a radius that is not among the settings"),
        ({"degrees": "full"}, "the keys of the columns are not those of the settings"),
    ],
)
def test_invalid_settings_raise(folder, options, said):
    change_manifest(folder, settings=read_manifest(folder, "a store")["settings"] | options)

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
        (
            "indptr",
            np.array([0, 2, 1, 6]),
            "row pointers must be non-decreasing from 0 to the number of entries",
        ),
        ("indptr", np.array([0, 2, 4]), "block 0 has 2 rows"),
        ("keys", np.array([[1, 0, 1]]), "an entry has no column"),
        ("keys", np.array([[1, 0, 9], [1, 0, 2], [1, 1, 1]]), "block 0 has keys without a column"),
    ],
)
def test_an_invalid_block_raises(folder, name, array, said):
    change_array(folder / "block-000000-0000", name, array)

    with pytest.raises(FileError, match=f"^{re.escape(str(folder))} is damaged: {re.escape(said)}"):
        _ = egonet.load(folder).matrix


@pytest.mark.parametrize(
    "name", ["graph-0000/indptr.npy", "block-000000-0000/counts.npy", "vocabulary-0000/keys.npy"]
)
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00\x06\x00{'a': ", b"x" * 200])
def test_an_invalid_array_file_raises(folder, name, content):
    (folder / name).write_bytes(content)
    stored = egonet.load(folder)

    said = f"{folder / name} is missing or damaged. Repair the store with `egonet verify`."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        _ = stored["b"], stored.graph


def test_a_row_is_found_without_reading_the_arcs(folder):
    expected = egonet.load(folder)["b"]
    for name in ("indptr", "indices"):
        (folder / "graph-0000" / f"{name}.npy").write_bytes(b"")
    stored = egonet.load(folder)

    assert stored["b"] == expected
    assert stored.nodes.tolist() == ["a", "b", "c"]
    with pytest.raises(FileError, match="Repair the store with `egonet verify`"):
        _ = stored.graph


@pytest.mark.parametrize("name", ["offsets.npy", "names.npy"])
def test_a_row_of_damaged_ids_raises(folder, name):
    path = folder / "graph-0000" / name
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)

    with pytest.raises(
        FileError, match=f"{name} is missing or damaged. Repair the store with `egonet verify`"
    ):
        _ = egonet.load(folder)["b"]


def test_a_root_that_repeats_has_its_first_row(tmp_path):
    stored = store.encode(named.path(4), tmp_path / "out", 1, roots=[2, 0, 2])

    assert [stored.source.find(node) for node in (0, 1, 2, True, "2", -1)] == [1, None, 0, None, None, None]
    assert stored.source.find(None) is None


@pytest.mark.parametrize("graph", [named.path(2), [(0, 1)], [("a", "b")], [(("a", 1), "b")]])
def test_none_and_true_have_no_row(tmp_path, graph):
    stored = store.encode(graph, tmp_path / "out", 1)

    for strange in (None, True, "1", 1.5, float("nan")):
        assert stored.source.find(strange) is None
        with pytest.raises(egonet.EgonetError, match=re.escape(repr(strange))):
            stored[strange]


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("manifest.json", "Choose another folder and encode again."),
        ("graph-0000/manifest.json", "Repair the store with `egonet verify`."),
        ("vocabulary-0000/manifest.json", "Repair the store with `egonet verify`."),
        ("block-000000-0000/manifest.json", "Repair the store with `egonet verify`."),
    ],
)
@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", None])
def test_the_error_for_a_damaged_manifest_ends_with_the_way_out(folder, name, way_out, content):
    path = folder / name
    path.unlink() if content is None else path.write_bytes(content)

    with pytest.raises(FileError, match=f"{re.escape(way_out)}$"):
        _ = egonet.load(folder)["b"]


def test_verify_false_gives_the_same_result(made):
    assert answer(egonet.load(made[0], verify=False)) == answer(made[1])


def test_checksums_are_compared_once(made, monkeypatch):
    stored, seen = egonet.load(made[0]), []
    monkeypatch.setattr("egonet.store.folder.checksum", lambda path: seen.append(path) or checksum(path))

    _ = stored.matrix, stored.matrix, stored.rows(0, 5), stored["n1"], stored["n1"], stored.graph

    assert len(seen) == len(set(seen)) == 4 * 3 + 1 + 4  # arrays of blocks, columns, graph and names


@pytest.mark.parametrize("start", range(11))
def test_a_flipped_bit_raises_or_changes_nothing(made, tmp_path, start):
    folder = shutil.copytree(made[0], tmp_path / "out")
    expected, raised, total = answer(made[1]), 0, 0
    for path in files_of(folder):
        data = path.read_bytes()
        for place in range(start, len(data), 11 * 8):
            damaged = bytearray(data)
            damaged[place] ^= 1 << (place + start) % 8
            path.write_bytes(damaged)
            total += 1
            try:
                assert answer(egonet.load(folder)) == expected, f"{path}, byte {place}"
            except FileError:
                raised += 1
        path.write_bytes(data)

    assert raised > 0.8 * total > 10


def test_opening_reads_no_blocks(tmp_path):
    store.encode(named.grid(300, 300), tmp_path / "out", 2)

    began = time.perf_counter()
    stored = egonet.load(tmp_path / "out")
    rows = stored.rows(40_000, 40_010)
    seconds = time.perf_counter() - began

    assert rows.shape == (10, len(stored.vocabulary))
    assert "matrix" not in vars(stored)
    assert seconds < 0.1


@pytest.mark.parametrize("name", ["labels", "roots"])
def test_labels_and_roots_that_do_not_fit_the_graph_are_named(tmp_path, name):
    store.encode(named.path("abc"), tmp_path / "out", 1, labels=["x", "y", "x"], roots=["a", "c"])
    choices = read_manifest(tmp_path / "out", "", "")["choices"]
    folder = tmp_path / "out" / choices
    change_array(folder, name, np.load(folder / f"{name}.npy") + 9)

    with pytest.raises(FileError, match=rf"{choices}/{name}\.npy is damaged: it does not fit the graph"):
        _ = egonet.load(tmp_path / "out").labels


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (0, 100, [0, 1, 2]),
        (-1, 3, [2]),
        (0, -1, [0, 1]),
        (-9, 2, [0, 1]),
        (2, 1, []),
        (5, 9, []),
        (1, 2, [1]),
    ],
)
def test_a_range_of_rows_is_that_of_a_slice_in_memory_and_in_a_folder(folder, first, last, expected):
    encoding = egonet.encode(named.path("abc"), 1)

    for each in (egonet.load(folder), encoding, encoding.update()):
        assert each.rows(first, last).toarray().tolist() == encoding.matrix.toarray()[expected].tolist()


def test_a_range_of_rows_that_is_not_whole_numbers_raises(folder):
    for each in (egonet.load(folder), egonet.encode(named.path("abc"), 1)):
        with pytest.raises(InputError, match=r"rows takes two whole numbers, .* got 0\.5 and 2\."):
            each.rows(0.5, 2)


def test_a_reader_of_a_store_that_was_updated_is_told_to_open_it_again(tmp_path):
    folder = tmp_path / "store"
    reader = egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)
    reader = egonet.load(folder)
    egonet.store.update(folder, added=[("c", "d")])

    with pytest.raises(FileError, match=r"store was updated since it was opened.*Open it again"):
        reader["a"]
    assert egonet.load(folder)["d"] == {(0, 1): 1, (1, 1): 1}

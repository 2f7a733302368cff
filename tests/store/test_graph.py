"""Damaged graphs of a store raise."""

import os
import re

import numpy as np
import pytest

import egonet
from contracts.stores import change_array, change_manifest
from egonet.errors import FileError
from egonet.store.graph import source_of
from egonet.store.manifest import checksum


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_nodes", "x"),
        ("directed", "up"),
        ("ids", "other"),
        ("info", None),
        ("files", [1]),
    ],
)
def test_an_invalid_field_of_a_graph_is_named(folder, field, value):
    change_manifest(folder / "graph-0000", **{field: value})

    with pytest.raises(FileError, match=f"graph-0000/manifest.json is damaged: its field {field!r} is "):
        _ = egonet.load(folder).graph


@pytest.mark.parametrize(("found", "shown"), [("?", r"'\?'"), ("x" * 2000, "'x{56}" + r"\.\.\.")])
def test_an_unknown_format_of_a_graph_is_named(folder, found, shown):
    change_manifest(folder / "graph-0000", format=found)

    with pytest.raises(FileError, match=rf"graph-0000 has the format {shown}, not 'egonet graph 2'"):
        _ = egonet.load(folder).graph


@pytest.mark.parametrize(
    ("options", "arrays"),
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
def test_invalid_arrays_of_a_graph_raise(folder, options, arrays):
    change_manifest(folder / "graph-0000", **options)
    for name, array in arrays.items():
        change_array(folder / "graph-0000", name, array)

    said = f"{folder / 'graph-0000'} is damaged: its arrays do not fit together. Repair the store with `egonet verify`."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        _ = egonet.load(folder).graph


@pytest.mark.parametrize(("directed", "merged"), [(None, 3), ("out", 2)])
def test_loops_and_repeats_of_a_file_are_counted_as_in_memory(tmp_path, directed, merged):
    (tmp_path / "edges.txt").write_text("1 2\n2 1\n1 2\n2 3\n3 3\n2 3\n4 4\n")
    egonet.store.encode(tmp_path / "edges.txt", tmp_path / "out", 1, directed=directed)
    info = egonet.load(tmp_path / "out").graph.info

    assert (info.loops_dropped, info.duplicates_merged) == (2, merged)
    assert info == egonet.read_graph(tmp_path / "edges.txt", directed=directed).info


def test_the_file_of_a_graph_is_known_by_size_and_checksum_and_a_pipe_by_name(tmp_path):
    (tmp_path / "edges.txt").write_text("1 2\n")
    os.mkfifo(tmp_path / "pipe")

    assert source_of(tmp_path / "edges.txt") == {
        "name": "edges.txt",
        "size": 4,
        "checksum": checksum(tmp_path / "edges.txt"),
    }
    assert source_of(tmp_path / "pipe") == {"name": "pipe"}

"""Damaged graphs of a store raise."""

import re

import numpy as np
import pytest

import egonet
from contracts.stores import change_array, change_manifest
from egonet.errors import FileError


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

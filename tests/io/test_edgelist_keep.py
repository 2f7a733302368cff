"""Columns of a text that are kept as attributes of its edges."""

from io import BytesIO

import pytest

from egonet.errors import FileError, InputError
from egonet.graph.input_options import InputOptions
from egonet.tables import text as edgelist
from egonet.tables.text import TextOptions, read_text


def read(text, keep, **options):
    return read_text(
        BytesIO(text.encode()), "edges.csv", InputOptions(keep=keep, **options), TextOptions(delimiter=",")
    )


@pytest.mark.parametrize("size", [8, 1 << 20])
def test_every_chunk_of_a_long_file_gives_its_values(monkeypatch, size):
    monkeypatch.setattr(edgelist, "CHUNK", size)
    rows = [(u, u + 1, f"kind{u % 3}", u / 4) for u in range(40)]
    text = "source,target,kind,w\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    table = read(text, ("kind", "w")).edge_table

    assert table.columns["kind"].tolist() == [row[2] for row in rows]
    assert table.columns["w"].tolist() == [str(row[3]) for row in rows]


def test_columns_are_kept_by_position_without_a_header():
    graph = read("a,b,x,1\nb,c,y,2\n", (3, 2), source=0, target=1)

    assert graph.edge_table.columns[3].tolist() == ["1", "2"]
    assert graph.edge_table.columns[2].tolist() == ["x", "y"]
    assert not graph.info.weights_ignored


@pytest.mark.parametrize("column", ["shade", 4, -1])
def test_a_column_that_is_not_there_raises(column):
    with pytest.raises(InputError, match=r"edges\.csv"):
        read("source,target,kind\na,b,x\n", (column,))


@pytest.mark.parametrize(
    "text", ["a,b,x\nb,c,\n", 'a,b,x\nb,c,""\n', "a,b,x\nb,c,NULL\n", "a,b,x\nb,c,nan\n"]
)
def test_an_empty_field_is_no_value(text):
    said = r"^edges\.csv: every edge must have a value in column 'kind': 1 of 2 have none, first edge 1 \("
    with pytest.raises(FileError, match=said):
        read(f"source,target,kind\n{text}", ("kind",))


def test_a_name_has_no_meaning_without_a_header():
    with pytest.raises(InputError, match=r"has no column 'w': it has no header, .* by position \(0 to 2\)"):
        read("1,2,5\n2,3,6\n", ("w",), source=0, target=1)

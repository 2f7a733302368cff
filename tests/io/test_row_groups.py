"""Parquet files whose row groups several threads encoded are those that pyarrow writes, for every reader."""

import io
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.parts import need
from egonet.errors import OutputError
from egonet.io.files import atomic_path
from egonet.io.row_groups import MAX_ROWS, slices, write_row_groups

OPTIONS = {"compression": "zstd", "write_page_checksum": True}


def tables(sizes, **more):
    """Return functions that make tables of some sizes, with columns of every kind that egonet writes."""
    pyarrow = need("pyarrow")
    first = 0
    for size in sizes:
        rows = np.arange(first, first + size)
        columns = {
            "node": pyarrow.array([f"node {row}" for row in rows], pyarrow.string()),
            "list": pyarrow.array(
                [list(range(row % 4)) for row in rows.tolist()], pyarrow.large_list(pyarrow.int32())
            ),
            "flag": rows % 2 == 0,
            "gap": pyarrow.array([None if row % 3 else row / 7 for row in rows], pyarrow.float64()),
            **{f"column {number}": (rows % (number + 2)).astype(np.int32) for number in range(20)},
        }
        yield partial(
            lambda columns, size: pyarrow.table(columns).replace_schema_metadata({"is": "kept"}),
            columns,
            size,
        )
        first += size


@pytest.mark.parametrize("sizes", [[0], [1], [5, 5, 2], [100] * 40, [3, 0, 1]])
@pytest.mark.parametrize("threads", ["1", "4"])
def test_every_reader_finds_the_rows_in_order(tmp_path, monkeypatch, sizes, threads):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")
    monkeypatch.setenv("EGONET_THREADS", threads)
    path = tmp_path / "table.parquet"
    with path.open("wb") as stream:
        write_row_groups(stream, tables(sizes), **OPTIONS)

    expected = pyarrow.concat_tables(make() for make in tables(sizes))
    found = parquet.read_table(path, page_checksum_verification=True)
    assert found.equals(expected)
    assert found.schema.metadata == {b"is": b"kept"}
    assert need("polars").read_parquet(path).to_dicts() == expected.to_pylist()
    assert need("duckdb").connect().sql(f"FROM '{path}'").to_arrow_table().to_pydict() == expected.to_pydict()


def test_the_footer_is_that_of_pyarrow(tmp_path):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")
    sizes = [70, 70, 30]
    stream, theirs = io.BytesIO(), io.BytesIO()
    write_row_groups(stream, tables(sizes), write_page_index=True, **OPTIONS)
    table = pyarrow.concat_tables(make() for make in tables(sizes))
    parquet.write_table(table, theirs, row_group_size=70, write_page_index=True, **OPTIONS)

    found, expected = (parquet.ParquetFile(each).metadata for each in (stream, theirs))
    assert found.num_rows == expected.num_rows == 170
    assert found.schema.equals(expected.schema)
    assert found.created_by == expected.created_by
    for group in range(3):
        for column in range(found.num_columns):
            pair = [each.row_group(group).column(column).to_dict() for each in (found, expected)]
            for each in pair:  # pyarrow writes the indexes of pages of all row groups at the end
                each.update(dict.fromkeys(("file_offset", "data_page_offset", "dictionary_page_offset")))
            assert pair[0] == pair[1]
    rows = parquet.ParquetFile(stream).read_row_group(1, columns=["column 3"])
    assert rows.column(0).to_pylist() == [row % 5 for row in range(70, 140)]


def test_row_groups_are_left_out_by_their_statistics(tmp_path):
    pyarrow, dataset = need("pyarrow"), need("pyarrow.dataset", "pyarrow")
    path = tmp_path / "table.parquet"
    table = pyarrow.table({"a": np.arange(300)})
    with path.open("wb") as stream:
        write_row_groups(stream, [partial(table.slice, first, 100) for first in (0, 100, 200)], **OPTIONS)

    (file,) = dataset.dataset(path).get_fragments()
    assert [group.id for group in file.subset(dataset.field("a") > 150).row_groups] == [1, 2]
    assert dataset.dataset(path).to_table(filter=dataset.field("a") > 297)["a"].to_pylist() == [298, 299]


@given(rows=st.integers(0, 50), columns=st.integers(1, 40), size=st.integers(1, 20))
def test_a_table_in_slices_is_the_table(rows, columns, size):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")
    table = pyarrow.table({f"{number}": np.arange(rows) * number for number in range(columns)})
    stream = io.BytesIO()

    parts = [partial(table.slice, first, size) for first in range(0, max(rows, 1), size)]
    write_row_groups(stream, parts)

    assert parquet.read_table(stream).equals(table)


def test_a_slice_has_no_more_rows_than_pyarrow_writes():
    table = need("pyarrow").table({"a": np.zeros(MAX_ROWS + 1, dtype=np.int8)})

    assert [len(make()) for make in slices(table)] == [MAX_ROWS, 1]


@pytest.mark.parametrize("number", [0, 3, 39])
def test_an_error_in_one_thread_leaves_no_file(tmp_path, number):
    def fail():
        raise OSError(28, "No space left on device")

    makers = list(tables([10] * 40))
    makers[number] = fail
    path = tmp_path / "table.parquet"
    with (
        pytest.raises(OutputError, match="no space is left"),
        atomic_path(path) as temporary,
        temporary.open("wb") as stream,
    ):
        write_row_groups(stream, makers, **OPTIONS)

    assert list(tmp_path.iterdir()) == []

"""Encodings as files for other tools, read back by those tools."""

import errno
import os
from itertools import pairwise

import numpy as np
import pytest

import egonet
from egonet import Graph, encode, named
from egonet.encoding import export as write
from egonet.encoding.export import write_encoding
from egonet.errors import InputError, OutputError
from egonet.graph.index import arrow_ids
from egonet.io.files import atomic_path
from egonet.io.markup import read_coordinates

DENSE = [[1, 0, 1], [0, 1, 2], [1, 0, 1]]


@pytest.fixture
def encoding():
    return encode(named.path("abc"), 1)


def test_parquet_is_read_back_by_pyarrow(tmp_path, encoding, need):
    parquet = need("pyarrow.parquet", "pyarrow")

    write_encoding(encoding, tmp_path / "wide.parquet")
    write_encoding(encoding, tmp_path / "lists.parquet", form="sparse")

    wide = parquet.read_table(tmp_path / "wide.parquet")
    assert wide.column_names == ["node", "r1_d0_deg1", "r1_d0_deg2", "r1_d1_deg1"]
    assert wide["node"].to_pylist() == ["a", "b", "c"]
    assert wide["r1_d1_deg1"].to_pylist() == [1, 2, 1]
    lists = parquet.read_table(tmp_path / "lists.parquet")
    assert lists.to_pylist()[1] == {"node": "b", "column": [1, 2], "value": [1, 2]}


@pytest.mark.parametrize("form", ["wide", "sparse"])
def test_row_groups_of_parquet_are_the_rows_in_order(tmp_path, need, monkeypatch, form):
    parquet = need("pyarrow.parquet", "pyarrow")
    monkeypatch.setattr(write, "ROWS_PER_GROUP", 3)
    encoding = encode([("a", "b"), ("b", 3), (3, "d"), ("d", "a"), ("d", "e")], 1)

    write_encoding(encoding, tmp_path / "table.parquet", weighting="log", form=form)

    file = parquet.ParquetFile(tmp_path / "table.parquet")
    assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [3, 2]
    assert file.read().equals(encoding.to_arrow("log", form=form))
    assert file.schema_arrow.metadata == encoding.to_arrow("log", form=form).schema.metadata


def test_row_groups_of_ids_of_several_types_have_one_type(tmp_path, need, monkeypatch):
    parquet = need("pyarrow.parquet", "pyarrow")
    monkeypatch.setattr(write, "ROWS_PER_GROUP", 2)
    encoding = encode([(1, 2), ("a", "b"), (2, "a")], 1)

    write_encoding(encoding, tmp_path / "table.parquet")

    assert parquet.read_table(tmp_path / "table.parquet")["node"].to_pylist() == ["1", "2", "a", "b"]


@pytest.mark.parametrize("form", ["wide", "sparse"])
def test_parquet_has_the_same_bytes_for_any_number_of_threads(tmp_path, need, monkeypatch, form):
    need("pyarrow")
    monkeypatch.setattr(write, "ROWS_PER_GROUP", 50)
    encoding = encode(named.grid(30, 40), 2)

    for threads in ("1", "3", "16"):
        monkeypatch.setenv("EGONET_THREADS", threads)
        write_encoding(encoding, tmp_path / f"{threads}.parquet", form=form)

    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


@pytest.mark.parametrize(
    "empty",
    [encode(Graph.from_edges([], num_nodes=0), 1), encode([(0, 1)], 1, roots=[])],
    ids=["graph", "roots"],
)
def test_csv_of_no_rows_has_its_columns(tmp_path, empty):
    empty.write(tmp_path / "table.csv")

    assert (tmp_path / "table.csv").read_text() == ",".join(["node", *empty.feature_names]) + "\n"


def test_csv_of_no_pairs_has_its_columns(tmp_path):
    empty = egonet.encode_pairs([(0, 1), (1, 2)], [], radius=1)

    empty.write(tmp_path / "table.csv")

    assert (tmp_path / "table.csv").read_text() == ",".join(["source", "target", *empty.feature_names]) + "\n"


def test_ids_with_carriage_returns_are_quoted_in_csv(tmp_path, need):
    pandas = need("pandas", "pandas")
    ids = ["a", "b\r", "c\r\nd", 'e"', "f,\n"]

    encode(list(pairwise(ids)), radius=1).write(tmp_path / "table.csv")

    assert pandas.read_csv(tmp_path / "table.csv")["node"].tolist() == ids
    expected = b'node,r1_d0_deg1,r1_d0_deg2,r1_d1_deg1\na,1,0,1\n"b\r",0,1,2\n'
    assert (tmp_path / "table.csv").read_bytes().startswith(expected)


def test_parquet_of_no_rows_has_its_columns(tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")

    write_encoding(encode(Graph.from_edges([], num_nodes=0), 1), tmp_path / "table.parquet")

    assert parquet.read_table(tmp_path / "table.parquet").to_pydict() == {"node": []}


def test_arrow_is_read_back_by_pyarrow(tmp_path, encoding, need):
    feather = need("pyarrow.feather", "pyarrow")

    write_encoding(encoding, tmp_path / "table.arrow", weighting="log")

    assert feather.read_table(tmp_path / "table.arrow")["r1_d0_deg2"].to_pylist() == [0.0, 1.0, 0.0]


def test_matrix_market_is_read_back_by_scipy(tmp_path, encoding):
    write_encoding(encoding, tmp_path / "matrix.mtx")

    assert read_coordinates(tmp_path / "matrix.mtx").toarray().tolist() == DENSE
    assert [path.name for path in tmp_path.iterdir()] == ["matrix.mtx"]
    assert (tmp_path / "matrix.mtx").read_text().splitlines()[1:7] == [
        '%row 1 "a"',
        '%row 2 "b"',
        '%row 3 "c"',
        '%column 1 "r1_d0_deg1"',
        '%column 2 "r1_d0_deg2"',
        '%column 3 "r1_d1_deg1"',
    ]


def test_ids_with_line_ends_stay_on_one_line_of_a_matrix_market_file(tmp_path):
    write_encoding(encode([("a\nb", "é"), ("é", "%%x")], 0), tmp_path / "matrix.mtx")

    lines = (tmp_path / "matrix.mtx").read_text().splitlines()
    assert lines[1:4] == [r'%row 1 "a\nb"', r'%row 2 "\u00e9"', '%row 3 "%%x"']
    assert read_coordinates(tmp_path / "matrix.mtx").toarray().tolist() == [[1, 0], [0, 1], [1, 0]]


def test_csv_quotes_ids_that_hold_commas(tmp_path):
    write_encoding(encode([('x, "y"', "z")], 0), tmp_path / "table.csv")

    assert (tmp_path / "table.csv").read_text() == 'node,r0_d0_deg1\n"x, ""y""",1\nz,1\n'


def test_npz_is_our_own_format(tmp_path, encoding):
    write_encoding(encoding, tmp_path / "e.npz")

    assert egonet.load(tmp_path / "e.npz")["b"] == {(0, 2): 1, (1, 1): 2}


def test_many_columns_become_lists(encoding, monkeypatch):
    assert write.default_form(encoding) == "wide"
    monkeypatch.setattr(write, "WIDE_LIMIT", 2)
    assert write.default_form(encoding) == "sparse"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("e.xlsx", {}, r"an encoding is written as \.parquet, \.arrow, \.csv, \.npz, \.mtx, got 'e\.xlsx'\."),
        ("e.npz", {"weighting": "log"}, r"\.npz keeps the counts themselves\."),
        ("e.csv", {"form": "sparse"}, r"CSV has no lists\. Write \.parquet or \.arrow for the sparse form\."),
    ],
)
def test_formats_that_cannot_be_written_raise(tmp_path, encoding, name, options, message):
    with pytest.raises(InputError, match=message):
        write_encoding(encoding, tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    (tmp_path / "table.csv").write_text("old")

    with pytest.raises(KeyboardInterrupt), atomic_path(tmp_path / "table.csv") as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt

    assert (tmp_path / "table.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_full_disk_raises_one_sentence(tmp_path):
    sentence = "could not be written: no space is left on the device; free some"
    with pytest.raises(OutputError, match=sentence), atomic_path(tmp_path / "table.csv") as temporary:
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_a_file_name(tmp_path):
    with pytest.raises(OutputError, match="that is a folder; give a file name"), atomic_path(tmp_path):
        pass


def test_parquet_files_have_checksums_that_readers_can_compare(tmp_path, need):
    parquet = need("pyarrow.parquet", "pyarrow")
    path = tmp_path / "table.parquet"
    write_encoding(encode(named.cycle(5_000), 2), path)
    column = parquet.ParquetFile(path).metadata.row_group(0).column(0)
    damaged = bytearray(path.read_bytes())
    damaged[column.data_page_offset + column.total_compressed_size // 2] ^= 1
    path.write_bytes(damaged)

    with pytest.raises(OSError, match="CRC checksum"):
        parquet.read_table(path, page_checksum_verification=True)


@pytest.mark.parametrize(("weighting", "field"), [("count", "integer"), ("log", "real")])
def test_a_matrix_market_file_says_whether_it_holds_counts(tmp_path, weighting, field):
    write_encoding(encode(named.path("abc"), 1), tmp_path / "a.mtx", weighting=weighting)

    head = (tmp_path / "a.mtx").read_text().splitlines()[0]
    assert head == f"%%MatrixMarket matrix coordinate {field} general"


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (np.array([3, 5]), [3, 5]),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (np.array(["a", 7], dtype=object), ["a", "7"]),
    ],
)
def test_ids_of_a_table_are_numbers_or_text(ids, expected):
    assert arrow_ids(ids).to_pylist() == expected

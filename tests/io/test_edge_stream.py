"""Edge lists read in chunks."""

import re

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

import egonet
from egonet import read_graph
from egonet.errors import FileError
from egonet.io import edge_stream as stream
from egonet.io.edge_stream import EdgeStream
from egonet.store.graph import build_graph


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def raises(path, said, error=FileError):
    with pytest.raises(error, match=f"^{re.escape(said)}") as caught:
        read_graph(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith((".", "?"))


@pytest.fixture
def write(tmp_path, need):
    pa, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")

    def written(**columns):
        parquet.write_table(pa.table(columns), tmp_path / "edges.parquet", row_group_size=2)
        return EdgeStream(tmp_path / "edges.parquet")

    return written


def test_ids_beyond_64_bits_are_kept_by_the_reader_and_raise_in_a_store(tmp_path):
    path = written(tmp_path, "a.csv", f"\n7,1\n{2**63},{2**64 - 1}".encode())

    assert read_graph(path).node_ids.tolist() == [7, 1, 2**63, 2**64 - 1]
    said = "a.csv: whole numbers beyond 2**63 cannot be read in chunks. Read the file into memory first, "
    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        build_graph(path, tmp_path / "graph", memory=10**6)
    assert egonet.store.encode(read_graph(path), tmp_path / "store", 1)[2**63] == {(0, 1): 1, (1, 1): 1}


def test_unsigned_ids_of_parquet_beyond_64_bits_raise_by_a_store(tmp_path):
    table = pa.table({"u": pa.array([1], pa.uint64()), "v": pa.array([2**63], pa.uint64())})
    pa.parquet.write_table(table, tmp_path / "a.parquet")

    assert read_graph(tmp_path / "a.parquet").node_ids.tolist() == [1, 2**63]
    with pytest.raises(FileError, match=r"^a.parquet: whole numbers beyond 2\*\*63 cannot be read in chunks"):
        build_graph(tmp_path / "a.parquet", tmp_path / "graph", memory=10**6)


def test_a_fraction_after_megabytes_of_numbers_raises_by_a_store_too(tmp_path):
    path = written(tmp_path, "a.csv", b"1,2\n" * 10 + b"3,4.5")
    said = (
        "a.csv, line 11: an id must be hashable and not missing, a number whole and of 64 bits, got '3,4.5'."
    )

    raises(path, said)
    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        build_graph(path, tmp_path / "graph", memory=10**6)


def test_names_cut_inside_a_character_raise_by_a_store_too(tmp_path):
    # Concatenated in the order of their numbers, the names are valid UTF-8; each of them is not.
    path = written(tmp_path, "a.csv", b"a\xc3,\xa4b\n")
    said = r"a.csv, line 1: text must be UTF-8, got b'a\xc3'. Save it as UTF-8."

    raises(path, said)
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        build_graph(path, tmp_path / "graph", memory=10**6)


@pytest.mark.parametrize("kind", [int, str])
def test_the_row_of_a_missing_value_is_counted_over_all_chunks(write, kind):
    ends = [kind(number) for number in (1, 2, 3, 4, 5)]
    reader = write(source=ends, target=[*ends[:3], None, ends[4]])

    with pytest.raises(
        FileError, match=r"got a missing value in row 3 of column 'target' \(counted from 0\)"
    ):
        list(reader.chunks())


def test_a_third_column_is_noted(write):
    for columns, has_extra in (({}, False), ({"weight": [0.5, 1.0]}, True)):
        reader = write(source=[1, 2], target=[2, 3], **columns)

        assert [chunk.tolist() for chunk in reader.chunks()] == [[0, 1, 1, 2]]
        assert reader.has_extra is has_extra


def test_names_of_several_chunks_keep_their_numbers(write):
    reader = write(source=["ab", "c", "ab"], target=["c", "d", "e"])

    assert [chunk.tolist() for chunk in reader.chunks()] == [[0, 1, 1, 2], [0, 3]]
    offsets, data = reader.ids
    assert offsets.tolist() == [0, 2, 3, 4, 5]
    assert bytes(data) == b"abcde"


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_the_last_name_of_a_chunk_is_checked_too(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(stream, "BATCH", batch)
    (tmp_path / "edges.txt").write_bytes(b"a b\nb \xff\n")

    with pytest.raises(FileError, match=r"edges\.txt, line 2: text must be UTF-8"):
        list(EdgeStream(tmp_path / "edges.txt").chunks())

"""Files read piece by piece: where a missing value is, what else there is, names at the ends of pieces."""

import pytest

from egonet.errors import FileError
from egonet.io import edge_stream as stream
from egonet.io.edge_stream import EdgeStream


@pytest.fixture
def write(tmp_path, need):
    pa, parquet = need("pyarrow"), need("pyarrow.parquet", "pyarrow")

    def written(**columns):
        parquet.write_table(pa.table(columns), tmp_path / "edges.parquet", row_group_size=2)
        return EdgeStream(tmp_path / "edges.parquet")

    return written


@pytest.mark.parametrize("kind", [int, str])
def test_the_row_of_a_missing_value_is_counted_over_all_pieces(write, kind):
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


def test_names_of_several_pieces_keep_their_numbers(write):
    reader = write(source=["ab", "c", "ab"], target=["c", "d", "e"])

    assert [chunk.tolist() for chunk in reader.chunks()] == [[0, 1, 1, 2], [0, 3]]
    offsets, data = reader.ids
    assert offsets.tolist() == [0, 2, 3, 4, 5]
    assert bytes(data) == b"abcde"


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_the_last_name_of_a_piece_is_checked_too(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(stream, "BATCH", batch)
    (tmp_path / "edges.txt").write_bytes(b"a b\nb \xff\n")

    with pytest.raises(FileError, match=r"edges\.txt, line 2: text must be UTF-8"):
        list(EdgeStream(tmp_path / "edges.txt").chunks())

"""Text in chunks: the same bytes for any number of threads, without a byte order mark."""

import io

import pytest

from egonet.errors import FileError
from egonet.io.byte_streams import chunk_bytes, mark_last
from egonet.tables import text as edgelist
from egonet.tables.text import plain_chunks


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", [0, 6, 7, 8, 21, 100])
def test_chunks_of_a_file_are_its_bytes(tmp_path, monkeypatch, threads, size):
    monkeypatch.setattr(edgelist, "CHUNK", 7)
    content = bytes(range(1, 1 + size))
    (tmp_path / "edges.txt").write_bytes(content)

    with (tmp_path / "edges.txt").open("rb") as stream:
        lengths = [
            (len(chunk_bytes(chunk)), chunk_bytes(chunk))
            for chunk in plain_chunks(stream, "edges.txt", threads)
        ]

    assert b"".join(chunk for _, chunk in lengths) == content
    assert max(length for length, _ in lengths) <= 7 * threads


def test_a_stream_that_is_no_file_is_not_read_ahead(monkeypatch):
    monkeypatch.setattr(edgelist, "CHUNK", 4)
    stream = io.BytesIO(b"1 2\n3 4\n5 6\n")
    chunks = plain_chunks(stream, "stdin", 8)

    assert (next(chunks), next(chunks)) == (b"1 2\n", b"3 4\n")
    assert stream.tell() == 8


def test_the_byte_order_mark_is_left_out_and_utf_16_raises():
    assert list(plain_chunks(io.BytesIO(b"\xef\xbb\xbf1 2\n"), "a.txt")) == [b"1 2\n"]
    with pytest.raises(FileError, match=r"^a\.txt is UTF-16, but text must be UTF-8\. Save it as UTF-8\.$"):
        next(plain_chunks(io.BytesIO(b"\xff\xfe1\x00"), "a.txt"))


def test_the_end_is_marked_after_the_last_chunk():
    assert list(mark_last(b"1", iter([b"2", b"3"]))) == [
        (b"1", False),
        (b"2", False),
        (b"3", False),
        (b"", True),
    ]

"""Byte streams: chunks that are read ahead, and what the first bytes of a file or pipe tell about its format."""

import io
import os
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from egonet.errors import FileError, option, show_value
from egonet.graph.input_options import warn

UInt8s: TypeAlias = NDArray[np.uint8]
#: Bytes, or an array of bytes that ends with a NUL and is valid until the next chunk is requested.
Chunk: TypeAlias = bytes | UInt8s


def read_ahead(stream: BinaryIO, size: int) -> Iterator[UInt8s]:
    """Yield the rest of a stream in chunks of this size; the next chunk is read while one is used."""
    buffers = cycle(np.empty(size + 1, dtype=np.uint8) for _ in range(2))
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(fill, stream, next(buffers))
        while len(chunk := coming.result()) > 1:
            coming = reader.submit(fill, stream, next(buffers))
            yield chunk


def fill(stream: BinaryIO, buffer: UInt8s) -> UInt8s:
    """Fill a buffer with the next bytes of a stream and a NUL after them; return the part in use."""
    size = stream.readinto(buffer[:-1])  # type: ignore[attr-defined]
    buffer[size] = 0
    return buffer[: size + 1]


def is_file(stream: BinaryIO) -> bool:
    """Return whether a stream is a file; a pipe may wait forever for its next bytes."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # no file descriptor
        return False


def mark_last(head: bytes, chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Yield the chunks of a text, each with whether it is the last."""
    yield head, False
    for chunk in chunks:
        yield chunk, False
    yield b"", True


def chunk_bytes(chunk: Chunk) -> bytes:
    """Return a copy of a chunk.

    >>> chunk_bytes(np.array([97, 98, 0], dtype=np.uint8))
    b'ab'
    """
    return chunk[:-1].tobytes() if isinstance(chunk, np.ndarray) else chunk


UTF8_BOM = b"\xef\xbb\xbf"
#: The start of files that are not edge lists in UTF-8: a pattern, and what to do about it.
STRANGE_STARTS = (
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "is UTF-32, but text must be UTF-8. Save it as UTF-8."),
    (rb"\xff\xfe|\xfe\xff", "is UTF-16, but text must be UTF-8. Save it as UTF-8."),
    (rb"\xef\xbb\xbf", "begins with two byte order marks, as joined files do. Save it again as UTF-8."),
    # Excel reads the delimiter from this line, and does not count it as data.
    (
        rb"\"?sep=[^\w\s]?\"?[,;\t|]?\s*[\r\n]",
        f"begins with Excel's line for the delimiter. Drop it and give {option('delimiter')}.",
    ),
    (rb"version https://git-lfs", "is a pointer of Git LFS, not the data. Fetch them: git lfs pull."),
    (rb"(?i:\s*<(?:!doctype html|html))", "is a web page, not a list of edges. Download the file itself."),
    (
        # Both sides of a bipartite graph in the KONECT collection count from 1.
        rb"% bip",
        "is a bipartite graph of KONECT, in which both sides count from 1. Give every node its own id, "
        'as in "r1 c1", and drop the first line.',
    ),
)
STRANGE_START = re.compile(b"|".join(pattern for pattern, _ in STRANGE_STARTS))


def strange_start(start: bytes, name: str) -> FileError:
    """Return the error for a text whose start shows that it is not an edge list in UTF-8.

    >>> print(strange_start(b"sep=;\\nann;bob\\n", "edges.csv"))
    edges.csv begins with Excel's line for the delimiter. Drop it and give delimiter=.
    """
    problem = next(problem for pattern, problem in STRANGE_STARTS if re.match(pattern, start))
    return FileError(f"{name} {problem}")


def reject_undecodable(values: list[str], text: bytes, name: str) -> list[str]:
    """Return values; raise if some were not UTF-8 in the text, where different ones would become the same."""
    if any("\ufffd" in value for value in values):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            line = text.count(b"\n", 0, error.start) + 1
            raise FileError(f"{name}, line {line}: text must be UTF-8. Save it as UTF-8.") from error
    return values


#: At most this many bytes are read to find the line that determines the format.
MOST_BYTES = 1 << 20
#: The first bytes that identify a format.
MARKS = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"PK\x03\x04": "npz",
    b"%%MatrixMarket": "mtx",
    b">>graph6<<": "graph6",
    b"<?xml": "graphml",
    b"<graphml": "graphml",
    b"graph [": "gml",
    b"graph[": "gml",
    b"Creator ": "gml",
}
#: Formats whose readers seek in the file.
WHOLE = ("parquet", "arrow", "npz")
GZIP = b"\x1f\x8b"


class Piped(io.RawIOBase):
    """A stream that returns bytes that were read before, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self.head, self.rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not len(self.head):
            return cast(io.BufferedReader, self.rest).readinto1(buffer)
        size = min(len(buffer), len(self.head))
        buffer[:size] = self.head[:size]
        self.head = self.head[size:]
        return size


def sniff(stream: BinaryIO, name: str) -> tuple[BinaryIO, str]:
    """Return a stream from its beginning, and its format by its first bytes; a warning says which one.

    Binary and markup formats begin with a mark. In text the first line that is neither empty nor a comment decides: a
    tab means tsv, a comma csv, blanks text. A line with both a tab and a comma, or with no delimiter, is a FileError.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> stream, kind = sniff(io.BytesIO(b"# ids\\n1\\t2\\n"), "stdin")
    >>> kind, stream.read()
    ('tsv', b'# ids\\n1\\t2\\n')
    """
    read, line = bytearray(), b""  # adding to bytes would copy them for every line
    while len(read) < MOST_BYTES:
        line = stream.readline(MOST_BYTES)
        read += line
        if not line or (
            (line.strip() and not line.startswith((b"#", b"%"))) or line.startswith(tuple(MARKS))
        ):
            break
    head = bytes(read)
    kind = format_of_line(head.removeprefix(UTF8_BOM), line.removeprefix(UTF8_BOM), name)
    warn(
        f"{name} is read as {kind}, by its first line. Set {option('format', kind)} if this is intended, or "
        "another one."
    )
    return as_seekable(io.BufferedReader(Piped(head, stream), 1 << 20), kind), kind


def format_of_line(head: bytes, line: bytes, name: str) -> str:
    """Return the format of a stream by its first bytes and the first line that is neither empty nor a comment.

    >>> format_of_line(b"a,b", b"a,b", "stdin"), format_of_line(b"PAR1", b"PAR1", "stdin")
    ('csv', 'parquet')
    """
    if head.startswith(GZIP):
        raise FileError(f"{name} is packed by gzip. Unpack it first: zcat edges.csv.gz | egonet encode -")
    for mark, kind in MARKS.items():
        if head.startswith(mark) or line.startswith(mark):
            return kind
    is_format = {"tsv": b"\t" in line.strip(), "csv": b"," in line}
    if all(is_format.values()) or b"\0" in line:
        what = "holds NUL bytes" if b"\0" in line else "has both tabs and commas"
        raise FileError(
            f"the first line of {name} {what}: which format is it? Set {option('format', 'csv')}, for example."
        )
    if any(is_format.values()):
        return next(kind for kind, is_there in is_format.items() if is_there)
    if len(line.split()) > 1 or not head.strip():
        return "text"
    start = show_value(line[:40].decode("utf-8", "replace").strip())
    raise FileError(
        f"the first line of {name}, {start}, has no tab, comma or blank. Set {option('format', 'graph6')} if it is "
        f"one, or {option('format', 'csv')} and {option('delimiter')}."
    )


def as_seekable(stream: BinaryIO, kind: str) -> BinaryIO:
    """Return a stream that supports seeking if the reader of the format needs it."""
    return io.BytesIO(stream.read()) if kind in WHOLE else stream

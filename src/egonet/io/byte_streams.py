"""Streams of bytes: large chunks, read ahead for several threads, and pipes, whose first bytes give the format."""

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

from egonet.errors import FileError
from egonet.graph.ids import show
from egonet.graph.input_options import warn

UInt8s: TypeAlias = NDArray[np.uint8]
_WORD = re.compile(r"[^\W\d]")
_WHOLE = re.compile(r"[0-9]+")
#: Bytes, or an array of bytes with a NUL behind them that is valid until the next chunk is asked for.
Chunk: TypeAlias = bytes | UInt8s


def read_ahead(stream: BinaryIO, size: int) -> Iterator[UInt8s]:
    """Yield the rest of a stream in chunks of this size; the next one is read while one is used."""
    buffers = cycle(np.empty(size + 1, dtype=np.uint8) for _ in range(2))
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(fill, stream, next(buffers))
        while len(chunk := coming.result()) > 1:
            coming = reader.submit(fill, stream, next(buffers))
            yield chunk


def fill(stream: BinaryIO, buffer: UInt8s) -> UInt8s:
    """Return the part of a buffer that is filled with the next bytes of a stream, and a NUL behind them."""
    size = stream.readinto(buffer[:-1])  # type: ignore[attr-defined]
    buffer[size] = 0
    return buffer[: size + 1]


def is_file(stream: BinaryIO) -> bool:
    """Return whether a stream is a file; others may wait for their next bytes for ever."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # no file descriptor
        return False


def could_be_header(first: list[str], below: set[str]) -> bool:
    """Return whether a row of unknown names may be a header: they are not ids below and look different.

    Names without digits always may. Names with digits look like ids if an id below has the same shape.

    >>> could_be_header(["payer", "payee"], {"c17", "c20"}), could_be_header(["c4", "c9"], {"c17", "c20"})
    (True, False)
    >>> could_be_header(["ann", "bob"], {"bob", "cid"})
    False
    """
    if not below or not below.isdisjoint(first) or any(is_number(value) for value in first):
        return False
    if all(map(_WHOLE.fullmatch, below)):
        return True
    if not all(map(_WORD.match, first)):
        return False
    plain = not any(map(str.isdigit, "".join(first)))
    return plain or set(map(shape, first)).isdisjoint(map(shape, below))


def is_number(text: str) -> bool:
    """Return whether a field is a number or empty, and so cannot be a column name."""
    try:
        float(text)
    except ValueError:
        return text == ""
    return True


def shape(text: str) -> str:
    """Return a text with every run of letters replaced by "a" and every run of digits by "0".

    >>> shape("acct_17"), shape("B3")
    ('a_0', 'a0')
    """
    return re.sub(r"[0-9]+", "0", re.sub(r"[^\W\d_]+", "a", text))


#: How many bytes may precede the line that decides.
MOST_BYTES = 1 << 20
#: The first bytes of formats that have such a mark.
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
#: Formats whose readers go back and forth in the file.
WHOLE = ("parquet", "arrow", "npz")
GZIP = b"\x1f\x8b"


class Piped(io.RawIOBase):
    """A stream whose first bytes were read before: they come again, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self.head, self.rest = memoryview(head), rest

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer and return the number of bytes."""
        if not len(self.head):
            return cast(io.BufferedReader, self.rest).readinto1(buffer)
        size = min(len(buffer), len(self.head))
        buffer[:size] = self.head[:size]
        self.head = self.head[size:]
        return size


def sniff(stream: BinaryIO, name: str) -> tuple[BinaryIO, str]:
    """Return a stream from its beginning, and its format by its first bytes; a warning says which one.

    Files of other programs begin with a mark. In text the first line that is neither empty nor a comment decides: a
    tab means tsv, a comma csv, blanks text.

    Raises
    ------
    FileError
        If the first line has both a tab and a comma, or neither a delimiter nor blanks.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> stream, kind = sniff(io.BytesIO(b"# ids\\n1\\t2\\n"), "stdin")
    >>> kind, stream.read()
    ('tsv', b'# ids\\n1\\t2\\n')
    """
    head, line = b"", b""
    while len(head) < MOST_BYTES:
        line = stream.readline(MOST_BYTES)
        head += line
        if not line or (
            (line.strip() and not line.startswith((b"#", b"%"))) or line.startswith(tuple(MARKS))
        ):
            break
    kind = format_of_line(head.removeprefix(b"\xef\xbb\xbf"), line.removeprefix(b"\xef\xbb\xbf"), name)
    warn(
        f'{name} is read as {kind}, by its first line. Say format="{kind}" if this is meant, or another one.'
    )
    return whole(io.BufferedReader(Piped(head, stream), 1 << 20), kind), kind


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
    found = {"tsv": b"\t" in line.strip(), "csv": b"," in line}
    if all(found.values()) or b"\0" in line:
        what = "holds NUL bytes" if b"\0" in line else "has both tabs and commas"
        raise FileError(
            f'the first line of {name} {what}: which format is it? Say format="csv", for example.'
        )
    if any(found.values()):
        return next(kind for kind, is_there in found.items() if is_there)
    if len(line.split()) > 1 or not head.strip():
        return "text"
    start = show(line[:40].decode("utf-8", "replace").strip())
    raise FileError(
        f'the first line of {name}, {start}, has no tab, comma or blank. Say what it is: format="graph6", for example.'
    )


def whole(stream: BinaryIO, kind: str) -> BinaryIO:
    """Return a stream that can be read in the way a format needs: some go back and forth."""
    return io.BytesIO(stream.read()) if kind in WHOLE else stream

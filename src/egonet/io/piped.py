"""Graphs from stdin and other pipes: they have no ending, so their first bytes give the format."""

import io
from typing import Any, BinaryIO, cast

from egonet.errors import FileError
from egonet.graph.ids import show
from egonet.graph.input_options import warn

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

    Examples
    --------
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

"""Edge lists in text: csv, tsv and columns parted by blanks, read in one native pass as they stream in."""

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from egonet import _native
from egonet.errors import FileError, InputError
from egonet.graph.frames import COLUMN_PAIRS, choose_columns
from egonet.graph.graph import Graph
from egonet.graph.ids import ID_RULE, factorize, renumber, show
from egonet.types import Direction

CHUNK = 1 << 22
UTF8_BOM, UTF16_BOMS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
COMMENT = "#%"
#: Digits of a number that Python reads without being asked to take the time.
LONGEST_NUMBER = 4300


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are cut.

    Attributes
    ----------
    delimiter
        One character, or "" for runs of blanks.
    comment
        Lines that start with one of these characters are skipped.
    doubtful
        Lines that start with one of these are refused: they may be comments or data.
    source, target
        Positions of the two columns.
    num_fields
        How many fields every line has, or 0 if that may differ.
    skip
        1 if the first line is a header, else 0.
    """

    delimiter: str
    comment: str
    doubtful: str
    source: int = 0
    target: int = 1
    num_fields: int = 0
    skip: int = 0


def read_text(
    stream: BinaryIO,
    name: str,
    *,
    delimiter: str,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    comment: str | None = None,
    num_nodes: int | None = None,
    nodes: Iterable[Hashable] | None = None,
    directed: Direction | None = None,
) -> Graph:
    """Return the graph of an edge list; `name` stands for the file in messages.

    Examples
    --------
    >>> from io import BytesIO
    >>> read_text(BytesIO(b"# a triangle\\n1 2\\n2 3\\n3 1\\n"), "edges.txt", delimiter="")
    Graph(num_nodes=3, num_edges=3)
    """
    chunks = plain_chunks(stream, name)
    head, layout = look_ahead(chunks, name, (source, target), header, opening(delimiter, comment))
    parser = _native.EdgeText(**vars(layout))
    fed = parser.feed(head, False)
    for chunk in chunks if fed else ():
        fed = fed and parser.feed(chunk, False)
    if not fed or not parser.feed(b"", True):
        raise fault_error(name, parser.fault, layout, parser.num_found)
    rows, ids = number_ids(parser, name, num_nodes, nodes)
    size = len(ids) if ids is not None else int(num_nodes or 0)
    return Graph.from_indices(
        rows[0::2], rows[1::2], size, nodes=ids, directed=directed, weights_ignored=parser.has_extra
    )


def opening(delimiter: str, comment: str | None) -> Layout:
    """Return the layout before the file is looked at.

    Where fields are parted by blanks, # and % start comments; elsewhere an id may well start with them.
    """
    if len(delimiter) > 1 or delimiter in ('"', "\n", "\r") or not delimiter.isascii():
        raise InputError(f"delimiter must be one character other than a quote, got {show(delimiter)}.")
    if delimiter == " ":
        delimiter = ""
    if comment is None:
        return Layout(delimiter, "", COMMENT) if delimiter else Layout(delimiter, COMMENT, "")
    return Layout(delimiter, comment, "")


def plain_chunks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the text in pieces, without its byte order mark; refuse UTF-16."""
    first = stream.read(CHUNK)
    if first.startswith(UTF16_BOMS):
        raise FileError(f"{name} is UTF-16, but text must be UTF-8. Save it as UTF-8.")
    yield first.removeprefix(UTF8_BOM)
    yield from iter(lambda: stream.read(CHUNK), b"")


def look_ahead(
    chunks: Iterator[bytes], name: str, ends: tuple[Any, Any], header: bool | None, layout: Layout
) -> tuple[bytes, Layout]:
    """Return the text read so far, at least two records of it, and the layout they show."""
    head, last = b"", False
    records: list[list[bytes]] = []
    words = (layout.delimiter, layout.comment, layout.doubtful)
    while len(records) < 2 and not last:
        chunk = next(chunks, None)
        head, last = head + (chunk or b""), chunk is None
        records, fault = _native.first_records(head, 2, last, *words)
        if fault[0]:
            raise fault_error(name, fault, layout, 0)
    rows = [[field.decode("utf-8", "replace") for field in record] for record in records]
    return head, settle(name, rows, ends, header, layout)


def settle(
    name: str, rows: list[list[str]], ends: tuple[Any, Any], header: bool | None, layout: Layout
) -> Layout:
    """Return the layout with its columns, from the first two rows and what the caller said."""
    by_name = any(isinstance(end, str) for end in ends)
    if by_name and header is False:
        raise InputError(
            "source and target are names, so header must not be False. Give positions: source=0."
        )
    skip = int(by_name or has_header(rows) if header is None else header)
    num_fields = len(rows[0]) if rows and layout.delimiter else 0
    if not by_name and (ends != (None, None) or not skip):
        source, target = choose_positions(*ends)
    elif rows and len(rows[0]) < 2:
        source, target = 0, 1  # too few fields, which the parser says with line and hint
        skip = 0
    else:
        try:
            names = choose_columns(rows[0] if rows else [], *ends)
        except InputError as error:
            raise FileError(f"{name}: {error}") from error
        source, target = (rows[0].index(column) for column in names)
    return Layout(layout.delimiter, layout.comment, layout.doubtful, source, target, num_fields, skip)


def choose_positions(source: Any, target: Any) -> tuple[int, int]:
    """Return two column positions, 0 and 1 if none are given."""
    if source is None and target is None:
        return 0, 1
    for position in (source, target):
        if not isinstance(position, int) or isinstance(position, bool) or position < 0:
            raise InputError(
                f"source and target must both be column names or both be positions >= 0, got {show(position)}."
            )
    return source, target


def has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row names columns: well-known names, or words above whole numbers.

    Examples
    --------
    >>> has_header([["person", "friend"], ["1", "2"]]), has_header([["a", "b"], ["b", "c"]])
    (True, False)
    """
    if not rows or len(rows[0]) < 2:
        return False
    lowered = {field.lower() for field in rows[0]}
    if any(a in lowered and b in lowered for a, b in COLUMN_PAIRS):
        return True
    words = all(re.match(r"[^\W\d]", field) and field.lower() != "nan" for field in rows[0][:2])
    return words and len(rows) > 1 and all(re.fullmatch(r"[0-9]+", field) for field in rows[1][:2])


def number_ids(
    parser: Any, name: str, num_nodes: int | None, nodes: Iterable[Hashable] | None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    """Return the rows of the ids that were read, side by side, and the ids by row."""
    codes = None if parser.is_whole else parser.take_codes()
    names = [] if parser.is_whole else decoded(parser, name)
    longest = max(map(len, names), default=0) if parser.is_numeric else 0
    if longest > LONGEST_NUMBER:
        raise FileError(
            f"{name} has a whole number of {longest:,} digits, more than an id may have. Write a name."
        )
    ids: list[Any] = [int(text) for text in names] if parser.is_numeric else names
    try:
        if codes is not None and num_nodes is None:
            return renumber(codes, ids, nodes)
        flat = parser.take_values() if codes is None else [ids[code] for code in codes.tolist()]
        source, target, labels = factorize(flat, num_nodes=num_nodes, nodes=nodes)
    except InputError as error:
        raise FileError(f"{name}: {error}") from error
    return np.stack([source, target], axis=1).reshape(-1), labels


def decoded(parser: Any, name: str) -> list[str]:
    """Return the distinct ids as strings."""
    names = parser.names()
    if isinstance(names, tuple):
        line, raw = names
        raise FileError(f"{name}, line {line}: text must be UTF-8, got {show(raw)}. Save it as UTF-8.")
    found: list[str] = names
    return found


def fault_error(name: str, fault: tuple[str, int, bytes], layout: Layout, num_found: int) -> FileError:
    """Return the error for what the parser stumbled over: file, line, rule, content, way out."""
    kind, line, raw = fault
    content = raw.decode("utf-8", "replace").strip("\r\n")
    shown = show(content)
    least = max(layout.source, layout.target) + 1
    sentence = {
        "few_fields": f"expected at least {least} fields, got {num_found}: {shown}.{_delimiter_hint(content, layout)}",
        "field_count": f"expected {layout.num_fields} fields as in the first row, got {num_found}: {shown}."
        " Put fields that hold the delimiter in quotes.",
        "missing_id": f"{ID_RULE}, got a missing value: {shown}. Drop the line or fill it in.",
        "not_whole": f"{ID_RULE}, got {shown}. Drop the line or write whole numbers.",
        "open_quote": f"a quote is opened and never closed: {shown}. Close it.",
        "after_quote": f"text follows a closing quote: {shown}. Write a quote inside quotes twice.",
        "long_line": f"a line must be shorter than 64 MiB, got {show(content[:40])}. Is this a text file?",
        "nul": "text must not hold NUL bytes. Is this a text file in UTF-8?",
        "doubtful": f'{shown} may be a comment or an edge. Say comment="{content.lstrip()[:1]}" to skip such lines,'
        ' comment="" to read them.',
    }[kind]
    return FileError(f"{name}, line {line}: {sentence}")


def _delimiter_hint(content: str, layout: Layout) -> str:
    for character in ",;\t|":
        if character in content and character != layout.delimiter:
            return f" Should it be read with delimiter={character!r}?"
    if layout.delimiter and " " in content.strip():
        return " Should it be read with delimiter=' '?"
    return " Give every line two vertex ids."

"""Edge lists in text: columns, an optional header and ids, parsed in one native pass over a stream."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO, TextIOWrapper
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from egonet import _native
from egonet.checks import as_argument, is_whole
from egonet.errors import FileError, InputError, option, show_value
from egonet.graph.columns import column_position, make_table, reject_empty
from egonet.graph.graph import Graph
from egonet.graph.index import ID_RULE, as_text_ids, factorize, renumber, text_array
from egonet.graph.input_options import (
    InputOptions,
    choose_columns,
    could_be_header,
    has_attributes,
    known_pairs,
    list_columns,
    reject_one_end,
    reject_same,
    warn,
)
from egonet.io.byte_streams import (
    STRANGE_START,
    UTF8_BOM,
    Chunk,
    chunk_bytes,
    is_file,
    read_ahead,
    reject_undecodable,
    strange_start,
)
from egonet.kernel.native import available_cores
from egonet.typing import Array, Int32s

COMMENT = "#%"
#: Fields that stand for no value.
MISSING = frozenset(("", "nan", "NaN", "NAN", "NULL", "None", "\\N", "<NA>", "N/A"))
#: The number of records that are compared to distinguish a header from an edge.
SAMPLE = 10_000
#: int() raises for longer numbers by default.
LONGEST_NUMBER = 4300
CHUNK = 1 << 22


#: Faults of numbers, which are found at the end: everything was read.
_NUMBERS = ("not_whole", "float_id")
_AS_TEXT = f"{option('ids', 'text')} reads all ids as text."


@dataclass(frozen=True)
class Layout:
    """How lines are split into fields.

    Attributes
    ----------
    delimiter
        One character, or "" for runs of blanks.
    comment
        Lines that start with one of these characters are skipped.
    doubtful
        Lines that start with one of these are errors: they may be comments or data.
    source, target
        Positions of the two columns.
    num_fields
        The number of fields of every line, or 0 if it may differ.
    skip
        1 if the first line is a header, else 0.
    header_source, header_target
        What the header says in the two columns: a line that repeats it is an error.
    """

    delimiter: str
    comment: str
    doubtful: str
    source: int = 0
    target: int = 1
    num_fields: int = 0
    skip: int = 0
    header_source: str = ""
    header_target: str = ""


@dataclass(frozen=True)
class TextOptions:
    """The options of `read_graph` for text.

    Attributes
    ----------
    delimiter
        One character between fields, "" for runs of blanks, None for the default of the format.
    header
        Whether the first record is a row of column names; None decides by its content.
    comment
        Lines that start with one of these characters are skipped; None for the default of the format.
    """

    delimiter: str | None = None
    header: bool | None = None
    comment: str | None = None


def read_text(stream: BinaryIO, name: str, options: InputOptions, text: TextOptions) -> Graph:
    """Return the graph of an edge list in text; `name` is the file in messages.

    >>> from io import BytesIO, TextIOWrapper
    >>> file = BytesIO(b"# a triangle\\n1 2\\n2 3\\n3 1\\n")
    >>> read_text(file, "edges.txt", InputOptions(), TextOptions(delimiter=""))
    Graph(num_nodes=3, num_edges=3)
    """
    if options.missing == "drop":
        stream, options, text, num_dropped = complete_text(stream, name, options, text)
        graph = read_text(stream, name, options, text)
        return replace(graph, info=replace(graph.info, missing_dropped=num_dropped))
    parser, head, layout = parse_text(stream, name, options, text)
    source, target, ids = number_ids(parser, name, options)
    graph = Graph.from_indices(
        source,
        target,
        int(options.num_nodes or 0) if ids is None else len(ids),
        nodes=ids,
        directed=options.directed,
        weights_ignored=parser.has_extra and not options.keep,
    )
    if options.keep is None:
        return graph
    columns = kept_columns(head, name, layout, options)
    return graph.with_table(make_table(source, target, options.keep, columns.__getitem__))


def complete_text(
    stream: BinaryIO, name: str, options: InputOptions, text: TextOptions
) -> tuple[BinaryIO, InputOptions, TextOptions, int]:
    """Return the records of a text that have every value needed, how to read them, and how many others there are."""
    content = b"".join(map(chunk_bytes, plain_chunks(stream, name)))
    _, layout = look_ahead(iter([content]), name, (options.source, options.target), text)
    records = first_rows(content, len(content) + 1, layout, name, last=True)
    header, rows = records[: layout.skip], records[layout.skip :]
    width = len(records[0]) if records else 0
    keep = [column_position(each, header[0] if header else [], width, name) for each in options.keep or ()]
    needed = [layout.source, layout.target, *keep]
    complete = [
        row for row in rows if len(row) > max(needed) and not any(row[at] in MISSING for at in needed)
    ]
    quoted = (b",".join(_quote_field(field) for field in row) for row in [*header, *complete])
    plain = replace(text, delimiter=",", comment="", header=bool(layout.skip))
    ends = replace(options, missing=None, source=layout.source, target=layout.target)
    return BytesIO(b"\n".join(quoted) + b"\n"), ends, plain, len(rows) - len(complete)


def _quote_field(field: str) -> bytes:
    """Return a field of CSV, in quotes unless it is a number."""
    is_plain = field.removeprefix("-").replace(".", "", 1).isdigit()
    return (field if is_plain else '"' + field.replace('"', '""') + '"').encode()


def parse_text(
    stream: BinaryIO, name: str, options: InputOptions, text: TextOptions
) -> tuple[Any, bytes, Layout]:
    """Return a parser that has read all pairs, the start of the text (all of it if columns are kept) and its layout."""
    threads = available_cores()
    chunks = plain_chunks(stream, name, threads)
    if options.keep is not None:
        chunks = iter([b"".join(map(chunk_bytes, chunks))])
    head, layout = look_ahead(chunks, name, (options.source, options.target), text)
    parser = _native.EdgeText(**vars(layout))
    is_fed = all(parser.feed(chunk, False, threads) for chunk in chain([head], chunks))
    is_text = options.ids == "text"  # then a number that is no id as a number is one as text
    if not is_fed or not (parser.feed(b"", True, threads) or (is_text and parser.fault[0] in _NUMBERS)):
        raise fault_error(name, parser.fault, layout, parser.num_found, stream)
    if parser.num_trimmed:
        warn_trimmed(parser, name)
    return parser, head, layout


def kept_columns(text: bytes, name: str, layout: Layout, options: InputOptions) -> dict[Any, list[Any]]:
    """Return the fields of the columns to keep, given by name or by position; they stay text."""
    records = first_rows(text, len(text) + 1, layout, name, last=True)
    header, rows = (records[0] if layout.skip else []), records[layout.skip :]
    columns: dict[Any, list[Any]] = {}
    for column in options.keep or ():
        position = column_position(column, header, len(rows[0]) if rows else len(header), name)
        values = [row[position] if position < len(row) else "" for row in rows]
        columns[column] = reject_empty(reject_undecodable(values, text, name), column, name, MISSING)
    return columns


def plain_chunks(stream: BinaryIO, name: str, threads: int = 1) -> Iterator[Chunk]:
    """Yield the text in chunks without its byte order mark; for several threads, larger chunks are read ahead."""
    first = stream.read(CHUNK)
    start = first.removeprefix(UTF8_BOM)
    if STRANGE_START.match(start):
        raise strange_start(start, name)
    yield start
    if threads == 1 or len(first) < CHUNK or not is_file(stream):
        yield from iter(lambda: stream.read(CHUNK), b"")
    else:
        yield from read_ahead(stream, CHUNK * threads)


def initial_layout(text: TextOptions) -> Layout:
    """Return the layout before the file is read.

    If fields are separated by blanks, # and % start comments. Otherwise an id may start with them.
    """
    delimiter, comment = text.delimiter, text.comment
    if not isinstance(delimiter, str) or not isinstance(comment, str | None):
        wrong = delimiter if not isinstance(delimiter, str) else comment
        raise InputError(f"delimiter and comment must be text, got {show_value(wrong)}.")
    if comment is not None and not comment.isascii():
        raise InputError(f"{as_argument('comment')} must be characters of ASCII, got {show_value(comment)}.")
    if len(delimiter) > 1 or delimiter in ('"', "\n", "\r") or not delimiter.isascii():
        raise InputError(
            f"{as_argument('delimiter')} must be one character other than a quote, got {show_value(delimiter)}."
        )
    if delimiter == " ":
        delimiter = ""
    if comment is None:
        return Layout(delimiter, "", COMMENT) if delimiter else Layout(delimiter, COMMENT, "")
    return Layout(delimiter, comment, "")


def look_ahead(
    chunks: Iterator[Chunk], name: str, ends: tuple[Any, Any], text: TextOptions
) -> tuple[bytes, Layout]:
    """Read at least two records; return the text read so far and its layout."""
    layout = initial_layout(text)
    head, last = b"", False
    rows: list[list[str]] = []
    size = 1
    while len(rows) < 2 and not last:
        # Twice as much text each time, so that megabytes of comments are not read again for every chunk.
        taken = [chunk if isinstance(chunk, bytes) else chunk_bytes(chunk) for chunk in islice(chunks, size)]
        head, last, size = b"".join([head, *taken]), len(taken) < size, 2 * size
        rows = first_rows(head, 2, layout, name, last=last)
    if rows and any(map(str.isalpha, "".join(rows[0]))):  # the rows below show whether this is a header
        rows = first_rows(head, SAMPLE, layout, name, last=last)
    source, target, skip = find_columns(name, rows, ends, text.header)
    # Lines may differ in length if they end in attributes, or if columns are separated by blanks and given by position.
    is_longer = bool(rows) and len(rows[0]) > 2 and has_attributes(rows[0])
    free = not rows or is_longer or (not layout.delimiter and isinstance(ends[0], int))
    num_fields = 0 if free else len(rows[0])
    complete_layout = replace(layout, source=source, target=target, num_fields=num_fields, skip=skip)
    if skip and rows and max(source, target) < len(rows[0]):
        complete_layout = replace(
            complete_layout, header_source=rows[0][source], header_target=rows[0][target]
        )
    return head, complete_layout


def first_rows(head: bytes, count: int, layout: Layout, name: str, *, last: bool) -> list[list[str]]:
    """Return the fields of the first records of a text."""
    records, fault = _native.first_records(
        head, count, last, layout.delimiter, layout.comment, layout.doubtful
    )
    if fault[0] and len(records) < 2:
        raise fault_error(name, fault, layout, 0)
    rows: list[list[str]] = records
    return rows


def number_ids(parser: Any, name: str, options: InputOptions) -> tuple[Int32s, Int32s, Array | None]:
    """Return the rows of both ends of every edge, and the ids by row."""
    threads = available_cores()
    codes = None if parser.is_whole else parser.take_codes(threads)
    if codes is not None and options.num_nodes is None and not parser.is_numeric:
        array = text_array(*parser.name_parts(threads))
        if array is not None:
            rows, labels = renumber(codes, array, options.nodes)
            return rows[0::2], rows[1::2], labels
    if options.ids == "text" and parser.is_whole:
        texts = as_text_ids(parser.take_values(threads))
        return factorize(texts, nodes=options.nodes)
    names = [] if parser.is_whole else decode_ids(parser, name)
    longest = max(map(len, names), default=0) if parser.is_numeric else 0
    if longest > LONGEST_NUMBER:
        raise FileError(
            f"{name} has a whole number of {longest:,} digits, more than an id may have. Write a name."
        )
    is_numeric = parser.is_numeric and options.ids is None
    ids: list[Any] = [int(text.removesuffix(".0")) for text in names] if is_numeric else names
    has_floats = is_numeric and any(text.endswith(".0") for text in names)
    try:
        if codes is not None and options.num_nodes is None and not has_floats:
            reject_long_numbers(ids)
            rows, labels = renumber(codes, ids, options.nodes)
            return rows[0::2], rows[1::2], labels
        flat = parser.take_values(threads) if codes is None else [ids[code] for code in codes.tolist()]
        return factorize(flat, num_nodes=options.num_nodes, nodes=options.nodes)
    except InputError as error:
        raise FileError(f"{name}: {error.marked}") from error


def reject_long_numbers(ids: list[Any]) -> None:
    """Raise for a whole number that has more than 64 bits."""
    large = [node for node in ids if isinstance(node, int) and not -(2**63) <= node < 2**64]
    if large:
        raise InputError(f"{ID_RULE}, got {show_value(large[0])}. Write it as a name.")


def warn_trimmed(parser: Any, name: str, num_columns: int = 2) -> None:
    """Warn if blanks around names were removed; around numbers they have no meaning.

    A single column of ids is both ends of the parser, which counts it twice.
    """
    if parser.num_trimmed and not parser.is_numeric:
        num_trimmed = parser.num_trimmed * num_columns // 2
        warn(
            f"{name}: blanks around {num_trimmed:,} ids are removed, first in line {parser.trimmed_line}."
            " Put an id in quotes to keep its blanks."
        )


def decode_ids(parser: Any, name: str) -> list[str]:
    """Return the distinct ids as strings."""
    names = parser.names()
    if isinstance(names, tuple):
        line, raw = names
        raise FileError(f"{name}, line {line}: text must be UTF-8, got {show_value(raw)}. Save it as UTF-8.")
    texts: list[str] = names
    return texts


def _hint_of_text(content: str) -> str:
    """Return how numbers with a fraction can be ids; "" for other lines, such as one with NA."""
    return f" {_AS_TEXT}" if re.search(r"\d\.\d", content) else ""


def fault_error(
    name: str, fault: tuple[str, int, bytes], layout: Layout, num_found: int, stream: BinaryIO | None = None
) -> FileError:
    """Return the error for a fault of the parser: file, line, rule, content, way out.

    With the `stream` that was read, missing ids are counted in all of it.
    """
    kind, line, raw = fault
    content = raw.decode("utf-8", "replace").strip("\r\n")
    shown = show_value(content)
    missing = _count_missing(stream, layout) if kind == "missing_id" else ""
    least = max(layout.source, layout.target) + 1
    sentence = {
        "few_fields": f"expected at least {least} fields, got {num_found}: {shown}.{_delimiter_hint(content, layout)}",
        "field_count": f"expected {layout.num_fields} fields as in the first row, got {num_found}: {shown}."
        " Put fields that contain the delimiter in quotes.",
        "missing_id": f"{ID_RULE}, got a missing value: {shown}{missing}. Fill it in, or set "
        f"{option('missing', 'drop')} to leave such lines out; quote names.",
        "float_id": f"a number as {shown} has a fraction in a file whose ids are names. {_AS_TEXT}",
        "not_whole": f"{ID_RULE}, got {shown}. Drop the line or write whole numbers.{_hint_of_text(content)}",
        "open_quote": f"a quote is opened and never closed: {shown}. Close it.",
        "header": f"the header is repeated: {shown}. Drop the line, or put the names in quotes if it is an edge.",
        "after_quote": f"text follows a closing quote: {shown}. Write a quote inside quotes twice.",
        "long_line": f"a line must be shorter than 64 MiB, got {show_value(content[:40])}. Is this a text file?",
        "nul": "text must not hold NUL bytes. Is this a text file in UTF-8?",
        "doubtful": f"{shown} may be a comment or an edge. Set {option('comment', content.lstrip()[:1])} to skip such "
        f"lines, {option('comment', '')} to read them.",
    }[kind]
    return FileError(f"{name}, line {line}: {sentence}")


def _count_missing(stream: BinaryIO | None, layout: Layout) -> str:
    """Return how many lines of a file have a missing id, and the first three; "" for a stream that is read once.

    >>> from io import BytesIO, TextIOWrapper
    >>> _count_missing(BytesIO(b"u,v\\na,b\\n,c\\n"), Layout(",", "", "", skip=1))
    '; 1 of 2 lines have none, first in line 3'
    """
    if stream is None or not stream.seekable():
        return ""
    stream.seek(0)
    lines = TextIOWrapper(stream, "utf-8-sig", "replace", newline="")
    total, places = 0, []
    try:
        for line, fields in islice(_records(lines, layout), layout.skip, None):
            total += 1
            ends = [
                fields[end].strip() if end < len(fields) else "" for end in (layout.source, layout.target)
            ]
            if not MISSING.isdisjoint(ends):
                places.append(line)
    except (csv.Error, OSError):
        return ""
    finally:
        lines.detach()
    where = f"first in line{'s' * (len(places) > 1)} {', '.join(map(str, places[:3]))}"
    return f"; {len(places):,} of {total:,} lines have none, {where}" if places else ""


def _records(lines: TextIOWrapper, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line that is neither blank nor a comment."""
    if layout.delimiter:
        reader = csv.reader(lines, delimiter=layout.delimiter)
        numbered: Iterator[tuple[int, list[str]]] = ((reader.line_num, fields) for fields in reader)
    else:
        numbered = ((number, line.split()) for number, line in enumerate(lines, start=1))
    return (
        (number, fields)
        for number, fields in numbered
        if fields and not (layout.comment and fields[0][:1] and fields[0][0] in layout.comment)
    )


def _delimiter_hint(content: str, layout: Layout) -> str:
    for character in ",;\t|":
        if character in content and character != layout.delimiter:
            return f" Should it be read with {option('delimiter', character)}?"
    if layout.delimiter and " " in content.strip():
        return f" Should it be read with {option('delimiter', ' ')}?"
    return " Give every line two node ids."


def find_columns(
    name: str, rows: list[list[str]], ends: tuple[Any, Any], header: bool | None
) -> tuple[int, int, int]:
    """Return the positions of the two columns, and 1 if the first row is a header, else 0.

    >>> find_columns("a.csv", [["when", "src", "dst"], ["9", "ann", "bob"]], (None, None), None)
    (1, 2, 1)
    >>> find_columns("a.txt", [["1", "2"], ["2", "3"]], (None, None), None)
    (0, 1, 0)
    """
    reject_one_end(*ends)
    if header is not None and not isinstance(header, bool | np.bool_):
        raise InputError(f"header must be True, False or None, got {show_value(header)}.")
    if ends[0] is not None:
        reject_same(*ends)
    if any(isinstance(end, str) for end in ends):
        return by_name(name, rows, ends, header)
    first = rows[0] if rows else []
    if ends != (None, None):
        source, target = as_positions(*ends)
    elif len(first) < 2:
        return 0, 1, 0  # the parser says which line has too few fields
    elif header or (header is None and known_pairs(first)):
        source, target = in_header(name, first, ends)
    elif len(first) > 2 and not has_attributes(first):
        raise FileError(
            f"{name}: which two columns have the node ids? Set {option('source')} and {option('target')}; the first "
            f"row is {list_columns(first)}."
            f" By position the first two columns are {option('source', 0)}, {option('target', 1)}."
        )
    else:
        source, target = 0, 1
    if header is None and max(source, target) < len(first):
        header = is_header(name, rows, (source, target))
    return source, target, int(bool(header))


def by_name(
    name: str, rows: list[list[str]], ends: tuple[Any, Any], header: bool | None
) -> tuple[int, int, int]:
    """Return the positions of columns given by name, which must be in the first row."""
    if header is False:
        raise InputError(
            f"the ends are names of columns, so there is a header. Leave {option('header', False)} out, or give "
            f"positions: {option('source', 0)} and {option('target', 1)}."
        )
    if not all(isinstance(end, str) for end in ends):
        raise InputError(
            f"both ends must be names of columns, or both positions, got {option('source', ends[0])} and "
            f"{option('target', ends[1])}."
        )
    return *in_header(name, rows[0] if rows else [], ends), 1


def in_header(name: str, first: list[str], ends: tuple[Any, Any]) -> tuple[int, int]:
    """Return the positions of the two columns in a header."""
    try:
        source, target = choose_columns(first, *ends, only_two=True)
    except InputError as error:
        raise FileError(f"{name}: {error.marked}") from error
    return first.index(source), first.index(target)


def as_positions(source: Any, target: Any) -> tuple[int, int]:
    """Return two column positions, counted from 0."""
    for name, position in (("source", source), ("target", target)):
        if not is_whole(position) or position < 0:
            raise InputError(
                f"a column is given by its name or its position, counted from 0, got {option(name, position)}."
            )
    return int(source), int(target)


def is_header(name: str, rows: list[list[str]], ends: tuple[int, int]) -> bool:
    """Return whether the first row names columns; raise if it may also be an edge."""
    if min(map(len, rows), default=0) <= max(ends):
        return False  # the parser says which line has too few fields
    first = [rows[0][end] for end in ends]
    below = {row[end] for row in rows[1:] for end in ends}
    if known_pairs(first) or known_pairs(rows[0]):
        # Without rows below, with the same ids below, or with single letters below u and v, it may be an edge.
        letters = len(first[0]) == 1 and any(len(value) == 1 and value.isalpha() for value in below)
        if below and below.isdisjoint(first) and not letters:
            return True
    elif not could_be_header(first, below):
        return False
    raise FileError(
        f"{name}: the first row ({', '.join(map(show_value, first))}) may name columns or be data."
        f" Set {option('header', True)} or {option('header', False)}."
    )

"""Graphs in the formats that other packages read: Parquet, Arrow, Matrix Market, GraphML, GML and npz."""

import io
import re
from collections.abc import Hashable, Iterable
from typing import Any, BinaryIO

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array

from egonet.errors import FileError, InputError, MissingExtraError
from egonet.graph.arcs import from_matrix
from egonet.graph.convert import PLAUSIBLE_NODES, from_edge_index, to_graph
from egonet.graph.dataframes import as_frame, choose_columns, from_frame, named_ends
from egonet.graph.graph import Graph
from egonet.graph.ids import is_id, printable, show
from egonet.io.arrays import is_bomb, read_archive
from egonet.typing import Direction

#: A table of so many rows may come from any file; a longer one must have at least a byte for four rows.
PLAUSIBLE_ROWS = 10**6
_NUMBER = rb"[ \t]++(?:[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?|[+-]?(?:nan|inf(?:inity)?))"
#: The lines of a Matrix Market file whose entries have no, one or two numbers; possessive, so that none is tried twice.
_ENTRIES = [
    re.compile(rb"(?i)(?:[ \t]*+(?:\d++[ \t]++\d++(?:%b){%d}[ \t\r]*+)?(?:\n|\Z))*+" % (_NUMBER, count))
    for count in range(3)
]
LONGEST_MESSAGE = 200


def read_parquet(stream: BinaryIO, name: str, **options: Any) -> Graph:
    """Return the graph of two columns of a Parquet file; other columns are not read."""
    pyarrow = require("pyarrow", "Parquet")
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(stream, page_checksum_verification=True)
        refuse_long(parquet_rows(file.metadata, name), stream, name)

        def select(names: list[str]) -> Any:
            refuse_bomb(parquet_bytes(file.metadata), stream, name)
            # Repeated strings stay numbers until it is known how long they are written out.
            strings = [
                end for end in names if str(file.schema_arrow.field(end).type) in ("string", "large_string")
            ]
            coded = parquet.ParquetFile(
                stream, read_dictionary=strings, page_checksum_verification=True
            ).read(columns=names)
            refuse_bomb(sum(written_bytes(coded.column(end)) for end in names), stream, name)
            return coded

        return from_table(file.schema_arrow.names, select, name, **options)
    except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} is not a Parquet file that can be read: {first_line(error)}") from error


def read_arrow(stream: BinaryIO, name: str, **options: Any) -> Graph:
    """Return the graph of two columns of an Arrow file (Feather is the same) or stream."""
    pyarrow = require("pyarrow", "Arrow")
    from pyarrow import ipc

    try:
        magic = stream.read(6)
        stream.seek(0)
        open_ = ipc.open_file if magic == b"ARROW1" else ipc.open_stream
        table = open_(stream).read_all()
        refuse_long(table.num_rows, stream, name)
        return from_table(table.column_names, table.select, name, **options)
    except (pyarrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} is not an Arrow file that can be read: {first_line(error)}") from error


def parquet_rows(metadata: Any, name: str) -> int:
    """Return how many rows a Parquet file says it has; its row groups must say the same."""
    groups = sum(int(metadata.row_group(place).num_rows) for place in range(metadata.num_row_groups))
    if groups != metadata.num_rows:
        raise FileError(
            f"{name} claims {metadata.num_rows:,} rows, but {groups:,} in its row groups. The file is damaged."
        )
    return groups


def parquet_bytes(metadata: Any) -> int:
    """Return how many bytes a Parquet file says it takes unpacked.

    Of its row groups, not column by column: pyarrow ends the process at damaged facts of a column.
    """
    groups = (metadata.row_group(place) for place in range(metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups)


def written_bytes(column: Any) -> int:
    """Return how many bytes the strings of a column of numbered strings take when each is written out."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type):
        return 0
    size = 0
    for chunk in column.chunks:
        lengths = compute.binary_length(chunk.dictionary)
        size += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return size


def refuse_bomb(unpacked: int, stream: BinaryIO, name: str) -> None:
    """Raise if a small file unpacks to more than any honest one."""
    packed = stream.seek(0, io.SEEK_END)
    if is_bomb(unpacked, packed):
        raise FileError(f"{name} holds {unpacked:,} bytes in {packed:,}. Drop repeated rows.")


def from_table(
    columns: list[str],
    select: Any,
    name: str,
    *,
    source: str | int | None,
    target: str | int | None,
    num_nodes: int | None,
    nodes: Iterable[Hashable] | None,
    directed: Direction | None,
) -> Graph:
    """Return the graph of a table of which only the two columns needed are fetched."""
    try:
        ends = choose_columns(columns, *named_ends(columns, source, target))
        table = select(list(dict.fromkeys(ends)))
        table.validate(full=True)  # a damaged file may point outside its own memory
        frame = as_frame(table)
        if frame is None:
            raise InputError("the table cannot be read.")
        return from_frame(
            frame,
            source=ends[0],
            target=ends[1],
            num_nodes=num_nodes,
            nodes=nodes,
            directed=directed,
            weights_ignored=len(columns) > 2,
        )
    except InputError as error:
        raise error if isinstance(error, FileError) else FileError(f"{name}: {error}") from error


def read_matrix_market(stream: BinaryIO, name: str, *, directed: Direction | None) -> Graph:
    """Return the graph of a sparse square matrix in the Matrix Market format."""
    from scipy.io import mmread

    text = stream.read()
    rows, columns, entries, start = matrix_market_size(text, name)
    if rows != columns:
        raise FileError(f"{name}: the matrix of a graph must be square, got {rows:,} x {columns:,}.")
    if 4 * entries > len(text) + 4:
        raise FileError(
            f"{name} is cut short: {len(text):,} bytes cannot hold {entries:,} entries. Fetch it again."
        )
    refuse_implausible(rows, len(text), name)
    refuse_bad_entries(text, start, name)
    try:
        # The last line is ended here, because scipy reads past the end of one that is not.
        return from_matrix(mmread(io.BytesIO(text + b"\n")), directed=directed)
    except (ValueError, OverflowError, TypeError) as error:
        raise FileError(f"{name} is not a sound Matrix Market file: {first_line(error)}") from error


def matrix_market_size(text: bytes, name: str) -> tuple[int, int, int, int]:
    """Return rows, columns and entries as the head of a Matrix Market file declares them, and where that ends.

    Examples
    --------
    >>> matrix_market_size(b"%%MatrixMarket matrix coordinate pattern symmetric\\n3 3 1\\n2 1\\n", "a.mtx")
    (3, 3, 1, 57)
    """
    head, *lines = text[: 1 << 20].splitlines(keepends=True) or [b""]
    start = len(head)
    words = head.lower().split()
    if words[:2] != [b"%%matrixmarket", b"matrix"] or len(words) != 5:
        raise FileError(
            f"{name} is not a Matrix Market file: its first line is {show(head.decode('latin-1').strip())}."
        )
    if words[2] != b"coordinate":
        raise FileError(
            f"{name} holds a dense matrix, and only the coordinate form is read. Store it sparse."
        )
    for number, line in enumerate(lines, start=2):
        start += len(line)
        if line.strip() and not line.startswith(b"%"):
            if not re.fullmatch(rb"\s*\d{1,18}\s+\d{1,18}\s+\d{1,18}\s*", line):
                shown = show(line.decode("latin-1").strip())
                raise FileError(f"{name}, line {number}: expected rows, columns and entries, got {shown}.")
            rows, columns, entries = map(int, line.split())
            return rows, columns, entries, start
    raise FileError(f"{name} is cut short: there is no line with its size. Fetch it again.")


def refuse_bad_entries(text: bytes, start: int, name: str) -> None:
    """Raise for the first line of a Matrix Market file that is not two places and the numbers of its field."""
    field = text.split(maxsplit=4)[3].lower()
    pattern = _ENTRIES[{b"pattern": 0, b"complex": 2}.get(field, 1)]
    match = pattern.match(text, start)
    end = match.end() if match is not None else start
    if end < len(text):
        shown = show(text[end : end + 60].splitlines()[0].decode("latin-1"))
        line = text.count(b"\n", 0, end) + 1
        raise FileError(f"{name}, line {line}: expected an entry, got {shown}.")


def refuse_implausible(num_nodes: int, num_bytes: int, name: str) -> None:
    """Raise if a small file claims a graph so large that only a damaged one would."""
    if num_nodes > max(PLAUSIBLE_NODES, 64 * num_bytes):
        raise FileError(f"{name} claims {num_nodes:,} nodes in {num_bytes:,} bytes. The file is damaged.")


def refuse_long(num_rows: int, stream: BinaryIO, name: str) -> None:
    """Raise if a small file claims a table so long that it must repeat itself, or lie."""
    num_bytes = stream.seek(0, io.SEEK_END)
    if num_rows > max(PLAUSIBLE_ROWS, 4 * num_bytes):
        raise FileError(f"{name} claims {num_rows:,} rows in {num_bytes:,} bytes. Drop repeated rows.")


#: What networkx raises for odd files, besides its own errors.
_ODD = (TypeError, AttributeError, RecursionError, OverflowError, AssertionError)


def read_gml(stream: BinaryIO, name: str, *, directed: Direction | None) -> Graph:
    """Return the graph of a GML file; labels are the ids where every node has its own, else the numbers."""
    networkx = require("networkx", "GML")
    text = stream.read()
    try:
        lines = text.decode("utf-8").splitlines()
        graph = networkx.parse_gml(lines, label=None)
    except (networkx.NetworkXException, LookupError, ValueError, *_ODD) as error:
        raise FileError(f"{name} is not a GML file that can be read: {first_line(error)}") from error
    labels = [label for _, label in graph.nodes(data="label") if label is not None and is_id(label)]
    if len(labels) == len(graph) == len(set(labels)):
        graph = networkx.relabel_nodes(graph, dict(zip(graph, labels, strict=True)))
    return from_networkx_file(graph, name, directed)


def from_networkx_file(graph: Any, name: str, directed: Direction | None) -> Graph:
    """Return a graph that networkx read, with the file's name before what is wrong with it."""
    try:
        return to_graph(graph, {}, directed)
    except InputError as error:
        raise FileError(f"{name}: {error}") from error


def read_npz(stream: BinaryIO, name: str, *, directed: Direction | None) -> Graph:
    """Return the graph of a scipy sparse matrix, or of an array `edge_index` or `edges`, in an npz file."""
    if stream.read(6) == b"\x93NUMPY":
        raise FileError(f"{name} holds one array, not an npz archive. Use numpy.savez.")
    try:
        arrays = read_archive(stream)
    except ValueError as error:
        raise FileError(f"{name} is not an npz file that can be read: {first_line(error)}") from error
    try:
        return from_arrays(arrays, name, directed)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name}: {first_line(error)}") from error


def from_arrays(arrays: dict[str, np.ndarray[Any, Any]], name: str, directed: Direction | None) -> Graph:
    """Return the graph of named arrays: a sparse matrix as scipy stores it, an `edge_index`, or `edges`."""
    num_bytes = sum(array.nbytes for array in arrays.values())
    num_nodes = int(arrays["num_nodes"]) if "num_nodes" in arrays else None
    refuse_implausible(num_nodes or 0, num_bytes, name)
    if "edge_index" in arrays:
        index = arrays["edge_index"]
        if index.ndim != 2 or len(index) != 2 or index.dtype.kind not in "iu":
            raise InputError(f"edge_index must be whole numbers of shape (2, num_edges), got {index.shape}.")
        refuse_implausible(int(index.max(initial=0)), num_bytes, name)
        return from_edge_index(index, num_nodes=num_nodes, directed=directed)
    if "edges" in arrays:
        return Graph.from_edges(arrays["edges"], num_nodes, nodes=arrays.get("nodes"), directed=directed)
    if "format" not in arrays or "shape" not in arrays:
        raise FileError(
            f"{name} must hold a scipy sparse matrix, or an array edge_index or edges, got {sorted(arrays)[:20]}."
        )
    shape = tuple(arrays["shape"].tolist())
    refuse_implausible(max(shape, default=0), num_bytes, name)
    return from_matrix(sparse_matrix(arrays, shape, name), directed=directed)


def sparse_matrix(arrays: dict[str, np.ndarray[Any, Any]], shape: tuple[int, ...], name: str) -> Any:
    """Return the matrix that scipy's save_npz stored, with its indices checked."""
    form = arrays["format"].item()
    word = form.decode("ascii") if isinstance(form, bytes) else str(form)
    if word == "coo":
        ends = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
        refuse_fractions(*ends)
        return coo_array((arrays["data"], tuple(ends)), shape=shape)
    if word not in ("csr", "csc"):
        raise FileError(
            f"{name} holds a sparse matrix in the {show(word)} form. Store it as csr, csc or coo."
        )
    kind = csr_array if word == "csr" else csc_array
    rows, columns = shape
    refuse_fractions(arrays["indices"], arrays["indptr"])
    matrix = kind((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix


def refuse_fractions(*indices: np.ndarray[Any, Any]) -> None:
    """Raise if the places of a sparse matrix are not whole numbers, which scipy would round."""
    for array in indices:
        if array.dtype.kind not in "iu":
            raise InputError(f"the places of a sparse matrix must be whole numbers, got {array.dtype}.")


def require(package: str, what: str) -> Any:
    """Return an optional package, or raise with the command that installs it."""
    try:
        return __import__(package)
    except ImportError as error:
        raise MissingExtraError(
            f'Reading {what} needs an extra package: pip install "egonet[io]".'
        ) from error


def first_line(error: BaseException) -> str:
    """Return the first line of another package's message, closed by a full stop.

    Examples
    --------
    >>> first_line(ValueError("bad thing\\nat line 3"))
    'bad thing.'
    """
    lines = str(error).splitlines() or [type(error).__name__]
    return printable(lines[0])[:LONGEST_MESSAGE].rstrip(". ") + "."

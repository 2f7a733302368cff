"""Graphs from files: the ending says the format, and every fault is one sentence with file and place."""

import difflib
import gzip
import io
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from egonet.errors import FileError, InputError, MissingFileError
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.ids import show
from egonet.graph.ignored import as_direction, warn_ignored
from egonet.io import formats
from egonet.io.arrays import PLAUSIBLE_RATIO, is_bomb
from egonet.io.edgelist import read_text
from egonet.io.graph6 import read_graph6
from egonet.io.graphml import read_graphml
from egonet.typing import Directed

#: Ending → format.
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "text",
    ".edgelist": "text",
    ".edges": "text",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".mtx": "mtx",
    ".graphml": "graphml",
    ".gml": "gml",
    ".g6": "graph6",
    ".npz": "npz",
}
DELIMITERS = {"csv": ",", "tsv": "\t", "text": ""}
READERS: dict[str, Callable[..., Graph]] = {
    "parquet": formats.read_parquet,
    "arrow": formats.read_arrow,
    "mtx": formats.read_matrix_market,
    "gml": formats.read_gml,
    "npz": formats.read_npz,
}
#: What Python parses, a microsecond a byte: less may come out of a packed file.
SLOW, SLOW_RATIO = ("graphml", "gml"), 15
#: The formats of which a file may have several graphs.
MANY = ("graph6", "graphml")
TABLES = ("csv", "tsv", "text", "parquet", "arrow")


def read_graph(
    path: str | PathLike[str],
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    comment: str | None = None,
    directed: Directed = None,
    nodes: Iterable[Hashable] | None = None,
    num_nodes: int | None = None,
    format: str | None = None,  # noqa: A002 — the word users know from other readers
) -> Graph:
    """Return the graph in a file: csv, tsv, text, Parquet, Arrow, Matrix Market, GraphML, GML, graph6 or npz.

    Parameters
    ----------
    path
        The ending says the format: .csv .tsv .txt .edgelist .edges .mtx .graphml .gml .g6 (each also with .gz),
        .parquet .arrow .feather .npz.
    source, target
        The two columns of a table, by name or by position counted from 0; if left out, columns with well-known
        names (source/target, src/dst, from/to, u/v), or in text without a header the only two. Other columns play
        no part.
    delimiter
        What parts the fields of text: "," in csv, a tab in tsv, otherwise runs of blanks.
    header
        Whether text begins with a row of column names; if left out, it does where source and target are names or
        where that row has well-known names. A row of other words that may be names is an error until this says.
    comment
        Lines of text that start with one of these characters are skipped; "#%" where blanks part the fields.
        In csv and tsv, where ids may start so, such a line is an error until this says what it is.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges and warns where the format has
        directions; False does so without a warning.
    nodes, num_nodes
        As in `Graph.from_edges`, for tables.
    format
        Overrules the ending: csv, tsv, text, parquet, arrow, mtx, graphml, gml, graph6 or npz.

    Raises
    ------
    FileError
        If the file does not hold what it should; the message names the place.
    MissingFileError
        If there is no such file.
    MissingExtraError
        If Parquet, Arrow, GraphML or GML is asked for and the extra package is not there.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> _ = path.write_text("source,target,weight\\nann,bob,3\\nbob,cid,1\\n")
    >>> graph = read_graph(path, source="source", target="target")
    >>> graph.node_ids.tolist(), str(graph.info)
    (['ann', 'bob', 'cid'], 'edge weights ignored')

    Notes
    -----
    Ids of text are whole numbers if all of them are; otherwise all are strings, and "007" is not 7. Blanks around a
    field of text are left out, and a warning says so for names; quotes keep them. Other formats keep ids as they are.
    """
    file = existing(path)
    kind = format_of(file, format)
    table = {"source": source, "target": target, "nodes": nodes, "num_nodes": num_nodes}
    text = {"delimiter": delimiter, "header": header, "comment": comment}
    refuse_options(kind, text, table)
    graphs = read_every(file, kind, text, table, directed)
    if len(graphs) != 1:
        raise FileError(f"{file.name} has {len(graphs):,} graphs, not one. Use egonet.read_graphs.")
    return graphs[0]


def read_every(
    file: Path, kind: str, text: dict[str, Any], table: dict[str, Any], directed: Directed
) -> list[Graph]:
    """Return every graph of a file of some format, and warn once about what is not used."""
    name, direction = file.name, as_direction(directed)
    with unchanged(file), opened(file, SLOW_RATIO if kind in SLOW else PLAUSIBLE_RATIO) as stream:
        if kind == "graph6":
            return read_graph6(stream, name)
        if kind == "graphml":
            graphs = read_graphml(stream, name, directed=direction)
        elif kind in DELIMITERS:
            given = DELIMITERS[kind] if text["delimiter"] is None else text["delimiter"]
            graphs = [read_text(stream, name, **text | {"delimiter": given}, **table, directed=direction)]
        else:
            options = table if kind in TABLES else {}
            graphs = [READERS[kind](stream, name, directed=direction, **options)]
    infos = [graph.info for graph in graphs]
    every = GraphInfo(
        weights_ignored=any(info.weights_ignored for info in infos),
        read_as_undirected=any(info.read_as_undirected for info in infos),
    )
    warn_ignored(every, directed=directed, source=table["source"], is_table=kind in TABLES)
    return graphs


def read_graphs(path: str | PathLike[str], **options: Any) -> list[Graph]:
    """Return every graph of a file: many for graph6 and GraphML, one for other formats.

    Parameters
    ----------
    path
        As in `read_graph`.
    options
        As in `read_graph`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "small.g6"
    >>> _ = path.write_text("A_\\nBw\\n")
    >>> read_graphs(path)
    [Graph(num_nodes=2, num_edges=1), Graph(num_nodes=3, num_edges=3)]
    """
    file = existing(path)
    kind = format_of(file, options.get("format"))
    if kind not in MANY:
        return [read_graph(file, **options)]
    others = {name: value for name, value in options.items() if name not in ("format", "directed")}
    refuse_options(kind, others, {})
    return read_every(file, kind, {}, {"source": None}, options.get("directed"))


def existing(path: str | PathLike[str]) -> Path:
    """Return the path of a file that is there."""
    if not isinstance(path, str | PathLike):
        raise InputError(
            f"read_graph takes the path of a file, got {show(path)}. Use egonet.as_graph for data."
        )
    file = Path(path)
    try:
        if file.is_dir():
            raise FileError(f"{str(path)!r} is a folder. Give the path of a file in it.")
        if not file.exists():
            raise missing(file)
    except (PermissionError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{str(path)!r} cannot be read: {error}.") from error
    return file


def missing(file: Path) -> MissingFileError:
    """Return what to raise if there is no such file, with a name that is nearly the same, if there is one."""
    if not file.parent.is_dir():
        return MissingFileError(f"there is no file {str(file)!r}, nor a folder {str(file.parent)!r}.")
    near = [other.name for other in file.parent.iterdir()]
    close = difflib.get_close_matches(file.name, near[:5000], n=1, cutoff=0.75)  # endings are alike anyway
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return MissingFileError(f"there is no file {str(file)!r}.{hint}")


def format_of(file: Path, format: str | None) -> str:  # noqa: A002
    """Return the format of a file by its ending, .gz left aside, or the one the caller says.

    Examples
    --------
    >>> format_of(Path("web.txt.gz"), None)
    'text'
    """
    if format is not None:
        if format not in FORMATS.values():
            words = ", ".join(dict.fromkeys(FORMATS.values()))
            raise InputError(f"format must be one of {words}, got {show(format)}.")
        return format
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    if ending not in FORMATS:
        raise FileError(
            f'the ending of {show(file.name)} is not one of {" ".join(FORMATS)}. Say what it is: format="csv".'
        )
    return FORMATS[ending]


def refuse_options(kind: str, text: dict[str, Any], table: dict[str, Any]) -> None:
    """Raise for an option that the format has no use for."""
    useless = ({} if kind in DELIMITERS else text) | ({} if kind in TABLES else table)
    for option, value in useless.items():
        if value is not None:
            raise InputError(f"{option} has no meaning for {kind}, got {show(value)}. Leave it out.")


class _Measured(io.RawIOBase):
    """The content of a gzip file, refused once it is more than the file could honestly hold."""

    def __init__(self, unpacked: gzip.GzipFile, file: Path, ratio: int) -> None:
        self.unpacked, self.name, self.size, self.ratio = unpacked, file.name, file.stat().st_size, ratio

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place of the content."""
        return self.unpacked.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer and return how many bytes came."""
        count = self.unpacked.readinto(buffer)
        if is_bomb(self.unpacked.tell(), self.size, self.ratio):
            raise FileError(
                f"{self.name} unpacks to more than {self.ratio} times its size."
                " If that is meant, unpack it first."
            )
        return count


def fingerprint(file: Path) -> dict[str, Any]:
    """Return what tells a file from another one without reading it: its name, size and time of change."""
    status = file.stat()
    return {"name": file.name, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


@contextmanager
def unchanged(file: Path) -> Iterator[None]:
    """Refuse what was read from a file if it is another one at the end; pipes have no such state."""
    before = fingerprint(file) if file.is_file() else None
    yield
    try:
        after = fingerprint(file) if before is not None else None
    except OSError:
        after = {}
    if after != before:
        what = "changed" if after else "was removed"
        raise FileError(f"{file.name} {what} while it was read. Run again when nothing writes to it.")


@contextmanager
def opened(file: Path, ratio: int = PLAUSIBLE_RATIO) -> Iterator[BinaryIO]:
    """Give the bytes of a file, unpacked if its name ends in .gz; faults of either become one sentence."""
    name = file.name
    try:
        with open(file, "rb") as raw:
            if file.suffix.lower() == ".gz":
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield io.BufferedReader(_Measured(unpacked, file, ratio), 1 << 20)
            else:
                yield raw
    except EOFError as error:
        raise FileError(f"{name} is cut short: its compressed data end too early. Fetch it again.") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"{name} is not sound gzip data: {error}. Fetch it again.") from error
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from error

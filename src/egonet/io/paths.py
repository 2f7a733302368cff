"""Paths: that a file to read exists, its format, how it is opened, that it does not change; names of files to write."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from egonet.errors import FileError, InputError, MissingFileError, did_you_mean, in_python, option, show_value
from egonet.io.graph6 import parse_graph6
from egonet.io.limits import PLAUSIBLE_RATIO, is_bomb

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
#: Endings of graph files that networkx reads.
OTHER_READERS = {".gexf": "read_gexf", ".net": "read_pajek", ".leda": "read_leda", ".s6": "read_sparse6"}
#: Endings of packed files other than .gz.
PACKED = (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz")
DELIMITERS = {"csv": ",", "tsv": "\t", "text": ""}
#: Folders whose files are streams, such as the stdin of this process.
PIPE_FOLDERS = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))


def as_path(name: str, path: Any) -> Path:
    """Return a path given as text or as an object; `name` is the argument, for the message.

    >>> as_path("folder", 7)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: folder must be a path, got 7.
    """
    if not isinstance(path, str | PathLike):
        raise InputError(f"{name} must be a path, got {show_value(path)}.")
    if not str(path):
        raise InputError(f"{name} must be a path, got an empty text. Write '.' for the current folder.")
    return Path(path)


def npz_path(what: str, path: Any) -> Path:
    """Return the path of a file that ends in .npz; `what` is saved there, for the message.

    >>> npz_path("a stream", "stream.csv")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a stream is saved as .npz, got 'stream.csv'.
    """
    file = as_path("path", path)
    if file.suffix != ".npz":
        raise InputError(f"{what} is saved as .npz, got {str(path)!r}.")
    return file


def require_file(path: str | PathLike[str]) -> Path:
    """Return the path of a file that exists."""
    if not isinstance(path, str | PathLike):
        way_out = "Give its path." if hasattr(path, "read") else "Use egonet.as_graph for data."
        raise InputError(f"read_graph takes the path of a file, got {show_value(path)}. {way_out}")
    if not path:
        raise MissingFileError("the path of a file must not be empty, got ''.")
    file = Path(path)
    try:
        if file.is_dir():
            raise FileError(f"{str(path)!r} is a folder. Give the path of a file in it.")
        if not file.exists():
            raise missing(file)
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        why = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"{show_value(str(path))} cannot be read: {why}.") from error
    reject_device(file)
    return file


def reject_device(file: Path) -> None:
    """Raise for a device, such as /dev/zero, which has no end."""
    try:
        is_device = file.is_char_device() or file.is_block_device()
    except OSError:
        return  # opening it says what is wrong
    if is_device:
        raise FileError(f"{str(file)!r} is a device. Give the path of a file.")


def missing(file: Path) -> MissingFileError:
    """Return the error for a file that does not exist, with a near match if there is one."""
    if file.is_symlink():
        return MissingFileError(f"{str(file)!r} is a link to a file that does not exist.")
    if file.parts[0].endswith(":"):  # https:, s3:; pathlib joins the two slashes
        return MissingFileError(f"{str(file)!r} is an address, not a file. Download it first.")
    if file.parts[0].startswith("~"):
        return MissingFileError(
            f"there is no file {str(file)!r}. For your home folder "
            + in_python("use path.expanduser().", "write ~ without quotes.")
        )
    if not file.parent.is_dir():
        return MissingFileError(f"there is no file {str(file)!r}, nor a folder {str(file.parent)!r}.")
    if is_graph6(file.name) and len(file.parts) == 1:
        return MissingFileError(
            f"there is no file {str(file)!r}. Write graph6 text to a file that ends in .g6."
        )
    others = islice((other.name for other in file.parent.iterdir()), 5000)
    hint = did_you_mean(file.name, others, cutoff=0.75)  # many names share their ending
    return MissingFileError(f"there is no file {str(file)!r}.{hint}")


def is_graph6(text: str) -> bool:
    """Return whether a text spells a graph of two nodes or more in graph6.

    >>> is_graph6("EQzO"), is_graph6("edges"), is_graph6("a.csv")
    (True, False, False)
    """
    try:
        return len(parse_graph6(text.encode("ascii"))) > 1
    except (InputError, ValueError):
        return False


def format_of(file: Path, format: str | None) -> str:  # noqa: A002
    """Return the format of a file by its ending, without .gz, unless `format` is given.

    >>> format_of(Path("web.txt.gz"), None)
    'text'
    """
    if format is not None:
        kind = FORMATS.get(f".{format}", format) if isinstance(format, str) else ""
        if kind not in FORMATS.values():
            kinds = ", ".join(dict.fromkeys(FORMATS.values()))
            raise InputError(f"format must be one of {kinds}, got {show_value(format)}.")
        return kind
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    if ending not in FORMATS:
        way_out = (
            in_python(
                f"Read it with networkx.{OTHER_READERS[ending]} and give the graph to egonet.encode.",
                "Convert it to GraphML, or save its edges as csv.",
            )
            if ending in OTHER_READERS
            else in_python(
                'Give its list of edges as a table: egonet.as_graph(pandas.DataFrame(json.load(file)["links"])).',
                "Save its list of edges as csv, with a column for each end.",
            )
            if ending == ".json"
            else "Unpack it first."
            if ending in PACKED
            else "Save the sheet with the edges as csv."
            if ending in (".xlsx", ".xls", ".ods")
            else (
                f"Set the format: {option('format', 'csv')}, or {option('format', 'text')} if blanks "
                "separate the columns."
            )
        )
        raise FileError(f"the ending of {show_value(file.name)} is not one of {' '.join(FORMATS)}. {way_out}")
    return FORMATS[ending]


class _Measured(io.RawIOBase):
    """The content of a gzip file; reading raises once it is implausibly large."""

    def __init__(self, unpacked: gzip.GzipFile, file: Path, ratio: int) -> None:
        self.unpacked, self.name, self.size, self.ratio = unpacked, file.name, file.stat().st_size, ratio

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self.unpacked.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        count = self.unpacked.readinto(buffer)
        if is_bomb(self.unpacked.tell(), self.size, self.ratio):
            raise FileError(
                f"{self.name} unpacks to more than {self.ratio} times its size."
                " If that is intended, unpack it first."
            )
        return count


def fingerprint(file: Path) -> dict[str, Any]:
    """Return the name, size and modification time of a file."""
    status = file.stat()
    return {"name": file.name, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


@contextmanager
def require_unchanged(file: Path) -> Iterator[None]:
    """Raise if a file changes while it is read; pipes are not checked."""
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
def open_file(file: Path, ratio: int = PLAUSIBLE_RATIO) -> Iterator[BinaryIO]:
    """Open a file for reading, unpacked if its name ends in .gz; raise a FileError for every failure."""
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
        raise FileError(f"{name} is not valid gzip data: {error}. Fetch it again.") from error
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from error

"""Limits against damaged or hostile files: no file may claim far more data than its bytes can contain."""

import io
from typing import BinaryIO

from egonet.errors import FileError, printable
from egonet.graph.arcs import PLAUSIBLE_NODES

#: Any packed file may unpack to this many bytes, and to more only up to the ratio.
PLAUSIBLE_BYTES = 1 << 22
PLAUSIBLE_RATIO = 50
#: A table of any file may have this many rows; a longer one needs at least a byte per four rows.
PLAUSIBLE_ROWS = 10**6
LONGEST_MESSAGE = 200


def is_bomb(unpacked: int, packed: int, ratio: int = PLAUSIBLE_RATIO) -> bool:
    """Return whether the unpacked size is implausibly large for the packed size.

    >>> is_bomb(10**6, 100), is_bomb(10**9, 10**6), is_bomb(10**9, 10**8)
    (False, True, False)
    """
    return unpacked > max(PLAUSIBLE_BYTES, ratio * packed)


def reject_bomb(unpacked: int, stream: BinaryIO, name: str) -> None:
    """Raise if a small file unpacks to implausibly many bytes."""
    packed = stream.seek(0, io.SEEK_END)
    if is_bomb(unpacked, packed):
        raise FileError(f"{name} unpacks {packed:,} bytes to {unpacked:,}. Drop repeated rows.")


def reject_implausible(num_nodes: int, num_bytes: int, name: str) -> None:
    """Raise if a small file claims implausibly many nodes."""
    if num_nodes > max(PLAUSIBLE_NODES, 64 * num_bytes):
        raise FileError(f"{name} claims {num_nodes:,} nodes in {num_bytes:,} bytes. The file is damaged.")


def reject_long(num_rows: int, stream: BinaryIO, name: str) -> None:
    """Raise if a small file claims a table of implausibly many rows."""
    num_bytes = stream.seek(0, io.SEEK_END)
    if num_rows > max(PLAUSIBLE_ROWS, 4 * num_bytes):
        raise FileError(f"{name} claims {num_rows:,} rows in {num_bytes:,} bytes. Drop repeated rows.")


def first_line(error: BaseException) -> str:
    """Return the first line of the message of another package, ending with a full stop.

    >>> first_line(ValueError("bad thing\\nat line 3"))
    'bad thing.'
    """
    lines = str(error).splitlines() or [type(error).__name__]
    return printable(lines[0])[:LONGEST_MESSAGE].rstrip(". ") + "."

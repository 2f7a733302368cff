"""The bytes of text files in chunks: large ones, read ahead, where several threads parse them."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from egonet.errors import FileError

CHUNK = 1 << 22
UTF8_BOM, UTF16_BOMS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
UInt8s: TypeAlias = NDArray[np.uint8]
#: Bytes, or an array of bytes with a NUL behind them that is valid until the next chunk is asked for.
Chunk: TypeAlias = bytes | UInt8s


def plain_chunks(stream: BinaryIO, name: str, threads: int = 1) -> Iterator[Chunk]:
    """Yield the text in chunks, larger ones read ahead for several threads, without its byte order mark."""
    first = stream.read(CHUNK)
    if first.startswith(UTF16_BOMS):
        raise FileError(f"{name} is UTF-16, but text must be UTF-8. Save it as UTF-8.")
    yield first.removeprefix(UTF8_BOM)
    if threads == 1 or len(first) < CHUNK or not is_file(stream):
        yield from iter(lambda: stream.read(CHUNK), b"")
        return
    size = CHUNK * threads
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


def as_bytes(chunk: Chunk | None) -> bytes:
    """Return a copy of a chunk; nothing for None.

    Examples
    --------
    >>> as_bytes(np.array([97, 98, 0], dtype=np.uint8)), as_bytes(None)
    (b'ab', b'')
    """
    return chunk[:-1].tobytes() if isinstance(chunk, np.ndarray) else chunk or b""


def marked(head: bytes, chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Yield the chunks of a text, each with whether it is the last."""
    yield head, False
    for chunk in chunks:
        yield chunk, False
    yield b"", True

"""Large chunks of a file, read ahead, for several threads that parse them; and headers of unknown names."""

import os
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

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

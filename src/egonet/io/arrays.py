"""Arrays out of files that may be damaged or hostile: never a pickle, never far more than the file can hold."""

import io
import os
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

#: So much may come out of any packed file; more only if the file is not too small for it.
PLAUSIBLE_BYTES = 1 << 22
PLAUSIBLE_RATIO = 50
#: What zipfile and numpy raise for damaged bytes, besides ValueError.
_DAMAGE = (
    *(KeyError, TypeError, IndexError, AttributeError, OSError, EOFError, MemoryError, OverflowError),
    *(NotImplementedError, RuntimeError, SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)


def is_bomb(unpacked: int, packed: int, ratio: int = PLAUSIBLE_RATIO) -> bool:
    """Return whether so many bytes out of so few are more than any honest file holds.

    Examples
    --------
    >>> is_bomb(10**6, 100), is_bomb(10**9, 10**6), is_bomb(10**9, 10**8)
    (False, True, False)
    """
    return unpacked > max(PLAUSIBLE_BYTES, ratio * packed)


@contextmanager
def one_error() -> Iterator[None]:
    """Turn whatever zipfile and numpy raise for damaged bytes into a ValueError."""
    try:
        yield
    except _DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def read_archive(stream: BinaryIO) -> dict[str, Array]:
    """Return the arrays of an npz file by name; ValueError says what is wrong with it.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, a=np.arange(3))
    >>> read_archive(file)
    {'a': array([0, 1, 2])}
    """
    with one_error(), zipfile.ZipFile(stream) as packed:
        members = packed.infolist()
        unpacked, size = sum(member.file_size for member in members), stream.seek(0, os.SEEK_END)
        if is_bomb(unpacked, size):
            raise ValueError(f"{size:,} bytes claim to hold {unpacked:,}")
        names = [member.filename.removesuffix(".npy") for member in members]
        if len(set(names)) < len(names):
            raise ValueError("two arrays have one name")
        return {name: _member(packed, member) for name, member in zip(names, members, strict=True)}


def read_array(stream: BinaryIO) -> Array:
    """Return the array of an npy file; ValueError says what is wrong with it."""
    with one_error(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of old headers, and of sizes that overflow before they are refused
        array: Array = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "U" and array.nbytes:
        letters = np.frombuffer(array.tobytes(), np.dtype("u4").newbyteorder(array.dtype.byteorder))
        if letters.max() > sys.maxunicode:
            raise ValueError("an array of strings holds characters that do not exist")
    return array


def _member(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    # A member that is read to its end has its checksum compared, however its header was damaged.
    stream = io.BytesIO(packed.read(member))
    array = read_array(stream)
    if stream.read(1):
        raise ValueError(f"{member.filename} has bytes after its array")
    return array

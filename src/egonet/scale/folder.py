"""Folders of arrays with a manifest: written whole or not at all, and checked by the checksum of every file."""

import json
import os
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from egonet.arrays import one_error, read_array
from egonet.atomic import atomic_path, temporary_name, writing
from egonet.errors import FileError
from egonet.types import Int32s

MANIFEST = "manifest.json"
_PIECE = 1 << 22
_HEADER = 128


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a folder's manifest, whole or not at all."""
    with atomic_path(folder / MANIFEST) as temporary:
        temporary.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read_manifest(folder: Path, what: str) -> dict[str, Any]:
    """Return a folder's manifest; `what` says in messages what the folder should be.

    Raises
    ------
    FileError
        If the folder is missing or has no manifest that can be read.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{folder} is not {what}, or is damaged: its {MANIFEST} cannot be read.") from error
    if not isinstance(manifest, dict):
        raise FileError(f"{folder} is not {what}: its {MANIFEST} holds no object.")
    return manifest


def checksum(path: Path) -> str:
    """Return the BLAKE2b checksum of a file, as 32 hexadecimal digits."""
    state = blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            state.update(piece)
    return state.hexdigest()


def write_folder(
    final: Path, arrays: Mapping[str, np.ndarray[Any, Any]], facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Write arrays as .npy files with a manifest of `facts` and checksums; return the manifest.

    The folder appears under its name only when everything in it is on disk. One that is there already is replaced.
    """
    with temporary_folder(final) as temporary:
        for name, array in arrays.items():
            np.save(temporary / f"{name}.npy", array, allow_pickle=False)
        return seal_folder(temporary, final, facts)


@contextmanager
def temporary_folder(final: Path) -> Iterator[Path]:
    """Yield a new folder beside `final`, to be filled and sealed; whatever is left of it at the end is removed."""
    temporary = temporary_name(final)
    try:
        with writing(final):
            temporary.mkdir(parents=True)
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def seal_folder(temporary: Path, final: Path, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Give a finished folder its manifest and its name."""
    files = {path.name: checksum(path) for path in sorted(temporary.glob("*.npy"))}
    manifest = {**facts, "files": files}
    for path in temporary.glob("*.npy"):
        sync(path)
    write_manifest(temporary, manifest)
    shutil.rmtree(final, ignore_errors=True)
    os.rename(temporary, final)
    sync(final.parent)
    return manifest


def sync(path: Path) -> None:
    """Force a file, or a folder's list of names, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_sound(folder: Path) -> bool:
    """Return whether a folder has a manifest and every file in it has its checksum."""
    try:
        manifest = read_manifest(folder, "a folder of arrays")
        return all(checksum(folder / name) == value for name, value in manifest["files"].items())
    except (FileError, OSError, KeyError):
        return False


def open_array(folder: Path, name: str) -> np.ndarray[Any, Any]:
    """Return an array of a folder, mapped into memory and read as it is used."""
    path = folder / f"{name}.npy"
    try:
        if path.stat().st_size <= 128:  # an empty array cannot be mapped
            with path.open("rb") as stream:
                return read_array(stream)
        with one_error(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.lib.format.open_memmap(path, mode="r")
    except (OSError, ValueError) as error:
        raise FileError(f"{path} is missing or damaged. Run the same command again to mend it.") from error


def read_part(folder: Path, name: str, first: int, last: int) -> np.ndarray[Any, Any]:
    """Return entries first ... last - 1 of a flat array of a folder, read into memory and not mapped."""
    path = folder / f"{name}.npy"
    try:
        with path.open("rb") as file:
            np.lib.format.read_magic(file)
            _, _, dtype = np.lib.format.read_array_header_1_0(file)
            file.seek(first * dtype.itemsize, os.SEEK_CUR)
            return np.fromfile(file, dtype=dtype, count=last - first)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"{path} is missing or damaged. Run the same command again to mend it.") from error


def write_pieces(path: Path, pieces: Iterable[Int32s]) -> None:
    """Write pieces of int32 numbers as one .npy file, whose header is filled in at the end."""
    size = 0
    with path.open("wb") as out:
        out.write(b"\0" * _HEADER)
        for piece in pieces:
            size += len(piece)
            for first in range(0, len(piece), _PIECE):
                np.ascontiguousarray(piece[first : first + _PIECE]).tofile(out)
        out.seek(0)
        out.write(_npy_header(size))


def _npy_header(size: int) -> bytes:
    """Return the header of an .npy file with int32 numbers, 128 bytes long whatever their number."""
    words = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({size},), }}".ljust(_HEADER - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little") + words.encode()

"""Folders of arrays with a manifest: written atomically, with the checksum of every file."""

import os
import shutil
import stat
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError
from egonet.io.files import flush_file, temporary_name, writing
from egonet.io.npz import one_error, read_array
from egonet.store.manifest import (
    MANIFEST,
    REPAIR,
    check_fields,
    checksum,
    claim,
    is_files,
    journal_of,
    read_manifest,
    write_manifest,
)
from egonet.typing import Int32s

#: The files that egonet writes into the folders of a store, by their exact names.
_FILES = {MANIFEST, "pairs.bin"} | {
    f"{name}.npy"
    for name in (
        *("indptr", "indices", "nodes", "offsets", "names", "columns", "counts", "keys"),
        *("labels", "roots", "supports"),
    )
}
_CHUNK = 1 << 22
_HEADER = 128


def write_folder(
    final: Path, arrays: Mapping[str, np.ndarray[Any, Any]], facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Write arrays as .npy files with a manifest of `facts` and checksums; return the manifest.

    The folder gets its name when all its files are on disk. An existing one is replaced.
    """
    with temporary_folder(final) as temporary:
        for name, array in arrays.items():
            np.save(temporary / f"{name}.npy", array, allow_pickle=False)
        return seal_folder(temporary, final, facts)


@contextmanager
def temporary_folder(final: Path) -> Iterator[Path]:
    """Yield a new folder next to `final` for `seal_folder`; what remains of it at the end is removed."""
    claim(final)
    with scratch_folder(final) as temporary:
        yield temporary


@contextmanager
def scratch_folder(final: Path) -> Iterator[Path]:
    """Yield a new folder with a random name, listed in the journal; it is removed at the end."""
    temporary = temporary_name(final)
    try:
        with writing(final):
            temporary.parent.mkdir(parents=True, exist_ok=True)
            claim(temporary)
            temporary.mkdir()
            os.chmod(temporary, stat.S_IMODE(temporary.parent.stat().st_mode))  # that of the store
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def seal_folder(temporary: Path, final: Path, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write the manifest of a finished folder and move it to its name."""
    files = {path.name: checksum(path) for path in sorted(temporary.glob("*.npy"))}
    manifest = {**facts, "files": files}
    for path in temporary.glob("*.npy"):
        sync(path)
    write_manifest(temporary, manifest)
    of_store = final.parent / MANIFEST
    if of_store.exists():  # a file that succeeds another is as private as that was
        for path in temporary.iterdir():
            os.chmod(path, stat.S_IMODE(of_store.stat().st_mode))
    discard(final)
    if os.path.lexists(final):
        raise FileError(
            f"{final} contains files that egonet did not write. Move it, or choose another folder."
        )
    os.rename(temporary, final)
    sync(final.parent)
    return manifest


def discard(path: Path) -> None:
    """Remove what egonet wrote under a name; other files in a folder are kept, with the folder.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "vocabulary-0000"
    >>> _ = write_folder(folder, {"keys": np.zeros((1, 3))}, {})
    >>> _ = (folder / "notes.txt").write_text("mine")
    >>> discard(folder)
    >>> [path.name for path in folder.iterdir()]
    ['notes.txt']
    """
    if path.name.startswith("."):  # a scratch folder, listed in the journal before it was created
        shutil.rmtree(path, ignore_errors=True)
    elif path.is_dir() and not path.is_symlink():
        with suppress(OSError):
            for name in _FILES:
                (path / name).unlink(missing_ok=True)
            path.rmdir()
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def discard_scratch(folder: Path) -> None:
    """Remove the scratch folders of a killed process that its journal lists."""
    for name in journal_of(folder) or ():
        if name.startswith(".") and name.endswith(".part"):
            discard(folder / name)


def sync(path: Path) -> None:
    """Flush a file, or the directory entries of a folder, to disk; Windows flushes no folders."""
    if sys.platform == "win32":
        if not path.is_dir():
            flush_file(path)
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def damaged_in(folder: Path, names: Iterable[str] | None = None) -> Iterator[str]:
    """Yield those of these arrays (or of all files) that are missing or whose checksum does not match.

    Raises
    ------
    FileError
        If the manifest of the folder is missing or damaged.
    """
    manifest = read_manifest(folder, "a folder of arrays")
    check_fields(folder, manifest, {"files": is_files})
    files = manifest["files"]
    for file in sorted(files) if names is None else [f"{name}.npy" for name in names]:
        try:
            matches = checksum(folder / file) == files.get(file)
        except OSError:
            matches = False
        if not matches:
            yield file


def check_folder(folder: Path, names: Iterable[str] | None = None) -> None:
    """Raise unless a folder has a manifest and the checksums of these arrays (or of all files) match."""
    for file in damaged_in(folder, names):
        raise damaged_file(folder / file)


def damaged_file(path: Path) -> FileError:
    """Return the error for a file of a store that is missing or damaged."""
    return FileError(f"{path} is missing or damaged. {REPAIR}")


def is_intact(folder: Path) -> bool:
    """Return whether a folder has a manifest and the checksums of all its files match."""
    try:
        check_folder(folder)
    except FileError:
        return False
    return True


def open_array(folder: Path, name: str, *, verify: bool = True) -> np.ndarray[Any, Any]:
    """Return a memory-mapped array of a folder, after a check of its checksum."""
    path = folder / f"{name}.npy"
    if verify:
        check_folder(folder, [name])
    try:
        if path.stat().st_size <= _HEADER:  # an empty array cannot be mapped
            with path.open("rb") as stream:
                return read_array(stream)
        with one_error(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.lib.format.open_memmap(path, mode="r")
    except (OSError, ValueError) as error:
        raise damaged_file(path) from error


def read_part(folder: Path, name: str, first: int, last: int) -> np.ndarray[Any, Any]:
    """Return entries first ... last - 1 of a flat array of a folder, read without a memory map."""
    path = folder / f"{name}.npy"
    try:
        with path.open("rb") as file:
            np.lib.format.read_magic(file)
            _, _, dtype = np.lib.format.read_array_header_1_0(file)
            file.seek(first * dtype.itemsize, os.SEEK_CUR)
            part = np.fromfile(file, dtype=dtype, count=last - first)
    except (OSError, ValueError, EOFError) as error:
        raise damaged_file(path) from error
    if len(part) != last - first:
        raise damaged_file(path)
    return part


def write_part(folder: Path, name: str, first: int, part: np.ndarray[Any, Any]) -> None:
    """Overwrite entries first ... of a flat array of a folder."""
    with (folder / f"{name}.npy").open("r+b") as file:
        file.seek(_HEADER + first * part.itemsize)
        part.tofile(file)


def write_chunks(path: Path, chunks: Iterable[Int32s]) -> None:
    """Write chunks of int32 numbers as one .npy file; the header is written last."""
    size = 0
    with path.open("wb") as out:
        out.write(b"\0" * _HEADER)
        for chunk in chunks:
            size += len(chunk)
            for first in range(0, len(chunk), _CHUNK):
                np.ascontiguousarray(chunk[first : first + _CHUNK]).tofile(out)
        out.seek(0)
        out.write(_npy_header(size))


def _npy_header(size: int) -> bytes:
    """Return the header of an .npy file with int32 numbers, always 128 bytes long."""
    text = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({size},), }}".ljust(_HEADER - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little") + text.encode()

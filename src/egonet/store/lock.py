"""One writer a folder: a lock that the system frees when its holder ends, and in it a journal of what was written."""

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from egonet.errors import FileError, OutputError
from egonet.io.atomic import try_lock, writing
from egonet.store.manifest import MANIFEST, read_manifest

LOCK = ".lock"
_HEADER = b"egonet journal 1\n"
#: What a killed process leaves of a manifest; the next one that writes a manifest removes it.
_MANIFEST_PART = re.compile(r"\.manifest\.[0-9a-f]{16}\.part\.json")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create the folder if need be and hold it for writing; refuse if another process does, or if it is no store.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with locked(folder), locked(folder):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
        ...
    egonet.errors.OutputError: another process is writing to ... Wait for it, or choose another folder.
    """
    _refuse_strangers(folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        if not try_lock(descriptor):
            raise OutputError(
                f"another process is writing to {folder}. Wait for it, or choose another folder."
            )
        with writing(folder):
            if not os.fstat(descriptor).st_size:
                os.write(descriptor, _HEADER)
        yield
    finally:
        os.close(descriptor)


def claim(*paths: Path) -> None:
    """Enter names in the journal of their folder, before anything is written there.

    Raises
    ------
    FileError
        If there is such a file or folder already, and neither the journal nor the manifest speaks of it.
    """
    for path in paths:
        ours = journal_of(path.parent)
        if ours is not None and path.name in ours:
            continue
        known = _names_of_store(path.parent) if ours is not None else ()
        if os.path.lexists(path) and path.name not in known and (ours is not None or not _is_ours(path)):
            raise FileError(
                f"{path} is in the way: egonet did not write it. Move it, or choose another folder."
            )
        if ours is None:
            continue  # a folder that stands alone: nobody looks for what a killed process left of it
        with writing(path), (path.parent / LOCK).open("ab") as journal:
            journal.write(_line(path.name))


def journal_of(folder: Path) -> set[str] | None:
    """Return the names that the journal of a folder lists, or None if it has no journal."""
    try:
        header, *lines = (folder / LOCK).read_bytes().splitlines(keepends=True)
    except (OSError, ValueError):
        return None
    if header != _HEADER:
        return None
    names = (line.split(b" ", 1)[-1].rstrip(b"\n").decode(errors="replace") for line in lines)
    return {name for name, line in zip(names, lines, strict=True) if line == _line(name) and _is_plain(name)}


def clear_journal(folder: Path) -> None:
    """Forget what the journal lists: the manifest lists everything that is left."""
    if journal_of(folder):
        with writing(folder):
            os.truncate(folder / LOCK, len(_HEADER))


def names_in(manifest: dict[str, Any]) -> set[str]:
    """Return the names in a store's folder that its manifest speaks of.

    Examples
    --------
    >>> sorted(names_in({"graph": "graph-0000", "blocks": ["block-000000-0000.parquet"]}))
    ['block-000000-0000.json', 'block-000000-0000.parquet', 'graph-0000']
    """
    named = [manifest.get(field) for field in ("graph", "vocabulary", "choices")]
    blocks = [name for name in manifest.get("blocks") or () if isinstance(name, str)]
    beside = [str(Path(name).with_suffix(".json")) for name in blocks if Path(name).suffix]
    return {name for name in (*named, *blocks, *beside) if isinstance(name, str) and _is_plain(name)}


def _names_of_store(folder: Path) -> set[str]:
    try:
        return names_in(read_manifest(folder, "an encoding that egonet stored"))
    except FileError:
        return set()


def _is_ours(path: Path) -> bool:
    """Return whether a folder that stands alone is empty, or has a manifest of egonet."""
    if path.is_symlink() or not path.is_dir():
        return False
    try:
        return not any(path.iterdir()) or bool(read_manifest(path, "a folder of arrays"))
    except FileError:
        return False


def _refuse_strangers(folder: Path) -> None:
    """Refuse a folder that holds no encoding and something that egonet did not write."""
    if not folder.is_dir():
        return
    present = sorted(path.name for path in folder.iterdir())
    journal = journal_of(folder)
    if LOCK in present and journal is None and (folder / LOCK).stat().st_size:
        raise FileError(
            f"{folder / LOCK} is in the way: egonet did not write it. Move it, or choose another folder."
        )
    if MANIFEST in present:
        return
    ours = {LOCK} | (journal or set())
    strangers = [name for name in present if name not in ours and not _MANIFEST_PART.fullmatch(name)]
    if strangers:
        raise FileError(
            f"{folder} is not empty and holds no encoding: {strangers[0]!r}. Choose another folder."
        )


def _line(name: str) -> bytes:
    """Return the line of a name: damage to it is noticed, so that nothing else is ever taken for ours."""
    return f"{zlib.crc32(name.encode()):08x} {name}\n".encode()


def _is_plain(name: str) -> bool:
    return Path(name).name == name and name not in ("", "..", LOCK, MANIFEST)

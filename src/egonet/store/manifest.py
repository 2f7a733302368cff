"""Manifests, and the lock of a folder: one writer per folder, and a journal of the names that it writes."""

import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from egonet.errors import FileError, OutputError
from egonet.io.files import atomic_path, open_lock, try_lock, writing
from egonet.kernel.out_of_core import checksum_of

MANIFEST = "manifest.json"
#: The way out of damage that `egonet verify` finds.
REPAIR = "Repair the store with `egonet verify`."
#: Field → whether a value is valid.
Rules: TypeAlias = Mapping[str, Callable[[Any], bool]]
LOCK = ".lock"
_HEADER = b"egonet journal 1\n"
#: A temporary manifest that a killed process left; the next writer of a manifest removes it.
_MANIFEST_PART = re.compile(r"\.manifest\.[0-9a-f]{16}\.part\.json")


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a folder atomically, with its checksum."""
    with atomic_path(folder / MANIFEST) as temporary:
        signed = {**manifest, "checksum": _checksum_of(manifest)}
        temporary.write_text(json.dumps(signed, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read_manifest(folder: Path, what: str, way_out: str = REPAIR) -> dict[str, Any]:
    """Return the manifest of a folder; messages call the folder `what` and end with `way_out`.

    Raises
    ------
    FileError
        If the folder has no manifest, or the checksum does not match.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = f"its {MANIFEST} cannot be read"
        raise FileError(f"{folder} is not {what}, or is damaged: {reason}. {way_out}") from error
    if not isinstance(manifest, dict):
        raise FileError(f"{folder} is not {what}: its {MANIFEST} is not a JSON object. {way_out}")
    if manifest.pop("checksum", None) != _checksum_of(manifest):
        reason = f"the checksum of its {MANIFEST} does not match"
        raise FileError(f"{folder} is not {what}, or is damaged: {reason}. {way_out}")
    return manifest


def check_fields(path: Path, manifest: Mapping[str, Any], rules: Rules) -> None:
    """Raise for the first field of a manifest that is missing or invalid.

    >>> check_fields(Path("out"), {"num_rows": -1}, {"num_rows": is_count})
    Traceback (most recent call last):
        ...
    egonet.errors.FileError: out/manifest.json is damaged: its field 'num_rows' is -1. Encode again.
    """
    for field, is_valid in rules.items():
        if field not in manifest or not is_valid(manifest[field]):
            value = repr(manifest[field])[:80] if field in manifest else "missing"
            raise FileError(f"{path / MANIFEST} is damaged: its field {field!r} is {value}. Encode again.")


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number in 0 ... 2^63 - 1."""
    return type(value) is int and 0 <= value < 2**63


def is_name(value: Any) -> bool:
    """Return whether a value is a plain file name without a path.

    >>> is_name("graph-0000"), is_name("../graph-0000"), is_name("/etc")
    (True, False, False)
    """
    return (
        isinstance(value, str)
        and value.isprintable()
        and Path(value).name == value
        and value not in ("", "..")
    )


def is_files(value: Any) -> bool:
    """Return whether a value maps file names to checksums."""
    return isinstance(value, dict) and all(
        is_name(name) and isinstance(digest, str) for name, digest in value.items()
    )


def checksum(path: Path) -> str:
    """Return the checksum of a file as 32 hexadecimal digits: four interleaved CRC-32C.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "file"
    >>> _ = path.write_bytes(b"egonet")
    >>> checksum(path)
    '500046f273d74d7573d74d7573d74d75'
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return checksum_of(descriptor)
    finally:
        os.close(descriptor)


def _checksum_of(manifest: Mapping[str, Any]) -> str:
    return blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Create the folder if necessary and lock it for writing.

    Raises
    ------
    OutputError
        If another process has the lock.
    FileError
        If the folder contains other files and no store.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with lock_folder(folder), lock_folder(folder):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
        ...
    egonet.errors.OutputError: another process is writing to ... Wait for it, or choose another folder.
    """
    with writing(folder):
        _check_other_files(folder)
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = open_lock(folder / LOCK)
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
    """Add names to the journal of their folder before they are written.

    Raises
    ------
    FileError
        If such a file or folder exists, and neither the journal nor the manifest lists it.
    """
    for path in paths:
        ours = journal_of(path.parent)
        if ours is not None and path.name in ours:
            continue
        own_names = _names_in_store(path.parent) if ours is not None else ()
        if os.path.lexists(path) and path.name not in own_names and (ours is not None or not _is_ours(path)):
            raise FileError(f"{path} exists, and egonet did not write it. Move it, or choose another folder.")
        if ours is None:
            continue  # not part of a store: there is no cleanup after a killed process
        with writing(path), (path.parent / LOCK).open("ab") as journal:
            journal.write(_line(path.name))


def journal_of(folder: Path) -> set[str] | None:
    """Return the names in the journal of a folder, or None without a journal."""
    try:
        header, *lines = (folder / LOCK).read_bytes().splitlines(keepends=True)
    except (OSError, ValueError):
        return None
    if header != _HEADER:
        return None
    names = (line.split(b" ", 1)[-1].rstrip(b"\n").decode(errors="replace") for line in lines)
    return {name for name, line in zip(names, lines, strict=True) if line == _line(name) and _is_plain(name)}


def clear_journal(folder: Path) -> None:
    if journal_of(folder):
        with writing(folder):
            os.truncate(folder / LOCK, len(_HEADER))


def names_in(manifest: dict[str, Any]) -> set[str]:
    """Return the names in a store's folder that its manifest lists.

    >>> sorted(names_in({"graph": "graph-0000", "blocks": ["block-000000-0000.parquet"]}))
    ['block-000000-0000.json', 'block-000000-0000.parquet', 'graph-0000']
    """
    named = [manifest.get(field) for field in ("graph", "vocabulary", "choices")]
    blocks = [name for name in manifest.get("blocks") or () if isinstance(name, str)]
    checksums = [str(Path(name).with_suffix(".json")) for name in blocks if Path(name).suffix]
    return {name for name in (*named, *blocks, *checksums) if isinstance(name, str) and _is_plain(name)}


def _names_in_store(folder: Path) -> set[str]:
    try:
        return names_in(read_manifest(folder, "an encoding that egonet stored"))
    except FileError:
        return set()


def _is_ours(path: Path) -> bool:
    """Return whether a folder outside a store is empty, or has a manifest of egonet."""
    if path.is_symlink() or not path.is_dir():
        return False
    try:
        return not any(path.iterdir()) or bool(read_manifest(path, "a folder of arrays"))
    except FileError:
        return False


def _check_other_files(folder: Path) -> None:
    """Raise for a folder with files that egonet did not write and without a store."""
    if not folder.is_dir():
        return
    present = sorted(path.name for path in folder.iterdir())
    journal = journal_of(folder)
    if LOCK in present and journal is None and (folder / LOCK).stat().st_size:
        raise FileError(
            f"{folder / LOCK} exists, and egonet did not write it. Move it, or choose another folder."
        )
    if MANIFEST in present:
        return
    ours = {LOCK} | (journal or set())
    others = [name for name in present if name not in ours and not _MANIFEST_PART.fullmatch(name)]
    if others:
        raise FileError(f"{folder} is not empty and has no store: {others[0]!r}. Choose another folder.")


def _line(name: str) -> bytes:
    """Return the journal line of a name, with its CRC-32, so that a damaged line is ignored."""
    return f"{zlib.crc32(name.encode()):08x} {name}\n".encode()


def _is_plain(name: str) -> bool:
    return Path(name).name == name and name not in ("", "..", LOCK, MANIFEST)

"""Manifests: what a folder holds, as JSON with a checksum of its own, every field checked before it is used."""

import json
import os
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from egonet.errors import FileError
from egonet.io.atomic import atomic_path
from egonet.kernel.out_of_core import checksum_of

MANIFEST = "manifest.json"
#: Field → whether a value is what egonet writes there.
Rules: TypeAlias = Mapping[str, Callable[[Any], bool]]


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a folder's manifest, whole or not at all."""
    with atomic_path(folder / MANIFEST) as temporary:
        sealed = {**manifest, "checksum": _checksum_of(manifest)}
        temporary.write_text(json.dumps(sealed, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read_manifest(folder: Path, what: str) -> dict[str, Any]:
    """Return a folder's manifest; `what` says in messages what the folder should be.

    Raises
    ------
    FileError
        If the folder has no manifest, or one whose content does not have its checksum.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{folder} is not {what}, or is damaged: its {MANIFEST} cannot be read.") from error
    if not isinstance(manifest, dict):
        raise FileError(f"{folder} is not {what}: its {MANIFEST} holds no object.")
    if manifest.pop("checksum", None) != _checksum_of(manifest):
        raise FileError(
            f"{folder} is not {what}, or is damaged: its {MANIFEST} does not have its checksum."
            " Choose another folder and encode again."
        )
    return manifest


def check_fields(path: Path, manifest: Mapping[str, Any], rules: Rules) -> None:
    """Raise for the first field of a manifest that is missing or not what egonet writes.

    Examples
    --------
    >>> check_fields(Path("out"), {"num_rows": -1}, {"num_rows": is_count})
    Traceback (most recent call last):
        ...
    egonet.errors.FileError: out/manifest.json is damaged: its field 'num_rows' is -1. Encode again.
    """
    for field, is_fine in rules.items():
        if field not in manifest or not is_fine(manifest[field]):
            found = repr(manifest[field])[:80] if field in manifest else "missing"
            raise FileError(f"{path / MANIFEST} is damaged: its field {field!r} is {found}. Encode again.")


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number that a size may be."""
    return type(value) is int and 0 <= value < 2**63


def is_name(value: Any) -> bool:
    """Return whether a value is the name of a file in the same folder.

    Examples
    --------
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
    """Return whether a value maps names of files to checksums."""
    return isinstance(value, dict) and all(
        is_name(name) and isinstance(sum_, str) for name, sum_ in value.items()
    )


def checksum(path: Path) -> str:
    """Return the checksum of a file, as 32 hexadecimal digits: four CRC-32C, at the speed of memory.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "file"
    >>> _ = path.write_bytes(b"egonet")
    >>> checksum(path)
    '500046f273d74d7573d74d7573d74d75'
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return checksum_of(descriptor)
    finally:
        os.close(descriptor)


def _checksum_of(manifest: Mapping[str, Any]) -> str:
    return blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()

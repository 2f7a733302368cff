"""Transforms in JSON files: the columns, as `Vocabulary.save` writes them, and the options of the transform.

A transform that learns no columns has its options alone.
"""

import json
from os import PathLike
from pathlib import Path
from typing import Any

from egonet.encoding.header import check_format, checksum_of, damage_error, pack_text, read_text
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import FileError
from egonet.io.files import atomic_path

#: The format of a transform without columns.
FORMAT = "egonet transform 1"


def save_transform(
    path: str | PathLike[str], kind: str, vocabulary: Vocabulary, options: dict[str, Any]
) -> None:
    """Write a transform to a file, whole or not at all; the file can be used as a vocabulary, too."""
    with atomic_path(path) as temporary:
        temporary.write_text(pack_text(vocabulary, transform=[kind, options]), encoding="utf-8")


def load_transform(path: str | PathLike[str], kind: str) -> tuple[Vocabulary, dict[str, Any]]:
    """Return the columns and the options of a transform that `save_transform` wrote."""
    vocabulary = Vocabulary.load(path)
    saved = json.loads(Path(path).read_text(encoding="utf-8")).get("transform")
    if saved is None:
        raise FileError(
            f"{path} has columns and no transform, got a vocabulary. Use {kind}(vocabulary={str(path)!r})."
        )
    name, options = saved
    _check_kind(path, name, kind)
    return vocabulary, options


def save_options(path: str | PathLike[str], kind: str, options: dict[str, Any]) -> None:
    """Write a transform without columns to a file, whole or not at all."""
    with atomic_path(path) as temporary:
        content = {"transform": [kind, options]}
        text = json.dumps({"format": FORMAT, **content, "checksum": checksum_of(content)})
        temporary.write_text(text, encoding="utf-8")


def load_options(path: str | PathLike[str], kind: str) -> dict[str, Any]:
    """Return the options of a transform that `save_options` wrote; the constructor validates them."""

    def unpack(text: str) -> dict[str, Any]:
        saved = json.loads(text)
        if not isinstance(saved, dict):
            raise ValueError("the content is no object")
        content = {name: value for name, value in saved.items() if name not in ("format", "checksum")}
        if saved["format"] == FORMAT and saved["checksum"] != checksum_of(content):
            raise ValueError("the checksum does not match")
        if "transform" in saved:
            _check_kind(path, saved["transform"][0], kind)
        check_format(saved["format"], FORMAT)
        return dict(saved["transform"][1])

    return read_text(path, f"a transform that {kind} saved", unpack)


def make_damage_error(path: str | PathLike[str], kind: str) -> FileError:
    """Return the error for a file whose options are those of no transform of this kind."""
    return damage_error(path, f"a transform that {kind} saved")


def _check_kind(path: str | PathLike[str], name: str, kind: str) -> None:
    """Raise for a file with another transform than the one that reads it."""
    if not isinstance(name, str) or not name.isidentifier():
        raise make_damage_error(path, kind)
    if name != kind:
        raise FileError(f"{path} must have a transform of {kind}, got one of {name}. Use {name}.load.")

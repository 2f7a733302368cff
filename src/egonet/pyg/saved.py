"""Transforms in JSON files: the columns, as `Vocabulary.save` writes them, and the options of the transform."""

import json
from os import PathLike
from pathlib import Path
from typing import Any

from egonet.encoding.header import pack_text
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import FileError
from egonet.io.files import atomic_path


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
    if name != kind:
        raise FileError(f"{path} must have a transform of {kind}, got one of {name}. Use {name}.load.")
    return vocabulary, options

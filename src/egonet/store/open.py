"""Folders with an encoding, opened by the package that writes them."""

from pathlib import Path

from egonet.encoding.encoding import Encoding
from egonet.store.stored_encoding import open_store


def open_folder(folder: str | Path, *, verify: bool = True) -> Encoding:
    """Return the encoding in a folder."""
    return open_store(folder, verify=verify)

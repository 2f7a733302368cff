"""Folders of arrays."""

import pytest

from egonet.errors import FileError
from egonet.store.array_folder import read_part


def test_read_part_of_an_invalid_file_raises(tmp_path):
    (tmp_path / "supports.npy").write_bytes(b"no array")

    with pytest.raises(FileError, match=r"supports\.npy is missing or damaged"):
        read_part(tmp_path, "supports", 0, 1)

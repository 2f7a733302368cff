"""Folders of arrays."""

import numpy as np
import pytest

from egonet.errors import FileError
from egonet.store.folder import discard_scratch, read_part, write_chunks
from egonet.store.manifest import claim, lock_folder


def test_read_part_of_an_invalid_file_raises(tmp_path):
    (tmp_path / "supports.npy").write_bytes(b"no array")

    with pytest.raises(FileError, match=r"supports\.npy is missing or damaged"):
        read_part(tmp_path, "supports", 0, 1)


def test_a_part_of_an_array_that_was_written_in_chunks_is_read_back(tmp_path):
    chunks = [
        np.array([5, 6], dtype=np.int32),
        np.array([], dtype=np.int32),
        np.array([7, 8, 9], dtype=np.int32),
    ]
    write_chunks(tmp_path / "numbers.npy", chunks)

    assert np.load(tmp_path / "numbers.npy").tolist() == [5, 6, 7, 8, 9]
    assert read_part(tmp_path, "numbers", 2, 4).tolist() == [7, 8]
    with pytest.raises(FileError, match=r"numbers\.npy is missing or damaged"):
        read_part(tmp_path, "numbers", 3, 6)


def test_scratch_folders_that_the_journal_lists_are_removed_and_no_others(tmp_path):
    with lock_folder(tmp_path):
        claim(tmp_path / ".a.part", tmp_path / "b.part")
    for name in (".a.part", "b.part", ".c.part"):
        (tmp_path / name).mkdir()

    discard_scratch(tmp_path)

    assert sorted(path.name for path in tmp_path.glob("*.part")) == [".c.part", "b.part"]

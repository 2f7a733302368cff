"""Atomic writes: temporary names, permissions, links and files of killed writers."""

import os
import stat

import pytest

from egonet.io.atomic import atomic_path, reserved, temporary_name


def test_temporary_names_are_unpredictable_and_stay_in_the_folder(tmp_path):
    names = {temporary_name(tmp_path / "out.csv") for _ in range(100)}

    assert len(names) == 100
    assert {name.parent for name in names} == {tmp_path}
    assert all(name.suffix == ".csv" for name in names)


def test_a_file_is_created_for_its_writer_alone_if_the_mask_says_so(tmp_path):
    before = os.umask(0o077)
    try:
        with atomic_path(tmp_path / "out.csv") as temporary:
            during = stat.S_IMODE(temporary.stat().st_mode)
            temporary.write_text("x")
    finally:
        os.umask(before)

    assert during == 0o600
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


def test_a_temporary_file_is_never_written_through_a_link(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda _: "0" * 16)
    (tmp_path / (".out." + "0" * 16 + ".part.csv")).symlink_to(victim)

    with (
        pytest.raises(OSError, match=r"out\.csv could not be written: File exists"),
        atomic_path(tmp_path / "out.csv"),
    ):
        pass
    assert victim.read_text() == "mine"


def test_temporary_files_of_killed_writers_are_removed_and_others_kept(tmp_path):
    leftover = tmp_path / (".out." + "a" * 16 + ".part.csv")
    leftover.write_text("half")
    with atomic_path(tmp_path / "out.csv") as temporary:
        assert not leftover.exists()
        with atomic_path(tmp_path / "out.csv") as other:
            other.write_text("second")
        temporary.write_text("first")

    assert (tmp_path / "out.csv").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_file_with_content_under_the_name_of_the_lock_is_kept(tmp_path):
    mine = tmp_path / ".out.csv.lock"
    mine.write_text("mine")

    with reserved(tmp_path / "out.csv"):
        pass

    assert mine.read_text() == "mine"


def test_the_lock_of_a_file_is_removed(tmp_path):
    with reserved(tmp_path / "out.csv"):
        assert (tmp_path / ".out.csv.lock").exists()

    assert not any(tmp_path.iterdir())

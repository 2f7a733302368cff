"""Atomic writes: temporary names, permissions, links and files of killed writers."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

import egonet
from egonet.errors import OutputError
from egonet.io.files import atomic_path, check_distinct, reserved, temporary_name


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


class _FakeLocks:
    """What the module msvcrt has for locks: one byte, locked once for each file, by the open file that asks first."""

    LK_NBLCK = 2

    def __init__(self):
        self.owners = {}

    def locking(self, descriptor, mode, size):
        facts = os.fstat(descriptor)
        assert (mode, size) == (self.LK_NBLCK, 1)
        assert os.lseek(descriptor, 0, os.SEEK_CUR) > facts.st_size  # never a byte that somebody writes
        if self.owners.setdefault((facts.st_dev, facts.st_ino), descriptor) != descriptor:
            raise PermissionError(errno.EACCES, "EACCES")


@pytest.fixture
def windows(monkeypatch):
    """Take the branches for Windows, and raise like Windows if an open file is renamed or removed."""

    def is_open(path):
        wanted = os.stat(path)
        found = [entry for entry in os.scandir("/proc/self/fd") if entry.name.isdecimal()]
        return any(
            os.path.samestat(os.stat(entry.path), wanted) for entry in found if os.path.exists(entry.path)
        )

    def closed_only(change):
        def changed(path, *rest, **options):
            if is_open(path):
                raise PermissionError(errno.EACCES, "EACCES")
            return change(path, *rest, **options)

        return changed

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("Only Linux lists the files that a process has open.")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", _FakeLocks())
    monkeypatch.setattr(os, "replace", closed_only(os.replace))
    monkeypatch.setattr(Path, "unlink", closed_only(Path.unlink))


def test_windows_closes_a_file_before_it_is_renamed(tmp_path, windows):
    with atomic_path(tmp_path / "out.csv") as temporary:
        temporary.write_text("x")

    assert (tmp_path / "out.csv").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_windows_removes_the_temporary_file_after_an_error(tmp_path, windows):
    with pytest.raises(ZeroDivisionError), atomic_path(tmp_path / "out.csv"):
        raise ZeroDivisionError

    assert list(tmp_path.iterdir()) == []


def test_windows_keeps_temporary_files_that_are_open_and_removes_others(tmp_path, windows):
    leftover = tmp_path / (".out." + "a" * 16 + ".part.csv")
    leftover.write_text("half")
    with atomic_path(tmp_path / "out.csv") as temporary:
        assert not leftover.exists()
        with atomic_path(tmp_path / "out.csv") as other:
            other.write_text("second")
        temporary.write_text("first")

    assert (tmp_path / "out.csv").read_text() == "first"


def test_windows_lets_one_process_write_and_removes_its_lock(tmp_path, windows):
    with (
        pytest.raises(OutputError, match=r"another process is writing to .*out\.csv"),
        reserved(tmp_path / "out.csv"),
        reserved(tmp_path / "out.csv"),
    ):
        pass

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_another_name_of_a_file_is_the_same_file(tmp_path, link):
    (tmp_path / "edges.txt").write_text("1 2\n")
    link(tmp_path / "edges.txt", tmp_path / "again.txt")

    with pytest.raises(
        OutputError, match=r"again\.txt would be overwritten: it is the same file as .*edges\.txt"
    ):
        check_distinct(tmp_path / "again.txt", [tmp_path / "edges.txt"])
    check_distinct(tmp_path / "new.txt", [tmp_path / "edges.txt"])


def test_an_overwritten_file_keeps_its_mode(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("old")
    path.chmod(0o600)

    egonet.encode([("a", "b")], radius=1).write(path)

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().startswith("node,")


def test_an_output_that_is_a_link_is_written_where_the_link_points(tmp_path):
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "target.csv")

    with atomic_path(tmp_path / "link.csv") as temporary:
        temporary.write_text("new")

    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text() == "new"


def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with (
        pytest.raises(OutputError, match="that is a device or pipe; give a file name"),
        atomic_path(tmp_path / "pipe"),
    ):
        pass

    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]

"""Atomic writes: a temporary file in the same folder, then one rename; a lock allows one writer at a time."""

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from egonet.errors import OutputError
from egonet.io.paths import as_path

_WAYS_OUT = {
    errno.ENOENT: "the folder does not exist; create it first",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EACCES: "permission denied; choose a folder you may write to",
    errno.EPERM: "not permitted; choose a folder you may write to",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOSPC: "no space is left on the device; free some or choose another folder",
    getattr(errno, "EDQUOT", -1): "the disk quota is used up; free some or choose another folder",
    errno.EFBIG: "the file would be larger than the system allows; raise the limit or write less",
    errno.EISDIR: "that is a folder; give a file name",
}


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; rename it to `path` at the end, remove it on any error.

    The temporary file is created empty, with an unpredictable name; at the end it gets the mode of the file that it
    replaces, or the usual permissions. Temporary files that
    a killed process left for the same path are removed. An OutputError for a folder that is missing, not writable or
    full leaves `path` unchanged.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "table.csv") as temporary:
    ...     _ = temporary.write_text("node,degree")
    >>> [file.name for file in folder.iterdir()]
    ['table.csv']
    """
    target = as_path("path", path)
    final = Path(os.path.realpath(target)) if os.path.islink(target) else target
    with writing(target), ExitStack() as undo:
        if final.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if final.exists() and not final.is_file():  # as root, a rename would replace /dev/null by a file
            raise OutputError(f"{target} could not be written: that is a device or pipe; give a file name.")
        _remove_leftovers(final)
        temporary, descriptor = _create(final)
        undo.callback(_unlink, temporary)
        with open_until_renamed(descriptor) as close_first:
            yield temporary
            with suppress(FileNotFoundError):
                os.chmod(temporary, stat.S_IMODE(final.stat().st_mode))
            flush_file(temporary)
            close_first()
            os.replace(temporary, final)


@contextmanager
def writing(final: str | Path) -> Iterator[None]:
    """Raise an OutputError with a way out for an error of the operating system while `final` is written.

    >>> with writing("table.csv"):
    ...     raise OSError(errno.EISDIR, "EISDIR")
    Traceback (most recent call last):
        ...
    egonet.errors.OutputError: table.csv could not be written: that is a folder; give a file name.
    """
    try:
        yield
    except OSError as error:
        if type(error).__module__.startswith("egonet."):
            raise
        raise OutputError(f"{final} could not be written: {_way_out(error)}.") from error
    except ValueError as error:
        is_name = isinstance(error, UnicodeEncodeError) or ("null" in str(error) and "\0" in str(final))
        if not is_name:
            raise
        raise OutputError(f"{str(final)!r} could not be written: {error}.") from error


def temporary_name(final: Path) -> Path:
    """Return an unpredictable path in the folder of `final`, with the same suffix, which writers may depend on."""
    return final.with_name(f".{final.stem}.{secrets.token_hex(8)}.part{final.suffix}")


@contextmanager
def reserved(*paths: Path | None, inputs: Iterable[Path | None] = ()) -> Iterator[None]:
    """Lock output files while their content is computed; None stands for no file.

    Raise an OutputError if an output is the same file as one of the `inputs` or as another output, if another process
    has locked it, or if its folder is missing or read-only.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> with reserved(path), reserved(path):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
        ...
    egonet.errors.OutputError: another process is writing to .../table.csv. Wait for it, or choose another name.
    """
    with ExitStack() as stack:
        taken = [path for path in inputs if path is not None]
        for path in paths:
            if path is not None:
                check_folder(path)
                check_distinct(path, taken)
                taken.append(path)
                stack.enter_context(_lock_file(path))
        yield


def check_distinct(output: Path, taken: Iterable[Path]) -> None:
    """Raise if an output is one of the files that are read or written already.

    Files are compared by the operating system, so links and case-insensitive names are detected.

    >>> check_distinct(Path("edges.csv"), [Path("./edges.csv")])
    Traceback (most recent call last):
        ...
    egonet.errors.OutputError: edges.csv would be overwritten: it is the same file as edges.csv. Choose another name.
    """
    for other in taken:
        same = os.path.realpath(output) == os.path.realpath(other)
        with suppress(OSError):
            same = same or os.path.samefile(output, other)
        if same:
            raise OutputError(
                f"{output} would be overwritten: it is the same file as {other}. Choose another name."
            )


@contextmanager
def open_until_renamed(descriptor: int) -> Iterator[Callable[[], None]]:
    """Close a file at the end; yield a function that closes it earlier on Windows, which cannot rename an open file."""
    with ExitStack() as stack:
        stack.callback(os.close, descriptor)
        yield stack.close if sys.platform == "win32" else lambda: None


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    """Lock a lock file in the folder of a path; the operating system releases it when the process ends."""
    lock = path.with_name(f".{path.name}.lock")
    with writing(path):
        while True:
            descriptor = open_lock(lock)
            taken = try_lock(descriptor)
            # Its owner may have removed it between the two steps; the name then refers to another file.
            if not taken or _is_at(descriptor, lock):
                break
            os.close(descriptor)
    with open_until_renamed(descriptor) as close_first:
        if not taken:
            raise OutputError(f"another process is writing to {path}. Wait for it, or choose another name.")
        try:
            yield
        finally:
            if not os.fstat(descriptor).st_size:  # a file with content is not ours
                close_first()  # a lock that another process has taken by then cannot be removed
                _unlink(lock)


def open_lock(path: Path) -> int:
    """Open a lock file, never through a link, and create it if necessary."""
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)


def try_lock(descriptor: int) -> bool:
    """Try to lock an open file and return whether it worked; closing the file or ending the process unlocks it.

    Windows locks bytes, which no other process can then write, so a byte far past the end of the file is locked.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 0x7FFFFFFE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EDEADLK}:
                return False
            raise
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _create(final: Path) -> tuple[Path, int]:
    """Create an empty temporary file and return it locked; the lock shows that its writer is alive.

    On Windows no lock is needed, since a file that is open cannot be removed.
    """
    while True:
        temporary = temporary_name(final)
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if sys.platform == "win32" or (try_lock(descriptor) and _is_at(descriptor, temporary)):
            return temporary, descriptor
        os.close(descriptor)


def _remove_leftovers(final: Path) -> None:
    """Remove temporary files of `final` whose writer was killed: they are not locked."""
    ours = re.compile(re.escape(f".{final.stem}.") + "[0-9a-f]{16}" + re.escape(f".part{final.suffix}"))
    for path in final.parent.iterdir():
        if ours.fullmatch(path.name):
            with suppress(OSError):
                if sys.platform == "win32":
                    path.unlink()
                    continue
                descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
                try:
                    if try_lock(descriptor):
                        path.unlink()
                finally:
                    os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _way_out(error: OSError) -> str:
    """Return the cause and the way out of an error of the operating system."""
    if error.errno is None and "requested and" in str(error):  # numpy reports a short write without errno
        return f"only a part of it was written ({error}); free some space or choose another folder"
    return _WAYS_OUT.get(error.errno or 0, error.strerror or str(error))


def flush_file(path: Path) -> None:
    """Flush a file to disk: a crash after the rename then cannot leave an empty file."""
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_folder(path: str | Path) -> None:
    """Raise if the folder of an output path is missing or read-only."""
    folder, code = Path(path).parent, None
    if not folder.is_dir():
        code = errno.ENOENT
    elif Path(path).is_dir():
        code = errno.EISDIR
    elif not os.access(folder, os.W_OK):
        code = errno.EACCES
    if code is not None:
        raise OutputError(f"{path} could not be written: {_WAYS_OUT[code]}.")

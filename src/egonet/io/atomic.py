"""Writing a file whole or not at all: a temporary name beside it, then one rename; one writer at a time."""

import errno
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from egonet.errors import OutputError

_WAYS_OUT = {
    errno.ENOENT: "the folder does not exist; create it first",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EACCES: "permission denied; choose a folder you may write to",
    errno.EPERM: "not permitted; choose a folder you may write to",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOSPC: "no space is left on the device; free some or choose another folder",
    errno.EDQUOT: "the disk quota is used up; free some or choose another folder",
    errno.EFBIG: "the file would be larger than the system allows; raise the limit or write less",
    errno.EISDIR: "that is a folder; give a file name",
}


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` at the end, remove it on any error.

    The temporary file exists already, empty, under a name that nobody can foresee, with the permissions a new file
    has. What a killed process left of the same file is removed.

    Raises
    ------
    OutputError
        If the folder is missing, not writable or full; `path` itself is then as it was before.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "table.csv") as temporary:
    ...     _ = temporary.write_text("node,degree")
    >>> [file.name for file in folder.iterdir()]
    ['table.csv']
    """
    final = Path(path)
    with writing(final), ExitStack() as undo:
        if final.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _remove_leftovers(final)
        temporary, descriptor = _create(final)
        undo.callback(os.close, descriptor)
        undo.callback(_unlink, temporary)
        yield temporary
        _flush(temporary)
        os.replace(temporary, final)


@contextmanager
def writing(final: str | Path) -> Iterator[None]:
    """Turn what the system says while `final` is written into one sentence with a way out.

    Examples
    --------
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


def temporary_name(final: Path) -> Path:
    """Return a name beside `final` that nobody can foresee, with the suffix last, by which writers choose formats."""
    return final.with_name(f".{final.stem}.{secrets.token_hex(8)}.part{final.suffix}")


@contextmanager
def reserved(*paths: Path | None, inputs: Iterable[Path | None] = ()) -> Iterator[None]:
    """Hold some output files for writing while work is done for them; None stands for no file.

    Raises
    ------
    OutputError
        If one is the same file as one of the `inputs` or as another output, if another process holds one, or if
        its folder is missing or read-only.

    Examples
    --------
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
                stack.enter_context(_locked(path))
        yield


def check_distinct(output: Path, taken: Iterable[Path]) -> None:
    """Raise if an output is one of the files that are read or written already.

    The system compares the files, so links and names that differ in case are seen through.

    Examples
    --------
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
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock file beside a file, which the system frees however its holder ends."""
    beside = path.with_name(f".{path.name}.lock")
    with writing(path):
        while True:
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            taken = try_lock(descriptor)
            # Its holder may have removed it between the two steps; then it is another file by now.
            if not taken or _is_at(descriptor, beside):
                break
            os.close(descriptor)
    try:
        if not taken:
            raise OutputError(f"another process is writing to {path}. Wait for it, or choose another name.")
        yield
    finally:
        if taken:
            _unlink(beside)
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Return whether an open file is ours alone now; the system frees it when it is closed or its holder ends."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _create(final: Path) -> tuple[Path, int]:
    """Create an empty temporary file that nobody else has, and return it locked: whoever holds it is alive."""
    while True:
        temporary = temporary_name(final)
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if try_lock(descriptor) and _is_at(descriptor, temporary):
            return temporary, descriptor
        os.close(descriptor)


def _remove_leftovers(final: Path) -> None:
    """Remove temporary files of `final` whose writer was killed: nobody holds them."""
    ours = re.compile(re.escape(f".{final.stem}.") + "[0-9a-f]{16}" + re.escape(f".part{final.suffix}"))
    for path in final.parent.iterdir():
        if ours.fullmatch(path.name):
            with suppress(OSError):
                descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
                try:
                    if try_lock(descriptor):
                        path.unlink()
                finally:
                    os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _way_out(error: OSError) -> str:
    """Return what to do about an error of the system."""
    if error.errno is None and "requested and" in str(error):  # numpy counts what it wrote, and says no more
        return f"only a part of it fitted ({error}); free some space or choose another folder"
    return _WAYS_OUT.get(error.errno or 0, error.strerror or str(error))


def _flush(path: Path) -> None:
    """Force the file's bytes to disk, so that the rename cannot publish an empty file after a crash."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_folder(path: str | Path) -> None:
    """Refuse an output path whose folder is missing or read-only, before any work is done for it."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise OutputError(f"{path} could not be written: {_WAYS_OUT[errno.ENOENT]}.")
    if Path(path).is_dir():
        raise OutputError(f"{path} could not be written: {_WAYS_OUT[errno.EISDIR]}.")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path} could not be written: {_WAYS_OUT[errno.EACCES]}.")

"""Writing a file whole or not at all: a temporary name beside it, then one rename."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    errno.EISDIR: "that is a folder; give a file name",
}


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` at the end, remove it on any error.

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
    # The suffix stays last, because many writers choose their format by it.
    temporary = final.with_name(f".{final.stem}.{os.getpid()}.part{final.suffix}")
    try:
        if final.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        yield temporary
        _flush(temporary)
        os.replace(temporary, final)
    except OutputError:
        raise
    except OSError as error:
        why = _WAYS_OUT.get(error.errno or 0, error.strerror or str(error))
        raise OutputError(f"{final} could not be written: {why}.") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


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

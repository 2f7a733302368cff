"""One writer a folder: a lock that the system drops when its holder ends, however it ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from egonet.errors import OutputError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create the folder if need be and hold it for writing; refuse if another process does.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with locked(folder), locked(folder):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
        ...
    egonet.errors.OutputError: another process is writing to ... Wait for it, or choose another folder.
    """
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise OutputError(f"{folder} could not be written: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OutputError(
                f"another process is writing to {folder}. Wait for it, or choose another folder."
            ) from error
        yield
    finally:
        os.close(descriptor)

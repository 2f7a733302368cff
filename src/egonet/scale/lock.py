"""One writer a folder: a lock that the system drops when its holder ends, however it ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from egonet.atomic import try_lock, writing
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
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        if not try_lock(descriptor):
            raise OutputError(
                f"another process is writing to {folder}. Wait for it, or choose another folder."
            )
        yield
    finally:
        os.close(descriptor)

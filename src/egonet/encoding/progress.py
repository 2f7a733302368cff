"""A progress bar for `progress=True`: tqdm where it is installed, else a line on stderr that is rewritten."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from egonet.errors import InputError
from egonet.kernel.native import Progress

#: Work that takes less than this many seconds shows nothing.
DELAY = 0.5


@contextmanager
def as_progress(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """Yield the callback that `progress` stands for: True is a progress bar, closed at the end.

    Examples
    --------
    >>> with as_progress(False) as report:
    ...     print(report)
    None
    """
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise InputError(f"progress must be True, False or a function of (done, total), got {progress!r}.")
    bar: Any = None
    started = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal bar
        if time.monotonic() - started < DELAY:
            return
        if bar is None:
            bar = _open_bar(done, total)
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield report if progress is True else progress or None
    finally:
        if bar is not None:
            bar.close()


def _open_bar(done: int, total: int) -> Any:
    """Return a bar that begins at `done`."""
    try:
        from tqdm import tqdm
    except ImportError:
        return _Line(done, total)
    return tqdm(total=total, initial=done, desc="encode", unit=" nodes", file=sys.stderr)


class _Line:
    """One line on stderr with the rate and the time left, with the methods of tqdm."""

    def __init__(self, done: int, total: int) -> None:
        self.n, self.total = done, total
        self.first, self.started = done, time.monotonic()

    def update(self, more: int) -> None:
        """Count on, and write the line again."""
        self.n += more
        rate = (self.n - self.first) / max(time.monotonic() - self.started, 1e-9)
        left = f", {(self.total - self.n) / rate:,.0f} s left" if rate > 0 else ""
        line = f"encode: {self.n:,} of {self.total:,} nodes, {rate:,.0f}/s{left}"
        sys.stderr.write(f"\r{line:<72}")
        sys.stderr.flush()

    def close(self) -> None:
        """End the line."""
        sys.stderr.write("\n")

"""Progress bars: tqdm where it is installed, else one line on stderr."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from egonet.errors import InputError, show_value
from egonet.typing import Progress

#: A progress bar appears after this many seconds: with progress=True, and without the option.
PROGRESS_DELAY, AUTOMATIC_DELAY = 0.5, 2.0
#: Graphs with fewer arcs show a progress bar only with progress=True.
SHORT_WORK = 10_000


def choose_progress(progress: Progress | bool | None, num_arcs: int) -> Progress | bool | str | None:
    """Return the option, or "auto" if it is not given, the work may be long and somebody watches."""
    return "auto" if progress is None and num_arcs > SHORT_WORK and is_watched() else progress


@contextmanager
def as_progress(
    progress: Progress | bool | str | None, what: str = "encode", unit: str = "nodes"
) -> Iterator[Progress | None]:
    """Yield the callback that `progress` stands for: True and "auto" are a progress bar, closed at the end.

    `what` and `unit` are the name of the work and what it counts, as the bar shows them.

    >>> with as_progress(False) as report:
    ...     print(report)
    None
    """
    automatic = progress is None or (isinstance(progress, str) and progress == "auto")
    if not (automatic or isinstance(progress, bool) or callable(progress)):
        raise InputError(
            f"progress must be True, False or a function of (done, total), got {show_value(progress)}."
        )
    bar: Any = None
    started = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal bar
        if time.monotonic() - started < (PROGRESS_DELAY if progress is True else AUTOMATIC_DELAY):
            return
        if bar is None:
            bar = _open_bar(done, total, what, unit)
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield progress if callable(progress) else report if progress else None
    finally:
        if bar is not None:
            bar.close()


def is_watched() -> bool:
    """Return whether the output is shown in a terminal or in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


def _open_bar(done: int, total: int, what: str, unit: str) -> Any:
    """Return a bar that begins at `done`."""
    try:
        from tqdm import tqdm
    except ImportError:
        return _Line(done, total, what, unit)
    return tqdm(total=total, initial=done, desc=what, unit=f" {unit}", file=sys.stderr)


class _Line:
    """One line on stderr with the rate and the time left, with the methods of tqdm."""

    def __init__(self, done: int, total: int, what: str = "encode", unit: str = "nodes") -> None:
        self.n, self.total, self.what, self.unit = done, total, what, unit
        self.first, self.started = done, time.monotonic()

    def update(self, more: int) -> None:
        """Count on, and write the line again."""
        self.n += more
        rate = (self.n - self.first) / max(time.monotonic() - self.started, 1e-9)
        left = f", {(self.total - self.n) / rate:,.0f} s left" if rate > 0 else ""
        line = f"{self.what}: {self.n:,} of {self.total:,} {self.unit}, {rate:,.0f}/s{left}"
        sys.stderr.write(f"\r{line:<72}")
        sys.stderr.flush()

    def close(self) -> None:
        """End the line."""
        sys.stderr.write("\n")

"""Results as lines of JSON: one per encoding, seed and cell, appended as they come, read back to resume."""

import io
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

from egonet.io import reserved, writing


@dataclass(frozen=True)
class Line:
    """One measured number and everything that identifies it.

    Attributes
    ----------
    table, data, model, target
        The cell.
    form, radius
        The encoding: "none" is the control.
    seed, protocol, quick
        How it was run.
    score, details
        The number in the table's metric, and further measurements.
    seconds
        Its share of the time its job took.
    environment
        Device, versions and commit.
    """

    table: str
    data: str
    model: str
    target: str
    form: str
    radius: int
    seed: int
    protocol: str
    quick: bool
    score: float
    details: dict[str, Any]
    seconds: float
    environment: dict[str, Any]

    @property
    def key(self) -> tuple[Any, ...]:
        """Return the fields that identify a unit of work."""
        return key_of(asdict(self))


def key_of(fields: dict[str, Any]) -> tuple[Any, ...]:
    """Return the fields that identify a unit of work."""
    names = ("table", "data", "model", "target", "form", "radius", "seed", "protocol", "quick")
    return tuple(fields[name] for name in names)


def results_path(folder: Path, table: str, protocol: str) -> Path:
    """Return the file with a table's lines under one protocol."""
    return folder / f"{table}.{protocol}.jsonl"


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a file; a line that a killed run cut off is skipped."""
    if not path.is_file():
        return
    for text in path.read_bytes().splitlines():
        try:
            yield _renamed(Line(**json.loads(text)))
        except (ValueError, TypeError, RecursionError):
            continue


def _renamed(line: Line) -> Line:
    """Return a line with today's names of its model and its encoding."""
    names = old_names()
    model, form = names["model"].get(line.model, line.model), names["form"].get(line.form, line.form)
    return line if (model, form) == (line.model, line.form) else replace(line, model=model, form=form)


@cache
def old_names() -> dict[str, dict[str, str]]:
    """Return the names that older result files use, and what they are called today."""
    text = files("research.paper").joinpath("old_names.json").read_text("utf-8")
    return dict(json.loads(text))


@contextmanager
def lock_results(folder: Path, table: str, protocol: str) -> Iterator[None]:
    """Lock the file of a table's lines for this process; raise if another process has locked it."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with reserved(results_path(folder, table, protocol)):
        yield


def append_lines(path: Path, lines: Iterable[Line]) -> None:
    """Add lines to a file, all or none, and force them to disk; a last line that a killed run cut off is removed."""
    text = "".join(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.is_file() else b""
        whole = len(content) if _is_whole(content) else content.rfind(b"\n") + 1
        ended = "" if content[:whole].endswith(b"\n") or not whole else "\n"
        with path.open("ab", buffering=0) as file:
            file.truncate(whole)
            try:
                _write_all(file, (ended + text).encode())
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(whole)
                raise


def _is_whole(content: bytes) -> bool:
    """Return whether the last line of a file is complete, with or without its newline."""
    try:
        json.loads(content[content.rfind(b"\n") + 1 :] or b"{}")
    except ValueError:
        return False
    return True


def _write_all(file: io.FileIO, data: bytes) -> None:
    """Write all bytes; one write may take only a part of them."""
    while data:
        data = data[file.write(data) or 0 :]


@cache
def environment(device: str) -> dict[str, Any]:
    """Return what numbers were measured with: device, versions, commit, date."""
    import torch

    name = (
        torch.cuda.get_device_name()
        if device.startswith("cuda")
        else platform.processor() or platform.machine()
    )
    versions = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": metadata.version("numpy"),
    }
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    return {
        "device": device,
        "device_name": name,
        "versions": versions,
        "commit": current_commit(),
        "date": day,
    }


def current_commit() -> str:
    """Return the commit of the source: EGONET_COMMIT, or that of the repository."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    if given := os.environ.get("EGONET_COMMIT"):
        return given[:12]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return "unknown"

"""Results as lines of JSON: one per encoding, seed and cell, appended as they come, read back to resume."""

import io
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from egonet.atomic import reserved, writing


@dataclass(frozen=True)
class Line:
    """One measured number with everything needed to know what it is.

    Attributes
    ----------
    table, data, model, target
        The cell.
    form, radius
        The encoding: "none" is the control.
    seed, protocol, quick
        How it was run.
    score, details
        The number in the table's metric, and what else was kept.
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
        """Return what makes two lines the same piece of work."""
        return key_of(asdict(self))


def key_of(fields: dict[str, Any]) -> tuple[Any, ...]:
    """Return the identity of a piece of work."""
    names = ("table", "data", "model", "target", "form", "radius", "seed", "protocol", "quick")
    return tuple(fields[name] for name in names)


def results_path(folder: Path, table: str, protocol: str) -> Path:
    """Return the file that holds a table's lines under one protocol."""
    return folder / f"{table}.{protocol}.jsonl"


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a file; one cut off by a killed run is passed over."""
    if not path.is_file():
        return
    for text in path.read_bytes().splitlines():
        try:
            yield Line(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            continue


@contextmanager
def held_results(folder: Path, table: str, protocol: str) -> Iterator[None]:
    """Hold the file of a table's lines while it grows; refuse if another process does."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with reserved(results_path(folder, table, protocol)):
        yield


def append_lines(path: Path, lines: Iterable[Line]) -> None:
    """Add lines to a file, all or none, and force them to disk; a last line that a killed run cut off is removed."""
    text = "".join(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        held = path.read_bytes() if path.is_file() else b""
        whole = len(held) if _is_whole(held) else held.rfind(b"\n") + 1
        ended = "" if held[:whole].endswith(b"\n") or not whole else "\n"
        with path.open("ab", buffering=0) as file:
            file.truncate(whole)
            try:
                _write_all(file, (ended + text).encode())
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(whole)
                raise


def _is_whole(held: bytes) -> bool:
    """Return whether the last line of a file is a whole one, with or without its end."""
    try:
        json.loads(held[held.rfind(b"\n") + 1 :] or b"{}")
    except ValueError:
        return False
    return True


def _write_all(file: io.FileIO, data: bytes) -> None:
    """Write all bytes; the system may take a part of them at a time."""
    while data:
        data = data[file.write(data) or 0 :]


@cache
def environment(device: str) -> dict[str, Any]:
    """Return where numbers come from: device, versions, commit."""
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
    return {"device": device, "device_name": name, "versions": versions, "commit": _commit()}


def _commit() -> str:
    """Return the commit of the source: what EGONET_COMMIT says, or that of the repository it lies in."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    if said := os.environ.get("EGONET_COMMIT"):
        return said[:12]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return "unknown"

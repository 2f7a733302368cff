"""Results as lines of JSON: one per encoding, seed and cell, appended as they come, read back to resume."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from egonet.errors import OutputError


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


def append_lines(path: Path, lines: Iterable[Line]) -> None:
    """Add lines to a file and force them to disk; a last line cut off before is ended first."""
    text = "".join(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        cut_off = path.is_file() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if cut_off else "") + text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror}.") from error


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
    """Return the commit of the source, if it lies in a repository."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return os.environ.get("EGONET_COMMIT", "unknown")

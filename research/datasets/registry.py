"""What the data sets are: the registry file as frozen records."""

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from egonet.errors import InputError


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Attributes
    ----------
    path
        Where it lies under the data folder.
    sha256, bytes
        Its hash and size.
    remote
        Its path under each of the data set's public addresses; empty if it has none.
    """

    path: str
    sha256: str
    bytes: int
    remote: str = ""


@dataclass(frozen=True)
class DataSet:
    """One data set: what it holds, and where its files are public.

    Attributes
    ----------
    name, title, task, note
        The name in commands, a title, what it is used for, and a remark.
    num_graphs, num_nodes, num_edges
        Totals; an undirected edge counts once, self-loops not at all.
    bases
        Public addresses that hold all files with a `remote` path, tried in this order.
    archive
        The address of a zip file with all files of the set, or empty.
    files
        Its files.
    """

    name: str
    title: str
    task: str
    num_graphs: int
    num_nodes: int
    num_edges: int
    files: tuple[DataFile, ...]
    note: str = ""
    bases: tuple[str, ...] = ()
    archive: str = ""

    @property
    def num_bytes(self) -> int:
        """Return the size of all files together."""
        return sum(file.bytes for file in self.files)

    def addresses(self, file: DataFile) -> tuple[str, ...]:
        """Return the public addresses of one of its files, best first."""
        return tuple(f"{base}/{file.remote}" for base in self.bases) if file.remote else ()


@cache
def registry() -> dict[str, DataSet]:
    """Return every data set by name.

    Examples
    --------
    >>> registry()["graph8c"].num_graphs
    11117
    """
    table = tomllib.loads(files("research.datasets").joinpath("registry.toml").read_text("utf-8"))
    return {name: _data_set(name, entry) for name, entry in table.items()}


def data_set(name: str) -> DataSet:
    """Return one data set, or say which there are.

    Examples
    --------
    >>> data_set("mutga")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: there is no data set 'mutga'. Did you mean 'mutag'?
    """
    known = registry()
    if name.lower() in known:
        return known[name.lower()]
    near = get_close_matches(name.lower(), known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
    raise InputError(f"there is no data set {name!r}. {hint}")


def _data_set(name: str, entry: dict[str, Any]) -> DataSet:
    """Return one table of the registry as a record."""
    plain = {key: value for key, value in entry.items() if key not in ("files", "bases")}
    listed = tuple(DataFile(**file) for file in entry["files"])
    return DataSet(name=name, files=listed, bases=tuple(entry.get("bases", ())), **plain)

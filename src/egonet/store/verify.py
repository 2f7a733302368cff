"""Verification of a store: which files are damaged, and the repair of those that can be computed again."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from egonet.checks import as_flag, as_threads
from egonet.encoding.header import unpack_schema
from egonet.errors import FileError, InputError
from egonet.io.paths import as_path
from egonet.kernel.cost import as_bytes
from egonet.store.blocks import is_intact_block, write_block
from egonet.store.encode import (
    DEFAULT_MEMORY,
    StoreJob,
    as_source,
    finish,
    remove_leftovers,
    repair_graph,
    unfinished_blocks,
)
from egonet.store.encoding import open_rows
from egonet.store.folder import damaged_in, discard_scratch, is_intact
from egonet.store.graph import FileReading
from egonet.store.manifest import MANIFEST, lock_folder
from egonet.store.triangles import make_counter


@dataclass(frozen=True)
class Verification:
    """The files of a store that were missing or damaged, and those of them that were computed again."""

    damaged: tuple[str, ...]
    repaired: tuple[str, ...]

    @property
    def is_intact(self) -> bool:
        """Return whether no damaged file is left."""
        return set(self.damaged) == set(self.repaired)


def verify(
    folder: str | PathLike[str],
    graph: Any = None,
    *,
    repair: bool = True,
    memory: int | str = DEFAULT_MEMORY,
    threads: int | None = None,
) -> Verification:
    """Return the damaged files of a store, and repair those that can be computed again.

    Blocks and the vocabulary are computed from the graph of the store. A damaged graph is read again from `graph`, if
    that is the same graph. Labels and chosen roots cannot be computed: encode again with them.

    Parameters
    ----------
    folder
        A store.
    graph
        The file or the graph that was encoded, needed only if the graph of the store is damaged.
    repair
        False only lists damaged files.
    memory, threads
        As in `egonet.store.encode`.

    Raises
    ------
    FileError
        If the folder has no store, or its manifest is damaged.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> _ = egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)
    >>> _ = (folder / "block-000000-0000" / "counts.npy").write_bytes(b"")
    >>> egonet.store.verify(folder)
    Verification(damaged=('block-000000-0000/counts.npy',), repaired=('block-000000-0000/counts.npy',))
    """
    path, repair = as_path("folder", folder), as_flag("repair", repair)
    memory_bytes, num_threads = as_bytes(memory), as_threads(threads)
    manifest = open_rows(path).manifest
    damaged = damaged_files(path, manifest)
    if not damaged or not repair:
        return Verification(tuple(damaged), ())
    with lock_folder(path):
        discard_scratch(path)
        manifest = open_rows(path).manifest
        stored = path / manifest["graph"]
        if not is_intact(stored) and graph is not None:
            _repair_graph(stored, manifest, graph, memory_bytes)
        choices = manifest["choices"]
        if is_intact(stored) and (choices is None or is_intact(path / choices)):
            missing = unfinished_blocks(path, manifest)
            num_missing = sum(last - first for _, first, last in missing)
            counter = make_counter(path, manifest, num_missing, memory_bytes, num_threads)
            for name, first, last in missing:
                write_block(path / name, counter.count(first, last), {"first": first, "last": last})
            remove_leftovers(path, finish(path, manifest))
        left = set(damaged_files(path, manifest))
    return Verification(tuple(damaged), tuple(file for file in damaged if file not in left))


def damaged_files(folder: Path, manifest: dict[str, Any]) -> list[str]:
    """Return the files of a store that are missing or whose checksum does not match."""
    damaged = []
    names = [manifest["graph"], manifest["vocabulary"], *filter(None, [manifest["choices"]])]
    for name in names + manifest["blocks"]:
        if Path(name).suffix:  # a Parquet file
            damaged += [] if is_intact_block(folder / name) else [name]
            continue
        try:
            damaged += [f"{name}/{file}" for file in damaged_in(folder / name)]
        except FileError:
            damaged.append(f"{name}/{MANIFEST}")
    return damaged


def _repair_graph(path: Path, manifest: dict[str, Any], graph: Any, memory: int) -> None:
    """Write the graph of a store again, read with the same options."""
    options = {name: value for name, value in (manifest["reading"] or {}).items() if name != "format"}
    if not isinstance(graph, str | PathLike):
        options["header"] = None
    reading = FileReading(**options)
    job = StoreJob(as_source(graph, reading), unpack_schema(manifest["settings"]), reading, memory=memory)
    if repair_graph(path, manifest["graph_digest"], job) is None:
        raise InputError("the given graph is not the graph of the store. Encode it to another folder.")

"""Which files of a store are damaged, and the mending of those that can be computed again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from egonet.errors import FileError, InputError
from egonet.graph.graph import Graph
from egonet.kernel.cost import as_bytes
from egonet.store.array_folder import discard_scratch, is_sound
from egonet.store.block_files import is_sound_block, write_block
from egonet.store.contents import settings_from_json
from egonet.store.count import make_counter
from egonet.store.encode_store import (
    DEFAULT_MEMORY,
    Task,
    finish,
    mend_graph,
    remove_leftovers,
    unfinished_blocks,
)
from egonet.store.lock import locked
from egonet.store.manifest import MANIFEST, checksum, read_manifest
from egonet.store.stored_encoding import read_store


@dataclass(frozen=True)
class Verification:
    """What was found wrong with a store.

    Attributes
    ----------
    damaged
        The files that were missing or did not have their checksum, relative to the store.
    mended
        Those of them that were computed again.
    """

    damaged: tuple[str, ...]
    mended: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Return whether nothing is damaged any more."""
        return set(self.damaged) == set(self.mended)


def verify_store(
    folder: str | Path,
    graph: str | Path | Graph | None = None,
    *,
    mend: bool = True,
    memory: int | str = DEFAULT_MEMORY,
    threads: int = 0,
) -> Verification:
    """Return which files of a store are damaged, and mend what can be computed again.

    Blocks and columns are counted again from the graph of the store; the graph is read again from its source, if that
    is given and still gives the same graph. Labels and chosen roots cannot be computed: encode again with them.

    Parameters
    ----------
    folder
        A store.
    graph
        The file or the graph that the store was made from, needed only if its graph is damaged.
    mend
        False to look only.
    memory, threads
        As in `encode_to_store`.

    Raises
    ------
    FileError
        If the folder holds no store, or its manifest is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from egonet.store.encode_store import encode_to_store
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> _ = encode_to_store(Graph.from_edges([("a", "b"), ("b", "c")]), folder, 1)
    >>> _ = (folder / "block-000000-0000" / "counts.npy").write_bytes(b"")
    >>> verify_store(folder)
    Verification(damaged=('block-000000-0000/counts.npy',), mended=('block-000000-0000/counts.npy',))
    """
    path = Path(folder)
    manifest = _complete(path)
    damaged = damaged_files(path, manifest)
    if not damaged or not mend:
        return Verification(tuple(damaged), ())
    with locked(path):
        discard_scratch(path)
        manifest = _complete(path)
        place = path / manifest["graph"]
        if not is_sound(place) and graph is not None:
            _mend_graph(place, manifest, graph, as_bytes(memory))
        choices = manifest["choices"]
        if is_sound(place) and (choices is None or is_sound(path / choices)):
            missing = unfinished_blocks(path, manifest)
            num_missing = sum(last - first for _, first, last in missing)
            counter = make_counter(path, manifest, num_missing, as_bytes(memory), threads)
            for name, first, last in missing:
                write_block(path / name, counter.count(first, last), {"first": first, "last": last})
            remove_leftovers(path, finish(path, manifest))
        left = set(damaged_files(path, manifest))
    return Verification(tuple(damaged), tuple(file for file in damaged if file not in left))


def damaged_files(folder: Path, manifest: dict[str, Any]) -> list[str]:
    """Return the files of a store that are missing or do not have their checksums."""
    names = [manifest["graph"], manifest["vocabulary"], *filter(None, [manifest["choices"]])]
    found = [file for name in names for file in _damaged_in(folder / name)]
    for name in manifest["blocks"]:
        if Path(name).suffix:
            found += [] if is_sound_block(folder / name) else [name]
        else:
            found += _damaged_in(folder / name)
    return found


def _damaged_in(folder: Path) -> Iterator[str]:
    """Yield the damaged files of a folder of arrays; without a manifest nothing else can be said of them."""
    try:
        files = read_manifest(folder, "a folder of arrays").get("files")
    except FileError:
        files = None
    if not isinstance(files, dict):
        yield f"{folder.name}/{MANIFEST}"
        return
    for file, expected in files.items():
        try:
            fine = checksum(folder / file) == expected
        except OSError:
            fine = False
        if not fine:
            yield f"{folder.name}/{file}"


def _complete(folder: Path) -> dict[str, Any]:
    manifest = read_store(folder)
    if not manifest["complete"]:
        raise FileError(f"{folder} is not finished. Run the same command again to go on.")
    return manifest


def _mend_graph(place: Path, manifest: dict[str, Any], graph: str | Path | Graph, memory: int) -> None:
    """Put the graph of a store in its place again, read the way it was."""
    words = manifest["reading"] or {}
    task = Task(
        settings_from_json(manifest["settings"]),
        words.get("source"),
        words.get("target"),
        words.get("directed"),
        memory,
    )
    if mend_graph(place, manifest["graph_digest"], graph, task) is None:
        raise InputError(
            "the graph given is not the one that the store was made from. Encode it to another folder."
        )

"""Encoding into a folder: counted block by block in bounded memory, resumed where it stopped."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.labels import Labels
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import paper_keys
from egonet.errors import FileError, InputError
from egonet.graph.graph import Graph
from egonet.graph.ignored import as_direction
from egonet.io.atomic import temporary_name, writing
from egonet.io.read import existing
from egonet.kernel.cost import as_bytes, predict_bytes
from egonet.store.array_folder import discard, discard_scratch, is_sound, open_array, write_folder
from egonet.store.block_files import entries_of, is_sound_block, keys_of, write_block
from egonet.store.blocks import merge_keys
from egonet.store.contents import hold_choices, settings_from_json, settings_to_json
from egonet.store.count import make_counter
from egonet.store.lock import claim, clear_journal, journal_of, locked, names_in
from egonet.store.manifest import MANIFEST, write_manifest
from egonet.store.stored_encoding import FORMAT, StoredEncoding, open_store, read_store
from egonet.store.stored_graph import (
    GraphStore,
    build_graph,
    open_graph,
    reading_of,
    source_of,
    store_capped,
    store_graph,
)
from egonet.typing import Directed

FIRST_GRAPH = "graph-0000"
DEFAULT_MEMORY = 2 * 10**9
#: Of the memory allowed, the part for the entries of one block; the kernel holds them about three times.
BLOCK_SHARE = 1 / 4
LEAST_BLOCK = 1 << 16

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Task:
    """What a store is to hold; a folder that holds anything else is refused.

    Attributes
    ----------
    settings
        What is counted.
    source, target, directed
        How the edge list is read.
    memory
        Bytes that sorting and counting may use, besides about 80 bytes a node.
    threads
        0 for one per core.
    labels, roots
        As in `encode`.
    """

    settings: Settings
    source: str | int | None = None
    target: str | int | None = None
    directed: Directed = None
    memory: int = DEFAULT_MEMORY
    threads: int = 0
    labels: Labels | None = None
    roots: Sequence[Hashable] | None = None
    header: bool | None = None

    def reading(self, graph: str | Path | Graph) -> dict[str, Any] | None:
        """Return how a file is read; None for a graph in memory."""
        if isinstance(graph, Graph):
            return None
        return reading_of(Path(graph), self.source, self.target, self.header, as_direction(self.directed))


def encode_to_store(
    graph: str | Path | Graph,
    folder: str | Path,
    radius: int | Sequence[int] = 2,
    *,
    memory: int | str = DEFAULT_MEMORY,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    directed: Directed = None,
    labels: Labels | None = None,
    roots: Sequence[Hashable] | None = None,
    threads: int = 0,
    progress: Report | None = None,
    **words: Any,
) -> "StoredEncoding":
    """Return the encoding of a graph, counted into a folder; what the folder already holds is kept.

    Killed at any moment, the same call goes on where it was and ends with the same bytes. Every block has a
    checksum: a damaged one is found and counted again.

    Parameters
    ----------
    graph
        The path of an edge list of any size (see `build_graph`), or a graph in memory.
    folder
        Where to: a new or empty folder, or one of an earlier call with the same graph and words.
    radius
        One radius or several.
    memory
        Bytes, or text such as "2GB".
    source, target, header, directed
        As in `read_graph`.
    labels, roots
        As in `encode`; labels are kept in the folder, a number a node.
    threads
        0 for one per core.
    progress
        Called as progress(done, total) with numbers of roots after every block.
    words
        degrees, frontier_edges, max_degree, degree_bins, layout: as in `encode`.

    Raises
    ------
    FileError
        If the folder holds something else; the message says what differs.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> encode_to_store(Graph.from_edges([("a", "b"), ("b", "c")]), folder, 1)["b"]
    {(0, 2): 1, (1, 1): 2}
    """
    settings = Settings(radius=radius, **words)
    task = Task(settings, source, target, directed, as_bytes(memory), threads, labels, roots, header)
    check_settings(task.settings)
    path = Path(folder)
    if not isinstance(graph, Graph):
        existing(graph)
    with locked(path):
        manifest = prepare(path, graph, task)
        missing = unfinished_blocks(path, manifest)
        done = manifest["num_rows"] - sum(last - first for _, first, last in missing)
        counter = make_counter(path, manifest, manifest["num_rows"] - done, task.memory, threads)
        for name, first, last in missing:
            block = counter.count(first, last)
            write_block(path / name, block, {"first": first, "last": last})
            done += last - first
            if progress is not None:
                progress(done, manifest["num_rows"])
        remove_leftovers(path, finish(path, manifest))
    return open_store(path)


def prepare(
    folder: Path,
    graph: str | Path | Graph,
    task: Task,
    *,
    block_rows: int | None = None,
    ending: str = "",
    held: GraphStore | None = None,
) -> dict[str, Any]:
    """Return the manifest of a folder that holds the graph and is ready for blocks; refuse another one's folder.

    `block_rows` and the `ending` of their names (none, or that of a shard) count when the folder is new. `held` is
    what `hold_graph` returned, if it was called before.
    """
    wanted = {"format": FORMAT, "version": version(), "settings": settings_to_json(task.settings)}
    manifest: dict[str, Any] = wanted | {"generation": 0, "graph": None, "complete": False, "change": None}
    if (folder / MANIFEST).exists():
        manifest = read_store(folder)
        _refuse_other(folder, manifest, wanted)
    else:
        write_manifest(folder, manifest)
    held = held or hold_graph(folder, graph, task)
    chosen = hold_choices(folder, held, manifest, task.labels, task.roots)
    if manifest["graph"] is None:
        num_rows = held.num_nodes if chosen.roots is None else len(chosen.roots)
        block_rows = block_rows or rows_per_block(held, task)
        manifest |= chosen.facts | {"graph": FIRST_GRAPH, "num_rows": num_rows, "block_rows": block_rows}
        manifest |= {"graph_digest": held.digest, "reading": task.reading(graph)}
        manifest["blocks"] = [f"block-{i:06d}-0000{ending}" for i in range(-(-num_rows // block_rows))]
        write_manifest(folder, manifest)
    return manifest


def hold_graph(folder: Path, graph: str | Path | Graph, task: Task) -> GraphStore:
    """Return the graph of a folder: the one it has, if that is the one given, or the one given, put there now."""
    discard_scratch(folder)
    manifest = read_store(folder) if (folder / MANIFEST).exists() else {}
    place = folder / (manifest.get("graph") or FIRST_GRAPH)
    if is_sound(place):
        _refuse_other_graph(folder, open_graph(place), manifest, graph, task)
    elif place.name == FIRST_GRAPH:
        if mend_graph(place, manifest.get("graph_digest"), graph, task) is None:
            raise _other_graph(folder, manifest)
    else:
        raise FileError(f"{place} is damaged, and came from an update. Encode the graph to another folder.")
    return open_graph(place)


def mend_graph(place: Path, digest: str | None, graph: str | Path | Graph, task: Task) -> GraphStore | None:
    """Return the graph given, put in its place in a store; None if it is not the one with the digest."""
    if digest is None:
        return _make_graph(graph, place, task)
    again = _make_graph(graph, temporary_name(place), task)
    if again.digest != digest:
        discard(again.folder)
        return None
    claim(place)
    discard(place)
    with writing(place):
        again.folder.rename(place)
    return open_graph(place)


def rows_per_block(held: GraphStore, task: Task) -> int:
    """Return how many rows a block has, so that its predicted entries take their share of the memory."""
    if not held.num_nodes:
        return LEAST_BLOCK
    sample = np.linspace(0, held.num_nodes - 1, min(held.num_nodes, 256)).astype(np.int64)
    each = sum(
        predict_bytes(held.indptr, held.indices, sample, radius, degrees=task.settings.degrees)
        for radius in task.settings.radius
    ) / len(sample)
    return int(max(1, min(task.memory * BLOCK_SHARE / each, max(held.num_nodes // 16, LEAST_BLOCK))))


def unfinished_blocks(folder: Path, manifest: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Return name, first and last row of every block that is missing or damaged."""
    size, total = manifest["block_rows"], manifest["num_rows"]
    spans = [(name, i * size, min((i + 1) * size, total)) for i, name in enumerate(manifest["blocks"])]
    return [span for span in spans if not is_sound_block(folder / span[0])]


def finish(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Write the columns, now that every block is there, and a manifest that says the store is complete; return it."""
    settings = settings_from_json(manifest["settings"])
    if settings.layout == "paper":
        held = open_graph(folder / manifest["graph"])
        largest = int(np.diff(held.indptr).max(initial=0))
        keys = paper_keys(settings, largest if settings.max_degree is None else settings.max_degree)
    else:
        width = 1 + len(settings.field_names)
        every = [np.empty((0, width), dtype=np.int64)]
        every += [keys_of(folder / name) for name in manifest["blocks"]]
        keys = merge_keys(every, settings)
    name = f"vocabulary-{manifest['generation']:04d}"
    if not is_sound(folder / name) or not np.array_equal(open_array(folder / name, "keys"), keys):
        write_folder(folder / name, {"keys": keys}, {})
    num_entries = sum(entries_of(folder / block) for block in manifest["blocks"])
    done = manifest | {"complete": True, "vocabulary": name, "num_entries": num_entries}
    # What the new manifest no longer speaks of is entered in the journal before the old one is gone.
    claim(*(folder / name for name in sorted(names_in(read_store(folder)) - names_in(done))))
    write_manifest(folder, done)
    return done


def remove_leftovers(folder: Path, manifest: dict[str, Any]) -> None:
    """Remove what the journal lists and the manifest does not: older generations, and what a killed process left."""
    for name in sorted((journal_of(folder) or set()) - names_in(manifest)):
        discard(folder / name)
    clear_journal(folder)


def version() -> str:
    """Return the version of egonet that writes."""
    import egonet

    return egonet.__version__


def _make_graph(graph: str | Path | Graph, folder: Path, task: Task) -> GraphStore:
    """Return the graph put into a folder, capped if the settings ask for it."""
    cap = task.settings.cap
    if cap is None:
        return _make_whole_graph(graph, folder, task)
    whole = _make_whole_graph(graph, temporary_name(folder), task)
    return store_capped(whole, folder, cap)


def _make_whole_graph(graph: str | Path | Graph, folder: Path, task: Task) -> GraphStore:
    if isinstance(graph, Graph):
        return store_graph(graph, folder)
    words: Any = {"source": task.source, "target": task.target, "header": task.header}
    return build_graph(graph, folder, memory=task.memory, directed=task.directed, **words)


def _refuse_other(folder: Path, manifest: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse a folder that was made with other words or by another version."""
    if manifest.get("format") != FORMAT:
        raise FileError(f"{folder} holds something else: {manifest.get('format')!r}. Choose another folder.")
    if manifest["version"] != wanted["version"]:
        raise FileError(
            f"{folder} was begun by egonet {manifest['version']}, this is {wanted['version']}. "
            "Finish it with that version, or choose another folder."
        )
    for word, value in wanted["settings"].items():
        if word == "labels":  # they are compared once the graph is there
            continue
        held = manifest["settings"].get(word)
        if held != value:
            raise FileError(
                f"{folder} holds an encoding with {word} {held!r}, not {value!r}. Choose another folder."
            )


def _refuse_other_graph(
    folder: Path, held: GraphStore, manifest: dict[str, Any], graph: str | Path | Graph, task: Task
) -> None:
    """Refuse a folder whose graph is another one; a file with other content or other options is read to find out."""
    words, source = task.reading(graph), held.manifest.get("source") or {}
    same_file = False
    if isinstance(graph, str | Path):
        now = source_of(Path(graph))
        same_file = "checksum" in now and all(source.get(fact) == now[fact] for fact in ("size", "checksum"))
        if same_file and held.manifest.get("reading") == words:
            return
    again = _make_graph(graph, temporary_name(folder / "check"), task)
    discard(again.folder)
    if again.digest == held.digest:
        return
    before = held.manifest.get("reading") or {}
    other = [word for word, value in (words or {}).items() if before.get(word) != value]
    if same_file and other:
        raise FileError(
            f"{folder} holds {source.get('name')} read with {other[0]} {before.get(other[0])!r}, "
            f"not {(words or {})[other[0]]!r}. Choose another folder."
        )
    raise _other_graph(folder, manifest)


def _other_graph(folder: Path, manifest: dict[str, Any]) -> FileError:
    change = " (or the one before an update)" if manifest.get("change") else ""
    return FileError(f"{folder} holds the encoding of another graph{change}. Choose another folder.")


def check_settings(settings: Settings) -> None:
    """Refuse settings whose columns are histograms: their blocks have no keys of their own."""
    if settings.is_nested:
        raise InputError(
            "a store holds counts by distance and degree. Leave common and rooted out, or use encode."
        )


_WAYS_OUT = {
    "vocabulary": "encode in memory with it, some roots at a time: encode(graph, vocabulary=..., roots=...)",
    "root": 'write to a file instead of a folder, or use encode(..., engine="disk", roots=...)',
    "weighting": "leave it out, and weigh what you read: egonet.load(folder).weighted(...)",
    "form": "leave it out, and write what you need: egonet.load(folder).to_arrow(form=...)",
    "memory-limit": "give --memory, which is what counting may use",
    "delimiter": "name the file .csv or .tsv, or convert it to Parquet",
    "comment": "drop the lines, or convert the file to Parquet",
    "format": "name the file .csv, .tsv, .txt or .parquet",
    "threads": "Spark's master says how many cores it has",
    "labels": "count on this machine, without Spark",
    "roots": "count on this machine, without Spark",
}


def check_words(**words: Any) -> None:
    """Refuse options that a store has no place for, with the way out."""
    for word, value in words.items():
        if value is not None and value is not False:
            way_out = _WAYS_OUT.get(word.strip("-"), "leave it out")
            raise InputError(f"{word} is not possible with a folder of counts: {way_out}.")

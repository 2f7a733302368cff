"""Encoding into a folder: counted block by block in bounded memory, and resumed after any interruption."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, Unpack

import numpy as np

from egonet.checks import as_argument, as_threads
from egonet.encoding.encoding import Encoding
from egonet.encoding.header import pack_schema, unpack_schema
from egonet.encoding.matrix import paper_keys
from egonet.encoding.request import add_columns, add_graph, make_request
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Radius, Settings, SettingsOptions, take_options
from egonet.encoding.signature import list_options
from egonet.encoding.support import EngineName
from egonet.encoding.vocabulary import order_keys
from egonet.errors import FileError, InputError, in_python, option, show_value
from egonet.graph.adapters import as_graph, as_list, is_many
from egonet.graph.align import reject_unordered
from egonet.graph.columns import EdgeOptions, Labels
from egonet.graph.edge_types import subdivide
from egonet.graph.graph import Graph
from egonet.graph.input_options import as_direction
from egonet.io.files import temporary_name, writing
from egonet.io.paths import as_path, require_file
from egonet.io.read import read_graph
from egonet.kernel.cost import BYTES_PER_ENTRY, as_bytes, predict
from egonet.progress import as_progress
from egonet.store.blocks import entries_of, is_intact_block, keys_of, write_block
from egonet.store.encoding import (
    FORMAT,
    Choices,
    open_store,
    read_store,
    store_choices,
)
from egonet.store.folder import discard, discard_scratch, is_intact, open_array, write_folder
from egonet.store.graph import (
    FileOptions,
    FileReading,
    GraphStore,
    build_graph,
    open_graph,
    source_of,
    store_capped,
    store_graph,
)
from egonet.store.manifest import (
    MANIFEST,
    claim,
    clear_journal,
    journal_of,
    lock_folder,
    names_in,
    write_manifest,
)
from egonet.store.triangles import make_counter
from egonet.typing import Int32s
from egonet.version import __version__

FIRST_GRAPH = "graph-0000"
DEFAULT_MEMORY = "2GB"
#: Less memory than this must be a number without its unit, and would take forever.
LEAST_MEMORY = 300
#: The share of the memory for the entries of one block; the kernel has about three copies of them.
BLOCK_SHARE = 1 / 4
LEAST_BLOCK = 1 << 16

Report: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class StoreJob:
    """What a store contains, and how it is computed.

    `types` has the number of the type of every edge as given, for a graph in memory; None without types.
    `memory` is the bytes that sorting and counting may use, in addition to about 80 bytes per node; 0 threads is one
    per core.
    """

    graph: Path | Graph
    schema: Schema
    reading: FileReading = field(default_factory=FileReading)
    types: Int32s | None = None
    labels: Labels | None = None
    roots: Sequence[Hashable] | None = None
    memory: int = 2 * 10**9
    threads: int = 0

    @property
    def settings(self) -> Settings:
        """Return what was asked."""
        return self.schema.settings

    @property
    def reading_facts(self) -> dict[str, Any] | None:
        """Return how the edge list is read, for the manifest; None for a graph in memory."""
        return None if isinstance(self.graph, Graph) else self.reading.facts(self.graph)


class StoreOptions(SettingsOptions, FileOptions, EdgeOptions):
    """The keywords of `encode` that say what is counted, how the edge list is read, and what its edges carry."""


@list_options
def encode(
    graph: Any,
    folder: str | PathLike[str],
    settings: Settings | Radius | None = None,
    *,
    memory: int | str = DEFAULT_MEMORY,
    labels: Labels | None = None,
    roots: Sequence[Hashable] | None = None,
    threads: int | None = None,
    progress: Report | bool | None = None,
    **options: Unpack[StoreOptions],
) -> Encoding:
    """Return the encoding of a graph, counted into a folder in bounded memory.

    Repeat an interrupted call to resume it: it continues where it stopped and ends with the same bytes. Every block
    has a checksum, and a damaged block is counted again.

    Parameters
    ----------
    graph
        The path of an edge list of any size, or anything `as_graph` accepts.
    folder
        A new or empty folder, or the folder of an earlier call with the same graph and settings.
    settings
        A `Settings` record, or one radius or several; 2 if not given.
    memory
        Bytes that sorting and counting may use, or text such as "2GB".
    labels, roots
        As in `egonet.encode`. Labels are stored in the folder.
    edge_labels, weights
        As in `egonet.encode`; for a file, the name or position of a column. The edges of such a graph are read into
        memory, and stored with a node on every edge.
    threads
        The number of threads; one per core if not given.
    progress
        True shows a progress bar; a function is called as progress(done, total) with numbers of roots.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.encode`. A folder does not support degrees="in_out".
    cap, weight_bins, rooted, common, depth, follow, count
        `cap` and `weight_bins` as for `egonet.encode`; a folder supports none of the others.
    source, target, header, directed, missing, ids, simplify
        How the edge list is read, as for `read_graph`; a graph in memory takes all but `header`.

    Raises
    ------
    FileError
        If the folder has another encoding; the message names the difference.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = tempfile.mkdtemp() + "/out"
    >>> egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)["b"]
    {(0, 2): 1, (1, 1): 2}
    """
    keywords: Any = {"labels": labels, "roots": roots, "threads": as_threads(threads)}
    counting: Any = dict(options)
    job = make_job(graph, settings, counting, memory=as_memory(memory), **keywords)
    with as_progress(progress) as report:
        return run_job(job, as_path("folder", folder), report)


def as_memory(limit: int | str) -> int:
    """Return a size in bytes; raise for one so small that its unit must be missing.

    >>> as_memory("2GB")
    2000000000
    """
    size = as_bytes(limit)
    if size < LEAST_MEMORY:
        raise InputError(
            f"memory must be at least {LEAST_MEMORY} bytes, got {show_value(limit)}. Give its unit, as in '2GB'."
        )
    return min(size, 2**63 - 1)  # more than any machine has, and a share of it is a float


def make_job(
    graph: Any,
    settings: Settings | Radius | None,
    options: StoreOptions,
    *,
    memory: int,
    engine: EngineName = "store",
    **others: Any,
) -> StoreJob:
    """Return the job of the arguments of `encode` or `spark`; `others` are further fields of the record."""
    counting: Any = dict(options)
    reading = FileReading(**{name: counting.pop(name, None) for name in FileOptions.__annotations__})
    values = take_options(counting, EdgeOptions)
    request = make_request(engine, settings, counting)
    source = as_source(graph, reading, others.get("labels"), **values)
    if isinstance(source, Graph) and source.labels is not None:
        others["labels"] = source.labels.values()
    if not isinstance(source, Graph):
        directed = as_direction(reading.directed)
        named = [] if others.get("labels") is None else ["labels"]
        return StoreJob(
            source, add_columns(request, named, directed).schema, reading, memory=memory, **others
        )
    request = add_graph(request, source)
    if request.graph is not None and request.types is not None:
        source = request.graph  # types belong to the edges that are left
    return StoreJob(source, request.schema, reading, request.types, memory=memory, **others)


def as_source(graph: Any, reading: FileReading, labels: Labels | None = None, **values: Any) -> Path | Graph:
    """Return the path of an existing edge list, or a graph in memory with its columns; `values` are those of edges.

    A file is read if edges have values. Otherwise it is read in chunks later, and `labels` are aligned then.
    """
    options: Any = vars(reading)
    if isinstance(graph, str | PathLike):
        typed = any(value is not None for value in values.values())
        return read_graph(graph, **options, labels=labels, **values) if typed else require_file(graph)
    graph = as_list(graph)
    if is_many(graph):
        raise InputError("a store contains one graph, got several. Encode them one by one.")
    if reading.header is not None:
        raise InputError(
            f"header is for edge lists in files, got {option('header', reading.header)}. Leave it out."
        )
    options = {name: value for name, value in options.items() if name != "header"}
    return as_graph(graph, **options, labels=labels, **values)


def run_job(job: StoreJob, folder: Path, report: Report | None) -> Encoding:
    """Count the missing blocks of a folder and return its encoding."""
    with lock_folder(folder):
        manifest = prepare(folder, job)
        missing = unfinished_blocks(folder, manifest)
        done = manifest["num_rows"] - sum(last - first for _, first, last in missing)
        counter = make_counter(folder, manifest, manifest["num_rows"] - done, job.memory, job.threads)
        for name, first, last in missing:
            write_block(folder / name, counter.count(first, last), {"first": first, "last": last})
            done += last - first
            if report is not None:
                report(done, manifest["num_rows"])
        remove_leftovers(folder, finish(folder, manifest))
    return open_store(folder)


def prepare(
    folder: Path,
    job: StoreJob,
    *,
    block_rows: int | None = None,
    suffix: str = "",
    stored: GraphStore | None = None,
) -> dict[str, Any]:
    """Return the manifest of a folder that has the graph and is ready for blocks; raise if it has another encoding.

    `block_rows` and the `suffix` of block names apply to a new folder. `stored` is the result of `store_job_graph`,
    if that was called before.
    """
    # Labels are compared once the graph is stored, since a file is read only then.
    wanted = {
        "format": FORMAT,
        "version": __version__,
        "settings": pack_schema(job.schema) | {"labels": None},
    }
    manifest: dict[str, Any] = wanted | {"generation": 0, "graph": None, "complete": False, "change": None}
    written = read_store(folder) if (folder / MANIFEST).exists() else None
    if written is None or not has_graph(folder, written):
        write_manifest(folder, manifest)
    else:
        manifest = written
        _check_same_settings(folder, manifest, wanted)
    stored = stored or store_job_graph(folder, job)
    if not isinstance(job.graph, Graph):
        reject_unordered(job.labels, stored.graph.node_ids)
    divided = (
        None if job.types is None or not isinstance(job.graph, Graph) else subdivide(job.graph, job.types)
    )
    chosen = store_choices(folder, stored, manifest, job.labels, job.roots, divided)
    if manifest["graph"] is None:
        num_rows = stored.num_nodes if chosen.roots is None else len(chosen.roots)
        block_rows = block_rows or rows_per_block(stored, job, chosen)
        manifest |= chosen.facts | {"graph": FIRST_GRAPH, "num_rows": num_rows, "block_rows": block_rows}
        manifest |= {"graph_digest": stored.digest, "reading": job.reading_facts}
        manifest["blocks"] = [f"block-{i:06d}-0000{suffix}" for i in range(-(-num_rows // block_rows))]
        write_manifest(folder, manifest)
    return manifest


def has_graph(folder: Path, manifest: dict[str, Any]) -> bool:
    """Return whether a store has a graph, or part of one. Without it a failed call left nothing but its settings."""
    return manifest["graph"] is not None or (folder / FIRST_GRAPH).exists()


def store_job_graph(folder: Path, job: StoreJob) -> GraphStore:
    """Return the graph of a folder, written now if the folder has none; raise if it has another graph."""
    discard_scratch(folder)
    manifest = read_store(folder) if (folder / MANIFEST).exists() else {}
    path = folder / (manifest.get("graph") or FIRST_GRAPH)
    if is_intact(path):
        _check_same_graph(folder, open_graph(path), manifest, job)
    elif path.name == FIRST_GRAPH:
        if repair_graph(path, manifest.get("graph_digest"), job) is None:
            raise _other_graph(folder, manifest)
    else:
        raise FileError(f"{path} is damaged, and came from an update. Encode the graph to another folder.")
    return open_graph(path)


def repair_graph(path: Path, digest: str | None, job: StoreJob) -> GraphStore | None:
    """Return the graph of a job, written to its path in a store; None if its digest is another."""
    if digest is None:
        return _write_graph(job, path)
    again = _write_graph(job, temporary_name(path))
    if again.digest != digest:
        discard(again.folder)
        return None
    claim(path)
    discard(path)
    with writing(path):
        again.folder.rename(path)
    return open_graph(path)


def rows_per_block(stored: GraphStore, job: StoreJob, chosen: Choices) -> int:
    """Return the number of rows of a block whose predicted entries take `BLOCK_SHARE` of the memory."""
    if not stored.num_nodes:
        return LEAST_BLOCK
    most, budget = max(stored.num_nodes // 16, LEAST_BLOCK), job.memory * BLOCK_SHARE
    if job.settings.radius == (1,) and chosen.divided is None and chosen.roots is None:
        # A row has at most one entry per neighbor and one for the root: no search is needed where these fit.
        num_entries = 1 + stored.manifest["num_arcs"] / stored.num_nodes
        if budget / (BYTES_PER_ENTRY * num_entries + 8) >= most:
            return most
    sample = np.linspace(0, stored.num_nodes - 1, min(stored.num_nodes, 256)).astype(np.int64)
    searched = stored if chosen.divided is None else chosen.divided
    steps, degrees = job.schema.steps, job.settings.degrees
    each = sum(
        predict(searched.indptr, searched.indices, steps * radius, roots=sample, degrees=degrees).output_bytes
        for radius in job.settings.radius
    ) / len(sample)
    return int(max(1, min(budget / each, most)))


def unfinished_blocks(folder: Path, manifest: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Return name, first and last row of every block that is missing or damaged."""
    size, total = manifest["block_rows"], manifest["num_rows"]
    spans = [(name, i * size, min((i + 1) * size, total)) for i, name in enumerate(manifest["blocks"])]
    return [span for span in spans if not is_intact_block(folder / span[0])]


def finish(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Write the vocabulary and the manifest of a complete store; return the manifest."""
    schema = unpack_schema(manifest["settings"])
    settings = schema.settings
    if settings.layout == "paper":
        stored = open_graph(folder / manifest["graph"])
        largest = int(np.diff(stored.indptr).max(initial=0))
        keys = paper_keys(settings, largest if settings.max_degree is None else settings.max_degree)
    else:
        width = 1 + len(schema.field_names)
        every = [np.empty((0, width), dtype=np.int64)]
        every += [keys_of(folder / name) for name in manifest["blocks"]]
        keys = order_keys(np.concatenate(every), settings)[0]
    name = f"vocabulary-{manifest['generation']:04d}"
    if not is_intact(folder / name) or not np.array_equal(open_array(folder / name, "keys"), keys):
        write_folder(folder / name, {"keys": keys}, {})
    num_entries = sum(entries_of(folder / block) for block in manifest["blocks"])
    done = manifest | {"complete": True, "vocabulary": name, "num_entries": num_entries}
    # Names that only the old manifest lists go to the journal before the old manifest is replaced.
    claim(*(folder / name for name in sorted(names_in(read_store(folder)) - names_in(done))))
    write_manifest(folder, done)
    return done


def remove_leftovers(folder: Path, manifest: dict[str, Any]) -> None:
    """Remove what the journal lists and the manifest does not: older generations, and files of killed processes."""
    for name in sorted((journal_of(folder) or set()) - names_in(manifest)):
        discard(folder / name)
    clear_journal(folder)


def _write_graph(job: StoreJob, folder: Path) -> GraphStore:
    """Return the graph of a job, written to a folder, with at most `cap` edges per node if the settings say so."""
    cap = job.settings.cap
    target = folder if cap is None else temporary_name(folder)
    if isinstance(job.graph, Graph):
        stored = store_graph(job.graph, target)
    else:
        options: Any = vars(job.reading)
        stored = build_graph(job.graph, target, memory=job.memory, threads=job.threads, **options)
    return stored if cap is None else store_capped(stored, folder, cap)


def _of_setting(name: str, value: Any) -> str:
    """Return a setting in a manifest for a message of the command line.

    >>> print(InputError(_of_setting("radius", [1, 2])), InputError(_of_setting("edge_labels", None)))
    radius 1, 2 no edge_labels
    """
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"no {as_argument(name)}" if value is None else f"{as_argument(name)} {shown}"


def _check_same_settings(folder: Path, manifest: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise if a folder was written with other settings, or left unfinished by another version."""
    if not manifest["complete"] and manifest["version"] != wanted["version"]:
        raise FileError(
            f"{folder} was started by egonet {manifest['version']}, this is {wanted['version']}. "
            "Finish it with that version, or choose another folder."
        )
    # A setting that the version of the folder did not have yet has its default value.
    written = pack_schema(Schema(Settings())) | manifest["settings"]
    for name, value in wanted["settings"].items():
        if name in ("labels", "directed"):  # compared once the graph is stored
            continue
        value_written = written[name]
        if value_written != value:
            both = in_python(
                f"{name} {value_written!r}, not {value!r}",
                f"{_of_setting(name, value_written)}, not {_of_setting(name, value)}",
            )
            raise FileError(f"{folder} has an encoding with {both}. Choose another folder.")


def _check_same_graph(folder: Path, stored: GraphStore, manifest: dict[str, Any], job: StoreJob) -> None:
    """Raise if a folder has another graph; a file with other content or options is read to find out."""
    reading, source = job.reading_facts, stored.manifest.get("source") or {}
    same_file = False
    if isinstance(job.graph, Path):
        now = source_of(job.graph)
        same_file = "checksum" in now and all(source.get(name) == now[name] for name in ("size", "checksum"))
        if same_file and stored.manifest.get("reading") == reading:
            return
    again = _write_graph(job, temporary_name(folder / "check"))
    discard(again.folder)
    if again.digest == stored.digest:
        return
    before = stored.manifest.get("reading") or {}
    other = [name for name, value in (reading or {}).items() if before.get(name) != value]
    if same_file and other:
        raise FileError(
            f"{folder} has {source.get('name')} read with {other[0]} {before.get(other[0])!r}, "
            f"not {(reading or {})[other[0]]!r}. Choose another folder."
        )
    raise _other_graph(folder, manifest)


def _other_graph(folder: Path, manifest: dict[str, Any]) -> FileError:
    change = " (or the one before an update)" if manifest.get("change") else ""
    return FileError(f"{folder} has the encoding of another graph{change}. Choose another folder.")

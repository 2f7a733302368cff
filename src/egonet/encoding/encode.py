"""`encode`: reads one graph or several, checks all options, counts, and returns an `Encoding`."""

import sys
import time
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from typing import Any, Unpack, get_args

import numpy as np

from egonet.attributes.edge_types import (
    EdgeValues,
    align_edges,
    as_numbers,
    bin_weights,
    kept_names,
    quantile_limits,
    subdivide,
)
from egonet.encoding.count import CountTask, Device, count
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels, as_labels
from egonet.encoding.settings import (
    Radius,
    Settings,
    SettingsOptions,
    as_settings,
    as_threads,
    check_direction,
    one_of,
)
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, OptionError
from egonet.graph.convert import as_graph, is_many, listed
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.graph.input_options import ReadOptions, as_direction
from egonet.graph.sparsify import capped
from egonet.graph.union import as_one, disjoint_union
from egonet.kernel.cost import prepared_bytes
from egonet.kernel.native import Progress
from egonet.typing import Int32s, Int64s

#: Options of `egonet.store.encode` and `egonet.store.spark`.
_MOVED = {"engine", "store", "master"}
#: A progress bar appears after this many seconds: with progress=True, and without the option.
PROGRESS_DELAY, AUTOMATIC_DELAY = 0.5, 2.0
#: Graphs with fewer arcs show a progress bar only with progress=True.
SHORT_WORK = 10_000


class EncodeOptions(SettingsOptions, ReadOptions):
    """The keywords of `encode` that say what is counted, and how the graph is read."""


def encode(
    graph: Any,
    settings: Settings | Radius | None = None,
    *,
    labels: Labels | None = None,
    edge_labels: EdgeValues | None = None,
    weights: EdgeValues | None = None,
    roots: Iterable[Hashable] | None = None,
    vocabulary: Vocabulary | Encoding | None = None,
    unseen: UnseenPolicy = "clip",
    threads: int | None = None,
    device: Device = "cpu",
    memory_limit: int | str | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[EncodeOptions],
) -> Encoding:
    """Return how many nodes sit at each (distance, degree) around every root.

    The degree of a node is counted only inside the root's ego-network: the subgraph of all nodes within
    `radius` hops of the root. Equal graphs and settings give equal bytes, with any number of threads and on any
    device.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list (or generator) of such graphs, encoded in one call with common columns.
    settings
        What is counted: `Settings`, or a radius (2 if not given).
    labels
        A label per node, a whole number or a string: keys then end with it, as (distance, degree, label).
        In row order (a list, array or tensor) or by id (a mapping, a pandas Series by its index, a table with a
        column "node" or "id"); for a list of graphs one of these per graph, or one flat sequence over all of them.
    edge_labels
        A type per edge, a whole number or a string: the name of a column or attribute, a sequence in the order of
        the edges as given (of `Graph.edges()` for a `Graph` without `keep=`), a mapping of pairs, or a list of these.
        A pandas Series is aligned with a pandas table of edges by the index.
        An edge of type t counts as a node labeled t between its ends: distances are half steps up to twice the
        radius, and columns are named "r2_d1_single_deg2".
    weights
        A number per edge, given like `edge_labels`; with `weight_bins` they become edge types.
    roots
        The nodes to encode, by id, in this order; every node if not given.
    vocabulary
        The columns of an earlier encoding (or that encoding itself), with its settings. `Settings` and a radius given
        in addition must be equal to them; other keywords must be equal or have their default value, which is ignored.
    unseen
        What a vocabulary does with keys it has no column for: "clip" them to the nearest lower degree at the
        same distance, "ignore" them, or "error". The result is counted in `Encoding.unseen`.
    threads
        How many threads compute; one per core if not given.
    device
        "cuda" counts on a GPU, with the same result to the byte; it needs the extra `cuda`.
    memory_limit
        Raise before starting if the predicted memory, the graph excluded, is larger: bytes, or text such as "2GB".
    progress
        True shows a progress bar if the work takes longer than half a second, None after two seconds in a notebook
        or a terminal, False never (tqdm if installed, else one line). A function is called as progress(done, total)
        with numbers of roots, about ten times a second.
    **options
        The fields of `Settings` as keywords: radius, degrees, frontier_edges, max_degree, degree_bins, layout,
        rooted, depth, common, cap, follow, weight_bins. And how the graph is read: directed ("out" or "in" keeps arcs
        and follows them that way; None reads them as undirected edges and warns, False does not warn; with
        degrees="in_out" arcs are always kept), source and target (the two columns of a table).

    Raises
    ------
    InputError
        If an argument breaks a rule; the message says which, and the way out.
    MemoryLimitError
        If the work is predicted to take more than `memory_limit`.

    Examples
    --------
    The end of a path of three sees one neighbor; the middle sees two.

    >>> import egonet
    >>> encoding = egonet.encode([("a", "b"), ("b", "c")], radius=1)
    >>> encoding["a"]
    {(0, 1): 1, (1, 1): 1}
    >>> encoding["b"]
    {(0, 2): 1, (1, 1): 2}
    >>> egonet.encode(encoding.graph, egonet.Settings(1, degrees="layered"))["b"]
    {(0, 0, 2): 1, (1, 0, 0): 2}

    Notes
    -----
    Cost: radius 1 finds each triangle once; radius r >= 2 scans the arcs of every ball. Larger than memory:
    `egonet.store.encode`. Reference: Alvarez-Gonzalez, Kaltenbrunner, Gómez, "Beyond 1-WL with Local Ego-Network
    Encodings", LoG 2022.
    """
    counting: dict[str, Any] = dict(options)
    if not _MOVED.isdisjoint(counting):
        raise OptionError(
            f"encode counts in memory and has no option {min(_MOVED & counting.keys())!r}. "
            "Use egonet.store.encode for a folder, or egonet.store.spark for a cluster."
        )
    reading: Any = {name: counting.pop(name, None) for name in ReadOptions.__annotations__}
    one_of("unseen", unseen, get_args(UnseenPolicy))
    one_of("device", device, get_args(Device))
    known = None if vocabulary is None else as_vocabulary(vocabulary)
    chosen = as_settings(settings, counting) if known is None else _known_settings(known, settings, counting)
    if known is not None:
        reject_new_labels(chosen, labels, edge_labels, weights)
    keep = None if edge_labels is None and weights is None else kept_names(edge_labels, weights)
    whole, graph_ptr = _collect(graph, reading, chosen, keep)
    if known is not None:
        check_direction(known.directed, whole.directed, chosen)
    types: Int32s | None = None
    if edge_labels is not None or weights is not None or chosen.edge_labels is not None or chosen.weight_bins:
        types, chosen = edge_types(edge_labels, weights, whole, graph_ptr, chosen)
    given = whole
    if chosen.cap is not None:
        whole = capped(whole, chosen.cap)
    numbers = None
    if labels is not None or chosen.labels is not None:
        if labels is None and known is None:
            raise InputError("the settings have node labels. Give labels= too.")
        names = None if known is None else chosen.labels
        numbers, names = as_labels(labels, whole.node_ids, graph_ptr, names)
        chosen = replace(chosen, labels=names)
    rows = None if roots is None else root_rows(roots, whole, num_graphs=len(graph_ptr) - 1)
    if progress is None and len(whole.indices) > SHORT_WORK and is_watched():
        progress = "auto"  # type: ignore[assignment]
    prepared = 0
    if memory_limit is not None:
        size, num_types = (len(given), len(given.indices)), 0 if types is None else len(types)
        how: Any = {"symmetric": given.directed is None, "capped": chosen.cap is not None}
        prepared = prepared_bytes(*size, num_types=num_types, **how)
    report: Any
    with nullcontext(progress) if progress is None or callable(progress) else as_progress(progress) as report:
        task = CountTask(
            whole,
            chosen,
            graph_ptr,
            rows,
            numbers,
            0 if threads is None else as_threads(threads),
            device,
            memory_limit,
            report,
            None if types is None else subdivide(given, types, within=whole),
            prepared,
        )
        return Encoding(count(task, known, unseen))


def edge_types(
    edge_labels: EdgeValues | None,
    weights: EdgeValues | None,
    graph: Graph,
    graph_ptr: Int64s,
    settings: Settings,
) -> tuple[Int32s, Settings]:
    """Return a type number per edge as given, and the settings with the names of the types.

    The settings of a vocabulary have names already; no others are added to them.
    """
    bins, known = settings.weight_bins, settings.edge_labels
    if edge_labels is not None and weights is not None:
        raise InputError("give edge_labels or weights, not both. Join them to one label per edge.")
    if known is not None and (weights is None if bins is not None else edge_labels is None):
        was = "weights" if bins is not None else "edge labels"
        raise InputError(f"the vocabulary was learned with {was}. Give {was.replace(' ', '_')}= here too.")
    if weights is None and bins is not None:
        raise InputError("weight_bins is for weights. Give weights= too.")
    if weights is not None:
        if bins is None:
            raise InputError('weights become edge types by bins. Give weight_bins="log", a number or limits.')
        numbers = as_numbers(align_edges(weights, graph, graph_ptr, "weights"), "weights")
        if isinstance(bins, int):
            bins = quantile_limits(numbers, bins)
            settings = replace(settings, weight_bins=bins)
        values = bin_weights(numbers, bins)
    else:
        assert edge_labels is not None
        values = align_edges(edge_labels, graph, graph_ptr, "edge_labels")
    size = len(values)
    found, names = as_labels(values, np.arange(size), np.array([0, size]), known, "edge_labels")
    assert found is not None
    return found, replace(settings, edge_labels=names)


def _collect(
    data: Any, reading: ReadOptions, settings: Settings, keep: tuple[str, ...] | None
) -> tuple[Graph, Int64s]:
    """Return one graph, and where each of the given graphs begins in it."""
    data = data if isinstance(data, list | Graph) else listed(data)
    if settings.degrees == "in_out":
        reading = _keep_arcs(data, reading)
    if not isinstance(data, Graph) and is_many(data):
        directed, ends = reading["directed"], {name: reading[name] for name in ("source", "target")}
        if any(end is not None for end in ends.values()):
            way: Any = {"directed": as_direction(directed), "keep": keep, **ends}
            data = [as_one(item, index, **way) for index, item in enumerate(data)]
        return disjoint_union(data, directed=directed, keep=keep)
    is_plain = keep is None and reading == {"directed": None, "source": None, "target": None}
    graph = data if is_plain and isinstance(data, Graph) else as_graph(data, **reading, keep=keep)
    return graph, np.array([0, len(graph.indptr) - 1], dtype=np.int64)


def _keep_arcs(data: Any, reading: ReadOptions) -> ReadOptions:
    """Return how a graph is read if its arcs are counted: with its direction, unless it is a `Graph` already."""
    if reading["directed"] is False:
        raise InputError('degrees="in_out" counts arcs. Leave directed=False out.')
    given = data if isinstance(data, list | tuple) and len(data) else [data]
    was_read = all(isinstance(each, Graph) for each in given)
    return reading if reading["directed"] or was_read else {**reading, "directed": "out"}


def _known_settings(
    vocabulary: Vocabulary, settings: Settings | Radius | None, options: dict[str, Any]
) -> Settings:
    """Return a vocabulary's settings; raise if other settings are given that differ from them."""
    known = vocabulary.settings
    if settings is None and not options:
        return known
    given = as_settings(settings, options)
    has_radius = settings is not None or "radius" in options
    for field in fields(Settings):
        value, learned = getattr(given, field.name), getattr(known, field.name)
        # A keyword with its default value may come from a caller that passes every keyword on.
        named = value != field.default or isinstance(settings, Settings)
        if field.name == "radius" and has_radius and value != learned:
            raise InputError(
                f"the vocabulary was learned at radius {learned}, got {value}. Leave radius out."
            )
        if field.name not in ("radius", "labels", "edge_labels") and named and value != learned:
            raise InputError(
                f"the vocabulary was learned with {field.name}={learned!r}, got {value!r}. Leave {field.name} out."
            )
    return known


def reject_new_labels(
    settings: Settings, labels: Labels | None, edge_labels: EdgeValues | None, weights: EdgeValues | None
) -> None:
    """Raise if node labels or edge types are given to a vocabulary that was learned without them."""
    for name, given, learned in (
        ("labels", labels, settings.labels),
        ("edge_labels", edge_labels, settings.edge_labels),
        ("weights", weights, settings.edge_labels),
    ):
        if given is not None and learned is None:
            raise InputError(
                f"the vocabulary was learned without {name}. Leave {name} out, or learn it again."
            )


def root_rows(roots: Iterable[Hashable], graph: Graph, *, num_graphs: int) -> Int64s:
    """Return the rows of the given roots."""
    if num_graphs > 1:
        raise InputError("roots names nodes of one graph, got several graphs. Encode them one by one.")
    if isinstance(roots, str | bytes) or not isinstance(roots, Iterable):
        raise InputError(f"roots must be a sequence of node ids, got {roots!r}. Write roots=[{roots!r}].")
    return np.array([graph.index_of(node) for node in roots], dtype=np.int64)


def as_vocabulary(given: Any) -> Vocabulary | None:
    """Return a vocabulary, that of an encoding, or None.

    >>> as_vocabulary("columns")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: vocabulary must be a Vocabulary or an Encoding, got 'columns'.
    """
    if isinstance(given, Encoding):
        return given.vocabulary
    if given is None or isinstance(given, Vocabulary):
        return given
    raise InputError(f"vocabulary must be a Vocabulary or an Encoding, got {show(given)}.")


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
        raise InputError(f"progress must be True, False or a function of (done, total), got {progress!r}.")
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

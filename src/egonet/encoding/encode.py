"""The front door: any graph, or many, in; an `Encoding` out."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.encoding.arrange import arrange, largest_degree, lay_out
from egonet.encoding.encoding import Encoding
from egonet.encoding.histogram_columns import count_nested, predict_nested
from egonet.encoding.keys import distinct_keys
from egonet.encoding.labels import Labels, as_labels
from egonet.encoding.matrix import Counts, join_columns, renumber_columns, to_matrix
from egonet.encoding.progress import as_progress
from egonet.encoding.settings import DegreeBins, Layout, Settings, as_radius, as_threads, one_of
from egonet.encoding.vocabulary import (
    Unseen,
    UnseenPolicy,
    Vocabulary,
    bin_degrees,
    num_paper_columns,
)
from egonet.errors import InputError
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.graph.ignored import as_direction
from egonet.graph.sparsify import capped
from egonet.graph.union import as_one, disjoint_union, is_many, listed
from egonet.kernel import native
from egonet.kernel.cost import check_memory
from egonet.kernel.rows import Rows
from egonet.typing import Degrees, Directed, Int32s, Int64s, Rooted

Engine: TypeAlias = Literal["memory", "disk", "spark"]
Device: TypeAlias = Literal["cpu", "cuda"]


@dataclass(frozen=True)
class Work:
    """What the kernel is asked to do, the same for every radius."""

    graph: Graph
    roots: Int64s | None
    labels: Int32s | None
    threads: int
    memory_limit: int | str | None
    progress: native.Progress | None
    device: Device


def encode(
    graph: Any,
    radius: int | Sequence[int] | None = None,
    *,
    degrees: Degrees = "total",
    common: bool = False,
    rooted: Rooted = "node",
    labels: Labels | None = None,
    max_degree: int | None = None,
    degree_bins: DegreeBins | None = None,
    frontier_edges: bool = True,
    layout: Layout = "observed",
    cap: int | None = None,
    vocabulary: Vocabulary | Encoding | None = None,
    unseen: UnseenPolicy = "clip",
    roots: Iterable[Hashable] | None = None,
    directed: Directed = None,
    source: str | None = None,
    target: str | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: native.Progress | bool | None = None,
    device: Device = "cpu",
    engine: Engine = "memory",
    store: str | PathLike[str] | None = None,
    master: str | None = None,
) -> Encoding:
    """Return how many nodes sit at each (distance, degree) around every root.

    The degree of a node is counted only inside the root's ego-network: the subgraph of all nodes within
    `radius` hops of the root. Equal graphs give equal bytes, whatever the threads.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list (or generator) of such graphs, encoded in one call with common columns.
    radius
        Hops around each root (the paper's α), or several radii whose columns stand side by side; 2 if not
        given. 0 gives the root alone.
    degrees
        "total": (distance, degree). "layered": (distance, neighbors at the same distance, one hop farther).
        "full": (distance, closer, same, farther).
    common
        True adds a column per histogram of links among the common neighbors of an edge's ends, counted over
        the edges of the root. With radius 2 and full degrees this is rung R1 of the ladder.
    rooted
        "edge" counts around every edge of the root instead, "pair" around every pair of the root and a node
        within `radius` hops: what lies within `radius` of both, by distance from both (rungs R2 and R3). A
        column then stands for the whole histogram of an edge or pair.
    labels
        A label per node, a whole number or a string: keys then end with it, as (distance, degree, label).
        In row order (a list, array or tensor) or by id (a mapping, a pandas Series by its index, a table with a
        column "node" or "id"); for a list of graphs one of these per graph, or one flat sequence over all of them.
    max_degree
        Degrees above it are counted as it.
    degree_bins
        "log" merges degrees into 0, 1, 2–3, 4–7, ...: few columns on graphs with hubs.
    frontier_edges
        False leaves out edges between two nodes at distance exactly `radius`.
    layout
        "observed": a column per key seen. "paper": column distance * (d_max + 1) + degree.
    cap
        Count in the graph with at most so many edges a node, chosen by a fixed hash: another encoding, whose
        balls stay small around hubs. Its columns are named "cap16_r2_d1_deg4".
    vocabulary
        The columns of an earlier encoding (or that encoding itself), with its settings; only `roots`, `labels`
        and the ways of running may then be given beside it.
    unseen
        What a vocabulary does with keys it has no column for: "clip" them to the nearest lower degree at the
        same distance, "ignore" them, or "error". Whatever is chosen is counted in `Encoding.unseen`.
    roots
        The nodes to encode, by id, in this order; every node if not given.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges and warns, False does not warn.
    source, target
        The columns of a data frame that hold the two ends of an edge.
    threads
        How many threads compute; one per core if not given.
    memory_limit
        Refuse before starting if the work is predicted to take more memory, besides the graph: bytes, or text
        such as "2GB". With engine="disk" it is the memory that may be used.
    progress
        True shows a progress bar if the work takes longer than half a second; a function is called as
        progress(done, total) with numbers of roots, about ten times a second.
    device
        "cuda" counts on a GPU, with the same result to the byte; it needs the extra `cuda`.
    engine
        "memory"; "disk" counts into the folder `store` in bounded memory; "spark" on a cluster. With the last two
        `graph` may also be the path of an edge list of any size.
    store
        The folder of "disk" and "spark"; what it holds already is kept.
    master
        Spark's master, such as "local[2,4]" or "spark://host:7077".

    Raises
    ------
    InputError
        If an argument breaks a rule; the message says which and how to mend it.
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

    Notes
    -----
    Cost: radius 1 finds each triangle once; radius r >= 2 scans the arcs of every ball. Reference: Alvarez-
    Gonzalez, Kaltenbrunner, Gómez, "Beyond 1-WL with Local Ego-Network Encodings", LoG 2022.
    """
    graph, vocabulary = listed(graph), as_vocabulary(vocabulary)
    one_of("unseen", unseen, get_args(UnseenPolicy))
    if engine != "memory" or store is not None or master is not None:
        from egonet.store.engines import encode_by_engine  # a matter of the floor above

        if is_many(graph):
            raise InputError(f"engine={engine!r} encodes one graph, got several. Encode them one by one.")
        words: dict[str, Any] = {
            "degrees": degrees,
            "max_degree": max_degree,
            "degree_bins": degree_bins,
            "layout": layout,
            "frontier_edges": frontier_edges,
            "common": common,
            "rooted": rooted,
            "directed": directed,
            "cap": cap,
            "source": source,
            "target": target,
        }
        if memory_limit is not None:
            words["memory"] = memory_limit
        refused = {"vocabulary": vocabulary, "device": device if device != "cpu" else None}
        chosen: dict[str, Any] = {"labels": labels, "roots": roots}
        if threads is not None:
            chosen["threads"] = as_threads(threads)
        with as_progress(progress) as words["progress"]:
            return encode_by_engine(
                engine, graph, radius, store=store, master=master, refused=refused, chosen=chosen, words=words
            )
    whole, graph_ptr = _collect(graph, directed=directed, source=source, target=target)
    settings = _settings(
        vocabulary,
        radius,
        degrees=degrees,
        frontier_edges=frontier_edges,
        max_degree=max_degree,
        degree_bins=degree_bins,
        layout=layout,
        rooted=rooted,
        common=common,
        cap=cap,
    )
    if settings.cap is not None:
        whole = capped(whole, settings.cap)
    numbers, names = as_labels(
        labels, whole.node_ids, graph_ptr, settings.labels if vocabulary is not None else None
    )
    settings = replace(settings, labels=names)
    rows = root_rows(roots, whole, num_graphs=len(graph_ptr) - 1)
    _check_device(device, settings)
    with as_progress(progress) as report:
        work = Work(whole, rows, numbers, as_threads(threads), memory_limit, report, device)
        _check_memory(work, settings, moved=vocabulary is not None)
        matrix, found = _count(work, settings)
    nodes = whole.node_ids if rows is None else whole.node_ids[rows]
    if rows is not None:
        graph_ptr = np.array([0, len(rows)], dtype=np.int64)
    learned, met = vocabulary is None, Unseen()
    if vocabulary is None:
        matrix, vocabulary = lay_out(matrix, found, whole)
    else:
        matrix, met = arrange(matrix, found, vocabulary, unseen, nodes)
    return Encoding(
        matrix, nodes, vocabulary, graph_ptr, met, whole, roots=rows, labels=numbers, learned=learned
    )


def _collect(
    data: Any, *, directed: Directed, source: str | None, target: str | None
) -> tuple[Graph, Int64s]:
    """Return one graph, and where each of the graphs given begins in it."""
    if is_many(data):
        if source is not None or target is not None:
            ends = {"source": source, "target": target}
            data = [
                as_one(item, position, as_direction(directed), **ends) for position, item in enumerate(data)
            ]
        return disjoint_union(data, directed=directed)
    graph = as_graph(data, directed=directed, source=source, target=target)
    return graph, np.array([0, graph.num_nodes], dtype=np.int64)


def _settings(vocabulary: Vocabulary | None, radius: int | Sequence[int] | None, **words: Any) -> Settings:
    """Return the settings given in words, or the vocabulary's if there is one and no word contradicts it."""
    if vocabulary is None:
        return Settings(2 if radius is None else radius, **words)
    kept = vocabulary.settings
    if radius is not None and as_radius(radius) != kept.radius:
        raise InputError(
            f"the vocabulary was learned at radius {kept.radius}, got {radius}. Leave radius out."
        )
    defaults = Settings(kept.radius)
    for name, value in words.items():
        if value != getattr(defaults, name) and value != getattr(kept, name):
            raise InputError(
                f"the vocabulary was learned with {name}={getattr(kept, name)!r}, got {value!r}. Leave {name} out."
            )
    return kept


def root_rows(roots: Iterable[Hashable] | None, graph: Graph, *, num_graphs: int) -> Int64s | None:
    """Return the rows of the roots asked for, or None for all."""
    if roots is None:
        return None
    if num_graphs > 1:
        raise InputError("roots names nodes of one graph, got several graphs. Encode them one by one.")
    if isinstance(roots, str | bytes) or not isinstance(roots, Iterable):
        raise InputError(f"roots must be a sequence of node ids, got {roots!r}. Write roots=[{roots!r}].")
    return np.array([graph.index_of(node) for node in roots], dtype=np.int64)


def _check_device(device: str, settings: Settings) -> None:
    """Refuse a device that does not exist, and what only the CPU can count."""
    if device not in get_args(Device):
        raise InputError(f"device must be 'cpu' or 'cuda', got {device!r}.")
    if device == "cuda" and settings.is_nested:
        raise InputError('common and rooted are counted on the CPU. Leave out device="cuda".')


def _count(work: Work, settings: Settings) -> tuple[Counts, Vocabulary]:
    """Return the counts of every radius side by side, and what their columns stand for."""
    matrices, keys = [], [np.empty((0, 1 + len(settings.field_names)), dtype=np.int64)]
    for radius in settings.radius if settings.rooted == "node" else ():
        matrix, found = _count_one(work, settings, radius)
        matrices.append(matrix)
        keys.append(np.column_stack([np.full(len(found), radius, dtype=np.int64), found]))
    histograms: Rows | None = None
    if settings.is_nested:
        matrix, histograms = count_nested(
            work.graph,
            work.roots,
            settings,
            labels=work.labels,
            threads=work.threads,
            progress=work.progress,
        )
        matrices.append(matrix)
    return join_columns(matrices), Vocabulary(settings, np.concatenate(keys), histograms)


def _check_memory(work: Work, settings: Settings, *, moved: bool) -> None:
    """Refuse what would take more memory than allowed, before anything is counted."""
    graph = work.graph
    paper = settings.layout == "paper"
    columns = num_paper_columns(settings, largest_degree(settings, graph)) if paper else 0
    if work.memory_limit is None:
        return
    words: Any = {name: getattr(settings, name) for name in ("degrees", "frontier_edges", "max_degree")}
    words |= {"labels": work.labels, "symmetric": graph.directed is None, "threads": work.threads}
    if settings.is_nested:
        words["nested"] = predict_nested(graph, work.roots, settings, work.labels)
    check_memory(
        graph.indptr,
        graph.indices,
        work.roots,
        settings.radius,
        work.memory_limit,
        flat=settings.rooted == "node",
        moved=moved or paper or settings.degree_bins is not None,
        columns=columns,
        **words,
    )


def _count_one(work: Work, settings: Settings, radius: int) -> tuple[Counts, Int64s]:
    """Return the counts at one radius and the keys of their columns, degrees binned if asked."""
    rows = _rows(work, settings, radius)
    matrix = to_matrix(rows)
    if settings.degree_bins is None:
        return matrix, rows.keys
    keys, places = distinct_keys(bin_degrees(rows.keys, settings))
    return renumber_columns(matrix, places, len(keys)), keys


def _rows(work: Work, settings: Settings, radius: int) -> Rows:
    """Return what the kernel of the chosen device counts at one radius."""
    graph = work.graph
    arrays = (graph.indptr, graph.indices, work.roots, radius)
    words: dict[str, Any] = {
        "degrees": settings.degrees,
        "frontier_edges": settings.frontier_edges,
        "max_degree": settings.max_degree,
        "labels": work.labels,
        "symmetric": graph.directed is None,
    }
    if work.device == "cpu":
        return native.encode_rows(*arrays, threads=work.threads, progress=work.progress, **words)
    from egonet.kernel.cuda.backend import encode_rows

    return encode_rows(*arrays, progress=work.progress, **words)


def as_vocabulary(given: Any) -> Vocabulary | None:
    """Return a vocabulary, that of an encoding, or None.

    Examples
    --------
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

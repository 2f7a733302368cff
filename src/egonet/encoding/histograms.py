"""Columns that stand for whole histograms (common=, rooted=): counts, lookup and names."""

from collections.abc import Hashable
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import format_count
from egonet.encoding.labels import label_name
from egonet.encoding.matrix import Counts, distinct_keys, join_columns
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.errors import InputError, option
from egonet.graph.graph import Graph
from egonet.kernel import native
from egonet.kernel.native import row_classes
from egonet.kernel.reference import NestedRows, Rows
from egonet.typing import Int32s, Int64s, Progress

#: A histogram of common neighbors with more entries than this is named by its digest.
_NAMED_ENTRIES = 4
_MAX_RADIUS = 4096
#: How many roots are counted to predict memory: evenly spread by degree, and all of the highest degrees.
_SAMPLE, _HUBS = 64, 8


def count_nested(
    graph: Graph,
    roots: Int64s | None,
    settings: Settings,
    *,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[Counts, Rows]:
    """Return how often each root's pairs have each histogram, and the histograms, keys with the radius in front.

    In a triangle every edge has one common neighbor, without links.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> matrix, histograms = count_nested(triangle, None, Settings((2,), common=True))
    >>> matrix.toarray().tolist(), histograms.keys.tolist(), histograms.counts.tolist()
    ([[2], [2], [2]], [[1, 0]], [1])
    """
    radii = _nested_radii(graph, settings)
    parts = [_count_one(graph, roots, settings, radius, labels, threads, progress) for radius in radii]
    histograms = [_with_radius(radius, rows.histograms) for radius, rows in zip(radii, parts, strict=True)]
    return join_columns([_as_matrix(rows) for rows in parts]), _join(histograms)


def _count_one(
    graph: Graph,
    roots: Int64s | None,
    settings: Settings,
    radius: int,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NestedRows:
    """Return the rows of one radius."""
    arrays = (graph.indptr, graph.indices, roots)
    if settings.common:
        return native.common_rows(*arrays, labels=labels, threads=threads, progress=progress)
    if settings.rooted == "refined":
        return native.refined_rows(
            *arrays, radius, depth=settings.depth, labels=labels, threads=threads, progress=progress
        )
    edges = settings.rooted == "edge"
    return native.pair_rows(
        *arrays, radius, edges_only=edges, labels=labels, threads=threads, progress=progress
    )


def _nested_radii(graph: Graph, settings: Settings) -> tuple[int, ...]:
    """Return the radii at which histograms are counted; raise if they cannot be counted in this graph."""
    if graph.directed is not None:
        raise InputError(
            f"common and rooted need an undirected graph, got {option('directed', graph.directed)}."
        )
    if max(settings.radius) > _MAX_RADIUS and settings.rooted in ("edge", "pair"):
        raise InputError(f"radius must be at most {_MAX_RADIUS} here, got {max(settings.radius)}.")
    return (1,) if settings.common else settings.radius


def predict_nested(
    graph: Graph, roots: Int64s | None, settings: Settings, labels: Int32s | None
) -> tuple[int, int]:
    """Return the most memory that counting histograms takes and what it returns, in bytes.

    Predicted from the roots of highest degree and a sample of the others, as if no two of them shared a histogram.
    """
    chosen = np.arange(graph.num_nodes) if roots is None else roots
    by_degree = chosen[np.argsort(graph.degrees[chosen], kind="stable")]
    hubs, others = by_degree[-_HUBS:], by_degree[:-_HUBS]
    size = min(_SAMPLE, len(others))
    sample = others[np.linspace(0, len(others) - 1, size).astype(np.int64)] if size else others
    peak = total = 0
    for radius in _nested_radii(graph, settings):
        working, size_of_rows = _nested_bytes(_count_one(graph, hubs, settings, radius, labels))
        if size:
            sampled = _nested_bytes(_count_one(graph, sample, settings, radius, labels))
            working, size_of_rows = (
                total_bytes + part * len(others) // size
                for total_bytes, part in zip((working, size_of_rows), sampled, strict=True)
            )
        peak, total = max(peak, total + working), total + size_of_rows
    # Histograms and rows of several radii are joined through arrays of 64 bits.
    return (peak if len(settings.radius) == 1 or settings.common else max(peak, 5 * total)), total


def _nested_bytes(rows: NestedRows) -> tuple[int, int]:
    """Return the peak memory of the kernel for some rows, and the size of its result; see native/nested.

    Each thread has a growing table of histograms, which is recoded, merged and sorted into the result.
    """
    histograms = rows.histograms
    size_of_rows = (
        8 * (len(rows.columns) + len(rows.indptr) + len(histograms.columns) + len(histograms.indptr))
        + histograms.keys.nbytes
    )
    tables = 40 * len(histograms.columns) + 120 * len(histograms.indptr) + 4 * histograms.keys.nbytes
    return size_of_rows + tables + 8 * len(rows.columns) + 6 * int(
        rows.counts.sum(dtype=np.int64)
    ), size_of_rows


def locate_histograms(learned: Rows, wanted: Rows) -> Int64s:
    """Return for every histogram of `wanted` its row in `learned`, or -1 if it is not there.

    >>> from egonet.kernel.reference import pack_rows
    >>> known = pack_rows([{(1, 0): 2}, {(1, 0): 1, (1, 3): 1}], width=2)
    >>> wanted = pack_rows([{(1, 3): 1, (1, 0): 1}, {(1, 3): 1}], width=2)
    >>> locate_histograms(known, wanted).tolist()
    [1, -1]
    """
    both = _join([learned, wanted])
    classes = row_classes(both.indptr, both.columns, both.counts)
    position = np.full(len(classes), -1)
    num_known = len(learned.indptr) - 1
    position[classes[:num_known]] = np.arange(num_known)
    return position[classes[num_known:]]


def column_key(histograms: Rows, index: int, schema: Schema) -> tuple[Any, ...]:
    """Return what a column stands for, as (kind, entries), an entry being (key, count)."""
    settings = schema.settings
    kind = "common" if settings.common else settings.rooted
    first = 0 if len(settings.radius) > 1 and not settings.common else 1
    part = slice(histograms.indptr[index], histograms.indptr[index + 1])
    keys = histograms.keys[histograms.columns[part]].tolist()
    counts = histograms.counts[part].tolist()
    return kind, tuple(
        ((*key[first : len(key) - (schema.labels is not None)], *_label_of(key, schema)), count)
        for key, count in zip(keys, counts, strict=True)
    )


def column_name(histograms: Rows, index: int, schema: Schema) -> str:
    """Return a name for a column, the same whatever graph it was found in.

    Histograms of a few common neighbors are written out: "common_2x0_1x3" has two without links among them and
    one with three. Others are named by their size and a digest: "r2_edge_14v_8c1f..." and "r2_refined_14v_8c1f..."
    have 14 nodes.

    >>> from egonet.kernel.reference import pack_rows
    >>> histograms = pack_rows([{(1, 0): 2, (1, 3): 1}, {}], width=2)
    >>> schema = Schema(Settings((2,), common=True))
    >>> column_name(histograms, 0, schema), column_name(histograms, 1, schema)
    ('common_2x0_1x3', 'common_none')
    """
    kind, entries = key = column_key(histograms, index, schema)
    if kind == "common" and len(entries) <= _NAMED_ENTRIES:
        entry_names = [
            f"{count}x{':'.join(label_name(part, schema.labels or ()) for part in key)}"
            for key, count in entries
        ]
        return "_".join(["common", *(entry_names or ["none"])])
    size = _num_nodes(key, schema.settings)
    digest = blake2b(repr(entries).encode(), digest_size=8).hexdigest()
    radius = histograms.keys[histograms.columns[histograms.indptr[index]], 0]
    return f"{kind}_{size}v_{digest}" if kind == "common" else f"r{radius}_{kind}_{size}v_{digest}"


def histogram_text(key: tuple[Any, ...], schema: Schema) -> str:
    """Return what a column stands for as text.

    >>> histogram_text(("common", (((0,), 2), ((3,), 1))), Schema(Settings((2,), common=True)))
    '3 common neighbors: 2 with 0 links among them, 1 with 3'
    """
    kind, entries = key
    size = _num_nodes(key, schema.settings)
    if kind == "common":
        labels = [
            f" (label {label_name(part[1], schema.labels or ())})" if part[1:] else "" for part, _ in entries
        ]
        links = [
            f"{count} with {part[0]}{label}" for (part, count), label in zip(entries, labels, strict=True)
        ]
        if not links:
            return "no common neighbors"
        links[0] = links[0].replace(
            f"with {entries[0][0][0]}", f"with {format_count(entries[0][0][0], 'link')} among them", 1
        )
        return f"{size} common neighbor{'s' * (size > 1)}: {', '.join(links)}"
    first = 1 if len(schema.settings.radius) > 1 else 0
    if kind == "refined":
        arcs = sum(count * part[first + 2] for part, count in entries)
        num_cells = len({part[first] for part, _ in entries})
        sizes = f"{format_count(size, 'node')} and {format_count(arcs // 2, 'edge')}"
        return f"an ego-network of {sizes} in {format_count(num_cells, 'cell')}"
    apart = next(part[first + 1] for part, _ in entries if part[first] == 0)
    shared = sum(count for part, count in entries if part[first] == 1 and part[first + 1] == 1)
    arcs = sum(count * sum(part[first + 2 : first + 11]) for part, count in entries)
    where = ("itself", "a neighbor")[apart] if apart < 2 else f"a node {apart} hops away"
    sizes = f"{format_count(size, 'node')} and {format_count(arcs // 2, 'edge')}"
    return f"with {where}: {sizes} near both, {shared} adjacent to both"


def _num_nodes(key: tuple[Any, ...], settings: Settings) -> int:
    """Return how many nodes a histogram counts; a refined one counts those of a cell once per other cell."""
    kind, entries = key
    if kind != "refined":
        return sum(count for _, count in entries)
    first = 1 if len(settings.radius) > 1 else 0
    return sum({part[first]: count for part, count in entries}.values())


def _as_matrix(rows: NestedRows) -> Counts:
    """Return the rows as a sparse matrix, a column per histogram."""
    shape = (len(rows.indptr) - 1, len(rows.histograms.indptr) - 1)
    return csr_array((rows.counts, rows.columns, rows.indptr), shape=shape)


def _with_radius(radius: int, histograms: Rows) -> Rows:
    """Return histograms whose keys have the radius in front."""
    keys = np.column_stack([np.full(len(histograms.keys), radius, dtype=np.int64), histograms.keys])
    return Rows(histograms.indptr, histograms.columns, histograms.counts, keys)


def _join(tables: list[Rows]) -> Rows:
    """Return the histograms of some tables one after the other, over one list of keys."""
    if len(tables) == 1:
        return tables[0]
    keys, positions = distinct_keys(np.concatenate([table.keys for table in tables]))
    key_ptr = np.cumsum([0, *(len(table.keys) for table in tables)])
    entry_ptr = np.cumsum([0, *(len(table.columns) for table in tables)])
    columns = [positions[first + table.columns] for first, table in zip(key_ptr, tables, strict=False)]
    indptr = [first + table.indptr[1:] for first, table in zip(entry_ptr, tables, strict=False)]
    return Rows(
        np.concatenate([[0], *indptr]).astype(np.int64),
        np.concatenate(columns).astype(np.int32),
        np.concatenate([table.counts for table in tables]),
        keys,
    )


def _label_of(key: list[int], schema: Schema) -> tuple[Hashable, ...]:
    """Return the label at the end of a key, by name where it has one, if there are labels."""
    names = schema.labels
    return () if names is None else (names[key[-1]] if key[-1] < len(names) else key[-1],)

"""What the workers of a cluster run: functions of a job and a task number, safe to run twice.

The strategy "triples" counts radius 1 without the whole graph in one task: every edge goes to the groups of three
colors that contain the colors of its ends, and each group counts its triangles.
"""

import hashlib
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import bin_degrees
from egonet.graph.graph import adjacency
from egonet.kernel.out_of_core import edge_supports
from egonet.store.blocks import Block, compact_rows, count_block, entries_of, is_intact_block, write_block
from egonet.store.graph import GraphStore, ball, induce_subgraph, open_graph
from egonet.typing import Int32s, Int64s
from egonet.version import __version__

#: Memory of a task: row pointers, neighbors, and the kernel's scratch per node.
BYTES_PER_NODE, BYTES_PER_ARC = 32, 4


@dataclass(frozen=True)
class Job:
    """The parameters of all tasks of one run.

    `folder` is the store, at the same path on every machine, and `graph` the name of the graph's folder in it. `blocks`
    has a name per range of `block_rows` roots. `colors` is ρ, for triples.
    """

    folder: str
    graph: str
    digest: str
    blocks: tuple[str, ...]
    block_rows: int
    settings: Settings
    strategy: str
    colors: int

    def barrier(self, kind: str) -> Path:
        """Return the folder of intermediate rows; ρ is part of the name because it decides the groups."""
        return Path(self.folder) / f"{kind}-{self.colors}"

    @property
    def stored(self) -> GraphStore:
        return graph_at(str(Path(self.folder) / self.graph), self.digest)

    def span(self, index: int, num_nodes: int) -> tuple[int, int]:
        """Return the first and the last root of a range."""
        return index * self.block_rows, min((index + 1) * self.block_rows, num_nodes)


@lru_cache(maxsize=2)
def graph_at(folder: str, digest: str) -> GraphStore:  # noqa: ARG001 - another graph may replace it at the same path
    """Return a stored graph; a worker opens it once for all its tasks."""
    return open_graph(folder)


def count_range(job: Job, index: int) -> tuple[int, int]:
    """Write the block of one range of roots unless it exists; return its entries and the bytes read for it."""
    stored = job.stored
    path = Path(job.folder) / job.blocks[index]
    if is_intact_block(path):
        return entries_of(path), 0
    first, last = job.span(index, stored.num_nodes)
    if job.strategy == "halo":
        block, read = _count_halo(stored, first, last, job.settings)
    elif job.strategy == "triples":
        block, read = _count_supports(job, stored, index), 0
    else:
        roots = np.arange(first, last)
        block = count_block(
            stored.indptr, stored.indices, roots, job.settings, symmetric=stored.directed is None, threads=1
        )
        read = 0
    write_block(path, block, {"first": first, "last": last})
    return len(block.columns), read


def subgraph_bytes(stored: GraphStore, nodes: Int64s) -> int:
    """Return the bytes that a task reads for some nodes and their neighbor lists."""
    degrees = stored.indptr[nodes + 1] - stored.indptr[nodes]
    return BYTES_PER_NODE * len(nodes) + BYTES_PER_ARC * int(degrees.sum())


def _count_halo(stored: GraphStore, first: int, last: int, settings: Settings) -> tuple[Block, int]:
    """Return the rows of a range, counted on the union of its ego-networks, and the bytes of that subgraph."""
    roots = np.arange(first, last)
    nodes = ball(stored.indptr, stored.indices, roots, max(*settings.radius, 1))
    indptr, indices = induce_subgraph(stored.indptr, stored.indices, nodes)
    local = np.searchsorted(nodes, roots)
    block = count_block(indptr, indices, local, settings, symmetric=stored.directed is None, threads=1)
    return block, subgraph_bytes(stored, nodes)


def _count_supports(job: Job, stored: GraphStore, index: int) -> Block:
    """Return the rows of a range from the triangles of the groups."""
    folder = job.barrier(".supports") / f"part={index}"
    supports = read_columns(folder, ("root", "other", "support"))
    return block_of_supports(
        stored.indptr, stored.indices, job.span(index, stored.num_nodes), supports, job.settings
    )


def edge_copies(job: Job, index: int) -> Any:
    """Return an Arrow batch with the copies (group, u, v) of the edges of a range."""
    import pyarrow as pa

    stored = job.stored
    group, u, v = copy_edges(stored.indptr, stored.indices, *job.span(index, stored.num_nodes), job.colors)
    return pa.record_batch([group, u, v], names=["group", "u", "v"])


def group_supports(job: Job, number: int) -> Any:
    """Return an Arrow batch with the triangles of a group: range of the root, root, other end, triangles."""
    import pyarrow as pa

    u, v = read_columns(job.barrier(".edges") / f"group={number}", ("u", "v"))
    root, other, support = count_group(u, v, groups_of(job.colors)[number], job.colors)
    part = (root // job.block_rows).astype(np.int32)
    return pa.record_batch([part, root, other, support], names=["part", "root", "other", "support"])


def read_columns(folder: Path, names: tuple[str, ...]) -> Any:
    """Return int32 columns of all Parquet files in a folder; empty columns without files."""
    from pyarrow import parquet

    files = sorted(folder.glob("*.parquet"))
    tables = [parquet.read_table(file, columns=list(names), partitioning=None) for file in files]
    return tuple(
        np.concatenate([np.empty(0, np.int32), *(table.column(name).to_numpy() for table in tables)])
        for name in names
    )


def versions() -> dict[str, str]:
    """Return what must be equal on the driver and all workers: versions, and a hash of the native module."""
    from egonet import _native

    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "egonet": __version__,
        "kernel": hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()[:12],
        "numpy": metadata.version("numpy"),
        "pyarrow": metadata.version("pyarrow"),
    }


def numbers_in(batches: Iterator[Any]) -> Iterator[int]:
    """Yield the task numbers in Arrow batches with a column "id"."""
    for batch in batches:
        yield from batch.column("id").to_pylist()


def color_of(nodes: Any, colors: int) -> Int32s:
    """Return the color of every node: a fixed hash of its number, 0 ... colors - 1."""
    mixed = np.asarray(nodes).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(colors)).astype(np.int32)


def groups_of(colors: int) -> list[tuple[int, int, int]]:
    """Return the groups: all sorted triples of colors, with repetition.

    >>> groups_of(2)
    [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
    """
    return list(combinations_with_replacement(range(colors), 3))


def num_groups(colors: int) -> int:
    return colors * (colors + 1) * (colors + 2) // 6


def copy_edges(
    indptr: Int64s, indices: Int32s, first: int, last: int, colors: int
) -> tuple[Int32s, Int32s, Int32s]:
    """Return group, u and v of every copy of the edges u < v with u in a range; each edge has ρ copies.

    An edge of colors a, b goes to the groups {a, b, c} for every c, so that exactly one group has all three edges
    of a triangle.
    """
    arcs = slice(int(indptr[first]), int(indptr[last]))
    u = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
    v = indices[arcs].astype(np.int64)
    once = u < v
    u, v = u[once], v[once]
    ends = np.stack([color_of(u, colors), color_of(v, colors)], axis=1)
    every = np.repeat(np.arange(colors, dtype=np.int32), len(u))
    three = np.sort(np.column_stack([np.tile(ends, (colors, 1)), every]), axis=1)
    return (
        group_number(three, colors),
        np.tile(u, colors).astype(np.int32),
        np.tile(v, colors).astype(np.int32),
    )


def group_number(three: Int32s, colors: int) -> Int32s:
    """Return the position in `groups_of` of rows of three sorted colors.

    >>> group_number(np.array(groups_of(4)), 4).tolist() == list(range(20))
    True
    """
    a, b, c = three.astype(np.int64).T
    rest = colors - a
    before_a = num_groups(colors) - rest * (rest + 1) * (rest + 2) // 6
    # Pairs (b, c) with a <= b <= c < ρ, in order.
    before_b = (b - a) * (2 * colors - a - b + 1) // 2
    return np.asarray(before_a + before_b + (c - b), dtype=np.int32)


def count_group(
    u: Int32s, v: Int32s, group: tuple[int, int, int], colors: int
) -> tuple[Int32s, Int32s, Int32s]:
    """Return root, other end and triangles, in both directions, of the edges in triangles of the group."""
    nodes, positions = np.unique(np.concatenate([u, v]), return_inverse=True)
    ends = positions.reshape(2, -1).astype(np.int32)
    indptr, indices, _ = adjacency(ends[0], ends[1], len(nodes), both_directions=True)
    supports = edge_supports(indptr, indices, color_of(nodes, colors), group)
    counted = np.flatnonzero(supports)
    rows = np.searchsorted(indptr, counted, side="right") - 1
    a, b, group_supports = nodes[rows], nodes[indices[counted]], supports[counted]
    return np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([group_supports, group_supports])


def block_of_supports(
    indptr: Int64s,
    indices: Int32s,
    span: tuple[int, int],
    supports: tuple[Int32s, Int32s, Int32s],
    settings: Settings,
) -> Block:
    """Return the rows of a range of roots from `supports`: root, other end and triangles of their edges.

    At radius 1 the degree of a neighbor is 1 + the triangles of its edge; the root keeps its degree.
    """
    first, last = span
    degrees = np.diff(indptr[first : last + 1])
    begin = int(indptr[first])
    others = indices[begin : int(indptr[last])].astype(np.int64)
    owners = np.repeat(np.arange(last - first), degrees)
    triangles = np.zeros(len(others), dtype=np.int64)
    size = np.int64(len(indptr))
    order = owners * size + others
    positions = np.searchsorted(order, (supports[0].astype(np.int64) - first) * size + supports[1])
    np.add.at(triangles, positions, supports[2])
    roots = np.arange(last - first)
    rows, keys = [], []
    for radius in settings.radius:
        rows.append(roots)
        keys.append(_keys(radius, 0, degrees, settings))
        if radius == 1:
            rows.append(owners)
            keys.append(_keys(radius, 1, triangles if settings.frontier_edges else triangles * 0, settings))
    return compact_rows(np.concatenate(rows), np.concatenate(keys), last - first, settings)


def _keys(radius: int, distance: int, values: Int64s, settings: Settings) -> Int64s:
    """Return the keys of roots (`values`: degrees) or of their neighbors (`values`: triangles)."""
    nothing, one = np.zeros_like(values), np.ones_like(values)
    closer, same, farther = (nothing, nothing, values) if distance == 0 else (one, values, nothing)
    fields = {
        "total": [closer + same + farther],
        "layered": [same, farther],
        "full": [closer, same, farther],
    }[settings.degrees]
    if settings.max_degree is not None:
        fields = [np.minimum(field, settings.max_degree) for field in fields]
    keys = np.stack([np.full_like(values, distance), *fields], axis=1)
    return np.insert(bin_degrees(keys, settings), 0, radius, axis=1)

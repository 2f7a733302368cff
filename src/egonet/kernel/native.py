"""The C++ kernels, which release the GIL and do not check arrays, and their default number of threads."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import InputError
from egonet.kernel.reference import NestedRows, Rows
from egonet.typing import Array, Degrees, Float32s, Follow, Int32s, Int64s, Progress

#: "triangle" finds each triangle once (radius 1 only), "source" searches from one root at a time,
#: "bitwise" from 512 roots at a time; "auto" lets the kernel decide from the graph.
Algorithm: TypeAlias = Literal["auto", "triangle", "source", "bitwise"]
#: The instruction set of "bitwise"; "auto" is the best the processor has.
Simd: TypeAlias = Literal["auto", "baseline", "avx2", "avx512"]

#: The control groups of the system, and those of this process.
GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")

#: A larger radius or degree limit is replaced by this one, which no path exceeds and 64-bit integers can represent.
MOST_HOPS = 2**40


#: Nodes are 32-bit integers.
MOST_NODES = 2**31 - 1
#: Loss, number of pairs, gradients of scale and shift, and gradients of both tables (one array twice if they are one).
LossAndGradients = tuple[float, float, float, float, Float32s, Float32s]


def encode_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
    symmetric: bool = True,
    threads: int = 0,
    algorithm: Algorithm = "auto",
    simd: Simd = "auto",
    progress: Progress | None = None,
) -> Rows:
    """Return the rows of `roots` (None: every node, in order) at `radius`, as the reference defines them.

    The contract::

        indptr      int64 (num_nodes + 1,)  non-decreasing from 0
        indices     int32 (num_arcs,)       increasing per row, no loops; symmetric=True promises both directions
        roots       int64 (num_roots,)      any order, repeats allowed; None stands for 0 ... num_nodes - 1
        labels      int32 (num_nodes,)      at least 0
        max_degree  >= 0                    degree fields above it are counted as it
        threads     0: `available_cores`; small graphs use fewer
        algorithm   "triangle" supports radius 1 on undirected graphs only
        progress    called as progress(done, total) from the calling thread, at most ten times a second;
                    an exception it raises (or Ctrl-C) stops the kernel
        returns     Rows, the same bytes as `kernel/reference.py` for any threads and algorithm
        raises      InputError for more than 2147483647 nodes, keys of more than 63 bits, or an unsupported algorithm
    """
    if algorithm == "triangle" and (radius != 1 or not symmetric):
        raise InputError(
            "algorithm='triangle' supports radius 1 on undirected graphs only, "
            f"got radius={radius!r}, symmetric={symmetric!r}. Use algorithm='auto'."
        )
    if len(indptr) - 1 > MOST_NODES:
        raise InputError(
            f"a graph may have at most {MOST_NODES} nodes, got {len(indptr) - 1}. Encode it in parts."
        )
    limit = -1 if max_degree is None else min(max_degree, MOST_HOPS)
    counting = (min(radius, MOST_HOPS), degrees, frontier_edges, limit, labels, symmetric)
    running = (threads or available_cores(), algorithm, simd, progress)
    try:
        return Rows(*_native.encode(indptr, indices, roots, *counting, *running))
    except OverflowError as error:
        raise InputError(str(error)) from None


def call_kernel(kernel: Callable[..., tuple[Any, ...]], *arguments: Any, **options: Any) -> Rows:
    """Return the rows of another kernel; keys of more than 63 bits are an InputError, as for `encode_rows`."""
    try:
        return Rows(*kernel(*arguments, **options))
    except OverflowError as error:
        raise InputError(str(error)) from None


def degree_limit(max_degree: int | None) -> int:
    """Return the limit as kernels take it: -1 for none, and at most `MOST_HOPS`."""
    return -1 if max_degree is None else min(max_degree, MOST_HOPS)


def common_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    *,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NestedRows:
    """Return the histograms of each root's edges over common neighbors, as the reference defines them.

    The contract is that of `encode_rows`; the graph is symmetric. Keys are (links) or (links, label).
    """
    arguments = (indptr, indices, roots, labels, threads or available_cores(), progress)
    return _as_nested(_native.common_neighbors(*arguments))


def pair_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    edges_only: bool,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NestedRows:
    """Return the histograms of each root's edges, or of its pairs with all nodes within `radius`, as in the reference.

    The contract is that of `encode_rows`; the graph is symmetric, 1 <= radius <= 4096. Keys are the two
    distances, nine counts, and the label if there are labels.
    """
    arguments = (indptr, indices, roots, radius, edges_only, labels, threads or available_cores(), progress)
    return _as_nested(_native.pair_rooted(*arguments))


def refined_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    depth: int,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NestedRows:
    """Return the outcomes of each root's search as histograms, as `kernel/search_tree.py` defines them.

    The contract is that of `encode_rows`; the graph is symmetric, depth >= 1. Keys are (cell, other cell, neighbors),
    and the label if there are labels.
    """
    hops, count = min(radius, MOST_HOPS), threads or available_cores()
    return _as_nested(_native.refined(indptr, indices, roots, hops, depth, labels, count, progress))


def _as_nested(arrays: tuple[Int64s, Int32s, Int32s, Int64s, Int32s, Int32s, Int64s]) -> NestedRows:
    """Return the arrays of a kernel as a record."""
    return NestedRows(*arrays[:3], Rows(*arrays[3:]))


def row_classes(indptr: Int64s, columns: Int32s, values: Int32s) -> Int64s:
    """Return a class number per row, by first appearance; equal numbers if and only if equal rows."""
    return _native.row_classes(indptr, columns, values)


def row_distances(indptr: Int64s, columns: Int32s, values: Int32s, query: Int64s) -> Int64s:
    """Return the sum of absolute differences of every row from `query`, which has a value per column."""
    return _native.row_distances(indptr, columns, values, query, int(query.sum()))


def transpose(indptr: Int64s, columns: Int32s, values: Array, num_columns: int) -> Array:
    """Return the transpose of a sparse matrix of int32 or float64 values as a dense array."""
    return _native.dense_columns(indptr, columns, values, num_columns, available_cores())  # type: ignore[no-any-return]


def simd_level() -> str:
    """Return the instruction set the kernel chose on this processor: avx512, avx2 or baseline."""
    return str(_native.simd_level())


#: Steps on matrices in compressed rows, each given by indptr (int64), columns (int32) and values.
#: join_columns([(indptr, columns, counts, num_columns), ...], threads): all columns side by side.
#: sum_graphs(indptr, columns, values, num_columns, graph_ptr, share, threads): a row per graph, times its share.
join_columns, sum_graphs = _native.join_columns, _native.sum_graphs


class DenseColumns:
    """Columns for small graphs: counts are written to a dense table, root by root, on one thread.

    Counting a molecule takes a few microseconds; large ego-networks take long. Methods return None if a key has no
    column, or if the arrays do not fit together.

    Parameters
    ----------
    keys
        int64 (num_columns, width): radius, distance and degree fields of every column.
    radii, degrees, frontier_edges, max_degree
        What is counted.
    binned
        Degrees are rounded down to a power of two.
    both_ways
        Return no counts for arcs without their opposites, instead of reading them as undirected edges.

    Examples
    --------
    >>> columns, ptr = DenseColumns(np.array([[0, 0, 0], [0, 0, 1]]), [0]), np.array([0, 2, 4])
    >>> columns.of_many(np.array([[0, 1], [1, 0]]), ptr, np.array([0, 2, 2]), local=True).tolist()
    [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    """

    def __init__(
        self,
        keys: Int64s,
        radii: Sequence[int],
        *,
        degrees: Degrees = "total",
        frontier_edges: bool = True,
        max_degree: int | None = None,
        binned: bool = False,
        both_ways: bool = False,
    ) -> None:
        hops = [min(radius, MOST_HOPS) for radius in radii]
        counting = (degrees, frontier_edges, degree_limit(max_degree), binned)
        self._columns = _native.KnownColumns(keys, hops, *counting)
        self._columns.both_ways = both_ways
        options: Any = {"degrees": degrees, "frontier_edges": frontier_edges, "max_degree": max_degree}
        self._rebuild = partial(DenseColumns, keys, hops, **options, binned=binned, both_ways=both_ways)
        self.num_columns = len(keys)
        #: count_at(sources, targets, num_arcs, num_nodes, table): counts through the addresses of int64 arcs and of a
        #: float32 table, which the caller keeps alive; returns whether every key has a column.
        self.count_at = self._columns.count_at

    def __reduce__(self) -> tuple[object, ...]:
        """Return how to build the object again: the native object is not pickled."""
        return self._rebuild, ()

    def of_many(self, index: Int64s, graph_ptr: Int64s, arc_ptr: Int64s, *, local: bool) -> Float32s | None:
        """Return the counts of a batch of graphs, whose arcs are read as undirected edges.

        index      int64 (2, num_arcs)         the arcs of graph i from `arc_ptr[i]` on
        graph_ptr  int64 (num_graphs + 1,)     the first node of each graph, and the end of the last
        arc_ptr    int64 (num_graphs + 1,)     the first arc of each graph, and the end of the last
        local      whether node numbers start at 0 in every graph, instead of continuing through the batch
        """
        table = np.zeros((int(graph_ptr[-1]), self.num_columns), dtype=np.float32)
        complete = self._columns.count_many(np.ascontiguousarray(index), graph_ptr, arc_ptr, local, table)
        return table if complete else None

    def of_rows(self, indptr: Int64s, indices: Int32s) -> Float32s | None:
        """Return the counts of every node of an undirected graph in CSR form, sorted and without loops."""
        table = np.zeros((len(indptr) - 1, self.num_columns), dtype=np.float32)
        return table if self._columns.count_rows(indptr, indices, table) else None


def available_cores() -> int:
    """Return the default number of threads: the cores that this process may use.

    The environment variable EGONET_THREADS takes precedence if it is set. Otherwise a worker process of a pool or of
    a torch DataLoader uses one thread, since its siblings use the other cores. Otherwise the number is the minimum of
    the cores in the process's affinity, the quota of its control group, and OMP_NUM_THREADS, which joblib, Dask and
    Spark set in their workers.
    """
    chosen = os.environ.get("EGONET_THREADS", "").strip()
    if chosen:
        if not chosen.isdecimal() or int(chosen) == 0:
            raise InputError(
                f"EGONET_THREADS must be a whole number >= 1, got {chosen!r}. Change or unset it."
            )
        return int(chosen)
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.current_process().daemon:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A list such as "4,2" is for nested regions; the first number is for the outermost.
    openmp = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    limit = int(openmp) if openmp.isdecimal() and int(openmp) > 0 else cores
    return max(1, min(cores, limit, group_quota(OWN_GROUPS, GROUPS) or cores))


@cache
def group_quota(own_groups: Path, groups: Path) -> int | None:
    """Return the smallest quota of a process's control groups and their parents, in whole cores, or None.

    `own_groups` is /proc/self/cgroup: lines "number:controllers:path", without controllers in version 2.
    """
    quotas = []
    lines = own_groups.read_text().splitlines() if own_groups.exists() else []
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and "cpu" not in controllers.split(","):
            continue
        folder = groups / controllers
        for name in ("", *path.split("/")[1:]):
            folder /= name
            try:
                if (folder / "cpu.max").exists():
                    quota, period = (folder / "cpu.max").read_text().split()
                else:
                    quota = (folder / "cpu.cfs_quota_us").read_text()
                    period = (folder / "cpu.cfs_period_us").read_text()
                if int(quota) > 0:
                    quotas.append(-(-int(quota) // int(period)))
            except (OSError, ValueError):  # no such files, or "max"
                continue
    return min(quotas, default=None)


def multiply_sparse(
    indptr: Int64s, indices: Int32s, values: Float32s, table: Float32s, threads: int, *, level: int = 2
) -> Float32s:
    """Return the product of a sparse matrix in CSR form and a dense matrix.

    `level` limits the instruction set, here and below: 0 for the baseline, 1 for AVX2, 2 for AVX-512.

    >>> rows = np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32), np.array([1, 2, 3], dtype=np.float32)
    >>> multiply_sparse(*rows, np.array([[1], [10]], dtype=np.float32), 1).tolist()
    [[21.0], [30.0]]
    """
    return _native.multiply_sparse(indptr, indices, values, table, threads, level)


def add_pairs(
    tables: tuple[Float32s, Float32s],
    row_of: Int64s,
    segments: Int64s,
    others: Int64s,
    window: int,
    line: tuple[float, float],
    threads: int,
    *,
    level: int = 2,
) -> LossAndGradients:
    """Return the summed losses and gradients of walk segments whose sources share negatives.

    tables    float32 (num_rows, dim)            sources and contexts; may be one array
    row_of    int64 (num_nodes,)                 the row of each node
    segments  int64 (num_segments, 3 * window)   the middle third are sources; -1 is padding
    others    int64 (num_groups, count)          negatives, shared by num_segments / num_groups segments
    line      scale and shift                    from product to logit

    One segment 0-1-2 with window 1: its source, 1, meets both others; products of zeros cost ln 2 each.

    >>> table, nodes = np.zeros((3, 1), dtype=np.float32), np.arange(3)
    >>> found = add_pairs((table, table), nodes, nodes[None], np.empty((1, 0), dtype=np.int64), 1, (1.0, 0.0), 1)
    >>> round(found[0], 4), found[1]
    (1.3863, 2.0)
    """
    return _native.add_pairs(*tables, row_of, segments, others, window, *line, threads, level)


def add_separate(
    tables: tuple[Float32s, Float32s],
    ours: Int64s,
    theirs: Int64s,
    line: tuple[float, float],
    threads: int,
    *,
    level: int = 2,
) -> LossAndGradients:
    """Return the summed losses and gradients of pairs that each have their own negatives.

    tables    float32 (num_rows, dim)            sources and contexts; may be one array
    ours      int64 (num_pairs,)                 the row of the source of each pair; -1 leaves the pair out
    theirs    int64 (num_pairs, 1 + count)       the row of its context, then those of its negatives
    line      scale and shift                    from product to logit

    A pair whose product is 0 costs ln 2.

    >>> table = np.zeros((2, 1), dtype=np.float32)
    >>> found = add_separate((table, table), np.array([0]), np.array([[1]]), (1.0, 0.0), 1)
    >>> round(found[0], 4), found[1]
    (0.6931, 1.0)
    """
    return _native.add_separate(*tables, ours, theirs, *line, threads, level)


def ego_edge_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    degree_bins: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Return how many edges of the ego-network of every root have each key, as in the reference.

    The contract is that of `encode_rows`; the graph is symmetric, radius >= 1, and degrees are not "in_out".
    """
    return call_kernel(
        _native.count_ego_edges,
        *(indptr, indices, roots, min(radius, MOST_HOPS), degrees, frontier_edges),
        *(degree_limit(max_degree), degree_bins == "log", threads or available_cores(), progress),
    )


def list_ego_networks(indptr: Int64s, indices: Int32s, radius: int) -> tuple[Int64s, Int64s]:
    """Return the nodes and the edges of all ego-networks, as in the reference; the graph is symmetric.

    >>> nodes, edges = list_ego_networks(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), 1)
    >>> nodes.shape, edges.tolist()
    ((4, 6), [[0, 1], [2, 3]])
    """
    nodes, edges = _native.list_ego_networks(indptr, indices, min(radius, MOST_HOPS))
    return nodes.reshape(-1, 6), edges.reshape(-1, 2)


def in_out_rows(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    *,
    by_target: bool = False,
    follow: Follow = "any",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Int32s | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Return the rows of `roots` at `radius` with keys (distance, in-degree, out-degree), as in the reference.

    The contract is that of `encode_rows`; rows of `indices` are out-neighbors, or in-neighbors if `by_target`.
    One search per root; the arcs are copied once, to be listed by their other end.
    """
    hops, limit, count = min(radius, MOST_HOPS), degree_limit(max_degree), threads or available_cores()
    return call_kernel(
        _native.encode_in_out,
        *(indptr, indices, by_target, roots, hops, follow, frontier_edges, limit, labels, count, progress),
    )

"""The kernel contract on a GPU: arrays in, rows out, the same bytes as the reference."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from egonet import _native
from egonet.errors import DeviceMemoryError, InputError
from egonet.kernel.cuda import choose
from egonet.kernel.cuda.bitwise import encode_bitwise
from egonet.kernel.cuda.choose import Algorithm, Ball, Facts, SearchTask, make_codec
from egonet.kernel.cuda.chunks import cut_chunk, encode_chunks
from egonet.kernel.cuda.device import CudaDevice, DeviceArray, open_device, plain_errors
from egonet.kernel.cuda.device_rows import DeviceRows, FoundRows, assemble
from egonet.kernel.cuda.per_root import encode_per_root
from egonet.kernel.cuda.triangles import EdgeCodec, encode_by_triangles
from egonet.kernel.reference import Rows, pack_rows
from egonet.typing import DEGREE_FIELDS, Degrees, Int32s, Int64s, Progress

#: Arcs that are read on the host to measure the size of balls.
COUNTED_ARCS = 200_000


@dataclass(frozen=True, eq=False)
class DeviceOptions:
    """What is counted and how: the keywords of `encode_rows` of the same names."""

    degrees: Degrees = "total"
    frontier_edges: bool = True
    max_degree: int | None = None
    labels: Any | None = None
    symmetric: bool = True
    algorithm: Algorithm = "auto"


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
    algorithm: Algorithm = "auto",
    progress: Progress | None = None,
    device: CudaDevice | None = None,
) -> Rows:
    """Return the rows of `roots` (None: every node, in order) at `radius`, as the reference defines them.

    The contract is that of `egonet.kernel.native.encode_rows`, with the algorithms of this folder. A graph or a result
    that does not fit the GPU is encoded in chunks of roots. Without CuPy this raises a MissingExtraError, and without a
    GPU that fits at least one root a DeviceError.
    """
    num_nodes = len(indptr) - 1
    if not (num_nodes if roots is None else len(roots)):
        return pack_rows([], width=1 + DEGREE_FIELDS[degrees] + (labels is not None))
    options = DeviceOptions(degrees, frontier_edges, max_degree, labels, symmetric, algorithm)
    gpu = device or open_device()
    if choose.fits_device(num_nodes, len(indices), gpu.free_bytes()):
        try:
            # The device arrays are freed while the copies run.
            started = _encode_at_once(indptr, indices, roots, radius, gpu, options).start_to_host()
            rows = started()
        except DeviceMemoryError:
            gpu.release()
        else:
            if progress is not None:
                progress(len(rows.indptr) - 1, len(rows.indptr) - 1)
            return rows
    chosen = np.arange(num_nodes) if roots is None else roots

    def encode_chunk(chunk_roots: Int64s) -> Rows:
        chunk = cut_chunk(indptr, indices, options.labels, chunk_roots, radius)
        if not choose.fits_device(len(chunk.indptr) - 1, len(chunk.indices), gpu.free_bytes()):
            raise DeviceMemoryError(choose.TOO_SMALL)
        try:
            arrays = (chunk.indptr, chunk.indices, chunk.roots)
            chunk_options = replace(options, labels=chunk.labels)
            return _encode_at_once(*arrays, radius, gpu, chunk_options).to_host()
        except DeviceMemoryError:
            gpu.release()
            raise

    def report(done: int) -> None:
        if progress is not None:
            progress(done, len(chosen))

    return encode_chunks(chosen, encode_chunk, report, num_chunks=min(2, len(chosen)))


def encode_on_device(
    indptr: Any,
    indices: Any,
    roots: Any | None,
    radius: int,
    *,
    device: CudaDevice | None = None,
    **options: Any,
) -> DeviceRows:
    """Return the rows as arrays on the device; the arguments may be on the host or on the device.

    Keywords are those of `encode_rows`, without `progress`. If graph, scratch and result do not fit the memory of the
    device together, this raises a DeviceMemoryError.
    """
    settings = DeviceOptions(**options)
    return _encode_at_once(indptr, indices, roots, radius, device or open_device(), settings).compact()


def _encode_at_once(
    indptr: Any, indices: Any, roots: Any | None, radius: int, device: CudaDevice, options: DeviceOptions
) -> DeviceRows:
    """Return the rows of a graph that fits the device; their arrays may be views of larger ones."""
    degrees, max_degree, symmetric = options.degrees, options.max_degree, options.symmetric
    frontier_edges, algorithm, labels = options.frontier_edges, options.algorithm, options.labels
    with plain_errors():
        num_nodes, num_arcs = len(indptr) - 1, len(indices)
        num_roots = num_nodes if roots is None else len(roots)
        count_balls = partial(counted_ball, indptr, indices, roots, radius)
        roots = None if roots is None else device.upload(roots)
        triangles = num_arcs > 0 and choose.supports_triangle(
            radius, symmetric=symmetric, has_labels=labels is not None
        )
        triangles = triangles and (
            algorithm == "triangle" or (algorithm == "auto" and 4 * num_roots >= num_nodes)
        )
        # Row pointers first: the device receives them while the host copies arcs that are not page-locked.
        rows = device.upload(indptr)
        heads, arrivals = device.upload_in_slices(indices)
        if triangles:
            edge_codec = EdgeCodec.for_graph(num_nodes, degrees, max_degree)
            every_row = encode_by_triangles(
                device, rows, heads, arrivals, edge_codec, frontier_edges=frontier_edges
            )
            return every_row if roots is None else select_rows(every_row, roots)
        facts, row_ptr = facts_of(device, rows, num_arcs)
        radius = min(radius, num_nodes)
        codec = make_codec(
            num_nodes, facts.largest_degree, radius, degrees=degrees, max_degree=max_degree, labels=labels
        )
        labels = None if labels is None else device.upload(labels)
        settings = (radius, frontier_edges, symmetric)
        arrays = (row_ptr, heads, labels, roots)
        return run(
            SearchTask(device, facts, codec, *arrays, num_roots, *settings, arrivals), algorithm, count_balls
        )


def facts_of(device: CudaDevice, indptr: DeviceArray, num_arcs: int) -> tuple[Facts, DeviceArray]:
    """Return the statistics of the degrees, and the row pointers as 32-bit positions on the device."""
    num_nodes = len(indptr) - 1
    facts, row_ptr = device.zeros(3, np.uint64), device.empty(num_nodes + 1, np.int32)
    grid = min(512, -(-num_nodes // 256))
    device.launch("rows.degree_facts", grid, 256, num_nodes, indptr, row_ptr, facts)
    return Facts(num_nodes, num_arcs, *map(int, device.download(facts))), row_ptr


def counted_ball(indptr: Any, indices: Any, roots: Any | None, radius: int) -> Ball | None:
    """Return the mean size of the balls of a few roots, counted on the host; None if the graph is not on the host."""
    if not isinstance(indptr, np.ndarray) or not isinstance(indices, np.ndarray):
        return None
    chosen = None if roots is None or not isinstance(roots, np.ndarray) else roots
    return Ball(*_native.sample_balls(indptr, indices, chosen, radius, COUNTED_ARCS))


def choose_search(task: SearchTask, count_balls: Callable[[], Ball | None]) -> Algorithm:
    """Return the algorithm that should be fastest for a task."""
    radius, shared_bytes, facts, codec = task.radius, task.device.shared_bytes, task.facts, task.codec
    together = choose.blocks_together(
        facts, codec, radius, frontier_edges=task.frontier_edges, shared_bytes=shared_bytes
    )
    choice: dict[str, Any] = {"together": together, "has_bitwise": _has_bitwise(task)}
    return choose.choose(facts, radius, num_roots=task.num_roots, count_balls=count_balls, **choice)


def run(
    task: SearchTask, algorithm: Algorithm, count_balls: Callable[[], Ball | None] = lambda: None
) -> DeviceRows:
    """Return the rows by the given algorithm, or by the one that should be fastest."""
    if algorithm == "auto":
        algorithm = choose_search(task, count_balls)
    if algorithm == "triangle" or (algorithm == "bitwise" and not _has_bitwise(task)):
        raise InputError(
            f'algorithm={algorithm!r} does not support this graph with these settings. Use "auto".'
        )
    if algorithm != "bitwise":
        return encode_per_root(task, algorithm)
    task.wait()
    codec = task.codec
    return assemble(
        task.device, encode_bitwise(task), task.num_roots, code_range=codec.range, decode=codec.decode
    )


def _has_bitwise(task: SearchTask) -> bool:
    """Return whether the bitwise search supports a task."""
    return choose.supports_bitwise(
        task.facts, task.codec, task.radius, symmetric=task.symmetric, shared_bytes=task.device.shared_bytes
    )


def select_rows(rows: DeviceRows, roots: DeviceArray) -> DeviceRows:
    """Return some of the rows, with columns only for the keys they contain."""
    device, num_roots, keys = rows.device, len(roots), rows.keys
    start = rows.indptr[roots]
    length = (rows.indptr[roots + 1] - start).astype(np.int32)
    parts = [FoundRows(None, start, length, rows.columns, rows.counts, int(length.sum(dtype=np.int64)))]
    return assemble(device, parts, num_roots, code_range=len(keys), decode=lambda used: keys[used])

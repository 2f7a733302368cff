"""The kernel contract on a GPU: arrays in, rows out, the same bytes as the reference."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from egonet import _native
from egonet.errors import DeviceError, DeviceMemoryError, InputError, MissingExtraError
from egonet.kernel import native
from egonet.kernel.cuda import choose as plan
from egonet.kernel.cuda.assemble import Found, assemble
from egonet.kernel.cuda.bitwise import encode_bitwise
from egonet.kernel.cuda.chunks import cut, encode_parts
from egonet.kernel.cuda.codec import make_codec
from egonet.kernel.cuda.device import Device, DeviceArray, open_device, plain_errors
from egonet.kernel.cuda.device_rows import DeviceRows
from egonet.kernel.cuda.per_root import search
from egonet.kernel.cuda.task import Facts, Task
from egonet.kernel.cuda.triangles import encode_by_triangles
from egonet.kernel.rows import Rows
from egonet.typing import DEGREE_FIELDS, Degrees, Int32s, Int64s

#: Arcs that are read on the host to see how large balls are.
COUNTED_ARCS = 200_000


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
    algorithm: plan.Algorithm = "auto",
    progress: native.Progress | None = None,
    fallback: bool = False,
    device: Device | None = None,
) -> Rows:
    """Return the rows of `roots` (None: every node, in order) at `radius`, as the reference defines them.

    A graph or a result that does not fit the GPU is encoded in parts. With `fallback` a missing or too small GPU is
    announced by a warning and the CPU does the work.

    Raises
    ------
    MissingExtraError
        If CuPy is not installed.
    DeviceError
        If no GPU can be used, or not even one root fits its memory.
    InputError
        If the algorithm asked for does not serve the settings.

    Notes
    -----
    The contract is that of `egonet.kernel.native.encode_rows`, with the algorithms of this folder.
    """
    num_roots = len(indptr) - 1 if roots is None else len(roots)
    if not num_roots:
        return native.empty_rows(1 + DEGREE_FIELDS[degrees] + (labels is not None))
    words: dict[str, Any] = {
        "degrees": degrees,
        "frontier_edges": frontier_edges,
        "max_degree": max_degree,
        "labels": labels,
        "symmetric": symmetric,
        "algorithm": algorithm,
    }
    try:
        device = device or open_device()
        return _encode_whole_or_parts(indptr, indices, roots, radius, progress, device, words)
    except (DeviceError, MissingExtraError) as error:
        if not fallback:
            raise
        warnings.warn(f"{error} The CPU does the work instead.", RuntimeWarning, stacklevel=2)
        del words["algorithm"]
        return native.encode_rows(indptr, indices, roots, radius, progress=progress, **words)


def _encode_whole_or_parts(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    progress: native.Progress | None,
    device: Device,
    words: dict[str, Any],
) -> Rows:
    """Return the rows, in one go if graph and result fit the device and in parts if not."""
    num_nodes = len(indptr) - 1
    if plan.fits_device(num_nodes, len(indices), device.free_bytes()):
        try:
            # What is on the device is let go of while it is copied, not after.
            started = _encode_at_once(indptr, indices, roots, radius, device, **words).start_to_host()
            rows = started()
        except DeviceMemoryError:
            device.release()
        else:
            if progress is not None:
                progress(len(rows.indptr) - 1, len(rows.indptr) - 1)
            return rows
    chosen = np.arange(num_nodes) if roots is None else roots

    def encode_part(part_roots: Int64s) -> Rows:
        part = cut(indptr, indices, words["labels"], part_roots, radius)
        if not plan.fits_device(len(part.indptr) - 1, len(part.indices), device.free_bytes()):
            raise DeviceMemoryError(plan.TOO_SMALL)
        try:
            arrays, part_words = (part.indptr, part.indices, part.roots), {**words, "labels": part.labels}
            return _encode_at_once(*arrays, radius, device, **part_words).to_host()
        except DeviceMemoryError:
            device.release()
            raise

    def report(done: int) -> None:
        if progress is not None:
            progress(done, len(chosen))

    return encode_parts(chosen, encode_part, report, num_parts=min(2, len(chosen)))


def encode_on_device(
    indptr: Any,
    indices: Any,
    roots: Any | None,
    radius: int,
    *,
    device: Device | None = None,
    **words: Any,
) -> DeviceRows:
    """Return the rows as arrays that stay on the device; arrays given may be there already.

    Keywords are those of `encode_rows`, without `progress` and `fallback`.

    Raises
    ------
    DeviceMemoryError
        If graph, scratch and result do not fit the memory of the device together.
    """
    return _encode_at_once(indptr, indices, roots, radius, device or open_device(), **words).compact()


def _encode_at_once(
    indptr: Any,
    indices: Any,
    roots: Any | None,
    radius: int,
    device: Device,
    *,
    degrees: Degrees = "total",
    frontier_edges: bool = True,
    max_degree: int | None = None,
    labels: Any | None = None,
    symmetric: bool = True,
    algorithm: plan.Algorithm = "auto",
) -> DeviceRows:
    """Return the rows of a graph that fits the device; their arrays may be views of larger ones."""
    with plain_errors():
        num_nodes, num_arcs = len(indptr) - 1, len(indices)
        num_roots = num_nodes if roots is None else len(roots)
        count_balls = partial(counted_ball, indptr, indices, roots, radius)
        roots = None if roots is None else device.upload(roots)
        triangles = num_arcs > 0 and plan.serves_triangle(
            radius, symmetric=symmetric, has_labels=labels is not None
        )
        triangles = triangles and (
            algorithm == "triangle" or (algorithm == "auto" and 4 * num_roots >= num_nodes)
        )
        # Rows go first: they are on their way while the host copies arcs that are not in page-locked memory.
        rows = device.upload(indptr)
        heads, arrivals = device.upload_in_slices(indices)
        if triangles:
            words: dict[str, Any] = {"frontier_edges": frontier_edges, "max_degree": max_degree}
            found = encode_by_triangles(device, rows, heads, arrivals, degrees=degrees, **words)
            return found if roots is None else select_rows(found, roots)
        facts, row_ptr = facts_of(device, rows, num_arcs)
        radius = min(radius, num_nodes)
        codec = make_codec(
            num_nodes, facts.largest_degree, radius, degrees=degrees, max_degree=max_degree, labels=labels
        )
        labels = None if labels is None else device.upload(labels)
        settings = (radius, frontier_edges, symmetric)
        arrays = (row_ptr, heads, labels, roots)
        return run(
            Task(device, facts, codec, *arrays, num_roots, *settings, arrivals), algorithm, count_balls
        )


def facts_of(device: Device, indptr: DeviceArray, num_arcs: int) -> tuple[Facts, DeviceArray]:
    """Return the statistics of the degrees, and the row pointers as 32-bit positions on the device."""
    num_nodes = len(indptr) - 1
    facts, row_ptr = device.zeros(3, np.uint64), device.empty(num_nodes + 1, np.int32)
    grid = min(512, -(-num_nodes // 256))
    device.launch("rows.degree_facts", grid, 256, num_nodes, indptr, row_ptr, facts)
    return Facts(num_nodes, num_arcs, *map(int, device.download(facts))), row_ptr


def counted_ball(indptr: Any, indices: Any, roots: Any | None, radius: int) -> plan.Ball | None:
    """Return the mean size of the balls of a few roots, counted on the host; None if the graph is not there."""
    if not isinstance(indptr, np.ndarray) or not isinstance(indices, np.ndarray):
        return None
    chosen = None if roots is None or not isinstance(roots, np.ndarray) else roots
    return plan.Ball(*_native.sample_balls(indptr, indices, chosen, radius, COUNTED_ARCS))


def choose(task: Task, count_balls: Callable[[], plan.Ball | None]) -> plan.Algorithm:
    """Return the algorithm that should be fastest for a task."""
    radius, shared_bytes, facts, codec = task.radius, task.device.shared_bytes, task.facts, task.codec
    together = plan.blocks_together(
        facts, codec, radius, frontier_edges=task.frontier_edges, shared_bytes=shared_bytes
    )
    choice: dict[str, Any] = {"together": together, "has_bitwise": serves_bitwise(task)}
    return plan.choose(facts, radius, num_roots=task.num_roots, count_balls=count_balls, **choice)


def run(
    task: Task, algorithm: plan.Algorithm, count_balls: Callable[[], plan.Ball | None] = lambda: None
) -> DeviceRows:
    """Return the rows by the algorithm given, or by the one that should be fastest.

    Raises
    ------
    InputError
        If the algorithm does not support the settings.
    """
    if algorithm == "auto":
        algorithm = choose(task, count_balls)
    if algorithm == "triangle" or (algorithm == "bitwise" and not serves_bitwise(task)):
        raise InputError(
            f'algorithm={algorithm!r} does not support this graph with these settings. Use "auto".'
        )
    if algorithm != "bitwise":
        return search(task, algorithm)
    task.wait()
    codec = task.codec
    return assemble(
        task.device, encode_bitwise(task), task.num_roots, code_range=codec.range, decode=codec.decode
    )


def serves_bitwise(task: Task) -> bool:
    """Return whether the bitwise search supports a task."""
    return plan.serves_bitwise(
        task.facts,
        task.codec,
        task.radius,
        symmetric=task.symmetric,
        shared_bytes=task.device.shared_bytes,
    )


def select_rows(rows: DeviceRows, roots: DeviceArray) -> DeviceRows:
    """Return some of the rows, with columns only for the keys that these have."""
    device, num_roots, keys = rows.device, len(roots), rows.keys
    start, length = device.empty(num_roots, np.int64), device.empty(num_roots, np.int32)
    device.launch(
        "rows.root_extents", -(-num_roots // 256), 256, num_roots, roots, rows.indptr, start, length
    )
    found = [Found(None, start, length, rows.columns, rows.counts, int(length.sum(dtype=np.int64)))]
    return assemble(device, found, num_roots, code_range=len(keys), decode=lambda used: keys[used])

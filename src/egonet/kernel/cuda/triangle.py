"""Radius 1 by edge supports: each triangle is found once (`triangle.cu` has the layout)."""

from dataclasses import dataclass

import numpy as np

from egonet.kernel.cuda.assemble import marked_codes, prefix_sums, strided
from egonet.kernel.cuda.device import Device, DeviceArray
from egonet.kernel.cuda.resident import DeviceRows
from egonet.types import Degrees, Int64s

#: The longest out-list whose table leaves room for several blocks on a multiprocessor, and the largest for one.
MEDIUM, LARGE = 1024, 8192
#: Shared memory a block needs beside its table, and for each out-neighbour in it.
BESIDE_TABLE, TABLE_BYTES = 8192, 16


@dataclass(frozen=True)
class EdgeCodec:
    """Keys at radius 1 as codes: the degree of the root, or `base` plus the support of the edge to a neighbour.

    Attributes
    ----------
    degrees
        Which degree fields a key has.
    base
        One more than the largest degree that is told apart.
    max_degree
        Degrees above it are counted as it, or None.
    """

    degrees: Degrees
    base: int
    max_degree: int | None

    @property
    def support_limit(self) -> int:
        """Return the largest support that is told apart; a total degree is one more than the support."""
        if self.max_degree is None:
            return self.base - 1
        return max(self.max_degree - (self.degrees == "total"), 0)

    def decode(self, codes: Int64s) -> Int64s:
        """Return the keys of codes, a row each.

        Examples
        --------
        >>> EdgeCodec("full", 4, None).decode(np.array([3, 4, 6])).tolist()
        [[0, 0, 0, 3], [1, 1, 0, 0], [1, 1, 2, 0]]
        """
        distance = (codes >= self.base).astype(np.int64)
        root, support = np.where(distance == 0, codes, 0), np.where(distance == 1, codes - self.base, 0)
        fields = {
            "total": (root + support + distance,),
            "layered": (support, root),
            "full": (distance, support, root),
        }[self.degrees]
        keys = np.column_stack([distance, *fields])
        if self.max_degree is not None:
            np.minimum(keys[:, 1:], self.max_degree, out=keys[:, 1:])
        return keys


@dataclass(frozen=True, eq=False)
class Oriented:
    """The graph with every edge pointing from its lower to its higher end; see `triangle.cu`."""

    row_ptr: DeviceArray
    tail: DeviceArray
    out_ptr: DeviceArray
    out_from: DeviceArray
    out_to: DeviceArray
    in_to: DeviceArray


def encode_by_triangles(
    device: Device,
    indptr: DeviceArray,
    indices: DeviceArray,
    *,
    degrees: Degrees,
    frontier_edges: bool,
    max_degree: int | None,
) -> DeviceRows:
    """Return the rows of all vertices at radius 1 of an undirected graph with edges."""
    num_nodes, num_arcs = len(indptr) - 1, len(indices)
    base = num_nodes if max_degree is None else min(num_nodes - 1, max_degree) + 1
    codec = EdgeCodec(degrees, base, max_degree)
    graph = orient(device, indptr, indices)
    support = device.zeros(num_arcs // 2, np.int32)
    if frontier_edges:
        count_triangles(device, graph, support)
    bins = device.zeros(num_arcs, np.int32)
    edges = (graph.row_ptr, graph.out_from, graph.out_to, support, bins)
    device.launch(
        "triangle.bin_supports", blocks(num_arcs // 2), 256, num_arcs // 2, codec.support_limit, *edges
    )
    before = prefix_sums(device, "sum_nonzero", bins, np.int32)
    rows = device.empty(num_nodes + 1, np.int64)
    codes, counts = (device.empty(num_arcs + num_nodes, np.int32) for _ in range(2))
    marks = device.zeros(2 * num_nodes, np.uint8)
    grid, sizes = blocks(max(num_arcs, num_nodes + 1)), (num_nodes, num_arcs, base)
    arrays = (graph.row_ptr, graph.tail, bins, before, rows, codes, counts, marks)
    device.launch("triangle.write_rows", grid, 256, *sizes, *arrays)
    column_of = prefix_sums(device, "sum_marks", marks, np.int32)
    device.launch("rows.renumber_counted", strided(len(codes)), 256, rows[num_nodes:], column_of, codes)
    keys = codec.decode(marked_codes(device, marks, column_of))
    num_entries = int(rows[num_nodes])
    return DeviceRows(rows, codes[:num_entries], counts[:num_entries], keys, device)


def orient(device: Device, indptr: DeviceArray, indices: DeviceArray) -> Oriented:
    """Return the graph with every edge pointing one way."""
    num_nodes, num_arcs = len(indptr) - 1, len(indices)
    row_ptr = device.empty(num_nodes + 1, np.int32)
    device.launch("triangle.narrow_rows", blocks(num_nodes + 1), 256, num_nodes, indptr, row_ptr)
    tail, outward = device.empty(num_arcs, np.int32), device.empty(num_arcs, np.uint8)
    arrays = (row_ptr, indices, tail, outward)
    device.launch("triangle.orient_arcs", blocks(num_arcs), 256, num_nodes, num_arcs, *arrays)
    before = prefix_sums(device, "sum_marks", outward, np.int32)
    out_ptr = device.empty(num_nodes + 1, np.int32)
    out_from, out_to, in_to = (device.empty(num_arcs // 2, np.int32) for _ in range(3))
    grid = blocks(max(num_arcs, num_nodes + 1))
    arrays = (row_ptr, indices, tail, before, out_ptr, out_from, out_to, in_to)
    device.launch("triangle.split_arcs", grid, 256, num_nodes, num_arcs, *arrays)
    return Oriented(row_ptr, tail, out_ptr, out_from, out_to, in_to)


def count_triangles(device: Device, graph: Oriented, support: DeviceArray) -> None:
    """Add to the support of every edge the triangles over it."""
    num_nodes, sms = len(graph.row_ptr) - 1, device.num_multiprocessors
    large = min(LARGE, 1 << ((device.shared_bytes - BESIDE_TABLE) // TABLE_BYTES).bit_length() - 1)
    longest = min(int((2 * len(support)) ** 0.5) + 1, num_nodes)
    owners, state = device.empty(4 * num_nodes, np.int32), device.zeros(8, np.int32)
    device.launch(
        "triangle.list_owners", blocks(num_nodes), 256, num_nodes, MEDIUM, large, graph.out_ptr, owners, state
    )
    arrays = (graph.row_ptr, graph.out_ptr, graph.out_to, graph.in_to, support)

    def lists(kind: int) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        return owners[kind * num_nodes :], state[kind:], state[4 + kind :]

    # Long lists first: they take longest.
    if longest > large:
        size = 1 << (2 * longest - 1).bit_length()
        tables = device.empty(2 * size * sms, np.int32)
        device.launch("triangle.count_by_blocks_wide", sms, 512, size, tables, *lists(3), *arrays)
    if longest > MEDIUM:
        shared = TABLE_BYTES * large
        device.launch("triangle.count_by_blocks", sms, 512, large, *lists(2), *arrays, shared=shared)
    if longest > 32:
        shared = TABLE_BYTES * MEDIUM
        device.launch("triangle.count_by_blocks", min(8 * sms, num_nodes), 256, MEDIUM, *lists(1), *arrays, shared=shared)
    device.launch("triangle.count_by_warps", min(8 * sms, blocks(num_nodes, 32)), 256, *lists(0), *arrays)


def blocks(count: int, threads: int = 256) -> int:
    """Return how many blocks give every item a thread."""
    return -(-count // threads)

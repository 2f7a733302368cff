"""The search at radius 1: each triangle is found once (`triangle.cu` has the layout)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from egonet.kernel.cuda.buffers import Workspace
from egonet.kernel.cuda.device import Arrival, CudaDevice, DeviceArray
from egonet.kernel.cuda.device_rows import TILE, DeviceRows, Entries, UsedCodes, sum_into, sum_state_bytes
from egonet.typing import Degrees, Int64s

#: The longest out-list whose table fits several times on a multiprocessor, and the longest whose table fits once.
MEDIUM, LARGE = 1024, 8192
#: Kinds of owners as in `list_owners`: the first has the shortest lists, the last two have lists longer than MEDIUM.
NUM_KINDS = 7
#: Owners of this degree, and of 4 and 16 times this degree, start before others with out-lists of the same length.
HEAVY = 256
#: Above this many nodes a warp takes several owners at a time.
MANY_OWNERS = 100_000
#: Shared memory of a block without its table, and bytes of the table for each out-neighbor.
OTHER_SHARED, TABLE_BYTES = 8192, 16


@dataclass(frozen=True)
class EdgeCodec:
    """Keys at radius 1 as codes: the degree of the root, or `base` plus the support of the edge to a neighbor.

    Attributes
    ----------
    degrees
        Which degree fields a key has.
    base
        One more than the largest degree.
    max_degree
        Degrees above this limit are counted as the limit; None for no limit.
    """

    degrees: Degrees
    base: int
    max_degree: int | None

    @classmethod
    def for_graph(cls, num_nodes: int, degrees: Degrees, max_degree: int | None) -> "EdgeCodec":
        """Return the codec of a graph and settings."""
        base = num_nodes if max_degree is None else min(num_nodes - 1, max_degree) + 1
        return cls(degrees, base, max_degree)

    @property
    def support_limit(self) -> int:
        """Return the limit of supports; a total degree is one more than the support."""
        if self.max_degree is None:
            return self.base - 1
        return max(self.max_degree - (self.degrees == "total"), 0)

    def decode(self, codes: Int64s) -> Int64s:
        """Return the keys of codes, a row each.

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


def encode_by_triangles(
    device: CudaDevice,
    indptr: DeviceArray,
    indices: DeviceArray,
    arrivals: Sequence[Arrival],
    codec: EdgeCodec,
    *,
    frontier_edges: bool,
) -> DeviceRows:
    """Return the rows of all nodes at radius 1 of an undirected graph with edges."""
    num_nodes, num_arcs, base = len(indptr) - 1, len(indices), codec.base
    space = make_space(device, num_nodes, num_arcs)
    row_ptr = narrow_row_ptr(device, space, indptr)
    orient(device, space, row_ptr, num_nodes, indices, arrivals)
    if frontier_edges:
        count_triangles(device, space, row_ptr, num_nodes, num_arcs)
    bins, column_of = space["bins"], space["column_of"]
    edges = (row_ptr, space["out_from"], space["out_to"], space["support"], bins, space["marks"])
    sizes = (num_nodes, num_arcs // 2, base, codec.support_limit)
    device.launch("triangle.bin_supports", blocks(max(num_arcs // 2, num_nodes)), 256, *sizes, *edges)
    before = space["before"]
    sum_into(device, "sum_nonzero", num_arcs, bins, before, space["second_sums"])
    (in_use,), wait = device.start_download((space.array("before", num_arcs + 1, np.int32)[num_arcs:], 1))
    sum_into(
        device, "number_marks", 2 * base, space["marks"], column_of, space["third_sums"], space["listed"]
    )
    ends = device.empty(num_nodes + 1, np.int64)
    entries = Entries.allocate(device, num_arcs + num_nodes)
    grid = blocks(max(num_arcs, num_nodes + 1))
    arrays = (bins, before, column_of, ends, entries.all_columns, entries.all_counts)
    device.launch(
        "triangle.write_rows", grid, 256, num_nodes, num_arcs, base, row_ptr, space["tail"], *arrays
    )
    listing = UsedCodes(device, space.array("listed", 1 + 2 * base, np.int64))
    rows = DeviceRows(ends, entries, listing, codec.decode, device)
    wait()
    entries.count = int(in_use[0]) + num_nodes
    return rows


def make_space(device: CudaDevice, num_nodes: int, num_arcs: int) -> Workspace:
    """Return the scratch; `triangle.cu` and `orient.cu` define the arrays."""
    tiles = sum_state_bytes(max(num_arcs, 2 * num_nodes))
    sums = {"first_sums": tiles, "second_sums": tiles, "third_sums": tiles}
    zeros = {
        "support": 2 * num_arcs,
        "bins": 4 * num_arcs,
        "marks": 2 * num_nodes,
        "owner_state": 8 * NUM_KINDS,
        "facts": 24,
    }
    edges = dict.fromkeys(("out_from", "out_to", "in_to"), 2 * num_arcs)
    arcs = {"tail": 4 * num_arcs, "before": 4 * num_arcs + 4}
    nodes = {"row_ptr": 4 * num_nodes + 4, "outs": 8 * num_nodes}
    nodes["owners"] = 4 * (num_nodes + (NUM_KINDS - 1) * most_owners(num_arcs))
    codes = {"column_of": 8 * num_nodes + 4, "listed": 16 * num_nodes + 16}
    return Workspace(device, zeros=zeros | sums, others=edges | arcs | nodes | codes)


def most_owners(num_arcs: int) -> int:
    """Return the largest number of nodes with more than 32 out-neighbors: the size of each list but the first."""
    return num_arcs // 66 + 1


def narrow_row_ptr(device: CudaDevice, space: Workspace, indptr: DeviceArray) -> int:
    """Write the row pointers as 32-bit positions; return their address."""
    num_nodes, row_ptr = len(indptr) - 1, space["row_ptr"]
    grid = min(512, blocks(num_nodes))
    device.launch("rows.degree_facts", grid, 256, num_nodes, indptr, row_ptr, space["facts"])
    return row_ptr


def orient(
    device: CudaDevice,
    space: Workspace,
    row_ptr: int,
    num_nodes: int,
    indices: DeviceArray,
    arrivals: Sequence[Arrival],
) -> None:
    """Fill the scratch with the oriented graph and the lists of owners."""
    num_arcs, outs, ticket = len(indices), space["outs"], space["first_sums"]
    lists = (outs, space["out_to"], ticket + 8, ticket, space["tail"], space["out_from"], space["in_to"])
    first = 0
    for end, arrival in arrivals:
        device.wait(arrival)
        sizes = (num_nodes, num_arcs)
        device.launch("orient.split_arcs", blocks(end - first, TILE), 256, *sizes, row_ptr, indices, *lists)
        first = end
    kinds = (most_owners(num_arcs), HEAVY, MEDIUM, large_list(device))
    arrays = (row_ptr, outs, space["owners"], space["owner_state"])
    device.launch("orient.list_owners", blocks(num_nodes), 256, num_nodes, *kinds, *arrays)


def large_list(device: CudaDevice) -> int:
    """Return the longest out-list whose table fits the shared memory of a block."""
    return int(min(LARGE, 1 << ((device.shared_bytes - OTHER_SHARED) // TABLE_BYTES).bit_length() - 1))


def count_triangles(
    device: CudaDevice, space: Workspace, row_ptr: int, num_nodes: int, num_arcs: int
) -> None:
    """Add to the support of every edge its triangles; long lists first, since they take longest."""
    sms, large = device.num_multiprocessors, large_list(device)
    longest, stride = min(int(num_arcs**0.5) + 1, num_nodes), most_owners(num_arcs)
    owners, state = space["owners"], space["owner_state"]
    arrays = [row_ptr, *(space[name] for name in ("outs", "out_to", "in_to", "support"))]

    def lists(kind: int) -> tuple[int, int, int]:
        first = num_nodes + (kind - 1) * stride
        return owners + 4 * first, state + 4 * kind, state + 4 * (NUM_KINDS + kind)

    if longest > large:
        size = 1 << (2 * longest - 1).bit_length()
        tables, grid = device.empty(2 * size * sms, np.int32), min(sms, num_nodes)
        device.launch("triangle.count_by_blocks_wide", grid, 512, size, tables, *lists(6), *arrays)
    if longest > MEDIUM:
        grid, shared = min(sms, num_nodes), TABLE_BYTES * large
        device.launch("triangle.count_by_blocks", grid, 512, large, *lists(5), *arrays, shared=shared)
    share = 4 if num_nodes > MANY_OWNERS else 1
    sizes, states = (num_nodes, stride, share), (owners, state, state + 4 * NUM_KINDS)
    device.launch(
        "triangle.count_triangles", min(8 * sms, blocks(num_nodes, 8)), 256, *sizes, *states, *arrays
    )


def blocks(count: int, threads: int = 256) -> int:
    """Return the number of blocks that give every item a thread."""
    return -(-count // threads)

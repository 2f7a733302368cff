"""What the peers' networks read: graphs as NumPy arrays, and one batch of every replica as index arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from research.nets.peers.bags import Bag, Hops

Array: TypeAlias = np.ndarray[Any, Any]

#: Rows at the end of the last replica that are never real, for what only fills up.
SPARE = 16


@dataclass(frozen=True, eq=False)
class PeerGraphs:
    """Many graphs as NumPy arrays.

    Attributes
    ----------
    sizes
        int64 (num_graphs,).
    arcs
        int32 (num_arcs, 2): both directions, numbered inside their graph, by graph and first end.
    arc_ptr
        int64 (num_graphs + 1,).
    inputs
        float32 (num_nodes, width).
    types
        int64 (num_arcs,): the type of every arc, 0 if there are none.
    num_types
        The number of types; 1 if arcs have none.
    bag, hops
        What a network needs besides, or None.
    sample
        The most subgraphs of a graph that a training step reads, a window at a random place; 0 for all.
    """

    sizes: Array
    arcs: Array
    arc_ptr: Array
    inputs: Array
    types: Array
    num_types: int = 1
    bag: Bag | None = None
    hops: Hops | None = None
    sample: int = 0


@dataclass(frozen=True)
class Capacity:
    """How large the arrays of a batch are; what is not needed is filled up, so that all batches have one shape.

    Attributes
    ----------
    nodes, arcs, hops
        Nodes of all replicas, rows per replica, arcs of all replicas, and those of each distance.
    subs, rows, sub_arcs
        Subgraphs of all replicas and per replica, their rows likewise, and their arcs.
    """

    nodes: tuple[int, int]
    arcs: int
    hops: tuple[int, ...] = ()
    subs: tuple[int, int] = (0, 0)
    rows: tuple[int, int] = (0, 0)
    sub_arcs: int = 0

    def numbers(self) -> tuple[int, ...]:
        """Return all of them in one line."""
        return (*self.nodes, self.arcs, *self.hops, *self.subs, *self.rows, self.sub_arcs)

    @classmethod
    def of_numbers(cls, numbers: Sequence[int]) -> "Capacity":
        """Return the record of `numbers`."""
        first, hops, last = numbers[:3], numbers[3:-5], numbers[-5:]
        return cls(
            (first[0], first[1]), first[2], tuple(hops), (last[0], last[1]), (last[2], last[3]), last[4]
        )

    def enlarged(self, other: "Capacity", reserve: float = 1.0) -> "Capacity":
        """Return a capacity for both, with a reserve where the other one needs more."""
        found = Capacity.of_numbers(
            [
                have if have >= need else int(need * reserve) + 1
                for have, need in zip(self.numbers(), other.numbers(), strict=True)
            ]
        )
        wide = [(total, round_width(width)) for total, width in (found.nodes, found.subs, found.rows)]
        return replace(found, nodes=wide[0], subs=wide[1], rows=wide[2])

    def holds(self, other: "Capacity") -> bool:
        """Return whether there is enough of everything."""
        return all(have >= need for have, need in zip(self.numbers(), other.numbers(), strict=True))


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs between flat rows, sorted by target; every arc has its opposite.

    Attributes
    ----------
    source, target
        int64 (E,): flat rows; arcs that only fill up come last, at rows that are never real.
    offsets
        int64 (rows + 1,): where the arcs of each target row begin; the last entry is the number of real arcs.
    types
        int64 (E,): replica times number of types plus the arc's type, or None.
    """

    source: Tensor
    target: Tensor
    offsets: Tensor
    types: Tensor | None = None


NO_ARCS = Arcs(torch.empty(0), torch.empty(0), torch.empty(0))


@dataclass(eq=False)
class Rows:
    """The rows (M, R) of a level, real ones first in every replica, and the arcs between them.

    Attributes
    ----------
    shape
        M and R.
    place
        int64 (T,): the flat row of each of T rows; those that only fill up point at the last rows, which are
        never real.
    mask, count
        (M, R, 1): one for real rows; (M, 1, 1): how many there are, at least one.
    arcs
        Between the rows; none at the level of subgraphs.
    """

    shape: tuple[int, int]
    place: Tensor
    mask: Tensor
    count: Tensor
    arcs: Arcs = NO_ARCS

    def filled(self, values: Tensor) -> Tensor:
        """Return values of the T rows as (M, R, C), zeros elsewhere."""
        out = values.new_zeros(self.shape[0] * self.shape[1], values.shape[1])
        return out.index_copy(0, self.place, values).view(*self.shape, -1)


@dataclass(eq=False)
class PeerBatch:
    """One batch of every replica.

    Attributes
    ----------
    nodes, inputs
        The level of nodes, and their inputs (M, N, width).
    graph
        int64 (T_nodes,): the flat graph m * B + b of every node; M * B for what only fills up.
    sizes
        (M, B, 1): nodes per graph.
    graphs
        M and B.
    node_inside
        int64 (T_nodes,): number of every node inside its graph.
    largest
        Nodes of the largest graph of the set.
    hops, peripheral
        The arcs of each distance; what lies between nodes that far away (M, N, P).
    rows, mark, row_node, row_sub
        The level of the bag's rows; mark, flat node and flat subgraph of every row.
    subs, sub_graph, sub_node, sub_row
        The level of subgraphs; flat graph, flat root node and flat root row of every subgraph.
    """

    nodes: Rows
    inputs: Tensor
    graph: Tensor
    sizes: Tensor
    graphs: tuple[int, int]
    node_inside: Tensor
    largest: int
    hops: tuple[Arcs, ...] = ()
    peripheral: Tensor | None = None
    rows: Rows | None = None
    mark: Tensor | None = None
    row_node: Tensor | None = None
    row_sub: Tensor | None = None
    subs: Rows | None = None
    sub_graph: Tensor | None = None
    sub_node: Tensor | None = None
    sub_row: Tensor | None = None


def round_width(rows: int) -> int:
    """Return at least as many rows, a number that many powers of two divide."""
    step = 1024 if rows > 8192 else 64
    return -(-rows // step) * step

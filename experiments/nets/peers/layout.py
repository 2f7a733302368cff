"""Graphs and their bags on a device, and the batch of every replica as index arrays, made without waiting for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from experiments.nets.peers.bags import Bag, Hops

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class PeerGraphs:
    """Many graphs as NumPy arrays.

    Attributes
    ----------
    sizes
        int64 (num_graphs,).
    arcs
        int32 (num_arcs, 2): source and target, both directions, numbered inside their graph, by graph.
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


@dataclass(eq=False)
class Rows:
    """The rows (M, R) of a level, real ones first in every replica, and the arcs between them.

    Attributes
    ----------
    shape
        M and R.
    place
        int64 (T,): the flat row of each of the T real rows.
    mask, count
        (M, R, 1): one for real rows; (M, 1, 1): how many there are.
    source, target
        int64 (E,): flat rows.
    types
        int64 (E,): replica times number of types plus the arc's type.
    """

    shape: tuple[int, int]
    place: Tensor
    mask: Tensor
    count: Tensor
    source: Tensor = field(default_factory=lambda: torch.empty(0))
    target: Tensor = field(default_factory=lambda: torch.empty(0))
    types: Tensor | None = None

    def filled(self, values: Tensor) -> Tensor:
        """Return values of the real rows as (M, R, C), zeros elsewhere."""
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
        int64 (T_nodes,): the flat graph m * B + b of every real node.
    sizes
        (M, B, 1): nodes per graph.
    graphs
        M and B.
    hops, peripheral
        For each distance its source and target rows; what lies between nodes that far away (M, N, P).
    rows, mark, row_node, row_sub
        The level of the bag's rows; mark, flat node and flat subgraph of every real row.
    subs, sub_graph, sub_node, sub_row
        The level of subgraphs; flat graph, flat root node and flat root row of every real subgraph.
    node_inside
        int64 (T_nodes,): number of every real node inside its graph.
    """

    nodes: Rows
    inputs: Tensor
    graph: Tensor
    sizes: Tensor
    graphs: tuple[int, int]
    node_inside: Tensor
    hops: tuple[tuple[Tensor, Tensor], ...] = ()
    peripheral: Tensor | None = None
    rows: Rows | None = None
    mark: Tensor | None = None
    row_node: Tensor | None = None
    row_sub: Tensor | None = None
    subs: Rows | None = None
    sub_graph: Tensor | None = None
    sub_node: Tensor | None = None
    sub_row: Tensor | None = None


class Layout:
    """The arrays of a set on a device; the counts that decide shapes stay on the host as well."""

    def __init__(self, graphs: PeerGraphs, device: str, dtype: torch.dtype = torch.float32) -> None:
        self.graphs, self.device, self.dtype = graphs, device, dtype
        # The last graph is empty and fills up lists of graphs.
        self.sizes = np.append(graphs.sizes, 0)
        self.num_arcs = np.append(np.diff(graphs.arc_ptr), 0)
        self.node_start = self._on(np.append(np.cumsum(self.sizes) - self.sizes, 0)[: len(self.sizes)])
        self.arc_start = self._on(np.append(graphs.arc_ptr[:-1], 0))
        self.inputs = torch.from_numpy(graphs.inputs).to(device, dtype)
        self.arcs = self._on(graphs.arcs)
        self.types = self._on(graphs.types)
        self.node_counts, self.arc_counts = self._on(self.sizes), self._on(self.num_arcs)
        if graphs.bag is not None:
            self._add_bag(graphs.bag)
        if graphs.hops is not None:
            self._add_hops(graphs.hops)

    @property
    def none(self) -> int:
        """Return the number of the empty graph."""
        return len(self.sizes) - 1

    def _on(self, values: Array) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int64)).to(self.device)

    def _add_bag(self, bag: Bag) -> None:
        self.num_subs = np.append(np.diff(bag.sub_ptr), 0)
        self.sub_start = np.append(bag.sub_ptr[:-1], 0)
        # Prefix sums over subgraphs, so that the host knows the size of any window.
        self.row_ptr, self.sub_arc_ptr = bag.row_ptr, bag.arc_ptr
        names = ("node", "mark", "arcs", "origin", "root", "root_row", "row_ptr", "arc_ptr")
        self.bag = {name: self._on(getattr(bag, name)) for name in names}

    def _add_hops(self, hops: Hops) -> None:
        self.hop_counts = np.concatenate([np.diff(hops.ptr), np.zeros((len(hops.ptr), 1), dtype=int)], axis=1)
        starts = np.concatenate([hops.ptr[:, :-1], np.zeros((len(hops.ptr), 1), dtype=int)], axis=1)
        self.hop_starts = self._on(starts)
        self.hop_counts_on = self._on(self.hop_counts)
        self.hop_arcs = [self._on(arcs) for arcs in hops.arcs]
        self.peripheral = torch.from_numpy(hops.peripheral).to(self.device, self.dtype)

    def batch(self, chosen: Array, rng: np.random.Generator | None = None) -> PeerBatch:
        """Return the batch of int64 (M, B) graph numbers; with `rng`, at most `sample` subgraphs of each."""
        replicas, many = chosen.shape
        flat = self._on(chosen.reshape(-1))
        nodes, owner, inside, begin = _level(
            self.sizes[chosen], self.node_counts[flat], self.device, self.dtype
        )
        width = max(nodes.shape[1], 1)
        ends, arc, arc_owner = self._arcs(chosen, flat, nodes.place, begin)
        nodes.source, nodes.target = ends
        nodes.types = nodes.target // width * self.graphs.num_types + self.types[arc]
        sizes = self.node_counts[flat].view(replicas, many, 1).to(self.dtype)
        index = self.node_start[flat[owner]] + inside
        made = PeerBatch(nodes, nodes.filled(self.inputs[index]), owner, sizes, (replicas, many), inside)
        if self.graphs.hops is not None:
            made.hops = tuple(
                self._hop(number, chosen, flat, nodes.place, begin) for number in range(len(self.hop_arcs))
            )
            made.peripheral = nodes.filled(self.peripheral[index])
        if self.graphs.bag is not None:
            self._fill_bag(made, chosen, flat, begin, rng)
        return made

    def _arcs(
        self, chosen: Array, flat: Tensor, place: Tensor, begin: Tensor
    ) -> tuple[tuple[Tensor, Tensor], Tensor, Tensor]:
        """Return flat source and target rows of the graphs' arcs, their numbers, and the graph of each."""
        owner, inside = _spread(self.arc_counts[flat], int(self.num_arcs[chosen].sum()))
        arc = self.arc_start[flat[owner]] + inside
        first = begin[owner]
        ends = place[first + self.arcs[arc, 0]], place[first + self.arcs[arc, 1]]
        return ends, arc, owner

    def _hop(
        self, number: int, chosen: Array, flat: Tensor, place: Tensor, begin: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return flat source and target rows of the arcs of one distance."""
        total = int(self.hop_counts[number][chosen].sum())
        owner, inside = _spread(self.hop_counts_on[number][flat], total)
        ends = self.hop_arcs[number][self.hop_starts[number][flat[owner]] + inside]
        first = begin[owner]
        return place[first + ends[:, 0]], place[first + ends[:, 1]]

    def _fill_bag(
        self, made: PeerBatch, chosen: Array, flat: Tensor, begin: Tensor, rng: np.random.Generator | None
    ) -> None:
        """Add the rows and subgraphs of the bag to a batch."""
        subs, owner = self._window(chosen, rng)
        per_replica = np.bincount(owner // chosen.shape[1], minlength=len(chosen))
        rows = self.row_ptr[subs + 1] - self.row_ptr[subs]
        arcs = self.sub_arc_ptr[subs + 1] - self.sub_arc_ptr[subs]
        sub, graph = self._on(subs), self._on(owner)
        made.subs = _ragged(per_replica, self.device, self.dtype)
        line = owner // chosen.shape[1]
        in_replica = np.zeros(len(chosen), dtype=np.int64)
        np.add.at(in_replica, line, rows)
        made.rows = level = _ragged(in_replica, self.device, self.dtype)
        row_counts = self.bag["row_ptr"][sub + 1] - self.bag["row_ptr"][sub]
        of_row, inside = _spread(row_counts, int(rows.sum()))
        row = self.bag["row_ptr"][sub[of_row]] + inside
        row_begin = row_counts.cumsum(0) - row_counts
        node_place = made.nodes.place
        made.mark = self.bag["mark"][row]
        made.row_node = node_place[begin[graph[of_row]] + self.bag["node"][row]]
        made.row_sub = made.subs.place[of_row]
        arc_counts = self.bag["arc_ptr"][sub + 1] - self.bag["arc_ptr"][sub]
        of_arc, inside = _spread(arc_counts, int(arcs.sum()))
        arc = self.bag["arc_ptr"][sub[of_arc]] + inside
        first = row_begin[of_arc]
        level.source = level.place[first + self.bag["arcs"][arc, 0]]
        level.target = level.place[first + self.bag["arcs"][arc, 1]]
        origin = self.arc_start[flat[graph[of_arc]]] + self.bag["origin"][arc]
        level.types = level.target // level.shape[1] * self.graphs.num_types + self.types[origin]
        made.sub_graph = graph
        made.sub_node = node_place[begin[graph] + self.bag["root"][sub]]
        made.sub_row = level.place[row_begin + self.bag["root_row"][sub]]

    def _window(self, chosen: Array, rng: np.random.Generator | None) -> tuple[Array, Array]:
        """Return the subgraphs of a batch and the flat graph of each, graph after graph."""
        flat = chosen.reshape(-1)
        have = self.num_subs[flat]
        sampled = rng is not None and self.graphs.sample > 0
        take = np.minimum(have, self.graphs.sample) if sampled else have
        shift = rng.integers(0, np.maximum(have, 1)) if rng is not None and sampled else np.zeros_like(have)
        owner = np.repeat(np.arange(len(flat)), take)
        inside = np.arange(len(owner)) - np.repeat(np.cumsum(take) - take, take)
        number = (inside + shift[owner]) % np.maximum(have[owner], 1)
        return self.sub_start[flat[owner]] + number, owner


def _spread(counts: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """Return for each of `total` parts its owner and its number inside; `counts` are the parts of each owner."""
    numbers = torch.arange(len(counts), device=counts.device)
    owner = torch.repeat_interleave(numbers, counts, output_size=total)
    begin = counts.cumsum(0) - counts
    return owner, torch.arange(total, device=counts.device) - begin[owner]


def _ragged(per_replica: Array, device: str, dtype: torch.dtype) -> Rows:
    """Return the rows of replicas that have different numbers of them."""
    width = max(int(per_replica.max()), 1)
    counts = torch.from_numpy(per_replica.astype(np.int64)).to(device)
    line, inside = _spread(counts, int(per_replica.sum()))
    mask = (torch.arange(width, device=device) < counts.unsqueeze(1)).to(dtype).unsqueeze(2)
    return Rows((len(per_replica), width), line * width + inside, mask, counts.view(-1, 1, 1).to(dtype))


def _level(
    sizes: Array, counts: Tensor, device: str, dtype: torch.dtype
) -> tuple[Rows, Tensor, Tensor, Tensor]:
    """Return the rows of (M, B) graphs, the flat graph and the number inside it of each, and where graphs begin."""
    rows = _ragged(sizes.sum(axis=1), device, dtype)
    owner, inside = _spread(counts, int(sizes.sum()))
    return rows, owner, inside, counts.cumsum(0) - counts


def as_array(lists: Sequence[Array], none: int) -> Array:
    """Return lists of graph numbers as one array, filled up with `none`.

    Examples
    --------
    >>> as_array([np.array([4]), np.array([1, 2])], 9).tolist()
    [[4, 9], [1, 2]]
    """
    found = np.full((len(lists), max(len(part) for part in lists)), none, dtype=np.int64)
    for line, part in enumerate(lists):
        found[line, : len(part)] = part
    return found

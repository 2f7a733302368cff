"""Graphs and their bags on a device, and the batch of every replica as index arrays, made without waiting for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from experiments.nets.peers.bags import Bag, Hops

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
        return Capacity.of_numbers(
            [
                have if have >= need else int(need * reserve) + 1
                for have, need in zip(self.numbers(), other.numbers(), strict=True)
            ]
        )

    def holds(self, other: "Capacity") -> bool:
        """Return whether there is enough of everything."""
        return all(have >= need for have, need in zip(self.numbers(), other.numbers(), strict=True))


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
        For each distance its source and target rows; what lies between nodes that far away (M, N, P).
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
        self.largest = max(int(self.sizes.max()), 1)
        self.node_start = self.on_device(np.cumsum(self.sizes) - self.sizes)
        self.arc_start = self.on_device(np.append(graphs.arc_ptr[:-1], 0))
        self.inputs = torch.from_numpy(graphs.inputs).to(device, dtype)
        # One more arc, for lists that are filled up.
        self.arcs = self.on_device(np.concatenate([graphs.arcs, np.zeros((1, 2), dtype=graphs.arcs.dtype)]))
        self.types = self.on_device(np.append(graphs.types, 0))
        self.node_counts, self.arc_counts = self.on_device(self.sizes), self.on_device(self.num_arcs)
        self.hop_arcs: list[Tensor] = []
        if graphs.bag is not None:
            self._add_bag(graphs.bag)
        if graphs.hops is not None:
            self._add_hops(graphs.hops)

    @property
    def none(self) -> int:
        """Return the number of the empty graph."""
        return len(self.sizes) - 1

    def on_device(self, values: Array) -> Tensor:
        """Return numbers on the device, int64."""
        return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int64)).to(self.device)

    def _add_bag(self, bag: Bag) -> None:
        self.num_subs = np.append(np.diff(bag.sub_ptr), 0)
        self.sub_start = np.append(bag.sub_ptr[:-1], 0)
        # Prefix sums over subgraphs, so that the host knows the size of any window.
        self.row_ptr, self.sub_arc_ptr = bag.row_ptr, bag.arc_ptr
        arrays = {name: getattr(bag, name) for name in ("node", "mark", "origin", "root", "root_row")}
        arrays |= {"sub_start": self.sub_start, "num_subs": self.num_subs, "row_start": bag.row_ptr[:-1]}
        arrays |= {
            "rows": np.diff(bag.row_ptr),
            "arc_start": bag.arc_ptr[:-1],
            "num_arcs": np.diff(bag.arc_ptr),
        }
        self.bag = {name: self.on_device(np.append(values, 0)) for name, values in arrays.items()}
        self.bag["arcs"] = self.on_device(np.concatenate([bag.arcs, np.zeros((1, 2), dtype=bag.arcs.dtype)]))

    def _add_hops(self, hops: Hops) -> None:
        none = np.zeros((len(hops.ptr), 1), dtype=np.int64)
        self.hop_counts = np.concatenate([np.diff(hops.ptr), none], axis=1)
        self.hop_starts = self.on_device(np.concatenate([hops.ptr[:, :-1], none], axis=1))
        self.hop_counts_on = self.on_device(self.hop_counts)
        self.hop_arcs = [
            self.on_device(np.concatenate([arcs, np.zeros((1, 2), dtype=arcs.dtype)])) for arcs in hops.arcs
        ]
        self.peripheral = torch.from_numpy(hops.peripheral).to(self.device, self.dtype)

    def shifts(self, chosen: Array, rng: np.random.Generator) -> Array:
        """Return per graph where the window of its sampled subgraphs begins, (M, B); zeros where none are sampled."""
        if not self.graphs.sample:
            return np.zeros(chosen.shape, dtype=np.int64)
        return rng.integers(0, np.maximum(self.num_subs[chosen], 1))

    def capacity(self, chosen: Array, shift: Array | None = None) -> Capacity:
        """Return how large the arrays of (M, B) graphs are; with `shift`, of their sampled subgraphs."""
        nodes, spare = self.sizes[chosen].sum(axis=1), SPARE
        found = Capacity(
            (int(nodes.sum()), int(nodes.max()) + spare),
            int(self.num_arcs[chosen].sum()),
            tuple(int(counts[chosen].sum()) for counts in self.hop_counts) if self.hop_arcs else (),
        )
        if self.graphs.bag is None:
            return found
        have = self.num_subs[chosen]
        take = have if shift is None or not self.graphs.sample else np.minimum(have, self.graphs.sample)
        rows = self._in_window(self.row_ptr, chosen, shift, take).sum(axis=1)
        arcs = self._in_window(self.sub_arc_ptr, chosen, shift, take)
        many = take.sum(axis=1)
        return replace(
            found,
            subs=(int(many.sum()), int(many.max()) + spare),
            rows=(int(rows.sum()), int(rows.max()) + spare),
            sub_arcs=int(arcs.sum()),
        )

    def _in_window(self, pointer: Array, chosen: Array, shift: Array | None, take: Array) -> Array:
        """Return the parts of `take` subgraphs from `shift` on, from the first again after the last."""
        first, have = self.sub_start[chosen], self.num_subs[chosen]
        begin = first + (0 if shift is None else shift)
        end = begin + take
        last = first + have
        beyond = np.maximum(end - last, 0)
        inner: Array = (
            pointer[np.minimum(end, last)] - pointer[begin] + pointer[first + beyond] - pointer[first]
        )
        return inner

    def batch(self, chosen: Tensor, space: Capacity, shift: Tensor | None = None) -> PeerBatch:
        """Return the batch of int64 (M, B) graph numbers in arrays of the given size, without waiting for the device."""
        shape = (chosen.shape[0], chosen.shape[1])
        flat = chosen.reshape(-1)
        counts = self.node_counts[flat]
        owner, inside, begin = _spread(counts, space.nodes[0])
        nodes = _placed(shape, space.nodes[1], owner, begin, counts, self.dtype)
        ends, arc = self._ends(
            self.arc_counts[flat], self.arc_start[flat], self.arcs, space.arcs, nodes, begin
        )
        nodes.source, nodes.target = ends
        nodes.types = nodes.target // nodes.shape[1] * self.graphs.num_types + self.types[arc]
        real = owner < len(flat)
        index = torch.where(real, self.node_start[flat[owner.clamp(max=len(flat) - 1)]] + inside, 0)
        made = PeerBatch(
            nodes=nodes,
            inputs=nodes.filled(self.inputs[index]),
            graph=owner,
            sizes=counts.view(*shape, 1).to(self.dtype),
            graphs=shape,
            node_inside=torch.where(real, inside, 0),
            largest=self.largest,
        )
        if self.hop_arcs:
            found = [
                self._ends(
                    self.hop_counts_on[k][flat], self.hop_starts[k][flat], arcs, space.hops[k], nodes, begin
                )
                for k, arcs in enumerate(self.hop_arcs)
            ]
            made.hops = tuple(pair for pair, _ in found)
            made.peripheral = nodes.filled(self.peripheral[index])
        if self.graphs.bag is not None:
            self._fill_bag(made, flat, begin, space, shift)
        return made

    @staticmethod
    def _ends(
        counts: Tensor, starts: Tensor, arcs: Tensor, total: int, rows: Rows, begin: Tensor
    ) -> tuple[tuple[Tensor, Tensor], Tensor]:
        """Return flat source and target rows of the arcs of some owners, and their numbers."""
        owner, inside, _ = _spread(counts, total)
        real = owner < len(counts)
        owner = owner.clamp(max=len(counts) - 1)
        arc = torch.where(real, starts[owner] + inside, len(arcs) - 1)
        pair, first = arcs[arc], begin[owner]
        last = rows.shape[0] * rows.shape[1] - 1 - inside % SPARE
        place = rows.place
        limit = max(len(place) - 1, 0)
        ends = [
            torch.where(real, place[(first + pair[:, side]).clamp(max=limit)], last) if len(place) else last
            for side in (0, 1)
        ]
        return (ends[0], ends[1]), arc

    def _fill_bag(
        self, made: PeerBatch, flat: Tensor, begin: Tensor, space: Capacity, shift: Tensor | None
    ) -> None:
        """Add the rows and subgraphs of the bag to a batch."""
        bag, many = self.bag, len(flat)
        have = bag["num_subs"][flat]
        take = have if shift is None or not self.graphs.sample else have.clamp(max=self.graphs.sample)
        graph, number, sub_begin = _spread(take, space.subs[0])
        real = graph < many
        inner = graph.clamp(max=many - 1)
        if shift is not None:
            number = (number + shift.reshape(-1)[inner]) % have[inner].clamp(min=1)
        sub = torch.where(real, bag["sub_start"][flat[inner]] + number, len(bag["rows"]) - 1)
        made.subs = _placed(made.graphs, space.subs[1], graph, sub_begin, take, self.dtype)
        rows = torch.where(real, bag["rows"][sub], 0)
        of_row, inside, row_begin = _spread(rows, space.rows[0])
        is_row = of_row < len(sub)
        of_row = of_row.clamp(max=len(sub) - 1)
        row = torch.where(is_row, bag["row_start"][sub[of_row]] + inside, len(bag["node"]) - 1)
        # Rows are placed by the replica of their graph.
        per_graph = torch.zeros(many + 1, dtype=torch.int64, device=flat.device).index_add(0, graph, rows)[
            :many
        ]
        owner = torch.where(is_row, graph[of_row], many)
        level = _placed(
            made.graphs, space.rows[1], owner, per_graph.cumsum(0) - per_graph, per_graph, self.dtype
        )
        made.rows = level
        nodes = made.nodes
        fill = nodes.shape[0] * nodes.shape[1] - 1
        made.mark = bag["mark"][row]
        node = (begin[inner[of_row]] + bag["node"][row]).clamp(max=len(nodes.place) - 1)
        made.row_node = torch.where(is_row, nodes.place[node], fill - inside % SPARE)
        sub_fill = made.subs.shape[0] * made.subs.shape[1] - 1
        made.row_sub = torch.where(is_row, made.subs.place[of_row], sub_fill - inside % SPARE)
        arcs = torch.where(real, bag["num_arcs"][sub], 0)
        ends, arc = self._ends(arcs, bag["arc_start"][sub], bag["arcs"], space.sub_arcs, level, row_begin)
        level.source, level.target = ends
        of_arc = _spread(arcs, space.sub_arcs)[0].clamp(max=len(sub) - 1)
        origin = (self.arc_start[flat[inner[of_arc]]] + bag["origin"][arc]).clamp(max=len(self.types) - 1)
        level.types = level.target // level.shape[1] * self.graphs.num_types + self.types[origin]
        made.sub_graph = graph
        root = (begin[inner] + bag["root"][sub]).clamp(max=len(nodes.place) - 1)
        made.sub_node = torch.where(real, nodes.place[root], fill)
        first = (row_begin + bag["root_row"][sub]).clamp(max=len(level.place) - 1)
        made.sub_row = torch.where(real, level.place[first], level.shape[0] * level.shape[1] - 1)

    def exact(self, chosen: Array, shift: Array | None = None) -> PeerBatch:
        """Return the batch of (M, B) graphs in arrays that are no larger than needed."""
        moved = None if shift is None else self.on_device(shift)
        return self.batch(self.on_device(chosen), self.capacity(chosen, shift), moved)


def _spread(counts: Tensor, total: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return for each of `total` parts its owner and its number inside, and where owners begin.

    Parts beyond the sum of `counts` belong to one more owner.
    """
    ends = counts.cumsum(0)
    begin = ends - counts
    rest = total - (ends[-1:] if len(ends) else torch.zeros_like(counts))
    many = torch.cat([counts, rest])
    numbers = torch.arange(len(many), device=counts.device)
    owner = torch.repeat_interleave(numbers, many, output_size=total)
    first = torch.cat([begin, ends[-1:]])
    return owner, torch.arange(total, device=counts.device) - first[owner], begin


def _placed(
    shape: tuple[int, int], width: int, owner: Tensor, begin: Tensor, counts: Tensor, dtype: torch.dtype
) -> Rows:
    """Return the rows of a level: parts of (M, B) owners, which follow one another, `width` rows per replica."""
    replicas, many = shape
    line = owner // many
    per_replica = counts.view(replicas, many).sum(1)
    number = torch.arange(len(owner), device=owner.device)
    first = torch.cat([begin.view(replicas, many)[:, 0], number.new_zeros(1)])
    flat = line * width + number - first[line.clamp(max=replicas)]
    place = torch.where(owner < replicas * many, flat, replicas * width - 1 - number % SPARE)
    mask = (torch.arange(width, device=owner.device) < per_replica.unsqueeze(1)).to(dtype).unsqueeze(2)
    return Rows((replicas, width), place, mask, per_replica.view(-1, 1, 1).to(dtype))


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

"""Graphs and their bags on a device, and the batch of every replica as index arrays, made without waiting for it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from research.nets.peers.bags import Bag, Hops
from research.nets.peers.records import SPARE, Arcs, Capacity, PeerBatch, PeerGraphs, Rows, round_width

Array: TypeAlias = np.ndarray[Any, Any]


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
        drawn: Array = rng.integers(0, np.maximum(self.num_subs[chosen], 1))
        return drawn

    def capacity(self, chosen: Array, shift: Array | None = None) -> Capacity:
        """Return how large the arrays of (M, B) graphs are; with `shift`, of their sampled subgraphs."""
        nodes, spare = self.sizes[chosen].sum(axis=1), SPARE
        found = Capacity(
            (int(nodes.sum()), round_width(int(nodes.max()) + spare)),
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
            subs=(int(many.sum()), round_width(int(many.max()) + spare)),
            rows=(int(rows.sum()), round_width(int(rows.max()) + spare)),
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
        """Return the batch of int64 (M, B) graph numbers in arrays of one size, without waiting for the device."""
        shape = (chosen.shape[0], chosen.shape[1])
        flat = chosen.reshape(-1)
        counts = self.node_counts[flat]
        owner, inside, begin = _spread(counts, space.nodes[0])
        nodes = _placed(shape, space.nodes[1], owner, begin, counts, self.dtype)
        found, arc = _ends(self.arc_counts[flat], self.arc_start[flat], self.arcs, space.arcs, nodes, begin)
        nodes.arcs = self._typed(found, self.types[arc], nodes)
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
            starts, counts = self.hop_starts[:, flat], self.hop_counts_on[:, flat]
            made.hops = tuple(
                _ends(counts[k], starts[k], arcs, space.hops[k], nodes, begin)[0]
                for k, arcs in enumerate(self.hop_arcs)
            )
            made.peripheral = nodes.filled(self.peripheral[index])
        if self.graphs.bag is not None:
            self._fill_bag(made, flat, begin, space, shift)
        return made

    def _typed(self, arcs: Arcs, types: Tensor, rows: Rows) -> Arcs:
        """Return arcs with their types, if the set has types."""
        if self.graphs.num_types == 1:
            return arcs
        return replace(arcs, types=arcs.target // rows.shape[1] * self.graphs.num_types + types)

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
        level.arcs, arc = _ends(arcs, bag["arc_start"][sub], bag["arcs"], space.sub_arcs, level, row_begin)
        if self.graphs.num_types > 1:
            of_arc = _spread(arcs, space.sub_arcs)[0].clamp(max=len(sub) - 1)
            origin = (self.arc_start[flat[inner[of_arc]]] + bag["origin"][arc]).clamp(max=len(self.types) - 1)
            level.arcs = self._typed(level.arcs, self.types[origin], level)
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
    number = torch.arange(total, device=counts.device)
    owner = torch.searchsorted(ends, number, right=True)
    return owner, number - torch.cat([begin, ends[-1:]])[owner], begin


def _ends(
    counts: Tensor, starts: Tensor, arcs: Tensor, total: int, rows: Rows, begin: Tensor
) -> tuple[Arcs, Tensor]:
    """Return the arcs of some owners between flat rows, and their numbers; an arc's first end is its target here."""
    owner, inside, _ = _spread(counts, total)
    real = owner < len(counts)
    owner = owner.clamp(max=len(counts) - 1)
    arc = torch.where(real, starts[owner] + inside, len(arcs) - 1)
    pair, first = arcs[arc], begin[owner]
    many = rows.shape[0] * rows.shape[1]
    limit = max(len(rows.place) - 1, 0)
    target, source = (
        torch.where(real, rows.place[(first + pair[:, side]).clamp(max=limit)], many - 1 - inside % SPARE)
        for side in (0, 1)
    )
    numbers = torch.arange(many + 1, device=counts.device)
    key = torch.where(real, target, many)
    return Arcs(source, target, torch.searchsorted(key, numbers)), arc


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
    return Rows((replicas, width), place, mask, per_replica.view(-1, 1, 1).clamp(min=1).to(dtype))


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

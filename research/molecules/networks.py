"""Plain GINE, GINE with a feed-forward network, and GCN on molecules with columns of atoms and of bonds.

`python -m research.molecules.network_columns FOLDER` prepares the sets. Then

    python -m research.molecules.networks train JOB FOLDER OUTPUT --minutes 9

trains one of `JOBS` until it has its epochs or the minutes are over; the learning rate falls to zero in either case.
All cells, settings and seeds of a job are trained in one program, replicas in front of every array. OUTPUT gets a line
after every evaluation and a line per replica at the end. Every choice is made by validation molecules, also between
the weights and their running average; the test molecules are measured once, after the last epoch, and not at all in a
search. `--part 0/2` and `--part 1/2` share the
replicas out among two programs. `report FILES` prints the tables.
"""

import itertools
import json
import math
import platform
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import t as student_t
from torch import Tensor
from torch.nn import functional

from research.today.molecules.metrics import is_lower_better, measure, sum_of_losses
from research.today.molecules.stacked import Weights, linear, normalize, product
from research.today.molecules.training import adam

Array = np.ndarray[Any, Any]

NODES = ("none", "rwse", "lappe", "ego", "ego+rwse", "rings")
BONDS = ("type", "ring", "pair", "rrwp", "pair+ring")
#: Steps of random walks, and rings up to this length have a column each.
WALKS, LONGEST = 20, 8
#: Weight decay, dropout and edge width: every cell is trained with all of them.
SETTINGS = ((0.03, 0.0, 48), (0.3, 0.0, 16), (0.3, 0.1, 48), (1.0, 0.0, 48))
RIVALS = (
    ("none", "type"),
    ("rwse", "type"),
    ("ego", "type"),
    ("none", "ring"),
    ("rwse", "ring"),
)
#: The cell with the lowest validation error in long runs, and the best without columns of ego-networks.
BEST = (("rwse", "ring"), ("rings", "pair"))
#: Levels of what `recipes` compares, for both cells; "both" is the fourth factor.
RECIPES = {"decay": (0.03, 0.3), "dropout": (0.0, 0.05), "rate": (1e-3, 2e-3)}
WIDEST_EDGE = 48
FLIPPED = 8
RATE, WARM_UP, MOMENTUM = 1e-3, 0.03, 0.03
#: Share of the newest weights in their running average.
AVERAGING = 1e-3
ROWS_AT_ONCE = 4_000_000
#: What is tried on a GPU, the fastest first: see `Trainer.record`.
TRIED = (("layer", "update", "graph"), ("layer", "graph"), ("layer",), ())
#: Has an entry once the program was asked to end: then it measures, writes its lines and ends.
STOPPED: list[int] = []
#: Sets whose networks had fewer epochs than this are in no table.
FEWEST_EPOCHS = 20
#: Nadeau and Bengio's correction of intervals over splits of a set: test molecules / training molecules.
OVERLAP = 1 / 8


@dataclass(frozen=True)
class Replica:
    """One network: columns of atoms and of bonds, seed, weight decay, dropout, edge width, and which split.

    `rate` is the highest learning rate. With `both`, the head sees the sum and the mean of the atoms.
    """

    nodes: str
    bonds: str
    seed: int = 0
    decay: float = 0.1
    dropout: float = 0.0
    edge: int = 16
    part: int = 0
    rate: float = RATE
    both: bool = False

    @property
    def cell(self) -> tuple[str, str]:
        """Return the columns."""
        return self.nodes, self.bonds

    @property
    def setting(self) -> tuple[float, ...]:
        """Return what a search varies."""
        return self.decay, self.dropout, self.edge, self.rate, self.both


@dataclass(frozen=True)
class Job:
    """What one program trains: a set, a kind of network, replicas, epochs at most, molecules per batch.

    `share` is the part of the minutes, next to the other jobs of the same command. A search does not read the test
    molecules.
    """

    name: str
    data: str
    kind: str
    replicas: tuple[Replica, ...]
    epochs: int
    batch: int
    width: int
    layers: int = 6
    every: int = 5
    share: float = 1.0
    reads_test: bool = True


# --- Data ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Molecules:
    """A set on a device.

    Attributes
    ----------
    start, arc_start
        int64 (graphs + 1,): the first atom and the first arc of every molecule.
    first
        int64 (atoms + 1,): the first arc to every atom; arcs are sorted by their target.
    source, target, reverse
        int64 (arcs,): the ends of every arc, and its opposite arc.
    atom, bond
        float32 (atoms, kinds) and (arcs, kinds): the properties of atoms and bonds, one-hot.
    node_columns, bond_columns
        float32 (cells, atoms, width), (cells, arcs, width): standardized columns of every name, filled up with zeros.
    node_widths, bond_widths
        How many columns every name has.
    goal
        float32 (graphs, targets), NaN where nothing was measured.
    parts
        int64 (splits, graphs): 0 training, 1 validation, 2 test.
    metric, slots
        "mae", "rmse", "auc" or "ap"; the most arcs to an atom.
    """

    start: Tensor
    arc_start: Tensor
    first: Tensor
    source: Tensor
    target: Tensor
    reverse: Tensor
    atom: Tensor
    bond: Tensor
    node_columns: Tensor
    bond_columns: Tensor
    node_widths: dict[str, int]
    bond_widths: dict[str, int]
    goal: Tensor
    parts: Tensor
    metric: str
    slots: int


def walk_probabilities(start: Tensor, ends: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Return how probable it is that a walk from an atom is back, and from the first end of an arc at the second.

    >>> path = torch.tensor([[0, 1], [1, 2], [1, 0], [2, 1]])
    >>> back, along = walk_probabilities(torch.tensor([0, 3]), path, 2)
    >>> back.tolist(), along[:, 0].tolist()
    ([[0.0, 0.5], [0.0, 1.0], [0.0, 0.5]], [1.0, 0.5, 0.5, 1.0])
    """
    device, count = ends.device, int(start[-1])
    back = torch.zeros(count, steps, device=device)
    along = torch.zeros(len(ends), steps, device=device)
    sizes = start[1:] - start[:-1]
    owner = torch.repeat_interleave(torch.arange(len(sizes), device=device), sizes)
    degree = torch.bincount(ends[:, 0], minlength=count).clamp(min=1).float()
    by_size = torch.argsort(sizes).tolist()
    lengths = sizes.tolist()
    while by_size:
        largest = max(lengths[by_size[-1]], 1)
        many = max(1, ROWS_AT_ONCE // largest**2)
        by_size, chosen = by_size[:-many], torch.tensor(by_size[-many:], device=device)
        number = torch.full((len(sizes),), -1, device=device)
        number[chosen] = torch.arange(len(chosen), device=device)
        arcs = torch.nonzero(number[owner[ends[:, 0]]] >= 0).flatten()
        nodes = torch.nonzero(number[owner] >= 0).flatten()
        block = number[owner[ends[arcs, 0]]]
        rows, columns = (ends[arcs, side] - start[owner[ends[arcs, side]]] for side in (0, 1))
        walk = torch.zeros(len(chosen), largest, largest, device=device)
        walk[block, rows, columns] = 1 / degree[ends[arcs, 0]]
        power = walk
        local = nodes - start[owner[nodes]]
        for step in range(steps):
            back[nodes, step] = power[number[owner[nodes]], local, local]
            along[arcs, step] = power[block, rows, columns]
            power = power @ walk if step + 1 < steps else power
    return back, along


def one_hot_rows(numbers: Array, device: str) -> Tensor:
    """Return the one-hot columns of every column of numbers, next to each other.

    >>> one_hot_rows(np.array([[0, 1], [2, 0]]), "cpu").tolist()
    [[1.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 0.0]]
    """
    columns = torch.from_numpy(numbers.astype(np.int64)).to(device)
    return torch.cat([functional.one_hot(column).float() for column in columns.T], dim=1)


def standardize(columns: Tensor, training: Tensor) -> Tensor:
    """Return columns with mean 0 and spread 1 over the training molecules; constant ones are dropped."""
    mean, spread = columns[training].mean(dim=0), columns[training].std(dim=0)
    kept = spread > 1e-6
    return (columns[:, kept] - mean[kept]) / spread[kept]


def stack_columns(
    blocks: dict[str, Tensor], names: Iterable[str], rows: int
) -> tuple[Tensor, dict[str, int]]:
    """Return the columns of every name, "a+b" for both, filled up to one width, and their widths."""
    joined = {name: [blocks[part] for part in name.split("+") if part in blocks] for name in names}
    widths = {name: sum(block.shape[1] for block in group) for name, group in joined.items()}
    width = max(8, -(-max(widths.values()) // 8) * 8)
    device = next(iter(blocks.values())).device
    found = torch.zeros(len(joined), rows, width, device=device)
    for row, group in zip(found, joined.values(), strict=True):
        if group:
            values = torch.cat(group, dim=1)
            row[:, : values.shape[1]] = values
    return found, widths


def read_set(path: Path, nodes: Iterable[str], bonds: Iterable[str], device: str) -> Molecules:
    """Return a prepared set with the columns that are needed."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}

    def tensor(name: str, dtype: Any = torch.long) -> Tensor:
        return torch.from_numpy(arrays[name]).to(device).to(dtype)

    nodes, bonds = sorted(set(nodes)), sorted(set(bonds))
    needed = {part for name in (*nodes, *bonds) for part in name.split("+")}
    start, edge_start, parts = tensor("start"), tensor("edge_start"), tensor("parts")
    sizes, edges = start[1:] - start[:-1], edge_start[1:] - edge_start[:-1]
    graphs = torch.arange(len(sizes), device=device)
    owner_of_edge = torch.repeat_interleave(graphs, edges)
    ends = tensor("ends") + start[owner_of_edge][:, None]
    count, atoms = len(ends), int(start[-1])
    both = torch.cat([ends, ends.flip(1)])  # (source, target) of every arc
    order = torch.argsort(both[:, 1], stable=True)
    place = torch.empty_like(order)
    place[order] = torch.arange(2 * count, device=device)
    reverse = place[(order + count) % (2 * count)]
    source, target = both[order].T.contiguous()
    first = torch.cat([start.new_zeros(1), torch.bincount(target, minlength=atoms).cumsum(0)])
    in_training = (parts == 0).any(dim=0)
    node_owner = torch.repeat_interleave(graphs, sizes)
    training_nodes = in_training[node_owner]
    training_arcs = training_nodes[target]
    ring = tensor("ring").repeat(2)[order]
    ring = torch.where(ring > LONGEST, LONGEST + 1, ring)
    rings = torch.stack([(ring == size).float() for size in (0, *range(3, LONGEST + 2))], dim=1)
    node_blocks: dict[str, Tensor] = {}
    bond_blocks: dict[str, Tensor] = {"ring": rings}
    if needed & {"rwse", "rrwp"}:
        back, along = walk_probabilities(start, both, WALKS)
        node_blocks["rwse"], bond_blocks["rrwp"] = back, along[order]
    node_blocks["rings"] = torch.log1p(
        torch.zeros(atoms, 7, device=device).index_add(0, target, rings[:, 1:])
    )
    if "ego" in needed:
        rows = torch.log1p(tensor("ego_rows", torch.float32))
        node_blocks["ego"] = rows[tensor("ego_index")]
    if "pair" in needed:
        rows = torch.log1p(tensor("pair_rows", torch.float32))
        bond_blocks["pair"] = rows[tensor("pair_index")[order]]
    node_blocks = {name: standardize(values, training_nodes) for name, values in node_blocks.items()}
    bond_blocks = {name: standardize(values, training_arcs) for name, values in bond_blocks.items()}
    if "lappe" in needed:
        node_blocks["lappe"] = tensor("lappe", torch.float32) * 5  # about spread 1; the signs have no meaning
    node_columns, node_widths = stack_columns(node_blocks, nodes, atoms)
    bond_columns, bond_widths = stack_columns(bond_blocks, bonds, 2 * count)
    return Molecules(
        start=start,
        arc_start=first[start],
        first=first,
        source=source,
        target=target,
        reverse=reverse,
        atom=one_hot_rows(arrays["atoms"], device),
        bond=one_hot_rows(arrays["bonds"], device).repeat(2, 1)[order],
        node_columns=node_columns,
        bond_columns=bond_columns,
        node_widths=node_widths,
        bond_widths=bond_widths,
        goal=tensor("target", torch.float32),
        parts=parts,
        metric=str(arrays["metric"]),
        slots=int((first[1:] - first[:-1]).max()),
    )


@dataclass(frozen=True)
class Capacity:
    """Atoms and arcs of a batch of one replica, with those that fill up."""

    nodes: int
    arcs: int


def capacity_of(data: Molecules, size: int, draws: int = 4000) -> Capacity:
    """Return what all but about one in a thousand random batches need; the others lose their last molecules."""
    found = []
    train = torch.nonzero((data.parts == 0).any(dim=0)).flatten()
    drawn = train[torch.randint(len(train), (draws, size), device=train.device)]
    for start in (data.start, data.arc_start):
        totals = (start[1:] - start[:-1])[drawn].sum(dim=1).float()
        found.append(-(-int(totals.quantile(0.999) + 1) // 16) * 16)
    return Capacity(*found)


Batch = dict[str, Tensor]


def make_batch(
    data: Molecules, graphs: Tensor, space: Capacity, cells: tuple[Tensor, Tensor], flip: Tensor | None
) -> Batch:
    """Return the batch of int64 (replicas, size) molecules; those that do not fit have no goal and no atoms.

    `cells` are the numbers of the columns of atoms and bonds of every replica; `flip` is 1 where the first columns are
    eigenvectors, whose signs are drawn.
    """
    replicas, size = graphs.shape
    row = torch.arange(replicas, device=graphs.device).unsqueeze(1)
    ends = (data.start[graphs + 1] - data.start[graphs]).cumsum(dim=1)
    arc_ends = (data.arc_start[graphs + 1] - data.arc_start[graphs]).cumsum(dim=1)
    fits = (ends <= space.nodes) & (arc_ends <= space.arcs)
    begin = data.start[graphs + 1] - ends  # number of an atom in the data minus its place in the batch
    arc_begin = data.arc_start[graphs + 1] - arc_ends

    def spread(limits: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
        place = torch.arange(count, device=graphs.device).expand(replicas, count).contiguous()
        owner = torch.searchsorted(limits, place, right=True)
        valid = owner < size
        owner = owner.clamp(max=size - 1)
        return place, owner, valid & fits.gather(1, owner)

    place, graph, valid = spread(ends, space.nodes)
    node = torch.where(valid, begin.gather(1, graph) + place, 0)
    arc_place, arc_graph, arc_valid = spread(arc_ends, space.arcs)
    arc = torch.where(arc_valid, arc_begin.gather(1, arc_graph) + arc_place, 0)
    shift = row * space.nodes - begin.gather(1, arc_graph)
    source = torch.where(arc_valid, data.source[arc] + shift, row * space.nodes)
    target = torch.where(arc_valid, data.target[arc] + shift, row * space.nodes)
    arc_shift = row * space.arcs - arc_begin.gather(1, arc_graph)
    reverse = torch.where(arc_valid, data.reverse[arc] + arc_shift, row * space.arcs)
    slot = torch.arange(data.slots, device=graphs.device)
    degree = (data.first[node + 1] - data.first[node]) * valid
    there = slot < degree.unsqueeze(2)
    own = data.first[node] - arc_begin.gather(1, graph) + row * space.arcs
    slots = torch.where(there, own.unsqueeze(2) + slot, 0)
    mask = valid.unsqueeze(2).float()
    columns = data.node_columns.flatten(0, 1)[cells[0].unsqueeze(1) * len(data.atom) + node] * mask
    if flip is not None:
        signs = 1 - 2 * (torch.rand(replicas, size, FLIPPED, device=graphs.device) < 0.5).float()
        signs = signs.gather(1, graph.unsqueeze(2).expand(-1, -1, FLIPPED))
        signs = 1 + (signs - 1) * flip.view(-1, 1, 1)
        columns = torch.cat([columns[..., :FLIPPED] * signs, columns[..., FLIPPED:]], dim=2)
    return {
        "mask": mask,
        "arc_mask": arc_valid.unsqueeze(2).float(),
        "atom": data.atom[node] * mask,
        "bond": data.bond[arc] * arc_valid.unsqueeze(2),
        "columns": columns,
        "bond_columns": data.bond_columns.flatten(0, 1)[cells[1].unsqueeze(1) * len(data.bond) + arc],
        "graph": row * size + graph,
        "atoms": (ends - torch.cat([ends.new_zeros(replicas, 1), ends[:, :-1]], dim=1)).unsqueeze(2).float(),
        "goal": torch.where(fits.unsqueeze(2), data.goal[graphs], torch.nan),
        "source": source,
        "target": target,
        "neighbor": source.flatten()[slots],
        "arc": slots,
        "opposite": reverse.flatten()[slots],
        "there": there,
    }


# --- Network ------------------------------------------------------------------------------------------------------


class Messages(torch.autograd.Function):
    """GINE's messages: the sum over the arcs to an atom of relu(source + bond), with gradients that are sums too."""

    @staticmethod
    def forward(
        ctx: Any,
        values: Tensor,
        bonds: Tensor,
        neighbor: Tensor,
        arc: Tensor,
        opposite: Tensor,
        there: Tensor,
        source: Tensor,
        target: Tensor,
    ) -> Tensor:
        ctx.save_for_backward(values, bonds, neighbor, opposite, there, source, target)
        rows, arcs = values.reshape(-1, values.shape[2]), bonds.reshape(-1, values.shape[2])
        total = torch.zeros_like(values)
        for slot in range(neighbor.shape[2]):
            message = functional.relu(rows[neighbor[:, :, slot]] + arcs[arc[:, :, slot]])
            total = total + message * there[:, :, slot].unsqueeze(2)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        values, bonds, neighbor, opposite, there, source, target = ctx.saved_tensors
        width = values.shape[2]
        above, rows, arcs = (part.reshape(-1, width) for part in (gradient, values, bonds))
        of_values = torch.zeros_like(values)
        for slot in range(neighbor.shape[2]):
            passed = (values + arcs[opposite[:, :, slot]] > 0) & there[:, :, slot].unsqueeze(2)
            of_values = of_values + above[neighbor[:, :, slot]] * passed
        # Arcs that fill up lead from and to the first atom of the replica; their bonds are masked by the caller.
        of_bonds = (above[target] * (rows[source] + bonds > 0)).to(bonds.dtype)
        return of_values, of_bonds, None, None, None, None, None, None


def dropped(values: Tensor, keep: Tensor | None) -> Tensor:
    """Return values with some set to zero, each replica's share `keep` kept."""
    return values if keep is None else values * ((torch.rand_like(values) < keep) / keep)


def add_messages(
    values: Tensor, edges: Tensor, own: dict[str, Tensor], batch: Batch, keep: Tensor | None, dtype: Any
) -> Tensor:
    """Return the atoms plus the output of GINE, without a normalization."""
    arc_mask = batch["arc_mask"].to(dtype)
    bonds = (product(edges, own["edge.matrix"], dtype) + own["edge.bias"].unsqueeze(1).to(dtype)) * arc_mask
    index = [batch[name] for name in ("neighbor", "arc", "opposite", "there", "source", "target")]
    total: Any = Messages.apply(values, bonds, *index)  # type: ignore[no-untyped-call]
    total = values * (1 + own["eps.bias"].unsqueeze(1)) + total
    hidden = functional.relu(product(total, own["in.matrix"], dtype) + own["in.bias"].unsqueeze(1).to(dtype))
    added = product(hidden, own["end.matrix"], dtype).float() * batch["mask"]
    return values + dropped(added, keep)


def gcn_layer(
    values: Tensor,
    edges: Tensor,
    own: dict[str, Tensor],
    batch: Batch,
    running: Tensor | None,
    keep: Tensor | None,
    dtype: Any,
) -> tuple[Tensor, list[Tensor]]:
    """Return the atoms after a layer without residual: a matrix, the sum of relu(neighbor + bond), normalized, GELU."""
    mask = batch["mask"]
    bonds = product(edges, own["edge.matrix"], dtype) + own["edge.bias"].unsqueeze(1).to(dtype)
    index = [batch[name] for name in ("neighbor", "arc", "opposite", "there", "source", "target")]
    sent = product(values, own["end.matrix"], dtype)
    total: Any = Messages.apply(sent, bonds * batch["arc_mask"].to(dtype), *index)  # type: ignore[no-untyped-call]
    old = None if running is None else (running[:, 0, 0], running[:, 0, 1])
    values, found = normalize(total.float() * mask, mask.sum(dim=1), own["last.scale"], own["last.bias"], old)
    return dropped(functional.gelu(values) * mask, keep), [torch.stack(found, dim=1)]


def layer(
    values: Tensor,
    edges: Tensor,
    own: dict[str, Tensor],
    batch: Batch,
    running: Tensor | None,
    keep: Tensor | None,
    dtype: Any,
) -> tuple[Tensor, list[Tensor]]:
    """Return the atoms after a layer, and mean and variance of every normalization."""
    if "in.matrix" not in own:
        return gcn_layer(values, edges, own, batch, running, keep, dtype)
    mask = batch["mask"]
    count = mask.sum(dim=1)
    statistics = []
    values = add_messages(values, edges, own, batch, keep, dtype)
    for number, name in enumerate(("middle", "last") if "up.matrix" in own else ("last",)):
        if name == "last" and "up.matrix" in own:
            hidden = product(values, own["up.matrix"], dtype) + own["up.bias"].unsqueeze(1).to(dtype)
            added = product(functional.relu(hidden), own["down.matrix"], dtype).float() * mask
            values = values + dropped(added, keep)
        old = None if running is None else (running[:, number, 0], running[:, number, 1])
        values, found = normalize(values, count, own[f"{name}.scale"], own[f"{name}.bias"], old)
        values = values * mask
        statistics.append(torch.stack(found, dim=1))
    return values, statistics


def weight_shapes(job: Job, data: Molecules) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight of one replica."""
    width, edge = job.width, WIDEST_EDGE
    found: dict[str, tuple[int, ...]] = {
        "atom.table": (data.atom.shape[1], width),
        "input.matrix": (data.node_columns.shape[2], width),
        "input.bias": (width,),
        "input2.matrix": (width, width),
        "input2.bias": (width,),
        "bond.table": (data.bond.shape[1], edge),
        "bonds.matrix": (data.bond_columns.shape[2], edge),
        "bonds.bias": (edge,),
        "bonds2.matrix": (edge, edge),
        "bonds2.bias": (edge,),
    }
    inner = 2 * width if job.kind == "gine" else width
    for number in range(job.layers):
        own: dict[str, tuple[int, ...]] = {
            "edge.matrix": (edge, width),
            "edge.bias": (width,),
            "end.matrix": (inner, width),
            "last.scale": (width,),
            "last.bias": (width,),
        }
        if job.kind != "gcn":
            own |= {"eps.bias": (1,), "in.matrix": (width, inner), "in.bias": (inner,)}
        if job.kind == "gine+ff":
            own |= {"middle.scale": (width,), "middle.bias": (width,)}
            own |= {
                "up.matrix": (width, 2 * width),
                "up.bias": (2 * width,),
                "down.matrix": (2 * width, width),
            }
        found |= {f"{number}.{name}": shape for name, shape in own.items()}
    first = 2 * width if any(replica.both for replica in job.replicas) else width
    inside = (width,) * 3 if job.kind == "gcn" else (width // 2, width // 4)
    ends = (first, *inside, data.goal.shape[1])
    for number in range(len(ends) - 1):
        found[f"out{number}.matrix"] = (ends[number], ends[number + 1])
        found[f"out{number}.bias"] = (ends[number + 1],)
    return found


def count_weights(job: Job, data: Molecules, replica: Replica) -> int:
    """Return how many weights a replica has, those that fill up left out."""
    total, edge, width = 0, replica.edge, job.width
    nodes, bonds = data.node_widths[replica.nodes], data.bond_widths[replica.bonds]
    for name, shape in weight_shapes(job, data).items():
        if name.startswith("input"):
            sizes = {"input.matrix": nodes * width}
            total += sizes.get(name, math.prod(shape)) if nodes else 0
        elif name.startswith("bonds"):
            sizes = {"bonds.matrix": bonds * edge, "bonds2.matrix": edge * edge}
            total += sizes.get(name, edge) if bonds else 0
        elif name == "bond.table":
            total += shape[0] * edge
        elif name == "out0.matrix":
            total += (1 + replica.both) * width * shape[1]
        else:
            total += edge * width if name.endswith("edge.matrix") else math.prod(shape)
    return total


@torch.no_grad()
def scale_to_columns(weights: Weights, job: Job, data: Molecules) -> None:
    """Scale matrices whose first columns alone are in use, so that they start as matrices of that size do."""
    for row, replica in enumerate(job.replicas):
        nodes, bonds = data.node_widths[replica.nodes], data.bond_widths[replica.bonds]
        used = {"input.matrix": nodes, "bonds.matrix": bonds, "bonds2.matrix": replica.edge}
        used |= {f"{number}.edge.matrix": replica.edge for number in range(job.layers)}
        used["out0.matrix"] = (1 + replica.both) * job.width
        for name, size in used.items():
            part = weights.parts[name]
            part[row] *= math.sqrt(part.shape[1] / max(size, 1))


class Network:
    """All replicas of a job: weights, running statistics and what differs between replicas."""

    def __init__(self, job: Job, data: Molecules, dtype: Any) -> None:
        device = str(data.atom.device)
        self.job, self.data, self.dtype, self.device = job, data, dtype, device
        shapes = weight_shapes(job, data)
        self.weights = Weights(shapes, [replica.seed for replica in job.replicas], device)
        scale_to_columns(self.weights, job, data)
        self.is_matrix = self.weights.is_matrix(shapes)
        norms = 2 if job.kind == "gine+ff" else 1
        self.running = torch.zeros(len(job.replicas), job.layers, norms, 2, job.width, device=device)
        self.running[:, :, :, 1] = 1

        def per_replica(values: Iterable[Any]) -> Tensor:
            return torch.tensor(list(values), device=device)

        names = list(data.node_widths), list(data.bond_widths)
        self.cells = (
            per_replica(names[0].index(replica.nodes) for replica in job.replicas),
            per_replica(names[1].index(replica.bonds) for replica in job.replicas),
        )
        self.has_nodes = per_replica(float(data.node_widths[r.nodes] > 0) for r in job.replicas).view(
            -1, 1, 1
        )
        self.has_bonds = per_replica(float(data.bond_widths[r.bonds] > 0) for r in job.replicas).view(
            -1, 1, 1
        )
        widths = per_replica(replica.edge for replica in job.replicas).unsqueeze(1)
        self.edge_mask = (torch.arange(WIDEST_EDGE, device=device) < widths).float().unsqueeze(1)
        flips = [float(replica.nodes.startswith("lappe")) for replica in job.replicas]
        self.flip = per_replica(flips) if any(flips) else None
        self.both = per_replica(float(replica.both) for replica in job.replicas).view(-1, 1, 1)
        self.head = sum(name.startswith("out") for name in shapes) // 2
        dropout = [replica.dropout for replica in job.replicas]
        self.keep = 1 - per_replica(dropout).view(-1, 1, 1) if any(dropout) else None

    def forward(
        self, batch: Batch, *, training: bool, dtype: Any = torch.float32, layer_function: Any = layer
    ) -> tuple[Tensor, Tensor | None]:
        """Return the numbers of every molecule, and in training the statistics of every normalization."""
        weights = self.weights.parts
        hidden = functional.relu(linear(batch["columns"], weights, "input"))
        values = torch.bmm(batch["atom"], weights["atom.table"])
        values = (values + linear(hidden, weights, "input2") * self.has_nodes) * batch["mask"]
        hidden = functional.relu(linear(batch["bond_columns"], weights, "bonds")) * self.edge_mask
        edges = torch.bmm(batch["bond"], weights["bond.table"])
        edges = (edges + linear(hidden, weights, "bonds2") * self.has_bonds) * self.edge_mask
        edges = (edges * batch["arc_mask"]).to(dtype)
        statistics = []
        for number in range(self.job.layers):
            start = f"{number}."
            own = {name[len(start) :]: part for name, part in weights.items() if name.startswith(start)}
            old = None if training else self.running[:, number]
            keep = self.keep if training else None
            values, found = layer_function(values, edges, own, batch, old, keep, dtype)
            statistics.append(torch.stack(found, dim=1))
        replicas, size, _ = batch["goal"].shape
        pooled = values.new_zeros(replicas * size, values.shape[2])
        pooled = pooled.index_add(0, batch["graph"].flatten(), values.flatten(0, 1)).view(replicas, size, -1)
        mean = pooled / batch["atoms"]
        if weights["out0.matrix"].shape[1] == 2 * values.shape[2]:
            pooled = torch.cat([pooled, mean * self.both], dim=2)
        elif self.data.metric != "mae":
            pooled = mean
        for number in range(self.head):
            pooled = linear(pooled, weights, f"out{number}")
            pooled = functional.relu(pooled) if number + 1 < self.head else pooled
        return pooled, torch.stack(statistics, dim=1) if training else None


# --- Training -----------------------------------------------------------------------------------------------------


def rate_at(share: float) -> float:
    """Return the share of the highest learning rate: it rises linearly and falls to zero as half a cosine."""
    return min(1.0, share / WARM_UP) * 0.5 * (1 + math.cos(math.pi * min(1.0, share)))


def average_precision(found: Tensor, goal: Tensor) -> list[float]:
    """Return the average precision of every replica, the mean over targets: (replicas, graphs, targets).

    >>> found = average_precision(torch.tensor([[[0.9], [0.8], [0.1]]]), torch.tensor([[1.0], [0.0], [1.0]]))
    >>> [round(value, 4) for value in found]
    [0.8333]
    """
    areas = []
    for number in range(goal.shape[1]):
        positive = goal[:, number] > 0.5
        if not positive.any():
            continue
        scores = found[:, :, number].contiguous()
        mine = scores[:, positive].contiguous()
        above = scores.shape[1] - torch.searchsorted(scores.sort(dim=1).values, mine)
        mine_above = mine.shape[1] - torch.searchsorted(mine.sort(dim=1).values, mine)
        areas.append((mine_above / above).mean(dim=1))
    return [float(value) for value in torch.stack(areas).mean(dim=0)]


def score(metric: str, found: Tensor, goal: Tensor) -> list[float]:
    """Return the metric of every replica."""
    return average_precision(found, goal) if metric == "ap" else measure(metric, found, goal)


class Trainer:
    """A run: the network, the moments of the optimizer, averaged weights, those with the best validation score."""

    def __init__(self, job: Job, data: Molecules, *, low: bool) -> None:
        self.job, self.data = job, data
        self.device = str(data.atom.device)
        self.low = torch.bfloat16 if low else torch.float32
        torch.manual_seed(1)
        self.network = Network(job, data, self.low)
        self.space = capacity_of(data, job.batch)
        replicas = job.replicas
        decay = torch.tensor([replica.decay for replica in replicas], device=self.device)
        self.decay = self.network.is_matrix * decay[:, None]
        self.rates = torch.tensor([[replica.rate] for replica in replicas], device=self.device)
        flat = self.network.weights.flat
        self.average = flat.detach().clone(), self.network.running.clone()
        self.moments = torch.zeros_like(flat), torch.zeros_like(flat)
        self.rate, self.steps = (torch.zeros((), device=self.device) for _ in range(2))
        self.losses = torch.zeros(len(replicas), device=self.device)
        self.trained = [torch.nonzero(part == 0).flatten() for part in data.parts]
        self.num_steps = max(1, min(len(rows) for rows in self.trained) // job.batch)
        self.chosen = torch.zeros(len(replicas), job.batch, dtype=torch.long, device=self.device)
        center, spread = [], []
        for replica in replicas:
            goal = data.goal[self.trained[replica.part]]
            plain = data.metric in ("auc", "ap")
            center.append(torch.zeros_like(goal[0]) if plain else goal.nanmean(dim=0))
            spread.append(torch.ones_like(goal[0]) if data.metric != "rmse" else goal.std(dim=0))
        self.center, self.spread = torch.stack(center)[:, None], torch.stack(spread)[:, None]
        self.loss_name = "auc" if data.metric == "ap" else data.metric
        self.draws = torch.Generator(device=self.device).manual_seed(1)
        self.lower = is_lower_better(data.metric)
        worst = math.inf if self.lower else -math.inf
        self.best = torch.full((len(replicas),), worst, device=self.device)
        self.best_epoch = torch.zeros(len(replicas), dtype=torch.long)
        self.is_average = torch.zeros(len(replicas), dtype=torch.bool)
        self.kept = flat.detach().clone(), self.network.running.clone()
        self.layer: Any = layer
        self.update: Any = adam

    def step(self) -> None:
        """Train on the molecules in `chosen`, at the learning rate in `rate`."""
        network = self.network
        batch = make_batch(self.data, self.chosen, self.space, network.cells, network.flip)
        found, statistics = network.forward(batch, training=True, dtype=self.low, layer_function=self.layer)
        loss = sum_of_losses(self.loss_name, found, (batch["goal"] - self.center) / self.spread)
        weights = network.weights
        gradients = torch.autograd.grad(
            loss.sum(), list(weights.parts.values()), allow_unused=True, materialize_grads=True
        )
        with torch.no_grad():
            torch._foreach_copy_(weights.gradients, gradients)
            assert statistics is not None
            network.running.lerp_(statistics.detach(), MOMENTUM)
            self.losses += loss.detach()
            self.steps += 1
            self.update(
                weights.flat, weights.gradient, *self.moments, self.rate * self.rates, self.steps, self.decay
            )
            share = (1 / self.steps).clamp(min=AVERAGING)
            for average, newest in zip(self.average, (weights.flat, network.running), strict=True):
                average.lerp_(newest, share)

    def record(self, *, compiled: tuple[str, ...]) -> Any:
        """Return a step; the trial steps leave no trace.

        `compiled` names what torch.compile is asked to do: "layer", "update" (of the weights); with "graph" the step
        is recorded as a CUDA graph.
        """
        saved = self.network.weights.flat.detach().clone()
        statistics = self.network.running.clone()
        if "layer" in compiled:
            self.layer = torch.compile(layer, dynamic=False)
        if "update" in compiled:
            self.update = torch.compile(adam, dynamic=False)
        self.chosen.copy_(self.order()[:, : self.job.batch])
        play: Any = self.step
        self.step()
        if "graph" in compiled:
            stream: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.step()
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.step()
            play = graph.replay
        with torch.no_grad():
            self.network.weights.flat.copy_(saved)
            self.network.running.copy_(statistics)
            self.average[0].copy_(saved)
            self.average[1].copy_(statistics)
            for moment in (*self.moments, self.steps, self.losses):
                moment.zero_()
        return play

    def order(self) -> Tensor:
        """Return a new order of the training molecules, the same for replicas with the same seed and split."""
        orders: dict[tuple[int, int], Tensor] = {}
        for replica in self.job.replicas:
            key = (replica.seed, replica.part)
            if key not in orders:
                rows = self.trained[replica.part]
                drawn = torch.randperm(len(rows), device=self.device, generator=self.draws)
                orders[key] = rows[drawn][: max(self.num_steps * self.job.batch, 1)]
        found = torch.stack([orders[replica.seed, replica.part] for replica in self.job.replicas])
        missing = self.job.batch - found.shape[1]
        return torch.cat([found, found[:, :missing]], dim=1) if missing > 0 else found

    def epoch(self, play: Any, first: float, last: float) -> Tensor:
        """Train one epoch between two shares of all the training; return the mean loss of every replica."""
        self.losses.zero_()
        order, size = self.order(), self.job.batch
        for number in range(self.num_steps):
            share = first + (last - first) * (number + 0.5) / self.num_steps
            self.rate.fill_(rate_at(share))
            self.chosen.copy_(order[:, number * size : (number + 1) * size])
            play()
        return self.losses / self.num_steps

    @torch.no_grad()
    def evaluate(self, part: int) -> list[float]:
        """Return the metric of every replica on the molecules of one part of its split."""
        data, job = self.data, self.job
        graphs = torch.nonzero((data.parts == part).any(dim=0)).flatten()
        sizes = (data.start[1:] - data.start[:-1])[graphs]
        most = max(1, int(ROWS_AT_ONCE / len(job.replicas) / float(sizes.float().mean()) / 2))
        found = []
        for chunk in torch.split(graphs, min(most, 500)):
            arcs = int((data.arc_start[chunk + 1] - data.arc_start[chunk]).sum())
            space = Capacity(int((data.start[chunk + 1] - data.start[chunk]).sum()), arcs)
            chosen = chunk.expand(len(job.replicas), -1).contiguous()
            batch = make_batch(data, chosen, space, self.network.cells, None)
            found.append(self.network.forward(batch, training=False)[0])
        whole = torch.cat(found, dim=1) * self.spread + self.center
        scores = [0.0] * len(job.replicas)
        for split in {replica.part for replica in job.replicas}:
            rows = [row for row, replica in enumerate(job.replicas) if replica.part == split]
            own = data.parts[split, graphs] == part
            values = score(data.metric, whole[rows][:, own], data.goal[graphs[own]])
            for row, value in zip(rows, values, strict=True):
                scores[row] = value
        return scores

    @torch.no_grad()
    def evaluate_with(self, state: tuple[Tensor, Tensor], part: int) -> list[float]:
        """Return the metric of every replica with other weights and statistics; training goes on with its own."""
        own = self.network.weights.flat, self.network.running
        saved = [values.detach().clone() for values in own]
        for values, other in zip(own, state, strict=True):
            values.copy_(other)
        scores = self.evaluate(part)
        for values, old in zip(own, saved, strict=True):
            values.copy_(old)
        return scores

    @torch.no_grad()
    def keep_best(self, epoch: int) -> list[list[float]]:
        """Return validation scores of the weights and of their average; keep what is the best of a replica so far."""
        scores = []
        for number, state in enumerate(((self.network.weights.flat, self.network.running), self.average)):
            scores.append(self.evaluate_with(state, 1) if number else self.evaluate(1))
            new = torch.tensor(scores[-1], device=self.device)
            better = new < self.best if self.lower else new > self.best
            self.best = torch.where(better, new, self.best)
            self.best_epoch[better.cpu()] = epoch
            self.is_average[better.cpu()] = bool(number)
            for values, newest in zip(self.kept, state, strict=True):
                values[better] = newest.detach()[better]
        return scores

    def test(self) -> list[float]:
        """Return the test score of every replica with its kept weights."""
        return self.evaluate_with(self.kept, 2)


def train(job: Job, folder: Path, output: Path, seconds: float, *, low: bool, about: dict[str, Any]) -> None:
    """Train all replicas of a job, and write a line per evaluation and, at the end, a line per replica."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    started = time.time()
    nodes, bonds = zip(*(replica.cell for replica in job.replicas), strict=True)
    torch.backends.cuda.matmul.allow_tf32 = False  # for random walks
    data = read_set(folder / f"{job.data}.npz", nodes, bonds, device)
    say(f"{job.name}: {len(job.replicas)} replicas, data after {time.time() - started:.1f} s")
    torch.backends.cuda.matmul.allow_tf32 = True
    trainer = Trainer(job, data, low=low)
    for compiled in TRIED if device == "cuda" else ((),):
        try:
            play = trainer.record(compiled=compiled)
            break
        except RuntimeError as error:
            if not compiled:
                raise
            say(f"{job.name}: failed with {compiled}: {error!r}"[:1500])
            torch._dynamo.reset()
            trainer = Trainer(job, data, low=low)
    ready = time.time() - started
    weights = [count_weights(job, data, replica) for replica in job.replicas]
    say(f"{job.name}: ready after {ready:.1f} s, {max(weights):,} weights, {trainer.space}")
    share, epoch, clock = 0.0, 0, time.time()
    while share < 1 and not STOPPED:
        used = time.time() - clock
        last = max(
            share + 1 / job.epochs, used * (1 + 1 / epoch) / max(seconds - ready, 1.0) if epoch > 1 else 0
        )
        last = 1.0 if last > 1 - 0.5 / job.epochs else last
        losses = trainer.epoch(play, share, last)
        epoch, share = epoch + 1, last
        if epoch % job.every and share < 1 and not STOPPED:
            continue
        scores, averaged = trainer.keep_best(epoch)
        used = time.time() - clock
        line = {"job": job.name, "epoch": epoch, "share": round(share, 4), "seconds": round(used, 1)}
        line |= {"loss": rounded(losses.tolist()), "validation": rounded(scores)}
        line["averaged"] = rounded(averaged)
        write(output, [{"line": "progress"} | line])
        say(
            f"{job.name} {epoch} {share:.3f} {used:.0f} s, {epoch * len(job.replicas) / used:.1f} replica-epochs/s: "
            f"{min(scores):.4f} to {max(scores):.4f}, averaged {min(averaged):.4f} to {max(averaged):.4f}"
        )
    best = trainer.best.tolist()
    tests = trainer.test() if job.reads_test else [None] * len(best)
    lines = [
        {
            "line": "replica",
            "job": job.name,
            "set": job.data,
            "network": job.kind,
            "layers": job.layers,
            "width": job.width,
            "batch": job.batch,
            **vars(replica),
            "weights": weights[row],
            "metric": data.metric,
            "validation": round(best[row], 5),
            "test": None if tests[row] is None else round(tests[row], 5),  # type: ignore[arg-type]
            "best_epoch": int(trainer.best_epoch[row]),
            "averaged": bool(trainer.is_average[row]),
            "loss": round(float(losses[row]), 5),
            "epochs": epoch,
            "share": round(share, 4),
            "seconds_all": round(time.time() - started, 1),
            "precision": "bfloat16" if low else "float32",
            **about,
        }
        for row, replica in enumerate(job.replicas)
    ]
    write(output, lines)
    say(table(lines))


# --- Jobs ---------------------------------------------------------------------------------------------------------


def search(kind: str, width: int) -> Job:
    """Return the search over all cells and settings with one network, one seed each."""
    replicas = tuple(
        Replica(nodes, bonds, 0, *setting) for nodes in NODES for bonds in BONDS for setting in SETTINGS
    )
    return Job(f"search-{kind.replace('+', '-')}", "zinc", kind, replicas, 200, 32, width, reads_test=False)


WIDTHS = {"gine": 128, "gine+ff": 104}


def chosen_settings(lines: list[dict[str, Any]]) -> tuple[str, dict[tuple[str, str], Replica]]:
    """Return the network whose cells have the lower mean validation error, and the best setting of every cell."""
    found: dict[str, dict[tuple[str, str], tuple[float, Replica]]] = defaultdict(dict)
    for line in lines:
        if line["job"].startswith("search-"):
            replica = as_replica(line)
            own = found[line["network"]]
            if line["validation"] < own.get(replica.cell, (math.inf, replica))[0]:
                own[replica.cell] = line["validation"], replica
    if not found:
        raise ValueError("there are no lines of a search. Run search-gine and search-gine-ff first.")
    kind = min(found, key=lambda name: sum(value for value, _ in found[name].values()) / len(found[name]))
    ordered = sorted(found[kind].items(), key=lambda item: item[1][0])
    return kind, {cell: replica for cell, (_, replica) in ordered}


def final(lines: list[dict[str, Any]]) -> Job:
    """Return the six best cells of the search and the rivals, five seeds each."""
    kind, settings = chosen_settings(lines)
    cells = dict.fromkeys([*list(settings)[:6], *(cell for cell in RIVALS if cell in settings)])
    replicas = tuple(replace(settings[cell], seed=seed) for cell in cells for seed in range(1, 6))
    return Job("final", "zinc", kind, replicas, 600, 32, WIDTHS[kind])


def recipes() -> Job:
    """Return eight recipes for two cells: every level of a factor in four of them, every two factors independent."""
    settings = [
        (decay, dropout, rate, (decay > 0.03) ^ (dropout > 0) ^ (rate > 1e-3))
        for decay, dropout, rate in itertools.product(*RECIPES.values())
    ]
    replicas = tuple(
        Replica(*cell, 0, decay, dropout, WIDEST_EDGE, 0, rate, both)
        for cell in BEST
        for decay, dropout, rate, both in settings
    )
    return Job("recipes", "zinc", "gine", replicas, 1200, 64, 128, every=10, reads_test=False)


def chosen_recipe(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the level of every factor of `recipes` with the lower mean validation error, over all other factors.

    >>> pairs = itertools.product((0.03, 0.3), (False, True))
    >>> same = {"job": "recipes", "dropout": 0.0, "rate": 0.001}
    >>> lines = [same | {"decay": d, "both": b, "validation": d + 2 * b} for d, b in pairs]
    >>> chosen_recipe(lines)
    {'decay': 0.03, 'dropout': 0.0, 'rate': 0.001, 'both': False}
    """
    found: dict[str, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line["job"] == "recipes":
            for name in (*RECIPES, "both"):
                found[name][line[name]].append(line["validation"])
    if not found:
        raise ValueError("there are no lines of the job recipes. Run it first.")
    return {name: min(levels, key=lambda level: np.mean(levels[level])) for name, levels in found.items()}


def longer(lines: list[dict[str, Any]]) -> Job:
    """Return the two cells with ten seeds each and the recipe that was chosen."""
    recipe = chosen_recipe(lines)
    replicas = tuple(
        Replica(*cell, seed, edge=WIDEST_EDGE, **recipe) for seed in range(1, 11) for cell in BEST
    )
    return Job("longer", "zinc", "gine", replicas, 1200, 64, 128, every=10)


def is_ours(cell: tuple[str, str]) -> bool:
    """Return whether a cell has columns of ego-networks."""
    return "ego" in cell[0] or "pair" in cell[1]


def other_cells(lines: list[dict[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Return no columns, the columns of `AddMoleculeEncoding`, and the best cell with ego-networks of the search."""
    settings = chosen_settings(lines)[1] if lines else {}
    ours = next((cell for cell in settings if is_ours(cell)), ("ego", "pair+ring"))
    return ("none", "type"), ("rwse", "ring"), ours


def peptides() -> Job:
    """Return GCN on Peptides-func without columns, with walks, and with walks and rings; three seeds."""
    cells = ("none", "type"), ("rwse", "type"), ("rwse", "ring")
    replicas = tuple(Replica(*cell, seed, 0.0, 0.2, WIDEST_EDGE) for seed in (1, 2, 3) for cell in cells)
    return Job("peptides", "peptides-func", "gcn", replicas, 300, 32, 248, layers=3, every=10)


def small(lines: list[dict[str, Any]]) -> list[Job]:
    """Return the sets of MoleculeNet, five scaffold splits and two seeds each, and molhiv with five seeds."""
    jobs = []
    for name, share, epochs in (("freesolv", 1.0, 200), ("esol", 1.5, 100), ("lipo", 4.0, 100)):
        replicas = tuple(
            Replica(*cell, seed, 0.1, 0.1, 16, part)
            for cell in other_cells(lines)
            for part in range(5)
            for seed in (1, 2)
        )
        jobs.append(Job(name, name, "gine", replicas, epochs, 32, 128, share=share))
    replicas = tuple(
        Replica(*cell, seed, 0.1, 0.3, 16) for cell in other_cells(lines) for seed in range(1, 6)
    )
    return [*jobs, Job("molhiv", "molhiv", "gine", replicas, 30, 128, 128, every=2, share=6.0)]


JOBS: dict[str, Any] = {
    "search-gine": lambda _: [search("gine", WIDTHS["gine"])],
    "search-gine-ff": lambda _: [search("gine+ff", WIDTHS["gine+ff"])],
    "final": lambda lines: [final(lines)],
    "recipes": lambda _: [recipes()],
    "longer": lambda lines: [longer(lines)],
    "peptides": lambda _: [peptides()],
    "small": small,
    "freesolv": lambda lines: small(lines)[:1],
}


def quick(job: Job) -> Job:
    """Return a small version of a job, whose scores mean nothing."""
    kept = {replica.cell: replica for replica in job.replicas}
    replicas = tuple(kept.values())[:4] + tuple(kept.values())[-4:]
    return replace(job, replicas=replicas, epochs=2, batch=8, width=16, layers=2, every=1)


def as_replica(line: dict[str, Any]) -> Replica:
    """Return the replica of a line."""
    return Replica(**{name: line[name] for name in Replica.__dataclass_fields__ if name in line})


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    """Append lines to a file."""
    with path.open("a") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines)


def read_lines(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the lines of replicas in some files; a last line that was cut off is left out."""
    found = []
    for path in paths:
        for text in path.read_text().splitlines():
            if text.endswith("}"):
                line = json.loads(text)
                if line.get("line") == "replica":
                    found.append(line)
    return found


def rounded(values: list[float]) -> list[float]:
    """Return numbers short enough for a log."""
    return [round(value, 5) for value in values]


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def lines_with_scores(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines with test scores of networks that were trained long enough to say something about columns.

    >>> lines = [{"epochs": 11, "test": 1.0}, {"epochs": 30, "test": 1.0}, {"epochs": 79, "test": None}]
    >>> lines_with_scores(lines)
    [{'epochs': 30, 'test': 1.0}]
    """
    return [line for line in lines if line["test"] is not None and line["epochs"] >= FEWEST_EPOCHS]


def group_cells(lines: list[dict[str, Any]]) -> dict[Any, list[Any]]:
    """Return the columns of every job, set and network with their best setting and its lines, the best first."""
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        replica = as_replica(line)
        groups[line["job"], line["set"], line["network"], replica.cell, replica.setting].append(line)
    best: dict[Any, dict[Any, Any]] = defaultdict(dict)
    for (*job, cell, setting), own in groups.items():
        sign = 1 if is_lower_better(own[0]["metric"]) else -1
        score = sign * float(np.mean([line["validation"] for line in own]))
        cells = best[tuple(job)]
        if cell not in cells or score < cells[cell][0]:
            cells[cell] = score, setting, own
    return {
        job: [(cell, *rest) for cell, (_, *rest) in sorted(cells.items(), key=lambda item: item[1][0])]
        for job, cells in best.items()
    }


def table(lines: list[dict[str, Any]]) -> str:
    """Return Markdown tables of means with 95 % intervals, one per job, the best validation score first.

    Every cell has the setting that validation chose. Runs of one split are averaged, and the interval is over splits,
    corrected for the training molecules they share; where there is one split it is over seeds.
    """
    parts = []
    for (job, data, network), rows in group_cells(lines).items():
        parts.append(f"\n**{job}**: {data}, {network}, {rows[0][2][0]['metric']}\n")
        parts.append(
            "| atoms | bonds | decay, dropout, edge width, rate, both | weights | epochs | runs | validation | test |"
        )
        parts.append("|---|---|---|--:|--:|--:|--:|--:|")
        for cell, setting, own in rows:
            chosen = ", ".join(f"{value:g}" for value in setting)
            epochs = sorted({line["epochs"] for line in own})
            scores = " | ".join(interval(values_of(own, name)) for name in ("validation", "test"))
            parts.append(
                f"| {cell[0]} | {cell[1]} | {chosen} | {own[0]['weights']:,} "
                f"| {' to '.join(f'{count}' for count in epochs[:1] + epochs[1:][-1:])} | {len(own)} | {scores} |"
            )
    return "\n".join(parts)


def search_table(lines: list[dict[str, Any]]) -> str:
    """Return a table per network of a search: validation scores of the best setting, atoms by bonds."""
    parts = []
    for (job, data, network), rows in group_cells(lines).items():
        scores = {cell: own[0]["validation"] for cell, _, own in rows}
        nodes = [name for name in NODES if any(name == cell[0] for cell in scores)]
        bonds = [name for name in BONDS if any(name == cell[1] for cell in scores)]
        parts.append(f"\n**{job}**: {data}, {network}, validation {rows[0][2][0]['metric']}\n")
        parts.append("| atoms | " + " | ".join(bonds) + " |")
        parts.append("|---|" + "--:|" * len(bonds))
        for name in nodes:
            values = [scores.get((name, bond)) for bond in bonds]
            parts.append(
                f"| {name} | "
                + " | ".join("–" if value is None else f"{value:.4f}" for value in values)
                + " |"
            )
        used = {setting for _, setting, _ in rows}
        parts.append("\nChosen: " + "; ".join(", ".join(f"{v:g}" for v in each) for each in sorted(used)))
    return "\n".join(parts)


def differences(lines: list[dict[str, Any]], rival: tuple[str, str] = ("none", "type")) -> str:
    """Return how far every cell is from one of them, with a 95 % interval.

    Differences of the same splits are paired; where there is one split, seeds are independent (Welch).
    """
    parts = [f"\n**Minus {rival[0]}, {rival[1]}; 95 % interval over splits, or over seeds of one split**\n"]
    parts += ["| set | atoms | bonds | validation | test |", "|---|---|---|--:|--:|"]
    for (_, data, _), rows in group_cells(lines).items():
        scores = {cell: own for cell, _, own in rows}
        for cell, own in scores.items():
            if cell == rival or rival not in scores:
                continue
            found = [
                difference(*(values_of(each, name) for each in (own, scores[rival])))
                for name in ("validation", "test")
            ]
            parts.append(f"| {data} | {cell[0]} | {cell[1]} | {' | '.join(found)} |")
    return "\n".join(parts) if len(parts) > 3 else ""


def values_of(lines: list[dict[str, Any]], name: str) -> dict[int, list[float]]:
    """Return the scores of every split; none if the test molecules were not read."""
    found: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        if line[name] is not None:
            found[line["part"]].append(line[name])
    return dict(found)


def interval(values: dict[int, list[float]]) -> str:
    """Return the mean and the half of its 95 % interval, over splits or, where there is one, over seeds.

    >>> interval({0: [0.25, 0.75]}), interval({0: [0.5, 0.5], 1: [0.25, 0.75]}), interval({0: [0.5]}), interval({})
    ('0.5000 ± 3.1766', '0.5000 ± 0.0000', '0.5000', '–')
    >>> interval({0: [0.0], 1: [1.0]})
    '0.5000 ± 7.1030'
    """
    if not values:
        return "–"
    own, overlap = samples(values), OVERLAP if len(values) > 1 else 0.0
    half = f" ± {half_interval(variance_of_mean(own, overlap), len(own) - 1):.4f}" if len(own) > 1 else ""
    return f"{np.mean(own):.4f}{half}"


def difference(ours: dict[int, list[float]], rival: dict[int, list[float]]) -> str:
    """Return the mean difference and the half of its 95 % interval, paired where there are several splits.

    >>> difference({0: [0.5], 1: [0.75]}, {0: [0.25], 1: [0.5]}), difference({0: [1.0, 3.0]}, {0: [2.0, 4.0]})
    ('+0.2500 ± 0.0000', '-1.0000 ± 6.0849')
    """
    if len(ours) > 1:
        paired = np.array([np.mean(ours[part]) - np.mean(rival[part]) for part in ours])
        half = half_interval(variance_of_mean(paired, OVERLAP), len(paired) - 1)
        return f"{paired.mean():+.4f} ± {half:.4f}"
    own, other = samples(ours), samples(rival)
    mean = f"{own.mean() - other.mean():+.4f}"
    if min(len(own), len(other)) < 2:
        return mean
    first, second = variance_of_mean(own), variance_of_mean(other)
    freedom = (first + second) ** 2 / (first**2 / (len(own) - 1) + second**2 / (len(other) - 1))
    return f"{mean} ± {half_interval(first + second, freedom):.4f}"


def samples(values: dict[int, list[float]]) -> Array:
    """Return what an interval is over: the means of several splits, or the seeds of one."""
    return np.array(
        [np.mean(each) for each in values.values()] if len(values) > 1 else next(iter(values.values()))
    )


def variance_of_mean(values: Array, overlap: float = 0.0) -> float:
    """Return the squared standard error; `overlap` corrects it for splits that share training molecules."""
    return float(np.var(values, ddof=1)) * (1 / len(values) + overlap)


def half_interval(variance: float, freedom: float) -> float:
    """Return half of the 95 % interval of a mean."""
    return float(student_t.ppf(0.975, freedom)) * math.sqrt(variance)


def main(arguments: list[str]) -> None:
    """Train a job, or print the tables of files."""
    flags = {"--quick", "--full-precision"} & set(arguments)
    values = {
        name: arguments[arguments.index(name) + 1]
        for name in ("--minutes", "--commit", "--part")
        if name in arguments
    }
    command, *rest = [a for a in arguments if a not in flags and a not in (*values, *values.values())]
    if command == "report":
        paths = [Path(path) for path in rest] or [Path("results/molecules/networks.jsonl")]
        lines = read_lines(paths)
        searched = [line for line in lines if line["job"].startswith("search-")]
        tested = lines_with_scores(lines)
        say(search_table(searched))
        say(table(tested))
        say(differences([line for line in tested if line["job"] == "final"], ("rwse", "ring")))
        say(differences([line for line in tested if line["job"] != "final"]))
        return
    name, folder, output = rest[0], Path(rest[1]), Path(rest[2])
    signal.signal(signal.SIGTERM, lambda number, _: STOPPED.append(number))
    started = time.time()
    minutes = float(values.get("--minutes", "9"))
    about = {
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "hardware": torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": values.get("--commit", ""),
    }
    lines = read_lines(sorted((folder / "lines").glob("*.jsonl")))
    first, step = (int(number) for number in values.get("--part", "0/1").split("/"))
    jobs = [replace(job, replicas=job.replicas[first::step]) for job in JOBS[name](lines)]
    left = sum(job.share for job in jobs)
    for job in jobs:
        if STOPPED:
            break
        seconds = (60 * minutes - (time.time() - started)) * job.share / left
        left -= job.share
        chosen = quick(job) if "--quick" in flags else job
        try:
            low = "--full-precision" not in flags and torch.cuda.is_available()
            train(chosen, folder, output, seconds, low=low, about=about)
        except (RuntimeError, ValueError, OSError) as error:  # one failed job must not end the others
            say(f"{job.name} failed: {error!r}"[:3000])
        if torch.cuda.is_available():
            torch._dynamo.reset()
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main(sys.argv[1:])

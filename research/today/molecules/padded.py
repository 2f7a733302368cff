"""Molecules in device memory: every atom has the same few slots for neighbors, so that a batch has a fixed shape."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

#: Eigenvectors of the Laplacian, whose signs are drawn again for every training batch.
NUM_EIGENVECTORS = 8


@dataclass(frozen=True)
class Molecules:
    """A data set of molecules on a device.

    Attributes
    ----------
    start
        int64 (num_graphs + 1,): the first atom of every molecule.
    atom
        int64 (num_nodes,): the kind of every atom.
    offset, bond, reverse
        int64 (num_nodes, slots): a neighbor's number minus the atom's own, the bond to it (0: no neighbor), and the
        slot in which the neighbor has this atom.
    target
        float32 (num_graphs, targets), NaN where nothing was measured.
    split
        int64 (num_graphs,): 0 train, 1 validation, 2 test.
    encodings
        float32 (num_encodings, num_nodes, width): standardized columns, filled up with zeros.
    names, widths
        The name of every encoding, and its columns in use.
    metric
        "mae", "rmse" or "auc".
    """

    start: Tensor
    atom: Tensor
    offset: Tensor
    bond: Tensor
    reverse: Tensor
    target: Tensor
    split: Tensor
    encodings: Tensor
    names: tuple[str, ...]
    widths: tuple[int, ...]
    metric: str = "mae"

    @property
    def num_bonds(self) -> int:
        """Return how many kinds of bonds there are, "no neighbor" included."""
        return int(self.bond.max()) + 1

    @property
    def num_atoms(self) -> int:
        """Return how many kinds of atoms there are."""
        return int(self.atom.max()) + 1

    @property
    def sizes(self) -> Tensor:
        """Return the number of atoms of every molecule."""
        return self.start[1:] - self.start[:-1]


@dataclass(frozen=True)
class Batch:
    """One batch per replica, filled up to the same number of atoms.

    Attributes
    ----------
    atom
        int64 (replicas, nodes).
    mask
        float32 (replicas, nodes, 1): 0 for atoms that fill up.
    neighbor, bond, reverse
        int64 (replicas, nodes, slots): the position of each neighbor among the atoms of all replicas, the bond
        (0: none), and the position of the opposite slot among all slots.
    graph
        int64 (replicas, nodes): the position of the molecule among those of all replicas.
    encoding
        float32 (replicas, nodes, width).
    target
        float32 (replicas, graphs, targets).
    """

    atom: Tensor
    mask: Tensor
    neighbor: Tensor
    bond: Tensor
    reverse: Tensor
    graph: Tensor
    encoding: Tensor
    target: Tensor


def read_molecules(path: Path, names: tuple[str, ...], device: str, *, min_nodes: int = 20) -> Molecules:
    """Return a prepared data set with some of its encodings; "a+b" has the columns of both."""
    with np.load(path, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    start, split = arrays["start"].astype(np.int64), arrays["split"].astype(np.int64)
    training = np.repeat(split == 0, np.diff(start))
    parts = {part for name in names for part in name.split("+") if part != "none"}
    columns = {part: standardized(arrays[f"encoding_{part}"], training, min_nodes) for part in sorted(parts)}
    blocks = [[columns[part] for part in name.split("+") if part != "none"] for name in names]
    widths = tuple(sum(block.shape[1] for block in group) for group in blocks)
    encodings = torch.zeros(len(names), len(training), max(8, -(-max(widths) // 8) * 8), device=device)
    for row, group in zip(encodings, blocks, strict=True):
        if group:
            joined = torch.from_numpy(np.concatenate(group, axis=1))
            row[:, : joined.shape[1]] = joined.to(device)

    def tensor(name: str, dtype: Any = torch.long) -> Tensor:
        return torch.from_numpy(arrays[name]).to(device=device, dtype=dtype)

    whole = {name: tensor(name) for name in ("start", "atom", "offset", "bond", "reverse", "split")}
    target = tensor("target", torch.float32).reshape(len(split), -1)
    metric = str(arrays["metric"]) if "metric" in arrays else "mae"
    return Molecules(**whole, target=target, encodings=encodings, names=names, widths=widths, metric=metric)


def standardized(values: np.ndarray[Any, Any], training: np.ndarray[Any, Any], min_nodes: int) -> Any:
    """Return columns as `egonet.nn.EgoInput` makes them: log(1 + count) of whole numbers, mean 0, spread 1.

    Columns that are zero in all but `min_nodes` training nodes are dropped.
    """
    kept = (values[training] != 0).sum(axis=0) >= min_nodes
    columns = values[:, kept].astype(np.float32)
    if values.dtype.kind in "iu":
        columns = np.log1p(columns)
    mean, spread = columns[training].mean(axis=0), columns[training].std(axis=0)
    differs = spread > 1e-6
    return (columns[:, differs] - mean[differs]) / spread[differs]


def most_nodes(data: Molecules, size: int, draws: int = 20_000) -> int:
    """Return an upper bound on the atoms of a random batch, a multiple of 16: the largest of many draws and more."""
    sizes = data.sizes[data.split == 0].float()
    drawn = torch.randint(len(sizes), (draws, size), device=sizes.device)
    totals = sizes[drawn].sum(dim=1)
    bound = max(float(totals.max()), float(totals.mean() + 5.5 * totals.std()))
    return -(-int(bound + 1) // 16) * 16


def make_batch(
    data: Molecules, graphs: Tensor, nodes: int, kinds: Tensor, flip: Tensor | None = None
) -> Batch:
    """Return the batch of some molecules per replica.

    Parameters
    ----------
    graphs
        int64 (replicas, size): the molecules. Atoms beyond `nodes` are left out.
    nodes
        Atoms per replica, with those that fill up.
    kinds
        int64 (replicas,): which encoding each replica takes.
    flip
        float32 (replicas,): 1 where the first columns are eigenvectors whose signs are drawn; None: no signs.
    """
    replicas, size = graphs.shape
    counts = data.sizes[graphs]
    ends = counts.cumsum(dim=1)
    place = torch.arange(nodes, device=graphs.device).expand(replicas, nodes).contiguous()
    graph = torch.searchsorted(ends, place, right=True)
    valid = graph < size
    graph = graph.clamp(max=size - 1)
    first = data.start[graphs] - (ends - counts)
    node = torch.where(valid, first.gather(1, graph) + place, 0)
    row = torch.arange(replicas, device=graphs.device).unsqueeze(1)
    at = row * nodes + place
    bond = data.bond[node] * valid.unsqueeze(2)
    neighbor = torch.where(bond > 0, at.unsqueeze(2) + data.offset[node], at.unsqueeze(2))
    mask = valid.unsqueeze(2).float()
    encoding = data.encodings.flatten(0, 1)[kinds.unsqueeze(1) * len(data.atom) + node] * mask
    if flip is not None:
        drawn = (torch.rand(replicas, size, NUM_EIGENVECTORS, device=graphs.device) < 0.5).float()
        signs = 1 - 2 * drawn * flip.view(-1, 1, 1)
        signs = signs.gather(1, graph.unsqueeze(2).expand(-1, -1, NUM_EIGENVECTORS))
        encoding = torch.cat(
            [encoding[..., :NUM_EIGENVECTORS] * signs, encoding[..., NUM_EIGENVECTORS:]], dim=2
        )
    return Batch(
        data.atom[node],
        mask,
        neighbor,
        bond,
        neighbor * bond.shape[2] + data.reverse[node],
        row * size + graph,
        encoding,
        data.target[graphs],
    )

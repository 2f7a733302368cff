"""How much memory networks need, and how units are split so that they fit."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from research.datasets.graph_set import GraphSet
from research.nets.shape import Network
from research.nets.trainer import Task
from research.paper.features import count_columns
from research.paper.settings import QUICK_FOLDS, QUICK_GRAPHS, Settings, Unit
from research.paper.spec import DataSpec

#: The share of the GPU's memory that activations may use, and the bytes they may use on a CPU.
_GPU_SHARE, _CPU_BYTES = 0.5, 2e9
#: A node that is only measured keeps one layer at a time: a share of the training memory, plus its slots.
_MEASURED_SHARE, _MEASURED_BYTES = 0.1, 800.0


def with_memory(settings: Settings) -> Settings:
    """Return the settings with the memory of their device."""
    if settings.device.startswith("cuda"):
        memory = _GPU_SHARE * torch.cuda.get_device_properties(0).total_memory
        return replace(settings, memory=memory / settings.jobs)
    return replace(settings, memory=_CPU_BYTES)


def split_units(
    data: GraphSet, spec: DataSpec, network: Network, units: Sequence[Unit], settings: Settings
) -> list[Sequence[Unit]]:
    """Return units in groups of equal size, each of which fits into memory."""
    if spec.task == "isomorphism":
        return [units]
    widest = max(count_columns(data, request) for request in {unit.request for unit in units})
    folds = 1 if spec.task == "early" else QUICK_FOLDS if settings.quick else len(data.splits)
    each = bytes_per_unit(data, spec, network, widest, folds, quick=settings.quick)
    capacity = max(1, int(settings.memory / each))
    count = -(-len(units) // capacity)
    size = -(-len(units) // count)
    return [units[begin : begin + size] for begin in range(0, len(units), size)]


def bytes_per_unit(
    data: GraphSet, spec: DataSpec, network: Network, columns: int, folds: int, *, quick: bool = False
) -> float:
    """Return roughly how much memory one unit needs while it trains and is measured after each epoch."""
    slots = int(data.union.degrees.max()) + 1
    row = _row_bytes(network, slots, spec.spectral.num_supports + columns, data.inputs.shape[1] + columns)
    trained = 1.4 * float(data.sizes.mean()) * spec.batch_size * folds
    most = QUICK_GRAPHS if quick else None
    measured = float(sum(data.sizes[split[1][:most]].sum() for split in data.splits[:folds]))
    return trained * row + measured * (_MEASURED_SHARE * row + _MEASURED_BYTES)


def forward_bytes(task: Task, rows: int) -> float:
    """Return roughly how much memory one replica's forward pass needs."""
    slots = task.store.neighbors.shape[1]
    return 0.5 * rows * _row_bytes(task.network, slots, max(task.sizes.full_supports, 1), task.sizes.inputs)


def _row_bytes(network: Network, slots: int, supports: int, inputs: int) -> float:
    """Return roughly how many bytes of activations one node costs, forward and backward."""
    before = [inputs, *network.channels][: len(network.channels)]
    total = 12.0 * sum(network.channels) + 4.0 * inputs + 6.0 * slots
    for width, out in zip(before, network.channels, strict=True):
        if network.kind == "chebnet":
            total += 4.0 * network.hops * width
        elif network.kind == "gat":
            total += 12.0 * network.heads * slots + 4.0 * out
        elif network.kind == "gnnml3":
            if network.learned:
                total += 4.0 * supports * width + 4.0 * slots * width + 30.0 * slots * supports
            else:
                total += 2.0 * supports * width + slots * supports
    return 4.0 * total

"""What one epoch of a method costs, measured with nothing else on the device."""

import time
from dataclasses import replace

import numpy as np
import torch

from experiments.nets.peers.jobs import (
    Limits,
    Line,
    SetPlan,
    environment,
    free_memory,
    inputs_of,
    replicas_of_folds,
)
from experiments.nets.peers.layout import Layout
from experiments.nets.peers.methods import METHODS, SEARCH, net_of, rows_per_node, with_bag
from experiments.nets.peers.sets import PeerSet
from experiments.nets.peers.training import PeerTrainer, epoch_order

_STEPS = 12


def measure_cost(data: PeerSet, name: str, plan: SetPlan, limits: Limits) -> list[Line]:
    """Return one line: milliseconds per epoch of ten folds trained at once, peak memory, preparation, rows per node."""
    method = (METHODS | SEARCH)[name]
    began = time.perf_counter()
    graphs = with_bag(inputs_of(data, method), method, plan.shape)
    prepared = time.perf_counter() - began
    if method.columns or method.typed:
        prepared = data.seconds.get("counts" if method.typed else method.columns, 0.0)
    on_gpu = limits.device.startswith("cuda")
    if on_gpu:
        free_memory()
    net = net_of(method, plan.shape, graphs.num_types)
    replicas = replicas_of_folds(data, replace(plan, both=False, seeds=1), len(data.parts))
    trainer = PeerTrainer(net, Layout(graphs, limits.device), data.targets, replicas, plan.loss)
    order = epoch_order(trainer, 0, plan.batch_size)
    rng = np.random.default_rng(0)
    shifts = [trainer.layout.shifts(chosen, rng) for chosen in order]
    trainer.reserve(order, shifts)

    def steps(count: int) -> float:
        if on_gpu:
            torch.cuda.synchronize()
        started = time.perf_counter()
        for number in range(count):
            trainer.step(order[number % len(order)], shifts[number % len(order)], plan.rate)
        if on_gpu:
            torch.cuda.synchronize()
        return (time.perf_counter() - started) / count

    steps(1 if limits.quick else 3)
    each = steps(1 if limits.quick else _STEPS)
    return [
        {
            "set": data.name,
            "method": name,
            "cost": True,
            "milliseconds": round(1000 * each * len(order), 3),
            "steps": len(order),
            "replicas": len(replicas),
            "weights": trainer.weights.per_replica,
            "prepare_seconds": round(prepared, 4),
            "rows_per_node": round(rows_per_node(graphs), 3),
            "peak_bytes": torch.cuda.max_memory_allocated() if on_gpu else None,
            "seconds": round(time.perf_counter() - began, 2),
            "quick": limits.quick,
            "environment": environment(limits.device),
        }
    ]

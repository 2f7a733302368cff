"""What one epoch of a method costs: wall-clock time on a GPU with nothing else on it, or time of one CPU core."""

import time
from dataclasses import replace

import numpy as np
import torch

from research.nets.peers.jobs import (
    Limits,
    Line,
    SetPlan,
    environment,
    fitting_width,
    free_memory,
    inputs_of,
    replicas_at_once,
    replicas_of_folds,
    replicas_of_targets,
)
from research.nets.peers.layout import Layout
from research.nets.peers.methods import METHODS, SEARCH, net_of, rows_per_node, with_bag
from research.nets.peers.sets import PeerSet
from research.nets.peers.training import PeerTrainer, Replica, epoch_order

#: Steps before the clock starts, and steps that are timed; on a CPU more if steps are short.
_GPU_STEPS, _CPU_STEPS = (3, 12), (1, 4)
#: Seconds that are timed on a CPU, about, and the most steps.
_CPU_SECONDS, _CPU_MOST = 1.0, 40


def measure_cost(data: PeerSet, name: str, plan: SetPlan, limits: Limits) -> list[Line]:
    """Return one line: milliseconds per epoch of all folds or seeds, peak memory, preparation, rows per node.

    On a CPU the clock counts the time of the process, which other processes do not change much. Replicas that do not
    fit into `limits.memory` at once are trained in parts: one part is timed, and its time counts for all replicas.
    """
    method = (METHODS | SEARCH)[name]
    began = time.perf_counter()
    graphs = with_bag(inputs_of(data, method), method, plan.shape)
    prepared = time.perf_counter() - began
    if method.columns or method.typed:
        prepared = data.seconds.get("counts" if method.typed else method.columns, 0.0)
    on_gpu = limits.device.startswith("cuda")
    if on_gpu:
        free_memory()
    shape = replace(plan.shape, width=fitting_width(graphs, method, plan)) if plan.weights else plan.shape
    net = net_of(method, shape, graphs.num_types)
    layout = Layout(graphs, limits.device)
    replicas = _replicas(data, plan)
    timed = replicas[: replicas_at_once(net, layout, plan, limits.memory, len(replicas))]
    trainer = PeerTrainer(net, layout, data.targets, timed, plan.loss)
    order = epoch_order(trainer, 0, plan.batch_size)
    rng = np.random.default_rng(0)
    shifts = [trainer.layout.shifts(chosen, rng) for chosen in order]
    trainer.reserve(order, shifts)
    clock = time.perf_counter if on_gpu else time.process_time

    def steps(count: int) -> float:
        if on_gpu:
            torch.cuda.synchronize()
        started = clock()
        for number in range(count):
            trainer.step(order[number % len(order)], shifts[number % len(order)], plan.rate)
        if on_gpu:
            torch.cuda.synchronize()
        return (clock() - started) / count

    before, counted = _GPU_STEPS if on_gpu else _CPU_STEPS
    trial = steps(1 if limits.quick else before)
    if not on_gpu:
        counted = max(counted, min(_CPU_MOST, int(_CPU_SECONDS / max(trial, 1e-3))))
    each = steps(1 if limits.quick else counted)
    return [
        {
            "set": data.name,
            "method": name,
            "cost": True,
            "clock": "wall" if on_gpu else "process",
            "milliseconds": round(1000 * each * len(order) * len(replicas) / len(timed), 3),
            "steps": len(order),
            "replicas": len(replicas),
            "replicas_at_once": len(timed),
            "weights": trainer.weights.per_replica,
            "prepare_seconds": round(prepared, 4),
            "rows_per_node": round(rows_per_node(graphs), 3),
            "peak_bytes": torch.cuda.max_memory_allocated() if on_gpu else None,
            "seconds": round(time.perf_counter() - began, 2),
            "quick": limits.quick,
            "environment": environment(limits.device),
        }
    ]


def _replicas(data: PeerSet, plan: SetPlan) -> list[Replica]:
    """Return the networks of one seed and all folds, or of all seeds and targets."""
    if plan.task == "folds":
        return replicas_of_folds(data, replace(plan, both=False, seeds=1), len(data.parts))
    return replicas_of_targets(data, plan)

"""One method on one data set: replicas, training, scores under both protocols, and what it cost, as lines of JSON."""

import gc
import math
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import torch

from research.nets.peers.layout import Layout
from research.nets.peers.methods import (
    METHODS,
    SEARCH,
    Method,
    SetShape,
    net_of,
    rows_per_node,
    width_for,
    with_bag,
)
from research.nets.peers.networks import Net, forward
from research.nets.peers.passes import Pass, Weights
from research.nets.peers.records import PeerGraphs
from research.nets.peers.sets import PeerSet
from research.nets.peers.training import Curves, PeerTrainer, Replica, Schedule, train

Array: TypeAlias = np.ndarray[Any, Any]
Line: TypeAlias = dict[str, Any]

#: Two outputs are equal if they differ by less than this share of their spread over all graphs, in float64.
EQUAL = 1e-6
#: A column whose spread is a smaller share of its values than this has nothing but rounding errors.
NOISE = 1e-9
#: Copies of a row's vector that a layer keeps for its backward pass, about.
_KEPT = 10


@dataclass(frozen=True)
class SetPlan:
    """How the networks are trained on one set; the fields of `specs/peers.toml`.

    Attributes
    ----------
    task
        "folds", "early" (validation and test sets) or "equal" (random networks, pairs of graphs that stay equal).
    seeds
        How many; of "equal" the number of random networks.
    weights
        If given, the width of each network is chosen so that it has at most this many weights.
    both
        "folds": whether networks on all training graphs are trained too, for the paper's protocol; otherwise it is
        measured on the networks that hold back a tenth.
    leave_out
        Methods that are not run, with the reason.
    """

    task: str
    shape: SetShape
    epochs: int = 1
    batch_size: int = 32
    rate: float = 1e-3
    seeds: int = 1
    loss: str = "classes"
    weights: int = 0
    both: bool = False
    leave_out: dict[str, str] | None = None


@dataclass(frozen=True)
class Limits:
    """What a job may use: device, seconds, bytes of activations; and whether it is a quick one."""

    device: str = "cpu"
    seconds: float = math.inf
    memory: float = 6e9
    quick: bool = False


def inputs_of(data: PeerSet, method: Method) -> PeerGraphs:
    """Return the graphs with the columns and types that a method reads."""
    graphs = data.graphs
    if method.columns:
        values = data.columns[method.columns].astype(np.float32)
        graphs = replace(graphs, inputs=np.concatenate([graphs.inputs, values], axis=1))
    if method.typed:
        graphs = replace(
            graphs, types=data.structure_types, num_types=max(2, int(data.structure_types.max(initial=0)) + 1)
        )
    return graphs


def run_job(
    data: PeerSet, name: str, plan: SetPlan, limits: Limits, say: Callable[[str], None] = lambda _: None
) -> list[Line]:
    """Return the lines of one method on one set."""
    method = (METHODS | SEARCH)[name]
    started = time.perf_counter()
    graphs = with_bag(inputs_of(data, method), method, plan.shape)
    prepared = time.perf_counter() - started
    if method.columns or method.typed:
        prepared = data.seconds.get("counts" if method.typed else method.columns, 0.0)
    shape = plan.shape
    if plan.weights:
        shape = replace(shape, width=fitting_width(graphs, method, plan))
    net = net_of(method, shape, graphs.num_types)
    if limits.device.startswith("cuda"):
        free_memory()
    dtype = torch.float64 if plan.task == "equal" else torch.float32
    layout = Layout(graphs, limits.device, dtype)
    if plan.task == "equal":
        lines = _equal(data, net, layout, plan)
    else:
        lines = (_folds if plan.task == "folds" else _early)(data, net, layout, plan, limits, say)
    peak = torch.cuda.max_memory_allocated() if limits.device.startswith("cuda") else None
    shared = {
        "set": data.name,
        "method": name,
        "network": asdict(net),
        "prepare_seconds": round(prepared, 4),
        "rows_per_node": round(rows_per_node(graphs), 3),
        "peak_bytes": peak,
        "seconds": round(time.perf_counter() - started, 2),
        "quick": limits.quick,
        "environment": environment(limits.device),
    }
    return [shared | line for line in lines]


def fitting_width(graphs: PeerGraphs, method: Method, plan: SetPlan) -> int:
    """Return the width that gives a network about as many weights as the plan allows."""
    one = replace(graphs, bag=None, hops=None, sizes=graphs.sizes[:1], arc_ptr=graphs.arc_ptr[:2])
    one = with_bag(one, method, plan.shape)

    def count(width: int) -> int:
        net = net_of(method, replace(plan.shape, width=width), graphs.num_types)
        weights = Weights([(0,)], "cpu", torch.float32)
        with torch.no_grad():
            forward(
                net, Layout(one, "cpu").exact(np.zeros((1, 1), dtype=np.int64)), Pass(weights, training=False)
            )
        return weights.per_replica

    return width_for(count, plan.weights)


def replicas_of_folds(data: PeerSet, plan: SetPlan, folds: int) -> list[Replica]:
    """Return per seed and fold a replica that trains on all its graphs, and one that holds back a tenth."""
    classes = data.targets[0]
    found = []
    for held in (False, True) if plan.both else (True,):
        for seed in range(plan.seeds):
            for fold in range(folds):
                graphs = np.flatnonzero(data.parts[fold] == 0)
                kept, validation = hold_back(graphs, classes, seed) if held else (graphs, graphs[:0])
                test = np.flatnonzero(data.parts[fold] == 2)
                found.append(Replica(seed, fold, kept, {"validation": validation, "test": test}))
    return found


def hold_back(graphs: Array, classes: Array, seed: int) -> tuple[Array, Array]:
    """Return training graphs without a tenth of each class, and that tenth.

    Examples
    --------
    >>> kept, validation = hold_back(np.arange(20), np.arange(20) % 2, seed=1)
    >>> len(kept), sorted((validation % 2).tolist())
    (18, [0, 1])
    """
    rng = np.random.default_rng([seed, len(graphs)])
    chosen: list[int] = []
    for label in np.unique(classes[graphs]):
        members = graphs[classes[graphs] == label]
        chosen += rng.permutation(members)[: max(1, round(0.1 * len(members)))].tolist()
    held = np.isin(graphs, chosen)
    return graphs[~held], graphs[held]


def _folds(
    data: PeerSet, net: Net, layout: Layout, plan: SetPlan, limits: Limits, say: Callable[[str], None]
) -> list[Line]:
    """Return a line per seed: accuracy at the best epoch over all folds, and at each fold's validated epoch."""
    folds = 2 if limits.quick else len(data.parts)
    replicas = replicas_of_folds(data, plan, folds)
    curves = _trained(data, net, layout, replicas, plan, limits, say)
    right = np.stack(curves.right["test"])
    losses = np.stack(curves.losses["validation"])
    lines = []
    half = len(replicas) // 2 if plan.both else 0
    for seed in range(plan.seeds):
        own = slice(seed * folds, (seed + 1) * folds)
        whole, rest = right[:, own], right[:, half:][:, own]
        best = int(whole.mean(axis=1).argmax())
        chosen = losses[:, half:][:, own].argmin(axis=0)
        validated = rest[chosen, np.arange(folds)]
        lines.append(
            {
                "seed": seed,
                "score": round(100 * float(whole[best].mean()), 4),
                "fold_spread": round(100 * float(whole[best].std(ddof=1)), 4),
                "epoch": curves.epochs[best],
                "validated": round(100 * float(validated.mean()), 4),
                "validation_loss": round(float(losses[:, half:][:, own].min(axis=0).mean()), 5),
                "validated_spread": round(100 * float(validated.std(ddof=1)), 4),
                "last": round(100 * float(whole[-1].mean()), 4),
                "metric": "accuracy",
            }
            | _costs(curves, len(replicas))
        )
    return lines


def _early(
    data: PeerSet, net: Net, layout: Layout, plan: SetPlan, limits: Limits, say: Callable[[str], None]
) -> list[Line]:
    """Return a line per seed and target: the test score at the epoch of the lowest validation loss."""
    replicas = replicas_of_targets(data, plan)
    curves = _trained(data, net, layout, replicas, plan, limits, say)
    losses = np.stack(curves.losses["validation"])
    tested = (curves.losses if plan.loss != "classes" else curves.right)["test"][0]
    lines = []
    for line, replica in enumerate(replicas):
        best = int(losses[:, line].argmin())
        score = float(tested[line]) * (100 if plan.loss == "classes" else 1)
        metric = {"classes": "accuracy", "squared": "squared error", "absolute": "absolute error"}[plan.loss]
        shown = {"seed": replica.seed, "target": replica.target, "score": round(score, 7), "metric": metric}
        lines.append(
            shown
            | {"epoch": curves.epochs[best], "validation": round(float(losses[best, line]), 7)}
            | _costs(curves, len(replicas))
        )
    return lines


def replicas_of_targets(data: PeerSet, plan: SetPlan) -> list[Replica]:
    """Return a replica per target and seed, all with the same training, validation and test graphs."""
    parts = [np.flatnonzero(data.parts[0] == part) for part in (0, 1, 2)]
    measured = {"validation": parts[1], "test": parts[2]}
    return [
        Replica(seed, 0, parts[0], measured, target)
        for target in range(len(data.targets))
        for seed in range(plan.seeds)
    ]


def _equal(data: PeerSet, net: Net, layout: Layout, plan: SetPlan) -> list[Line]:
    """Return one line: the pairs of graphs whose outputs are equal in all random networks.

    The activation is a sine: where all inputs are large, a ReLU is on or off for all of them, and such a network is
    linear and distinguishes nothing that 1-WL does not.
    """
    net = replace(net, norm=False, dropout=0.0)
    weights = Weights([(seed,) for seed in range(plan.seeds)], layout.device, layout.dtype)
    total = len(data.graphs.sizes)
    found = []
    began = time.perf_counter()
    with torch.no_grad():
        for begin in range(0, total, plan.batch_size):
            graphs = np.arange(begin, min(begin + plan.batch_size, total))
            batch = layout.exact(np.tile(graphs, (plan.seeds, 1)))
            run = Pass(weights, training=False, norm=False, activation=torch.sin)
            found.append(forward(net, batch, run).cpu().numpy())
    values = np.concatenate(found, axis=1).transpose(1, 0, 2).reshape(total, -1)
    seconds = time.perf_counter() - began
    return [
        {
            "seed": 0,
            "score": equal_pairs(values),
            "metric": "equal pairs",
            "pairs": total * (total - 1) // 2,
            "networks": plan.seeds,
            "milliseconds": round(1000 * seconds, 2),
            "weights": weights.per_replica,
        }
    ]


def equal_pairs(values: Array) -> int:
    """Return how many pairs of rows differ in no column by more than `EQUAL` times its spread.

    Examples
    --------
    >>> equal_pairs(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]]))
    1
    """
    spread = values.std(axis=0)
    scale = np.where(spread > NOISE * (1 + np.abs(values).max(axis=0)), spread, np.inf)
    values = (values - values.mean(axis=0)) / scale
    # A fixed projection orders the rows, so that equal ones are near one another.
    line = values @ np.random.default_rng(0).normal(size=values.shape[1])
    order = np.argsort(line, kind="stable")
    values, line = values[order], line[order]
    bound = EQUAL * 4 * math.sqrt(values.shape[1]) * 2
    equal, gap = 0, 1
    while gap < len(line):
        near = np.flatnonzero(line[gap:] - line[:-gap] <= bound)
        if not len(near):
            break
        equal += int((np.abs(values[near] - values[near + gap]).max(axis=1) <= EQUAL).sum())
        gap += 1
    return equal


def _trained(
    data: PeerSet,
    net: Net,
    layout: Layout,
    replicas: Sequence[Replica],
    plan: SetPlan,
    limits: Limits,
    say: Callable[[str], None],
) -> Curves:
    """Return the curves of all replicas, trained in several parts if they do not fit into memory at once."""
    parts = -(-len(replicas) // replicas_at_once(net, layout, plan, limits.memory, len(replicas)))
    schedule = Schedule(
        epochs=2 if limits.quick else plan.epochs,
        batch_size=plan.batch_size,
        rate=plan.rate,
        loss=plan.loss,
        eval_size=plan.batch_size,
        seconds=limits.seconds / parts,
        at_best=("test",) if plan.task == "early" else (),
    )
    found = []
    for chosen in np.array_split(np.arange(len(replicas)), parts):
        own = [replicas[number] for number in chosen]
        torch.manual_seed(0)
        trainer = PeerTrainer(net, layout, data.targets, own, plan.loss)
        found.append(train(trainer, schedule, say))
        if len(found) == 1 and parts > 1:  # the parts must have equally many epochs
            schedule = replace(schedule, epochs=found[0].epochs[-1], seconds=math.inf)
    return _joined(found)


def replicas_at_once(net: Net, layout: Layout, plan: SetPlan, memory: float, most: int) -> int:
    """Return how many of `most` replicas have activations that fit into `memory` bytes, at least one."""
    graphs = layout.graphs
    rows = graphs.bag.num_rows if graphs.bag is not None else int(graphs.sizes.sum())
    if graphs.bag is not None and graphs.sample:
        many = np.diff(graphs.bag.sub_ptr)
        rows = int((np.minimum(many, graphs.sample) * graphs.sizes).sum())
    if net.kind == "pairs":
        rows = len(graphs.sizes) * int(graphs.sizes.max()) ** 2
    size = max(min(plan.batch_size, len(graphs.sizes)), 1)
    layers = net.layers * (3 if net.kind in ("rings", "pairs") else 2 if net.context else 1)
    each = rows / len(graphs.sizes) * size * net.width * 4 * _KEPT * layers
    return max(1, min(most, int(memory / max(each, 1))))


def _joined(parts: Sequence[Curves]) -> Curves:
    """Return the curves of all parts side by side; their times add up."""
    first = parts[0]
    for name in first.losses:
        for kind in ("losses", "right"):
            columns = [getattr(part, kind)[name] for part in parts]
            getattr(first, kind)[name] = [np.concatenate(row) for row in zip(*columns, strict=True)]
    first.milliseconds = sum(part.milliseconds for part in parts)
    return first


def _costs(curves: Curves, replicas: int) -> Line:
    """Return what training took."""
    return {
        "epochs": curves.epochs[-1],
        "planned_epochs": curves.planned,
        "milliseconds": round(curves.milliseconds, 3),
        "replicas": replicas,
        "weights": curves.weights,
    }


def environment(device: str) -> Line:
    """Return device and versions."""
    name = (
        torch.cuda.get_device_name()
        if device.startswith("cuda")
        else platform.processor() or platform.machine()
    )
    return {
        "device": name,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def free_memory() -> None:
    """Free what earlier jobs left on the GPU, so that the peak memory is that of the next one alone."""
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()

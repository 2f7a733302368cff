"""Isomorphism tests by random networks: pairs of graphs whose outputs stay the same."""

from dataclasses import replace

import numpy as np
import torch

from research.datasets.graph_set import GraphSet
from research.nets.network import Replica
from research.nets.shape import Network
from research.nets.trainer import Trainer
from research.paper.features import Request, make_extra
from research.paper.memory import forward_bytes
from research.paper.published.draws import published_draws
from research.paper.settings import QUICK_REPEATS, Outcome, Settings, Unit
from research.paper.spec import DataSpec
from research.paper.tasks import make_task

_TOLERANCE = 1e-3


def run_isomorphism(
    data: GraphSet, spec: DataSpec, network: Network, request: Request, settings: Settings
) -> Outcome:
    """Return how many pairs of graphs no random network distinguishes: outputs within 1e-3 (L1) every time.

    Under the paper's protocol the networks are those that the published script draws, its generator seeded by the
    number of the repeat; vectors come from one table for all repeats.
    """
    repeats = QUICK_REPEATS if settings.quick else spec.repeats
    everything = np.arange(data.num_graphs)
    unit = Unit(request, 0)
    extra = make_extra(data, [request], [everything], [0], learn=False)
    width = data.inputs.shape[1] + extra.width_of[request, 0]
    supports = spec.spectral.num_supports + extra.width_of[request, 0]
    replicas = [Replica(seed, width=width, supports=supports) for seed in range(repeats)]
    # The encoder draws before the generator is seeded.
    columns = replace(extra.columns_of[request, 0], table=None)
    no_targets = torch.zeros(1, data.num_graphs + 1)
    task = make_task(data, spec, network, extra, replicas[:1], no_targets, settings)
    rows = int(data.union.num_nodes) + 1
    group = max(1, int(settings.memory / forward_bytes(task, rows)))
    alike, quiet, used = None, 0, 0
    for begin in range(0, repeats, group):
        part = replicas[begin : begin + group]
        first = None
        if settings.protocol == "paper" and spec.starts_as_published(network):
            first = published_draws(network, task.sizes, part, [columns] * len(part)).weights
        trainer = Trainer(replace(task, replicas=part), values=first, capture=False)
        graphs = torch.arange(data.num_graphs, device=settings.device).expand(len(part), -1).contiguous()
        for outputs in trainer.outputs(graphs, rows):
            left = still_alike(outputs, alike)
            quiet = quiet + 1 if alike is not None and len(left) == len(alike) else 0
            alike, used = left, used + 1
            if quiet >= spec.patience and data.name == "graph8c":
                return Outcome(unit, float(len(alike)), {"repeats": used})
    return Outcome(unit, float(0 if alike is None else len(alike)), {"repeats": used})


def still_alike(outputs: torch.Tensor, pairs: torch.Tensor | None) -> torch.Tensor:
    """Return the pairs, out of those given or out of all, whose outputs differ by at most 1e-3 in sum.

    Examples
    --------
    >>> still_alike(torch.tensor([[0.0, 1.0], [0.0, 1.0005], [0.5, 1.0]]), None).tolist()
    [[0, 1]]
    """
    if pairs is not None:
        distance = (outputs[pairs[:, 0]] - outputs[pairs[:, 1]]).abs().sum(1)
        return pairs[distance <= _TOLERANCE]
    found = []
    block = 512
    for begin in range(0, len(outputs), block):
        distance = torch.cdist(outputs[begin : begin + block], outputs[begin:], p=1.0)
        near = (distance <= _TOLERANCE).triu(1).nonzero()
        found.append(near + begin)
    return torch.cat(found)

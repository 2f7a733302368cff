"""All replicas of a network with their parameters, and the steps that change or measure them, captured on a GPU."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from egonet.typing import Int64s
from research.nets.layers import forward, start_running
from research.nets.network import Parameters, Replica, Sizes, start
from research.nets.operations import adam_step
from research.nets.shape import Network
from research.nets.store import Store, pack

Loss: TypeAlias = Literal["binary", "classes", "squared"]
Measured: TypeAlias = tuple[Tensor, Tensor]

_WARM_UPS = 2


@dataclass(frozen=True, eq=False)
class Task:
    """What is trained: one network, many replicas, one set of graphs.

    Attributes
    ----------
    network, sizes
        The shape of the network and of its inputs.
    store
        The graphs, on the device.
    replicas
        The networks that train together; they never interact.
    targets
        (num_targets, num_graphs + 1): what is learned per graph; the last entry belongs to the empty graph.
    loss
        "binary": cross-entropy of one logit, "classes": of several, "squared": squared error; each summed
        over the batch.
    rate
        Adam's learning rate.
    """

    network: Network
    sizes: Sizes
    store: Store
    replicas: Sequence[Replica]
    targets: Tensor
    loss: Loss
    rate: float = 1e-3


class Trainer:
    """The parameters of all replicas and the steps that change or measure them.

    Parameters live in one flat buffer, so that Adam is one pass over it; `values` are views into it.
    """

    def __init__(self, task: Task, *, values: Parameters | None = None, capture: bool | None = None) -> None:
        self.task = task
        device, dtype = task.store.inputs.device, task.store.inputs.dtype
        first = values if values is not None else start(task.network, task.sizes, task.replicas, dtype)
        self.flat = torch.cat([value.reshape(-1) for value in first.values()]).to(device, dtype)
        self.values = views(self.flat, first)
        self.running = start_running(self.values)
        self.variants = torch.tensor([replica.variant for replica in task.replicas], device=device)
        self.chosen = torch.tensor([[replica.target] for replica in task.replicas], device=device)
        self.moments = [torch.zeros_like(self.flat), torch.zeros_like(self.flat)]
        self.steps = torch.zeros((), dtype=torch.float32, device=device)
        self.capture = device.type == "cuda" if capture is None else capture
        self._captured: dict[tuple[object, ...], _Captured] = {}

    @property
    def state(self) -> list[Tensor]:
        """Return every tensor that training changes."""
        return [self.flat, *self.running.values(), *self.moments, self.steps]

    def step(self, graphs: Tensor, num_rows: int) -> None:
        """Take one step of Adam on the graphs of each replica, int64 (M, B)."""
        self._run("step", lambda chosen: self._step(chosen, num_rows), graphs, num_rows)

    def measure(self, graphs: Tensor, num_rows: int) -> Measured:
        """Return the summed loss and the number of right answers of each replica, (M,) and (M,)."""
        loss, right = self._run("measure", lambda chosen: self._measure(chosen, num_rows), graphs, num_rows)
        return loss.clone(), right.clone()

    def outputs(self, graphs: Tensor, num_rows: int) -> Tensor:
        """Return the outputs for every graph, (M, B, outputs), without training."""
        with torch.no_grad():
            return self._forward(graphs, num_rows, training=False)

    def keep(self, lines: Int64s) -> "Trainer":
        """Return a trainer of some of the replicas that goes on where this one is."""
        chosen = torch.from_numpy(lines).to(self.flat.device)
        task = replace(self.task, replicas=[self.task.replicas[line] for line in lines.tolist()])
        values = {name: value.detach()[chosen] for name, value in self.values.items()}
        kept = Trainer(task, values=values, capture=self.capture)
        for mine, theirs in zip(self.moments, kept.moments, strict=True):
            parts = [part.detach()[chosen].reshape(-1) for part in views(mine, self.values).values()]
            theirs.copy_(torch.cat(parts))
        kept.steps.copy_(self.steps)
        kept.running = {name: value[chosen] for name, value in self.running.items()}
        return kept

    def release(self) -> None:
        """Forget captured graphs, and with them their memory."""
        self._captured.clear()

    def _forward(self, graphs: Tensor, num_rows: int, *, training: bool) -> Tensor:
        batch = pack(self.task.store, graphs, self.variants, num_rows)
        return forward(self.task.network, batch, self.values, self.running, training=training)

    def _step(self, graphs: Tensor, num_rows: int) -> Measured:
        outputs = self._forward(graphs, num_rows, training=True)
        losses = self._losses(outputs, graphs)
        names = list(self.values)
        grads = torch.autograd.grad(losses.sum(), [self.values[name] for name in names], allow_unused=True)
        known = [
            torch.zeros_like(self.values[name]) if grad is None else grad
            for name, grad in zip(names, grads, strict=True)
        ]
        slope = torch.cat([grad.reshape(-1) for grad in known])
        adam_step(self.flat, slope, self.moments, self.steps, self.task.rate)
        return losses.detach().sum(1), losses.new_zeros(len(losses))

    @torch.no_grad()
    def _measure(self, graphs: Tensor, num_rows: int) -> Measured:
        outputs = self._forward(graphs, num_rows, training=False)
        return self._losses(outputs, graphs).sum(1), self._right(outputs, graphs).sum(1)

    def _losses(self, outputs: Tensor, graphs: Tensor) -> Tensor:
        """Return the loss of each graph, zero where there is no graph."""
        y = self.task.targets[self.chosen, graphs]
        if self.task.loss == "classes":
            losses = -torch.log_softmax(outputs, dim=2).gather(2, y.long().unsqueeze(2)).squeeze(2)
        elif self.task.loss == "binary":
            losses = F.binary_cross_entropy_with_logits(
                outputs[..., 0], y.to(outputs.dtype), reduction="none"
            )
        else:
            losses = (outputs[..., 0] - y) ** 2
        return losses * (graphs != self.task.store.num_graphs)

    def _right(self, outputs: Tensor, graphs: Tensor) -> Tensor:
        """Return one for each graph whose class is found, zero otherwise."""
        y = self.task.targets[self.chosen, graphs]
        if self.task.loss == "squared":
            return torch.zeros_like(outputs[..., 0])
        found = outputs.argmax(2) if self.task.loss == "classes" else outputs[..., 0] > 0
        return ((found == y.to(found.dtype)) & (graphs != self.task.store.num_graphs)).to(outputs.dtype)

    def _run(
        self, name: str, function: Callable[[Tensor], Measured], graphs: Tensor, num_rows: int
    ) -> Measured:
        """Run a function of the graphs, through a captured CUDA graph if there is to be one."""
        if not self.capture:
            return function(graphs)
        key = (name, graphs.shape, num_rows)
        if key not in self._captured:
            for old in [other for other in self._captured if other[0] == name]:
                del self._captured[old]
            self._captured[key] = _Captured(function, graphs, self.state)
        return self._captured[key](graphs)


class _Captured:
    """A function of one tensor of graph numbers, recorded once and replayed on the GPU."""

    def __init__(self, function: Callable[[Tensor], Measured], graphs: Tensor, state: list[Tensor]) -> None:
        self.graphs = graphs.clone()
        saved = [tensor.detach().clone() for tensor in state]
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UPS):
                function(self.graphs)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function(self.graphs)
        with torch.no_grad():
            for tensor, value in zip(state, saved, strict=True):
                tensor.copy_(value)

    def __call__(self, graphs: Tensor) -> Measured:
        self.graphs.copy_(graphs)
        self.graph.replay()
        return self.result


def views(flat: Tensor, like: Parameters) -> Parameters:
    """Return views into a flat buffer with the names and shapes of `like`, each a leaf of the gradient."""
    found, begin = {}, 0
    for name, value in like.items():
        part = flat[begin : begin + value.numel()].view(value.shape)
        found[name] = part.detach().requires_grad_()
        begin += value.numel()
    return found

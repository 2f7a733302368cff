"""What the published code draws for a seed: the first weights of its modules, then the order of batches."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from egonet.typing import Int64s
from research.nets.network import Parameter, Parameters, Replica, Sizes, parameters
from research.nets.shape import Network


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of an encoding as the published code has them.

    Attributes
    ----------
    places
        int64 (num_stored,): where each stored column is among all columns, those that are always zero included.
    width
        How many columns there are in all.
    table
        The shape of the table of vectors drawn before the network, of length 0 for a plain encoding; None stands
        for no encoding, where nothing is drawn before.
    """

    places: Int64s
    width: int = 0
    table: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class Order(Sequence[Int64s]):
    """The orders of training graphs, epoch by epoch, each drawn when it is asked for: PyTorch's for a seed.

    Attributes
    ----------
    seeds
        int64 (epochs,): what the permutation of each epoch is seeded with.
    num_graphs
        How many graphs are permuted.
    """

    seeds: Int64s
    num_graphs: int

    def __len__(self) -> int:
        """Return the number of epochs."""
        return len(self.seeds)

    def __getitem__(self, epoch: Any) -> Any:
        """Return the order of an epoch."""
        generator = torch.Generator().manual_seed(int(self.seeds[epoch]))
        return torch.randperm(self.num_graphs, generator=generator).numpy()


class Draws(NamedTuple):
    """First values of every parameter, float32 (M, *shape), and the order of batches of every replica."""

    weights: Parameters
    orders: list[Order]


@torch.no_grad()
def published_draws(
    network: Network,
    sizes: Sizes,
    replicas: Sequence[Replica],
    columns: Sequence[Columns],
    *,
    graphs: Sequence[int] = (),
    epochs: int = 0,
    loaders: int = 0,
) -> Draws:
    """Return what the published scripts draw for each replica, which is known if their networks have no dropout.

    A script seeds its generator, draws the table of vectors and the line of the encoder, if there is one and it
    comes after, and builds its network: layers first, then the head. PyTorch Geometric 2.0.2, which its runs
    loaded, draws some weights more than once and keeps the last. Every epoch then takes a number for each
    loader of graphs, and one that seeds the order of the training graphs. The next fold goes on from there, but
    the encoder seeds the generator again for each.

    Parameters
    ----------
    network, sizes, replicas
        As in `research.nets.network.start`; the folds of a seed follow each other.
    columns
        Per replica, the columns of its encoding.
    graphs
        Training graphs per replica.
    epochs, loaders
        How many epochs there are at most, and how many loaders each of them reads.

    Examples
    --------
    >>> columns = Columns(np.array([0, 2]), width=4, table=(4, 0))
    >>> found = published_draws(
    ...     Network("linear"), Sizes(3), [Replica(1, width=5)], [columns], graphs=[4], epochs=2, loaders=3
    ... )
    >>> [round(number, 3) for number in found.weights["out.w"][0, :, 0].tolist()]
    [-0.087, 0.21, 0.268]
    >>> [order.tolist() for order in found.orders[0]]
    [[3, 2, 0, 1], [1, 3, 2, 0]]
    """
    drawn, orders = [], []
    state: Tensor | None = None
    for place, (replica, own) in enumerate(zip(replicas, columns, strict=True)):
        goes_on = own.table is None and replica.fold > 0
        values, state = _drawn(network, replica, own, state if goes_on else None)
        drawn.append(values)
        if epochs:
            generator = torch.Generator().set_state(state)
            numbers = torch.empty(epochs, loaders + 1, dtype=torch.int64).random_(generator=generator)
            orders.append(Order(numbers[:, 1].numpy(), graphs[place]))
            state = generator.get_state()
    weights = {
        one.name: torch.stack([_stored(values, one, own) for values, own in zip(drawn, columns, strict=True)])
        for one in parameters(network, sizes)
    }
    return Draws(weights, orders)


def _drawn(
    network: Network, replica: Replica, columns: Columns, state: Tensor | None
) -> tuple[dict[str, Tensor], Tensor]:
    """Return the parameters of one replica, all columns, last axis as in `parameters`, and the generator's state."""
    with torch.random.fork_rng(devices=[]):
        if state is None:
            torch.manual_seed(replica.seed)
        else:
            torch.set_rng_state(state)
        if columns.table is not None:
            torch.rand(columns.table)
            _linear("line", 1, 1)
        found: dict[str, Tensor] = {}
        channels = (replica.width, *network.channels)
        epsilons = np.random.RandomState(replica.seed).uniform(size=len(network.widths))
        for layer, width in enumerate(channels[:-1]):
            if network.kind == "gnnml3":
                found |= _gnnml3(network, layer, width, replica.supports)
            else:
                found |= _LAYERS[network.kind](network, layer, width)
            if network.kind == "gin" and network.epsilon == "uniform":
                found[f"{layer}.e"] = torch.tensor(epsilons[layer], dtype=torch.float32)
        width = channels[-1] * len(network.pool)
        for place, hidden in enumerate(network.head):
            found |= _linear(f"head{place}", width, hidden)
            width = hidden
        found |= _linear("out", width, network.outputs)
        return found, torch.get_rng_state()


def _stored(drawn: dict[str, Tensor], parameter: Parameter, columns: Columns) -> Tensor:
    """Return what belongs to the stored columns, zero where only other replicas have a column."""
    if parameter.name not in drawn:  # of a batch norm, which draws nothing
        return torch.full(parameter.shape, float(parameter.start == "one"))
    found = drawn[parameter.name]
    if parameter.rows in ("inputs", "supports"):
        found = _chosen(found, -2, parameter.shape[-2], columns)
    if found.shape[:1] != parameter.shape[:1]:  # a weight per support, of which only some are stored
        found = _chosen(found, 0, parameter.shape[0], columns)
    return found


def _chosen(drawn: Tensor, axis: int, size: int, columns: Columns) -> Tensor:
    """Return the stored columns along an axis of `size` places; the columns of an encoding are its last ones."""
    own = drawn.shape[axis] - columns.width
    rows = torch.from_numpy(np.concatenate([np.arange(own), own + columns.places]))
    shape = list(drawn.shape)
    shape[axis] = size
    return drawn.new_zeros(shape).index_copy(axis, torch.arange(len(rows)), drawn.index_select(axis, rows))


def _linear(name: str, width: int, out: int) -> dict[str, Tensor]:
    """Return weight and bias of a new linear layer."""
    layer = torch.nn.Linear(width, out)
    return {f"{name}.w": layer.weight.T, f"{name}.b": layer.bias}


def _glorot(*shape: int) -> Tensor:
    """Return numbers uniform in ±√(6 / (sum of the last two sizes))."""
    bound = math.sqrt(6.0 / (shape[-2] + shape[-1]))
    return torch.empty(shape).uniform_(-bound, bound)


def _last(times: int, draw: Callable[[], Tensor]) -> Tensor:
    """Return the last of several draws."""
    for _ in range(times - 1):
        draw()
    return draw()


def _mlp(network: Network, layer: int, width: int) -> dict[str, Tensor]:
    """Return a linear layer."""
    return _linear(f"{layer}", width, network.widths[layer])


def _gcn(network: Network, layer: int, width: int) -> dict[str, Tensor]:
    """Return GCNConv: its linear layer draws when built, and again when reset."""
    out = network.widths[layer]
    weight = _last(2, lambda: _glorot(out, width))
    return {f"{layer}.w": weight.T, f"{layer}.b": torch.zeros(out)}


def _gat(network: Network, layer: int, width: int) -> dict[str, Tensor]:
    """Return GATConv: one linear layer for both ends draws when built, and is reset once for each end."""
    heads, out = network.heads, network.widths[layer]
    weight = _last(3, lambda: _glorot(heads * out, width))
    return {
        f"{layer}.w": weight.T,
        f"{layer}.source": _glorot(heads, out),
        f"{layer}.target": _glorot(heads, out),
        f"{layer}.b": torch.zeros(heads * out),
    }


def _gin(network: Network, layer: int, width: int) -> dict[str, Tensor]:
    """Return GINConv: its linear maps draw when built, and again when the convolution resets them."""
    found: dict[str, Tensor] = {f"{layer}.e": torch.zeros(())}
    for _ in range(2):
        for place in range(network.depth):
            before = width if place == 0 else network.widths[layer]
            found |= _linear(f"{layer}.{place}", before, network.widths[layer])
    return found


def _chebnet(network: Network, layer: int, width: int) -> dict[str, Tensor]:
    """Return ChebConv: a linear layer per hop, all drawn when built and all again when reset."""
    out = network.widths[layer]
    weight = _last(2, lambda: torch.stack([_glorot(out, width) for _ in range(network.hops)]))
    return {f"{layer}.w": weight.transpose(1, 2), f"{layer}.b": torch.zeros(out)}


def _gnnml3(network: Network, layer: int, width: int, supports: int) -> dict[str, Tensor]:
    """Return ML3Layer: the learned map of the supports, the convolution, the product."""
    out = network.widths[layer]
    found: dict[str, Tensor] = {}
    if network.learned:
        for name in "rst":
            found[f"{layer}.{name}"] = torch.nn.Linear(supports, 2 * supports, bias=False).weight.T
        found[f"{layer}.u"] = torch.nn.Linear(4 * supports, supports, bias=False).weight.T
    found[f"{layer}.w"] = _glorot(supports, width, out)
    found[f"{layer}.b"] = torch.zeros(out)
    for name in "pq" if sum(network.parts) else "":
        found |= _linear(f"{layer}.{name}", width, network.parts[0])
    return found


_LAYERS = {"mlp": _mlp, "gcn": _gcn, "gat": _gat, "gin": _gin, "chebnet": _chebnet}

"""From the shape of a network to the list of its parameters, and their first values."""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from research.nets.shape import Network

Start: TypeAlias = Literal["linear", "glorot", "zero", "one", "uniform"]
Parameters: TypeAlias = dict[str, Tensor]


@dataclass(frozen=True)
class Sizes:
    """How wide the data are: columns stored, and columns the published code would have had.

    Columns that are zero in all data are not stored, since their weights never matter; what remains of them
    is the width that decides how large the first weights are.

    Attributes
    ----------
    inputs, supports
        Columns of the node inputs and of the supports as stored.
    full_supports
        Supports with the zero ones; the learned map of GNNML3 has this many outputs.
    """

    inputs: int
    supports: int = 0
    full_supports: int = 0


@dataclass(frozen=True)
class Parameter:
    """One tensor of parameters, without its replica axis.

    Attributes
    ----------
    name, shape
        What it is called and its shape.
    start
        How it is drawn: "linear" uniform ±1/√fan, "glorot" uniform ±√(6 / (fan + last)), or a constant.
    fan
        The number of inputs that `start` counts; 0 stands for the width of the replica's own inputs.
    rows
        "inputs" or "supports" if the second-last axis runs over those, else "".
    """

    name: str
    shape: tuple[int, ...]
    start: Start
    fan: int = 1
    rows: str = ""


@dataclass(frozen=True)
class Replica:
    """One of the networks trained together: where its randomness comes from, and what it reads.

    Attributes
    ----------
    seed, fold
        Decide first weights and the order of graphs.
    variant
        Which encodings it reads.
    width, supports
        How many input columns and supports the published code would have given it, zero ones included.
    target
        Which column of the targets it learns.
    """

    seed: int
    fold: int = 0
    variant: int = 0
    width: int = 1
    supports: int = 0
    target: int = 0


def parameters(network: Network, sizes: Sizes) -> list[Parameter]:
    """Return the parameters of a network in a fixed order.

    Examples
    --------
    >>> [(p.name, p.shape) for p in parameters(Network("mlp", (4,)), Sizes(3))]
    [('0.w', (3, 4)), ('0.b', (4,)), ('out.w', (4, 1)), ('out.b', (1,))]
    """
    found: list[Parameter] = []
    channels = (sizes.inputs, *network.channels)
    for layer in range(len(network.widths)):
        rows, fan = ("inputs", 0) if layer == 0 else ("", channels[layer])
        found += _layer(network, sizes, layer, channels[layer], rows, fan)
        if network.has_norm(layer):
            found += _norm(f"{layer}.n", channels[layer + 1])
    width = channels[-1] * len(network.pool)
    if network.norm == "pooled":
        found += _norm("pool.n", width)
    for place, hidden in enumerate(network.head):
        found += _linear(f"head{place}", width, hidden, width)
        width = hidden
    rows, fan = ("", width) if network.widths else ("inputs", 0)
    return found + _linear("out", width, network.outputs, fan, rows)


def _layer(network: Network, sizes: Sizes, layer: int, width: int, rows: str, fan: int) -> list[Parameter]:
    """Return the parameters of one layer."""
    out = network.widths[layer]
    if network.kind == "gcn":
        return [
            Parameter(f"{layer}.w", (width, out), "glorot", fan, rows),
            Parameter(f"{layer}.b", (out,), "zero"),
        ]
    if network.kind == "gat":
        heads = network.heads
        return [
            Parameter(f"{layer}.w", (width, heads * out), "glorot", fan, rows),
            Parameter(f"{layer}.source", (heads, out), "glorot", heads),
            Parameter(f"{layer}.target", (heads, out), "glorot", heads),
            Parameter(f"{layer}.b", (heads * out,), "zero"),
        ]
    if network.kind == "gin":
        epsilon = Parameter(f"{layer}.e", (), "zero" if network.epsilon == "zero" else "uniform")
        if network.share_last and layer == len(network.widths) - 1:
            return [epsilon]
        maps = _linear(f"{layer}.0", width, out, fan, rows)
        for place in range(1, network.depth):
            maps += _linear(f"{layer}.{place}", out, out, out)
        return [epsilon, *maps]
    if network.kind == "chebnet":
        weight = Parameter(f"{layer}.w", (network.hops, width, out), "glorot", fan, rows)
        return [weight, Parameter(f"{layer}.b", (out,), "zero")]
    if network.kind == "gnnml1":
        linear, product = network.parts
        return [
            *_linear(f"{layer}.l", width, linear, fan, rows),
            Parameter(f"{layer}.w", (width, out), "glorot", fan, rows),
            Parameter(f"{layer}.b", (out,), "zero"),
            *_linear(f"{layer}.p", width, product, fan, rows),
            *_linear(f"{layer}.q", width, product, fan, rows),
        ]
    if network.kind == "gnnml3":
        return _gnnml3(network, sizes, layer, width, rows, fan)
    return _linear(f"{layer}", width, out, fan, rows)


def _gnnml3(network: Network, sizes: Sizes, layer: int, width: int, rows: str, fan: int) -> list[Parameter]:
    """Return the parameters of one GNNML3 layer: the learned supports, the convolution, the product."""
    found: list[Parameter] = []
    used = sizes.supports
    if network.learned:
        full = used = sizes.full_supports
        for name in ("r", "s", "t"):
            found.append(Parameter(f"{layer}.{name}", (sizes.supports, 2 * full), "linear", 0, "supports"))
        found.append(Parameter(f"{layer}.u", (4 * full, full), "linear", 4 * full))
    found.append(Parameter(f"{layer}.w", (used, width, network.widths[layer]), "glorot", fan, rows))
    found.append(Parameter(f"{layer}.b", (network.widths[layer],), "zero"))
    if sum(network.parts):
        found += _linear(f"{layer}.p", width, network.parts[0], fan, rows)
        found += _linear(f"{layer}.q", width, network.parts[0], fan, rows)
    return found


def _linear(name: str, width: int, out: int, fan: int, rows: str = "") -> list[Parameter]:
    """Return weight and bias of a linear map."""
    bias_rows = "bias of inputs" if rows == "inputs" else ""
    return [
        Parameter(f"{name}.w", (width, out), "linear", fan, rows),
        Parameter(f"{name}.b", (out,), "linear", fan, bias_rows),
    ]


def _norm(name: str, width: int) -> list[Parameter]:
    """Return weight and bias of a batch norm."""
    return [Parameter(f"{name}.w", (width,), "one"), Parameter(f"{name}.b", (width,), "zero")]


def start(network: Network, sizes: Sizes, replicas: Sequence[Replica], dtype: torch.dtype) -> Parameters:
    """Return the first value of every parameter, (M, *shape); each depends on its replica's seed and fold alone."""
    return {
        parameter.name: torch.stack([_draw(parameter, replica) for replica in replicas]).to(dtype)
        for parameter in parameters(network, sizes)
    }


def _draw(parameter: Parameter, replica: Replica) -> Tensor:
    """Return the first value of one parameter of one replica."""
    shape = parameter.shape
    if parameter.start in ("zero", "one"):
        return torch.full(shape, float(parameter.start == "one"), dtype=torch.float64)
    key = zlib.crc32(f"{replica.seed}/{replica.fold}/{parameter.name}".encode())
    random = torch.rand(shape, generator=torch.Generator().manual_seed(key), dtype=torch.float64)
    if parameter.start == "uniform":
        return random
    fan = parameter.fan
    if fan == 0:
        fan = replica.supports if parameter.rows == "supports" else replica.width
    bound = math.sqrt(6.0 / (fan + shape[-1])) if parameter.start == "glorot" else 1.0 / math.sqrt(fan)
    return (2.0 * random - 1.0) * bound

"""Sums over and values of the neighbors of every atom, with gradients that are sums over neighbors too."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


class NeighborSum(torch.autograd.Function):
    """The weighted sum over the neighbors of every atom; the weights are the same in both directions of a bond."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, neighbor: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(neighbor, weight)
        return neighbor_sum(values, neighbor, weight)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return neighbor_sum(gradient, *ctx.saved_tensors), None, None


def neighbor_sum(values: Tensor, neighbor: Tensor, weight: Tensor) -> Tensor:
    """Return for every atom the sum of its neighbors' values times their weights; no two threads write one value."""
    rows = values.reshape(-1, values.shape[2])
    slots = range(neighbor.shape[2])
    return sum(rows[neighbor[:, :, slot]] * weight[:, :, slot].unsqueeze(2) for slot in slots)  # type: ignore[return-value]


class BondMessages(torch.autograd.Function):
    """GINE's messages: the sum over the neighbors of relu(neighbor + bond). Its gradient is such a sum too."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, table: Tensor, neighbor: Tensor, bond: Tensor) -> Tensor:
        ctx.save_for_backward(values, table, neighbor, bond)
        replicas, _, width = values.shape
        rows, bonds = values.reshape(-1, width), table.reshape(-1, width)
        first = torch.arange(replicas, device=values.device).view(-1, 1) * table.shape[1]
        total = torch.zeros_like(values)
        for slot in range(neighbor.shape[2]):
            kind = bond[:, :, slot]
            message = functional.relu(rows[neighbor[:, :, slot]] + bonds[first + kind])
            total = total + message * (kind > 0).unsqueeze(2)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:
        values, table, neighbor, bond = ctx.saved_tensors
        rows = gradient.reshape(-1, gradient.shape[2])
        slots = range(neighbor.shape[2])
        received = [rows[neighbor[:, :, slot]] for slot in slots]
        of_values, of_table = torch.zeros_like(values), [torch.zeros_like(table[:, 0])]
        for kind in range(1, table.shape[1]):
            total = sum(received[slot] * (bond[:, :, slot] == kind).unsqueeze(2) for slot in slots)
            passed = total * (
                values + table[:, kind].unsqueeze(1) > 0
            )  # atoms pass the same value to all neighbors
            of_values = of_values + passed
            of_table.append(passed.sum(dim=1))
        return of_values, torch.stack(of_table, dim=1), None, None


class NeighborValues(torch.autograd.Function):
    """The values of the neighbors of every atom, a slot each, 0 where there is none."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, neighbor: Tensor, reverse: Tensor, bond: Tensor) -> Tensor:
        ctx.save_for_backward(reverse, bond)
        return values.reshape(-1, values.shape[2])[neighbor] * (bond > 0).unsqueeze(3)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        reverse, bond = ctx.saved_tensors
        rows = gradient.reshape(-1, gradient.shape[3])
        found = rows[reverse] * (bond > 0).unsqueeze(3)
        return found.sum(dim=2), None, None, None


def apply(function: Any, *arguments: Any) -> Any:
    """Return the result of a function with its own gradient; torch gives `apply` no types."""
    return function.apply(*arguments)

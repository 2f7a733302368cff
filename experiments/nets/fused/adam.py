"""One step of Adam over all parameters of all replicas."""

import triton
import triton.language as tl
from torch import Tensor

_TILE = 1024


@triton.jit
def _adam(
    values, grad, first, second, steps, size, rate,
    ONE: tl.constexpr, TWO: tl.constexpr, EPSILON: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Move the values against the mean of their gradients over the root of the mean of their squares."""
    spot = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    live = spot < size
    slope = tl.load(grad + spot, mask=live, other=0.0)
    mean, square = tl.load(first + spot, mask=live, other=0.0), tl.load(second + spot, mask=live, other=0.0)
    mean += (1.0 - ONE) * (slope - mean)
    square = TWO * square + (1.0 - TWO) * slope * slope
    # The share of the first zeros in both means; in double precision, for both are close to one at first.
    done = tl.load(steps).to(tl.float64)
    one = (1.0 - tl.exp(done * tl.log(tl.full((), ONE, tl.float64)))).to(slope.dtype)
    two = (1.0 - tl.exp(done * tl.log(tl.full((), TWO, tl.float64)))).to(slope.dtype)
    value = tl.load(values + spot, mask=live, other=0.0)
    value -= rate / one * mean / (tl.sqrt(square) / tl.sqrt(two) + EPSILON)
    tl.store(values + spot, value, mask=live)
    tl.store(first + spot, mean, mask=live)
    tl.store(second + spot, square, mask=live)


def adam_step(values: Tensor, grad: Tensor, moments: list[Tensor], steps: Tensor, rate: float) -> None:
    """Take step number `steps` (counted from one, on the device) of Adam with PyTorch's settings, in place."""
    grid = (triton.cdiv(values.numel(), _TILE),)
    _adam[grid](
        values, grad, *moments, steps, values.numel(), rate, ONE=0.9, TWO=0.999, EPSILON=1e-8, TILE=_TILE
    )

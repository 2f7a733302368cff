"""Operations of the networks as single kernels, for a GPU with Triton; one family per file.

Those over neighbors read the table of slots of a batch (see `Batch.table`): row r lists itself, its neighbors, then
padding, `Batch.used[r]` slots in all. The table is symmetric, so what flows from row i to row r forward flows
from r to i backward through the same list: every kernel gathers, none adds atomically, and nothing of size
rows x slots x channels is written.
"""

from experiments.nets.fused.activation import activate
from experiments.nets.fused.adam import adam_step
from experiments.nets.fused.attention import attention
from experiments.nets.fused.gates import gates
from experiments.nets.fused.norm import normalize
from experiments.nets.fused.pooling import pool_rows
from experiments.nets.fused.propagation import chebyshev, propagate
from experiments.nets.fused.supports import support_sums

__all__ = [
    "activate",
    "adam_step",
    "attention",
    "chebyshev",
    "gates",
    "normalize",
    "pool_rows",
    "propagate",
    "support_sums",
]

"""Operations of the networks as single kernels, for a GPU with Triton; one family per file.

Those over neighbours read the table of slots of a batch (see `Batch.table`): row r lists itself, its neighbours, then
padding, `Batch.used[r]` slots in all. The table is symmetric, so what flows from row i to row r forward flows
from r to i backward through the same list: every kernel gathers, none adds atomically, and nothing of size
rows x slots x channels is written.
"""

from egonet.nets.fused.activation import activate
from egonet.nets.fused.adam import adam_step
from egonet.nets.fused.attention import attention
from egonet.nets.fused.gates import gates
from egonet.nets.fused.norm import normalise
from egonet.nets.fused.pooling import pool_rows
from egonet.nets.fused.propagation import chebyshev, propagate
from egonet.nets.fused.supports import support_sums

__all__ = [
    "activate",
    "adam_step",
    "attention",
    "chebyshev",
    "gates",
    "normalise",
    "pool_rows",
    "propagate",
    "support_sums",
]

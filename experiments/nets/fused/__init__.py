"""Operations of the networks as single Triton kernels: attention, and sums with several supports.

Both read the slot table of a batch (see `Batch.table`): row r lists itself, its neighbors, then padding;
`Batch.used[r]` slots are in use. The table is symmetric, so the gradient flows back through the same list: every
kernel gathers, none adds atomically, and nothing of size rows x slots x channels is written.
"""

from experiments.nets.fused.attention import attention
from experiments.nets.fused.supports import support_sums

__all__ = ["attention", "support_sums"]

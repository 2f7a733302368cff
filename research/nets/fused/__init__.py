"""Operations of the networks as few Triton kernels: attention, sums with several supports, messages and batch norm.

The first two read the slot table of a batch (see `Batch.table`): row r lists itself, its neighbors, then padding;
`Batch.used[r]` slots are in use. The table is symmetric, so the gradient flows back through the same list: every
kernel gathers, none adds atomically, and nothing of size rows x slots x channels is written.
"""

from research.nets.fused.attention import attention
from research.nets.fused.messages import messages, normal_relu
from research.nets.fused.supports import support_sums

__all__ = ["attention", "messages", "normal_relu", "support_sums"]

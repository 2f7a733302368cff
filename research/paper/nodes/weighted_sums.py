"""The table of column vectors, and node vectors as weighted sums of its rows, on any device."""

import warnings
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from scipy.sparse import csr_array
from torch import Tensor

from egonet.typing import Counts
from research.paper.nodes.native_losses import SparseRows

#: A matrix of weights is kept dense from this share of nonzero entries on, up to this number of entries.
_DENSE_SHARE = {"cpu": 0.6, "cuda": 0.004}
_DENSE_ENTRIES = {"cpu": 1 << 26, "cuda": 1 << 31}
#: A sparse matrix that can stand left of @.
Sparse = Tensor | SparseRows


class WeightedSums:
    """The product of a fixed matrix of weights with a table that learns: every distinct node vector at once.

    Nodes with equal weights share a row, and a dense matrix replaces a sparse one where that is faster.

    Attributes
    ----------
    row_of
        int64 (num_nodes,): the row of each node among the distinct ones.
    num_rows
        How many distinct ones there are.
    """

    def __init__(self, weights: Counts, classes: np.ndarray[Any, Any], device: torch.device | str) -> None:
        kind = torch.device(device).type
        distinct = np.unique(classes, return_index=True)[1]
        self.row_of = torch.from_numpy(np.asarray(classes, dtype=np.int64)).to(device)
        self.num_rows = len(distinct)
        self._rows, self._device = csr_array(weights[distinct]).astype(np.float32), device
        entries = self._rows.shape[0] * self._rows.shape[1]
        few = entries <= _DENSE_ENTRIES.get(kind, 0)
        self._dense = few and self._rows.nnz >= _DENSE_SHARE.get(kind, 1.0) * entries
        if self._dense:
            self._matrix: Sparse = torch.from_numpy(self._rows.toarray()).to(device)
        else:
            self._use_sparse()

    def _use_sparse(self) -> None:
        """Keep the weights and their transpose as sparse matrices."""
        self._dense = False
        self._matrix = _sparse(self._rows, self._device)
        self._transposed = _sparse(csr_array(self._rows.T), self._device)

    def __call__(self, table: Tensor) -> Tensor:
        """Return the distinct node vectors, (num_rows, dim)."""
        if self._dense:
            return self._matrix @ table
        product: Tensor = _SparseProduct.apply(self._matrix, self._transposed, table)  # type: ignore[no-untyped-call]
        return product


class _SparseProduct(torch.autograd.Function):
    """Sparse times dense; its gradient is a product with the stored transpose, which always adds in one order."""

    @staticmethod
    def forward(ctx: Any, matrix: Sparse, transposed: Sparse, table: Tensor) -> Tensor:
        ctx.transposed = transposed
        return matrix @ table

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, Tensor]:
        return None, None, ctx.transposed @ gradients[0]


def _sparse(matrix: Counts, device: torch.device | str) -> Sparse:
    """Return a sparse matrix as a CSR tensor, on the CPU as rows for the native product."""
    if torch.device(device).type == "cpu":
        return SparseRows(matrix)
    indptr = torch.from_numpy(matrix.indptr.astype(np.int64))
    indices = torch.from_numpy(matrix.indices.astype(np.int64))
    values = torch.from_numpy(matrix.data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        return torch.sparse_csr_tensor(
            indptr, indices, values, matrix.shape, check_invariants=False, device=device
        )


def gather(vectors: Tensor, rows: Tensor) -> Tensor:
    """Return some rows of a matrix; its gradient adds them up in the same order every time, on any device."""
    return F.embedding(rows, vectors)

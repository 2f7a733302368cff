"""The table of column vectors, and vertex vectors as weighted sums of its rows, on any device."""

import math
import warnings
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from scipy.sparse import csr_array
from torch import Tensor

from egonet.embeddings.native_steps import SparseRows
from egonet.encoding.matrix import Counts
from egonet.encoding.vocabulary import Vocabulary
from egonet.types import Floats

#: A matrix of weights is kept dense if at least this share of it is not zero, and it has at most so many entries.
_DENSE_SHARE = {"cpu": 0.6, "cuda": 0.004}
_DENSE_ENTRIES = {"cpu": 1 << 26, "cuda": 1 << 31}
#: A sparse matrix that can stand left of @.
Sparse = Tensor | SparseRows


class WeightedSums:
    """The product of a fixed matrix of weights with a table that learns: every distinct vertex vector at once.

    Vertices with equal weights share a row, and a dense matrix replaces a sparse one where that is faster.

    Attributes
    ----------
    row_of
        int64 (num_nodes,): the row of each vertex among the distinct ones.
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
        """Return the distinct vertex vectors, (num_rows, dim)."""
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


def first_table(vocabulary: Vocabulary, dim: int, rng: np.random.Generator) -> Floats:
    """Return the vectors that learning starts from, (num_columns, dim), each dimension standardised.

    Uniform in ±0.5 / √dim, times e^distance / ln(degree + 1): far and rare columns weigh more, degree 0 nothing.
    Where a key has several degrees their sum counts; columns that stand for histograms are not scaled.

    Examples
    --------
    >>> import egonet
    >>> vocabulary = egonet.encode(egonet.named.path("abcd"), radius=1).vocabulary
    >>> first_table(vocabulary, 2, np.random.default_rng(1)).std(axis=0, ddof=1).round(6)
    array([1., 1.])
    """
    keys, fields = vocabulary.keys, vocabulary.settings.num_fields
    uniform = rng.random((len(vocabulary), dim))
    plain = len(uniform) - len(keys)
    # A column that stands for a histogram is scaled as distance 0 and degree e - 1 would be: by one.
    distances = np.append(keys[:, 1], np.zeros(plain))
    degrees = np.append(keys[:, 2 : 2 + fields].sum(axis=1), np.full(plain, math.e - 1.0))
    return standardised(uniform, distances, degrees)


def standardised(uniform: Floats, distances: np.ndarray[Any, Any], degrees: np.ndarray[Any, Any]) -> Floats:
    """Return numbers in [0, 1) as first vectors: moved to ±0.5 / √dim, scaled by distance and degree, standardised.

    Examples
    --------
    >>> found = standardised(np.array([[0.2], [0.9], [0.4]]), np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> found.mean(axis=0).round(12) + 0.0
    array([0.])
    """
    vectors = (uniform - 0.5) / math.sqrt(uniform.shape[1])
    logs = np.log(degrees + 1.0)
    vectors *= np.divide(np.exp(distances), logs, out=np.zeros(len(logs)), where=degrees > 0)[:, None]
    if len(vectors) < 2:
        return vectors
    deviation = vectors.std(axis=0, ddof=1)
    centred: Floats = vectors - vectors.mean(axis=0)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0))


def gather(vectors: Tensor, rows: Tensor) -> Tensor:
    """Return some rows of a matrix; its gradient adds them up in the same order every time, on any device."""
    return F.embedding(rows, vectors)

"""Dense counts in known columns for the PyG transform, without a sparse matrix in between."""

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from egonet.encoding.vocabulary import Vocabulary
from egonet.graph.union import arcs_of, pointers
from egonet.kernel.native import DenseColumns
from egonet.typing import Array, Int64s

if TYPE_CHECKING:
    from torch import Tensor

#: A graph with fewer arcs is small: choosing an algorithm or starting threads would take longer than counting.
FEW_ARCS = 2_000
#: Larger graphs are counted with the small ones if together they have fewer than FEW_GRAPHS * FEW_ARCS arcs.
FEW_GRAPHS = 10


def dense_columns(vocabulary: Vocabulary, *, both_ways: bool = False) -> DenseColumns | None:
    """Return the columns of a vocabulary for small graphs; None if they need labels, histograms, a cap or arcs.

    With `both_ways` graphs in which an arc lacks its opposite are not counted.

    >>> import egonet
    >>> columns = dense_columns(egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary)
    >>> columns.num_columns
    3
    """
    settings = vocabulary.settings
    is_plain = not settings.is_nested and not vocabulary.schema.has_labels and settings.count == "nodes"
    if not is_plain or settings.cap is not None or settings.degrees == "in_out":
        return None
    return DenseColumns(
        vocabulary.keys,
        settings.radius,
        degrees=settings.degrees,
        frontier_edges=settings.frontier_edges,
        max_degree=settings.max_degree,
        binned=settings.degree_bins is not None,
        both_ways=both_ways,
    )


def count_data(columns: DenseColumns, data: Any) -> "Tensor | None":
    """Return the counts of a plain `Data`, or None if it is not small or some key has no column.

    Reading a field through PyG takes as long as the counting, so this reads its mapping directly.

    >>> import torch
    >>> from torch_geometric.data import Data
    >>> edge = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    >>> count_data(DenseColumns(np.array([[0, 0, 0], [0, 0, 1]]), [0]), edge)
    tensor([[0., 1.],
            [0., 1.],
            [1., 0.]])
    """
    import torch

    from egonet.graph.pyg_data import arc_addresses  # needs PyG

    fields = data._store._mapping
    arcs = arc_addresses(fields.get("edge_index"))
    if arcs is None:
        return None
    size = fields.get("num_nodes")
    if size is None:
        x = fields.get("x")
        size = x.shape[0] if isinstance(x, torch.Tensor) and x.dim() else data.num_nodes
    if arcs[2] >= FEW_ARCS or type(size) is not int or size < 0:
        return None
    counts = torch.empty((size, columns.num_columns), dtype=torch.float32, device="cpu")
    # Inside PyTorch's tracing this is not a tensor with memory.
    if type(counts) is not torch.Tensor or not columns.count_at(*arcs, size, counts.data_ptr()):
        return None
    return counts


def count_many(columns: DenseColumns, graphs: Any) -> "tuple[Tensor, Int64s] | None":
    """Return the counts of a PyG data set or a list of `Data`, and the first row of each; None as for `count_data`."""
    arcs = arcs_of(graphs)
    if arcs is None or arcs.index.dtype != np.int64 or arcs.sizes.min(initial=0) < 0:
        return None
    graph_ptr = pointers(arcs.sizes)
    counts = _count(columns, arcs.index, graph_ptr, pointers(arcs.counts), local=True)
    return None if counts is None else (counts, graph_ptr)


def count_batch(columns: DenseColumns, batch: Any) -> "Tensor | None":
    """Return the counts of a `Batch` with the slices of its graphs; None as for `count_data`."""
    import torch

    arc_ptr = getattr(batch, "_slice_dict", {}).get("edge_index")
    index, graph_ptr = batch.edge_index, getattr(batch, "ptr", None)
    if arc_ptr is None or graph_ptr is None or index.dtype != torch.long or index.dim() != 2:
        return None
    if index.shape[0] != 2 or int(graph_ptr[-1]) != batch.num_nodes:
        return None
    return _count(columns, index.cpu().numpy(), graph_ptr.cpu().numpy(), arc_ptr.cpu().numpy(), local=False)


def _count(
    columns: DenseColumns, index: Array, graph_ptr: Int64s, arc_ptr: Int64s, *, local: bool
) -> "Tensor | None":
    """Return the counts of several graphs; None if many are large, or the arrays do not fit."""
    import torch

    num_arcs = np.diff(arc_ptr)
    if num_arcs[num_arcs >= FEW_ARCS].sum() >= FEW_ARCS * FEW_GRAPHS:
        return None
    table = columns.of_many(index, graph_ptr, arc_ptr, local=local)
    return None if table is None else torch.from_numpy(table)


def column_digest(vocabulary: Vocabulary) -> str:
    """Return a short fingerprint of the columns, labels included."""
    content = vocabulary.keys.tobytes() + repr(vocabulary.schema).encode()
    if vocabulary.histograms is not None:
        content += "".join(vocabulary.feature_names).encode()
    return hashlib.sha256(content).hexdigest()[:16]

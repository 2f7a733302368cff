"""Dense counts of PyG's small graphs in known columns: of one, of a batch, of many side by side."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from egonet.encoding.dense import FEW_ARCS
from egonet.graph.pyg_data import arc_addresses
from egonet.graph.union import arcs_of, pointers
from egonet.kernel.dense_rows import DenseColumns
from egonet.typing import Int64s

CPU = torch.device("cpu")

#: Graphs that are not small are counted with small ones if all of them have fewer arcs than so many small ones.
FEW_GRAPHS = 10


def count_data(columns: DenseColumns, data: Any) -> Tensor | None:
    """Return the counts of a plain `Data`, or None if it is not small or some key has no column.

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> edge = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    >>> count_data(DenseColumns(np.array([[0, 0, 0], [0, 0, 1]]), [0]), edge)
    tensor([[0., 1.],
            [0., 1.],
            [1., 0.]])

    Notes
    -----
    PyG's own ways to a field take as long as the counting, so that its mapping is asked directly.
    """
    fields = data._store._mapping
    arcs = arc_addresses(fields.get("edge_index"))
    size = fields.get("num_nodes")
    if size is None:
        x = fields.get("x")
        size = x.shape[0] if isinstance(x, Tensor) and x.dim() else data.num_nodes
    if arcs is None or arcs[2] >= FEW_ARCS or type(size) is not int or size < 0:
        return None
    counts = torch.empty((size, columns.num_columns), dtype=torch.float32, device=CPU)
    # Not a tensor with memory of its own inside of PyTorch's tracing.
    if type(counts) is not Tensor or not columns.count_at(*arcs, size, counts.data_ptr()):
        return None
    return counts


def count_many(columns: DenseColumns, graphs: Any) -> tuple[Tensor, Int64s] | None:
    """Return the counts of a PyG data set or a list of `Data`, and where each begins; None as for `count_data`."""
    arcs = arcs_of(graphs)
    if arcs is None or arcs.index.dtype != np.int64 or arcs.sizes.min(initial=0) < 0:
        return None
    graph_ptr = pointers(arcs.sizes)
    counts = _count(columns, arcs.index, graph_ptr, pointers(arcs.counts), local=True)
    return None if counts is None else (counts, graph_ptr)


def count_batch(columns: DenseColumns, batch: Any) -> Tensor | None:
    """Return the counts of a `Batch` that still knows its graphs; None as for `count_data`."""
    arc_ptr = getattr(batch, "_slice_dict", {}).get("edge_index")
    index, graph_ptr = batch.edge_index, getattr(batch, "ptr", None)
    if arc_ptr is None or graph_ptr is None or index.dtype != torch.long or index.dim() != 2:
        return None
    if index.shape[0] != 2 or int(graph_ptr[-1]) != batch.num_nodes:
        return None
    return _count(columns, index.cpu().numpy(), graph_ptr.cpu().numpy(), arc_ptr.cpu().numpy(), local=False)


def _count(
    columns: DenseColumns, index: np.ndarray[Any, Any], graph_ptr: Int64s, arc_ptr: Int64s, *, local: bool
) -> Tensor | None:
    """Return the counts of graphs side by side; None if many are large, or the arrays do not fit together."""
    num_arcs = np.diff(arc_ptr)
    if num_arcs[num_arcs >= FEW_ARCS].sum() >= FEW_ARCS * FEW_GRAPHS:
        return None
    table = columns.of_many(index, graph_ptr, arc_ptr, local=local)
    return None if table is None else torch.from_numpy(table)

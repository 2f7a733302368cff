"""Arrow tables of an encoding: a column per feature, or two lists per node."""

import json
from typing import Any

import numpy as np
import pyarrow as pa

from egonet.encoding.matrix import Counts


def wide_table(nodes: np.ndarray[Any, Any], matrix: Counts, names: list[str]) -> pa.Table:
    """Return a table with the column "node" and one dense column per feature.

    Columns are filled one at a time from the column-sorted matrix, so that no dense copy of the whole is made.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> wide_table(np.array(["a", "b"]), csr_array(np.array([[1, 0], [0, 2]])), ["x", "y"]).to_pylist()
    [{'node': 'a', 'x': 1, 'y': 0}, {'node': 'b', 'x': 0, 'y': 2}]
    """
    by_column = matrix.tocsc()
    arrays = [node_array(nodes)]
    for column in range(matrix.shape[1]):
        part = slice(by_column.indptr[column], by_column.indptr[column + 1])
        dense = np.zeros(matrix.shape[0], dtype=matrix.dtype)
        dense[by_column.indices[part]] = by_column.data[part]
        arrays.append(pa.array(dense))
    return pa.table(arrays, names=["node", *names])


def sparse_table(nodes: np.ndarray[Any, Any], matrix: Counts, names: list[str]) -> pa.Table:
    """Return a table with the column "node" and the lists "column" and "value" of its entries.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> sparse_table(np.array([7, 8]), csr_array(np.array([[1, 0], [3, 2]])), ["x", "y"]).to_pylist()
    [{'node': 7, 'column': [0], 'value': [1]}, {'node': 8, 'column': [0, 1], 'value': [3, 2]}]
    """
    offsets = pa.array(matrix.indptr.astype(np.int64))
    columns = pa.LargeListArray.from_arrays(offsets, pa.array(matrix.indices.astype(np.int32, copy=False)))
    values = pa.LargeListArray.from_arrays(offsets, pa.array(matrix.data))
    table = pa.table([node_array(nodes), columns, values], names=["node", "column", "value"])
    return table.replace_schema_metadata({"feature_names": json.dumps(names)})


def node_array(nodes: np.ndarray[Any, Any]) -> pa.Array:
    """Return node ids as an Arrow array: numbers or strings as they are, anything mixed as text."""
    if nodes.dtype != object:
        return pa.array(nodes)
    listed = nodes.tolist()
    if {type(node) for node in listed} <= {str}:
        return pa.array(listed, type=pa.string())
    return pa.array([str(node) for node in listed], type=pa.string())

"""Data frames of any package that narwhals supports: two columns are the ends of edges, one is a list of ids."""

from typing import TYPE_CHECKING, Any

import numpy as np

from egonet.errors import InputError
from egonet.graph.edge_table import make_table, unknown_attribute
from egonet.graph.graph import Graph
from egonet.graph.ids import ID_RULE, Flat, Where, factorize, show
from egonet.graph.input_options import InputOptions, choose_columns, only

if TYPE_CHECKING:
    import narwhals as nw


def as_frame(data: Any) -> "nw.DataFrame[Any] | None":
    """Return a table as a narwhals data frame (lazy ones collected), or None if it is not a table."""
    if isinstance(data, list | tuple | set | frozenset | dict):
        return None
    import narwhals as nw

    package = type(data).__module__.partition(".")[0]
    levels = data.columns.nlevels if package == "pandas" and hasattr(data, "columns") else 1
    if levels > 1:
        raise InputError(
            f"a table must have one row of column names, got {levels} levels. Join them into one."
        )
    if package == "pandas" and hasattr(data, "columns"):
        for name in data.columns[data.columns.duplicated()][:1]:
            only(list(data.columns), name)
    if package == "pyarrow" and type(data).__name__.startswith(
        "RecordBatch"
    ):  # narwhals does not support them
        import pyarrow

        data = pyarrow.table(data)
    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            return frame.collect()
    except (ValueError, nw.exceptions.NarwhalsError) as error:
        raise InputError(f"the table cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error
    return frame if isinstance(frame, nw.DataFrame) else None


def from_frame(
    frame: "nw.DataFrame[Any]", options: InputOptions, *, weights_ignored: bool | None = None
) -> Graph:
    """Return the graph whose edges are the rows of a table.

    >>> import narwhals as nw
    >>> import pandas as pd
    >>> table = pd.DataFrame({"src": ["a", "b"], "dst": ["b", "c"], "weight": [0.5, 2.0]})
    >>> from_frame(nw.from_native(table, eager_only=True), InputOptions()).info.weights_ignored
    True
    """
    columns: list[Any] = list(frame.columns)
    ends = choose_columns(columns, options.source, options.target)
    if columns == [0, 1] and options.source is None and len(frame) == 2 and frame[:, 0].dtype.is_numeric():
        raise InputError(
            "a table of two rows and two columns without names may be two edges or a matrix."
            " Give source=0 and target=1 for edges, or scipy.sparse.csr_array(table) for a matrix."
        )
    first, second = (as_ids(frame.get_column(end)) for end in ends)
    flat, where = interleave(first, second, ends)
    rows, others, ids = factorize(flat, num_nodes=options.num_nodes, nodes=options.nodes, where=where)
    graph = Graph.from_indices(
        rows,
        others,
        int(options.num_nodes or 0) if ids is None else len(ids),
        nodes=ids,
        directed=options.directed,
        weights_ignored=len({*columns, *ends} - {*ends, *(options.keep or ())}) > 0
        if weights_ignored is None
        else weights_ignored,
    )
    if options.keep is None:
        return graph

    def column(name: Any) -> Any:
        if name not in columns:
            raise unknown_attribute(name, [each for each in columns if each not in ends], "the table")
        return frame.get_column(only(columns, name))

    return graph.with_table(make_table(rows, others, options.keep, column))


def as_ids(column: "nw.Series[Any]") -> Flat:
    """Return a column as whole numbers or plain values; raise for missing ones."""
    if column.null_count():
        row = int(np.flatnonzero(column.is_null().to_numpy())[0])
        raise InputError(
            f"{ID_RULE}, got a missing value {_place(row, column.name)}. Drop the row or fill it in."
        )
    if column.dtype.is_integer():
        return column.to_numpy()
    try:
        return column.to_list()
    except (OverflowError, ValueError) as error:  # times beyond the range of datetime
        raise InputError(f"column {show(column.name)} cannot be read: {error}.") from error


def interleave(source: Flat, target: Flat, names: tuple[Any, Any]) -> tuple[Flat, Where]:
    """Return two columns as alternating ids, and a function that describes a position in them."""

    def where(position: int) -> str:
        return _place(position // 2, names[position % 2])

    if isinstance(source, np.ndarray) and isinstance(target, np.ndarray) and source.dtype == target.dtype:
        return np.stack([source, target], axis=1).reshape(-1), where
    flat: list[Any] = [None] * (2 * len(source))
    flat[0::2], flat[1::2] = list(source), list(target)
    return flat, where


def _place(row: int, name: Any) -> str:
    return f"in row {row} of column {show(name)} (counted from 0)"


def id_column(ids: Any, taker: str) -> list[Any]:
    """Return a list, a series, or an array or frame of one column as a list of ids.

    `taker` is the class that takes the ids, for messages.

    >>> id_column(np.array([[3], [5]]), "NodeEncoder")
    [3, 5]
    >>> id_column("ab", "NodeEncoder")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: NodeEncoder takes a column of node ids, got 'ab'.
    """
    if hasattr(ids, "columns") and hasattr(ids, "shape"):
        if ids.shape[1] != 1:
            raise InputError(
                f"{taker} takes one column of node ids, got a frame with {ids.shape[1]} columns."
            )
        ids = ids[next(iter(ids.columns))]
    if isinstance(ids, str | bytes) or not hasattr(ids, "__len__"):
        raise InputError(f"{taker} takes a column of node ids, got {ids!r}.")
    if isinstance(ids, list | tuple):
        return [row[0] if isinstance(row, list) and len(row) == 1 else row for row in ids]
    array = np.asarray(ids)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{taker} takes one column of node ids, got an array of shape {array.shape}.")
    return list(array.tolist())

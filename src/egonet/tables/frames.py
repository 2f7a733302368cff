"""Graphs from data frames of any package that narwhals supports: two columns have the ends of the edges."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import InputError, option, require_extra
from egonet.graph.columns import EdgeTable, is_from, make_table, unknown_attribute
from egonet.graph.graph import Graph
from egonet.graph.index import (
    Flat,
    Where,
    as_text_ids,
    factorize,
    first_appearance,
    missing_rows,
    reject_twins,
    renumber,
    show,
    text_array,
    whole_float,
)
from egonet.graph.input_options import InputOptions, choose_columns, only
from egonet.kernel.native import available_cores
from egonet.typing import Array, Int32s, Int64s

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FrameEdges(EdgeTable):
    """The edges of pandas tables: `indexes` has the index of the table of every graph, None for other graphs.

    >>> import pandas as pd
    >>> FrameEdges(np.array([0]), np.array([1]), indexes=(pd.Index(["first"]),)).indexes[0].to_list()
    ['first']
    """

    indexes: tuple[Any, ...] = ()


def with_indexes(table: EdgeTable, indexes: "list[Any]") -> EdgeTable:
    """Return an edge table with the index of every graph's table, or unchanged if no graph comes from pandas."""
    if all(index is None for index in indexes):
        return table
    return FrameEdges(table.source, table.target, table.columns, tuple(indexes))


def indexes_of(table: EdgeTable, num_graphs: int) -> "list[Any]":
    """Return the index of every graph's table, None for those that do not come from pandas."""
    indexes = table.indexes if isinstance(table, FrameEdges) else ()
    return list(indexes) if len(indexes) == num_graphs else [None] * num_graphs


def row_labels(frame: "nw.DataFrame[Any]") -> Any:
    """Return the index of a pandas table, None for tables of other packages."""
    native: Any = frame.to_native()
    is_pandas = any(cls.__module__.partition(".")[0] == "pandas" for cls in type(native).__mro__)
    return native.index if is_pandas else None


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
    given = {"pandas": "columns", "pyarrow": "column_names"}.get(package, "")
    for name, _ in Counter(getattr(data, given, ())).most_common(1):
        only(list(getattr(data, given)), name)
    is_batch = package == "pyarrow" and type(data).__name__.startswith("RecordBatch")
    if is_batch:  # which narwhals does not support
        import pyarrow

        data = pyarrow.table(data)
    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            return frame.collect()
    except (
        ValueError,
        OSError,
        nw.exceptions.NarwhalsError,
    ) as error:  # a lazy frame reads its file only here
        raise InputError(f"the table cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error
    is_other = not isinstance(frame, nw.DataFrame) and package != "egonet"  # a Graph is no table
    if is_other and hasattr(data, "__arrow_c_stream__"):
        pyarrow = require_extra("pyarrow", "reading Arrow", extra="io")
        with suppress(pyarrow.ArrowInvalid):  # a stream of one column is no table
            frame = nw.from_native(pyarrow.table(data))
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
    if options.source is None and len(columns) != 2:
        _reject_matrix(frame.to_native(), columns)
    ends = choose_columns(columns, options.source, options.target)
    if columns == [0, 1] and options.source is None and len(frame) == 2 and frame[:, 0].dtype.is_numeric():
        raise InputError(
            "a table of two rows and two columns without names may be two edges or a matrix."
            f" Give {option('source', 0)} and {option('target', 1)} for edges, or "
            "scipy.sparse.csr_array(table) for a matrix."
        )
    num_given = len(frame)
    if options.missing == "drop":
        frame = drop_incomplete(frame, [*ends, *(name for name in options.keep or () if name in columns)])
    pair = [frame.get_column(end) for end in ends]
    coded = code_strings(pair) if options.num_nodes is None else None
    ids: Array | None
    if coded is not None:
        flat, ids = renumber(*coded, options.nodes)
        rows, others = flat[0::2], flat[1::2]
    else:
        values, _ = frame_ids(frame, ends, as_text=options.ids == "text")
        where = ColumnPlaces(ends, can_drop=True)
        rows, others, ids = factorize(values, num_nodes=options.num_nodes, nodes=options.nodes, where=where)
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
    if len(frame) < num_given:
        graph = replace(graph, info=replace(graph.info, missing_dropped=num_given - len(frame)))
    if options.keep is None:
        return graph

    def column(name: Any) -> Any:
        if name not in columns:
            raise unknown_attribute(name, [each for each in columns if each not in ends], "the table")
        return frame.get_column(only(columns, name))

    table = make_table(rows, others, options.keep, column)
    return graph.with_table(None if table is None else with_indexes(table, [row_labels(frame)]))


def _reject_matrix(table: Any, columns: list[Any]) -> None:
    """Raise for a pandas table with edges in its index, or whose rows and columns have the same names: a matrix."""
    index: Any = getattr(table, "index", None)
    if getattr(index, "nlevels", 1) > 1 and len(columns) < 2:
        raise InputError(
            "the ends of edges must be columns, got an index of several levels. Give table.reset_index()."
        )
    if (
        len(columns) > 2
        and hasattr(index, "tolist")
        and len(index) == len(columns)
        and index.tolist() == columns
    ):
        raise InputError(
            "a table of edges has a row per edge, got one whose rows and columns have the same names, like an "
            "adjacency matrix. Give networkx.from_pandas_adjacency(table)."
        )


def as_ids(column: "nw.Series[Any]") -> Flat:
    """Return a column as whole numbers or plain values; raise for missing values."""
    is_large = "128" in str(column.dtype)  # NumPy has no numbers of 128 bits
    if column.dtype.is_integer() and not is_large and not column.null_count():
        return column.to_numpy()
    if str(column.dtype) in ("Float32", "Float16") and not column.null_count():
        return column.to_numpy()  # their whole numbers are exact up to a smaller limit
    try:
        return column.to_list()
    except (OverflowError, ValueError) as error:  # times beyond the range of datetime
        raise InputError(f"column {show(column.name)} cannot be read: {error}.") from error


def code_strings(pair: "list[nw.Series[Any]]") -> tuple[Int32s, Flat] | None:
    """Return the strings of two columns as codes source, target, ..., by first appearance, and the distinct strings.

    None is returned for other values, missing ones, and without pyarrow, which does this without a string per row.

    Examples
    --------
    >>> import narwhals as nw
    >>> import polars as pl
    >>> frame = nw.from_native(pl.DataFrame({"u": ["b", "a"], "v": ["c", "b"]}), eager_only=True)
    >>> codes, strings = code_strings([frame.get_column("u"), frame.get_column("v")])
    >>> codes.tolist(), strings.tolist()
    ([0, 1, 2, 0], ['b', 'c', 'a'])
    """
    try:
        import pyarrow
    except ImportError:
        return None
    if any(str(column.dtype) not in ("String", "Categorical") or column.null_count() for column in pair):
        return None
    if len(pair[0]) == 0:
        return None
    try:
        chunks = [arrow_chunks(column) for column in pair]
        is_plain = all(is_text(chunk.type) for column in chunks for chunk in column)
        found = number_pairs(*chunks) if is_plain else number_categories(*chunks)
        if found is None or not np.diff(found[1]).all():
            return None
        rows, offsets, data = found
        array = text_array(offsets, data)
        return rows, text_of(offsets, data).to_pylist() if array is None else array
    except (pyarrow.ArrowException, ValueError, TypeError):
        return None  # the slower way says which value is wrong


#: Codes source, target, ... by first appearance, and the distinct strings: their offsets and their bytes.
CodedText: TypeAlias = tuple[Int32s, Int64s, "NDArray[np.uint8]"]


def number_pairs(sources: list[Any], targets: list[Any]) -> CodedText:
    """Return the strings of two columns, given as Arrow arrays, as codes.

    >>> import pyarrow
    >>> number_pairs([pyarrow.array(["b", "a"])], [pyarrow.array(["c"]), pyarrow.array(["b"])])[0].tolist()
    [0, 1, 2, 0]
    """
    import pyarrow

    sides = [pyarrow.chunked_array(chunks) for chunks in (sources, targets)]
    table = _native.Names()
    codes: list[Int32s] = []
    # The rows of a batch are in one chunk of each column.
    for batch in pyarrow.table(sides, names=["source", "target"]).to_batches():
        source, target = map(text_buffers, batch.columns)
        codes.append(table.number_pairs(*source, *target, available_cores()))
    rows = codes[0] if len(codes) == 1 else np.concatenate(codes)
    offsets, data = table.parts(available_cores())
    return rows, offsets, data


def number_categories(sources: list[Any], targets: list[Any]) -> CodedText | None:
    """Return what `number_pairs` returns for columns that are dictionary-encoded, or one of which is.

    None is returned if the categories are not strings.
    """
    import pyarrow

    table, flat = _native.Names(), np.empty(2 * sum(map(len, sources)), dtype=np.int64)
    for side, chunks in enumerate((sources, targets)):
        place = side
        for chunk in chunks:
            coded = chunk if pyarrow.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            if not is_text(coded.type.value_type):
                return None
            end = place + 2 * len(coded)
            which = np.ascontiguousarray(coded.indices, dtype=np.int32)
            numbers = table.number(*text_buffers(coded.dictionary), available_cores())
            _native.put_values(numbers, which, flat[place:end:2], available_cores())
            place = end
    rows, used = first_appearance(flat)
    every = text_of(*table.parts(available_cores()))
    offsets, data = text_buffers(every.take(pyarrow.array(used)))
    return rows, offsets, data


def text_of(offsets: Int64s, data: "NDArray[np.uint8]") -> Any:
    """Return strings in UTF-8, one after another, as an Arrow array; no byte is copied."""
    import pyarrow

    buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(offsets) - 1, buffers)


def arrow_chunks(column: "nw.Series[Any]") -> list[Any]:
    """Return a column as Arrow arrays, one after another."""
    native = column.to_native()
    chunked = hasattr(native, "chunks") and type(native).__module__.startswith("pyarrow")
    array = native if chunked else column.to_arrow()
    return list(array.chunks) if hasattr(array, "chunks") else [array]


def is_text(arrow_type: Any) -> bool:
    """Return whether an Arrow type is that of strings."""
    return str(arrow_type) in ("string", "large_string")


def text_buffers(strings: Any) -> tuple[Int64s, "NDArray[np.uint8]"]:
    """Return the offsets and the bytes of an Arrow array of strings.

    >>> import pyarrow
    >>> offsets, data = text_buffers(pyarrow.array(["a", "bc"]))
    >>> offsets.tolist(), bytes(data)
    ([0, 1, 3], b'abc')
    """
    text = strings.cast("large_string")
    _, offsets, data = text.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[text.offset : text.offset + len(text) + 1]
    return starts, np.frombuffer(data or b"", dtype=np.uint8)


def drop_incomplete(frame: "nw.DataFrame[Any]", names: list[Any]) -> "nw.DataFrame[Any]":
    """Return the rows of a table that have a value in every one of some columns.

    >>> import narwhals as nw
    >>> import pandas as pd
    >>> frame = nw.from_native(pd.DataFrame({"u": ["a", None], "v": ["b", "c"]}), eager_only=True)
    >>> len(drop_incomplete(frame, ["u", "v"]))
    1
    """
    missing = np.zeros(len(frame), dtype=bool)
    for name in names:
        column = frame.get_column(name)
        missing |= column.is_null().to_numpy()
        if not (column.dtype.is_integer() or column.dtype.is_temporal()):
            missing |= missing_rows(column.to_list(), 1)
    return frame if not missing.any() else frame.filter((~missing).tolist())


def frame_ids(
    frame: "nw.DataFrame[Any]", ends: tuple[Any, Any], *, as_text: bool = False
) -> tuple[Flat, Where]:
    """Return the ids of two columns as source, target, ..., and a function that describes a position in them."""
    where = place_of(ends)
    source, target = (as_ids(frame.get_column(end)) for end in ends)
    if as_text:
        source, target = as_text_ids(source), as_text_ids(target)
    if isinstance(source, np.ndarray) and isinstance(target, np.ndarray) and source.dtype == target.dtype:
        if source.dtype != np.int64:
            return np.stack([source, target], axis=1).reshape(-1), where
        arrays = (np.ascontiguousarray(end) for end in (source, target))
        return _native.interleave(*arrays, available_cores()), where
    flat: list[Any] = [None] * (2 * len(source))
    flat[0::2], flat[1::2] = (
        end.tolist() if isinstance(end, np.ndarray) else end for end in (source, target)
    )
    reject_twins([whole_float(value) for value in flat], "the table has", _conversions(frame, ends))
    return flat, where


def _conversions(frame: "nw.DataFrame[Any]", ends: tuple[Any, Any]) -> str:
    """Return the calls that make two columns text, or numbers."""
    polars = frame.implementation.is_polars()
    call, kinds = ("cast", ("polars.String", "polars.Int64")) if polars else ("astype", ("str", "int"))
    text, whole = (f"table.{call}({{{ends[0]!r}: {kind}, {ends[1]!r}: {kind}}})" for kind in kinds)
    where = "" if polars else " in pandas"
    return (
        f"or convert both columns{where} to text, {text}, or, if every id is a number, to numbers, {whole}."
    )


def place_of(names: tuple[Any, Any]) -> Where:
    """Return a function that describes a position in two columns as alternating ids."""
    return ColumnPlaces(names)


class ColumnPlaces:
    """Describes positions in the ids of some columns, row by row, for messages.

    >>> ColumnPlaces(("u", "v"))(3)
    "in row 1 of column 'v' (counted from 0)"
    """

    def __init__(self, names: tuple[Any, ...], *, can_drop: bool = False) -> None:
        self.names, self.width, self.can_drop = names, len(names), can_drop

    def __call__(self, position: int) -> str:
        name = self.names[position % self.width]
        return f"in row {position // self.width} of column {show(name)} (counted from 0)"


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
    if is_from("pyarrow", ids) and hasattr(ids, "column_names"):
        ids = as_frame(ids)
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
    if not isinstance(ids, np.ndarray) and getattr(ids, "ndim", 1) == 1:
        for name in ("to_list", "tolist"):  # of pandas and polars: a missing value makes no number a float
            if hasattr(ids, name):
                return list(getattr(ids, name)())
    array = np.asarray(ids)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{taker} takes one column of node ids, got an array of shape {array.shape}.")
    return list(array.tolist())

"""Data frames of any package that narwhals supports: their columns as ids and strings."""

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from egonet import _native
from egonet.errors import InputError, require_extra, show_value
from egonet.graph.columns import as_numpy, is_from
from egonet.graph.index import Flat, as_listed, first_appearance, text_array
from egonet.graph.input_options import require_single
from egonet.kernel.native import available_cores
from egonet.typing import Int32s, Int64s

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray


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
    attribute = {"pandas": "columns", "pyarrow": "column_names"}.get(package, "")
    for name, _ in Counter(getattr(data, attribute, ())).most_common(1):
        require_single(list(getattr(data, attribute)), name)
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
        with suppress(pyarrow.ArrowInvalid, TypeError):  # a stream of one column is no table
            frame = nw.from_native(pyarrow.table(data))
    return frame if isinstance(frame, nw.DataFrame) else None


def index_labels(index: Any) -> list[Any]:
    """Return the labels of a pandas index as a list, to be used as ids."""
    return as_listed(index.to_numpy()) if getattr(index.dtype, "kind", "O") == "f" else list(index.to_list())


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
        raise InputError(f"column {show_value(column.name)} cannot be read: {error}.") from error


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
        numbered = number_pairs(*chunks) if is_plain else number_categories(*chunks)
        if numbered is None or not np.diff(numbered[1]).all():
            return None
        rows, offsets, data = numbered
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


class ColumnPlaces:
    """Describes positions in the ids of some columns, row by row, for messages.

    `rows` are the numbers of the rows as they were read, if some were left out.

    >>> ColumnPlaces(("u", "v"))(3), ColumnPlaces(("u",), rows=[0, 7])(1)
    ("in row 1 of column 'v' (counted from 0)", "in row 7 of column 'u' (counted from 0)")
    """

    def __init__(self, names: tuple[Any, ...], *, can_drop: bool = False, rows: Any = None) -> None:
        self.names, self.width, self.can_drop, self.rows = names, len(names), can_drop, rows

    def __call__(self, position: int) -> str:
        name, row = self.names[position % self.width], position // self.width
        number = row if self.rows is None else self.rows[row]
        return f"in row {number} of column {show_value(name)} (counted from 0)"


#: Names of types whose whole numbers are exact up to a smaller limit than those of Python's floats.
_SHORT_FLOATS = ("float32", "float16", "float[pyarrow]", "halffloat[pyarrow]")


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
        raise InputError(f"{taker} takes a column of node ids, got {show_value(ids)}.")
    if isinstance(ids, list | tuple):
        return [row[0] if isinstance(row, list) and len(row) == 1 else row for row in ids]
    is_short = str(getattr(ids, "dtype", "")).lower() in _SHORT_FLOATS
    if not isinstance(ids, np.ndarray) and getattr(ids, "ndim", 1) == 1 and not is_short:
        for name in ("to_list", "tolist"):  # of pandas and polars: a missing value makes no number a float
            if hasattr(ids, name):
                return list(getattr(ids, name)())
    array = np.asarray(as_numpy(ids))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{taker} takes one column of node ids, got an array of shape {array.shape}.")
    return as_listed(array)

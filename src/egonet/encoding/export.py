"""Encodings for other tools: arrays, tensors, data frames, and files (Parquet, Arrow, CSV, Matrix Market, .npz)."""

import csv
import json
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from egonet.encoding.matrix import Counts, Weighting, dense_columns, weight
from egonet.encoding.saved import save_encoding
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, MemoryLimitError, as_flag, require_extra
from egonet.graph.ids import show
from egonet.io.atomic import atomic_path
from egonet.notebook import html_table
from egonet.typing import Array

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import torch

    from egonet.encoding.encoding import Encoding

Form: TypeAlias = Literal["wide", "sparse"]
SUFFIXES = (".parquet", ".arrow", ".csv", ".npz", ".mtx")
#: More feature columns than this are written as lists, because few tools open wider tables.
WIDE_LIMIT = 2_000
#: Rows of a row group of Parquet: readers read several at once.
ROWS_PER_GROUP = 1 << 17
_BLOCK = 1_024
#: Rows and columns of the table in a notebook.
SHOWN_ROWS, _SHOWN_COLUMNS = 5, 6


class CountTable:
    """What encodings of nodes and of pairs share: names of columns, and conversions of the matrix."""

    if TYPE_CHECKING:
        matrix: Counts
        vocabulary: Vocabulary

        @property
        def nodes(self) -> Array: ...
        @property
        def settings(self) -> Settings: ...
        def __len__(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows and the number of columns."""
        return len(self), len(self.vocabulary)

    @cached_property
    def columns(self) -> list[tuple[Any, ...]]:
        """Return the key of every column: (distance, degree), with the radius in front if there are several."""
        return self.vocabulary.columns

    @cached_property
    def feature_names(self) -> list[str]:
        """Return a name for every column, such as "r2_d1_deg4"."""
        return self.vocabulary.feature_names

    def weighted(self, weighting: Weighting = "log") -> Counts:
        """Return the matrix with counts weighted: "count", "log" (log2(1 + c)) or "paper" (that, rows summing to 1).

        The default is "log" here, and "count" in `write`, `to_dense` and the other methods that begin with "to_".

        Examples
        --------
        >>> import egonet
        >>> egonet.encode(egonet.named.path("abc"), radius=1).weighted("paper").toarray().round(2)
        array([[0.5 , 0.  , 0.5 ],
               [0.  , 0.39, 0.61],
               [0.5 , 0.  , 0.5 ]])
        """
        return weight(self.matrix, weighting)

    def to_dense(self, weighting: Weighting = "count") -> Array:
        """Return the matrix as a dense array; counts, unless another weighting is given."""
        try:
            return self._dense(weighting)
        except MemoryError as error:
            rows, columns = self.matrix.shape
            raise MemoryLimitError(
                f"a dense array of {rows:,} x {columns:,} does not fit in memory. "
                'Use the sparse matrix, degree_bins="log" or max_degree.'
            ) from error

    def _dense(self, weighting: Weighting) -> Array:
        return self.weighted(weighting).toarray()

    def to_torch(self, weighting: Weighting = "count", *, dense: bool = True) -> "torch.Tensor":
        """Return the matrix as a float32 tensor, dense or sparse (COO)."""
        torch = require_extra("torch", extra="torch")
        if not as_flag("dense", dense):
            return coo_tensor(self.weighted(weighting))
        return torch.from_numpy(self.to_dense(weighting).astype(np.float32))  # type: ignore[no-any-return]

    def to_pandas(self, weighting: Weighting = "count", *, sparse: bool = False) -> "pandas.DataFrame":
        """Return a DataFrame indexed by node, or by source and target, a column per feature.

        `sparse=True` keeps it sparse.
        """
        pandas = require_extra("pandas", extra=None)
        names = id_names(self.nodes)
        ids = [self.nodes] if len(names) == 1 else list(self.nodes.T)
        index = (
            pandas.MultiIndex.from_arrays(ids, names=names) if ids[1:] else pandas.Index(*ids, name=names[0])
        )
        if as_flag("sparse", sparse):
            matrix = self.weighted(weighting)
            return pandas.DataFrame.sparse.from_spmatrix(matrix, index=index, columns=self.feature_names)
        return pandas.DataFrame(self.to_dense(weighting), index=index, columns=self.feature_names)

    def to_polars(self, weighting: Weighting = "count") -> "polars.DataFrame":
        """Return a polars DataFrame: the column "node" (or "source" and "target"), then one per feature."""
        polars = require_extra("polars", extra=None)
        return polars.from_arrow(self.to_arrow(weighting))  # type: ignore[no-any-return]

    def to_arrow(self, weighting: Weighting = "count", *, form: Form = "wide") -> "pyarrow.Table":
        """Return an Arrow table: "wide" has a column per feature, "sparse" lists of columns and values.

        The sparse form has one row per node with the lists "column" and "value"; the names of the columns are
        in the schema's metadata under "feature_names", as JSON.
        """
        require_extra("pyarrow", extra="io")
        if form not in ("wide", "sparse"):
            raise InputError(f"form must be 'wide' or 'sparse', got {form!r}.")
        return self._arrow_rows(0, len(self), weighting, form)

    def _arrow_rows(self, first: int, last: int, weighting: Weighting, form: Form) -> "pyarrow.Table":
        """Return consecutive rows as an Arrow table."""
        make = wide_table if form == "wide" else sparse_table
        return make(
            self.nodes[first:last], weight(self._count_rows(first, last), weighting), self.feature_names
        )

    def _count_rows(self, first: int, last: int) -> Counts:
        """Return the counts of consecutive rows."""
        return self.matrix[first:last]

    def _first_rows(self, what: str, matrix: Counts) -> str:
        """Return the first rows as a table for a notebook, with every id escaped; `matrix` has at least those."""
        rows, columns = self.shape
        first = matrix[:SHOWN_ROWS]
        counts = np.asarray(first.sum(axis=0)).ravel()
        chosen = np.sort(np.argsort(-counts, kind="stable")[:_SHOWN_COLUMNS])
        names = [self.vocabulary.name(int(column)) for column in chosen]
        ids = self.nodes[:SHOWN_ROWS].reshape(-1, len(id_names(self.nodes))).tolist()
        body = [
            [*map(show, row), *values]
            for row, values in zip(ids, first[:, chosen].toarray().tolist(), strict=True)
        ]
        note = f"{self.settings!r}; the first {len(body)} rows, {len(chosen)} of {columns:,} columns"
        title = f"Encoding of {rows:,} {what} in {columns:,} columns"
        return html_table(title, body, header=[*id_names(self.nodes), *names], note=note)


def write_encoding(
    encoding: "Encoding", path: str | Path, *, weighting: Weighting = "count", form: Form | None = None
) -> None:
    """Write an encoding to a file; `Encoding.write` describes the formats.

    >>> import tempfile, egonet
    >>> path = Path(tempfile.mkdtemp()) / "features.csv"
    >>> write_encoding(egonet.encode([("a", "b"), ("b", "c")], radius=1), path)
    >>> print(path.read_text())
    node,r1_d0_deg1,r1_d0_deg2,r1_d1_deg1
    a,1,0,1
    b,0,1,2
    c,1,0,1
    <BLANKLINE>
    """
    path = Path(path)
    check_format(path, weighting=weighting, form=form)
    if path.suffix == ".npz":
        save_encoding(encoding.source, path)
        return
    with atomic_path(path) as temporary:
        _WRITERS[path.suffix](encoding, temporary, weighting, form or default_form(encoding))


def check_format(path: Path, *, weighting: Weighting, form: Form | None) -> None:
    """Raise for a format, or a combination, that cannot be written; called before the encoding is computed."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"an encoding is written as {', '.join(SUFFIXES)}, got {path.name!r}.")
    if path.suffix == ".npz" and weighting != "count":
        raise InputError(".npz keeps the counts themselves. Leave weighting out, or write another format.")
    if path.suffix == ".csv" and form == "sparse":
        raise InputError("CSV has no lists. Write .parquet or .arrow for the sparse form.")


def default_form(encoding: "Encoding") -> Form:
    """Return "wide" for up to `WIDE_LIMIT` features, "sparse" above."""
    return "wide" if len(encoding.vocabulary) <= WIDE_LIMIT else "sparse"


class UnixLines:
    """A stream for `csv.writer` whose lines end in LF.

    Some versions of Python quote a carriage return in a field only if the writer ends its lines in CR LF. Without
    quotes other tools take it for the end of a line.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, line: str) -> int:
        """Write a line that ends in CR LF."""
        return self._stream.write(f"{line[:-2]}\n")


def write_csv(encoding: "Encoding", stream: IO[str], weighting: Weighting = "count") -> None:
    """Write a wide table to an open text stream, some rows at a time."""
    writer = csv.writer(UnixLines(stream), lineterminator="\r\n")
    nodes = encoding.nodes
    writer.writerow([*id_names(nodes), *encoding.feature_names])
    matrix, ids = encoding.weighted(weighting), nodes.reshape(len(nodes), len(id_names(nodes))).tolist()
    for first in range(0, len(ids), _BLOCK):
        block = matrix[first : first + _BLOCK].toarray().tolist()
        writer.writerows(
            [*row, *counts] for row, counts in zip(ids[first : first + _BLOCK], block, strict=True)
        )


def _write_csv(encoding: "Encoding", path: Path, weighting: Weighting, _form: Form) -> None:
    """Write a wide table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_csv(encoding, stream, weighting)


def _write_parquet(encoding: "Encoding", path: Path, weighting: Weighting, form: Form) -> None:
    """Write a table as Parquet, one row group after the other: a wide table of all rows may not fit in memory."""
    require_extra("pyarrow", extra="io")
    import pyarrow.parquet as parquet

    groups = _row_groups(encoding, weighting, form)
    first = next(groups)
    # A dictionary per wide column takes a quarter of the time, and makes the file larger: most counts are 0.
    options: Any = {
        "compression": "zstd",
        "write_page_checksum": True,
        "use_dictionary": form == "sparse",
    }
    with (
        path.open("wb") as stream,  # pyarrow opens no path that is not UTF-8
        parquet.ParquetWriter(stream, first.schema, **options) as writer,
    ):
        for table in chain([first], groups):
            writer.write_table(table)


def _row_groups(encoding: "Encoding", weighting: Weighting, form: Form) -> Iterator["pyarrow.Table"]:
    """Yield the rows as tables of `ROWS_PER_GROUP` rows; at least one, which may be empty."""
    for first in range(0, max(len(encoding), 1), ROWS_PER_GROUP):
        last = min(first + ROWS_PER_GROUP, len(encoding))
        yield encoding._arrow_rows(first, last, weighting, form)


def _write_arrow(encoding: "Encoding", path: Path, weighting: Weighting, form: Form) -> None:
    """Write a table as an Arrow file (also called Feather)."""
    table = encoding.to_arrow(weighting, form=form)
    import pyarrow.feather as feather

    with path.open("wb") as stream:
        feather.write_feather(table, stream, compression="uncompressed")


def _write_mtx(encoding: "Encoding", path: Path, weighting: Weighting, _form: Form) -> None:
    """Write the matrix in Matrix Market form."""
    from scipy.io import mmwrite  # loads readers of ten other formats

    matrix = encoding.weighted(weighting)
    whole = np.issubdtype(matrix.dtype, np.integer)
    with path.open("wb") as stream:
        mmwrite(
            stream,
            matrix,
            comment="\n".join(_names(encoding)),
            field="integer" if whole else "real",
            symmetry="general",
        )


def _names(encoding: "Encoding") -> Iterator[str]:
    """Yield the comments of a Matrix Market file that name its rows and columns, counted from 1 as its entries are."""
    for kind, names in (("row", encoding.nodes.tolist()), ("column", encoding.feature_names)):
        for position, name in enumerate(names, start=1):
            yield f"{kind} {position} {json.dumps(name, default=str)}"


_WRITERS: dict[str, Callable[["Encoding", Path, Weighting, Form], Any]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".arrow": _write_arrow,
    ".mtx": _write_mtx,
}


def wide_table(nodes: Array, matrix: Counts, names: list[str]) -> "pyarrow.Table":
    """Return a table with the column "node" (or "source" and "target") and one dense column per feature.

    >>> from scipy.sparse import csr_array
    >>> wide_table(np.array(["a", "b"]), csr_array(np.array([[1, 0], [0, 2]])), ["x", "y"]).to_pylist()
    [{'node': 'a', 'x': 1, 'y': 0}, {'node': 'b', 'x': 0, 'y': 2}]
    """
    import pyarrow

    arrays = [*id_arrays(nodes), *map(pyarrow.array, dense_columns(matrix))]
    return pyarrow.table(arrays, names=[*id_names(nodes), *names])


def sparse_table(nodes: Array, matrix: Counts, names: list[str]) -> "pyarrow.Table":
    """Return a table with ids, as in `wide_table`, and the lists "column" and "value" of each row's entries.

    >>> from scipy.sparse import csr_array
    >>> sparse_table(np.array([7, 8]), csr_array(np.array([[1, 0], [3, 2]])), ["x", "y"]).to_pylist()
    [{'node': 7, 'column': [0], 'value': [1]}, {'node': 8, 'column': [0, 1], 'value': [3, 2]}]
    """
    import pyarrow

    offsets = pyarrow.array(matrix.indptr.astype(np.int64))
    columns = pyarrow.LargeListArray.from_arrays(
        offsets, pyarrow.array(matrix.indices.astype(np.int32, copy=False))
    )
    values = pyarrow.LargeListArray.from_arrays(offsets, pyarrow.array(matrix.data))
    names_of_all = [*id_names(nodes), "column", "value"]
    table = pyarrow.table([*id_arrays(nodes), columns, values], names=names_of_all)
    return table.replace_schema_metadata({"feature_names": json.dumps(names)})


def id_names(nodes: Array) -> list[str]:
    """Return the names of the id columns: "node", or "source" and "target" for pairs."""
    return ["node"] if nodes.ndim == 1 else ["source", "target"]


def id_arrays(nodes: Array) -> list["pyarrow.Array"]:
    """Return one Arrow array of ids for nodes, two for pairs."""
    ends = [nodes] if nodes.ndim == 1 else [nodes[:, 0], nodes[:, 1]]
    return [node_array(np.ascontiguousarray(end)) for end in ends]


def node_array(nodes: Array) -> "pyarrow.Array":
    """Return node ids as an Arrow array: numbers or strings as they are, anything mixed as text."""
    import pyarrow

    if nodes.dtype != object:
        return pyarrow.array(nodes)
    listed = nodes.tolist()
    if {type(node) for node in listed} <= {str}:
        return pyarrow.array(listed, type=pyarrow.string())
    return pyarrow.array([str(node) for node in listed], type=pyarrow.string())


def coo_tensor(matrix: Counts) -> "torch.Tensor":
    """Return a matrix as a coalesced sparse tensor of float32."""
    import torch

    coordinates = matrix.tocoo()
    positions = torch.from_numpy(np.stack([coordinates.row, coordinates.col]).astype(np.int64))
    values = torch.from_numpy(coordinates.data.astype(np.float32))
    return torch.sparse_coo_tensor(positions, values, matrix.shape, check_invariants=False).coalesce()

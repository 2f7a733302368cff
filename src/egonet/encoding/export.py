"""Encodings for other tools: arrays, tensors, data frames, and files (Parquet, Arrow, CSV, Matrix Market, .npz)."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.checks import as_flag, one_of
from egonet.encoding.header import METADATA, pack_text
from egonet.encoding.matrix import Counts, Weighting, dense_columns, weight
from egonet.encoding.ranks import ranks_of_degrees
from egonet.encoding.row_index import RowIndex
from egonet.encoding.saved import save_encoding
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, MemoryLimitError, option, require_extra, show_value
from egonet.graph.index import arrow_ids
from egonet.io.files import atomic_path
from egonet.io.paths import as_path
from egonet.io.row_groups import rows_per_group, write_row_groups
from egonet.notebook import html_table
from egonet.typing import Array, Floats, Int64s

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import torch

    from egonet.encoding.count import Origin
    from egonet.encoding.encoding import Encoding
    from egonet.graph.graph import Graph

Form: TypeAlias = Literal["wide", "sparse"]
SUFFIXES = (".parquet", ".arrow", ".csv", ".npz", ".mtx")
#: More feature columns than this are written as lists, because few tools open wider tables.
WIDE_LIMIT = 2_000
#: The most rows of a row group of Parquet: readers read several at once, and several threads write.
ROWS_PER_GROUP = 1 << 17
_BLOCK = 1_024
#: Rows and columns of the table in a notebook.
SHOWN_ROWS, _SHOWN_COLUMNS = 5, 6


class CountTable:
    """The methods of `Encoding` that convert the matrix: names of columns, arrays, tensors, data frames."""

    if TYPE_CHECKING:
        matrix: Counts
        index: RowIndex
        vocabulary: Vocabulary
        graph_ptr: Int64s
        graph: Graph | None
        roots: Int64s | None
        origin: Origin | None

        @property
        def settings(self) -> Settings: ...
        def __len__(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows and the number of columns.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.shape
        (3, 3)
        """
        return len(self), len(self.vocabulary)

    @cached_property
    def columns(self) -> list[tuple[Any, ...]]:
        """Return the key of every column: (distance, degree), with the radius in front if there are several.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.columns
        [(0, 1), (0, 2), (1, 1)]
        """
        return self.vocabulary.columns

    @cached_property
    def feature_names(self) -> list[str]:
        """Return a name for every column, such as "r2_d1_deg4".

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.feature_names
        ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
        """
        return self.vocabulary.feature_names

    def weighted(self, weighting: Weighting = "log") -> Counts:
        """Return the matrix with counts weighted: "count", "log", "paper" or "rank".

        "log" is log2(1 + c), and "paper" divides that by the sum of the row. "rank" is for another graph: the share of
        nodes of the same graph with a lower count plus half the share with an equal one; 0 stays 0. It needs the rows
        of all nodes.

        The default is "log" here, and "count" in `write`, `to_dense`, `to_pandas` and the other conversions.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode(egonet.named.path("abc"), radius=1).weighted("paper").toarray().round(2)
        array([[0.5 , 0.  , 0.5 ],
               [0.  , 0.39, 0.61],
               [0.5 , 0.  , 0.5 ]])
        >>> egonet.encode(egonet.named.path("abcd"), radius=1).weighted("rank").toarray()
        array([[0.75, 0.  , 0.25],
               [0.  , 0.75, 0.75],
               [0.  , 0.75, 0.75],
               [0.75, 0.  , 0.25]])
        """
        self._check_rank(weighting)
        return weight(self.matrix, weighting, self.graph_ptr)

    def _check_rank(self, weighting: Weighting) -> None:
        """Raise if ranks are wanted of rows that are not all nodes of their graphs."""
        one_of("weighting", weighting, get_args(Weighting))
        if weighting != "rank":
            return
        if self.index.kind != "node":
            raise InputError(
                f"{option('weighting', 'rank')} compares the nodes of a graph, got rows of {self.index.kind}s. "
                f"Use {option('weighting', 'log')}."
            )
        if not self._has_every_node:
            raise InputError(
                f"{option('weighting', 'rank')} compares all nodes of a graph, got {len(self):,} rows that are not "
                "known to be all. Encode the graph without roots, weight, and choose rows afterwards."
            )

    @property
    def _has_every_node(self) -> bool:
        """Return whether the rows are known to be all nodes of each graph; roots are for one graph alone."""
        is_whole = len(self.graph_ptr) > 2 or (self.graph is not None and self.roots is None)
        return is_whole or (self.origin is not None and self.origin.every_node)

    def _weighted_rows(self, first: int, last: int, weighting: Weighting) -> Counts:
        """Return consecutive rows, weighted."""
        one_of("weighting", weighting, get_args(Weighting))
        if weighting == "rank":
            return self._ranks[first:last]
        return weight(self._count_rows(first, last), weighting)

    @cached_property
    def _ranks(self) -> Counts:
        """Return the ranks of all rows, which blocks of rows are cut from."""
        return self.weighted("rank")

    def to_dense(self, weighting: Weighting = "count") -> Array:
        """Return the matrix as a dense array; counts, unless another weighting is given.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.to_dense()
        array([[1, 0, 1],
               [0, 1, 2],
               [1, 0, 1]], dtype=int32)
        """
        try:
            return self._dense(weighting)
        except MemoryError as error:
            rows, columns = self.matrix.shape
            raise MemoryLimitError(
                f"a dense array of {rows:,} x {columns:,} does not fit in memory. "
                f"Use the sparse matrix, {option('degree_bins', 'log')} or max_degree."
            ) from error

    def _dense(self, weighting: Weighting) -> Array:
        return self.weighted(weighting).toarray()

    def to_torch(self, weighting: Weighting = "count", *, dense: bool = True) -> "torch.Tensor":
        """Return the matrix as a float32 tensor, dense or sparse (COO).

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.to_torch()
        tensor([[1., 0., 1.],
                [0., 1., 2.],
                [1., 0., 1.]])
        """
        torch = require_extra("torch", extra="torch")
        if not as_flag("dense", dense):
            return coo_tensor(self.weighted(weighting))
        return torch.from_numpy(self.to_dense(weighting).astype(np.float32))  # type: ignore[no-any-return]

    def to_pandas(self, weighting: Weighting = "count", *, sparse: bool = False) -> "pandas.DataFrame":
        """Return a DataFrame indexed by node, or by source and target (and time), a column per feature.

        `sparse=True` keeps it sparse.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.to_pandas().loc["b"].to_dict()
        {'r1_d0_deg1': 0, 'r1_d0_deg2': 1, 'r1_d1_deg1': 2}
        """
        pandas = require_extra("pandas", extra=None)
        names, ids = self.index.names, self.index.columns
        index = (
            pandas.MultiIndex.from_arrays(ids, names=names) if ids[1:] else pandas.Index(*ids, name=names[0])
        )
        if as_flag("sparse", sparse):
            matrix = self.weighted(weighting)
            return pandas.DataFrame.sparse.from_spmatrix(matrix, index=index, columns=self.feature_names)
        return pandas.DataFrame(self.to_dense(weighting), index=index, columns=self.feature_names)

    def to_polars(self, weighting: Weighting = "count") -> "polars.DataFrame":
        """Return a polars DataFrame: the columns of the index ("node", or "source" and "target"), then features.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.to_polars().row(1)
        ('b', 0, 1, 2)
        """
        polars = require_extra("polars", extra=None)
        return polars.from_arrow(self.to_arrow(weighting))  # type: ignore[no-any-return]

    def to_arrow(self, weighting: Weighting = "count", *, form: Form = "wide") -> "pyarrow.Table":
        """Return an Arrow table: "wide" has a column per feature, "sparse" lists of columns and values.

        The sparse form has one row per node with the lists "column" and "value"; the names of the columns are
        in the schema's metadata under "feature_names", as JSON.

        Examples
        --------
        >>> import egonet
        >>> encoding = egonet.encode(egonet.named.path("abc"), radius=1)
        >>> encoding.to_arrow().to_pylist()[1]
        {'node': 'b', 'r1_d0_deg1': 0, 'r1_d0_deg2': 1, 'r1_d1_deg1': 2}
        >>> encoding.to_arrow(form="sparse").to_pylist()[1]
        {'node': 'b', 'column': [1, 2], 'value': [1, 2]}
        """
        require_extra("pyarrow", extra="io")
        one_of("form", form, get_args(Form))
        return self._arrow_rows(0, len(self), Written(weighting, form))()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows as a stream of Arrow data for any tool that reads one, such as polars.DataFrame(encoding)."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _arrow_rows(self, first: int, last: int, written: "Written") -> "Callable[[], pyarrow.Table]":
        """Return a function that returns consecutive rows as an Arrow table, which any thread may call.

        The metadata of the table has the vocabulary, so that it can be used again.
        """
        ids = {name: column.slice(first, last - first) for name, column in self._id_columns.items()}
        counts = self._weighted_rows(first, last, written.weighting)
        ranks = self._degree_ranks[first:last] if written.degree_rank else None
        make, names, header = (
            wide_table if written.form == "wide" else sparse_table,
            self.feature_names,
            self._header,
        )

        def table() -> "pyarrow.Table":
            rows = make(ids, counts, names)
            if ranks is not None:
                rows = rows.add_column(len(ids), "degree_rank", [ranks])
            return rows.replace_schema_metadata((rows.schema.metadata or {}) | {METADATA: header})

        return table

    @cached_property
    def _id_columns(self) -> "dict[str, pyarrow.Array]":
        """Return the columns of the index: all rows decide whether ids are numbers or text."""
        return dict(zip(self.index.names, map(arrow_ids, self.index.columns), strict=True))

    @cached_property
    def _degree_ranks(self) -> Floats:
        """Return the rank of the degree of every row's node in its graph."""
        if self.graph is None or self.index.kind != "node":
            raise InputError(
                "degree_rank needs the graph, and rows of nodes. Encode the graph again, or use egonet.degree_rank."
            )
        graph_ptr = self.graph_ptr if self.roots is None else np.array([0, self.graph.num_nodes])
        ranks = ranks_of_degrees(self.graph.degrees, graph_ptr)
        return ranks if self.roots is None else ranks[self.roots]

    @cached_property
    def _header(self) -> bytes:
        """Return the vocabulary as text, for the metadata of tables."""
        return pack_text(self.vocabulary).encode()

    def _count_rows(self, first: int, last: int) -> Counts:
        """Return the counts of consecutive rows."""
        return self.matrix[first:last]

    def _first_rows(self, matrix: Counts) -> str:
        """Return the first rows as a table for a notebook, with every id escaped; `matrix` has at least those."""
        rows, columns = self.shape
        first = matrix[:SHOWN_ROWS]
        counts = np.asarray(first.sum(axis=0)).ravel()
        chosen = np.sort(np.argsort(-counts, kind="stable")[:_SHOWN_COLUMNS])
        names = [self.vocabulary.name(int(column)) for column in chosen]
        ids = zip(*(column[:SHOWN_ROWS].tolist() for column in self.index.columns), strict=True)
        body = [
            [*map(show_value, row), *values]
            for row, values in zip(ids, first[:, chosen].toarray().tolist(), strict=True)
        ]
        note = f"{self.settings!r}; the first {len(body)} rows, {len(chosen)} of {columns:,} columns"
        title = f"Encoding of {rows:,} {self.index.kind}s in {columns:,} columns"
        return html_table(title, body, header=[*self.index.names, *names], note=note)


def write_encoding(
    encoding: "Encoding",
    path: str | Path,
    *,
    weighting: Weighting = "count",
    form: Form | None = None,
    degree_rank: bool = False,
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
    path = as_path("path", path)
    check_format(path, weighting=weighting, form=form, degree_rank=degree_rank)
    if path.suffix == ".npz":
        save_encoding(encoding.source, path)
        return
    with atomic_path(path) as temporary:
        chosen = Written(weighting, form or default_form(encoding), degree_rank)
        _WRITERS[path.suffix](encoding, temporary, chosen)


@dataclass(frozen=True)
class Written:
    """How a table is written: the weighting, its form, and whether the rank of the degree is the first column."""

    weighting: Weighting = "count"
    form: Form = "wide"
    degree_rank: bool = False


def check_format(path: Path, *, weighting: Weighting, form: Form | None, degree_rank: bool = False) -> None:
    """Raise for a format, or a combination, that cannot be written; called before the encoding is computed."""
    one_of("weighting", weighting, get_args(Weighting))
    if form is not None:
        one_of("form", form, get_args(Form))
    if path.suffix not in SUFFIXES:
        raise InputError(f"an encoding is written as {', '.join(SUFFIXES)}, got {path.name!r}.")
    if path.suffix == ".npz" and weighting != "count":
        raise InputError(".npz keeps the counts themselves. Leave weighting out, or write another format.")
    if as_flag("degree_rank", degree_rank) and path.suffix not in (".csv", ".parquet", ".arrow"):
        raise InputError(
            f"{option('degree_rank')} is a column of a table: .csv, .parquet or .arrow, got {path.name!r}."
        )
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


def write_csv(encoding: "Encoding", stream: IO[str], written: Written) -> None:
    """Write a wide table to an open text stream, some rows at a time."""
    writer = csv.writer(UnixLines(stream), lineterminator="\r\n")
    index = encoding.index
    ranks = encoding._degree_ranks if written.degree_rank else None
    matrix = encoding.weighted(written.weighting)
    writer.writerow([*index.names, *([] if ranks is None else ["degree_rank"]), *encoding.feature_names])
    ids = [(name,) for name in index] if len(index.names) == 1 else list(index)
    ids = ids if ranks is None else [(*name, rank) for name, rank in zip(ids, ranks.tolist(), strict=True)]
    for first in range(0, len(ids), _BLOCK):
        block = matrix[first : first + _BLOCK].toarray().tolist()
        writer.writerows(
            [*row, *counts] for row, counts in zip(ids[first : first + _BLOCK], block, strict=True)
        )


def _write_csv(encoding: "Encoding", path: Path, written: Written) -> None:
    """Write a wide table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_csv(encoding, stream, written)


def _write_parquet(encoding: "Encoding", path: Path, written: Written) -> None:
    """Write a table as Parquet, some row groups at a time: a wide table of all rows may not fit in memory."""
    require_extra("pyarrow", extra="io")
    # A dictionary per wide column takes a quarter of the time, and makes the file larger: most counts are 0.
    use_dictionary = written.form == "sparse"
    options: Any = {"compression": "zstd", "write_page_checksum": True, "use_dictionary": use_dictionary}
    with path.open("wb") as stream:  # pyarrow opens no path that is not UTF-8
        write_row_groups(stream, _row_groups(encoding, written), **options)


def _row_groups(encoding: "Encoding", written: Written) -> "Iterator[Callable[[], pyarrow.Table]]":
    """Yield functions that return the rows as tables; at least one, which may be empty."""
    width = len(encoding.vocabulary) if written.form == "wide" else 1
    size = rows_per_group(width, ROWS_PER_GROUP)
    for first in range(0, max(len(encoding), 1), size):
        yield encoding._arrow_rows(first, min(first + size, len(encoding)), written)


def _write_arrow(encoding: "Encoding", path: Path, written: Written) -> None:
    """Write a table as an Arrow file (also called Feather)."""
    require_extra("pyarrow", extra="io")
    table = encoding._arrow_rows(0, len(encoding), written)()
    import pyarrow.feather as feather

    with path.open("wb") as stream:
        feather.write_feather(table, stream, compression="uncompressed")


def _write_mtx(encoding: "Encoding", path: Path, written: Written) -> None:
    """Write the matrix in Matrix Market form."""
    from scipy.io import mmwrite  # loads readers of ten other formats

    matrix = encoding.weighted(written.weighting)
    is_integer = np.issubdtype(matrix.dtype, np.integer)
    with path.open("wb") as stream:
        mmwrite(
            stream,
            matrix,
            comment="\n".join(_names(encoding)),
            field="integer" if is_integer else "real",
            symmetry="general",
        )


def _names(encoding: "Encoding") -> Iterator[str]:
    """Yield the comments of a Matrix Market file that name its rows and columns, counted from 1 as its entries are."""
    for kind, names in (("row", encoding.index), ("column", encoding.feature_names)):
        for position, name in enumerate(names, start=1):
            yield f"{kind} {position} {json.dumps(name, default=str)}"


_WRITERS: dict[str, Callable[["Encoding", Path, Written], Any]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".arrow": _write_arrow,
    ".mtx": _write_mtx,
}


def wide_table(ids: "dict[str, pyarrow.Array]", matrix: Counts, names: list[str]) -> "pyarrow.Table":
    """Return a table with the columns of ids and one dense column per feature.

    >>> from scipy.sparse import csr_array
    >>> nodes = {"node": arrow_ids(np.array(["a", "b"]))}
    >>> wide_table(nodes, csr_array(np.array([[1, 0], [0, 2]])), ["x", "y"]).to_pylist()
    [{'node': 'a', 'x': 1, 'y': 0}, {'node': 'b', 'x': 0, 'y': 2}]
    """
    import pyarrow

    return pyarrow.table([*ids.values(), *map(pyarrow.array, dense_columns(matrix))], names=[*ids, *names])


def sparse_table(ids: "dict[str, pyarrow.Array]", matrix: Counts, names: list[str]) -> "pyarrow.Table":
    """Return a table with ids, as in `wide_table`, and the lists "column" and "value" of each row's entries.

    >>> from scipy.sparse import csr_array
    >>> nodes = {"node": arrow_ids(np.array([7, 8]))}
    >>> sparse_table(nodes, csr_array(np.array([[1, 0], [3, 2]])), ["x", "y"]).to_pylist()
    [{'node': 7, 'column': [0], 'value': [1]}, {'node': 8, 'column': [0, 1], 'value': [3, 2]}]
    """
    import pyarrow

    offsets = pyarrow.array(matrix.indptr.astype(np.int64))
    columns = pyarrow.LargeListArray.from_arrays(
        offsets, pyarrow.array(matrix.indices.astype(np.int32, copy=False))
    )
    values = pyarrow.LargeListArray.from_arrays(offsets, pyarrow.array(matrix.data))
    table = pyarrow.table([*ids.values(), columns, values], names=[*ids, "column", "value"])
    return table.replace_schema_metadata({"feature_names": json.dumps(names)})


def coo_tensor(matrix: Counts) -> "torch.Tensor":
    """Return a matrix as a coalesced sparse tensor of float32."""
    import torch

    coordinates = matrix.tocoo()
    positions = torch.from_numpy(np.stack([coordinates.row, coordinates.col]).astype(np.int64))
    values = torch.from_numpy(coordinates.data.astype(np.float32))
    return torch.sparse_coo_tensor(positions, values, matrix.shape, check_invariants=False).coalesce()

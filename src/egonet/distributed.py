"""Rows of batches of nodes or pairs, for engines that call a function on many machines: Ray Data, Daft, Spark."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from os import PathLike
from os.path import isdir, isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from egonet.checks import as_flag, as_threads, is_iterable, one_of
from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.lookup import isolated_keys, isolated_row
from egonet.encoding.request import as_vocabulary
from egonet.encoding.settings import SettingsOptions, as_settings
from egonet.encoding.signature import list_class_options, list_options
from egonet.encoding.unknown import HandleUnknown, split_known
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import FileError, InputError, option, require_extra, show_value
from egonet.graph.adapters import as_graph
from egonet.graph.columns import as_numpy
from egonet.graph.graph import Graph
from egonet.graph.index import arrow_ids, as_listed, id_array
from egonet.pairs.encode import encode_pairs
from egonet.store.csr import read_csr
from egonet.store.encoding import StoredRows, open_store
from egonet.tables.frames import as_frame, as_ids
from egonet.version import __version__

if TYPE_CHECKING:
    import pyarrow


@list_class_options
class RowBatches:
    """A function from a batch of nodes (or pairs) to its rows, which engines send to their workers.

    The graph is best a folder that every worker sees: a store (`egonet.store.encode`) or compressed rows
    (`egonet.store.write_csr`). Each process opens it once: a store is mapped into memory, compressed rows are decoded
    into it. A graph in memory travels with the object. Every batch gives the rows of `encode` or `encode_pairs`.

    Parameters
    ----------
    graph
        The folder, or anything `as_graph` accepts.
    vocabulary
        The columns, so that all batches have the same: a `Vocabulary`, an encoding, or a file that has one. Without
        it every row has two lists, "feature" and "count".
    pairs
        Whether batches have pairs (columns "source" and "target") instead of nodes (column "node").
    handle_unknown
        What happens to nodes that the graph does not have: "error"; "zero" and "warn" count them as isolated nodes;
        "warn" warns, "zero" does so if more than half of a batch are unknown.
    threads
        Threads per batch; one by default, since engines run several batches at a time.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`, without a vocabulary.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `encode`; pairs support what `encode_pairs` does.

    Examples
    --------
    >>> import egonet
    >>> rows = RowBatches([("a", "b"), ("b", "c")], radius=1)
    >>> rows(["b"]).to_pydict()
    {'node': ['b'], 'feature': [['r1_d0_deg2', 'r1_d1_deg1']], 'count': [[1, 2]]}

    With columns that were learned before, as Ray Data calls it:

    >>> columns = egonet.encode([("a", "b"), ("b", "c")], radius=1)
    >>> batch = RowBatches([("a", "b"), ("b", "c")], columns)({"node": ["c", "b"]})
    >>> {name: values.tolist() for name, values in batch.items()}
    {'node': ['c', 'b'], 'r1_d0_deg1': [1, 0], 'r1_d0_deg2': [0, 1], 'r1_d1_deg1': [1, 2]}
    """

    @list_options
    def __init__(
        self,
        graph: Any,
        vocabulary: Vocabulary | Encoding | str | PathLike[str] | None = None,
        *,
        pairs: bool = False,
        handle_unknown: HandleUnknown = "error",
        threads: int = 1,
        **options: Unpack[SettingsOptions],
    ) -> None:
        require_extra("pyarrow", "batches of rows", extra="io")
        is_path = isinstance(graph, str | PathLike)
        self.folder = Path(graph).absolute() if is_path else None
        self._given = None if is_path else as_graph(graph)
        self.pairs, self.threads, self.options = as_flag("pairs", pairs), as_threads(threads), dict(options)
        self.vocabulary = as_vocabulary(vocabulary, "pair" if self.pairs else "node")
        if self.vocabulary is not None and options:
            raise InputError(f"the vocabulary has the settings. Leave {next(iter(options))} out.")
        if self.vocabulary is None:
            as_settings(None, dict(options))  # an unknown option is an error here, not on a worker
        one_of("handle_unknown", handle_unknown, get_args(HandleUnknown))
        self.handle_unknown = handle_unknown

    @cached_property
    def graph(self) -> Graph:
        """Return the graph; that of a folder is opened once per process.

        Examples
        --------
        >>> RowBatches([("a", "b"), ("b", "c")], radius=1).graph
        Graph(num_nodes=3, num_edges=2)
        """
        if self._given is not None:
            return self._given
        folder = self.folder
        assert folder is not None  # a graph or a folder
        if isfile(folder):  # of os.path: a name that is too long is no file, not an error
            raise FileError(
                f"{str(folder)!r} is a file; workers open a folder. Write one with egonet.store.encode or "
                "egonet.store.write_csr, or give the graph: read_graph(path)."
            )
        if not isdir(folder):
            raise FileError(
                f"there is no folder {str(folder)!r} here. Every worker must see it at this path."
            )
        if any(folder.glob("indptr_*.parquet")):
            return read_csr(folder)
        if not (folder / "manifest.json").exists():
            raise FileError(
                f"{str(folder)!r} has neither a store nor compressed rows. Write one with egonet.store.encode or "
                "egonet.store.write_csr."
            )
        return self._stored_graph(folder)

    @cached_property
    def _id_type(self) -> "pyarrow.DataType":
        """Return the type of the columns of ids, the same for every batch: that of all nodes."""
        return arrow_ids(self.graph.node_ids).type

    def _stored_graph(self, folder: Path) -> Graph:
        """Return the graph of a store with its labels; raise if the store counts other edges than the batches."""
        rows = open_store(folder).source
        assert isinstance(rows, StoredRows)
        settings = rows.settings
        if settings.weight_bins is not None and (self.vocabulary or "weight_bins" in self.options):
            raise InputError(
                f"{str(folder)!r} is a store with bins of weights, which are types of its edges without the weights. "
                "Give the graph itself."
            )
        cap = self.options.get("cap") if self.vocabulary is None else self.vocabulary.settings.cap
        if settings.cap not in (None, cap):
            raise InputError(
                f"{str(folder)!r} has the graph with a cap of {settings.cap}, got cap {cap}. Set "
                f"{option('cap', settings.cap)}, or give the whole graph."
            )
        return rows.graph

    @property
    def schema(self) -> "pyarrow.Schema":
        """Return the columns of the rows, which Spark's `mapInArrow` needs before it starts.

        Examples
        --------
        >>> RowBatches([("a", "b")], radius=1).schema.names
        ['node', 'feature', 'count']
        """
        return self([]).schema

    def __call__(self, batch: Any) -> Any:
        """Return the rows of a batch, as what the batch is.

        A mapping of arrays gives one (Ray Data), a data frame or an Arrow table another, a sequence of ids an Arrow
        table, and an iterator of Arrow batches an iterator (Spark's `mapInArrow`).
        """
        if isinstance(batch, Iterator):
            return self._stream(batch)
        table = self._table(self._ids(batch))
        if isinstance(batch, Mapping):
            return {name: _as_numpy(table.column(name)) for name in table.column_names}
        package = type(batch).__module__.partition(".")[0]
        if package == "pandas":
            return table.to_pandas()
        if package == "polars":
            return require_extra("polars", extra=None).from_arrow(table)
        if package == "daft":
            return table.to_struct_array().combine_chunks()
        return table

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker needs: not the graph of a folder, which it opens itself."""
        state = {name: value for name, value in vars(self).items() if name not in ("graph", "_id_type")}
        return state | {"version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        version = state.pop("version")
        if version != __version__:
            raise InputError(
                f"these rows were asked for with egonet {version}, but this worker has {__version__}. Install one "
                "version everywhere."
            )
        vars(self).update(state)

    def _stream(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the rows of every batch as Arrow batches."""
        for batch in batches:
            yield from self._table(self._ids(batch)).to_batches()

    def _ids(self, batch: Any) -> list[Any]:
        """Return the nodes or pairs of a batch."""
        names = ("source", "target") if self.pairs else ("node",)
        frame = None if isinstance(batch, Mapping) else as_frame(batch)
        if frame is None and not isinstance(batch, Mapping):
            if not is_iterable(batch):
                rows = "pairs" if self.pairs else "nodes"
                raise InputError(
                    f"a batch must be a table or a sequence of {rows}, got {show_value(batch)}. Put it in a list."
                )
            values = batch.to_pylist() if hasattr(batch, "to_pylist") else list(batch)
            return [tuple(value) if isinstance(value, list) else value for value in values]
        names_in_batch = list(batch if frame is None else frame.columns)
        missing = [name for name in names if name not in names_in_batch]
        if missing:
            raise InputError(
                f"a batch must have the columns {list(names)}, got {names_in_batch[:9]!r}. Rename them."
            )
        columns = [
            as_listed(np.asarray(as_numpy(batch[name])) if frame is None else as_ids(frame[name]))
            for name in names
        ]
        if len({len(column) for column in columns}) > 1:
            raise InputError(
                f"source and target must have one value per pair, got {len(columns[0]):,} and {len(columns[1]):,}."
            )
        return list(zip(*columns, strict=True)) if self.pairs else columns[0]

    def _table(self, ids: list[Any]) -> "pyarrow.Table":
        """Return the rows of nodes or pairs as an Arrow table."""
        options: Any = {"threads": self.threads, "vocabulary": self.vocabulary, **self.options}
        if self.pairs:
            policy: Any = None if self.handle_unknown == "error" else self.handle_unknown
            return self._as_table(encode_pairs(self.graph, ids, handle_unknown=policy, **options))
        graph_ids, rows = split_known(self.graph, ids, self.handle_unknown)
        encoding = encode(self.graph, roots=graph_ids, **options)
        table = self._as_table(encoding)
        if rows is None:
            return table
        import pyarrow

        known, own = table.drop_columns("node"), self._isolated_row(encoding)
        isolated = pyarrow.table(
            [pyarrow.array([own[name]], known.field(name).type) for name in own], list(own)
        )
        both = pyarrow.concat_tables([known, isolated])
        places = np.where(rows < 0, len(graph_ids), rows)
        return both.take(places).add_column(0, "node", [self._as_ids(arrow_ids(id_array(ids)))])

    def _isolated_row(self, encoding: Encoding) -> dict[str, Any]:
        """Return the row of a node that the graph does not have, without its id: a node without edges and labels."""
        graph, schema = self.graph, encoding.vocabulary.schema
        if self.vocabulary is not None:
            row = isolated_row(self.vocabulary, graph).toarray()[0].tolist()
            return dict(zip(self.vocabulary.feature_names, row, strict=True))
        if schema.settings.is_nested:
            alone = Graph.from_checked(np.zeros(2, np.int64), np.empty(0, np.int32), directed=graph.directed)
            names = [] if schema.labels else encode(alone, schema.settings).feature_names
        else:
            keys = np.array(isolated_keys(schema, graph), dtype=np.int64)
            names = Vocabulary(schema, keys.reshape(-1, 1 + len(schema.field_names))).feature_names
        return {"feature": names, "count": [1] * len(names)}

    def _as_table(self, encoding: Encoding) -> "pyarrow.Table":
        """Return rows as a table: a column per feature of the vocabulary, or two lists."""
        table = encoding.to_arrow().replace_schema_metadata(None) if self.vocabulary else _lists(encoding)
        for place, name in enumerate(encoding.index.names):
            table = table.set_column(place, name, self._as_ids(table.column(place)))
        return table

    def _as_ids(self, column: Any) -> Any:
        """Return a column of ids with the type that it has in all batches; ids of several types are text."""
        if column.type == self._id_type:
            return column
        import pyarrow

        try:
            return column.cast(self._id_type)
        except pyarrow.ArrowInvalid as error:  # nodes that the graph does not have may be of any type
            raise InputError(
                f"the ids of the graph are {self._id_type}, and all batches have this type, but one has an id that is "
                f"not: {str(error).rstrip('.')}. Leave it out."
            ) from error


def _lists(encoding: Encoding) -> "pyarrow.Table":
    """Return rows with lists of features and counts, which need no common columns."""
    import pyarrow

    matrix, names = encoding.matrix, np.array(encoding.feature_names, dtype=object)
    offsets = pyarrow.array(matrix.indptr.astype(np.int32))
    index = encoding.to_arrow(form="sparse").select(list(encoding.index.names))
    features = pyarrow.array(names[matrix.indices], type=pyarrow.string())
    counts = pyarrow.array(matrix.data.astype(np.int64))
    index = index.append_column("feature", pyarrow.ListArray.from_arrays(offsets, features))
    return index.append_column(
        "count", pyarrow.ListArray.from_arrays(offsets, counts)
    ).replace_schema_metadata(None)


def _as_numpy(column: Any) -> Any:
    """Return a column as an array; lists become an array of lists."""
    if column.type.num_fields == 0:
        return column.to_numpy()
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_pylist()
    return values

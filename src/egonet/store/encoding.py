"""An encoding in a folder with its settings, labels and roots: opened in milliseconds and read as it is used."""

import json
import os
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import as_flag
from egonet.encoding.count import Origin
from egonet.encoding.encoding import Encoding
from egonet.encoding.header import (
    to_json,
    unpack_schema,
    valid_array,
    valid_entries,
    valid_keys,
    valid_pointers,
)
from egonet.encoding.matrix import Counts, narrow_pointers
from egonet.encoding.request import find_roots
from egonet.encoding.row_index import RowIndex
from egonet.encoding.saved import read_encoding
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Unseen, Vocabulary, locate
from egonet.errors import FileError
from egonet.graph.align import align_labels
from egonet.graph.columns import Categories, Labels
from egonet.graph.edge_types import Subdivision
from egonet.graph.graph import Graph
from egonet.graph.index import is_id
from egonet.io.paths import as_path
from egonet.kernel.out_of_core import are_pointers
from egonet.store.blocks import Block, open_block
from egonet.store.folder import open_array, write_folder
from egonet.store.graph import GraphStore, open_graph
from egonet.store.manifest import check_fields, is_count, is_name, read_manifest
from egonet.typing import Int32s, Int64s
from egonet.version import other_format

FORMAT = "egonet store 3"
_WHAT = "an encoding that egonet stored"
#: The fields of a manifest: those it always has, those it has once the graph is stored, and those of a complete store.
_ALWAYS = {
    "version": lambda value: isinstance(value, str),
    "settings": lambda value: isinstance(value, dict) and "radius" in value and "labels" in value,
    "generation": is_count,
    "complete": lambda value: isinstance(value, bool),
    "change": lambda value: value is None or isinstance(value, str),
    "graph": lambda value: value is None or is_name(value),
}
#: The arrays of choices: labels, roots, and the graph with a node on every typed edge.
_DIVIDED = ("divided_indices", "divided_indptr", "divided_types")
_CHOSEN = ("labels", "roots", *_DIVIDED)
_WITH_GRAPH = {
    "num_rows": is_count,
    "block_rows": lambda value: is_count(value) and value > 0,
    "blocks": lambda value: isinstance(value, list) and all(map(is_name, value)),
    "graph_digest": lambda value: isinstance(value, str),
    "reading": lambda value: value is None or isinstance(value, dict),
    "choices": lambda value: value is None or is_name(value),
    "chosen": lambda value: isinstance(value, list) and value == sorted({*value} & {*_CHOSEN}),
}
_COMPLETE = {"graph": is_name, "vocabulary": is_name, "num_entries": is_count}
FIRST_CHOICES = "choices-0000"


@dataclass(frozen=True, eq=False)
class Choices:
    """Labels, roots and edge types of a store.

    Attributes
    ----------
    labels
        int32 (num_nodes,): the label number of every node, or None.
    roots
        int64 (num_rows,): the node of every row, or None if row v is node v.
    divided
        The graph with a node on every edge, if edges have types, or None.
    facts
        Their fields in the manifest.
    """

    labels: Int32s | None = None
    roots: Int64s | None = None
    divided: Subdivision | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def store_choices(
    folder: Path,
    stored: GraphStore,
    manifest: dict[str, Any],
    labels: Labels | None,
    roots: Sequence[Hashable] | None,
    divided: Subdivision | None = None,
) -> Choices:
    """Return labels, roots and edge types as numbers, written to the folder; raise if the folder has others."""
    ends = np.array([0, stored.num_nodes], dtype=np.int64)
    column = None if labels is None else align_labels(labels, stored.graph.node_ids, ends)
    numbers, names = (None, None) if column is None else (column.numbers, column.names)
    rows = find_roots(roots, stored.graph, num_graphs=1) if roots is not None else None
    settings = manifest["settings"] | {"labels": None if names is None else [to_json(name) for name in names]}
    settings["directed"] = stored.directed
    if manifest["graph"] is not None:
        before = open_choices(folder, manifest, stored.num_nodes)
        # Compared as JSON, because True == 1.
        ours, theirs = (json.dumps(each["labels"]) for each in (settings, manifest["settings"]))
        if ours != theirs or not _equal(numbers, before.labels):
            raise FileError(f"{folder} has an encoding with other labels. Choose another folder.")
        if not _equal(rows, before.roots):
            raise FileError(f"{folder} has an encoding of other roots. Choose another folder.")
        if not all(map(_equal, _divided_arrays(divided), _divided_arrays(before.divided))):
            raise FileError(f"{folder} has an encoding with other edge types. Choose another folder.")
        return before
    parts = (("labels", numbers), ("roots", rows), *zip(_DIVIDED, _divided_arrays(divided), strict=True))
    arrays: dict[str, Any] = {name: array for name, array in parts if array is not None}
    if arrays:
        write_folder(folder / FIRST_CHOICES, arrays, {})
    facts = {"settings": settings, "choices": FIRST_CHOICES if arrays else None, "chosen": sorted(arrays)}
    return Choices(numbers, rows, divided, facts)


def _divided_arrays(divided: Subdivision | None) -> tuple[Any, ...]:
    """Return the arrays of a graph with a node on every edge, in the order of their names."""
    return (None,) * 3 if divided is None else (divided.indices, divided.indptr, divided.types)


def open_choices(folder: Path, manifest: dict[str, Any], num_nodes: int, *, verify: bool = True) -> Choices:
    """Return the labels and roots of a store, validated against its graph."""
    path, chosen = folder / (manifest["choices"] or ""), manifest["chosen"]
    arrays: dict[str, Any] = {name: open_array(path, name, verify=verify) for name in chosen}
    settings = manifest["settings"]
    num_labels, num_types = (len(settings.get(name) or ()) for name in ("labels", "edge_labels"))
    num_edges = len(arrays.get("divided_types", ()))
    sizes = {
        "labels": (np.int32, num_nodes, num_labels),
        "roots": (np.int64, manifest["num_rows"], num_nodes),
        "divided_types": (np.int32, num_edges, num_types),
        "divided_indptr": (np.int64, num_nodes + num_edges + 1, 2**62),
        "divided_indices": (np.int32, len(arrays.get("divided_indices", ())), num_nodes + num_edges),
    }
    for name, array in arrays.items():
        dtype, size, most = sizes[name]
        if (
            array.dtype != dtype
            or array.shape != (size,)
            or (size and not 0 <= array.min() <= array.max() < most)
        ):
            raise FileError(f"{path / name}.npy is damaged: it does not fit the graph. Encode again.")
    divided = None
    if (settings.get("edge_labels") is not None) != set(_DIVIDED).issubset(arrays):
        raise FileError(f"{folder} is damaged: it does not have a type per edge. Encode again.")
    if num_types or "divided_types" in arrays:
        indices, indptr, types = (arrays.pop(name) for name in _DIVIDED)
        if not are_pointers(indptr, len(indices)):
            raise FileError(f"{path}/divided_indptr.npy is damaged: it does not fit the graph. Encode again.")
        divided = Subdivision(indptr, indices, num_nodes, types)
    if "roots" not in arrays and manifest["num_rows"] != num_nodes:
        raise FileError(f"{folder} is damaged: it does not have one row per node. Encode again.")
    return Choices(**arrays, divided=divided)


def _equal(ours: Any, theirs: Any) -> bool:
    """Return whether two arrays are equal, or both are missing."""
    return (ours is None) == (theirs is None) and (ours is None or bool(np.array_equal(ours, theirs)))


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The rows of an encoding in a folder, read as they are used; the attributes are those of `Encoding`.

    `rows(first, last)` and `row(index)` read only the blocks they need; `matrix` reads everything.
    """

    folder: Path
    manifest: dict[str, Any]
    verify: bool = True
    _compared: set[int] = field(default_factory=set)

    unseen = Unseen()
    learned = True
    origin: Origin | None = None

    @property
    def index(self) -> RowIndex:
        return RowIndex.of_nodes(self.nodes)

    @property
    def num_rows(self) -> int:
        return int(self.manifest["num_rows"])

    @cached_property
    def schema(self) -> Schema:
        with self._reporting_damage():
            return unpack_schema(self.manifest["settings"])

    @property
    def settings(self) -> Settings:
        return self.schema.settings

    @cached_property
    def store(self) -> GraphStore:
        with self._reporting_update():
            stored = open_graph(self.folder / self.manifest["graph"], verify=self.verify)
            if stored.digest != self.manifest["graph_digest"]:
                raise FileError(
                    f"{stored.folder} is damaged: it is the graph of another store. Encode again."
                )
        return stored

    @cached_property
    def graph(self) -> Graph:
        """Return the graph with its labels, and the types of its edges; bins of weights are types."""
        with self._reporting_update():
            graph = self.store.graph
        names, kinds, divided = self.schema.labels, self.schema.edge_labels, self.choices.divided
        if self.labels is not None and names is not None:
            graph = graph.with_columns({"labels": Categories(self.labels, names)})
        if divided is not None and kinds is not None:
            with self._reporting_damage():
                table = divided.edges(self.store.directed)
            types = Categories(np.asarray(divided.types), kinds)
            graph = graph.with_table(table).with_columns(edge_columns={"edge_labels": types})
        return graph

    @cached_property
    def choices(self) -> Choices:
        """Return the labels of the nodes and the roots of the rows."""
        with self._reporting_update():
            return open_choices(self.folder, self.manifest, self.store.num_nodes, verify=self.verify)

    @property
    def labels(self) -> Int32s | None:
        """Return the number of every node's label, if there are labels."""
        return self.choices.labels

    @property
    def roots(self) -> Int64s | None:
        """Return the node of every row, or None if row v is node v."""
        return self.choices.roots

    @cached_property
    def nodes(self) -> np.ndarray[Any, Any]:
        """Return the ids of the rows; the arcs of the graph are not read."""
        with self._reporting_update():
            return self._nodes()

    def _nodes(self) -> np.ndarray[Any, Any]:
        ids = np.arange(self.store.num_nodes) if self.store.nodes is None else self.store.nodes
        return ids if self.roots is None else ids[self.roots]

    @cached_property
    def graph_ptr(self) -> Int64s:
        """Return where the rows of the only graph begin and end."""
        return np.array([0, self.num_rows], dtype=np.int64)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        place = self.folder / self.manifest["vocabulary"]
        with self._reporting_update():
            keys = np.array(open_array(place, "keys", verify=self.verify))
        with self._reporting_damage():
            return Vocabulary(self.schema, valid_keys(keys, self.schema))

    @contextmanager
    def _reporting_update(self) -> Iterator[None]:
        """Say that the store was updated since it was opened, instead of that a file is missing or damaged."""
        try:
            yield
        except FileError as error:
            if _is_changed(self.folder, self.manifest):
                raise FileError(
                    f"{self.folder} was updated since it was opened, and has other files now. Open it again: "
                    "egonet.load(folder)."
                ) from error
            raise

    @contextmanager
    def _reporting_damage(self) -> Iterator[None]:
        """Turn the errors of a failed check into one that names the damaged folder."""
        try:
            yield
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{self.folder} is damaged: {error}. Run encode again.") from error

    @cached_property
    def matrix(self) -> Counts:
        """Return all counts, read into memory."""
        return self.rows(0, self.num_rows)

    def rows(self, first: int, last: int) -> Counts:
        """Return the counts of some consecutive rows, reading only the blocks that hold them.

        >>> import tempfile, egonet
        >>> folder = tempfile.mkdtemp() + "/out"
        >>> stored = egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)
        >>> stored.rows(1, 2).toarray()
        array([[0, 1, 2]], dtype=int32)
        """
        parts = list(self._parts(first, last))
        lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(part[0]) for part in parts)])
        columns = np.concatenate([np.empty(0, np.int32), *(part[1] for part in parts)])
        counts = np.concatenate([np.empty(0, np.int32), *(part[2] for part in parts)])
        shape = (max(last - first, 0), len(self.vocabulary))
        return csr_array((counts, columns, narrow_pointers(np.cumsum(lengths))), shape=shape)

    def _parts(self, first: int, last: int) -> Iterator[tuple[Int64s, Int32s, Int32s]]:
        """Yield row pointers, columns and counts of the rows asked for, block by block."""
        size = self.manifest["block_rows"]
        for index in range(first // size, -(-last // size)):
            block, places = self._block(index)
            begin, end = max(first - index * size, 0), min(last - index * size, len(block))
            pointers = np.asarray(block.indptr[begin : end + 1])
            span = slice(pointers[0], pointers[-1])
            columns, counts = np.asarray(block.columns[span]), np.asarray(block.counts[span])
            with self._reporting_damage():
                valid_pointers(pointers - pointers[0], len(columns))
                valid_entries(columns, counts, len(places))
            yield pointers, places[columns], counts

    def block(self, index: int) -> Block:
        """Return a block, compared with its checksums when it is first used, and checked."""
        fresh, size = index not in self._compared, self.manifest["block_rows"]
        with self._reporting_update():
            block = open_block(self.folder / self.manifest["blocks"][index], verify=self.verify and fresh)
        with self._reporting_damage():
            valid_keys(block.keys, self.schema)
            valid_array(block.indptr, np.int64)
            valid_array(block.columns, np.int32)
            valid_array(block.counts, np.int32)
            if len(block) != min(size, self.num_rows - index * size):
                raise ValueError(f"block {index} has {len(block)} rows")
        self._compared.add(index)
        return block

    def _block(self, index: int) -> tuple[Block, Int32s]:
        """Return a block and the column of every key of it."""
        block = self.block(index)
        places, exact = locate(self.vocabulary, np.asarray(block.keys), "ignore")
        if not exact.all():
            raise FileError(
                f"{self.folder} is damaged: block {index} has keys without a column. Run encode again."
            )
        return block, places.astype(np.int32)

    def find(self, node: Hashable) -> int | None:
        """Return the row of a plain id, or None if it has none; the arcs of the graph are not read."""
        if self.store.nodes is None and self.roots is None and type(node) is int:
            return node if 0 <= node < self.num_rows else None
        return self._row_of.get(node) if is_id(node) else None

    @cached_property
    def _row_of(self) -> dict[Hashable, int]:
        """Return id → row; a root given twice keeps its first row."""
        ids = self.nodes.tolist()
        return dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True))

    def row(self, index: int) -> dict[tuple[Any, ...], int]:
        """Return key → count of one row, in column order."""
        ((_, columns, counts),) = self._parts(index, index + 1)
        pairs = zip(columns.tolist(), counts.tolist(), strict=True)
        return {self.vocabulary.column(column): count for column, count in pairs}


def _is_changed(folder: Path, manifest: dict[str, Any]) -> bool:
    """Return whether a store has another manifest than when it was opened."""
    try:
        return read_store(folder) != manifest
    except FileError:
        return False


def load(path: str | Path, *, verify: bool = True) -> Encoding:
    """Return the encoding in an .npz file or in a folder.

    Parameters
    ----------
    path
        A file that `Encoding.write` wrote, or a folder that `egonet.store.encode` filled.
    verify
        Whether the parts of a folder are compared with their checksums when they are first used.

    Raises
    ------
    FileError
        If the file is not such a file, or is damaged.

    Examples
    --------
    >>> import tempfile, egonet
    >>> path = Path(tempfile.mkdtemp()) / "path.npz"
    >>> egonet.encode(egonet.named.path("abc"), radius=1).write(path)
    >>> load(path)["b"]
    {(0, 2): 1, (1, 1): 2}
    """
    verify = as_flag("verify", verify)
    is_store = os.path.isdir(as_path("path", path))  # False if its name is too long; reading it says so
    return open_store(path, verify=verify) if is_store else Encoding(read_encoding(path))


def open_store(folder: str | Path, *, verify: bool = True) -> Encoding:
    """Return the encoding in a folder; nothing but its manifest is read.

    The graph and every block are compared with their checksums when they are first used; `verify=False` skips this.

    Raises
    ------
    FileError
        If the folder contains no encoding, or one that is not finished.

    Examples
    --------
    >>> import egonet, tempfile
    >>> folder = tempfile.mkdtemp() + "/out"
    >>> _ = egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)
    >>> egonet.store.open(folder)["b"]
    {(0, 2): 1, (1, 1): 2}
    """
    return Encoding(open_rows(folder, verify=verify))


def open_rows(folder: str | Path, *, verify: bool = True) -> StoredRows:
    """Return the rows in a folder, as `open_store` does."""
    path = as_path("folder", folder)
    manifest = read_store(path)
    if not manifest["complete"]:
        raise FileError(f"{path} is not finished. Run the same command again to continue.")
    return StoredRows(path, manifest, as_flag("verify", verify))


def read_store(folder: Path) -> dict[str, Any]:
    """Return the manifest of a store, complete or not, with every field checked."""
    manifest = read_manifest(folder, _WHAT, "Choose another folder and encode again.")
    if manifest.get("format") != FORMAT:
        raise FileError(f"{folder} {other_format(manifest.get('format'), FORMAT)}")
    check_fields(folder, manifest, _ALWAYS)
    if manifest["graph"] is not None:
        check_fields(folder, manifest, _WITH_GRAPH)
        num_blocks = -(-manifest["num_rows"] // manifest["block_rows"])
        check_fields(folder, manifest, {"blocks": lambda blocks: len(blocks) == num_blocks})
    if manifest["complete"]:
        check_fields(folder, manifest, _WITH_GRAPH | _COMPLETE)
    return manifest

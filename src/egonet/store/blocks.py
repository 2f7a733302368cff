"""Blocks of an encoding: consecutive rows with the keys of their columns, in memory and on disk.

On disk a block is a folder of mapped arrays, or a Parquet file that a cluster writes and any tool reads.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.assemble import to_matrix
from egonet.encoding.matrix import join_columns, renumber_columns
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import bin_degrees, order_keys
from egonet.errors import FileError
from egonet.io.files import atomic_path
from egonet.kernel import native
from egonet.kernel.incremental import splice
from egonet.kernel.reference import Rows
from egonet.store.folder import check_folder, damaged_file, is_intact, open_array, write_folder
from egonet.store.manifest import checksum, read_manifest
from egonet.typing import Int32s, Int64s

ARRAYS = ("indptr", "columns", "counts", "keys")
SUFFIX = ".parquet"


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of some consecutive roots.

    Attributes
    ----------
    indptr
        int64 (num_rows + 1,), non-decreasing from 0.
    columns
        int32 (num_entries,), increasing within a row: positions in `keys`.
    counts
        int32 (num_entries,), at least 1.
    keys
        int64 (num_columns, 1 + fields): radius, distance, degrees; radii in the order of the settings, then sorted.
    """

    indptr: Int64s
    columns: Int32s
    counts: Int32s
    keys: Int64s

    def __len__(self) -> int:
        return len(self.indptr) - 1


def count_block(
    indptr: Int64s, indices: Int32s, roots: Int64s, settings: Settings, *, symmetric: bool, threads: int = 0
) -> Block:
    """Return the rows of several roots of a graph given by its arrays.

    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> block = count_block(*path, np.array([1]), Settings((1,)), symmetric=True)
    >>> block.keys.tolist(), block.counts.tolist()
    ([[1, 0, 2], [1, 1, 1]], [1, 2])
    """
    keywords: Any = {"symmetric": symmetric, "threads": threads}
    parts = [count_rows(indptr, indices, roots, radius, settings, **keywords) for radius in settings.radius]
    return block_of(parts, settings)


def count_rows(
    indptr: Int64s, indices: Int32s, roots: Int64s, radius: int, settings: Settings, **keywords: Any
) -> Rows:
    """Return the rows of several roots at one radius; `how` are symmetric, labels and threads of the kernel."""
    counted: Any = {name: getattr(settings, name) for name in ("degrees", "frontier_edges", "max_degree")}
    return native.encode_rows(indptr, indices, roots, radius, **counted, **keywords)


def block_of(parts: list[Rows], settings: Settings) -> Block:
    """Return the rows of every radius of the settings, with their columns concatenated."""
    keys = [
        np.insert(rows.keys, 0, radius, axis=1) for rows, radius in zip(parts, settings.radius, strict=True)
    ]
    if len(parts) == 1 and settings.degree_bins is None:
        return Block(parts[0].indptr, parts[0].columns, parts[0].counts, keys[0])
    matrix = join_columns([to_matrix(rows) for rows in parts])
    binned = np.concatenate(keys)
    binned[:, 1:] = bin_degrees(binned[:, 1:], settings)
    return _compact(_from_matrix(matrix), binned, settings)


def replace_rows(old: Block, rows: Int64s, new: Block, settings: Settings) -> Block:
    """Return a block with rows replaced by those of another; rows after its last one are appended.

    >>> settings = Settings((1,))
    >>> keys = np.array([[1, 0, 1], [1, 0, 2]])
    >>> old = Block(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([1, 1], np.int32), keys)
    >>> new = Block(np.array([0, 1]), np.array([0], np.int32), np.array([1], np.int32), keys[1:])
    >>> replace_rows(old, np.array([0]), new, settings).keys.tolist()
    [[1, 0, 2]]
    """
    columns = (new.columns + len(old.keys)).astype(np.int32)
    indptr, joined = splice(old.indptr, old.columns, rows, new.indptr, columns)
    counts = splice(old.indptr, old.counts, rows, new.indptr, new.counts)[1]
    return _compact((indptr, joined, counts), np.concatenate([old.keys, new.keys]), settings)


def compact_rows(rows: Int64s, keys: Int64s, num_rows: int, settings: Settings) -> Block:
    """Return the block that counts key `keys[i]` once in row `rows[i]`, for every i.

    >>> keys = np.array([[1, 1, 2], [1, 0, 2], [1, 1, 2]])
    >>> block = compact_rows(np.array([1, 0, 1]), keys, 2, Settings((1,)))
    >>> block.indptr.tolist(), block.columns.tolist(), block.counts.tolist()
    ([0, 1, 2], [0, 1], [1, 2])
    """
    ordered, positions = order_keys(keys, settings)
    entries, counts = np.unique(rows * max(len(ordered), 1) + positions, return_counts=True)
    owners, columns = np.divmod(entries, max(len(ordered), 1))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=num_rows))])
    return Block(indptr, columns.astype(np.int32), counts.astype(np.int32), ordered)


def _from_matrix(matrix: Any) -> tuple[Int64s, Int32s, Int32s]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


def _compact(rows: tuple[Int64s, Int32s, Int32s], keys: Int64s, settings: Settings) -> Block:
    """Return rows with equal keys merged, keys sorted, and unused keys dropped."""
    indptr, columns, counts = rows
    used = np.flatnonzero(np.bincount(columns, minlength=len(keys)))
    ordered, order = order_keys(keys[used], settings)
    positions = np.full(len(keys), -1, dtype=np.int64)
    positions[used] = order
    matrix = csr_array((counts, columns, indptr), shape=(len(indptr) - 1, len(keys)))
    merged = renumber_columns(matrix, positions, len(ordered))
    return Block(*_from_matrix(merged), ordered)


def write_block(path: Path, block: Block, facts: dict[str, Any]) -> dict[str, Any]:
    """Write a block atomically and return its manifest."""
    if path.suffix == SUFFIX:
        return write_shard(path, block, facts)
    arrays = {name: getattr(block, name) for name in ARRAYS}
    return write_folder(path, arrays, facts | {"num_entries": len(block.columns)})


def open_block(path: Path, *, verify: bool = True) -> Block:
    """Return a block; the arrays of a folder are memory-mapped, a Parquet file is read."""
    if path.suffix == SUFFIX:
        if verify and not is_intact_block(path):
            raise damaged_file(path)
        return read_shard(path)
    if verify:
        check_folder(path, ARRAYS)
    return Block(*(open_array(path, name, verify=False) for name in ARRAYS))


def is_intact_block(path: Path) -> bool:
    """Return whether a block exists and its checksums match."""
    if path.suffix != SUFFIX:
        return is_intact(path)
    facts = facts_of(path)
    return "checksum" in facts and path.exists() and checksum(path) == facts["checksum"]


def keys_of(path: Path) -> Int64s:
    """Return the keys of a block's columns; its rows are not read."""
    if path.suffix != SUFFIX:
        return np.asarray(open_array(path, "keys"))
    from pyarrow import parquet

    with _one_error(path):
        schema = parquet.read_schema(path)
    return _keys_in(schema, path)


def facts_of(path: Path) -> dict[str, Any]:
    """Return the manifest of a block (of a Parquet file, the .json file next to it), or {} without one."""
    try:
        if path.suffix != SUFFIX:
            return read_manifest(path, "a block")
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a FileError is a ValueError
        return {}
    return facts if isinstance(facts, dict) else {}


def entries_of(path: Path) -> int:
    """Return the number of entries of a block."""
    return int(facts_of(path)["num_entries"]) if path.suffix == SUFFIX else len(open_array(path, "columns"))


def write_shard(path: Path, block: Block, facts: dict[str, Any]) -> dict[str, Any]:
    """Write a block as Parquet and its checksum as a .json file; return the content of the latter.

    A row has its number in "row" and two lists, "column" and "count". The schema metadata "egonet" contains the keys
    of the columns.
    """
    import pyarrow as pa
    from pyarrow import parquet

    offsets = pa.array(np.asarray(block.indptr, dtype=np.int64))
    columns = pa.LargeListArray.from_arrays(offsets, pa.array(np.asarray(block.columns)))
    counts = pa.LargeListArray.from_arrays(offsets, pa.array(np.asarray(block.counts)))
    rows = pa.array(np.arange(facts["first"], facts["last"]))
    header = facts | {"keys": np.asarray(block.keys).tolist(), "width": int(block.keys.shape[1])}
    table = pa.table([rows, columns, counts], names=["row", "column", "count"])
    table = table.replace_schema_metadata({"egonet": json.dumps(header)})
    with atomic_path(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd")
        manifest = facts | {"checksum": checksum(temporary), "num_entries": len(block.columns)}
    with atomic_path(path.with_suffix(".json")) as temporary:
        temporary.write_text(json.dumps(manifest), encoding="utf-8")
    return manifest


def read_shard(path: Path) -> Block:
    """Return the block that `write_shard` wrote."""
    from pyarrow import parquet

    with _one_error(path):
        table = parquet.read_table(path).combine_chunks()
    keys = _keys_in(table.schema, path)
    if not len(table):
        none = np.empty(0, dtype=np.int32)
        return Block(np.zeros(1, dtype=np.int64), none, none, keys)
    columns, counts = (table.column(name).chunk(0) for name in ("column", "count"))
    indptr = columns.offsets.to_numpy().astype(np.int64)
    return Block(indptr, columns.values.to_numpy(), counts.values.to_numpy(), keys)


@contextmanager
def _one_error(path: Path) -> Iterator[None]:
    """Turn the errors of damaged Parquet files into one error."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise damaged_file(path) from error


def _keys_in(schema: Any, path: Path) -> Int64s:
    """Return the keys in the metadata of a shard's schema."""
    try:
        header = json.loads((schema.metadata or {})[b"egonet"])
        return np.array(header["keys"], dtype=np.int64).reshape(-1, header["width"])
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise FileError(
            f"{path} is not a block of egonet, or is damaged. Repair the store with `egonet verify`."
        ) from error

"""Blocks of an encoding as Parquet files, so that any tool can read what a cluster wrote."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError
from egonet.io.atomic import atomic_path
from egonet.store.blocks import Block
from egonet.store.manifest import checksum
from egonet.typing import Int64s

SUFFIX = ".parquet"


def write_shard(path: Path, block: Block, facts: dict[str, Any]) -> dict[str, Any]:
    """Write a block as Parquet, with its checksum in a .json file beside it; return what that file says.

    A row has its number in "row" and two lists, "column" and "count"; the keys of the columns are in the metadata
    of the schema under "egonet".
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


def shard_keys(path: Path) -> Int64s:
    """Return the keys of a shard's columns from its metadata, without reading its rows."""
    from pyarrow import parquet

    with _one_error(path):
        schema = parquet.read_schema(path)
    return _keys_in(schema, path)


@contextmanager
def _one_error(path: Path) -> Iterator[None]:
    """Turn what reading a damaged Parquet file raises into one error."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"{path} is missing or damaged. Run the same command again to mend it.") from error


def _keys_in(schema: Any, path: Path) -> Int64s:
    """Return the keys in the metadata of a shard's schema."""
    try:
        header = json.loads((schema.metadata or {})[b"egonet"])
        return np.array(header["keys"], dtype=np.int64).reshape(-1, header["width"])
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise FileError(f"{path} is no block that egonet wrote, or is damaged.") from error


def shard_facts(path: Path) -> dict[str, Any]:
    """Return what stands beside a shard: first and last row, entries and checksum; nothing if it is not there."""
    try:
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def is_shard_sound(path: Path) -> bool:
    """Return whether a shard is there with its checksum."""
    facts = shard_facts(path)
    return "checksum" in facts and path.exists() and checksum(path) == facts["checksum"]

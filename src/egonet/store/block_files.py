"""Blocks on disk in either form, told by their names: folders of mapped arrays, or Parquet shards."""

from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError
from egonet.store.array_folder import check_folder, is_sound, open_array, write_folder
from egonet.store.blocks import Block
from egonet.store.manifest import read_manifest
from egonet.store.shards import SUFFIX, is_shard_sound, read_shard, shard_facts, shard_keys, write_shard
from egonet.typing import Int64s

ARRAYS = ("indptr", "columns", "counts", "keys")


def write_block(path: Path, block: Block, facts: dict[str, Any]) -> dict[str, Any]:
    """Write a block whole or not at all, and return its manifest."""
    if path.suffix == SUFFIX:
        return write_shard(path, block, facts)
    arrays = {name: getattr(block, name) for name in ARRAYS}
    return write_folder(path, arrays, facts | {"num_entries": len(block.columns)})


def open_block(path: Path, *, verify: bool = True) -> Block:
    """Return a block; its arrays are mapped into memory if it is a folder, and read if it is a shard."""
    if path.suffix == SUFFIX:
        if verify and not is_shard_sound(path):
            raise FileError(f"{path} is missing or damaged. Run the same command again to mend it.")
        return read_shard(path)
    if verify:
        check_folder(path, ARRAYS)
    return Block(*(open_array(path, name, verify=False) for name in ARRAYS))


def is_sound_block(path: Path) -> bool:
    """Return whether a block is there with its checksums."""
    return is_shard_sound(path) if path.suffix == SUFFIX else is_sound(path)


def keys_of(path: Path) -> Int64s:
    """Return the keys of a block's columns."""
    return shard_keys(path) if path.suffix == SUFFIX else np.asarray(open_array(path, "keys"))


def facts_of(path: Path) -> dict[str, Any]:
    """Return the manifest of a block, or nothing if it has none."""
    if path.suffix == SUFFIX:
        return shard_facts(path)
    try:
        return read_manifest(path, "a block")
    except FileError:
        return {}


def entries_of(path: Path) -> int:
    """Return how many entries a block has."""
    if path.suffix == SUFFIX:
        return int(shard_facts(path)["num_entries"])
    return len(open_array(path, "columns"))

"""Parquet blocks."""

import pytest

import egonet
from egonet import store
from egonet.errors import FileError
from egonet.store.blocks import read_shard


@pytest.mark.parametrize(
    "metadata", [None, {"egonet": "["}, {"egonet": "{}"}, {"egonet": '{"keys": [1e400], "width": 1}'}]
)
def test_other_parquet_files_raise(tmp_path, metadata):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"row": [0]}).replace_schema_metadata(metadata), tmp_path / "a.parquet")

    with pytest.raises(
        FileError, match=r"a.parquet is not a block of egonet, or is damaged\. Repair the store"
    ):
        read_shard(tmp_path / "a.parquet")


def test_the_keys_of_a_shard_are_read_without_its_rows(need, tmp_path, monkeypatch):
    from egonet.store.blocks import keys_of, write_block

    need("pyarrow", "'egonet[io]'")
    block = store.encode(egonet.named.path(5), tmp_path / "out", 1).source.block(0)
    shard = tmp_path / "block.parquet"
    write_block(shard, block, {"first": 0, "last": 5})
    monkeypatch.setattr("egonet.store.blocks.read_shard", None)

    assert keys_of(shard).tolist() == block.keys.tolist()
    shard.write_bytes(b"damaged")
    with pytest.raises(FileError, match=r"block\.parquet is missing or damaged"):
        keys_of(shard)

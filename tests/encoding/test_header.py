"""The header of settings and columns in every file: any file that egonet wrote is a vocabulary."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import egonet
from egonet.embeddings.embedding import Embedding
from egonet.encoding.header import METADATA, pack_text, unpack_text
from egonet.encoding.saved import read_vocabulary
from egonet.errors import FileError

TRAIN = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
OTHER = [("x", "y"), ("y", "z")]
#: Settings with something to lose in each.
OPTIONS = [
    {"radius": (1, 2), "degrees": "full"},
    {"radius": 1, "degree_bins": "log", "max_degree": 9},
    {"radius": 1, "cap": 16, "frontier_edges": False},
    {"radius": 1, "common": True},
    {"radius": 1, "rooted": "refined", "depth": 2},
]


def write(encoding, path):
    if path.suffix == ".json":
        encoding.vocabulary.save(path)
    elif path.stem == "embedding":
        Embedding(encoding.vocabulary, np.zeros((len(encoding.vocabulary), 1), np.float32)).save(path)
    elif path.stem == "stream":
        egonet.Stream(vocabulary=encoding).save(path)
    else:
        encoding.write(path)


@pytest.mark.parametrize("name", ["a.npz", "a.json", "a.parquet", "a.arrow", "embedding.npz"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options))
def test_any_file_of_an_encoding_is_a_vocabulary(tmp_path, name, options):
    learned = egonet.encode(TRAIN, **options)
    write(learned, tmp_path / name)

    found = egonet.encode(OTHER, vocabulary=tmp_path / name)

    assert found.settings == learned.settings
    assert found.columns == learned.columns
    assert np.array_equal(np.asarray(found), np.asarray(egonet.encode(OTHER, vocabulary=learned)))


@pytest.mark.parametrize("name", ["a.npz", "a.json", "a.parquet", "a.arrow"])
def test_labels_and_types_are_in_every_file(tmp_path, name):
    labels = (
        dict(zip("abcd", ["C", 7, "C", "7"], strict=True)) if name == "a.json" else dict.fromkeys("abcd", "C")
    )
    learned = egonet.encode(TRAIN, 1, labels=labels, edge_labels=["x", "y", "x", "y"])
    write(learned, tmp_path / name)

    assert read_vocabulary(tmp_path / name).columns == learned.columns


@pytest.mark.parametrize("name", ["a.npz", "a.json", "a.parquet", "a.arrow"])
def test_any_file_of_pairs_is_a_vocabulary_of_pairs(tmp_path, name):
    learned = egonet.encode_pairs(TRAIN, [("a", "d"), ("a", "b")], (1, 2), without_edge=False, directed="out")
    write(learned, tmp_path / name)

    found = egonet.encode_pairs(OTHER, [("x", "z")], vocabulary=tmp_path / name, directed="out")

    assert found.settings == learned.settings
    assert found.columns == learned.columns


def test_the_file_of_a_stream_is_a_vocabulary_if_its_columns_are_fixed(tmp_path):
    learned = egonet.encode(TRAIN, 1)
    write(learned, tmp_path / "stream.npz")
    egonet.Stream(1).save(tmp_path / "free.npz")

    assert egonet.encode(OTHER, vocabulary=tmp_path / "stream.npz").columns == learned.columns
    with pytest.raises(FileError, match=r"free\.npz is a stream without fixed columns"):
        egonet.encode(OTHER, vocabulary=tmp_path / "free.npz")


@pytest.mark.parametrize(
    "kept",
    ['{"settings": 7, "keys": []}', '{"settings": {"radius": "x"}}', "[]", "{", "7", "[" * 10**5, ""],
    ids=["number", "radius", "list", "cut", "no mapping", "deep", "none"],
)
def test_damaged_headers_of_a_table_are_one_sentence(tmp_path, kept):
    table = pa.table({"source": ["a"]}).replace_schema_metadata({METADATA: kept})
    parquet.write_table(table, tmp_path / "table.parquet")

    with pytest.raises(
        FileError, match=r"table\.parquet has no columns that egonet wrote, or is damaged\. Give a"
    ):
        egonet.encode(OTHER, vocabulary=tmp_path / "table.parquet")


@pytest.mark.parametrize("content", [b"", b"node,r1_d0_deg1\na,1\n", b"PK", b"PAR1", b"ARROW1", b"\xff\xfe"])
def test_files_without_a_header_are_one_sentence(tmp_path, content):
    (tmp_path / "table").write_bytes(content)

    with pytest.raises(
        FileError, match=r"table (has no columns that egonet wrote|is not columns that egonet saved)"
    ):
        egonet.encode(OTHER, vocabulary=tmp_path / "table")


@pytest.mark.parametrize(
    "change", [{"keys": [[1, 0, 5]]}, {"format": "egonet vocabulary 99"}, {"strange": 1}]
)
def test_a_changed_header_is_an_error(change):
    text = pack_text(egonet.encode(TRAIN, 1).vocabulary)

    assert len(unpack_text(text)["keys"]) == 5
    with pytest.raises(ValueError, match=r"checksum|newer egonet|no field"):
        unpack_text(json.dumps(json.loads(text) | change))

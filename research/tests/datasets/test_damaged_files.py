"""Archives, pickles and result files that are damaged or hostile: nothing is run, linked or written elsewhere."""

import hashlib
import io
import pickle
import re
import stat
import zipfile

import numpy as np
import pytest

from egonet.errors import FileError
from research.datasets.fetch import unpack
from research.datasets.protein_files import _array, _node_link
from research.datasets.registry import DataFile
from research.datasets.torch_pickle import _rebuild, read_torch_pickle
from research.paper.results import read_lines

CONTENT = b"0 1\n1 2\n"
WANTED = [DataFile("set/a.txt", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "a.txt")]


def packed(members, **options):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", **options) as archive:
        for member, content in members:
            archive.writestr(member, content)
    return sink.getvalue()


def test_a_link_in_an_archive_is_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    link = zipfile.ZipInfo("a.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    (tmp_path / "d.zip").write_bytes(packed([(link, str(secret))]))

    with pytest.raises(
        FileError, match=r"^a.txt in d.zip does not have the expected sha256; it was not unpacked.$"
    ):
        unpack(tmp_path / "d.zip", WANTED, tmp_path / "target")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("name", ["../../a.txt", "/a.txt", "x/../../a.txt", "..\\a.txt"])
def test_paths_that_lead_out_of_an_archive_lead_nowhere(tmp_path, name):
    (tmp_path / "d.zip").write_bytes(packed([(name, CONTENT)]))

    found = unpack(tmp_path / "d.zip", WANTED, tmp_path / "target")

    inside = {path for path in (tmp_path / "target").rglob("*") if path.is_file()}
    assert inside == set(found.values()) <= {tmp_path / "target/set/a.txt"}
    assert {path.name for path in tmp_path.iterdir()} <= {"d.zip", "target"}


def damaged_archives():
    """Yield archives with one byte changed: encrypted, of an unknown method or version, damaged inside."""
    whole = packed([("a.txt", CONTENT)], compression=zipfile.ZIP_DEFLATED)
    central = whole.index(b"PK\x01\x02")
    yield "encrypted", bytes([*whole[:6], 1, *whole[7 : central + 8], 1, *whole[central + 9 :]])
    yield "method", bytes([*whole[: central + 10], 77, *whole[central + 11 :]])
    yield "version", bytes([*whole[: central + 6], 148, *whole[central + 7 :]])
    start = 30 + len("a.txt")
    yield "data", bytes([*whole[:start], 0xFF, *whole[start + 1 :]])
    yield (
        "name",
        bytes([*whole[: central + 9], 8, *whole[central + 10 : central + 46], 0xFF, *whole[central + 47 :]]),
    )
    yield "short", whole[:-5]


@pytest.mark.parametrize(
    ("kind", "content"), list(damaged_archives()), ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_damaged_archive_is_one_sentence(tmp_path, kind, content):
    (tmp_path / "d.zip").write_bytes(content)

    with pytest.raises(FileError, match=r"^d.zip is not a complete zip file \(.*\)\.$") as caught:
        unpack(tmp_path / "d.zip", WANTED, tmp_path / "target")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x80\x04\x95" + b"\xff" * 8 + b".", "OverflowError: FRAME length exceeds system's maximum"),
        (b"\x80\x04\x8e" + b"\xff" * 7 + b"\x00.", "Error"),
        (b"\x80\x02c\x1bx\ny\n.", r"the pickle asks for \x1bx.y, which is not part of a list of graphs"),
        (b"\x80\x02" + b"]" * 100, "is not a pickled list of graphs"),
        (pickle.dumps(7), "is not a pickled list of graphs (TypeError"),
        (b"I" + b"x" * 5000 + b"\n.", "is not a pickled list of graphs (ValueError"),
    ],
)
def test_a_pickle_that_is_none_is_one_sentence(tmp_path, content, said):
    (tmp_path / "g.pkl").write_bytes(content)

    with pytest.raises(FileError, match=re.escape(said)) as caught:
        read_torch_pickle(tmp_path / "g.pkl")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


def test_a_tensor_of_a_pickle_is_not_larger_than_its_numbers():
    with pytest.raises(FileError, match=r"a tensor of shape \(99999, 99999\) has only 3 numbers\."):
        _rebuild(np.arange(3), 0, (99999, 99999), (0, 0))


def test_lines_of_results_that_are_not_text_are_passed_over(tmp_path):
    (tmp_path / "r.jsonl").write_bytes(b"\xff\xfe\n" + b"[" * 100_000 + b"\n[]\n7\n")

    assert list(read_lines(tmp_path / "r.jsonl")) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"nodes": [], "links": [{"source": 1e999, "target": 0}]}', "is not a graph in node-link form."),
        (b'{"nodes": [], "links": [{"source": "a", "target": 0}]}', "is not a graph in node-link form."),
        (b"[" * 100_000, "is not JSON: "),
        (b"\xff", "is not JSON: "),
    ],
)
def test_node_link_files_that_are_none_are_one_sentence(tmp_path, content, said):
    (tmp_path / "g.json").write_bytes(content)

    with pytest.raises(FileError, match=re.escape(said)):
        _node_link(tmp_path / "g.json")


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00\x06\x00{'a': ", b"PK\x03\x04"])
def test_features_that_are_no_array_are_one_sentence(tmp_path, content):
    (tmp_path / "f.npy").write_bytes(content)

    with pytest.raises(FileError, match=r"f.npy is not an array of numbers.$"):
        _array(tmp_path / "f.npy")


def test_features_are_read(tmp_path):
    np.save(tmp_path / "f.npy", np.eye(2))

    assert _array(tmp_path / "f.npy").tolist() == [[1.0, 0.0], [0.0, 1.0]]

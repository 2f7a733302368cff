"""Names of files: too long, links to nothing, with a NUL, of other kinds of files."""

import io
from pathlib import Path

import pytest

import egonet
from egonet import named, read_graph, read_graphs
from egonet.errors import FileError, InputError, MissingFileError, OutputError, UnknownNodeError

LONG = "x" * 300
CALLS = {
    "read_graph": read_graph,
    "read_graphs": read_graphs,
    "load": egonet.load,
    "a vocabulary": egonet.Vocabulary.load,
    "an embedding": egonet.Embedding.load,
    "columns of pairs": lambda path: egonet.encode_pairs(named.path(3), [(0, 1)], 1, vocabulary=path),
    "the input of a store": lambda path: egonet.store.encode(path, path.parent / "out", 1),
    "an update": lambda path: egonet.store.update(path, [(0, 1)]),
    "a verification": egonet.store.verify,
    "a store": lambda path: egonet.store.encode(named.path(3), path, 1),
    "a saved encoding": egonet.encode(named.path(3), 1).save,
    "a page": lambda path: egonet.explore(named.path(3)).write(path),
}


@pytest.mark.parametrize("name", [f"{LONG}.npz", f"{LONG}/a.npz"], ids=["file", "folder"])
@pytest.mark.parametrize("call", CALLS)
def test_a_name_that_is_too_long_is_an_error_in_one_sentence(tmp_path, call, name):
    with pytest.raises(
        egonet.EgonetError,
        match=r"(File name too long|cannot be read|no folder|does not exist|there is no file)",
    ):
        CALLS[call](tmp_path / name)


@pytest.mark.parametrize("call", ["read_graph", "load", "an embedding", "columns of pairs"])
@pytest.mark.parametrize("target", ["nothing.npz", "link.npz"], ids=["a missing file", "itself"])
def test_a_link_to_nothing_is_named_as_such(tmp_path, call, target):
    (tmp_path / "link.npz").symlink_to(tmp_path / target)

    with pytest.raises(MissingFileError, match=r"link\.npz' is a link to a file that does not exist\.$"):
        CALLS[call](tmp_path / "link.npz")


@pytest.mark.parametrize("call", ["a store", "a saved encoding", "a page"])
def test_an_output_with_a_nul_in_its_name_is_an_error(call):
    with pytest.raises(OutputError, match=r"could not be written: .*null"):
        CALLS[call](Path("a\0b.npz"))


def test_json_says_how_its_edges_become_a_table(tmp_path):
    (tmp_path / "a.json").write_text("{}")

    with pytest.raises(FileError, match=r'ending of .a\.json. is not one of .*json\.load\(file\)\["links"\]'):
        read_graph(tmp_path / "a.json")


def test_a_name_in_another_case_is_a_near_match():
    with pytest.raises(UnknownNodeError, match=r"the graph has no node 'Yoda'\. Did you mean 'YODA'\?"):
        named.path(["YODA", "LUKE", "LEIA"]).neighbors("Yoda")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("https://example.org/edges.csv", r"is an address, not a file\. Download it first\."),
        ("s3://bucket/edges.csv", "is an address, not a file"),
        ("~/edges.csv", r"For your home folder use path\.expanduser\(\)\."),
        ("", "must not be empty"),
    ],
)
def test_paths_that_other_readers_expand_have_a_way_out(path, said):
    with pytest.raises(MissingFileError, match=said):
        read_graph(path)


def test_an_open_file_is_not_taken_for_data():
    with pytest.raises(InputError, match=r"takes the path of a file, got .*StringIO.* Give its path\."):
        read_graph(io.StringIO("a,b"))


@pytest.mark.parametrize(
    ("name", "said"),
    [("edges.csv.zip", "Unpack it first"), ("edges.csv.xz", "Unpack it first"), ("edges.xlsx", "as csv")],
)
def test_packed_files_and_sheets_have_a_way_out(tmp_path, name, said):
    (tmp_path / name).write_bytes(b"x")

    with pytest.raises(FileError, match=rf"the ending of .* is not one of .*{said}"):
        read_graph(tmp_path / name)

"""Files made to harm: each is read as what it says, or refused in one sentence, in little time and memory."""

import base64
import gzip
import io
import re
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

import egonet
from egonet.errors import EgonetError, FileError
from egonet.io.read import read_graph, read_graphs
from egonet.store.stored_graph import build_graph

HEAD = b"%%MatrixMarket matrix coordinate "


def refused(path, said, error=FileError):
    with pytest.raises(error, match=f"^{re.escape(said)}") as caught:
        read_graph(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith((".", "?"))


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def stream_bytes(table, *, options=None):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"~~~~~~~~\n", "a graph has at most 2,147,483,647 nodes, got 68,719,476,735."),
        (
            b"~}~~\n",
            "a graph6 string of 258,047 nodes has 5,548,999,681 characters after its size, got 0.",
        ),
        (b"C\n", "a graph6 string of 4 nodes has 1 characters after its size, got 0."),
        (b"@~\n", "a graph6 string of 1 nodes has 0 characters after its size, got 1."),
    ],
)
def test_graph6_that_lies_about_its_size_is_refused(tmp_path, line, said):
    refused(written(tmp_path, "a.g6", line), f"a.g6, line 1: {said}")


def test_many_graphs_without_edges_are_quick(tmp_path):
    graphs = read_graphs(written(tmp_path, "a.g6", b"@\n" * 20_000 + b"D??\n"))

    assert len(graphs) == 20_001
    assert graphs[-1].degrees.tolist() == [0, 0, 0, 0, 0]


def test_a_billion_declared_entries_are_refused_before_there_is_room_for_them(tmp_path):
    content = HEAD + b"pattern general\n1000000 1000000 1000000000\n1 2\n"
    refused(
        written(tmp_path, "a.mtx", content), "a.mtx is cut short: 80 bytes cannot hold 1,000,000,000 entries."
    )


@pytest.mark.parametrize(
    ("body", "line", "shown"),
    [
        (b"real general\n3 3 2\n2 1 1.5\n3 2 1e-", 4, "'3 2 1e-'"),  # read past its end by scipy 1.17
        (b"real general\n3 3 2\n2 1 1.\xef", 3, "'2 1 1.ï'"),  # the same
        (b"real general\n3 3 2\n2 1 1.5.5\n3 2 1\n", 3, "'2 1 1.5.5'"),
        (b"real general\n3 3 2\n2 1 1\n2 3nan\n", 4, "'2 3nan'"),
        (b"real general\n3 3 1\n2 1\n", 3, "'2 1'"),
        (b"pattern symmetric\n3 3 2\n2 1\n3 1 7\n", 4, "'3 1 7'"),
        (b"complex general\n3 3 1\n2 1 1.0\n", 3, "'2 1 1.0'"),
        (b"integer general\n3 3 1\n2.0 1 1\n", 3, "'2.0 1 1'"),
    ],
)
def test_an_entry_that_is_none_is_told_with_its_line(tmp_path, body, line, shown):
    refused(written(tmp_path, "a.mtx", HEAD + body), f"a.mtx, line {line}: expected an entry, got {shown}.")


@pytest.mark.parametrize("number", [b"1", b"-1.5", b"1.", b".5", b"1e-300", b"2E5", b"-Inf", b"infinity"])
@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
def test_every_form_of_a_number_is_read(tmp_path, number):
    graph = read_graph(written(tmp_path, "a.mtx", HEAD + b"real symmetric\n2 2 1\n2 1 " + number))

    assert graph.neighbors(0) == [1]


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (
            {"u": [[1], [2]], "v": [[2], [3]]},
            "an id must be hashable and not missing, a number whole and >= 0, got [1]",
        ),
        (
            {"u": [{"a": 1}], "v": [2]},
            "an id must be hashable and not missing, a number whole and >= 0, got {'a': 1}",
        ),
        (
            {"u": [[[1]]], "v": [2]},
            "an id must be hashable and not missing, a number whole and >= 0, got [[1]]",
        ),
    ],
)
def test_nested_columns_are_refused(tmp_path, table, kind):
    pa.parquet.write_table(pa.table(table), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", f"a.parquet: {kind}")


def test_nested_columns_beside_the_ends_do_not_matter(tmp_path):
    table = pa.table({"u": [1, 2], "v": [2, 3], "x": [[1], []], "s": [{"a": 1}, {"a": 2}]})
    pa.parquet.write_table(table, tmp_path / "a.parquet")

    graph = read_graph(tmp_path / "a.parquet", source="u", target="v")

    assert (graph.num_edges, graph.info.weights_ignored) == (2, True)


def test_times_beyond_the_calendar_are_refused(tmp_path):
    days = pa.array([2**30, 5], pa.int32()).cast(pa.date32())
    pa.parquet.write_table(pa.table({"u": days, "v": days}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "a.parquet: column 'u' cannot be read: ")


def test_arrow_that_points_outside_its_own_memory_is_refused(tmp_path):
    table = pa.table({"u": ["ann", "bob"], "v": ["bob", "cid"]})
    offsets = np.array([0, 3, 6], dtype=np.int32).tobytes()
    whole = stream_bytes(table)
    assert whole.count(offsets) == 2

    damaged = whole.replace(offsets, np.array([0, 3, 10**6], dtype=np.int32).tobytes())

    refused(written(tmp_path, "a.arrow", damaged), "a.arrow is not an Arrow file that can be read: ")


def test_arrow_text_that_is_not_utf8_is_refused(tmp_path):
    whole = stream_bytes(pa.table({"u": ["ann"], "v": ["bob"]}))

    refused(
        written(tmp_path, "a.arrow", whole.replace(b"ann", b"a\xffn")),
        "a.arrow is not an Arrow file that can be read: ",
    )


def test_a_line_of_ten_megabytes_is_two_ids(tmp_path):
    graph = read_graph(written(tmp_path, "a.csv", b"a" * 10_000_000 + b",b\nb,c\n"))

    assert [len(node) for node in graph.node_ids.tolist()] == [10_000_000, 1, 1]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_marks_and_line_endings_change_nothing(tmp_path, name, mark, ending):
    content = mark + ending.join([b"source,target", b"1,2", b"2,3"])
    graph = read_graph(written(tmp_path, name, gzip.compress(content) if name.endswith("gz") else content))

    assert graph.node_ids.tolist() == [1, 2, 3]
    assert graph.num_edges == 2


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.tsv"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_are_refused(tmp_path, name, encoding):
    text = "1,2\n2,3\n" if name == "a.csv" else "1\t2\n2\t3\n"
    path = written(tmp_path, name, text.encode(encoding))

    with pytest.raises(
        FileError, match=rf"^{name}.*(is UTF-16, but text must be UTF-8|must not hold NUL bytes)"
    ):
        read_graph(path)


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.tsv"])
def test_nul_bytes_are_refused(tmp_path, name):
    delimiter = {"a.csv": b",", "a.txt": b" ", "a.tsv": b"\t"}[name]
    content = b"1" + delimiter + b"2\n2" + delimiter + b"\0\n"
    refused(written(tmp_path, name, content), f"{name}, line 2: text must not hold NUL bytes.")


def test_ids_beyond_64_bits_are_kept_by_the_reader_and_refused_by_a_store(tmp_path):
    path = written(tmp_path, "a.csv", f"\n7,1\n{2**63},{10**29}".encode())

    assert read_graph(path).node_ids.tolist() == [7, 1, 2**63, 10**29]
    said = "a.csv: whole numbers beyond 2**63 cannot be stored. Write them as names."
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        build_graph(path, tmp_path / "graph", memory=10**6)


def test_unsigned_ids_of_parquet_beyond_64_bits_are_refused_by_a_store(tmp_path):
    table = pa.table({"u": pa.array([1], pa.uint64()), "v": pa.array([2**63], pa.uint64())})
    pa.parquet.write_table(table, tmp_path / "a.parquet")

    assert read_graph(tmp_path / "a.parquet").node_ids.tolist() == [1, 2**63]
    with pytest.raises(FileError, match=r"^a.parquet: whole numbers beyond 2\*\*63 cannot be stored"):
        build_graph(tmp_path / "a.parquet", tmp_path / "graph", memory=10**6)


def test_a_fraction_after_megabytes_of_numbers_is_refused_by_a_store_too(tmp_path):
    path = written(tmp_path, "a.csv", b"1,2\n" * 10 + b"3,4.5")
    said = "a.csv, line 11: an id must be hashable and not missing, a number whole and >= 0, got '3,4.5'."

    refused(path, said)
    with pytest.raises(FileError, match=f"^{re.escape(said)}"):
        build_graph(path, tmp_path / "graph", memory=10**6)


def test_names_cut_inside_a_character_are_refused_by_a_store_too(tmp_path):
    # Side by side, in the order of their numbers, the names are sound UTF-8; each by itself is not.
    path = written(tmp_path, "a.csv", b"a\xc3,\xa4b\n")
    said = r"a.csv, line 1: text must be UTF-8, got b'a\xc3'. Save it as UTF-8."

    refused(path, said)
    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        build_graph(path, tmp_path / "graph", memory=10**6)


@pytest.mark.parametrize(
    ("header", "named"),
    [(b"src,dst,src", "src"), (b"Source,target,source", "source"), (b"u,u", "u"), (b"v,u,v,u", "u")],
)
def test_columns_with_one_name_are_refused(tmp_path, header, named):
    path = written(tmp_path, "a.csv", header + b"\n" + b",".join([b"1"] * (header.count(b",") + 1)) + b"\n")

    with pytest.raises(FileError, match=rf"^a.csv: 2 columns are named '{named}'. Rename all but one.$"):
        read_graph(path, header=True)


def test_columns_with_one_name_are_told_apart_by_position(tmp_path):
    path = written(tmp_path, "a.csv", b"u,u\n1,2\n")

    assert read_graph(path, header=True, source=0, target=1).node_ids.tolist() == [1, 2]


def test_columns_with_one_name_are_refused_in_a_table(tmp_path):
    table = pa.table([pa.array([1]), pa.array([2])], names=["u", "u"])
    refused(
        written(tmp_path, "a.arrow", stream_bytes(table)),
        "a.arrow: 2 columns are named 'u'. Rename all but one.",
    )


def member(name, content):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as packed:
        packed.writestr(name, content)
    return sink.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"\x93NUMPY\x01\x00\x06\x00{'a': ",  # the tokenizer of the standard library stumbles over it
        b"not an array",
        b"\x93NUMPY\x01\x00\x76\x00{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999,), }",
        b"",
    ],
)
def test_arrays_that_numpy_stumbles_over_are_refused(tmp_path, content):
    refused(
        written(tmp_path, "a.npz", member("edges.npy", content)),
        "a.npz is not an npz file that can be read: ",
    )
    with pytest.raises(FileError, match=r"a.npz is not an encoding that egonet saved, or is damaged\.$"):
        egonet.load(tmp_path / "a.npz")


def test_two_arrays_of_one_name_are_refused(tmp_path):
    whole = io.BytesIO()
    np.save(whole, np.array([[0, 1]]))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as packed:
        packed.writestr("edges.npy", whole.getvalue())
        packed.writestr("edges", whole.getvalue())
    refused(tmp_path / "a.npz", "a.npz is not an npz file that can be read: two arrays have one name.")


def test_characters_that_do_not_exist_are_refused(tmp_path):
    letters = np.array([[2**31, 5]], dtype=np.uint32).view("U1")
    np.savez(tmp_path / "a.npz", edges=letters)
    refused(
        tmp_path / "a.npz", "a.npz is not an npz file that can be read: an array of strings holds characters"
    )


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_places_of_a_matrix_that_are_fractions_are_refused(tmp_path, form):
    places = np.array([0.0, 1.7])
    arrays = {"indices": places, "indptr": np.array([0, 1, 2]), "row": places, "col": np.array([0, 1])}
    np.savez(tmp_path / "a.npz", format=form, shape=np.array([2, 2]), data=np.ones(2), **arrays)
    refused(tmp_path / "a.npz", "a.npz: the indices of a sparse matrix must be whole numbers, got float64.")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.gml",
            b"graph [ \x1b[31m ]",
            "a.gml is not a GML file that can be read: cannot tokenize \\x1b[31m ] at",
        ),
        (
            "a.gml",
            b"graph [ " + b"a [ " * 200_000,
            "a.gml is not a GML file that can be read: maximum recursion",
        ),
        ("a.mtx", HEAD + b"\x1b[31mreal general\n1 1 0\n", "a.mtx is not a valid Matrix Market file: Line 1"),
        ("a.graphml", b"<a>" * 100_000, "a.graphml is not a GraphML file that can be read: no element found"),
    ],
)
def test_messages_of_other_packages_are_made_printable(tmp_path, name, content, said):
    refused(written(tmp_path, name, content), said)


def test_graphml_attributes_of_no_known_type_are_ignored(tmp_path):
    content = b'<graphml><key id="k" for="node" attr.name="x"/><graph edgedefault="undirected">'
    content += b'<node id="a"/><node id="b"/>'
    content += b'<edge source="a" target="b"/></graph></graphml>'

    assert read_graph(written(tmp_path, "a.graphml", content)).node_ids.tolist() == ["a", "b"]


def test_a_matrix_whose_pointers_fall_is_refused_though_it_counts_no_entries(tmp_path):
    # scipy's own check looks no further where the last pointer is 0, and crashes later.
    file = tmp_path / "fall.npz"
    np.savez(
        file,
        format=np.array(b"csc"),
        shape=np.array([7, 7]),
        data=np.ones(8),
        indices=np.array([1, 2, 0, 1, 2, 3, 5, 6]),
        indptr=np.array([0, 0, 0, 0, 2, 0, 0, 0]),
    )

    with pytest.raises(
        EgonetError, match=r"are inconsistent: indptr falls after position 4\. Build it again"
    ):
        read_graph(file)


#: A Parquet file of one column chunk whose histogram has one number too many; asked for it, pyarrow ends the process.
FATAL_FACTS = (
    "UEFSMRUEFRQVFEwVBBUAEgAAAQAAAGEBAAAAYhUAFRIVEiwVBBUQFSYVBhw2ACgBYhgBYRERAAAAAgAAAAQBAQMEFRQVFEwV"
    "BBUAEgAAAQAAAGIBAAAAYxUAFRIVEiwVBBUQFQYVBhw2ACgBYxgBYhERAAAAAgAAAAQBAQMCFQQZPDUAGAZzY2hlbWEVBAAV"
    "DCUiGAF1ABUMJQIYAXYAFgQZHBksJgAcFQwZNQAGEBkYAXUVABYEFnwWfCY4JggcNgAoAWIYAWEREQAZLBUEFQAVAgAVABUQ"
    "FQIAPBYEGQYZJgAEAAAAJgAcFQwZNQAGEBkYAXYVABYEFnwWfCa0ASaEIBw2ACgBYxgBYhERABksFQQVABUCABUAFRAVAgA8"
    "FgQZBhkmAAQAAAAW+AEWBCYIFvgBABkcGAxBUlJPVzpzY2hlbWEY2AEvLy8vLzVnQUFBQVFBQUFBQUFBS0FBd0FCZ0FGQUFn"
    "QUNnQUFBQUFCQkFBTUFBQUFDQUFJQUFBQUJBQUlBQUFBQkFBQUFBSUFBQUE4QUFBQUJBQUFBTnovLy84QUFBRUVFQUFBQUJR"
    "QUFBQUVBQUFBQUFBQUFBRUFBQUIyQUFBQXpQLy8veEFBRkFBSUFBWUFCd0FNQUFBQUVBQVFBQUFBQUFBQkJCQUFBQUFZQUFB"
    "QUJBQUFBQUFBQUFBQkFBQUFkUUFBQUFRQUJBQUVBQUFBQUFBQUFBPT0AGCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2"
    "LjAuMRksHAAAHAAAAM8BAABQQVIx"
)


def test_a_parquet_file_with_damaged_facts_of_a_column_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(base64.b64decode(FATAL_FACTS))

    code = "import egonet, sys; egonet.read_graph(sys.argv[1])"
    ended = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.parquet"], capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert "FileError: a.parquet is not a Parquet file that can be read: " in ended.stderr


def test_a_number_longer_than_python_reads_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("u,v\n1,2\n" + "7" * 5000 + ",3\n")

    with pytest.raises(
        FileError, match=r"a\.csv has a whole number of 5,000 digits, more than an id may have"
    ):
        read_graph(tmp_path / "a.csv")

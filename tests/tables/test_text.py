"""Edge lists in text: compared with a plain reader, across chunk borders, and every fault with its line."""

import csv
import gzip
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import egonet
from contracts.text import read
from egonet import Graph, _native, as_graph, read_graph
from egonet.errors import FileError, InputError
from egonet.graph.input_options import InputOptions
from egonet.tables import text as text_module
from egonet.tables.text import TextOptions, read_text

ID_RULE = "an id must be hashable and not missing, a number whole and of 64 bits"


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def raises(path, said, error=FileError):
    with pytest.raises(error, match=f"^{re.escape(said)}") as caught:
        read_graph(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith((".", "?"))


def records_of(raw, delimiter):
    """Return the records of csv text as Python's reader cuts them, blank lines left out."""
    rows = csv.reader(io.StringIO(raw, newline=""), delimiter=delimiter, strict=True)
    return [row for row in rows if row]


plain = st.text("abcXYZ019._-é", min_size=1, max_size=6).filter(lambda name: name.lower() != "nan")
whole = st.integers(0, 2**63 - 1).map(str)
fields = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)


def same(graph, other):
    return (
        graph.node_ids.tolist() == other.node_ids.tolist()
        and graph.indptr.tolist() == other.indptr.tolist()
        and graph.indices.tolist() == other.indices.tolist()
    )


OUT = 'Fill it in, or set missing="drop" to leave such lines out; quote names.'
AS_TEXT = 'ids="text" reads all ids as text.'
FAULTS = [
    ("1 2\n" * 16 + "abc\n", "", {},
     "line 17: expected at least 2 fields, got 1: 'abc'. Give every line two node ids."),
    ("1,2\n", "", {}, "line 1: expected at least 2 fields, got 1: '1,2'. Should it be read with delimiter=\",\"?"),
    ("1;2\n", ",", {}, "line 1: expected at least 2 fields, got 1: '1;2'. Should it be read with delimiter=\";\"?"),
    ("1 2\n", ",", {}, "line 1: expected at least 2 fields, got 1: '1 2'. Should it be read with delimiter=\" \"?"),
    ("a,b\nc,d,e\n", ",", {"header": False},
     "line 2: expected 2 fields as in the first row, got 3: 'c,d,e'. Put fields that contain the delimiter in quotes."),
    ("a,b\nc\n", ",", {}, "line 2: expected at least 2 fields, got 1: 'c'. Give every line two node ids."),
    ("1 2\n3 NaN\n", "", {},
     f"line 2: {ID_RULE}, got a missing value: '3 NaN'; 1 of 2 lines have none, first in line 2. {OUT}"),
    ("ann bob\ncid nan\n", "", {"header": False},
     f"line 2: {ID_RULE}, got a missing value: 'cid nan'; 1 of 2 lines have none, first in line 2. {OUT}"),
    ("1,2\n3,\n", ",", {},
     f"line 2: {ID_RULE}, got a missing value: '3,'; 1 of 2 lines have none, first in line 2. {OUT}"),
    ("source,target\na,b\n,b\n\nNaN,c\nd,\ne,\n", ",", {},
     f"line 3: {ID_RULE}, got a missing value: ',b'; 4 of 5 lines have none, first in lines 3, 5, 6. {OUT}"),
    ("1 2\n\n3 4.5\n5 6\n", "", {}, f"line 3: {ID_RULE}, got '3 4.5'. Drop the line or write whole numbers. {AS_TEXT}"),
    ("1 2\n3 4.0\n5 x\n", "", {},
     "line 2: a number as '3 4.0' has a fraction in a file whose ids are names. "
     + AS_TEXT),
    ("1 2\n3 NA\n", "", {}, f"line 2: {ID_RULE}, got '3 NA'. Drop the line or write whole numbers."),
    ("1 2\n3 inf\n", "", {}, f"line 2: {ID_RULE}, got '3 inf'. Drop the line or write whole numbers."),
    ("1 2\n3 1e400\n", "", {}, f"line 2: {ID_RULE}, got '3 1e400'. Drop the line or write whole numbers."),
    ('a,b\n"c,d\n', ",", {}, "line 2: a quote is opened and never closed: '\"c,d'. Close it."),
    ('a,b\n"c"x,d\n', ",", {}, "line 2: text follows a closing quote: '\"c\"x,d'. Write a quote inside quotes twice."),
    ("a,b\n#c,d\n", ",", {},
     "line 2: '#c,d' may be a comment or an edge. Set comment=\"#\" to skip such lines, comment=\"\" to read them."),
    ("a b\nc d\0\n", "", {"header": False}, "line 2: text must not hold NUL bytes. Is this a text file in UTF-8?"),
    (b"a b\nc \xff\n", "", {"header": False}, "line 2: text must be UTF-8, got b'\\xff'. Save it as UTF-8."),
]  # fmt: skip


def test_names_are_not_rows():
    with pytest.raises(FileError, match=r"^edges\.txt: "):
        read_text(io.BytesIO(b"a b\nb c\n"), "edges.txt", InputOptions(num_nodes=3), TextOptions(""))
    assert read("0 1\n", num_nodes=3).num_nodes == 3


def test_an_empty_file_and_an_empty_array_are_graphs_without_nodes():
    assert read_text(io.BytesIO(b""), "a.csv", InputOptions(), TextOptions(",")).num_nodes == 0
    assert as_graph(np.array([])).num_nodes == 0
    with pytest.raises(InputError, match=r"got shape \(1,\)"):
        as_graph(np.array([1]))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "a,b\nc\n",
            "edges.csv, line 2: expected at least 2 fields, got 1: 'c'. Give every line two node ids.",
        ),
        (
            "1,2\n3,NaN\n",
            f"edges.csv, line 2: {ID_RULE}, got a missing value: '3,NaN'; 1 of 2 lines have none, first in line 2. "
            f"{OUT}",
        ),
        (
            "1,2\n3,4.5\n",
            f"edges.csv, line 2: {ID_RULE}, got '3,4.5'. Drop the line or write whole numbers. {AS_TEXT}",
        ),
    ],
)
def test_a_bad_line_is_reported_with_file_and_line(tmp_path, content, said):
    (tmp_path / "edges.csv").write_text(content)

    with pytest.raises(FileError, match=f"^{re.escape(said)}$"):
        egonet.read_graph(tmp_path / "edges.csv")


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
def test_other_encodings_raise(tmp_path, name, encoding):
    text = "1,2\n2,3\n" if name == "a.csv" else "1\t2\n2\t3\n"
    path = written(tmp_path, name, text.encode(encoding))

    with pytest.raises(
        FileError, match=rf"^{name}.*(is UTF-(16|32), but text must be UTF-8|must not hold NUL bytes)"
    ):
        read_graph(path)


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.tsv"])
def test_nul_bytes_raise(tmp_path, name):
    delimiter = {"a.csv": b",", "a.txt": b" ", "a.tsv": b"\t"}[name]
    content = b"1" + delimiter + b"2\n2" + delimiter + b"\0\n"
    raises(written(tmp_path, name, content), f"{name}, line 2: text must not hold NUL bytes.")


def test_a_number_longer_than_python_reads_raises(tmp_path):
    (tmp_path / "a.csv").write_text("u,v\n1,2\n" + "7" * 5000 + ",3\n")

    with pytest.raises(
        FileError, match=r"a\.csv has a whole number of 5,000 digits, more than an id may have"
    ):
        read_graph(tmp_path / "a.csv")


@given(st.lists(st.lists(fields, min_size=2, max_size=4), max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_quoted_fields_are_cut_as_the_csv_module_cuts_them(rows, line_break):
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator=line_break).writerows(rows)

    records, fault = _native.first_records(out.getvalue().encode(), 100, True, ",", "", "")

    assert fault[0] == ""
    assert records == rows
    assert records_of(out.getvalue(), ",") == rows


@given(
    st.lists(st.tuples(plain, plain), min_size=1, max_size=20),
    st.integers(1, 9),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_names_are_read_for_every_size_of_chunks(pairs, size, line_break):
    pairs = [("x", "y"), *pairs]  # a file with a name: all ids are strings
    raw = line_break.join(f"{a} {b}" for a, b in pairs).encode()
    parser = _native.EdgeText(delimiter="", comment="", doubtful="", source=0, target=1, num_fields=0, skip=0)
    for start in range(0, len(raw), size):
        assert parser.feed(raw[start : start + size], False)
    assert parser.feed(b"", True)

    names, codes = parser.names(), parser.take_codes().tolist()
    assert [names[code] for code in codes] == [name for pair in pairs for name in pair]


@given(st.lists(st.tuples(whole, whole), max_size=20), st.integers(1, 9), st.sampled_from(["\n", "\r\n"]))
def test_numbers_are_read_for_every_size_of_chunks(pairs, size, line_break):
    raw = "".join(f"{a},{b}{line_break}" for a, b in pairs).encode()
    parser = _native.EdgeText(
        delimiter=",", comment="", doubtful="", source=0, target=1, num_fields=2, skip=0
    )
    for start in range(0, len(raw), size):
        assert parser.feed(raw[start : start + size], False)
    assert parser.feed(b"", True)

    assert parser.is_whole
    assert parser.take_values().tolist() == [int(end) for pair in pairs for end in pair]
    assert parser.num_lines == len(pairs)


@given(st.lists(st.tuples(whole | plain, whole | plain), max_size=20))
def test_a_file_is_the_list_of_its_pairs(pairs):
    raw = "".join(f'"{a}","{b}"\n' for a, b in pairs)
    digits = all(re.fullmatch("0|-?[1-9][0-9]*", end) for pair in pairs for end in pair)
    expected = [tuple(map(int, pair)) for pair in pairs] if digits else pairs

    assert same(read(raw, ",", header=False), Graph.from_edges(expected))


def test_snap_text_is_read():
    graph = read("# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n\n2\t0\n% end\n")

    assert graph.node_ids.tolist() == [0, 1, 2]
    assert graph.num_edges == 3
    assert str(graph.info) == "nothing changed"


def test_loops_and_repeats_are_counted_and_weights_noted():
    graph = read("1 2 0.5\n2 1 0.5\n3 3 1\n", source=0, target=1)

    assert graph.node_ids.tolist() == [1, 2, 3]
    assert str(graph.info) == "1 self-loop dropped, 1 repeated edge merged, edge weights ignored"


def test_a_remark_after_the_ids_is_not_a_weight():
    assert read("1 2 # friends\n").info.weights_ignored is False


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbf1 2\n2 3",
        b"1 2\r\n2 3\r\n",
        b"1 2\r2 3\r",
        b"  1   2  \n\t2\t3\t\n",
        b"\n\n1 2\n \n2 3\n\n",
    ],
)
def test_marks_breaks_and_blanks_do_not_matter(raw):
    assert read(raw).node_ids.tolist() == [1, 2, 3]


def test_one_name_makes_all_ids_strings():
    assert read("1 2\n2 x\n").node_ids.tolist() == ["1", "2", "x"]


def test_leading_zeros_are_kept():
    assert read("007 7\n").node_ids.tolist() == ["007", "7"]


def test_numbers_of_64_bits_stay_numbers():
    assert read(f"1 {2**64 - 1}\n").node_ids.tolist() == [1, 2**64 - 1]
    assert read(f"-1 {-(2**63)}\n").node_ids.tolist() == [-1, -(2**63)]
    with pytest.raises(FileError, match=rf"of 64 bits, got {2**80}\. Write it as a name"):
        read(f"1 {2**80}\n")


def test_whole_floats_of_a_column_with_gaps_are_whole_numbers():
    assert read("101159.0,7\n7,9.0\n9,101159\n", ",").edges().tolist() == [[101159, 7], [101159, 9], [7, 9]]
    assert read(f"5.0,{2**63}\n5,7\n", ",").node_ids.tolist() == [5, 2**63, 7]


def test_minus_zero_is_not_zero():
    assert read("a -0\nb 0\n").node_ids.tolist() == ["a", "-0", "b", "0"]


def test_numbers_among_names_are_names():
    assert read("a 1.5\nb -1\nc NA\n").node_ids.tolist() == ["a", "1.5", "b", "-1", "c", "NA"]


def test_a_field_may_hold_delimiters_quotes_and_breaks():
    graph = read('"a,b","say ""hi"""\n"x\ny",c\n', ",", header=False)

    assert graph.node_ids.tolist() == ["a,b", 'say "hi"', "x\ny", "c"]


@pytest.mark.parametrize("content", ["1.5 2\n2 1.50\n", "2.0 x\n1 1.5\n"])
def test_numbers_with_a_fraction_are_ids_if_all_ids_are_text(content):
    """The message that refuses them names this way out."""
    with pytest.raises(FileError, match=r'ids="text" reads all ids as text'):
        read(content)

    assert set(read(content, ids="text").node_ids.tolist()) == set(content.split())


def test_nan_with_one_capital_is_a_name_among_names_and_an_error_among_numbers():
    assert read("Arya,Nan\n", ",").node_ids.tolist() == ["Arya", "Nan"]
    with pytest.raises(FileError, match="Nan"):
        read("1,2\n3,Nan\n", ",")


def test_bipartite_konect_files_are_an_error_since_both_sides_count_from_1():
    with pytest.raises(FileError, match="is a bipartite graph of KONECT, in which both sides count from 1"):
        read("% bip unweighted\n% 2 2 2\n1 1\n1 2\n", "")
    assert len(read("% sym unweighted\n% 2 3 3\n1 2\n2 3\n", "")) == 3


def test_quotes_make_nan_a_name():
    assert read('"nan",x\n', ",").node_ids.tolist() == ["nan", "x"]


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
def test_no_edges_are_an_empty_graph(content):
    graph = read(content)

    assert (graph.num_nodes, graph.num_edges) == (0, 0)


def test_isolated_nodes_come_from_nodes_or_num_nodes():
    assert read("1 2\n", num_nodes=4).num_nodes == 4
    assert read("1 2\n", nodes=[3, 2]).node_ids.tolist() == [3, 2, 1]
    assert read("a b\n", nodes=["z", "b"]).node_ids.tolist() == ["z", "b", "a"]


def test_arcs_are_followed_if_directed_is_given():
    assert read("a b\nb c\n", directed="out").neighbors("b") == ["c"]
    assert read("a b\nb c\n", directed="in").neighbors("b") == ["a"]


@pytest.mark.parametrize(("content", "delimiter", "options", "said"), FAULTS)
def test_a_fault_is_reported_with_its_line(content, delimiter, options, said):
    with pytest.raises(FileError, match=f"^{re.escape('edges, ' + said)}$"):
        read(content, delimiter, **options)


def test_lines_are_counted_through_quoted_breaks():
    with pytest.raises(FileError, match=r"^edges, line 4: expected at least 2 fields"):
        read('"a\nb\r\nc",d\ne\n', ",")


def test_utf16_raises():
    with pytest.raises(FileError, match=r"^edges is UTF-16, but text must be UTF-8. Save it as UTF-8.$"):
        read("1 2\n".encode("utf-16"))


def test_comments_in_csv_are_skipped_if_directed_is_given():
    assert read("# made by hand\na,b\n", ",", comment="#").node_ids.tolist() == ["a", "b"]
    assert read("#a,#b\n", ",", comment="").node_ids.tolist() == ["#a", "#b"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"delimiter": "ab"}, "delimiter must be one character other than a quote, got 'ab'."),
        ({"delimiter": '"'}, "delimiter must be one character other than a quote, got '\"'."),
        (
            {"source": "a", "target": "b", "header": False},
            "the ends are names of columns, so there is a header.",
        ),
        ({"source": 0}, "give both source= and target=, or neither."),
        ({"source": 1, "target": 1}, "the two ends must be two columns, got source=1 and target=1."),
        ({"header": "yes"}, "header must be True, False or None, got 'yes'."),
        ({"comment": 3}, "delimiter and comment must be text, got 3."),
        ({"delimiter": 3}, "delimiter and comment must be text, got 3."),
        ({"source": -1, "target": 0}, "counted from 0, got source=-1."),
    ],
)
def test_invalid_options_raise(options, said):
    with pytest.raises(InputError, match=re.escape(said)):
        read("1 2\n", **{"delimiter": ""} | options)


def test_a_node_outside_num_nodes_is_reported_with_the_file():
    with pytest.raises(
        FileError, match=re.escape("edges: edge (1, 5) points at node 5, but the graph has 3")
    ):
        read("0 1\n1 5\n", num_nodes=3)


def test_a_line_without_end_raises(monkeypatch):
    parser = _native.EdgeText(delimiter="", comment="", doubtful="", source=0, target=1, num_fields=0, skip=0)
    chunk = b"x" * (1 << 24)
    fed = [parser.feed(chunk, False) for _ in range(5)]

    assert fed == [True, True, True, True, False]
    assert parser.fault[:2] == ("long_line", 1)


def test_a_long_file_is_read_in_chunks(monkeypatch):
    monkeypatch.setattr(text_module, "CHUNK", 7)
    content = "# a comment longer than a chunk\n" + "".join(f"{v} {v + 1}\n" for v in range(50))

    assert same(read(content), Graph.from_edges([(v, v + 1) for v in range(50)]))

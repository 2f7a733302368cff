"""Text as spreadsheets, databases and downloads leave it: no line of it may become an edge by mistake."""

import io

import numpy as np
import pytest

import egonet
from contracts.text import read
from egonet import read_graph
from egonet.errors import FileError
from egonet.tables import text as edgelist


def written(folder, content, name="edges.csv"):
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("line", [b"sep=;", b'"sep=;"', b"sep=,", b"sep=\t", b"sep=;;"])
@pytest.mark.parametrize("options", [{}, {"header": True}, {"header": True, "delimiter": ";"}])
def test_the_line_for_the_delimiter_in_excel_is_an_error(tmp_path, line, options):
    path = written(tmp_path, line + b"\r\nsource;target\r\nann;bob\r\n")

    with pytest.raises(FileError, match=r"begins with Excel's line for the delimiter\. Drop it"):
        read_graph(path, **options)


def test_a_first_edge_with_sep_in_its_name_is_read():
    assert read("sep=;,b\nb,c\n", ",", header=False).node_ids.tolist() == ["sep=;", "b", "c"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "pointer of Git LFS"),
        (b"<!DOCTYPE html>\n<html lang>\n", "is a web page"),
        (b"\n<HTML> <head>\n<title> sorry</title>\n", "is a web page"),
        (b"\xef\xbb\xbf\xef\xbb\xbfsource target\nann bob\n", "two byte order marks"),
        ("a b\n".encode("utf-16"), "is UTF-16, but"),
        ("a b\n".encode("utf-32"), "is UTF-32, but"),
    ],
)
def test_what_is_no_list_of_edges_is_an_error_even_with_two_fields_per_line(tmp_path, content, said):
    with pytest.raises(FileError, match=said):
        read_graph(written(tmp_path, content, "edges.txt"))


@pytest.mark.parametrize("header", [None, True])
@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_repeated_header_of_joined_files_is_an_error(tmp_path, header, rows):
    text = "source,target\n" + "1,2\n" * rows + "source,target\n3,4\n"
    path = written(tmp_path, text.encode())

    with pytest.raises(FileError, match=r"header is repeated|may name columns or be data") as caught:
        read_graph(path, header=header)
    if header or rows > edgelist.SAMPLE:
        assert f"line {rows + 2}: the header is repeated: 'source,target'. Drop the line" in str(caught.value)


def test_a_repeated_header_is_found_in_a_store_and_with_columns_by_name(tmp_path):
    path = written(tmp_path, b"w,from,to\n" + b"1,a,b\n" * 20_000 + b"w,from,to\n")

    with pytest.raises(FileError, match=r"line 20002: the header is repeated"):
        read_graph(path, source="from", target="to")
    with pytest.raises(FileError, match=r"line 20002: the header is repeated"):
        egonet.store.encode(path, tmp_path / "out", 1, source="from", target="to")


def test_the_names_of_a_header_are_ids_in_quotes_in_other_columns_and_apart():
    graph = read('source,target\n"source","target"\n', ",", header=True)
    assert graph.num_edges == 1

    graph = read("source,target\ntarget,source\nsource,b\n", ",", header=True)
    assert graph.node_ids.tolist() == ["target", "source", "b"]


@pytest.mark.parametrize("word", ["NULL", "None", "\\N", "<NA>", "N/A", "nan", "NaN"])
def test_what_programs_write_for_a_missing_value_is_an_error_among_names(word):
    with pytest.raises(FileError, match=r"line 2: .*got a missing value: .*quote names"):
        read(f"ann,bob\ncid,{word}\n", ",", header=False)

    assert word in read(f'ann,bob\ncid,"{word}"\n', ",", header=False).node_ids.tolist()


@pytest.mark.parametrize("word", ["NA", "null", "none", "Null", "Nan", "nanna", "None1"])
def test_words_that_are_names_stay_names(word):
    assert read(f"ann,bob\nbob,{word}\n", ",", header=False).node_ids.tolist() == ["ann", "bob", word]


def test_kept_columns_that_are_no_utf8_are_an_error_since_two_of_them_would_become_one(tmp_path):
    content = "source,target,city\na,b,Köln\nb,c,Kåln\n".encode("cp1252")
    path = written(tmp_path, content)

    assert read_graph(path, source="source", target="target").num_edges == 2
    with pytest.raises(FileError, match=r"edges\.csv, line 2: text must be UTF-8\. Save it as UTF-8\."):
        read_graph(path, source="source", target="target", keep="city")


def test_a_replacement_character_that_is_in_the_file_is_kept(tmp_path):
    path = written(tmp_path, "source,target,city\na,b,K\ufffdln\n".encode())

    graph = read_graph(path, source="source", target="target", keep="city")
    assert graph.edge_table.column("city").tolist() == ["K\ufffdln"]


@pytest.mark.parametrize("codes", [("01", "1"), ("1_0", "10"), ("\u0663", "3"), ("1", "10"), ("-0.5", "1e3")])
def test_columns_of_text_stay_text_whatever_their_fields(tmp_path, codes):
    text = f"source,target,code\na,b,{codes[0]}\nb,c,{codes[1]}\n"
    path = written(tmp_path, text.encode())

    graph = read_graph(path, source="source", target="target", keep="code")
    assert graph.edge_table.column("code").tolist() == list(codes)


def test_positions_of_columns_may_be_numbers_of_numpy():
    graph = read("7,a,b\n7,b,c\n", ",", source=np.int64(1), target=np.int32(2))

    assert graph.node_ids.tolist() == ["a", "b", "c"]


def test_comments_before_the_first_edge_are_read_a_constant_number_of_times(monkeypatch):
    seen = []
    whole = edgelist.first_rows
    monkeypatch.setattr(edgelist, "CHUNK", 1 << 10)
    monkeypatch.setattr(
        edgelist,
        "first_rows",
        lambda head, *rest, **more: seen.append(len(head)) or whole(head, *rest, **more),
    )
    text = b"#\n" * (1 << 17) + b"1 2\n2 3\n"

    chunks = edgelist.plain_chunks(io.BytesIO(text), "edges.txt")
    head, layout = edgelist.look_ahead(chunks, "edges.txt", (None, None), edgelist.TextOptions(delimiter=""))

    assert layout.skip == 0
    assert len(head) <= len(text)
    assert sum(seen) < 4 * len(text)

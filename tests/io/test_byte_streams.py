"""Graphs from pipes: the first line gives the format, a warning says which, and nothing ambiguous is guessed."""

import io
import os
import threading
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from egonet import named, read_graph, read_graphs
from egonet.errors import FileError, IgnoredInputWarning
from egonet.io.byte_streams import fill, sniff


@pytest.fixture
def pipe(tmp_path):
    """Return a function that writes bytes into a named pipe in parts, and returns its path."""
    threads = []

    def make(*parts):
        path = tmp_path / f"pipe{len(threads)}"
        os.mkfifo(path)

        def write():
            with open(path, "wb", buffering=0) as stream:
                for part in parts:
                    stream.write(part)

        threads.append(threading.Thread(target=write))
        threads[-1].start()
        return path

    yield make
    for thread in threads:
        thread.join(timeout=10)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"source,target\na,b\nb,c\n", "csv"),
        (b"\xef\xbb\xbfsource,target\na,b\nb,c\n", "csv"),
        (b"a\tb\nb\tc\n", "tsv"),
        (b"# from a crawl\n\na b\nb c\n", "text"),
        (b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", "mtx"),
        (b">>graph6<<Bg\n", "graph6"),
        (
            b"graph [\n node [ id 0 ]\n node [ id 1 ]\n node [ id 2 ]\n"
            b" edge [ source 0 target 1 ]\n edge [ source 1 target 2 ]\n]\n",
            "gml",
        ),
    ],
    ids=["csv", "mark", "tsv", "text", "mtx", "graph6", "gml"],
)
def test_the_first_line_of_a_pipe_gives_its_format(pipe, content, kind):
    """The content comes in two parts, the first of which ends within a line."""
    with pytest.warns(IgnoredInputWarning, match=f"is read as {kind}, by its first line"):
        graph = read_graph(pipe(content[:3], content[3:]))

    assert (graph.num_nodes, graph.num_edges) == (3, 2)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "npz"])
@pytest.mark.parametrize("named_format", [False, True])
def test_binary_files_come_through_a_pipe(pipe, tmp_path, kind, named_format):
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    if kind == "parquet":
        frame.to_parquet(tmp_path / "file")
    elif kind == "arrow":
        frame.to_feather(tmp_path / "file", compression="uncompressed")
    else:
        scipy.sparse.save_npz(tmp_path / "graph.npz", named.path(range(3)).to_scipy())
        (tmp_path / "graph.npz").rename(tmp_path / "file")
    path = pipe((tmp_path / "file").read_bytes())

    if named_format:
        graph = read_graph(path, format=kind)
    else:
        with pytest.warns(IgnoredInputWarning, match=f"is read as {kind}"):
            graph = read_graph(path)

    assert graph.node_ids.tolist() == ([0, 1, 2] if kind == "npz" else ["a", "b", "c"])


def test_several_graphs_come_through_a_pipe(pipe):
    with pytest.warns(IgnoredInputWarning, match="is read as graph6"):
        graphs = read_graphs(pipe(b">>graph6<<A_\nBw\n"))

    assert [graph.num_nodes for graph in graphs] == [2, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\tc\n", "has both tabs and commas: which format is it"),
        (b"Bw\n", "the first line of stdin, 'Bw', has no tab, comma or blank"),
        (b"a\0b c\n", "holds NUL bytes"),
        (b"\x1f\x8b\x08\x00", "is packed by gzip. Unpack it first: zcat"),
    ],
)
def test_what_could_be_two_formats_is_an_error(content, message):
    with pytest.raises(FileError, match=message):
        sniff(io.BytesIO(content), "stdin")


def test_a_buffer_is_filled_with_as_many_bytes_as_fit_and_a_nul():
    buffer = np.full(5, 9, dtype=np.uint8)

    assert fill(io.BytesIO(b"abcdefg"), buffer).tobytes() == b"abcd\0"
    assert fill(io.BytesIO(b"ab"), buffer).tobytes() == b"ab\0"


def test_a_megabyte_of_comments_before_the_first_line_of_a_pipe_is_copied_once():
    text = b"#\n" * (1 << 18) + b"1 2\n"
    began = time.process_time()

    with pytest.warns(UserWarning, match="is read as text"):
        stream, kind = sniff(io.BytesIO(text), "stdin")

    assert kind == "text"
    assert stream.read() == text
    assert time.process_time() - began < 5  # a copy per line would be 68 GB

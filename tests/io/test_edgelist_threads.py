"""Several threads read a text as one does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet import _native, read_graph
from egonet.errors import FileError
from egonet.tables import text as text_module


def write(folder, content):
    (folder / "edges.csv").write_bytes(content)
    return folder / "edges.csv"


def state_of(raw, layout, size, **threads):
    """Return everything a parser says about a text that it is fed in chunks."""
    parser = _native.EdgeText(**{"delimiter": "", "comment": "#", "doubtful": "", "num_fields": 0, **layout})
    for start in range(0, len(raw), size):
        if not parser.feed(raw[start : start + size], False, **threads):
            break
    parser.feed(b"", True, **threads)
    names = ("fault", "num_lines", "is_whole", "is_numeric", "has_extra", "num_trimmed", "trimmed_line")
    values = parser.take_values(**{k: v for k, v in threads.items() if k == "threads"}).tolist()
    return [getattr(parser, name) for name in names], values, parser.take_codes().tolist(), parser.names()


lines = st.sampled_from(
    ["1 2", "17 4", "a b", "1 b", "", "# note", "7 8 0.5", '"x y" z', '"1" 2', '"a\nb" c', '"p""q" r', "1 2\r",
     "99999999999999999999 1", "-1 2", "nan 1", '"open 1', "007 1", "é ü", " 3 4 "]
)  # fmt: skip


@given(
    st.lists(lines, max_size=40),
    st.integers(0, 30),
    st.integers(1, 200),
    st.integers(2, 5),
    st.integers(1, 30),
    st.sampled_from(["", ","]),
)
def test_several_threads_read_what_one_reads(rows, plain_rows, size, threads, least_part, delimiter):
    text = "\n".join(["1 2"] * plain_rows + rows).replace(" ", delimiter or " ")
    layout = {"source": 0, "target": 1, "skip": plain_rows % 2, "delimiter": delimiter}

    together = state_of(text.encode(), layout, size, threads=threads, least_part=least_part)

    assert together == state_of(text.encode(), layout, size)


@pytest.mark.parametrize("num_rows", [5, 7, 30, 200])
def test_names_with_quotes_inside_stay_the_same_with_several_threads(num_rows):
    layout = {"source": 0, "target": 1, "skip": 0, "delimiter": ","}
    text = b'"p""q",r\n' * num_rows + b"a,b\n"

    for threads in (2, 3, 4):
        *_, names = state_of(text, layout, 1000, threads=threads, least_part=8)
        assert names == ['p"q', "r", "a", "b"]


@pytest.mark.parametrize("prefix", ["", "user"])
def test_a_large_file_read_by_several_threads_has_the_same_ids_and_rows(tmp_path, monkeypatch, prefix):
    ends = np.random.default_rng(0).integers(0, 50_000, (200_000, 2)).tolist()
    content = "\n".join(f"{prefix}{u},{prefix}{v}" for u, v in ends).encode()
    path = write(tmp_path, b"source,target\n" + content)
    monkeypatch.setattr(text_module, "CHUNK", 1 << 19)

    monkeypatch.setenv("EGONET_THREADS", "1")
    alone = read_graph(path)
    monkeypatch.setenv("EGONET_THREADS", "5")
    together = read_graph(path)

    assert alone.num_edges > 190_000
    for name in ("node_ids", "indptr", "indices"):
        assert getattr(alone, name).tolist() == getattr(together, name).tolist(), name
    assert alone.info == together.info


def test_a_fault_far_into_a_large_file_is_found_by_several_threads(tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_THREADS", "4")
    path = write(tmp_path, b"1,2\n" * 700_000 + b"3,\n" + b"1,2\n" * 100_000)

    with pytest.raises(
        FileError,
        match=r"^edges\.csv, line 700001: an id must be .*, got a missing value: '3,'; 1 of 800,001 lines",
    ):
        read_graph(path)

"""Edge tables: which columns are read, and which values are ids."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet import Graph, _native, as_graph
from egonet.errors import IgnoredInputWarning, InputError
from egonet.graph.input_options import choose_columns


def test_a_pair_of_columns_needs_both_of_its_names():
    with pytest.raises(InputError, match="which two columns have the node ids"):
        choose_columns(["src", "to", "weight"], None, None)
    assert choose_columns(["src", "dst", "to"], None, None) == ("src", "dst")


def test_twenty_columns_are_listed_and_more_are_cut():
    with pytest.raises(InputError, match=r"'c18', 'c19'\.$"):
        choose_columns([f"c{number}" for number in range(20)], None, None)
    with pytest.raises(InputError, match=r"'c18', 'c19', \.\.\.\.$"):
        choose_columns([f"c{number}" for number in range(21)], None, None)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_two_columns_with_unknown_names_are_read_only_if_they_are_chosen(make):
    table = make({"node": [1, 2], "label": [5, 6]})

    said = "which two columns have the node ids? Set source= and target=; the columns are 'node', 'label'."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        as_graph(table)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    "names", [("id_1", "id_2"), ("id1", "id2"), ("Node_1", "Node_2"), ("node1", "node2")]
)
def test_numbered_names_are_the_ends_unless_other_names_are_known(make, names):
    first, second = names

    assert as_graph(make({second: [2, 3], first: [9, 9]})).node_ids.tolist() == [9, 2, 3]
    both = make({first: [1], second: [2], "source": [7], "target": [8]})
    with pytest.warns(IgnoredInputWarning, match="Columns other than the two ends"):
        assert as_graph(both).node_ids.tolist() == [7, 8]


def test_two_columns_without_names_are_the_ends():
    assert as_graph(pd.DataFrame([["a", "b"], ["b", "c"]])).num_edges == 2


def test_arrow_batches_are_tables():
    batch = pa.record_batch({"source": ["a", "b"], "target": ["b", "c"]})
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch, batch])

    assert as_graph(batch).node_ids.tolist() == ["a", "b", "c"]
    assert as_graph(reader).info.duplicates_merged == 2
    again = pa.RecordBatchReader.from_batches(batch.schema, [batch])
    assert egonet.encode(again, 1)["b"] == {(0, 2): 1, (1, 1): 2}


@pytest.mark.parametrize(
    "make",
    [
        lambda ends: pd.DataFrame({"u": pd.Categorical(ends[0]), "v": ends[1]}),
        lambda ends: pa.table({"u": pa.array(ends[0]).dictionary_encode(), "v": ends[1]}),
        lambda ends: pl.DataFrame({"u": ends[0], "v": ends[1]}),
    ],
)
def test_categories_of_whole_numbers_are_whole_numbers(make):
    assert as_graph(make([[1, 2], [2, 3]])).node_ids.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("make", "way_out"),
    [
        (pd.DataFrame, "in pandas to text, table.astype({'u': str, 'v': str}), or"),
        (pa.table, "in pandas to text, table.astype({'u': str, 'v': str}), or"),
        (pl.DataFrame, "to text, table.cast({'u': polars.String, 'v': polars.String}), or"),
    ],
)
def test_a_number_and_its_text_in_one_table_are_an_error(make, way_out):
    table = make({"u": [1, 2], "v": ["2", "x"]})

    said = (
        "the table has 2 as a number and '2' as text, which would be two nodes. "
        'Make all ids text with ids="text", or convert both columns'
    )
    with pytest.raises(InputError, match=f"^{re.escape(said)} {re.escape(way_out)}"):
        as_graph(table)
    assert as_graph(make({"u": [1, 2], "v": ["3", "x"]})).node_ids.tolist() == [1, "3", 2, "x"]


def test_the_conversions_in_the_error_about_numbers_and_text_work():
    frame, other = pd.DataFrame({"u": [1, 2], "v": ["2", "3"]}), pl.DataFrame({"u": [1, 2], "v": ["2", "3"]})

    assert as_graph(frame.astype({"u": str, "v": str})).node_ids.tolist() == ["1", "2", "3"]
    assert as_graph(frame.astype({"u": int, "v": int})).node_ids.tolist() == [1, 2, 3]
    assert as_graph(other.cast({"u": pl.String, "v": pl.String})).node_ids.tolist() == ["1", "2", "3"]
    assert as_graph(other.cast({"u": pl.Int64, "v": pl.Int64})).node_ids.tolist() == [1, 2, 3]


def test_a_number_and_its_text_in_one_column_or_in_nodes_are_an_error():
    column = pd.DataFrame(
        {"u": pd.Series([1, np.int64(2), "1", "2"], dtype=object), "v": ["a", "b", "c", "d"]}
    )
    with pytest.raises(InputError, match=r"has 1 as a number and '1' as text, and 1 more such ids, which"):
        as_graph(column)
    with pytest.raises(InputError, match=r"^nodes= and the edges have 1 as a number .* Make all ids text"):
        as_graph(pd.DataFrame({"u": ["1"], "v": ["2"]}), nodes=[1, 2])


def random_names(seed):
    rng = np.random.default_rng(seed)
    return [f"Zoë {number}" if number % 7 else f"n{number}" for number in rng.integers(0, 4_000, 20_000)]


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize(
    "make",
    [
        lambda ends: pd.DataFrame({"u": ends[0], "v": ends[1]}),
        lambda ends: pd.DataFrame({"u": ends[0], "v": ends[1]}, dtype=object),
        lambda ends: pd.DataFrame({"u": pd.Categorical(ends[0]), "v": ends[1]}),
        lambda ends: pl.DataFrame({"u": ends[0], "v": ends[1]}),
        lambda ends: pa.table(
            {
                "u": pa.chunked_array([ends[0][:9_000], ends[0][9_000:]]),
                "v": pa.array(ends[1], pa.large_string()),
            }
        ),
        lambda ends: pa.table({"u": pa.array(["x", *ends[0]]).slice(1), "v": ends[1]}),
    ],
    ids=["pandas", "objects", "categories", "polars", "chunks", "slice"],
)
def test_several_threads_number_columns_of_names_as_pairs(monkeypatch, make, threads):
    monkeypatch.setenv("EGONET_THREADS", threads)
    ends = random_names(1), random_names(2)
    expected = Graph.from_edges(list(zip(*ends, strict=True)))

    graph = as_graph(make(ends))

    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert graph.indptr.tolist() == expected.indptr.tolist()
    assert graph.indices.tolist() == expected.indices.tolist()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_of_one_table_that_differ_in_length_or_are_empty(make):
    long = "x" * 3_000_000
    assert as_graph(make({"u": ["a", long], "v": [long, "b"]})).node_ids.tolist() == ["a", long, "b"]
    with pytest.raises(InputError, match=r"got '' in row 1 of column 'v' \(counted from 0\)"):
        as_graph(make({"u": ["a", "b"], "v": ["b", ""]}))
    assert as_graph(pa.table({"u": pa.array([], pa.string()), "v": pa.array([], pa.string())})).num_nodes == 0


@pytest.mark.parametrize("offsets", [[0, 5], [2, 1], [-1, 1], [0, -1], []])
def test_strings_outside_their_bytes_are_refused(offsets):
    strings = np.array([0, 1]), np.frombuffer(b"a", dtype=np.uint8)
    with pytest.raises(ValueError, match="the arrays do not fit together"):
        _native.Names().number_pairs(np.array(offsets, dtype=np.int64), strings[1], *strings)


def test_odd_columns_of_pandas_raise_one_sentence():
    twice = pd.DataFrame([["a", "b", "c"]], columns=["u", "v", "u"])
    with pytest.raises(InputError, match=r"^2 columns are named 'u'. Rename all but one.$"):
        as_graph(twice)
    levels = pd.DataFrame([["a", "b"]], columns=pd.MultiIndex.from_tuples([("x", "u"), ("x", "v")]))
    with pytest.raises(InputError, match=r"^a table must have one row of column names, got 2 levels."):
        as_graph(levels)


def test_two_unnamed_columns_of_two_rows_may_be_a_matrix():
    table = pd.DataFrame([[0, 1], [1, 0]])

    with pytest.raises(
        InputError, match=r"^a table of two rows and two columns without names may be two edges"
    ):
        as_graph(table)
    assert as_graph(table, source=0, target=1).num_edges == 1


def test_adjacency_matrix_with_names_is_not_a_table_of_edges():
    matrix = pd.DataFrame([[0, 1, 0], [1, 0, 1], [0, 1, 0]], index=list("abc"), columns=list("abc"))

    with pytest.raises(InputError, match=r"like an adjacency matrix\. Give networkx\.from_pandas_adjacency"):
        as_graph(matrix)

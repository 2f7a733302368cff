"""Edge tables: which columns are read, and which values are ids."""

import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet import as_graph
from egonet.errors import InputError
from egonet.graph.input_options import choose_columns


def test_a_pair_of_columns_needs_both_of_its_names():
    with pytest.raises(InputError, match="which columns hold the edges"):
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

    said = "which columns hold the edges? Set source= and target=; the columns are 'node', 'label'."
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        as_graph(table)


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

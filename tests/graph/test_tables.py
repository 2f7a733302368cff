"""Tables and ids at the entry: which columns are read, and the one rule for ids."""

import re
from datetime import date
from decimal import Decimal

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet.errors import InputError
from egonet.graph.convert import as_graph

RULE = "an id must be hashable and not missing, a number whole and >= 0"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_two_columns_with_unknown_names_are_read_only_if_they_are_chosen(make):
    table = make({"node": [1, 2], "label": [5, 6]})

    said = "which columns hold the edges? Say source= and target=; the columns are 'node', 'label'."
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


def test_odd_columns_of_pandas_are_one_sentence():
    twice = pd.DataFrame([["a", "b", "c"]], columns=["u", "v", "u"])
    with pytest.raises(InputError, match=r"^2 columns are named 'u'. Rename all but one.$"):
        as_graph(twice)
    levels = pd.DataFrame([["a", "b"]], columns=pd.MultiIndex.from_tuples([("x", "u"), ("x", "v")]))
    with pytest.raises(InputError, match=r"^a table must have one row of column names, got 2 levels."):
        as_graph(levels)


LONE = chr(0xD800)


@pytest.mark.parametrize(
    "data",
    [
        [("a", LONE)],
        [("a", LONE), (1, 2)],
        np.array([["a", LONE], ["b", "c"], ["c", "d"]]),
        nx.Graph([("a", LONE)]),
        pd.DataFrame({"u": ["a"], "v": pd.Series([LONE], dtype=object)}),
    ],
)
def test_half_a_character_is_no_id(data):
    with pytest.raises(InputError, match=r"^an id must be text that UTF-8 can encode, got '\\ud800'"):
        as_graph(data)


@pytest.mark.parametrize(
    "value", [1.0, 1.5, True, None, float("nan"), (float("nan"), 1), -1, [1], Decimal(1)]
)
def test_what_is_no_id_is_refused_by_one_rule(value):
    with pytest.raises(InputError, match=re.escape(RULE)):
        as_graph([("a", value)])


@pytest.mark.parametrize("value", [("x", 1.5), frozenset("a"), date(2020, 1, 1), 2**70, b"a"])
def test_any_other_hashable_value_is_an_id(value):
    assert as_graph([("a", value)]).node_ids.tolist() == ["a", value]

"""Tables with a row per node: ids in a column or in the index."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet.errors import InputError
from egonet.tables.nodes import as_node_table

PEOPLE = {"Id": ["b", "a"], "age": [20, 10]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_column_has_the_ids(make):
    assert as_node_table(make(PEOPLE), "values") == (["b", "a"], {"age": [20, 10]})


def test_an_index_that_only_numbers_rows_is_not_the_ids():
    ordered = pd.DataFrame(PEOPLE).sort_values("age")

    assert as_node_table(ordered, "values") == (["a", "b"], {"age": [10, 20]})


def test_an_index_has_the_ids_without_such_a_column():
    table = pd.DataFrame({"age": [20, 10], "size": [1, 2]}, index=["b", "a"])

    assert as_node_table(table, "values") == (["b", "a"], {"age": [20, 10], "size": [1, 2]})


def test_what_is_not_a_table_is_none():
    assert as_node_table([1, 2], "values") is None
    assert as_node_table(pl.Series([1, 2]), "values") is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pl.DataFrame({"age": [1]}),
            r"^a table of labels must have a column 'node' or 'id', got the columns 'age'",
        ),
        (
            pd.DataFrame({"id": [1], "node": [2], "age": [3]}),
            "must have a column 'node' or 'id', got the columns",
        ),
        (
            pd.DataFrame({"id": ["a", "a"], "age": [1, 2]}),
            r"^labels must name every node once, got 'a' twice\.$",
        ),
        (pd.Series([1, 2], index=["a", "a"]), "labels must name every node once, got 'a' twice"),
        (pd.DataFrame({"id": [[1]], "age": [1]}), r"the ids of labels must be numbers or strings, got \[1\]"),
        (
            pd.DataFrame({"id": [1, 2], "age": [1, 2]}, index=["a", "b"]),
            r"may be in the index or in the column 'id'\. Give table\.reset_index\(drop=True\) for the column, or "
            r"table\.drop\(columns='id'\) for the index\.$",
        ),
    ],
)
def test_unclear_ids_raise(table, message):
    with pytest.raises(InputError, match=message):
        as_node_table(table, "labels")


def test_labels_of_encode_are_the_same_table():
    kinds = pd.DataFrame({"node": [1, 0], "kind": ["x", "y"]})

    assert egonet.encode([(0, 1)], 1, labels=kinds)[0] == {(0, 1, "y"): 1, (1, 1, "x"): 1}

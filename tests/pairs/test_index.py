"""Files of pairs: every row is kept, in order, and a bad file is one sentence."""

import gzip

import pandas as pd
import pytest

from egonet.errors import FileError, InputError
from egonet.pairs.index import read_pairs


def test_numbers_in_text_are_whole_numbers(tmp_path):
    (tmp_path / "p.csv").write_text("1,2\n2,1\n1,2\n")

    assert read_pairs(tmp_path / "p.csv").tolist() == [1, 2, 2, 1, 1, 2]


def test_columns_are_named(tmp_path):
    with gzip.open(tmp_path / "p.tsv.gz", "wt") as file:
        file.write("when\tpayer\tpayee\n1\tann\tbob\n2\tbob\tcid\n")

    assert read_pairs(tmp_path / "p.tsv.gz", source="payer", target="payee").tolist() == [
        "ann", "bob", "bob", "cid",
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_tables_keep_their_ids(tmp_path, ending):
    frame = pd.DataFrame({"a": [3, 3], "b": [5, 4]})
    path = tmp_path / f"p.{ending}"
    frame.to_parquet(path) if ending == "parquet" else frame.to_feather(path)

    assert list(read_pairs(path)) == [3, 5, 3, 4]


def test_a_bad_file_is_one_sentence(tmp_path):
    (tmp_path / "p.parquet").write_text("no table")
    (tmp_path / "p.gml").write_text("graph []")
    pd.DataFrame({"a": [1], "b": [2], "c": [3]}).to_parquet(tmp_path / "three.parquet")

    with pytest.raises(FileError, match=r"p\.parquet is not a Parquet file that can be read"):
        read_pairs(tmp_path / "p.parquet")
    with pytest.raises(InputError, match="pairs are read from csv, tsv, text, Parquet or Arrow, got gml"):
        read_pairs(tmp_path / "p.gml")
    with pytest.raises(FileError, match=r"three\.parquet: which two columns have the node ids\?"):
        read_pairs(tmp_path / "three.parquet")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_names_in_a_table_are_read_in_order(tmp_path, ending):
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": ["y", "z", "z"]})
    path = tmp_path / f"p.{ending}"
    frame.to_parquet(path) if ending == "parquet" else frame.to_feather(path)

    assert list(read_pairs(path)) == ["x", "y", "y", "z", "x", "z"]

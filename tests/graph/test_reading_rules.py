"""Rules for data where a graph is read: missing ids, ids as text, row order, and one warning about what is not used."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import egonet
from egonet import as_graph, read_graph
from egonet.errors import IgnoredInputWarning, InputError, UnknownNodeError

GAPS = {"source": ["a", None, "b", ""], "target": ["b", "c", "c", "d"]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_rows_with_a_missing_id_can_be_dropped(make):
    with pytest.warns(IgnoredInputWarning, match=r"^2 rows with a missing value are left out\.$"):
        graph = as_graph(make(GAPS), missing="drop")

    assert graph.edges().tolist() == [["a", "b"], ["b", "c"]]
    assert graph.info.missing_dropped == 2
    with pytest.raises(
        InputError, match=r"2 of 4 rows have a missing id\. Fill it in, or set missing=\"drop\""
    ):
        as_graph(make(GAPS))


def test_pairs_with_a_missing_id_can_be_dropped():
    with pytest.warns(IgnoredInputWarning, match=r"^1 row with a missing value is left out"):
        graph = as_graph([("a", "b"), (None, "c"), ("b", "d")], missing="drop")

    assert graph.edges().tolist() == [["a", "b"], ["b", "d"]]


def test_lines_with_a_missing_id_can_be_dropped(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,kind\n101159.0,2,x\n,3,x\n2,NaN,x\n2,5,\n")

    with pytest.warns(IgnoredInputWarning, match=r"^2 rows with a missing value are left out"):
        graph = read_graph(path, missing="drop", simplify=True)
    assert graph.edges().tolist() == [[101159, 2], [2, 5]]
    with pytest.warns(IgnoredInputWarning, match=r"^3 rows with a missing value are left out"):
        assert read_graph(path, missing="drop", keep="kind").edges().tolist() == [[101159, 2]]


def test_whole_floats_of_a_column_with_gaps_are_the_ids():
    table = pd.DataFrame({"source": [101159.0, None, 7.0], "target": [7.0, 3.0, 9.0]})

    with pytest.warns(IgnoredInputWarning, match="1 row with a missing value is left out"):
        assert as_graph(table, missing="drop").node_ids.tolist() == [101159, 7, 9]


def test_nullable_columns_of_numbers_have_ids():
    table = pd.DataFrame(
        {"source": pd.array([7, 8], dtype="Int64"), "target": pd.array([8, 9], dtype="Int64")}
    )

    assert as_graph(table).node_ids.tolist() == [7, 8, 9]
    assert as_graph([("a", "b")], nodes=pd.array(["z"], dtype="string")).node_ids.tolist() == ["z", "a", "b"]


@pytest.mark.parametrize(
    "data", [[(2, "2"), ("2", 1)], pd.DataFrame({"source": [2, 2], "target": ["2", "1"]})]
)
def test_ids_as_text_make_a_number_and_its_text_one_node(data):
    assert as_graph(data, ids="text").node_ids.tolist() == ["2", "1"]


def test_ids_of_files_and_objects_are_read_as_text(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n2,1\n1,0\n")

    assert read_graph(tmp_path / "edges.csv").node_ids.tolist() == [0, 1, 2]
    assert read_graph(tmp_path / "edges.csv", ids="text").node_ids.tolist() == ["2", "1", "0"]
    assert as_graph(nx.Graph([(2, 1)]), ids="text").node_ids.tolist() == ["2", "1"]


def test_rows_of_ids_from_0_follow_the_ids_in_every_container(tmp_path):
    pairs = [(2, 1), (1, 0)]
    frame = pd.DataFrame(pairs, columns=["source", "target"])
    frame.to_csv(tmp_path / "edges.csv", index=False)
    frame.to_parquet(tmp_path / "edges.parquet")
    graphs = [
        as_graph(pairs),
        as_graph(np.array([*pairs, (0, 2)])),
        as_graph(frame),
        as_graph(pl.from_pandas(frame)),
        as_graph(frame.astype(float)),
        read_graph(tmp_path / "edges.csv"),
        read_graph(tmp_path / "edges.parquet"),
    ]

    assert [graph.node_ids.tolist() for graph in graphs] == [[0, 1, 2]] * 7
    assert (
        egonet.encode(pairs, 1, labels=["zero", "one", "two"])[2]
        == egonet.encode(pairs, 1, labels={0: "zero", 1: "one", 2: "two"})[2]
    )


PAYMENTS = pd.DataFrame(
    {"payer": ["a", "a", "b", "b"], "payee": ["b", "b", "c", "b"], "sum": [1.5, 2.5, 3.5, 4.5]}
)


def test_names_of_columns_do_not_switch_the_warning_off(tmp_path):
    PAYMENTS.to_csv(tmp_path / "payments.csv", index=False)
    ends = {"source": "payer", "target": "payee"}
    said = r"^1 self-loop dropped, 1 repeated edge merged\. Columns other than .* Set simplify=True if this is intended"

    with pytest.warns(IgnoredInputWarning, match=said):
        as_graph(PAYMENTS, **ends)
    with pytest.warns(IgnoredInputWarning, match=said):
        read_graph(tmp_path / "payments.csv", **ends)
    with pytest.warns(IgnoredInputWarning, match=said):
        egonet.encode(PAYMENTS, 1, **ends)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_graph(PAYMENTS, **ends, simplify=True)
        egonet.encode(PAYMENTS, 1, **ends, simplify=True)
        read_graph(tmp_path / "payments.csv", **ends, simplify=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"missing": "ignore"}, r"missing must be None or \"drop\", got 'ignore'"),
        ({"ids": "number"}, r"ids must be None or \"text\", got 'number'"),
        ({"ids": "text", "num_nodes": 3}, r"with num_nodes the ids are whole numbers"),
    ],
)
def test_other_values_of_these_options_are_errors(options, said):
    with pytest.raises(InputError, match=said):
        as_graph([(0, 1)], **options)


def test_ids_above_int64_stay_numbers_in_files(tmp_path):
    encoding = egonet.encode([(2**63, 5), (5, 2**64 - 1)], 1)

    assert encoding.nodes.dtype == np.uint64
    encoding.write(tmp_path / "rows.parquet")
    assert pd.read_parquet(tmp_path / "rows.parquet").iloc[:, 0].tolist() == [2**63, 5, 2**64 - 1]
    encoding.save(tmp_path / "rows.npz")
    assert egonet.load(tmp_path / "rows.npz").nodes.tolist() == [2**63, 5, 2**64 - 1]


def test_a_stream_rejects_an_id_of_another_type_and_stays_as_it_was():
    stream = egonet.Stream(1)
    stream.add([(1, 2, 1)])

    with pytest.raises(InputError, match=r"have node 1, the new ones have '1'"):
        stream.add([("1", 3, 2)])
    assert stream.num_added == 1


def test_whole_floats_of_32_bits_are_ids_up_to_their_limit():
    small = pd.DataFrame({"source": [5, 7], "target": [7, 9]}, dtype=np.float32)

    assert as_graph(small).node_ids.tolist() == [5, 7, 9]
    with pytest.raises(InputError, match=r"got 16777218\.0 in row 0 .*Write it as text"):
        as_graph(small.replace(5, 2**24 + 2))


def test_missing_ids_of_pairs_are_counted_without_an_option_that_is_not_there():
    with pytest.raises(InputError, match=r"1 of 2 rows have a missing id\. Fill it in, or drop such rows\."):
        egonet.encode_pairs([("a", "b")], [("a", "b"), ("a", None)], 1)
    with pytest.raises(
        UnknownNodeError,
        match=r"got 'x' in pair 0 \(counted from 0\)\. handle_unknown=\"zero\" counts it as an",
    ):
        egonet.links.predict([("a", "b")], [("a", "x")])

"""`encode_pairs`: rows in the order given, columns that can be used again, and one sentence for bad pairs."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as parquet
import pytest
import scipy.sparse
import torch

import egonet
from egonet.encoding.header import METADATA
from egonet.errors import FileError, InputError, OptionError, UnknownNodeError, UnseenWarning, option, render

SQUARE = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")]


def test_opposite_corners_of_a_square_share_two_neighbors():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c")])

    assert encoding[("a", "c")] == {(0, 2, 2): 2, (1, 1, 2): 2}


def test_an_edge_is_left_out_so_that_it_does_not_show():
    hidden = egonet.encode_pairs(SQUARE, [("d", "e")])
    shown = egonet.encode_pairs(SQUARE, [("d", "e")], without_edge=False)

    assert hidden[("d", "e")] == {(0, 2, 0): 1, (0, 2, 2): 1, (1, 2, 1): 2}
    assert shown[("d", "e")] == {(0, 1, 1): 1, (0, 1, 3): 1, (1, 2, 1): 2}


def test_rows_keep_the_order_and_the_repeats_of_the_pairs():
    encoding = egonet.encode_pairs(SQUARE, [("e", "a"), ("a", "c"), ("e", "a")])

    assert list(encoding) == [("e", "a"), ("a", "c"), ("e", "a")]
    assert encoding.matrix.toarray()[0].tolist() == encoding.matrix.toarray()[2].tolist()
    assert encoding.classes.tolist() == [0, 1, 0]


def test_ends_change_places_unless_ordered():
    plain = egonet.encode_pairs(SQUARE, [("e", "b")])
    ordered = egonet.encode_pairs(SQUARE, [("e", "b"), ("b", "e")], ordered=True)

    assert plain[("b", "e")] == plain[("e", "b")]
    assert {(v, u, d): n for (u, v, d), n in ordered[("e", "b")].items()} == ordered[("b", "e")]
    assert ordered[("e", "b")] != ordered[("b", "e")]
    assert ("b", "e") in plain
    assert ("b", "e") not in egonet.encode_pairs(SQUARE, [("e", "b")], ordered=True)


def test_a_directed_graph_loses_the_arc_of_the_pair_and_not_its_reverse():
    arcs = [("a", "b"), ("b", "a"), ("b", "c")]

    encoding = egonet.encode_pairs(arcs, [("a", "b"), ("b", "c")], directed="out")

    assert encoding[("a", "b")] == {(0, 1, 0): 1, (2, 0, 2): 1, (2, 1, 0): 1}
    assert encoding.vocabulary.schema.is_ordered


def test_several_radii_give_columns_for_each():
    encoding = egonet.encode_pairs(SQUARE, [("a", "e")], radius=(1, 2), degree_bins="log")

    assert encoding.feature_names[0] == "r1_d0_d2_deg1"
    assert any(name.startswith("r2_") for name in encoding.feature_names)
    assert encoding[("a", "e")][(2, 0, 2, 2)] == 1


def test_columns_of_training_pairs_are_used_for_others():
    train = egonet.encode_pairs(SQUARE, [("a", "c")])
    test = egonet.encode_pairs(SQUARE, [("b", "e"), ("c", "a")], vocabulary=train)

    assert test.feature_names == train.feature_names
    assert test.matrix.toarray()[1].tolist() == train.matrix.toarray()[0].tolist()
    assert test.unseen.num_rows == 1
    with pytest.raises(InputError, match=r"1 of 2 pairs have keys .* first at pair \('b', 'e'\)"):
        egonet.encode_pairs(SQUARE, [("b", "e"), ("c", "a")], vocabulary=train.vocabulary, unseen="error")
    with pytest.raises(InputError, match=r"learned with radius=\(1,\), got \(2,\)\. Leave radius out\."):
        egonet.encode_pairs(SQUARE, [("b", "e")], radius=2, vocabulary=train)


def test_an_encoding_of_nodes_is_no_vocabulary_of_pairs():
    with pytest.raises(InputError, match="vocabulary must be that of an encoding of pairs"):
        egonet.encode_pairs(SQUARE, [("b", "e")], vocabulary=egonet.encode(SQUARE, 1).vocabulary)


@pytest.mark.parametrize(
    "pairs",
    [
        [("a", "c"), ("e", "b")],
        np.array([["a", "c"], ["e", "b"]]),
        pd.DataFrame({"first": ["a", "e"], "second": ["c", "b"]}),
        pl.DataFrame({"u": ["a", "e"], "v": ["c", "b"], "label": [1, 0]}),
        (pair for pair in [("a", "c"), ("e", "b")]),
    ],
)
def test_pairs_come_in_every_form(pairs):
    found = egonet.encode_pairs(SQUARE, pairs)

    assert list(found) == [("a", "c"), ("e", "b")]


def test_tensors_and_arrays_of_numbers_are_pairs():
    graph = [(10, 20), (20, 30)]

    assert list(egonet.encode_pairs(graph, torch.tensor([[10, 30]]))) == [(10, 30)]
    assert list(egonet.encode_pairs(graph, np.array([[30, 10]], dtype=np.uint8))) == [(30, 10)]
    assert len(egonet.encode_pairs(graph, [])) == 0


@pytest.mark.parametrize("make", [np.array, torch.tensor])
def test_an_array_of_two_pairs_has_a_pair_per_row(make):
    pairs, path = make([[0, 1], [2, 3]]), [(0, 1), (1, 2), (2, 3)]

    assert list(egonet.encode_pairs(path, pairs)) == [(0, 1), (2, 3)]
    assert egonet.PairEncoder(path, 1).fit_transform(pairs).shape[0] == 2


def test_a_number_twice_in_a_pair_may_be_two_kinds_of_nodes():
    said = 'got 3 twice in pair 1 (counted from 0). Drop it, or set self_pairs="zero". If the columns number two '
    said += "kinds of nodes, such as users and products, make their ids different."
    with pytest.raises(InputError, match=f"{re.escape(said)}$"):
        egonet.encode_pairs([(1, 2), (1, 3)], [(1, 2), (3, 3)])
    with pytest.raises(InputError, match=r'set self_pairs="zero"\.$'):
        egonet.encode_pairs(SQUARE, [("a", "a")])


def test_files_of_pairs_are_read_and_written(tmp_path):
    pd.DataFrame({"source": ["a", "e", "a"], "target": ["c", "b", "c"]}).to_parquet(tmp_path / "p.parquet")
    (tmp_path / "p.csv").write_text("source,target\na,c\ne,b\na,c\n")
    encoding = egonet.encode_pairs(SQUARE, tmp_path / "p.parquet")

    encoding.write(tmp_path / "out.parquet")
    again = egonet.encode_pairs(SQUARE, tmp_path / "p.csv", vocabulary=tmp_path / "out.parquet")

    assert len(encoding) == 3
    assert again.matrix.toarray().tolist() == encoding.matrix.toarray().tolist()
    table = pd.read_parquet(tmp_path / "out.parquet")
    assert table.columns.tolist() == ["source", "target", *encoding.feature_names]
    assert table.iloc[:, 2:].to_numpy().tolist() == encoding.matrix.toarray().tolist()
    encoding.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[0].startswith("source,target,r1_")


def test_frames_and_tensors_have_the_counts():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c"), ("e", "b")])
    counts = encoding.matrix.toarray().tolist()

    assert encoding.to_pandas().to_numpy().tolist() == counts
    assert encoding.to_pandas().index.tolist() == [("a", "c"), ("e", "b")]
    assert encoding.to_polars().columns[:2] == ["source", "target"]
    assert encoding.to_torch().tolist() == counts
    assert encoding.to_torch(dense=False).to_dense().tolist() == counts


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([("a", "a")], InputError, r"a pair must name two different nodes, got 'a' twice in pair 0"),
        (
            [("a", "c"), ("a", "x")],
            UnknownNodeError,
            r"nodes of the graph, got 'x' in pair 1 \(counted from 0\)\. handle_unknown",
        ),
        ([("a",)], InputError, r"pair 0 \(counted from 0\) must be two node ids, got \('a',\)"),
        (["ab"], InputError, r"pair 0 \(counted from 0\) must be two node ids, got 'ab'"),
        ([("a", None)], InputError, "an id must be hashable and not missing"),
        ([("a", 1.5)], InputError, r"got 1\.5 in pair 0"),
        (np.zeros((2, 3), dtype=int), InputError, r"shape \(num_pairs, 2\), got shape \(2, 3\)"),
        ({("a", "c")}, InputError, "pairs must be pairs of node ids"),
        (7, InputError, "pairs must be pairs of node ids, got 7"),
        (scipy.sparse.bsr_array((3, 3)), InputError, "pairs must be pairs of node ids, got"),
        ("missing.csv", egonet.EgonetError, "there is no file 'missing.csv'"),
        (pd.DataFrame({"a": [1], "b": [2], "c": [3]}), InputError, "which two columns have the node ids"),
    ],
)
def test_bad_pairs_are_one_sentence(pairs, error, message):
    with pytest.raises(error, match=message):
        egonet.encode_pairs(SQUARE, pairs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -1}, "radius must be a whole number >= 0, got -1"),
        ({"degree_bins": "lin"}, "degree_bins must be one of 'log', 'quantile', got 'lin'"),
        ({"without_edge": "no"}, "without_edge must be True or False, got 'no'"),
        ({"ordered": 1}, "ordered must be True or False, got 1"),
        ({"unseen": "drop"}, "unseen must be one of"),
        (
            {"vocabulary": 3},
            "vocabulary must be a Vocabulary, an Encoding or the path of a file with one, got 3",
        ),
    ],
)
def test_bad_options_are_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        egonet.encode_pairs(SQUARE, [("a", "c")], **options)


def test_an_encoding_is_indexed_by_a_pair_that_it_has():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c")])

    with pytest.raises(UnknownNodeError, match=r"no row belongs to pair \('a', 'x'\)"):
        encoding[("a", "x")]
    with pytest.raises(InputError, match=r"of pairs is indexed by \(source, target\).*got 'a'"):
        encoding["a"]


def test_an_option_of_nodes_is_an_error_that_names_it():
    with pytest.raises(OptionError, match="encode_pairs has no option 'rooted'"):
        egonet.encode_pairs(SQUARE, [("a", "c")], rooted="edge")


def test_a_saved_column_beyond_64_bits_is_an_error(tmp_path):
    path = tmp_path / "pairs.parquet"
    table = egonet.encode_pairs(SQUARE, [("a", "c")]).to_arrow()
    found = json.loads(table.schema.metadata[METADATA])
    found["keys"][0][3] = 2**70
    parquet.write_table(table.replace_schema_metadata({METADATA: json.dumps(found)}), path)

    with pytest.raises(FileError, match="has no columns that egonet wrote"):
        egonet.encode_pairs(SQUARE, [("a", "c")], vocabulary=path)


def test_rows_of_pairs_show_themselves_in_a_notebook_with_escaped_ids():
    encoding = egonet.encode_pairs([("a", "<b>"), ("<b>", "c")], [("a", "c"), ("a", "<b>")])

    html = encoding._repr_html_()

    assert "Encoding of 2 pairs in 4 columns" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "r1_d1_d1_deg2" in html


@pytest.mark.parametrize(("learned", "given"), [("out", None), (None, "out"), ("out", "in")])
def test_columns_of_a_graph_with_another_direction_are_an_error(tmp_path, learned, given):
    arcs = [("a", "b"), ("b", "c")]
    known = egonet.encode_pairs(arcs, [("a", "c")], ordered=True, directed=learned)
    known.write(tmp_path / "known.parquet")

    again = egonet.encode_pairs(arcs, [("a", "c")], vocabulary=tmp_path / "known.parquet", directed=learned)
    assert again.matrix.toarray().tolist() == known.matrix.toarray().tolist()
    for vocabulary in (known, tmp_path / "known.parquet"):
        with pytest.raises(
            InputError,
            match=f"with {render(option('directed', learned))}, got {render(option('directed', given))}",
        ):
            egonet.encode_pairs(arcs, [("a", "c")], vocabulary=vocabulary, directed=given)


ATOMS = {"a": "C", "b": "O", "c": "C", "d": "N", "e": "O"}


def test_keys_end_with_the_label_of_the_node():
    encoding = egonet.encode_pairs(SQUARE, [("a", "c"), ("d", "e")], labels=ATOMS)

    assert encoding[("a", "c")] == {(0, 2, 2, "C"): 2, (1, 1, 2, "N"): 1, (1, 1, 2, "O"): 1}
    assert encoding[("d", "e")] == {(0, 2, 0, "O"): 1, (0, 2, 2, "N"): 1, (1, 2, 1, "C"): 2}
    assert encoding.feature_names[0] == "r1_d0_d2_deg0_labelO"


def test_an_edge_of_a_type_is_a_node_between_its_ends():
    path = [("a", "b"), ("b", "c"), ("a", "b")]

    far = egonet.encode_pairs(path, [("a", "c"), ("a", "b")], edge_labels=["x", "y", "z"])
    shown = egonet.encode_pairs(path, [("a", "b")], edge_labels=["x", "y", "z"], without_edge=False)

    ends = {(0, 3, 1): 1, (0, 3, 2): 1}
    assert far[("a", "c")] == ends | {(1, 3, 2, "x"): 1, (1, 3, 2, "z"): 1, (1, 3, 2, "y"): 1, (2, 2, 3): 1}
    assert far[("a", "b")] == {(0, 3, 0): 1, (0, 3, 1): 1, (1, 3, 2, "y"): 1, (2, 3, 1): 1}
    assert shown[("a", "b")][(1, 1, 2, "x")] == 1
    assert "r1_d1_d3_y_deg2" in far.feature_names


@pytest.mark.parametrize("directed", [None, "out", "in"])
def test_a_half_step_beyond_the_radius_is_no_edge(directed):
    arcs = [("a", "b"), ("c", "b"), ("c", "a")]

    encoding = egonet.encode_pairs(
        arcs, [("a", "c"), ("c", "a")], edge_labels=["x", "y", "x"], ordered=True, directed=directed
    )

    for row in encoding.pairs.tolist():
        labels = {key[3] for key in encoding[tuple(row)] if len(key) == 4}
        assert labels <= {"x", "y"}
        assert {key[0] % 2 == 1 and key[1] % 2 == 1 for key in encoding[tuple(row)] if len(key) == 4} <= {
            True
        }


def test_columns_with_labels_and_edge_types_are_kept_in_a_file(tmp_path):
    options = {"labels": ATOMS, "edge_labels": list("xyxyx")}
    learned = egonet.encode_pairs(SQUARE, [("a", "c"), ("d", "e")], **options)
    learned.write(tmp_path / "pairs.parquet")

    again = egonet.encode_pairs(SQUARE, [("d", "e")], vocabulary=tmp_path / "pairs.parquet", **options)

    assert again[("d", "e")] == learned[("d", "e")]
    with pytest.raises(InputError, match=r"learned with edge labels\. Give edge_labels= here too"):
        egonet.encode_pairs(SQUARE, [("d", "e")], vocabulary=learned, labels=ATOMS)
    with pytest.raises(InputError, match=r"learned with node labels\. Give labels= here too"):
        egonet.encode_pairs(SQUARE, [("d", "e")], vocabulary=learned, edge_labels=list("xyxyx"))
    plain = egonet.encode_pairs(SQUARE, [("d", "e")])
    with pytest.raises(InputError, match="learned without labels"):
        egonet.encode_pairs(SQUARE, [("d", "e")], vocabulary=plain, labels=ATOMS)


def test_amounts_become_types_of_edges_by_limits():
    encoding = egonet.encode_pairs(
        [("a", "b"), ("b", "c")], [("a", "c")], weights=[5, 700], weight_bins=[10, 100]
    )

    assert encoding[("a", "c")] == {
        (0, 3, 1): 2,
        (1, 3, 2, "100plus"): 1,
        (1, 3, 2, "below10"): 1,
        (2, 2, 2): 1,
    }


@pytest.mark.parametrize("progress", [True, None])
def test_a_progress_bar_counts_pairs(monkeypatch, capsys, progress):
    monkeypatch.setattr("egonet.progress.PROGRESS_DELAY", 0)
    monkeypatch.setattr("egonet.progress.AUTOMATIC_DELAY", 0)
    monkeypatch.setattr("egonet.progress.SHORT_WORK", 0)
    monkeypatch.setattr("egonet.progress.is_watched", lambda: True)
    graph = egonet.as_graph([(i, j) for i in range(60) for j in range(i)])
    pairs = [(i, j) for i in range(60) for j in range(i)]

    egonet.encode_pairs(graph, pairs, 1, threads=1, progress=progress)
    assert " pairs" in capsys.readouterr().err
    egonet.encode_pairs(graph, pairs, 1, threads=1, progress=False)
    assert capsys.readouterr().err == ""


def test_an_unknown_end_is_an_isolated_node_and_counted():
    pairs = [("a", "c"), ("a", "new"), ("new", "newer")]
    encoding = egonet.encode_pairs(SQUARE, pairs, handle_unknown="zero")
    isolated = egonet.encode_pairs(egonet.as_graph(SQUARE, nodes=[*"abcde", "new", "newer"]), pairs)

    assert list(encoding) == pairs
    assert encoding[("newer", "new")] == {(0, 2, 0): 2}
    assert encoding.columns == isolated.columns
    assert np.array_equal(np.asarray(encoding), np.asarray(isolated))
    assert (encoding.unseen.unknown, encoding.unseen.num_all) == (2, 3)
    assert str(encoding.unseen).startswith("2 of 3 rows have a node that is not in the graph")
    with pytest.warns(UnseenWarning, match=r"^3 of 6 nodes are not in the graph, first 'new'"):
        egonet.encode_pairs(SQUARE, pairs, handle_unknown="warn")
    with pytest.warns(UnseenWarning, match=r"^3 of 4 nodes"):
        egonet.encode_pairs(SQUARE, pairs[1:], handle_unknown="zero")


def test_an_unknown_end_without_a_label_has_no_column_of_its_own():
    labels = dict.fromkeys("abcde", "x")
    train = egonet.encode_pairs(SQUARE, [("a", "c")], labels=labels)
    options = {"vocabulary": train, "labels": labels, "handle_unknown": "zero"}
    test = egonet.encode_pairs(SQUARE, [("a", "c"), ("a", "new")], **options)

    assert np.asarray(test)[0].tolist() == np.asarray(train)[0].tolist()
    assert test.unseen.unknown == 1
    with pytest.raises(InputError, match="columns with labels are learned from nodes with labels"):
        egonet.encode_pairs(SQUARE, [("a", "new"), ("a", "c")], labels=labels, handle_unknown="zero")


@pytest.mark.parametrize(
    ("graph", "pair", "message"),
    [
        (
            [(0, 1), (1, 2)],
            ("0", "2"),
            r"has no node '0', but it has 0\. Give ids the type that they have in the graph",
        ),
        ([("0", "1"), ("1", "2")], (0, 2), r"the graph has no node 0, but it has '0'"),
    ],
)
def test_an_id_of_the_other_type_is_an_error_for_every_value_of_handle_unknown(graph, pair, message):
    with pytest.raises(InputError, match=message):
        egonet.encode_pairs(graph, [pair], handle_unknown="zero")


def test_a_pair_of_one_node_may_be_a_row_of_zeros():
    pairs = [("a", "c"), ("b", "b"), ("new", "new"), ("a", "e")]
    encoding = egonet.encode_pairs(SQUARE, pairs, self_pairs="zero", handle_unknown="zero")
    proper = egonet.encode_pairs(SQUARE, [pairs[0], pairs[3]])

    assert list(encoding) == pairs
    assert np.array_equal(np.asarray(encoding)[[0, 3]], np.asarray(proper))
    assert np.asarray(encoding)[[1, 2]].sum() == 0
    train = egonet.encode_pairs(SQUARE, [("a", "c")])
    test = egonet.encode_pairs(SQUARE, pairs[1::2], vocabulary=train, self_pairs="zero")
    assert test.unseen.rows.tolist() == [1]
    with pytest.raises(InputError, match='self_pairs="zero"'):
        egonet.encode_pairs(SQUARE, pairs[:2])
    with pytest.raises(InputError, match="self_pairs must be one of"):
        egonet.encode_pairs(SQUARE, pairs[:2], self_pairs="drop")


def test_full_degrees_compare_distances_from_the_nearer_end():
    # The ends of a path a-b-c-d-e: b and d are next to an end, c is two steps from both.
    path = egonet.named.path("abcde")

    encoding = egonet.encode_pairs(path, [("a", "e")], radius=2, degrees="full")

    assert encoding[("a", "e")] == {
        (0, 3, 0, 0, 1): 2,  # a and e: one neighbor, farther
        (1, 3, 1, 0, 1): 2,  # b and d: an end is closer, c farther
        (2, 2, 2, 0, 0): 1,  # c: b and d are closer
    }
    assert encoding.vocabulary.feature_names[0] == "r2_d0_d3_closer0_same0_farther1"


def test_arcs_to_and_from_nodes_around_a_pair_are_counted_apart():
    arcs = [("a", "x"), ("b", "x"), ("x", "c"), ("a", "b")]

    along = egonet.encode_pairs(arcs, [("a", "b")], radius=1, degrees="in_out", follow="out")
    either = egonet.encode_pairs(arcs, [("a", "b")], radius=1, degrees="in_out", without_edge=False)

    assert along[("a", "b")] == {(0, 2, 0, 1): 1, (1, 1, 2, 0): 1, (2, 0, 0, 1): 1}
    assert either[("a", "b")] == {(0, 1, 0, 2): 1, (1, 0, 1, 1): 1, (1, 1, 2, 0): 1}


def test_in_out_degrees_of_pairs_need_arcs():
    with pytest.raises(InputError, match="counts arcs"):
        egonet.encode_pairs([("a", "b"), ("b", "c")], [("a", "c")], degrees="in_out", directed=False)


def test_several_radii_are_the_columns_of_each_side_by_side():
    path, pairs = egonet.named.path("abcdef"), [("a", "c"), ("b", "f")]

    several = egonet.encode_pairs(path, pairs, radius=(2, 1), degrees="layered")

    apart = [egonet.encode_pairs(path, pairs, radius=radius, degrees="layered") for radius in (2, 1)]
    names = [name for each in apart for name in each.vocabulary.feature_names]
    assert several.vocabulary.feature_names == names
    expected = np.hstack([each.matrix.toarray() for each in apart])
    np.testing.assert_array_equal(several.matrix.toarray(), expected)


def test_ends_distance_is_that_without_the_edge_up_to_the_limit():
    """Around a ring of five, neighbors are four steps apart without their edge, other nodes two."""
    ring = egonet.named.cycle(5)
    pairs = [(0, 2), (9, 0), (0, 1), (1, 3)]
    encoding = egonet.encode_pairs(
        ring, pairs, radius=0, max_degree=0, ends_distance=3, handle_unknown="zero", without_edge=True
    )

    assert [name for name in encoding.feature_names if name.startswith("ends")] == ["ends_d2"]
    assert encoding.matrix.toarray()[:, 0].tolist() == [1, 0, 0, 1]
    farther = egonet.encode_pairs(ring, pairs, radius=0, max_degree=0, ends_distance=4, handle_unknown="zero")
    assert farther.feature_names[:2] == ["ends_d2", "ends_d4"]
    assert farther.matrix.toarray()[:, :2].tolist() == [[1, 0], [0, 0], [0, 1], [1, 0]]

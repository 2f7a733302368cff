"""Rows of every radius become one matrix with its columns."""

from egonet.encoding.assemble import assemble_columns
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.kernel.reference import pack_rows


def test_radii_follow_each_other_in_the_order_of_the_settings():
    rows = {1: pack_rows([{(0, 2): 1}, {(0, 1): 1}], width=2), 2: pack_rows([{(1, 1): 4}, {}], width=2)}
    matrix, vocabulary = assemble_columns(Schema(Settings((2, 1)), directed="out"), rows.__getitem__)

    assert vocabulary.keys.tolist() == [[2, 1, 1], [1, 0, 1], [1, 0, 2]]
    assert matrix.toarray().tolist() == [[4, 0, 1], [0, 1, 0]]
    assert vocabulary.directed == "out"


def test_columns_of_one_bin_are_added():
    rows = {1: pack_rows([{(1, 2): 1, (1, 3): 2, (1, 4): 5}], width=2)}
    matrix, vocabulary = assemble_columns(Schema(Settings(1, degree_bins="log")), rows.__getitem__)

    assert vocabulary.feature_names == ["r1_d1_deg2to3", "r1_d1_deg4to7"]
    assert matrix.toarray().tolist() == [[3, 5]]


def test_a_graph_without_rows_has_no_columns():
    matrix, vocabulary = assemble_columns(Schema(Settings(1)), {1: pack_rows([], width=2)}.__getitem__)

    assert (matrix.shape, len(vocabulary)) == ((0, 0), 0)

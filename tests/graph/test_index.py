"""Node ids: order of first appearance, types kept apart, and the errors for invalid ids."""

import re
import time
from datetime import date
from decimal import Decimal
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import egonet
from egonet import Graph, _native, as_graph
from egonet.errors import InputError, show_value
from egonet.graph.index import (
    contains_id,
    factorize,
    first_appearance,
    flatten,
    id_array,
    known_ids,
    near_match,
    other_type,
)


def factorize_pairs(pairs, **options):
    return factorize(flatten(pairs), **options)


def numbered(pairs):
    """Return the plain definition: ids in order of first appearance, and their numbers."""
    seen = []
    for pair in pairs:
        for value in pair:
            if not any(type(value) is type(other) and value == other for other in seen):
                seen.append(value)
    number = {(type(value), value): position for position, value in enumerate(seen)}
    return [number[type(a), a] for a, _ in pairs], [number[type(b), b] for _, b in pairs], seen


def result(pairs, **options):
    source, target, ids = factorize_pairs(pairs, **options)
    return source.tolist(), target.tolist(), None if ids is None else ids.tolist()


names = st.text(min_size=1, max_size=5)


numbers = st.integers(min_value=-(2**63), max_value=2**63 - 1)


ID_RULE = "an id must be hashable and not missing, a number whole and of 64 bits"


LONE = chr(0xD800)


RULE = "an id must be hashable and not missing, a number whole and of 64 bits"


def test_the_edge_that_has_no_id_is_named():
    with pytest.raises(InputError, match=re.escape("in edge 2 (counted from 0)")):
        Graph.from_edges([("a", "b"), ("b", "c"), ("c", "")])


@pytest.mark.parametrize(
    ("pair", "hint"),
    [((1, 2, 3), " Leave the third value out; weights are not used."), ((1, 2, 3, 4), ""), ((1,), "")],
)
def test_only_a_third_value_may_be_a_weight(pair, hint):
    with pytest.raises(
        InputError, match=rf"must be a pair of node ids, got {re.escape(repr(pair))}\.{hint}$"
    ):
        Graph.from_edges([(0, 1), pair])


@pytest.mark.parametrize("nodes", ["abc", b"abc", 7])
def test_nodes_are_not_single_word_or_number(nodes):
    with pytest.raises(InputError, match="nodes must be a sequence of node ids, got"):
        known_ids(nodes)


def test_unsigned_numbers_up_to_the_largest_int64_are_rows_like_any_others():
    largest = 2**63 - 1
    graph = Graph.from_edges(np.array([[largest, 1]], dtype=np.uint64))

    assert graph.node_ids.dtype == np.int64
    assert graph.node_ids.tolist() == [largest, 1]
    assert Graph.from_edges(np.array([[largest + 1, 1]], dtype=np.uint64)).node_ids.tolist() == [
        largest + 1,
        1,
    ]


def test_one_long_name_among_many_short_ones_makes_no_wide_array():
    many = [f"{number:04}" for number in range(10_000)]  # 40,000 letters

    # 10,001 names as wide as 120 letters are 1,200,120; the limit is four times their 40,120 and 2 ** 20.
    assert id_array([*many, "x" * 120]).dtype.kind == "U"
    assert id_array([*many, "x" * 130]).dtype.kind == "O"


@pytest.mark.parametrize(
    ("node", "twin"), [("3", 3), ("9" * 19, int("9" * 19)), ("1" * 20, None), ("٣", None), (3, "3")]
)
def test_the_twin_of_an_id_is_the_number_of_its_digits(node, twin):
    assert other_type(node) == twin


def test_an_id_is_found_with_its_type():
    mixed = id_array([7, "8", ("a", 1)])

    assert [contains_id(mixed, value) for value in (7, "7", 8, "8")] == [True, False, False, True]
    assert not contains_id(id_array(["7"]), 7)


def test_names_with_half_a_character_are_numbered_too():
    codes, ids = first_appearance(["a", "\ud800", "a"])

    assert codes.tolist() == [0, 1, 0]
    assert ids.tolist() == ["a", "\ud800"]


def test_an_id_is_found_in_an_object_array():
    assert contains_id(np.array([1, 1]), 1)
    assert not contains_id(np.array([1, 2]), 3)
    assert contains_id(np.array(["a"]), "a")
    assert not contains_id(np.array(["a"]), "b")


def test_the_largest_int64_is_still_one():
    assert id_array([2**63 - 1]).dtype == np.int64
    assert id_array([2**63]).dtype == np.uint64


def test_values_of_several_lines_are_shown_on_one():
    with pytest.raises(InputError, match=r"^nodes has no meaning for a square matrix, got array\(") as caught:
        egonet.as_graph(np.zeros((3, 3)), nodes=np.zeros((3, 3)))
    assert "\n" not in str(caught.value)


def test_an_id_that_holds_a_list_is_none():
    with pytest.raises(InputError, match=r"an id must be .*, got \('a', \[1\]\) in edge 0"):
        egonet.Graph.from_edges([(("a", [1]), "b")])


@given(st.lists(st.tuples(names | numbers, names | numbers), max_size=30))
def test_ids_are_numbered_by_first_appearance(pairs):
    flat = [value for pair in pairs for value in pair]
    assume(
        not {str(value) for value in flat if isinstance(value, int)} & {v for v in flat if isinstance(v, str)}
    )
    assume(set(flat) != set(range(len(set(flat)))))

    assert result(pairs) == numbered(pairs)


@given(st.permutations(range(12)))
def test_ids_from_0_to_n_are_rows(order):
    pairs = list(pairwise(order))

    assert result(pairs) == (list(order[:-1]), list(order[1:]), list(range(12)))
    assert result(np.array(pairs)) == result(pairs)


# From 1, because ids that fill 0 ... n - 1 are rows and have another order.
@given(st.lists(st.tuples(st.integers(1, 2**63 - 1), st.integers(1, 2**63 - 1)), max_size=60))
def test_an_array_of_large_numbers_is_numbered_like_a_list(pairs):
    assert result(np.array(pairs, dtype=np.int64).reshape(-1, 2)) == numbered(pairs)


@given(st.lists(st.integers(0, 50), max_size=400))
def test_dense_numbers_are_numbered_like_any_others(values):
    codes, ids = first_appearance(np.array(values, dtype=np.int64))

    assert ids.tolist() == list(dict.fromkeys(values))
    assert ids[codes].tolist() == values


@given(st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=20), max_size=300))
def test_an_array_of_strings_is_numbered_like_a_list(values):
    codes, ids = first_appearance(np.array(values, dtype=str))

    assert ids.tolist() == list(dict.fromkeys(values))
    assert ids[codes].tolist() == values


def test_many_distinct_strings_survive_the_growth_of_the_table():
    values = [f"user{(7919 * i) % 50_000}" for i in range(120_000)]

    codes, ids = first_appearance(np.array(values))

    assert ids.tolist() == list(dict.fromkeys(values))
    assert ids[codes].tolist() == values


def test_many_distinct_numbers_survive_the_growth_of_the_table():
    values = [((7919 * i) % 50_000) << 40 for i in range(120_000)]

    codes, ids = first_appearance(np.array(values))

    assert ids.tolist() == list(dict.fromkeys(values))
    assert ids[codes].tolist() == values


def test_a_number_and_its_digits_in_one_graph_are_an_error():
    with pytest.raises(
        InputError, match=r"the ids have 1 as a number and '1' as text, .* Make all ids text with ids="
    ):
        result([(1, "1")])


def test_negative_numbers_of_64_bits_are_ids():
    assert result([(-(2**63), 5), (5, -1)]) == ([0, 1], [1, 2], [-(2**63), 5, -1])


def test_whole_floats_are_whole_numbers():
    assert result([(101159.0, 7), (7, 9.0)]) == ([0, 1], [1, 2], [101159, 7, 9])
    assert result(np.array([[101159.0, 7.0]])) == ([0], [1], [101159, 7])


def test_numbers_above_int64_among_negative_ones_or_text_are_an_error():
    for other in (-1, "a"):
        with pytest.raises(
            InputError, match=r"whole numbers above 2\*\*63 are ids only among numbers >= 0, got 92"
        ):
            result([(2**63, other)])


def test_unsigned_numbers_beyond_int64_are_kept():
    pairs = np.array([[2**64 - 1, 3]], dtype=np.uint64)

    assert result(pairs) == ([0], [1], [2**64 - 1, 3])


def test_tuples_are_ids_too():
    assert result([((0, 0), (0, 1))]) == ([0], [1], [(0, 0), (0, 1)])


def test_numpy_scalars_are_plain_ids():
    assert result([(np.int64(4), np.str_("x"))]) == ([0], [1], [4, "x"])


def test_strings_that_end_in_nul_stay_apart():
    assert result([("a\0", "a")]) == ([0], [1], ["a\0", "a"])


def test_no_pairs_have_no_ids():
    assert result([]) == ([], [], [])
    assert result(np.empty((0, 2))) == ([], [], [])


def test_nodes_come_first_and_others_after():
    assert result([("b", "c")], nodes=["a", "b"]) == ([1], [2], ["a", "b", "c"])


def test_nodes_of_another_kind_stay_themselves():
    assert result(np.array([[1, 2]]), nodes=["x"]) == ([1], [2], ["x", 1, 2])
    with pytest.raises(InputError, match=r"nodes= and the edges have 1 as a number and '1' as text"):
        result(np.array([[1, 2]]), nodes=["1"])


def test_num_nodes_makes_ids_rows():
    assert result([(2, 0)], num_nodes=4) == ([2], [0], None)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (
            [(0, 1), (1, float("nan"))],
            f"{ID_RULE}, got nan in edge 1 (counted from 0); 1 of 2 rows have a missing id. "
            'Fill it in, or set missing="drop" to leave such rows out.',
        ),
        ([("a", None)], f"{ID_RULE}, got None in edge 0 (counted from 0); 1 of 1 rows have a missing id."),
        ([(0, 1.5)], f"{ID_RULE}, got 1.5 in edge 0 (counted from 0). Drop or rename it."),
        ([(0, 2**64)], f"{ID_RULE}, got {2**64} in edge 0 (counted from 0). Write it as text."),
        ([(0, 2.0**60)], f"{ID_RULE}, got {2.0**60} in edge 0 (counted from 0). Write it as text."),
        ([(0, True)], f"{ID_RULE}, got True in edge 0 (counted from 0). Drop or rename it."),
        ([("a", "")], f"{ID_RULE}, got '' in edge 0 (counted from 0); 1 of 1 rows have a missing id."),
        (
            np.array([["a", ""], ["", "b"], ["c", "d"], ["", ""], ["", "x"]]),
            f"{ID_RULE}, got '' in edge 0 (counted from 0), in edge 1 (counted from 0), in edge 3 (counted from 0); "
            "4 of 5 rows have a missing id.",
        ),
        ([(["x"], 1)], f"{ID_RULE}, got ['x'] in edge 0 (counted from 0). Drop or rename it."),
        (
            np.array([[0.5, 1.0], [1.5, 2.0]]),
            f"{ID_RULE}, got 0.5 in edge 0 (counted from 0); 2 of 4 ids break this rule. Drop or rename it.",
        ),
        ([(0, 1), (1, 2, 3)], "edge 1 (counted from 0) must be a pair of node ids, got (1, 2, 3)."),
        (["ab"], "edge 0 (counted from 0) must be a pair of node ids, got 'ab'."),
        ([{1, 2}], "edge 0 (counted from 0) must be a pair of node ids, got {1, 2}."),
        ([7], "edge 0 (counted from 0) must be a pair of node ids, got 7."),
        ("ab", "edges must be pairs of node ids, got 'ab'."),
        (np.zeros((2, 3), dtype=int), "edges must be an array of shape (num_edges, 2), got shape (2, 3)."),
    ],
)
def test_what_is_not_a_pair_of_ids_raises(pairs, said):
    with pytest.raises(InputError, match=re.escape(said)):
        factorize_pairs(pairs)


def test_a_node_outside_num_nodes_raises():
    said = (
        "edge (17, 204) points at node 204, but the graph has 200 nodes (0 to 199). "
        "Raise num_nodes or drop the edge."
    )
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        factorize_pairs([(0, 1), (17, 204)], num_nodes=200)


def test_a_name_raises_where_row_numbers_are_expected():
    with pytest.raises(
        InputError, match=re.escape("whole numbers (0 to 2), got 'a' in edge 0 (counted from 0).")
    ):
        factorize_pairs([("a", "b")], num_nodes=3)


@pytest.mark.parametrize("size", [-1, 2.0, True, "3"])
def test_num_nodes_must_be_a_whole_number(size):
    with pytest.raises(InputError, match=f"^num_nodes must be a whole number >= 0, got {size!r}.$"):
        factorize_pairs([(0, 1)], num_nodes=size)


def test_nodes_must_not_repeat():
    with pytest.raises(InputError, match=r"^nodes must not repeat an id, got 'a' twice. Drop one of them.$"):
        factorize_pairs([("a", "b")], nodes=["a", "b", "a"])


def test_nodes_must_be_ids():
    with pytest.raises(
        InputError, match=re.escape(f"{ID_RULE}, got None at position of nodes 1 (counted from 0)")
    ):
        factorize_pairs([("a", "b")], nodes=["a", None])


@pytest.mark.parametrize(
    ("value", "shown"),
    [(np.float64(1.5), "1.5"), ("a'b", '"a\'b"'), ("x" * 100, "'" + "x" * 56 + "...")],
)
def test_values_are_shown_plain_and_short(value, shown):
    assert show_value(value) == shown


@pytest.mark.parametrize(
    ("node", "ids", "hint"),
    [
        ("dob", np.array(["ann", "bob"]), " Did you mean 'bob'?"),
        ("3", np.arange(5), " Did you mean 3 (a number)?"),
        (3, np.array(["2", "3"]), " Did you mean '3' (a string)?"),
        (3, np.array(["x", "3"], dtype=object), " Did you mean '3' (a string)?"),
        (200, np.arange(200), " The nodes are 0 to 199."),
        (8, np.array([7, 9]), " The nodes are numbers from 7 to 9."),
        ("zzz", np.array(["ann"]), " The nodes are 'ann'."),
        ((1, 2), np.array(list("abcde")), " The nodes are 'a', 'b', 'c' and 2 more."),
        (1, np.empty(0, dtype=np.int64), " The graph is empty."),
    ],
)
def test_the_hint_fits_the_id(node, ids, hint):
    assert near_match(node, ids) == hint


def test_a_hint_among_a_million_names_is_quick():
    ids = np.array([f"user{i}" for i in range(10**6)])
    began = time.process_time()

    assert near_match("usr17", ids) == " Did you mean 'user17'?"
    assert time.process_time() - began < 2


@pytest.mark.parametrize("node", [True, 1.5, None, [1]])
def test_only_an_id_finds_a_node(node):
    graph = Graph.from_edges([(1, 0)])

    with pytest.raises(KeyError, match=re.escape(f"the graph has no node {node!r}.")):
        graph.index_of(node)


def test_ids_chosen_to_collide_under_a_known_hash_are_numbered_in_linear_time():
    # Numbers that an unkeyed multiplicative hash puts into one slot: the inverse of its mixing, by hand.
    inverse, mask = pow(0xD6E8FEB86659FD93, -1, 1 << 64), (1 << 64) - 1

    def unmix(value):
        for _ in range(2):
            value = (value ^ value >> 32) * inverse & mask
        return value ^ value >> 32

    chosen = np.array([unmix(number << 24) & mask >> 1 for number in range(1, 200_001)], dtype=np.int64)
    started = time.process_time()

    codes, ids = _native.number_values(chosen, 1)

    assert time.process_time() - started < 2
    assert np.array_equal(ids[codes], chosen)


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
def test_half_a_character_is_not_an_id(data):
    with pytest.raises(InputError, match=r"^an id must be text that UTF-8 can encode, got '\\ud800'"):
        as_graph(data)


@pytest.mark.parametrize(
    "value", [1.5, True, None, float("nan"), (float("nan"), 1), 2**64, -(2**63) - 1, [1], Decimal("1.5")]
)
def test_what_is_not_an_id_raises_by_one_rule(value):
    with pytest.raises(InputError, match=re.escape(RULE)):
        as_graph([("a", value)])


@pytest.mark.parametrize("value", [("x", 1.5), frozenset("a"), date(2020, 1, 1), -(2**40), b"a"])
def test_any_other_hashable_value_is_an_id(value):
    assert as_graph([("a", value)]).node_ids.tolist() == ["a", value]


def test_nodes_of_two_dimensions_raise():
    with pytest.raises(InputError, match=r"^nodes must have one dimension, got shape \(2, 2\)\."):
        Graph.from_edges([(0, 1)], nodes=np.array([[0, 1], [2, 3]]))

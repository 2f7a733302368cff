"""The graph6 format: against networkx, at the borders of its size forms, and damaged."""

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from egonet.errors import InputError
from egonet.graph.graph6 import from_triangle, parse_graph6, read_size


def edges(graph):
    return {(u, v) for u in range(graph.num_nodes) for v in graph.neighbors(u) if u < v}


@given(st.integers(0, 70), st.floats(0, 1), st.integers(0, 99), st.booleans())
def test_graphs_come_back_as_networkx_wrote_them(size, density, seed, header):
    graph = nx.gnp_random_graph(size, density, seed=seed)

    read = parse_graph6(nx.to_graph6_bytes(graph, header=header))

    assert read.num_nodes == size
    assert edges(read) == {tuple(sorted(edge)) for edge in graph.edges()}


@pytest.mark.parametrize("size", [62, 63, 2000])
def test_the_size_forms_meet(size):
    graph = nx.path_graph(size)

    assert edges(parse_graph6(nx.to_graph6_bytes(graph))) == set(graph.edges())


def test_the_longest_size_form_is_read():
    assert parse_graph6(b"~~?????A_").neighbors(0) == [1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "a graph6 string begins with its number of nodes, got too few characters."),
        (b"~?", "a graph6 string begins with its number of nodes, got too few characters."),
        (b"~~~~~~~~", "a graph has at most 2,147,483,647 nodes, got 68,719,476,735."),
        (b"~~?B????", "of 50,331,648 nodes has 211,106,228,338,688 characters after its size, got 0."),
        (b"Bww", "a graph6 string of 3 nodes has 1 characters after its size, got 2."),
        (b"B~", "the unused last bits of a graph6 string must be zero. The line is damaged."),
        (b"B\x7f", "graph6 uses the characters '?' to '~', got '\\x7f' at 2."),
        (b"B\xff", "graph6 uses the characters '?' to '~', got 'ÿ' at 2."),
        (b":An", "this is sparse6, and only graph6 is read. Convert it with nauty's copyg -g."),
        (b"&A_", "this is digraph6, and only graph6 is read."),
    ],
)
def test_a_damaged_string_is_one_sentence(line, said):
    with pytest.raises(InputError, match=re.escape(said)):
        parse_graph6(line)


def test_both_ends_of_every_column_of_a_large_triangle_are_exact():
    starts = np.cumsum(np.arange(4000))  # where the columns 1, 2, 3, ... begin: 0, 1, 3, 6, ...
    bits = np.zeros(starts[-1], dtype=np.uint8)
    bits[starts[:-1]] = bits[starts[1:] - 1] = 1

    graph = from_triangle(bits, 4000)

    assert edges(graph) == {(0, v) for v in range(1, 4000)} | {(v - 1, v) for v in range(1, 4000)}


def test_the_most_nodes_are_read_as_a_size():
    values = np.array([63, 63, 1, 63, 63, 63, 63, 63], dtype=np.uint8)

    assert read_size(values)[0] == 2**31 - 1  # 1 and five sixes of bits that are set


def test_positions_of_a_large_triangle_are_exact():
    size = 3000
    matrix = np.zeros((size, size), dtype=int)
    matrix[0, size - 1] = matrix[size - 2, size - 1] = matrix[0, 1] = 1

    graph = parse_graph6(nx.to_graph6_bytes(nx.Graph(matrix)))

    assert edges(graph) == {(0, 1), (0, size - 1), (size - 2, size - 1)}

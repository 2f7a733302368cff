"""Edge lists with blanks, quotes and lines of different length."""

import pytest

from contracts.text import read
from egonet.errors import FileError, IgnoredInputWarning


def test_lines_of_different_length_raise_unless_positions_are_given():
    with pytest.raises(
        FileError, match=r"^edges, line 2: expected 2 fields as in the first row, got 3: '3 4 5'"
    ):
        read("1 2\n3 4 5\n")

    assert read("1 2\n3 4 5\n", source=0, target=1).num_edges == 2


def test_quotes_are_honored_between_blanks():
    assert read('"a b" c\n"c" "say ""hi"""\n').node_ids.tolist() == ["a b", "c", 'say "hi"']
    with pytest.raises(FileError, match=r"^edges, line 1: text follows a closing quote"):
        read('"a"b c\n')


def test_blanks_around_names_are_removed_and_counted():
    said = (
        r"^edges: blanks around 2 ids are removed, first in line 2. Put an id in quotes to keep its blanks.$"
    )
    with pytest.warns(IgnoredInputWarning, match=said):
        graph = read('a,b\na , c\n"a ",b\n', ",")

    assert graph.node_ids.tolist() == ["a", "b", "c", "a "]


def test_blanks_around_numbers_mean_nothing():
    assert read("1, 2\n2 ,3\n", ",").node_ids.tolist() == [1, 2, 3]

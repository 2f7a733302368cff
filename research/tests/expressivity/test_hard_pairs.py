"""Hard graphs drawn from a seed: what is drawn, that searches follow the definition, and the committed figures."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from egonet import named
from research.expressivity.hard_pairs import (
    base_graphs,
    block_graph,
    by_definition,
    cfi,
    feedback_number,
    latin_square,
    latin_square_graph,
    least_marks,
    main,
    strongly_regular,
    triple_system,
)

RESULTS = Path(__file__).parents[3] / "results"


def rng(seed=7):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("order", [1, 2, 5, 7])
def test_rows_and_columns_of_a_latin_square_have_every_symbol_once(order):
    square = latin_square(order, rng(order))

    assert len(square) == order
    assert {tuple(sorted(line)) for line in [*square, *zip(*square, strict=True)]} == {tuple(range(order))}


def test_other_seeds_draw_other_latin_squares():
    assert latin_square(6, rng(1)) != latin_square(6, rng(2))


def test_every_pair_of_points_is_in_one_block_after_every_switch():
    drawn = [triple_system(switches, rng()) for switches in (0, 1, 5)]

    for blocks in drawn:
        pairs = [pair for block in blocks for pair in combinations(sorted(block), 2)]
        assert len(blocks) == 35
        assert sorted(pairs) == list(combinations(range(1, 16), 2))
    assert set(drawn[0]) != set(drawn[1])


def test_base_graphs_are_connected_and_regular():
    for (name, base), degree in zip(base_graphs(3, ((3, 8), (4, 7))), (3, 4), strict=True):
        assert name.startswith(f"{degree}-regular")
        assert set(base.degrees.tolist()) == {degree}


@pytest.mark.parametrize(
    ("graph", "nodes"),
    [(named.path(4), 0), (named.cycle(6), 1), (named.petersen(), 3), (named.complete(6), 4)],
)
def test_the_least_number_of_nodes_that_meet_all_cycles(graph, nodes):
    assert feedback_number(graph) == nodes


def test_new_strongly_regular_graphs_are_split_as_the_definition_says():
    squares = [latin_square_graph(latin_square(5, rng(seed))) for seed in (11, 12)]
    row = strongly_regular("order 5", squares, rng())

    assert row["parameters"] == [25, 12, [5], [6]]
    assert by_definition(squares, 2)
    assert row["copies_equal"]
    assert row["as_isomorphism"]


def test_block_graphs_are_strongly_regular():
    row = strongly_regular("triple systems", [block_graph(triple_system(2, rng()))] * 2, rng())

    assert row["parameters"] == [35, 18, [9], [9]]
    assert (row["isomorphism_classes"], row["classes_of_2_marks"]) == (1, 1)


def test_a_new_cfi_pair_is_split_as_the_definition_says():
    (_, base), *_ = base_graphs(5, ((3, 6),))
    row = cfi("3-regular", base, rng())

    assert not row["isomorphic"]
    assert row["copies_equal"]
    assert row["marks_all"] == row["meet_all_cycles"] == 2
    assert by_definition(named.cfi_pair(base), 2)


def test_graphs_that_no_marks_distinguish_have_no_least_number():
    assert least_marks([named.cycle(4), named.cycle(4)], "largest") is None


def test_committed_figures_agree_with_isomorphism_and_the_definition():
    found = json.loads((RESULTS / "hard_pairs.json").read_text())["rows"]
    regular = [row for row in found if "parameters" in row]
    pairs = [row for row in found if "marks_all" in row]

    assert all(row["copies_equal"] for row in found)
    assert all(row["as_isomorphism"] and row["classes_of_1_marks"] == 1 for row in regular)
    assert all(row["marks_all"] == row["meet_all_cycles"] and not row["isomorphic"] for row in pairs)
    assert {row["definition"] for row in found if "definition" in row} == {True}


def test_the_file_names_the_seed(tmp_path, monkeypatch):
    monkeypatch.setattr("research.expressivity.hard_pairs.measure", lambda seed: iter([{"seed": seed}]))
    main(3, str(tmp_path / "found.json"))

    found = json.loads((tmp_path / "found.json").read_text())
    assert found == {"command": "python -m research.expressivity.hard_pairs 3", "rows": [{"seed": 3}]}

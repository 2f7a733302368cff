"""Columns between graphs: targets, cells, and the page that shows them."""

from pathlib import Path

import numpy as np
import pytest

from egonet import named
from research.transfer.families import FAMILIES, blocks, central_quarter, roles
from research.transfer.run import COLUMNS, read_lines, walk_returns
from research.transfer.tables import BASELINE, RECOMMENDED, cell_scores, family_table

ROOT = Path(__file__).parents[3]


def line(**changes):
    fields = {"family": "f", "half": "test", "train": "a", "test": "b", "columns": "degree rank"}
    return fields | {"model": "forest", "seed": 0, "score": 50.0} | changes


def test_a_family_is_the_mean_of_its_cells_and_the_worst_cell_is_a_difference():
    lines = [line(), line(test="c", score=60.0), line(columns="degree", score=40.0)]
    lines.append(line(columns="degree", test="c", score=64.0))

    table = family_table(lines, "test")

    assert "| degree rank | 55.0 | 55.0 | 0 |" in table
    assert "| degree | 52.0 | 52.0 | −10.0 |" in table


def test_the_ends_of_a_path_are_least_central():
    assert central_quarter(named.path(8)).tolist() == [3, 2, 1, 0, 0, 1, 2, 3]


def test_generated_graphs_have_a_class_per_node_and_grow_denser():
    sparse, dense = blocks(300, 1, 0), blocks(300, 4, 0)
    shapes = roles(160, 2, 0)

    assert len(sparse.target) == sparse.graph.num_nodes
    assert dense.graph.degrees.mean() > 2 * sparse.graph.degrees.mean()
    assert set(shapes.target) == set(range(8))
    assert len(shapes.target) == shapes.graph.num_nodes


@pytest.mark.filterwarnings("ignore:the columns were learned:egonet.errors.UnseenWarning")
def test_columns_of_another_graph_have_the_width_of_the_training_graph():
    first, second = roles(80, 2, 0).graph, roles(120, 6, 1).graph
    for name, columns in COLUMNS.items():
        rows, vocabulary = columns(first)
        other, _ = columns(second, vocabulary)
        assert other.shape == (second.num_nodes, rows.shape[1]), name
        assert np.isfinite(other).all()


def test_walk_returns_are_the_diagonals_of_the_powers_of_the_walk():
    graph = roles(80, 2, 0).graph
    arcs = graph.to_scipy().toarray()
    walk = arcs / arcs.sum(axis=1, keepdims=True)

    expected = [np.diag(np.linalg.matrix_power(walk, step)) for step in range(1, 8)]

    np.testing.assert_allclose(walk_returns(graph, 7, block=9), np.transpose(expected), atol=1e-9)


def test_every_family_is_in_one_half_and_no_graph_in_both():
    halves = {
        half: {name for name, family in FAMILIES.items() if family.half == half}
        for half in ("choice", "test")
    }

    assert {name for names in halves.values() for name in names} == FAMILIES.keys()


def test_what_is_recommended_for_another_graph_loses_at_most_three_points_to_the_rank_of_the_degree():
    lines = [line for line in read_lines() if line["half"] == "test"]
    gaps = [scores[RECOMMENDED] - scores[BASELINE] for scores in cell_scores(lines).values()]

    assert len(gaps) == 26
    assert (round(min(gaps), 1), round(max(gaps), 1)) == (-2.7, 0.9)
    assert "between 2.7 points worse and 0.9 better" in (ROOT / "docs" / "leakage.md").read_text("utf-8")

"""Removing an edge: what changes in graphs small enough to check by hand, and the committed lines."""

import json
import statistics
from pathlib import Path

import pytest

from contracts.parts import need
from egonet import Graph, named

need("torch")
from research.stability.edges import GRAPHS, measure, remove_edge, without_edge  # noqa: E402

ROOT = Path(__file__).parents[3]
LINES = [json.loads(line) for line in (ROOT / "results" / "stability.jsonl").read_text("utf-8").splitlines()]


def test_removing_an_edge_of_a_ring_changes_every_stable_color():
    found = remove_edge(named.cycle(8), 0)

    # A path of eight has four colors, none of them that of the ring. After two rounds and at radius 2, the two ends of
    # the edge and their neighbors differ; at radius 1, the two ends.
    assert found.stable == 1.0
    assert found.rounds == 0.5
    assert found.encoding == {1: 0.25, 2: 0.5}
    # {(0, 2): 1, (1, 1): 2} becomes {(0, 1): 1, (1, 1): 1}: three counts of five differ.
    assert found.distance[1] == pytest.approx(0.6)


def test_an_edge_far_away_changes_colors_and_no_encoding():
    two = Graph.from_edges([(v, v + 1) for v in range(9)])

    found = remove_edge(two, 8)

    assert found.stable == 1.0
    assert found.encoding == {1: 0.2, 2: 0.3}


def test_one_edge_is_removed():
    graph = without_edge(named.complete(4), 0)

    assert graph.num_edges == 5
    assert sorted(graph.degrees.tolist()) == [2, 2, 3, 3]


def test_a_line_has_the_mean_and_range_over_edges():
    line = measure("ring", named.cycle(8), count=3)

    assert line["removed"] == 3
    assert line["encoding_radius_1"] == {"mean": 0.25, "low": 0.25, "high": 0.25}


def test_the_page_has_the_numbers_of_the_results():
    assert [line["graph"] for line in LINES] == list(GRAPHS)
    assert len(LINES) == 20

    def shares(key):
        return [line[key]["mean"] for line in LINES]

    assert statistics.median(shares("wl_stable")) == 1.0
    assert sum(share > 0.95 for share in shares("wl_stable")) == 19
    assert sum(share == 1 for share in shares("wl_stable")) == 14
    assert round(100 * statistics.median(shares("encoding_radius_1")), 1) == 0.2
    assert round(100 * max(shares("encoding_radius_1"))) == 16
    assert round(100 * statistics.median(shares("change_radius_1"))) == 16
    assert round(100 * statistics.median(shares("encoding_radius_2"))) == 12
    assert round(100 * max(shares("encoding_radius_2"))) == 81
    assert round(100 * statistics.median(shares("change_radius_2"))) == 2
    pairs = zip(shares("encoding_radius_2"), shares("wl_2_rounds"), strict=True)
    assert sum(row > color for row, color in pairs) == 18

"""The one-graph benchmark: who takes part, and how samples are scaled."""

import time

import egonet
from egonet.cli.benchmark import benchmark_graph, interleave

TRIANGLE = egonet.as_graph([(0, 1), (1, 2), (2, 0)])


def test_triangle_search_competes_at_radius_one_only():
    assert [timing.name for timing in benchmark_graph(TRIANGLE, radius=2, repeats=1)] == [
        "source",
        "bitwise",
        "auto",
        "auto, all cores",
    ]


def test_directed_graphs_have_no_triangle_search():
    arc = egonet.as_graph([(0, 1)], directed="out")

    assert "triangle" not in {timing.name for timing in benchmark_graph(arc, radius=1, repeats=1)}


def test_contenders_take_turns_in_a_new_order_each_round():
    turns: list[str] = []
    interleave({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, repeats=20)

    rounds = ["".join(turns[place : place + 2]) for place in range(0, 40, 2)]
    assert set(rounds) == {"ab", "ba"}


def test_time_of_a_sample_is_scaled_to_the_whole():
    (timing,) = interleave({"nap": lambda: time.sleep(0.01)}, repeats=1, scales={"nap": 50})

    assert timing.scale == 50
    assert timing.wall > 0.49

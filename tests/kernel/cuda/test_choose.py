"""The choice of a search: what the measured times, known graphs and limits say."""

import json
import statistics
from functools import partial
from pathlib import Path

import pytest

from egonet.kernel.cuda import choose
from egonet.kernel.cuda.choose import Codec, Facts

SHARED = 227 * 1024
#: Milliseconds of every algorithm on an H200, see `results/gpu/README.md`; source archives come without them.
MEASURED_TIMES = Path(__file__).parents[3] / "results" / "gpu" / "times.json"
TIMES = json.loads(MEASURED_TIMES.read_text()) if MEASURED_TIMES.exists() else []
#: The largest ratio allowed; times of less than half a millisecond may differ by this many milliseconds more.
ALLOWED, SAME = 1.4, 0.03


def chosen(
    facts, radius=2, *, degrees="total", frontier_edges=True, symmetric=True, count_balls=lambda: None
):
    codec = Codec(degrees, facts.largest_degree, 0, radius + 1)
    together = choose.blocks_together(
        facts, codec, radius, frontier_edges=frontier_edges, shared_bytes=SHARED
    )
    has_bitwise = choose.supports_bitwise(facts, codec, radius, symmetric=symmetric, shared_bytes=SHARED)
    return choose.choose(
        facts,
        radius,
        num_roots=facts.num_nodes,
        together=together,
        has_bitwise=has_bitwise,
        count_balls=count_balls,
    )


@pytest.mark.parametrize(
    "setting", TIMES, ids=lambda setting: f"{setting['graph']}, {setting['radius']}, {setting['run']}"
)
def test_the_choice_takes_at_most_1_4_times_the_fastest_measured(setting):
    times = {
        name: statistics.geometric_mean(runs)
        for name, runs in setting["times"].items()
        if name in ("warp", "block", "bitwise")
    }

    count_balls = partial(choose.Ball, *setting["ball"])
    algorithm = chosen(Facts(*setting["facts"]), setting["radius"], count_balls=count_balls)

    assert times[algorithm] <= ALLOWED * min(times.values()) + SAME


def test_balls_are_counted_where_the_search_is_expected_to_take_long():
    # A ring of 1,500 cliques of 24: the estimate has 10,354 nodes at radius 3, and there are at most 96.
    facts = Facts(36_000, 831_000, 24, 19_185_000, 0)

    assert chosen(facts, 3) == "bitwise"
    assert chosen(facts, 3, count_balls=lambda: choose.Ball(90, 1_662)) == "block"
    assert chosen(facts, 3, count_balls=lambda: choose.Ball(20, 100)) == "warp"
    assert chosen(facts, 3, degrees="full", count_balls=lambda: choose.Ball(90, 1_662)) == "warp"


def test_a_large_graph_with_small_balls_is_searched_by_warps():
    # Erdős–Rényi, 10^6 nodes, 10^7 arcs: a warp took 15.5 ms on an H200, a block 55.3 because it clears a bit per node.
    facts = Facts(1_000_000, 9_999_900, 31, 110_000_000, 50)

    assert chosen(facts, count_balls=lambda: choose.Ball(111, 1_210)) == "warp"


def test_a_short_search_starts_without_counting():
    def fail():
        raise AssertionError("balls were counted")

    assert chosen(Facts(4_039, 176_468, 1_045, 18_806_166, 0), count_balls=fail) == "block"
    assert chosen(Facts(200_000, 460_000, 6, 1_200_000, 0), count_balls=fail) == "warp"


def test_directed_graphs_are_never_searched_bitwise():
    facts = Facts(131_072, 3_728_638, 15_806, 3_454_410_000, 40_935)

    assert chosen(facts) == "bitwise"
    assert chosen(facts, symmetric=False) == "block"


def test_the_estimated_ball_is_that_of_a_random_graph():
    # Counted from 150 roots: 26,262 nodes with 1,057,240 arcs, of 30,000 with 1,199,150.
    ball = choose.estimated_ball(Facts(30_000, 1_199_150, 68, 49_121_526, 0), 3)

    assert ball.num_nodes == pytest.approx(26_262, rel=0.02)
    assert ball.num_arcs == pytest.approx(1_057_240, rel=0.02)


def test_a_ball_without_arcs_is_its_root():
    assert choose.estimated_ball(Facts(5, 0, 0, 0, 5), 0).num_nodes == 1
    assert chosen(Facts(5, 0, 0, 0, 5), radius=3) in ("warp", "block")


def test_bins_of_a_hub_leave_memory_for_few_blocks():
    # 5,000 bytes of bits and 3 rings of 5,000 bins are 65,000 bytes, with the static ones 75,240: three in 227 KiB.
    facts = Facts(40_000, 400_000, 4_999, 10**8, 0)

    together = partial(choose.blocks_together, facts, frontier_edges=True)
    assert together(Codec("total", 4_999, 0, 4), 3, shared_bytes=SHARED) == 3
    assert together(Codec("total", 9, 0, 4), 3, shared_bytes=SHARED) == 8
    assert together(Codec("total", 4_999, 0, 4), 3, shared_bytes=75_240) == 1
    assert together(Codec("total", 4_999, 0, 4), 3, shared_bytes=75_239) == 0


def test_a_graph_fits_if_its_arrays_do():
    assert choose.fits_device(100, 1000, 48 * 1000 + 64 * 100)
    assert not choose.fits_device(100, 1000, 48 * 1000 + 64 * 100 - 1)

"""The choice of a strategy."""

import pytest

import egonet
from contracts.stores import skewed_graph
from egonet.encoding.settings import Settings
from egonet.errors import InputError, MemoryLimitError
from egonet.store.graph import store_graph
from egonet.store.spark_plan import SparkLimits, make_plan


def test_the_plan_follows_the_memory_of_a_task(tmp_path):
    stored = store_graph(skewed_graph(), tmp_path / "graph")

    assert make_plan(stored, Settings((1,)), SparkLimits(10**8, 4)).strategy == "ranges"
    small = make_plan(stored, Settings((1,)), SparkLimits(20_000, 4))
    # The least ρ for which 6 m / ρ² edges of 48 bytes fit 20 kB, with m = 1,777.
    assert (small.strategy, small.colors) == ("triples", 6)
    assert small.rows_moved > 6 * len(stored.indices) // 2
    with pytest.raises(MemoryLimitError, match=r"at radius 2 a task of 78 roots needs about .* cap="):
        make_plan(stored, Settings((2,)), SparkLimits(10_000, 4))
    with pytest.raises(InputError, match="triples support only radius 0 and 1"):
        make_plan(stored, Settings((2,)), SparkLimits(10**8, 4, "triples"))


def test_the_plan_of_a_grid_at_radius_two_uses_halos(tmp_path):
    stored = store_graph(egonet.named.grid(200, 200), tmp_path / "graph")

    plan = make_plan(stored, Settings((2,)), SparkLimits(10**6, 40))

    assert plan.strategy == "halo"
    assert plan.bytes_per_task < 10**6


def test_the_rows_of_triples_are_copies_of_edges_and_their_triangles(tmp_path):
    stored = store_graph(egonet.named.complete(4), tmp_path / "graph")

    plan = make_plan(stored, Settings((1,)), SparkLimits(10**6, 2, "triples", colors=1))

    # One group: 6 edges, and each of them in both directions, since all are in triangles. Two ranges of roots.
    assert (plan.rows_moved, plan.bytes_moved) == (6 + 12, 18 * 12)
    assert (plan.tasks, plan.partitions, plan.bytes_per_task) == (1 + 2, 2, 6 * 48)


def test_the_plan_of_an_empty_graph_needs_nothing(tmp_path):
    stored = store_graph(egonet.as_graph([]), tmp_path / "graph")

    plan = make_plan(stored, Settings((2,)), SparkLimits(10**6, 4, "halo"))

    assert (plan.tasks, plan.bytes_moved, plan.bytes_per_task, plan.num_entries) == (0, 0, 0, 0)


def test_every_core_has_four_ranges_unless_there_are_fewer_nodes():
    limits = SparkLimits(10**6)

    assert limits.with_partitions(100, cores=3).partitions == 12
    assert limits.with_partitions(5, cores=3).partitions == 5
    assert limits.with_partitions(0, cores=3).partitions == 1
    assert SparkLimits(10**6, 7).with_partitions(100, cores=3).partitions == 7

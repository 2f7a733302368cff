"""Tasks of every strategy give the rows of the kernel, and color triples count every triangle once."""

import numpy as np
import pytest

from contracts.stores import skewed_graph
from egonet import named
from egonet.encoding.settings import Settings
from egonet.store.blocks import ARRAYS, count_block, open_block
from egonet.store.graph import store_graph
from egonet.store.spark_tasks import (
    Job,
    color_of,
    copy_edges,
    count_group,
    count_range,
    edge_copies,
    group_supports,
    groups_of,
    num_groups,
    subgraph_bytes,
)


def test_every_triangle_is_counted_in_one_group():
    graph = skewed_graph()
    for colors in (1, 2, 5):
        group, u, v = copy_edges(graph.indptr, graph.indices, 0, graph.num_nodes, colors)
        found = np.zeros((graph.num_nodes, graph.num_nodes), dtype=int)
        for number, three in enumerate(groups_of(colors)):
            root, other, triangles = count_group(u[group == number], v[group == number], three, colors)
            np.add.at(found, (root, other), triangles)

        assert len(u) == colors * graph.num_edges
        dense = np.zeros_like(found)
        dense[np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices] = 1
        assert found.tolist() == (dense @ dense * dense).tolist()


def test_colors_are_uniform_and_the_same_on_every_machine():
    colors = color_of(np.arange(30_000), 3)

    assert np.bincount(colors).min() > 9_700
    # A repeated run reads the groups of a killed one, so the hash must not change.
    assert color_of(np.array([0, 1, 2, 3, 2**31 - 1]), 1_000).tolist() == [535, 465, 110, 53, 407]


def test_intermediate_folders_depend_on_the_number_of_colors():
    jobs = [
        Job("out", "graph-0000", "digest", ("block",), 10, Settings((1,)), "triples", colors)
        for colors in (3, 4)
    ]

    assert [str(job.barrier(".edges")) for job in jobs] == ["out/.edges-3", "out/.edges-4"]


def make_job(graph, folder, strategy, settings, num_ranges, colors=0):
    stored = store_graph(graph, folder / "graph-0000")
    blocks = tuple(f"block-{number}.parquet" for number in range(num_ranges))
    rows = -(-graph.num_nodes // num_ranges)
    return Job(str(folder), "graph-0000", stored.digest, blocks, rows, settings, strategy, colors)


def write_rows(folder, key, batches):
    """Write the rows of tasks as Spark does: a Parquet file per task in the folder of each value of a column."""
    import pyarrow as pa
    from pyarrow import compute, parquet

    for number, batch in enumerate(batches):
        table = pa.Table.from_batches([batch])
        for value in compute.unique(table[key]).to_pylist():
            part = folder / f"{key}={value}"
            part.mkdir(parents=True, exist_ok=True)
            chosen = table.filter(compute.equal(table[key], value)).drop_columns(key)
            parquet.write_table(chosen, part / f"{number}.parquet")


def run_tasks(job):
    """Run all tasks of a job here, one after another; return entries and bytes read of every range."""
    if job.strategy == "triples":
        write_rows(
            job.barrier(".edges"), "group", (edge_copies(job, number) for number in range(len(job.blocks)))
        )
        groups = range(num_groups(job.colors))
        write_rows(job.barrier(".supports"), "part", (group_supports(job, number) for number in groups))
    return [count_range(job, number) for number in range(len(job.blocks))]


RUNS = [
    ("ranges", Settings((2,)), 0),
    ("triples", Settings((1,)), 1),
    ("triples", Settings((1, 0), degrees="full", max_degree=9), 3),
    ("triples", Settings((0, 1), degrees="layered", frontier_edges=False), 2),
    ("halo", Settings((2,), degrees="layered"), 0),
    ("halo", Settings((0,)), 0),
]


@pytest.mark.parametrize(("strategy", "settings", "colors"), RUNS)
def test_tasks_of_every_strategy_give_the_rows_of_the_kernel(need, tmp_path, strategy, settings, colors):
    need("pyarrow")
    graph = skewed_graph()
    job = make_job(graph, tmp_path, strategy, settings, 3, colors)

    counted = run_tasks(job)

    assert [job.span(number, graph.num_nodes) for number in range(3)] == [(0, 104), (104, 208), (208, 310)]
    for number, (entries, read) in enumerate(counted):
        block = open_block(tmp_path / job.blocks[number])
        roots = np.arange(*job.span(number, graph.num_nodes))
        expected = count_block(graph.indptr, graph.indices, roots, settings, symmetric=True)
        for name in ARRAYS:
            assert getattr(block, name).tolist() == getattr(expected, name).tolist(), name
        assert entries == len(expected.columns)
        assert read > 0 if strategy == "halo" else read == 0
    assert count_range(job, 1) == (counted[1][0], 0)


def test_a_halo_reads_the_nodes_within_the_radius(need, tmp_path):
    need("pyarrow")
    job = make_job(named.cycle(12), tmp_path, "halo", Settings((2,)), 3)

    # Four roots and two nodes on either side: 8 nodes of 32 bytes, with two arcs of 4 bytes each.
    # Every root has three keys.
    assert run_tasks(job) == [(12, 320)] * 3


def test_the_bytes_of_a_subgraph_are_those_of_its_nodes_and_arcs(tmp_path):
    stored = store_graph(named.star(5), tmp_path / "graph")

    sizes = [subgraph_bytes(stored, np.array(nodes, dtype=int)) for nodes in ([], [0], [1], [0, 1, 3])]

    assert sizes == [0, 32 + 5 * 4, 32 + 4, 3 * 32 + 7 * 4]

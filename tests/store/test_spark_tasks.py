"""Color triples count every triangle once."""

import numpy as np

from contracts.stores import skewed_graph
from egonet.encoding.settings import Settings
from egonet.store.spark_tasks import Job, color_of, copy_edges, count_group, groups_of


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


def test_colors_are_deterministic_and_uniform():
    colors = color_of(np.arange(30_000), 3)

    assert colors[:6].tolist() == color_of(np.arange(6), 3).tolist()
    assert np.bincount(colors).min() > 9_700


def test_intermediate_folders_depend_on_the_number_of_colors():
    jobs = [
        Job("out", "graph-0000", "digest", ("block",), 10, Settings((1,)), "triples", colors)
        for colors in (3, 4)
    ]

    assert [str(job.barrier(".edges")) for job in jobs] == ["out/.edges-3", "out/.edges-4"]

"""Subdivided graphs equal the reference's, byte for byte."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from egonet.attributes.subdivision import subdivide
from egonet.graph.edge_table import EdgeTable
from egonet.graph.graph import Graph
from egonet.kernel import reference


def graph_of(edges, num_nodes, directed):
    ends = np.array([edge[:2] for edge in edges], dtype=np.int32).reshape(-1, 2)
    graph = Graph.from_indices(ends[:, 0], ends[:, 1], num_nodes, directed=directed)
    return graph.with_table(EdgeTable(ends[:, 0].copy(), ends[:, 1].copy()))


edges_and_types = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), max_size=30)


@given(edges_and_types, st.sampled_from([None, "out", "in"]))
def test_random_graphs_are_subdivided_as_the_reference_says(edges, directed):
    made = subdivide(graph_of(edges, 7, directed), np.array([t for *_, t in edges], dtype=np.int32))

    turned = [(v, u, t) for u, v, t in edges] if directed == "in" else edges
    expected = reference.subdivide(7, turned, [0] * 7, directed=directed is not None)
    for found, wanted in zip((made.indptr, made.indices, made.labels(None)), expected, strict=True):
        assert found.dtype == wanted.dtype
        assert found.tolist() == wanted.tolist()


def test_edges_outside_another_graph_are_left_out():
    graph = Graph.from_edges([(0, 1), (1, 2)], 3)
    made = subdivide(graph, np.array([4, 5], dtype=np.int32), within=Graph.from_edges([(2, 1)], 3))

    assert made.types.tolist() == [5]
    assert made.indptr.tolist() == [0, 0, 1, 2, 4]

"""count="edges": the edges of ego-networks by the distances and degrees of both ends, which are ELENE's counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import named
from egonet.errors import InputError
from egonet.graph.constructions import sr25
from egonet.kernel import native, reference

TRIANGLE = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
FULL = {"degrees": "full", "count": "edges"}


def relabeled(graph, rng):
    """Return the graph with node v named order[v], and order."""
    order = rng.permutation(graph.num_nodes)
    return egonet.Graph.from_edges(order[graph.edges()], num_nodes=graph.num_nodes), order


def bags(encoding):
    """Return the multiset of rows of every graph."""
    counts, ptr = np.asarray(encoding), encoding.graph_ptr
    return [sorted(map(tuple, counts[ptr[i] : ptr[i + 1]].tolist())) for i in range(len(ptr) - 1)]


def test_the_edges_around_the_corner_of_a_triangle_are_counted_by_both_ends():
    encoding = egonet.encode(TRIANGLE, 1, **FULL)

    # From c: the tail to d; two edges to a and b, which have each other at the same distance; and the edge a-b.
    assert encoding["c"] == {
        (0, 1, 0, 0, 3, 1, 0, 0): 1,
        (0, 1, 0, 0, 3, 1, 1, 0): 2,
        (1, 1, 1, 1, 0, 1, 1, 0): 1,
    }
    assert encoding["d"] == {(0, 1, 0, 0, 1, 1, 0, 0): 1}
    assert encoding.feature_names[0] == "r1_d0_d1_closer0_same0_farther1_closer1_same0_farther0"


def test_the_end_with_the_smaller_distance_and_degrees_comes_first():
    # From 0: the edge 1-2 has two ends at distance 1, and 2 has one more neighbor.
    graph = [(0, 1), (0, 2), (1, 2), (2, 3)]

    assert egonet.encode(graph, 2, count="edges")[0] == {
        (0, 1, 2, 2): 1,
        (0, 1, 2, 3): 1,
        (1, 1, 2, 3): 1,
        (1, 2, 3, 1): 1,
    }


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=22),
    st.integers(1, 4),
    st.sampled_from(["total", "layered", "full"]),
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.sampled_from([None, "log"]),
    st.sampled_from([1, 2]),
)
def test_the_kernel_equals_the_reference(
    edges, radius, degrees, frontier_edges, max_degree, degree_bins, threads
):
    graph = egonet.Graph.from_edges(edges, num_nodes=9)
    options = {"degrees": degrees, "frontier_edges": frontier_edges, "max_degree": max_degree}
    options["degree_bins"] = degree_bins
    roots = np.array([8, 0, 3, 3], dtype=np.int64)

    expected = reference.ego_edge_rows(graph.indptr, graph.indices, roots, radius, **options)
    rows = native.ego_edge_rows(graph.indptr, graph.indices, roots, radius, threads=threads, **options)

    for name in ("indptr", "columns", "counts", "keys"):
        array, other = getattr(rows, name), getattr(expected, name)
        assert array.dtype == other.dtype
        assert array.tolist() == other.tolist()
    listed = native.list_ego_networks(graph.indptr, graph.indices, radius)
    for array, other in zip(
        listed, reference.list_ego_networks(graph.indptr, graph.indices, radius), strict=True
    ):
        assert array.tolist() == other.tolist()


def test_counts_of_nodes_follow_from_counts_of_edges():
    graph = named.karate_club()
    edges, nodes = egonet.encode(graph, 2, **FULL), egonet.encode(graph, 2, degrees="full")

    for node in range(graph.num_nodes):
        ends = {}
        for (first, second, *fields), count in edges[node].items():
            for key in ((first, *fields[:3]), (second, *fields[3:])):
                ends[key] = ends.get(key, 0) + count
        # Every node is an end of as many edges as its degree.
        assert {key: count // sum(key[1:]) for key, count in ends.items()} == nodes[node]


@pytest.mark.parametrize("graph", [named.karate_club(), named.shrikhande(), named.decalin()], ids=str)
def test_twenty_relabelings_rename_rows_and_change_nothing_else(graph):
    encoding = egonet.encode(graph, (1, 2), **FULL)
    for seed in range(20):
        other, order = relabeled(graph, np.random.default_rng(seed))
        rows = egonet.encode(other, (1, 2), **FULL)
        assert rows.columns == encoding.columns
        assert np.array_equal(np.asarray(rows)[order], np.asarray(encoding))


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_strongly_regular_graphs_with_equal_parameters_are_equal(radius, need):
    need("igraph")
    pair = bags(egonet.encode([named.rook_4x4(), named.shrikhande()], radius, **FULL))
    graphs = bags(egonet.encode(list(sr25()), radius, **FULL))

    assert pair[0] == pair[1]
    assert len(graphs) == 15
    assert all(bag == graphs[0] for bag in graphs)


def test_edges_separate_graphs_that_nodes_do_not():
    # The neighbors of a hub: a path of four nodes and an edge, or two paths of three. The degrees are equal.
    hub = [("hub", leaf) for leaf in "uvwxyz"]
    pair = [[*hub, *map(tuple, ("uv", "vw", "wx", "yz"))], [*hub, *map(tuple, ("uv", "vw", "xy", "yz"))]]
    graphs = [egonet.Graph.from_edges(edges) for edges in pair]

    nodes, edges = (
        bags(egonet.encode(graphs, 1, degrees="full", count=count)) for count in ("nodes", "edges")
    )

    assert nodes[0] == nodes[1]
    assert edges[0] != edges[1]


def test_a_batch_has_the_rows_of_its_graphs():
    graphs = [named.karate_club(), named.decalin(), named.shrikhande()]
    batch = egonet.encode(graphs, 2, **FULL)

    for position, graph in enumerate(graphs):
        single = np.asarray(egonet.encode(graph, vocabulary=batch.vocabulary))
        first, last = batch.graph_ptr[position : position + 2]
        assert np.array_equal(np.asarray(batch)[first:last], single)


def test_rows_are_saved_and_read_back(tmp_path):
    encoding = egonet.encode(TRIANGLE, (1, 2), **FULL)
    encoding.save(tmp_path / "rows.npz")
    encoding.vocabulary.save(tmp_path / "columns.json")

    again = egonet.load(tmp_path / "rows.npz")
    columns = egonet.Vocabulary.load(tmp_path / "columns.json")

    assert again.settings == encoding.settings
    assert again["c"] == encoding["c"]
    assert columns.columns == encoding.columns


def test_keys_without_a_column_are_clipped_at_the_same_distances():
    small = egonet.encode([(0, 1), (1, 2)], 1, count="edges")
    star = egonet.encode([(0, leaf) for leaf in range(1, 6)], vocabulary=small)

    assert star[0] == {(0, 1, 2, 1): 5}
    assert star.unseen.clipped == 5


def test_estimators_transforms_and_bins_take_it(need):
    need("sklearn")
    need("torch_geometric")
    club = named.karate_club()
    encoder = egonet.NodeEncoder(club, 1, count="edges", degree_bins="log", sparse_output=False)
    rows = encoder.fit_transform(list(range(34)))

    assert np.array_equal(rows, np.asarray(egonet.encode(club, 1, count="edges", degree_bins="log")))
    assert (rows.sum(axis=1) > 0).all()
    assert encoder.set_params(handle_unknown="zero").transform([0, 1, 99])[2].sum() == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degrees": "in_out"}, "needs an undirected graph"),
        ({"common": True}, "Leave common, rooted and layout out"),
        ({"layout": "paper"}, "Leave common, rooted and layout out"),
        ({"radius": (0, 1)}, "radius of at least 1"),
        ({"labels": dict.fromkeys("abcd", 1)}, "takes no labels"),
        ({"directed": "out"}, "needs an undirected graph"),
        ({"memory_limit": "1GB"}, "is not predicted"),
        ({"device": "cuda"}, "a GPU does not support"),
    ],
)
def test_what_has_no_meaning_is_an_error(options, message):
    with pytest.raises(InputError, match=message):
        egonet.encode(TRIANGLE, **{"radius": 1, "count": "edges"} | options)


def test_other_entry_points_raise(need):
    need("sklearn")
    need("torch_geometric")
    encoding = egonet.encode(TRIANGLE, 1, count="edges")
    with pytest.raises(InputError, match="count must be"):
        egonet.encode(TRIANGLE, 1, count="triangles")
    with pytest.raises(InputError, match="Encode the changed graph instead"):
        encoding.update([("a", "d")])
    with pytest.raises(InputError, match="explain shows nodes"):
        egonet.explain(TRIANGLE, "a", radius=1, count="edges")
    with pytest.raises(InputError, match="are learned"):
        egonet.AddEgoEncoding(1, count="edges", max_degree=3)


def test_texts_describe_both_ends():
    text = str(egonet.explain_difference(TRIANGLE, "a", "d", radius=1, count="edges"))

    assert "edges from distance 0 (degree 2) to distance 1 (degree 2)" in text


def test_degrees_that_do_not_fit_are_an_error_with_the_way_out():
    star = egonet.Graph.from_edges([(0, leaf) for leaf in range(1, 2000)])

    with pytest.raises(InputError, match="63 bits"):
        egonet.encode(star, 1, **FULL)
    assert len(egonet.encode(star, 1, degree_bins="log", **FULL)) == 2000

"""What the tests distinguish: the theorems of the paper and their counterexamples, up to nine nodes."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import egonet
from egonet import Graph, Settings, named
from egonet.graph.bits import canonical_bits
from egonet.graph.constructions import (
    cfi_pair,
    circulant_skip_links,
    cone_pair,
    small_graphs,
    sr25,
    trees,
    triangular,
)
from egonet.graph.union import disjoint_union
from egonet.kernel.reference import distances
from egonet.wl.compare import equivalent
from egonet.wl.isomorphism import individualize
from egonet.wl.neighborhoods import ego_networks
from egonet.wl.refine import refine_colors
from egonet.wl.tests import Criterion, graph_classes, named_criterion


def pair(first, second):
    return named.from_graph6(first), named.from_graph6(second)


def counterexamples_to_lemma_1(num_nodes, *, connected=False):
    """Return how many groups of graphs with equal encodings at every radius hold graphs that 1-WL tells apart."""
    union, ptr = disjoint_union(small_graphs(num_nodes, connected=connected))
    radii = tuple(range(1, max(num_nodes, 2)))
    encoded = graph_classes(named_criterion("total", radii).classes(union, ptr), ptr)
    refined = graph_classes(named_criterion("1-wl").classes(union, ptr), ptr)
    groups = set(zip(encoded.tolist(), refined.tolist(), strict=True))
    return len(groups) - len(set(encoded.tolist()))


@pytest.mark.parametrize("num_nodes", range(1, 9))
def test_lemma_1_holds_for_all_radii_together_up_to_8_nodes(num_nodes):
    assert counterexamples_to_lemma_1(num_nodes) == 0


@pytest.mark.slow
def test_lemma_1_fails_on_9_nodes():
    assert counterexamples_to_lemma_1(9, connected=True) > 0


def test_the_smallest_counterexample_is_the_pair_of_cones():
    given = pair("H?bB@b~", "H?`bCb~")

    assert (canonical_bits(given) == canonical_bits(cone_pair(8))).all()
    assert not equivalent(*given, test="1-wl")
    assert equivalent(*given, test="total", radius=tuple(range(1, 9)))


@pytest.mark.parametrize(
    ("radius", "first", "second"), [(1, "E?qo", "ECR_"), (2, "FCZeo", "FCpv_"), (3, "F?rf_", "FCRVO")]
)
def test_lemma_1_fails_for_one_radius_on_smaller_graphs(radius, first, second):
    given = pair(first, second)

    assert not equivalent(*given, test="1-wl")
    assert equivalent(*given, test="total", radius=radius)
    assert not equivalent(*given, test="total", radius=radius, refine=True)


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize("num_nodes", [6, 7])
def test_refinement_started_from_the_encoding_refines_1wl_and_the_encoding(radius, num_nodes):
    union, ptr = disjoint_union(small_graphs(num_nodes))
    encoded = named_criterion("total", radius)
    both = graph_classes(encoded.with_refinement().classes(union, ptr), ptr)

    for weaker in (encoded, named_criterion("1-wl")):
        coarse = graph_classes(weaker.classes(union, ptr), ptr)
        assert len(set(zip(both.tolist(), coarse.tolist(), strict=True))) == len(set(both.tolist()))


def test_a_six_ring_and_two_triangles_differ_at_radius_1():
    given = named.cycle(6), Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])

    assert equivalent(*given, test="1-wl")
    assert not equivalent(*given, test="total", radius=1)


def test_a_larger_radius_is_not_always_stronger():
    given = pair("EQzO", "EEz_")

    assert not equivalent(*given, test="total", radius=1)
    assert all(equivalent(*given, test="total", radius=radius) for radius in range(2, 7))


def test_the_encoding_distinguishes_the_smallest_connected_pair_that_1wl_does_not():
    given = pair("EQjO", "EEj_")

    assert equivalent(*given, test="1-wl")
    assert not equivalent(*given, test="total", radius=1)


def test_layered_does_not_refine_total_and_full_refines_both():
    given = pair("H?ovEaq", "H?bL`rg")

    assert equivalent(*given, test="layered", radius=2)
    assert not equivalent(*given, test="total", radius=2)
    assert not equivalent(*given, test="full", radius=2)


def test_the_neighbors_in_petersens_graph_have_one_edge_back_and_two_on():
    assert egonet.encode(named.petersen(), 2, degrees="full")[0] == {
        (0, 0, 0, 3): 1,
        (1, 1, 0, 2): 3,
        (2, 1, 2, 0): 6,
    }


def test_strongly_regular_graphs_with_equal_parameters_stay_equal():
    given = named.shrikhande(), named.rook_4x4()

    for kind in ("total", "layered", "full"):
        assert equivalent(*given, test=kind, radius=(1, 2), refine=True)


@pytest.mark.parametrize("num_nodes", range(1, 13))
def test_1wl_distinguishes_all_trees(num_nodes):
    union, ptr = disjoint_union(trees(num_nodes))

    groups = graph_classes(named_criterion("1-wl").classes(union, ptr), ptr)

    assert len(np.unique(groups)) == len(ptr) - 1


@pytest.mark.parametrize("num_nodes", range(1, 6))
def test_1wl_distinguishes_all_connected_graphs_of_up_to_five_nodes(num_nodes):
    union, ptr = disjoint_union(small_graphs(num_nodes, connected=True))

    groups = graph_classes(named_criterion("1-wl").classes(union, ptr), ptr)

    assert len(np.unique(groups)) == len(ptr) - 1


def layered_graph(num_layers):
    """Return a root and layers of two nodes, neighboring layers fully joined."""
    layers = [[0]] + [[2 * layer - 1, 2 * layer] for layer in range(1, num_layers + 1)]
    return Graph.from_edges([(u, v) for near, far in pairwise(layers) for u in near for v in far])


@pytest.mark.parametrize(("on_discovery", "steps"), [(False, 131_071), (True, 33)])
def test_a_search_must_enqueue_a_node_when_it_is_first_discovered(on_discovery, steps):
    neighbors = [layered_graph(16).neighbors(v) for v in range(33)]
    queue, taken, seen, head = [0], set(), {0}, 0
    while head < len(queue):
        v = queue[head]
        head += 1
        taken.add(v)
        for w in neighbors[v]:
            if w not in (seen if on_discovery else taken):
                queue.append(w)
                seen.add(w)

    assert head == steps


def test_graphs_without_nodes_have_one_class():
    assert graph_classes(np.array([], dtype=np.int64), np.array([0, 0, 0])).tolist() == [0, 0]


def refines(union, ptr, finer, coarser, *, nodes=False):
    """Return whether nodes (or graphs) with one class of the finer test have one class of the coarser."""
    fine, coarse = (test.classes(union, ptr) for test in (finer, coarser))
    if not nodes:
        fine, coarse = graph_classes(fine, ptr), graph_classes(coarse, ptr)
    return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))


@pytest.fixture(scope="module")
def mixed_graphs():
    """Return all connected graphs of six nodes, and pairs that are hard to distinguish."""
    hard = [named.shrikhande(), named.rook_4x4(), *cfi_pair(named.cycle(4)), *cone_pair(8), named.petersen()]
    return disjoint_union([*small_graphs(6, connected=True), *hard])


@pytest.mark.parametrize(
    ("finer", "fine_radius", "coarser", "coarse_radius"),
    [
        *(
            ("ball", 2, name, radius)
            for name, radius in (("R0", None), ("full", 2), ("R1", None), ("R2", None))
        ),
        ("ball", 3, "R3", None),
        *(("ball", radius + 1, "ball", radius) for radius in (0, 1, 2)),
        *(("ball", radius, f"R4({radius}, marks=2)", None) for radius in (1, 2)),
        *((f"R4(2, marks={marks + 1})", None, f"R4(2, marks={marks})", None) for marks in (1, 2)),
        *((f"R5({marks + 1})", None, f"R5({marks})", None) for marks in (1, 2)),
        ("R5(1)", None, "1-wl", None),
    ],
)
def test_a_higher_rung_refines_a_lower_one_node_by_node(
    need, mixed_graphs, finer, fine_radius, coarser, coarse_radius
):
    if "ball" in (finer, coarser):
        need("igraph")
    tests = named_criterion(finer, fine_radius), named_criterion(coarser, coarse_radius)

    assert refines(*mixed_graphs, *tests, nodes=True)


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_one_mark_is_1wl_inside_ego_networks_with_a_marked_root(mixed_graphs, radius):
    def classify(graph, _, __):
        around = ego_networks(graph, np.arange(graph.num_nodes), radius)
        return graph_classes(refine_colors(around.graph, around.distance == 0), around.ptr)

    one, other = named_criterion(f"R4({radius}, marks=1)"), Criterion("marked root", classify)

    assert refines(*mixed_graphs, one, other, nodes=True)
    assert refines(*mixed_graphs, other, one, nodes=True)


def test_one_mark_distinguishes_nothing_that_2fwl_does_not(mixed_graphs):
    pairs = disjoint_union([*sr25()[:5], *cfi_pair(named.complete(4)), named.shrikhande(), named.rook_4x4()])

    for family in (mixed_graphs, pairs):
        assert refines(*family, named_criterion("2-fwl"), named_criterion("R5(1)"))


def folklore_3(graphs):
    """Return the stable color of (v, v, v) under 3-FWL for all nodes of connected graphs of one size."""
    near = np.array([graph.to_scipy().toarray() for graph in graphs]) + 2 * np.eye(
        graphs[0].num_nodes, dtype=int
    )
    size = near.shape[1]
    colors = near[:, :, :, None] * 9 + near[:, :, None, :] * 3 + near[:, None, :, :]
    count = 0
    while True:
        rows = np.stack(
            [
                # The triples with x in the first, second and third position; x is the last axis.
                np.broadcast_to(np.moveaxis(colors, 1, 3)[:, None], (len(graphs), *(size,) * 4)),
                np.broadcast_to(np.moveaxis(colors, 2, 3)[:, :, None], (len(graphs), *(size,) * 4)),
                np.broadcast_to(colors[:, :, :, None], (len(graphs), *(size,) * 4)),
            ]
        )
        base = int(colors.max()) + 1
        around = np.sort(rows[0] * base**2 + rows[1] * base + rows[2], axis=-1)
        table = np.concatenate([colors[..., None], around], axis=-1).reshape(-1, size + 1)
        numbers = np.unique(table, axis=0, return_inverse=True)[1]
        colors = numbers.reshape(colors.shape)
        if colors.max() == count:
            every = np.arange(size)
            return colors[:, every, every, every].ravel()
        count = int(colors.max())


@pytest.mark.parametrize(
    "graphs",
    [
        (named.shrikhande(), named.rook_4x4()),
        cfi_pair(named.cycle(4)),
        tuple(small_graphs(6, connected=True)),
        (named.karate_club(),),
    ],
    ids=["strongly regular", "CFI", "six nodes", "karate club"],
)
def test_two_marks_distinguish_no_nodes_that_3fwl_does_not(graphs):
    fine, coarse = folklore_3(graphs), individualize(list(graphs), 2).nodes

    assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))


@pytest.mark.parametrize("marks", [1, 2])
@pytest.mark.parametrize("cell", ["largest", "all"])
def test_two_marks_do_not_distinguish_cfi_graphs_of_k5(marks, cell):
    """K5 has treewidth 4, so 3-FWL does not distinguish its CFI graphs; three marks do."""
    pair = list(cfi_pair(named.complete(5)))

    assert individualize(pair, marks, cell=cell).graphs.tolist() == [0, 0]
    assert individualize(pair, 3, cell="all").graphs.tolist() == [0, 1]


def test_renaming_nodes_permutes_rows_and_keeps_the_multiset():
    graph, rng = named.karate_club(), np.random.default_rng(0)
    order = rng.permutation(graph.num_nodes)
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    other = Graph.from_indices(order[source], order[graph.indices], graph.num_nodes)

    for settings in (
        {"radius": (1, 2)},
        {"radius": 2, "degrees": "full"},
        {"radius": 2, "rooted": "refined"},
    ):
        both = egonet.encode([graph, other], **settings)
        first, second = both.classes[: graph.num_nodes], both.classes[graph.num_nodes :]
        assert (first == second[order]).all()


@pytest.mark.parametrize(
    ("graph", "diameter"), [(named.path(6), 5), (named.petersen(), 2), (named.cycle(7), 3)]
)
def test_a_radius_beyond_the_diameter_changes_nothing(graph, diameter):
    rows = [egonet.encode(graph, radius) for radius in range(diameter + 3)]
    found = [[encoding[node] for node in graph.node_ids.tolist()] for encoding in rows]

    assert found[diameter] == found[diameter + 1] == found[diameter + 2]
    assert found[diameter] != found[diameter - 1]


@pytest.mark.parametrize(
    ("graph", "n", "d", "beta"),
    [
        (named.petersen(), 10, 3, 0),
        (named.shrikhande(), 16, 6, 2),
        (triangular(7), 21, 10, 5),
        (sr25()[3], 25, 12, 5),
    ],
)
def test_all_roots_of_a_strongly_regular_graph_have_one_encoding_that_n_d_and_beta_determine(
    graph, n, d, beta
):
    for radius, expected in (
        (1, {(0, d): 1, (1, beta + 1): d}),
        (2, {(0, d): 1, (1, d): d, (2, d): n - d - 1}),
    ):
        encoding = egonet.encode(graph, radius)
        assert all(encoding[node] == expected for node in range(n))


@pytest.mark.parametrize(
    ("first", "second", "degree"),
    [
        (named.cycle(6), (0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3), 2),
        (named.figure2()[0], named.figure2()[1], 4),
        (named.shrikhande(), named.rook_4x4(), 6),
    ],
)
def test_1wl_gives_regular_graphs_of_equal_size_one_coloring(first, second, degree):
    second = second if isinstance(second, Graph) else Graph.from_edges(np.reshape(second, (-1, 2)).tolist())

    assert set(first.degrees.tolist()) == set(second.degrees.tolist()) == {degree}
    assert set(egonet.wl_colors([first, second]).tolist()) == {0}


def diameter(graph):
    """Return the largest distance between two nodes; None if some are not connected."""
    neighbors = [
        graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.num_nodes)
    ]
    found = [distances(neighbors, root, graph.num_nodes) for root in range(graph.num_nodes)]
    return (
        max(max(each.values()) for each in found)
        if all(len(each) == len(neighbors) for each in found)
        else None
    )


def test_a_strongly_regular_graph_has_diameter_2_unless_it_is_a_union_of_cliques():
    three_triangles = disjoint_union([named.complete(3)] * 3)[0]
    near = three_triangles.to_scipy().toarray()

    # Parameters (9, 2, 1, 0): neighbors share one neighbor, others none.
    assert set((near @ near)[near == 1].tolist()) == {1}
    assert set((near @ near)[(near == 0) & ~np.eye(9, dtype=bool)].tolist()) == {0}
    assert diameter(three_triangles) is None
    for graph in (named.petersen(), named.shrikhande(), named.rook_4x4(), triangular(7), *sr25()):
        assert diameter(graph) == 2


@pytest.mark.parametrize("graph", [named.petersen(), named.shrikhande(), triangular(7), sr25()[3]])
def test_the_largest_useful_radius_of_a_strongly_regular_graph_is_2(graph):
    rows = [egonet.encode(graph, radius)[0] for radius in (1, 2, 3, 4)]

    assert rows[0] != rows[1]
    assert rows[1] == rows[2] == rows[3]


@pytest.mark.parametrize("graph", [named.petersen(), named.shrikhande(), triangular(7), sr25()[3]])
def test_gamma_follows_from_the_other_parameters(graph):
    near = graph.to_scipy().toarray()
    common, other = near @ near, ~np.eye(len(near), dtype=bool)
    n, d = len(near), int(near[0].sum())
    (beta,), (gamma,) = (set(common[(near == linked) & other].tolist()) for linked in (1, 0))

    assert d * (d - beta - 1) == (n - d - 1) * gamma


@pytest.mark.parametrize(("degree", "radius"), [(6, 1), (6, 2), (12, 2)])
def test_the_arcs_of_the_last_ring_take_one_power_more_than_printed(degree, radius):
    """A tree in which all nodes within the radius have this degree: a search scans all their arcs."""
    ring, edges, size = [0], [], 1
    for hop in range(radius + 1):
        children = [(v, size + k) for k, v in enumerate(np.repeat(ring, degree - (hop > 0)).tolist())]
        edges += children
        ring = [child for _, child in children]
        size += len(children)
    graph = Graph.from_edges(edges)
    scanned = sum(
        int(graph.degrees[v]) for v in distances([graph.neighbors(v) for v in range(size)], 0, radius)
    )

    assert scanned > 2 * degree**radius
    assert degree ** (radius + 1) / 2 <= scanned <= 2 * degree ** (radius + 1)


def test_edges_of_the_last_ring_are_no_refinement():
    # IGEL-W leaves out the edges between nodes at the last distance; the proof of lemma 1 replaces the encoding by it.
    weak = Settings(2, frontier_edges=False)
    first, second = pair("EJeg", "EImo")
    assert equivalent(first, second, test="total", radius=2)
    assert not equivalent(first, second, test=weak)


def test_without_the_edges_of_the_last_ring_radius_1_has_only_degrees():
    encoding = egonet.encode(named.complete(4), 1, frontier_edges=False)
    given = pair("DK[", "DBw")

    assert encoding[0] == {(0, 3): 1, (1, 1): 3}
    assert equivalent(*given, test=Settings(1, frontier_edges=False))
    assert not equivalent(*given, test="total", radius=1)
    assert not equivalent(*given, test="1-wl")


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_a_row_has_at_most_one_entry_per_distance_and_degree_and_per_node(radius):
    for graph in (named.karate_club(), named.petersen(), named.star(9), named.path(9)):
        encoding = egonet.encode(graph, radius)
        largest = int(graph.degrees.max())
        assert encoding.matrix.nnz <= graph.num_nodes * min(1 + radius * largest, graph.num_nodes)


def test_r3_is_no_function_of_ego_networks_of_radius_2():
    results = Path(__file__).parents[2] / "results" / "expressivity.json"
    csl = {score["name"]: score["csl"] for score in json.loads(results.read_text())["scores"]}
    rings = disjoint_union(circulant_skip_links())

    found = {name: len(set(graph_classes(named_criterion(name, radius).classes(*rings), rings[1]).tolist()))
             for name, radius in (("R3", None), ("R4(2, marks=3)", None))}  # fmt: skip
    assert found["R3"] > found["R4(2, marks=3)"]
    assert csl["R3"] > csl["ball r=2"]


def test_r3_is_three_pairs_of_brec_short_of_all_that_ego_networks_of_radius_2_contain():
    results = Path(__file__).parents[2] / "results" / "expressivity.json"
    totals = {score["name"]: score["brec_total"] for score in json.loads(results.read_text())["scores"]}

    assert totals["ball r=2"] - totals["R3"] == 3

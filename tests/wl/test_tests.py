"""What the tests distinguish: the theorems of the paper and their counterexamples, up to nine nodes."""

from itertools import pairwise

import numpy as np
import pytest

import egonet
from egonet import Graph, named
from egonet.graph.union import disjoint_union
from egonet.wl.compare import equivalent
from egonet.wl.tests import graph_classes, named_criterion
from experiments.expressivity.bits import canonical_bits
from experiments.expressivity.constructions import cone_pair
from experiments.expressivity.families import small_graphs, trees


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
    assert not equivalent(*given)
    assert equivalent(*given, test="total", radius=tuple(range(1, 9)))


@pytest.mark.parametrize(
    ("radius", "first", "second"), [(1, "E?qo", "ECR_"), (2, "FCZeo", "FCpv_"), (3, "F?rf_", "FCRVO")]
)
def test_lemma_1_fails_for_one_radius_on_smaller_graphs(radius, first, second):
    given = pair(first, second)

    assert not equivalent(*given)
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


def test_a_larger_radius_is_not_always_stronger():
    given = pair("EQzO", "EEz_")

    assert not equivalent(*given, test="total", radius=1)
    assert all(equivalent(*given, test="total", radius=radius) for radius in range(2, 7))


def test_the_encoding_distinguishes_the_smallest_connected_pair_that_1wl_does_not():
    given = pair("EQjO", "EEj_")

    assert equivalent(*given)
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

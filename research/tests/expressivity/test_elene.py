"""What a correct ELENE separates: counts, and colors in place of learned vectors."""

import numpy as np

from contracts.parts import need

need("torch")
from egonet import Graph, disjoint_union, named  # noqa: E402
from egonet.wl import graph_classes  # noqa: E402
from research.expressivity import elene  # noqa: E402


def classes(criterion, graphs):
    union, ptr = disjoint_union(list(graphs))
    return graph_classes(criterion.classes(union, ptr), ptr).tolist()


def test_strongly_regular_graphs_stay_equal():
    for criterion in (elene.counts(2, "edges", refined=True), elene.learned(1), elene.learned(2)):
        assert set(classes(criterion, named.sr25())) == {0}
        assert classes(criterion, [named.rook_4x4(), named.shrikhande()]) == [0, 0]


def test_the_learned_form_separates_what_counts_of_edges_separate():
    hub = [(0, leaf) for leaf in range(1, 7)]
    pair = [
        Graph.from_edges([*hub, (1, 2), (2, 3), (3, 4), (5, 6)]),
        Graph.from_edges([*hub, (1, 2), (2, 3), (4, 5), (5, 6)]),
    ]

    assert classes(elene.counts(1, "nodes", refined=False), pair) == [0, 0]
    assert classes(elene.counts(1, "edges", refined=False), pair) == [0, 1]
    assert classes(elene.learned(1), pair) == [0, 1]


def test_colors_do_not_depend_on_names_of_nodes():
    graph = named.karate_club()
    order = np.random.default_rng(0).permutation(34)
    other = Graph.from_edges(order[graph.edges()], num_nodes=34)

    assert classes(elene.learned(2), [graph, other]) == [0, 0]

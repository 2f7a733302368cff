"""S3, S4 and N1 of BREC's published list, computed again by their definitions."""

from itertools import combinations

import numpy as np
import pytest

from contracts.parts import need
from egonet.errors import InputError
from egonet.wl import named_criterion
from research.expressivity.comparison import PUBLISHED, Contender, distinguished_pairs
from research.expressivity.families import brec
from research.expressivity.induced import adjacency, induced_subgraphs, quadruples, triples
from research.expressivity.invariance import random_graphs

#: Sorted degrees to the column; they determine the connected graphs of three and four nodes.
TRIPLES = {(2, 2, 2): 0, (1, 1, 2): 1}
QUADRUPLES = {
    (1, 1, 2, 2): 0,
    (1, 1, 1, 3): 1,
    (2, 2, 2, 2): 2,
    (1, 2, 2, 3): 3,
    (2, 2, 3, 3): 4,
    (3, 3, 3, 3): 5,
}


@pytest.mark.parametrize(("size", "types", "count"), [(3, TRIPLES, triples), (4, QUADRUPLES, quadruples)])
def test_counts_are_those_of_all_subsets(size, types, count):
    for graph in random_graphs(30, seed=11):
        near = adjacency(graph, 0, graph.num_nodes)
        expected = np.zeros((graph.num_nodes, len(types)), dtype=np.int64)
        for nodes in combinations(range(graph.num_nodes), size):
            degrees = tuple(sorted(near[np.ix_(nodes, nodes)].sum(1).tolist()))
            if degrees in types:
                expected[list(nodes), types[degrees]] += 1

        assert count(near).tolist() == expected.tolist()


def test_other_sizes_are_an_error():
    with pytest.raises(InputError, match="size must be 3 or 4, got 5"):
        induced_subgraphs(5)


def by_category(criterion, folder):
    pairs = brec(folder)
    found = distinguished_pairs(Contender("peer", criterion), pairs)
    regular = [name for name in pairs.categories if "egular" in name or name.startswith("4-")]
    groups = (["Basic"], regular, ["Extension"], ["CFI"])
    return tuple(sum(int(found[slice(*pairs.categories[name])].sum()) for name in group) for group in groups)


@pytest.mark.parametrize("size", [3, 4])
def test_published_splits_of_s3_and_s4_are_those_of_their_definitions(size, data_folder):
    published = {figure.name: figure.brec for figure in PUBLISHED}

    assert by_category(induced_subgraphs(size), data_folder) == published[f"S{size}"]


def test_n1_by_its_definition_has_another_split_than_published(data_folder):
    need("igraph")

    assert by_category(named_criterion("ball", 1).with_refinement(), data_folder) == (59, 119, 67, 0)

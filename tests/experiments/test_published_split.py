"""What the published areas of link prediction say about the sets they were measured on."""

import random

import numpy as np
import pytest

from egonet.experiments.linksplit import edge_list

torch = pytest.importorskip("torch")
from egonet.experiments.linkprediction import read_links  # noqa: E402
from egonet.experiments.publishedsplit import first_places  # noqa: E402

#: Published areas of Facebook, seeds 1 to 5, and the sizes of test set and of its positives that they fit.
AREAS = (0.9771099754055381, 0.9751618116814618, 0.9762827948810963, 0.9744504036033359, 0.9769853316211831)
SIZES = ((58271, 29144), (58370, 29188), (57439, 28772), (57953, 28970), (57844, 28986))


def misfit(area, size, positives):
    """Return how far an area is from a whole number of half pairs; ties count half."""
    pairs = 2 * np.longdouble(area) * positives * (size - positives)
    return abs(pairs - np.round(pairs))


def test_published_areas_fit_sets_with_kept_edges_and_none_without():
    for area, (size, positives) in zip(AREAS, SIZES, strict=True):
        assert misfit(area, size, positives) < 1e-6
        # Half of 88,234 edges removed, as many non-edges, half of both tested; 600 is seven standard deviations.
        assert misfit(area, 44117, np.arange(44117 // 2 - 600, 44117 // 2 + 601)).min() > 1e-5


def are_joined(near, u, v):
    """Return whether two vertices are connected, searching from both ends."""
    seen = [{u}, {v}]
    edge = [{u}, {v}]
    while edge[0] and edge[1]:
        side = int(len(edge[1]) < len(edge[0]))
        edge[side] = {w for x in edge[side] for w in near[x]} - seen[side]
        if edge[side] & seen[1 - side]:
            return True
        seen[side] |= edge[side]
    return False


def remove_half(edges, num_nodes, seed):
    """Remove half of the edges with the published seeds: a random edge, unless it was tried or parts its ends."""
    draw, left, tried, gone = random.Random(seed), list(edges), set(), 0
    near = [set() for _ in range(num_nodes)]
    for u, v in edges:
        near[u].add(v)
        near[v].add(u)
    while gone < round(len(edges) / 2):
        place = draw.randrange(len(left))
        u, v = left[place]
        if (u, v) in tried:
            continue
        tried.add((u, v))
        del left[place]
        near[u].remove(v)
        near[v].remove(u)
        if are_joined(near, u, v):
            gone += 1
        else:
            left.append((u, v))
            near[u].add(v)
            near[v].add(u)
    return left


def test_the_first_published_seed_gives_the_size_that_its_area_fits(data_folder):
    graph = read_links("facebook")
    # The published list goes by ids, which are 0 to 4038.
    edges = np.sort(graph.nodes[edge_list(graph)], axis=1)
    edges = edges[np.lexsort(edges.T[::-1])]
    ends = np.sort(first_places(edges, graph.num_nodes)[edges], axis=1)

    kept = np.array(sorted(remove_half([tuple(pair) for pair in ends.tolist()], graph.num_nodes, 1)))

    again = first_places(kept, graph.num_nodes)
    turned = int((again[kept[:, 0]] > again[kept[:, 1]]).sum())
    assert len(kept) == 44117
    assert len(edges) - len(kept) + turned == SIZES[0][0]

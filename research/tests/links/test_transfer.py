"""Links in an unseen graph: columns that do not grow with degrees, and a choice that does not see the target."""

import numpy as np
import pytest

from contracts.parts import need

need("sklearn")
need("torch")

from egonet import Graph, named  # noqa: E402
from egonet.errors import InputError  # noqa: E402
from research.links import transfer  # noqa: E402
from research.links.other_graphs import GRAPHS, other_graph  # noqa: E402
from research.links.pair_columns import COLUMNS, columns_of, overlaps, shares  # noqa: E402


def cliques(size):
    """Return two cliques that share one node: pairs of one clique differ from pairs of two."""
    first, second = range(size), range(size - 1, 2 * size - 1)
    return Graph.from_edges([(u, v) for part in (first, second) for u in part for v in part if u < v])


def test_shares_of_a_pair_in_a_clique_do_not_depend_on_its_size():
    small, large = (transfer.encoded(named.complete(size), np.array([[0, 1]])) for size in (17, 31))

    # Both sizes are in the same bin of degrees, which is all that weights see.
    assert np.allclose(shares(small), shares(large), atol=1e-6)
    assert not np.allclose(columns_of(small, "counts"), columns_of(large, "counts"))


def test_overlaps_are_higher_inside_a_clique_than_between_two():
    graph = cliques(9)
    inside, between = overlaps(transfer.encoded(graph, np.array([[0, 1], [0, 12]])))

    assert inside[0] > between[0]


def test_every_candidate_gives_finite_columns_for_pairs_without_neighbors():
    lonely = Graph.from_edges([(0, 1)], nodes=range(5))

    for name in COLUMNS:
        found = columns_of(transfer.encoded(lonely, np.array([[3, 4], [0, 1]])), name)
        assert np.isfinite(found).all()


def test_a_model_that_saw_one_graph_ranks_the_links_of_another():
    rng = np.random.default_rng(0)
    groups = [np.repeat(np.arange(8), size) for size in (12, 20)]
    graphs = []
    for group in groups:
        chance = np.where(group[:, None] == group[None, :], 0.6, 0.01)
        u, v = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
        graphs.append(Graph.from_indices(u, v, len(group)))
    rows = {str(place): transfer.link_rows(graph, 1, 400) for place, graph in enumerate(graphs)}
    made = {name: transfer.parts(each, "shares", ranked=True) for name, each in rows.items()}

    areas = transfer.transfer_areas(rows, made, transfer.MODELS["linear"]["linear, C=0.01"])

    assert areas["smallest"] > 0.85


def test_the_recipe_is_chosen_without_the_two_graphs_it_is_used_on():
    assert not set(transfer.PAIR) & {name.lower() for name in GRAPHS}


def test_unknown_steps_and_graphs_are_one_sentence():
    with pytest.raises(InputError, match="say which step: choose or pair"):
        transfer.main(["both"])
    with pytest.raises(InputError, match="there is no graph 'facebook'"):
        other_graph("facebook")

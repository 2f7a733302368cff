"""Link prediction: the split keeps components whole, non-edges are none, scores are known by hand."""

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet.errors import InputError

torch = need("torch")
from egonet import Training, Walks  # noqa: E402
from research.paper.nodes.choice import NodeChoice, node_spec, parse_encoding  # noqa: E402
from research.paper.nodes.link_prediction import METHODS, read_links, run_links  # noqa: E402
from research.paper.nodes.link_scores import area_under_curve, degree_scores, hadamard_scores  # noqa: E402
from research.paper.nodes.link_split import LinkSplit, edge_list, non_edges, removable, split_links  # noqa: E402
from research.paper.nodes.node2vec import BiasedWalker, node2vec  # noqa: E402
from research.paper.published.split import published_split  # noqa: E402
from research.paper.results import read_lines  # noqa: E402


def components(edges, num_nodes):
    label = list(range(num_nodes))
    for _ in range(num_nodes):
        for u, v in edges:
            label[u] = label[v] = min(label[u], label[v])
    return len(set(label))


def one_by_one(edges, num_nodes, order):
    """Remove edges in order, each only if its ends stay connected: the procedure in the paper, word for word."""
    kept, gone = [tuple(edge) for edge in edges.tolist()], []
    whole = components(kept, num_nodes)
    for number in order:
        rest = [edge for edge in kept if edge != tuple(edges[number].tolist())]
        if components(rest, num_nodes) == whole:
            kept, gone = rest, [*gone, int(number)]
    return gone


@pytest.mark.parametrize("seed", range(6))
def test_one_tree_removes_what_trying_edges_one_by_one_removes(seed):
    rng = np.random.default_rng(seed)
    pairs = np.unique(np.sort(rng.integers(12, size=(22, 2)), axis=1), axis=0)
    edges = pairs[pairs[:, 0] != pairs[:, 1]]

    removed = removable(edges, 12, len(edges), np.random.default_rng(seed + 100))

    order = np.random.default_rng(seed + 100).permutation(len(edges))
    assert removed.tolist() == one_by_one(edges, 12, order)


def test_a_split_has_half_the_edges_and_as_many_others():
    club = egonet.named.karate_club()

    split = split_links(club, np.random.default_rng(1))

    pairs = np.concatenate([split.train_pairs, split.test_pairs])
    labels = np.concatenate([split.train_labels, split.test_labels])
    assert split.graph.num_edges == 39
    assert (int(labels.sum()), len(labels), len(split.train_pairs)) == (39, 78, 39)
    edges = {tuple(edge) for edge in edge_list(club).tolist()}
    kept = {tuple(edge) for edge in edge_list(split.graph).tolist()}
    asked = {tuple(sorted(pair)) for pair in pairs[labels].tolist()}
    assert asked == edges - kept
    assert components(kept, 34) == 1


def test_honest_negatives_are_pairs_without_an_edge():
    club = egonet.named.karate_club()
    edges = edge_list(club)
    every = 34 * 33 // 2 - 78

    found = non_edges(edges, 34, every, np.random.default_rng(1))

    pairs = {tuple(pair) for pair in found.tolist()}
    assert len(pairs) == every
    assert all(u < v for u, v in pairs)
    assert not pairs & {tuple(edge) for edge in edges.tolist()}
    with pytest.raises(InputError, match="has only 483 pairs without an edge, 484 are needed"):
        non_edges(edges, 34, every + 1, np.random.default_rng(1))


def asked_of(split):
    pairs = np.concatenate([split.train_pairs, split.test_pairs])
    labels = np.concatenate([split.train_labels, split.test_labels])
    return pairs[labels], pairs[~labels]


def test_the_published_split_takes_kept_edges_for_removed_ones():
    """Read back, the path 0-2-3-1 is numbered 0, 2, 3, 1 instead of 0, 2, 1, 3."""
    path = egonet.Graph.from_indices(np.array([0, 1, 2]), np.array([2, 3, 3]), 4)

    once, twice = (published_split(path, 1, listed_twice=twice) for twice in (False, True))

    # Listed once, 0 2 and 1 3 and 2 3 already number 0, 2, 1, 3; a path has no edge to spare.
    assert [asked_of(split)[0].tolist() for split in (once, twice)] == [[[1, 3]], [[1, 3], [1, 3]]]
    assert once.graph.num_edges == twice.graph.num_edges == 3
    # Stored as (0, 2), (2, 3) and (3, 1): the reverses and loops pass for non-edges, (1, 3) does not.
    allowed = {(u, v) for u in range(4) for v in range(4)} - {(0, 2), (2, 3), (3, 1), (1, 3)}
    for seed in range(40):
        split = published_split(path, seed, listed_twice=True)
        assert set(map(tuple, asked_of(split)[1].tolist())) <= allowed


def test_areas_under_the_curve_by_hand():
    labels = np.array([True, False, True, False])

    assert area_under_curve(labels, np.array([4.0, 3.0, 2.0, 1.0])) == 0.75
    assert area_under_curve(labels, np.zeros(4)) == 0.5
    with pytest.raises(InputError, match="needs positives and negatives"):
        area_under_curve(np.array([True]), np.array([1.0]))


def test_the_classifier_finds_the_dimension_that_matters():
    rng = np.random.default_rng(1)
    vectors = torch.from_numpy(rng.choice([-1.0, 1.0], size=(60, 3))).float()
    pairs = rng.integers(60, size=(400, 2))
    labels = (vectors[pairs[:, 0], 1] * vectors[pairs[:, 1], 1] > 0).numpy()
    split = LinkSplit(egonet.named.karate_club(), pairs[:200], labels[:200], pairs[200:], labels[200:])

    assert area_under_curve(split.test_labels, hadamard_scores(split, vectors, seed=1)) > 0.99


def test_degrees_alone_find_edges_of_a_hub():
    star = egonet.Graph.from_edges([(0, leaf) for leaf in range(1, 40)])
    pairs = np.array([[0, leaf] for leaf in range(1, 21)] + [[leaf, leaf + 1] for leaf in range(1, 21)])
    labels = np.arange(40) < 20
    split = LinkSplit(star, pairs, labels, pairs, labels)

    assert area_under_curve(labels, degree_scores(split, seed=1)) == 1.0


def test_biased_walks_weigh_the_way_back_by_p():
    # On a path of three the middle's neighbors are where the walk came from (1 / p) and the other end (1 / q).
    path = egonet.Graph.from_edges([(0, 1), (1, 2)])

    paths = BiasedWalker(path, Walks(per_node=6000, length=3), (0.25, 1.0), 1, "cpu")().numpy()

    from_end = paths[paths[:, 0] == 0]
    assert (from_end[:, 1] == 1).all()
    assert (from_end[:, 2] == 0).mean() == pytest.approx(4 / 5, abs=0.02)


def test_node2vec_pulls_communities_together():
    cliques = [(f"{side}{i}", f"{side}{j}") for side in "lr" for i in range(8) for j in range(i)]
    graph = egonet.Graph.from_edges([*cliques, ("l0", "r0")])

    vectors = node2vec(graph, 8, Walks(10, 10, 2), Training(epochs=5, rate=0.05), seed=1)

    near = vectors @ vectors.T
    left = [row for row, node in enumerate(graph.node_ids) if node.startswith("l")]
    right = [row for row, node in enumerate(graph.node_ids) if node.startswith("r")]
    assert near[left][:, left].mean() > near[left][:, right].mean() + 0.5


def test_a_quick_run_leaves_lines_and_a_second_run_finds_them(data_folder, tmp_path):
    said = []
    choice = NodeChoice(data=("facebook",), quick=True, folder=tmp_path, methods=("egonet", "adamic-adar"))

    lines = run_links(choice)
    again = run_links(choice, said.append)

    assert [line.model for line in lines] == ["egonet", "adamic-adar"]
    assert lines[0].score > 0.8
    assert lines[1].score > 0.95
    assert not again
    assert said == ["facebook: 2 of 2 lines are finished, skipped"]
    kept = list(read_lines(tmp_path / "linkprediction.honest.jsonl"))
    assert [line.score for line in kept] == [line.score for line in lines]


def test_the_spec_names_what_was_published_and_names_are_checked(data_folder):
    spec = node_spec("linkprediction")

    assert {name: spec["data"][name]["published"] for name in spec["data"]} == {
        "facebook": 0.976,
        "ca-astroph": 0.984,
    }
    assert "transfer" in METHODS
    assert (read_links("ca-astroph").num_nodes, read_links("ca-astroph").num_edges) == (18772, 198050)
    with pytest.raises(InputError, match="link prediction has no data set 'mutag'"):
        read_links("mutag")
    with pytest.raises(InputError, match="protocol must be paper or honest, got 'loose'"):
        NodeChoice(protocol="loose")
    with pytest.raises(InputError, match="an encoding is written as full@2"):
        parse_encoding("full")

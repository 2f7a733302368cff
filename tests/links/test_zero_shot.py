"""The predictor that needs no training: its file, its columns, its scores."""

import json
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import named
from egonet.errors import FileError, InputError
from egonet.links import predict, recommend, zero_shot_columns
from egonet.links.around import look_around
from egonet.links.invariant import Scale, invariant_columns
from egonet.links.zero_shot import ZeroShot, choose_model, parse_models, read_models

TEXT = files("egonet.links").joinpath("zero_shot.json").read_text("utf-8")


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 12), st.data())
def test_columns_without_the_edge_are_those_of_the_graph_that_lacks_it(size, data):
    pairs = [(u, v) for u in range(size) for v in range(u)]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=30, unique=True))
    whole, lacking = (egonet.as_graph(part, num_nodes=size) for part in (edges, edges[1:]))
    rows, scale = np.array([edges[0]]), Scale.of(whole)

    first, second = (
        invariant_columns(look_around(graph, rows, 3, walks=True), scale) for graph in (whole, lacking)
    )

    np.testing.assert_allclose(first.values, second.values, rtol=1e-12, atol=1e-12)


def test_the_file_is_small_and_says_where_it_is_from():
    content = json.loads(TEXT)

    assert len(TEXT.encode()) <= 100_000
    assert content["version"] == 1
    assert content["graphs"] >= 50
    assert not any("GPL" in licence for licence in content["sources"].values())


def test_a_changed_coefficient_is_found_by_the_checksum():
    content = json.loads(TEXT)
    content["models"][0]["intercept"] += 1

    with pytest.raises(FileError, match="its checksum differs"):
        parse_models(json.dumps(content))


def test_another_version_is_an_error():
    with pytest.raises(FileError, match="must have version 1, got 2"):
        parse_models(json.dumps(json.loads(TEXT) | {"version": 2}))
    with pytest.raises(FileError, match=r"zero_shot\.json is damaged"):
        parse_models(TEXT[:1000])


@pytest.mark.parametrize("model", read_models(), ids=lambda model: f"radius {model.radius}")
def test_the_columns_are_those_that_the_model_was_learned_with(model):
    _, _, names = zero_shot_columns(named.karate_club(), [(0, 33)], model.radius)

    assert tuple(names) == model.names


def test_sparse_graphs_are_searched_deeper_than_dense_ones():
    rng = np.random.default_rng(0)
    dense = egonet.as_graph(rng.integers(0, 3000, (150_000, 2)), num_nodes=3000)

    assert choose_model(named.path(2000)).radius == 5
    assert choose_model(named.karate_club()).radius == 3
    assert choose_model(dense).radius == 2


def test_the_score_does_not_depend_on_the_names_of_nodes():
    edges = named.karate_club().edges().tolist()
    first = predict(edges, [(0, 33), (4, 16)])
    second = predict([(f"n{u}", f"n{v}") for u, v in edges], [("n33", "n0"), ("n4", "n16")])

    np.testing.assert_allclose(first, second, atol=0.02)


def test_two_cliques_keep_to_themselves():
    """In two cliques of eight that lack an edge each, the missing edges are likelier than any pair across."""
    cliques = [(b + i, b + j) for b in (0, 8) for i in range(8) for j in range(i) if (i, j) != (1, 0)]
    graph = egonet.as_graph([*cliques, (7, 15)], num_nodes=16)

    inside, outside = predict(graph, [(0, 1), (8, 9)]), predict(graph, [(0, 8), (1, 12), (3, 9)])

    assert inside.min() > outside.max()
    assert recommend(graph, 0, k=1)[0][0] == 1


def test_a_node_without_an_edge_gets_a_score():
    graph = egonet.as_graph([(0, 1), (1, 2), (2, 0)], num_nodes=4)

    assert np.isfinite(predict(graph, [(0, 3)])).all()
    assert recommend(graph, 3) == []


def test_a_complete_graph_has_scores_too():
    with pytest.warns(UserWarning, match="1 of 1 pairs are edges of the graph"):
        assert np.isfinite(predict(named.complete(5), [(0, 1)])).all()


def test_a_graph_without_edges_is_an_error():
    with pytest.raises(InputError, match="links cannot be predicted in a graph without edges"):
        ZeroShot.of(egonet.as_graph([], num_nodes=3))


@pytest.mark.parametrize(
    ("radius", "message"),
    [
        (-1, "radius must be a whole number >= 1"),
        (2.5, "radius must be"),
        ("1", "radius must be"),
        (17, "at most 16"),
    ],
)
def test_a_bad_radius_is_one_sentence(radius, message):
    with pytest.raises(InputError, match=message):
        egonet.links.zero_shot_columns([("a", "b"), ("b", "c")], [("a", "c")], radius)


def test_a_pair_has_the_same_score_in_both_orders():
    # Walks are sums in another order for (v, u); a last digit must not change a rank among equal values.
    edges = [(0, 4), (1, 4), (1, 5), (2, 5), (2, 6), (3, 6), (3, 7), (0, 7), (4, 8), (5, 8), (0, 2)]
    pairs = [(u, v) for u in range(9) for v in range(u) if not {(u, v), (v, u)} & {*edges}]

    _, ranked, _ = zero_shot_columns(edges, pairs, 2)
    _, turned, _ = zero_shot_columns(edges, [pair[::-1] for pair in pairs], 2)

    np.testing.assert_array_equal(ranked, turned)
    np.testing.assert_allclose(
        predict(edges, pairs), predict(edges, [pair[::-1] for pair in pairs]), rtol=1e-12
    )

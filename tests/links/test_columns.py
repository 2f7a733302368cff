"""Columns of pairs: worked out by hand, and equal to those of the graph without the pair's edge."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import egonet
from contracts.parts import need
from egonet import named
from egonet.errors import InputError
from egonet.links import attributes, columns, link_columns
from egonet.links.columns import auto_radius

GROUPS = ("pairs", "overlap", "share", "ends", "walks", "latent")


@st.composite
def graphs(draw):
    size = draw(st.integers(3, 12))
    pairs = [(u, v) for u in range(size) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=30, unique=True))
    return size, edges


@settings(deadline=None, max_examples=60)
@given(graphs(), st.integers(0, 10**6))
def test_columns_without_the_edge_are_those_of_the_graph_that_lacks_it(drawn, seed):
    size, edges = drawn
    table = np.random.default_rng(seed).normal(size=(size, 3))
    u, v = edges[0]
    options = {"radius": (1, 2, 3), "attributes": table}

    with_edge, names = link_columns(egonet.as_graph(edges, num_nodes=size), [(u, v)], GROUPS, **options)
    lacking, same = link_columns(egonet.as_graph(edges[1:], num_nodes=size), [(u, v)], GROUPS, **options)

    assert names == same
    np.testing.assert_allclose(with_edge, lacking, rtol=1e-9, atol=1e-9)


def test_overlap_of_two_members_of_the_karate_club():
    """Members 0 and 33 share 8, 13, 19 and 31, of degrees 5, 5, 3 and 6."""
    values, names = link_columns(named.karate_club(), [(0, 33)], ["overlap"])

    degrees = np.array([5, 5, 3, 6])
    expected = [4, (1 / np.log(degrees)).sum(), (1 / degrees).sum(), 4 / (16 + 17 - 4)]
    np.testing.assert_allclose(values[0], expected, rtol=1e-8)
    assert names == ["common_neighbors", "adamic_adar", "resource_allocation", "jaccard"]


def test_the_order_of_both_ends_does_not_matter():
    graph = named.karate_club()
    first, _ = link_columns(graph, [(0, 33), (4, 16)], GROUPS, attributes=np.eye(34))
    second, _ = link_columns(graph, [(33, 0), (16, 4)], GROUPS, attributes=np.eye(34))

    assert first.tobytes() == second.tobytes()


def test_rounding_errors_of_inverses_do_not_separate_tied_pairs():
    """In a cycle, all pairs at one distance are alike; a tree could split where the last bits differ."""
    pairs = [(node, (node + 3) % 40) for node in range(40)]
    apart = [(node, 40 + node) for node in range(40)]
    graph = egonet.as_graph(
        [(40 * i + node, 40 * i + (node + 1) % 40) for i in range(2) for node in range(40)]
    )

    values, _ = link_columns(graph, pairs, ["walks", "latent"])
    assert len(np.unique(values, axis=0)) == 1
    assert not link_columns(graph, apart, ["walks", "latent"])[0].any()


def test_walks_of_a_star_are_finite_and_those_of_a_dense_graph_may_not_be():
    star = egonet.as_graph([(0, leaf) for leaf in range(1, 1500)])
    assert link_columns(star, [(1, 2)], ["walks"])[0][0, 0] == pytest.approx(1e-6 / (1 - 1e-6 * 1499))

    with pytest.raises(
        InputError, match="need a largest eigenvalue below 1,000, and that of this graph may be 1,00"
    ):
        link_columns(named.complete(1002), [(1, 2)], ["walks"])


def test_walks_equal_sums_over_paths():
    """A path of three: Katz is b^2 / (1 - 2 b^2), PageRank from one end at the other a^2 / 2 of what returns."""
    values, names = link_columns([(0, 1), (1, 2)], [(0, 2)], ["walks"])
    katz = 0.001**2 / (1 - 2 * 0.001**2)
    step = np.array([[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]])
    pagerank = 0.15 * np.linalg.inv(np.eye(3) - 0.85 * step)

    assert names == ["katz", "pagerank", "pagerank_cosine"]
    assert values[0, 0] == pytest.approx(katz)
    assert values[0, 1] == pytest.approx(pagerank[0, 2] + pagerank[2, 0])


@pytest.mark.parametrize("without_edge", [True, False])
def test_latent_columns_are_entries_of_a_soft_approximation(without_edge):
    graph = named.karate_club()
    values, names = link_columns(graph, [(0, 1), (0, 33)], ["latent"], without_edge=without_edge)

    for row, (u, v) in enumerate([(0, 1), (0, 33)]):
        adjacency = graph.to_scipy().toarray().astype(float)
        if without_edge:
            adjacency[u, v] = adjacency[v, u] = 0
        root = np.sqrt(adjacency.sum(axis=1))
        expected = []
        for matrix, scales in ((adjacency, (2, 8)), (adjacency / root / root[:, None], (0.2, 0.8))):
            eigenvalues, vectors = np.linalg.eigh(matrix)
            for scale in scales:
                weights = eigenvalues**2 / (eigenvalues**2 + scale**2)
                expected += [
                    ((vectors * part) @ vectors.T)[u, v] for part in (eigenvalues * weights, weights)
                ]
        np.testing.assert_allclose(values[row], expected, atol=1e-9)
    assert names[:2] == ["latent_link_2", "latent_alike_2"]
    assert names[-1] == "latent_alike_degrees_0.8"


@pytest.mark.parametrize(("group", "most"), [("walks", 20_000), ("latent", 10_000)])
def test_dense_columns_of_a_large_graph_are_an_error(group, most):
    message = (
        f'the columns "{group}" need a graph of at most {most:,} nodes, got {most + 1:,}. Leave them out.'
    )
    with pytest.raises(InputError, match=message):
        link_columns(named.path(most + 1), [(0, 2)], [group])


@pytest.mark.parametrize(("group", "limit"), [("walks", "MOST_WALK_NODES"), ("latent", "MOST_LATENT_NODES")])
def test_dense_columns_exist_for_as_many_nodes_as_the_message_says(monkeypatch, group, limit):
    """The two rows for unknown nodes do not count."""
    monkeypatch.setattr(columns, limit, 34)

    values, _ = link_columns(named.karate_club(), [(0, 33)], [group])
    assert np.isfinite(values).all()
    with pytest.raises(InputError, match="at most 34 nodes, got 35"):
        link_columns(named.path(35), [(0, 2)], [group])


def test_attributes_in_any_form_give_the_same_columns():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    table = pd.DataFrame({"x": [1.0, 0.0, 2.0, 3.0], "y": [0.0, 1.0, 1.0, 4.0]}, index=list("abcd"))
    expected, _ = link_columns(edges, [("a", "d")], ["attributes"], attributes=table)

    shuffled = table.loc[["d", "a", "c", "b"]]
    polars = pl.DataFrame({"node": list("abcd"), "x": table["x"].to_list(), "y": table["y"].to_list()})
    rows = {node: table.loc[node].to_list() for node in "dcba"}
    for given_ in (shuffled, polars, rows):
        found, _ = link_columns(edges, [("a", "d")], ["attributes"], attributes=given_)
        np.testing.assert_allclose(found, expected)
    for given_ in (table.to_numpy(), csr_array(table.to_numpy()), table.to_numpy().tolist()):
        found, _ = link_columns(edges, [("a", "d")], ["attributes"], attributes=given_, nodes=list("abcd"))
        np.testing.assert_allclose(found, expected)


def test_rows_of_attributes_in_one_column_are_not_read_as_positions_of_ones():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    rows = {"a": [1, 0], "b": [0, 1], "c": [1, 0], "d": [0, 1]}
    expected, _ = link_columns(edges, [("a", "c"), ("a", "d")], ["attributes"], attributes=rows)
    assert expected[:, 0].tolist() == [1.0, 0.0]

    table = pd.DataFrame({"node": list(rows), "kind": list(rows.values())})
    for given_ in (table, pl.DataFrame(table.to_dict("list")), pd.Series(rows)):
        found, _ = link_columns(edges, [("a", "c"), ("a", "d")], ["attributes"], attributes=given_)
        np.testing.assert_allclose(found, expected)
    for cells in ([[1], [1, 2], [1], [1]], [[], [], [], []], [[1], 2, [1], [1]]):
        with pytest.raises(InputError, match="column 'kind' must be a number, or a row of as many numbers"):
            link_columns(edges, [("a", "c")], attributes=table.assign(kind=cells))


def test_sparse_tensors_of_attributes_are_sparse_matrices():
    torch = need("torch")
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    expected, _ = link_columns([(0, 1), (1, 2)], [(0, 2)], ["attributes"], attributes=rows)

    found, _ = link_columns([(0, 1), (1, 2)], [(0, 2)], attributes=torch.tensor(rows).to_sparse())

    np.testing.assert_array_equal(found[:, -expected.shape[1] :], expected)


def test_complex_attributes_are_an_error():
    for given_ in (np.eye(3) * 1j, csr_array(np.eye(3) * 1j)):
        with pytest.raises(InputError, match=r"attributes must be a matrix of (real )?numbers"):
            link_columns([(0, 1), (1, 2)], [(0, 2)], attributes=given_)


def test_attributes_in_row_order_need_an_order():
    edges = [("b", "a"), ("a", "c")]
    for given_ in (np.eye(3), csr_array(np.eye(3)), [[1.0], [2.0], [3.0]]):
        with pytest.raises(InputError, match="attributes in row order need ids 0"):
            link_columns(edges, [("b", "c")], attributes=given_)
        values, _ = link_columns(egonet.as_graph(edges), [("b", "c")], ["attributes"], attributes=given_)
        assert np.isfinite(values).all()


def test_a_row_of_attributes_without_a_node_is_an_error():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}, index=list("abcd"))
    with pytest.raises(InputError, match="attributes must name nodes of the graph only: 1 of 4 ids are not"):
        link_columns([("a", "b"), ("b", "c")], [("a", "c")], attributes=table)


def test_wide_attributes_are_reduced_and_keep_their_cosines(monkeypatch):
    monkeypatch.setattr(attributes, "MOST_CELLS", 1000)
    rng = np.random.default_rng(0)
    low = rng.normal(size=(400, 5)) @ rng.normal(size=(5, 600))
    graph = named.cycle(400)
    wide, _ = link_columns(graph, [(0, 7)], ["attributes"], attributes=low)
    unit = low / np.linalg.norm(low, axis=1, keepdims=True)

    assert wide[0, 0] == pytest.approx(unit[0] @ unit[7], abs=1e-9)


def test_a_node_without_a_row_of_attributes_is_an_error():
    table = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"])
    with pytest.raises(InputError, match="1 of 3 are missing, first 'c'"):
        link_columns([("a", "b"), ("b", "c")], [("a", "c")], attributes=table)
    with pytest.raises(InputError, match="one row of numbers per node, 3, got shape"):
        link_columns([(0, 1), (1, 2)], [(0, 2)], attributes=[[1.0], [2.0]])
    with pytest.raises(InputError, match="got 1 missing or infinite"):
        link_columns([(0, 1), (1, 2)], [(0, 2)], attributes=[[1.0], [2.0], [np.nan]])


def test_text_attributes_are_an_error():
    table = pd.DataFrame({"city": ["x", "y", "z"]}, index=["a", "b", "c"])
    with pytest.raises(InputError, match="attributes in column 'city' must be finite numbers: 3 of 3"):
        link_columns([("a", "b"), ("b", "c")], [("a", "c")], attributes=table)


def test_a_node_without_an_edge_gets_a_row():
    graph = egonet.as_graph([(0, 1), (1, 2)], num_nodes=4)
    values, names = link_columns(graph, [(0, 3), (0, 2)], GROUPS)

    assert np.isfinite(values).all()
    assert values[0, names.index("common_neighbors")] == 0


def test_the_radius_follows_the_density():
    assert auto_radius(named.path(1000)) == (1, 2, 3, 4, 5, 6)
    assert auto_radius(named.complete(30)) == (1, 2)


def test_a_radius_that_no_group_uses_is_validated():
    with pytest.raises(InputError, match="radius must be a whole number >= 0, got -1"):
        link_columns([("a", "b"), ("b", "c")], [("a", "c")], ["overlap"], radius=-1)


def test_an_unknown_group_is_an_error():
    with pytest.raises(InputError, match="Did you mean 'overlap'"):
        link_columns([(0, 1), (1, 2)], [(0, 2)], ["overlaps"])


def test_groups_are_made_once_and_one_may_be_a_text():
    edges, pairs = [(0, 1), (1, 2)], [(0, 2)]
    expected, names = link_columns(edges, pairs, ["overlap"])
    for groups in ("overlap", ["overlap", "overlap"]):
        found, same = link_columns(edges, pairs, groups)
        assert same == names
        assert found.tolist() == expected.tolist()


def test_an_unknown_node_has_the_row_of_a_node_without_an_edge():
    edges = named.karate_club().edges().tolist()
    table = np.vstack([np.eye(34), np.zeros((2, 34))])
    known, names = link_columns(
        egonet.as_graph(edges, num_nodes=36),
        [(0, 34), (35, 34), (0, 1), (2, 3)],
        GROUPS,
        radius=2,
        attributes=table,
    )
    found, same = link_columns(
        egonet.as_graph(edges), [(0, "new"), ("newer", "new"), (0, 1), (2, 3)], GROUPS,
        radius=2, attributes=np.eye(34), handle_unknown="zero",
    )  # fmt: skip

    assert same == names
    np.testing.assert_allclose(found, known, rtol=1e-12, atol=1e-15)


def test_reduced_attributes_are_close_to_an_exact_decomposition(monkeypatch):
    monkeypatch.setattr(attributes, "MOST_CELLS", 1000)
    rng = np.random.default_rng(0)
    wide = (rng.random((500, 700)) < 0.03).astype(float)
    unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    left, singular, _ = np.linalg.svd(unit, full_matrices=False)
    exact = left[:, :256] * singular[:256]
    found = attributes._reduce_columns(csr_array(wide))

    np.testing.assert_allclose(found @ found.T, exact @ exact.T, atol=0.02)


def test_attributes_that_few_nodes_have_weigh_more():
    """Four nodes: the first attribute is that of all, weight log 2; the second that of two, weight log 3."""
    table = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    low, high = np.log(2), np.log(3)
    for given_ in (table, csr_array(table), 1e-30 * table, 1e-310 * table, 1e300 * table):
        values, _ = link_columns(
            [(0, 1), (1, 2), (2, 3)], [(0, 3), (0, 2)], ["attributes"], attributes=given_
        )

        np.testing.assert_allclose(values[:, 0], [low / np.hypot(low, high), 1.0], rtol=1e-12)

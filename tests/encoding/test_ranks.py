"""Ranks of counts and degrees in their own graph, quarters of degrees, and the distance between degrees of graphs."""

from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import egonet
from contracts.parts import need
from egonet.encoding.matrix import rank_columns
from egonet.encoding.ranks import DegreeProfile, RankTable
from egonet.errors import InputError
from egonet.kernel import reference

STAR_AND_EDGE = [(0, 1), (0, 2), (0, 3), (4, 5)]
SMALL_GRAPHS = st.sets(st.sampled_from(list(combinations(range(8), 2))), max_size=14).map(
    lambda edges: egonet.as_graph(sorted(edges), num_nodes=8)
)


def test_ranks_of_a_star_by_hand():
    # Degrees 3, 1, 1, 1, 1, 1: five of six nodes have the same, lower degree.
    assert egonet.degree_rank(egonet.as_graph(STAR_AND_EDGE)) == pytest.approx([11 / 12] + 5 * [5 / 12])


def test_isolated_nodes_have_the_lowest_rank():
    assert egonet.degree_rank(egonet.as_graph([(0, 1)], num_nodes=4)).tolist() == [0.75, 0.75, 0.25, 0.25]


def test_an_empty_graph_and_one_without_edges_have_ranks():
    assert egonet.degree_rank(egonet.as_graph([], num_nodes=0)).tolist() == []
    assert egonet.degree_rank(egonet.as_graph([], num_nodes=3)).tolist() == [0.5, 0.5, 0.5]


@settings(max_examples=60, deadline=None)
@given(st.lists(SMALL_GRAPHS, min_size=1, max_size=3))
def test_degree_ranks_equal_the_definition_graph_by_graph(graphs):
    expected = [
        reference.middle_rank(degree, graph.degrees.tolist())
        for graph in graphs
        for degree in graph.degrees.tolist()
    ]

    assert egonet.degree_rank(graphs).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(SMALL_GRAPHS, min_size=1, max_size=3))
def test_ranked_columns_equal_the_definition_graph_by_graph(graphs):
    encoding = egonet.encode(graphs, radius=(1, 2))

    ranks = encoding.weighted("rank").toarray()

    for first, last in zip(encoding.graph_ptr, encoding.graph_ptr[1:], strict=False):
        rows = encoding.matrix[first:last].toarray().tolist()
        assert ranks[first:last].tolist() == reference.rank_columns(rows)


@settings(max_examples=60, deadline=None)
@given(st.lists(SMALL_GRAPHS, min_size=1, max_size=3), st.sampled_from([None, [2, 0, 2]]))
def test_quarters_equal_the_definition_graph_by_graph(graphs, roots):
    graphs = graphs if roots is None else graphs[0]
    quarters = egonet.encode(graphs, radius=2, degree_bins="quantile", roots=roots)
    exact = egonet.encode(graphs, radius=2, roots=roots)

    parts = zip(quarters.graph_ptr, quarters.graph_ptr[1:], strict=False)
    for graph, (first, last) in zip(graphs if roots is None else [graphs], parts, strict=True):
        degrees = graph.degrees.tolist()
        for row in range(first, last):
            expected = {}
            for (distance, degree), count in exact.source.row(row).items():
                key = (distance, reference.degree_quarter(degree, degrees))
                expected[key] = expected.get(key, 0) + count
            assert quarters.source.row(row) == expected


def test_quarters_keep_labels_and_rows_in_column_order():
    labels = ["a", "b", "a", "b"]
    encoding = egonet.encode(
        egonet.as_graph([(0, 1), (1, 2), (2, 3)]), radius=1, degree_bins="quantile", labels=labels
    )

    assert encoding[0] == {(0, 2, "a"): 1, (1, 2, "b"): 1}
    assert encoding.matrix.has_sorted_indices


def test_columns_of_quarters_carry_over_to_a_denser_graph():
    sparse, dense = egonet.named.cycle(8), egonet.named.complete(8)
    learned = egonet.encode(sparse, radius=1, degree_bins="quantile")

    other = egonet.encode(dense, vocabulary=learned)

    assert learned.feature_names == ["r1_d0_degq3", "r1_d1_degq1"]
    assert other[0] == {(0, 3): 1, (1, 1): 7}
    assert (other.unseen.clipped, other.unseen.dropped) == (56, 0)
    assert other.feature_names == learned.feature_names


def test_renaming_nodes_renames_rows_of_ranks_and_quarters():
    club = egonet.named.karate_club()
    order = np.random.default_rng(0).permutation(34)
    edges = [(int(order[u]), int(order[v])) for u, v in club.edges().tolist()]
    options = {"radius": 2, "degree_bins": "quantile"}

    before = egonet.encode(club, **options).weighted("rank").toarray()
    after = egonet.encode(egonet.as_graph(edges), **options).weighted("rank").toarray()

    assert np.array_equal(after[order], before)


def test_ranks_of_chosen_nodes_are_refused():
    club = egonet.named.karate_club()

    with pytest.raises(InputError, match="compares all nodes of a graph, got 2 rows"):
        egonet.encode(club, radius=1, roots=[0, 1]).weighted("rank")
    with pytest.raises(InputError, match="compares the nodes of a graph, got rows of pairs"):
        egonet.encode_pairs(club, [(0, 1)]).to_dense("rank")
    with pytest.raises(InputError, match="not known to be all"):
        egonet.encode(club, radius=1, roots=[0, 1]).part(0).weighted("rank")


def test_ranks_survive_saving_and_blocks_of_rows(tmp_path):
    encoding = egonet.encode(egonet.named.karate_club(), radius=1)
    expected = encoding.weighted("rank").toarray()
    encoding.save(tmp_path / "club.npz")
    encoding.write(tmp_path / "club.parquet", weighting="rank", degree_rank=True)

    frame = need("pandas").read_parquet(tmp_path / "club.parquet")

    assert np.array_equal(egonet.load(tmp_path / "club.npz").weighted("rank").toarray(), expected)
    assert np.array_equal(frame[encoding.feature_names].to_numpy(), expected)
    assert frame["degree_rank"].tolist() == egonet.degree_rank(encoding.graph).tolist()
    again = egonet.encode(encoding.graph, vocabulary=tmp_path / "club.parquet")
    assert again.feature_names == encoding.feature_names


@pytest.mark.parametrize("options", [{}, {"degree_bins": "quantile"}])
def test_parts_and_saved_encodings_of_several_graphs_have_the_ranks_of_each_graph(tmp_path, options):
    graphs = [egonet.named.karate_club(), egonet.as_graph([], num_nodes=2), egonet.as_graph(STAR_AND_EDGE)]
    both = egonet.encode(graphs, radius=1, **options)
    alone = [egonet.encode(each, vocabulary=both).weighted("rank").toarray() for each in graphs]

    both.save(tmp_path / "both.npz")
    both.part(2).save(tmp_path / "part.npz")
    loaded = egonet.load(tmp_path / "both.npz")

    assert np.array_equal(both.weighted("rank").toarray(), np.vstack(alone))
    assert np.array_equal(loaded.weighted("rank").toarray(), np.vstack(alone))
    for encoding in (both, loaded):
        assert all(map(np.array_equal, [part.to_dense("rank") for part in encoding.parts()], alone))
    assert np.array_equal(egonet.load(tmp_path / "part.npz").to_dense("rank"), alone[2])


def test_similar_and_join_use_ranks_of_all_nodes():
    pandas = need("pandas")
    encoding = egonet.encode(egonet.named.karate_club(), radius=1)
    ranks = encoding.weighted("rank").toarray()

    nearest = encoding.similar(0, k=1, weighting="rank")[0]
    joined = encoding.join(pandas.DataFrame({"id": [5, 0]}), on="id", weighting="rank")

    gaps = np.abs(ranks - ranks[0]).sum(axis=1)
    assert nearest == (int(np.argsort(gaps)[1]), pytest.approx(np.sort(gaps)[1]))
    assert np.array_equal(joined[encoding.feature_names].to_numpy(), ranks[[5, 0]])


def test_join_gives_an_unknown_node_the_quarter_of_a_node_without_neighbors(tmp_path):
    table = need("pandas").DataFrame({"id": [11, 99]})
    encoding = egonet.encode(egonet.as_graph([(0, 1)], num_nodes=12), radius=1, degree_bins="quantile")
    encoding.save(tmp_path / "quarters.npz")

    joined = encoding.join(table, on="id", handle_unknown="zero")[encoding.feature_names]

    assert encoding.feature_names[0] == "r1_d0_degq2"
    assert joined.to_numpy().tolist() == [[1, 0, 0], [1, 0, 0]]
    with pytest.raises(InputError, match="Encode the graph again"):
        egonet.load(tmp_path / "quarters.npz").join(table, on="id", handle_unknown="zero")


def test_update_and_engines_refuse_quarters(tmp_path):
    club = egonet.named.karate_club()

    with pytest.raises(InputError, match="may move every node to another quarter"):
        egonet.encode(club, radius=1, degree_bins="quantile").update(added=[(0, 9)])
    with pytest.raises(InputError, match='a store does not support degree_bins="quantile"'):
        egonet.store.encode(club, tmp_path / "club", radius=1, degree_bins="quantile")
    with pytest.raises(InputError, match="is for rows of nodes"):
        egonet.encode_pairs(club, [(0, 1)], degree_bins="quantile")


@pytest.mark.parametrize(
    "options", [{"degrees": "full"}, {"max_degree": 3}, {"layout": "paper"}, {"common": True}]
)
def test_quarters_refuse_settings_that_change_degrees(options):
    with pytest.raises(InputError, match=r"degree_bins|layout|common"):
        egonet.Settings(1, degree_bins="quantile", **options)


def test_rank_table_of_several_graphs_by_hand():
    table = RankTable.of(np.array([1, 1, 2, 0, 4]), np.array([0, 3, 3, 5]))

    assert table.sizes.tolist() == [3, 0, 2]
    assert table.doubled[table.starts[0] + np.array([0, 1, 2])].tolist() == [0, 2, 5]
    assert table.doubled[table.starts[2] + np.array([0, 3, 4])].tolist() == [1, 2, 3]


def test_shift_is_zero_for_equal_and_small_graphs_and_one_for_disjoint_degrees():
    few, many = (DegreeProfile.of(graph) for graph in (egonet.named.cycle(200), egonet.named.complete(150)))

    assert few.shift(few) == 0
    assert few.shift(many) == many.shift(few) == 1
    assert few.shift(DegreeProfile.of(egonet.named.complete(20))) == 0


def test_ranks_of_a_column_without_zeros_and_of_one_with_a_single_count():
    counts = csr_array(np.array([[2, 0], [1, 0], [2, 7]]))

    assert rank_columns(counts, np.array([0, 3])).toarray() == pytest.approx(
        np.array([[2 / 3, 0], [1 / 6, 0], [2 / 3, 5 / 6]])
    )


SPARSE = egonet.as_graph(nx.barabasi_albert_graph(200, 2, seed=0))
DENSE = egonet.as_graph(nx.random_regular_graph(40, 100, seed=0))


@pytest.mark.parametrize("suffix", [None, "npz", "json", "parquet", "arrow"])
def test_columns_of_one_graph_are_warned_about_on_a_very_different_one(tmp_path, suffix):
    encoding = egonet.encode(SPARSE, radius=1)
    columns = encoding
    if suffix == "json":
        columns = tmp_path / "columns.json"
        encoding.vocabulary.save(columns)
    elif suffix is not None:
        columns = tmp_path / f"columns.{suffix}"
        encoding.write(columns)

    with pytest.warns(UserWarning, match="degrees differ by 1.00") as caught:
        egonet.encode(DENSE, vocabulary=columns)

    assert [Path(each.filename).name for each in caught] == ["test_ranks.py"]
    egonet.encode(SPARSE, vocabulary=columns)  # warnings are errors


def test_quarters_of_one_graph_are_not_warned_about_on_another():
    quarters = egonet.encode(SPARSE, radius=1, degree_bins="quantile")

    egonet.encode(DENSE, vocabulary=quarters)  # warnings are errors


@pytest.mark.parametrize(
    ("rows", "spread"),
    [([[2, 0]], 0.0), ([[2, 1], [2, 1]], 0.0), ([[-1, 5]], 0.0), ([[2, 1]], 1.5), ([[2, 1]], float("nan"))],
)
def test_a_file_with_degrees_of_no_graph_is_damaged(rows, spread):
    arrays = {"degrees": np.array(rows), "degrees_spread": np.array([spread])}

    with pytest.raises(ValueError, match="not those of a graph"):
        DegreeProfile.from_arrays(arrays)

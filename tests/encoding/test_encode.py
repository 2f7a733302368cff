"""What `encode` returns: exact multisets, for every way of asking."""

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, encode, named
from egonet.errors import InputError, MemoryLimitError, MissingExtraError, OptionError, UnknownNodeError
from egonet.kernel.reference import ego_keys
from egonet.sklearn import GraphEncoder

TAILED_TRIANGLE = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


def random_graphs(max_nodes=9):
    pairs = st.integers(2, max_nodes).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=24)
        )
    )
    return pairs.map(lambda drawn: Graph.from_edges(drawn[1], num_nodes=drawn[0]))


def by_definition(graph, node, radius, degrees="total", frontier_edges=True):
    neighbors = [
        graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.num_nodes)
    ]
    keys = ego_keys(neighbors, node, radius, degrees=degrees, frontier_edges=frontier_edges)
    return dict(sorted(Counter(keys.values()).items()))


def test_figure_1_of_the_paper():
    encoding = encode(named.figure1(), radius=2)

    assert encoding[0] == {(0, 2): 1, (1, 2): 1, (1, 4): 1, (2, 3): 2, (2, 4): 1}


def test_root_of_the_ternary_tree_of_28_nodes():
    tree = Graph.from_edges([(child, (child - 1) // 3) for child in range(1, 28)], num_nodes=28)

    assert encode(tree, radius=2)[0] == {(0, 3): 1, (1, 4): 3, (2, 1): 9}


def test_the_tailed_triangle_walks_through_the_house():
    encoding = encode(TAILED_TRIANGLE, radius=1)

    assert encoding.columns == [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2)]
    assert encoding.matrix.toarray().tolist() == [
        [0, 1, 0, 0, 2],
        [0, 1, 0, 0, 2],
        [0, 0, 1, 1, 2],
        [1, 0, 0, 1, 0],
    ]
    assert encoding.nodes.tolist() == ["a", "b", "c", "d"]
    assert encoding.classes.tolist() == [0, 0, 1, 2]


def test_radius_zero_is_the_degree_alone():
    assert encode(TAILED_TRIANGLE, 0)["c"] == {(0, 3): 1}
    assert encode(TAILED_TRIANGLE, 0, degrees="layered")["c"] == {(0, 0, 3): 1}
    assert encode(TAILED_TRIANGLE, 0, degrees="full")["c"] == {(0, 0, 0, 3): 1}


def test_petersen_neighbors_are_one_zero_two():
    """Its neighbors have (closer, same, farther) = (1, β, d − 1 − β), not the printed (1, β, γ)."""
    encoding = encode(named.petersen(), 2, degrees="full")

    assert encoding[0] == {(0, 0, 0, 3): 1, (1, 1, 0, 2): 3, (2, 1, 2, 0): 6}


def test_edges_between_frontier_nodes_can_be_left_out():
    assert encode(named.complete(4), 1)[0] == {(0, 3): 1, (1, 3): 3}
    assert encode(named.complete(4), 1, frontier_edges=False)[0] == {(0, 3): 1, (1, 1): 3}


def test_columns_of_several_radii_have_the_radius_in_the_key():
    encoding = encode(named.path("abc"), (2, 1))

    assert encoding["a"] == {(2, 0, 1): 1, (2, 1, 2): 1, (2, 2, 1): 1, (1, 0, 1): 1, (1, 1, 1): 1}
    assert encoding.feature_names[0] == "r2_d0_deg1"
    assert encoding.feature_names[-1] == "r1_d1_deg1"


def test_roots_are_rows_in_the_order_given():
    encoding = encode(TAILED_TRIANGLE, 1, roots=["d", "a", "d"])

    assert encoding.nodes.tolist() == ["d", "a", "d"]
    assert encoding.matrix.toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 2], [1, 0, 1, 0]]


def test_degrees_above_the_limit_are_counted_as_it():
    encoding = encode(named.star(5), 1, max_degree=2)

    assert encoding[0] == {(0, 2): 1, (1, 1): 5}
    assert encoding.feature_names == ["r1_d0_deg1", "r1_d0_deg2plus", "r1_d1_deg1"]


def test_logarithmic_bins_merge_degrees():
    encoding = encode(named.star(9), 1, degree_bins="log")

    assert encoding[0] == {(0, 8): 1, (1, 1): 9}
    assert "r1_d0_deg8to15" in encoding.feature_names


def test_paper_layout_has_every_column_up_to_the_largest_degree():
    encoding = encode(TAILED_TRIANGLE, 1, layout="paper")

    assert encoding.matrix.shape == (4, 2 * (3 + 1))
    dense = encoding.to_dense()
    assert dense[2, 0 * 4 + 3] == 1
    assert dense[2, 1 * 4 + 2] == 2
    assert encoding["c"] == {(0, 3): 1, (1, 1): 1, (1, 2): 2}


def test_paper_layout_clips_at_the_limit():
    encoding = encode(named.star(5), 1, layout="paper", max_degree=2)

    assert encoding.to_dense().tolist()[0] == [0, 0, 1, 0, 5, 0]


def test_an_isolated_node_keeps_its_row():
    encoding = encode(Graph.from_edges([(0, 1)], num_nodes=3), 2)

    assert encoding[2] == {(0, 0): 1}


@pytest.mark.parametrize("radius", [0, 1, 2])
def test_the_empty_graph_gives_an_empty_matrix(radius):
    encoding = encode(Graph.from_edges([], num_nodes=0), radius)

    assert encoding.matrix.shape == (0, 0)
    assert encoding.classes.tolist() == []


def test_labels_become_the_end_of_the_key():
    encoding = encode(named.path("abc"), 1, labels=["C", "N", "C"])

    assert encoding["b"] == {(0, 2, "N"): 1, (1, 1, "C"): 2}
    assert encoding.feature_names[-1] == "r1_d1_deg1_labelN"


def test_labels_may_be_given_by_id():
    by_id = encode(named.path("abc"), 1, labels={"c": 7, "a": 7, "b": 2})

    assert by_id["b"] == {(0, 2, 2): 1, (1, 1, 7): 2}


def test_directed_graphs_follow_arcs():
    arcs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]

    assert encode(arcs, 1, directed="out")["b"] == {(0, 1): 1, (1, 0): 1}
    assert encode(arcs, 1, directed="in")["b"] == {(0, 1): 1, (1, 0): 1}
    assert encode(arcs, 2, directed="out")["b"] == {(0, 1): 1, (1, 1): 1, (2, 2): 1}
    assert encode(arcs, 1)["b"] == {(0, 2): 1, (1, 2): 2}


def test_many_graphs_share_columns_and_keep_their_rows():
    both = encode([named.path("ab"), Graph.from_edges(TAILED_TRIANGLE)], 1)

    assert both.num_graphs == 2
    assert both.graph_ptr.tolist() == [0, 2, 6]
    assert both.part(0)["a"] == {(0, 1): 1, (1, 1): 1}
    assert both.part(1).nodes.tolist() == ["a", "b", "c", "d"]
    assert [part[node] for part, node in zip(both.parts(), "bc", strict=True)] == [
        {(0, 1): 1, (1, 1): 1},
        {(0, 3): 1, (1, 1): 1, (1, 2): 2},
    ]


def test_an_id_of_several_graphs_needs_one_graph():
    both = encode([named.path("ab"), named.path("abc")], 1)

    with pytest.raises(
        InputError, match=r"node 'a' has several rows. Index one graph, as in part\(0\)\['a'\]"
    ):
        both["a"]


@settings(max_examples=150, deadline=None)
@given(random_graphs(), st.integers(0, 4), st.sampled_from(["total", "layered", "full"]), st.booleans())
def test_every_row_is_what_the_definition_says(graph, radius, degrees, frontier_edges):
    encoding = encode(graph, radius, degrees=degrees, frontier_edges=frontier_edges)

    for node in range(graph.num_nodes):
        assert encoding[node] == by_definition(graph, node, radius, degrees, frontier_edges)


@settings(max_examples=60, deadline=None)
@given(random_graphs(), st.integers(0, 3), st.randoms())
def test_renaming_nodes_renames_rows(graph, radius, random):
    names = list(range(graph.num_nodes))
    random.shuffle(names)
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    renamed = Graph.from_edges(
        [(names[u], names[v]) for u, v in zip(row, graph.indices, strict=True)], num_nodes=graph.num_nodes
    )

    before, after = encode(graph, radius), encode(renamed, radius)

    assert all(before[v] == after[names[v]] for v in range(graph.num_nodes))
    assert before.columns == after.columns


@settings(max_examples=60, deadline=None)
@given(random_graphs(6), random_graphs(6), st.integers(0, 3))
def test_disjoint_graphs_concatenate(first, second, radius):
    both = encode([first, second], radius)

    for index, graph in enumerate((first, second)):
        alone = encode(graph, radius)
        assert all(both.part(index)[v] == alone[v] for v in range(graph.num_nodes))


@settings(max_examples=60, deadline=None)
@given(random_graphs(8), st.integers(0, 2))
def test_classes_are_equal_exactly_when_multisets_are(graph, radius):
    encoding = encode(graph, radius)
    rows = [encoding[v] for v in range(graph.num_nodes)]

    for u, row in enumerate(rows):
        for v, other in enumerate(rows):
            assert (encoding.classes[u] == encoding.classes[v]) == (row == other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": 2.5}, r"radius must be a whole number >= 0, got 2\.5\."),
        ({"radius": -1}, r"radius must be a whole number >= 0, got -1\."),
        ({"radius": True}, r"radius must be a whole number >= 0, got True\."),
        (
            {"radius": 10**30},
            r"radius must be at most 2,147,483,647, which is further than any path in a graph\.",
        ),
        ({"radius": 10**30}, r"radius must be at most 2,147,483,647, which is further than any path"),
        ({"radius": ()}, r"radius must name at least one radius, got an empty sequence\."),
        ({"radius": (1, 1)}, r"radius must not repeat a value, got \(1, 1\)\."),
        (
            {"degrees": "totl"},
            r"degrees must be one of 'total', 'layered', 'full', 'in_out', got 'totl'\. Did you mean 'total'\?",
        ),
        ({"max_degree": -3}, r"max_degree must be a whole number >= 0, got -3\."),
        ({"degree_bins": "linear"}, r"degree_bins must be one of 'log', 'quantile', got 'linear'\."),
        (
            {"layout": "papper"},
            r"layout must be one of 'observed', 'paper', got 'papper'\. Did you mean 'paper'\?",
        ),
        (
            {"layout": "paper", "degrees": "full"},
            r'layout="paper" numbers columns by distance and total degree alone\.',
        ),
        ({"threads": 0}, r"threads must be at least 1, got 0\."),
        ({"roots": "ab"}, r"roots must be a sequence of node ids, got 'ab'\. Write roots=\['ab'\]\."),
        ({"labels": ["x"]}, r"labels in row order need ids 0 \.\.\. n - 1 .*Give a mapping"),
        ({"labels": {"a": 1}}, r"labels must name every node: 3 of 4 are missing, first 'b', 'c', 'd'\."),
        ({"labels": dict.fromkeys("abcd", 0.5)}, r"labels must be whole numbers or strings, got 0\.5\."),
        (
            {"memory_limit": "many"},
            r"memory_limit must be a number of bytes or text such as '2GB', got 'many'\.",
        ),
    ],
)
def test_options_that_break_a_rule_raise(options, message):
    with pytest.raises(InputError, match=message):
        encode(TAILED_TRIANGLE, **options)


def test_a_root_that_does_not_exist_is_named():
    with pytest.raises(UnknownNodeError, match=r"the graph has no node 'e'\."):
        encode(TAILED_TRIANGLE, roots=["a", "e"])


def test_several_graphs_have_no_common_roots():
    with pytest.raises(InputError, match=r"roots names nodes of one graph, got several graphs\."):
        encode([named.path("ab"), named.path("abc")], roots=["a"])


def test_a_result_above_the_memory_limit_raises_before_it_starts():
    with pytest.raises(MemoryLimitError, match=r"memory_limit"):
        encode(named.grid(60, 60), 3, memory_limit="10kB")


def test_exp_is_split_at_radius_two_and_not_at_one(data_folder):
    graphs = egonet.read_graphs(data_folder / "exp" / "exp.g6")

    assert split_pairs(encode(graphs, 1)) == 0
    assert split_pairs(encode(graphs, 2)) == 600


@pytest.mark.parametrize(("radius", "equal"), [(1, 3484), (2, 1487), ((1, 2), 0)])
def test_graph8c_pairs_that_stay_equal(data_folder, radius, equal):
    graphs = egonet.read_graphs(data_folder / "graph8c" / "graph8c.g6")

    descriptors = Counter(graph_descriptors(encode(graphs, radius)))

    assert len(graphs) == 11_117
    assert sum(count * (count - 1) // 2 for count in descriptors.values()) == equal


def graph_descriptors(encoding):
    """Return per graph the multiset of its rows' classes."""
    return [
        tuple(sorted(encoding.classes[first:last].tolist()))
        for first, last in zip(encoding.graph_ptr[:-1], encoding.graph_ptr[1:], strict=True)
    ]


def split_pairs(encoding):
    """Return how many consecutive pairs of graphs have different multisets of rows."""
    descriptors = graph_descriptors(encoding)
    return sum(first != second for first, second in zip(descriptors[::2], descriptors[1::2], strict=True))


@pytest.mark.parametrize(
    "options",
    [{}, {"degree_bins": "log"}, {"radius": (1, 2)}, {"layout": "paper"}, {"labels": list(range(34))}],
)
def test_small_matrices_have_32_bit_indices(options):
    """Trees of scikit-learn and others take no sparse matrix with 64-bit indices."""
    encoding = encode(named.karate_club(), **options)

    for matrix in (encoding.matrix, encoding.weighted("log"), encoding.part(0).matrix):
        assert (matrix.indices.dtype, matrix.indptr.dtype) == (np.int32, np.int32)


def test_a_gpu_without_its_package_raises_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)

    with pytest.raises(MissingExtraError, match=r'pip install "egonet\[cuda'):
        encode(TAILED_TRIANGLE, 1, device="cuda")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "tpu"}, r"device must be one of 'cpu', 'cuda', got 'tpu'\."),
        (
            {"device": "cuda", "common": True},
            r'a GPU does not support common=True\. Leave it out, or leave device="cuda" out\.',
        ),
    ],
)
def test_devices_that_cannot_count_raise(options, message):
    with pytest.raises(InputError, match=message):
        encode(TAILED_TRIANGLE, 2, **options)


def test_more_threads_than_any_machine_has_change_nothing():
    club = egonet.named.karate_club()

    found = egonet.encode(club, radius=2, threads=10**30)

    assert (found.matrix != egonet.encode(club, radius=2).matrix).nnz == 0
    assert found.update(added=[(0, 9)], threads=10**30).matrix.shape[0] == 34


PATH, CYCLE = egonet.named.path("abc"), egonet.named.cycle(3)


def test_generators_of_graphs_and_series_of_graphs_are_lists_of_graphs():
    expected = egonet.encode([PATH, CYCLE], 1).matrix.toarray()
    series = pd.Series([PATH, CYCLE], index=["x", "y"])

    for graphs in ((graph for graph in (PATH, CYCLE)), series):
        assert np.array_equal(egonet.encode(graphs, 1).matrix.toarray(), expected)
    encoder = GraphEncoder(1)
    rows = encoder.fit_transform([PATH, CYCLE])
    assert np.array_equal(encoder.fit(series).transform(iter([PATH, CYCLE])), rows)


def test_a_missing_graph_is_named_by_its_position():
    with pytest.raises(InputError, match=r"graph 0 \(counted from 0\): as_graph takes .*, got NoneType"):
        egonet.encode([None, PATH])
    with pytest.raises(
        InputError, match=r"graph 0 \(counted from 0\) must be a graph, got None; 1 of 2 are missing\. Drop"
    ):
        GraphEncoder().fit([None, PATH])
    with pytest.raises(InputError, match=r"graph 1 .* 4 of 6 are missing, first at 1, 2, 4\. Drop"):
        GraphEncoder().fit([PATH, None, float("nan"), PATH, None, None])


def test_lists_of_tables_take_source_and_target():
    table = pd.DataFrame({"payer": ["a"], "payee": ["b"], "amount": [1.0]})

    both = egonet.encode([table, table], 1, source="payer", target="payee")

    assert both.nodes.tolist() == ["a", "b", "a", "b"]


@pytest.mark.parametrize("option", ["engine", "store", "master"])
def test_encode_names_the_function_that_takes_an_option_of_the_store(option):
    with pytest.raises(
        OptionError, match=f"encode counts in memory and has no option '{option}'. Use egonet.store.encode"
    ):
        egonet.encode(PATH, **{option: "disk"})

"""Encodings around edges and pairs: the same bytes as the definition, and at home everywhere an encoding is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import egonet
from egonet import Graph, encode, named
from egonet.encoding.histograms import (
    count_nested,
    histogram_text,
    predict_nested,
)
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.errors import InputError, MemoryLimitError, UnseenWarning
from egonet.graph.constructions import small_graphs
from egonet.graph.union import disjoint_union
from egonet.kernel import native, reference
from egonet.kernel.reference import NestedRows

RUNGS = {
    "R1": {"radius": 2, "degrees": "full", "common": True},
    "R2": {"radius": 2, "rooted": "edge"},
    "R3": {"radius": 2, "rooted": "pair"},
    "R4": {"radius": 2, "rooted": "refined", "depth": 2},
}
rungs = pytest.mark.parametrize("options", RUNGS.values(), ids=RUNGS.keys())


@st.composite
def graphs(draw, max_nodes=11):
    size = draw(st.integers(1, max_nodes))
    pairs = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    return Graph.from_edges(draw(st.lists(pairs, max_size=4 * size)), size)


def renamed(graph, order):
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    return Graph.from_indices(order[source], order[graph.indices], graph.num_nodes)


def assert_same_bytes(found: NestedRows, expected: NestedRows):
    parts = [
        (found, expected, "indptr columns counts"),
        (found.histograms, expected.histograms, "indptr columns counts keys"),
    ]
    for ours, theirs, names in parts:
        for name in names.split():
            left, right = getattr(ours, name), getattr(theirs, name)
            assert left.dtype == right.dtype, name
            assert left.shape == right.shape, name
            assert left.tobytes() == right.tobytes(), name


def assert_kernels_agree(graph, roots=None, labels=None, threads=1):
    chosen = np.arange(graph.num_nodes) if roots is None else roots
    arrays = graph.indptr, graph.indices
    found = native.common_rows(*arrays, roots, labels=labels, threads=threads)
    assert_same_bytes(found, reference.common_rows(*arrays, chosen, labels=labels))
    for radius in (1, 2, 3):
        for edges_only in (True, False):
            options = {"edges_only": edges_only, "labels": labels}
            found = native.pair_rows(*arrays, roots, radius, threads=threads, **options)
            assert_same_bytes(found, reference.pair_rows(*arrays, chosen, radius, **options))


@pytest.mark.parametrize("size", range(6))
def test_kernels_equal_the_definition_on_every_small_graph(size, need):
    need("igraph")
    for graph in small_graphs(size):
        assert_kernels_agree(graph)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sampled_from([1, 2, 7]), st.booleans(), st.booleans(), st.randoms())
def test_kernels_equal_the_definition_for_any_roots_labels_and_threads(graph, threads, some, labeled, random):
    roots = np.array([random.randrange(graph.num_nodes) for _ in range(4)]) if some else None
    labels = (
        np.array([random.randrange(3) for _ in range(graph.num_nodes)], dtype=np.int32) if labeled else None
    )

    assert_kernels_agree(graph, roots, labels, threads)


def every_nested_kernel(graph, threads):
    arrays, labels = (graph.indptr, graph.indices, None), np.arange(graph.num_nodes, dtype=np.int32) % 3
    yield native.common_rows(*arrays, threads=threads)
    yield native.common_rows(*arrays, labels=labels, threads=threads)
    yield native.pair_rows(*arrays, 1, edges_only=True, threads=threads)
    yield native.pair_rows(*arrays, 1, edges_only=False, labels=labels, threads=threads)
    yield native.refined_rows(*arrays, 1, depth=1, threads=threads)


# From 2,048 histograms and 4,096 keys on they are sorted in parts; in a sparse graph most pairs share a histogram.
@pytest.mark.parametrize(("size", "num_edges"), [(200, 5_000), (3_000, 9_000)])
def test_histograms_have_the_same_bytes_for_any_number_of_threads(size, num_edges):
    rng = np.random.default_rng(size)
    graph = Graph.from_indices(*rng.integers(0, size, (2, num_edges)), size)
    # Workers find the same histograms in both copies.
    graph, _ = disjoint_union([graph, graph])
    alone = list(every_nested_kernel(graph, 1))

    for threads in (2, 3, 7, 16):
        for found, expected in zip(every_nested_kernel(graph, threads), alone, strict=True):
            assert_same_bytes(found, expected)


def test_labels_beyond_16_bits_keep_their_order():
    labels = np.array([65_536, 70_000, 65_534, 65_537, 65_535], dtype=np.int32)

    assert_kernels_agree(named.complete(5), labels=labels)


def test_a_hub_beyond_the_bit_rows_is_counted_the_same():
    size = 8_300
    rim = [(v, v % size + 1) for v in range(1, size + 1)]
    wheel = Graph.from_edges([(0, v) for v in range(1, size + 1)] + rim, size + 1)

    encoding = egonet.encode(wheel, 1, common=True)

    # The hub and a rim node share that node's two neighbors on the rim; two rim nodes share the hub.
    assert encoding[0][("common", (((0,), 2),))] == size
    assert encoding[1][("common", (((0,), 1),))] == 2


def test_the_common_neighbors_of_a_complete_graph_are_all_linked():
    encoding = egonet.encode(named.complete(5), 1, common=True)

    assert encoding[0] == {(0, 4): 1, (1, 4): 4, ("common", (((2,), 3),)): 4}
    assert encoding.feature_names[-1] == "common_3x2"


def test_an_edge_of_a_path_is_seen_from_both_ends():
    encoding = egonet.encode([("a", "b"), ("b", "c")], 1, rooted="edge")

    # Within one hop of both a and b: a and b only, joined to each other.
    near = (((0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0), 1), ((1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), 1))
    assert encoding["a"] == {("edge", near): 1}
    assert encoding["b"] == {("edge", near): 2}


@rungs
@settings(max_examples=25, deadline=None)
@given(graph=graphs(), random=st.randoms())
def test_renaming_nodes_renames_rows_and_nothing_else(options, graph, random):
    order = np.array(random.sample(range(graph.num_nodes), graph.num_nodes))

    before, after = egonet.encode(graph, **options), egonet.encode(renamed(graph, order), **options)

    assert before.columns == after.columns
    assert (before.matrix != after.matrix[order]).nnz == 0


@rungs
@settings(max_examples=25, deadline=None)
@given(several=st.lists(graphs(7), min_size=1, max_size=3))
def test_disjoint_graphs_concatenate(options, several):
    together = egonet.encode(several, **options)

    for part, graph in zip(together.parts(), several, strict=True):
        alone = egonet.encode(graph, **options)
        assert [part[v] for v in range(graph.num_nodes)] == [alone[v] for v in range(graph.num_nodes)]


def refines(fine, coarse):
    return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))


@pytest.mark.parametrize(
    ("fine", "coarse"),
    [
        (RUNGS["R1"], {"radius": 2, "degrees": "full"}),
        ({"radius": 2, "degrees": "full"}, {"radius": 2, "degrees": "total"}),
        ({"radius": 2, "degrees": "full"}, {"radius": 2, "degrees": "layered"}),
        ({"radius": 1, "common": True}, {"radius": 1}),
        ({"radius": (1, 2)}, {"radius": 1}),
        ({"radius": (1, 2)}, {"radius": 2}),
        (RUNGS["R3"], RUNGS["R2"]),
        (RUNGS["R3"], {"radius": 2, "degrees": "full"}),
        ({"radius": 1, "rooted": "edge"}, {"radius": 1, "common": True}),
    ],
)
@pytest.mark.parametrize("num_nodes", [6, 7])
def test_each_rung_refines_what_it_claims_to_refine(fine, coarse, num_nodes, need):
    need("igraph")
    union, _ = disjoint_union(small_graphs(num_nodes))

    assert refines(egonet.encode(union, **fine).classes, egonet.encode(union, **coarse).classes)


@rungs
def test_saving_and_loading_keeps_every_histogram(options, tmp_path):
    encoding = egonet.encode(named.karate_club(), **options)
    encoding.save(tmp_path / "club.npz")

    loaded = egonet.load(tmp_path / "club.npz")

    assert loaded.columns == encoding.columns
    assert loaded.feature_names == encoding.feature_names
    assert (loaded.matrix != encoding.matrix).nnz == 0


@rungs
def test_a_vocabulary_finds_its_histograms_in_another_graph(options):
    learned = egonet.encode([named.cycle(6), named.path(6)], **options)

    again = egonet.encode(named.cycle(6), vocabulary=learned.vocabulary)

    assert not again.unseen.num_rows
    assert (again.matrix != learned.part(0).matrix).nnz == 0


def test_an_unseen_histogram_is_dropped_and_counted():
    learned = egonet.encode(named.cycle(6), 1, rooted="edge")

    with pytest.warns(UnseenWarning, match="more than half of what was counted has no column: 3 rows"):
        met = egonet.encode(named.cycle(3), vocabulary=learned.vocabulary)

    assert met.matrix.nnz == 0
    assert (met.unseen.clipped, met.unseen.dropped, met.unseen.num_rows) == (0, 6, 3)
    with pytest.raises(
        InputError, match=r"3 of 3 nodes have keys that the vocabulary never saw, first at node 0: \('edge'"
    ):
        egonet.encode(named.cycle(3), vocabulary=learned.vocabulary, unseen="error")


def test_labels_are_part_of_the_histograms():
    molecule = Graph.from_edges([(0, 1), (1, 2), (2, 0)])

    encoding = egonet.encode(molecule, 1, common=True, labels=["N", "C", "C"])

    assert encoding[0][("common", (((0, "C"), 1),))] == 2
    assert encoding.feature_names[-2:] == ["common_1x0:C", "common_1x0:N"]


def test_names_do_not_depend_on_what_else_was_encoded():
    alone = egonet.encode(named.cycle(6), rooted="edge")
    together = egonet.encode([named.cycle(6), named.karate_club()], rooted="edge")

    assert set(alone.feature_names) < set(together.feature_names)
    assert len(set(together.feature_names)) == len(together.feature_names)


def test_columns_of_several_radii_follow_each_other():
    both = egonet.encode(named.cycle(8), (1, 2), rooted="edge")

    assert [name[:8] for name in both.feature_names] == ["r1_edge_", "r2_edge_"]
    assert both.matrix.toarray().tolist() == [[2, 2]] * 8


def test_explain_says_what_the_edges_look_like():
    text = str(egonet.explain(named.complete(4), 0, 1, common=True))

    assert "2 common neighbors: 2 with 1 link among them" in text
    assert "with a neighbor: 2 nodes and 1 edge near both" in str(
        egonet.explain(named.path(3), 0, 1, rooted="edge")
    )


def test_text_names_the_label():
    options = histogram_text(("common", (((0, "C"), 2),)), Schema(Settings((1,), common=True), labels=("C",)))

    assert options == "2 common neighbors: 2 with 0 links among them (label C)"


def test_an_update_counts_the_histograms_again():
    encoding = egonet.encode(named.path(4), 1, rooted="edge")

    closed = encoding.update(added=[(3, 0)])

    assert closed.columns == egonet.encode(named.cycle(4), 1, rooted="edge").columns


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rooted": "corner"}, "rooted must be one of 'node', 'edge', 'pair', 'refined', got 'corner'"),
        ({"rooted": "edge", "common": True}, 'rooted="edge" already sees what common=True adds'),
        ({"rooted": "refined", "common": True}, 'rooted="refined" counts whole colorings'),
        ({"rooted": "refined", "depth": 0}, "depth must be between 1 and 1,000, got 0"),
        ({"rooted": "pair", "depth": 2}, 'depth must be 1 unless rooted="refined", got 2'),
        ({"rooted": "edge", "degrees": "full"}, 'rooted="edge" has its own way to count neighbors'),
        ({"rooted": "pair", "radius": 0}, 'rooted="pair" needs a radius of at least 1'),
        ({"rooted": "edge", "radius": 5000}, "radius must be at most 4096 here, got 5000"),
        ({"common": True, "max_degree": 3}, "Leave max_degree, degree_bins and layout out"),
        ({"common": True, "directed": "out"}, 'need an undirected graph, got directed="out"'),
    ],
)
def test_settings_that_contradict_each_other_raise(options, sentence):
    with pytest.raises(InputError, match=sentence):
        egonet.encode([(0, 1), (1, 2)], **options)


def test_a_result_above_the_memory_limit_raises_before_it_starts():
    with pytest.raises(
        MemoryLimitError, match=r"at radius 2 would take about .* above the memory_limit of 1\.0 kB"
    ):
        egonet.encode(named.karate_club(), rooted="pair", memory_limit="1kB")


@rungs
def test_empty_graphs_have_no_rows(options):
    assert egonet.encode(Graph.from_edges([], 0), **options).matrix.shape == (0, 0)


def test_estimators_take_the_rungs_like_any_other_encoding(need):
    need("sklearn", "scikit-learn")
    from egonet.sklearn import GraphEncoder

    encoder = GraphEncoder(radius=2, rooted="edge").fit([named.cycle(6), named.path(4)])

    assert encoder.transform([named.cycle(6)]).sum() == 12
    assert all(name.startswith("r2_edge_") for name in encoder.get_feature_names_out())


def test_nodes_without_common_neighbors_share_one_column():
    # Empty histograms are compared too: the first one has no memory.
    encoding = egonet.encode(named.path("abcd"), 1, common=True)

    assert encoding.feature_names[-1] == "common_none"
    assert encoding.matrix.toarray()[:, -1].tolist() == [1, 2, 2, 1]


TRIANGLE, COMMON = named.cycle(3), Settings((2,), common=True)


def test_the_predicted_result_of_a_nested_encoding_is_its_size():
    # Three entries and four row bounds, one histogram of one entry and two bounds, 8 bytes each; one key of 8 bytes.
    size = (3 + 4 + 1 + 2) * 8 + 8

    matrix, _ = count_nested(TRIANGLE, None, COMMON)

    assert matrix.toarray().tolist() == [[2], [2], [2]]
    assert predict_nested(TRIANGLE, None, COMMON, None)[1] == size


def test_pairs_are_counted_up_to_radius_4096():
    assert len(encode(TRIANGLE, 4096, rooted="edge")) == 3
    with pytest.raises(InputError, match=r"^radius must be at most 4096 here, got 4097\.$"):
        encode(TRIANGLE, 4097, rooted="edge")


def test_keys_of_several_radii_begin_with_the_radius():
    several = encode(named.path("ab"), [1, 2], rooted="edge").vocabulary
    single = encode(named.path("ab"), 2, rooted="edge").vocabulary

    # The only edge, seen from one end: itself at (0, 1), the other at (1, 0); each has one neighbor, the other.
    assert [several.column(index)[1][0][0][:3] for index in range(2)] == [(1, 0, 1), (2, 0, 1)]
    assert single.column(0)[1][0][0][:2] == (0, 1)
    assert len(several.column(0)[1][0][0]) == len(single.column(0)[1][0][0]) + 1


def test_text_for_several_radii_count_the_same_nodes():
    single = encode(TRIANGLE, 1, rooted="edge").vocabulary
    several = encode(TRIANGLE, [1, 2], rooted="edge").vocabulary

    text = "with a neighbor: 3 nodes and 3 edges near both, 1 adjacent to both"
    assert histogram_text(single.column(0), single.schema) == text
    assert histogram_text(several.column(0), several.schema) == text


def test_labels_are_no_edges_in_text():
    vocabulary = encode(TRIANGLE, 1, rooted="edge", labels=[5, 5, 5]).vocabulary

    text = histogram_text(vocabulary.column(0), vocabulary.schema)

    assert text == "with a neighbor: 3 nodes and 3 edges near both, 1 adjacent to both"


def test_one_common_neighbor_is_not_several():
    key = ("common", (((0,), 1),))

    assert histogram_text(key, Schema(COMMON)) == "1 common neighbor: 1 with 0 links among them"


def test_a_node_two_hops_away_is_described():
    vocabulary = encode(named.path("abc"), 2, rooted="pair").vocabulary

    text = {histogram_text(vocabulary.column(index), vocabulary.schema) for index in range(len(vocabulary))}

    # The ends are two hops apart; all three nodes and both edges are near both, and b is adjacent to both.
    assert "with a node 2 hops away: 3 nodes and 2 edges near both, 1 adjacent to both" in text


def test_an_edge_without_common_neighbors_says_so():
    settings = Settings((2,), common=True)

    assert histogram_text(("common", ()), Schema(settings)) == "no common neighbors"

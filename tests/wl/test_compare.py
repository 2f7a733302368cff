"""Two graphs compared by every test and by exact isomorphism, with the nodes that make the difference."""

import networkx as nx
import pandas as pd
import pytest

import egonet
from egonet import Graph, named
from egonet.encoding.settings import Settings
from egonet.errors import InputError, MissingExtraError
from egonet.graph.constructions import cfi_pair, complement, cone_pair, triangular
from egonet.wl import compare as module
from egonet.wl import isomorphism
from egonet.wl.compare import Witness, compare, equivalent

CYCLE, HEXAGON = named.cycle(4), named.cycle(6)
TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


def graph6(text):
    return named.from_graph6(text)


def test_decalin_and_bicyclopentyl_differ_from_radius_2_on():
    found = compare(named.decalin(), named.bicyclopentyl())

    assert found["1-WL"].equal
    assert found["total r=1"].equal
    assert found["total r=2"].equal is False
    assert found["total r=2"].witnesses[0] == Witness((2, 0), (0, 5), ())
    assert found.isomorphic is False
    assert found.differ


def test_a_graph_and_its_renamed_copy_are_equal_to_every_test():
    first = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    second = Graph.from_edges([(3, 1), (1, 7), (7, 9), (9, 1)])
    found = compare(first, second, radius=(1, 2))

    assert all(verdict.equal for verdict in found.verdicts)
    assert not found.differ
    assert "different" not in str(found)


def test_the_table_says_which_nodes_differ():
    table = str(compare(named.star(3), named.path(4), radius=1)).splitlines()

    assert table[1] == "4 nodes, 3 edges against 4 nodes, 3 edges"
    assert table[2].split() == [
        "1-WL",
        "different",
        *["colors", "of", "neighbors,", "repeated"],
        "1",
        "(0)",
        "against",
        "0",
    ]


def test_r1_is_the_weakest_test_that_distinguishes_shrikhande_and_the_rooks_graph():
    pair = named.shrikhande(), named.rook_4x4()

    assert equivalent(*pair, test="2-fwl")
    assert all(
        equivalent(*pair, test=kind, radius=(1, 2), refine=True) for kind in ("total", "layered", "full")
    )
    assert not equivalent(*pair, test="R1")
    assert not equivalent(*pair, test="exact")


def test_cfi_graphs_defeat_the_whole_ladder():
    pair = cfi_pair(named.complete(4))

    assert all(equivalent(*pair, test=test) for test in ("1-wl", "2-fwl", "R0", "R1", "R2", "R3"))
    assert not equivalent(*pair, test="exact")


def test_2fwl_distinguishes_cfi_graphs_of_a_cycle():
    plain, twisted = cfi_pair(named.cycle(5))

    assert all(equivalent(plain, twisted, test=test) for test in ("1-wl", "R2", "R3"))
    assert not equivalent(plain, twisted, test="2-fwl")


def test_t7_and_its_complement_differ_at_radius_1():
    pair = triangular(7), complement(triangular(7))

    assert equivalent(*pair, test="1-wl")
    assert not equivalent(*pair, test="total", radius=1)


def test_figure_2_shows_four_kinds_of_nodes():
    pair = named.figure2()

    assert equivalent(*pair, test="1-wl")
    assert not equivalent(*pair, test="total", radius=1)
    assert len(set(egonet.encode(list(pair), radius=1).classes.tolist())) == 4


def test_an_unknown_test_raises_with_the_names():
    with pytest.raises(InputError, match=r"test must be one of '1-wl'.*got 'gin'"):
        equivalent(named.path(2), named.path(2), test="gin")


def test_1wl_takes_no_radius():
    with pytest.raises(InputError, match="test '1-wl' takes no radius, got 2"):
        equivalent(named.path(2), named.path(2), radius=2, test="1-wl")


def test_exact_isomorphism_takes_neither_radius_nor_refine():
    with pytest.raises(InputError, match="takes neither radius nor refine"):
        equivalent(named.path(2), named.path(2), test="exact", refine=True)


def test_an_unknown_verdict_raises_with_the_names():
    with pytest.raises(InputError, match="no test is called 'wl'; the tests are 1-WL, total r=1"):
        compare(named.path(2), named.path(2), radius=1)["wl"]


def test_directed_graphs_skip_r1_to_r3():
    arcs = Graph.from_edges([(0, 1), (1, 2)], directed="out")

    found = compare(arcs, arcs, radius=1)

    assert found["R1 r=1"].equal is None
    assert found["R1 r=1"].note == "needs undirected graphs"
    assert found.isomorphic


@pytest.mark.parametrize("length", [8, 9, 12])
def test_cones_over_paths_split_1wl_from_the_encoding(length):
    pair = cone_pair(length)

    assert not equivalent(*pair, test="1-wl")
    assert equivalent(*pair, test="total", radius=tuple(range(1, length)))
    assert not equivalent(*pair, test="total", radius=1, refine=True)


def verdicts(first, second):
    return {verdict.test: verdict for verdict in compare(first, second, radius=2).verdicts}


def test_tests_with_too_many_pairs_are_not_run(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 31)
    monkeypatch.setattr(module, "_MAX_PAIR_ROOTED", 7)

    found = verdicts(CYCLE, CYCLE)

    unasked = {test for test, verdict in found.items() if verdict.note == "too many pairs of nodes"}
    assert "2-FWL" in unasked
    assert any(test.startswith("R3") for test in unasked)
    assert all(found[test].equal is None for test in unasked)


def test_searches_are_not_run_on_large_graphs(monkeypatch):
    monkeypatch.setattr(module, "_MAX_SEARCH", 2 * 4**2 * 4 - 1)

    found = verdicts(CYCLE, CYCLE)

    assert {test for test, verdict in found.items() if verdict.note == "too many searches"} == {
        "R4(2, marks=2)",
        "R5(2)",
    }


def test_tests_with_the_largest_number_of_pairs_are_run(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 32)
    monkeypatch.setattr(module, "_MAX_PAIR_ROOTED", 8)

    assert all(verdict.equal is True for verdict in verdicts(CYCLE, CYCLE).values())


def test_a_comparison_shows_the_size_of_both_graphs():
    found = compare(named.path("abc"), named.cycle(4), radius=1)

    assert str(found).splitlines()[1] == "3 nodes, 2 edges against 4 nodes, 4 edges"


def test_r1_to_r4_need_a_positive_radius():
    tests = [verdict.test for verdict in compare(HEXAGON, TRIANGLES, radius=0).verdicts]

    assert "total r=0" in tests
    assert [test for test in tests if test.startswith("R")] == ["R5(2)"]


def test_r1_to_r5_need_undirected_graphs():
    arcs = Graph.from_edges([("a", "b"), ("b", "a")], directed="out")

    found = compare(arcs, arcs, radius=1)

    notes = {verdict.test: verdict.note for verdict in found.verdicts if verdict.test.startswith("R")}
    assert set(notes.values()) == {"needs undirected graphs"}
    assert len(notes) == 5
    with pytest.raises(InputError, match="must all be directed the same way, got a mixture"):
        compare(arcs, named.path("ab"), radius=1)


def test_settings_are_a_test_and_add_a_row_to_a_comparison():
    pair = named.decalin(), named.bicyclopentyl()

    assert not equivalent(*pair, test=Settings(2, max_degree=3))
    assert equivalent(*pair, test=Settings(1))
    found = compare(*pair, radius=2, max_degree=3)
    assert found["radius=2, max_degree=3"].equal is False
    with pytest.raises(InputError, match="the radius is given twice"):
        equivalent(*pair, test=Settings(2), radius=1)
    with pytest.raises(InputError, match="there is no option 'degree'"):
        compare(*pair, degree="full")


def test_the_error_without_both_packages_names_the_command(monkeypatch):
    monkeypatch.setattr(isomorphism, "_optional", lambda _: None)

    with pytest.raises(MissingExtraError, match=r'pip install "egonet\[iso\]"'):
        equivalent(named.cycle(3), named.cycle(3), test="exact")
    assert compare(named.cycle(3), named.cycle(3), radius=1).isomorphic is None


def test_more_marks_distinguish_more(need):
    need("igraph")
    pair = cfi_pair(named.complete(4))

    assert equivalent(*pair, test="R5(1)")
    assert not equivalent(*pair, test="r5(2)")
    assert equivalent(*pair, test="R4(2, marks=3)")
    assert equivalent(*pair, test="ball", radius=2)


@pytest.mark.parametrize(
    ("test", "radius", "message"),
    [
        ("R4(2; 3)", None, r"write \"R4\(2, marks=3\)\" for radius 2"),
        ("R5(0)", None, "must set 1 to 1,000 marks"),
        ("R5", 2, "takes no other radius, got 2"),
        ("R4(1)", 2, "takes no other radius, got 2"),
        ("R4", (1, 2), r"R4 takes one radius, got \(1, 2\)"),
    ],
)
def test_wrong_names_of_searches_raise(test, radius, message):
    with pytest.raises(InputError, match=message):
        equivalent(HEXAGON, TRIANGLES, test=test, radius=radius)


def test_labels_of_nodes_enter_every_test():
    """Paths a-b-b and b-a-b: the same without labels."""
    pair = named.path("xyz"), named.path("uvw")
    found = compare(*pair, labels=[["a", "b", "b"], {"w": "b", "u": "b", "v": "a"}], radius=1)

    assert all(verdict.equal for verdict in compare(*pair, radius=1).verdicts)
    assert all(verdict.equal is False for verdict in found.verdicts)
    assert found.sentence == "Radius 1 separates the graphs, and so does 1-WL."


def test_types_of_edges_enter_every_test_that_takes_them():
    """Paths with the types s, s, t and s, t, s: the same without types."""
    pair = named.path("abcd"), named.path("abcd")
    found = compare(*pair, edge_labels=[["s", "s", "t"], ["s", "t", "s"]], radius=1)
    not_run = {verdict.test: verdict.note for verdict in found.verdicts if verdict.equal is None}

    assert all(verdict.equal is not True for verdict in found.verdicts)
    assert set(not_run) == {"R1 r=1", "R2 r=1", "R3 r=1"}
    assert set(not_run.values()) == {"takes no edge types"}


def test_equal_labels_keep_isomorphic_graphs_equal():
    labels, types = [list("abab"), list("baba")], [["s", "t", "s"], ["s", "t", "s"]]
    found = compare(named.path("abcd"), named.path("dcba"), labels=labels, edge_labels=types)

    assert found.isomorphic
    assert not found.differ


def frames(name, *columns):
    ends = {"source": [0, 1, 2], "target": [1, 2, 3]}
    return [pd.DataFrame({**ends, name: values}) for values in columns]


def test_columns_of_edges_are_named_and_weights_are_binned():
    kinds = frames("kind", ["x", "x", "y"], ["x", "y", "x"])
    amounts = frames("amount", [1, 1, 9], [8, 1, 1])

    by_kind = compare(*kinds, edge_labels="kind", radius=1)
    by_amount = compare(*amounts, weights="amount", weight_bins="log", radius=1)

    assert by_kind["1-WL"].equal is False
    assert by_kind.isomorphic is False
    assert by_amount.isomorphic
    assert not by_amount.differ


def test_a_test_without_types_says_so():
    pair = named.path("abc"), named.path("abc")
    with pytest.raises(InputError, match="test 'R1' takes no edge types"):
        equivalent(*pair, test="R1", edge_labels=[["s", "t"], ["t", "s"]])
    assert equivalent(*pair, test="1-wl", edge_labels=[["s", "t"], ["t", "s"]])
    assert not equivalent(*pair, test="exact", labels=[list("xyz"), list("yxz")])


def test_arcs_that_point_another_way_differ_only_if_they_are_followed():
    out, back = nx.DiGraph([("a", "b"), ("a", "c")]), nx.DiGraph([("b", "a"), ("c", "a")])

    assert compare(out, back, directed=False).isomorphic
    assert equivalent(out, back, directed=False, test="1-wl")
    assert not equivalent(out, back, directed="out", test="1-wl")
    found = compare(out, back, directed="out")
    assert found.isomorphic is False
    assert found["R1"].note == "needs undirected graphs"


def test_equivalent_needs_a_test():
    with pytest.raises(TypeError, match="test"):
        egonet.equivalent(egonet.named.rook_4x4(), egonet.named.shrikhande())


def test_text_in_graph6_is_offered_its_reader():
    with pytest.raises(InputError, match=r"For graph6 text use egonet\.named\.from_graph6\('EQzO'\)"):
        egonet.compare("EQzO", "EEz_")


def test_types_by_pair_name_edges_of_their_graph_only():
    path = [("a", "b"), ("b", "c")]
    types = {("a", "b"): "x", ("b", "c"): "y", ("c", "z"): "x"}

    with pytest.raises(
        InputError, match=r"edge_labels \(graph 0\) must name edges of the graph only: 1 of 3"
    ):
        egonet.compare(path, path, edge_labels=[types, types])

"""Borders of readers and converters: words nobody asked for, where a fault is, limits that are just met."""

import io
import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from egonet import Graph, as_graph, named
from egonet.errors import FileError, InputError
from egonet.graph import sparsify as cap
from egonet.graph.dataframes import choose_columns
from egonet.graph.ids import contains_id, first_appearance, id_array, known_ids, other_type
from egonet.graph.sparsify import capped, row_ranges
from egonet.graph.union import disjoint_union
from egonet.graph.input_options import InputOptions
from egonet.io import limits
from egonet.io.edgelist import TextOptions, read_text
from egonet.io.limits import refuse_implausible, refuse_long
from egonet.io.markup import matrix_market_size, read_gml, read_matrix_market, refuse_bad_entries
from egonet.io.npz import from_arrays
from egonet.io.tables import decoded_bytes
from egonet.io.header import could_be_header
from egonet.io.read import read_graph

ARCS = np.array([[0, 1, 2], [1, 2, 0]])
HEAD = b"%%MatrixMarket matrix coordinate pattern symmetric\n"


@pytest.mark.parametrize(
    ("data", "words", "said"),
    [
        (ARCS, {"nodes": [0, 1, 2]}, "nodes has no meaning for an edge_index, got [0, 1, 2]."),
        (ARCS.T, {"source": "a", "target": "b"}, "source has no meaning for an array of pairs, got 'a'."),
        (Graph.from_edges([(0, 1)]), {"num_nodes": 2}, "num_nodes has no meaning for a Graph, got 2."),
        (Graph.from_edges([(0, 1)]), {"nodes": [0]}, "nodes has no meaning for a Graph, got [0]."),
    ],
)
def test_a_word_that_has_no_meaning_is_refused(data, words, said):
    with pytest.raises(InputError, match=re.escape(said)):
        as_graph(data, **words)


def test_a_molecule_has_no_arcs(need):
    molecule = need("rdkit.Chem", "rdkit").MolFromSmiles("CCO")

    assert as_graph(molecule).num_edges == 2
    with pytest.raises(InputError, match=r"^a molecule has no arcs to follow, got directed=\'out\'"):
        as_graph(molecule, directed="out")


def test_the_column_of_an_edge_index_that_has_no_node_is_named():
    with pytest.raises(InputError, match="in column 2 of the edge_index"):
        as_graph(np.array([[0, 1, -1], [1, 2, 0]]))


def test_the_edge_that_has_no_id_is_named():
    with pytest.raises(InputError, match=re.escape("in edge 2 (counted from 0)")):
        Graph.from_edges([("a", "b"), ("b", "c"), ("c", "")])


@pytest.mark.parametrize(
    ("pair", "hint"),
    [((1, 2, 3), " Leave the third value out; weights are not used."), ((1, 2, 3, 4), ""), ((1,), "")],
)
def test_only_a_third_value_may_be_a_weight(pair, hint):
    with pytest.raises(
        InputError, match=rf"must be a pair of node ids, got {re.escape(repr(pair))}\.{hint}$"
    ):
        Graph.from_edges([(0, 1), pair])


@pytest.mark.parametrize("nodes", ["abc", b"abc", 7])
def test_nodes_are_no_single_word_or_number(nodes):
    with pytest.raises(InputError, match="nodes must be a sequence of node ids, got"):
        known_ids(nodes)


def test_unsigned_numbers_up_to_the_largest_int64_are_rows_like_any_others():
    largest = 2**63 - 1
    graph = Graph.from_edges(np.array([[largest, 1]], dtype=np.uint64))

    assert graph.node_ids.dtype == np.int64
    assert graph.node_ids.tolist() == [largest, 1]
    assert Graph.from_edges(np.array([[largest + 1, 1]], dtype=np.uint64)).node_ids.tolist() == [
        largest + 1,
        1,
    ]


def test_one_long_name_among_many_short_ones_makes_no_wide_array():
    many = [f"{number:04}" for number in range(10_000)]  # 40,000 letters

    # 10,001 names as wide as 120 letters are 1,200,120; the limit is four times their 40,120 and 2 ** 20.
    assert id_array([*many, "x" * 120]).dtype.kind == "U"
    assert id_array([*many, "x" * 130]).dtype.kind == "O"


@pytest.mark.parametrize(
    ("node", "twin"), [("3", 3), ("9" * 19, int("9" * 19)), ("1" * 20, None), ("٣", None), (3, "3")]
)
def test_the_twin_of_an_id_is_the_number_of_its_digits(node, twin):
    assert other_type(node) == twin


def test_an_id_is_held_with_its_type():
    mixed = id_array([7, "8", ("a", 1)])

    assert [contains_id(mixed, value) for value in (7, "7", 8, "8")] == [True, False, False, True]
    assert not contains_id(id_array(["7"]), 7)


def test_a_pair_of_columns_needs_both_of_its_words():
    with pytest.raises(InputError, match="which columns hold the edges"):
        choose_columns(["src", "to", "weight"], None, None)
    assert choose_columns(["src", "dst", "to"], None, None) == ("src", "dst")


def test_twenty_columns_are_listed_and_more_are_cut():
    with pytest.raises(InputError, match=r"'c18', 'c19'\.$"):
        choose_columns([f"c{number}" for number in range(20)], None, None)
    with pytest.raises(InputError, match=r"'c18', 'c19', \.\.\.\.$"):
        choose_columns([f"c{number}" for number in range(21)], None, None)


def test_a_matrix_may_be_as_dense_as_its_text_allows():
    text = HEAD + b"2 2 1\n2 1"

    assert read_matrix_market(io.BytesIO(text), "a.mtx", InputOptions()).num_edges == 1
    most = (len(text) + 4) // 4
    declared = HEAD + b"2 2 %d\n2 1" % (most + 1)
    with pytest.raises(
        FileError, match=rf"a\.mtx is cut short: {len(declared)} bytes cannot hold {most + 1} entries"
    ):
        read_matrix_market(io.BytesIO(declared), "a.mtx", InputOptions())


def test_the_line_of_a_bad_entry_is_named():
    text = HEAD + b"3 3 2\n2 1\nx 1\n"

    start = matrix_market_size(text, "a.mtx")[3]
    with pytest.raises(FileError, match=r"^a\.mtx, line 4: expected an entry, got 'x 1'\.$"):
        refuse_bad_entries(text, start, "a.mtx")


def test_a_table_may_be_four_times_as_long_as_its_bytes(monkeypatch):
    monkeypatch.setattr(limits, "PLAUSIBLE_ROWS", 10)

    refuse_long(400, io.BytesIO(b"x" * 100), "a.parquet")
    refuse_long(10, io.BytesIO(b"x"), "a.parquet")
    with pytest.raises(FileError, match=r"^a\.parquet claims 401 rows in 100 bytes\."):
        refuse_long(401, io.BytesIO(b"x" * 100), "a.parquet")


def test_a_packed_file_is_read_from_where_a_reader_goes(tmp_path, need):
    need("pyarrow")
    import gzip

    import pyarrow as pa
    from pyarrow import feather

    plain, packed = tmp_path / "a.arrow", tmp_path / "a.arrow.gz"
    feather.write_feather(pa.table({"source": [1, 2], "target": [2, 3]}), plain, compression="uncompressed")
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    assert read_graph(packed).node_ids.tolist() == read_graph(plain).node_ids.tolist() == [1, 2, 3]


def splitmix(low, high):
    """The hash of an edge, in whole numbers of Python: the SplitMix64 finaliser of both ends in one word."""
    word, mask = (low << 32 | high) + 0x9E3779B97F4A7C15, 2**64 - 1
    word = ((word & mask) ^ ((word & mask) >> 30)) * 0xBF58476D1CE4E5B9 & mask
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & mask
    return word ^ (word >> 31)


def test_a_hub_keeps_the_edges_with_the_smallest_hashes():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 40)], 40)

    kept = sorted(sorted(range(1, 40), key=lambda leaf: splitmix(0, leaf))[:7])

    assert capped(star, 7).neighbors(0) == kept


def test_a_complete_graph_is_capped_from_both_ends():
    graph = named.complete(12)

    def chosen(v):
        return sorted((u for u in range(12) if u != v), key=lambda u: splitmix(min(u, v), max(u, v)))[:4]

    found = capped(graph, 4)
    for v in range(12):
        assert found.neighbors(v) == [u for u in range(12) if u in chosen(v) and v in chosen(u)]


def test_stretches_have_as_many_arcs_as_fit(monkeypatch):
    monkeypatch.setattr(cap, "CHUNK_ARCS", 5)

    # Rows of 2, 3, 1, 9, 0 and 2 arcs: 2 + 3 fit, 1 does with nothing, 9 is too long and stands alone.
    assert row_ranges(np.array([0, 2, 5, 6, 15, 15, 17])) == [(0, 2), (2, 3), (3, 4), (4, 6)]


@pytest.mark.parametrize(
    ("first", "below", "may_be"),
    [
        (["person", "friend"], {"1", "2"}, True),
        (["person", "2"], {"1", "3"}, False),
        (["person", "nan"], {"1", "2"}, False),
        (["person", ""], {"1", "2"}, False),
        (["-1", "4.5"], {"1", "2"}, False),
        (["#a", "#b"], {"x", "y"}, False),
        (["#a", "#b"], {"1", "2"}, True),
    ],
)
def test_words_that_are_no_ids_below_may_be_a_header(first, below, may_be):
    assert could_be_header(first, below) is may_be


def test_names_are_no_rows():
    with pytest.raises(FileError, match=r"^edges\.txt: "):
        read_text(io.BytesIO(b"a b\nb c\n"), "edges.txt", InputOptions(num_nodes=3), TextOptions(""))
    assert read_text(io.BytesIO(b"0 1\n"), "edges.txt", InputOptions(num_nodes=3), TextOptions("")).num_nodes == 3


def test_a_graph_of_a_list_keeps_its_direction_or_says_which_it_is():
    with pytest.raises(InputError, match=r"^graph 0 \(counted from 0\): the graph was read as undirected"):
        disjoint_union([Graph.from_edges([(0, 1)]), [(0, 1)]], directed="out")


def test_what_was_changed_in_each_graph_is_added_up():
    looped, doubled = Graph.from_edges([(0, 0), (0, 1)]), Graph.from_edges([(0, 1), (1, 0), (1, 1)])

    union, _ = disjoint_union([looped, named.path("ab"), doubled])

    assert (union.info.loops_dropped, union.info.duplicates_merged) == (2, 1)


def test_a_row_out_of_order_is_read_beside_others():
    plain = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    odd = csr_array((np.ones(4), np.array([1, 2, 0, 0]), np.array([0, 2, 3, 4])), shape=(3, 3))
    odd.indices[:2] = [2, 1]
    odd.has_sorted_indices = False

    union, ptr = disjoint_union([plain, odd])

    assert ptr.tolist() == [0, 3, 6]
    assert [union.indices[union.indptr[v] : union.indptr[v + 1]].tolist() for v in range(6)] == [
        *([1], [0, 2], [1]),
        *([4, 5], [3], [3]),
    ]


def test_arcs_of_a_matrix_are_followed_if_asked():
    arcs = csr_array(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]]))

    assert as_graph(arcs, directed="out").degrees.tolist() == [2, 1, 0]
    symmetric = csr_array(np.array([[0, 1], [1, 0]]))
    assert as_graph(symmetric, directed="out").directed == "out"


def test_an_empty_file_and_an_empty_array_are_graphs_without_nodes():
    assert read_text(io.BytesIO(b""), "a.csv", InputOptions(), TextOptions(",")).num_nodes == 0
    assert as_graph(np.array([])).num_nodes == 0
    with pytest.raises(InputError, match=r"got shape \(1,\)"):
        as_graph(np.array([1]))


def test_labels_of_a_gml_file_that_are_no_ids_are_left_for_the_numbers(need):
    need("networkx")
    text = b'graph [ node [ id 4 label "" ] node [ id 7 label "b" ] edge [ source 4 target 7 ] ]'

    assert read_gml(io.BytesIO(text), "a.gml", InputOptions()).node_ids.tolist() == [4, 7]
    named_ones = text.replace(b'label ""', b'label "a"')
    assert read_gml(io.BytesIO(named_ones), "a.gml", InputOptions()).node_ids.tolist() == ["a", "b"]


def test_numbered_strings_are_measured_as_they_are_written(need):
    pa = need("pyarrow")
    words = pa.array(["aa", "b", "aa", None])

    assert decoded_bytes(pa.chunked_array([words.dictionary_encode()] * 2)) == 10
    assert decoded_bytes(pa.chunked_array([words])) == 0
    assert (
        decoded_bytes(pa.chunked_array([pa.array([None], pa.dictionary(pa.int32(), pa.string()))]))
        == 0
    )


def test_a_small_archive_claims_no_large_graph():
    arrays = {"edge_index": np.array([[0], [1]]), "num_nodes": np.array(10**9)}

    with pytest.raises(FileError, match=r"^a\.npz claims 1,000,000,000 nodes in 24 bytes"):
        from_arrays(arrays, "a.npz", None)


def test_the_first_node_beyond_a_graph_is_refused_whatever_its_type(need):
    torch, data = need("torch"), need("torch_geometric.data", "torch-geometric")
    good = data.Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    bad = data.Data(edge_index=torch.tensor([[0], [2]]), num_nodes=2)

    for directed in (None, "out"):
        union, _ = disjoint_union([good, good], directed=directed)
        assert union.directed == directed
        assert union.degrees.tolist() == [1, 1, 1, 1]
        with pytest.raises(
            InputError, match=r"^graph 1 \(counted from 0\): edge \(0, 2\) points outside its 2 "
        ):
            disjoint_union([good, bad], directed=directed)


def test_arcs_of_several_graphs_are_followed_if_asked(need):
    torch, data = need("torch"), need("torch_geometric.data", "torch-geometric")
    arc = data.Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)

    union, _ = disjoint_union([arc, arc], directed="out")

    assert union.directed == "out"
    assert union.degrees.tolist() == [1, 0, 1, 0]
    assert disjoint_union([arc, arc], directed=False)[0].degrees.tolist() == [1, 1, 1, 1]


def test_names_with_half_a_character_are_numbered_too():
    codes, ids = first_appearance(["a", "\ud800", "a"])

    assert codes.tolist() == [0, 1, 0]
    assert ids.tolist() == ["a", "\ud800"]


def test_an_id_is_held_if_one_of_them_is_it():
    assert contains_id(np.array([1, 1]), 1)
    assert not contains_id(np.array([1, 2]), 3)
    assert contains_id(np.array(["a"]), "a")
    assert not contains_id(np.array(["a"]), "b")


@pytest.mark.parametrize("part", [{"format": np.array("csr")}, {"shape": np.array([2, 2])}])
def test_half_of_a_sparse_matrix_is_no_graph(part):
    with pytest.raises(
        FileError, match=r"^a\.npz must hold a scipy sparse matrix, or an array edge_index or edges"
    ):
        from_arrays(part, "a.npz", None)


def test_a_claim_is_plausible_up_to_64_nodes_a_byte(monkeypatch):
    monkeypatch.setattr(limits, "PLAUSIBLE_NODES", 100)

    refuse_implausible(100, 1, "a.npz")
    refuse_implausible(128, 2, "a.npz")
    with pytest.raises(FileError, match=r"^a\.npz claims 129 nodes in 2 bytes"):
        refuse_implausible(129, 2, "a.npz")


def test_the_hash_of_an_edge_is_that_of_splitmix():
    graph = named.cycle(5)

    rows, hashes = cap._hashes(graph.indptr, graph.indices, 0, 5)

    arcs = list(zip(rows.tolist(), graph.indices.tolist(), strict=True))
    assert hashes.tolist() == [splitmix(min(arc), max(arc)) for arc in arcs]


def test_the_largest_int64_is_still_one():
    assert id_array([2**63 - 1]).dtype == np.int64
    assert id_array([2**63]).dtype == object


@pytest.mark.parametrize("directed", ["out", "in"])
def test_matrices_of_one_call_are_followed_if_asked(directed):
    arc, both = csr_array(np.array([[0, 1], [0, 0]])), csr_array(np.array([[0, 1], [1, 0]]))

    union, _ = disjoint_union([arc, both], directed=directed)

    assert union.directed == directed
    assert union.degrees.tolist() == ([1, 0, 1, 1] if directed == "out" else [0, 1, 1, 1])
    assert disjoint_union([both, both], directed=directed)[0].directed == directed

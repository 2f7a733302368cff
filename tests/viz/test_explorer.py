"""The explorer page as text: self-contained, small, and safe for any ids."""

import base64
import hashlib
import json
import re
from itertools import pairwise

import numpy as np
import pytest

import egonet
from egonet import named
from egonet.errors import InputError, OutputError, UnknownNodeError

EVIL = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "&amp;", "line\u2028break"]


def data_of(page):
    """Return the data embedded in a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)
    return json.loads(found.group(1))


def test_the_page_is_at_most_400_kb_before_the_graph():
    page = egonet.explore(named.path(2))

    assert len(page.html.encode()) < 400_000


@pytest.mark.parametrize("around", ["zoe", ["anna", "zoe"]])
def test_an_unknown_center_is_named_in_small_graphs_too(around):
    with pytest.raises(UnknownNodeError, match="the graph has no node 'zoe'"):
        egonet.explore([("anna", "bob")], around=around)


def test_the_page_contains_no_address_to_load_from():
    page = egonet.explore(named.path(2))

    assert not re.search(r"""(src|href)\s*=|url\(|@import|fetch\(|XMLHttpRequest|import\(""", page.html)


def test_the_policy_allows_exactly_the_script_and_the_style_of_the_page():
    html = egonet.explore(named.path(2)).html

    for tag in ("script", "style"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html
    assert "unsafe" not in html


def test_ids_are_data_and_never_markup():
    page = egonet.explore(list(pairwise(EVIL)), names=["<b>bold</b>"])

    assert data_of(page)["graphs"][0]["nodes"] == EVIL
    assert "onerror" not in re.sub(r"\\u003cimg src=x onerror=alert\(1\)\\u003e", "", page.html)
    assert "<b>" not in page.html
    assert "\u2028" not in page.html


def test_a_notebook_shows_the_page_in_a_sandboxed_frame():
    page = egonet.encode(named.path("abc"), radius=1).explore()

    frame = page._repr_html_()

    assert frame.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in frame
    assert frame.count("<") == 2


def test_an_encoding_opens_with_its_settings():
    encoding = egonet.encode(
        named.path("abc"),
        radius=(1, 2),
        degrees="full",
        max_degree=3,
        frontier_edges=False,
        labels=["N", "C", "C"],
    )

    data = data_of(encoding.explore("amine"))

    assert data["graphs"][0]["labels"] == [1, 0, 0]
    assert data["settings"] == {
        "radius": 2,
        "smallerRadii": True,
        "degrees": "full",
        "frontierEdges": False,
        "maxDegree": 3,
        "degreeBins": None,
        "labelNames": ["C", "N"],
        "typeNames": None,
    }


def test_labels_are_drawn_color_the_nodes_and_are_counted():
    page = egonet.explore(named.path("ab"), labels={"a": "O", "b": "C"}, columns={"score": [1, 2]})
    data = data_of(page)

    assert data["graphs"][0]["symbols"] == ["O", "C"]
    assert data["graphs"][0]["labels"] == [1, 0]
    assert data["settings"]["labelNames"] == ["C", "O"]
    assert [coloring["name"] for coloring in data["colorings"]][-2:] == ["label", "score"]


def test_an_encoding_with_types_of_edges_names_the_way_out():
    encoding = egonet.encode([("a", "b")], edge_labels=["x"])

    with pytest.raises(InputError, match=r"Use explore\(graph, edge_labels=...\)"):
        encoding.explore()


def test_a_large_graph_is_embedded_whole_with_the_center_of_its_sample():
    data = data_of(egonet.explore(named.cycle(5000), around=7))["graphs"][0]

    assert (data["numNodes"], data["numNodesTotal"], data["maxNodes"], data["centers"]) == (
        5000,
        5000,
        2000,
        [7],
    )


def test_the_page_of_100_000_nodes_has_at_most_5_mb():
    rng = np.random.default_rng(0)
    graph = egonet.Graph.from_edges(rng.integers(0, 100_000, (400_000, 2)), num_nodes=100_000)

    assert len(egonet.explore(graph, radius=1).html.encode()) < 5_000_000


@pytest.mark.long
def test_a_page_with_long_ids_columns_and_times_has_at_most_5_mb():
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 60_000, (200_000, 2)).tolist()
    edges = [(f"account {u} of a long name", f"account {v} of a long name") for u, v in ends if u != v]
    graph = egonet.Graph.from_edges(edges)
    times = dict(zip(edges, rng.integers(0, 10**9, len(edges)).tolist(), strict=True))
    columns = {
        "balance": rng.normal(0, 1000, graph.num_nodes),
        "branch": [f"branch {i}" for i in graph.node_ids],
    }

    page = egonet.explore(graph, radius=1, edge_times=times, edge_weights=times, columns=columns)

    assert 2_500_000 < len(page.html.encode()) < 5_000_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"radius": 5}, "the explorer shows radius 0 to 4, got 5."),
        ({"radius": (2, 4)}, r"one radius, or all from 1 as in \(1, 2\), got \(2, 4\)."),
        ({"names": ["a", "b"]}, "names must have one entry per graph: 1, got 2."),
        ({"degrees": "totl"}, "Did you mean 'total'?"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    with pytest.raises(InputError, match=message):
        egonet.explore(named.path(3), **arguments)


def test_an_encoding_without_its_graph_raises(tmp_path):
    egonet.encode(named.path(3), radius=1).save(tmp_path / "path.npz")

    with pytest.raises(InputError, match="this encoding has no graph"):
        egonet.load(tmp_path / "path.npz").explore()


def test_pages_are_written_atomically(tmp_path):
    page = egonet.explore(named.path(2))

    assert page.write(tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    with pytest.raises(OutputError, match="the folder does not exist"):
        page.write(tmp_path / "nowhere" / "page.html")


def test_the_page_opens_with_the_given_settings():
    by_record = egonet.explore(named.path(3), settings=egonet.Settings(1, degrees="full", max_degree=3))
    by_keywords = egonet.explore(named.path(3), radius=1, degrees="full", max_degree=3)

    assert data_of(by_record)["settings"] == data_of(by_keywords)["settings"]
    assert data_of(by_record)["settings"]["maxDegree"] == 3
    with pytest.raises(InputError, match=r"the explorer does not support cap=\d+\. Leave it out\."):
        egonet.explore(named.path(3), cap=2)


def test_settings_that_the_page_does_not_show_are_an_error():
    with pytest.raises(InputError, match=r"the explorer does not support layout="):
        egonet.explore([("a", "b")], layout="paper")


def test_weights_in_bins_are_types_of_edges():
    page = egonet.explore([("a", "b"), ("b", "c")], radius=1, weights=[1, 20], weight_bins=[10])

    assert data_of(page)["settings"]["typeNames"] == ["10plus", "below10"]
    with pytest.raises(InputError, match="weight_bins is for weights"):
        egonet.explore([("a", "b")], weight_bins="log")


PAYMENTS = {
    "source": ["a", "b", "b", "c", "d", "e"],
    "target": ["b", "a", "c", "d", "e", "f"],
    "when": [5, 3, 4, 6, 7, 8],
    "amount": [1.0, 2.0, 100.0, 1.0, 1.0, 1.0],
}


def test_columns_of_edges_are_the_first_time_and_the_sum_of_repeated_edges(need):
    pandas = need("pandas")
    page = egonet.explore(
        pandas.DataFrame(PAYMENTS), edge_times="when", edge_weights="amount", directed=False, simplify=True
    )

    (graph,) = data_of(page)["graphs"]
    assert graph["times"] == [3, 4, 6, 7, 8]
    assert graph["widths"] == [1, 3, 0, 0, 0]  # sums 3, 100, 1, 1, 1


def test_a_pair_shows_what_lies_around_both():
    page = egonet.explore(
        [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "g")], radius=1, pair=("a", "c")
    )

    data = data_of(page)
    assert page.title == "a and c · egonet"
    assert data["graphs"][0]["nodes"] == ["a", "b", "c", "d"]
    assert data["opening"] == {
        "colorBy": "place",
        "note": "a and c share 1 of 2 neighbors that either has; they are not linked.",
        "pair": [0, 2],
    }
    (place,) = [each for each in data["colorings"] if each["name"] == "place"]
    assert [place["names"][value] for value in place["values"]] == [
        "the pair",
        "neighbor of both",
        "the pair",
        "neighbor of c",
    ]


DATED = {
    "source": ["a", "b", "c", "a", "d"],
    "target": ["b", "c", "d", "c", "a"],
    "when": ["01/01/2024", "20/01/2024", "25/01/2024", "01/02/2024", "02/02/2024"],
}
DAYS = {"edge_times": "when", "time_format": "%d/%m/%Y", "directed": "out"}


def test_times_in_text_have_a_form(need):
    table = need("pandas").DataFrame(DATED)

    (graph,) = data_of(egonet.explore(table, **DAYS))["graphs"]

    first = np.datetime64("2024-01-01", "ms").astype(float)
    assert [(time - first) / 86_400_000 for time in graph["times"]] == [0, 31, 19, 24, 32]
    with pytest.raises(InputError, match="For dates in another form set time_format= to it"):
        egonet.explore(table, edge_times="when", directed="out")


def test_a_mapping_of_times_in_text_has_a_form_too():
    page = egonet.explore([("a", "b")], edge_times={("a", "b"): "02/01/1970"}, time_format="%d/%m/%Y")

    assert data_of(page)["graphs"][0]["times"] == [86_400_000.0]


@pytest.mark.parametrize(
    ("window", "edges"),
    [
        (None, [("a", "b"), ("b", "c"), ("c", "d")]),
        ("13d", [("b", "c"), ("c", "d")]),
        ("12d", [("b", "c"), ("c", "d")]),
    ],
)
def test_only_edges_that_are_known_at_a_time_are_shown(need, window, edges):
    table = need("pandas").DataFrame(DATED)

    data = data_of(egonet.explore(table, **DAYS, as_of="01/02/2024", window=window))

    (graph,) = data["graphs"]
    assert graph["nodes"] == sorted({node for edge in edges for node in edge})
    assert len(graph["times"]) == len(edges)  # the payment of that moment is not known
    assert data["opening"]["note"].startswith("Shown: edges before 01/02/2024")


def test_the_ends_of_an_event_are_shown_even_if_they_have_no_history(need):
    table = need("pandas").DataFrame(DATED)

    data = data_of(egonet.explore(table, **DAYS, pair=("a", "d"), as_of="01/01/2024", window="30d"))

    assert data["graphs"][0]["nodes"] == ["a", "d"]
    assert data["graphs"][0]["times"] == []
    assert data["opening"]["pair"] == [0, 1]
    assert data["opening"]["note"].endswith("Shown: edges before 01/01/2024 and at most 30d old.")


def test_labels_and_types_are_those_of_the_edges_that_are_known(need):
    table = need("pandas").DataFrame(DATED | {"kind": ["x", "y", "x", "z", "y"]})

    (graph,) = data_of(
        egonet.explore(
            table,
            **DAYS,
            edge_labels="kind",
            labels=dict(zip("abcd", "PQPQ", strict=True)),
            as_of="26/01/2024",
        )
    )["graphs"]

    assert graph["symbols"] == ["P", "Q", "P", "Q"]
    assert [graph["typeMembers"][place] for place in graph["typeSets"]] == [[0], [1], [0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"as_of": 3}, "as_of needs edge_times, the name of a column"),
        (
            {"as_of": 3, "edge_times": "when", "time_format": "%d/%m/%Y"},
            "as_of must be a time like those",
        ),
        ({"as_of": 3, "edge_times": "when2"}, "no edge attribute 'when2'"),
        (
            {"as_of": "2024-01-01", "edge_times": "number", "window": "3d"},
            "as_of must be a time like those of the edges",
        ),
        ({"window": "3d"}, "Give both"),
        ({"as_of": "3", "edge_times": "number", "window": "3d"}, "window must be a number in the same unit"),
    ],
)
def test_a_time_needs_times_of_its_kind(need, options, message):
    table = need("pandas").DataFrame(DATED | {"number": range(5)})

    with pytest.raises(InputError, match=message):
        egonet.explore(table, simplify=True, **options)


def test_a_page_without_edges_is_an_error(need):
    table = need("pandas").DataFrame(DATED)

    with pytest.raises(
        InputError, match=r"the page would be empty: there are no edges before 01/01/2024. Give a later"
    ):
        egonet.explore(table, **DAYS, as_of="01/01/2024")


def test_times_and_weights_are_those_of_the_first_of_two_graphs(need):
    table = need("pandas").DataFrame(DATED | {"paid": range(5)})

    first, second = data_of(
        egonet.explore(
            table,
            [("a", "b")],
            **DAYS,
            edge_weights="paid",
            labels=(dict.fromkeys("abcd", "x"), {"a": "x", "b": "y"}),
        )
    )["graphs"]

    assert len(first["times"]) == len(first["widths"]) == 5
    assert second["times"] is None
    assert second["widths"] is None
    assert second["symbols"] == ["x", "y"]


def test_numbers_in_text_are_times(need):
    table = need("pandas").DataFrame(DATED | {"number": list(map(str, range(5)))})

    data = data_of(
        egonet.explore(table, edge_times="number", as_of="3", window="2", directed="out", simplify=True)
    )

    assert data["graphs"][0]["times"] == [1, 2]


@pytest.mark.parametrize("directed", ["out", "in"])
def test_a_pair_is_found_along_and_against_arcs(directed):
    page = egonet.explore([("a", "b"), ("c", "b"), ("x", "a")], radius=1, pair=("a", "c"), directed=directed)

    assert sorted(data_of(page)["graphs"][0]["nodes"]) == ["a", "b", "c", "x"]
    assert "share 1 of 2" in data_of(page)["opening"]["note"]


@pytest.mark.parametrize("pair", [("a", "a"), ("a",), "ab", 3])
def test_a_pair_is_two_different_nodes(pair):
    with pytest.raises(InputError, match="pair must be two different nodes"):
        egonet.explore([("a", "b")], pair=pair)


def test_a_pair_has_no_second_graph_and_known_nodes():
    with pytest.raises(InputError, match="a pair is drawn in one graph without labels"):
        egonet.explore([("a", "b")], [("a", "b")], pair=("a", "b"))
    with pytest.raises(UnknownNodeError, match="the graph has no node 'z'"):
        egonet.explore([("a", "b")], pair=("a", "z"))


def test_the_part_around_a_pair_keeps_positions_and_symbols(need):
    molecule = need("rdkit.Chem", "rdkit").MolFromSmiles("CCOCN")
    data = data_of(egonet.explore(molecule, radius=1, pair=(1, 3)))["graphs"][0]
    whole = data_of(egonet.explore(molecule, radius=1))["graphs"][0]

    assert data["nodes"] == ["0", "1", "2", "3", "4"]
    part = data_of(egonet.explore(molecule, radius=1, pair=(3, 4)))["graphs"][0]
    assert part["symbols"] == ["O", "C", "N"]
    assert part["positions"] == whole["positions"][4:]

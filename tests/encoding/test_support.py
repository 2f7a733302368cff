"""One table says what every engine supports; errors and the documentation come from it."""

from pathlib import Path

import pytest

import egonet
from egonet import Settings, as_graph
from egonet.encoding.support import ENGINES, FEATURES, check_support, support_matrix
from egonet.errors import InputError
from egonet.temporal.stream import Stream

ROOT = Path(__file__).parents[2]
PATH = [("a", "b"), ("b", "c")]


def test_the_documentation_has_the_current_table():
    page = (ROOT / "docs/edges.md").read_text(encoding="utf-8")
    start, end = "<!-- the table of encoding/support.py -->\n", "\n<!-- end -->"

    assert page.partition(start)[2].partition(end)[0] == support_matrix()


def test_engines_name_features_of_the_table_only():
    for engine in ENGINES.values():
        assert engine.unsupported <= FEATURES.keys()


@pytest.mark.parametrize(
    ("settings", "columns", "message"),
    [
        (
            Settings(1, cap=3),
            (),
            r"^a stream does not support cap=3\. Leave it out, or use TemporalEncoder\.$",
        ),
        (Settings(1), ("labels",), r"^a stream does not support labels=\. Leave it out, or use TemporalEnc"),
    ],
)
def test_what_an_engine_does_not_support_raises_in_one_wording(settings, columns, message):
    with pytest.raises(InputError, match=message):
        check_support("stream", settings, columns=columns)


def test_bins_of_weights_are_not_supported_where_weights_are_not():
    with pytest.raises(InputError, match=r'^Spark does not support weight_bins="log"\.'):
        check_support("spark", Settings(1, weight_bins="log"))


def test_memory_supports_everything():
    graph = as_graph(PATH, labels={"a": "C", "b": "O", "c": "C"}, edge_labels=["x", "y"], weights=[1, 2])

    check_support("nodes", Settings(1, cap=2, degree_bins="log"), graph)


def test_a_store_counts_the_labels_and_types_that_a_graph_carries(tmp_path):
    graph = as_graph(PATH, labels={"a": "C", "b": "O", "c": "C"})
    stored = egonet.store.encode(graph, tmp_path / "labels", 1)

    assert stored["b"] == egonet.encode(graph, 1)["b"] == {(0, 2, "O"): 1, (1, 1, "C"): 2}
    typed = egonet.store.encode(as_graph(PATH, edge_labels=["x", "y"]), tmp_path / "types", 1)
    assert typed["a"] == {(0, 1): 1, (1, 2, "x"): 1, (2, 1): 1}


def test_a_stream_refuses_a_vocabulary_with_labels():
    known = egonet.encode(PATH, 1, labels={"a": "C", "b": "O", "c": "C"}).vocabulary

    with pytest.raises(InputError, match="a stream does not support labels="):
        Stream(vocabulary=known)


def test_colors_distinguish_neighbors_by_the_type_of_the_edge():
    """On a path of three, the ends differ if their edges do."""
    assert egonet.wl_colors(as_graph(PATH, edge_labels=["x", "y"])).tolist() == [0, 1, 2]
    assert egonet.wl_colors(as_graph(PATH, edge_labels=["x", "x"])).tolist() == [0, 1, 0]
    assert egonet.wl_colors(PATH).tolist() == [0, 1, 0]


def test_a_store_caps_undirected_graphs_only_and_leaves_nothing_behind(tmp_path):
    with pytest.raises(
        InputError, match=r'^a store does not support cap=2 with directed="out"\. Leave it out, or use'
    ):
        egonet.store.encode(PATH, tmp_path / "store", 1, cap=2, directed="out")

    assert list(tmp_path.iterdir()) == []
    assert len(egonet.store.encode(PATH, tmp_path / "store", 1, cap=2, directed=False)) == 3

"""Triangles found out of core are those of the graph, for any memory."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from egonet import Graph, encode, named, store
from egonet.store import triangles as stored_triangles
from egonet.store.folder import open_array
from egonet.store.graph import store_graph
from egonet.store.triangles import store_supports


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 12).flatmap(
        lambda n: st.tuples(
            st.just(n), st.sets(st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0))))
        )
    ),
    st.sampled_from([1, 50, 10**6]),
)
def test_the_support_of_an_arc_counts_the_common_neighbors_of_its_ends(tmp_path_factory, drawn, memory):
    num_nodes, pairs = drawn
    graph = Graph.from_edges(sorted(pairs) if num_nodes else [], num_nodes)
    folder = tmp_path_factory.mktemp("supports")

    store_supports(store_graph(graph, folder / "graph"), folder / "supports", memory=memory, threads=1)

    near = [set(graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()) for v in range(num_nodes)]
    expected = [len(near[u] & near[v]) for u in range(num_nodes) for v in sorted(near[u])]
    assert open_array(folder / "supports", "supports").tolist() == expected
    assert sorted(path.name for path in folder.iterdir()) == ["graph", "supports"]


@pytest.mark.parametrize("memory", [10**7, 40_000, 4_000])
def test_the_supports_are_the_same_for_any_number_of_threads(tmp_path, memory):
    # Half of the ends are among 20 hubs: every list of theirs is searched by all workers at once.
    rng = np.random.default_rng(0)
    ends = np.where(
        rng.random((6_000, 2)) < 0.5, rng.integers(20, size=(6_000, 2)), rng.integers(3_000, size=(6_000, 2))
    )
    stored = store_graph(Graph.from_edges(ends.tolist(), 3_000), tmp_path / "graph")

    for threads in (1, 2, 7):
        store_supports(stored, tmp_path / str(threads), memory=memory, threads=threads)

    one, two, seven = (open_array(tmp_path / name, "supports").tobytes() for name in ("1", "2", "7"))
    assert one == two == seven
    assert sum(open_array(tmp_path / "1", "supports").tolist()) > 10_000


@pytest.mark.parametrize("num_triangles", [254, 255, 256, 257, 600])
def test_an_edge_in_more_triangles_than_a_byte_holds(tmp_path, num_triangles):
    # The two hubs have higher degrees than all others, so their edge is the last one of every triangle.
    pairs = [(0, 1), *((hub, i) for i in range(2, 2 + num_triangles) for hub in (0, 1))]
    stored = store_graph(Graph.from_edges(pairs, 2 + num_triangles), tmp_path / "graph")

    store_supports(stored, tmp_path / "supports", memory=10**6, threads=3)

    assert open_array(tmp_path / "supports", "supports").tolist() == [
        *2 * [num_triangles, *num_triangles * [1]],
        *2 * num_triangles * [1],
    ]


@pytest.mark.parametrize("degrees", ["total", "layered", "full"])
@pytest.mark.parametrize(
    "options", [{}, {"max_degree": 2}, {"frontier_edges": False}, {"degree_bins": "log"}]
)
def test_rows_from_triangles_equal_those_of_encode(tmp_path, monkeypatch, degrees, options):
    monkeypatch.setattr(import_module("egonet.store.encode"), "LEAST_BLOCK", 7)
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, 60, (300, 2)).tolist(), 60)

    stored = store.encode(graph, tmp_path / "out", (1, 2), memory=2_000, degrees=degrees, **options)

    expected = encode(graph, (1, 2), degrees=degrees, **options)
    assert stored.matrix.toarray().tolist() == expected.matrix.toarray().tolist()
    assert stored.columns == expected.columns
    assert not (tmp_path / "out" / stored_triangles.SUPPORTS).exists()


def test_triangles_are_found_once_for_all_blocks_and_not_for_one(tmp_path, monkeypatch):
    calls = []
    found = stored_triangles.store_supports
    monkeypatch.setattr(
        stored_triangles,
        "store_supports",
        lambda *args, **options: calls.append(1) or found(*args, **options),
    )
    monkeypatch.setattr(import_module("egonet.store.encode"), "LEAST_BLOCK", 4)
    graph = named.cycle(100)

    stored = store.encode(graph, tmp_path / "out", 1)
    assert len(calls) == 1
    (tmp_path / "out" / stored.manifest["blocks"][3] / "counts.npy").write_bytes(b"damaged")
    mended = store.encode(graph, tmp_path / "out", 1)

    assert len(calls) == 1
    assert mended[13] == {(0, 2): 1, (1, 1): 2}


@pytest.mark.parametrize("size", [0, 1, 3, 7])
def test_zeros_come_in_chunks_that_add_up_to_the_size(monkeypatch, size):
    monkeypatch.setattr(stored_triangles, "_ARCS_AT_ONCE", 3)

    assert np.concatenate([np.empty(0), *stored_triangles._zeros(size)]).tolist() == [0] * size

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

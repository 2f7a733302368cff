"""Stores of graphs whose edges have types or amounts: equal to `encode` in memory, resumed, verified and reopened."""

import numpy as np
import pandas as pd
import pytest

import egonet
from contracts.parts import need
from egonet.errors import FileError, InputError


def random_edges(seed=0, size=200, nodes=40):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "source": rng.integers(0, nodes, size),
            "target": rng.integers(0, nodes, size),
            "kind": rng.choice(["call", "text", "visit"], size),
            "amount": rng.integers(0, 1000, size),
        }
    )


CASES = [
    {"edge_labels": "kind"},
    {"weights": "amount", "weight_bins": "log"},
    {"weights": "amount", "weight_bins": 3},
    {"edge_labels": "kind", "degrees": "full", "degree_bins": "log"},
    {"edge_labels": "kind", "directed": "out"},
    {"edge_labels": "kind", "cap": 4},
    {"edge_labels": "kind", "labels": {node: "even" if node % 2 == 0 else "odd" for node in range(40)}},
]


@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
@pytest.mark.parametrize("options", CASES, ids=lambda options: "-".join(options))
@pytest.mark.parametrize("kind", ["memory", "file"])
def test_rows_equal_those_of_encode(options, kind, tmp_path):
    edges = random_edges()
    edges.to_csv(tmp_path / "edges.csv", index=False)
    given = edges if kind == "memory" else tmp_path / "edges.csv"

    stored = egonet.store.encode(given, tmp_path / "store", (1, 2), memory=10**5, **options)
    opened = egonet.load(tmp_path / "store")

    expected = egonet.encode(edges, (1, 2), **options)
    assert stored[7] == expected[7]
    assert opened.feature_names == expected.feature_names
    assert (opened.matrix != expected.matrix).nnz == 0
    assert egonet.store.verify(tmp_path / "store").is_intact


@pytest.mark.filterwarnings("ignore::egonet.errors.IgnoredInputWarning")
@pytest.mark.parametrize("directed", [None, "out", "in"])
@pytest.mark.parametrize("size", [0, 1, 200])
def test_the_graph_of_a_store_has_the_types_of_its_edges(tmp_path, size, directed):
    labels = {node: node % 2 for node in range(40)}
    options = {"edge_labels": "kind", "directed": directed, "labels": labels, "num_nodes": 40}
    graph = egonet.as_graph(random_edges(size=size), **options)

    stored = egonet.store.encode(graph, tmp_path / "store", 1).graph

    assert stored == graph
    again = egonet.encode(stored, 2)
    assert again.feature_names == egonet.encode(graph, 2).feature_names
    assert (again.matrix != egonet.encode(graph, 2).matrix).nnz == 0


def test_edges_of_two_types_between_the_same_nodes_are_both_in_the_graph_of_a_store(tmp_path):
    stored = egonet.store.encode(
        [("a", "b"), ("b", "a"), ("b", "c")],
        tmp_path / "store",
        1,
        edge_labels=["x", "y", "x"],
        simplify=True,
    )

    need("pyarrow")
    assert stored.graph.to_arrow().to_pydict() == {
        "source": ["a", "a", "b"],
        "target": ["b", "b", "c"],
        "edge_labels": ["x", "y", "x"],
    }


def test_the_graph_of_a_store_has_the_bins_of_its_weights(tmp_path):
    graph = egonet.as_graph([("a", "b"), ("b", "c")], weights=[1, 50])

    stored = egonet.store.encode(graph, tmp_path / "store", 1, weight_bins=(10,))

    assert stored.graph.edge_columns["edge_labels"].values() == ["below10", "10plus"]
    assert egonet.encode(stored.graph, 1).feature_names == stored.feature_names


@pytest.mark.parametrize("directed", [None, "out"])
def test_types_that_do_not_fit_the_edges_of_a_store_are_damage(tmp_path, directed):
    folder = tmp_path / "store"
    edges = [("a", "b"), ("b", "c"), ("c", "d")]
    egonet.store.encode(edges, folder, 1, edge_labels=["x", "y", "x"], directed=directed)
    indptr = np.load(folder / "choices-0000" / "divided_indptr.npy")
    indptr[-2] += 1  # the last edge gives an end to the one before it
    np.save(folder / "choices-0000" / "divided_indptr.npy", indptr)

    with pytest.raises(FileError, match="damaged"):
        egonet.load(folder, verify=False).graph  # noqa: B018


def test_a_store_with_types_is_resumed_and_repaired(tmp_path):
    edges, folder = random_edges(), tmp_path / "store"
    call = {"edge_labels": "kind", "simplify": True, "memory": 10**4}
    first = egonet.store.encode(edges, folder, 1, **call).matrix
    block = next(folder.glob("block-000000*/counts.npy"))
    block.write_bytes(b"")

    assert egonet.store.verify(folder).is_intact
    assert (egonet.store.encode(edges, folder, 1, **call).matrix != first).nnz == 0


def test_other_types_are_another_encoding(tmp_path):
    edges, folder = random_edges(), tmp_path / "store"
    egonet.store.encode(edges, folder, 1, edge_labels="kind", simplify=True)

    with pytest.raises(FileError, match="has an encoding with other edge types"):
        egonet.store.encode(edges, folder, 1, edge_labels=edges["kind"].tolist()[::-1], simplify=True)
    with pytest.raises(FileError, match="has an encoding with edge_labels"):
        egonet.store.encode(edges, folder, 1, simplify=True)
    with pytest.raises(InputError, match="with labels, edge types or chosen roots cannot be updated"):
        egonet.store.update(folder, added=[(0, 39)])


def test_a_damaged_array_of_types_is_an_error(tmp_path):
    folder = tmp_path / "store"
    egonet.store.encode([("a", "b"), ("b", "c")], folder, 1, edge_labels=["x", "y"])
    np.save(folder / "choices-0000" / "divided_types.npy", np.array([0, 9], dtype=np.int32))

    with pytest.raises(FileError, match="damaged"):
        egonet.load(folder, verify=False).labels  # noqa: B018


def test_a_vocabulary_of_types_comes_from_a_store(tmp_path):
    egonet.store.encode([("a", "b"), ("b", "c")], tmp_path / "store", 1, edge_labels=["x", "y"])

    encoding = egonet.encode([("a", "b")], edge_labels=["y"], vocabulary=egonet.load(tmp_path / "store"))

    assert encoding["a"] == {(0, 1): 1, (1, 2, "y"): 1, (2, 1): 1}


def test_the_folder_of_a_store_is_a_vocabulary_with_its_direction(tmp_path):
    egonet.store.encode([("a", "b"), ("b", "c")], tmp_path / "store", 1, directed="out")

    encoding = egonet.encode([("x", "y")], vocabulary=tmp_path / "store", directed="out")

    assert encoding["x"] == {(0, 1): 1, (1, 0): 1}
    with pytest.raises(InputError, match=r"learned on a graph read with directed=\"out\", got directed=None"):
        egonet.encode([("x", "y")], vocabulary=str(tmp_path / "store"))

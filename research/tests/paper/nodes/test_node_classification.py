"""Node classification: airports as they are on disk, and PPI's files and network on small data of the same shape."""

import json

import numpy as np
import pytest

import egonet
from contracts.parts import need
from egonet.errors import FileError, InputError

torch = need("torch")
need("sklearn")
from research.datasets.protein_files import GRAPHSAGE_FILES, read_proteins  # noqa: E402
from research.paper.nodes.choice import NodeChoice  # noqa: E402
from research.paper.nodes.node_classification import features, fold_accuracy, read_airports, run_nodes  # noqa: E402
from research.paper.nodes.proteins import micro_f1, train_proteins  # noqa: E402

PLAN = {
    "radius": 1,
    "dim": 8,
    "layers": 3,
    "hidden": 32,
    "activation": "elu",
    "features": True,
    "rate": 5e-3,
    "batch_size": 64,
    "epochs": 60,
    "patience": 20,
}


def proteins(seed=1, sizes=(120, 60, 60)):
    """Return nodes, edges and labels of the shape of PPI: some loops, noise features, labels by structure."""
    rng = np.random.default_rng(seed)
    nodes, edges, start = [], [], 0
    for size, split in zip(sizes, ("train", "val", "test"), strict=True):
        pairs = rng.integers(size, size=(2 * size, 2)) + start
        edges += pairs.tolist() + [[start + i, start + i] for i in range(0, size, 5)]
        nodes += [{"id": start + i, "test": split == "test", "val": split == "val"} for i in range(size)]
        start += size
    pairs = np.array(edges)
    graph = egonet.Graph.from_indices(pairs[:, 0], pairs[:, 1], start)
    loops = np.zeros(start, dtype=int)
    loops[pairs[pairs[:, 0] == pairs[:, 1], 0]] = 1
    labels = np.column_stack([graph.degrees >= 4, graph.degrees >= 6, loops]).astype(int)
    return nodes, edges, labels, rng.normal(size=(start, 5))


def write_graphsage(folder):
    nodes, edges, labels, features = proteins()
    links = [{"source": int(u), "target": int(v)} for u, v in edges]
    (folder / "ppi-G.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    (folder / "ppi-id_map.json").write_text(json.dumps({str(i): i for i in range(len(nodes))}))
    (folder / "ppi-class_map.json").write_text(
        json.dumps({str(i): row for i, row in enumerate(labels.tolist())})
    )
    np.save(folder / "ppi-feats.npy", features)


def write_pyg(folder):
    nodes, edges, labels, features = proteins()
    start = 0
    for split, size in (("train", 120), ("valid", 60), ("test", 60)):
        inside = [(u - start, v - start) for u, v in edges if start <= u < start + size]
        graph = {
            "nodes": nodes[start : start + size],
            "links": [{"source": u, "target": v} for u, v in inside],
        }
        (folder / f"{split}_graph.json").write_text(json.dumps(graph))
        np.save(folder / f"{split}_feats.npy", features[start : start + size])
        np.save(folder / f"{split}_labels.npy", labels[start : start + size])
        start += size


def test_both_publishers_files_hold_the_same(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    write_graphsage(tmp_path / "a")
    write_pyg(tmp_path / "b")

    first, second = read_proteins(tmp_path / "a"), read_proteins(tmp_path / "b")

    for split, size in (("train", 120), ("valid", 60), ("test", 60)):
        assert first[split].graph.num_nodes == size
        assert np.array_equal(first[split].graph.indices, second[split].graph.indices)
        assert np.array_equal(first[split].loops, second[split].loops)
        assert np.array_equal(first[split].labels, second[split].labels)
        assert np.allclose(first[split].features, second[split].features)
    assert first["train"].loops.sum() >= 24


def test_missing_features_are_named(tmp_path):
    with pytest.raises(FileError, match=r"Put there either GraphSAGE's ppi-G\.json, ppi-feats\.npy"):
        read_proteins(tmp_path)
    assert len(GRAPHSAGE_FILES) == 4


def test_structure_is_learned_where_features_say_nothing(tmp_path):
    write_graphsage(tmp_path)
    parts = read_proteins(tmp_path)
    details = {}

    with_encoding = train_proteins(parts, PLAN, seed=1, details=details)
    again = train_proteins(parts, PLAN, seed=1)
    without = train_proteins(parts, PLAN | {"radius": 0, "dim": 0}, seed=1)

    # Degree and loop decide the labels and are part of the root's column.
    assert with_encoding > 0.8
    assert without < with_encoding - 0.15
    assert again == with_encoding
    assert 1 <= details["best_epoch"] <= 60


def test_micro_f1_by_hand():
    said = torch.tensor([[True, False, True]])

    assert micro_f1(said, torch.tensor([[True, True, False]])) == 0.5
    assert micro_f1(~said & said, ~said & said) == 0.0


def test_airports_are_read_with_their_classes(data_folder):
    sizes = {name: read_airports(name) for name in ("brazil", "europe", "usa")}

    assert [one.graph.num_nodes for one in sizes.values()] == [131, 399, 1190]
    assert [one.graph.num_edges for one in sizes.values()] == [1003, 5993, 13599]
    assert all(sorted(set(one.classes.tolist())) == [0, 1, 2, 3] for one in sizes.values())


def test_encodings_classify_airports_better_than_guessing(data_folder):
    airports = read_airports("brazil")

    columns = features("encoding", airports.graph, (), 1, NodeChoice())[0]

    assert fold_accuracy(columns, airports.classes, seed=1) > 65.0


def test_columns_of_one_graph_serve_another_and_node2vec_has_none(data_folder, tmp_path):
    choice = NodeChoice(data=("brazil-usa",), quick=True, folder=tmp_path)

    lines = run_nodes(choice)

    assert {line.model for line in lines} == {
        "encoding",
        "encoding-local",
        "embedding",
        "embedding-local",
        "degree",
        "degree-rank",
    }
    assert all(25.0 < line.score < 75.0 for line in lines if line.model != "embedding")
    europe, usa = read_airports("europe").graph, read_airports("usa").graph
    with pytest.raises(InputError, match="no method 'node2vec' on 2 graphs"):
        features("node2vec", europe, [usa], 1, choice)
    with pytest.raises(InputError, match="node classification has no data set 'oceania'"):
        run_nodes(NodeChoice(data=("oceania",)))

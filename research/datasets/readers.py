"""Reading the data sets of the experiments, each as the paper fed it to its networks."""

from pathlib import Path
from typing import Any

import numpy as np

from egonet.errors import FileError, InputError
from egonet.typing import Floats, Int64s
from research.datasets.fetch import data_path, find_file
from research.datasets.graph_set import GraphSet, from_arcs
from research.datasets.registry import data_set
from research.datasets.torch_pickle import read_torch_pickle

_MAT = {"mutag": "MUTAG", "ptc": "PTC", "enzymes": "ENZYMES", "proteins": "PROTEINS"}
#: How many columns of F are the one-hot node label; the paper's networks read no others.
_ONE_HOT = {"mutag": 7, "ptc": 19, "enzymes": 3, "proteins": 3}
COUNT_NAMES = ("star", "triangle", "tailed-triangle", "4-cycle", "custom")
_STORED_COUNTS = ("star3", "triangle", "tailed_triangle", "cycle4", "custom")


def read_dataset(name: str) -> GraphSet:
    """Return a data set of the tables: mutag, ptc, enzymes, proteins, exp, graph8c, sr25 or randomgraph."""
    name = name.lower()
    if name in _MAT:
        return read_tu(name)
    readers = {
        "exp": read_exp,
        "graph8c": read_graph6,
        "sr25": read_graph6,
        "randomgraph": read_random_graphs,
    }
    if name not in readers:
        raise InputError(f"data set {name!r} is in no table. There are: {', '.join([*_MAT, *readers])}.")
    return readers[name](name)


def read_tu(name: str) -> GraphSet:
    """Return one of the four graph classification sets with its ten folds; inputs are one-hot label and degree."""
    from scipy.io import loadmat

    folder = f"tu_mat/{_MAT[name]}"
    content = loadmat(data_path(name, f"{folder}/{name}.mat"))
    matrices, features = content["A"][0], content["F"][0]
    targets = np.ravel(content["y"] if name == "mutag" else content["Y"]).astype(np.int64)
    sizes = np.array([len(matrix) for matrix in matrices])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    arcs = np.concatenate(
        [np.argwhere(matrix) + start for matrix, start in zip(matrices, starts, strict=False)]
    )
    labels = np.concatenate([feature[:, : _ONE_HOT[name]] for feature in features])
    if (labels.sum(axis=1) != 1).any():
        raise FileError(f"{name}.mat: some nodes have no label or several.")
    splits = tuple(
        (
            _indices(name, f"{folder}/10fold_idx/train_idx-{k}.txt"),
            _indices(name, f"{folder}/10fold_idx/test_idx-{k}.txt"),
        )
        for k in range(1, 11)
    )
    return from_arcs(
        name,
        sizes,
        arcs,
        labels=labels.argmax(axis=1),
        targets=np.maximum(targets, 0),
        splits=splits,
        inputs=np.column_stack([labels.astype(np.float64), _degrees(arcs, int(starts[-1]))]),
    )


def read_exp(name: str = "exp") -> GraphSet:
    """Return EXP: inputs are the node type and the degree; validation 0-199, test 200-399, training the rest."""
    stored = next(file for file in data_set(name).files if file.path.endswith(".npz"))
    if find_file(stored) is not None:
        with np.load(data_path(name, stored.path), allow_pickle=False) as arrays:
            sizes, kinds, edges, y = (arrays[key] for key in ("n", "node_label", "edge_index", "y"))
            owner = np.repeat(np.arange(len(sizes)), np.diff(arrays["edge_ptr"]))
    else:
        sizes, kinds, edges, owner, y = exp_arrays(data_path(name, "exp/GRAPHSAT.pkl"))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    arcs = edges.T.astype(np.int64) + starts[owner][:, None]
    inputs = np.column_stack([kinds.astype(np.float64), _degrees(arcs, int(starts[-1]))])
    order = np.arange(len(sizes))
    split = (order[400:], order[:200], order[200:400])
    return from_arcs(
        name,
        sizes.astype(np.int64),
        arcs,
        labels=kinds.astype(np.int64),
        targets=y.astype(np.int64),
        splits=(split,),
        inputs=inputs,
    )


def exp_arrays(path: Path) -> tuple[np.ndarray[Any, Any], ...]:
    """Return sizes, node types, arcs with local numbers, the graph of each arc, and labels of the EXP pickle."""
    graphs = read_torch_pickle(path)
    sizes = np.array([len(graph["x"]) for graph in graphs])
    kinds = np.concatenate([graph["x"][:, 0] for graph in graphs])
    edges = np.concatenate([graph["edge_index"] for graph in graphs], axis=1)
    owner = np.repeat(np.arange(len(graphs)), [graph["edge_index"].shape[1] for graph in graphs])
    return sizes, kinds, edges, owner, np.concatenate([graph["y"] for graph in graphs])


def read_graph6(name: str) -> GraphSet:
    """Return Graph8c or SR25: inputs are a one and the degree; there are no targets."""
    file = data_set(name).files[0]
    lines = data_path(name, file.path).read_bytes().split()
    sizes = np.array([line[0] - 63 for line in lines])
    if len(set(sizes.tolist())) != 1 or not 0 < sizes[0] < 63:
        raise FileError(f"{file.path}: expected graph6 lines of equal, short form.")
    size = int(sizes[0])
    codes = np.frombuffer(b"".join(lines), dtype=np.uint8).reshape(len(lines), -1)[:, 1:] - 63
    bits = np.unpackbits(codes[:, :, None], axis=2)[:, :, 2:].reshape(len(lines), -1)
    # graph6 lists the upper triangle column by column: (0,1), (0,2), (1,2), (0,3), ...
    column, row = np.tril_indices(size, -1)
    graph, pair = np.nonzero(bits[:, : len(row)])
    arcs = np.column_stack([row[pair], column[pair]]) + (graph * size)[:, None]
    return from_arcs(name, sizes.astype(np.int64), arcs, targets=np.empty(0, dtype=np.int64))


def read_random_graphs(name: str = "randomgraph") -> GraphSet:
    """Return RandomGraph: inputs are a one and degree / largest degree; targets are counts / their deviation."""
    with np.load(data_path(name, "randomgraph/randomgraph.npz"), allow_pickle=False) as arrays:
        sizes, edges = arrays["n"].astype(np.int64), arrays["edges"].astype(np.int64)
        owner = np.repeat(np.arange(len(sizes)), np.diff(arrays["edge_ptr"]))
        names = [str(name) for name in arrays["count_names"]]
        counts = arrays["counts"][:, [names.index(name) for name in _STORED_COUNTS]].astype(np.float64)
        split = tuple(arrays[key].astype(np.int64) for key in ("train_idx", "val_idx", "test_idx"))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    arcs = edges + starts[owner][:, None]
    degrees = _degrees(np.concatenate([arcs, arcs[:, ::-1]]), int(starts[-1]))
    inputs = np.column_stack([np.ones(len(degrees)), degrees / degrees.max()])
    targets = counts / counts.std(axis=0, ddof=1)
    return from_arcs(
        name, sizes, arcs, targets=targets, splits=(split,), inputs=inputs, target_names=COUNT_NAMES
    )


def _indices(name: str, path: str) -> Int64s:
    """Return one fold file as graph numbers."""
    return np.array(data_path(name, path).read_text().split(), dtype=np.int64)


def _degrees(arcs: Int64s, num_nodes: int) -> Floats:
    """Return how many arcs leave every node; both directions are listed."""
    return np.bincount(arcs[:, 0], minlength=num_nodes).astype(np.float64)

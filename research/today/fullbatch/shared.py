"""A prepared set of graphs, or one graph, in device memory: shared by all replicas of a network."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class SharedSet:
    """A set for graph or node classification.

    Attributes
    ----------
    name, metric, split
        The set; "accuracy" or "auc"; "partitions", "folds", "masks" or "fixed", as in `research.today.tabular.task`.
    arcs
        The adjacency matrix (num_nodes, num_nodes) of every kind of edge, sparse and symmetric.
    label, features
        int64 (num_nodes,), and float32 (num_nodes, columns) or None.
    graph
        int64 (num_nodes,): the graph of every node.
    pooled
        Whether a row to classify is a graph; otherwise it is a node.
    mean
        Whether graphs are means over their nodes instead of sums.
    target
        int64 (rows,): the class of every row.
    parts
        int8 (folds, rows): 0 train, 1 validation, 2 and more test, -1 not used.
    tests
        The names of the parts from 2 on.
    encodings
        float32 (num_nodes, columns) by name, logarithms of counts.
    seconds
        How long each encoding took to compute.
    """

    name: str
    metric: str
    split: str
    arcs: tuple[Tensor, ...]
    label: Tensor
    features: Tensor | None
    graph: Tensor
    pooled: bool
    mean: bool
    target: Tensor
    parts: Tensor
    tests: tuple[str, ...]
    encodings: dict[str, Tensor]
    seconds: dict[str, float]

    @property
    def num_nodes(self) -> int:
        """Return the nodes of all graphs."""
        return len(self.label)

    @property
    def num_classes(self) -> int:
        """Return the number of classes."""
        return int(self.target.max()) + 1


def read_shared(path: Path, device: str) -> SharedSet:
    """Return a prepared set."""
    with np.load(path, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    name, metric, split, pooled, mean = arrays["about"].tolist()
    sizes = arrays["sizes"].astype(np.int64)
    graph = np.repeat(np.arange(len(sizes)), sizes)
    count = len(graph)
    first = (np.cumsum(sizes) - sizes)[graph]
    source = np.repeat(np.arange(count), arrays["larger"].astype(np.int64))
    target = first[source] + arrays["neighbor"].astype(np.int64)
    kinds = arrays["bond"] if "bond" in arrays else np.zeros(len(source), dtype=np.int64)
    arcs = tuple(
        sparse_matrix(source[kinds == kind], target[kinds == kind], count, device)
        for kind in np.unique(kinds)
    )
    features = None
    if "features" in arrays:
        features = torch.from_numpy(arrays["features"].astype(np.float32)).to(device)
    encodings = {
        key.removeprefix("encoding_"): torch.from_numpy(logarithms(arrays[key])).to(device)
        for key in arrays
        if key.startswith("encoding_")
    }
    seconds = dict(line.rsplit(" ", 1) for line in arrays["seconds"].tolist())
    return SharedSet(
        name,
        metric,
        split,
        arcs,
        torch.from_numpy(arrays["label"].astype(np.int64)).to(device),
        features,
        torch.from_numpy(graph).to(device),
        pooled == "True",
        mean == "True",
        torch.from_numpy(arrays["target"].astype(np.int64)).to(device),
        torch.from_numpy(arrays["parts"]).to(device),
        tuple(arrays["tests"].tolist()),
        encodings,
        {name: float(value) for name, value in seconds.items()},
    )


def logarithms(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return log(1 + count) of whole numbers, other numbers as they are, as float32."""
    columns = values.astype(np.float32)
    return np.log1p(columns) if values.dtype.kind in "iu" else columns


def sparse_matrix(source: Any, target: Any, size: int, device: str) -> Tensor:
    """Return the symmetric adjacency matrix of edges given once, with int32 indices."""
    rows = np.concatenate([source, target])
    columns = np.concatenate([target, source])
    order = np.lexsort((columns, rows))
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))]).astype(np.int32)
    numbers = torch.from_numpy(columns[order].astype(np.int32)).to(device)
    return compressed_rows(
        torch.from_numpy(start).to(device), numbers, torch.ones(len(rows), device=device), (size, size)
    )


def compressed_rows(start: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a sparse matrix; PyTorch's note that such matrices are new is left out."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
        return torch.sparse_csr_tensor(start, columns, values, size=shape, check_invariants=False)

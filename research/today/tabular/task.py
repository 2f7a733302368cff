"""A prepared task: targets, splits and named blocks of columns, in one npz file that travels."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

#: The kinds of splits, and what each is.
SPLITS = {
    "partitions": "stratified folds, drawn again for every seed",
    "folds": "the folds of the data set",
    "masks": "the train, validation and test masks of the data set",
    "scaffolds": "molecules drawn by scaffold, 8:1:1, again for every split",
    "fixed": "one split; the spread is over seeds of the model",
}


@dataclass(frozen=True)
class Task:
    """One data set with its columns.

    Attributes
    ----------
    name
        The data set.
    metric
        "accuracy", "auc" (ROC), "mae" or "rmse".
    split
        A key of `SPLITS`.
    target
        (rows,) or (rows, tasks) with NaN where nothing was measured.
    parts
        int8 (splits, rows): 0 train, 1 validation, 2 test, -1 unused; empty for drawn partitions.
    blocks
        Columns by name, dense or sparse, a row per row of the target.
    seconds
        How long each block took to compute.
    """

    name: str
    metric: str
    split: str
    target: np.ndarray[Any, Any]
    parts: np.ndarray[Any, Any]
    blocks: dict[str, Any]
    seconds: dict[str, float]

    def columns(self, names: str) -> Any:
        """Return the columns of some blocks, "a+b", as a dense float32 matrix; "none" is a column of zeros."""
        chosen = [self.blocks[name] for name in names.split("+") if name != "none"]
        if not chosen:
            return np.zeros((len(self.target), 1), dtype=np.float32)
        dense = [block if isinstance(block, np.ndarray) else block.toarray() for block in chosen]
        return np.concatenate(dense, axis=1).astype(np.float32)

    def seconds_of(self, names: str) -> float:
        """Return how long some blocks took to compute."""
        return round(sum(self.seconds.get(name, 0.0) for name in names.split("+")), 3)


def write_task(task: Task, path: Path) -> None:
    """Write a task as one compressed npz file."""
    arrays: dict[str, Any] = {
        "about": np.array([task.name, task.metric, task.split]),
        "target": task.target,
        "parts": task.parts,
        "seconds": np.array([f"{name} {value:.4f}" for name, value in task.seconds.items()]),
    }
    for name, block in task.blocks.items():
        if not isinstance(block, np.ndarray):
            rows = sparse.csr_array(block)
            whole = rows.data.astype(np.int64)
            small = (whole == rows.data).all() and abs(whole).max(initial=0) < 2**15
            arrays[f"{name}|data"] = whole.astype(np.int16) if small else rows.data.astype(np.float32)
            arrays[f"{name}|indices"] = rows.indices.astype(np.int32)
            arrays[f"{name}|indptr"] = rows.indptr.astype(np.int32)
            arrays[f"{name}|shape"] = np.array(rows.shape)
        else:
            arrays[f"{name}|dense"] = block
    with path.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def read_task(path: Path) -> Task:
    """Return a task from its file."""
    with np.load(path, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    blocks: dict[str, Any] = {}
    for key in arrays:
        name, _, kind = key.partition("|")
        if kind == "dense":
            blocks[name] = arrays[key]
        elif kind == "data":
            content: Any = tuple(arrays[f"{name}|{part}"] for part in ("data", "indices", "indptr"))
            blocks[name] = sparse.csr_array(content, shape=tuple(arrays[f"{name}|shape"].tolist()))
    seconds = dict(line.rsplit(" ", 1) for line in arrays["seconds"].tolist())
    name, metric, split = arrays["about"].tolist()
    return Task(
        name,
        metric,
        split,
        arrays["target"],
        arrays["parts"],
        blocks,
        {name: float(value) for name, value in seconds.items()},
    )

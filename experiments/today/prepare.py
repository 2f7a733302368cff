"""Prepare molecules for a machine without egonet and RDKit: graphs, splits and encodings in one npz file."""

import time
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.io.atomic import atomic_path
from experiments.today.molecules.padded import NUM_EIGENVECTORS, SLOTS
from experiments.today.rivals import degrees, eigenvectors, walk_returns
from experiments.today.sources import GraphList, read_zinc, some_rows

EGO_SETTINGS: dict[str, dict[str, Any]] = {
    "ego12": {"radius": (1, 2)},
    "ego123": {"radius": (1, 2, 3)},
    "egofull123": {"radius": (1, 2, 3), "degrees": "full"},
}
LABELED = "egolabel123"


def neighbor_slots(graphs: GraphList) -> dict[str, np.ndarray[Any, Any]]:
    """Return the neighbors of every node in four slots: offset, bond (0: none) and the slot of the opposite arc."""
    count = len(graphs.edges)
    source = np.concatenate([graphs.edges[:, 0], graphs.edges[:, 1]])
    target = np.concatenate([graphs.edges[:, 1], graphs.edges[:, 0]])
    order = np.argsort(source, kind="stable")
    sizes = np.bincount(source, minlength=graphs.num_nodes)
    if sizes.max() > SLOTS:
        raise ValueError(f"a node has {sizes.max()} neighbors, and there are {SLOTS} slots")
    slot = np.empty(2 * count, dtype=np.int64)
    slot[order] = np.arange(2 * count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = {
        name: np.zeros((graphs.num_nodes, SLOTS), dtype=np.int8) for name in ("offset", "bond", "reverse")
    }
    found["offset"][source, slot] = target - source
    found["bond"][source, slot] = np.concatenate([graphs.bond, graphs.bond])
    found["reverse"][source, slot] = slot[(np.arange(2 * count) + count) % (2 * count)]
    return found


def prepare_zinc(path: Path, limit: int | None = None) -> dict[str, float]:
    """Write ZINC-12k, or `limit` of its molecules, with every encoding; return the seconds each encoding took."""
    graphs, targets, split = read_zinc()
    rows = some_rows(targets, limit)
    graphs, targets, split = graphs.part(rows), targets[rows], split[rows]
    whole = graphs.as_graph()
    seconds: dict[str, float] = {}
    arrays: dict[str, Any] = {
        "start": graphs.start.astype(np.int32),
        "atom": graphs.label.astype(np.uint8),
        "target": targets.astype(np.float32),
        "split": split.astype(np.uint8),
    } | neighbor_slots(graphs)

    def add(name: str, compute: Any, dtype: Any) -> None:
        started = time.perf_counter()
        arrays[f"encoding_{name}"] = compute().astype(dtype)
        seconds[name] = round(time.perf_counter() - started, 2)

    for name, settings in EGO_SETTINGS.items():
        add(name, lambda settings=settings: egonet.encode(whole, **settings).matrix.toarray(), np.uint8)
    add(
        LABELED,
        lambda: egonet.encode(whole, (1, 2, 3), degrees="full", labels=graphs.label).matrix.toarray(),
        np.uint8,
    )
    add("degree", lambda: degrees(graphs), np.uint8)
    add("rwse20", lambda: walk_returns(graphs, 20), np.float16)
    add("lappe8", lambda: eigenvectors(graphs, NUM_EIGENVECTORS), np.float16)
    arrays["seconds"] = np.array([f"{name} {value}" for name, value in seconds.items()])
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    return seconds

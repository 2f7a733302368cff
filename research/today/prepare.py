"""Prepare molecules for a machine without egonet and RDKit: graphs, splits and encodings in one npz file."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import egonet
from egonet.io import atomic_path
from research.today.molecules.padded import NUM_EIGENVECTORS
from research.today.rivals import degree_profiles, degrees, eigenvectors, walk_returns
from research.today.sources import GraphList, read_zinc, some_rows
from research.today.tasks import molecule_set

#: Encodings of ego-networks by name; "labeled" and "bonds" put the atoms' and bonds' types into the keys.
EGO_SETTINGS: dict[str, dict[str, Any]] = {
    "ego12": {"radius": (1, 2)},
    "ego123": {"radius": (1, 2, 3)},
    "egofull123": {"radius": (1, 2, 3), "degrees": "full"},
    "egobond123": {"radius": (1, 2, 3), "degrees": "full", "bonds": True},
    "egolabel123": {"radius": (1, 2, 3), "degrees": "full", "labeled": True},
    "refined123": {"radius": (1, 2, 3), "rooted": "refined", "depth": 1},
}
MOLECULE_ENCODINGS = ("degree", "rwse20", "lappe8", "egofull123", "egolabel123")
#: Columns that differ from zero in fewer training nodes are dropped.
FEWEST = 20


def neighbor_slots(graphs: GraphList) -> dict[str, np.ndarray[Any, Any]]:
    """Return the neighbors of every node in as many slots as the most have: offset, bond (0: none), opposite slot."""
    count = len(graphs.edges)
    source = np.concatenate([graphs.edges[:, 0], graphs.edges[:, 1]])
    target = np.concatenate([graphs.edges[:, 1], graphs.edges[:, 0]])
    order = np.argsort(source, kind="stable")
    sizes = np.bincount(source, minlength=graphs.num_nodes)
    slots = int(sizes.max(initial=1))
    slot = np.empty(2 * count, dtype=np.int64)
    slot[order] = np.arange(2 * count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = {
        name: np.zeros((graphs.num_nodes, slots), dtype=np.int16) for name in ("offset", "bond", "reverse")
    }
    found["offset"][source, slot] = target - source
    found["bond"][source, slot] = np.concatenate([graphs.bond, graphs.bond])
    found["reverse"][source, slot] = slot[(np.arange(2 * count) + count) % (2 * count)]
    return found


def ego_matrix(graphs: GraphList, *, labeled: bool = False, bonds: bool = False, **settings: Any) -> Any:
    """Return the sparse counts of every node's ego-networks."""
    whole = graphs.as_graph()
    if bonds:
        source, target = graphs.edges.T
        table = pd.DataFrame({"source": source, "target": target, "bond": graphs.bond.astype(np.int64)})
        whole = egonet.as_graph(table, num_nodes=whole.num_nodes, keep="bond")
        settings["edge_labels"] = "bond"
    return egonet.encode(whole, labels=graphs.label if labeled else None, **settings).matrix


def encoding_of(name: str, graphs: GraphList, training: Any) -> Any:
    """Return the columns of one encoding: whole numbers or float16, rare columns left out."""
    rivals: dict[str, Any] = {
        "degree": lambda: degrees(graphs).astype(np.uint8),
        "ldp": lambda: degree_profiles(graphs).astype(np.float16),
        "rwse20": lambda: walk_returns(graphs, 20).astype(np.float16),
        "lappe8": lambda: eigenvectors(graphs, NUM_EIGENVECTORS).astype(np.float16),
    }
    if name in rivals:
        return rivals[name]()
    matrix = ego_matrix(graphs, **EGO_SETTINGS[name]).tocsr()
    used = np.bincount(matrix[training].indices, minlength=matrix.shape[1]) >= FEWEST
    return matrix[:, np.flatnonzero(used)].toarray().astype(np.uint8)


def write_molecules(path: Path, graphs: GraphList, arrays: dict[str, Any], names: Any) -> dict[str, float]:
    """Write molecules with some encodings; return the seconds each encoding took."""
    training = np.repeat(arrays["split"] == 0, np.diff(graphs.start))
    bonds = np.unique(graphs.bond, return_inverse=True)[1] + 1
    graphs = GraphList(graphs.start, graphs.edges, graphs.label, bonds)
    whole: dict[str, Any] = {"start": graphs.start.astype(np.int32), "atom": graphs.label.astype(np.int16)}
    whole |= neighbor_slots(graphs) | arrays
    seconds: dict[str, float] = {}
    for name in names:
        started = time.perf_counter()
        whole[f"encoding_{name}"] = encoding_of(name, graphs, training)
        seconds[name] = round(time.perf_counter() - started, 2)
    whole["seconds"] = np.array([f"{name} {value}" for name, value in seconds.items()])
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **whole)
    return seconds


def prepare_zinc(path: Path, limit: int | None = None) -> dict[str, float]:
    """Write ZINC-12k, or `limit` of its molecules, with every encoding; return the seconds each encoding took."""
    graphs, targets, split = read_zinc()
    rows = some_rows(targets, limit)
    arrays = {
        "target": targets[rows].astype(np.float32),
        "split": split[rows].astype(np.uint8),
        "metric": np.array("mae"),
    }
    names = ("degree", "rwse20", "lappe8", *EGO_SETTINGS)
    return write_molecules(path, graphs.part(rows), arrays, names)


def prepare_molecule_set(name: str, path: Path, limit: int | None = None) -> dict[str, float]:
    """Write a MoleculeNet set or molhiv, split as in `molecule_task`; return the seconds each encoding took."""
    graphs, targets, parts, metric = molecule_set(name, limit)
    arrays = {
        "target": targets.astype(np.float32),
        "split": parts[0].astype(np.uint8),
        "metric": np.array(metric),
    }
    return write_molecules(path, graphs, arrays, MOLECULE_ENCODINGS)

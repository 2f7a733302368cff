"""Prepare molecules for `research.molecules.networks`: atoms, bonds, splits and columns in one npz file per set.

`EGONET_DATA=... python -m research.molecules.network_columns FOLDER [SETS...]` writes FOLDER/zinc.npz and so on. The
machine with the GPU then needs neither egonet nor RDKit. Columns with few distinct rows are saved as those rows and a
row number per atom or arc. Random walks are computed where the networks are trained.
"""

import ast
import csv
import gzip
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.io import atomic_path
from research.today.chemistry import draw_parts, read_smiles, scaffold_groups
from research.today.readers import read_molecule_table, read_molhiv_split
from research.today.rivals import eigenvectors
from research.today.sources import GraphList, join_graphs, read_zinc, source_path

Array = np.ndarray[Any, Any]

SETS = ("zinc", "esol", "freesolv", "lipo", "peptides-func", "molhiv")
METRICS = {"zinc": "mae", "peptides-func": "ap", "molhiv": "auc"}
#: Longer rings exist in molecules; all above eight are one column.
LONGEST = 120
#: Columns that differ from zero in fewer rows of the training molecules are dropped.
FEWEST = 20
#: Scaffold splits of the MoleculeNet sets.
SPLITS = 5
QUICK = 300


def features_of(molecule: Any) -> tuple[Array, Array, Array]:
    """Return the atoms' and the bonds' properties, as OGB describes them, and the ends of the bonds."""
    atoms = [
        (
            atom.GetAtomicNum(),
            int(atom.GetChiralTag()),
            atom.GetTotalDegree(),
            atom.GetFormalCharge(),
            atom.GetTotalNumHs(),
            atom.GetNumRadicalElectrons(),
            int(atom.GetHybridization()),
            atom.GetIsAromatic(),
            atom.IsInRing(),
        )
        for atom in molecule.GetAtoms()
    ]
    bonds = [
        (
            bond.GetBeginAtomIdx(),
            bond.GetEndAtomIdx(),
            int(bond.GetBondTypeAsDouble() * 2),
            int(bond.GetStereo()),
            bond.GetIsConjugated(),
        )
        for bond in molecule.GetBonds()
    ]
    found = np.array(bonds, dtype=np.int64).reshape(-1, 5)
    return np.array(atoms, dtype=np.int64), found[:, 2:], found[:, :2]


def read_molecules(molecules: list[Any]) -> tuple[GraphList, Array, Array]:
    """Return molecules of RDKit as graphs, with the properties of atoms and of bonds."""
    parts = [features_of(molecule) for molecule in molecules]
    graphs = join_graphs(
        [(len(atoms), ends, np.zeros(len(atoms)), np.ones(len(ends))) for atoms, _, ends in parts]
    )
    return graphs, np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def read_peptides() -> tuple[list[Any], Array, Array]:
    """Return the molecules of Peptides-func, their ten labels and their parts."""
    with gzip.open(source_path("peptides/peptides_func.csv.gz"), "rt") as stream:
        rows = list(csv.DictReader(stream))
    labels = np.array([ast.literal_eval(row["labels"]) for row in rows], dtype=np.float32)
    parts = np.full((1, len(rows)), -1, dtype=np.int8)
    with np.load(source_path("peptides/split.npz"), allow_pickle=False) as split:
        for number, name in enumerate(("train", "val", "test")):
            parts[0, split[name]] = number
    molecules, kept = read_smiles([row["smiles"] for row in rows], tolerant=True)
    return molecules, labels[kept], parts[:, kept]


def read_set(name: str, limit: int | None) -> tuple[GraphList, Array, Array, Array, Array]:
    """Return graphs, properties of atoms and bonds, targets and parts (splits, graphs) of a set."""
    if name == "zinc":
        graphs, targets, split = read_zinc()
        rows = np.arange(len(targets))
        if limit is not None:
            rows = np.concatenate([np.flatnonzero(split == part)[: limit // 3] for part in range(3)])
        graphs = graphs.part(rows)
        return graphs, graphs.label[:, None], graphs.bond[:, None], targets[rows], split[rows][None]
    if name == "peptides-func":
        molecules, targets, parts = read_peptides()
    else:
        smiles, targets = read_molecule_table(name)
        molecules, kept = read_smiles(smiles, tolerant=name == "molhiv")
        targets = targets[kept]
        if name == "molhiv":
            parts = read_molhiv_split(len(smiles))[:, kept]
        else:
            groups = scaffold_groups(molecules)
            drawn = [draw_parts(groups, np.random.default_rng(seed)) for seed in range(SPLITS)]
            parts = np.array(drawn, dtype=np.int8)
    if limit is not None:
        molecules, targets, parts = molecules[:limit], targets[:limit], parts[:, :limit]
    return *read_molecules(molecules), targets, parts


def distinct_rows(matrix: Any, training: Array) -> tuple[Array, Array]:
    """Return the distinct rows of sparse counts without rare columns, and the number of its row for every row."""
    matrix = matrix.tocsr()
    used = np.bincount(matrix[np.flatnonzero(training)].indices, minlength=matrix.shape[1]) >= FEWEST
    matrix = matrix[:, np.flatnonzero(used)]
    matrix.sort_indices()
    numbers: dict[bytes, int] = {}
    index = np.empty(matrix.shape[0], dtype=np.int32)
    firsts: list[int] = []
    for row in range(matrix.shape[0]):
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        key = matrix.indices[span].tobytes() + matrix.data[span].tobytes()
        index[row] = numbers.setdefault(key, len(numbers))
        if index[row] == len(firsts):
            firsts.append(row)
    return np.minimum(matrix[firsts].toarray(), 255).astype(np.uint8), index


def prepare(name: str, path: Path, limit: int | None = None) -> dict[str, float]:
    """Write one set; return the seconds that each kind of columns took."""
    graphs, atoms, bonds, targets, parts = read_set(name, limit)
    ends = np.sort(graphs.edges, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, bonds = ends[order], bonds[order]
    graphs = GraphList(graphs.start, ends, graphs.label, np.ones(len(ends), dtype=np.int64))
    in_training = (parts == 0).any(axis=0)[graphs.graph_of]
    whole = graphs.as_graph()
    seconds: dict[str, float] = {}
    clock = time.perf_counter()
    local = ends - graphs.start[graphs.graph_of[ends[:, 0]]][:, None]
    arrays: dict[str, Any] = {
        "metric": np.array(METRICS.get(name, "rmse")),
        "start": graphs.start.astype(np.int32),
        "edge_start": np.searchsorted(ends[:, 0], graphs.start).astype(np.int32),
        "ends": local.astype(np.int16),
        "atoms": np.stack([np.unique(c, return_inverse=True)[1] for c in atoms.T], axis=1).astype(np.uint8),
        "bonds": np.stack([np.unique(c, return_inverse=True)[1] for c in bonds.T], axis=1).astype(np.uint8),
        "target": np.asarray(targets, dtype=np.float32).reshape(graphs.num_graphs, -1),
        "parts": parts.astype(np.int8),
    }
    assert np.array_equal(np.stack(whole.edge_rows(), axis=1), ends)
    arrays["ring"] = np.minimum(egonet.edge_cycles(whole, longest=LONGEST), 255).astype(np.uint8)
    seconds["ring"], clock = time.perf_counter() - clock, time.perf_counter()
    ego = egonet.encode(whole, radius=(1, 2, 3), degrees="full").matrix
    arrays["ego_rows"], arrays["ego_index"] = distinct_rows(ego, in_training)
    seconds["ego"], clock = time.perf_counter() - clock, time.perf_counter()
    arcs = np.concatenate([ends, ends[:, ::-1]])
    pairs = egonet.encode_pairs(whole, arcs, radius=3, without_edge=True, ordered=True).matrix
    arrays["pair_rows"], arrays["pair_index"] = distinct_rows(pairs, in_training[arcs[:, 0]])
    seconds["pair"], clock = time.perf_counter() - clock, time.perf_counter()
    if name == "zinc":
        arrays["lappe"] = eigenvectors(graphs, 8).astype(np.float16)
        seconds["lappe"] = time.perf_counter() - clock
    arrays["seconds"] = np.array([f"{key} {value:.2f}" for key, value in seconds.items()])
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    shapes = {key: value.shape for key, value in arrays.items()}
    sys.stderr.write(f"{name}: {path.stat().st_size / 1e6:.1f} MB, {seconds}, {shapes}\n")
    return seconds


def main(arguments: list[str]) -> None:
    """Write the sets that are not in the folder yet."""
    quick = "--quick" in arguments
    folder, *names = [argument for argument in arguments if not argument.startswith("--")]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in names or SETS:
        path = Path(folder) / f"{name}.npz"
        if not path.is_file():
            prepare(name, path, QUICK if quick else None)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(sys.argv[1:])

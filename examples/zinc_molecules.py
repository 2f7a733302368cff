"""
A property of molecules
=======================

ZINC-12k asks for a property of a molecule that depends on its rings and on how well it dissolves. This is where
ego-network encodings help most: a linear model on summed encodings has a quarter less error than one on atoms and
degrees. The page *When it helps* compares more methods, and has molecules on which encodings do not help. The example
needs the ZINC-12k arrays in the folder `zinc12k` of the folder that EGONET_DATA names.
"""

# %%
# The molecules
# -------------
# Every molecule is a pair (graph, atom types).

# sphinx_gallery_thumbnail_path = 'pictures/gallery_zinc_molecules.svg'

import os
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import mean_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import egonet

folder = Path(os.environ.get("EGONET_DATA", "data")) / "zinc12k"
if not (folder / "zinc12k_train.npz").exists():
    where = "Set EGONET_DATA to the folder above zinc12k."
    raise SystemExit(f"This example reads zinc12k_train.npz and other files in {folder}. {where}")


def read(name):
    """Return the molecules of one part, and their targets."""
    part = np.load(folder / f"zinc12k_{name}.npz")
    bonds = np.split(part["edge"].astype(np.int64), part["edge_ptr"][1:-1])
    atoms = np.split(part["atom"], part["node_ptr"][1:-1])
    graphs = [egonet.Graph.from_edges(b, num_nodes=len(a)) for b, a in zip(bonds, atoms, strict=True)]
    return list(zip(graphs, atoms, strict=True)), part["y"]


(train, wanted), (test, answers) = read("train"), read("test")
print(f"{len(train):,} molecules to learn from, {len(test):,} to test")

# %%
# Three linear models and the mean
# --------------------------------
# Ridge regression on sums over the molecule; the penalty is chosen on training molecules. The error is the mean
# absolute error on the test molecules. Radius 1 adds nothing to atoms and degrees, because molecules have few triangles;
# rings of five and six atoms are inside the larger radii.

radii = {"atoms and degrees": 0, "radius 1": 1, "radii 1, 2 and 3": (1, 2, 3)}
scores = {"the mean": mean_absolute_error(answers, DummyRegressor().fit(train, wanted).predict(test))}
for title, radius in radii.items():
    encoder = egonet.GraphEncoder(radius, labeled=True)
    model = make_pipeline(encoder, StandardScaler(with_mean=False), RidgeCV(np.logspace(0, 4, 9)))
    scores[title] = mean_absolute_error(answers, model.fit(train, wanted).predict(test))
print("\n".join(f"{title:<20}{score:.3f}" for title, score in scores.items()))

# %%
# In a network
# ------------
# `for_molecules` has the settings to start with in PyG, and `EgoInput` turns counts into vectors, to be added to the
# vectors of the atoms. A GINE on all molecules has an error of 0.076 with it, and of 0.087 with random walks (ten
# seeds).

import torch
from torch_geometric.data import Data

from egonet.nn import EgoInput
from egonet.pyg import AddEgoEncoding

data = [Data(edge_index=torch.tensor(g.edges().T).long(), num_nodes=g.num_nodes) for g, _ in train[:300]]
transform = AddEgoEncoding.for_molecules(data, directed=False)
encoded = transform.add_to(data)
module = EgoInput(transform.vocabulary, dim=16)
module.fit(torch.cat([molecule.ego_encoding for molecule in encoded]))
print(f"{transform.vocabulary}; the first molecule: {tuple(module(encoded[0]).shape)}")

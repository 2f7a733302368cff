"""
Molecules: from SMILES to a model that explains itself
======================================================

You have molecules as SMILES and a number for each. The encoder turns them into rows, any model of scikit-learn learns
from the rows, and every column can be traced to atoms. The molecules are built below, and RDKit computes the number to
predict.

Install: `pip install ".[sklearn]" rdkit`
"""

# %%
# Molecules
# ---------
# Scaffolds with two places, and groups to put there. The target is logP as RDKit estimates it: whether a molecule
# prefers oil or water. In your project it is what you have measured.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_molecules.svg'

from itertools import product

import numpy as np
from rdkit import Chem
from rdkit.Chem import Crippen
from sklearn.linear_model import RidgeCV
from sklearn.metrics import mean_absolute_error
from sklearn.pipeline import make_pipeline

import egonet

SCAFFOLDS = [
    "c1cc({0})ccc1{1}", "c1cc({0})cnc1{1}", "C1CC({0})CCC1{1}", "c1c({0})scc1{1}", "c1cc2c({0})cccc2cc1{1}",
    "C1CC({0})CN1{1}", "c1cc({0})oc1{1}", "C1CN({0})CCN1{1}", "c1ccc2c(c1)c({0})cn2{1}", "C({0})CCC{1}",
]  # fmt: skip
GROUPS = ["C", "O", "F", "C#N", "C(=O)O", "C(=O)N", "OC", "CC", "N(C)C"]
smiles = [scaffold.format(*groups) for scaffold, groups in product(SCAFFOLDS, product(GROUPS, repeat=2))]
target = np.array([Crippen.MolLogP(Chem.MolFromSmiles(text)) for text in smiles])
print(f"{len(smiles):,} molecules, such as {smiles[13]}: {target[13]:.2f}")

# %%
# Unseen scaffolds
# ----------------
# With a random split, the test molecules would be much like the training molecules. Here two scaffolds are for the test
# only, so that the model has never seen their rings.

scaffold = np.repeat(np.arange(len(SCAFFOLDS)), len(GROUPS) ** 2)
is_test = np.isin(scaffold, [4, 6])  # naphthalenes and furans
train = [text for text, hidden in zip(smiles, is_test, strict=True) if not hidden]
test = [text for text, hidden in zip(smiles, is_test, strict=True) if hidden]

# %%
# A model in one pipeline
# -----------------------
# `MoleculeEncoder` takes SMILES. Radius 0 counts atoms, radius 1 also counts atoms with their neighbors, and so on. The
# score is the mean absolute error. Counts of atoms alone are not enough for new rings: radius 1 is much better, and
# radius 2 a little better again. Choose the radius on validation data.

scores = {"the mean": float(np.abs(target[is_test] - target[~is_test].mean()).mean())}
for radius in (0, 1, 2):
    model = make_pipeline(egonet.MoleculeEncoder(radius), RidgeCV(np.logspace(-2, 3, 6)))
    model.fit(train, target[~is_test])
    scores[f"radius {radius}"] = mean_absolute_error(target[is_test], model.predict(test))
print("\n".join(f"{title:<10}{score:.2f}" for title, score in scores.items()))

# %%
# Which atoms does it count?
# --------------------------
# With `num_columns=None` every neighborhood has its own column. `explain` lists the atoms behind a column, and `draw`
# marks them.

encoder = egonet.MoleculeEncoder(1, num_columns=None)
rows = encoder.fit_transform(train)
weights = RidgeCV(np.logspace(-2, 3, 6)).fit(rows, target[~is_test]).coef_
largest = encoder.get_feature_names_out()[weights.argmax()]
match = encoder.explain(largest, train)[0]
print(f"{largest} adds most: atom {match.atom} of {train[match.molecule]}, with its neighbors {match.smiles}")

# %%
# Next to Morgan fingerprints
# ---------------------------
# `morgan=2` adds the counts of a Morgan fingerprint, which describes the same atoms in another way. The page
# *For molecules* compares both on measured data. If your molecules differ only in stereochemistry, use another
# fingerprint, because this one ignores it.

both = egonet.MoleculeEncoder(2, morgan=2)
print(f"{both.fit_transform(train).shape[1]:,} columns")

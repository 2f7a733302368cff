"""
Payments: what was known at the time
====================================

A payment can only be judged by what was known before it. `egonet.TemporalEncoder` gives the features of an account as
of a time, from the payments of the days before. Here they are added to the columns of a table of payments, in which
fraud is to be found. **On these data they do not clearly help:** amounts already tell almost everything, and the
example shows how to find that out. On real messages and ratings time helps: see the page *Features as of a time*.

The payments come from AMLSim, a public simulator of banks. EGONET_DATA must name the folder above its folder `amlsim`.
"""

# %%
# The table
# ---------
# A payment is fraud if it goes from one fraud account to another on the day that AMLSim gives for the fraud.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_payments.svg'

import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score

import egonet

folder = Path(os.environ.get("EGONET_DATA", "data")) / "amlsim"
if not (folder / "transactions.csv.gz").exists():
    where = "Set EGONET_DATA to the folder above amlsim."
    raise SystemExit(f"This example reads transactions.csv.gz and other files in {folder}. {where}")
payments = pd.read_csv(folder / "transactions.csv.gz", names=["payer", "payee", "amount", "time"], header=0)
accounts = pd.read_csv(folder / "nodes.csv.gz", index_col="nodeid")
payer, payee = accounts.loc[payments.payer], accounts.loc[payments.payee]
both = payer.isFraud.to_numpy() * payee.isFraud.to_numpy() == 1
fraud = both & (payer.fraudStep.to_numpy() == payments.time.to_numpy())
later = (payments.time > 100).to_numpy()
for title, rows in {"train": ~later, "test": later}.items():
    print(f"{title}: {rows.sum():,} payments, {fraud[rows].sum():,} of them fraud")

# %%
# Columns as of a day
# -------------------
# For each payment, the ego-networks of its two accounts in the payments of the 30 days before. What happens on the day
# itself is not known. `fit` sees only payments up to day 100; radius 0 is the (binned) degree.


def as_of(radius):
    """Return the features of payer and payee before each payment."""
    settings = egonet.Settings(radius, degree_bins="log")
    encoder = egonet.TemporalEncoder(
        payments, settings, 30, source="payer", target="payee", sparse_output=False
    )
    asked = [payments[[end, "time"]].set_axis(["node", "time"], axis=1) for end in ("payer", "payee")]
    encoder.fit(pd.concat([queries[~later] for queries in asked]))
    return np.hstack([encoder.transform(queries) for queries in asked])


raw = np.column_stack([payments.amount, payer.init_balance, payee.init_balance])
with_degree = np.hstack([raw, as_of(0)])
columns = {"raw": raw, "raw + degree": with_degree}
columns["raw + degree + ego"] = np.hstack([with_degree, as_of((1, 2))])

# %%
# Learned before, tested after
# ----------------------------
# Average precision after day 100, with an interval from 100 bootstrap samples of the test payments. Guessing gives the
# share of fraud. The intervals overlap: nothing here shows that structure adds to the amounts.

rng = np.random.default_rng(0)
samples = [rng.choice(np.flatnonzero(later), later.sum()) for _ in range(100)]
scores = {"guessing": float(fraud[later].mean())}
for title, table in columns.items():
    model = HistGradientBoostingClassifier(max_iter=50, early_stopping=False, random_state=0)
    model.fit(table[~later], fraud[~later])
    found = model.predict_proba(table)[:, 1]
    scores[title] = average_precision_score(fraud[later], found[later])
    drawn = [average_precision_score(fraud[rows], found[rows]) for rows in samples]
    low, high = np.quantile(drawn, [0.025, 0.975])
    print(f"{title:<20}{table.shape[1]:>4} columns   {scores[title]:.3f} [{low:.3f}, {high:.3f}]")

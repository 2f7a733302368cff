"""
Payments: what was known at the time
====================================

A payment can only be judged by what was known before it. `egonet.TemporalEncoder` gives the features of an account as
of a time, from the payments of the days before. Here they are added to two tables, in which fraud and distrust are to be
found: simulated payments between banks (AMLSim), and real ratings between traders of bitcoins (Bitcoin OTC).
**Ego-networks do not help beyond degrees on either.** On the payments the amounts already tell almost everything. On
the ratings direction and sign help very much, ego-networks nothing; the example shows how to find that out.

EGONET_DATA must name the folder above the folders `amlsim` and `bitcoin`.
"""

# %%
# The table of payments
# ---------------------
# A payment is fraud if it goes from one fraud account to another on the day that AMLSim gives for the fraud.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_payments.svg'

import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score

import egonet

folder = Path(os.environ.get("EGONET_DATA", "data"))
for name in ("amlsim/transactions.csv.gz", "bitcoin/soc-sign-bitcoinotc.csv.gz"):
    if not (folder / name).exists():
        raise SystemExit(f"This example reads {name} and other files in {folder}. Set EGONET_DATA to it.")
names = ["payer", "payee", "amount", "time"]
payments = pd.read_csv(folder / "amlsim/transactions.csv.gz", names=names, header=0)
accounts = pd.read_csv(folder / "amlsim/nodes.csv.gz", index_col="nodeid")
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


def compare(tables, wanted, test):
    """Return the average precision of boosting on every table, learned on the other rows; print it with an interval."""
    rng = np.random.default_rng(0)
    samples = [rng.choice(np.flatnonzero(test), test.sum()) for _ in range(100)]
    found = {"guessing": float(wanted[test].mean())}
    for title, table in tables.items():
        model = HistGradientBoostingClassifier(max_iter=50, early_stopping=False, random_state=0)
        chances = model.fit(table[~test], wanted[~test]).predict_proba(table)[:, 1]
        found[title] = average_precision_score(wanted[test], chances[test])
        drawn = [average_precision_score(wanted[rows], chances[rows]) for rows in samples]
        low, high = np.quantile(drawn, [0.025, 0.975])
        print(f"{title:<28}{table.shape[1]:>4} columns   {found[title]:.3f} [{low:.3f}, {high:.3f}]")
    return found


scores = compare(columns, fraud, later)

# %%
# Real ratings
# ------------
# Traders of Bitcoin OTC rate each other from -10 (fraud) to 10. Is the next rating negative? Only earlier ratings are
# known. `directed="out"` and `"in"` count ratings given and received, and positive and negative ratings are two graphs.

names = ["rater", "rated", "rating", "time"]
ratings = pd.read_csv(folder / "bitcoin/soc-sign-bitcoinotc.csv.gz", names=names, header=0).sort_values(
    "time"
)
negative = (ratings.rating < 0).to_numpy()
recent = np.arange(len(ratings)) >= 0.7 * len(ratings)
traders = np.union1d(ratings.rater, ratings.rated)
known = pd.DataFrame(
    {"rater": traders, "rated": traders, "time": ratings.time.min() - 1}
)  # loops name all traders
print(f"{len(ratings):,} ratings, {negative.mean():.1%} negative")


def rated(kind, radius, directed):
    """Return the features of rater and rated before each rating, from the ratings of one kind."""
    events = pd.concat([known, ratings.loc[kind, ["rater", "rated", "time"]]], ignore_index=True)
    settings = egonet.Settings(radius, degree_bins="log")
    found = []
    for end in ("rater", "rated"):
        asked = ratings[[end, "time"]].set_axis(["node", "time"], axis=1)
        options = {"source": "rater", "target": "rated", "directed": directed, "sparse_output": False}
        encoder = egonet.TemporalEncoder(events, settings, **options).fit(asked[~recent])
        found.append(encoder.transform(asked))
    return np.hstack(found)


def by_direction_and_sign(radius):
    """Return the features of positive and negative ratings, given and received."""
    return np.hstack([rated(kind, radius, way) for kind in (~negative, negative) for way in ("out", "in")])


ratings_tables = {"degree": rated(negative | ~negative, 0, False)}
ratings_tables["degree, direction and sign"] = by_direction_and_sign(0)
ratings_tables["the same + ego"] = np.hstack(
    [ratings_tables["degree, direction and sign"], by_direction_and_sign(1)]
)
rating_scores = compare(ratings_tables, negative, recent)

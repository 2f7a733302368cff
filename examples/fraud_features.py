"""
Features from a table of payments
=================================

A table of payments is a graph: accounts are nodes, payments are edges. Here some accounts form rings: six accounts
that move money among themselves. They pay about as often and as much as other accounts, so counts and amounts say
little. Who pays whom *around* an account says more. To make it harder there are also honest families: four accounts
that pay each other.

**The payments are synthetic.** The script generates them with rings that ego-networks can detect, so the scores show how
to use the features, not how well they work on real fraud. On real networks of users (Twitch, tolokers) the encodings were
mostly no better than degrees or random walks: see the page *When it helps*.
"""

# sphinx_gallery_thumbnail_path = 'pictures/gallery_fraud_features.svg'

# %%
# Payments
# --------
# Honest accounts pay at random, mostly within their town, and within their family if they have one. Members of a
# ring pay most of the other members, and sometimes an honest account.

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

import egonet

rng = np.random.default_rng(0)
NUM_HONEST, NUM_TOWNS, NUM_FAMILIES, FAMILY, NUM_RINGS, RING = 1_500, 30, 60, 4, 16, 6


def among(members, chance):
    """Return payments between pairs of accounts, each with the given probability."""
    pairs = [(payer, payee) for payer in members for payee in members if payer < payee]
    return [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs if rng.random() < chance]


town = rng.integers(NUM_TOWNS, size=NUM_HONEST)
by_town = [np.flatnonzero(town == number) for number in range(NUM_TOWNS)]
pairs = []
for account in range(NUM_HONEST):
    for _ in range(rng.poisson(1.7)):
        near = rng.random() < 0.8
        pairs.append((account, rng.choice(by_town[town[account]]) if near else rng.integers(NUM_HONEST)))
for family in range(NUM_FAMILIES):
    pairs += among(FAMILY * family + np.arange(FAMILY), 0.9)
for ring in range(NUM_RINGS):
    members = NUM_HONEST + ring * RING + np.arange(RING)
    pairs += among(members, 0.6)
    pairs += [(member, rng.integers(NUM_HONEST)) for member in members if rng.random() < 0.5]

names = np.array([f"acc{number:04d}" for number in rng.permutation(NUM_HONEST + NUM_RINGS * RING)])
payments = pd.DataFrame(
    {
        "payer": names[[payer for payer, _ in pairs]],
        "payee": names[[payee for _, payee in pairs]],
        "amount": rng.lognormal(4, 1, size=len(pairs)).round(2),
    }
)
accounts = pd.DataFrame({"account": names, "fraud": np.arange(len(names)) >= NUM_HONEST})
print(payments.head(3).to_string(index=False))
print(
    f"{len(payments):,} payments, {len(accounts):,} accounts, {accounts.fraud.mean():.1%} of them fraudulent"
)

# %%
# Features
# --------
# One call encodes every account. `source` and `target` name the two columns, so the amount is not used. One line joins
# the result to the table of accounts.

encoding = egonet.encode(payments, radius=1, source="payer", target="payee")
features = accounts.merge(encoding.to_pandas(), left_on="account", right_index=True)
print(f"{encoding.graph.info}; {len(encoding.feature_names)} features, such as {encoding.feature_names[-1]}")

# %%
# The usual features: the number and the sum of payments, in and out.

sent = payments.groupby("payer").amount.agg(["size", "sum"])
received = payments.groupby("payee").amount.agg(["size", "sum"]).add_suffix("_in")
simple = features[["account"]].join(sent, on="account").join(received, on="account").fillna(0)

# %%
# Gradient boosting
# -----------------
# Average precision over five folds; guessing gives the share of fraud. "both" scores below "ego-networks" alone: the
# counts and amounts carry little information here, and the trees presumably fit their noise.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
columns = {
    "counts and amounts": simple.drop(columns="account"),
    "ego-networks": features[encoding.feature_names],
    "both": pd.concat([simple.drop(columns="account"), features[encoding.feature_names]], axis=1),
}
scores = {"guessing": float(features.fraud.mean())}
for title, table in columns.items():
    model = GradientBoostingClassifier(n_estimators=60, random_state=0)
    result = cross_val_score(model, table.to_numpy(), features.fraud, cv=folds, scoring="average_precision")
    scores[title] = float(result.mean())
for title, score in scores.items():
    print(f"{title:<20}{score:.2f}")

# %%
# Why
# ---
# How a fraudulent account differs from an honest one of the same degree.

degree = pd.Series(encoding.graph.degrees, index=encoding.nodes)
fraudulent = degree[accounts[accounts.fraud].account].idxmax()
alike = accounts[~accounts.fraud & (accounts.account.map(degree) == degree[fraudulent])].account.iloc[0]
print(egonet.explain_difference(payments, alike, fraudulent, radius=1, source="payer", target="payee"))

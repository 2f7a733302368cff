"""
From a payments table to a decision
===================================

A payment can only be judged by what was known before it. `egonet.EventEncoder` turns a table of payments into a row of
features per payment, as of that payment. Here a model learns from January and decides about February. The payments are
generated: most go to usual partners, some accounts are taken over and pay six new accounts within two hours, and
sometimes money comes back to its sender through two others.
"""

# %%
# Two months of payments
# ----------------------
# Amounts say nothing about fraud here, so that everything must come from who pays whom, and when.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_payments.svg'

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score

import egonet

rng = np.random.default_rng(0)
NUM_ACCOUNTS, MINUTES = 400, 60 * 24 * 60


def usual_payments(count):
    """Return payments of which four in five go to one of five usual partners."""
    partners = rng.integers(0, NUM_ACCOUNTS, (NUM_ACCOUNTS, 5))
    payer = rng.integers(0, NUM_ACCOUNTS, count)
    usual = partners[payer, rng.integers(0, 5, count)]
    payee = np.where(rng.random(count) < 0.8, usual, rng.integers(0, NUM_ACCOUNTS, count))
    return pd.DataFrame({"payer": payer, "payee": payee, "minute": rng.integers(0, MINUTES, count)})


def fraud_payments(payers, payees):
    """Return the payments of one fraud, in this order, within two hours."""
    minutes = rng.integers(0, MINUTES - 120) + np.sort(rng.integers(0, 120, len(payees)))
    return pd.DataFrame({"payer": payers, "payee": payees, "minute": minutes})


frauds = []
for _ in range(40):
    victim, *mules = rng.choice(NUM_ACCOUNTS, 7, replace=False).tolist()
    frauds.append(fraud_payments([victim] * 6, mules))
    circle = rng.choice(NUM_ACCOUNTS, 3, replace=False).tolist()
    frauds.append(fraud_payments(circle, circle[1:] + circle[:1]))
payments = pd.concat([usual_payments(6000).assign(fraud=False), pd.concat(frauds).assign(fraud=True)])
payments = payments.sort_values("minute", kind="stable", ignore_index=True)
payments["amount"] = rng.lognormal(4, 1, len(payments)).round(2)
payments["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(payments.pop("minute"), unit="min")
january, february = payments[payments.when < "2024-01-31"], payments[payments.when >= "2024-01-31"]
for title, month in {"January": january, "February": february}.items():
    print(f"{title}: {len(month):,} payments, {month.fraud.sum():,} of them fraud")

# %%
# A row per payment
# -----------------
# The encoder reads the file as it is. `fit_transform` begins a history; `transform` continues it without changing it:
# a payment of February knows January and, of February, only what came before it.

folder = Path(tempfile.mkdtemp())
january.to_csv(folder / "january.csv", index=False)


def encode(groups):
    """Return the rows of both months."""
    encoder = egonet.EventEncoder(
        source="payer",
        target="payee",
        time="when",
        amount="amount",
        windows=("2h", "1d", "7d"),
        groups=groups,
    )
    return encoder.fit_transform(folder / "january.csv"), encoder.transform(february), encoder


# %%
# The decision
# ------------
# Average precision in February of a model that learned from January. Guessing gives the share of fraud.

scores = {"guessing": float(february.fraud.mean())}
tables = {"amount": (january[["amount"]], february[["amount"]])}
groups = ("ends", "pair", "ego", "cycles")
for number in range(1, len(groups) + 1):
    *rows, encoder = encode(groups[:number])
    tables[" + ".join(groups[:number])] = rows
for title, (train, test) in tables.items():
    model = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(train, january.fraud)
    scores[title] = average_precision_score(february.fraud, model.predict_proba(test)[:, 1])
for title, score in scores.items():
    print(f"{title:<28}{score:.3f}")

# %%
# What leaks
# ----------
# A row never depends on a later payment. Half of January's payments get other accounts; the rows before do not change.

*rows, encoder = encode(groups)
half = len(january) // 2
other = january.copy()
other.iloc[half:, :2] = other.iloc[half:, :2].to_numpy()[::-1]
changed = encoder.fit_transform(other)
unchanged = np.array_equal(changed[:half], rows[0][:half], equal_nan=True)
print(f"rows before the change stay the same: {unchanged}")

# %%
# In a service
# ------------
# One payment at a time: its row, and it becomes part of the history. A saved encoder continues in another process.

*_, encoder = encode(("ends", "pair"))
encoder.save(folder / "history.npz")
service = egonet.EventEncoder.open(folder / "history.npz")
row = service.partial_fit_transform([(7, 8, pd.Timestamp("2024-02-01 12:00").to_pydatetime(), 20.0)])
names = service.get_feature_names_out().tolist()
print(f"account 7 paid {row[0, names.index('source_out_partners_7d')]:.0f} accounts in seven days")

"""
From a payments table to a decision
===================================

You have a CSV of payments, as a bank exports it: dates such as 31.01.2024, a missing account, the same line twice,
refunds with a negative amount. `egonet.EventEncoder` turns it into a row of features per payment, as of that payment.
Here a model learns from January and decides about February.

Install: `pip install ".[sklearn]" pandas`
"""

# %%
# Two months of payments
# ----------------------
# You make them here, so that you can run this anywhere. Most payments go to usual partners. Some accounts are taken over
# and pay six new accounts within two hours, and sometimes money comes back to its sender through two others. Amounts say
# nothing about fraud.

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

# %%
# What a real file looks like
# ---------------------------
# A payer is missing, a line stands twice, one payment is a refund, and one goes to the payer's own account.

payments = payments.astype({"payer": object})
payments.loc[100, "payer"] = None
payments.loc[200, "amount"] *= -1
payments.loc[300, "payee"] = payments.loc[300, "payer"]
payments = pd.concat([payments[:401], payments[400:]], ignore_index=True)
january, february = payments[payments.when < "2024-01-31"], payments[payments.when >= "2024-01-31"]

folder = Path(tempfile.mkdtemp())
january.to_csv(folder / "january.csv", index=False, date_format="%d.%m.%Y %H:%M")
february.to_csv(folder / "february.csv", index=False, date_format="%d.%m.%Y %H:%M")
print("\n".join((folder / "january.csv").read_text().splitlines()[:3]))

# %%
# A row per payment
# -----------------
# `time_format` says how dates are written. `missing="drop"` leaves the payment without a payer out of the history, with a
# warning. Its row has no values, so that every line of the file still has a row. Without the two options an error names
# the line and the option. The other lines need no care: a repeated line is a second payment (remove it first if it is a
# mistake), refunds lower the sum, and you may pay yourself.
#
# `fit_transform` begins a history. `transform` continues it without changing it: the row of a payment in February counts
# January, and of February only what came before the payment.


def encode(groups):
    """Return the rows of both months, and the encoder."""
    encoder = egonet.EventEncoder(
        source="payer",
        target="payee",
        time="when",
        amount="amount",
        time_format="%d.%m.%Y %H:%M",
        missing="drop",
        windows=("2h", "1d", "7d"),
        groups=groups,
    )
    encoder.set_output(transform="pandas")
    return encoder.fit_transform(folder / "january.csv"), encoder.transform(folder / "february.csv"), encoder


tables = {"amount": (january[["amount"]], february[["amount"]])}
groups = ("ends", "pair", "ego", "cycles")
for number in range(1, len(groups) + 1):
    train, test, encoder = encode(groups[:number])
    tables[" + ".join(groups[:number])] = train, test
empty = train.isna().all(axis=1)
print(
    f"{len(train):,} rows for {len(january):,} lines, {empty.sum()} of them without values: row {empty.argmax()}"
)

# %%
# The decision
# ------------
# Average precision in February of a model that learned from January. Guessing gives the share of fraud.

scores = {"guessing": float(february.fraud.mean())}
for title, (train, test) in tables.items():
    model = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(train, january.fraud)
    scores[title] = average_precision_score(february.fraud, model.predict_proba(test)[:, 1])
for title, score in scores.items():
    print(f"{title:<28}{score:.3f}")

# %%
# Nobody can look at every payment. With 100 checks in February, which payments does the model choose, and how many of
# them are fraud?

train, test = tables["ends + pair"]
model = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(train, january.fraud)
alerts = february.assign(score=model.predict_proba(test)[:, 1]).nlargest(100, "score")
print(alerts[["payer", "payee", "when", "score"]].head(3).to_string(index=False))
print(f"{alerts.fraud.sum()} of {len(alerts)} checks find fraud, of {february.fraud.sum()} frauds in all")

# %%
# The next month
# --------------
# Save the encoder with its history, next to the model. In another process it continues: add February, and each payment
# of March gets its row and becomes part of the history.

train, test, encoder = encode(("ends", "pair"))
encoder.save(folder / "history.npz")
service = egonet.EventEncoder.open(folder / "history.npz")
service.partial_fit(folder / "february.csv")
row = service.partial_fit_transform([(7, 8, "01.03.2024 12:00", 20.0)])
names = service.get_feature_names_out().tolist()
print(f"account 7 paid {row[0, names.index('source_out_partners_7d')]:.0f} accounts in seven days")

# %%
# What leaks
# ----------
# A row never depends on a later payment. Half of January's payments get other accounts; the rows before do not change.

half = len(january) // 2
other = january.copy()
other.iloc[half:, :2] = other.iloc[half:, :2].to_numpy()[::-1]
other.to_csv(folder / "other.csv", index=False, date_format="%d.%m.%Y %H:%M")
unchanged = encoder.fit_transform(folder / "other.csv")[:half].equals(train[:half])
print(f"rows before the change stay the same: {unchanged}")

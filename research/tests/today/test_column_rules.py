"""Which columns both rules keep: the page has the numbers of the results file."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_protocol_says_in_how_many_folds_both_rules_keep_the_same_columns():
    rows = json.loads((ROOT / "results/today/column_rules.json").read_text("utf-8"))["rows"]
    page = (ROOT / "docs/research/protocol.md").read_text("utf-8")
    plain = [row for row in rows if row["columns"] == "ego"]
    labeled = [row for row in rows if row["columns"] == "egolabel"]

    equal, folds = (sum(row[name] for row in plain) for name in ("equal", "folds"))
    assert f"in {equal} of {folds} folds, and at most {max(row['most'] for row in plain)} columns" in page
    means, kept = ([round(row[name]) for row in labeled] for name in ("mean", "kept"))
    assert f"{min(means)} to {max(means)} of {min(kept)} to {max(kept)} columns" in page

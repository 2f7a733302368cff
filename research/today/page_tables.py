"""Tables of the page: all encodings in networks on ZINC-12k, fingerprints, linear models, and the paper's four sets."""

from collections import defaultdict
from typing import Any

import numpy as np

from research.today.comparison import LOWER_IS_BETTER, chosen_inside, interval

ZINC_ROWS = {
    "none": "nothing",
    "degree": "degree",
    "lappe": "LapPE(8), random signs",
    "rwse": "RWSE(20)",
    "ego12": "ego-networks, radius (1, 2), total degrees",
    "ego123": "ego-networks, radius (1, 2, 3), total degrees",
    "ego": "ego-networks, radius (1, 2, 3), full degrees",
    "rwse+ego": "full degrees and RWSE(20)",
    "ego+egobond": "full degrees and ego-networks with bond types",
    "egolabel": "ego-networks with atom labels",
    "refined": "refined colorings, radius (1, 2, 3), one mark",
}
ZINC_MODELS = {
    "best-500k": "GINE + feed-forward 0.49 M",
    "gineconv-500k": "GINE 0.49 M",
    "gine-500k": "GINE with two norms 0.47 M",
    "gatedgcn-500k": "GatedGCN 0.46 M, short",
    "gin-500k": "GIN 0.46 M, short",
    "gcn-500k": "GCN 0.52 M, short",
    "gine-100k": "GINE with two norms 0.10 M",
    "matrix-gine": "GINE with two norms 0.10 M, short",
    "matrix-gatedgcn": "GatedGCN 0.09 M, short",
    "matrix-gin": "GIN 0.09 M, short",
    "matrix-gcn": "GCN 0.11 M, short",
}
PAPER_SETS = {"mutag": "MUTAG", "ptc": "PTC", "enzymes": "ENZYMES", "proteins": "PROTEINS"}
PAPER_MODELS = {"forest": "forest", "boosting": "boosting", "gin": "GIN"}
PAPER_ROWS = {
    "": "labels only",
    "degree": "degree",
    "ldp": "LDP",
    "cycles": "closed walks",
    "rwse": "RWSE",
    "lappe": "LapPE",
    "ego": "ego",
    "egochosen": "ego, radius by fold",
    "egolabel": "labeled ego",
    "egolabelchosen": "labeled ego, radius by fold",
    "wl": "WL subtree",
}


def network_table(lines: list[dict[str, Any]]) -> str:
    """Return the mean test error, spread and seeds of every encoding and network on ZINC-12k."""
    found: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for line in lines:
        if line["set"] == "zinc":
            model = "matrix-gine" if line["model"] == "wide-gine" else line["model"]
            if line["model"] == "wide-gine" and line["columns"] == "ego":
                continue  # the same network and encoding as in matrix-gine
            found[line["columns"], model][line["seed"]] = line["test"]
    models = {key: title for key, title in ZINC_MODELS.items() if any(key == model for _, model in found)}
    head = f"| encoding | columns | {' | '.join(models.values())} |"
    text = [head, "|---|--:|" + "--:|" * len(models)]
    widths = {line["columns"]: line["num_columns"] for line in lines if line["set"] == "zinc"}
    for key, title in ZINC_ROWS.items():
        cells = [_mean(found.get((key, model), {})) for model in models]
        text.append(f"| {title} | {widths.get(key, 0)} | {' | '.join(cells)} |")
    return "\n".join(text)


def _mean(scores: dict[int, float]) -> str:
    """Return mean ± spread (seeds)."""
    if not scores:
        return ""
    values = np.array(list(scores.values()))
    spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return f"{values.mean():.4f}{spread} ({len(values)})"


FINGERPRINT_ROWS = {
    "morgan": "Morgan fingerprints",
    "labels+egolabel": "labeled ego-networks",
    "morgan+egolabel": "both",
}


def fingerprint_table(lines: list[dict[str, Any]], titles: dict[str, str]) -> str:
    """Return the mean scores of forests on fingerprints, on labeled ego-networks and on both, over common runs."""
    text = [
        f"| set, forest | metric | {' | '.join(FINGERPRINT_ROWS.values())} | splits or seeds |",
        "|---|---|" + "--:|" * (len(FINGERPRINT_ROWS) + 1),
    ]
    for name, title in titles.items():
        own = [line for line in lines if line["set"] == name and line["columns"] in FINGERPRINT_ROWS]
        scores = {
            key: {(line["seed"], line["fold"]): line["test"] for line in own if line["columns"] == key}
            for key in FINGERPRINT_ROWS
        }
        runs = set.intersection(*(set(found) for found in scores.values()))
        if runs:
            means = [float(np.mean([found[run] for run in runs])) for found in scores.values()]
            varied = "seeds" if own[0]["split"] == "fixed" else "splits"
            text.append(f"| {title} | {_fingerprint_cells(own[0]['metric'], means)} | {len(runs)} {varied} |")
    return "\n".join(text)


def _fingerprint_cells(metric: str, means: list[float]) -> str:
    """Return the metric and the scores of one row, the best in bold."""
    lower = metric in LOWER_IS_BETTER
    best = min(means) if lower else max(means)
    shown = [f"{mean:.3f}" if lower else f"{100 * mean:.1f}" for mean in means]
    cells = [f"**{cell}**" if mean == best else cell for cell, mean in zip(shown, means, strict=True)]
    return " | ".join([{"auc": "ROC-AUC", "rmse": "RMSE"}[metric], *cells])


def paper_table(on_columns: list[dict[str, Any]], whole: list[dict[str, Any]]) -> str:
    """Return the mean accuracy of every encoding in a forest, in boosting and in GIN, on the paper's four sets."""
    lines = [line | {"columns": _short(line["columns"])} for line in on_columns if line["set"] in PAPER_SETS]
    own = [line for line in whole if line["set"] in PAPER_SETS and line["model"] == "gin"]
    own += chosen_inside(own, ("ego1", "ego", "ego3"), "egochosen")
    lines += [line | {"columns": "" if line["columns"] == "none" else line["columns"]} for line in own]
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for line in lines:
        found[line["set"], line["model"], line["columns"]].append(100 * line["test"])
    text = [
        f"| set, model | folds | {' | '.join(PAPER_ROWS.values())} |",
        "|---|--:|" + "--:|" * len(PAPER_ROWS),
    ]
    for name, title in PAPER_SETS.items():
        for model, shown in PAPER_MODELS.items():
            means = {
                key: np.mean(found[name, model, key]) for key in PAPER_ROWS if (name, model, key) in found
            }
            if means:
                best = max(means.values())
                cells = [_cell(means[key], best) if key in means else "" for key in PAPER_ROWS]
                text.append(f"| {title}, {shown} | {len(found[name, model, ''])} | {' | '.join(cells)} |")
    return "\n".join(text)


def _short(columns: str) -> str:
    """Return the name of the encoding in the columns of a model.

    Examples
    --------
    >>> _short("labels+size"), _short("labels+size+wl"), _short("labels+size+egolabel1|labels+size+egolabel")
    ('', 'wl', 'egolabelchosen')
    """
    if "|" in columns:
        return "egolabelchosen" if "egolabel" in columns else "egochosen"
    return columns.removeprefix("labels+size").removeprefix("+")


def _cell(value: Any, best: Any) -> str:
    """Return a percentage, bold if it is the best."""
    return f"**{value:.1f}**" if value == best else f"{value:.1f}"


LINEAR_SETS = {"zinc": "ZINC-12k", "freesolv": "FreeSolv", "esol": "ESOL", "lipo": "Lipophilicity"}
LINEAR_KINDS = ("WL", "WL, rings", "ego-networks", "ego-networks, rings")


def linear_table(lines: list[dict[str, Any]]) -> str:
    """Return the mean absolute errors of linear models, and how much ego-networks are better than WL with rings.

    Over splits the interval has Nadeau and Bengio's correction; on ZINC-12k it is over test molecules.
    """
    text = [
        f"| set | splits | {' | '.join(LINEAR_KINDS)} | gain without rings | gain with rings |",
        "|---|--:|" + "--:|" * (len(LINEAR_KINDS) + 2),
    ]
    for name, title in LINEAR_SETS.items():
        found: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        for line in lines:
            if line["set"] == name:
                found[line["columns"]][line["split"]] = line
        splits = set.intersection(*(set(found[kind]) for kind in LINEAR_KINDS))
        if splits:
            means = [np.mean([found[kind][split]["test"] for split in splits]) for kind in LINEAR_KINDS]
            pairs = (LINEAR_KINDS[::2], LINEAR_KINDS[1::2])
            gains = [
                _linear_gain([[found[kind][split] for split in splits] for kind in pair]) for pair in pairs
            ]
            cells = [*(f"{mean:.3f}" for mean in means), *gains]
            text.append(f"| {title} | {len(splits)} | {' | '.join(cells)} |")
    return "\n".join(text)


def _linear_gain(both: list[list[dict[str, Any]]]) -> str:
    """Return by how much the second lines have smaller errors than the first ones, with a 95 % interval."""
    share = 0.0
    if len(both[0]) == 1:  # one split: the molecules vary
        rival, ours = (np.array(lines[0]["errors"]) for lines in both)
    else:
        rival, ours = (np.array([line["test"] for line in lines]) for lines in both)
        share = both[0][0]["sizes"][2] / both[0][0]["sizes"][0]
    low, high, _ = interval(rival - ours, share)
    return f"{(rival - ours).mean():+.3f} ({low:+.3f} to {high:+.3f})"

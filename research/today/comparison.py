"""Compare an encoding with the rival that validation data choose: paired differences, intervals, tests with Holm."""

from collections import defaultdict
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from scipy import stats

#: What counts as a rival: nothing beyond the base columns, and the encodings people use now.
RIVALS = ("", "degree", "ldp", "rwse", "lappe")
LOWER_IS_BETTER = ("mae", "rmse")


@dataclass(frozen=True)
class Comparison:
    """One encoding against one rival on one set.

    Attributes
    ----------
    name, model, metric, encoding, rival
        The set, the model, the metric, the encoding, and the rival: the one chosen in most splits.
    score, rival_score
        Their means.
    gain, low, high
        The mean paired difference and its 95 % interval: positive is better. Points of a hundred for accuracy and
        AUC, percent of the rival's error for errors.
    p, adjusted
        Of a two-sided paired t test; `adjusted` by Holm over all comparisons of a report.
    units, corrected
        How many pairs; whether the variance has Nadeau and Bengio's correction for overlapping training parts.
    columns, rival_columns, seconds, rival_seconds
        How many columns, and the seconds to compute them, in the fastest of all runs.
    chosen_on
        What chose the rival: "validation", or "all folds" where there are no validation scores.
    in_favor
        In how many pairs the encoding is better; a tie counts a half.
    splits, rival_splits
        How many splits the pairs have, and in how many of them `rival` was chosen; splits with k rivals that are level
        on validation data count 1/k.
    molecules
        How many test molecules were drawn again and again for the interval and p; 0 if these are over pairs.
    """

    name: str
    model: str
    metric: str
    encoding: str
    rival: str
    score: float
    rival_score: float
    gain: float
    low: float
    high: float
    p: float
    units: int
    corrected: bool
    columns: int
    rival_columns: int
    seconds: float
    rival_seconds: float
    adjusted: float = 1.0
    chosen_on: str = "validation"
    in_favor: float = 0.0
    splits: int = 1
    rival_splits: float = 1.0
    molecules: int = 0

    @property
    def has_one_split(self) -> bool:
        """Return whether all pairs have the same split, so that they differ in the seed only."""
        return self.splits == 1

    @property
    def is_significant(self) -> bool:
        """Return whether the adjusted p-value is below 0.05; a single pair has none."""
        return self.units > 1 and self.adjusted < 0.05


def block_seconds(lines: list[dict[str, Any]], name: str) -> dict[str, float]:
    """Return how long each encoding of a set took at least, from the lines of its rows with and without it."""
    rows: dict[str, float] = {}
    for line in lines:
        columns = line["columns"]
        if line["set"] == name and "|" not in columns and not columns.startswith("morgan"):
            rows[columns] = min(rows.get(columns, inf), line["column_seconds"])
    if not rows:
        return {}
    base = base_of(list(rows))
    return {
        row.removeprefix(f"{base}+"): round(seconds - rows.get(base, 0.0), 3)
        for row, seconds in rows.items()
        if row != base
    }


def by_columns(lines: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, dict[Any, dict[str, Any]]]]:
    """Return the lines by (set, model), columns, and (seed, fold)."""
    found: dict[Any, Any] = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        found[line["set"], line["model"]][line["columns"]][line["seed"], line["fold"]] = line
    return found


def base_of(columns: list[str]) -> str:
    """Return the columns that all rows of a model have in common.

    Examples
    --------
    >>> base_of(["labels+size+ego", "labels+size", "labels+size+rwse"]), base_of(["ego", "none", "degree"])
    ('labels+size', 'none')
    """
    shortest = min(columns, key=len)
    return (
        shortest if all(name.startswith(f"{shortest}+") or name == shortest for name in columns) else "none"
    )


def compare(
    lines: list[dict[str, Any]], encoding: str, rivals_named: tuple[str, ...] = RIVALS
) -> list[Comparison]:
    """Return an encoding's comparison with the chosen rival on every set that has it, adjusted by Holm."""
    found = []
    for (name, model), rows in by_columns(lines).items():
        plain = [row for row in rows if not row.startswith("morgan") and "|" not in row]
        base = base_of(plain)
        names = {rival: _joined(base, rival) for rival in rivals_named}
        rivals = [row for row in names.values() if row in rows]
        own = _joined(base, encoding)
        if own not in rows or not rivals:
            continue
        pairs = {rival: sorted(set(rows[own]) & set(rows[rival])) for rival in rivals}
        complete = max(len(units) for units in pairs.values())
        rivals = [rival for rival in rivals if len(pairs[rival]) == complete and complete > 0]
        if rivals:
            found.append(_against_chosen(name, model, rows, own, rivals))
    return holm(found)


def _joined(base: str, added: str) -> str:
    """Return the columns of a base with an encoding."""
    if base == "none":
        return added or "none"
    return f"{base}+{added}" if added else base


def split_of(line: dict[str, Any]) -> tuple[int, int]:
    """Return what tells the split of a line from others of its set: partitions are drawn again for every seed.

    Examples
    --------
    >>> [split_of({"split": kind, "seed": 3, "fold": 7}) for kind in ("partitions", "masks", "fixed")]
    [(3, 7), (0, 7), (0, 0)]
    """
    if line["split"] == "fixed":
        return 0, 0
    return line["seed"] if line["split"] == "partitions" else 0, line["fold"]


def choose_rivals(
    rows: Any, rivals: list[str], units: list[tuple[int, int]], *, lower: bool
) -> tuple[dict[tuple[int, int], list[str]], str]:
    """Return the rivals of every pair, and what chose them.

    Validation scores choose in every split on their own, by their mean over its seeds, so that no test row of a split
    takes part in another one's choice; rivals that are level are all returned. Without validation scores the rival is
    the one with the best mean test score of all splits, which favors it. A choice for every fold by the mean of the
    others would be against it: of rivals that are level, the one that is bad in a fold has the better mean without it.

    Examples
    --------
    >>> rows = {"degree": {(0, 0): {"test": 0.9}, (0, 1): {"test": 0.5}, (0, 2): {"test": 0.6}},
    ...         "rwse": {(0, 0): {"test": 0.5}, (0, 1): {"test": 0.6}, (0, 2): {"test": 0.7}}}
    >>> chosen, chosen_on = choose_rivals(rows, ["degree", "rwse"], [(0, 0), (0, 1), (0, 2)], lower=False)
    >>> chosen[0, 1], chosen_on
    (['degree'], 'all folds')
    """
    if not all("validation" in rows[rival][unit] for rival in rivals for unit in units):
        return dict.fromkeys(units, _best(rows, rivals, units, "test", lower=lower)[:1]), "all folds"
    splits: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    for unit in units:
        splits[split_of(rows[rivals[0]][unit])].append(unit)
    chosen: dict[tuple[int, int], list[str]] = {}
    for own in splits.values():
        chosen |= dict.fromkeys(own, _best(rows, rivals, own, "validation", lower=lower))
    return chosen, "validation"


def _best(
    rows: Any, rivals: list[str], units: list[tuple[int, int]], score: str, *, lower: bool
) -> list[str]:
    """Return the rivals with the best mean of a score over some pairs: several if they are level."""
    means = {
        rival: round(float(np.mean([rows[rival][unit][score] for unit in units])), 9) for rival in rivals
    }
    best = min(means.values()) if lower else max(means.values())
    return [rival for rival, mean in means.items() if mean == best]


def _count_splits(rows: Any, chosen: dict[tuple[int, int], list[str]]) -> dict[str, float]:
    """Return in how many splits each rival was chosen; of k that are level in a split each counts 1/k."""
    found: dict[str, float] = defaultdict(float)
    for rivals in {split_of(rows[rivals[0]][unit]): rivals for unit, rivals in chosen.items()}.values():
        for rival in rivals:
            found[rival] += 1 / len(rivals)
    return found


def _against_chosen(name: str, model: str, rows: Any, own: str, rivals: list[str]) -> Comparison:
    """Return the comparison with the chosen rivals; of rivals that are level the mean score counts."""
    any_line = next(iter(rows[own].values()))
    metric = any_line["metric"]
    lower = metric in LOWER_IS_BETTER
    units = sorted(set(rows[own]).intersection(*(rows[rival] for rival in rivals)))
    chosen, chosen_on = choose_rivals(rows, rivals, units, lower=lower)
    counts = _count_splits(rows, chosen)
    best = max(counts, key=counts.__getitem__)
    score = np.array([rows[own][unit]["test"] for unit in units])
    rival_score = np.array([np.mean([rows[rival][unit]["test"] for rival in chosen[unit]]) for unit in units])
    gains = rival_score - score if lower else score - rival_score
    gains = 100 * gains / (rival_score.mean() if lower else 1)
    drawn = any_line["split"] in ("partitions", "masks", "folds", "scaffolds")
    share = any_line["test_rows"] / any_line["train_rows"] if drawn else 0.0
    low, high, p = interval(gains, share)
    own_line, best_line = rows[own][units[-1]], rows[best][units[-1]]
    seconds = [min(line["column_seconds"] for line in rows[row].values()) for row in (own, best)]
    return Comparison(
        name,
        model,
        metric,
        own,
        best,
        float(score.mean()),
        float(rival_score.mean()),
        float(gains.mean()),
        low,
        high,
        p,
        len(units),
        drawn,
        own_line["num_columns"],
        best_line["num_columns"],
        seconds[0],
        seconds[1],
        chosen_on=chosen_on,
        in_favor=float((gains > 0).sum() + 0.5 * (gains == 0).sum()),
        splits=len({split_of(rows[own][unit]) for unit in units}),
        rival_splits=counts[best],
    )


def interval(gains: Any, share: float) -> tuple[float, float, float]:
    """Return the 95 % interval of a mean paired difference, and the p-value of no difference.

    `share` is test rows / training rows where the training parts overlap: Nadeau and Bengio's correction.

    Examples
    --------
    >>> [round(value, 3) for value in interval(np.array([1.0, 2.0, 3.0]), 0.0)]
    [-0.484, 4.484, 0.074]
    >>> [round(value, 3) for value in interval(np.array([1.0, 2.0, 3.0]), 0.5)]
    [-1.928, 5.928, 0.16]
    """
    count = len(gains)
    mean, spread = float(gains.mean()), float(gains.std(ddof=1)) if count > 1 else 0.0
    error = spread * sqrt(1 / count + share)
    if error == 0:
        return mean, mean, 1.0
    reach = float(stats.t.ppf(0.975, count - 1)) * error
    return mean - reach, mean + reach, float(2 * stats.t.sf(abs(mean) / error, count - 1))


def holm(found: list[Comparison]) -> list[Comparison]:
    """Return comparisons with p-values adjusted for their number.

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    from dataclasses import replace

    values = adjusted([each.p for each in found])
    return [replace(each, adjusted=value) for each, value in zip(found, values, strict=True)]


def adjusted(values: list[float]) -> list[float]:
    """Return p-values adjusted by Holm's method, in the order given."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    found, largest = [0.0] * len(values), 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[at]))
        found[at] = largest
    return found


#: The encodings of the networks on molecules by the names that models on columns have.
NETWORK_COLUMNS = {
    "none": "none",
    "degree": "degree",
    "rwse20": "rwse",
    "lappe8": "lappe",
    "egofull123": "ego",
    "egolabel123": "egolabel",
    "egofull123+rwse20": "rwse+ego",
    "egofull123+egobond123": "ego+egobond",
    "ego12": "ego12",
    "ego123": "ego123",
    "refined123": "refined",
}
ROWS_OF_ZINC = {"train_rows": 10_000, "test_rows": 1_000}


def network_lines(lines: list[dict[str, Any]], seconds: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """Return the lines of networks on molecules with the fields of lines on columns.

    `seconds` has the seconds of each encoding by set. Plans that only look for a recipe are left out, and so are
    recipes that another one beats on validation molecules.
    """
    return [
        {
            "set": (name := line.get("set", "zinc")),
            "model": line["plan"] if name == "zinc" else line["network"],
            "columns": (columns := NETWORK_COLUMNS[line["encoding"]]),
            "seed": line["seed"],
            "fold": 0,
            "metric": line.get("metric", "mae"),
            "split": "fixed",
            "test": line["test"],
            "validation": line["validation"],
            "num_columns": line["columns"],
            "column_seconds": seconds.get(name, {}).get(columns, 0.0),
        }
        | ROWS_OF_ZINC
        for line in chosen_recipes(lines)
        if line["encoding"] in NETWORK_COLUMNS and not line["plan"].startswith("search")
    ]


def chosen_recipes(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, of every plan and encoding, the lines of the recipe with the best mean validation score.

    Examples
    --------
    >>> line = {"plan": "gine", "encoding": "ego", "recipe": "plain", "validation": 0.3, "metric": "mae"}
    >>> other = line | {"recipe": "decay", "validation": 0.2}
    >>> [found["recipe"] for found in chosen_recipes([line, other])]
    ['decay']
    """
    scores: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        sign = -1 if line.get("metric", "mae") in LOWER_IS_BETTER else 1
        scores[line["plan"], line["encoding"]][line.get("recipe", "")].append(sign * line["validation"])
    best = {key: max(own, key=lambda recipe: float(np.mean(own[recipe]))) for key, own in scores.items()}
    return [line for line in lines if line.get("recipe", "") == best[line["plan"], line["encoding"]]]


def whole_lines(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of networks on whole sets; full degrees are the encoding of networks with bonds."""
    names = {"egofull": "ego"}
    return [line | {"columns": names.get(line["columns"], line["columns"])} for line in lines]


def chosen_inside(lines: list[dict[str, Any]], choices: tuple[str, ...], name: str) -> list[dict[str, Any]]:
    """Return lines of columns `name`: in every fold those of the choice with the best validation score there.

    Examples
    --------
    >>> line = {"set": "mutag", "model": "gin", "seed": 0, "fold": 0, "validation": 0.5, "columns": "ego1"}
    >>> better = line | {"columns": "ego", "validation": 0.7}
    >>> chosen_inside([line, better], ("ego1", "ego"), "egochosen")[0]["chosen"]
    'ego'
    """
    found: dict[Any, dict[str, Any]] = {}
    for line in lines:
        key = line["set"], line["model"], line["seed"], line["fold"]
        if line["columns"] in choices and (key not in found or line["validation"] > found[key]["validation"]):
            found[key] = line
    return [line | {"columns": name, "chosen": line["columns"]} for line in found.values()]

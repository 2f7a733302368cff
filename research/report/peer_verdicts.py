"""Whether the ego encoding in GIN reaches the best of the peers' networks on each set, and what that network costs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from research.datasets.readers import COUNT_NAMES
from research.nets.peers.spec import peer_spec
from research.report.page import Block
from research.report.peer_names import COLUMNS, FOLDS, NAMES, NETWORKS

Lines = Sequence[dict[str, Any]]

#: Accuracies that differ by fewer points count as equal.
POINTS = 2.0
#: Sets whose networks had a tenth of the epochs that their authors use: costs are shown, errors are not compared.
UNFINISHED = ("zinc",)
CAPTION = "Does the encoding reach the best network? What does that network cost on one CPU core?"
NOTE = (
    "The encoding reaches the best network (yes) if it is within two points of accuracy, has no larger error, or "
    "leaves as few pairs equal. It is not clear if the gap is at most two standard errors over folds or seeds. "
    "Accuracy is at the validated epoch; the best network is the best of all on test data."
)
#: Standard errors of a difference within which nothing can be said.
ERRORS = 2.0


@dataclass(frozen=True)
class Standing:
    """What one method reaches on one set or target.

    Attributes
    ----------
    method
        Its name in `METHODS`.
    value, error
        Mean over seeds or folds, and its standard error; 0 where it is not known.
    is_short
        Whether training was stopped long before its planned number of epochs.
    """

    method: str
    value: float
    error: float
    is_short: bool

    def shown(self, style: str) -> str:
        """Return name and value."""
        return f"{NAMES[self.method]} {self.value:{style}}{'†' if self.is_short else ''}"


def standings(lines: Lines, name: str, target: int | None = None) -> dict[str, Standing]:
    """Return what every method reaches on a set: the validated accuracy, the error, or the pairs left equal."""
    found = {}
    for method in NAMES:
        own = [
            line
            for line in lines
            if (line["set"], line["method"]) == (name, method) and target in (None, line.get("target"))
        ]
        if not own:
            continue
        values = [line["validated" if name in FOLDS else "score"] for line in own]
        if name in FOLDS:
            error = float(np.mean([line["validated_spread"] for line in own])) / math.sqrt(10)
        else:
            error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
        short = any(line.get("epochs", 1) < 0.8 * line.get("planned_epochs", 1) for line in own)
        found[method] = Standing(method, float(np.mean(values)), error, short)
    return found


def verdict(ours: Standing, best: Standing, *, measure: str) -> str:
    """Return "yes", "not clear" or "no", with the factor of an error: whether `ours` reaches `best`.

    Accuracies are equal within two points. The order of accuracies and errors is not clear within two standard errors
    of the difference.

    Examples
    --------
    >>> first, second = (Standing("gin", value, 1.0, False) for value in (71.0, 75.0))
    >>> verdict(first, second, measure="accuracy"), verdict(second, first, measure="accuracy")
    ('no', 'yes')
    >>> verdict(Standing("gin", 0.6, 0.01, False), Standing("gin", 0.4, 0.01, False), measure="absolute error")
    'no, 1.5 times its error'
    """
    is_accuracy = measure == "accuracy"
    gap = best.value - ours.value if is_accuracy else ours.value - best.value
    if gap <= (POINTS if is_accuracy else 0):
        return "yes"
    if gap <= ERRORS * math.hypot(ours.error, best.error):
        return "not clear"
    return f"no, {ours.value / best.value:.1f} times its error" if measure.endswith("error") else "no"


def verdict_table(lines: Lines, costs: Lines) -> list[Block]:
    """Return a line per set and target: GIN, GIN with the encoding, the best columns and network, the verdict.

    Sets without GIN, GIN with the encoding, other columns or a network are left out, and so are sets that were not
    trained to the end; without a line there is no table.
    """
    rows = []
    for name, plan in peer_spec()["sets"].items():
        if name in UNFINISHED:
            continue
        counts = name == "randomgraph"
        for target in range(len(COUNT_NAMES)) if counts else (None,):
            found = standings(lines, name, target)
            if not {"gin", "gin+ego"} <= set(found) or not all(
                set(kind) & set(found) for kind in (COLUMNS, NETWORKS)
            ):
                continue
            label = f"{name}, {COUNT_NAMES[target]}" if target is not None else name
            rows.append([label, *_cells(found, plan, times_gin(costs, name))])
    header = [
        "set",
        "measure",
        "GIN",
        "GIN + ego encoding",
        "best other columns in GIN",
        "median network",
        "best network",
        "the encoding reaches it",
        "epoch, times GIN",
    ]
    return [Block("table", CAPTION, header, rows)] if rows else []


def _cells(found: dict[str, Standing], plan: dict[str, Any], times: dict[str, float]) -> list[str]:
    """Return the cells of one line after its name."""
    equal = plan["task"] == "equal"
    largest = not equal and plan.get("loss", "classes") == "classes"
    style = ",.0f" if equal else ".1f" if largest else ".3f" if plan["loss"] == "absolute" else ".2g"
    measure = "pairs left equal" if equal else "accuracy" if largest else f"{plan['loss']} error"

    def best_of(names: Sequence[str]) -> Standing:
        chosen = [found[name] for name in names if name in found]
        sign = -1 if largest else 1
        return min(
            chosen, key=lambda each: (sign * each.value, each.is_short, times.get(each.method, math.inf))
        )

    best, ours = best_of(NETWORKS), found["gin+ego"]
    values = [found[name].value for name in NETWORKS if name in found]
    equals = sum(f"{value:{style}}" == f"{best.value:{style}}" for value in values) - 1
    others = f" and {equals} other{'s' if equals > 1 else ''}" if equals else ""
    return [
        measure,
        f"{found['gin'].value:{style}}",
        f"{ours.value:{style}}",
        best_of(COLUMNS).shown(style),
        f"{np.median(values):{style}}",
        best.shown(style) + others,
        verdict(ours, best, measure=measure),
        f"{times[best.method]:.1f}" if best.method in times else "–",
    ]


def times_gin(costs: Lines, name: str) -> dict[str, float]:
    """Return what an epoch of each method takes on a set, in times that of GIN; nothing without GIN.

    Examples
    --------
    >>> lines = [{"set": "mutag", "method": m, "milliseconds": t} for m, t in (("gin", 4.0), ("nested", 30.0))]
    >>> times_gin(lines, "mutag")["nested"]
    7.5
    """
    own = {line["method"]: line["milliseconds"] for line in costs if line["set"] == name}
    return {method: value / own["gin"] for method, value in own.items()} if "gin" in own else {}


def cpu_cost_table(costs: Lines) -> list[Block]:
    """Return an epoch of every method on one CPU core, in times GIN's, per set; nothing without lines."""
    sets = list(dict.fromkeys(line["set"] for line in costs))
    tables = {name: times_gin(costs, name) for name in sets}
    base = {line["set"]: line["milliseconds"] / 1000 for line in costs if line["method"] == "gin"}
    rows = [
        [NAMES[method], *(f"{tables[name][method]:.1f}" if method in tables[name] else "–" for name in sets)]
        for method in NAMES
        if any(method in table for table in tables.values())
    ]
    if not rows:
        return []
    seconds = ["GIN, seconds", *(f"{base[name]:.2f}" if name in base else "–" for name in sets)]
    caption = "Cost on one CPU core: an epoch, in times that of GIN"
    return [Block("table", caption, ["method", *sets], [seconds, *rows])]

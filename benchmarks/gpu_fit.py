"""Fits the constants of the plan of the GPU backend to measured times, with and without each graph.

Needs no GPU: `results/gpu/times.json` has milliseconds of every algorithm at radius 2 and more. Prints, for the plan as
it is and for constants fitted to all other graphs, how much longer the algorithm chosen takes than the fastest.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from egonet.kernel.cuda import plan
from egonet.kernel.cuda.codec import Codec
from egonet.kernel.cuda.task import Facts

MEASURED = Path(__file__).parents[1] / "results" / "gpu" / "times.json"
#: What four lanes to a list take of the time of eight, for where only the latter was timed; `results/gpu/lanes.log` has
#: 0.91 to 1.06.
FOUR_LANES = 0.95
SHARED_BYTES = 227 * 1024
#: The constants of each algorithm, in the order of its work.
CONSTANTS: dict[str, tuple[str, ...]] = {
    "link": ("LINK_START", "LINK_VERTEX", "LINK_ARC"),
    "block": ("BLOCK_START", "BLOCK_ARC"),
    "bitwise": ("BITWISE_START", "BITWISE_BATCH", "BITWISE_ARC", "BITWISE_BIN"),
}


def read_settings() -> list[dict[str, Any]]:
    """Return the settings; several times of one algorithm become their geometric mean."""
    settings = json.loads(MEASURED.read_text())
    for setting in settings:
        means = {name: float(np.exp(np.mean(np.log(times)))) for name, times in setting["times"].items()}
        eight = means.pop("link, 8 lanes", None)
        if eight and "link" not in means:
            means["link"] = FOUR_LANES * eight
        setting["times"], setting["facts"] = means, Facts(*setting["facts"])
    return settings


def work_of(algorithm: str, setting: dict[str, Any]) -> tuple[float, ...]:
    """Return the amounts of work that the constants of an algorithm are the prices of."""
    facts, num_roots = setting["facts"], setting["facts"].num_nodes
    if algorithm == "bitwise":
        return plan.bitwise_work(facts, setting["radius"], num_roots)
    work = plan.link_work if algorithm == "link" else plan.block_work
    return work(plan.estimated_ball(facts, setting["radius"]), num_roots)


def fit(settings: list[dict[str, Any]]) -> dict[str, float]:
    """Return constants that fit the logarithms of the times best; times far from the fastest count less."""
    found = {}
    for algorithm, names in CONSTANTS.items():
        rows = [row for row in settings if algorithm in row["times"]]
        work = np.array([work_of(algorithm, row) for row in rows])
        times = np.array([row["times"][algorithm] for row in rows])
        weights = np.sqrt([min(row["times"].values()) for row in rows] / times)
        begin = np.log(0.3 * np.median(times) * 1e6 / np.median(work, axis=0))

        def errors(logs: Any) -> Any:
            far = weights * np.log(work @ np.exp(logs) / 1e6 / times)  # noqa: B023
            return np.append(far, 0.02 * (logs - begin))  # noqa: B023

        fitted = np.exp(least_squares(errors, begin, loss="soft_l1", f_scale=0.3).x)
        found.update(zip(names, fitted.tolist(), strict=True))
    return found


def ratio(setting: dict[str, Any]) -> tuple[str, float]:
    """Return the algorithm that the plan chooses, and its time over that of the fastest."""
    facts, radius, times = setting["facts"], setting["radius"], setting["times"]
    codec = Codec("total", facts.largest_degree, 0, radius + 1)
    words = {"num_roots": facts.num_nodes, "frontier_edges": True, "symmetric": True}
    sample = partial(plan.Ball, *setting["ball"])
    chosen = plan.choose(facts, codec, radius, shared_bytes=SHARED_BYTES, sample=sample, **words)
    return chosen, times[chosen] / min(times.values())


def main() -> None:
    """Print the table and the constants."""
    settings = read_settings()
    as_it_is = [ratio(setting) for setting in settings]
    left_out = {}
    kept = {name: getattr(plan, name) for names in CONSTANTS.values() for name in names}
    for graph in dict.fromkeys(setting["graph"] for setting in settings):
        fitted = fit([setting for setting in settings if setting["graph"] != graph])
        vars(plan).update(fitted)
        left_out |= {id(row): ratio(row) for row in settings if row["graph"] == graph}
        vars(plan).update(kept)
    print("| graph, radius | chosen | ratio | chosen without the graph | ratio |\n|---|---|--:|---|--:|")
    for setting, (chosen, its) in zip(settings, as_it_is, strict=True):
        other, theirs = left_out[id(setting)]
        print(f"| {setting['graph']}, {setting['radius']} | {chosen} | {its:.2f} | {other} | {theirs:.2f} |")
    for name, ratios in (("the plan", as_it_is), ("without each graph", list(left_out.values()))):
        numbers = [number for _, number in ratios]
        print(f"\n{name}: largest {max(numbers):.2f}, mean {np.mean(numbers):.3f} of {len(numbers)}")
    print("\nfitted to all:", {name: f"{value:.3g}" for name, value in fit(settings).items()})


if __name__ == "__main__":
    main()

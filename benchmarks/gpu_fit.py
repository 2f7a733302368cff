"""Fits the prices of the plan of the GPU backend to measured times, with and without each graph.

Needs no GPU: `results/gpu/times.json` has milliseconds of every algorithm at radius 2 and more. Prints, for the plan as
it is and for prices fitted to all other graphs, how much longer the algorithm chosen takes than the fastest; where
balls are counted, with the time of that.
"""

import json
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
#: Milliseconds that counting some balls took, about (0.14 to 0.32); how much later than the fastest is no difference;
#: and from how many milliseconds of the fastest on the aim is to be met.
COUNTING_MS, SAME_MS, AIMED_MS = 0.2, 0.03, 0.5
AIM = 1.3


def read_settings() -> list[dict[str, Any]]:
    """Return the settings; several times of one algorithm become their geometric mean."""
    settings: list[dict[str, Any]] = json.loads(MEASURED.read_text())
    for setting in settings:
        means = {name: float(np.exp(np.mean(np.log(times)))) for name, times in setting["times"].items()}
        eight = means.pop("link, 8 lanes", None)
        if eight and "link" not in means:
            means["link"] = FOUR_LANES * eight
        setting["times"], setting["facts"] = means, Facts(*setting["facts"])
        setting["ball"] = plan.Ball(*setting["ball"])
    return settings


def codec_of(setting: dict[str, Any]) -> Codec:
    """Return the codec of total degrees."""
    return Codec("total", setting["facts"].largest_degree, 0, setting["radius"] + 1)


def cost_of(algorithm: str, setting: dict[str, Any], prices: plan.Prices) -> float:
    """Return what a search costs at some prices, by counted balls."""
    facts, radius, ball = setting["facts"], setting["radius"], setting["ball"]
    num_roots = facts.num_nodes
    if algorithm == "warp":
        return plan.warp_cost(prices, ball, num_roots)
    if algorithm == "link":
        return plan.link_cost(prices, facts, ball, num_roots)
    if algorithm == "block":
        codec = codec_of(setting)
        words: dict[str, Any] = {"frontier_edges": True, "shared_bytes": SHARED_BYTES}
        together = plan.blocks_together(facts, codec, radius, **words)
        return plan.block_cost(prices, facts, codec, radius, ball, num_roots, together)
    return plan.bitwise_cost(prices, facts, radius, num_roots)


def work_of(algorithm: str, setting: dict[str, Any]) -> list[float]:
    """Return the amounts of work that the prices of an algorithm are for: what it costs if all but one are 0."""
    ones = np.eye(len(plan.PRICES[algorithm])).tolist()
    return [cost_of(algorithm, setting, tuple(prices)) for prices in ones]


def tells(algorithm: str, setting: dict[str, Any]) -> bool:
    """Return whether the time of an algorithm was taken, and is its own: warps pass on what is large."""
    held = plan.passed_on(setting["facts"], setting["ball"]) < 0.35
    return algorithm in setting["times"] and (algorithm != "warp" or held)


def fit(settings: list[dict[str, Any]]) -> dict[str, tuple[float, ...]]:
    """Return prices that fit the logarithms of the times best; times far from the fastest count less."""
    found = {}
    for algorithm in plan.PRICES:
        rows = [row for row in settings if tells(algorithm, row)]
        work = np.array([work_of(algorithm, row) for row in rows])
        times = np.array([row["times"][algorithm] for row in rows])
        weights = np.sqrt([min(row["times"].values()) for row in rows] / times)
        begin = np.log(0.3 * np.median(times) * 1e6 / np.maximum(np.median(work, axis=0), 1.0))

        def errors(logs: Any) -> Any:
            far = weights * np.log(work @ np.exp(logs) / 1e6 / times)  # noqa: B023
            return np.append(far, 0.02 * (logs - begin))  # noqa: B023

        fitted = least_squares(errors, begin, loss="soft_l1", f_scale=0.3).x
        found[algorithm] = tuple(np.exp(fitted).tolist())
    return found


def ratio(setting: dict[str, Any]) -> tuple[str, float]:
    """Return the algorithm that the plan chooses, and its time over that of the fastest; not a number if not timed."""
    facts, radius, times = setting["facts"], setting["radius"], setting["times"]
    counted: list[plan.Ball] = []

    def sample() -> plan.Ball:
        counted.append(setting["ball"])
        return counted[-1]

    words: dict[str, Any] = {"num_roots": facts.num_nodes, "frontier_edges": True, "symmetric": True}
    chosen = plan.choose(facts, codec_of(setting), radius, shared_bytes=SHARED_BYTES, sample=sample, **words)
    taken, fastest = times.get(chosen, np.nan) + COUNTING_MS * len(counted), min(times.values())
    return chosen, 1.0 if taken - fastest < SAME_MS else taken / fastest


def show_ratios(name: str, settings: list[dict[str, Any]], ratios: list[tuple[str, float]]) -> None:
    """Print how large the ratios are, of all settings and of those that take long enough."""
    fastest = np.array([min(setting["times"].values()) for setting in settings])
    numbers = np.array([number for _, number in ratios])
    for which, kept in (("all", fastest >= 0), (f"from {AIMED_MS} ms on", fastest >= AIMED_MS)):
        some = numbers[kept & ~np.isnan(numbers)]
        print(
            f"{name}, {which}: largest {some.max():.2f}, 95 % at most {np.percentile(some, 95):.2f}, "
            f"mean {some.mean():.3f}, above {AIM}: {(some > AIM).sum()} of {len(some)}"
        )


def main() -> None:
    """Print the table, the summary and the prices."""
    settings = read_settings()
    as_it_is = [ratio(setting) for setting in settings]
    left_out, kept = {}, dict(plan.PRICES)
    for graph in dict.fromkeys(setting["graph"] for setting in settings):
        plan.PRICES.update(fit([setting for setting in settings if setting["graph"] != graph]))
        left_out |= {id(row): ratio(row) for row in settings if row["graph"] == graph}
    plan.PRICES.update(kept)
    print("| graph, radius, run | chosen | ratio | chosen without the graph | ratio |\n|---|---|--:|---|--:|")
    for setting, (chosen, its) in zip(settings, as_it_is, strict=True):
        other, theirs = left_out[id(setting)]
        where = f"{setting['graph']}, {setting['radius']}, {setting['run']}"
        print(f"| {where} | {chosen} | {its:.2f} | {other} | {theirs:.2f} |")
    print()
    show_ratios("the plan", settings, as_it_is)
    show_ratios("without each graph", settings, [left_out[id(setting)] for setting in settings])
    for algorithm, prices in fit(settings).items():
        print(f"fitted to all: {algorithm}", ", ".join(f"{price:.3g}" for price in prices))


if __name__ == "__main__":
    main()

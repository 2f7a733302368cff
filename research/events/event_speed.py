"""How fast rows per event are on AMLSim: EventEncoder and snapml's Graph Feature Preprocessor in turn, one thread."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from egonet import EventEncoder
from research.events.amlsim import read_amlsim
from research.events.groups import gfp_preprocessor, gfp_table


def measure_events(spec: dict[str, Any]) -> dict[str, Any]:
    """Return rows per second of processor time, in turn and `repeats` times.

    One event per call is timed on the `most` transfers after the first `warm_up`, a batch on the last `batch` ones;
    what comes before is taken in one call that is not timed.
    """
    transfers, _ = read_amlsim()
    first, last = spec["warm_up"], spec["warm_up"] + spec["most"]
    single = transfers[:first], transfers[first:last]
    batch = transfers[: -spec["batch"]], transfers[-spec["batch"] :]
    cases = _cases(spec, single, batch)
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(spec["repeats"]):
        for name, make in cases.items():
            run = make()
            began = time.process_time()
            run()
            seconds[name].append(time.process_time() - began)
    rows = {name: len(batch[1] if "batch" in name else single[1]) for name in cases}
    speed = [
        {
            "case": name,
            "rows_per_second": round(rows[name] / min(times)),
            "all_runs": [round(rows[name] / each) for each in times],
        }
        for name, times in seconds.items()
    ]
    return {"speed": speed}


#: Transfers that are taken first, and those that are timed.
Parts: TypeAlias = tuple[pd.DataFrame, pd.DataFrame]


def _cases(spec: dict[str, Any], single: Parts, batch: Parts) -> dict[str, Callable[[], Any]]:
    """Return what is timed: name to a function that prepares it and returns what runs."""

    def ours(groups: Any, *, one: bool) -> Callable[[], Any]:
        before, timed = single if one else batch

        def prepare() -> Callable[[], Any]:
            encoder = EventEncoder(
                source="source",
                target="target",
                amount="value",
                windows=(spec["window"],),
                groups=groups,
                cycle_length=spec["cycle_length"],
            ).fit(before)
            if not one:
                return lambda: encoder.partial_fit_transform(timed)
            rows = list(timed[["source", "target", "time", "value"]].itertuples(index=False, name=None))

            def run() -> None:
                for row in rows:
                    encoder.partial_fit_transform([row])

            return run

        return prepare

    def theirs(*, cycles: bool, one: bool) -> Callable[[], Any]:
        before, timed = single if one else batch

        def prepare() -> Callable[[], Any]:
            from snapml import GraphFeaturePreprocessor

            preprocessor = gfp_preprocessor(
                GraphFeaturePreprocessor(), spec["window"], cycles=cycles, amounts=True
            )
            preprocessor.partial_fit(gfp_table(before, "value"))
            table = gfp_table(pd.concat([before, timed], ignore_index=True), "value")[len(before) :]
            if not one:
                return lambda: preprocessor.transform(np.ascontiguousarray(table))

            def run() -> None:
                for row in range(len(table)):
                    preprocessor.transform(table[row : row + 1])

            return run

        return prepare

    plain, cycles = ("ends", "pair", "ego"), ("ends", "pair", "ego", "cycles")
    found = {
        "one event per call": ours(plain, one=True),
        "one event per call, with cycles": ours(cycles, one=True),
        "one batch": ours(plain, one=False),
        "one batch, with cycles": ours(cycles, one=False),
    }
    try:
        import snapml  # noqa: F401
    except ImportError:
        return found
    return found | {
        "GFP, one event per call": theirs(cycles=False, one=True),
        "GFP, one event per call, with cycles": theirs(cycles=True, one=True),
        "GFP, one batch": theirs(cycles=False, one=False),
        "GFP, one batch, with cycles": theirs(cycles=True, one=False),
    }


def measure_memory(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the memory of a long stream."""
    return {"memory": long_stream(spec)}


def long_stream(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is kept, and the memory of the process, while generated events go through one encoder."""
    rng, size = np.random.default_rng(spec["seed"]), spec["batch"]
    encoder = EventEncoder(
        source="source",
        target="target",
        amount="value",
        windows=(spec["long_window"],),
        groups=("ends", "pair"),
    )
    found = []
    for number in range(spec["num_batches"]):
        # Accounts come and go: their numbers move on with time.
        ends = rng.integers(0, spec["accounts"], (size, 2)) + number * spec["accounts"] // 10
        table = pd.DataFrame(ends, columns=["source", "target"])
        table["time"] = np.sort(rng.integers(number * size, (number + 1) * size, size))
        table["value"] = rng.integers(1, 10_000, size) / 100
        encoder.partial_fit_transform(table)
        if (number + 1) % (spec["num_batches"] // 5) == 0:
            history = encoder.history_
            found.append(
                {
                    "events": history.num_events,
                    "kept": history.num_kept,
                    "accounts_kept": history.num_nodes,
                    "process_megabytes": round(resident() / 1e6),
                }
            )
    return found


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    return 0

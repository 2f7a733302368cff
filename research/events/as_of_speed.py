"""How fast rows as of a time are on AMLSim: `python -m research.events.as_of_speed`.

The file is `results/events/as_of_speed.json`.
The features of both accounts as of every transfer, with a window of 30 days, by `TemporalEncoder` on one thread; and
what it takes to encode the transfers of a window again.
"""

import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import egonet
from research.events.amlsim import read_amlsim
from research.paper.results import current_commit

RESULTS = Path("results/events/as_of_speed.json")
WINDOW, REPEATS = 30, 3
#: Windows that are encoded again: those before evenly spaced transfers.
WINDOWS = 20


def encode_again(events: pd.DataFrame, radius: int) -> list[float]:
    """Return the milliseconds that encoding the transfers of a window takes, for some windows, shortest first."""
    found = []
    for moment in events.time.iloc[np.linspace(0, len(events) - 1, WINDOWS + 1).astype(int)[1:]]:
        known = events[(events.time >= moment - WINDOW) & (events.time < moment)][["source", "target"]]
        began = time.process_time()
        egonet.encode(known, radius, directed=False, simplify=True, threads=1)
        found.append(round(1000 * (time.process_time() - began), 1))
    return sorted(found)


def main() -> None:
    """Measure processor time, and write the file."""
    transfers, _ = read_amlsim()
    events = transfers[["source", "target", "time"]]
    asked = pd.DataFrame(
        {
            "node": pd.concat([events.source, events.target], ignore_index=True),
            "time": pd.concat([events.time, events.time], ignore_index=True),
        }
    )
    rows = []
    for radius in (1, 2):
        seconds = []
        for _ in range(REPEATS):
            encoder = egonet.TemporalEncoder(
                events, egonet.Settings(radius), WINDOW, n_jobs=1, sparse_output=True
            )
            began = time.process_time()
            encoder.fit_transform(asked)
            seconds.append(round(time.process_time() - began, 3))
        rate = round(len(events) / min(seconds))
        row: dict[str, Any] = {"radius": radius, "seconds": seconds, "transfers_per_second": rate}
        rows.append(row | {"window_milliseconds": encode_again(events, radius)})
    found: dict[str, Any] = {
        "command": "python -m research.events.as_of_speed",
        "clock": "processor time, one thread",
    }
    found |= {"transfers": len(events), "window": WINDOW, "processor": platform.machine()}
    RESULTS.write_text(json.dumps(found | {"rows": rows, "commit": current_commit()}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Fit models on prepared tasks: `python -m research.today.tabular FOLDER PLAN OUTPUT WORKERS SECONDS COMMIT`.

PLAN is a JSON file: a list of [set, [[model, columns], ...], repeats]. Jobs with a line in OUTPUT are not run again.
"""

import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from research.today.tabular.jobs import read_plan, run_jobs


def main(arguments: list[str]) -> None:
    """Run the jobs of a plan until the seconds are over, and print how many are left."""
    folder, plan, output = map(Path, arguments[:3])
    workers, seconds = int(arguments[3]), float(arguments[4])
    commit = arguments[5] if len(arguments) > 5 else ""
    jobs = list(read_plan(folder, json.loads(plan.read_text())))
    left = run_jobs(jobs, output, workers=workers, seconds=seconds, origin=origin(commit))
    sys.stdout.write(f"{len(jobs)} jobs, {left} left\n")


def origin(commit: str) -> dict[str, Any]:
    """Return versions, processor, date and commit."""
    import numpy

    import sklearn

    return {
        "versions": {
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "hardware": processor(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit,
    }


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    main(sys.argv[1:])

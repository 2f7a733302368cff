"""Train networks on prepared molecules: `python -m experiments.today.molecules DATA PLANS OUTPUT`, no egonet needed.

PLANS is a JSON file: a list of plans, run in order. A plan has the fields of `Plan`, with "shape" as [kind, layers,
width, expand] and "encodings" as {name: seeds}. A plan whose lines are in OUTPUT already is not run again.
"""

import json
import math
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from experiments.today.molecules.padded import Molecules, read_molecules
from experiments.today.molecules.stacked import Shape
from experiments.today.molecules.training import Plan, train


def main(arguments: list[str]) -> None:
    """Run every plan of a file."""
    data_file, plan_file, output = map(Path, arguments[:3])
    commit = arguments[3] if len(arguments) > 3 else ""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    entries = json.loads(plan_file.read_text())
    done = finished(output)
    started = time.time()
    for entry in entries:
        if entry["name"] in done:
            say(f"{entry['name']}: done before")
            continue
        names = tuple(entry["encodings"])
        data = read_molecules(data_file, names, device)
        say(f"{entry['name']}: data ready after {time.time() - started:.1f} s")
        lines = run_plan(entry, data, output)
        with output.open("a") as stream:
            for line in lines:
                stream.write(
                    json.dumps({"plan": entry["name"]} | line | origin(device, commit), sort_keys=True) + "\n"
                )
        summarize(lines)
        del data
        torch._dynamo.reset()


def run_plan(entry: dict[str, Any], data: Molecules, output: Path) -> list[dict[str, Any]]:
    """Return the lines of one plan; its errors on the way go to OUTPUT.progress."""
    shape = Shape(*entry["shape"])
    options = {
        name: value for name, value in entry.items() if name not in ("name", "encodings", "shape", "until")
    }
    replicas = tuple((name, seed) for name, seeds in entry["encodings"].items() for seed in seeds)
    plan = Plan(shape, replicas, **({"epochs": 10**6} | options))
    progress = output.with_suffix(".progress.jsonl")

    def write(line: dict[str, Any]) -> None:
        with progress.open("a") as stream:
            stream.write(json.dumps({"plan": entry["name"]} | line) + "\n")
        if line["epoch"] % 15 == 0 or line["epoch"] < 8:
            say(f"{entry['name']} {line['epoch']}/{line['of']} {line['seconds']} s: {means(line, replicas)}")

    settings = {name: value for name, value in vars(plan).items() if name not in ("shape", "replicas")}
    settings = {name: value for name, value in settings.items() if value != math.inf}
    shown = {"layers": shape.layers, "width": shape.width, "expand": shape.expand, "settings": settings}
    return [line | shown for line in train(plan, data, write)]


def means(line: dict[str, Any], replicas: tuple[tuple[str, int], ...]) -> str:
    """Return the mean training, validation and test error of every encoding."""
    parts = []
    for name in dict.fromkeys(name for name, _ in replicas):
        own = [number for number, (other, _) in enumerate(replicas) if other == name]
        shown = [
            sum(line[part][number] for number in own) / len(own) for part in ("train", "validation", "test")
        ]
        parts.append(f"{name} {shown[0]:.4f} {shown[1]:.4f} {shown[2]:.4f}")
    return "; ".join(parts)


def summarize(lines: list[dict[str, Any]]) -> None:
    """Print the mean test error of every encoding."""
    for name in dict.fromkeys(line["encoding"] for line in lines):
        own = [line["test"] for line in lines if line["encoding"] == name]
        first = next(line for line in lines if line["encoding"] == name)
        mean = sum(own) / len(own)
        spread = (sum((value - mean) ** 2 for value in own) / max(len(own) - 1, 1)) ** 0.5
        say(
            f"RESULT {first['network']} {first['weights']:,} {name}: {mean:.4f} ± {spread:.4f} over {len(own)}, "
            f"{first['epochs']} epochs, {first['seconds_all']} s"
        )


def finished(output: Path) -> set[str]:
    """Return the plans whose lines are in a file."""
    if not output.is_file():
        return set()
    return {json.loads(line)["plan"] for line in output.read_text().splitlines()}


def origin(device: str, commit: str) -> dict[str, Any]:
    """Return versions, hardware, date and commit."""
    return {
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "hardware": torch.cuda.get_device_name() if device == "cuda" else platform.processor() or "cpu",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit,
    }


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])

"""Train networks on prepared molecules: `python -m research.today.molecules FOLDER PLANS OUTPUT COMMIT SAVED`.

PLANS is a JSON file: a list of plans, run in order. A plan has the fields of `Plan`, with "shape" as [kind, layers,
width, expand], "encodings" as {name: seeds}, "set" as the name of a prepared file in FOLDER, and "until" as the seconds
from the start of the program at which it must be done. Every encoding and seed is trained by every recipe. A plan whose
lines are in OUTPUT already is not run again, and one that was killed goes on from the state in the folder SAVED. egonet
is not needed.
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

from research.today.molecules.padded import Molecules, read_molecules
from research.today.molecules.stacked import Shape
from research.today.molecules.training import Plan, train
from research.today.tabular.__main__ import processor
from research.today.tabular.lines import read_lines


def main(arguments: list[str]) -> None:
    """Run every plan of a file."""
    folder, plan_file, output = map(Path, arguments[:3])
    commit = arguments[3] if len(arguments) > 3 else ""
    saved = Path(arguments[4]) if len(arguments) > 4 else output.parent
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    started = time.time()
    for entry in json.loads(plan_file.read_text()):
        if entry["name"] in finished(output):
            say(f"{entry['name']}: done before")
            continue
        try:
            data = read_molecules(folder / f"{entry['set']}.npz", tuple(entry["encodings"]), device)
            say(f"{entry['name']}: data ready after {time.time() - started:.1f} s")
            if "until" in entry:
                entry["seconds"] = entry["until"] - (time.time() - started)
            lines = run_safely(entry, data, output, saved / f"{entry['name']}.pt")
        except (RuntimeError, OSError, ValueError) as error:  # one failed plan must not end the others
            say(f"{entry['name']} failed: {error!r}")
            continue
        with output.open("a") as stream:
            for line in lines:
                about = {"plan": entry["name"], "set": entry["set"]} | line | origin(device, commit)
                stream.write(json.dumps(about, sort_keys=True) + "\n")
        summarize([{"set": entry["set"]} | line for line in lines])
        del data
        torch._dynamo.reset()


def run_safely(entry: dict[str, Any], data: Molecules, output: Path, saved: Path) -> list[dict[str, Any]]:
    """Return the lines of one plan; if its compiled form fails, of the plain one."""
    try:
        return run_plan(entry, data, output, saved)
    except RuntimeError as error:
        if not entry.get("compiled"):
            raise
        say(f"{entry['name']} failed compiled, goes on without: {error!r}"[:2000])
    return run_plan(entry | {"compiled": False}, data, output, saved)


def run_plan(entry: dict[str, Any], data: Molecules, output: Path, saved: Path) -> list[dict[str, Any]]:
    """Return the lines of one plan; its errors on the way go to OUTPUT.progress."""
    shape = Shape(*entry["shape"])
    left_out = ("name", "set", "encodings", "shape", "until")
    options = {name: value for name, value in entry.items() if name not in left_out}
    recipes = entry.get("recipes", {"plain": {}})
    replicas = tuple(
        (name, seed, recipe)
        for name, seeds in entry["encodings"].items()
        for recipe in recipes
        for seed in seeds
    )
    plan = Plan(shape, replicas, **options)
    progress = output.with_suffix(".progress.jsonl")

    def write(line: dict[str, Any]) -> None:
        with progress.open("a") as stream:
            stream.write(json.dumps({"plan": entry["name"]} | line) + "\n")
        if line["epoch"] % 20 == 0 or line["epoch"] < 4:
            say(
                f"{entry['name']} {line['epoch']} {line['share']} {line['seconds']} s: {means(line, replicas)}"
            )

    settings = {name: value for name, value in vars(plan).items() if name not in ("shape", "replicas")}
    settings = {name: value for name, value in settings.items() if value != math.inf}
    shown = {"layers": shape.layers, "width": shape.width, "expand": shape.expand, "settings": settings}
    return [line | shown for line in train(plan, data, write, saved)]


def means(line: dict[str, Any], replicas: tuple[tuple[str, int, str], ...]) -> str:
    """Return the mean training loss, validation and test score of every encoding."""
    parts = []
    for name in dict.fromkeys(name for name, *_ in replicas):
        own = [number for number, (other, *_) in enumerate(replicas) if other == name]
        shown = [
            sum(line[part][number] for number in own) / len(own) for part in ("train", "validation", "test")
        ]
        parts.append(f"{name} {shown[0]:.4f} {shown[1]:.4f} {shown[2]:.4f}")
    return "; ".join(parts)


def summarize(lines: list[dict[str, Any]]) -> None:
    """Print the mean scores of every encoding and recipe."""
    for key in dict.fromkeys((line["encoding"], line["recipe"]) for line in lines):
        own = [line for line in lines if (line["encoding"], line["recipe"]) == key]
        validation, test = (sum(line[part] for line in own) / len(own) for part in ("validation", "test"))
        say(
            f"RESULT {own[0]['set']} {own[0]['network']} {own[0]['weights']:,} {key}: {validation:.4f} {test:.4f} "
            f"over {len(own)}, {own[0]['epochs']} epochs, {own[0]['seconds_all']} s"
        )


def finished(output: Path) -> set[str]:
    """Return the plans whose lines are in a file."""
    return {line["plan"] for line in read_lines(output)}


def origin(device: str, commit: str) -> dict[str, Any]:
    """Return versions, hardware, date and commit."""
    return {
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "hardware": torch.cuda.get_device_name() if device == "cuda" else processor(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit,
    }


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])

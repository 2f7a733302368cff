"""Train networks on prepared sets: `python -m research.today.fullbatch FOLDER PLANS OUTPUT COMMIT SECONDS`.

PLANS is a JSON file: a list of {"set", "design": [kind, layers, width, dropout], "encodings", "seeds"} with the fields
of `Schedule`, run in order. A group of replicas whose lines are in OUTPUT is not run again; no group begins after
SECONDS. egonet is not needed.
"""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from research.today.fullbatch.fitting import Schedule, fit_group, groups
from research.today.fullbatch.networks import Design
from research.today.fullbatch.shared import read_shared
from research.today.molecules.__main__ import origin, say
from research.today.tabular.lines import read_lines


def main(arguments: list[str]) -> None:
    """Run every plan of a file."""
    folder, plans, output = map(Path, arguments[:3])
    commit = arguments[3] if len(arguments) > 3 else ""
    seconds = float(arguments[4]) if len(arguments) > 4 else float("inf")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    started = time.time()
    for entry in json.loads(plans.read_text()):
        try:
            run_plan(entry, folder, output, commit, started + seconds, device)
        except (RuntimeError, OSError, ValueError) as error:  # one failed plan must not end the others
            say(f"{entry['set']} {entry['design'][0]} failed: {error!r}")
        torch._dynamo.reset()
        if device == "cuda":
            torch.cuda.empty_cache()


def run_plan(
    entry: dict[str, Any], folder: Path, output: Path, commit: str, until: float, device: str
) -> None:
    """Train what is missing of one plan."""
    path = folder / f"{entry['set']}.npz"
    if not path.is_file():
        say(f"{entry['set']}: not prepared")
        return
    data = read_shared(path, device)
    design = Design(*entry["design"])
    fields = ("steps", "rate", "decay", "every", "numbers", "compiled")
    schedule = Schedule(**{name: entry[name] for name in fields if name in entry})
    shape = {"layers": design.layers, "width": design.width, "dropout": design.dropout}
    names = [name for name in entry["encodings"] if name == "none" or name in data.encodings]
    done = done_keys(output)
    for replicas in groups(data, design, names, entry.get("seeds", 1), schedule.numbers):
        keys = {(data.tests[0], design.kind, *replica) for replica in replicas}
        if keys <= done:
            continue
        if time.time() > until:
            say(f"{entry['set']} {design.kind}: no time left")
            return
        try:
            lines = fit_group(data, design, schedule, replicas, say)
        except RuntimeError as error:
            if not schedule.compiled:
                raise
            say(f"{entry['set']} {design.kind} failed compiled, goes on without: {error!r}"[:2000])
            schedule = replace(schedule, compiled=False)
            lines = fit_group(data, design, schedule, replicas, say)
        with output.open("a") as stream:
            for line in lines:
                about = line | {"settings": vars(schedule) | shape} | origin(device, commit)
                stream.write(json.dumps(about, sort_keys=True) + "\n")
        summarize(lines)


def summarize(lines: list[dict[str, Any]]) -> None:
    """Print the mean test score of every encoding."""
    for key in dict.fromkeys((line["set"], line["model"], line["columns"]) for line in lines):
        own = [line for line in lines if (line["set"], line["model"], line["columns"]) == key]
        validation, test = (sum(line[part] for line in own) / len(own) for part in ("validation", "test"))
        say(f"RESULT {key}: {validation:.4f} {test:.4f} over {len(own)}")


def done_keys(output: Path) -> set[tuple[Any, ...]]:
    """Return the set, model, encoding, fold and seed of the fits of a file."""
    names = ("set", "model", "columns", "fold", "seed")
    return {tuple(line[name] for name in names) for line in read_lines(output)}


if __name__ == "__main__":
    main(sys.argv[1:])

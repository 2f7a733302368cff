"""The command that runs the experiments on events with direction, amount and time."""

import json
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from egonet.encoding.settings import one_of
from egonet.io.atomic import atomic_path

#: Experiment to the module with its questions.
EXPERIMENTS = {"amlsim": "amlsim", "bitcoin-otc": "ratings", "collegemsg": "messages"}


def events(
    name: Annotated[str, typer.Argument(help="amlsim, bitcoin-otc, collegemsg, or all.", show_default=False)],
    results: Annotated[Path, typer.Option(help="The folder with the results files.")] = Path("results"),
) -> None:
    """Run the experiments on timed events: columns with and without direction, amounts and time."""
    one_of("name", name, (*EXPERIMENTS, "all"))
    for chosen in EXPERIMENTS if name == "all" else (name,):
        found = run_events(chosen)
        path = results / "events" / f"{chosen}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        for line in table_lines(found):
            typer.echo(line)


def run_events(name: str) -> dict[str, Any]:
    """Return the scores of one experiment, with its settings and what it was run with."""
    from experiments.events.evaluate import evaluate, spec_of
    from experiments.paper.results import environment

    spec, began = spec_of(name), time.monotonic()
    questions = import_module(f"experiments.events.{EXPERIMENTS[name]}").questions(spec)
    prepared = time.monotonic() - began
    scores = [asdict(score) for question in questions for score in evaluate(question, spec)]
    seconds = {"columns": round(prepared, 1), "all": round(time.monotonic() - began, 1)}
    return {"spec": spec, "scores": scores, "seconds": seconds, "environment": environment("cpu")}


def table_lines(found: dict[str, Any]) -> list[str]:
    """Return the scores as a Markdown table.

    Examples
    --------
    >>> score = {"question": "fraud", "columns": "raw", "average_precision": 0.5, "low": 0.4, "high": 0.6, "area": 0.9}
    >>> table_lines({"scores": [score]})[2]
    '| fraud | raw | 0.500 [0.400, 0.600] | 0.900 |'
    """
    lines = ["| question | columns | average precision [95 %] | area under the curve |", "|---|---|---|---|"]
    for score in found["scores"]:
        precision = f"{score['average_precision']:.3f} [{score['low']:.3f}, {score['high']:.3f}]"
        lines.append(f"| {score['question']} | {score['columns']} | {precision} | {score['area']:.3f} |")
    return lines

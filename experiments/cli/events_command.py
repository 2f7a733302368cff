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
#: The measurement of speed; it is not part of "all", which scores.
STREAM = "stream"


def events(
    name: Annotated[
        str,
        typer.Argument(
            help="amlsim, bitcoin-otc, collegemsg, or all; stream for the speed of Stream.",
            show_default=False,
        ),
    ],
    results: Annotated[Path, typer.Option(help="The folder with the results files.")] = Path("results"),
) -> None:
    """Run the experiments on timed events: columns with and without direction, amounts and time."""
    one_of("name", name, (*EXPERIMENTS, "all", STREAM))
    for chosen in EXPERIMENTS if name == "all" else (name,):
        found = run_stream() if chosen == STREAM else run_events(chosen)
        path = results / "events" / f"{chosen}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        for line in speed_lines(found) if chosen == STREAM else table_lines(found):
            typer.echo(line)


def run_events(name: str) -> dict[str, Any]:
    """Return the scores of one experiment, with its settings and what it was run with."""
    from experiments.events.evaluate import evaluate, spec_of
    from experiments.paper.results import environment

    spec, began = spec_of(name), time.monotonic()
    module = import_module(f"experiments.events.{EXPERIMENTS[name]}")
    questions = module.questions(spec)
    prepared = time.monotonic() - began
    scores = [asdict(score) for question in questions for score in evaluate(question, spec)]
    seconds = {"columns": round(prepared, 1), "all": round(time.monotonic() - began, 1)}
    leaks = {"leak_checks": module.leak_checks(spec)} if hasattr(module, "leak_checks") else {}
    return {"spec": spec, "scores": scores, **leaks, "seconds": seconds, "environment": environment("cpu")}


def run_stream() -> dict[str, Any]:
    """Return how fast a stream is and what it keeps, with the settings and what it was run with."""
    from experiments.events.evaluate import spec_of
    from experiments.events.stream_speed import measure_stream
    from experiments.paper.results import environment

    spec = spec_of(STREAM)
    return {"spec": spec, **measure_stream(spec), "environment": environment("cpu")}


def speed_lines(found: dict[str, Any]) -> list[str]:
    """Return the speed of a stream as a Markdown table.

    Examples
    --------
    >>> case = {"radius": 1, "per_call": 10, "way": "add, features", "transfers_per_second": 20000}
    >>> speed_lines({"speed": [case]})[2]
    '| 1 | 10 | add, features | 20,000 |'
    """
    lines = ["| radius | transfers per call | each call | transfers per second |", "|---|---|---|---|"]
    for case in found["speed"]:
        lines.append(
            f"| {case['radius']} | {case['per_call']} | {case['way']} | {case['transfers_per_second']:,} |"
        )
    return lines


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

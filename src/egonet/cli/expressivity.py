"""The command `egonet reproduce expressivity`: a table printed as it grows, and saved when done."""

import json
from pathlib import Path
from typing import Annotated

import typer

from egonet.atomic import atomic_path, reserved, writing


def expressivity(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write expressivity.json, .md and .html to.")
    ] = Path("results"),
) -> None:
    """Tell graphs apart by every test: 1-WL, 2-FWL, encodings, the ladder, and other methods."""
    from egonet.experiments import expressivity as experiment
    from egonet.experiments.expressivity_report import to_html, to_markdown

    with writing(output):
        output.mkdir(parents=True, exist_ok=True)

    def show(score: experiment.Score) -> None:
        found = [score.graph8c, score.sr25, score.exp, score.brec_total]
        cells = "".join(f"{'–' if value is None else format(value, ','):>9}" for value in found)
        typer.echo(f"{score.name:<32}{cells}{score.seconds:>9.1f}")

    heads = "".join(f"{head:>9}" for head in ("Graph8c", "SR25", "EXP", "BREC", "seconds"))
    typer.echo(f"{'test':<32}{heads}")
    with reserved(output / "expressivity.json"):
        scores = experiment.run(report=show)
        texts = {
            "json": json.dumps(experiment.as_json(scores), indent=1, ensure_ascii=False) + "\n",
            "md": to_markdown(scores),
            "html": to_html(scores),
        }
        for suffix, text in texts.items():
            with atomic_path(output / f"expressivity.{suffix}") as temporary:
                temporary.write_text(text, encoding="utf-8")
    typer.echo(f"Wrote {output}/expressivity.json, .md and .html.", err=True)
    if scores and scores[0].exp is None:
        typer.echo("EXP and BREC were left out: set EGONET_DATA to the folder that has them.", err=True)

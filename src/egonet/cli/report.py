"""The command `egonet report`: every experiment of a results folder in one page."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from egonet.atomic import reserved


def report(
    results: Annotated[Path, typer.Argument(help="The folder that holds the results.")] = Path("results"),
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write the tables and plots of every experiment in RESULTS as one page, which needs no network."""
    from egonet.experiments.overview import write_overview

    with reserved(output, inputs=results.glob("*.json*")):
        titles = write_overview(results, output)
    typer.echo(f"Wrote {output}: {', '.join(titles)}.", err=True)
    if open_page:
        webbrowser.open(output.resolve().as_uri())

"""The commands `report` and `expressivity`."""

import json
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from egonet.io import atomic_path, reserved, writing


def report(
    results: Annotated[Path, typer.Argument(help="The folder with the results files.")] = Path("results"),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page.", show_default=False)
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write every result in RESULTS as one page, RESULTS/report.html, and the paper's tables as RESULTS/report.md.

    The page loads nothing from elsewhere. With --output only the page is written.
    """
    from research.report.overview import write_overview
    from research.report.tables import write_tables

    page = output or results / "report.html"
    with reserved(page):
        titles = write_overview(results, page)
        if output is None:
            write_tables(results)
    typer.echo(f"Wrote {page}: {', '.join(titles)}.", err=True)
    if open_page:
        webbrowser.open(page.resolve().as_uri())


def expressivity(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for expressivity.json, .md and .html.")
    ] = Path("results"),
) -> None:
    """Compare every test on five graph families: 1-WL, 2-FWL, encodings, the R1-R5 ladder, other methods."""
    from research.expressivity import comparison
    from research.report.expressivity_tables import ladder_plot, to_html, to_markdown

    with writing(output):
        output.mkdir(parents=True, exist_ok=True)

    def show(score: comparison.Score) -> None:
        found = [score.graph8c, score.sr25, score.csl, score.exp, score.brec_total]
        cells = "".join(f"{'–' if value is None else format(value, ','):>9}" for value in found)
        typer.echo(f"{score.name:<32}{cells}{score.seconds:>9.1f}")

    heads = "".join(f"{head:>9}" for head in ("Graph8c", "SR25", "CSL", "EXP", "BREC", "seconds"))
    typer.echo(f"{'test':<32}{heads}")
    with reserved(output / "expressivity.json"):
        scores = comparison.run(report=show)
        texts = {
            "json": json.dumps(comparison.as_json(scores), indent=1, ensure_ascii=False) + "\n",
            "md": to_markdown(scores),
            "html": to_html(scores),
        }
        if scores and scores[0].brec is not None:
            texts["svg"] = ladder_plot(scores)
        for suffix, text in texts.items():
            with atomic_path(output / f"expressivity.{suffix}") as temporary:
                temporary.write_text(text, encoding="utf-8")
    typer.echo(f"Wrote {output}/expressivity.json, .md and .html.", err=True)
    if scores and scores[0].exp is None:
        typer.echo("EXP and BREC were left out: set EGONET_DATA to the folder that has them.", err=True)


def when_it_helps(
    results: Annotated[Path, typer.Argument(help="The folder with the results files.")] = Path("results"),
    docs: Annotated[Path, typer.Option(help="The folder of the documentation.")] = Path("docs"),
) -> None:
    """Write tables and chart of DOCS/research/benchmarks.md, and the table of DOCS/when_it_helps.md."""
    from research.today.page import CHART, PAGE, write_page
    from research.today.short_table import write_short_page

    rows = write_page(results, docs)
    typer.echo(f"Wrote {docs / PAGE} and {docs / CHART}: {len(rows)} sets and models.", err=True)
    typer.echo(f"Wrote {write_short_page(results, docs)}.", err=True)


def audit(
    results: Annotated[Path, typer.Argument(help="The folder with the results files.")] = Path("results"),
) -> None:
    """Print how near the committed numbers are to the paper's, with intervals, and tests with folds as the unit.

    Where the graphs of link prediction are found, also the share of tested edges that the training graph has.
    """
    from egonet.errors import FileError
    from research.report import audit as found

    for sentence in found.audit(results):
        typer.echo(sentence)
    try:
        for sentence in found.link_sentences():
            typer.echo(sentence)
    except FileError as error:
        typer.echo(f"Link prediction was left out: {error}", err=True)


def peers_page(
    results: Annotated[Path, typer.Argument(help="The folder with the results files.")] = Path("results"),
    docs: Annotated[Path, typer.Option(help="The folder of both pages.")] = Path("docs/research"),
) -> None:
    """Write the tables of the paper's peers, trained here, into DOCS/peers.md and Table 2 into DOCS/reproduce.md."""
    from research.report.peer_page import write_peer_page

    written = " and ".join(str(page) for page in write_peer_page(results, docs))
    typer.echo(f"Wrote {written}.", err=True)

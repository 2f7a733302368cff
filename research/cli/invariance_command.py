"""The command `invariance`: whether classes depend on the numbering of nodes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from egonet.io import reserved, writing


def invariance(
    test: Annotated[
        list[str] | None, typer.Option(help="A test, as in results/expressivity.md; the default is all.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for checks.jsonl.")] = Path(
        "results/invariance"
    ),
    copies: Annotated[int, typer.Option(min=1, help="Relabellings of every graph of BREC.")] = 20,
    reliability: Annotated[
        int, typer.Option(min=2, help="Copies of one graph of every pair of BREC: its own check.")
    ] = 64,
    batch: Annotated[
        int, typer.Option(min=1, help="Relabellings in one call; few for slow tests, which are then even.")
    ] = 64,
    random_pairs: Annotated[int, typer.Option(min=8, help="Random isomorphic pairs.")] = 100_000,
) -> None:
    """Compare the classes of relabeled graphs, of BREC and random ones; finished checks are skipped."""
    from research.expressivity.invariance import FILE, Extent, run, write_table

    def show(line: Mapping[str, Any]) -> None:
        found = ", ".join(f"{name} {line[name]}" for name in ("graphs_changed", "nodes_changed"))
        typer.echo(
            f"{line['graphs']:<7}{line['test']:<28}{line['block']:>3}{line['first']:>3}: {found}, {line['seconds']} s"
        )

    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
    with reserved(output / FILE):
        run(output, test or [], Extent(copies, reliability, random_pairs, batch), show)
        typer.echo(f"Wrote {write_table(output)}.", err=True)

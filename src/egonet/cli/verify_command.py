"""The command `egonet verify`: which files of a store are damaged, and which of them were mended."""

from pathlib import Path
from typing import Annotated

import typer

from egonet import store as stores
from egonet.cli.options import AsJson
from egonet.cli.output import print_json


def verify(
    store: Annotated[Path, typer.Argument(help="A folder that egonet encode filled.", show_default=False)],
    graph: Annotated[
        Path | None, typer.Option(help="The file it was made from, in case its graph is damaged.")
    ] = None,
    mend: Annotated[bool, typer.Option(help="Compute again what is damaged, if possible.")] = True,
    as_json: AsJson = False,
) -> None:
    """List the damaged files of STORE and compute them again; exit 1 if damage is left."""
    found = stores.verify(store, graph, repair=mend)
    if as_json:
        print_json({"damaged": found.damaged, "mended": found.repaired})
    else:
        for file in found.damaged:
            typer.echo(f"{file}\t{'mended' if file in found.repaired else 'damaged'}")
        left = len(found.damaged) - len(found.repaired)
        said = f"{left:,} damaged files are left." if left else f"{store} is as it was written."
        typer.echo(said, err=True)
    if not found.is_intact:
        raise typer.Exit(1)

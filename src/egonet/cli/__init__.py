"""The command line: words to calls; it prints, and computes nothing itself."""

from typing import Annotated

import typer

import egonet
from egonet.cli import datasets, embed, encode, expressivity, folders, look, machine, report, reproduce

app = typer.Typer(
    name="egonet",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _print_version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"egonet {egonet.__version__}")
        raise typer.Exit


@app.callback()
def egonet_command(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Exact structural features for every vertex of a graph, from its ego-networks."""


reproduce.app.command()(expressivity.expressivity)
for command in (
    encode.encode,
    embed.embed,
    folders.update,
    look.explain,
    look.explore,
    look.compare,
    machine.demo,
    machine.doctor,
    machine.benchmark,
    report.report,
):
    app.command()(command)
app.add_typer(datasets.app)
app.add_typer(reproduce.app)

"""The command line: words to calls; it prints, and computes nothing itself."""

from typing import Annotated

import typer

import egonet
from egonet.cli import (
    embed_command,
    encode_command,
    inspect_commands,
    moved,
    show_command,
    store_commands,
    system_commands,
    verify_command,
)

app = typer.Typer(
    name="egonet",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
#: What --help of a command shows below its options.
EXAMPLES = {
    "encode": (
        "egonet encode edges.csv -r 1,2 -o features.parquet",
        "egonet encode payments.csv --source payer --target payee --degree-bins log -o features.csv",
        "egonet encode edges.csv --save-graph -o features.npz",
        "egonet encode big.parquet -r 1 -o out/ --memory 2GB",
    ),
    "embed": (
        "egonet embed edges.csv -o vectors.parquet --save model.npz",
        "egonet embed other.csv -o others.parquet --model model.npz",
    ),
    "update": (
        "egonet update out/ --added new.csv --removed gone.csv",
        "egonet update features.npz --added new.csv -o after.npz",
    ),
    "show": (
        "egonet show out/",
        "egonet show out/ alice bob --json",
        "egonet show out/ -o features.parquet",
    ),
    "verify": ("egonet verify out/", "egonet verify out/ --graph edges.csv"),
    "explain": ("egonet explain edges.csv alice", "egonet explain edges.csv alice bob -r 1"),
    "explore": ("egonet explore edges.csv --open", "egonet explore one.csv other.csv -o page.html"),
    "compare": ("egonet compare a.csv b.csv", "egonet compare pair.g6 -r 1 --exit-code"),
    "benchmark": ("egonet benchmark edges.csv -r 2",),
}


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
    """Exact structural features for every node of a graph, from its ego-networks."""


COMMANDS = (
    encode_command.encode,
    embed_command.embed,
    store_commands.update,
    show_command.show,
    verify_command.verify,
    inspect_commands.explain,
    inspect_commands.explore,
    inspect_commands.compare,
    system_commands.demo,
    system_commands.doctor,
    system_commands.benchmark,
)
for command in COMMANDS:
    shown = "\n\n".join(["Examples:", *EXAMPLES[command.__name__]]) if command.__name__ in EXAMPLES else None
    app.command(epilog=shown)(command)
for name in moved.NAMES:
    app.command(name, hidden=True, context_settings=moved.ANYTHING)(moved.moved)

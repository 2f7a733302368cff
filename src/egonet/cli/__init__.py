"""The command line: words to calls; it prints, and computes nothing itself."""

import typer

from egonet.cli import datasets, embed, encode, expressivity, folders, look, machine, report, reproduce

app = typer.Typer(
    name="egonet",
    help="Exact structural features for every vertex of a graph, from its ego-networks.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
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

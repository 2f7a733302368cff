"""The command line of the experiments: `python -m research`."""

import typer

from research.cli import (
    datasets_command,
    events_command,
    invariance_command,
    report_command,
    run_command,
)

app = typer.Typer(
    name="python -m research",
    help="Run the experiments of the paper and report them.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command("list")(run_command.list_tables)
for command in (
    run_command.run,
    run_command.baselines,
    events_command.events,
    report_command.expressivity,
    invariance_command.invariance,
    report_command.report,
    report_command.when_it_helps,
    report_command.audit,
    report_command.peers_page,
):
    app.command()(command)
app.add_typer(datasets_command.app)

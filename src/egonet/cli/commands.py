"""The command `egonet` with its subcommands."""

from typing import Any

import typer

from egonet.cli import (
    compare_command,
    event_commands,
    feature_commands,
    inspect_commands,
    pair_commands,
    store_commands,
    system_commands,
)
from egonet.cli.options import egonet_command
from egonet.cli.output import with_checks

app = typer.Typer(
    name="egonet",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


app.callback(invoke_without_command=True)(egonet_command)
COMMANDS: tuple[Any, ...] = (
    feature_commands.encode,
    feature_commands.embed,
    pair_commands.pairs,
    event_commands.temporal,
    feature_commands.rings,
    store_commands.update,
    inspect_commands.show,
    store_commands.verify,
    inspect_commands.explain,
    inspect_commands.explore,
    compare_command.compare,
    system_commands.demo,
    system_commands.doctor,
    system_commands.benchmark,
)
#: Command to what its --help shows below the options.
EXAMPLES: dict[str, tuple[str, ...]] = {each.__name__: each.examples for each in COMMANDS}
for each in COMMANDS:
    app.command(epilog="\n\n".join(["Examples:", *each.examples]))(with_checks(each))

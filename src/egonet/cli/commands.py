"""The command `egonet` with its subcommands."""

from typing import Any

import typer

from egonet.cli import (
    compare_command,
    event_commands,
    feature_commands,
    inspect_commands,
    link_commands,
    pair_commands,
    role_commands,
    store_commands,
    system_commands,
)
from egonet.cli.options import egonet_command

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
    link_commands.recommend,
    link_commands.links,
    event_commands.temporal,
    event_commands.events,
    feature_commands.rings,
    store_commands.update,
    inspect_commands.show,
    store_commands.verify,
    role_commands.similar,
    role_commands.roles,
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
    app.command(epilog="\n\n".join(["Examples:", *each.examples]))(each)

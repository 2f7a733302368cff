"""The commands that left: typing one says where it went."""

import typer

from egonet.errors import InputError

NAMES = ("reproduce", "datasets", "report")
#: Whatever follows the command is accepted, so that the answer is the same.
ANYTHING = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def moved(context: typer.Context) -> None:
    """Say where the experiments are."""
    raise InputError(
        f"`egonet {context.info_name}` is not part of the package. The experiments run from a clone of the "
        "repository: python -m experiments --help."
    )

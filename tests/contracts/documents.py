"""Commands that a page mentions, and whether a program has them."""

import re
import shlex

import typer


def commands(text, program="egonet"):
    """Yield the arguments of every call of a program in a page, in code blocks and between backticks."""
    blocks = re.findall(r"^```([^`\n]*)\n(.*?)^```", text, re.M | re.S)
    shells = [block for language, block in blocks if language in ("", "sh", "console")]
    lines = [line.split("#")[0].strip().removeprefix("$ ") for block in shells for line in block.splitlines()]
    spans = re.findall(rf"`({program} [^`\n]+)`", text)
    for line in [*lines, *spans]:
        for part in re.split(r"[|&;]\s", line):
            if part.strip().startswith(f"{program} "):
                yield shlex.split(part.strip().removeprefix(program).replace("...", "…"))


def options(command):
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def check_command(app, arguments):
    """Assert that the arguments name a command and options that it has."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and arguments and not arguments[0].startswith("-"):
        assert arguments[0] in command.commands, arguments
        command = command.commands[arguments.pop(0)]
    used = {text.split("=")[0] for text in arguments if re.match(r"--?[a-z]", text)}
    assert used <= options(command) | {"--help", "-h"}, arguments

"""The written pages: commands that exist, with options that exist, and links that lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from egonet.cli.commands import EXAMPLES, app
from experiments.cli import app as experiments_app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Made when the documentation is built.
BUILT = ("gallery/index", "gallery/index.rst")


def commands(text, program="egonet"):
    """Yield the words of every call of a program in a page, in blocks and between backticks."""
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


def test_blocks_and_spans_are_searched_for_commands():
    page = "Say `egonet doctor`.\n```python\n1\n```\n```sh\ncat a | egonet encode a.csv -r 1  # why\n```\n"

    assert list(commands(page)) == [["encode", "a.csv", "-r", "1"], ["doctor"]]


def check(words, app=app):
    """Assert that the words name a command and options that it has."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        assert words[0] in command.commands, words
        command = command.commands[words.pop(0)]
    used = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert used <= options(command) | {"--help", "-h"}, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_of_the_pages_are_commands(page):
    for words in commands(page.read_text("utf-8")):
        check(words)
    for words in commands(page.read_text("utf-8"), "python -m experiments"):
        check(words, experiments_app)


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_examples_of_its_own_command(name):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output

    for example in EXAMPLES[name]:
        assert example in shown
        assert example.startswith(f"egonet {name} ")
        check(shlex.split(example)[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files_that_are_there(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))

    missing = [link for link in links if "://" not in link and link not in BUILT]
    assert [link for link in missing if not (page.parent / link).exists()] == []

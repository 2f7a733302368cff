"""The pages mention only commands and options that exist, and links to files that exist."""

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
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
#: Words of an old dialect: say again, next to, started, entry point, kept, package, positions, raises, buffer, chunk.
DIALECT = (
    r"\b(anew|begun|beside|door|floor|for want of|foretold|held|house|lesson|places|refuse[ds]?|rooms?|serve[ds]|sound"
    r"|stretch(es)?|vert(ex|ices)|neighbours?|colours?|behaviour)\b"
)
#: Written when the documentation is built.
BUILT = ("gallery/index", "gallery/index.rst")
#: Written by commands that the pages describe.
WRITTEN = (".run/manifest.json", "build/docs", "build/site/", "demo/", "dist/", "out/")


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


def test_commands_finds_code_blocks_and_spans():
    page = "Say `egonet doctor`.\n```python\n1\n```\n```sh\ncat a | egonet encode a.csv -r 1  # why\n```\n"

    assert list(commands(page)) == [["encode", "a.csv", "-r", "1"], ["doctor"]]


def check(arguments, app=app):
    """Assert that the arguments name a command and options that it has."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and arguments and not arguments[0].startswith("-"):
        assert arguments[0] in command.commands, arguments
        command = command.commands[arguments.pop(0)]
    used = {text.split("=")[0] for text in arguments if re.match(r"--?[a-z]", text)}
    assert used <= options(command) | {"--help", "-h"}, arguments


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_mention_commands_that_exist(page):
    for arguments in commands(page.read_text("utf-8")):
        check(arguments)
    for arguments in commands(page.read_text("utf-8"), "python -m experiments"):
        check(arguments, experiments_app)


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_examples_of_its_command(name):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output

    for example in EXAMPLES[name]:
        assert example in shown
        assert example.startswith(f"egonet {name} ")
        check(shlex.split(example)[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files_that_exist(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))

    examples = {
        f"gallery/{path.stem}.rst" for path in (ROOT / "examples").glob("*.py")
    }  # pages that are built
    missing = [link for link in links if "://" not in link and link not in {*BUILT, *examples}]
    assert [link for link in missing if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_use_plain_words(page):
    text = re.sub(r"`[^`]*`", "", page.read_text("utf-8"))  # names of options and fields may be anything

    assert re.search(DIALECT, text, re.I) is None


def test_decisions_are_numbered_without_gaps():
    assert [page.name[:4] for page in DECISIONS] == [
        f"{number:04d}" for number in range(1, len(DECISIONS) + 1)
    ]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_four_parts_and_at_most_40_lines(page):
    text = page.read_text("utf-8")

    assert text.startswith(f"# {page.name[:4]} · ")
    assert re.findall(r"^\*\*(Status|Context|Choice|Consequence)\.\*\*", text, re.M) == [
        "Status", "Context", "Choice", "Consequence",
    ]  # fmt: skip
    assert len(text.splitlines()) <= 40


def test_the_index_links_every_decision():
    index = (ROOT / "docs" / "decisions" / "index.md").read_text("utf-8")

    assert sorted(re.findall(r"\]\((0[^)]+)\)", index)) == [page.name for page in DECISIONS]


@pytest.mark.parametrize(
    "page", [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *PAGES], ids=lambda page: page.stem
)
def test_pages_name_files_that_exist(page):
    spans = re.findall(r"`([\w.-]+(?:/[\w.*-]*)+)`", page.read_text("utf-8"))
    names = [span for span in spans if re.search(r"(/|\.(py|md|toml|txt|hpp|cpp|jsonl?|log))$", span)]

    roots = [ROOT, ROOT / "src" / "egonet", page.parent]
    assert [
        name for name in names if name not in WRITTEN and not any([*root.glob(name)] for root in roots)
    ] == []

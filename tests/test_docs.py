"""The pages mention only commands and options that exist, and links to files that exist."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.documents import check_command, commands
from egonet.cli.commands import EXAMPLES, app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
#: Words of an old dialect: say again, next to, started, entry point, kept, package, positions, raises, buffer, chunk.
DIALECT = (
    r"\b(anew|begun|beside|door|floor|for want of|foretold|held|house|lesson|places|refuse[ds]?|rooms?|serve[ds]|sound"
    r"|stretch(es)?|vert(ex|ices)|neighbours?|colours?|behaviour)\b"
)
#: Pages for users, in which these words have no place: they belong in the notebook, docs/research.
USER_PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TUTORIALS = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOK_WORDS = r"\b(goals?|busy|earlier versions?|decided late)\b"
#: Written when the documentation is built.
BUILT = ("gallery/index", "gallery/index.rst")
#: Written by commands that the pages describe.
WRITTEN = (".run/manifest.json", "build/docs", "build/site/", "demo/", "dist/", "out/")


def test_commands_finds_code_blocks_and_spans():
    page = "Say `egonet doctor`.\n```python\n1\n```\n```sh\ncat a | egonet encode a.csv -r 1  # why\n```\n"

    assert list(commands(page)) == [["encode", "a.csv", "-r", "1"], ["doctor"]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_mention_commands_that_exist(page):
    for arguments in commands(page.read_text("utf-8")):
        check_command(app, arguments)


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_examples_of_its_command(name):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output

    for example in EXAMPLES[name]:
        assert example in shown
        assert example.startswith(f"egonet {name} ")
        check_command(app, shlex.split(example)[1:])


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


def test_every_decision_has_its_own_number():
    numbers = [page.name[:4] for page in DECISIONS]

    assert numbers == sorted(set(numbers))
    assert numbers[0] == "0001"


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_four_parts(page):
    text = page.read_text("utf-8")

    assert text.startswith(f"# {page.name[:4]} · ")
    assert re.findall(r"^\*\*(Status|Context|Choice|Consequence)\.\*\*", text, re.M) == [
        "Status", "Context", "Choice", "Consequence",
    ]  # fmt: skip


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


@pytest.mark.parametrize("page", [*USER_PAGES, *TUTORIALS], ids=lambda page: page.stem)
def test_user_pages_have_no_goals_load_or_history(page):
    lines = page.read_text("utf-8").splitlines()
    assert [line for line in lines if re.search(NOTEBOOK_WORDS, line, re.IGNORECASE)] == []


def test_no_page_is_in_two_tables_of_contents():
    entries = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.S):
            lines = [line for line in block.splitlines() if line and not line.startswith(":")]
            names = [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
            entries += [(page.parent / name).resolve() for name in names]

    assert len(entries) > 30
    assert sorted(entries) == sorted(set(entries))


def test_the_page_when_it_helps_fits_one_screen():
    text = (ROOT / "docs" / "when_it_helps.md").read_text("utf-8")
    tables = re.findall(r"^\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)

    assert len(tables) == 1
    assert tables[0].count("\n") <= 12
    assert len(text.split()) < 320  # 770 px at a width of 1280
    assert max(len(cell) for cell in re.sub(r"\(\S+\)", "", tables[0]).split("|")) < 40  # a line per row
    assert "{image}" not in text

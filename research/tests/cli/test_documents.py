"""The pages mention only commands and options of `python -m research` that exist."""

from pathlib import Path

import pytest

from contracts.documents import check_command, commands
from research.cli import app

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "research" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: "_".join(page.relative_to(ROOT).parts))
def test_pages_mention_commands_that_exist(page):
    for arguments in commands(page.read_text("utf-8"), "python -m research"):
        check_command(app, arguments)

"""Every table that a page says a command has written is what the command writes from the committed results."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.parts import need

need("sklearn")
need("rdkit")
need("pandas")
need("matplotlib")
from benchmarks import molecules  # noqa: E402
from research.datasets import overview  # noqa: E402
from research.links.tables import write_tables  # noqa: E402
from research.molecules import fingerprints  # noqa: E402
from research.report.peer_page import write_peer_page  # noqa: E402
from research.today.page import write_page  # noqa: E402
from research.today.short_table import write_short_page  # noqa: E402
from research.transfer import tables  # noqa: E402

ROOT = Path(__file__).parents[2]
RESULTS, DOCS = ROOT / "results", ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS) for path in DOCS.rglob("*.md") if "gallery" not in path.parts)
#: The command in the mark of a table, and what it writes in a folder of pages.
WRITERS: dict[str, Callable[[Path], object]] = {
    "python -m research when-it-helps": lambda docs: (
        write_page(RESULTS, docs),
        write_short_page(RESULTS, docs),
    ),
    "python -m research peers-page": lambda docs: write_peer_page(RESULTS, docs / "research"),
    "python -m research.transfer.tables": lambda docs: tables.write_page(
        tables.read_lines(), docs / "research/transfer.md"
    ),
    "python -m research.links.tables": lambda docs: write_tables(RESULTS, docs),
    "python -m research.datasets.overview --page": lambda docs: overview.write_page(
        docs / "research/reproduce.md"
    ),
    "python -m research.molecules.fingerprints --page": fingerprints.write_page,
    "python -m benchmarks.molecules --page": lambda docs: molecules.write_page(
        docs / "research/performance.md"
    ),
}


def test_every_command_in_the_mark_of_a_table_is_run_here():
    marks = r"<!-- [a-zA-Z -]+: (python -m [^>]+) -->"
    commands = {found for page in PAGES for found in re.findall(marks, (DOCS / page).read_text("utf-8"))}

    assert commands == WRITERS.keys()


@pytest.mark.parametrize("command", WRITERS)
def test_pages_have_what_their_commands_write(command, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs, ignore=shutil.ignore_patterns("*.svg", "gallery", "*.png"))

    WRITERS[command](docs)

    for page in PAGES:
        assert (docs / page).read_text("utf-8") == (DOCS / page).read_text("utf-8"), page

"""The tables of the peers inside two pages of docs/research: peers.md, and Table 2 in reproduce.md."""

from collections.abc import Sequence
from pathlib import Path

from research.report.page import Block, to_markdown
from research.report.peer_tables import peer_blocks
from research.report.tables import quoted_block

PAGE, TABLE_2_PAGE = "peers.md", "reproduce.md"
BEGIN, END = "<!-- written by: python -m research peers-page -->", "<!-- end -->"


def write_peer_page(folder: Path, docs: Path) -> list[Path]:
    """Write the tables between the two marks of both pages, and return the pages."""
    tables = [block for block in peer_blocks(folder) if block.kind != "heading"]
    return [_written(docs / PAGE, tables), _written(docs / TABLE_2_PAGE, [quoted_block(folder)])]


def _written(page: Path, blocks: Sequence[Block]) -> Path:
    """Replace what is between the two marks of a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{to_markdown(blocks).strip()}\n\n{END}{after}", "utf-8")
    return page

"""Draws the picture of the page about the paper from the committed results: `make pictures`."""

from pathlib import Path

from research.report.tables import report_blocks

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Write the first interval plot of the report: Table 1, epoch and radius chosen on validation data."""
    blocks = report_blocks(ROOT / "results")
    plot = next(block.plot for block in blocks if block.kind == "plot" and "validation data" in block.text)
    (ROOT / "docs" / "pictures" / "reproduce.svg").write_text(plot, "utf-8")


if __name__ == "__main__":
    main()

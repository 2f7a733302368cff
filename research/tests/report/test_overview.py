"""The page of everything: what a folder holds is in it, what it lacks is said, and it needs no network."""

import base64
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from egonet.errors import FileError
from research.cli import app
from research.paper.results import Line, append_lines, results_path
from research.report.overview import overview_blocks, write_overview

RESULTS = Path(__file__).parents[3] / "results"
SPEED = {
    "simd": "avx2",
    "results": [
        {
            "graph": "<grid>",
            "num_nodes": 1000,
            "num_edges": 2000,
            "radius": 1,
            "timings": [
                {"name": "egonet auto", "cpu": 0.5, "scale": 1.0},
                {"name": "slow one", "cpu": 20.0, "scale": 100.0},
            ],
        }
    ],
}


def write_speed(folder, found=SPEED):
    (folder / "speed").mkdir()
    (folder / "speed" / "speed.json").write_text(json.dumps(found))


def plots(page):
    """Return the SVG documents of a page."""
    return [
        base64.b64decode(one).decode()
        for one in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    ]


def test_the_committed_results_are_all_in_one_page(tmp_path):
    titles = write_overview(RESULTS, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()

    assert titles[0] == "Table 1: Graph classification"
    assert {"Table 4: Isomorphism", "Link prediction", "What each test distinguishes", "Speed"} <= set(titles)
    assert '<a href="#link-prediction">' in page
    assert '<h2 id="link-prediction">' in page
    assert "<td>total r=1,2</td><td>0</td>" in page
    assert not re.search(r"(src|href)=\"(?!#|data:image/svg\+xml;base64,)|url\(|@import|<script", page)


def test_speed_is_a_multiple_of_our_own(tmp_path):
    write_speed(tmp_path)

    write_overview(tmp_path, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()

    assert "<td>slow one</td><td>20</td><td>40</td><td>a sample, times 100</td>" in page
    (plot,) = plots(page)
    assert "slow one" in plot
    assert "&lt;grid&gt;, radius 1" in plot
    assert "<grid>" not in page + plot
    assert "Not in this folder: the paper&#39;s tables (python -m research run table1); expressivity" in page


def test_link_prediction_alone_makes_a_page(tmp_path):
    options = {"target": "", "form": "total", "radius": 2, "protocol": "paper", "quick": False, "details": {}}
    lines = [
        Line(
            "linkprediction",
            "facebook",
            "egonet",
            seed=seed,
            score=0.5 * seed,
            seconds=1.0,
            environment={},
            **options,
        )
        for seed in (1, 2)
    ]
    append_lines(results_path(tmp_path, "linkprediction", "paper"), lines)

    tables = [block for block in overview_blocks(tmp_path) if block.kind == "table"]

    assert ["facebook", "egonet", "2"] in [list(row[:3]) for block in tables for row in block.rows]


def test_nothing_to_show_says_what_to_run(tmp_path):
    with pytest.raises(FileError, match=r"has no results\. Run: python -m research run table1"):
        overview_blocks(tmp_path)
    with pytest.raises(FileError, match="is not a folder"):
        overview_blocks(tmp_path / "none")


def test_a_damaged_file_is_named(tmp_path):
    write_speed(tmp_path, {"simd": "avx2"})
    with pytest.raises(FileError, match=r"speed\.json lacks entries .* Make it again: make bench"):
        overview_blocks(tmp_path)

    (tmp_path / "speed" / "speed.json").write_text("{")
    with pytest.raises(FileError, match=r"speed\.json is not JSON"):
        overview_blocks(tmp_path)


def test_the_command_writes_the_page_and_says_what_is_in_it(tmp_path):
    write_speed(tmp_path)
    output = tmp_path / "page.html"

    result = CliRunner().invoke(app, ["report", str(tmp_path), "-o", str(output)])

    assert result.exit_code == 0
    assert result.stderr == f"Wrote {output}: Speed.\n"
    assert output.read_text().startswith("<!doctype html>")
    assert not (tmp_path / "report.md").exists()


def test_the_command_writes_the_committed_tables(tmp_path):
    shutil.copytree(RESULTS, tmp_path / "results")
    (tmp_path / "results" / "report.md").unlink()

    result = CliRunner().invoke(app, ["report", str(tmp_path / "results")])

    assert result.exit_code == 0
    assert (tmp_path / "results" / "report.md").read_text() == (RESULTS / "report.md").read_text()


def test_the_same_results_give_the_same_page(tmp_path):
    write_speed(tmp_path)
    for name in ("one.html", "two.html"):
        write_overview(tmp_path, tmp_path / name)

    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


WITHOUT_TORCH = """
import sys

class Refuse:
    def find_spec(self, name, *_):
        if name == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
from research.__main__ import main
main()
"""


def command_without_torch(*options):
    """Run a command where torch cannot be imported."""
    command = [sys.executable, "-c", WITHOUT_TORCH, *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=RESULTS.parent)


def test_reading_results_needs_no_torch(tmp_path):
    listed = command_without_torch("list")
    written = command_without_torch("report", str(RESULTS), "-o", str(tmp_path / "report.html"))

    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.startswith("table1  Graph classification")
    assert written.returncode == 0
    assert "Link prediction" in written.stderr


def test_a_run_without_torch_says_what_to_install():
    run = command_without_torch("run", "table1", "--dry-run")

    assert run.returncode == 2
    assert run.stderr == (
        "research: the experiments need torch. Run: "
        "pip install --group research/pyproject.toml:run --constraint research/constraints.txt\n"
    )

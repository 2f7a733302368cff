"""The pages and examples run as notebooks, and records show themselves as HTML there."""

import re
from pathlib import Path

import pytest

from contracts.parts import need

pytestmark = pytest.mark.long

nbformat, nbclient = need("nbformat", "nbclient"), need("nbclient")
need("ipykernel"), need("pandas")

ROOT = Path(__file__).parent.parent


def run(cells, folder):
    """Return the cells of a notebook after running it in a new process."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    return client.execute().cells


def html_of(cell):
    return "".join(output.data.get("text/html", "") for output in cell.outputs if "data" in output)


def cells_of_page(page):
    """Return the Python blocks of a page as cells; a block that shows an error is left out."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    cells = []
    for block in blocks:
        given = [line for line in block.splitlines() if "doctest: +SKIP" not in line]
        lines = [line[4:] for line in given if line.startswith((">>> ", "... ", "..."))]
        if "Traceback" not in block:
            cells.append("\n".join(lines))
    return cells


def test_records_show_themselves(tmp_path):
    cells = run(
        [
            "import egonet\ngraph = egonet.named.karate_club()\nencoding = egonet.encode(graph, radius=1)\ngraph",
            "encoding",
            "encoding.vocabulary",
            "encoding.settings",
            "egonet.compare(egonet.named.path(4), egonet.named.star(3), radius=1)",
            "egonet.explain_difference(graph, 0, 33, radius=1)",
            "egonet.explain(graph, 0)",
        ],
        tmp_path,
    )

    titles = [
        "Graph",
        "Encoding of 34 nodes",
        "Vocabulary of",
        "Settings(radius=1)",
        "Radius 1 separates the graphs",
    ]
    titles += ["0 and 33 differ", "node 0 is a hub"]
    assert [title in html_of(cell) for title, cell in zip(titles, cells, strict=True)] == [True] * 7


def test_long_work_shows_progress(tmp_path):
    """A clock that has passed two seconds already: the bar of a notebook goes to its stderr."""
    (cell,) = run(
        [
            "import egonet\nfrom egonet import progress as module\nmodule.AUTOMATIC_DELAY = 0\n"
            "graph = egonet.as_graph([(i, j) for i in range(500) for j in range(i)])\n"
            "encoding = egonet.encode(graph, radius=2, threads=1)"
        ],
        tmp_path,
    )

    assert any("encode: " in output.get("text", "") for output in cell.outputs)


@pytest.mark.parametrize("name", ["start", "recipes", "leakage"])
def test_pages_run_as_notebooks(name, tmp_path):
    cells = run(cells_of_page(ROOT / "docs" / f"{name}.md"), tmp_path)

    assert len(cells) > 5


@pytest.mark.parametrize("name", ["changing_graph", "two_molecules"])
def test_examples_run_as_notebooks(need, name, tmp_path):
    need("matplotlib"), need("networkx")
    text = (ROOT / "examples" / f"{name}.py").read_text("utf-8")

    assert run(["%matplotlib agg", *text.split("# %%\n")], tmp_path)

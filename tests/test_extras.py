"""Every missing extra gives its one-line hint, whichever entry point is used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import egonet

SOURCE = str(Path(egonet.__file__).parent.parent)
PATH_OF_THREE = "import egonet; g = egonet.named.path('abc'); e = egonet.encode(g, 1); "
#: The package that is missing, a call that needs it, and the extra that the hint must name.
CALLS = [
    ("pyarrow", "e.to_arrow()", "io"),
    ("pyarrow", "open('g.parquet', 'w').close(); egonet.read_graph('g.parquet')", "io"),
    ("pyarrow", "open('g.arrow', 'w').close(); egonet.read_graph('g.arrow')", "io"),
    ("pyarrow", "from egonet.encoding.export import write_encoding; write_encoding(e, 'f.parquet')", "io"),
    ("pyarrow", "from egonet.encoding.export import write_encoding; write_encoding(e, 'f.arrow')", "io"),
    (
        "pyarrow",
        "from egonet.cli.table_files import write_columns; from pathlib import Path; "
        "write_columns({'node': e.nodes}, Path('v.parquet'))",
        "io",
    ),
    (
        "pyarrow",
        "open('g.parquet', 'w').close(); egonet.store.encode('g.parquet', 's', 1)",
        "io",
    ),
    ("pyarrow", "egonet.store.spark(g, 's', 1)", "spark"),
    ("networkx", "open('g.gml', 'w').close(); egonet.read_graph('g.gml')", "io"),
    ("sklearn", "import egonet.sklearn", "sklearn"),
    ("sklearn", "import egonet.sklearn.embedding", "sklearn"),
    ("joblib", "import egonet.sklearn", "sklearn"),
    ("torch", "e.to_torch()", "torch"),
    ("torch", "import egonet.pyg.nodes", "pyg"),
    ("torch_geometric", "import egonet.pyg.nodes", "pyg"),
    ("igraph", "sys.modules['networkx'] = None; egonet.equivalent(g, g, test='exact')", "iso"),
    ("matplotlib", "e.plot(0)", "plot"),
    ("matplotlib", "egonet.explain(g, 'a', 1).plot()", "plot"),
    ("pyspark", "egonet.store.spark(g, 's', 1)", "spark"),
]
COMMANDS = [
    ("typer", ("doctor",), "cli"),
    ("pyarrow", ("encode", "g.txt", "-o", "f.parquet"), "io"),
    ("pyspark", ("encode", "g.txt", "-o", "s/", "--engine", "spark"), "spark"),
    ("sklearn", ("temporal", "e.csv", "--queries", "q.csv"), "sklearn"),
    ("sklearn", ("events", "e.csv"), "sklearn"),
]


def without(packages, code, folder):
    """Run code in a process that cannot import some packages, given as one text."""
    program = f"import sys; sys.modules |= dict.fromkeys({packages.split()}); {code}"
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("package", "call", "extra"), CALLS)
def test_a_call_without_its_extra_says_which_to_install(tmp_path, package, call, extra):
    done = without(package, PATH_OF_THREE + call, tmp_path)

    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("egonet.errors.MissingExtraError: "), last
    assert last.endswith(f'pip install "egonet[{extra}]".')


def test_a_gpu_without_its_extra_names_both(tmp_path):
    done = without("cupy", PATH_OF_THREE + "egonet.encode(g, 1, device='cuda')", tmp_path)

    assert 'pip install "egonet[cuda]" (CUDA 13) or "egonet[cuda12]"' in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("package", "arguments", "extra"), COMMANDS)
def test_a_command_without_its_extra_says_so_in_one_line(tmp_path, package, arguments, extra):
    (tmp_path / "g.txt").write_text("a b\nb c\n")
    (tmp_path / "e.csv").write_text("source,target,time\na,b,1\n")
    (tmp_path / "q.csv").write_text("node,time\na,2\n")
    done = without(
        package, f"sys.argv[1:] = {list(arguments)!r}; from egonet.cli.main import main; main()", tmp_path
    )

    assert done.returncode == 2
    hint = done.stderr.strip().splitlines()[-1]
    assert hint.startswith("egonet: ")
    assert hint.endswith(f'pip install "egonet[{extra}]".')
    assert "Traceback" not in done.stderr


def test_exact_isomorphism_of_small_graphs_needs_no_extra(tmp_path):
    code = "import egonet; print(egonet.compare(egonet.named.path('abc'), egonet.named.path('xyz')))"

    assert without("igraph", code, tmp_path).returncode == 0


@pytest.mark.parametrize(
    "arguments", [["encode", "g.txt", "-o", "f.csv"], ["explain", "g.txt", "a"], ["demo"]]
)
def test_encoding_and_explaining_need_no_extra_but_that_of_the_command_line(tmp_path, arguments):
    (tmp_path / "g.txt").write_text("a b\nb c\n")
    program = f"sys.argv[1:] = {arguments}; from egonet.cli.main import main; main()"

    done = without("sklearn joblib torch matplotlib networkx jinja2", program, tmp_path)

    assert done.returncode == 0, done.stderr

"""Every example runs from top to bottom and shows what its text says."""

import ast
import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest

from egonet.errors import IgnoredInputWarning

EXAMPLES = Path(__file__).parent.parent / "examples"
SCORED = {"payments", "molecules", "gin_with_encoding", "airport_roles", "unseen_graph"}
SCORED |= {"predict_links", "larger_than_memory"}
#: The examples that read a data set; all others make their data.
WITH_DATA = {"airport_roles": "airports"}
SHORT = {path.stem for path in EXAMPLES.glob("*.py")} - SCORED

pytestmark = pytest.mark.filterwarnings(
    "ignore:`torch.jit.script` is deprecated:DeprecationWarning"  # importing torch_geometric.nn calls it
)


def run(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


@pytest.mark.parametrize("name", sorted(SCORED | SHORT))
def test_every_example_starts_with_a_title_and_has_cells(name):
    """The gallery needs a docstring with an underlined title, and cells."""
    text = (EXAMPLES / f"{name}.py").read_text()
    lines = text.splitlines()

    assert lines[0] == '"""'
    assert lines[2] == "=" * len(lines[1])
    assert "\n# %%\n" in text


#: The distributions of modules whose names differ.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "torch_geometric": "torch-geometric"}


def declared_packages(requirements):
    """Return the names of packages in requirements."""
    return {re.split(r"[ \[<>=;]", text, maxsplit=1)[0] for text in requirements}


def imported_packages(tree):
    """Return the names of the distributions that a program imports, without egonet and Python's own."""
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported = {module.partition(".")[0] for module in modules} - set(sys.stdlib_module_names) - {"egonet"}
    return {DISTRIBUTIONS.get(module, module) for module in imported}


@pytest.mark.parametrize("name", sorted(SCORED | SHORT))
def test_the_install_line_of_an_example_has_every_package_it_imports(name):
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text())
    project = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text())["project"]

    lines = re.findall(r"^Install: `pip install (.*)`$", ast.get_docstring(tree), re.M)
    assert len(lines) == 1
    named = declared_packages(project["dependencies"])
    for word in lines[0].replace('"', "").split():
        extra = re.fullmatch(r"\.(?:\[(.*)\])?", word)
        if extra is None:
            named.add(word)
        elif extra[1]:
            for each in extra[1].split(","):
                named |= declared_packages(project["optional-dependencies"][each])

    assert imported_packages(tree) <= named


@pytest.mark.parametrize("name", sorted((SCORED | SHORT) - WITH_DATA.keys()))
def test_the_extra_docs_has_every_package_that_an_example_imports(name):
    """The documentation runs the examples that make their data."""
    project = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]

    wanted = [*project["dependencies"], *extras["docs"]]
    own = [text for text in wanted if text.startswith("egonet[")]
    for each in re.findall(r"\w+", ",".join(text.removeprefix("egonet") for text in own)):
        wanted += extras[each]
    assert imported_packages(ast.parse((EXAMPLES / f"{name}.py").read_text())) <= declared_packages(wanted)


@pytest.mark.parametrize("name", sorted(SHORT))
def test_short_examples_run(need, monkeypatch, tmp_path, name):
    for package in ("pandas", "sklearn", "torch_geometric", "networkx"):
        need(package)
    need("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)

    assert run(name)


def test_rows_per_payment_find_fraud_that_amounts_do_not_show(need, capsys):
    """The text of the example says so; if this changes, the text must."""
    need("pandas"), need("sklearn")

    with pytest.warns(IgnoredInputWarning, match="1 row with a missing value is left out"):
        found = run("payments")
    scores = found["scores"]

    assert scores["amount"] < 0.1
    assert scores["ends"] > 0.5
    assert scores["ends + pair + ego + cycles"] > 0.5
    assert found["alerts"].fraud.mean() > 0.8
    assert found["unchanged"]


def test_neighbors_of_atoms_transfer_to_unseen_rings(need, capsys):
    """The text of the example says so; if this changes, the text must."""
    need("sklearn"), need("rdkit")

    scores = run("molecules")["scores"]

    assert scores["radius 1"] < 0.3 * min(scores["radius 0"], scores["the mean"])
    assert scores["radius 2"] < scores["radius 1"]
    assert "4,096 columns" in capsys.readouterr().out


def test_links_are_predicted_better_than_by_common_neighbors(need):
    need("sklearn"), need("networkx")

    found = run("predict_links")

    parts = found["parts"]
    hidden = {tuple(sorted(pair)) for pair in parts.test.pairs[parts.test.labels].tolist()}
    assert hidden
    assert not hidden & {tuple(sorted(pair)) for pair in parts.graph.edges().tolist()}
    areas = found["areas"]
    assert areas["common neighbors"] < areas["Adamic-Adar"] < areas["egonet, no training"]
    assert areas["Adamic-Adar"] < areas["egonet, trained"]


@pytest.mark.parametrize("name", sorted(SCORED | SHORT))
def test_only_examples_with_a_line_about_their_data_read_data(name):
    text = (EXAMPLES / f"{name}.py").read_text()

    assert ("EGONET_DATA" in text) == (name in WITH_DATA)
    if name in WITH_DATA:
        line = f"python -m research datasets fetch {WITH_DATA[name]} --folder data"
        assert text.count(line) == 2  # in its text, and in the error if the data are missing


def test_a_store_is_updated_exactly(capsys):
    assert run("larger_than_memory")["same"]
    assert "49,972 nodes, 261 columns" in capsys.readouterr().out


def test_a_network_learns_triangles_only_with_the_encoding(need, monkeypatch):
    need("torch_geometric", "torch-geometric")
    need("torch").set_num_threads(1)  # tests run in parallel
    monkeypatch.setenv("EGONET_EPOCHS", "25")

    scores = run("gin_with_encoding")["scores"]

    assert scores["GIN"] < 0.65
    assert scores["GIN with the encoding"] > 0.95


@pytest.mark.long
def test_ego_networks_are_better_than_degree_on_airports_of_the_usa(need, data_folder, monkeypatch):
    need("sklearn")
    monkeypatch.setenv("EGONET_REPEATS", "1")
    monkeypatch.setenv("EGONET_COUNTRIES", "usa")

    scores = run("airport_roles")["scores"]

    assert scores["usa", "majority"] < 0.3 < scores["usa", "degree"] < 0.6 < scores["usa", "radii 1 and 2"]


def test_vectors_transfer_to_an_unseen_graph(need, capsys):
    need("sklearn")
    need("torch").set_num_threads(1)  # tests run in parallel

    scores = run("unseen_graph")["scores"]

    assert scores["majority"] == 0.375  # 3 of the 8 nodes of a house are road
    assert scores["majority"] < scores["degree"] < 0.6
    assert scores["encoding"] > 0.95
    assert scores["vectors"] > 0.9
    assert "is a roof; nearest in the first town: a roof" in capsys.readouterr().out


def test_two_molecules_have_no_class_in_common_at_radius_2(need, monkeypatch):
    need("matplotlib").use("agg")
    from matplotlib import pyplot

    sides = run("two_molecules")["sides"]
    pyplot.close("all")

    assert sides == [{0, 1, 2}, {3, 4, 5}]


def test_a_changed_graph_is_encoded_as_from_scratch(capsys):
    assert run("changing_graph")["same"]
    assert capsys.readouterr().out.startswith("4 of 34 members have other features: [0, 16, 25, 31]")


def test_the_explorer_opens_with_the_settings_of_the_encoding():
    found = run("explorer")

    assert found["pair"].title == "decalin and bicyclopentyl · egonet"
    assert '"radius":2' in found["club"].html


def test_an_error_names_missing_data(need, monkeypatch, tmp_path):
    need("sklearn")
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))

    with pytest.raises(
        SystemExit, match=r"This example reads usa-airports\.edgelist and other files in .* Set EGONET_DATA"
    ):
        run("airport_roles")

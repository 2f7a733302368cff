"""Every example runs from top to bottom, and shows what its text says it shows."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
TESTED = {"fraud_features", "mutag_pipeline", "gin_with_encoding", "airport_roles"}

pytestmark = pytest.mark.filterwarnings(
    "ignore:`torch.jit.script` is deprecated:DeprecationWarning"  # importing torch_geometric.nn calls it
)


def run(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == TESTED


@pytest.mark.parametrize("name", sorted(TESTED))
def test_every_example_starts_with_a_title_and_has_cells(name):
    """The form that the gallery needs: a docstring with an underlined title, and cells."""
    text = (EXAMPLES / f"{name}.py").read_text()
    lines = text.splitlines()

    assert lines[0] == '"""'
    assert lines[2] == "=" * len(lines[1])
    assert text.count("\n# %%\n") >= 3


def test_payments_to_gradient_boosting(need, capsys):
    need("pandas"), need("sklearn")

    scores = run("fraud_features")["scores"]

    assert scores["counts and amounts"] < 0.3 < scores["ego-networks"]
    assert "differ in" in capsys.readouterr().out


def test_molecules_in_a_pipeline(need, data_folder, monkeypatch):
    need("sklearn")
    monkeypatch.setenv("EGONET_REPEATS", "1")

    scores = run("mutag_pipeline")["scores"]

    assert round(scores["majority"], 2) == 0.66
    assert scores["encoding, radius 2, labelled"] > scores["number of atoms"] > scores["majority"]


def test_a_network_with_and_without_the_encoding(need, monkeypatch):
    need("torch_geometric", "torch-geometric")
    monkeypatch.setenv("EGONET_EPOCHS", "25")

    scores = run("gin_with_encoding")["scores"]

    assert scores["GIN"] < 0.65
    assert scores["GIN with the encoding"] > 0.95


def test_roles_of_airports(need, data_folder, monkeypatch):
    need("sklearn")
    monkeypatch.setenv("EGONET_REPEATS", "1")
    monkeypatch.setenv("EGONET_COUNTRIES", "usa")

    scores = run("airport_roles")["scores"]

    assert scores["usa", "majority"] < 0.3 < scores["usa", "degree"] < 0.6 < scores["usa", "radii 1 and 2"]


@pytest.mark.parametrize(
    ("name", "wanted"), [("mutag_pipeline", "MUTAG_A.txt"), ("airport_roles", "usa-airports.edgelist")]
)
def test_missing_data_is_named(need, monkeypatch, tmp_path, name, wanted):
    need("sklearn")
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))

    with pytest.raises(
        SystemExit, match=f"This example reads {wanted} and its fellows in .* Set EGONET_DATA"
    ):
        run(name)

"""Every example runs from top to bottom and shows what its text says."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCORED = {"payments", "mutag_pipeline", "gin_with_encoding", "airport_roles", "unseen_graph"}
SCORED |= {"zinc_molecules", "predict_links", "larger_than_memory", "roles_across_graphs"}
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


@pytest.mark.parametrize("name", sorted(SHORT))
def test_short_examples_run(need, monkeypatch, tmp_path, name):
    for package in ("pandas", "sklearn", "torch_geometric", "networkx"):
        need(package)
    need("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)

    assert run(name)


@pytest.mark.long
def test_structure_adds_nothing_that_shows_to_payments_and_ratings(need, data_folder, capsys):
    """The text of the example says so; if this changes, the text must."""
    need("pandas"), need("sklearn")

    found = run("payments")
    scores, ratings = found["scores"], found["rating_scores"]

    assert ratings["guessing"] < 0.2
    assert ratings["degree"] < 0.3
    assert ratings["degree, direction and sign"] > 0.6
    assert abs(ratings["the same + ego"] - ratings["degree, direction and sign"]) < 0.04
    assert scores["guessing"] < 0.06
    assert scores["raw"] > 0.85
    assert abs(scores["raw + degree + ego"] - scores["raw"]) < 0.03
    assert abs(scores["raw + degree"] - scores["raw"]) < 0.04
    assert "test: 30,209 payments, 1,455 of them fraud" in capsys.readouterr().out


def test_larger_radii_lower_the_error_on_molecules(need, data_folder, capsys):
    need("sklearn"), need("torch_geometric", "torch-geometric")

    scores = run("zinc_molecules")["scores"]

    assert scores["the mean"] > 1.5
    assert 0.7 * scores["atoms and degrees"] < scores["radii 1, 2 and 3"] < 0.75 * scores["atoms and degrees"]
    assert abs(scores["radius 1"] - scores["atoms and degrees"]) < 0.01
    assert "the first molecule: (29, 16)" in capsys.readouterr().out


def test_pair_encodings_are_better_than_common_friends(need, data_folder):
    need("sklearn"), need("networkx")

    found = run("predict_links")

    hidden = {tuple(sorted(pair)) for pair in found["pairs"][found["is_edge"]].tolist()}
    known = {tuple(sorted(pair)) for pair in found["graph"].edges().tolist()}
    assert hidden
    assert not hidden & known
    scores = found["scores"]
    assert scores["common friends"] < scores["Adamic-Adar"] < 0.99 < scores["pairs, linear"]
    assert scores["pairs, boosting"] > 0.99


def test_a_store_is_updated_exactly(capsys):
    assert run("larger_than_memory")["same"]
    assert "49,972 nodes, 261 columns" in capsys.readouterr().out


@pytest.mark.long
def test_labeled_encoding_is_better_than_the_number_of_atoms(need, data_folder, monkeypatch):
    need("sklearn")
    monkeypatch.setenv("EGONET_REPEATS", "1")

    scores = run("mutag_pipeline")["scores"]

    assert round(scores["majority"], 2) == 0.66
    assert scores["encoding, radius 2, labeled"] > scores["number of atoms"] > scores["majority"]


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


@pytest.mark.long
def test_roles_transfer_to_france_and_not_to_england(need, data_folder, capsys):
    """The text of the example says so; if this changes, the text must."""
    need("pandas"), need("sklearn"), need("matplotlib").use("agg")
    from matplotlib import pyplot

    scores = run("roles_across_graphs")["scores"]
    pyplot.close("all")

    assert scores["FR", "radii 1 and 2"] > scores["FR", "degree"] + 0.01
    for country in ("europe", "brazil", "ENGB", "RU"):
        assert scores[country, "radii 1 and 2"] < scores[country, "degree"] - 0.02
    assert scores["europe", "degree"] > 0.4  # a guess is right in a quarter of the cases
    assert "twitch, DE to FR: 9,498 and 6,549 nodes, mean degree 32 and 34" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("mutag_pipeline", "MUTAG_A.txt"),
        ("airport_roles", "usa-airports.edgelist"),
        ("payments", "amlsim/transactions.csv.gz"),
        ("zinc_molecules", "zinc12k_train.npz"),
        ("predict_links", "Facebook.edgelist"),
        ("roles_across_graphs", "airports/usa-airports.edgelist"),
    ],
)
def test_an_error_names_missing_data(need, monkeypatch, tmp_path, name, wanted):
    need("sklearn")
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))

    with pytest.raises(
        SystemExit, match=f"This example reads {wanted} and other files in .* Set EGONET_DATA"
    ):
        run(name)

"""Transforms are saved and loaded with their columns and options, and work without a data set."""

import json

import pytest

import egonet
from contracts.parts import need
from egonet.errors import FileError, InputError, MissingFileError

torch = need("torch")
need("torch_geometric", "torch-geometric")

from torch_geometric.data import Data, HeteroData  # noqa: E402

from egonet.pyg import AddEgoEncoding, AddMoleculeEncoding, AddPairEncoding  # noqa: E402
from egonet.pyg.edges import AddEdgeEncoding  # noqa: E402


def triangle_with_tail(**attributes):
    ends = torch.tensor([[0, 1], [1, 2], [2, 0], [2, 3]]).t()
    return Data(edge_index=torch.cat([ends, ends.flip(0)], dim=1), num_nodes=4, **attributes)


def test_without_arguments_the_columns_are_log_bins_of_radius_2():
    transform = AddEgoEncoding()

    assert transform.vocabulary.settings == egonet.Settings(2, degree_bins="log", max_degree=2**16 - 1)
    row = dict(
        zip(
            transform.vocabulary.feature_names,
            transform(triangle_with_tail()).ego_encoding[3].tolist(),
            strict=True,
        )
    )
    assert {name: count for name, count in row.items() if count} == {
        "r2_d0_deg1": 1, "r2_d1_deg2to3": 1, "r2_d2_deg2to3": 2,
    }  # fmt: skip


def test_a_radius_alone_gives_log_bins_and_a_record_does_too():
    expected = repr(AddEgoEncoding(radius=1, degree_bins="log"))  # has a digest of the columns

    assert repr(AddEgoEncoding(1)) == expected
    assert repr(AddEgoEncoding(egonet.Settings(1))) == expected


def test_max_degree_alone_keeps_the_columns_of_the_paper():
    assert AddEgoEncoding(1, max_degree=2).vocabulary.settings.degree_bins is None


@pytest.mark.parametrize("degrees", ["layered", "full", "in_out"])
def test_other_degrees_need_a_choice(degrees):
    with pytest.raises(InputError, match="every graph must get the same columns"):
        AddEgoEncoding(degrees=degrees)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"attr_name": None, "weighting": "log", "unseen": "ignore", "directed": False},
        {"sparse": True, "degrees": "full"},
        {"labels": "kind"},
        {"edge_labels": "bond", "labels": "kind"},
        {"degrees": "in_out"},
    ],
)
def test_a_loaded_transform_gives_the_same_rows(tmp_path, options):
    data = triangle_with_tail(kind=torch.tensor([0, 1, 0, 1]), bond=torch.tensor([1, 2, 1, 2] * 2))
    transform = AddEgoEncoding.from_dataset([data], radius=1, **options)
    transform.save(tmp_path / "transform.json")

    loaded = AddEgoEncoding.load(tmp_path / "transform.json")

    assert repr(loaded) == repr(transform)
    name = transform.attr_name or "x"
    assert torch.equal(
        torch.Tensor.to_dense(loaded(data)[name]), torch.Tensor.to_dense(transform(data)[name])
    )


def test_types_of_hetero_data_are_saved(tmp_path):
    data = HeteroData()
    data["user"].num_nodes, data["item"].num_nodes = 2, 2
    data["user", "buys", "item"].edge_index = torch.tensor([[0, 0, 1], [0, 1, 1]])
    transform = AddEgoEncoding.from_dataset([data], radius=1, types=True, directed=False)
    transform.save(tmp_path / "transform.json")

    loaded = AddEgoEncoding.load(tmp_path / "transform.json")

    assert torch.equal(loaded(data)["item"].ego_encoding, transform(data)["item"].ego_encoding)


@pytest.mark.parametrize("kind", [AddPairEncoding, AddEdgeEncoding])
@pytest.mark.parametrize(
    "options", [{"radius": (1, 2)}, {"degree_bins": None, "max_degree": 2, "ordered": True}]
)
def test_transforms_of_pairs_and_edges_are_saved(tmp_path, kind, options):
    data = triangle_with_tail(edge_label_index=torch.tensor([[0, 1], [3, 2]]))
    transform = kind(weighting="log", **options)
    transform.save(tmp_path / "transform.json")

    loaded = kind.load(tmp_path / "transform.json")

    assert torch.equal(loaded(data)[loaded.attr_name], transform(data)[transform.attr_name])


def test_columns_learned_from_pairs_are_saved(tmp_path):
    data = triangle_with_tail(
        edge_label_index=torch.tensor([[0, 1], [3, 2]]), kind=torch.tensor([0, 1, 0, 1])
    )
    transform = AddPairEncoding.from_data(data, labels="kind", without_edge=False, degree_bins=None)
    transform.save(tmp_path / "transform.json")

    assert torch.equal(
        AddPairEncoding.load(tmp_path / "transform.json")(data).pair_encoding, transform(data).pair_encoding
    )


def test_a_saved_transform_is_a_vocabulary_too(tmp_path):
    transform = AddEgoEncoding(1)
    transform.save(tmp_path / "transform.json")

    saved = egonet.Vocabulary.load(tmp_path / "transform.json")
    assert saved.columns == transform.vocabulary.columns
    assert egonet.encode([(0, 1)], vocabulary=tmp_path / "transform.json").shape == (2, 34)


def test_the_transform_of_molecules_is_saved(tmp_path):
    data = triangle_with_tail()
    transform = AddMoleculeEncoding(walk_length=3, longest=4, atom_attr="walks", bond_attr="edge_attr")
    transform.save(tmp_path / "transform.json")

    loaded = AddMoleculeEncoding.load(tmp_path / "transform.json", threads=2)

    assert (repr(loaded), loaded.threads) == (repr(transform), 2)
    assert torch.equal(loaded(data).walks, transform(data).walks)
    assert torch.equal(loaded(data).edge_attr, transform(data).edge_attr)


def test_files_that_are_no_transform_of_molecules_raise(tmp_path):
    AddMoleculeEncoding().save(tmp_path / "molecules.json")
    AddEgoEncoding(1).save(tmp_path / "nodes.json")
    damaged = (
        (tmp_path / "molecules.json").read_text("utf-8").replace('"walk_length": 20', '"walk_length": -1')
    )
    (tmp_path / "damaged.json").write_text(damaged, "utf-8")
    (tmp_path / "newer.json").write_text(damaged.replace("transform 1", "transform 2"), "utf-8")
    (tmp_path / "text.json").write_text("[1", "utf-8")

    with pytest.raises(MissingFileError, match="there is no file"):
        AddMoleculeEncoding.load(tmp_path / "none.json")
    with pytest.raises(FileError, match=r"nodes.json must have .* Use AddEgoEncoding.load"):
        AddMoleculeEncoding.load(tmp_path / "nodes.json")
    with pytest.raises(FileError, match=r"molecules.json is a transform .*AddMoleculeEncoding\.load\.$"):
        AddEgoEncoding.load(tmp_path / "molecules.json")
    with pytest.raises(FileError, match=r"newer.json .*transform 2"):
        AddMoleculeEncoding.load(tmp_path / "newer.json")
    for name in ("damaged.json", "text.json"):
        with pytest.raises(
            FileError, match=f"{name} is not a transform that AddMoleculeEncoding saved, or is damaged"
        ):
            AddMoleculeEncoding.load(tmp_path / name)


def test_a_vocabulary_is_no_transform(tmp_path):
    AddEgoEncoding(1).vocabulary.save(tmp_path / "columns.json")

    with pytest.raises(FileError, match=r"has columns and no transform.* Use AddEgoEncoding\(vocabulary="):
        AddEgoEncoding.load(tmp_path / "columns.json")


def test_a_file_of_another_transform_raises(tmp_path):
    AddPairEncoding(1).save(tmp_path / "transform.json")

    with pytest.raises(
        FileError, match="must have a transform of AddEgoEncoding, got one of AddPairEncoding"
    ):
        AddEgoEncoding.load(tmp_path / "transform.json")


def test_a_changed_file_raises(tmp_path):
    AddEgoEncoding(1).save(tmp_path / "transform.json")
    content = json.loads((tmp_path / "transform.json").read_text())
    content["transform"][1]["weighting"] = "log"
    (tmp_path / "transform.json").write_text(json.dumps(content))

    with pytest.raises(FileError, match="damaged"):
        AddEgoEncoding.load(tmp_path / "transform.json")


def test_a_missing_file_raises(tmp_path):
    with pytest.raises(MissingFileError, match="there is no file"):
        AddEgoEncoding.load(tmp_path / "nothing.json")


def test_a_transform_of_edges_is_loaded_with_the_types_of_a_heterogeneous_graph(tmp_path):
    data = HeteroData()
    data["account"].num_nodes = data["shop"].num_nodes = 2
    data["account", "pays", "shop"].edge_index = torch.tensor([[0, 1], [0, 1]])
    data["shop", "refunds", "account"].edge_index = torch.tensor([[0], [1]])
    transform = AddEdgeEncoding.from_dataset([data], 1, types=True)
    transform.save(tmp_path / "edges.json")

    again = AddEdgeEncoding.load(tmp_path / "edges.json", threads=2)

    assert again.threads == 2
    for kind in data.edge_types:
        assert torch.equal(again(data)[kind].edge_encoding, transform(data)[kind].edge_encoding)


@pytest.mark.parametrize("old", ['"walk_length": 20', '"AddMoleculeEncoding"', '"atom_encoding"'])
def test_a_changed_character_in_the_options_of_a_transform_is_noticed(tmp_path, old):
    AddMoleculeEncoding().save(tmp_path / "molecules.json")
    text = (tmp_path / "molecules.json").read_text("utf-8")
    (tmp_path / "molecules.json").write_text(text.replace(old, old[:-2] + "6" + old[-1:]), "utf-8")

    with pytest.raises(FileError, match=r"not a transform that AddMoleculeEncoding saved, or is damaged\.$"):
        AddMoleculeEncoding.load(tmp_path / "molecules.json")


def test_a_kind_of_transform_with_control_characters_is_damage(tmp_path):
    (tmp_path / "other.json").write_text('{"format": "x", "transform": ["a\\u001b[31m", {}]}', "utf-8")

    with pytest.raises(FileError, match=r"or is damaged\.$"):
        AddMoleculeEncoding.load(tmp_path / "other.json")


@pytest.mark.parametrize("text", ["[1]", "7", '"x"', "null", "[" * 100_000])
def test_json_of_another_shape_is_no_transform(tmp_path, text):
    (tmp_path / "other.json").write_text(text, "utf-8")

    with pytest.raises(FileError, match=r"or is damaged\.$"):
        AddMoleculeEncoding.load(tmp_path / "other.json")

"""Vocabularies in files, and every record in notebooks."""

import json

import numpy as np
import pytest

import egonet
from egonet import Vocabulary, encode, named
from egonet.errors import FileError, InputError


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({}, None),
        ({"radius": (1, 2), "degrees": "full"}, None),
        ({"degree_bins": "log", "max_degree": 9}, None),
        ({}, ["C", 7] * 17),
    ],
)
def test_columns_come_back(tmp_path, options, labels):
    encoding = encode(named.karate_club(), **options, labels=labels)

    encoding.vocabulary.save(tmp_path / "columns.json")
    loaded = Vocabulary.load(tmp_path / "columns.json")

    assert loaded.settings == encoding.settings
    assert loaded.columns == encoding.columns
    again = encode(named.karate_club(), vocabulary=loaded, labels=labels)
    assert (again.matrix != encoding.matrix).nnz == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "\x00",
        '{"format": "egonet vocabulary 1", "settings": {"radius": [1]}, "keys": [[1, 2]]}',
    ],
)
def test_damaged_files_are_one_sentence(tmp_path, text):
    (tmp_path / "columns.json").write_text(text)

    with pytest.raises(
        FileError, match=r"columns\.json is not a vocabulary that egonet saved, or is damaged\."
    ):
        Vocabulary.load(tmp_path / "columns.json")


def test_files_with_other_keys_are_damaged(tmp_path):
    encode(named.path("abc"), 1).vocabulary.save(tmp_path / "columns.json")
    good = json.loads((tmp_path / "columns.json").read_text())
    del good["checksum"]  # like the first files: only the values tell

    for bad in (
        {"keys": [[1, -1, 0]]},
        {"keys": [[2, 0, 0]]},
        {"format": "other"},
        {"settings": {"radiuss": 1}},
        {"settings": good["settings"] | {"common": True}},
        {"settings": good["settings"] | {"frontier_edges": "x"}},
        {"settings": good["settings"] | {"labels": "xy"}, "keys": [[1, 0, 1, 0]]},
        {"settings": good["settings"] | {"edge_labels": [1.5]}, "keys": [[1, 0, 1, 0]]},
    ):
        (tmp_path / "columns.json").write_text(json.dumps(good | bad))
        with pytest.raises(FileError, match="not a vocabulary"):
            Vocabulary.load(tmp_path / "columns.json")
    with pytest.raises(FileError, match="there is no file"):
        Vocabulary.load(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    "settings", [{"common": True}, {"rooted": "edge"}, {"rooted": "refined", "depth": 2}]
)
def test_histograms_are_saved_as_text_and_read_back(tmp_path, settings):
    learned = encode(named.cycle(4), 1, **settings)
    learned.vocabulary.save(tmp_path / "columns.json")

    again = encode(named.cycle(4), vocabulary=tmp_path / "columns.json")

    assert Vocabulary.load(tmp_path / "columns.json").columns == learned.columns
    assert np.array_equal(np.asarray(again), np.asarray(learned))


def test_every_record_has_html_for_notebooks():
    graph = egonet.as_graph([("<b>", "x"), ("x", "y"), ("y", "y")])
    encoding = encode(graph, 1, labels=["<i>", "q", "q"])
    shown = [
        graph,
        encoding,
        encoding.vocabulary,
        encoding.settings,
        egonet.compare(graph, named.path("abcd"), radius=1),
        egonet.explain_difference(graph, "<b>", "x", 1),
        egonet.explain(graph, "<b>", 1),
        egonet.Graph.from_edges([], num_nodes=0),
    ]

    for record in shown:
        html = record._repr_html_()
        assert html.startswith("<div>")
        assert "<b>" not in html
        assert "<i>" not in html
        assert "color:#" not in html  # colors are those of the page
        assert len(html) < 12_000
    assert "1 self-loop dropped" in shown[0]._repr_html_()
    assert "Radius 1 separates the graphs" in shown[4]._repr_html_()
    assert "changed" in egonet.Settings(1)._repr_html_()


def test_changed_digit_is_found_by_the_checksum(tmp_path):
    path = tmp_path / "columns.json"
    egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary.save(path)
    text = path.read_text()

    for old, new in (
        ("[1, 1, 2]", "[1, 1, 3]"),
        ('"checksum"', '"chacksum"'),
        ('"frontier_edges": true', '"frontier_edges": false'),
    ):
        path.write_text(text.replace(old, new))
        if path.read_text() != text:
            with pytest.raises(FileError, match="is not a vocabulary that egonet saved, or is damaged"):
                egonet.Vocabulary.load(path)
    path.write_text(json.dumps({key: value for key, value in json.loads(text).items() if key != "checksum"}))
    assert len(egonet.Vocabulary.load(path)) == 3  # as the first versions wrote it


def test_columns_of_pairs_are_read_back_as_columns_of_pairs(tmp_path):
    encoding = egonet.encode_pairs([(0, 1), (1, 2)], [(0, 2)], radius=1)
    encoding.vocabulary.save(tmp_path / "columns.json")

    again = egonet.encode_pairs([(0, 1), (1, 2)], [(0, 1)], vocabulary=tmp_path / "columns.json")

    assert again.feature_names == encoding.feature_names
    with pytest.raises(InputError, match="must be that of an encoding of nodes, got one of pairs"):
        egonet.encode([(0, 1), (1, 2)], vocabulary=tmp_path / "columns.json")


def test_the_columns_of_a_store_are_a_vocabulary(tmp_path):
    path = [("a", "b"), ("b", "c")]
    egonet.store.encode(path, tmp_path / "store", 1)

    found = egonet.encode([("x", "y")], vocabulary=tmp_path / "store")

    assert found.feature_names == egonet.encode(path, radius=1).feature_names
    with pytest.raises(FileError, match="has no columns that egonet wrote"):
        egonet.encode(path, vocabulary=tmp_path)

"""What `encode`, `Encoding` and the estimators accept widely, and how they refuse the rest."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import egonet
from egonet.encoding import progress as progress_module
from egonet.encoding.progress import as_progress
from egonet.errors import InputError, OptionError
from egonet.sklearn import GraphEncoder, NodeEncoder
from egonet.store.encode_store import encode_to_store

PATH, CYCLE = egonet.named.path("abc"), egonet.named.cycle(3)


def test_vocabulary_may_be_an_encoding():
    learned = egonet.encode(PATH, 1)

    again = egonet.encode(CYCLE, vocabulary=learned)

    assert again.vocabulary is learned.vocabulary
    with pytest.raises(InputError, match="vocabulary must be a Vocabulary or an Encoding, got 3"):
        egonet.encode(CYCLE, vocabulary=3)


def test_unseen_is_checked_without_a_vocabulary():
    with pytest.raises(InputError, match="unseen must be one of 'clip', 'ignore', 'error', got 'warn'"):
        egonet.encode(PATH, unseen="warn")


def test_generators_of_graphs_and_series_of_graphs_are_lists_of_graphs():
    expected = egonet.encode([PATH, CYCLE], 1).matrix.toarray()
    series = pd.Series([PATH, CYCLE], index=["x", "y"])

    for graphs in ((graph for graph in (PATH, CYCLE)), series):
        assert np.array_equal(egonet.encode(graphs, 1).matrix.toarray(), expected)
    encoder = GraphEncoder(1)
    rows = encoder.fit_transform([PATH, CYCLE]).toarray()
    assert np.array_equal(encoder.fit(series).transform(iter([PATH, CYCLE])).toarray(), rows)


def test_a_missing_graph_is_named_by_its_position():
    for encode in (egonet.encode, GraphEncoder().fit):
        with pytest.raises(InputError, match=r"graph 0 \(counted from 0\): as_graph takes .*, got NoneType"):
            encode([None, PATH])


def test_lists_of_tables_take_source_and_target():
    table = pd.DataFrame({"payer": ["a"], "payee": ["b"], "amount": [1.0]})

    both = egonet.encode([table, table], 1, source="payer", target="payee")

    assert both.nodes.tolist() == ["a", "b", "a", "b"]


def test_node_encoder_takes_source_and_target():
    table = pd.DataFrame({"payer": ["a", "b"], "payee": ["b", "c"], "amount": [1.0, 2.0]})

    encoder = NodeEncoder(table, 1, source="payer", target="payee", sparse_output=False)

    assert encoder.fit_transform(["b"]).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("option", ["engine", "store", "master"])
def test_encode_names_the_function_that_takes_an_option_of_the_store(option):
    with pytest.raises(
        OptionError, match=f"encode counts in memory and has no option '{option}'. Use egonet.store.encode"
    ):
        egonet.encode(PATH, **{option: "disk"})


@pytest.fixture(params=["plain", "updated", "stored"])
def encoding(request, tmp_path):
    if request.param == "stored":
        return encode_to_store(PATH, tmp_path / "out", 1)
    plain = egonet.encode(PATH, 1)
    return (
        plain if request.param == "plain" else plain.update(removed=[("a", "b")]).update(added=[("a", "b")])
    )


def test_encoding_is_read_like_a_mapping(encoding):
    assert list(encoding) == ["a", "b", "c"]
    assert len(encoding) == 3
    assert "a" in encoding
    assert "z" not in encoding
    assert [] not in encoding
    assert {node: encoding[node] for node in encoding}["b"] == {(0, 2): 1, (1, 1): 2}


@pytest.mark.parametrize("key", [slice(5), ["a", "b"], np.array([0, 1])], ids=str)
def test_encoding_refuses_several_rows_at_once(encoding, key):
    with pytest.raises(InputError, match=r"indexed by one node id, got .* use encoding.matrix"):
        encoding[key]


def test_replace_makes_a_plain_encoding(encoding):
    changed = replace(encoding, learned=False)

    assert type(changed) is egonet.Encoding
    assert not changed.learned
    assert changed["b"] == {(0, 2): 1, (1, 1): 2}


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_progress_true_shows_a_bar(monkeypatch, capsys, has_tqdm):
    monkeypatch.setattr(progress_module, "DELAY", 0)
    if not has_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)

    with as_progress(True) as report:
        report(5, 10)
        report(10, 10)

    assert "encode: " in capsys.readouterr().err
    assert egonet.encode(PATH, 1, progress=True)["a"] == {(0, 1): 1, (1, 1): 1}


def test_progress_shows_nothing_for_short_work(capsys):
    egonet.encode(PATH, 1, progress=True)

    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="progress must be True, False or a function"):
        egonet.encode(PATH, 1, progress="yes")

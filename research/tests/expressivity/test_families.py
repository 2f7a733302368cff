"""Benchmarks have as many graphs as are known, and files give what they hold."""

import pytest

from egonet.errors import MissingFileError
from research.expressivity.families import brec, exp, graph8c


def test_graph8c_has_all_connected_graphs_of_eight_nodes():
    assert len(graph8c()) == 11_117
    assert {graph.num_nodes for graph in graph8c()} == {8}


def test_benchmarks_hold_as_many_pairs_as_published(data_folder):
    assert exp(data_folder).num_pairs == 600
    pairs = brec(data_folder)
    assert pairs.num_pairs == 400
    assert sum(last - first for first, last in pairs.categories.values()) == 400


def test_without_a_data_folder_the_message_names_the_file(monkeypatch, tmp_path):
    monkeypatch.delenv("EGONET_DATA", raising=False)

    with pytest.raises(MissingFileError, match=r"exp/exp\.g6 is read from a data folder\. Set EGONET_DATA"):
        exp()
    with pytest.raises(MissingFileError, match=r"there is no brec/brec_pairs\.g6 in the data folder"):
        brec(tmp_path)

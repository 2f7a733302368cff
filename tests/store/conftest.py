"""Stores and edge lists."""

from importlib import import_module

import numpy as np
import pytest

import egonet
from contracts.stores import random_pairs
from egonet import Graph, encode, store

encode_store = import_module("egonet.store.encode")  # the package has a function of this name


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(encode_store, "LEAST_BLOCK", 16)


@pytest.fixture
def edges_file(tmp_path):
    path = tmp_path / "edges.txt"
    np.savetxt(path, random_pairs(100, 300), fmt="%d")
    return path


@pytest.fixture
def folder(tmp_path):
    store.encode(egonet.named.path("abc"), tmp_path / "store", 1)
    return tmp_path / "store"


EDGES = np.random.default_rng(3).integers(0, 30, (60, 2)).tolist()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a store of three blocks, and what it should answer."""
    folder = tmp_path_factory.mktemp("flips") / "out"
    graph = Graph.from_edges([(f"n{a}", f"n{b}") for a, b in EDGES])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode_store, "LEAST_BLOCK", 12)
        store.encode(graph, folder, (1, 2))
    return folder, encode(graph, (1, 2))


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.txt"
    np.savetxt(path, np.random.default_rng(0).integers(0, 60, (150, 2)), fmt="%d")
    return path

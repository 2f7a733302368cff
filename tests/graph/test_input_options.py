"""One warning per call about arcs, weights and columns that are not used."""

import shutil
from functools import partial

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

import egonet
from egonet.errors import IgnoredInputWarning, InputError
from egonet.store.graph import build_graph
from egonet.viz.plot import draw_classes, draw_rings
from egonet.wl.isomorphism import individualize


def directed_inputs():
    index = np.array([[0, 1], [1, 2]])
    square = sp.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    return [nx.DiGraph([(0, 1), (1, 2)]), igraph.Graph(3, [(0, 1), (1, 2)], directed=True), square, square.toarray(),
            torch.tensor(index), Data(edge_index=torch.tensor(index), num_nodes=3)]  # fmt: skip


def test_directed_input_is_read_as_undirected_with_a_warning():
    with pytest.warns(
        IgnoredInputWarning, match=r'^Arcs are read as undirected edges. Set directed="out" or'
    ):
        graph = egonet.as_graph(sp.csr_array([[0, 1], [0, 0]]))

    assert graph.neighbors(1) == [0]
    assert str(graph.info) == "arcs read as undirected edges"


def test_weights_are_ignored_with_a_warning():
    with pytest.warns(IgnoredInputWarning, match=r"^Edge weights are ignored\. Count them with weights="):
        graph = egonet.as_graph(sp.csr_array([[0, 7], [7, 0]]))

    assert str(graph.info) == "edge weights ignored"


@pytest.mark.parametrize("place", range(6))
def test_unused_direction_is_one_warning_and_false_silences_it(place):
    data = directed_inputs()[place]
    for call in (egonet.as_graph, lambda data, **options: egonet.encode(data, 1, **options)):
        with pytest.warns(UserWarning, match="directed=") as caught:
            call(data)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        call(data, directed=False)
        call(data, directed="out")
    with pytest.warns(IgnoredInputWarning, match="directed=") as caught:
        egonet.encode([data, data], 1)
    assert len(caught) == 1
    egonet.encode([data, data], 1, directed=False)
    egonet.encode([egonet.as_graph(data, directed=False)] * 2, 1)


def test_unused_direction_of_a_file_is_one_warning(tmp_path):
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "c")]), tmp_path / "a.graphml")

    with pytest.warns(IgnoredInputWarning, match="directed=") as caught:
        egonet.read_graph(tmp_path / "a.graphml")
    assert len(caught) == 1
    assert egonet.read_graph(tmp_path / "a.graphml", directed=False).num_edges == 2


def test_other_columns_give_one_warning_unless_the_ends_are_given(tmp_path):
    frame = pd.DataFrame({"src": ["a"], "dst": ["b"], "amount": [3]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    ends = {"source": "src", "target": "dst"}
    for read in (
        partial(egonet.as_graph, frame),
        partial(egonet.read_graph, tmp_path / "a.csv"),
        partial(egonet.read_graph, tmp_path / "a.parquet"),
        partial(build_graph, tmp_path / "a.csv", tmp_path / "store", memory=10**6),
    ):
        with pytest.warns(IgnoredInputWarning, match="Set simplify=True if this is intended") as caught:
            read()
        assert len(caught) == 1
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        read(**ends)


ARCS = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c"), ("d", "a")])


@pytest.mark.parametrize(
    "call",
    [
        partial(egonet.compare, ARCS, ARCS),
        partial(egonet.equivalent, ARCS, ARCS, test="1-wl"),
        partial(egonet.wl_colors, ARCS),
        partial(egonet.wl_colors, [ARCS, ARCS]),
        partial(individualize, ARCS, 2),
        partial(individualize, [ARCS, ARCS], 2),
        partial(egonet.explore, ARCS),
        partial(egonet.explain_graphs, ARCS, ARCS, 1),
        partial(draw_classes, ARCS, [0, 1, 2, 3]),
        partial(draw_rings, ARCS, "a"),
        lambda **options: egonet.PairEncoder(ARCS, **options).fit([("a", "b")]),
    ],
    ids=lambda call: getattr(getattr(call, "func", None), "__name__", "PairEncoder"),
)
def test_a_function_that_warns_about_arcs_takes_the_option_it_names(call):
    with pytest.warns(IgnoredInputWarning, match="directed=False if undirected is intended"):
        call()

    call(directed=False)  # warnings are errors
    with pytest.raises(InputError, match='directed must be None, False, "out" or "in", got \'up\''):
        call(directed="up")

"""Every peer equals a plain loop over its graphs and subgraphs, and distinguishes what its paper says it does."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from research.nets.peers.layout import Layout
from research.nets.peers.methods import METHODS, SetShape, net_of, policy_of, with_bag
from research.nets.peers.networks import forward
from research.nets.peers.passes import Pass, Weights
from research.nets.peers.prepare import closed_walks, ego_columns, graph_list, union_of
from research.nets.peers.records import PeerGraphs
from research.nets.peers.substructures import clique_counts, cycle_counts, node_counts, row_types
from research.tests.nets.peers.plain_networks import Plain
from research.today.rivals import walk_returns

torch.set_num_threads(1)

SHAPE = SetShape(layers=3, width=6, outputs=3, radius=2)
SEEDS = [(0, 1), (5, 2)]
BY_INPUTS = {"gin+ego", "gin+rwse", "gsn-v", "id-gnn-fast"}


def cycle(size, first=0):
    return [(first + node, first + (node + 1) % size) for node in range(size)]


def rook():
    cells = [(a, b) for a in range(4) for b in range(4)]
    return [
        (u, v)
        for u, (a, b) in enumerate(cells)
        for v, (c, d) in enumerate(cells)
        if u < v and (a == c) != (b == d)
    ]


def shrikhande():
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    return [
        (v, u) for u in range(16) for v in range(u) if ((u // 4 - v // 4) % 4, (u % 4 - v % 4) % 4) in steps
    ]


def graphs_of(parts, *, inputs=None, types=1):
    """Return graphs given as (num_nodes, edges); the type of an edge is the sum of its ends modulo `types`."""
    lists = [
        np.array(sorted([*edges, *((b, a) for a, b in edges)]), dtype=np.int32).reshape(-1, 2)
        for _, edges in parts
    ]
    arcs = np.concatenate(lists)
    total = sum(size for size, _ in parts)
    return PeerGraphs(
        sizes=np.array([size for size, _ in parts]),
        arcs=arcs,
        arc_ptr=np.concatenate([[0], np.cumsum([len(part) for part in lists])]),
        inputs=np.ones((total, 1), dtype=np.float32) if inputs is None else inputs,
        types=arcs.sum(axis=1).astype(np.int64) % types,
        num_types=types,
    )


def random_graphs(types=2):
    rng = np.random.default_rng(3)
    parts = []
    for size in (5, 1, 7, 4, 6):
        edges = [(a, b) for b in range(size) for a in range(b) if rng.random() < 0.45]
        parts.append((size, edges))
    total = sum(size for size, _ in parts)
    return graphs_of(parts, inputs=rng.normal(size=(total, 3)).astype(np.float32), types=types)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("name", [name for name in METHODS if name not in BY_INPUTS])
def test_equals_a_plain_loop(name, mean):
    method = METHODS[name]
    shape = SetShape(layers=2, width=4, outputs=2, radius=2, mean=mean)
    graphs = with_bag(random_graphs(types=1 if mean else 2), method, shape)
    net = net_of(method, shape, graphs.num_types)
    weights = Weights(SEEDS, "cpu", torch.float64)
    chosen = np.array([[0, 2, 3], [4, 1, 5]])  # graph 5 is the empty one

    with torch.no_grad():
        found = forward(
            net, Layout(graphs, "cpu", torch.float64).exact(chosen), Pass(weights, training=False)
        )

        for replica, graph in ((0, 0), (0, 2), (0, 3), (1, 4), (1, 1)):
            expected = Plain(net, weights, replica, graphs, graph).run(method, policy_of(method, shape))
            place = chosen[replica].tolist().index(graph)
            assert torch.allclose(found[replica, place], expected, rtol=1e-9, atol=1e-11), (replica, graph)


@pytest.mark.parametrize("name", ["gin", "gnn-ak+", "ds-ed", "kp-gnn", "ppgn"])
def test_more_space_and_other_replicas_change_nothing(name):
    method = METHODS[name]
    graphs = with_bag(random_graphs(), method, SHAPE)
    net, layout = net_of(method, SHAPE, graphs.num_types), Layout(graphs, "cpu", torch.float64)
    chosen = np.array([[0, 2], [3, 4]])
    space = layout.capacity(chosen)
    weights = Weights(SEEDS, "cpu", torch.float64)

    with torch.no_grad():
        exact = forward(net, layout.exact(chosen), Pass(weights, training=False))
        wide = layout.batch(
            torch.from_numpy(chosen), type(space).of_numbers([n + 40 for n in space.numbers()])
        )
        padded = forward(net, wide, Pass(weights, training=False))
        alone = forward(
            net, layout.exact(chosen[1:]), Pass(Weights(SEEDS[1:], "cpu", torch.float64), training=False)
        )

    assert torch.allclose(padded, exact, rtol=1e-12)
    assert torch.allclose(alone[0], exact[1], rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["gin", "kp-gnn", "k-hop", "ego-gnn", "id-gnn", "gnn-ak+", "dss-ego", "ppgn"]
)
def test_the_kernels_of_a_gpu_change_nothing(name, monkeypatch):
    method = METHODS[name]
    graphs = with_bag(random_graphs(), method, SHAPE)
    net, layout = net_of(method, SHAPE, graphs.num_types), Layout(graphs, "cpu", torch.float64)
    chosen = np.array([[0, 2, 3], [3, 4, 2]])
    found = []

    for is_fused in (False, True):
        monkeypatch.setattr(Pass, "_is_fused", lambda *_, answer=is_fused: answer)
        weights = Weights(SEEDS, "cpu", torch.float64)
        with torch.no_grad():
            forward(net, layout.exact(chosen), Pass(weights, training=False))
        weights.flatten()
        run = Pass(weights, training=True)
        outputs = forward(net, layout.exact(chosen), run)
        run.keep_moments()
        values = weights.values
        grads = torch.autograd.grad(outputs.square().sum(), list(values.values()), allow_unused=True)
        found.append((outputs.detach(), dict(zip(values, grads, strict=True)), weights.running))

    torch.testing.assert_close(found[1], found[0], atol=1e-10, rtol=1e-8)


PAIRS = {
    "triangles": ((6, cycle(6)), (6, [*cycle(3), *cycle(3, 3)]), 1),
    "long cycles": ((14, cycle(14)), (14, [*cycle(7), *cycle(7, 7)]), 2),
    "strongly regular": ((16, rook()), (16, shrikhande()), 1),
}
#: Peers that distinguish a strongly regular pair, and those that distinguish two long cycles from one.
STRONG, FAR_SIGHTED = {"gsn-v", "gsn-e", "i2-gnn", "kp-gnn"}, {"kp-gnn", "gin+rwse"}
#: Columns that need nothing but the graphs; walks of 8 steps go around a cycle of length 7.
MADE = {
    "ego": lambda graphs: ego_columns("", union_of(graphs)),
    "rwse": lambda graphs: walk_returns(graph_list(graphs), 8),
    "walks": closed_walks,
}


def gap(name, pair):
    """Return by how much the outputs of two graphs differ at most, over four random networks."""
    first, second, radius = PAIRS[pair]
    method = METHODS[name]
    graphs = graphs_of([first, second])
    if name in ("gsn-v", "gsn-e"):
        counts = clique_counts(graphs.sizes, graphs.arcs, graphs.arc_ptr)
        if name == "gsn-e":
            kinds = row_types(counts, 8)
            graphs = PeerGraphs(
                **(vars(graphs) | {"types": kinds, "num_types": max(2, int(kinds.max()) + 1)})
            )
        else:
            start = np.repeat(np.cumsum(graphs.sizes) - graphs.sizes, np.diff(graphs.arc_ptr))
            nodes = node_counts(
                graphs.arcs[:, 0] + start, counts, len(graphs.inputs), per_node=np.array([2, 3, 4])
            )
            graphs = PeerGraphs(**(vars(graphs) | {"inputs": np.log1p(nodes).astype(np.float32)}))
    if method.columns in MADE:
        graphs = replace(graphs, inputs=MADE[method.columns](graphs).astype(np.float32))
    shape = SetShape(layers=3, width=8, outputs=4, radius=radius, norm=False)
    graphs = with_bag(graphs, method, shape)
    net = net_of(method, shape, graphs.num_types)
    with torch.no_grad():
        run = Pass(Weights([(seed,) for seed in range(4)], "cpu", torch.float64), training=False, norm=False)
        found = forward(net, Layout(graphs, "cpu", torch.float64).exact(np.array([[0, 1]] * 4)), run)
    return float((found[:, 0] - found[:, 1]).abs().max())


@pytest.mark.parametrize("name", [name for name in METHODS if name != "gin"])
def test_distinguishes_what_its_paper_says_and_no_more(name):
    assert gap(name, "triangles") > 1e-5
    assert (gap(name, "strongly regular") > 1e-5) == (name in STRONG)
    assert (gap(name, "long cycles") > 1e-5) == (name in FAR_SIGHTED)


def test_gin_alone_does_not_distinguish_any_of_the_pairs():
    assert max(gap("gin", pair) for pair in PAIRS) < 1e-9


def test_counts_of_cycles_through_arcs():
    """A hexagon with one long diagonal has two squares and one hexagon."""
    edges = [*cycle(6), (0, 3)]
    graphs = graphs_of([(6, edges)])
    degrees = np.bincount(graphs.arcs[:, 0], minlength=6)
    indptr = np.concatenate([[0], np.cumsum(degrees)])

    counts = cycle_counts(indptr, graphs.arcs[:, 1].astype(np.int64), 6)

    by_arc = {tuple(arc): row for arc, row in zip(graphs.arcs.tolist(), counts.tolist(), strict=True)}
    assert by_arc[0, 3] == [0, 2, 0, 0]
    assert by_arc[0, 1] == by_arc[1, 0] == [0, 1, 0, 1]

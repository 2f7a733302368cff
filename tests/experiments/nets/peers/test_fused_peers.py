"""The fused kernels of the peers' networks give the outputs and gradients of the plain ones."""

import numpy as np
import pytest
import torch

from experiments.nets.peers import passes
from experiments.nets.peers.layout import Layout
from experiments.nets.peers.methods import METHODS, SetShape, net_of, with_bag
from experiments.nets.peers.networks import forward
from experiments.nets.peers.passes import Pass, Weights
from experiments.nets.peers.records import PeerGraphs

torch.set_num_threads(1)

SHAPE = SetShape(layers=2, width=6, outputs=3, radius=2, mean=True)
#: One method of each kind of network.
NETWORKS = (
    "gin", "kp-gnn", "k-hop", "ego-gnn", "nested", "id-gnn", "de-gnn", "gnn-ak", "gnn-ak+", "ds-ego+", "dss-ed", "ppgn"
)  # fmt: skip
LISTS = np.array([[0, 2, 3], [1, 4, 5]])  # graph 5 is the empty one


def graphs(types):
    rng = np.random.default_rng(3)
    lists, sizes = [], (5, 1, 7, 4, 6)
    for size in sizes:
        edges = [(a, b) for b in range(size) for a in range(b) if rng.random() < 0.45]
        both = sorted([*edges, *((b, a) for a, b in edges)])
        lists.append(np.array(both, dtype=np.int32).reshape(-1, 2))
    arcs = np.concatenate(lists)
    return PeerGraphs(
        sizes=np.array(sizes),
        arcs=arcs,
        arc_ptr=np.concatenate([[0], np.cumsum([len(part) for part in lists])]),
        inputs=rng.normal(size=(sum(sizes), 3)).astype(np.float32),
        types=arcs.sum(axis=1).astype(np.int64) % types,
        num_types=types,
    )


def result(name, types, *, training):
    """Return the outputs of a network, its gradients by name, and its running moments."""
    method = METHODS[name]
    found = with_bag(graphs(types), method, SHAPE)
    layout = Layout(found, "cpu")
    net = net_of(method, SHAPE, types)
    weights = Weights([(0, 1), (5, 2)], "cpu", torch.float32)
    batch = layout.exact(LISTS)
    with torch.no_grad():
        forward(net, batch, Pass(weights, training=False))
    weights.flatten()
    run = Pass(weights, training=training)
    outputs = forward(net, batch, run)
    if not training:
        return outputs.detach(), {}, {}
    names = list(weights.values)
    real = torch.tensor([[1.0, 1, 1], [1, 1, 0]]).unsqueeze(2)  # the empty graph has no loss
    goal = torch.sin(torch.arange(outputs.numel()).view(outputs.shape)) * real
    grads = torch.autograd.grad((outputs * goal).sum(), list(weights.values.values()), allow_unused=True)
    run.keep_moments()
    shown = {name: part for name, part in zip(names, grads, strict=True) if part is not None}
    return outputs.detach() * real, shown, dict(weights.running)


@pytest.mark.parametrize(
    ("name", "types"),
    [(name, 1) for name in NETWORKS] + [(name, 2) for name in ("gin", "k-hop", "gnn-ak+")],
)
def test_a_fused_network_has_the_gradients_of_a_plain_one(name, types, monkeypatch, need):
    need("triton")
    outputs, grads, running = result(name, types, training=True)
    monkeypatch.setattr(passes, "is_fused", lambda _: True)

    found, fused, moved = result(name, types, training=True)

    torch.testing.assert_close(found, outputs, rtol=1e-4, atol=1e-5)
    for key, value in grads.items():
        if key.endswith(".1.b"):  # a bias before batch norm has no gradient
            assert key not in fused or fused[key].abs().max() < 1e-4
            continue
        torch.testing.assert_close(
            fused[key], value, rtol=2e-3, atol=2e-4, msg=lambda m, key=key: f"{key}: {m}"
        )
    for key, value in running.items():
        torch.testing.assert_close(moved[key], value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["gin", "gnn-ak+"])
def test_a_fused_network_measures_as_a_plain_one(name, monkeypatch, need):
    need("triton")
    outputs, _, _ = result(name, 1, training=False)
    monkeypatch.setattr(passes, "is_fused", lambda _: True)

    found, _, _ = result(name, 1, training=False)

    torch.testing.assert_close(found, outputs, rtol=1e-4, atol=1e-5)

"""Stacked networks on molecules equal plain PyG networks, replica by replica, also in their gradients."""

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.nn import GCNConv, GINConv, GINEConv, global_add_pool  # noqa: E402

from research.today.molecules import training  # noqa: E402
from research.today.molecules.neighbors import BondMessages, NeighborValues  # noqa: E402
from research.today.molecules.padded import Molecules, make_batch, standardized  # noqa: E402
from research.today.molecules.stacked import (  # noqa: E402
    SMALL,
    Shape,
    Weights,
    forward,
    weight_shapes,
)
from research.today.molecules.training import Plan, schedule, train  # noqa: E402
from research.today.prepare import neighbor_slots  # noqa: E402
from research.today.sources import join_graphs  # noqa: E402

WIDTH = 8
REPLICAS = (("none", 0, "plain"), ("drawn", 0, "plain"))
FAST = {"plain": {"rate": 0.01}}


def drawn_molecules(count=12, columns=5):
    """Return random trees with an extra bond, at most four neighbors each, and their graph list."""
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(count):
        size = int(rng.integers(4, 9))
        edges = [(node, node // 2) for node in range(1, size)] + [(size - 1, size - 2)]
        edges = np.array(sorted({tuple(sorted(pair)) for pair in edges}))
        parts.append((size, edges, rng.integers(3, size=size), rng.integers(1, 4, size=len(edges))))
    graphs = join_graphs(parts)
    slots = {name: torch.from_numpy(values).long() for name, values in neighbor_slots(graphs).items()}
    encodings = torch.randn(2, graphs.num_nodes, columns, generator=torch.Generator().manual_seed(0))
    encodings[0] = 0
    data = Molecules(
        start=torch.from_numpy(graphs.start),
        atom=torch.from_numpy(graphs.label),
        **slots,
        target=torch.randn(count, 1, generator=torch.Generator().manual_seed(1)),
        split=torch.tensor([0] * (count - 4) + [1] * 2 + [2] * 2),
        encodings=encodings,
        names=("none", "drawn"),
        widths=(0, columns),
    )
    return data, graphs


def plain_output(kind, data, graphs, chosen, kind_of_encoding, weights):
    """Return what plain PyG layers give for some molecules, with the weights of one replica."""
    part = graphs.part(chosen.numpy())
    nodes = torch.cat([torch.arange(data.start[graph], data.start[graph + 1]) for graph in chosen.tolist()])
    ends = torch.from_numpy(np.concatenate([part.edges, part.edges[:, ::-1]]).T.copy())
    bond = torch.from_numpy(np.concatenate([part.bond, part.bond]))
    values = weights["atom.table"][torch.from_numpy(part.label)]
    if kind_of_encoding:
        columns = data.encodings[kind_of_encoding][nodes]
        hidden = torch.relu(columns @ weights["input.matrix"] + weights["input.bias"])
        values = values + hidden @ weights["input2.matrix"] + weights["input2.bias"]

    def normal(rows, name):
        spread = rows.var(dim=0, correction=0)
        return (rows - rows.mean(0)) / (spread + SMALL).sqrt() * weights[f"{name}.scale"] + weights[
            f"{name}.bias"
        ]

    for layer in range(2):
        own = f"{layer}."

        def network(rows, own=own):
            if kind == "gineconv":
                hidden = torch.relu(rows @ weights[own + "in.matrix"] + weights[own + "in.bias"])
                return hidden @ weights[own + "end.matrix"]
            hidden = torch.relu(normal(rows @ weights[own + "in.matrix"], own + "in"))
            return normal(hidden @ weights[own + "end.matrix"], own + "end")

        module = type(
            "Network", (torch.nn.Module,), {"forward": lambda _, rows, network=network: network(rows)}
        )()
        if kind in ("gine", "gineconv"):
            module.in_channels = WIDTH
            conv = GINEConv(torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH)))
            conv.nn = module
            conv.eps = weights[own + "eps.bias"]
            new = conv(values, ends, weights[own + "bond.table"][bond])
        elif kind == "gin":
            conv = GINConv(module)
            conv.eps = weights[own + "eps.bias"]
            new = conv(values, ends)
        else:
            conv = GCNConv(WIDTH, WIDTH, bias=False)
            del conv.lin.weight
            conv.lin.weight = weights[own + "end.matrix"].t()
            new = normal(conv(values, ends), own + "end")
        values = normal(values + new, own + "end") if kind == "gineconv" else values + torch.relu(new)
    pooled = global_add_pool(values, torch.from_numpy(part.graph_of))
    for number in range(3):
        pooled = pooled @ weights[f"out{number}.matrix"] + weights[f"out{number}.bias"]
        pooled = torch.relu(pooled) if number < 2 else pooled
    return pooled


@pytest.mark.parametrize("kind", ["gine", "gineconv", "gin", "gcn"])
def test_every_replica_equals_a_plain_network(kind):
    data, graphs = drawn_molecules()
    shape = Shape(kind, 2, WIDTH)
    weights = Weights(weight_shapes(shape, data), [3, 4, 3], "cpu")
    with torch.no_grad():
        weights.flat.add_(0.05 * torch.randn(weights.flat.shape, generator=torch.Generator().manual_seed(2)))
    chosen = torch.tensor([[0, 3, 5], [1, 2, 7], [6, 4, 0]])
    kinds = torch.tensor([0, 1, 1])
    batch = make_batch(data, chosen, 32, kinds)

    found, _ = forward(shape, weights.parts, batch, (kinds > 0).float())
    gradients = dict(
        zip(
            weights.parts,
            torch.autograd.grad(found.square().sum(), list(weights.parts.values())),
            strict=True,
        )
    )

    for replica in range(3):
        own = {name: part[replica].detach().clone().requires_grad_() for name, part in weights.parts.items()}
        expected = plain_output(kind, data, graphs, chosen[replica], int(kinds[replica]), own)
        expected.square().sum().backward()
        torch.testing.assert_close(found[replica], expected, atol=1e-4, rtol=1e-4)
        for name, part in own.items():
            if part.grad is not None:
                torch.testing.assert_close(
                    gradients[name][replica], part.grad, atol=1e-3, rtol=1e-3, msg=name
                )


def test_gradients_of_the_messages_are_those_of_finite_differences():
    data, _ = drawn_molecules()
    batch = make_batch(data, torch.tensor([[0, 3], [1, 2]]), 20, torch.tensor([0, 1]))
    values = torch.randn(2, 20, 3, dtype=torch.float64, requires_grad=True)
    table = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(
        lambda values, table: BondMessages.apply(values, table, batch.neighbor, batch.bond), (values, table)
    )
    assert torch.autograd.gradcheck(
        lambda values: NeighborValues.apply(values, batch.neighbor, batch.reverse, batch.bond), (values,)
    )


@pytest.mark.parametrize("kind", ["gine", "gineconv", "gatedgcn", "gps"])
def test_atoms_that_fill_up_change_nothing(kind):
    data, _ = drawn_molecules()
    shape = Shape(kind, 2, WIDTH)
    weights = Weights(weight_shapes(shape, data), [0, 1], "cpu")
    chosen, kinds = torch.tensor([[0, 3], [1, 2]]), torch.tensor([0, 1])
    results = [
        forward(shape, weights.parts, make_batch(data, chosen, nodes, kinds), torch.ones(2))[0]
        for nodes in (20, 48)
    ]

    torch.testing.assert_close(results[0], results[1])


@pytest.mark.parametrize("kind", ["gine", "gin", "gcn", "gatedgcn", "gineconv", "gps"])
def test_training_lowers_the_error_and_a_seed_gives_the_same_start(kind):
    data, _ = drawn_molecules()
    lines = []
    plan = Plan(Shape(kind, 2, WIDTH), REPLICAS, epochs=60, recipes=FAST, batch=4)

    found = train(plan, data, lines.append)

    assert [line["encoding"] for line in found] == ["none", "drawn"]
    assert lines[-1]["epoch"] == 60
    for replica in range(2):
        assert min(line["train"][replica] for line in lines) < 0.97 * lines[0]["train"][replica]
        assert found[replica]["validation"] == pytest.approx(
            min(line["validation"][replica] for line in lines), abs=1e-4
        )


def test_a_run_ends_when_its_seconds_are_over():
    data, _ = drawn_molecules()
    plan = Plan(Shape("gcn", 1, WIDTH), (("none", 0, "plain"),), epochs=100_000, seconds=1.0, batch=4)

    (line,) = train(plan, data, lambda line: None)

    assert 3 <= line["epochs"] < 100_000
    assert line["seconds_all"] < 3


def test_the_learning_rate_rises_and_falls_to_zero():
    plan = Plan(Shape("gcn", 1, WIDTH), (), epochs=10, warm_up=0.1)
    rates = [rate for epoch in range(10) for rate in schedule(plan, epoch / 10, (epoch + 1) / 10, 10)]

    assert rates[0] < 0.2
    assert max(rates) > 0.95
    assert rates[-1] < 0.001


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch):
    data, _ = drawn_molecules()
    plan = Plan(Shape("gine", 2, WIDTH), REPLICAS, epochs=30, recipes=FAST, batch=4, evaluate_every=1)
    whole = train(plan, data, lambda line: None)
    monkeypatch.setattr(training, "SAVED_EVERY", 0.0)

    def stop(line):
        if line["epoch"] == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(plan, data, stop, tmp_path / "state.pt")
    epochs = []
    found = train(plan, data, lambda line: epochs.append(line["epoch"]), tmp_path / "state.pt")

    assert epochs[0] == 11
    assert not (tmp_path / "state.pt").exists()
    for line, expected in zip(found, whole, strict=True):
        assert line["test"] == pytest.approx(expected["test"], abs=1e-5)


def test_recipes_differ_by_replica():
    data, _ = drawn_molecules()
    recipes = {"plain": {"rate": 0.01}, "still": {"rate": 0.0}, "drop": {"rate": 0.01, "dropout": 0.5}}
    replicas = tuple(("drawn", 0, name) for name in recipes)
    trainer = training.Trainer(Plan(Shape("gine", 2, WIDTH), replicas, 5, recipes, batch=4), data)
    before = trainer.weights.flat.detach().clone()

    trainer.epoch(trainer.record(), [1.0, 1.0])

    after = trainer.weights.flat.detach()
    assert torch.equal(before[1], after[1])
    assert not torch.equal(after[0], after[2])


def test_weight_decay_leaves_biases_and_scales_alone():
    data, _ = drawn_molecules()
    recipes = {"plain": {"decay": 0.5}}
    trainer = training.Trainer(Plan(Shape("gine", 1, WIDTH), REPLICAS, 5, recipes, batch=4), data)
    shapes = weight_shapes(Shape("gine", 1, WIDTH), data)

    counted = sum(-(-np.prod(shape) // 8) * 8 for name, shape in shapes.items() if name.endswith("matrix"))
    assert int((trainer.decay[0] == 0.5).sum()) == counted


def test_rare_columns_are_dropped_and_counts_are_standardized_logarithms():
    counts = np.array([[1, 0, 3], [1, 5, 0], [1, 0, 1], [9, 0, 9]], dtype=np.uint8)
    training = np.array([True, True, True, False])

    found = standardized(counts, training, min_nodes=2)

    assert found.shape == (4, 1)  # the first column is constant, the second rare
    assert found[:3].mean() == pytest.approx(0, abs=1e-6)
    assert found[:3].std() == pytest.approx(1, abs=1e-5)

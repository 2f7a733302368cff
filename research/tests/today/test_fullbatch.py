"""Networks on shared sets: a replica gives what it gives alone, equals PyG's layers, and trains on no test row."""

import json

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.nn import GCNConv, GINConv  # noqa: E402

from research.today.fullbatch import fitting, networks  # noqa: E402
from research.today.fullbatch.__main__ import main  # noqa: E402
from research.today.fullbatch.networks import Design, Network  # noqa: E402
from research.today.fullbatch.shared import SharedSet, sparse_matrix  # noqa: E402


def drawn_set(*, pooled=True, bonds=1, metric="accuracy"):
    """Return ten random graphs of six nodes, two encodings and two folds."""
    rng = np.random.default_rng(0)
    edges, graph = [], np.repeat(np.arange(10), 6)
    for first in range(0, 60, 6):
        edges += [(first + a, first + b) for a in range(6) for b in range(a) if rng.random() < 0.5]
    edges = np.array(edges)
    kinds = rng.integers(bonds, size=len(edges))
    rows = 10 if pooled else 60
    parts = np.stack([(np.arange(rows) + fold) % 5 % 3 for fold in range(2)]).astype(np.int8)
    return SharedSet(
        "drawn",
        metric,
        "folds",
        tuple(sparse_matrix(*edges[kinds == kind].T, 60, "cpu") for kind in range(bonds)),
        torch.from_numpy(rng.integers(3, size=60)),
        None,
        torch.from_numpy(graph),
        pooled,
        False,
        torch.from_numpy(rng.integers(2, size=rows)),
        torch.from_numpy(parts),
        ("drawn",),
        {"ego": torch.randn(60, 4, generator=torch.Generator().manual_seed(0)), "lappe": torch.randn(60, 2)},
        {"ego": 0.5},
    )


def output(data, design, replicas, seeds):
    """Return the output of some replicas with the first weights."""
    group, network = fitting.make_group(data, replicas), Network(design, data)
    columns = {"none": 0, "ego": 4, "lappe": 2}
    weights = fitting.draw_weights(networks.weight_shapes(design, data, columns), seeds, "cpu")
    return network.output(weights, group, training=False), weights, network


@pytest.mark.parametrize("kind", ["gin", "gine", "gcn", "sage"])
def test_a_replica_gives_what_it_gives_alone(kind):
    data = drawn_set(pooled=kind in ("gin", "gine"), bonds=2 if kind == "gine" else 1)
    design = Design(kind, 2, 8, 0.0)
    replicas = (("none", 0, 0), ("ego", 0, 0), ("ego", 1, 0), ("lappe", 1, 0))

    together = output(data, design, replicas, [5, 6, 7, 8])[0]

    for number, (replica, seed) in enumerate(zip(replicas, [5, 6, 7, 8], strict=True)):
        torch.testing.assert_close(together[number], output(data, design, (replica,), [seed])[0][0])


def test_sums_and_means_over_neighbors_are_those_of_pyg():
    data = drawn_set(pooled=False)
    rows = data.arcs[0].to_dense()
    ends = rows.nonzero().T
    values = torch.randn(1, 60, 8)

    total = values[0] + networks.sparse_product(data.arcs[0], values)[0]
    torch.testing.assert_close(total, GINConv(torch.nn.Identity())(values[0], ends))
    mean = networks.sparse_product(networks.scaled_arcs(data), values)[0]
    plain = GCNConv(8, 8, bias=False)
    with torch.no_grad():
        plain.lin.weight.copy_(torch.eye(8))
        torch.testing.assert_close(mean, plain(values[0], ends))


def test_gradients_of_sparse_products_are_those_of_finite_differences():
    data = drawn_set()
    matrices = [matrix.double() for matrix in networks.pooling(data)]
    values = torch.randn(2, 60, 2, dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(lambda values: networks.shared_product(values, *matrices), (values,))


def test_test_rows_do_not_change_what_training_rows_give():
    data = drawn_set()
    design, replicas = Design("gin", 2, 8, 0.0), (("ego", 0, 0),)
    known = data.parts[0] == 0
    before = output(data, design, replicas, [1])[0]
    data.encodings["ego"][(data.parts[0] == 2)[data.graph]] += 100
    after = output(data, design, replicas, [1])[0]

    torch.testing.assert_close(before[:, known], after[:, known])
    assert not torch.allclose(before[:, data.parts[0] == 2], after[:, data.parts[0] == 2])


def test_training_nodes_alone_decide_which_columns_are_used():
    data, replicas = drawn_set(), (("ego", 0, 0),)
    known = (data.parts[0] == 0)[data.graph]
    data.encodings["ego"][:, 0] = (~known).float()  # 36 of 60 nodes, 17 of them in training
    data.encodings["ego"][known.nonzero()[:17, 0], 0] = 1

    _, inverse = fitting.make_group(data, replicas).scales["ego"]

    assert inverse[0, 0, 0] == 0
    assert (inverse[0, 0, 1:] > 0).all()


@pytest.mark.parametrize(("kind", "metric"), [("gin", "accuracy"), ("sage", "auc")])
def test_a_line_has_the_scores_at_the_best_validation_step(kind, metric):
    data = drawn_set(pooled=kind == "gin", metric=metric)
    replicas = next(fitting.groups(data, Design(kind, 1, 4), ["none", "lappe"], 1, 6e9))

    lines = fitting.fit_group(
        data, Design(kind, 1, 4), fitting.Schedule(steps=6), replicas, lambda text: None
    )

    assert [(line["columns"], line["fold"]) for line in lines] == [
        ("none", 0), ("none", 1), ("lappe", 0), ("lappe", 1),
    ]  # fmt: skip
    assert all(0 <= line["test"] <= 1 and line["best_step"] in (3, 6) for line in lines)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # read by the compiler itself
def test_the_compiled_form_gives_the_same_scores():
    data, design = drawn_set(), Design("gin", 2, 8, 0.0)
    replicas = (("none", 0, 0), ("ego", 0, 0))
    found = [
        fitting.fit_group(
            data, design, fitting.Schedule(steps=6, compiled=compiled), replicas, lambda text: None
        )
        for compiled in (False, True)
    ]

    plain, compiled = (
        [line["validation"] for line in lines] for lines in found
    )  # has the loss in its last digits
    assert plain == pytest.approx(compiled, abs=1e-9)


def test_little_memory_makes_more_groups_of_all_encodings():
    data = drawn_set()
    found = list(fitting.groups(data, Design("gin", 1, 4), ["none", "ego"], 1, 1.0))

    assert found == [(("none", 0, 0), ("ego", 0, 0)), (("none", 1, 0), ("ego", 1, 0))]


def test_a_prepared_set_is_trained_and_a_second_run_adds_nothing(data_folder, tmp_path, need):
    need("sklearn")
    from research.today.prepare_shared import prepare_shared

    prepare_shared("csl", tmp_path / "csl.npz", 40)
    plan = [{"set": "csl", "design": ["gin", 2, 8, 0.0], "encodings": ["none", "ego"], "steps": 3}]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    for _ in range(2):
        main([str(tmp_path), str(tmp_path / "plan.json"), str(tmp_path / "lines.jsonl"), "abc"])

    lines = (tmp_path / "lines.jsonl").read_text().splitlines()
    assert len(lines) == 10

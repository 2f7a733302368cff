"""Stacked GINE with columns of atoms and bonds: messages, batches, and the layers of PyTorch Geometric."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
need("rdkit")

from research.molecules import networks  # noqa: E402
from research.molecules.network_columns import distinct_rows  # noqa: E402

ROOT = Path(__file__).parents[3]


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """Three molecules: a triangle with a tail, a path, a square with a diagonal bond missing."""
    edges = [[(0, 1), (0, 2), (1, 2), (2, 3)], [(0, 1), (1, 2)], [(0, 1), (0, 3), (1, 2), (2, 3)]] * 4
    sizes = [4, 3, 4] * 4
    start = np.cumsum([0, *sizes])
    ends = np.concatenate([np.array(each) for each in edges])
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        "metric": np.array("mae"),
        "start": start.astype(np.int32),
        "edge_start": np.cumsum([0, *map(len, edges)]).astype(np.int32),
        "ends": ends.astype(np.int16),
        "atoms": rng.integers(0, 3, (start[-1], 2)).astype(np.uint8),
        "bonds": rng.integers(0, 2, (len(ends), 1)).astype(np.uint8),
        "target": rng.normal(size=(12, 1)).astype(np.float32),
        "parts": np.array([[0] * 6 + [1] * 3 + [2] * 3], dtype=np.int8),
        "ring": np.array([3, 3, 3, 0, 0, 0, 4, 4, 4, 4] * 4, dtype=np.uint8),
        "pair_rows": rng.integers(0, 3, (5, 4)).astype(np.uint8),
        "pair_index": rng.integers(0, 5, 2 * len(ends)).astype(np.int32),
    }
    np.savez(tmp_path / "zinc.npz", **arrays)
    return tmp_path


def make_job(kind: str, cells: list[tuple[str, str]], **settings: Any) -> networks.Job:
    replicas = tuple(
        networks.Replica(*cell, seed, edge=8, both=seed % 2 > 0) for seed, cell in enumerate(cells)
    )
    return networks.Job("test", "zinc", kind, replicas, 2, 4, 16, layers=2, **settings)


def test_gradients_of_messages_are_those_of_plain_sums(prepared: Path) -> None:
    data = networks.read_set(prepared / "zinc.npz", ["none"], ["pair"], "cpu")
    cells = (torch.zeros(2, dtype=torch.long),) * 2
    chosen = torch.tensor([[0, 1, 2], [5, 4, 3]])
    batch = networks.make_batch(data, chosen, networks.Capacity(14, 24), cells, None)
    values = torch.randn(2, 14, 5, dtype=torch.float64, requires_grad=True)
    bonds = torch.randn(2, 24, 5, dtype=torch.float64, requires_grad=True)
    names = ("neighbor", "arc", "opposite", "there", "source", "target")
    mask = batch["arc_mask"].double()
    mine = networks.Messages.apply(values, bonds * mask, *(batch[name] for name in names))
    sent = torch.relu(values.reshape(-1, 5)[batch["source"]] + bonds * mask) * mask
    plain = torch.zeros(28, 5, dtype=torch.float64).index_add(
        0, batch["target"].flatten(), sent.flatten(0, 1)
    )
    weight = torch.randn(2, 14, 5, dtype=torch.float64) * batch["mask"]

    torch.testing.assert_close(mine * batch["mask"], plain.view(2, 14, 5) * batch["mask"])
    for found, expected in zip(
        torch.autograd.grad((mine * weight).sum(), (values, bonds)),
        torch.autograd.grad((plain.view(2, 14, 5) * weight).sum(), (values, bonds)),
        strict=True,
    ):
        torch.testing.assert_close(found, expected)


def test_batch_has_the_arcs_of_its_molecules(prepared: Path) -> None:
    data = networks.read_set(prepared / "zinc.npz", ["none"], ["ring"], "cpu")
    cells = (torch.zeros(1, dtype=torch.long),) * 2

    batch = networks.make_batch(data, torch.tensor([[2, 1]]), networks.Capacity(10, 14), cells, None)

    arcs = {tuple(arc) for arc in torch.stack([batch["source"][0], batch["target"][0]], dim=1)[:12].tolist()}
    both = [(0, 1), (0, 3), (1, 2), (2, 3), (4, 5), (5, 6)]
    assert arcs == {*both, *((v, u) for u, v in both)}
    assert batch["mask"].flatten().tolist() == [1.0] * 7 + [0.0] * 3
    assert batch["atoms"].flatten().tolist() == [4.0, 3.0]


def test_molecule_that_does_not_fit_has_no_goal(prepared: Path) -> None:
    data = networks.read_set(prepared / "zinc.npz", ["none"], ["type"], "cpu")
    cells = (torch.zeros(1, dtype=torch.long),) * 2

    batch = networks.make_batch(data, torch.tensor([[0, 1, 2]]), networks.Capacity(8, 40), cells, None)

    assert batch["goal"].isnan().flatten().tolist() == [False, False, True]
    assert batch["mask"].sum() == 7


@pytest.mark.parametrize("kind", ["gine", "gine+ff", "gcn"])
def test_replica_equals_the_layers_of_torch_geometric(kind: str, prepared: Path) -> None:
    conv = need("torch_geometric.nn").GINEConv
    cells = [("none", "type"), ("rings", "pair+ring")]
    job = make_job(kind, cells)
    data = networks.read_set(prepared / "zinc.npz", *zip(*cells, strict=True), "cpu")
    trainer = networks.Trainer(job, data, low=False)
    network = trainer.network
    torch.manual_seed(0)
    network.running.uniform_(0.5, 2)
    with torch.no_grad():
        network.weights.flat.add_(0.1 * torch.randn_like(network.weights.flat))
    graphs = torch.tensor([[0, 2, 1]] * 2)
    batch = networks.make_batch(data, graphs, networks.Capacity(14, 22), network.cells, None)
    found = network.forward(batch, training=False)[0]
    w = {name: part[1] for name, part in network.weights.parts.items()}

    def dense(values: Any, name: str) -> Any:
        return values @ w[f"{name}.matrix"] + w[f"{name}.bias"]

    expected = []
    for graph in graphs[1].tolist():
        nodes = slice(int(data.start[graph]), int(data.start[graph + 1]))
        arcs = slice(int(data.arc_start[graph]), int(data.arc_start[graph + 1]))
        columns, bond_columns = data.node_columns[1, nodes], data.bond_columns[0, arcs]
        assert list(data.bond_widths) == ["pair+ring", "type"]
        x = data.atom[nodes] @ w["atom.table"] + dense(torch.relu(dense(columns, "input")), "input2")
        keep = (torch.arange(networks.WIDEST_EDGE) < 8).float()
        hidden = torch.relu(dense(bond_columns, "bonds")) * keep
        edges = (data.bond[arcs] @ w["bond.table"] + dense(hidden, "bonds2")) * keep
        index = torch.stack([data.source[arcs], data.target[arcs]]) - data.start[graph]
        for number in range(2):
            name = f"{number}."
            message = edges @ w[name + "edge.matrix"] + w[name + "edge.bias"]
            if kind == "gcn":
                x = conv(torch.nn.Identity(), eps=-1.0)(x @ w[name + "end.matrix"], index, message)
            else:
                make = conv(torch.nn.Identity(), eps=float(w[name + "eps.bias"].detach()))
                total = make(x, index, message)
                x = x + torch.relu(dense(total, name + "in")) @ w[name + "end.matrix"]
            for norm, part in enumerate(("middle", "last") if kind == "gine+ff" else ("last",)):
                if kind == "gine+ff" and part == "last":
                    x = x + torch.relu(dense(x, name + "up")) @ w[name + "down.matrix"]
                mean, variance = network.running[1, number, norm]
                x = (x - mean) / (variance + 1e-5).sqrt() * w[f"{name}{part}.scale"] + w[f"{name}{part}.bias"]
            x = torch.nn.functional.gelu(x) if kind == "gcn" else x
        out = torch.cat([x.sum(dim=0), x.mean(dim=0)])
        for number in range(network.head - 1):
            out = torch.relu(dense(out, f"out{number}"))
        expected.append(dense(out, f"out{network.head - 1}"))

    torch.testing.assert_close(found[1], torch.stack(expected), rtol=1e-4, atol=1e-4)


def test_head_of_a_replica_without_the_mean_ignores_it(prepared: Path) -> None:
    cells = [("none", "type"), ("none", "ring")]
    data = networks.read_set(prepared / "zinc.npz", *zip(*cells, strict=True), "cpu")
    mixed = networks.Trainer(make_job("gine", cells), data, low=False)
    job = make_job("gine", cells[:1])
    plain = networks.Trainer(job, data, low=False)
    batch = networks.make_batch(
        data, torch.tensor([[0, 1]] * 2), networks.Capacity(8, 14), mixed.network.cells, None
    )
    with torch.no_grad():
        for name, part in plain.network.weights.parts.items():
            part.copy_(mixed.network.weights.parts[name][:1, : part.shape[1]])

    one = {name: values[:1] if len(values) == 2 else values for name, values in batch.items()}
    found = plain.network.forward(one, training=False)[0]

    torch.testing.assert_close(mixed.network.forward(batch, training=False)[0][:1], found)
    sizes = [
        networks.count_weights(make_job("gine", cells), data, r) for r in make_job("gine", cells).replicas
    ]
    assert networks.count_weights(job, data, job.replicas[0]) == sizes[0]


def test_average_follows_the_weights_and_is_chosen_by_validation(prepared: Path) -> None:
    cells = [("none", "ring"), ("none", "type")]
    data = networks.read_set(prepared / "zinc.npz", *zip(*cells, strict=True), "cpu")
    trainer = networks.Trainer(make_job("gine", cells), data, low=False)
    weights = trainer.network.weights.flat
    trainer.rate.fill_(0.01)
    states = []
    for _ in range(2):
        trainer.chosen.copy_(torch.tensor([0, 1, 2, 3]))
        trainer.step()
        states.append(weights.detach().clone())

    torch.testing.assert_close(trainer.average[0], (states[0] + states[1]) / 2)
    scores = torch.tensor(trainer.keep_best(1))
    assert scores.shape == (2, 2)
    torch.testing.assert_close(weights, states[1])
    torch.testing.assert_close(trainer.best, scores.min(dim=0).values)
    assert trainer.is_average.tolist() == (scores[1] < scores[0]).tolist()
    for row in range(2):
        source = trainer.average[0] if trainer.is_average[row] else weights
        torch.testing.assert_close(trainer.kept[0][row], source[row])


def test_columns_of_another_replica_do_not_matter(prepared: Path) -> None:
    cells = [("rwse", "ring"), ("none", "pair")]
    data = networks.read_set(prepared / "zinc.npz", *zip(*cells, strict=True), "cpu")
    job = make_job("gine", cells)
    job = replace(job, replicas=tuple(replace(replica, both=False) for replica in job.replicas))
    both = networks.Trainer(job, data, low=False)
    alone = networks.Trainer(replace(job, replicas=job.replicas[:1]), data, low=False)
    for trainer in (both, alone):
        trainer.rate.fill_(0.01)
        trainer.chosen.copy_(torch.tensor([0, 1, 2, 3]))
        trainer.step()

    torch.testing.assert_close(both.network.weights.flat[:1], alone.network.weights.flat)


def test_columns_that_fill_up_change_nothing(prepared: Path) -> None:
    job = make_job("gine", [("none", "type")])
    data = networks.read_set(prepared / "zinc.npz", ["none"], ["type"], "cpu")
    trainer = networks.Trainer(job, data, low=False)
    before = networks.make_batch(
        data, torch.tensor([[0, 1]]), networks.Capacity(8, 14), trainer.network.cells, None
    )
    wide = networks.make_batch(
        data, torch.tensor([[0, 1]]), networks.Capacity(20, 40), trainer.network.cells, None
    )

    found = [trainer.network.forward(batch, training=False)[0] for batch in (before, wide)]

    torch.testing.assert_close(*found)


def test_training_lowers_the_error_and_writes_a_line_per_replica(prepared: Path, tmp_path: Path) -> None:
    job = replace(make_job("gine", [("none", "ring"), ("rwse", "type")]), epochs=30, every=10)
    output = tmp_path / "lines.jsonl"

    networks.train(job, prepared, output, 60.0, low=False, about={})

    lines = networks.read_lines([output])
    assert [line["bonds"] for line in lines] == ["ring", "type"]
    assert all(line["test"] is not None and line["epochs"] == 30 for line in lines)
    assert "| none | ring | 0.1, 0, 8, 0.001, 0 |" in networks.table(lines)


def test_the_page_has_the_scores_of_the_results_file() -> None:
    text = (ROOT / "docs/research/molecules_in_networks.md").read_text("utf-8")
    lines = networks.read_lines([ROOT / "results/molecules/networks.jsonl"])
    tested = networks.lines_with_scores(lines)
    final = [line for line in tested if line["job"] == "final"]
    others = [line for line in tested if line["job"] != "final"]
    rows = [row.strip("|").split("|") for row in networks.table(tested).splitlines() if " ± " in row]
    expected = [f"|{row[0]}|{row[1]}|{row[-2]}|{row[-1]}|" for row in rows[:11]]
    expected += [f"|{row[0]}|{row[1]}|{row[4]}|{row[-2]}|{row[-1]}|" for row in rows[11:]]
    for table in (
        networks.search_table([line for line in lines if line["test"] is None]),
        networks.differences(final, ("rwse", "ring")),
        networks.differences(others),
    ):
        expected += [row for row in table.splitlines() if row.startswith("|")]

    assert len(rows) == 23
    assert "| freesolv |" not in text  # 11 epochs
    assert [row for row in expected if row not in text] == []


def test_intervals_are_over_splits_where_there_are_several() -> None:
    line = vars(networks.Replica("none", "type")) | {"job": "x", "set": "y", "network": "gine"}
    line |= {"metric": "mae", "weights": 5, "epochs": 2, "validation": 0.5}
    lines = [line | {"part": part, "test": value} for part in (0, 1) for value in (part + 0.25, part + 0.75)]

    # Splits of mean 0.5 and 1.5 have a variance of 0.5. Their test parts are 1/8 of their training parts (Nadeau and
    # Bengio): a standard error of (0.5 (1/2 + 1/8)) ** 0.5, and 12.706 of them.
    assert networks.table(lines).endswith("| 4 | 0.5000 ± 0.0000 | 1.0000 ± 7.1030 |")


def test_distinct_rows_give_back_the_counts() -> None:
    from scipy.sparse import csr_array

    counts = np.array([[1, 0, 2], [0, 3, 0], [1, 0, 2]] * 20)

    rows, index = distinct_rows(csr_array(counts), np.ones(60, dtype=bool))

    assert rows.shape == (2, 3)
    assert np.array_equal(rows[index], counts)

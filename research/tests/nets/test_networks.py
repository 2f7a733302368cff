"""Every network equals PyTorch Geometric's own layers, or a plain loop, replica by replica in float64."""

import dataclasses
import warnings
from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

from egonet import Graph
from egonet.errors import InputError
from research.nets import operations
from research.nets.build_store import build_store
from research.nets.neighbor_tables import laplacian
from research.nets.network import Replica, Sizes, start
from research.nets.shape import Network, Spectral
from research.nets.store import pack
from research.nets.train import Plan, schedule, train
from research.nets.trainer import Task, Trainer

with warnings.catch_warnings():  # importing it calls parts of torch that are on their way out
    warnings.simplefilter("ignore")
    from torch_geometric.nn import (
        ChebConv,
        GATConv,
        GCNConv,
        GINConv,
        global_add_pool,
        global_max_pool,
        global_mean_pool,
    )

torch.set_num_threads(1)

SIZES = np.array([5, 3, 7, 1, 6, 4, 8, 2, 5, 6])
WIDTH, COLUMNS = 3, 2
POOLS = {"sum": global_add_pool, "mean": global_mean_pool, "max": global_max_pool}
ACTIVATIONS = {"relu": torch.relu, "elu": F.elu, "tanh": torch.tanh}
SPECTRAL = Spectral(bandwidth=2.0, num_frequencies=3, own_largest=True)

NETWORKS = {
    "linear": Network("linear", pool=("sum",), outputs=1),
    "mlp": Network("mlp", (6, 6), pool=("mean", "max"), outputs=3),
    "gcn": Network("gcn", (6, 2), pool=("mean", "max"), head=(5,), outputs=3, norm="all"),
    "gat": Network("gat", (4, 3), pool=("mean",), head=(5,), outputs=1, activation="elu", heads=2),
    "gin": Network("gin", (6, 6, 6), pool=("sum", "max"), outputs=3, norm="all", share_last=True),
    "gin-one-map": Network(
        "gin", (6, 6), outputs=1, depth=1, epsilon="uniform", activation="tanh", final="tanh"
    ),
    "chebnet": Network("chebnet", (6, 4), pool=("mean", "max"), outputs=3, hops=4, norm="first"),
    "gnnml1": Network("gnnml1", (4, 4), parts=(3, 2), pool=("sum",), head=(5,), outputs=1, gate="tanh"),
    "gnnml3": Network("gnnml3", (4, 4), parts=(3,), pool=("sum", "max"), outputs=3, norm="pooled"),
    "gnnml3-learned": Network(
        "gnnml3", (4, 4), parts=(3,), pool=("mean",), head=(4,), outputs=1, learned=True
    ),
}


def graph_set():
    """Ten random graphs of 1 to 8 nodes, some of them isolated, and two variants of encodings."""
    rng = np.random.default_rng(7)
    node_ptr = np.concatenate([[0], np.cumsum(SIZES)])
    pairs = [
        (first + a, first + b)
        for first, size in zip(node_ptr, SIZES, strict=False)
        for a in range(size)
        for b in range(a)
        if rng.random() < 0.4
    ]
    arcs = np.array(pairs)
    union = Graph.from_indices(arcs[:, 0], arcs[:, 1], int(node_ptr[-1]))
    inputs = rng.normal(size=(union.num_nodes, WIDTH))
    extra = rng.random((2, union.num_nodes, COLUMNS))
    return union, node_ptr, inputs, extra


def make_task(name):
    network = NETWORKS[name]
    union, node_ptr, inputs, extra = graph_set()
    store = build_store(network, union, node_ptr, inputs, extra, spectral=SPECTRAL)
    supports = SPECTRAL.num_supports + COLUMNS
    replicas = [
        Replica(seed, fold, variant, WIDTH + COLUMNS, supports)
        for seed in (1, 2)
        for fold, variant in ((0, 0), (3, 1))
    ]
    classes = np.arange(len(SIZES) + 1) % (3 if network.outputs > 1 else 2)
    targets = torch.from_numpy(classes)[None]
    loss = "classes" if network.outputs > 1 else "binary"
    return Task(
        network, Sizes(WIDTH + COLUMNS, supports, supports), store, replicas, targets, loss, rate=0.01
    )


def dense(union):
    """The adjacency matrix of all graphs."""
    matrix = np.zeros((union.num_nodes, union.num_nodes))
    matrix[np.repeat(np.arange(union.num_nodes), union.degrees), union.indices] = 1.0
    return matrix


class Plain(torch.nn.Module):
    """One replica, written layer by layer with the usual modules; parameters are those of the batched one."""

    def __init__(self, task, line, values):
        super().__init__()
        self.task, self.network = task, task.network
        self.values = torch.nn.ParameterDict(
            {
                name.replace(".", "_"): torch.nn.Parameter(value[line].clone())
                for name, value in values.items()
            }
        )
        union, self.node_ptr, inputs, extra = graph_set()
        self.x = torch.from_numpy(np.concatenate([inputs, extra[task.replicas[line].variant]], axis=1))
        self.encoding = torch.from_numpy(extra[task.replicas[line].variant])
        self.matrices = [dense(union)[first:last, first:last] for first, last in pairwise(self.node_ptr)]
        self.norms = torch.nn.ModuleDict()
        for name, value in self.values.items():
            if name.endswith("_n_w"):
                norm = torch.nn.BatchNorm1d(len(value)).double()
                norm.weight, norm.bias = value, self.values[name[:-1] + "b"]
                self.norms[name[:-2]] = norm

    def v(self, name):
        return self.values[name.replace(".", "_")]

    def linear(self, x, name):
        return x @ self.v(f"{name}.w") + self.v(f"{name}.b")

    def forward(self, graphs):
        xs, edges, batch, shift, largest = [], [], [], 0, []
        for position, g in enumerate(graphs):
            matrix = self.matrices[g]
            xs.append(self.x[self.node_ptr[g] : self.node_ptr[g + 1]])
            edges.append(torch.from_numpy(np.argwhere(matrix).T.astype(np.int64)) + shift)
            batch += [position] * len(matrix)
            largest.append(np.linalg.eigvalsh(laplacian(matrix))[-1])
            shift += len(matrix)
        x, edge_index, batch = torch.cat(xs), torch.cat(edges, dim=1), torch.tensor(batch)
        for layer in range(len(self.network.widths)):
            x = self.layer(layer, x, edge_index, batch, graphs, torch.tensor(largest))
            if self.network.kind not in ("gnnml1", "gnnml3"):
                x = ACTIVATIONS[self.network.activation](x)
            if f"{layer}_n" in self.norms:
                x = self.norms[f"{layer}_n"](x)
        x = torch.cat([POOLS[kind](x, batch, len(graphs)) for kind in self.network.pool], dim=1)
        if "pool_n" in self.norms:
            x = self.norms["pool_n"](x)
        hidden = torch.tanh if self.network.activation == "tanh" else torch.relu
        for place in range(len(self.network.head)):
            x = hidden(self.linear(x, f"head{place}"))
        x = self.linear(x, "out")
        return torch.tanh(x) if self.network.final == "tanh" else x

    def layer(self, layer, x, edge_index, batch, graphs, largest):
        kind, out = self.network.kind, self.network.widths[layer]
        if kind == "mlp":
            return self.linear(x, f"{layer}")
        if kind == "gcn":
            conv = GCNConv(x.shape[1], out).double()
            return self.call(
                conv, {"lin.weight": self.v(f"{layer}.w").T, "bias": self.v(f"{layer}.b")}, x, edge_index
            )
        if kind == "gat":
            conv = GATConv(x.shape[1], out, heads=self.network.heads).double()
            weights = {
                "lin.weight": self.v(f"{layer}.w").T,
                "att_src": self.v(f"{layer}.source")[None],
                "att_dst": self.v(f"{layer}.target")[None],
                "bias": self.v(f"{layer}.b"),
            }
            return self.call(conv, weights, x, edge_index)
        if kind == "gin":
            owner = layer - 1 if self.network.share_last and layer == len(self.network.widths) - 1 else layer
            depth = self.network.depth
            modules = [torch.nn.Linear(x.shape[1] if k == 0 else out, out) for k in range(depth)]
            nn = torch.nn.Sequential(*[m for k in modules for m in (k, torch.nn.ReLU())][: 2 * depth - 1])
            conv = GINConv(nn, train_eps=True).double()
            weights = {"eps": self.v(f"{layer}.e").reshape(conv.eps.shape)}
            for k in range(depth):
                weights[f"nn.{2 * k}.weight"] = self.v(f"{owner}.{k}.w").T
                weights[f"nn.{2 * k}.bias"] = self.v(f"{owner}.{k}.b")
            return self.call(conv, weights, x, edge_index)
        if kind == "chebnet":
            conv = ChebConv(x.shape[1], out, K=self.network.hops).double()
            weights = {f"lins.{k}.weight": self.v(f"{layer}.w")[k].T for k in range(self.network.hops)}
            weights["bias"] = self.v(f"{layer}.b")
            return self.call(conv, weights, x, edge_index, None, batch, largest)
        dense = torch.zeros(len(x), len(x), dtype=torch.float64)
        dense[edge_index[0], edge_index[1]] = 1.0
        if kind == "gnnml1":
            gate = ACTIVATIONS[self.network.gate]
            product = gate(self.linear(x, f"{layer}.p")) * gate(self.linear(x, f"{layer}.q"))
            convolved = dense @ x @ self.v(f"{layer}.w") + self.v(f"{layer}.b")
            return torch.cat(
                [torch.relu(self.linear(x, f"{layer}.l")), torch.relu(convolved), product], dim=1
            )
        supports = self.supports(graphs, dense)
        if self.network.learned:
            e = supports.permute(1, 2, 0)
            e = torch.cat(
                [
                    torch.relu(e @ self.v(f"{layer}.r")),
                    torch.tanh(e @ self.v(f"{layer}.s")) * torch.tanh(e @ self.v(f"{layer}.t")),
                ],
                dim=2,
            )
            supports = torch.relu(e @ self.v(f"{layer}.u")).permute(2, 0, 1)
        convolved = sum(
            support @ x @ weight for support, weight in zip(supports, self.v(f"{layer}.w"), strict=True)
        )
        product = torch.tanh(self.linear(x, f"{layer}.p")) * torch.tanh(self.linear(x, f"{layer}.q"))
        return torch.cat([torch.relu(convolved + self.v(f"{layer}.b")), product], dim=1)

    def supports(self, graphs, dense):
        """The supports by their definition, as dense matrices over all graphs of the batch."""
        blocks = []
        for g in graphs:
            matrix = self.matrices[g]
            values, vectors = np.linalg.eigh(laplacian(matrix))
            values = np.maximum(values, 0)
            frequencies = np.linspace(values[0], values[-1], SPECTRAL.num_frequencies)
            shapes = [
                vectors @ np.diag(np.exp(-SPECTRAL.bandwidth * (values - f) ** 2)) @ vectors.T
                for f in frequencies
            ]
            blocks.append(np.stack([*shapes, np.eye(len(matrix))]) * ((matrix + np.eye(len(matrix))) > 0))
        spectral = torch.stack(
            [
                torch.block_diag(*[torch.from_numpy(b[s]) for b in blocks])
                for s in range(SPECTRAL.num_supports)
            ]
        )
        e = torch.cat([self.encoding[self.node_ptr[g] : self.node_ptr[g + 1]] for g in graphs])
        near = dense + torch.eye(len(dense), dtype=torch.float64)
        products = torch.stack([near * torch.outer(e[:, k], e[:, k]) for k in range(COLUMNS)])
        return torch.cat([spectral, products])

    def call(self, conv, weights, *inputs):
        assert set(weights) == {name for name, _ in conv.named_parameters()}
        return torch.func.functional_call(conv, weights, inputs)


def plain_loss(task, outputs, graphs):
    y = task.targets[0, graphs]
    if task.loss == "classes":
        return F.nll_loss(F.log_softmax(outputs, dim=1), y, reduction="sum")
    return F.binary_cross_entropy_with_logits(outputs[:, 0], y.double(), reduction="sum")


@pytest.mark.parametrize("name", NETWORKS)
def test_batched_replicas_equal_separate_networks(name):
    task = make_task(name)
    values = start(task.network, task.sizes, task.replicas, torch.float64)
    batched = Trainer(task, values=values)
    plain = [Plain(task, line, values) for line in range(4)]
    optimizers = [torch.optim.Adam(one.parameters(), lr=task.rate) for one in plain]
    chosen = [np.arange(10), np.arange(1, 10), np.arange(9), np.arange(10)]
    steps = schedule(task.replicas, chosen, 0, 5, task.store.num_graphs)
    if name == "gin":  # batch norm amplifies the rounding of dead units, so its later steps are not compared
        steps = steps[:1]

    for graphs in steps:
        losses = batched._step(torch.from_numpy(graphs), 40)[0]
        for line, one in enumerate(plain):
            real = graphs[line][graphs[line] < 10]
            loss = plain_loss(task, one(real), torch.from_numpy(real))
            assert losses[line].item() == pytest.approx(loss.item(), abs=1e-9)
            optimizers[line].zero_grad()
            loss.backward()
            optimizers[line].step()

    everything = torch.arange(10).expand(4, 10)
    outputs = batched.outputs(everything, 60)
    for line, one in enumerate(plain):
        with torch.no_grad():
            near = 1e-6 if name == "gin" else 1e-8
            torch.testing.assert_close(outputs[line], one.eval()(np.arange(10)), atol=near, rtol=near)


@pytest.mark.parametrize("name", NETWORKS)
def test_padding_rows_change_nothing(name):
    task = make_task(name)
    graphs = torch.arange(10).expand(4, 10)

    small, large = (Trainer(task).outputs(graphs, rows) for rows in (48, 96))

    torch.testing.assert_close(small, large, atol=1e-12, rtol=1e-12)


def test_first_weights_depend_on_their_own_seed_alone():
    task = make_task("gcn")
    alone = start(task.network, task.sizes, task.replicas[2:3], torch.float64)
    together = start(task.network, task.sizes, task.replicas, torch.float64)

    assert torch.equal(alone["0.w"][0], together["0.w"][2])
    assert not torch.equal(together["0.w"][0], together["0.w"][2])


def test_first_weights_are_bounded_by_the_published_width():
    task = make_task("mlp")
    wide = [Replica(1, 0, 0, 10_000), Replica(1, 0, 0, 5)]
    values = start(task.network, task.sizes, wide, torch.float64)

    assert values["0.w"][0].abs().max() <= 0.01
    assert 0.01 < values["0.w"][1].abs().max() <= 5**-0.5


def test_a_replica_stops_by_itself_and_keeps_its_best_parameters():
    task = make_task("mlp")
    plan = Plan([np.arange(6)] * 4, {"validation": [np.arange(6, 10)] * 4}, 3, 400, patience=3)
    trainer = Trainer(task)
    history = train(trainer, plan)

    losses = history.table("losses", "validation")
    for line in range(4):
        best = int(history.best_epoch[line])
        assert losses[best, line] == losses[: best + 4, line].min()
    trainer.flat.copy_(history.best)
    measured, _ = trainer.measure(torch.arange(6, 10).expand(4, 4), 64)
    expected = [losses[int(best), line] for line, best in enumerate(history.best_epoch)]
    np.testing.assert_allclose(measured.numpy() / 4, expected, atol=1e-12)


def test_replicas_that_drop_out_leave_the_others_as_they_would_be_alone():
    task = make_task("gcn")
    sets = {"validation": [np.arange(6, 10), np.arange(5, 9), np.arange(6, 10), np.arange(4, 8)]}
    plan = Plan([np.arange(6)] * 4, sets, 3, 60, patience=2)
    together = train(Trainer(task), plan)
    losses = together.table("losses", "validation")
    ends = [int(np.isnan(losses[:, line]).argmax()) or together.num_epochs for line in range(4)]

    assert len(set(together.best_epoch.tolist())) > 1
    assert min(ends) < together.num_epochs  # somebody dropped out
    for line in range(4):
        own = dataclasses.replace(task, replicas=[task.replicas[line]])
        alone = train(
            Trainer(own), Plan(plan.train[:1], {"validation": [sets["validation"][line]]}, 3, 60, patience=2)
        )
        assert int(alone.best_epoch[0]) == int(together.best_epoch[line])
        shared = min(ends[line], alone.num_epochs)
        np.testing.assert_allclose(
            losses[:shared, line], alone.table("losses", "validation")[:shared, 0], atol=1e-8
        )


def test_replicas_with_other_variants_see_the_same_batches():
    replicas = [Replica(3, 1, 0), Replica(3, 1, 1), Replica(4, 1, 0)]
    steps = schedule(replicas, [np.arange(7)] * 3, 5, 4, none=7)

    assert steps.shape == (2, 3, 4)
    assert (steps[:, 0] == steps[:, 1]).all()
    assert (steps[:, 0] != steps[:, 2]).any()
    assert sorted(steps[:, 0].ravel().tolist()) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_replicas_with_unequal_numbers_of_steps_raise():
    with pytest.raises(InputError, match="equally many steps"):
        schedule([Replica(1), Replica(2)], [np.arange(8), np.arange(9)], 0, 4, none=9)


def test_the_gradient_of_a_tall_linear_map_is_summed_in_blocks(monkeypatch):
    x, weight, bias = (torch.rand(*shape, dtype=torch.float64) for shape in ((3, 24, 4), (3, 4, 2), (3, 2)))
    found = []
    for rows in (10**6, 5):
        monkeypatch.setattr(operations, "_TALL", rows)
        inputs = [tensor.clone().requires_grad_() for tensor in (x, weight, bias)]
        grads = torch.autograd.grad((operations.linear(*inputs) ** 2).sum(), inputs)
        found.append((operations._blocks(x), *grads))

    assert [blocks for blocks, *_ in found] == [1, 4]
    for once, cut in zip(found[0][1:], found[1][1:], strict=True):
        torch.testing.assert_close(once, cut, atol=1e-12, rtol=1e-12)


def test_ends_by_place_read_the_rows_of_the_first_graphs():
    store = make_task("gnnml3").store
    graphs, variants = torch.tensor([[2, 0], [5, 10]]), torch.tensor([1, 0])

    own = pack(store, graphs, variants, 16)
    placed = pack(dataclasses.replace(store, ends_by_place=True), graphs, variants, 16)

    assert torch.equal(own.inputs, placed.inputs)
    assert torch.equal(own.ends[0, :12], torch.cat([store.extra[1, 8:15], store.extra[1, :5]]))
    assert torch.equal(placed.ends[0, :12], torch.cat([store.extra[1, :7], store.extra[1, :5]]))
    assert torch.equal(placed.ends[1, :4], store.extra[0, :4])
    assert (placed.ends[0, 12:] == 0).all()
    assert (placed.ends[1, 4:] == 0).all()

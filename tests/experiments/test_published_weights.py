"""First weights as published are those of PyTorch Geometric's modules, built in the published order."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402

from egonet.experiments.datasets import read_dataset  # noqa: E402
from egonet.experiments.features import Request, make_extra  # noqa: E402
from egonet.experiments.publishedweights import Columns, published_orders, published_weights  # noqa: E402
from egonet.experiments.settings import Settings, Unit  # noqa: E402
from egonet.experiments.spec import table_spec  # noqa: E402
from egonet.experiments.tasks import run_early  # noqa: E402
from egonet.nets import trainer as train_module  # noqa: E402
from egonet.nets.network import Replica, Sizes, parameters  # noqa: E402

with warnings.catch_warnings():  # importing it calls parts of torch that are on their way out
    warnings.simplefilter("ignore")
    pyg = pytest.importorskip("torch_geometric.nn")

SEED, OWN, SUPPORTS = 9, 2, 6
#: Two inputs, then five columns of which two are stored.
COLUMNS = Columns(np.array([1, 4]), width=5, table=(5, 0))
ROWS = [0, 1, 3, 6]
NETWORKS = table_spec("table4").data["exp"].networks


class TwoEnds(pyg.GATConv):
    """As in version 2.0.2, the map of both ends is reset once for each of them."""

    def reset_parameters(self):
        self.lin.reset_parameters()
        super().reset_parameters()


class Convolution(torch.nn.Module):
    """GNNML3's: a glorot weight per support and no bias at first."""

    def __init__(self, width, out, supports):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(supports, width, out))
        self.bias = torch.nn.Parameter(torch.zeros(out))
        torch.nn.init.uniform_(self.weight, -((6 / (width + out)) ** 0.5), (6 / (width + out)) ** 0.5)


def layers(kind, width, supports):
    """The modules of the published script in the order of their creation, before its head."""
    linear = torch.nn.Linear
    if kind == "mlp":
        return [linear(width, 64), linear(64, 64), linear(64, 64)]
    if kind == "gcn":
        return [pyg.GCNConv(width, 64), pyg.GCNConv(64, 64), pyg.GCNConv(64, 64)]
    if kind == "gat":
        return [TwoEnds(wide, 16, heads=8) for wide in (width, 128, 128)]
    if kind == "gin":
        made = []
        for wide in (width, 64, 64):
            made.append(pyg.GINConv(torch.nn.Sequential(linear(wide, 64)), eps=0.0, train_eps=True))
        return made
    if kind == "chebnet":
        return [pyg.ChebConv(width, 32, 5), pyg.ChebConv(32, 64, 5), pyg.ChebConv(64, 64, 5)]
    made = []
    for wide in (width, 48, 48):
        shapes = [(supports, 2 * supports)] * 3 + [(4 * supports, supports)]
        edges = [linear(first, second, bias=False) for first, second in shapes]
        made.append([*edges, Convolution(wide, 32, supports), linear(wide, 16), linear(wide, 16)])
    return made


def named(kind, layer, module):
    """A module's parameters by the names of this package."""
    if kind == "mlp":
        return {f"{layer}.w": module.weight.T, f"{layer}.b": module.bias}
    if kind == "gcn":
        return {f"{layer}.w": module.lin.weight.T, f"{layer}.b": module.bias}
    if kind == "gat":
        ends = {f"{layer}.source": module.att_src[0], f"{layer}.target": module.att_dst[0]}
        return {f"{layer}.w": module.lin.weight.T, **ends, f"{layer}.b": module.bias}
    if kind == "gin":
        return {f"{layer}.0.w": module.nn[0].weight.T, f"{layer}.0.b": module.nn[0].bias}
    if kind == "chebnet":
        return {
            f"{layer}.w": torch.stack([lin.weight.T for lin in module.lins]),
            f"{layer}.b": module.bias,
        }
    *edges, convolution, first, second = module
    found = {f"{layer}.{name}": edge.weight.T for name, edge in zip("rstu", edges, strict=True)}
    found |= {f"{layer}.w": convolution.weight, f"{layer}.b": convolution.bias}
    found |= {f"{layer}.p.w": first.weight.T, f"{layer}.p.b": first.bias}
    return found | {f"{layer}.q.w": second.weight.T, f"{layer}.q.b": second.bias}


@pytest.mark.parametrize("kind", ["mlp", "gcn", "gat", "gin", "chebnet", "gnnml3"])
def test_weights_are_those_of_the_modules_built_in_the_published_order(kind):
    network, width, supports = NETWORKS[kind], OWN + 5, SUPPORTS + 5
    torch.manual_seed(SEED)
    torch.nn.Linear(1, 1)
    expected = {}
    for layer, module in enumerate(layers(kind, width, supports)):
        expected |= named(kind, layer, module)
    for name, out in (("head0", 10), ("out", 1)):
        module = torch.nn.Linear(network.channels[-1] if name == "head0" else 10, out)
        expected |= {f"{name}.w": module.weight.T, f"{name}.b": module.bias}

    sizes = Sizes(OWN + 2, SUPPORTS + 2, supports)
    replica = Replica(SEED, width=width, supports=supports)
    found = published_weights(network, sizes, [replica], [COLUMNS])

    assert {name for name in found if not name.endswith(".e")} == expected.keys()
    for one in parameters(network, sizes):
        if one.name.endswith(".e"):
            continue
        rows = {"inputs": ROWS, "supports": [*range(SUPPORTS), SUPPORTS + 1, SUPPORTS + 4]}.get(one.rows)
        want = expected[one.name] if rows is None else expected[one.name][..., rows, :]
        assert found[one.name].shape == (1, *one.shape)
        assert torch.equal(found[one.name][0], want)


def test_the_epsilons_of_gin_are_what_numpy_draws_first():
    found = published_weights(NETWORKS["gin"], Sizes(4), [Replica(SEED, width=7)], [COLUMNS])

    expected = np.random.RandomState(SEED).uniform(size=3).astype(np.float32)
    assert [found[f"{layer}.e"].item() for layer in range(3)] == expected.tolist()


def test_a_table_of_vectors_is_drawn_before_the_network_and_nothing_without_an_encoding():
    torch.manual_seed(SEED)
    torch.rand(45, 10)
    torch.nn.Linear(1, 1)
    with_vectors = torch.nn.Linear(12, 1).weight
    torch.manual_seed(SEED)
    control = torch.nn.Linear(2, 1).weight

    replicas = [Replica(SEED, width=12), Replica(SEED, width=2)]
    columns = [Columns(np.arange(10), 10, (45, 10)), Columns(np.arange(0))]
    found = published_weights(NETWORKS["linear"], Sizes(12), replicas, columns)["out.w"]

    assert torch.equal(found[0], with_vectors.T)
    assert torch.equal(found[1, :2], control.T)
    assert not found[1, 2:].any()  # columns that this replica does not read


def test_drawing_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)

    torch.manual_seed(1)
    published_weights(NETWORKS["gat"], Sizes(4), [Replica(SEED, width=7)], [COLUMNS])

    assert torch.equal(torch.rand(3), expected)


def test_batches_come_in_the_order_of_pytorchs_loader_after_the_weights():
    torch.manual_seed(SEED)
    torch.rand(45, 10)
    torch.nn.Linear(1, 1)
    torch.nn.Linear(12, 1)
    graphs = list(range(9))
    loaders = [DataLoader(graphs, batch_size=4, shuffle=shuffle) for shuffle in (True, False, False)]
    epochs = [[torch.cat(list(loader)).tolist() for loader in loaders] for _ in range(3)]

    replicas, columns = [Replica(SEED, width=12)], [Columns(np.arange(10), 10, (45, 10))]
    (found,) = published_orders(NETWORKS["linear"], replicas, columns, 9, 3)

    assert found.tolist() == [shuffled for shuffled, *_ in epochs]


def test_the_columns_of_exp_are_where_the_published_code_has_them(data_folder):
    data = read_dataset("exp")
    request = Request("encoding", 2)
    columns = make_extra(data, [request], [data.splits[0][0]], [1]).columns_of[request, 0]

    # Degrees up to 6: three distances of 2 * 6 + 3 columns, of which each vertex fills those at 2 * degree + 2.
    assert (columns.width, columns.table) == (45, (45, 0))
    assert set(columns.places % 15) <= set(range(4, 15, 2))
    assert columns.places.tolist() == sorted(set(columns.places.tolist()))


@pytest.mark.parametrize(("protocol", "as_published"), [("paper", True), ("honest", False)])
def test_only_the_papers_protocol_starts_from_published_weights(
    data_folder, monkeypatch, protocol, as_published
):
    seen = []
    original = train_module.Trainer.__init__

    def spy(self, task, **words):
        seen.append(words.get("values"))
        original(self, task, **words)

    monkeypatch.setattr(train_module.Trainer, "__init__", spy)
    spec = table_spec("table4").data["exp"]
    units = [Unit(Request("encoding", 2), seed) for seed in (1, 2)]
    run_early(
        read_dataset("exp"), spec, spec.networks["linear"], units, Settings(protocol=protocol, quick=True)
    )

    assert (seen[0] is not None) == as_published
    if as_published:
        torch.manual_seed(2)
        torch.nn.Linear(1, 1)
        assert torch.equal(seen[0]["out.w"][1, :2, 0], torch.nn.Linear(47, 1).weight[0, :2])

"""What is published for a seed: PyTorch Geometric's modules built in order, then the batches of PyTorch's loaders."""

import warnings

import numpy as np
import pytest

from contracts.parts import need

torch = need("torch")
from torch.utils.data import DataLoader  # noqa: E402

from research.datasets.readers import read_dataset  # noqa: E402
from research.nets import trainer as train_module  # noqa: E402
from research.nets.network import Replica, Sizes, parameters  # noqa: E402
from research.paper.features import Request, make_extra  # noqa: E402
from research.paper.published.draws import Columns, published_draws  # noqa: E402
from research.paper.run import target_of  # noqa: E402
from research.paper.settings import Settings, Unit  # noqa: E402
from research.paper.spec import table_spec  # noqa: E402
from research.paper.tasks import run_early  # noqa: E402

with warnings.catch_warnings():  # importing it calls parts of torch that are on their way out
    warnings.simplefilter("ignore")
    pyg = need("torch_geometric.nn")

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
    found = published_draws(network, sizes, [replica], [COLUMNS]).weights

    assert {name for name in found if not name.endswith(".e")} == expected.keys()
    for one in parameters(network, sizes):
        if one.name.endswith(".e"):
            continue
        rows = {"inputs": ROWS, "supports": [*range(SUPPORTS), SUPPORTS + 1, SUPPORTS + 4]}.get(one.rows)
        want = expected[one.name] if rows is None else expected[one.name][..., rows, :]
        assert found[one.name].shape == (1, *one.shape)
        assert torch.equal(found[one.name][0], want)


def test_the_epsilons_of_gin_are_what_numpy_draws_first():
    found = published_draws(NETWORKS["gin"], Sizes(4), [Replica(SEED, width=7)], [COLUMNS]).weights

    expected = np.random.RandomState(SEED).uniform(size=3).astype(np.float32)
    assert [found[f"{layer}.e"].item() for layer in range(3)] == expected.tolist()


def test_both_maps_of_gin_are_drawn_before_either_is_drawn_again():
    network = table_spec("table5").data["randomgraph"].networks["gin"]
    torch.manual_seed(SEED)
    maps = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64))
    pyg.GINConv(maps, train_eps=True)

    found = published_draws(network, Sizes(2), [Replica(SEED, width=2)], [Columns(np.arange(0))]).weights

    for place, module in enumerate((maps[0], maps[2])):
        assert torch.equal(found[f"0.{place}.w"][0], module.weight.T)
        assert torch.equal(found[f"0.{place}.b"][0], module.bias)
    assert found["0.e"].tolist() == [0.0]


@pytest.mark.slow
def test_linear_counts_triangles_with_the_published_errors(data_folder):
    table, spec = table_spec("table5"), table_spec("table5").data["randomgraph"]
    cell = next(cell for cell in table.cells if (cell.model, cell.target) == ("linear", "triangle"))
    units = [Unit(Request(cell.form, cell.radius), seed, target_of(table, cell)) for seed in table.seeds]

    found = run_early(read_dataset("randomgraph"), spec, spec.networks["linear"], units, Settings())

    scores = [outcome.score for outcome in found]
    assert np.mean(scores) == pytest.approx(cell.value, rel=2e-3)  # published with three digits
    assert np.std(scores, ddof=1) == pytest.approx(cell.spread, rel=1e-3)


def test_a_table_of_vectors_is_drawn_before_the_network_and_nothing_without_an_encoding():
    torch.manual_seed(SEED)
    torch.rand(45, 10)
    torch.nn.Linear(1, 1)
    with_vectors = torch.nn.Linear(12, 1).weight
    torch.manual_seed(SEED)
    control = torch.nn.Linear(2, 1).weight

    replicas = [Replica(SEED, width=12), Replica(SEED, width=2)]
    columns = [Columns(np.arange(10), 10, (45, 10)), Columns(np.arange(0))]
    found = published_draws(NETWORKS["linear"], Sizes(12), replicas, columns).weights["out.w"]

    assert torch.equal(found[0], with_vectors.T)
    assert torch.equal(found[1, :2], control.T)
    assert not found[1, 2:].any()  # columns that this replica does not read


def test_drawing_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)

    torch.manual_seed(1)
    published_draws(NETWORKS["gat"], Sizes(4), [Replica(SEED, width=7)], [COLUMNS])

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
    counts = {"graphs": [9], "epochs": 3, "loaders": 3}
    (found,) = published_draws(NETWORKS["linear"], Sizes(12), replicas, columns, **counts).orders

    assert [order.tolist() for order in found] == [shuffled for shuffled, *_ in epochs]


@pytest.mark.parametrize("has_encoding", [False, True])
def test_folds_go_on_where_the_one_before_ended_unless_the_encoder_seeds_again(has_encoding):
    expected = []
    for fold in range(3):
        if fold == 0 or has_encoding:
            torch.manual_seed(SEED)
        if has_encoding:
            torch.nn.Linear(1, 1)
        weight = torch.nn.Linear(2, 1).weight
        loaders = [DataLoader(range(5 + fold), batch_size=2, shuffle=shuffle) for shuffle in (True, False)]
        epochs = [[torch.cat(list(loader)).tolist() for loader in loaders] for _ in range(4)]
        expected.append((weight, [shuffled for shuffled, _ in epochs]))

    columns = Columns(np.arange(0), 0, (9, 0) if has_encoding else None)
    replicas = [Replica(SEED, fold, width=2) for fold in range(3)]
    counts = {"graphs": [5, 6, 7], "epochs": 4, "loaders": 2}
    found = published_draws(NETWORKS["linear"], Sizes(2), replicas, [columns] * 3, **counts)

    for fold, (weight, orders) in enumerate(expected):
        assert torch.equal(found.weights["out.w"][fold], weight.T)
        assert [order.tolist() for order in found.orders[fold]] == orders


def test_a_weight_per_support_is_kept_for_the_stored_ones_and_norms_start_at_one():
    network = table_spec("table1").data["mutag"].networks["gnnml3"]
    torch.manual_seed(SEED)
    torch.nn.Linear(1, 1)
    convolution = Convolution(7, 24, SUPPORTS + 5)

    replica = Replica(SEED, width=7, supports=SUPPORTS + 5)
    found = published_draws(network, Sizes(4, SUPPORTS + 2, SUPPORTS + 5), [replica], [COLUMNS]).weights

    kept = [*range(SUPPORTS), SUPPORTS + 1, SUPPORTS + 4]
    assert torch.equal(found["0.w"][0], convolution.weight[kept][:, ROWS])
    assert found["0.n.w"].tolist() == [[1.0] * 48]
    assert found["0.n.b"].tolist() == [[0.0] * 48]


def test_the_columns_of_exp_are_where_the_published_code_has_them(data_folder):
    data = read_dataset("exp")
    request = Request("encoding", 2)
    columns = make_extra(data, [request], [data.splits[0][0]], [1]).columns_of[request, 0]

    # Degrees up to 6: three distances of 2 * 6 + 3 columns, of which each node fills those at 2 * degree + 2.
    assert (columns.width, columns.table) == (45, (45, 0))
    assert set(columns.places % 15) <= set(range(4, 15, 2))
    assert columns.places.tolist() == sorted(set(columns.places.tolist()))


@pytest.mark.parametrize(("protocol", "as_published"), [("paper", True), ("honest", False)])
def test_only_the_papers_protocol_starts_from_published_weights(
    data_folder, monkeypatch, protocol, as_published
):
    seen = []
    original = train_module.Trainer.__init__

    def spy(self, task, **options):
        seen.append(options.get("values"))
        original(self, task, **options)

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

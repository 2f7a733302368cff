"""The input module: standardized counts, dense and sparse, saved with their columns, in three frameworks."""

import io
import warnings

import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric.data import Batch, Data  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402
from torch_geometric.nn import GINEConv, global_add_pool  # noqa: E402

import egonet  # noqa: E402
from contracts.pyg import path, tailed_triangle, undirected  # noqa: E402
from egonet import nn as nn_module  # noqa: E402
from egonet.errors import InputError  # noqa: E402
from egonet.nn import EdgeInput, EgoInput, EgoNetworks, EleneConv  # noqa: E402
from egonet.pyg import AddEgoEncoding  # noqa: E402
from egonet.pyg.edges import AddEdgeEncoding  # noqa: E402

COUNTS = torch.tensor([[1.0, 0.0, 3.0, 2.0], [1.0, 0.0, 0.0, 2.0], [1.0, 1.0, 1.0, 0.0]])
NAMES = ["same", "rare", "often", "twice"]


def fitted(**options):
    return EgoInput(NAMES, 5, **{"min_nodes": 2} | options).fit(COUNTS)


def test_rare_and_constant_columns_are_dropped():
    assert fitted().kept_columns == ["often", "twice"]
    assert fitted(min_nodes=1).kept_columns == ["rare", "often", "twice"]


def test_the_first_layer_takes_standardized_logarithms():
    module = fitted(mlp=False)
    values = torch.log1p(COUNTS[:, 2:])
    standardized = (values - values.mean(0)) / values.std(0, correction=0)

    torch.testing.assert_close(module(COUNTS), standardized @ module.weight + module.bias)


def test_values_that_are_weighted_already_are_taken_as_they_are():
    module = fitted(mlp=False, log=False)

    torch.testing.assert_close(module.mean, COUNTS[:, 2:].mean(0))


def test_mlp_adds_a_layer_after_a_relu():
    module = fitted()
    first = fitted(mlp=False)
    first.load_state_dict({name: value for name, value in module.state_dict().items() if "last" not in name})

    torch.testing.assert_close(module(COUNTS), module.last(first(COUNTS).relu()))


@pytest.mark.parametrize("mlp", [False, True])
def test_sparse_counts_give_the_vectors_and_gradients_of_dense_ones(mlp):
    module = fitted(mlp=mlp)
    dense = module(COUNTS)
    dense.square().sum().backward()
    expected = module.weight.grad.clone()
    module.zero_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "CSR is in beta state"
        forms = COUNTS.to_sparse(), COUNTS.to_sparse_csr()
    for sparse in forms:
        module.zero_grad()
        found = module(sparse)
        found.square().sum().backward()

        torch.testing.assert_close(found, dense)
        torch.testing.assert_close(module.weight.grad, expected)


def test_fit_reads_a_list_of_graphs_as_it_reads_their_batch():
    transform = AddEgoEncoding.from_dataset([tailed_triangle(), path(4)], radius=1)
    graphs = transform.add_to([tailed_triangle(), path(4)])
    one, other = (
        EgoInput(transform.vocabulary, 4, min_nodes=1).fit(train)
        for train in (graphs, Batch.from_data_list(graphs))
    )

    assert one.kept_columns == other.kept_columns
    torch.testing.assert_close(one.mean, other.mean)
    torch.testing.assert_close(one.scale, other.scale)


def test_fit_reads_sparse_attributes_as_dense_ones():
    graphs = [tailed_triangle(), path(4)]
    transform = AddEgoEncoding.from_dataset(graphs, radius=1)
    sparse = AddEgoEncoding(vocabulary=transform.vocabulary, sparse=True)
    modules = [
        EgoInput(transform.vocabulary, 4, min_nodes=1).fit(each.add_to(graphs))
        for each in (transform, sparse)
    ]

    torch.testing.assert_close(modules[0].mean, modules[1].mean)
    modules[1].load_state_dict(modules[0].state_dict())
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # PyG makes a sparse tensor without saying whether it is to be checked
        batches = [Batch.from_data_list(each.add_to(graphs)) for each in (transform, sparse)]
    torch.testing.assert_close(modules[0](batches[0]), modules[1](batches[1]))


def test_a_saved_state_has_the_columns_and_loads_into_a_module_that_was_not_fitted():
    module = fitted()
    stream = io.BytesIO()
    torch.save(module.state_dict(), stream)
    stream.seek(0)
    other = EgoInput(NAMES, 5, min_nodes=2)
    other.load_state_dict(torch.load(stream, weights_only=True))

    assert other.kept_columns == ["often", "twice"]
    torch.testing.assert_close(other(COUNTS), module(COUNTS))
    torch.testing.assert_close(other(COUNTS.to_sparse()), module(COUNTS))


def test_a_state_with_other_columns_is_an_error():
    other = EgoInput(["same", "rare", "seldom", "twice"], 5)

    with pytest.raises(InputError, match="first 'often' instead of 'seldom'"):
        other.load_state_dict(fitted().state_dict())


def test_a_state_trained_without_logarithms_is_an_error():
    with pytest.raises(InputError, match="trained with log=False, got log=True"):
        EgoInput(NAMES, 5).load_state_dict(fitted(log=False).state_dict())


def test_an_unfitted_module_raises():
    with pytest.raises(InputError, match="Call fit with the training data first"):
        EgoInput(NAMES, 5)(COUNTS)


def test_other_columns_raise():
    with pytest.raises(InputError, match=r"4 columns, got shape \(3, 3\)"):
        fitted()(COUNTS[:, :3])
    with pytest.raises(InputError, match=r"fit needs 4 columns, got shape \(3, 3\)"):
        fitted().fit(COUNTS[:, :3])


def test_data_without_an_encoding_raises():
    with pytest.raises(InputError, match="Apply AddEgoEncoding first"):
        fitted()(path(3))


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ([], {}, "columns must be a vocabulary"),
        (["a", "a"], {}, "different names"),
        (["a"], {"dim": 0}, "dim must be a whole number >= 1, got 0"),
        (["a"], {"min_nodes": -1}, "min_nodes must be a whole number >= 0"),
    ],
)
def test_invalid_arguments_raise(columns, options, message):
    with pytest.raises(InputError, match=message):
        EgoInput(columns, **{"dim": 3} | options)


def test_fit_raises_where_no_column_is_left():
    with pytest.raises(InputError, match="no column is used by 20 of the 3 training nodes"):
        EgoInput(NAMES, 3).fit(COUNTS)
    with pytest.raises(InputError, match="at least one training node"):
        EgoInput(NAMES, 3).fit(COUNTS[:0])


@pytest.mark.parametrize("radii", [(1, (1, 2)), ((1, 2), 1)])
def test_a_state_with_more_or_fewer_columns_raises(radii):
    own, other = (egonet.encode(egonet.named.karate_club(), radius) for radius in radii)
    state = EgoInput(other, 4, min_nodes=1).fit(other).state_dict()

    with pytest.raises(InputError, match="Make the module with the vocabulary of the training data"):
        EgoInput(own, 4, min_nodes=1).load_state_dict(state)


def test_fit_takes_a_list_of_encodings_and_compares_their_columns():
    club = egonet.encode(egonet.named.karate_club(), 1)
    twice = EgoInput(club, 4, min_nodes=1).fit([club, club])
    assert torch.equal(twice.mean, EgoInput(club, 4, min_nodes=1).fit(club).mean)

    others = egonet.encode(egonet.named.karate_club(), 0, max_degree=4)
    module = EgoInput([f"r1_d1_deg{degree}" for degree in range(len(others.vocabulary))], 4, min_nodes=1)
    with pytest.raises(InputError, match="first 'r0_d0_deg1' instead of 'r1_d1_deg0'"):
        module.fit(others)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_fit_keeps_the_precision_of_the_module(dtype):
    module = EgoInput(NAMES, 3, min_nodes=1).to(dtype).fit(COUNTS)

    assert module(COUNTS).dtype == dtype
    torch.testing.assert_close(module(COUNTS.to_sparse()), module(COUNTS), atol=0.05, rtol=0.05)


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def test_compiled_module_gives_the_same_vectors_and_gradients_in_one_graph(backend):
    module = fitted()
    compiled = torch.compile(module, fullgraph=True, backend=backend)

    torch.testing.assert_close(compiled(COUNTS), module(COUNTS))
    weights = list(module.parameters())
    found, expected = (
        torch.autograd.grad(call(COUNTS).square().sum(), weights) for call in (compiled, module)
    )
    torch.testing.assert_close(found, expected)


def test_mixed_precision_computes_in_bfloat16_and_keeps_the_statistics():
    module = fitted()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low = module(COUNTS)
        bags = module(COUNTS.to_sparse())

    assert low.dtype == torch.bfloat16
    assert module.mean.dtype == torch.float32
    torch.testing.assert_close(low.float(), module(COUNTS), atol=0.03, rtol=0.03)
    torch.testing.assert_close(bags.float(), module(COUNTS), atol=0.03, rtol=0.03)


def test_the_preset_for_molecules_counts_full_degrees_up_to_radius_3():
    settings = AddEgoEncoding.for_molecules([path(4)]).vocabulary.settings

    assert settings.radius == (1, 2, 3)
    assert settings.degrees == "full"


def test_the_package_offers_the_module_lazily():
    assert egonet.nn.EgoInput is egonet.EgoInput is EgoInput


# --- recipes: a network with atoms, bonds and the encoding, in plain PyG, GraphGym and Lightning


def molecules():
    """Return rings of five and of six, labeled by their size, with one kind of atom and bond."""
    graphs = []
    for size in [5, 6] * 10:
        data = undirected(
            [(node, (node + 1) % size) for node in range(size)] + [(0, size)], num_nodes=size + 1
        )
        data.x = torch.zeros(size + 1, dtype=torch.long)
        data.edge_attr = torch.zeros(data.edge_index.shape[1], dtype=torch.long)
        data.y = torch.tensor([float(size == 6)])
        graphs.append(data)
    return graphs


class Network(torch.nn.Module):
    """GINE whose atoms are vectors plus what the encoding says about their surroundings."""

    def __init__(self, ego_input, dim=8):
        super().__init__()
        self.ego = ego_input
        self.atom, self.bond = torch.nn.Embedding(4, dim), torch.nn.Embedding(4, dim)
        self.layer = GINEConv(
            torch.nn.Sequential(torch.nn.Linear(dim, dim), torch.nn.ReLU(), torch.nn.Linear(dim, dim))
        )
        self.last = torch.nn.Linear(dim, 1)

    def forward(self, batch):
        nodes = self.atom(batch.x) + self.ego(batch)
        nodes = self.layer(nodes, batch.edge_index, self.bond(batch.edge_attr))
        return self.last(global_add_pool(nodes, batch.batch)).squeeze(-1)


def prepared():
    """Return encoded graphs and an input module fitted to them."""
    graphs = molecules()
    transform = AddEgoEncoding.for_molecules(graphs)
    graphs = transform.add_to(graphs)
    torch.manual_seed(0)
    return graphs, EgoInput(transform.vocabulary, 8, min_nodes=5).fit(graphs)


def test_recipe_for_plain_pyg():
    graphs, ego_input = prepared()
    network = Network(ego_input)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    losses = []
    for _ in range(30):
        for batch in DataLoader(graphs, batch_size=20):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(network(batch), batch.y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    assert losses[-1] < losses[0] / 5


def test_recipe_for_graphgym():
    need("yacs", "'egonet[test]'")
    need("lightning", "'egonet[test]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch_geometric.graphgym import register
    graphs, ego_input = prepared()
    state = ego_input.state_dict()

    class EgoNodeEncoder(torch.nn.Module):
        """What GraphGym and GraphGPS call for `dataset.node_encoder_name: Ego`."""

        def __init__(self, emb_dim):
            super().__init__()
            self.atom = torch.nn.Embedding(4, emb_dim)
            self.ego = EgoInput(ego_input.columns, emb_dim, min_nodes=5)
            self.ego.load_state_dict(state)

        def forward(self, batch):
            batch.x = self.atom(batch.x) + self.ego(batch)
            return batch

    if "Ego" in register.node_encoder_dict:
        del register.node_encoder_dict["Ego"]
    register.register_node_encoder("Ego", EgoNodeEncoder)
    batch = Batch.from_data_list(graphs)
    encoded = register.node_encoder_dict["Ego"](8)(batch)

    assert encoded.x.shape == (batch.num_nodes, 8)
    assert encoded.x.requires_grad


def test_recipe_for_lightning(tmp_path):
    need("lightning", "'egonet[test]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from lightning.pytorch import LightningModule, Trainer
    graphs, ego_input = prepared()

    class Model(LightningModule):
        def __init__(self):
            super().__init__()
            self.network = Network(ego_input)

        def training_step(self, batch):
            return torch.nn.functional.mse_loss(self.network(batch), batch.y)

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=0.01)

    model = Model()
    before = model.training_step(Batch.from_data_list(graphs)).item()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = Trainer(
            max_epochs=30,
            accelerator="cpu",
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=tmp_path,
        )
        trainer.fit(model, DataLoader(graphs, batch_size=20))
        trainer.save_checkpoint(tmp_path / "last.ckpt")
    after = model.training_step(Batch.from_data_list(graphs)).item()
    saved = torch.load(tmp_path / "last.ckpt", weights_only=False)["state_dict"]

    assert after < before / 5
    assert saved["network.ego.kept"].tolist() == ego_input.kept.tolist()


def test_a_data_object_may_have_its_encoding_under_another_name():
    module = fitted(attr_name="mine")

    torch.testing.assert_close(module(Data(mine=COUNTS)), module(COUNTS))


def test_edge_input_takes_the_rows_of_edges_and_names_them_in_messages():
    graphs = [AddEdgeEncoding(1)(graph) for graph in (tailed_triangle(), path(5))]
    module = EdgeInput(AddEdgeEncoding(1).vocabulary, 4, min_edges=2).fit(graphs)
    batch = Batch.from_data_list(graphs)

    assert module(batch).shape == (batch.num_edges, 4)
    assert torch.equal(module(batch)[: graphs[0].num_edges], module(graphs[0]))
    with pytest.raises(
        InputError, match=r"EdgeInput reads the attribute 'edge_encoding'.*Apply AddEdgeEncoding"
    ):
        module(path(3))
    with pytest.raises(InputError, match="EdgeInput has not learned its columns"):
        EdgeInput(NAMES, 4)(COUNTS)
    with pytest.raises(InputError, match="min_edges must be a whole number"):
        EdgeInput(NAMES, 4, min_edges=-1)
    with pytest.raises(InputError, match="Lower min_edges"):
        EdgeInput(NAMES, 4, min_edges=100).fit(COUNTS)
    assert "min_edges=7" in repr(EdgeInput(NAMES, 4, min_edges=7))


def test_edge_input_is_saved_with_its_columns():
    module = EdgeInput(NAMES, 5, min_edges=2).fit(COUNTS)
    other = EdgeInput(NAMES, 5)
    other.load_state_dict(module.state_dict())

    assert torch.equal(other(COUNTS), module(COUNTS))


def relabel(index, order):
    """Return an edge_index in which node v is order[v], with its arcs in another order."""
    arcs = order[index]
    return arcs[:, torch.randperm(arcs.shape[1])]


def edge_index_of(graph):
    source, target = (torch.from_numpy(ends).long() for ends in graph.edge_rows())
    return torch.stack([torch.cat([source, target]), torch.cat([target, source])])


@pytest.mark.parametrize("edges", [True, False])
def test_elene_gives_a_node_the_same_vector_under_twenty_relabelings(edges):
    torch.manual_seed(0)
    graph = egonet.named.karate_club()
    index, layer = edge_index_of(graph), EleneConv(6, 2, edges=edges).double()
    x = torch.randn(34, 6, dtype=torch.double)
    expected = layer(x, EgoNetworks.from_edge_index(index, 34, 2))
    for _ in range(20):
        order = torch.randperm(34)
        moved = torch.empty_like(x)
        moved[order] = x
        found = layer(moved, EgoNetworks.from_edge_index(relabel(index, order), 34, 2))
        assert torch.allclose(found[order], expected, atol=1e-12)


def test_elene_reads_a_batch_as_its_graphs():
    torch.manual_seed(0)
    graphs = [edge_index_of(graph) for graph in (egonet.named.decalin(), egonet.named.petersen())]
    layer = EleneConv(4, 2, edge_dim=3)
    xs, attrs = [torch.randn(10, 4) for _ in graphs], [torch.randn(index.shape[1], 3) for index in graphs]
    alone = [
        layer(x, EgoNetworks.from_edge_index(index, 10, 2), index, attr)
        for x, index, attr in zip(xs, graphs, attrs, strict=True)
    ]
    data = [
        Data(x=x, edge_index=index, edge_attr=attr) for x, index, attr in zip(xs, graphs, attrs, strict=True)
    ]
    batch = Batch.from_data_list(data)
    networks = EgoNetworks.from_edge_index(batch.edge_index, batch.num_nodes, 2)

    together = layer(batch.x, networks, batch.edge_index, batch.edge_attr)

    assert torch.allclose(together, torch.cat(alone), atol=1e-6)
    assert len(networks.root) == sum(len(EgoNetworks.from_edge_index(index, 10, 2).root) for index in graphs)


def test_elene_adds_the_features_of_both_arcs_of_an_edge():
    index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    networks = EgoNetworks.from_edge_index(index, 3, 1)
    attr = torch.tensor([[1.0], [10.0], [100.0], [1000.0]])

    found = nn_module._edge_features(networks, index, attr, 1)

    pairs = [tuple(sorted(pair)) for pair in networks.node[networks.ends].T.tolist()]
    assert dict(zip(pairs, found.flatten().tolist(), strict=True)) == {(0, 1): 11.0, (1, 2): 1100.0}


def test_elene_adds_repeated_edges_and_takes_one_direction():
    twice = torch.tensor([[0, 1, 0, 2], [1, 0, 1, 1]])
    networks = EgoNetworks.from_edge_index(twice, 3, 1)

    found = nn_module._edge_features(networks, twice, torch.tensor([[1.0], [10.0], [100.0], [5.0]]), 1)

    pairs = [tuple(sorted(pair)) for pair in networks.node[networks.ends].T.tolist()]
    assert dict(zip(pairs, found.flatten().tolist(), strict=True)) == {(0, 1): 111.0, (1, 2): 5.0}


def test_elene_takes_a_graph_without_edges_and_edge_features():
    empty = torch.empty(2, 0, dtype=torch.long)
    layer = EleneConv(2, 1, edge_dim=3)

    for size in (0, 1):
        networks = EgoNetworks.from_edge_index(empty, size, 1)
        assert layer(torch.ones(size, 2), networks, empty, torch.ones(0, 3)).shape == (size, 2)


def test_elene_learns_to_count_triangles_which_message_passing_cannot():
    import networkx as nx

    # All nodes have three neighbors, so that 1-WL and message passing see no difference between these graphs.
    graphs = [nx.random_regular_graph(3, 10, seed=seed) for seed in range(40)]
    targets = torch.tensor([float(sum(nx.triangles(graph).values())) / 3 for graph in graphs])
    indices = [edge_index_of(egonet.as_graph(graph)) for graph in graphs]
    networks = [EgoNetworks.from_edge_index(index, 10, 1) for index in indices]
    torch.manual_seed(0)
    layer, last = EleneConv(8, 1), torch.nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*layer.parameters(), *last.parameters()], lr=0.02)

    def predict(numbers):
        outputs = [last(layer(torch.ones(10, 8), networks[number]).sum(dim=0)) for number in numbers]
        return torch.cat(outputs)

    for _ in range(60):
        optimizer.zero_grad()
        (predict(range(25)) - targets[:25]).square().mean().backward()
        optimizer.step()

    with torch.no_grad():
        error = (predict(range(25, 40)) - targets[25:]).square().mean()
    constant = (targets[:25].mean() - targets[25:]).square().mean()
    assert constant > 0.5
    assert error < 0.05 * constant


def test_elene_separates_what_its_counts_separate_and_no_strongly_regular_graphs():
    torch.manual_seed(0)
    layer = EleneConv(5, 1).double()

    def read(graph):
        index = edge_index_of(graph)
        x = torch.ones(graph.num_nodes, 5, dtype=torch.double)
        return layer(x, EgoNetworks.from_edge_index(index, graph.num_nodes, 1)).sum(dim=0)

    hub = [(0, leaf) for leaf in range(1, 7)]
    first = egonet.Graph.from_edges([*hub, (1, 2), (2, 3), (3, 4), (5, 6)])
    second = egonet.Graph.from_edges([*hub, (1, 2), (2, 3), (4, 5), (5, 6)])

    assert torch.allclose(read(egonet.named.rook_4x4()), read(egonet.named.shrikhande()), atol=1e-12)
    assert not torch.allclose(read(first), read(second), atol=1e-6)


def test_elene_needs_memory_for_ego_networks_and_not_for_all_pairs():
    ring = torch.arange(200_000)
    index = torch.stack([torch.cat([ring, ring.roll(1)]), torch.cat([ring.roll(1), ring])])
    networks = EgoNetworks.from_edge_index(index, 200_000, 1)

    assert len(networks.root) == 600_000
    assert networks.ends.shape == (2, 400_000)
    out = EleneConv(2, 1)(torch.ones(200_000, 2), networks)
    out.sum().backward()
    assert torch.allclose(out, out[0].expand_as(out))


def test_elene_says_what_does_not_fit():
    index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    networks = EgoNetworks.from_edge_index(index, 3, 2)
    with pytest.raises(InputError, match="must have the radius of the layer, 1, got 2"):
        EleneConv(2, 1)(torch.ones(3, 2), networks)
    with pytest.raises(InputError, match="must have the radius of the layer, 3, got 2"):
        EleneConv(2, 3)(torch.ones(3, 2), networks)
    with pytest.raises(InputError, match=r"Use EgoNetworks\.from_edge_index"):
        EleneConv(2, 2)(torch.ones(3, 2), index)
    with pytest.raises(InputError, match="messages of edges, got edges=False"):
        EleneConv(2, 2, edges=False, edge_dim=1)
    layer = EleneConv(2, 2, edge_dim=2)
    for attr in (torch.ones(4), torch.ones(3, 2), torch.ones(8, 2), torch.ones(4, 1)):
        with pytest.raises(InputError, match=r"edge_attr must have a row per column.*\(4, 2\), got"):
            layer(torch.ones(3, 2), networks, index, attr)
    with pytest.raises(InputError, match="have edges that edge_index does not have"):
        layer(torch.ones(3, 2), networks, index[:, :2], torch.ones(2, 2))
    with pytest.raises(InputError, match=r"node features of shape \(3, 2\)"):
        EleneConv(2, 2)(torch.ones(3, 4), networks)
    with pytest.raises(InputError, match="edge_attr is needed if and only if"):
        EleneConv(2, 2, edge_dim=1)(torch.ones(3, 2), networks)
    with pytest.raises(InputError, match="needs edge_index to look up edge_attr"):
        EleneConv(2, 2, edge_dim=1)(torch.ones(3, 2), networks, edge_attr=torch.ones(4, 1))
    with pytest.raises(InputError, match="radius must be a whole number >= 1"):
        EgoNetworks.from_edge_index(index, 3, 0)
    empty = EgoNetworks.from_edge_index(torch.empty(2, 0, dtype=torch.long), 3, 1)
    assert EleneConv(2, 1)(torch.ones(3, 2), empty).shape == (3, 2)

"""Loaders that sample a graph: batches keep the rows of the whole graph."""

import pytest

from contracts.parts import need

torch = need("torch")
need("torch_geometric")

from torch_geometric import typing as pyg_typing  # noqa: E402
from torch_geometric.data import Data  # noqa: E402
from torch_geometric.loader import NeighborLoader, NodeLoader  # noqa: E402
from torch_geometric.sampler import BaseSampler, SamplerOutput  # noqa: E402
from torch_geometric.utils import k_hop_subgraph, to_undirected  # noqa: E402

from egonet.pyg import AddEgoEncoding  # noqa: E402


class HopSampler(BaseSampler):
    """All nodes within some hops of the seeds, in Python: what pyg-lib does with unlimited neighbors."""

    def __init__(self, edge_index, hops):
        self.edge_index, self.hops = edge_index, hops

    def sample_from_nodes(self, inputs, **_):
        seeds = inputs.node
        found, _, _, _ = k_hop_subgraph(seeds, self.hops, self.edge_index)
        nodes = torch.cat([seeds, found[~torch.isin(found, seeds)]])  # the seeds come first
        place = torch.full((int(self.edge_index.max()) + 1,), -1)
        place[nodes] = torch.arange(len(nodes))
        kept = (place[self.edge_index] >= 0).all(dim=0).nonzero().ravel()
        row, col = place[self.edge_index[:, kept]]
        return SamplerOutput(node=nodes, row=row, col=col, edge=kept, metadata=(inputs.input_id, None))

    def sample_from_edges(self, inputs, neg_sampling=None):
        raise NotImplementedError


@pytest.fixture
def whole():
    torch.manual_seed(0)
    edges = to_undirected(torch.randint(0, 60, (2, 80)), num_nodes=60)
    return AddEgoEncoding(radius=2, degree_bins="log")(Data(edge_index=edges, num_nodes=60))


def check(loader, whole):
    """Every batch has the rows of the whole graph; rows of the sample alone would be others."""
    differ = False
    for batch in loader:
        assert torch.equal(batch.ego_encoding, whole.ego_encoding[batch.n_id])
        again = AddEgoEncoding(radius=2, degree_bins="log", directed=False)(
            Data(edge_index=batch.edge_index, num_nodes=batch.num_nodes)
        )
        differ |= not torch.equal(again.ego_encoding, batch.ego_encoding)
    assert differ


def test_a_loader_with_a_sampler_in_python_keeps_the_rows_of_the_whole_graph(whole):
    sampler = HopSampler(whole.edge_index, hops=1)
    check(NodeLoader(whole, node_sampler=sampler, batch_size=8), whole)


@pytest.mark.filterwarnings("ignore:Using 'NeighborSampler' without a 'pyg-lib'")
@pytest.mark.skipif(
    not (pyg_typing.WITH_PYG_LIB or pyg_typing.WITH_TORCH_SPARSE), reason="needs pyg-lib or torch-sparse"
)
def test_neighbor_loader_keeps_the_rows_of_the_whole_graph(whole):
    check(NeighborLoader(whole, num_neighbors=[2, 2], batch_size=8), whole)

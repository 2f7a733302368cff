"""
A graph network that sees triangles
===================================

PyTorch Geometric, end to end: graphs, a transform, a network, its accuracy, and a file to take to production. The task
is to detect whether a 3-regular graph has a triangle. To a message-passing network all nodes of such graphs look alike,
so a GIN without features can only guess. With the encoding as input the answer is among the columns.

Install: `pip install ".[pyg]" networkx`
"""

# %%
# Graphs
# ------
# Random 3-regular graphs of 16 nodes: half have a triangle, half have none.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_gin_with_encoding.svg'

import os

import networkx as nx
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, global_add_pool

from egonet.pyg import AddEgoEncoding

EPOCHS = int(os.environ.get("EGONET_EPOCHS", "60"))
NUM_EACH = 100

kinds = {False: [], True: []}
seed = 0
while min(map(len, kinds.values())) < NUM_EACH:
    drawn = nx.random_regular_graph(3, 16, seed=seed)
    kinds[sum(nx.triangles(drawn).values()) > 0].append(drawn)
    seed += 1
graphs = []
for has_triangle, drawn in kinds.items():
    for graph in drawn[:NUM_EACH]:
        ends = torch.tensor(list(graph.edges)).t()
        both = torch.cat([ends, ends.flip(0)], dim=1)
        graphs.append(Data(x=torch.ones(16, 1), edge_index=both, y=torch.tensor([float(has_triangle)])))

order = torch.randperm(len(graphs), generator=torch.Generator().manual_seed(0)).tolist()
train, test = [graphs[i] for i in order[:140]], [graphs[i] for i in order[140:]]
print(f"{len(train)} graphs for training, {len(test)} for testing")

# %%
# The transform
# -------------
# `from_dataset` fixes the columns on the training graphs; `attr_name=None` appends them to `x`. `add_to` encodes
# all graphs in one call; `pre_transform` would encode them one by one.

transform = AddEgoEncoding.from_dataset(train, radius=1, attr_name=None)
print(transform)

# %%
# Training
# --------


class Network(torch.nn.Module):
    """A small GIN, summed over the nodes."""

    def __init__(self, num_features):
        super().__init__()
        self.layers = GIN(num_features, 16, num_layers=2)
        self.last = torch.nn.Linear(16, 1)

    def forward(self, batch):
        return self.last(global_add_pool(self.layers(batch.x, batch.edge_index), batch.batch)).squeeze(-1)


def accuracy(train_set, test_set):
    """Return the accuracy on the test graphs of a network trained from scratch."""
    torch.manual_seed(0)
    network = Network(train_set[0].num_features)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(EPOCHS):
        for batch in DataLoader(train_set, batch_size=70, shuffle=True):
            optimizer.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(network(batch), batch.y).backward()
            optimizer.step()
    with torch.no_grad():
        batch = next(iter(DataLoader(test_set, batch_size=len(test_set))))
        return float(((network(batch) > 0) == (batch.y > 0)).float().mean())


scores = {
    "guessing": max(float(torch.tensor([data.y for data in test]).mean()), 0.5),
    "GIN": accuracy(train, test),
    "GIN with the encoding": accuracy(transform.add_to(train), transform.add_to(test)),
}
for title, score in scores.items():
    print(f"{title:<24}{score:.2f}")

# %%
# To production
# -------------
# The transform is saved with its columns, next to the weights of the network.

import tempfile
from pathlib import Path

file = Path(tempfile.mkdtemp()) / "transform.json"
transform.save(file)
same = torch.equal(AddEgoEncoding.load(file)(test[0]).x, transform(test[0]).x)
print(f"the loaded transform gives the same columns: {same}")

# %%
# What this shows
# ---------------
# The data are chosen to show what a network can see, not what real data need. On ZINC-12k a GINE has an error of 0.075
# with the encoding, of 0.084 with random walks, and of 0.066 with random walks and the ring of every bond
# (`AddMoleculeEncoding`). On social networks and airports degrees, random walks and eigenvectors do as well. The page
# *When it helps* has all sets.

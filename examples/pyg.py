"""
One transform for PyG
=====================

``AddEgoEncoding`` writes the encoding of every vertex onto a ``Data``, or appends it to ``x``. The columns are learned
once from the training graphs, so every graph gets the same.
"""

import torch
from torch_geometric.data import Batch, Data

from egonet.transform import AddEgoEncoding


def ring(size):
    """Return a cycle as PyG sees it, with one constant feature."""
    source = torch.arange(size)
    target = (source + 1) % size
    edges = torch.stack([torch.cat([source, target]), torch.cat([target, source])])
    return Data(x=torch.ones(size, 1), edge_index=edges)


train = [ring(3), ring(5), ring(6)]
transform = AddEgoEncoding.from_dataset(train, radius=2, attr_name=None)
transform(ring(3)).x

# %%
# A batch is encoded in one call. Six-rings and five-rings now have different features, which no number of message
# passing steps alone would give them:

batch = transform(Batch.from_data_list([ring(5), ring(6)]))
print(batch.x[batch.batch == 0].unique(dim=0))
print(batch.x[batch.batch == 1].unique(dim=0))

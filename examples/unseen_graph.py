"""
Vectors for an unseen graph
===========================

Methods that learn a vector per node (DeepWalk, node2vec) have none for a new node. `fit_embeddings` learns a vector per
column of the encoding, so every node of any graph has a vector as soon as it is encoded.

Install: `pip install ".[sklearn]"`
"""

from itertools import pairwise

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import egonet

# %%
# Two towns
# ---------
# Houses (a roof, two tops of walls, two bases) are linked to a road that forms a ring. A few random edges add noise. The
# task is to predict the role of a node. The second town is another graph, twice as large.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_unseen_graph.svg'


def town(num_houses, num_lanes, seed):
    """Return a town as edges, and the role of every node."""
    edges, roles = [], {}
    for house in range(num_houses):
        left, right, top_left, top_right, roof = ((house, part) for part in range(5))
        edges += [(left, right), (left, top_left), (right, top_right), (top_left, top_right)]
        edges += [(top_left, roof), (top_right, roof)]
        roles |= {left: "base", right: "base", top_left: "wall", top_right: "wall", roof: "roof"}
        road = [(house, 5), (house, 6), (house, 7)]
        roles |= dict.fromkeys(road, "road")
        edges += pairwise([right, *road, ((house + 1) % num_houses, 0)])
    rng = np.random.default_rng(seed)
    nodes = list(roles)
    edges += [tuple(nodes[end] for end in rng.choice(len(nodes), 2, replace=False)) for _ in range(num_lanes)]
    return egonet.Graph.from_edges(edges, nodes=nodes), np.array(list(roles.values()))


first, first_roles = town(num_houses=40, num_lanes=30, seed=1)
second, second_roles = town(num_houses=80, num_lanes=60, seed=2)
print(f"{first.num_nodes} nodes for training, {second.num_nodes} unseen")

# %%
# Learned on the first, used on the second
# ----------------------------------------
# Nothing is fitted on the second town: its nodes are encoded, and the vectors of their columns are summed.

walks, training = egonet.Walks(length=20), egonet.Training(epochs=5)
embedding = egonet.fit_embeddings(first, radius=2, dim=8, walks=walks, training=training, rng=0)
print(embedding)
print(f"vectors of the second town: {embedding.transform(second).shape}")

# %%
# The nearest node
# ----------------
# A roof of the second town, and the nearest node in the first.

nearest = np.linalg.norm(embedding.transform(first) - embedding.transform(second)[4], axis=1).argmin()
print(f"node {second.nodes[4]} is a {second_roles[4]}; nearest in the first town: a {first_roles[nearest]}")

# %%
# Baselines
# ---------
# The classifier is trained on the first town and tested on the second. The encoding itself needs no training and
# transfers at least as well. Vectors are shorter and dense.

counts = egonet.encode(first, radius=2)
methods = {
    "majority": (np.zeros((first.num_nodes, 1)), np.zeros((second.num_nodes, 1))),
    "degree": (first.degrees[:, None], second.degrees[:, None]),
    "encoding": (
        counts.matrix.toarray(),
        egonet.encode(second, vocabulary=counts.vocabulary).matrix.toarray(),
    ),
    "vectors": (embedding.transform(first), embedding.transform(second)),
}
scores = {}
for title, (seen, unseen) in methods.items():
    last = DummyClassifier() if title == "majority" else LogisticRegression(max_iter=5000)
    model = make_pipeline(StandardScaler(), last).fit(seen, first_roles)
    scores[title] = model.score(unseen, second_roles)
    print(f"{title:<10}{seen.shape[1]:>4} columns   accuracy {scores[title]:.3f}")

"""
Predict links
=============

Which pairs of people will become friends? Classical scores count the friends that two people share. An encoding of a
pair also counts who else is near, at which distance from either end, and with how many friends.

The example needs the edges of Facebook (4,039 people, 88,234 friendships) in the folder `facebook` of the folder that
EGONET_DATA names. The page *Features of pairs* has more methods, two graphs and five seeds.
"""

# %%
# A split that does not leak
# --------------------------
# A third of the friendships is removed first: the graph that is encoded never has an edge that is to be predicted. As
# many pairs that are no friends, neither now nor later, are drawn at random. Half of the pairs are to learn from.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_predict_links.svg'

import os
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import egonet

file = Path(os.environ.get("EGONET_DATA", "data")) / "facebook" / "Facebook.edgelist"
if not file.exists():
    where = "Set EGONET_DATA to the folder above facebook."
    raise SystemExit(f"This example reads Facebook.edgelist and other files in {file.parent}. {where}")
rng = np.random.default_rng(0)
friends = egonet.read_graph(file)
edges = rng.permutation(friends.edges())
hidden, kept = np.split(edges, [len(edges) // 3])
graph = egonet.Graph.from_edges(kept, num_nodes=friends.num_nodes)

known = {tuple(sorted(edge)) for edge in edges.tolist()}
drawn = rng.integers(friends.num_nodes, size=(len(hidden), 2)).tolist()
strangers = [pair for pair in drawn if pair[0] != pair[1] and tuple(sorted(pair)) not in known]

pairs = np.concatenate([hidden[: len(strangers)], strangers])
is_edge = np.arange(len(pairs)) < len(strangers)
order = rng.permutation(len(pairs))[:12_000]
train, test = order[:6_000], order[6_000:]
print(f"{graph.num_edges:,} friendships known; {len(train):,} pairs to learn from, {len(test):,} to test")

# %%
# Classical scores
# ----------------
# They need no training. Two people without a common friend get zero.

known_graph = nx.Graph(kept.tolist())
known_graph.add_nodes_from(range(friends.num_nodes))
asked = pairs[test].tolist()
common = [len(list(nx.common_neighbors(known_graph, u, v))) for u, v in asked]
adamic_adar = [score for _, _, score in nx.adamic_adar_index(known_graph, asked)]
classical = {"common friends": common, "Adamic-Adar": adamic_adar}
scores = {title: roc_auc_score(is_edge[test], found) for title, found in classical.items()}

# %%
# Pair encodings
# --------------
# Area under the curve on pairs that no model has seen. Two people who share no friend are
# all equal to the classical scores; pair encodings still tell most of them apart.

encoder = egonet.PairEncoder(graph, radius=(1, 2), degree_bins="log", weighting="log", sparse_output=False)
rows, unseen = encoder.fit_transform(pairs[train]), encoder.transform(pairs[test])
models = {
    "pairs, linear": make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=2000)),
    "pairs, boosting": HistGradientBoostingClassifier(random_state=0),
}
for title, model in models.items():
    model.fit(rows, is_edge[train])
    scores[title] = roc_auc_score(is_edge[test], model.predict_proba(unseen)[:, 1])
print("\n".join(f"{title:<18}{score:.4f}" for title, score in scores.items()))

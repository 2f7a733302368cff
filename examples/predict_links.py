"""
Predict links
=============

Who will work together next? You have a network of people who have written papers together, and want to suggest new
partners. The network is made below, with 400 authors in 20 fields.

Install: `pip install ".[sklearn]" networkx`
"""

# %%
# A network of co-authors
# -----------------------
# Every paper has two to five authors, most of them from one field. All authors of a paper are linked.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_predict_links.svg'

from itertools import combinations

import networkx as nx
import numpy as np
from sklearn.metrics import roc_auc_score

import egonet

rng = np.random.default_rng(0)
activity = rng.pareto(2.0, 400) + 0.2
fields = np.arange(400) % 20
edges = set()
for _ in range(700):
    chances = activity * np.where(fields == rng.integers(20), 1.0, 0.002)
    authors = rng.choice(400, size=rng.integers(2, 6), replace=False, p=chances / chances.sum())
    edges |= set(combinations(sorted(authors.tolist()), 2))
authors = egonet.Graph.from_edges(sorted(edges), num_nodes=400)
print(f"{authors.num_nodes} authors, {authors.num_edges:,} pairs who have written together")

# %%
# Hide some links
# ---------------
# To measure how well you predict links, hide a fifth of them before you compute anything. `split` does this without
# leaks: it keeps every node, and draws pairs without a link. With `negatives="near"` these pairs share a neighbor, like
# the people whom you would suggest to each other.

parts = egonet.links.split(authors, test=0.2, negatives="near", seed=0)
print(f"{parts.graph.num_edges:,} links are known, {len(parts.test.pairs):,} pairs are asked about")

# %%
# Without training
# ----------------
# `predict` scores pairs of any graph, with a small model that comes with the package. Compare it with two classical
# scores, which count the neighbors that two people share.

known = nx.Graph(parts.graph.edges().tolist())
known.add_nodes_from(range(400))
asked = parts.test.pairs.tolist()
scores = {
    "common neighbors": [len(list(nx.common_neighbors(known, u, v))) for u, v in asked],
    "Adamic-Adar": [score for _, _, score in nx.adamic_adar_index(known, asked)],
    "egonet, no training": egonet.links.predict(parts.graph, asked),
}

# %%
# Trained on your graph
# ---------------------
# `LinkPredictor` learns from the links that are known. Every link is left out of its own row, so that the answer is not
# among the features. The area under the curve says how often a link is ranked above a pair without one. With so few
# links training adds nothing; with more it does (the page *Predict links*).

predictor = egonet.links.LinkPredictor(random_state=0).fit(parts.graph)
scores["egonet, trained"] = predictor.predict_proba(asked)[:, 1]
areas = {title: roc_auc_score(parts.test.labels, values) for title, values in scores.items()}
print("\n".join(f"{title:<22}{area:.3f}" for title, area in areas.items()))

# %%
# Suggest partners
# ----------------
# Whom should the most active author meet? `recommend` ranks everyone who is not linked yet, and `explain` says why.

author = int(parts.graph.degrees.argmax())
suggested = predictor.recommend(author, k=3)
print(suggested)
print(predictor.explain((author, suggested[0][0])))

# %%
# Your own data
# -------------
# `egonet.links.LinkPredictor().fit(table)` takes a data frame of edges, and `egonet recommend edges.csv alice` needs no
# Python. If links have a time, hide the latest ones instead of random ones. Where partners are chosen by what they write
# rather than whom they know, give `attributes=` as well.

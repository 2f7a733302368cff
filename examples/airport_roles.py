"""
The role of an airport
======================

Predict how active an airport is, in four classes, from flight connections alone (Ribeiro et al., struc2vec, 2017). You
learn how to give node ids to a pipeline of scikit-learn, so that cross-validation splits nodes.

Install: `pip install ".[cli,sklearn]" pooch`

Get the data in a clone: `python -m research datasets fetch airports --folder data`.
"""

# %%
# Flights
# -------

# sphinx_gallery_thumbnail_path = 'pictures/gallery_airport_roles.svg'

import os
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import egonet
from egonet.sklearn import NodeEncoder

REPEATS = int(os.environ.get("EGONET_REPEATS", "5"))
COUNTRIES = os.environ.get("EGONET_COUNTRIES", "usa europe brazil").split()
folder = Path(os.environ.get("EGONET_DATA", "data")) / "airports"
if not (folder / "usa-airports.edgelist").exists():
    raise SystemExit(
        f"This example reads usa-airports.edgelist and other files in {folder}. Set EGONET_DATA to the folder above it, or "
        "get them: python -m research datasets fetch airports --folder data"
    )


def read(country):
    """Return the graph of a country's airports, the labeled ones, and their classes."""
    flights = np.loadtxt(folder / f"{country}-airports.edgelist", dtype=np.int64)
    airport, role = np.loadtxt(folder / f"labels-{country}-airports.txt", dtype=np.int64, skiprows=1).T
    return egonet.Graph.from_edges(flights, nodes=airport.tolist()), airport, role


# %%
# Degree alone, and ego-networks
# ------------------------------
# `NodeEncoder` turns node ids into rows, so cross-validation splits airports. Hubs have hundreds of connections;
# `degree_bins="log"` limits the number of columns.


def degree(graph):
    """Return a transformer that gives each airport its number of connections."""
    return FunctionTransformer(lambda ids: np.array([[graph.degrees[graph.index_of(node)]] for node in ids]))


def forest():
    """Return the classifier, the same for every method."""
    return RandomForestClassifier(200, random_state=0)


# %%
# The score is the accuracy over five folds, repeated with other splits; the spread is over the repetitions.

scores = {}
for country in COUNTRIES:
    graph, airports, roles = read(country)
    methods = {
        "majority": DummyClassifier(),
        "degree": make_pipeline(degree(graph), forest()),
        "radius 1": make_pipeline(NodeEncoder(graph, 1, degree_bins="log"), forest()),
        "radii 1 and 2": make_pipeline(NodeEncoder(graph, (1, 2), degree_bins="log"), forest()),
    }
    print(f"{country}: {graph.num_nodes:,} airports, {graph.num_edges:,} connections")
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=REPEATS, random_state=0)
    for title, method in methods.items():
        by_repeat = cross_val_score(method, airports, roles, cv=folds).reshape(REPEATS, 5).mean(axis=1)
        scores[country, title] = float(by_repeat.mean())
        print(f"  {title:<15}{by_repeat.mean():.3f} ± {by_repeat.std():.3f}")

# %%
# What this shows
# ---------------
# Radii 1 and 2 together are better than the degree on the USA and Europe, and not on Brazil. Laplacian eigenvectors do
# as well as ego-networks on one graph: the page *When it helps* has the comparison.

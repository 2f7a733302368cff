"""Link prediction from pairs: columns by radius, labels without degrees, models that rank true links higher."""

import numpy as np

import egonet
from contracts.parts import need

need("sklearn")
need("torch")
from research.paper.nodes.link_scores import area_under_curve  # noqa: E402
from research.paper.nodes.link_split import split_links  # noqa: E402
from research.paper.nodes.pair_links import columns_of, encode_split, fit_pairs  # noqa: E402

SPEC = {"linear": [{"radii": [1], "strength": 1.0}, {"radii": [1, 2], "strength": 1.0}]}


def test_a_model_of_pairs_finds_links_inside_groups():
    cliques = [
        (u, v) for first in range(0, 60, 12) for u in range(first, first + 12) for v in range(first, u)
    ]
    bridges = [(first, first + 12) for first in range(0, 48, 12)]
    split = split_links(egonet.Graph.from_edges([*cliques, *bridges]), np.random.default_rng(0))
    encoded = encode_split(split, (1, 2))

    model = fit_pairs(encoded, "pairs", "linear", SPEC, seed=0)

    assert area_under_curve(split.test_labels, model.scores(encoded)) > 0.95
    assert model.details["choice"] in SPEC["linear"]
    assert len(model.details["inner"]) == 2


def test_labels_merge_the_degrees_of_a_pair_of_distances():
    encoding = egonet.encode_pairs([(0, 1), (1, 2), (2, 3)], [(0, 2), (0, 3)], 1)

    merged = columns_of(encoding.matrix, encoding.vocabulary, "labels", {"radii": [1]})

    kinds = {tuple(key) for key in encoding.vocabulary.keys[:, :3].tolist()}
    assert merged.shape == (2, len(kinds))
    np.testing.assert_allclose(np.expm1(merged).sum(axis=1), encoding.matrix.toarray().sum(axis=1))

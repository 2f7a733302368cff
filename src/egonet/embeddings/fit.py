"""Training of an embedding: encode, walk, and train one vector per column with skip-gram."""

import time
from dataclasses import asdict
from typing import Any, Unpack

import numpy as np

from egonet.embeddings.embedding import Embedding, History
from egonet.embeddings.skipgram import Start, Training, WeightedSums, first_table, train
from egonet.embeddings.walks import Walks
from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import Radius, Settings, as_whole
from egonet.errors import InputError
from egonet.kernel.native import Progress


def fit_embeddings(
    graph: Any,
    settings: Settings | Radius | None = None,
    dim: int = 128,
    *,
    walks: Walks | None = None,
    training: Training | None = None,
    weighting: Weighting = "paper",
    start: Start | None = None,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
    labels: Labels | None = None,
    **options: Unpack[EncodeOptions],
) -> Embedding:
    """Return one vector per column of the encoding, trained without labels and usable on any graph.

    Nodes that meet in random walks get vectors with a large product. There is one vector per column, not one per
    node, so an unseen node has a vector as soon as it is encoded.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, several graphs, or an `Encoding` that still has its graph.
    settings
        A `Settings` record, or one radius or several; 2 if not given.
    dim
        Length of the vectors.
    walks
        How walks are drawn; `Walks()` if not given.
    training
        Epochs, learning rate and negatives; `Training()` if not given.
    weighting
        How counts become weights; "paper" is log2(1 + count), rows summing to 1.
    start
        The initial vectors, in the order of the encoding's columns; random if not given.
    rng
        A seed or a generator. Equal seeds give equal vectors on the same number of cores.
    progress
        Called as progress(done, total) with the number of nodes that walks started from.
    labels
        As for `egonet.encode`.
    **options
        The fields of `Settings`, instead of a record; directed, source and target.

    Examples
    --------
    The ends of both paths have the same encoding, so they have the same vector; only the long path was trained on.

    >>> import egonet
    >>> embedding = egonet.fit_embeddings(egonet.named.path("abcdef"), radius=1, dim=4, rng=1)
    >>> short, long = (embedding.transform(egonet.named.path(letters)) for letters in ("abcd", "abcdef"))
    >>> short.shape, bool((short[0] == long[0]).all())
    ((4, 4), True)

    Notes
    -----
    Cost of a step: one product of the weights with the table, then dense products of windows of walks with
    themselves and with random nodes. References: DeepWalk (Perozzi et al. 2014) for the walks; Alvarez-Gonzalez et
    al., "Beyond 1-WL with Local Ego-Network Encodings", LoG 2022.
    """
    began = time.perf_counter()
    walks, training = walks or Walks(), training or Training()
    if as_whole("dim", dim) == 0:
        raise InputError("dim must be at least 1, got 0.")
    encoding = _encoded(graph, settings, labels, options)
    generator = np.random.default_rng(rng)
    start = start or Start(first_table(encoding.vocabulary, dim, generator))
    if start.table.shape != (len(encoding.vocabulary), dim):
        raise InputError(
            f"start has a table of shape {start.table.shape}, but there are {len(encoding.vocabulary)} columns "
            f"of dim {dim}."
        )
    assert encoding.graph is not None
    sums = WeightedSums(encoding.weighted(weighting), encoding.classes)
    course = train(encoding.graph, sums, start, walks, training, generator, progress)
    given: dict[str, Any] = {"walks": asdict(walks), "training": asdict(training)}
    if isinstance(rng, int):
        given["seed"] = rng
    history = History(
        course.losses, course.num_pairs, course.scale, course.shift, time.perf_counter() - began, given
    )
    return Embedding(encoding.vocabulary, course.table, weighting, history)


def _encoded(
    graph: Any, settings: Settings | Radius | None, labels: Labels | None, options: EncodeOptions
) -> Encoding:
    """Return the encoding to train on: one row per node, with its graph."""
    if not isinstance(graph, Encoding):
        encoding = encode(graph, settings, labels=labels, **options)
    elif settings is not None or labels is not None or options:
        raise InputError("an encoding has its settings already. Leave settings and labels out.")
    else:
        encoding = graph
    if encoding.graph is None or len(encoding) != encoding.graph.num_nodes:
        raise InputError("walks need the whole graph: encode every node of it, in one call.")
    if not len(encoding):
        raise InputError("a graph without nodes has nothing to train on. Give one with nodes.")
    return encoding

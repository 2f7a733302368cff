"""A learned embedding: one vector per column of the encoding, trained, saved, loaded, and applied to any graph."""

import json
import time
from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.checks import as_argument, as_whole, is_whole, one_of
from egonet.embeddings.skipgram import History, Start, Training, Walks, WeightedSums, first_table, train
from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.header import check_format, pack_schema
from egonet.encoding.matrix import Weighting
from egonet.encoding.saved import read_saved, unpack_vocabulary, write_saved
from egonet.encoding.settings import Radius, Settings, check_direction
from egonet.encoding.signature import list_options
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, OptionError, show_value
from egonet.graph.columns import EdgeOptions, Labels
from egonet.io.paths import npz_path
from egonet.progress import as_progress
from egonet.typing import Progress

FORMAT = "egonet embedding 2"
#: The most numbers in a vector.
MAX_DIM = 100_000
Record = TypeVar("Record")


class ApplyOptions(EdgeOptions, total=False):
    """The keywords of `Embedding.transform` and `Embedding.encode`, as for `egonet.encode`."""

    labels: Labels | None
    roots: Iterable[Hashable] | None
    unseen: UnseenPolicy
    threads: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """One vector per column; the vector of a node is the weighted sum over the columns of its encoding.

    Attributes
    ----------
    vocabulary
        The columns; every transformed graph is encoded with this vocabulary.
    table
        float32 (num_columns, dim): the vector of every column.
    weighting
        How counts become weights; "paper" is log2(1 + count), rows summing to 1.
    history
        How it was trained.

    Examples
    --------
    A table by hand, for the columns (0, 1), (0, 2) and (1, 1) of a path.

    >>> import egonet
    >>> path = egonet.named.path("abc")
    >>> vocabulary = egonet.encode(path, radius=1).vocabulary
    >>> embedding = Embedding(vocabulary, np.array([[0.0], [4.0], [2.0]], dtype=np.float32), weighting="count")
    >>> embedding.transform(path)
    array([[2.],
           [8.],
           [2.]], dtype=float32)
    """

    vocabulary: Vocabulary
    table: NDArray[np.float32]
    weighting: Weighting = "paper"
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        if not isinstance(self.vocabulary, Vocabulary):
            raise InputError(f"vocabulary must be a Vocabulary, got {show_value(self.vocabulary)}.")
        rows, table = len(self.vocabulary), self.table
        if (
            not isinstance(table, np.ndarray)
            or table.ndim != 2
            or len(table) != rows
            or table.dtype != np.float32
        ):
            got = (
                f"{table.dtype} of shape {table.shape}"
                if isinstance(table, np.ndarray)
                else show_value(table)
            )
            raise InputError(
                f"the table must be float32 with a row for each of the {rows} columns, got {got}."
            )

    def __repr__(self) -> str:
        radii = self.vocabulary.settings.radius
        radius = radii[0] if len(radii) == 1 else radii
        loss = f", loss={self.history.losses[-1]:.4f}" if self.history.losses else ""
        return f"Embedding(num_columns={len(self.table)}, dim={self.dim}, radius={radius}{loss})"

    @property
    def dim(self) -> int:
        """Return the length of the vectors.

        Examples
        --------
        >>> import egonet
        >>> embedding = egonet.fit_embeddings(egonet.named.karate_club(), 1, dim=2, rng=0)
        >>> embedding.dim
        2
        """
        return int(self.table.shape[1])

    @property
    def feature_names(self) -> list[str]:
        """Return the name of every dimension: "ego0", "ego1", ...

        Examples
        --------
        >>> import egonet
        >>> embedding = egonet.fit_embeddings(egonet.named.karate_club(), 1, dim=2, rng=0)
        >>> embedding.feature_names
        ['ego0', 'ego1']
        """
        return [f"ego{number}" for number in range(self.dim)]

    @list_options
    def transform(self, graph: Any, **options: Unpack[ApplyOptions]) -> NDArray[np.float32]:
        """Return one vector per node of any graph, float32 (num_nodes, dim), rows in the order of its nodes.

        Parameters
        ----------
        graph
            Anything `as_graph` accepts, several graphs, or an `Encoding` made with this vocabulary.
        labels, edge_labels, weights, roots, unseen, threads
            As for `egonet.encode`.

        Examples
        --------
        >>> import egonet
        >>> embedding = egonet.fit_embeddings(egonet.named.karate_club(), 1, dim=2, rng=0)
        >>> embedding.transform(egonet.named.star(3)).shape
        (4, 2)
        """
        encoding = graph if isinstance(graph, Encoding) else self.encode(graph, **options)
        _check_columns(encoding.vocabulary, self.vocabulary)
        return np.asarray(encoding.weighted(self.weighting).astype(np.float32) @ self.table)

    @list_options
    def encode(self, graph: Any, **options: Unpack[ApplyOptions]) -> Encoding:
        """Return the encoding that `transform` weights; its `unseen` counts the keys without a column.

        Examples
        --------
        >>> import egonet
        >>> embedding = egonet.fit_embeddings(egonet.named.karate_club(), 1, dim=2, rng=0)
        >>> len(embedding.encode(egonet.named.star(3)))
        4
        """
        return encode(graph, vocabulary=self.vocabulary, **options)

    def save(self, path: str | Path) -> None:
        """Write the embedding to one .npz file without pickled objects; `Embedding.load` reads it.

        Examples
        --------
        >>> import egonet, tempfile
        >>> file = tempfile.mkdtemp() + "/embedding.npz"
        >>> egonet.fit_embeddings(egonet.named.karate_club(), 1, dim=2, rng=0).save(file)
        >>> egonet.Embedding.load(file).dim
        2
        """
        file = npz_path("an embedding", path)
        header = {
            "format": FORMAT,
            "settings": pack_schema(self.vocabulary.schema),
            "weighting": self.weighting,
            "history": asdict(self.history),
        }
        write_saved(file, header, self.vocabulary, {"table": self.table})

    @classmethod
    def load(cls, path: str | Path) -> "Embedding":
        """Return the embedding that `save` wrote.

        Raises
        ------
        FileError
            If the file is not such a file, or is cut short.

        Examples
        --------
        >>> import tempfile, egonet
        >>> path = Path(tempfile.mkdtemp()) / "embedding.npz"
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> Embedding(vocabulary, np.eye(3, dtype=np.float32)).save(path)
        >>> Embedding.load(path)
        Embedding(num_columns=3, dim=3, radius=1)
        """
        return read_saved(path, "an embedding", _unpack)


def _check_columns(vocabulary: Vocabulary, learned: Vocabulary) -> None:
    """Raise if an encoding has other columns than those that vectors were learned for."""
    if vocabulary is learned:
        return
    way_out = "Give the graph itself, or encode it with vocabulary=embedding.vocabulary."
    if len(vocabulary) != len(learned):
        raise InputError(
            f"the encoding has {len(vocabulary)} columns, the embedding {len(learned)}. {way_out}"
        )
    if vocabulary.settings != learned.settings:
        raise InputError(
            f"the encoding was made with {vocabulary.settings}, the embedding with {learned.settings}. {way_out}"
        )
    same = np.array_equal(vocabulary.keys, learned.keys)
    same &= (vocabulary.labels, vocabulary.edge_labels) == (learned.labels, learned.edge_labels)
    if not same or (learned.histograms is not None and vocabulary.columns != learned.columns):
        raise InputError(f"the encoding has other columns than the embedding. {way_out}")
    if "any" not in (vocabulary.directed, learned.directed):
        check_direction(learned.directed, vocabulary.directed, learned.settings)  # type: ignore[arg-type]


def _unpack(arrays: dict[str, np.ndarray[Any, Any]]) -> Embedding:
    """Return the embedding in the arrays of a file."""
    header = json.loads(arrays["header"].tobytes())
    check_format(header["format"], FORMAT)
    vocabulary = unpack_vocabulary(header["settings"], arrays)
    history = History(**header["history"])
    history = replace(history, losses=tuple(float(loss) for loss in history.losses))
    one_of("weighting", header["weighting"], get_args(Weighting))
    return Embedding(vocabulary, arrays["table"], header["weighting"], history)


@list_options
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
    progress: Progress | bool | None = None,
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
        True shows a progress bar; a function is called as progress(done, total) with the number of starts of walks:
        every epoch starts from every node, so that the total is epochs times nodes.
    labels
        As for `egonet.encode`.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`, instead of a record.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    edge_labels, weights, directed, source, target, num_nodes, nodes, missing, ids, simplify
        What the edges carry and how the graph is read, as for `encode`.

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
    if "seed" in options:
        raise OptionError("fit_embeddings has no option 'seed'. Use rng=, a seed or a generator.")
    walks = _as_record("walks", walks, Walks)
    training = _as_record("training", training, Training)
    if as_whole("dim", dim, most=MAX_DIM) == 0:
        raise InputError(f"{as_argument('dim')} must be at least 1, got 0.")
    encoding = _encode_nodes(graph, settings, labels, options)
    generator = _as_generator(rng)
    if start is None:
        start = Start(first_table(encoding.vocabulary, dim, generator))
    elif not isinstance(start, Start):
        raise InputError(f"start must be a Start record, got {show_value(start)}.")
    if start.table.shape != (len(encoding.vocabulary), dim):
        raise InputError(
            f"start has a table of shape {start.table.shape}, but there are {len(encoding.vocabulary)} columns "
            f"of dim {dim}."
        )
    assert encoding.graph is not None
    sums = WeightedSums(encoding.weighted(weighting), encoding.classes)
    with as_progress(progress, "train", "starts of walks") as report:
        table, history = train(encoding.graph, sums, start, walks, training, generator, report)
    used: dict[str, Any] = {"walks": asdict(walks), "training": asdict(training)}
    if isinstance(rng, int):
        used["seed"] = rng
    history = replace(history, seconds=time.perf_counter() - began, settings=used)
    return Embedding(encoding.vocabulary, table, weighting, history)


def _encode_nodes(
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


def _as_record(name: str, record: Any, kind: type[Record]) -> Record:
    """Return a record of options, or that of the defaults for None.

    >>> _as_record("walks", 5, Walks)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: walks must be a Walks record, got 5.
    """
    if record is None:
        return kind()
    if not isinstance(record, kind):
        raise InputError(f"{name} must be a {kind.__name__} record, got {show_value(record)}.")
    return record


def _as_generator(rng: Any) -> np.random.Generator:
    """Return a random generator, or that of a seed.

    >>> _as_generator("x")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: rng must be a whole number >= 0 or a numpy.random.Generator, got 'x'.
    """
    is_seed = is_whole(rng) and rng >= 0
    if not is_seed and not isinstance(rng, np.random.Generator):
        raise InputError(
            f"rng must be a whole number >= 0 or a numpy.random.Generator, got {show_value(rng)}."
        )
    return np.random.default_rng(rng)

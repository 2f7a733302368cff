"""The encodings that replicas read in addition to their inputs, in the layout of the published code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from egonet import Encoding, encode
from egonet.errors import InputError
from egonet.typing import Floats, Int64s
from research.datasets.graph_set import GraphSet
from research.nets.neighbor_tables import neighbor_table
from research.nets.walk_embedding import Layouts, Walks, learn_vectors
from research.paper.published.draws import Columns
from research.paper.published.start import published_start
from research.paper.spec import BEYOND

#: Walk settings of the paper's embeddings; data sets without training graphs keep random vectors.
_WALKS = Walks()


@dataclass(frozen=True)
class Request:
    """Which encoding replicas read: "none", "encoding", "embedding-5", "embedding-10", or one of `BEYOND`."""

    form: str
    radius: int = 0

    @property
    def is_embedding(self) -> bool:
        """Return whether a frozen table of vectors stands between encoding and network."""
        return self.form.startswith("embedding-")


@dataclass(frozen=True, eq=False)
class Extra:
    """Encodings of every node, in all variants that replicas need.

    Attributes
    ----------
    columns
        float64 (variants, num_nodes, width).
    variant_of
        (request, fold, seed) → variant.
    columns_of
        (request, fold) → the columns the published code would have had, zero ones included.
    """

    columns: Floats
    variant_of: dict[tuple[Request, int, int], int]
    columns_of: dict[tuple[Request, int], Columns]

    @property
    def width_of(self) -> dict[tuple[Request, int], int]:
        """Return the number of those columns for each request and fold."""
        return {key: columns.width for key, columns in self.columns_of.items()}

    @property
    def is_published(self) -> bool:
        """Return whether the published code has these encodings too, with whatever it does to them."""
        return all(request.form not in BEYOND for request, _ in self.columns_of)


@dataclass(frozen=True, eq=False)
class Layout:
    """Weighted encodings under one largest degree: (num_nodes, columns), and each column's pair.

    `places` are those of the columns among all `full_width` that the published code has.
    """

    weights: Floats
    distances: Int64s
    degrees: Int64s
    places: Int64s
    full_width: int


def make_extra(
    data: GraphSet,
    requests: Sequence[Request],
    folds: Sequence[Int64s],
    seeds: Sequence[int],
    *,
    device: torch.device | str = "cpu",
    learn: bool = True,
) -> Extra:
    """Return the encodings for every request, fold and seed; folds are given by their training graphs.

    Parameters
    ----------
    data
        The graphs.
    requests
        What is wanted.
    folds
        The training graphs of each fold, which decide the largest degree and teach embeddings.
    seeds
        Seeds of embeddings; plain encodings have none.
    device
        Where embeddings are learned.
    learn
        False keeps embeddings random, as the published code did where nothing is trained.
    """
    parts: list[Floats] = []
    variant_of: dict[tuple[Request, int, int], int] = {}
    columns_of: dict[tuple[Request, int], Columns] = {}
    for request in requests:
        layouts = _layouts(data, request, folds)
        columns_of |= {(request, fold): _columns(request, layout) for fold, layout in enumerate(layouts)}
        if request.is_embedding:
            found = _embeddings(data, request, layouts, folds, seeds, device=device, learn=learn)
            for place, (fold, seed) in enumerate((f, s) for f in range(len(folds)) for s in seeds):
                variant_of[request, fold, seed] = len(parts) + place
            parts += list(found)
            continue
        distinct = list({id(layout): layout for layout in layouts}.values())
        for fold, layout in enumerate(layouts):
            for seed in seeds:
                variant_of[request, fold, seed] = len(parts) + distinct.index(layout)
        parts += [layout.weights for layout in distinct]
    return Extra(_stacked(parts), variant_of, columns_of)


def _columns(request: Request, layout: Layout) -> Columns:
    """Return the columns of a layout; vectors have all of theirs stored."""
    if request.is_embedding:
        length = int(request.form.split("-")[1])
        return Columns(np.arange(length), length, (layout.full_width, length))
    return Columns(
        layout.places, layout.full_width, None if request.form == "none" else (layout.full_width, 0)
    )


def _layouts(data: GraphSet, request: Request, folds: Sequence[Int64s]) -> list[Layout]:
    """Return the layout of each fold; folds with the same largest degree share one."""
    none = np.empty(0, dtype=np.int64)
    if request.form == "none":
        return [Layout(np.zeros((data.union.num_nodes, 0)), none, none, none, 0)] * len(folds)
    if request.form in BEYOND and request.form != "own-ends":
        return _observed(data, request, folds)
    if request.form not in ("encoding", "own-ends") and not request.is_embedding:
        raise InputError(
            f"form must be none, encoding, embedding-N, {', '.join(BEYOND)}, got {request.form!r}."
        )
    encoding = encode_request(data, request)
    counts, keys = encoding.matrix, encoding.vocabulary.keys
    made: dict[int, Layout] = {}
    for fold in folds:
        limit = int(data.union.degrees[data.nodes_of(fold)].max())
        if limit not in made:
            made[limit] = paper_layout(counts, keys[:, 1], keys[:, 2], request.radius, limit)
    return [made[int(data.union.degrees[data.nodes_of(fold)].max())] for fold in folds]


def paper_layout(counts: Any, distances: Int64s, degrees: Int64s, radius: int, limit: int) -> Layout:
    """Return log2(1 + count) with rows summing to one, degrees above `limit` counted as it, zero columns dropped.

    The published code had column distance * B + 2 * degree + 2 with B = 2 * limit + 3; its remaining columns
    are always zero, so only their number is kept.
    """
    places = distances * (limit + 1) + np.minimum(degrees, limit)
    merge = np.zeros((len(places), (radius + 1) * (limit + 1)))
    merge[np.arange(len(places)), places] = 1.0
    weights = np.log2(1.0 + counts @ merge)
    weights /= weights.sum(axis=1, keepdims=True)
    used = np.flatnonzero(weights.any(axis=0))
    distances, degrees, stride = used // (limit + 1), used % (limit + 1), 2 * limit + 3
    published = distances * stride + 2 * degrees + 2
    return Layout(weights[:, used], distances, degrees, published, (radius + 1) * stride)


def _observed(data: GraphSet, request: Request, folds: Sequence[Int64s]) -> list[Layout]:
    """Return encodings beyond the paper's per fold, without columns that its training graphs never show."""
    sparse = encode_request(data, request).weighted("paper").tocsr()
    weights: Floats = sparse.toarray()
    none = np.empty(0, dtype=np.int64)
    made: dict[bytes, Layout] = {}
    found = []
    for fold in folds:
        seen = np.bincount(sparse[data.nodes_of(fold)].indices, minlength=sparse.shape[1]) > 0
        if seen.tobytes() not in made:
            places = np.maximum(np.cumsum(seen) - 1, 0)
            made[seen.tobytes()] = Layout(weights * seen, none, none, places, int(seen.sum()))
        found.append(made[seen.tobytes()])
    return found


def encode_request(data: GraphSet, request: Request) -> Encoding:
    """Return the encoding that a request is made from; each is made once per data set."""
    form = request.form if request.form in BEYOND and request.form != "own-ends" else "total"
    key = form, request.radius
    if key not in data.encodings:
        data.encodings[key] = _encode(data, *key)
    return data.encodings[key]


def _encode(data: GraphSet, form: str, radius: int) -> Encoding:
    """Return total degrees, full degrees with or without links among common neighbors, or labels in the keys."""
    if form == "total":
        return encode(data.union, radius)
    if form == "labeled":
        labels = (
            np.zeros(data.union.num_nodes, dtype=np.int64) if data.node_labels is None else data.node_labels
        )
        return encode(data.union, radius, labels=labels.tolist())
    return encode(data.union, radius, degrees="full", common=form == "full-common")


def count_columns(data: GraphSet, request: Request) -> int:
    """Return how many columns a request stores per node at most, zero ones left out.

    Examples
    --------
    >>> from research.datasets.graph_set import from_arcs
    >>> path = from_arcs("path", np.array([3]), np.array([[0, 1], [1, 2]]), targets=np.array([0]))
    >>> [count_columns(path, Request(form, 1)) for form in ("none", "embedding-5", "encoding")]
    [0, 5, 3]
    """
    if request.form == "none":
        return 0
    if request.is_embedding:
        return int(request.form.split("-")[1])
    return encode_request(data, request).matrix.shape[1]


def _embeddings(
    data: GraphSet,
    request: Request,
    layouts: Sequence[Layout],
    folds: Sequence[Int64s],
    seeds: Sequence[int],
    *,
    device: torch.device | str,
    learn: bool,
) -> list[Floats]:
    """Return the vectors of every node for each fold and seed, folds outermost."""
    length = int(request.form.split("-")[1])
    places = [(fold, seed) for fold in range(len(folds)) for seed in seeds]
    width = max(layout.weights.shape[1] for layout in layouts)
    tables, lines = np.zeros((len(places), width, length)), np.zeros((len(places), 2))
    for place, (fold, seed) in enumerate(places):
        layout = layouts[fold]
        shape = (request.radius + 1, layout.full_width // (request.radius + 1))
        start = published_start(layout.distances, 2 * layout.degrees + 2, shape, length, seed)
        tables[place, : layout.weights.shape[1]], lines[place] = start.table, start.line
    if learn:
        tables = _learned(data, layouts, folds, places, tables, lines, device)
    return [
        layouts[fold].weights @ tables[line, : layouts[fold].weights.shape[1]]
        for line, (fold, _) in enumerate(places)
    ]


def _learned(
    data: GraphSet,
    layouts: Sequence[Layout],
    folds: Sequence[Int64s],
    places: Sequence[tuple[int, int]],
    tables: Floats,
    lines: Floats,
    device: torch.device | str,
) -> Floats:
    """Return the vectors after learning from walks on the training graphs of each fold."""
    distinct = list({id(layout): layout for layout in layouts}.values())
    rows = [np.unique(layout.weights, axis=0, return_inverse=True) for layout in distinct]
    most = max(len(found) for found, _ in rows)
    weights = np.zeros((len(distinct), most, tables.shape[1]))
    for place, (found, _) in enumerate(rows):
        weights[place, : found.shape[0], : found.shape[1]] = found
    classes = np.stack([np.ravel(inverse) for _, inverse in rows])
    which = torch.tensor([distinct.index(layouts[fold]) for fold, _ in places], device=device)
    near, _ = neighbor_table(data.union, np.array([0, data.union.num_nodes]))
    encoded = Layouts(
        torch.from_numpy(weights).float().to(device), torch.from_numpy(classes).to(device), which
    )
    learned = learn_vectors(
        encoded,
        torch.from_numpy(near[:-1].astype(np.int64)).to(device),
        [data.nodes_of(folds[fold]) for fold, _ in places],
        (torch.from_numpy(tables).float().to(device), torch.from_numpy(lines).float().to(device)),
        _WALKS,
        seed=places[0][1],
    )
    return learned.double().cpu().numpy()


def _stacked(parts: Sequence[Floats]) -> Floats:
    """Return arrays of unequal width as one, zeros on the right."""
    width = max(part.shape[1] for part in parts)
    stacked = np.zeros((len(parts), len(parts[0]), width))
    for place, part in enumerate(parts):
        stacked[place, :, : part.shape[1]] = part
    return stacked

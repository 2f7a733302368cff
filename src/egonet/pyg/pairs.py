"""The PyG transform of link loaders: the encoding of every pair of `edge_label_index` as an attribute."""

from os import PathLike
from typing import Any, Self, Unpack, get_args

import numpy as np

from egonet.checks import as_threads, one_of
from egonet.encoding.labels import reject_bins
from egonet.encoding.matrix import Weighting
from egonet.encoding.request import as_vocabulary
from egonet.encoding.settings import BinOptions, DegreeBins, PairSettings, Radius, take_options
from egonet.encoding.signature import list_class_options, list_keywords, list_options
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, MissingExtraError, show_value
from egonet.graph.adapters import as_graph
from egonet.graph.arcs import as_edge_index
from egonet.graph.columns import EDGE_ROLES, ROLES, EdgeOptions
from egonet.graph.graph import Graph
from egonet.pairs.columns import grid_columns
from egonet.pairs.encode import encode_pairs
from egonet.pyg.saved import load_transform, save_transform
from egonet.typing import Degrees

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Data, HeteroData
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform

    from egonet.graph.pyg_data import (
        as_attr_name,
        check_attributes,
        copy_of,
        graph_of_arcs,
        labels_of,
        node_count,
    )
except ImportError as error:
    raise MissingExtraError('the PyG transform needs an extra package: pip install "egonet[pyg]".') from error

#: Degrees above this are counted as it, unless max_degree says otherwise: the last bin of the default columns.
DEFAULT_MAX_DEGREE = 2**15
#: The options that say what is counted; `from_data` passes them on to `encode_pairs`.
COUNTED = (
    "degrees",
    "degree_bins",
    "max_degree",
    "without_edge",
    "ordered",
    "ends_distance",
    *BinOptions.__annotations__,
)


class PairColumns(EdgeOptions, BinOptions):
    """The keywords of `AddPairEncoding` that say which attributes of edges have types, and how numbers become types."""


@list_class_options
@functional_transform("add_pair_encoding")
class AddPairEncoding(BaseTransform):  # type: ignore[misc]
    """Add a row per pair of `edge_label_index` to a graph (functional name: `add_pair_encoding`).

    Pairs are encoded in the graph of `edge_index`. After `RandomLinkSplit` this graph has no edge to predict except the
    training edges, and `without_edge` leaves each of them out of its own row. A batch of `LinkNeighborLoader` is only a
    sample of the graph: give the whole training graph as `graph`; `n_id` of the batch has the nodes in it. Arcs are
    read as undirected edges.

    Parameters
    ----------
    radius
        Hops around each end, or several.
    attr_name
        Where the rows go.
    graph
        The graph in which pairs are encoded, a `Data` or an `egonet.Graph`, which may carry labels and edge types; None
        for that of the data given.
    degrees, degree_bins, max_degree, without_edge, ordered, ends_distance
        As for `egonet.encode_pairs`. Every graph gets the same columns, one for every key up to `max_degree`.
        Columns of other degrees than total ones are learned: `from_data(data, degrees="full")`.
    vocabulary
        The columns of an earlier encoding of pairs, with its settings; leave the settings out then.
    labels
        The attribute with the node labels (whole numbers, or one-hot rows), for a vocabulary with labels, which
        `from_data` learns.
    edge_labels, weights, weight_bins
        The attribute with the type, or the weight, of every edge, and how weights become types, for a vocabulary with
        edge types.
    weighting, unseen, threads
        As for `AddEgoEncoding`.

    Examples
    --------
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> path.edge_label_index = torch.tensor([[0], [2]])
    >>> transform = AddPairEncoding(radius=1)
    >>> rows = transform(path).pair_encoding
    >>> [transform.vocabulary.feature_names[column] for column in rows[0].nonzero().flatten()]
    ['r1_d0_d2_deg1', 'r1_d1_d1_deg2to3']
    """

    #: The options that `save` writes.
    _saved: tuple[str, ...] = ("attr_name", *ROLES, "weighting", "unseen")

    @list_options
    def __init__(
        self,
        radius: Radius | None = None,
        attr_name: str = "pair_encoding",
        *,
        graph: Any = None,
        degrees: Degrees = "total",
        degree_bins: DegreeBins | None = "log",
        max_degree: int | None = None,
        without_edge: bool = True,
        ordered: bool = False,
        ends_distance: int | None = None,
        vocabulary: Any = None,
        labels: str | None = None,
        weighting: Weighting = "count",
        unseen: UnseenPolicy = "clip",
        threads: int | None = None,
        **options: Unpack[PairColumns],
    ) -> None:
        one_of("weighting", weighting, tuple(name for name in get_args(Weighting) if name != "rank"))
        one_of("unseen", unseen, get_args(UnseenPolicy))
        self.attr_name = as_attr_name(attr_name)
        columns: Any = dict(options)
        bins: Any = take_options(columns, BinOptions)
        settings = PairSettings(
            1 if radius is None else radius,
            degrees=degrees,
            degree_bins=degree_bins,
            max_degree=DEFAULT_MAX_DEGREE if max_degree is None else max_degree,
            without_edge=without_edge,
            ordered=ordered,
            ends_distance=ends_distance,
            **bins,
        )
        learned_columns = as_vocabulary(vocabulary, "pair")
        if learned_columns is not None and (radius is not None or max_degree is not None or ordered):
            raise InputError("a vocabulary has its own settings. Leave radius and all other settings out.")
        for name, value, default in (
            ("degree_bins", degree_bins, "log"),
            ("without_edge", without_edge, True),
            *((name, getattr(settings, name), None) for name in BinOptions.__annotations__),
            ("ends_distance", settings.ends_distance, None),
            ("degrees", degrees, "total"),
        ):
            learned = value if learned_columns is None else getattr(learned_columns.settings, name)
            if value != default and value != learned:
                raise InputError(
                    f"the vocabulary was learned with {name}={learned!r}, got {show_value(value)}. Leave {name} out."
                )
        self.labels = labels
        self.__dict__.update(dict.fromkeys(EDGE_ROLES) | columns)
        self.graph = None if graph is None else self._read(graph)
        if learned_columns is None:
            reject_bins(settings, f"{type(self).__name__}.from_data(data, ...)")
        self.vocabulary = grid_columns(settings) if learned_columns is None else learned_columns
        self._check_attributes(self.vocabulary)
        self.weighting = weighting
        self.unseen = unseen
        self.threads = 1 if threads is None else as_threads(threads)

    def __call__(self, data: Data | HeteroData) -> Any:
        """Return a copy of the data with the rows of its pairs; what is not encoded is shared with the data given."""
        return self.forward(copy_of(data))

    def forward(self, data: Any) -> Any:
        """Add the rows to the data itself, and return it; calling the transform leaves the data as it is.

        Examples
        --------
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> path.edge_label_index = torch.tensor([[0], [2]])
        >>> AddPairEncoding(radius=1).forward(path) is path
        True
        """
        pairs = self._pairs(data)
        graph = self._read(data) if self.graph is None else self.graph
        encoding = encode_pairs(
            graph, pairs, vocabulary=self.vocabulary, unseen=self.unseen, threads=self.threads
        )
        rows = encoding.weighted(self.weighting).astype(np.float32).toarray()
        data[self.attr_name] = torch.from_numpy(rows).to(
            data.edge_label_index.device, torch.get_default_dtype()
        )
        return data

    def _check_attributes(self, vocabulary: Vocabulary) -> None:
        """Raise unless labels and edge types are given if and only if the columns have them."""
        carried = () if self.graph is None else {*self.graph.node_columns, *self.graph.edge_columns}
        check_attributes(self, vocabulary, "from_data(data, ...)", carried)

    def _read(self, data: Any) -> Graph:
        """Return the undirected graph of a `Data` with its labels and types, or a graph as it is."""
        values: Any = {name: getattr(self, name) for name in EDGE_ROLES}
        if self.labels is None and all(value is None for value in values.values()):
            return _as_graph(data)
        if isinstance(data, Graph):
            return as_graph(data, labels=self.labels, **values)
        labels = None if self.labels is None else labels_of(data, self.labels)
        return as_graph(data, labels=labels, directed=False, **values)

    def _pairs(self, data: Any) -> np.ndarray[Any, Any]:
        """Return the pairs of the data as nodes of the graph they are encoded in."""
        if isinstance(data, HeteroData):
            raise InputError(
                "AddPairEncoding takes graphs with one kind of nodes, got HeteroData. Use data.to_homogeneous()."
            )
        labels = getattr(data, "edge_label_index", None)
        if not isinstance(labels, Tensor) or labels.dim() != 2 or labels.shape[0] != 2:
            raise InputError(
                f"AddPairEncoding needs an edge_label_index of shape (2, num_pairs), got {show_value(labels)}. "
                "RandomLinkSplit and LinkNeighborLoader add one."
            )
        pairs = labels.T
        names = getattr(data, "n_id", None)
        if names is None:
            return np.ascontiguousarray(pairs.cpu().numpy())
        if self.graph is None:
            raise InputError(
                "a batch of a neighbor loader is a sample, with wrong distances and degrees. "
                "Give the whole training graph: AddPairEncoding(graph=train_data)."
            )
        return np.ascontiguousarray(names.cpu()[pairs.cpu()].numpy())

    @classmethod
    @list_keywords(__init__, leave_out=["vocabulary"])
    def from_data(cls, data: Any, radius: Radius = 1, **options: Any) -> Self:
        """Return a transform with the columns of the pairs of training data.

        Examples
        --------
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> path.edge_label_index = torch.tensor([[0], [2]])
        >>> AddPairEncoding.from_data(path)(path).pair_encoding
        tensor([[2., 1.]])
        >>> path.kind = torch.tensor([0, 1, 0])
        >>> AddPairEncoding.from_data(path, labels="kind").vocabulary.feature_names
        ['r1_d0_d2_deg1_label0', 'r1_d1_d1_deg2to3_label1']
        """
        if options.get("vocabulary") is not None:
            raise InputError(
                "from_data learns the columns, got a vocabulary. Leave it out, or use AddPairEncoding(vocabulary=v)."
            )
        chosen = {"degree_bins": "log"} | {name: options.pop(name) for name in COUNTED if name in options}
        pairs_graph = options.pop("graph", None)
        values = {name: options.pop(name, None) for name in ROLES}
        made = cls(**options)
        made.__dict__.update(values)
        made.graph = None if pairs_graph is None else made._read(pairs_graph)
        graph = made._read(data) if made.graph is None else made.graph
        learned = encode_pairs(graph, made._pairs(data), radius, threads=made.threads, **chosen)
        made.vocabulary = learned.vocabulary
        return made

    def save(self, path: str | PathLike[str]) -> None:
        """Write the columns and options to a JSON file, which `load` reads; `graph` and `threads` are not part of it.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> AddPairEncoding(radius=2, weighting="log").save(file)
        >>> AddPairEncoding.load(file).weighting
        'log'
        """
        options = {name: getattr(self, name) for name in self._saved}
        save_transform(path, type(self).__name__, self.vocabulary, options)

    @classmethod
    def load(cls, path: str | PathLike[str], *, graph: Any = None, threads: int | None = None) -> Self:
        """Return the transform that `save` wrote. Give `graph` and `threads` again if it had them.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> AddPairEncoding(radius=1).save(file)
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> path.edge_label_index = torch.tensor([[0], [2]])
        >>> AddPairEncoding.load(file, graph=path)(path).pair_encoding.sum()
        tensor(3.)
        """
        return cls(graph=graph, threads=threads, **cls._read_saved(path))

    @classmethod
    def _read_saved(cls, path: str | PathLike[str]) -> dict[str, Any]:
        """Return the keywords of a transform that `save` wrote."""
        vocabulary, options = load_transform(path, cls.__name__)
        chosen = vocabulary.settings
        bins = {name: getattr(chosen, name) for name in BinOptions.__annotations__}
        return {"vocabulary": vocabulary, "degree_bins": chosen.degree_bins} | bins | options

    def __repr__(self) -> str:
        attributes = "".join(
            f"{name}={getattr(self, name)!r}, " for name in ROLES if getattr(self, name) is not None
        )
        return f"{type(self).__name__}({self.vocabulary.settings}, {attributes}num_columns={len(self.vocabulary)})"


def _as_graph(data: Any) -> Graph:
    """Return the undirected graph of a `Data`, or a graph as it is."""
    if isinstance(data, Graph):
        return data
    index = getattr(data, "edge_index", None)
    if index is None:
        raise InputError(f"AddPairEncoding needs a graph with an edge_index, got {show_value(data)}.")
    size = node_count(data)
    source, target = as_edge_index(index, size)
    return graph_of_arcs(source, target, size, False)

"""The PyG transform of link loaders: the encoding of every pair of `edge_label_index` as an attribute."""

from copy import copy
from typing import Any, Self, get_args

import numpy as np

from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import DegreeBins, Radius, as_threads, one_of
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, MissingExtraError
from egonet.graph.arcs import as_edge_index
from egonet.graph.graph import Graph
from egonet.graph.ids import show
from egonet.pairs.encode_pairs import encode_pairs
from egonet.pairs.pair_encoding import PairSettings, as_pair_vocabulary, grid_keys
from egonet.pairs.pair_list import rows_as_pairs

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Data, HeteroData
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform

    from egonet.graph.pyg_data import as_attr_name, copy_of, graph_of_arcs, node_count
except ImportError as error:
    raise MissingExtraError('the PyG transform needs an extra package: pip install "egonet[pyg]".') from error

#: Degrees above this are counted as it, unless max_degree says otherwise: the last bin of the default columns.
DEFAULT_MAX_DEGREE = 2**15


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
        The graph in which pairs are encoded, a `Data` (of which `edge_index` counts) or an `egonet.Graph`; None for
        that of the data given.
    degree_bins, max_degree, without_edge, ordered
        As for `egonet.encode_pairs`. Every graph gets the same columns, one for every key up to `max_degree`.
    vocabulary
        The columns of an earlier encoding of pairs, with its settings; leave the settings out then.
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

    def __init__(
        self,
        radius: Radius | None = None,
        attr_name: str = "pair_encoding",
        *,
        graph: Any = None,
        degree_bins: DegreeBins | None = "log",
        max_degree: int | None = None,
        without_edge: bool = True,
        ordered: bool = False,
        vocabulary: Any = None,
        weighting: Weighting = "count",
        unseen: UnseenPolicy = "clip",
        threads: int | None = None,
    ) -> None:
        one_of("weighting", weighting, get_args(Weighting))
        one_of("unseen", unseen, get_args(UnseenPolicy))
        self.attr_name = as_attr_name(attr_name)
        settings = PairSettings(
            1 if radius is None else radius,
            degree_bins=degree_bins,
            max_degree=DEFAULT_MAX_DEGREE if max_degree is None else max_degree,
            without_edge=without_edge,
            ordered=ordered,
        )
        known = as_pair_vocabulary(vocabulary)
        if known is not None and (radius is not None or max_degree is not None or ordered):
            raise InputError("a vocabulary has its own settings. Leave radius and all other settings out.")
        for name, value, default in (
            ("degree_bins", degree_bins, "log"),
            ("without_edge", without_edge, True),
        ):
            learned = value if known is None else getattr(known.settings, name)
            if value not in (default, learned):
                raise InputError(
                    f"the vocabulary was learned with {name}={learned!r}, got {value!r}. Leave {name} out."
                )
        if known is not None and known.settings.has_labels:
            raise InputError(
                "AddPairEncoding counts without labels and edge types, but the vocabulary was learned with them. "
                "Use encode_pairs."
            )
        self.vocabulary = Vocabulary(settings, grid_keys(settings)) if known is None else known
        self.graph = None if graph is None else _as_graph(graph)
        self.weighting = weighting
        self.unseen = unseen
        self.threads = 1 if threads is None else as_threads(threads)

    def __call__(self, data: Any) -> Any:
        """Return a copy of the data with the rows of its pairs; what is not encoded is shared with the data given."""
        return self.forward(copy_of(data) if type(data) is Data else copy(data))

    def forward(self, data: Any) -> Any:
        """Add the rows to the data itself, and return it."""
        pairs = rows_as_pairs(self._pairs(data))
        graph = _as_graph(data) if self.graph is None else self.graph
        encoding = encode_pairs(
            graph, pairs, vocabulary=self.vocabulary, unseen=self.unseen, threads=self.threads
        )
        rows = encoding.weighted(self.weighting).astype(np.float32).toarray()
        data[self.attr_name] = torch.from_numpy(rows).to(
            data.edge_label_index.device, torch.get_default_dtype()
        )
        return data

    def _pairs(self, data: Any) -> np.ndarray[Any, Any]:
        """Return the pairs of the data as nodes of the graph they are encoded in."""
        if isinstance(data, HeteroData):
            raise InputError(
                "AddPairEncoding takes graphs with one kind of nodes, got HeteroData. Use data.to_homogeneous()."
            )
        labels = getattr(data, "edge_label_index", None)
        if not isinstance(labels, Tensor) or labels.dim() != 2 or labels.shape[0] != 2:
            raise InputError(
                f"AddPairEncoding needs an edge_label_index of shape (2, num_pairs), got {show(labels)}. "
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
    def from_data(cls, data: Any, radius: Radius = 1, **options: Any) -> Self:
        """Return a transform with the columns of the pairs of training data.

        Examples
        --------
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> path.edge_label_index = torch.tensor([[0], [2]])
        >>> AddPairEncoding.from_data(path)(path).pair_encoding
        tensor([[2., 1.]])
        """
        if options.get("vocabulary") is not None:
            raise InputError(
                "from_data learns the columns, got a vocabulary. Leave it out, or use AddPairEncoding(vocabulary=v)."
            )
        names = ("degree_bins", "max_degree", "without_edge", "ordered")
        chosen = {"degree_bins": "log"} | {name: options.pop(name) for name in names if name in options}
        made = cls(graph=options.pop("graph", None), **options)
        graph = _as_graph(data) if made.graph is None else made.graph
        learned = encode_pairs(
            graph, rows_as_pairs(made._pairs(data)), radius, threads=made.threads, **chosen
        )
        made.vocabulary = learned.vocabulary
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.vocabulary.settings}, num_columns={len(self.vocabulary)})"


def _as_graph(data: Any) -> Graph:
    """Return the undirected graph of a `Data`, or a graph as it is."""
    if isinstance(data, Graph):
        return data
    index = getattr(data, "edge_index", None)
    if index is None:
        raise InputError(f"AddPairEncoding needs a graph with an edge_index, got {show(data)}.")
    size = node_count(data)
    source, target = as_edge_index(index, size)
    return graph_of_arcs(source, target, size, False)

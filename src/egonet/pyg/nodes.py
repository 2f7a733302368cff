"""The PyG transform: the encoding of every node as an attribute of `Data`, `Batch` or `HeteroData`."""

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from functools import partial
from hashlib import sha256
from os import PathLike
from typing import Any, Literal, Self, Unpack, get_args

import numpy as np
from scipy.sparse import csr_array, hstack

from egonet.checks import as_flag, as_threads, one_of
from egonet.encoding.dense import (
    FEW_ARCS,
    column_digest,
    count_batch,
    count_data,
    count_many,
    dense_columns,
)
from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import reject_bins
from egonet.encoding.matrix import Weighting
from egonet.encoding.ranks import (
    COMPARED_NODES,
    DegreeProfile,
    as_degree_rank,
    carries_over,
    ranks_of_degrees,
)
from egonet.encoding.request import as_vocabulary
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Radius, Settings, SettingsOptions, as_settings, take_options
from egonet.encoding.signature import list_class_options, list_keywords, list_options
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary, fixed_columns
from egonet.errors import InputError, MissingExtraError, option
from egonet.graph.adapters import batch_pointers
from egonet.graph.arcs import as_edge_index, edge_index_of
from egonet.graph.columns import EDGE_ROLES, ROLES, EdgeOptions
from egonet.graph.graph import Graph
from egonet.graph.input_options import reading_of
from egonet.graph.union import disjoint_union
from egonet.pyg.saved import load_transform, save_transform
from egonet.typing import Directed, Int64s

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform

    from egonet.graph.pyg_data import (
        as_attr_name,
        as_graphs,
        as_tensor,
        check_attributes,
        check_types,
        copy_of,
        graph_of_arcs,
        graphs_and_labels,
        hetero_graph,
        hetero_labels,
        labels_of,
        labels_of_all,
        node_count,
        put,
        split_rows,
        typed_graphs,
    )
except ImportError as error:
    raise MissingExtraError('the PyG transform needs an extra package: pip install "egonet[pyg]".') from error


#: What changes the result besides the columns, with its default.
_DEFAULTS: dict[str, Any] = {
    "attr_name": "ego_encoding",
    **dict.fromkeys(ROLES),
}
_DEFAULTS |= {"types": False, "directed": None, "weighting": "count", "degree_rank": False}
_DEFAULTS |= {"unseen": "clip", "sparse": False}


class TransformOptions(SettingsOptions, EdgeOptions):
    """The keywords of `AddEgoEncoding` that say what is counted, and which attributes of edges have types."""


@list_class_options
@functional_transform("add_ego_encoding")
class AddEgoEncoding(BaseTransform):  # type: ignore[misc]
    """Add the encoding of every node to a graph (functional name: `add_ego_encoding`).

    Every graph gets the same columns: log bins of degrees if nothing else is given, those of the paper's layout up to
    `max_degree`, or those of a `vocabulary`, which `from_dataset` learns. A `Batch` is encoded as one graph, the
    disjoint union; the node types of `HeteroData` are encoded on the union of all their edges. Edges may be in
    `edge_index` or `adj_t`.

    Parameters
    ----------
    settings
        What is counted: a radius, or a `Settings` record.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.encode`. Without a vocabulary the columns are fixed: by `max_degree` (layout
        "paper"), otherwise by degree_bins="log" (bins 0, 1, 2 to 3, ..., 32768 and more, 17 per distance). Other
        degrees than "total" need one of the two, or `from_dataset`.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`; all but `cap` need `from_dataset`.
    attr_name
        Where the encoding goes; None appends it to `x`.
    vocabulary
        The columns of an earlier encoding, with its settings; leave settings out then.
    labels
        The attribute with the node labels (whole numbers, or one-hot rows), for a vocabulary with labels.
    edge_labels, weights
        The attribute with the type, or the weight, of every edge, for a vocabulary with edge types.
    types
        True takes the node types of `HeteroData` as node labels and its edge types as edge types.
    directed
        "out" or "in" keeps arcs and follows them that way; None reads them as undirected edges, with a warning if some
        arc lacks its opposite; False does so without a warning. With degrees="in_out" arcs are always kept.
    weighting
        "count", "log", "paper" or "rank", as for `Encoding.weighted`; "rank" compares the nodes of each graph of a
        `Batch` with each other.
    degree_rank
        True adds a first column: the rank of the node's degree in its graph (`egonet.degree_rank`). "only" has no other
        column; leave all settings out then.
    unseen
        What happens to keys without a column: "clip", "ignore" or "error", as for `encode`.
    sparse
        True writes a sparse COO tensor.
    threads
        Threads of the kernel. One if not given: PyG runs transforms in several processes already.

    Notes
    -----
    For graphs with other degrees than those that columns were learned on, use degree_rank="only", or
    `for_another_graph`. Without quarters or "only" a transform that learned its columns
    (`from_dataset`, or the `Encoding` of a graph as vocabulary) warns once if a graph of at least 100 nodes has a
    distribution of degrees that differs by more than 0.2 somewhere (Kolmogorov and Smirnov's statistic), and by more
    than that of any graph that columns were learned on.

    Examples
    --------
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> AddEgoEncoding()(path)
    Data(edge_index=[2, 4], num_nodes=3, ego_encoding=[3, 51])
    >>> AddEgoEncoding(radius=1, max_degree=2)(path).ego_encoding
    tensor([[0., 1., 0., 0., 1., 0.],
            [0., 0., 1., 0., 2., 0.],
            [0., 1., 0., 0., 1., 0.]])
    >>> AddEgoEncoding.from_dataset([path], radius=1, attr_name=None)(path).x
    tensor([[1., 0., 1.],
            [0., 1., 2.],
            [1., 0., 1.]])
    """

    @list_options
    def __init__(
        self,
        settings: Settings | Radius | None = None,
        attr_name: str | None = "ego_encoding",
        *,
        vocabulary: Vocabulary | Encoding | None = None,
        labels: str | None = None,
        types: bool = False,
        directed: Directed = None,
        weighting: Weighting = "count",
        degree_rank: bool | Literal["only"] = False,
        unseen: UnseenPolicy = "clip",
        sparse: bool = False,
        threads: int | None = None,
        **options: Unpack[TransformOptions],
    ) -> None:
        counting: Any = dict(options)
        edges: dict[str, Any] = dict.fromkeys(EDGE_ROLES) | take_options(counting, EdgeOptions)
        one_of("weighting", weighting, get_args(Weighting))
        one_of("unseen", unseen, get_args(UnseenPolicy))
        vocabulary = as_vocabulary(vocabulary)
        degree_rank = as_degree_rank(degree_rank)
        if degree_rank == "only":
            if vocabulary is not None or settings is not None or counting:
                raise InputError(
                    f"{option('degree_rank', 'only')} counts nothing else. Leave the vocabulary and all settings out."
                )
            vocabulary = Vocabulary(Schema(Settings(0)), np.empty((0, 3), dtype=np.int64))
        if vocabulary is None:
            chosen = as_settings(settings, counting)
            reject_bins(chosen, "AddEgoEncoding.from_dataset(dataset, ...)")
            vocabulary = fixed_columns(_with_bins(chosen))
        elif settings is not None or counting:
            raise InputError("a vocabulary has its own settings. Leave radius and all other settings out.")
        types, sparse = as_flag("types", types), as_flag("sparse", sparse)
        check_types(types=types, labels=labels, **edges)
        self.types, self.labels = types, "node types" if types else labels
        self.__dict__.update(edges | ({"edge_labels": "edge_type"} if types else {}))
        check_attributes(self, vocabulary, "from_dataset(dataset, ...)")
        if attr_name is None and sparse:
            raise InputError("x is dense: give attr_name for a sparse encoding.")
        self.attr_name = None if attr_name is None else as_attr_name(attr_name)
        self.vocabulary = vocabulary.without_degrees
        self.weighting, self.degree_rank = weighting, degree_rank
        self.unseen = unseen
        self.sparse = sparse
        self.threads = 1 if threads is None else as_threads(threads)
        self.directed = reading_of(directed, vocabulary.settings.degrees)
        plain = not vocabulary.schema.has_labels and not self.directed
        #: Whether a row depends on all nodes of its graph.
        self._by_graph = weighting == "rank" or bool(degree_rank)
        self._by_graph |= vocabulary.settings.degree_bins == "quantile"
        #: The degrees that columns were learned on, until a graph with very different ones was met.
        self._degrees: DegreeProfile | None = None
        if not carries_over(vocabulary.settings, degree_rank):
            self._degrees = vocabulary.degrees
        #: The same for `save`, whether such a graph was met or not.
        self._learned_degrees = self._degrees
        dense_counts = plain and weighting == "count" and not sparse and not self._by_graph
        self._columns = dense_columns(vocabulary, both_ways=directed is None) if dense_counts else None

    @classmethod
    @list_options
    def from_dataset(
        cls,
        dataset: Iterable[Data],
        settings: Settings | Radius | None = None,
        attr_name: str | None = "ego_encoding",
        *,
        labels: str | None = None,
        types: bool = False,
        directed: Directed = None,
        weighting: Weighting = "count",
        degree_rank: bool | Literal["only"] = False,
        unseen: UnseenPolicy = "clip",
        sparse: bool = False,
        threads: int | None = None,
        **options: Unpack[TransformOptions],
    ) -> Self:
        """Return a transform whose columns are those seen in a data set, found in one call of the kernel.

        Parameters
        ----------
        dataset
            A PyG data set, a list of `Data`, or one `Data`. Give the training part only if the rest should stay unseen.
        settings, radius, degrees, frontier_edges, max_degree, degree_bins, layout
            What is counted, as for `egonet.encode`.
        rooted, common, cap, depth, follow, weight_bins, count
            More of what is counted, as for `egonet.encode`.
        labels, edge_labels, weights
            The attributes with the node labels and the edge types or weights, to make them part of the columns.
        attr_name, types, directed, weighting, degree_rank, unseen, sparse
            As for the transform itself.
        threads
            As for the transform itself. If not given, the columns are learned with one thread per core.

        Examples
        --------
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> transform = AddEgoEncoding.from_dataset([path], radius=1)
        >>> transform.vocabulary.feature_names
        ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
        """
        counting: Any = dict(options)
        edges: Any = take_options(counting, EdgeOptions)
        chosen = as_settings(settings, counting)
        # Raise for wrong arguments before the data is read.
        keywords: Any = {
            "weighting": weighting,
            "degree_rank": degree_rank,
            "unseen": unseen,
            "sparse": sparse,
        }
        keywords["threads"] = threads
        make: Any = partial(cls, attr_name=attr_name, directed=directed, **keywords)
        if as_degree_rank(degree_rank) == "only":
            return make(settings, labels=labels, **counting)  # type: ignore[no-any-return]
        make(0, max_degree=0)
        graphs = _without_batches(as_graphs(dataset))
        if not len(graphs):
            raise InputError("AddEgoEncoding needs at least one graph to learn columns from, got none.")
        attributes: Any = dict(edges)
        check_types(types=as_flag("types", types), labels=labels, **attributes)
        if types:
            graphs, kinds = typed_graphs(graphs, reading_of(directed, chosen.degrees))
            learned = encode(graphs, chosen, labels=kinds, edge_labels="edge_type", threads=threads)
            attributes = {"types": True}
        else:
            graphs, names = graphs_and_labels(graphs, labels, reading_of(directed, chosen.degrees))
            attributes["labels"] = labels
            learned = encode(graphs, chosen, labels=names, threads=threads, directed=directed, **edges)
        return make(vocabulary=learned, **attributes)  # type: ignore[no-any-return]

    @classmethod
    @list_keywords(from_dataset.__wrapped__, leave_out=["settings", "radius", "degrees"])  # type: ignore[attr-defined]
    def for_molecules(cls, dataset: Iterable[Data], **options: Any) -> Self:
        """Return `from_dataset` with the best settings of ego-networks on molecules: radius (1, 2, 3), full degrees.

        Start with `AddMoleculeEncoding`, random walks of atoms and the ring of every bond: on ZINC-12k these have a
        lower error than ego-networks alone, and ego-networks next to them do not lower it.

        >>> AddEgoEncoding.for_molecules([Data(edge_index=torch.tensor([[0, 1], [1, 0]]))]).vocabulary
        Vocabulary(num_columns=6, radius=(1, 2, 3), degrees='full')
        """
        return cls.from_dataset(dataset, radius=(1, 2, 3), degrees="full", **options)

    @classmethod
    @list_keywords(
        from_dataset.__wrapped__,  # type: ignore[attr-defined]
        leave_out=["settings"],
        degree_bins="quantile",
        weighting="rank",
        degree_rank=True,
    )
    def for_another_graph(cls, dataset: Iterable[Data], radius: Radius = 1, **options: Any) -> Self:
        """Return `from_dataset` with columns that mean the same in a graph with other degrees.

        The first column is the rank of the node's degree in its graph; the others count neighbors by the quarter of
        their degree, as ranks among the nodes of the graph. Try degree_rank="only" first, which is harder to beat.

        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddEgoEncoding.for_another_graph([path])(path).ego_encoding[:, 0]
        tensor([0.3333, 0.8333, 0.3333])
        """
        keywords: dict[str, Any] = {"degree_bins": "quantile", "weighting": "rank", "degree_rank": True}
        return cls.from_dataset(dataset, radius=radius, **keywords | options)

    def __call__(self, data: Data | HeteroData) -> Any:
        """Return a copy of the graph with its encoding; what is not encoded is shared with the graph given."""
        return self.forward(copy_of(data))

    def forward(self, data: Any) -> Any:
        """Add the encoding to the graph itself, and return it; calling the transform leaves the graph as it is.

        Examples
        --------
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddEgoEncoding(radius=1).forward(path) is path
        True
        """
        if type(data) is Data and self._columns is not None:
            values = count_data(self._columns, data)
            if values is not None:
                if len(values) >= COMPARED_NODES and self._degrees is not None:
                    self._warn_shift(data)
                self._write(data, values, values.device)
                return data
        if self._degrees is not None:
            self._warn_shift(data)
        if self._by_graph and isinstance(data, Batch):
            return self._forward_batch(data)
        if isinstance(data, HeteroData):
            return self._forward_hetero(data)
        index = edge_index_of(data)
        values = None
        if isinstance(data, Batch) and self._columns is not None:
            values = count_batch(self._columns, data)
        if values is None and self.vocabulary.edge_labels is not None:
            values = self._to_tensor(self._encode(data, self._labels_of(data)))
        if values is None:
            size = node_count(data)
            source, target = as_edge_index(index, size)
            values = self._values(graph_of_arcs(source, target, size, self.directed), data)
        name = self._write(data, values, getattr(index, "device", values.device))
        if isinstance(data, Batch) and hasattr(data, "_slice_dict"):
            _note_slices(data, name)
        return data

    def _forward_batch(self, data: Batch) -> Batch:
        """Encode every graph of a batch by itself, and write all rows."""
        if isinstance(data, HeteroData) or not hasattr(data, "_slice_dict"):
            raise InputError(
                "ranks and quarters compare the nodes of one graph, and this Batch does not say which they are. "
                "Transform every graph before it is batched, or make the Batch with Batch.from_data_list."
            )
        graphs = data.to_data_list()
        values = self._to_tensor(self._encode(graphs, labels_of_all(graphs, self.labels)))
        name = self._write(data, values, getattr(edge_index_of(data), "device", values.device))
        _note_slices(data, name)
        return data

    def add_to(self, dataset: Any) -> Any:
        """Return a data set or a list of `Data` with every graph encoded, in one call of the kernel.

        The result is that of `pre_transform`, without a cost per graph. The `transform` of a data set is applied
        afterwards. The given data set does not change.

        Examples
        --------
        >>> graphs = [Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=n) for n in (2, 3)]
        >>> [data.ego_encoding.tolist() for data in AddEgoEncoding(0, max_degree=1).add_to(graphs)]
        [[[0.0, 1.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]]
        """
        if not isinstance(dataset, InMemoryDataset):
            graphs = as_graphs(dataset)
            if any(isinstance(data, HeteroData | Batch) for data in graphs):
                return [self(data) for data in graphs]
            return self._add_to_list([copy_of(data) for data in graphs])
        result = dataset.copy() if dataset._indices is not None else copy(dataset)
        result.transform = None
        if not isinstance(result._data, Data) or result._data.edge_index is None:
            result._data, result.slices = result.collate([self(data) for data in result])
            result._data_list, result.transform = None, dataset.transform
            return result
        counted = None if self._columns is None else count_many(self._columns, result)
        by_graph = self._by_graph or self.vocabulary.edge_labels is not None
        if counted is None and by_graph:
            encoding = self._encode(result, self._labels_of(result._data))
            values, graph_ptr, graph = self._to_tensor(encoding), encoding.graph_ptr, encoding.graph
        elif counted is None:
            graph, graph_ptr = disjoint_union(result, directed=self.directed)
            values = self._values(graph, result._data)
        else:
            values, graph_ptr = counted
            graph = None
        if self._degrees is not None and (np.diff(graph_ptr) >= COMPARED_NODES).any():
            graph = disjoint_union(result, directed=self.directed)[0] if graph is None else graph
            self._compare_degrees(graph, graph_ptr)
        result._data, result._data_list = copy(result._data), None
        name = self._write(result._data, values, result._data.edge_index.device)
        if result.slices is not None:  # None: a data set of one graph
            result.slices = dict(result.slices) | {name: torch.from_numpy(graph_ptr)}
        result.transform = dataset.transform
        return result

    def count_unseen(self, dataset: Iterable[Data]) -> Unseen:
        """Return what would be clipped or dropped in a data set or a list of `Data`.

        Examples
        --------
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddEgoEncoding(radius=0, max_degree=1).count_unseen([path]).num_rows
        0
        """
        graphs = _without_batches(as_graphs(dataset))
        if self.types:
            return self._encode(*typed_graphs(graphs, self.directed)).unseen
        return self._encode(*graphs_and_labels(graphs, self.labels, self.directed)).unseen

    def save(self, path: str | PathLike[str]) -> None:
        """Write columns, options and the degrees they were learned on to a JSON file, which `load` reads.

        `threads` is not part of it.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> AddEgoEncoding(radius=1, attr_name="ego").save(file)
        >>> AddEgoEncoding.load(file).attr_name
        'ego'
        """
        options = {name: getattr(self, name) for name in _DEFAULTS}
        if self.types:
            options |= {"labels": None, "edge_labels": None}
        save_transform(
            path, "AddEgoEncoding", replace(self.vocabulary, degrees=self._learned_degrees), options
        )

    @classmethod
    def load(cls, path: str | PathLike[str], *, threads: int | None = None) -> Self:
        """Return the transform that `save` wrote: the same columns, weighting and attribute names.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddEgoEncoding.from_dataset([path], radius=1).save(file)
        >>> AddEgoEncoding.load(file)(path)
        Data(edge_index=[2, 4], num_nodes=3, ego_encoding=[3, 3])
        """
        vocabulary, options = load_transform(path, "AddEgoEncoding")
        columns = None if options["degree_rank"] == "only" else vocabulary  # then there are none
        return cls(vocabulary=columns, threads=threads, **options)

    def __repr__(self) -> str:
        """Return the settings that are not defaults, and a digest of all of them: PyG compares it with a cache's."""
        shown = repr(self.vocabulary.settings).removeprefix("Settings(").removesuffix(")")
        keywords = {name: getattr(self, name) for name in _DEFAULTS if getattr(self, name) != _DEFAULTS[name]}
        digest = sha256((column_digest(self.vocabulary) + repr(keywords)).encode()).hexdigest()[:12]
        others = "".join(f", {name}={value!r}" for name, value in keywords.items())
        return f"{type(self).__name__}({shown}{others}, columns={len(self.vocabulary)}, digest={digest!r})"

    def _encode(self, graphs: Any, labels: Any) -> Encoding:
        """Return the encoding of a graph or of several in the fixed columns."""
        keywords: Any = {"unseen": self.unseen, "threads": self.threads}
        keywords |= {name: getattr(self, name) for name in EDGE_ROLES}
        keywords |= {} if isinstance(graphs, Graph) else {"directed": self.directed}
        if self.degree_rank == "only":
            keywords = {name: keywords[name] for name in ("threads", "directed") if name in keywords}
            encoding = encode(graphs, 0, **keywords)
            empty = encoding.matrix[:, :0]
            return replace(encoding, matrix=empty, vocabulary=self.vocabulary, unseen=Unseen())
        return encode(graphs, vocabulary=self.vocabulary, labels=labels, **keywords)

    def _warn_shift(self, data: Any) -> None:
        """Warn, once, if columns were learned on graphs with very different degrees."""
        size = data.num_nodes
        if self._degrees is None or size is None or size < COMPARED_NODES or isinstance(data, HeteroData):
            return
        source, target = as_edge_index(edge_index_of(data), size)
        graph = graph_of_arcs(source, target, size, False if self.directed is None else self.directed)
        self._compare_degrees(graph, batch_pointers(data))

    def _compare_degrees(self, graph: Graph, graph_ptr: Int64s | None) -> None:
        """Warn, once, if one of some graphs has very different degrees."""
        bounds = np.array([0, len(graph)]) if graph_ptr is None else graph_ptr
        for other in DegreeProfile.of_each(graph, bounds):
            if self._degrees is not None and self._degrees.warn_shift(other):
                self._degrees = None

    def _add_to_list(self, graphs: list[Data]) -> list[Data]:
        """Write the encoding to each of some graphs, cut from one result."""
        if not graphs:
            return []
        for data in graphs if self._degrees is not None else ():
            self._warn_shift(data)
        counted = None if self._columns is None else count_many(self._columns, graphs)
        if counted is None:
            encoding = self._encode(graphs, labels_of_all(graphs, self.labels))
            counted = self._to_tensor(encoding), encoding.graph_ptr
        parts = split_rows(*counted)
        for data, part in zip(graphs, parts, strict=True):
            self._write(data, part, getattr(data.edge_index, "device", part.device))
        return graphs

    def _forward_hetero(self, data: HeteroData) -> HeteroData:
        """Encode the union of all edge types, and write each node type its rows."""
        graph, ends, types = hetero_graph(data, self.directed)
        if not isinstance(data, Batch):
            self._compare_degrees(graph, None)
        labels = types if self.types else None if self.labels is None else hetero_labels(data, self.labels)
        encoding = self._encode(graph, labels)
        device = edge_index_of(data[data.edge_types[0]]).device if data.edge_types else torch.device("cpu")
        parts = split_rows(self._to_tensor(encoding), np.array(ends))
        for kind, part in zip(data.node_types, parts, strict=True):
            name = self._write(data[kind], part, device)
            if isinstance(data, Batch) and hasattr(data, "_slice_dict"):
                none = torch.zeros(data.num_graphs, dtype=torch.long)
                data._slice_dict = data._slice_dict | {
                    kind: data._slice_dict.get(kind, {}) | {name: data[kind].ptr.cpu()}
                }
                data._inc_dict = data._inc_dict | {kind: data._inc_dict.get(kind, {}) | {name: none}}
        return data

    def _values(self, graph: Graph, data: Any) -> Tensor:
        """Return the encoding of a graph whose labels are in `data`; dense if the result is counts."""
        counts = None
        if self._columns is not None and len(graph.indices) < FEW_ARCS:
            counts = self._columns.of_rows(graph.indptr, graph.indices)
        if counts is not None:
            return torch.from_numpy(counts)
        return self._to_tensor(self._encode(graph, self._labels_of(data)))

    def _labels_of(self, data: Any) -> Any:
        """Return the node labels of a graph, or None."""
        if self.types:
            raise InputError(
                "types=True takes the types of HeteroData, got a Data. Use labels and edge_labels."
            )
        return None if self.labels is None else labels_of(data, self.labels)

    def _to_tensor(self, encoding: Encoding) -> Tensor:
        """Return an encoding as a float32 tensor, dense or COO."""
        matrix = encoding.weighted(self.weighting)
        if self.degree_rank:
            assert encoding.graph is not None  # it was encoded just now
            ranks = ranks_of_degrees(encoding.graph.degrees, encoding.graph_ptr)
            matrix = hstack([csr_array(ranks[:, None]), matrix], format="csr")
        return as_tensor(matrix, sparse=self.sparse)

    def _write(self, store: Any, rows: Tensor, device: torch.device) -> str:
        """Write rows to a graph or a node type with its device and dtype, and return the name they are under.

        Next to counts half precision becomes float32 and small integers become int32, which hold every count.
        """
        x = store._store._mapping.get("x") if type(store) is Data else getattr(store, "x", None)
        x = x if isinstance(x, Tensor) else None
        counts, dtype = self.weighting == "count" and not self.degree_rank, torch.get_default_dtype()
        if x is not None and x.is_floating_point():
            dtype = torch.float32 if counts and x.dtype.itemsize < 4 else x.dtype
        if self.attr_name is not None or x is None:
            name = self.attr_name or "x"
            if dtype is not rows.dtype or device != rows.device:
                rows = rows.to(device=device, dtype=dtype)
            put(store, name, rows)
            return name
        if counts and not x.is_floating_point():
            dtype = torch.int32 if x.dtype.itemsize < 4 else x.dtype
        old = (x.view(-1, 1) if x.dim() == 1 else x).to(dtype)
        store["x"] = torch.cat([old, rows.to(device=x.device, dtype=dtype)], dim=-1)
        return "x"


def _without_batches(graphs: Any) -> Any:
    """Return a data set unchanged, and a list with the graphs of every `Batch` instead of the `Batch`."""
    if not isinstance(graphs, list) or not any(isinstance(data, Batch) for data in graphs):
        return graphs
    parts = [
        data.to_data_list() if isinstance(data, Batch) and hasattr(data, "_slice_dict") else [data]
        for data in graphs
    ]
    return [data for part in parts for data in part]


def _note_slices(data: Batch, name: str) -> None:
    """Tell a batch which rows of a new attribute belong to each of its graphs."""
    data._slice_dict = data._slice_dict | {name: data.ptr.cpu()}
    data._inc_dict = data._inc_dict | {name: torch.zeros(data.num_graphs, dtype=torch.long)}


def _with_bins(settings: Settings) -> Settings:
    """Return settings with log bins if nothing else fixes the columns of total degrees."""
    fixed = settings.max_degree is not None or settings.degree_bins is not None or settings.layout == "paper"
    if fixed or settings.degrees != "total" or settings.is_nested or settings.count == "edges":
        return settings
    return replace(settings, degree_bins="log")

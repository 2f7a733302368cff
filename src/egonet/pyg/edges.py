"""The PyG transform of edges: the encoding of the ends of every edge as an attribute."""

import inspect
from collections.abc import Iterable
from copy import copy
from os import PathLike
from typing import Any, Self

import numpy as np

from egonet.checks import as_flag
from egonet.encoding.settings import Radius
from egonet.encoding.signature import list_class_options, list_keywords
from egonet.errors import InputError, MissingExtraError
from egonet.graph.adapters import as_graph
from egonet.graph.arcs import as_edge_index, edge_index_of
from egonet.graph.columns import EDGE_ROLES, ROLES
from egonet.graph.graph import Graph
from egonet.graph.input_options import reject_unknown
from egonet.graph.union import disjoint_union
from egonet.pairs.encode import encode_pairs
from egonet.pairs.index import PairRows
from egonet.typing import Array

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Batch, HeteroData, InMemoryDataset
    from torch_geometric.data.datapipes import functional_transform

    from egonet.graph.pyg_data import (
        append_columns,
        as_attr_name,
        as_graphs,
        check_types,
        copy_of,
        hetero_graph,
        hetero_labels,
        node_count,
        split_rows,
    )
    from egonet.pyg.pairs import COUNTED, AddPairEncoding
except ImportError as error:
    raise MissingExtraError('the PyG transform needs an extra package: pip install "egonet[pyg]".') from error


@list_class_options
@functional_transform("add_edge_encoding")
class AddEdgeEncoding(AddPairEncoding):
    """Add a row per column of `edge_index` to a graph, as `egonet.encode_edges` (functional name: `add_edge_encoding`).

    Both directions of an edge get a row each, loops a row of zeros, so that the attribute fits `edge_index`. Arcs are
    read as undirected edges. A `Batch` is encoded as one graph, the disjoint union. `HeteroData` is encoded on the
    union of all its edge types, and every edge type gets the rows of its edges.

    Parameters
    ----------
    radius
        Hops around each end, or several.
    attr_name
        Where the rows go; columns are appended to an "edge_attr" that the graph has.
    types
        True takes the node types of `HeteroData` as node labels and its edge types as edge types, for a vocabulary that
        `from_dataset` learned so.
    degrees, degree_bins, max_degree, without_edge, ordered, ends_distance, vocabulary
        As for `AddPairEncoding`. A vocabulary may be the path of a file of egonet.
    labels, edge_labels, weights, weight_bins, weighting, unseen, threads
        As for `AddPairEncoding`.

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> transform = AddEdgeEncoding(radius=1, degree_bins=None, max_degree=1)
    >>> rows = transform(path).edge_encoding
    >>> [transform.vocabulary.feature_names[column] for column in rows[0].nonzero().flatten()]
    ['r1_d0_d2_deg0', 'r1_d0_d2_deg1plus', 'r1_d1_d2_deg1plus']

    Columns that occur in training graphs, with full degrees and the distance of both ends without their edge:

    >>> ring = Data(edge_index=torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]]), num_nodes=3)
    >>> learned = AddEdgeEncoding.from_dataset([path, ring], 1, degrees="full", ends_distance=7)
    >>> learned.vocabulary.feature_names[0], learned(ring).edge_encoding[:, 0].tolist()
    ('ends_d2', [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    """

    _saved = (*AddPairEncoding._saved, "types")

    @list_keywords(AddPairEncoding, leave_out=["graph"])
    def __init__(
        self,
        radius: Radius | None = None,
        attr_name: str = "edge_encoding",
        *,
        types: bool = False,
        **options: Any,
    ) -> None:
        if "graph" in options:
            raise InputError("AddEdgeEncoding encodes the edges of the graph given. Leave graph out.")
        reject_unknown("AddEdgeEncoding", options, inspect.signature(AddEdgeEncoding).parameters)
        self.types = as_flag("types", types)
        super().__init__(radius, **options)
        self.attr_name = as_attr_name(attr_name, own="edge_attr", edges=True)

    def forward(self, data: Any) -> Any:
        """Add the rows to the data itself, and return it; calling the transform leaves the data as it is.

        Examples
        --------
        >>> from torch_geometric.data import Data
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> len(AddEdgeEncoding(radius=1).forward(path).edge_encoding)
        4
        """
        graph, arcs = self._read_arcs(data)
        rows = self._rows(graph, np.concatenate(arcs, axis=1))
        if isinstance(data, HeteroData):
            parts = split_rows(rows, np.cumsum([0, *(part.shape[1] for part in arcs)]))
            for kind, part in zip(data.edge_types, parts, strict=True):
                self._write(data[kind], part)
                self._note_slices(data, kind)
            return data
        self._write(data, rows)
        self._note_slices(data, None)
        return data

    def add_to(self, dataset: Any) -> Any:
        """Return a data set or a list of graphs with the rows of their edges, counted in one call.

        The result is that of `pre_transform`. The given data set does not change.

        Examples
        --------
        >>> from torch_geometric.data import Data
        >>> graphs = [Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=n) for n in (2, 3)]
        >>> [tuple(data.edge_encoding.shape) for data in AddEdgeEncoding(1, max_degree=1).add_to(graphs)]
        [(2, 8), (2, 8)]
        """
        graphs = as_graphs(dataset)
        if not isinstance(graphs, InMemoryDataset):
            if not graphs or any(isinstance(data, HeteroData) for data in graphs):
                return [self(data) for data in graphs]
            made = [copy_of(data) for data in graphs]
            for data, part in zip(made, self._rows_of(graphs), strict=True):
                self._write(data, part)
            return made
        result = graphs.copy() if graphs._indices is not None else copy(graphs)
        result.transform = None
        made = self.add_to(list(result)) if len(result) else []
        if made:
            result._data, result.slices = result.collate(made)
        result._data_list, result.transform = None, graphs.transform
        return result

    @classmethod
    @list_keywords(__init__, leave_out=["vocabulary"])
    def from_dataset(
        cls, dataset: Iterable[Any], radius: Radius = 1, attr_name: str = "edge_encoding", **options: Any
    ) -> Self:
        """Return a transform whose columns are those of the edges of a data set, counted in one call.

        Parameters
        ----------
        dataset
            A PyG data set, a list of graphs, or one graph. Give the training part only if the rest should stay unseen.
        radius, attr_name
            As above, and all options of `egonet.encode_edges` that say what is counted: degrees, weight_bins.

        Examples
        --------
        >>> from torch_geometric.data import Data
        >>> molecule = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), atom=torch.tensor([6, 8]))
        >>> AddEdgeEncoding.from_dataset([molecule], 0, labels="atom", max_degree=0).vocabulary.feature_names
        ['r0_d0_d1_deg0plus_label6', 'r0_d0_d1_deg0plus_label8']
        """
        if options.get("vocabulary") is not None:
            raise InputError(
                "from_dataset learns the columns, got a vocabulary. Leave it out, or use AddEdgeEncoding(vocabulary=v)."
            )
        chosen = {name: options.pop(name) for name in COUNTED if name in options}
        names = {name: options.pop(name, None) for name in ROLES}
        types = as_flag("types", options.pop("types", False))
        check_types(types=types, **names)
        made = cls(attr_name=attr_name, **options)
        made.__dict__.update(names)
        made.types = types
        graphs = as_graphs(dataset)
        if not len(graphs):
            raise InputError("AddEdgeEncoding needs at least one graph to learn columns from, got none.")
        union, arcs, _ = made._join(list(graphs))
        pairs = PairRows.of_rows(arcs[0], arcs[1], union)
        made.vocabulary = encode_pairs(
            union, pairs, radius, threads=options.get("threads"), **chosen
        ).vocabulary
        return made

    @classmethod
    @list_keywords(__init__, leave_out=["vocabulary"])
    def from_data(cls, data: Any, radius: Radius = 1, **options: Any) -> Self:
        """Return `from_dataset` of one graph.

        Examples
        --------
        >>> from torch_geometric.data import Data
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddEdgeEncoding.from_data(path, 0)(path).edge_encoding.shape
        torch.Size([4, 1])
        """
        return cls.from_dataset([data], radius, **options)

    @classmethod
    def load(cls, path: str | PathLike[str], *, threads: int | None = None) -> Self:  # type: ignore[override]
        """Return the transform that `save` wrote.

        Examples
        --------
        >>> import tempfile
        >>> file = tempfile.mkdtemp() + "/transform.json"
        >>> AddEdgeEncoding(radius=1, weighting="log").save(file)
        >>> AddEdgeEncoding.load(file).weighting
        'log'
        """
        return cls(threads=threads, **cls._read_saved(path))

    def _check_attributes(self, vocabulary: Any) -> None:
        """Raise unless labels and edge types are given if and only if the columns have them."""
        if not self.types:
            super()._check_attributes(vocabulary)
        elif vocabulary.labels is None or vocabulary.edge_labels is None:
            raise InputError(
                "types=True needs a vocabulary of node types and edge types. "
                "Use AddEdgeEncoding.from_dataset(dataset, types=True)."
            )

    def _read_arcs(self, data: Any) -> tuple[Graph, list[Array]]:
        """Return the undirected graph of some data, and the arcs of every edge type as its rows, (2, num_arcs) each."""
        if isinstance(data, HeteroData):
            graph, _, kinds = hetero_graph(data, False)
            table = graph.given_edges()
            both = np.stack([table.source, table.target]).astype(np.int64)
            counts = [edge_index_of(data[kind]).shape[1] for kind in data.edge_types]
            arcs = np.split(both, np.cumsum(counts)[:-1], axis=1) if counts else [both]
            if self.types:
                return as_graph(graph, labels=kinds, edge_labels="edge_type"), arcs
            if any(getattr(self, name) is not None for name in EDGE_ROLES):
                raise InputError(
                    f"{' and '.join(EDGE_ROLES)} are attributes of graphs with one edge type, got HeteroData. "
                    "Use types=True for its edge types."
                )
            labels = None if self.labels is None else hetero_labels(data, self.labels)
            return as_graph(graph, labels=labels), arcs
        if self.types:
            raise InputError(
                "types=True takes the types of HeteroData, got a Data. Use labels and edge_labels."
            )
        index = getattr(data, "edge_index", None)
        if index is None:
            raise InputError(f"AddEdgeEncoding needs a graph with an edge_index, got {type(data).__name__}.")
        return self._read(data), [as_edge_index(index, node_count(data))]

    def _join(self, graphs: list[Any]) -> tuple[Graph, Array, Array]:
        """Return the disjoint union of graphs, all their arcs as its rows, and where the arcs of each graph begin."""
        read = [self._read_arcs(data) for data in graphs]
        union, ptr = disjoint_union([graph for graph, _ in read])
        own = [np.concatenate(arcs, axis=1) for _, arcs in read]
        moved = np.concatenate([arcs + first for arcs, first in zip(own, ptr[:-1], strict=True)], axis=1)
        return union, moved, np.cumsum([0, *(arcs.shape[1] for arcs in own)])

    def _rows_of(self, graphs: list[Any]) -> Any:
        """Return the rows of every graph."""
        union, arcs, ptr = self._join(graphs)
        return split_rows(self._rows(union, arcs), ptr)

    def _rows(self, graph: Graph, arcs: Array) -> Tensor:
        """Return a row per arc, in the columns of the vocabulary."""
        encoding = encode_pairs(
            graph,
            PairRows.of_rows(arcs[0], arcs[1], graph),
            vocabulary=self.vocabulary,
            unseen=self.unseen,
            threads=self.threads,
        )
        return torch.from_numpy(encoding.weighted(self.weighting).astype(np.float32).toarray())

    def _write(self, store: Any, rows: Tensor) -> None:
        """Write rows to a graph or an edge type, next to the columns of `edge_attr` that it has."""
        rows = rows.to(edge_index_of(store).device, torch.get_default_dtype())
        before = store["edge_attr"] if self.attr_name == "edge_attr" and "edge_attr" in store else None
        store[self.attr_name] = append_columns(before, rows, self.attr_name)

    def _note_slices(self, data: Any, kind: Any) -> None:
        """Tell a `Batch` which rows belong to which graph."""
        if not isinstance(data, Batch) or not hasattr(data, "_slice_dict"):
            return
        none = torch.zeros(data.num_graphs, dtype=torch.long)
        if kind is None:
            data._slice_dict = data._slice_dict | {self.attr_name: data._slice_dict["edge_index"]}
            data._inc_dict = data._inc_dict | {self.attr_name: none}
            return
        slices, increments = data._slice_dict[kind], data._inc_dict[kind]
        data._slice_dict = data._slice_dict | {kind: slices | {self.attr_name: slices["edge_index"]}}
        data._inc_dict = data._inc_dict | {kind: increments | {self.attr_name: none}}

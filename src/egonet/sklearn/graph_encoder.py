"""`GraphEncoder`: a list or a column of graphs, molecules or SMILES in, one row per graph out."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from egonet.attributes.edge_types import kept_names
from egonet.encoding.bags import Bag, bag_names, check_bag, count_bags, count_hashed, learn_bags
from egonet.encoding.matrix import Aggregate, Counts, Weighting, aggregate_rows, class_counts, weight
from egonet.encoding.settings import OtherSettings, Radius, one_of, settings_of
from egonet.encoding.vocabulary import Unseen
from egonet.errors import InputError, MissingExtraError, as_flag
from egonet.graph.convert import is_dataset, is_from, is_many, listed
from egonet.graph.edge_table import make_table
from egonet.graph.graph import Graph
from egonet.graph.ids import is_encodable, show
from egonet.graph.input_options import as_direction
from egonet.sklearn.estimator import BaseEncoder, SparseOutput, UnknownPolicy
from egonet.typing import Directed, Direction


class GraphEncoder(BaseEncoder):
    """Turn a list or a column of graphs into one row per graph, such as the sum of its nodes' encodings.

    X is a list, a series, or a frame or array with one column. An entry is anything `as_graph` accepts, or SMILES,
    which RDKit reads.

    Parameters
    ----------
    radius, directed, **options
        As for `egonet.encode`: every field of `Settings` is a parameter.
    edge_labels, weights
        The name of the attribute that every graph has (or kept) for its edges, as for `egonet.encode`.
    aggregate
        How the rows of a graph's nodes become one: "sum", "mean" or "max" of every column, or "classes": how
        many nodes have each encoding seen in `fit` (the finest of the four; columns grow with the data). "bag" does
        this for each radius separately and concatenates the columns: a fingerprint of the graph.
    min_count, num_hashed
        For "bag": encodings of fewer than `min_count` nodes in all fitted graphs get no column. `num_hashed` hashes
        encodings to this many columns (`egonet.encoding.bags.row_hashes`), so that no encoding is unknown.
    labeled
        True if every entry of X is a pair (graph, labels of its nodes), which become part of the columns, or a
        molecule or SMILES, whose atoms are the labels.
    weighting
        What is aggregated: "count", "log" or "paper", as for `Encoding.weighted`.
    handle_unknown
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error". A node whose encoding is not a learned class is left out unless "error". "zero" clips keys, and
        returns a row of zeros for missing entries (None, NaN) and for SMILES that RDKit cannot read, in `fit` too;
        otherwise these are errors.
    sparse_output
        "auto" returns dense arrays, which every model and `set_output(transform="pandas")` take, up to 4,096 columns
        (and 2 GB); above that sparse ones with a warning. True and False always return sparse or dense ones.
    n_jobs
        Threads of the kernel: None is one, -1 all cores.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The columns learned.
    class_rows_ : csr_array
        Only with aggregate="classes": the encoding that each class stands for.
    bags_ : list of Bag
        Only with aggregate="bag", instead of `vocabulary_`: the encodings seen at each radius.

    Examples
    --------
    >>> import egonet
    >>> encoder = GraphEncoder(radius=1)
    >>> encoder.fit_transform([egonet.named.path("abc"), egonet.named.cycle(3)])
    array([[2., 1., 4., 0.],
           [0., 3., 0., 6.]])
    >>> encoder.get_feature_names_out().tolist()
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1', 'r1_d1_deg2']

    Ethanol and water as SMILES, with their atoms as labels:

    >>> GraphEncoder(radius=0, labeled=True).fit_transform(["CCO", "O"])
    array([[0., 1., 1., 1.],
           [1., 0., 0., 0.]])
    """

    class_rows_: Counts
    bags_: list[Bag]

    def __init__(
        self,
        radius: Radius = 2,
        *,
        directed: Directed = None,
        edge_labels: str | None = None,
        weights: str | None = None,
        aggregate: Aggregate = "sum",
        min_count: int = 1,
        num_hashed: int | None = None,
        labeled: bool = False,
        weighting: Weighting = "count",
        handle_unknown: UnknownPolicy = "clip",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[OtherSettings],
    ) -> None:
        self._keep(locals())

    def unseen(self, X: Sequence[Any]) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop in these graphs."""
        if self.aggregate == "bag":
            raise InputError('unseen counts keys, and aggregate="bag" has whole rows. Use aggregate="sum".')
        return super().unseen(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Return the name of every column: "r2_d1_deg4", "class0" of classes, "r2_class0" or "hashed0" of bags."""
        if self.aggregate == "bag":
            check_is_fitted(self, "bags_")
            return np.array(bag_names(self.bags_, self.num_hashed), dtype=object)
        if self.aggregate != "classes":
            return super().get_feature_names_out(input_features)
        check_is_fitted(self, "class_rows_")
        return np.array([f"class{number}" for number in range(self.class_rows_.shape[0])], dtype=object)

    def _learn(self, graphs: Sequence[Any]) -> Any:
        """Learn columns, and classes if aggregate="classes"; return the encoding they were learned on, or the bags."""
        self._check_params()
        given = self._unzipped(graphs, " to learn columns from")
        if self.aggregate == "bag":
            encode_new = partial(self._encode, *given, None)
            self.bags_, counts = learn_bags(encode_new, settings_of(self), self.min_count, self.num_hashed)
            return counts
        encoding = self._encode(*given)
        self.vocabulary_ = encoding.vocabulary
        if self.aggregate == "classes":
            first_rows = np.unique(encoding.classes, return_index=True)[1]
            self.class_rows_ = encoding.matrix[first_rows]
        return encoding

    def _unzipped(self, graphs: Any, purpose: str = "") -> tuple[Any, list[Any] | None]:
        """Return the graphs, and their labels if they come with them; raise if there are none."""
        found: tuple[Any, list[Any] | None] = (graphs, None)
        if self.labeled or not is_dataset(graphs):
            empty = self._empty() if self.handle_unknown == "zero" else None
            found = graph_entries(graphs, labeled=self.labeled, empty=empty)
        if not len(found[0]):
            raise InputError(f"GraphEncoder needs at least one graph{purpose}, got none.")
        return found

    def _empty(self) -> Graph:
        """Return the graph that replaces a missing entry."""
        directed = "out" if self.degrees == "in_out" and not self.directed else as_direction(self.directed)
        return empty_graph(directed, kept_names(self.edge_labels, self.weights))

    def _apply(self, graphs: Sequence[Any]) -> Any:
        """Return the encoding of some graphs in the learned columns, or the counts of bags."""
        if self.aggregate != "bag":
            check_is_fitted(self, "vocabulary_")
            return self._encode(*self._unzipped(graphs), columns=self.vocabulary_)
        check_is_fitted(self, "bags_")
        encode_again = partial(self._encode, *self._unzipped(graphs), None)
        if self.num_hashed is not None:
            return count_hashed(self.bags_, encode_again, self.num_hashed)
        return count_bags(self.bags_, encode_again, self._unseen_policy)

    def _check_params(self) -> None:
        super()._check_params()
        as_flag("labeled", self.labeled)
        one_of("aggregate", self.aggregate, get_args(Aggregate))
        check_bag(self.aggregate, self.weighting, self.min_count, self.num_hashed)

    def _rows(self, encoding: Any) -> Any:
        if self.aggregate == "bag":
            return self._output(encoding)
        if self.aggregate == "classes":
            return self._output(class_counts(self.class_rows_, encoding, self._unseen_policy))
        matrix = weight(encoding.matrix, self.weighting)
        return self._output(aggregate_rows(matrix, encoding.graph_ptr, self.aggregate))


_ONE_GRAPH = (
    "GraphEncoder takes a list of graphs, got one graph ({kind}). "
    "Write [graph] for a single one, or use NodeEncoder for a row per node."
)


def graph_entries(
    graphs: Any, *, labeled: bool, empty: Graph | None = None
) -> tuple[list[Any], list[Any] | None]:
    """Return the graphs of a list or a column, and their labels if `labeled`; raise for a single graph.

    Text is read as SMILES by RDKit. A molecule has its atoms as labels; any other graph comes as the pair (graph,
    labels). An entry that is missing, or SMILES that RDKit cannot read, is the graph `empty`, if it is given.

    >>> import egonet
    >>> graphs, labels = graph_entries(["CO", None], labeled=True, empty=empty_graph(None, ()))
    >>> [egonet.as_graph(graph) for graph in graphs], labels
    ([Graph(num_nodes=2, num_edges=1), Graph(num_nodes=0, num_edges=0)], [['C', 'O'], []])
    """
    items = _as_list(graphs)
    if not labeled and set(map(type, items)) == {Graph}:
        return list(items), None
    read = [_read(item, position, empty) for position, item in enumerate(items)]
    if not labeled:
        if items and not is_many(read):
            for position, item in enumerate(read):
                if isinstance(item, int | float):
                    raise InputError(f"graph {position} (counted from 0) must be a graph, got {show(item)}.")
            raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
        return read, None
    pairs = [_with_labels(item, position, empty) for position, item in enumerate(read)]
    return [graph for graph, _ in pairs], [labels for _, labels in pairs]


def _read(item: Any, position: int, empty: Graph | None) -> Any:
    """Return an entry with SMILES as a molecule; a missing one as the empty graph, or raise."""
    if isinstance(item, str):
        molecule = _molecule(item)
        if molecule is not None:
            return molecule
        problem = f"must be SMILES that RDKit can read, got {show(item)}"
    elif _is_missing(item):
        problem = f"must be a graph, got {item!r}"
    else:
        return item
    if empty is not None:
        return empty
    raise InputError(
        f"graph {position} (counted from 0) {problem}. "
        'Drop the entry, or set handle_unknown="zero" for a row of zeros.'
    )


def _is_missing(item: Any) -> bool:
    """Return whether a value is None, NaN, `pandas.NA` or `pandas.NaT`."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, float | np.floating) and item != item


def _molecule(smiles: str) -> Any:
    """Return the RDKit molecule of SMILES, or None if there is none."""
    try:
        from rdkit import Chem, rdBase
    except ImportError as error:
        raise MissingExtraError(
            f"reading SMILES ({show(smiles)}) needs an extra package: pip install rdkit."
        ) from error
    if not is_encodable(smiles):
        return None
    with rdBase.BlockLogs():  # the error has the text; RDKit would print it, too
        return Chem.MolFromSmiles(smiles)


def _with_labels(item: Any, position: int, empty: Graph | None) -> tuple[Any, Any]:
    """Return a graph and the labels of its nodes."""
    if item is empty:
        return empty, []
    if is_from("rdkit", item):
        return item, [atom.GetSymbol() for atom in item.GetAtoms()]
    if isinstance(item, tuple | list) and len(item) == 2:
        return item[0], item[1]
    raise InputError(
        f"labeled=True takes a list of pairs (graph, labels of its nodes), got {show(item)} at position {position}."
    )


def _as_list(graphs: Any) -> list[Any]:
    """Return a list, a series, or a frame or array of one column as a list; raise for a single graph."""
    if hasattr(graphs, "columns") and getattr(graphs, "shape", (0, 0))[1:] == (1,):
        graphs = graphs[next(iter(graphs.columns))]
    elif isinstance(graphs, np.ndarray) and graphs.ndim == 2 and graphs.shape[1] == 1:
        graphs = graphs[:, 0]
    if isinstance(graphs, np.ndarray) and graphs.ndim == 1 and graphs.dtype.kind in "UT":
        graphs = graphs.tolist()
    elif is_from("polars", graphs) and not hasattr(graphs, "columns"):
        graphs = graphs.to_list()
    graphs = listed(graphs)
    if isinstance(graphs, list | tuple):
        return list(graphs)
    if graphs is None or isinstance(graphs, str | bytes | int | float | dict | set | frozenset):
        raise InputError(f"GraphEncoder takes a list of graphs, got {show(graphs)}.")
    if not hasattr(graphs, "__len__") or not hasattr(graphs, "__getitem__") or _is_one_graph(graphs):
        raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
    return [graphs[index] for index in range(len(graphs))]


def _is_one_graph(data: Any) -> bool:
    """Return whether an indexable thing is a graph itself: an array, a sparse matrix, a frame, a Data."""
    kind = type(data).__module__.split(".")[0]
    return hasattr(data, "shape") or hasattr(data, "edge_index") or kind in ("networkx", "igraph")


def empty_graph(directed: Direction | None, keep: tuple[str, ...] | None) -> Graph:
    """Return a graph without nodes, read as the graphs next to it: with their direction and edge attributes.

    >>> empty_graph("out", ("bond",)).directed, empty_graph(None, ("bond",)).edge_table.column("bond").tolist()
    ('out', [])
    """
    graph = Graph.from_edges([], num_nodes=0, directed=directed)
    return graph.with_table(make_table(graph.indices, graph.indices, keep, lambda _name: []))

"""`GraphEncoder`: a list or a column of graphs, molecules or SMILES in, one row per graph out."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from typing import Any, Self, Unpack, get_args

import numpy as np
from scipy.sparse import csr_array, hstack, vstack
from sklearn.utils.validation import check_is_fitted

from egonet.checks import as_flag, as_whole, one_of
from egonet.encoding.bags import (
    Bag,
    HashTable,
    bag_columns,
    bag_names,
    check_bag,
    check_hashed_kind,
    count_columns,
    find_columns,
    hashed_columns,
    label_hashes,
    learn_bags,
    learn_table,
    row_hashes,
)
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import ask_limits, number_columns
from egonet.encoding.matrix import Aggregate, Counts, Weighting, aggregate_rows, class_counts, weight
from egonet.encoding.molecules import encode_molecules
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Radius, Settings, settings_of
from egonet.encoding.unknown import MOST_UNSEEN, HandleUnknown
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import InputError, MissingExtraError, UnseenWarning, show_value
from egonet.graph.adapters import as_list, is_dataset, is_many
from egonet.graph.align import kept_names
from egonet.graph.columns import EDGE_ROLES, Labels, is_from, make_table
from egonet.graph.edge_types import subdivide
from egonet.graph.graph import Graph
from egonet.graph.index import is_encodable, is_missing
from egonet.graph.input_options import Ids, Missing, as_direction, warn
from egonet.graph.molecules import BOND_TYPE, AtomLabels, Molecules, read_molecules
from egonet.graph.smiles import Parser, read_smiles
from egonet.sklearn.base import BaseEncoder, EncoderOptions, SparseOutput, threads_of
from egonet.typing import Directed, Direction, Int32s
from egonet.wl.subtrees import Hashes, subtree_hashes

#: Fewer SMILES than this are not divided among threads.
LEAST_TEXTS = 500
#: The most rounds of the Weisfeiler-Leman test whose colors are counted.
MAX_ROUNDS = 1_000


class GraphEncoder(BaseEncoder):
    """Turn a list or a column of graphs into one row per graph, such as the sum of its nodes' encodings.

    X is a list, a series, or a frame or array with one column. An entry is anything `as_graph` accepts, or SMILES,
    which RDKit reads.

    Parameters
    ----------
    radius
        Hops around each node, or several.
    degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `egonet.encode`.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    directed, source, target, missing, ids, simplify
        How the graphs are read, as for `egonet.encode`.
    edge_labels, weights
        The name of the attribute that every graph has (or kept) for its edges, as for `egonet.encode`.
    aggregate
        How the rows of a graph's nodes become one: "sum", "mean" or "max" of every column, or "classes": how
        many nodes have each encoding seen in `fit` (the finest of the four; columns grow with the data). "bag" does
        this for each radius separately and concatenates the columns: a fingerprint of the graph.
    min_count, num_hashed
        For "bag": encodings of fewer than `min_count` nodes in all fitted graphs get no column. `num_hashed` hashes
        encodings to this many columns (`egonet.encoding.bags.row_hashes`), so that no encoding is unknown and `fit` has
        nothing to learn (except quantiles of weights, and from the first graph whether labels are numbers or text).
    labeled
        True if every entry of X is a pair (graph, labels of its nodes), which become part of the columns, or a
        molecule or SMILES, whose atoms are the labels.
    atom_labels
        The labels of atoms, if `labeled`: "element" ("C"), "atom" (with hydrogens and charge: "CH3", "NH3+"), or
        "invariant" (the numbers that Morgan fingerprints start from: element, neighbors, hydrogens, charge, isotope and
        whether the atom is in a ring).
    parser
        What reads SMILES: "rdkit", or "fast", our own parser for SMILES as RDKit writes them. It leaves what it does
        not know to RDKit (Kekule's form, isotopes, metals, ...), so that rows are equal.
    wl
        Adds a column group after the others: how many nodes have each color after 0, 1, ... `wl` rounds of the
        Weisfeiler-Leman test with the labels and edge types (`egonet.wl.subtrees.subtree_hashes`), a column per color
        seen in `fit`, or `num_hashed` more columns. None for none.
    weighting
        What is aggregated: "count", "log" or "paper", as for `Encoding.weighted`.
    unseen
        What `transform` does with keys not seen in `fit`: "clip" them to the nearest lower degree, "ignore" them, or
        "error". A node whose whole encoding was not seen (in "classes" and "bag") is left out unless "error". If more
        than half of what was counted has no column, "clip" warns.
    handle_unknown
        What happens to missing entries (None, NaN, empty text) and SMILES that RDKit cannot read, in `fit` too:
        "error", or "zero" and "warn" for a row of zeros. "warn" warns; "zero" does so if more than half are missing.
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
        Only with aggregate="bag", instead of `vocabulary_`: the encodings seen at each radius; empty if hashed.
    wl_tables_ : list of HashTable
        Only with `wl`: the colors seen after each round; empty if hashed.

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
    settings_: Settings
    wl_tables_: list[HashTable]

    def __init__(
        self,
        radius: Radius = 2,
        *,
        directed: Directed = None,
        source: str | None = None,
        target: str | None = None,
        missing: Missing = None,
        ids: Ids = None,
        simplify: bool | None = None,
        aggregate: Aggregate = "sum",
        min_count: int = 1,
        num_hashed: int | None = None,
        labeled: bool = False,
        atom_labels: AtomLabels = "element",
        parser: Parser = "rdkit",
        wl: int | None = None,
        weighting: Weighting = "count",
        unseen: UnseenPolicy = "clip",
        handle_unknown: HandleUnknown = "error",
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        self._keep(locals())

    def count_unseen(self, X: Sequence[Any]) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop in these graphs.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.GraphEncoder(radius=0)
        >>> graphs = [egonet.named.cycle(3), egonet.named.path("abc")]
        >>> encoder.fit(graphs[:1]).count_unseen(graphs).clipped
        2
        """
        if self.aggregate == "bag":
            raise InputError(
                'count_unseen counts keys, and aggregate="bag" has whole rows. Use aggregate="sum".'
            )
        return super().count_unseen(X)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the columns of X; `y` is ignored. Hashed columns are not learned, so that X is hardly read.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.GraphEncoder(radius=0)
        >>> graphs = [egonet.named.cycle(3), egonet.named.path("abc")]
        >>> len(encoder.fit(graphs).get_feature_names_out())
        2
        """
        if not self._learns_nothing:
            return super().fit(X, y)
        self._check_params()
        if not is_dataset(X) and not list_graphs(X):
            raise InputError("GraphEncoder needs at least one graph to learn columns from, got none.")
        schema = self._schema_of_first(X)
        self.bags_, self.settings_, self.wl_tables_, self._schema = [], settings_of(self), [], schema
        self._remember()
        return self

    #: What the first fitted graph has, labels and direction, if columns are hashed; None for molecules.
    _schema: Schema | None = None

    def _schema_of_first(self, graphs: Any) -> Schema | None:
        """Return what the first graph has, without counting in it; None for a molecule or a missing one."""
        first = graphs[0] if is_dataset(graphs) else list_graphs(graphs)[0]
        graph = first[0] if self.labeled and isinstance(first, tuple | list) and len(first) == 2 else first
        if is_missing(graph) or isinstance(graph, str) or is_from("rdkit", graph):
            return None
        counted = settings_of(self)
        plain = Settings(0, degrees="in_out" if counted.degrees == "in_out" else "total")
        bins = {role.bins: getattr(counted, role.bins) for role in EDGE_ROLES.values() if role.bins}
        return self._encode(*self._unzipped([first]), columns=replace(plain, **bins)).vocabulary.schema

    _fixed = ("aggregate", "min_count", "num_hashed", "labeled", "atom_labels", "wl")

    def _learned_from(self) -> dict[str, Any]:
        return vars(settings_of(self)) | super()._learned_from()

    @property
    def _learns_nothing(self) -> bool:
        """Return whether columns are hashed, with settings that do not depend on the data."""
        bins = [getattr(self, role.bins) for role in EDGE_ROLES.values() if role.bins is not None]
        is_quantile = any(isinstance(each, int | np.integer) for each in bins)
        return bool(self.aggregate == "bag" and self.num_hashed is not None and not is_quantile)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Return the name of every column.

        These are "r2_d1_deg4", "class0" of classes, "r2_class0" or "hashed0" of bags, "wl2_class0" or "wl_hashed0".

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.GraphEncoder(radius=0)
        >>> graphs = [egonet.named.cycle(3), egonet.named.path("abc")]
        >>> encoder.fit(graphs).get_feature_names_out().tolist()
        ['r0_d0_deg1', 'r0_d0_deg2']
        """
        self._reject_changes()
        hashed = range(self.num_hashed or 0)
        if self.aggregate == "bag":
            check_is_fitted(self, "bags_")
            names = [f"hashed{number}" for number in hashed] or bag_names(self.bags_)
        elif self.aggregate == "classes":
            check_is_fitted(self, "class_rows_")
            names = [f"class{number}" for number in range(self.class_rows_.shape[0])]
        else:
            names = super().get_feature_names_out(input_features).tolist()
        if self.wl is not None:
            names += [f"wl_hashed{number}" for number in hashed]
            tables = enumerate(self.wl_tables_)
            names += [f"wl{rounds}_class{n}" for rounds, table in tables for n in range(table.num_columns)]
        return np.array(names, dtype=object)

    def _learn(self, graphs: Sequence[Any]) -> Any:
        """Learn columns, classes or bags; return the encoding they were learned on."""
        self._check_params()
        encoding = self._encode(*self._unzipped(graphs, " to learn columns from"))
        self._remember()
        if self.wl is not None:
            hashes = self._wl_hashes(encoding).T if self.num_hashed is None else ()
            self.wl_tables_ = [learn_table(colors, self.min_count)[0] for colors in hashes]
        if self.aggregate == "bag":
            self.settings_ = ask_limits(encoding.vocabulary.schema)
            self.bags_ = [] if self.num_hashed is not None else learn_bags(encoding, self.min_count)
            self._schema = encoding.vocabulary.schema
            return encoding
        self.vocabulary_ = encoding.vocabulary
        if self.aggregate == "classes":
            first_rows = np.unique(encoding.classes, return_index=True)[1]
            self.class_rows_ = encoding.matrix[first_rows]
        return encoding

    def _encode(
        self,
        graph: Any,
        labels: Labels | None,
        roots: list[Any] | None = None,
        columns: Settings | Vocabulary | None = None,
    ) -> Encoding:
        """Return the encoding of some graphs; molecules are read together."""
        if isinstance(graph, Molecules):
            molecules = graph
        elif _are_molecules(graph):
            molecules = read_molecules(graph, self.atom_labels if self.labeled else None)
        else:
            return super()._encode(graph, labels, roots, columns)
        if not self._reads_bonds:
            return super()._encode(graph, molecules.labels_by_molecule(), roots, columns)
        return encode_molecules(
            molecules,
            settings_of(self) if columns is None else columns,
            bonds=self.edge_labels is not None,
            unseen=self.unseen,
            threads=threads_of(self.n_jobs),
        )

    def _unzipped(self, graphs: Any, purpose: str = "") -> tuple[Any, list[Any] | None]:
        """Return the graphs, and their labels if they come with them; raise if there are none."""
        entries: tuple[Any, list[Any] | None] = (graphs, None)
        if texts := self._plain_texts(graphs):
            molecules = self._read_texts(texts)
            self._warn_missing(_num_empty(molecules), len(texts))
            return molecules, None
        if self.labeled or not is_dataset(graphs):
            empty = None if self.handle_unknown == "error" else self._empty()
            entries = graph_entries(graphs, labeled=self.labeled, empty=empty, atom_labels=self.atom_labels)
            if empty is not None:
                self._warn_missing(
                    sum(graph is empty or _has_no_atoms(graph) for graph in entries[0]), len(entries[0])
                )
        if not len(entries[0]):
            raise InputError(f"GraphEncoder needs at least one graph{purpose}, got none.")
        return entries

    def _warn_missing(self, missing: int, total: int) -> None:
        """Warn about entries without a graph: always if asked, else if they are more than half."""
        if self.handle_unknown == "error":
            return
        if missing and (self.handle_unknown == "warn" or missing > MOST_UNSEEN * total):
            warn(
                f"{missing:,} of {total:,} entries have no graph that can be read. Their rows are zeros.",
                UnseenWarning,
            )

    @property
    def _reads_bonds(self) -> bool:
        """Return whether molecules are encoded from their arrays, without graphs of their own."""
        typed = [name for name in EDGE_ROLES if getattr(self, name) is not None]
        is_plain = (
            not self.directed and typed in ([], ["edge_labels"]) and self.edge_labels in (None, BOND_TYPE)
        )
        return bool(is_plain and self.cap is None and self.degrees != "in_out")

    def _plain_texts(self, graphs: Any) -> list[str]:
        """Return SMILES that our own parser may read; nothing for other graphs, or if they need graphs of their own."""
        if self.parser != "fast" or not self._reads_bonds:
            return []
        texts = list_graphs(graphs)
        return texts if all(map(isinstance, texts, repeat(str))) else []

    def _read_texts(self, texts: list[str], first: int = 0) -> Molecules:
        """Return SMILES as arrays; RDKit reads what our own parser does not know.

        `first` is the position of the first one, for errors.
        """
        empty = None if self.handle_unknown == "error" else self._empty()

        def parse(position: int) -> Any:
            return _read_all([texts[position]], empty, first + position)[0]

        return read_smiles(texts, self.atom_labels if self.labeled else None, parse)

    def _empty(self) -> Graph:
        """Return the graph that replaces a missing entry."""
        directed = "out" if self.degrees == "in_out" and not self.directed else as_direction(self.directed)
        return empty_graph(directed, kept_names(*(getattr(self, name) for name in EDGE_ROLES)))

    def _apply(self, graphs: Sequence[Any]) -> Encoding:
        """Return the encoding of some graphs: in the learned columns, unless whole rows are counted in bags."""
        if self.aggregate != "bag":
            self._reject_changes()
            self._check_fitted()
            return self._encode(*self._unzipped(graphs), columns=self.vocabulary_)
        self._check_bags()
        return self._encode(*self._unzipped(graphs), columns=self.settings_)

    def _check_bags(self) -> None:
        """Raise if bags are not fitted, or a parameter was changed after they were."""
        self._reject_changes()
        check_is_fitted(self, "bags_")

    def _check_params(self) -> None:
        super()._check_params()
        as_flag("labeled", self.labeled)
        one_of("aggregate", self.aggregate, get_args(Aggregate))
        one_of("atom_labels", self.atom_labels, get_args(AtomLabels))
        one_of("parser", self.parser, get_args(Parser))
        if self.wl is not None:
            as_whole("wl", self.wl, most=MAX_ROUNDS)
            if self.directed or self.degrees == "in_out" or self.cap is not None:
                raise InputError(
                    "wl counts colors of undirected graphs, with every edge. Leave directed and cap out."
                )
        check_bag(self.aggregate, self.weighting, self.min_count, self.num_hashed)

    def _rows(self, encoding: Any) -> Any:
        return self._output(self.counts(encoding))

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per entry of X, in the columns learned.

        Examples
        --------
        >>> encoder = GraphEncoder(0, labeled=True, parser="fast").fit(["CCO", "N"])
        >>> encoder.transform(["CCN"])
        array([[1., 1., 0., 1.]])
        """
        current = self._current()
        return current._output(current._count_graphs(X))

    def _count_graphs(self, graphs: Any) -> Counts:
        """Return a row per graph; SMILES that need no columns to be learned are divided among threads."""
        threads = threads_of(self.n_jobs)
        texts = self._plain_texts(graphs) if threads > 1 and self._learns_nothing else []
        size = max(-(-len(texts) // threads), LEAST_TEXTS)
        if size >= len(texts):
            return self.counts(self._apply(graphs))
        self._check_bags()
        alone = self._with({"n_jobs": 1})

        def count_part(first: int) -> tuple[Counts, int]:
            molecules = alone._read_texts(texts[first : first + size], first)
            encoding = alone._encode(molecules, None, columns=alone.settings_)
            return alone.counts(encoding), _num_empty(molecules)

        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(count_part, range(0, len(texts), size)))
        self._warn_missing(sum(missing for _, missing in parts), len(texts))
        return csr_array(vstack([rows for rows, _ in parts], format="csr"))

    def counts(self, encoding: Encoding) -> Counts:
        """Return a row per graph, the columns of the Weisfeiler-Leman test last.

        Examples
        --------
        >>> import egonet
        >>> encoder = GraphEncoder(1).fit([egonet.named.path("abc")])
        >>> encoding = egonet.encode(egonet.named.path("abc"), vocabulary=encoder.vocabulary_)
        >>> encoder.counts(encoding).toarray()
        array([[2., 1., 4.]])
        """
        if not isinstance(encoding, Encoding):
            raise InputError(
                f"counts takes an encoding, got {show_value(encoding)}. Use transform for graphs."
            )
        if self.aggregate == "bag":
            columns, width = self._bag_columns(encoding), self._num_bag_columns
            counts = count_columns(columns, encoding.graph_ptr, width)
        elif self.aggregate == "classes":
            counts = class_counts(self.class_rows_, encoding, self.unseen)
        else:
            matrix = weight(encoding.matrix, self.weighting)
            counts = aggregate_rows(matrix, encoding.graph_ptr, self.aggregate)
        if self.wl is None:
            return counts
        width = self.num_hashed or sum(table.num_columns for table in self.wl_tables_)
        colors = count_columns(self._wl_columns(encoding), encoding.graph_ptr, width)
        return hstack([counts, colors], format="csr")

    def read(self, X: Any) -> list[Any]:  # noqa: N803
        """Return the graphs of X as a list, SMILES as molecules; what is missing is an empty graph, or an error.

        Examples
        --------
        >>> [molecule.GetNumAtoms() for molecule in GraphEncoder(labeled=True).read(["CCO", "C"])]
        [3, 1]
        """
        empty = None if self.handle_unknown == "error" else self._empty()
        return graph_entries(X, labeled=self.labeled, empty=empty, atom_labels=self.atom_labels)[0]

    def counted_nodes(self, graphs: list[Any], column: int) -> list[tuple[int, int, int]]:
        """Return graph, node and radius (or round) wherever a column of a bag or of colors is counted.

        Examples
        --------
        Of the classes of radius 0, the second is that of nodes with two neighbors.

        >>> from egonet import named
        >>> encoder = GraphEncoder(0, aggregate="bag").fit([named.path("abc")])
        >>> encoder.counted_nodes([named.path("abc")], 1)
        [(0, 1, 0)]
        """
        if self.aggregate != "bag":
            raise InputError(f'counted_nodes needs aggregate="bag", got {show_value(self.aggregate)}.')
        as_whole("column", column, most=len(self.get_feature_names_out()) - 1)
        encoding = self._apply(graphs)
        columns, own = self._with({"unseen": "ignore"})._bag_columns(encoding), column
        if column >= self._num_bag_columns:
            columns, own = self._wl_columns(encoding), column - self._num_bag_columns
        radii = encoding.settings.radius if column < self._num_bag_columns else range(columns.shape[1])
        rows, places = np.nonzero(columns == own)
        owner = np.searchsorted(encoding.graph_ptr, rows, side="right") - 1
        local = rows - encoding.graph_ptr[owner]
        nodes = zip(owner.tolist(), local.tolist(), places.tolist(), strict=True)
        return [(graph, node, int(radii[place])) for graph, node, place in nodes]

    @property
    def _num_bag_columns(self) -> int:
        """Return how many columns bags have."""
        return self.num_hashed or sum(bag.num_columns for bag in self.bags_)

    def _bag_columns(self, encoding: Encoding) -> Int32s:
        """Return the column of every node at each radius; -1 for none."""
        if self.num_hashed is None:
            return bag_columns(self.bags_, encoding, self.unseen)
        if self._schema is not None:
            check_hashed_kind(self._schema, encoding.vocabulary.schema)
        hashes = row_hashes(encoding, threads=threads_of(self.n_jobs))
        return hashed_columns(hashes, self.num_hashed)

    def _wl_columns(self, encoding: Encoding) -> Int32s:
        """Return the column of every node's color after each round, among those of colors; -1 for none."""
        hashes = self._wl_hashes(encoding)
        if self.num_hashed is None:
            return find_columns(self.wl_tables_, hashes)[0]
        return hashed_columns(hashes, self.num_hashed)

    def _wl_hashes(self, encoding: Encoding) -> Hashes:
        """Return the color of every node after each round."""
        graph = encoding.graph
        assert graph is not None
        columns = number_columns(graph, encoding.vocabulary.schema)
        options: Any = {"threads": threads_of(self.n_jobs)}
        if columns.labels is not None:
            options["labels"] = label_hashes(columns.schema.labels)[columns.labels]
        if columns.types is not None:
            divided = subdivide(graph, columns.types)
            types = label_hashes(columns.schema.edge_labels)[divided.types]
            options |= {"subdivision": divided, "types": types}
        return subtree_hashes(graph, int(self.wl or 0), **options)


_ONE_GRAPH = (
    "GraphEncoder takes a list of graphs, got one graph ({kind}). Write [graph] for a single one, or use NodeEncoder "
    "for a row per node. Give graphs that are lists of pairs as egonet.as_graph(pairs)."
)


def graph_entries(
    graphs: Any, *, labeled: bool, empty: Graph | None = None, atom_labels: AtomLabels = "element"
) -> tuple[list[Any], list[Any] | None]:
    """Return the graphs of a list or a column, and their labels if `labeled`; raise for a single graph.

    Text is read as SMILES by RDKit. If all are molecules, their labels are left to `read_molecules`; otherwise a
    molecule has its atoms as labels, and any other graph comes as the pair (graph, labels). An entry that is missing,
    or SMILES that RDKit cannot read, is the graph `empty`, if it is given, or a molecule without atoms among molecules.

    >>> import egonet
    >>> graphs, labels = graph_entries(["CO", None], labeled=True, empty=empty_graph(None, ()))
    >>> [egonet.as_graph(graph) for graph in graphs], labels
    ([Graph(num_nodes=2, num_edges=1), Graph(num_nodes=0, num_edges=0)], None)
    >>> graph_entries(["CO", (egonet.named.path("ab"), ["x", "y"])], labeled=True)[1]
    [['C', 'O'], ['x', 'y']]
    """
    items = list_graphs(graphs)
    if not labeled and set(map(type, items)) == {Graph}:
        return list(items), None
    read = _read_all(items, empty)
    if _are_molecules(read):
        return read, None
    if not labeled:
        if items and not is_many(read):
            for position, item in enumerate(read):
                if isinstance(item, int | float):
                    raise InputError(
                        f"graph {position} (counted from 0) must be a graph, got {show_value(item)}."
                    )
            raise InputError(_ONE_GRAPH.format(kind=type(graphs).__name__))
        return read, None
    pairs = [_with_labels(item, position, empty, atom_labels) for position, item in enumerate(read)]
    return [graph for graph, _ in pairs], [labels for _, labels in pairs]


def _read_all(items: list[Any], empty: Graph | None, first_position: int = 0) -> list[Any]:
    """Return the entries with SMILES as molecules, and missing ones as the empty graph, or raise."""
    parse, has_text = None, any(map(isinstance, items, repeat(str)))
    if has_text or any(is_from("rdkit", item) for item in items[:1]):
        try:
            from rdkit import Chem, rdBase
        except ImportError as error:
            first = next(item for item in items if isinstance(item, str))
            raise MissingExtraError(
                f"reading SMILES ({show_value(first)}) needs an extra package: pip install rdkit."
            ) from error
        parse = Chem.MolFromSmiles
    if parse is None:
        return [_read(item, position, empty, None, items) for position, item in enumerate(items)]
    with rdBase.BlockLogs():  # the error has the text; RDKit would print it, too
        read = [
            _read(item, position, empty, parse, items) for position, item in enumerate(items, first_position)
        ]
    others = [item for item in read if item is not empty]
    if empty is None or not _are_molecules(others) or not (others or has_text):
        return read
    return [Chem.Mol() if item is empty else item for item in read]


def _read(item: Any, position: int, empty: Graph | None, parse: Any, items: list[Any]) -> Any:
    """Return an entry with SMILES as a molecule; a missing one as the empty graph, or raise.

    The error counts the missing ones of all items.
    """
    if isinstance(item, str):
        molecule = parse(item) if item.strip() and is_encodable(item) else None  # of "" RDKit makes no atoms
        if molecule is not None:
            return molecule
        problem = f"must be SMILES that RDKit can read, got {show_value(item)}"
    elif is_missing(item):
        problem = f"must be a graph, got {show_value(item)}"
    else:
        return item
    if empty is not None:
        return empty
    if not isinstance(item, str):
        gaps = [place for place, each in enumerate(items) if not isinstance(each, str) and is_missing(each)]
        first = ", ".join(map(str, gaps[:3]))
        problem += f"; {len(gaps):,} of {len(items):,} are missing{f', first at {first}' if gaps[1:] else ''}"
    raise InputError(
        f"{'molecule' if isinstance(item, str) else 'graph'} {position} (counted from 0) {problem}. "
        'Drop the entry, or set handle_unknown="zero" for a row of zeros.'
    )


def _are_molecules(graphs: Any) -> bool:
    """Return whether all graphs of a list are RDKit molecules."""
    return isinstance(graphs, list) and all(map(is_molecule_type, set(map(type, graphs))))


def is_molecule_type(kind: type) -> bool:
    """Return whether instances of a type are RDKit molecules."""
    return any(base.__module__.startswith("rdkit.") and base.__name__ == "Mol" for base in kind.__mro__)


def _num_empty(molecules: Molecules) -> int:
    """Return how many molecules have no atoms."""
    return int((np.diff(molecules.ptr) == 0).sum())


def _has_no_atoms(graph: Any) -> bool:
    return is_from("rdkit", graph) and graph.GetNumAtoms() == 0


def _with_labels(item: Any, position: int, empty: Graph | None, atom_labels: AtomLabels) -> tuple[Any, Any]:
    """Return a graph and the labels of its nodes."""
    if item is empty:
        return empty, []
    if is_from("rdkit", item):
        return item, (read_molecules([item], atom_labels).labels_by_molecule() or [[]])[0]
    if isinstance(item, tuple | list) and len(item) == 2:
        return item[0], item[1]
    way_out = (
        " Leave labeled out: the graph has its labels." if getattr(item, "labels", None) is not None else ""
    )
    raise InputError(
        f"labeled=True takes a list of pairs (graph, labels of its nodes), got {show_value(item)} at position "
        f"{position}." + way_out
    )


def list_graphs(graphs: Any) -> list[Any]:
    """Return a list, a series, or a frame or array of one column as a list; raise for a single graph."""
    if hasattr(graphs, "columns") and getattr(graphs, "shape", (0, 0))[1:] == (1,):
        graphs = graphs[
            next(iter(getattr(graphs, "column_names", graphs.columns)))
        ]  # a table of pyarrow has names
    elif isinstance(graphs, np.ndarray) and graphs.ndim == 2 and graphs.shape[1] == 1:
        graphs = graphs[:, 0]
    if isinstance(graphs, np.ndarray) and graphs.ndim == 1 and graphs.dtype.kind in "UT":
        graphs = graphs.tolist()
    elif is_from("pyarrow", graphs) and hasattr(graphs, "to_pylist") and not hasattr(graphs, "column_names"):
        graphs = graphs.to_pylist()
    elif is_from("polars", graphs) and not hasattr(graphs, "columns"):
        graphs = graphs.to_list()
    graphs = as_list(graphs)
    if isinstance(graphs, list | tuple):
        return list(graphs)
    if graphs is None or isinstance(graphs, str | bytes | int | float | dict | set | frozenset):
        raise InputError(f"GraphEncoder takes a list of graphs, got {show_value(graphs)}.")
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

"""`Vocabulary`: the frozen map between keys (distance, degree) and columns, and the names of the columns."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.checks import is_whole, one_of
from egonet.encoding.header import OtherFormatError, pack_text, read_text, unpack_text
from egonet.encoding.histograms import column_key, column_name, histogram_text, locate_histograms
from egonet.encoding.labels import label_name
from egonet.encoding.matrix import (
    Counts,
    distinct_keys,
    level_keys,
    paper_keys,
    paper_positions,
    renumber_columns,
)
from egonet.encoding.matrix import bin_degrees as bin_degrees
from egonet.encoding.ranks import DegreeProfile, carries_over
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Learned, Settings
from egonet.encoding.unknown import MOST_UNSEEN
from egonet.errors import FileError, InputError, UnseenWarning, option, show_value
from egonet.graph.columns import Names
from egonet.graph.graph import Graph, reject_other
from egonet.graph.input_options import warn
from egonet.io.files import atomic_path
from egonet.io.npz import one_error
from egonet.kernel.reference import Rows
from egonet.notebook import html_table
from egonet.typing import Array, Int64s

Flags: TypeAlias = NDArray[np.bool_]
UnseenPolicy: TypeAlias = Literal["clip", "ignore", "error"]
#: Without max_degree, the last of the fixed log bins has this degree and all above.
LAST_BIN = 2**15
#: What stands in a key for a label that the vocabulary does not have.
UNSEEN_LABEL = "(unseen label)"
#: Columns of the table in a notebook.
_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """The columns of an encoding and the settings they were made with.

    Attributes
    ----------
    schema
        What keys consist of: the settings, and the names of labels and types, limits of bins and direction learned.
    keys
        int64 (num_columns, 1 + fields), sorted lexicographically within each radius: the radius, then
        `schema.field_names`. Labels are stored by their number in `labels`.
    histograms
        The histograms that the columns after those of `keys` stand for, a row each, or None if the settings
        have no such columns; their keys have the radius in front.
    degrees
        The degrees of the graph that columns were learned on, which `encode` compares with those of another graph;
        None if it is not known, as after `load`.

    Examples
    --------
    >>> import egonet
    >>> egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary.feature_names
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
    """

    schema: Schema
    keys: Int64s
    histograms: Rows | None = None
    degrees: DegreeProfile | None = None

    def __post_init__(self) -> None:
        """Freeze the keys."""
        self.keys.flags.writeable = False
        if self.settings.is_nested == (self.histograms is None):
            raise InputError("a vocabulary has histograms if and only if its settings ask for them.")

    def __len__(self) -> int:
        return len(self.keys) + (0 if self.histograms is None else self.num_histograms)

    @property
    def settings(self) -> Settings:
        """Return what was asked; applying the vocabulary to another graph counts the same.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode([("a", "b")], 1, labels={"a": "C", "b": "N"}).vocabulary.settings
        Settings(radius=1)
        """
        return self.schema.settings

    @cached_property
    def without_degrees(self) -> "Vocabulary":
        """Return the same columns without the degrees they were learned on: for callers that compare these themselves.

        >>> import egonet
        >>> egonet.encode(egonet.named.path("abc"), 1).vocabulary.without_degrees.degrees is None
        True
        """
        return replace(self, degrees=None)

    def warn_shift(self, graph: Graph, graph_ptr: Int64s | None = None) -> None:
        """Warn if the degrees of a graph, or of one of several, are very different from those learned on.

        >>> import egonet
        >>> egonet.encode(egonet.named.path(200), 1).vocabulary.warn_shift(egonet.named.path(300))
        """
        reject_other("graph", graph)
        if self.degrees is None or carries_over(self.settings, degree_rank=False):
            return
        pointers = np.array([0, len(graph)]) if graph_ptr is None else graph_ptr
        any(self.degrees.warn_shift(other) for other in DegreeProfile.of_each(graph, pointers))

    @property
    def labels(self) -> Names | None:
        """Return the names of the node labels that keys end with; None without labels.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode([("a", "b")], 1, labels={"a": "C", "b": "N"}).vocabulary.labels
        ('C', 'N')
        """
        return self.schema.labels

    @property
    def edge_labels(self) -> Names | None:
        """Return the names of the edge types that keys end with; None without types.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode([("a", "b")], 1, weights=[7], weight_bins=[10, 100]).vocabulary.edge_labels
        ('below10',)
        """
        return self.schema.edge_labels

    @property
    def directed(self) -> Learned:
        """Return the direction of the graph that columns were learned on; None if undirected, "any" if not known.

        Examples
        --------
        >>> import egonet
        >>> egonet.encode([("a", "b")], 1, directed="out").vocabulary.directed
        'out'
        """
        return self.schema.directed

    @property
    def num_histograms(self) -> int:
        """Return how many columns, the last ones, stand for whole histograms.

        Examples
        --------
        >>> import egonet
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> vocabulary.num_histograms
        0
        """
        return 0 if self.histograms is None else len(self.histograms.indptr) - 1

    def __repr__(self) -> str:
        return f"Vocabulary(num_columns={len(self)}, radius={self.settings.radius}, degrees={self.settings.degrees!r})"

    def _repr_html_(self) -> str:
        texts = column_texts(self)[:_SHOWN]
        rows = [(self.name(index), text) for index, text in enumerate(texts)]
        note = f"{self.settings!r}; the first {len(rows)} of {len(self):,} columns"
        return html_table(
            f"Vocabulary of {len(self):,} columns", rows, header=("column", "counts nodes at"), note=note
        )

    def save(self, path: str | Path) -> None:
        """Write the columns and their settings to a JSON file that `Vocabulary.load` reads back.

        >>> import egonet, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "columns.json"
        >>> egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary.save(path)
        >>> Vocabulary.load(path)
        Vocabulary(num_columns=3, radius=(1,), degrees='total')
        """
        with atomic_path(path) as temporary:
            temporary.write_text(pack_text(self), encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Vocabulary":
        """Return the vocabulary that `save` wrote.

        Examples
        --------
        >>> import egonet, tempfile
        >>> file = tempfile.mkdtemp() + "/columns.json"
        >>> egonet.encode(egonet.named.path("abc"), radius=1).vocabulary.save(file)
        >>> egonet.encode(egonet.named.star(5), vocabulary=Vocabulary.load(file)).shape
        (6, 3)
        """
        return read_text(path, "a vocabulary that egonet saved", lambda text: cls(**unpack_text(text)))

    @classmethod
    def from_text(cls, text: str | bytes) -> "Vocabulary":
        """Return the vocabulary of a .json file or of the metadata of a table; an error if it is damaged.

        Examples
        --------
        >>> import egonet, tempfile
        >>> file = Path(tempfile.mkdtemp()) / "columns.json"
        >>> egonet.encode(egonet.named.path("abc"), radius=1).vocabulary.save(file)
        >>> Vocabulary.from_text(file.read_text()).feature_names
        ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
        """
        try:
            with one_error():
                return cls(**unpack_text(text))
        except OtherFormatError as error:
            raise FileError(f"the text {error}") from error
        except ValueError as error:
            raise FileError(
                f"{show_value(text)} is not the text of a vocabulary that egonet saved, or is damaged."
            ) from error

    @property
    def columns(self) -> list[tuple[Any, ...]]:
        """Return the key of every column: (distance, degree), with the radius in front if there are several.

        A column that stands for a histogram has the key (kind, entries), an entry being (key, count).

        Examples
        --------
        >>> import egonet
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> vocabulary.columns
        [(0, 1), (0, 2), (1, 1)]
        """
        return [self.column(index) for index in range(len(self))]

    def column(self, index: int) -> tuple[Any, ...]:
        """Return the key of one column.

        Examples
        --------
        >>> import egonet
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> vocabulary.column(2)
        (1, 1)
        """
        schema, settings = self.schema, self.settings
        index = self._column_number(index)
        if index >= len(self.keys) and self.histograms is not None:
            return column_key(self.histograms, index - len(self.keys), schema)
        key = self.keys[index].tolist()
        if is_ends_key(key, settings):
            return ("ends", key[1 + settings.num_distances])
        shown = key[1 if len(settings.radius) == 1 else 0 :]
        if not schema.has_labels:
            return tuple(shown)
        label = label_of(schema, min(key[1 : 1 + settings.num_distances]), key[-1])
        return tuple(shown[:-1]) if label is None else (*shown[:-1], label)

    @property
    def feature_names(self) -> list[str]:
        """Return a name for every column, such as "r2_d1_deg4": radius 2, distance 1, degree 4.

        Examples
        --------
        >>> import egonet
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> vocabulary.feature_names
        ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
        """
        return [self.name(index) for index in range(len(self))]

    def name(self, index: int) -> str:
        """Return the name of one column.

        Examples
        --------
        >>> import egonet
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> vocabulary.name(2)
        'r1_d1_deg1'
        """
        index = self._column_number(index)
        if index >= len(self.keys) and self.histograms is not None:
            return column_name(self.histograms, index - len(self.keys), self.schema)
        return self._name(self.keys[index].tolist())

    def _column_number(self, index: Any) -> int:
        """Return the number of a column, counted from the end if it is negative; raise if there is none."""
        if not is_whole(index) or not -len(self) <= index < len(self):
            raise InputError(
                f"there are {len(self):,} columns (0 to {len(self) - 1:,}), got {show_value(index)}."
            )
        return int(index) % len(self)

    @cached_property
    def column_of(self) -> dict[tuple[int, ...], int]:
        """Return the column of every row of `keys`.

        Examples
        --------
        >>> import egonet
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> vocabulary.column_of[1, 1, 1]  # radius, distance, degree
        2
        """
        return {tuple(key): column for column, key in enumerate(self.keys.tolist())}

    def _name(self, key: list[int]) -> str:
        """Return the name of a key."""
        schema, settings = self.schema, self.settings
        parts = [] if settings.cap is None else [f"cap{settings.cap}"]
        first = 1 + settings.num_distances
        if is_ends_key(key, settings):
            return f"ends_d{key[first]}"
        parts += [f"r{key[0]}", *(f"d{distance}" for distance in key[1:first])]
        nearest = min(key[1:first])  # the other distance of a pair may exceed the radius
        label = label_of(schema, nearest, key[-1]) if schema.has_labels else None
        is_edge = schema.edge_labels is not None and nearest % 2 == 1
        parts += [label_name(label, schema.edge_labels or ())] if is_edge else []
        fields = zip(schema.field_names[first - 1 :], key[first:], strict=True)
        parts += [f"{name}{degree_name(value, settings)}" for name, value in fields if name != "label"]
        if label is not None and not is_edge:
            parts.append(f"label{label_name(label, schema.labels or ())}")
        return "_".join(parts)


@dataclass(frozen=True)
class Unseen:
    """The keys of an encoding that a vocabulary has no column for.

    Attributes
    ----------
    clipped
        Nodes of ego-networks counted in the nearest column below their own.
    dropped
        Nodes of ego-networks left out: unseen="ignore", or a distance or label without any column.
    num_rows
        Rows in which either happened.
    example
        The first such row with its key, as (node, key), or None if everything was seen.
    unknown
        Rows whose node (or an end of whose pair) the graph does not have; it is counted as an isolated node.
    num_all
        The number of rows asked for, if some are unknown.
    rows
        int64 (num_rows,): which rows have unseen keys, rising; not kept by `Encoding.save`.
    """

    clipped: int = 0
    dropped: int = 0
    num_rows: int = 0
    example: tuple[Hashable, tuple[Any, ...]] | None = None
    unknown: int = 0
    num_all: int = 0
    rows: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False, compare=False)

    def __str__(self) -> str:
        if self.unknown:
            keys = str(replace(self, unknown=0))
            return f"{self.unknown:,} of {self.num_all:,} rows have a node that is not in the graph; {keys}"
        if not self.num_rows:
            return "every key has a column"
        node, key = self.example or (None, ())
        rows, have = ("1 row", "has") if self.num_rows == 1 else (f"{self.num_rows:,} rows", "have")
        clipped = "1 node" if self.clipped == 1 else f"{self.clipped:,} nodes"
        return (
            f"{rows} {have} keys without a column, first at node {node!r}: {key}; "
            f"{clipped} clipped, {self.dropped:,} dropped"
        )


def order_keys(keys: Int64s, settings: Settings) -> tuple[Int64s, Int64s]:
    """Return the distinct keys in column order (by radius as listed, then sorted), and each key's position.

    >>> keys, positions = order_keys(np.array([[1, 0, 3], [2, 0, 3], [1, 0, 2]]), Settings((2, 1)))
    >>> keys.tolist(), positions.tolist()
    ([[2, 0, 3], [1, 0, 2], [1, 0, 3]], [2, 0, 1])
    """
    radii = np.array(settings.radius)
    by_block = keys.copy()
    by_block[:, 0] = (keys[:, :1] == radii).argmax(axis=1)
    distinct, positions = distinct_keys(by_block)
    ordered = distinct.copy()
    ordered[:, 0] = radii[distinct[:, 0]]
    return ordered, positions


def fixed_columns(settings: Settings) -> Vocabulary:
    """Return columns that are the same for every graph: the paper's up to a degree, or bins of degrees.

    >>> fixed_columns(Settings(0, degree_bins="log", max_degree=9)).feature_names
    ['r0_d0_deg0', 'r0_d0_deg1', 'r0_d0_deg2to3', 'r0_d0_deg4to7', 'r0_d0_deg8plus']
    """
    if settings.count == "edges":
        raise InputError(
            f"the columns of {option('count', 'edges')} are learned. Give a vocabulary, or use "
            "AddEgoEncoding.from_dataset(dataset)."
        )
    if settings.degree_bins == "quantile":
        return Vocabulary(Schema(settings), level_keys(settings, 0))
    if settings.degree_bins == "log" or (settings.degrees != "total" and settings.max_degree is not None):
        most = 2 * LAST_BIN - 1 if settings.max_degree is None else settings.max_degree
        return Vocabulary(Schema(replace(settings, max_degree=most)), level_keys(settings, most))
    if settings.max_degree is None:
        raise InputError(
            f"every graph must get the same columns: give max_degree, {option('degree_bins', 'log')} or a vocabulary, "
            "or use AddEgoEncoding.from_dataset(dataset)."
        )
    fixed = replace(settings, layout="paper")
    return Vocabulary(Schema(fixed), paper_keys(fixed, settings.max_degree))


def locate_columns(vocabulary: Vocabulary, counted: Vocabulary, unseen: UnseenPolicy) -> tuple[Int64s, Flags]:
    """Return for every column of `counted` its column in the vocabulary (-1: none), and whether that is exact.

    An unseen histogram has no column for any value of `unseen`: no histogram is nearest to it.
    """
    columns, exact = locate(vocabulary, counted.keys, unseen)
    if vocabulary.histograms is None or counted.histograms is None:
        return columns, exact
    rows = locate_histograms(vocabulary.histograms, counted.histograms)
    nested = np.where(rows >= 0, rows + len(vocabulary.keys), -1)
    return np.concatenate([columns, nested]), np.concatenate([exact, rows >= 0])


def locate(vocabulary: Vocabulary, keys: Int64s, unseen: UnseenPolicy) -> tuple[Int64s, Flags]:
    """Return for every key its column in the vocabulary (-1: none), and whether that is exact.

    An unseen key is clipped to the last column before it with the same radius, distance and label, or to
    the first of those if there is none before; with unseen="ignore" it has no column.
    """
    one_of("unseen", unseen, get_args(UnseenPolicy))
    learned, fields = vocabulary.keys, vocabulary.settings.num_fields
    # Radius, distances and label make a group; inside it, columns are ordered by their degrees.
    first = 1 + vocabulary.settings.num_distances
    group = [*range(first), *range(first + fields, learned.shape[1])]
    order = [*group, *range(first, first + fields)]
    both = np.concatenate([learned, keys])
    rank = distinct_keys(both[:, order])[1]
    group_of = distinct_keys(both[:, group])[1]
    by_rank = np.argsort(rank[: len(learned)])
    if not len(learned):
        return np.full(len(keys), -1), np.zeros(len(keys), dtype=bool)
    before = np.searchsorted(rank[by_rank], rank[len(learned) :], side="right") - 1
    columns = by_rank[np.maximum(before, 0)]
    exact = (before >= 0) & (rank[columns] == rank[len(learned) :])
    if unseen == "clip":
        after = by_rank[np.minimum(before + 1, len(learned) - 1)]
        wanted = group_of[len(learned) :]
        columns = np.where((before >= 0) & (group_of[columns] == wanted), columns, after)
        return np.where(group_of[columns] == wanted, columns, -1), exact
    return np.where(exact, columns, -1), exact


def largest_degree(settings: Settings, graph: Graph) -> int:
    """Return the last degree of the paper's layout."""
    return int(graph.degrees.max(initial=0)) if settings.max_degree is None else settings.max_degree


def lay_out(matrix: Counts, counted: Vocabulary, graph: Graph) -> tuple[Counts, Vocabulary]:
    """Return the counts in the columns of the paper's layout: the grid of all keys."""
    settings = counted.settings
    largest = largest_degree(settings, graph)
    vocabulary = Vocabulary(counted.schema, paper_keys(settings, largest), degrees=counted.degrees)
    return renumber_columns(
        matrix, paper_positions(counted.keys, settings, largest), len(vocabulary)
    ), vocabulary


def arrange(
    matrix: Counts,
    counted: Vocabulary,
    vocabulary: Vocabulary,
    unseen: UnseenPolicy,
    nodes: Array,
    *,
    what: str = "node",
) -> tuple[Counts, Unseen]:
    """Return the counts in the vocabulary's columns, and what did not fit; `what` is a row, for messages."""
    positions, exact = locate_columns(vocabulary, counted, unseen)
    met = _unseen(matrix, positions, exact, counted, nodes)
    if unseen == "error" and met.num_rows:
        node, key = met.example or (None, ())
        raise InputError(
            f"{met.num_rows:,} of {len(nodes):,} {what}s have keys that the vocabulary never saw, first at {what} "
            f'{node!r}: {key}. Learn it on more graphs, or set {option("unseen", "clip")} or "ignore".'
        )
    if unseen == "clip" and met.dropped > MOST_UNSEEN * int(matrix.data.sum(dtype=np.int64)):
        warn(
            f"more than half of what was counted has no column: {met}. Was the vocabulary learned on such graphs? Set "
            f"{option('unseen', 'ignore')} if this is intended.",
            UnseenWarning,
        )
    return renumber_columns(matrix, positions, len(vocabulary)), met


def _unseen(
    matrix: Counts,
    positions: Int64s,
    exact: np.ndarray[Any, np.dtype[np.bool_]],
    counted: Vocabulary,
    nodes: Array,
) -> Unseen:
    """Return how many nodes had no column, and the first row where that happened."""
    if exact.all():
        return Unseen()
    strange = ~exact[matrix.indices]
    if not strange.any():
        return Unseen()
    entries = np.flatnonzero(strange)
    rows = np.searchsorted(matrix.indptr, entries, side="right") - 1
    dropped = int(matrix.data[entries[positions[matrix.indices[entries]] < 0]].sum(dtype=np.int64))
    total = int(matrix.data[entries].sum(dtype=np.int64))
    node = nodes[rows[0]]
    shown = counted.column(int(matrix.indices[entries[0]]))
    plain = tuple(node.tolist()) if isinstance(node, np.ndarray) else node  # a pair
    example = (plain.item() if isinstance(plain, np.generic) else plain, shown)
    distinct = np.unique(rows)
    return Unseen(total - dropped, dropped, len(distinct), example, rows=distinct)


_HOPS = ("own", "neighbors", "nodes two hops away", "nodes three hops away")


def degree_name(value: int, settings: Settings) -> str:
    """Return a degree as it appears in a column name: "4", "4to7" if binned, "10plus" at the limit.

    >>> degree_name(4, Settings((1,))), degree_name(4, Settings((1,), degree_bins="log"))
    ('4', '4to7')
    >>> degree_name(4, Settings((1,), degree_bins="quantile"))
    'q4'
    >>> degree_name(10, Settings((1,), max_degree=10))
    '10plus'
    """
    if settings.degree_bins == "quantile":
        return f"q{value}"
    last = 2 * value - 1 if settings.degree_bins == "log" and value > 1 else value
    if settings.max_degree is not None and last >= settings.max_degree:
        return f"{value}plus"
    return f"{value}" if last == value else f"{value}to{last}"


def label_of(schema: Schema, distance: int, number: int) -> Hashable | None:
    """Return the name of a label, or `UNSEEN_LABEL` if the vocabulary has no name for it.

    With edge types a node at an odd distance is an edge. None for nodes without labels.

    >>> schema = Schema(Settings(1), edge_labels=("double", "single"))
    >>> label_of(schema, 1, 0), label_of(schema, 2, 0)
    ('double', None)
    """
    is_edge = schema.edge_labels is not None and distance % 2 == 1
    names = schema.edge_labels if is_edge else schema.labels
    if names is None:
        return None
    return names[number] if number < len(names) else UNSEEN_LABEL


def column_texts(vocabulary: "Vocabulary") -> list[str]:
    """Return every column as text; the radius is named if there are several.

    >>> import egonet
    >>> column_texts(egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary)
    ['distance 0, degree 1', 'distance 0, degree 2', 'distance 1, degree 1']
    >>> column_texts(egonet.encode([("a", "b")], radius=(0, 1), labels={"a": "C", "b": "N"}).vocabulary)[-1]
    'radius 1, distance 1, degree 1, label N'
    """
    schema, settings = vocabulary.schema, vocabulary.settings
    several = len(settings.radius) > 1
    texts = []
    for radius, *key in vocabulary.keys.tolist():
        distances, fields = key[: settings.num_distances], key[settings.num_distances :]
        start = [f"radius {radius}"] if several else []
        if is_ends_key([radius, *key], settings):
            texts.append(f"ends {fields[0]} hops apart without their edge")
            continue
        if settings.count == "edges":
            texts.append(", ".join([*start, ends_text(distances, fields, settings)]))
            continue
        where = f"distance {key[0]}" if len(distances) == 1 else f"distances {key[0]} and {key[1]}"
        texts.append(", ".join([*start, where, fields_text(fields, schema, min(distances))]))
    nested = range(len(texts), len(vocabulary))
    return texts + [histogram_text(vocabulary.column(index), schema) for index in nested]


def is_ends_key(key: list[int], settings: Settings) -> bool:
    """Return whether a key, its radius first, is the distance of the ends of a pair: no node has distance 0 from both.

    >>> from egonet.encoding.settings import PairSettings
    >>> is_ends_key([1, 0, 0, 3], PairSettings(1, ends_distance=5)), is_ends_key([1, 0, 2, 3], PairSettings(1))
    (True, False)
    """
    return getattr(settings, "ends_distance", None) is not None and key[1] == key[2] == 0


def ends_text(distances: list[int], fields: list[int], settings: Settings) -> str:
    """Return a description of edges of an ego-network by the distances and degrees of both ends.

    >>> ends_text([0, 1], [3, 2], Settings(1, count="edges"))
    'edges from distance 0 (degree 3) to distance 1 (degree 2)'
    """
    half = len(fields) // 2
    ends = Schema(replace(settings, count="nodes"))
    shown = [fields_text(part, ends) for part in (fields[:half], fields[half:])]
    return f"edges from distance {distances[0]} ({shown[0]}) to distance {distances[1]} ({shown[1]})"


def who_text(distances: list[int], schema: Schema, radius: int) -> str:
    """Return a description of the nodes at a distance from the root, or at two distances from the ends of a pair.

    With edge types distances count half steps, and an odd distance is that of an edge.

    >>> plain, typed = Schema(Settings(2)), Schema(Settings(1), edge_labels=("x",))
    >>> [who_text([distance], plain, 2) for distance in (0, 1, 2)]
    ['own', 'neighbors', 'nodes two hops away']
    >>> who_text([2], typed, 1), who_text([1], typed, 1)
    ('neighbors', 'own edges')
    >>> who_text([1, 2], plain, 1), who_text([1, 1], plain, 1)
    ('neighbors of one end (more than 1 hops from the other)', 'common neighbors')
    """
    steps, nearest = schema.steps, min(distances)
    is_edge = nearest % steps == 1
    if len(distances) == 1:
        hops = nearest // steps
        if is_edge:
            return (
                "own edges" if hops == 0 else "edges of neighbors" if hops == 1 else f"edges {hops} hops away"
            )
        return _HOPS[hops] if hops < len(_HOPS) else f"nodes {hops} hops away"
    if not is_edge and distances == [steps, steps]:
        return "common neighbors"
    hops, farther = nearest // steps, max(distances)
    other = f"more than {radius}" if farther > radius * steps else f"{farther // steps}"
    if nearest == 0:
        return f"ends of the pair ({other} hops apart)"
    near = {True: f"edges {hops} hops from one end", False: f"nodes {hops} hops from one end"}[is_edge]
    if hops == (0 if is_edge else 1):
        near = "edges of one end" if is_edge else "neighbors of one end"
    return f"{near} ({other} hops from the other)"


def fields_text(fields: list[int], schema: Schema, distance: int = 0) -> str:
    """Return what follows the distances in a key: "degree 4", "closer 1, same 0, farther 2", with the label.

    With edge types, a key at an odd distance is of an edge: its text begins with the type.

    >>> fields_text([1, 2], Schema(Settings((1,), degrees="layered")))
    'same 1, farther 2'
    >>> fields_text([4], Schema(Settings((1,), degree_bins="log")))
    'degree 4 to 7'
    >>> fields_text([9], Schema(Settings((1,), max_degree=9)))
    'degree 9 or more'
    >>> fields_text([4], Schema(Settings((1,), degree_bins="quantile")))
    'degree in quarter 4'
    """
    parts: list[str] = []
    settings = schema.settings
    for name, value in zip(schema.field_names[settings.num_distances :], fields, strict=True):
        if name == "label":
            label = label_of(schema, distance, value)
            is_edge = schema.edge_labels is not None and distance % 2 == 1
            if label is not None:
                names = schema.edge_labels if is_edge else schema.labels
                text = f"{'edge' if is_edge else 'label'} {label_name(label, names or ())}"
                parts.insert(0 if is_edge else len(parts), text)
        else:
            number = degree_name(value, settings).replace("to", " to ").replace("plus", " or more")
            number = number.replace("q", "in quarter ")
            parts.append(f"degree {number}" if name == "deg" else f"{name} {number}")
    return ", ".join(parts)

"""`Vocabulary`: the frozen map between keys (distance, degree) and columns, and the names of the columns."""

import json
import zlib
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.encoding.column_names import column_texts as column_texts
from egonet.encoding.column_names import degree_name as degree_name
from egonet.encoding.column_names import fields_text as fields_text
from egonet.encoding.column_names import label_of
from egonet.encoding.histogram_columns import column_key, column_name, locate_histograms
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
from egonet.encoding.settings import Learned, Settings
from egonet.errors import FileError, InputError, MissingFileError
from egonet.graph.graph import Graph
from egonet.io.atomic import atomic_path
from egonet.kernel.reference import Rows
from egonet.notebook import html_table
from egonet.typing import Array, Int64s
from egonet.version import other_format

Flags: TypeAlias = NDArray[np.bool_]
UnseenPolicy: TypeAlias = Literal["clip", "ignore", "error"]
FORMAT = "egonet vocabulary 1"
#: Without max_degree, the last of the fixed log bins has this degree and all above.
LAST_BIN = 2**15
#: Columns of the table in a notebook.
_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """The columns of an encoding and the settings they were made with.

    Attributes
    ----------
    settings
        What is counted; applying the vocabulary to another graph counts the same.
    keys
        int64 (num_columns, 1 + fields), sorted lexicographically within each radius: the radius, then
        `settings.field_names`. Labels are stored by their number in `settings.labels`.
    histograms
        The histograms that the columns after those of `keys` stand for, a row each, or None if the settings
        have no such columns; their keys have the radius in front.
    directed
        The direction of the graph that the columns were learned on: None (undirected), "out", "in" or "any" (unknown).

    Examples
    --------
    >>> import egonet
    >>> egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary.feature_names
    ['r1_d0_deg1', 'r1_d0_deg2', 'r1_d1_deg1']
    """

    settings: Settings
    keys: Int64s
    histograms: Rows | None = None
    directed: Learned = "any"

    def __post_init__(self) -> None:
        """Freeze the keys."""
        self.keys.flags.writeable = False
        if self.directed not in ("any", None, "out", "in"):
            raise InputError(f"directed must be None, 'out', 'in' or 'any', got {self.directed!r}.")
        if self.settings.is_nested == (self.histograms is None):
            raise InputError("a vocabulary has histograms if and only if its settings ask for them.")

    def __len__(self) -> int:
        return len(self.keys) + (0 if self.histograms is None else self.num_histograms)

    @property
    def num_histograms(self) -> int:
        """Return how many columns, the last ones, stand for whole histograms."""
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
        if self.histograms is not None:
            raise InputError(
                "columns that are histograms are saved with their encoding: encoding.save(path)."
            )
        if type(self.settings) is not Settings:
            raise InputError(
                "columns of pairs are saved with their encoding: encoding.write('pairs.parquet'), which encode_pairs "
                "takes as vocabulary='pairs.parquet'."
            )
        settings = asdict(self.settings) | {"directed": self.directed}
        header = {"format": FORMAT, "settings": settings, "keys": self.keys.tolist()}
        header["checksum"] = _checksum(header)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(header), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "Vocabulary":
        """Return the vocabulary that `save` wrote."""
        try:
            header = json.loads(Path(path).read_text(encoding="utf-8"))
            if header["format"] == FORMAT:
                return cls._unpack(header)
            if not header["format"].startswith("egonet vocabulary "):
                raise ValueError(header["format"])
        except FileNotFoundError as error:
            raise MissingFileError(f"there is no file {path}.") from error
        except OSError as error:
            raise FileError(f"{path} cannot be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise FileError(f"{path} is not a vocabulary that egonet saved, or is damaged.") from error
        raise FileError(f"{path} {other_format(header['format'], FORMAT)}")

    @classmethod
    def _unpack(cls, header: dict[str, Any]) -> "Vocabulary":
        """Return the vocabulary in the content of a file; early files have no checksum and no direction."""
        fields = {"format", "settings", "keys"}
        if header.keys() != fields and (
            header.keys() - fields != {"checksum"} or header["checksum"] != _checksum(header)
        ):
            raise ValueError("the checksum does not match")
        given: Any = {name: tuple(it) if type(it) is list else it for name, it in header["settings"].items()}
        directed = given.pop("directed", "any")
        settings = Settings(**given)
        given = [names for names in (settings.labels, settings.edge_labels) if names is not None]
        plain = (type(names) is tuple and {*map(type, names)} <= {int, bool, str} for names in given)
        if settings.is_nested or not all(plain):
            raise ValueError("histograms without columns, or labels that are neither text nor whole numbers")
        keys = np.array(header["keys"], dtype=np.int64).reshape(-1, 1 + len(settings.field_names))
        if (keys < 0).any() or not set(keys[:, 0].tolist()) <= set(settings.radius):
            raise ValueError("keys that the settings do not have")
        return cls(settings, keys, directed=directed)

    @property
    def columns(self) -> list[tuple[Any, ...]]:
        """Return the key of every column: (distance, degree), with the radius in front if there are several.

        A column that stands for a histogram has the key (kind, entries), an entry being (key, count).
        """
        return [self.column(index) for index in range(len(self))]

    def column(self, index: int) -> tuple[Any, ...]:
        """Return the key of one column."""
        settings = self.settings
        if index >= len(self.keys) and self.histograms is not None:
            return column_key(self.histograms, index - len(self.keys), settings)
        key = self.keys[index].tolist()
        shown = key[1 if len(settings.radius) == 1 else 0 :]
        if not settings.has_labels:
            return tuple(shown)
        label = label_of(settings, min(key[1 : 1 + settings.num_distances]), key[-1])
        return tuple(shown[:-1]) if label is None else (*shown[:-1], label)

    @property
    def feature_names(self) -> list[str]:
        """Return a name for every column, such as "r2_d1_deg4": radius 2, distance 1, degree 4."""
        return [self.name(index) for index in range(len(self))]

    def name(self, index: int) -> str:
        """Return the name of one column."""
        if index >= len(self.keys) and self.histograms is not None:
            return column_name(self.histograms, index - len(self.keys), self.settings)
        return self._name(self.keys[index].tolist())

    @cached_property
    def column_of(self) -> dict[tuple[int, ...], int]:
        """Return the column of every row of `keys`."""
        return {tuple(key): column for column, key in enumerate(self.keys.tolist())}

    def _name(self, key: list[int]) -> str:
        """Return the name of one column."""
        settings = self.settings
        parts = [] if settings.cap is None else [f"cap{settings.cap}"]
        first = 1 + settings.num_distances
        parts += [f"r{key[0]}", *(f"d{distance}" for distance in key[1:first])]
        nearest = min(key[1:first])  # the other distance of a pair may exceed the radius
        label = label_of(settings, nearest, key[-1]) if settings.has_labels else None
        is_edge = settings.edge_labels is not None and nearest % 2 == 1
        parts += [label_name(label)] if is_edge else []
        fields = zip(settings.field_names[first - 1 :], key[first:], strict=True)
        parts += [f"{name}{degree_name(value, settings)}" for name, value in fields if name != "label"]
        parts += [f"label{label_name(label)}"] if label is not None and not is_edge else []
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
    rows
        int64 (num_rows,): which rows these are, rising; not kept by `Encoding.save`.
    """

    clipped: int = 0
    dropped: int = 0
    num_rows: int = 0
    example: tuple[Hashable, tuple[Any, ...]] | None = None
    rows: Int64s = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False, compare=False)

    def __str__(self) -> str:
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
    if settings.degree_bins == "log" or (settings.degrees != "total" and settings.max_degree is not None):
        most = 2 * LAST_BIN - 1 if settings.max_degree is None else settings.max_degree
        return Vocabulary(replace(settings, max_degree=most), level_keys(settings, most))
    if settings.max_degree is None:
        raise InputError(
            'every graph must get the same columns: give max_degree, degree_bins="log" or a vocabulary, '
            "or use AddEgoEncoding.from_dataset(dataset)."
        )
    fixed = replace(settings, layout="paper")
    return Vocabulary(fixed, paper_keys(fixed, settings.max_degree))


def locate_columns(vocabulary: Vocabulary, found: Vocabulary, unseen: UnseenPolicy) -> tuple[Int64s, Flags]:
    """Return for every column of `found` its column in the vocabulary (-1: none), and whether that is exact.

    An unseen histogram has no column for any value of `unseen`: no histogram is nearest to it.
    """
    columns, exact = locate(vocabulary, found.keys, unseen)
    if vocabulary.histograms is None or found.histograms is None:
        return columns, exact
    rows = locate_histograms(vocabulary.histograms, found.histograms)
    nested = np.where(rows >= 0, rows + len(vocabulary.keys), -1)
    return np.concatenate([columns, nested]), np.concatenate([exact, rows >= 0])


def locate(vocabulary: Vocabulary, keys: Int64s, unseen: UnseenPolicy) -> tuple[Int64s, Flags]:
    """Return for every key its column in the vocabulary (-1: none), and whether that is exact.

    An unseen key is clipped to the last column before it with the same radius, distance and label, or to
    the first of those if there is none before; with unseen="ignore" it has no column.
    """
    if unseen not in get_args(UnseenPolicy):
        raise InputError(f"unseen must be 'clip', 'ignore' or 'error', got {unseen!r}.")
    known, fields = vocabulary.keys, vocabulary.settings.num_fields
    # Radius, distances and label make a group; inside it, columns are ordered by their degrees.
    first = 1 + vocabulary.settings.num_distances
    group = [*range(first), *range(first + fields, known.shape[1])]
    order = [*group, *range(first, first + fields)]
    both = np.concatenate([known, keys])
    rank = distinct_keys(both[:, order])[1]
    group_of = distinct_keys(both[:, group])[1]
    by_rank = np.argsort(rank[: len(known)])
    if not len(known):
        return np.full(len(keys), -1), np.zeros(len(keys), dtype=bool)
    before = np.searchsorted(rank[by_rank], rank[len(known) :], side="right") - 1
    columns = by_rank[np.maximum(before, 0)]
    exact = (before >= 0) & (rank[columns] == rank[len(known) :])
    if unseen == "clip":
        after = by_rank[np.minimum(before + 1, len(known) - 1)]
        wanted = group_of[len(known) :]
        columns = np.where((before >= 0) & (group_of[columns] == wanted), columns, after)
        return np.where(group_of[columns] == wanted, columns, -1), exact
    return np.where(exact, columns, -1), exact


def largest_degree(settings: Settings, graph: Graph) -> int:
    """Return the last degree of the paper's layout."""
    return int(graph.degrees.max(initial=0)) if settings.max_degree is None else settings.max_degree


def lay_out(matrix: Counts, found: Vocabulary, graph: Graph) -> tuple[Counts, Vocabulary]:
    """Return the counts in the columns of the paper's layout: the grid of all keys."""
    settings = found.settings
    largest = largest_degree(settings, graph)
    vocabulary = Vocabulary(settings, paper_keys(settings, largest), directed=graph.directed)
    return renumber_columns(
        matrix, paper_positions(found.keys, settings, largest), len(vocabulary)
    ), vocabulary


def arrange(
    matrix: Counts,
    found: Vocabulary,
    vocabulary: Vocabulary,
    unseen: UnseenPolicy,
    nodes: Array,
    *,
    what: str = "node",
) -> tuple[Counts, Unseen]:
    """Return the counts in the vocabulary's columns, and what did not fit; `what` is a row, for messages."""
    positions, exact = locate_columns(vocabulary, found, unseen)
    met = _unseen(matrix, positions, exact, found, nodes)
    if unseen == "error" and met.num_rows:
        node, key = met.example or (None, ())
        raise InputError(
            f"{met.num_rows:,} of {len(nodes):,} {what}s have keys that the vocabulary never saw, first at {what} "
            f'{node!r}: {key}. Learn it on more graphs, or set unseen="clip" or "ignore".'
        )
    return renumber_columns(matrix, positions, len(vocabulary)), met


def _unseen(
    matrix: Counts,
    positions: Int64s,
    exact: np.ndarray[Any, np.dtype[np.bool_]],
    found: Vocabulary,
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
    shown = found.column(int(matrix.indices[entries[0]]))
    plain = tuple(node.tolist()) if isinstance(node, np.ndarray) else node  # a pair
    example = (plain.item() if isinstance(plain, np.generic) else plain, shown)
    distinct = np.unique(rows)
    return Unseen(total - dropped, dropped, len(distinct), example, distinct)


def _checksum(header: dict[str, Any]) -> int:
    """Return the checksum of the settings and keys of a vocabulary's file."""
    return zlib.crc32(json.dumps([header["settings"], header["keys"]]).encode())

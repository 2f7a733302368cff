"""What is counted around pairs of nodes, and the rows: a frozen matrix of counts with its pairs and columns."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np

from egonet.encoding.export import CountTable, Form, check_format
from egonet.encoding.export import write_encoding as write_table
from egonet.encoding.matrix import Counts, Weighting
from egonet.encoding.settings import Settings, one_of
from egonet.encoding.vocabulary import Unseen, Vocabulary
from egonet.errors import FileError, InputError, UnknownNodeError, require_extra
from egonet.graph.graph import Graph
from egonet.graph.ids import near_match, show
from egonet.io.read import existing
from egonet.kernel import native
from egonet.typing import Direction, Int64s

#: More columns would take gigabytes for their keys and names.
MOST_GRID_COLUMNS = 10**6


@dataclass(frozen=True, repr=False)
class PairSettings(Settings):
    """What is counted around every pair (u, v).

    Attributes
    ----------
    radius, max_degree, degree_bins, labels, edge_labels, weight_bins
        As in `Settings`; the fields of `Settings` that are not named here keep their defaults.
    without_edge
        Whether the edge between u and v, if there is one, is left out of the graph first.
    ordered
        Whether the distance from u comes before the distance from v; otherwise the smaller one comes first.
    directed
        The direction of the graph: None (undirected), "out" or "in". `encode_pairs` sets it.

    Examples
    --------
    >>> PairSettings(1, degree_bins="log").field_names
    ('distance', 'distance', 'deg')
    """

    without_edge: bool = True
    ordered: bool = False
    directed: Direction | None = None
    flags: ClassVar[tuple[str, ...]] = (*Settings.flags, "without_edge", "ordered")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.directed is not None:
            one_of("directed", self.directed, get_args(Direction))

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the numbers of a key, after its radius."""
        return ("distance", "distance", "deg", *(("label",) if self.has_labels else ()))

    @property
    def num_distances(self) -> int:
        """Return how many numbers of a key are distances."""
        return 2


def grid_keys(settings: PairSettings) -> Int64s:
    """Return every key that a pair of any graph may have, after its radius; this needs a max_degree.

    >>> grid_keys(PairSettings(0, max_degree=1)).tolist()
    [[0, 0, 1, 0], [0, 0, 1, 1]]
    """
    if settings.has_labels:
        raise InputError("the columns of labels are learned from pairs. Give a vocabulary.")
    if settings.max_degree is None:
        raise InputError("columns for every graph need a largest degree. Give max_degree.")
    largest = settings.max_degree
    bins = [0, *(1 << power for power in range(largest.bit_length()))]  # 0, 1, 2, 4, ...
    degrees = bins if settings.degree_bins else range(largest + 1)
    keys = []
    for radius in radii_of(settings):
        if (count := (radius + 2) ** 2 * len(degrees)) > MOST_GRID_COLUMNS:
            raise InputError(
                f"columns for every distance and degree are at most {MOST_GRID_COLUMNS:,}, got {count:,}. "
                'Use a smaller radius or max_degree, or degree_bins="log".'
            )
        for first in range(radius + 2):
            # Both ends are different nodes, and every node is within the radius of one of them.
            seconds = range(0 if settings.ordered else first, radius + 2)
            pairs = [(first, second) for second in seconds if first != second or 0 < first <= radius]
            keys += [(radius, *pair, degree) for pair in pairs for degree in degrees]
    return np.array(keys, dtype=np.int64).reshape(-1, 4)


def radii_of(settings: Settings) -> tuple[int, ...]:
    """Return the radii of settings; a type checker does not see that those of a subclass are a tuple."""
    return settings.radius


if TYPE_CHECKING:
    import pyarrow

#: The key of a table's metadata under which the columns and settings are kept.
METADATA = b"egonet_pairs"
#: Settings that are kept only if they were used.
_OF_LABELS = ("labels", "edge_labels", "weight_bins")


@dataclass(frozen=True, eq=False, repr=False)
class PairEncoding(CountTable):
    """How many nodes have each key (distance from u, distance from v, degree) around every pair (u, v).

    Keys end with a label if there are labels or edge types.

    Attributes
    ----------
    matrix
        Sparse int32 counts (num_pairs, num_columns): a row per pair in the order given, a column per key.
    rows
        int64 (num_pairs, 2): the rows of both ends in the graph.
    vocabulary
        The keys of the columns and the settings they were counted with.
    graph
        The graph in which the pairs were counted.
    unseen
        What was clipped or dropped because a given vocabulary had no column for it.

    Examples
    --------
    >>> import egonet
    >>> encoding = egonet.encode_pairs([("a", "b"), ("b", "c")], [("a", "c"), ("a", "b")])
    >>> encoding[("a", "c")]
    {(0, 2, 1): 2, (1, 1, 2): 1}
    >>> encoding.feature_names
    ['r1_d0_d2_deg0', 'r1_d0_d2_deg1', 'r1_d1_d1_deg2', 'r1_d1_d2_deg1']
    """

    matrix: Counts
    rows: Int64s
    vocabulary: Vocabulary
    graph: Graph
    unseen: Unseen = field(default_factory=Unseen)

    def __repr__(self) -> str:
        return f"PairEncoding(num_pairs={len(self)}, num_columns={len(self.vocabulary)}, {self.settings})"

    def _repr_html_(self) -> str:
        """Return the first rows for a notebook, with every id escaped."""
        return self._first_rows("pairs", self.matrix)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return ((u, v) for u, v in self.pairs.tolist())

    def __contains__(self, pair: Any) -> bool:
        return self._find(pair) is not None

    def __getitem__(self, pair: Any) -> dict[tuple[int, ...], int]:
        """Return the multiset of one pair: key to count, in column order. The order of the ends counts if ordered."""
        row = self._find(pair)
        if row is None:
            strange = [node for node in _two(pair) if self.graph.find(node) is None]
            hint = near_match(strange[0], self.graph.node_ids) if strange else ""
            raise UnknownNodeError(f"no row belongs to pair {show(pair)}.{hint}")
        part = slice(self.matrix.indptr[row], self.matrix.indptr[row + 1])
        found = zip(self.matrix.indices[part].tolist(), self.matrix.data[part].tolist(), strict=True)
        return {self.columns[column]: count for column, count in found}

    @property
    def settings(self) -> Settings:
        return self.vocabulary.settings

    @cached_property
    def pairs(self) -> np.ndarray[Any, Any]:
        """Return the ids of both ends of every pair, (num_pairs, 2), in row order."""
        found: np.ndarray[Any, Any] = self.graph.node_ids[self.rows]
        return found

    @property
    def nodes(self) -> np.ndarray[Any, Any]:
        """Return what identifies each row in a table: the pairs."""
        return self.pairs

    @cached_property
    def classes(self) -> Int64s:
        """Return a number per pair, by first appearance; equal if and only if the multisets are equal."""
        indptr = self.matrix.indptr.astype(np.int64)
        return native.row_classes(indptr, self.matrix.indices.astype(np.int32, copy=False), self.matrix.data)

    @cached_property
    def _row_of(self) -> dict[tuple[int, int], int]:
        """Return the first row of every pair of graph rows, the smaller one first unless the order counts."""
        ends = self.rows if self._is_ordered else np.sort(self.rows, axis=1)
        found: dict[tuple[int, int], int] = {}
        for row, (u, v) in enumerate(ends.tolist()):
            found.setdefault((u, v), row)
        return found

    @property
    def _is_ordered(self) -> bool:
        return bool(getattr(self.settings, "ordered", False))

    def _find(self, pair: Any) -> int | None:
        """Return the row of a pair of ids, or None."""
        u, v = (self.graph.find(node) for node in _two(pair))
        if u is None or v is None:
            return None
        return self._row_of.get((u, v) if self._is_ordered else (min(u, v), max(u, v)))

    def _arrow_rows(self, first: int, last: int, weighting: Weighting, form: Form) -> "pyarrow.Table":
        """Return consecutive rows; the metadata keeps settings and columns, for `vocabulary="file.parquet"`."""
        table = super()._arrow_rows(first, last, weighting, form)
        kept = (table.schema.metadata or {}) | {METADATA: _pack(self.vocabulary).encode()}
        return table.replace_schema_metadata(kept)

    def write(self, path: str | Path, *, weighting: Weighting = "count", form: Form | None = None) -> None:
        """Write the rows to a file whose suffix names the format: .parquet, .arrow, .csv or .mtx, atomically.

        Examples
        --------
        >>> import egonet, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
        >>> egonet.encode_pairs([("a", "b"), ("b", "c")], [("a", "c")]).write(path)
        >>> print(path.read_text().split()[1])
        a,c,2,1
        """
        check_pair_format(path, weighting=weighting, form=form)
        write_table(self, path, weighting=weighting, form=form)  # type: ignore[arg-type]


def check_pair_format(path: str | Path, *, weighting: Weighting = "count", form: Form | None = None) -> None:
    """Raise for a format that rows of pairs are not written in."""
    if Path(path).suffix == ".npz":
        raise InputError(
            f"rows of pairs are written as .parquet, .arrow, .csv or .mtx, got {str(path)!r}. "
            "A .parquet file also keeps the columns for later pairs."
        )
    check_format(Path(path), weighting=weighting, form=form)


def _two(pair: Any) -> tuple[Any, Any]:
    """Return the two ids of a pair, or raise."""
    if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
        raise InputError(f"an encoding of pairs is indexed by a pair of node ids, got {show(pair)}.")
    return pair[0], pair[1]


def _pack(vocabulary: Vocabulary) -> str:
    """Return a vocabulary of pairs as JSON."""
    names = ("radius", "max_degree", "degree_bins", "without_edge", "ordered", "directed")
    settings = asdict(vocabulary.settings)
    kept = {name: settings[name] for name in names}
    kept |= {name: settings[name] for name in _OF_LABELS if settings[name] is not None}
    return json.dumps({"settings": kept, "keys": vocabulary.keys.tolist()})


def read_vocabulary(path: str | Path) -> Vocabulary:
    """Return the columns of pairs that were written to a Parquet or Arrow file."""
    file = existing(path)
    require_extra("pyarrow", extra="io")
    import pyarrow
    from pyarrow import feather, parquet

    try:
        is_parquet = file.suffix == ".parquet"
        schema = parquet.read_schema(file) if is_parquet else feather.read_table(file, columns=[]).schema
        found = json.loads((schema.metadata or {})[METADATA])
        given: Any = {name: tuple(it) if type(it) is list else it for name, it in found["settings"].items()}
        settings = PairSettings(**given)
        keys = np.array(found["keys"], dtype=np.int64).reshape(-1, 1 + len(settings.field_names))
        return Vocabulary(settings, keys)
    except (
        pyarrow.ArrowException,
        OSError,
        KeyError,
        ValueError,
        TypeError,
        OverflowError,
        AttributeError,
        RecursionError,
    ) as error:
        raise FileError(
            f"{path} is not a table of pair features that egonet wrote to Parquet or Arrow."
        ) from error


def as_pair_vocabulary(given: Any) -> Vocabulary | None:
    """Return the vocabulary of an encoding of pairs, of a file that it was written to, or None."""
    if given is None:
        return None
    if isinstance(given, str | Path):
        return read_vocabulary(given)
    found = given.vocabulary if isinstance(given, PairEncoding) else given
    if not isinstance(found, Vocabulary) or not isinstance(found.settings, PairSettings):
        raise InputError(f"vocabulary must be that of an encoding of pairs, got {show(given)}.")
    return found

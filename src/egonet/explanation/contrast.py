"""What sets two nodes or two graphs apart: by column, the largest differences first."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from egonet.checks import as_whole
from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings, take_options
from egonet.encoding.signature import list_options
from egonet.encoding.vocabulary import Vocabulary, column_texts
from egonet.errors import require_extra, show_value
from egonet.explanation.neighborhood import HALF_HOPS, neighborhood
from egonet.graph.align import kept_names
from egonet.graph.collect import as_graphs
from egonet.graph.columns import EdgeOptions, Labels
from egonet.graph.input_options import ReadOptions
from egonet.notebook import html_table

if TYPE_CHECKING:
    import pandas

#: How many columns are printed.
SHOWN = 10


@dataclass(frozen=True)
class ColumnPair:
    """One column of two encodings, as text and as in `Encoding.columns`, with the count on either side."""

    text: str
    key: tuple[Any, ...]
    first: int
    second: int


@dataclass(frozen=True)
class Difference:
    """What sets two nodes or two graphs apart; prints as text and shows as HTML in a notebook.

    Attributes
    ----------
    first, second
        What is compared, as text.
    radius
        The radius, or several.
    columns
        The columns whose counts differ, the largest difference first; equal ones in column order.
    num_columns
        How many columns either side has.
    remark
        For nodes a sentence about each; for graphs how many nodes look alike.
    top
        How many columns are printed.
    """

    first: str
    second: str
    radius: int | Sequence[int]
    columns: tuple[ColumnPair, ...]
    num_columns: int
    remark: str = ""
    top: int = SHOWN

    def __str__(self) -> str:
        return self.text(self.top)

    @property
    def _radii(self) -> str:
        return str(self.radius) if isinstance(self.radius, int) else " and ".join(map(str, self.radius))

    def text(self, top: int | None = None) -> str:
        """Return the `top` largest differences as text, all of them if not given.

        Examples
        --------
        >>> print(explain_difference([("a", "b"), ("b", "c")], "a", "b", radius=1).text(top=1).splitlines()[-2])
          distance 0, degree 1  1 | 0  'a' has 1 more
        """
        who = f"{self.first} and {self.second}"
        if not self.columns:
            text = f"{who}: no column differs at radius {self._radii}"
            return f"{text}; {self.remark}" if self.remark else text
        lines = [f"{who} differ in {len(self.columns)} of {self.num_columns} columns at radius {self._radii}"]
        lines += [self.remark] if self.remark else []
        shown = self.columns[:top]
        width = max((len(column.text) for column in shown), default=0)
        digits = len(str(max(max(column.first, column.second) for column in self.columns)))
        for column in shown:
            ahead = self.first if column.first > column.second else self.second
            more = abs(column.first - column.second)
            counts = f"{column.first:>{digits}} | {column.second:>{digits}}"
            lines.append(f"  {column.text:<{width}}  {counts}  {ahead} has {more} more")
        if len(self.columns) > len(shown):
            rest = len(self.columns) - len(shown)
            lines.append(f"  ... and {rest:,} more {'column' if rest == 1 else 'columns'}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, the largest difference first."""
        columns = [{"column": c.text, "first": c.first, "second": c.second} for c in self.columns]
        radius = self.radius if isinstance(self.radius, int) else list(self.radius)
        both = {"first": self.first, "second": self.second, "radius": radius, "remark": self.remark}
        return both | {"num_columns": self.num_columns, "columns": columns}

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row per column that differs, the largest difference first.

        Examples
        --------
        >>> explain_difference([("a", "b"), ("b", "c")], "a", "b", radius=0).to_pandas()
                         column  first  second  difference
        0  distance 0, degree 1      1       0          -1
        1  distance 0, degree 2      0       1           1
        """
        rows = [(c.text, c.first, c.second, c.second - c.first) for c in self.columns]
        names = ["column", "first", "second", "difference"]
        return require_extra("pandas", extra=None).DataFrame(rows, columns=names)

    def _repr_html_(self) -> str:
        """Return the sentences and a table for a notebook, with every id escaped."""
        title = self.text(0).partition("\n")[0]
        if not self.columns:
            return html_table(title, [])
        shown = self.columns[: self.top]
        left = len(self.columns) - len(shown)
        note = "\n".join([self.remark, *([f"{left:,} more columns; text() has all of them"] if left else [])])
        rows = [(column.text, column.first, column.second) for column in shown]
        return html_table(title, rows, header=("column", self.first, self.second), note=note.strip())


@list_options
def explain_difference(
    graph: Any,
    first: Hashable,
    second: Hashable,
    settings: Settings | Radius | None = None,
    *,
    labels: Labels | None = None,
    top: int = SHOWN,
    **options: Unpack[EncodeOptions],
) -> Difference:
    """Return what sets two nodes of a graph apart: every column whose counts differ, the largest difference first.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    first, second
        The ids of the two nodes.
    top
        How many columns to print; `text()` returns all of them.
    settings, radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`; a column of `common` or `rooted` is what an edge or a pair looks like.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    labels, edge_labels, weights, directed, source, target, num_nodes, nodes, missing, ids, simplify
        What the graph carries and how it is read, as for `encode`.

    Examples
    --------
    >>> edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    >>> print(explain_difference(edges, "a", "c", radius=1))
    'a' and 'c' differ in 3 of 4 columns at radius 1
    'a' is a node with 2 neighbors, all pairs of its neighbors are linked
    'c' is a node with 3 neighbors, 1 of 3 pairs of its neighbors is linked
      distance 0, degree 2  1 | 0  'a' has 1 more
      distance 0, degree 3  0 | 1  'c' has 1 more
      distance 1, degree 1  0 | 1  'c' has 1 more
    >>> print(explain_difference(edges, "a", "b", radius=1))
    'a' and 'b': no column differs at radius 1
    >>> print(explain_difference(edges, "a", "c", radius=1, rooted="edge"))
    'a' and 'c' differ in 1 of 2 columns at radius 1
    'a' is a node with 2 neighbors, all pairs of its neighbors are linked
    'c' is a node with 3 neighbors, 1 of 3 pairs of its neighbors is linked
      with a neighbor: 2 nodes and 1 edge near both, 0 adjacent to both  0 | 1  'c' has 1 more
    """
    encoding = encode(graph, settings, labels=labels, roots=[first, second], **options)
    difference = _difference(
        show_value(first), show_value(second), encoding.vocabulary, encoding.matrix.toarray()
    )
    remark = ""
    if encoding.graph is not None and difference.columns:
        radius = encoding.settings.radius[0]
        about = [
            f"{show_value(node)} is {neighborhood(encoding.graph, node, radius)}" for node in (first, second)
        ]
        remark = "\n".join(about if encoding.vocabulary.edge_labels is None else [*about, HALF_HOPS])
    return replace(difference, remark=remark, top=as_whole("top", top))


@list_options
def explain_graphs(
    first: Any,
    second: Any,
    settings: Settings | Radius | None = None,
    *,
    labels: Sequence[Labels] | None = None,
    top: int = SHOWN,
    **options: Unpack[EncodeOptions],
) -> Difference:
    """Return what sets two graphs apart: every column whose total over the nodes differs, the largest first.

    Totals can agree although the nodes differ; the remark says how many nodes of one graph have a
    counterpart in the other with the same encoding.

    Parameters
    ----------
    first, second
        Anything `as_graph` accepts.
    settings, radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`; a column of `common` or `rooted` is what an edge or a pair looks like.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    labels
        The node labels of both graphs, as a pair.
    edge_labels, weights
        The name of a column of both graphs, or one value per edge as a pair.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graphs are read, as for `as_graph`.
    top
        How many columns to print; `text()` returns all of them.

    Examples
    --------
    >>> import egonet
    >>> print(explain_graphs(egonet.named.cycle(6), egonet.named.path(range(6)), radius=1))
    the first graph and the second graph differ in 3 of 3 columns at radius 1
    4 of 6 nodes of the first graph have the same encoding as a node of the second (which has 6)
      distance 0, degree 1   0 |  2  the second graph has 2 more
      distance 0, degree 2   6 |  4  the first graph has 2 more
      distance 1, degree 1  12 | 10  the first graph has 2 more

    Two graphs that plain degrees cannot tell apart, by the common neighbors of their edges:

    >>> rook, torus = egonet.named.rook_4x4(), egonet.named.shrikhande()
    >>> print(explain_graphs(rook, torus, radius=1, common=True))
    the first graph and the second graph differ in 2 of 4 columns at radius 1
    0 of 16 nodes of the first graph have the same encoding as a node of the second (which has 16)
      2 common neighbors: 2 with 0 links among them   0 | 96  the second graph has 96 more
      2 common neighbors: 2 with 1 link among them   96 |  0  the first graph has 96 more
    """
    counting: Any = dict(options)
    reading: Any = take_options(counting, ReadOptions)
    types: Any = take_options(counting, EdgeOptions)
    reading["keep"] = kept_names(*types.values())
    pair = as_graphs([first, second], labels, **reading)
    both = encode(pair, settings, labels=labels, **types, **counting)
    middle = int(both.graph_ptr[1])
    totals = np.stack(
        [np.asarray(both.matrix[rows].sum(axis=0)).ravel() for rows in (slice(middle), slice(middle, None))]
    )
    remark = _alike(both, middle)
    difference = _difference("the first graph", "the second graph", both.vocabulary, totals)
    return replace(difference, remark=remark, top=as_whole("top", top))


def _difference(
    first: str,
    second: str,
    vocabulary: Vocabulary,
    counts: np.ndarray[Any, Any],
) -> Difference:
    """Return the columns in which two rows of counts differ, the largest difference first."""
    texts, keys = column_texts(vocabulary), vocabulary.columns
    gaps = np.abs(counts[0].astype(np.int64) - counts[1])
    largest = np.argsort(-gaps, kind="stable")[: np.count_nonzero(gaps)]
    pairs = tuple(
        ColumnPair(texts[column], keys[column], int(counts[0, column]), int(counts[1, column]))
        for column in largest.tolist()
    )
    radii = vocabulary.settings.radius
    return Difference(first, second, radii[0] if len(radii) == 1 else radii, pairs, len(vocabulary))


def _alike(both: Encoding, middle: int) -> str:
    """Return how many nodes of two graphs can be paired off with equal encodings."""
    ours, theirs = Counter(both.classes[:middle].tolist()), Counter(both.classes[middle:].tolist())
    shared = (ours & theirs).total()
    size, other = middle, len(both) - middle
    if shared == size == other:
        return "every node of one has the same encoding as a node of the other"
    nodes, have = ("node", "has") if size == 1 else ("nodes", "have")
    same = f"{have} the same encoding as a node of the second (which has {other:,})"
    return f"{shared:,} of {size:,} {nodes} of the first graph {same}"

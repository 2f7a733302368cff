"""Ranks of degrees in their own graph, quarters of degrees, and how far the degrees of two graphs differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from egonet.checks import as_flag
from egonet.encoding.matrix import distinct_keys
from egonet.encoding.settings import Settings
from egonet.encoding.signature import list_options
from egonet.errors import InputError, UnseenWarning, in_python, show_value
from egonet.graph.collect import collect_graphs
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions, warn
from egonet.kernel.reference import Rows
from egonet.typing import Array, Floats, Int64s

#: Degrees of two graphs are very different if their distribution functions are further apart than this somewhere.
LARGE_SHIFT = 0.2
#: Graphs with fewer nodes are not compared: a molecule has too few degrees to tell.
COMPARED_NODES = 100


@list_options
def degree_rank(graph: Any, **reading: Unpack[ReadOptions]) -> Floats:
    """Return the rank of every node's degree in its own graph, between 0 and 1.

    The rank is the share of nodes with a lower degree plus half the share with an equal one. Unlike the degree it
    means the same in a small and a large graph: try it first if a model moves to another graph.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts, or a list of such graphs; each is ranked by itself.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`. A graph read with directed="out" (or "in") has
        out-degrees (or in-degrees).

    Returns
    -------
    float64 (num_nodes,), in row order; of several graphs one after the other.

    Examples
    --------
    >>> import egonet
    >>> egonet.degree_rank(egonet.named.path("abcd"))
    array([0.25, 0.75, 0.75, 0.25])
    >>> egonet.degree_rank([egonet.named.path("abcd"), egonet.named.path("ab")])
    array([0.25, 0.75, 0.75, 0.25, 0.5 , 0.5 ])
    """
    union, graph_ptr = collect_graphs(graph, **reading)
    return ranks_of_degrees(union.degrees, graph_ptr)


def ranks_of_degrees(degrees: Int64s, graph_ptr: Int64s) -> Floats:
    """Return the middle rank of every degree among those of its own graph.

    >>> ranks_of_degrees(np.array([1, 2, 2, 1, 5, 7]), np.array([0, 4, 6])).tolist()
    [0.25, 0.75, 0.75, 0.25, 0.25, 0.75]
    """
    table = RankTable.of(degrees, graph_ptr)
    owner = np.repeat(np.arange(len(table.sizes)), table.sizes)
    ranks: Floats = table.doubled[table.starts[owner] + degrees] / (2.0 * table.sizes[owner])
    return ranks


@dataclass(frozen=True, eq=False)
class RankTable:
    """The ranks of all degrees up to the largest, for each of several graphs.

    Attributes
    ----------
    doubled
        int64: twice the number of nodes with a lower degree, plus the number with an equal one; by graph, then degree.
    starts
        int64 (num_graphs,): where the degrees of each graph begin; the entry of degree d is `starts[graph] + d`.
    sizes
        int64 (num_graphs,): the number of nodes of each graph.
    """

    doubled: Int64s
    starts: Int64s
    sizes: Int64s

    @classmethod
    def of(cls, degrees: Int64s, graph_ptr: Int64s) -> "RankTable":
        """Count the degrees of every graph.

        >>> RankTable.of(np.array([1, 2, 1, 5]), np.array([0, 3, 4])).doubled.tolist()
        [0, 2, 5, 0, 0, 0, 0, 0, 1]
        """
        sizes = np.diff(graph_ptr)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        largest = np.zeros(len(sizes), dtype=np.int64)
        np.maximum.at(largest, owner, degrees)
        starts = np.concatenate([[0], np.cumsum(largest + 1)])
        counts = np.bincount(starts[owner] + degrees, minlength=starts[-1])
        lower = np.cumsum(counts) - counts - np.repeat(graph_ptr[:-1], largest + 1)
        return cls(2 * lower + counts, starts[:-1], sizes)

    @property
    def quarters(self) -> Int64s:
        """Return the quarter of every degree, 1 to 4, in the order of `doubled`."""
        lengths = np.diff(np.append(self.starts, len(self.doubled)))
        quarters: Int64s = 4 * self.doubled // np.repeat(np.maximum(2 * self.sizes, 1), lengths) + 1
        return quarters


def quarter_of_isolated(degrees: Int64s) -> int:
    """Return the quarter, among some degrees, of a node without neighbors.

    >>> quarter_of_isolated(np.array([1, 1, 2])), quarter_of_isolated(np.array([0, 0, 0, 1]))
    (1, 2)
    """
    return 2 * int((degrees == 0).sum()) // max(len(degrees), 1) + 1


def quarter_rows(rows: Rows, settings: Settings, table: RankTable, owner: Int64s) -> Rows:
    """Return rows whose degrees are replaced by the quarter of their graph's degrees, 1 to 4, that they lie in.

    `owner` is the graph of every row. The quarter of a degree is that of its middle rank among the graph's degrees.

    >>> rows = Rows(np.array([0, 2]), np.array([0, 1]), np.array([1, 3]), np.array([[0, 3], [1, 1]]))
    >>> table = RankTable.of(np.array([1, 1, 1, 3]), np.array([0, 4]))
    >>> quarter_rows(rows, Settings(1, degree_bins="quantile"), table, np.array([0])).keys.tolist()
    [[0, 4], [1, 2]]
    """
    field = settings.num_distances
    outlines = rows.keys.copy()
    outlines[:, field] = 0
    outline, which = distinct_keys(outlines)
    row = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    quarter = table.quarters[table.starts[owner[row]] + rows.keys[rows.columns, field]]
    merged, place = np.unique(
        row * (5 * len(outline)) + 5 * which[rows.columns] + quarter, return_inverse=True
    )
    counts = np.bincount(place, weights=rows.counts).astype(np.int32)
    new_row, code = np.divmod(merged, max(5 * len(outline), 1))
    used, columns = np.unique(code, return_inverse=True)
    keys = outline[used // 5].reshape(len(used), rows.keys.shape[1])
    keys[:, field] = used % 5
    ordered, positions = distinct_keys(keys)
    columns = positions[columns] if len(columns) else columns
    order = np.lexsort((columns, new_row))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(new_row, minlength=len(rows.indptr) - 1))])
    return replace(
        rows,
        indptr=indptr.astype(np.int64),
        columns=columns[order].astype(np.int32),
        counts=counts[order],
        keys=ordered,
    )


def as_degree_rank(value: Any) -> bool | Literal["only"]:
    """Return the option `degree_rank` of estimators and transforms, validated.

    >>> as_degree_rank(True), as_degree_rank("only")
    (True, 'only')
    """
    if isinstance(value, str) and value != "only":
        raise InputError(f'degree_rank must be True, False or "only", got {show_value(value)}.')
    return "only" if isinstance(value, str) else as_flag("degree_rank", value)


def carries_over(settings: Settings, degree_rank: bool | str) -> bool:
    """Return whether columns mean the same in a graph with other degrees: quarters, or no columns of degrees.

    Ranks of counts alone do not: their columns are still those of exact degrees.

    >>> carries_over(Settings(1, degree_bins="quantile"), False), carries_over(Settings(1), True)
    (True, False)
    """
    return degree_rank == "only" or settings.degree_bins == "quantile"


@dataclass(frozen=True, eq=False)
class DegreeProfile:
    """How many nodes of a graph, or of several, have each degree.

    Attributes
    ----------
    degrees
        int64 (num_degrees,), rising: the degrees that occur.
    counts
        int64 (num_degrees,): the number of nodes of each.
    spread
        Of several graphs: the largest shift between one of them and all of them.
    """

    degrees: Int64s
    counts: Int64s
    spread: float = 0.0

    @classmethod
    def of(cls, graph: Graph, graph_ptr: Int64s | None = None) -> "DegreeProfile":
        """Count the degrees of a graph, or of several, which begin at `graph_ptr` in their union.

        >>> profile = DegreeProfile.of(Graph.from_edges([("a", "b"), ("b", "c")]))
        >>> profile.degrees.tolist(), profile.counts.tolist()
        ([1, 2], [2, 1])
        """
        profile = cls._count(graph.degrees)
        if graph_ptr is None or len(graph_ptr) == 2:
            return profile
        shifts = [profile.shift(part) for part in cls.of_each(graph, graph_ptr)]
        return replace(profile, spread=max(shifts, default=0.0))

    @classmethod
    def of_each(cls, graph: Graph, graph_ptr: Int64s) -> Iterator["DegreeProfile"]:
        """Count the degrees of each of several graphs that has enough nodes to be compared.

        >>> union = Graph.from_edges([(0, 1)], num_nodes=102)
        >>> [profile.counts.tolist() for profile in DegreeProfile.of_each(union, np.array([0, 2, 102]))]
        [[100]]
        """
        for index in np.flatnonzero(np.diff(graph_ptr) >= COMPARED_NODES).tolist():
            yield cls._count(graph.degrees[graph_ptr[index] : graph_ptr[index + 1]])

    @classmethod
    def _count(cls, all_degrees: Int64s) -> "DegreeProfile":
        counts = np.bincount(all_degrees)
        degrees = np.flatnonzero(counts)
        return cls(degrees, counts[degrees])

    def as_arrays(self) -> dict[str, Array]:
        """Return the profile as arrays of a file: a row (degree, count) per degree, and the spread.

        >>> DegreeProfile(np.array([2]), np.array([200])).as_arrays()["degrees"].tolist()
        [[2, 200]]
        """
        return {
            "degrees": np.stack([self.degrees, self.counts], axis=1),
            "degrees_spread": np.array([self.spread]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "DegreeProfile":
        """Return the profile in the result of `as_arrays`, validated.

        >>> DegreeProfile.from_arrays(DegreeProfile(np.array([2]), np.array([200])).as_arrays()).size
        (200, 400)
        """
        rows, spread = arrays["degrees"], arrays["degrees_spread"]
        if rows.dtype != np.int64 or rows.ndim != 2 or rows.shape[1] != 2 or spread.shape != (1,):
            raise ValueError("the degrees that columns were learned on have another form")
        degrees, counts = rows.T
        if (
            (degrees < 0).any()
            or (np.diff(degrees) <= 0).any()
            or (counts < 1).any()
            or not 0 <= spread[0] <= 1
        ):
            raise ValueError("the degrees that columns were learned on are not those of a graph")
        return cls(degrees.copy(), counts.copy(), float(spread[0]))

    @property
    def size(self) -> tuple[int, int]:
        """Return the number of nodes and of arcs."""
        return int(self.counts.sum()), int(self.counts @ self.degrees)

    def shares(self, degrees: Int64s) -> Floats:
        """Return the share of nodes with at most each of some degrees."""
        below = np.concatenate([[0], np.cumsum(self.counts)])
        shares: Floats = below[np.searchsorted(self.degrees, degrees, side="right")] / self.counts.sum()
        return shares

    def shift(self, other: "DegreeProfile") -> float:
        """Return the largest difference between the shares of nodes with degree at most d, over all d (0 to 1).

        This is the statistic of Kolmogorov and Smirnov. Graphs with fewer than 100 nodes are not compared: 0.

        >>> many = DegreeProfile(np.array([2]), np.array([200]))
        >>> many.shift(DegreeProfile(np.array([1, 2]), np.array([50, 150])))
        0.25
        """
        if min(self.counts.sum(), other.counts.sum()) < COMPARED_NODES:
            return 0.0
        both = np.union1d(self.degrees, other.degrees)
        return float(np.abs(self.shares(both) - other.shares(both)).max())

    def warn_shift(self, other: "DegreeProfile") -> bool:
        """Warn if the degrees of another graph are very different; return whether they are.

        If columns were learned on several graphs that differ from each other, another one may differ as much.
        """
        shift = self.shift(other)
        if shift <= max(LARGE_SHIFT, self.spread):
            return False
        (nodes, arcs), (other_nodes, other_arcs) = self.size, other.size
        warn(
            f"the columns were learned where nodes have {arcs / nodes:.1f} neighbors on average, and here they have "
            f"{other_arcs / other_nodes:.1f}: the distributions of degrees differ by {shift:.3f} (Kolmogorov-Smirnov, "
            f"more than {LARGE_SHIFT}), so counts mean something else. For another graph use "
            + in_python(
                'degree_rank="only", or for_another_graph: weighting="rank" with degree_bins="quantile"',
                "--degree-rank, and learn the columns with --degree-bins quantile --weighting rank",
            )
            + ".",
            UnseenWarning,
        )
        return True

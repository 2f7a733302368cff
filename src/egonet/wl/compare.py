"""`compare` and `equivalent`: which tests distinguish two graphs, and by which nodes."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np

from egonet.checks import as_flag
from egonet.encoding.settings import (
    BinOptions,
    Settings,
    SettingsOptions,
    as_radius,
    as_settings,
    take_options,
)
from egonet.encoding.signature import list_options
from egonet.errors import InputError, MissingExtraError, show_value
from egonet.graph.align import kept_names
from egonet.graph.collect import DataOptions, as_graphs
from egonet.graph.columns import EdgeOptions
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.notebook import html_table
from egonet.typing import Int64s
from egonet.wl.isomorphism import isomorphic
from egonet.wl.refine import MAX_PAIRS, ColorOptions, UnionLabels, join_labels
from egonet.wl.tests import Criterion, Radius, graph_classes, looks_at, named_criterion

#: The number of witnesses per verdict and of ids per witness, and the most nodes for which R3 is run.
_SHOWN = 3
_MAX_PAIR_ROOTED = 20_000
#: The largest nodes² · edges for which searches with two marks are run: they take seconds without symmetry.
_MAX_SEARCH = 10**9


@dataclass(frozen=True)
class Witness:
    """A class of nodes that the two graphs have in different numbers.

    Attributes
    ----------
    counts
        How many nodes of the first and of the second graph are in the class.
    first, second
        Ids of some of them, at most three per graph.
    """

    counts: tuple[int, int]
    first: tuple[Hashable, ...]
    second: tuple[Hashable, ...]

    def __str__(self) -> str:
        sides = []
        for count, ids in zip(self.counts, (self.first, self.second), strict=True):
            more = ", …" if count > len(ids) else ""
            sides.append(f"{count} ({', '.join(map(str, ids))}{more})" if count else "0")
        return f"{sides[0]} against {sides[1]}"


@dataclass(frozen=True)
class Verdict:
    """The result of one test on two graphs.

    Attributes
    ----------
    test
        The name of the test.
    equal
        True if it cannot distinguish the graphs, False if it can, None if it was not run.
    witnesses
        Classes that the graphs have in different numbers, the rarest first; none if they are equal.
    note
        Why the test was not run, or "".

    Examples
    --------
    >>> import egonet
    >>> found = egonet.compare(egonet.named.decalin(), egonet.named.bicyclopentyl(), radius=2)["total r=2"]
    >>> found.equal, found.looks_at
    (False, 'degrees around every node')
    """

    test: str
    equal: bool | None
    witnesses: tuple[Witness, ...] = ()
    note: str = ""

    @property
    def looks_at(self) -> str:
        """Return what the test looks at, in a few plain words."""
        return looks_at(self.test)


@dataclass(frozen=True)
class Comparison:
    """The results of all tests on two graphs; prints as a table.

    Attributes
    ----------
    sizes
        (nodes, edges) of the first and of the second graph.
    verdicts
        One per test, cheaper tests first; the last is exact isomorphism.

    Examples
    --------
    >>> import egonet
    >>> found = egonet.compare(egonet.named.decalin(), egonet.named.bicyclopentyl())
    >>> found.sentence, found.isomorphic
    ('Radius 2 separates the graphs; 1-WL does not.', False)
    """

    sizes: tuple[tuple[int, int], tuple[int, int]]
    verdicts: tuple[Verdict, ...]

    def __getitem__(self, test: str) -> Verdict:
        """Return the verdict of one test by its name."""
        for verdict in self.verdicts:
            if verdict.test == test:
                return verdict
        raise InputError(
            f"no test is called {show_value(test)}; the tests are {', '.join(v.test for v in self.verdicts)}."
        )

    @property
    def isomorphic(self) -> bool | None:
        """Return whether the graphs are isomorphic, or None if that was not tested."""
        return self.verdicts[-1].equal

    @property
    def differ(self) -> bool:
        """Return whether any test distinguishes the graphs."""
        return any(verdict.equal is False for verdict in self.verdicts)

    @property
    def sentence(self) -> str:
        """Return the result in one sentence: what ego-networks and 1-WL can tell, then the cheapest other test."""
        if self.isomorphic:
            return "The graphs are isomorphic."
        separating = [verdict for verdict in self.verdicts[:-1] if verdict.equal is False]
        names = [verdict.test for verdict in separating]
        plain = [name for name in names if name.startswith("total") and not name.endswith("WL")]
        if plain:
            radius = plain[0].removeprefix("total r=").replace(",", " and ")
            also = "and so does 1-WL" if "1-WL" in names else "1-WL does not"
            return f"Radius {radius} separates the graphs{',' if '1-WL' in names else ';'} {also}."
        if "1-WL" in names:
            return "1-WL separates the graphs; the degrees around nodes do not."
        if separating:
            first = separating[0]
            return (
                f"Neither 1-WL nor the degrees around nodes separate the graphs; {first.test} does "
                f"({first.looks_at})."
            )
        if self.isomorphic is False:
            return "The graphs differ, but only the exact test separates them."
        return "No test separates the graphs; the exact test was not run."

    def __str__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join(
                [*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[3]]
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self.sentence, self._sizes(), *lines])

    def _repr_html_(self) -> str:
        header = ("test", "result", "looks at", "nodes that differ")
        return html_table(self.sentence, self._rows(), header=header, note=self._sizes())

    def _sizes(self) -> str:
        (n1, m1), (n2, m2) = self.sizes
        return f"{n1:,} nodes, {m1:,} edges against {n2:,} nodes, {m2:,} edges"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Return name, result and subject of every test, and the rarest class that differs or why it was not run."""
        result = {True: "equal", False: "different", None: "not run"}
        reasons = [str(each.witnesses[0]) if each.witnesses else each.note for each in self.verdicts]
        return [
            (each.test, result[each.equal], each.looks_at, why)
            for each, why in zip(self.verdicts, reasons, strict=True)
        ]


class CompareOptions(SettingsOptions, ReadOptions, EdgeOptions):
    """The keywords of `compare` that say what is counted, how graphs are read, and what their edges carry."""


@list_options
def equivalent(
    first: Any,
    second: Any,
    *,
    test: str | Settings,
    radius: Radius | None = None,
    refine: bool = False,
    labels: Any = None,
    **options: Unpack[ColorOptions],
) -> bool:
    """Return whether a test cannot distinguish two graphs.

    Parameters
    ----------
    first, second
        Anything `as_graph` accepts.
    test
        "1-wl", "2-fwl", "total", "layered", "full", "R0" to "R3", "R4(2, marks=3)" (a search with 3 marks in
        ego-networks of radius 2), "R5(3)" (the same in the whole graph), "ball" (isomorphism of ego-networks),
        "exact", or `Settings` of an encoding.
    radius
        For encodings: one radius or several; 2 if not given.
    refine
        True starts 1-WL from the classes of the test: the upper limit of a message-passing network on them.
    labels, edge_labels, weights
        As in `compare`.
    weight_bins
        How weights become edge types, as in `Settings`.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graphs are read, as for `as_graph`.

    Examples
    --------
    >>> import egonet
    >>> pair = egonet.named.decalin(), egonet.named.bicyclopentyl()
    >>> [equivalent(*pair, test=test) for test in ("1-wl", "total", "exact")]
    [True, False, False]
    """
    refine = as_flag("refine", refine)
    reading: Any = dict(options)
    binned = Settings(**take_options(reading, BinOptions))
    pair = _Pair.of(first, second, binned, labels, **reading)
    if isinstance(test, str) and test.lower() == "exact":
        if radius is not None or refine:
            raise InputError('test="exact" takes neither radius nor refine. Leave them out.')
        return isomorphic(*pair.graphs, pair.labels)
    criterion = named_criterion(test, radius)
    if pair.labels.edges is not None and not criterion.takes_types:
        raise InputError(f"test {show_value(test)} takes no edge types. Leave edge_labels and weights out.")
    return bool(pair.verdict(criterion.with_refinement() if refine else criterion).equal)


@partial(list_options, radius=(1, 2))
def compare(
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Return the results of all tests on two graphs: 1-WL, 2-FWL, encodings, R1 to R5, and exact isomorphism.

    Parameters
    ----------
    first, second
        Anything `as_graph` accepts.
    labels
        A pair: the node labels of the first and of the second graph, each as in `encode`. Every
        test then starts from them: nodes with different labels are never equivalent.
    edge_labels, weights
        A type per edge, or a number per edge with `weight_bins`: the name of a column of both graphs, or a pair as
        for `labels`. Every test counts a neighbor together with the type of the edge to it; R1 to
        R3 do not support edge types and are not run.
    radius
        The radii of the encodings: each alone, and all together. R1 to R4 use the largest.
    degrees, frontier_edges, max_degree, degree_bins, layout
        As for `encode`. If one is given, the table also has the encoding with these settings.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graphs are read, as for `as_graph`. R1 to R5 need undirected graphs and are not run otherwise.

    Examples
    --------
    >>> import egonet
    >>> print(compare(egonet.named.shrikhande(), egonet.named.rook_4x4(), radius=1))
    Neither 1-WL nor the degrees around nodes separate the graphs; R1 r=1 does (links among common neighbors).
    16 nodes, 48 edges against 16 nodes, 48 edges
    1-WL              equal      colors of neighbors, repeated
    total r=1         equal      degrees around every node
    layered r=1       equal      degrees by distance from node
    full r=1          equal      degrees closer, same, farther
    total r=1 + WL    equal      degrees around every node, then 1-WL
    layered r=1 + WL  equal      degrees by distance from node, then 1-WL
    full r=1 + WL     equal      degrees closer, same, farther, then 1-WL
    R1 r=1            different  links among common neighbors              16 (0, 1, 2, …) against 0
    R2 r=1            different  counts around every edge                  16 (0, 1, 2, …) against 0
    2-FWL             equal      colors of pairs, repeated
    R3 r=1            different  counts around every pair                  16 (0, 1, 2, …) against 0
    R4(1, marks=2)    different  ego-networks with marked nodes            16 (0, 1, 2, …) against 0
    R5(2)             different  the graph with marked nodes               16 (0, 1, 2, …) against 0
    isomorphic        different  an exact one-to-one match
    """
    counting: Any = dict(options)
    reading: Any = take_options(counting, DataOptions)
    radii = as_radius(counting.pop("radius", (1, 2)))
    settings = as_settings(radii, counting)
    pair = _Pair.of(first, second, settings, labels, **reading)
    choices: list[Radius] = [*radii, radii] if len(radii) > 1 else [radii[0]]
    verdicts = [pair.verdict(named_criterion("1-wl"))]
    kinds = [named_criterion(kind, chosen) for kind in ("total", "layered", "full") for chosen in choices]
    verdicts += [pair.verdict(criterion) for criterion in kinds]
    if counting:
        verdicts.append(pair.verdict(named_criterion(settings)))
    verdicts += [pair.verdict(criterion.with_refinement()) for criterion in kinds]
    rungs = [pair.rung_verdict(rung, max(radii)) for rung in ("R1", "R2", "R3", "R4") if max(radii) > 0]
    verdicts += [*rungs[:2], pair.folklore_verdict(), *rungs[2:], pair.rung_verdict("R5", None)]
    sizes = tuple((graph.num_nodes, graph.num_edges) for graph in pair.graphs)
    return Comparison((sizes[0], sizes[1]), (*verdicts, pair.exact_verdict()))


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two graphs, their disjoint union and its labels."""

    graphs: tuple[Graph, Graph]
    union: Graph
    graph_ptr: Int64s
    labels: UnionLabels

    @classmethod
    def of(
        cls,
        first: Any,
        second: Any,
        settings: Settings,
        labels: Any = None,
        **reading: Any,
    ) -> "_Pair":
        """Return two graphs as given, with labels as numbers that mean the same in both."""
        edges: Any = take_options(reading, EdgeOptions)
        keep = kept_names(*edges.values())
        pair = as_graphs([first, second], labels, keep=keep, **reading)
        return cls((pair[0], pair[1]), *join_labels(pair, labels, settings, **edges))

    def verdict(self, criterion: Criterion) -> Verdict:
        """Return the result of a test, with the classes that differ."""
        if self.labels.edges is not None and not criterion.takes_types:
            return Verdict(criterion.name, equal=None, note="takes no edge types")
        classes = criterion.classes(self.union, self.graph_ptr, self.labels)
        groups = graph_classes(classes, self.graph_ptr)
        if groups[0] == groups[1]:
            return Verdict(criterion.name, equal=True)
        witnesses = _witnesses(classes, int(self.graph_ptr[1]), *self.graphs)
        return Verdict(criterion.name, equal=False, witnesses=witnesses)

    def folklore_verdict(self) -> Verdict:
        """Return the result of 2-FWL, or why it was not run."""
        sizes = np.diff(self.graph_ptr)
        if self.labels.edges is not None:  # every edge is a node
            sizes = sizes + [graph.num_edges for graph in self.graphs]
        if int((sizes**2).sum()) > MAX_PAIRS:
            return Verdict("2-FWL", equal=None, note="too many pairs of nodes")
        return self.verdict(named_criterion("2-fwl"))

    def rung_verdict(self, rung: str, radius: int | None) -> Verdict:
        """Return the result of one of R1 to R5, or why it was not run."""
        criterion = named_criterion(rung, radius)
        if self.union.directed is not None:
            return Verdict(criterion.name, equal=None, note="needs undirected graphs")
        if rung == "R3" and self.union.num_nodes > _MAX_PAIR_ROOTED:
            return Verdict(criterion.name, equal=None, note="too many pairs of nodes")
        work = sum(graph.num_nodes**2 * graph.num_edges for graph in self.graphs)
        if rung in ("R4", "R5") and work > _MAX_SEARCH:
            return Verdict(criterion.name, equal=None, note="too many searches")
        return self.verdict(criterion)

    def exact_verdict(self) -> Verdict:
        """Return whether the graphs are isomorphic, or which package is missing."""
        try:
            return Verdict("isomorphic", equal=isomorphic(*self.graphs, self.labels))
        except MissingExtraError as error:
            return Verdict("isomorphic", equal=None, note=str(error))


def _witnesses(classes: Int64s, split: int, first: Graph, second: Graph) -> tuple[Witness, ...]:
    """Return the classes whose sizes differ, the rarest first."""
    size = int(classes.max()) + 1
    counts = np.column_stack(
        [np.bincount(part, minlength=size) for part in (classes[:split], classes[split:])]
    )
    differing = np.flatnonzero(counts[:, 0] != counts[:, 1])
    order = differing[np.argsort(counts[differing].sum(axis=1), kind="stable")]
    witnesses = []
    for number in order.tolist():
        ids = [
            tuple(graph.node_ids[np.flatnonzero(part == number)[:_SHOWN]].tolist())
            for graph, part in ((first, classes[:split]), (second, classes[split:]))
        ]
        witnesses.append(Witness((int(counts[number, 0]), int(counts[number, 1])), ids[0], ids[1]))
        if len(witnesses) == _SHOWN:
            break
    return tuple(witnesses)

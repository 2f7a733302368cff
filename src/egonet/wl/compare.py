"""Comparison of two graphs: which tests distinguish them, by which nodes, and whether they are isomorphic."""

import importlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from egonet.encoding.settings import Settings, SettingsOptions, as_radius, as_settings
from egonet.errors import InputError, MissingExtraError
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.graph.union import disjoint_union
from egonet.notebook import html_table
from egonet.typing import Int64s
from egonet.wl.refine import MAX_PAIRS
from egonet.wl.tests import Criterion, Radius, graph_classes, named_criterion

#: Witnesses per verdict and ids per witness; the number of nodes above which R3 is not run.
_SHOWN = 3
_MAX_PAIR_ROOTED = 20_000
#: The largest nodes² · edges for searches with two marks: seconds where no symmetry helps.
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
        """Return both counts with some ids."""
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
    """

    test: str
    equal: bool | None
    witnesses: tuple[Witness, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """The results of all tests on two graphs; prints as a table.

    Attributes
    ----------
    sizes
        (nodes, edges) of the first and of the second graph.
    verdicts
        One per test, weaker tests first; the last is exact isomorphism.
    """

    sizes: tuple[tuple[int, int], tuple[int, int]]
    verdicts: tuple[Verdict, ...]

    def __getitem__(self, test: str) -> Verdict:
        """Return the verdict of one test by its name."""
        for verdict in self.verdicts:
            if verdict.test == test:
                return verdict
        raise InputError(
            f"no test is called {test!r}; the tests are {', '.join(v.test for v in self.verdicts)}."
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
        """Return the result in one sentence."""
        if self.isomorphic:
            return "The graphs are isomorphic."
        by = [verdict.test for verdict in self.verdicts[:-1] if verdict.equal is False]
        if by:
            return f"The graphs differ. The first test that distinguishes them is {by[0]}."
        if self.isomorphic is False:
            return "The graphs differ, but only the exact test distinguishes them."
        return "No test distinguishes the graphs; the exact test was not run."

    def __str__(self) -> str:
        """Return the verdict, then one line per test, with the rarest class that differs."""
        width = max(len(test) for test, _, _ in self._rows())
        lines = [f"{test:<{width}}  {result:<9}  {reason}".rstrip() for test, result, reason in self._rows()]
        return "\n".join([self.sentence, self._sizes(), *lines])

    def _repr_html_(self) -> str:
        """Return the verdict and the table for a notebook, with every id escaped."""
        header = ("test", "result", "nodes that differ")
        return html_table(self.sentence, self._rows(), header=header, note=self._sizes())

    def _sizes(self) -> str:
        (n1, m1), (n2, m2) = self.sizes
        return f"{n1:,} nodes, {m1:,} edges against {n2:,} nodes, {m2:,} edges"

    def _rows(self) -> list[tuple[str, str, str]]:
        """Return the name, the result and the reason of every test."""
        result = {True: "equal", False: "different", None: "not run"}
        return [(verdict.test, result[verdict.equal], _reason(verdict)) for verdict in self.verdicts]


def equivalent(
    first: Any,
    second: Any,
    *,
    test: str | Settings = "1-wl",
    radius: Radius | None = None,
    refine: bool = False,
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

    Examples
    --------
    >>> import egonet
    >>> pair = egonet.named.decalin(), egonet.named.bicyclopentyl()
    >>> equivalent(*pair), equivalent(*pair, test="total", radius=2), equivalent(*pair, test="exact")
    (True, False, False)
    """
    pair = as_graph(first), as_graph(second)
    if isinstance(test, str) and test.lower() == "exact":
        if radius is not None or refine:
            raise InputError('test="exact" takes neither radius nor refine. Leave them out.')
        return isomorphic(*pair)
    criterion = named_criterion(test, radius)
    verdict = _verdict(criterion.with_refinement() if refine else criterion, *pair)
    return bool(verdict.equal)


def compare(first: Any, second: Any, **options: Unpack[SettingsOptions]) -> Comparison:
    """Return the results of all tests on two graphs: 1-WL, 2-FWL, encodings, R1 to R5, and exact isomorphism.

    Parameters
    ----------
    first, second
        Anything `as_graph` accepts.
    **options
        The fields of `Settings`. `radius` has the radii of the encodings, (1, 2) if not given: each alone, and all
        together; R1 to R4 use the largest. With other fields the table also has the encoding with these settings.

    Examples
    --------
    >>> import egonet
    >>> print(compare(egonet.named.shrikhande(), egonet.named.rook_4x4(), radius=1))
    The graphs differ. The first test that distinguishes them is R1 r=1.
    16 nodes, 48 edges against 16 nodes, 48 edges
    1-WL              equal
    2-FWL             equal
    total r=1         equal
    total r=1 + WL    equal
    layered r=1       equal
    layered r=1 + WL  equal
    full r=1          equal
    full r=1 + WL     equal
    R1 r=1            different  16 (0, 1, 2, …) against 0
    R2 r=1            different  16 (0, 1, 2, …) against 0
    R3 r=1            different  16 (0, 1, 2, …) against 0
    R4(1, marks=2)    different  16 (0, 1, 2, …) against 0
    R5(2)             different  16 (0, 1, 2, …) against 0
    isomorphic        different
    """
    pair = as_graph(first), as_graph(second)
    radii = as_radius(options.pop("radius", (1, 2)))
    choices: list[Radius] = [*radii, radii] if len(radii) > 1 else [radii[0]]
    verdicts = [_verdict(named_criterion("1-wl"), *pair), _folklore_verdict(*pair)]
    for kind in ("total", "layered", "full"):
        for chosen in choices:
            plain = named_criterion(kind, chosen)
            verdicts += [_verdict(criterion, *pair) for criterion in (plain, plain.with_refinement())]
    if options:
        verdicts.append(_verdict(named_criterion(as_settings(radii, options)), *pair))
    verdicts += [
        _rung_verdict(rung, max(radii), *pair) for rung in ("R1", "R2", "R3", "R4") if max(radii) > 0
    ]
    verdicts.append(_rung_verdict("R5", None, *pair))
    sizes = tuple((graph.num_nodes, graph.num_edges) for graph in pair)
    return Comparison((sizes[0], sizes[1]), (*verdicts, _exact_verdict(*pair)))


def _verdict(criterion: Criterion, first: Graph, second: Graph) -> Verdict:
    """Return the result of a test, with the classes that differ."""
    union, ptr = disjoint_union([first, second])
    classes = criterion.classes(union, ptr)
    groups = graph_classes(classes, ptr)
    if groups[0] == groups[1]:
        return Verdict(criterion.name, equal=True)
    return Verdict(criterion.name, equal=False, witnesses=_witnesses(classes, int(ptr[1]), first, second))


def _witnesses(classes: Int64s, split: int, first: Graph, second: Graph) -> tuple[Witness, ...]:
    """Return the classes whose sizes differ, the rarest first."""
    size = int(classes.max()) + 1
    counts = np.column_stack(
        [np.bincount(part, minlength=size) for part in (classes[:split], classes[split:])]
    )
    differing = np.flatnonzero(counts[:, 0] != counts[:, 1])
    order = differing[np.argsort(counts[differing].sum(axis=1), kind="stable")]
    found = []
    for number in order.tolist():
        ids = [
            tuple(graph.node_ids[np.flatnonzero(part == number)[:_SHOWN]].tolist())
            for graph, part in ((first, classes[:split]), (second, classes[split:]))
        ]
        found.append(Witness((int(counts[number, 0]), int(counts[number, 1])), ids[0], ids[1]))
        if len(found) == _SHOWN:
            break
    return tuple(found)


def _folklore_verdict(first: Graph, second: Graph) -> Verdict:
    """Return the result of 2-FWL, or why it was not run."""
    if first.num_nodes**2 + second.num_nodes**2 > MAX_PAIRS:
        return Verdict("2-FWL", equal=None, note="too many pairs of nodes")
    return _verdict(named_criterion("2-fwl"), first, second)


def _rung_verdict(rung: str, radius: int | None, first: Graph, second: Graph) -> Verdict:
    """Return the result of one of R1 to R5, or why it was not run."""
    criterion = named_criterion(rung, radius)
    if first.directed is not None or second.directed is not None:
        return Verdict(criterion.name, equal=None, note="needs undirected graphs")
    if rung == "R3" and first.num_nodes + second.num_nodes > _MAX_PAIR_ROOTED:
        return Verdict(criterion.name, equal=None, note="too many pairs of nodes")
    work = sum(graph.num_nodes**2 * graph.num_edges for graph in (first, second))
    if rung in ("R4", "R5") and work > _MAX_SEARCH:
        return Verdict(criterion.name, equal=None, note="too many searches")
    return _verdict(criterion, first, second)


def _exact_verdict(first: Graph, second: Graph) -> Verdict:
    """Return whether the graphs are isomorphic, or which package is missing."""
    try:
        return Verdict("isomorphic", equal=isomorphic(first, second))
    except MissingExtraError as error:
        return Verdict("isomorphic", equal=None, note=str(error))


def _reason(verdict: Verdict) -> str:
    """Return the rarest class that differs, or why a test was not run."""
    return str(verdict.witnesses[0]) if verdict.witnesses else verdict.note


def isomorphic(first: Graph, second: Graph) -> bool:
    """Return whether two graphs are equal up to a renaming of their nodes.

    Raises
    ------
    MissingExtraError
        If neither igraph nor networkx is installed and the degrees alone do not decide.

    Examples
    --------
    >>> isomorphic(Graph.from_edges([("a", "b")]), Graph.from_edges([(7, 9)]))
    True
    """
    if not np.array_equal(np.sort(first.degrees), np.sort(second.degrees)):
        return False
    if (first.directed is None) != (second.directed is None):
        return False
    igraph = _optional("igraph")
    if igraph is not None:
        return _by_igraph(igraph, first, second)
    networkx = _optional("networkx")
    if networkx is None:
        raise MissingExtraError('exact isomorphism needs an extra package: pip install "egonet[iso]".')
    return _by_networkx(networkx, first, second)


def _optional(name: str) -> Any:
    """Return a package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _by_igraph(igraph: Any, first: Graph, second: Graph) -> bool:
    """Return the answer of BLISS, or of VF2 for directed graphs."""
    pair = [
        igraph.Graph(n=graph.num_nodes, edges=_edges(graph), directed=graph.directed is not None)
        for graph in (first, second)
    ]
    test = pair[0].isomorphic_bliss if first.directed is None else pair[0].isomorphic_vf2
    return bool(test(pair[1]))


def _by_networkx(networkx: Any, first: Graph, second: Graph) -> bool:
    """Return the answer of VF2++, or of VF2 for directed graphs."""
    pair = []
    for graph in (first, second):
        copy = networkx.Graph() if graph.directed is None else networkx.DiGraph()
        copy.add_nodes_from(range(graph.num_nodes))
        copy.add_edges_from(_edges(graph).tolist())
        pair.append(copy)
    if first.directed is not None:
        return bool(networkx.is_isomorphic(*pair))
    return bool(networkx.vf2pp_is_isomorphic(*pair)) if first.num_nodes else True


def _edges(graph: Graph) -> np.ndarray[Any, Any]:
    """Return the edges (u < v) or arcs, shape (num_edges, 2)."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    kept = slice(None) if graph.directed is not None else source < graph.indices
    return np.column_stack([source[kept], graph.indices[kept]])

"""Tests that distinguish graphs, by name: each assigns a class to every node, and graphs are multisets of classes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from egonet.encoding.encode import encode
from egonet.encoding.settings import MAX_DEPTH, BinOptions, Settings, as_radius
from egonet.errors import InputError, show_value
from egonet.graph.graph import Graph
from egonet.typing import Degrees, Int64s
from egonet.wl.isomorphism import individualize, isomorphism_classes
from egonet.wl.refine import NO_LABELS, UnionLabels
from egonet.wl.refine import graph_classes as graph_classes

#: (disjoint union of graphs, first node of each graph, labels) → class per node.
Classify: TypeAlias = Callable[[Graph, Int64s, UnionLabels], Int64s]
Radius: TypeAlias = int | tuple[int, ...]

#: What each test looks at, by the first part of its name.
LOOKS_AT = {
    "1-WL": "colors of neighbors, repeated",
    "2-FWL": "colors of pairs, repeated",
    "total": "degrees around every node",
    "layered": "degrees by distance from node",
    "full": "degrees closer, same, farther",
    "R0": "degrees around every node",
    "R1": "links among common neighbors",
    "R2": "counts around every edge",
    "R3": "counts around every pair",
    "R4": "ego-networks with marked nodes",
    "R5": "the graph with marked nodes",
    "ball": "ego-networks, exactly",
    "isomorphic": "an exact one-to-one match",
}


@dataclass(frozen=True)
class Criterion:
    """A test of equality: it distinguishes graphs whose multisets of node classes differ.

    Attributes
    ----------
    name
        The name in tables.
    classify
        Returns one class per node of a disjoint union, comparable across its graphs.
    refined
        True if 1-WL then starts from these classes.
    takes_types
        Whether types of edges may be given.
    """

    name: str
    classify: Classify
    refined: bool = False
    takes_types: bool = True

    def classes(self, graph: Graph, graph_ptr: Int64s, labels: UnionLabels = NO_LABELS) -> Int64s:
        """Return the class of every node."""
        colors = self.classify(graph, graph_ptr, labels)
        return labels.refine(graph, colors) if self.refined else colors

    def with_refinement(self) -> "Criterion":
        """Return the same test with 1-WL started from its classes."""
        return replace(self, name=f"{self.name} + WL", refined=True)


def weisfeiler_leman() -> Criterion:
    """Return 1-WL.

    >>> import numpy as np
    >>> star = Graph.from_edges([(0, 1), (0, 2)])
    >>> weisfeiler_leman().classes(star, np.array([0, 3])).tolist()
    [0, 1, 1]
    """
    return Criterion("1-WL", lambda graph, _, labels: labels.refine(graph, labels.start(graph)))


def folklore() -> Criterion:
    """Return 2-FWL, which is as strong as 3-WL; the class of a node is the color of its pair with itself.

    That color determines the multiset of the colors of all pairs with the node, so nothing is lost.
    """
    return Criterion("2-FWL", lambda graph, graph_ptr, labels: labels.folklore(graph, graph_ptr))


def encoding(name: str, settings: Settings) -> Criterion:
    """Return the test that gives nodes with equal encodings the same class.

    >>> import numpy as np
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> encoding("total r=1", Settings(1)).classes(path, np.array([0, 3])).tolist()
    [0, 1, 0]
    """
    unbinned: Any = dict.fromkeys(BinOptions.__annotations__)
    plain = replace(settings, **unbinned)

    def classify(graph: Graph, _: Int64s, labels: UnionLabels) -> Int64s:
        return encode(graph, plain, labels=labels.nodes, edge_labels=labels.edges).classes

    return Criterion(name, classify, takes_types=not settings.is_nested and settings.count == "nodes")


def mark_test(marks: int, radius: int | None) -> Criterion:
    """Return R4, the search with some marks in ego-networks, or without a radius R5, in the whole graph.

    >>> import numpy as np
    >>> from egonet.graph.named import cycle
    >>> mark_test(2, None).classes(cycle(5), np.array([0, 5])).tolist()
    [0, 0, 0, 0, 0]
    """
    name = f"R5({marks})" if radius is None else f"R4({radius}, marks={marks})"

    def classify(graph: Graph, _: Int64s, labels: UnionLabels) -> Int64s:
        return individualize(graph, marks, radius, labels=labels.nodes, edge_labels=labels.edges).nodes

    return Criterion(name, classify)


def balls(radius: Radius) -> Criterion:
    """Return the isomorphism classes of rooted ego-networks: what any function of them can distinguish at best."""
    (hops,) = as_radius(radius)

    def classify(graph: Graph, _: Int64s, labels: UnionLabels) -> Int64s:
        return isomorphism_classes(graph, hops, None if labels.nodes is None else labels.start(graph))

    return Criterion(f"ball r={hops}", classify, takes_types=False)


_R4 = re.compile(r"r4(?:\((\d+)(?:, ?marks=(\d+))?\))?", re.IGNORECASE)
_R5 = re.compile(r"r5(?:\((\d+)\))?", re.IGNORECASE)


def _search_criterion(test: str, radius: Radius | None) -> Criterion:
    """Return R4 or R5 from a name such as "R4", "R4(2)", "R4(2, marks=3)", "R5" or "R5(3)"."""
    local, global_match = _R4.fullmatch(test), _R5.fullmatch(test)
    match = local or global_match
    if match is None:
        raise InputError(
            f'write "R4(2, marks=3)" for radius 2 and 3 marks, or "R5(3)" for 3 marks, got {show_value(test)}.'
        )
    if radius is not None and (local is None or local[1] is not None):
        raise InputError(
            f"test {show_value(test)} takes no other radius, got {show_value(radius)}. Leave radius out."
        )
    marks = int((local[2] if local else match[1]) or 2)
    if not 1 <= marks <= MAX_DEPTH:
        raise InputError(f"{show_value(test)} must set 1 to {MAX_DEPTH:,} marks, the root included.")
    if local is None:
        return mark_test(marks, None)
    radii = as_radius(int(local[1]) if local[1] else 2 if radius is None else radius)
    if len(radii) > 1:
        raise InputError(f"R4 takes one radius, got {radii}.")
    return mark_test(marks, radii[0])


def named_criterion(test: str | Settings, radius: Radius | None = None) -> Criterion:
    """Return the test of an encoding with settings, or a test by name.

    The names are 1-wl, 2-fwl, total, layered, full, R0 to R5 and ball, in any case. R4 and R5 may be followed by
    their arguments, as in "R4(2, marks=3)" and "R5(3)"; by default both set two marks.

    >>> named_criterion("full", 2).name, named_criterion("r2").name
    ('full r=2', 'R2')
    >>> named_criterion("R4", 1).name, named_criterion("R5(3)").name
    ('R4(1, marks=2)', 'R5(3)')
    >>> named_criterion(Settings(2, max_degree=3)).name
    'radius=2, max_degree=3'
    """
    if isinstance(test, Settings):
        if radius is not None:
            raise InputError(
                f"the radius is given twice: {test} and radius={show_value(radius)}. Leave one out."
            )
        return encoding(repr(test).removeprefix("Settings(").removesuffix(")"), test)
    if isinstance(test, str) and test[:2].lower() in ("r4", "r5"):
        return _search_criterion(test, radius)
    name = test.lower() if isinstance(test, str) else ""
    if name in ("1-wl", "2-fwl", "r0") and radius is not None:
        raise InputError(
            f"test {show_value(test)} takes no radius, got {show_value(radius)}. Leave radius out."
        )
    if name == "1-wl":
        return weisfeiler_leman()
    if name == "2-fwl":
        return folklore()
    chosen: Radius = (1, 2) if name == "r0" else 2 if radius is None else radius
    if name in ("total", "layered", "full"):
        return encoding(f"{name} r={radius_name(chosen)}", Settings(chosen, degrees=cast(Degrees, name)))
    if name in _LADDER:
        suffix = "" if radius is None or radius == 2 else f" r={radius_name(radius)}"
        return encoding(_LADDER[name][0] + suffix, Settings(chosen, **_LADDER[name][1]))
    if name == "ball":
        return balls(chosen)
    names = "'1-wl', '2-fwl', 'total', 'layered', 'full', 'R0' to 'R5', 'ball' and 'exact'"
    raise InputError(f"test must be one of {names}, got {show_value(test)}.")


_LADDER: dict[str, tuple[str, dict[str, Any]]] = {
    "r0": ("R0", {}),
    "r1": ("R1", {"degrees": "full", "common": True}),
    "r2": ("R2", {"rooted": "edge"}),
    "r3": ("R3", {"rooted": "pair"}),
}


def looks_at(test: str) -> str:
    """Return what a test looks at, in a few plain words; settings are said to be the given ones.

    >>> looks_at("R4(2, marks=2)"), looks_at("total r=2 + WL"), looks_at("radius=2, max_degree=3")
    ('ego-networks with marked nodes', 'degrees around every node, then 1-WL', 'the settings given')
    """
    words = LOOKS_AT.get(test.split()[0].split("(")[0], "the settings given")
    return f"{words}, then 1-WL" if test.endswith(" + WL") else words


def radius_name(radius: Radius) -> str:
    """Return one radius or several as written in the name of a test.

    >>> radius_name(2), radius_name((1, 2))
    ('2', '1,2')
    """
    return ",".join(map(str, as_radius(radius)))

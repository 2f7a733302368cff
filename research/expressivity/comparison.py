"""Which test distinguishes which graphs: every encoding, 1-WL, 2-FWL and other methods on five families."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from egonet import Graph, disjoint_union, named
from egonet.errors import MissingFileError
from egonet.typing import Int64s
from egonet.wl import Criterion, graph_classes, named_criterion
from research.expressivity import peers
from research.expressivity.families import Pairs, brec, exp, graph8c


@dataclass(frozen=True)
class Contender:
    """A test and how many pairs of a benchmark it takes at a time.

    Attributes
    ----------
    group
        "yardstick" (reference tests), "encoding", "ladder", "ceiling" (isomorphism of ego-networks) or "peer".
    criterion
        The test itself.
    pairs_at_once
        Pairs of graphs in one call: fewer where a test makes many copies of a graph.
    """

    group: str
    criterion: Criterion
    pairs_at_once: int = 1_000


@dataclass(frozen=True)
class Score:
    """What one test achieved.

    Attributes
    ----------
    name, group
        The test.
    graph8c
        Pairs of the 61,788,286 that stay equal.
    sr25
        Pairs of the 105 distinguished.
    exp
        Pairs of the 600 distinguished, or None without the data.
    brec
        Pairs distinguished per category, or None without the data.
    seconds
        Time of the processor for all families together.
    csl
        Pairs of the 45 of CSL distinguished.
    brec_ms
        Milliseconds of the processor per graph of BREC, or None without the data.
    """

    name: str
    group: str
    graph8c: int
    sr25: int
    exp: int | None
    brec: dict[str, int] | None
    seconds: float
    csl: int | None = None
    brec_ms: float | None = None

    @property
    def brec_total(self) -> int | None:
        """Return the pairs of BREC distinguished, of 400."""
        return None if self.brec is None else sum(self.brec.values())


@dataclass(frozen=True)
class Published:
    """A figure others have published for BREC: their networks were trained, so that they may miss pairs.

    Attributes
    ----------
    name
        The method.
    brec
        Pairs distinguished: Basic of 60, Regular (all kinds) of 140, Extension and CFI of 100.
    trained
        True if a network was trained; False for an exact comparison.
    note
        What the figure leaves out.
    """

    name: str
    brec: tuple[int, int, int, int]
    trained: bool = True
    note: str = ""


SOURCE = (
    "Wang, Zhang, An Empirical Study of Realized GNN Expressiveness, ICML 2024, table 2 (its Regular column has "
    "simple regular, strongly regular, 4-node condition and distance-regular pairs together)"
)
PUBLISHED = (
    Published("3-WL", (60, 50, 100, 60), trained=False),
    Published("SPD-WL", (16, 14, 41, 12), trained=False),
    Published("S3", (52, 48, 5, 0), trained=False),
    Published("S4", (60, 99, 84, 0), trained=False),
    Published(
        "N1",
        (60, 99, 85, 0),
        trained=False,
        note="isomorphism of ego-networks of radius 1 with 1-WL on top, its definition, gives 59, 119, 67 and 0 here",
    ),
    Published("N2", (60, 138, 100, 0), trained=False),
    Published("M1", (60, 50, 100, 41), trained=False),
    Published("NGNN", (59, 48, 59, 0)),
    Published("SUN", (60, 50, 100, 13)),
    Published("PPGN", (60, 50, 100, 23)),
    Published("δ-k-LGNN", (60, 50, 100, 6)),
    Published("GSN", (60, 99, 95, 0)),
    Published("KP-GNN", (60, 106, 98, 11)),
    Published(
        "I²-GNN",
        (60, 100, 100, 21),
        note="not run on the 20 pairs with the 4-vertex condition and 40 CFI pairs",
    ),
    Published("Graphormer", (16, 12, 41, 10)),
)
SEARCHES = (
    *(
        "R4(1, marks=2)",
        "R4(2, marks=1)",
        "R4(2, marks=2)",
        "R4(2, marks=3)",
        "R4(3, marks=2)",
        "R4(3, marks=3)",
    ),
    *("R5(1)", "R5(2)", "R5(3)", "R5(4)"),
)


def contenders() -> list[Contender]:
    """Return every test of the table, in its order; encodings and rungs alone and with 1-WL on top.

    Examples
    --------
    >>> [contender.criterion.name for contender in contenders()][:4]
    ['1-WL', '2-FWL', 'total r=1', 'total r=1 + WL']
    """
    listed = [
        Contender("yardstick", named_criterion("1-wl")),
        Contender("yardstick", named_criterion("2-fwl"), pairs_at_once=1),
    ]
    plain: list[tuple[str, Criterion]] = [
        ("encoding", named_criterion("total", radius)) for radius in (1, 2, 3, (1, 2))
    ]
    plain += [("encoding", named_criterion(kind, 2)) for kind in ("layered", "full")]
    plain += [("ladder", named_criterion(rung)) for rung in ("R1", "R2", "R3")]
    for group, criterion in plain:
        listed += [Contender(group, criterion), Contender(group, criterion.with_refinement())]
    listed += [Contender("ladder", named_criterion(test), pairs_at_once=1) for test in SEARCHES]
    listed += [
        Contender("ceiling", named_criterion("ball", radius), pairs_at_once=50) for radius in (1, 2, 3)
    ]
    return listed + [Contender("peer", criterion, pairs) for criterion, pairs in _peers()]


def _peers() -> Iterator[tuple[Criterion, int]]:
    """Yield the methods of others, and how many pairs each takes at a time."""
    yield from ((peers.khop_wl(hops), 100) for hops in (2, 3))
    yield from ((peers.marked_root(radius), 100) for radius in (1, 2, 3))
    yield from ((peers.marked_edge(radius), 10) for radius in (1, 2))
    yield from ((peers.as_kernel(2, context=context), 50) for context in (False, True))
    yield from ((peers.ego_gnn(radius), 100) for radius in (1, 2))
    yield from ((peers.ego_bag(2, flag=flag), 50) for flag in (False, True))
    yield peers.distance_encoding(), 50
    yield peers.substructure_counts(), 400
    yield peers.random_walks(16), 100
    yield peers.laplacian(8), 100


@dataclass(frozen=True)
class Families:
    """The graphs of the table: three families compared all against all, and two of pairs.

    Attributes
    ----------
    graph8c, sr25, csl
        The disjoint union of several graphs, and where each begins.
    exp, brec
        Pairs, or None without the data folder.
    """

    graph8c: tuple[Graph, Int64s]
    sr25: tuple[Graph, Int64s]
    exp: Pairs | None
    brec: Pairs | None
    csl: tuple[Graph, Int64s]


def load_families() -> Families:
    """Return the five families; EXP and BREC need EGONET_DATA and are None without it."""
    whole = [disjoint_union(family()) for family in (graph8c, named.sr25, named.circulant_skip_links)]
    return Families(whole[0], whole[1], _if_there(exp), _if_there(brec), whole[2])


def measure(contender: Contender, families: Families) -> Score:
    """Return what one test achieves on every family."""
    began = time.process_time()
    criterion = contender.criterion
    equal = [
        equal_pairs(graph_classes(criterion.classes(*family), family[1]))
        for family in (families.graph8c, families.sr25, families.csl)
    ]
    apart = None if families.exp is None else int(distinguished_pairs(contender, families.exp).sum())
    by_category = cost = None
    if families.brec is not None:
        before = time.process_time()
        found = distinguished_pairs(contender, families.brec)
        cost = round(1000 * (time.process_time() - before) / len(families.brec.graphs), 3)
        ranges = families.brec.categories.items()
        by_category = {name: int(found[first:last].sum()) for name, (first, last) in ranges}
    seconds = round(time.process_time() - began, 2)
    return Score(
        criterion.name,
        contender.group,
        equal[0],
        105 - equal[1],
        apart,
        by_category,
        seconds,
        45 - equal[2],
        cost,
    )


def distinguished_pairs(contender: Contender, pairs: Pairs) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for every pair whether the test distinguishes its graphs."""
    apart = np.zeros(pairs.num_pairs, dtype=bool)
    for first in range(0, pairs.num_pairs, contender.pairs_at_once):
        last = min(pairs.num_pairs, first + contender.pairs_at_once)
        union, ptr = disjoint_union(list(pairs.graphs[2 * first : 2 * last]))
        groups = graph_classes(contender.criterion.classes(union, ptr), ptr)
        apart[first:last] = groups[0::2] != groups[1::2]
    return apart


def run(
    chosen: Sequence[Contender] | None = None, *, report: Callable[[Score], None] | None = None
) -> list[Score]:
    """Return the whole table, row by row; `report` is called with every finished row."""
    families = load_families()
    scores = []
    for contender in contenders() if chosen is None else chosen:
        scores.append(measure(contender, families))
        if report is not None:
            report(scores[-1])
    return scores


def as_json(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the table, the published figures and their source as plain values."""
    return {
        "graph8c": "pairs of 61,788,286 that stay equal",
        "sr25": "pairs of 105 distinguished",
        "csl": "pairs of 45 distinguished",
        "exp": "pairs of 600 distinguished",
        "brec": "pairs of 400 distinguished, by category",
        "brec_ms": "milliseconds of the processor per graph of BREC",
        "seconds": "seconds of the processor for all families",
        "tolerance": peers.TOLERANCE,
        "scores": [asdict(score) | {"brec_total": score.brec_total} for score in scores],
        "published": {"source": SOURCE, "figures": [asdict(figure) for figure in PUBLISHED]},
    }


def _if_there(read: Callable[[], Pairs]) -> Pairs | None:
    try:
        return read()
    except MissingFileError:
        return None


def equal_pairs(groups: Int64s) -> int:
    """Return how many pairs of graphs have the same number.

    Examples
    --------
    >>> equal_pairs(np.array([0, 0, 1, 0]))
    3
    """
    sizes = np.bincount(groups)
    return int((sizes * (sizes - 1) // 2).sum())

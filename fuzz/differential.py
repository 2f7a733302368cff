"""Random rows of every kind against definitions written from the pages alone, with sets and dictionaries.

Nothing here reads a kernel, its reference or an internal module: graphs are adjacency sets, searches are breadth-first,
and windows are filters of a list. `python -m fuzz rows --rows 1000000` prints how many rows of every kind were equal.
"""

import contextlib
import tempfile
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import egonet

Node = Hashable
Arc = tuple[Any, Any]
Row = dict[tuple[Any, ...], int]
UNREACHED = 10**9


@dataclass
class Plain:
    """A graph as adjacency sets: `arcs_out` and `arcs_in` keep direction, `labels` names nodes (edge types too).

    Attributes
    ----------
    step
        2 if edges are nodes, so that a radius of r is 2 r steps; else 1.
    is_reversed
        Whether arcs are followed backwards (directed="in"), so that both sets are exchanged.
    """

    arcs_out: dict[Any, set[Any]] = field(default_factory=dict)
    arcs_in: dict[Any, set[Any]] = field(default_factory=dict)
    labels: dict[Any, Any] = field(default_factory=dict)
    ids: list[Any] = field(default_factory=list)
    step: int = 1
    is_reversed: bool = False

    def add_node(self, node: Any) -> None:
        """Add a node without edges, unless the graph has it."""
        self.arcs_out.setdefault(node, set())
        self.arcs_in.setdefault(node, set())

    def add_arc(self, source: Any, target: Any) -> None:
        """Add an arc; loops are dropped, repeats are one arc."""
        self.add_node(source)
        self.add_node(target)
        if source != target:
            self.arcs_out[source].add(target)
            self.arcs_in[target].add(source)

    def reverse(self) -> "Plain":
        """Return the graph with every arc turned around."""
        return Plain(self.arcs_in, self.arcs_out, self.labels, self.ids, self.step, True)

    def without(self, arcs: Iterable[Arc]) -> "Plain":
        """Return a copy without some arcs."""
        copy = Plain(
            {node: set(others) for node, others in self.arcs_out.items()},
            {node: set(others) for node, others in self.arcs_in.items()},
            self.labels,
            self.ids,
            self.step,
            self.is_reversed,
        )
        for source, target in arcs:
            copy.arcs_out[source].discard(target)
            copy.arcs_in[target].discard(source)
        return copy


def plain_graph(
    num_nodes: int,
    edges: list[Arc],
    *,
    directed: bool,
    types: list[Any] | None,
    labels: list[Any] | None,
) -> Plain:
    """Return the graph of edges given as users give them: undirected edges have both arcs."""
    graph = Plain(ids=list(range(num_nodes)), step=2 if types else 1)
    for node in range(num_nodes):
        graph.add_node(node)
        if labels:
            graph.labels[node] = labels[node]
    for position, (u, v) in enumerate(edges):
        if u == v:
            continue
        ends = (u, v) if directed else (min(u, v), max(u, v))
        if types is None:
            chain = [ends[0], ends[1]]
        else:
            middle = ("edge", *ends, types[position])
            graph.labels[middle] = types[position]
            chain = [ends[0], middle, ends[1]]
        for source, target in pairwise(chain):
            graph.add_arc(source, target)
            if not directed:
                graph.add_arc(target, source)
    return graph


def distances(neighbors: Callable[[Any], set[Any]], start: Any, limit: int) -> dict[Any, int]:
    """Return the distance of every node within `limit` steps of `start`."""
    reached, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        if reached[node] == limit:
            continue
        for other in neighbors(node):
            if other not in reached:
                reached[other] = reached[node] + 1
                queue.append(other)
    return reached


@dataclass(frozen=True)
class Form:
    """What is counted: the settings of the pages."""

    radius: tuple[int, ...] = (1,)
    degrees: str = "total"
    follow: str = "any"
    frontier_edges: bool = True
    max_degree: int | None = None
    degree_bins: str | None = None

    def shorten(self, degree: int) -> int:
        """Return the degree as keys have it: at most `max_degree`, then the lowest of its bin."""
        if self.max_degree is not None:
            degree = min(degree, self.max_degree)
        if self.degree_bins == "log" and degree:
            degree = 2 ** (degree.bit_length() - 1)
        return degree

    def neighbors(self, graph: Plain) -> Callable[[Any], set[Any]]:
        """Return the function from a node to the nodes one step away."""
        if self.degrees == "in_out" and self.follow == "any":
            return lambda node: graph.arcs_out[node] | graph.arcs_in[node]
        if self.follow == "in":
            return lambda node: graph.arcs_in[node]
        return lambda node: graph.arcs_out[node]


def degree_key(form: Form, graph: Plain, node: Any, near: dict[Any, int], limit: int) -> tuple[int, ...]:
    """Return the degrees of a node inside the nodes of `near`, whose values are distances."""
    at = near[node]
    if form.degrees == "in_out":
        incoming = [other for other in graph.arcs_in[node] if other in near]
        outgoing = [other for other in graph.arcs_out[node] if other in near]
        groups = [incoming, outgoing]
    else:
        inside = [other for other in form.neighbors(graph)(node) if other in near]
        closer = [other for other in inside if near[other] < at]
        same = [other for other in inside if near[other] == at]
        farther = [other for other in inside if near[other] > at]
        groups = {"total": [inside], "layered": [same, farther], "full": [closer, same, farther]}[
            form.degrees
        ]
    if not form.frontier_edges and at == limit:
        groups = [[other for other in group if near[other] != limit] for group in groups]
    return tuple(form.shorten(len(group)) for group in groups)


def with_label(graph: Plain, node: Any, key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the key with the label of the node at its end, if the node has one."""
    return (*key, graph.labels[node]) if node in graph.labels else key


def node_row(form: Form, graph: Plain, root: Any) -> Row:
    """Return the row of a node: every node within the radius, by distance, degrees inside and label."""
    row: Counter[tuple[Any, ...]] = Counter()
    for radius in form.radius:
        limit = radius * graph.step
        near = distances(form.neighbors(graph), root, limit)
        for node, at in near.items():
            # Radius 0 is the root with its degree in the whole graph.
            inside = near if limit else {other: int(other != root) for other in graph.arcs_out}
            key = with_label(graph, node, (at, *degree_key(form, graph, node, inside, limit or 1)))
            row[key if len(form.radius) == 1 else (radius, *key)] += 1
    return dict(row)


def pair_row(
    form: Form,
    graph: Plain,
    pair: Arc,
    *,
    directed: bool,
    ordered: bool = False,
    without_edge: bool = True,
    ends: int | None = None,
) -> Row:
    """Return the row of a pair: every node within the radius of one of both, by both distances and degrees."""
    u, v = pair
    if without_edge:
        start, goal = (v, u) if graph.is_reversed else (u, v)
        if graph.step == 1:
            cut = [(start, goal)] if directed else [(u, v), (v, u)]
        else:
            middles = [m for m in graph.arcs_out[start] & graph.arcs_in[goal] if isinstance(m, tuple)]
            cut = [arc for m in middles for arc in ((start, m), (m, goal))]
            if not directed:
                cut += [(target, source) for source, target in cut]
        rest = graph.without(cut)
        if graph.step == 2:
            for middle in middles:
                del rest.arcs_out[middle], rest.arcs_in[middle]
    else:
        rest = graph
    neighbors = form.neighbors(rest)
    row: Counter[tuple[Any, ...]] = Counter()
    for radius in form.radius:
        limit = radius * rest.step
        from_u, from_v = distances(neighbors, u, limit), distances(neighbors, v, limit)
        near = {
            node: min(from_u.get(node, UNREACHED), from_v.get(node, UNREACHED))
            for node in {**from_u, **from_v}
        }
        for node in near:
            both = [min(from_u.get(node, UNREACHED), limit + 1), min(from_v.get(node, UNREACHED), limit + 1)]
            if not (ordered or directed):
                both.sort()
            key = with_label(rest, node, (*both, *degree_key(form, rest, node, near, limit)))
            row[key if len(form.radius) == 1 else (radius, *key)] += 1
    if ends is not None:
        start, goal = (v, u) if directed and not graph.is_reversed else (u, v)
        between = distances(lambda node: rest.arcs_out[node], start, ends * rest.step).get(goal)
        if between is not None:
            row["ends", between // rest.step] = 1
    return dict(row)


@dataclass
class Case:
    """A random graph with everything its edges and nodes carry, and settings that go with it."""

    num_nodes: int
    edges: list[Arc]
    directed: str | None
    types: list[Any] | None
    labels: list[Any] | None
    form: Form

    @property
    def plain(self) -> Plain:
        """Return the graph as adjacency sets."""
        directed = self.directed is not None
        graph = plain_graph(
            self.num_nodes, self.edges, directed=directed, types=self.types, labels=self.labels
        )
        return graph.reverse() if self.directed == "in" and self.form.degrees != "in_out" else graph

    @property
    def reading(self) -> dict[str, Any]:
        """Return how the edges are read: the keywords of `encode` that are not settings."""
        directed = self.directed or False
        words: dict[str, Any] = {"num_nodes": self.num_nodes, "simplify": True, "directed": directed}
        if self.types:
            words["edge_labels"] = self.types
        if self.labels:
            words["labels"] = self.labels
        return words

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings as keywords, without those that have their default."""
        default = Form()
        return {"radius": self.form.radius} | {
            name: getattr(self.form, name)
            for name in ("degrees", "follow", "frontier_edges", "max_degree", "degree_bins")
            if getattr(self.form, name) != getattr(default, name)
        }


def draw_edges(rng: Random, num_nodes: int) -> list[Arc]:
    """Return random edges of one of four kinds, with loops and repeats, in any order."""
    kind = rng.randrange(4)
    if kind == 0:
        edges = [(rng.randrange(num_nodes), rng.randrange(num_nodes)) for _ in range(2 * num_nodes)]
    elif kind == 1:
        chance = rng.random()
        edges = [(u, v) for u in range(num_nodes) for v in range(u) if rng.random() < chance]
    elif kind == 2:
        edges = [(node, rng.randrange(node)) for node in range(1, num_nodes)]
        edges += [(rng.randrange(num_nodes), rng.randrange(num_nodes)) for _ in range(3)]
    else:
        width = rng.randrange(2, 5)
        edges = [(node, node + 1) for node in range(num_nodes - 1) if (node + 1) % width]
        edges += [(node, node + width) for node in range(num_nodes - width)]
    edges += [rng.choice(edges) for _ in range(rng.randrange(3)) if edges]
    edges = [edge if rng.random() < 0.5 else edge[::-1] for edge in edges]
    rng.shuffle(edges)
    return edges


def draw_case(rng: Random, **fixed: Any) -> Case:
    """Return a random graph with random settings; `fixed` sets some fields of the form."""
    num_nodes = rng.randrange(1, 16)
    edges = draw_edges(rng, num_nodes)
    radii = rng.choice([(0,), (1,), (1,), (2,), (2,), (3,), (1, 2), (2, 1), (0, 3), (1, 2, 3)])
    degrees = rng.choice(["total", "total", "layered", "full", "in_out"])
    directed = rng.choice(["out", "in"]) if degrees == "in_out" or rng.random() < 0.4 else None
    form = Form(
        radius=radii,
        degrees=degrees,
        follow=rng.choice(["any", "out", "in"]) if degrees == "in_out" else "any",
        frontier_edges=rng.random() < 0.8,
        max_degree=rng.choice([None, None, None, 2, 3]),
        degree_bins=rng.choice([None, None, "log"]),
    )
    form = Form(**{**form.__dict__, **fixed})
    types = [rng.choice(["a", "b", "c"]) for _ in edges] if rng.random() < 0.3 else None
    labels = [rng.choice(["x", "y"]) for _ in range(num_nodes)] if rng.random() < 0.4 else None
    return Case(num_nodes, edges, directed, types, labels, form)


@dataclass
class Tally:
    """How many rows of every kind were equal, and the rows that were not."""

    rows: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def compare(self, kind: str, name: Any, row: Row, expected: Row, case: Any) -> None:
        """Count one row, or keep what differs."""
        self.rows[kind] += 1
        if row != expected and len(self.differences) < 20:
            self.differences.append(f"{kind} {name!r} of {case}:\n  egonet {row}\n  expected {expected}")

    def add(self, kind: str, is_equal: bool, name: Any, values: Any, case: Any) -> None:
        """Count one row that was compared elsewhere, or keep the values that differ."""
        self.rows[kind] += 1
        if not is_equal and len(self.differences) < 20:
            self.differences.append(f"{kind} {name!r} of {case}:\n  {values}")


def check_nodes(rng: Random, tally: Tally) -> None:
    """Compare the row of every node, in memory and in batches."""
    case = draw_case(rng)
    encoding = egonet.encode(case.edges, **case.settings, **case.reading)
    plain = case.plain
    for node in range(case.num_nodes):
        tally.compare("node", node, encoding[node], node_row(case.form, plain, node), case)


def draw_pairs(rng: Random, case: Case) -> list[Arc]:
    """Return pairs of different nodes, some of them edges, with repeats."""
    pairs = [edge for edge in case.edges if edge[0] != edge[1]]
    pairs += [(rng.randrange(case.num_nodes), rng.randrange(case.num_nodes)) for _ in range(10)]
    pairs = [(u, v) for u, v in pairs if u != v]
    rng.shuffle(pairs)
    return pairs[:15]


def check_pairs(rng: Random, tally: Tally) -> None:
    """Compare rows of pairs."""
    case = draw_case(rng, frontier_edges=True)
    pairs = draw_pairs(rng, case)
    if not pairs:
        return
    words: dict[str, Any] = {"ordered": rng.random() < 0.3, "without_edge": rng.random() < 0.7}
    ends = rng.choice([None, 1, 3, 6]) if words["without_edge"] else None
    encoding = egonet.encode_pairs(
        case.edges, pairs, **case.settings, **case.reading, **words, ends_distance=ends
    )
    plain = case.plain
    for pair in pairs:
        expected = pair_row(case.form, plain, pair, directed=case.directed is not None, ends=ends, **words)
        tally.compare("pair", pair, encoding[pair], expected, (case, words, ends))


def check_edges(rng: Random, tally: Tally) -> None:
    """Compare the row of every edge, in the order given."""
    case = draw_case(rng, frontier_edges=True)
    if not case.edges:
        return
    encoding = egonet.encode_edges(case.edges, **case.settings, **case.reading)
    plain = case.plain
    order = {("same order",): int([tuple(edge) for edge in encoding] == case.edges)}
    tally.compare("edge", "order", order, {("same order",): 1}, case)
    for edge in case.edges:
        expected = (
            pair_row(case.form, plain, edge, directed=case.directed is not None) if edge[0] != edge[1] else {}
        )
        tally.compare("edge", edge, encoding[edge], expected, case)


def check_batches(rng: Random, tally: Tally) -> None:
    """Compare rows of batches of nodes, in an order of their own, as engines ask for them."""
    case = draw_case(rng)
    graph = egonet.as_graph(case.edges, **case.reading)
    batches = egonet.distributed.RowBatches(graph, **case.settings)
    names = egonet.encode(case.edges, **case.settings, **case.reading)
    nodes = [rng.randrange(case.num_nodes) for _ in range(8)]
    table = batches(nodes).to_pydict()
    plain = case.plain
    for node, features, counts in zip(nodes, table["feature"], table["count"], strict=True):
        by_name = dict(zip(names.feature_names, names.vocabulary.columns, strict=True))
        row = {by_name[name]: count for name, count in zip(features, counts, strict=True)}
        tally.compare("batch", node, row, node_row(case.form, plain, node), case)


def check_stores(rng: Random, tally: Tally) -> None:
    """Compare rows of a store on disk with blocks of a few rows, and rows after an update."""
    case = draw_case(rng, follow="any")
    if case.form.degrees == "in_out":
        return
    with tempfile.TemporaryDirectory() as folder:
        words = {name: value for name, value in case.reading.items() if name != "simplify"}
        graph = egonet.as_graph(case.edges, **case.reading) if case.edges else None
        if graph is None:
            return
        stored = egonet.store.encode(graph, Path(folder) / "store", **case.settings)
        plain = case.plain
        for node in range(case.num_nodes):
            tally.compare("store", node, stored[node], node_row(case.form, plain, node), (case, words))


@dataclass
class Events:
    """Random events with ties, loops and repeats, and how they are counted."""

    events: list[tuple[Any, ...]]
    window: int | None
    closed: str
    directed: str | None
    typed: bool
    form: Form

    def known(self, time: int) -> list[tuple[Any, ...]]:
        """Return the events that a query at `time` uses, by the rule of the page."""
        first = -UNREACHED if self.window is None else time - self.window
        if self.closed == "left":
            return [event for event in self.events if first <= event[2] < time]
        return [event for event in self.events if first < event[2] <= time]

    def plain(self, time: int) -> Plain:
        """Return the graph of the events that a query uses; every node of the stream is in it."""
        events = self.known(time)
        directed = self.directed is not None or self.form.degrees == "in_out"
        graph = plain_graph(
            9,
            [event[:2] for event in events],
            directed=directed,
            types=[event[3] for event in events] if self.typed else None,
            labels=None,
        )
        graph.step = 2 if self.typed else 1
        return graph.reverse() if self.directed == "in" else graph


def draw_events(rng: Random) -> Events:
    """Return random events in order of time."""
    times = sorted(rng.randrange(20) for _ in range(rng.randrange(1, 30)))
    typed = rng.random() < 0.3
    events: list[tuple[Any, ...]] = [
        (rng.randrange(9), rng.randrange(9), time, *([rng.choice("ab")] if typed else [])) for time in times
    ]
    degrees = rng.choice(["total", "layered", "full", "in_out"])
    form = Form(
        radius=rng.choice([(0,), (1,), (2,), (1, 2)]),
        degrees=degrees,
        follow=rng.choice(["any", "out", "in"]) if degrees == "in_out" else "any",
        frontier_edges=rng.random() < 0.8,
        max_degree=rng.choice([None, None, 2]),
        degree_bins=rng.choice([None, None, "log"]),
    )
    directed = rng.choice([None, None, "out", "in"]) if degrees != "in_out" else None
    return Events(events, rng.choice([None, 3, 7]), rng.choice(["left", "right"]), directed, typed, form)


def event_settings(drawn: Events) -> egonet.Settings:
    """Return the settings as a record."""
    names = ("radius", "degrees", "follow", "frontier_edges", "max_degree", "degree_bins")
    return egonet.Settings(**{name: getattr(drawn.form, name) for name in names})


def check_time(rng: Random, tally: Tally) -> None:
    """Compare rows as of a time, of nodes and of pairs."""
    drawn = draw_events(rng)
    words: dict[str, Any] = {"window": drawn.window, "closed": drawn.closed, "directed": drawn.directed}
    if drawn.typed:
        words["edge_labels"] = [event[3] for event in drawn.events]
    events = [event[:3] for event in drawn.events]
    encoder = egonet.TemporalEncoder(events, event_settings(drawn), **words)
    seen = sorted({node for event in events for node in event[:2]})
    queries = [(rng.choice(seen), rng.randrange(22)) for _ in range(8)]
    for query in queries:
        row = encoder.fit([query]).encode([query])[query]
        tally.compare("time", query, row, node_row(drawn.form, drawn.plain(query[1]), query[0]), drawn)
    if not drawn.form.frontier_edges:
        return
    pairs = egonet.TemporalEncoder(events, event_settings(drawn), node=("u", "v"), **words)
    for _ in range(5):
        u, v = rng.choice(seen), rng.choice(seen)
        if u == v:
            continue
        query = (u, v, rng.randrange(22))
        row = pairs.fit([query]).encode([query])[query]
        directed = drawn.directed is not None or drawn.form.degrees == "in_out"
        expected = pair_row(drawn.form, drawn.plain(query[2]), (u, v), directed=directed)
        tally.compare("pair in time", query, row, expected, drawn)


def check_streams(rng: Random, tally: Tally) -> None:
    """Compare rows of a stream that gets its events in batches, is saved and opened in between, and is asked twice."""
    drawn = draw_events(rng)
    words: dict[str, Any] = {"window": drawn.window, "closed": drawn.closed, "directed": drawn.directed}
    if drawn.typed:
        words["edge_labels"] = "kind"
    stream = egonet.Stream(event_settings(drawn), **words)
    remaining = list(drawn.events)
    added = Events([], *list(drawn.__dict__.values())[1:])
    while remaining:
        size = rng.randrange(1, len(remaining) + 1)
        while size < len(remaining) and remaining[size][2] == remaining[size - 1][2]:
            size += 1
        batch, remaining = remaining[:size], remaining[size:]
        stream.add(batch)
        added.events += batch
        if rng.random() < 0.2:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "stream.npz"
                stream.save(path)
                stream = egonet.Stream.open(path)
        now = batch[-1][2]
        later = now + rng.randrange(1, 3) if not remaining or remaining[0][2] > now + 2 else now
        nodes = sorted({node for event in batch for node in event[:2]})
        encoding = stream.features(nodes, time=later)
        plain = added.plain(later)
        for node in nodes:
            tally.compare("stream", node, encoding[node], node_row(drawn.form, plain, node), (drawn, later))


def check_graphs(rng: Random, tally: Tally) -> None:
    """Compare rows per graph: sums of the rows of nodes, and bags of whole rows, by name and by size."""
    cases = [draw_case(rng, follow="any", degrees="full", frontier_edges=True) for _ in range(3)]
    form = cases[0].form
    graphs, plains = [], []
    for case in cases:
        case.form, case.directed, case.types = form, None, None
        case.labels = case.labels or ["x"] * case.num_nodes
        graphs.append((egonet.as_graph(case.edges, num_nodes=case.num_nodes, simplify=True), case.labels))
        plains.append(case.plain)
    sums = egonet.GraphEncoder(labeled=True, sparse_output=False, **cases[0].settings)
    matrix = sums.fit_transform(graphs)
    for row, plain in zip(matrix, plains, strict=True):
        expected: Counter[tuple[Any, ...]] = Counter()
        for node in plain.ids:
            expected.update(node_row(form, plain, node))
        columns = zip(sums.vocabulary_.columns, row, strict=True)
        counted = {key: int(value) for key, value in columns if value}
        tally.compare("graph", "sum", counted, dict(expected), cases)
    bag = egonet.GraphEncoder(labeled=True, aggregate="bag", sparse_output=False, **cases[0].settings)
    matrix = bag.fit_transform(graphs)
    for row, plain in zip(matrix, plains, strict=True):
        expected_sizes: Counter[tuple[Any, ...]] = Counter()
        for radius in form.radius:
            one = Form(**{**form.__dict__, "radius": (radius,)})
            whole = Counter(tuple(sorted(node_row(one, plain, node).items())) for node in plain.ids)
            expected_sizes.update(("class of", size) for size in whole.values())
        sizes = Counter(("class of", int(value)) for value in row if value)
        tally.compare("graph", "bag", dict(sizes), dict(expected_sizes), cases)


def bin_name(value: int, limits: list[int]) -> str:
    """Return the type of an amount: the bin between two limits, its lower limit included."""
    if value < limits[0]:
        return f"below{limits[0]}"
    for low, high in pairwise(limits):
        if value < high:
            return f"{low}to{high}"
    return f"{limits[-1]}plus"


def check_amounts(rng: Random, tally: Tally) -> None:
    """Compare rows of amounts in bins with rows of types that were made here from the same amounts."""
    case = draw_case(rng)
    if not case.edges:
        return
    limits = sorted(rng.sample(range(1, 9), rng.randrange(1, 4)))
    amounts = [rng.randrange(10) for _ in case.edges]
    case.types = [bin_name(amount, limits) for amount in amounts]
    words = {name: value for name, value in case.reading.items() if name != "edge_labels"}
    encoding = egonet.encode(case.edges, **case.settings, **words, weights=amounts, weight_bins=limits)
    plain = case.plain
    for node in range(case.num_nodes):
        tally.compare("amounts", node, encoding[node], node_row(case.form, plain, node), (case, amounts))


def edge_row(form: Form, graph: Plain, root: Any) -> Row:
    """Return the row of a node whose edges are counted: both distances, then the degrees of both ends."""
    row: Counter[tuple[Any, ...]] = Counter()
    for radius in form.radius:
        near = distances(form.neighbors(graph), root, radius)
        for u in near:
            for v in graph.arcs_out[u]:
                if v not in near or not u < v:
                    continue
                if not form.frontier_edges and near[u] == near[v] == radius:
                    continue
                ends = sorted((near[x], degree_key(form, graph, x, near, radius)) for x in (u, v))
                key = (ends[0][0], ends[1][0], *ends[0][1], *ends[1][1])
                row[key if len(form.radius) == 1 else (radius, *key)] += 1
    return dict(row)


def check_edge_counts(rng: Random, tally: Tally) -> None:
    """Compare rows that count the edges of ego-networks."""
    case = draw_case(rng, radius=rng.choice([(1,), (2,), (1, 2)]))
    if case.form.degrees == "in_out":
        return
    case.directed = case.types = case.labels = None
    encoding = egonet.encode(case.edges, **case.settings, **case.reading, count="edges")
    plain = case.plain
    for node in range(case.num_nodes):
        tally.compare("edges inside", node, encoding[node], edge_row(case.form, plain, node), case)


def check_statistics(rng: Random, tally: Tally) -> None:
    """Compare sums, minima, maxima and numbers of the values of nodes by distance."""
    case = draw_case(rng)
    case.types = case.labels = None
    values = [rng.randrange(-5, 100) for _ in range(case.num_nodes)]
    radius = rng.randrange(4)
    reading = {**case.reading, "directed": case.directed or False}
    result = egonet.ring_statistics(
        case.edges, values, radius, ["sum", "min", "max", "count"], on="nodes", **reading
    )
    plain = case.plain
    if case.form.degrees == "in_out" and case.directed == "in":
        plain = plain.reverse()
    for node in range(case.num_nodes):
        near = distances(lambda other: plain.arcs_out[other], node, radius)
        expected: dict[tuple[Any, ...], Any] = {}
        for ring in range(radius + 1):
            inside = [values[other] for other, at in near.items() if at == ring]
            expected[ring, "count"] = len(inside)
            if inside:
                expected[ring, "sum"] = sum(inside)
                expected[ring, "min"], expected[ring, "max"] = min(inside), max(inside)
        row = {}
        for ring in range(radius + 1):
            for name in ("sum", "min", "max", "count"):
                value = result[node].get(f"d{ring}_{name}", 0)
                if name == "count" or (ring, "sum") in expected:
                    row[ring, name] = value
        tally.compare("statistics", node, row, expected, (case, values, radius))


def check_updates(rng: Random, tally: Tally) -> None:
    """Compare the rows after several updates with rows of the graph that is left."""
    case = draw_case(rng, follow="any")
    if not case.edges or case.form.degrees == "in_out":
        return
    case.types = case.labels = case.directed = None
    encoding = egonet.encode(case.edges, **case.settings, **case.reading)
    edges = {frozenset(edge) for edge in case.edges if edge[0] != edge[1]}
    for _ in range(rng.randrange(1, 4)):
        pairs = (
            [frozenset(rng.sample(range(case.num_nodes), 2)) for _ in range(3)] if case.num_nodes > 1 else []
        )
        added = list({tuple(sorted(pair)) for pair in pairs if pair not in edges})
        removed = rng.sample(sorted(tuple(sorted(edge)) for edge in edges), min(2, len(edges)))
        encoding = encoding.update(added=added, removed=removed)
        edges = (edges | {frozenset(edge) for edge in added}) - {frozenset(edge) for edge in removed}
    case.edges = [tuple(sorted(edge)) for edge in edges]
    plain = case.plain
    for node in range(case.num_nodes):
        tally.compare("update", node, encoding[node], node_row(case.form, plain, node), case)


def check_forms(rng: Random, tally: Tally) -> None:
    """Compare the rows of one graph as a list, data frames, Arrow, CSV and Parquet, with text ids in another order."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    case = draw_case(rng)
    if not case.edges:
        return
    case.labels = None
    names = [f"n{number}" for number in rng.sample(range(100), case.num_nodes)]
    columns: dict[str, list[Any]] = {
        "source": [names[u] for u, _ in case.edges],
        "target": [names[v] for _, v in case.edges],
    }
    if case.types:
        columns["kind"] = case.types
    words = {name: value for name, value in case.reading.items() if name not in ("num_nodes", "edge_labels")}
    if case.types:
        words["edge_labels"] = "kind"
    frame = pd.DataFrame(columns)
    plain = case.plain
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "edges.csv", Path(folder) / "edges.parquet"
        frame.to_csv(csv, index=False)
        frame.to_parquet(parquet)
        for form in (frame, pl.DataFrame(columns), pa.table(columns), csv, parquet):
            data = (
                egonet.read_graph(form, **words) if isinstance(form, Path) else egonet.as_graph(form, **words)
            )
            encoding = egonet.encode(data, **case.settings)
            for node in sorted({node for edge in case.edges for node in edge}):
                expected = node_row(case.form, plain, node)
                tally.compare("forms of input", node, encoding[names[node]], expected, (case, type(form)))


CHECKS = (
    check_nodes,
    check_pairs,
    check_edges,
    check_batches,
    check_stores,
    check_time,
    check_streams,
    check_graphs,
    check_amounts,
    check_edge_counts,
    check_statistics,
    check_updates,
    check_forms,
)


def all_checks() -> tuple[Callable[[Random, Tally], None], ...]:
    """Return every comparison, those of the other modules included."""
    from fuzz import containers, engines, events, grid, options

    more = (*options.CHECKS, *grid.GRID, *engines.ENGINES, *containers.CONTAINERS)
    return (*CHECKS, events.check_events, *more)


def run(seed: int, rows: int, say: Callable[[str], None]) -> Tally:
    """Compare at least this many rows, every kind of call in turns; stop after twenty differences, or at Ctrl-C."""
    tally, number, start = Tally(), 0, time.monotonic()
    with contextlib.suppress(KeyboardInterrupt):
        while sum(tally.rows.values()) < rows and len(tally.differences) < 20:
            run_round(seed, number, tally)
            number += 1
            if number % 100 == 0:
                say(f"{sum(tally.rows.values()):,} rows in {time.monotonic() - start:.0f} s")
    return tally


def run_round(seed: int, number: int, tally: Tally) -> None:
    """Make every comparison once."""
    for check in all_checks():
        rng = Random(f"{seed} {number} {check.__name__}")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                check(rng, tally)
            except Exception as error:
                raise RuntimeError(f"seed {seed}, number {number}, {check.__name__}") from error

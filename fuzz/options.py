"""Random rows of younger options against definitions from the pages alone: ranks, colors, rings in time, engines.

Like `fuzz.differential`, nothing here reads a kernel, its reference or an internal module.
"""

import math
import tempfile
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import egonet
from egonet.errors import UnseenWarning
from fuzz.differential import (
    Case,
    Events,
    Form,
    Plain,
    Row,
    Tally,
    distances,
    draw_case,
    draw_edges,
    draw_events,
    draw_pairs,
    node_row,
    pair_row,
)

#: Ids of nodes 0, 1, 2, ...: as they are, text, negative, beyond 2^53, and tuples.
NAMES: tuple[Callable[[int], Any], ...] = (
    lambda node: node,
    lambda node: f"n{node}",
    lambda node: -7 * node - 1,
    lambda node: 2**61 + node,
    lambda node: ("row", node),
)


def close(value: float, expected: float, digits: int = 12) -> bool:
    """Return whether two numbers are equal up to rounding."""
    return bool(np.isclose(value, expected, rtol=10.0**-digits, atol=0, equal_nan=True))


def mid_rank(values: list[int], value: int) -> float:
    """Return the share of values that are lower, plus half the share of equal ones."""
    ordered = sorted(values)
    return (bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 / len(ordered)


def check_renamed(rng: Random, tally: Tally) -> None:
    """Compare rows of nodes, edges and pairs with other ids, and edges in another order."""
    case = draw_case(rng, frontier_edges=True)
    name = rng.choice(NAMES)
    order = rng.sample(range(len(case.edges)), len(case.edges))
    edges = [(name(case.edges[place][0]), name(case.edges[place][1])) for place in order]
    nodes = [name(node) for node in rng.sample(range(case.num_nodes), case.num_nodes)]
    words = {key: value for key, value in case.reading.items() if key != "num_nodes"}
    if case.types:
        words["edge_labels"] = [case.types[place] for place in order]
    if case.labels:
        words["labels"] = {name(node): label for node, label in enumerate(case.labels)}
    plain, directed = case.plain, case.directed is not None
    roots = rng.sample(range(case.num_nodes), rng.randrange(1, case.num_nodes + 1))
    encoding = egonet.encode(
        edges, **case.settings, **words, nodes=nodes, roots=[name(root) for root in roots], threads=2
    )
    for root in roots:
        tally.compare("renamed", root, encoding[name(root)], node_row(case.form, plain, root), case)
    ends = rng.choice([None, 2, 8])
    if edges:
        by_edge = egonet.encode_edges(
            edges, **case.settings, **words, nodes=nodes, ends_distance=ends, threads=2
        )
        for place in order:
            u, v = case.edges[place]
            if u != v:
                row = pair_row(case.form, plain, (u, v), directed=directed, ends=ends)
                tally.compare("renamed", (u, v), by_edge[name(u), name(v)], row, (case, ends))
    pairs = draw_pairs(rng, case)
    if pairs:
        asked = [(name(u), name(v)) for u, v in pairs]
        by_pair = egonet.encode_pairs(edges, asked, **case.settings, **words, nodes=nodes)
        for pair, ids in zip(pairs, asked, strict=True):
            row = pair_row(case.form, plain, pair, directed=directed)
            tally.compare("renamed", pair, by_pair[ids], row, case)


def in_columns(row: Row, columns: list[tuple[Any, ...]], unseen: str, has_labels: bool) -> Row:
    """Return a row in the columns of another graph: keys without one are left out, or moved to a lower one."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for key, count in row.items():
        if key in columns:
            counts[key] += count
        elif unseen == "clip":
            # Columns of the same distance and label; there is one radius.
            same = sorted(
                other for other in columns if other[0] == key[0] and (not has_labels or other[-1] == key[-1])
            )
            lower = [other for other in same if other < key]
            if same:
                counts[lower[-1] if lower else same[0]] += count
    return dict(counts)


def check_vocabulary(rng: Random, tally: Tally) -> None:
    """Compare rows in the columns of another graph."""
    radius = rng.randrange(3)
    first = draw_case(rng, follow="any", radius=(radius,))
    second = draw_case(rng)
    second.form = first.form
    first.types = second.types = None
    first.directed = second.directed = first.directed if first.form.degrees == "in_out" else None
    if (first.labels is None) != (second.labels is None):
        first.labels = second.labels = None
    learned = egonet.encode(first.edges, **first.settings, **first.reading)
    columns = list(learned.vocabulary.columns)
    unseen = rng.choice(["clip", "ignore"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)
        encoding = egonet.encode(
            second.edges, **second.reading, vocabulary=learned.vocabulary, unseen=unseen, threads=1
        )
    matrix = encoding.matrix.toarray()
    for node in range(second.num_nodes):
        whole = node_row(second.form, second.plain, node)
        expected = in_columns(whole, columns, unseen, second.labels is not None)
        row = {key: int(count) for key, count in zip(columns, matrix[node], strict=True) if count}
        tally.compare("vocabulary", node, row, expected, (first, second, unseen))


def check_weighted(rng: Random, tally: Tally) -> None:
    """Compare weighted counts, and ranks of degrees."""
    case = draw_case(rng)
    encoding = egonet.encode(case.edges, **case.settings, **case.reading)
    plain = case.plain
    rows = [node_row(case.form, plain, node) for node in range(case.num_nodes)]
    weighted = {how: encoding.weighted(how).toarray() for how in ("log", "paper", "rank")}
    for node, row in enumerate(rows):
        logs = {key: math.log2(1 + count) for key, count in row.items()}
        ranks = {key: mid_rank([other.get(key, 0) for other in rows], count) for key, count in row.items()}
        total = math.fsum(logs.values())
        shares = {key: value / total for key, value in logs.items()}
        for how, expected in (("log", logs), ("paper", shares), ("rank", ranks)):
            values = dict(zip(encoding.vocabulary.columns, weighted[how][node], strict=True))
            equal = all(close(value, expected.get(key, 0.0)) for key, value in values.items())
            tally.add("weighted", equal, (node, how), (values, expected), case)
    degrees = [len(plain.arcs_out[node]) for node in range(case.num_nodes)]
    if case.types is None and case.directed != "in":
        ranks_given = egonet.degree_rank(
            case.edges, num_nodes=case.num_nodes, simplify=True, directed=case.directed or False
        )
        for node, rank in enumerate(ranks_given.tolist()):
            tally.add("weighted", close(rank, mid_rank(degrees, degrees[node])), node, (rank, degrees), case)


def refine(graph: Plain, rounds: int) -> list[dict[Any, Any]]:
    """Return the color of every node after 0, 1, ... rounds, as nested tuples; a round is a step."""
    colors = [{node: repr(graph.labels.get(node)) for node in graph.arcs_out}]
    for _ in range(rounds):
        last = colors[-1]
        names: dict[Any, str] = {}
        new = {}
        for node in graph.arcs_out:
            around = (last[node], tuple(sorted(last[other] for other in graph.arcs_out[node])))
            new[node] = names.setdefault(around, repr(around))
        colors.append(new)
    return colors


def partition(colors: list[Any]) -> list[int]:
    """Return colors numbered by first appearance."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(color, len(numbers)) for color in colors]


def check_colors(rng: Random, tally: Tally) -> None:
    """Compare stable colors, and numbers of nodes by color in rows of graphs."""
    case = draw_case(rng, degrees="total", follow="any")
    case.directed = rng.choice([None, "out"])
    plain = case.plain
    # Every round but the last divides a class, so there are at most as many as nodes; nodes on edges are nodes too.
    stable = small_colors(plain, len(plain.arcs_out) + 1)
    given = egonet.wl_colors(case.edges, **case.reading).tolist()
    expected = partition([stable[node] for node in plain.ids])
    for node, (color, other) in enumerate(zip(given, expected, strict=True)):
        tally.add("color", color == other, node, (given, expected), case)
    cases = [draw_case(rng, degrees="total", follow="any") for _ in range(3)]
    graphs, plains = [], []
    for one in cases:
        one.types = one.directed = None
        one.labels = one.labels or ["x"] * one.num_nodes
        graphs.append((egonet.as_graph(one.edges, num_nodes=one.num_nodes, simplify=True), one.labels))
        plains.append(one.plain)
    rounds = rng.randrange(4)
    encoder = egonet.GraphEncoder(0, labeled=True, wl=rounds, sparse_output=False)
    matrix = encoder.fit_transform(graphs)
    names = encoder.get_feature_names_out().tolist()
    colors = [refine(plain, rounds) for plain in plains]
    for number in range(rounds + 1):
        places = [place for place, name in enumerate(names) if name.startswith(f"wl{number}_")]
        per_graph = [Counter(rounds_of[number].values()) for rounds_of in colors]
        every = sorted(set().union(*per_graph))
        wanted = sorted([one[color] for one in per_graph] for color in every)
        found = sorted(matrix[:, places].T.astype(int).tolist())
        tally.add("color", found == wanted, ("wl", number), (found, wanted), cases)


def small_colors(graph: Plain, rounds: int) -> dict[Any, int]:
    """Return the color of every node after some rounds, as numbers."""
    numbers: dict[Any, int] = {}
    colors = {node: numbers.setdefault(graph.labels.get(node), len(numbers)) for node in graph.arcs_out}
    for _ in range(rounds):
        numbers = {}
        colors = {
            node: numbers.setdefault(
                (colors[node], tuple(sorted(colors[other] for other in graph.arcs_out[node]))), len(numbers)
            )
            for node in graph.arcs_out
        }
    return colors


def check_cycles(rng: Random, tally: Tally) -> None:
    """Compare the length of the shortest cycle through every edge."""
    case = draw_case(rng)
    case.types = case.labels = None
    if not case.edges:
        return
    longest = rng.choice([2, 3, 4, 6, 9])
    lengths = egonet.edge_cycles(case.edges, longest, **case.reading)
    directed = case.directed is not None
    plain = Case(case.num_nodes, case.edges, case.directed and "out", None, None, Form()).plain
    for edge, length in zip(case.edges, lengths.tolist(), strict=True):
        u, v = edge
        expected = 0
        if u != v:
            rest = plain.without([(u, v)] if directed else [(u, v), (v, u)])
            steps = distances(lambda node, rest=rest: rest.arcs_out[node], v, longest - 1).get(u)
            expected = 0 if steps is None else steps + 1
        tally.add("cycle", length == expected, edge, (length, expected), (case, longest))


def check_common(rng: Random, tally: Tally) -> None:
    """Compare which nodes have equal rows with links among common neighbors, and with counts around edges and pairs."""
    case = draw_case(rng, follow="any", max_degree=None, degree_bins=None)
    if case.form.degrees == "in_out":
        return
    case.directed = case.types = case.labels = None
    plain = case.plain
    near = plain.arcs_out
    if rng.random() < 0.6:
        encoding = egonet.encode(case.edges, **case.settings, **case.reading, common=True)

        def links(node: Any) -> Any:
            histograms = []
            for other in near[node]:
                shared = near[node] & near[other]
                histograms.append(tuple(sorted(Counter(len(near[w] & shared) for w in shared).items())))
            return tuple(sorted(node_row(case.form, plain, node).items())), tuple(sorted(histograms))

        wanted = [links(node) for node in plain.ids]
        kind = "common"
    else:
        radius = rng.choice([1, 2])
        rooted = rng.choice(["edge", "pair"])
        encoding = egonet.encode(case.edges, radius=radius, **case.reading, rooted=rooted)
        wanted = [rooted_row(plain, node, radius, rooted) for node in plain.ids]
        kind = f"rooted {rooted}"
    found = partition([tuple(sorted(encoding[node].items(), key=repr)) for node in plain.ids])
    for node in plain.ids:
        equal = found == partition(wanted)
        tally.add(kind, equal, node, (found, partition(wanted)), case)


def rooted_row(plain: Plain, root: Any, radius: int, rooted: str) -> Any:
    """Return the histograms around every edge, or every pair within the radius, of a node (R2 and R3 of the theory)."""
    near = plain.arcs_out
    from_root = distances(lambda node: near[node], root, radius)
    histograms = []
    for other in near[root] if rooted == "edge" else from_root:
        from_other = distances(lambda node: near[node], other, radius)
        inside = from_root.keys() & from_other.keys()
        histogram = Counter(
            (
                from_root[w],
                from_other[w],
                tuple(
                    sorted(
                        Counter(
                            (from_root[x] - from_root[w], from_other[x] - from_other[w])
                            for x in near[w] & inside
                        ).items()
                    )
                ),
            )
            for w in inside
        )
        histograms.append((from_root[other], tuple(sorted(histogram.items()))))
    return tuple(sorted(histograms))


def check_rings_in_time(rng: Random, tally: Tally) -> None:
    """Compare statistics of the amounts of events by distance, as of a time."""
    drawn = draw_events(rng)
    radius = rng.randrange(1, 4)
    amounts = [rng.randrange(-5, 100) for _ in drawn.events]
    events = [event[:3] for event in drawn.events]
    encoder = egonet.TemporalEncoder(
        events, radius, weights=amounts, window=drawn.window, closed=drawn.closed, directed=drawn.directed
    )
    seen = sorted({node for event in events for node in event[:2]})
    queries = list(dict.fromkeys((rng.choice(seen), rng.randrange(22)) for _ in range(8)))
    rows = encoder.ring_statistics(queries, ["sum", "mean", "min", "max", "count"])
    for node, time in queries:
        known = [
            (event, amount)
            for event, amount in zip(events, amounts, strict=True)
            if in_window(drawn, event, time)
        ]
        graph = Events(drawn.events, drawn.window, drawn.closed, drawn.directed, False, Form()).plain(time)
        near = distances(lambda other, graph=graph: graph.arcs_out[other], node, radius)
        expected: dict[str, float] = {}
        for ring in range(radius):
            values = [
                amount
                for (u, v, _), amount in known
                if u != v and min(near.get(end, radius) for end in nearer_ends(u, v, drawn.directed)) == ring
            ]
            total = float(sum(map(Fraction, values)))
            expected |= {f"event_d{ring}_sum": total, f"event_d{ring}_count": float(len(values))}
            if values:
                expected[f"event_d{ring}_mean"] = total / len(values)
                expected |= {f"event_d{ring}_min": min(values), f"event_d{ring}_max": max(values)}
        row = {
            name: value
            for name, value in rows[node, time].items()
            if name in expected or not math.isnan(value)
        }
        empty = {name for name in row if name not in expected and row[name] == 0}
        row = {name: value for name, value in row.items() if name not in empty}
        tally.add("rings in time", row == expected, (node, time), (row, expected), (drawn, amounts, radius))


def nearer_ends(source: Any, target: Any, directed: str | None) -> tuple[Any, ...]:
    """Return the ends from which an event is reached: where it begins, if events are followed one way."""
    return {"out": (source,), "in": (target,)}.get(directed or "", (source, target))


def in_window(drawn: Events, event: tuple[Any, ...], time: int) -> bool:
    """Return whether a query uses an event, by the rule of the page."""
    first = -math.inf if drawn.window is None else time - drawn.window
    return first <= event[2] < time if drawn.closed == "left" else first < event[2] <= time


def check_counted_events(rng: Random, tally: Tally) -> None:
    """Compare rows whose degrees are numbers of events."""
    drawn = draw_events(rng)
    drawn.typed, drawn.directed = False, None
    radius = rng.choice([1, 2])
    events = [event[:3] for event in drawn.events]
    encoder = egonet.TemporalEncoder(
        events, radius, count="events", window=drawn.window, closed=drawn.closed, directed=False
    )
    seen = sorted({node for event in events for node in event[:2]})
    for query in {(rng.choice(seen), rng.randrange(22)) for _ in range(8)}:
        row = encoder.fit([query]).encode([query])[query]
        node, time = query
        known = [event for event in events if in_window(drawn, event, time) and event[0] != event[1]]
        graph = Events(drawn.events, drawn.window, drawn.closed, None, False, Form()).plain(time)
        near = distances(lambda other, graph=graph: graph.arcs_out[other], node, radius)
        expected: Counter[tuple[Any, ...]] = Counter()
        for other, steps in near.items():
            degree = sum((u == other and v in near) or (v == other and u in near) for u, v, _ in known)
            expected[steps, degree] += 1
        tally.compare("counted events", query, row, dict(expected), (drawn, radius))


def check_bins(rng: Random, tally: Tally) -> None:
    """Compare rows of amounts in powers of two and in quantiles, whose limits the vocabulary has."""
    case = draw_case(rng)
    if not case.edges:
        return
    case.types = None
    how = rng.choice(["log", 2, 3, 4])
    amounts = [rng.choice([rng.randrange(1, 9), rng.randrange(1, 200)]) for _ in case.edges]
    encoding = egonet.encode(case.edges, **case.settings, **case.reading, weights=amounts, weight_bins=how)
    if how == "log":
        numbers = [amount.bit_length() for amount in amounts]
    else:
        limits = encoding.vocabulary.schema.limits
        numbers = [bisect_right(limits, amount) for amount in amounts]
        ordered = sorted(amounts)
        wanted = sorted({float(ordered[step * len(amounts) // how]) for step in range(1, how)})
        tally.add("bins", list(limits) == wanted, "limits", (limits, wanted), (case, amounts, how))
    case.types = [f"bin {number}" for number in numbers]
    plain = case.plain
    rows = [node_row(case.form, plain, node) for node in plain.ids]
    # Bins are compared by their order; their names are not.
    names = bin_names([encoding[node] for node in plain.ids], rows)
    for node in plain.ids:
        expected = {(*key[:-1], names.get(key[-1], key[-1])): count for key, count in rows[node].items()}
        tally.compare("bins", node, encoding[node], expected, (case, amounts, how))


def bin_names(found: list[Row], expected: list[Row]) -> dict[str, str]:
    """Return the name that rows have for every bin, by the order of both."""
    wanted = {
        key[-1] for row in expected for key in row if isinstance(key[-1], str) and key[-1][:4] == "bin "
    }
    given = {
        key[-1] for row in found for key in row if isinstance(key[-1], str) and key[-1] not in ("x", "y")
    }

    def lowest(name: str) -> float:
        digits = "".join(letter if letter.isdigit() or letter == "." else " " for letter in name).split()
        return -1.0 if name.startswith("below") else float(digits[0])

    by_number = sorted(wanted, key=lambda name: int(name[4:]))
    return dict(zip(by_number, sorted(given, key=lowest), strict=False)) if len(wanted) == len(given) else {}


def check_engines(rng: Random, tally: Tally) -> None:
    """Compare batches of rows from a store, from compressed rows on disk, and in the columns of another encoding."""
    case = draw_case(rng, follow="any", frontier_edges=True)
    if not case.edges or case.form.degrees == "in_out":
        return
    name = rng.choice(NAMES[:4])
    case.types = None
    if rng.random() < 0.5:
        case.labels = None
    edges = [(name(u), name(v)) for u, v in case.edges]
    words: dict[str, Any] = {"directed": case.directed or False, "simplify": True}
    if case.labels:
        words["labels"] = {name(node): label for node, label in enumerate(case.labels)}
    graph = egonet.as_graph(edges, nodes=[name(node) for node in range(case.num_nodes)], **words)
    plain, directed = case.plain, case.directed is not None
    pairs = draw_pairs(rng, case)
    with tempfile.TemporaryDirectory() as folder:
        place: Any = graph
        kind = rng.choice(["store", "csr", "memory"])
        if kind == "store":
            place = Path(folder) / "store"
            egonet.store.encode(graph, place, radius=0, threads=1)
        elif kind == "csr":
            place = egonet.store.write_csr(graph, Path(folder) / "csr")
        learned = egonet.encode(graph, **case.settings)
        by_name = dict(zip(learned.feature_names, learned.vocabulary.columns, strict=True))
        nodes = [rng.randrange(case.num_nodes) for _ in range(6)]
        batches = egonet.distributed.RowBatches(place, learned.vocabulary)
        table = batches({"node": [name(node) for node in nodes]})
        for position, node in enumerate(nodes):
            row = {key: int(table[text][position]) for text, key in by_name.items() if table[text][position]}
            tally.compare(f"batch of {kind}", node, row, node_row(case.form, plain, node), case)
        if not pairs:
            return
        asked = [(name(u), name(v)) for u, v in pairs]
        columns = egonet.encode_pairs(graph, asked, **case.settings)
        by_name = dict(zip(columns.feature_names, columns.vocabulary.columns, strict=True))
        batches = egonet.distributed.RowBatches(place, columns.vocabulary, pairs=True)
        table = batches({"source": [u for u, _ in asked], "target": [v for _, v in asked]})
        for position, pair in enumerate(pairs):
            row = {key: int(table[text][position]) for text, key in by_name.items() if table[text][position]}
            expected = pair_row(case.form, plain, pair, directed=directed)
            tally.compare(f"batch of {kind}", pair, row, expected, case)


def check_overlap(rng: Random, tally: Tally) -> None:
    """Compare common neighbors, Adamic and Adar, resource allocation and Jaccard of pairs."""
    num_nodes = rng.randrange(2, 16)
    case = Case(num_nodes, draw_edges(rng, num_nodes), None, None, None, Form())
    pairs = draw_pairs(rng, case)
    if not pairs:
        return
    without = rng.random() < 0.5
    values, names = egonet.links.link_columns(
        case.edges,
        pairs,
        ["overlap"],
        num_nodes=num_nodes,
        simplify=True,
        directed=False,
        without_edge=without,
    )
    plain = case.plain
    for (u, v), row in zip(pairs, values.tolist(), strict=True):
        near = (plain.without([(u, v), (v, u)]) if without else plain).arcs_out
        shared, either = near[u] & near[v], near[u] | near[v]
        expected = {
            "common_neighbors": float(len(shared)),
            "adamic_adar": math.fsum(1 / math.log(len(near[w])) for w in shared),
            "resource_allocation": math.fsum(1 / len(near[w]) for w in shared),
            "jaccard": len(shared) / len(either) if either else 0.0,
        }
        found = dict(zip(names, row, strict=True))
        equal = all(close(found[name], value, 9) for name, value in expected.items())
        tally.add("overlap", equal, (u, v), (found, expected), (case, without))


def check_aggregates(rng: Random, tally: Tally) -> None:
    """Compare means, maxima and classes of rows per graph, with directions and types of edges."""
    first = draw_case(rng)
    cases = [first]
    for _ in range(2):
        other = draw_case(rng)
        other.form, other.directed = first.form, first.directed
        cases.append(other)
    with_types = rng.random() < 0.5
    graphs = []
    for case in cases:
        case.labels = None
        case.types = [rng.choice("ab") for _ in case.edges] if with_types else None
        reading = {key: value for key, value in case.reading.items() if key != "directed"}
        if with_types:
            reading.pop("edge_labels", None)
            reading["keep"] = "kind"
            import pandas as pd

            frame = pd.DataFrame(
                {
                    "source": [u for u, _ in case.edges],
                    "target": [v for _, v in case.edges],
                    "kind": case.types,
                }
            )
            if not case.edges:
                return
            graphs.append(egonet.as_graph(frame, directed=case.directed or False, **reading))
        else:
            graphs.append(egonet.as_graph(case.edges, directed=case.directed or False, **reading))
    words: dict[str, Any] = {"edge_labels": "kind"} if with_types else {}
    if first.directed:
        words["directed"] = first.directed
    settings = first.settings
    rows = [[node_row(case.form, case.plain, node) for node in range(case.num_nodes)] for case in cases]
    for how in ("sum", "mean", "max", "classes"):
        encoder = egonet.GraphEncoder(**settings, aggregate=how, sparse_output=False, **words)
        matrix = encoder.fit_transform(graphs)
        for number, of_nodes in enumerate(rows):
            if how == "classes":
                sizes = Counter(tuple(sorted(row.items(), key=repr)) for row in of_nodes)
                found_sizes = sorted(int(value) for value in matrix[number] if value)
                equal, expected = found_sizes == sorted(sizes.values()), sizes
                found: Any = found_sizes
            else:
                found = {
                    key: value
                    for key, value in zip(encoder.vocabulary_.columns, matrix[number], strict=True)
                    if value
                }
                keys = {key for row in of_nodes for key in row}
                total = {key: sum(row.get(key, 0) for row in of_nodes) for key in keys}
                expected = {
                    "sum": total,
                    "mean": {key: value / len(of_nodes) for key, value in total.items()},
                    "max": {key: max(row.get(key, 0) for row in of_nodes) for key in keys},
                }[how]
                equal = found.keys() == expected.keys() and all(
                    close(found[k], expected[k]) for k in expected
                )
            tally.add("graph", equal, (how, number), (found, expected), cases)


CHECKS = (
    check_renamed,
    check_vocabulary,
    check_weighted,
    check_colors,
    check_cycles,
    check_common,
    check_rings_in_time,
    check_counted_events,
    check_bins,
    check_engines,
    check_overlap,
    check_aggregates,
)

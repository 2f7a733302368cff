"""Random graphs for the forms of encoding other than plain keys: in- and out-degrees, pairs, edge types, streams."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np

import egonet
from contracts.kernel import Case, assert_same_bytes
from egonet.kernel import native, native_pairs, reference, reference_pairs

THREADS = (1, 2, 3, 7)


def check_in_out(case: Case, rng: Random, calls: Counter[str]) -> None:
    """Compare in- and out-degrees with the reference, whichever way distances go."""
    if case.symmetric:
        return
    options: Any = {
        "follow": rng.choice(("any", "out", "in")),
        "frontier_edges": case.frontier_edges,
        "max_degree": case.max_degree,
        "labels": case.labels,
    }
    roots = np.arange(case.num_nodes) if case.roots is None else case.roots
    radius = min(case.radius, 10)
    expected = reference.encode_rows(case.indptr, case.indices, roots, radius, degrees="in_out", **options)
    ours = native.in_out_rows(
        case.indptr, case.indices, case.roots, radius, threads=rng.choice(THREADS), **options
    )
    assert_same_bytes(ours, expected, (options, case))
    calls["in and out"] += 1


def check_pairs(case: Case, rng: Random, calls: Counter[str]) -> None:
    """Compare rows of pairs with the reference."""
    if case.num_nodes < 2 or case.num_nodes > 100:
        return
    pairs = np.array([rng.sample(range(case.num_nodes), 2) for _ in range(rng.randint(1, 8))])
    options: Any = {
        "without_edge": rng.random() < 0.5,
        "ordered": rng.random() < 0.5,
        "max_degree": case.max_degree,
        "degree_bins": rng.choice((None, "log")),
        "direction": None if case.symmetric else rng.choice(("out", "in")),
    }
    options["degrees"] = rng.choice(("total", "layered", "full", *(() if case.symmetric else ("in_out",))))
    radii = rng.sample(range(min(case.radius, 5) + 1), rng.randint(1, min(case.radius, 5) + 1))
    expected = reference_pairs.encode_pair_rows(case.indptr, case.indices, pairs, radii, **options)
    ours = native_pairs.encode_pair_rows(
        case.indptr, case.indices, pairs, radii, threads=rng.choice(THREADS), **options
    )
    assert_same_bytes(ours, expected, (pairs, options, case))
    calls["pairs"] += 1


def check_types(case: Case, rng: Random, calls: Counter[str]) -> None:
    """Compare an encoding with edge types, parallel edges included, with keys of the subdivided graph."""
    if case.num_nodes > 40:
        return
    arcs = [
        (u, int(v))
        for u in range(case.num_nodes)
        for v in case.indices[case.indptr[u] : case.indptr[u + 1]]
        if not case.symmetric or u < v
    ]
    arcs += rng.sample(arcs, min(len(arcs), 3))
    types = [rng.randrange(3) for _ in arcs]
    if not arcs:
        return
    directed = None if case.symmetric else "out"
    graph = egonet.as_graph(arcs, nodes=list(range(case.num_nodes)), directed=directed, keep=())
    radius, degrees = rng.randint(0, 3), rng.choice(("total", "layered", "full"))
    encoding = egonet.encode(
        graph, radius, edge_labels=types, degrees=degrees, directed=directed, threads=rng.choice(THREADS)
    )
    # A node on every edge, once per type; its number says which.
    edges = sorted(
        {(min(arc), max(arc), t) if case.symmetric else (*arc, t) for arc, t in zip(arcs, types, strict=True)}
    )
    neighbors: list[list[int]] = [[] for _ in range(case.num_nodes + len(edges))]
    for number, (u, v, _) in enumerate(edges, case.num_nodes):
        neighbors[u].append(number)
        neighbors[number].append(v)
        if case.symmetric:
            neighbors[v].append(number)
            neighbors[number].append(u)
    for root in rng.sample(range(case.num_nodes), min(case.num_nodes, 6)):
        expected: Counter[Any] = Counter()
        keys = reference.ego_keys(
            list(map(sorted, neighbors)), root, 2 * radius, degrees=degrees, frontier_edges=True
        )
        for node, key in keys.items():
            label = (edges[node - case.num_nodes][2],) if node >= case.num_nodes else ()
            expected[(*key, *label)] += 1
        found = {
            tuple(part for part in key if part is not None): count for key, count in encoding[root].items()
        }
        assert found == dict(expected), (root, radius, degrees, arcs, types, found, dict(expected))
    calls["edge types"] += 1


def check_stream(case: Case, rng: Random, calls: Counter[str]) -> None:
    """Compare a stream at random times with the encoding of the events in its window."""
    size = min(case.num_nodes, 12)
    if size < 2:
        return
    time, window, events = 0, rng.choice((None, 3, 10)), []
    directed, radius = rng.choice((None, "out", "in")), rng.randint(0, 2)
    stream = egonet.Stream(
        radius, window=window, directed=directed, threads=rng.choice(THREADS), closed="right"
    )
    for _ in range(rng.randint(1, 25)):
        time += rng.randrange(3)
        u, v = rng.sample(range(size), 2)
        stream.add([(u, v, time)])
        events.append((u, v, time))
        if rng.random() < 0.3:
            time += rng.randrange(4)
            known = [event[:2] for event in events if window is None or time - window < event[2]]
            graph = egonet.Graph.from_edges(known, size, directed=directed)
            nodes = rng.sample(range(size), min(size, 4))
            rows = stream.features(nodes, time=time)
            whole = egonet.encode(graph, radius)
            for node in nodes:
                assert rows[node] == whole[node], (node, time, window, directed, radius, events)
            calls["stream"] += 1

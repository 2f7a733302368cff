"""Random graphs for every algorithm, instruction set, thread count and engine, compared with the reference."""

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import egonet
from contracts import gpu
from contracts.kernel import Case, Edges, assert_same_bytes, expected_rows, graph_case
from egonet.graph.graph import Graph
from egonet.kernel import native, reference
from emulation.device import EmulatedDevice
from fuzz.forms import check_in_out, check_pairs, check_stream, check_types

RADII = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 10**6)
LEVELS = ("baseline", "avx2", "avx512")
THREADS = (1, 1, 2, 3, 7)
#: Slower checks run on every n-th graph only.
EVERY = {
    "in_out": 1,
    "pairs": 2,
    "types": 4,
    "stream": 8,
    "nested": 4,
    "front": 4,
    "update": 8,
    "disk": 40,
    "cuda": 100,
}


FORMS = {"in_out": check_in_out, "pairs": check_pairs, "types": check_types, "stream": check_stream}


@dataclass
class Tally:
    """Numbers of graphs and calls of a run."""

    graphs: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def sparse(rng: Random, size: int) -> Edges:
    """Return about as many edges as nodes, with loops and repeats."""
    return [(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randrange(2 * size + 1))]


def dense(rng: Random, size: int) -> Edges:
    """Return every pair with the same probability."""
    chance = rng.random()
    return [(u, v) for u in range(size) for v in range(u) if rng.random() < chance]


def skewed(rng: Random, size: int) -> Edges:
    """Return edges that concentrate on few nodes."""
    return [(int(size * rng.random() ** 3), int(size * rng.random() ** 2)) for _ in range(3 * size)]


def tree(rng: Random, size: int) -> Edges:
    """Return a tree between a path and a star; `reach` limits the distance of a parent."""
    reach = rng.choice((1, 2, 5, size))
    return [(v, rng.randrange(max(v - reach, 0), v)) for v in range(1, size)]


def hubs(rng: Random, size: int) -> Edges:
    """Return one to three nodes joined to all, and a few other edges."""
    return [(hub, v) for hub in range(min(rng.randint(1, 3), size)) for v in range(size)] + sparse(rng, size)[
        :9
    ]


def blocks(rng: Random, size: int) -> Edges:
    """Return cliques in a chain, which share a node or none."""
    width = rng.randint(1, 8)
    step = max(width - rng.randint(0, 1), 1)
    spans = [range(first, min(first + width, size)) for first in range(0, size, step)]
    return [(u, v) for span in spans for u in span for v in span if v < u]


def two_sided(rng: Random, size: int) -> Edges:
    """Return a complete bipartite graph with some edges missing."""
    left, keep = rng.randrange(size), rng.choice((0.5, 0.9, 1.0))
    return [(u, v) for u in range(left) for v in range(left, size) if rng.random() < keep]


FAMILIES = (sparse, sparse, dense, skewed, tree, hubs, blocks, two_sided)


def random_size(rng: Random) -> int:
    """Return a number of nodes: mostly small, some above 64, rarely above one pass of 512 roots."""
    kind = rng.random()
    if kind < 0.9:
        return rng.randint(1, 24)
    return rng.randint(25, 80) if kind < 0.998 else rng.randint(500, 1100)


def random_edges(rng: Random, size: int) -> Edges:
    """Return the edges of a graph of one family with permuted nodes."""
    family = rng.choice(FAMILIES[:1] + FAMILIES[3:6] if size > 100 else FAMILIES)
    edges = list(family(rng, size))
    names = list(range(size))
    rng.shuffle(names)
    return [(names[u], names[v]) for u, v in edges]


def random_case(seed: int, index: int) -> Case:
    """Return the graph and settings of a seed and an index."""
    rng = Random(f"{seed}/{index}")
    size = random_size(rng)
    graph = graph_case(size, random_edges(rng, size), symmetric=rng.random() < 0.75)
    labels = None if rng.random() < 0.7 else [rng.randrange(rng.choice((1, 3, 9))) for _ in range(size)]
    few = size > 100 or rng.random() < 0.4
    roots = [rng.randrange(size) for _ in range(rng.randrange(12))] if few else None
    return replace(
        graph,
        radius=rng.choice(RADII[:8] if size > 100 else RADII),
        degrees=rng.choice(("total", "total", "layered", "full")),
        frontier_edges=rng.random() < 0.7,
        max_degree=rng.choice((None, None, None, 0, 1, 2, 5, 10**9)),
        labels=None if labels is None else np.array(labels, dtype=np.int32),
        roots=None if roots is None else np.array(roots, dtype=np.int64),
    )


def native_options(case: Case, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield every algorithm that supports a case, "bitwise" at every level, each with a number of threads."""
    names = ["auto", "source"] + ["triangle"] * (case.radius == 1 and case.symmetric)
    for name in names:
        yield {"algorithm": name, "threads": rng.choice(THREADS)}
    for simd in LEVELS[: LEVELS.index(native.simd_level()) + 1]:
        yield {"algorithm": "bitwise", "simd": simd, "threads": rng.choice(THREADS)}


def run_native(case: Case, **options: Any) -> Any:
    """Return the rows of a case by the C++ kernel."""
    settings = {"degrees": case.degrees, "frontier_edges": case.frontier_edges, "labels": case.labels}
    return native.encode_rows(
        case.indptr,
        case.indices,
        case.roots,
        case.radius,
        max_degree=case.max_degree,
        symmetric=case.symmetric,
        **settings,
        **options,
    )


def check_native(case: Case, rng: Random, tally: Tally) -> None:
    """Compare every native algorithm with the reference, and on large graphs with each other for all roots."""
    expected = expected_rows(case)
    for options in native_options(case, rng):
        assert_same_bytes(run_native(case, **options), expected, (options, case))
        tally.calls[f"{options['algorithm']} {options.get('simd', '')}".strip()] += 1
    if case.num_nodes > 100:
        whole = replace(case, roots=None)
        first = run_native(whole, algorithm="source", threads=1)
        for options in native_options(whole, rng):
            assert_same_bytes(run_native(whole, **options), first, (options, whole))


def check_nested(case: Case, rng: Random, tally: Tally) -> None:
    """Compare the kernels whose columns are histograms with their reference."""
    if not case.symmetric or case.num_nodes > 30:
        return
    arrays, threads = (case.indptr, case.indices), rng.choice(THREADS)
    roots = np.arange(case.num_nodes) if case.roots is None else case.roots
    ours = native.common_rows(*arrays, case.roots, labels=case.labels, threads=threads)
    _same_nested(ours, reference.common_rows(*arrays, roots, labels=case.labels), case)
    radius = min(max(case.radius, 1), 3)
    for edges_only in (True, False):
        settings: dict[str, Any] = {"edges_only": edges_only, "labels": case.labels}
        ours = native.pair_rows(*arrays, case.roots, radius, threads=threads, **settings)
        _same_nested(ours, reference.pair_rows(*arrays, roots, radius, **settings), case)
    tally.calls["nested"] += 3


def _same_nested(ours: Any, theirs: Any, hint: object) -> None:
    assert_same_bytes(ours.histograms, theirs.histograms, hint)
    for name in ("indptr", "columns", "counts"):
        assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes(), (name, hint)


def graph_of(case: Case) -> Graph:
    """Return the case as a graph."""
    return Graph(case.indptr.copy(), case.indices.copy(), directed=None if case.symmetric else "out")


def settings_of(case: Case) -> dict[str, Any]:
    """Return the settings of a case as keywords of `encode`."""
    return {"degrees": case.degrees, "frontier_edges": case.frontier_edges, "max_degree": case.max_degree}


def check_front(case: Case, rng: Random, tally: Tally) -> None:
    """Compare `encode` at several radii, root by root, with the reference at each of them."""
    radii = tuple(rng.sample(range(5), rng.randint(1, 3)))
    settings = settings_of(case) | {"labels": None if case.labels is None else case.labels.tolist()}
    encoding = egonet.encode(graph_of(case), radii, threads=rng.choice(THREADS), **settings)
    neighbors = [case.indices[case.indptr[v] : case.indptr[v + 1]].tolist() for v in range(case.num_nodes)]
    for root in rng.sample(range(case.num_nodes), min(case.num_nodes, 8)):
        expected: Counter[Any] = Counter()
        for radius in radii:
            keys = reference.ego_keys(
                neighbors, root, radius, degrees=case.degrees, frontier_edges=case.frontier_edges
            )
            for u, key in keys.items():
                fields = [
                    key[0],
                    *(min(f, case.max_degree) if case.max_degree is not None else f for f in key[1:]),
                ]
                label = () if case.labels is None else (int(case.labels[u]),)
                expected[(*((radius,) if len(radii) > 1 else ()), *fields, *label)] += 1
        assert encoding[root] == dict(expected), (root, radii, case)
    tally.calls["encode, several radii"] += 1


def check_update(case: Case, rng: Random, tally: Tally) -> None:
    """Compare an updated encoding with that of the changed graph."""
    if not case.symmetric or case.num_nodes < 3:
        return
    radius = rng.choice((0, 1, 2, 3, (1, 2)))
    before = graph_of(case)
    edges = {(u, int(v)) for u in range(case.num_nodes) for v in before.neighbors(u) if u < v}
    removed = rng.sample(sorted(edges), min(len(edges), rng.randrange(4)))
    ends = [tuple(sorted(rng.sample(range(case.num_nodes), 2))) for _ in range(rng.randrange(4))]
    added = [pair for pair in dict.fromkeys(ends) if pair not in edges]
    after = Graph.from_edges(sorted((edges - set(removed)) | set(added)), case.num_nodes)
    updated = egonet.encode(before, radius, **settings_of(case)).update(added=added, removed=removed)
    _same_encoding(updated, egonet.encode(after, radius, **settings_of(case)), (added, removed, radius, case))
    tally.calls["update"] += 1


def _same_encoding(ours: Any, theirs: Any, hint: object) -> None:
    for name in ("indptr", "indices", "data"):
        left, right = getattr(ours.matrix, name), getattr(theirs.matrix, name)
        assert (left.dtype, left.tobytes()) == (right.dtype, right.tobytes()), (name, hint)
    assert ours.vocabulary.keys.tolist() == theirs.vocabulary.keys.tolist(), hint


def check_disk(case: Case, rng: Random, tally: Tally) -> None:
    """Compare the store, in several blocks, with the encoding in memory."""
    from egonet import store

    radius = rng.choice((0, 1, 2, 3, (1, 2), (2, 1)))
    # In memory if possible, and few blocks for many rows: every block waits for the disk several times.
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    memory = rng.choice((300, 2 * 10**9)) if case.num_nodes <= 100 else 2 * 10**9
    try:
        stored = store.encode(graph_of(case), folder / "store", radius, memory=memory, **settings_of(case))
        _same_encoding(stored, egonet.encode(graph_of(case), radius, **settings_of(case)), (radius, case))
        tally.calls["disk"] += 1
        tally.calls["disk, blocks"] += len(stored.manifest["blocks"])
    finally:
        shutil.rmtree(folder)


def check_spark(seed: int, index: int, tally: Tally) -> None:
    """Compare Spark with the encoding in memory."""
    from egonet import store

    case = random_case(seed, index)
    folder = Path(tempfile.mkdtemp())
    radius = 1 + index % 2
    settings: dict[str, Any] = settings_of(case) | {"degrees": case.degrees}
    try:
        stored: Any = store.spark(graph_of(case), folder / "store", radius, master="local[2]", **settings)
        _same_encoding(stored, egonet.encode(graph_of(case), radius, **settings), (radius, case))
        tally.calls["spark"] += 1
    finally:
        shutil.rmtree(folder)


def check_cuda(case: Case, device: EmulatedDevice, tally: Tally) -> None:
    """Compare every CUDA algorithm, emulated on the CPU, with the reference."""
    if case.num_nodes <= 80:
        gpu.check_algorithms(case, device=device)
        tally.calls["cuda, emulated"] += len(gpu.algorithms_for(case))


def run(seed: int, first: int, graphs: int, seconds: float, spark: int, report: Any) -> Tally:
    """Check graphs until their number or the seconds are reached; raise at the first difference."""
    tally, start, said = Tally(), time.monotonic(), time.monotonic()
    device = EmulatedDevice(tempfile.mkdtemp())
    for index in range(first, first + graphs):
        case, rng = random_case(seed, index), Random(index)
        try:
            check_native(case, rng, tally)
            slower = {
                "nested": check_nested,
                "front": check_front,
                "update": check_update,
                "disk": check_disk,
            }
            for form, compare in FORMS.items():
                if index % EVERY[form] == 0:
                    compare(case, rng, tally.calls)
            for name, check in slower.items():
                if index % EVERY[name] == 0:
                    check(case, rng, tally)
            if index % EVERY["cuda"] == 0:
                check_cuda(case, device, tally)
        except BaseException:
            report(
                f"graph {index} of seed {seed}: python -m fuzz kernel --seed {seed} --first {index} --graphs 1"
            )
            raise
        tally.graphs += 1
        tally.seconds = time.monotonic() - start
        if time.monotonic() - said > 30:
            said = time.monotonic()
            report(f"{tally.graphs:,} graphs, {sum(tally.calls.values()):,} calls, {tally.seconds:.0f} s")
        if tally.seconds > seconds:
            break
    for index in range(spark):
        check_spark(seed, index, tally)
    return tally

"""Random graphs through every algorithm, instruction set, thread count and engine, each held to the reference."""

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
from contracts.kernel import Case, assert_same_bytes, expected_rows
from egonet.graph.graph import Graph
from egonet.kernel import histograms as nested
from egonet.kernel import native, reference
from egonet.kernel import reference_histograms as reference_nested
from emulation.device import EmulatedDevice
from fuzz.graphs import random_case

LEVELS = ("baseline", "avx2", "avx512")
THREADS = (1, 1, 2, 3, 7)
#: One graph in so many also goes through the engines that take longer.
EVERY = {"nested": 4, "front": 4, "update": 8, "disk": 40, "cuda": 100}


@dataclass
class Tally:
    """What a run did."""

    graphs: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def native_options(case: Case, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield every algorithm that serves a case, "bitwise" at every level, each with some number of threads."""
    names = ["auto", "source"] + ["triangle"] * (case.radius == 1 and case.symmetric)
    for name in names:
        yield {"algorithm": name, "threads": rng.choice(THREADS)}
    for simd in LEVELS[: LEVELS.index(native.simd_level()) + 1]:
        yield {"algorithm": "bitwise", "simd": simd, "threads": rng.choice(THREADS)}


def run_native(case: Case, **options: Any) -> Any:
    """Return the rows of a case by the C++ kernel."""
    words = {"degrees": case.degrees, "frontier_edges": case.frontier_edges, "labels": case.labels}
    return native.encode_rows(
        case.indptr,
        case.indices,
        case.roots,
        case.radius,
        max_degree=case.max_degree,
        symmetric=case.symmetric,
        **words,
        **options,
    )


def check_native(case: Case, rng: Random, tally: Tally) -> None:
    """Compare every native way with the reference, and on large graphs with each other over all roots."""
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
    ours = nested.common_rows(*arrays, case.roots, labels=case.labels, threads=threads)
    _same_nested(ours, reference_nested.common_rows(*arrays, roots, labels=case.labels), case)
    radius = min(max(case.radius, 1), 3)
    for edges_only in (True, False):
        words: dict[str, Any] = {"edges_only": edges_only, "labels": case.labels}
        ours = nested.pair_rows(*arrays, case.roots, radius, threads=threads, **words)
        _same_nested(ours, reference_nested.pair_rows(*arrays, roots, radius, **words), case)
    tally.calls["nested"] += 3


def _same_nested(ours: Any, theirs: Any, hint: object) -> None:
    assert_same_bytes(ours.histograms, theirs.histograms, hint)
    for name in ("indptr", "columns", "counts"):
        assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes(), (name, hint)


def graph_of(case: Case) -> Graph:
    """Return the case as a graph."""
    return Graph(case.indptr.copy(), case.indices.copy(), directed=None if case.symmetric else "out")


def words_of(case: Case) -> dict[str, Any]:
    """Return the settings of a case as `encode` takes them."""
    return {"degrees": case.degrees, "frontier_edges": case.frontier_edges, "max_degree": case.max_degree}


def check_front(case: Case, rng: Random, tally: Tally) -> None:
    """Compare `encode` at several radii, root by root, with the reference at each of them."""
    radii = tuple(rng.sample(range(5), rng.randint(1, 3)))
    words = words_of(case) | {"labels": None if case.labels is None else case.labels.tolist()}
    encoding = egonet.encode(graph_of(case), radii, threads=rng.choice(THREADS), **words)
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
    updated = egonet.encode(before, radius, **words_of(case)).update(added=added, removed=removed)
    _same_encoding(updated, egonet.encode(after, radius, **words_of(case)), (added, removed, radius, case))
    tally.calls["update"] += 1


def _same_encoding(ours: Any, theirs: Any, hint: object) -> None:
    for name in ("indptr", "indices", "data"):
        left, right = getattr(ours.matrix, name), getattr(theirs.matrix, name)
        assert (left.dtype, left.tobytes()) == (right.dtype, right.tobytes()), (name, hint)
    assert ours.vocabulary.keys.tolist() == theirs.vocabulary.keys.tolist(), hint


def check_disk(case: Case, rng: Random, tally: Tally) -> None:
    """Compare the engine out of core, in several blocks, with the one in memory."""
    from egonet import store

    radius = rng.choice((0, 1, 2, 3, (1, 2), (2, 1)))
    folder = Path(tempfile.mkdtemp())
    try:
        stored = store.encode(
            graph_of(case), folder / "store", radius, memory=rng.choice((300, 2 * 10**9)), **words_of(case)
        )
        _same_encoding(stored, egonet.encode(graph_of(case), radius, **words_of(case)), (radius, case))
        tally.calls["disk"] += 1
        tally.calls["disk, blocks"] += len(stored.manifest["blocks"])
    finally:
        shutil.rmtree(folder)


def check_spark(seed: int, index: int, tally: Tally) -> None:
    """Compare the Spark engine with the one in memory."""
    from egonet import store

    case = random_case(seed, index)
    folder = Path(tempfile.mkdtemp())
    radius = 1 + index % 2
    words: dict[str, Any] = words_of(case) | {"degrees": case.degrees}
    try:
        stored: Any = store.spark(graph_of(case), folder / "store", radius, master="local[2]", **words)
        _same_encoding(stored, egonet.encode(graph_of(case), radius, **words), (radius, case))
        tally.calls["spark"] += 1
    finally:
        shutil.rmtree(folder)


def check_cuda(case: Case, device: EmulatedDevice, tally: Tally) -> None:
    """Compare every CUDA algorithm, emulated on the processor, with the reference."""
    if case.num_nodes <= 80:
        gpu.check_algorithms(case, device=device)
        tally.calls["cuda, emulated"] += len(gpu.algorithms_for(case))


def run(seed: int, first: int, graphs: int, seconds: float, spark: int, report: Any) -> Tally:
    """Return what was done in so many graphs or seconds, whichever ends first; what differs is raised."""
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

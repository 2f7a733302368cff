"""The contract every kernel keeps: the same bytes as `kernel/reference.py`, whatever the settings."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from egonet.kernel import reference
from egonet.kernel.reference import Rows
from egonet.typing import Degrees, Int32s, Int64s

Edges = Iterable[tuple[int, int]]
FIELDS = ("indptr", "columns", "counts", "keys")


@dataclass(frozen=True)
class Case:
    """One call of a kernel: a graph as arrays, and the settings."""

    indptr: Int64s
    indices: Int32s
    radius: int = 1
    degrees: Degrees = "total"
    frontier_edges: bool = True
    max_degree: int | None = None
    labels: Int32s | None = None
    symmetric: bool = True
    roots: Int64s | None = None

    @property
    def num_nodes(self) -> int:
        return len(self.indptr) - 1


def graph_case(num_nodes: int, edges: Edges, *, symmetric: bool = True) -> Case:
    """Return a case from edges (from arcs if not symmetric), loops and repeats dropped."""
    neighbors: list[set[int]] = [set() for _ in range(num_nodes)]
    for u, v in edges:
        if u != v:
            neighbors[u].add(v)
            if symmetric:
                neighbors[v].add(u)
    indptr = np.cumsum([0, *map(len, neighbors)], dtype=np.int64)
    indices = np.array([w for row in neighbors for w in sorted(row)], dtype=np.int32)
    return Case(indptr, indices, symmetric=symmetric)


def expected_rows(case: Case) -> Rows:
    """Return what the reference says."""
    roots = np.arange(case.num_nodes) if case.roots is None else case.roots
    return reference.encode_rows(
        case.indptr,
        case.indices,
        roots,
        case.radius,
        degrees=case.degrees,
        frontier_edges=case.frontier_edges,
        max_degree=case.max_degree,
        labels=case.labels,
    )


def assert_same_bytes(actual: Rows, expected: Rows, hint: object = "") -> None:
    """Fail unless both have the same shapes, types and bytes."""
    for field in FIELDS:
        ours, theirs = getattr(actual, field), getattr(expected, field)
        assert ours.dtype == theirs.dtype, (field, hint)
        assert ours.shape == theirs.shape, (field, hint)
        assert ours.tobytes() == theirs.tobytes(), (field, hint)


def settings_of(case: Case) -> Iterator[Case]:
    """Yield the case under every kind of degrees, with and without frontier edges, clipped, and labeled."""
    kinds: tuple[Degrees, ...] = ("total", "layered", "full")
    labels = (np.arange(case.num_nodes) % 3).astype(np.int32)
    for degrees, frontier_edges in product(kinds, (True, False)):
        plain = replace(case, degrees=degrees, frontier_edges=frontier_edges)
        yield plain
        yield replace(plain, max_degree=2)
        yield replace(plain, labels=labels)


def radii_of(case: Case) -> range:
    """Return every radius from 0 to one more than the largest distance in the graph."""
    neighbors = [case.indices[case.indptr[v] : case.indptr[v + 1]].tolist() for v in range(case.num_nodes)]
    farthest = 0
    for root in range(case.num_nodes):
        farthest = max(farthest, *reference.distances(neighbors, root, case.num_nodes).values())
    return range(farthest + 2)


def check_everywhere(kernel: Callable[[Case], Rows], case: Case) -> None:
    """Compare a kernel with the reference at every radius under all settings."""
    for radius in radii_of(case):
        for variant in settings_of(replace(case, radius=radius)):
            assert_same_bytes(kernel(variant), expected_rows(variant), variant)

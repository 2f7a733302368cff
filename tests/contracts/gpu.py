"""The contract of the CUDA kernels, on a GPU and in emulation: every algorithm gives the reference's bytes."""

from dataclasses import replace

import numpy as np

from contracts.kernel import Case, assert_same_bytes, expected_rows, graph_case
from egonet.kernel.cuda.backend import encode_rows

NAMED = {
    "one node": graph_case(1, []),
    "isolated nodes": graph_case(5, []),
    "one edge": graph_case(2, [(0, 1)]),
    "star": graph_case(9, [(0, leaf) for leaf in range(1, 9)]),
    "clique": graph_case(7, [(u, v) for u in range(7) for v in range(u)]),
    "path": graph_case(9, [(u, u + 1) for u in range(8)]),
    "two parts": graph_case(8, [(0, 1), (1, 2), (2, 0), (4, 5), (5, 6)]),
    "arcs in a ring": graph_case(5, [(u, (u + 1) % 5) for u in range(5)], symmetric=False),
}


def run(case: Case, **options):
    """Return the rows of a case."""
    return encode_rows(
        case.indptr,
        case.indices,
        case.roots,
        case.radius,
        degrees=case.degrees,
        frontier_edges=case.frontier_edges,
        max_degree=case.max_degree,
        labels=case.labels,
        symmetric=case.symmetric,
        **options,
    )


def algorithms_for(case: Case) -> list[str]:
    """Return every algorithm that supports a case."""
    plain = case.symmetric and case.labels is None and len(case.indices) > 0
    bitwise = plain and case.degrees == "total" and 2 <= case.radius <= 8
    return [
        "auto",
        "warp",
        "block",
        "ball",
        *["triangle"] * (plain and case.radius == 1),
        *["bitwise"] * bitwise,
    ]


def check_algorithms(case: Case, *, only=None, **options) -> None:
    """Compare every algorithm that supports a case, or those in `only`, with the reference."""
    expected = expected_rows(case)
    for algorithm in [name for name in algorithms_for(case) if only is None or name in only]:
        assert_same_bytes(run(case, algorithm=algorithm, **options), expected, (algorithm, case))


def random_case(rng, most_nodes: int) -> Case:
    """Return a random graph with random settings: sparse or dense, some with a hub, some directed, some labeled."""
    num_nodes = int(rng.integers(2, most_nodes))
    edges = rng.integers(num_nodes, size=(int(rng.choice([10, 60, 200])), 2)).tolist()
    if rng.integers(2):
        edges += [(0, leaf) for leaf in range(1, num_nodes)]
    max_degree = rng.choice([-1, -1, 0, 1, 5])
    labels = rng.integers(4, size=num_nodes).astype(np.int32)
    roots = rng.integers(num_nodes, size=rng.integers(1, 30))
    return replace(
        graph_case(num_nodes, edges, symmetric=bool(rng.integers(3))),
        radius=int(rng.choice([0, 1, 2, 2, 3, 4, 5, 10**6])),
        degrees=str(rng.choice(["total", "total", "layered", "full"])),
        frontier_edges=bool(rng.integers(3)),
        max_degree=None if max_degree < 0 else int(max_degree),
        labels=labels if rng.integers(3) == 0 else None,
        roots=roots if num_nodes > 100 or rng.integers(2) else None,
    )

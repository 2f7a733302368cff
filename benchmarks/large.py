"""A graph of two gigabytes in memory, radius 1: python -m benchmarks.large [--arcs 500000000].

A ring whose nodes see the eight next on either side: its rows can be worked out by hand, so the result is checked,
not only timed. Needs about 12 GB of free memory.
"""

import argparse
import time

import numpy as np

import egonet
from benchmarks.memory import status
from egonet.kernel.cost import predict_peak

REACH = 8


def ring(num_nodes: int) -> egonet.Graph:
    """Return the ring in which nodes up to REACH apart are neighbors."""
    steps = np.array([*range(-REACH, 0), *range(1, REACH + 1)], dtype=np.int32)
    indices = (np.arange(num_nodes, dtype=np.int32)[:, None] + steps).astype(np.int32)
    for rows in (slice(0, REACH), slice(num_nodes - REACH, num_nodes)):  # where the ring closes
        indices[rows] = np.sort(indices[rows] % num_nodes, axis=1)
    indptr = np.arange(num_nodes + 1, dtype=np.int64) * (2 * REACH)
    return egonet.Graph(indptr, indices.reshape(-1))


def expected() -> dict[tuple[int, int], int]:
    """Return the row of every node: the neighbor k steps away shares 2 * REACH - k - 1 others, and has the root."""
    row = {(0, 2 * REACH): 1}
    for step in range(REACH, 0, -1):
        row[1, 2 * REACH - step] = 2
    return row


def main() -> None:
    """Encode, check every row, print sizes, time and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arcs", type=int, default=500_000_000)
    graph = ring(parser.parse_args().arcs // (2 * REACH))
    size = graph.indptr.nbytes + graph.indices.nbytes
    predicted = predict_peak(graph.indptr, graph.indices, None, [1], threads=2)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before, began, cpu = status("VmRSS"), time.perf_counter(), time.process_time()
    encoding = egonet.encode(graph, 1, threads=2, memory_limit=predicted)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    measured, matrix = status("VmHWM") - before, encoding.matrix
    row = expected()
    assert [encoding.columns[column] for column in range(len(row))] == list(row)
    assert (np.diff(matrix.indptr) == len(row)).all()
    for column, count in enumerate(row.values()):
        assert (matrix.indices[column :: len(row)] == column).all()
        assert (matrix.data[column :: len(row)] == count).all()
    print(f"graph: {graph.num_nodes:,} nodes, {len(graph.indices):,} arcs, {size / 1e9:.2f} GB")
    print(
        f"radius 1: {seconds:.0f} s, {cpu:.0f} CPU s, {matrix.nnz:,} entries, every row as worked out by hand"
    )
    print(f"peak beyond the graph: {measured / 1e9:.2f} GB measured, {predicted / 1e9:.2f} GB predicted")


if __name__ == "__main__":
    main()

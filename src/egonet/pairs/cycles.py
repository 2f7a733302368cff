"""`edge_cycles`: the length of the shortest cycle through every edge."""

from typing import Any, Unpack

import numpy as np

from egonet.checks import as_threads, as_whole
from egonet.encoding.signature import list_options
from egonet.errors import InputError, show_value
from egonet.graph.adapters import as_graph
from egonet.graph.input_options import ReadOptions
from egonet.kernel.native_pairs import end_distances
from egonet.progress import as_progress, choose_progress
from egonet.typing import Int32s, Progress


@list_options
def edge_cycles(
    graph: Any,
    longest: int = 8,
    *,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **reading: Unpack[ReadOptions],
) -> Int32s:
    """Return the length of the shortest cycle through every edge, 0 if there is none of at most `longest` edges.

    The ring of a bond in a molecule. It is one more than the distance of the two ends once their edge is left out. In a
    graph read with its direction, cycles follow arcs, and two opposite arcs are a cycle of length 2.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; one graph.
    longest
        The longest cycle to look for, at least 2.
    threads, progress
        As in `encode`; progress counts edges.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Returns
    -------
    Int32s
        A length per edge, in the order of `encode_edges`: of the edges as given, each repeated edge and each direction;
        of a `Graph` without an edge table that of `Graph.edges()`. A loop has 0.

    Examples
    --------
    A triangle with a tail, whose last edge is in no cycle:

    >>> import egonet
    >>> egonet.edge_cycles([("c", "d"), ("a", "b"), ("b", "c"), ("c", "a")])
    array([0, 3, 3, 3], dtype=int32)
    """
    length = as_whole("longest", longest)
    if length < 2:
        raise InputError(
            f"longest must be at least 2, the shortest cycle there is, got {show_value(longest)}."
        )
    graph = as_graph(graph, keep=(), **reading)
    table = graph.given_edges()
    rows = np.stack([table.source, table.target], axis=1).astype(np.int64)
    proper = rows[:, 0] != rows[:, 1]
    pairs = np.ascontiguousarray(rows[proper])
    with as_progress(choose_progress(progress, len(pairs)), "edge_cycles", "edges") as report:
        distances = end_distances(
            graph.indptr,
            graph.indices,
            pairs,
            length - 1,
            direction=graph.directed,
            threads=as_threads(threads),
            progress=report,
        )
    lengths = np.zeros(len(rows), dtype=np.int32)
    lengths[proper] = distances + np.int32(1)
    return lengths

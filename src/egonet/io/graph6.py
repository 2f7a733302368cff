"""graph6: a graph per line of text, one bit per pair of nodes."""

from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from egonet.errors import FileError, InputError, option
from egonet.graph.graph import MAX_NODES, Graph
from egonet.graph.input_options import InputOptions

Bytes: TypeAlias = NDArray[np.uint8]
GRAPH6_HEADER = b">>graph6<<"


def read_graph6(stream: BinaryIO, name: str, options: InputOptions) -> list[Graph]:
    """Return every graph of a graph6 file, a graph per line.

    >>> from io import BytesIO
    >>> read_graph6(BytesIO(b">>graph6<<A_\\nBw\\n"), "small.g6", InputOptions())
    [Graph(num_nodes=2, num_edges=1), Graph(num_nodes=3, num_edges=3)]
    """
    if options.directed is not None:
        raise FileError(
            f"{name}: graph6 has no arcs to follow, got {option('directed', options.directed)}. Leave it out."
        )
    graphs = []
    graph_of: dict[bytes, Graph] = {}  # equal lines share one immutable graph
    for number, line in enumerate(stream, start=1):
        if line.strip() in (b"", GRAPH6_HEADER):
            continue
        if line not in graph_of:
            try:
                graph_of[line] = parse_graph6(line)
            except InputError as error:
                raise FileError(f"{name}, line {number}: {error.marked}") from error
        graphs.append(graph_of[line])
    return graphs


def parse_graph6(line: bytes) -> Graph:
    """Return the graph of one graph6 string; raise if a character or the length is wrong.

    The path 0-2-1: three nodes, and of the pairs (0,1), (0,2), (1,2) all but the first.

    >>> graph = parse_graph6(b"BW")
    >>> graph.neighbors(2)
    [0, 1]
    """
    text = line.strip().removeprefix(GRAPH6_HEADER)
    if text[:1] in (b":", b";", b"&"):
        kind = "digraph6" if text[:1] == b"&" else "sparse6"
        raise InputError(f"this is {kind}, and only graph6 is read. Convert it with nauty's copyg -g.")
    values = np.frombuffer(text, dtype=np.uint8)
    outside = np.flatnonzero((values < 63) | (values > 126))
    if len(outside):
        first = int(outside[0])
        raise InputError(f"graph6 uses the characters '?' to '~', got {chr(values[first])!r} at {first + 1}.")
    num_nodes, body = read_size(values - np.uint8(63))
    num_pairs = num_nodes * (num_nodes - 1) // 2
    expected = (num_pairs + 5) // 6
    if len(body) != expected:
        raise InputError(
            f"a graph6 string of {num_nodes:,} nodes has {expected:,} characters after its size,"
            f" got {len(body):,}. The line is cut short or damaged."
        )
    bits = np.unpackbits(body[:, None], axis=1)[:, 2:].reshape(-1)
    if np.any(bits[num_pairs:]):
        raise InputError("the unused last bits of a graph6 string must be zero. The line is damaged.")
    return from_triangle(bits[:num_pairs], num_nodes)


def read_size(values: Bytes) -> tuple[int, Bytes]:
    """Return the number of nodes (one, four or eight characters) and the rest.

    >>> read_size(np.array([63, 0, 1, 0, 5], dtype=np.uint8))
    (64, array([5], dtype=uint8))
    """
    start, width = (
        (2, 6) if values[:2].tolist() == [63, 63] else (1, 3) if values[:1].tolist() == [63] else (0, 1)
    )
    digits = values[start : start + width].tolist()
    if len(digits) < width:
        raise InputError("a graph6 string begins with its number of nodes, got too few characters.")
    size = 0
    for digit in digits:
        size = 64 * size + digit
    if size > MAX_NODES:
        raise InputError(f"a graph has at most {MAX_NODES:,} nodes, got {size:,}.")
    return size, values[start + width :]


def from_triangle(bits: Bytes, num_nodes: int) -> Graph:
    """Return the graph of the pairs (0,1), (0,2), (1,2), (0,3), ... that are set."""
    positions = np.flatnonzero(bits)
    if not len(positions):
        return Graph.from_checked(np.zeros(num_nodes + 1, dtype=np.int64), np.empty(0, dtype=np.int32))
    # Column v begins at v (v - 1) / 2, where the square root is the whole number 2 v - 1: exact up to 2 ** 50 pairs.
    column = ((1 + np.sqrt(1 + 8 * positions.astype(np.float64))) // 2).astype(np.int64)
    row = positions - column * (column - 1) // 2
    return Graph.from_indices(row, column, num_nodes)

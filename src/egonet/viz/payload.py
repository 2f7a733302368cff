"""The data of an explorer page: graphs as compact arrays with text ids, colorings, settings, verdicts."""

import base64
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from egonet.encoding.encoding import Encoding
from egonet.encoding.roles import ego_edges, find_roles, similarity_rows
from egonet.encoding.schema import Schema
from egonet.errors import InputError, MissingExtraError, in_python, option
from egonet.graph.graph import Graph
from egonet.typing import Int64s
from egonet.viz.drawn import (
    Drawn,
    column_coloring,
    most_similar,
)
from egonet.wl.compare import Verdict, compare, equivalent

MAX_RADIUS = 4
#: A page draws at most this many nodes at once, unless max_nodes says otherwise.
MAX_SHOWN = 2000
#: The most that max_nodes may be.
MOST_SHOWN = 20_000
#: A page contains at most this many nodes and edges of a graph, and about this many bytes of both.
MAX_EMBEDDED_NODES = 100_000
MAX_EMBEDDED_EDGES = 600_000
MAX_EMBEDDED_BYTES = 4_700_000
#: Bytes of a node with a short id and of an edge, on a page that has nothing else.
NODE_BYTES, EDGE_BYTES = 30.0, 2.8
#: Bytes are measured on at most this many nodes and edges.
_MEASURED = 1000

#: Above this many nodes radius 1 is compared, and fewer similar nodes are listed.
MANY_NODES = 20_000

#: Shares of the edges that are drawn thinner than each of the wider lines.
WIDER_FROM = (0.5, 0.8, 0.95)

#: Tests that the page cannot run; Python runs them for graphs of at most `MAX_COMPARED` nodes.
STRONG_TESTS = ("2-FWL", "R1", "R2", "R3")
MAX_COMPARED = 300


@dataclass(frozen=True, eq=False)
class Sample:
    """The part of a graph that is shown.

    Attributes
    ----------
    rows
        int64: the nodes that are shown, increasing.
    edges
        int64 (num_edges, 2): edges (or arcs) between them, as positions in `rows`, each once.
    cut
        int64: positions of nodes with neighbors outside the sample; empty if the whole graph is shown.
    centers
        The nodes around which the sample was taken; empty if the whole graph is shown.
    """

    rows: Int64s
    edges: Int64s
    cut: Int64s
    centers: list[int]


def graph_data(drawn: Drawn, around: Sequence[Hashable], max_nodes: int) -> dict[str, Any]:
    """Return the data of one graph: nodes, edges, and which nodes have neighbors outside the page.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> data = graph_data(Drawn(path, "path"), [], 2000)
    >>> data["nodes"], data["edges"], data["cut"]
    (['a', 'b', 'c'], 'AQEBAQA=', [])
    """
    graph = drawn.graph
    part = embedded_part(graph, around, bytes_of(drawn))
    ids = graph.node_ids
    return {
        "name": drawn.name,
        "numNodes": len(part.rows),
        "numNodesTotal": graph.num_nodes,
        "numEdgesTotal": graph.num_edges,
        "maxNodes": max_nodes,
        "directed": graph.directed is not None,
        "nodes": [str(node) for node in ids[part.rows].tolist()],
        "edges": encode_edges(part.edges, len(part.rows), directed=graph.directed is not None),
        "cut": part.cut.tolist(),
        "centers": np.searchsorted(part.rows, _centers(graph, around, max_nodes)).tolist(),
        "labels": None if drawn.labels is None else drawn.labels[part.rows].tolist(),
        "typeSets": None if drawn.types is None else _type_sets(graph, drawn.types[0], part),
        "typeMembers": None if drawn.types is None else drawn.types[1],
        "symbols": None if drawn.symbols is None else [drawn.symbols[row] for row in part.rows],
        "positions": None
        if drawn.positions is None
        else np.asarray(drawn.positions)[part.rows].ravel().round(3).tolist(),
        "orders": _edge_values(drawn.orders, part),
        "times": _edge_values(drawn.times, part),
        "widths": _line_widths(_edge_values(drawn.weights, part)),
        "widthLimits": _width_limits(_edge_values(drawn.weights, part)),
    }


def _edge_values(values: Mapping[tuple[int, int], float] | None, part: "Sample") -> list[float] | None:
    """Return a value per edge of the page, in the order of its edges."""
    if values is None:
        return None
    ends = part.rows[part.edges].tolist()
    return [values[u, v] if (u, v) in values else values[v, u] for u, v in ends]


def _line_widths(weights: list[float] | None) -> list[int] | None:
    """Return the width of every edge as 0 to 3: the smaller half of the weights, and its 50, 20 and 5 % largest.

    >>> _line_widths([1.0, 1.0, 1.0, 90.0])
    [0, 0, 0, 3]
    """
    if not weights:
        return None
    widths: list[int] = np.searchsorted(_width_limits(weights), weights, side="left").tolist()
    return widths


def _width_limits(weights: list[float] | None) -> Any:
    """Return the largest weight of each width but the widest, or None without weights.

    >>> _width_limits([1.0, 2.0, 3.0])
    [2.0, 2.6, 2.9]
    """
    return np.quantile(weights, WIDER_FROM).tolist() if weights else None


def _type_sets(graph: Graph, sets: Int64s, part: "Sample") -> list[int]:
    """Return the set of types of every edge of the page, from that of every edge of the graph in row order."""
    source, size = np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.num_nodes
    once = slice(None) if graph.directed else source < graph.indices
    codes = source[once] * size + graph.indices[once]
    first, second = part.rows[part.edges].T
    set_numbers: list[int] = sets[np.searchsorted(codes, first * size + second)].tolist()
    return set_numbers


def encode_edges(edges: Int64s, num_nodes: int, *, directed: bool = False) -> str:
    """Return sorted edges as base64 text: per source its number of targets, then their differences, seven bits a byte.

    The first difference is that to the source, or the target itself for arcs.

    >>> encode_edges(np.array([[0, 1], [1, 2]]), 3)
    'AQEBAQA='
    """
    source, target = edges.T
    counts = np.bincount(source, minlength=num_nodes)
    first = np.cumsum(counts) - counts
    previous = np.concatenate([[0], target[:-1]])[: len(target)]
    previous[first[counts > 0]] = 0 if directed else source[first[counts > 0]]
    return base64.b64encode(_seven_bit_bytes(np.insert(target - previous, first, counts))).decode("ascii")


def _seven_bit_bytes(values: Int64s) -> bytes:
    """Return numbers as bytes of seven bits each, lowest first; all but the last byte have the high bit."""
    groups = [(values >> shift) & 127 for shift in range(0, 35, 7)]
    lengths = np.maximum(1, (np.frexp(values.astype(np.float64))[1] + 6) // 7)
    table = np.stack(groups, axis=1).astype(np.uint8)
    place = np.arange(table.shape[1])
    table[place[None, :] < lengths[:, None] - 1] |= 128
    packed: bytes = table[place[None, :] < lengths[:, None]].tobytes()
    return packed


def coloring_data(drawn: list[Drawn], around: Sequence[Hashable], radius: int) -> dict[str, Any]:
    """Return colorings (groups of similar nodes, degree, columns) and the most similar nodes of every node."""
    graphs = [each.graph for each in drawn]
    if not sum(graph.num_nodes for graph in graphs):
        return {"colorings": [], "similar": None}
    parts = [
        embedded_part(each.graph, center, bytes_of(each)).rows
        for each, center in zip(drawn, [around, ()], strict=False)
    ]
    ends = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    shown = np.concatenate([part + start for part, start in zip(parts, ends, strict=False)])
    radius = min(radius, 2 if ends[-1] <= MANY_NODES else 1)
    rows = similarity_rows(graphs, shown, radius)
    degrees = np.concatenate([graph.degrees for graph in graphs])[shown]
    groups, titles = find_roles(rows, degrees, radius, count_edges=lambda: ego_edges(graphs, shown, radius))
    colorings: list[dict[str, Any]] = [
        {"name": "similarity", "names": titles, "values": groups.tolist()},
        {"name": "degree", "names": None, "values": degrees.tolist()},
    ]
    for name in dict.fromkeys(name for each in drawn for name in each.columns):
        values = [each.column(name)[part] for each, part in zip(drawn, parts, strict=True)]
        colorings.append(column_coloring(name, np.concatenate(values)))
    count = 8 if len(rows) <= MANY_NODES else 5 if len(rows) <= MAX_EMBEDDED_NODES // 2 else 3
    similar_rows = most_similar(rows, count)
    packed = similar_rows.astype("<u4").view(np.uint8).reshape(*similar_rows.shape, 4)[..., :3].tobytes()
    similar = {
        "count": similar_rows.shape[1],
        "radius": radius,
        "nodes": base64.b64encode(packed).decode("ascii"),
    }
    return {"colorings": colorings, "similar": similar}


def embedded_part(
    graph: Graph, around: Sequence[Hashable] = (), size: tuple[float, float] = (NODE_BYTES, EDGE_BYTES)
) -> "Sample":
    """Return the part of a graph that a page contains: all of it, or the nodes nearest to `around`.

    `size` has the bytes of a node and of an edge.
    """

    def load(part: Sample) -> float:
        num_bytes = size[0] * len(part.rows) + size[1] * len(part.edges)
        return max(len(part.edges) / MAX_EMBEDDED_EDGES, num_bytes / MAX_EMBEDDED_BYTES)

    limit = MAX_EMBEDDED_NODES
    part = take_sample(graph, around, limit=limit)
    while load(part) > 1 and limit > MAX_SHOWN:
        limit = max(MAX_SHOWN, int(0.8 * min(limit, len(part.rows)) / load(part)))
        part = take_sample(graph, around, limit=limit)
    return part


def bytes_of(drawn: Drawn) -> tuple[float, float]:
    """Return about how many bytes a node and an edge of a page have: long ids, columns and times are more.

    >>> bytes_of(Drawn(Graph.from_edges([("a", "b")]), "path"))
    (30.0, 2.8)
    """
    ids = drawn.graph.node_ids[:_MEASURED].tolist()
    columns = [drawn.column(name)[:_MEASURED].tolist() for name in drawn.columns]
    node = NODE_BYTES + max(0.0, _mean_length(map(str, ids)) - 8) + sum(map(_mean_length, columns))
    node += (
        18 * (drawn.positions is not None) + 5 * (drawn.symbols is not None) + 3 * (drawn.labels is not None)
    )
    times = [] if drawn.times is None else list(islice(drawn.times.values(), _MEASURED))
    edge = EDGE_BYTES + _mean_length(times) + 2 * (drawn.weights is not None) + 4 * (drawn.types is not None)
    return node, edge + 4 * (drawn.orders is not None)


def _mean_length(values: Iterable[Any]) -> float:
    """Return the mean length of some values as JSON, with commas; 0 of none."""
    lengths = [len(json.dumps(value)) + 2 for value in values]
    return sum(lengths) / len(lengths) if lengths else 0.0


def settings_data(schema: Schema) -> dict[str, Any]:
    """Return the initial settings of the page; several radii become the largest with all smaller ones."""
    settings = schema.settings
    radius = max(settings.radius)
    if settings.is_nested:
        raise InputError("the explorer shows rings around nodes. Encode without common and rooted.")
    if settings.degrees == "in_out":
        way_out = in_python("egonet.explain", "egonet explain")
        raise InputError(f"the explorer does not show {option('degrees', 'in_out')}. Use {way_out}.")
    if radius > MAX_RADIUS:
        raise InputError(f"the explorer shows radius 0 to {MAX_RADIUS}, got {radius}.")
    if len(settings.radius) > 1 and sorted(settings.radius) != list(range(1, radius + 1)):
        raise InputError(f"the explorer shows one radius, or all from 1 as in (1, 2), got {settings.radius}.")
    return {
        "radius": radius,
        "smallerRadii": len(settings.radius) > 1,
        "degrees": settings.degrees,
        "frontierEdges": settings.frontier_edges,
        "maxDegree": settings.max_degree,
        "degreeBins": settings.degree_bins,
        "labelNames": None if schema.labels is None else [str(name) for name in schema.labels],
        "typeNames": None if schema.edge_labels is None else [str(name) for name in schema.edge_labels],
    }


def row_labels(encoding: Encoding) -> Int64s | None:
    """Return the label number of every node, from the key of the root, or None without labels."""
    if encoding.vocabulary.labels is None:
        return None
    if encoding.graph is None or len(encoding) != encoding.graph.num_nodes or encoding.unseen.num_rows:
        raise InputError("with labels, the explorer needs every node encoded with its own vocabulary.")
    keys = encoding.vocabulary.keys
    radius = encoding.vocabulary.settings.radius[0]
    is_root = (keys[:, 0] == radius) & (keys[:, 1] == 0)
    entries = encoding.matrix[:, np.flatnonzero(is_root)].tocsr()
    entries.sort_indices()
    labels: Int64s = keys[is_root, -1][entries.indices]
    return labels


def verdict_data(
    graphs: list[Graph], bins: Mapping[str, Any] | None = None, **labels: Any
) -> list[dict[str, Any]]:
    """Return the results of the tests that the page cannot run, exact isomorphism last.

    `labels` and `bins` are those of `compare`: labels, edge_labels and weights; weight_bins.

    >>> import egonet
    >>> found = verdict_data([egonet.named.shrikhande(), egonet.named.rook_4x4()])
    >>> [(verdict["test"], verdict["equal"]) for verdict in found]
    [('R1', False), ('R2', False), ('2-FWL', True), ('R3', False), ('isomorphic', False)]
    """
    if len(graphs) < 2 or max(graph.num_nodes for graph in graphs) > MAX_SHOWN:
        return []
    if max(graph.num_nodes for graph in graphs) > MAX_COMPARED:
        first, second = graphs
        verdicts = [_exact(first, second, **labels, **(bins or {}))]
    else:
        counted: Any = {name: value for name, value in (bins or {}).items() if value is not None}
        first, second = graphs
        every = compare(first, second, radius=2, **counted, **labels).verdicts
        verdicts = [v for v in every if v.test.startswith(STRONG_TESTS) or v.test == "isomorphic"]
    return [{"test": v.test, "equal": v.equal, "note": v.note} for v in verdicts]


def _exact(first: Graph, second: Graph, **labels: Any) -> Verdict:
    """Return the result of exact isomorphism, or which package is missing."""
    try:
        return Verdict("isomorphic", equal=equivalent(first, second, test="exact", **labels))
    except MissingExtraError as error:
        return Verdict("isomorphic", equal=None, note=str(error))


def take_sample(graph: Graph, around: Sequence[Hashable] = (), *, limit: int = MAX_SHOWN) -> Sample:
    """Return the whole graph if it fits, else the `limit` nodes nearest to the nodes `around`.

    Without `around` the center is the node with the most two-hop walks whose two-hop neighborhood fits.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], num_nodes=5)
    >>> sample = take_sample(path, around=[0], limit=3)
    >>> sample.rows.tolist(), sample.edges.tolist(), sample.cut.tolist()
    ([0, 1, 2], [[0, 1], [1, 2]], [2])
    """
    centers = _centers(graph, around, limit)
    rows = np.arange(graph.num_nodes) if not centers else _nearest_rows(graph, centers, limit)
    position = np.full(graph.num_nodes, -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    source = np.repeat(rows, graph.degrees[rows])
    target = _neighbor_rows(graph, rows)
    inside = position[target] >= 0
    cut = np.unique(position[source[~inside]])
    once = inside if graph.directed else inside & (source < target)
    edges = np.stack([position[source[once]], position[target[once]]], axis=1)
    return Sample(rows, edges, cut, centers)


def _centers(graph: Graph, around: Sequence[Hashable], limit: int) -> list[int]:
    """Return the nodes around which a sample is taken: none if the whole graph fits."""
    if graph.num_nodes <= limit:
        return []
    return [graph.index_of(node) for node in around] or [_sample_center(graph, limit)]


def _neighbor_rows(graph: Graph, rows: Int64s) -> Int64s:
    """Return the neighbors of several nodes, concatenated."""
    lengths = graph.degrees[rows]
    starts = np.repeat(graph.indptr[rows] - (np.cumsum(lengths) - lengths), lengths)
    return graph.indices[starts + np.arange(len(starts))].astype(np.int64)


def _nearest_rows(graph: Graph, centers: list[int], limit: int) -> Int64s:
    """Return the first `limit` nodes of a breadth-first search, sorted; fewer if the component is smaller."""
    seen = np.zeros(graph.num_nodes, dtype=bool)
    met = front = np.unique(np.array(centers, dtype=np.int64))
    seen[front] = True
    while len(front) and len(met) < limit:
        reached = _neighbor_rows(graph, front)
        front = np.unique(reached[~seen[reached]])
        seen[front] = True
        met = np.concatenate([met, front])
    return np.sort(met[:limit])


def _sample_center(graph: Graph, limit: int) -> int:
    """Return the node with the most two-hop walks below `limit`, or the one with the fewest walks."""
    degrees = graph.degrees
    walks = np.bincount(
        np.repeat(np.arange(graph.num_nodes), degrees), degrees[graph.indices], graph.num_nodes
    )
    around = 1 + degrees + walks
    fits = around <= limit
    return int(np.argmax(np.where(fits, around, -1))) if fits.any() else int(np.argmin(around))

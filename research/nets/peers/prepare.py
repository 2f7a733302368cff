"""Prepare the data sets for the peers: read them, and make every column that needs egonet or counts substructures."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

import egonet
from egonet import Graph
from egonet.errors import InputError
from research.datasets.readers import read_dataset
from research.nets.peers.records import PeerGraphs
from research.nets.peers.sets import PeerSet
from research.nets.peers.substructures import clique_counts, cycle_counts, node_counts, row_types
from research.today.readers import read_gin_set
from research.today.rivals import walk_returns
from research.today.sources import GraphList, read_zinc

Array: TypeAlias = np.ndarray[Any, Any]

SETS = (
    "mutag", "ptc", "proteins", "imdb-b", "nci1", "randomgraph", "exp", "graph8c", "sr25", "zinc"
)  # fmt: skip
#: Sets whose graphs are so dense that cliques are counted instead of cycles, and degrees are binned.
DENSE = ("imdb-b", "sr25")
_WALKS, _RETURNS, _LONGEST, _TYPES = 5, 16, 6, 64
_DEGREES = 64


def prepare(name: str, limit: int | None = None) -> PeerSet:
    """Return a data set with all columns; with `limit`, that many of its graphs."""
    if name not in SETS:
        raise InputError(f"there is no data set {name!r} for the peers. There are: {', '.join(SETS)}.")
    found = _read(name)
    if limit is not None:
        found = found.first(limit)
    graphs = found.graphs
    union = union_of(graphs)
    seconds: dict[str, float] = {}

    def timed(key: str, make: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        made = make()
        seconds[key] = round(time.perf_counter() - started, 4)
        return made

    counts, per_node = timed("counts", lambda: _counts(name, graphs, union))
    source = _offset(graphs)[:, 0]
    columns = {
        "ego": timed("ego", lambda: ego_columns(name, union)),
        "ego1": timed("ego1", lambda: ego_columns(name, union, 1)),
        "ego2": timed("ego2", lambda: ego_columns(name, union, 2)),
        "rwse": timed("rwse", lambda: walk_returns(graph_list(graphs), _RETURNS)),
        "counts": np.log1p(node_counts(source, counts, union.num_nodes, per_node=per_node)),
        "walks": timed("walks", lambda: closed_walks(graphs)),
    }
    types = row_types(np.column_stack([counts, graphs.types]), _TYPES)
    return replace(found, columns=columns, structure_types=types, seconds=seconds)


def _read(name: str) -> PeerSet:
    """Return graphs, inputs, targets and parts of a set, without columns."""
    if name == "zinc":
        graphs, targets, split = read_zinc()
        hot = np.eye(int(graphs.label.max()) + 1)[graphs.label]
        made = _from_list(graphs, hot, types=graphs.bond - 1)
        return PeerSet(name, made, {}, made.types, targets[None].astype(np.float32), split[None])
    if name in ("imdb-b", "nci1"):
        graphs, classes, parts = read_gin_set(name)
        labels = graphs.label if name == "nci1" else np.minimum(graphs.as_graph().degrees, _DEGREES)
        made = _from_list(graphs, np.eye(int(labels.max()) + 1)[labels])
        return PeerSet(name, made, {}, made.types, classes[None], parts)
    data = read_dataset(name)
    pairs = np.array(list(data.union.edges()), dtype=np.int64).reshape(-1, 2)
    none = np.zeros(data.union.num_nodes, dtype=np.int64)
    graphs = GraphList(data.node_ptr, pairs, none, np.ones(len(pairs), dtype=np.int64))
    made = _from_list(graphs, data.inputs)
    parts = np.full((max(len(data.splits), 1), data.num_graphs), -1, dtype=np.int8)
    for fold, lists in enumerate(data.splits):
        for kind, numbers in zip((0, 2) if len(lists) == 2 else (0, 1, 2), lists, strict=True):
            parts[fold, numbers] = kind
    targets = np.asarray(data.targets)
    lines = targets.T if targets.ndim > 1 else targets[None]
    if not targets.size:
        lines = np.zeros((1, data.num_graphs), dtype=np.int64)
    return PeerSet(name, made, {}, made.types, lines, parts)


def _from_list(graphs: GraphList, inputs: Array, types: Array | None = None) -> PeerGraphs:
    """Return graphs with arcs in both directions, sorted by graph, source and target."""
    kinds = np.zeros(len(graphs.edges), dtype=np.int64) if types is None else types
    ends = np.concatenate([graphs.edges, graphs.edges[:, ::-1]])
    both = np.concatenate([kinds, kinds])
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, both = ends[order], both[order]
    owner = graphs.graph_of[ends[:, 0]]
    counts = np.bincount(owner, minlength=graphs.num_graphs)
    degrees = np.bincount(ends[:, 0], minlength=graphs.num_nodes)
    if types is not None or inputs.shape[1] > 2:  # labels; the others have their degree already
        inputs = np.column_stack([inputs, np.log1p(degrees)])
    return PeerGraphs(
        sizes=np.diff(graphs.start).astype(np.int64),
        arcs=(ends - graphs.start[owner][:, None]).astype(np.int32),
        arc_ptr=np.concatenate([[0], np.cumsum(counts)]),
        inputs=inputs.astype(np.float32),
        types=both,
        num_types=int(both.max(initial=0)) + 1,
    )


def _offset(graphs: PeerGraphs) -> Array:
    """Return the arcs with the numbers of all nodes."""
    start = np.concatenate([[0], np.cumsum(graphs.sizes)])[:-1]
    owner = np.repeat(np.arange(len(graphs.sizes)), np.diff(graphs.arc_ptr))
    ends: Array = graphs.arcs + start[owner][:, None]
    return ends


def union_of(graphs: PeerGraphs) -> Graph:
    """Return all graphs as one."""
    ends = _offset(graphs)
    up = ends[:, 0] < ends[:, 1]
    return Graph.from_indices(ends[up, 0].copy(), ends[up, 1].copy(), int(graphs.sizes.sum()))


def graph_list(graphs: PeerGraphs) -> GraphList:
    """Return graphs in the form that the random walks read."""
    ends = _offset(graphs)
    ends = ends[ends[:, 0] < ends[:, 1]]
    start = np.concatenate([[0], np.cumsum(graphs.sizes)])
    return GraphList(start, ends, np.zeros(start[-1], dtype=np.int64), np.ones(len(ends), dtype=np.int64))


def _counts(name: str, graphs: PeerGraphs, union: Graph) -> tuple[Array, Array]:
    """Return the substructures through every arc, and how many arcs one has at a node."""
    if name in DENSE:
        return clique_counts(graphs.sizes, graphs.arcs, graphs.arc_ptr), np.array([2, 3, 4])
    counts = cycle_counts(union.indptr, union.indices.astype(np.int64), _LONGEST)
    return counts, np.full(_LONGEST - 2, 2)


def ego_columns(name: str, union: Graph, radius: int | tuple[int, ...] = (1, 2)) -> Array:
    """Return log(1 + count) of the ego encoding, by default of radius 1 and 2 (ZINC: to 3); ZINC has full degrees."""
    options: dict[str, Any] = {"radius": radius}
    if name in DENSE:
        options["degree_bins"] = "log"
    if name == "zinc":
        options = {"radius": (1, 2, 3) if radius == (1, 2) else radius, "degrees": "full"}
    columns: Array = np.log1p(egonet.encode(union, **options).matrix.toarray())
    return columns


def closed_walks(graphs: PeerGraphs) -> Array:
    """Return log(1 + closed walks of length 2 ... 5) of every node."""
    found = []
    for graph, size in enumerate(graphs.sizes.tolist()):
        own = graphs.arcs[graphs.arc_ptr[graph] : graphs.arc_ptr[graph + 1]]
        near = np.zeros((size, size))
        near[own[:, 0], own[:, 1]] = 1
        power, counts = near, []
        for _ in range(2, _WALKS + 1):
            power = power @ near
            counts.append(np.diagonal(power))
        found.append(np.stack(counts, axis=1))
    columns: Array = np.log1p(np.concatenate(found))
    return columns

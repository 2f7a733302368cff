"""Families of graphs with one target for all nodes: airports, Twitch, Wikipedia, social graphs, generated ones."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import connected_components, shortest_path

from egonet import Graph
from egonet.typing import Int64s
from research.links.other_graphs import data_file
from research.paper.nodes.link_prediction import read_links
from research.today.readers import read_airports, read_node_set, read_paper_set, read_twitch

#: Nodes from which the mean distance of a node is measured.
LANDMARKS = 256


@dataclass(frozen=True)
class Member:
    """One graph of a family.

    Attributes
    ----------
    graph
        The graph.
    target
        int64 (num_nodes,): the class of every node, -1 for a node that has none.
    """

    graph: Graph
    target: Int64s


def central_quarter(graph: Graph, seed: int = 0) -> Int64s:
    """Return in which quarter, 0 to 3, a node's mean distance to the others lies; -1 outside of the largest component.

    Examples
    --------
    >>> from egonet import named
    >>> central_quarter(named.path(8)).tolist()
    [3, 2, 1, 0, 0, 1, 2, 3]
    """
    arcs = graph.to_scipy()
    part = connected_components(arcs, directed=False)[1]
    inside = np.flatnonzero(part == np.bincount(part).argmax())
    starts = inside
    if len(inside) > LANDMARKS:
        starts = np.random.default_rng(seed).choice(inside, LANDMARKS, replace=False)
    distance = shortest_path(arcs, unweighted=True, indices=starts)[:, inside].mean(axis=0)
    lower = np.searchsorted(np.sort(distance), distance, side="left")
    upper = np.searchsorted(np.sort(distance), distance, side="right")
    target = np.full(graph.num_nodes, -1, dtype=np.int64)
    target[inside] = np.minimum(2 * (lower + upper) // len(inside), 3)
    return target


def central(graph: Graph) -> Member:
    """Return a graph whose target is how central a node is."""
    return Member(graph, central_quarter(graph))


def citations(name: str) -> Graph:
    """Return Citeseer or Pubmed without the attributes."""
    with np.load(data_file(f"links/{name}.npz"), allow_pickle=False) as arrays:
        edges = arrays["edges"].astype(np.int64)
        return Graph.from_indices(edges[:, 0], edges[:, 1], int(arrays["num_nodes"]))


def proteins(name: str) -> Member:
    """Return all graphs of PROTEINS or ENZYMES as one; the target is helix, sheet or turn."""
    graphs, _ = read_paper_set(name)
    label = np.asarray(graphs.label, dtype=np.int64)
    return Member(graphs.as_graph(), label - label.min())


def interactions(number: int) -> Graph:
    """Return one tissue of the protein interactions of GraphSAGE, without self-loops."""
    with np.load(data_file("ppi/ppi_topology.npz"), allow_pickle=False) as arrays:
        first, last = arrays["edge_ptr"][number : number + 2].tolist()
        edges = arrays["edges"][first:last].astype(np.int64)
        size = int(np.diff(arrays["node_ptr"])[number])
    edges = edges[edges[:, 0] != edges[:, 1]]
    return Graph.from_indices(edges[:, 0], edges[:, 1], size)


def roles(num_base: int, links: int, seed: int) -> Member:
    """Return a preferential-attachment graph with houses, stars, cliques and paths hung on it; the target is the role.

    Classes: 0 base, 1 base with a shape, 2 roof of a house, 3 wall of a house, 4 center of a star, 5 leaf of a star,
    6 clique, 7 path.
    """
    rng = np.random.default_rng(seed)
    graph = nx.barabasi_albert_graph(num_base, links, seed=seed)
    target = [0] * num_base
    shapes = [
        (nx.house_graph(), [3, 3, 3, 3, 2]),
        (nx.star_graph(6), [4] + [5] * 6),
        (nx.complete_graph(6), [6] * 6),
        (nx.path_graph(5), [7] * 5),
    ]
    for number in range(num_base // 8):
        shape, kinds = shapes[number % len(shapes)]
        first = len(target)
        graph.add_edges_from((first + u, first + v) for u, v in shape.edges)
        base = int(rng.integers(num_base))
        graph.add_edge(base, first)
        target[base] = 1
        target += kinds
    ends = np.array(graph.edges, dtype=np.int64)
    return Member(Graph.from_indices(ends[:, 0], ends[:, 1], len(target)), np.array(target))


def blocks(size: int, density: float, seed: int) -> Member:
    """Return a graph of a core, two communities, a periphery and bridges; the target is which of the four kinds.

    All probabilities grow with `density`, so that two graphs differ in degrees and not in kind.
    """
    share = np.array([0.1, 0.3, 0.3, 0.2, 0.1])  # core, two communities, periphery, bridges
    ties = np.array(
        [
            [40, 8, 8, 4, 4],
            [8, 16, 0.5, 0.5, 6],
            [8, 0.5, 16, 0.5, 6],
            [4, 0.5, 0.5, 0.2, 0.2],
            [4, 6, 6, 0.2, 1],
        ]
    )
    rng = np.random.default_rng(seed)
    block = rng.permutation(np.repeat(np.arange(5), (share * size).astype(int)))
    u, v = np.triu_indices(len(block), 1)
    linked = rng.random(len(u)) < np.minimum(density * ties[block[u], block[v]] / size, 1)
    kind = np.array([0, 1, 1, 2, 3])
    return Member(Graph.from_indices(u[linked], v[linked], len(block)), kind[block])


def _airports(name: str) -> Member:
    graphs, target = read_airports(name)
    return Member(graphs.as_graph(), np.asarray(target))


def _twitch(name: str) -> Member:
    graphs, target = read_twitch(name)
    return Member(graphs.as_graph(), np.asarray(target))


def _wikipedia(name: str) -> Member:
    graphs, _, target, _ = read_node_set(name)
    return Member(graphs.as_graph(), np.asarray(target))


@dataclass(frozen=True)
class Family:
    """Graphs with one target.

    Attributes
    ----------
    target
        What is predicted, in words.
    half
        "choice" if columns are chosen on it, "test" if they are only tested on it, "later" if it was added after all
        columns were settled.
    members
        A function per graph that reads or draws it.
    """

    target: str
    half: str
    members: dict[str, Callable[[], Member]]


def _central_of(read: Callable[[Any], Any], name: Any) -> Any:
    """Return a graph by its name, with central nodes as classes."""
    return central(read(name))


FAMILIES = {
    "airports": Family(
        "activity of an airport, 4 classes",
        "choice",
        {name: partial(_airports, name) for name in ("brazil", "europe", "usa")},
    ),
    "citations": Family(
        "how central a paper is, 4 classes",
        "choice",
        {name: partial(_central_of, citations, name) for name in ("citeseer", "pubmed")},
    ),
    "proteins": Family(
        "helix, sheet or turn",
        "choice",
        {name: partial(proteins, name) for name in ("proteins", "enzymes")},
    ),
    "roles": Family(
        "role in a generated graph, 8 classes",
        "choice",
        {
            "sparse": lambda: roles(600, 2, 0),
            "medium": lambda: roles(1200, 5, 1),
            "dense": lambda: roles(1200, 12, 2),
        },
    ),
    "Twitch": Family(
        "mature content",
        "test",
        {name: partial(_twitch, name) for name in ("DE", "ENGB", "FR", "RU")},
    ),
    "social": Family(
        "how central a person is, 4 classes",
        "test",
        {
            "facebook": lambda: central(read_links("facebook")),
            "ca-astroph": lambda: central(read_links("ca-astroph")),
        },
    ),
    "interactions": Family(
        "how central a protein is, 4 classes",
        "test",
        {f"tissue {number}": partial(_central_of, interactions, number) for number in (0, 7, 15)},
    ),
    "blocks": Family(
        "core, community, periphery or bridge in a generated graph",
        "test",
        {
            "sparse": lambda: blocks(800, 1, 0),
            "medium": lambda: blocks(1500, 2.5, 1),
            "dense": lambda: blocks(1500, 6, 2),
        },
    ),
    "Wikipedia": Family(
        "visitors of an article, 5 classes",
        "later",
        {name: partial(_wikipedia, name) for name in ("chameleon", "squirrel")},
    ),
}

"""How many nodes change their 1-WL color and their encoding, and by how much, when one edge is removed.

`python -m research.stability.edges` measures 20 graphs, 20 removed edges each, and writes `results/stability.jsonl`.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import egonet
from egonet import Graph, disjoint_union, named
from egonet.io import atomic_path
from egonet.typing import Floats, Int64s
from egonet.wl import graph_classes, refine_colors
from research.links.other_graphs import other_graph
from research.paper.nodes.link_prediction import read_links
from research.paper.results import current_commit
from research.today.readers import read_airports, read_node_set, read_twitch

RESULTS = Path("results/stability.jsonl")
#: Edges that are removed from every graph, one at a time, and the seed that draws them.
REMOVED, SEED = 20, 0


@dataclass(frozen=True)
class Change:
    """What the removal of one edge changes.

    Attributes
    ----------
    stable, rounds
        The share of nodes with another stable 1-WL color, and with another color after two rounds.
    encoding
        Radius to the share of nodes with another encoding.
    distance
        Radius to the mean change of a changed row: the sum of absolute differences, divided by the sum of both rows; 1
        if they have no key in common.
    """

    stable: float
    rounds: float
    encoding: dict[int, float]
    distance: dict[int, float]


def drawn(graph: nx.Graph) -> Graph:
    """Return a graph of networkx with its nodes numbered."""
    return Graph.from_edges(list(nx.convert_node_labels_to_integers(graph).edges), len(graph))


#: Name to its graph: measured networks first, then drawn ones.
GRAPHS: dict[str, Callable[[], Graph]] = {
    "karate club": named.karate_club,
    "airports, Brazil": lambda: read_airports("brazil")[0].as_graph(),
    "airports, Europe": lambda: read_airports("europe")[0].as_graph(),
    "airports, USA": lambda: read_airports("usa")[0].as_graph(),
    "Chameleon": lambda: read_node_set("chameleon")[0].as_graph(),
    "CollegeMsg": lambda: other_graph("CollegeMsg"),
    "Squirrel": lambda: read_node_set("squirrel")[0].as_graph(),
    "PPI": lambda: other_graph("ppi"),
    "Facebook": lambda: read_links("facebook"),
    "bitcoin-otc": lambda: other_graph("bitcoin-otc"),
    "Twitch, France": lambda: read_twitch("FR")[0].as_graph(),
    "Twitch, England": lambda: read_twitch("ENGB")[0].as_graph(),
    "Actor": lambda: read_node_set("actor")[0].as_graph(),
    "Minesweeper": lambda: read_node_set("minesweeper")[0].as_graph(),
    "CA-AstroPh": lambda: read_links("ca-astroph"),
    "random tree": lambda: drawn(nx.random_labeled_tree(1000, seed=SEED)),
    "random 3-regular graph": lambda: drawn(nx.random_regular_graph(3, 1000, seed=SEED)),
    "Erdős–Rényi": lambda: drawn(nx.gnm_random_graph(1000, 3000, seed=SEED)),
    "Barabási–Albert": lambda: drawn(nx.barabasi_albert_graph(1000, 3, seed=SEED)),
    "Watts–Strogatz": lambda: drawn(nx.connected_watts_strogatz_graph(1000, 6, 0.1, seed=SEED)),
}


def without_edge(graph: Graph, edge: int) -> Graph:
    """Return a graph without one of its edges, counted in row order.

    Examples
    --------
    >>> without_edge(named.cycle(4), 0).degrees.tolist()
    [1, 1, 2, 2]
    """
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    kept = np.delete(np.flatnonzero(source < graph.indices), edge)
    return Graph.from_indices(source[kept], graph.indices[kept].astype(np.int64), graph.num_nodes)


def colors_after(graph: Graph, rounds: int) -> Int64s:
    """Return the 1-WL color of every node after some rounds.

    Examples
    --------
    >>> [colors_after(named.path(6), rounds).tolist() for rounds in (1, 2)]
    [[0, 1, 1, 1, 1, 0], [0, 1, 2, 2, 1, 0]]
    """
    colors = np.zeros(graph.num_nodes, dtype=np.int64)
    for _ in range(rounds):
        around = graph_classes(colors[graph.indices], graph.indptr)
        colors = np.unique(np.column_stack([colors, around]), axis=0, return_inverse=True)[1].reshape(-1)
    return colors


def changed_share(classes: Int64s) -> float:
    """Return the share of nodes whose class differs between the two halves of a union."""
    half = len(classes) // 2
    return float((classes[:half] != classes[half:]).mean())


def row_changes(first: Any, second: Any) -> Floats:
    """Return how much every row changes, from 0 (equal) to 1 (no key in common).

    Examples
    --------
    An end of the path has lost one of two neighbors: {(0, 2): 1, (1, 1): 2} becomes {(0, 1): 1, (1, 1): 1}.

    >>> both = egonet.encode([named.cycle(4), named.path(4)], 1).matrix
    >>> row_changes(both[:4], both[4:]).round(2).tolist()
    [0.6, 0.0, 0.0, 0.6]
    """
    moved = np.asarray(abs(first - second).sum(axis=1)).reshape(-1)
    total = np.asarray((first + second).sum(axis=1)).reshape(-1)
    return np.asarray(moved / total)


def remove_edge(graph: Graph, edge: int) -> Change:
    """Return what changes when one edge is removed; colors of both graphs are comparable, since they refine together.

    Examples
    --------
    A ring of six that becomes a path: every color changes; at radius 1 the ends of the edge and their neighbors do.

    >>> found = remove_edge(named.cycle(6), 0)
    >>> found.stable, round(found.rounds, 2), {radius: round(share, 2) for radius, share in found.encoding.items()}
    (1.0, 0.67, {1: 0.33, 2: 0.67})
    """
    both = [graph, without_edge(graph, edge)]
    union, _ = disjoint_union(both)
    size = graph.num_nodes
    share, distance = {}, {}
    for radius in (1, 2):
        matrix = egonet.encode(both, radius).matrix
        moved = row_changes(matrix[:size], matrix[size:])
        share[radius] = float((moved > 0).mean())
        distance[radius] = float(moved[moved > 0].mean())
    stable = changed_share(refine_colors(union, np.zeros(2 * size, dtype=np.int64)))
    return Change(stable, changed_share(colors_after(union, 2)), share, distance)


def measure(name: str, graph: Graph, count: int = REMOVED) -> dict[str, Any]:
    """Return the line of one graph: the mean, smallest and largest share over some removed edges."""
    graph = Graph.from_checked(graph.indptr, graph.indices)
    rng = np.random.default_rng(SEED)
    edges = rng.permutation(graph.num_edges)[:count]
    found = [remove_edge(graph, int(edge)) for edge in edges]
    parts = {
        "wl_stable": [each.stable for each in found],
        "wl_2_rounds": [each.rounds for each in found],
        "encoding_radius_1": [each.encoding[1] for each in found],
        "encoding_radius_2": [each.encoding[2] for each in found],
        "change_radius_1": [each.distance[1] for each in found],
        "change_radius_2": [each.distance[2] for each in found],
    }
    line: dict[str, Any] = {"graph": name, "nodes": graph.num_nodes, "edges": graph.num_edges}
    line |= {"removed": len(found), "seed": SEED}
    for key, values in parts.items():
        line[key] = {
            "mean": round(float(np.mean(values)), 6),
            "low": round(min(values), 6),
            "high": round(max(values), 6),
        }
    return line


def all_lines() -> Iterator[dict[str, Any]]:
    """Yield the line of every graph."""
    origin = {"commit": current_commit(), "date": date.today().isoformat(), "version": egonet.__version__}
    for name, make in GRAPHS.items():
        yield measure(name, make()) | origin


def main(target: Path = RESULTS) -> None:
    """Measure every graph and write the lines."""
    lines = []
    for line in all_lines():
        lines.append(json.dumps(line, ensure_ascii=False))
        sys.stderr.write(f"{lines[-1]}\n")
    with atomic_path(target) as temporary:
        temporary.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

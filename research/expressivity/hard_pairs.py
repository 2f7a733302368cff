"""Hard graphs drawn from a seed: strongly regular ones of equal parameters, and CFI pairs over random base graphs.

`python -m research.expressivity.hard_pairs SEED` draws graphs that were used nowhere else and counts the marks
that distinguish them. Isomorphism is decided by BLISS, and the smaller searches are repeated in plain Python.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

import networkx as nx
import numpy as np

from egonet import Graph, disjoint_union, individualize, named
from egonet.typing import Cell
from egonet.wl import as_lists, isomorphic, search_classes
from research.expressivity.invariance import relabeled

Block = frozenset[int]
MOST_MARKS = 6


def latin_square(order: int, rng: np.random.Generator) -> list[list[int]]:
    """Return a random Latin square: row by row, each a random matching of columns with symbols they do not have.

    Examples
    --------
    >>> square = latin_square(4, np.random.default_rng(0))
    >>> [sorted(row) for row in [*square, *zip(*square)]] == [[0, 1, 2, 3]] * 8
    True
    """
    rows: list[list[int]] = []
    while len(rows) < order:
        free = nx.Graph()
        columns = [("column", int(column)) for column in rng.permutation(order)]
        for name, column in columns:
            used = {row[column] for row in rows}
            symbols = [int(symbol) for symbol in rng.permutation(order) if symbol not in used]
            free.add_edges_from(((name, column), ("symbol", symbol)) for symbol in symbols)
        matched = nx.bipartite.hopcroft_karp_matching(free, top_nodes=columns)
        rows.append([matched["column", column][1] for column in range(order)])
    return rows


def latin_square_graph(square: Sequence[Sequence[int]]) -> Graph:
    """Return the cells of a Latin square, joined if they share row, column or symbol: strongly regular.

    Examples
    --------
    >>> latin_square_graph([[0, 1, 2], [1, 2, 0], [2, 0, 1]]).degrees.tolist()
    [6, 6, 6, 6, 6, 6, 6, 6, 6]
    """
    cells = [(row, column, symbol) for row, line in enumerate(square) for column, symbol in enumerate(line)]
    near = [
        (i, j)
        for (i, one), (j, other) in combinations(enumerate(cells), 2)
        if any(a == b for a, b in zip(one, other, strict=True))
    ]
    return Graph.from_edges(near, len(cells))


def triple_system(switches: int, rng: np.random.Generator) -> list[Block]:
    """Return a Steiner triple system of 15 points: the lines of PG(3, 2) after some random Pasch switches.

    Examples
    --------
    >>> blocks = triple_system(3, np.random.default_rng(0))
    >>> len(blocks), len({pair for block in blocks for pair in combinations(sorted(block), 2)})
    (35, 105)
    """
    blocks = [frozenset((a, b, a ^ b)) for a in range(1, 16) for b in range(a + 1, 16) if a ^ b > b]
    for _ in range(switches):
        found = list(_pasch(blocks))
        if not found:
            break
        chosen = found[int(rng.integers(len(found)))]
        points = frozenset().union(*chosen)
        blocks = [block for block in blocks if block not in chosen] + [points - block for block in chosen]
    return blocks


def _pasch(blocks: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """Yield four blocks on six points, each point on two of them."""
    line = {frozenset(pair): block for block in blocks for pair in combinations(block, 2)}
    for one, other in combinations(blocks, 2):
        shared = one & other
        if len(shared) != 1:
            continue
        (a, b), (c, d) = sorted(one - shared), sorted(other - shared)
        for pairs in (((a, c), (b, d)), ((a, d), (b, c))):
            third, fourth = (line[frozenset(pair)] for pair in pairs)
            if len(third & fourth) == 1 and not third & fourth <= one | other:
                yield one, other, third, fourth


def block_graph(blocks: Sequence[Block]) -> Graph:
    """Return the blocks of a triple system, joined if they meet: strongly regular."""
    near = [(i, j) for (i, one), (j, other) in combinations(enumerate(blocks), 2) if one & other]
    return Graph.from_edges(near, len(blocks))


def base_graphs(seed: int, sizes: Sequence[tuple[int, int]]) -> Iterator[tuple[str, Graph]]:
    """Yield connected random regular graphs of the given (degree, nodes)."""
    for number, (degree, size) in enumerate(sizes):
        drawn = nx.Graph()
        attempt = 0
        while not (len(drawn) and nx.is_connected(drawn)):
            drawn = nx.random_regular_graph(degree, size, seed=1000 * seed + 50 * number + attempt)
            attempt += 1
        yield f"{degree}-regular, {size} nodes", Graph.from_edges(sorted(drawn.edges), size)


def feedback_number(graph: Graph) -> int:
    """Return the least number of nodes that meet all cycles.

    Examples
    --------
    >>> from egonet import named
    >>> feedback_number(named.cycle(5)), feedback_number(named.complete(5))
    (1, 3)
    """
    whole = nx.Graph(graph.edges().astype(int).tolist())
    for count in range(len(whole)):
        for chosen in combinations(whole, count):
            if nx.is_forest(whole.subgraph(set(whole) - set(chosen))):
                return count
    return 0


def least_marks(pair: Sequence[Graph], cell: Cell) -> int | None:
    """Return the least number of marks that distinguish two graphs, None if `MOST_MARKS` do not."""
    for marks in range(1, MOST_MARKS + 1):
        if len(set(individualize(list(pair), marks, cell=cell).graphs.tolist())) == 2:
            return marks
    return None


def by_definition(graphs: Sequence[Graph], marks: int) -> bool:
    """Return whether the plain Python definition gives every node of some graphs the same class."""
    union, _ = disjoint_union(list(graphs))
    expected, complete = search_classes(as_lists(union.indptr, union.indices), marks)
    found = individualize(list(graphs), marks)
    return bool(found.nodes.tolist() == expected and found.complete.tolist() == complete)


def strongly_regular(name: str, graphs: Sequence[Graph], rng: np.random.Generator) -> dict[str, Any]:
    """Return how many graphs of one parameter set marks distinguish, and whether copies stay equal."""
    kinds = [next(j for j in range(i + 1) if isomorphic(graphs[i], graphs[j])) for i in range(len(graphs))]
    square = graphs[0].to_scipy().toarray()
    common = square @ square
    copies = [relabeled(graph, rng)[0] for graph in graphs]
    row: dict[str, Any] = {"graphs": name, "drawn": len(graphs), "isomorphism_classes": len(set(kinds))}
    row["parameters"] = [
        graphs[0].num_nodes,
        int(square[0].sum()),
        *(
            sorted({int(value) for value in common[(square == near) & ~np.eye(len(square), dtype=bool)]})
            for near in (1, 0)
        ),
    ]
    for marks in (1, 2):
        found = individualize([*graphs, *copies], marks).graphs.tolist()
        row[f"classes_of_{marks}_marks"] = len(set(found))
        row["copies_equal"] = row.get("copies_equal", True) and found[: len(graphs)] == found[len(graphs) :]
    same = [[a == b for b in kinds] for a in kinds]
    row["as_isomorphism"] = same == [[a == b for b in found[: len(graphs)]] for a in found[: len(graphs)]]
    return row


def cfi(name: str, base: Graph, rng: np.random.Generator) -> dict[str, Any]:
    """Return how many marks distinguish the CFI pair of a base graph, and whether copies stay equal."""
    pair = named.cfi_pair(base)
    row: dict[str, Any] = {"graphs": f"CFI over {name}", "nodes": pair[0].num_nodes}
    row |= {"isomorphic": isomorphic(*pair), "meet_all_cycles": feedback_number(base)}
    row |= {"marks_largest": least_marks(pair, "largest"), "marks_all": least_marks(pair, "all")}
    copies = [[graph, relabeled(graph, rng)[0]] for graph in pair]
    marks = row["marks_largest"] or MOST_MARKS
    row["copies_equal"] = all(individualize(both, marks).graphs.tolist() == [0, 0] for both in copies)
    return row


def measure(seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row per family of strongly regular graphs and per CFI pair."""
    rng = np.random.default_rng([seed, 26])
    for order, count in ((5, 4), (6, 6), (7, 6), (9, 4)):
        squares = [latin_square_graph(latin_square(order, rng)) for _ in range(count)]
        row = strongly_regular(f"Latin squares of order {order}", squares, rng)
        yield row | ({"definition": by_definition(squares[:2], 2)} if order == 5 else {})
    systems = [block_graph(triple_system(int(rng.integers(1, 12)), rng)) for _ in range(8)]
    yield strongly_regular("triple systems of 15 points", systems, rng)
    for name, base in base_graphs(seed, ((3, 8), (3, 8), (3, 10), (3, 10), (3, 12), (4, 7))):
        row = cfi(name, base, rng)
        yield row | ({"definition": by_definition(named.cfi_pair(base), 2)} if base.num_nodes == 8 else {})


def main(seed: int, target: str = "results/hard_pairs.json") -> None:
    """Measure, and write the file."""
    rows, began = [], process_time()
    for row in measure(seed):
        rows.append(row)
        sys.stderr.write(f"{row} {process_time() - began:.0f} s\n")
    command = f"python -m research.expressivity.hard_pairs {seed}"
    Path(target).write_text(json.dumps({"command": command, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2026)

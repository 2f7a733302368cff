"""The definition of individualization and refinement in plain Python; `native/wl/individualize.hpp` must equal it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from egonet.kernel.reference import Histogram, NestedRows, distances, pack_nested
from egonet.typing import Cell, Int32s, Int64s

#: (number of nodes, label, ((cell, edge label, number of neighbors), ...)) per cell, in the order of the cells.
Outcome = tuple[tuple[int, int, tuple[tuple[int, int, int], ...]], ...]
#: An outcome and the sorted classes of its children.
Class = tuple[Outcome, tuple["Class", ...]]
Cells = list[list[int]]


@dataclass(frozen=True)
class LabeledGraph:
    """A graph as lists, with a label per node and per arc.

    Attributes
    ----------
    neighbors
        Per node the pairs (neighbor, label of the edge).
    labels
        One number per node.
    """

    neighbors: list[list[tuple[int, int]]]
    labels: list[int]

    @cached_property
    def num_kinds(self) -> int:
        """Return one more than the largest label of an edge."""
        return 1 + max((kind for around in self.neighbors for _, kind in around), default=0)


def as_lists(
    indptr: Int64s, indices: Int32s, labels: Int32s | None = None, arc_labels: Int32s | None = None
) -> LabeledGraph:
    """Return the arrays of a graph as lists; without labels, all labels are 0."""
    size = len(indptr) - 1
    kinds = [0] * len(indices) if arc_labels is None else arc_labels.tolist()
    arcs = list(zip(indices.tolist(), kinds, strict=True))
    neighbors = [arcs[indptr[v] : indptr[v + 1]] for v in range(size)]
    return LabeledGraph(neighbors, [0] * size if labels is None else labels.tolist())


def rooted_cells(graph: LabeledGraph, root: int, radius: int | None) -> Cells:
    """Return the nodes within the radius of the root, in cells of equal (distance, label), in that order.

    Without a radius these are all nodes that the root reaches.
    """
    plain = [[u for u, _ in around] for around in graph.neighbors]
    distance = distances(plain, root, len(plain) if radius is None else radius)
    cells: dict[tuple[int, int], list[int]] = {}
    for v, hops in distance.items():
        cells.setdefault((hops, graph.labels[v]), []).append(v)
    return [cells[color] for color in sorted(cells)]


def refine_cells(graph: LabeledGraph, cells: Cells) -> Cells:
    """Return the stable refinement of some cells by 1-WL; the order of the cells does not depend on node numbers.

    In every round each cell is split by how many neighbors its nodes have in the first cell, in the second, and so
    on (where edges have labels, by label); the parts follow each other in increasing order of these numbers.

    A path a-b-c-d whose end a is marked: every node is alone.

    >>> path = LabeledGraph([[(1, 0)], [(0, 0), (2, 0)], [(1, 0), (3, 0)], [(2, 0)]], [0, 0, 0, 0])
    >>> refine_cells(path, [[0], [1, 2, 3]])
    [[0], [3], [2], [1]]
    """
    while True:
        place = {v: index for index, cell in enumerate(cells) for v in cell}
        split: Cells = []
        for cell in cells:
            parts: dict[tuple[int, ...], list[int]] = {}
            for v in cell:
                parts.setdefault(_counts(graph, place, v, len(cells)), []).append(v)
            split += [parts[counts] for counts in sorted(parts)]
        if len(split) == len(cells):
            return cells
        cells = split


def outcome(graph: LabeledGraph, cells: Cells) -> Outcome:
    """Return the quotient of a stable partition: what 1-WL knows of the graph."""
    place = {v: index for index, cell in enumerate(cells) for v in cell}
    parts = []
    for cell in cells:
        counts = Counter((place[u], kind) for u, kind in graph.neighbors[cell[0]] if u in place)
        entries = tuple((other, kind, count) for (other, kind), count in sorted(counts.items()))
        parts.append((len(cell), graph.labels[cell[0]], entries))
    return tuple(parts)


def determines(result: Outcome) -> bool:
    """Return whether an outcome leaves no choice: any two cells are joined completely or not at all."""
    return all(
        count == result[other][0] - (other == index)
        for index, (_, _, entries) in enumerate(result)
        for other, _, count in entries
    )


def search(graph: LabeledGraph, cells: Cells, depth: int, cell: Cell) -> Class:
    """Return the class of a search that may mark `depth` more nodes; `cells` are stable.

    The class is the outcome with the sorted classes of its children. A child marks one more node: the node
    becomes a separate cell, before the rest of its cell, and the cells are refined. With cell="largest" each
    node of the largest cell is marked in turn (of several, the first), with cell="all" each node that is not
    alone in its cell. The search ends where the outcome determines the graph, since no mark can add to that.
    """
    result = outcome(graph, cells)
    children = (search(graph, child, depth - 1, cell) for child in _children(graph, cells, depth, cell))
    return result, tuple(sorted(children))


def leaves(graph: LabeledGraph, cells: Cells, depth: int, cell: Cell) -> Iterator[Outcome]:
    """Yield the outcome of every sequence of marks with which a search ends."""
    children = list(_children(graph, cells, depth, cell))
    for child in children:
        yield from leaves(graph, child, depth - 1, cell)
    if not children:
        yield outcome(graph, cells)


def is_complete(leaf: Class) -> bool:
    """Return whether some outcome of a search determines the graph: its class is then an isomorphism class."""
    result, children = leaf
    return determines(result) or any(map(is_complete, children))


def search_classes(
    graph: LabeledGraph, depth: int, radius: int | None = None, cell: Cell = "largest"
) -> tuple[list[int], list[bool]]:
    """Return the class of every node, numbered by first appearance, and whether it is complete.

    >>> cycle = LabeledGraph([[((v - 1) % 5, 0), ((v + 1) % 5, 0)] for v in range(5)], [0] * 5)
    >>> search_classes(cycle, 1), search_classes(cycle, 2)
    (([0, 0, 0, 0, 0], [False, False, False, False, False]), ([0, 0, 0, 0, 0], [True, True, True, True, True]))
    """
    numbers: dict[Class, int] = {}
    classes, complete = [], []
    for root in range(len(graph.neighbors)):
        cells = refine_cells(graph, rooted_cells(graph, root, radius))
        tree = search(graph, cells, depth - 1, cell)
        classes.append(numbers.setdefault(tree, len(numbers)))
        complete.append(is_complete(tree))
    return classes, complete


def refined_rows(
    indptr: Int64s, indices: Int32s, roots: Int64s, radius: int, *, depth: int, labels: Int32s | None = None
) -> NestedRows:
    """Return for every root the outcomes with which its search ends, each as a histogram.

    A key is (cell, other cell, neighbors of a node of the cell in the other one), with the label of the cell's
    nodes appended if there are labels. Its count is the number of nodes of the cell.

    The middle of a path of three: cell 0 is the root with two neighbors in cell 1.

    >>> import numpy as np
    >>> rows = refined_rows(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), np.array([1]), 1, depth=1)
    >>> rows.histograms.keys.tolist(), rows.histograms.counts.tolist()
    ([[0, 1, 2], [1, 0, 1]], [1, 2])
    """
    graph = as_lists(indptr, indices, labels)
    rows = []
    for root in roots.tolist():
        cells = refine_cells(graph, rooted_cells(graph, root, radius))
        ends = leaves(graph, cells, depth - 1, "largest")
        rows.append([_as_histogram(result, has_labels=labels is not None) for result in ends])
    return pack_nested(rows, width=3 + (labels is not None))


def _as_histogram(result: Outcome, *, has_labels: bool) -> Histogram:
    """Return an outcome as keys with counts; a cell without neighbors has one key, with 0 neighbors in itself."""
    return {
        (index, other, count, *([label] if has_labels else [])): size
        for index, (size, label, entries) in enumerate(result)
        for other, _, count in entries or ((index, 0, 0),)
    }


def _children(graph: LabeledGraph, cells: Cells, depth: int, cell: Cell) -> Iterator[Cells]:
    """Yield the stable cells of every child of a search."""
    largest = max(map(len, cells))
    if depth == 0 or largest == 1 or determines(outcome(graph, cells)):
        return
    first = next(index for index, members in enumerate(cells) if len(members) == largest)
    targets = [index for index, members in enumerate(cells) if len(members) > 1] if cell == "all" else [first]
    for index in targets:
        for v in cells[index]:
            rest = [u for u in cells[index] if u != v]
            yield refine_cells(graph, [*cells[:index], [v], rest, *cells[index + 1 :]])


def _counts(graph: LabeledGraph, place: dict[int, int], v: int, num_cells: int) -> tuple[int, ...]:
    """Return the number of neighbors of a node in every cell, by edge label."""
    counts = [0] * (num_cells * graph.num_kinds)
    for u, kind in graph.neighbors[v]:
        if u in place:
            counts[place[u] * graph.num_kinds + kind] += 1
    return tuple(counts)

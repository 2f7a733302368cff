"""`explain`: the rings around a node, with the degrees on each, as text or HTML."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from egonet.attributes.edge_values import EdgeValues
from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.histogram_columns import histogram_text
from egonet.encoding.labels import Labels
from egonet.encoding.settings import Radius, Settings
from egonet.encoding.vocabulary import fields_text
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.typing import Degrees

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR_WIDTH = 40


@dataclass(frozen=True)
class Ring:
    """The nodes at one distance from the root.

    Attributes
    ----------
    distance
        Hops from the root.
    num_nodes
        How many nodes are that far away.
    bars
        What their degrees inside the ego-network are, as (text, count), in column order.
    kind
        "node", or "edge" for the edges at a half step, if edges have types.
    """

    distance: int
    num_nodes: int
    bars: tuple[tuple[str, int], ...]
    kind: str = "node"


@dataclass(frozen=True)
class Explanation:
    """What one node looks like at one radius; prints as text and shows as HTML in a notebook.

    Attributes
    ----------
    node
        The id of the root.
    radius
        Hops around it.
    rings
        Its rings, nearest first; rings without nodes are left out.
    degrees
        "total", "layered" or "full".
    graph
        The graph the root is a node of, for drawing.
    pairs
        What its edges or pairs look like, as (text, count), with `common` or `rooted`.
    """

    node: Hashable
    radius: int
    rings: tuple[Ring, ...]
    degrees: Degrees = "total"
    graph: Graph | None = field(default=None, repr=False, compare=False)
    pairs: tuple[tuple[str, int], ...] = ()

    @property
    def num_nodes(self) -> int:
        """Return the size of the ego-network."""
        return sum(ring.num_nodes for ring in self.rings if ring.kind == "node")

    def __str__(self) -> str:
        """Return the rings as lines of bars, the longest `BAR_WIDTH` characters."""
        sections = [(f"distance {r.distance}: {_nodes(r.num_nodes, r.kind)}", r.bars) for r in self.rings]
        if self.pairs:
            sections.append((f"its edges or pairs: {sum(count for _, count in self.pairs)}", self.pairs))
        bars = [bar for _, found in sections for bar in found]
        longest = max((count for _, count in bars), default=1)
        width = max((len(text) for text, _ in bars), default=0)
        size = f": {_nodes(self.num_nodes)} in its ego-network" if self.rings else ""
        lines = [f"node {self.node!r}, radius {self.radius}{size}"]
        for title, found in sections:
            lines.append(title)
            for text, count in found:
                bar = "█" * max(1, round(BAR_WIDTH * count / longest))
                lines.append(f"  {text:<{width}}  {bar} {count}")
        return "\n".join(lines)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Return axes with the ego-network on rings, each node labeled with its degree inside.

        >>> axes = explain([("a", "b"), ("b", "c")], "a", radius=1).plot()
        >>> sorted(text.get_text() for text in axes.texts)
        ['1', '1', 'distance 1']
        """
        from egonet.viz import draw_rings

        return draw_rings(self.graph, self.node, self.radius, degrees=self.degrees, ax=ax)

    def _repr_html_(self) -> str:
        """Return the text for a notebook, with every id escaped."""
        return f"<pre>{escape(str(self))}</pre>"


def explain(
    graph: Any,
    node: Hashable,
    settings: Settings | Radius | None = None,
    *,
    labels: Labels | None = None,
    edge_labels: EdgeValues | None = None,
    weights: EdgeValues | None = None,
    **options: Unpack[EncodeOptions],
) -> Explanation:
    """Return the rings around a node: how many nodes at each distance, with which degrees inside.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    node
        The id of the node to explain.
    settings, labels, edge_labels, weights, **options
        As for `encode`, with one radius. With `common` or `rooted` the explanation also describes the edges of the
        node, or its pairs with nodes nearby.

    Examples
    --------
    >>> print(explain([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], "c", radius=1))
    node 'c', radius 1: 4 nodes in its ego-network
    distance 0: 1 node
      degree 3  ████████████████████ 1
    distance 1: 3 nodes
      degree 1  ████████████████████ 1
      degree 2  ████████████████████████████████████████ 2
    >>> print(explain([("a", "b")], "a", radius=1, labels={"a": "C", "b": "N"}))
    node 'a', radius 1: 2 nodes in its ego-network
    distance 0: 1 node
      degree 1, label C  ████████████████████████████████████████ 1
    distance 1: 1 node
      degree 1, label N  ████████████████████████████████████████ 1
    """
    encoding = encode(
        graph, settings, labels=labels, edge_labels=edge_labels, weights=weights, roots=[node], **options
    )
    used = encoding.settings
    if len(used.radius) > 1:
        raise InputError(f"explain shows one radius at a time, got {used.radius}.")
    found: dict[int, list[tuple[str, int]]] = {}
    pairs: list[tuple[str, int]] = []
    row, keys = encoding.rows(0, 1), encoding.vocabulary.keys
    for column, count in zip(row.indices.tolist(), row.data.tolist(), strict=True):
        if column >= len(keys):
            pairs.append((histogram_text(encoding.vocabulary.column(column), used), count))
        else:
            _, distance, *fields = keys[column].tolist()
            found.setdefault(distance, []).append((fields_text(fields, used, distance), count))
    rings = tuple(
        Ring(
            distance,
            sum(count for _, count in bars),
            tuple(bars),
            "edge" if used.edge_labels is not None and distance % 2 else "node",
        )
        for distance, bars in sorted(found.items())
    )
    return Explanation(node, used.radius[0], rings, used.degrees, encoding.graph, tuple(pairs))


def _nodes(number: int, kind: str = "node") -> str:
    """Return a number of nodes, or of edges, as text.

    >>> _nodes(1), _nodes(1200)
    ('1 node', '1,200 nodes')
    """
    return f"1 {kind}" if number == 1 else f"{number:,} {kind}s"

"""`explain`: a sentence about a node and the rings around it, with the degrees on each, as text, HTML or a table."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from egonet.checks import as_whole
from egonet.encoding.encode import EncodeOptions, encode
from egonet.encoding.histograms import histogram_text
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Radius, Settings
from egonet.encoding.signature import list_options
from egonet.encoding.vocabulary import bin_degrees, fields_text, label_of
from egonet.errors import InputError, in_python, option, require_extra
from egonet.explanation.neighborhood import HALF_HOPS, Neighborhood, neighborhood
from egonet.graph.columns import Labels
from egonet.graph.graph import Graph
from egonet.notebook import html_text
from egonet.typing import Degrees

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

BAR_WIDTH = 40
#: An explanation prints at most this many lines, unless `top` asks for more.
MAX_LINES = 30


@dataclass(frozen=True)
class Ring:
    """The nodes at one distance from the root.

    Attributes
    ----------
    distance
        Hops from the root; half hops if edges have types, because an edge with a type counts as a node.
    num_nodes
        How many nodes are that far away.
    bars
        What their degrees inside the ego-network are, as (text, count), in column order.
    fields
        The numbers that each text stands for: degrees, and the number of the label.
    kind
        "node", or "edge" for the edges at a half step, if edges have types.
    """

    distance: int
    num_nodes: int
    bars: tuple[tuple[str, int], ...]
    fields: tuple[tuple[int, ...], ...] = field(default=(), repr=False, compare=False)
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
        Its rings, nearest first, exact; rings without nodes are left out.
    schema
        What was counted, with the names of labels and types.
    graph
        The graph the root is a node of, for drawing.
    pairs
        What its edges or pairs look like, as (text, count), with `common` or `rooted`.
    facts
        The numbers behind the first sentence.
    top
        How many bars of each ring are printed; None for all; by default as many as fit into 30 lines.
    """

    node: Hashable
    radius: int
    rings: tuple[Ring, ...]
    schema: Schema
    graph: Graph = field(repr=False, compare=False)
    pairs: tuple[tuple[str, int], ...]
    facts: Neighborhood
    top: int | None = None

    @property
    def settings(self) -> Settings:
        """Return what was counted."""
        return self.schema.settings

    @property
    def num_nodes(self) -> int:
        """Return the size of the ego-network."""
        return sum(ring.num_nodes for ring in self.rings if ring.kind == "node")

    @property
    def degrees(self) -> Degrees:
        """Return what a degree is: "total", "layered", "full"."""
        return self.settings.degrees

    @property
    def sentence(self) -> str:
        """Return the first line: the kind of node, the links among its neighbors, and how much it reaches."""
        halves = "" if self.schema.edge_labels is None else f"; {HALF_HOPS}"
        return f"node {self.node!r} is {self.facts}{halves}"

    def __str__(self) -> str:
        """Return the sentence and the rings as lines of bars, the longest `BAR_WIDTH` characters.

        If that is more than 30 lines, degrees are merged into bins 0, 1, 2 to 3, 4 to 7, ...; if that is still too many
        lines, only the most frequent degrees are shown.
        """
        sections = self._sections(binned=False)
        if self.top is None and _num_lines(sections) > MAX_LINES:
            sections = self._sections(binned=True)
        if self.top is None and _num_lines(sections) > MAX_LINES:
            return "\n".join([self.sentence, *_shorten(sections)])
        return "\n".join([self.sentence, *_lines(sections, self.top)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can represent, degrees exact.

        Examples
        --------
        >>> explain([("a", "b")], "a", radius=1).to_dict()["rings"][1]
        {'distance': 1, 'num_nodes': 1, 'bars': [{'text': 'degree 1', 'degree': 1, 'count': 1}]}
        """
        names = self._field_names()
        rings = [
            {
                "distance": ring.distance,
                "num_nodes": ring.num_nodes,
                "bars": [
                    {"text": text}
                    | dict(zip(names, self._values(fields, ring.distance), strict=True))
                    | {"count": count}
                    for (text, count), fields in zip(ring.bars, ring.fields, strict=True)
                ],
            }
            for ring in self.rings
        ]
        facts = self.facts
        return {
            "node": self.node,
            "radius": self.radius,
            "sentence": self.sentence,
            "num_neighbors": facts.num_neighbors,
            "num_linked_pairs": facts.num_links,
            "num_pairs": facts.num_pairs,
            "num_nodes": self.num_nodes,
            "num_nodes_in_graph": facts.num_nodes,
            "rings": rings,
            "pairs": [{"text": text, "count": count} for text, count in self.pairs],
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row per bar: distance, degree (or its parts), label, count; degrees exact.

        Examples
        --------
        >>> explain([("a", "b"), ("b", "c")], "b", radius=1).to_pandas()
           distance  degree  count
        0         0       2      1
        1         1       1      2
        """
        pandas = require_extra("pandas", extra=None)
        rows = [
            (ring.distance, *self._values(fields, ring.distance), count)
            for ring in self.rings
            for (_, count), fields in zip(ring.bars, ring.fields, strict=True)
        ]
        return pandas.DataFrame(rows, columns=["distance", *self._field_names(), "count"])

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Return axes with the ego-network on rings, each node labeled with its degree inside.

        Examples
        --------
        >>> axes = explain([("a", "b"), ("b", "c")], "a", radius=1).plot()
        >>> sorted(text.get_text() for text in axes.texts)
        ['1', '1', 'distance 1']
        """
        from egonet.viz import draw_rings

        if self.schema.edge_labels is not None:
            raise InputError("plot draws no edge types. Use egonet.explore(graph, edge_labels=...).")
        shown: Any = {name: getattr(self.settings, name) for name in ("frontier_edges", "max_degree")}
        return draw_rings(self.graph, self.node, self.radius, degrees=self.degrees, ax=ax, **shown)

    def _repr_html_(self) -> str:
        """Return the text for a notebook, with every id escaped."""
        return html_text(str(self))

    def _field_names(self) -> list[str]:
        """Return the names of the numbers of a bar."""
        return ["degree" if name == "deg" else name for name in self.schema.field_names[1:]]

    def _values(self, fields: tuple[int, ...], distance: int) -> list[Any]:
        """Return the numbers of a bar, with the label by name."""
        if not self.schema.has_labels:
            return list(fields)
        return [*fields[:-1], label_of(self.schema, distance, fields[-1])]

    def _sections(self, *, binned: bool) -> "list[_Section]":
        """Return the title and the bars of every ring, and of the pairs; `binned` merges degrees."""
        made = []
        for ring in self.rings:
            bars = list(ring.bars)
            if binned:
                bins = self.settings.degree_bins or "log"
                coarse = replace(
                    self.settings, degree_bins=bins, layout="observed", common=False, rooted="node"
                )
                keys = bin_degrees(np.array([(0, *fields) for fields in ring.fields]), coarse)
                shown = replace(self.schema, settings=coarse)
                merged: dict[str, list[tuple[str, int]]] = {}
                for key, bar in zip(keys.tolist(), ring.bars, strict=True):
                    merged.setdefault(fields_text(key[1:], shown, ring.distance), []).append(bar)
                bars = [
                    inside[0] if len(inside) == 1 else (text, sum(count for _, count in inside))
                    for text, inside in merged.items()
                ]
            made.append((f"distance {ring.distance}: {_nodes(ring.num_nodes, ring.kind)}", bars))
        if self.pairs:
            total = sum(count for _, count in self.pairs)
            made.append((f"its edges or pairs: {total}", list(self.pairs)))
        return made


_Section = tuple[str, list[tuple[str, int]]]


@list_options
def explain(
    graph: Any,
    node: Hashable,
    settings: Settings | Radius | None = None,
    *,
    labels: Labels | None = None,
    top: int | None = None,
    **options: Unpack[EncodeOptions],
) -> Explanation:
    """Return what a node looks like: a sentence, and how many nodes at each distance have which degrees inside.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    node
        The id of the node to explain.
    top
        How many bars of each ring to print, the largest first. If not given, everything is printed if that is at
        most 30 lines; otherwise degrees are printed in bins.
    settings, radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`, with one radius. With `common` or `rooted` the explanation also describes
        the edges of the node, or its pairs with nodes nearby.
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `egonet.encode`.
    labels, edge_labels, weights, directed, source, target, num_nodes, nodes, missing, ids, simplify
        What the graph carries and how it is read, as for `encode`.

    Examples
    --------
    >>> print(explain([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], "c", radius=1))
    node 'c' is a node with 3 neighbors, 1 of 3 pairs of its neighbors is linked; reaches 4 of 4 nodes in one hop
    distance 0: 1 node
      degree 3  ████████████████████ 1
    distance 1: 3 nodes
      degree 1  ████████████████████ 1
      degree 2  ████████████████████████████████████████ 2
    >>> print(explain([("a", "b")], "a", radius=1, labels={"a": "C", "b": "N"}))
    node 'a' is a node with one neighbor; reaches 2 of 2 nodes in one hop
    distance 0: 1 node
      degree 1, label C  ████████████████████████████████████████ 1
    distance 1: 1 node
      degree 1, label N  ████████████████████████████████████████ 1
    """
    if top is not None:
        as_whole("top", top)
    encoding = encode(graph, settings, labels=labels, roots=[node], **options)
    schema, own_graph = encoding.vocabulary.schema, encoding.graph
    used = schema.settings
    if used.count == "edges":
        raise InputError(
            f"explain shows nodes by distance, got {option('count', 'edges')}. "
            f"{in_python('Use explain_difference for two nodes.', 'Name another node, to compare the two.')}"
        )
    if len(used.radius) > 1:
        raise InputError(
            f"explain shows one radius at a time, got {in_python(str(used.radius), ','.join(map(str, used.radius)))}."
        )
    if own_graph is None:
        raise InputError("explain needs a graph, got an encoding without one.")
    bars_of: dict[int, list[tuple[tuple[int, ...], int]]] = {}
    pairs: list[tuple[str, int]] = []
    row, keys = encoding.rows(0, 1), encoding.vocabulary.keys
    for column, count in zip(row.indices.tolist(), row.data.tolist(), strict=True):
        if column >= len(keys):
            pairs.append((histogram_text(encoding.vocabulary.column(column), schema), count))
        else:
            _, distance, *fields = keys[column].tolist()
            bars_of.setdefault(distance, []).append((tuple(fields), count))
    rings = tuple(
        Ring(
            distance,
            sum(count for _, count in bars),
            tuple((fields_text(list(fields), schema, distance), count) for fields, count in bars),
            tuple(fields for fields, _ in bars),
            "edge" if schema.edge_labels is not None and distance % 2 else "node",
        )
        for distance, bars in sorted(bars_of.items())
    )
    reached = sum(ring.num_nodes for ring in rings if ring.kind == "node") if rings else None
    facts = neighborhood(own_graph, node, used.radius[0], reached)
    return Explanation(node, used.radius[0], rings, schema, own_graph, tuple(pairs), facts, top)


def _num_lines(sections: list[_Section]) -> int:
    """Return how many lines an explanation has, the sentence included."""
    return 1 + sum(1 + len(bars) for _, bars in sections)


def _lines(sections: list[_Section], top: int | None) -> list[str]:
    """Return the lines of bars; with `top` the largest of each section, in the order given."""
    shown = [(title, *_largest(bars, top)) for title, bars in sections]
    bars = [bar for _, largest, _ in shown for bar in largest]
    longest = max((count for _, count in bars), default=1)
    width = max((len(text) for text, _ in bars), default=0)
    lines = []
    for title, largest, rest in shown:
        lines.append(title)
        for text, count in largest:
            bar = "█" * max(1, round(BAR_WIDTH * count / longest))
            lines.append(f"  {text:<{width}}  {bar} {count}")
        if rest:
            total = sum(count for _, count in rest)
            lines.append(f"  ... {len(rest):,} more with {total:,} in all")
    return lines


def _largest(
    bars: list[tuple[str, int]], top: int | None
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return the `top` largest bars in their order, and the rest."""
    if top is None or len(bars) <= top:
        return bars, []
    chosen = set(sorted(range(len(bars)), key=lambda index: (-bars[index][1], index))[:top])
    inside = [bar for index, bar in enumerate(bars) if index in chosen]
    return inside, [bar for index, bar in enumerate(bars) if index not in chosen]


def _shorten(sections: list[_Section]) -> list[str]:
    """Return at most `MAX_LINES` - 1 lines: the largest bars of each section, or a line per section."""
    for top in range(MAX_LINES, 0, -1):
        lines = _lines(sections, top)
        if len(lines) < MAX_LINES:
            return lines
    short = [f"{title}, most with {max(bars, key=lambda bar: bar[1])[0]}" for title, bars in sections]
    if len(short) < MAX_LINES:
        return short
    return [*short[: MAX_LINES - 2], f"... and {len(short) - MAX_LINES + 2:,} more rings"]


def _nodes(number: int, kind: str = "node") -> str:
    """Return a number of nodes, or of edges, as text.

    >>> _nodes(1), _nodes(1200)
    ('1 node', '1,200 nodes')
    """
    return f"1 {kind}" if number == 1 else f"{number:,} {kind}s"

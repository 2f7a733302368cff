"""The explorer: one HTML page with graphs and settings that needs no server and no network."""

import base64
import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Unpack

import numpy as np

from egonet.checks import as_argument, as_whole, is_iterable
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import typed_role
from egonet.encoding.schema import Schema
from egonet.encoding.settings import BinOptions, Radius, Settings, SettingsOptions, as_settings, take_options
from egonet.encoding.signature import list_options
from egonet.encoding.support import check_support
from egonet.errors import InputError, show_value
from egonet.graph.adapters import adapter_of
from egonet.graph.align import kept_names, reject_unordered
from egonet.graph.collect import as_graphs
from egonet.graph.columns import EdgeOptions
from egonet.graph.graph import Graph
from egonet.graph.index import is_encodable
from egonet.graph.input_options import ReadOptions
from egonet.io.files import atomic_path
from egonet.viz.drawn import (
    Drawn,
    Window,
    around_pair,
    as_pair,
    describe_pair,
    drawn_molecule,
    is_molecule,
    known_part,
    with_extras,
)
from egonet.viz.payload import (
    MAX_SHOWN,
    MOST_SHOWN,
    coloring_data,
    graph_data,
    row_labels,
    settings_data,
    verdict_data,
)
from egonet.wl.refine import join_labels
from egonet.wl.tests import LOOKS_AT

FRAME_HEIGHT = 720

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'"

_SCRIPTS = (
    "dom.js",
    "encode.js",
    "legend.js",
    "edges.js",
    "layout.js",
    "names.js",
    "paint_svg.js",
    "paint_canvas.js",
    "view.js",
    "wedges.js",
    "pair.js",
    "ego.js",
    "compare.js",
    "save.js",
    "search.js",
    "time_and_address.js",
    "main.js",
)
# "</script>" and "<!--" would end the data; U+2028 and U+2029 end lines in older JavaScript engines.
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


@dataclass(frozen=True, repr=False)
class Page:
    """A self-contained explorer page: its title and HTML source, shown in a notebook or written to a file."""

    title: str
    html: str

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {len(self.html) // 1000:,} kB)"

    def write(self, path: str | Path) -> Path:
        """Write the page to a file atomically and return its path."""
        with atomic_path(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        """Return the page as a sandboxed frame without access to the notebook."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" sandbox="allow-scripts" '
            f'width="100%" height="{FRAME_HEIGHT}" style="border: 1px solid #ccc; border-radius: 8px"></iframe>'
        )


class ExploreOptions(SettingsOptions, ReadOptions, EdgeOptions):
    """The keywords of `explore` that say what is counted, how graphs are read, and what their edges carry."""


@list_options
def explore(
    graph: Any,
    other: Any = None,
    *,
    settings: Settings | Radius | None = None,
    names: Sequence[str] | None = None,
    around: Hashable | list[Hashable] | None = None,
    columns: Any = None,
    labels: Any = None,
    positions: Any = None,
    edge_orders: Mapping[tuple[Hashable, Hashable], float] | None = None,
    edge_times: Mapping[tuple[Hashable, Hashable], Any] | str | None = None,
    edge_weights: Mapping[tuple[Hashable, Hashable], float] | str | None = None,
    time_format: str | None = None,
    as_of: Any = None,
    window: Any = None,
    pair: tuple[Hashable, Hashable] | None = None,
    max_nodes: int = MAX_SHOWN,
    **options: Unpack[ExploreOptions],
) -> Page:
    """Return a page that draws one graph, or two next to each other, colored by encoding, similarity or your columns.

    Parameters
    ----------
    graph, other
        Anything `as_graph` accepts, or an RDKit molecule. A graph of more than `max_nodes` nodes is shown as a sample
        around one node; the search on the page moves the sample.
    settings
        The initial settings of the page: a record or a radius. The radius is 0 to 4, or all radii from 1 as in (1, 2).
    names
        The names of the graphs.
    around
        The node, or a list of nodes, around which `graph` is sampled. If all nodes are drawn, it changes nothing.
    columns
        Columns to color the nodes of `graph` by, such as model scores: a table with a column "node" or "id", a pandas
        table or Series indexed by node, or a mapping of names to values. Values are a Series or a mapping, aligned by
        node id, or a sequence in the order of the nodes where `as_graph` takes such labels.
    labels
        A label per node, such as atom symbols, given as in `egonet.encode`; with two graphs, (those of `graph`, those
        of `other`). Labels are drawn inside the nodes and are part of the keys, so that nodes with different labels
        have different classes.
    edge_labels
        A type per edge, given as in `egonet.encode`; with two graphs, the name of a column of both or one per graph.
        Types are part of the keys, as in an encoding: an edge counts as a node half a hop from its ends.
    weights
        A number per edge, given like `edge_labels`; with `weight_bins` they become types.
    positions
        Coordinates (x, y) of the nodes of `graph`, given like one column. Without it the page computes a layout.
    edge_orders
        Bond orders by pair of nodes: 1, 2, 3, or 1.5 for aromatic bonds.
    edge_times
        Times by pair of nodes: numbers, or dates; or the name of a column of the edges, whose first time counts where
        an edge is given several times. The page then has a slider that hides later edges.
    edge_weights
        Numbers by pair of nodes, or the name of a column of the edges, which is added up where an edge is given several
        times. Larger ones are wider lines.
    time_format
        The form of `edge_times` and `as_of` in text, such as "%d/%m/%Y"; dates such as 2024-01-31T12:00 need none.
    as_of, window
        Only the edges that were known at this time are on the page, as in `TemporalEncoder`: those before it, and with
        a `window` such as "30d" not longer ago. `edge_times` must be the name of a column.
    pair
        Two nodes of `graph`: the page shows what lies within the radius of either, colored by whose neighbor it is, and
        draws what the two have in common. With `as_of` this is what was around the two ends of an event.
    max_nodes
        How many nodes are drawn at once, at most 20,000.
    radius, degrees, frontier_edges, max_degree, degree_bins, layout
        What is counted, as for `encode`, instead of a record. The page does not support layout="paper".
    rooted, common, cap, depth, follow, weight_bins, count
        More of what is counted, as for `encode`; the page supports neither `cap` nor `count`.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graphs are read, as for `as_graph`.

    Raises
    ------
    InputError
        If an argument breaks a rule.
    UnknownNodeError
        If `around` or `pair` names a node that `graph` does not have.

    Examples
    --------
    >>> page = explore([("a", "b"), ("b", "c")], names=["a short path"], columns={"score": {"a": 1, "b": 5, "c": 2}})
    >>> page.title
    'a short path · egonet'

    What two nodes have in common:

    >>> explore([("a", "b"), ("b", "c"), ("c", "d")], radius=1, pair=("a", "c")).title
    'a and c · egonet'

    What was around the two ends of a payment on February 1, in the 30 days before:

    >>> import pandas
    >>> when = ["2024-01-05", "2024-01-20", "2024-02-01"]
    >>> paid = pandas.DataFrame({"source": ["a", "c", "a"], "target": ["b", "b", "c"], "when": when})
    >>> event = {"pair": ("a", "c"), "edge_times": "when", "as_of": "2024-02-01", "window": "30d"}
    >>> explore(paid, directed="out", **event).title
    'a and c · egonet'
    """
    max_nodes = as_whole("max_nodes", max_nodes, least=1, most=MOST_SHOWN)
    both = [graph] if other is None else [graph, other]
    called = ["graph", "other graph"][: len(both)] if names is None else _as_names(names, len(both))
    counting: Any = dict(options)
    reading: Any = {name: counting.pop(name, None) for name in ReadOptions.__annotations__}
    types: Any = take_options(counting, EdgeOptions)
    columns_kept = [name for name in (edge_times, edge_weights) if isinstance(name, str)]
    reading["keep"] = kept_names(*types.values(), *columns_kept)
    chosen = as_settings(settings, counting)
    check_support("explorer", chosen)
    # A molecule has no arcs to follow, which as_graphs says.
    molecules = [is_molecule(each) and not reading["directed"] for each in both]
    others = [each for each, is_drawn in zip(both, molecules, strict=True) if not is_drawn]
    known_labels = labels if len(others) == len(both) else None
    listed = _read_graphs(others, known_labels, reading, kept_names(*types.values()))
    moment = as_moment(as_of, window, edge_times, time_format)
    if moment is not None:
        if not isinstance(edge_times, str) or molecules[0]:
            raise InputError(
                f"{as_argument('as_of')} needs {as_argument('edge_times')}, the name of a column with a time for every "
                "edge."
            )
        listed[0] = known_part(listed[0], edge_times, moment, () if pair is None else as_pair(pair))
        if not listed[0].num_nodes:
            raise InputError(
                f"the page would be empty: there are no {moment}. Give a later time or a longer window."
            )
    graphs = iter(listed)
    drawn = [
        drawn_molecule(each, name) if is_drawn else Drawn(next(graphs), name)
        for each, name, is_drawn in zip(both, called, molecules, strict=True)
    ]
    extras = {"columns": columns, "positions": positions, "orders": edge_orders, "times": edge_times}
    _reject_unordered(columns, positions, graph, listed if reading["nodes"] is None else [])
    drawn[0] = with_extras(drawn[0], extras | {"weights": edge_weights, "time_format": time_format})
    opening: dict[str, Any] = {}
    if pair is not None:
        if any(each is not None for each in (other, labels, *types.values())):
            raise InputError("a pair is drawn in one graph without labels and edge types. Leave these out.")
        pair = as_pair(pair)
        note = describe_pair(drawn[0].graph, pair)
        opening = {"colorBy": "place", "note": note if moment is None else f"{note} Shown: {moment}."}
        drawn[0] = around_pair(drawn[0], pair, max(chosen.radius))
        opening["pair"] = [drawn[0].graph.index_of(node) for node in pair]
        if names is None:
            drawn[0] = replace(drawn[0], name=f"{pair[0]} and {pair[1]}")
    elif moment is not None:
        opening = {"note": f"Shown: {moment}."}
    centers = [] if around is None else around if isinstance(around, list) else [around]
    for node in centers:
        drawn[0].graph.index_of(node)  # an unknown node is an error even where all nodes are shown
    for each in drawn:
        check_support("explorer", chosen, each.graph)
    node_and_edge = {"labels": labels} | types
    schema = Schema(chosen)
    carried = any(each.graph.node_columns or each.graph.edge_columns for each in drawn)
    is_binned = typed_role(chosen) != "edge_labels"
    if carried or is_binned or any(each is not None for each in node_and_edge.values()):
        drawn, schema = with_labels(drawn, chosen, **node_and_edge)
    bins = {name: getattr(chosen, name) for name in BinOptions.__annotations__}
    verdicts = verdict_data([each.graph for each in drawn], bins, **node_and_edge)
    return make_page(drawn, schema, verdicts, around=centers, max_nodes=max_nodes, opening=opening)


def _read_graphs(
    data: list[Any], labels: Any, reading: dict[str, Any], other_keep: tuple[str, ...] | None
) -> list[Graph]:
    """Return one graph or two; the second keeps the attributes `other_keep`, as it needs no times and weights."""
    if len(data) < 2 or reading["keep"] == other_keep:
        return as_graphs(data, labels, **reading)
    first, second = [None, None] if labels is None else [[each] for each in labels]
    others = as_graphs(data[1:], second, **reading | {"keep": other_keep})
    return as_graphs(data[:1], first, **reading) + others


def _reject_unordered(columns: Any, positions: Any, data: Any, graphs: list[Graph]) -> None:
    """Raise for columns and positions in the order of nodes if the first graph was read from data that has none."""
    if not graphs or adapter_of(data).has_order:
        return
    every = list(columns.values()) if isinstance(columns, Mapping) else []
    for what, values in [("values", each) for each in every] + [("positions", positions)]:
        if isinstance(values, list | tuple | np.ndarray):
            reject_unordered(values, graphs[0].node_ids, what=what)


def _as_names(names: Any, number: int) -> list[str]:
    """Return the names of graphs as text, after checking that there is one per graph."""
    if not is_iterable(names) or isinstance(names, Mapping):
        raise InputError(f"names must be a list of texts, one per graph, got {show_value(names)}.")
    texts = list(names)
    if len(texts) != number:
        raise InputError(f"names must have one entry per graph: {number}, got {len(texts)}.")
    if strange := [text for text in texts if not isinstance(text, str) or not is_encodable(text)]:
        raise InputError(f"names must be texts that UTF-8 can encode, got {show_value(strange[0])}.")
    return texts


def as_moment(as_of: Any, window: Any, edge_times: Any, time_format: str | None) -> Window | None:
    """Return which edges are known, or None for all; raise for an option that says more about one that is not given."""
    for name, value, needed, other, what in (
        ("window", window, "as_of", as_of, "how long edges count before"),
        ("time_format", time_format, "edge_times", edge_times, "the form of"),
    ):
        if value is not None and other is None:
            raise InputError(f"{as_argument(name)} is {what} {as_argument(needed)}. Give both.")
    return None if as_of is None else Window(as_of, window, time_format)


def with_labels(
    drawn: list[Drawn], settings: Settings, labels: Any = None, **edges: Unpack[EdgeOptions]
) -> tuple[list[Drawn], Schema]:
    """Return graphs with labels of nodes and types of edges as numbers, and a schema with their names.

    >>> from egonet.graph.named import path
    >>> (one,), schema = with_labels([Drawn(path("ab"), "edge")], Settings(1), {"a": "C", "b": "O"})
    >>> one.labels.tolist(), one.symbols, schema.labels
    ([0, 1], ['C', 'O'], ('C', 'O'))
    """
    union, ptr, joined = join_labels([each.graph for each in drawn], labels, settings, **edges)
    names = joined.node_names
    sets, members = joined.type_sets(union) if joined.edges is not None else (None, [])
    ends = np.cumsum([0, *(each.graph.num_edges for each in drawn)])
    made = []
    for side, each in enumerate(drawn):
        if names is not None and joined.nodes is not None:
            numbers = joined.nodes[ptr[side] : ptr[side + 1]].astype(np.int64)
            symbols = [str(names[number]) for number in numbers.tolist()]
            columns = {"label": symbols, **each.columns}
            each = replace(each, labels=numbers, symbols=symbols, columns=columns)
        if sets is not None:
            each = replace(each, types=(sets[ends[side] : ends[side + 1]], members))
        made.append(each)
    return made, Schema(settings, names, joined.edge_names)


def explore_encoding(encoding: Encoding, name: str = "graph") -> Page:
    """Return the page of an encoding's graph, with the settings of the encoding."""
    if encoding.index.kind != "node":
        raise InputError(
            f"the explorer shows rows of nodes, got rows of {encoding.index.kind}s. Use explore(graph)."
        )
    if encoding.graph is None:
        raise InputError(
            "this encoding has no graph: it was loaded from a file, or is a part of another. Use explore(graph)."
        )
    if encoding.vocabulary.edge_labels is not None:
        raise InputError(
            "an encoding does not keep its edge types. Use explore(graph, edge_labels=...) with the same settings."
        )
    (name,) = _as_names([name], 1)
    drawn = [Drawn(encoding.graph, name, labels=row_labels(encoding))]
    return make_page(drawn, encoding.vocabulary.schema, [])


def make_page(
    drawn: list[Drawn],
    schema: Schema,
    verdicts: list[dict[str, Any]],
    *,
    around: Sequence[Hashable] = (),
    max_nodes: int = MAX_SHOWN,
    opening: Mapping[str, Any] | None = None,
) -> Page:
    """Return the page of one graph or two; `opening` has the coloring it opens with and a note, if any."""
    title = " and ".join(each.name for each in drawn) + " · egonet"
    shown = settings_data(schema)
    centers = [around, ()]
    data = {
        "graphs": [graph_data(each, center, max_nodes) for each, center in zip(drawn, centers, strict=False)],
        "settings": shown,
        "verdicts": verdicts,
        "opening": dict(opening or {}),
        "looksAt": LOOKS_AT if len(drawn) > 1 else {},
        **coloring_data(drawn, around, shown["radius"]),
    }
    style, script = _text("tokens.css") + _text("style.css"), _script()
    policy = f"{_POLICY}; script-src {_hash(script)}; style-src {_hash(style)}"
    parts = {
        "title": escape(title),
        "policy": policy,
        "style": style,
        "script": script,
        "data": safe_json(data),
    }
    return Page(title, Template(_text("page.html")).substitute(parts))


def safe_json(data: Any) -> str:
    """Return JSON that is safe inside a script element for any ids.

    >>> print(safe_json(["</script>"]))
    ["\\u003c/script\\u003e"]
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


@cache
def _text(name: str) -> str:
    """Return the text of a static file."""
    return files("egonet.viz").joinpath("static", name).read_text(encoding="utf-8")


#: A page with more data than this many characters is painted before they are read.
_RUN = """
if (document.getElementById("data").textContent.length < 2e5) run();
else {
  document.body.classList.add("busy");
  requestAnimationFrame(() => setTimeout(run));
}
"""


@cache
def _script() -> str:
    """Return all scripts as one: d3 with its license, then those of the page in one scope."""
    own = "\n".join(_text(f"scripts/{name}") for name in _SCRIPTS)
    library = f"/*\n{_text('d3/d3.LICENSE')}*/\n{_text('d3/d3.min.js')}\n"
    return f'{library}(() => {{\n"use strict";\nconst run = () => {{\n{own}}};\n{_RUN}}})();\n'


def _hash(text: str) -> str:
    """Return a source expression that allows exactly this inline script or style."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

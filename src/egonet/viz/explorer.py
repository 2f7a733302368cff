"""The explorer: one HTML page with graphs and settings that needs no server and no network."""

import base64
import hashlib
import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Unpack

from egonet.encoding.encoding import Encoding
from egonet.encoding.settings import Radius, Settings, SettingsOptions, as_settings
from egonet.errors import InputError
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.io.atomic import atomic_path
from egonet.typing import Int64s
from egonet.viz.payload import graph_data, row_labels, settings_data, verdict_data

FRAME_HEIGHT = 720

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'"

_SCRIPTS = (
    "dom.js",
    "encode.js",
    "color.js",
    "layout.js",
    "paint_svg.js",
    "paint_canvas.js",
    "view.js",
    "ego.js",
    "compare.js",
    "search.js",
    "main.js",
)
# "</script>" and "<!--" would end the data; U+2028 and U+2029 end lines in older JavaScript engines.
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


@dataclass(frozen=True, repr=False)
class Page:
    """A self-contained explorer page, shown in a notebook or written to a file.

    Attributes
    ----------
    title
        The title in the browser.
    html
        The HTML source.
    """

    title: str
    html: str

    def __repr__(self) -> str:
        """Return the title and the size."""
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


def explore(
    graph: Any,
    other: Any = None,
    *,
    settings: Settings | Radius | None = None,
    names: Sequence[str] | None = None,
    around: Hashable | None = None,
    **options: Unpack[SettingsOptions],
) -> Page:
    """Return a page that draws one graph, or two next to each other, colored by encoding class.

    Parameters
    ----------
    graph, other
        Anything `as_graph` accepts. A graph of more than 2,000 nodes is shown as a sample, and the page says so.
    settings
        The initial settings of the page: a record or a radius. The radius is 0 to 4, or all radii from 1 as in (1, 2).
    names
        The names of the graphs.
    around
        The center of the sample, if `graph` is sampled.
    **options
        The fields of `Settings`, instead of a record: radius, degrees, frontier_edges, max_degree, degree_bins.

    Raises
    ------
    InputError
        If an argument breaks a rule.

    Examples
    --------
    >>> page = explore([("a", "b"), ("b", "c")], names=["a short path"])
    >>> page.title
    'a short path · egonet'
    """
    graphs = [as_graph(given) for given in (graph, other) if given is not None]
    called = list(names) if names is not None else ["graph", "other graph"][: len(graphs)]
    if len(called) != len(graphs):
        raise InputError(f"names must have one entry per graph: {len(graphs)}, got {len(called)}.")
    chosen = as_settings(settings, options)
    if chosen.cap is not None:
        raise InputError("the explorer counts all edges. Leave cap out.")
    return make_page(graphs, chosen, called, around=around)


def explore_encoding(encoding: Encoding, name: str = "graph") -> Page:
    """Return the page of an encoding's graph, with the settings of the encoding."""
    if encoding.graph is None:
        raise InputError(
            "this encoding has no graph: it was loaded from a file, or is a part of another. Use explore(graph)."
        )
    labels = row_labels(encoding)
    return make_page([encoding.graph], encoding.vocabulary.settings, [name], labels=labels)


def make_page(
    graphs: list[Graph],
    settings: Settings,
    names: Sequence[str],
    *,
    around: Hashable | None = None,
    labels: Int64s | None = None,
) -> Page:
    """Return the page of one graph or two."""
    title = " and ".join(names) + " · egonet"
    centers = [around, None]
    shown = [graph_data(*each, labels) for each in zip(graphs, names, centers, strict=False)]
    data = {"graphs": shown, "settings": settings_data(settings), "verdicts": verdict_data(graphs)}
    style, script = _text("style.css"), _script()
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

    Examples
    --------
    >>> print(safe_json(["</script>"]))
    ["\\u003c/script\\u003e"]
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


@cache
def _text(name: str) -> str:
    """Return the text of a static file."""
    return files("egonet.viz").joinpath("static", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return all scripts as one: d3 with its license, then those of the page in one scope."""
    own = "\n".join(_text(name) for name in _SCRIPTS)
    return f'/*\n{_text("d3.LICENSE")}*/\n{_text("d3.min.js")}\n(() => {{\n"use strict";\n{own}}})();\n'


def _hash(text: str) -> str:
    """Return a source expression that allows exactly this inline script or style."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

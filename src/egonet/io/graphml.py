"""Graphs in GraphML: every graph of a file, and an error with its place for all that GraphML forbids."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.etree import ElementTree

import numpy as np

from egonet.errors import FileError, InputError
from egonet.graph.graph import Graph
from egonet.graph.ids import checked, first_appearance, id_array, printable, show
from egonet.typing import Direction

ENCODINGS = (b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1")


def read_graphml(stream: BinaryIO, name: str, *, directed: Direction | None) -> list[Graph]:
    """Return the graphs of a GraphML file; files that define entities or hide their encoding are refused.

    Examples
    --------
    >>> from io import BytesIO
    >>> nodes = b'<node id="a"/><node id="b"/><edge source="a" target="b"/>'
    >>> text = b'<graphml><graph edgedefault="undirected">' + nodes + b"</graph></graphml>"
    >>> read_graphml(BytesIO(text), "a.graphml", directed=None)
    [Graph(num_nodes=2, num_edges=1)]
    """
    text = stream.read()
    encoding = re.search(rb"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']*)", text[:200])
    known = encoding is None or encoding[1].lower() in ENCODINGS
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text or b"\0" in text or not known:
        raise FileError(f"{name}: GraphML must be UTF-8 without a document type or entities. Remove them.")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - nothing is defined in it, see above
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        said = printable(str(error)).rstrip(".")
        raise FileError(f"{name} is not a GraphML file that can be read: {said}.") from error
    if tag_of(root) != "graphml":
        raise FileError(
            f"{name} is not a GraphML file that can be read: it begins with <{printable(tag_of(root))[:40]}>."
        )
    weights = weight_keys(root)
    found = [
        from_element(graph, f"{name}, graph {place} (counted from 0)", weights, directed)
        for place, graph in enumerate(children(root, "graph"))
    ]
    if not found:
        raise FileError(f"{name} has no <graph>. Fetch it again.")
    return found


def from_element(graph: Any, place: str, weights: set[str], directed: Direction | None) -> Graph:
    """Return the graph of a <graph> element; `place` names it in messages."""
    nodes = [element.get("id") for element in children(graph, "node")]
    refuse_structure(graph, nodes, place)
    default = graph.get("edgedefault", "undirected")
    if default not in ("directed", "undirected"):
        raise FileError(f'{place}: edgedefault must be "directed" or "undirected", got {show(default)}.')
    if directed is not None and default == "undirected":
        raise FileError(f"{place} has no arcs to follow, got directed={directed!r}. Leave it out.")
    row = {node: number for number, node in enumerate(nodes)}
    flat, weighted = [], False
    for number, edge in enumerate(children(graph, "edge")):
        ends = (edge.get("source"), edge.get("target"))
        refuse_edge(edge, ends, row, default, f"{place}, edge {number} (counted from 0)")
        flat += [row[ends[0]], row[ends[1]]]
        weighted = weighted or any(data.get("key") in weights for data in children(edge, "data"))
    try:
        checked(nodes, lambda position: f"at node {position} (counted from 0)")
    except InputError as error:
        raise FileError(f"{place}: {error}") from error
    rows = np.array(flat, dtype=np.int32)
    return Graph.from_indices(
        rows[0::2],
        rows[1::2],
        len(nodes),
        nodes=id_array(nodes),
        directed=directed,
        weights_ignored=weighted,
        read_as_undirected=default == "directed",
    )


def refuse_structure(graph: Any, nodes: list[Any], place: str) -> None:
    """Raise for nodes without an id or with one that is taken, and for what GraphML can hold and a graph cannot."""
    if None in nodes:
        raise FileError(f"{place}: node {nodes.index(None)} (counted from 0) has no id. Give it one.")
    if len(set(nodes)) < len(nodes):
        codes, _ = first_appearance(nodes)
        twice = int(np.flatnonzero(codes[1:] <= np.maximum.accumulate(codes)[:-1])[0]) + 1
        raise FileError(
            f"{place}: node {twice} (counted from 0) repeats the id {show(nodes[twice])}. Rename it."
        )
    inner = next(
        (element for element in graph.iter() if element is not graph and tag_of(element) == "graph"), None
    )
    if inner is not None:
        raise FileError(
            f"{place}: there is a <graph> inside it ({show(inner.get('id'))}), and a graph has one level. Take it out."
        )
    if any(True for _ in children(graph, "hyperedge")):
        raise FileError(f"{place}: there is a <hyperedge>, and an edge has two ends. Write it as edges.")


def refuse_edge(edge: Any, ends: tuple[Any, Any], row: dict[Any, int], default: str, place: str) -> None:
    """Raise for an edge that lacks an end, points at no node, or contradicts the direction of the graph."""
    for side, end in zip(("source", "target"), ends, strict=True):
        if end is None:
            raise FileError(f"{place} has no {side}. Give it one or drop the edge.")
        if end not in row:
            raise FileError(
                f"{place} has the {side} {show(end)}, and there is no such node."
                " Add the node or drop the edge."
            )
    own = edge.get("directed")
    if own is not None and (own in ("true", "1")) != (default == "directed"):
        raise FileError(
            f"{place} says directed={own!r} in a graph that is {default}. Write all edges the same way."
        )


def weight_keys(root: Any) -> set[str]:
    """Return the ids of the keys that give edges a weight."""
    keys = [key for key in children(root, "key") if key.get("for", "all") in ("edge", "all")]
    return {key.get("id") for key in keys if str(key.get("attr.name")).lower() == "weight"}


def children(element: Any, tag: str) -> Iterator[Any]:
    """Yield the children of an element that have a name, whatever their namespace."""
    return (child for child in element if tag_of(child) == tag)


def tag_of(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]

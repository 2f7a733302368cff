"""Text formats of other programs: GraphML, GML and Matrix Market."""

import inspect
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from egonet.errors import FileError, InputError, did_you_mean, option, printable, require_extra, show_value
from egonet.graph.adapters import from_networkx, node_attribute
from egonet.graph.align import attach_columns
from egonet.graph.arcs import from_matrix
from egonet.graph.columns import WHOLE, from_fields, make_table
from egonet.graph.graph import Graph
from egonet.graph.index import check_ids, first_appearance, id_array, in_nodes, is_id
from egonet.graph.input_options import InputOptions, note_attributes
from egonet.io.limits import first_line, reject_implausible

_NUMBER = rb"[ \t]++(?:[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?|[+-]?(?:nan|inf(?:inity)?))"
#: Lines of Matrix Market entries with no, one or two numbers. Possessive quantifiers keep matching linear in time.
_ENTRIES = [
    re.compile(rb"(?i)(?:[ \t]*+(?:\d++[ \t]++\d++(?:%b){%d}[ \t\r]*+)?(?:\n|\Z))*+" % (_NUMBER, count))
    for count in range(3)
]
#: What networkx raises for damaged files, besides its own errors.
_ODD = (TypeError, AttributeError, RecursionError, OverflowError, AssertionError)
ENCODINGS = (b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1")
Bytes: TypeAlias = NDArray[np.uint8]
_LONG_NAMESPACE = re.compile(rb"xmlns[^=<>\"']{0,200}=\s*(?:\"[^\"]{1000}|'[^']{1000})")


def read_graphml(stream: BinaryIO, name: str, options: InputOptions) -> list[Graph]:
    """Return the graphs of a GraphML file; document types, entities and other encodings are errors.

    >>> from io import BytesIO
    >>> nodes = b'<node id="a"/><node id="b"/><edge source="a" target="b"/>'
    >>> text = b'<graphml><graph edgedefault="undirected">' + nodes + b"</graph></graphml>"
    >>> read_graphml(BytesIO(text), "a.graphml", InputOptions())
    [Graph(num_nodes=2, num_edges=1)]
    """
    text = stream.read()
    encoding = re.search(rb"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']*)", text[:200])
    is_readable = encoding is None or encoding[1].lower() in ENCODINGS
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text or b"\0" in text or not is_readable:
        raise FileError(f"{name}: GraphML must be UTF-8 without a document type or entities. Remove them.")
    if _LONG_NAMESPACE.search(text):  # it would be copied into the tag of every element
        raise FileError(f"{name}: a namespace of GraphML must have fewer than 1,000 characters. Shorten it.")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - it has no entities, see above
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        reason = printable(str(error)).rstrip(".")
        raise FileError(f"{name} is not a GraphML file that can be read: {reason}.") from error
    if tag_of(root) != "graphml":
        raise FileError(
            f"{name} is not a GraphML file that can be read: it begins with <{printable(tag_of(root))[:40]}>."
        )
    of_edges, of_nodes = (Attributes.declared(root, what) for what in ("edge", "node"))
    graphs = []
    for number, element in enumerate(children(root, "graph")):
        place = f"{name}, graph {number} (counted from 0)"
        graph = from_element(element, place, of_edges, options)
        if options.node_attribute is not None:
            labels = of_nodes.values(children(element, "node"), options.node_attribute, place)
            graph = attach_columns(graph, np.array([0, graph.num_nodes]), {"labels": labels})
        graphs.append(graph)
    if not graphs:
        raise FileError(f"{name} has no <graph>. Fetch it again.")
    return graphs


@dataclass(frozen=True)
class Attributes:
    """The attributes that a GraphML file declares for its nodes or its edges.

    `names` has the name of every key, `defaults` the values of elements without one, `types` what values are, all by
    name but the first.
    """

    names: dict[str | None, str]
    defaults: dict[str, Any]
    types: dict[str, str | None]

    @classmethod
    def declared(cls, root: Any, what: str) -> "Attributes":
        """Return the attributes of "node" or "edge" elements."""
        keys = [key for key in children(root, "key") if key.get("for", "all") in (what, "all")]
        names = {key.get("id"): key.get("attr.name") or key.get("id") for key in keys}
        defaults = {names[key.get("id")]: each.text for key in keys for each in children(key, "default")}
        return cls(names, defaults, {names[key.get("id")]: key.get("attr.type") for key in keys})

    def of(self, element: Any) -> dict[str, Any]:
        """Return the values of an element by name."""
        values = {
            self.names[data.get("key")]: data.text
            for data in children(element, "data")
            if data.get("key") in self.names
        }
        return self.defaults | values

    def reject_twins(self, name: str, place: str) -> None:
        """Raise if several keys have a name, so that it could mean two attributes."""
        keys = [key for key, each in self.names.items() if each == name]
        if len(keys) > 1:
            raise FileError(
                f"{place}: {len(keys)} keys are called {show_value(name)}: "
                f"{', '.join(map(show_value, keys[:3]))}. Rename all but one."
            )

    def values(self, nodes: Iterator[Any], name: str, place: str) -> list[Any]:
        """Return one attribute of all nodes; raise if a node has none."""
        names = list(dict.fromkeys(self.names.values()))
        if name not in names:
            has = f"It has {', '.join(map(show_value, names[:9]))}." if names else "It has none."
            raise InputError(
                f"{place} has no node attribute {show_value(name)}.{did_you_mean(name, names)} {has}"
            )
        self.reject_twins(name, place)
        values = [self.of(node).get(name) for node in nodes]
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InputError(
                f"labels names the node attribute {show_value(name)}: {len(missing):,} of {len(values):,} nodes of "
                f"{place} have none, first node {missing[0]} (counted from 0). Fill it in."
            )
        return declared_values(values, self.types.get(name), f"{place}, {name}")


def from_element(graph: Any, place: str, attributes: Attributes, options: InputOptions) -> Graph:
    """Return the graph of a <graph> element, which messages call `place`; `attributes` are those of its edges."""
    directed, keep = options.directed, options.keep
    if not len(graph) and not graph.attrib and directed is None and keep is None:
        return no_nodes()  # a megabyte of them would take seconds
    nodes = [element.get("id") for element in children(graph, "node")]
    reject_structure(graph, nodes, place)
    default = graph.get("edgedefault", "undirected")
    if default not in ("directed", "undirected"):
        raise FileError(
            f'{place}: edgedefault must be "directed" or "undirected", got {show_value(default)}.'
        )
    if directed is not None and default == "undirected":
        raise FileError(f"{place} has no arcs to follow, got {option('directed', directed)}. Leave it out.")
    row = {node: number for number, node in enumerate(nodes)}
    flat, fields = [], []
    for number, edge in enumerate(children(graph, "edge")):
        ends = (edge.get("source"), edge.get("target"))
        reject_edge(edge, ends, row, default, f"{place}, edge {number} (counted from 0)")
        flat += [row[ends[0]], row[ends[1]]]
        fields.append(attributes.of(edge))
    try:
        check_ids(nodes, in_nodes)
    except InputError as error:
        raise FileError(f"{place}: {error.marked}") from error
    rows = np.array(flat, dtype=np.int32)
    own = Graph.from_indices(
        rows[0::2],
        rows[1::2],
        len(nodes),
        nodes=id_array(nodes),
        directed=directed,
        read_as_undirected=default == "directed",
    )
    for name in keep or ():
        attributes.reject_twins(name, place)
    listed = from_fields(fields, place)
    return note_attributes(own, set().union(*fields), keep).with_table(
        make_table(
            rows[0::2],
            rows[1::2],
            keep,
            lambda name: declared_values(listed(name), attributes.types.get(name), f"{place}, {name}"),
        )
    )


def declared_values(texts: list[Any], kind: str | None, place: str) -> list[Any]:
    """Return the values of an attribute as whole numbers if the file declares these, else as text.

    >>> declared_values(["1", "2"], "int", "a.graphml, kind"), declared_values(["1", "2"], "string", "a.graphml, kind")
    ([1, 2], ['1', '2'])
    """
    if kind not in ("int", "long"):
        return texts
    strange = [text for text in texts if text is not None and not WHOLE.fullmatch(text.strip())]
    if strange:
        raise FileError(
            f"{place} is declared as {kind}, but {len(strange):,} of {len(texts):,} values are not, first "
            f'{show_value(strange[0])}. Correct them, or declare attr.type="string".'
        )
    return [None if text is None else int(text) for text in texts]


@cache
def no_nodes() -> Graph:
    """Return the graph of an empty <graph>; graphs are immutable."""
    nothing = np.empty(0, dtype=np.int32)
    return Graph.from_indices(nothing, nothing, 0, nodes=id_array([]))


def reject_structure(graph: Any, nodes: list[Any], place: str) -> None:
    """Raise for missing and repeated node ids, nested graphs and hyperedges."""
    if None in nodes:
        raise FileError(f"{place}: node {nodes.index(None)} (counted from 0) has no id. Give it one.")
    if len(set(nodes)) < len(nodes):
        codes, _ = first_appearance(nodes)
        twice = int(np.flatnonzero(codes[1:] <= np.maximum.accumulate(codes)[:-1])[0]) + 1
        raise FileError(
            f"{place}: node {twice} (counted from 0) repeats the id {show_value(nodes[twice])}. Rename it."
        )
    inner = next(
        (element for element in graph.iter() if element is not graph and tag_of(element) == "graph"), None
    )
    if inner is not None:
        raise FileError(
            f"{place}: there is a <graph> inside it ({show_value(inner.get('id'))}), and a graph has one level. Take "
            "it out."
        )
    if any(True for _ in children(graph, "hyperedge")):
        raise FileError(f"{place}: there is a <hyperedge>, and an edge has two ends. Write it as edges.")


def reject_edge(edge: Any, ends: tuple[Any, Any], row: dict[Any, int], default: str, place: str) -> None:
    """Raise for an edge without an end, with an unknown end, or with another direction than the graph."""
    for side, end in zip(("source", "target"), ends, strict=True):
        if end is None:
            raise FileError(f"{place} has no {side}. Give it one or drop the edge.")
        if end not in row:
            raise FileError(
                f"{place} has the {side} {show_value(end)}, and there is no such node."
                " Add the node or drop the edge."
            )
    own = edge.get("directed")
    if own is not None and (own in ("true", "1")) != (default == "directed"):
        raise FileError(
            f"{place} says directed={own!r} in a graph that is {default}. Write all edges the same way."
        )


def children(element: Any, tag: str) -> Iterator[Any]:
    """Yield the children of an element with a tag of any namespace."""
    return (child for child in element if tag_of(child) == tag)


def tag_of(element: Any) -> str:
    """Return the tag of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def read_gml(stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of a GML file; the ids are the labels if they are unique ids, else the numbers."""
    networkx = require_extra("networkx", "Reading GML", extra="io")
    text = stream.read()
    try:
        lines = text.decode("utf-8").splitlines()
        graph = networkx.parse_gml(lines, label=None)
    except (networkx.NetworkXException, LookupError, ValueError, *_ODD) as error:
        raise FileError(f"{name} is not a GML file that can be read: {first_line(error)}") from error
    labels = [label for _, label in graph.nodes(data="label") if label is not None and is_id(label)]
    if len(labels) == len(graph) == len(set(labels)):
        graph = networkx.relabel_nodes(graph, dict(zip(graph, labels, strict=True)))
    try:
        result = from_networkx(graph, options)
        if options.node_attribute is None:
            return result
        labels = node_attribute(graph, options.node_attribute)
        return attach_columns(result, np.array([0, result.num_nodes]), {"labels": labels})
    except InputError as error:
        raise FileError(f"{name}: {error.marked}") from error


def read_matrix_market(stream: BinaryIO, name: str, options: InputOptions) -> Graph:
    """Return the graph of a sparse square matrix in the Matrix Market format."""
    text = stream.read()
    rows, columns, entries, start = matrix_market_size(text, name)
    if rows != columns:
        raise FileError(f"{name}: the matrix of a graph must be square, got {rows:,} x {columns:,}.")
    if 4 * entries > len(text) + 4:
        raise FileError(
            f"{name} is cut short: {len(text):,} bytes cannot hold {entries:,} entries. Fetch it again."
        )
    reject_implausible(rows, len(text), name)
    reject_bad_entries(text, start, name)
    try:
        # scipy reads past the end of a last line without a line feed.
        return from_matrix(
            read_coordinates(io.BytesIO(text + b"\n")), directed=options.directed, keep=options.keep
        )
    except (ValueError, OverflowError, TypeError) as error:
        raise FileError(f"{name} is not a valid Matrix Market file: {first_line(error)}") from error


def read_coordinates(source: BinaryIO | Path) -> coo_array:
    """Return a Matrix Market file as a sparse array.

    >>> text = b"%%MatrixMarket matrix coordinate pattern symmetric\\n2 2 1\\n2 1\\n"
    >>> read_coordinates(io.BytesIO(text)).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    from scipy.io import mmread  # loads readers of ten other formats

    # Without the argument scipy 1.18 warns that its default will change; scipy 1.13 and 1.14 do not have it.
    has_choice = "spmatrix" in inspect.signature(mmread).parameters
    return coo_array(mmread(source, spmatrix=False) if has_choice else mmread(source))


def matrix_market_size(text: bytes, name: str) -> tuple[int, int, int, int]:
    """Return the declared rows, columns and entries of a Matrix Market file, and the offset of its entries.

    >>> matrix_market_size(b"%%MatrixMarket matrix coordinate pattern symmetric\\n3 3 1\\n2 1\\n", "a.mtx")
    (3, 3, 1, 57)
    """
    head, *lines = text[: 1 << 20].splitlines(keepends=True) or [b""]
    start = len(head)
    fields = head.lower().split()
    if fields[:2] != [b"%%matrixmarket", b"matrix"] or len(fields) != 5:
        raise FileError(
            f"{name} is not a Matrix Market file: its first line is {show_value(head.decode('latin-1').strip())}."
        )
    if fields[2] != b"coordinate":
        raise FileError(
            f"{name} holds a dense matrix, and only the coordinate form is read. Store it sparse."
        )
    for number, line in enumerate(lines, start=2):
        start += len(line)
        if line.strip() and not line.startswith(b"%"):
            if not re.fullmatch(rb"\s*\d{1,18}\s+\d{1,18}\s+\d{1,18}\s*", line):
                shown = show_value(line.decode("latin-1").strip())
                raise FileError(f"{name}, line {number}: expected rows, columns and entries, got {shown}.")
            rows, columns, entries = map(int, line.split())
            return rows, columns, entries, start
    raise FileError(f"{name} is cut short: there is no line with its size. Fetch it again.")


def reject_bad_entries(text: bytes, start: int, name: str) -> None:
    """Raise for the first line of a Matrix Market file that is not an entry of its field."""
    field = text.split(maxsplit=4)[3].lower()
    pattern = _ENTRIES[{b"pattern": 0, b"complex": 2}.get(field, 1)]
    match = pattern.match(text, start)
    end = match.end() if match is not None else start
    if end < len(text):
        shown = show_value(text[end : end + 60].splitlines()[0].decode("latin-1"))
        line = text.count(b"\n", 0, end) + 1
        raise FileError(f"{name}, line {line}: expected an entry, got {shown}.")

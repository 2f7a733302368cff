"""Readers that share no code with egonet: a file that egonet accepts must have the same edges here."""

import csv
import html
import io
import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

from egonet.graph.graph import Graph

#: Edges as unordered pairs of names, without loops.
EdgeSet = set[frozenset[str]]
COLUMNS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"))


class WrongError(AssertionError):
    """A file was accepted although it is invalid, or another reader finds other edges."""


def same(ours: object, theirs: object, what: str) -> None:
    """Raise unless two readings are equal."""
    if ours != theirs:
        raise WrongError(f"{what}: {str(ours)[:300]} is not {str(theirs)[:300]}")


def edge_set(pairs: Iterable[tuple[Any, Any]]) -> EdgeSet:
    """Return pairs of ids as a set of edges."""
    named = ((str(u), str(v)) for u, v in pairs)
    return {frozenset((u.strip(), v.strip())) for u, v in named if u != v}


def edges_of(graph: Graph) -> EdgeSet:
    """Return the edges of a graph by id."""
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    ids = graph.node_ids.tolist()
    return edge_set((ids[u], ids[v]) for u, v in zip(rows.tolist(), graph.indices.tolist(), strict=True))


def text_edges(data: bytes, delimiter: str, options: dict[str, Any]) -> EdgeSet:
    """Return the edges of a table in text, split by Python's csv module or at blanks.

    `options` are source, target and header of `read_graph`. A file that egonet accepts without `header` has one if
    the columns are names, or if its first row has well-known names: it raises for a row that may be either.
    """
    rows = text_rows(data, delimiter)
    source, target = options.get("source"), options.get("target")
    names = [name.strip().lower() for name in rows[0]] if rows else []
    known = next(((a, b) for a, b in COLUMNS if a in names and b in names), None)
    has_header = options.get("header")
    if has_header is None:
        has_header = isinstance(source, str) or known is not None
    if isinstance(source, str):
        source, target = rows[0].index(source), rows[0].index(target)
    elif source is None:
        source, target = (names.index(end) for end in known) if has_header and known else (0, 1)
    return edge_set((row[source], row[target]) for row in rows[int(has_header) :])


def text_rows(data: bytes, delimiter: str) -> list[list[str]]:
    """Return the fields of every line that is neither blank nor a comment."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    blanks = " " if delimiter == "\t" else " \t"
    if not delimiter:
        if re.search(r'(^|[ \t\r\n])"', text):
            raise csv.Error("between blanks this reader does not know quotes, which may contain line ends")
        lines = [line.strip(" \t") for line in re.split(r"\r\n|\n|\r", text)]
        return [re.split(r"[ \t]+", line) for line in lines if line and line[0] not in "#%"]
    text = re.sub(
        rf'(?m)(^|{delimiter})[{blanks}]+(?=")', r"\1", text
    )  # blanks before quotes have no meaning
    rows = [
        [field.strip(blanks) for field in row]
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    ]
    return [row for row in rows if any(row) or len(row) > 1]


def table_edges(path: Path) -> EdgeSet:
    """Return the edges of a Parquet or Arrow file, as plain Python values."""
    data = path.read_bytes()
    if path.suffix == ".parquet":
        file = parquet.ParquetFile(pa.BufferReader(data))
        names = file.schema_arrow.names
        table = None
    else:
        table = (ipc.open_file if data[:6] == b"ARROW1" else ipc.open_stream)(
            pa.BufferReader(data)
        ).read_all()
        names = table.column_names
    names = [str(name).strip().lower() for name in names]
    source, target = next(
        ((names.index(a), names.index(b)) for a, b in COLUMNS if a in names and b in names), (0, 1)
    )
    if table is None:
        table = file.read(columns=[file.schema_arrow.names[position] for position in (source, target)])
        source, target = (
            table.column_names.index(file.schema_arrow.names[position]) for position in (source, target)
        )
    columns = [table.column(position).to_pylist() for position in (source, target)]
    return edge_set(zip(*columns, strict=True))


def matrix_market_edges(data: bytes) -> EdgeSet:
    """Return the entries of a Matrix Market file that are not zero; repeats are not summed."""
    lines = [line for line in data.splitlines()[1:] if line.strip() and not line.lstrip().startswith(b"%")]
    entries = [line.split() for line in lines[1:]]
    return edge_set(
        (int(row) - 1, int(column) - 1)
        for row, column, *value in entries
        if not value or complex(*map(float, value)) != 0
    )


def graph6_edges(data: bytes) -> EdgeSet:
    """Return the edges of the only graph of a graph6 file, by networkx."""
    lines = [line.strip() for line in data.split(b"\n") if line.strip() not in (b"", b">>graph6<<")]
    graph = nx.from_graph6_bytes(lines[0])
    return edge_set(graph.edges)


def graphml_edges(data: bytes) -> EdgeSet:
    """Return the edges of a GraphML file, element by element."""
    root = ElementTree.fromstring(data)
    space = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
    graph = next(root.iter(f"{space}graph"))
    return edge_set((edge.get("source"), edge.get("target")) for edge in graph.findall(f"{space}edge"))


def gml_edges(data: bytes) -> EdgeSet:
    """Return the edges of a GML file, token by token; ids are labels if they are unique."""
    number = r"[+-]?(?:\d+\.\d*|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?\d+"
    tokens = re.findall(rf'"[^"]*"|\[|\]|{number}|[A-Za-z]\w*', re.sub(r"(?m)^\s*#.*$", "", data.decode()))
    tokens = [str(int(token)) if re.fullmatch(r"[+-]?\d+", token) else token for token in tokens]
    tree = _gml_block(iter(tokens))
    graph = next(value for key, value in tree if key == "graph")
    nodes = [dict(value) for key, value in graph if key == "node"]
    ids = [node["id"] for node in nodes]
    labels = [html.unescape(node["label"].strip('"')) for node in nodes if node.get("label", '""') != '""']
    if any([key for key, _ in value].count("label") > 1 for key, value in graph if key == "node"):
        labels = []  # a node with two labels has no label
    names = dict(zip(ids, labels if len(labels) == len(ids) == len(set(labels)) else ids, strict=True))
    edges = [dict(value) for key, value in graph if key == "edge"]
    return edge_set((names[edge["source"]], names[edge["target"]]) for edge in edges)


def _gml_block(tokens: Any) -> list[tuple[str, Any]]:
    """Return the pairs of key and value up to the closing bracket."""
    found = []
    for key in tokens:
        if key == "]":
            break
        value = next(tokens)
        found.append((key, _gml_block(tokens) if value == "[" else value))
    return found


def npz_edges(path: Path) -> EdgeSet:
    """Return the edges of an npz file, entry by entry."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:  # zip allows bytes before the first member, np.load does not
        for name in archive.namelist():
            with suppress(Exception):  # members that are not used may be anything
                arrays[name.removesuffix(".npy")] = np.load(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
    if "edge_index" in arrays:
        return edge_set(arrays["edge_index"].T.tolist())
    if "edges" in arrays:
        return edge_set(arrays["edges"].reshape(-1, 2).tolist())
    if "indptr" in arrays:
        pointers = arrays["indptr"].tolist()
        rows = [row for row, (a, b) in enumerate(pairwise(pointers)) for _ in range(b - a)]
        entries = list(zip(rows, arrays["indices"].tolist(), strict=False))
        if arrays["format"].item() in (b"csc", "csc"):
            entries = [(column, row) for row, column in entries]
    else:
        ends = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
        entries = list(zip(*(end.tolist() for end in ends), strict=True))
    values = arrays["data"].tolist()
    return edge_set(entry for entry, value in zip(entries, values, strict=False) if value != 0)

"""A second reading of files, by other code than egonet's: what is accepted must mean the same there."""

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
from egonet.io.edgelist import has_header

#: Edges as unordered pairs of names; loops left out.
EdgeSet = set[frozenset[str]]
COLUMNS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"))


def edge_set(pairs: Iterable[tuple[Any, Any]]) -> EdgeSet:
    """Return pairs of ids as a set of edges."""
    named = ((str(u), str(v)) for u, v in pairs)
    return {frozenset((u.strip(), v.strip())) for u, v in named if u != v}


def edges_of(graph: Graph) -> EdgeSet:
    """Return the edges of a graph by id."""
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    ids = graph.node_ids.tolist()
    return edge_set((ids[u], ids[v]) for u, v in zip(rows.tolist(), graph.indices.tolist(), strict=True))


def text_edges(data: bytes, delimiter: str) -> EdgeSet:
    """Return the edges of a table in text, cut by Python's csv module or by blanks."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    blanks = " " if delimiter == "\t" else " \t"
    if delimiter:
        text = re.sub(
            rf'(?m)(^|{delimiter})[{blanks}]+(?=")', r"\1", text
        )  # blanks before quotes are nothing
        rows = [
            [field.strip(blanks) for field in row]
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        ]
        rows = [row for row in rows if any(row) or len(row) > 1]
    else:
        lines = [line.strip(" \t") for line in re.split(r"\r\n|\n|\r", text)]
        rows = [re.split(r"[ \t]+", line) for line in lines if line and line[0] not in "#%"]
    source, target = 0, 1
    if has_header(rows[:2]):
        names = [name.lower() for name in rows[0]]
        source, target = next(
            ((names.index(a), names.index(b)) for a, b in COLUMNS if a in names and b in names), (0, 1)
        )
        rows = rows[1:]
    return edge_set((row[source], row[target]) for row in rows)


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
        table = file.read(columns=[file.schema_arrow.names[place] for place in (source, target)])
        source, target = (
            table.column_names.index(file.schema_arrow.names[place]) for place in (source, target)
        )
    columns = [table.column(position).to_pylist() for position in (source, target)]
    return edge_set(zip(*columns, strict=True))


def matrix_market_edges(data: bytes) -> EdgeSet:
    """Return the entries of a Matrix Market file that are not zero, token by token."""
    lines = [line for line in data.splitlines()[1:] if line.strip() and not line.lstrip().startswith(b"%")]
    found = set()
    sums: dict[tuple[int, int], complex] = {}
    for line in lines[1:]:
        row, column, *value = line.split()
        place = (int(row) - 1, int(column) - 1)
        number = complex(*map(float, value)) if value else 1
        sums[place] = sums.get(place, 0) + number
        found.add(place)
    return edge_set(place for place in found if sums[place] != 0)


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
    """Return the edges of a GML file by a walk over its words; ids are labels where every node has its own."""
    number = r"[+-]?(?:\d+\.\d*|\.\d+)(?:[Ee][+-]?\d+)?|[+-]?\d+"
    words = re.findall(rf'"[^"]*"|\[|\]|{number}|[A-Za-z]\w*', re.sub(r"(?m)^\s*#.*$", "", data.decode()))
    words = [str(int(word)) if re.fullmatch(r"[+-]?\d+", word) else word for word in words]
    tree = _gml_block(iter(words))
    graph = next(value for key, value in tree if key == "graph")
    nodes = [dict(value) for key, value in graph if key == "node"]
    ids = [node["id"] for node in nodes]
    labels = [html.unescape(node["label"].strip('"')) for node in nodes if node.get("label", '""') != '""']
    names = dict(zip(ids, labels if len(labels) == len(ids) == len(set(labels)) else ids, strict=True))
    edges = [dict(value) for key, value in graph if key == "edge"]
    return edge_set((names[edge["source"]], names[edge["target"]]) for edge in edges)


def _gml_block(words: Any) -> list[tuple[str, Any]]:
    """Return the pairs of key and value up to the bracket that closes the block."""
    found = []
    for key in words:
        if key == "]":
            break
        value = next(words)
        found.append((key, _gml_block(words) if value == "[" else value))
    return found


def npz_edges(path: Path) -> EdgeSet:
    """Return the edges of an npz file, entry by entry."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:  # np.load wants nothing before the first member, zip does not mind
        for name in archive.namelist():
            with suppress(Exception):  # members that nobody asks for may be anything
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
        places = list(zip(rows, arrays["indices"].tolist(), strict=False))
    else:
        ends = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
        places = list(zip(*(end.tolist() for end in ends), strict=True))
    sums: dict[tuple[int, int], Any] = {}
    for place, value in zip(places, arrays["data"].tolist(), strict=False):
        sums[place] = sums.get(place, 0) + value
    return edge_set(place for place, value in sums.items() if value != 0)


def is_zip(data: bytes) -> bool:
    """Return whether bytes are a zip archive."""
    return zipfile.is_zipfile(io.BytesIO(data))

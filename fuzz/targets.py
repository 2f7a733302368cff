"""Every reader of files: how it is called, and how its result is checked."""

import csv
import gzip
import hashlib
import io
import shutil
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from egonet.embeddings.embedding import Embedding
from egonet.errors import EgonetError
from egonet.graph.graph import Graph
from egonet.io.read import read_graph, read_graphs
from egonet.store.graph import build_graph
from fuzz import mutate, other_readers, saved_files
from fuzz.mutate import TOKENS, Rebuild
from fuzz.other_readers import WrongError, same
from research.datasets.fetch import unpack
from research.datasets.protein_files import _array, _node_link
from research.datasets.registry import DataFile
from research.datasets.torch_pickle import read_torch_pickle
from research.paper.results import read_lines

HUB = egonet.as_graph([(0, 1), (1, 2), (2, 0), (2, 3)])
TEXT = ("csv", "tsv", "text", "csv.gz")
STREAMED = (*TEXT, "parquet")
#: Options for text, chosen by the checksum of the file: by default, by position and by name.
COLUMN_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"source": 0, "target": 1, "header": False},
    {"source": 1, "target": 0, "header": True},
    {"source": 2, "target": 0},
    {"source": "payer", "target": "payee"},
    {"source": "to", "target": "from", "header": True},
)
ODD_NAMES = ("nan", "na", "n/a", "null", "none", "-")


#: Larger graphs are not written and read again.
MOST_LISTED = 1_000_000


@dataclass(frozen=True)
class Target:
    """One reader of files.

    Attributes
    ----------
    name
        Its name in reports and in the corpus.
    file
        The name of the file; the ending gives the format.
    read
        Reads the file, checks the result and raises WrongError if it is wrong.
    rebuild
        Damages the inside of a container, or None.
    tokens
        Tokens of the format.
    """

    name: str
    file: str
    read: Callable[[Path], object]
    rebuild: Rebuild | None = None
    tokens: tuple[bytes, ...] = ()


def check_graph(graph: Graph, folder: Path) -> None:
    """Raise unless a graph is valid and equal after it is written and read again."""
    if (np.diff(graph.indptr) < 0).any():
        raise WrongError("indptr falls")
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    arcs = rows * max(graph.num_nodes, 1) + graph.indices
    if len(arcs) and (
        (np.diff(arcs) <= 0).any() or graph.indices.min() < 0 or graph.indices.max() >= graph.num_nodes
    ):
        raise WrongError("rows are not sorted, or leave the graph")
    if (rows == graph.indices).any():
        raise WrongError("a loop stayed")
    if graph.directed is None:
        turned = np.sort(graph.indices.astype(np.int64) * max(graph.num_nodes, 1) + rows)
        same(turned.tobytes(), arcs.astype(np.int64).tobytes(), "not symmetric")
    if graph.num_nodes > MOST_LISTED:
        return  # valid for a small file, but a list of the ids would exceed the memory limit
    ids = graph.node_ids.tolist()
    same(len(set(ids)), len(ids), "ids repeat")
    rewrite(graph, ids, folder)


def rewrite(graph: Graph, ids: list[Any], folder: Path) -> None:
    """Raise unless a graph is equal after it is written as npz and as csv, and read again."""
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees).tolist()
    pairs = [(ids[u], ids[v]) for u, v in zip(rows, graph.indices.tolist(), strict=True) if u < v]
    if graph.node_ids.dtype.kind in "iU":
        path = folder / "again.npz"
        edges = np.array(pairs, dtype=graph.node_ids.dtype).reshape(-1, 2)
        np.savez(path, edges=edges, nodes=graph.node_ids)
        again = read_graph(path)
        same(again.node_ids.tolist(), ids, "ids after npz")
        same(
            again.indptr.tobytes() + again.indices.tobytes(),
            graph.indptr.tobytes() + graph.indices.tobytes(),
            "npz",
        )
    plain = all(isinstance(name, int) for name in ids) or all(isinstance(name, str) for name in ids)
    if plain and pairs and not any(odd(name) for name in ids):
        path = folder / "again.csv"
        lines = [",".join('"' + str(end).replace('"', '""') + '"' for end in pair) for pair in pairs]
        path.write_bytes(("\n".join(lines) + "\n").encode())
        same(
            other_readers.edges_of(read_graph(path, header=False, comment="")),
            other_readers.edges_of(graph),
            "csv",
        )


def odd(name: object) -> bool:
    """Return whether text cannot represent a name: missing values, signs, outer blanks, NUL."""
    if isinstance(name, int):
        return False
    text = str(name)
    numeric = text.lstrip("+-").replace(".", "", 1).replace("e", "", 1)[:1].isdigit() and not text.isdigit()
    bad = any(mark in text for mark in "\0\ud800") or not text.isprintable()
    return text.strip().lower() in ODD_NAMES or numeric or bad or text != text.strip() or not text


def graph_target(name: str, file: str, edges: Callable[..., other_readers.EdgeSet], **fields: Any) -> Target:
    """Return the target of a format with one graph per file, compared with another reader."""

    is_text = name in TEXT

    def read(path: Path) -> object:
        number = zlib.crc32(path.read_bytes())
        options = COLUMN_OPTIONS[number % len(COLUMN_OPTIONS)] if is_text else {}
        is_streamed = name in STREAMED and number % 4 == 0  # one in four: it writes many files
        try:
            graph = read_graph(path, **options)
        except EgonetError as error:
            if is_streamed and is_text:
                check_stream(path, error, options)
            raise
        check_graph(graph, path.parent)
        with suppress(csv.Error):  # csv is stricter about blanks after quotes
            found = edges(path, options) if is_text else edges(path)
            same(other_readers.edges_of(graph), found, f"{name} by another reader, {options}")
        if is_streamed:
            check_stream(path, graph, options)
        return graph

    return Target(name, file, read, **fields)


#: What errors of reading in chunks say of numbers beyond 64 bits with a sign, which reading at once takes.
LIMITS_OF_STREAMS = ("cannot be stored", "cannot be read in chunks")


def check_stream(path: Path, expected: Graph | EgonetError, options: dict[str, Any]) -> None:
    """Raise unless reading in chunks into a folder ends like reading at once."""
    folder = path.parent / "graph"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        found: Graph | EgonetError = build_graph(path, folder, memory=10**6, **options).graph
    except EgonetError as error:
        found = error
    if isinstance(expected, Graph) and isinstance(found, Graph):
        same(found.node_ids.tolist(), expected.node_ids.tolist(), "ids of the stream")
        same(found.indices.tobytes(), expected.indices.tobytes(), "edges of the stream")
        same(found.info, expected.info, "info of the stream")
    elif isinstance(expected, EgonetError) and isinstance(found, EgonetError):
        # Two numbers may be wrong for two reasons, and the stream meets another one first.
        if not any(said in str(found) for said in LIMITS_OF_STREAMS):
            same(str(found), str(expected), "message of the stream")
    elif not any(said in str(found) for said in (*LIMITS_OF_STREAMS, "both ends must be", "among others")):
        raise WrongError(f"the stream says {found!s:.200}, the reader {expected!s:.200}")


def read_many(path: Path) -> object:
    """Read graph6: every graph; compare a single one with networkx."""
    graphs = read_graphs(path)
    for graph in graphs:
        check_graph(graph, path.parent)
    if len(graphs) == 1:
        same(
            other_readers.edges_of(graphs[0]),
            other_readers.graph6_edges(path.read_bytes()),
            "graph6 by networkx",
        )
    return graphs


def use_encoding(encoding: Any, path: Path) -> None:
    """Use an encoding: its properties, a row, saving and loading."""
    nodes = encoding.nodes.tolist()
    _ = encoding.feature_names, encoding.classes, str(encoding), encoding.matrix.sum()
    if nodes and encoding.num_graphs == 1:
        _ = encoding[nodes[0]]
    again = path.with_name("again.npz")
    encoding.save(again)
    other = egonet.load(again)
    same(other.nodes.tolist(), nodes, "nodes after saving")
    same(other.matrix.toarray().tolist() if other.matrix.size < 10**5 else 0,
         encoding.matrix.toarray().tolist() if encoding.matrix.size < 10**5 else 0, "counts after saving")  # fmt: skip
    same(other.columns, encoding.columns, "columns after saving")


def read_encoding(path: Path) -> object:
    """Read a saved encoding and use it."""
    encoding = egonet.load(path)
    use_encoding(encoding, path)
    if not encoding.vocabulary.labels:
        egonet.encode(HUB, vocabulary=encoding.vocabulary)
    return encoding


def read_embedding(path: Path) -> object:
    """Read a saved embedding, save it again, and transform a graph."""
    embedding = Embedding.load(path)
    embedding.save(path.with_name("again.npz"))
    other = Embedding.load(path.with_name("again.npz"))
    same(other.table.tobytes(), embedding.table.tobytes(), "table after saving")
    if not embedding.vocabulary.labels:
        embedding.transform(HUB)
    return str(embedding)


def read_store(path: Path) -> object:
    """Unpack a stored encoding into a folder, open it and use it."""
    folder = path.parent / "store"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as packed:
            for info in packed.infolist():
                member = folder / info.filename.replace("..", "_").lstrip("/")
                member.parent.mkdir(parents=True, exist_ok=True)
                member.write_bytes(packed.read(info))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return None  # the zip file belongs to the harness
    encoding = egonet.load(folder)
    use_encoding(encoding, path)
    return encoding


WANTED = tuple(
    DataFile(f"set/{name}", hashlib.sha256(b"0 1\n1 2\n").hexdigest(), 8, name) for name in ("a.txt", "c.txt")
)


def read_archive(path: Path) -> object:
    """Unpack the archive of a data set, and check that nothing else was written."""
    place = path.parent / "unpacked"
    shutil.rmtree(place, ignore_errors=True)
    before = {file.name for file in path.parent.iterdir()}
    found = unpack(path, list(WANTED), place)
    written = {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
    same(written, set(found), "files written")
    same({file.name for file in path.parent.iterdir()} - before - {"unpacked"}, set(), "files outside")
    same({file.read_bytes() for file in found.values()} - {b"0 1\n1 2\n"}, set(), "content")
    return found


def read_pickle(path: Path) -> object:
    """Read a pickled list of graphs; it may contain only arrays, numbers and containers."""
    for graph in read_torch_pickle(path):
        for value in graph.values():
            if type(value).__module__ not in (
                "builtins",
                "numpy",
                "collections",
                "research.datasets.torch_pickle",
            ):
                raise WrongError(f"an object of {type(value)} came out of a pickle")
    return None


def delimited(delimiter: str) -> Callable[..., other_readers.EdgeSet]:
    """Return the other reader of text."""

    def edges(path: Path, options: dict[str, Any]) -> other_readers.EdgeSet:
        data = path.read_bytes()
        return other_readers.text_edges(
            gzip.decompress(data) if path.suffix == ".gz" else data, delimiter, options
        )

    return edges


MTX_TOKENS = (b"%%MatrixMarket", b"matrix", b"coordinate", b"array", b"pattern", b"real", b"complex", b"integer",
             b"general", b"symmetric", b"skew-symmetric", b"hermitian", b"%", b"1000000000", b"1 1 1\n")  # fmt: skip
XML_TOKENS = (b"<graph>", b"</graph>", b"<node id='1'/>", b"<edge source='1' target='2'/>", b"<!DOCTYPE a>", b"&lt;",
             b"<![CDATA[", b"]]>", b"edgedefault='directed'", b"<data key='d0'>", b"<key id='d9' for='edge'/>", b"<!--",
             b"&#0;", b"&#x10FFFF;", b"<hyperedge/>", b"<port/>", b"<graph edgedefault='undirected'>")  # fmt: skip
GML_TOKENS = (b"graph [", b"]", b"[", b"node", b"edge", b"id", b"label", b"source", b"target", b'"', b"&#34;",
             b"directed 1", b"multigraph 1", b"key 0", b"1.5", b"+INF", b"NAN", b'"_networkx_list_start"')  # fmt: skip
TARGETS = (
    graph_target("csv", "a.csv", delimited(","), tokens=TOKENS),
    graph_target("tsv", "a.tsv", delimited("\t"), tokens=TOKENS),
    graph_target("text", "a.txt", delimited(""), tokens=TOKENS),
    graph_target("csv.gz", "a.csv.gz", delimited(","), rebuild=mutate.inside_gzip, tokens=TOKENS),
    graph_target("parquet", "a.parquet", other_readers.table_edges),
    graph_target("arrow", "a.arrow", other_readers.table_edges),
    graph_target(
        "mtx",
        "a.mtx",
        lambda path: other_readers.matrix_market_edges(path.read_bytes()),
        tokens=MTX_TOKENS + TOKENS,
    ),
    graph_target(
        "graphml", "a.graphml", lambda path: other_readers.graphml_edges(path.read_bytes()), tokens=XML_TOKENS
    ),
    graph_target("gml", "a.gml", lambda path: other_readers.gml_edges(path.read_bytes()), tokens=GML_TOKENS),
    Target("graph6", "a.g6", read_many, tokens=(b">>graph6<<", b"~", b"~~", b"?", b":", b"&", b"\n", b"@")),
    graph_target("npz", "a.npz", other_readers.npz_edges, rebuild=mutate.inside_zip),
    Target("encoding", "e.npz", read_encoding, rebuild=mutate.inside_zip),
    Target("embedding", "v.npz", read_embedding, rebuild=mutate.inside_zip),
    Target("store", "s.zip", read_store, rebuild=mutate.inside_zip),
    Target("archive", "d.zip", read_archive, rebuild=mutate.inside_zip),
    Target("pickle", "g.pkl", read_pickle),
    Target("node-link", "g.json", _node_link, rebuild=mutate.json_values, tokens=TOKENS),
    Target(
        "results",
        "t.paper.jsonl",
        lambda path: list(read_lines(path)),
        rebuild=mutate.json_values,
        tokens=TOKENS,
    ),
    Target("stream file", "w.npz", saved_files.read_stream, rebuild=mutate.inside_zip),
    Target(
        "vocabulary",
        "v.json",
        saved_files.read_columns_file,
        rebuild=mutate.with_checksum,
        tokens=TOKENS,
    ),
    Target("pair columns", "p.parquet", saved_files.read_pair_columns, rebuild=mutate.inside_parquet),
    Target("pair list", "q.csv", saved_files.read_pair_list, tokens=TOKENS),
    Target("event table", "t.csv", saved_files.read_events, tokens=TOKENS),
    Target("npy", "f.npy", _array, rebuild=lambda rng, data, _tokens: mutate.change_array(rng, data)),
)
BY_NAME = {target.name: target for target in TARGETS}

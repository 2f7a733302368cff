"""Every door through which a file comes in: how it is read, and what must hold of what was accepted."""

import csv
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
from egonet.store.stored_graph import build_graph
from experiments.datasets.fetch import unpack
from experiments.datasets.protein_files import _array, _node_link
from experiments.datasets.registry import DataFile
from experiments.datasets.torch_pickle import read_torch_pickle
from experiments.paper.results import read_lines
from fuzz import rebuild, second
from fuzz.mutate import WORDS
from fuzz.rebuild import Rebuild

HUB = egonet.as_graph([(0, 1), (1, 2), (2, 0), (2, 3)])
STREAMED = ("csv", "tsv", "text", "csv.gz", "parquet")
ODD_NAMES = ("nan", "na", "n/a", "null", "none", "-")


class WrongError(AssertionError):
    """A file was accepted that should not have been, or means something else to another reader."""


#: Graphs of more nodes are not written again.
MOST_LISTED = 1_000_000


@dataclass(frozen=True)
class Target:
    """One door.

    Attributes
    ----------
    name
        In reports and in the corpus.
    file
        The name of the file it is given; the ending says the format.
    read
        Reads the file, checks what came out and raises WrongError where it is wrong.
    rebuild
        Damages the inside of a container, or None.
    words
        What the format is made of.
    """

    name: str
    file: str
    read: Callable[[Path], object]
    rebuild: Rebuild | None = None
    words: tuple[bytes, ...] = ()


def same(ours: object, theirs: object, what: str) -> None:
    """Raise unless two readings are equal."""
    if ours != theirs:
        raise WrongError(f"{what}: {str(ours)[:300]} is not {str(theirs)[:300]}")


def check_graph(graph: Graph, folder: Path) -> None:
    """Raise unless a graph keeps the promises of the record, and comes back from a file of our own writing."""
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
        return  # a few bytes may rightly say so; lists of their ids would take the memory that is watched
    ids = graph.node_ids.tolist()
    same(len(set(ids)), len(ids), "ids repeat")
    rewrite(graph, ids, folder)


def rewrite(graph: Graph, ids: list[Any], folder: Path) -> None:
    """Raise unless a graph written as arrays, and its edges as text, are read as the same graph."""
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
        same(second.edges_of(read_graph(path, header=False, comment="")), second.edges_of(graph), "csv")


def odd(name: object) -> bool:
    """Return whether text has no way to hold a name: missing values, signs, blanks at the ends, NUL."""
    if isinstance(name, int):
        return False
    text = str(name)
    numeric = text.lstrip("+-").replace(".", "", 1).replace("e", "", 1)[:1].isdigit() and not text.isdigit()
    bad = any(mark in text for mark in "\0\ud800") or not text.isprintable()
    return text.strip().lower() in ODD_NAMES or numeric or bad or text != text.strip() or not text


def graph_target(name: str, file: str, edges: Callable[[Path], second.EdgeSet], **words: Any) -> Target:
    """Return a door for one graph, with its second reader."""

    def read(path: Path) -> object:
        graph = read_graph(path)
        check_graph(graph, path.parent)
        with suppress(csv.Error):  # stricter than we are about blanks after quotes
            same(second.edges_of(graph), edges(path), f"{name} by another reader")
        if name in STREAMED and zlib.crc32(path.read_bytes()) % 4 == 0:  # one in four, because it writes much
            check_stream(path, graph)
        return graph

    def read_both(path: Path) -> object:
        try:
            return read(path)
        except EgonetError as error:
            if zlib.crc32(path.read_bytes()) % 4 == 0:
                check_stream(path, error)
            raise

    return Target(name, file, read_both if name in ("csv", "tsv", "text", "csv.gz") else read, **words)


def check_stream(path: Path, expected: Graph | EgonetError) -> None:
    """Raise unless reading piece by piece into a folder ends like reading at once."""
    folder = path.parent / "graph"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        found: Graph | EgonetError = build_graph(path, folder, memory=10**6).graph
    except EgonetError as error:
        found = error
    if isinstance(expected, Graph) and isinstance(found, Graph):
        same(found.node_ids.tolist(), expected.node_ids.tolist(), "ids of the stream")
        same(found.indices.tobytes(), expected.indices.tobytes(), "edges of the stream")
        same(found.info, expected.info, "info of the stream")
    elif isinstance(expected, EgonetError) and isinstance(found, EgonetError):
        if "cannot be stored" not in str(found):
            same(str(found), str(expected), "message of the stream")
    elif not any(said in str(found) for said in ("cannot be stored", "both ends must be", "among others")):
        raise WrongError(f"the stream says {found!s:.200}, the reader {expected!s:.200}")


def read_many(path: Path) -> object:
    """Read graph6: every graph, and where there is one, compare with networkx."""
    graphs = read_graphs(path)
    for graph in graphs:
        check_graph(graph, path.parent)
    if len(graphs) == 1:
        same(second.edges_of(graphs[0]), second.graph6_edges(path.read_bytes()), "graph6 by networkx")
    return graphs


def use_encoding(encoding: Any, path: Path) -> None:
    """Do with an encoding what its owner would: look, ask, save, read again."""
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
    if not encoding.vocabulary.settings.labels:
        egonet.encode(HUB, vocabulary=encoding.vocabulary)
    return encoding


def read_embedding(path: Path) -> object:
    """Read a saved embedding, save it again, and give vectors to a graph."""
    embedding = Embedding.load(path)
    embedding.save(path.with_name("again.npz"))
    other = Embedding.load(path.with_name("again.npz"))
    same(other.table.tobytes(), embedding.table.tobytes(), "table after saving")
    if not embedding.vocabulary.settings.labels:
        embedding.transform(HUB)
    return str(embedding)


def read_store(path: Path) -> object:
    """Unpack a stored encoding into a folder, open it and use it."""
    folder = path.parent / "store"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as packed:
            for info in packed.infolist():
                place = folder / info.filename.replace("..", "_").lstrip("/")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(packed.read(info))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return None  # the packing is ours, not egonet's
    encoding = egonet.load(folder)
    use_encoding(encoding, path)
    return encoding


WANTED = tuple(
    DataFile(f"set/{name}", hashlib.sha256(b"0 1\n1 2\n").hexdigest(), 8, name) for name in ("a.txt", "c.txt")
)


def read_archive(path: Path) -> object:
    """Unpack the archive of a data set, and see that nothing was written elsewhere or with another content."""
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
    """Read a pickled list of graphs; only plain arrays, numbers and containers may come out."""
    for graph in read_torch_pickle(path):
        for value in graph.values():
            if type(value).__module__ not in (
                "builtins",
                "numpy",
                "collections",
                "experiments.datasets.torch_pickle",
            ):
                raise WrongError(f"an object of {type(value)} came out of a pickle")
    return None


def delimited(delimiter: str) -> Callable[[Path], second.EdgeSet]:
    """Return the second reader of text."""

    def edges(path: Path) -> second.EdgeSet:
        import gzip

        data = path.read_bytes()
        return second.text_edges(gzip.decompress(data) if path.suffix == ".gz" else data, delimiter)

    return edges


MTX_WORDS = (b"%%MatrixMarket", b"matrix", b"coordinate", b"array", b"pattern", b"real", b"complex", b"integer",
             b"general", b"symmetric", b"skew-symmetric", b"hermitian", b"%", b"1000000000", b"1 1 1\n")  # fmt: skip
XML_WORDS = (b"<graph>", b"</graph>", b"<node id='1'/>", b"<edge source='1' target='2'/>", b"<!DOCTYPE a>", b"&lt;",
             b"<![CDATA[", b"]]>", b"edgedefault='directed'", b"<data key='d0'>", b"<key id='d9' for='edge'/>", b"<!--",
             b"&#0;", b"&#x10FFFF;", b"<hyperedge/>", b"<port/>", b"<graph edgedefault='undirected'>")  # fmt: skip
GML_WORDS = (b"graph [", b"]", b"[", b"node", b"edge", b"id", b"label", b"source", b"target", b'"', b"&#34;",
             b"directed 1", b"multigraph 1", b"key 0", b"1.5", b"+INF", b"NAN", b'"_networkx_list_start"')  # fmt: skip
TARGETS = (
    graph_target("csv", "a.csv", delimited(","), words=WORDS),
    graph_target("tsv", "a.tsv", delimited("\t"), words=WORDS),
    graph_target("text", "a.txt", delimited(""), words=WORDS),
    graph_target("csv.gz", "a.csv.gz", delimited(","), rebuild=rebuild.inside_gzip, words=WORDS),
    graph_target("parquet", "a.parquet", second.table_edges),
    graph_target("arrow", "a.arrow", second.table_edges),
    graph_target(
        "mtx", "a.mtx", lambda path: second.matrix_market_edges(path.read_bytes()), words=MTX_WORDS + WORDS
    ),
    graph_target(
        "graphml", "a.graphml", lambda path: second.graphml_edges(path.read_bytes()), words=XML_WORDS
    ),
    graph_target("gml", "a.gml", lambda path: second.gml_edges(path.read_bytes()), words=GML_WORDS),
    Target("graph6", "a.g6", read_many, words=(b">>graph6<<", b"~", b"~~", b"?", b":", b"&", b"\n", b"@")),
    graph_target("npz", "a.npz", second.npz_edges, rebuild=rebuild.inside_zip),
    Target("encoding", "e.npz", read_encoding, rebuild=rebuild.inside_zip),
    Target("embedding", "v.npz", read_embedding, rebuild=rebuild.inside_zip),
    Target("store", "s.zip", read_store, rebuild=rebuild.inside_zip),
    Target("archive", "d.zip", read_archive, rebuild=rebuild.inside_zip),
    Target("pickle", "g.pkl", read_pickle),
    Target("node-link", "g.json", _node_link, rebuild=rebuild.json_values, words=WORDS),
    Target(
        "results",
        "t.paper.jsonl",
        lambda path: list(read_lines(path)),
        rebuild=rebuild.json_values,
        words=WORDS,
    ),
    Target("npy", "f.npy", _array, rebuild=lambda rng, data, _words: rebuild.change_array(rng, data)),
)
BY_NAME = {target.name: target for target in TARGETS}

"""Small valid files of every format that egonet reads, which the fuzzer damages."""

import bz2
import gzip
import io
import json
import pickle
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import scipy.io
import scipy.sparse as sp
from pyarrow import feather, ipc, parquet

import egonet
from egonet.embeddings.embedding import Embedding

PAIRS = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 6), (6, 6), (1, 0)]
NAMES = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dän"), ("x y", 'q"r')]


def written(write: Callable[[Path], object], name: str) -> bytes:
    """Return the bytes that a writer writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def text_seeds(delimiter: str) -> list[bytes]:
    """Return edge lists with numbers, names, headers, comments, quotes and weights."""
    d = delimiter
    quote = (lambda s: '"' + s.replace('"', '""') + '"') if d != " " else (lambda s: s.replace(" ", "_"))
    lines = [f"{u}{d}{v}" for u, v in PAIRS]
    return [
        ("\n".join(lines) + "\n").encode(),
        ("\r\n".join(lines)).encode(),
        ("".join(f"{quote(u)}{d}{quote(v)}\n" for u, v in NAMES)).encode(),
        f"source{d}target{d}weight\n1{d}2{d}0.5\n2{d}3{d}1\n".encode(),
        f"from{d}when{d}to\nann{d}monday{d}bob\nbob{d}friday{d}cid\n".encode(),
        f"person{d}friend\n1{d}2\n2{d}3\n".encode(),
        f"payer{d}payee{d}amount\nann{d}bob{d}10\nbob{d}cid{d}20\n".encode(),
        f"when{d}payer{d}payee\n2020-01-01{d}c1{d}c2\n2020-01-02{d}c2{d}c3\n".encode(),
        f"1{d}2{d}0.5\n2{d}3{d}1\n".encode(),
        b"\xef\xbb\xbf" + f"a{d}b\nb{d}c\n".encode(),
        f"# note\n% note\n1{d}2\n\n3{d}4".encode(),
        f"{2**63}{d}{10**30}\n1{d}2\n".encode(),
        f"007{d}7\n7{d}8\n".encode(),
        b"",
    ]


def table(kind: int) -> pa.Table:
    """Return an edge table: numbers, names, other columns, odd types."""
    numbers = {"source": [u for u, _ in PAIRS], "target": [v for _, v in PAIRS]}
    names = {"src": [u for u, _ in NAMES], "dst": [v for _, v in NAMES], "w": [0.5] * len(NAMES)}
    tables = [
        pa.table(numbers),
        pa.table(names),
        pa.table({"u": pa.array([1, 2], pa.uint64()), "v": pa.array([2**63, 3], pa.uint64())}),
        pa.table(
            {
                "u": pa.array(["a", "b", "a"]).dictionary_encode(),
                "v": pa.array(["b", "c", "c"]),
                "t": [1, 2, 3],
            }
        ),
        pa.table({"u": pa.array([1, 2], pa.int8()), "v": pa.array([2, 3], pa.int64())}),
        pa.table({"u": [[1], [2]], "v": [[2], [3]]}),
        pa.table({"u": [{"a": 1}, {"a": 2}], "v": [1, 2]}),
        pa.table({"u": [1.0, 2.0], "v": [2.0, 3.5]}),
        pa.table({"u": [None, 1], "v": [1, 2]}),
        pa.table({"u": pa.array([b"a", b"b"]), "v": pa.array([b"b", b"c"])}),
        pa.table({"u": pa.array([0, 1], pa.timestamp("s")), "v": pa.array([1, 2], pa.timestamp("s"))}),
        pa.table({"u": pa.array([], pa.string()), "v": pa.array([], pa.string())}),
        pa.table([pa.array([1, 2]), pa.array([2, 3])], names=["u", "u"]),
    ]
    return tables[kind % len(tables)]


NUM_TABLES = 13


def parquet_seeds() -> list[bytes]:
    """Return tables as Parquet, with several codecs."""
    codecs = ("snappy", "none", "zstd", "gzip")
    return [
        written(lambda path, k=k: parquet.write_table(table(k), path, compression=codecs[k % 4]), "a.parquet")
        for k in range(NUM_TABLES)
        if k != 12  # Parquet has no repeated names
    ]


def arrow_seeds() -> list[bytes]:
    """Return tables as Arrow files and streams."""
    found = []
    for k in range(NUM_TABLES - 1):
        sink = io.BytesIO()
        with (ipc.new_stream if k % 2 else ipc.new_file)(sink, table(k).schema) as writer:
            writer.write_table(table(k))
        found.append(sink.getvalue())
    found.append(written(lambda path: feather.write_feather(table(0), str(path)), "a.arrow"))
    return found


def matrix() -> Any:
    """Return the adjacency matrix of the pairs."""
    rows, columns = zip(*PAIRS, strict=True)
    return sp.coo_array((np.ones(len(PAIRS)), (rows, columns)), shape=(7, 7)).tocsr()


def mtx_seeds() -> list[bytes]:
    """Return Matrix Market files of every field and symmetry."""
    head = "%%MatrixMarket matrix coordinate"
    return [
        written(lambda path: scipy.io.mmwrite(path, matrix()), "a.mtx"),
        f"{head} pattern symmetric\n% made up\n5 5 4\n2 1\n3 1\n4 2\n5 5\n".encode(),
        f"{head} integer general\n3 3 3\n1 2 5\n2 1 0\n3 1 -1\n".encode(),
        f"{head} real skew-symmetric\n3 3 2\n2 1 1.5\n3 2 1e-300\n".encode(),
        f"{head} complex hermitian\n2 2 1\n2 1 0 1\n".encode(),
        f"{head} real general\n3 3 3\n1 2 1\n1 2 -1\n2 3 nan\n".encode(),
        b"%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
    ]


def xml_seeds() -> list[bytes]:
    """Return GraphML files of several kinds."""
    graphs = [nx.Graph(PAIRS), nx.DiGraph(NAMES), nx.MultiGraph([(1, 2), (1, 2)])]
    weighted = nx.Graph()
    weighted.add_edge("a", "b", weight=1.5, note="x")
    return ["\n".join(nx.generate_graphml(graph)).encode() for graph in [*graphs, weighted]]


def gml_seeds() -> list[bytes]:
    """Return GML files of several kinds."""
    return [
        "\n".join(nx.generate_gml(nx.Graph(PAIRS))).encode(),
        "\n".join(nx.generate_gml(nx.DiGraph([("ann", "bob"), ("bob", "c d")]))).encode(),
        b'graph [ node [ id 4 label "x" ] node [ id 7 label "x" ] edge [ source 4 target 7 value 1.5 ] ]',
        b"graph [ multigraph 1 node [ id 1 ] node [ id 2 ]"
        b" edge [ source 1 target 2 key 0 ] edge [ source 1 target 2 key 1 ] ]",
    ]


def graph6_seeds() -> list[bytes]:
    """Return graph6 lines of the short and the long form of the size."""
    graphs = [nx.path_graph(3), nx.gnp_random_graph(9, 0.5, seed=1), nx.empty_graph(0), nx.star_graph(63)]
    return [
        *(nx.to_graph6_bytes(g, header=k % 2 == 0) for k, g in enumerate(graphs)),
        b"A_\nBw\n",
        b"~~?????A_\n",
    ]


def archive(**arrays: Any) -> bytes:
    """Return arrays as an npz file."""
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


def npz_seeds() -> list[bytes]:
    """Return graphs as npz files: sparse matrices, edge_index, edges."""
    forms = [matrix(), matrix().tocsc(), sp.coo_matrix(matrix())]
    return [
        *(written(lambda path, m=m: sp.save_npz(path, m), "a.npz") for m in forms),
        archive(edge_index=np.array(PAIRS).T, num_nodes=9),
        archive(edges=np.array(PAIRS), nodes=np.arange(9)),
        archive(edges=np.array(NAMES)),
        archive(edges=np.array(PAIRS, dtype=np.uint8)),
    ]


def encodings() -> list[Any]:
    """Return encodings of every kind of column and id."""
    graph = egonet.as_graph(PAIRS)
    named = egonet.as_graph(NAMES)
    return [
        egonet.encode(graph, 1),
        egonet.encode(named, (1, 2), degrees="full"),
        egonet.encode([graph, named], 2, max_degree=2, layout="paper"),
        egonet.encode(graph, 2, degrees="full", common=True),
        egonet.encode(graph, 1, rooted="edge"),
        egonet.encode(named, 1, labels=list("aabba" + "b" * (named.num_nodes - 5))),
        egonet.encode([(("a", 1), ("b", 2))], 1),
    ]


def encoding_seeds() -> list[bytes]:
    """Return saved encodings."""
    return [written(encoding.save, "a.npz") for encoding in encodings()]


def embedding_seeds() -> list[bytes]:
    """Return saved embeddings."""
    found = []
    for encoding in encodings()[:4]:
        vocabulary = encoding.vocabulary
        made = Embedding(vocabulary, np.ones((len(vocabulary), 2), dtype=np.float32), weighting="log")
        found.append(written(made.save, "a.npz"))
    return found


def folder_bytes(write: Callable[[Path], object]) -> bytes:
    """Return a folder that was written, as a zip archive."""
    with tempfile.TemporaryDirectory() as place:
        write(Path(place) / "store")
        sink = io.BytesIO()
        with zipfile.ZipFile(sink, "w") as packed:
            for path in sorted((Path(place) / "store").rglob("*")):
                if path.is_file() and path.name != ".lock":
                    packed.writestr(str(path.relative_to(Path(place) / "store")), path.read_bytes())
        return sink.getvalue()


def store_seeds() -> list[bytes]:
    """Return stored encodings, packed."""
    from egonet import store

    graphs = [
        egonet.as_graph(PAIRS),
        egonet.as_graph(NAMES[:4]),
        egonet.Graph.from_edges(PAIRS, 9, directed="out"),
    ]
    return [
        folder_bytes(lambda folder, g=g, r=r: store.encode(g, folder, r, memory=300))
        for g, r in zip(graphs, (1, (1, 2), 2), strict=True)
    ]


class _GraphPickler(pickle.Pickler):
    """Writes dicts marked as graphs the way old versions of PyG pickled theirs."""

    def reducer_override(self, value: Any) -> Any:
        """Return a graph as a bare object of PyG's class with a state."""
        if not isinstance(value, Graphlike):
            return NotImplemented
        from torch_geometric.data.data import Data

        return Data, (), dict(value.fields)


class Graphlike:
    """A graph to be pickled."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields


def pickle_seeds() -> list[bytes]:
    """Return pickled lists of graphs with tensors in the old format of torch, and forbidden objects."""
    import torch

    sink = io.BytesIO()
    tensors = {
        "x": torch.tensor([[0.0], [1.0]]),
        "edge_index": torch.tensor([[0, 1], [1, 0]]),
        "y": torch.tensor([1]),
    }
    _GraphPickler(sink, protocol=2).dump([Graphlike(**tensors), Graphlike(**tensors)])
    return [sink.getvalue(), pickle.dumps([{"x": [1, 2]}], protocol=2), pickle.dumps([print])]


def zip_seeds() -> list[bytes]:
    """Return archives with the expected files, in several folders."""
    found = []
    for names in (["a.txt", "b/c.txt"], ["../a.txt"], ["/etc/a.txt", "a.txt"], ["deep/er/a.txt"]):
        sink = io.BytesIO()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in names:
                packed.writestr(name, b"0 1\n1 2\n")
        found.append(sink.getvalue())
    return found


def node_link_seeds() -> list[bytes]:
    """Return graphs as JSON in node-link form."""
    whole = {"nodes": [{"id": 0}, {"id": 1, "test": True}], "links": [{"source": 0, "target": 1}]}
    return [json.dumps(whole).encode(), json.dumps(whole | {"links": []}).encode()]


def result_seeds() -> list[bytes]:
    """Return lines of results of the experiments."""
    from dataclasses import MISSING, fields

    from research.paper.results import Line

    samples = {"str": "x", "int": 1, "float": 0.5, "dict": {}, "list": []}
    values = {
        f.name: samples.get(str(f.type).split("[")[0].split(" ")[0], {})
        for f in fields(Line)
        if f.default is MISSING
    }
    return [(json.dumps(values) + "\n").encode() * 2, b"", b"{}\n"]


def npy_seeds() -> list[bytes]:
    """Return single arrays."""
    found = []
    for array in (np.ones((2, 3), dtype=np.float32), np.arange(4), np.array(["a", "b"])):
        sink = io.BytesIO()
        np.save(sink, array)
        found.append(sink.getvalue())
    return found


def zipped(seeds: list[bytes]) -> list[bytes]:
    """Return files packed with gzip, and one that is not."""
    return [*(gzip.compress(seed, mtime=0) for seed in seeds), bz2.compress(seeds[0])]

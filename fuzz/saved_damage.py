"""Files of every kind that egonet saves, cut or with one bit changed: an error or the same content, never another."""

import shutil
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

import egonet
from egonet.errors import EgonetError

#: A file is cut at every multiple of this number of bytes.
STEP = 97
EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d")]
EVENTS = [(u, v, time) for time, (u, v) in enumerate(EDGES * 3)]
INDEX = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
DATA = Data(edge_index=INDEX, num_nodes=3, edge_label_index=INDEX[:, :1])


def of_encoding(encoding: Any) -> Any:
    """Return everything an encoding says."""
    rows = encoding.matrix.toarray()
    return (
        encoding.nodes.tolist(),
        encoding.columns,
        rows.tolist(),
        str(encoding.settings),
        encoding.feature_names,
    )


def of_graph_in(encoding: Any) -> Any:
    """Return everything an encoding says, also after an update of its graph."""
    return of_encoding(encoding), of_encoding(encoding.update([("a", "f")]))


def of_stream(stream: Any) -> Any:
    """Return the rows and the counters of a stream, also after another event."""
    before = of_encoding(stream.features(list("abcdef")))
    counts = (stream.num_added, stream.num_loops, stream.num_late, stream.num_expired, stream.now)
    stream.add([("a", "f", 99)])
    return before, counts, of_encoding(stream.features(list("abcdef")))


def of_events(encoder: Any) -> Any:
    """Return the rows of later events, and the columns."""
    rows = np.nan_to_num(np.asarray(encoder.transform([("a", "d", 100), ("f", "b", 101)])), nan=-1.0)
    return rows.tolist(), encoder.get_feature_names_out().tolist()


def of_embedding(embedding: Any) -> Any:
    """Return the vectors of a graph."""
    return embedding.transform(EDGES).tolist(), embedding.vocabulary.feature_names, str(embedding)


def of_transform(attribute: str) -> Callable[[Any], Any]:
    """Return a function of a transform that applies it."""
    return lambda transform: (transform(DATA.clone())[attribute].tolist(), str(transform))


def of_rows(graph: Any) -> Any:
    """Return the edges and ids of a graph."""
    return graph.node_ids.tolist(), graph.indptr.tolist(), graph.indices.tolist(), graph.directed


def write_all(folder: Path) -> dict[str, tuple[Path, Callable[[Path], Any]]]:
    """Write a file or folder of every kind; return each with a function that reads all of its content."""
    graph, path = egonet.as_graph(EDGES), folder.joinpath
    egonet.encode(graph, (1, 2)).save(path("encoding.npz"))
    egonet.encode(graph, 1, labels=dict.fromkeys("abcdef", "x")).save(path("labels.npz"))
    egonet.encode(graph, 1).save(path("graph.npz"), graph=True)
    egonet.encode([graph, graph], 1).save(path("graphs.npz"))
    egonet.encode_pairs(graph, [("a", "d"), ("b", "c")], 1).save(path("pairs.npz"))
    egonet.encode_edges(graph, 1).save(path("edges.npz"))
    egonet.encode(graph, 2, common=True).save(path("common.npz"))
    egonet.encode(graph, 1).vocabulary.save(path("columns.json"))
    egonet.encode(graph, 1, edge_labels=list("xyxyxyx")).vocabulary.save(path("types.json"))
    small = {"training": egonet.Training(epochs=1), "walks": egonet.Walks(length=4), "rng": 0}
    egonet.fit_embeddings(graph, 1, 2, **small).save(path("embedding.npz"))
    stream = egonet.Stream(1, window=5)
    stream.add(EVENTS)
    stream.save(path("stream.npz"))
    encoder = egonet.EventEncoder(windows=(5, None)).fit(EVENTS)
    encoder.save(path("events.npz"))
    egonet.store.encode(graph, path("store"), 1)
    egonet.store.write_csr(graph, path("rows"))
    egonet.AddEgoEncoding.from_dataset([DATA], radius=1).save(path("ego.json"))
    egonet.AddEdgeEncoding.from_data(DATA, 1).save(path("edge.json"))
    egonet.AddPairEncoding.from_data(DATA, 1).save(path("pair.json"))
    egonet.AddMoleculeEncoding().save(path("molecule.json"))
    files: dict[str, Callable[[Path], Any]] = {
        **{
            f"{name}.npz": lambda file: of_encoding(egonet.load(file))
            for name in ("encoding", "labels", "graphs", "pairs", "edges", "common")
        },
        "graph.npz": lambda file: of_graph_in(egonet.load(file)),
        "columns.json": lambda file: _of_columns(egonet.Vocabulary.load(file)),
        "types.json": lambda file: _of_columns(egonet.Vocabulary.load(file)),
        "embedding.npz": lambda file: of_embedding(egonet.Embedding.load(file)),
        "stream.npz": lambda file: of_stream(egonet.Stream.open(file)),
        "events.npz": lambda file: of_events(egonet.EventEncoder.open(file)),
        "store": lambda file: of_encoding(egonet.load(file)),
        "rows": lambda file: of_rows(egonet.store.read_csr(file)),
        "ego.json": lambda file: of_transform("ego_encoding")(egonet.AddEgoEncoding.load(file)),
        "edge.json": lambda file: of_transform("edge_encoding")(egonet.AddEdgeEncoding.load(file)),
        "pair.json": lambda file: of_transform("pair_encoding")(egonet.AddPairEncoding.load(file)),
        "molecule.json": lambda file: str(egonet.AddMoleculeEncoding.load(file)),
    }
    return {name: (path(name), read) for name, read in files.items()}


def _of_columns(vocabulary: Any) -> Any:
    return vocabulary.feature_names, vocabulary.columns, str(vocabulary.settings), vocabulary.labels


def damages(data: bytes, rng: Random, flips: int) -> list[tuple[str, bytes]]:
    """Return a file cut at every 97th byte, and with one bit changed at random places."""
    made = [(f"cut at {size}", data[:size]) for size in range(0, len(data), STEP)]
    for _ in range(flips if data else 0):
        place, bit = rng.randrange(len(data)), rng.randrange(8)
        changed = bytearray(data)
        changed[place] ^= 1 << bit
        made.append((f"bit {bit} of byte {place}", bytes(changed)))
    return made


def run(seed: int, flips: int, only: str, say: Callable[[str], None]) -> Counter[str]:
    """Return the counts of outcomes by kind of file: an error, the same content, or what must not be."""
    rng, counts = Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        for kind, (path, read) in write_all(folder).items():
            if only not in kind:
                continue
            expected = read(path)
            files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
            for file in files:
                data = file.read_bytes()
                for what, damaged in damages(data, rng, flips):
                    file.write_bytes(damaged)
                    outcome, said = compare(path, read, expected)
                    counts[f"{kind} {outcome}"] += 1
                    if outcome in ("another content", "another exception", "not one sentence"):
                        say(f"{kind}, {file.name}, {what}: {outcome}: {said}")
                file.write_bytes(data)
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return counts


def compare(path: Path, read: Callable[[Path], Any], expected: Any) -> tuple[str, str]:
    """Return the outcome of reading a damaged file, and what was said."""
    try:
        found = read(path)
    except EgonetError as error:
        said = str(error)
        sentence = said.isprintable() and said.rstrip().endswith((".", "?"))
        return ("an error" if sentence else "not one sentence"), said[:300]
    except Exception:  # noqa: BLE001 - any other exception is a finding
        return "another exception", traceback.format_exc()[-600:]
    return ("the same" if found == expected else "another content"), ""

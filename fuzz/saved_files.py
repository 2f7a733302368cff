"""Readers of what egonet keeps besides graphs and encodings: streams, columns, pairs of ids, tables of events."""

from pathlib import Path
from typing import Any

from pyarrow import parquet

import egonet
from egonet.cli.table_files import read_columns
from egonet.encoding.saved import read_vocabulary
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import EgonetError
from egonet.graph.graph import Graph
from egonet.pairs.index import read_pairs
from fuzz.other_readers import WrongError, same

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
GRAPHS = (
    egonet.as_graph(EDGES),
    egonet.as_graph(EDGES, directed="out"),
    egonet.as_graph(EDGES, directed="in"),
)


def read_stream(path: Path) -> object:
    """Open a stream, ask it, save it and open it again: both must answer the same and save the same bytes."""
    stream = egonet.Stream.open(path)
    nodes = [node for node in list(stream._row_of)[:3] if node is not None]
    counts = (stream.num_added, stream.num_loops, stream.num_late, stream.num_expired)
    if min(counts) < 0:
        raise WrongError(f"negative counts of events: {counts}")
    again, third = path.with_name("again.npz"), path.with_name("third.npz")
    stream.save(again)
    other = egonet.Stream.open(again)
    other.save(third)
    same(third.read_bytes(), again.read_bytes(), "a stream saved twice")
    rows, others = stream.features(nodes), other.features(nodes)
    for node in nodes:
        same(dict(others[node]), dict(rows[node]), f"the row of {node!r} after saving")
    same(others.feature_names, rows.feature_names, "columns after saving")
    return stream


def read_columns_file(path: Path) -> object:
    """Load a vocabulary, save it again, and encode graphs with and without directions with it."""
    vocabulary = Vocabulary.load(path)
    again = path.with_name("again.json")
    vocabulary.save(again)
    same(Vocabulary.load(again).columns, vocabulary.columns, "columns after saving")
    same(len(vocabulary.feature_names), len(vocabulary), "names of columns")
    use_vocabulary(vocabulary)
    return vocabulary


def use_vocabulary(vocabulary: Vocabulary) -> None:
    """Encode graphs with a vocabulary; each raises one sentence or has the rows and columns that it promises."""
    for graph in GRAPHS:
        try:
            found = egonet.encode(graph, vocabulary=vocabulary, unseen="ignore")
        except EgonetError as error:
            check_sentence(error)
            continue
        same(found.shape, (graph.num_nodes, len(vocabulary)), "shape of an encoding")
        fresh = encoded_again(graph, vocabulary)
        if fresh is None:
            continue
        for node in graph.node_ids.tolist():
            known = {key: count for key, count in fresh[node].items() if key in set(vocabulary.columns)}
            same(dict(found[node]), known, f"the row of {node!r} with a vocabulary")


def encoded_again(graph: Graph, vocabulary: Vocabulary) -> Any:
    """Return the encoding of a graph with the settings of a vocabulary and its own columns, or None."""
    settings = vocabulary.settings
    if (
        settings.layout != "observed"
        or len(set(vocabulary.columns)) < len(vocabulary)
        or vocabulary.schema.has_labels
    ):
        return None
    if settings.max_degree is not None or settings.degree_bins is not None:
        return None
    return egonet.encode(graph, settings)


def read_pair_columns(path: Path) -> object:
    """Read the columns of pairs from a Parquet file and encode pairs with them."""
    vocabulary = read_vocabulary(path)
    same(len(vocabulary.feature_names), len(vocabulary), "names of columns")
    for graph in GRAPHS:
        try:
            found = egonet.encode_pairs(graph, [("a", "d"), ("b", "c")], vocabulary=vocabulary)
        except EgonetError as error:
            check_sentence(error)
            continue
        same(found.shape, (2, len(vocabulary)), "shape of an encoding of pairs")
        again = path.with_name("again.parquet")
        found.write(again)
        same(read_vocabulary(again).keys.tobytes(), vocabulary.keys.tobytes(), "columns after writing")
        same(read_vocabulary(again).settings, vocabulary.settings, "settings after writing")
    return vocabulary


def read_pair_list(path: Path) -> object:
    """Read pairs of ids, write them with quotes, and read them again."""
    flat = read_pairs(path)
    if len(flat) % 2:
        raise WrongError("an odd number of ids")
    if path.suffix == ".parquet":
        same(len(flat), 2 * parquet.read_metadata(path).num_rows, "number of pairs")
    return flat


def read_events(path: Path) -> object:
    """Read a table of events and add them to a stream, which must know each of them."""
    table = read_columns(path)
    same(len(set(map(len, table.columns.values()))) <= 1, True, "columns of one length")
    if not {"source", "target", "time"} <= table.columns.keys():
        return table
    ends, times = table.ids("source", "target"), table.moments("time")
    stream = egonet.Stream(1, window=5, late="merge")
    stream.add({"source": ends[0::2], "target": ends[1::2], "time": times})
    same(stream.num_added, len(times), "number of events")
    nodes = sorted(set(map(str, ends[0::2])))[:2]
    return stream.features([node for node in nodes if node in stream._row_of])


def check_sentence(error: EgonetError) -> None:
    """Raise unless a message is one printable sentence."""
    said = str(error)
    if not said.isprintable() or not said.rstrip().endswith((".", "?")):
        raise WrongError(f"not one sentence: {said!r}")

"""Every public entry point that takes data, in one list, with one way to call it and one way to compare its result.

`tests/test_rules_for_data.py` runs each of them through every rule for data. A new public name is in neither list and
fails `test_every_public_name_is_an_entry_point_or_takes_no_data` until it is added here.
"""

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import egonet
from egonet.graph.input_options import ReadOptions

#: Keywords that say something about data; every entry point takes all of them, unless `without` names them.
KEYWORDS = frozenset(
    {"labels", "edge_labels", "weights", "directed", "source", "target", "missing", "ids", "simplify"}
)


@dataclass(frozen=True)
class EntryPoint:
    """One public function or class that takes edges.

    Attributes
    ----------
    name
        The public name below `egonet`.
    call
        Called as call(data, **keywords) with edges; returns {row: content}, in row order, or the content alone.
    without
        Keywords of data that have no meaning here.
    has_rows
        Whether the result has a row per node, in row order.
    reads_files
        Whether the data is the text of a file.
    has_times
        Whether edges are events: a time per edge is added, and what is no table stays as it is.
    takes_two
        Whether `call` gives the data twice, as two graphs.
    as_of
        Called as as_of(events, time, **keywords) with a table of events: rows of the nodes a and b at a time, or of the
        events; None if there are no times.
    learn
        Called as learn(data, **keywords): what a `vocabulary=` is taken from; None if none is learned or taken.
    """

    name: str
    call: Callable[..., Any]
    without: frozenset[str] = frozenset()
    has_rows: bool = False
    reads_files: bool = False
    has_times: bool = False
    takes_two: bool = False
    as_of: Callable[..., Any] | None = None
    learn: Callable[..., Any] | None = None

    def takes(self, *keywords: str) -> bool:
        return self.without.isdisjoint(keywords)


def rows_of(encoding: Any) -> dict[Any, dict[str, int]]:
    """Return {node: {column: count}} of an encoding, in row order."""
    names, matrix = np.array(encoding.feature_names, dtype=object), encoding.matrix.toarray()
    return {
        node: {names[column]: int(row[column]) for column in np.flatnonzero(row)}
        for node, row in zip(encoding.nodes.tolist(), matrix, strict=True)
    }


def table_of(names: Any, rows: Any) -> list[dict[str, float]]:
    """Return a list of {column: value} of a feature matrix, zeros left out."""
    dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    return (
        [{str(names[column]): float(row[column]) for column in np.flatnonzero(row)} for row in dense.tolist()]
        if len(dense)
        else []
    )


def ids_of(data: Any, keywords: dict[str, Any]) -> list[Any]:
    """Return the ids of the nodes; two others if `as_graph` raises, so that the entry point itself has to raise."""
    reading = {name: value for name, value in keywords.items() if name in ReadOptions.__annotations__}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ids = egonet.as_graph(data, **reading).node_ids.tolist()
    except egonet.EgonetError:
        ids = []
    return ids if len(ids) > 1 else ["a", "b"]


#: Keywords with a value per node or edge.
VALUES = ("labels", "edge_labels", "weights")
NO_VALUES = frozenset(VALUES)


def pairs_of(data: Any, keywords: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return all ordered pairs of different nodes."""
    ids = ids_of(data, keywords)
    return [(first, second) for first in ids for second in ids if first != second]


def bins_of(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the setting that amounts need."""
    return {"weight_bins": "log"} if keywords.get("weights") is not None else {}


def call_encode(data: Any, **keywords: Any) -> Any:
    return rows_of(egonet.encode(data, radius=1, **bins_of(keywords), **keywords))


def call_as_graph(data: Any, **keywords: Any) -> Any:
    return rows_of(egonet.encode(egonet.as_graph(data, **keywords), radius=1, **bins_of(keywords)))


def call_store(data: Any, **keywords: Any) -> Any:
    with TemporaryDirectory() as folder:
        return rows_of(egonet.store.encode(data, Path(folder) / "store", 1, **bins_of(keywords), **keywords))


def call_pairs(data: Any, **keywords: Any) -> Any:
    pairs = pairs_of(data, keywords)
    encoding = egonet.encode_pairs(data, pairs, 1, **bins_of(keywords), **keywords)
    return {pair: encoding[pair] for pair in pairs}


def call_edges(data: Any, **keywords: Any) -> Any:
    encoding = egonet.encode_edges(data, 1, **bins_of(keywords), **keywords)
    return table_of(encoding.feature_names, encoding.matrix)


def call_colors(data: Any, **keywords: Any) -> Any:
    return np.asarray(egonet.wl_colors(data, **bins_of(keywords), **keywords)).tolist()


def call_rings(data: Any, **keywords: Any) -> Any:
    values = {node: float(row) for row, node in enumerate(ids_of(data, keywords))}
    found = egonet.ring_statistics(data, values, 1, **keywords)
    return dict(zip(found.nodes.tolist(), found.values.tolist(), strict=True))


def call_explain(data: Any, **keywords: Any) -> Any:
    explain = quiet_after_first(egonet.explain)
    return {
        node: str(explain(data, node, 1, **bins_of(keywords), **keywords)) for node in ids_of(data, keywords)
    }


def quiet_after_first(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls after the first do not warn: each of them reads the graph again."""
    calls: list[int] = []

    def quiet_call(*arguments: Any, **keywords: Any) -> Any:
        with warnings.catch_warnings() if calls else nullcontext():
            if calls:
                warnings.simplefilter("ignore")
            calls.append(1)
            return call(*arguments, **keywords)

    return quiet_call


def call_difference(data: Any, **keywords: Any) -> Any:
    first, second = ids_of(data, keywords)[:2]
    return str(egonet.explain_difference(data, first, second, 1, **bins_of(keywords), **keywords))


def twice(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of two equal graphs: one value per graph."""
    return {
        name: [value, value] if name in VALUES and not isinstance(value, str) else value
        for name, value in keywords.items()
    }


def call_explain_graphs(data: Any, **keywords: Any) -> Any:
    return str(egonet.explain_graphs(data, data, 1, **bins_of(keywords), **twice(keywords)))


def call_compare(data: Any, **keywords: Any) -> Any:
    return str(egonet.compare(data, data, radius=1, **bins_of(keywords), **twice(keywords)))


def call_equivalent(data: Any, **keywords: Any) -> Any:
    return egonet.equivalent(data, data, test="1-wl", **bins_of(keywords), **twice(keywords))


def call_individualize(data: Any, **keywords: Any) -> Any:
    return egonet.individualize(data, 1, **bins_of(keywords), **keywords).nodes.tolist()


def call_ranks(data: Any, **keywords: Any) -> Any:
    return egonet.degree_rank(data, **keywords).tolist()


def call_cycles(data: Any, **keywords: Any) -> Any:
    return egonet.edge_cycles(data, **keywords).tolist()


def call_link_columns(data: Any, **keywords: Any) -> Any:
    found = egonet.links.link_columns(data, pairs_of(data, keywords), radius=1, **keywords)
    return np.nan_to_num(np.asarray(found[0]), nan=-1.0).round(9).tolist()


def call_zero_shot(data: Any, **keywords: Any) -> Any:
    return egonet.links.zero_shot_columns(data, pairs_of(data, keywords), 1, **keywords)[0].round(9).tolist()


def call_predict(data: Any, **keywords: Any) -> Any:
    return np.asarray(egonet.links.predict(data, pairs_of(data, keywords), **keywords)).round(9).tolist()


def call_recommend(data: Any, **keywords: Any) -> Any:
    return str(egonet.links.recommend(data, ids_of(data, keywords)[0], k=1, **keywords))


def call_split(data: Any, **keywords: Any) -> Any:
    return rows_of(egonet.encode(egonet.links.split(data, test=0.3, **keywords).graph, radius=1))


def call_explore(data: Any, **keywords: Any) -> Any:
    return len(str(egonet.explore(data, radius=1, **bins_of(keywords), **keywords).html)) > 0


def call_embeddings(data: Any, **keywords: Any) -> Any:
    training = egonet.Training(epochs=1)
    walks = egonet.Walks(length=4)
    found = egonet.fit_embeddings(data, 1, 2, training=training, walks=walks, **bins_of(keywords), **keywords)
    return found.vocabulary.feature_names


def call_embedding(data: Any, **keywords: Any) -> Any:
    training, walks = egonet.Training(epochs=1), egonet.Walks(length=4)
    encoder = egonet.EgoEmbedding(
        data, 1, dim=2, training=training, walks=walks, random_state=0, **bins_of(keywords), **keywords
    )
    nodes = ids_of(data, keywords)
    return np.asarray(encoder.fit_transform(as_objects(nodes))).round(6).tolist()


def as_objects(ids: list[Any]) -> Any:
    """Return ids as an array of objects, one per row."""
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array


def call_node_encoder(data: Any, **keywords: Any) -> Any:
    encoder = egonet.NodeEncoder(data, 1, **bins_of(keywords), **keywords)
    nodes = ids_of(data, keywords)
    found = encoder.fit_transform(as_objects(nodes))
    return dict(zip(nodes, table_of(encoder.get_feature_names_out(), found), strict=True))


def call_graph_encoder(data: Any, **keywords: Any) -> Any:
    encoder = egonet.GraphEncoder(1, **bins_of(keywords), **twice(keywords))
    graph = (
        as_table(data) if isinstance(data, list) and is_pairs(data) else data
    )  # a list of lists of pairs is one graph
    found = encoder.fit_transform([graph, graph])
    return table_of(encoder.get_feature_names_out(), found)


def call_edge_encoder(data: Any, **keywords: Any) -> Any:
    encoder = egonet.EdgeEncoder(radius=1, **bins_of(keywords), **keywords)
    rows = encoder.fit_transform(data)
    return table_of(encoder.get_feature_names_out(), rows)


def call_pair_encoder(data: Any, **keywords: Any) -> Any:
    encoder = egonet.PairEncoder(data, 1, **bins_of(keywords), **keywords)
    rows = encoder.fit_transform(pairs_of(data, keywords))
    return table_of(encoder.get_feature_names_out(), rows)


def is_pairs(data: Any) -> bool:
    """Return whether data is a sequence or an array of pairs."""
    if not isinstance(data, list | np.ndarray) or len(data) == 0:
        return False
    return all(isinstance(pair, tuple | np.ndarray) and len(pair) == 2 for pair in data)


def as_table(pairs: Any) -> pd.DataFrame:
    """Return pairs as a table of edges."""
    ends = np.array([tuple(pair) for pair in pairs], dtype=object)
    return pd.DataFrame({"source": ends[:, 0], "target": ends[:, 1]}).infer_objects()


def with_times(data: Any) -> Any:
    """Return edges as a table of events, one per unit of time; what is no table of edges stays as it is."""
    if isinstance(data, pd.DataFrame):
        return data if "time" in data else data.assign(time=list(data.index))
    if hasattr(data, "with_columns"):
        import polars as pl

        return data.with_columns(time=pl.Series(range(len(data))))
    if hasattr(data, "append_column"):
        import pyarrow as pa

        return data.append_column("time", pa.array(range(data.num_rows)))
    return as_table(data).assign(time=range(len(data))) if is_pairs(data) else data


def call_temporal(data: Any, **keywords: Any) -> Any:
    events = with_times(data)
    encoder = egonet.TemporalEncoder(events, radius=1, **bins_of(keywords), **keywords)
    nodes = ids_of(data, keywords)
    queries = pd.DataFrame({"node": as_objects(nodes), "time": [10**6] * len(nodes)})
    queries["node"] = queries["node"].infer_objects()
    found = encoder.fit_transform(queries)
    return dict(zip(nodes, table_of(encoder.get_feature_names_out(), found), strict=True))


def call_stream(data: Any, **keywords: Any) -> Any:
    reading = {name: keywords[name] for name in ("source", "target", "missing", "ids") if name in keywords}
    options = {name: value for name, value in keywords.items() if name not in reading}
    stream = egonet.Stream(radius=1, **bins_of(keywords), **options)
    stream.add(with_times(data), **reading)
    nodes = ids_of(data, reading)
    return rows_of(stream.features(nodes, time=10**6))


def call_events(data: Any, **keywords: Any) -> Any:
    """Return the rows of events; an event that was left out has a row of NaN, which is not returned."""
    encoder = egonet.EventEncoder(windows=(None,), **keywords)
    found = np.asarray(encoder.fit_transform(with_times(data)))  # transform would add the events again
    lost = np.isnan(found).all(axis=1)
    return table_of(encoder.get_feature_names_out(), np.nan_to_num(found[~lost], nan=-1.0))


def temporal_as_of(events: Any, time: Any, **keywords: Any) -> Any:
    encoder = egonet.TemporalEncoder(events, 1, **keywords)
    return np.asarray(encoder.fit_transform([("a", time), ("b", time)])).tolist()


def stream_as_of(events: Any, time: Any, **keywords: Any) -> Any:
    stream = egonet.Stream(1)
    stream.add(events, **keywords)
    return np.asarray(stream.features(["a", "b"], time)).tolist()


def events_as_of(events: Any, time: Any, **keywords: Any) -> Any:
    """Return the rows of events; those that were left out have none."""
    rows = np.asarray(egonet.EventEncoder(windows=(None,), **keywords).fit_transform(events))
    return np.nan_to_num(rows[~np.isnan(rows).all(axis=1)], nan=-1.0).tolist()


def learn_pairs(data: Any, **keywords: Any) -> Any:
    return egonet.encode_pairs(data, pairs_of(data, {}), 1, **keywords)


def call_read_graph(data: Any, **keywords: Any) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "edges.csv"
        as_csv(data, path)
        graph = egonet.read_graph(path, **keywords)
    return rows_of(egonet.encode(graph, radius=1, **bins_of(keywords)))


def call_read_graphs(data: Any, **keywords: Any) -> Any:
    with TemporaryDirectory() as folder:
        (graph,) = egonet.read_graphs(as_csv(data, Path(folder) / "edges.csv"), **keywords)
    return rows_of(egonet.encode(graph, radius=1))


def call_command(data: Any, **keywords: Any) -> Any:
    """Return what `egonet encode` writes; values become columns of the file, or a table of labels."""
    from egonet.cli.commands import app

    with TemporaryDirectory() as folder:
        edges, features = as_csv(data, Path(folder) / "edges.csv"), Path(folder) / "features.npz"
        arguments = ["encode", str(edges), "-r", "1", "-o", str(features)]
        for name, value in (keywords | bins_of(keywords)).items():
            switch = f"--{name.replace('_', '-')}"
            if name in VALUES and not isinstance(value, str):
                value = write_values(name, value, edges)
            if name == "simplify":
                arguments += [switch] if value else []
            else:
                arguments += [switch, "no" if value is False else str(value)]
        app(arguments, standalone_mode=False)
        return rows_of(egonet.load(features))


def write_values(name: str, values: Any, edges: Path) -> str:
    """Add a value per edge to a file as a column, or write the labels of nodes to a table; return what names them."""
    if name != "labels":
        column = pd.Series(values, dtype=object)
        pd.read_csv(edges).assign(**{name: column}).to_csv(edges, index=False)
        return name
    table = edges.with_name("labels.csv")
    items = values.items() if isinstance(values, dict) else enumerate(values)
    pd.DataFrame(list(items), columns=["node", "label"]).to_csv(table, index=False)
    return str(table)


def split_keywords(keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the keywords that say something about data, and the others."""
    reading = {
        name: value for name, value in keywords.items() if name in (*ReadOptions.__annotations__, *VALUES)
    }
    return reading, {name: value for name, value in keywords.items() if name not in reading}


def call_accessor(data: Any, **keywords: Any) -> Any:
    from egonet.accessors import FrameAccessor

    return rows_of(FrameAccessor(data).encoding(1, **bins_of(keywords), **keywords))


def call_batches(data: Any, **keywords: Any) -> Any:
    reading, options = split_keywords(keywords)
    graph = egonet.as_graph(data, **reading)
    ids = graph.node_ids.tolist()
    rows = egonet.distributed.RowBatches(graph, radius=1, **bins_of(keywords), **options)(ids).to_pydict()
    parts = zip(rows["feature"], rows["count"], strict=True)
    return {
        node: dict(zip(names, counts, strict=True)) for node, (names, counts) in zip(ids, parts, strict=True)
    }


def call_duckdb(data: Any, **keywords: Any) -> Any:
    """Return the rows of a table in a database; what no such table can hold is given to `encode`."""
    import duckdb
    import pyarrow as pa

    try:
        frame = as_table(data) if is_pairs(data) else data
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError, IndexError):
        table = None
    if table is None or not table.num_columns or isinstance(data, egonet.Graph):
        return call_encode(data, **keywords)
    connection = duckdb.connect()
    connection.register("edges", table)
    found = egonet.duckdb.features(connection, "edges", 1, **bins_of(keywords), **keywords).to_arrow_table()
    return {
        row.pop("node"): {name: count for name, count in row.items() if count} for row in found.to_pylist()
    }


def call_predictor(data: Any, **keywords: Any) -> Any:
    reading, options = split_keywords(keywords)
    predictor = egonet.links.LinkPredictor(**{"model": "zero-shot"} | options).fit(data, **reading)
    return np.asarray(predictor.predict_proba(pairs_of(data, keywords))).round(9).tolist()


def as_csv(data: Any, path: Path) -> Path:
    """Write edges as a CSV file with a header."""
    frame = data.to_pandas() if hasattr(data, "to_pandas") else data
    if not isinstance(frame, pd.DataFrame):
        ends = data.edges().tolist() if isinstance(data, egonet.Graph) else data
        frame = pd.DataFrame(list(ends), columns=["source", "target"])
    frame.to_csv(path, index=False)
    return path


ENTRY_POINTS = [
    EntryPoint("encode", call_encode, has_rows=True, learn=partial(egonet.encode, radius=1)),
    EntryPoint("as_graph", call_as_graph, has_rows=True),
    EntryPoint("read_graph", call_read_graph, has_rows=True, reads_files=True),
    EntryPoint("read_graphs", call_read_graphs, without=NO_VALUES, has_rows=True, reads_files=True),
    EntryPoint("cli.encode", call_command, has_rows=True, reads_files=True),
    EntryPoint("accessors.FrameAccessor", call_accessor, has_rows=True),
    EntryPoint("distributed.RowBatches", call_batches, has_rows=True),
    EntryPoint("duckdb.features", call_duckdb, without=frozenset({"labels"}), has_rows=True),
    EntryPoint("store.encode", call_store, has_rows=True, learn=partial(egonet.encode, radius=1)),
    EntryPoint("encode_pairs", call_pairs, learn=learn_pairs),
    EntryPoint("encode_edges", call_edges, learn=partial(egonet.encode_edges, radius=1)),
    EntryPoint("wl_colors", call_colors),
    EntryPoint("ring_statistics", call_rings, without=NO_VALUES, has_rows=True),
    EntryPoint("explain", call_explain, has_rows=True),
    EntryPoint("explain_difference", call_difference),
    EntryPoint("explain_graphs", call_explain_graphs, takes_two=True),
    EntryPoint("compare", call_compare, takes_two=True),
    EntryPoint("equivalent", call_equivalent, takes_two=True),
    EntryPoint("individualize", call_individualize),
    EntryPoint("edge_cycles", call_cycles, without=NO_VALUES),
    EntryPoint("degree_rank", call_ranks, without=NO_VALUES),
    EntryPoint("links.link_columns", call_link_columns, without=NO_VALUES),
    EntryPoint("links.predict", call_predict, without=NO_VALUES),
    EntryPoint("links.recommend", call_recommend, without=NO_VALUES),
    EntryPoint("links.LinkPredictor", call_predictor, without=NO_VALUES),
    EntryPoint("links.split", call_split, without=NO_VALUES),
    EntryPoint("links.zero_shot_columns", call_zero_shot, without=NO_VALUES),
    EntryPoint("explore", call_explore),
    EntryPoint("fit_embeddings", call_embeddings),
    EntryPoint("EgoEmbedding", call_embedding),
    EntryPoint("NodeEncoder", call_node_encoder, has_rows=True),
    EntryPoint("GraphEncoder", call_graph_encoder, without=frozenset({"labels"}), takes_two=True),
    EntryPoint("PairEncoder", call_pair_encoder),
    EntryPoint("EdgeEncoder", call_edge_encoder),
    EntryPoint(
        "TemporalEncoder",
        call_temporal,
        without=frozenset({"simplify"}),
        has_times=True,
        as_of=temporal_as_of,
    ),
    EntryPoint("Stream", call_stream, without=NO_VALUES | {"simplify"}, has_times=True, as_of=stream_as_of),
    EntryPoint(
        "EventEncoder",
        call_events,
        without=NO_VALUES | {"directed", "simplify"},
        has_times=True,
        as_of=events_as_of,
    ),
]


@dataclass(frozen=True)
class PygEntryPoint:
    """One public transform of PyG.

    `call(data, **keywords)` learns columns from a `Data` and returns the rows of it; `without` are keywords of values
    that it does not have, `encode` returns the rows that the function of the same kind gives.
    """

    name: str
    call: Callable[..., Any]
    without: frozenset[str] = frozenset()
    encode: Callable[..., Any] | None = None


def add_ego(data: Any, **keywords: Any) -> Any:
    return egonet.AddEgoEncoding.from_dataset([data], radius=1, **keywords)(data).ego_encoding.tolist()


def add_edge(data: Any, **keywords: Any) -> Any:
    return egonet.AddEdgeEncoding.from_data(data, 1, **keywords)(data).edge_encoding.tolist()


def add_pair(data: Any, **keywords: Any) -> Any:
    return egonet.AddPairEncoding.from_data(data, 1, **keywords)(data).pair_encoding.tolist()


def add_molecule(data: Any, **keywords: Any) -> Any:
    return egonet.AddMoleculeEncoding(**keywords)(data).bond_encoding.tolist()


def encode_data(data: Any, **keywords: Any) -> Any:
    return np.asarray(egonet.encode(data, 1, directed=False, **keywords)).tolist()


def encode_data_edges(data: Any, **keywords: Any) -> Any:
    return np.asarray(egonet.encode_edges(data, 1, directed=False, **keywords)).tolist()


def encode_data_pairs(data: Any, **keywords: Any) -> Any:
    pairs = data.edge_label_index.T
    return np.asarray(egonet.encode_pairs(data, pairs, 1, directed=False, **keywords)).tolist()


PYG_ENTRY_POINTS = [
    PygEntryPoint("AddEgoEncoding", add_ego, encode=encode_data),
    PygEntryPoint("AddEdgeEncoding", add_edge, encode=encode_data_edges),
    PygEntryPoint("AddPairEncoding", add_pair, encode=encode_data_pairs),
    PygEntryPoint("AddMoleculeEncoding", add_molecule, without=NO_VALUES),
]
#: Public names that take no edges, or take them only through an entry point above.
TAKE_NO_DATA = {
    "EdgeInput": "takes a matrix",
    "EgoInput": "takes a matrix",
    "EgonetError": "an exception",
    "Embedding": "takes an encoding",
    "Encoding": "a result",
    "MoleculeEncoder": "takes molecules",
    "Graph": "the record itself; as_graph is its entry point",
    "RingStatistics": "a result",
    "Settings": "what was asked",
    "Start": "what was asked",
    "Training": "what was asked",
    "Vocabulary": "what was learned",
    "Walks": "what was asked",
    "disjoint_union": "takes graphs, or what as_graph accepts",
    "store.read_csr": "reads what write_csr wrote",
    "store.write_csr": "takes a Graph",
    "links.LabeledPairs": "a result",
    "links.LinkSplit": "a result",
    "links.hits_at": "takes scores",
    "links.mean_reciprocal_rank": "takes scores",
    "accessors.register": "takes no data",
    "duckdb.register": "takes a connection; the table functions are SQL",
    "explain_model": "takes a model",
    "load": "reads what egonet wrote",
    "named": "makes graphs",
    "nn.EdgeInput": "takes a matrix",
    "nn.EgoInput": "takes a matrix",
    "nn.EgoNetworks": "takes a matrix",
    "nn.EleneConv": "takes a matrix",
    "store.open": "reads what egonet wrote",
    "store.spark": "takes the path of a file; store.encode has the same reader",
    "store.update": "takes changes of a stored graph",
    "store.verify": "reads what egonet wrote",
}
#: Commands that read a graph with the options and the function of `egonet encode`, or that read none.
OTHER_COMMANDS = {
    *(
        "embed",
        "pairs",
        "recommend",
        "links",
        "rings",
        "similar",
        "roles",
        "explain",
        "explore",
        "compare",
        "show",
    ),
    *("temporal", "events"),  # payments: TemporalEncoder and EventEncoder read them
    *("update", "verify", "demo", "doctor", "benchmark"),
}

"""The same graph as lists, arrays, frames, files and objects of other packages has the rows of `fuzz.definitions`."""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import egonet
from egonet.errors import IgnoredInputWarning
from fuzz.definitions import node_row, pair_row
from fuzz.differential import Tally
from fuzz.grid import Data, draw_ask, draw_data, network_of, settings_of

#: What a container gives to `encode`: the data, and the keywords that name its columns.
Given = tuple[str, Any, dict[str, Any]]


def columns_of(data: Data) -> dict[str, list[Any]]:
    """Return the edges as columns, with a type and an amount if there are any."""
    columns: dict[str, list[Any]] = {
        "payer": [source for source, _ in data.edges],
        "payee": [target for _, target in data.edges],
    }
    if data.types is not None:
        columns["kind"] = data.types
    if data.amounts is not None:
        columns["sum"] = list(map(float, data.amounts))
    return columns


def values_of(data: Data) -> dict[str, Any]:
    """Return the keywords that name a column or attribute of types or amounts."""
    if data.types is not None:
        return {"edge_labels": "kind"}
    return {} if data.amounts is None else {"weights": "sum", "weight_bins": [10, 100]}


def frames(data: Data) -> Iterator[Given]:
    """Yield data frames of every package, columns in another order."""
    import pandas as pd
    import polars as pl

    columns, ends = columns_of(data), {"source": "payer", "target": "payee"}
    turned = dict(reversed(columns.items()))
    index = [f"row{number}" for number in range(len(data.edges))]
    yield "pandas", pd.DataFrame(turned, index=index), ends
    if not isinstance(data.nodes[0], tuple):
        frame = pl.DataFrame(turned)
        yield "polars", frame, ends
        yield "polars, lazy", frame.lazy(), ends
        yield "arrow", frame.to_arrow(), ends
        categories = pd.DataFrame(columns).astype({"payer": "category", "payee": "category"})
        yield "pandas, categories", categories, ends
    if isinstance(data.nodes[0], int) and max(map(abs, data.nodes)) < 2**53:
        yield "pandas, floats", pd.DataFrame(columns).astype({"payer": float}), ends


def files(data: Data, folder: Path) -> Iterator[Given]:
    """Yield paths of files with the edges; ids of digits are read as text where they are."""
    import pandas as pd

    if isinstance(data.nodes[0], tuple):
        return
    frame = pd.DataFrame(columns_of(data))
    ends: dict[str, Any] = {"source": "payer", "target": "payee"}
    text = ends | ({"ids": "text"} if isinstance(data.nodes[0], str) else {})
    for name, separator in (("edges.csv", ","), ("edges.tsv", "\t"), ("edges.csv.gz", ",")):
        frame.to_csv(folder / name, index=False, sep=separator)
        yield name, folder / name, text
    frame.to_csv(
        folder / "excel.csv", index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n", quoting=1
    )
    yield "excel.csv", folder / "excel.csv", text | {"delimiter": ";"}
    frame.to_parquet(folder / "edges.parquet", index=False)
    yield "edges.parquet", folder / "edges.parquet", ends
    frame.to_feather(folder / "edges.feather")
    yield "edges.feather", folder / "edges.feather", ends


def objects(data: Data) -> Iterator[Given]:
    """Yield graphs of other packages, and arrays if ids are rows."""
    import igraph
    import networkx as nx
    import torch
    from scipy.sparse import coo_array, csr_array

    several = nx.MultiDiGraph() if data.directed else nx.MultiGraph()
    several.add_nodes_from(data.nodes)
    columns = columns_of(data)
    named = [name for name in columns if name not in ("payer", "payee")]
    for number, (source, target) in enumerate(data.edges):
        several.add_edge(source, target, **{name: columns[name][number] for name in named})
    yield "networkx", several, {}
    if not isinstance(data.nodes[0], tuple):
        other = igraph.Graph(directed=bool(data.directed))
        other.add_vertices(
            len(data.nodes), {"name": data.nodes} if isinstance(data.nodes[0], str) else {"label": data.nodes}
        )
        place = {node: number for number, node in enumerate(data.nodes)}
        if isinstance(data.nodes[0], str) or data.nodes == list(range(len(data.nodes))):
            other.add_edges([(place[source], place[target]) for source, target in data.edges])
            for name in named:
                other.es[name] = columns[name]
            yield "igraph", other, {}
    if data.nodes == list(range(len(data.nodes))):
        pairs = np.array(data.edges, dtype=np.int64).reshape(-1, 2)
        values = [columns[name] for name in named]
        given = {"edge_labels": data.types} if data.types else {"weights": values[0]} if values else {}
        yield "array of pairs", pairs, given
        yield "edge_index", pairs.T.copy() if len(pairs) > 2 else pairs, given
        yield "edge_index of torch", torch.from_numpy(pairs.T.copy()), given
        if data.types is None and data.amounts is None:
            size = (len(data.nodes), len(data.nodes))
            ones, both = (
                np.ones(len(pairs)),
                pairs if data.directed else np.concatenate([pairs, pairs[:, ::-1]]),
            )
            matrix = coo_array((np.resize(ones, len(both)), tuple(both.T)), shape=size)
            yield "scipy, coo", matrix, {}
            yield "scipy, csr", csr_array(matrix), {}


def label_forms(data: Data, rng: Random) -> Any:
    """Return the labels by id: a mapping, a Series, or a table."""
    import pandas as pd
    import polars as pl

    if data.labels is None:
        return None
    items = rng.sample(list(data.labels.items()), len(data.labels))
    nodes, labels = [node for node, _ in items], [label for _, label in items]
    if isinstance(nodes[0], tuple):
        return dict(items)
    return rng.choice(
        (
            lambda: dict(items),
            lambda: pd.Series(labels, index=nodes),
            lambda: pd.DataFrame({"node": nodes, "label": labels}),
            lambda: pl.DataFrame({"id": nodes, "kind": labels}),
        )
    )()


def check_containers(rng: Random, tally: Tally) -> None:
    """Compare the rows of nodes and pairs of one graph in every container, edges in another order."""
    data = draw_data(rng)
    seen = {node for edge in data.edges for node in edge}
    order = rng.sample(range(len(data.edges)), len(data.edges))
    data = replace(
        data,
        nodes=[node for node in data.nodes if node in seen],
        edges=[data.edges[number] for number in order],
        labels=data.labels and {node: label for node, label in data.labels.items() if node in seen},
        types=None if data.types is None else [data.types[number] for number in order],
        amounts=None if data.amounts is None else [data.amounts[number] for number in order],
    )
    ask = draw_ask(rng, data)
    if ask.degrees == "in_out" and data.directed is None:
        ask = replace(ask, degrees="full", follow="any")
    network = network_of(data, ask)
    labels = None if data.labels is None else {"labels": label_forms(data, rng)}
    pair = tuple(rng.sample(data.nodes, 2)) if len(data.nodes) > 1 else None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)
        given = [*frames(data), *files(data, Path(folder)), *objects(data)]
        for name, container, keywords in given:
            named = values_of(data) | keywords
            if {"edge_labels", "weights"} & keywords.keys() and data.amounts is not None:
                named["weight_bins"] = [10, 100]
            reading = {key: value for key, value in named.items() if key != "weight_bins"}
            bins = {key: value for key, value in named.items() if key == "weight_bins"}
            read: Callable[..., Any] = egonet.read_graph if isinstance(container, Path) else egonet.as_graph
            direction = data.directed if name in ("networkx", "igraph") else data.directed or False
            graph = read(container, directed=direction, simplify=True, **reading, **(labels or {}))
            encoding = egonet.encode(graph, **settings_of(ask), **bins)
            for node in data.nodes:
                tally.compare(f"as {name}", node, encoding[node], node_row(ask, network, node), (data, ask))
            if pair is not None and ask.frontier_edges:
                rows = egonet.encode_pairs(graph, [pair], **settings_of(ask, frontier=False), **bins)
                tally.compare(f"as {name}", pair, rows[pair], pair_row(ask, network, *pair), (data, ask))


CONTAINERS = (check_containers,)

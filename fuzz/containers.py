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
from fuzz.grid import IDS, Data, draw_ask, draw_data, network_of, settings_of

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
        if len(pairs) != 2:  # a square of two edges may be an edge_index
            yield "array of pairs", pairs, given
            yield "edge_index", pairs.T.copy(), given
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


# ----- tables of events


def draw_payments(rng: Random) -> list[tuple[Any, ...]]:
    """Draw payments (source, target, hour, amount, means) in order of time."""
    name = rng.choice(IDS[:6])
    hours = sorted(rng.choices(range(60), k=rng.choice((3, 12, 25))))
    return [
        (
            name(rng.randrange(5)),
            name(rng.randrange(5)),
            hour,
            rng.choice((-2.5, 0.0, 1.25, 40.0)),
            rng.choice("xy"),
        )
        for hour in hours
    ]


def payment_tables(
    payments: list[tuple[Any, ...]], folder: Path
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the payments in every container, with other options of the encoder; times are numbers or dates."""
    import pandas as pd
    import polars as pl

    names = ("payer", "payee", "when", "sum", "means")
    frame = pd.DataFrame({name: [payment[place] for payment in payments] for place, name in enumerate(names)})
    yield "pandas", frame[[*reversed(names)]], {}
    yield "polars", pl.DataFrame(frame.to_dict("list")), {}
    yield "arrow", pl.DataFrame(frame.to_dict("list")).to_arrow(), {}
    frame.to_parquet(folder / "payments.parquet")
    yield "parquet", folder / "payments.parquet", {}
    is_text = isinstance(payments[0][0], str)
    frame.to_csv(folder / "payments.csv", index=False)
    yield "csv", folder / "payments.csv", {"ids": "text"} if is_text else {}
    dated = frame.assign(when=pd.Timestamp("2024-02-28T20:00") + pd.to_timedelta(frame.when, unit="h"))
    yield "dates", dated, {}
    yield (
        "dates in text",
        dated.assign(when=dated.when.dt.strftime("%d.%m.%Y %H:%M")),
        {"time_format": "%d.%m.%Y %H:%M"},
    )
    dated.to_csv(folder / "dated.csv", index=False)
    yield "dates in csv", folder / "dated.csv", {"ids": "text"} if is_text else {}
    ids = {
        node: f"renamed{number}" for number, node in enumerate(dict.fromkeys([*frame.payer, *frame.payee]))
    }
    yield "renamed", frame.assign(payer=frame.payer.map(ids), payee=frame.payee.map(ids)), {}
    gaps = pd.concat([frame, frame.iloc[:1].assign(sum=float("nan"))], ignore_index=True)
    yield "missing", gaps, {"missing": "drop"}


def check_payments(rng: Random, tally: Tally) -> None:
    """Compare rows per event of one table in every container, of dates, of other names, and of late events."""
    payments = draw_payments(rng)
    windows = rng.choice(((None,), (5,), (3, 24), (10, None)))
    options: dict[str, Any] = {
        "groups": tuple(rng.sample(("ends", "pair", "ego", "cycles"), rng.randint(1, 3))),
        "order": rng.choice(("row", "time")),
        "own": rng.random() < 0.7,
        "radius": rng.choice((1, 2)),
    }
    columns = {"source": "payer", "target": "payee", "time": "when", "amount": "sum", "types": "means"}
    plain = egonet.EventEncoder(windows=windows, **columns, **options)
    expected = plain.fit_transform(payments)
    names = plain.get_feature_names_out().tolist()
    in_hours = np.array(
        [3600.0 if name.split("_")[-1] == "since" or "cycle_span" in name else 1.0 for name in names]
    )
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredInputWarning)  # a row without an amount is left out
        for name, table, more in payment_tables(payments, Path(folder)):
            is_date = name.startswith("dates")
            lengths = tuple(f"{each}h" if is_date and each is not None else each for each in windows)
            encoder = egonet.EventEncoder(windows=lengths, **columns, **options, **more)
            cut = rng.randint(1, len(payments))
            if (
                isinstance(table, Path)
                or cut == len(payments)
                or name == "missing"
                or options["order"] == "time"
            ):
                rows = encoder.fit_transform(table)
            else:
                first, last = table[:cut], table[cut:]
                if {payment[4] for payment in payments[:cut]} != {payment[4] for payment in payments}:
                    first, last = table, table[:0]
                rows = encoder.fit_transform(first)
                rows = np.vstack([rows, encoder.partial_fit_transform(last)]) if len(last) else rows
            if name == "missing":
                tally.add("payments, missing", bool(np.isnan(rows[-1]).all()), "last", rows[-1], payments)
                rows = rows[:-1]
            wanted = expected * in_hours if is_date else expected
            for number, payment in enumerate(payments):
                same = np.array_equal(rows[number], wanted[number], equal_nan=True)
                differing = [
                    (names[place], rows[number, place], wanted[number, place])
                    for place in np.flatnonzero(rows[number] != wanted[number])[:6]
                ]
                tally.add(f"payments as {name}", same, payment, differing, (payments, windows, options))
    late = rng.sample(payments, len(payments))
    clock = np.maximum.accumulate([payment[2] for payment in late]).tolist()
    in_time = [(*payment[:2], time, *payment[3:]) for payment, time in zip(late, clock, strict=True)]
    arrived = egonet.EventEncoder(windows=windows, **columns, **options, late="arrival").fit_transform(late)
    sorted_rows = egonet.EventEncoder(windows=windows, **columns, **options).fit_transform(in_time)
    for number, payment in enumerate(late):
        same = np.array_equal(arrived[number], sorted_rows[number], equal_nan=True)
        tally.add(
            "payments, late", same, payment, (arrived[number], sorted_rows[number]), (late, windows, options)
        )


CONTAINERS = (check_containers, check_payments)

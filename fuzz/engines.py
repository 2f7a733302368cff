"""Random rows of every engine against `fuzz.definitions`: windows, streams, batches of workers, stores, CUDA emulated.

Spark and Ray start a cluster on one machine, so `python -m fuzz rows` leaves them out. `python -m fuzz engines` runs
them on graphs of a thousand nodes, and the CUDA kernels.
"""

import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import egonet
from egonet.distributed import RowBatches
from egonet.errors import UnseenWarning
from fuzz.definitions import Ask, Network, Row, build, node_row, pair_row
from fuzz.differential import Tally
from fuzz.grid import IDS, Data, amount_bin, draw_ask, draw_data, network_of, settings_of


@dataclass(frozen=True)
class History:
    """Events (source, target, time, type or amount), and how their windows are read."""

    nodes: list[Any]
    events: list[tuple[Any, ...]]
    kind: str
    window: int | None
    closed: str
    directed: str | None
    labels: dict[Any, Any] | None
    by_event: bool
    dates: bool

    def at(self, time: int) -> Any:
        """Return a time as it is given: a number, or an hour of 2024."""
        return np.datetime64("2024-02-28T20", "h") + time if self.dates else time

    def known(self, time: int) -> list[tuple[Any, ...]]:
        """Return the events of the window of a query."""
        first = -(10**9) if self.window is None else time - self.window
        if self.closed == "left":
            return [event for event in self.events if first <= event[2] < time]
        return [event for event in self.events if first < event[2] <= time]

    def network(self, time: int, is_directed: bool) -> Network:
        """Return the network of the events in the window of a query, with every node that has ever been."""
        known = self.known(time)
        types = None
        if self.kind == "types":
            types = [event[3] for event in known]
        if self.kind == "amounts":
            types = [amount_bin(event[3]) for event in known]
        ends = [event[:2] for event in known]
        network = build(self.nodes, ends, is_directed=is_directed, labels=self.labels, types=types)
        if self.by_event:
            network.weight = Counter(end for end in ends if end[0] != end[1])
            if not is_directed:
                network.weight = network.weight + Counter(
                    {end[::-1]: count for end, count in network.weight.items()}
                )
        return network

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of a window."""
        return {
            "window": None if self.window is None else f"{self.window}h" if self.dates else self.window,
            "closed": self.closed,
            "directed": self.directed,
        }


def draw_history(rng: Random, *, labeled: bool) -> History:
    """Draw events in order of time, with repeats, loops and equal times."""
    name, size = rng.choice(IDS), rng.randint(2, 8)
    nodes = [name(number) for number in range(size)]
    kind = rng.choice(("plain", "plain", "types", "amounts"))
    time, events = rng.choice((-5, 0, 10**6)), []
    for _ in range(rng.choice((1, 5, 20, 40))):
        time += rng.choice((0, 0, 1, 2))
        more = {
            "plain": (),
            "types": (rng.choice(("call", "7", "ünï")),),
            "amounts": (rng.choice((-1.5, 9.0, 10.0, 99.5, 100.0)),),
        }
        events.append((rng.choice(nodes), rng.choice(nodes), time, *more[kind]))
    return History(
        nodes,
        events,
        kind,
        rng.choice((None, 1, 3, 10)),
        rng.choice(("left", "right")),
        rng.choice((None, "out", "in")),
        {node: rng.choice(("x", "y")) for node in nodes} if labeled and rng.random() < 0.3 else None,
        kind == "plain" and rng.random() < 0.3,
        rng.random() < 0.4,
    )


def event_table(rng: Random, history: History) -> Any:
    """Return the events as a pandas, polars or Arrow table, or as tuples if these say all."""
    import pandas as pd
    import polars as pl

    third = {"plain": (), "types": ("kind",), "amounts": ("amount",)}[history.kind]
    rows = [(*event[:2], history.at(event[2]), *event[3:]) for event in history.events]
    columns = {
        name: [row[place] for row in rows] for place, name in enumerate(("source", "target", "time", *third))
    }
    is_text = not isinstance(history.nodes[0], tuple)
    form = rng.choice(("pandas", "polars", "arrow") if is_text else ("pandas",))
    if history.dates:
        columns["time"] = np.array(columns["time"]).astype("datetime64[us]")
    if form == "pandas":
        return pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})
    frame = pl.DataFrame(columns)
    return frame if form == "polars" else frame.to_arrow()


def types_of(history: History) -> dict[str, Any]:
    """Return the keywords of types or amounts, by the names of columns."""
    return {
        "plain": {},
        "types": {"edge_labels": "kind"},
        "amounts": {"weights": "amount", "weight_bins": [10, 100]},
    }[history.kind]


def ask_of(rng: Random, history: History, *, frontier: bool = True) -> tuple[Ask, dict[str, Any]]:
    """Draw what is counted, and its keywords."""
    data = Data(history.nodes, [], history.directed, None, None, None)
    ask = draw_ask(rng, data, frontier=frontier)
    more = {"count": "events"} if history.by_event else {}
    return ask, {**settings_of(ask, frontier=frontier), **more}


def check_windows(rng: Random, tally: Tally) -> None:
    """Compare rows of nodes and pairs as of random times with those of the events in their windows."""
    history = draw_history(rng, labeled=True)
    of_pairs = rng.random() < 0.4
    ask, settings = ask_of(rng, history, frontier=not of_pairs)
    if of_pairs:
        if history.by_event:
            return
        settings["node"] = ("source", "target")
    times = [event[2] for event in history.events]
    moments = [rng.randint(times[0] - 1, times[-1] + 4) for _ in range(5)]
    seen = [node for node in history.nodes if any(node in event[:2] for event in history.events)]
    if len(seen) < 2:
        return
    # Columns with labels are learned from nodes that have events.
    ends = [tuple(rng.sample(history.nodes if history.labels is None else seen, 2)) for _ in moments]
    queries = [
        (*(end if of_pairs else end[:1]), history.at(moment))
        for end, moment in zip(ends, moments, strict=True)
    ]
    bins = types_of(history)
    encoder = egonet.TemporalEncoder(
        event_table(rng, history),
        **history.keywords(),
        **settings,
        **bins,
        labels=history.labels,
        handle_unknown="zero",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)  # most nodes may have no event
        rows = encoder.fit(queries).encode(queries)
    is_directed = history.directed is not None or ask.degrees == "in_out"
    kind = "window of pair" if of_pairs else "window"
    for query, end, moment in zip(queries, ends, moments, strict=True):
        network = history.network(moment, is_directed)
        expected = pair_row(ask, network, *end) if of_pairs else node_row(ask, network, end[0])
        tally.compare(kind, query, rows[query], expected, (history, ask))


def check_flow(rng: Random, tally: Tally) -> None:
    """Compare a stream, split at random and saved in between, with the events in its window."""
    history = draw_history(rng, labeled=False)
    ask, settings = ask_of(rng, history)
    stream = egonet.Stream(**history.keywords(), **settings, **types_of(history), threads=rng.choice((1, 2)))
    is_directed = history.directed is not None or ask.degrees == "in_out"
    first = 0
    while first < len(history.events):
        last = min(len(history.events), first + rng.choice((1, 3, 10)))
        part = replace(history, events=history.events[first:last])
        stream.add(event_table(rng, part))
        first = last
        if rng.random() < 0.2:
            with tempfile.TemporaryDirectory() as folder:
                stream.save(Path(folder) / "stream.npz")
                stream = egonet.Stream.open(Path(folder) / "stream.npz")
        moment = history.events[last - 1][2]
        if last < len(history.events):
            moment = rng.randint(moment, history.events[last][2])
        past = replace(history, events=history.events[:last])
        network = past.network(moment, is_directed)
        nodes = rng.sample(history.nodes, min(3, len(history.nodes)))
        rows = stream.features(nodes, time=history.at(moment))
        for node in nodes:
            tally.compare("flow", (node, moment), rows[node], node_row(ask, network, node), (past, ask))


# ----- batches of workers


def batches_of(names: tuple[str, ...], rows: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield a batch in every form that an engine hands over."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    yield "sequence", [row[0] for row in rows] if len(names) == 1 else rows
    yield "mapping", {name: np.array(values) for name, values in columns.items()}
    yield "pandas", pd.DataFrame(columns)
    yield "polars", pl.DataFrame(columns)
    yield "arrow", pa.table(columns)
    half = len(rows) // 2
    yield (
        "iterator",
        iter(
            [
                pa.RecordBatch.from_pydict({name: values[part] for name, values in columns.items()})
                for part in (slice(half), slice(half, None))
            ]
        ),
    )


def as_rows(form: str, answer: Any) -> list[dict[str, Any]]:
    """Return the rows of an answer as dictionaries."""
    if form == "mapping":
        return [dict(zip(answer, values, strict=True)) for values in zip(*answer.values(), strict=True)]
    if form == "pandas":
        return answer.to_dict("records")
    if form == "polars":
        return answer.to_dicts()
    if form == "iterator":
        return [row for batch in answer for row in batch.to_pylist()]
    return answer.to_pylist()


def check_workers(rng: Random, tally: Tally) -> None:
    """Compare the rows of batches, in every form of a batch, with the definitions."""
    data = draw_data(rng)
    if isinstance(data.nodes[0], tuple):
        return
    of_pairs = rng.random() < 0.5
    ask = draw_ask(rng, data, frontier=not of_pairs)
    if data.types is not None or data.amounts is not None:
        data = replace(data, types=None, amounts=None)
    network = network_of(data, ask)
    graph = egonet.as_graph(
        data.edges,
        nodes=data.nodes,
        directed=data.directed or ("out" if ask.degrees == "in_out" else False),
        simplify=True,
        labels=data.labels,
    )
    ask = replace(ask, directed=graph.directed)
    settings = settings_of(ask, frontier=not of_pairs)
    asked: list[tuple[Any, ...]] = [
        tuple(rng.sample(data.nodes, 2)) if of_pairs else (rng.choice(data.nodes),) for _ in range(4)
    ]
    encode: Callable[..., Any] = egonet.encode_pairs if of_pairs else egonet.encode
    learned = encode(graph, asked, **settings) if of_pairs else encode(graph, **settings)
    by_list = rng.random() < 0.4
    workers = RowBatches(
        graph, **({} if by_list else {"vocabulary": learned}), **(settings if by_list else {}), pairs=of_pairs
    )
    names = ("source", "target") if of_pairs else ("node",)
    columns = learned.feature_names
    expected_of: dict[Any, dict[str, int]] = {}
    for number, row in enumerate(learned):
        values = learned.matrix[[number]].toarray()[0]
        expected_of[row] = {name: int(value) for name, value in zip(columns, values, strict=True) if value}
    for form, batch in batches_of(names, asked):
        for ends, row in zip(asked, as_rows(form, workers(batch)), strict=True):
            name = ends if of_pairs else ends[0]
            definition = pair_row(ask, network, *ends) if of_pairs else node_row(ask, network, ends[0])
            tally.compare("batch, defined", name, learned[name], definition, (data, ask))
            if by_list:
                found = dict(zip(list(row["feature"]), map(int, row["count"]), strict=True))
            else:
                found = {column: int(row[column]) for column in columns if row[column]}
            same = found == expected_of[name] and all(
                row[each] == end for each, end in zip(names, ends, strict=True)
            )
            tally.add(f"batch as {form}", same, ends, (found, expected_of[name]), (data, ask))


# ----- stores and CUDA


def check_folders(rng: Random, tally: Tally) -> None:
    """Compare stores, opened again, with the definitions: labels, types, amounts, chosen roots, little memory."""
    data = draw_data(rng)
    ask = draw_ask(rng, data, in_out=False)
    network = network_of(data, ask)
    roots = None if rng.random() < 0.7 else rng.choices(data.nodes, k=3)
    with tempfile.TemporaryDirectory() as folder:
        options = {name: value for name, value in data.keywords().items() if name != "nodes"}
        data = replace(
            data, nodes=sorted({node for edge in data.edges for node in edge}, key=data.nodes.index)
        )
        graph = egonet.as_graph(
            data.edges,
            nodes=data.nodes,
            directed=options.pop("directed"),
            simplify=True,
            **{
                name: value
                for name, value in options.items()
                if name in ("labels", "edge_labels", "weights") and name != "labels"
            },
            labels=None if data.labels is None else {node: data.labels[node] for node in data.nodes},
        )
        network = network_of(data, ask)
        bins = {} if data.amounts is None else {"weight_bins": [10, 100]}
        roots = None if roots is None else rng.choices(data.nodes, k=3)
        egonet.store.encode(
            graph,
            f"{folder}/out",
            **settings_of(ask),
            **bins,
            roots=roots,
            memory=rng.choice(("64MB", "2GB")),
        )
        encoding = egonet.store.open(f"{folder}/out")
        for node in roots or data.nodes:
            tally.compare("folder", node, encoding[node], node_row(ask, network, node), (data, ask))


@cache
def open_emulated() -> Any:
    """Return the device that runs CUDA kernels on the processor, compiled once per process."""
    from emulation.device import EmulatedDevice

    return EmulatedDevice(tempfile.mkdtemp(prefix="egonet-fuzz-"))


def check_device(rng: Random, tally: Tally) -> None:
    """Compare CUDA kernels, emulated, with the definitions: labels, types, amounts, chosen roots, direction."""
    from egonet.kernel.cuda import backend

    data = draw_data(rng)
    ask = draw_ask(rng, data, in_out=False)
    network = network_of(data, ask)
    roots = None if rng.random() < 0.7 else rng.choices(data.nodes, k=3)
    opened, backend.open_device = backend.open_device, open_emulated
    try:
        encoding = egonet.encode(
            data.edges, **data.keywords(), **settings_of(ask), roots=roots, device="cuda"
        )
    finally:
        backend.open_device = opened
    for node in roots or data.nodes:
        tally.compare("cuda, emulated", node, encoding[node], node_row(ask, network, node), (data, ask))


ENGINES: tuple[Callable[[Random, Tally], None], ...] = (
    check_windows,
    check_flow,
    check_workers,
    check_folders,
)


# ----- clusters of one machine


def draw_large(rng: Random, *, directed: str | None, isolated: bool = True) -> Data:
    """Draw a graph of many small parts, so that the definitions take a search of few nodes for every row."""
    edges: list[tuple[Any, Any]] = []
    parts = [draw_data(rng, plain=True, directed=False) for _ in range(120)]
    nodes = [12 * number + place for number, part in enumerate(parts) for place in range(len(part.nodes))]
    for number, part in enumerate(parts):
        edges += [
            (12 * number + part.nodes.index(source), 12 * number + part.nodes.index(target))
            for source, target in part.edges
        ]
    rng.shuffle(edges)
    seen = {node for edge in edges for node in edge}
    return Data([node for node in nodes if isolated or node in seen], edges, directed, None, None, None)


def check_spark(rng: Random, tally: Tally, session: Any) -> None:
    """Compare a store by Spark, and batches of `mapInArrow`, with the definitions."""
    from pyspark.sql.pandas.types import from_arrow_schema

    data = draw_large(rng, directed=rng.choice((None, None, "out", "in")))
    ask = draw_ask(rng, data, in_out=False)
    strategy = rng.choice((None, "ranges", "halo"))
    if data.directed is None and rng.random() < 0.4:
        ask, strategy = replace(ask, radii=(1,), degrees="total"), "triples"
    network = network_of(data, ask)
    graph = egonet.as_graph(data.edges, nodes=data.nodes, directed=data.directed or False, simplify=True)
    with tempfile.TemporaryDirectory() as folder:
        options: dict[str, Any] = {"colors": 3} if strategy == "triples" else {}
        stored: Any = egonet.store.spark(
            graph,
            f"{folder}/out",
            **settings_of(ask),
            session=session,
            strategy=strategy,
            partitions=5,
            **options,
        )
        for node in data.nodes:
            tally.compare(
                f"spark, {strategy}", node, stored[node], node_row(ask, network, node), (ask, strategy)
            )
        workers = RowBatches(f"{folder}/out", **settings_of(ask))
        asked = rng.sample(data.nodes, 200)
        frame = session.createDataFrame([(node,) for node in asked], "node long").repartition(3)
        rows = frame.mapInArrow(workers, from_arrow_schema(workers.schema)).collect()
        names = egonet.store.open(f"{folder}/out")
        compare_lists(tally, "spark, mapInArrow", [row.asDict() for row in rows], names, asked)


def compare_lists(
    tally: Tally, kind: str, rows: list[dict[str, Any]], encoding: Any, asked: list[Any]
) -> None:
    """Compare lists of features and counts with the columns of an encoding that equals the definitions."""
    assert sorted(row["node"] for row in rows) == sorted(asked), kind
    order = {node: number for number, node in enumerate(encoding)}
    names, matrix = encoding.feature_names, encoding.matrix
    for row in rows:
        values = matrix[[order[row["node"]]]].toarray()[0]
        expected = {name: int(value) for name, value in zip(names, values, strict=True) if value}
        found = dict(zip(row["feature"], map(int, row["count"]), strict=True))
        tally.add(kind, found == expected, row["node"], (found, expected), kind)


def check_ray(rng: Random, tally: Tally) -> None:
    """Compare batches of Ray Data with the definitions; Ray is started by the caller."""
    import ray

    data = draw_large(rng, directed=rng.choice((None, "out", "in")))
    of_pairs = rng.random() < 0.5
    ask = draw_ask(rng, data, frontier=not of_pairs, in_out=data.directed is not None)
    network = network_of(data, ask)
    graph = egonet.as_graph(data.edges, nodes=data.nodes, directed=data.directed or False, simplify=True)
    settings = settings_of(ask, frontier=not of_pairs)
    asked: list[Any] = [
        tuple(rng.sample(data.nodes, 2)) if of_pairs else (node,) for node in rng.sample(data.nodes, 300)
    ]
    names = ("source", "target") if of_pairs else ("node",)
    learned: Any = (
        egonet.encode_pairs(graph, asked, **settings) if of_pairs else egonet.encode(graph, **settings)
    )
    items = [dict(zip(names, ends, strict=True)) for ends in asked]
    table = ray.data.from_items(items).repartition(4)
    rows = table.map_batches(RowBatches(graph, learned, pairs=of_pairs)).take_all()
    found_of = {tuple(row[name] for name in names): row for row in rows}
    matrix, columns = learned.matrix.tocsr(), learned.feature_names
    order = {node if of_pairs else (node,): number for number, node in enumerate(learned)}
    for ends in asked:
        definition: Row = pair_row(ask, network, *ends) if of_pairs else node_row(ask, network, ends[0])
        tally.compare("ray, defined", ends, learned[ends if of_pairs else ends[0]], definition, ask)
        values = matrix[[order[ends]]].toarray()[0]
        found = [int(found_of[ends][column]) for column in columns]
        tally.add("ray", found == values.tolist(), ends, (found, values.tolist()), ask)


def run(seed: int, calls: int, names: list[str], say: Callable[[str], None]) -> Tally:
    """Compare some calls of every engine that is named: "cuda", "spark" and "ray"."""
    tally = Tally()
    for name in names:
        with opened(name) as check:
            for number in range(calls):
                check(Random(f"{seed} {number} {name}"), tally)
                say(f"{name}: {number + 1:,} calls, {sum(tally.rows.values()):,} rows")
    return tally


@contextmanager
def opened(name: str) -> Iterator[Callable[[Random, Tally], None]]:
    """Start an engine, and end it afterwards."""
    if name == "spark":
        from egonet.store.spark_driver import start_session

        session = start_session("local[2]")
        try:
            yield partial(check_spark, session=session)
        finally:
            session.stop()
    elif name == "ray":
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        try:
            yield check_ray
        finally:
            ray.shutdown()
    else:
        yield check_device

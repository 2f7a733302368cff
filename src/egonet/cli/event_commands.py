"""The command `egonet temporal`: features of nodes as of a time, from a table of events."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args

import numpy as np
import typer

from egonet.cli.options import (
    FEATURES,
    INPUT,
    OUTPUT,
    Bins,
    MaxDegree,
    NodeLabels,
    Radius,
    Threads,
    choice,
    command,
    option,
    output_option,
    parse_bins,
    parse_radius,
)
from egonet.cli.output import Printing, counts_in, print_first_rows, print_json
from egonet.cli.table_files import check_written, read_columns, read_labels, write_columns
from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError
from egonet.graph.input_options import choose_columns
from egonet.io.atomic import reserved
from egonet.io.tables import ColumnTable
from egonet.temporal.events import NODE_COLUMNS
from egonet.temporal.times import Closed, as_times

#: Source, target and time.
Event: TypeAlias = tuple[Any, Any, Any]
EventsPath = Annotated[
    Path,
    typer.Argument(
        help="A table with an event per row, two nodes and a time: csv, tsv (also .gz), parquet or arrow; - for stdin.",
        show_default=False,
    ),
]
QueriesPath = Annotated[
    Path, option(INPUT, "A table with a node and a time per row; each gets a row of features.")
]


@dataclass(frozen=True)
class EventReading:
    """The columns of both tables."""

    source: Annotated[str | None, option(INPUT, "The column of one end of each event.")] = None
    target: Annotated[str | None, option(INPUT, "The column of the other end.")] = None
    time: Annotated[str, option(INPUT, "The column of the time, in both tables.")] = "time"
    node: Annotated[str | None, option(INPUT, "The column of the node in the queries: node or id.")] = None
    directed: Annotated[str | None, choice(INPUT, "--directed", ("out", "in"), "Follow events that way.")] = (
        None
    )


@dataclass(frozen=True)
class WindowFeatures:
    """What is counted, and what is known at a time."""

    window: Annotated[
        str | None,
        option(FEATURES, "How long an event counts: 30d, 12h or 1h30m for dates, a number for numbers."),
    ] = None
    closed: Annotated[
        str,
        choice(FEATURES, "--closed", get_args(Closed), "left: events at the time of the query are not used."),
    ] = "left"
    radius: Radius = None
    degrees: Annotated[
        str, choice(FEATURES, "--degrees", ("total", "layered", "full"), "How degrees are counted.")
    ] = "total"
    degree_bins: Bins = None
    max_degree: MaxDegree = None
    labels: NodeLabels = None
    edge_labels: Annotated[
        str | None, option(FEATURES, "The column with the type of every event.", "--edge-labels")
    ] = None
    weights: Annotated[
        str | None, option(FEATURES, "The column with the weight of every event, for --weight-bins.")
    ] = None
    weight_bins: Annotated[
        str | None, option(FEATURES, "Weights as types of events: log, or limits: 10,100.")
    ] = None
    vocabulary: Annotated[
        Path | None, option(FEATURES, "Use the columns and settings that --save-vocabulary wrote.")
    ] = None
    save_vocabulary: Annotated[
        Path | None, option(OUTPUT, "Write the columns and settings to this .json file, for later queries.")
    ] = None
    weighting: Annotated[
        str, choice(OUTPUT, "--weighting", get_args(Weighting), "How counts are weighted.")
    ] = "count"
    output: Annotated[str | None, output_option(".parquet .arrow .csv", "rows")] = None
    threads: Threads = None

    def settings(self) -> Settings:
        counted: Any = {name: getattr(self, name) for name in ("degrees", "degree_bins", "max_degree")}
        counted["weight_bins"] = parse_bins(self.weight_bins)
        if self.vocabulary is None:
            return Settings(parse_radius(self.radius), **counted)
        plain = Settings(2)
        if self.radius is not None or any(value != getattr(plain, name) for name, value in counted.items()):
            raise InputError("--vocabulary has its own settings. Leave the other options of features out.")
        known = Vocabulary.load(self.vocabulary).settings
        return replace(known, labels=None, edge_labels=None)  # these come from the data


@command(
    "egonet temporal payments.csv --queries accounts.csv --window 30d -o features.parquet",
    "egonet temporal events.csv --queries train.csv -r 1 --save-vocabulary columns.json -o train.parquet",
    "egonet temporal events.csv --queries test.csv --vocabulary columns.json -o test.parquet",
    "egonet temporal payments.csv --queries accounts.csv --labels kinds.csv --weights amount --weight-bins log",
)
def temporal(
    events: EventsPath,
    queries: QueriesPath,
    reading: EventReading,
    features: WindowFeatures,
    printing: Printing,
) -> None:
    """Write the features of nodes as of a time: every row counts only the events that were known then."""
    output = features.output
    path = None if output in (None, "-") else Path(str(output))
    if path is not None:
        check_written(path)
    began = time.perf_counter()
    save = features.save_vocabulary
    with reserved(path, save, inputs=[events, queries, features.vocabulary, features.labels]):
        with printing.progress("reading", path=events):
            history, values = read_history(events, reading, features)
            asked = read_queries(queries, reading, history)
            nodes, times = asked
        with printing.progress("encoding"):
            encoding = encode_queries(history, values, asked, reading, features)
        if path is not None or output == "-":
            dense = encoding.to_dense(features.weighting)  # type: ignore[arg-type]
            columns = dict(zip(encoding.feature_names, dense.T, strict=True))
            write_columns({"node": nodes, reading.time: times} | columns, path)
        if save is not None:
            encoding.vocabulary.save(save)
    seconds = time.perf_counter() - began
    facts = {"num_events": len(history), "num_rows": len(encoding), "num_columns": len(encoding.vocabulary)}
    if printing.as_json:
        print_json(facts | {"output": output, "seconds": round(seconds, 3)})
    elif output is None:
        print_queries(encoding, times)
    printing.say(
        f"{len(encoding):,} rows, {len(encoding.vocabulary):,} columns, {seconds:.1f} s; {encoding.unseen}"
    )


def read_history(
    path: Path, reading: EventReading, features: WindowFeatures
) -> tuple[list[Event], list[Any] | None]:
    """Return the events of a table in order of time, and their types or weights.

    Rows as of a time do not depend on the order of a file.
    """
    table = read_columns(path, "a table of events")
    times = table.times(named(table, reading.time, "--time"))
    if features.edge_labels is not None and features.weights is not None:
        raise InputError("--edge-labels and --weights exclude each other. Leave one out.")
    column = features.edge_labels or features.weights
    values: list[Any] | None = None
    if features.edge_labels is not None:
        values = table.values(named(table, features.edge_labels, "--edge-labels"))
    elif features.weights is not None:
        values = table.numbers(named(table, features.weights, "--weights"))
    others = [name for name in table.columns if name not in (reading.time, column)]
    ids = table.ids(*choose_columns(others, reading.source, reading.target))
    events = list(zip(ids[0::2], ids[1::2], times, strict=True))
    order = np.argsort(as_times(times, "event").values, kind="stable").tolist()
    return [events[row] for row in order], None if values is None else [values[row] for row in order]


def read_queries(path: Path, reading: EventReading, history: list[Event]) -> tuple[list[Any], list[Any]]:
    """Return the nodes and the times of a table; the nodes have the type that they have in the events."""
    table = read_columns(path, "a table of queries")
    known = [name for name in table.columns if name.lower() in NODE_COLUMNS]
    if reading.node is None and len(known) != 1:
        raise InputError(
            f"which column of {table.name} has the nodes? Set --node; there are {', '.join(table.columns)}."
        )
    nodes = table.known_ids(named(table, reading.node or known[0], "--node"), nodes_of(history))
    return nodes, table.times(named(table, reading.time, "--time"))


def named(table: ColumnTable, name: str, switch: str) -> str:
    """Return the name of a column; raise if there is none of that name."""
    if name not in table.columns:
        raise InputError(
            f"{table.name} has no column {name!r}. Say {switch}; there are {', '.join(table.columns)}."
        )
    return name


def nodes_of(history: list[Event]) -> set[Any]:
    """Return the nodes of events.

    >>> sorted(nodes_of([("a", "b", 1), ("b", "c", 2)]))
    ['a', 'b', 'c']
    """
    return {node for source, target, _ in history for node in (source, target)}


def encode_queries(
    history: list[Event],
    values: list[Any] | None,
    queries: tuple[list[Any], list[Any]],
    reading: EventReading,
    features: WindowFeatures,
) -> Encoding:
    """Return a row per query, in the columns of --vocabulary if it is given; `values` are types or weights."""
    # Imported here, because other commands do not need scikit-learn.
    from egonet.temporal.temporal_encoder import TemporalEncoder

    closed: Any = features.closed
    directed: Any = reading.directed
    encoder = TemporalEncoder(
        history,
        features.settings(),
        as_length(features.window, history),
        closed=closed,
        directed=directed,
        labels=read_labels(features.labels, nodes_of(history)),
        edge_labels=None if features.edge_labels is None else values,
        weights=None if features.weights is None else values,
        n_jobs=features.threads,
    )
    asked = list(zip(*queries, strict=True))
    if features.vocabulary is None:
        encoder.fit(asked)
    else:
        encoder.vocabulary_ = Vocabulary.load(features.vocabulary)
    return encoder.encode(asked)


def as_length(window: str | None, history: list[Event]) -> Any:
    """Return a window as a number if times are numbers.

    >>> as_length("30", [("a", "b", 5)]), as_length("30d", [("a", "b", "2024-01-31")])
    (30, '30d')
    """
    if window is None or not history or not isinstance(history[0][2], int | float):
        return window
    try:
        return int(window) if window.strip().isdigit() else float(window)
    except ValueError:
        return window  # TemporalEncoder raises the error


def print_queries(encoding: Encoding, times: list[Any]) -> None:
    """Print the first rows as a table: node, time, and how many nodes have each key."""
    print_first_rows(
        ("node", "time", "count×(distance, degree)"),
        len(encoding),
        lambda row: (encoding.nodes[row], times[row], counts_in(encoding.source.row(row))),
    )

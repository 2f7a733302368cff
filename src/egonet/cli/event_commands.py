"""The commands `egonet temporal` (nodes as of a time) and `egonet events` (a row per event), from tables of events."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args

import numpy as np
import typer

from egonet.checks import as_argument, format_count, one_of
from egonet.cli.options import (
    FEATURES,
    INPUT,
    OUTPUT,
    TIME_FORMAT,
    EdgeColumns,
    LabelColumns,
    LogBins,
    MaxDegree,
    NodeLabels,
    Radius,
    Threads,
    choice,
    command,
    option,
    output_option,
    parse_radius,
    switch,
)
from egonet.cli.output import Printing, counts_in, print_first_rows, print_json
from egonet.cli.table_files import check_written, choose_column, read_columns, read_labels, write_columns
from egonet.encoding.encoding import Encoding
from egonet.encoding.header import METADATA, pack_text
from egonet.encoding.matrix import Weighting
from egonet.encoding.request import as_vocabulary
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import FileError, InputError, OutputError, rename_options
from egonet.errors import option as marked
from egonet.graph.columns import EDGE_ROLES, CountedColumn, exact_number
from egonet.graph.input_options import choose_columns, is_number
from egonet.io.files import check_folder, reserved
from egonet.kernel.reference_events import Group, Order
from egonet.tables.events import Late, Missing
from egonet.tables.schemas import is_id_column
from egonet.tables.table import Table
from egonet.tables.times import Closed, as_times
from egonet.typing import Counted, Degrees

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


#: The help of --delimiter and --ids.
DELIMITER = "The character between the fields of text; without it a comma, or a tab in .tsv."
TEXT_IDS = "Read all ids as text, also those that are numbers."


@dataclass(frozen=True)
class EventReading(LabelColumns):
    """The columns of both tables, by name or by position from 1."""

    source: Annotated[str | None, option(INPUT, "The column of one end of each event.")] = None
    target: Annotated[str | None, option(INPUT, "The column of the other end.")] = None
    time: Annotated[str, option(INPUT, "The column of the time, in both tables.")] = "time"
    node: Annotated[str | None, option(INPUT, "The column of the node in the queries: node or id.")] = None
    time_format: Annotated[str | None, option(INPUT, TIME_FORMAT)] = None
    header: Annotated[
        bool | None,
        option(INPUT, "Whether the first line of each table has column names.", "--header/--no-header"),
    ] = None
    delimiter: Annotated[str | None, option(INPUT, DELIMITER)] = None
    queries_time: Annotated[
        str | None, option(INPUT, "The column of the time in the queries, if it differs from --time.")
    ] = None
    queries_header: Annotated[
        bool | None,
        option(
            INPUT,
            "--header of the queries, if it differs from that of the events.",
            "--queries-header/--no-queries-header",
        ),
    ] = None
    queries_delimiter: Annotated[
        str | None, option(INPUT, "--delimiter of the queries, if it differs from that of the events.")
    ] = None
    missing: Annotated[
        str | None,
        choice(INPUT, "--missing", ("drop",), "Leave out rows with an empty id, time, type or weight."),
    ] = None
    ids: Annotated[str | None, choice(INPUT, "--ids", ("text",), TEXT_IDS)] = None
    directed: Annotated[str | None, choice(INPUT, "--directed", ("out", "in"), "Follow events that way.")] = (
        None
    )

    def of_queries(self) -> "EventReading":
        """Return how the queries are read: as the events, except for what is given."""
        others = {name: getattr(self, f"queries_{name}") for name in ("time", "header", "delimiter")}
        return replace(self, **{name: value for name, value in others.items() if value is not None})

    def read(self, path: Path, what: str) -> Table:
        """Return the columns of one of the two tables."""
        options: Any = {"delimiter": self.delimiter, "ids": self.ids}
        return read_columns(path, what, header=partial(names_columns, str(path), self), **options)

    def complete(self, table: Table, *names: str | None) -> Table:
        """Return a table without rows that have no value in some columns, if --missing drops them."""
        return table.complete([name for name in names if name is not None]) if self.missing else table


@dataclass(frozen=True)
class WindowFeatures(EdgeColumns):
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
    degrees: Annotated[str, choice(FEATURES, "--degrees", get_args(Degrees), "How degrees are counted.")] = (
        "total"
    )
    count: Annotated[
        str,
        choice(FEATURES, "--count", get_args(Counted), "Whether degrees count partners or events with them."),
    ] = "nodes"
    degree_bins: LogBins = None
    max_degree: MaxDegree = None
    labels: NodeLabels = None
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
        format_count: Any = {
            name: getattr(self, name) for name in ("degrees", "count", "degree_bins", "max_degree")
        }
        format_count |= self.bins()
        if self.vocabulary is None:
            return Settings(parse_radius(self.radius), **format_count)
        plain = Settings(2)
        if self.radius is not None or any(
            value != getattr(plain, name) for name, value in format_count.items()
        ):
            raise InputError("--vocabulary has its own settings. Leave the other options of features out.")
        return self.columns().settings

    def columns(self) -> Vocabulary:
        """Return the columns of --vocabulary, which must be those of nodes."""
        learned = as_vocabulary(self.vocabulary)
        assert learned is not None  # the callers have checked it
        return learned


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
    if output is None and features.weighting != "count":
        raise InputError(
            "--weighting is about a table that is written. Add -o features.parquet, or leave it out."
        )
    with reserved(path, save, inputs=[events, queries, features.vocabulary, features.labels]):
        if save is not None and save.suffix != ".json":
            raise InputError(f"--save-vocabulary writes a .json file, got {save.name!r}.")
        with printing.progress("reading", path=events):
            history, values = read_history(events, reading, features)
            with named_queries():
                asked = read_queries(queries, reading.of_queries(), history)
            nodes, times = asked
        with printing.progress("encoding"):
            encoding = encode_queries(history, values, asked, reading, features)
        if output is not None:
            with printing.writing(output):
                dense = encoding.to_dense(features.weighting)  # type: ignore[arg-type]
                columns = dict(zip(encoding.feature_names, dense.T, strict=True))
                header = {METADATA: pack_text(encoding.vocabulary).encode()}
                write_columns({"node": nodes, reading.time: times} | columns, path, metadata=header)
        if save is not None:
            encoding.vocabulary.save(save)
    seconds = time.perf_counter() - began
    facts = {"num_events": len(history), "num_rows": len(encoding), "num_columns": len(encoding.vocabulary)}
    if printing.as_json:
        print_json(facts | {"output": output, "seconds": round(seconds, 3)})
    elif output is None:
        print_queries(encoding, times)
    size = f"{format_count(len(encoding), 'row')}, {format_count(len(encoding.vocabulary), 'column')}"
    printing.say(f"{size}, {seconds:.1f} s; {encoding.unseen}")


def read_history(
    path: Path, reading: EventReading, features: WindowFeatures
) -> tuple[list[Event], list[Any] | None]:
    """Return the events of a table in order of time, and their types or weights.

    Rows as of a time do not depend on the order of a file.
    """
    table = reading.read(path, "a table of events")
    time_name = reading.time
    if not table.has_header and time_name == "time":
        time_name = "3"
    time_name = name_column(table, time_name, "--time")
    roles = {name: column for name, column in features.edges().items() if column is not None}
    if len(roles) > 1:
        raise InputError(f"{' and '.join(map(switch, roles))} exclude each other. Leave one out.")
    column: str | None = None
    for role, text in roles.items():
        column = name_column(table, text, switch(role))
    others = [name for name in table.columns if name not in (time_name, column)]
    ends: list[str | None] = [
        None if end is None else name_column(table, end, f"--{role}")
        for role, end in (("source", reading.source), ("target", reading.target))
    ]
    if not table.has_header and ends == [None, None]:
        ends = list(others[:2])
    check_ends(ends, {"--time": time_name} | {switch(role): str(column) for role in roles})
    source, target = choose_columns(others, *ends)
    table = reading.complete(table, source, target, time_name, column)
    times = times_in(table, time_name, reading)
    values: list[Any] | None = None
    for role in roles:
        assert column is not None
        values = table.numbers(column) if EDGE_ROLES[role].is_number else table.labels(column)
    ids = table.ids(source, target)
    events = list(zip(ids[0::2], ids[1::2], times, strict=True))
    order = np.argsort(as_times(times, "event", reading.time_format).values, kind="stable").tolist()
    return [events[row] for row in order], None if values is None else [values[row] for row in order]


def read_queries(path: Path, reading: EventReading, history: list[Event]) -> tuple[list[Any], list[Any]]:
    """Return the nodes and the times of a table; the nodes have the type that they have in the events."""
    table = reading.read(path, "a table of queries")
    if not table.has_header:
        if len(table.columns) != 2:
            raise InputError(
                f"{table.name} must have two columns, a node and a time, if there is no header, got "
                f"{len(table.columns)}. Add a header, or {marked('header', True)} if it has one."
            )
        node = name_column(table, reading.node or "1", "--node")
        (moment,) = set(table.columns) - {node}
        table = reading.complete(table, node, moment)
        return table.known_ids(node, nodes_of(history)), times_in(table, moment, reading)
    id_names = [name for name in table.columns if is_id_column(name)]
    if reading.node is None and len(id_names) != 1:
        raise InputError(
            f"which column of {table.name} has the nodes? Set --node; there are {', '.join(table.columns)}. If the "
            f"first line is data, add {marked('header', False)}."
        )
    node = name_column(table, reading.node or id_names[0], "--node")
    moment = name_column(table, reading.time, "--queries-time")
    table = reading.complete(table, node, moment)
    return table.known_ids(node, nodes_of(history)), times_in(table, moment, reading)


def check_ends(ends: list[str | None], others: dict[str, str]) -> None:
    """Raise if an end of the events is a column that another option names, too.

    >>> check_ends(["payer", None], {"--time": "payer"})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: --source and --time must be two columns, got 'payer' for both.
    """
    for end, name in zip(("--source", "--target"), ends, strict=True):
        twice = next((other for other, taken in others.items() if taken == name), None)
        if twice is not None:
            raise InputError(f"{end} and {twice} must be two columns, got {name!r} for both.")


def times_in(table: Table, name: str, reading: EventReading) -> list[Any]:
    """Return a column of times; those with a format stay text, also if all of them are digits."""
    return table.moments(name) if reading.time_format is None else table.fields(name)


def name_column(table: Table, name: str, switch: str) -> str:
    """Return the name of a column, given by name or position from 1; "time" is found in capitals too."""
    same = [each for each in table.names if each.lower() == name] if name == "time" else []
    return same[0] if len(same) == 1 else choose_column(table, name, switch)


def names_columns(name: str, reading: "EventReading | PaymentReading", first: list[str]) -> bool:
    """Return whether the first line of a table has names: as --header says, or if it has no time where --time is.

    Two columns may be queries, a node and a time in any order.

    >>> names_columns("a.csv", EventReading(time="3"), ["a", "b", "2024-05-01"])
    False
    """
    if reading.header is not None:
        return reading.header
    position = CountedColumn(reading.time).position
    if position is None:
        return True
    if first in ([*map(str, range(len(first)))], [*map(str, range(1, len(first) + 1))]):
        raise FileError(
            f"{name}: the first line ({', '.join(first[:4])}) may number the columns or be data. Set "
            f"{marked('header', True)} or {marked('header', False)}."
        )
    fields = first if len(first) == 2 else first[position : position + 1]
    return not any(is_time(field, reading.time_format) for field in fields)


def is_time(text: str, time_format: str | None) -> bool:
    """Return whether a text is a number, a date, or a time of a format."""
    if is_number(text):
        return True
    try:
        as_times([text], "row", time_format)
    except InputError:
        return False
    return True


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
    from egonet.sklearn.temporal import TemporalEncoder

    closed: Any = features.closed
    directed: Any = reading.directed
    edges: Any = {role: values for role, column in features.edges().items() if column is not None}
    encoder = TemporalEncoder(
        history,
        features.settings(),
        as_length(features.window, history),
        closed=closed,
        directed=directed,
        time_format=reading.time_format,
        labels=read_labels(features.labels, nodes_of(history), reading),
        n_jobs=features.threads,
        **edges,
    )
    asked = list(zip(*queries, strict=True))
    if features.vocabulary is None:
        encoder.fit(asked)
    else:
        encoder.vocabulary_ = features.columns()
    return encoder.encode(asked)


def as_length(window: str | None, history: list[Event]) -> Any:
    """Return a window as a number if times are numbers.

    >>> as_length("30", [("a", "b", 5)]), as_length("30d", [("a", "b", "2024-01-31")])
    (30, '30d')
    """
    if window is None or not history or not isinstance(history[0][2], int | float):
        return window
    try:
        return exact_length(window)
    except InputError:
        raise
    except ValueError:
        return window  # TemporalEncoder raises the error


def print_queries(encoding: Encoding, times: list[Any]) -> None:
    """Print the first rows as a table: node, time, and how many nodes have each key."""
    print_first_rows(
        ("node", "time", "count×(distance, degree)"),
        len(encoding),
        lambda row: (encoding.nodes[row], times[row], counts_in(encoding.source.row(row))),
    )


#: The file inside a folder of --save-state.
STATE_FILE = "events.npz"


@dataclass(frozen=True)
class PaymentReading:
    """The columns of a table of events, by name or by position from 1."""

    source: Annotated[
        str | None, option(INPUT, "The column of the source of each event, such as the payer.")
    ] = None
    target: Annotated[str | None, option(INPUT, "The column of the target, such as the payee.")] = None
    time: Annotated[str, option(INPUT, "The column of the time.")] = "time"
    amount: Annotated[str | None, option(INPUT, "The column of the amount.")] = None
    types: Annotated[str | None, option(INPUT, "The column of the type of event.")] = None
    keep: Annotated[
        str | None, option(INPUT, "The column that is false for events that no later row counts.")
    ] = None
    time_format: Annotated[str | None, option(INPUT, TIME_FORMAT)] = None
    header: Annotated[
        bool | None, option(INPUT, "Whether the first line has column names.", "--header/--no-header")
    ] = None
    late: Annotated[
        str,
        choice(
            INPUT, "--late", get_args(Late), "Events that are earlier than one before: sort them by time, ..."
        ),
    ] = "sort"
    missing: Annotated[
        str, choice(INPUT, "--missing", get_args(Missing), "Rows with an empty id, time, amount or type.")
    ] = "error"
    delimiter: Annotated[str | None, option(INPUT, DELIMITER)] = None
    ids: Annotated[str | None, choice(INPUT, "--ids", ("text",), TEXT_IDS)] = None
    repeated: Annotated[
        bool,
        option(INPUT, "Take events that equal the last ones of --state: they happened again.", "--repeated"),
    ] = False


@dataclass(frozen=True)
class EventFeatures:
    """What is counted for every event, and where it goes."""

    windows: Annotated[
        str | None,
        option(
            FEATURES, "How long events count: 1d,7d,30d for dates, numbers for numbers, all for no limit."
        ),
    ] = None
    groups: Annotated[
        str | None, option(FEATURES, "Groups of columns: ends,pair,ego (the default) and cycles.")
    ] = None
    radius: Annotated[
        int | None, option(FEATURES, "The outermost ring of the group ego.", show_default="1")
    ] = None
    order: Annotated[
        str | None,
        choice(
            FEATURES, "--order", get_args(Order), "time: events of one moment do not count for each other."
        ),
    ] = None
    own: Annotated[bool, option(FEATURES, "Count the event itself.", "--own/--without-own")] = True
    cycle_length: Annotated[
        int | None, option(FEATURES, "The longest cycle of the group cycles.", show_default="4")
    ] = None
    state: Annotated[
        Path | None, option(FEATURES, "Continue the history and use the columns that --save-state wrote.")
    ] = None
    save_state: Annotated[
        Path | None, option(OUTPUT, "Write the history after these events to this folder or .npz file.")
    ] = None
    output: Annotated[str | None, output_option(".parquet .arrow .csv", "rows")] = None

    def settings(self) -> dict[str, Any]:
        """Return the options of features that are given, as parameters of `EventEncoder`."""
        settings: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("radius", "order", "cycle_length")
            if getattr(self, name) is not None
        }
        if self.windows is not None:
            settings["windows"] = tuple(parse_length(part) for part in self.windows.split(","))
        if self.groups is not None:
            groups = tuple(part.strip() for part in self.groups.split(","))
            for group in groups:
                one_of("--groups", group, get_args(Group))
            settings["groups"] = groups
        used = settings.get("groups", ("ends", "pair", "ego"))
        for name, group in (("radius", "ego"), ("cycle_length", "cycles")):
            if name in settings and group not in used:
                more = ",".join([*used, group])
                raise InputError(f"{switch(name)} is for the group {group}. Add it: --groups {more}.")
        return settings if self.own else settings | {"own": False}


@command(
    "egonet events payments.csv --source payer --target payee --time when --amount amount -o features.parquet",
    "egonet events january.csv --amount amount --windows 1d,7d,all -o january.parquet --save-state state",
    "egonet events february.csv --state state -o february.parquet --save-state state",
)
def events(events: EventsPath, reading: PaymentReading, features: EventFeatures, printing: Printing) -> None:
    """Write a row of features per event (payment, login, message), as of that event."""
    # Imported here, because other commands do not need scikit-learn.
    from egonet.sklearn.events import EventEncoder

    output = features.output
    path = None if output in (None, "-") else Path(str(output))
    if path is not None:
        check_written(path)
    began = time.perf_counter()
    state = None if features.state is None else state_file(features.state)
    save = None if features.save_state is None else state_file(features.save_state)
    with made_folder(features.save_state, save), reserved(path, save, inputs=[events]):
        with printing.progress("reading", path=events):
            table = read_columns(
                events,
                "a table of events",
                header=partial(names_columns, str(events), reading),
                delimiter=reading.delimiter,
            )
        rules: Any = {"late": reading.late, "missing": reading.missing, "ids": reading.ids}
        if state is None:
            columns = chosen_columns(table, reading, {})
            encoder = EventEncoder(**columns, **rules, **features.settings(), time_format=reading.time_format)
        else:
            encoder = EventEncoder.open(state)
            continue_state(encoder, table, reading, features)
        with printing.progress("encoding"), named_windows():
            rows = (
                encoder.transform(table)
                if state is not None and save is None
                else encoder.partial_fit_transform(table)
            )
        names = encoder.get_feature_names_out().tolist()
        ends = [encoder.source, encoder.target, encoder.time]
        if output is not None:
            with printing.writing(output):
                end_columns = {name: table.fields(name) for name in ends}
                write_columns(end_columns | dict(zip(names, rows.T, strict=True)), path)
        if save is not None:
            encoder.save(save)
    seconds = time.perf_counter() - began
    facts = {"num_rows": len(rows), "num_columns": len(names), "num_events": encoder.history_.num_events}
    if printing.as_json:
        print_json(facts | {"output": output, "seconds": round(seconds, 3)})
    elif output is None:
        shown = [place for place, name in enumerate(names) if "_events_" in name][:4]
        print_first_rows(
            (*map(str, ends), *(names[place] for place in shown)),
            len(rows),
            lambda row: (
                *(table.columns[name][row] for name in ends),
                *(f"{rows[row, place]:g}" for place in shown),
            ),
        )
    printing.say(f"{format_count(len(rows), 'row')}, {format_count(len(names), 'column')}, {seconds:.1f} s")


@contextmanager
def named_queries() -> Iterator[None]:
    """Let errors about the table of queries name its options."""
    try:
        yield
    except InputError as error:
        text = rename_options(error.marked, {"delimiter": "queries_delimiter", "header": "queries_header"})
        raise type(error)(text) from error


@contextmanager
def named_windows() -> Iterator[None]:
    """Let errors about one window name --windows."""
    try:
        yield
    except InputError as error:
        text = error.marked.replace(as_argument("window"), as_argument("windows"))
        raise type(error)(rename_options(text, {"window": "windows"})) from error


def state_file(path: Path) -> Path:
    """Return the file of a state: a path that ends in .npz, or a file inside a folder.

    >>> state_file(Path("state.npz")).name, state_file(Path("state")).name
    ('state.npz', 'events.npz')
    """
    return path if path.suffix == ".npz" else path / STATE_FILE


@contextmanager
def made_folder(folder: Path | None, save: Path | None) -> Iterator[None]:
    """Make the folder of --save-state, and remove it again if the command fails."""
    if folder is None or save == folder or folder.is_dir():
        yield
        return
    if folder.exists():
        raise OutputError(f"{folder} is a file. Give --save-state a folder or a path that ends in .npz.")
    check_folder(folder)
    folder.mkdir()
    try:
        yield
    except BaseException:
        with suppress(OSError):
            folder.rmdir()
        raise


def parse_length(text: str) -> Any:
    """Return a window: None for all, a number, or a duration.

    >>> parse_length("all"), parse_length("30"), parse_length(" 7d")
    (None, 30, '7d')
    """
    plain = text.strip()
    if plain in ("all", "none"):
        return None
    try:
        return exact_length(plain)
    except InputError:
        raise
    except ValueError:
        return plain


def exact_length(text: str) -> int | float:
    """Return a number in text; raise if a float would round it.

    >>> exact_length("30"), exact_length("1.5"), exact_length("9007199254740993")
    (30, 1.5, 9007199254740993)
    """
    plain = text.strip()
    number = int(plain) if plain.isdigit() else exact_number(plain)
    if isinstance(number, Decimal):
        raise InputError(f"a window beyond 2**53 must be a whole number, got {plain}. Round it.")
    return number


def chosen_columns(table: Table, reading: PaymentReading, roles: dict[str, Any]) -> dict[str, Any]:
    """Return the names of the columns: those that are given, by name or position from 1, and those that are known."""
    names = list(table.columns)
    plain = PaymentReading()
    chosen: dict[str, Any] = {}
    for role in ("time", "amount", "types", "keep", "source", "target"):
        value = getattr(reading, role)
        value = roles.get(role) if value == getattr(plain, role) and roles.get(role) is not None else value
        if role == "time" and not table.has_header and value == plain.time:
            value = "3"
        if value is not None:
            chosen[role] = name_column(table, value, f"--{role}")
    ends = [chosen.pop("source", None), chosen.pop("target", None)]
    check_ends(ends, {switch(role): name for role, name in chosen.items()})
    others = [name for name in names if name not in chosen.values()]
    if not table.has_header and ends == [None, None]:
        ends = list(others[:2])
    chosen["source"], chosen["target"] = choose_columns(others, *ends)
    return chosen


def continue_state(encoder: Any, table: Table, reading: PaymentReading, features: EventFeatures) -> None:
    """Let an encoder with a history read another table: its columns have the same names unless others are given."""
    if features.settings():
        raise InputError("--state has its own features. Leave the options of features out.")
    roles = {role: getattr(encoder, role) for role in ("source", "target", "time", "amount", "types", "keep")}
    for role in ("amount", "types"):
        if roles[role] is None and getattr(reading, role) is not None:
            raise InputError(f"the state has no {role}. Leave --{role} out, or make a new state.")
    rules: Any = {"late": reading.late, "missing": reading.missing, "ids": reading.ids or encoder.ids}
    time_format = encoder.time_format if reading.time_format is None else reading.time_format
    columns = chosen_columns(table, reading, roles)
    encoder.set_params(**columns, **rules, time_format=time_format)
    encoder.history_.options = replace(encoder.history_.options, **rules)
    encoder.history_.rejects_repeats = not reading.repeated

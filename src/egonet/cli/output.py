"""What commands print: tables and JSON to stdout, progress and messages to stderr."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from egonet import Settings
from egonet.checks import format_count
from egonet.cli.options import AsJson, Quiet, Tables
from egonet.cli.table_files import table_stream
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import Written, default_form, write_csv
from egonet.errors import printable
from egonet.graph.graph import Graph
from egonet.kernel.cost import predict

PREVIEW_ROWS = 10
#: Seconds before a phase is reported, between two rewrites of its line on a terminal, and between lines elsewhere.
QUIET_SECONDS, REWRITE_SECONDS, LINE_SECONDS = 2.0, 0.5, 10.0
#: Slow functions and the text that the progress line shows while they run.
STEPS = {
    "_spool": "reading",
    "number_ids": "numbering the nodes",
    "adjacency": "sorting the edges",
    "sorted_ranges": "sorting the edges",
    "rows_per_block": "planning",
    "_orient_edges": "sorting the edges by degree",
    "_find_triangles": "finding triangles",
    "_at_both_ends": "sorting the triangles",
    "encode_rows": "counting",
    "write_block": "writing",
    "wide_table": "making columns",
    "write_row_groups": "writing",
    "seal_folder": "checksums",
    "check_folder": "checksums",
}
#: Reading this many arcs takes a few seconds at most; the cost of more work is predicted.
SHORT_ARCS = 1e9


@dataclass(frozen=True)
class Printing:
    """What a command prints besides its result."""

    as_json: AsJson = False
    quiet: Quiet = False

    def say(self, text: str) -> None:
        """Print a message to stderr, unless --quiet or --json is given."""
        if not (self.quiet or self.as_json):
            typer.echo(escape_text(text), err=True)

    @contextmanager
    def progress(
        self, what: str, *, path: Path | None = None, unit: str = "nodes"
    ) -> Iterator[Callable[[int, int], None]]:
        """Yield a callback for (done, total) of a unit; a phase of more than two seconds is a line on stderr.

        A thread writes the line. Until the first call it shows how much of the file `path` has been read.
        """
        latest = [(0, 0, unit)]

        def report(done: int, total: int) -> None:
            latest[0] = (done, total, unit)

        over = threading.Event()
        name = what if path is None else f"{what} {path.name}"
        worker = threading.get_ident()
        ticker = threading.Thread(target=show_progress, args=(name, latest, path, over, worker), daemon=True)
        if not self.quiet:
            ticker.start()
        try:
            yield report
        finally:
            over.set()
            if not self.quiet:
                ticker.join()

    def writing(self, output: str | Path | None) -> AbstractContextManager[Any]:
        """Return the progress of writing a table to a file or, for "-", to stdout; a terminal shows rows instead."""
        if output is None or (str(output) == "-" and sys.stdout.isatty()):
            return nullcontext()
        return self.progress("writing" if str(output) == "-" else f"writing {Path(output).name}")


def show_progress(
    name: str, latest: list[tuple[int, int, str]], path: Path | None, over: threading.Event, worker: int
) -> None:
    """Write the progress of a phase to stderr until it is over: rewrite one line on a terminal, else add lines.

    The line has the current step of the thread `worker`.
    """
    began = last = time.monotonic()
    start: tuple[float, int, str] | None = None
    is_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    wait = QUIET_SECONDS
    with suppress(OSError, ValueError):  # stderr is closed
        while not over.wait(wait):
            wait = REWRITE_SECONDS if is_terminal else LINE_SECONDS
            now, (done, total, unit) = time.monotonic(), latest[0]
            if not total and path is not None:
                done, total, unit = bytes_read(path)
            if start is None or start[2] != unit:  # a resumed run does not start at 0
                start, rate = (now, done, unit), done / (now - last)
            else:
                rate = (done - start[1]) / (now - start[0])
            last = now
            text = progress_text(done, total, unit, rate, now - began)
            step = current_step(sys._current_frames().get(worker))
            line = f"{name}{', ' * bool(step)}{step}: {text}"
            sys.stderr.write(f"\r{line}\x1b[K" if is_terminal else f"{line}\n")
            sys.stderr.flush()
        if is_terminal and start:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def progress_text(done: int, total: int, unit: str, rate: float, seconds: float) -> str:
    """Return the progress, the rate and the time left; or the time so far, if nothing else is known.

    >>> progress_text(300, 1000, "nodes", 50.0, 6.0)
    '300 of 1,000 nodes, 50/s, 14 s left'
    >>> progress_text(0, 0, "bytes", 0.0, 6.0), progress_text(99, 99, "bytes", 5.0, 6.0)
    ('6 s', '6 s')
    """
    is_next_step = done >= total if unit == "bytes" else not done
    # After reading, edges are sorted; before the first row, triangles are found. Neither has a number to show.
    if not total or is_next_step:
        return f"{seconds:,.0f} s"
    left = f", {(total - done) / rate:,.0f} s left" if rate > 0 else ""
    return f"{done:,} of {total:,} {unit}, {rate:,.0f}/s{left}"


def current_step(frame: FrameType | None) -> str:
    """Return the text of the outermost function of `STEPS` that a thread runs; "" if none.

    >>> def number_ids():
    ...     return current_step(sys._getframe())
    >>> number_ids(), current_step(None)
    ('numbering the nodes', '')
    """
    step = ""
    while frame is not None:
        step = STEPS.get(frame.f_code.co_name, step)
        frame = frame.f_back
    return step


def bytes_read(path: Path) -> tuple[int, int, str]:
    """Return how much of a file this process has read, its size, and the unit; zeros if that is not known."""
    with suppress(OSError, ValueError):
        wanted = path.stat()
        for descriptor in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                if os.path.samestat(descriptor.stat(), wanted):
                    position = Path(f"/proc/self/fdinfo/{descriptor.name}").read_text().split()[1]
                    return int(position), wanted.st_size, "bytes"
    return 0, 0, "bytes"


def print_plan(graph: Graph, settings: Settings, printing: Printing) -> None:
    """Print to stderr what a long run will cost; say nothing about a short one."""
    for radius in settings.radius:
        if not may_take_long(graph, radius):
            continue
        plan = predict(
            graph.indptr, graph.indices, radius, degrees=settings.degrees, symmetric=graph.directed is None
        )
        if plan.seconds > QUIET_SECONDS:
            printing.say(f"radius {radius}, {plan}")


def may_take_long(graph: Graph, radius: int) -> bool:
    """Return whether all searches together might read more than `SHORT_ARCS` arcs, from the degrees alone.

    A path is short at any radius that a user might choose; a star of 40,000 leaves is not at radius 2.

    >>> import egonet
    >>> may_take_long(egonet.named.path(1000), 2), may_take_long(egonet.named.star(40_000), 2)
    (False, True)
    """
    degrees = graph.degrees.astype(np.float64)
    walks = float((degrees**2).sum()) * float(degrees.max(initial=0)) ** min(max(radius - 1, 0), 20)
    return min(walks, float(graph.num_nodes) * len(graph.indices)) > SHORT_ARCS


@contextmanager
def resumable() -> Iterator[None]:
    """Say how to resume if the run is stopped."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stop:
        stop.add_note("Run the same command again to resume.")
        raise


def encoding_facts(encoding: Encoding, graph: Graph, output: str | None, seconds: float) -> dict[str, Any]:
    """Return what was done, for --json."""
    settings = encoding.vocabulary.settings
    return {
        "graph": {"num_nodes": graph.num_nodes, "num_edges": graph.num_edges, "changes": str(graph.info)},
        "encoding": {
            "num_rows": len(encoding),
            "num_columns": len(encoding.vocabulary),
            "num_entries": int(encoding.matrix.nnz),
            "num_classes": int(encoding.classes.max(initial=-1)) + 1,
            "radius": settings.radius,
            "degrees": settings.degrees,
            "unseen": {"clipped": encoding.unseen.clipped, "dropped": encoding.unseen.dropped},
        },
        "output": output,
        "seconds": round(seconds, 3),
    }


def print_encoding(
    encoding: Encoding,
    graph: Graph,
    output: str | None,
    seconds: float,
    tables: Tables,
    printing: Printing,
    *,
    degree_rank: bool = False,
) -> None:
    """Print what was done to stderr, and to stdout the table itself or its first rows."""
    printing.say(size_text(graph))
    if encoding.unseen.num_rows:
        printing.say(f"Note: {encoding.unseen}.")
    num_rows, num_columns = encoding.matrix.shape
    num_entries = encoding.matrix.nnz
    if degree_rank:  # a rank is above zero
        num_columns, num_entries = num_columns + 1, num_entries + num_rows
    entries = f"{num_entries:,} {'entry' if num_entries == 1 else 'entries'}"
    size = f"{format_count(num_rows, 'row')}, {format_count(num_columns, 'column')}, {entries}"
    if output == "-":
        print_csv(encoding, tables.weighting, degree_rank=degree_rank)
    elif output is None:
        print_rows(encoding, list(range(min(PREVIEW_ROWS, num_rows))))
        printing.say(f"{size}. Add -o features.parquet to write them.")
    else:
        are_lists = tables.form is None and default_form(encoding) == "sparse"
        lists = are_lists and output.endswith((".parquet", ".arrow"))
        note = ", as lists (--form wide for a column each)" if lists else ""
        printing.say(f"Wrote {output}: {size}{note}, in {seconds:.2f} s.")


def size_text(graph: Graph) -> str:
    """Return the size of a graph and what reading it changed; of an empty one nothing could change.

    >>> import egonet
    >>> size_text(egonet.named.path(2)), size_text(egonet.Graph.from_edges([]))
    ('2 nodes, 1 edge; nothing changed.', 'The graph has no nodes.')
    """
    if not graph.num_nodes:
        return "The graph has no nodes."
    return f"{format_count(graph.num_nodes, 'node')}, {format_count(graph.num_edges, 'edge')}; {graph.info}."


def print_csv(encoding: Encoding, weighting: Any, *, degree_rank: bool = False) -> None:
    """Print a wide table to stdout: the bytes of a .csv file; on a terminal, control characters are escaped."""
    write_csv(encoding, table_stream(), Written(weighting, degree_rank=degree_rank))


def print_rows(encoding: Encoding, rows: list[int]) -> None:
    """Print some rows as a table: the node, its class, and its counts ring by ring."""
    settings = encoding.vocabulary.settings
    several = len(settings.radius) > 1
    keys = encoding.vocabulary.keys
    spans = [slice(*encoding.matrix.indptr[[row, row + 1]].tolist()) for row in rows]
    met = {
        (int(keys[column, 0]), int(keys[column, 1]))
        for span in spans
        for column in encoding.matrix.indices[span].tolist()
        if column < len(keys)
    }
    near = {(radius, distance) for radius in settings.radius for distance in range(min(radius, 2) + 1)}
    blocks = sorted(met | near) if settings.rooted == "node" else []  # far rings are mostly empty
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("node")
    table.add_column("class", justify="right")
    for radius, distance in blocks:
        table.add_column(f"r{radius} distance {distance}" if several else f"distance {distance}")
    if settings.is_nested:
        table.add_column(
            "common neighbors"
            if settings.common
            else "colorings"
            if settings.rooted == "refined"
            else f"{settings.rooted}s"
        )
    for row, part in zip(rows, spans, strict=True):
        cells: dict[tuple[int, int], list[str]] = {block: [] for block in blocks}
        nested: list[str] = []
        for column, count in zip(
            encoding.matrix.indices[part].tolist(), encoding.matrix.data[part].tolist(), strict=True
        ):
            if column >= len(keys):
                nested.append(f"{count}×{encoding.vocabulary.name(column)}")
                continue
            degree = "/".join(map(str, encoding.vocabulary.column(column)[1 + several :]))
            cells[keys[column, 0], keys[column, 1]].append(f"{count}×{degree}")
        shown = [shorten(cells[block]) for block in blocks]
        if settings.is_nested:
            shown.append(shorten(nested, limit=3))
        node = str(encoding.nodes[row])
        table.add_row(as_cell(node), str(encoding.classes[row]), *map(as_cell, shown))
    Console().print(table)
    meaning = "3×4 means three nodes of degree 4 at that distance, inside the ego-network."
    if settings.count == "edges":
        meaning = (
            "3×1/4/2 means three edges to distance 1, between ends of degrees 4 and 2 inside the ego-network."
        )
    Console().print(Text(meaning, style="dim"))


def print_first_rows(names: tuple[str, ...], num_rows: int, row_of: Callable[[int], tuple[Any, ...]]) -> None:
    """Print the first rows as a table: `row_of` returns the cells of a row; of a list the first items are shown."""
    table = Table(show_edge=False, pad_edge=False)
    for name in names:
        table.add_column(as_cell(name))
    for row in range(min(num_rows, PREVIEW_ROWS)):
        cells = [shorten(cell) if isinstance(cell, list) else str(cell) for cell in row_of(row)]
        table.add_row(*map(as_cell, cells))
    Console().print(table)


def as_cell(text: str) -> Text:
    """Return text for a table: as it is, without markup, and with unprintable characters escaped."""
    return Text(escape_text(text))


def counts_in(row: Mapping[tuple[Any, ...], int]) -> list[str]:
    """Return the counts of a row for a table.

    >>> counts_in({(0, 2): 1, (1, 1): 3})
    ['1×(0, 2)', '3×(1, 1)']
    """
    return [f"{count}×({', '.join(map(str, key))})" for key, count in row.items()]


def shorten(items: list[str], limit: int = 8) -> str:
    """Return the first items, and how many more there are."""
    more = f" … {len(items) - limit:,} more" if len(items) > limit else ""
    return "  ".join(items[:limit]) + more


def print_result(facts: dict[str, Any], text: object, printing: Printing) -> None:
    """Print a result as JSON or as text."""
    if printing.as_json:
        print_json(facts)
    else:
        typer.echo(escape_text(str(text)))


def print_json(value: Any) -> None:
    """Print one JSON object, with characters escaped that stdout cannot print."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not is_utf8, default=str)
    typer.echo("".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text))


def escape_text(text: str) -> str:
    """Return text with every unprintable character but tabs and line ends escaped, so that a terminal does not obey it.

    >>> print(escape_text("a" + chr(27) + "[31mb"))
    a\\x1b[31mb
    """
    return text if text.isprintable() else "".join(c if c in "\n\t" else printable(c) for c in text)

"""What commands print: tables and JSON to stdout, progress and remarks to stderr."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from egonet.encoding.encoding import Encoding
from egonet.encoding.export import Form, default_form, write_csv
from egonet.graph.graph import Graph
from egonet.graph.ids import printable
from egonet.kernel.cost import predict
from egonet.kernel.native import Progress as Report

PREVIEW_ROWS = 10
_QUIET_SECONDS = 2.0
_LINE_SECONDS = 10.0
#: Reading as many arcs takes a few seconds at most; only above it is it worth a prediction.
SHORT_ARCS = 1e9


@contextmanager
def progress_report(what: str) -> Iterator[Report]:
    """Yield a callback that shows progress, rate and time left on stderr once two seconds have passed."""
    console = Console(stderr=True)
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    began = shown = time.monotonic()
    task: TaskID | None = None
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:

        def report(done: int, total: int) -> None:
            nonlocal task, shown
            now = time.monotonic()
            if now - began < _QUIET_SECONDS:
                return
            rate = done / (now - began)
            if console.is_terminal:
                if task is None:
                    task = bar.add_task(what, total=total, rate="")
                bar.update(task, completed=done, total=total, rate=f"{rate:,.0f} nodes/s")
            elif now - shown >= _LINE_SECONDS:
                shown = now
                left = f", {(total - done) / rate:,.0f} s left" if rate else ""
                typer.echo(f"{what}: {done:,} of {total:,} nodes, {rate:,.0f}/s{left}", err=True)

        yield report


def print_plan(graph: Graph, radii: int | tuple[int, ...], degrees: Any) -> None:
    """Print to stderr what a long run will cost; say nothing of a short one."""
    for radius in (radii,) if isinstance(radii, int) else radii:
        if not may_take_long(graph, radius):
            continue
        plan = predict(graph.indptr, graph.indices, radius, degrees=degrees, symmetric=graph.directed is None)
        if plan.seconds > _QUIET_SECONDS:
            typer.echo(f"radius {radius}, {plan}", err=True)


def may_take_long(graph: Graph, radius: int) -> bool:
    """Return whether all searches together might read more than `SHORT_ARCS` arcs, from the degrees alone.

    Examples
    --------
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
    """Say how to go on if the run is stopped."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stop:
        stop.add_note("Run the same command again to go on.")
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
    encoding: Encoding, graph: Graph, output: str | None, seconds: float, *, weighting: Any, form: Form | None
) -> None:
    """Print what was done to stderr, and to stdout the table itself or its first rows."""
    typer.echo(f"{graph.num_nodes:,} nodes, {graph.num_edges:,} edges; {graph.info}.", err=True)
    if encoding.unseen.num_rows:
        typer.echo(f"Note: {encoding.unseen}.", err=True)
    size = f"{len(encoding):,} rows, {len(encoding.vocabulary):,} columns, {encoding.matrix.nnz:,} entries"
    if output == "-":
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # the bytes of a .csv file
        write_csv(encoding, sys.stdout, weighting)
    elif output is None:
        print_rows(encoding, list(range(min(PREVIEW_ROWS, len(encoding)))))
        typer.echo(f"{size}. Add -o features.parquet to write them.", err=True)
    else:
        lists = (
            form is None and output.endswith((".parquet", ".arrow")) and default_form(encoding) == "sparse"
        )
        note = ", as lists (--form wide for a column each)" if lists else ""
        typer.echo(f"Wrote {output}: {size}{note}, in {seconds:.2f} s.", err=True)


def print_rows(encoding: Encoding, rows: list[int]) -> None:
    """Print some rows as a table: the node, its class, and its counts ring by ring."""
    settings = encoding.vocabulary.settings
    blocks = [(radius, distance) for radius in settings.radius for distance in range(radius + 1)]
    blocks = blocks if settings.rooted == "node" else []
    several = len(settings.radius) > 1
    keys = encoding.vocabulary.keys
    spans = [slice(*encoding.matrix.indptr[[row, row + 1]].tolist()) for row in rows]
    met = {
        (int(keys[column, 0]), int(keys[column, 1]))
        for span in spans
        for column in encoding.matrix.indices[span].tolist()
        if column < len(keys)
    }
    blocks = [block for block in blocks if block in met or block[1] <= 2]  # far rings are mostly empty
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("node")
    table.add_column("class", justify="right")
    for radius, distance in blocks:
        table.add_column(f"r{radius} distance {distance}" if several else f"distance {distance}")
    if settings.is_nested:
        table.add_column("common neighbors" if settings.common else f"{settings.rooted}s")
    for row, part in zip(rows, spans, strict=True):
        cells: dict[tuple[int, int], list[str]] = {block: [] for block in blocks}
        nested: list[str] = []
        for column, count in zip(
            encoding.matrix.indices[part].tolist(), encoding.matrix.data[part].tolist(), strict=True
        ):
            if column >= len(keys):
                nested.append(f"{count}×{encoding.vocabulary.name(column)}")
                continue
            degree = "/".join(map(str, encoding.columns[column][1 + several :]))
            cells[keys[column, 0], keys[column, 1]].append(f"{count}×{degree}")
        shown = [_shorten(cells[block]) for block in blocks]
        if settings.is_nested:
            shown.append(_shorten(nested, limit=3))
        table.add_row(Text(escaped(str(encoding.nodes[row]))), str(encoding.classes[row]), *shown)
    Console().print(table)
    Console().print(
        Text("3×4 means three nodes of degree 4 at that distance, inside the ego-network.", style="dim")
    )


def _shorten(words: list[str], limit: int = 8) -> str:
    """Return the first words of a cell, and how many more there are."""
    more = f" … {len(words) - limit} more" if len(words) > limit else ""
    return "  ".join(words[:limit]) + more


def print_json(value: Any) -> None:
    """Print one JSON object; what the encoding of stdout may not have, or does not print, is escaped."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not is_utf8, default=str)
    typer.echo("".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text))


def escaped(text: str) -> str:
    """Return text that may hold ids, safe for a terminal: control characters are shown, not obeyed.

    Lines and tabs stay; everything else that does not print is written as an escape.

    Examples
    --------
    >>> print(escaped("a" + chr(27) + "[31mb"))
    a\\x1b[31mb
    """
    return "".join(c if c in "\n\t" else printable(c) for c in text)

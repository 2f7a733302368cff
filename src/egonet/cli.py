"""The command line: words to calls; it prints, and computes nothing itself."""

import json
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

import egonet
from egonet import cli_datasets, cli_embed, cli_reproduce, cli_scale
from egonet import doctor as doctor_module
from egonet.atomic import check_folder
from egonet.encoding.encoding import Encoding
from egonet.encoding.write import SUFFIXES, Form, check_format, default_form, write_csv, write_encoding
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.graph import Graph
from egonet.kernel.native import Progress as Report

app = typer.Typer(
    name="egonet",
    help="Exact structural features for every vertex of a graph, from its ego-networks.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

app.add_typer(cli_datasets.app)
app.add_typer(cli_reproduce.app)
app.command()(cli_embed.embed)

PREVIEW_ROWS = 10
_QUIET_SECONDS = 2.0
_LINE_SECONDS = 10.0

GraphPath = Annotated[
    Path,
    typer.Argument(
        help="A graph file: csv, tsv, txt (also .gz), parquet, arrow, mtx, graphml, gml, g6 or npz.",
        show_default=False,
    ),
]
Radius = Annotated[str, typer.Option("--radius", "-r", help="Hops around each vertex, or several: 1,2.")]
Kind = Annotated[str, typer.Option(help="total, layered or full.")]
Source = Annotated[str | None, typer.Option(help="The column that holds one end of each edge.")]
Target = Annotated[str | None, typer.Option(help="The column that holds the other end.")]
Direct = Annotated[str | None, typer.Option(help="Follow arcs: out or in. Undirected if left out.")]
Common = Annotated[
    bool, typer.Option("--common", help="Add how the common neighbours of each edge are linked.")
]
Roots = Annotated[str, typer.Option(help="vertex, edge or pair: what the counting is done around.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def encode(
    graph: GraphPath,
    radius: Annotated[
        str | None,
        typer.Option("--radius", "-r", help="Hops around each vertex, or several: 1,2.  [default: 2]"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help=f"Where to write: {' '.join(SUFFIXES)}, a folder/, or - for CSV on stdout."
        ),
    ] = None,
    degrees: Kind = "total",
    common: Common = False,
    rooted: Roots = "vertex",
    max_degree: Annotated[int | None, typer.Option(help="Count degrees above this as this.")] = None,
    degree_bins: Annotated[
        str | None, typer.Option(help="log merges degrees into 0, 1, 2-3, 4-7, ...")
    ] = None,
    frontier_edges: Annotated[
        bool, typer.Option(help="Count edges between vertices at the last distance.")
    ] = True,
    layout: Annotated[
        str, typer.Option(help="observed (columns seen) or paper (all up to the largest degree).")
    ] = "observed",
    vocabulary: Annotated[
        Path | None, typer.Option(help="Use the columns of this earlier encoding (.npz).")
    ] = None,
    unseen: Annotated[
        str, typer.Option(help="Keys the vocabulary never saw: clip, ignore or error.")
    ] = "clip",
    weighting: Annotated[str, typer.Option(help="count, log or paper.")] = "count",
    form: Annotated[
        str | None, typer.Option(help="wide or sparse tables; wide up to 2,000 features if left out.")
    ] = None,
    root: Annotated[list[str] | None, typer.Option(help="Encode this vertex only; may be repeated.")] = None,
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
    threads: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    memory_limit: Annotated[
        str | None, typer.Option(help="Refuse larger results before starting, e.g. 2GB.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory to use when writing to a folder/. 2GB if left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Encode every vertex of GRAPH and write the features, or show the first ones."""
    if cli_scale.is_folder(output):
        options = {"degrees": degrees, "max_degree": max_degree, "degree_bins": degree_bins, "layout": layout}
        options |= {
            "frontier_edges": frontier_edges,
            "source": source,
            "target": target,
            "directed": directed,
        }
        options |= {"memory": memory, "threads": threads}
        refused = {
            "--root": root,
            "--vocabulary": vocabulary,
            "--form": form,
            "--weighting": weighting != "count",
        }
        with progress_report("encoding") as report:
            hops = parse_radius(radius or "2")
            facts = cli_scale.encode_folder(graph, str(output), hops, report, options, refused)
        cli_scale.print_folder(facts, as_json=as_json)
        return
    path = None if output in (None, "-") else Path(str(output))
    shape: Any = {"weighting": weighting, "form": form}
    if path is not None:
        check_format(path, **shape)
        check_folder(path)
    known = None if vocabulary is None else egonet.load(vocabulary).vocabulary
    began = time.perf_counter()
    read = read_one(graph, source, target, directed)
    words: Any = {
        "degrees": degrees,
        "common": common,
        "rooted": rooted,
        "max_degree": max_degree,
        "degree_bins": degree_bins,
        "frontier_edges": frontier_edges,
        "layout": layout,
        "vocabulary": known,
        "unseen": unseen,
        "roots": [parse_node(read, word) for word in root] if root else None,
        "threads": threads,
        "memory_limit": memory_limit,
    }
    radii = None if known is not None and radius is None else parse_radius(radius or "2")
    with progress_report("encoding") as report:
        encoding = egonet.encode(read, radii, progress=report, **words)
    seconds = time.perf_counter() - began
    if path is not None:
        write_encoding(encoding, path, **shape)
    if as_json:
        _print_json(_encoding_facts(encoding, read, output, seconds))
    else:
        _print_encoding(encoding, read, output, seconds, **shape)


app.command()(cli_scale.update)


@app.command()
def explain(
    graph: GraphPath,
    vertex: Annotated[str, typer.Argument(help="The id of a vertex.", show_default=False)],
    other: Annotated[
        str | None, typer.Argument(help="Another vertex, to compare.", show_default=False)
    ] = None,
    radius: Radius = "2",
    degrees: Kind = "total",
    common: Common = False,
    rooted: Roots = "vertex",
    source: Source = None,
    target: Target = None,
    as_json: AsJson = False,
) -> None:
    """Show the rings around VERTEX, or with OTHER what sets the two apart."""
    read = read_one(graph, source, target, None)
    words: Any = {"radius": parse_radius(radius), "degrees": degrees}
    if other is not None:
        pair = [parse_node(read, vertex), parse_node(read, other)]
        difference = egonet.explain_difference(read, *pair, **words)
        columns = [{"column": c.words, "counts": [c.first, c.second]} for c in difference.columns]
        if as_json:
            _print_json({"nodes": pair, "radius": words["radius"], "columns": columns})
        else:
            typer.echo(str(difference))
        return
    found = egonet.explain(read, parse_node(read, vertex), **words | {"common": common, "rooted": rooted})
    if as_json:
        rings = [
            {"distance": r.distance, "num_nodes": r.num_nodes, "degrees": dict(r.bars)} for r in found.rings
        ]
        pairs = [{"looks": words, "count": count} for words, count in found.pairs]
        size = {"node": found.node, "radius": found.radius, "num_nodes": found.num_nodes}
        _print_json(size | {"rings": rings} | ({"pairs": pairs} if pairs else {}))
    else:
        typer.echo(str(found))


@app.command()
def explore(
    graph: GraphPath,
    other: Annotated[
        Path | None, typer.Argument(help="A second graph, to compare side by side.", show_default=False)
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("explore.html"),
    radius: Radius = "2",
    degrees: Kind = "total",
    around: Annotated[
        str | None, typer.Option(help="The vertex to sample around, if GRAPH has more than 2,000.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
) -> None:
    """Write one HTML page that draws GRAPH, or two graphs side by side, coloured by encoding class."""
    check_folder(output)
    paths = [path for path in (graph, other) if path is not None]
    graphs = [read_one(path, source, target, directed) for path in paths]
    center = None if around is None else parse_node(graphs[0], around)
    words: Any = {"radius": parse_radius(radius), "degrees": degrees}
    page = egonet.explore(*graphs, names=[path.name for path in paths], around=center, **words)
    page.write(output)
    typer.echo(f"Wrote {output} ({len(page.html.encode()) / 1000:,.0f} kB).", err=True)
    if open_page:
        webbrowser.open(output.resolve().as_uri())


@app.command()
def doctor(*, as_json: AsJson = False) -> None:
    """Show versions, the processor's kernel, and which optional parts are installed."""
    report = doctor_module.examine()
    if as_json:
        _print_json(report)
        return
    for section, lines in report.items():
        typer.echo(f"{section}")
        for name, value in lines.items():
            typer.echo(f"  {name:<18}{value}")


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "egonet-demo"
    ),
) -> None:
    """Encode Zachary's karate club, show some vertices, and write the features and a page to look at."""
    club = egonet.named.karate_club()
    encoding = egonet.encode(club, radius=2)
    output.mkdir(parents=True, exist_ok=True)
    path = output / "karate.parquet"
    write_encoding(encoding, path)
    typer.echo(f"Zachary's karate club: {club.num_nodes} members, {club.num_edges} friendships.\n")
    chosen = [0, 33, 2, 11, 14, 16]
    _print_rows(encoding, [club.index_of(node) for node in chosen])
    num_classes = len(set(encoding.classes.tolist()))
    typer.echo(
        f"\nAt radius 2 the {len(encoding)} members fall into {num_classes} classes. One of them up close:\n"
    )
    typer.echo(str(egonet.explain(club, 16, radius=2)))
    page = egonet.explore(club, names=["Zachary's karate club"]).write(output / "karate.html")
    typer.echo(
        f"\nFeatures of every member: {path} ({len(encoding)} rows, {len(encoding.vocabulary)} columns)."
    )
    typer.echo(f"The club to look at in a browser: {page}")


def read_one(path: Path, source: str | None, target: str | None, directed: Any) -> Graph:
    """Return the graph of a file."""
    return egonet.read_graph(path, source=source, target=target, directed=directed)


def parse_radius(text: str) -> int | tuple[int, ...]:
    """Return "2" as 2 and "1,2" as (1, 2)."""
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"radius must be a whole number >= 0, or several as in 1,2, got {text!r}.") from None
    return numbers[0] if len(numbers) == 1 else numbers


def parse_node(graph: Graph, text: str) -> Any:
    """Return the vertex id a word stands for: the text itself, or the number it spells."""
    try:
        graph.index_of(text)
    except UnknownNodeError:
        if text.isdecimal():
            graph.index_of(int(text))
            return int(text)
        raise
    return text


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
                bar.update(task, completed=done, total=total, rate=f"{rate:,.0f} vertices/s")
            elif now - shown >= _LINE_SECONDS:
                shown = now
                left = f", {(total - done) / rate:,.0f} s left" if rate else ""
                typer.echo(f"{what}: {done:,} of {total:,} vertices, {rate:,.0f}/s{left}", err=True)

        yield report


def _encoding_facts(encoding: Encoding, graph: Graph, output: str | None, seconds: float) -> dict[str, Any]:
    """Return what was done, for --json."""
    settings = encoding.vocabulary.settings
    return {
        "graph": {"num_nodes": graph.num_nodes, "num_edges": graph.num_edges, "changes": str(graph.info)},
        "encoding": {
            "num_rows": len(encoding),
            "num_columns": len(encoding.vocabulary),
            "num_entries": int(encoding.matrix.nnz),
            "num_classes": int(encoding.classes.max(initial=-1)) + 1,
            "radii": settings.radii,
            "degrees": settings.degrees,
            "unseen": {"clipped": encoding.unseen.clipped, "dropped": encoding.unseen.dropped},
        },
        "output": output,
        "seconds": round(seconds, 3),
    }


def _print_encoding(
    encoding: Encoding, graph: Graph, output: str | None, seconds: float, *, weighting: Any, form: Form | None
) -> None:
    """Print what was done to stderr, and to stdout the table itself or its first rows."""
    typer.echo(f"{graph.num_nodes:,} vertices, {graph.num_edges:,} edges; {graph.info}.", err=True)
    if encoding.unseen.num_rows:
        typer.echo(f"Note: {encoding.unseen}.", err=True)
    size = f"{len(encoding):,} rows, {len(encoding.vocabulary):,} columns, {encoding.matrix.nnz:,} entries"
    if output == "-":
        write_csv(encoding, sys.stdout, weighting)
    elif output is None:
        _print_rows(encoding, list(range(min(PREVIEW_ROWS, len(encoding)))))
        typer.echo(f"{size}. Add -o features.parquet to write them.", err=True)
    else:
        lists = (
            form is None and output.endswith((".parquet", ".arrow")) and default_form(encoding) == "sparse"
        )
        note = ", as lists (--form wide for a column each)" if lists else ""
        typer.echo(f"Wrote {output}: {size}{note}, in {seconds:.2f} s.", err=True)


def _print_rows(encoding: Encoding, rows: list[int]) -> None:
    """Print some rows as a table: the vertex, its class, and its counts ring by ring."""
    settings = encoding.vocabulary.settings
    blocks = [(radius, distance) for radius in settings.radii for distance in range(radius + 1)]
    blocks = blocks if settings.rooted == "vertex" else []
    several = len(settings.radii) > 1
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("vertex")
    table.add_column("class", justify="right")
    for radius, distance in blocks:
        table.add_column(f"r{radius} distance {distance}" if several else f"distance {distance}")
    if settings.is_nested:
        table.add_column("common neighbours" if settings.common else f"{settings.rooted}s")
    keys = encoding.vocabulary.keys
    for row in rows:
        cells: dict[tuple[int, int], list[str]] = {block: [] for block in blocks}
        nested: list[str] = []
        part = slice(encoding.matrix.indptr[row], encoding.matrix.indptr[row + 1])
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
        table.add_row(Text(str(encoding.nodes[row])), str(encoding.classes[row]), *shown)
    Console().print(table)
    Console().print(
        Text("3×4 means three vertices of degree 4 at that distance, inside the ego-network.", style="dim")
    )


def _shorten(words: list[str], limit: int = 8) -> str:
    """Return the first words of a cell, and how many more there are."""
    more = f" … {len(words) - limit} more" if len(words) > limit else ""
    return "  ".join(words[:limit]) + more


def _print_json(value: Any) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))

"""Commands that look at a graph or an encoding: `egonet explain`, `explore` and `show`."""

import os
import sys
import webbrowser
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.checks import format_count
from egonet.cli.compare_command import read_other, read_shown
from egonet.cli.options import (
    FEATURES,
    INPUT,
    OUTPUT,
    TIME_FORMAT,
    Bins,
    BothLabels,
    EdgeColumns,
    Features,
    GraphPath,
    Kind,
    LabeledReading,
    MaxDegree,
    NodeColumns,
    OtherReading,
    Radius,
    Tables,
    command,
    option,
    parse_node,
    parse_radius,
)
from egonet.cli.output import (
    PREVIEW_ROWS,
    Printing,
    escape_text,
    print_csv,
    print_json,
    print_result,
    shorten,
)
from egonet.cli.table_files import (
    FeatureTable,
    is_table,
    read_both_labels,
    read_features,
    read_labels,
    read_nodes,
)
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import SUFFIXES, check_format, write_encoding
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.graph import Graph
from egonet.io.files import reserved
from egonet.store.encoding import StoredRows
from egonet.tables.table import number_in
from egonet.viz.payload import MAX_SHOWN, MOST_SHOWN, take_sample

#: How many feature names, and how many entries of a row, are shown.
_SHOWN = 6


@command(
    "egonet explain edges.csv alice",
    "egonet explain edges.csv alice bob -r 1",
    "egonet explain bonds.csv 17 --labels atoms.csv --edge-labels kind",
)
def explain(
    graph: GraphPath,
    node: Annotated[str, typer.Argument(help="The id of a node.", show_default=False)],
    other: Annotated[str | None, typer.Argument(help="Another node, to compare.", show_default=False)] = None,
    *,
    reading: LabeledReading,
    features: Features,
    printing: Printing,
) -> None:
    """Show the rings around NODE, or the differences between NODE and OTHER."""
    with printing.progress("reading", path=graph):
        read = reading.read(graph, features)
    settings = features.settings()
    with printing.progress("reading labels"):
        labels = read_labels(features.labels, read.node_ids, reading)
    if other is not None:
        pair = (parse_node(read, node), parse_node(read, other))
        if pair[0] == pair[1]:
            raise InputError(
                f"two different nodes are compared, got {node!r} twice. Leave OTHER out to see its rings."
            )
        difference = egonet.explain_difference(read, *pair, settings, labels=labels, **features.edges())
        columns = [{"column": c.text, "counts": [c.first, c.second]} for c in difference.columns]
        left = len(columns) - difference.top
        more = f"\n  (--json has all {len(columns):,})" if left > 0 else ""
        facts = {"nodes": pair, "radius": difference.radius, "columns": columns}
        print_result(facts, f"{difference}{more}", printing)
        return
    explanation = egonet.explain(read, parse_node(read, node), settings, labels=labels, **features.edges())
    rings = [
        {"distance": r.distance, "num_nodes": r.num_nodes, "degrees": dict(r.bars)} for r in explanation.rings
    ]
    pairs = [{"looks": text, "count": count} for text, count in explanation.pairs]
    size = {"node": explanation.node, "radius": explanation.radius, "num_nodes": explanation.num_nodes}
    print_result(size | {"rings": rings} | ({"pairs": pairs} if pairs else {}), explanation, printing)


@dataclass(frozen=True)
class Drawing:
    """The page that `egonet explore` writes."""

    output: Annotated[Path, option(OUTPUT, "The page to write; - for stdout.", "--output", "-o")] = Path(
        "explore.html"
    )
    around: Annotated[
        str | None, option(OUTPUT, "The node to draw around, if GRAPH has more than --max-nodes nodes.")
    ] = None
    max_nodes: Annotated[int, option(OUTPUT, "How many nodes are drawn at once.", min=1, max=MOST_SHOWN)] = (
        MAX_SHOWN
    )
    open_page: Annotated[bool, option(OUTPUT, "Open the page in the browser.", "--open")] = False


@dataclass(frozen=True)
class Rings(EdgeColumns):
    """The initial settings of the page of `egonet explore`."""

    radius: Radius = None
    degrees: Kind = "total"
    degree_bins: Bins = None
    max_degree: MaxDegree = None
    labels: BothLabels = None
    columns: Annotated[
        Path | None,
        option(
            FEATURES, "A table with a column node (or id) and columns to color GRAPH by: csv, tsv or parquet."
        ),
    ] = None
    edge_times: Annotated[
        str | None, option(FEATURES, "The column of GRAPH with the time of every edge, for a slider.")
    ] = None
    edge_weights: Annotated[
        str | None, option(FEATURES, "The column of GRAPH with the weight of every edge: its width.")
    ] = None
    time_format: Annotated[str | None, option(INPUT, TIME_FORMAT)] = None
    as_of: Annotated[
        str | None, option(FEATURES, "Show only edges before this time; --edge-times says when each was.")
    ] = None
    window: Annotated[
        str | None, option(FEATURES, "With --as-of, only edges that are not older: 30d, 12h, or a number.")
    ] = None
    pair: Annotated[
        tuple[str, str] | None,
        option(FEATURES, "Two nodes: show what lies around both, and what they have in common."),
    ] = None

    def keywords(self, graphs: list[Graph], reading: LabeledReading) -> dict[str, Any]:
        """Return the keywords of `egonet.explore`."""
        reading.check_used(self.labels, self.columns)
        if reading.label_column is not None and not self.labels:
            raise InputError(
                "--label-column is about the table of --labels, and there is none. Leave it out."
            )
        labels = read_both_labels(self.labels, graphs, reading)
        ends = None if self.pair is None else tuple(parse_node(graphs[0], text) for text in self.pair)
        data = {"columns": node_columns(self.columns, graphs[0], reading), "pair": ends}
        return vars(self) | self.bins() | {"radius": parse_radius(self.radius), "labels": labels} | data


def node_columns(path: Path | None, graph: Graph, reading: NodeColumns) -> dict[str, dict[Any, Any]] | None:
    """Return the columns of a table of nodes, as `egonet.explore` takes them; None for no table."""
    if path is None:
        return None
    table, nodes = read_nodes(path, "values", graph.node_ids, reading)
    return {name: dict(zip(nodes, table.values(name), strict=True)) for name in table.columns}


@command(
    "egonet explore edges.csv --open",
    "egonet explore one.csv other.csv -o page.html",
    "egonet explore big.csv --around alice",
    "egonet explore bonds.csv --labels atoms.csv --edge-labels kind",
    "egonet explore payments.csv --columns accounts.csv --edge-times when --edge-weights amount",
    "egonet explore edges.csv --pair alice bob",
    "egonet explore payments.csv --pair a17 b4 --edge-times when --as-of 2024-05-01 --window 30d",
)
def explore(
    graph: GraphPath,
    other: Annotated[
        Path | None, typer.Argument(help="A second graph, drawn next to it.", show_default=False)
    ] = None,
    *,
    reading: LabeledReading,
    other_reading: OtherReading,
    rings: Rings,
    drawing: Drawing,
    printing: Printing,
) -> None:
    """Write one HTML page that draws GRAPH, or two graphs next to each other, colored by encoding class."""
    output, around, open_page = drawing.output, drawing.around, drawing.open_page
    paths = [path for path in (graph, other) if path is not None]
    is_stdout = str(output) == "-"
    if is_stdout and open_page:
        raise InputError("--open needs a file. Give --output page.html.")
    with reserved(
        None if is_stdout else output,
        inputs=[*paths, *(rings.labels or []), *([rings.columns] if rings.columns else [])],
    ):
        if not is_stdout and output.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"a page is written as .html, got {output.name!r}.")
        columns = rings.edges().values()
        graphs = [read_shown(graph, reading, printing, *columns, rings.edge_times, rings.edge_weights)]
        if other is None:
            other_reading.check_unused()
        else:
            second = other_reading.after(reading, other)
            graphs.append(read_other(other, (reading, second), printing, *columns))
        center = None if around is None else parse_node(graphs[0], around)
        for each, path in zip(graphs, paths, strict=True):
            say_sample(each, path, center if each is graphs[0] else None, drawing.max_nodes, printing)
        names = [os.fsencode(path.name).decode("utf-8", "replace") for path in paths]
        with printing.progress("drawing"):
            chosen = rings.keywords(graphs, reading) | {"around": center, "max_nodes": drawing.max_nodes}
            page = egonet.explore(*graphs, names=names, **chosen)
        if not is_stdout:
            page.write(output)
    if is_stdout:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        typer.echo(page.html)
        return
    size = len(page.html.encode())
    if printing.as_json:
        print_json({"output": str(output), "num_bytes": size})
    printing.say(f"Wrote {output} ({size / 1000:,.0f} kB).")
    if open_page:
        webbrowser.open(output.resolve().as_uri())


def say_sample(graph: Graph, path: Path, center: Any, limit: int, printing: Printing) -> None:
    """Say which part of a large graph is drawn."""
    sample = take_sample(graph, [] if center is None else [center], limit=limit)
    if sample.centers:
        node = graph.node_ids[sample.centers].tolist()[0]
        printing.say(
            f"{path.name} has {graph.num_nodes:,} nodes: the page shows the {len(sample.rows):,} nearest to {node!r}. "
            "Choose another center with --around, draw more with --max-nodes, or search on the page."
        )


@command(
    "egonet show out/",
    "egonet show out/ alice bob --json",
    "egonet show features.parquet alice",
    "egonet show out/ -o features.parquet",
)
def show(
    encoding: Annotated[
        Path,
        typer.Argument(help=f"What encode wrote: a folder, or {' '.join(SUFFIXES)}.", show_default=False),
    ],
    nodes: Annotated[
        list[str] | None, typer.Argument(help="Show the counts of these nodes.", show_default=False)
    ] = None,
    output: Annotated[
        str | None,
        option(OUTPUT, f"Write all of it: {' '.join(SUFFIXES)}, or - for CSV on stdout.", "--output", "-o"),
    ] = None,
    *,
    tables: Tables,
    printing: Printing,
) -> None:
    """Show what ENCODING contains, or the counts of NODES, or write all of it to a file."""
    if output is not None and nodes:
        raise InputError("--output writes every node. Leave it or the nodes out.")
    tables.check_used(output)
    if is_table(encoding):
        if output is not None:
            raise InputError(f"{encoding} is a table already. --output needs a folder or an .npz file.")
        _show_table(read_features(encoding), nodes or [], printing)
        return
    with printing.progress("reading", path=encoding):
        result = egonet.load(encoding)
    if output == "-":
        with printing.writing(output):
            print_csv(result, tables.weighting)
    elif output is not None:
        path, keywords = Path(output), vars(tables)
        check_format(path, **keywords)
        with reserved(path, inputs=[encoding]), printing.progress(f"writing {path.name}"):
            write_encoding(result, path, **keywords)
        size = f"{format_count(len(result), 'row')}, {format_count(len(result.vocabulary), 'column')}"
        printing.say(f"Wrote {output}: {size}.")
    elif nodes:
        names = dict(zip(result.columns, result.feature_names, strict=True))
        counts = {
            text: {names[key]: count for key, count in counts_of(result, text).items()} for text in nodes
        }
        _print_counts(counts, printing)
    else:
        _print_facts(facts_of(result), printing)


def _print_facts(facts: dict[str, Any], printing: Printing) -> None:
    if printing.as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else value
        typer.echo(
            escape_text(f"{name:<13}{', '.join(map(str, shown)) if isinstance(shown, tuple) else shown}")
        )


def _print_counts(counts: dict[str, dict[str, Any]], printing: Printing) -> None:
    """Print the counts of some nodes that are not zero: node, feature and count in columns."""
    if printing.as_json:
        print_json(counts)
        return
    for node, row in counts.items():
        for name, count in row.items():
            typer.echo(escape_text(f"{node}\t{name}\t{count}"))


def counts_of(encoding: Encoding, text: str) -> dict[tuple[Any, ...], int]:
    """Return the counts of the node that a text means: the text itself, or the number it spells."""
    try:
        return encoding[text]
    except UnknownNodeError:
        if (number := number_in(text)) is None:
            raise
        return encoding[number]


def facts_of(encoding: Encoding) -> dict[str, Any]:
    """Return the size and settings of an encoding; for a folder also its graph, without reading the rows."""
    settings = encoding.vocabulary.settings
    facts: dict[str, Any] = {
        "num_rows": len(encoding),
        "num_columns": len(encoding.vocabulary),
        "radius": settings.radius,
        "degrees": settings.degrees,
    }
    stored = encoding.source
    if not isinstance(stored, StoredRows):
        return facts | {"num_entries": int(encoding.matrix.nnz)}
    manifest, graph = stored.manifest, stored.store.manifest
    source = (graph.get("source") or {}).get("name", "a graph in memory")
    facts |= {"num_entries": manifest["num_entries"], "num_blocks": len(manifest["blocks"])}
    facts |= {"num_nodes": graph["num_nodes"], "num_arcs": graph["num_arcs"], "read_from": source}
    return facts | {"version": manifest["version"]}


def _show_table(table: FeatureTable, nodes: list[str], printing: Printing) -> None:
    """Print the rows of some nodes, or the size of a table, its first features and its first rows."""
    if nodes:
        with printing.progress("reading", path=table.path):
            row_of = {str(node): row for node, row in table.rows if str(node) in nodes}
        missing = next((node for node in nodes if node not in row_of), None)
        if missing is not None:
            raise UnknownNodeError(f"{table.path} has no row {missing!r}.")
        _print_counts({node: row_of[node] for node in nodes}, printing)
        return
    with printing.progress("reading", path=table.path):
        first = list(islice(table.rows, PREVIEW_ROWS))
        num_rows = len(first) + sum(1 for _ in table.rows)
    facts: dict[str, Any] = {"num_rows": num_rows, "num_columns": len(table.names), "form": table.form}
    if printing.as_json:
        print_json(facts | {"columns": table.names, "rows": {str(node): row for node, row in first}})
        return
    _print_facts(facts | {"columns": shorten(table.names, _SHOWN)}, printing)
    for node, row in first:
        typer.echo(
            escape_text(f"{node}\t{shorten([f'{name}={value}' for name, value in row.items()], _SHOWN)}")
        )
    if num_rows > len(first):
        typer.echo(f"… {num_rows - len(first):,} more rows")

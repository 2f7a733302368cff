"""Commands that look at graphs and encodings: `egonet explain`, `explore`, `compare` and `show`."""

import os
import sys
import webbrowser
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.cli.options import (
    FEATURES,
    OUTPUT,
    Features,
    GraphPath,
    Radius,
    Reading,
    Tables,
    command,
    input_path,
    option,
    parse_node,
    parse_radius,
)
from egonet.cli.output import PREVIEW_ROWS, Printing, escaped, print_csv, print_json, shorten
from egonet.cli.table_files import FeatureTable, is_table, number_in, read_labels, read_table
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import SUFFIXES, check_format, write_encoding
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.graph import Graph
from egonet.io.atomic import reserved
from egonet.store.stored_encoding import StoredEncoding
from egonet.viz.payload import take_sample
from egonet.wl.compare import Comparison, Verdict

#: How many feature names, and how many entries of a row, are shown.
_SHOWN = 6
#: What each test of `egonet compare` looks at, by the first part of its name.
TESTS = {
    "1-WL": "colors of neighbors, repeated",
    "2-FWL": "colors of pairs, repeated",
    "total": "degrees around every node",
    "layered": "degrees by distance from node",
    "full": "degrees closer, same, farther",
    "R1": "links among common neighbors",
    "R2": "counts around every edge",
    "R3": "counts around every pair",
    "isomorphic": "an exact one-to-one match",
}


@command("egonet explain edges.csv alice", "egonet explain edges.csv alice bob -r 1")
def explain(
    graph: GraphPath,
    node: Annotated[str, typer.Argument(help="The id of a node.", show_default=False)],
    other: Annotated[str | None, typer.Argument(help="Another node, to compare.", show_default=False)] = None,
    *,
    features: Features,
    reading: Reading,
    printing: Printing,
) -> None:
    """Show the rings around NODE, or the differences between NODE and OTHER."""
    with printing.reading(graph):
        read = reading.read(graph)
    settings, labels = features.settings(), read_labels(features.labels)
    if other is not None:
        pair = [parse_node(read, node), parse_node(read, other)]
        difference = egonet.explain_difference(read, *pair, settings, labels=labels)
        columns = [{"column": c.words, "counts": [c.first, c.second]} for c in difference.columns]
        _print_result({"nodes": pair, "radius": _radius(settings), "columns": columns}, difference, printing)
        return
    found = egonet.explain(read, parse_node(read, node), settings, labels=labels)
    rings = [{"distance": r.distance, "num_nodes": r.num_nodes, "degrees": dict(r.bars)} for r in found.rings]
    pairs = [{"looks": text, "count": count} for text, count in found.pairs]
    size = {"node": found.node, "radius": found.radius, "num_nodes": found.num_nodes}
    _print_result(size | {"rings": rings} | ({"pairs": pairs} if pairs else {}), found, printing)


def _radius(settings: egonet.Settings) -> int | tuple[int, ...]:
    """Return one radius as a number, several as a tuple."""
    return settings.radius[0] if len(settings.radius) == 1 else settings.radius


def _print_result(facts: dict[str, Any], text: object, printing: Printing) -> None:
    """Print a result as JSON or as text."""
    if printing.as_json:
        print_json(facts)
    else:
        typer.echo(escaped(str(text)))


@command(
    "egonet explore edges.csv --open",
    "egonet explore one.csv other.csv -o page.html",
    "egonet explore big.csv --around alice",
)
def explore(
    graph: GraphPath,
    other: Annotated[
        Path | None, typer.Argument(help="A second graph, drawn next to it.", show_default=False)
    ] = None,
    output: Annotated[
        Path, option(OUTPUT, "The page to write; - for stdout.", "--output", "-o")
    ] = Path("explore.html"),
    around: Annotated[
        str | None, option(OUTPUT, "The center of the sample, if GRAPH has more than 2,000 nodes.")
    ] = None,
    open_page: Annotated[bool, option(OUTPUT, "Open the page in the browser.", "--open")] = False,
    *,
    features: Features,
    reading: Reading,
    quiet: Quiet = False,
) -> None:
    """Write one HTML page that draws GRAPH, or two graphs next to each other, colored by encoding class."""
    printing = Printing(quiet=quiet)
    paths = [path for path in (graph, other) if path is not None]
    is_stdout = str(output) == "-"
    if is_stdout and open_page:
        raise InputError("--open needs a file. Give --output page.html.")
    with reserved(None if is_stdout else output, inputs=paths):
        graphs = [read_shown(path, reading, printing) for path in paths]
        center = None if around is None else parse_node(graphs[0], around)
        for each, path in zip(graphs, paths, strict=True):
            say_sample(each, path, center if each is graphs[0] else None, printing)
        names = [os.fsencode(path.name).decode("utf-8", "replace") for path in paths]
        with printing.progress("drawing"):
            page = egonet.explore(*graphs, names=names, around=center, settings=features.settings())
        if not is_stdout:
            page.write(output)
    if is_stdout:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        typer.echo(page.html)
        return
    printing.say(f"Wrote {output} ({len(page.html.encode()) / 1000:,.0f} kB).")
    if open_page:
        webbrowser.open(output.resolve().as_uri())

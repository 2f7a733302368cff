"""Commands to look at graphs with: `egonet explain`, `explore` and `compare`."""

import os
import webbrowser
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.cli.options import (
    AsJson,
    Comment,
    Common,
    Delimiter,
    Direct,
    Format,
    GraphPath,
    Header,
    Kind,
    Radius,
    Roots,
    Source,
    Target,
    parse_node,
    parse_radius,
    read_one,
    reading,
    text_words,
)
from egonet.cli.output import escaped, print_json
from egonet.errors import InputError
from egonet.io.atomic import reserved


def explain(
    graph: GraphPath,
    node: Annotated[str, typer.Argument(help="The id of a node.", show_default=False)],
    other: Annotated[str | None, typer.Argument(help="Another node, to compare.", show_default=False)] = None,
    radius: Radius = "2",
    degrees: Kind = "total",
    common: Common = False,
    rooted: Roots = "node",
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Show the rings around NODE, or with OTHER what sets the two apart."""
    text = text_words(delimiter, comment, header, file_format)
    read = read_one(graph, source, target, directed, **text)
    words: Any = {
        "radius": parse_radius(radius),
        "degrees": degrees,
        "common": common,
        "rooted": rooted,
    }
    if other is not None:
        pair = [parse_node(read, node), parse_node(read, other)]
        difference = egonet.explain_difference(read, *pair, **words)
        columns = [{"column": c.text, "counts": [c.first, c.second]} for c in difference.columns]
        if as_json:
            print_json({"nodes": pair, "radius": words["radius"], "columns": columns})
        else:
            typer.echo(escaped(str(difference)))
        return
    found = egonet.explain(read, parse_node(read, node), **words)
    if as_json:
        rings = [
            {"distance": r.distance, "num_nodes": r.num_nodes, "degrees": dict(r.bars)} for r in found.rings
        ]
        pairs = [{"looks": words, "count": count} for words, count in found.pairs]
        size = {"node": found.node, "radius": found.radius, "num_nodes": found.num_nodes}
        print_json(size | {"rings": rings} | ({"pairs": pairs} if pairs else {}))
    else:
        typer.echo(escaped(str(found)))


def explore(
    graph: GraphPath,
    other: Annotated[
        Path | None, typer.Argument(help="A second graph, to compare side by side.", show_default=False)
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("explore.html"),
    radius: Radius = "2",
    degrees: Kind = "total",
    around: Annotated[
        str | None, typer.Option(help="The node to sample around, if GRAPH has more than 2,000.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
) -> None:
    """Write one HTML page that draws GRAPH, or two graphs side by side, colored by encoding class."""
    paths = [path for path in (graph, other) if path is not None]
    text = text_words(delimiter, comment, header, file_format)
    with reserved(output, inputs=paths):
        graphs = [read_one(path, source, target, directed, **text) for path in paths]
        center = None if around is None else parse_node(graphs[0], around)
        words: Any = {"radius": parse_radius(radius), "degrees": degrees}
        page = egonet.explore(*graphs, names=[shown_name(path) for path in paths], around=center, **words)
        page.write(output)
    typer.echo(f"Wrote {output} ({len(page.html.encode()) / 1000:,.0f} kB).", err=True)
    if open_page:
        webbrowser.open(output.resolve().as_uri())


def shown_name(path: Path) -> str:
    """Return the name of a file for a page; bytes that are no UTF-8 are replaced."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def compare(
    first: Annotated[
        Path, typer.Argument(help="A graph file, or a graph6 file of two graphs.", show_default=False)
    ],
    second: Annotated[Path | None, typer.Argument(help="The other graph file.", show_default=False)] = None,
    radius: Radius = "1,2",
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if the graphs differ.")] = False,
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Tell whether two graphs look alike: 1-WL, encodings, the ladder, exact isomorphism."""
    text = text_words(delimiter, comment, header, file_format)
    if second is None:
        graphs = egonet.read_graphs(first, **reading(source, target, directed), **text)
    else:
        graphs = [read_one(path, source, target, directed, **text) for path in (first, second)]
    if len(graphs) != 2:
        raise InputError(
            f"compare takes two graphs, got {len(graphs)} in {str(first)!r}. Name a second file."
        )
    found = egonet.compare(*graphs, radius=parse_radius(radius))
    if as_json:
        verdicts = [asdict(verdict) for verdict in found.verdicts]
        print_json({"sizes": found.sizes, "isomorphic": found.isomorphic, "verdicts": verdicts})
    else:
        typer.echo(escaped(str(found)))
        witness = next((verdict.witnesses[0] for verdict in found.verdicts if verdict.witnesses), None)
        if witness is not None:
            first_count, second_count = witness.counts
            typer.echo(
                f"{escaped(str(witness))} means: of some nodes that look alike the first graph has {first_count},"
                f" the second {second_count}; in brackets are their ids, or three of them.",
                err=True,
            )
    if exit_code and found.differ:
        raise typer.Exit(1)

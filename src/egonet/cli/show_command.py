"""The command `egonet show`: what a saved encoding holds, some of its nodes, or all of it in another format."""

from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.cli.feature_files import is_table, print_table, read_table
from egonet.cli.options import AsJson, number_in
from egonet.cli.output import escaped, print_json
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import SUFFIXES, check_format, write_encoding
from egonet.errors import InputError, UnknownNodeError
from egonet.io.atomic import reserved
from egonet.store.stored_encoding import StoredRows


def show(
    encoding: Annotated[
        Path,
        typer.Argument(help=f"What encode wrote: a folder, or {' '.join(SUFFIXES)}.", show_default=False),
    ],
    nodes: Annotated[
        list[str] | None, typer.Argument(help="Show the counts of these nodes.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"Write all of it: {' '.join(SUFFIXES)}.")
    ] = None,
    weighting: Annotated[str, typer.Option(help="With --output: count, log or paper.")] = "count",
    form: Annotated[str | None, typer.Option(help="With --output: wide or sparse tables.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what ENCODING holds, or the counts of NODES, or write all of it to a file."""
    if output is not None and nodes:
        raise InputError("--output writes every node. Leave it or the nodes out.")
    if is_table(encoding):
        if output is not None:
            raise InputError(
                f"{encoding} is a table already. Show a folder or an .npz file to write another."
            )
        print_table(read_table(encoding), nodes or [], as_json=as_json)
        return
    held = egonet.load(encoding)
    if output is not None:
        shape: Any = {"weighting": weighting, "form": form}
        check_format(output, **shape)
        with reserved(output, inputs=[encoding]):
            write_encoding(held, output, **shape)
        typer.echo(f"Wrote {output}: {len(held):,} rows, {len(held.vocabulary):,} columns.", err=True)
    elif nodes:
        names = dict(zip(held.columns, held.feature_names, strict=True))
        counts = {text: {names[key]: count for key, count in counts_of(held, text).items()} for text in nodes}
        if as_json:
            print_json(counts)
            return
        for text, row in counts.items():
            for name, count in row.items():
                typer.echo(escaped(f"{text}\t{name}\t{count}"))
    elif as_json:
        print_json(facts_of(held))
    else:
        for name, value in facts_of(held).items():
            shown = f"{value:,}" if isinstance(value, int) else value
            typer.echo(f"{name:<13}{', '.join(map(str, shown)) if isinstance(shown, tuple) else shown}")


def counts_of(encoding: Encoding, text: str) -> dict[tuple[Any, ...], int]:
    """Return the counts of the node a word stands for: the text itself, or the number it spells."""
    try:
        return encoding[text]
    except UnknownNodeError:
        if (number := number_in(text)) is None:
            raise
        return encoding[number]


def facts_of(encoding: Encoding) -> dict[str, Any]:
    """Return what an encoding holds; of a folder also its graph, without reading the rows."""
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

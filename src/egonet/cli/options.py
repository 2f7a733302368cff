"""The words that commands share: options with their help, and how text becomes radii, nodes and graphs."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.encoding.settings import as_radius
from egonet.errors import InputError, UnknownNodeError
from egonet.graph.graph import Graph

GraphPath = Annotated[
    Path,
    typer.Argument(
        help="A graph file: csv, tsv, txt (also .gz), parquet, arrow, mtx, graphml, gml, g6 or npz; or a folder"
        " that encode filled.",
        show_default=False,
    ),
]
Radius = Annotated[str, typer.Option("--radius", "-r", help="Hops around each node, or several: 1,2.")]
Kind = Annotated[str, typer.Option(metavar="[total|layered|full]", help="How degrees are counted.")]
Source = Annotated[
    str | None,
    typer.Option(
        help="The column that holds one end of each edge: its name, or its position counted from 1."
    ),
]
Target = Annotated[
    str | None, typer.Option(help="The column that holds the other end: its name, or its position.")
]
Direct = Annotated[
    str | None,
    typer.Option(help="Follow arcs: out or in. Undirected if left out; no says that this is meant."),
]
Delimiter = Annotated[str | None, typer.Option(help="What parts the fields of a text file.")]
Comment = Annotated[str | None, typer.Option(help="Skip lines of text that start with one of these.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether text begins with column names."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="Overrules the file's ending: csv, tsv, text, parquet, ...")
]
Common = Annotated[
    bool, typer.Option("--common", help="Add how the common neighbors of each edge are linked.")
]
Roots = Annotated[str, typer.Option(metavar="[node|edge|pair]", help="What the counting is done around.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def read_one(path: Path, source: str | None, target: str | None, directed: Any, **text: Any) -> Graph:
    """Return the graph of a file, or the one in a folder that `egonet encode` filled."""
    if (path / "manifest.json").is_file():
        given = [
            word for word, value in {"source": source, "target": target, **text}.items() if value is not None
        ]
        if given or directed is not None:
            raise InputError(
                f"a folder has its graph as it was read. Leave --{(given or ['directed'])[0]} out."
            )
        graph = egonet.load(path).graph
        assert graph is not None  # a folder has one
        return graph
    return egonet.read_graph(path, **reading(source, target, directed), **text)


def reading(source: str | None, target: str | None, directed: str | None = None) -> dict[str, Any]:
    """Return columns and direction as the library takes them: positions count from 0 there, from 1 here.

    Examples
    --------
    >>> reading("1", "payee", "no")
    {'source': 0, 'target': 'payee', 'directed': False}
    """
    ends: dict[str, Any] = {"source": source, "target": target}
    for name, end in ends.items():
        if end is not None and end.isascii() and end.isdigit():
            if int(end) == 0:
                raise InputError(f"--{name} counts columns from 1, got {end}.")
            ends[name] = int(end) - 1
    return ends | {"directed": False if directed == "no" else directed}


def text_words(
    delimiter: str | None, comment: str | None, header: bool | None, file_format: str | None
) -> dict[str, Any]:
    """Return how a file is to be read, as the words of `egonet.read_graph`."""
    return {"delimiter": delimiter, "comment": comment, "header": header, "format": file_format}


def parse_radius(text: str) -> int | tuple[int, ...]:
    """Return "2" as 2 and "1,2" as (1, 2)."""
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"radius must be a whole number >= 0, or several as in 1,2, got {text!r}.") from None
    radii = as_radius(numbers)
    return radii[0] if len(radii) == 1 else radii


def parse_node(graph: Graph, text: str) -> Any:
    """Return the node id a word stands for: the text itself, or the number it spells."""
    try:
        graph.index_of(text)
    except UnknownNodeError:
        if (number := number_in(text)) is not None:
            graph.index_of(number)
            return number
        raise
    return text


def number_in(text: str) -> int | None:
    """Return the whole number that a word spells, or None if it spells none that could be an id.

    Examples
    --------
    >>> number_in("17"), number_in("-3"), number_in("1e3"), number_in("9" * 30)
    (17, -3, None, None)
    """
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else None

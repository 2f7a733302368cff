"""The commands `egonet similar` and `egonet roles`: the nodes most like one node, and groups of similar nodes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import egonet
from egonet.checks import as_whole
from egonet.cli.options import (
    FEATURES,
    OUTPUT,
    Features,
    GraphPath,
    LabeledReading,
    Reading,
    choice,
    command,
    option,
    parse_node,
    parse_radius,
)
from egonet.cli.output import Printing, escape_text, print_json, shorten
from egonet.cli.table_files import check_written, read_labels, write_columns
from egonet.encoding.matrix import Weighting
from egonet.encoding.roles import NUM_GROUPS, ego_edges, find_roles, similarity_rows
from egonet.errors import InputError
from egonet.io.files import reserved

#: How many members of a role are named.
_SHOWN = 4


@dataclass(frozen=True)
class Nearest:
    """How many nodes are shown, and how their rows are compared."""

    k: Annotated[int, option(FEATURES, "How many nodes to show.", "-k")] = 10
    weighting: Annotated[
        str,
        choice(
            FEATURES, "--weighting", get_args(Weighting), "How counts are weighted before they are compared."
        ),
    ] = "count"


@command(
    "egonet similar edges.csv alice -k 10", "egonet similar edges.csv alice -r 1 --degree-bins log --json"
)
def similar(
    graph: GraphPath,
    node: Annotated[str, typer.Argument(help="The id of a node.", show_default=False)],
    *,
    reading: LabeledReading,
    features: Features,
    nearest: Nearest,
    printing: Printing,
) -> None:
    """Show the nodes whose neighborhoods are most like that of NODE."""
    with printing.progress("reading", path=graph):
        read = reading.read(graph, features)
    root = parse_node(read, node)
    if as_whole("-k", nearest.k) == 0:
        raise InputError("-k must be at least 1, got 0.")
    with printing.progress("counting"):
        labels = read_labels(features.labels, read.node_ids, reading)
        encoding = egonet.encode(read, features.settings(), labels=labels, **features.edges())
        weighting: Any = nearest.weighting
        best = encoding.similar(root, nearest.k, weighting=weighting)
    rows = [{"node": other, "distance": round(distance, 4)} for other, distance in best]
    if printing.as_json:
        print_json({"node": root, "similar": rows})
        return
    table = Table("node", "distance", show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(Text(escape_text(str(row["node"]))), f"{row['distance']:,}")
    Console().print(table)
    if nearest.weighting == "count":
        printing.say("Distance: how many nodes of the two neighborhoods have no counterpart in the other.")


@dataclass(frozen=True)
class Grouping:
    """How many roles there are, and how far a neighborhood reaches."""

    k: Annotated[int, option(FEATURES, "How many roles at most.", "-k")] = NUM_GROUPS
    radius: Annotated[str, option(FEATURES, "Hops around each node.", "--radius", "-r")] = "2"


@command("egonet roles edges.csv", "egonet roles edges.csv -k 8 -o roles.csv")
def roles(
    graph: GraphPath,
    output: Annotated[
        str | None,
        option(
            OUTPUT,
            "A table with the role of every node (csv, parquet, arrow), or - for CSV on stdout.",
            "-o",
            "--output",
        ),
    ] = None,
    *,
    reading: Reading,
    grouping: Grouping,
    printing: Printing,
) -> None:
    """Group the nodes of GRAPH by what their neighborhoods look like, and write the role of every node."""
    count, radius = as_whole("-k", grouping.k), parse_radius(grouping.radius)
    if isinstance(radius, tuple):
        raise InputError(f"roles are found at one radius at a time, got {grouping.radius}.")
    as_whole("radius", radius)
    if count == 0:
        raise InputError("-k must be at least 1, got 0.")
    path = None if output in (None, "-") else Path(str(output))
    if path is not None:
        check_written(path, "roles", (".csv", ".parquet", ".arrow"))
    with reserved(path, inputs=[graph]):
        with printing.progress("reading", path=graph):
            read = reading.read(graph)
        with printing.progress("grouping"):
            every = np.arange(read.num_nodes)
            rows = similarity_rows([read], every, radius)
            numbers, names = find_roles(
                rows, read.degrees, radius, count, count_edges=lambda: ego_edges([read], every, radius)
            )
        columns = {
            "node": read.node_ids,
            "role": numbers + 1,
            "description": np.array(names, dtype=object)[numbers],
        }
        if output is not None:
            with printing.writing(output):
                write_columns(columns, path)
    if output == "-":
        return
    members = [read.node_ids[numbers == role].tolist() for role in range(len(names))]
    if printing.as_json:
        facts = [
            {"role": role + 1, "description": name, "num_nodes": len(nodes), "nodes": nodes}
            for role, (name, nodes) in enumerate(zip(names, members, strict=True))
        ]
        print_json({"num_nodes": read.num_nodes, "radius": radius, "roles": facts, "output": output})
        return
    table = Table("role", "description", "nodes", "for example", show_edge=False, pad_edge=False)
    for role, (name, nodes) in enumerate(zip(names, members, strict=True)):
        shown = shorten([str(node) for node in nodes], _SHOWN)
        table.add_row(str(role + 1), name, f"{len(nodes):,}", Text(escape_text(shown)))
    Console().print(table)
    if path is not None:
        printing.say(f"Wrote {path}: {read.num_nodes:,} nodes in {len(names)} roles.")

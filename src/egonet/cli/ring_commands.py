"""The command `egonet rings`: sums, means and extremes of values at every distance from every node."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from egonet.attributes.ring_statistics import STATISTICS, RingStatistics, ring_statistics
from egonet.cli.options import FEATURES, INPUT, OUTPUT, SCALE, STDIN, GraphPath, Reading, command, option
from egonet.cli.output import Printing, print_first_rows, print_json
from egonet.cli.table_files import check_written, read_columns, write_columns
from egonet.encoding.labels import ID_COLUMNS
from egonet.errors import FileError, InputError
from egonet.graph.graph import Graph
from egonet.io.atomic import reserved
from egonet.io.read import read_graph


@dataclass(frozen=True)
class RingValues:
    """Which values are added up, and where the statistics go."""

    edge_values: Annotated[
        str | None, option(INPUT, "The columns of GRAPH with a number per edge: amount, or amount,fee.")
    ] = None
    node_values: Annotated[
        Path | None,
        option(INPUT, "A table with a column node (or id) and columns of numbers: csv or parquet."),
    ] = None
    radius: Annotated[int, option(FEATURES, "The largest distance.", "--radius", "-r")] = 2
    statistics: Annotated[str, option(FEATURES, f"Some of {', '.join(STATISTICS)}, with commas between.")] = (
        "sum,mean,min,max"
    )
    output: Annotated[
        str | None,
        option(
            OUTPUT,
            "A file (.parquet .arrow .csv), or - for CSV on stdout. Without it the first nodes are shown.",
            "--output",
            "-o",
        ),
    ] = None
    threads: Annotated[int | None, option(SCALE, "Threads; one per core by default.")] = None


@command(
    "egonet rings payments.csv --edge-values amount -o amounts.parquet",
    "egonet rings payments.csv --directed out --edge-values amount --statistics sum,count -r 3 -o sent.csv",
    "egonet rings friends.csv --node-values people.csv -r 1 -o neighbors.parquet",
)
def rings(graph: GraphPath, reading: Reading, values: RingValues, printing: Printing) -> None:
    """Write exact statistics of the values of edges or nodes at every distance from every node."""
    output = values.output
    path = None if output in (None, "-") else Path(str(output))
    if path is not None:
        check_written(path)
    if (values.edge_values is None) == (values.node_values is None):
        raise InputError("say which values: --edge-values COLUMN or --node-values FILE, one of the two.")
    began = time.perf_counter()
    with reserved(path, inputs=[graph, values.node_values]):
        with printing.progress("reading", path=graph):
            names = None if values.edge_values is None else values.edge_values.split(",")
            keywords = reading.keywords() | ({} if names is None else {"keep": names})
            read = read_graph(STDIN if str(graph) == "-" else graph, **keywords)
        with printing.progress("adding up"):
            found = count_rings(read, names, values)
        columns = dict(zip(found.feature_names, found.values.T, strict=True))
        if path is not None or output == "-":
            write_columns({"node": found.nodes} | columns, path)
    seconds = time.perf_counter() - began
    facts = {"num_nodes": len(found.nodes), "num_columns": len(found.feature_names)}
    if printing.as_json:
        print_json(facts | {"output": output, "seconds": round(seconds, 3)})
    elif output is None:
        print_rings(found)
    printing.say(f"{len(found.nodes):,} nodes, {len(found.feature_names):,} columns, {seconds:.1f} s")


def count_rings(graph: Graph, names: list[str] | None, values: RingValues) -> RingStatistics:
    """Return the statistics of columns of edges, or of a table of nodes."""
    statistics: Any = [name.strip() for name in values.statistics.split(",")]
    options: dict[str, Any] = {"threads": values.threads}
    if names is not None:
        given: Any = names[0] if len(names) == 1 else names
        return ring_statistics(graph, given, values.radius, statistics, on="edges", **options)
    assert values.node_values is not None  # one of the two is given
    parts, features = [], []
    for column, numbers in node_numbers(values.node_values, graph).items():
        found = ring_statistics(graph, numbers, values.radius, statistics, **options)
        parts.append(found.values)
        features += [name.replace("_", f"_{column}_", 1) for name in found.feature_names]
    return RingStatistics(np.hstack(parts), graph.node_ids, features)


def node_numbers(path: Path, graph: Graph) -> dict[str, dict[Any, Any]]:
    """Return the columns of a table of nodes: name to (id to number)."""
    table = read_columns(path)
    keys = [name for name in table if name in ID_COLUMNS]
    if len(keys) != 1 or len(table) < 2:
        raise FileError(
            f"{path} must have a column 'node' or 'id' and columns of numbers, got the columns {list(table)[:9]!r}."
        )
    ids = table.pop(keys[0])
    if graph.node_ids.dtype.kind == "U":
        ids = [str(node) if isinstance(node, int) else node for node in ids]
    if len(set(ids)) < len(ids):
        raise FileError(f"{path} must name every node once, got {len(ids) - len(set(ids)):,} repeated ids.")
    return {name: dict(zip(ids, numbers, strict=True)) for name, numbers in table.items()}


def print_rings(found: RingStatistics) -> None:
    """Print the statistics of the first nodes as a table."""
    names = found.feature_names
    print_first_rows(
        ("node", "statistics"),
        len(found.nodes),
        lambda row: (
            found.nodes[row],
            [f"{name} {value:g}" for name, value in zip(names, found.values[row].tolist(), strict=True)],
        ),
    )

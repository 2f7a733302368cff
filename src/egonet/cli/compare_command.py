"""The command `egonet compare`: whether two graphs are isomorphic, and which tests distinguish them."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.cli.options import (
    FEATURES,
    OUTPUT,
    Bins,
    BothLabels,
    EdgeTypes,
    EdgeWeights,
    Features,
    MaxDegree,
    Reading,
    WeightBins,
    command,
    option,
    parse_bins,
    parse_radius,
)
from egonet.cli.output import Printing, print_result
from egonet.cli.table_files import read_both_labels
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.wl.compare import Comparison, Verdict

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
    "R4": "ego-networks with marked nodes",
    "R5": "the graph with marked nodes",
    "isomorphic": "an exact one-to-one match",
}


@dataclass(frozen=True)
class Tested:
    """What the tests of `egonet compare` look at."""

    radius: Annotated[str, option(FEATURES, "Radii of the encodings to compare.", "--radius", "-r")] = "1,2"
    degree_bins: Bins = None
    max_degree: MaxDegree = None
    labels: BothLabels = None
    edge_labels: EdgeTypes = None
    weights: EdgeWeights = None
    weight_bins: WeightBins = None

    def keywords(self, graphs: list[Graph]) -> dict[str, Any]:
        """Return the keywords of `egonet.compare`; settings that are not given add no test."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if self.weight_bins is not None:
            given["weight_bins"] = parse_bins(self.weight_bins)
        given["labels"] = read_both_labels(self.labels, graphs)
        return given | {"radius": parse_radius(self.radius)}


@command(
    "egonet compare a.csv b.csv",
    "egonet compare pair.g6 -r 1 --exit-code",
    "egonet compare a.csv b.csv --labels atoms_a.csv --labels atoms_b.csv --edge-labels kind",
)
def compare(
    first: Annotated[
        Path,
        typer.Argument(
            help="A graph file (- for stdin), or a graph6 file of two graphs.", show_default=False
        ),
    ],
    second: Annotated[Path | None, typer.Argument(help="The other graph file.", show_default=False)] = None,
    *,
    reading: Reading,
    tested: Tested,
    exit_code: Annotated[bool, option(OUTPUT, "Exit with 1 if the graphs differ.", "--exit-code")] = False,
    printing: Printing,
) -> None:
    """Tell whether two graphs are isomorphic, and which tests distinguish them."""
    columns = tested.edge_labels, tested.weights
    if second is None:
        with printing.progress("reading", path=first):
            graphs = reading.read_many(first, Features(edge_labels=columns[0], weights=columns[1]))
    else:
        graphs = [read_shown(path, reading, printing, *columns) for path in (first, second)]
    if len(graphs) != 2:
        raise InputError(
            f"compare takes two graphs, got {len(graphs)} in {str(first)!r}. Name a second file."
        )
    with printing.progress("comparing"):
        found = egonet.compare(*graphs, **tested.keywords(graphs))
    verdicts = [asdict(verdict) for verdict in found.verdicts]
    facts = {"sizes": found.sizes, "isomorphic": found.isomorphic, "verdicts": verdicts}
    print_result({"verdict": found.sentence, **facts}, comparison_text(found), printing)
    if exit_code and found.differ:
        raise typer.Exit(1)


def comparison_text(found: Comparison) -> str:
    """Return the verdict, then a line per test: its name, its result, what it looks at, and the nodes that differ."""
    (n1, m1), (n2, m2) = found.sizes
    lines = [found.sentence, f"{n1:,} nodes, {m1:,} edges; {n2:,} nodes, {m2:,} edges", ""]
    width = max(len(verdict.test) for verdict in found.verdicts)
    lines += [_line(verdict, width) for verdict in found.verdicts]
    if any(verdict.witnesses for verdict in found.verdicts):
        lines += [
            "",
            "3 (a, b, c) against 0: three nodes of the first graph look like no node of the second.",
        ]
    return "\n".join(lines)


def _line(verdict: Verdict, width: int) -> str:
    """Return one line of the table of tests."""
    result = {True: "equal", False: "different", None: "not run"}[verdict.equal]
    looks_at = TESTS.get(verdict.test.split()[0].split("(")[0], "")
    why = str(verdict.witnesses[0]) if verdict.witnesses else verdict.note
    return f"{verdict.test:<{width}}  {result:<9}  {looks_at:<29}  {why}".rstrip()


def read_shown(
    path: Path,
    reading: Reading,
    printing: Printing,
    edge_labels: str | None = None,
    weights: str | None = None,
) -> Graph:
    """Return the graph of a file with the columns of its edges that are used, with progress."""
    with printing.progress("reading", path=path):
        return reading.read(path, Features(edge_labels=edge_labels, weights=weights))

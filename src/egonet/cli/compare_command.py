"""The command `egonet compare`: whether two graphs are isomorphic, and which tests distinguish them."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

import egonet
from egonet.cli.options import (
    FEATURES,
    OUTPUT,
    Bins,
    BothLabels,
    EdgeColumns,
    LabelColumns,
    LabeledReading,
    MaxDegree,
    OtherReading,
    Reading,
    command,
    option,
    parse_radius,
)
from egonet.cli.output import Printing, print_result
from egonet.cli.table_files import read_both_labels
from egonet.errors import InputError, rename_options
from egonet.graph.graph import Graph
from egonet.wl.compare import Comparison


@dataclass(frozen=True)
class Tested(EdgeColumns):
    """What the tests of `egonet compare` look at."""

    radius: Annotated[str, option(FEATURES, "Radii of the encodings to compare.", "--radius", "-r")] = "1,2"
    degree_bins: Bins = None
    max_degree: MaxDegree = None
    labels: BothLabels = None

    def keywords(self, graphs: list[Graph], columns: LabelColumns) -> dict[str, Any]:
        """Return the keywords of `egonet.compare`; settings that are not given add no test."""
        keywords = {name: value for name, value in vars(self).items() if value is not None}
        keywords |= {name: value for name, value in self.bins().items() if value is not None}
        columns.check_used(self.labels)
        keywords["labels"] = read_both_labels(self.labels, graphs, columns)
        return keywords | {"radius": parse_radius(self.radius)}


@command(
    "egonet compare a.csv b.csv",
    "egonet compare pair.g6 -r 1 --exit-code",
    "egonet compare a.csv b.csv --source from --target to --other-source payer --other-target payee",
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
    reading: LabeledReading,
    other_reading: OtherReading,
    tested: Tested,
    exit_code: Annotated[bool, option(OUTPUT, "Exit with 1 if the graphs differ.", "--exit-code")] = False,
    printing: Printing,
) -> None:
    """Tell whether two graphs are isomorphic, and which tests distinguish them."""
    if second is None:
        other_reading.check_unused()
        with printing.progress("reading", path=first):
            graphs = reading.read_many(first, tested)
    else:
        other = other_reading.after(reading, second)
        graphs = [
            read_shown(first, reading, printing, *tested.edges().values()),
            read_other(second, (reading, other), printing, *tested.edges().values()),
        ]
    if len(graphs) != 2:
        raise InputError(
            f"compare takes two graphs, got {len(graphs)} in {str(first)!r}. Name a second file."
        )
    with printing.progress("comparing"):
        comparison = egonet.compare(*graphs, **tested.keywords(graphs, reading))
    verdicts = [{**asdict(verdict), "looks_at": verdict.looks_at} for verdict in comparison.verdicts]
    facts = {"sizes": comparison.sizes, "isomorphic": comparison.isomorphic, "verdicts": verdicts}
    print_result({"verdict": comparison.sentence, **facts}, comparison_text(comparison), printing)
    if exit_code and comparison.differ:
        raise typer.Exit(1)


def comparison_text(comparison: Comparison) -> str:
    """Return the verdict and a line per test, then how to read the nodes that differ."""
    if not any(verdict.witnesses for verdict in comparison.verdicts):
        return str(comparison)
    return f"{comparison}\n\n3 (a, b, c) against 0: three nodes of the first graph look like no node of the second."


def read_shown(path: Path, reading: Reading, printing: Printing, *columns: str | None) -> Graph:
    """Return the graph of a file with the columns of its edges that are used, with progress."""
    with printing.progress("reading", path=path):
        return reading.read(path, keep=columns)


def read_other(
    path: Path, readings: tuple[Reading, Reading], printing: Printing, *columns: str | None
) -> Graph:
    """Return the second of two graphs; `readings` are those of both, and errors name the options of the second file."""
    first, reading = readings
    try:
        return read_shown(path, reading, printing, *columns)
    except InputError as error:
        names = {each.name.removeprefix("other_"): each.name for each in fields(OtherReading)}
        text = rename_options(error.marked, names)
        shared = [end for end in (reading.source, reading.target) if end in (first.source, first.target)]
        if any(end is not None and f"no column {end!r}" in str(error) for end in shared):
            text += " If its columns have other names, add --other-source and --other-target."
        raise type(error)(text) from error

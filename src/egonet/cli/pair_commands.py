"""The command `egonet pairs`: a row of features per pair of nodes."""

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import typer

from egonet.checks import format_count
from egonet.cli.options import (
    FEATURES,
    INPUT,
    STDIN,
    EdgeColumns,
    GraphPath,
    LabeledReading,
    LogBins,
    MaxDegree,
    NodeLabels,
    Reading,
    Tables,
    Threads,
    Unseen,
    choice,
    column_or_position,
    command,
    option,
    output_option,
    parse_radius,
)
from egonet.cli.output import Printing, counts_in, print_csv, print_first_rows, print_json
from egonet.cli.table_files import read_labels
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import SUFFIXES, check_format
from egonet.encoding.unknown import HandleUnknown
from egonet.errors import IgnoredInputWarning, InputError, rename_options
from egonet.graph.graph import Graph
from egonet.graph.index import Flat
from egonet.io.files import reserved
from egonet.pairs.encode import encode_pairs
from egonet.pairs.index import SelfPairs, read_pairs

PairsPath = Annotated[
    Path,
    typer.Argument(
        help="A table with a pair of nodes per row: csv, tsv, txt (also .gz), parquet or arrow; - for stdin.",
        show_default=False,
    ),
]


#: Options for a file of edges, and those for a file of pairs.
_PAIR_OPTIONS = {
    "source": "first",
    "target": "second",
    "header": "pairs_header",
    "delimiter": "pairs_delimiter",
    "format": "pairs_format",
}
#: The formats of a table of pairs.
_PAIR_FORMATS = ("csv", "tsv", "text", "parquet", "arrow")


@dataclass(frozen=True)
class PairFeatures(EdgeColumns):
    """What is counted around each pair, and where the features go."""

    first: Annotated[
        str | None,
        option(INPUT, "The column of the first node in PAIRS: its name, or its position from 1.", "--first"),
    ] = None
    second: Annotated[str | None, option(INPUT, "The column of the second node in PAIRS.", "--second")] = None
    pairs_header: Annotated[
        bool | None,
        option(
            INPUT,
            "Whether the first line of PAIRS has column names; as --header by default.",
            "--pairs-header/--no-pairs-header",
        ),
    ] = None
    pairs_delimiter: Annotated[
        str | None, option(INPUT, "The character between the fields of PAIRS; by its ending otherwise.")
    ] = None
    pairs_format: Annotated[
        str | None, choice(INPUT, "--pairs-format", _PAIR_FORMATS, "Overrides the ending of PAIRS.")
    ] = None
    radius: Annotated[
        str | None,
        option(FEATURES, "Hops around both ends, or several: 1,2.", "--radius", "-r", show_default="1"),
    ] = None
    degree_bins: LogBins = None
    max_degree: MaxDegree = None
    without_edge: Annotated[
        bool,
        option(FEATURES, "Also count the edge between the two nodes.", " /--with-edge", show_default=False),
    ] = True
    ordered: Annotated[
        bool, option(FEATURES, "Keep the distance from the first node first.", "--ordered")
    ] = False
    ends_distance: Annotated[
        int | None,
        option(FEATURES, "Add the distance of both ends without their edge, up to this number."),
    ] = None
    labels: NodeLabels = None
    vocabulary: Annotated[
        Path | None,
        option(
            FEATURES,
            "Use the columns and settings of an earlier encoding of pairs: .npz .json .parquet .arrow.",
        ),
    ] = None
    unseen: Unseen = "clip"
    handle_unknown: Annotated[
        str,
        choice(
            FEATURES,
            "--handle-unknown",
            get_args(HandleUnknown),
            "A node that GRAPH does not have: an error, or counted as an isolated node, with or without a warning.",
        ),
    ] = "error"
    self_pairs: Annotated[
        str,
        choice(
            FEATURES,
            "--self-pairs",
            get_args(SelfPairs),
            "A pair of one node with itself: an error, or zeros.",
        ),
    ] = "error"
    output: Annotated[str | None, output_option(" ".join(SUFFIXES), "pairs")] = None
    threads: Threads = None

    def keywords(self, graph: Graph, reading: LabeledReading) -> dict[str, Any]:
        """Return the keywords of `egonet.encode_pairs`."""
        others = ("first", "second", "pairs_header", "pairs_delimiter", "pairs_format", "output")
        keywords = {name: value for name, value in vars(self).items() if name not in others}
        keywords |= {"labels": read_labels(self.labels, graph.node_ids, reading)} | self.bins()
        return keywords | {"radius": None if self.radius is None else parse_radius(self.radius)}


@command(
    "egonet pairs edges.csv pairs.parquet -o features.parquet",
    "egonet pairs edges.csv train.csv -r 2 --degree-bins log -o train.parquet",
    "egonet pairs edges.csv test.csv --vocabulary train.parquet -o test.parquet",
    "egonet pairs bonds.csv pairs.csv --labels atoms.csv --edge-labels kind -o features.parquet",
)
def pairs(
    graph: GraphPath,
    pairs: PairsPath,
    reading: LabeledReading,
    features: PairFeatures,
    tables: Tables,
    printing: Printing,
) -> None:
    """Write a row of features for every pair of nodes in PAIRS, or show the first ones."""
    output = features.output
    path = None if output in (None, "-") else Path(str(output))
    tables.check_used(output)
    if features.vocabulary is None and features.unseen != "clip":
        raise InputError("--unseen is about --vocabulary. Give both, or leave it out.")
    if path is not None:
        check_format(path, weighting=tables.weighting, form=tables.form)  # type: ignore[arg-type]
    began = time.perf_counter()
    with reserved(path, inputs=[graph, pairs, features.vocabulary, features.labels]):
        with printing.progress("reading", path=graph):
            read = reading.read(graph, features)
            ids = ids_like(read, read_listed(pairs, features, reading))
        with printing.progress("encoding") as report:
            listed = (
                ids.reshape(-1, 2)
                if isinstance(ids, np.ndarray)
                else list(zip(ids[::2], ids[1::2], strict=True))
            )
            encoding = encode_pairs(read, listed, progress=report, **features.keywords(read, reading))
        if path is not None:
            with printing.progress(f"writing {path.name}"):
                encoding.write(path, **vars(tables))
    seconds = time.perf_counter() - began
    if printing.as_json:
        print_json(pair_facts(encoding, output, seconds))
    elif output == "-":
        with printing.writing(output):
            print_csv(encoding, tables.weighting)
    elif path is None:
        print_pairs(encoding)
    size = f"{format_count(len(encoding), 'pair')}, {format_count(len(encoding.vocabulary), 'column')}"
    printing.say(f"{size}, {seconds:.1f} s; {encoding.unseen}")


def read_listed(path: Path, features: PairFeatures, reading: Reading) -> Flat:
    """Return the ids of a file of pairs; errors name the options of this file, not those of the graph."""
    first = column_or_position(features.first, "--first")
    second = column_or_position(features.second, "--second")
    header = reading.header if features.pairs_header is None else features.pairs_header
    missing: Any = reading.missing
    try:
        with warnings.catch_warnings(record=True) as notes:
            ids = read_pairs(
                STDIN if str(path) == "-" else path,
                source=first,
                target=second,
                header=header,
                delimiter=features.pairs_delimiter,
                missing=missing,
                format=features.pairs_format,
            )
    except InputError as error:
        raise type(error)(rename_options(error.marked, _PAIR_OPTIONS)) from error
    for note in notes:
        if isinstance(note.message, IgnoredInputWarning):
            text = rename_options(note.message.marked, _PAIR_OPTIONS)
            warnings.warn(IgnoredInputWarning(f"{path}: {text}"), stacklevel=2)
    return ids


def ids_like(graph: Graph, ids: Flat) -> Flat:
    """Return ids as text if the graph has text for ids and a file of pairs happens to have numbers alone.

    >>> ids_like(Graph.from_edges([("1", "b")]), np.array([1, 1]))
    ['1', '1']
    """
    numbers = isinstance(ids, np.ndarray) and ids.dtype.kind == "i"
    return [str(number) for number in ids.tolist()] if numbers and graph.node_ids.dtype.kind == "U" else ids  # type: ignore[union-attr]


def pair_facts(encoding: Encoding, output: str | None, seconds: float) -> dict[str, Any]:
    """Return what was done, for --json."""
    unseen, graph = encoding.unseen, encoding.graph
    assert graph is not None  # encode_pairs keeps it
    return {
        "graph": {"num_nodes": graph.num_nodes, "num_edges": graph.num_edges},
        "encoding": {
            "num_pairs": len(encoding),
            "num_columns": len(encoding.vocabulary),
            "num_entries": int(encoding.matrix.nnz),
            "settings": str(encoding.settings),
            "unseen": {"clipped": unseen.clipped, "dropped": unseen.dropped},
        },
        "output": output,
        "seconds": round(seconds, 3),
    }


def print_pairs(encoding: Encoding) -> None:
    """Print the first pairs as a table: both nodes, and how many nodes have each key."""
    matrix, columns = encoding.matrix, encoding.columns

    def row_of(row: int) -> tuple[Any, ...]:
        part = slice(*matrix.indptr[[row, row + 1]].tolist())
        keys = [columns[column] for column in matrix.indices[part].tolist()]
        counts = dict(zip(keys, matrix.data[part].tolist(), strict=True))
        return (*encoding.pairs[row].tolist(), counts_in(counts))

    print_first_rows(("source", "target", "count×(distances, degree)"), len(encoding), row_of)

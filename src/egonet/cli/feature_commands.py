"""Commands that compute features of a graph file: `egonet encode`, `embed` and `rings`."""

import time
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import egonet
from egonet.checks import format_count
from egonet.cli.options import (
    FEATURES,
    INPUT,
    OUTPUT,
    Features,
    GraphPath,
    LabeledReading,
    NodeColumns,
    Reading,
    Scale,
    Tables,
    Threads,
    Unseen,
    command,
    option,
    output_option,
    parse_node,
    switch,
)
from egonet.cli.output import (
    SHORT_ARCS,
    Printing,
    encoding_facts,
    print_encoding,
    print_first_rows,
    print_json,
    print_plan,
)
from egonet.cli.store_commands import encode_folder
from egonet.cli.table_files import WRITTEN, check_written, read_labels, read_nodes, write_columns
from egonet.embeddings.skipgram import Training, Walks
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import SUFFIXES, check_format, write_encoding
from egonet.encoding.ring_statistics import STATISTICS, RingStatistics, ring_statistics
from egonet.encoding.saved import read_vocabulary
from egonet.errors import InputError
from egonet.graph.columns import CountedColumn
from egonet.graph.graph import Graph
from egonet.io.files import reserved

LEARNING = "Learning"
#: An .npy file has the vectors only, without the ids.
VECTOR_SUFFIXES = (*WRITTEN, ".npy")


@dataclass(frozen=True)
class Destination:
    """Which nodes are encoded, by which columns, and where the features go."""

    root: Annotated[list[str] | None, option(INPUT, "Encode this node only; may be repeated.")] = None
    vocabulary: Annotated[
        Path | None,
        option(
            FEATURES,
            "Use the columns and settings of an earlier encoding: .npz .json .parquet .arrow or a folder.",
        ),
    ] = None
    unseen: Unseen = "clip"
    output: Annotated[
        str | None,
        option(
            OUTPUT,
            f"A file ({' '.join(SUFFIXES)}), a folder/ for graphs larger than memory, or - for CSV on stdout. "
            "Without it the first nodes are shown.",
            "--output",
            "-o",
        ),
    ] = None
    degree_rank: Annotated[
        bool,
        option(OUTPUT, "Write the rank of the node's degree as the first column.", "--degree-rank"),
    ] = False
    save_graph: Annotated[
        bool,
        option(OUTPUT, "Keep the graph in the .npz file, so that update needs no other.", "--save-graph"),
    ] = False


@command(
    "egonet encode edges.csv -r 1,2 -o features.parquet",
    "egonet encode payments.csv --source payer --target payee --degree-bins log -o features.csv",
    "egonet encode edges.csv --labels kinds.csv --save-graph -o features.npz",
    "egonet encode big.parquet -r 1 -o out/ --memory 2GB",
    "egonet encode - --format csv -o - < edges.csv",
)
def encode(
    graph: GraphPath,
    reading: LabeledReading,
    features: Features,
    destination: Destination,
    tables: Tables,
    printing: Printing,
    scale: Scale,
) -> None:
    """Encode every node of GRAPH and write the features, or show the first ones."""
    output = destination.output
    path = None if output in (None, "-") else Path(str(output))
    is_folder = path is not None and (str(output).endswith("/") or path.is_dir())
    check_scale(scale, is_folder=is_folder)
    if is_folder:
        unsupported = {
            "--root": destination.root,
            "--vocabulary": destination.vocabulary,
            "--save-graph": destination.save_graph,
            "--degree-rank": destination.degree_rank,
            "--form": tables.form,
            "--weighting": tables.weighting != "count",
        }
        encode_folder(graph, str(output), features, reading, scale, unsupported, printing)
        return
    tables.check_used(output)
    if destination.vocabulary is None and destination.unseen != "clip":
        raise InputError("--unseen is about --vocabulary. Give both, or leave it out.")
    if path is not None or destination.save_graph or destination.degree_rank:
        check_destination(destination, path, tables)
    began = time.perf_counter()
    inputs = [graph, destination.vocabulary, features.labels]
    with nullcontext() if path is None else reserved(path, inputs=inputs):
        with printing.progress("reading", path=graph):
            read = reading.read(graph, features)
        with printing.progress("reading labels"):
            labels = read_labels(features.labels, read.node_ids, reading)
        encoding = encode_graph(read, labels, destination, features, scale, printing)
        if path is not None:
            with printing.progress(f"writing {path.name}"):
                if destination.save_graph:
                    encoding.save(path, graph=True)
                else:
                    write_encoding(encoding, path, **vars(tables), degree_rank=destination.degree_rank)
    seconds = time.perf_counter() - began
    if printing.as_json:
        print_json(encoding_facts(encoding, read, output, seconds))
    else:
        ranks: Any = {"degree_rank": destination.degree_rank}
        with printing.writing("-" if output == "-" else None):
            print_encoding(encoding, read, output, seconds, tables, printing, **ranks)


def check_destination(destination: Destination, path: Path | None, tables: Tables) -> None:
    """Raise if the features cannot be written to `path` (None: they are printed) in this form."""
    output = destination.output
    if path is not None and not path.suffix:
        raise InputError(
            f"--output must be {' '.join(SUFFIXES)}, or a folder such as {output}/, got {output!r}."
        )
    if path is not None:
        form: Any = {"weighting": tables.weighting, "form": tables.form}
        check_format(path, **form, degree_rank=destination.degree_rank)
    if destination.degree_rank and output is None:
        raise InputError(
            "--degree-rank is a column of a table that is written. Add -o features.csv, or leave it out."
        )
    if destination.save_graph and (path is None or path.suffix != ".npz"):
        shown = "no file" if path is None else repr(output)
        raise InputError(f"--save-graph needs an .npz file to write, got {shown}. Give -o features.npz.")


def check_scale(scale: Scale, *, is_folder: bool) -> None:
    """Raise for options that need --engine spark or --output folder/."""
    cluster = ("master", "partitions", "memory_per_task", "dry_run")
    plain = Scale()
    first = next((name for name in cluster if getattr(scale, name) is not getattr(plain, name)), None)
    if scale.engine == "memory" and first:
        raise InputError(f"--{first.replace('_', '-')} is for Spark. Add --engine spark.")
    if scale.engine == "spark" and not is_folder:
        raise InputError("Spark writes to a folder. Give --output folder/.")
    if scale.memory is not None and not is_folder:
        raise InputError("--memory is for a folder. Give --output folder/, or use --memory-limit.")


def encode_graph(
    graph: Graph,
    labels: Any,
    destination: Destination,
    features: Features,
    scale: Scale,
    printing: Printing,
) -> Encoding:
    """Return the encoding of a graph in memory."""
    learned = None if destination.vocabulary is None else read_vocabulary(destination.vocabulary)
    settings = features.settings()
    roots = [parse_node(graph, text) for text in destination.root] if destination.root else None
    is_long = float(graph.num_nodes) * len(graph.indices) > SHORT_ARCS and settings.degrees != "in_out"
    if is_long and learned is None and roots is None and settings.rooted == "node":
        print_plan(graph, settings, printing)
    keywords: Any = {"threads": scale.threads, "memory_limit": scale.memory_limit, "device": scale.device}
    keywords |= {} if learned is None else features.changed_settings()
    with printing.progress("encoding") as report:
        return egonet.encode(
            graph,
            settings if learned is None else None,
            labels=labels,
            roots=roots,
            vocabulary=learned,
            unseen=destination.unseen,  # type: ignore[arg-type]
            progress=report,
            **keywords,
            **features.edges(),
        )


@dataclass(frozen=True)
class Learning:
    """How vectors are learned."""

    dim: Annotated[int, option(LEARNING, "Length of the vectors.")] = 128
    epochs: Annotated[int, option(LEARNING, "Passes over the graph.")] = Training.epochs
    walks: Annotated[int, option(LEARNING, "Walks from every node in a pass.")] = Walks.per_node
    length: Annotated[int, option(LEARNING, "Nodes of a walk.")] = Walks.length
    window: Annotated[int, option(LEARNING, "Steps within which nodes of a walk are a pair.")] = Walks.window
    negatives: Annotated[int, option(LEARNING, "Random nodes per pair.")] = Training.negatives
    rate: Annotated[float, option(LEARNING, "Learning rate.")] = Training.rate
    patience: Annotated[int | None, option(LEARNING, "Stop after this many passes without a lower loss.")] = (
        None
    )
    seed: Annotated[int, option(LEARNING, "Equal seeds give equal vectors.", min=0)] = 0
    model: Annotated[
        Path | None, option(LEARNING, "Apply the vectors that --save wrote (.npz); learn nothing.")
    ] = None
    save: Annotated[
        Path | None, option(LEARNING, "Also write the learned vectors, to apply to other graphs (.npz).")
    ] = None


@command(
    "egonet embed edges.csv -o vectors.parquet --save model.npz",
    "egonet embed other.csv -o others.parquet --model model.npz",
    "egonet embed bonds.csv -o vectors.parquet --labels atoms.csv --edge-labels kind",
)
def embed(
    graph: GraphPath,
    *,
    reading: LabeledReading,
    features: Features,
    learning: Learning,
    output: Annotated[
        str,
        option(
            OUTPUT, f"The vectors: {' '.join(VECTOR_SUFFIXES)}, or - for CSV on stdout.", "--output", "-o"
        ),
    ],
    printing: Printing,
) -> None:
    """Learn a vector for every node of GRAPH from random walks, or apply vectors learned before."""
    path = None if output == "-" else Path(output)
    if path is not None:
        check_written(path, "vectors", VECTOR_SUFFIXES)
    model, save = learning.model, learning.save
    learned = [each.name for each in fields(Learning) if getattr(learning, each.name) != each.default]
    unused = [*features.changed_settings(), *(name for name in learned if name not in ("model", "save"))]
    if model is not None and unused:
        raise InputError(f"--model has its settings. Leave {switch(unused[0])} out.")
    began = time.perf_counter()
    with reserved(path, save, inputs=[graph, model, features.labels]):
        if save is not None and save.suffix != ".npz":
            raise InputError(f"--save writes an .npz file, got {save.name!r}.")
        with printing.progress("reading", path=graph):
            read = reading.read(graph, features)
        labels = read_labels(features.labels, read.node_ids, reading)
        if model is not None:
            embedding = egonet.Embedding.load(model)
        else:
            embedding = learn(read, labels, features, learning, printing)
        encoding = embedding.encode(read, labels=labels, **features.edges())
        with printing.writing(output):
            vectors = dict(zip(embedding.feature_names, embedding.transform(encoding).T, strict=True))
            write_columns({"node": encoding.nodes} | vectors, path)
            if save is not None:
                embedding.save(save)
    seconds = time.perf_counter() - began
    history = embedding.history
    if printing.as_json:
        facts = {
            "num_rows": len(encoding),
            "dim": embedding.dim,
            "losses": history.losses,
            "num_pairs": history.num_pairs,
            "unseen": {"clipped": encoding.unseen.clipped, "dropped": encoding.unseen.dropped},
            "output": output,
            "seconds": round(seconds, 3),
        }
        print_json(facts)
        return
    if history.losses and model is None:
        printing.say(f"Loss per epoch: {' '.join(f'{loss:.4f}' for loss in history.losses)}.")
    if encoding.unseen.num_rows:
        printing.say(f"Note: {encoding.unseen}.")
    did = "" if path is None else f"Wrote {output}: "
    printing.say(f"{did}{format_count(len(encoding), 'vector')} of {embedding.dim}, in {seconds:.2f} s.")


def learn(
    graph: Graph, labels: Any, features: Features, learning: Learning, printing: Printing
) -> egonet.Embedding:
    """Return vectors learned from random walks in a graph."""
    training = Training(learning.negatives, learning.epochs, learning.rate, patience=learning.patience)
    with printing.progress("learning", unit="starts of walks") as report:
        return egonet.fit_embeddings(
            graph,
            dim=learning.dim,
            walks=Walks(learning.walks, learning.length, learning.window),
            training=training,
            rng=learning.seed,
            progress=report,
            labels=labels,
            **features.edges(),
            **features.changed_settings(),
        )


@dataclass(frozen=True)
class ValueReading(Reading, NodeColumns):
    """How a graph file and a table of values of its nodes are read."""

    value_columns: Annotated[
        str | None,
        option(
            INPUT, "The columns of --node-values to add up, by name or position: age,income; all otherwise."
        ),
    ] = None


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
    statistics: Annotated[str, option(FEATURES, f"Any of {', '.join(STATISTICS)}, separated by commas.")] = (
        "sum,mean,min,max"
    )
    output: Annotated[str | None, output_option(".parquet .arrow .csv", "nodes")] = None
    threads: Threads = None


@command(
    "egonet rings payments.csv --edge-values amount -o amounts.parquet",
    "egonet rings payments.csv --directed out --edge-values amount --statistics sum,count -r 3 -o sent.csv",
    "egonet rings friends.csv --node-values people.csv -r 1 -o neighbors.parquet",
)
def rings(graph: GraphPath, reading: ValueReading, values: RingValues, printing: Printing) -> None:
    """Write exact statistics of the values of edges or nodes at every distance from every node."""
    output = values.output
    path = None if output in (None, "-") else Path(str(output))
    if path is not None:
        check_written(path)
    if (values.edge_values is None) == (values.node_values is None):
        raise InputError("give either --edge-values COLUMN or --node-values FILE.")
    if reading.value_columns is not None and values.node_values is None:
        raise InputError("--value-columns is about --node-values. Leave it out, or give --node-values FILE.")
    reading.check_used(values.node_values)
    began = time.perf_counter()
    with reserved(path, inputs=[graph, values.node_values]):
        with printing.progress("reading", path=graph):
            names = None if values.edge_values is None else values.edge_values.split(",")
            read = reading.read(graph, keep=[*map(CountedColumn, names or ())])
        with printing.progress("adding up"):
            statistics = count_rings(read, names, values, reading)
        columns = dict(zip(statistics.feature_names, statistics.values.T, strict=True))
        if path is not None or output == "-":
            with printing.writing(output):
                write_columns({"node": statistics.nodes} | columns, path)
    seconds = time.perf_counter() - began
    facts = {"num_nodes": len(statistics.nodes), "num_columns": len(statistics.feature_names)}
    if printing.as_json:
        print_json(facts | {"output": output, "seconds": round(seconds, 3)})
    elif output is None:
        print_rings(statistics)
    size = f"{format_count(len(statistics.nodes), 'node')}, {format_count(len(statistics.feature_names), 'column')}"
    printing.say(f"{size}, {seconds:.1f} s")


def count_rings(
    graph: Graph, names: list[str] | None, values: RingValues, reading: ValueReading
) -> RingStatistics:
    """Return the statistics of columns of edges, or of a table of nodes."""
    statistics: Any = [name.strip() for name in values.statistics.split(",")]
    options: dict[str, Any] = {"threads": values.threads}
    if names is not None:
        columns: Any = names[0] if len(names) == 1 else names
        return ring_statistics(graph, columns, values.radius, statistics, on="edges", **options)
    assert values.node_values is not None  # one of the two is given
    parts, features = [], []
    for column, numbers in node_numbers(values.node_values, graph, reading).items():
        part = ring_statistics(graph, numbers, values.radius, statistics, **options)
        parts.append(part.values)
        features += [name.replace("_", f"_{column}_", 1) for name in part.feature_names]
    return RingStatistics(np.hstack(parts), graph.node_ids, features)


def node_numbers(path: Path, graph: Graph, reading: ValueReading) -> dict[str, dict[Any, Any]]:
    """Return the columns of a table of nodes: name to (id to number)."""
    names = reading.value_columns
    picked = None if names is None else {"--value-columns": names.split(",")}
    table, ids = read_nodes(path, "numbers", graph.node_ids, reading, picked)
    return {name: dict(zip(ids, table.numbers(name), strict=True)) for name in table.columns}


def print_rings(statistics: RingStatistics) -> None:
    """Print the statistics of the first nodes as a table."""
    names = statistics.feature_names
    print_first_rows(
        ("node", "statistics"),
        len(statistics.nodes),
        lambda row: (
            statistics.nodes[row],
            [f"{name} {value:g}" for name, value in zip(names, statistics.values[row].tolist(), strict=True)],
        ),
    )

"""Commands on stored encodings: encoding into a folder, `egonet update` and `egonet verify`."""

import shlex
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import egonet
from egonet import store as stores
from egonet.checks import format_count
from egonet.cli.options import (
    INPUT,
    OUTPUT,
    STDIN,
    Features,
    LabeledReading,
    Reading,
    Scale,
    command,
    option,
)
from egonet.cli.output import Printing, print_json, resumable
from egonet.cli.table_files import read_labels
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import check_format, write_encoding
from egonet.errors import InputError, MissingFileError, show_value
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.index import other_type
from egonet.io.files import reserved
from egonet.io.paths import FORMATS, require_file
from egonet.kernel.cost import as_bytes
from egonet.store.encoding import StoredRows
from egonet.store.spark_plan import SparkPlan

#: Sorting and searching need at least this much; less is a mistake, such as a missing unit.
LEAST_MEMORY = 10**6
#: Formats whose ids have a type.
TYPED = ("parquet", "arrow")


def encode_folder(
    graph: Path,
    output: str,
    features: Features,
    reading: LabeledReading,
    scale: Scale,
    unsupported: dict[str, Any],
    printing: Printing,
) -> None:
    """Encode an edge list into a folder, and print what the folder contains."""
    if str(graph) == "-":
        raise InputError(
            "encoding into a folder reads the file again on resuming, so it takes no stdin. Save it to a file first."
        )
    check_unsupported(
        **unsupported,
        **{
            f"--{name}": getattr(reading, name)
            for name in ("delimiter", "comment", "format", "missing", "ids")
        },
        **{"--device": scale.device != "cpu", "--memory-limit": scale.memory_limit},
    )
    began, num_counted = time.perf_counter(), 0
    settings, labels = features.settings(), read_labels(features.labels, columns=reading)
    keywords = reading.keywords()
    read: Any = {name: keywords[name] for name in ("source", "target", "header", "directed")}
    read["memory"] = check_memory(scale.memory or "2GB")
    with printing.progress("encoding", path=graph) as report, resumable():

        def count(done: int, total: int) -> None:
            nonlocal num_counted
            num_counted += 1
            report(done, total)

        if scale.engine == "spark":
            check_unsupported(
                **{"--labels": features.labels, "--threads": scale.threads},
            )
            result = stores.spark(
                graph,
                output,
                settings,
                master=scale.master,
                partitions=scale.partitions,
                memory_per_task=scale.memory_per_task or "2GB",
                dry_run=scale.dry_run,
                progress=report,
                **features.edges(),
                **read,
            )
        else:
            result = stores.encode(
                graph,
                output,
                settings,
                labels=labels,
                threads=scale.threads,
                progress=count,
                **features.edges(),
                **read,
            )
    if isinstance(result, SparkPlan):
        _print_cluster_plan(result, printing)
        return
    num_kept = None if scale.engine == "spark" else num_counted
    print_folder(folder_facts(result, output, num_kept, time.perf_counter() - began), printing)


_WAYS_OUT = {
    "vocabulary": "write to a file, with --root for some nodes at a time",
    "root": "write to a file",
    "weighting": "leave it out, and weight what you read: egonet show folder/ --weighting log -o features.parquet",
    "form": "leave it out, and choose it later: egonet show folder/ --form wide -o features.parquet",
    "memory-limit": "give --memory, which is what counting may use",
    "delimiter": "name the file .csv or .tsv, or convert it to Parquet",
    "comment": "drop the lines, or convert the file to Parquet",
    "format": "name the file .csv, .tsv, .txt or .parquet",
    "threads": "Spark's master decides the number of cores",
}


def check_unsupported(**options: Any) -> None:
    """Raise for options that a folder does not support, with the way out."""
    for name, value in options.items():
        if value is not None and value is not False:
            way_out = _WAYS_OUT.get(name.strip("-"), "leave it out")
            raise InputError(f"{name} is not possible with a folder of counts: {way_out}.")


def check_memory(text: str) -> str:
    """Return the text of --memory; raise if it is so small that its unit must be missing."""
    try:
        is_enough = as_bytes(text) >= LEAST_MEMORY
    except InputError:
        is_enough = False
    if not is_enough:
        raise InputError(f"--memory must be 1MB or more, with its unit, as in 2GB, got {text!r}.")
    return text


def _print_cluster_plan(plan: SparkPlan, printing: Printing) -> None:
    if printing.as_json:
        print_json({"plan": str(plan), **vars(plan)})
    else:
        typer.echo(str(plan))


def folder_facts(encoding: Encoding, output: str, num_counted: int | None, seconds: float) -> dict[str, Any]:
    """Return what a folder contains, for --json; `num_counted` blocks are new, all of them if None."""
    stored = encoding.source
    assert isinstance(stored, StoredRows)
    graph, num_blocks = stored.store, len(stored.manifest["blocks"])
    return {
        "graph": {
            "num_nodes": graph.num_nodes,
            "num_edges": graph.manifest["num_arcs"] // (1 if graph.directed else 2),
            "changes": str(GraphInfo(**graph.manifest["info"])),
        },
        "output": output,
        "num_rows": len(encoding),
        "num_columns": len(encoding.vocabulary),
        "num_entries": stored.manifest["num_entries"],
        "num_blocks": num_blocks,
        "num_blocks_kept": 0 if num_counted is None else num_blocks - num_counted,
        "graph_digest": graph.digest,
        "seconds": round(seconds, 3),
    }


def print_folder(facts: dict[str, Any], printing: Printing) -> None:
    if printing.as_json:
        print_json(facts)
        return
    graph, num_kept, total = facts["graph"], facts["num_blocks_kept"], facts["num_blocks"]
    printing.say(
        f"{format_count(graph['num_nodes'], 'node')}, {format_count(graph['num_edges'], 'edge')}; {graph['changes']}."
    )
    blocks = format_count(total, "block")
    if 0 < num_kept < total:
        blocks += f" ({num_kept:,} were there before)"
    did = "Nothing left to do in" if num_kept == total > 0 else "Wrote"
    printing.say(
        f"{did} {facts['output']}: {format_count(facts['num_rows'], 'row')}, "
        f"{format_count(facts['num_columns'], 'column')}, {facts['num_entries']:,} entries in {blocks}, in "
        f"{facts['seconds']:.2f} s. Look at it with egonet show {shlex.quote(facts['output'])}."
    )


@command(
    "egonet update out/ --added new.csv --removed gone.csv",
    "egonet update features.npz --added new.csv -o after.npz",
)
def update(
    encoding: Annotated[
        Path, typer.Argument(help="An encoding: a folder, or an .npz file.", show_default=False)
    ],
    added: Annotated[Path | None, option(INPUT, "A file with the edges to add.")] = None,
    removed: Annotated[Path | None, option(INPUT, "A file with the edges to remove.")] = None,
    graph: Annotated[
        Path | None,
        option(
            INPUT, "The graph of an .npz encoding before the change; not needed after encode --save-graph."
        ),
    ] = None,
    *,
    reading: Reading,
    output: Annotated[
        str | None, option(OUTPUT, "The file to write; a folder is changed in place.", "--output", "-o")
    ] = None,
    printing: Printing,
) -> None:
    """Update ENCODING after edges were added or removed, without encoding the whole graph again."""
    began = time.perf_counter()
    if added is None and removed is None:
        raise InputError("there is nothing to update. Give --added, --removed or both.")
    if not encoding.exists():
        raise MissingFileError(f"there is no file or folder {str(encoding)!r}.")
    if reading.directed is not None:
        raise InputError("an encoding knows whether its graph is directed. Leave --directed out.")
    read = partial(egonet.read_graph, **{**reading.keywords(), "directed": None})
    changes = (added, removed)
    with printing.progress(f"updating {encoding.name}"), resumable():
        if encoding.is_dir():
            if graph is not None or output is not None:
                raise InputError(
                    "a folder contains its graph and is changed in place. Leave --graph and --output out."
                )
            before = egonet.load(encoding).graph
            assert before is not None  # a folder has one
            edges = [read_edges(path, before, read) for path in changes]
            check_labels(egonet.load(encoding), before, edges[0])
            after: Encoding = stores.update(encoding, *edges)
            output = str(encoding)
        else:
            after, output = _update_file(encoding, changes, graph, output, read)
    facts = {"output": output, "num_rows": len(after), "seconds": round(time.perf_counter() - began, 3)}
    if printing.as_json:
        print_json(facts)
    printing.say(f"Updated {output}: {len(after):,} rows, in {facts['seconds']:.2f} s.")


def _update_file(
    encoding: Path,
    changes: tuple[Path | None, Path | None],
    graph: Path | None,
    output: str | None,
    read: Callable[..., Graph],
) -> tuple[Encoding, str]:
    """Return the updated encoding of a file, and where it was written."""
    if output is None:
        raise InputError("an encoding in a file is written to another file. Give --output.")
    check_format(Path(output), weighting="count", form=None)
    if encoding.suffix != ".npz":
        raise InputError(
            f"an encoding that is updated is a folder or an .npz file, got {encoding.name!r}. Encode again with "
            "--save-graph -o features.npz."
        )
    with reserved(Path(output), inputs=[encoding, graph, *changes]):
        before = egonet.load(encoding)
        keeps = before.graph is not None
        if graph is not None:
            directed = None if before.origin is None else before.origin.directed
            before = before.with_graph(read(graph, directed=directed))
        if before.graph is None:
            raise InputError(
                "this file does not contain its graph. Give --graph, or encode with --save-graph."
            )
        edges = [read_edges(path, before.graph, read) for path in changes]
        check_labels(before, before.graph, edges[0])
        after = before.update(*edges)
        if keeps and Path(output).suffix == ".npz":
            after.save(output, graph=True)
        else:
            write_encoding(after, output)
    return after, output


def check_labels(encoding: Encoding, stored: Graph, added: list[tuple[Any, Any]]) -> None:
    """Raise for new nodes if nodes have labels: `egonet update` takes none."""
    if encoding.vocabulary.labels is None:
        return
    new = list(dict.fromkeys(node for edge in added for node in edge if stored.find(node) is None))
    if new:
        first = show_value(new[0])
        raise InputError(f"{len(new):,} new nodes have no labels, first {first}. Encode again with --labels.")


def read_edges(path: Path | None, stored: Graph, read: Callable[..., Graph]) -> list[tuple[Any, Any]]:
    """Return the edges of a file as pairs of ids; those of text get the type of the ids of the graph `stored`.

    New nodes are in the order of the file; a node without edges is the pair (node, node).
    """
    if path is None:
        return []
    graph = read(STDIN if str(path) == "-" else path, directed=stored.directed and "out")
    ids = stored.node_ids
    kinds: set[type] = {int} if ids.dtype.kind in "iu" else set(map(type, ids.tolist()))
    nodes = graph.node_ids.tolist()
    if FORMATS.get(path.suffix.lower()) not in TYPED:  # whose digits are one or the other
        nodes = [_as_known(node, stored, kinds if len(ids) else set(), path) for node in nodes]
    source, target = np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices
    if graph.directed is None:
        source, target = source[source < target], target[source < target]
    lonely = np.setdiff1d(np.arange(graph.num_nodes), np.concatenate([source, target]))
    source, target = np.concatenate([source, lonely]), np.concatenate([target, lonely])
    # Rows follow the first appearance in the file: of two new ends of one edge, the first was named first.
    order = np.lexsort((source, -np.minimum(source, target), np.maximum(source, target)))
    return [(nodes[a], nodes[b]) for a, b in zip(source[order].tolist(), target[order].tolist(), strict=True)]


def _as_known(node: Any, stored: Graph, kinds: set[type], path: Path) -> Any:
    """Return an id that was read from a file, with the type that the ids of a graph have."""
    if kinds == {str}:
        return str(node)
    twin = other_type(node)
    if kinds == {int} and isinstance(node, str):
        if twin is None or str(twin) != node:
            raise InputError(
                f"{path}: the ids of the encoding are whole numbers, got {show_value(node)}. Give new nodes numbers, "
                "or encode a graph whose ids are names."
            )
        return twin
    if twin is None or stored.find(twin) is None:
        return node
    if stored.find(node) is not None:
        raise InputError(
            f"{path}: the graph has both {show_value(node)} and {show_value(twin)}, and the file may mean either. "
            "Write the edges as Parquet, where numbers and text differ."
        )
    return twin


@command("egonet verify out/", "egonet verify out/ --graph edges.csv")
def verify(
    store: Annotated[Path, typer.Argument(help="A folder that egonet encode wrote.", show_default=False)],
    graph: Annotated[
        Path | None, option(INPUT, "The file that was encoded, in case the graph in STORE is damaged.")
    ] = None,
    *,
    repair: Annotated[
        bool, option(OUTPUT, "Do not compute damaged files again.", " /--no-repair", show_default=False)
    ] = True,
    printing: Printing,
) -> None:
    """List the damaged files of STORE and compute them again; exit 1 if damage remains."""
    if not store.is_dir():
        what = "is a file" if store.exists() else "does not exist"
        raise MissingFileError(f"{store} {what}. Give a folder that egonet encode wrote.")
    if graph is not None:
        require_file(graph)
    with printing.progress(f"verifying {store.name}"), resumable():
        report = stores.verify(store, graph, repair=repair)
    if printing.as_json:
        print_json({"damaged": report.damaged, "repaired": report.repaired})
    else:
        for file in report.damaged:
            typer.echo(f"{file}\t{'repaired' if file in report.repaired else 'damaged'}")
        left = len(report.damaged) - len(report.repaired)
        printing.say(f"{left:,} damaged files remain." if left else f"{store} is intact.")
    if not report.is_intact:
        raise typer.Exit(1)

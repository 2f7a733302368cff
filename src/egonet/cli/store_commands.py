"""Commands on folders and on changed graphs: encoding into a store, and `egonet update`."""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import egonet
from egonet import store
from egonet.cli.options import AsJson, Comment, Delimiter, Format, Header, Source, Target, reading, text_words
from egonet.encoding.encoding import Encoding
from egonet.encoding.export import check_format, write_encoding
from egonet.errors import InputError
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.ids import other_type, show
from egonet.io.atomic import reserved
from egonet.kernel.cost import as_bytes
from egonet.kernel.native import Progress as Report
from egonet.store.spark_plan import SparkPlan
from egonet.store.stored_encoding import StoredRows

#: What sorting and searching need to get on; less is a slip, such as a missing unit.
LEAST_MEMORY = 10**6


def is_folder(output: str | None) -> bool:
    """Return whether an output path means a folder: it ends with a slash, or is one."""
    return output is not None and output != "-" and (output.endswith("/") or Path(output).is_dir())


def check_engine(engine: str, output: str | None, cluster: dict[str, Any]) -> None:
    """Refuse an engine that does not exist, and options of Spark without Spark."""
    if engine not in ("memory", "spark"):
        raise InputError(f"--engine must be memory or spark, got {engine!r}.")
    given = [name for name, value in cluster.items() if value]
    if engine == "memory" and given:
        raise InputError(f"--{given[0].replace('_', '-')} is for Spark. Add --engine spark.")
    if engine == "spark" and not is_folder(output):
        raise InputError("Spark writes to a folder. Give --output folder/.")


def encode_folder(
    graph: Path, output: str, radius: Any, report: Report, options: dict[str, Any], refused: dict[str, Any]
) -> dict[str, Any]:
    """Encode an edge list into a folder and return the facts to print."""
    check_unsupported(**refused)
    began = time.perf_counter()
    memory = check_memory(options.pop("memory") or "2GB")
    threads = options.pop("threads")
    words = {name: value for name, value in options.items() if value is not None}
    num_counted = 0

    def count(done: int, total: int) -> None:
        nonlocal num_counted
        num_counted += 1
        report(done, total)

    if "dry_run" in words:
        found: Encoding | SparkPlan = store.spark(
            graph, output, radius, memory=memory, progress=report, **words
        )
    else:
        found = store.encode(graph, output, radius, memory=memory, threads=threads, progress=count, **words)
    if isinstance(found, SparkPlan):
        return {"plan": str(found), **vars(found)}
    stored = found.source
    assert isinstance(stored, StoredRows)
    num_blocks, held = len(stored.manifest["blocks"]), stored.store
    return {
        "graph": {
            "num_nodes": held.num_nodes,
            "num_edges": held.manifest["num_arcs"] // (1 if held.directed else 2),
            "changes": str(GraphInfo(**held.manifest["info"])),
        },
        "output": output,
        "num_rows": stored.num_rows,
        "num_columns": len(stored.vocabulary),
        "num_entries": stored.manifest["num_entries"],
        "num_blocks": num_blocks,
        "num_blocks_kept": 0 if "dry_run" in words else num_blocks - num_counted,
        "graph_digest": stored.store.digest,
        "seconds": round(time.perf_counter() - began, 3),
    }


_WAYS_OUT = {
    "vocabulary": "encode in memory with it, some roots at a time: encode(graph, vocabulary=..., roots=...)",
    "root": "write to a file instead of a folder, or use egonet.store.encode(..., roots=...)",
    "weighting": "leave it out, and weight what you read: egonet.load(folder).weighted(...)",
    "form": "leave it out, and write what you need: egonet.load(folder).to_arrow(form=...)",
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
    """Return the memory of a run as it was given; refuse so little that it would hardly end: a missing unit."""
    try:
        enough = as_bytes(text) >= LEAST_MEMORY
    except InputError:
        enough = False
    if not enough:
        raise InputError(f"--memory must be 1MB or more, with its unit, as in 2GB, got {text!r}.")
    return text


def print_folder(facts: dict[str, Any], *, as_json: bool) -> None:
    """Say what a folder holds now."""
    if as_json:
        typer.echo(json.dumps(facts))
        return
    if "plan" in facts:
        typer.echo(facts["plan"])
        return
    graph, kept, total = facts["graph"], facts["num_blocks_kept"], facts["num_blocks"]
    typer.echo(f"{graph['num_nodes']:,} nodes, {graph['num_edges']:,} edges; {graph['changes']}.", err=True)
    blocks = f"{total:,} block" + "s" * (total != 1)
    if 0 < kept < total:
        blocks += f" ({kept:,} of them were there)"
    did = "Nothing left to do in" if kept == total > 0 else "Wrote"
    typer.echo(
        f"{did} {facts['output']}: {facts['num_rows']:,} rows, {facts['num_columns']:,} columns, "
        f"{facts['num_entries']:,} entries in {blocks}, in {facts['seconds']:.2f} s. Open it with egonet.load.",
        err=True,
    )


def update(
    encoding: Annotated[
        Path, typer.Argument(help="An encoding: a folder, or an .npz file.", show_default=False)
    ],
    added: Annotated[Path | None, typer.Option(help="A file with the edges to add.")] = None,
    removed: Annotated[Path | None, typer.Option(help="A file with the edges to remove.")] = None,
    graph: Annotated[
        Path | None,
        typer.Option(help="The graph of an .npz encoding, as it was; not needed after encode --save-graph."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write; a folder is changed in place.")
    ] = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Bring ENCODING up to date after edges came and went, without encoding the whole graph again."""
    began = time.perf_counter()
    if added is None and removed is None:
        raise InputError("there is nothing to bring up to date. Give --added, --removed or both.")
    text = text_words(delimiter, comment, header, file_format)
    read = partial(egonet.read_graph, **reading(source, target), **text)
    changes = (added, removed)
    if encoding.is_dir():
        if graph is not None or output is not None:
            raise InputError(
                "a folder has its own graph and is changed in place. Leave --graph and --output out."
            )
        held = egonet.load(encoding).graph
        assert held is not None  # a folder has one
        after: Encoding = store.update(encoding, *(read_pairs(path, held, read) for path in changes))
        output = str(encoding)
    else:
        after, output = _update_file(encoding, changes, graph, output, read)
    facts = {"output": output, "num_rows": len(after), "seconds": round(time.perf_counter() - began, 3)}
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        typer.echo(f"Updated {output}: {len(after):,} rows, in {facts['seconds']:.2f} s.", err=True)


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
    with reserved(Path(output), inputs=[encoding, graph, *changes]):
        before = egonet.load(encoding)
        keeps = before.graph is not None
        if graph is not None:
            directed = None if before.origin is None else before.origin.directed
            before = before.with_graph(read(graph, directed=directed))
        if before.graph is None:
            raise InputError("this file does not keep its graph. Give --graph, or encode with --save-graph.")
        after = before.update(*(read_pairs(path, before.graph, read) for path in changes))
        if keeps and Path(output).suffix == ".npz":
            after.save(output, graph=True)
        else:
            write_encoding(after, output)
    return after, output


def read_pairs(path: Path | None, known: Graph, read: Callable[..., Graph]) -> list[tuple[Any, Any]]:
    """Return the edges of a file as pairs of ids, of the type that ids have in the graph that is `known`.

    New nodes come in the order in which the file names them, and a self-loop stands for a node without edges.
    """
    if path is None:
        return []
    graph = read(path, directed=known.directed and "out")
    ids = known.node_ids
    kinds: set[type] = {int} if ids.dtype.kind in "iu" else set(map(type, ids.tolist()))
    nodes = [_as_known(node, known, kinds if len(ids) else set(), path) for node in graph.node_ids.tolist()]
    source, target = np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices
    if graph.directed is None:
        source, target = source[source < target], target[source < target]
    lonely = np.setdiff1d(np.arange(graph.num_nodes), np.concatenate([source, target]))
    source, target = np.concatenate([source, lonely]), np.concatenate([target, lonely])
    # Rows follow the first appearance in the file: of two new ends of one edge, the first was named first.
    order = np.lexsort((source, -np.minimum(source, target), np.maximum(source, target)))
    return [(nodes[a], nodes[b]) for a, b in zip(source[order].tolist(), target[order].tolist(), strict=True)]


def _as_known(node: Any, known: Graph, kinds: set[type], path: Path) -> Any:
    """Return an id that was read from a file, with the type that the ids of a graph have."""
    if kinds == {str}:
        return str(node)
    twin = other_type(node)
    if kinds == {int} and isinstance(node, str):
        if twin is None or str(twin) != node:
            raise InputError(
                f"{path}: the ids of the encoding are whole numbers, got {show(node)}. Give new nodes numbers, or "
                "encode a graph whose ids are names."
            )
        return twin
    if twin is None or known.find(twin) is None:
        return node
    if known.find(node) is not None:
        raise InputError(f"{path}: the graph has both {show(node)} and {show(twin)}. Use Encoding.update.")
    return twin

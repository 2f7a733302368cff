"""The command `egonet encode`: a graph file in, features out."""

import time
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import egonet
from egonet.cli import store_commands
from egonet.cli.options import (
    AsJson,
    Comment,
    Common,
    Delimiter,
    Direct,
    Format,
    GraphPath,
    Header,
    Kind,
    Roots,
    Source,
    Target,
    parse_node,
    parse_radius,
    read_one,
    reading,
    text_words,
)
from egonet.cli.output import (
    encoding_facts,
    print_encoding,
    print_json,
    print_plan,
    progress_report,
    resumable,
)
from egonet.encoding.export import SUFFIXES, Form, check_format, write_encoding
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import one_of
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.errors import InputError
from egonet.io.atomic import reserved
from egonet.typing import Degrees


def encode(
    graph: GraphPath,
    radius: Annotated[
        str | None,
        typer.Option("--radius", "-r", help="Hops around each node, or several: 1,2.  [default: 2]"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help=f"Where to write: {' '.join(SUFFIXES)}, a folder/, or - for CSV on stdout."
        ),
    ] = None,
    degrees: Kind = "total",
    common: Common = False,
    rooted: Roots = "node",
    max_degree: Annotated[int | None, typer.Option(help="Count degrees above this as this.")] = None,
    degree_bins: Annotated[
        str | None, typer.Option(metavar="[log]", help="Merge degrees into 0, 1, 2-3, 4-7, ...")
    ] = None,
    frontier_edges: Annotated[
        bool, typer.Option(help="Count edges between nodes at the last distance.")
    ] = True,
    layout: Annotated[
        str,
        typer.Option(
            metavar="[observed|paper]", help="Columns: those seen, or all up to the largest degree."
        ),
    ] = "observed",
    cap: Annotated[
        int | None, typer.Option(help="Keep at most so many edges a node, by a hash: another encoding.")
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option(help="Use the columns of this earlier encoding (.npz).")
    ] = None,
    unseen: Annotated[
        str,
        typer.Option(metavar="[clip|ignore|error]", help="What happens to keys the vocabulary never saw."),
    ] = "clip",
    weighting: Annotated[
        str, typer.Option(metavar="[count|log|paper]", help="How counts are weighted.")
    ] = "count",
    form: Annotated[
        str | None,
        typer.Option(metavar="[wide|sparse]", help="Form of tables; wide up to 2,000 features if left out."),
    ] = None,
    root: Annotated[list[str] | None, typer.Option(help="Encode this node only; may be repeated.")] = None,
    save_graph: Annotated[
        bool,
        typer.Option("--save-graph", help="Keep the graph in the .npz file, so that update needs no other."),
    ] = False,
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
    threads: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    device: Annotated[str, typer.Option(metavar="[cpu|cuda]", help="Where to count; cuda is a GPU.")] = "cpu",
    memory_limit: Annotated[
        str | None, typer.Option(help="Refuse before starting what would take more memory, e.g. 2GB.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory to use when writing to a folder/. 2GB if left out.")
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="[memory|spark]", help="Spark runs on a cluster and writes to a folder/.")
    ] = "memory",
    master: Annotated[
        str | None, typer.Option(help="Spark's master, e.g. local[2,4] or spark://host:7077.")
    ] = None,
    partitions: Annotated[int | None, typer.Option(help="Ranges of nodes for Spark.")] = None,
    memory_per_task: Annotated[
        str | None, typer.Option(help="What a Spark task may use. 2GB if left out.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what Spark would do, and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Encode every node of GRAPH and write the features, or show the first ones."""
    cluster = {
        "master": master,
        "partitions": partitions,
        "memory_per_task": memory_per_task,
        "dry_run": dry_run,
    }
    store_commands.check_engine(engine, output, cluster)
    if store_commands.is_folder(output):
        options = {"degrees": degrees, "max_degree": max_degree, "degree_bins": degree_bins, "layout": layout}
        options |= {
            "frontier_edges": frontier_edges,
            "header": header,
            **reading(source, target, directed),
        }
        options |= {"memory": memory, "threads": threads, "cap": cap, "common": common, "rooted": rooted}
        refused = {
            "--root": root,
            "--vocabulary": vocabulary,
            "--form": form,
            "--save-graph": save_graph,
            "--weighting": weighting != "count",
            "--device": device != "cpu",
            "--delimiter": delimiter,
            "--comment": comment,
            "--format": file_format,
            "--memory-limit": memory_limit,
        }
        with progress_report("encoding") as report, resumable():
            hops = parse_radius(radius or "2")
            if engine == "spark":
                options |= cluster
            facts = store_commands.encode_folder(graph, str(output), hops, report, options, refused)
        store_commands.print_folder(facts, as_json=as_json)
        return
    if memory is not None:
        raise InputError("--memory is for a folder. Give --output folder/, or use --memory-limit.")
    path = None if output in (None, "-") else Path(str(output))
    shape: Any = {"weighting": weighting, "form": form}
    one_of("--weighting", weighting, get_args(Weighting))
    one_of("--unseen", unseen, get_args(UnseenPolicy))
    one_of("--form", form or "wide", get_args(Form))
    if path is not None:
        check_format(path, **shape)
    if save_graph and (path is None or path.suffix != ".npz"):
        raise InputError(f"--save-graph needs an .npz file to write, got {output!r}. Leave it out.")
    with reserved(path, inputs=[graph, vocabulary]):
        known = None if vocabulary is None else egonet.load(vocabulary).vocabulary
        began = time.perf_counter()
        text = text_words(delimiter, comment, header, file_format)
        read = read_one(graph, source, target, directed, **text)
        words: Any = {
            "degrees": degrees,
            "common": common,
            "rooted": rooted,
            "max_degree": max_degree,
            "degree_bins": degree_bins,
            "frontier_edges": frontier_edges,
            "layout": layout,
            "cap": cap,
            "vocabulary": known,
            "unseen": unseen,
            "roots": [parse_node(read, word) for word in root] if root else None,
            "threads": threads,
            "memory_limit": memory_limit,
            "device": device,
        }
        radii = None if known is not None and radius is None else parse_radius(radius or "2")
        if radii is not None and not root and rooted == "node" and degrees in get_args(Degrees):
            print_plan(read, radii, degrees)
        with progress_report("encoding") as report:
            encoding = egonet.encode(read, radii, progress=report, **words)
        seconds = time.perf_counter() - began
        if path is not None and save_graph:
            encoding.save(path, graph=True)
        elif path is not None:
            write_encoding(encoding, path, **shape)
    if as_json:
        print_json(encoding_facts(encoding, read, output, seconds))
    else:
        print_encoding(encoding, read, output, seconds, **shape)

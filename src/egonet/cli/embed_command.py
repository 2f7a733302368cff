"""The command `egonet embed`: a learned vector for every node of a graph file."""

import time
from pathlib import Path
from typing import Annotated

import typer

import egonet
from egonet.cli.options import (
    AsJson,
    Comment,
    Delimiter,
    Direct,
    Format,
    GraphPath,
    Header,
    Radius,
    Source,
    Target,
    parse_radius,
    read_one,
    text_words,
)
from egonet.cli.output import print_json, progress_report
from egonet.embeddings.embedding import SUFFIXES, check_suffix, write_vectors
from egonet.embeddings.skipgram import Training
from egonet.embeddings.walks import Walks
from egonet.io.atomic import reserved


def embed(
    graph: GraphPath,
    output: Annotated[
        Path, typer.Option("--output", "-o", help=f"Where to write the vectors: {' '.join(SUFFIXES)}.")
    ],
    dim: Annotated[int, typer.Option(help="Length of the vectors.")] = 128,
    radius: Radius = "2",
    model: Annotated[
        Path | None, typer.Option(help="Learn nothing; use the vectors of this earlier --save (.npz).")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Also write what was learned, for other graphs (.npz).")
    ] = None,
    epochs: Annotated[int, typer.Option(help="Passes over the graph.")] = Training.epochs,
    walks: Annotated[int, typer.Option(help="Walks from every node in a pass.")] = Walks.per_node,
    length: Annotated[int, typer.Option(help="Nodes of a walk.")] = Walks.length,
    window: Annotated[int, typer.Option(help="Steps within which nodes of a walk are near.")] = Walks.window,
    negatives: Annotated[int, typer.Option(help="Random nodes against every pair.")] = Training.negatives,
    rate: Annotated[float, typer.Option(help="Learning rate.")] = Training.rate,
    patience: Annotated[
        int | None, typer.Option(help="Stop after so many passes without a lower loss.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal vectors.")] = 0,
    source: Source = None,
    target: Target = None,
    directed: Direct = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Learn a vector for every node of GRAPH from random walks, or apply vectors learned before."""
    check_suffix(output)
    began = time.perf_counter()
    with reserved(output, save, inputs=[graph, model]):
        text = text_words(delimiter, comment, header, file_format)
        read = read_one(graph, source, target, directed, **text)
        if model is not None:
            embedding = egonet.Embedding.load(model)
        else:
            training = Training(negatives, epochs, rate, patience=patience)
            with progress_report("learning") as report:
                embedding = egonet.fit_embeddings(
                    read,
                    parse_radius(radius),
                    dim,
                    walks=Walks(walks, length, window),
                    training=training,
                    rng=seed,
                    progress=report,
                )
        encoding = embedding.encode(read)
        write_vectors(encoding.nodes, embedding.transform(encoding), output)
        if save is not None:
            embedding.save(save)
    seconds = time.perf_counter() - began
    history = embedding.history
    if as_json:
        facts = {
            "num_rows": len(encoding),
            "dim": embedding.dim,
            "losses": history.losses,
            "num_pairs": history.num_pairs,
            "unseen": {"clipped": encoding.unseen.clipped, "dropped": encoding.unseen.dropped},
            "output": str(output),
            "seconds": round(seconds, 3),
        }
        print_json(facts)
        return
    if history.losses and model is None:
        typer.echo(f"Loss by pass: {' '.join(f'{loss:.4f}' for loss in history.losses)}.", err=True)
    if encoding.unseen.num_rows:
        typer.echo(f"Note: {encoding.unseen}.", err=True)
    typer.echo(f"Wrote {output}: {len(encoding):,} vectors of {embedding.dim}, in {seconds:.2f} s.", err=True)

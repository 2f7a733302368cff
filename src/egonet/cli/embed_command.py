"""The command `egonet embed`: a learned vector for every node of a graph file."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import egonet
from egonet.cli.options import OUTPUT, Features, GraphPath, Reading, command, option
from egonet.cli.output import Printing, print_json
from egonet.cli.table_files import read_labels
from egonet.embeddings.embedding import SUFFIXES, check_suffix, write_vectors
from egonet.embeddings.skipgram import Training
from egonet.embeddings.walks import Walks
from egonet.errors import InputError
from egonet.graph.graph import Graph
from egonet.io.atomic import reserved

LEARNING = "Learning"


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
        Path | None, option(LEARNING, "Learn nothing; use the vectors of this earlier --save (.npz).")
    ] = None
    save: Annotated[
        Path | None, option(LEARNING, "Also write what was learned, for other graphs (.npz).")
    ] = None


@command(
    "egonet embed edges.csv -o vectors.parquet --save model.npz",
    "egonet embed other.csv -o others.parquet --model model.npz",
)
def embed(
    graph: GraphPath,
    *,
    reading: Reading,
    features: Features,
    learning: Learning,
    output: Annotated[Path, option(OUTPUT, f"The vectors: {' '.join(SUFFIXES)}.", "--output", "-o")],
    printing: Printing,
) -> None:
    """Learn a vector for every node of GRAPH from random walks, or apply vectors learned before."""
    check_suffix(output)
    if learning.model is not None and features.given():
        raise InputError(
            f"--model has its settings. Leave --{next(iter(features.given())).replace('_', '-')} out."
        )
    model, save = learning.model, learning.save
    began = time.perf_counter()
    with reserved(output, save, inputs=[graph, model, features.labels]):
        with printing.progress("reading", path=graph):
            read = reading.read(graph)
        labels = read_labels(features.labels)
        if model is not None:
            embedding = egonet.Embedding.load(model)
        else:
            embedding = learn(read, labels, features, learning, printing)
        encoding = embedding.encode(read, labels)
        with printing.progress(f"writing {output.name}"):
            write_vectors(encoding.nodes, embedding.transform(encoding), output)
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
            "output": str(output),
            "seconds": round(seconds, 3),
        }
        print_json(facts)
        return
    if history.losses and model is None:
        printing.say(f"Loss by pass: {' '.join(f'{loss:.4f}' for loss in history.losses)}.")
    if encoding.unseen.num_rows:
        printing.say(f"Note: {encoding.unseen}.")
    printing.say(f"Wrote {output}: {len(encoding):,} vectors of {embedding.dim}, in {seconds:.2f} s.")


def learn(
    graph: Graph, labels: Any, features: Features, learning: Learning, printing: Printing
) -> egonet.Embedding:
    """Return vectors learned from random walks in a graph."""
    training = Training(learning.negatives, learning.epochs, learning.rate, patience=learning.patience)
    with printing.progress("learning") as report:
        return egonet.fit_embeddings(
            graph,
            dim=learning.dim,
            walks=Walks(learning.walks, learning.length, learning.window),
            training=training,
            rng=learning.seed,
            progress=report,
            labels=labels,
            **features.given(),
        )

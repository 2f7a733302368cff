"""Pairs per second of learning vectors, beside gensim's word2vec on the same walks, interleaved in one process.

Run: EGONET_DATA=... python benchmarks/embed.py [dim]
Needs gensim. Both learn from the same number of (source, context) pairs and negatives, on one thread; CPU time counts.
"""

import os
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
from gensim.models import Word2Vec

import egonet
from egonet.embeddings.walks import random_walks

ROUNDS = 3


def main() -> None:
    dim = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one thread
    graph = egonet.read_graph(Path(os.environ["EGONET_DATA"]) / "facebook" / "Facebook.edgelist")
    walks, training = egonet.Walks(length=40, window=5), egonet.Training(epochs=1, negatives=5)
    pairs = graph.num_nodes * walks.num_pairs * (1 + training.negatives)
    sentences = [
        list(map(str, walk)) for walk in random_walks(graph, walks, np.random.default_rng(1)).tolist()
    ]
    contenders = {
        "egonet": lambda: egonet.fit_embeddings(graph, 2, dim, walks=walks, training=training, rng=1),
        "gensim": lambda: Word2Vec(
            sentences,
            vector_size=dim,
            window=walks.window,
            negative=training.negatives,
            sg=1,
            shrink_windows=False,
            sample=0,
            min_count=0,
            ns_exponent=0,
            workers=1,
            epochs=1,
        ),
    }
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, learn in contenders.items():
            began = time.process_time()
            learn()
            rates[name].append(pairs / (time.process_time() - began))
    print(f"Facebook, dim {dim}, {pairs:,} pairs with negatives, one thread, million pairs per CPU second:")
    for name, found in rates.items():
        print(f"  {name:<8}{median(found) / 1e6:8.2f}")


if __name__ == "__main__":
    main()

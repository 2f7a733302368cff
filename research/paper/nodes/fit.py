"""Learning an embedding with torch, on a CPU or a GPU; `egonet.fit_embeddings` does the same without torch."""

import time
from dataclasses import asdict

import numpy as np
import torch

from egonet import Embedding, Encoding, Start, Training, Walks
from egonet.embeddings import History, first_table
from egonet.errors import InputError
from research.paper.nodes.skipgram import Model, train
from research.paper.nodes.weighted_sums import WeightedSums


def fit_embedding(
    encoding: Encoding,
    dim: int,
    walks: Walks,
    training: Training,
    *,
    seed: int,
    device: str = "cpu",
    start: Start | None = None,
) -> Embedding:
    """Return vectors for the columns of an encoding, learned from random walks.

    Examples
    --------
    >>> import egonet
    >>> encoding = egonet.encode(egonet.named.path("abcdef"), radius=1)
    >>> fit_embedding(encoding, 4, Walks(length=10), Training(epochs=1), seed=1).table.shape
    (3, 4)
    """
    began = time.perf_counter()
    place, rng = as_device(device), np.random.default_rng(seed)
    sums = WeightedSums(encoding.weighted("paper"), encoding.classes, place)
    start = start or Start(first_table(encoding.vocabulary, dim, rng))
    table = torch.from_numpy(start.table.astype(np.float32)).to(place).requires_grad_()

    def vectors() -> tuple[torch.Tensor, torch.Tensor]:
        found = sums(table)
        return found, found

    assert encoding.graph is not None
    model = Model(vectors, sums.row_of, [table], start.line)
    course = train(encoding.graph, model, walks, training, rng)
    settings = {"walks": asdict(walks), "training": asdict(training), "device": place, "seed": seed}
    seconds = time.perf_counter() - began
    history = History(course.losses, course.num_pairs, course.scale, course.shift, seconds, settings)
    return Embedding(encoding.vocabulary, table.detach().cpu().numpy(), "paper", history)


def as_device(device: str | None) -> str:
    """Return the device asked for, or the best available; raise if there is no such device."""
    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device not in ("cpu", "cuda"):
        raise InputError(f"device must be 'cpu' or 'cuda', got {device!r}.")
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("device='cuda' needs a GPU that torch can use, and there is none. Use 'cpu'.")
    return device

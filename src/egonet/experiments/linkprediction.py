"""Link prediction: the embedding beside node2vec and the classical indices, on the same splits."""

import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch

from egonet.embeddings.embedding import Embedding
from egonet.embeddings.fit import fit_embeddings
from egonet.embeddings.training import Training
from egonet.embeddings.walks import Walks
from egonet.errors import InputError
from egonet.experiments.fetch import data_path
from egonet.experiments.linkscores import (
    adamic_adar,
    area_under_curve,
    common_neighbours,
    degree_scores,
    hadamard_scores,
    learn_classifier,
    preferential_attachment,
)
from egonet.experiments.linksplit import LinkSplit, split_links
from egonet.experiments.node2vec import best_bias, node2vec
from egonet.experiments.registry import data_set
from egonet.experiments.results import Line, append_lines, environment, read_lines, results_path
from egonet.graph.files import read_graph
from egonet.graph.graph import Graph
from egonet.types import Floats

TABLE = "linkprediction"
METHODS = (
    "egonet",
    "node2vec",
    "common-neighbours",
    "adamic-adar",
    "preferential-attachment",
    "degree",
    "transfer",
)
#: What --quick makes of long runs: one pass of short walks.
_QUICK_WALKS = {"per_node": 1, "length": 20, "window": 4}
_QUICK_TRAINING = {"negatives": 2, "epochs": 1, "batch_pairs": 50_000}


@dataclass(frozen=True)
class LinkChoice:
    """Which part of link prediction is run, and how; everything if empty."""

    data: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    protocol: str = "honest"
    device: str = "cpu"
    quick: bool = False
    folder: Path = Path("results")
    seconds: float | None = None
    words: dict[str, Any] = field(default_factory=dict)


@cache
def link_spec() -> dict[str, Any]:
    """Return the spec of link prediction: settings, published numbers, and what the paper leaves open."""
    text = files("egonet.experiments").joinpath("specs", f"{TABLE}.toml").read_text("utf-8")
    return tomllib.loads(text)


def read_links(name: str) -> Graph:
    """Return the graph of a data set of link prediction: facebook or ca-astroph."""
    if name not in link_spec()["data"]:
        raise InputError(f"link prediction has no data set {name!r}. There are: {', '.join(link_spec()['data'])}.")
    return read_graph(data_path(name, data_set(name).files[0].path))


def run_links(choice: LinkChoice, say: Callable[[str], None] = lambda _: None) -> list[Line]:
    """Run what is missing of link prediction, append a line per method and seed, and return the new lines."""
    path = results_path(choice.folder, TABLE, choice.protocol)
    done = {line.key for line in read_lines(path)}
    began, fresh = time.monotonic(), []
    for name in choice.data or tuple(link_spec()["data"]):
        graph = read_links(name)
        for seed in choice.seeds or (link_spec()["seeds"][: 1 if choice.quick else None]):
            if choice.seconds is not None and time.monotonic() - began > choice.seconds:
                say(f"{name}, seed {seed}: not started, {choice.seconds:.0f} s are over")
                continue
            wanted = [m for m in choice.methods or METHODS if _line(name, m, seed, choice).key not in done]
            if not wanted:
                say(f"{name}, seed {seed}: already there, skipped")
                continue
            for line in run_seed(name, graph, seed, wanted, choice):
                append_lines(path, [line])
                fresh.append(line)
                say(f"{name}, seed {seed}, {line.model}: AUC {line.score:.4f} in {line.seconds:.1f} s")
    return fresh


def run_seed(
    name: str, graph: Graph, seed: int, methods: Sequence[str], choice: LinkChoice
) -> Iterator[Line]:
    """Yield a line for every method on one split."""
    split = split_links(graph, np.random.default_rng(seed), protocol=choice.protocol)
    for method in methods:
        start = time.monotonic()
        details: dict[str, Any] = {}
        scores = _scores(method, name, split, seed, choice, details)
        score = area_under_curve(split.test_labels, scores)
        seconds = round(time.monotonic() - start, 3)
        where = dict(environment(choice.device))
        yield replace(
            _line(name, method, seed, choice), score=score, details=details, seconds=seconds, environment=where
        )


def _scores(
    method: str, name: str, split: LinkSplit, seed: int, choice: LinkChoice, details: dict[str, Any]
) -> Floats:
    """Return the scores of the test pairs by one method."""
    indices = {
        "common-neighbours": common_neighbours,
        "adamic-adar": adamic_adar,
        "preferential-attachment": preferential_attachment,
    }
    if method in indices:
        return indices[method](split.graph, split.test_pairs)
    if method == "degree":
        return degree_scores(split, seed=seed)
    if method == "node2vec":
        return _node2vec_scores(split, seed, choice, details)
    if method == "transfer":
        return _transfer_scores(name, split, seed, choice, details)
    if method != "egonet":
        raise InputError(f"link prediction has no method {method!r}. There are: {', '.join(METHODS)}.")
    embedding = learn(name, split, seed, choice, details)
    vectors = torch.from_numpy(embedding.transform(split.graph)).to(choice.device)
    return hadamard_scores(split, vectors, seed=seed)


def learn(
    name: str, split: LinkSplit, seed: int, choice: LinkChoice, details: dict[str, Any] | None = None
) -> Embedding:
    """Return the embedding of one data set's training graph, with its settings."""
    spec = link_spec()["data"][name]
    walks, training = _settings(spec, choice)
    words: dict[str, Any] = {"radius": spec["radius"], "dim": 16 if choice.quick else spec["dim"]} | choice.words
    embedding = fit_embeddings(
        split.graph, walks=walks, training=training, rng=seed, device=choice.device, **words
    )
    if details is not None:
        lesson = embedding.lesson
        details["losses"] = [round(loss, 5) for loss in lesson.losses]
        details["num_pairs"], details["fit_seconds"] = lesson.num_pairs, round(lesson.seconds, 3)
    return embedding


def _node2vec_scores(split: LinkSplit, seed: int, choice: LinkChoice, details: dict[str, Any]) -> Floats:
    """Return test scores by node2vec with the p and q that do best on a tenth of the training pairs."""
    spec = link_spec()["node2vec"]
    walks, training = _settings(spec, choice)
    found: dict[tuple[float, float], torch.Tensor] = {}
    inner = _inner_split(split)

    def vectors(bias: tuple[float, float]) -> torch.Tensor:
        if bias not in found:
            found[bias] = node2vec(
                split.graph, spec["dim"], walks, training, seed=seed, bias=bias, device=choice.device
            )
        return found[bias]

    def score(bias: tuple[float, float]) -> float:
        return area_under_curve(inner.test_labels, hadamard_scores(inner, vectors(bias), seed=seed))

    grid: list[tuple[float, float]] = [(p, q) for p, q in spec["bias"]]
    bias = best_bias(score, grid[:1] if choice.quick else grid)
    details["p"], details["q"] = bias
    return hadamard_scores(split, vectors(bias), seed=seed)


def _inner_split(split: LinkSplit) -> LinkSplit:
    """Return the classifier's training pairs, a tenth of them to choose by."""
    cut = len(split.train_pairs) * 9 // 10
    pairs, labels = split.train_pairs, split.train_labels
    return LinkSplit(split.graph, pairs[:cut], labels[:cut], pairs[cut:], labels[cut:])


def _transfer_scores(
    name: str, split: LinkSplit, seed: int, choice: LinkChoice, details: dict[str, Any]
) -> Floats:
    """Return test scores by vectors and classifier that saw only another graph; node2vec has none to offer."""
    other = link_spec()["data"][name]["transfer"]
    source = split_links(read_links(other), np.random.default_rng(seed), protocol=choice.protocol)
    embedding = learn(other, source, seed, choice, details)
    details["learned_on"] = other
    vectors = torch.from_numpy(embedding.transform(source.graph)).to(choice.device)
    weights = learn_classifier(source, vectors, seed=seed)
    encoding = embedding.encode(split.graph)
    details["clipped"] = encoding.unseen.clipped
    unseen = torch.from_numpy(embedding.transform(encoding)).to(choice.device)
    return hadamard_scores(split, unseen, seed=seed, weights=weights)


def _settings(spec: dict[str, Any], choice: LinkChoice) -> tuple[Walks, Training]:
    """Return how walks are drawn and vectors learn, small if quick."""
    walks = spec["walks"] | (_QUICK_WALKS if choice.quick else {})
    training = spec["training"] | (_QUICK_TRAINING if choice.quick else {})
    return Walks(**walks), Training(**training)


def _line(name: str, method: str, seed: int, choice: LinkChoice) -> Line:
    """Return a line still without a score."""
    spec = link_spec()["data"][name]
    learned = method in ("egonet", "transfer")
    form = ",".join(f"{key}={value}" for key, value in choice.words.items()) or "total"
    return Line(
        table=TABLE,
        data=name,
        model=method,
        target="",
        form=form if learned else "none",
        radius=int(choice.words.get("radius", spec["radius"])) if learned else 0,
        seed=seed,
        protocol=choice.protocol,
        quick=choice.quick,
        score=float("nan"),
        details={},
        seconds=0.0,
        environment={},
    )

"""Link prediction: the embedding, node2vec and the classical indices, on the same splits."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch

from egonet import Embedding, Graph, encode, read_graph
from egonet.typing import Floats
from research.datasets.fetch import data_path
from research.datasets.registry import data_set
from research.links.seal_labels import LabeledSplit, fit_labels, label_split
from research.paper.nodes.choice import (
    NodeChoice,
    blank_line,
    check_names,
    fit_options,
    node_spec,
    save_lines,
)
from research.paper.nodes.fit import as_device, fit_embedding
from research.paper.nodes.link_scores import (
    adamic_adar,
    area_under_curve,
    common_neighbors,
    degree_scores,
    hadamard_scores,
    learn_classifier,
    preferential_attachment,
)
from research.paper.nodes.link_split import LinkSplit, split_links
from research.paper.nodes.node2vec import best_bias, node2vec
from research.paper.nodes.pair_links import PAIR_METHODS, EncodedSplit, encode_split, fit_pairs
from research.paper.published.pairs import PublishedTraining
from research.paper.published.split import published_split
from research.paper.published.start import published_classifier, published_start
from research.paper.results import Line, environment

TABLE = "linkprediction"
#: SEAL's labels as columns, exact, to the model that reads them.
SEAL_METHODS = {"seal-drnl-linear": "linear", "seal-drnl-boosting": "boosting"}
METHODS = (
    "egonet",
    "egonet-full",
    "node2vec",
    "common-neighbors",
    "adamic-adar",
    "preferential-attachment",
    "degree",
    "transfer",
    *PAIR_METHODS,
    *SEAL_METHODS,
)
#: Methods that read an encoding; "egonet-full" counts full degrees instead of the paper's.
_LEARNED = ("egonet", "egonet-full", "transfer")


def read_links(name: str) -> Graph:
    """Return the graph of a data set of link prediction: facebook or ca-astroph."""
    check_names([name], node_spec(TABLE)["data"], "link prediction has no data set")
    return read_graph(data_path(name, data_set(name).files[0].path))


def run_links(choice: NodeChoice, say: Callable[[str], None] = lambda _: None) -> list[Line]:
    """Run what is missing of link prediction, append a line per method and seed, and return the new lines."""
    plan, began = plan_links(choice), time.monotonic()
    if as_device(choice.device) == "cuda":
        # The published products have all 24 bits.
        torch.set_float32_matmul_precision("high" if choice.protocol == "honest" else "highest")
    graphs: dict[str, Graph] = {}
    fresh = []
    for blanks in plan:
        name, seed = blanks[0].data, blanks[0].seed
        if choice.seconds is not None and time.monotonic() - began > choice.seconds:
            say(f"{name}, seed {seed}: not started, {choice.seconds:.0f} s have passed")
            continue
        if name not in graphs:
            graphs[name] = read_links(name)
        fill = partial(run_seed, graphs[name], choice=choice)
        fresh += save_lines(TABLE, blanks, choice, say, fill)
    return fresh


def plan_links(choice: NodeChoice) -> list[list[Line]]:
    """Return the lines that a choice asks for, without scores: a list for every data set and seed."""
    spec = node_spec(TABLE)
    check_names(choice.data, spec["data"], "link prediction has no data set")
    check_names(choice.methods, METHODS, "link prediction has no method")
    plan = []
    for name in choice.data or tuple(spec["data"]):
        methods = [
            m for m in choice.methods or METHODS if "transfer" not in m or "transfer" in spec["data"][name]
        ]
        if choice.protocol == "paper":  # which is about the paper's methods
            methods = [m for m in methods if m not in PAIR_METHODS and m not in SEAL_METHODS]
        for seed in choice.seeds or spec["seeds"][: 1 if choice.quick else None]:
            plan.append([_blank(name, method, seed, choice) for method in methods])
    return [blanks for blanks in plan if blanks]


def run_seed(graph: Graph, blanks: Sequence[Line], choice: NodeChoice) -> Iterator[Line]:
    """Yield lines with their scores; all of them are about one split of one graph."""
    seed = blanks[0].seed
    split = split_for(blanks[0].data, graph, seed, choice.protocol)
    for line in blanks:
        start = time.monotonic()
        details: dict[str, Any] = {}
        scores = _scores(line.model, line.data, split, seed, choice, details)
        yield replace(
            line,
            score=area_under_curve(split.test_labels, scores),
            details=details,
            seconds=round(time.monotonic() - start, 3),
            environment=environment(choice.device),
        )


def split_for(name: str, graph: Graph, seed: int, protocol: str) -> LinkSplit:
    """Return the split of a data set under a protocol: links removed, or the split of the published code."""
    if protocol == "honest":
        return split_links(graph, np.random.default_rng(seed))
    return published_split(graph, seed, listed_twice=node_spec(TABLE)["data"][name]["listed_twice"])


def _blank(name: str, method: str, seed: int, choice: NodeChoice) -> Line:
    """Return the line of one method and seed, without a score."""
    radius = node_spec(TABLE)["data"][name]["radius"] if method in _LEARNED else 0
    return blank_line(TABLE, name, method, seed, choice, radius)


def _scores(
    method: str, name: str, split: LinkSplit, seed: int, choice: NodeChoice, details: dict[str, Any]
) -> Floats:
    """Return the scores of the test pairs by one method."""
    indices = {
        "common-neighbors": common_neighbors,
        "adamic-adar": adamic_adar,
        "preferential-attachment": preferential_attachment,
    }
    if method in indices:
        return indices[method](split.graph, split.test_pairs)
    if method in PAIR_METHODS:
        return _pair_scores(method, name, seed, choice, details)
    if method in SEAL_METHODS:
        labeled, spec = _labeled(name, seed, node_spec(TABLE)["seal"]["radius"]), _pair_spec(choice)
        scores, found = fit_labels(labeled, SEAL_METHODS[method], spec[SEAL_METHODS[method]], seed=seed)
        details |= found
        return scores
    if method == "degree":
        return degree_scores(split, seed=seed)
    if method == "node2vec":
        return _node2vec_scores(split, seed, choice, details)
    if method == "transfer":
        return _transfer_scores(name, split, seed, choice, details)
    if method == "egonet-full":
        choice = replace(choice, encoding={"degrees": "full"} | choice.encoding)
    embedding = learn(name, split, seed, choice, details)
    vectors = torch.from_numpy(embedding.transform(split.graph)).to(choice.device)
    start = None
    if choice.protocol == "paper" and method == "egonet":
        start = published_classifier(_published_shape(name, split), vectors.shape[1], seed)
    weights = learn_classifier(split, vectors, seed=seed, start=start)
    return hadamard_scores(split, vectors, seed=seed, weights=weights)


@lru_cache(maxsize=4)
def _encoded(name: str, seed: int, radius: tuple[int, ...]) -> EncodedSplit:
    """Return the pairs of a data set's honest split, encoded once for all methods."""
    return encode_split(split_for(name, read_links(name), seed, "honest"), radius)


@lru_cache(maxsize=1)
def _labeled(name: str, seed: int, radius: int) -> LabeledSplit:
    """Return SEAL's labels around the pairs of a data set's honest split, counted once for both models."""
    return label_split(split_for(name, read_links(name), seed, "honest"), radius)


def _pair_spec(choice: NodeChoice) -> dict[str, Any]:
    """Return the settings of models of pairs, reduced for a quick run."""
    spec: dict[str, Any] = node_spec(TABLE)["pairs"]
    if choice.quick:
        spec = spec | {"linear": spec["linear"][:1], "boosting": [spec["boosting"][0] | {"max_iter": 5}]}
    return spec


def _pair_scores(method: str, name: str, seed: int, choice: NodeChoice, details: dict[str, Any]) -> Floats:
    """Return test scores by a model of pairs, learned on the training pairs or on those of the other graph."""
    moved = method.endswith("transfer")
    spec = _pair_spec(choice)
    learned_on = node_spec(TABLE)["data"][name]["transfer"] if moved else name
    radius = tuple(spec["radius"])
    model = fit_pairs(_encoded(learned_on, seed, radius), *PAIR_METHODS[method], spec, seed=seed)
    details |= model.details | {"learned_on": learned_on}
    return model.scores(_encoded(name, seed, radius))


def _published_shape(name: str, split: LinkSplit) -> tuple[int, int]:
    """Return the distances, and the columns per distance, that the published code draws numbers for."""
    return node_spec(TABLE)["data"][name]["radius"] + 1, int(split.graph.degrees.max()) + 1


def learn(
    name: str, split: LinkSplit, seed: int, choice: NodeChoice, details: dict[str, Any] | None = None
) -> Embedding:
    """Return the embedding of one data set's training graph, with its settings."""
    spec = node_spec(TABLE)["data"][name]
    encoding = encode(split.graph, **({"radius": spec["radius"]} | choice.encoding))
    options = fit_options(spec, choice)
    if choice.protocol == "paper":
        options["training"] = PublishedTraining(**asdict(options["training"]))
    if choice.protocol == "paper" and not choice.encoding:
        keys, shape = encoding.vocabulary.keys, _published_shape(name, split)
        options["start"] = published_start(keys[:, 1], keys[:, 2], shape, options["dim"], seed)
    embedding = fit_embedding(encoding, seed=seed, device=choice.device, **options)
    if details is not None:
        history = embedding.history
        details["losses"] = [round(loss, 5) for loss in history.losses]
        details["num_pairs"], details["fit_seconds"] = history.num_pairs, round(history.seconds, 3)
    return embedding


def _node2vec_scores(split: LinkSplit, seed: int, choice: NodeChoice, details: dict[str, Any]) -> Floats:
    """Return test scores by node2vec with the p and q that do best on a tenth of the training pairs."""
    spec = node_spec(TABLE)["node2vec"]
    options = fit_options(spec, choice)
    found: dict[tuple[float, float], torch.Tensor] = {}
    inner = _inner_split(split)

    def vectors(bias: tuple[float, float]) -> torch.Tensor:
        if bias not in found:
            found[bias] = node2vec(split.graph, **options, seed=seed, bias=bias, device=choice.device)
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
    name: str, split: LinkSplit, seed: int, choice: NodeChoice, details: dict[str, Any]
) -> Floats:
    """Return test scores by vectors and classifier that saw only another graph; node2vec has no vectors there."""
    other = node_spec(TABLE)["data"][name]["transfer"]
    source = split_for(other, read_links(other), seed, choice.protocol)
    embedding = learn(other, source, seed, choice, details)
    details["learned_on"] = other
    vectors = torch.from_numpy(embedding.transform(source.graph)).to(choice.device)
    weights = learn_classifier(source, vectors, seed=seed)
    encoding = embedding.encode(split.graph)
    details["clipped"] = encoding.unseen.clipped
    unseen = torch.from_numpy(embedding.transform(encoding)).to(choice.device)
    return hadamard_scores(split, unseen, seed=seed, weights=weights)

"""Scores of pairs without training: a linear model that was learned once on other graphs, read from JSON."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Unpack

import numpy as np

from egonet.checks import as_threads, as_whole
from egonet.encoding.signature import list_options
from egonet.encoding.unknown import HandleUnknown
from egonet.errors import FileError, InputError
from egonet.graph.graph import Graph
from egonet.graph.input_options import ReadOptions
from egonet.links.around import Columns, look_around
from egonet.links.columns import mean_reads, reach_of
from egonet.links.invariant import Scale, invariant_columns, ranks, weighted_sum
from egonet.links.split import NegativeSampler, find_link_rows, undirected_graph, with_unknown
from egonet.typing import Floats, Int64s

VERSION = 1
#: Random pairs without an edge among which the columns of a pair are ranked.
NUM_REFERENCE = 2_000
_BATCH = 20_000
#: The largest radius of `zero_shot_columns`.
MOST_HOPS = 16


@dataclass(frozen=True, eq=False)
class ZeroShotModel:
    """A linear model of columns that mean the same in every graph.

    Attributes
    ----------
    radius
        Hops that are searched around both ends.
    most_reads
        It is used where a search reads at most this many arcs on average; 0 for any graph.
    least_reach
        It is used where log n / log d is at least this, for n nodes with mean degree d; 0 for any graph.
    names
        The columns.
    mean, deviation
        float64 (num_columns,): of the columns, over the graphs it was learned on.
    values, ranks
        float64 (num_columns,): the coefficients of the columns and of their ranks in the graph.
    intercept
        The constant.
    cut
        Columns are cut off at this many standard deviations.
    spread
        Ranks are multiplied by this, after 1/2 is subtracted.
    """

    radius: int
    most_reads: int
    least_reach: float
    names: tuple[str, ...]
    mean: Floats
    deviation: Floats
    values: Floats
    ranks: Floats
    intercept: float
    cut: float
    spread: float


@cache
def read_models() -> tuple[ZeroShotModel, ...]:
    """Return the models that come with the package, the deepest search first."""
    return parse_models(files("egonet.links").joinpath("zero_shot.json").read_text("utf-8"))


def parse_models(text: str) -> tuple[ZeroShotModel, ...]:
    """Return the models in a text, or raise if it is damaged or of another version."""
    try:
        content = json.loads(text)
        if content["version"] != VERSION:
            raise FileError(
                f"zero_shot.json must have version {VERSION}, got {content['version']!r}. Install egonet again."
            )
        if checksum(content["models"]) != content["sha256"]:
            raise FileError("zero_shot.json is damaged: its checksum differs. Install egonet again.")
        lists = ("mean", "deviation", "values", "ranks")
        parsed: list[dict[str, Any]] = [
            each | {name: np.array(each[name]) for name in lists} | {"names": tuple(each["names"])}
            for each in content["models"]
        ]
        return tuple(ZeroShotModel(**each) for each in parsed)
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError("zero_shot.json is damaged. Install egonet again.") from error


def checksum(models: list[dict[str, Any]]) -> str:
    """Return the sha256 of models as JSON without spaces."""
    return hashlib.sha256(json.dumps(models, separators=(",", ":")).encode()).hexdigest()


def choose_model(graph: Graph) -> ZeroShotModel:
    """Return the model with the deepest search that a graph affords."""
    reach = reach_of(graph)
    suitable = (each for each in read_models() if reach >= each.least_reach)
    return next(
        each for each in suitable if not each.most_reads or mean_reads(graph, each.radius) <= each.most_reads
    )


@dataclass(frozen=True, eq=False)
class PairRanks:
    """Columns of pairs of one graph, and their ranks among random pairs of it.

    Pairs are rows of the graph; the two rows after the last are nodes without an edge.
    """

    graph: Graph
    radius: int
    threads: int | None = None

    @cached_property
    def searched(self) -> Graph:
        """Return the graph with two more nodes, which stand for unknown ones."""
        return with_unknown(self.graph)

    @cached_property
    def scale(self) -> Scale:
        """Return the numbers by which columns are divided."""
        return Scale.of(self.graph)

    @cached_property
    def reference(self) -> Floats:
        """Return the columns of random pairs without an edge, each column rising."""
        size = self.graph.num_nodes
        free = size * (size - 1) // 2 - self.graph.num_edges
        sampler = NegativeSampler(self.graph, self.graph, np.random.default_rng(0))
        rows = sampler.uniform(min(NUM_REFERENCE, free))
        if not len(rows):  # a complete graph: its edges, each left out
            rows = np.stack(self.graph.edge_rows(), axis=1).astype(np.int64)[:NUM_REFERENCE]
        return np.sort(self.columns(rows).values, axis=0)

    def columns(self, rows: Int64s, *, without_edge: bool = True) -> Columns:
        """Return the columns of some pairs of rows."""
        options: Any = {"without_edge": without_edge, "walks": True, "threads": as_threads(self.threads)}
        around = look_around(self.searched, rows, self.radius, **options)
        return invariant_columns(around, self.scale)


@dataclass(frozen=True, eq=False)
class ZeroShot:
    """Scores of pairs of one graph by a model that was learned on others."""

    pairs: PairRanks
    model: ZeroShotModel

    @classmethod
    def of(cls, graph: Graph, *, threads: int | None = None) -> "ZeroShot":
        """Return the scores of a graph, or raise if it has no edges."""
        if not graph.num_edges:
            raise InputError("links cannot be predicted in a graph without edges. Give a graph with edges.")
        model = choose_model(graph)
        return cls(PairRanks(graph, model.radius, threads), model)

    def score(self, rows: Int64s, *, without_edge: bool = True) -> Floats:
        """Return the score of every pair of rows; higher is more likely."""
        parts = [
            self._score(self.pairs.columns(rows[begin : begin + _BATCH], without_edge=without_edge).values)
            for begin in range(0, len(rows), _BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _score(self, values: Floats) -> Floats:
        model = self.model
        raw = np.clip((values - model.mean) / model.deviation, -model.cut, model.cut)
        spread = (ranks(values, self.pairs.reference) - 0.5) * model.spread
        logits: Floats = weighted_sum(raw, model.values) + weighted_sum(spread, model.ranks) + model.intercept
        return logits

    @cached_property
    def reference_scores(self) -> Floats:
        """Return the scores of random pairs, rising."""
        sampler = NegativeSampler(self.pairs.graph, self.pairs.graph, np.random.default_rng(1))
        size = self.pairs.graph.num_nodes
        free = size * (size - 1) // 2 - self.pairs.graph.num_edges
        scores = self.score(sampler.uniform(min(NUM_REFERENCE, free)))
        return np.sort(scores) if len(scores) else np.zeros(1)


@list_options
def zero_shot_columns(
    graph: Any,
    pairs: Any,
    radius: int,
    *,
    handle_unknown: HandleUnknown = "error",
    **reading: Unpack[ReadOptions],
) -> tuple[Floats, Floats, list[str]]:
    """Return the columns of pairs that mean the same in every graph, their ranks in this graph, and their names.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts; undirected.
    pairs
        Pairs of node ids, as for `encode_pairs`.
    radius
        Hops that are searched around both ends, at most 16.
    handle_unknown
        As for `encode_pairs`; "zero" and "warn" count an unknown node as one without an edge.
    directed, source, target, num_nodes, nodes, missing, ids, simplify
        How the graph is read, as for `as_graph`.

    Examples
    --------
    >>> from egonet import named
    >>> values, ranked, names = zero_shot_columns(named.karate_club(), [(0, 33)], 2)
    >>> values.shape == ranked.shape == (1, len(names))
    True
    >>> values[0, names.index("distance")].item()
    2.0
    """
    if as_whole("radius", radius, least=1) > MOST_HOPS:
        raise InputError(
            f"radius must be at most {MOST_HOPS}, since columns grow with its square, got {radius}."
        )
    undirected = undirected_graph(graph, **reading)
    ranked = PairRanks(undirected, radius)
    columns = ranked.columns(find_link_rows(pairs, undirected, handle_unknown).rows)
    return columns.values, ranks(columns.values, ranked.reference), columns.names
